// Writes the statements of a procedure in order.
#pragma once

#include <utility>
#include <vector>

#include "daedalus/structure/procedure.hpp"
#include "steps/term.hpp"

namespace daedalus::steps {

using expr::SymbolId;
using Vector = std::vector<Term>;

class Writer {
 public:
  // Symbols that it makes are numbered from `symbol_count`.
  Writer(expr::Arena& arena, std::size_t& symbol_count)
      : arena_(arena), symbol_count_(symbol_count) {
    open_.emplace_back();
  }

  expr::Arena& arena() { return arena_; }
  Term constant(double value) { return {arena_, arena_.constant(value)}; }
  Term symbol(SymbolId id) { return {arena_, arena_.symbol(id)}; }
  Term symbol(std::size_t place) { return symbol(SymbolId(place)); }
  Term truth(std::size_t place) {  // 1 or 0, never NaN
    arena_.hold(SymbolId(place));
    return symbol(place);
  }
  Vector symbols(std::size_t first, std::size_t count);  // of consecutive places

  std::size_t make_places(std::size_t count) {
    return std::exchange(symbol_count_, symbol_count_ + count);
  }

  void assign(SymbolId target, Term value);
  void assign(std::size_t place, Term value) { assign(SymbolId(place), value); }
  void assign(std::size_t first, const Vector& values);

  // A symbol that has the value; a leaf is returned as it is.
  Term keep(Term value);
  ComplexTerm keep(ComplexTerm value) { return {keep(value.re), keep(value.im)}; }
  Vector keep(const Vector& values);

  // What follows, up to end(), is the body, which runs about `expected` times.
  void begin_if(Term condition, double expected = 1.0);
  void begin_repeat(double expected);
  void end();                       // of the innermost body
  void end_repeat(Term condition);  // which is tested after the body

  structure::Procedure finish() { return std::move(open_.front()); }

 private:
  SymbolId symbol_of(Term condition);

  expr::Arena& arena_;
  std::size_t& symbol_count_;
  std::vector<structure::Procedure> open_;  // the procedure and the bodies being written
};

}  // namespace daedalus::steps
