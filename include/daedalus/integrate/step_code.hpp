// A whole step of one method for one model, as code that was generated for both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace daedalus::integrate {

// What the steps of one family have in their frames besides the places that all steps have. Places
// are inputs unless they are called results.

struct ExplicitPlaces {
  std::size_t begin_is_new = 0;  // not 0: f0 is not known
  std::size_t earlier_end = 0;   // a result: the value of an earlier stage at the end
};

struct RosenbrockPlaces {
  std::size_t jacobian_size = 0;  // a result: sum of the magnitudes of its entries
};

struct TaylorPlaces {
  // Results: the coefficients of event indicators as polynomials of the fraction of the step,
  // order + 1 in a row for each.
  std::size_t margins = 0;
  std::size_t margin_count = 0;  // indicators; 0: not known
  bool has_edge = false;         // of the domain, which a series may cross
};

// Of Newton's iteration.
struct NewtonPlaces {
  std::size_t accuracy = 0;  // of the stages
  std::size_t most_iterations = 0;
  std::size_t least_remaining = 0;
  std::size_t remaining = 0;  // error in units of the last correction, from earlier steps
  // Results:
  std::size_t verdict = 0;         // a StepVerdict
  std::size_t iterations = 0;      // of the stage that took most, or of all solved together
  std::size_t all_iterations = 0;  // of all stages, added up
  std::size_t rate = 0;            // of convergence
  std::size_t step_factor = 0;     // if it was too slow
};

// A symbol of the model, and the place of the value that a step found for it at the end of the
// step.
struct FoundAt {
  std::size_t symbol = 0;
  std::size_t place = 0;
};

// Of torn steps.
struct TornPlaces {
  std::size_t knows_last_step = 0;  // 0 after a step of another kind; they set 1
  std::vector<FoundAt> found = {};  // for the unknowns of loops
};

// Of methods that iterate on their stages.
struct IterationPlaces {
  NewtonPlaces newton = {};
  std::size_t new_jacobian = 0;   // not 0: evaluate the Jacobian
  std::size_t new_factors = 0;    // not 0: factor the iteration matrices
  std::size_t last_stages = 0;    // of the previous step, laid out like the stages
  std::size_t extrapolation = 0;  // of these to the stages, row by row
  std::size_t last_weights = 0;   // of a two-step estimate, for the last stages
  std::size_t weights = 0;        // and for the stages
  // Of fully implicit methods; 0: there is none.
  std::size_t goes_on = 0;      // not 0: start the iteration where the last one ended
  std::size_t is_cautious = 0;  // not 0: an estimate that rejects is computed a second time
  // Results:
  std::size_t jacobian = 0;
  std::size_t jacobian_entries = 0;  // their number
  std::size_t jacobian_size = 0;     // sum of their magnitudes; 0: not computed
  std::size_t is_doubtful = 0;       // not 0: f at the end contradicts the stages
  std::optional<TornPlaces> torn = {};
};

// The places in its frame where a generated step finds its inputs and leaves its results. The place
// of a vector is that of its first component; the others follow.
struct StepPlaces {
  // Inputs.
  std::size_t t = 0;
  std::size_t h = 0;
  std::size_t y = 0;   // at the start
  std::size_t f0 = 0;  // f there
  std::size_t atol = 0;
  std::size_t rtol = 0;          // the weight of |y|
  std::size_t norm_factor = 0;   // norms are multiplied by this
  std::size_t error_factor = 0;  // that of the error also by this: 0 if none is estimated

  // Results.
  std::size_t result = 0;        // y at the end
  std::size_t f1 = 0;            // f there, if the error is at most 1
  std::size_t error_vector = 0;  // the estimate, right after f1
  std::size_t error = 0;         // its norm
  std::size_t error_square = 0;  // of that
  std::size_t worst = 0;         // the component that contributes most to it
  std::size_t growth = 0;        // the largest factor of an elimination in a fixed pivot order
  std::size_t stages = 0;        // stage i lies `stage_stride` after stage i - 1
  std::size_t stage_stride = 0;

  std::variant<std::monostate, ExplicitPlaces, RosenbrockPlaces, TaylorPlaces, IterationPlaces>
      family = {};
};

// How a step finds its stages: by iterating on the states, in each of which the model's own
// equations are solved, or on the tearing variables of model and method as one system.
enum class StepForm { StateSpace, Torn };

// The result of an iteration.
enum class StepVerdict { Converged, TooSlow, Diverged, NotFinite };

// The code of a step, which may be replaced by better code for the same step while steps run.
// Shared by all callers that take such steps, in any thread.
class StepFunction {
 public:
  using Code = void (*)(double* frame);

  virtual ~StepFunction() = default;

  Code code() const { return code_.load(std::memory_order_acquire); }  // currently in use

  // Replaces the code by the best there is, and waits for that.
  virtual void optimise() = 0;

  void operator()(double* frame) {
    if (calls_.load(std::memory_order_relaxed) < often_ &&
        calls_.fetch_add(1, std::memory_order_relaxed) + 1 == often_) {
      is_used_often();
    }
    code()(frame);
  }

 protected:
  // is_used_often() is called once, in the call with this number; 0: never.
  StepFunction(Code first, std::uint64_t often) : code_(first), often_(often) {}

  void replace(Code better) { code_.store(better, std::memory_order_release); }

 private:
  virtual void is_used_often() = 0;

  std::atomic<Code> code_;
  std::atomic<std::uint64_t> calls_ = 0;  // no longer counted once that number is reached
  const std::uint64_t often_;
};

// Steps run in a frame: all that they read and write. Each run has its own, which starts with the
// values of the model's symbols (parameters, guesses) and is 0 after them.
struct StepCode {
  std::size_t size = 0;           // of y
  std::size_t model_symbols = 0;  // of these
  std::size_t frame_size = 0;
  StepForm form = StepForm::StateSpace;
  std::shared_ptr<StepFunction> run = {};
  std::shared_ptr<const StepPlaces> places = {};
  std::shared_ptr<const std::vector<double>> values = {};  // before the first step
};

// Above this growth an elimination in a fixed pivot order has lost too many digits.
constexpr double largest_growth = 1e6;

}  // namespace daedalus::integrate
