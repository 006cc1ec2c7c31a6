// SPDX-License-Identifier: Apache-2.0

#include "tests/support/file_check.h"

#include "gtest/gtest.h"

namespace ptxmir::testing {
namespace {

constexpr char kInput[] = "define f\n  a = 1\n  b = 2\n\ndefine g\n  a = 3\n  c = a3\n";

bool Passes(std::string_view checks) { return FileCheck(checks, kInput).empty(); }

TEST(FileCheckTest, PlainLinesMatchInOrder) {
  EXPECT_TRUE(Passes("; CHECK: a = 1\n; CHECK: a = 3"));
  EXPECT_FALSE(Passes("; CHECK: a = 3\n; CHECK: a = 1"));
  EXPECT_FALSE(Passes("; CHECK: a = 4"));
}

TEST(FileCheckTest, NextMustBeOnTheNextLine) {
  EXPECT_TRUE(Passes("; CHECK: a = 1\n; CHECK-NEXT: b = 2"));
  EXPECT_FALSE(Passes("; CHECK: define f\n; CHECK-NEXT: b = 2"));
}

TEST(FileCheckTest, SameMustBeOnTheSameLine) {
  EXPECT_TRUE(Passes("; CHECK: a =\n; CHECK-SAME: 1"));
  EXPECT_FALSE(Passes("; CHECK: a =\n; CHECK-SAME: 2"));
}

TEST(FileCheckTest, NotLooksBetweenItsNeighbors) {
  EXPECT_TRUE(Passes("; CHECK: a = 1\n; CHECK-NOT: c =\n; CHECK: a = 3"));
  EXPECT_FALSE(Passes("; CHECK: a = 1\n; CHECK-NOT: b =\n; CHECK: a = 3"));
  EXPECT_FALSE(Passes("; CHECK: a = 1\n; CHECK-NOT: a3"));
}

TEST(FileCheckTest, VariablesHoldWhatTheyMatched) {
  EXPECT_TRUE(Passes("; CHECK: a = [[N:3]]\n; CHECK: c = a[[N]]"));
  EXPECT_FALSE(Passes("; CHECK: a = [[N:1]]\n; CHECK: c = a[[N]]"));
  EXPECT_FALSE(Passes("; CHECK: c = a[[UNSET]]"));
}

TEST(FileCheckTest, LabelsConfineTheLinesBetween) {
  EXPECT_TRUE(Passes("; CHECK-LABEL: define f\n; CHECK: b = 2\n; CHECK-LABEL: define g\n; CHECK: a = 3"));
  EXPECT_FALSE(Passes("; CHECK-LABEL: define f\n; CHECK: a = 3\n; CHECK-LABEL: define g"));
  EXPECT_FALSE(Passes("; CHECK-LABEL: define h"));
}

TEST(FileCheckTest, DagMatchesInAnyOrder) {
  EXPECT_TRUE(Passes("; CHECK-DAG: b = 2\n; CHECK-DAG: a = 1\n; CHECK: define g"));
  EXPECT_FALSE(Passes("; CHECK-DAG: b = 2\n; CHECK-DAG: b = 2"));
}

TEST(FileCheckTest, CountAndEmptyAndRegex) {
  EXPECT_TRUE(Passes("; CHECK-COUNT-2: define {{[fg]}}"));
  EXPECT_FALSE(Passes("; CHECK-COUNT-3: define"));
  EXPECT_TRUE(Passes("; CHECK: b = 2\n; CHECK-EMPTY:\n; CHECK-NEXT: define g"));
}

TEST(FileCheckTest, TextWithoutDirectivesFails) { EXPECT_FALSE(Passes("nothing here")); }

}  // namespace
}  // namespace ptxmir::testing
