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

// The values of all symbols, and what else evaluations in one thread need.
class Workspace;

// The result of initialising a model.
struct Start {
  std::optional<Diagnostic> failure = {};  // none: it has start values
  system::Held held = {};                  // what the model holds there
  std::vector<double> values = {};         // of all symbols
  std::optional<std::string> end = {};     // the message of terminate() there
  std::vector<std::string> notes = {};     // difficulties
  std::vector<std::string> warnings = {};  // of assertions
};

class ModelSystem final : public system::System {
 public:
  // Makes functions from kernels: in native code (codegen/compile_kernels.hpp), or otherwise.
  using Compiler = std::function<Result<structure::KernelFunctions>(
      const structure::StructuredModel& model, std::vector<structure::Kernel> kernels)>;
  static Result<std::unique_ptr<ModelSystem>> make(structure::StructuredModel model,
                                                   const Compiler& compile);
  ~ModelSystem() override;

  // The same model with other values of its parameters, which shares the functions.
  std::unique_ptr<ModelSystem> with_values(structure::StructuredModel model) const;

  const structure::StructuredModel& model() const;
  bool is_from_cache() const;  // no code had to be compiled

  // Identifies the program: models that differ only in the values of their parameters share one.
  const void* program() const;

  // Solves the initial system at time t, by interpretation. A failure names the equation, the
  // variables and their values.
  Start initialise(double t) const;
  // Among the values of all symbols.
  std::vector<double> states_in(std::span<const double> values) const;

  // What happens to the model at events; null where nothing does.
  const system::Events* events() const override;
  // Finds the values that relations hold at a point where the discrete variables are known. False:
  // there are no such values.
  bool hold_switches(double t, std::span<const double> y, system::Held& held,
                     system::Scratch& scratch) const;

  // Every variable at a point, not only what the derivatives need; read them from values(). Aliases
  // are not set.
  system::Evaluation evaluate_all(double t, std::span<const double> y,
                                  const system::Context& context) const;
  std::span<const double> values(const system::Scratch& scratch) const override;  // by symbol

  // For callers that evaluate all variables along a motion: loops have their solutions near these
  // values of the symbols; the second does this only for loops on which the derivatives do not
  // depend, from one workspace to another.
  void hold_solutions(std::span<const double> values, system::Held& held) const;
  void copy_other_guesses(const system::Held& from, system::Held& to) const;

  // Takes over what the same model held with other states, where its symbols have these values.
  system::Held adopt(const system::Held& other, std::span<const double> values) const;

  system::Held make_held() const override;
  void show(const system::Held& held, std::span<double> values) const override;
  std::span<const std::uint32_t> guesses() const override;
  void hold_guesses(double t, std::span<const double> found, system::Held& held) const override;

  std::size_t size() const override;
  std::string variable_name(std::size_t i) const override;
  std::unique_ptr<system::Scratch> make_scratch() const override;
  system::Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                 const system::Context& context) const override;
  bool depends_on_time() const override;
  system::Costs costs() const override;
  bool finds_nonfinite() const override { return true; }
  const linalg::Sparsity* jacobian_pattern() const override;
  bool has_jacobian() const override;
  system::Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                              const system::Context& context) const override;
  system::Fault why_undefined(const system::Scratch& scratch) const override;

 private:
  friend class ModelEvents;
  struct Code;
  explicit ModelSystem(std::unique_ptr<Code> code);
  void load(double t, const system::Held& held, Workspace& space) const;
  void load_held(const system::Held& held, Workspace& space) const;
  void begin_loops(double t, const system::Held& held, Workspace& space) const;
  // What the derivatives and the indicators of events need at a point, or all.
  enum class Extent { Watched, All };
  system::Evaluation evaluate(double t, std::span<const double> y, Extent extent,
                              const system::Context& context) const;
  // With the held values of the workspace: what the derivatives and the indicators of events need,
  // and all.
  system::Evaluation run_watched(double t, std::span<const double> y, Workspace& space) const;
  system::Evaluation run_all(double t, std::span<const double> y, Workspace& space) const;
  std::optional<Diagnostic> solve_start(double t, Workspace& space,
                                        std::vector<std::string>& notes) const;

  std::unique_ptr<Code> code_;
};

// Functions that interpret the kernels: available at once, but slow.
structure::KernelFunctions interpret_kernels(const structure::StructuredModel& model,
                                             const std::vector<structure::Kernel>& kernels);

}  // namespace daedalus::runtime
