#include "problems.h"

const double robertson_start[3] = {1.0, 0.0, 0.0};
const double robertson_end[3] = {0.7158270687194, 9.18553476456e-6, 0.2841637457458};
const double robertson_slope[3] = {-0.04, 0.04, 0.0};

int robertson(double t, const double* y, double* dydt, void* user) {
  (void)t;
  (void)user;
  dydt[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
  dydt[2] = 3e7 * y[1] * y[1];
  dydt[1] = -dydt[0] - dydt[2];
  return 0;
}

int robertson_dense(double t, const double* y, double* values, void* user) {
  (void)t;
  (void)user;
  const double to_second[3] = {0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]};
  values[0] = -0.04;
  values[3] = 1e4 * y[2];
  values[6] = 1e4 * y[1];
  for (int j = 0; j < 3; ++j) values[3 * j + 1] = to_second[j];
  values[5] = 6e7 * y[1];
  return 0;
}

int robertson_dae(double t, const double* y, double* dydt, void* user) {
  robertson(t, y, dydt, user);
  dydt[0] += dydt[1];
  dydt[2] = y[0] + y[1] + y[2] - 1.0;
  return 0;
}

int robertson_dae_dense(double t, const double* y, double* values, void* user) {
  robertson_dense(t, y, values, user);
  for (int j = 0; j < 3; ++j) {
    values[3 * j] += values[3 * j + 1];
    values[3 * j + 2] = 1.0;
  }
  return 0;
}

int robertson_residual(double t, const double* y, const double* dydt, double* residual,
                       void* user) {
  robertson_dae(t, y, residual, user);
  residual[0] -= dydt[0] + dydt[1];
  residual[1] -= dydt[1];
  return 0;
}

int robertson_residual_dense(double t, const double* y, const double* dydt, double a,
                             double* values, void* user) {
  (void)dydt;
  robertson_dae_dense(t, y, values, user);
  values[0] -= a;
  values[3] -= a;
  values[4] -= a;
  return 0;
}

int robertson_residual_banded(double t, const double* y, const double* dydt, double a,
                              double* values, void* user) {
  double dense[9] = {0};
  robertson_residual_dense(t, y, dydt, a, dense, user);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) values[j * 5 + 2 + i - j] = dense[3 * j + i];
  }
  return 0;
}

const double van_der_pol_start[2] = {2.0, 0.0};
const double van_der_pol_end[2] = {1.706167732170483, -0.8928097010247975};

int van_der_pol(double t, const double* y, double* dydt, void* user) {
  (void)t;
  (void)user;
  dydt[0] = y[1];
  dydt[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
  return 0;
}

// The factors of y[i-1], y[i], y[i+1], y[i+2].
static const double factors[4] = {4.0, -9.0, 3.0, 2.0};

int line(double t, const double* y, double* dydt, void* user) {
  (void)t;
  const size_t n = *(const size_t*)user;
  for (size_t i = 0; i < n; ++i) {
    dydt[i] = factors[1] * y[i];
    if (i >= 1) dydt[i] += factors[0] * y[i - 1];
    if (i + 1 < n) dydt[i] += factors[2] * y[i + 1];
    if (i + 2 < n) dydt[i] += factors[3] * y[i + 2];
  }
  return 0;
}

static size_t first_row(size_t j) { return j < line_upper ? 0 : j - line_upper; }
static size_t last_row(size_t j, size_t n) { return j + line_lower < n ? j + line_lower : n - 1; }

int line_dense(double t, const double* y, double* values, void* user) {
  (void)t;
  (void)y;
  const size_t n = *(const size_t*)user;
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = first_row(j); i <= last_row(j, n); ++i) values[j * n + i] = factors[1 + j - i];
  }
  return 0;
}

int line_banded(double t, const double* y, double* values, void* user) {
  (void)t;
  (void)y;
  const size_t n = *(const size_t*)user;
  const size_t width = line_lower + line_upper + 1;
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = first_row(j); i <= last_row(j, n); ++i) {
      values[j * width + line_upper + i - j] = factors[1 + j - i];
    }
  }
  return 0;
}

int line_csc(double t, const double* y, double* values, void* user) {
  (void)t;
  (void)y;
  const size_t n = *(const size_t*)user;
  size_t k = 0;
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = first_row(j); i <= last_row(j, n); ++i) values[k++] = factors[1 + j - i];
  }
  return 0;
}

void line_pattern(size_t points, int* starts, int* rows) {
  int k = 0;
  for (size_t j = 0; j < points; ++j) {
    starts[j] = k;
    for (size_t i = first_row(j); i <= last_row(j, points); ++i) rows[k++] = (int)i;
  }
  starts[points] = k;
}
