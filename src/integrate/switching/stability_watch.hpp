// Whether the motion that a run follows is unstable, by the eigenvalues of its Jacobians.
#pragma once

#include <cstddef>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/modes.hpp"
#include "daedalus/solution/statistics.hpp"
#include "integrate/newton/jacobian.hpp"

namespace daedalus::integrate {

// Looks at each new Jacobian, and takes what it finds as true until the next one. A stretch begins
// with a step at whose Jacobian an eigenvalue has a positive real part, and ends where none has, or
// where there is no Jacobian. It is told once it has made small changes grow a hundredfold and is
// longer than a share of the run so far, unlike the transitions of oscillators. Up to 50 states; it
// influences no step.
class StabilityWatch {
 public:
  explicit StabilityWatch(std::size_t n);

  void start(double t);  // of a run
  // A new Jacobian, and the size of its largest eigenvalue, or a bound of that.
  void look(const Jacobian& jacobian, double spectral_radius);
  // A step of size h to t, with that Jacobian.
  void step(double t, double h, solution::Statistics& statistics);
  void forget();  // the Jacobian

  void archive(Archive& a) { a(matrix_, start_, passed_, rate_, since_, growth_, is_told_); }

 private:
  void tell(double t, solution::Statistics& statistics);

  std::size_t n_;
  linalg::SpectralAbscissa abscissa_;
  std::vector<double> matrix_;  // the last Jacobian; empty: there are too many states
  double start_ = 0.0;          // of the run
  double passed_ = 0.0;         // the end of the latest step
  double rate_ = 0.0;           // the largest real part; 0: none is positive, as far as is known
  double since_ = 0.0;          // of the stretch
  double growth_ = 0.0;         // the integral of the rate; 0: there is no stretch
  bool is_told_ = false;        // the stretch
};

}  // namespace daedalus::integrate
