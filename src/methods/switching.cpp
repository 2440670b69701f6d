#include "daedalus/methods/switching.hpp"

namespace daedalus::methods {

// The paper's codes, with and without the criterion of five steps in a row.
const std::vector<Switching>& switching_methods() {
  static const std::vector<Switching> all = [] {
    const Switching published = {
        .name = "vmrk32",
        .title = "VMRK32: erk32, or dirk32 where stiff",
        .source = "Cameron and Gani 1988, Comput. Chem. Engng 12",
        .order = 3,
        .nonstiff = find_method("erk32"),
        .stiff = find_method("dirk32"),
        .to_stiff = {.window = 50, .successes = 25},
        .stability_limit = 2.5,
        .share_of_limit = 0.5,
    };
    Switching eager = published;
    eager.name = "vmrk32-eager";
    eager.title = "VMRK32 that also switches after five in a row";
    eager.to_stiff.in_a_row = 5;
    return std::vector<Switching>{published, eager};
  }();
  return all;
}

}  // namespace daedalus::methods
