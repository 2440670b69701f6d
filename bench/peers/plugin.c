// Our methods for a harness that compares solvers: the four functions of its plugin.h, through the
// C interface, so that the measurements are those of a C program, from creating the problem to
// freeing it.
#include <plugin.h>
#include <stdio.h>
#include <string.h>

#include "daedalus.h"

enum { most_methods = 200, longest_name = 60, largest_dense = 30 };

static char names[most_methods][longest_name];
static size_t numbers[most_methods];  // in our catalogue
static int count = 0;

// Methods without an error estimate are left out: the harness asks for tolerances.
int peer_plugin_count(void) {
  if (count > 0) return count;
  for (size_t k = 0; k < daedalus_method_count() && count < most_methods; ++k) {
    if (!daedalus_method_is_adaptive(k)) continue;
    snprintf(names[count], longest_name, "daedalus_%s", daedalus_method_name(k));
    numbers[count++] = k;
  }
  return count;
}

const char* peer_plugin_name(int k) { return names[k]; }

static int f(double t, const double* y, double* dydt, void* user) {
  const peer_problem* p = user;
  p->f(p->ctx, t, y, dydt);
  return 0;
}

static int dense_jacobian(double t, const double* y, double* values, void* user) {
  const peer_problem* p = user;
  p->jac_dense(p->ctx, t, y, values);
  return 0;
}

static int csc_jacobian(double t, const double* y, double* values, void* user) {
  const peer_problem* p = user;
  p->jac_csc(p->ctx, t, y, values);
  return 0;
}

static int residual(double t, const double* y, const double* dydt, double* r, void* user) {
  const peer_problem* p = user;
  p->res(p->ctx, t, y, dydt, r);
  return 0;
}

static int residual_jacobian(double t, const double* y, const double* dydt, double a,
                             double* values, void* user) {
  const peer_problem* p = user;
  p->res_jac(p->ctx, t, y, dydt, a, values);
  return 0;
}

static daedalus_status describe_residual(const peer_problem* p, daedalus_problem** problem) {
  *problem = daedalus_problem_create_residual((size_t)p->n, residual, (void*)p);
  return daedalus_problem_set_residual_jacobian(*problem, residual_jacobian);
}

static daedalus_status describe(const peer_problem* p, daedalus_problem** problem) {
  if (p->implicit_only) return describe_residual(p, problem);
  const int is_sparse = p->n > largest_dense && p->nnz > 0;
  *problem = daedalus_problem_create((size_t)p->n, f, (void*)p);
  daedalus_status status = DAEDALUS_OK;
  if (is_sparse) status = daedalus_problem_set_pattern_csc(*problem, p->colptr, p->rowind);
  if (status == DAEDALUS_OK) {
    status = daedalus_problem_set_jacobian(*problem, is_sparse ? csc_jacobian : dense_jacobian);
  }
  if (status == DAEDALUS_OK && p->mass != NULL) {
    status = daedalus_problem_set_mass_dense(*problem, p->mass);
  }
  return status;
}

// The integrator is to be freed whatever the status is.
static daedalus_status start(int k, const peer_problem* p, double rtol, double atol,
                             daedalus_integrator** integrator) {
  daedalus_problem* problem = NULL;
  daedalus_status status = describe(p, &problem);
  if (status == DAEDALUS_OK) {
    *integrator = daedalus_integrator_create(problem, daedalus_method_name(numbers[k]));
    status = daedalus_integrator_set_tolerances(*integrator, rtol, atol);
  }
  daedalus_problem_free(problem);
  if (status != DAEDALUS_OK) return status;
  const double* slope = p->implicit_only || p->mass != NULL ? p->yp0 : NULL;
  return daedalus_integrator_start(*integrator, p->t0, p->tf, p->y0, slope);
}

static int is_in(const peer_problem* p, const char* group) { return strcmp(p->group, group) == 0; }

// Explicit methods for problems that are not stiff, implicit ones for the others, and `auto` for
// all; whether one can handle a mass matrix or a residual is determined by starting it.
int peer_plugin_supports(int k, const peer_problem* p) {
  if (is_in(p, "event")) return 0;
  const int is_automatic = strcmp(daedalus_method_name(numbers[k]), "auto") == 0;
  const int is_implicit = daedalus_method_is_implicit(numbers[k]);
  if (!is_automatic && is_implicit == is_in(p, "nonstiff")) return 0;
  if (!p->implicit_only && p->mass == NULL) return 1;
  daedalus_integrator* integrator = NULL;
  const daedalus_status status = start(k, p, 1e-6, 1e-6, &integrator);
  daedalus_integrator_free(integrator);
  return status != DAEDALUS_INVALID;
}

static void take_result(const daedalus_integrator* integrator, int n, peer_result* r) {
  daedalus_statistics work;
  daedalus_integrator_statistics(integrator, &work, sizeof work);
  memcpy(r->y, daedalus_integrator_state(integrator), (size_t)n * sizeof *r->y);
  r->steps = (long)work.steps;
  r->nf = (long)work.f_evals;
  r->njac = (long)work.jac_evals;
  r->nlu = (long)work.factorizations;
}

void peer_plugin_solve(int k, const peer_problem* p, double rtol, double atol, peer_result* r) {
  daedalus_integrator* integrator = NULL;
  daedalus_status status = start(k, p, rtol, atol, &integrator);
  if (status == DAEDALUS_OK) {
    status = daedalus_integrator_finish(integrator);
    take_result(integrator, p->n, r);
  }
  daedalus_integrator_free(integrator);
  r->status = status == DAEDALUS_FINISHED ? 0 : status;
  if (r->status == 0) return;
  // One field of a line of a CSV file.
  snprintf(r->msg, sizeof r->msg, "%.*s", (int)strcspn(daedalus_error(), "\n"), daedalus_error());
  for (char* c = r->msg; *c != '\0'; ++c) {
    if (*c == ',') *c = ';';
  }
}
