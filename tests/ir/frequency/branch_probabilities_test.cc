// SPDX-License-Identifier: Apache-2.0

#include "ir/frequency/branch_probabilities.h"

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/text/program_reader.h"

namespace ptxmir::ir {
namespace {

// Returns the probabilities of the edges of the first block of @f, in thousandths. The body refers to %a and %b (i32),
// %p and %q (ptr), and %x (float).
std::vector<int> Thousandths(const std::string& body, const std::string& metadata = "") {
  const std::string text =
      StrCat("target triple = \"nvptx64-nvidia-cuda\"\ndeclare void @rare() cold\ndeclare void @stop() noreturn\n",
             "define void @f(i32 %a, i32 %b, ptr %p, ptr %q, float %x) {\n", body, "}\n", metadata);
  DiagnosticEngine diagnostics;
  const ProgramFile file = ReadProgram(std::make_shared<SourceBuffer>("f.ll", text), diagnostics);
  EXPECT_NE(file.program, nullptr) << diagnostics.ToString();
  if (file.program == nullptr) return {};
  Function& function = *file.program->functions().back();
  const BranchProbabilities probabilities(function);
  const BasicBlock& block = function.entry();
  std::vector<int> result;
  for (unsigned i = 0; i < block.terminator()->num_successors(); ++i) {
    const double share = static_cast<double>(probabilities.Edge(block, i)) / BranchProbabilities::kOne;
    result.push_back(static_cast<int>(share * 1000 + 0.5));
  }
  return result;
}

std::string Branch(const std::string& condition) {
  return StrCat("  %c = ", condition, "\n  br i1 %c, label %t, label %e\nt:\n  ret void\ne:\n  ret void\n");
}

using Shares = std::vector<int>;

TEST(BranchProbabilitiesTest, ConditionsOfIntegersFavorNumbersAboveZero) {
  EXPECT_EQ(Thousandths(Branch("icmp eq i32 %a, 0")), (Shares{375, 625}));
  EXPECT_EQ(Thousandths(Branch("icmp ne i32 %a, 0")), (Shares{625, 375}));
  EXPECT_EQ(Thousandths(Branch("icmp slt i32 %a, 0")), (Shares{375, 625}));
  EXPECT_EQ(Thousandths(Branch("icmp sgt i32 %a, 0")), (Shares{625, 375}));
  EXPECT_EQ(Thousandths(Branch("icmp slt i32 %a, 1")), (Shares{375, 625}));
  EXPECT_EQ(Thousandths(Branch("icmp eq i32 %a, -1")), (Shares{375, 625}));
  EXPECT_EQ(Thousandths(Branch("icmp sgt i32 %a, -1")), (Shares{625, 375}));
  EXPECT_EQ(Thousandths(Branch("icmp eq i32 %a, 7")), (Shares{500, 500}));
  EXPECT_EQ(Thousandths(Branch("icmp eq i32 %a, %b")), (Shares{500, 500}));
}

TEST(BranchProbabilitiesTest, ASingleBitMayAsWellBeSet) {
  EXPECT_EQ(Thousandths(StrCat("  %m = and i32 %a, 8\n", Branch("icmp eq i32 %m, 0"))), (Shares{500, 500}));
  EXPECT_EQ(Thousandths(StrCat("  %m = and i32 %a, 12\n", Branch("icmp eq i32 %m, 0"))), (Shares{375, 625}));
}

TEST(BranchProbabilitiesTest, PointersDiffer) {
  EXPECT_EQ(Thousandths(Branch("icmp eq ptr %p, %q")), (Shares{375, 625}));
  EXPECT_EQ(Thousandths(Branch("icmp ne ptr %p, null")), (Shares{625, 375}));
  EXPECT_EQ(Thousandths(Branch("icmp ult ptr %p, %q")), (Shares{500, 500}));
}

TEST(BranchProbabilitiesTest, FloatsDifferAndAreNumbers) {
  EXPECT_EQ(Thousandths(Branch("fcmp oeq float %x, 0.0")), (Shares{375, 625}));
  EXPECT_EQ(Thousandths(Branch("fcmp une float %x, 0.0")), (Shares{625, 375}));
  EXPECT_EQ(Thousandths(Branch("fcmp uno float %x, 0.0")), (Shares{0, 1000}));
  EXPECT_EQ(Thousandths(Branch("fcmp ord float %x, 0.0")), (Shares{1000, 0}));
  EXPECT_EQ(Thousandths(Branch("fcmp olt float %x, 0.0")), (Shares{500, 500}));
}

TEST(BranchProbabilitiesTest, LoopsGoOn) {
  // The branch that closes the loop is in the only block that branches twice; the entry leads there.
  const std::string body =
      "  br label %l\nl:\n  %c = icmp eq i32 %a, 0\n  br i1 %c, label %l, label %e\ne:\n  ret void\n";
  EXPECT_EQ(Thousandths(body), (Shares{1000}));
  const std::string nested =
      "  %c = icmp eq i32 %a, %b\n  br i1 %c, label %l, label %e\nl:\n  br label %l\ne:\n  ret void\n";
  EXPECT_EQ(Thousandths(nested), (Shares{500, 500}));
}

TEST(BranchProbabilitiesTest, BlocksThatEndThreadsAreNotReached) {
  const std::string head = "  %c = icmp eq i32 %a, %b\n  br i1 %c, label %t, label %e\n";
  EXPECT_EQ(Thousandths(StrCat(head, "t:\n  unreachable\ne:\n  ret void\n")), (Shares{0, 1000}));
  EXPECT_EQ(Thousandths(StrCat(head, "t:\n  call void @stop()\n  unreachable\ne:\n  ret void\n")), (Shares{0, 1000}));
  EXPECT_EQ(Thousandths(StrCat(head, "t:\n  call void @rare()\n  ret void\ne:\n  ret void\n")), (Shares{59, 941}));
  // Both ways from %t end there.
  EXPECT_EQ(
      Thousandths(StrCat(head, "t:\n  %d = icmp eq i32 %a, 5\n  br i1 %d, label %u, label %v\nu:\n  unreachable\n",
                         "v:\n  unreachable\ne:\n  ret void\n")),
      (Shares{0, 1000}));
}

TEST(BranchProbabilitiesTest, WeightsComeBeforeEverythingElse) {
  const std::string body =
      "  %c = icmp eq i32 %a, 0\n  br i1 %c, label %t, label %e, !prof !0\nt:\n  ret void\ne:\n  ret void\n";
  EXPECT_EQ(Thousandths(body, "!0 = !{!\"branch_weights\", i32 9, i32 1}\n"), (Shares{900, 100}));
  EXPECT_EQ(Thousandths(body, "!0 = !{!\"branch_weights\", !\"expected\", i32 1, i32 3}\n"), (Shares{250, 750}));
  // Damaged weights do not count.
  EXPECT_EQ(Thousandths(body, "!0 = !{!\"branch_weights\", i32 9}\n"), (Shares{375, 625}));
  EXPECT_EQ(Thousandths(body, "!0 = !{!\"branch_weights\", i32 0, i32 0}\n"), (Shares{375, 625}));
  EXPECT_EQ(Thousandths(body, "!0 = !{}\n"), (Shares{375, 625}));
}

TEST(BranchProbabilitiesTest, CasesOfASwitchAreEquallyLikely) {
  EXPECT_EQ(Thousandths("  switch i32 %a, label %e [ i32 1, label %t\n i32 2, label %t\n i32 3, label %e ]\nt:\n  ret "
                        "void\ne:\n  ret void\n"),
            (Shares{250, 250, 250, 250}));
}

}  // namespace
}  // namespace ptxmir::ir
