// The test problems with their reference solutions: one set for tests, benchmarks and the command
// line.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/system/function_system.hpp"

namespace daedalus::problems {

// Which methods the problem is meant for.
enum class Kind { Stiff, NonStiff };
std::string_view kind_name(Kind kind);

// Values at the end of the run, known from another source.
struct Reference {
  std::vector<double> values = {};
  std::vector<std::size_t> components = {};  // whose values these are; empty: all, in order
  double digits = 0.0;  // |true - value| <= 10^-digits (scale + |value|) with the problem's scale

  std::size_t component(std::size_t k) const { return components.empty() ? k : components[k]; }
};

// y' = f(t, y), y(t0) = y0, until t1.
struct Problem {
  std::string name = {};  // as users type it
  std::string title = {};
  std::string source = {};
  Kind kind = Kind::Stiff;
  system::Functions functions = {};  // with an analytic Jacobian, dense or in a sparse pattern
  double t0 = 0.0;
  double t1 = 1.0;
  std::vector<double> y0 = {};
  Reference reference = {};
  double scale = 1e-3;  // a usual absolute tolerance is rtol * scale

  std::size_t size() const { return y0.size(); }
};

// Every problem, in the order shown to users.
const std::vector<Problem>& problems();

// The problem that users call `name`; null if there is none.
const Problem* find_problem(std::string_view name);

// The same, where an unknown name is an Error that suggests what was meant.
Result<const Problem*> require_problem(std::string_view name);

// The Brusselator with diffusion on a periodic grid of `side` by `side` points, two variables each,
// from 0 to 11.5: `bruss2d` of any size.
struct PlaneBrusselator {
  system::Functions functions = {};
  std::vector<double> y0 = {};
};
PlaneBrusselator plane_brusselator(std::size_t side);

// The distance of end values from the reference.
struct Accuracy {
  // Over the components whose reference is not below `atol` (no digits of the others were asked
  // for); none if there is no such component.
  std::optional<double> max_relative_error = {};
  std::optional<double> scd = {};  // -log10 of that: significant correct digits
  double mescd = 0.0;              // least -log10(|y - reference| / (scale + |reference|))
  std::size_t worst = 0;           // the component that decides mescd
};

// A value that is not finite has an infinite error. Exact values have 16 digits.
Accuracy accuracy(const Problem& problem, std::span<const double> y, double atol);

}  // namespace daedalus::problems
