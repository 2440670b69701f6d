#include "integrate/implicit/stage_newton.hpp"

#include <algorithm>

#include "daedalus/linalg/small.hpp"
#include "integrate/implicit/mix_stages.hpp"

namespace daedalus::integrate {

StageNewton::StageNewton(const ImplicitCoefficients& coefficients, const Jacobian& jacobian,
                         NewtonLimits limits)
    : coefficients_(coefficients), jacobian_(jacobian), convergence_(limits) {
  const std::size_t n = jacobian.size();
  for (std::size_t k = 0; k < coefficients.reals.size(); ++k) {
    real_.push_back(jacobian.make_solver<double>());
  }
  for (std::size_t k = 0; k < coefficients.pairs.size(); ++k) {
    complex_.push_back(jacobian.make_solver<std::complex<double>>());
  }
  if (real_.empty()) filter_ = jacobian.make_solver<double>();
  W_.resize(coefficients.stages * n);
  F_.resize(coefficients.stages * n);
  correction_.resize(coefficients.stages * n);
  stage_.resize(n);
  slope_.resize(n);
  complex_work_.resize(n);
}

linalg::Factorization StageNewton::factor(double h, Evaluator& evaluator) {
  ++evaluator.statistics.factorizations;
  h_ = h;
  filter_is_factored_ = false;
  linalg::Factorization result = linalg::Factorization::Regular;
  for (std::size_t k = 0; k < real_.size() && result == linalg::Factorization::Regular; ++k) {
    result = jacobian_.factor(*real_[k], coefficients_.reals[k] / h);
  }
  for (std::size_t k = 0; k < complex_.size() && result == linalg::Factorization::Regular; ++k) {
    result = jacobian_.factor(*complex_[k], coefficients_.pairs[k] / h);
  }
  return result;
}

void StageNewton::factor_filter(double h) {
  h_ = h;
  filter_is_factored_ = false;
  if (filter_ == nullptr) jacobian_.factor(*real_.front(), coefficients_.reals.front() / h);
}

NewtonResult StageNewton::solve(const Point& begin, std::span<double> Z, Evaluator& evaluator,
                                const ErrorNorm& norm) {
  return linalg::with_size(begin.y.size(),
                           [&](auto n) { return iterate(n, begin, Z, evaluator, norm); });
}

// Size is a number or a constant, with which the compiler unrolls the loops.
template <class Size>
NewtonResult StageNewton::iterate(Size n, const Point& begin, std::span<double> Z,
                                  Evaluator& evaluator, const ErrorNorm& norm) {
  mix_stages(coefficients_.T_inverse, Z, n, W_);
  convergence_.start();
  while (true) {
    if (evaluate_stages(n, begin, Z, evaluator) == Evaluation::Undefined) {
      return convergence_.undefined();
    }
    correct(n, begin.h, evaluator);
    ++evaluator.statistics.newton_iterations;
    const double squares = apply_correction(n, norm.reciprocals());
    const ConvergenceTest::Verdict verdict =
        convergence_.judge(norm.of_squares(squares, correction_));
    if (verdict == ConvergenceTest::Verdict::GiveUp) return convergence_.result();
    mix_stages(coefficients_.T, W_, n, Z);
    if (verdict == ConvergenceTest::Verdict::Converged) return convergence_.result();
  }
}

template <class Size>
Evaluation StageNewton::evaluate_stages(Size n, const Point& begin, std::span<const double> Z,
                                        Evaluator& evaluator) {
  for (std::size_t i = 0; i < coefficients_.stages; ++i) {
    for (std::size_t k = 0; k < n; ++k) stage_[k] = begin.y[k] + Z[i * n + k];
    const std::span<double> F = std::span(F_).subspan(i * n, n);
    const double t = begin.t + coefficients_.c[i] * begin.h;
    const Evaluation evaluation = evaluator.is_explicit()
                                      ? evaluator.derivatives(t, stage_, F)
                                      : evaluate_defect(i, t, begin.h, Z, evaluator);
    if (evaluation == Evaluation::Undefined) return Evaluation::Undefined;
  }
  return Evaluation::Defined;
}

// With the derivative sum A^-1[i][j] Z[j] / h of the stage.
Evaluation StageNewton::evaluate_defect(std::size_t i, double t, double h,
                                        std::span<const double> Z, Evaluator& evaluator) {
  const std::size_t n = stage_.size();
  std::ranges::fill(slope_, 0.0);
  for (std::size_t j = 0; j < coefficients_.stages; ++j) {
    const double weight = coefficients_.A_inverse[i * coefficients_.stages + j] / h;
    for (std::size_t k = 0; k < n; ++k) slope_[k] += weight * Z[j * n + k];
  }
  return evaluator.defect(t, stage_, slope_, std::span(F_).subspan(i * n, n));
}

// Returns the sum of the squares of the correction times the reciprocals of its scale.
template <class Size>
double StageNewton::apply_correction(Size n, std::span<const double> reciprocals) {
  const double* correction = correction_.data();
  double* __restrict W = W_.data();
  double sum = 0.0;
  for (std::size_t i = 0; i < coefficients_.stages; ++i, correction += n, W += n) {
    double of_stage = 0.0;  // so that the stages need not wait for each other
    for (std::size_t k = 0; k < n; ++k) {
      const double ratio = correction[k] * reciprocals[k];
      of_stage += ratio * ratio;
      W[k] += correction[k];
    }
    sum += of_stage;
  }
  return sum;
}

// correction = (M Lambda / h - J)^-1 (T^-1 F - M Lambda / h W), block by block; if f is not y', F
// is the defect, which includes the second part.
template <class Size>
void StageNewton::correct(Size n, double h, Evaluator& evaluator) {
  mix_stages(coefficients_.T_inverse, F_, n, correction_);
  const double length = evaluator.is_explicit() ? 1.0 / h : 0.0;
  for (std::size_t k = 0; k < real_.size(); ++k) {
    const std::span<double> block = std::span(correction_).subspan(k * n, n);
    const double real = coefficients_.reals[k] * length;
    for (std::size_t i = 0; i < n; ++i) block[i] -= real * W_[k * n + i];
    real_[k]->solve(block);
  }
  for (std::size_t k = 0; k < complex_.size(); ++k) {
    const double a = coefficients_.pairs[k].real() * length;
    const double b = coefficients_.pairs[k].imag() * length;
    double* re = correction_.data() + (real_.size() + 2 * k) * n;
    double* im = re + n;
    const double* w_re = W_.data() + (real_.size() + 2 * k) * n;
    const double* w_im = w_re + n;
    for (std::size_t i = 0; i < n; ++i) {
      complex_work_[i] = {re[i] - (a * w_re[i] - b * w_im[i]), im[i] - (a * w_im[i] + b * w_re[i])};
    }
    complex_[k]->solve(complex_work_);
    for (std::size_t i = 0; i < n; ++i) {
      re[i] = complex_work_[i].real();
      im[i] = complex_work_[i].imag();
    }
  }
  evaluator.statistics.linear_solves += real_.size() + complex_.size();
}

void StageNewton::filter(std::span<double> x, Evaluator& evaluator) {
  if (filter_ != nullptr && !filter_is_factored_) {
    if (jacobian_.factor(*filter_, coefficients_.filter / h_) == linalg::Factorization::Singular) {
      for (double& value : x) value *= h_ / coefficients_.filter;
      return;
    }
    filter_is_factored_ = true;
  }
  (filter_ != nullptr ? filter_ : real_.front())->solve(x);
  ++evaluator.statistics.linear_solves;
}

void StageNewton::archive(Archive& a) {
  a(convergence_, h_, filter_is_factored_);
  for (const auto& solver : real_) a(*solver);
  for (const auto& solver : complex_) a(*solver);
  if (filter_) a(*filter_);
}

}  // namespace daedalus::integrate
