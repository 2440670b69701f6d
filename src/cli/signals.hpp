// Signals that ask the program to end: from the keyboard, from other programs, from limits.
#pragma once

#include <atomic>

namespace daedalus::cli {

// From here on a signal ends the program at once, with a word about it and the exit code that
// belongs to it. What the caller has it ignore, like nohup does, stays ignored.
void end_on_signals(bool json);

// From here on there is something to keep: the first signal ends the run at a step's end, the
// second one the program at once.
const std::atomic<bool>* stop_on_signals();

// The one that asked the run to stop.
int stopping_signal();

}  // namespace daedalus::cli
