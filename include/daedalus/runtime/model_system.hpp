// A structured model as a System, ready to be integrated.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/structure/kernel_function.hpp"
#include "daedalus/structure/structured.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::runtime {

// The values of all symbols, and what the evaluation of one thread needs besides.
class Workspace;

class ModelSystem final : public system::System {
 public:
  // Makes functions of kernels: in native code (codegen/compile_kernels.hpp), or otherwise.
  using Compiler = std::function<Result<structure::KernelFunctions>(
      const structure::StructuredModel& model, std::vector<structure::Kernel> kernels)>;
  static Result<std::unique_ptr<ModelSystem>> make(structure::StructuredModel model,
                                                   const Compiler& compile);
  ~ModelSystem() override;

  // The same model with other values of its parameters, which shares the functions.
  std::unique_ptr<ModelSystem> with_values(structure::StructuredModel model) const;

  const structure::StructuredModel& model() const;
  bool is_from_cache() const;  // no code had to be compiled

  // Tells programs apart: models that differ in the values of their parameters share one.
  const void* program() const;

  // Solves the initial system at time t, by interpretation; the workspace then holds the start
  // values. A failure names the equation, the variables and what they were. What was difficult is
  // added to the notes.
  std::optional<Diagnostic> initialise(double t, system::Scratch& scratch,
                                       std::vector<std::string>& notes) const;

  // What happens to the model at events; null where nothing does.
  const system::Events* events() const override;
  // Values that are held between events, from one workspace to another.
  void copy_held(const system::Scratch& from, system::Scratch& to) const;
  // What relations hold at a point where the discrete variables are known. False: nothing does.
  bool hold_switches(double t, std::span<const double> y, system::Scratch& scratch) const;
  // What assertions warned of since the last time.
  std::vector<std::string> take_warnings(system::Scratch& scratch) const;

  // What the derivatives and the indicators of events need, at a point.
  system::Evaluation evaluate_watched(double t, std::span<const double> y,
                                      system::Scratch& scratch) const;

  // What the model said with terminate() when it was initialised, if it did.
  std::optional<std::string> ended_at_start(const system::Scratch& scratch) const;

  // Every variable at a point, not only what the derivatives need; read them from values(). Aliases
  // are not set.
  system::Evaluation evaluate_all(double t, std::span<const double> y,
                                  system::Scratch& scratch) const;
  std::span<const double> values(const system::Scratch& scratch) const override;  // by symbol

  // A copy of it: where several solutions of a loop exist, evaluations stay on the branch of its
  // values.
  std::unique_ptr<system::Scratch> copy_scratch(const system::Scratch& scratch) const;

  // With the values of all variables, and what is held, in a scratch of the same model with other
  // states.
  std::unique_ptr<system::Scratch> make_scratch_like(const system::Scratch& other) const;

  // Of all symbols, as values() tells them.
  void set_values(std::span<const double> values, system::Scratch& scratch) const override;

  std::size_t size() const override;
  std::string variable_name(std::size_t i) const override;
  std::unique_ptr<system::Scratch> make_scratch() const override;
  system::Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                 system::Scratch& scratch) const override;
  bool depends_on_time() const override;
  bool finds_nonfinite() const override { return true; }
  const linalg::Sparsity* jacobian_pattern() const override;
  bool has_jacobian() const override;
  system::Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                              system::Scratch& scratch) const override;
  std::string why_undefined(const system::Scratch& scratch) const override;
  std::optional<Span> where_undefined(
      const system::Scratch& scratch) const;  // the equation at fault

 private:
  struct Code;
  explicit ModelSystem(std::unique_ptr<Code> code);
  std::optional<Diagnostic> solve_start(double t, system::Scratch& scratch,
                                        std::vector<std::string>& notes) const;

  std::unique_ptr<Code> code_;
};

// Functions that interpret the kernels: at once there, slow to run.
structure::KernelFunctions interpret_kernels(const structure::StructuredModel& model,
                                             const std::vector<structure::Kernel>& kernels);

}  // namespace daedalus::runtime
