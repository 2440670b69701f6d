#include "integrate/newton/jacobian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "daedalus/base/memory.hpp"
#include "daedalus/linalg/norm.hpp"
#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr std::size_t check_spacing = 100;  // evaluations of f
constexpr std::size_t growth_spacing = 20;
// Growth of entries before they are doubted. Corrections with a Jacobian that is too large by this
// factor are too small by the same factor, and the error left is still below the tolerances.
constexpr double most_growth = 30.0;

// Changes of a variable that enters linearly, relative to its size: the rounding error of f matters
// the less the larger they are.
constexpr double large_increment = 1e-3;

linalg::Colouring one_colour_each(std::size_t n) {
  linalg::Colouring colouring{.colours = n};
  for (std::size_t j = 0; j < n; ++j) {
    colouring.columns.push_back(j);
    colouring.starts.push_back(j + 1);
  }
  return colouring;
}

// Without some of the columns, and without the colours that are then empty.
linalg::Colouring without(std::span<const std::size_t> columns, const linalg::Colouring& all) {
  linalg::Colouring left;
  for (std::size_t c = 0; c < all.colours; ++c) {
    for (std::size_t k = all.starts[c]; k < all.starts[c + 1]; ++k) {
      if (!std::ranges::binary_search(columns, all.columns[k]))
        left.columns.push_back(all.columns[k]);
    }
    if (left.columns.size() > left.starts.back()) left.starts.push_back(left.columns.size());
  }
  left.colours = left.starts.size() - 1;
  return left;
}

linalg::Sparsity emptied(std::span<const std::size_t> columns, const linalg::Sparsity& pattern) {
  linalg::Sparsity left{.size = pattern.size, .starts = {0}};
  for (std::size_t j = 0; j < pattern.size; ++j) {
    if (!std::ranges::binary_search(columns, j))
      left.rows.insert(left.rows.end(), pattern.rows.begin() + pattern.starts[j],
                       pattern.rows.begin() + pattern.starts[j + 1]);
    left.starts.push_back(static_cast<int>(left.rows.size()));
  }
  return left;
}

// sums += factor A x; no pattern: A is the identity.
void add_extended(const linalg::Sparsity* pattern, std::span<const double> values,
                  long double factor, std::span<const double> x, std::span<long double> sums) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    const long double product = factor * x[j];
    if (pattern == nullptr) {
      sums[j] += product;
      continue;
    }
    const auto end = static_cast<std::size_t>(pattern->starts[j + 1]);
    for (auto k = static_cast<std::size_t>(pattern->starts[j]); k < end; ++k) {
      sums[static_cast<std::size_t>(pattern->rows[k])] += product * values[k];
    }
  }
}

// Columns of one colour share no row, so a row with many entries needs as many colours, and finding
// them would take the square of that.
bool is_worth_colouring(const linalg::Sparsity& pattern) {
  constexpr double most_comparisons = 1e10;
  std::vector<double> in_row(pattern.size, 0.0);
  for (const int row : pattern.rows) in_row[static_cast<std::size_t>(row)] += 1.0;
  double comparisons = 0.0;
  for (const double count : in_row) comparisons += count * count;
  return comparisons <= most_comparisons;
}

}  // namespace

std::optional<Error> check_room(const system::System& system) {
  constexpr std::size_t always_fits = 1000;  // asking for the available memory takes a moment
  if (system.jacobian_pattern() != nullptr || system.size() <= always_fits) return std::nullopt;
  const double n = static_cast<double>(system.size());
  const double needed = 2 * sizeof(double) * n * n, room = memory_limit();
  if (needed <= room) return std::nullopt;
  return Error{"memory",
               fmt::format("the Jacobian of {} variables is a full matrix, which needs {} with its "
                           "factors; there are {}",
                           system.size(), bytes_text(needed), bytes_text(room)),
               "take a method that needs no Jacobian, for example dopri5 or adams"};
}

Jacobian::Jacobian(const system::System& system)
    : n_(system.size()),
      pattern_(system.jacobian_pattern()),
      has_own_(system.has_jacobian()),
      is_given_(has_own_),
      constant_(has_own_ ? std::span<const std::size_t>() : system.constant_columns()),
      has_pattern_of_user_(!has_own_ && system.jacobian_is_handwritten()),
      is_handwritten_(system.jacobian_is_handwritten() || !constant_.empty()),
      is_residual_(system.form() == system::Form::Residual),
      values_(pattern_ != nullptr ? pattern_->entries() : n_ * n_),
      sums_(n_),
      increments_(n_),
      shifted_y_(n_),
      shifted_f_(n_),
      exact_f_(n_) {
  if (!is_given_) colour();
  if (is_handwritten_) {
    check_ = std::make_unique<JacobianCheck>(n_);
    most_agreed_.reserve(values_.size());
  }
  if (system.form() == system::Form::Mass) {
    mass_pattern_ = &system.mass()->pattern;
    mass_ = system.mass()->values;
  } else if (system.form() == system::Form::Residual) {
    if (pattern_ == nullptr) full_ = linalg::full_pattern(n_);
    mass_pattern_ = pattern_ != nullptr ? pattern_ : &full_;
    mass_.resize(values_.size());
  }
}

void Jacobian::colour() {
  if (colouring_.colours > 0) return;
  const bool has_colours = pattern_ != nullptr && is_worth_colouring(*pattern_);
  colouring_ = has_colours ? linalg::colour_columns(*pattern_) : one_colour_each(n_);
  if (constant_.empty()) return;
  varying_ = without(
      constant_, has_colours ? linalg::colour_columns(emptied(constant_, *pattern_)) : colouring_);
}

Evaluation Jacobian::evaluate(const Point& point, Evaluator& evaluator, const ErrorNorm& norm) {
  ++evaluator.statistics.jac_evals;
  forget_earlier_runs(evaluator);
  is_combined_ = false;
  is_given_ = has_own_ && !evaluator.statistics.wrong_jacobian;
  sum_of_sizes_ = unknown;
  const bool has_kept = knows_columns(evaluator);
  if (linearise(point, evaluator, norm) == Evaluation::Undefined) return Evaluation::Undefined;
  return is_due(evaluator, has_kept) ? check(point, 1.0 / point.h, evaluator, norm)
                                     : Evaluation::Defined;
}

void Jacobian::forget_earlier_runs(const Evaluator& evaluator) {
  if (std::exchange(run_, evaluator.run()) == evaluator.run()) return;
  most_agreed_.clear();
  checks_of_growth_ = 0;
  checked_at_ = 0;
  if (check_) check_->start();
}

// At first after this many evaluations of f, and less often the more there have been. Also if
// entries are larger than any that were checked, but not at every such step. A pattern is checked
// once, and constant columns where they are older than the others.
bool Jacobian::is_due(const Evaluator& evaluator, bool has_kept) {
  const solution::Statistics& statistics = evaluator.statistics;
  is_checked_ = !is_handwritten_ || statistics.wrong_jacobian;
  is_doubtful_ = !is_checked_ && has_own_ && (is_residual_ || has_grown_);
  if (!has_own_ && !has_pattern_of_user_ && !has_kept) is_checked_ = true;
  if (is_checked_ || statistics.jacobian_checks == 0) return !is_checked_;
  if (!has_own_ && !has_kept) return false;
  const std::size_t regular = statistics.jacobian_checks - checks_of_growth_;
  if (statistics.f_evals >= check_spacing * regular * regular) return true;
  const bool is_grown =
      is_doubtful_ && !is_residual_ && statistics.f_evals >= checked_at_ + growth_spacing;
  if (is_grown) ++checks_of_growth_;
  return is_grown;
}

// The sum of the magnitudes of all entries, which is finite if they are, and whether one is larger
// than any that was checked. This is done for every Jacobian: two entries at once, in one pass.
// Numbers that are not negative have the same order as their bits.
bool Jacobian::measure() {
  using Reals [[gnu::vector_size(16)]] = double;
  using Bits [[gnu::vector_size(16)]] = std::uint64_t;
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  constexpr Bits without_sign = {~sign, ~sign};
  const std::size_t count = values_.size();
  const double* const most = most_agreed_.empty() ? values_.data() : most_agreed_.data();
  Reals sum = {};
  Bits smallest = {};
  const auto add = [&](std::size_t k, std::size_t entries) {
    Bits value = {}, agreed = {};
    std::memcpy(&value, values_.data() + k, entries * sizeof(double));
    std::memcpy(&agreed, most + k, entries * sizeof(double));
    value &= without_sign;
    sum += std::bit_cast<Reals>(value);
    smallest |= agreed - value;
  };
  for (std::size_t k = 0; k + 2 <= count; k += 2) add(k, 2);
  if (count % 2 != 0) add(count - 1, 1);
  sum_of_sizes_ = sum[0] + sum[1];
  has_grown_ = most_agreed_.empty() || ((smallest[0] | smallest[1]) & sign) != 0;
  return std::isfinite(sum_of_sizes_) || linalg::all_finite(values_);
}

bool Jacobian::is_wrong(const Point& point, Evaluator& evaluator, const ErrorNorm& norm) {
  if (is_checked_) return false;
  // Steps also fail because they are long: comparing each time would cost what was saved.
  const bool is_by_differences = !has_own_ && !has_pattern_of_user_;
  if (is_by_differences && evaluator.statistics.f_evals < checked_at_ + check_spacing) return false;
  check(point, is_combined_ ? combined_alpha_ : 1.0 / point.h, evaluator, norm);
  return (has_own_ || !constant_.empty()) && evaluator.statistics.wrong_jacobian.has_value();
}

Evaluation Jacobian::check(Point point, double alpha, Evaluator& evaluator, const ErrorNorm& norm) {
  is_checked_ = true;
  ++evaluator.statistics.jacobian_checks;
  if (complete(point, evaluator) == Evaluation::Undefined) return Evaluation::Defined;
  LinearMap claimed{.pattern = pattern_, .values = values_};
  if (is_residual_) claimed.alpha = alpha;
  if (is_residual_ && !is_combined_) {
    claimed.mass_pattern = mass_pattern_;
    claimed.mass = mass_;
  }
  auto wrong = check_->find(point, point.f, claimed, evaluator, norm);
  checked_at_ = evaluator.statistics.f_evals;
  is_doubtful_ = is_residual_ && !wrong;
  if (!wrong) {
    most_agreed_.resize(values_.size());
    for (std::size_t k = 0; k < values_.size(); ++k)
      most_agreed_[k] = std::max(most_agreed_[k], most_growth * std::abs(values_[k]));
    return Evaluation::Defined;
  }
  wrong->is_kept = wrong->is_in_pattern && std::ranges::binary_search(constant_, wrong->column);
  evaluator.statistics.wrong_jacobian = wrong;
  sum_of_sizes_ = unknown;
  is_given_ = false;
  is_combined_ = false;
  return has_own_ || !constant_.empty() ? differences(point, evaluator, norm) : Evaluation::Defined;
}

Evaluation Jacobian::linearise(const Point& point, Evaluator& evaluator, const ErrorNorm& norm) {
  if (is_residual_) return linearise_residual(point, evaluator, norm);
  if (is_given_ && evaluator.jacobian(point.t, point.y, values_) == Evaluation::Defined &&
      measure()) {
    return Evaluation::Defined;
  }
  sum_of_sizes_ = unknown;
  has_grown_ = false;
  return differences(point, evaluator, norm);
}

void Jacobian::blame(Evaluator& evaluator) const {
  const auto is_smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto place =
      static_cast<std::size_t>(std::ranges::max_element(values_, is_smaller) - values_.begin());
  if (place == values_.size()) return;
  if (pattern_ == nullptr) return evaluator.blame_for_singular(place / n_);
  const auto after = std::ranges::upper_bound(pattern_->starts, static_cast<int>(place));
  evaluator.blame_for_singular(static_cast<std::size_t>(after - pattern_->starts.begin()) - 1);
}

double Jacobian::rounding_loss(double alpha) const {
  const double mass = mass_pattern_ == nullptr ? 1.0 : linalg::largest_absolute(mass_);
  return epsilon * linalg::largest_absolute(values_) / (alpha * mass);
}

void Jacobian::linear_residual(double alpha, std::span<const double> x, std::span<const double> r,
                               std::span<double> left) {
  std::ranges::copy(r, sums_.begin());
  add_extended(mass_pattern_, mass_, -static_cast<long double>(alpha), x, sums_);
  if (pattern_ != nullptr) {
    add_extended(pattern_, values_, 1.0L, x, sums_);
  } else {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = 0; i < n_; ++i) {
        sums_[i] += static_cast<long double>(values_[j * n_ + i]) * x[j];
      }
    }
  }
  for (std::size_t i = 0; i < n_; ++i) left[i] = static_cast<double>(sums_[i]);
}

void Jacobian::multiply(std::span<const double> x, std::span<double> product) const {
  std::ranges::fill(product, 0.0);
  if (pattern_ != nullptr) {
    linalg::add_product(*pattern_, values_, 1.0, x, product);
    return;
  }
  for (std::size_t j = 0; j < n_; ++j)
    linalg::add_multiple(x[j], std::span(values_).subspan(j * n_, n_), product);
}

double Jacobian::infinity_norm() const {
  row_sums_.assign(n_, 0.0);
  if (pattern_ != nullptr) {
    for (std::size_t k = 0; k < values_.size(); ++k)
      row_sums_[static_cast<std::size_t>(pattern_->rows[k])] += std::abs(values_[k]);
  } else {
    linalg::with_size(n_, [&](auto n) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < n; ++i) row_sums_[i] += std::abs(values_[j * n + i]);
      }
    });
  }
  return *std::ranges::max_element(row_sums_);
}

double Jacobian::trace() const {
  double sum = 0.0;
  for (std::size_t j = 0; j < n_; ++j) {
    if (pattern_ == nullptr) {
      sum += values_[j * n_ + j];
      continue;
    }
    for (int k = pattern_->starts[j]; k < pattern_->starts[j + 1]; ++k) {
      if (pattern_->rows[k] == static_cast<int>(j)) sum += values_[static_cast<std::size_t>(k)];
    }
  }
  return sum;
}

void Jacobian::write_dense(std::span<double> matrix) const {
  if (pattern_ == nullptr) {
    std::ranges::copy(values_, matrix.begin());
    return;
  }
  std::ranges::fill(matrix, 0.0);
  for (std::size_t j = 0; j < n_; ++j) {
    for (int k = pattern_->starts[j]; k < pattern_->starts[j + 1]; ++k)
      matrix[j * n_ + static_cast<std::size_t>(pattern_->rows[k])] = values_[k];
  }
}

void Jacobian::multiply_mass(std::span<const double> x, std::span<double> product) const {
  if (mass_pattern_ == nullptr) {
    std::ranges::copy(x, product.begin());
    return;
  }
  std::ranges::fill(product, 0.0);
  linalg::add_product(*mass_pattern_, mass_, 1.0, x, product);
}

Evaluation Jacobian::evaluate_combined(const Point& point, double alpha, Evaluator& evaluator,
                                       const ErrorNorm& norm) {
  ++evaluator.statistics.jac_evals;
  forget_earlier_runs(evaluator);
  is_combined_ = true;
  combined_alpha_ = alpha;
  const Evaluation said =
      evaluator.residual_jacobian(point.t, point.y, point.slope, alpha, values_);
  for (double& value : values_) value = -value;
  if (said == Evaluation::Undefined || !is_due(evaluator, false)) return said;
  return check(point, alpha, evaluator, norm);
}

// dF/dy + a dF/dy' for a = 0 and a = 1.
Evaluation Jacobian::linearise_residual(const Point& point, Evaluator& evaluator,
                                        const ErrorNorm& norm) {
  if (!is_given_) return differences(point, evaluator, norm);
  const auto given = [&](double a, std::span<double> values) {
    return evaluator.residual_jacobian(point.t, point.y, point.slope, a, values);
  };
  if (given(0.0, values_) == Evaluation::Undefined || given(1.0, mass_) == Evaluation::Undefined) {
    return differences(point, evaluator, norm);
  }
  for (std::size_t k = 0; k < mass_.size(); ++k) {
    mass_[k] -= values_[k];
    values_[k] = -values_[k];
  }
  return Evaluation::Defined;
}

// Sets f to the value of the equations at the point: f or -F.
Evaluation Jacobian::complete(Point& point, Evaluator& evaluator) {
  if (!is_residual_ && point.f_is_exact) return Evaluation::Defined;
  point.f = exact_f_;
  point.f_is_exact = true;
  return is_residual_ ? evaluator.defect(point.t, point.y, point.slope, exact_f_)
                      : evaluator.derivatives(point.t, point.y, exact_f_);
}

// Increments as in CVODE (Hindmarsh et al. 2005): relative to y, and not below what rounding in f
// requires. In algebraic equations nothing is multiplied by h, so there they are relative to the
// size that the tolerances give a component; those of y' change y as much over the step. The first
// step may be so short that these are too small for a column that is kept longer.
Evaluation Jacobian::differences(Point point, Evaluator& evaluator, const ErrorNorm& norm) {
  colour();
  if (complete(point, evaluator) == Evaluation::Undefined) return Evaluation::Undefined;
  const double size_f = norm(point.f);
  const double rounding = 1000.0 * std::abs(point.h) * epsilon * static_cast<double>(n_) * size_f;
  const double smallest = size_f != 0.0 ? rounding : 1.0;
  for (std::size_t j = 0; j < n_; ++j) {
    increments_[j] = evaluator.is_explicit() ? std::max(std::sqrt(epsilon) * std::abs(point.y[j]),
                                                        smallest * norm.scale(j))
                                             : std::sqrt(epsilon) * norm.size(j);
  }
  const bool is_kept = keeps_columns(evaluator);
  const linalg::Colouring& colouring = knows_columns(evaluator) ? varying_ : colouring_;
  if (is_kept) {
    for (const std::size_t j : constant_) increments_[j] = large_increment * norm.size(j);
  }
  arc_ = 0;
  if (difference_columns(Argument::Value, colouring, point, evaluator, values_) ==
      Evaluation::Undefined) {
    return Evaluation::Undefined;
  }
  if (is_residual_) {
    for (std::size_t j = 0; j < n_; ++j) {
      const double size = norm.size(j) / std::abs(point.h);
      increments_[j] = std::sqrt(epsilon) * std::max(std::abs(point.slope[j]), size);
    }
    if (is_kept) {
      for (const std::size_t j : constant_)
        increments_[j] = large_increment * norm.size(j) / std::abs(point.h);
    }
    if (difference_columns(Argument::Slope, colouring, point, evaluator, mass_) ==
        Evaluation::Undefined) {
      return Evaluation::Undefined;
    }
  }
  if (is_kept) arc_ = evaluator.arc();
  return Evaluation::Defined;
}
Evaluation Jacobian::difference_columns(Argument argument, const linalg::Colouring& colouring,
                                        const Point& point, Evaluator& evaluator,
                                        std::span<double> values) {
  const std::span<const double> begin = argument == Argument::Value ? point.y : point.slope;
  const double sign = argument == Argument::Value ? 1.0 : -1.0;  // M is that of -F
  std::ranges::copy(begin, shifted_y_.begin());
  const std::span<const std::size_t> all(colouring.columns);
  for (std::size_t c = 0; c < colouring.colours; ++c) {
    const std::size_t first = colouring.starts[c];
    const auto columns = all.subspan(first, colouring.starts[c + 1] - first);
    if (shifted(columns, 1.0, argument, point, evaluator) == Evaluation::Undefined &&
        shifted(columns, -1.0, argument, point, evaluator) == Evaluation::Undefined) {
      return Evaluation::Undefined;
    }
    for (const std::size_t j : columns) {
      store_column(j, point.f, sign, values);
      shifted_y_[j] = begin[j];
    }
  }
  return Evaluation::Defined;
}

Evaluation Jacobian::shifted(std::span<const std::size_t> columns, double sign, Argument argument,
                             const Point& point, Evaluator& evaluator) {
  const std::span<const double> begin = argument == Argument::Value ? point.y : point.slope;
  for (const std::size_t j : columns) {
    shifted_y_[j] = begin[j] + sign * std::abs(increments_[j]);
    increments_[j] = shifted_y_[j] - begin[j];  // as rounded
    if (increments_[j] == 0.0) {
      shifted_y_[j] = std::nextafter(begin[j], sign * std::numeric_limits<double>::infinity());
      increments_[j] = shifted_y_[j] - begin[j];
    }
  }
  if (evaluator.form() != system::Form::Residual) {
    return evaluator.derivatives(point.t, shifted_y_, shifted_f_);
  }
  return argument == Argument::Value
             ? evaluator.defect(point.t, shifted_y_, point.slope, shifted_f_)
             : evaluator.defect(point.t, point.y, shifted_y_, shifted_f_);
}

void Jacobian::store_column(std::size_t j, std::span<const double> f, double sign,
                            std::span<double> values) {
  const double reciprocal = sign / increments_[j];
  if (pattern_ == nullptr) {
    for (std::size_t i = 0; i < n_; ++i) values[j * n_ + i] = (shifted_f_[i] - f[i]) * reciprocal;
    return;
  }
  for (int k = pattern_->starts[j]; k < pattern_->starts[j + 1]; ++k) {
    const int i = pattern_->rows[k];
    values[k] = (shifted_f_[i] - f[i]) * reciprocal;
  }
}

}  // namespace daedalus::integrate
