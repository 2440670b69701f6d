// Linearises by means of a second model, the open one: its inputs are constant states
// (u' = 0), and each output is the derivative of an additional state (z' = y). The Jacobian that
// the compiler derives for it is then
//
//          x  u  z
//     x' [ A  B  0 ]
//     u' [ 0  0  0 ]
//     z' [ C  D  0 ]
//
// and exact through every algebraic loop, although the compiler knows nothing of inputs and
// outputs.
#include "daedalus/engine/linearize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "daedalus/base/check.hpp"
#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/resolved_options.hpp"
#include "daedalus/linalg/modes.hpp"
#include "daedalus/modelica/modelica.hpp"
#include "daedalus/structure/structure.hpp"
#include "engine/inputs.hpp"
#include "engine/settings.hpp"

namespace daedalus::engine {
namespace {

using model::FlatModel;
using model::VariableId;
using solution::LinearModel;

// The recorder follows the branch of a loop from row to row: with few rows it could lose it.
constexpr std::size_t rows_on_the_way = 500;

struct OpenModel {
  FlatModel flat;
  std::size_t original_variables = 0;  // the first ones, which the model itself also has
  std::vector<VariableId> inputs = {}, outputs = {};
  std::vector<VariableId> integrals = {};  // of the outputs, in their order
  std::vector<std::string> notes = {};
};

// Linear models have no derivatives of quantities that are not Real.
bool is_differentiable(const model::Variable& variable, std::string_view what, OpenModel& open) {
  if (variable.type == model::Type::Real) return true;
  open.notes.push_back(fmt::format("the {} `{}` is left out: it is {}", what, variable.name,
                                   model::type_name(variable.type)));
  return false;
}

OpenModel open_model(FlatModel flat) {
  OpenModel open{.flat = std::move(flat)};
  FlatModel& f = open.flat;
  open.original_variables = f.variables.size();
  f.initial_equations.clear();  // the point is known
  for (std::size_t i = 1; i < open.original_variables; ++i) {
    const VariableId id(i);
    f[id].fixed = false;
    if (f[id].is_input && is_differentiable(f[id], "input", open)) open.inputs.push_back(id);
    if (f[id].is_output && is_differentiable(f[id], "output", open)) open.outputs.push_back(id);
  }
  for (const VariableId input : open.inputs) {
    f[input].is_input = false;
    f[input].binding = {};
    const VariableId derivative = model::derivative_of(f, input);
    f.equations.push_back({f.arena.symbol(derivative), f.arena.constant(0.0), f[input].span});
  }
  for (const VariableId output : open.outputs) {
    const VariableId integral(f.variables.size());
    f.variables.push_back(
        {.name = fmt::format("integral of {}", f[output].name), .span = f[output].span});
    open.integrals.push_back(integral);
    const VariableId derivative = model::derivative_of(f, integral);
    f.equations.push_back({f.arena.symbol(derivative), f.arena.symbol(output), f[output].span});
  }
  return open;
}

// The model's text, read again up to where inputs are bound.
FlatModel read_again(const Model& model, Phases& phases) {
  Diagnostics diagnostics;
  std::optional<FlatModel> flat = modelica::read_model(
      model.sources, model.source, model.name, diagnostics, phases, overrides_of(model.settings));
  DAEDALUS_CHECK(flat);  // it was read before
  const std::optional<Error> misfit = apply_settings(*flat, model.settings);
  DAEDALUS_CHECK(!misfit);
  return std::move(*flat);
}

Result<std::unique_ptr<runtime::ModelSystem>> compile_open(OpenModel& open,
                                                           const solution::Table& table,
                                                           Phases& phases) {
  Diagnostics diagnostics;
  const bool bound = bind_inputs(open.flat, diagnostics);  // those that are not Real
  DAEDALUS_CHECK(bound);
  std::optional<structure::StructuredModel> structured =
      structure::analyse(std::move(open.flat), diagnostics, phases);
  if (!structured) {
    const auto error = std::ranges::find(diagnostics.all(), Severity::Error, &Diagnostic::severity);
    return Error{"model.input-determined",
                 fmt::format("the model cannot be solved with its inputs free: {}", error->message),
                 "an input must not follow from the equations of the model"};
  }
  if (!structured->jacobian) {
    return Error{"model.jacobian-too-large",
                 fmt::format("the {0} x {0} Jacobian is too dense to be derived exactly",
                             structured->states.size()),
                 "models of this size can be linearised if each state depends on few others"};
  }
  std::unordered_map<std::string_view, std::size_t> number_of;  // never iterated over
  for (std::size_t i = 1; i < open.original_variables; ++i)
    number_of[structured->flat.variables[i].name] = i;
  // Evaluation starts from the start values: where a loop has several solutions, it stays on the
  // branch of the run.
  for (const solution::Variable& known : table.variables) {
    const auto variable = number_of.find(known.name);
    if (variable != number_of.end())
      structured->attributes[variable->second].start = table.value(known, table.rows() - 1);
  }
  return compile_system(std::move(*structured), phases);
}

// Where the rows and columns of the open model's Jacobian go.
struct Place {
  enum class Part { State, Input, Output } part = Part::State;
  std::size_t number = 0;
};

std::vector<Place> places_of(const structure::StructuredModel& open_structure,
                             const OpenModel& open, const std::vector<VariableId>& states) {
  std::vector<std::optional<Place>> by_variable(open_structure.flat.variables.size());
  const auto place = [&](const std::vector<VariableId>& variables, Place::Part part) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      by_variable[index(variables[i])] = Place{part, i};
    }
  };
  place(states, Place::Part::State);
  place(open.inputs, Place::Part::Input);
  place(open.integrals, Place::Part::Output);
  DAEDALUS_CHECK(open_structure.states.size() ==
                 states.size() + open.inputs.size() + open.integrals.size());
  std::vector<Place> places;
  for (const VariableId state : open_structure.states) {
    DAEDALUS_CHECK(by_variable[index(state)]);
    places.push_back(*by_variable[index(state)]);
  }
  return places;
}

void distribute(const linalg::Sparsity& pattern, const std::vector<double>& values,
                const std::vector<Place>& places, LinearModel& linear) {
  using Part = Place::Part;
  const std::size_t n = linear.states.size(), m = linear.inputs.size(), p = linear.outputs.size();
  linear.A = {n, n};
  linear.B = {n, m};
  linear.C = {p, n};
  linear.D = {p, m};
  for (std::size_t column = 0; column < pattern.size; ++column) {
    const Place& to = places[column];
    for (int k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k) {
      const Place& from = places[static_cast<std::size_t>(pattern.rows[k])];
      if (from.part == Part::Input || values[k] == 0.0) continue;
      DAEDALUS_CHECK(to.part != Part::Output);  // nothing depends on an output's integral
      solution::Matrix& matrix = from.part == Part::State
                                     ? (to.part == Part::State ? linear.A : linear.B)
                                     : (to.part == Part::State ? linear.C : linear.D);
      matrix.entries.push_back({from.number, to.number, values[k]});
    }
  }
  for (solution::Matrix* matrix : {&linear.A, &linear.B, &linear.C, &linear.D}) {
    std::ranges::sort(matrix->entries, {}, [](const solution::MatrixEntry& entry) {
      return std::pair(entry.row, entry.column);
    });
  }
}

// Growing and slow ones first; of a complex pair, the one with the positive imaginary part first.
bool comes_before(const std::complex<double>& a, const std::complex<double>& b) {
  if (a.real() != b.real()) return a.real() > b.real();
  if (std::abs(a.imag()) != std::abs(b.imag())) return std::abs(a.imag()) < std::abs(b.imag());
  return a.imag() > b.imag();
}

// Shares that differ only by rounding leave the states in their order.
double rounded_share(const solution::Participation& participation) {
  return std::round(participation.share * 1e9);
}

void find_modes(LinearModel& linear) {
  constexpr double dominant_share = 0.1;
  const std::size_t n = linear.states.size();
  if (n > solution::most_dense) {
    linear.why_no_modes = fmt::format("eigenvalues are computed for up to {} states, this has {}",
                                      solution::most_dense, n);
    return;
  }
  const std::optional<linalg::Modes> found = linalg::modes(n, linear.A.dense());
  if (!found) {
    linear.why_no_modes = "the iteration for the eigenvalues does not converge";
    return;
  }
  linear.modes.emplace();
  for (std::size_t k = 0; k < n; ++k) {
    solution::Mode& mode = linear.modes->emplace_back();
    mode.eigenvalue = found->values[k];
    const std::vector<double>& shares = found->shares[k];
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (shares[i] > dominant_share) mode.dominant.push_back({i, shares[i]});
    }
    std::ranges::stable_sort(mode.dominant, std::greater{}, rounded_share);
  }
  std::ranges::stable_sort(*linear.modes, comes_before, &solution::Mode::eigenvalue);
}

// Names and values at the point.
LinearModel at_point(const Model& model, const OpenModel& open, const solution::Table& table) {
  const structure::StructuredModel& structured = model.system->model();
  const std::size_t row = table.rows() - 1;
  const auto name_of = [&](VariableId id) { return std::string_view(structured.flat[id].name); };
  LinearModel linear{.model = model.name,
                     .description = model.description,
                     .time = table.time(row),
                     .notes = open.notes};
  std::unordered_map<std::string_view, const solution::Variable*> by_name;  // never iterated over
  for (const solution::Variable& variable : table.variables) by_name[variable.name] = &variable;
  const auto take = [&](const std::vector<VariableId>& variables, std::vector<double>& values,
                        std::vector<std::string>* names) {
    for (const VariableId id : variables) {
      const solution::Variable& variable = *by_name.at(name_of(id));
      values.push_back(table.value(variable, row));
      if (names != nullptr) names->push_back(variable.name);
    }
  };
  take(structured.states, linear.x0, &linear.states);
  take(structured.derivatives, linear.derivatives, nullptr);
  take(open.inputs, linear.u0, &linear.inputs);
  take(open.outputs, linear.y0, &linear.outputs);
  return linear;
}

solution::Outcome undefined_at(const runtime::ModelSystem& system, const system::Scratch& scratch,
                               double t) {
  const system::Fault fault = system.why_undefined(scratch);
  return {.status = solution::Status::Failed,
          .reason = solution::Reason::Domain,
          .time = t,
          .span = fault.span,
          .message = fmt::format("at t = {:.10g}, {}", t, fault.text),
          .hint = "linearise at a point where the equations can be differentiated"};
}

}  // namespace

Result<Linearization> linearize(const Model& model, Options options) {
  const double start = options.start.value_or(model.experiment.start_time.value_or(0.0));
  if (!options.stop) options.stop = start;
  if (*options.stop < start) {
    return Error{"usage.option", fmt::format("the point at t = {:g} lies before the start at {:g}",
                                             *options.stop, start)};
  }
  if (!model.system->model().groups.empty()) {
    return Error{"unsupported.linearize",
                 fmt::format("models of index {} cannot be linearised yet: their states are chosen "
                             "among several",
                             model.system->model().index),
                 "write the model in coordinates without constraints"};
  }
  options.interval.reset();
  options.intervals = rows_on_the_way;
  Result<solution::Solution> run = simulate(model, options);
  if (!run) return run.error();
  Linearization result{.run = std::move(*run)};
  if (!result.run.outcome.finished()) return result;

  OpenModel open = open_model(read_again(model, result.run.phases));
  const solution::Table& table = result.run.table;
  LinearModel linear = at_point(model, open, table);
  const Result<std::unique_ptr<runtime::ModelSystem>> system =
      compile_open(open, table, result.run.phases);
  if (!system) return system.error();

  std::optional<PhaseTimer> timer(std::in_place, result.run.phases, "linearize");
  const structure::StructuredModel& structured = (*system)->model();
  std::vector<double> y;
  for (const VariableId state : structured.states) {
    y.push_back(structured.attributes[index(state)].start);
  }
  const std::unique_ptr<system::Scratch> scratch = (*system)->make_scratch();
  system::Held held = (*system)->make_held();
  const linalg::Sparsity& pattern = *(*system)->jacobian_pattern();
  std::vector<double> values(pattern.entries());
  if (!(*system)->hold_switches(linear.time, y, held, *scratch) ||
      (*system)->jacobian(linear.time, y, values, {held, *scratch}) ==
          system::Evaluation::Undefined) {
    result.run.outcome = undefined_at(**system, *scratch, linear.time);
    return result;
  }
  distribute(pattern, values, places_of(structured, open, model.system->model().states), linear);
  find_modes(linear);
  result.linear = std::move(linear);
  timer.reset();  // writes its phase before the result is returned
  return result;
}

}  // namespace daedalus::engine
