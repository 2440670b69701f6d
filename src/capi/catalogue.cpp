// The version and the methods, for C.
#include <vector>

#include "daedalus.h"
#include "daedalus/methods/method.hpp"

namespace {

namespace methods = daedalus::methods;

// Those that functions can be solved with.
const std::vector<methods::Method>& catalogue() {
  static const std::vector<methods::Method> all = [] {
    std::vector<methods::Method> made = methods::all_methods();
    std::erase_if(made, methods::needs_model);
    return made;
  }();
  return all;
}

// Of the method with that number, or `otherwise`; also when there is no memory for the catalogue.
template <class Answer, class Ask>
Answer ask(std::size_t method, Answer otherwise, Ask&& question) noexcept {
  try {
    if (method >= catalogue().size()) return otherwise;
    return Answer(question(catalogue()[method]));
  } catch (...) {
    return otherwise;
  }
}

}  // namespace

const char* daedalus_version(void) { return DAEDALUS_VERSION; }

size_t daedalus_method_count(void) {
  try {
    return catalogue().size();
  } catch (...) {
    return 0;
  }
}

const char* daedalus_method_name(size_t method) {
  return ask<const char*>(method, nullptr,
                          [](const methods::Method& one) { return methods::name(one).c_str(); });
}

int daedalus_method_order(size_t method) { return ask<int>(method, 0, methods::highest_order); }

int daedalus_method_is_implicit(size_t method) { return ask<int>(method, 0, methods::is_implicit); }

int daedalus_method_is_adaptive(size_t method) { return ask<int>(method, 0, methods::is_adaptive); }
