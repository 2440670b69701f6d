// A search for what is held that the quick one did not end.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "runtime/model_events.hpp"

namespace daedalus::runtime {

struct ModelEvents::Search {
  double t = 0.0;
  Workspace& space;
  std::function<bool()> solve;    // finds the variables from what is held
  bool is_solved = true;          // by what is held now; otherwise they have just not been found
  bool finds_discrete = true;     // otherwise discrete variables are given
  std::size_t most_modes = 4096;  // that are tried one after the other
  std::set<std::size_t> failed = {};      // blocks without a solution in some mode
  std::vector<std::uint32_t> wrong = {};  // switches, in the mode that was tried last
  std::vector<int> switch_changes = {}, discrete_changes = {};
  std::vector<double> roundings = {};  // of all switches; empty: none is in doubt
};

}  // namespace daedalus::runtime
