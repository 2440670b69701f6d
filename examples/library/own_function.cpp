// Solves y' = f(t, y) for a function of one's own: van der Pol's oscillator, with and without a
// Jacobian.
#include <cstdio>
#include <daedalus/daedalus.hpp>

int main() {
  const double mu = 1000.0;
  daedalus::Problem oscillator{.functions = {.size = 2,
                                             .f =
                                                 [mu](double, auto y, auto dydt) {
                                                   dydt[0] = y[1];
                                                   dydt[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
                                                 },
                                             .names = {"x", "v"}},
                               .y0 = {2.0, 0.0}};
  const daedalus::Options options{.stop = 2000.0, .rtol = 1e-8, .method = "radau5"};

  const daedalus::Solution with_differences = daedalus::solve(oscillator, options).value();
  std::printf("%s\nx = %.9f\n", with_differences.summary().c_str(),
              with_differences.final_value("x"));

  oscillator.functions.jacobian = [mu](double, auto y, auto J) {  // column by column
    J[0] = 0.0;
    J[1] = -2 * mu * y[0] * y[1] - 1;
    J[2] = 1.0;
    J[3] = mu * (1 - y[0] * y[0]);
  };
  const daedalus::Solution with_jacobian = daedalus::solve(oscillator, options).value();
  std::printf("%s\nx = %.9f\n", with_jacobian.summary().c_str(), with_jacobian.final_value("x"));
}
