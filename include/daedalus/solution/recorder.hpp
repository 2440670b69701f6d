// What an integrator reports about its steps, and the interface of those that receive it.
#pragma once

#include <cstddef>
#include <span>

#include "daedalus/base/archive.hpp"

namespace daedalus::solution {

// The indicators of events along a step, as polynomials of the fraction of the step: for each one
// its coefficients, from the lowest on. Empty: not known.
struct Polynomials {
  std::span<const double> coefficients = {};
  std::size_t terms = 0;  // for each
};

// One accepted step with its dense output. Only valid during the call that receives it.
class DenseStep {
 public:
  virtual ~DenseStep() = default;
  double begin() const { return begin_; }
  double end() const { return end_; }
  double error() const { return error_; }  // the scaled error estimate, <= 1
  virtual std::span<const double> end_state() const = 0;
  virtual void at(double t, std::span<double> y) const = 0;  // t within [begin, end]
  // An approximation of this that needs no further evaluations of the equations.
  virtual void roughly_at(double t, std::span<double> y) const { at(t, y); }
  // Of the indicators as Events::indicators() returns them without watch_all(), in that order.
  virtual Polynomials margins() const { return {}; }
  // Whether the step may have damped a fast component, which the dense output hardly shows.
  virtual bool may_damp() const { return true; }

 protected:
  DenseStep() = default;
  DenseStep(double begin, double end, double error) : begin_(begin), end_(end), error_(error) {}
  void place(double begin, double end, double error) {
    begin_ = begin;
    end_ = end;
    error_ = error;
  }
  void archive_place(Archive& a) { a(begin_, end_, error_); }

 private:
  double begin_ = 0.0;
  double end_ = 0.0;
  double error_ = 0.0;
};

enum class Recording { Continue, Stop };

class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual Recording start(double t, std::span<const double> y) = 0;
  virtual Recording step(const DenseStep& step) = 0;
  // An event at the end of the last step has been settled; the values are those after it.
  virtual Recording event(double, std::span<const double>) { return Recording::Continue; }
};

}  // namespace daedalus::solution
