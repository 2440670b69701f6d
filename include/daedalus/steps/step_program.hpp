// A model and a method merged into a program that takes one step.
#pragma once

#include <optional>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/integrate/choices.hpp"
#include "daedalus/integrate/step_code.hpp"
#include "daedalus/methods/method.hpp"
#include "daedalus/structure/procedure.hpp"

namespace daedalus::steps {

struct StepProgram {
  expr::Arena arena;
  structure::Procedure step;
  std::size_t symbol_count = 0;   // the number of values in a frame
  std::size_t model_symbols = 0;  // the first of these are those of the model
  std::vector<bool> kept = {};    // by symbol: what a step leaves in the frame
  std::size_t size = 0;           // of y
  integrate::StepPlaces places = {};
  integrate::StepForm form = integrate::StepForm::StateSpace;
};

// One for each of the method's orders. `point` holds values of the model's symbols at which it is
// defined. An Error says what the model or the method lacks. Implicit Runge-Kutta methods of one
// order have two forms: the one asked for, if the model has it, or the one that should be faster.
Result<std::vector<StepProgram>> make_steps(const structure::StructuredModel& model,
                                            std::span<const double> point,
                                            const methods::Method& method, integrate::Norm norm,
                                            std::optional<integrate::StepForm> form = {});

// The part of the model that a Taylor method cannot differentiate, and its position in the text;
// make_steps() refuses the same. None: the model has series.
std::optional<Diagnostic> taylor_refusal(const structure::StructuredModel& model,
                                         const methods::Taylor& method);

}  // namespace daedalus::steps
