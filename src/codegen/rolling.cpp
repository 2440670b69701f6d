#include "codegen/rolling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <string>
#include <unordered_map>

namespace daedalus::codegen {
namespace {

using expr::ExprId;
using expr::Op;
using expr::SymbolId;

// Less code than this is compiled as it is, which takes some tens of milliseconds and runs fastest.
constexpr std::size_t most_straight_nodes = 4'000;
// A function for a shape costs about as much as this many repetitions of it written out.
constexpr std::size_t fewest_repetitions = 4;
// Shorter loops take all their places from tables, so that few variants of a shape are compiled.
constexpr std::size_t fewest_for_variants = 16;
constexpr double largest_literal = 16.0;

constexpr std::uint32_t none = ~std::uint32_t{0};

// An assignment to a symbol or to an output.
struct Item {
  ExprId value;
  std::uint32_t target = 0;
  bool to_output = false;
  std::uint32_t shape = 0;
  std::uint32_t first_symbol = 0, first_constant = 0;  // of its slots
};

// Whole small numbers are part of the shape: they are signs, factors and exponents.
bool is_literal(double value) {
  return value == std::trunc(value) && std::fabs(value) <= largest_literal &&
         !(value == 0.0 && std::signbit(value));
}

// The shapes of expressions, and the contents of their slots.
class ShapeTable {
 public:
  ShapeTable(const expr::Arena& arena, std::vector<Shape>& shapes)
      : arena_(arena), shapes_(shapes) {}

  void read(Item& item) {
    item.first_symbol = static_cast<std::uint32_t>(symbols_.size());
    item.first_constant = static_cast<std::uint32_t>(constants_.size());
    key_.clear();
    const std::span<const ExprId> order = walker_.post_order(arena_, item.value);
    for (const ExprId id : order) append(id);
    const auto [found, is_new] = numbers_.emplace(key_, static_cast<std::uint32_t>(shapes_.size()));
    if (is_new) {
      shapes_.push_back(shape_of(order));
      symbol_counts_.push_back(symbols_.size() - item.first_symbol);
      constant_counts_.push_back(constants_.size() - item.first_constant);
      uses_.push_back(0);
    }
    item.shape = found->second;
    ++uses_[item.shape];
  }

  std::span<const std::uint32_t> symbols(const Item& item) const {
    return std::span(symbols_).subspan(item.first_symbol, symbol_counts_[item.shape]);
  }
  std::span<const double> constants(const Item& item) const {
    return std::span(constants_).subspan(item.first_constant, constant_counts_[item.shape]);
  }
  std::size_t uses(std::uint32_t shape) const { return uses_[shape]; }

 private:
  void append_number(std::uint32_t value) {
    for (; value >= 128; value /= 128) key_.push_back(static_cast<char>(value % 128 + 128));
    key_.push_back(static_cast<char>(value));
  }

  void append(ExprId id) {
    const expr::Node& node = arena_[id];
    key_.push_back(static_cast<char>(node.op));
    if (node.op == Op::Symbol) {
      symbols_.push_back(node.a);
    } else if (node.op == Op::Constant) {
      const double value = arena_.constant_value(id);
      key_.push_back(is_literal(value) ? static_cast<char>(value) : '\x7f');
      if (!is_literal(value)) constants_.push_back(value);
    } else {
      const std::uint32_t arguments[] = {node.a, node.b, node.c};
      for (int k = 0; k < arity(node.op); ++k)
        append_number(static_cast<std::uint32_t>(walker_.position(ExprId(arguments[k]))));
    }
  }

  Shape shape_of(std::span<const ExprId> order) const {
    Shape shape;
    std::uint32_t symbols = 0, constants = 0;
    for (const ExprId id : order) {
      const expr::Node& node = arena_[id];
      ShapeNode& made = shape.emplace_back();
      made.op = node.op;
      if (node.op == Op::Symbol) {
        made.kind = ShapeNode::Kind::Symbol;
        made.a = symbols++;
      } else if (node.op == Op::Constant) {
        made.literal = arena_.constant_value(id);
        made.kind = is_literal(made.literal) ? ShapeNode::Kind::Literal : ShapeNode::Kind::Constant;
        if (made.kind == ShapeNode::Kind::Constant) made.a = constants++;
      } else {
        std::uint32_t* places[] = {&made.a, &made.b, &made.c};
        const std::uint32_t arguments[] = {node.a, node.b, node.c};
        for (int k = 0; k < arity(node.op); ++k)
          *places[k] = static_cast<std::uint32_t>(walker_.position(ExprId(arguments[k])));
      }
    }
    return shape;
  }

  const expr::Arena& arena_;
  std::vector<Shape>& shapes_;
  expr::Walker walker_;
  std::string key_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // never iterated over
  std::vector<std::uint32_t> symbols_;
  std::vector<double> constants_;
  std::vector<std::size_t> symbol_counts_, constant_counts_, uses_;  // by shape
};

// Items of one shape that may run in a row.
struct Group {
  std::vector<std::uint32_t> items;
  bool independent = true;
};

// Orders the items of one kernel: of what can be computed, the shape with most items comes next,
// followed at once by items of the same shape that this makes possible.
class Schedule {
 public:
  Schedule(std::span<const Item> items, const ShapeTable& shapes,
           std::vector<std::uint32_t>& producers)
      : items_(items), missing_(items.size(), 0) {
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      if (!items[i].to_output) set_producer(producers, items[i].target, i);
    }
    count_uses(shapes, producers);
    for (const Item& item : items) {
      if (!item.to_output) producers[item.target] = none;
    }
  }

  std::vector<Group> run() {
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (missing_[i] == 0) make_ready(i);
    }
    std::vector<Group> groups;
    while (!queue_.empty()) {
      const auto [count, shape] = queue_.top();
      queue_.pop();
      if (ready_[shape].size() != count) continue;  // an older count; the current one comes, too
      groups.push_back(take(shape));
    }
    return groups;
  }

 private:
  static void set_producer(std::vector<std::uint32_t>& producers, std::uint32_t symbol,
                           std::uint32_t item) {
    if (producers.size() <= symbol) producers.resize(symbol + symbol / 2 + 1, none);
    producers[symbol] = item;
  }

  void count_uses(const ShapeTable& shapes, const std::vector<std::uint32_t>& producers) {
    const auto for_each_use = [&](auto&& visit) {
      for (std::uint32_t i = 0; i < items_.size(); ++i) {
        for (const std::uint32_t symbol : shapes.symbols(items_[i])) {
          if (symbol < producers.size() && producers[symbol] != none && producers[symbol] != i)
            visit(producers[symbol], i);
        }
      }
    };
    starts_.assign(items_.size() + 1, 0);
    for_each_use([&](std::uint32_t producer, std::uint32_t user) {
      ++starts_[producer + 1];
      ++missing_[user];
    });
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    users_.resize(starts_.back());
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for_each_use(
        [&](std::uint32_t producer, std::uint32_t user) { users_[next[producer]++] = user; });
  }

  void make_ready(std::uint32_t i) {
    const std::uint32_t shape = items_[i].shape;
    std::vector<std::uint32_t>& ready = ready_[shape];
    ready.push_back(i);
    if (shape != taking_) queue_.emplace(ready.size(), shape);
  }

  Group take(std::uint32_t shape) {
    taking_ = shape;
    Group group;
    std::vector<std::uint32_t>& ready = ready_[shape];
    const std::size_t at_once = ready.size();
    for (std::size_t k = 0; k < ready.size(); ++k) {
      const std::uint32_t item = ready[k];
      for (std::uint32_t u = starts_[item]; u < starts_[item + 1]; ++u) {
        if (--missing_[users_[u]] == 0) make_ready(users_[u]);
      }
    }
    group.independent = ready.size() == at_once;
    group.items = std::move(ready);
    ready.clear();
    taking_ = none;
    return group;
  }

  std::span<const Item> items_;
  std::vector<std::uint32_t> missing_, starts_, users_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> ready_;  // never iterated over
  std::priority_queue<std::pair<std::size_t, std::uint32_t>> queue_;
  std::uint32_t taking_ = none;
};

class Roller {
 public:
  Roller(const expr::Arena& arena, RolledCode& result)
      : result_(result), shapes_(arena, result.shapes) {}

  void reserve(std::size_t items) { items_.reserve(items); }

  void read(const structure::Kernel& kernel) {
    for (const structure::Assignment& a : kernel.assignments) add({a.value, a.target.value, false});
    for (std::uint32_t i = 0; i < kernel.outputs.size(); ++i) add({kernel.outputs[i], i, true});
    ends_.push_back(items_.size());
  }

  void run() {
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      items_of_kernel_ = std::span(items_).subspan(begin, end - begin);
      result_.kernels.emplace_back();
      for (Group& group : Schedule(items_of_kernel_, shapes_, producers_).run()) append(group);
      begin = end;
    }
  }

 private:
  void add(Item item) {
    shapes_.read(item);
    items_.push_back(item);
  }

  void append(Group& group) {
    const Item& first = items_of_kernel_[group.items.front()];
    if (shapes_.uses(first.shape) < fewest_repetitions) return append_straight(group);
    const auto is_output = [&](std::uint32_t i) { return items_of_kernel_[i].to_output; };
    // Nothing reads outputs, so they may come last.
    const auto middle = std::stable_partition(group.items.begin(), group.items.end(),
                                              [&](std::uint32_t i) { return !is_output(i); });
    const std::vector<std::uint32_t> outputs(middle, group.items.end());
    group.items.erase(middle, group.items.end());
    if (!group.items.empty()) append_loop(std::move(group.items), group.independent);
    if (!outputs.empty()) append_loop(outputs, true);
  }

  void append_straight(const Group& group) {
    std::vector<Segment>& segments = result_.kernels.back();
    if (segments.empty() || segments.back().loop) segments.emplace_back();
    Segment& segment = segments.back();
    for (const std::uint32_t i : group.items) {
      const Item& item = items_of_kernel_[i];
      if (item.to_output) {
        segment.straight.outputs.push_back(item.value);
        segment.output_places.push_back(item.target);
      } else {
        segment.straight.assignments.push_back({SymbolId(item.target), item.value});
      }
    }
  }

  // The places of one slot, or the constants of one, over all repetitions.
  template <class Number, class Place>
  static Access access_of(std::size_t count, bool variants, const Place& place) {
    if (!variants) return Access::Table;
    bool same = true, consecutive = true;
    for (std::size_t k = 1; k < count && (same || consecutive); ++k) {
      same = same && place(k) == place(0);
      consecutive = consecutive && place(k) == place(0) + static_cast<Number>(k);
    }
    return same ? Access::Same : consecutive ? Access::Consecutive : Access::Table;
  }

  void append_loop(std::vector<std::uint32_t> items, bool independent) {
    const auto target = [&](std::uint32_t i) { return items_of_kernel_[i].target; };
    if (independent) std::ranges::sort(items, {}, target);
    const Item& first = items_of_kernel_[items.front()];
    LoopCode code{first.shape, first.to_output, independent || items.size() == 1, {}, {}};
    Loop loop;
    loop.count = static_cast<std::int64_t>(items.size());
    const bool variants = items.size() >= fewest_for_variants;
    const auto add_places = [&](const auto& place) {
      const Access access = access_of<std::uint32_t>(items.size(), variants, place);
      code.symbols.push_back(access);
      if (access != Access::Table) return loop.places.push_back(place(0));
      for (std::size_t k = 0; k < items.size(); ++k)
        loop.place_tables.push_back(static_cast<std::int32_t>(place(k)));
    };
    add_places([&](std::size_t k) { return target(items[k]); });
    for (std::size_t slot = 0; slot < shapes_.symbols(first).size(); ++slot) {
      add_places([&](std::size_t k) { return shapes_.symbols(items_of_kernel_[items[k]])[slot]; });
    }
    for (std::size_t slot = 0; slot < shapes_.constants(first).size(); ++slot) {
      const auto value = [&](std::size_t k) {
        return shapes_.constants(items_of_kernel_[items[k]])[slot];
      };
      Access access = access_of<double>(items.size(), variants, value);
      if (access == Access::Consecutive) access = Access::Table;
      code.constants.push_back(access);
      if (access == Access::Same) loop.constants.push_back(value(0));
      for (std::size_t k = 0; access == Access::Table && k < items.size(); ++k)
        loop.constant_tables.push_back(value(k));
    }
    loop.code = number_of(code);
    Segment& segment = result_.kernels.back().emplace_back();
    segment.loop = std::move(loop);
  }

  std::uint32_t number_of(const LoopCode& code) {
    std::vector<std::uint32_t> key = {code.shape, code.to_outputs, code.independent};
    for (const Access access : code.symbols) key.push_back(static_cast<std::uint32_t>(access));
    for (const Access access : code.constants) key.push_back(static_cast<std::uint32_t>(access));
    const auto [found, is_new] =
        code_numbers_.emplace(std::move(key), static_cast<std::uint32_t>(result_.codes.size()));
    if (is_new) result_.codes.push_back(code);
    return found->second;
  }

  RolledCode& result_;
  ShapeTable shapes_;
  std::vector<Item> items_;
  std::vector<std::size_t> ends_;  // of the kernels' items
  std::span<const Item> items_of_kernel_;
  std::vector<std::uint32_t> producers_;  // by symbol; all none between kernels
  std::map<std::vector<std::uint32_t>, std::uint32_t> code_numbers_;
};

Segment straight(structure::Kernel kernel) {
  Segment segment{.straight = std::move(kernel)};
  segment.output_places.resize(segment.straight.outputs.size());
  std::iota(segment.output_places.begin(), segment.output_places.end(), 0U);
  return segment;
}

}  // namespace

bool is_worth_rolling(const std::vector<structure::Kernel>& kernels, const expr::Arena& arena) {
  expr::Walker walker;
  std::size_t nodes = 0;
  for (const structure::Kernel& kernel : kernels) {
    for (const structure::Assignment& assignment : kernel.assignments) {
      nodes += walker.post_order(arena, assignment.value).size();
      if (nodes > most_straight_nodes) return true;
    }
    for (const ExprId output : kernel.outputs) {
      nodes += walker.post_order(arena, output).size();
      if (nodes > most_straight_nodes) return true;
    }
  }
  return false;
}

RolledCode roll(std::vector<structure::Kernel> kernels, const expr::Arena& arena) {
  RolledCode result;
  if (is_worth_rolling(kernels, arena)) {
    Roller roller(arena, result);
    std::size_t items = 0;
    for (const structure::Kernel& kernel : kernels)
      items += kernel.assignments.size() + kernel.outputs.size();
    roller.reserve(items);
    for (structure::Kernel& kernel : kernels) {
      roller.read(kernel);
      kernel = {};
    }
    roller.run();
    return result;
  }
  for (structure::Kernel& kernel : kernels) result.kernels.push_back({straight(std::move(kernel))});
  return result;
}

}  // namespace daedalus::codegen
