#include "daedalus/base/build.hpp"

#include <gtest/gtest.h>

namespace daedalus {
namespace {

TEST(BuildIdentity, IsTheDigestOfTheLinker) {
  const std::string identity = build_identity();
  EXPECT_GE(identity.size(), 32U);
  EXPECT_EQ(identity.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(identity, build_identity());
}

}  // namespace
}  // namespace daedalus
