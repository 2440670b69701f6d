#include "runtime/block_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daedalus/linalg/norm.hpp"

namespace daedalus::runtime {
namespace {

using linalg::all_finite;

// Newton's steps down an exponential have equal length: a diode that starts at 5 V takes 180 of
// them.
constexpr int most_iterations = 500;
constexpr int most_refinements = 4;
constexpr double smallest_damping = 1e-10;
// The size of the last correction; the error left after it is about its square.
constexpr double tolerance = 1e-10;
constexpr double refined = 1e-13;
// Corrections that stop shrinking below this are rounding errors of the residuals.
constexpr double noise = 1e-7;

// The largest correction relative to the variables; NaN counts as infinite.
double size_of(std::span<const double> correction, std::span<const double> scale) {
  double largest = 0.0;
  for (std::size_t i = 0; i < correction.size(); ++i) {
    const double relative = std::fabs(correction[i]) / scale[i];
    if (!(relative <= std::numeric_limits<double>::max()))
      return std::numeric_limits<double>::infinity();
    largest = std::max(largest, relative);
  }
  return largest;
}

class BlockIteration {
 public:
  BlockIteration(const structure::Block& block, const BlockFunctions& functions,
                 const std::vector<structure::Attributes>& attributes, double* symbols,
                 BlockMemory& memory)
      : block_(block),
        functions_(functions),
        attributes_(attributes),
        symbols_(symbols),
        m_(memory) {}

  BlockStatus run() {
    begin_at_guess();
    const BlockStatus status = iterate();
    m_.failed = status != BlockStatus::Solved;
    if (m_.failed && block_.linear) return_to_guess();
    return status;
  }

 private:
  // Linear equations are solved from 0: another guess would give other rounding errors, and an
  // indicator next to 0 could have either sign for one and the same state.
  void begin_at_guess() {
    for (std::size_t i = 0; i < m_.guess.size(); ++i) {
      if (m_.failed) variable(i) = m_.guess[i];
      m_.guess[i] = variable(i);
      if (block_.linear) variable(i) = 0.0;
    }
  }

  // For the message.
  void return_to_guess() {
    for (std::size_t i = 0; i < m_.guess.size(); ++i) variable(i) = m_.guess[i];
    functions_.residuals(symbols_, m_.residual.data());
  }

  BlockStatus iterate() {
    read_scale();
    functions_.residuals(symbols_, m_.residual.data());
    if (!all_finite(m_.residual)) return BlockStatus::NotFinite;
    if (block_.linear) return solve_linear();
    const BlockStatus status = solve_nonlinear();
    return status == BlockStatus::Singular && holds() ? BlockStatus::Solved : status;
  }

  // A solution where the Jacobian is singular is still a solution: x^2 + y^2 = 1 for y at x = 1.
  bool holds() {
    return std::ranges::all_of(m_.residual, [](double value) { return value == 0.0; });
  }

  double& variable(std::size_t i) { return symbols_[index(block_.tearing[i])]; }

  void read_scale() {
    for (std::size_t i = 0; i < m_.scale.size(); ++i) {
      m_.scale[i] = std::max(std::fabs(variable(i)),
                             attributes_[index(block_.tearing[i])].nominal.value_or(1.0));
    }
  }

  // -J^-1 residual
  void correct(std::span<double> correction) {
    for (std::size_t i = 0; i < correction.size(); ++i) correction[i] = -m_.residual[i];
    solve_with_factors(m_, correction);
  }

  void apply(std::span<const double> correction) {
    for (std::size_t i = 0; i < correction.size(); ++i) variable(i) += correction[i];
  }

  BlockStatus solve_linear() {
    if (const BlockStatus status = factor_block(block_, functions_, symbols_, m_);
        status != BlockStatus::Solved) {
      return status;
    }
    double last = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= most_refinements; ++i) {
      correct(m_.correction);
      apply(m_.correction);
      functions_.residuals(symbols_, m_.residual.data());
      if (!all_finite(m_.residual)) return BlockStatus::NotFinite;
      read_scale();
      const double size = size_of(m_.correction, m_.scale);
      if (i > 0 && (size <= refined || size > 0.5 * last))
        return size <= noise ? BlockStatus::Solved : BlockStatus::Singular;
      last = size;
    }
    return last <= noise ? BlockStatus::Solved : BlockStatus::Singular;
  }

  BlockStatus solve_nonlinear() {
    double damping = 1.0;
    double last_size = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      if (const BlockStatus status = factor_block(block_, functions_, symbols_, m_);
          status != BlockStatus::Solved) {
        return status;
      }
      read_scale();
      correct(m_.correction);
      const double size = size_of(m_.correction, m_.scale);
      if (!std::isfinite(size)) return BlockStatus::NotFinite;
      const bool stalls = size <= noise && size > 0.5 * last_size;
      if (stalls) return BlockStatus::Solved;
      last_size = size;
      const std::optional<double> simplified = damped_step(damping, size);
      if (!simplified) return BlockStatus::Diverged;
      if (damping == 1.0 && *simplified <= tolerance) {
        apply(m_.simplified);
        functions_.residuals(symbols_, m_.residual.data());
        return all_finite(m_.residual) ? BlockStatus::Solved : BlockStatus::NotFinite;
      }
      damping = std::min(1.0, 4.0 * damping);
    }
    return BlockStatus::Diverged;
  }

  // Shortens the step until the simplified correction is smaller than the correction; returns its
  // size.
  std::optional<double> damped_step(double& damping, double size) {
    for (std::size_t i = 0; i < m_.base.size(); ++i) m_.base[i] = variable(i);
    for (; damping >= smallest_damping; damping = next_damping(damping, size)) {
      for (std::size_t i = 0; i < m_.base.size(); ++i)
        variable(i) = m_.base[i] + damping * m_.correction[i];
      functions_.residuals(symbols_, m_.residual.data());
      finite_ = all_finite(m_.residual);
      if (!finite_) continue;
      correct(m_.simplified);
      simplified_size_ = size_of(m_.simplified, m_.scale);
      if (simplified_size_ <= (1.0 - damping / 4.0) * size || simplified_size_ <= tolerance)
        return simplified_size_;
    }
    for (std::size_t i = 0; i < m_.base.size(); ++i) variable(i) = m_.base[i];
    functions_.residuals(symbols_, m_.residual.data());
    return std::nullopt;
  }

  double next_damping(double damping, double size) {
    if (!finite_) return damping / 2.0;
    for (std::size_t i = 0; i < m_.simplified.size(); ++i)
      m_.simplified[i] -= (1.0 - damping) * m_.correction[i];
    const double bend = size_of(m_.simplified, m_.scale);
    const double predicted = 0.5 * size * damping * damping / bend;
    return std::clamp(predicted, damping / 10.0, damping / 2.0);
  }

  const structure::Block& block_;
  const BlockFunctions& functions_;
  const std::vector<structure::Attributes>& attributes_;
  double* symbols_;
  BlockMemory& m_;
  bool finite_ = true;
  double simplified_size_ = 0.0;
};

}  // namespace

BlockMemory::BlockMemory(const structure::Block& block)
    : residual(block.tearing.size()),
      correction(residual),
      simplified(residual),
      base(residual),
      scale(residual),
      guess(residual),
      factors(block) {}

BlockStatus solve_block(const structure::Block& block, const BlockFunctions& functions,
                        const std::vector<structure::Attributes>& attributes, double* symbols,
                        BlockMemory& memory) {
  return BlockIteration(block, functions, attributes, symbols, memory).run();
}

BlockStatus factor_block(const structure::Block& block, const BlockFunctions& functions,
                         double* symbols, BlockMemory& memory) {
  if (block.constant && memory.factors.belong_to(block.coefficients, symbols))
    return BlockStatus::Solved;
  functions.jacobian(symbols, memory.factors.entries().data());
  if (!all_finite(memory.factors.entries())) return BlockStatus::NotFinite;
  if (memory.factors.factor() == linalg::Factorization::Singular) return BlockStatus::Singular;
  if (block.constant) memory.factors.remember(block.coefficients, symbols);
  return BlockStatus::Solved;
}

void solve_with_factors(BlockMemory& memory, std::span<double> x) { memory.factors.solve(x); }

}  // namespace daedalus::runtime
