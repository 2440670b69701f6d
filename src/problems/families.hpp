// The catalogue's parts, by family, and the equations that more than one of them uses.
#pragma once

#include <vector>

#include "daedalus/problems/problem.hpp"

namespace daedalus::problems {

std::vector<Problem> detest_linear_problems();    // classes A and B
std::vector<Problem> detest_coupled_problems();   // class C
std::vector<Problem> detest_chemical_problems();  // class D
std::vector<Problem> detest_complex_problems();   // class E
std::vector<Problem> treeaporn_problems();
std::vector<Problem> cameron_problems();
std::vector<Problem> hermann_problems();
std::vector<Problem> modrio_problems();
std::vector<Problem> classic_problems();
std::vector<Problem> ring_modulator_problems();
std::vector<Problem> lines_problems();  // partial differential equations by the method of lines
std::vector<Problem> nonstiff_problems();

// x'' = mu (1 - x^2) x' - x.
system::Functions van_der_pol(double mu);

// A distillation column whose reboiler has a duty in kW, and the problem in which that has changed.
system::Functions distillation(double duty);
Problem distillation_column();

// The Belousov-Zhabotinskii reaction of Field and Noyes 1974.
system::Functions oregonator();

// The pyrolysis of Datta 1967: DETEST E5.
system::Functions pyrolysis();

// u' = u_xx with u = 0 at both ends, on n inner points of the unit interval.
system::Functions heat(std::size_t n);

}  // namespace daedalus::problems
