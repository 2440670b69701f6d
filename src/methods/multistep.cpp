#include "daedalus/methods/multistep.hpp"

namespace daedalus::methods {
namespace {

constexpr const char* gear =
    "Gear 1971, Comm. ACM 14; variable steps as in Brown, Byrne and Hindmarsh 1989";

Multistep fixed_order(int order) {
  const std::string digit = std::to_string(order);
  return {.name = "bdf" + digit,
          .title = "Backward differentiation of order " + digit,
          .source = gear,
          .kind = MultistepKind::Bdf,
          .lowest_order = order,
          .highest_order = order};
}

}  // namespace

// Order 6 is stable in so narrow a sector that `bdf` does not use it; `gear` does, like Gear's
// program.
const std::vector<Multistep>& multistep_methods() {
  static const std::vector<Multistep> all = {
      {.name = "bdf",
       .title = "Backward differentiation of orders 1 to 5",
       .source = gear,
       .kind = MultistepKind::Bdf,
       .lowest_order = 1,
       .highest_order = 5},
      {.name = "gear",
       .title = "Backward differentiation of orders 1 to 6",
       .source = gear,
       .kind = MultistepKind::Bdf,
       .lowest_order = 1,
       .highest_order = 6},
      {.name = "ndf",
       .title = "Numerical differentiation formulas of orders 1 to 5",
       .source = "Klopfenstein 1971; Shampine and Reichelt 1997, SIAM J. Sci. Comput. 18",
       .kind = MultistepKind::Ndf,
       .lowest_order = 1,
       .highest_order = 5},
      {.name = "adams",
       .title = "Adams-Moulton of orders 1 to 12",
       .source = "Nordsieck 1962; variable steps as in Byrne and Hindmarsh 1975",
       .kind = MultistepKind::Adams,
       .lowest_order = 1,
       .highest_order = 12},
      fixed_order(1),
      fixed_order(2),
      fixed_order(3),
      fixed_order(4),
      fixed_order(5),
      fixed_order(6),
  };
  return all;
}

}  // namespace daedalus::methods
