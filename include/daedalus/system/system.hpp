// The one interface between models and integrators: the equations of a system, and what is known
// about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "daedalus/base/source.hpp"
#include "daedalus/linalg/sparsity.hpp"
#include "daedalus/system/held.hpp"

namespace daedalus::system {

// Whether the model is defined at the point where it was evaluated. `Undefined` (a logarithm of a
// negative number, a loop without a solution) makes the integrator try a smaller step.
enum class Evaluation { Defined, Undefined };

class Events;  // daedalus/system/events.hpp

// Why the system is not defined at a point.
struct Fault {
  std::string text = {};          // for users; empty: not known
  std::optional<Span> span = {};  // of the equation at fault, if it has a source text
};

// Space for the temporaries of evaluations, lent by one thread, so that the system itself stays
// const. Results do not depend on its contents.
class Scratch {
 public:
  virtual ~Scratch() = default;
};

// What an evaluation works with, besides the time and the values of the variables.
struct Context {
  const Held& held;
  Scratch& scratch;
};

enum class Form {
  Explicit,  // y' = f(t, y)
  Mass,      // M y' = f(t, y) with a constant M, which may be singular
  Residual,  // F(t, y, y') = 0
};

// What evaluations take, by the operations in them, in nanoseconds of a usual processor; 0: not
// known.
struct Costs {
  double derivatives = 0.0;
  double jacobian = 0.0;
};

class System {
 public:
  virtual ~System() = default;

  virtual Form form() const { return Form::Explicit; }

  virtual std::size_t size() const = 0;
  virtual std::string variable_name(std::size_t i) const = 0;
  virtual std::unique_ptr<Scratch> make_scratch() const = 0;

  // What the system holds before any event.
  virtual Held make_held() const { return {}; }

  // f. Not called for the Form Residual.
  virtual Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                 const Context& context) const = 0;

  // Whether f, or F, depends explicitly on t: then a component may be driven between two steps by
  // something that the values there do not show.
  virtual bool depends_on_time() const { return true; }

  // Whether derivatives() and residual() return Undefined themselves where a value is not finite;
  // otherwise the caller checks their values.
  virtual bool finds_nonfinite() const { return false; }

  // M of the Form Mass; lives as long as the system.
  virtual const linalg::SparseMatrix* mass() const { return nullptr; }

  // F of the Form Residual.
  virtual Evaluation residual(double, std::span<const double>, std::span<const double>,
                              std::span<double>, const Context&) const {
    return Evaluation::Undefined;
  }

  // Never measured: decisions that follow from it are the same in every run.
  virtual Costs costs() const { return {}; }

  // The pattern of the Jacobian df/dy, or of dF/dy and dF/dy' together; null when the system does
  // not know its sparsity (then it is dense). Lives as long as the system.
  virtual const linalg::Sparsity* jacobian_pattern() const = 0;

  // Whether jacobian(), or residual_jacobian(), works; otherwise integrators use (coloured) finite
  // differences.
  virtual bool has_jacobian() const = 0;

  // Whether a user wrote it, or its pattern: then it may be wrong, and integrators compare it with
  // differences from time to time.
  virtual bool jacobian_is_handwritten() const { return false; }

  // Variables that enter f, or F, linearly and with constant factors, so that their columns of the
  // Jacobian (of dF/dy and of dF/dy') are the same everywhere between two events. Differences then
  // take these once, and compare them from time to time. Ascending; lives as long as the system.
  virtual std::span<const std::size_t> constant_columns() const { return {}; }

  // The values in the order of the pattern's entries, or column by column without a pattern.
  virtual Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                              const Context& context) const = 0;

  // dF/dy + a dF/dy', in the same order.
  virtual Evaluation residual_jacobian(double, std::span<const double>, std::span<const double>,
                                       double, std::span<double>, const Context&) const {
    return Evaluation::Undefined;
  }

  // A preconditioner for methods that solve linear systems by iteration: an approximate solution of
  // (alpha M - J) x = r at (t, y), or of (dF/dy + alpha dF/dy') x = r, where `alpha` is about the
  // reciprocal of a step. prepare_preconditioner() comes first, and again when too much has
  // changed.
  virtual bool has_preconditioner() const { return false; }
  virtual Evaluation prepare_preconditioner(double /*t*/, std::span<const double> /*y*/,
                                            double /*alpha*/, const Context&) const {
    return Evaluation::Undefined;
  }
  // x holds r, then the solution.
  virtual Evaluation precondition(double /*t*/, std::span<const double> /*y*/, double /*alpha*/,
                                  std::span<double> /*x*/, const Context&) const {
    return Evaluation::Undefined;
  }

  // Algebraic variables that enter all equations linearly with constant factors, and whose
  // derivatives enter none. Multistep methods need no past of them. Ascending; lives as long as the
  // system.
  virtual std::span<const std::size_t> linear_variables() const { return {}; }

  // Everything that the last evaluation with this scratch computed, by symbol. Empty: no symbols.
  virtual std::span<const double> values(const Scratch&) const { return {}; }
  // Writes the held values to their places among the symbols.
  virtual void show(const Held&, std::span<double>) const {}
  // Symbols that equations with several solutions may determine. Evaluations look for these near
  // the held values; a caller that follows a motion has the last ones held as it goes.
  virtual std::span<const std::uint32_t> guesses() const { return {}; }
  virtual void hold_guesses(double /*t*/, std::span<const double>, Held&) const {}

  // The events of the system; null where it has none. Lives as long as the system.
  virtual const Events* events() const { return nullptr; }

  // The reason, to be asked for after an evaluation with this scratch returned `Undefined`.
  virtual Fault why_undefined(const Scratch& scratch) const = 0;
};

}  // namespace daedalus::system
