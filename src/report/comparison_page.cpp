// The page that shows where two results differ: both curves of each variable in one plot.
#include <fmt/format.h>

#include <algorithm>

#include "daedalus/report/compare.hpp"
#include "daedalus/report/report.hpp"

namespace daedalus::report {
namespace {

using solution::Table;
using solution::Variable;

constexpr std::size_t most_variables = 60;  // drawn: those that differ most

// Walks forward through the rows of a table, from one time to the next.
class Walk {
 public:
  Walk(const Table& table, double start) : table_(table) {
    while (row_ < table.rows() && table.time(row_) < start) ++row_;
  }

  bool is_over() const { return row_ == table_.rows(); }
  double time() const { return table_.time(row_); }
  // The number of rows at t, which the walk must not have passed; an event has two.
  std::size_t count_at(double t) const {
    std::size_t count = 0;
    while (row_ + count < table_.rows() && table_.time(row_ + count) == t) ++count;
    return count;
  }
  void pass(std::size_t rows) { row_ += rows; }

  // The value at t, in row `number` there, or interpolated between the rows around it.
  double value(const Variable& variable, double t, std::size_t number) const {
    const std::size_t here = count_at(t);
    if (here > 0) return table_.value(variable, row_ + std::min(number, here - 1));
    if (row_ == 0) return table_.value(variable, 0);
    if (is_over()) return table_.value(variable, row_ - 1);
    const double before = table_.value(variable, row_ - 1), after = table_.value(variable, row_);
    const double length = table_.time(row_) - table_.time(row_ - 1);
    return before + (t - table_.time(row_ - 1)) / length * (after - before);
  }

 private:
  const Table& table_;
  std::size_t row_ = 0;
};

struct Pair {
  const Variable* reference;
  const Variable* other;
};

// Both results side by side, at all times for which either of them has a row.
Table merged(const Table& reference, const Table& other, const Comparison& comparison,
             const std::vector<Pair>& pairs, const std::string& other_name) {
  Table table{.variables = {}, .constants = {}, .width = 1 + 2 * pairs.size()};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Variable first = *pairs[i].reference;
    if (first.unit.empty()) first.unit = pairs[i].other->unit;
    first.is_constant = false;
    first.place = 1 + 2 * i;
    first.sign = 1;
    Variable second = first;
    second.name = fmt::format("{} ({})", first.name, other_name);
    ++second.place;
    table.variables.push_back(std::move(first));
    table.variables.push_back(std::move(second));
  }
  Walk one(reference, comparison.start), two(other, comparison.start);
  for (;;) {
    if (one.is_over() && two.is_over()) break;
    const double t = one.is_over()   ? two.time()
                     : two.is_over() ? one.time()
                                     : std::min(one.time(), two.time());
    if (t > comparison.stop) break;
    const std::size_t rows = std::max(one.count_at(t), two.count_at(t));
    for (std::size_t number = 0; number < rows; ++number) {
      table.cells.push_back(t);
      for (const Pair& pair : pairs) {
        table.cells.push_back(one.value(*pair.reference, t, number));
        table.cells.push_back(two.value(*pair.other, t, number));
      }
    }
    one.pass(one.count_at(t));
    two.pass(two.count_at(t));
  }
  return table;
}

}  // namespace

Result<std::size_t> write_comparison_html(const std::string& path, const ComparedFiles& files,
                                          const Table& reference, const Table& other,
                                          Comparison comparison) {
  std::ranges::stable_sort(comparison.variables, std::ranges::greater{}, &Deviation::largest);
  std::vector<Pair> pairs;
  for (const Deviation& deviation : comparison.variables) {
    const Variable* const first = reference.find(deviation.name);
    const Variable* const second = other.find(deviation.name);
    if (pairs.size() < most_variables && !(first->is_constant && second->is_constant))
      pairs.push_back({first, second});
  }
  solution::Solution drawn;
  drawn.table = merged(reference, other, comparison, pairs, files.other);
  drawn.outcome.time = comparison.stop;
  return write_html(path,
                    {.model = fmt::format("{} and {}", files.reference, files.other),
                     .version = files.version,
                     .command = files.command,
                     .comparison = &comparison,
                     .tube = files.tube},
                    drawn);
}

}  // namespace daedalus::report
