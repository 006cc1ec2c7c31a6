// SPDX-License-Identifier: Apache-2.0

// The generator rejects meaningless rules and names the file and the line.

#include "sdag/select/rule_compiler.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sdag/select/rule_reader.h"

namespace ptxmir::sdag {
namespace {

// Returns the error in a file of rules, or the number of compiled rules if there is none.
std::string Compile(const std::string& text) {
  RuleReader reader;
  if (const absl::Status status = reader.ReadText(text, "t.rules"); !status.ok()) return std::string(status.message());
  std::vector<CompiledRule> compiled;
  for (const RuleSource& rule : reader.rules()) {
    if (const absl::Status status = CompileRule(rule, compiled); !status.ok()) return std::string(status.message());
  }
  return std::to_string(compiled.size());
}

TEST(RuleCompilerTest, LoopsAndOrdersMakeSeveralOfOne) {
  EXPECT_EQ(Compile("for t in 16 32 64; s in rr ri :\n  (add:i<t> $a $b) -> ADD<t><s> $a $b\n"), "6");
  EXPECT_EQ(Compile("(add:i32 (mul $a $b)! $c) -> MAD_LO_S32rrr $a $b $c\n"), "2");
  EXPECT_EQ(Compile("(xor:i32 $a -1) -> NOT_b32 $a\n"), "2");
  EXPECT_EQ(Compile("(sub:i32 0 $a) -> NEG_S32 $a\n"), "1");
}

TEST(RuleCompilerTest, MistakesAreNamed) {
  EXPECT_EQ(Compile("\n(add:i32 $a $b) -> ADD32 $a $b\n"), "t.rules:2: there is no instruction ADD32");
  EXPECT_EQ(Compile("(plus:i32 $a $b) -> ADD32rr $a $b\n"), "t.rules:1: there is no node plus");
  EXPECT_EQ(Compile("(add:i32 $a) -> ADD32rr $a $a\n"), "t.rules:1: 'add' has 2 operands, not 1");
  EXPECT_EQ(Compile("(add:i32 $a $b) -> ADD32rr $a\n"), "t.rules:1: ADD32rr has 2 operands, not 1");
  EXPECT_EQ(Compile("(add:i64 $a $b) -> ADD32rr $a $b\n"), "t.rules:1: $a of type i64 does not fit the instruction");
  EXPECT_EQ(Compile("(setcc:i1 i32:$a i64:$b $c) -> SETP_i32rr $a $b icmp($c)\n"),
            "t.rules:1: $b cannot be i64: it is i32");
  EXPECT_EQ(Compile("(ctpop:i32 $a) -> POPCr64 $a\n"), "t.rules:1: $a of type i32 does not fit the instruction");
  EXPECT_EQ(Compile("(abs:i32 $a) -> ABS_S32 $b\n"), "t.rules:1: ABS_S32 has 1 operands, not 0");
  EXPECT_EQ(Compile("(abs:i32 $a) -> ABS_S32 $a if sm>90\n"), "t.rules:1: unknown condition 'sm>90'");
  EXPECT_EQ(Compile("(abs:i32 $a) -> ABS_S32 f($a)\n"), "t.rules:1: there is no function f");
  EXPECT_EQ(Compile("(add:i32 $a $b) -> ABS_S32 $a\n"), "t.rules:1: $b is not used");
  EXPECT_EQ(Compile("(abs:i32 (load addr:$p _)) -> ABS_S32 $p\n").substr(0, 10), "t.rules:1:");
  EXPECT_EQ(Compile("(abs:i33 $a) -> ABS_S32 $a\n").substr(0, 32), "t.rules:1: unknown type 'i33' in");
}

}  // namespace
}  // namespace ptxmir::sdag
