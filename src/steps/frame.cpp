#include "steps/frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::steps {

Term sum_of(Vector terms) {
  while (terms.size() > 1) {
    Vector halves;
    for (std::size_t i = 0; i + 1 < terms.size(); i += 2) halves.push_back(terms[i] + terms[i + 1]);
    if (terms.size() % 2 == 1) halves.push_back(terms.back());
    terms = std::move(halves);
  }
  return terms.front();
}

Frame::Frame(const StepTask& task, std::size_t stages, std::size_t stage_stride)
    : model_symbols_(task.model.symbol_count),
      writer(task.model.flat.arena, task.model.symbol_count),
      dynamics(task.model, task.point),
      n(task.model.states.size()),
      model_(task.model),
      is_maximum_(task.norm == integrate::Norm::Maximum) {
  const auto make = [&](std::size_t count) { return writer.make_places(count); };
  places = {.t = make(1),
            .h = make(1),
            .y = make(n),
            .f0 = make(n),
            .atol = make(n),
            .rtol = make(1),
            .norm_factor = make(1),
            .error_factor = make(1),
            .result = make(n),
            .f1 = make(n),
            .error_vector = make(n),
            .error = make(1),
            .error_square = make(1),
            .worst = make(1),
            .growth = make(1),
            .stages = make(stages * stage_stride),
            .stage_stride = stage_stride};
  growth_ = make(1);
  t = writer.symbol(places.t);
  h = writer.symbol(places.h);
  y = writer.symbols(places.y, n);
  f0 = writer.symbols(places.f0, n);
  keep(places.result, n);
  keep(places.f1, n);
  keep(places.error_vector, n);
  keep(places.error, 1);
  keep(places.error_square, 1);
  keep(places.worst, 1);
  keep(places.growth, 1);
  keep(places.stages, stages * stage_stride);
}

Term Frame::keep_jacobian_size(const Vector& jacobian, std::size_t& place) {
  Vector sizes;
  for (const Term entry : jacobian) sizes.push_back(abs(entry));
  const Term size = sizes.empty() ? writer.constant(0.0) : writer.keep(sum_of(sizes));
  place = writer.make_places(1);
  keep(place, 1);
  writer.assign(place, size);
  const Term is_finite = size <= writer.constant(std::numeric_limits<double>::max());
  return choose(is_finite, writer.constant(0.0),
                writer.constant(std::numeric_limits<double>::infinity()));
}

void Frame::set_growth(Term growth) { writer.assign(growth_, growth); }

void Frame::add_troubles(const Vector& symbols) {
  troubles_.insert(troubles_.end(), symbols.begin(), symbols.end());
}

void Frame::keep(std::size_t first, std::size_t count) { kept_.emplace_back(first, count); }

Term Frame::combine(std::size_t i, std::span<const double> weights,
                    const std::vector<Vector>& stages, std::optional<Term> base) {
  Term sum = base ? *base : writer.constant(0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) sum = sum + weights[j] * stages[j][i];
  return sum;
}

Vector Frame::weights(const Vector& other) {
  const Term rtol = writer.symbol(places.rtol);
  Vector result;
  for (std::size_t i = 0; i < n; ++i) {
    const Term size = larger_of(abs(y[i]), abs(other[i]));  // y is finite
    result.push_back(writer.keep(1.0 / (writer.symbol(places.atol + i) + rtol * size)));
  }
  return result;
}

Term Frame::norm(std::span<const Vector> values, const Vector& weights) {
  Vector ratios;
  for (const Vector& vector : values) {
    for (std::size_t i = 0; i < n; ++i) ratios.push_back(vector[i] * weights[i]);
  }
  const Term factor = writer.symbol(places.norm_factor);
  if (is_maximum_) {
    for (Term& ratio : ratios) ratio = abs(ratio);
    Term largest = ratios.front();
    for (const Term ratio : ratios) largest = max(largest, ratio);
    const Term sum = sum_of(std::move(ratios));  // NaN where one of them is
    const Term is_finite = sum <= writer.constant(std::numeric_limits<double>::max());
    return writer.keep(factor * choose(is_finite, largest, sum));
  }
  const double count = static_cast<double>(ratios.size());
  for (Term& ratio : ratios) ratio = ratio * ratio;
  return writer.keep((std::sqrt(1.0 / count) * factor) * sqrt(sum_of(std::move(ratios))));
}

// The next step waits for its size, the size for the square of the error, and nothing for the root.
Term Frame::judge(const Vector& error, const Vector& weights) {
  writer.assign(places.error_vector, error);
  const Term factor = writer.symbol(places.error_factor);
  Term size;
  if (is_maximum_) {
    size = writer.keep(factor * norm(std::span(&error, 1), weights));
    writer.assign(places.error_square, size * size);
  } else {
    Vector squares;
    for (std::size_t i = 0; i < n; ++i)
      squares.push_back((error[i] * weights[i]) * (error[i] * weights[i]));
    const Term whole = writer.keep(factor * writer.symbol(places.norm_factor));
    const Term share = writer.keep((1.0 / static_cast<double>(n)) * whole * whole);
    const Term square = writer.keep(share * sum_of(std::move(squares)));
    writer.assign(places.error_square, square);
    size = writer.keep(sqrt(square));
  }
  writer.assign(places.error, size);
  Term worst = writer.constant(0.0);
  Term largest = writer.keep(abs(error[0] * weights[0]));
  for (std::size_t i = 1; i < n; ++i) {
    const Term ratio = abs(error[i] * weights[i]);
    worst = choose(ratio > largest, writer.constant(static_cast<double>(i)), worst);
    largest = larger_of(largest, ratio);
  }
  writer.assign(places.worst, worst);
  return size;
}

Term Frame::is_more_than_rounding(const Vector& correction, const Vector& end,
                                  const Vector& weights) {
  constexpr double rounding = 1e4 * std::numeric_limits<double>::epsilon();
  Term result = writer.constant(0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const Term allowed = rounding * (abs(end[i]) + 1.0 / weights[i]);
    result = result || !(abs(correction[i]) <= allowed);
  }
  return result;
}

// A failure in a part of an earlier step that this step does not execute must not persist.
structure::Statement Frame::without_trouble() {
  structure::Statement statement;
  for (const Term term : troubles_) {
    if (writer.arena().is_symbol(term.id())) {
      statement.assignments.push_back(
          {writer.arena().symbol_of(term.id()), writer.arena().constant(0.0)});
    }
  }
  return statement;
}

StepProgram Frame::finish() {
  add_troubles(dynamics.troubles());
  Term trouble = writer.symbol(growth_);
  for (const Term term : troubles_) trouble = max(trouble, term);
  writer.assign(places.growth, trouble);
  for (const SymbolId id : dynamics.guesses()) keep(index(id), 1);
  structure::Procedure step = writer.finish();
  step.insert(step.begin(), without_trouble());
  StepProgram program{.arena = {},
                      .step = std::move(step),
                      .symbol_count = model_.symbol_count,
                      .model_symbols = model_symbols_,
                      .kept = std::vector<bool>(model_.symbol_count, false),
                      .size = n,
                      .places = places};
  for (const auto& [first, count] : kept_) {
    std::fill_n(program.kept.begin() + static_cast<std::ptrdiff_t>(first), count, true);
  }
  program.arena = std::move(model_.flat.arena);
  return program;
}

}  // namespace daedalus::steps
