// The report's page without its data: built from web/ and embedded in the library.
#pragma once

#include <string_view>

namespace daedalus::report {

// HTML with `@TITLE@` and `@DATA@` once each, as placeholders for the title and the run's JSON.
std::string_view page_template();

}  // namespace daedalus::report
