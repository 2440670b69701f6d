// SUNDIALS from Debian: CVODE with BDF and Adams, ARKODE with diagonally implicit and explicit
// pairs. Analytic Jacobians, dense or with KLU, as for our own methods.
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>

#include "solver.hpp"
#include "sundials_context.hpp"

namespace bench {
namespace {

using daedalus::problems::Kind;
using daedalus::problems::Problem;

constexpr long most_steps = 200'000;
constexpr std::size_t largest_dense = 30;

std::span<double> values(N_Vector y) {
  return {NV_DATA_S(y), static_cast<std::size_t>(NV_LENGTH_S(y))};
}

int derivatives(realtype t, N_Vector y, N_Vector dydt, void* problem) {
  static_cast<const Problem*>(problem)->functions.f(t, values(y), values(dydt));
  return 0;
}

int jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector,
             N_Vector) {
  const auto& functions = static_cast<const Problem*>(user)->functions;
  const std::size_t n = functions.size;
  if (SUNMatGetID(J) == SUNMATRIX_SPARSE) {
    std::ranges::copy(functions.pattern->starts, SM_INDEXPTRS_S(J));
    std::ranges::copy(functions.pattern->rows, SM_INDEXVALS_S(J));
    functions.jacobian(t, values(y), {SM_DATA_S(J), functions.pattern->entries()});
    return 0;
  }
  if (!functions.pattern) {
    functions.jacobian(t, values(y), {SM_DATA_D(J), n * n});
    return 0;
  }
  std::vector<double> entries(functions.pattern->entries());
  functions.jacobian(t, values(y), entries);
  for (std::size_t j = 0; j < n; ++j) {
    for (int k = functions.pattern->starts[j]; k < functions.pattern->starts[j + 1]; ++k) {
      SM_DATA_D(J)[j * n + static_cast<std::size_t>(functions.pattern->rows[k])] = entries[k];
    }
  }
  return 0;
}

void ignore(int, const char*, const char*, char*, void*) {}

// The objects for one solution; frees them all.
struct Workspace {
  explicit Workspace(const Problem& problem) {
    y = N_VNew_Serial(static_cast<sunindextype>(problem.size()), context());
    std::ranges::copy(problem.y0, NV_DATA_S(y));
  }
  void add_linear_solver(const Problem& problem) {
    const auto n = static_cast<sunindextype>(problem.size());
    if (problem.size() <= largest_dense || !problem.functions.pattern) {
      matrix = SUNDenseMatrix(n, n, context());
      linear = SUNLinSol_Dense(y, matrix, context());
      return;
    }
    const auto entries = static_cast<sunindextype>(problem.functions.pattern->entries());
    matrix = SUNSparseMatrix(n, n, entries, CSC_MAT, context());
    linear = SUNLinSol_KLU(y, matrix, context());
    SUNLinSol_KLUSetOrdering(linear, 0);  // AMD: several times faster here than its default
  }
  ~Workspace() {
    if (nonlinear != nullptr) SUNNonlinSolFree(nonlinear);
    if (linear != nullptr) SUNLinSolFree(linear);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    N_VDestroy(y);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  N_Vector y = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver nonlinear = nullptr;
};

Run result(const Workspace& workspace, int flag, long steps, long f_evals) {
  const std::span<const double> y = values(workspace.y);
  return {.finished = flag >= 0,
          .y = {y.begin(), y.end()},
          .steps = static_cast<std::size_t>(steps),
          .f_evals = static_cast<std::size_t>(f_evals)};
}

Run cvode(int formula, const Problem& problem, double rtol, double atol) {
  Workspace workspace(problem);
  void* memory = CVodeCreate(formula, context());
  CVodeSetErrHandlerFn(memory, ignore, nullptr);
  CVodeInit(memory, derivatives, problem.t0, workspace.y);
  CVodeSStolerances(memory, rtol, atol);
  CVodeSetUserData(memory, const_cast<Problem*>(&problem));
  CVodeSetMaxNumSteps(memory, most_steps);
  CVodeSetStopTime(memory, problem.t1);
  if (formula == CV_ADAMS) {
    workspace.nonlinear = SUNNonlinSol_FixedPoint(workspace.y, 0, context());
    CVodeSetNonlinearSolver(memory, workspace.nonlinear);
  } else {
    workspace.add_linear_solver(problem);
    CVodeSetLinearSolver(memory, workspace.linear, workspace.matrix);
    CVodeSetJacFn(memory, jacobian);
  }
  double t = problem.t0;
  const int flag = CVode(memory, problem.t1, workspace.y, &t, CV_NORMAL);
  long steps = 0;
  long f_evals = 0;
  CVodeGetNumSteps(memory, &steps);
  CVodeGetNumRhsEvals(memory, &f_evals);
  CVodeFree(&memory);
  return result(workspace, flag, steps, f_evals);
}

Run arkode_implicit(int order, const Problem& problem, double rtol, double atol) {
  Workspace workspace(problem);
  void* memory = ARKStepCreate(nullptr, derivatives, problem.t0, workspace.y, context());
  ARKStepSetErrHandlerFn(memory, ignore, nullptr);
  ARKStepSetOrder(memory, order);
  ARKStepSStolerances(memory, rtol, atol);
  ARKStepSetUserData(memory, const_cast<Problem*>(&problem));
  ARKStepSetMaxNumSteps(memory, most_steps);
  ARKStepSetStopTime(memory, problem.t1);
  workspace.add_linear_solver(problem);
  ARKStepSetLinearSolver(memory, workspace.linear, workspace.matrix);
  ARKStepSetJacFn(memory, jacobian);
  double t = problem.t0;
  const int flag = ARKStepEvolve(memory, problem.t1, workspace.y, &t, ARK_NORMAL);
  long steps = 0;
  long explicit_evals = 0;
  long implicit_evals = 0;
  ARKStepGetNumSteps(memory, &steps);
  ARKStepGetNumRhsEvals(memory, &explicit_evals, &implicit_evals);
  ARKStepFree(&memory);
  return result(workspace, flag, steps, implicit_evals);
}

Run arkode_explicit(int order, const Problem& problem, double rtol, double atol) {
  const Workspace workspace(problem);
  void* memory = ERKStepCreate(derivatives, problem.t0, workspace.y, context());
  ERKStepSetErrHandlerFn(memory, ignore, nullptr);
  ERKStepSetOrder(memory, order);
  ERKStepSStolerances(memory, rtol, atol);
  ERKStepSetUserData(memory, const_cast<Problem*>(&problem));
  ERKStepSetMaxNumSteps(memory, most_steps);
  ERKStepSetStopTime(memory, problem.t1);
  double t = problem.t0;
  const int flag = ERKStepEvolve(memory, problem.t1, workspace.y, &t, ARK_NORMAL);
  long steps = 0;
  long f_evals = 0;
  ERKStepGetNumSteps(memory, &steps);
  ERKStepGetNumRhsEvals(memory, &f_evals);
  ERKStepFree(&memory);
  return result(workspace, flag, steps, f_evals);
}

}  // namespace

std::vector<Solver> sundials_solvers() {
  using std::placeholders::_1;
  using std::placeholders::_2;
  using std::placeholders::_3;
  return {{"cvode-bdf", Kind::Stiff, std::bind(cvode, CV_BDF, _1, _2, _3)},
          {"arkode-dirk5", Kind::Stiff, std::bind(arkode_implicit, 5, _1, _2, _3)},
          {"cvode-adams", Kind::NonStiff, std::bind(cvode, CV_ADAMS, _1, _2, _3)},
          {"arkode-erk5", Kind::NonStiff, std::bind(arkode_explicit, 5, _1, _2, _3)},
          {"arkode-erk8", Kind::NonStiff, std::bind(arkode_explicit, 8, _1, _2, _3)}};
}

}  // namespace bench
