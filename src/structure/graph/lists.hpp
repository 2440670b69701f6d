// Many short lists of numbers in one block of memory.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace daedalus::structure {

class Lists {
 public:
  Lists() = default;
  explicit Lists(const std::vector<std::vector<std::uint32_t>>& lists) {
    for (const std::vector<std::uint32_t>& list : lists) append(list);
  }

  std::size_t size() const { return starts_.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t i) const {
    return std::span(entries_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }

  // Only the last list can grow: entries go to the list that was begun last.
  void begin_list() { starts_.push_back(entries_.size()); }
  void add(std::uint32_t entry) {
    entries_.push_back(entry);
    ++starts_.back();
  }
  void append(std::span<const std::uint32_t> list) {
    begin_list();
    for (const std::uint32_t entry : list) add(entry);
  }

  // For each number below `count`, the lists that contain it, in their order.
  Lists inverse(std::size_t count) const {
    Lists result;
    result.starts_.assign(count + 1, 0);
    for (const std::uint32_t entry : entries_) ++result.starts_[entry + 1];
    std::partial_sum(result.starts_.begin(), result.starts_.end(), result.starts_.begin());
    result.entries_.resize(entries_.size());
    std::vector<std::size_t> next(result.starts_.begin(), result.starts_.end() - 1);
    for (std::size_t i = 0; i < size(); ++i) {
      for (const std::uint32_t entry : (*this)[i])
        result.entries_[next[entry]++] = static_cast<std::uint32_t>(i);
    }
    return result;
  }

 private:
  std::vector<std::size_t> starts_ = {0};
  std::vector<std::uint32_t> entries_;
};

}  // namespace daedalus::structure
