#include "report/text.hpp"

namespace daedalus::report {

std::string_view kind_name(solution::Kind kind) {
  switch (kind) {
    case solution::Kind::Real:
      return "real";
    case solution::Kind::Integer:
      return "integer";
    case solution::Kind::Boolean:
      return "boolean";
  }
  return "";
}

std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

}  // namespace daedalus::report
