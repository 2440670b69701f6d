// Assignments of one shape as loops: the amount of code grows with the number of shapes, not with
// the number of equations.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::codegen {

// An expression with its symbols and most of its constants replaced by numbered slots.
struct ShapeNode {
  enum class Kind : std::uint8_t { Operation, Symbol, Constant, Literal };
  Kind kind = Kind::Operation;
  expr::Op op = expr::Op::Constant;
  std::uint32_t a = 0, b = 0, c = 0;  // places of the arguments in the shape; the slot in `a`
  double literal = 0.0;
};

// In order of evaluation; the last node is the value.
using Shape = std::vector<ShapeNode>;

// How a place follows from the number of the repetition.
enum class Access : std::uint8_t { Same, Consecutive, Table };

// Everything on which the code of a loop depends: neither the number of repetitions nor the places
// themselves.
struct LoopCode {
  std::uint32_t shape = 0;
  bool to_outputs = false;      // otherwise to a symbol
  bool independent = true;      // no repetition reads what another one writes
  std::vector<Access> symbols;  // the target's first, then by slot
  std::vector<Access> constants;
};

// One run of a loop. Data of slots that are the same or consecutive come as one number each, those
// of tables as one array each, in the order of the slots.
struct Loop {
  std::uint32_t code = 0;
  std::int64_t count = 0;
  std::vector<std::int64_t> places;
  std::vector<std::int32_t> place_tables;
  std::vector<double> constants;
  std::vector<double> constant_tables;
};

// Either a loop or straight-line code, whose outputs go to `output_places`.
struct Segment {
  std::optional<Loop> loop = {};
  structure::Kernel straight = {};
  std::vector<std::uint32_t> output_places = {};
};

struct RolledCode {
  std::vector<Shape> shapes;
  std::vector<LoopCode> codes;
  std::vector<std::vector<Segment>> kernels;  // to be run in order
};

// Groups the assignments of each kernel, in an order that computes everything before it is used.
// A symbol must be assigned at most once in a kernel. Shapes that appear fewer than a few times
// stay straight-line code, and so does everything if there is little of it. Near-linear.
RolledCode roll(std::vector<structure::Kernel> kernels, const expr::Arena& arena);

// Whether there is enough code for loops to pay off.
bool is_worth_rolling(const std::vector<structure::Kernel>& kernels, const expr::Arena& arena);

}  // namespace daedalus::codegen
