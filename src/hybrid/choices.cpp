#include "daedalus/hybrid/choices.hpp"

#include <fmt/format.h>

namespace daedalus::hybrid {
namespace {

Error unknown(std::string_view what, std::string_view name, std::string_view choices) {
  return {"usage.option", fmt::format("there is no {} `{}`", what, name),
          fmt::format("the choices are {}", choices)};
}

}  // namespace

std::string_view zeno_name(Zeno zeno) { return zeno == Zeno::Stop ? "stop" : "regularize"; }

std::string_view chattering_name(Chattering chattering) {
  return chattering == Chattering::Stop ? "stop" : "sliding";
}

Result<Zeno> require_zeno(std::string_view name) {
  for (const Zeno zeno : {Zeno::Stop, Zeno::Regularize}) {
    if (name == zeno_name(zeno)) return zeno;
  }
  return unknown("way through accumulating events", name, "stop, regularize");
}

Result<Chattering> require_chattering(std::string_view name) {
  for (const Chattering chattering : {Chattering::Stop, Chattering::Sliding}) {
    if (name == chattering_name(chattering)) return chattering;
  }
  return unknown("way through chattering", name, "stop, sliding");
}

}  // namespace daedalus::hybrid
