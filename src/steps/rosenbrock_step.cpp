// A step of a Rosenbrock method: one elimination, a right-hand side for each stage.
#include "daedalus/integrate/coefficients.hpp"
#include "steps/families.hpp"
#include "steps/iteration_matrix.hpp"

namespace daedalus::steps {

StepProgram rosenbrock_step(const StepTask& task, const integrate::RosenbrockCoefficients& method) {
  Frame frame(task, method.stages, integrate::stride(task.model.states.size()));
  Writer& writer = frame.writer;
  const Term per_h = writer.keep(1.0 / frame.h);
  const Linearisation at_begin = frame.dynamics.linearise(writer, frame.t, frame.y);
  auto& places = frame.places.family.emplace<integrate::RosenbrockPlaces>();
  Term growth = frame.keep_jacobian_size(at_begin.jacobian, places.jacobian_size);
  const Elimination<Term> factors =
      IterationMatrix(frame.dynamics)
          .factor(writer, (1.0 / method.gamma) * per_h, at_begin.jacobian, growth);
  frame.set_growth(growth);

  std::vector<Vector> stages;
  for (std::size_t s = 0; s < method.stages; ++s) {
    Vector f = frame.f0;
    if (s > 0) {
      Vector value;
      for (std::size_t i = 0; i < frame.n; ++i)
        value.push_back(writer.keep(frame.combine(i, method.A[s], stages, frame.y[i])));
      f = frame.dynamics.derivatives(writer, frame.t + method.c[s] * frame.h, value);
    }
    const Term time_weight = method.d[s] * frame.h;
    for (std::size_t i = 0; i < frame.n; ++i) {
      f[i] = f[i] + per_h * frame.combine(i, method.C[s], stages);
      if (!at_begin.in_time.empty()) f[i] = f[i] + time_weight * at_begin.in_time[i];
    }
    stages.push_back(factors.solve(writer, std::move(f)));
    writer.assign(frame.places.stages + s * frame.places.stage_stride, stages.back());
  }

  Vector result, error, embedded;
  for (std::size_t i = 0; i < frame.n; ++i) {
    result.push_back(writer.keep(frame.combine(i, method.b, stages, frame.y[i])));
    error.push_back(writer.keep(frame.combine(i, method.error, stages)));
    embedded.push_back(writer.keep(frame.combine(i, method.embedded, stages, frame.y[i])));
  }
  writer.assign(frame.places.result, result);
  const Term size = frame.judge(error, frame.weights(embedded));
  writer.begin_if(size <= writer.constant(1.0));
  writer.assign(frame.places.f1, frame.dynamics.derivatives(writer, frame.t + frame.h, result));
  writer.end();
  return frame.finish();
}

}  // namespace daedalus::steps
