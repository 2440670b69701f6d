// Every form of problem, of Jacobian and of mass matrix, solved to digits; every way through a run.
#include <stdlib.h>

#include "check.h"
#include "daedalus.h"
#include "problems.h"

static void version_and_catalogue(void) {
  CHECK(strcmp(daedalus_version(), EXPECTED_VERSION) == 0);
  size_t found = 0;
  for (size_t k = 0; k < daedalus_method_count(); ++k) {
    CHECK(daedalus_method_name(k) != NULL);
    CHECK(daedalus_method_order(k) >= 1);
    if (strcmp(daedalus_method_name(k), "radau5") == 0) {
      ++found;
      CHECK(daedalus_method_order(k) == 5);
      CHECK(daedalus_method_is_implicit(k) && daedalus_method_is_adaptive(k));
    }
    if (strcmp(daedalus_method_name(k), "rk4") == 0) {
      ++found;
      CHECK(!daedalus_method_is_implicit(k) && !daedalus_method_is_adaptive(k));
    }
    if (strcmp(daedalus_method_name(k), "rodas4") == 0) {
      ++found;
      CHECK(daedalus_method_is_implicit(k) && daedalus_method_is_adaptive(k));
    }
  }
  CHECK(found == 3);
}

// Every method of the catalogue starts where the flags say that it can, and only there.
static void every_method_starts(void) {
  daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson, NULL);
  for (size_t k = 0; k < daedalus_method_count(); ++k) {
    daedalus_integrator* integrator = daedalus_integrator_create(problem, daedalus_method_name(k));
    const daedalus_status status =
        daedalus_integrator_start(integrator, 0.0, 1.0, robertson_start, NULL);
    CHECK(status == (daedalus_method_is_adaptive(k) ? DAEDALUS_OK : DAEDALUS_INVALID));
    if (!daedalus_method_is_adaptive(k)) {
      CHECK(daedalus_integrator_set_fixed_step(integrator, 1e-4) == DAEDALUS_OK);
      CHECK(daedalus_integrator_start(integrator, 0.0, 1.0, robertson_start, NULL) == DAEDALUS_OK);
    }
    CHECK(daedalus_integrator_step(integrator) == DAEDALUS_OK);
    daedalus_integrator_free(integrator);
  }
  daedalus_problem_free(problem);
}

// Solves Robertson's reaction in any form; the last steps are interpolated, too.
static void solve_robertson(daedalus_problem* problem, const char* method, const double* slope,
                            double digits, double* y) {
  daedalus_integrator* integrator = daedalus_integrator_create(problem, method);
  CHECK(daedalus_integrator_set_tolerances(integrator, 1e-8, 1e-12) == DAEDALUS_OK);
  CHECK(daedalus_integrator_start(integrator, 0.0, 40.0, robertson_start, slope) == DAEDALUS_OK);
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  CHECK(daedalus_integrator_time(integrator) == 40.0);
  memcpy(y, daedalus_integrator_state(integrator), 3 * sizeof *y);
  for (int i = 0; i < 3; ++i) CHECK_DIGITS(y[i], robertson_end[i], digits);
  daedalus_integrator_free(integrator);
}

static void explicit_form(void) {
  double own[3], differences[3];
  daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson, NULL);
  solve_robertson(problem, "rodas5p", NULL, 6.0, differences);
  solve_robertson(problem, "radau5", NULL, 7.0, differences);
  solve_robertson(problem, "dopri5", NULL, 7.0, differences);
  CHECK(daedalus_problem_set_jacobian(problem, robertson_dense) == DAEDALUS_OK);
  solve_robertson(problem, "rodas5p", NULL, 7.0, own);
  solve_robertson(problem, "radau5", NULL, 7.0, own);
  CHECK(memcmp(own, differences, sizeof own) != 0);
  daedalus_problem_free(problem);
}

static void mass_forms(void) {
  const double dense[9] = {1, 0, 0, 1, 1, 0, 0, 0, 0};
  // NaN fills the corners outside the matrix.
  const double banded[6] = {NAN, 1, 1, 1, 0, 0};
  const int starts[4] = {0, 1, 3, 3};
  const int rows[3] = {0, 0, 1};
  const double values[3] = {1, 1, 1};
  double y[3][3];
  for (int form = 0; form < 3; ++form) {
    daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson_dae, NULL);
    CHECK(daedalus_problem_set_jacobian(problem, robertson_dae_dense) == DAEDALUS_OK);
    daedalus_status set = DAEDALUS_INTERNAL;
    if (form == 0) set = daedalus_problem_set_mass_dense(problem, dense);
    if (form == 1) set = daedalus_problem_set_mass_banded(problem, 0, 1, banded);
    if (form == 2) set = daedalus_problem_set_mass_csc(problem, starts, rows, values);
    CHECK(set == DAEDALUS_OK);
    solve_robertson(problem, "rodas4", robertson_slope, 6.0, y[form]);
    solve_robertson(problem, "radau5", NULL, 7.0, y[form]);
    daedalus_problem_free(problem);
  }
  CHECK(memcmp(y[0], y[1], sizeof y[0]) == 0);
  CHECK(memcmp(y[0], y[2], sizeof y[0]) == 0);
}

// y[0]' separated again from (y[0]' + y[1]', y[1]', 0), so that the mass matrix is diagonal.
static int robertson_diagonal(double t, const double* y, double* dydt, void* user) {
  robertson_dae(t, y, dydt, user);
  dydt[0] = 2.0 * (dydt[0] - dydt[1]);
  return 0;
}

static void diagonal_mass(void) {
  const double diagonal[3] = {2, 1, 0};
  double y[3];
  daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson_diagonal, NULL);
  CHECK(daedalus_problem_set_mass_diagonal(problem, diagonal) == DAEDALUS_OK);
  solve_robertson(problem, "radau5", NULL, 7.0, y);
  daedalus_problem_free(problem);
}

static void residual_forms(void) {
  const int starts[4] = {0, 3, 6, 9};
  const int rows[9] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  double differences[3], y[3][3];
  daedalus_problem* problem =
      daedalus_problem_create_residual(robertson_size, robertson_residual, NULL);
  solve_robertson(problem, "radau5", NULL, 7.0, differences);
  solve_robertson(problem, "radau5", robertson_slope, 7.0, differences);
  CHECK(daedalus_problem_set_residual_jacobian(problem, robertson_residual_dense) == DAEDALUS_OK);
  solve_robertson(problem, "radau5", robertson_slope, 7.0, y[0]);
  CHECK(memcmp(y[0], differences, sizeof differences) != 0);
  CHECK(daedalus_problem_set_pattern_csc(problem, starts, rows) == DAEDALUS_OK);
  solve_robertson(problem, "radau5", robertson_slope, 7.0, y[1]);
  CHECK(daedalus_problem_set_pattern_banded(problem, 2, 2) == DAEDALUS_OK);
  CHECK(daedalus_problem_set_residual_jacobian(problem, robertson_residual_banded) == DAEDALUS_OK);
  solve_robertson(problem, "radau5", robertson_slope, 7.0, y[2]);
  CHECK(memcmp(y[0], y[1], sizeof y[0]) == 0);
  CHECK(memcmp(y[0], y[2], sizeof y[0]) == 0);
  daedalus_problem_free(problem);
}

enum { longest_line = 40 };

typedef enum storage { dense, banded, csc } storage;

// y(1) of the line that starts with ones everywhere.
static daedalus_statistics solve_line(size_t points, storage stored, int with_jacobian, double* y) {
  int starts[longest_line + 1], rows[4 * longest_line];
  line_pattern(points, starts, rows);
  daedalus_problem* problem = daedalus_problem_create(points, line, &points);
  if (stored == banded) {
    CHECK(daedalus_problem_set_pattern_banded(problem, line_lower, line_upper) == DAEDALUS_OK);
  } else if (stored == csc) {
    CHECK(daedalus_problem_set_pattern_csc(problem, starts, rows) == DAEDALUS_OK);
  }
  const daedalus_jacobian jacobians[3] = {line_dense, line_banded, line_csc};
  if (with_jacobian) {
    CHECK(daedalus_problem_set_jacobian(problem, jacobians[stored]) == DAEDALUS_OK);
  }
  double ones[longest_line];
  for (size_t i = 0; i < points; ++i) ones[i] = 1.0;
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "radau5");
  CHECK(daedalus_integrator_set_tolerances(integrator, 1e-9, 1e-9) == DAEDALUS_OK);
  CHECK(daedalus_integrator_start(integrator, 0.0, 1.0, ones, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  memcpy(y, daedalus_integrator_state(integrator), points * sizeof *y);
  daedalus_statistics statistics;
  CHECK(daedalus_integrator_statistics(integrator, &statistics, sizeof statistics) == DAEDALUS_OK);
  daedalus_integrator_free(integrator);
  daedalus_problem_free(problem);
  return statistics;
}

// Reference: the exponential of the matrix, by SciPy.
static void check_line(size_t points, const double* y) {
  if (points == 12) {
    CHECK_DIGITS(y[0], 0.3973317125065, 8.0);
    CHECK_DIGITS(y[6], 0.6849992787494, 8.0);
    CHECK_DIGITS(y[11], 0.1092970900120, 8.0);
  } else {
    CHECK_DIGITS(y[0], 0.4170421016894, 8.0);
    CHECK_DIGITS(y[20], 0.9998533165735, 8.0);
    CHECK_DIGITS(y[39], 0.1093206475865, 8.0);
  }
}

static void jacobian_forms(size_t points) {
  double y[3][longest_line], by_differences[longest_line];
  uint64_t evaluations[3];
  for (int stored = dense; stored <= csc; ++stored) {
    solve_line(points, (storage)stored, 1, y[stored]);
    check_line(points, y[stored]);
    evaluations[stored] = solve_line(points, (storage)stored, 0, by_differences).f_evals;
    check_line(points, by_differences);
  }
  CHECK(memcmp(y[banded], y[csc], points * sizeof *y[0]) == 0);
  // Up to 20 variables all of them are factored as dense matrices.
  if (points <= 20) CHECK(memcmp(y[banded], y[dense], points * sizeof *y[0]) == 0);
  CHECK(evaluations[banded] == evaluations[csc]);
  CHECK(evaluations[banded] + (points - 4) <= evaluations[dense] + 1);  // one checks the pattern
}

static void step_by_step(void) {
  daedalus_problem* problem = daedalus_problem_create(2, van_der_pol, NULL);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "radau5");
  daedalus_problem_free(problem);  // the integrator keeps it
  const double atol[2] = {1e-11, 1e-11};
  CHECK(daedalus_integrator_set_tolerance_vector(integrator, 1e-11, atol) == DAEDALUS_OK);
  CHECK(daedalus_integrator_start(integrator, 0.0, 2.0, van_der_pol_start, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_time(integrator) == 0.0);
  CHECK(daedalus_integrator_state(integrator)[1] == van_der_pol_start[1]);
  uint64_t steps = 0;
  double end = 0.0;
  daedalus_status status = daedalus_integrator_step(integrator);
  for (; status == DAEDALUS_OK; status = daedalus_integrator_step(integrator)) {
    ++steps;
    CHECK(daedalus_integrator_step_begin(integrator) == end);
    end = daedalus_integrator_time(integrator);
    CHECK(end > daedalus_integrator_step_begin(integrator));
  }
  CHECK(status == DAEDALUS_FINISHED);
  CHECK(daedalus_integrator_step(integrator) == DAEDALUS_FINISHED);
  CHECK(end == 2.0);
  CHECK_DIGITS(daedalus_integrator_state(integrator)[0], van_der_pol_end[0], 9.0);
  CHECK_DIGITS(daedalus_integrator_state(integrator)[1], van_der_pol_end[1], 9.0);
  CHECK(strcmp(daedalus_integrator_reason(integrator), "") == 0);
  CHECK(strcmp(daedalus_integrator_variable(integrator), "") == 0);

  daedalus_statistics s;
  CHECK(daedalus_integrator_statistics(integrator, &s, sizeof s) == DAEDALUS_OK);
  CHECK(s.steps == steps);
  CHECK(s.attempts ==
        s.steps + s.rejected_error + s.rejected_newton + s.rejected_domain + s.rejected_singular);
  CHECK(s.f_evals > 3 * s.attempts && s.jac_evals > 0 && s.factorizations >= s.jac_evals);
  CHECK(s.linear_solves > 0 && s.newton_iterations > 0);
  daedalus_statistics part = {0};  // an older program knows fewer counters
  CHECK(daedalus_integrator_statistics(integrator, &part, 2 * sizeof(uint64_t)) == DAEDALUS_OK);
  CHECK(part.attempts == s.attempts && part.rejected_error == 0 && part.f_evals == 0);
  daedalus_integrator_free(integrator);
}

// Diffusion along a line, without a matrix, and Thomas' elimination as its preconditioner.
enum { rod_size = 300 };
typedef struct rod {
  double pivots[rod_size];
  double alpha;
  long prepared;
} rod;

static const double rod_c = (rod_size + 1.0) * (rod_size + 1.0);

static int rod_f(double t, const double* y, double* dydt, void* user) {
  (void)t;
  (void)user;
  for (int i = 0; i < rod_size; ++i) {
    const double left = i > 0 ? y[i - 1] : 0.0, right = i + 1 < rod_size ? y[i + 1] : 0.0;
    dydt[i] = rod_c * (left - 2.0 * y[i] + right);
  }
  return 0;
}

static int rod_prepare(double t, const double* y, double alpha, void* user) {
  (void)t;
  (void)y;
  rod* r = user;
  ++r->prepared;
  r->alpha = alpha;
  for (int i = 0; i < rod_size; ++i)
    r->pivots[i] = alpha + 2.0 * rod_c - (i > 0 ? rod_c * rod_c / r->pivots[i - 1] : 0.0);
  return 0;
}

static int rod_precondition(double t, const double* y, double alpha, double* x, void* user) {
  (void)t;
  (void)y;
  const rod* r = user;
  if (alpha != r->alpha) return -1;  // not the one that was prepared
  for (int i = 1; i < rod_size; ++i) x[i] += rod_c * x[i - 1] / r->pivots[i - 1];
  for (int i = rod_size - 1; i >= 0; --i)
    x[i] = (x[i] + (i + 1 < rod_size ? rod_c * x[i + 1] : 0.0)) / r->pivots[i];
  return 0;
}

static void preconditioner(void) {
  const double pi = 3.14159265358979323846, t_end = 0.1;
  rod r = {{0.0}, 0.0, 0};
  double y0[rod_size], y[rod_size];
  for (int i = 0; i < rod_size; ++i) y0[i] = sin(pi * (i + 1) / (rod_size + 1));
  daedalus_problem* problem = daedalus_problem_create(rod_size, rod_f, &r);
  CHECK(daedalus_problem_set_preconditioner(problem, rod_prepare, rod_precondition) == DAEDALUS_OK);
  CHECK_INVALID(daedalus_problem_set_preconditioner(problem, rod_prepare, NULL), "usage.argument",
                "preconditioner is NULL");
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "bdf");
  daedalus_integrator_set_tolerances(integrator, 1e-8, 1e-10);
  CHECK_INVALID(daedalus_integrator_set_linear_solver(integrator, "kryolv"), "usage.option",
                "no linear solver");
  CHECK(daedalus_integrator_set_linear_solver(integrator, "krylov") == DAEDALUS_OK);
  CHECK(daedalus_integrator_start(integrator, 0.0, t_end, y0, NULL) == DAEDALUS_OK);
  for (int k = 0; k < 20; ++k) CHECK(daedalus_integrator_step(integrator) == DAEDALUS_OK);
  daedalus_integrator* clone = daedalus_integrator_clone(integrator);
  CHECK(clone != NULL);
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  memcpy(y, daedalus_integrator_state(integrator), sizeof y);
  CHECK(daedalus_integrator_finish(clone) == DAEDALUS_FINISHED);
  CHECK(memcmp(y, daedalus_integrator_state(clone), sizeof y) == 0);
  daedalus_integrator_free(clone);
  const double rate = rod_c * (2.0 * cos(pi / (rod_size + 1)) - 2.0);
  CHECK_DIGITS(y[rod_size / 2], exp(rate * t_end) * y0[rod_size / 2], 6.5);
  daedalus_statistics s;
  CHECK(daedalus_integrator_statistics(integrator, &s, sizeof s) == DAEDALUS_OK);
  CHECK(s.jac_evals == 0 && s.factorizations > 0 && r.prepared > 0);
  CHECK(s.linear_iterations > 0 && s.linear_iterations < 4 * s.linear_solves);
  daedalus_integrator_free(integrator);
  integrator = daedalus_integrator_create(problem, "radau5");
  daedalus_problem_free(problem);
  CHECK(daedalus_integrator_set_linear_solver(integrator, "krylov") == DAEDALUS_OK);
  CHECK_INVALID(daedalus_integrator_start(integrator, 0.0, t_end, y0, NULL),
                "usage.method-unsuited", "`radau5` does not solve linear systems by iteration");
  daedalus_integrator_free(integrator);
}

static int oscillate(double t, const double* y, double* dydt, void* user) {
  (void)t;
  ++*(long*)user;
  dydt[0] = y[1];
  dydt[1] = -y[0];
  return 0;
}

// Values at given times do not cost steps, whatever their number.
static void values_between_steps(const char* method) {
  long evaluations = 0;
  const double start[2] = {0.0, 1.0};
  double y[2];
  daedalus_problem* problem = daedalus_problem_create(2, oscillate, &evaluations);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, method);
  daedalus_integrator_set_tolerances(integrator, 1e-10, 1e-10);
  CHECK(daedalus_integrator_start(integrator, 0.0, 10.0, start, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_advance(integrator, 0.0, y) == DAEDALUS_OK);
  CHECK(y[0] == 0.0 && y[1] == 1.0 && daedalus_integrator_time(integrator) == 0.0);
  for (int k = 1; k <= 1000; ++k) {
    const double t = 0.01 * k;
    CHECK(daedalus_integrator_advance(integrator, t, y) == DAEDALUS_OK);
    CHECK(fabs(y[0] - sin(t)) < 1e-7 && fabs(y[1] - cos(t)) < 1e-7);
    CHECK(daedalus_integrator_time(integrator) >= t);
  }
  daedalus_statistics with_values, without;
  daedalus_integrator_statistics(integrator, &with_values, sizeof with_values);
  CHECK(with_values.steps < 1000);
  CHECK(daedalus_integrator_time(integrator) == 10.0);

  // The last step stays open at the end.
  const double begin = daedalus_integrator_step_begin(integrator);
  const double middle = 0.5 * (begin + 10.0);
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  CHECK(begin < 10.0);
  CHECK(daedalus_integrator_interpolate(integrator, middle, y) == DAEDALUS_OK);
  CHECK(fabs(y[0] - sin(middle)) < 1e-7);
  CHECK(daedalus_integrator_interpolate(integrator, 10.0, y) == DAEDALUS_OK);
  CHECK(y[0] == daedalus_integrator_state(integrator)[0]);
  CHECK(daedalus_integrator_interpolate(integrator, begin, y) == DAEDALUS_OK);
  CHECK(fabs(y[0] - sin(begin)) < 1e-7);

  CHECK(daedalus_integrator_start(integrator, 0.0, 10.0, start, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  daedalus_integrator_statistics(integrator, &without, sizeof without);
  CHECK(without.steps == with_values.steps && without.f_evals <= with_values.f_evals);
  daedalus_integrator_free(integrator);
  daedalus_problem_free(problem);
}

// A run that continues where another one ended, in two ways.
static void restarts(void) {
  daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson, NULL);
  daedalus_problem_set_jacobian(problem, robertson_dense);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "radau5");
  daedalus_integrator_set_tolerances(integrator, 1e-8, 1e-12);
  CHECK(daedalus_integrator_start(integrator, 0.0, 10.0, robertson_start, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  double first[3];
  memcpy(first, daedalus_integrator_state(integrator), sizeof first);
  CHECK(daedalus_integrator_start(integrator, 10.0, 40.0, daedalus_integrator_state(integrator),
                                  NULL) == DAEDALUS_OK);
  CHECK(memcmp(first, daedalus_integrator_state(integrator), sizeof first) == 0);
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  for (int i = 0; i < 3; ++i) {
    CHECK_DIGITS(daedalus_integrator_state(integrator)[i], robertson_end[i], 7.0);
  }
  // The same interval again takes the same integrator, and gives the same bits.
  double second[3];
  memcpy(second, daedalus_integrator_state(integrator), sizeof second);
  CHECK(daedalus_integrator_start(integrator, 10.0, 40.0, first, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  CHECK(memcmp(second, daedalus_integrator_state(integrator), sizeof second) == 0);
  // No time at all.
  CHECK(daedalus_integrator_start(integrator, 1.0, 1.0, first, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_step(integrator) == DAEDALUS_FINISHED);
  CHECK(memcmp(first, daedalus_integrator_state(integrator), sizeof first) == 0);
  daedalus_integrator_free(integrator);
  daedalus_problem_free(problem);
}

static uint64_t steps_of(daedalus_integrator* integrator, double t_end) {
  daedalus_statistics s;
  CHECK(daedalus_integrator_start(integrator, 0.0, t_end, robertson_start, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  CHECK(daedalus_integrator_statistics(integrator, &s, sizeof s) == DAEDALUS_OK);
  return s.steps;
}

// Each setting changes the steps as it should.
static void settings(void) {
  daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson, NULL);
  CHECK(daedalus_problem_set_jacobian(problem, robertson_dense) == DAEDALUS_OK);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "radau5");
  CHECK(daedalus_integrator_set_tolerances(integrator, 1e-6, 1e-10) == DAEDALUS_OK);
  const uint64_t usual = steps_of(integrator, 40.0);
  CHECK(usual == steps_of(integrator, 40.0));
  CHECK(daedalus_integrator_set_max_step(integrator, 0.1) == DAEDALUS_OK);
  CHECK(steps_of(integrator, 40.0) >= 400);
  CHECK(daedalus_integrator_set_max_step(integrator, INFINITY) == DAEDALUS_OK);
  CHECK(daedalus_integrator_set_initial_step(integrator, 1e-12) == DAEDALUS_OK);
  CHECK(steps_of(integrator, 40.0) > usual);
  CHECK(daedalus_integrator_set_initial_step(integrator, 0.0) == DAEDALUS_OK);
  CHECK(daedalus_integrator_set_controller(integrator, "thesis") == DAEDALUS_OK);
  CHECK(steps_of(integrator, 40.0) != usual);
  CHECK(daedalus_integrator_set_controller(integrator, "auto") == DAEDALUS_OK);
  CHECK(daedalus_integrator_set_norm(integrator, "max") == DAEDALUS_OK);
  CHECK(steps_of(integrator, 40.0) > usual);
  CHECK(daedalus_integrator_set_norm(integrator, "rms") == DAEDALUS_OK);
  CHECK(daedalus_integrator_set_fixed_step(integrator, 1e-4) == DAEDALUS_OK);
  CHECK(steps_of(integrator, 0.025) == 250);
  CHECK(daedalus_integrator_set_fixed_step(integrator, 0.0) == DAEDALUS_OK);
  CHECK(steps_of(integrator, 40.0) == usual);

  const double loose[3] = {1e-6, 1e-8, 1e-6}, tight[3] = {1e-10, 1e-10, 1e-10};
  CHECK(daedalus_integrator_set_tolerance_vector(integrator, 1e-6, loose) == DAEDALUS_OK);
  CHECK(steps_of(integrator, 40.0) < usual);
  CHECK(daedalus_integrator_set_tolerance_vector(integrator, 1e-6, tight) == DAEDALUS_OK);
  CHECK(steps_of(integrator, 40.0) == usual);

  // Settings wait for the next start.
  CHECK(daedalus_integrator_start(integrator, 0.0, 40.0, robertson_start, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_set_tolerances(integrator, 1e-12, 1e-16) == DAEDALUS_OK);
  daedalus_statistics s;
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  CHECK(daedalus_integrator_statistics(integrator, &s, sizeof s) == DAEDALUS_OK);
  CHECK(s.steps == usual);
  daedalus_integrator_free(integrator);
  daedalus_problem_free(problem);
}

// y'^2 = 1: the guess of y' decides which way y goes.
static int up_or_down(double t, const double* y, const double* dydt, double* residual, void* user) {
  (void)t;
  (void)y;
  (void)user;
  residual[0] = dydt[0] * dydt[0] - 1.0;
  return 0;
}

// The same interval and settings with another guess is another run.
static void other_slopes(void) {
  const double start[1] = {0.0}, up[1] = {1.0}, down[1] = {-1.0};
  daedalus_problem* problem = daedalus_problem_create_residual(1, up_or_down, NULL);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "bdf");
  daedalus_problem_free(problem);
  for (int k = 0; k < 4; ++k) {
    const double* slope = k % 2 == 0 ? up : down;
    CHECK(daedalus_integrator_start(integrator, 0.0, 1.0, start, slope) == DAEDALUS_OK);
    CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
    CHECK(fabs(daedalus_integrator_state(integrator)[0] - slope[0]) < 1e-6);
  }
  daedalus_integrator_free(integrator);
}

static int wrong_jacobian(double t, const double* y, double* values, void* user) {
  robertson_dense(t, y, values, user);
  values[3] = 1e6;  // row 0 of column 1
  return 0;
}

// There is a warning, and differences replace it.
static void a_wrong_jacobian(void) {
  const char* names[3] = {"A", "B", "C"};
  const char* methods[] = {"radau5", "rodas4", "bdf", "esdirk4", "rbdf64"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson, NULL);
    daedalus_problem_set_names(problem, names);
    daedalus_problem_set_jacobian(problem, wrong_jacobian);
    daedalus_integrator* integrator = daedalus_integrator_create(problem, methods[k]);
    daedalus_problem_free(problem);
    daedalus_integrator_set_tolerances(integrator, 1e-8, 1e-13);
    for (int run = 0; run < 2; ++run) {
      CHECK(daedalus_integrator_start(integrator, 0.0, 40.0, robertson_start, NULL) == DAEDALUS_OK);
      CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
      CHECK_DIGITS(daedalus_integrator_state(integrator)[0], robertson_end[0], 5.0);
      CHECK(strstr(daedalus_integrator_warning(integrator),
                   "it has 1e+06 for `B` (column 1) in equation 0, differences have") != NULL);
    }
    daedalus_integrator_free(integrator);
  }
  daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson, NULL);
  daedalus_problem_set_jacobian(problem, robertson_dense);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "rodas4");
  daedalus_problem_free(problem);
  CHECK(strcmp(daedalus_integrator_warning(integrator), "") == 0);
  CHECK(daedalus_integrator_start(integrator, 0.0, 40.0, robertson_start, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
  CHECK(strcmp(daedalus_integrator_warning(integrator), "") == 0);
  CHECK(strcmp(daedalus_integrator_warning(NULL), "") == 0);
  daedalus_integrator_free(integrator);
}

// Column 0 of Robertson's Jacobian is -0.04, 0.04, 0 everywhere; column 1 is not constant.
static void constant_columns(void) {
  const size_t columns[2] = {0, 1};
  size_t f_evals[3], jacobians[3];
  for (size_t count = 0; count < 3; ++count) {
    daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson, NULL);
    CHECK(daedalus_problem_set_constant_columns(problem, columns, count) == DAEDALUS_OK);
    daedalus_integrator* integrator = daedalus_integrator_create(problem, "radau5");
    daedalus_problem_free(problem);
    daedalus_integrator_set_tolerances(integrator, 1e-8, 1e-13);
    CHECK(daedalus_integrator_start(integrator, 0.0, 40.0, robertson_start, NULL) == DAEDALUS_OK);
    CHECK(daedalus_integrator_finish(integrator) == DAEDALUS_FINISHED);
    CHECK_DIGITS(daedalus_integrator_state(integrator)[0], robertson_end[0], 5.0);
    const char* warning = daedalus_integrator_warning(integrator);
    CHECK((strstr(warning, "the column of `y[1]` (column 1) in the Jacobian is not constant") !=
           NULL) == (count == 2));
    daedalus_statistics s;
    CHECK(daedalus_integrator_statistics(integrator, &s, sizeof s) == DAEDALUS_OK);
    f_evals[count] = s.f_evals;
    jacobians[count] = s.jac_evals;
    daedalus_integrator_free(integrator);
  }
  // One evaluation less for each Jacobian, but for the first and a few that compare.
  CHECK(jacobians[1] == jacobians[0] && f_evals[1] + jacobians[1] < f_evals[0] + 8);
}

// Two integrators of one problem, in turns.
static void two_integrators(void) {
  daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson, NULL);
  daedalus_integrator* one = daedalus_integrator_create(problem, "radau5");
  daedalus_integrator* other = daedalus_integrator_create(problem, "rodas4");
  daedalus_problem_free(problem);
  CHECK(daedalus_integrator_start(one, 0.0, 40.0, robertson_start, NULL) == DAEDALUS_OK);
  CHECK(daedalus_integrator_start(other, 0.0, 40.0, robertson_start, NULL) == DAEDALUS_OK);
  for (int k = 0; k < 5; ++k) {
    CHECK(daedalus_integrator_step(one) == DAEDALUS_OK);
    CHECK(daedalus_integrator_step(other) == DAEDALUS_OK);
  }
  CHECK(daedalus_integrator_finish(one) == DAEDALUS_FINISHED);
  daedalus_integrator_free(one);
  CHECK(daedalus_integrator_finish(other) == DAEDALUS_FINISHED);
  CHECK_DIGITS(daedalus_integrator_state(other)[0], robertson_end[0], 5.0);
  daedalus_integrator_free(other);
}

// Saved after some steps, a run goes on in another integrator, which has solved something else, and
// in a clone, to the same bits.
static void saved_runs(daedalus_problem* problem, const char* method, const double* slope) {
  daedalus_integrator* whole = daedalus_integrator_create(problem, method);
  CHECK(daedalus_integrator_set_tolerances(whole, 1e-7, 1e-11) == DAEDALUS_OK);
  CHECK(daedalus_integrator_start(whole, 0.0, 40.0, robertson_start, slope) == DAEDALUS_OK);
  for (int i = 0; i < 15; ++i) CHECK(daedalus_integrator_step(whole) == DAEDALUS_OK);
  size_t size = 0;
  CHECK(daedalus_integrator_save(whole, NULL, &size) == DAEDALUS_OK);
  CHECK(size > 100);
  char* bytes = malloc(size);
  size_t room = size - 1;
  CHECK_INVALID(daedalus_integrator_save(whole, bytes, &room), "usage.argument", "room for");
  CHECK(daedalus_integrator_save(whole, bytes, &size) == DAEDALUS_OK);
  daedalus_integrator* other = daedalus_integrator_create(problem, method);
  CHECK(daedalus_integrator_start(other, 0.0, 3.0, robertson_start, slope) == DAEDALUS_OK);
  CHECK(daedalus_integrator_step(other) == DAEDALUS_OK);
  for (size_t cut = 0; cut < size; cut += 1 + size / 40)
    CHECK_INVALID(daedalus_integrator_restore(other, bytes, cut), "usage.argument", "no bytes");
  CHECK(daedalus_integrator_restore(other, bytes, size) == DAEDALUS_OK);
  CHECK(daedalus_integrator_time(other) == daedalus_integrator_time(whole));
  daedalus_integrator* clone = daedalus_integrator_clone(whole);
  CHECK(clone != NULL);
  daedalus_integrator* const all[] = {whole, other, clone};
  double ends[3][3], inside[3][3];
  daedalus_statistics counts[3];
  for (int i = 0; i < 3; ++i) {
    CHECK(daedalus_integrator_interpolate(all[i], daedalus_integrator_step_begin(all[i]),
                                          inside[i]) == DAEDALUS_OK);
    CHECK(daedalus_integrator_finish(all[i]) == DAEDALUS_FINISHED);
    CHECK(daedalus_integrator_statistics(all[i], &counts[i], sizeof counts[i]) == DAEDALUS_OK);
    memcpy(ends[i], daedalus_integrator_state(all[i]), sizeof ends[i]);
    CHECK(memcmp(ends[i], ends[0], sizeof ends[i]) == 0);
    CHECK(memcmp(inside[i], inside[0], sizeof inside[i]) == 0);
    CHECK(memcmp(&counts[i], &counts[0], sizeof counts[i]) == 0);
  }
  for (int i = 0; i < 3; ++i) CHECK_DIGITS(ends[0][i], robertson_end[i], 5.0);
  daedalus_integrator* stranger = daedalus_integrator_create(problem, "lobatto4");
  CHECK_INVALID(daedalus_integrator_restore(stranger, bytes, size), "usage.argument", method);
  CHECK_INVALID(daedalus_integrator_save(stranger, NULL, &size), "usage.order", "not been started");
  CHECK_NULL(daedalus_integrator_clone(stranger), "usage.order", "not been started");
  daedalus_integrator_free(stranger);
  for (int i = 0; i < 3; ++i) daedalus_integrator_free(all[i]);
  free(bytes);
}

static void saved_forms(void) {
  daedalus_problem* problem = daedalus_problem_create(robertson_size, robertson, NULL);
  saved_runs(problem, "radau5", NULL);
  saved_runs(problem, "bdf", NULL);
  saved_runs(problem, "rodas4", NULL);
  daedalus_problem_free(problem);
  problem = daedalus_problem_create_residual(robertson_size, robertson_residual, NULL);
  saved_runs(problem, "bdf", robertson_slope);
  saved_runs(problem, "radau5", NULL);
  daedalus_problem_free(problem);
}

int main(void) {
  version_and_catalogue();
  every_method_starts();
  explicit_form();
  mass_forms();
  diagonal_mass();
  residual_forms();
  jacobian_forms(12);
  jacobian_forms(40);
  preconditioner();
  step_by_step();
  values_between_steps("dopri5");
  values_between_steps("dop853");
  values_between_steps("radau5");
  restarts();
  settings();
  other_slopes();
  a_wrong_jacobian();
  constant_columns();
  two_integrators();
  saved_forms();
  return failed_checks != 0;
}
