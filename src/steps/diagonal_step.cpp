// A step of a diagonally implicit Runge-Kutta method: a sequence of systems, one for each stage.
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

using integrate::DiagonalCoefficients;

class DiagonalStep {
 public:
  DiagonalStep(const StepTask& task, const DiagonalCoefficients& method)
      : frame_(task, method.stages, integrate::stride(task.model.states.size())),
        writer_(frame_.writer),
        method_(method),
        torn_(task.torn),
        s_(method.stages),
        n_(frame_.n) {}

  StepProgram write() {
    make_iteration_places(frame_, s_, 2 * s_);
    value_ = writer_.make_places(n_);
    prepare();
    weights_ = frame_.weights(frame_.y);
    const integrate::NewtonPlaces& newton = frame_.iteration().newton;
    for (const std::size_t place : {frame_.iteration().is_doubtful, newton.verdict,
                                    newton.iterations, newton.rate, newton.all_iterations}) {
      writer_.assign(place, writer_.constant(0.0));
    }
    if (torn_) {
      solve_torn();
      return frame_.finish();
    }
    std::size_t open = 0;
    for (std::size_t i = 0; i < s_; ++i) {
      if (!write_stage(i)) continue;
      writer_.begin_if(writer_.symbol(newton.verdict) <= writer_.constant(0.0));
      ++open;
    }
    finish();
    for (; open > 0; --open) writer_.end();
    return frame_.finish();
  }

 private:
  std::size_t stage_place(std::size_t i) const {
    return frame_.places.stages + i * frame_.places.stage_stride;
  }

  void prepare() {
    const Vector jacobian =
        write_jacobian(frame_, jacobians_per_step(frame_.dynamics, jacobian_use()));
    const IterationMatrix matrix(frame_.dynamics);
    for (const double gamma : method_.gammas)
      alphas_.push_back(writer_.keep((1.0 / gamma) / frame_.h));
    writer_.begin_if(writer_.symbol(frame_.iteration().new_factors), factors_per_step);
    const bool has_factors = !torn_ || method_.filters_error;
    Term growth = has_factors
                      ? frame_.keep_jacobian_size(jacobian, frame_.iteration().jacobian_size)
                      : writer_.constant(0.0);
    factors_.resize(alphas_.size());
    for (std::size_t i = 0; i < alphas_.size(); ++i) {
      const bool is_needed = !torn_ || (method_.filters_error && i == method_.last_solver);
      if (is_needed) factors_[i] = matrix.factor(writer_, alphas_[i], jacobian, growth);
    }
    frame_.set_growth(growth);
    writer_.end();
  }

  // A method without a dense output of its own interpolates with the Jacobian, too.
  JacobianUse jacobian_use() const {
    if (!torn_) return JacobianUse::Iteration;
    const bool is_used =
        method_.filters_error || (!method_.is_stiffly_accurate && method_.dense.empty());
    return is_used ? JacobianUse::Filter : JacobianUse::None;
  }

  // The stages as inline integration finds them.
  void solve_torn() {
    torn_->open(frame_, weights_, {});
    for (std::size_t i = 0; i < s_; ++i) {
      writer_.assign(stage_place(i), torn_->derivatives(writer_, i));
      k_.push_back(writer_.symbols(stage_place(i), n_));
    }
    writer_.assign(value_, torn_->states(writer_, s_ - 1));
    finish();
    torn_->close(frame_, jacobian_use());
  }

  // Whether it iterates. Its k and its value are then in the frame.
  bool write_stage(std::size_t i) {
    Vector base;
    for (std::size_t c = 0; c < n_; ++c)
      base.push_back(writer_.keep(frame_.y[c] + frame_.h * frame_.combine(c, method_.A[i], k_)));
    const Term t = writer_.keep(frame_.t + method_.c[i] * frame_.h);
    k_.push_back(writer_.symbols(stage_place(i), n_));
    if (method_.solver[i] == DiagonalCoefficients::none) {
      writer_.assign(stage_place(i),
                     i == 0 ? frame_.f0 : frame_.dynamics.derivatives(writer_, t, base));
      writer_.assign(value_, base);
      return false;
    }
    predict(i, base);
    iterate(i, t);
    return true;
  }

  void predict(std::size_t i, const Vector& base) {
    const integrate::IterationPlaces& places = frame_.iteration();
    const Term length = frame_.h * method_.gammas[method_.solver[i]];
    for (std::size_t c = 0; c < n_; ++c) {
      Vector terms;
      for (std::size_t j = 0; j < i; ++j)
        terms.push_back(writer_.symbol(places.extrapolation + i * 2 * s_ + j) * k_[j][c]);
      for (std::size_t j = 0; j < s_; ++j) {
        terms.push_back(writer_.symbol(places.extrapolation + i * 2 * s_ + s_ + j) *
                        writer_.symbol(places.last_stages + j * frame_.places.stage_stride + c));
      }
      const Term guess = writer_.keep(sum_of(std::move(terms)));
      writer_.assign(stage_place(i) + c, guess);
      writer_.assign(value_ + c, base[c] + length * guess);
    }
  }

  // (I / (h gamma) - J) dY = f(Y) - k, where k changes by dY / (h gamma).
  void iterate(std::size_t i, Term t) {
    const integrate::NewtonPlaces& places = frame_.iteration().newton;
    const std::size_t solver = method_.solver[i];
    const std::size_t iterations = writer_.make_places(1), rate = writer_.make_places(1);
    const Vector value = writer_.symbols(value_, n_);
    NewtonLoop loop(frame_, places, iterations, rate, simplified_iterations(frame_.dynamics, 1));
    loop.begin();
    Vector defect = frame_.dynamics.derivatives(writer_, t, value);
    for (std::size_t c = 0; c < n_; ++c) defect[c] = defect[c] - k_[i][c];
    const Vector correction = factors_[solver]->solve(writer_, std::move(defect));
    const Term size = frame_.norm(std::span(&correction, 1), weights_);
    for (std::size_t c = 0; c < n_; ++c) {
      writer_.assign(value_ + c, value[c] + correction[c]);
      writer_.assign(stage_place(i) + c, k_[i][c] + alphas_[solver] * correction[c]);
    }
    loop.end(size);
    const auto raise = [&](std::size_t place, Term other) {
      writer_.assign(place, max(writer_.symbol(place), other));
    };
    raise(places.iterations, writer_.symbol(iterations));
    raise(places.rate, writer_.symbol(rate));
    writer_.assign(places.all_iterations,
                   writer_.symbol(places.all_iterations) + writer_.symbol(iterations));
  }

  void finish() {
    const integrate::StepPlaces& places = frame_.places;
    Vector result;
    for (std::size_t c = 0; c < n_; ++c) {
      result.push_back(writer_.keep(
          method_.is_stiffly_accurate ? writer_.symbol(value_ + c)
                                      : frame_.y[c] + frame_.h * frame_.combine(c, method_.b, k_)));
    }
    writer_.assign(places.result, result);
    const Term size = frame_.judge(estimate(), weights_);
    writer_.begin_if(size <= writer_.constant(1.0));
    if (method_.is_stiffly_accurate) {
      writer_.assign(places.f1, k_.back());
      if (!torn_) doubt(result);
    } else {
      writer_.assign(places.f1, frame_.dynamics.derivatives(writer_, frame_.t + frame_.h, result));
    }
    writer_.end();
  }

  Vector estimate() {
    if (method_.two_step) return two_step_estimate(frame_, k_);
    Vector error;
    for (std::size_t c = 0; c < n_; ++c) {
      const Term sum = frame_.combine(c, method_.error, k_);
      error.push_back(writer_.keep(method_.filters_error
                                       ? (1.0 / method_.gammas[method_.last_solver]) * sum
                                       : frame_.h * sum));
    }
    return method_.filters_error ? factors_[method_.last_solver]->solve(writer_, std::move(error))
                                 : error;
  }

  void doubt(const Vector& result) {
    writer_.begin_if(writer_.symbol(frame_.iteration().newton.iterations) <= writer_.constant(1.0),
                     rarely);
    Vector difference = frame_.dynamics.derivatives(writer_, frame_.t + frame_.h, result);
    for (std::size_t c = 0; c < n_; ++c) difference[c] = writer_.keep(difference[c] - k_.back()[c]);
    write_doubt(frame_,
                {.difference = std::move(difference),
                 .length = frame_.h * method_.gammas[method_.last_solver],
                 .filter = *factors_[method_.last_solver],
                 .result = result},
                weights_);
    writer_.end();
  }

  Frame frame_;
  Writer& writer_;
  const DiagonalCoefficients& method_;
  TornStages* torn_;
  std::size_t s_, n_;
  std::size_t value_ = 0;  // of the stage
  std::vector<Vector> k_;
  Vector weights_, alphas_;
  std::vector<std::optional<Elimination<Term>>> factors_;  // by gamma, those that are needed
};

}  // namespace

StepProgram diagonal_step(const StepTask& task, const DiagonalCoefficients& method) {
  return DiagonalStep(task, method).write();
}

}  // namespace daedalus::steps
