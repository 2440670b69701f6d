#include "steps/torn_stages.hpp"

#include <algorithm>
#include <cmath>

#include "daedalus/integrate/coefficients.hpp"
#include "daedalus/methods/properties.hpp"
#include "steps/newton_loop.hpp"

namespace daedalus::steps {

using structure::Block;
using structure::VariableId;

namespace {

// Choosing pivots takes cubic time in the tearing variables, and choosing these up to quadratic
// time in the unknowns of a system: a fifth of a second for this many.
constexpr std::size_t most_torn = 150;
constexpr std::size_t most_unknowns = 500;

// A correction this small relative to the tearing variables cannot be improved upon: the change of
// states that are small differences of large values may then be nothing but rounding.
constexpr double rounding = 1e-13;

// States do not show tearing variables that have had no effect on them yet, such as the force of a
// pendulum that begins to fall. A relative correction of these counts as this fraction of one of
// the states.
constexpr double algebraic_share = 0.01;
constexpr double smallest_rtol = 1e-10;

bool is_diagonal(const methods::RungeKutta& method) {
  return methods::structure(method) != methods::Structure::FullyImplicit;
}

const methods::RungeKutta& tableau(const structure::InlinedStep& step) {
  return *std::get<const methods::RungeKutta*>(step.method);
}

}  // namespace

std::unique_ptr<TornStages> TornStages::make(const structure::StructuredModel& model,
                                             const methods::RungeKutta& method,
                                             std::span<const double> point) {
  const std::size_t together = is_diagonal(method) ? 1 : methods::stages(method);
  if (together * (model.equation_count + model.states.size()) > most_unknowns) return nullptr;
  Result<structure::InlinedStep> step = structure::inline_step(model, &method);
  if (!step) return nullptr;
  for (const structure::NewtonSystem& system : step->newton_systems()) {
    if (system.size > most_torn) return nullptr;
  }
  std::unique_ptr<TornStages> stages(new TornStages(model, std::move(*step)));
  return stages->choose_pivots(point) ? std::move(stages) : nullptr;
}

TornStages::TornStages(const structure::StructuredModel& model, structure::InlinedStep step)
    : step_(std::move(step)),
      blocks_(step_.sorted, step_.attributes, model.flat.variables.size()),
      s_(step_.stages.size()),
      n_(step_.begin.size()),
      is_diagonal_(is_diagonal(tableau(step_))),
      place_of_(step_.flat.variables.size()),
      component_of_(step_.flat.variables.size(), none),
      track_of_(model.flat.variables.size(), none) {
  const methods::Row first = methods::full_matrix(tableau(step_)).front();
  begins_explicitly_ = std::ranges::all_of(first, [](methods::Real a) { return a == 0; });
  for (std::size_t i = 0; i < s_; ++i) {
    const structure::InlinedStage& stage = step_.stages[i];
    for (std::size_t v = 0; v < stage.copies.size(); ++v) {
      if (!stage.copies[v].is_none()) place_of_[index(stage.copies[v])] = {VariableId(v), i};
    }
    for (std::size_t k = 0; k < n_; ++k) component_of_[index(stage.states[k])] = k;
  }
  for (const Block& block : model.dynamics.blocks) {
    if (block.is_explicit() || block.linear || !block.feeds_derivatives) continue;
    for (const VariableId id : block.tearing) add_track(id, true);
  }
  for (const Block& block : step_.sorted.blocks) {
    if (block.is_explicit() || block.linear || !is_written(block)) continue;
    for (const VariableId id : block.tearing) add_track(place_of_[index(id)].variable, false);
  }
}

// Of what is not computed otherwise: the first stage of some methods is the start, where f is
// known, and the end is combined from the stages.
bool TornStages::is_written(const Block& block) const {
  const VariableId first = block.unknowns.front();
  if (!block.feeds_derivatives && component_of_[index(first)] == none) return false;
  const std::size_t stage = place_of_[index(first)].stage;
  return stage != none && !(begins_explicitly_ && stage == 0);
}

bool TornStages::has_states(const Block& block) const {
  return std::ranges::any_of(block.unknowns,
                             [&](VariableId id) { return component_of_[index(id)] != none; });
}

void TornStages::add_track(VariableId variable, bool is_guess) {
  std::size_t& track = track_of_[index(variable)];
  if (track != none) return;
  track = tracks_.size();
  const VariableId copy = step_.stages.front().copies[index(variable)];
  tracks_.push_back(
      {.variable = variable, .state = component_of_[index(copy)], .is_guess = is_guess});
}

// The pivots must suit both short and long steps, around the size at which an entry first changes
// much.
bool TornStages::choose_pivots(std::span<const double> point) {
  std::vector<double> symbols(step_.symbol_count, 0.0);
  std::ranges::copy(point.first(track_of_.size()), symbols.begin());
  for (std::size_t v = 0; v < place_of_.size(); ++v) {
    if (place_of_[v].stage != none) symbols[v] = point[index(place_of_[v].variable)];
  }
  double& h = symbols[index(step_.step_size)];
  const std::vector<double> at_0 = blocks_.matrices_at(step_.flat.arena, symbols);
  h = 1.0;
  const std::vector<double> at_1 = blocks_.matrices_at(step_.flat.arena, symbols);
  double smallest = 1.0;
  for (std::size_t k = 0; k < at_0.size(); ++k) {
    const double crossing = std::abs(at_0[k] / (at_1[k] - at_0[k]));
    if (crossing > 0.0 && crossing < smallest) smallest = crossing;
  }
  std::vector<std::vector<double>> points;
  for (const double factor : {1e-4, 1e-2, 1.0, 1e2}) {
    h = factor * smallest;
    points.push_back(symbols);
  }
  if (!(blocks_.choose_pivots(step_.flat.arena, std::move(points)) <= integrate::largest_growth))
    return false;
  for (std::size_t b = 0; b < blocks_.count(); ++b) {
    if (!blocks_[b].is_explicit() && is_written(blocks_[b]))
      elimination_size_ += blocks_.elimination_size(b);
  }
  return true;
}

// The last attempt was accepted if time has advanced since.
void TornStages::remember(Frame& frame, std::span<const double> end_weights) {
  Writer& writer = frame.writer;
  const auto make_kept = [&](std::size_t count) {
    const std::size_t place = writer.make_places(count);
    frame.keep(place, count);
    return place;
  };
  const std::size_t last_t = make_kept(1);
  integrate::TornPlaces& places = frame.iteration().torn.emplace();
  places.knows_last_step = make_kept(1);
  for (Track& track : tracks_) {
    track.now = make_kept(s_);
    track.last = make_kept(s_);
    track.last_begin = make_kept(1);
    track.last_end = make_kept(1);
    if (track.is_guess) places.found.push_back({index(track.variable), track.now + s_ - 1});
    for (std::size_t i = 0; i < s_; ++i)
      blocks_.guess_at(step_.stages[i].copies[index(track.variable)], track.now + i);
  }
  const Term is_first = writer.keep(!writer.symbol(places.knows_last_step));
  const Term is_new = writer.keep(
      is_first || !(writer.symbol(last_t) <= frame.t && frame.t <= writer.symbol(last_t)));
  writer.begin_if(is_first);
  for (const Track& track : tracks_) {
    const Term start = track.state == none ? writer.symbol(track.variable) : frame.y[track.state];
    for (std::size_t i = 0; i < s_; ++i) writer.assign(track.now + i, start);
    writer.assign(track.last_end, start);
  }
  writer.end();
  writer.begin_if(is_new);
  for (const Track& track : tracks_) {
    const Vector now = writer.symbols(track.now, s_);
    const Term begin = writer.symbol(track.last_end);
    writer.assign(track.last_begin, begin);
    Term end = begin;
    for (std::size_t j = 0; j < end_weights.size(); ++j)
      end = end + end_weights[j] * (now[j] - begin);
    writer.assign(track.last, now);
    writer.assign(track.last_end, end_weights.empty() ? now.back() : end);
    if (track.is_guess) writer.assign(track.variable, now.back());
  }
  writer.end();
  writer.assign(places.knows_last_step, writer.constant(1.0));
  writer.assign(last_t, frame.t);
}

// The polynomial of the last step, continued, as for the states. Weights of a diagonally implicit
// method are for values in earlier stages of this step, too; those of the others for differences
// from the start.
Term TornStages::guess(Frame& frame, const Track& track, std::size_t stage) {
  Writer& writer = frame.writer;
  const std::size_t row = frame.iteration().extrapolation + stage * (is_diagonal_ ? 2 * s_ : s_);
  const Term end = writer.symbol(track.last_end);
  const Term base = is_diagonal_ ? end : writer.symbol(track.last_begin);
  Vector terms{end};
  for (std::size_t j = begins_explicitly_ ? 1 : 0; is_diagonal_ && j < stage; ++j)
    terms.push_back(writer.symbol(row + j) * (writer.symbol(track.now + j) - base));
  for (std::size_t j = 0; j < s_; ++j) {
    terms.push_back(writer.symbol(row + (is_diagonal_ ? s_ : 0) + j) *
                    (writer.symbol(track.last + j) - base));
  }
  return writer.keep(sum_of(std::move(terms)));
}

std::size_t TornStages::counter_of(const Block& block) const {
  return iterations_ + (is_diagonal_ ? place_of_[index(block.unknowns.front())].stage : 0);
}

void TornStages::open(Frame& frame, const Vector& weights, std::span<const double> end_weights) {
  Writer& writer = frame.writer;
  const integrate::NewtonPlaces& places = frame.iteration().newton;
  iterations_ = writer.make_places(s_);
  for (std::size_t i = 0; i < s_; ++i) {
    const bool is_solved = is_diagonal_ ? !(begins_explicitly_ && i == 0) : i == 0;
    writer.assign(iterations_ + i, writer.constant(is_solved ? 1.0 : 0.0));
  }
  writer.assign(places.verdict, writer.constant(0.0));
  writer.assign(places.rate, writer.constant(0.0));
  writer.assign(places.step_factor, writer.constant(0.5));
  remember(frame, end_weights);
  blocks_.set(model::FlatModel::time, frame.t);
  blocks_.set(step_.step_size, frame.h);
  for (std::size_t k = 0; k < n_; ++k) blocks_.set(step_.begin[k], frame.y[k]);
  for (std::size_t k = 0; begins_explicitly_ && k < n_; ++k) {
    blocks_.set(step_.stages[0].states[k], frame.y[k]);
    blocks_.set(step_.stages[0].derivatives[k], frame.f0[k]);
  }
  for (std::size_t b = 0; b < blocks_.count(); ++b) {
    const Block& block = blocks_[b];
    if (!is_written(block)) continue;
    if (!block.is_explicit() && !block.linear) {
      for (const VariableId id : block.tearing) {
        const auto [variable, stage] = place_of_[index(id)];
        const Track& track = tracks_[track_of_[index(variable)]];
        writer.assign(track.now + stage, guess(frame, track, stage));
      }
    }
    if (block.is_explicit() || block.linear || !has_states(block)) {
      blocks_.run_block(writer, b);
    } else {
      iterate(frame, b, weights);
    }
    // In each stage: other variables of earlier ones are guesses for the next.
    for (const VariableId id : block.unknowns) {
      const auto [variable, stage] = place_of_[index(id)];
      const std::size_t track = track_of_[index(variable)];
      if (track != none)
        writer.assign(tracks_[track].now + stage, blocks_.value(writer, writer.arena().symbol(id)));
    }
    if (block.is_explicit() || block.linear || !has_states(block)) continue;
    writer.begin_if(writer.symbol(places.verdict) <= writer.constant(0.0));
    ++open_;
  }
  for (const Track& track : tracks_) {
    if (begins_explicitly_) writer.assign(track.now, writer.symbol(track.last_end));
  }
}

// By stage, with 0 for those of other blocks.
std::vector<Vector> TornStages::states_in(Frame& frame, const Block& block) {
  Writer& writer = frame.writer;
  std::vector<Vector> states(s_, Vector(n_, writer.constant(0.0)));
  for (const VariableId id : block.unknowns) {
    const std::size_t component = component_of_[index(id)];
    if (component != none) {
      states[place_of_[index(id)].stage][component] =
          blocks_.value(writer, writer.arena().symbol(id));
    }
  }
  return states;
}

// In the norm of the error. A change of the tearing variables is relative.
Term TornStages::size_of_change(Frame& frame, const Block& block, const Change& change,
                                Term relative_size, const Vector& weights) {
  Writer& writer = frame.writer;
  const integrate::StepPlaces& places = frame.places;
  std::vector<Vector> difference;
  for (std::size_t i = 0; i < s_; ++i) {
    const bool is_other = is_diagonal_ && i != place_of_[index(block.unknowns.front())].stage;
    if (is_other) continue;
    difference.emplace_back();
    for (std::size_t k = 0; k < n_; ++k)
      difference.back().push_back(change.after[i][k] - change.before[i][k]);
  }
  const Term in_states = frame.norm(difference, weights);
  const Term in_tearing =
      writer.keep(algebraic_share * writer.symbol(places.norm_factor) * relative_size /
                  max(writer.symbol(places.rtol), writer.constant(smallest_rtol)));
  return writer.keep(choose(relative_size <= writer.constant(rounding), writer.constant(0.0),
                            choose(in_tearing > in_states, in_tearing, in_states)));
}

// x + the correction of the tearing variables, which is not yet applied, and its relative size.
TornStages::Correction TornStages::correct(Frame& frame, std::size_t number) {
  Writer& writer = frame.writer;
  const Block& block = blocks_[number];
  const Vector correction = blocks_.correction(writer, number);
  Correction result{.moved = {}, .relative_size = writer.constant(0.0)};
  for (std::size_t i = 0; i < correction.size(); ++i) {
    const VariableId id = block.tearing[i];
    const Term nominal = writer.constant(step_.attributes[index(id)].nominal.value_or(1e-3));
    const Term moved =
        writer.keep(blocks_.value(writer, writer.arena().symbol(id)) + correction[i]);
    result.relative_size = result.relative_size + abs(correction[i]) / max(abs(moved), nominal);
    result.moved.push_back(moved);
  }
  result.relative_size = writer.keep(result.relative_size);
  return result;
}

// Applies it and returns how much that changes.
Term TornStages::apply(Frame& frame, const TornLoop& loop, const Correction& correction,
                       const Vector& weights) {
  Writer& writer = frame.writer;
  const Block& block = blocks_[loop.number];
  const std::vector<Vector> before = states_in(frame, block);
  for (std::size_t i = 0; i < block.tearing.size(); ++i)
    blocks_.set(block.tearing[i], correction.moved[i]);
  blocks_.run(writer, {block.assignments.begin(), block.assignments.end()});
  const Term size = size_of_change(frame, block, {before, states_in(frame, block)},
                                   correction.relative_size, weights);
  store(frame, loop);
  return size;
}

// Values computed from the tearing variables stay in the frame, too.
void TornStages::store(Frame& frame, const TornLoop& loop) {
  Writer& writer = frame.writer;
  const auto value = [&](SymbolId id) { return blocks_.value(writer, writer.arena().symbol(id)); };
  const Block& block = blocks_[loop.number];
  for (const VariableId id : block.tearing) writer.assign(place(id), value(id));
  std::size_t at = loop.assigned;
  for (const structure::Assignment& assignment : block.assignments)
    writer.assign(at++, value(assignment.target));
}

void TornStages::load(Frame& frame, const TornLoop& loop) {
  const Block& block = blocks_[loop.number];
  for (const VariableId id : block.tearing) blocks_.set(id, frame.writer.symbol(place(id)));
  std::size_t at = loop.assigned;
  for (const structure::Assignment& assignment : block.assignments)
    blocks_.set(assignment.target, frame.writer.symbol(at++));
}

std::size_t TornStages::place(VariableId id) const {
  const auto [variable, stage] = place_of_[index(id)];
  return tracks_[track_of_[index(variable)]].now + stage;
}

// Newton's method, with a second correction by the same factors each time (Shamanskii 1967). That
// shows the error left by the first one, and costs far less than new factors. Values computed from
// the iterates are computed after a correction, so that they are known at the end of the loop.
void TornStages::iterate(Frame& frame, std::size_t number, const Vector& weights) {
  Writer& writer = frame.writer;
  const integrate::NewtonPlaces& places = frame.iteration().newton;
  const Block& block = blocks_[number];
  const std::size_t count = writer.make_places(1), rate = writer.make_places(1);
  const std::size_t size = writer.make_places(1);
  const TornLoop torn{number, writer.make_places(block.assignments.size())};
  for (const VariableId id : block.tearing) blocks_.set(id, writer.symbol(place(id)));
  blocks_.run(writer, {block.assignments.begin(), block.assignments.end()});
  store(frame, torn);
  // The error left by a correction grows with its square: that of the last step says nothing.
  writer.assign(places.remaining, writer.constant(1.0));
  NewtonLoop loop(frame, places, count, rate, full_iterations);
  loop.begin();
  load(frame, torn);
  const Correction first = correct(frame, number);
  const Term first_size = apply(frame, torn, first, weights);
  writer.assign(size, first_size);
  const Correction second = correct(frame, number);
  blocks_.forget_factors(number);
  writer.begin_if(second.relative_size <= 0.25 * first.relative_size);
  const Term second_size = apply(frame, torn, second, weights);
  writer.assign(size, second_size);
  const Term ratio =
      min(second_size / max(first_size, writer.constant(1e-300)), writer.constant(0.25));
  // The second leaves about twice that fraction of itself. Nothing else would detect ending too
  // early.
  writer.assign(places.remaining, 10.0 * ratio);
  writer.end();
  loop.end(writer.symbol(size));
  load(frame, torn);
  // An iteration that ends below the tolerance, but no better, is limited by rounding: the library
  // is to judge it.
  const double undecided = static_cast<double>(integrate::StepVerdict::NotFinite);
  const Term verdict = writer.symbol(places.verdict);
  writer.assign(places.verdict, choose(verdict > writer.constant(0.0) &&
                                           writer.symbol(size) <= writer.constant(1.0),
                                       writer.constant(undecided), verdict));
  const auto raise = [&](std::size_t at, Term other) {
    writer.assign(at, max(writer.symbol(at), other));
  };
  raise(counter_of(block), 2.0 * writer.symbol(count));  // corrections
  raise(places.rate, writer.symbol(rate));
}

void TornStages::close(Frame& frame, JacobianUse use) {
  Writer& writer = frame.writer;
  const integrate::NewtonPlaces& places = frame.iteration().newton;
  for (; open_ > 0; --open_) writer.end();
  const Vector counts = writer.symbols(iterations_, s_);
  Term most = counts.front();
  for (const Term count : counts) most = max(most, count);
  writer.assign(places.iterations, most);
  writer.assign(places.all_iterations, sum_of(counts));
  // The iterations do not show whether the Jacobian of the filter and of the dense output is too
  // old.
  if (use == JacobianUse::Filter && !frame.dynamics.has_constant_jacobian())
    writer.assign(places.rate, writer.constant(2.0 * integrate::good_rate));
  writer.begin_if(writer.symbol(places.verdict) > writer.constant(0.0));
  for (const Track& track : tracks_) writer.assign(track.now, writer.symbols(track.last, s_));
  writer.end();
  frame.add_troubles(blocks_.troubles());
}

Vector TornStages::values(Writer& writer, const std::vector<VariableId>& variables) {
  Vector result;
  for (const VariableId id : variables)
    result.push_back(blocks_.value(writer, writer.arena().symbol(id)));
  return result;
}

Vector TornStages::states(Writer& writer, std::size_t stage) {
  return values(writer, step_.stages[stage].states);
}

Vector TornStages::derivatives(Writer& writer, std::size_t stage) {
  return values(writer, step_.stages[stage].derivatives);
}

}  // namespace daedalus::steps
