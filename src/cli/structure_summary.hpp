// The sizes of a structured model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::cli {

struct StructureSummary {
  std::size_t equations = 0;  // as written
  std::size_t variables = 0;  // unknowns as written: derivatives and algebraic variables
  std::size_t states = 0;
  std::size_t aliases = 0;
  std::size_t blocks = 0;
  std::size_t loops = 0;  // blocks that must be solved
  std::size_t largest_loop = 0;
  std::size_t tearing_variables = 0;
  std::size_t jacobian_entries = 0;
  int index = 0;  // 0: sorts into assignments; 1: has algebraic loops (Cellier's counting)

  std::vector<std::pair<std::string, std::string>> properties() const;
};

StructureSummary summarise(const structure::StructuredModel& model);

}  // namespace daedalus::cli
