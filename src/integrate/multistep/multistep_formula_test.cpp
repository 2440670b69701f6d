#include "integrate/multistep/multistep_formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus::integrate {
namespace {

double value(const MultistepPolynomial& polynomial, double x) {
  double sum = 0.0;
  for (std::size_t i = polynomial.size(); i-- > 0;) sum = sum * x + polynomial[i];
  return sum;
}

double derivative(const MultistepPolynomial& polynomial, double x) {
  double sum = 0.0;
  for (std::size_t i = polynomial.size() - 1; i > 0; --i)
    sum = sum * x + static_cast<double>(i) * polynomial[i];
  return sum;
}

StepHistory equal_steps(double h) {
  StepHistory history;
  history.start(h);
  return history;
}

StepHistory uneven_steps() {
  StepHistory history;
  history.start(0.1);
  for (const double h : {0.11, 0.13, 0.09, 0.2, 0.18, 0.25, 0.21}) history.push(h);
  return history;
}

TEST(MultistepFormula, OfEqualStepsIsGears) {
  // y[n+1] = sum a[i] y[n-i] + h b f[n+1]; in Nordsieck form l / l[1].
  const std::vector<std::vector<double>> normalised = {
      {1.0, 1.0},
      {2.0 / 3, 1.0, 1.0 / 3},
      {6.0 / 11, 1.0, 6.0 / 11, 1.0 / 11},
      {12.0 / 25, 1.0, 7.0 / 10, 1.0 / 5, 1.0 / 50},
      {60.0 / 137, 1.0, 225.0 / 274, 85.0 / 274, 15.0 / 274, 1.0 / 274},
      {20.0 / 49, 1.0, 58.0 / 63, 5.0 / 12, 25.0 / 252, 1.0 / 84, 1.0 / 1764}};
  for (int order = 1; order <= 6; ++order) {
    const MultistepFormula formula =
        multistep_formula(MultistepKind::Bdf, order, 0.3, equal_steps(0.3));
    const std::vector<double>& expected = normalised[static_cast<std::size_t>(order - 1)];
    for (std::size_t j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(formula.update[j] / formula.leading, expected[j], 1e-15) << order << ' ' << j;
  }
}

TEST(MultistepFormula, OfEqualStepsKnowsItsErrorConstants) {
  double harmonic = 0.0;
  double factorial = 1.0;
  for (int q = 1; q <= 5; ++q) {
    harmonic += 1.0 / q;
    factorial *= q;
    const MultistepFormula formula = multistep_formula(MultistepKind::Bdf, q, 1, equal_steps(1));
    EXPECT_NEAR(formula.share, 1.0 / ((q + 1) * harmonic), 1e-15);
    EXPECT_NEAR(formula.top, factorial * (q + 1), 1e-10);
    EXPECT_NEAR(formula.higher_share, 1.0 / ((q + 2) * (harmonic + 1.0 / (q + 1))), 1e-15);
    if (q > 1) {
      EXPECT_NEAR(formula.lower_share, factorial / q / (harmonic - 1.0 / q), 1e-12);
    }
  }
}

TEST(MultistepFormula, OfBackwardDifferentiationGoesThroughThePastPoints) {
  const StepHistory history = uneven_steps();
  const double h = 0.15;
  for (int order = 2; order <= 6; ++order) {
    const MultistepFormula formula = multistep_formula(MultistepKind::Bdf, order, h, history);
    EXPECT_EQ(value(formula.update, 0.0), 1.0);
    double distance = h;
    for (int i = 1; i < order; ++i) {
      EXPECT_NEAR(value(formula.update, -distance / h), 0.0, 1e-12);
      distance += history[static_cast<std::size_t>(i - 1)];
    }
    EXPECT_NEAR(derivative(formula.update, 0.0), formula.leading, 1e-13);
  }
}

TEST(MultistepFormula, OfNumericalDifferentiationHasTheConstantsOfItsAuthors) {
  double harmonic = 0.0;
  for (int order = 1; order <= 5; ++order) {
    harmonic += 1.0 / order;
    const MultistepFormula bdf = multistep_formula(MultistepKind::Bdf, order, 1, equal_steps(1));
    const MultistepFormula ndf = multistep_formula(MultistepKind::Ndf, order, 1, equal_steps(1));
    EXPECT_EQ(ndf.update, bdf.update);
    EXPECT_NEAR(ndf.leading, harmonic * (1 - ndf_kappa(order)), 1e-15);
    EXPECT_NEAR(ndf.share, ndf_kappa(order) * harmonic + 1.0 / (order + 1), 1e-15);
  }
}

TEST(MultistepFormula, OfAdamsKeepsThePastSlopes) {
  const StepHistory history = uneven_steps();
  const double h = 0.15;
  for (int order = 2; order <= 8; ++order) {
    const MultistepFormula formula = multistep_formula(MultistepKind::Adams, order, h, history);
    EXPECT_EQ(value(formula.update, 0.0), 1.0);
    EXPECT_NEAR(value(formula.update, -1.0), 0.0, 1e-13);
    double distance = h;
    for (int i = 1; i < order; ++i) {
      EXPECT_NEAR(derivative(formula.update, -distance / h), 0.0, 1e-11);
      distance += history[static_cast<std::size_t>(i - 1)];
    }
    EXPECT_EQ(derivative(formula.update, 0.0), formula.leading);
  }
}

TEST(MultistepFormula, OfAdamsHasTheErrorConstantsOfAdamsMoulton) {
  // C[q+1] of Adams-Moulton over the sum of its magnitude and that of the predictor's.
  const double corrector[] = {1.0 / 2, 1.0 / 12, 1.0 / 24, 19.0 / 720};
  const double predictor[] = {1.0 / 2, 5.0 / 12, 3.0 / 8, 251.0 / 720};
  for (int q = 1; q <= 4; ++q) {
    const MultistepFormula formula = multistep_formula(MultistepKind::Adams, q, 1, equal_steps(1));
    EXPECT_NEAR(formula.share, corrector[q - 1] / (corrector[q - 1] + predictor[q - 1]), 1e-14);
  }
}

TEST(MultistepFormula, ChangesTheOrderWithoutMovingThePast) {
  const StepHistory history = uneven_steps();
  for (int degree = 2; degree <= 6; ++degree) {
    const MultistepPolynomial change = order_change(MultistepKind::Bdf, degree, history);
    EXPECT_NEAR(change[static_cast<std::size_t>(degree)], 1.0, 1e-14);
    EXPECT_EQ(change[0], 0.0);
    EXPECT_EQ(change[1], 0.0);
    const MultistepPolynomial of_adams = order_change(MultistepKind::Adams, degree, history);
    EXPECT_NEAR(of_adams[static_cast<std::size_t>(degree)], 1.0, 1e-14);
    double distance = 0.0;
    for (int i = 1; i <= degree - 2; ++i) {
      distance += history[static_cast<std::size_t>(i - 1)] / history[0];
      EXPECT_NEAR(value(change, -distance), 0.0, 1e-10);
      EXPECT_NEAR(derivative(of_adams, -distance), 0.0, 1e-10);
    }
  }
}

}  // namespace
}  // namespace daedalus::integrate
