// The problems of the C tests, with callbacks in every form.
#ifndef DAEDALUS_TESTS_PROBLEMS_H
#define DAEDALUS_TESTS_PROBLEMS_H

#include "daedalus.h"

// Robertson's reaction until t = 40. Reference: SciPy's Radau at 1e-12, rodas5p at 1e-13.
enum { robertson_size = 3 };
extern const double robertson_start[3];
extern const double robertson_end[3];
int robertson(double t, const double* y, double* dydt, void* user);
int robertson_dense(double t, const double* y, double* values, void* user);

// The same with y[0] + y[1] + y[2] = 1 as the last equation and the first two added, so that the
// mass matrix is singular and not diagonal: its columns are (1, 0, 0), (1, 1, 0), (0, 0, 0).
int robertson_dae(double t, const double* y, double* dydt, void* user);
int robertson_dae_dense(double t, const double* y, double* values, void* user);

// The same as F(t, y, y') = 0, with a Jacobian in each storage. Its band is full.
extern const double robertson_slope[3];
int robertson_residual(double t, const double* y, const double* dydt, double* residual, void* user);
int robertson_residual_dense(double t, const double* y, const double* dydt, double a,
                             double* values, void* user);
int robertson_residual_banded(double t, const double* y, const double* dydt, double a,
                              double* values, void* user);

// Van der Pol's equation, epsilon = 1e-6, until t = 2. Reference: the IVP test set of Bari.
extern const double van_der_pol_start[2];
extern const double van_der_pol_end[2];
int van_der_pol(double t, const double* y, double* dydt, void* user);

// Flow and diffusion along a line, with a wider band above the diagonal than below:
//   y[i]' = 4 y[i-1] - 9 y[i] + 3 y[i+1] + 2 y[i+2],  `user` is the number of points (size_t).
enum { line_lower = 1, line_upper = 2 };
int line(double t, const double* y, double* dydt, void* user);
int line_dense(double t, const double* y, double* values, void* user);
int line_banded(double t, const double* y, double* values, void* user);
int line_csc(double t, const double* y, double* values, void* user);
void line_pattern(size_t points, int* starts, int* rows);

#endif
