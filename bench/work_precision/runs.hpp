// Every adaptive method on every test problem at every tolerance.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "daedalus/problems/problem.hpp"
#include "daedalus/solution/statistics.hpp"

namespace daedalus::bench {

struct Run {
  std::string method;
  const problems::Problem* problem = nullptr;
  double asked = 0.0;       // digits: -log10 rtol
  double fixed_atol = 0.0;  // in units of the problem's scale; 0: atol is rtol * scale
  std::string reason;       // why it did not finish; empty: it did
  int order = 0;            // of the method
  double digits = 0.0;
  double in_tolerances = 0.0;  // the largest error in units of atol + rtol |reference|
  solution::Statistics work;

  bool finished() const { return reason.empty(); }
};

// The methods of the catalogue that choose their steps; those of one order of a family, and the
// regression formulas, only where they are asked for.
enum class Choice { Usual, All };
std::vector<std::string> adaptive_methods(Choice choice = Choice::Usual);

// The largest error of y at the end of a run, in units of atol + rtol |reference|.
double in_tolerances(const problems::Problem& problem, std::span<const double> y, double rtol,
                     double atol);

// In the order of the problems, of the methods and of the digits asked for. Runs are limited to so
// many attempts that a method that needs more is the wrong one, and the whole takes minutes.
std::vector<Run> run_all(const std::vector<const problems::Problem*>& problems,
                         std::span<const std::string> methods, std::span<const int> asked,
                         double fixed_atol = 0.0);

}  // namespace daedalus::bench
