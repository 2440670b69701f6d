// Whether stability rather than accuracy limits an explicit method.
#pragma once

#include <cstddef>

#include "daedalus/base/archive.hpp"

namespace daedalus::integrate {

// Counts the steps at the edge of the stability domain (Hairer and Wanner II, IV.2).
class StiffnessTest {
 public:
  explicit StiffnessTest(double stability_boundary) : limit_(0.98 * stability_boundary) {}

  void start();
  // `stiffness` is h times the largest eigenvalue. True from the fifteenth such step on.
  bool looks_stiff(double stiffness);

  void archive(Archive& a) { a(at_the_edge_, well_inside_); }

 private:
  double limit_;
  std::size_t at_the_edge_ = 0;
  std::size_t well_inside_ = 0;
};

}  // namespace daedalus::integrate
