// How long each phase took, and how much memory.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace daedalus {

struct Phase {
  std::string name;
  double seconds = 0.0;
  std::size_t peak_bytes = 0;  // the peak memory of the process up to the end of the phase
};

using Phases = std::vector<Phase>;

// The peak resident memory of the process, in bytes; 0 if the system does not report it.
std::size_t peak_memory();

// Appends its phase to the list when it goes out of scope.
class PhaseTimer {
 public:
  PhaseTimer(Phases& phases, std::string name) : phases_(phases), name_(std::move(name)) {}
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;
  ~PhaseTimer() {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    phases_.push_back({std::move(name_), elapsed.count(), peak_memory()});
  }

 private:
  Phases& phases_;
  std::string name_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace daedalus
