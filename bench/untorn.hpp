// A model as written, F(t, y, y') = 0 in all of its variables: neither sorted nor torn, only
// without aliases. Residuals and their Jacobian are native code. Solved with IDA and KLU.
#pragma once

#include <span>
#include <vector>

#include "codegen/native_code.hpp"
#include "daedalus/linalg/sparsity.hpp"
#include "daedalus/runtime/model_system.hpp"
#include "run.hpp"

namespace bench {

struct Interval {
  double begin = 0.0, end = 1.0;
};

class Untorn {
 public:
  // Of a model with its start values. Its first unknowns are the states of the
  // model, in their order. The index of the model must not be above 1.
  Untorn(const daedalus::runtime::ModelSystem& system, const Interval& interval,
         const daedalus::runtime::Start& start);

  std::size_t size() const { return y0_.size(); }
  std::size_t state_count() const { return states_; }
  std::span<const double> y0() const { return y0_; }
  std::span<const double> slope0() const { return slope0_; }
  const std::vector<bool>& is_differential() const { return is_differential_; }
  const daedalus::linalg::Sparsity& pattern() const { return pattern_; }

  void residual(double t, const double* y, const double* slope, double* r);
  // dF/dy + a dF/dy', in the order of the pattern.
  void jacobian(double t, double a, const double* y, const double* slope, double* values);

 private:
  struct Description;
  explicit Untorn(Description description);
  void put(double t, const double* y, const double* slope);

  std::size_t states_ = 0;
  std::vector<double> symbols_;        // parameters, and the values of the last evaluation
  std::vector<std::size_t> unknowns_;  // the symbol of each
  std::vector<std::size_t> slopes_;    // the symbol of the derivative of each state
  std::size_t factor_ = 0;             // the symbol of a
  std::vector<double> y0_, slope0_;
  std::vector<bool> is_differential_;
  daedalus::linalg::Sparsity pattern_;
  daedalus::codegen::NativeCode code_;
};

std::string ida_version();

enum class ErrorTest { AllVariables, DifferentialOnly };

// Of KLU's columns. KLU keeps its pivots from the first factorisation on, which does not suit every
// model with every ordering: then IDA does not converge.
enum class Ordering { Amd, Colamd };

struct IdaChoice {
  ErrorTest test = ErrorTest::AllVariables;
  Ordering ordering = Ordering::Amd;
};

// From the creation of the solver until it is freed. y of the result contains only the states.
Run run_ida(Untorn& model, const Interval& interval, double rtol, double atol,
            const IdaChoice& choice);

}  // namespace bench
