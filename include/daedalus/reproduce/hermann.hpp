// The measurements of Hermann 1995, sections 5.4 and 6.3: five formulas on two systems. Next to the
// published operation counts: a replay of the program of the thesis, and our integrator.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace daedalus::reproduce {

// A run that was made here.
struct HermannCost {
  bool finished = false;
  double error = 0.0;  // the largest error of x1 at the communication points, 0.05 apart
  std::size_t steps = 0;
  std::size_t formula_steps = 0;  // of these, without those of the start-up
  std::size_t rejected = 0;
  std::size_t f_evals = 0;
  std::size_t jac_evals = 0;
  std::size_t factorizations = 0;
};

struct HermannRow {
  int system = 0;              // 1 or 2
  std::string problem = {};    // as `daedalus problems` calls it
  std::string algorithm = {};  // as the thesis calls it
  std::string method = {};     // as `daedalus methods` calls it
  double tolerance = 0.0;      // relative
  // Floating-point operations, counted by MATLAB; none at a tolerance that the thesis does not
  // have.
  std::optional<std::size_t> published_operations = {};
  HermannCost thesis = {};  // the program of the thesis: fixed coefficients, a rescaled past
  // The same with a fitted past, (4.31), where the past is long enough for that to differ.
  std::optional<HermannCost> fitted = {};
  HermannCost ours = {};  // the same formula on uneven steps, at the same tolerance
};

// At this tolerance every formula takes steps of its own on both systems. At those of the thesis
// our start-up, which is implicit, covers all of system 1.
constexpr double hermann_tight_tolerance = 1e-6;

// In the order of the thesis, at its tolerances, then at the tight one.
std::vector<HermannRow> hermann_systems();

}  // namespace daedalus::reproduce
