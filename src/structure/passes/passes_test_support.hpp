// Flat models for the tests of the passes, built by hand: this layer does not know the language.
#pragma once

#include <string>
#include <vector>

#include "daedalus/structure/structure.hpp"

namespace daedalus::structure::testing_support {

using expr::Op;
using model::Variability;

class Builder {
 public:
  Builder() { flat.variables.push_back({.name = "time"}); }

  VariableId variable(std::string name) {
    flat.variables.push_back({.name = std::move(name), .span = next_span()});
    return VariableId(flat.variables.size() - 1);
  }
  VariableId parameter(std::string name, ExprId binding = {}) {
    const VariableId id = variable(std::move(name));
    flat[id].variability = Variability::Parameter;
    flat[id].binding = binding;
    return id;
  }
  void make_boolean(VariableId id) {
    flat[id].type = model::Type::Boolean;
    flat[id].variability = Variability::Discrete;
  }
  ExprId operator()(VariableId id) { return flat.arena.symbol(id); }
  ExprId der(VariableId id) { return flat.arena.symbol(model::derivative_of(flat, id)); }
  ExprId number(double value) { return flat.arena.constant(value); }
  ExprId sum(ExprId a, ExprId b) { return flat.arena.add(a, b); }
  ExprId product(ExprId a, ExprId b) { return flat.arena.multiply(a, b); }
  ExprId minus(ExprId a) { return flat.arena.negate(a); }
  ExprId call(Op op, ExprId a) { return flat.arena.make(op, a); }

  void equation(ExprId left, ExprId right) { flat.equations.push_back({left, right, next_span()}); }
  void initially(ExprId left, ExprId right) {
    flat.initial_equations.push_back({left, right, next_span()});
  }

  // Analyses the model; errors are in `diagnostics`.
  std::optional<StructuredModel> analysed() {
    Phases phases;
    return analyse(flat, diagnostics, phases);
  }
  std::vector<std::string> codes() {
    analysed();
    std::vector<std::string> all;
    for (const Diagnostic& diagnostic : diagnostics.all()) all.push_back(diagnostic.code);
    return all;
  }

  model::FlatModel flat{.name = "Test"};
  Diagnostics diagnostics;

 private:
  Span next_span() {
    ++spans_;
    return {0, spans_, spans_ + 1};
  }
  std::uint32_t spans_ = 0;
};

}  // namespace daedalus::structure::testing_support
