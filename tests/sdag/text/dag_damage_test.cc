// SPDX-License-Identifier: Apache-2.0

// Damaged texts of DAGs. For any damage to a file, the reader returns, and reports an error if it returns nothing.
// A DAG that it does return can be verified, written, and read again to the same text.

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "mir/text/mir_lexer.h"
#include "sdag/text/dag_dot.h"
#include "sdag/verify/dag_verifier.h"
#include "tests/sdag/dag_fixture.h"
#include "tests/support/sanitized.h"
#include "tools/fuzz/text_mutator.h"
#include "tools/fuzz/text_targets.h"

namespace ptxmir::sdag {
namespace {

// The memory for nodes for each byte of a text, and for the smallest text.
constexpr size_t kMaxBytesPerByte = 300;
constexpr size_t kBaseBytes = size_t{64} << 20;

std::string WrittenText(const DagModule& module) {
  std::string text;
  WriteDags(module, {}, text);
  return text;
}

// MIR cannot quote the names of stack objects, so not all can be written so that they can be read back.
bool HasPlainNames(const MachineFunction& function) {
  for (const StackObject& object : function.frame_info().objects()) {
    for (const char c : object.name) {
      if (!mir_lexer::IsIdentifier(c)) return false;
    }
  }
  return true;
}

// The number of texts that were read without errors, and the number of those without flaws.
size_t num_read = 0, num_valid = 0;

void ReadDamaged(const std::string& text) {
  DiagnosticEngine diagnostics;
  DagModule module = ReadText(text, diagnostics);
  ASSERT_EQ(module.module == nullptr, diagnostics.has_errors()) << text;
  if (module.module == nullptr) return;
  size_t reserved = 0;
  bool is_valid = true;
  for (const auto& function : module.functions) {
    if (function == nullptr) continue;
    reserved += function->arena().bytes_reserved();
    is_valid &= VerifyDags(*function).ok() && HasPlainNames(function->machine_function());
    for (const MachineBasicBlock& block : function->machine_function()) {
      SelectionDAG* dag = function->FindDag(block.number());
      if (dag == nullptr) continue;
      ASSERT_EQ(dag->CheckInvariants(), "") << text;
      std::string dot;
      WriteDagDot(*dag, "", dot);
    }
  }
  EXPECT_LE(reserved, kBaseBytes + kMaxBytesPerByte * text.size());
  const std::string written = WrittenText(module);
  // An invalid DAG may have no text.
  ++num_read;
  if (!is_valid) return;
  ++num_valid;
  DiagnosticEngine again;
  const DagModule reread = ReadText(written, again);
  ASSERT_FALSE(again.has_errors()) << again.ToString() << text;
  ASSERT_EQ(WrittenText(reread), written) << text;
}

size_t Rounds(size_t usual) {
  const char* rounds = std::getenv("PTXMIR_DAMAGE_ROUNDS");
  return rounds == nullptr ? testing::NumInputs(usual) : usual * std::strtoul(rounds, nullptr, 10);
}

TEST(DagDamageTest, Truncated) {
  const std::string text = FileText("tests/sdag/text/every_payload.sdag");
  for (size_t size = 0; size < text.size(); size += 2) ReadDamaged(text.substr(0, size));
}

TEST(DagDamageTest, Mutated) {
  const std::string text = FileText("tests/sdag/text/every_payload.sdag");
  // In a short text, damage affects the contents of lines more often than the structure.
  const std::string short_text = OneBlock(R"(
    t0: ch,glue = EntryToken
    t1: i32,ch = CopyFromReg # D:1 t0, Register:i32 %0
    t2: i32 = add nsw # D:1 t1, Constant:i32<-3>
    t3: i64 = zero_extend # D:1 t2
    t4: i16,ch = load<(load (s8), addrspace 1), zext from i8> [ORD=3] # D:1 t1:1, t3, undef:i64
    t5: f32 = uint_to_fp # D:1 t4
    t6: i1 = setcc nnan # D:1 t5, ConstantFP:f32<1.500000e+00>, setolt:ch
    t7: ch,glue = CopyToReg # D:1 t4:1, Register:f32 %1, t5
    t8: ch = CopyToReg # D:1 t7, Register:i1 %2, t6, t7:1)");
  const fuzz::TextMutator mutator({text, short_text, short_text, short_text}, fuzz::FindTextTarget("dag")->dictionary(),
                                  /*seed=*/1);
  const size_t rounds = Rounds(3000);
  for (size_t round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    ReadDamaged(mutator.Generate(round));
  }
  // Enough texts are damaged only in their contents.
  EXPECT_GT(num_read, rounds / 20);
  EXPECT_GT(num_valid, rounds / 50);
}

TEST(DagDamageTest, AnyBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string line(random() % 100, ' ');
    for (char& c : line) c = static_cast<char>(random() % 256);
    ReadDamaged(OneBlock("    t1: i32 = " + line));
    ReadDamaged(OneBlock("    " + line));
  }
}

std::string Repeat(std::string_view piece, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += piece;
  return text;
}

// Texts that must not take disproportionate time or stack.
TEST(DagDamageTest, ManyAndDeep) {
  constexpr size_t kCount = 50000;
  ReadDamaged(OneBlock("    t0: ch,glue = EntryToken\n    t1: ch = TokenFactor t0" + Repeat(", t0", kCount)));
  ReadDamaged(OneBlock("    t0: ch,glue = EntryToken\n    t1: ch = TokenFactor t0" + Repeat(", t0", 70000)));
  ReadDamaged(OneBlock("    t1: i32" + Repeat(",i32", kCount) + " = merge_values"));
  ReadDamaged(OneBlock("    t1: i32" + Repeat(",i32", 70000) + " = merge_values"));
  ReadDamaged(OneBlock(Repeat("    t1: i32 = undef\n", kCount)));
  ReadDamaged("---\nname: f\ndag: |\n" + Repeat("  bb.0:\n", kCount));
  // A chain in reverse order: each node is used before its own line.
  std::string chain;
  for (size_t i = 0; i < kCount; ++i) {
    chain += "    t" + std::to_string(i) + ": i32 = ctpop t" + std::to_string(i + 1) + "\n";
  }
  ReadDamaged(OneBlock(chain + "    t" + std::to_string(kCount) + ": i32 = undef"));
  ReadDamaged(OneBlock(chain + "    t" + std::to_string(kCount) + ": i32 = ctpop t0"));
}

}  // namespace
}  // namespace ptxmir::sdag
