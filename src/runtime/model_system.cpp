#include "daedalus/runtime/model_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daedalus/expr/tape.hpp"
#include "daedalus/linalg/norm.hpp"
#include "runtime/evaluation_costs.hpp"
#include "runtime/failure_text.hpp"
#include "runtime/initial_solver.hpp"
#include "runtime/model_events.hpp"
#include "runtime/sequence.hpp"
#include "runtime/workspace.hpp"

namespace daedalus::runtime {

using system::Evaluation;

namespace {

// Shared by models that differ only in the values of their parameters.
struct Program {
  structure::KernelFunctions kernels;
  SequencePlan derivatives, rest, joint;
  std::size_t first_jacobian_kernel = 0;
  std::size_t first_event_kernel = 0;
};

}  // namespace

struct ModelSystem::Code {
  struct JacobianStep {
    KernelFunction kernel;
    const structure::JacobianStep* step = nullptr;
    BlockFunctions functions = {};
  };

  Code(structure::StructuredModel given, std::shared_ptr<const Program> compiled);

  structure::StructuredModel model;
  HeldLayout layout;
  std::shared_ptr<const Program> program;  // shared: any of them may live longest
  bool depends_on_time = true;             // the derivatives
  system::Costs costs = {};
  bool has_loops = false;  // something has to be solved
  std::vector<SequenceStep> derivatives = {}, rest = {};
  std::vector<JacobianStep> jacobian_steps = {};
  KernelFunction jacobian_values = {};
  std::optional<linalg::Sparsity> pattern = {};
  std::unique_ptr<const ModelEvents> events = {};  // null where there are none
};

namespace {

std::vector<SequenceStep> bound_steps(const SequencePlan& plan,
                                      const std::vector<KernelFunction>& functions) {
  std::vector<SequenceStep> steps;
  for (const SequencePlan::Step& step : plan.steps) {
    if (!step.block) {
      steps.push_back({.assignments = functions[step.kernel]});
    } else {
      steps.push_back({.block = step.block,
                       .functions = {functions[step.kernel], functions[step.jacobian_kernel]}});
    }
  }
  return steps;
}

KernelFunction interpreted(const structure::StructuredModel& model,
                           const structure::Kernel& kernel) {
  const auto tape = std::make_shared<expr::Tape>();  // shared: std::function must be copyable
  for (const structure::Assignment& a : kernel.assignments)
    tape->assign(model.flat.arena, a.target, a.value);
  for (const structure::ExprId id : kernel.outputs) tape->output(model.flat.arena, id);
  const std::size_t symbol_count = model.symbol_count, output_count = kernel.outputs.size();
  return [tape, symbol_count, output_count](double* symbols, double* outputs) {
    tape->run({symbols, symbol_count}, {outputs, output_count});
  };
}

linalg::Sparsity make_pattern(const std::vector<structure::Entry>& entries, std::size_t size) {
  linalg::Sparsity pattern{.size = size, .starts = std::vector<int>(size + 1, 0)};
  pattern.rows.reserve(entries.size());
  for (const structure::Entry& entry : entries) {
    ++pattern.starts[entry.column + 1];
    pattern.rows.push_back(static_cast<int>(entry.row));
  }
  for (std::size_t column = 0; column < size; ++column)
    pattern.starts[column + 1] += pattern.starts[column];
  return pattern;
}

Evaluation run_steps(const structure::StructuredModel& model,
                     const std::vector<SequenceStep>& steps, Workspace& space) {
  space.failure =
      run_sequence(steps, model.dynamics, model.attributes, space.symbols.data(), space.memory);
  return space.failure ? Evaluation::Undefined : Evaluation::Defined;
}

// X = -(d residual / d tearing)^-1 rhs, with the block's factors at the current values.
Evaluation solve_step(const structure::StructuredModel& model, const structure::JacobianStep& step,
                      const BlockFunctions& functions, Workspace& space) {
  const structure::Block& block = model.dynamics.blocks[*step.block];
  BlockMemory& memory = space.memory[*step.block];
  const BlockStatus status = factor_block(block, functions, space.symbols.data(), memory);
  if (status != BlockStatus::Solved) {
    space.failure = BlockFailure{*step.block, status};
    return Evaluation::Undefined;
  }
  const std::size_t rows = block.tearing.size();
  for (std::size_t first = 0; first < step.solution.size(); first += rows) {
    const std::span<double> x = std::span(space.right_sides).subspan(first, rows);
    for (double& value : x) value = -value;
    solve_with_factors(memory, x);
    for (std::size_t i = 0; i < rows; ++i) space.symbols[index(step.solution[first + i])] = x[i];
  }
  return Evaluation::Defined;
}

// All kernels of a model, and the purpose of each.
struct AllKernels {
  std::vector<structure::Kernel> kernels = {};
  SequencePlan derivatives = {}, rest = {}, joint = {};
  std::size_t first_jacobian_kernel = 0;
  std::size_t first_event_kernel = 0;
};

AllKernels all_kernels(const structure::StructuredModel& model) {
  AllKernels all;
  all.derivatives = plan_sequence(model.dynamics, Part::FeedsDerivatives, all.kernels);
  all.rest = plan_sequence(model.dynamics, Part::Rest, all.kernels);
  if (model.discrete.joint)
    all.joint = plan_sequence(*model.discrete.joint, Part::All, all.kernels);
  all.first_jacobian_kernel = all.kernels.size();
  if (model.jacobian) {
    for (const structure::JacobianStep& step : model.jacobian->steps)
      all.kernels.push_back(step.kernel);
    all.kernels.push_back({{}, model.jacobian->values});
  }
  all.first_event_kernel = all.kernels.size();
  if (model.discrete.is_empty(model.flat)) return all;
  const structure::EventKernels& events = model.discrete.kernels;
  for (const structure::Kernel* kernel :
       {&events.margins, &events.seen_margins, &events.values, &events.time_forms,
        &events.assignments, &events.actions, &events.seen, &events.seen_forms, &events.search})
    all.kernels.push_back(*kernel);
  return all;
}

// In the order of all_kernels().
EventFunctions event_functions(std::span<const KernelFunction> functions) {
  return {.margins = functions[0],
          .seen_margins = functions[1],
          .values = functions[2],
          .time_forms = functions[3],
          .assignments = functions[4],
          .actions = functions[5],
          .seen = functions[6],
          .seen_forms = functions[7],
          .search = functions[8]};
}

bool has_loop(const structure::SortedSystem& sorted) {
  return !std::ranges::all_of(sorted.blocks, &structure::Block::is_explicit);
}

bool feels_time(const structure::StructuredModel& model) {
  expr::Walker walker;
  const auto is_time = [](expr::SymbolId id) { return id == model::FlatModel::time; };
  const auto feels = [&](expr::ExprId value) {
    return expr::depends_on(model.flat.arena, walker, value, is_time);
  };
  return std::ranges::any_of(model.dynamics.blocks, [&](const structure::Block& block) {
    return block.feeds_derivatives &&
           (std::ranges::any_of(block.assignments, feels, &structure::Assignment::value) ||
            std::ranges::any_of(block.residuals, feels));
  });
}

}  // namespace

ModelSystem::Code::Code(structure::StructuredModel given, std::shared_ptr<const Program> compiled)
    : model(std::move(given)),
      layout(model),
      program(std::move(compiled)),
      depends_on_time(feels_time(model)),
      costs(evaluation_costs(model)),
      has_loops(has_loop(model.dynamics) ||
                (model.discrete.joint && has_loop(*model.discrete.joint))) {
  const std::vector<KernelFunction>& functions = program->kernels.functions;
  derivatives = bound_steps(program->derivatives, functions);
  rest = bound_steps(program->rest, functions);
  if (!model.jacobian) {
    if (!model.jacobian_pattern.empty())
      pattern = make_pattern(model.jacobian_pattern, model.states.size());
    return;
  }
  std::vector<const BlockFunctions*> functions_of(model.dynamics.blocks.size(), nullptr);
  for (const SequenceStep& step : derivatives) {
    if (step.block) functions_of[*step.block] = &step.functions;
  }
  for (std::size_t i = 0; i < model.jacobian->steps.size(); ++i) {
    const structure::JacobianStep& step = model.jacobian->steps[i];
    JacobianStep bound{functions[program->first_jacobian_kernel + i], &step};
    if (step.block) bound.functions = *functions_of[*step.block];
    jacobian_steps.push_back(std::move(bound));
  }
  jacobian_values = functions[program->first_jacobian_kernel + model.jacobian->steps.size()];
  pattern = make_pattern(model.jacobian->entries, model.states.size());
}

ModelSystem::ModelSystem(std::unique_ptr<Code> code) : code_(std::move(code)) {
  if (code_->model.discrete.is_empty(code_->model.flat)) return;
  const Program& program = *code_->program;
  const std::vector<KernelFunction>& functions = program.kernels.functions;
  code_->events = std::make_unique<ModelEvents>(
      *this, code_->model, code_->layout,
      event_functions(std::span(functions).subspan(program.first_event_kernel)),
      bound_steps(program.joint, functions));
}
ModelSystem::~ModelSystem() = default;

Result<std::unique_ptr<ModelSystem>> ModelSystem::make(structure::StructuredModel model,
                                                       const Compiler& compile) {
  AllKernels all = all_kernels(model);
  Result<structure::KernelFunctions> functions = compile(model, std::move(all.kernels));
  if (!functions) return functions.error();
  auto program = std::make_shared<const Program>(
      Program{std::move(*functions), std::move(all.derivatives), std::move(all.rest),
              std::move(all.joint), all.first_jacobian_kernel, all.first_event_kernel});
  return std::unique_ptr<ModelSystem>(
      new ModelSystem(std::make_unique<Code>(std::move(model), std::move(program))));
}

structure::KernelFunctions interpret_kernels(const structure::StructuredModel& model,
                                             const std::vector<structure::Kernel>& kernels) {
  structure::KernelFunctions result{
      .functions = {}, .code = {}, .symbol_count = model.symbol_count};
  for (const structure::Kernel& kernel : kernels)
    result.functions.push_back(interpreted(model, kernel));
  return result;
}

std::unique_ptr<ModelSystem> ModelSystem::with_values(structure::StructuredModel model) const {
  return std::unique_ptr<ModelSystem>(
      new ModelSystem(std::make_unique<Code>(std::move(model), code_->program)));
}

const structure::StructuredModel& ModelSystem::model() const { return code_->model; }
bool ModelSystem::is_from_cache() const { return code_->program->kernels.is_from_cache; }
const void* ModelSystem::program() const { return code_->program.get(); }
std::size_t ModelSystem::size() const { return code_->model.states.size(); }

std::string ModelSystem::variable_name(std::size_t i) const {
  return code_->model.flat[code_->model.states[i]].name;
}

std::unique_ptr<system::Scratch> ModelSystem::make_scratch() const {
  return std::make_unique<Workspace>(code_->model, code_->program->kernels.symbol_count);
}

system::Held ModelSystem::make_held() const {
  system::Held held(std::vector<double>(code_->layout.size()));
  const Workspace fresh(code_->model, code_->program->kernels.symbol_count);
  code_->layout.store(fresh.symbols, fresh.state, held);
  return held;
}

system::Held ModelSystem::adopt(const system::Held& other, std::span<const double> values) const {
  return code_->layout.adopt(other, values);
}

void ModelSystem::show(const system::Held& held, std::span<double> values) const {
  code_->layout.show(held, values);
}

std::span<const std::uint32_t> ModelSystem::guesses() const { return code_->layout.followed(); }

void ModelSystem::hold_guesses(double t, std::span<const double> found, system::Held& held) const {
  code_->layout.hold_guesses(t, found, held);
}

void ModelSystem::hold_solutions(std::span<const double> values, system::Held& held) const {
  code_->layout.hold_guesses_among(values, held);
}

void ModelSystem::copy_other_guesses(const system::Held& from, system::Held& to) const {
  code_->layout.copy_other_guesses(from, to);
}

std::span<const double> ModelSystem::values(const system::Scratch& scratch) const {
  return workspace(scratch).symbols;
}

system::Costs ModelSystem::costs() const { return code_->costs; }

bool ModelSystem::depends_on_time() const { return code_->depends_on_time; }

const linalg::Sparsity* ModelSystem::jacobian_pattern() const {
  return code_->pattern ? &*code_->pattern : nullptr;
}
bool ModelSystem::has_jacobian() const { return code_->model.jacobian.has_value(); }

// Held values are where the last evaluation left them, unless they have changed; solutions of loops
// are not. This is a part of every evaluation, and nearly always there is nothing to do.
void ModelSystem::load(double t, const system::Held& held, Workspace& space) const {
  if (space.stamp != held.stamp()) load_held(held, space);
  if (code_->has_loops) begin_loops(t, held, space);
}

void ModelSystem::load_held(const system::Held& held, Workspace& space) const {
  code_->layout.load(held, space.symbols, space.state);
  space.stamp = held.stamp();
}

void ModelSystem::begin_loops(double t, const system::Held& held, Workspace& space) const {
  code_->layout.load_guesses(held, t, space.symbols);
  space.begin_evaluation();
}

Evaluation ModelSystem::run_watched(double t, std::span<const double> y, Workspace& space) const {
  put_state(code_->model, t, y, space);
  return run_steps(code_->model, code_->derivatives, space);
}

// A loop without a solution near the extrapolated guess may have one near the last solution.
Evaluation ModelSystem::evaluate(double t, std::span<const double> y, Extent extent,
                                 const system::Context& context) const {
  Workspace& space = workspace(context.scratch);
  load(t, context.held, space);
  const auto run = [&] {
    return extent == Extent::All ? run_all(t, y, space) : run_watched(t, y, space);
  };
  const Evaluation said = run();
  if (said == Evaluation::Defined || !space.failure || !code_->layout.looks_ahead(context.held, t))
    return said;
  code_->layout.load_last_guesses(context.held, space.symbols);
  space.begin_evaluation();
  return run();
}

// Small models spend as much time around their equations as in them.
Evaluation ModelSystem::derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                    const system::Context& context) const {
  Workspace& space = workspace(context.scratch);
  const Code& code = *code_;
  if (code.has_loops) {
    if (evaluate(t, y, Extent::Watched, context) == Evaluation::Undefined)
      return Evaluation::Undefined;
  } else {
    if (space.stamp != context.held.stamp()) load_held(context.held, space);
    put_state(code.model, t, y, space);
    for (const SequenceStep& step : code.derivatives)
      step.assignments(space.symbols.data(), nullptr);
  }
  const double* const symbols = space.symbols.data();
  const structure::VariableId* const places = code.model.derivatives.data();
  double* const found = dydt.data();
  double sum = 0.0;  // of differences that are 0, or not finite
  for (std::size_t i = 0, n = dydt.size(); i < n; ++i) {
    const double value = symbols[index(places[i])];
    found[i] = value;
    sum += value - value;
  }
  return sum == 0.0 ? Evaluation::Defined : Evaluation::Undefined;
}

Evaluation ModelSystem::run_all(double t, std::span<const double> y, Workspace& space) const {
  if (run_watched(t, y, space) == Evaluation::Undefined) return Evaluation::Undefined;
  if (run_steps(code_->model, code_->rest, space) == Evaluation::Undefined)
    return Evaluation::Undefined;
  return find_not_finite(code_->model.dynamics, space.symbols) ? Evaluation::Undefined
                                                               : Evaluation::Defined;
}

Evaluation ModelSystem::evaluate_all(double t, std::span<const double> y,
                                     const system::Context& context) const {
  return evaluate(t, y, Extent::All, context);
}

const system::Events* ModelSystem::events() const { return code_->events.get(); }

bool ModelSystem::hold_switches(double t, std::span<const double> y, system::Held& held,
                                system::Scratch& scratch) const {
  return !code_->events || code_->events->hold_switches(t, y, held, workspace(scratch));
}

Evaluation ModelSystem::jacobian(double t, std::span<const double> y, std::span<double> values,
                                 const system::Context& context) const {
  Workspace& space = workspace(context.scratch);
  if (evaluate(t, y, Extent::Watched, context) == Evaluation::Undefined)
    return Evaluation::Undefined;
  for (const Code::JacobianStep& bound : code_->jacobian_steps) {
    bound.kernel(space.symbols.data(), space.right_sides.data());
    if (!bound.step->block) continue;
    if (solve_step(code_->model, *bound.step, bound.functions, space) == Evaluation::Undefined) {
      return Evaluation::Undefined;
    }
  }
  code_->jacobian_values(space.symbols.data(), values.data());
  return linalg::all_finite(values) ? Evaluation::Defined : Evaluation::Undefined;
}

system::Fault ModelSystem::why_undefined(const system::Scratch& scratch) const {
  const Workspace& space = workspace(scratch);
  const structure::SortedSystem& dynamics = code_->model.dynamics;
  if (const std::optional<NotFinite> found = find_not_finite(dynamics, space.symbols)) {
    return {describe_not_finite(code_->model, dynamics, *found, space.symbols),
            dynamics.equations[index(found->equation)].span};
  }
  if (!space.failure) return {"the Jacobian is not finite"};
  const BlockMemory& memory = space.memory[space.failure->block];
  return {describe_failure(code_->model, dynamics, *space.failure, space.symbols, memory),
          worst_equation(dynamics, *space.failure, memory).span};
}

namespace {

Diagnostic not_finite_at_start(const structure::StructuredModel& model,
                               const structure::SortedSystem& sorted, const NotFinite& found,
                               const Workspace& space) {
  return {.code = "initial-nonfinite",
          .span = sorted.equations[index(found.equation)].span,
          .message = fmt::format("at the start, {}",
                                 describe_not_finite(model, sorted, found, space.symbols)),
          .hint = "change the start values or the parameters in this expression"};
}

// The failure of a sorted system at the start, if any.
std::optional<Diagnostic> failure_at_start(const structure::StructuredModel& model,
                                           const structure::SortedSystem& sorted,
                                           const std::optional<BlockFailure>& failure,
                                           const BlockMemories& memory, const Workspace& space) {
  if (const std::optional<NotFinite> found = find_not_finite(sorted, space.symbols))
    return not_finite_at_start(model, sorted, *found, space);
  if (failure)
    return describe_failed_start(model, sorted, *failure, space.symbols, memory[failure->block]);
  return std::nullopt;
}

// Held values that do not agree, or a failed assertion, at the start.
std::optional<Diagnostic> failure_to_settle(const system::Settling& settled) {
  using End = system::Settling::End;
  switch (settled.end) {
    case End::Settled:
    case End::Terminated:
      return std::nullopt;
    case End::DoesNotSettle:
      return Diagnostic{.code = "event-iteration",
                        .span = settled.span,
                        .message = fmt::format("at the start, {}", settled.message),
                        .hint =
                            "no values of them satisfy all equations: look for a condition that "
                            "undoes itself"};
    case End::Violated:
      return Diagnostic{.code = "assertion",
                        .span = settled.span,
                        .message = fmt::format("at the start: {}", settled.message)};
    case End::Undefined:
      return Diagnostic{.code = "initial-nonfinite",
                        .span = settled.span,
                        .message = fmt::format("at the start, {}", settled.message)};
  }
  return std::nullopt;
}

std::optional<Diagnostic> solve_initial_system(const structure::StructuredModel& model,
                                               Workspace& space, std::vector<std::string>& notes) {
  std::vector<structure::Kernel> kernels;
  const SequencePlan plan = plan_sequence(model.initial, Part::All, kernels);
  BlockMemories memory(model.initial);
  const std::vector<SequenceStep> steps =
      bound_steps(plan, interpret_kernels(model, kernels).functions);
  const std::optional<BlockFailure> failure =
      run_at_start(steps, model, model.initial, space.symbols.data(), memory, notes);
  return failure_at_start(model, model.initial, failure, memory, space);
}

}  // namespace

std::optional<Diagnostic> ModelSystem::solve_start(double t, Workspace& space,
                                                   std::vector<std::string>& notes) const {
  const structure::StructuredModel& model = code_->model;
  space.symbols[index(model::FlatModel::time)] = t;
  if (!model.start_values) return solve_initial_system(model, space, notes);
  expr::Walker walker;
  for (const structure::Assignment& start : *model.start_values) {
    space.symbols[index(start.target)] =
        expr::evaluate(model.flat.arena, walker, start.value, space.symbols);
  }
  const auto run_rest = [&](const std::vector<SequenceStep>& steps) {
    return run_at_start(steps, model, model.dynamics, space.symbols.data(), space.memory, notes);
  };
  space.failure = run_rest(code_->derivatives);
  if (!space.failure) space.failure = run_rest(code_->rest);
  return failure_at_start(model, model.dynamics, space.failure, space.memory, space);
}

Start ModelSystem::initialise(double t) const {
  Workspace space(code_->model, code_->program->kernels.symbol_count);
  Start start;
  const auto solve = [&] {
    start.notes.clear();
    start.failure = solve_start(t, space, start.notes);
    return !start.failure;
  };
  if (!code_->events) {
    solve();
  } else if (std::optional<system::Settling> settled = code_->events->begin(t, space, solve)) {
    if (settled->end == system::Settling::End::Terminated) start.end = settled->message;
    start.warnings = std::move(settled->warnings);
    start.failure = failure_to_settle(*settled);
  }
  start.held = make_held();
  if (!start.failure) code_->layout.store(space.symbols, space.state, start.held);
  start.values = std::move(space.symbols);
  return start;
}

std::vector<double> ModelSystem::states_in(std::span<const double> values) const {
  std::vector<double> y;
  y.reserve(size());
  for (const structure::VariableId state : code_->model.states) y.push_back(values[index(state)]);
  return y;
}

}  // namespace daedalus::runtime
