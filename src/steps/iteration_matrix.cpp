#include "steps/iteration_matrix.hpp"

namespace daedalus::steps {

IterationMatrix::IterationMatrix(const Dynamics& dynamics) : pattern_(dynamics.pattern()) {
  std::vector<bool> has_diagonal(dynamics.size(), false);
  for (const structure::Entry& entry : pattern_) {
    if (entry.row == entry.column) has_diagonal[entry.row] = true;
  }
  for (std::uint32_t i = 0; i < has_diagonal.size(); ++i) {
    if (!has_diagonal[i]) diagonal_.push_back(i);
  }
  order_ = diagonal_order(dynamics.size(), pattern_);
}

Elimination<Term> IterationMatrix::factor(Writer& writer, Term alpha,
                                          const std::vector<Term>& jacobian, Term& growth) const {
  std::vector<Elimination<Term>::Element> elements;
  for (std::size_t k = 0; k < pattern_.size(); ++k) {
    const bool is_diagonal = pattern_[k].row == pattern_[k].column;
    elements.push_back({pattern_[k], is_diagonal ? alpha - jacobian[k] : -jacobian[k]});
  }
  for (const std::uint32_t i : diagonal_) elements.push_back({{i, i}, alpha});
  return {writer, order_.size(), order_, elements, growth};
}

Elimination<ComplexTerm> IterationMatrix::factor(Writer& writer, ComplexTerm alpha,
                                                 const std::vector<Term>& jacobian,
                                                 Term& growth) const {
  const Term zero = writer.constant(0.0);
  std::vector<Elimination<ComplexTerm>::Element> elements;
  for (std::size_t k = 0; k < pattern_.size(); ++k) {
    const bool is_diagonal = pattern_[k].row == pattern_[k].column;
    elements.push_back({pattern_[k], is_diagonal ? ComplexTerm{alpha.re - jacobian[k], alpha.im}
                                                 : ComplexTerm{-jacobian[k], zero}});
  }
  for (const std::uint32_t i : diagonal_) elements.push_back({{i, i}, alpha});
  return {writer, order_.size(), order_, elements, growth};
}

}  // namespace daedalus::steps
