#include "daedalus/solution/event_log.hpp"

namespace daedalus::solution {

std::string_view passage_name(Passage passage) {
  switch (passage) {
    case Passage::SlidingBegins:
      return "sliding begins";
    case Passage::SlidingEnds:
      return "sliding ends";
    case Passage::RestBegins:
      return "rest begins";
    case Passage::RestEnds:
      return "rest ends";
    case Passage::None:
      break;
  }
  return {};
}

}  // namespace daedalus::solution
