// Families of multistep methods of several orders, among which an integrator switches, on a history
// of steps of any size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace daedalus::methods {

// Bdf: the backward differentiation formulas (Gear 1971). Ndf: these plus kappa times the
// difference to the prediction, which makes the error smaller (Klopfenstein 1971, Shampine and
// Reichelt 1997). Adams: Adams-Moulton, solved by functional iteration.
enum class MultistepKind { Bdf, Ndf, Adams };

struct Multistep {
  std::string name;
  std::string title;
  std::string source;
  MultistepKind kind = MultistepKind::Bdf;
  int lowest_order = 1;
  int highest_order = 1;  // equal to the lowest: the order is fixed
};

// All of them, in the order shown to users.
const std::vector<Multistep>& multistep_methods();

}  // namespace daedalus::methods
