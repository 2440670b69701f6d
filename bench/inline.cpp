// From model text to digits: the models of examples/bench with the methods that suit them. Prints
// the time that a whole run takes to reach 4, 6 and 8 digits, with the best method for each, and
// writes every run as a row of a CSV, in the format of harnesses that compare solvers.
//
// Steps are generated for the model and the method together, or the library's.
//
// Timed: a run of the compiled model without output rows, with an existing integrator, or including
// its construction and destruction; processor time of the thread. Compilation is reported
// separately.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "arguments.hpp"
#include "curve.hpp"
#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/step_codes.hpp"
#include "daedalus/methods/method.hpp"
#include "daedalus/problems/problem.hpp"
#include "engine/swap.hpp"
#include "run.hpp"

namespace bench {
namespace {

using namespace daedalus;

constexpr double too_long = 0.05;  // a run that takes this many seconds ends its method's curve

struct Settings {
  std::vector<std::string> models = {};  // names of problems; empty: all
  std::vector<std::string> methods = {"auto",    "rodas4", "rodas5p", "radau5", "radau9",
                                      "radau13", "radau",  "dopri5",  "dop853"};
  int loosest = 2;  // powers of ten
  int tightest = 11;
  int per_decade = 2;
  double seconds_for_each = 0.02;
  bool is_inlined = true;
  bool is_optimised = true;
  bool is_kept = true;
  std::string csv = "build-bench/inline.csv";
};

constexpr const char* usage = R"(usage: bench_inline [options]
  --models NAME,...   problems to solve, as `daedalus problems` calls them (default: all that have a model)
  --methods NAME,...  (default: auto, rodas4, rodas5p, radau5, radau9, radau13, radau, dopri5, dop853)
  --from N, --to N    relative tolerances from 10^-N to 10^-N (default: 2 and 11)
  --per-decade N      tolerances in each power of ten (default: 2)
  --seconds S         for the repetitions of each run (default: 0.02)
  --inline on|off     generated steps, or the library's (default: on)
  --optimise on|off   the optimised code of generated steps, or that which a run begins with (default: on)
  --keep on|off       one integrator for all repetitions of a run, or a new one for each (default: on)
  --csv FILE          (default: build-bench/inline.csv)
)";

// A model, compiled and initialised, and the equivalent problem.
struct Case {
  const problems::Problem* problem = nullptr;
  engine::Model model = {};
  std::vector<double> y0 = {};
  std::vector<double> values = {};  // of all symbols at the start
  double analysis = 0.0;            // seconds
  double compilation = 0.0;         // seconds
};

struct Measurement {
  double rtol = 0.0;
  Run run = {};
  double digits = 0.0;
  Times times = {};
};

using Curve = std::vector<Measurement>;       // from the loosest tolerance to the tightest
using Curves = std::map<std::string, Curve>;  // by method
using Best = std::optional<std::pair<double, std::string>>;  // seconds, method

std::optional<Settings> read_settings(int count, char** words) {
  Settings settings;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = words[i];
    if (i + 1 == count) return std::nullopt;
    const std::string_view value = words[i + 1];
    bool is_good = true;
    if (name == "--models")
      settings.models = split(value);
    else if (name == "--methods")
      settings.methods = split(value);
    else if (name == "--from")
      is_good = read_number(value, settings.loosest);
    else if (name == "--to")
      is_good = read_number(value, settings.tightest);
    else if (name == "--per-decade")
      is_good = read_number(value, settings.per_decade);
    else if (name == "--seconds")
      is_good = read_number(value, settings.seconds_for_each);
    else if (name == "--csv")
      settings.csv = value;
    else if (name == "--inline" && (value == "on" || value == "off"))
      settings.is_inlined = value == "on";
    else if (name == "--optimise" && (value == "on" || value == "off"))
      settings.is_optimised = value == "on";
    else if (name == "--keep" && (value == "on" || value == "off"))
      settings.is_kept = value == "on";
    else
      is_good = false;
    if (!is_good) return std::nullopt;
  }
  if (settings.loosest > settings.tightest) return std::nullopt;
  return settings;
}

double total(const Phases& phases, bool is_compilation) {
  double seconds = 0.0;
  for (const Phase& phase : phases) {
    if ((phase.name == "compile") == is_compilation) seconds += phase.seconds;
  }
  return seconds;
}

// Compiled without the cache. An invalid model ends the program.
Case prepare(const problems::Problem& problem, const std::string& path) {
  Case prepared{.problem = &problem, .model = engine::load(path).value()};
  prepared.analysis = total(prepared.model.phases, false);
  prepared.compilation = total(prepared.model.phases, true);
  const runtime::ModelSystem& system = *prepared.model.system;
  runtime::Start start = system.initialise(problem.t0);
  if (start.failure) throw std::runtime_error(path + " has no consistent start");
  prepared.y0 = system.states_in(start.values);
  prepared.values = std::move(start.values);
  return prepared;
}

std::string path_of(const problems::Problem& problem) {
  std::string file = problem.name;
  std::ranges::replace(file, '-', '_');
  return DAEDALUS_SOURCE_DIR "/examples/bench/" + file + ".mo";
}

std::vector<Case> prepare_all(const Settings& settings) {
  std::vector<Case> cases;
  for (const std::string& name : settings.models) {
    const problems::Problem* problem = problems::require_problem(name).value();
    cases.push_back(prepare(*problem, path_of(*problem)));
  }
  if (!settings.models.empty()) return cases;
  for (const problems::Problem& problem : problems::problems()) {
    const std::string path = path_of(problem);
    if (std::filesystem::exists(path)) cases.push_back(prepare(problem, path));
  }
  return cases;
}

struct Steps {
  std::vector<integrate::StepCode> codes = {};
  double compilation = 0.0;   // seconds, of the code that runs first
  double optimisation = 0.0;  // seconds, of the code that replaces it
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Steps generate(const Case& asked, const std::string& method, const Settings& settings);

// The code of the methods for which `auto` takes generated steps at once, as a run finds it in the
// cache.
integrate::FindSteps steps_of_members(const Case& asked, const Settings& settings) {
  if (!settings.is_inlined) return nullptr;
  return [&](const std::string& method) -> std::vector<integrate::StepCode> {
    const methods::Method found = methods::require_method(method).value();
    if (!engine::generates_at_once(asked.model.system->model(), found)) return {};
    return generate(asked, method, settings).codes;
  };
}

Steps generate(const Case& asked, const std::string& method, const Settings& settings) {
  if (methods::is_automatic(method)) {
    for (const char* member : {"tsit5", "dop853", "rodas5p", "radau"})
      steps_of_members(asked, settings)(member);
    return {};
  }
  const auto begin = std::chrono::steady_clock::now();
  Steps steps{.codes = asked.model.step_codes
                           ->find(*asked.model.system, asked.values, method, integrate::Norm::Rms)
                           .value()};
  steps.compilation = seconds_since(begin);
  if (!settings.is_optimised) return steps;
  const auto again = std::chrono::steady_clock::now();
  for (const integrate::StepCode& code : steps.codes) code.run->optimise();
  steps.optimisation = seconds_since(again);
  return steps;
}

Measurement measure(const Case& asked, const std::string& method, const Steps& steps, double rtol,
                    const Settings& settings) {
  const problems::Problem& problem = *asked.problem;
  const Task task{.system = *asked.model.system,
                  .t0 = problem.t0,
                  .t1 = problem.t1,
                  .y0 = asked.y0,
                  .rtol = rtol,
                  .atol = rtol * problem.scale,
                  .steps = steps.codes,
                  .find_steps = steps_of_members(asked, settings)};
  Measurement result{.rtol = rtol};
  std::optional<Runs> runs;
  const auto run_once = [&] {
    if (!settings.is_kept || !runs) runs.emplace(method, task);
    return runs->again().finished;
  };
  result.times = repeat(run_once, settings.seconds_for_each, too_long);
  result.run = runs->again();
  result.digits = problems::accuracy(problem, result.run.y, 0.0).mescd;
  return result;
}

Curve curve(const Case& asked, const std::string& method, const Steps& steps,
            const Settings& settings) {
  Curve points;
  const int count = (settings.tightest - settings.loosest) * settings.per_decade;
  for (int k = 0; k <= count; ++k) {
    const double rtol = std::pow(10.0, -settings.loosest - double(k) / settings.per_decade);
    points.push_back(measure(asked, method, steps, rtol, settings));
    if (points.back().times.seconds > too_long) break;
  }
  return points;
}

std::optional<double> seconds_to(double digits, const Curve& measured) {
  std::vector<Point> points;
  for (const Measurement& one : measured) {
    if (one.run.finished) points.push_back({one.digits, one.times.seconds});
  }
  return time_to(digits, points);
}

Best best(double digits, const Curves& curves) {
  Best result;
  for (const auto& [method, points] : curves) {
    const std::optional<double> seconds = seconds_to(digits, points);
    if (seconds && (!result || *seconds < result->first)) result = {*seconds, method};
  }
  return result;
}

// The names used by harnesses for solvers: A2 for detest-a2, e5_long for e5-long.
std::string harness_name(const problems::Problem& problem) {
  std::string name = problem.name;
  if (name.starts_with("detest-")) {
    name.erase(0, name.find('-') + 1);
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string csv_row(const Case& asked, const std::string& method, const Measurement& one) {
  const problems::Problem& problem = *asked.problem;
  const Run& work = one.run;
  return fmt::format(
      "{},{},{},daedalus_{},{:.6g},{:.3g},{},{:.2f},{:.2f},{:.2f},{:.2f},{},{},{},{},{},0,{}\n",
      harness_name(problem), problem.name.starts_with("detest") ? "detest" : "stiff",
      problem.size(), method, one.rtol, one.rtol * problem.scale, one.run.finished ? 0 : 1,
      one.digits, 1e6 * one.times.seconds, 1e6 * one.times.median, 1e6 * one.times.wall_median,
      one.times.repetitions, work.steps, work.f_evals, work.jac_evals, work.factorizations,
      one.run.message);
}

constexpr const char* csv_header =
    "problem,group,n,solver,rtol,atol,status,scd,cpu_best_us,cpu_med_us,wall_med_us,reps,steps,nf,"
    "njac,nlu,events,msg\n";

void print_row(const Case& asked, const Steps& longest, const Curves& curves) {
  fmt::print("| {} | {} | {:.1f} + {:.1f} + {:.0f} | {:.0f} |", asked.problem->name,
             asked.problem->size(), 1e3 * asked.analysis, 1e3 * asked.compilation,
             1e3 * longest.compilation, 1e3 * longest.optimisation);
  for (const double digits : digits_wanted) {
    const Best fastest = best(digits, curves);
    if (fastest)
      fmt::print(" {:.1f} {} |", 1e6 * fastest->first, fastest->second);
    else
      fmt::print(" - |");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

// The time of each method relative to the best of all.
void print_means(const std::vector<std::string>& methods, const std::vector<Curves>& all) {
  fmt::print(
      "\nGeometric mean of a method's time over the best one's (problems that it reaches)\n\n"
      "| method | 4 digits | 6 digits | 8 digits |\n|---|---|---|---|\n");
  for (const std::string& method : methods) {
    fmt::print("| {} |", method);
    for (const double digits : digits_wanted) {
      std::vector<double> ratios;
      for (const Curves& curves : all) {
        const std::optional<double> seconds = seconds_to(digits, curves.at(method));
        if (seconds) ratios.push_back(*seconds / best(digits, curves)->first);
      }
      if (ratios.empty())
        fmt::print(" - |");
      else
        fmt::print(" {:.2f} ({}) |", geometric_mean(ratios), ratios.size());
    }
    fmt::print("\n");
  }
}

int measure_all(const Settings& settings) {
  for (const std::string& method : settings.methods) (void)methods::require_method(method).value();
  const std::vector<Case> cases = prepare_all(settings);
  std::ofstream csv(settings.csv);
  csv << csv_header;
  fmt::print(
      "Microseconds of a run to reach 4, 6 and 8 digits, and the method\n\n"
      "| problem | n | analysis + compilation + steps of one method at most, ms | their "
      "optimisation, ms | 4 digits | 6 digits | 8 digits |\n"
      "|---|---|---|---|---|---|---|\n");
  std::vector<Curves> all;
  for (const Case& asked : cases) {
    Curves curves;
    Steps longest;  // times alone
    for (const std::string& method : settings.methods) {
      const Steps steps = settings.is_inlined ? generate(asked, method, settings) : Steps{};
      longest.compilation = std::max(longest.compilation, steps.compilation);
      longest.optimisation = std::max(longest.optimisation, steps.optimisation);
      curves[method] = curve(asked, method, steps, settings);
      for (const Measurement& one : curves[method]) csv << csv_row(asked, method, one);
    }
    print_row(asked, longest, curves);
    all.push_back(std::move(curves));
  }
  print_means(settings.methods, all);
  csv.close();
  if (csv) return 0;
  fmt::print(stderr, "bench_inline: cannot write `{}`\n", settings.csv);
  return 1;
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  const std::optional<bench::Settings> settings = bench::read_settings(count, words);
  if (!settings) {
    fmt::print(stderr, "{}", bench::usage);
    return 2;
  }
  try {
    return bench::measure_all(*settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_inline: {}\n", error.what());
    return 1;
  }
}
