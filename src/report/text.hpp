// Words and strings as the JSON file and the page write them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

// "real", "integer" or "boolean".
std::string_view kind_name(solution::Kind kind);

// One line of JSON; bytes that are not UTF-8 become replacement characters.
std::string json_text(const nlohmann::ordered_json& value);

// The text with the five characters that mean something in HTML written as entities.
std::string html_text(std::string_view text);

}  // namespace daedalus::report
