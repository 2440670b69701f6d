#include "daedalus/methods/multistep.hpp"

namespace daedalus::methods {

const std::vector<Multistep>& multistep_methods() {
  static const std::vector<Multistep> all = {};
  return all;
}

}  // namespace daedalus::methods
