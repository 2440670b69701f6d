// A buck converter over 1,000 switching periods, 3,000 events: our methods on C++ functions and on
// the model's text with generated steps, and CVODE with its root finding and CVodeReInit. Prints
// error, time and evaluations of f per event, and the time to reach 3 and 6 digits.
#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "curve.hpp"
#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/step_codes.hpp"
#include "daedalus/hybrid/run.hpp"
#include "daedalus/system/function_system.hpp"
#include "sundials_context.hpp"

namespace bench {
namespace {

using namespace daedalus;
using Vector = std::span<const double>;
using Output = std::span<double>;

// The switch is closed for 0.3 of each period; the diode stops when the current would be negative.
class Buck {
 public:
  static constexpr double period = 1e-4;
  static constexpr int periods = 1000;
  static constexpr double stop = periods * period;

  void slopes(Vector y, Output dydt) const {
    const double source = is_closed_ ? 24.0 : 0.0;
    dydt[0] = is_closed_ || conducts_ ? (source - y[1]) / 1e-4 : 0.0;
    dydt[1] = (y[0] - y[1] / 10.0) / 1e-5;
  }
  void jacobian(Output J) const {  // column by column
    J[0] = 0.0;
    J[1] = 1e5;
    J[2] = is_closed_ || conducts_ ? -1e4 : 0.0;
    J[3] = -1e4;
  }
  double margin(Vector y) const { return !is_closed_ && conducts_ ? y[0] : 1.0; }
  double next_time_event() const {
    const int passed = switched_ / 2;
    return (passed + (is_closed_ ? 0.3 : 1.0)) * period;
  }
  void toggle() {
    ++switched_;
    is_closed_ = !is_closed_;
    conducts_ = true;
  }
  void stop_conducting(Output y) {
    conducts_ = false;
    y[0] = 0.0;
  }

 private:
  bool is_closed_ = true;
  bool conducts_ = true;
  int switched_ = 0;
};

struct Result {
  std::vector<double> y = {0.0, 0.0};
  std::size_t f_evals = 0;
  std::size_t events = 0;
  bool finished = false;
};

struct Silent final : solution::Recorder {
  solution::Recording start(double, Vector) override { return solution::Recording::Continue; }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

Result ours(const std::string& method, double rtol, bool keeps_step_size = true) {
  Buck buck;
  const system::FunctionSystem system(
      {.size = 2,
       .f = [&](double, Vector y, Output dydt) { buck.slopes(y, dydt); },
       .jacobian = [&](double, Vector, Output J) { buck.jacobian(J); },
       .events =
           system::EventFunctions{
               .sources = {{"i < 0"}},
               .indicators = [&](double, Vector y, Output margins) { margins[0] = buck.margin(y); },
               .next_time_event = [&](double) { return buck.next_time_event(); },
               .settle = [&](const system::Instant& at, Output y) -> system::Settling {
                 if (!at.crossed.empty()) buck.stop_conducting(y);
                 if (at.is_time_event) buck.toggle();
                 return {.is_new_motion = !at.is_end, .iterations = 1};
               }}});
  const auto integrator = integrate::make_integrator(
      method, system, {.stop = Buck::stop, .rtol = rtol, .atol = {rtol}});
  Silent recorder;
  Result result;
  const hybrid::Options options{
      .stop = Buck::stop, .rtol = rtol, .atol = {rtol}, .keeps_step_size = keeps_step_size};
  const auto outcome = hybrid::run({**integrator, system, options, recorder}, result.y);
  result.finished = outcome.finished();
  result.f_evals = (*integrator)->statistics().f_evals;
  result.events = (*integrator)->statistics().events.instants;
  return result;
}

constexpr const char* text = R"(model Buck
  parameter Real T = 1e-4;
  Real i(start = 0, fixed = true), u(start = 0, fixed = true);
  discrete Real begin(start = 0);
  Boolean closed, conducts;
equation
  when sample(0, T) then
    begin = time;
  end when;
  closed = time < begin + 0.3 * T;
  conducts = closed or i > 0;
  1e-4 * der(i) = if closed then 24 - u elseif conducts then -u else 0;
  1e-5 * der(u) = i - u / 10;
end Buck;
)";

// A compiled model with its start values.
struct FromText {
  FromText()
      : model(engine::compile(engine::analyse_text(text, "buck.mo", "").value()).value()),
        start(model.system->initialise(0.0)),
        y0(model.system->states_in(start.values)) {}

  std::vector<integrate::StepCode> codes(const std::string& method) const {
    auto codes =
        model.step_codes->find(*model.system, start.values, method, integrate::Norm::Rms).value();
    for (const integrate::StepCode& code : codes) code.run->optimise();
    return codes;
  }

  engine::Model model;
  runtime::Start start;
  std::vector<double> y0;
};

Result generated(const FromText& buck, const std::string& method,
                 std::span<const integrate::StepCode> codes, double rtol) {
  const auto integrator = integrate::make_integrator(
      method, *buck.model.system, {.stop = Buck::stop, .rtol = rtol, .atol = {rtol}}, codes);
  system::Held held = buck.start.held;
  (*integrator)->hold(held);
  Silent recorder;
  Result result{.y = buck.y0};
  const hybrid::Options options{.stop = Buck::stop, .rtol = rtol, .atol = {rtol}};
  const auto outcome = hybrid::run({**integrator, *buck.model.system, options, recorder}, result.y);
  result.finished = outcome.finished();
  result.f_evals = (*integrator)->statistics().f_evals;
  result.events = (*integrator)->statistics().events.instants;
  return result;
}

Vector values(N_Vector y) { return {NV_DATA_S(y), 2}; }
int cvode_slopes(realtype, N_Vector y, N_Vector dydt, void* buck) {
  static_cast<const Buck*>(buck)->slopes(values(y), {NV_DATA_S(dydt), 2});
  return 0;
}
int cvode_jacobian(realtype, N_Vector, N_Vector, SUNMatrix J, void* buck, N_Vector, N_Vector,
                   N_Vector) {
  static_cast<const Buck*>(buck)->jacobian({SM_DATA_D(J), 4});
  return 0;
}
int cvode_margin(realtype, N_Vector y, realtype* margin, void* buck) {
  *margin = static_cast<const Buck*>(buck)->margin(values(y));
  return 0;
}

Result cvode(int formula, double rtol) {
  Buck buck;
  Result result;
  N_Vector y = N_VNew_Serial(2, context());
  N_VConst(0.0, y);
  void* memory = CVodeCreate(formula, context());
  CVodeInit(memory, cvode_slopes, 0.0, y);
  CVodeSStolerances(memory, rtol, rtol);
  CVodeSetUserData(memory, &buck);
  CVodeSetMaxNumSteps(memory, 1'000'000);
  CVodeRootInit(memory, 1, cvode_margin);
  SUNMatrix matrix = SUNDenseMatrix(2, 2, context());
  SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context());
  SUNNonlinearSolver fixed_point = SUNNonlinSol_FixedPoint(y, 0, context());
  if (formula == CV_ADAMS) {
    CVodeSetNonlinearSolver(memory, fixed_point);
  } else {
    CVodeSetLinearSolver(memory, linear, matrix);
    CVodeSetJacFn(memory, cvode_jacobian);
  }
  double t = 0.0;
  int flag = 0;
  long f_evals = 0;
  while (flag >= 0 && t < Buck::stop) {
    const double next = std::min(buck.next_time_event(), Buck::stop);
    CVodeSetStopTime(memory, next);
    flag = CVode(memory, next, y, &t, CV_NORMAL);
    long since_restart = 0;
    CVodeGetNumRhsEvals(memory, &since_restart);
    f_evals += since_restart;
    if (flag == CV_ROOT_RETURN) {
      buck.stop_conducting({NV_DATA_S(y), 2});
    } else {
      t = next;
      buck.toggle();
    }
    ++result.events;
    CVodeReInit(memory, t, y);
  }
  std::ranges::copy(values(y), result.y.begin());
  result.f_evals = static_cast<std::size_t>(f_evals);
  result.finished = flag >= 0;
  SUNNonlinSolFree(fixed_point);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  CVodeFree(&memory);
  return result;
}

// The shortest of at least five runs, which take a minimum time together: single runs are short.
double seconds_of(const std::function<Result(double)>& solve, double rtol, Result& result) {
  constexpr double a_while = 0.2;
  double shortest = 1e300, all = 0.0;
  for (int repetition = 0; repetition < 5 || all < a_while; ++repetition) {
    const auto begin = std::chrono::steady_clock::now();
    result = solve(rtol);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    shortest = std::min(shortest, taken.count());
    all += taken.count();
  }
  return shortest;
}

void measure(const std::string& name, const std::function<Result(double)>& solve,
             const std::vector<double>& reference) {
  std::vector<Point> points;
  for (int exponent = 1; exponent <= 10; ++exponent) {
    const double rtol = std::pow(10.0, -exponent);
    Result result;
    const double seconds = seconds_of(solve, rtol, result);
    if (!result.finished) continue;
    const double error =
        std::max(std::abs(result.y[0] - reference[0]), std::abs(result.y[1] - reference[1])) /
        reference[1];
    points.push_back({-std::log10(std::max(error, 1e-16)), seconds});
    const auto events = static_cast<double>(result.events);
    fmt::print("| {} | {:.0e} | {:.1e} | {} | {:.2f} | {:.1f} |\n", name, rtol, error,
               result.events, 1e6 * seconds / events, static_cast<double>(result.f_evals) / events);
  }
  for (const double digits : {3.0, 6.0}) {
    const std::optional<double> seconds = time_to(digits, points);
    if (seconds)
      fmt::print("| {} | {} digits | | | {:.2f} | |\n", name, digits, 1e6 * *seconds / 3000);
  }
}

}  // namespace
}  // namespace bench

int main() {
  using namespace bench;
  const std::vector<double> reference = ours("dop853", 1e-13).y;
  fmt::print(
      "| solver | rtol | error | events | us / event | f / event |\n|---|---|---|---|---|---|\n");
  for (const char* method : {"dopri5", "tsit5", "verner65", "dop853", "radau5", "rodas5p"}) {
    measure(method, [method](double rtol) { return ours(method, rtol); }, reference);
  }
  for (const std::string method : {"dopri5", "dop853", "radau5", "rodas5p"}) {
    const auto solve = [&](double rtol) { return ours(method, rtol, false); };
    measure(method + " restarted afresh", solve, reference);
  }
  const FromText buck;
  for (const std::string method : {"dopri5", "tsit5", "verner65", "dop853", "rodas4", "taylor6",
                                   "taylor8", "taylor10", "taylor12"}) {
    const std::vector<integrate::StepCode> codes = buck.codes(method);
    const auto solve = [&](double rtol) { return generated(buck, method, codes, rtol); };
    measure(method + " from text", solve, reference);
  }
  measure("cvode-bdf", [](double rtol) { return cvode(CV_BDF, rtol); }, reference);
  measure("cvode-adams", [](double rtol) { return cvode(CV_ADAMS, rtol); }, reference);
}
