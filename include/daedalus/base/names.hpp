// Names that people type: finds the one they meant, and matches patterns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus {

// The known name closest to what was written, if one is close enough to be meant; otherwise empty.
std::string closest_name(std::string_view written, std::span<const std::string> known);

// At most `most` known names that are near to it, the nearest first; a wider choice than the above.
std::vector<std::string> near_names(std::string_view written, std::span<const std::string> known,
                                    std::size_t most);

// "did you mean `x`?" or empty.
std::string did_you_mean(std::string_view written, std::span<const std::string> known);

// Shell patterns: `*` any characters, `?` one of them; everything else stands for itself. Linear in
// practice, at worst the product of both lengths.
bool matches_glob(std::string_view text, std::string_view pattern);

}  // namespace daedalus
