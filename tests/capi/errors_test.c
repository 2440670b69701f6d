// Everything that a caller can get wrong, and every way in which a run ends early.
#include <stdlib.h>

#include "check.h"
#include "daedalus.h"
#include "problems.h"

static daedalus_integrator* started(daedalus_f f, const char* method, void* user, double t_end) {
  const double one[1] = {1.0};
  daedalus_problem* problem = daedalus_problem_create(1, f, user);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, method);
  daedalus_problem_free(problem);
  daedalus_integrator_start(integrator, 0.0, t_end, one, NULL);
  return integrator;
}

static void wrong_creation(void) {
  CHECK(strcmp(daedalus_error(), "") == 0);
  CHECK_NULL(daedalus_problem_create(0, robertson, NULL), "usage.argument", "0 variables");
  CHECK_NULL(daedalus_problem_create((size_t)1 << 40, robertson, NULL), "usage.argument",
             "1099511627776 variables");
  CHECK_NULL(daedalus_problem_create(3, NULL, NULL), "usage.argument", "NULL");
  CHECK_NULL(daedalus_problem_create_residual(3, NULL, NULL), "usage.argument", "NULL");
  CHECK_NULL(daedalus_integrator_create(NULL, "radau5"), "usage.argument", "problem is NULL");
  daedalus_problem* problem = daedalus_problem_create(3, robertson, NULL);
  daedalus_integrator* automatic = daedalus_integrator_create(problem, NULL);
  CHECK(automatic != NULL);  // no name: the method is chosen
  daedalus_integrator_free(automatic);
  CHECK_NULL(daedalus_integrator_create(problem, "radau55"), "usage.unknown-method",
             "did you mean `radau5`");
  daedalus_problem_free(problem);
  daedalus_problem_free(NULL);
  daedalus_integrator_free(NULL);
  CHECK(daedalus_method_name(daedalus_method_count()) == NULL);
  CHECK(daedalus_method_order(daedalus_method_count()) == 0);
  CHECK(daedalus_method_is_implicit(daedalus_method_count()) == 0);
  CHECK(daedalus_method_is_adaptive(daedalus_method_count()) == 0);
}

static void handles_that_are_null(void) {
  double y[3];
  const int starts[2] = {0, 0};
  daedalus_statistics s;
  CHECK(daedalus_problem_set_jacobian(NULL, robertson_dense) == DAEDALUS_INVALID);
  CHECK(daedalus_problem_set_residual_jacobian(NULL, robertson_residual_dense) == DAEDALUS_INVALID);
  CHECK(daedalus_problem_set_pattern_banded(NULL, 0, 0) == DAEDALUS_INVALID);
  CHECK(daedalus_problem_set_pattern_csc(NULL, starts, starts) == DAEDALUS_INVALID);
  CHECK(daedalus_problem_set_mass_dense(NULL, y) == DAEDALUS_INVALID);
  CHECK(daedalus_problem_set_mass_banded(NULL, 0, 0, y) == DAEDALUS_INVALID);
  CHECK(daedalus_problem_set_mass_csc(NULL, starts, starts, y) == DAEDALUS_INVALID);
  CHECK(daedalus_problem_set_mass_diagonal(NULL, y) == DAEDALUS_INVALID);
  CHECK(daedalus_problem_set_names(NULL, NULL) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_set_tolerances(NULL, 1e-6, 1e-6) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_set_tolerance_vector(NULL, 1e-6, y) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_set_initial_step(NULL, 1.0) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_set_max_step(NULL, 1.0) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_set_fixed_step(NULL, 1.0) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_set_max_attempts(NULL, 1) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_set_controller(NULL, "pi") == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_set_norm(NULL, "max") == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_start(NULL, 0.0, 1.0, y, NULL) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_step(NULL) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_advance(NULL, 1.0, y) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_finish(NULL) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_interpolate(NULL, 1.0, y) == DAEDALUS_INVALID);
  CHECK(daedalus_integrator_statistics(NULL, &s, sizeof s) == DAEDALUS_INVALID);
  CHECK(isnan(daedalus_integrator_time(NULL)));
  CHECK(isnan(daedalus_integrator_step_begin(NULL)));
  CHECK(daedalus_integrator_state(NULL) == NULL);
  CHECK(strcmp(daedalus_integrator_reason(NULL), "") == 0);
  CHECK(strcmp(daedalus_integrator_variable(NULL), "") == 0);
}

static void wrong_patterns(void) {
  daedalus_problem* problem = daedalus_problem_create(3, robertson, NULL);
  const int rows[3] = {0, 1, 2};
  const int late[4] = {1, 1, 2, 3}, falling[4] = {0, 2, 1, 3}, three[4] = {0, 1, 2, 3};
  const int negative[3] = {0, -1, 2}, large[3] = {0, 1, 3}, twice[3] = {0, 0, 1};
  const int all_in_one[4] = {0, 3, 3, 3};
  const char* code = "usage.pattern";
  CHECK_INVALID(daedalus_problem_set_pattern_banded(problem, 3, 0), code, "does not fit");
  CHECK_INVALID(daedalus_problem_set_pattern_banded(problem, 0, 3), code, "does not fit");
  CHECK_INVALID(daedalus_problem_set_pattern_csc(problem, late, rows), code, "starts[0] is 1");
  CHECK_INVALID(daedalus_problem_set_pattern_csc(problem, falling, rows), code,
                "starts[2] = 1 is less than starts[1] = 2");
  CHECK_INVALID(daedalus_problem_set_pattern_csc(problem, three, negative), code,
                "rows[1] = -1, of column 1, is not a row");
  CHECK_INVALID(daedalus_problem_set_pattern_csc(problem, three, large), code,
                "rows[2] = 3, of column 2, is not a row");
  CHECK_INVALID(daedalus_problem_set_pattern_csc(problem, all_in_one, twice), code,
                "rows[1] = 0, of column 0, follows 0");
  CHECK_INVALID(daedalus_problem_set_pattern_csc(problem, NULL, rows), "usage.argument", "NULL");
  CHECK_INVALID(daedalus_problem_set_pattern_csc(problem, three, NULL), "usage.argument", "NULL");
  daedalus_problem_free(problem);

  problem = daedalus_problem_create(2000000000, robertson, NULL);
  CHECK_INVALID(daedalus_problem_set_pattern_banded(problem, 1, 0), code, "too many entries");
  daedalus_problem_free(problem);

  enum { many = 50000 };
  double* y = calloc(many, sizeof *y);
  problem = daedalus_problem_create_residual(many, robertson_residual, NULL);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "radau5");
  CHECK_INVALID(daedalus_integrator_start(integrator, 0.0, 1.0, y, NULL), code, "too large");
  daedalus_integrator_free(integrator);
  daedalus_problem_free(problem);
  free(y);
}

static void wrong_masses(void) {
  daedalus_problem* problem = daedalus_problem_create(2, van_der_pol, NULL);
  const double dense[4] = {1, 0, NAN, 1}, banded[4] = {NAN, 1, INFINITY, 1}, diagonal[2] = {1, NAN};
  const int starts[3] = {0, 1, 2}, rows[2] = {0, 1}, falling[3] = {0, 1, 0};
  const char* code = "usage.mass";
  CHECK_INVALID(daedalus_problem_set_mass_dense(problem, dense), code, "entry (0, 1)");
  CHECK_INVALID(daedalus_problem_set_mass_banded(problem, 0, 1, banded), code, "entry (0, 1)");
  CHECK_INVALID(daedalus_problem_set_mass_banded(problem, 2, 1, banded), "usage.pattern",
                "does not fit");
  CHECK_INVALID(daedalus_problem_set_mass_diagonal(problem, diagonal), code, "entry (1, 1)");
  CHECK_INVALID(daedalus_problem_set_mass_csc(problem, starts, rows, diagonal), code,
                "entry (1, 1)");
  CHECK_INVALID(daedalus_problem_set_mass_csc(problem, falling, rows, diagonal), "usage.pattern",
                "starts[2]");
  CHECK_INVALID(daedalus_problem_set_mass_csc(problem, NULL, rows, diagonal), "usage.argument",
                "NULL");
  CHECK_INVALID(daedalus_problem_set_mass_csc(problem, starts, NULL, diagonal), "usage.argument",
                "NULL");
  CHECK_INVALID(daedalus_problem_set_mass_dense(problem, NULL), "usage.argument", "NULL");
  daedalus_problem_free(problem);
}

static void what_does_not_fit_the_form(void) {
  const double diagonal[3] = {1, 1, 0};
  const double y0[3] = {1, 0, 0};
  daedalus_problem* problem = daedalus_problem_create_residual(3, robertson_residual, NULL);
  CHECK_INVALID(daedalus_problem_set_mass_diagonal(problem, diagonal), "usage.argument",
                "has no mass matrix");
  CHECK_INVALID(daedalus_problem_set_jacobian(problem, robertson_dense), "usage.argument",
                "daedalus_problem_set_residual_jacobian()");
  CHECK_INVALID(daedalus_problem_set_residual_jacobian(problem, NULL), "usage.argument", "NULL");
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "rodas4");
  CHECK_INVALID(daedalus_integrator_start(integrator, 0.0, 1.0, y0, NULL), "usage.method-unsuited",
                "take radau5");
  daedalus_integrator_free(integrator);
  daedalus_problem_free(problem);

  problem = daedalus_problem_create(3, robertson, NULL);
  CHECK_INVALID(daedalus_problem_set_residual_jacobian(problem, robertson_residual_dense),
                "usage.argument", "daedalus_problem_set_jacobian()");
  CHECK_INVALID(daedalus_problem_set_jacobian(problem, NULL), "usage.argument", "NULL");
  integrator = daedalus_integrator_create(problem, "radau5");
  CHECK_INVALID(daedalus_problem_set_jacobian(problem, robertson_dense), "usage.order",
                "an integrator uses this problem");
  CHECK_INVALID(daedalus_integrator_start(integrator, 0.0, 1.0, y0, y0), "usage.argument", "dydt0");
  daedalus_integrator_free(integrator);
  CHECK(daedalus_problem_set_jacobian(problem, robertson_dense) == DAEDALUS_OK);
  CHECK(daedalus_problem_set_mass_diagonal(problem, diagonal) == DAEDALUS_OK);
  integrator = daedalus_integrator_create(problem, "dopri5");
  CHECK_INVALID(daedalus_integrator_start(integrator, 0.0, 1.0, y0, NULL), "usage.method-unsuited",
                "it is explicit");
  daedalus_integrator_free(integrator);
  daedalus_problem_free(problem);
}

static void wrong_settings(void) {
  const double y0[3] = {1, 0, 0}, atol[3] = {1e-6, -1.0, 1e-6};
  const char* names[3] = {"a", "b", "c"};
  const char* incomplete[3] = {"a", NULL, "c"};
  daedalus_problem* problem = daedalus_problem_create(3, robertson, NULL);
  CHECK_INVALID(daedalus_problem_set_names(problem, NULL), "usage.argument", "NULL");
  CHECK_INVALID(daedalus_problem_set_names(problem, incomplete), "usage.argument", "variable 1");
  CHECK(daedalus_problem_set_names(problem, names) == DAEDALUS_OK);
  const size_t columns[3] = {0, 2, 3}, decreasing[2] = {2, 1};
  CHECK_INVALID(daedalus_problem_set_constant_columns(problem, NULL, 1), "usage.argument", "NULL");
  CHECK_INVALID(daedalus_problem_set_constant_columns(problem, columns, 3), "usage.argument",
                "3 cannot be entry 2");
  CHECK_INVALID(daedalus_problem_set_constant_columns(problem, decreasing, 2), "usage.argument",
                "1 cannot be entry 1");
  CHECK(daedalus_problem_set_constant_columns(problem, columns, 2) == DAEDALUS_OK);
  CHECK(daedalus_problem_set_constant_columns(problem, NULL, 0) == DAEDALUS_OK);
  daedalus_integrator* i = daedalus_integrator_create(problem, "radau5");
  CHECK_INVALID(daedalus_integrator_set_controller(i, "fuzzy"), "usage.option", "predictive");
  CHECK_INVALID(daedalus_integrator_set_controller(i, NULL), "usage.argument", "NULL");
  CHECK_INVALID(daedalus_integrator_set_norm(i, "l7"), "usage.option", "euclidean");
  CHECK_INVALID(daedalus_integrator_set_norm(i, NULL), "usage.argument", "NULL");
  CHECK_INVALID(daedalus_integrator_set_max_attempts(i, 0), "usage.option", "0 attempts");
  CHECK_INVALID(daedalus_integrator_set_tolerance_vector(i, 1e-6, NULL), "usage.argument", "NULL");
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, NULL, NULL), "usage.argument", "NULL");
  CHECK_INVALID(daedalus_integrator_start(i, 1.0, 0.0, y0, NULL), "usage.interval", "stop = 0");
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, NAN, y0, NULL), "usage.interval", "nan");

  daedalus_integrator_set_tolerances(i, -1.0, 1e-6);
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, y0, NULL), "usage.tolerance", "rtol = -1");
  daedalus_integrator_set_tolerance_vector(i, 1e-6, atol);
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, y0, NULL), "usage.tolerance", "atol of `b`");
  daedalus_integrator_set_tolerances(i, 1e-6, 1e-6);
  daedalus_integrator_set_initial_step(i, NAN);
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, y0, NULL), "usage.step", "initial step");
  daedalus_integrator_set_initial_step(i, 0.0);
  daedalus_integrator_set_max_step(i, 0.0);
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, y0, NULL), "usage.step", "max step");
  daedalus_integrator_set_max_step(i, INFINITY);
  daedalus_integrator_set_fixed_step(i, -1.0);
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, y0, NULL), "usage.step", "fixed step");

  daedalus_integrator_set_fixed_step(i, 0.1);
  daedalus_integrator_set_controller(i, "pi");
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, y0, NULL), "usage.option",
                "a fixed step of 0.1 and the controller pi contradict each other");
  daedalus_integrator_set_controller(i, "auto");
  daedalus_integrator_set_max_step(i, 0.5);
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, y0, NULL), "usage.option",
                "a max step of 0.5 contradict");
  daedalus_integrator_set_max_step(i, INFINITY);
  daedalus_integrator_set_initial_step(i, 0.5);
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, y0, NULL), "usage.option",
                "an initial step of 0.5 contradict");
  daedalus_integrator_free(i);
  i = daedalus_integrator_create(problem, "rk4");
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, y0, NULL), "usage.method-needs-step",
                "fixed step");
  daedalus_integrator_free(i);
  daedalus_problem_free(problem);
}

static int decay(double t, const double* y, double* dydt, void* user) {
  (void)t;
  (void)user;
  dydt[0] = -y[0];
  return 0;
}

static void calls_out_of_order(void) {
  double y[1];
  daedalus_statistics s;
  daedalus_problem* problem = daedalus_problem_create(1, decay, NULL);
  daedalus_integrator* i = daedalus_integrator_create(problem, "dopri5");
  CHECK_INVALID(daedalus_integrator_step(i), "usage.order", "daedalus_integrator_start()");
  CHECK_INVALID(daedalus_integrator_finish(i), "usage.order", "not been started");
  CHECK_INVALID(daedalus_integrator_advance(i, 0.5, y), "usage.order", "not been started");
  CHECK_INVALID(daedalus_integrator_interpolate(i, 0.5, y), "usage.order", "not been started");
  CHECK(isnan(daedalus_integrator_time(i)) && isnan(daedalus_integrator_step_begin(i)));
  CHECK(daedalus_integrator_state(i) == NULL);
  CHECK(daedalus_integrator_statistics(i, &s, sizeof s) == DAEDALUS_OK && s.attempts == 0);
  daedalus_integrator_free(i);
  daedalus_problem_free(problem);

  i = started(decay, "dopri5", NULL, 1.0);
  CHECK_INVALID(daedalus_integrator_interpolate(i, 0.5, y), "usage.argument", "the last step");
  CHECK(daedalus_integrator_interpolate(i, 0.0, y) == DAEDALUS_OK && y[0] == 1.0);
  CHECK_INVALID(daedalus_integrator_advance(i, 1.5, y), "usage.argument", "not between 0 and 1");
  CHECK_INVALID(daedalus_integrator_advance(i, NAN, y), "usage.argument", "nan");
  CHECK_INVALID(daedalus_integrator_advance(i, 0.5, NULL), "usage.argument", "NULL");
  CHECK_INVALID(daedalus_integrator_interpolate(i, 0.0, NULL), "usage.argument", "NULL");
  CHECK(daedalus_integrator_advance(i, 0.9, y) == DAEDALUS_OK);
  CHECK_INVALID(daedalus_integrator_advance(i, 0.0, y), "usage.argument", "what is left");
  CHECK_INVALID(daedalus_integrator_statistics(i, NULL, sizeof s), "usage.argument", "NULL");
  CHECK_INVALID(daedalus_integrator_statistics(i, &s, sizeof s + 8), "usage.argument",
                "later version");
  // None of that has disturbed the run; nor does a start that is refused.
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, -1.0, y, NULL), "usage.interval", "stop");
  CHECK(daedalus_integrator_finish(i) == DAEDALUS_FINISHED);
  CHECK_DIGITS(daedalus_integrator_state(i)[0], exp(-1.0), 5.0);
  daedalus_integrator_free(i);
}

// Makes every call that a callback must not make, on the integrator that calls it.
typedef struct caller {
  daedalus_integrator* integrator;
  int refused;  // how often
} caller;

static void call_back(caller* c, double t) {
  const double one[1] = {1.0};
  double y[1];
  daedalus_statistics s;
  daedalus_integrator* i = c->integrator;
  const char* what = "a callback has called the integrator that called it";
  if (i == NULL) return;
  CHECK_INVALID(daedalus_integrator_start(i, 0.0, 1.0, one, NULL), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_step(i), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_advance(i, 1.0, y), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_finish(i), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_interpolate(i, t, y), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_set_tolerances(i, 1e-3, 1e-3), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_set_tolerance_vector(i, 1e-3, one), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_set_initial_step(i, 0.1), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_set_max_step(i, 0.1), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_set_fixed_step(i, 0.1), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_set_max_attempts(i, 1), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_set_controller(i, "pi"), "usage.order", what);
  CHECK_INVALID(daedalus_integrator_set_norm(i, "max"), "usage.order", what);
  daedalus_integrator_free(i);
  CHECK(strstr(daedalus_error(), what) != NULL);
  CHECK(daedalus_integrator_time(i) >= 0.0 && daedalus_integrator_state(i) != NULL);
  CHECK(daedalus_integrator_step_begin(i) <= daedalus_integrator_time(i));
  CHECK(daedalus_integrator_statistics(i, &s, sizeof s) == DAEDALUS_OK);
  ++c->refused;
}

static int calling(double t, const double* y, double* dydt, void* user) {
  call_back(user, t);
  return decay(t, y, dydt, NULL);
}

static int calling_jacobian(double t, const double* y, double* values, void* user) {
  (void)y;
  call_back(user, t);
  values[0] = -1.0;
  return 0;
}

static int calling_residual(double t, const double* y, const double* dydt, double* residual,
                            void* user) {
  call_back(user, t);
  residual[0] = dydt[0] + y[0];
  return 0;
}

static int calling_residual_jacobian(double t, const double* y, const double* dydt, double a,
                                     double* values, void* user) {
  (void)y;
  (void)dydt;
  call_back(user, t);
  values[0] = a + 1.0;
  return 0;
}

// A run whose callbacks try everything ends like one whose callbacks do not.
static void a_callback_that_calls_back(const char* method, int is_residual) {
  const double one[1] = {1.0};
  double end[2], y[1];
  caller c = {NULL, 0};
  for (int tries = 0; tries < 2; ++tries) {
    daedalus_problem* problem = is_residual
                                    ? daedalus_problem_create_residual(1, calling_residual, &c)
                                    : daedalus_problem_create(1, calling, &c);
    if (is_residual) {
      daedalus_problem_set_residual_jacobian(problem, calling_residual_jacobian);
    } else {
      daedalus_problem_set_jacobian(problem, calling_jacobian);
    }
    daedalus_integrator* i = daedalus_integrator_create(problem, method);
    daedalus_problem_free(problem);
    c.integrator = tries ? i : NULL;
    CHECK(daedalus_integrator_start(i, 0.0, 1.0, one, NULL) == DAEDALUS_OK);
    CHECK(daedalus_integrator_step(i) == DAEDALUS_OK);
    CHECK(daedalus_integrator_interpolate(i, 0.5 * daedalus_integrator_time(i), y) == DAEDALUS_OK);
    CHECK(daedalus_integrator_advance(i, 0.5, y) == DAEDALUS_OK);
    CHECK(daedalus_integrator_finish(i) == DAEDALUS_FINISHED);
    CHECK(daedalus_integrator_time(i) == 1.0);
    end[tries] = daedalus_integrator_state(i)[0];
    c.integrator = NULL;
    CHECK(daedalus_integrator_set_tolerances(i, 1e-3, 1e-3) == DAEDALUS_OK);
    CHECK(daedalus_integrator_start(i, 0.0, 1.0, one, NULL) == DAEDALUS_OK);
    daedalus_integrator_free(i);
  }
  CHECK(c.refused > 5);
  CHECK(end[0] == end[1]);
}

// Calls on another integrator are allowed.
static int nesting(double t, const double* y, double* dydt, void* user) {
  (void)user;
  daedalus_integrator* inner = started(decay, "dopri5", NULL, 1.0);
  CHECK(daedalus_integrator_finish(inner) == DAEDALUS_FINISHED);
  daedalus_integrator_free(inner);
  return decay(t, y, dydt, NULL);
}

static void calls_from_callbacks(void) {
  a_callback_that_calls_back("dopri5", 0);
  a_callback_that_calls_back("radau5", 0);
  a_callback_that_calls_back("rodas4", 0);
  a_callback_that_calls_back("esdirk4", 0);
  a_callback_that_calls_back("bdf", 0);
  a_callback_that_calls_back("bdf", 1);
  a_callback_that_calls_back("rbdf64", 1);
  daedalus_integrator* i = started(nesting, "radau5", NULL, 1.0);
  CHECK(daedalus_integrator_finish(i) == DAEDALUS_FINISHED);
  CHECK_DIGITS(daedalus_integrator_state(i)[0], exp(-1.0), 5.0);
  daedalus_integrator_free(i);
}

static int grow(double t, const double* y, double* dydt, void* user) {
  (void)t;
  (void)user;
  dydt[0] = y[0] * y[0];
  return 0;
}

// y' = y^2 has no solution beyond t = 1.
static void a_run_that_fails(void) {
  double y[1];
  daedalus_integrator* i = started(grow, "dopri5", NULL, 2.0);
  CHECK(daedalus_integrator_finish(i) == DAEDALUS_FAILED);
  CHECK(strcmp(daedalus_integrator_reason(i), "step-too-small") == 0);
  CHECK(strcmp(daedalus_integrator_variable(i), "y[0]") == 0);
  CHECK(strstr(daedalus_error(), "[step-too-small]\n  hint: ") != NULL);
  CHECK_DIGITS(daedalus_integrator_time(i), 1.0, 5.0);
  CHECK(daedalus_integrator_state(i)[0] > 1e5);
  daedalus_integrator_free(i);

  i = started(grow, "dopri5", NULL, 2.0);
  CHECK(daedalus_integrator_advance(i, 1.5, y) == DAEDALUS_FAILED);
  daedalus_problem_create(0, NULL, NULL);  // another error in between
  CHECK(daedalus_integrator_advance(i, 0.5, y) == DAEDALUS_FAILED);
  CHECK(strstr(daedalus_error(), "step-too-small") != NULL);
  CHECK(daedalus_integrator_step(i) == DAEDALUS_FAILED);
  CHECK(daedalus_integrator_interpolate(i, daedalus_integrator_time(i), y) == DAEDALUS_FAILED);
  // It can be started again.
  const double one[1] = {1.0};
  CHECK(daedalus_integrator_start(i, 0.0, 0.5, one, NULL) == DAEDALUS_OK);
  CHECK(strcmp(daedalus_integrator_reason(i), "") == 0);
  CHECK(daedalus_integrator_finish(i) == DAEDALUS_FINISHED);
  CHECK_DIGITS(daedalus_integrator_state(i)[0], 2.0, 4.0);

  CHECK(daedalus_integrator_set_max_attempts(i, 3) == DAEDALUS_OK);
  CHECK(daedalus_integrator_start(i, 0.0, 0.9, one, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_finish(i) == DAEDALUS_FAILED);
  CHECK(strcmp(daedalus_integrator_reason(i), "step-limit") == 0);
  const double nothing[1] = {NAN};
  CHECK(daedalus_integrator_start(i, 0.0, 0.9, nothing, NULL) == DAEDALUS_FAILED);
  CHECK(strcmp(daedalus_integrator_reason(i), "initial-nonfinite") == 0);
  CHECK(daedalus_integrator_step(i) == DAEDALUS_FAILED);
  daedalus_integrator_free(i);
}

// The answer of a callback in its k-th call, and how often it is called after that.
typedef struct answers {
  long at;
  int answer;
  long calls;
} answers;

static int answer(answers* a) { return ++a->calls == a->at ? a->answer : 0; }

static int answering(double t, const double* y, double* dydt, void* user) {
  decay(t, y, dydt, user);
  return answer(user);
}

static int quiet(double t, const double* y, double* dydt, void* user) {
  return decay(t, y, dydt, user);
}

static int answering_jacobian(double t, const double* y, double* values, void* user) {
  (void)t;
  (void)y;
  values[0] = -1.0;
  return answer(user);
}

static int answering_residual(double t, const double* y, const double* dydt, double* residual,
                              void* user) {
  (void)t;
  residual[0] = dydt[0] + y[0];
  return answer(user);
}

static int answering_residual_jacobian(double t, const double* y, const double* dydt, double a,
                                       double* values, void* user) {
  (void)t;
  (void)y;
  (void)dydt;
  values[0] = a + 1.0;
  return answer(user);
}

static int quiet_residual(double t, const double* y, const double* dydt, double* residual,
                          void* user) {
  (void)user;
  (void)t;
  residual[0] = dydt[0] + y[0];
  return 0;
}

// The callback that answers.
typedef enum role { f_role, jacobian_role, residual_role, residual_jacobian_role } role;

static daedalus_status run_with(role who, answers* a, const char* method) {
  const double one[1] = {1.0};
  daedalus_problem* problem = who == f_role          ? daedalus_problem_create(1, answering, a)
                              : who == jacobian_role ? daedalus_problem_create(1, quiet, a)
                              : who == residual_role
                                  ? daedalus_problem_create_residual(1, answering_residual, a)
                                  : daedalus_problem_create_residual(1, quiet_residual, a);
  if (who == jacobian_role) daedalus_problem_set_jacobian(problem, answering_jacobian);
  if (who == residual_jacobian_role) {
    daedalus_problem_set_residual_jacobian(problem, answering_residual_jacobian);
  }
  daedalus_integrator* i = daedalus_integrator_create(problem, method);
  daedalus_status status = daedalus_integrator_start(i, 0.0, 1.0, one, NULL);
  if (status == DAEDALUS_OK) status = daedalus_integrator_finish(i);
  if (status == DAEDALUS_FINISHED) {
    CHECK_DIGITS(daedalus_integrator_state(i)[0], exp(-1.0), 5.0);
  }
  if (status == DAEDALUS_STOPPED) {
    CHECK(strcmp(daedalus_integrator_reason(i), "interrupted") == 0);
    CHECK(strstr(daedalus_error(), "a callback ended the run") != NULL);
    CHECK(daedalus_integrator_step(i) == DAEDALUS_STOPPED);
    // Not a property of the problem: it can be started again.
    const long calls = a->calls;
    CHECK(daedalus_integrator_start(i, 0.0, 1.0, one, NULL) == DAEDALUS_OK);
    CHECK(daedalus_integrator_finish(i) == DAEDALUS_FINISHED);
    a->calls = calls;
  }
  daedalus_integrator_free(i);
  daedalus_problem_free(problem);
  return status;
}

static void callbacks_that_stop(role who, const char* method, long last) {
  for (long at = 1; at <= last; ++at) {
    answers a = {.at = at, .answer = -7, .calls = 0};
    CHECK(run_with(who, &a, method) == DAEDALUS_STOPPED);
    CHECK(a.calls == at);
  }
}

static void callbacks_that_ask_for_a_smaller_step(void) {
  answers first = {.at = 1, .answer = 1, .calls = 0};
  CHECK(run_with(f_role, &first, "dopri5") == DAEDALUS_FAILED);
  CHECK(strstr(daedalus_error(), "f returned 1 at t = 0") != NULL);
  answers later = {.at = 9, .answer = 1, .calls = 0};
  CHECK(run_with(f_role, &later, "dopri5") == DAEDALUS_FINISHED);
  answers implicit = {.at = 9, .answer = 1, .calls = 0};
  CHECK(run_with(f_role, &implicit, "radau5") == DAEDALUS_FINISHED);
  answers jacobian = {.at = 1, .answer = 1, .calls = 0};  // then by differences
  CHECK(run_with(jacobian_role, &jacobian, "radau5") == DAEDALUS_FINISHED);
  answers residual = {.at = 20, .answer = 1, .calls = 0};
  CHECK(run_with(residual_role, &residual, "radau5") == DAEDALUS_FINISHED);
}

// x' = -1 / (2 x) reaches the edge of its domain at t = 1.
static int edge(double t, const double* y, double* dydt, void* user) {
  (void)t;
  (void)user;
  if (y[0] <= 0.0) return 5;
  dydt[0] = -0.5 / y[0];
  return 0;
}

static int edge_as_nan(double t, const double* y, double* dydt, void* user) {
  (void)t;
  (void)user;
  dydt[0] = -0.5 / sqrt(y[0] > 0.0 ? y[0] * y[0] : -1.0);
  return 0;
}

static void the_edge_of_the_domain(void) {
  const double one[1] = {1.0};
  for (int as_nan = 0; as_nan < 2; ++as_nan) {
    daedalus_integrator* i = started(as_nan ? edge_as_nan : edge, "dopri5", NULL, 2.0);
    CHECK(daedalus_integrator_set_fixed_step(i, 0.3) == DAEDALUS_OK);
    CHECK(daedalus_integrator_start(i, 0.0, 2.0, one, NULL) == DAEDALUS_OK);
    CHECK(daedalus_integrator_finish(i) == DAEDALUS_FAILED);
    CHECK(strcmp(daedalus_integrator_reason(i), "domain") == 0);
    CHECK(strstr(daedalus_error(), as_nan ? "the derivative of `y[0]` is not finite"
                                          : "f returned 5 at t = ") != NULL);
    daedalus_integrator_free(i);
  }
}

// dop853 evaluates f to interpolate.
static void a_callback_that_stops_an_interpolation(void) {
  double y[1];
  answers a = {.at = -1, .answer = -1, .calls = 0};
  daedalus_integrator* i = started(answering, "dop853", &a, 1.0);
  CHECK(daedalus_integrator_step(i) == DAEDALUS_OK);
  a.at = a.calls + 1;
  const double middle = 0.5 * daedalus_integrator_time(i);
  CHECK(daedalus_integrator_interpolate(i, middle, y) == DAEDALUS_STOPPED);
  CHECK(daedalus_integrator_step(i) == DAEDALUS_STOPPED);
  daedalus_integrator_free(i);
}

int main(void) {
  wrong_creation();
  handles_that_are_null();
  wrong_patterns();
  wrong_masses();
  what_does_not_fit_the_form();
  wrong_settings();
  calls_out_of_order();
  calls_from_callbacks();
  a_run_that_fails();
  callbacks_that_stop(f_role, "dopri5", 30);
  callbacks_that_stop(f_role, "radau5", 30);
  callbacks_that_stop(f_role, "rodas4", 30);
  callbacks_that_stop(jacobian_role, "radau5", 1);
  callbacks_that_stop(jacobian_role, "rodas4", 5);
  callbacks_that_stop(residual_role, "radau5", 20);
  callbacks_that_stop(residual_jacobian_role, "radau5", 3);
  callbacks_that_ask_for_a_smaller_step();
  the_edge_of_the_domain();
  a_callback_that_stops_an_interpolation();
  return failed_checks != 0;
}
