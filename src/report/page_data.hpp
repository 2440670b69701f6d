// The data of the report's page: the run as one JSON object, thinned to what a browser draws
// easily.
#pragma once

#include <cstddef>
#include <string>

#include "daedalus/report/report.hpp"

namespace daedalus::report {

// The most that is embedded. A wide table first gets fewer points per column, then fewer columns.
struct PageLimits {
  std::size_t points = 4'000;       // per column
  std::size_t least_points = 400;   // per column, however wide the table
  std::size_t numbers = 2'000'000;  // in all columns; about 10 bytes each
  std::size_t zoomed = 600'000;     // in all columns: below this, one may have more points
  std::size_t exact = 500'000;      // up to so many numbers have all digits, beyond it nine each
  std::size_t variables = 20'000;
  std::size_t parameters = 20'000;
};

// The JSON object; no `<` occurs in it, so that nothing inside can end the element that holds it.
std::string page_data(const RunDescription& run, const solution::Solution& solution,
                      const std::string& date, const PageLimits& limits = {});

}  // namespace daedalus::report
