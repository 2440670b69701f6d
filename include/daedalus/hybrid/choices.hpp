// What a caller may choose about events that would not let a run end, and the names of the choices.
#pragma once

#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::hybrid {

// What a run does when events accumulate towards a limit: it ends, or goes on after the limit with
// a motion that stays where the events happened, like a ball that has come to rest.
enum class Zeno { Stop, Regularize };

// What a run does when a relation changes back and forth without end: it ends, or goes on along the
// surface where both sides of the relation meet (Filippov's sliding motion).
enum class Chattering { Stop, Sliding };

// As users type them: stop, regularize; stop, sliding. Any other name is an Error that lists them.
std::string_view zeno_name(Zeno zeno);
std::string_view chattering_name(Chattering chattering);
Result<Zeno> require_zeno(std::string_view name);
Result<Chattering> require_chattering(std::string_view name);

}  // namespace daedalus::hybrid
