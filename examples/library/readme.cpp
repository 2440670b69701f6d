// The code of the README, complete.
// begin
#include <daedalus/daedalus.hpp>

const daedalus::Model model = daedalus::load("pendulum.mo").value();
const daedalus::Solution solution = daedalus::simulate(model, {.stop = 10.0, .rtol = 1e-8}).value();
const daedalus::Series angle = solution["phi"];

const daedalus::Problem decay{
    .functions = {.size = 1, .f = [](double, auto y, auto dydt) { dydt[0] = -y[0]; }}, .y0 = {1.0}};
const daedalus::Solution own = daedalus::solve(decay, {.stop = 5.0, .method = "dopri5"}).value();
// end
#include <cmath>
#include <cstdio>

int main() {
  std::printf("phi = %.6f, y - exp(-5) = %.1e\n", angle.values.back(),
              own.final_value("y[0]") - std::exp(-5.0));
  return std::fabs(own.final_value("y[0]") - std::exp(-5.0)) < 1e-7 ? 0 : 1;
}
