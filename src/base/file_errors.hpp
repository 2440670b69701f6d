// Errors of files that are to be written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus {

Error io_error(std::string_view what, const std::string& path, int number);

// Something that is not a file already has this name: a rename would replace a device.
std::optional<Error> find_other_than_file(const std::string& path);

// It could not be created, for the reason in errno.
Error not_created(const std::string& path, int number);

}  // namespace daedalus
