// What a second opinion says, to people and to programs.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "daedalus/engine/verify.hpp"

namespace daedalus::cli {

Json verification_json(const engine::Verification& verification);

// Warnings where the second run fails, or a variable has fewer digits than the tolerance promises
// less one.
std::vector<std::string> verification_warnings(const engine::Verification& verification);

}  // namespace daedalus::cli
