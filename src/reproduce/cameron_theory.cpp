// Table 1 and figure 2 of Cameron and Gani 1988: error constants and stability regions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>

#include "daedalus/methods/properties.hpp"
#include "daedalus/methods/taylor.hpp"
#include "daedalus/reproduce/cameron.hpp"

namespace daedalus::reproduce {
namespace {

using methods::Matrix;
using methods::Real;
using methods::Row;

Row product(const Matrix& A, const Row& x) {
  Row result(x.size());
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t j = 0; j < A[i].size(); ++j) result[i] += A[i][j] * x[j];
  return result;
}

Row times(const Row& a, const Row& b) {
  Row result(a.size());
  std::ranges::transform(a, b, result.begin(), std::multiplies<>());
  return result;
}

Real sum(const Row& b, const Row& x) {
  Real result = 0;
  for (std::size_t i = 0; i < b.size(); ++i) result += b[i] * x[i];
  return result;
}

// e(tree) of (18) for the trees with three nodes, or with four.
std::vector<Real> tree_errors(const Matrix& A, const Row& b, const Row& c, int nodes) {
  const Row Ac = product(A, c);
  if (nodes == 3) return {3 * sum(b, times(c, c)) - 1, 6 * sum(b, Ac) - 1};
  return {4 * sum(b, times(c, times(c, c))) - 1, 8 * sum(b, times(c, Ac)) - 1,
          12 * sum(b, product(A, times(c, c))) - 1, 24 * sum(b, product(A, Ac)) - 1};
}

double largest(const std::vector<Real>& errors) {
  Real size = 0;
  for (const Real error : errors) size = std::max(size, std::abs(error));
  return static_cast<double>(size);
}

int count_of_zeros(const std::vector<Real>& errors) {
  return static_cast<int>(
      std::ranges::count_if(errors, [](Real error) { return std::abs(error) < 1e-15L; }));
}

// The family (17) with c3 = 1; (19) of both its members.
CameronConstants constants_of_explicit(Real c2) {
  const Real c3 = 1;
  const Real b2 = 1 / (2 * c2);
  const Real d2 = (c3 - Real{2} / 3) / (2 * c2 * (c3 - c2));
  const Real d3 = (Real{1} / 2 - d2 * c2) / c3;
  const Real a32 = 1 / (6 * d3 * c2);
  const Matrix A = {{0, 0, 0}, {c2, 0, 0}, {c3 - a32, a32, 0}};
  const Row c = {0, c2, c3};
  const std::vector<Real> third = tree_errors(A, {1 - d2 - d3, d2, d3}, c, 4);
  return {.c2 = static_cast<double>(c2),
          .ours_2 = largest(tree_errors(A, {1 - b2, b2, 0}, c, 3)),
          .ours_3 = largest(third),
          .conditions_of_order_4 = count_of_zeros(third)};
}

// With as many stages as its order, an explicit method has the R of Taylor's series.
methods::Taylor series(int order) {
  return {.name = "", .title = "", .source = "", .order = order};
}

// The root of R(z) = exp(i theta) that goes on from 0 as theta grows; R' is the sum of one term
// less, which vanishes inside the region only.
std::vector<std::complex<double>> boundary_of(int order) {
  constexpr int points_of_a_turn = 360;
  std::vector<std::complex<double>> boundary = {0.0};
  std::complex<Real> z = 0;
  for (int i = 1; i <= order * points_of_a_turn; ++i) {
    const std::complex<Real> wanted =
        std::polar(Real{1}, 2 * std::numbers::pi_v<Real> * i / points_of_a_turn);
    for (int iteration = 0; iteration < 8; ++iteration)
      z -= (stability(series(order), z) - wanted) / stability(series(order - 1), z);
    boundary.emplace_back(static_cast<double>(z.real()), static_cast<double>(z.imag()));
  }
  return boundary;
}

// Figures have 130 points for a unit, and 0 at (420, 340).
double x_of(double real) { return 420.0 + 130.0 * real; }
double y_of(double imaginary) { return 340.0 - 130.0 * imaginary; }

void draw_axes(std::string& text) {
  const auto out = std::back_inserter(text);
  for (int k = -3; k <= 1; ++k) {
    fmt::format_to(out,
                   "<path class=\"g\" d=\"M{0:.0f} 20V660\"/><text x=\"{0:.0f}\" y=\"676\" "
                   "text-anchor=\"middle\">{1}</text>\n",
                   x_of(k), k);
  }
  for (int k = -2; k <= 2; ++k) {
    fmt::format_to(out,
                   "<path class=\"g\" d=\"M20 {0:.0f}H560\"/><text x=\"566\" y=\"{1:.0f}\">{2}"
                   "</text>\n",
                   y_of(k), y_of(k) + 4.0, k == 0 ? "0" : fmt::format("{}i", k));
  }
}

}  // namespace

std::vector<CameronConstants> cameron_1() {
  struct Published {
    Real c2;
    double second, third;
  };
  constexpr std::array<Published, 3> published = {
      {{0.25L, 1.1, 1.0}, {0.5L, 1.0, 1.0}, {0.75L, 2.5, 1.0}}};
  std::vector<CameronConstants> rows;
  for (const Published& printed : published) {
    rows.push_back(constants_of_explicit(printed.c2));
    rows.back().published_2 = printed.second;
    rows.back().published_3 = printed.third;
  }
  const methods::RungeKutta& dirk32 = *methods::find_method("dirk32");
  const std::vector<Real> errors =
      tree_errors(methods::full_matrix(dirk32), dirk32.b, methods::nodes(dirk32), 4);
  rows.push_back({.published_3 = 0.62,
                  .ours_3 = largest(errors),
                  .conditions_of_order_4 = count_of_zeros(errors)});
  return rows;
}

std::vector<StabilityRegion> cameron_regions() {
  std::vector<StabilityRegion> regions;
  for (const int order : {1, 2, 3}) {
    regions.push_back(
        {.order = order,
         .real_limit = static_cast<double>(real_stability_boundary(series(order))),
         .imaginary_limit = static_cast<double>(imaginary_stability_boundary(series(order))),
         .boundary = boundary_of(order)});
  }
  return regions;
}

std::string regions_svg(const std::vector<StabilityRegion>& regions) {
  constexpr std::array<const char*, 3> colours = {"#0072b2", "#d55e00", "#1a1a1a"};
  std::string text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"600\" height=\"690\" "
      "viewBox=\"0 0 600 690\">\n<style>text{font:12px sans-serif;fill:#333}"
      ".g{stroke:#ddd;fill:none}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  draw_axes(text);
  const auto out = std::back_inserter(text);
  double line = 40.0;
  for (std::size_t k = 0; k < regions.size(); ++k) {
    fmt::format_to(out, "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" points=\"",
                   colours[k % colours.size()]);
    for (const std::complex<double> z : regions[k].boundary)
      fmt::format_to(out, "{:.1f},{:.1f} ", x_of(z.real()), y_of(z.imag()));
    fmt::format_to(out,
                   "\"/>\n<path d=\"M450 {0}h26\" stroke=\"{1}\" stroke-width=\"1.8\"/>"
                   "<text x=\"482\" y=\"{2}\">order {3}, to -{4:.2f}</text>\n",
                   line - 4.0, colours[k % colours.size()], line, regions[k].order,
                   regions[k].real_limit);
    line += 18.0;
  }
  return text + "</svg>\n";
}

}  // namespace daedalus::reproduce
