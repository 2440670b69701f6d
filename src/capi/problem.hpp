// The equations behind a daedalus_problem, and who owns them.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daedalus.h"
#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::capi {

enum class Storage { Dense, Banded, Columns };  // of a Jacobian, as the callback sees it

struct Equations {
  std::size_t size = 0;
  void* user = nullptr;
  daedalus_f f = nullptr;  // either this or the residual
  daedalus_residual residual = nullptr;
  daedalus_jacobian jacobian = nullptr;
  daedalus_residual_jacobian residual_jacobian = nullptr;
  daedalus_prepare prepare = nullptr;
  daedalus_precondition precondition = nullptr;
  Storage storage = Storage::Dense;
  std::size_t lower = 0;  // of the Storage Banded
  std::size_t upper = 0;
  std::optional<linalg::Sparsity> pattern = std::nullopt;  // unless the Storage is Dense
  std::optional<linalg::SparseMatrix> mass = std::nullopt;
  std::vector<std::size_t> constant_columns = {};  // increasing
  std::vector<std::string> names = {};

  std::size_t band() const { return lower + upper + 1; }
};

}  // namespace daedalus::capi

struct daedalus_problem {
  daedalus::capi::Equations equations;
  std::atomic<std::size_t> owners = 1;  // the caller, until it is freed, and the integrators
};

namespace daedalus::capi {

// Keeps a problem for an integrator. Counts by hand because the caller's pointer is an owner, too,
// and a shared_ptr for it would be one more allocation.
class SharedProblem {
 public:
  explicit SharedProblem(daedalus_problem& problem) noexcept : problem_(&problem) {
    problem.owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedProblem(const SharedProblem&) = delete;
  SharedProblem& operator=(const SharedProblem&) = delete;
  ~SharedProblem() { release(problem_); }

  const Equations& equations() const { return problem_->equations; }
  daedalus_problem& problem() const { return *problem_; }

  static void release(daedalus_problem* problem) noexcept {
    if (problem->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete problem;
  }

 private:
  daedalus_problem* problem_;
};

}  // namespace daedalus::capi
