// The history of a multistep method: a polynomial for each component, as the scaled derivatives
// h^j y^(j) / j! at the end of the last step (Nordsieck 1962).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "integrate/multistep/multistep_formula.hpp"

namespace daedalus::integrate {

class Nordsieck {
 public:
  Nordsieck(std::size_t n, int highest_order)
      : n_(n), values_((static_cast<std::size_t>(highest_order) + 1) * n) {}

  // h^j y^(j) / j! of all components.
  std::span<double> operator[](int j) { return std::span(values_).subspan(place(j), n_); }
  std::span<const double> operator[](int j) const {
    return std::span(values_).subspan(place(j), n_);
  }
  int order() const { return order_; }
  double h() const { return h_; }

  // Starts with order 1: y and its slope, which may be missing (0).
  void start(double h, std::span<const double> y, std::span<const double> slope);

  // The polynomials through samples at the end and at `order` points before it, h apart:
  // `order` + 1 vectors one after another, the latest first.
  void fit(int order, double h, std::span<const double> samples);

  // The history of `begin`, seen from a time that is h later, in units of h.
  void predict_from(const Nordsieck& begin, double h);

  void correct(const MultistepFormula& formula, std::span<const double> difference);

  // With difference / top as coefficients of x^(order + 1); without those of x^order.
  void raise_order(std::span<const double> difference, double top,
                   const MultistepPolynomial& change);
  void lower_order(const MultistepPolynomial& change);

  // Makes them components without a past: all derivatives become 0.
  void forget(std::span<const std::size_t> components);

  // The polynomials at x steps from the end.
  void at(double x, std::span<double> y) const;

  void archive(Archive& a) { a(order_, h_, values_); }

 private:
  std::size_t place(int j) const { return static_cast<std::size_t>(j) * n_; }

  std::size_t n_;
  int order_ = 1;
  double h_ = 1.0;
  std::vector<double> values_;
};

}  // namespace daedalus::integrate
