// A step of a fully implicit Runge-Kutta method, through the eigenvalues of A^-1: a real system for
// each real one, a complex one for each pair.
#include <optional>

#include "daedalus/integrate/coefficients.hpp"
#include "steps/cost.hpp"
#include "steps/families.hpp"
#include "steps/iteration_matrix.hpp"
#include "steps/newton_loop.hpp"
#include "steps/stage_iteration.hpp"
#include "steps/torn_stages.hpp"

namespace daedalus::steps {
namespace {

class ImplicitStep {
 public:
  ImplicitStep(const StepTask& task, const integrate::ImplicitCoefficients& method)
      : frame_(task, method.stages, task.model.states.size()),
        writer_(frame_.writer),
        method_(method),
        torn_(task.torn),
        s_(method.stages),
        n_(frame_.n) {}

  StepProgram write() {
    make_places();
    per_h_ = writer_.keep(1.0 / frame_.h);
    prepare();
    weights_ = frame_.weights(frame_.y);
    if (torn_) {
      solve_torn();
    } else {
      predict();
      iterate();
      writer_.begin_if(converged_);
      finish();
      writer_.end();
    }
    return frame_.finish();
  }

 private:
  void make_places() {
    make_iteration_places(frame_, s_, s_);
    for (std::size_t* place : {&frame_.iteration().goes_on, &frame_.iteration().is_cautious})
      *place = writer_.make_places(1);
  }

  Vector at(std::size_t first) { return writer_.symbols(first, n_); }
  Vector stage(std::size_t i) { return at(frame_.places.stages + i * n_); }

  // Jacobian and factors stay in the frame.
  void prepare() {
    const Vector jacobian = write_jacobian(
        frame_,
        jacobians_per_step(frame_.dynamics, torn_ ? JacobianUse::Filter : JacobianUse::Iteration));
    const IterationMatrix matrix(frame_.dynamics);
    writer_.begin_if(writer_.symbol(frame_.iteration().new_factors), factors_per_step);
    const bool has_factors = !torn_ || method_.filters_error;
    Term growth = has_factors
                      ? frame_.keep_jacobian_size(jacobian, frame_.iteration().jacobian_size)
                      : writer_.constant(0.0);
    if (torn_) {
      if (method_.filters_error) factor_filter(matrix, jacobian, growth);
    } else {
      factor_all(matrix, jacobian, growth);
    }
    frame_.set_growth(growth);
    writer_.end();
  }

  void factor_filter(const IterationMatrix& matrix, const Vector& jacobian, Term& growth) {
    filter_ = matrix.factor(writer_, writer_.keep(method_.filter * per_h_), jacobian, growth);
  }

  void factor_all(const IterationMatrix& matrix, const Vector& jacobian, Term& growth) {
    for (const double real : method_.reals)
      reals_.push_back(matrix.factor(writer_, writer_.keep(real * per_h_), jacobian, growth));
    for (const std::complex<double> pair : method_.pairs) {
      const ComplexTerm alpha{writer_.keep(pair.real() * per_h_),
                              writer_.keep(pair.imag() * per_h_)};
      pairs_.push_back(matrix.factor(writer_, alpha, jacobian, growth));
    }
    if (reals_.empty()) factor_filter(matrix, jacobian, growth);
  }

  // The stages as inline integration finds them.
  void solve_torn() {
    const integrate::StepPlaces& places = frame_.places;
    torn_->open(frame_, weights_, method_.result);
    for (std::size_t i = 0; i < s_; ++i) {
      const Vector states = torn_->states(writer_, i);
      for (std::size_t k = 0; k < n_; ++k)
        writer_.assign(places.stages + i * n_ + k, states[k] - frame_.y[k]);
    }
    finish();
    torn_->close(frame_, JacobianUse::Filter);
  }

  // The polynomial of the last step, continued.
  void predict() {
    const integrate::IterationPlaces& places = frame_.iteration();
    writer_.begin_if(!writer_.truth(places.goes_on));
    for (std::size_t i = 0; i < s_; ++i) {
      for (std::size_t k = 0; k < n_; ++k) {
        Vector terms;
        for (std::size_t j = 0; j < s_; ++j) {
          terms.push_back(writer_.symbol(places.extrapolation + i * s_ + j) *
                          writer_.symbol(places.last_stages + j * n_ + k));
        }
        writer_.assign(frame_.places.stages + i * n_ + k, sum_of(std::move(terms)));
      }
    }
    writer_.end();
  }

  // matrix[i] times component k of each stage.
  Term mix(const std::vector<double>& matrix, std::size_t i, const std::vector<Vector>& stages,
           std::size_t k) {
    Term sum = writer_.constant(0.0);
    for (std::size_t j = 0; j < s_; ++j) sum = sum + matrix[i * s_ + j] * stages[j][k];
    return sum;
  }

  void iterate() {
    const std::size_t transformed = writer_.make_places(s_ * n_);  // W
    std::vector<Vector> Z, W;
    for (std::size_t i = 0; i < s_; ++i) {
      Z.push_back(stage(i));
      W.push_back(at(transformed + i * n_));
    }
    for (std::size_t i = 0; i < s_; ++i) {
      for (std::size_t k = 0; k < n_; ++k)
        writer_.assign(transformed + i * n_ + k, mix(method_.T_inverse, i, Z, k));
    }
    const integrate::NewtonPlaces& newton = frame_.iteration().newton;
    NewtonLoop loop(frame_, newton, newton.iterations, newton.rate,
                    simplified_iterations(frame_.dynamics, s_));
    loop.begin();
    const Term is_first = writer_.keep(loop.is_first());
    std::vector<Vector> F;
    for (std::size_t i = 0; i < s_; ++i) {
      Vector value;
      for (std::size_t k = 0; k < n_; ++k) value.push_back(writer_.keep(frame_.y[k] + Z[i][k]));
      const Term t = writer_.keep(frame_.t + method_.c[i] * frame_.h);
      F.push_back(writer_.keep(frame_.dynamics.derivatives_in_pass(writer_, t, value, is_first)));
    }
    const std::vector<Vector> correction = correct(F, W);
    std::vector<Vector> moved;
    for (std::size_t i = 0; i < s_; ++i) {
      moved.emplace_back();
      for (std::size_t k = 0; k < n_; ++k)
        moved.back().push_back(writer_.keep(W[i][k] + correction[i][k]));
      writer_.assign(transformed + i * n_, moved.back());
    }
    for (std::size_t i = 0; i < s_; ++i) {
      for (std::size_t k = 0; k < n_; ++k)
        writer_.assign(frame_.places.stages + i * n_ + k, mix(method_.T, i, moved, k));
    }
    loop.end(frame_.norm(correction, weights_));
    writer_.assign(newton.all_iterations, writer_.symbol(newton.iterations));
    converged_ = writer_.keep(writer_.symbol(newton.verdict) <= writer_.constant(0.0));
  }

  // (Lambda / h - J)^-1 (T^-1 F - Lambda / h W), block by block.
  std::vector<Vector> correct(const std::vector<Vector>& F, const std::vector<Vector>& W) {
    std::vector<Vector> right, result;
    for (std::size_t i = 0; i < s_; ++i) {
      right.emplace_back();
      for (std::size_t k = 0; k < n_; ++k) right.back().push_back(mix(method_.T_inverse, i, F, k));
    }
    for (std::size_t r = 0; r < reals_.size(); ++r) {
      const Term factor = method_.reals[r] * per_h_;
      for (std::size_t k = 0; k < n_; ++k) right[r][k] = right[r][k] - factor * W[r][k];
      result.push_back(reals_[r].solve(writer_, right[r]));
    }
    for (std::size_t c = 0; c < pairs_.size(); ++c) {
      const std::size_t i = reals_.size() + 2 * c;
      const Term a = method_.pairs[c].real() * per_h_;
      const Term b = method_.pairs[c].imag() * per_h_;
      std::vector<ComplexTerm> x;
      for (std::size_t k = 0; k < n_; ++k) {
        x.push_back({right[i][k] - (a * W[i][k] - b * W[i + 1][k]),
                     right[i + 1][k] - (a * W[i + 1][k] + b * W[i][k])});
      }
      x = pairs_[c].solve(writer_, std::move(x));
      result.resize(result.size() + 2);
      for (const ComplexTerm& component : x) {
        result[i].push_back(component.re);
        result[i + 1].push_back(component.im);
      }
    }
    return result;
  }

  Vector filter(Vector x) {
    return (filter_ ? *filter_ : reals_.front()).solve(writer_, std::move(x));
  }

  // Result, estimate, f at the end.
  void finish() {
    const integrate::StepPlaces& places = frame_.places;
    writer_.assign(frame_.iteration().is_doubtful, writer_.constant(0.0));
    std::vector<Vector> Z;
    for (std::size_t i = 0; i < s_; ++i) Z.push_back(stage(i));
    Vector result;
    for (std::size_t k = 0; k < n_; ++k)
      result.push_back(writer_.keep(frame_.combine(k, method_.result, Z, frame_.y[k])));
    writer_.assign(places.result, result);
    const Term error = estimate(Z);
    writer_.begin_if(error <= writer_.constant(1.0));
    if (torn_ && !method_.end_derivative.empty()) {
      writer_.assign(places.f1, torn_->derivatives(writer_, s_ - 1));
    } else {
      const Vector end = frame_.dynamics.derivatives(writer_, frame_.t + frame_.h, result);
      writer_.assign(places.f1, end);
      if (!torn_) doubt(end, Z, result);
    }
    writer_.end();
  }

  Vector slope(std::span<const double> weights, const std::vector<Vector>& Z) {
    Vector sum;
    for (std::size_t k = 0; k < n_; ++k) sum.push_back(writer_.keep(frame_.combine(k, weights, Z)));
    return sum;
  }

  Term estimate(const std::vector<Vector>& Z) {
    const integrate::StepPlaces& places = frame_.places;
    const auto at_least = [&](Term size) { return max(size, writer_.constant(1e-10)); };
    if (method_.two_step) return frame_.judge(two_step_estimate(frame_, Z), weights_);
    if (method_.error.empty()) return frame_.judge(Vector(n_, writer_.constant(0.0)), weights_);
    const Vector sums = slope(method_.error, Z);
    if (!method_.filters_error) return frame_.judge(sums, weights_);
    Vector source;
    if (!method_.adds_derivative) {
      for (const Term sum : sums) source.push_back((method_.filter * per_h_) * sum);
      const Term size = frame_.judge(filter(source), weights_);
      writer_.assign(places.error, at_least(size));
      return writer_.symbol(places.error);
    }
    for (std::size_t k = 0; k < n_; ++k) source.push_back(frame_.f0[k] + per_h_ * sums[k]);
    const Vector first = filter(source);
    const Term size = writer_.keep(at_least(frame_.judge(first, weights_)));
    writer_.assign(places.error, size);
    writer_.begin_if(
        !(size < writer_.constant(1.0)) && writer_.truth(frame_.iteration().is_cautious), rarely);
    Vector shifted;
    for (std::size_t k = 0; k < n_; ++k) shifted.push_back(writer_.keep(frame_.y[k] + first[k]));
    const Vector f = frame_.dynamics.derivatives(writer_, frame_.t, shifted);
    for (std::size_t k = 0; k < n_; ++k) source[k] = f[k] + per_h_ * sums[k];
    frame_.judge(filter(source), weights_);
    writer_.end();
    return writer_.symbol(places.error);
  }

  void doubt(const Vector& end, const std::vector<Vector>& Z, const Vector& result) {
    if (method_.end_derivative.empty()) return;
    writer_.begin_if(writer_.symbol(frame_.iteration().newton.iterations) <= writer_.constant(1.0),
                     rarely);
    const Vector slopes = slope(method_.end_derivative, Z);
    Vector difference;
    for (std::size_t k = 0; k < n_; ++k)
      difference.push_back(writer_.keep(end[k] - per_h_ * slopes[k]));
    write_doubt(frame_,
                {.difference = std::move(difference),
                 .length = (1.0 / method_.filter) * frame_.h,
                 .filter = filter_ ? *filter_ : reals_.front(),
                 .result = result},
                weights_);
    writer_.end();
  }

  Frame frame_;
  Writer& writer_;
  const integrate::ImplicitCoefficients& method_;
  TornStages* torn_;
  std::size_t s_, n_;
  Term per_h_, converged_;
  Vector weights_;
  std::vector<Elimination<Term>> reals_;
  std::vector<Elimination<ComplexTerm>> pairs_;
  std::optional<Elimination<Term>> filter_;  // where no real eigenvalue can be used
};

}  // namespace

StepProgram implicit_step(const StepTask& task, const integrate::ImplicitCoefficients& method) {
  return ImplicitStep(task, method).write();
}

}  // namespace daedalus::steps
