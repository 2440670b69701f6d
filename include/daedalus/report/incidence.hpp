// The picture of which equation contains which unknown, as written and as sorted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::report {

// Rows and columns are numbered as they are written; the orders list these numbers as sorted.
struct Incidence {
  struct Equation {
    std::string label = {};  // where it stands
    std::string text = {};
    std::vector<std::uint32_t> unknowns = {};
  };
  // A stretch of the diagonal of the sorted matrix. Its last rows are the residuals and its last
  // columns the tearing variables, as many as residuals.
  struct Block {
    std::size_t size = 1;
    std::size_t torn = 0;
  };

  std::string title = {};
  std::string subtitle = {};
  std::vector<Equation> equations = {};
  std::vector<std::string> unknowns = {};
  std::vector<std::uint32_t> sorted_equations = {}, sorted_unknowns = {};
  std::vector<Block> blocks = {};
};

// Where the colours of a drawing come from: itself, or the page around it.
enum class Colours { Own, OfPage };

// A self-contained drawing of at most a few megabytes: many equations are drawn as shades, each for
// as many rows and columns as the drawing says. Linear in the entries.
std::string incidence_svg(const Incidence& incidence, Colours colours = Colours::Own);
Result<std::size_t> write_incidence_svg(const std::string& path, const Incidence& incidence);

}  // namespace daedalus::report
