// 100,489 equations: diffusion with a cubic sink and an intermittent source on a grid of 317 by 317
// points. Our multistep methods and CVODE, both with KLU and the same Jacobian, each in a process
// of its own, whose peak memory is that of the run. Exits with 1 where `bdf` takes more than 10 %
// more steps or factorisations than CVODE.
#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

#include "daedalus/integrate/integrator.hpp"
#include "daedalus/system/function_system.hpp"

namespace {

using namespace daedalus;
using Vector = std::span<const double>;
using Output = std::span<double>;

constexpr double stop = 1.0;

// What a run reports to the process that started it.
struct Work {
  bool finished = false;
  std::size_t steps = 0;
  std::size_t f_evals = 0;
  std::size_t jacobians = 0;
  std::size_t factorizations = 0;
  double seconds = 0.0;
  double middle = 0.0;  // of the grid, at the end
};

class Plate {
 public:
  explicit Plate(std::size_t side) : side_(side) {
    pattern_.size = side * side;
    for (std::size_t j = 0; j < pattern_.size; ++j) {
      for_each_neighbour(j, [&](std::size_t i) { pattern_.rows.push_back(static_cast<int>(i)); });
      pattern_.starts.push_back(static_cast<int>(pattern_.rows.size()));
    }
  }

  std::size_t size() const { return side_ * side_; }
  const linalg::Sparsity& pattern() const { return pattern_; }
  std::size_t middle() const { return size() / 2; }

  void slopes(double t, Vector u, Output dudt) const {
    const double source = 50.0 * std::pow(std::sin(3.0 * t), 2);
    for (std::size_t k = 0; k < size(); ++k) {
      const std::size_t column = k % side_;
      const double neighbours =
          (column > 0 ? u[k - 1] : 0.0) + (column + 1 < side_ ? u[k + 1] : 0.0) +
          (k >= side_ ? u[k - side_] : 0.0) + (k + side_ < size() ? u[k + side_] : 0.0);
      dudt[k] = diffusion() * (neighbours - 4.0 * u[k]) - u[k] * u[k] * u[k] + source;
    }
  }
  void jacobian(Vector u, Output values) const {
    for (std::size_t j = 0; j < size(); ++j) {
      for (int k = pattern_.starts[j]; k < pattern_.starts[j + 1]; ++k) {
        const bool is_diagonal = pattern_.rows[k] == static_cast<int>(j);
        values[k] = is_diagonal ? -4.0 * diffusion() - 3.0 * u[j] * u[j] : diffusion();
      }
    }
  }

 private:
  double diffusion() const { return static_cast<double>((side_ + 1) * (side_ + 1)); }

  // In ascending order, including itself.
  void for_each_neighbour(std::size_t k, const std::function<void(std::size_t)>& visit) const {
    const std::size_t column = k % side_;
    if (k >= side_) visit(k - side_);
    if (column > 0) visit(k - 1);
    visit(k);
    if (column + 1 < side_) visit(k + 1);
    if (k + side_ < size()) visit(k + side_);
  }

  std::size_t side_;
  linalg::Sparsity pattern_;
};

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Silent final : solution::Recorder {
  solution::Recording start(double, Vector) override { return solution::Recording::Continue; }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

Work ours(const Plate& plate, const std::string& method, double rtol) {
  system::Functions functions{.size = plate.size()};
  functions.f = [&](double t, Vector u, Output dudt) { plate.slopes(t, u, dudt); };
  functions.jacobian = [&](double, Vector u, Output values) { plate.jacobian(u, values); };
  functions.pattern = plate.pattern();
  const system::FunctionSystem system(std::move(functions));
  const Clock::time_point begin = Clock::now();
  const integrate::Options options{
      .stop = stop, .rtol = rtol, .atol = {rtol}, .linear_solver = integrate::LinearSolver::Direct};
  const auto integrator = integrate::make_integrator(method, system, options).value();
  std::vector<double> u(plate.size(), 0.0);
  Silent silent;
  const bool finished = integrator->run(u, silent).finished();
  const solution::Statistics& counts = integrator->statistics();
  return {finished,     counts.steps,     counts.f_evals, counts.jac_evals, counts.factorizations,
          since(begin), u[plate.middle()]};
}

int cvode_slopes(realtype t, N_Vector u, N_Vector dudt, void* plate) {
  const auto n = static_cast<std::size_t>(NV_LENGTH_S(u));
  static_cast<const Plate*>(plate)->slopes(t, {NV_DATA_S(u), n}, {NV_DATA_S(dudt), n});
  return 0;
}

int cvode_jacobian(realtype, N_Vector u, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector,
                   N_Vector) {
  const auto& plate = *static_cast<const Plate*>(user);
  std::ranges::copy(plate.pattern().starts, SM_INDEXPTRS_S(J));
  std::ranges::copy(plate.pattern().rows, SM_INDEXVALS_S(J));
  plate.jacobian({NV_DATA_S(u), plate.size()}, {SM_DATA_S(J), plate.pattern().entries()});
  return 0;
}

Work cvode(const Plate& plate, double rtol) {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  const auto n = static_cast<sunindextype>(plate.size());
  N_Vector u = N_VNew_Serial(n, context);
  N_VConst(0.0, u);
  const Clock::time_point begin = Clock::now();
  void* memory = CVodeCreate(CV_BDF, context);
  CVodeInit(memory, cvode_slopes, 0.0, u);
  CVodeSStolerances(memory, rtol, rtol);
  CVodeSetUserData(memory, const_cast<Plate*>(&plate));
  CVodeSetMaxNumSteps(memory, 100'000);
  CVodeSetStopTime(memory, stop);
  const auto entries = static_cast<sunindextype>(plate.pattern().entries());
  SUNMatrix matrix = SUNSparseMatrix(n, n, entries, CSC_MAT, context);
  SUNLinearSolver solver = SUNLinSol_KLU(u, matrix, context);
  SUNLinSol_KLUSetOrdering(solver, 0);  // AMD, as ours
  CVodeSetLinearSolver(memory, solver, matrix);
  CVodeSetJacFn(memory, cvode_jacobian);
  double t = 0.0;
  const bool finished = CVode(memory, stop, u, &t, CV_NORMAL) >= 0;
  const double seconds = since(begin);
  long steps = 0, f_evals = 0, jacobians = 0, factorizations = 0;
  CVodeGetNumSteps(memory, &steps);
  CVodeGetNumRhsEvals(memory, &f_evals);
  CVodeGetNumJacEvals(memory, &jacobians);
  CVodeGetNumLinSolvSetups(memory, &factorizations);
  return {finished,
          static_cast<std::size_t>(steps),
          static_cast<std::size_t>(f_evals),
          static_cast<std::size_t>(jacobians),
          static_cast<std::size_t>(factorizations),
          seconds,
          NV_DATA_S(u)[plate.middle()]};
}

// Runs it in a process of its own and prints a line.
Work measured(const std::string& name, double rtol, const std::function<Work()>& run) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(2);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const Work result = run();
    const bool is_written = write(ends[1], &result, sizeof result) == sizeof result;
    std::_Exit(is_written ? 0 : 2);
  }
  Work result;
  if (read(ends[0], &result, sizeof result) != sizeof result) result = {};
  rusage usage = {};
  wait4(child, nullptr, 0, &usage);
  close(ends[0]);
  close(ends[1]);
  fmt::print("{:<8} {:.0e} {:>6} {:>8} {:>6} {:>6} {:>8.2f} {:>8.0f}   {:.10g}{}\n", name, rtol,
             result.steps, result.f_evals, result.jacobians, result.factorizations, result.seconds,
             static_cast<double>(usage.ru_maxrss) / 1024.0, result.middle,
             result.finished ? "" : "  did not finish");
  return result;
}

bool is_within(std::size_t ours, std::size_t theirs) {
  return static_cast<double>(ours) <= 1.1 * static_cast<double>(theirs);
}

}  // namespace

int main(int count, char** words) {
  const std::size_t side = count > 1 ? std::strtoul(words[1], nullptr, 10) : 317;
  if (side < 2 || count > 2) {
    fmt::print(stderr, "usage: bench_multistep [POINTS ON A SIDE]\n");
    return 2;
  }
  const Plate plate(side);
  fmt::print("{} equations, {} entries of the Jacobian\n", plate.size(), plate.pattern().entries());
  fmt::print("{:<8} {:<5} {:>6} {:>8} {:>6} {:>6} {:>8} {:>8}   {}\n", "method", "rtol", "steps",
             "f evals", "Jac", "LU", "s", "MB peak", "u in the middle");
  bool is_good = true;
  for (const double rtol : {1e-4, 1e-6}) {
    const Work theirs = measured("CVODE", rtol, [&] { return cvode(plate, rtol); });
    const Work bdf = measured("bdf", rtol, [&] { return ours(plate, "bdf", rtol); });
    measured("ndf", rtol, [&] { return ours(plate, "ndf", rtol); });
    is_good = is_good && bdf.finished && is_within(bdf.steps, theirs.steps) &&
              is_within(bdf.factorizations, theirs.factorizations);
  }
  fmt::print("{}\n", is_good ? "bdf takes at most 10 % more steps and factorisations than CVODE"
                             : "bdf takes over 10 % more steps or factorisations than CVODE");
  return is_good ? 0 : 1;
}
