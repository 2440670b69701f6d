// The subjects of the work-precision tables: anything that solves a problem at a tolerance.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daedalus/problems/problem.hpp"
#include "run.hpp"

namespace bench {

struct Solver {
  std::string name;
  daedalus::problems::Kind kind;  // of the problems it is for
  std::function<Run(const daedalus::problems::Problem&, double rtol, double atol)> solve;
};

std::vector<Solver> sundials_solvers();

}  // namespace bench
