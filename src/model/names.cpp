#include "daedalus/model/names.hpp"

#include <fmt/format.h>

namespace daedalus::model {

std::string quoted_names(const FlatModel& flat, std::span<const VariableId> variables) {
  constexpr std::size_t most_listed = 5;
  std::string text;
  std::size_t named = 0, conditions = 0;
  for (const VariableId id : variables) {
    if (flat[id].is_hidden) {
      ++conditions;
    } else if (named++ < most_listed) {
      text += fmt::format("{}`{}`", named == 1 ? "" : ", ", flat[id].name);
    }
  }
  if (named > most_listed) text += fmt::format(" and {} more", named - most_listed);
  if (conditions == 0) return text;
  const std::string others =
      conditions == 1 ? std::string("a condition") : fmt::format("{} conditions", conditions);
  return text.empty() ? others : text + " and " + others;
}

}  // namespace daedalus::model
