// SPDX-License-Identifier: Apache-2.0

#include "base/nearest_name.h"

#include "gtest/gtest.h"

namespace ptxmir {
namespace {

std::string_view Nearest(std::string_view wanted) {
  NearestName nearest(wanted);
  for (std::string_view name : {"ADD32rr", "ADD32ri", "ADD64rr", "SUB32rr", "MOV_B32_r", "Return"}) {
    nearest.Consider(name);
  }
  return nearest.best();
}

TEST(NearestNameTest, FindsOneLetterAway) {
  EXPECT_EQ(Nearest("ADD32rx"), "ADD32rr");
  EXPECT_EQ(Nearest("MOV_B32r"), "MOV_B32_r");
}

TEST(NearestNameTest, CaseCountsLessThanLetters) { EXPECT_EQ(Nearest("add32ri"), "ADD32ri"); }

TEST(NearestNameTest, OfEquallyNearNamesTheOneWinsThatBeginsAlikeForLonger) {
  NearestName nearest("sm_91");
  for (std::string_view name : {"sm_21", "sm_90", "sm_92", "sm_01"}) nearest.Consider(name);
  EXPECT_EQ(nearest.best(), "sm_90");
}

TEST(NearestNameTest, NothingNearIsEmpty) {
  EXPECT_EQ(Nearest("completely_different"), "");
  EXPECT_EQ(Nearest(std::string(10000, 'A')), "");
  EXPECT_EQ(NearestName("x").Suggestion(), "");
}

}  // namespace
}  // namespace ptxmir
