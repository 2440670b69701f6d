// Expressions as text and back.
#include <gtest/gtest.h>

#include "daedalus/modelica/modelica.hpp"
#include "random_model.hpp"

namespace daedalus {
namespace {

// All operations of the language.
const std::vector<expr::Operation>& functions() {
  static const std::vector<expr::Operation> all = [] {
    std::vector<expr::Operation> found;
    std::ranges::copy_if(expr::operations, std::back_inserter(found),
                         [](const auto& row) { return row.binding == expr::Binding::Call; });
    return found;
  }();
  return all;
}

// A random expression in the notation of the language, over x, y, z and p; Boolean if asked for.
std::string random_text(std::mt19937_64& random, int depth, bool boolean) {
  const auto pick = [&](std::uint64_t below) { return random() % below; };
  const auto real = [&] { return random_text(random, depth - 1, false); };
  const auto truth = [&] { return random_text(random, depth - 1, true); };
  if (depth == 0) {
    if (boolean) return pick(2) == 0 ? "x < y" : "z >= 1.5";
    const std::vector<std::string> leaves = {"x", "y",   "z",    "p",    "time",
                                             "2", "0.1", "1e-7", "(-3)", "1e20"};
    return leaves[pick(leaves.size())];
  }
  if (boolean) {
    switch (pick(4)) {
      case 0:
        return fmt::format("({} and {})", truth(), truth());
      case 1:
        return fmt::format("({} or {})", truth(), truth());
      case 2:
        return fmt::format("(not ({}))", truth());
      default:
        return fmt::format("(({}) <> ({}))", truth(), truth());
    }
  }
  switch (pick(10)) {
    case 0:
      return fmt::format("({} + {})", real(), real());
    case 1:
      return fmt::format("({} - {})", real(), real());
    case 2:
      return fmt::format("({} * {})", real(), real());
    case 3:
      return fmt::format("({} / {})", real(), real());
    case 4:
      return fmt::format("(({})^({}))", real(), real());
    case 5:
      return fmt::format("(-({}))", real());
    case 6:
      return fmt::format("(if {} then {} else {})", truth(), real(), real());
    default: {
      const expr::Operation& function = functions()[pick(functions().size())];
      const std::string first = real();
      return function.arity == 1 ? fmt::format("{}({})", function.name, first)
                                 : fmt::format("{}({}, {})", function.name, first, real());
    }
  }
}

struct Printed {
  std::string left, right;
};

// The sides of one equation as printed after reading.
std::optional<Printed> printed(const std::string& left, const std::string& right) {
  Sources sources;
  Diagnostics diagnostics;
  Phases phases;
  const std::uint32_t source = sources.add(
      "p.mo", fmt::format("model M parameter Real p = 2; Real x, y, z; equation ({}) = {}; end M;",
                          left, right));
  const auto flat = modelica::read_model(sources, source, "", diagnostics, phases);
  if (!flat) return std::nullopt;
  const expr::Names names = model::names_of(*flat);
  return Printed{to_string(flat->arena, flat->equations[0].left, names),
                 to_string(flat->arena, flat->equations[0].right, names)};
}

TEST(PrintParse, GivesTheSameExpressionBack) {
  const std::uint64_t first = testing_support::seed_of_run();
  for (std::uint64_t seed = first; seed < first + 2'000; ++seed) {
    std::mt19937_64 random(seed);
    const std::string left = random_text(random, 5, false), right = random_text(random, 4, false);
    const auto once = printed(left, right);
    ASSERT_TRUE(once) << "DAEDALUS_SEED=" << seed << "\n" << left << "\n" << right;
    const auto twice = printed(once->left, once->right);
    ASSERT_TRUE(twice) << "DAEDALUS_SEED=" << seed << "\n" << once->left << "\n" << once->right;
    ASSERT_EQ(once->left, twice->left) << "DAEDALUS_SEED=" << seed;
    ASSERT_EQ(once->right, twice->right) << "DAEDALUS_SEED=" << seed;
  }
}

}  // namespace
}  // namespace daedalus
