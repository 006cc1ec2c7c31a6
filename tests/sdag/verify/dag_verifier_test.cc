// SPDX-License-Identifier: Apache-2.0

#include "sdag/verify/dag_verifier.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "ptx/target/ptx_target.h"
#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

// Returns the flaws of a block with an entry token t0, an i32 t1, an f32 t2, an i64 t3 and a v2f16 t4, followed by
// these lines. Flaws are given without the place and the nodes. The block has a successor bb.1.
std::string FlawsOf(const std::string& lines) {
  std::string text =
      "---\nname: f\ndag: |\n  bb.0:\n    successors: %bb.1\n"
      "    t0: ch,glue = EntryToken\n"
      "    t1: i32,ch = CopyFromReg t0, Register:i32 %0\n"
      "    t2: f32,ch = CopyFromReg t0, Register:f32 %1\n"
      "    t3: i64,ch = CopyFromReg t0, Register:i64 %2\n"
      "    t4: v2f16,ch = CopyFromReg t0, Register:v2f16 %3\n"
      "    root: t0\n";
  for (size_t at = 0; at < lines.size();) {
    const size_t end = std::min(lines.find('\n', at), lines.size());
    text += "    " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  text += "  bb.1:\n  bb.2:\n...\n";
  DagText dag(text);
  if (!dag.ok()) return "not read";
  std::vector<DagFlaw> flaws;
  VerifyDag(dag.dag(), flaws);
  std::string all;
  const std::string place = "function 'f', bb.0: ";
  for (const DagFlaw& flaw : flaws) {
    EXPECT_EQ(flaw.message.substr(0, place.size()), place);
    if (!all.empty()) all += "; ";
    all += flaw.message.substr(place.size());
  }
  return all;
}

TEST(DagVerifierTest, AcceptsEveryPayload) {
  DagText text(FileText("tests/sdag/text/every_payload.sdag"));
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(VerifyDags(text.dags()).ToString(), "OK");
}

TEST(DagVerifierTest, TableIsWellFormed) {
  for (int16_t i = 0; i < isd::kNumOpcodes; ++i) {
    EXPECT_EQ(CheckSignature(Desc(i).signature), "") << Desc(i).name;
  }
  EXPECT_NE(CheckSignature("I0=I0 Q"), "");
  EXPECT_NE(CheckSignature("I0"), "");
  EXPECT_NE(CheckSignature("ch=glue? ch"), "");
  EXPECT_NE(CheckSignature("ch=* ch"), "");
}

TEST(DagVerifierTest, Signatures) {
  EXPECT_EQ(FlawsOf("t5: i32 = add t1, t1"), "");
  EXPECT_EQ(FlawsOf("t5: i32 = add t1, t2"), "operand 1 is 'f32', not 'i32'");
  EXPECT_EQ(FlawsOf("t5: i32 = add t1, t3"), "operand 1 is 'i64', not 'i32'");
  EXPECT_EQ(FlawsOf("t5: f32 = add t2, t2"), "result 0 is 'f32', not an integer or a vector of integers");
  EXPECT_EQ(FlawsOf("t5: i32 = add t1"), "operand 1 is missing: an integer or a vector of integers");
  EXPECT_EQ(FlawsOf("t5: i32 = add t1, t1, t1"), "there is no operand 2");
  EXPECT_EQ(FlawsOf("t5: i32,i32 = add t1, t1"), "there is no result 1");
  EXPECT_EQ(FlawsOf("t5: i32 = add t1, <null>"), "operand 1 is no value");
  EXPECT_EQ(FlawsOf("t5: i32 = add t1, t1:1"), "operand 1 is 'ch', not 'i32'");
  EXPECT_EQ(FlawsOf("t5: i1 = setcc t1, t1, t1"), "operand 2 is a 'CopyFromReg', not a CondCode");
  EXPECT_EQ(FlawsOf("t5: ch = TokenFactor t0, setlt:ch"), "operand 1 is 'ch', not a chain");
  EXPECT_EQ(FlawsOf("t5: ch = CopyToReg t0, Register:i32 %9, t1, t0:1"), "");
  EXPECT_EQ(FlawsOf("t5: ch = CopyToReg t0, Register:i32 %9, t1, t1"), "there is no operand 3");
  EXPECT_EQ(FlawsOf("t5: i32 = merge_values t1, t2, t0"), "");
}

TEST(DagVerifierTest, Relations) {
  EXPECT_EQ(FlawsOf("t5: i64 = sign_extend t1"), "");
  EXPECT_EQ(FlawsOf("t5: i32 = sign_extend t3"), "the result is not wider than the operand");
  EXPECT_EQ(FlawsOf("t5: i64 = truncate t1"), "the result is not narrower than the operand");
  EXPECT_EQ(FlawsOf("t5: v2f32 = fp_extend t4"), "");
  EXPECT_EQ(FlawsOf("t5: f32 = fp_extend t4"), "'f32' and 'v2f16' have different numbers of elements");
  EXPECT_EQ(FlawsOf("t5: i32 = bitcast t4"), "");
  EXPECT_EQ(FlawsOf("t5: i64 = bitcast t4"), "the result is of another size than the operand");
  EXPECT_EQ(FlawsOf("t5: f16 = extract_vector_elt t4, t1"), "");
  EXPECT_EQ(FlawsOf("t5: f32 = extract_vector_elt t4, t1"), "the result is no element of the vector");
  EXPECT_EQ(FlawsOf("t5: v2i32 = BUILD_VECTOR t1, t1"), "");
  EXPECT_EQ(FlawsOf("t5: v2i16 = BUILD_VECTOR t1, t1"), "");
  EXPECT_EQ(FlawsOf("t5: v2i32 = BUILD_VECTOR t1"), "there are 1 operands for 2 elements");
  EXPECT_EQ(FlawsOf("t5: v2f32 = BUILD_VECTOR t1, t1"), "the operands are no elements of the result");
  EXPECT_EQ(FlawsOf("t5: v2i32 = BUILD_VECTOR t1, t3"), "the operands are of different types");
  EXPECT_EQ(FlawsOf("t5: v4f16 = concat_vectors t4, t4"), "");
  EXPECT_EQ(FlawsOf("t5: v8f16 = concat_vectors t4, t4"), "the operands together are not the result");
  EXPECT_EQ(FlawsOf("t5: v2f16 = insert_vector_elt t4, t2, t1"), "operand 1 is no element of the vector");
  EXPECT_EQ(FlawsOf("t5: i128 = build_pair t3, t3"), "");
  EXPECT_EQ(FlawsOf("t5: i128 = build_pair t1, t1"), "the result is not twice as large as the operands");
}

TEST(DagVerifierTest, Glue) {
  EXPECT_EQ(FlawsOf("t5: ch,glue = CopyToReg t0, Register:i32 %9, t1\n"
                    "t6: ch = CopyToReg t5, Register:i32 %10, t1, t5:1\n"
                    "t7: ch = CopyToReg t5, Register:i32 %11, t1, t5:1"),
            "2 nodes are glued to it");
  EXPECT_EQ(FlawsOf("t5: glue,i32 = merge_values t0:1, t1"),
            "glue must be the last result; glue must be the last operand");
}

TEST(DagVerifierTest, Payloads) {
  EXPECT_EQ(FlawsOf("t5: ch = br t0, BasicBlock:ch<%bb.1>"), "");
  EXPECT_EQ(FlawsOf("t5: ch = br t0, BasicBlock:ch<%bb.2>"), "the block is no successor");
  EXPECT_EQ(FlawsOf("t5: i64,ch = CopyFromReg t0, Register:i64 %0"), "a register of class 'b32' holds no 'i64'");
  EXPECT_EQ(FlawsOf("t5: v2f16 = vector_shuffle<0,4> t4, t4"), "there is no element 4");
  EXPECT_EQ(FlawsOf("t5: v2f16 = vector_shuffle<0,1,2> t4, t4"), "the mask has 3 elements, not 2");
  EXPECT_EQ(FlawsOf("t5: i32,i32 = llvm.nvvm.x t0, t1"), "a chain goes in, none comes out");
  EXPECT_EQ(FlawsOf("t5: i32,ch = llvm.nvvm.x t1"), "an intrinsic with a chain is an intrinsic_w_chain");
}

TEST(DagVerifierTest, Memory) {
  EXPECT_EQ(FlawsOf("t5: i32,ch = load<(load (s32))> t0, t3, undef:i64"), "");
  EXPECT_EQ(FlawsOf("t5: i32,ch = load t0, t3, undef:i64"), "there is no memory operand");
  EXPECT_EQ(FlawsOf("t5: i32,ch = load<(store (s32))> t0, t3, undef:i64"), "the memory operand is no load");
  EXPECT_EQ(FlawsOf("t5: ch = store<(load (s32))> t0, t1, t3, undef:i64"), "the memory operand is no store");
  EXPECT_EQ(FlawsOf("t5: i32,ch = load<(load (s8)), zext from i8> t0, t3, undef:i64"), "");
  EXPECT_EQ(FlawsOf("t5: i32,ch = load<(load (s24)), zext from i24> t0, t3, undef:i64"), "");
  EXPECT_EQ(FlawsOf("t5: i32,ch = load<(load (s64)), zext from i64> t0, t3, undef:i64"),
            "'i64' in memory is no narrower 'i32'");
  EXPECT_EQ(FlawsOf("t5: i32,ch = load<(load (s32)), trunc to i8> t0, t3, undef:i64"), "loads do not truncate");
  EXPECT_EQ(FlawsOf("t5: ch = store<(store (s8)), trunc to i8> t0, t1, t3, undef:i64"), "");
  EXPECT_EQ(FlawsOf("t5: ch = store<(store (s8)), zext from i8> t0, t1, t3, undef:i64"), "stores do not extend");
  EXPECT_EQ(FlawsOf("t5: ch = store<(store (s8)), memory i8> t0, t1, t3, undef:i64"), "'i8' in memory is not 'i32'");
  EXPECT_EQ(FlawsOf("t5: i32,ch = AtomicLoadAdd<(load store (s32))> t0, t3, t1"), "the memory operand is not atomic");
  EXPECT_EQ(FlawsOf("t5: i32,ch = AtomicLoadAdd<(load monotonic (s32))> t0, t3, t1"), "the memory operand is no store");
}

TEST(DagVerifierTest, MachineNodes) {
  EXPECT_EQ(FlawsOf("t5: i32 = ADD32rr t1, t1"), "");
  EXPECT_EQ(FlawsOf("t5: i32 = ADD32rr t1"), "the instruction has 2 operands, not 1");
  EXPECT_EQ(FlawsOf("t5: i32 = ADD32rr t1, t3"), "operand 1 is 'i64', which no register of class 'b32' holds");
  EXPECT_EQ(FlawsOf("t5: i64 = ADD32rr t1, t1"), "result 0 is 'i64', which no register of class 'b32' holds");
  EXPECT_EQ(FlawsOf("t5: ch = ADD32rr t1, t1"), "the instruction has 1 results, not 0");
}

TEST(DagVerifierTest, Roots) {
  DagText value(OneBlock("    t0: ch,glue = EntryToken\n    t1: i32 = Constant<1>\n"));
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(std::string(VerifyDags(value.dags()).message()),
            "function 'f', bb.0: the root is no chain\n  t1: i32 = Constant<1>");
}

TEST(DagVerifierTest, DebugValues) {
  DagText text(OneBlock(R"(
    t0: ch,glue = EntryToken
    t1: i32,ch = CopyFromReg t0, Register:i32 %0
    DBG_VALUE t1, $noreg, !5, !6
    DBG_VALUE t1:1, $noreg, !DILocalVariable(name: "x", scope: null), !DIExpression(), debug-location !7
)"));
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(std::string(VerifyDags(text.dags()).message()),
            "function 'f', bb.0: a debug value names no variable (!DILocalVariable)\n"
            "function 'f', bb.0: a debug value has no expression (!DIExpression)\n"
            "function 'f', bb.0: a debug value has no debug location\n"
            "function 'f', bb.0: a debug value names a chain or glue");
  std::vector<DagFlaw> flaws;
  VerifyDags(text.dags(), flaws);
  ASSERT_EQ(flaws.size(), 4u);
  for (const DagFlaw& flaw : flaws) EXPECT_NE(flaw.position, nullptr);
}

// Errors that only the API can cause.
TEST(DagVerifierTest, Misuse) {
  MachineFunction machine(nullptr, ptx::PtxTargetInfo(), "f", 0);
  DagFunction function(machine);
  MachineBasicBlock* blocks[2];
  for (MachineBasicBlock*& block : blocks) {
    block = machine.CreateBlock();
    machine.InsertBlock(nullptr, block);
  }
  SelectionDAG& dag = function.dag(*blocks[0]);
  const SDValue a = dag.GetCopyFromReg({}, dag.EntryToken(), Register::Virtual(5), MVT::kI32);
  const SDValue other = function.dag(*blocks[1]).GetConstant(1, MVT::kI32);
  const SDValue sum = dag.GetNode(isd::kAdd, {}, MVT::kI32, {a, other});
  const SDValue cyclic = dag.GetNode(isd::kAdd, {}, MVT::kI32, {a, a});
  dag.UpdateNodeOperands(cyclic.node(), {cyclic, a});
  dag.GetNode(isd::kConstant, {}, MVT::kI32, {});
  dag.GetGlobalAddress(7, MVT::kI64);
  dag.GetFrameIndex(7, MVT::kI64);
  dag.GetMachineNode(30000, {}, {}, {});
  dag.GetNode(999, {}, MVT::kI32, {});
  dag.SetRoot(SDValue());
  dag.AddDbgValue({.location = MachineOperand::CreateFrameIndex(7)});
  dag.AddDbgValue({.location = MachineOperand::CreateReg(Register::Virtual(7))});
  (void)sum;
  std::vector<DagFlaw> flaws;
  VerifyDag(dag, flaws, 100);
  std::string all;
  for (const DagFlaw& flaw : flaws) all += flaw.ToString() + "\n";
  for (const char* expected :
       {"an operand is a value of another function or block", "there is no such virtual register",
        "operand 1 is no value", "values depend on themselves", "there is no such global value",
        "there is no such stack object", "there is no such instruction", "there is no root",
        "there is no result, not even a chain", "names a stack object that does not exist",
        "names a virtual register that does not exist"}) {
    EXPECT_NE(all.find(expected), std::string::npos) << expected << "\n" << all;
  }
  EXPECT_FALSE(VerifyDags(function).ok());
}

TEST(DagVerifierTest, StopsAtTheLimit) {
  MachineFunction machine(nullptr, ptx::PtxTargetInfo(), "f", 0);
  DagFunction function(machine);
  MachineBasicBlock* block = machine.CreateBlock();
  machine.InsertBlock(nullptr, block);
  SelectionDAG& dag = function.dag(*block);
  for (int i = 0; i < 100; ++i) dag.GetFrameIndex(i, MVT::kI64);
  std::vector<DagFlaw> flaws;
  VerifyDag(dag, flaws, 7);
  EXPECT_EQ(flaws.size(), 7u);
}

}  // namespace
}  // namespace ptxmir::sdag
