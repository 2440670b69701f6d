#include "engine/recorders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daedalus/structure/structure.hpp"

namespace daedalus::engine {
namespace {

solution::Kind kind_of(model::Type type) {
  switch (type) {
    case model::Type::Real:
      return solution::Kind::Real;
    case model::Type::Integer:
      return solution::Kind::Integer;
    case model::Type::Boolean:
      return solution::Kind::Boolean;
  }
  return solution::Kind::Real;
}

solution::Variable describe(const model::Variable& variable) {
  return {.name = variable.name,
          .unit = variable.unit,
          .description = variable.description,
          .kind = kind_of(variable.type)};
}

// Events that have two rows of their own in the table; others only show in the rows of the grid, so
// that a million of them needs no more memory than the grid. An event at the very end always has
// rows: the last row shows the values with which the run ends.
constexpr std::size_t most_events_with_rows = 20'000;

// Steps that the history keeps: of longer runs every second one, every fourth, ...
constexpr std::size_t most_steps_kept = std::size_t{1} << 18;

// What the run needs for itself.
bool is_internal(const model::Variable& variable) {
  return variable.is_hidden || !variable.pre_of.is_none();
}

bool has_column(const model::FlatModel& flat, model::VariableId id) {
  return id != model::FlatModel::time && !is_internal(flat[id]) &&
         !model::is_fixed_in_time(flat[id].variability);
}

}  // namespace

solution::Recording GridRecorder::start(double t, std::span<const double> y) {
  next_ = 1;
  return add_row(t, y);
}

solution::Recording GridRecorder::step(const solution::DenseStep& step) {
  if (is_row_missing_) return solution::Recording::Stop;
  note_step(step);
  end_time_ = step.end();
  if (!end_.empty()) std::ranges::copy(step.end_state(), end_.begin());
  for (; next_ <= options_.intervals && options_.grid_point(next_) <= step.end(); ++next_) {
    const double t = options_.grid_point(next_);
    step.at(t, state_);
    const bool is_end = t == step.end();
    if (add_row(t, is_end ? step.end_state() : state_) == solution::Recording::Continue) continue;
    if (refusal_) return solution::Recording::Stop;
    // An event may follow, whose time is known to the tolerance.
    is_row_missing_ = step.end() - t <= options_.rtol * std::abs(step.end());
    if (!is_row_missing_) return solution::Recording::Stop;
  }
  return solution::Recording::Continue;
}

void GridRecorder::note_step(const solution::DenseStep& step) {
  if (step_count_++ % steps_for_each_kept_ != 0) return;
  std::vector<solution::StepRecord>& kept = into_.history;
  if (kept.size() == most_steps_kept) {
    for (std::size_t i = 0; 2 * i < kept.size(); ++i) kept[i] = kept[2 * i];
    kept.resize(kept.size() / 2);
    steps_for_each_kept_ *= 2;
  }
  kept.push_back({step.end(), step.end() - step.begin(), step.error()});
}

// Rows before and after the event. At the very start there is none before.
solution::Recording GridRecorder::event(double t, std::span<const double> y) {
  is_row_missing_ = false;
  const bool has_rows = ++event_count_ <= most_events_with_rows || t == options_.stop;
  const std::size_t rows = into_.table.rows();
  const bool is_told = rows > 0 && into_.table.time(rows - 1) == t;
  if (has_rows && !is_told && add_row_if_defined(t, end_) == solution::Recording::Stop)
    return solution::Recording::Stop;
  pass_event();
  return has_rows ? add_row(t, y) : solution::Recording::Continue;
}

void GridRecorder::archive(Archive& a) {
  std::size_t width = into_.table.width;
  a(width, into_.table.cells, into_.history, end_, end_time_, next_, event_count_, step_count_,
    steps_for_each_kept_);
  if (!a.is_reading()) return;
  Archive::require(width == into_.table.width && into_.table.cells.size() % width == 0 &&
                   steps_for_each_kept_ > 0);
  if (sink_ != nullptr && !into_.table.cells.empty()) note_refusal(sink_->start(into_.table));
}

void GridRecorder::move_to_grid(double t) {
  next_ = 1;
  if (options_.interval > 0.0)
    next_ +=
        static_cast<std::size_t>(std::max(0.0, (t - options_.start) / options_.interval - 1.0));
  while (next_ <= options_.intervals && options_.grid_point(next_) <= t) ++next_;
}

solution::Recording GridRecorder::store(std::span<const double> cells) {
  std::vector<double>& kept = into_.table.cells;
  std::optional<Error> error;
  if (sink_ != nullptr && kept.empty()) error = sink_->start(into_.table);
  if (!keeps_rows_) kept.clear();
  kept.insert(kept.end(), cells.begin(), cells.end());
  if (sink_ != nullptr && !error) error = sink_->row(cells);
  note_refusal(std::move(error));
  return refusal_ ? solution::Recording::Stop : solution::Recording::Continue;
}

void GridRecorder::note_refusal(std::optional<Error> error) {
  if (!error) return;
  refusal_ = solution::Outcome{.status = solution::Status::Failed,
                               .reason = solution::Reason::Io,
                               .time = into_.table.time(into_.table.rows() - 1),
                               .message = std::move(error->message),
                               .hint = std::move(error->hint)};
}

void GridRecorder::end(const solution::Outcome& outcome, std::span<const double> y) {
  const std::size_t rows = into_.table.rows();
  if (refusal_ || rows == 0) return;  // also of a run that could not start
  if (into_.table.time(rows - 1) >= outcome.time || outcome.time != end_time_) return;
  // An event that could not be settled may have changed y.
  add_row_if_defined(outcome.time, end_.empty() ? y : std::span<const double>(end_));
}

StateRecorder::StateRecorder(const ResolvedOptions& resolved, const Options& options,
                             const system::System& system, solution::Solution& into)
    : GridRecorder(resolved, options, system, into) {
  into.table.width = 1 + system.size();
  for (std::size_t i = 0; i < system.size(); ++i) {
    into.table.variables.push_back({.name = system.variable_name(i), .place = i + 1});
  }
}

solution::Recording StateRecorder::add_row(double t, std::span<const double> y) {
  row_.assign({t});
  row_.insert(row_.end(), y.begin(), y.end());
  return store(row_);
}

ModelRecorder::ModelRecorder(const ResolvedOptions& resolved, const Options& options,
                             const runtime::ModelSystem& system, const system::Held& held,
                             solution::Solution& into)
    : GridRecorder(resolved, options, system, into),
      system_(&system),
      scratch_(system.make_scratch()),
      held_(system, held),
      constraints_(system.model()),
      first_model_(system.model()) {
  const structure::StructuredModel& model = system.model();
  std::vector<const structure::Alias*> alias_of(model.flat.variables.size(), nullptr);
  for (const structure::Alias& alias : model.aliases) alias_of[index(alias.variable)] = &alias;
  // The columns: what is recorded, under its own name or that of its representative.
  std::vector<bool> is_shown(model.flat.variables.size(), false), has_place = is_shown;
  for (std::size_t i = 1; i < model.flat.variables.size(); ++i) {
    const model::Variable& variable = model.flat.variables[i];
    is_shown[i] =
        !is_internal(variable) && (!options.is_recorded || options.is_recorded(variable.name));
    if (!is_shown[i] || !has_column(model.flat, structure::VariableId(i))) continue;
    has_place[alias_of[i] != nullptr ? index(alias_of[i]->representative) : i] = true;
  }
  std::vector<std::size_t> place(model.flat.variables.size(), 0);
  for (std::size_t i = 1; i < model.flat.variables.size(); ++i) {
    if (!has_place[i]) continue;
    columns_.emplace_back(i);
    place[i] = columns_.size();
  }
  for (std::size_t i = 1; i < model.flat.variables.size(); ++i) {
    if (is_internal(model.flat.variables[i])) continue;
    const structure::VariableId id(i);
    if ((model.attributes[i].min || model.attributes[i].max) && has_column(model.flat, id)) {
      bounded_.push_back({.variable = id,
                          .value = alias_of[i] != nullptr ? alias_of[i]->representative : id,
                          .sign = alias_of[i] != nullptr ? alias_of[i]->sign : 1});
    }
    if (!is_shown[i]) continue;
    solution::Variable variable = describe(model.flat.variables[i]);
    if (alias_of[i] != nullptr) {
      variable.place = place[index(alias_of[i]->representative)];
      variable.sign = alias_of[i]->sign;
    } else if (place[i] != 0) {
      variable.place = place[i];
    } else {
      variable.is_constant = true;
      variable.place = into.table.constants.size();
      into.table.constants.push_back(model.values[i]);
    }
    into.table.variables.push_back(std::move(variable));
  }
  into.table.width = 1 + columns_.size();
}

void ModelRecorder::move_to(const runtime::ModelSystem& system, const system::Held& held) {
  system_ = &system;
  scratch_ = system.make_scratch();
  held_ = Followed(system, held);
  mixture_ = next_mixture_ = nullptr;
}

solution::Recording ModelRecorder::step(const solution::DenseStep& step) {
  held_.go_on();
  for (Followed& side : sides_) side.go_on();
  return GridRecorder::step(step);
}

solution::Recording ModelRecorder::add_row(double t, std::span<const double> y) {
  if (held_.evaluate(t, y, *scratch_) == system::Evaluation::Undefined ||
      (mixture_ != nullptr && !mix(t, y))) {
    const system::Fault fault = system_->why_undefined(*scratch_);
    failure_ =
        solution::Outcome{.status = solution::Status::Failed,
                          .reason = solution::Reason::Domain,
                          .time = t,
                          .span = fault.span,
                          .message = fmt::format("at t = {:.10g}, {}", t, fault.text),
                          .hint = "the solution leaves the range where this expression is defined"};
    return solution::Recording::Stop;
  }
  const std::span<const double> values =
      mixture_ != nullptr ? std::span<const double>(values_) : system_->values(*scratch_);
  row_.assign({t});
  for (const structure::VariableId id : columns_) row_.push_back(values[index(id)]);
  const solution::Recording recording = store(row_);
  check_bounds(t, values);
  constraints_.look(t, values);
  return recording;
}

// Reals are between those of the sides; other variables are those of the first side. Derivatives of
// states include the forces of contacts.
bool ModelRecorder::mix(double t, std::span<const double> y) {
  const structure::StructuredModel& model = system_->model();
  if (!mixture_->evaluate(t, y, shares_, force_)) return false;
  const std::span<const double> values = system_->values(*scratch_);
  const std::vector<double> first(values.begin(), values.end());
  values_ = first;
  for (std::size_t j = 0; j < sides_.size(); ++j) {
    if (sides_[j].evaluate(t, y, *scratch_) == system::Evaluation::Undefined) return false;
    const std::span<const double> side = system_->values(*scratch_);
    for (std::size_t i = 1; i < model.flat.variables.size(); ++i) {
      if (model.flat.variables[i].type == model::Type::Real)
        values_[i] += shares_[j] * (side[i] - first[i]);
    }
  }
  for (std::size_t k = 0; k < y.size(); ++k) values_[index(model.derivatives[k])] += force_[k];
  for (std::size_t k = 0; k < y.size(); ++k) values_[index(model.states[k])] = y[k];
  return true;
}

solution::Recording ModelRecorder::add_row_if_defined(double t, std::span<const double> y) {
  if (held_.evaluate(t, y, *scratch_) == system::Evaluation::Undefined)
    return solution::Recording::Continue;
  return add_row(t, y);
}

void ModelRecorder::pass_event() {
  failure_.reset();
  held_.go_on();
  take_mixture();
}

void ModelRecorder::archive(Archive& a) {
  GridRecorder::archive(a);
  a(held_, constraints_);
  if (a.is_reading()) take_mixture();
  for (Followed& side : sides_) a(side);
  for (Bounded& one : bounded_) a(one.reported);
}

void ModelRecorder::take_mixture() {
  mixture_ = next_mixture_;
  sides_.clear();
  if (mixture_ == nullptr) return;
  for (const system::Held& side : mixture_->sides()) sides_.emplace_back(*system_, side);
  shares_.resize(sides_.size());
  force_.resize(system_->size());
}

std::optional<solution::ConstraintDrift> ModelRecorder::drift() const {
  const std::optional<structure::Drift> worst = constraints_.worst();
  if (!worst) return std::nullopt;
  const model::FlatModel& flat = first_model_.flat;
  const model::Equation& equation = flat.equations[index(worst->equation)];
  return solution::ConstraintDrift{
      .largest = worst->largest,
      .time = worst->time,
      .derivative = worst->times,
      .equation = structure::equation_text(flat, equation, structure::names_of(first_model_)),
      .span = equation.span};
}

// A bound that is only exceeded by rounding is not worth a warning.
void ModelRecorder::check_bounds(double t, std::span<const double> values) {
  const structure::StructuredModel& model = system_->model();
  for (Bounded& bounded : bounded_) {
    const structure::Attributes& attributes = model.attributes[index(bounded.variable)];
    const double value = bounded.sign * values[index(bounded.value)];
    const auto slack = [](double bound) { return 1e-12 * std::max(1.0, std::abs(bound)); };
    const bool below = attributes.min && value < *attributes.min - slack(*attributes.min),
               above = attributes.max && value > *attributes.max + slack(*attributes.max);
    if (bounded.reported || !(below || above)) continue;
    bounded.reported = true;
    into_.warnings.push_back(fmt::format("`{}` = {:.6g} is {} its {} of {:.6g} at t = {:.6g}",
                                         model.flat[bounded.variable].name, value,
                                         below ? "below" : "above", below ? "minimum" : "maximum",
                                         below ? *attributes.min : *attributes.max, t));
  }
}

}  // namespace daedalus::engine
