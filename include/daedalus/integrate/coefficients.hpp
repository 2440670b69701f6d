// What an integrator, or a generated step, needs from a method, by family.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/integrate/choices.hpp"
#include "daedalus/integrate/two_step_estimate.hpp"
#include "daedalus/methods/method.hpp"

namespace daedalus::integrate {

// What the step loop must know about the method.
struct Formula {
  int order = 0;
  int estimate_power = 0;       // the estimate is of size h^power; 0: no estimate
  double estimate_share = 1.0;  // the estimate divided by the error, if that is known
  int most_iterations = 0;
  Controller controller = Controller::Predictive;  // the family's own
  bool sets_scale = false;                         // an attempt sets the scale of the norm
  bool needs_two_steps = false;  // the estimate uses the previous step, so the first has none
};

// The weight of each stage up to the last one with a weight. Stages of weight 0 are finite all the
// same: they have been evaluated before.
using Combination = std::vector<double>;

// The weights of the stages in the dense output: for each a polynomial of the fraction of the step.
struct StagePolynomials {
  static constexpr std::size_t most_stages = 32;
  std::size_t stages = 0;
  // For all stages those of the highest power, then of the next one, ..., of x: this many for each
  // power, a multiple of four.
  std::vector<double> coefficients;
  std::size_t padded_stages() const { return (stages + 3) / 4 * 4; }
  bool empty() const { return stages == 0; }
  std::size_t degree() const { return empty() ? 0 : coefficients.size() / padded_stages(); }
};

// How far apart stages of n components are in memory. A small number of components is padded, so
// that they can be read four at a time.
constexpr std::size_t few = 8;
constexpr std::size_t stride(std::size_t n) { return n > few ? n : (n + 3) / 4 * 4; }

// A convergence rate so good that the Jacobian may be kept (RADAU5's THET).
constexpr double good_rate = 1e-3;

// The tableau in the form that the kernels need: without zeros, rounded to double.
struct ExplicitCoefficients {
  Formula formula;
  std::size_t stages = 0;
  bool first_same_as_last = false;
  std::vector<double> c;
  std::vector<Combination> A;
  Combination b;
  Combination error;      // b less the embedded weights; empty: no estimate
  Combination low_error;  // of a second embedded formula, where the estimate combines two
  StagePolynomials dense;
  std::size_t dense_stages = 0;  // number of stages for it; extra ones follow the method's own
  std::size_t end_stage = 0;     // the stage whose f is that of the result
  // Two stages at the end of the step, whose difference shows the largest eigenvalue; none: it
  // cannot be estimated.
  std::optional<std::size_t> earlier_end_stage;
  double stability_boundary = 0.0;
};

// An embedded estimate is filtered if it would retain more than a hundredth of an infinitely stiff
// component. Measured over 29 small stiff problems at rtol 1e-3, 1e-5 and 1e-7: with the
// filter, HW-SDIRK(3)4 takes 0.81, 0.61 and 0.48 times as many steps and loses 0.25, 0.13 and 0.27
// digits; TR-BDF2 (1e-3, 1e-5) takes 0.95 and 0.98 times as many and loses 0.11 and 0.16 digits.
struct DiagonalCoefficients {
  Formula formula;
  std::size_t stages = 0;
  std::vector<double> c;
  std::vector<Combination> A;  // below the diagonal
  Combination b;
  std::vector<double> gammas;        // the distinct diagonal entries that are not 0
  std::vector<std::size_t> solver;   // of each stage, the index of its gamma; `none`: explicit
  bool is_stiffly_accurate = false;  // the last stage is the result
  Combination error;                 // h sum error[i] k[i]; empty: a two-step estimate or none
  std::size_t last_solver = 0;       // of the last implicit stage
  bool filters_error = false;        // by (I - h gamma J)^-1 with the gamma of that stage
  std::optional<TwoStepEstimate> two_step;
  StagePolynomials dense;

  static constexpr std::size_t none = ~std::size_t{0};
};

// The polynomial u through y0 and the stages only has the method's stage order. Its error e obeys
// e' = r + J e with the defect r = f(u) - u', so that h int r, from r at enough points, corrects u
// and gains one order; repeated, it gains one each time. Filtered by (I - h/g J)^-1, which changes
// it by one order more, the correction of an infinitely stiff component stays of the size of its
// error. A collocation method knows r without an evaluation: it is 0 at the nodes and f0 - u'(0) at
// the start, which gives the first correction. Further ones evaluate f at additional points.
struct RefinementCoefficients {
  std::vector<double> begin_slope;  // h u'(0) = sum begin_slope[i] Z[i]; empty: r(0) is not used
  std::vector<double> bump;         // coefficients of x, x^2, ...: the weight of the filtered r(0)
  std::size_t rounds = 0;           // of corrections that evaluate f
  std::vector<double> points;       // ascending, the last one is 1; with 0, nodes of a polynomial
  std::vector<double> lagrange;     // its factors, as in ImplicitCoefficients
  std::vector<double> from_stages;  // u at the points, from Z; matrices are stored row by row
  std::vector<double> slopes;       // h u' at the points, from u there
  std::vector<double> integrals;    // from 0 to the points, from r there; times g
};

// Z[i] = Y[i] - y0 are the stages, W = T^-1 Z the variables in which A^-1 separates into real
// eigenvalues and conjugate pairs (Butcher 1976; Hairer and Wanner II, IV.8). Matrices are stored
// row by row.
struct ImplicitCoefficients {
  Formula formula;
  std::size_t stages = 0;
  std::vector<double> c;
  std::vector<double> reals;                // act on the first of W
  std::vector<std::complex<double>> pairs;  // alpha - i beta acts on two of W, after the reals
  std::vector<double> T;
  std::vector<double> T_inverse;
  std::vector<double> A_inverse;
  std::vector<double> result;  // y1 = y0 + sum result[i] Z[i]

  double filter = 0.0;  // g of the filter (g/h I - J)^-1: the first real eigenvalue, or a size
  std::vector<double> error;     // sum error[i] Z[i]; empty: a two-step estimate or none
  bool adds_derivative = false;  // the estimate is (h f0 + sum error[i] Z[i]) / g, filtered
  bool filters_error = false;
  std::optional<TwoStepEstimate> two_step;

  // f(y1) = sum end_derivative[i] Z[i] / h; empty if y1 is not a stage
  std::vector<double> end_derivative;
  // 1 / (c[j] prod (c[j] - c[k])), for the polynomial through 0 and Z; 0 for a stage at 0
  std::vector<double> lagrange;
  RefinementCoefficients refinement;  // of the dense output
};

struct RosenbrockCoefficients {
  Formula formula;
  std::size_t stages = 0;
  double gamma = 0.0;
  std::vector<double> c;
  std::vector<double> d;
  std::vector<Combination> A;
  std::vector<Combination> C;
  Combination b;
  Combination embedded;
  Combination error;  // b less the embedded weights
  std::vector<Combination> dense;
};

// The terms of a series need no stored coefficients: everything is in the generated step.
struct TaylorCoefficients {
  Formula formula;
  std::size_t order = 0;
  double stability_boundary = 0.0;  // on the negative real axis
};

using Family = std::variant<
    std::shared_ptr<const ExplicitCoefficients>, std::shared_ptr<const DiagonalCoefficients>,
    std::shared_ptr<const ImplicitCoefficients>, std::shared_ptr<const RosenbrockCoefficients>,
    std::vector<std::shared_ptr<const ImplicitCoefficients>>,  // of variable order
    std::shared_ptr<const TaylorCoefficients>>;

// The coefficients of a method of the catalogue, computed once and cached; an Error if no family of
// one-step methods can run it. Safe to call from several threads.
Result<Family> family_of(const methods::Method& method);

}  // namespace daedalus::integrate
