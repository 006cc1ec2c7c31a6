// SPDX-License-Identifier: Apache-2.0

// Debug values from the text of a DAG to machine code: each step of instruction selection takes them along.

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "ptx/target/subtarget.h"
#include "sdag/combine/dag_combiner.h"
#include "sdag/instruction_selection.h"
#include "sdag/legalize/dag_legalizer.h"
#include "sdag/select/dag_selector.h"
#include "sdag/verify/dag_verifier.h"
#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

// !5 and !6 are the variables x and y, !7 is a location, !8 an expression.
constexpr std::string_view kModule = R"(--- |
  target triple = "nvptx64-nvidia-cuda"

  define ptx_kernel void @k(ptr %p) !dbg !3 {
  entry:
    ret void
  }

  !llvm.dbg.cu = !{!1}
  !llvm.module.flags = !{!0}
  !0 = !{i32 2, !"Debug Info Version", i32 3}
  !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, producer: "p", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
  !2 = !DIFile(filename: "k.cu", directory: "/")
  !3 = distinct !DISubprogram(name: "k", scope: !2, file: !2, line: 1, type: !4, unit: !1)
  !4 = !DISubroutineType(types: !{null})
  !5 = !DILocalVariable(name: "x", scope: !3, file: !2, line: 2)
  !6 = !DILocalVariable(name: "y", scope: !3, file: !2, line: 3)
  !7 = !DILocation(line: 4, scope: !3)
  !8 = !DIExpression()
...
---
name: k
tracksRegLiveness: true
stack:
  - { id: 0, size: 4, alignment: 4 }
dag: |
)";

class DebugValuesTest : public testing::Test {
 protected:
  DebugValuesTest() : subtarget_(*ptx::Subtarget::Create("sm_80", "+ptx80")) {}

  ISelOptions Options() const { return {.subtarget = &subtarget_}; }

  // Reads blocks, which begin with "  bb.0:".
  DagText Read(std::string_view blocks) { return DagText(std::string(kModule) + std::string(blocks) + "\n...\n"); }

  // Returns the machine code that is selected, one instruction on each line.
  std::string Select(std::string_view blocks) {
    DagText text = Read(blocks);
    if (!text.ok()) return "unreadable";
    std::vector<DagFlaw> flaws;
    VerifyDags(text.dags(), flaws);
    for (const DagFlaw& flaw : flaws) ADD_FAILURE() << flaw.ToString();
    const absl::Status status = SelectInstructions(text.dags(), Options());
    EXPECT_TRUE(status.ok()) << status;
    MachineFunction& function = text.dags().machine_function();
    std::string report;
    EXPECT_TRUE(VerifyMachineFunction(function, report)) << report;
    return Written(function);
  }
  static std::string Written(const MachineFunction& function) {
    std::string all;
    for (const MachineBasicBlock& block : function) {
      all += "bb." + std::to_string(block.number()) + ":\n";
      for (const MachineInstr& instr : block) {
        std::string line;
        WriteInstr(instr, {}, line);
        if (line.back() == '\n') line.pop_back();
        all += line + "\n";
      }
    }
    return all;
  }
  // Returns the text of the debug values of the first block.
  static std::string DebugValuesOf(DagText& text) {
    std::string printed, values;
    PrintDag(text.dag(), printed);
    for (size_t at = 0; at < printed.size();) {
      const size_t end = printed.find('\n', at);
      const std::string line = printed.substr(at, end - at);
      if (line.find("DBG_VALUE") != std::string::npos) values += line + "\n";
      at = end + 1;
    }
    return values;
  }

  ptx::Subtarget subtarget_;
};

// Lines that a block begins with: t1 is a pointer, t2 a value in a register.
constexpr std::string_view kBegin = R"(
  bb.0:
    t0: ch,glue = EntryToken
    t1: i64,ch = load<(dereferenceable invariant load (s64), addrspace 101)> t0, ExternalSymbol:i64'k_param_0', undef:i64
    t2: i32 = llvm.nvvm.read.ptx.sreg.tid.x
)";
// Returns a block that stores t9, which has `bits` bits, with further lines.
std::string Block(std::string_view bits, std::string_view lines) {
  std::string text(kBegin);
  text += lines;
  text += "\n    t90: ch = store<(store (s" + std::string(bits) + "))> t1:1, t9, t1, undef:i64\n";
  text += "    t91: ch = NVPTXISD::RET_GLUE t90\n    root: t91";
  return text;
}

TEST_F(DebugValuesTest, EachBlockGetsItsOwn) {
  const std::string code = Select(R"(
  bb.0:
    successors: %bb.1(0x80000000)

    t0: ch,glue = EntryToken
    t1: i32 = llvm.nvvm.read.ptx.sreg.tid.x [ORD=1]
    t2: ch = CopyToReg [ORD=3] t0, Register:i32 %0, t1
    DBG_VALUE [ORD=2] t1, $noreg, !5, !DIExpression(), debug-location !7

  bb.1:
    t0: ch,glue = EntryToken
    t1: i32,ch = CopyFromReg t0, Register:i32 %0
    t2: i32 = mul [ORD=4] t1, t1
    t3: i64,ch = load<(dereferenceable invariant load (s64), addrspace 101)> t0, ExternalSymbol:i64'k_param_0', undef:i64
    t4: ch = store<(store (s32))> [ORD=6] t3:1, t2, t3, undef:i64
    t5: ch = NVPTXISD::RET_GLUE t4
    DBG_VALUE [ORD=5] t2, $noreg, !6, !8, debug-location !7
)");
  EXPECT_EQ(code, R"(bb.0:
%0:b32 = INT_PTX_SREG_TID_x
DBG_VALUE %0:b32, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
bb.1:
%1:b32 = MULT32rr %0:b32, %0:b32
DBG_VALUE %1:b32, $noreg, !6, !8, debug-location !7; k.cu:4:0
%2:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
ST_i32 killed %1:b32, 0, 0, 0, 32, killed %2:b64, 0 :: (store (s32))
Return
)");
}

// The product becomes a shift.
TEST_F(DebugValuesTest, CombinesTakeThemAlong) {
  const std::string block = Block("32", R"(
    t9: i32 = mul t2, Constant:i32<8>
    DBG_VALUE t9, $noreg, !5, !DIExpression(), debug-location !7)");
  DagText text = Read(block);
  ASSERT_TRUE(text.ok());
  CombineDag(text.dag(), CombineLevel::kBeforeLegalize, Options());
  EXPECT_EQ(DebugValuesOf(text), "  DBG_VALUE t3, $noreg, !5, !DIExpression(), debug-location !7\n");
  EXPECT_EQ(Select(block), R"(bb.0:
%0:b32 = INT_PTX_SREG_TID_x
%1:b32 = SHL32_ri killed %0:b32, 3
DBG_VALUE %1:b32, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
%2:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
ST_i32 killed %1:b32, 0, 0, 0, 32, killed %2:b64, 0 :: (store (s32))
Return
)");
}

// The products become equal when the addition of 0 is gone.
TEST_F(DebugValuesTest, MergedNodesShareThem) {
  EXPECT_EQ(Select(Block("32", R"(
    t3: i32 = add t2, Constant:i32<0>
    t4: i32 = mul t2, t2
    t5: i32 = mul t3, t3
    t9: i32 = and t4, t5
    DBG_VALUE t4, $noreg, !5, !DIExpression(), debug-location !7
    DBG_VALUE t5, $noreg, !6, !DIExpression(), debug-location !7)")),
            R"(bb.0:
%0:b32 = INT_PTX_SREG_TID_x
%1:b32 = MULT32rr %0:b32, %0:b32
DBG_VALUE %1:b32, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
DBG_VALUE %1:b32, $noreg, !6, !DIExpression(), debug-location !7; k.cu:4:0
%2:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
ST_i32 killed %1:b32, 0, 0, 0, 32, killed %2:b64, 0 :: (store (s32))
Return
)");
}

TEST_F(DebugValuesTest, WideIntegersBecomeFragments) {
  const std::string block = Block("128", R"(
    t3: i128,ch = load<(load (s128))> t1:1, t1, undef:i64
    t9: i128 = add t3, t3
    DBG_VALUE t9, $noreg, !5, !DIExpression(), debug-location !7
    DBG_VALUE t9, $noreg, !6, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), debug-location !7)");
  DagText text = Read(block);
  ASSERT_TRUE(text.ok());
  ASSERT_TRUE(LegalizeDag(text.dag(), Options()).ok());
  EXPECT_EQ(
      DebugValuesOf(text),
      "  DBG_VALUE t3, $noreg, !5, !DIExpression(DW_OP_LLVM_fragment, 0, 64), debug-location !7\n"
      "  DBG_VALUE t4, $noreg, !5, !DIExpression(DW_OP_LLVM_fragment, 64, 64), debug-location !7\n"
      "  DBG_VALUE $noreg, $noreg, !6, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), debug-location !7\n");
  EXPECT_EQ(Select(block), R"(bb.0:
%0:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
%1:b64, %2:b64 = LDV_i64_v2 0, 0, 0, 3, 64, -1, %0:b64, 0 :: (load (<2 x s64>))
%3:b64 = ADDCCi64rr %1:b64, %1:b64
DBG_VALUE %3:b64, $noreg, !5, !DIExpression(DW_OP_LLVM_fragment, 0, 64), debug-location !7; k.cu:4:0
%4:b64 = ADDCCCi64rr %2:b64, %2:b64
DBG_VALUE %4:b64, $noreg, !5, !DIExpression(DW_OP_LLVM_fragment, 64, 64), debug-location !7; k.cu:4:0
DBG_VALUE $noreg, $noreg, !6, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), debug-location !7; k.cu:4:0
STV_i64_v2 killed %3:b64, killed %4:b64, 0, 0, 0, 64, %0:b64, 0 :: (store (<2 x s64>))
Return
)");
}

TEST_F(DebugValuesTest, VectorsBecomeFragments) {
  EXPECT_EQ(Select(Block("128", R"(
    t3: v4f32,ch = load<(load (s128))> t1:1, t1, undef:i64
    t9: v4f32 = fadd t3, t3
    DBG_VALUE t9, $noreg, !5, !DIExpression(DW_OP_LLVM_fragment, 256, 96), debug-location !7)")),
            R"(bb.0:
%0:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
%1:b32, %2:b32, %3:b32, %4:b32 = LDV_i32_v4 0, 0, 0, 3, 32, -1, %0:b64, 0 :: (load (<4 x s32>))
%5:b32 = FADD_rnf32rr %1:b32, %1:b32, 0
DBG_VALUE %5:b32, $noreg, !5, !DIExpression(DW_OP_LLVM_fragment, 256, 32), debug-location !7; k.cu:4:0
%6:b32 = FADD_rnf32rr %2:b32, %2:b32, 0
DBG_VALUE %6:b32, $noreg, !5, !DIExpression(DW_OP_LLVM_fragment, 288, 32), debug-location !7; k.cu:4:0
%7:b32 = FADD_rnf32rr %3:b32, %3:b32, 0
DBG_VALUE %7:b32, $noreg, !5, !DIExpression(DW_OP_LLVM_fragment, 320, 32), debug-location !7; k.cu:4:0
%8:b32 = FADD_rnf32rr %4:b32, %4:b32, 0
STV_i32_v4 killed %5:b32, killed %6:b32, killed %7:b32, killed %8:b32, 0, 0, 0, 32, %0:b64, 0 :: (store (<4 x s32>))
Return
)");
}

// i8 has the wider register of an i16 and remains whole.
TEST_F(DebugValuesTest, PromotedValuesStayWhole) {
  EXPECT_EQ(Select(Block("8", R"(
    t3: i8,ch = load<(load (s8))> t1:1, t1, undef:i64
    t9: i8 = mul t3, t3
    DBG_VALUE t9, $noreg, !5, !DIExpression(), debug-location !7)")),
            R"(bb.0:
%0:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
%1:b16 = LD_i16 0, 0, 0, 3, 8, -1, %0:b64, 0 :: (load (s8))
%2:b16 = MULT16rr %1:b16, %1:b16
DBG_VALUE %2:b16, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
ST_i16 killed %2:b16, 0, 0, 0, 8, %0:b64, 0 :: (store (s8))
Return
)");
}

TEST_F(DebugValuesTest, DeletedNodesLeaveNothing) {
  EXPECT_EQ(Select(Block("32", R"(
    t3: i32 = mul t2, t2
    t9: i32 = add t2, t2
    DBG_VALUE t3, $noreg, !5, !DIExpression(), debug-location !7)")),
            R"(bb.0:
DBG_VALUE $noreg, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
%0:b32 = INT_PTX_SREG_TID_x
%1:b32 = ADD32rr %0:b32, %0:b32
%2:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
ST_i32 killed %1:b32, 0, 0, 0, 32, killed %2:b64, 0 :: (store (s32))
Return
)");
}

TEST_F(DebugValuesTest, DeletedSumsAreComputedByTheDebugger) {
  EXPECT_EQ(Select(Block("32", R"(
    t3: i32 = add t2, Constant:i32<8>
    t4: i32 = add t3, Constant:i32<-20>
    t9: i32 = mul t2, t2
    DBG_VALUE t3, $noreg, !5, !DIExpression(), debug-location !7
    DBG_VALUE t4, $noreg, !6, !DIExpression(DW_OP_LLVM_fragment, 0, 32), debug-location !7)")),
            R"(bb.0:
%0:b32 = INT_PTX_SREG_TID_x
DBG_VALUE %0:b32, $noreg, !5, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_stack_value), debug-location !7; k.cu:4:0
DBG_VALUE %0:b32, $noreg, !6, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_constu, 20, DW_OP_minus, DW_OP_stack_value, DW_OP_LLVM_fragment, 0, 32), debug-location !7; k.cu:4:0
%1:b32 = MULT32rr %0:b32, %0:b32
%2:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
ST_i32 killed %1:b32, 0, 0, 0, 32, killed %2:b64, 0 :: (store (s32))
Return
)");
}

TEST_F(DebugValuesTest, ConstantsStackObjectsAndRegisters) {
  EXPECT_EQ(Select(Block("32", R"(
    t3: i32 = Constant<-7>
    t4: f32 = ConstantFP<1.500000e+00>
    t5: i128 = Constant<18446744073709551619>
    t6: i64 = FrameIndex<0>
    t9: i32 = xor t2, t3
    DBG_VALUE [ORD=1] t3, $noreg, !5, !DIExpression(), debug-location !7
    DBG_VALUE [ORD=2] t4, $noreg, !5, !DIExpression(), debug-location !7
    DBG_VALUE [ORD=3] t5, $noreg, !5, !DIExpression(), debug-location !7
    DBG_VALUE [ORD=4] t6, 0, !5, !DIExpression(), debug-location !7
    DBG_VALUE [ORD=5] %stack.0, 0, !5, !DIExpression(), debug-location !7
    DBG_VALUE [ORD=6] 12, $noreg, !5, !DIExpression(), debug-location !7
    DBG_VALUE [ORD=7] $noreg, $noreg, !5, !DIExpression(), debug-location !7)")),
            R"(bb.0:
DBG_VALUE -7, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
DBG_VALUE float 1.500000e+00, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
DBG_VALUE $noreg, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
DBG_VALUE %stack.0, 0, !5, !DIExpression(), debug-location !7; k.cu:4:0
DBG_VALUE %stack.0, 0, !5, !DIExpression(), debug-location !7; k.cu:4:0
DBG_VALUE 12, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
DBG_VALUE $noreg, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
%0:b32 = INT_PTX_SREG_TID_x
%1:b32 = XOR_b32ri killed %0:b32, -7
%2:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
ST_i32 killed %1:b32, 0, 0, 0, 32, killed %2:b64, 0 :: (store (s32))
Return
)");
}

// The block is split at the atomic, which becomes a loop. t3 is read from its register; t4 has none after the split,
// and no copy is made for it.
TEST_F(DebugValuesTest, SplitBlocks) {
  EXPECT_EQ(Select(Block("32", R"(
    t3: i32 = mul [ORD=1] t2, t2
    t4: i32 = xor [ORD=2] t2, Constant:i32<77>
    t5: i32,ch = AtomicLoadNand<(load store monotonic (s32))> [ORD=4] t1:1, t1, t3
    t9: i32 = add [ORD=8] t5, t3
    DBG_VALUE [ORD=3] t3, $noreg, !5, !DIExpression(), debug-location !7
    DBG_VALUE [ORD=5] t5, $noreg, !5, !DIExpression(), debug-location !7
    DBG_VALUE [ORD=6] t3, $noreg, !6, !DIExpression(), debug-location !7
    DBG_VALUE [ORD=7] t4, $noreg, !6, !DIExpression(), debug-location !7
    DBG_VALUE [ORD=9] t9, $noreg, !5, !DIExpression(), debug-location !7)")),
            R"(bb.0:
%5:b32 = INT_PTX_SREG_TID_x
%1:b32 = MULT32rr %5:b32, %5:b32
DBG_VALUE %1:b32, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
%2:b64 = LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (dereferenceable invariant load (s64), addrspace 101)
%3:b32 = LD_i32 2, 4, 0, 3, 32, -1, %2:b64, 0 :: (load monotonic monotonic (s32))
bb.2:
%0:b32 = PHI %3:b32, %bb.0, %4:b32, %bb.2
%6:b32 = AND_b32rr %0:b32, %1:b32
%7:b32 = NOT_b32 killed %6:b32
%4:b32 = INT_PTX_ATOM_CAS_32_rr %2:b64, 0, %0:b32, killed %7:b32, 2, 4, 0 :: (load store monotonic monotonic (s32))
%8:b1 = SETP_i32rr %4:b32, %0:b32, 1
CBranch killed %8:b1, %bb.2
bb.1:
DBG_VALUE %4:b32, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
DBG_VALUE %1:b32, $noreg, !6, !DIExpression(), debug-location !7; k.cu:4:0
DBG_VALUE $noreg, $noreg, !6, !DIExpression(), debug-location !7; k.cu:4:0
%9:b32 = ADD32rr %4:b32, %1:b32
DBG_VALUE %9:b32, $noreg, !5, !DIExpression(), debug-location !7; k.cu:4:0
ST_i32 killed %9:b32, 0, 0, 0, 32, %2:b64, 0 :: (store (s32))
Return
)");
}

}  // namespace
}  // namespace ptxmir::sdag
