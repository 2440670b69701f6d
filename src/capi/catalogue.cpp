// The version and the methods, for C.
#include "daedalus.h"
#include "daedalus/methods/method.hpp"
#include "daedalus/methods/properties.hpp"

namespace {

namespace methods = daedalus::methods;

bool is_implicit(const methods::RungeKutta& method) {
  return methods::structure(method) != methods::Structure::Explicit;
}
bool is_implicit(const methods::Rosenbrock&) { return true; }
bool is_implicit(const methods::VariableOrder&) { return true; }

bool is_adaptive(const methods::RungeKutta& method) {
  return methods::estimate_order(method).has_value();
}
bool is_adaptive(const methods::Rosenbrock&) { return true; }
bool is_adaptive(const methods::VariableOrder&) { return true; }

int highest_order(const auto& method) { return method.order; }
int highest_order(const methods::VariableOrder& method) { return method.methods.back()->order; }

// Of the method with that number, or `otherwise`; also when there is no memory for the catalogue.
template <class Answer, class Ask>
Answer ask(std::size_t method, Answer otherwise, Ask&& question) noexcept {
  try {
    if (method >= methods::all_methods().size()) return otherwise;
    return std::visit([&](const auto* one) { return Answer(question(*one)); },
                      methods::all_methods()[method]);
  } catch (...) {
    return otherwise;
  }
}

}  // namespace

const char* daedalus_version(void) { return DAEDALUS_VERSION; }

size_t daedalus_method_count(void) {
  try {
    return methods::all_methods().size();
  } catch (...) {
    return 0;
  }
}

const char* daedalus_method_name(size_t method) {
  return ask<const char*>(method, nullptr, [](const auto& one) { return one.name.c_str(); });
}

int daedalus_method_order(size_t method) {
  return ask<int>(method, 0, [](const auto& one) { return highest_order(one); });
}

int daedalus_method_is_implicit(size_t method) {
  return ask<int>(method, 0, [](const auto& one) { return is_implicit(one); });
}

int daedalus_method_is_adaptive(size_t method) {
  return ask<int>(method, 0, [](const auto& one) { return is_adaptive(one); });
}
