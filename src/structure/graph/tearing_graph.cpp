#include "structure/graph/tearing_graph.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <queue>
#include <ranges>
#include <span>

namespace daedalus::structure {
namespace {

// The look-ahead compares this many equations, and follows each for this many steps.
constexpr std::size_t lookahead_breadth = 16;
constexpr std::size_t lookahead_length = 64;
// Each equation is tried as the first one up to this product of equations and entries: about 40
// equations.
constexpr std::size_t most_beginnings = 6'000;
// Enough for most blocks of up to 24 equations; takes 10 ms where 32 equations are too many.
constexpr std::size_t most_sets = 1'000;
// Each tearing unknown is tried to be left out up to this product of tearing unknowns and entries.
constexpr std::size_t most_leaving_out = 2'000'000;

// The growth of errors in steps as long as time constants, in shorter and in longer ones.
using Growth = std::array<double, 3>;
constexpr Growth no_growth = {1.0, 1.0, 1.0};

// g(v) of an equation's only unknown that is not known yet.
class GrowthOfStep {
 public:
  explicit GrowthOfStep(const TearingGraph& graph)
      : factors_{1.0, 1.0 / graph.step_range, graph.step_range},
        cases_(graph.step_range == 1.0 ? 1 : factors_.size()) {}

  void add_known(const TearingGraph::Use& use, const Growth& growth) {
    for (std::size_t i = 0; i < cases_; ++i) sum_[i] += weight(use, i) * growth[i];
  }
  // The growth along very long chains stays finite, so that it can be multiplied by 0.
  Growth through(const TearingGraph::Use& pivot) const {
    Growth growth = {};
    for (std::size_t i = 0; i < cases_; ++i)
      growth[i] = std::min(sum_[i] / weight(pivot, i), 1e300);
    return growth;
  }

 private:
  double weight(const TearingGraph::Use& use, std::size_t i) const {
    return use.with_step ? use.weight * factors_[i] : use.weight;
  }

  Growth factors_;
  std::size_t cases_;
  Growth sum_ = {};
};

// What is known so far and what follows from it, with undo.
class Knowledge {
 public:
  Knowledge(const TearingGraph& graph, double most_growth)
      : graph_(graph),
        most_growth_(most_growth),
        users_(graph.size()),
        missing_(graph.size()),
        known_(graph.size(), false),
        spent_(graph.size(), false),
        growth_(graph.size(), no_growth) {
    for (std::uint32_t e = 0; e < graph.size(); ++e) {
      for (const TearingGraph::Use& use : graph.uses[e]) users_[use.unknown].push_back(e);
      missing_[e] = graph.uses[e].size();
      if (missing_[e] == 1) make_ready(e);
    }
  }

  bool is_known(std::size_t v) const { return known_[v]; }
  bool is_spent(std::size_t e) const { return spent_[e]; }
  std::size_t missing(std::size_t e) const { return missing_[e]; }
  const std::vector<std::uint32_t>& users(std::size_t v) const { return users_[v]; }
  std::size_t known_count() const { return log_.size(); }

  void learn(std::uint32_t v, const Growth& growth = no_growth) {
    known_[v] = true;
    growth_[v] = growth;
    log_.push_back({v, none});
    for (const std::uint32_t e : users_[v]) {
      if (--missing_[e] == 1) make_ready(e);
    }
  }

  // Takes the steps that are possible, at most this many, and first those in which errors grow
  // least, as several equations may give the same unknown.
  void follow(std::size_t most_steps = none) {
    std::size_t taken = 0;
    while (!ready_.empty() && taken < most_steps) {
      const Ready step = ready_.top();
      ready_.pop();
      if (missing_[step.equation] == 1 && take(step)) ++taken;
    }
    if (taken == most_steps) ready_ = {};  // a look-ahead: the caller will undo it
  }

  void go_back_to(std::size_t count) {
    while (log_.size() > count) {
      const auto [v, e] = log_.back();
      log_.pop_back();
      known_[v] = false;
      for (const std::uint32_t user : users_[v]) ++missing_[user];
      if (e != none) spent_[e] = false;
    }
    ready_ = {};
  }

  TearingOrder order() const {
    TearingOrder order;
    for (const auto& [v, e] : log_) {
      if (e == none) {
        order.tearing.push_back(v);
      } else {
        order.steps.push_back({e, v});
      }
    }
    return order;
  }

  // What became known after the first this many.
  auto known_since(std::size_t count) const {
    return std::span(log_).subspan(count) | std::views::transform(&Learned::unknown);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Learned {
    std::uint32_t unknown;
    std::uint32_t equation;  // none: torn
  };

  struct Ready {
    double largest;
    std::uint32_t equation, unknown;
    Growth growth;
    friend bool operator<(const Ready& a, const Ready& b) {  // the last one comes first
      return a.largest != b.largest ? a.largest > b.largest : a.equation > b.equation;
    }
  };

  // The equation has one unknown left.
  void make_ready(std::uint32_t e) {
    const std::vector<TearingGraph::Use>& uses = graph_.uses[e];
    const auto is_open = [&](const TearingGraph::Use& use) { return !known_[use.unknown]; };
    const auto open = std::ranges::find_if(uses, is_open);
    if (!open->solvable) return;
    GrowthOfStep step(graph_);
    for (const TearingGraph::Use& use : uses) {
      if (!is_open(use)) step.add_known(use, growth_[use.unknown]);
    }
    const Growth growth = step.through(*open);
    ready_.push({std::ranges::max(growth), e, open->unknown, growth});
  }

  bool take(const Ready& step) {
    // What cannot be iterated on is always solved for.
    if (step.largest > most_growth_ && graph_.can_be_torn(step.unknown)) return false;
    spent_[step.equation] = true;
    learn(step.unknown, step.growth);
    log_.back().equation = step.equation;
    return true;
  }

  const TearingGraph& graph_;
  double most_growth_;
  std::vector<std::vector<std::uint32_t>> users_;  // equations of an unknown
  std::vector<std::size_t> missing_;               // unknowns of an equation that are not known
  std::vector<bool> known_, spent_;
  std::vector<Growth> growth_;
  std::priority_queue<Ready> ready_;
  std::vector<Learned> log_;
};

// Of the equation's open unknowns the one that it should give: the one that cannot be torn, or
// else, of those least preferred for tearing, the one with the largest coefficient. None if it may
// be solved for none.
const TearingGraph::Use* open_pivot(const TearingGraph& graph, const Knowledge& knowledge,
                                    std::uint32_t e) {
  const TearingGraph::Use* best = nullptr;
  for (const TearingGraph::Use& use : graph.uses[e]) {
    if (knowledge.is_known(use.unknown) || !use.solvable) continue;
    if (!graph.can_be_torn(use.unknown)) return &use;
    const auto rank = [&](const TearingGraph::Use& pivot) {
      return std::pair(-graph.preference_of(pivot.unknown), pivot.weight);
    };
    if (best == nullptr || rank(use) > rank(*best)) best = &use;
  }
  return best;
}

// Whether all open unknowns of the equation except its pivot can be torn.
bool can_tear_others(const TearingGraph& graph, const Knowledge& knowledge, std::uint32_t e,
                     const TearingGraph::Use& pivot) {
  return std::ranges::all_of(graph.uses[e], [&](const TearingGraph::Use& use) {
    return use.unknown == pivot.unknown || knowledge.is_known(use.unknown) ||
           graph.can_be_torn(use.unknown);
  });
}

void tear_others(const TearingGraph& graph, Knowledge& knowledge, std::uint32_t e) {
  const std::uint32_t pivot = open_pivot(graph, knowledge, e)->unknown;
  for (const TearingGraph::Use& use : graph.uses[e]) {
    if (use.unknown != pivot && !knowledge.is_known(use.unknown)) knowledge.learn(use.unknown);
  }
}

// Unknowns that no equation may be solved for. Those that cannot be torn come last: some of them
// may follow from the others.
void tear_what_is_left(const TearingGraph& graph, Knowledge& knowledge) {
  for (const bool can_be_torn : {true, false}) {
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      if (knowledge.is_known(v) || graph.can_be_torn(v) != can_be_torn) continue;
      knowledge.learn(v);
      knowledge.follow();
    }
  }
}

// The next equation: of those with the fewest open unknowns the one from which most follows; or, of
// the first with few open unknowns, the one from which most follows per unknown torn.
enum class Prefer { FewestOpen, BestRatio };

// The greedy choice of equations.
class EquationChoice {
 public:
  EquationChoice(const TearingGraph& graph, double most_growth, Prefer prefer)
      : graph_(graph), knowledge_(graph, most_growth), prefer_(prefer) {
    for (std::uint32_t e = 0; e < graph.size(); ++e) queue_.push({graph.uses[e].size(), e});
  }

  // Starts with this equation.
  TearingOrder run_from(std::uint32_t first) {
    knowledge_.follow();
    if (is_candidate({knowledge_.missing(first), first})) tear_others(graph_, knowledge_, first);
    return run();
  }

  TearingOrder run() {
    for (;;) {
      knowledge_.follow();
      renew_candidates();
      const std::optional<std::uint32_t> e = best_equation();
      if (!e) break;
      tear_others(graph_, knowledge_, *e);
    }
    tear_what_is_left(graph_, knowledge_);
    return knowledge_.order();
  }

 private:
  using Candidate = std::pair<std::size_t, std::uint32_t>;  // open unknowns, equation

  void renew_candidates() {
    for (const std::uint32_t v : knowledge_.known_since(seen_)) {
      for (const std::uint32_t e : knowledge_.users(v)) {
        if (knowledge_.missing(e) > 1) queue_.push({knowledge_.missing(e), e});
      }
    }
    seen_ = knowledge_.known_count();
  }

  // Counts only fall, and each fall made a new entry: an entry with another count is out of date.
  bool is_candidate(const Candidate& candidate) const {
    const auto [missing, e] = candidate;
    if (knowledge_.missing(e) != missing || missing < 2) return false;
    const TearingGraph::Use* pivot = open_pivot(graph_, knowledge_, e);
    return pivot != nullptr && can_tear_others(graph_, knowledge_, e, *pivot);
  }

  std::optional<std::uint32_t> best_equation() {
    std::vector<Candidate> few;
    while (!queue_.empty() && few.size() < lookahead_breadth) {
      const Candidate candidate = queue_.top();
      const bool has_more = !few.empty() && candidate.first != few.front().first;
      if (has_more && prefer_ == Prefer::FewestOpen) break;
      queue_.pop();
      if (is_candidate(candidate) && (few.empty() || few.back() != candidate))
        few.push_back(candidate);
    }
    if (few.empty()) return std::nullopt;
    std::uint32_t best = few.front().second;
    double most = 0.0;
    for (const auto& [missing, e] : few) {
      const double follows = few.size() == 1 ? 1.0 : what_follows(e);
      const double ratio = follows / static_cast<double>(missing - 1);
      if (ratio <= most) continue;
      most = ratio;
      best = e;
    }
    for (const Candidate& candidate : few) {
      if (candidate.second != best) queue_.push(candidate);
    }
    return best;
  }

  double what_follows(std::uint32_t e) {
    const std::size_t before = knowledge_.known_count();
    tear_others(graph_, knowledge_, e);
    knowledge_.follow(lookahead_length);
    const std::size_t follows = knowledge_.known_count() - before;
    knowledge_.go_back_to(before);
    return static_cast<double>(follows);
  }

  const TearingGraph& graph_;
  Knowledge knowledge_;
  Prefer prefer_;
  std::size_t seen_ = 0;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
};

// Removes tearing unknowns that follow from the others. Tries each, the last ones first.
void leave_out_what_follows(const TearingGraph& graph, double most_growth, TearingOrder& order) {
  if (order.tearing.size() * graph.entries() > most_leaving_out) return;
  for (std::size_t i = order.tearing.size(); i-- > 0 && order.tearing.size() > 1;) {
    Knowledge knowledge(graph, most_growth);
    for (std::size_t k = 0; k < order.tearing.size(); ++k) {
      if (k != i) knowledge.learn(order.tearing[k]);
    }
    knowledge.follow();
    if (knowledge.known_count() == graph.size()) order = knowledge.order();
  }
}

// The smallest of several orders, the first of equal ones.
class Smallest {
 public:
  Smallest(const TearingGraph& graph, double most_growth)
      : graph_(graph), most_growth_(most_growth) {}

  void compare(TearingOrder order) {
    leave_out_what_follows(graph_, most_growth_, order);
    if (!best_ || order.tearing.size() < best_->tearing.size()) best_ = std::move(order);
  }
  TearingOrder order() { return std::move(*best_); }

 private:
  const TearingGraph& graph_;
  double most_growth_;
  std::optional<TearingOrder> best_;
};

}  // namespace

double estimated_growth(const TearingGraph& graph, const TearingOrder& order) {
  std::vector<Growth> growth(graph.size(), no_growth);
  double largest = 1.0;
  for (const TearingOrder::Step& step : order.steps) {
    const std::vector<TearingGraph::Use>& uses = graph.uses[step.equation];
    const auto pivot = std::ranges::find(uses, step.unknown, &TearingGraph::Use::unknown);
    GrowthOfStep of_step(graph);
    for (const TearingGraph::Use& use : uses) {
      if (use.unknown != step.unknown) of_step.add_known(use, growth[use.unknown]);
    }
    growth[step.unknown] = of_step.through(*pivot);
    largest = std::max(largest, std::ranges::max(growth[step.unknown]));
  }
  return largest;
}

TearingOrder order_for(const TearingGraph& graph, const std::vector<std::uint32_t>& tearing) {
  Knowledge knowledge(graph, any_growth);
  for (const std::uint32_t v : tearing) knowledge.learn(v);
  knowledge.follow();
  return knowledge.order();
}

TearingOrder tear_by_unknowns(const TearingGraph& graph, double most_growth) {
  Knowledge knowledge(graph, most_growth);
  using Candidate = std::tuple<bool, std::size_t, std::ptrdiff_t>;  // tearable, uses, -unknown
  std::priority_queue<Candidate> queue;
  const auto remaining_uses = [&](std::uint32_t v) {
    return static_cast<std::size_t>(std::ranges::count_if(
        knowledge.users(v), [&](std::uint32_t e) { return !knowledge.is_spent(e); }));
  };
  for (std::uint32_t v = 0; v < graph.size(); ++v)
    queue.push({graph.can_be_torn(v), remaining_uses(v), -static_cast<std::ptrdiff_t>(v)});
  for (knowledge.follow(); knowledge.known_count() < graph.size();) {
    const auto [tearable, uses, negative] = queue.top();
    queue.pop();
    const auto v = static_cast<std::uint32_t>(-negative);
    if (knowledge.is_known(v)) continue;
    // Counts in the queue may be out of date; they only fall.
    if (const std::size_t present = remaining_uses(v); present != uses) {
      queue.push({tearable, present, negative});
      continue;
    }
    knowledge.learn(v);
    knowledge.follow();
  }
  return knowledge.order();
}

TearingOrder tear_by_equations(const TearingGraph& graph, double most_growth) {
  Smallest smallest(graph, most_growth);
  smallest.compare(EquationChoice(graph, most_growth, Prefer::FewestOpen).run());
  smallest.compare(EquationChoice(graph, most_growth, Prefer::BestRatio).run());
  return smallest.order();
}

TearingOrder tear_greedily(const TearingGraph& graph, double most_growth) {
  Smallest smallest(graph, most_growth);
  smallest.compare(tear_by_equations(graph, most_growth));
  smallest.compare(tear_by_unknowns(graph, most_growth));
  if (graph.size() * graph.entries() > most_beginnings) return smallest.order();
  for (std::uint32_t e = 0; e < graph.size(); ++e)
    smallest.compare(EquationChoice(graph, most_growth, Prefer::FewestOpen).run_from(e));
  return smallest.order();
}

TearingOrder tear_graph(const TearingGraph& graph) {
  TearingOrder quick = improve_to_minimum(graph, tear_by_equations(graph), most_sets);
  if (quick.is_minimum) return quick;
  return tear_greedily(graph);
}

}  // namespace daedalus::structure
