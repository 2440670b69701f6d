// Measures how far apart two results are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

// A variable of both results. The tube around a curve contains all points within a share `tube` of
// its range in value, and of its time: a little too early or too late is not a difference. Between
// two points it reaches from one value to the other. Each curve must stay in the tube of the other.
struct Deviation {
  std::string name;
  double largest = 0.0;  // by how much one curve exceeds all values of the other near that time,
                         // relative to the range of the reference
  double at = 0.0;       // when
  std::optional<double> leaves = {};  // when it leaves the tube for the first time

  bool is_inside() const { return !leaves; }
};

struct Comparison {
  double start = 0.0, stop = 0.0;                   // of the time that both have
  double first_stop = 0.0, second_stop = 0.0;       // of each
  std::size_t first_points = 0, second_points = 0;  // of each in that time
  std::vector<Deviation> variables = {};            // in the order of the reference
  std::vector<std::string> only_in_first = {}, only_in_second = {};

  bool ends_together() const;
  bool agrees() const;  // in everything that both have, up to the same end
};

Comparison compare(const solution::Table& reference, const solution::Table& other, double tube);

// What a page shows about the files that were compared.
struct ComparedFiles {
  std::string reference, other;  // their names
  double tube = 0.0;
  std::string version = {};
  std::string command = {};  // repeats the comparison
};

// The page: how far each variable deviates, and both curves of those that deviate most.
Result<std::size_t> write_comparison_html(const std::string& path, const ComparedFiles& files,
                                          const solution::Table& reference,
                                          const solution::Table& other, Comparison comparison);

}  // namespace daedalus::report
