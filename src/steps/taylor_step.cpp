// A step of a Taylor method: the coefficients of the solution, power by power.
#include <algorithm>

#include "daedalus/base/check.hpp"
#include "daedalus/model/names.hpp"
#include "daedalus/structure/margins.hpp"
#include "daedalus/structure/structure.hpp"
#include "steps/families.hpp"
#include "steps/series.hpp"

namespace daedalus::steps {
namespace {

using structure::Block;
using structure::StructuredModel;

// In operations. More take longer than a second to compile, and several to optimise.
constexpr std::size_t most_operations = 150'000;

constexpr const char* other_methods =
    "take `dop853`, or an implicit method such as `radau5`: they only evaluate the model";

std::string name_of(int order) { return "`taylor" + std::to_string(order) + "`"; }

std::optional<Series::Obstacle> expand_loop(const Block& block, Series& series) {
  for (const structure::Assignment& assignment : block.jacobian.assignments)
    series.define(assignment.target, assignment.value);
  std::optional<Series::Obstacle> obstacle =
      series.expand(Series::Loop{.unknowns = {block.tearing.begin(), block.tearing.end()},
                                 .residuals = {block.residuals.begin(), block.residuals.end()},
                                 .matrix = block.jacobian.outputs,
                                 .at = block.entries});
  if (obstacle && obstacle->within.is_none()) obstacle->within = *block.tearing.begin();
  return obstacle;
}

// Tells the series what the symbols of the model are. Loops without a series matter only if
// derivatives need them.
std::optional<Series::Obstacle> describe(const StructuredModel& model, Series& series) {
  series.move(model::FlatModel::time);
  for (const structure::VariableId id : model.states) series.move(id);
  for (const Block& block : model.dynamics.blocks) {
    for (const structure::Assignment& assignment : block.assignments)
      series.define(assignment.target, assignment.value);
    if (block.is_explicit()) continue;
    std::optional<Series::Obstacle> obstacle;
    const bool is_small = block.linear && block.tearing.size() <= Series::most_unknowns;
    if (is_small) obstacle = expand_loop(block, series);
    if (obstacle && block.feeds_derivatives) return obstacle;
    if (is_small && !obstacle) continue;
    for (const structure::VariableId id : block.unknowns) series.forbid(id);
  }
  return std::nullopt;
}

const Block* block_of(const StructuredModel& model, SymbolId unknown) {
  for (const Block& block : model.dynamics.blocks) {
    if (std::ranges::find(block.unknowns, unknown) != block.unknowns.end()) return &block;
  }
  return nullptr;
}

Diagnostic explain(const StructuredModel& model, const Series::Obstacle& obstacle, int order) {
  const expr::Arena& arena = model.flat.arena;
  const Block* const block = block_of(model, obstacle.within);
  Diagnostic result{.code = "unsupported.taylor", .span = {}, .message = {}, .hint = other_methods};
  if (block != nullptr && !block->equations.empty())
    result.span = model.dynamics.equations[index(*block->equations.begin())].span;
  if (arena.is_symbol(obstacle.expression)) {  // an unknown of a loop
    DAEDALUS_CHECK(block != nullptr);
    const std::vector<structure::VariableId> together(block->unknowns.begin(),
                                                      block->unknowns.end());
    const std::string loop =
        block->linear ? "a loop of " + std::to_string(block->tearing.size()) + " unknowns"
                      : "a loop that is not linear";
    result.message = name_of(order) + " solves linear loops of up to " +
                     std::to_string(Series::most_unknowns) + " unknowns, but " + loop + " gives " +
                     model::quoted_names(model.flat, together);
    return result;
  }
  constexpr std::size_t longest = 60;
  const std::string text =
      expr::to_string(arena, obstacle.expression, structure::names_of(model), longest);
  result.message = name_of(order) + " cannot expand `" + text +
                   "`, which is not smooth and makes no event where that changes";
  return result;
}

std::optional<Diagnostic> expand_derivatives(StructuredModel& model, Series& series, int order) {
  if (const auto obstacle = describe(model, series)) return explain(model, *obstacle, order);
  for (const structure::VariableId id : model.derivatives) {
    if (const auto obstacle = series.expand(model.flat.arena.symbol(id)))
      return explain(model, *obstacle, order);
  }
  return std::nullopt;
}

// The indicators of events; empty where one of them has no series, or is not defined everywhere.
std::vector<expr::ExprId> expand_margins(StructuredModel& model, Series& series) {
  std::vector<expr::ExprId> margins = structure::margins_of(model).seen;
  for (const expr::ExprId margin : margins) {
    if (series.expand(margin) || series.has_edge()) return {};
  }
  return margins;
}

// The coefficients of the states, from x^0 to x^order, and those of everything wanted up to the
// power before.
class Coefficients {
 public:
  Coefficients(Frame& frame, const StructuredModel& model, Series& series)
      : frame_(frame), model_(model), series_(series), states_{frame.y} {
    series_.give(model::FlatModel::time, frame_.t);
    for (std::size_t i = 0; i < frame_.n; ++i) series_.give(model_.states[i], frame_.y[i]);
  }

  const Vector& operator[](std::size_t power) const { return states_[power]; }

  // From the coefficients of f: y' = f, in units of the step.
  void advance() {
    Writer& writer = frame_.writer;
    const std::size_t power = states_.size();
    series_.advance();
    series_.give(model::FlatModel::time, power == 1 ? frame_.h : writer.constant(0.0));
    const Term share = writer.keep((1.0 / static_cast<double>(power)) * frame_.h);
    Vector next;
    for (std::size_t i = 0; i < frame_.n; ++i) {
      const expr::ExprId f = writer.arena().symbol(model_.derivatives[i]);
      next.push_back(writer.keep(series_.scaled(f, power - 1, share)));
      series_.give(model_.states[i], next.back());
    }
    const integrate::StepPlaces& places = frame_.places;
    writer.assign(places.stages + (power - 1) * places.stage_stride, next);
    states_.push_back(std::move(next));
  }

 private:
  Frame& frame_;
  const StructuredModel& model_;
  Series& series_;
  std::vector<Vector> states_;
};

void write_margins(Frame& frame, Series& series, std::span<const expr::ExprId> margins,
                   std::size_t order) {
  if (margins.empty()) return;
  series.want(margins);
  series.advance();  // those of the highest power
  Writer& writer = frame.writer;
  const std::size_t terms = order + 1;
  auto& places = std::get<integrate::TaylorPlaces>(frame.places.family);
  places.margins = writer.make_places(margins.size() * terms);
  places.margin_count = margins.size();
  frame.keep(places.margins, margins.size() * terms);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    for (std::size_t k = 0; k < terms; ++k)
      writer.assign(places.margins + i * terms + k, series.coefficient(margins[i], k));
  }
}

}  // namespace

Error too_large_for_taylor(int order) {
  return {"unsupported.taylor",
          "this model is too large for the steps of " + name_of(order) +
              ", which write out every term of every product",
          "take a lower order, or `dop853`"};
}

std::optional<Diagnostic> taylor_refusal(const StructuredModel& model,
                                         const methods::Taylor& method) {
  StructuredModel copy = model;
  Writer writer(copy.flat.arena, copy.symbol_count);
  Series series(writer);
  return expand_derivatives(copy, series, method.order);
}

Result<StepProgram> taylor_step(const StepTask& task, const integrate::TaylorCoefficients& method) {
  const std::size_t order = method.order;
  Frame frame(task, order, integrate::stride(task.model.states.size()));
  Writer& writer = frame.writer;
  Series series(writer);
  if (const auto refusal = expand_derivatives(task.model, series, method.formula.order))
    return Error{refusal->code, refusal->message, refusal->hint};
  frame.places.family.emplace<integrate::TaylorPlaces>().has_edge = series.has_edge();
  const std::vector<expr::ExprId> margins = expand_margins(task.model, series);
  std::vector<expr::ExprId> wanted = margins;
  for (const structure::VariableId id : task.model.derivatives)
    wanted.push_back(writer.arena().symbol(id));
  series.want(wanted);
  const std::size_t before = writer.arena().size();
  Coefficients y(frame, task.model, series);
  for (std::size_t power = 1; power <= order; ++power) {
    y.advance();
    if (writer.arena().size() - before > most_operations)
      return too_large_for_taylor(method.formula.order);
  }
  Vector result, error;
  for (std::size_t i = 0; i < frame.n; ++i) {
    Vector terms;
    for (std::size_t power = order; power > 0; --power) terms.push_back(y[power][i]);
    result.push_back(writer.keep(frame.y[i] + sum_of(std::move(terms))));
    error.push_back(writer.keep(abs(y[order - 1][i]) + abs(y[order][i])));
  }
  writer.assign(frame.places.result, result);
  frame.judge(error, frame.weights(result));
  write_margins(frame, series, margins, order);
  return frame.finish();
}

}  // namespace daedalus::steps
