// Writes the artificial runs into a folder, for the tests that read them with other programs.
#include <fmt/format.h>

#include "daedalus/report/compare.hpp"
#include "sample.hpp"

using namespace daedalus::report;
namespace solution = daedalus::solution;

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: make_reports FOLDER\n");
    return 2;
  }
  const std::string folder = arguments[1];
  try {
    const daedalus::solution::Solution typical = sample::typical();
    std::size_t bytes = 0;
    bytes += write_csv(folder + "/typical.csv", typical.table).value();
    bytes += write_mat(folder + "/typical.mat", typical.table).value();
    bytes += write_hdf5(folder + "/typical.h5", typical.table).value();
    bytes += write_json(folder + "/typical.json", typical.table).value();
    RunDescription drawn = sample::description();
    drawn.structure = incidence_svg(sample::structure(), Colours::OfPage);
    bytes += write_html(folder + "/typical.html", drawn, typical).value();
    bytes += write_html(folder + "/one.html", sample::description(), sample::oscillation(1, 501))
                 .value();
    bytes += write_html(folder + "/many.html", sample::description(), sample::oscillation(500, 501))
                 .value();
    bytes += write_html(folder + "/many_limits.html", sample::description(), sample::many_limits())
                 .value();
    bytes +=
        write_html(folder + "/long.html", sample::description(), sample::oscillation(4, 400'000))
            .value();
    bytes += write_html(folder + "/awkward.html", sample::description(), sample::awkward()).value();
    bytes += write_html(folder + "/pulse.html", sample::description(), sample::pulse()).value();
    bytes += write_html(folder + "/field.html", sample::description(), sample::field()).value();
    const solution::Solution verified = sample::oscillation(2, 501);
    const solution::Table second = sample::second_run(verified.table);
    RunDescription twice = sample::description();
    twice.second = &second;
    twice.second_name = "rodas5p at rtol = 1e-08";
    bytes += write_html(folder + "/verified.html", twice, verified).value();
    bytes += write_comparison_html(folder + "/compared.html",
                                   {.reference = "a.mat", .other = "b.csv", .tube = 0.002},
                                   verified.table, second, compare(verified.table, second, 0.002))
                 .value();
    bytes += write_html(folder + "/failed.html", sample::description(), sample::failed_at_start())
                 .value();
    fmt::print("{} bytes\n", bytes);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
