// What can be wrong with a file that is to be written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus {

Error io_error(std::string_view what, const std::string& path, int number);

// Something that is no file stands under the name already: a rename would replace a device.
std::optional<Error> find_other_than_file(const std::string& path);

// It could not be created, for the reason that errno has.
Error not_created(const std::string& path, int number);

}  // namespace daedalus
