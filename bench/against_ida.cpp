// With and without sorting and tearing: circuits and a drive train with many algebraic variables
// per state, solved by our methods over the compiled model, with the library's and with generated
// steps, and by IDA with KLU over the equations as written. Prints the time that each takes to
// reach 4, 6 and 8 digits, in one run; compilation is not included.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>

#include "arguments.hpp"
#include "curve.hpp"
#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/step_codes.hpp"
#include "untorn.hpp"

namespace bench {
namespace {

using namespace daedalus;

constexpr double scale = 1e-3;  // of volts and radians: atol is rtol * scale
constexpr double seconds_for_each = 0.05;
constexpr double too_long = 2.0;
constexpr std::array methods = {"radau5", "radau", "rodas4", "rodas5p", "esdirk5"};
constexpr std::array files = {"circuits/bridge_ladder.mo", "circuits/diode_clippers.mo",
                              "drives/drive_train.mo"};

// A model of one size, compiled and initialised, and the end of its run to many digits.
struct Case {
  engine::Model model = {};
  runtime::Start start = {};
  std::vector<double> y0 = {};
  double t1 = 0.0;
  std::vector<double> reference = {};
  double reference_digits = 0.0;
};

double mescd(const std::vector<double>& y, const std::vector<double>& reference) {
  double worst = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double error = std::fabs(y[i] - reference[i]) / (scale + std::fabs(reference[i]));
    worst = std::max(worst, std::isfinite(error) ? error : 1e99);
  }
  return worst > 0.0 ? std::min(16.0, -std::log10(worst)) : 16.0;
}

using Steps = std::vector<integrate::StepCode>;

Run run_method(const Case& asked, const std::string& method, double rtol, const Steps& steps = {}) {
  return run_ours(method, {.system = *asked.model.system,
                           .t1 = asked.t1,
                           .y0 = asked.y0,
                           .rtol = rtol,
                           .atol = rtol * scale,
                           .steps = steps});
}

Case prepare(const std::string& file, int n) {
  Case result{.model = engine::load(DAEDALUS_SOURCE_DIR "/examples/bench/" + file, "",
                                    {{"n", std::to_string(n)}})
                           .value()};
  const runtime::ModelSystem& system = *result.model.system;
  result.start = system.initialise(0.0);
  if (result.start.failure) throw std::runtime_error(file + " has no consistent start");
  result.y0 = system.states_in(result.start.values);
  result.t1 = result.model.experiment.stop_time.value();
  const Run reference = run_method(result, "radau", 1e-12);
  const Run other = run_method(result, "rodas5p", 1e-11);
  if (!reference.finished || !other.finished) throw std::runtime_error(file + " does not finish");
  result.reference = reference.y;
  result.reference_digits = mescd(other.y, reference.y);
  return result;
}

// Seconds to reach each number of digits.
using Reached = std::array<std::optional<double>, digits_wanted.size()>;

template <class Solve>
Reached reach(const Case& asked, const Solve& solve) {
  std::vector<Point> points;
  for (int k = 4; k <= 22; ++k) {
    const double rtol = std::pow(10.0, -k / 2.0);
    Run run;
    const auto once = [&] {
      run = solve(rtol);
      return run.finished;
    };
    const Times times = repeat(once, seconds_for_each, too_long);
    if (run.finished) points.push_back({mescd(run.y, asked.reference), times.seconds});
    if (times.seconds > too_long || (!points.empty() && points.back().digits > 9.5)) break;
  }
  Reached result;
  for (std::size_t d = 0; d < result.size(); ++d) result[d] = time_to(digits_wanted[d], points);
  return result;
}

std::string cell(const Reached& reached) {
  std::vector<std::string> words;
  for (const std::optional<double>& seconds : reached) {
    words.push_back(seconds ? fmt::format("{:.2f}", 1e3 * *seconds) : "-");
  }
  return fmt::format("{}", fmt::join(words, " / "));
}

void keep_the_faster(Reached& best, const Reached& other) {
  for (std::size_t d = 0; d < best.size(); ++d) {
    if (other[d] && (!best[d] || *other[d] < *best[d])) best[d] = other[d];
  }
}

// The ratio of the first time to the second.
std::string ratios(const Reached& slow, const Reached& fast) {
  std::vector<std::string> words;
  for (std::size_t d = 0; d < slow.size(); ++d)
    words.push_back(slow[d] && fast[d] ? fmt::format("{:.1f}", *slow[d] / *fast[d]) : "-");
  return fmt::format("{}", fmt::join(words, " / "));
}

// The row of one model.
void measure(const std::string& file, int n) {
  const Case asked = prepare(file, n);
  const runtime::ModelSystem& system = *asked.model.system;
  const Interval interval{0.0, asked.t1};
  Untorn untorn(system, interval, asked.start);
  Reached library, ours, idas;
  std::vector<std::string> cells;
  for (const char* method : methods) {
    keep_the_faster(library,
                    reach(asked, [&](double rtol) { return run_method(asked, method, rtol); }));
    const Result<Steps> steps =
        asked.model.step_codes->find(system, asked.start.values, method, integrate::Norm::Rms);
    Reached reached;  // nothing, where the model is too large for generated steps
    if (steps) {
      for (const integrate::StepCode& code : *steps) code.run->optimise();
      reached = reach(asked, [&](double rtol) { return run_method(asked, method, rtol, *steps); });
    }
    cells.push_back(cell(reached));
    keep_the_faster(ours, reached);
  }
  cells.push_back(cell(library));
  for (const ErrorTest test : {ErrorTest::AllVariables, ErrorTest::DifferentialOnly}) {
    Reached reached;
    for (const Ordering ordering : {Ordering::Amd, Ordering::Colamd}) {
      keep_the_faster(reached, reach(asked, [&](double rtol) {
                        return run_ida(untorn, interval, rtol, rtol * scale, {test, ordering});
                      }));
    }
    cells.push_back(cell(reached));
    keep_the_faster(idas, reached);
  }
  fmt::print("| {} {} | {} | {} | {:.1f} | {} | {} | {} |\n", asked.model.name, n, untorn.size(),
             system.size(), asked.reference_digits, fmt::join(cells, " | "), ratios(library, ours),
             ratios(idas, ours));
  std::fflush(stdout);
}

void print_header() {
  fmt::print(
      "Milliseconds to reach 4 / 6 / 8 digits of the states; atol = {} rtol; IDA of SUNDIALS {}\n\n"
      "| model | equations | states | digits of the reference | generated: {} | best of our "
      "library "
      "| ida | ida, algebraic variables not in its error test | our library over generated | ida "
      "over "
      "generated |\n|---|---|---|---|",
      scale, ida_version(), fmt::join(methods, " | "));
  for (std::size_t i = 0; i < methods.size() + 5; ++i) fmt::print("---|");
  fmt::print("\n");
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  std::vector<int> sizes;
  for (int i = 1; i < count; ++i) {
    int size = 0;
    if (!bench::read_number(words[i], size)) {
      fmt::print(stderr, "usage: bench_ida [SECTIONS...]   (default: 5 20 100)\n");
      return 2;
    }
    sizes.push_back(size);
  }
  if (sizes.empty()) sizes = {5, 20, 100};
  bench::print_header();
  try {
    for (const char* file : bench::files) {
      for (const int n : sizes) bench::measure(file, n);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_ida: {}\n", error.what());
    return 1;
  }
}
