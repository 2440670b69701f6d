#include "daedalus/engine/step_codes.hpp"

#include "daedalus/codegen/procedure_code.hpp"
#include "daedalus/steps/step_program.hpp"
#include "engine/background.hpp"
#include "engine/tiered_step.hpp"

namespace daedalus::engine {
namespace {

Result<integrate::StepCode> compile(const steps::StepProgram& program,
                                    const codegen::CodeCache& cache) {
  Result<codegen::ProcedureCode> code =
      codegen::ProcedureCode::compile(program.arena, {&program.step}, program.kept, cache);
  if (!code) return code.error();
  return integrate::StepCode{
      .size = program.size,
      .model_symbols = program.model_symbols,
      .frame_size = program.symbol_count,
      .form = program.form,
      .run = std::make_shared<TieredStep>(std::move(*code), cache),
      .places = std::make_shared<const integrate::StepPlaces>(program.places)};
}

// Empty if it is asked to stop.
Result<std::vector<integrate::StepCode>> compile(const structure::StructuredModel& model,
                                                 std::span<const double> values,
                                                 const std::string& method, integrate::Norm norm,
                                                 std::optional<integrate::StepForm> form,
                                                 const codegen::CodeCache& cache,
                                                 const std::stop_token& stop) {
  const Result<methods::Method> found = methods::require_method(method);
  if (!found) return found.error();
  const Result<std::vector<steps::StepProgram>> programs =
      steps::make_steps(model, values, *found, norm, form);
  if (!programs) return programs.error();
  std::vector<integrate::StepCode> codes;
  for (const steps::StepProgram& program : *programs) {
    if (stop.stop_requested()) return std::vector<integrate::StepCode>{};
    Result<integrate::StepCode> code = compile(program, cache);
    if (!code) return code.error();
    codes.push_back(std::move(*code));
  }
  return codes;
}

}  // namespace

StepCodes::StepCodes(codegen::CodeCache cache, std::optional<integrate::StepForm> form)
    : cache_(std::move(cache)), form_(form) {}
StepCodes::~StepCodes() = default;

Result<std::vector<integrate::StepCode>> StepCodes::find(const runtime::ModelSystem& system,
                                                         std::span<const double> values,
                                                         const std::string& method,
                                                         integrate::Norm norm) {
  const std::lock_guard lock(mutex_);
  const Key key{system.program(), method, norm};
  auto found = known_.find(key);
  if (found == known_.end()) {
    // The values of a preparation that was started but has no code yet.
    const std::optional<std::vector<double>> prepared = generated_for(system, method, norm);
    Result<std::vector<integrate::StepCode>> made =
        compile(system.model(), prepared ? *prepared : values, method, norm, form_, cache_, {});
    if (!made) return made.error();
    found = known_.emplace(key, std::move(*made)).first;
    const std::lock_guard noting(preparations_mutex_);
    generated_for_.try_emplace(key, values.begin(), values.end());
  }
  std::vector<integrate::StepCode> codes = found->second;
  const auto begin = std::make_shared<const std::vector<double>>(values.begin(), values.end());
  for (integrate::StepCode& code : codes) code.values = begin;
  return codes;
}

std::optional<std::vector<double>> StepCodes::generated_for(const runtime::ModelSystem& system,
                                                            const std::string& method,
                                                            integrate::Norm norm) {
  const std::lock_guard lock(preparations_mutex_);
  const auto found = generated_for_.find(Key{system.program(), method, norm});
  if (found == generated_for_.end()) return std::nullopt;
  return found->second;
}

// The work has its own copy of the model, which may be destroyed before the work is done.
void StepCodes::prepare(const runtime::ModelSystem& system, std::span<const double> values,
                        const std::string& method, integrate::Norm norm) {
  const Key key{system.program(), method, norm};
  const std::lock_guard lock(preparations_mutex_);
  if (!generated_for_.try_emplace(key, values.begin(), values.end()).second) return;
  std::unique_ptr<BackgroundWork>& preparation = preparations_[key];
  const auto model = std::make_shared<const structure::StructuredModel>(system.model());
  std::vector<double> start(values.begin(), values.end());
  preparation = std::make_unique<BackgroundWork>(
      [this, key, model, start = std::move(start), method, norm](const std::stop_token& stop) {
        const std::lock_guard until_it_is_known(mutex_);
        if (known_.contains(key)) return;
        Result<std::vector<integrate::StepCode>> made =
            compile(*model, start, method, norm, form_, cache_, stop);
        if (made && !made->empty()) known_.emplace(key, std::move(*made));
      });
}

}  // namespace daedalus::engine
