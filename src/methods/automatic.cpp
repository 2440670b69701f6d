#include "daedalus/methods/automatic.hpp"

namespace daedalus::methods {

bool is_automatic(std::string_view method) { return method == default_method; }

const std::vector<Automatic>& automatic_methods() {
  static const std::vector<Automatic> all = {
      {.name = default_method,
       .title = "explicit or implicit methods, as suits",
       .source = "Petzold 1983, SIAM J. Sci. Stat. Comput. 4; Hairer and Wanner II, IV.2",
       .order = 13}};
  return all;
}

}  // namespace daedalus::methods
