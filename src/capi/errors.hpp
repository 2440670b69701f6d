// How failures cross into C: as a status, with the words kept for daedalus_error().
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

#include "daedalus.h"
#include "daedalus/base/result.hpp"

namespace daedalus::capi {

// These keep the words for this thread, without which a caller knows no more than the status.
daedalus_status invalid(const Error& error) noexcept;
daedalus_status failed(daedalus_status status, const Error& error) noexcept;
daedalus_status out_of_memory() noexcept;
daedalus_status internal(std::string_view what) noexcept;
const char* last_error() noexcept;

// Runs the action; whatever it throws becomes a status.
template <class Action>
daedalus_status guarded(Action&& action) noexcept {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {
    return out_of_memory();
  } catch (const std::exception& exception) {
    return internal(exception.what());
  } catch (...) {
    return internal("an exception that is none of the standard library's");
  }
}

}  // namespace daedalus::capi
