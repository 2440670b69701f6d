// Signals that ask the program to end: from the keyboard, from other programs, from limits.
#pragma once

#include <atomic>

#include "daedalus/solution/progress.hpp"

namespace daedalus::cli {

// From here on a signal ends the program at once, with a message and the corresponding exit code.
// Signals that the caller has it ignore, as nohup does, stay ignored.
void end_on_signals(bool json);

// From here on there may be results to keep: once the run has started, the first signal ends it at
// the end of a step, and the second one ends the program at once. Without a run there are results
// now.
const std::atomic<bool>* stop_on_signals(const solution::Progress* run = nullptr);

// After so many seconds the program ends, unless the run of stop_on_signals() has started.
void end_after(double seconds);

// The signal that asked the run to stop.
int stopping_signal();

}  // namespace daedalus::cli
