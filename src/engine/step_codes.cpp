#include "daedalus/engine/step_codes.hpp"

#include <algorithm>

#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/codegen/procedure_code.hpp"
#include "daedalus/steps/step_program.hpp"

namespace daedalus::engine {
namespace {

Result<integrate::StepCode> compile(const steps::StepProgram& program,
                                    const std::string& cache_folder) {
  const codegen::CodeCache cache(cache_folder);
  Result<codegen::ProcedureCode> code = codegen::ProcedureCode::compile(
      program.arena, {&program.step}, program.kept, cache_folder.empty() ? nullptr : &cache);
  if (!code) return code.error();
  integrate::StepCode result{.size = program.size,
                             .model_symbols = program.model_symbols,
                             .places = program.places,
                             .form = program.form,
                             .frame = std::vector<double>(program.symbol_count, 0.0),
                             .run = code->function(0)};
  result.owner = std::make_shared<const codegen::ProcedureCode>(std::move(*code));
  return result;
}

Result<std::vector<integrate::StepCode>> compile(const structure::StructuredModel& model,
                                                 std::span<const double> values,
                                                 const std::string& method, integrate::Norm norm,
                                                 std::optional<integrate::StepForm> form,
                                                 const std::string& cache_folder) {
  const Result<methods::Method> found = methods::require_method(method);
  if (!found) return found.error();
  const Result<std::vector<steps::StepProgram>> programs =
      steps::make_steps(model, values, *found, norm, form);
  if (!programs) return programs.error();
  std::vector<integrate::StepCode> codes;
  for (const steps::StepProgram& program : *programs) {
    Result<integrate::StepCode> code = compile(program, cache_folder);
    if (!code) return code.error();
    codes.push_back(std::move(*code));
  }
  return codes;
}

}  // namespace

Result<std::vector<integrate::StepCode>> StepCodes::find(const codegen::ModelSystem& system,
                                                         std::span<const double> values,
                                                         const std::string& method,
                                                         integrate::Norm norm) {
  const std::lock_guard lock(mutex_);
  const Key key{system.program(), method, norm};
  auto found = known_.find(key);
  if (found == known_.end()) {
    Result<std::vector<integrate::StepCode>> made =
        compile(system.model(), values, method, norm, form_, cache_folder_);
    if (!made) return made.error();
    found = known_.emplace(key, std::move(*made)).first;
  }
  std::vector<integrate::StepCode> codes = found->second;
  for (integrate::StepCode& code : codes)
    std::ranges::copy(values.first(code.model_symbols), code.frame.begin());
  return codes;
}

}  // namespace daedalus::engine
