// Signals that ask the program to end: from the keyboard, from other programs, from limits.
#pragma once

#include <atomic>

#include "daedalus/solution/progress.hpp"

namespace daedalus::cli {

// From here on a signal ends the program at once, with a word about it and the exit code that
// belongs to it. What the caller has it ignore, like nohup does, stays ignored.
void end_on_signals(bool json);

// From here on there may be something to keep: once the run has begun, the first signal ends it at
// a step's end, the second one the program at once. Without a run there is something to keep now.
const std::atomic<bool>* stop_on_signals(const solution::Progress* run = nullptr);

// After so many seconds the program ends, unless the run of stop_on_signals() has begun.
void end_after(double seconds);

// The one that asked the run to stop.
int stopping_signal();

}  // namespace daedalus::cli
