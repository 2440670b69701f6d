// Simulates a Modelica file: own_model FILE.mo VARIABLE
#include <cstdio>
#include <daedalus/daedalus.hpp>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: own_model FILE.mo VARIABLE\n");
    return 2;
  }
  try {
    const daedalus::Model model = daedalus::load(argv[1]).value();
    const daedalus::Solution solution = daedalus::simulate(model, {.rtol = 1e-8}).value();
    const daedalus::Series series = solution[argv[2]];
    std::printf("%s\n%s = %.9g at t = %g\n", solution.summary().c_str(), argv[2],
                series.values.back(), series.time.back());
  } catch (const daedalus::Failure& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
