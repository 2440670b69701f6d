#include "daedalus/problems/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "daedalus/base/names.hpp"
#include "problems/families.hpp"

namespace daedalus::problems {
namespace {

constexpr double most_digits = 16.0;

double digits(double error) {
  return error > 0.0 ? std::min(most_digits, -std::log10(error)) : most_digits;
}

std::vector<Problem> catalogue() {
  std::vector<Problem> all;
  for (const auto family : {detest_linear_problems, detest_coupled_problems,
                            detest_chemical_problems, detest_complex_problems, treeaporn_problems,
                            cameron_problems, hermann_problems, modrio_problems, classic_problems,
                            ring_modulator_problems, lines_problems, nonstiff_problems}) {
    std::ranges::move(family(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::string_view kind_name(Kind kind) { return kind == Kind::Stiff ? "stiff" : "non-stiff"; }

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all = catalogue();
  return all;
}

const Problem* find_problem(std::string_view name) {
  const auto found = std::ranges::find(problems(), name, &Problem::name);
  return found == problems().end() ? nullptr : &*found;
}

Result<const Problem*> require_problem(std::string_view name) {
  if (const Problem* problem = find_problem(name)) return problem;
  std::vector<std::string> names;
  for (const Problem& problem : problems()) names.push_back(problem.name);
  const std::string near = did_you_mean(name, names);
  return Error{"usage.unknown-problem", fmt::format("there is no problem `{}`", name),
               near.empty() ? "`daedalus problems` lists them" : near};
}

Accuracy accuracy(const Problem& problem, std::span<const double> y, double atol) {
  const Reference& reference = problem.reference;
  Accuracy result{.mescd = most_digits};
  for (std::size_t k = 0; k < reference.values.size(); ++k) {
    const double value = reference.values[k];
    const double difference = std::abs(y[reference.component(k)] - value);
    const double error =
        std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
    const double mixed = digits(error / (problem.scale + std::abs(value)));
    if (mixed < result.mescd) {
      result.mescd = mixed;
      result.worst = reference.component(k);
    }
    if (value == 0.0 || std::abs(value) < atol) continue;
    const double relative = error / std::abs(value);
    result.max_relative_error = std::max(result.max_relative_error.value_or(0.0), relative);
  }
  if (result.max_relative_error) result.scd = digits(*result.max_relative_error);
  return result;
}

}  // namespace daedalus::problems
