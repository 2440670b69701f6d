// Evaluates the system on behalf of an integrator: counts, checks, and remembers what was wrong.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "daedalus/solution/statistics.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::integrate {

using system::Evaluation;

class Evaluator {
 public:
  explicit Evaluator(const system::System& system)
      : system_(system), scratch_(system.make_scratch()) {
    statistics.largest_errors.resize(system.size());
  }

  std::size_t size() const { return system_.size(); }
  std::string variable_name(std::size_t i) const { return system_.variable_name(i); }

  // Undefined also when the system did not notice that a derivative is not finite.
  Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt);
  Evaluation jacobian(double t, std::span<const double> y, std::span<double> values);

  // After Undefined: the component whose derivative is not finite, if that was it, and the words.
  std::size_t faulty_component() const { return faulty_; }
  std::string why_undefined() const;

  solution::Statistics statistics;
  static constexpr std::size_t none = ~std::size_t{0};

 private:
  const system::System& system_;
  std::unique_ptr<system::Scratch> scratch_;
  std::size_t faulty_ = none;
};

}  // namespace daedalus::integrate
