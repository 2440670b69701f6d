// What every result file promises: each number in it is finite.
#pragma once

#include <optional>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

// The error that names the first time that is not finite, or the first variable that is not and
// when.
std::optional<Error> nonfinite_trajectory(const solution::Table& table);

// The error that names the first constant that is not finite.
std::optional<Error> nonfinite_constant(const solution::Table& table);

}  // namespace daedalus::report
