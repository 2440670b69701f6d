// bench_work_precision PAGE CSV: all runs, written to both files.
// bench_work_precision --check: a part of them, in seconds. The exit code says whether the rules
// hold.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>

#include "page.hpp"
#include "rules.hpp"
#include "runs.hpp"

namespace {

using namespace daedalus;

constexpr std::size_t few_equations = 30;

// Every method with atol scaled and fixed; in a part, only the usual ones.
std::vector<bench::Run> tightening_runs(bool is_part,
                                        const std::vector<const problems::Problem*>& chosen,
                                        const std::vector<int>& asked,
                                        const std::vector<bench::Run>& usual) {
  const std::vector<std::string> methods =
      bench::adaptive_methods(is_part ? bench::Choice::Usual : bench::Choice::All);
  std::vector<bench::Run> runs = is_part ? usual : bench::run_all(chosen, methods, asked);
  for (const double atol : is_part ? std::vector{1e-6} : std::vector{1e-6, 1e-9})
    std::ranges::move(bench::run_all(chosen, methods, asked, atol), std::back_inserter(runs));
  return runs;
}

// The contents of the page.
struct Measured {
  std::vector<bench::Run> runs = {};
  std::vector<bench::Run> tightening = {};
};

int check(bool is_part, Measured& measured) {
  const std::vector<int> asked =
      is_part ? std::vector{3, 5, 7} : std::vector{3, 4, 5, 6, 7, 8, 9, 10};
  std::vector<const problems::Problem*> chosen;
  for (const problems::Problem& problem : problems::problems()) {
    if (is_part && (problem.size() > few_equations || problem.name == "ring-modulator")) continue;
    chosen.push_back(&problem);
  }
  const std::vector<bench::Run>& runs = measured.runs =
      bench::run_all(chosen, bench::adaptive_methods(), asked);
  measured.tightening = tightening_runs(is_part, chosen, asked, runs);
  std::vector<std::string> broken = bench::violations(runs);
  std::ranges::copy(bench::tightening_violations(measured.tightening), std::back_inserter(broken));
  for (const std::string& sentence : broken) fmt::print(stderr, "{}\n", sentence);
  fmt::print("{} runs, {} wrong answers, {} rules broken\n", runs.size(),
             bench::wrong_runs(runs).size(), broken.size());
  return broken.empty() ? 0 : 1;
}

bool write(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) fmt::print(stderr, "cannot write {}\n", path);
  return static_cast<bool>(file);
}

}  // namespace

int main(int count, char** words) {
  const bool is_part = count == 2 && std::string_view(words[1]) == "--check";
  if (!is_part && count != 3) {
    fmt::print(stderr, "usage: bench_work_precision PAGE CSV | --check\n");
    return 2;
  }
  Measured measured;
  const int result = check(is_part, measured);
  if (is_part) return result;
  const bool is_written = write(words[1], bench::page(measured.runs, measured.tightening)) &&
                          write(words[2], bench::csv(measured.runs));
  return is_written ? result : 2;
}
