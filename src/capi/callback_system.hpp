// The System of C callbacks: calls them directly. One for each integrator, as one may be stopped.
#pragma once

#include <atomic>

#include "capi/problem.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::capi {

// Whether values are finite is left to the integrator, which looks anyway.
class CallbackSystem final : public system::System {
 public:
  // `is_stopped` becomes true when a callback wants the run to end; then none is called.
  CallbackSystem(const Equations& equations, std::atomic<bool>& is_stopped)
      : equations_(equations), is_stopped_(is_stopped) {}

  system::Form form() const override;
  std::size_t size() const override { return equations_.size; }
  std::string variable_name(std::size_t i) const override;
  std::unique_ptr<system::Scratch> make_scratch() const override;
  system::Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                 const system::Context& context) const override;
  const linalg::SparseMatrix* mass() const override;
  system::Evaluation residual(double t, std::span<const double> y, std::span<const double> dydt,
                              std::span<double> residual,
                              const system::Context& context) const override;
  const linalg::Sparsity* jacobian_pattern() const override;
  bool has_jacobian() const override;
  std::span<const std::size_t> constant_columns() const override {
    return equations_.constant_columns;
  }
  bool jacobian_is_handwritten() const override {
    return has_jacobian() || equations_.pattern.has_value();
  }
  system::Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                              const system::Context& context) const override;
  system::Evaluation residual_jacobian(double t, std::span<const double> y,
                                       std::span<const double> dydt, double a,
                                       std::span<double> values,
                                       const system::Context& context) const override;
  bool has_preconditioner() const override { return equations_.precondition != nullptr; }
  system::Evaluation prepare_preconditioner(double t, std::span<const double> y, double alpha,
                                            const system::Context& context) const override;
  system::Evaluation precondition(double t, std::span<const double> y, double alpha,
                                  std::span<double> x,
                                  const system::Context& context) const override;
  system::Fault why_undefined(const system::Scratch& scratch) const override;

 private:
  bool is_stopped() const { return is_stopped_.load(std::memory_order_relaxed); }

  const Equations& equations_;
  std::atomic<bool>& is_stopped_;
};

}  // namespace daedalus::capi
