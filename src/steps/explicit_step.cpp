// A step of an explicit Runge-Kutta pair, its stages fused with the right-hand side.
#include "daedalus/integrate/coefficients.hpp"
#include "steps/families.hpp"

namespace daedalus::steps {
namespace {

constexpr double rarely = 0.1;  // how often there are events, per step

// Hairer, Norsett and Wanner I, II.10, where two embedded formulas are combined.
Term judge(Frame& frame, const integrate::ExplicitCoefficients& method,
           const std::vector<Vector>& k, const Vector& result) {
  Writer& writer = frame.writer;
  const auto estimate = [&](const integrate::Combination& weights) {
    Vector error;
    for (std::size_t i = 0; i < frame.n; ++i)
      error.push_back(writer.keep(frame.h * frame.combine(i, weights, k)));
    return error;
  };
  const Vector weights = frame.weights(result);
  const Vector error = estimate(method.error);
  const Term size = frame.judge(error, weights);
  if (method.low_error.empty()) return size;
  const Vector low = estimate(method.low_error);
  const Term low_size = frame.norm(std::span(&low, 1), weights);
  const Term root = sqrt(size * size + 0.01 * (low_size * low_size));
  const Term zero = writer.constant(0.0);
  const Term combined = writer.keep(choose(size > zero, size * size / root, size));
  writer.assign(frame.places.error, combined);
  return combined;
}

}  // namespace

StepProgram explicit_step(const StepTask& task, const integrate::ExplicitCoefficients& method) {
  const std::size_t all = std::max(method.dense_stages, method.end_stage + 1);
  Frame frame(task, all, integrate::stride(task.model.states.size()));
  Writer& writer = frame.writer;
  integrate::StepPlaces& places = frame.places;
  places.f0 = places.stages;  // stages at the start and at the end
  places.f1 = places.stages + method.end_stage * places.stage_stride;
  auto& own = places.family.emplace<integrate::ExplicitPlaces>();
  own.earlier_end = writer.make_places(frame.n);
  frame.keep(own.earlier_end, frame.n);

  own.begin_is_new = writer.make_places(1);
  writer.begin_if(writer.symbol(own.begin_is_new), rarely);
  writer.assign(places.f0, frame.dynamics.derivatives(writer, frame.t, frame.y));
  writer.end();
  std::vector<Vector> k = {writer.symbols(places.f0, frame.n)};
  Vector result;
  const auto combine = [&](const integrate::Combination& weights) {
    Vector value;
    for (std::size_t i = 0; i < frame.n; ++i)
      value.push_back(writer.keep(frame.y[i] + frame.h * frame.combine(i, weights, k)));
    return value;
  };
  for (std::size_t s = 1; s < method.stages; ++s) {
    const Vector value = combine(method.A[s]);
    if (method.first_same_as_last && s + 1 == method.stages) result = value;
    if (method.earlier_end_stage == s) writer.assign(own.earlier_end, value);
    k.push_back(
        writer.keep(frame.dynamics.derivatives(writer, frame.t + method.c[s] * frame.h, value)));
    writer.assign(places.stages + s * places.stage_stride, k.back());
  }
  if (!method.first_same_as_last) result = combine(method.b);
  writer.assign(places.result, result);
  const Term size = judge(frame, method, k, result);
  if (!method.first_same_as_last) {
    writer.begin_if(size <= writer.constant(1.0));
    writer.assign(places.f1, frame.dynamics.derivatives(writer, frame.t + frame.h, result));
    writer.end();
  }
  return frame.finish();
}

}  // namespace daedalus::steps
