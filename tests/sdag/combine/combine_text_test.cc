// SPDX-License-Identifier: Apache-2.0

// Tests each combine separately: its result, when it must not fire, and that the result computes the same on random
// inputs.

#include <algorithm>
#include <bit>
#include <cstdio>
#include <set>
#include <string>

#include "base/split_mix64.h"
#include "base/str_cat.h"
#include "ptx/target/subtarget.h"
#include "sdag/combine/dag_combiner.h"
#include "sdag/meaning/dag_evaluator.h"
#include "sdag/verify/dag_verifier.h"
#include "tests/sdag/dag_fixture.h"
#include "tests/sdag/random_dag.h"

namespace ptxmir::sdag {
namespace {

// The nodes t1 to t13 of every case are values of registers.
struct Input {
  const char* name;
  MVT type;
};
constexpr Input kInputs[] = {{"t1", MVT::kI32}, {"t2", MVT::kI32},  {"t3", MVT::kI64},    {"t4", MVT::kI64},
                             {"t5", MVT::kF32}, {"t6", MVT::kF32},  {"t7", MVT::kI1},     {"t8", MVT::kI1},
                             {"t9", MVT::kI16}, {"t10", MVT::kF64}, {"t11", MVT::kV2I16}, {"t12", MVT::kI16},
                             {"t13", MVT::kF32}};

struct Case {
  const char* combine;
  // Lines that define t50, the tested value, and t60, if there are chains.
  const char* before;
  // The value as a tree. Null: `combine` must not fire.
  const char* after;
  bool after_legalize = false;
};

const Case kCases[] = {
#include "tests/sdag/combine/combine_cases.inc"
};

class Printer {
 public:
  static std::string Of(const SDValue& value) {
    std::string text;
    Print(value, text);
    return text;
  }

 private:
  static void Print(const SDValue& value, std::string& text) {
    if (!value) {
      text += "none";
      return;
    }
    SDNode& node = *value.node();
    if (node.opcode() == isd::kCopyFromReg) {
      text += StrCat("t", static_cast<const RegisterSDNode*>(node.operand(1).node())->reg().virtual_index() + 1);
      return;
    }
    if (const auto* constant = DynCast<ConstantSDNode>(&node)) {
      text += StrCat(constant->SExtValue());
      return;
    }
    if (const auto* fp = DynCast<ConstantFPSDNode>(&node)) {
      char buffer[32];
      const double number = node.value_type(0) == MVT::kF64
                                ? std::bit_cast<double>(fp->bits())
                                : double{std::bit_cast<float>(static_cast<uint32_t>(fp->bits()))};
      std::snprintf(buffer, sizeof(buffer), "%g", number);
      text += buffer;
      return;
    }
    if (const auto* code = DynCast<CondCodeSDNode>(&node)) {
      text += Name(code->code());
      return;
    }
    if (const auto* type = DynCast<VTSDNode>(&node)) {
      text += type->type().Name();
      return;
    }
    PrintNode(value, text);
  }
  static void PrintNode(const SDValue& value, std::string& text) {
    const SDNode& node = *value.node();
    if (node.opcode() == isd::kEntryToken) {
      text += "entry";
      return;
    }
    text += StrCat(node.name());
    const auto* memory = DynCast<MemSDNode>(&node);
    if (memory != nullptr && memory->ext() != LoadExt::kNone) {
      static constexpr const char* kExtensions[] = {"", "any ", "sext ", "zext "};
      text += StrCat("[", kExtensions[static_cast<int>(memory->ext())], memory->memory_type().Name(), "]");
    }
    if (memory != nullptr && memory->is_truncating()) text += StrCat("[", memory->memory_type().Name(), "]");
    if (!IsToken(value.type())) text += StrCat(".", Name(value.type()));
    if (const auto* global = DynCast<GlobalAddressSDNode>(&node)) text += StrCat("+", global->offset());
    if (value.resno() > 0) text += StrCat(":", value.resno());
    if (node.num_operands() == 0) return;
    text += "(";
    for (unsigned i = 0; i < node.num_operands(); ++i) {
      if (memory != nullptr && Is(node.operand(i), isd::kUndef)) continue;
      if (i > 0) text += ", ";
      Print(node.operand(i), text);
    }
    text += ")";
  }
  static bool Is(const SDValue& value, int16_t opcode) { return value && value.opcode() == opcode; }
};

constexpr char kModule[] = R"(--- |
  target triple = "nvptx64-nvidia-cuda"

  @g = addrspace(1) global [64 x i32] zeroinitializer, align 4

  define void @f() {
    ret void
  }
...
)";

class CombineTextTest : public testing::Test {
 protected:
  static std::string Lines(std::string before) {
    for (size_t i = before.find('\n'); i != std::string::npos; i = before.find('\n', i + 1))
      before.insert(i + 1, "   ");
    std::string lines = "    t0: ch,glue = EntryToken\n";
    for (size_t i = 0; i < std::size(kInputs); ++i) {
      lines += StrCat("    ", kInputs[i].name, ": ", Name(kInputs[i].type),
                      ",ch = CopyFromReg t0, Register:", Name(kInputs[i].type), " %", i, "\n");
    }
    lines += StrCat("    ", before);
    const size_t value = before.find("t50: ");
    EXPECT_NE(value, std::string::npos) << before;
    const std::string type = before.substr(value + 5, before.find_first_of(", ", value + 5) - value - 5);
    const char* chain = before.find("t60: ") != std::string::npos ? "t60" : "t0";
    const bool is_byte = type == "i8";
    if (is_byte) lines += "\n    t98: i16 = zero_extend t50";
    return lines + StrCat("\n    t99: ch = CopyToReg ", chain, ", Register:", is_byte ? "i16" : type, " %40, ",
                          is_byte ? "t98" : "t50", "\n");
  }

  static std::vector<DagEvaluation> Inputs(bool memory) {
    SplitMix64 random(7);
    std::vector<DagEvaluation> evaluations(200);
    for (DagEvaluation& evaluation : evaluations) {
      for (const Input& input : kInputs) evaluation.registers.emplace_back(RandomInput(input.type, random));
      const uint64_t buffer = evaluation.memory.Allocate(256);
      std::vector<uint8_t> bytes(256);
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Next());
      evaluation.memory.Write(buffer, bytes);
      evaluation.globals[0] = buffer;
      if (memory) evaluation.registers[2] = DagConstant::Of(MVT::kI64, buffer + 64);
    }
    return evaluations;
  }
  static DagConstant Output(SelectionDAG& dag, DagEvaluation evaluation, bool* known) {
    std::optional<BlockNumber> next;
    const absl::Status status = EvaluateBlock(dag, evaluation, next);
    // At the end of the block there is no other block.
    *known = status.message() == "control leaves the last block";
    return *known ? *evaluation.registers[40] : DagConstant();
  }

  void Check(const Case& c) {
    SCOPED_TRACE(StrCat(c.combine, ":\n", c.before));
    const std::string text = StrCat("---\nname: f\ndag: |\n  bb.0:\n", Lines(c.before), "\n...\n");
    const bool global = text.find("GlobalAddress") != std::string::npos;
    DagText dags(global ? StrCat(kModule, text) : text);
    if (!dags.ok()) return;
    const bool memory = std::string_view(c.before).find("load<") != std::string_view::npos ||
                        std::string_view(c.before).find("store<") != std::string_view::npos;
    const std::vector<DagEvaluation> inputs = Inputs(memory);
    std::vector<DagConstant> expected;
    std::vector<bool> known;
    for (const DagEvaluation& input : inputs) {
      bool is_known;
      expected.push_back(Output(dags.dag(), input, &is_known));
      known.push_back(is_known);
    }
    CombineReport report;
    CombineDag(dags.dag(), c.after_legalize ? CombineLevel::kAfterLegalize : CombineLevel::kBeforeLegalize, options_,
               &report);
    const absl::Status valid = VerifyDags(dags.dags());
    EXPECT_TRUE(valid.ok()) << valid;
    const bool fired = std::find(report.fired.begin(), report.fired.end(), c.combine) != report.fired.end();
    EXPECT_EQ(fired, c.after != nullptr) << dags.Written().substr(dags.Written().find("dag:"));
    if (c.after != nullptr) {
      EXPECT_EQ(Printer::Of(dags.dag().root()->operand(2)), c.after);
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!known[i]) continue;
      DagEvaluation input = inputs[i];
      const absl::uint128 fill = absl::MakeUint128(i * 0x9e3779b97f4a7c15, i * 0xc2b2ae3d27d4eb4f);
      input.any_extend_fill = &fill;
      bool is_known;
      const DagConstant actual = Output(dags.dag(), input, &is_known);
      // Contraction may change the result.
      if (std::string_view(c.before).find("contract") != std::string_view::npos) continue;
      if (std::string_view(c.before).find("arcp") != std::string_view::npos) continue;
      ASSERT_TRUE(is_known && Refines(actual, expected[i])) << ToString(actual) << " " << ToString(expected[i]);
    }
  }

  const ptx::Subtarget subtarget_ = *ptx::Subtarget::Create("sm_90", "");
  ISelOptions options_{.subtarget = &subtarget_};
  BlockNumber value_of_two_ = 0;
};

TEST_F(CombineTextTest, AllCases) {
  for (const Case& c : kCases) Check(c);
}

TEST_F(CombineTextTest, TheManualNamesAll) {
  const std::string manual = FileText("docs/dag-combiner.md");
  for (const std::string_view name : CombineNames()) {
    EXPECT_NE(manual.find(StrCat("`", name, "`")), std::string::npos) << name;
  }
}

TEST_F(CombineTextTest, BranchesOfNegationsChangeTheirTargets) {
  const auto run = [&](const char* br, CombineReport* report) {
    DagText dags(StrCat(R"(---
name: f
dag: |
  bb.0:
    successors: %bb.1, %bb.2

    t0: ch,glue = EntryToken
    t1: i1,ch = CopyFromReg t0, Register:i1 %0
    t2: i1 = xor t1, Constant:i1<-1>
    t3: ch = brcond t0, t2, BasicBlock:ch<%bb.1>
)",
                        br, R"(
  bb.1:
    t0: ch,glue = EntryToken
    t1: ch = NVPTXISD::RET_GLUE t0

  bb.2:
    t0: ch,glue = EntryToken
    t1: ch = NVPTXISD::RET_GLUE t0
...
)"));
    CombineDag(dags.dag(), CombineLevel::kBeforeLegalize, options_, report);
    std::vector<BlockNumber> targets;
    for (int value = 0; value < 2; ++value) {
      DagEvaluation evaluation;
      evaluation.registers.push_back(DagConstant::Of(MVT::kI1, static_cast<uint64_t>(value)));
      std::optional<BlockNumber> next;
      EXPECT_TRUE(EvaluateBlock(dags.dag(), evaluation, next).ok());
      targets.push_back(next.value_or(99));
    }
    EXPECT_EQ(targets, (std::vector<BlockNumber>{1, value_of_two_}));
  };
  CombineReport with_br, without;
  value_of_two_ = 2;
  run("    t4: ch = br t3, BasicBlock:ch<%bb.2>\n", &with_br);
  EXPECT_EQ(with_br.fired, std::vector<std::string_view>{"branch-inverted"});
  value_of_two_ = 1;  // falls through
  run("", &without);
  EXPECT_TRUE(without.fired.empty());
}

TEST_F(CombineTextTest, EveryCombineHasACaseOfBothKinds) {
  std::set<std::string_view> fires, does_not;
  for (const Case& c : kCases) (c.after != nullptr ? fires : does_not).insert(c.combine);
  for (const std::string_view name : CombineNames()) {
    if (name == "branch-inverted") continue;  // has a test of its own
    EXPECT_TRUE(fires.contains(name)) << name;
    EXPECT_TRUE(does_not.contains(name)) << name;
  }
}

}  // namespace
}  // namespace ptxmir::sdag
