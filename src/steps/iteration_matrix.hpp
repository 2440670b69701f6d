// alpha I - J and its elimination.
#pragma once

#include "steps/elimination.hpp"
#include "steps/frame.hpp"

namespace daedalus::steps {

// Its pattern and pivot order, whatever alpha is.
class IterationMatrix {
 public:
  explicit IterationMatrix(const Dynamics& dynamics);

  Elimination<Term> factor(Writer& writer, Term alpha, const std::vector<Term>& jacobian,
                           Term& growth) const;
  Elimination<ComplexTerm> factor(Writer& writer, ComplexTerm alpha,
                                  const std::vector<Term>& jacobian, Term& growth) const;

 private:
  std::vector<structure::Entry> pattern_;  // of J
  std::vector<std::uint32_t> diagonal_;    // entries that J lacks
  PivotOrder order_;
};

}  // namespace daedalus::steps
