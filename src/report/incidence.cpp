// Draws incidence matrices as SVG: cells while there are few, runs of cells in one path while they
// can be distinguished, and shades beyond that.
#include "daedalus/report/incidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "daedalus/base/file.hpp"
#include "report/text.hpp"

namespace daedalus::report {
namespace {

constexpr std::size_t most_labelled = 60;  // rows with labels
constexpr std::size_t most_told = 400;     // rows whose cells have a tooltip
constexpr std::size_t most_told_cells = 8000;
constexpr std::size_t most_rows = 2000;      // drawn one by one
constexpr std::size_t most_cells = 150'000;  // likewise
constexpr std::size_t most_shaded = 400;     // rows of shades
constexpr std::size_t shades = 4;
constexpr double largest_panel = 760.0;
constexpr double largest_cell = 22.0;
constexpr double smallest_dot = 2.0;
constexpr double letter_width = 6.1;  // of the labels, about
constexpr std::size_t longest_label = 28;

// The role of a cell in the sorted system.
enum class Mark { Entry, Pivot, Tearing, Residual, Both };
constexpr std::array<const char*, 5> mark_classes = {"e", "p", "t", "r", "b"};

constexpr std::string_view style =
    "text{font:11px sans-serif;fill:#222}.h{font-size:14px;font-weight:bold}.s{fill:#555}"
    ".e{fill:#8fa8c2;stroke:#8fa8c2}.p{fill:#1f4e79;stroke:#1f4e79}.t{fill:#d9822b;stroke:#d9822b}"
    ".r{fill:#8e5bb5;stroke:#8e5bb5}.b{fill:#b3123f;stroke:#b3123f}rect.c{stroke:none}"
    "path.e,path.p,path.t,path.r,path.b{fill:none}"
    ".k{fill:#fff3d6;stroke:#b58900;vector-effect:non-scaling-stroke}"
    ".f{fill:none;stroke:#999;vector-effect:non-scaling-stroke}"
    "text.t{fill:#a85c10;stroke:none}text.r{fill:#6b3a93;stroke:none}";

// A matrix as it is drawn: rows of columns and marks, in the order of this panel.
struct Panel {
  struct Cell {
    std::uint32_t column = 0;
    Mark mark = Mark::Entry;
  };
  std::string heading = {};
  std::vector<std::vector<Cell>> rows = {};
  std::vector<std::uint32_t> equations = {}, unknowns = {};  // by row and by column
  std::vector<bool> is_residual = {}, is_tearing = {};       // likewise
  std::vector<Incidence::Block> blocks = {};
};

struct Scale {
  std::size_t n = 0;
  std::size_t cells = 0;
  std::size_t per_shade = 1;  // rows and columns in each shade; 1: cells
  double cell = 0.0;          // in pixels
  double left = 0.0, top = 0.0;

  bool has_labels() const { return n <= most_labelled; }
  bool has_titles() const { return n <= most_told && cells <= most_told_cells; }
  double panel() const { return cell * static_cast<double>(n); }
};

std::string shortened(const std::string& text) {
  if (text.size() <= longest_label) return text;
  std::size_t end = longest_label - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

Scale scale_of(const Incidence& incidence) {
  Scale scale{.n = incidence.equations.size()};
  for (const Incidence::Equation& equation : incidence.equations) {
    scale.cells += equation.unknowns.size();
  }
  if (scale.n > most_rows || scale.cells > most_cells) {
    scale.per_shade = (scale.n + most_shaded - 1) / most_shaded;
  }
  const double n = static_cast<double>(std::max<std::size_t>(scale.n, 1));
  scale.cell = std::min(largest_panel / n, largest_cell);
  scale.left = scale.top = 14.0;
  if (!scale.has_labels()) return scale;
  const auto width = [](const std::string& label) {
    return 16.0 + letter_width * static_cast<double>(shortened(label).size());
  };
  for (const Incidence::Equation& equation : incidence.equations) {
    scale.left = std::max(scale.left, width(equation.label));
  }
  for (const std::string& name : incidence.unknowns) scale.top = std::max(scale.top, width(name));
  return scale;
}

Panel as_written(const Incidence& incidence) {
  const std::size_t n = incidence.equations.size();
  Panel panel{.heading = "As written"};
  for (std::uint32_t i = 0; i < n; ++i) {
    std::vector<Panel::Cell>& row = panel.rows.emplace_back();
    for (const std::uint32_t unknown : incidence.equations[i].unknowns) row.push_back({unknown});
    panel.equations.push_back(i);
    panel.unknowns.push_back(i);
  }
  panel.is_residual.assign(n, false);
  panel.is_tearing.assign(n, false);
  return panel;
}

Panel as_sorted(const Incidence& incidence) {
  const std::size_t n = incidence.equations.size();
  Panel panel{.heading = "Sorted into blocks",
              .equations = incidence.sorted_equations,
              .unknowns = incidence.sorted_unknowns,
              .blocks = incidence.blocks};
  panel.is_residual.assign(n, false);
  std::size_t end = 0;
  for (const Incidence::Block& block : incidence.blocks) {
    end += block.size;
    for (std::size_t i = end - block.torn; i < end; ++i) panel.is_residual[i] = true;
  }
  panel.is_tearing = panel.is_residual;
  std::vector<std::uint32_t> place(n);
  for (std::uint32_t j = 0; j < n; ++j) place[incidence.sorted_unknowns[j]] = j;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::vector<Panel::Cell>& row = panel.rows.emplace_back();
    for (const std::uint32_t unknown : incidence.equations[panel.equations[i]].unknowns) {
      const std::uint32_t j = place[unknown];
      const bool residual = panel.is_residual[i], tearing = panel.is_tearing[j];
      const Mark own = i == j ? Mark::Pivot : Mark::Entry;
      row.push_back({j, residual  ? (tearing ? Mark::Both : Mark::Residual)
                        : tearing ? Mark::Tearing
                                  : own});
    }
  }
  return panel;
}

using Out = std::back_insert_iterator<std::string>;

void draw_blocks(Out out, const Panel& panel, const Scale& scale) {
  // Blocks smaller than a shade would not be visible, single cells only if cells are wide.
  const std::size_t smallest = scale.has_labels() ? 1 : std::max<std::size_t>(2, scale.per_shade);
  std::size_t begin = 0;
  for (const Incidence::Block& block : panel.blocks) {
    if (block.size >= smallest) {
      fmt::format_to(out, "<rect class=\"k\" x=\"{0}\" y=\"{0}\" width=\"{1}\" height=\"{1}\"/>\n",
                     begin, block.size);
    }
    begin += block.size;
  }
}

void draw_told_cells(Out out, const Incidence& incidence, const Panel& panel) {
  for (std::size_t i = 0; i < panel.rows.size(); ++i) {
    const Incidence::Equation& equation = incidence.equations[panel.equations[i]];
    const std::string about = html_text(equation.label + ": " + equation.text);
    for (const Panel::Cell& cell : panel.rows[i]) {
      fmt::format_to(out,
                     "<rect class=\"c {}\" x=\"{}.05\" y=\"{}.05\" width=\".9\" height=\".9\">"
                     "<title>{}\n{}</title></rect>\n",
                     mark_classes[static_cast<std::size_t>(cell.mark)], cell.column, i,
                     html_text(incidence.unknowns[panel.unknowns[cell.column]]), about);
    }
  }
}

// Each mark is one path; adjacent cells are one line of it.
void draw_runs(Out out, Panel& panel, const Scale& scale) {
  const double width = std::max(1.0, smallest_dot / scale.cell);
  std::array<std::string, mark_classes.size()> paths;
  for (std::size_t i = 0; i < panel.rows.size(); ++i) {
    std::vector<Panel::Cell>& row = panel.rows[i];
    std::ranges::sort(row, {}, &Panel::Cell::column);
    for (std::size_t k = 0; k < row.size();) {
      std::size_t end = k + 1;
      while (end < row.size() && row[end].mark == row[k].mark &&
             row[end].column == row[end - 1].column + 1) {
        ++end;
      }
      fmt::format_to(std::back_inserter(paths[static_cast<std::size_t>(row[k].mark)]), "M{} {}h{}",
                     row[k].column, i, end - k);
      k = end;
    }
  }
  for (std::size_t mark = 0; mark < paths.size(); ++mark) {
    if (paths[mark].empty()) continue;
    fmt::format_to(out,
                   "<path class=\"{}\" transform=\"translate(0 .5)\" stroke-width=\"{:.4g}\"{} "
                   "d=\"{}\"/>\n",
                   mark_classes[mark], width, width > 1.0 ? " stroke-linecap=\"square\"" : "",
                   paths[mark]);
  }
}

// Shades by the number of entries, on a logarithmic scale.
void draw_shades(Out out, const Panel& panel, const Scale& scale) {
  const std::size_t size = (scale.n + scale.per_shade - 1) / scale.per_shade;
  std::vector<std::size_t> counts(size * size, 0);
  for (std::size_t i = 0; i < panel.rows.size(); ++i) {
    for (const Panel::Cell& cell : panel.rows[i]) {
      ++counts[i / scale.per_shade * size + cell.column / scale.per_shade];
    }
  }
  const double most = std::log1p(static_cast<double>(std::ranges::max(counts)));
  const auto shade = [&](std::size_t count) {
    const double share = std::log1p(static_cast<double>(count)) / most;
    return static_cast<std::size_t>(std::ceil(share * static_cast<double>(shades)));
  };
  std::array<std::string, shades + 1> paths;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size;) {
      const std::size_t level = shade(counts[i * size + j]);
      std::size_t end = j + 1;
      while (end < size && shade(counts[i * size + end]) == level) ++end;
      if (level > 0) fmt::format_to(std::back_inserter(paths[level]), "M{} {}h{}", j, i, end - j);
      j = end;
    }
  }
  fmt::format_to(out, "<g transform=\"scale({}) translate(0 .5)\">\n", scale.per_shade);
  for (std::size_t level = 1; level <= shades; ++level) {
    if (paths[level].empty()) continue;
    fmt::format_to(out, "<path class=\"p\" stroke-opacity=\"{:.4g}\" d=\"{}\"/>\n",
                   static_cast<double>(level) / static_cast<double>(shades), paths[level]);
  }
  fmt::format_to(out, "</g>\n");
}

// A bar along the edge wherever a row or column is marked: "M3 0h2" along, "M0 3v2" down.
std::string bar(const std::vector<bool>& marked, std::size_t step, char direction) {
  std::string path;
  for (std::size_t i = 0; i < marked.size();) {
    const auto holds = [&](std::size_t begin) {
      const auto first = marked.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last =
          marked.begin() + static_cast<std::ptrdiff_t>(std::min(begin + step, marked.size()));
      return std::find(first, last, true) != last;
    };
    std::size_t end = i + step;
    const bool here = holds(i);
    while (end < marked.size() && holds(end) == here) end += step;
    end = std::min(end, marked.size());
    if (here) {
      const std::string start =
          direction == 'h' ? fmt::format("M{} 0", i) : fmt::format("M0 {}", i);
      path += fmt::format("{}{}{}", start, direction, end - i);
    }
    i = end;
  }
  return path;
}

void draw_edges(Out out, const Panel& panel, const Scale& scale) {
  const double width = 4.0 / scale.cell;
  const std::string tearing = bar(panel.is_tearing, scale.per_shade, 'h'),
                    residual = bar(panel.is_residual, scale.per_shade, 'v');
  if (!tearing.empty()) {
    fmt::format_to(
        out,
        "<path class=\"t\" transform=\"translate(0 {:.4g})\" stroke-width=\"{:.4g}\" d=\"{}\"/>\n",
        -width, width, tearing);
  }
  if (!residual.empty()) {
    fmt::format_to(
        out,
        "<path class=\"r\" transform=\"translate({:.4g} 0)\" stroke-width=\"{:.4g}\" d=\"{}\"/>\n",
        -width, width, residual);
  }
}

void draw_labels(Out out, const Incidence& incidence, const Panel& panel, const Scale& scale) {
  for (std::size_t i = 0; i < panel.rows.size(); ++i) {
    const double middle = scale.cell * (static_cast<double>(i) + 0.5) + 4.0;
    fmt::format_to(out, "<text{} x=\"-11\" y=\"{:.4g}\" text-anchor=\"end\">{}</text>\n",
                   panel.is_residual[i] ? " class=\"r\"" : "", middle,
                   html_text(shortened(incidence.equations[panel.equations[i]].label)));
    fmt::format_to(out, "<text{} transform=\"translate({:.4g} -11) rotate(-90)\">{}</text>\n",
                   panel.is_tearing[i] ? " class=\"t\"" : "", middle,
                   html_text(shortened(incidence.unknowns[panel.unknowns[i]])));
  }
}

void draw_panel(Out out, const Incidence& incidence, Panel& panel, const Scale& scale, double x,
                double y) {
  fmt::format_to(out, "<text class=\"h\" x=\"{:.4g}\" y=\"{:.4g}\">{}</text>\n", x + scale.left,
                 y - 8.0, panel.heading);
  fmt::format_to(out, "<g transform=\"translate({:.4g} {:.4g})\">\n", x + scale.left,
                 y + scale.top);
  if (scale.has_labels()) draw_labels(out, incidence, panel, scale);
  fmt::format_to(out, "<g transform=\"scale({:.6g})\">\n", scale.cell);
  draw_blocks(out, panel, scale);
  if (scale.per_shade > 1) {
    draw_shades(out, panel, scale);
  } else if (scale.has_titles()) {
    draw_told_cells(out, incidence, panel);
  } else {
    draw_runs(out, panel, scale);
  }
  draw_edges(out, panel, scale);
  fmt::format_to(out, "<rect class=\"f\" width=\"{0}\" height=\"{0}\"/>\n</g>\n</g>\n", scale.n);
}

// What each colour means, in one line.
void draw_legend(Out out, const Scale& scale, double x, double y) {
  std::vector<std::pair<const char*, std::string>> entries;
  if (scale.per_shade > 1) {
    entries.emplace_back("p", fmt::format("each shade stands for k x k = {0} x {0} places; the "
                                          "darker, the more entries",
                                          scale.per_shade));
  } else {
    entries = {{"e", "unknown in an equation"}, {"p", "determined by it"}};
  }
  entries.insert(entries.end(), {{"t", "tearing variable"}, {"r", "residual equation"}});
  if (scale.per_shade == 1) entries.emplace_back("b", "tearing variable in a residual");
  entries.emplace_back("k", "block");
  for (const auto& [name, text] : entries) {
    fmt::format_to(out,
                   "<rect class=\"{}\" x=\"{:.5g}\" y=\"{:.5g}\" width=\"10\" height=\"10\"/>"
                   "<text x=\"{:.5g}\" y=\"{:.5g}\">{}</text>\n",
                   name, x, y, x + 15.0, y + 9.0, text);
    x += 35.0 + letter_width * static_cast<double>(text.size());
  }
}

}  // namespace

std::string incidence_svg(const Incidence& incidence, Colours colours) {
  constexpr double margin = 20.0, header = 80.0, footer = 50.0, narrowest = 880.0;
  const Scale scale = scale_of(incidence);
  const double panel_width = scale.left + scale.panel() + margin;
  const double width = std::max(narrowest, margin + 2.0 * panel_width);
  const double height = header + scale.top + scale.panel() + footer;
  std::string text;
  const Out out(text);
  fmt::format_to(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.5g}\" height=\"{1:.5g}\" "
                 "viewBox=\"0 0 {0:.5g} {1:.5g}\">\n",
                 width, height);
  if (colours == Colours::Own) {
    fmt::format_to(out, "<style>{}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                   style);
  }
  fmt::format_to(out, "<text class=\"h\" x=\"{0}\" y=\"26\">{1}</text>\n", margin,
                 html_text(incidence.title));
  fmt::format_to(out, "<text class=\"s\" x=\"{0}\" y=\"44\">{1}</text>\n", margin,
                 html_text(incidence.subtitle));
  Panel written = as_written(incidence), sorted = as_sorted(incidence);
  draw_panel(out, incidence, written, scale, margin, header);
  draw_panel(out, incidence, sorted, scale, margin + panel_width, header);
  draw_legend(out, scale, margin, height - footer + 20.0);
  return text + "</svg>\n";
}

Result<std::size_t> write_incidence_svg(const std::string& path, const Incidence& incidence) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(incidence_svg(incidence));
  return file->commit();
}

}  // namespace daedalus::report
