#include "daedalus/solution/linear_model.hpp"

#include <algorithm>

namespace daedalus::solution {

std::vector<double> Matrix::dense() const {
  std::vector<double> values(rows * columns, 0.0);
  for (const MatrixEntry& entry : entries) values[entry.column * rows + entry.row] = entry.value;
  return values;
}

std::optional<double> Mode::damping_ratio() const {
  if (eigenvalue == 0.0) return std::nullopt;
  return 0.0 - eigenvalue.real() / natural_frequency();  // 0.0 minus, to avoid -0
}

std::optional<double> Mode::time_constant() const {
  if (eigenvalue.real() == 0.0) return std::nullopt;
  return -1.0 / eigenvalue.real();
}

bool LinearModel::is_large() const {
  return std::max({states.size(), inputs.size(), outputs.size()}) > most_dense;
}

}  // namespace daedalus::solution
