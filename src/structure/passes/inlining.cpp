#include "daedalus/structure/inlining.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "daedalus/base/check.hpp"
#include "daedalus/expr/calculus.hpp"
#include "daedalus/methods/properties.hpp"
#include "structure/passes/sorting.hpp"
#include "structure/passes/tearing.hpp"

namespace daedalus::structure {
namespace {

using methods::Real;
using methods::Row;

// Errors must not grow much in steps that are shorter or longer than time constants by this factor.
// The smallest systems grow with the first power of h, which the smaller factor allows.
double step_range(IntegratorPivots pivots) {
  return pivots == IntegratorPivots::States ? 100.0 : 30.0;
}

// weight * variable
struct Term {
  Real weight = 0;
  VariableId variable;
};

// The terms of a row of coefficients, which may be ragged; those with 0 are left out.
std::vector<Term> terms_of(const Row& row, const std::vector<InlinedStage>& stages,
                           std::vector<VariableId> InlinedStage::* of, std::size_t state) {
  std::vector<Term> terms;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] != 0) terms.push_back({row[j], (stages[j].*of)[state]});
  }
  return terms;
}

// Puts the step together: variables and equations first, then sorts what was gathered.
class StepBuilder {
 public:
  StepBuilder(const StructuredModel& model, const methods::Method& method) : model_(model) {
    step_.method = method;
    step_.flat = model.flat;
    step_.flat.equations.clear();
    step_.flat.initial_equations.clear();
    step_.values = model.values;
    step_.attributes = model.attributes;
    step_.begin = model.states;
    name_begin(model::FlatModel::time);
    for (const VariableId state : step_.begin) name_begin(state);
    determined_.resize(model.dynamics.equations.size());
    for (const Block& block : model.dynamics.blocks) {
      for (std::size_t i = 0; i < block.equations.size(); ++i)
        determined_[index(block.equations[i])] = block.unknowns[i];
    }
    for (const model::Equation& equation : model.dynamics.equations) {
      sides_.push_back(equation.left);
      sides_.push_back(equation.right);
    }
    step_.step_size = add_step_size();
    h_ = arena().symbol(step_.step_size);
  }

  std::size_t state_count() const { return step_.begin.size(); }
  expr::Arena& arena() { return step_.flat.arena; }
  InlinedStep& step() { return step_; }
  ExprId h() const { return h_; }
  ExprId begin(std::size_t state) { return arena().symbol(step_.begin[state]); }
  ExprId number(Real value) { return arena().constant(static_cast<double>(value)); }

  VariableId add_variable(model::Variable variable, const Attributes& attributes) {
    step_.flat.variables.push_back(std::move(variable));
    step_.attributes.push_back(attributes);
    step_.values.push_back(0.0);
    return VariableId(step_.flat.variables.size() - 1);
  }

  // A variable like one of the model's, at some point of the step.
  VariableId add_copy(VariableId of, std::string_view place) {
    model::Variable copy = model_.flat[of];
    copy.name = fmt::format("{}[{}]", copy.name, place);
    copy.fixed = false;
    copy.derivative = copy.derivative_of = {};
    return add_variable(std::move(copy), model_.attributes[index(of)]);
  }

  std::vector<VariableId> add_copies_of_states(std::string_view place) {
    std::vector<VariableId> copies;
    for (const VariableId state : step_.begin) copies.push_back(add_copy(state, place));
    return copies;
  }

  // Of a Rosenbrock method: as large as states, but not subject to their bounds.
  std::vector<VariableId> add_increments() {
    std::vector<VariableId> increments;
    for (const VariableId state : step_.begin) {
      const model::Variable& variable = model_.flat[state];
      increments.push_back(
          add_variable({.name = fmt::format("{}[increment {}]", variable.name, step_.stages.size()),
                        .unit = variable.unit},
                       {.nominal = model_.attributes[index(state)].nominal}));
    }
    return increments;
  }

  // The states and all that the dynamics determine.
  void add_stage() {
    const std::string place = fmt::format("stage {}", step_.stages.size() + 1);
    InlinedStage& stage = step_.stages.emplace_back();
    stage.copies.resize(model_.flat.variables.size());
    stage.states = add_copies_of_states(place);
    for (std::size_t k = 0; k < state_count(); ++k)
      stage.copies[index(step_.begin[k])] = stage.states[k];
    for (const VariableId id : determined_) stage.copies[index(id)] = add_copy(id, place);
    for (const VariableId id : model_.derivatives)
      stage.derivatives.push_back(stage.copies[index(id)]);
  }

  // An equation that belongs to a state and may determine the unknown.
  void add_equation(ExprId left, ExprId right, VariableId state, VariableId unknown) {
    equations_.push_back({left, right, model_.flat[state].span});
    unknowns_.push_back(unknown);
  }
  void add_assignment(VariableId unknown, ExprId right, VariableId state) {
    add_equation(arena().symbol(unknown), right, state, unknown);
  }

  // Those of the dynamics, over the copies, at the time t0 + c h.
  void add_dynamics(const InlinedStage& stage, Real c) {
    const ExprId t0 = arena().symbol(model::FlatModel::time);
    const ExprId time = c == 0 ? t0 : arena().add(t0, arena().multiply(number(c), h_));
    const auto replacement = [&](SymbolId id) {
      if (id == model::FlatModel::time) return time;
      const VariableId copy = stage.copies[index(id)];
      return copy.is_none() ? ExprId{} : arena().symbol(copy);
    };
    const std::vector<ExprId> sides = expr::substitute(arena(), walker_, sides_, replacement);
    for (std::size_t e = 0; e < model_.dynamics.equations.size(); ++e) {
      model::Equation equation = model_.dynamics.equations[e];
      equation.left = sides[2 * e];
      equation.right = sides[2 * e + 1];
      equations_.push_back(equation);
      unknowns_.push_back(stage.copies[index(determined_[e])]);
    }
  }

  // The sum, in the order of the terms.
  ExprId sum(const std::vector<Term>& terms) {
    ExprId total = arena().constant(0.0);
    for (const Term& term : terms) {
      total =
          arena().add(total, arena().multiply(number(term.weight), arena().symbol(term.variable)));
    }
    return total;
  }

  // x0 + h sum, or x0 itself.
  ExprId advanced(std::size_t state, const std::vector<Term>& terms) {
    if (terms.empty()) return begin(state);
    return arena().add(begin(state), arena().multiply(h_, sum(terms)));
  }

  // Sorts and tears the equations gathered since the last time.
  void sort(IntegratorPivots pivots) {
    const EquationSystem system = next_system();
    // The matching is known: that of the model, and each state with its integrator's equation.
    Matching matching;
    matching.row_of_column.resize(system.equations.size());
    std::iota(matching.row_of_column.begin(), matching.row_of_column.end(), 0U);
    matching.column_of_row = matching.row_of_column;
    finish(system, sort_into_blocks(system, matching), pivots, Tearing::WhereItPays);
  }

  // All equations gathered since the last time as one system.
  void keep_whole() {
    const EquationSystem system = next_system();
    Block block;
    for (std::size_t i = 0; i < system.equations.size(); ++i) {
      block.equations.emplace_back(i);
      block.unknowns.push_back(system.unknowns[i]);
    }
    finish(system, {block}, IntegratorPivots::States, Tearing::Never);
  }

  InlinedStep finished() {
    std::ranges::sort(step_.pivots);
    step_.pivots.erase(std::unique(step_.pivots.begin(), step_.pivots.end()), step_.pivots.end());
    mark_what_is_needed();
    step_.equation_count =
        step_.stages.size() * (model_.equation_count + model_.differentiated + state_count());
    return std::move(step_);
  }

 private:
  void name_begin(VariableId id) { step_.flat[id].name += "[begin]"; }

  // A parameter: it keeps its value during a step, and coefficients with it are products h a[i][j],
  // so that any positive value shows whether they vanish.
  VariableId add_step_size() {
    const bool is_taken = std::ranges::find(model_.flat.variables, "h", &model::Variable::name) !=
                          model_.flat.variables.end();
    const VariableId id = add_variable({.name = is_taken ? "h[step]" : "h",
                                        .variability = model::Variability::Parameter,
                                        .unit = "s",
                                        .description = "Size of the step"},
                                       {});
    step_.values[index(id)] = 1.0;
    return id;
  }

  EquationSystem next_system() {
    // Temporaries of earlier parts must not get the numbers of variables.
    DAEDALUS_CHECK(step_.symbol_count == 0 || step_.symbol_count >= step_.flat.variables.size());
    if (step_.symbol_count == 0) step_.symbol_count = step_.flat.variables.size();
    return make_system(step_.flat, std::exchange(equations_, {}), std::exchange(unknowns_, {}));
  }

  void finish(const EquationSystem& system, std::vector<Block> blocks, IntegratorPivots pivots,
              Tearing tearing) {
    // As long as h is 0, so are the coefficients of derivatives, and nothing is divided by them.
    double& h = step_.values[index(step_.step_size)];
    if (pivots == IntegratorPivots::States) h = 0.0;
    tear_blocks(system, blocks,
                {step_.flat, step_.values, step_.attributes, step_.symbol_count, walker_,
                 step_.pivots, tearing, step_.step_size, step_range(pivots)});
    h = 1.0;
    const std::size_t before = step_.sorted.equations.size();
    for (Block& block : blocks) {
      for (EquationId& id : block.equations) id = EquationId(index(id) + before);
      for (EquationId& id : block.residual_equations) id = EquationId(index(id) + before);
      // An Integer or Boolean is given by the one equation in which it stands alone.
      DAEDALUS_CHECK(std::ranges::all_of(
          block.tearing, [&](VariableId id) { return step_.flat[id].type == model::Type::Real; }));
      step_.sorted.blocks.push_back(std::move(block));
    }
    step_.sorted.equations.insert(step_.sorted.equations.end(), system.equations.begin(),
                                  system.equations.end());
  }

  // The derivatives of the stages, because estimates and dense output are computed from them, the
  // increments, and the end.
  void mark_what_is_needed() {
    std::vector<VariableId> unknowns;
    for (const Block& block : step_.sorted.blocks)
      unknowns.insert(unknowns.end(), block.unknowns.begin(), block.unknowns.end());
    const EquationSystem system = make_system(step_.flat, step_.sorted.equations, unknowns);
    std::vector<bool> wanted(step_.flat.variables.size(), false);
    const auto want = [&](const std::vector<VariableId>& variables) {
      for (const VariableId id : variables) wanted[index(id)] = true;
    };
    for (const InlinedStage& stage : step_.stages) {
      want(stage.derivatives);
      want(stage.increments);
    }
    want(step_.end);
    mark_what_feeds(system, std::move(wanted), step_.sorted.blocks);
  }

  const StructuredModel& model_;
  InlinedStep step_;
  std::vector<VariableId> determined_;  // by each equation of the dynamics
  std::vector<ExprId> sides_;           // left and right of each equation of the dynamics
  ExprId h_;
  expr::Walker walker_;
  std::vector<model::Equation> equations_;
  std::vector<VariableId> unknowns_;  // each equation's own
};

InlinedStep inline_runge_kutta(const StructuredModel& model, const methods::RungeKutta& method,
                               IntegratorPivots pivots) {
  StepBuilder builder(model, &method);
  InlinedStep& step = builder.step();
  const std::size_t s = methods::stages(method);
  const methods::Matrix A = methods::full_matrix(method);
  const Row c = methods::nodes(method);
  for (std::size_t i = 0; i < s; ++i) builder.add_stage();
  const auto derivatives = [&](const Row& row, std::size_t k) {
    return terms_of(row, step.stages, &InlinedStage::derivatives, k);
  };
  for (std::size_t i = 0; i < s; ++i) {
    builder.add_dynamics(step.stages[i], c[i]);
    for (std::size_t k = 0; k < builder.state_count(); ++k) {
      builder.add_assignment(step.stages[i].states[k], builder.advanced(k, derivatives(A[i], k)),
                             step.begin[k]);
    }
  }
  if (methods::is_stiffly_accurate(method)) {
    step.end = step.stages.back().states;
  } else {
    step.end = builder.add_copies_of_states("end");
    for (std::size_t k = 0; k < builder.state_count(); ++k) {
      builder.add_assignment(step.end[k], builder.advanced(k, derivatives(method.b, k)),
                             step.begin[k]);
    }
  }
  builder.sort(pivots);
  return builder.finished();
}

// The entries of J and the partial derivatives with respect to time, as variables whose values must
// be known.
void add_jacobian(StepBuilder& builder, const StructuredModel& model) {
  InlinedStep& step = builder.step();
  const auto add = [&](std::uint32_t row, VariableId by) {
    const std::string name =
        fmt::format("d({})/d({})", model.flat[model.derivatives[row]].name, model.flat[by].name);
    return builder.add_variable({.name = name}, {});
  };
  for (const Entry& entry : model.jacobian->entries)
    step.jacobian.entries.push_back(add(entry.row, model.states[entry.column]));
  for (std::uint32_t k = 0; k < builder.state_count(); ++k)
    step.jacobian.time_derivatives.push_back(add(k, model::FlatModel::time));
}

// (I / (h gamma) - J) u[i] = f(Y[i]) + sum C[i][j] u[j] / h + d[i] h df/dt
void add_increment_equations(StepBuilder& builder, const StructuredModel& model,
                             const methods::Rosenbrock& method, std::size_t i) {
  InlinedStep& step = builder.step();
  expr::Arena& arena = builder.arena();
  const InlinedStage& stage = step.stages[i];
  const std::size_t n = builder.state_count();
  const ExprId diagonal =
      arena.divide(builder.number(1), arena.multiply(builder.number(method.gamma), builder.h()));
  std::vector<ExprId> left(n), right(n);
  for (std::size_t k = 0; k < n; ++k)
    left[k] = arena.multiply(diagonal, arena.symbol(stage.increments[k]));
  for (std::size_t e = 0; e < model.jacobian->entries.size(); ++e) {
    const Entry& entry = model.jacobian->entries[e];
    left[entry.row] = arena.subtract(left[entry.row],
                                     arena.multiply(arena.symbol(step.jacobian.entries[e]),
                                                    arena.symbol(stage.increments[entry.column])));
  }
  const Row& C = i < method.C.size() ? method.C[i] : Row{};
  const Real d = methods::time_weights(method)[i];
  for (std::size_t k = 0; k < n; ++k) {
    right[k] = arena.symbol(stage.derivatives[k]);
    const ExprId earlier = builder.sum(terms_of(C, step.stages, &InlinedStage::increments, k));
    right[k] = arena.add(right[k], arena.divide(earlier, builder.h()));
    const ExprId by_time = arena.symbol(step.jacobian.time_derivatives[k]);
    right[k] = arena.add(right[k],
                         arena.multiply(arena.multiply(builder.number(d), builder.h()), by_time));
    builder.add_equation(left[k], right[k], step.begin[k], stage.increments[k]);
  }
}

InlinedStep inline_rosenbrock(const StructuredModel& model, const methods::Rosenbrock& method) {
  StepBuilder builder(model, &method);
  InlinedStep& step = builder.step();
  const Row c = methods::nodes(method);
  const auto increments = [&](const Row& row, std::size_t k) {
    return terms_of(row, step.stages, &InlinedStage::increments, k);
  };
  const auto result_of = [&](const Row& row, std::size_t k) {
    return builder.arena().add(builder.begin(k), builder.sum(increments(row, k)));
  };
  add_jacobian(builder, model);
  for (std::size_t i = 0; i < methods::stages(method); ++i) {
    builder.add_stage();
    step.stages[i].increments = builder.add_increments();
  }
  step.end = builder.add_copies_of_states("end");
  for (std::size_t i = 0; i < step.stages.size(); ++i) {
    builder.add_dynamics(step.stages[i], c[i]);
    const Row& row = i < method.A.size() ? method.A[i] : Row{};
    for (std::size_t k = 0; k < builder.state_count(); ++k)
      builder.add_assignment(step.stages[i].states[k], result_of(row, k), step.begin[k]);
    builder.sort(IntegratorPivots::States);
    if (builder.state_count() == 0) continue;
    add_increment_equations(builder, model, method, i);
    builder.keep_whole();
  }
  for (std::size_t k = 0; k < builder.state_count(); ++k)
    builder.add_assignment(step.end[k], result_of(method.b, k), step.begin[k]);
  builder.sort(IntegratorPivots::States);
  return builder.finished();
}

Error no_variable_order(const methods::VariableOrder& method) {
  std::string members;
  for (const methods::RungeKutta* member : method.methods)
    members += fmt::format("{}`{}`", members.empty() ? "" : ", ", member->name);
  return {
      "usage.method-unsuited",
      fmt::format("`{}` changes its order from step to step and cannot be inlined", method.name),
      fmt::format("take one of its methods of fixed order: {}", members)};
}

Error no_single_method(const methods::Switching& method) {
  return {"usage.method-unsuited",
          fmt::format("`{}` changes between two methods and cannot be inlined", method.name),
          fmt::format("take one of them: `{}` or `{}`", method.nonstiff->name, method.stiff->name)};
}

Error no_single_method(const methods::Automatic& method) {
  return {"usage.method-unsuited",
          fmt::format("`{}` takes the steps of other methods and cannot be inlined", method.name),
          "name a method, for instance `radau5`"};
}

Error no_stages(std::string_view name) {
  return {"usage.method-unsuited",
          fmt::format("`{}` has no stages in which the equations could stand", name),
          "take a method with stages, for instance `radau5`"};
}

Error no_history(std::string_view name) {
  return {"usage.method-unsuited",
          fmt::format("`{}` needs the steps before and cannot be inlined", name),
          "take a one-step method, for instance `radau5`"};
}

}  // namespace

std::vector<NewtonSystem> InlinedStep::newton_systems() const {
  std::vector<NewtonSystem> systems;
  for (const Block& block : sorted.blocks) {
    if (!block.is_explicit()) systems.push_back({block.tearing.size(), block.linear});
  }
  return systems;
}

std::size_t InlinedStep::iteration_variables() const {
  std::size_t count = 0;
  for (const NewtonSystem& system : newton_systems()) count += system.size;
  return count;
}

Result<InlinedStep> inline_step(const StructuredModel& model, const methods::Method& method,
                                IntegratorPivots pivots) {
  // A step of a regression formula is one of the implicit Euler method, from values that the past
  // gives, over h times the coefficient of the new slope.
  if (std::holds_alternative<const methods::Regression*>(method))
    return inline_runge_kutta(model, *methods::find_method("implicit-euler"), pivots);
  if (!methods::is_one_step(method)) return no_history(methods::name(method));
  if (const auto* const* of_variable_order = std::get_if<const methods::VariableOrder*>(&method))
    return no_variable_order(**of_variable_order);
  if (const auto* const* switching = std::get_if<const methods::Switching*>(&method))
    return no_single_method(**switching);
  if (const auto* const* automatic = std::get_if<const methods::Automatic*>(&method))
    return no_single_method(**automatic);
  if (const auto* const* tableau = std::get_if<const methods::RungeKutta*>(&method))
    return inline_runge_kutta(model, **tableau, pivots);
  if (methods::needs_model(method)) return no_stages(methods::name(method));
  const methods::Rosenbrock& rosenbrock = *std::get<const methods::Rosenbrock*>(method);
  if (!model.jacobian) {
    return Error{"usage.method-unsuited",
                 fmt::format("`{}` needs the symbolic Jacobian, which is too large for this model",
                             rosenbrock.name),
                 "take a diagonally implicit method, for instance `esdirk4`"};
  }
  return inline_rosenbrock(model, rosenbrock);
}

}  // namespace daedalus::structure
