// Robertson's reaction: three substances, time scales from microseconds to centuries.
#include <daedalus.h>
#include <stdio.h>

static int reaction(double t, const double* y, double* dydt, void* user) {
  (void)t;
  (void)user;
  dydt[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
  dydt[2] = 3e7 * y[1] * y[1];
  dydt[1] = -dydt[0] - dydt[2];
  return 0;
}

// Column by column.
static int jacobian(double t, const double* y, double* values, void* user) {
  (void)t;
  (void)user;
  values[0] = -0.04;
  values[1] = 0.04;
  values[3] = 1e4 * y[2];
  values[4] = -1e4 * y[2] - 6e7 * y[1];
  values[5] = 6e7 * y[1];
  values[6] = 1e4 * y[1];
  values[7] = -1e4 * y[1];
  return 0;
}

int main(void) {
  const double start[3] = {1.0, 0.0, 0.0};
  double y[3];
  // begin
  daedalus_problem* problem = daedalus_problem_create(3, reaction, NULL);
  daedalus_problem_set_jacobian(problem, jacobian);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "radau5");
  daedalus_problem_free(problem);
  daedalus_integrator_set_tolerances(integrator, 1e-8, 1e-12);

  daedalus_status status = daedalus_integrator_start(integrator, 0.0, 4e10, start, NULL);
  for (double t = 0.4; t <= 4e10 && status == DAEDALUS_OK; t *= 10.0) {
    status = daedalus_integrator_advance(integrator, t, y);
    if (status == DAEDALUS_OK) printf("%9.4g %10.6g %11.5g %10.6g\n", t, y[0], y[1], y[2]);
  }
  if (status != DAEDALUS_OK) fprintf(stderr, "%s\n", daedalus_error());
  // end

  daedalus_statistics work;
  daedalus_integrator_statistics(integrator, &work, sizeof work);
  printf("%lu steps, %lu evaluations\n", (unsigned long)work.steps, (unsigned long)work.f_evals);
  daedalus_integrator_free(integrator);
  return status == DAEDALUS_OK ? 0 : 1;
}
