#include "daedalus/base/names.hpp"

#include <gtest/gtest.h>

namespace daedalus {
namespace {

const std::vector<std::string> known = {"resistor.v", "resistor.i", "capacitor", "x"};

TEST(ClosestName, FindsANameWithOneEditTooMany) {
  EXPECT_EQ(closest_name("resistr.v", known), "resistor.v");
  EXPECT_EQ(closest_name("capaciotr", known), "capacitor");
  EXPECT_EQ(closest_name("Capacitor", known), "capacitor");
}

TEST(ClosestName, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(closest_name("inductor", known), "");
  EXPECT_EQ(closest_name("y", known), "");
  EXPECT_EQ(closest_name("", known), "");
  EXPECT_EQ(closest_name("capacitor", {}), "");
}

TEST(ClosestName, DoesNotCompareMonsters) {
  EXPECT_EQ(closest_name(std::string(1'000'000, 'a'), known), "");
  const std::vector<std::string> monster = {std::string(1'000'000, 'a')};
  EXPECT_EQ(closest_name("a", monster), "");
}

TEST(ClosestName, PrefersTheNearerOfTwo) {
  const std::vector<std::string> two = {"voltage1", "voltages"};
  EXPECT_EQ(closest_name("voltage2", two), "voltage1");
  EXPECT_EQ(closest_name("voltagse", two), "voltages");
}

TEST(NearNames, GivesTheNearestFirst) {
  const std::vector<std::string> methods = {"bdf", "rodas4", "rodas5p", "radau5", "adams"};
  EXPECT_EQ(near_names("rodas5", methods, 3),
            (std::vector<std::string>{"rodas4", "rodas5p", "radau5"}));
  EXPECT_EQ(near_names("Rodas5", methods, 1), std::vector<std::string>{"rodas4"});
  EXPECT_TRUE(near_names("zzz", methods, 3).empty());
  EXPECT_TRUE(near_names("", methods, 3).empty());
  EXPECT_TRUE(near_names(std::string(1'000'000, 'a'), methods, 3).empty());
}

TEST(DidYouMean, IsAQuestionOrNothing) {
  EXPECT_EQ(did_you_mean("capacito", known), "did you mean `capacitor`?");
  EXPECT_EQ(did_you_mean("inductor", known), "");
}

TEST(MatchesGlob, TakesStarsAndQuestionMarks) {
  EXPECT_TRUE(matches_glob("resistor.v", "*"));
  EXPECT_TRUE(matches_glob("resistor.v", "res*"));
  EXPECT_TRUE(matches_glob("resistor.v", "*.?"));
  EXPECT_TRUE(matches_glob("resistor.v", "r*s*r.v"));
  EXPECT_TRUE(matches_glob("a*b", "a*b"));
  EXPECT_TRUE(matches_glob("", "**"));
  EXPECT_FALSE(matches_glob("resistor.v", "resistor"));
  EXPECT_FALSE(matches_glob("resistor.v", "?"));
  EXPECT_FALSE(matches_glob("", "?"));
  EXPECT_FALSE(matches_glob("x", ""));
  EXPECT_FALSE(matches_glob("aab", "*ac"));
}

TEST(MatchesGlob, StaysBoundedForManyStars) {
  const std::string text(2'000, 'a');
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_TRUE(matches_glob(text, pattern));
  EXPECT_FALSE(matches_glob(text, pattern + "b"));
}

}  // namespace
}  // namespace daedalus
