#include "integrate/implicit/mix_stages.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace daedalus::integrate {
namespace {

TEST(MixStages, MultipliesThreeStages) {
  const std::vector<double> in = {1, 2, 3, 4, 5, 6};
  std::vector<double> out(6);
  mix_stages(std::vector<double>{1, 0, 0, 0, 2, 1, 1, 1, 1}, in, std::size_t{2}, out);
  EXPECT_EQ(out, (std::vector<double>{1, 2, 11, 14, 9, 12}));
}

TEST(MixStages, MultipliesAnyNumberOfStages) {
  const std::vector<double> in = {1, 2, 3, 4};
  std::vector<double> out(4);
  mix_stages(std::vector<double>{0, 1, 2, 0}, in, std::size_t{2}, out);
  EXPECT_EQ(out, (std::vector<double>{3, 4, 2, 4}));
}

}  // namespace
}  // namespace daedalus::integrate
