// Variables that are equal up to sign.
#pragma once

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

struct Reduced {
  model::FlatModel flat;
  std::vector<Alias> aliases;
};

// Takes out equations a = b and a = -b between unknown Reals; after that, one variable stands for
// both names. States and derivatives are never merged with each other: such an equation is a
// constraint, and stays, as does one that is implied by others. Fixed start values must already be
// initial equations. Near-linear: one union per equation and one substitution over all of them.
Reduced eliminate_aliases(model::FlatModel flat);

}  // namespace daedalus::structure
