// Translates two sides, which may be arrays, to scalar equations of the flat model.
#pragma once

#include "modelica/typing.hpp"

namespace daedalus::modelica {

class EquationMaker {
 public:
  EquationMaker(Translator& translator, Diagnostics& diagnostics)
      : translator_(translator), diagnostics_(diagnostics) {}

  model::FamilyId new_family() { return model::FamilyId(families_++); }

  // False, with a report, where the sides do not match. Arrays without a family get one.
  bool append(const EquationSyntax& equation, model::FamilyId& family,
              std::vector<model::Equation>& equations);

 private:
  Translator& translator_;
  Diagnostics& diagnostics_;
  std::size_t families_ = 0;
};

}  // namespace daedalus::modelica
