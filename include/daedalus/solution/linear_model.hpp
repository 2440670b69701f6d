// The result of a linearisation: matrices with the names of rows and columns, and the modes.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace daedalus::solution {

// For larger matrices, files list the entries instead of full rows, and no eigenvalues are
// computed.
constexpr std::size_t most_dense = 2000;

struct MatrixEntry {
  std::size_t row = 0;
  std::size_t column = 0;
  double value = 0.0;
};

struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<MatrixEntry> entries = {};  // row by row; all others are 0

  std::vector<double> dense() const;  // column by column
};

// How much a state takes part in a mode, from 0 to 1; the shares of all states add up to 1.
struct Participation {
  std::size_t state = 0;
  double share = 0.0;
};

// An eigenvalue of A in 1/s, and the states with a share above a tenth, the largest first.
struct Mode {
  std::complex<double> eigenvalue = {};
  std::vector<Participation> dominant = {};

  double natural_frequency() const { return std::abs(eigenvalue); }  // rad/s
  std::optional<double> damping_ratio() const;                       // none for the eigenvalue 0
  std::optional<double> time_constant() const;  // s; negative if growing, none if undamped
};

// With x = x0 + dx, u = u0 + du, y = y0 + dy at `time`:
// dx' = derivatives + A dx + B du, dy = C dx + D du.
struct LinearModel {
  std::string model = {};
  std::string description = {};
  double time = 0.0;
  std::vector<std::string> states = {}, inputs = {}, outputs = {};
  std::vector<double> x0 = {}, u0 = {}, y0 = {};
  std::vector<double> derivatives = {};  // x' at the point: 0 at an equilibrium
  Matrix A = {}, B = {}, C = {}, D = {};
  std::optional<std::vector<Mode>> modes = {};  // by falling real part
  std::string why_no_modes = {};
  std::vector<std::string> notes = {};  // what was left out, and why

  bool is_large() const;  // more than most_dense states, inputs or outputs
};

}  // namespace daedalus::solution
