// --variables: which variables go into the results.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::cli {

// Comma-separated patterns with `*` and `?`. Commas inside brackets are part of a name: x[1,2]. A
// pattern that matches an array matches its elements.
class Selection {
 public:
  explicit Selection(const std::string& patterns);

  // A pattern that matches no name is a mistake.
  std::optional<Error> check(std::span<const std::string> names) const;

  bool contains(const std::string& name) const;

 private:
  std::vector<std::string> patterns_;  // none: everything is kept
};

}  // namespace daedalus::cli
