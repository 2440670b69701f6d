// The Taylor coefficients of expressions, written out power by power.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "daedalus/structure/structured.hpp"
#include "steps/writer.hpp"

namespace daedalus::steps {

// Coefficients are normalised: those of x^0, x^1, ... in a variable x that goes from 0 to 1 in a
// step. Symbols are given theirs, or are defined by an expression, or do not move and have their
// value in the frame. What is certainly 0 is the constant 0 and costs nothing. Rules as in Jorba
// and Zou 2005, section 2; Griewank and Walther 2008, chapter 13.
class Series {
 public:
  // Expressions are those of the writer's arena.
  explicit Series(Writer& writer) : writer_(writer) {}

  // Says what symbols are, before anything that reads them is expanded.
  void move(SymbolId id);  // give() provides its coefficients
  void define(SymbolId id, expr::ExprId value);
  void forbid(SymbolId id);  // it has no series

  // Unknowns that are determined together by residuals, which are linear in them. The matrix holds
  // the derivatives of the residuals; `at` says which, by residual and unknown.
  struct Loop {
    std::vector<SymbolId> unknowns;
    std::vector<expr::ExprId> residuals;
    std::vector<expr::ExprId> matrix;
    std::vector<structure::Entry> at;
  };
  static constexpr std::size_t most_unknowns = 3;  // of a loop

  // Why there is no series: a forbidden symbol, or an operation that is not smooth in what moves.
  struct Obstacle {
    expr::ExprId expression;
    SymbolId within;  // the last symbol on the way to it that was defined; none: the root itself
  };
  // Prepares the expression and all that it needs. Near-linear in the size of that.
  std::optional<Obstacle> expand(expr::ExprId root);

  // Prepares a loop, before anything else that reads its unknowns is expanded.
  std::optional<Obstacle> expand(const Loop& loop);

  // Only these expanded expressions and what they need get further coefficients.
  void want(std::span<const expr::ExprId> roots);

  // The next coefficient of a symbol that moves, before advance() computes the others of that
  // power.
  void give(SymbolId id, Term coefficient);
  void advance();

  // Whether the domain of what has been expanded so far has an edge, like that of a root.
  bool has_edge() const;

  Term coefficient(expr::ExprId id, std::size_t power) const;

  // The same times a factor. Where the last operation is a product with something that does not
  // move, that and the factor are multiplied first: the next power waits for one product less.
  Term scaled(expr::ExprId id, std::size_t power, Term factor);

 private:
  enum class Rule : std::uint8_t {
    Given,
    Still,       // a function of items that do not move
    Same,        // as a
    Negative,    // -a
    Sum,         // a + b
    Difference,  // a - b
    Product,     // a b
    Square,      // a a
    Quotient,    // a / b
    Root,        // of a
    Power,       // a to an exponent b that does not move
    Multiple,    // of a by a number
    Choice,      // b where a, which does not move, is true, otherwise c
    Signed,      // b where a, which does not move, is true, otherwise -b
    Growth,      // its derivative is factor a' b, where b may be a function of it
    Integral,    // its derivative is factor a' / b
    Angle,       // its derivative is (a' b - b' a) / c
    Unknown,     // of the loop that item c solves
    Solution,    // of a loop, the a-th
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Item {
    expr::ExprId id;
    Rule rule = Rule::Given;
    std::uint32_t a = none, b = none, c = none;  // items
    double factor = 1.0;
    bool moves = true;
    bool is_wanted = true;
    Vector coefficients = {};
    Vector slopes = {};    // k times the coefficient of x^k
    Term reciprocal = {};  // the factor of higher coefficients, once it is known
  };
  struct SolvedLoop {
    std::vector<std::uint32_t> unknowns, residuals, matrix;
    std::vector<structure::Entry> at;
    std::vector<std::uint32_t> dependents;  // items between them, in their order
    Vector inverse = {};                    // row by row, once it is known
  };
  struct Pending {
    expr::ExprId id;
    SymbolId within;
  };

  std::uint32_t item_of(expr::ExprId id) const;
  bool is_placed(expr::ExprId id) const { return item_of(id) != none; }
  std::uint32_t place(Item item);
  bool visit(const Pending& at, std::optional<Obstacle>& obstacle);
  bool visit_symbol(const Pending& at, std::optional<Obstacle>& obstacle);
  bool visit_moving(const Pending& at, const expr::Node& node, std::optional<Obstacle>& obstacle);
  bool need(expr::ExprId id, const Pending& at);
  std::optional<bool> visit_function(const Pending& at, const expr::Node& node);
  bool visit_power(const Pending& at, const expr::Node& node);
  void place_pair(expr::ExprId first, expr::ExprId second, std::uint32_t argument, double sign);
  void place_tangent(expr::ExprId id, std::uint32_t argument, double sign);

  void forget_from(std::uint32_t first);
  bool is_dependent(const Item& item, const std::vector<bool>& is_known) const;
  std::vector<std::uint32_t> dependents_of(const SolvedLoop& loop) const;
  void solve(SolvedLoop& loop);
  Vector inverse_of(const SolvedLoop& loop);

  // Like Writer::keep, but what was kept before is not computed again.
  Term keep(Term value);
  Term choice(const Item& item);
  Term zero() { return writer_.constant(0.0); }
  Term at(std::uint32_t item, std::size_t power);
  Term slope(std::uint32_t item, std::size_t power);
  Term lowest(const Item& item);
  void add_next(std::uint32_t number);
  Term next(std::uint32_t number);
  Term product(std::uint32_t a, std::uint32_t b);
  Term square(std::uint32_t a, std::size_t lowest);
  Term power(std::uint32_t number);
  Term reciprocal(std::uint32_t number, Term of);

  Writer& writer_;
  std::vector<Item> items_;                       // in an order in which they can be computed
  std::vector<std::uint32_t> places_;             // by expression
  std::vector<expr::ExprId> defined_;             // by symbol
  std::vector<bool> is_forbidden_;                // by symbol
  std::unordered_map<std::uint32_t, Term> kept_;  // by expression
  std::vector<SolvedLoop> loops_;
  std::vector<Pending> pending_;
  std::size_t power_ = 0;  // the next one
};

}  // namespace daedalus::steps
