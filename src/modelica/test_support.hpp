// Shared by the front end's tests: models from text, and the messages about them.
#pragma once

#include <pthread.h>

#include <functional>
#include <string>
#include <vector>

#include "daedalus/modelica/modelica.hpp"

namespace daedalus::modelica::testing_support {

struct Read {
  Sources sources;
  Diagnostics diagnostics;
  std::optional<model::FlatModel> flat;

  std::vector<std::string> codes() const {
    std::vector<std::string> all;
    for (const Diagnostic& diagnostic : diagnostics.all()) all.push_back(diagnostic.code);
    return all;
  }
  std::string message(std::size_t i = 0) const {
    return i < diagnostics.all().size() ? diagnostics.all()[i].message : "";
  }
  std::size_t line(std::size_t i = 0) const {
    const Span& span = diagnostics.all()[i].span;
    return sources.place(span.source, span.begin).line;
  }
};

inline Read read(std::string text, std::string_view name = {}) {
  Read result;
  const std::uint32_t source = result.sources.add("test.mo", std::move(text));
  Phases phases;
  result.flat = read_model(result.sources, source, name, result.diagnostics, phases);
  return result;
}

// The equations of a model with the Reals x, y, z, the parameter p, the Integers i, j and the
// Booleans a, b, c.
inline Read read_equations(const std::string& equations) {
  return read(
      "model M Real x, y, z; parameter Real p = 2; Integer i, j; Boolean a, b, c; equation\n" +
      equations + "\nend M;");
}

// The right side of x = ... as printed, or the code of the error.
inline std::string right_side(const std::string& expression, const std::string& left = "x") {
  const Read result = read_equations(left + " = " + expression + ";");
  if (!result.flat) return result.codes().empty() ? "nothing" : result.codes().front();
  return expr::to_string(result.flat->arena, result.flat->equations.front().right,
                         model::names_of(*result.flat), 10'000'000);
}

// Runs it on a thread with a stack of 256 KiB: code that recurses over its input does not return.
inline void on_a_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{256} << 10U);
  pthread_t thread{};
  const auto body = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  pthread_create(&thread, &attributes, body, &work);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

inline std::string repeat(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace daedalus::modelica::testing_support
