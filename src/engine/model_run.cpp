#include "daedalus/engine/model_run.hpp"

#include <utility>

#include "engine/run_body.hpp"

namespace daedalus::engine {

ModelRun::ModelRun(std::unique_ptr<RunBody> body) : body_(std::move(body)) {}
ModelRun::ModelRun(ModelRun&&) noexcept = default;
ModelRun& ModelRun::operator=(ModelRun&&) noexcept = default;
ModelRun::~ModelRun() = default;

Result<ModelRun> ModelRun::start(const Model& model, const Options& options) {
  Result<std::unique_ptr<RunBody>> body = RunBody::make({model, options});
  if (!body) return body.error();
  if (const std::optional<Error> error = (*body)->start()) return *error;
  return ModelRun(std::move(*body));
}

Result<ModelRun> ModelRun::restore(const Model& model, const Options& options,
                                   const RunState& state) {
  Result<std::unique_ptr<RunBody>> body = RunBody::make({model, options});
  if (!body) return body.error();
  if (const std::optional<Error> error = (*body)->restore(state)) return *error;
  return ModelRun(std::move(*body));
}

Result<ModelRun> ModelRun::start_from(const Model& model, const Options& options,
                                      const RunState& state) {
  Options from_there = options;
  from_there.start = state.time;
  Result<std::unique_ptr<RunBody>> body = RunBody::make({model, from_there});
  if (!body) return body.error();
  if (const std::optional<Error> error = (*body)->start_from(state)) return *error;
  return ModelRun(std::move(*body));
}

Result<ModelRun::Stop> ModelRun::advance(const Pause& pause) { return body_->advance(pause); }
double ModelRun::time() const { return body_->time(); }
Result<RunState> ModelRun::state() { return body_->state(); }
solution::Solution ModelRun::finish() { return body_->finish(); }

}  // namespace daedalus::engine
