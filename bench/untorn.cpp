#include "untorn.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "daedalus/expr/calculus.hpp"

namespace bench {

using namespace daedalus;
using expr::ExprId;
using expr::SymbolId;

// What is to be generated.
struct Untorn::Description {
  structure::StructuredModel model;
  std::vector<double> values;      // of all symbols, at the start
  std::vector<double> rates;       // their derivatives there, by a difference
  std::vector<SymbolId> unknowns;  // states first
  std::vector<SymbolId> slopes;    // of the states
  std::vector<ExprId> residuals;
  SymbolId factor = {};
  std::map<SymbolId, std::size_t> column_of;  // of unknowns and slopes
  std::vector<bool> is_differential;
  linalg::Sparsity pattern;
  structure::Kernel jacobian;

  Description(const runtime::ModelSystem& system, const Interval& interval,
              const runtime::Start& start);
  codegen::NativeCode code() const;

 private:
  SymbolId new_symbol();
  void find_start(const runtime::ModelSystem& system, const Interval& interval,
                  const runtime::Start& start);
  void add_states();
  void add_equations();
  void differentiate();
};

Untorn::Description::Description(const runtime::ModelSystem& system, const Interval& interval,
                                 const runtime::Start& start)
    : model(system.model()) {
  if (model.index > 1) throw std::runtime_error("the untorn model is of an index above 1");
  find_start(system, interval, start);
  add_states();
  add_equations();
  if (residuals.size() != unknowns.size()) {
    throw std::runtime_error("the untorn model has not as many equations as unknowns");
  }
  differentiate();
}

// IDA must know how the algebraic variables begin to change: from slopes of 0 its error test fails
// in the first step more often than it allows.
void Untorn::Description::find_start(const runtime::ModelSystem& system, const Interval& interval,
                                     const runtime::Start& start) {
  const std::unique_ptr<system::Scratch> all = system.make_scratch();
  std::vector<double> y = system.states_in(start.values);
  const auto evaluate = [&](double t) {
    if (system.evaluate_all(t, y, {start.held, *all}) == system::Evaluation::Undefined) {
      throw std::runtime_error("the untorn model is not defined at its start");
    }
    const std::span<const double> now = system.values(*all);
    return std::vector<double>(now.begin(), now.end());
  };
  values = evaluate(interval.begin);
  const double h = 1e-8 * (interval.end - interval.begin);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += h * values[index(model.derivatives[i])];
  rates = evaluate(interval.begin + h);
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = (rates[i] - values[i]) / h;
}

SymbolId Untorn::Description::new_symbol() {
  values.push_back(0.0);
  return SymbolId(static_cast<std::uint32_t>(values.size() - 1));
}

// Where der(x) is another name of an unknown v, der(x) = v is an equation.
void Untorn::Description::add_states() {
  factor = new_symbol();
  for (std::size_t i = 0; i < model.states.size(); ++i) {
    unknowns.push_back(model.states[i]);
    column_of[model.states[i]] = i;
  }
  is_differential.assign(unknowns.size(), true);
  for (std::size_t i = 0; i < model.states.size(); ++i) {
    const SymbolId derivative = model.derivatives[i];
    const bool is_own = model.flat[derivative].derivative_of == model.states[i];
    slopes.push_back(is_own ? derivative : new_symbol());
    column_of[slopes.back()] = i;
    if (is_own) continue;
    values[index(slopes.back())] = values[index(derivative)];
    expr::Arena& arena = model.flat.arena;
    residuals.push_back(arena.subtract(arena.symbol(slopes.back()), arena.symbol(derivative)));
  }
}

void Untorn::Description::add_equations() {
  expr::Walker walker;
  for (const model::Equation& equation : model.flat.equations) {
    residuals.push_back(model.flat.arena.subtract(equation.left, equation.right));
    for (const SymbolId symbol : walker.symbols(model.flat.arena, {{residuals.back()}})) {
      if (!model.flat.is_unknown(symbol) || column_of.contains(symbol)) continue;
      column_of[symbol] = unknowns.size();
      unknowns.push_back(symbol);
      is_differential.push_back(false);
    }
  }
}

void Untorn::Description::differentiate() {
  expr::Arena& arena = model.flat.arena;
  expr::Walker walker;
  std::vector<std::map<std::size_t, ExprId>> columns(unknowns.size());  // row to value
  const auto is_active = [&](SymbolId symbol) { return column_of.contains(symbol); };
  for (std::size_t row = 0; row < residuals.size(); ++row) {
    for (const expr::Partial& partial : gradient(arena, walker, residuals[row], is_active)) {
      const std::size_t column = column_of.at(partial.symbol);
      const bool is_slope = column < slopes.size() && partial.symbol == slopes[column];
      const ExprId value =
          is_slope ? arena.multiply(arena.symbol(factor), partial.value) : partial.value;
      const auto [place, is_new] = columns[column].try_emplace(row, value);
      if (!is_new) place->second = arena.add(place->second, value);
    }
  }
  pattern = {.size = unknowns.size(), .starts = {0}};
  for (const auto& column : columns) {
    for (const auto& [row, value] : column) {
      pattern.rows.push_back(static_cast<int>(row));
      jacobian.outputs.push_back(value);
    }
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
}

codegen::NativeCode Untorn::Description::code() const {
  return codegen::NativeCode::compile(model.flat.arena, {{.outputs = residuals}, jacobian}).value();
}

Untorn::Untorn(const runtime::ModelSystem& system, const Interval& interval,
               const runtime::Start& start)
    : Untorn(Description(system, interval, start)) {}

Untorn::Untorn(Description description)
    : states_(description.slopes.size()),
      symbols_(description.values),
      factor_(index(description.factor)),
      is_differential_(description.is_differential),
      pattern_(description.pattern),
      code_(description.code()) {
  for (const SymbolId symbol : description.unknowns) {
    unknowns_.push_back(index(symbol));
    y0_.push_back(symbols_[index(symbol)]);
    slope0_.push_back(description.rates[index(symbol)]);
  }
  for (std::size_t i = 0; i < states_; ++i) {
    slopes_.push_back(index(description.slopes[i]));
    slope0_[i] = symbols_[slopes_[i]];
  }
  std::vector<double> r(size());
  residual(symbols_[index(model::FlatModel::time)], y0_.data(), slope0_.data(), r.data());
  for (const double each : r) {
    if (!(std::fabs(each) < 1e-9))
      throw std::runtime_error("the untorn model contradicts its start");
  }
}

void Untorn::put(double t, const double* y, const double* slope) {
  symbols_[index(model::FlatModel::time)] = t;
  for (std::size_t i = 0; i < unknowns_.size(); ++i) symbols_[unknowns_[i]] = y[i];
  for (std::size_t i = 0; i < slopes_.size(); ++i) symbols_[slopes_[i]] = slope[i];
}

void Untorn::residual(double t, const double* y, const double* slope, double* r) {
  put(t, y, slope);
  code_.kernel(0).run(symbols_.data(), r);
}

void Untorn::jacobian(double t, double a, const double* y, const double* slope, double* values) {
  put(t, y, slope);
  symbols_[factor_] = a;
  code_.kernel(1).run(symbols_.data(), values);
}

}  // namespace bench
