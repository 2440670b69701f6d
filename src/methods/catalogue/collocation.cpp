#include "daedalus/methods/collocation.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace daedalus::methods {
namespace {

struct Legendre {
  Real value = 1;     // P[s](x) on [-1, 1]
  Real previous = 0;  // P[s-1](x)
};

Legendre legendre(int s, Real x) {
  Legendre p;
  for (int k = 1; k <= s; ++k) {
    const Real n = static_cast<Real>(k);
    const Real next = ((2 * n - 1) * x * p.value - (n - 1) * p.previous) / n;
    p.previous = p.value;
    p.value = next;
  }
  return p;
}

// P'[s](x) = s (P[s-1] - x P[s]) / (1 - x^2)
Real slope(int s, Real x, const Legendre& p) {
  return static_cast<Real>(s) * (p.previous - x * p.value) / (1 - x * x);
}

// Newton's method, from a start so close that a few iterations reach the last digit.
template <class Correction>
Real polished(Real x, const Correction& correction) {
  for (int iteration = 0; iteration < 20; ++iteration) x -= correction(x);
  return x;
}

// The integral of a polynomial of degree below 2 n from 0 to `end`, by Gauss's formula of n nodes.
template <class Function>
Real integral(const Row& gauss, Real end, const Function& function) {
  const int n = static_cast<int>(gauss.size());
  Real sum = 0;
  for (const Real node : gauss) {
    const Real x = 2 * node - 1;
    const Real p = slope(n, x, legendre(n, x));
    sum += function(end * node) / ((1 - x * x) * p * p);
  }
  return end * sum;
}

}  // namespace

Row gauss_nodes(int s) {
  Row c;
  for (int k = s; k >= 1; --k) {
    const Real start = std::cos(std::numbers::pi_v<Real> * (static_cast<Real>(k) - 0.25L) /
                                (static_cast<Real>(s) + 0.5L));
    const Real x = polished(start, [s](Real at) {
      const Legendre p = legendre(s, at);
      return p.value / slope(s, at, p);
    });
    c.push_back((1 + x) / 2);
  }
  return c;
}

Row radau_nodes(int s) {
  Row c;
  for (int k = s - 1; k >= 1; --k) {
    const Real start = std::cos(2 * std::numbers::pi_v<Real> * static_cast<Real>(k) /
                                (2 * static_cast<Real>(s) - 1));
    const Real x = polished(start, [s](Real at) {
      const Legendre p = legendre(s, at);
      const Legendre q = legendre(s - 1, at);
      return (p.value - q.value) / (slope(s, at, p) - slope(s - 1, at, q));
    });
    c.push_back((1 + x) / 2);
  }
  c.push_back(1);
  return c;
}

Row collocation_weights(const Row& c, Real end) {
  const Row gauss = gauss_nodes(static_cast<int>(c.size()));
  Row weights;
  for (std::size_t j = 0; j < c.size(); ++j) {
    weights.push_back(integral(gauss, end, [&](Real x) {
      Real product = 1;
      for (std::size_t k = 0; k < c.size(); ++k) {
        if (k != j) product *= (x - c[k]) / (c[j] - c[k]);
      }
      return product;
    }));
  }
  return weights;
}

Matrix collocation_matrix(const Row& c) {
  Matrix A;
  for (const Real node : c) A.push_back(collocation_weights(c, node));
  return A;
}

}  // namespace daedalus::methods
