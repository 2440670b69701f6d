// The method that chooses methods.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace daedalus::methods {

// Steps of other methods, which are chosen by the system, the tolerance and, during the run, by
// whether stability would limit an explicit one.
struct Automatic {
  std::string name;
  std::string title;
  std::string source;
  int order = 0;  // of the method with the highest one
};

const std::vector<Automatic>& automatic_methods();

// The name of the one that runs take without being told.
inline constexpr const char* default_method = "auto";

bool is_automatic(std::string_view method);

}  // namespace daedalus::methods
