#include "steps/stage_iteration.hpp"

#include "steps/newton_loop.hpp"

namespace daedalus::steps {

void make_iteration_places(Frame& frame, std::size_t stages, std::size_t predictors) {
  Writer& writer = frame.writer;
  auto& places = frame.places.family.emplace<integrate::IterationPlaces>();
  places.newton = NewtonLoop::make_places(frame);
  for (std::size_t* place : {&places.new_jacobian, &places.new_factors, &places.is_doubtful})
    *place = writer.make_places(1);
  places.last_stages = writer.make_places(stages * frame.places.stage_stride);
  places.extrapolation = writer.make_places(stages * predictors);
  places.last_weights = writer.make_places(stages);
  places.weights = writer.make_places(stages);
  places.jacobian_entries = frame.dynamics.pattern().size();
  places.jacobian = writer.make_places(places.jacobian_entries);
  frame.keep(places.jacobian, places.jacobian_entries);
  frame.keep(places.is_doubtful, 1);
}

Vector write_jacobian(Frame& frame, double expected) {
  Writer& writer = frame.writer;
  const integrate::IterationPlaces& places = frame.iteration();
  writer.begin_if(writer.symbol(places.new_jacobian), expected);
  writer.assign(places.jacobian, frame.dynamics.linearise(writer, frame.t, frame.y).jacobian);
  writer.end();
  return writer.symbols(places.jacobian, places.jacobian_entries);
}

Vector two_step_estimate(Frame& frame, const std::vector<Vector>& stages) {
  Writer& writer = frame.writer;
  const integrate::IterationPlaces& places = frame.iteration();
  Vector error;
  for (std::size_t k = 0; k < frame.n; ++k) {
    Term sum = writer.constant(0.0);
    for (std::size_t j = 0; j < stages.size(); ++j) {
      sum = sum + writer.symbol(places.last_weights + j) *
                      writer.symbol(places.last_stages + j * frame.places.stage_stride + k);
      sum = sum + writer.symbol(places.weights + j) * stages[j][k];
    }
    error.push_back(writer.keep(sum));
  }
  return error;
}

void write_doubt(Frame& frame, const Contradiction& contradiction, const Vector& weights) {
  Writer& writer = frame.writer;
  const Term size =
      contradiction.length * frame.norm(std::span(&contradiction.difference, 1), weights);
  writer.begin_if(!(size <= writer.constant(1.0)));
  const Vector correction = contradiction.filter.solve(writer, contradiction.difference);
  writer.assign(frame.iteration().is_doubtful,
                frame.is_more_than_rounding(correction, contradiction.result, weights));
  writer.end();
}

}  // namespace daedalus::steps
