// The state of an integrator as a value: another integrator continues from it, to the bit.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>

#include "daedalus/methods/method.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

struct Case {
  const char* name;
  std::function<Functions()> functions;
  std::vector<double> start;
  Options options;
};

Functions robertson_with_mass() {
  linalg::SparseMatrix mass{.pattern = {.size = 3, .starts = {0, 1, 2, 2}, .rows = {0, 1}},
                            .values = {1.0, 1.0}};
  return {.size = 3,
          .f =
              [](double, Vector y, Output f) {
                f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                f[1] = -f[0] - 3e7 * y[1] * y[1];
                f[2] = y[0] + y[1] + y[2] - 1.0;
              },
          .mass = mass};
}

Functions robertson_as_residual() {
  return {.size = 3, .residual = [](double, Vector y, Vector slope, Output r) {
            r[0] = slope[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
            r[1] = slope[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
            r[2] = y[0] + y[1] + y[2] - 1.0;
          }};
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"driven",
       [] { return scalar([](double t, double x) { return -5.0 * (x - std::sin(t)); }); },
       {1.0},
       {.stop = 3.0, .rtol = 1e-5, .atol = {1e-8}}},
      {"van_der_pol",
       [] { return van_der_pol(5.0); },
       {2.0, 0.0},
       {.stop = 12.0, .rtol = 1e-5, .atol = {1e-8}}},
      {"robertson", robertson, {1.0, 0.0, 0.0}, {.stop = 40.0, .rtol = 1e-5, .atol = {1e-9}}},
      {"sparse",
       [] { return heat(40); },
       std::vector<double>(40, 1.0),
       {.stop = 0.05, .rtol = 1e-4, .atol = {1e-6}}},
      {"constant_columns",
       [] {
         Functions functions = van_der_pol(5.0);
         functions.jacobian = nullptr;
         functions.f = [](double, Vector y, Output dydt) {
           dydt[0] = y[1] - y[0] * y[0] * y[0];
           dydt[1] = 50.0 * (std::sin(y[0]) - y[1]);
         };
         functions.constant_columns = {1};
         return functions;
       },
       {2.0, 0.0},
       {.stop = 3.0, .rtol = 1e-5, .atol = {1e-8}}},
      {"growing",  // which methods that look for it tell
       [] {
         return Functions{.size = 2, .f = [](double, Vector y, Output dydt) {
                            dydt[0] = 2.0 * y[0];
                            dydt[1] = 300.0 * (y[0] - y[1]);
                          }};
       },
       {1.0, 1.0},
       {.stop = 4.0, .rtol = 1e-3, .atol = {1e-3}}},
      {"mass", robertson_with_mass, {1.0, 0.0, 0.0}, {.stop = 40.0, .rtol = 1e-5, .atol = {1e-9}}},
      {"residual",
       robertson_as_residual,
       {1.0, 0.0, 0.0},
       {.stop = 40.0, .rtol = 1e-5, .atol = {1e-9}}},
  };
  return all;
}

// What a step shows, as bits: its end, the state there, and the dense output inside.
using Bits = std::vector<std::uint64_t>;

void add_step(const Integrator& integrator, Bits& bits) {
  const solution::DenseStep& step = integrator.step();
  std::vector<double> inside(integrator.state().size());
  step.at(0.3 * step.begin() + 0.7 * step.end(), inside);
  bits.push_back(std::bit_cast<std::uint64_t>(step.end()));
  for (const double value : integrator.state()) bits.push_back(std::bit_cast<std::uint64_t>(value));
  for (const double value : inside) bits.push_back(std::bit_cast<std::uint64_t>(value));
}

std::string bytes_of(Integrator& integrator) {
  Archive writer;
  integrator.archive(writer);
  return writer.bytes();
}

// What an integrator reads replaces everything that it did before.
void leave_traces(Integrator& integrator, std::vector<double> start, std::size_t steps) {
  for (double& value : start) value *= 1.01;
  if (integrator.start(start)) return;
  for (std::size_t i = 0; i < steps; ++i) {
    if (integrator.advance()) return;
  }
}

class StateOfEveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(StateOfEveryMethod, LetsAnotherIntegratorGoOnToTheBit) {
  std::mt19937 random(7);
  for (const Case& one : cases()) {
    const FunctionSystem system(one.functions());
    Options options = one.options;
    options.max_attempts = 300;  // some methods take thousands of similar steps
    auto made = make_integrator(GetParam(), system, options);
    if (!made) {  // it needs a fixed step, or cannot solve such systems
      options.fixed_step = options.stop / 300.0;
      made = make_integrator(GetParam(), system, options);
    }
    if (!made) continue;
    Integrator& whole = **made;
    if (whole.start(one.start)) continue;
    Bits expected;
    std::vector<std::string> states = {bytes_of(whole)};  // by the number of steps
    std::vector<std::size_t> lengths = {0};
    while (!whole.advance()) {
      add_step(whole, expected);
      states.push_back(bytes_of(whole));
      lengths.push_back(expected.size());
    }
    for (int repetition = 0; repetition < 20; ++repetition) {
      const std::size_t at = random() % states.size();
      const auto other = make_integrator(GetParam(), system, options).value();
      leave_traces(*other, one.start, random() % 30);
      Archive reader(states[at]);
      other->archive(reader);
      EXPECT_TRUE(reader.is_at_end());
      EXPECT_TRUE(bytes_of(*other) == states[at]) << one.name << " after step " << at;
      Bits bits;
      while (!other->advance()) add_step(*other, bits);
      const Bits rest(expected.begin() + static_cast<std::ptrdiff_t>(lengths[at]), expected.end());
      EXPECT_EQ(bits, rest) << one.name << " after step " << at << " of " << states.size() - 1;
      EXPECT_TRUE(bytes_of(*other) == bytes_of(whole)) << one.name << " after step " << at;
    }
  }
}

std::vector<std::string> names_of_methods() {
  std::vector<std::string> names;
  for (const methods::Method& method : methods::all_methods())
    names.emplace_back(methods::name(method));
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, StateOfEveryMethod, testing::ValuesIn(names_of_methods()),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace daedalus::integrate
