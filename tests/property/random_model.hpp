// Random models around a known solution: first every variable is given a function of time, then
// equations that this solution satisfies are made, shuffled and written in implicit forms.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace daedalus::testing_support {

// The seed of a random test: from the environment if given there, to repeat a failure.
inline std::uint64_t seed_of_run() {
  const char* given = std::getenv("DAEDALUS_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 20260101ULL;
}

// offset + amplitude sin(frequency t + phase)
struct Wave {
  double offset = 0.0, amplitude = 0.0, frequency = 1.0, phase = 0.0;

  double at(double t) const { return offset + amplitude * std::sin(frequency * t + phase); }
  double rate(double t) const { return amplitude * frequency * std::cos(frequency * t + phase); }
  std::string text() const {
    return fmt::format("({} + ({}) * sin({} * time + {}))", offset, amplitude, frequency, phase);
  }
  std::string rate_text() const {
    return fmt::format("({} * cos({} * time + {}))", amplitude * frequency, frequency, phase);
  }
};

struct RandomModel {
  struct Known {
    std::string name;
    Wave wave;
    double sign = 1.0;
  };
  std::string text;
  std::vector<Known> solution;
};

class ModelMaker {
 public:
  explicit ModelMaker(std::uint64_t seed) : random_(seed) {}

  RandomModel make() {
    const int states = 1 + pick(3);
    for (int i = 0; i < states; ++i) add_state();
    const int groups = 1 + pick(5);
    for (int i = 0; i < groups; ++i) {
      switch (pick(4)) {
        case 0:
          add_chain(1 + pick(6));
          break;
        case 1:
          add_linear_loop(2 + pick(5));
          break;
        case 2:
          add_nonlinear_loop(1 + pick(4));
          break;
        default:
          add_aliases(1 + pick(4));
          break;
      }
    }
    std::ranges::shuffle(equations_, random_);
    std::ranges::shuffle(declarations_, random_);
    model_.text = "model M\n";
    for (const std::string& line : declarations_) model_.text += fmt::format("  {};\n", line);
    model_.text += "equation\n";
    for (const std::string& line : equations_) model_.text += fmt::format("  {};\n", line);
    model_.text += "end M;\n";
    return std::move(model_);
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  double between(double low, double high) {
    return std::uniform_real_distribution(low, high)(random_);
  }
  // Three digits: the text represents the number exactly.
  double rounded(double low, double high) {
    return std::round(between(low, high) * 1000.0) / 1000.0;
  }

  Wave wave() { return {rounded(-2, 2), rounded(-1, 1), rounded(0.3, 3), rounded(0, 6)}; }

  std::string declare(const Wave& wave, const std::string& attributes) {
    const std::string name = fmt::format("v{}", model_.solution.size());
    declarations_.push_back(fmt::format("Real {}{}", name, attributes));
    model_.solution.push_back({name, wave});
    return name;
  }

  // left = right, the other way round, or as a difference or sum that is zero, scaled or not.
  void equation(const std::string& left, const std::string& right) {
    switch (pick(5)) {
      case 0:
        equations_.push_back(fmt::format("{} = {}", left, right));
        break;
      case 1:
        equations_.push_back(fmt::format("{} = {}", right, left));
        break;
      case 2:
        equations_.push_back(fmt::format("{} - ({}) = 0", left, right));
        break;
      case 3:
        equations_.push_back(fmt::format("0 = {} - ({})", right, left));
        break;
      default: {
        const double factor = rounded(0.5, 3);
        equations_.push_back(fmt::format("{} * ({}) = {} * ({})", factor, left, factor, right));
      }
    }
  }

  const RandomModel::Known& any() {
    return model_
        .solution[static_cast<std::size_t>(pick(static_cast<int>(model_.solution.size())))];
  }

  // A term that vanishes on the solution, but depends on another variable.
  std::string coupling() {
    const RandomModel::Known& other = any();
    const std::string deviation =
        fmt::format("({} - {})", other.name,
                    other.sign > 0 ? other.wave.text() : fmt::format("(-{})", other.wave.text()));
    const double factor = rounded(-1, 1);
    switch (pick(3)) {
      case 0:
        return fmt::format("({} * {})", factor, deviation);
      case 1:
        return fmt::format("({} * sin({}))", factor, deviation);
      default:
        return fmt::format("({} * {} * {})", factor, deviation, other.name);
    }
  }

  // x' = w' - lambda (x - w): the solution w is attracting.
  void add_state() {
    const Wave w = wave();
    const std::string name = declare(w, fmt::format("(start = {:.17g}, fixed = true)", w.at(0)));
    equation(fmt::format("der({})", name),
             fmt::format("{} - {} * ({} - {})", w.rate_text(), rounded(0.5, 50), name, w.text()));
  }

  void add_chain(int length) {
    for (int i = 0; i < length; ++i) {
      const Wave w = wave();
      const std::string known = coupling();
      const std::string name = declare(w, "");
      equation(name, fmt::format("{} + {}", w.text(), known));
    }
  }

  // A x = A w with a dominant diagonal.
  void add_linear_loop(int n) {
    std::vector<std::string> names, texts;
    for (int i = 0; i < n; ++i) {
      const Wave w = wave();
      texts.push_back(w.text());
      names.push_back(declare(w, ""));
    }
    for (int i = 0; i < n; ++i) {
      std::string left, right;
      for (int j = 0; j < n; ++j) {
        const bool linked = j == i || j == (i + 1) % n || pick(3) == 0;
        if (!linked) continue;
        const double a = j == i ? rounded(4, 8) : rounded(-1, 1);
        left += fmt::format("{}{:+} * {}", left.empty() ? "0 " : " ", a,
                            names[static_cast<std::size_t>(j)]);
        right += fmt::format("{}{:+} * {}", right.empty() ? "0 " : " ", a,
                             texts[static_cast<std::size_t>(j)]);
      }
      equation(left, right);
    }
  }

  // x + c g(x_next) = w + c g(w_next), with monotone g: one solution, well conditioned.
  void add_nonlinear_loop(int n) {
    const std::vector<std::string> shapes = {"tanh({})", "sin({})", "exp(0.3 * {})", "({})^2 * 0.2",
                                             "atan({})"};
    std::vector<std::string> names, texts;
    for (int i = 0; i < n; ++i) {
      const Wave w = wave();
      texts.push_back(w.text());
      names.push_back(declare(w, fmt::format("(start = {:.17g})", w.at(0) + rounded(-0.05, 0.05))));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::size_t next = (i + 1) % names.size();
      const std::string& shape =
          shapes[static_cast<std::size_t>(pick(static_cast<int>(shapes.size())))];
      const double c = rounded(0.05, 0.4);
      const auto g = [&](const std::string& argument) {
        return fmt::format(fmt::runtime(shape), argument);
      };
      equation(fmt::format("{} + {} * {}", names[i], c, g(names[next])),
               fmt::format("{} + {} * {}", texts[i], c, g(texts[next])));
    }
  }

  void add_aliases(int n) {
    for (int i = 0; i < n; ++i) {
      const RandomModel::Known of = any();
      const double sign = pick(2) == 0 ? 1.0 : -1.0;
      const std::string name = declare(of.wave, "");
      model_.solution.back().sign = sign * of.sign;
      equations_.push_back(sign > 0 ? fmt::format("{} = {}", name, of.name)
                                    : fmt::format("{} + {} = 0", of.name, name));
    }
  }

  std::mt19937_64 random_;
  RandomModel model_;
  std::vector<std::string> declarations_, equations_;
};

}  // namespace daedalus::testing_support
