#include "cli/pace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace daedalus::cli {
namespace {

constexpr double told_as_stuck = 5.0;  // seconds
constexpr double hardly = 1e-9;        // of the simulated time

// "12 s", "3 min 20 s", "2 h 5 min"
std::string rough_duration(double seconds) {
  if (!(seconds < 1e9)) return "years";
  const auto whole = static_cast<long>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  constexpr long two_days = 172'800;
  if (whole < two_days) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} days", whole / 86400);
}

}  // namespace

Moment Pace::at(const solution::Progress::State& run, double seconds) {
  const Seen before = last_;
  Moment moment{.run = run, .elapsed = seconds - begun_at_};
  moment.share = std::clamp((run.time - start_) / (stop_ - start_), 0.0, 1.0);
  if (seconds > before.seconds && run.steps >= before.steps) {
    moment.steps_per_second =
        static_cast<double>(run.steps - before.steps) / (seconds - before.seconds);
  }
  if (moment.share > 0.0 && moment.elapsed > 0.0)
    moment.left = moment.elapsed * (1.0 - moment.share) / moment.share;
  if (std::abs(run.time - time_then_) > hardly * (stop_ - start_)) {
    advanced_at_ = seconds;
    time_then_ = run.time;
  }
  if (seconds - advanced_at_ >= told_as_stuck) moment.stuck = seconds - advanced_at_;
  last_ = Seen{seconds, run.steps};
  return moment;
}

std::string progress_text(const Moment& moment, double stop) {
  std::string text =
      fmt::format("t = {:.6g} of {:.6g} s ({:.0f} %), {:.2g} steps/s", moment.run.time, stop,
                  std::floor(100.0 * moment.share), moment.steps_per_second);
  if (moment.stuck > 0.0) {
    text += fmt::format(", stuck for {}", rough_duration(moment.stuck));
    if (!moment.run.limited_by.empty())
      text += fmt::format(": `{}` limits the steps", moment.run.limited_by);
  } else if (moment.left) {
    text += fmt::format(", {} left", rough_duration(*moment.left));
  }
  return text;
}

std::string progress_json(const Moment& moment, bool is_done) {
  using Json = nlohmann::ordered_json;
  Json object = {{"t", moment.run.time},
                 {"share", moment.share},
                 {"steps", moment.run.steps},
                 {"attempts", moment.run.attempts},
                 {"steps_per_s", moment.steps_per_second},
                 {"elapsed_s", moment.elapsed},
                 {"left_s", nullptr},
                 {"stuck_s", moment.stuck}};
  if (moment.left) object["left_s"] = *moment.left;
  if (!moment.run.limited_by.empty()) object["limited_by"] = moment.run.limited_by;
  object["done"] = is_done;
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace daedalus::cli
