#include "capi/callback_system.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus::capi {

using system::Context;
using system::Evaluation;
using system::Scratch;

namespace {

// What the last callback said, and where a banded Jacobian is written.
struct CallbackScratch final : Scratch {
  const char* callback = nullptr;  // that was not content
  int said = 0;
  double t = 0.0;
  std::vector<double> band;
};

CallbackScratch& own(Scratch& scratch) { return static_cast<CallbackScratch&>(scratch); }

Evaluation judge(int said, const char* callback, double t, CallbackScratch& scratch,
                 std::atomic<bool>& is_stopped) {
  scratch.callback = nullptr;
  if (said == 0) return Evaluation::Defined;
  scratch.callback = callback;
  scratch.said = said;
  scratch.t = t;
  if (said < 0) is_stopped.store(true, std::memory_order_relaxed);
  return Evaluation::Undefined;
}

// From band storage into compressed columns, where the two corners are missing.
void compress(const Equations& equations, std::span<const double> band, std::span<double> values) {
  const linalg::Sparsity& pattern = *equations.pattern;
  for (std::size_t j = 0; j < pattern.size; ++j) {
    const auto first = static_cast<std::size_t>(pattern.starts[j]);
    const auto length = static_cast<std::size_t>(pattern.starts[j + 1]) - first;
    const std::size_t missing = j < equations.upper ? equations.upper - j : 0;
    std::ranges::copy(band.subspan(j * equations.band() + missing, length), &values[first]);
  }
}

// Has `call` write a Jacobian, in the storage that it expects.
template <class Call>
Evaluation write_jacobian(const Equations& equations, std::span<double> values,
                          CallbackScratch& scratch, Call&& call) {
  if (equations.storage != Storage::Banded) {
    std::ranges::fill(values, 0.0);
    return call(values.data());
  }
  std::ranges::fill(scratch.band, 0.0);
  const Evaluation said = call(scratch.band.data());
  compress(equations, scratch.band, values);
  return said;
}

}  // namespace

system::Form CallbackSystem::form() const {
  if (equations_.residual != nullptr) return system::Form::Residual;
  return equations_.mass ? system::Form::Mass : system::Form::Explicit;
}

std::string CallbackSystem::variable_name(std::size_t i) const {
  return equations_.names.empty() ? fmt::format("y[{}]", i) : equations_.names[i];
}

std::unique_ptr<Scratch> CallbackSystem::make_scratch() const {
  auto scratch = std::make_unique<CallbackScratch>();
  if (equations_.storage == Storage::Banded && has_jacobian()) {
    scratch->band.resize(equations_.size * equations_.band());
  }
  return scratch;
}

Evaluation CallbackSystem::derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                       const Context& context) const {
  if (is_stopped()) return Evaluation::Undefined;
  const int said = equations_.f(t, y.data(), dydt.data(), equations_.user);
  if (said == 0) [[likely]] {  // the shortest way, which is gone once for each stage
    own(context.scratch).callback = nullptr;
    return Evaluation::Defined;
  }
  return judge(said, "f", t, own(context.scratch), is_stopped_);
}

const linalg::SparseMatrix* CallbackSystem::mass() const {
  return equations_.mass ? &*equations_.mass : nullptr;
}

Evaluation CallbackSystem::residual(double t, std::span<const double> y,
                                    std::span<const double> dydt, std::span<double> residual,
                                    const Context& context) const {
  if (is_stopped()) return Evaluation::Undefined;
  const int said = equations_.residual(t, y.data(), dydt.data(), residual.data(), equations_.user);
  return judge(said, "the residual", t, own(context.scratch), is_stopped_);
}

const linalg::Sparsity* CallbackSystem::jacobian_pattern() const {
  return equations_.pattern ? &*equations_.pattern : nullptr;
}

bool CallbackSystem::has_jacobian() const {
  return equations_.jacobian != nullptr || equations_.residual_jacobian != nullptr;
}

Evaluation CallbackSystem::jacobian(double t, std::span<const double> y, std::span<double> values,
                                    const Context& context) const {
  if (is_stopped()) return Evaluation::Undefined;
  return write_jacobian(equations_, values, own(context.scratch), [&](double* written) {
    const int said = equations_.jacobian(t, y.data(), written, equations_.user);
    return judge(said, "the Jacobian", t, own(context.scratch), is_stopped_);
  });
}

Evaluation CallbackSystem::residual_jacobian(double t, std::span<const double> y,
                                             std::span<const double> dydt, double a,
                                             std::span<double> values,
                                             const Context& context) const {
  if (is_stopped()) return Evaluation::Undefined;
  return write_jacobian(equations_, values, own(context.scratch), [&](double* written) {
    const int said =
        equations_.residual_jacobian(t, y.data(), dydt.data(), a, written, equations_.user);
    return judge(said, "the Jacobian", t, own(context.scratch), is_stopped_);
  });
}

Evaluation CallbackSystem::prepare_preconditioner(double t, std::span<const double> y, double alpha,
                                                  const Context& context) const {
  if (is_stopped()) return Evaluation::Undefined;
  if (equations_.prepare == nullptr) return Evaluation::Defined;
  const int said = equations_.prepare(t, y.data(), alpha, equations_.user);
  return judge(said, "the preparation of the preconditioner", t, own(context.scratch), is_stopped_);
}

Evaluation CallbackSystem::precondition(double t, std::span<const double> y, double alpha,
                                        std::span<double> x, const Context& context) const {
  if (is_stopped()) return Evaluation::Undefined;
  const int said = equations_.precondition(t, y.data(), alpha, x.data(), equations_.user);
  return judge(said, "the preconditioner", t, own(context.scratch), is_stopped_);
}

system::Fault CallbackSystem::why_undefined(const Scratch& scratch) const {
  const auto& last = static_cast<const CallbackScratch&>(scratch);
  if (last.callback == nullptr) return {};
  return {fmt::format("{} returned {} at t = {:.10g}", last.callback, last.said, last.t)};
}

}  // namespace daedalus::capi
