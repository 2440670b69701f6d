#include "steps/dynamics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/integrate/step_code.hpp"
#include "daedalus/runtime/model_system.hpp"
#include "steps/test_support.hpp"

namespace daedalus::steps {
namespace {

constexpr const char* linear_loop = R"(
model LinearLoop "three loops of currents, whose resistances depend on states and time"
  Real x(start = 0.3, fixed = true), y(start = -0.2, fixed = true), z(start = 0.5, fixed = true);
  Real a, b, c;
equation
  (2 + x) * a + sin(y) * b + 0.3 * c = cos(time) + z;
  y * a + (3 + time) * b - z * c = x;
  0.2 * a + x * y * b + (2 + y^2) * c = 1;
  der(x) = -x + a * b;
  der(y) = c - y;
  der(z) = a - z * time;
end LinearLoop;
)";

constexpr const char* nonlinear_loop = R"(
model NonlinearLoop "a diode with a resistance in front of it"
  Real x(start = 0.3, fixed = true), y(start = 0.1, fixed = true);
  Real u(start = 0.1), v(start = 0.1);
equation
  0.1 * (exp(3 * u) - 1) + u * v = x - u + 0.2 * sin(5 * time);
  v + 0.3 * tanh(u + v) = y;
  der(x) = -u - x;
  der(y) = v * x - y;
end NonlinearLoop;
)";

constexpr const char* explicit_model = R"(
model Explicit "nothing to solve, and a forced oscillation"
  Real x(start = 0.5, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x^3 - 0.1 * v + exp(-time) * cos(2 * time);
end Explicit;
)";

// A model next to a program that evaluates it.
class Evaluated {
 public:
  explicit Evaluated(const std::string& text) {
    structure::StructuredModel model =
        *engine::analyse_text(text, "model.mo", "").value().structured;
    Phases phases;
    system_ = engine::compile_system(model, phases).value();
    scratch_ = system_->make_scratch();
    runtime::Start found = system_->initialise(0.0);
    if (found.failure) throw std::runtime_error("no start");
    held_ = std::move(found.held);
    const std::span<const double> start = found.values;
    write(model, start);
    frame_.assign(symbol_count_, 0.0);
    std::ranges::copy(start, frame_.begin());
    arena_ = std::move(model.flat.arena);
  }

  std::size_t size() const { return system_->size(); }
  const std::vector<structure::Entry>& pattern() const { return pattern_; }

  // By the program; guesses of loops are kept from call to call.
  void run(double t, std::span<const double> y) {
    frame_[t_] = t;
    std::ranges::copy(y, frame_.begin() + static_cast<std::ptrdiff_t>(y_));
    frame_ = steps::run(arena_, procedure_, frame_);
  }
  double f(std::size_t i) const { return frame_[f_ + i]; }
  double jacobian(std::size_t k) const { return frame_[jacobian_ + k]; }
  double in_time(std::size_t i) const { return has_time_ ? frame_[in_time_ + i] : 0.0; }
  double trouble() const { return frame_[trouble_]; }
  double& guess(std::size_t i) { return frame_[index(guesses_[i])]; }

  // By the model's own code.
  std::vector<double> derivatives(double t, std::span<const double> y) {
    std::vector<double> dydt(size());
    EXPECT_EQ(system_->derivatives(t, y, dydt, {held_, *scratch_}), system::Evaluation::Defined);
    return dydt;
  }
  std::vector<double> dense_jacobian(double t, std::span<const double> y) {
    const linalg::Sparsity& pattern = *system_->jacobian_pattern();
    std::vector<double> values(pattern.entries()), dense(size() * size(), 0.0);
    EXPECT_EQ(system_->jacobian(t, y, values, {held_, *scratch_}), system::Evaluation::Defined);
    for (std::size_t j = 0; j < size(); ++j) {
      for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
        const std::size_t at = static_cast<std::size_t>(k);
        dense[static_cast<std::size_t>(pattern.rows[at]) * size() + j] = values[at];
      }
    }
    return dense;
  }

 private:
  void write(structure::StructuredModel& model, std::span<const double> start) {
    const std::size_t n = model.states.size();
    Dynamics dynamics(model, start);
    Writer writer(model.flat.arena, model.symbol_count);
    t_ = writer.make_places(1);
    y_ = writer.make_places(n);
    f_ = writer.make_places(n);
    jacobian_ = writer.make_places(dynamics.pattern().size());
    in_time_ = writer.make_places(n);
    trouble_ = writer.make_places(1);
    const Term t = writer.symbol(t_);
    const Vector y = writer.symbols(y_, n);
    writer.assign(f_, dynamics.derivatives(writer, t, y));
    const Linearisation found = dynamics.linearise(writer, t, y);
    writer.assign(jacobian_, found.jacobian);
    has_time_ = !found.in_time.empty();
    writer.assign(in_time_, found.in_time);
    Term trouble = writer.constant(0.0);
    for (const Term term : dynamics.troubles()) trouble = max(trouble, term);
    writer.assign(trouble_, trouble);
    pattern_ = dynamics.pattern();
    guesses_ = dynamics.guesses();
    procedure_ = writer.finish();
    symbol_count_ = model.symbol_count;
  }

  std::unique_ptr<runtime::ModelSystem> system_;
  std::unique_ptr<system::Scratch> scratch_;
  system::Held held_;
  expr::Arena arena_;
  structure::Procedure procedure_;
  std::vector<structure::Entry> pattern_;
  std::vector<SymbolId> guesses_;
  std::size_t symbol_count_ = 0, t_ = 0, y_ = 0, f_ = 0, jacobian_ = 0, in_time_ = 0, trouble_ = 0;
  bool has_time_ = false;
  std::vector<double> frame_;
};

void expect_near(double a, double b, double relative, const std::string& what) {
  EXPECT_NEAR(a, b, relative * std::max(1.0, std::abs(b))) << what;
}

class DynamicsTest : public testing::TestWithParam<const char*> {};

// Iterations in loops end where their corrections are below 1e-8, which leaves an error of about
// its square.
TEST_P(DynamicsTest, AgreesWithTheCompiledModel) {
  Evaluated model(GetParam());
  std::vector<double> y(model.size());
  for (int point = 0; point < 6; ++point) {
    const double t = 0.3 * point;
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = 0.4 * std::sin(point + 2.0 * static_cast<double>(i));
    model.run(t, y);
    EXPECT_LT(model.trouble(), 100.0);
    const std::vector<double> f = model.derivatives(t, y);
    const std::vector<double> jacobian = model.dense_jacobian(t, y);
    std::vector<double> seen(y.size() * y.size(), 0.0);
    for (std::size_t k = 0; k < model.pattern().size(); ++k) {
      const auto [row, column] = model.pattern()[k];
      seen[row * y.size() + column] = model.jacobian(k);
    }
    constexpr double h = 1e-5;
    const std::vector<double> later = model.derivatives(t + h, y);
    const std::vector<double> earlier = model.derivatives(t - h, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      expect_near(model.f(i), f[i], 1e-12, fmt::format("f {} at {}", i, t));
      expect_near(model.in_time(i), (later[i] - earlier[i]) / (2.0 * h), 1e-7,
                  fmt::format("df/dt {} at {}", i, t));
      for (std::size_t j = 0; j < y.size(); ++j) {
        const std::size_t at = i * y.size() + j;
        expect_near(seen[at], jacobian[at], 1e-11, fmt::format("J {} {} at {}", i, j, t));
      }
    }
  }
}

std::string name_of(const testing::TestParamInfo<const char*>& given) {
  constexpr const char* names[] = {"LinearLoop", "NonlinearLoop", "Explicit"};
  return names[given.index];
}

INSTANTIATE_TEST_SUITE_P(Models, DynamicsTest,
                         testing::Values(linear_loop, nonlinear_loop, explicit_model), name_of);

TEST(Dynamics, HasNoDerivativeInTimeWhereTimePlaysNoRole) {
  structure::StructuredModel model =
      *engine::analyse_text("model M\n  Real x(start = 1);\nequation\n  der(x) = -x;\nend M;\n",
                            "m.mo", "")
           .value()
           .structured;
  const std::vector<double> point(model.symbol_count, 1.0);
  Dynamics dynamics(model, point);
  Writer writer(model.flat.arena, model.symbol_count);
  const Linearisation found =
      dynamics.linearise(writer, writer.constant(0.0), {writer.constant(1.0)});
  EXPECT_TRUE(found.in_time.empty());
  ASSERT_EQ(found.jacobian.size(), 1u);
  EXPECT_TRUE(dynamics.troubles().empty());
}

TEST(Dynamics, HasAConstantJacobianWhereParametersAloneDecide) {
  const auto is_constant = [](const std::string& equations) {
    structure::StructuredModel model =
        *engine::analyse_text(
             "model M\n  parameter Real p = 2;\n  Real x(start = 1), u, v;\n"
             "equation\n  " +
                 equations + "\nend M;\n",
             "m.mo", "")
             .value()
             .structured;
    const std::vector<double> point(model.symbol_count, 1.0);
    return Dynamics(model, point).has_constant_jacobian();
  };
  EXPECT_TRUE(is_constant("der(x) = -p * u; u = x + time; v = p * u;"));
  EXPECT_TRUE(is_constant("der(x) = -u; p * u + v = x; u - v = time;"));
  EXPECT_FALSE(is_constant("der(x) = -x * x; u = x; v = x;"));
  EXPECT_FALSE(is_constant("der(x) = -time * x; u = x; v = x;"));
  EXPECT_FALSE(is_constant("der(x) = -u * v; u = exp(x); v = sin(u);"));
  EXPECT_FALSE(is_constant("der(x) = -u; (3 + x) * u + v = x; u - v = time;"));
  EXPECT_FALSE(is_constant("der(x) = -u; u + 0.1 * sin(v) = x; v + 0.1 * u^3 = time;"));
  EXPECT_FALSE(is_constant("der(x) = -u; p * u + v = sin(x); u - v = time;"));
}

// Newton's method for atan(z) = x diverges where |z| is large; the library damps it.
TEST(Dynamics, ReportsTroubleWhereALoopNeedsDamping) {
  Evaluated model(R"(
model Damped
  Real x(start = 0.5, fixed = true), z(start = 0.5);
equation
  atan(z) + 1e-9 * z^3 = x;
  der(x) = -z;
end Damped;
)");
  const std::vector<double> y = {0.5};
  model.run(0.0, y);
  EXPECT_LE(model.trouble(), integrate::largest_growth);
  EXPECT_NEAR(model.f(0), -std::tan(0.5), 1e-8);
  model.guess(0) = 20.0;
  model.run(0.0, y);
  EXPECT_GT(model.trouble(), integrate::largest_growth);
  EXPECT_EQ(model.guess(0), 20.0);  // the next step does not start from where this one diverged
}

// The order of the pivots is chosen where no pivot is better than another.
TEST(Dynamics, MayBeginWhereALoopIsSingular) {
  Evaluated model(R"(
model Singular
  Real x(start = 0, fixed = true), z(start = 0);
equation
  z^3 = x;
  der(x) = 1 + z;
end Singular;
)");
  model.guess(0) = 1.5;
  model.run(0.0, std::vector<double>{8.0});
  EXPECT_LE(model.trouble(), integrate::largest_growth);
  EXPECT_NEAR(model.f(0), 3.0, 1e-14);
}

// sin(z - x) = 0 has a solution at every multiple of pi from x. From 0, Newton's method finds 0 at
// x = 0, and 1.5 + 4 pi at x = 1.5; from there it would not come back to 0.
TEST(Dynamics, LoopsInAnIterationBeginWhereTheyEndedInThePassBefore) {
  structure::StructuredModel model = *engine::analyse_text(R"(
model Branch
  Real x(start = 0, fixed = true), z(start = 0);
equation
  sin(z - x) = 0;
  der(x) = z;
end Branch;
)",
                                                           "model.mo", "")
                                          .value()
                                          .structured;
  Dynamics dynamics(model, std::vector<double>(model.symbol_count, 0.0));
  Writer writer(model.flat.arena, model.symbol_count);
  const std::size_t pass = writer.make_places(1), f = writer.make_places(2);
  writer.begin_repeat(3.0);
  const Term is_first = writer.keep(writer.symbol(pass) <= writer.constant(0.0));
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const Vector x{writer.constant(i == 0 ? 0.0 : 1.5)};
    writer.assign(f + i, dynamics.derivatives_in_pass(writer, writer.constant(0.0), x, is_first));
  }
  const Term next = writer.keep(writer.symbol(pass) + 1.0);
  writer.assign(pass, next);
  writer.end_repeat(next < writer.constant(3.0));
  const structure::Procedure procedure = writer.finish();
  const std::vector<double> end =
      run(model.flat.arena, procedure, std::vector<double>(model.symbol_count, 0.0));
  EXPECT_NEAR(end[f], 0.0, 1e-14);
  EXPECT_NEAR(end[f + 1], 1.5 + 4 * std::numbers::pi, 1e-13);
}

}  // namespace
}  // namespace daedalus::steps
