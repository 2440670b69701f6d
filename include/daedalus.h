// Daedalus for C and for everything that can call C: equations as functions, integrated with any
// method of the catalogue. Plain C99. Functions that begin with daedalus_ are all that is promised.
//
// No function ends the program or throws, whatever it is given. Calls that a caller can get wrong
// return a daedalus_status, or NULL where they create something; daedalus_error() then says why.
// A handle belongs to one thread at a time, which may be another one from call to call. Several
// integrators of one problem may run at the same time if its callbacks allow that. A callback may
// ask the integrator that called it where it is (its time, its state, its statistics), and may use
// other integrators; every other call on that one is refused, daedalus_integrator_free() too:
// DAEDALUS_INVALID, and the run goes on.
#ifndef DAEDALUS_H
#define DAEDALUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct daedalus_problem daedalus_problem;
typedef struct daedalus_integrator daedalus_integrator;

// Negative: the call did not do what it was asked to.
typedef enum daedalus_status {
  DAEDALUS_OK = 0,
  DAEDALUS_FINISHED = 1,        // the run is at its end
  DAEDALUS_INVALID = -1,        // an argument, or a call out of order; nothing has changed
  DAEDALUS_FAILED = -2,         // the run cannot go on: see daedalus_integrator_reason()
  DAEDALUS_STOPPED = -3,        // a callback ended the run
  DAEDALUS_OUT_OF_MEMORY = -4,  // the run, if there was one, has ended
  DAEDALUS_INTERNAL = -5        // a defect of ours, or an exception out of a callback; likewise
} daedalus_status;

// What was wrong in the last call of this thread that returned a negative status or NULL: message,
// code in brackets and, on a line of its own, a hint what to do. Empty before the first. Valid
// until the next such call.
const char* daedalus_error(void);

// Of the library, e.g. "0.1.0".
const char* daedalus_version(void);

// The catalogue of methods for functions, from 0 to count - 1. Beyond it: NULL, 0.
size_t daedalus_method_count(void);
const char* daedalus_method_name(size_t method);
int daedalus_method_order(size_t method);        // the highest, where it varies
int daedalus_method_is_implicit(size_t method);  // then it suits stiff problems
int daedalus_method_is_adaptive(size_t method);  // otherwise it needs a fixed step

// Callbacks. They return 0 when all is well; a positive number where the equations are not defined,
// so that the integrator tries a smaller step (a Jacobian is then taken by differences); a negative
// number to end the run, after which none is called again. A result that is not finite counts as
// not defined. They must return: no longjmp out of them.
//
//   f                   dydt = f(t, y)
//   jacobian            df/dy
//   residual            residual = F(t, y, dydt)
//   residual_jacobian   dF/dy + a dF/dy'
//
// `values` arrive as zeros. They are stored as the problem's pattern says:
//   dense               entry (i, j) at values[j * size + i]
//   banded              entry (i, j) at values[j * (lower + upper + 1) + upper + i - j]; the places
//                       outside of the matrix, in two corners, are not read
//   compressed columns  in the order of `rows`
typedef int (*daedalus_f)(double t, const double* y, double* dydt, void* user);
typedef int (*daedalus_jacobian)(double t, const double* y, double* values, void* user);
typedef int (*daedalus_residual)(double t, const double* y, const double* dydt, double* residual,
                                 void* user);
typedef int (*daedalus_residual_jacobian)(double t, const double* y, const double* dydt, double a,
                                          double* values, void* user);

// A problem y' = f(t, y), with a mass matrix M y' = f(t, y), or a problem F(t, y, y') = 0. NULL
// when an argument is wrong. `user` is handed to every callback.
daedalus_problem* daedalus_problem_create(size_t size, daedalus_f f, void* user);
daedalus_problem* daedalus_problem_create_residual(size_t size, daedalus_residual residual,
                                                   void* user);

// A problem may be freed before the integrators that were made from it. NULL is allowed.
void daedalus_problem_free(daedalus_problem* problem);

// Everything below copies what it is given. A problem that an integrator uses cannot be changed:
// DAEDALUS_INVALID.

// The Jacobian of f, or of F. Without one the integrators take differences. One that is given is
// compared with a difference in one direction: at the start, after every 100 evaluations of f or F,
// and when a step fails in a way that it may be to blame for. Where differences contradict it, they
// take its place for the rest of the run, and daedalus_integrator_warning() says in which column.
daedalus_status daedalus_problem_set_jacobian(daedalus_problem* problem,
                                              daedalus_jacobian jacobian);
daedalus_status daedalus_problem_set_residual_jacobian(daedalus_problem* problem,
                                                       daedalus_residual_jacobian jacobian);

// Which entries of the Jacobian may be other than 0, of dF/dy and dF/dy' together; all of them
// unless set. This is also how a Jacobian is stored; without one, differences need only as many
// evaluations as the pattern needs colours. Compressed columns: the rows of column j are
// rows[starts[j]] to rows[starts[j + 1] - 1], increasing; starts[0] = 0.
daedalus_status daedalus_problem_set_pattern_banded(daedalus_problem* problem, size_t lower,
                                                    size_t upper);
daedalus_status daedalus_problem_set_pattern_csc(daedalus_problem* problem, const int* starts,
                                                 const int* rows);

// Variables that enter f, or F, linearly and with constant factors: `count` columns of the
// Jacobian, increasing, that are the same throughout a run. Without a given Jacobian, differences
// take them once. They are compared with a difference in one direction like a given Jacobian; where
// that contradicts one, all are taken each time, and daedalus_integrator_warning() says so.
daedalus_status daedalus_problem_set_constant_columns(daedalus_problem* problem,
                                                      const size_t* columns, size_t count);

// M of M y' = f(t, y), constant; it may be singular. Stored like a Jacobian; of the diagonal one
// only the diagonal.
daedalus_status daedalus_problem_set_mass_dense(daedalus_problem* problem, const double* values);
daedalus_status daedalus_problem_set_mass_banded(daedalus_problem* problem, size_t lower,
                                                 size_t upper, const double* values);
daedalus_status daedalus_problem_set_mass_csc(daedalus_problem* problem, const int* starts,
                                              const int* rows, const double* values);
daedalus_status daedalus_problem_set_mass_diagonal(daedalus_problem* problem, const double* values);

// A preconditioner, for methods that solve linear systems by iteration (bdf, ndf, gear, and auto
// where it takes these): it replaces x, which holds r, by an approximate solution of
// (alpha M - df/dy) x = r, or of (dF/dy + alpha dF/dy') x = r; alpha is about the reciprocal of a
// step. `prepare`, which may be NULL, is called before the first solution and again where t, y or
// alpha have changed too much: what many solutions need is made there. The products with the matrix
// are taken by differences of f or F.
typedef int (*daedalus_prepare)(double t, const double* y, double alpha, void* user);
typedef int (*daedalus_precondition)(double t, const double* y, double alpha, double* x,
                                     void* user);
daedalus_status daedalus_problem_set_preconditioner(daedalus_problem* problem,
                                                    daedalus_prepare prepare,
                                                    daedalus_precondition precondition);

// What messages call the variables; y[0], y[1], ... unless set. UTF-8, `size` of them.
daedalus_status daedalus_problem_set_names(daedalus_problem* problem, const char* const* names);

// NULL or "" as the method means "auto", which chooses methods by itself. The result is NULL when
// there is no such method. Whether it can solve this kind of problem, and with these
// settings, is told by daedalus_integrator_start().
daedalus_integrator* daedalus_integrator_create(daedalus_problem* problem, const char* method);
// NULL is allowed. In a callback of this integrator it does nothing, and daedalus_error() says so.
void daedalus_integrator_free(daedalus_integrator* integrator);

// Settings, for the runs that are started from now on; numbers are checked when a run is started.
// Unless set: rtol = atol = 1e-6, steps chosen by the error and as long as it allows, 1,000,000
// attempts, the controller "auto", the norm "rms" and the linear solver "auto". The vector of
// absolute tolerances has `size` entries. An initial or fixed step of 0 is none; a max step is
// positive, or infinite.
daedalus_status daedalus_integrator_set_tolerances(daedalus_integrator* integrator, double rtol,
                                                   double atol);
daedalus_status daedalus_integrator_set_tolerance_vector(daedalus_integrator* integrator,
                                                         double rtol, const double* atol);
daedalus_status daedalus_integrator_set_initial_step(daedalus_integrator* integrator, double step);
daedalus_status daedalus_integrator_set_max_step(daedalus_integrator* integrator, double step);
daedalus_status daedalus_integrator_set_fixed_step(daedalus_integrator* integrator, double step);
daedalus_status daedalus_integrator_set_max_attempts(daedalus_integrator* integrator,
                                                     size_t attempts);
// auto, predictive, pi, thesis
daedalus_status daedalus_integrator_set_controller(daedalus_integrator* integrator,
                                                   const char* name);
// rms, max, euclidean
daedalus_status daedalus_integrator_set_norm(daedalus_integrator* integrator, const char* name);
// Of multistep methods: direct; krylov, which is GMRES with the preconditioner of the problem, with
// incomplete factors where there is a pattern, or with neither; auto, what takes fewer operations.
daedalus_status daedalus_integrator_set_linear_solver(daedalus_integrator* integrator,
                                                      const char* name);

// Begins a run from y(t0) = y0 to t_end >= t0, and forgets an earlier one. For problems in residual
// form or with a mass matrix, dydt0 says where the search for y'(t0) begins (at 0 if NULL); for
// y' = f(t, y) it must be NULL. y0 may be the state of the run before. The same interval and
// settings as before cost no new memory.
daedalus_status daedalus_integrator_start(daedalus_integrator* integrator, double t0, double t_end,
                                          const double* y0, const double* dydt0);

// Takes one step: DAEDALUS_OK. At t_end there is none to take: DAEDALUS_FINISHED. A run that has
// failed or was stopped gives the same answer again.
daedalus_status daedalus_integrator_step(daedalus_integrator* integrator);

// Takes steps until t is reached or passed, and writes y(t). Steps are not shortened for it, and t
// may lie within the last step, so that a row of increasing times costs no more than one run.
daedalus_status daedalus_integrator_advance(daedalus_integrator* integrator, double t, double* y);

// Takes all the steps that are left: DAEDALUS_FINISHED.
daedalus_status daedalus_integrator_finish(daedalus_integrator* integrator);

// Where the run is: the end of the last step. The state has `size` entries and is valid until the
// next call that starts or steps. NaN and NULL before the first start.
double daedalus_integrator_time(const daedalus_integrator* integrator);
const double* daedalus_integrator_state(const daedalus_integrator* integrator);

// Where the last step began, and y(t) for t within it. Not after a run has failed.
double daedalus_integrator_step_begin(const daedalus_integrator* integrator);
daedalus_status daedalus_integrator_interpolate(daedalus_integrator* integrator, double t,
                                                double* y);

// A run between two of its steps, as bytes: with its settings, its interval and all that the next
// steps depend on. Where `bytes` is NULL, *size becomes their number; otherwise *size says how much
// room there is, and becomes how much of it is used. Not for a run that has failed.
daedalus_status daedalus_integrator_save(daedalus_integrator* integrator, void* bytes,
                                         size_t* size);
// Goes on where those bytes were saved, with the same steps to the last bit: in any integrator of
// the same method and an equal problem, in any thread or process, but of the same build of the
// library. What the integrator had before is forgotten; after DAEDALUS_INVALID it has it still.
daedalus_status daedalus_integrator_restore(daedalus_integrator* integrator, const void* bytes,
                                            size_t size);
// Another integrator of the same problem, with the same settings, which stands where this one does.
// NULL where there is none. They share nothing but the problem.
daedalus_integrator* daedalus_integrator_clone(daedalus_integrator* integrator);

// Why the run ended before t_end, e.g. "step-too-small", and which variable was at fault; empty
// where there is none. Valid until the next start or step.
const char* daedalus_integrator_reason(const daedalus_integrator* integrator);
const char* daedalus_integrator_variable(const daedalus_integrator* integrator);

// What is wrong with the problem although the run goes on; empty where nothing is. Valid until the
// next start. So far there is one such thing: a Jacobian, or a pattern, that differences of f or F
// contradict. The text names the column.
const char* daedalus_integrator_warning(const daedalus_integrator* integrator);

// The work of the run so far.
typedef struct daedalus_statistics {
  uint64_t steps;  // accepted
  uint64_t attempts;
  uint64_t rejected_error;     // attempts whose error was too large
  uint64_t rejected_newton;    // attempts whose stages did not converge
  uint64_t rejected_domain;    // attempts that left where the equations are defined
  uint64_t rejected_singular;  // attempts with a singular iteration matrix
  uint64_t f_evals;
  uint64_t jac_evals;
  uint64_t factorizations;
  uint64_t linear_solves;
  uint64_t newton_iterations;
  uint64_t linear_iterations;  // of GMRES, in the linear solves
} daedalus_statistics;

// `bytes` is sizeof(daedalus_statistics) where the caller was compiled: later versions may append
// counters, and a program that does not know them still runs.
daedalus_status daedalus_integrator_statistics(const daedalus_integrator* integrator,
                                               daedalus_statistics* statistics, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
