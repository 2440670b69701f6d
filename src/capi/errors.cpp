#include "capi/errors.hpp"

#include <string>

namespace daedalus::capi {
namespace {

// The words of a failure that left no memory for words.
constexpr const char* without_memory = "out of memory [memory]";

struct Words {
  std::string text;
  bool is_out_of_memory = false;
};

// A caller who gets NULL or a status has no object to ask, so the words belong to the thread.
thread_local Words words;

}  // namespace

daedalus_status failed(daedalus_status status, const Error& error) noexcept {
  try {
    words.text = error.text();
    words.is_out_of_memory = false;
  } catch (...) {
    words.is_out_of_memory = true;
  }
  return status;
}

daedalus_status invalid(const Error& error) noexcept { return failed(DAEDALUS_INVALID, error); }

daedalus_status out_of_memory() noexcept {
  words.is_out_of_memory = true;
  return DAEDALUS_OUT_OF_MEMORY;
}

daedalus_status internal(std::string_view what) noexcept {
  try {
    return failed(DAEDALUS_INTERNAL,
                  Error{"internal", std::string(what),
                        "no exception may leave a callback; otherwise please report this"});
  } catch (...) {
    return out_of_memory();
  }
}

const char* last_error() noexcept {
  return words.is_out_of_memory ? without_memory : words.text.c_str();
}

}  // namespace daedalus::capi

extern "C" const char* daedalus_error(void) { return daedalus::capi::last_error(); }
