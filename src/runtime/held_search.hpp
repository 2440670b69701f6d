// A search for held values where the quick one has failed.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "runtime/model_events.hpp"

namespace daedalus::runtime {

struct ModelEvents::Search {
  double t = 0.0;
  Workspace& space;
  std::function<bool()> solve;        // finds the variables from the held values
  bool is_solved = true;              // with the values held now; otherwise there was no solution
  bool finds_discrete = true;         // otherwise discrete variables are given
  std::size_t most_modes = 4096;      // the limit on modes that are tried
  std::set<std::size_t> failed = {};  // blocks without a solution in some mode
  std::vector<std::uint32_t> wrong = {};  // switches, in the mode that was tried last
  std::vector<int> switch_changes = {}, discrete_changes = {};
  std::vector<double> roundings = {};  // of all switches; empty: none is in doubt
};

}  // namespace daedalus::runtime
