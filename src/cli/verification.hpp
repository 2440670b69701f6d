// The result of a second opinion, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "daedalus/engine/verify.hpp"

namespace daedalus::cli {

Json verification_json(const engine::Verification& verification);

// Warnings if the second run fails, or if a variable lacks more than one of the digits that the
// tolerance promises.
std::vector<std::string> verification_warnings(const engine::Verification& verification);

}  // namespace daedalus::cli
