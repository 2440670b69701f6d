// The linearised equations at one point, M and J: the system's own, or by differences, coloured if
// the pattern is known.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/linalg/colouring.hpp"
#include "daedalus/linalg/linear_solver.hpp"
#include "daedalus/linalg/norm.hpp"
#include "daedalus/linalg/sparsity.hpp"
#include "integrate/damping.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"
#include "integrate/newton/jacobian_check.hpp"
#include "integrate/newton/point.hpp"

namespace daedalus::integrate {

// Why there is no room for the matrices of a system without a pattern, before they are made.
std::optional<Error> check_room(const system::System& system);

// J is df/dy; for F(t, y, y') = 0 it is -dF/dy, and M is dF/dy'.
class Jacobian {
 public:
  explicit Jacobian(const system::System& system);

  // The system's own if it has one and that is finite, otherwise differences, in which columns that
  // are constant are taken once for each arc. A handwritten one is checked now and then, and so are
  // constant columns; once one is found to be wrong, differences replace it for the rest of the
  // run.
  Evaluation evaluate(const Point& point, Evaluator& evaluator, const ErrorNorm& norm);

  // Whether it may be far too large, so that the convergence of its corrections tells nothing: it
  // is handwritten, and no check has confirmed one with entries of that size.
  bool is_doubtful() const { return is_doubtful_; }
  // Something has failed with the last one, at the same point: checks it, unless that has been done
  // already. True: it was wrong and has been replaced.
  bool is_wrong(const Point& point, Evaluator& evaluator, const ErrorNorm& norm);

  std::size_t size() const { return n_; }
  std::span<const double> values() const { return values_; }
  void set_values(std::span<const double> values) {
    std::ranges::copy(values, values_.begin());
    sum_of_sizes_ = unknown;
  }

  // To be filled by whoever evaluates it without the help of this class.
  std::span<double> own_values() {
    sum_of_sizes_ = unknown;
    return values_;
  }

  // Whether a step of size h may damp a component.
  bool may_damp(double h) const {
    if (sum_of_sizes_ == unknown) sum_of_sizes_ = linalg::sum_of_sizes(values_);
    return integrate::may_damp(h, sum_of_sizes_);
  }

  // A solver for (alpha M - J) x = r; its factors at the point of the last evaluate().
  template <class Scalar>
  std::unique_ptr<linalg::LinearSolver<Scalar>> make_solver(
      linalg::Solutions solutions = linalg::Solutions::Few) const {
    return linalg::make_linear_solver<Scalar>(
        {.size = n_, .jacobian = pattern_, .mass = mass_pattern_, .solutions = solutions});
  }
  // The same by iteration; with a pattern only.
  std::unique_ptr<linalg::LinearSolver<double>> make_krylov_solver() const {
    return linalg::make_krylov_solver({.size = n_, .jacobian = pattern_, .mass = mass_pattern_});
  }
  // Takes over another alpha without new factors; false: that is not possible.
  bool shift(linalg::LinearSolver<double>& solver, double alpha) const {
    return !is_combined_ && solver.shift(alpha);
  }
  template <class Scalar>
  linalg::Factorization factor(linalg::LinearSolver<Scalar>& solver, Scalar alpha) const {
    return solver.factor(is_combined_ ? Scalar(0.0) : alpha, values_, mass_);
  }

  // For F(t, y, y') = 0 with its own Jacobian: dF/dy + alpha dF/dy' in one evaluation, straight
  // into the matrix that is factored, which then belongs to this alpha. M and J are then not known.
  bool can_be_combined(const Evaluator& evaluator) const {
    return has_own_ && is_residual_ && !evaluator.statistics.wrong_jacobian;
  }
  Evaluation evaluate_combined(const Point& point, double alpha, Evaluator& evaluator,
                               const ErrorNorm& norm);

  // alpha M - J could not be factored: records which variable has the largest entry.
  void blame(Evaluator& evaluator) const;

  // How much of alpha M rounding may take away from alpha M - J, relative to alpha M.
  double rounding_loss(double alpha) const;

  // left = r - (alpha M - J) x, summed in extended precision.
  void linear_residual(double alpha, std::span<const double> x, std::span<const double> r,
                       std::span<double> left);

  // product = J x, and the largest sum of the sizes in a row of J, which bounds its eigenvalues.
  void multiply(std::span<const double> x, std::span<double> product) const;
  double infinity_norm() const;
  double trace() const;  // the sum of its eigenvalues

  bool is_by_differences() const { return !is_given_; }
  // All entries, column by column.
  void write_dense(std::span<double> matrix) const;

  // product = M x
  void multiply_mass(std::span<const double> x, std::span<double> product) const;

  void archive(Archive& a) {
    a(is_given_, run_, is_combined_, is_checked_, is_doubtful_, has_grown_, checks_of_growth_,
      checked_at_, combined_alpha_, mass_, values_, sum_of_sizes_, most_agreed_, arc_);
    if (check_) a(*check_);
  }

 private:
  void colour();  // not before differences are needed: a given Jacobian that is finite needs none
  Evaluation linearise(const Point& point, Evaluator& evaluator, const ErrorNorm& norm);
  Evaluation complete(Point& point, Evaluator& evaluator);
  Evaluation differences(Point point, Evaluator& evaluator, const ErrorNorm& norm);
  void forget_earlier_runs(const Evaluator& evaluator);
  bool is_due(const Evaluator& evaluator, bool has_kept);
  bool measure();  // false: an entry is not finite
  Evaluation check(Point point, double alpha, Evaluator& evaluator, const ErrorNorm& norm);
  Evaluation linearise_residual(const Point& point, Evaluator& evaluator, const ErrorNorm& norm);

  // Whether y or y' is shifted.
  enum class Argument { Value, Slope };
  Evaluation difference_columns(Argument argument, const linalg::Colouring& colouring,
                                const Point& point, Evaluator& evaluator, std::span<double> values);
  Evaluation shifted(std::span<const std::size_t> columns, double sign, Argument argument,
                     const Point& point, Evaluator& evaluator);
  void store_column(std::size_t j, std::span<const double> f, double sign,
                    std::span<double> values);

  bool keeps_columns(const Evaluator& evaluator) const {
    return !constant_.empty() && !evaluator.statistics.wrong_jacobian;
  }
  // Whether they are in the values already.
  bool knows_columns(const Evaluator& evaluator) const {
    return keeps_columns(evaluator) && arc_ == evaluator.arc();
  }

  static constexpr double unknown = -1.0;

  std::size_t n_;
  const linalg::Sparsity* pattern_;             // of J; null: dense
  bool has_own_;                                // the system does
  bool is_given_;                               // and it is used
  std::size_t run_ = 0;                         // to which the checks belong
  std::span<const std::size_t> constant_ = {};  // columns that differences need only once
  std::size_t arc_ = 0;                         // to which their values belong; 0: none
  bool has_pattern_of_user_;
  bool is_handwritten_;       // the Jacobian, the pattern or which columns are constant
  bool is_combined_ = false;  // the last one
  bool is_checked_ = true;    // the last one, or it needs no check
  bool is_doubtful_ = false;  // the last one
  bool has_grown_ = false;    // an entry of it, beyond all that were checked
  std::size_t checks_of_growth_ = 0;
  std::size_t checked_at_ = 0;  // evaluations of f
  double combined_alpha_ = 0.0;
  bool is_residual_;
  linalg::Sparsity full_;                           // for the M of a residual without a pattern
  const linalg::Sparsity* mass_pattern_ = nullptr;  // null: the identity
  std::vector<double> mass_;
  linalg::Colouring colouring_;
  linalg::Colouring varying_;  // without the constant columns
  std::vector<double> values_;
  mutable double sum_of_sizes_ = unknown;  // of the values
  mutable std::vector<double> row_sums_;   // of infinity_norm()
  std::vector<double> most_agreed_;        // confirmed sizes of entries; empty: all are in doubt
  std::vector<long double> sums_;          // of linear_residual()
  std::vector<double> increments_;         // wanted, then taken
  std::vector<double> shifted_y_;          // or y'
  std::vector<double> shifted_f_;
  std::vector<double> exact_f_;
  std::unique_ptr<JacobianCheck> check_;  // of a handwritten one
};

}  // namespace daedalus::integrate
