#include "daedalus/model/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus::model {

std::string quoted_names(const FlatModel& flat, std::span<const VariableId> variables) {
  constexpr std::size_t most_listed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(variables.size(), most_listed); ++i)
    text += fmt::format("{}`{}`", i == 0 ? "" : ", ", flat[variables[i]].name);
  if (variables.size() > most_listed)
    text += fmt::format(" and {} more", variables.size() - most_listed);
  return text;
}

}  // namespace daedalus::model
