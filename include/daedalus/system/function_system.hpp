// A System made of functions, for callers who have y' = f(t, y) in C++.
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

  std::size_t size = 0;
  Derivatives f = nullptr;
  Jacobian jacobian = nullptr;  // df/dy; `values` arrive as zeros
  std::optional<linalg::Sparsity> pattern =
      std::nullopt;                     // then `values` are in its order, else column by column
  std::vector<std::string> names = {};  // without: y[0], y[1], ...
};

// A value that is not finite makes the evaluation Undefined.
class FunctionSystem final : public System {
 public:
  explicit FunctionSystem(Functions functions);

  std::size_t size() const override { return functions_.size; }
  std::string variable_name(std::size_t i) const override;
  std::unique_ptr<Scratch> make_scratch() const override;
  Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                         Scratch& scratch) const override;
  const linalg::Sparsity* jacobian_pattern() const override;
  bool has_jacobian() const override { return functions_.jacobian != nullptr; }
  Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                      Scratch& scratch) const override;
  std::string why_undefined(const Scratch& scratch) const override;

 private:
  Functions functions_;
};

}  // namespace daedalus::system
