// A System made of functions, for callers who have their equations in C++.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/system/system.hpp"

namespace daedalus::system {

// The functions must be safe to call from several threads if the system is.
struct Functions {
  using Derivatives =
      std::function<void(double t, std::span<const double> y, std::span<double> dydt)>;
  using Jacobian =
      std::function<void(double t, std::span<const double> y, std::span<double> values)>;
  using Residual = std::function<void(double t, std::span<const double> y,
                                      std::span<const double> dydt, std::span<double> residual)>;
  using ResidualJacobian =
      std::function<void(double t, std::span<const double> y, std::span<const double> dydt,
                         double a, std::span<double> values)>;

  std::size_t size = 0;
  Derivatives f = nullptr;      // y' = f(t, y), or M y' = f(t, y)
  Jacobian jacobian = nullptr;  // df/dy; `values` arrive as zeros
  std::optional<linalg::Sparsity> pattern =
      std::nullopt;                     // then `values` are in its order, else column by column
  std::vector<std::string> names = {};  // without: y[0], y[1], ...
  std::optional<linalg::SparseMatrix> mass = std::nullopt;  // M; may be singular
  Residual residual = nullptr;                              // F(t, y, y') = 0; then there is no f
  ResidualJacobian residual_jacobian = nullptr;             // dF/dy + a dF/dy'
};

// A value that is not finite makes the evaluation Undefined.
class FunctionSystem final : public System {
 public:
  explicit FunctionSystem(Functions functions);

  Form form() const override;
  std::size_t size() const override { return functions_.size; }
  std::string variable_name(std::size_t i) const override;
  std::unique_ptr<Scratch> make_scratch() const override;
  Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                         Scratch& scratch) const override;
  const linalg::SparseMatrix* mass() const override;
  Evaluation residual(double t, std::span<const double> y, std::span<const double> dydt,
                      std::span<double> residual, Scratch& scratch) const override;
  const linalg::Sparsity* jacobian_pattern() const override;
  bool has_jacobian() const override;
  Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                      Scratch& scratch) const override;
  Evaluation residual_jacobian(double t, std::span<const double> y, std::span<const double> dydt,
                               double a, std::span<double> values, Scratch& scratch) const override;
  std::string why_undefined(const Scratch& scratch) const override;

 private:
  Functions functions_;
};

}  // namespace daedalus::system
