// Expressions with the operators of arithmetic, real and complex.
#pragma once

#include <cmath>

#include "daedalus/expr/arena.hpp"

namespace daedalus::steps {

class Term {
 public:
  Term() = default;
  Term(expr::Arena& arena, expr::ExprId id) : arena_(&arena), id_(id) {}

  expr::ExprId id() const { return id_; }
  expr::Arena& arena() const { return *arena_; }
  bool is_zero() const { return arena_->is_constant(id_, 0.0); }
  bool is_leaf() const { return arity((*arena_)[id_].op) == 0; }
  Term same(double value) const { return {*arena_, arena_->constant(value)}; }  // of this arena

  friend Term operator+(Term a, Term b) { return {*a.arena_, a.arena_->add(a.id_, b.id_)}; }
  friend Term operator-(Term a, Term b) { return {*a.arena_, a.arena_->subtract(a.id_, b.id_)}; }
  friend Term operator*(Term a, Term b) {
    return {*a.arena_, a.arena_->derived_product(a.id_, b.id_)};
  }
  friend Term operator/(Term a, Term b) {
    return {*a.arena_, a.arena_->derived_quotient(a.id_, b.id_)};
  }
  friend Term operator-(Term a) { return {*a.arena_, a.arena_->negate(a.id_)}; }
  friend Term operator*(double a, Term b) { return b.same(a) * b; }
  friend Term operator*(Term a, double b) { return b * a; }
  friend Term operator+(Term a, double b) { return a + a.same(b); }
  friend Term operator-(double a, Term b) { return b.same(a) - b; }
  friend Term operator/(double a, Term b) { return b.same(a) / b; }

  // Truth values are numbers, 1 and 0. A test of NaN fails.
  friend Term operator<=(Term a, Term b) { return a.test(expr::Op::LessEqual, b); }
  friend Term operator<(Term a, Term b) { return a.test(expr::Op::Less, b); }
  friend Term operator>(Term a, Term b) { return a.test(expr::Op::Greater, b); }
  friend Term operator&&(Term a, Term b) { return a.with(expr::Op::And, b); }
  friend Term operator||(Term a, Term b) { return a.with(expr::Op::Or, b); }
  friend Term operator!(Term a) { return {*a.arena_, a.arena_->make(expr::Op::Not, a.id_)}; }

  friend Term abs(Term a) { return {*a.arena_, a.arena_->make(expr::Op::Abs, a.id_)}; }
  friend Term sqrt(Term a) { return {*a.arena_, a.arena_->make(expr::Op::Sqrt, a.id_)}; }
  friend Term max(Term a, Term b) { return a.with(expr::Op::Max, b); }
  friend Term min(Term a, Term b) { return a.with(expr::Op::Min, b); }
  // The same for numbers, in fewer operations: if one is NaN it may return the other one.
  friend Term larger_of(Term a, Term b) { return choose(a > b, a, b); }
  friend Term smaller_of(Term a, Term b) { return choose(a < b, a, b); }
  friend Term pow(Term a, Term b) { return a.with(expr::Op::Power, b); }
  friend Term choose(Term condition, Term yes, Term no) {
    return {*yes.arena_, yes.arena_->choose(condition.id_, yes.id_, no.id_)};
  }

 private:
  Term with(expr::Op op, Term other) const { return {*arena_, arena_->make(op, id_, other.id_)}; }
  Term test(expr::Op relation, Term other) const {
    return {*arena_, arena_->make(expr::Op::IsTrue, with(relation, other).id_)};
  }

  expr::Arena* arena_ = nullptr;
  expr::ExprId id_;
};

inline Term reciprocal(Term a) { return 1.0 / a; }
inline Term size_of(Term a) { return abs(a); }

struct ComplexTerm {
  Term re, im;

  friend ComplexTerm operator-(ComplexTerm a) { return {-a.re, -a.im}; }
  friend ComplexTerm operator-(ComplexTerm a, ComplexTerm b) { return {a.re - b.re, a.im - b.im}; }
  friend ComplexTerm operator*(ComplexTerm a, ComplexTerm b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

inline ComplexTerm reciprocal(ComplexTerm a) {
  const Term scale = 1.0 / (a.re * a.re + a.im * a.im);
  return {a.re * scale, -(a.im * scale)};
}
inline Term size_of(ComplexTerm a) { return larger_of(abs(a.re), abs(a.im)); }

}  // namespace daedalus::steps
