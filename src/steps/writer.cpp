#include "steps/writer.hpp"

namespace daedalus::steps {

using structure::Procedure;
using structure::Statement;

Vector Writer::symbols(std::size_t first, std::size_t count) {
  Vector result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(symbol(first + i));
  return result;
}

void Writer::assign(SymbolId target, Term value) {
  Procedure& statements = open_.back();
  if (statements.empty() || statements.back().kind != Statement::Kind::Assign)
    statements.emplace_back();
  statements.back().assignments.push_back({target, value.id()});
}

void Writer::assign(std::size_t first, const Vector& values) {
  for (std::size_t i = 0; i < values.size(); ++i) assign(first + i, values[i]);
}

Term Writer::keep(Term value) {
  if (value.is_leaf()) return value;
  const SymbolId made(make_places(1));
  assign(made, value);
  return {arena_, arena_.stand_in(made, value.id())};
}

Vector Writer::keep(const Vector& values) {
  Vector result;
  for (const Term value : values) result.push_back(keep(value));
  return result;
}

SymbolId Writer::symbol_of(Term condition) {
  if (arena_.is_symbol(condition.id())) return arena_.symbol_of(condition.id());
  const SymbolId made(make_places(1));
  assign(made, condition);
  return made;
}

void Writer::begin_if(Term condition, double expected) {
  const SymbolId symbol = symbol_of(condition);
  open_.back().push_back({.kind = Statement::Kind::If, .condition = symbol, .expected = expected});
  open_.emplace_back();
}

void Writer::begin_repeat(double expected) {
  open_.back().push_back({.kind = Statement::Kind::Repeat, .expected = expected});
  open_.emplace_back();
}

void Writer::end() {
  Procedure body = std::move(open_.back());
  open_.pop_back();
  open_.back().back().body = std::move(body);
}

void Writer::end_repeat(Term condition) {
  const SymbolId symbol = symbol_of(condition);
  open_[open_.size() - 2].back().condition = symbol;
  end();
}

}  // namespace daedalus::steps
