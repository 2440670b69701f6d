// Rosenbrock methods as data: implicit methods whose stages are linear systems.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

// In the form that avoids products with J (Hairer and Wanner II, (IV.7.25)):
//   (I / (h gamma) - J) u[i] = f(t + c[i] h, y0 + sum A[i][j] u[j]) + sum C[i][j] u[j] / h
//                              + d[i] h df/dt,
//   y1 = y0 + sum b[j] u[j], its error sum (b[j] - embedded[j]) u[j].
// Rows may be ragged: what is missing is 0. The nodes c and d follow.
struct Rosenbrock {
  std::string name;
  std::string title;
  std::string source;
  int order = 0;
  Real gamma = 0;
  Matrix A;
  Matrix C;
  Row b;
  Embedded embedded;
  // y(t0 + x h) = (1 - x) y0 + x (y1 + (1 - x) (D[0] + x (D[1] + ...))), D[k] = sum dense[k][j]
  // u[j].
  Matrix dense = {};
};

// The classical coefficients, k[i] = h f(y0 + sum alpha[i][j] k[j]) + h J sum gamma[i][j] k[j].
struct ClassicalRosenbrock {
  Matrix alpha;
  Matrix gamma;
};

std::size_t stages(const Rosenbrock& method);
ClassicalRosenbrock classical(const Rosenbrock& method);
Row nodes(const Rosenbrock& method);         // c, the row sums of alpha
Row time_weights(const Rosenbrock& method);  // d, the row sums of gamma
Row dense_weights(const Rosenbrock& method, Real x);

// |R(-inf)|; 0 for every method whose last stage is the result.
Real stability_at_infinity(const Rosenbrock& method);
bool is_a_stable(const Rosenbrock& method);  // on a sampled imaginary axis; the pole is 1 / gamma
bool is_l_stable(const Rosenbrock& method);
bool is_stiffly_accurate(const Rosenbrock& method);

// The largest order up to `limit` whose conditions all hold for the weights of u at the point x of
// the step: those of the rooted trees, where a node with one branch takes alpha + gamma and one
// with several takes alpha (Hairer and Wanner II, IV.7). Published coefficients have 15 digits.
int proven_order(const Rosenbrock& method, const Row& weights, int limit, Real x = 1);

// Every Rosenbrock method, in the order shown to users.
const std::vector<Rosenbrock>& rosenbrock_methods();

}  // namespace daedalus::methods
