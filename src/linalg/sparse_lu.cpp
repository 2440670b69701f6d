#include "daedalus/linalg/sparse_lu.hpp"

#include <klu.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/linalg/ordering.hpp"

namespace daedalus::linalg {
namespace {

// Old pivots are kept while the largest entry of no column of U has outgrown that of A by more than
// this. KLU's reciprocal growth is near 1 for fresh pivots; CVODE's KLU module refactors at a
// condition estimate of eps^(-2/3), about 3e10, which growth alone must stay well clear of.
constexpr double worst_reciprocal_growth = 1e-6;

enum class Order : std::uint8_t { MinimumDegree, ColumnMinimumDegree, NestedDissection };

// Operations of a factorization by minimum degree. With fewer, trying another order takes longer
// than it saves.
constexpr double worth_a_trial = 2e7;
// Column minimum degree, which does not depend on the symmetry of the pattern, is only tried where
// fewer entries than this have a counterpart: for others it is far worse.
constexpr double little_symmetry = 0.5;

template <class Scalar>
struct Klu;

template <>
struct Klu<double> {
  static constexpr auto factor = klu_factor;
  static constexpr auto refactor = klu_refactor;
  static constexpr auto growth = klu_rgrowth;
  static constexpr auto rcond = klu_rcond;
  static constexpr auto flops = klu_flops;
  static constexpr auto solve = klu_solve;
  static constexpr auto free = klu_free_numeric;
};

template <>
struct Klu<std::complex<double>> {
  static constexpr auto factor = klu_z_factor;
  static constexpr auto refactor = klu_z_refactor;
  static constexpr auto growth = klu_z_rgrowth;
  static constexpr auto rcond = klu_z_rcond;
  static constexpr auto flops = klu_z_flops;
  static constexpr auto solve = klu_z_solve;
  static constexpr auto free = klu_z_free_numeric;
};

}  // namespace

template <class Scalar>
struct SparseLu<Scalar>::State {
  Sparsity pattern;
  std::vector<Scalar> values;
  std::vector<Scalar> pivoted;  // those for which the pivots were chosen,
  bool keeps_pivots = false;    // and whether the factors are for others
  klu_common common = {};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  std::size_t pivot_searches = 0;
  Order order = Order::MinimumDegree;
  bool has_tried_orders = false;

  void analyse(Order wanted);
  double operations();
  bool try_orders();
  double* entries() { return reinterpret_cast<double*>(values.data()); }
  bool refactor();
  bool find_pivots();
};

template <class Scalar>
void SparseLu<Scalar>::State::analyse(Order wanted) {
  if (numeric != nullptr) Klu<Scalar>::free(&numeric, &common);
  if (symbolic != nullptr) klu_free_symbolic(&symbolic, &common);
  order = wanted;
  const int n = static_cast<int>(pattern.size);
  if (wanted != Order::NestedDissection) {
    common.ordering = wanted == Order::MinimumDegree ? 0 : 1;
    symbolic = klu_analyze(n, pattern.starts.data(), pattern.rows.data(), &common);
    return;
  }
  std::vector<int> given = nested_dissection(pattern);
  if (given.empty()) return;
  symbolic = klu_analyze_given(n, pattern.starts.data(), pattern.rows.data(), given.data(),
                               given.data(), &common);
}

// Of a factorization with the pivots that there are.
template <class Scalar>
double SparseLu<Scalar>::State::operations() {
  return Klu<Scalar>::flops(symbolic, numeric, &common) ? common.flops : 0.0;
}

// With the first matrix that could be factored. What is found then stays.
template <class Scalar>
bool SparseLu<Scalar>::State::try_orders() {
  has_tried_orders = true;
  Order best = order;
  double fewest = operations();
  if (fewest < worth_a_trial) return true;
  const bool is_symmetric = symbolic->symmetry >= little_symmetry;
  for (const Order tried : {Order::ColumnMinimumDegree, Order::NestedDissection}) {
    if (tried == Order::ColumnMinimumDegree && is_symmetric) continue;
    analyse(tried);
    if (symbolic == nullptr || !find_pivots() || operations() >= fewest) continue;
    fewest = operations();
    best = tried;
  }
  if (order == best) return true;
  analyse(best);
  return symbolic != nullptr && find_pivots();
}

// False if the old pivots have become bad.
template <class Scalar>
bool SparseLu<Scalar>::State::refactor() {
  int* starts = pattern.starts.data();
  int* rows = pattern.rows.data();
  if (!Klu<Scalar>::refactor(starts, rows, entries(), symbolic, numeric, &common)) return false;
  if (common.status != KLU_OK) return false;
  keeps_pivots = true;
  if (!Klu<Scalar>::growth(starts, rows, entries(), symbolic, numeric, &common)) return false;
  return common.rgrowth > worst_reciprocal_growth;
}

template <class Scalar>
bool SparseLu<Scalar>::State::find_pivots() {
  ++pivot_searches;
  if (numeric != nullptr) Klu<Scalar>::free(&numeric, &common);
  numeric =
      Klu<Scalar>::factor(pattern.starts.data(), pattern.rows.data(), entries(), symbolic, &common);
  if (numeric == nullptr) return false;
  pivoted = values;
  keeps_pivots = false;
  if (common.status == KLU_OK && Klu<Scalar>::rcond(symbolic, numeric, &common) &&
      common.rcond > 0.0) {
    return true;
  }
  Klu<Scalar>::free(&numeric, &common);
  return false;
}

template <class Scalar>
SparseLu<Scalar>::SparseLu(Sparsity pattern) : state_(std::make_unique<State>()) {
  DAEDALUS_CHECK(pattern.size > 0);
  State& s = *state_;
  s.pattern = std::move(pattern);
  s.values.resize(s.pattern.entries());
  s.pivoted.reserve(s.pattern.entries());
  klu_defaults(&s.common);
  s.analyse(Order::MinimumDegree);
}

template <class Scalar>
SparseLu<Scalar>::~SparseLu() {
  if (state_->numeric != nullptr) Klu<Scalar>::free(&state_->numeric, &state_->common);
  if (state_->symbolic != nullptr) klu_free_symbolic(&state_->symbolic, &state_->common);
}

template <class Scalar>
std::span<Scalar> SparseLu<Scalar>::values() {
  return state_->values;
}

template <class Scalar>
Factorization SparseLu<Scalar>::factor() {
  State& s = *state_;
  if (s.symbolic == nullptr) return Factorization::Singular;  // structurally
  if (s.numeric != nullptr && s.refactor()) return Factorization::Regular;
  if (!s.find_pivots()) return Factorization::Singular;
  return s.has_tried_orders || s.try_orders() ? Factorization::Regular : Factorization::Singular;
}

template <class Scalar>
Factorization SparseLu<Scalar>::factor_with_new_pivots() {
  State& s = *state_;
  if (s.symbolic == nullptr) return Factorization::Singular;
  return s.find_pivots() ? Factorization::Regular : Factorization::Singular;
}

template <class Scalar>
void SparseLu<Scalar>::archive(Archive& a) {
  State& s = *state_;
  bool has_factors = s.numeric != nullptr;
  std::span<Scalar> last = s.values;  // only changed for the next factors
  Order order = s.order;
  a(last, has_factors, s.pivot_searches, order, s.has_tried_orders);
  if (order != s.order) s.analyse(order);
  if (!has_factors && s.numeric != nullptr) Klu<Scalar>::free(&s.numeric, &s.common);
  if (!has_factors) return;
  bool keeps_pivots = s.keeps_pivots;
  a(s.pivoted, keeps_pivots);
  if (!a.is_reading()) return;
  Archive::require(s.symbolic != nullptr && s.pivoted.size() == s.values.size());
  const std::size_t searches = s.pivot_searches;
  const std::vector<Scalar> values = s.values;
  std::ranges::copy(s.pivoted, s.values.begin());
  Archive::require(s.find_pivots());
  std::ranges::copy(values, s.values.begin());
  if (keeps_pivots) s.refactor();
  s.pivot_searches = searches;
}

template <class Scalar>
double SparseLu<Scalar>::pivot_ratio() const {
  State& s = *state_;
  DAEDALUS_CHECK(s.numeric != nullptr);
  return Klu<Scalar>::rcond(s.symbolic, s.numeric, &s.common) ? s.common.rcond : 0.0;
}

template <class Scalar>
void SparseLu<Scalar>::solve(std::span<Scalar> x) {
  State& s = *state_;
  DAEDALUS_CHECK(s.numeric != nullptr);
  Klu<Scalar>::solve(s.symbolic, s.numeric, static_cast<int>(s.pattern.size), 1,
                     reinterpret_cast<double*>(x.data()), &s.common);
}

template <class Scalar>
FactorSize SparseLu<Scalar>::expected_size() const {
  const State& s = *state_;
  if (s.symbolic == nullptr) return {};
  return {.operations = s.symbolic->est_flops, .entries = s.symbolic->lnz + s.symbolic->unz};
}

template <class Scalar>
double SparseLu<Scalar>::operations() const {
  return state_->numeric != nullptr ? state_->operations() : 0.0;
}

template <class Scalar>
std::size_t SparseLu<Scalar>::pivot_searches() const {
  return state_->pivot_searches;
}

template class SparseLu<double>;
template class SparseLu<std::complex<double>>;

}  // namespace daedalus::linalg
