// Judges the first step after an event a second time, by other means than the method's estimate.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/system/system.hpp"
#include "integrate/attempt.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"

namespace daedalus::integrate {

// After an event a run goes on with the step size that it had, which may be far too long for the
// new motion. An estimate nearly always shows this; but it is one number for each component, a
// difference that changes its sign with the length of the step, and if time drives a state it may
// be close to zero by coincidence. So f is compared with the slope of the dense output at one point
// inside such a step: both vanish together only by two coincidences.
//
// If events repeat, so do these steps: a step that is as long as one that was found sound, whose
// estimate is as large and which moves every component as far, needs no further evaluation.
class SecondLook {
 public:
  SecondLook(const system::System& system, const Options& options);

  // The next step is the first one of a motion, and has the size of the motion before.
  void expect() { is_expected_ = is_on_; }
  void done() { is_expected_ = false; }
  bool is_expected() const { return is_expected_; }

  // Forgets all steps.
  void start();

  // Increases the error of an attempt if the step contradicts its estimate. Evaluates f once, and
  // once more if that is in doubt; not at all if the step repeats a sound one.
  void judge(const solution::DenseStep& step, std::span<const double> y0, Evaluator& evaluator,
             const ErrorNorm& norm, Attempt& attempt);

  void archive(Archive& a) {
    a(is_expected_, memory_, oldest_);
    for (Sound& sound : sound_) a(sound.h, sound.error);
  }

 private:
  static constexpr std::size_t most_sound = 4;  // that are remembered

  // A step that was looked at.
  struct Sound {
    double h = 0.0;
    double error = 0.0;
    std::span<double> move = {};  // from its start to its end
  };

  void find_slope(const solution::DenseStep& step, double t);
  bool repeats_a_sound_one(const solution::DenseStep& step, std::span<const double> y0,
                           const ErrorNorm& norm, double error) const;
  void keep_as_sound(const solution::DenseStep& step, std::span<const double> y0, double error);

  bool is_on_;
  bool is_expected_ = false;
  std::size_t n_;
  std::vector<double> memory_;
  std::span<double> y_, f_, defect_, work_;
  std::array<Sound, most_sound> sound_;
  std::size_t oldest_ = 0;  // of these
};

}  // namespace daedalus::integrate
