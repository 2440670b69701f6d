// A System made of functions, for callers that have their equations in C++.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/system/events.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::system {

// The events of a system of functions. The functions themselves keep what is held between events,
// so a system with events runs in one thread at a time.
struct EventFunctions {
  using Indicators =
      std::function<void(double t, std::span<const double> y, std::span<double> margins)>;
  using Settle = std::function<Settling(const Instant& at, std::span<double> y)>;
  using NextTimeEvent = std::function<double(double t)>;
  using Check = std::function<Settling(double t, std::span<const double> y)>;

  std::vector<EventSource> sources = {};    // one for each indicator
  Indicators indicators = nullptr;          // may be null where there are none
  NextTimeEvent next_time_event = nullptr;  // null: there are none
  Settle settle = nullptr;
  Check check = nullptr;  // may be null
};

class FunctionEvents final : public Events {
 public:
  FunctionEvents(EventFunctions functions, std::vector<std::string> names);

  std::size_t indicator_count() const override { return functions_.sources.size(); }
  Evaluation indicators(double t, std::span<const double> y, std::span<double> margins,
                        const Context& context) const override;
  EventSource indicator_source(std::size_t i) const override { return functions_.sources[i]; }
  double next_time_event(double t, const Held& held) const override;
  Settling settle(const Instant& at, std::span<double> y, Held& held, Scratch& scratch,
                  Report* report) const override;
  Settling check(double t, std::span<const double> y, Held& held, Scratch& scratch) const override;
  bool holds_values() const override { return false; }

 private:
  EventFunctions functions_;
  std::vector<std::string> names_;  // of the components of y; may be empty
};

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

  using PreparePreconditioner =
      std::function<void(double t, std::span<const double> y, double alpha)>;
  using Precondition =
      std::function<void(double t, std::span<const double> y, double alpha, std::span<double> x)>;

  std::size_t size = 0;
  Derivatives f = nullptr;                                  // y' = f(t, y), or M y' = f(t, y)
  Jacobian jacobian = nullptr;                              // df/dy; `values` are zero on entry
  std::optional<linalg::Sparsity> pattern = std::nullopt;   // of `values`; else column by column
  std::vector<std::string> names = {};                      // empty: y[0], y[1], ...
  std::optional<linalg::SparseMatrix> mass = std::nullopt;  // M; may be singular
  Residual residual = nullptr;                              // F(t, y, y') = 0; then there is no f
  ResidualJacobian residual_jacobian = nullptr;             // dF/dy + a dF/dy'
  std::vector<std::size_t> linear_variables = {};           // as in System, ascending
  std::vector<std::size_t> constant_columns = {};           // likewise
  std::optional<EventFunctions> events = std::nullopt;
  // Solves (alpha M - J) x = r approximately, for bdf, ndf and gear; x holds r on entry. What it
  // needs for many solutions is made by the other function, which may be null.
  Precondition precondition = nullptr;
  PreparePreconditioner prepare_preconditioner = nullptr;
};

// A value that is not finite makes the evaluation Undefined.
class FunctionSystem final : public System {
 public:
  explicit FunctionSystem(Functions functions);

  Form form() const override;
  std::size_t size() const override { return functions_.size; }
  std::string variable_name(std::size_t i) const override;
  std::unique_ptr<Scratch> make_scratch() const override;
  bool finds_nonfinite() const override { return true; }
  Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                         const Context& context) const override;
  const linalg::SparseMatrix* mass() const override;
  Evaluation residual(double t, std::span<const double> y, std::span<const double> dydt,
                      std::span<double> residual, const Context& context) const override;
  const linalg::Sparsity* jacobian_pattern() const override;
  bool has_jacobian() const override;
  bool jacobian_is_handwritten() const override {
    return has_jacobian() || functions_.pattern.has_value();
  }
  Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                      const Context& context) const override;
  Evaluation residual_jacobian(double t, std::span<const double> y, std::span<const double> dydt,
                               double a, std::span<double> values,
                               const Context& context) const override;
  bool has_preconditioner() const override { return functions_.precondition != nullptr; }
  Evaluation prepare_preconditioner(double t, std::span<const double> y, double alpha,
                                    const Context& context) const override;
  Evaluation precondition(double t, std::span<const double> y, double alpha, std::span<double> x,
                          const Context& context) const override;
  std::span<const std::size_t> linear_variables() const override {
    return functions_.linear_variables;
  }
  std::span<const std::size_t> constant_columns() const override {
    return functions_.constant_columns;
  }
  const Events* events() const override { return events_ ? &*events_ : nullptr; }
  Fault why_undefined(const Scratch& scratch) const override;

 private:
  Functions functions_;
  std::optional<FunctionEvents> events_;
};

}  // namespace daedalus::system
