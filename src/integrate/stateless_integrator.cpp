#include "integrate/stateless_integrator.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::integrate {
namespace {

class EmptyStep final : public solution::DenseStep {
 public:
  EmptyStep(double begin, double end) : begin_(begin), end_(end) {}
  double begin() const override { return begin_; }
  double end() const override { return end_; }
  double error() const override { return 0.0; }
  std::span<const double> end_state() const override { return {}; }
  void at(double, std::span<double>) const override {}

 private:
  double begin_;
  double end_;
};

}  // namespace

StatelessIntegrator::StatelessIntegrator(const system::System& system, Options options)
    : options_(std::move(options)),
      evaluator_(system),
      norm_(0, options_.rtol, options_.atol),
      watch_(options_, evaluator_) {}

solution::Outcome StatelessIntegrator::run(std::span<double> y, solution::Recorder& recorder) {
  double t = options_.start;
  evaluator_.statistics.clear();
  watch_.start();
  if (evaluator_.derivatives(t, y, {}) == Evaluation::Undefined) return watch_.initial_nonfinite(t);
  if (recorder.start(t, y) == solution::Recording::Stop) return watch_.stopped_by_recorder(t);
  while (t < options_.stop) {
    const double h = fit_to_end(t, std::min(options_.max_step, options_.stop - t), options_);
    if (const auto ended = watch_.before_attempt(t, h, norm_, {})) return *ended;
    const double end = is_last(t, h, options_) ? options_.stop : t + h;
    watch_.accepted();
    const auto wish = recorder.step(EmptyStep(t, end));
    t = end;
    if (wish == solution::Recording::Stop) return watch_.stopped_by_recorder(t);
  }
  return watch_.finished(t);
}

}  // namespace daedalus::integrate
