// The report's page without its data: built from web/ and embedded in the library.
#pragma once

#include <string_view>

namespace daedalus::report {

// HTML with `@TITLE@` and `@DATA@` once each, where the title and the run's JSON belong.
std::string_view page_template();

}  // namespace daedalus::report
