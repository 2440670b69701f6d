// The one interface between models and integrators: y' = f(t, y) with what is known about f.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::system {

// Whether the model is defined at the point it was asked for. `Undefined` (a logarithm of a
// negative number, a loop without a solution) makes the integrator try a smaller step.
enum class Evaluation { Defined, Undefined };

// Memory that one thread lends to evaluations, so that the system itself stays const.
class Scratch {
 public:
  virtual ~Scratch() = default;
};

class System {
 public:
  virtual ~System() = default;

  virtual std::size_t size() const = 0;
  virtual std::string variable_name(std::size_t i) const = 0;
  virtual std::unique_ptr<Scratch> make_scratch() const = 0;

  virtual Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                 Scratch& scratch) const = 0;

  // The pattern of the Jacobian df/dy; null when the system has no Jacobian of its own, or does not
  // know its sparsity (then it is dense). Lives as long as the system.
  virtual const linalg::Sparsity* jacobian_pattern() const = 0;

  // Whether jacobian() works; otherwise integrators use (coloured) finite differences.
  virtual bool has_jacobian() const = 0;

  // The values in the order of the pattern's entries, or column by column without a pattern.
  virtual Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                              Scratch& scratch) const = 0;

  // Called after evaluation said `Undefined`: what was wrong, for people. Empty if unknown.
  virtual std::string why_undefined(const Scratch& scratch) const = 0;
};

}  // namespace daedalus::system
