// How a model wants to be run, where it says so.
#pragma once

#include <optional>

#include "daedalus/base/source.hpp"

namespace daedalus::model {

struct Experiment {
  std::optional<double> start_time = {}, stop_time = {}, tolerance = {}, interval = {};
  Span start_span = {}, stop_span = {}, tolerance_span = {}, interval_span = {};
};

}  // namespace daedalus::model
