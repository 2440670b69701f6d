// The steps that were generated for a model, by method; each when it is first needed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/integrate/choices.hpp"
#include "daedalus/integrate/step_code.hpp"
#include "daedalus/runtime/model_system.hpp"

namespace daedalus::engine {

class BackgroundWork;

class StepCodes {
 public:
  // Without a form, each method's steps have the one that is expected to be faster.
  explicit StepCodes(codegen::CodeCache cache, std::optional<integrate::StepForm> form = {});
  ~StepCodes();

  // The code of the method's steps, one for each of its orders, for a run that starts with these
  // values of the model's symbols. Safe to call from several threads.
  Result<std::vector<integrate::StepCode>> find(const runtime::ModelSystem& system,
                                                std::span<const double> values,
                                                const std::string& method, integrate::Norm norm);

  // The values for which code was or is being generated; none: there is no code.
  std::optional<std::vector<double>> generated_for(const runtime::ModelSystem& system,
                                                   const std::string& method, integrate::Norm norm);

  // Starts generating code in the background; find() then waits for it. Destroying this object
  // meanwhile waits for what cannot be interrupted.
  void prepare(const runtime::ModelSystem& system, std::span<const double> values,
               const std::string& method, integrate::Norm norm);

 private:
  using Key = std::tuple<const void*, std::string, integrate::Norm>;
  codegen::CodeCache cache_;
  std::optional<integrate::StepForm> form_;
  std::mutex mutex_;
  std::map<Key, std::vector<integrate::StepCode>> known_;
  std::mutex preparations_mutex_;  // also of what is noted there
  std::map<Key, std::unique_ptr<BackgroundWork>> preparations_;
  std::map<Key, std::vector<double>> generated_for_;
};

}  // namespace daedalus::engine
