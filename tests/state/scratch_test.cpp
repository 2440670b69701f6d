// Evaluations depend on their arguments, not on the contents of the scratch: with a new one for
// every call, runs have the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/hybrid/run.hpp"
#include "daedalus/integrate/integrator.hpp"

namespace daedalus {
namespace {

using system::Context;
using system::Evaluation;
using system::Held;
using system::Scratch;

// The scratch of the last call, so that its results can be read.
struct LastScratch final : Scratch {
  std::unique_ptr<Scratch> last;
};

Scratch& fresh(const system::System& system, Scratch& scratch) {
  auto& own = static_cast<LastScratch&>(scratch);
  own.last = system.make_scratch();
  return *own.last;
}
Context fresh(const system::System& system, const Context& context) {
  return {context.held, fresh(system, context.scratch)};
}
const Scratch& last(const Scratch& scratch) {
  return *static_cast<const LastScratch&>(scratch).last;
}

class FreshEvents final : public system::Events {
 public:
  FreshEvents(const system::System& system, const system::Events& inner)
      : system_(system), inner_(inner) {}

  std::size_t indicator_count() const override { return inner_.indicator_count(); }
  Evaluation indicators(double t, std::span<const double> y, std::span<double> margins,
                        const Context& context) const override {
    return inner_.indicators(t, y, margins, fresh(system_, context));
  }
  void watch_all(Held& held) const override { inner_.watch_all(held); }
  bool is_idle(const Held& held) const override { return inner_.is_idle(held); }
  system::EventSource indicator_source(std::size_t i) const override {
    return inner_.indicator_source(i);
  }
  double next_time_event(double t, const Held& held) const override {
    return inner_.next_time_event(t, held);
  }
  std::size_t time_source_count() const override { return inner_.time_source_count(); }
  system::EventSource time_source(std::size_t i) const override { return inner_.time_source(i); }
  system::Settling settle(const system::Instant& at, std::span<double> y, Held& held,
                          Scratch& scratch, system::Report* report) const override {
    return inner_.settle(at, y, held, fresh(system_, scratch), report);
  }
  system::Settling check(double t, std::span<const double> y, Held& held,
                         Scratch& scratch) const override {
    return inner_.check(t, y, held, fresh(system_, scratch));
  }
  double watched_value(std::size_t i, const Held& held) const override {
    return inner_.watched_value(i, held);
  }

 private:
  const system::System& system_;
  const system::Events& inner_;
};

class FreshSystem final : public system::System {
 public:
  explicit FreshSystem(const runtime::ModelSystem& inner) : inner_(inner) {
    if (inner.events() != nullptr) events_.emplace(inner, *inner.events());
  }

  std::size_t size() const override { return inner_.size(); }
  std::string variable_name(std::size_t i) const override { return inner_.variable_name(i); }
  std::unique_ptr<Scratch> make_scratch() const override {
    auto scratch = std::make_unique<LastScratch>();
    scratch->last = inner_.make_scratch();
    return scratch;
  }
  Held make_held() const override { return inner_.make_held(); }
  Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                         const Context& context) const override {
    return inner_.derivatives(t, y, dydt, fresh(inner_, context));
  }
  bool depends_on_time() const override { return inner_.depends_on_time(); }
  bool finds_nonfinite() const override { return inner_.finds_nonfinite(); }
  const linalg::Sparsity* jacobian_pattern() const override { return inner_.jacobian_pattern(); }
  bool has_jacobian() const override { return inner_.has_jacobian(); }
  Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                      const Context& context) const override {
    return inner_.jacobian(t, y, values, fresh(inner_, context));
  }
  std::span<const double> values(const Scratch& scratch) const override {
    return inner_.values(last(scratch));
  }
  void show(const Held& held, std::span<double> values) const override {
    inner_.show(held, values);
  }
  std::span<const std::uint32_t> guesses() const override { return inner_.guesses(); }
  void hold_guesses(double t, std::span<const double> found, Held& held) const override {
    inner_.hold_guesses(t, found, held);
  }
  const system::Events* events() const override { return events_ ? &*events_ : nullptr; }
  system::Fault why_undefined(const Scratch& scratch) const override {
    return inner_.why_undefined(last(scratch));
  }

 private:
  const runtime::ModelSystem& inner_;
  std::optional<FreshEvents> events_;
};

// Records the ends of all steps and what is held there, as bits.
class Bits final : public solution::Recorder {
 public:
  explicit Bits(const Held& held) : held_(held) {}
  solution::Recording start(double t, std::span<const double> y) override { return add(t, y); }
  solution::Recording step(const solution::DenseStep& step) override {
    return add(step.end(), step.end_state());
  }
  solution::Recording event(double t, std::span<const double> y) override { return add(t, y); }

  std::vector<double> all;

 private:
  solution::Recording add(double t, std::span<const double> y) {
    all.push_back(t);
    all.insert(all.end(), y.begin(), y.end());
    all.insert(all.end(), held_.numbers().begin(), held_.numbers().end());
    return all.size() < 4'000'000 ? solution::Recording::Continue : solution::Recording::Stop;
  }
  const Held& held_;
};

std::vector<double> run(const system::System& system, const runtime::Start& start,
                        std::vector<double> y, const std::string& method, double stop) {
  Held held = start.held;
  const integrate::Options options{
      .stop = stop, .rtol = 1e-5, .atol = {1e-8}, .max_attempts = 3000};
  const auto integrator = integrate::make_integrator(method, system, options).value();
  integrator->hold(held);
  Bits bits(held);
  const hybrid::Options with_events{.stop = stop, .rtol = 1e-5, .atol = {1e-8}};
  hybrid::run({*integrator, system, with_events, bits}, y);
  return bits.all;
}

std::vector<std::string> examples() {
  std::vector<std::string> files;
  for (const char* folder :
       {"examples", "examples/hybrid", "examples/bench/circuits", "examples/bench/drives"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("{}/{}", DAEDALUS_SOURCE_DIR, folder)))
      if (entry.path().extension() == ".mo") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

class EveryExample : public testing::TestWithParam<std::string> {};

TEST_P(EveryExample, HasTheSameBitsWithANewScratchForEveryCall) {
  const engine::Model model = engine::load(GetParam()).value();
  const runtime::ModelSystem& system = *model.system;
  const runtime::Start start = system.initialise(0.0);
  ASSERT_FALSE(start.failure);
  const double stop = model.experiment.stop_time.value_or(1.0);
  const std::vector<double> y = system.states_in(start.values);
  for (const char* method : {"radau5", "dopri5", "bdf", "rodas4", "esdirk4"}) {
    const std::vector<double> usual = run(system, start, y, method, stop);
    const std::vector<double> other = run(FreshSystem(system), start, y, method, stop);
    ASSERT_EQ(usual.size(), other.size()) << method;
    EXPECT_EQ(std::memcmp(usual.data(), other.data(), usual.size() * sizeof(double)), 0) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Scratch, EveryExample, testing::ValuesIn(examples()), [](const auto& one) {
  return std::filesystem::path(one.param).stem().string();
});

}  // namespace
}  // namespace daedalus
