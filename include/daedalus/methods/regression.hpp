// Regression formulas: multistep methods from the least-squares polynomial through past values.
#pragma once

#include <string>
#include <vector>

namespace daedalus::methods {

struct Regression {
  std::string name;
  std::string title;
  std::string source;
  int order = 0;
};

// Every one, in the order shown to users.
const std::vector<Regression>& regression_methods();

}  // namespace daedalus::methods
