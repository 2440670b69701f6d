#include "daedalus/linalg/sparsity.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace daedalus::linalg {
namespace {

TEST(AddProduct, AddsAMultipleOfThePatternTimesAVector) {
  const Sparsity pattern{.size = 3, .starts = {0, 2, 2, 3}, .rows = {0, 2, 1}};
  std::vector<double> product = {1.0, 1.0, 1.0};
  add_product(pattern, std::vector{3.0, 4.0, 5.0}, 2.0, std::vector{1.0, 7.0, 10.0}, product);
  EXPECT_THAT(product, testing::ElementsAre(7.0, 101.0, 9.0));
}

}  // namespace
}  // namespace daedalus::linalg
