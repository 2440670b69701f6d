#include "cli/verification.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus::cli {
namespace {

constexpr std::size_t most_named = 5;

Json parting_json(const engine::Verification& verification) {
  if (!verification.parting) return nullptr;
  const engine::Parting& parting = *verification.parting;
  Json object = {{"time", parting.t},
                 {"cause", engine::parting_cause_name(parting.cause)},
                 {"variable", parting.variable},
                 {"message", verification.parting_text()}};
  if (!parting.event.empty()) {
    object["event"] = parting.event;
    object["event_time"] = parting.event_time;
  }
  return object;
}

}  // namespace

Json verification_json(const engine::Verification& verification) {
  Json variables = Json::object();
  for (const engine::Agreement& agreement : verification.variables) {
    variables[agreement.name] = {{"digits", agreement.digits},
                                 {"digits_at_end", agreement.at_end},
                                 {"worst_at", agreement.worst_at}};
  }
  const engine::Agreement* worst = verification.worst();
  return {{"method", verification.method},
          {"rtol", verification.rtol},
          {"other_states", verification.other_states},
          {"status", solution::status_name(verification.outcome.status)},
          {"promised_digits", verification.promised},
          {"digits", worst != nullptr ? Json(worst->digits) : Json(nullptr)},
          {"parting", parting_json(verification)},
          {"variables", std::move(variables)}};
}

std::vector<std::string> verification_warnings(const engine::Verification& verification) {
  std::vector<std::string> warnings;
  if (verification.outcome.status == solution::Status::Failed)
    warnings.push_back("not verified to the end: " + verification.summary());
  std::vector<const engine::Agreement*> doubtful = verification.doubtful();
  if (doubtful.empty()) return warnings;
  std::ranges::sort(doubtful, {}, &engine::Agreement::digits);
  std::string names;
  for (const engine::Agreement* one :
       std::span(doubtful).first(std::min(doubtful.size(), most_named)))
    names += fmt::format("{}`{}` {:.1f}", names.empty() ? "" : ", ", one->name, one->digits);
  if (doubtful.size() > most_named)
    names += fmt::format(", and {} more", doubtful.size() - most_named);
  warnings.push_back(fmt::format("fewer digits than rtol promises ({:.0f}): {}{}{}",
                                 verification.promised, names, verification.parting ? "; " : "",
                                 verification.parting_text()));
  return warnings;
}

}  // namespace daedalus::cli
