// The simplified Newton iteration in a program: when it has converged, and when it never will.
#pragma once

#include "steps/frame.hpp"

namespace daedalus::steps {

// The rule of integrate::ConvergenceTest, written out.
class NewtonLoop {
 public:
  // Counts its iterations at one place and leaves its rate of convergence at another. It is
  // expected to take this many.
  NewtonLoop(Frame& frame, const integrate::NewtonPlaces& places, std::size_t iterations,
             std::size_t rate, double expected);

  void begin();           // opens the body
  Term is_first() const;  // in the body: whether this is the first pass
  void end(Term size);    // of the correction, which has been applied; closes the body

  static integrate::NewtonPlaces make_places(Frame& frame);  // of a step with such loops

 private:
  Frame& frame_;
  integrate::NewtonPlaces places_;
  std::size_t iterations_, rate_;
  double expected_;
  Term last_size_, last_ratio_, is_bad_, is_slow_;
};

}  // namespace daedalus::steps
