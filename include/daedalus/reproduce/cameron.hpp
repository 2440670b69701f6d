// The tables and figure 2 of Cameron and Gani 1988, "Adaptive Runge-Kutta algorithms for dynamic
// simulation": what VMRK32 and its members cost on their systems. The published figures, corrected
// where they are misprinted, and those of our `vmrk32`.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/solution/statistics.hpp"

namespace daedalus::reproduce {

// Table 1: the largest error constants (19) of methods of orders 2 and 3 on three stages, with c3
// = 1.
struct CameronConstants {
  std::optional<double> c2 = {};  // none: the implicit method
  std::optional<double> published_2 = {}, ours_2 = {};
  double published_3 = 0.0, ours_3 = 0.0;
  int conditions_of_order_4 = 0;  // that the method of order 3 fulfils, of 4
};
std::vector<CameronConstants> cameron_1();

// Figure 2: where |R(z)| <= 1 for explicit methods of orders 1 to 3 with as many stages.
struct StabilityRegion {
  int order = 0;
  double real_limit = 0.0;                          // -z on the real axis
  double imaginary_limit = 0.0;                     // on the imaginary axis; 0: none but z = 0
  std::vector<std::complex<double>> boundary = {};  // once around
};
std::vector<StabilityRegion> cameron_regions();
std::string regions_svg(const std::vector<StabilityRegion>& regions);

struct CameronCost {
  std::size_t steps = 0;
  std::size_t evaluations = 0;  // n + 1 of these for each Jacobian
  std::size_t jacobians = 0;
};

// Table 2: the damped oscillator y'' + k1 y' + k2 y = 0, and where the explicit method finds itself
// at the limit of its stability.
struct CameronOscillator {
  double k1 = 0.0;
  double k2 = 0.0;
  double lambda = 0.0;            // the size of its eigenvalues
  double theoretical_step = 0.0;  // by the boundary of the stability region
  double published_step = 0.0;    // found by the code
  double published_switch = 0.0;  // the time at which that was noticed
  double step = 0.0;              // ours: the mean of the explicit method by itself, at the end
  double switched_at = 0.0;
};
std::vector<CameronOscillator> cameron_2();

// A run of tables 3 to 5.
struct CameronRun {
  std::string code;    // "vmrk32", "vmrk32-eager" or "dirk32"
  std::string system;  // the name of the problem
  double eps = 1e-3;
  CameronCost published = {};
  CameronCost ours = {};
  std::optional<double> published_error = {};  // at the end
  double error = 0.0;
  // The first change to the implicit method, with the eigenvalue there.
  std::optional<double> published_switch = {}, published_lambda = {};
  std::vector<solution::Switch> switches = {};
};
std::vector<CameronRun> cameron_3();  // systems 1 to 3
std::vector<CameronRun> cameron_4();  // system 2 at three tolerances
std::vector<CameronRun> cameron_5();  // van der Pol

// Table 6: where VMRK32 changes its method on van der Pol's problem, and its costs up to there.
struct CameronSwitch {
  bool to_stiff = true;
  double published_time = 0.0;
  CameronCost published = {};
  double time = 0.0;
  CameronCost ours = {};
};
std::vector<CameronSwitch> cameron_6();

// Table 7: a distillation column. The paper gives no data of it, so that the model is one of ours
// of the same kind and size (`cameron-5-distillation`), and costs are comparable only in kind.
struct CameronColumn {
  std::string code;
  double t = 0.0;  // hours
  CameronCost published = {};
  double published_step = 0.0;
  bool is_switch = false;  // to the implicit method; other rows: the first step that reaches t
  double time = 0.0;       // ours
  CameronCost ours = {};
  double step = 0.0;
};
std::vector<CameronColumn> cameron_7();

// What our code costs where its error is at most the published one, which is at a looser tolerance:
// for the runs of cameron_3() in which it is more accurate and more expensive.
struct CameronAtEqualError {
  double eps = 0.0;
  double error = 0.0;
  CameronCost cost = {};
};
CameronAtEqualError cameron_at_error(const CameronRun& run);

}  // namespace daedalus::reproduce
