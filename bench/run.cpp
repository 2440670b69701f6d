#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "daedalus/methods/automatic.hpp"

namespace bench {
namespace {

using namespace daedalus;

constexpr std::size_t most_attempts = 100'000;

class Ends final : public solution::Recorder {
 public:
  solution::Recording start(double, std::span<const double>) override {
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The time that reading the clock adds to a measurement.
double cost_of_the_clock() {
  double smallest = 1.0;
  for (int i = 0; i < 1000; ++i) {
    const double begin = thread_seconds();
    smallest = std::min(smallest, thread_seconds() - begin);
  }
  return smallest;
}

double quantile(std::vector<double> values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  std::ranges::nth_element(values, values.begin() + place);
  return values[static_cast<std::size_t>(place)];
}

std::unique_ptr<integrate::Integrator> make(const std::string& method, const Task& task) {
  integrate::Options options{.start = task.t0,
                             .stop = task.t1,
                             .rtol = task.rtol,
                             .atol = {task.atol},
                             .max_attempts = most_attempts};
  if (methods::is_automatic(method)) {
    return integrate::make_automatic_integrator(task.system, std::move(options), task.find_steps)
        .value();
  }
  return integrate::make_integrator(method, task.system, std::move(options), task.steps).value();
}

}  // namespace

Runs::Runs(const std::string& method, const Task& task)
    : y0_(task.y0), integrator_(make(method, task)) {}

const Run& Runs::again() {
  Ends ends;
  run_.y = y0_;
  const solution::Outcome outcome = integrator_->run(run_.y, ends);
  const solution::Statistics& work = integrator_->statistics();
  run_.finished = outcome.finished();
  run_.steps = work.steps;
  run_.f_evals = work.f_evals;
  run_.jac_evals = work.jac_evals;
  run_.factorizations = work.factorizations;
  if (!run_.finished) run_.message = solution::reason_name(outcome.reason);
  return run_;
}

Run run_ours(const std::string& method, const Task& task) { return Runs(method, task).again(); }

Times repeat(const std::function<bool()>& run, double seconds, double too_long) {
  using Clock = std::chrono::steady_clock;
  static const double clock = cost_of_the_clock();
  std::vector<double> times, wall_times;
  double spent = 0.0;
  while (times.size() < 4 || (spent < seconds && times.size() < 400)) {
    const Clock::time_point wall = Clock::now();
    const double begin = thread_seconds();
    const bool is_good = run();
    times.push_back(std::max(0.0, thread_seconds() - begin - clock));
    wall_times.push_back(std::chrono::duration<double>(Clock::now() - wall).count());
    spent += times.back();
    if (!is_good || times.back() > too_long) break;
  }
  return {.seconds = quantile(times, 0.1),
          .median = quantile(times, 0.5),
          .wall_median = quantile(wall_times, 0.5),
          .repetitions = times.size()};
}

}  // namespace bench
