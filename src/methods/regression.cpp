#include "daedalus/methods/regression.hpp"

namespace daedalus::methods {

const std::vector<Regression>& regression_methods() {
  static const std::vector<Regression> all = {};
  return all;
}

}  // namespace daedalus::methods
