#include "daedalus/base/archive.hpp"

#include <gtest/gtest.h>

#include <array>

namespace daedalus {
namespace {

class Counter {
 public:
  explicit Counter(int count = 0) : count_(count) {}
  int count() const { return count_; }
  void archive(Archive& a) { a(count_); }

 private:
  int count_;
};

struct Named {
  std::string name;
  std::vector<Counter> counters;
};
template <class Archive>
void archive(Archive& a, Named& named) {
  a(named.name, named.counters);
}

TEST(Archive, GivesBackWhatWasWritten) {
  Archive writer;
  Named named{"two", {Counter(3), Counter(4)}};
  std::optional<std::string> text = "there", none;
  std::vector<bool> bits = {true, false, true};
  writer(named, text, none, bits);

  Archive reader(writer.bytes());
  Named read;
  std::optional<std::string> read_text, read_none = "not there";
  std::vector<bool> read_bits;
  reader(read, read_text, read_none, read_bits);
  EXPECT_TRUE(reader.is_at_end());
  EXPECT_EQ(read.name, "two");
  ASSERT_EQ(read.counters.size(), 2u);
  EXPECT_EQ(read.counters[1].count(), 4);
  EXPECT_EQ(read_text, "there");
  EXPECT_FALSE(read_none);
  EXPECT_EQ(read_bits, bits);
}

TEST(Archive, ReadsASpanToWhereItLies) {
  std::array<double, 2> from = {1.5, -0.0}, to = {};
  std::span<double> there = from, here = to;
  Archive writer;
  writer(there);
  Archive reader(writer.bytes());
  reader(here);
  EXPECT_EQ(to, from);

  Archive again(writer.bytes());
  std::span<double> shorter = here.first(1);
  EXPECT_THROW(again(shorter), std::runtime_error);
}

TEST(Archive, RefusesBytesThatEndTooEarly) {
  Archive writer;
  writer.write(std::vector<double>{1.0, 2.0, 3.0});
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    Archive reader(std::string_view(writer.bytes()).substr(0, size));
    std::vector<double> read;
    EXPECT_THROW(reader(read), std::runtime_error) << size;
  }
}

}  // namespace
}  // namespace daedalus
