// Random models of index 1 to 3 with nonlinear equations around a solution that is known exactly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "daedalus/engine/analysis.hpp"

namespace daedalus {
namespace {

constexpr double stop = 2.0;

// A smooth function of time, as text with its derivative, and its values.
struct Known {
  std::string text, rate;
  double start = 0.0, end = 0.0;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {
    const std::size_t n = 2 + pick(6);
    for (std::size_t i = 0; i < n; ++i) known.push_back(function());
    for (std::size_t i = 0; i < n;) i += add_chain(i, std::min(n - i, 1 + pick(3)));
    std::ranges::shuffle(equations_, random_);
  }

  std::string model() const {
    std::string text = "model Manufactured\n";
    for (std::size_t i = 0; i < known.size(); ++i) {
      const bool is_state = std::ranges::find(states_, i) != states_.end();
      text += fmt::format("  Real {}(start = {:.17g}{});\n", name(i), known[i].start,
                          is_state ? ", fixed = true" : "");
    }
    text += "equation\n";
    for (const std::string& equation : equations_) text += fmt::format("  {};\n", equation);
    return text + "end Manufactured;\n";
  }

  static std::string name(std::size_t i) { return fmt::format("x{}", i); }

  std::vector<Known> known;

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }
  double number(double low, double high) {
    return low + (high - low) * static_cast<double>(pick(10'000)) / 10'000.0;
  }

  Known function() {
    const double a = number(0.5, 2), b = number(-1, 1), w = number(0.3, 2);
    switch (pick(3)) {
      case 0:
        return {fmt::format("({} + ({})*sin({}*time))", a, b, w),
                fmt::format("(({})*cos({}*time))", b * w, w), a, a + b * std::sin(w * stop)};
      case 1:
        return {fmt::format("({} + ({})*cos({}*time))", a, b, w),
                fmt::format("(({})*sin({}*time))", -b * w, w), a + b, a + b * std::cos(w * stop)};
      default:
        return {fmt::format("({}*exp(-{}*time) + ({}))", a, w, b),
                fmt::format("({}*exp(-{}*time))", -a * w, w), a + b, a * std::exp(-w * stop) + b};
    }
  }

  // A monotone function of a variable, and of its known value.
  std::pair<std::string, std::string> both(std::size_t i) {
    static const std::vector<std::string> shapes = {"{0}", "({0} + 0.2*{0}^3)", "exp(0.3*{0})",
                                                    "tanh({0})", "sinh(0.5*{0})"};
    const std::string& shape = shapes[pick(shapes.size())];
    return {fmt::format(fmt::runtime(shape), name(i)),
            fmt::format(fmt::runtime(shape), known[i].text)};
  }

  // One variable by a differential or an algebraic equation; several as a constraint on the first
  // of them, with the others as its derivatives.
  std::size_t add_chain(std::size_t first, std::size_t length) {
    const auto [left, right] = both(first);
    const std::string share = fmt::format("({})", number(-0.3, 0.3));
    // none of the later ones: a derivative of a constraint that depends on a part of its own chain
    // can be unstable
    const auto [other, known_other] = both(pick(first + 1));
    if (length == 1 && pick(2) == 0) {
      states_.push_back(first);
      equations_.push_back(fmt::format("der({0}) = {1} + {2}*({3} - {4}) - ({0} - {5})",
                                       name(first), known[first].rate, share, other, known_other,
                                       known[first].text));
      return 1;
    }
    if (first == 0) {
      equations_.push_back(fmt::format("{} = {}", left, right));
    } else {  // a lower one, so that each loop has a solution
      const auto [lower, known_lower] = both(pick(first));
      equations_.push_back(
          fmt::format("{} + {}*{} = {} + {}*{}", left, share, lower, right, share, known_lower));
    }
    for (std::size_t i = first + 1; i < first + length; ++i) {
      equations_.push_back(fmt::format("der({}) = {} + {} - {}", name(i - 1), known[i - 1].rate,
                                       name(i), known[i].text));
    }
    return length;
  }

  std::mt19937 random_;
  std::vector<std::string> equations_;
  std::vector<std::size_t> states_;
};

// 300, or as many as DAEDALUS_MANUFACTURED says: a campaign.
unsigned model_count() {
  const char* given = std::getenv("DAEDALUS_MANUFACTURED");
  return given == nullptr ? 300U : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

TEST(Manufactured, ModelsOfAnyIndexHaveTheirKnownSolution) {
  std::size_t of_higher_index = 0;
  const unsigned count = model_count();
  for (unsigned seed = 0; seed < count; ++seed) {
    const Generator generator(seed);
    const std::string text = generator.model();
    engine::Analysis analysis = engine::analyse_text(text, "manufactured.mo", "").value();
    ASSERT_TRUE(analysis.structured) << text << analysis.report();
    if (analysis.structured->index > 1) ++of_higher_index;
    const engine::Model model = engine::compile(std::move(analysis)).value();
    const auto solution = engine::simulate(model, {.stop = stop, .rtol = 1e-8}).value();
    ASSERT_TRUE(solution.outcome.finished()) << text << solution.outcome.message;
    for (std::size_t i = 0; i < generator.known.size(); ++i) {
      const double end = generator.known[i].end;
      ASSERT_NEAR(solution.final_value(Generator::name(i)), end, 1e-5 * (1 + std::abs(end)))
          << text << Generator::name(i) << ", seed " << seed;
    }
  }
  EXPECT_GT(of_higher_index, count / 2);
}

}  // namespace
}  // namespace daedalus
