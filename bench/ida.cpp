// IDA with KLU on a model that is neither sorted nor torn. Works with SUNDIALS 6 and 7.
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>

#include "sundials_context.hpp"
#include "untorn.hpp"

namespace bench {
namespace {

constexpr long most_steps = 200'000;
constexpr int most_failures = 30;  // in one step; its default of 10 ends runs in their first step

int residual(double t, N_Vector y, N_Vector slope, N_Vector r, void* model) {
  static_cast<Untorn*>(model)->residual(t, NV_DATA_S(y), NV_DATA_S(slope), NV_DATA_S(r));
  return 0;
}

int jacobian(double t, double a, N_Vector y, N_Vector slope, N_Vector, SUNMatrix J, void* user,
             N_Vector, N_Vector, N_Vector) {
  Untorn& model = *static_cast<Untorn*>(user);
  std::ranges::copy(model.pattern().starts, SM_INDEXPTRS_S(J));
  std::ranges::copy(model.pattern().rows, SM_INDEXVALS_S(J));
  model.jacobian(t, a, NV_DATA_S(y), NV_DATA_S(slope), SM_DATA_S(J));
  return 0;
}

N_Vector vector_of(std::span<const double> values) {
  N_Vector result = N_VNew_Serial(static_cast<sunindextype>(values.size()), context());
  std::ranges::copy(values, NV_DATA_S(result));
  return result;
}

}  // namespace

std::string ida_version() { return SUNDIALS_VERSION; }

Run run_ida(Untorn& model, const Interval& interval, double rtol, double atol,
            const IdaChoice& choice) {
  const auto n = static_cast<sunindextype>(model.size());
  N_Vector y = vector_of(model.y0()), slope = vector_of(model.slope0());
  SUNMatrix J = SUNSparseMatrix(n, n, static_cast<sunindextype>(model.pattern().entries()), CSC_MAT,
                                context());
  SUNLinearSolver linear = SUNLinSol_KLU(y, J, context());
  SUNLinSol_KLUSetOrdering(linear, choice.ordering == Ordering::Amd ? 0 : 1);
  N_Vector id = N_VNew_Serial(n, context());
  std::ranges::copy(model.is_differential(), NV_DATA_S(id));

  void* memory = IDACreate(context());
#if SUNDIALS_VERSION_MAJOR < 7
  IDASetErrHandlerFn(memory, [](int, const char*, const char*, char*, void*) {}, nullptr);
#endif
  IDAInit(memory, residual, interval.begin, y, slope);
  IDASStolerances(memory, rtol, atol);
  IDASetUserData(memory, &model);
  IDASetMaxNumSteps(memory, most_steps);
  IDASetMaxErrTestFails(memory, most_failures);
  IDASetStopTime(memory, interval.end);
  IDASetId(memory, id);
  IDASetSuppressAlg(memory, choice.test == ErrorTest::DifferentialOnly);
  IDASetLinearSolver(memory, linear, J);
  IDASetJacFn(memory, jacobian);
  double t = interval.begin;
  const int flag = IDASolve(memory, interval.end, &t, y, slope, IDA_NORMAL);

  long steps = 0, evaluations = 0, jacobians = 0, setups = 0;
  IDAGetNumSteps(memory, &steps);
  IDAGetNumResEvals(memory, &evaluations);
  IDAGetNumJacEvals(memory, &jacobians);
  IDAGetNumLinSolvSetups(memory, &setups);
  Run run{.finished = flag >= 0,
          .y = {NV_DATA_S(y), NV_DATA_S(y) + model.state_count()},
          .steps = static_cast<std::size_t>(steps),
          .f_evals = static_cast<std::size_t>(evaluations),
          .jac_evals = static_cast<std::size_t>(jacobians),
          .factorizations = static_cast<std::size_t>(setups)};
  IDAFree(&memory);
  SUNLinSolFree(linear);
  SUNMatDestroy(J);
  for (N_Vector vector : {y, slope, id}) N_VDestroy(vector);
  return run;
}

}  // namespace bench
