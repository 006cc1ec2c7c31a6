// SPDX-License-Identifier: Apache-2.0

// Atomic operations without a PTX instruction. As nodes, as blocks of nodes, and as machine code they leave the
// same memory and give the same values.

#include <algorithm>
#include <bit>

#include "ir/address_space.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "ptx/isa/isa_opcodes.h"
#include "sdag/expand/expand_blocks.h"
#include "tests/sdag/legalize/legalize_fixture.h"
#include "tests/support/sanitized.h"

namespace ptxmir::sdag {
namespace {

struct Atomic {
  int16_t opcode;
  MVT type;
  MVT memory = type;
  LoadExt ext = LoadExt::kNone;
};

constexpr int16_t kIntegerUpdates[] = {
    isd::kAtomicSwap,         isd::kAtomicLoadAdd,      isd::kAtomicLoadSub,
    isd::kAtomicLoadAnd,      isd::kAtomicLoadClr,      isd::kAtomicLoadOr,
    isd::kAtomicLoadXor,      isd::kAtomicLoadNand,     isd::kAtomicLoadMin,
    isd::kAtomicLoadMax,      isd::kAtomicLoadUMin,     isd::kAtomicLoadUMax,
    isd::kAtomicLoadUIncWrap, isd::kAtomicLoadUDecWrap, isd::kAtomicLoadUSubCond,
    isd::kAtomicLoadUSubSat,  isd::kAtomicCmpSwap,      isd::kAtomicCmpSwapWithSuccess};
constexpr int16_t kFloatUpdates[] = {isd::kAtomicSwap,        isd::kAtomicLoadFAdd, isd::kAtomicLoadFSub,
                                     isd::kAtomicLoadFMin,    isd::kAtomicLoadFMax, isd::kAtomicLoadFMinimum,
                                     isd::kAtomicLoadFMaximum};

bool IsCompare(const Atomic& atomic) {
  return atomic.opcode == isd::kAtomicCmpSwap || atomic.opcode == isd::kAtomicCmpSwapWithSuccess;
}

std::string NameOf(const Atomic& atomic) {
  return std::string(Desc(atomic.opcode).name) + " " + std::string(Name(atomic.type)) + " " +
         std::string(Name(atomic.memory));
}

class AtomicKernel : public LegalizedKernel {
 public:
  using LegalizedKernel::LegalizedKernel;

  const MachineMemOperand* Operand(MVT type, unsigned space = 0, AtomicOrdering ordering = AtomicOrdering::kMonotonic) {
    MachineMemOperand operand = *AtomicOperand(type);
    operand.success_ordering = operand.failure_ordering = ordering;
    operand.address_space = space;
    operand.align_log2 = operand.base_align_log2 = 0;
    while (8u << operand.align_log2 < SizeInBits(type)) ++operand.align_log2;
    operand.base_align_log2 = operand.align_log2;
    return function().CreateMemOperand(operand);
  }
  SDValue InputAt(uint64_t offset, MVT type) {
    return dag().GetLoad(
        {}, type, dag().EntryToken(), InPointer(offset),
        MemOperand(MachineMemOperand::kLoad, type, static_cast<unsigned>(std::countr_zero(offset | 16))));
  }
  // Makes the operation on memory at `pointer`, with operands from the input.
  SDValue Update(const Atomic& atomic, SDValue pointer, const MachineMemOperand* memoperand, uint64_t expected = 32) {
    std::vector<SDValue> operands = {dag().root(), pointer};
    if (IsCompare(atomic)) operands.push_back(InputAt(expected, atomic.type));
    operands.push_back(InputAt(48, atomic.type));
    std::vector<MVT> types = {atomic.type};
    if (atomic.opcode == isd::kAtomicCmpSwapWithSuccess) types.push_back(MVT::kI1);
    types.push_back(MVT::kOther);
    const SDValue node = dag().GetMemNode(atomic.opcode, {}, types, operands, atomic.memory, memoperand, atomic.ext);
    dag().SetRoot(node.Result(static_cast<unsigned>(types.size() - 1)));
    return node;
  }
  // Makes an addition with a scope in its name, and returns the old value.
  SDValue ScopedAdd(std::string_view name, SDValue pointer, SDValue value) {
    const MVT types[] = {value.type(), MVT::kOther};
    const SDValue node = dag().GetIntrinsic(isd::kIntrinsicWChain, name, {}, types, {dag().root(), pointer, value});
    dag().SetRoot(node.Result(1));
    return node;
  }
  void OutputAll(SDValue node) {
    for (unsigned i = 0; i + 1 < node->num_values(); ++i) Output(node.Result(i));
  }

  // Evaluates, expands, evaluates again, selects, verifies and runs.
  void Check(const std::string& name, const Slots& inputs, bool computes_nans = false) {
    Finish();
    DagEvaluation before, after;
    uint64_t out = 0, out_after = 0;
    const absl::Status meaning = Evaluate(inputs, nullptr, before, out);
    ASSERT_TRUE(meaning.ok()) << name << meaning << Text();
    const std::string text = Text();
    const ISelOptions options = Options();
    const absl::Status expanded = ExpandBlocks(dags(), options);
    ASSERT_TRUE(expanded.ok()) << name << expanded;
    const absl::Status valid = VerifyDags(dags());
    ASSERT_TRUE(valid.ok()) << name << valid;
    for (const MachineBasicBlock& block : function()) {
      ASSERT_EQ(dags().FindDag(block.number())->CheckInvariants(), "") << name;
    }
    const Bits fill = ~Bits(0);
    const absl::Status evaluated = Evaluate(inputs, &fill, after, out_after);
    size_t where = 0;
    std::vector<uint8_t> bytes;
    // If a NaN is computed, its bits are unspecified, and so are the bits that are compared and swapped.
    if (evaluated.code() != absl::StatusCode::kFailedPrecondition || !computes_nans) {
      ASSERT_TRUE(evaluated.ok()) << name << evaluated << text;
      for (size_t i = 0; i < num_output_bytes(); ++i) bytes.push_back(after.memory.Bytes(out_after + i, 1)->value);
      EXPECT_TRUE(before.memory.Matches(out, bytes, &where)) << name << " differs as blocks at byte " << where;
    }
    const absl::Status selected = SelectAll();
    ASSERT_TRUE(selected.ok()) << name << selected << text;
    std::string report;
    ASSERT_TRUE(VerifyMachineFunction(function(), report)) << name << report;
    bytes = Run(inputs);
    EXPECT_TRUE(before.memory.Matches(out, bytes, &where))
        << name << " differs in machine code at byte " << where << text << MirOf();
  }
  std::string MirOf() {
    std::string text;
    WriteFunctionForDump(function(), {}, text);
    return text;
  }
  bool HasOpcode(std::string_view name) {
    for (const MachineBasicBlock& block : function()) {
      for (const MachineInstr& instr : block) {
        if (function().target().StableName(instr.opcode()).find(name) != std::string_view::npos) return true;
      }
    }
    return false;
  }
};

class AtomicExpansionTest : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string Features() { return std::string_view(GetParam()) == "sm_90" ? "+ptx83" : ""; }
  EdgeValues values_{11};
};

// The adjacent memory also has values. The operation is done at each position within a word.
TEST_P(AtomicExpansionTest, EveryOperationOnEveryType) {
  std::vector<Atomic> atomics;
  for (const MVT type : {MVT::kI8, MVT::kI16, MVT::kI32, MVT::kI64}) {
    for (const int16_t opcode : kIntegerUpdates) atomics.push_back({opcode, type});
  }
  for (const MVT type : {MVT::kF16, MVT::kBF16, MVT::kF32, MVT::kF64, MVT::kV2F16}) {
    for (const int16_t opcode : kFloatUpdates) {
      // f32 sums are instructions, which flush denormals.
      const bool is_sum = opcode == isd::kAtomicLoadFAdd || opcode == isd::kAtomicLoadFSub;
      if (type != MVT::kF32 || !is_sum) atomics.push_back({opcode, type});
    }
  }
  if (std::string_view(GetParam()) == "sm_90") {
    for (const int16_t opcode : kIntegerUpdates) atomics.push_back({opcode, MVT::kI128});
  }
  // Bytes of memory in wider values, as in LLVM's nodes.
  for (const LoadExt ext : {LoadExt::kZero, LoadExt::kSign}) {
    for (const int16_t opcode : {isd::kAtomicLoadAdd, isd::kAtomicLoadMin, isd::kAtomicSwap, isd::kAtomicCmpSwap}) {
      atomics.push_back({opcode, MVT::kI32, MVT::kI8, ext});
      atomics.push_back({opcode, MVT::kI32, MVT::kI16, ext});
    }
  }
  for (size_t i = 0; i < atomics.size(); i += testing::CaseStride(7)) {
    const Atomic& atomic = atomics[i];
    const unsigned bytes = SizeInBytes(atomic.memory);
    for (unsigned at = 0; at < std::max(4u, bytes); at += bytes) {
      for (const bool matches : {false, true}) {
        if (matches && !IsCompare(atomic)) continue;
        AtomicKernel kernel(GetParam(), Features());
        kernel.Input(0, MVT::kV32I32);
        kernel.Output(kernel.InputAt(0, MVT::kV4I32));
        // The expected value is the value in memory or a different one.
        const SDValue node = kernel.Update(atomic, kernel.OutPointer(at), kernel.Operand(atomic.memory),
                                           matches && atomic.type == atomic.memory ? at : 32);
        kernel.OutputAll(node);
        kernel.Output(kernel.InputAt(64, MVT::kI64));
        kernel.Check(NameOf(atomic) + " at " + std::to_string(at), {values_.Of(MVT::kV32I32)},
                     IsFloatingPoint(atomic.type));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Subtargets, AtomicExpansionTest, ::testing::Values("sm_52", "sm_60", "sm_80", "sm_90"),
                         [](const ::testing::TestParamInfo<const char*>& info) { return std::string(info.param); });

// Values of all kinds are live across several loops, which may depend on each other.
TEST(AtomicExpansion, ValuesLiveThroughLoops) {
  EdgeValues values(3);
  for (const MVT type : {MVT::kI1, MVT::kI8, MVT::kI16, MVT::kI128, MVT::kF16, MVT::kV4F32, MVT::kV3I8, MVT::kV2F16,
                         MVT::kV2I1, MVT::kV2I64}) {
    AtomicKernel kernel;
    kernel.Input(0, MVT::kV32I32);
    kernel.Output(kernel.InputAt(0, MVT::kV4I32));
    const SDValue live = type == MVT::kI1 || type == MVT::kV2I1
                             ? kernel.dag().GetNode(isd::kTruncate, {}, type,
                                                    {kernel.InputAt(0, type == MVT::kI1 ? MVT::kI32 : MVT::kV2I32)})
                             : kernel.InputAt(64, type);
    std::vector<SDValue> seen;
    for (unsigned i = 0; i < 4; ++i) {
      const SDValue node =
          kernel.Update({i % 2 == 0 ? isd::kAtomicLoadNand : isd::kAtomicLoadAdd, i == 3 ? MVT::kI32 : MVT::kI8},
                        kernel.OutPointer(4 * i), kernel.Operand(i == 3 ? MVT::kI32 : MVT::kI8));
      seen.push_back(kernel.dag().GetNode(isd::kXor, {}, node.type(), {node, kernel.InputAt(48, node.type())}));
    }
    for (const SDValue value : seen) kernel.Output(value);
    if (ScalarSizeInBits(type) > 1) {
      kernel.Output(live);
    } else {
      kernel.Output(kernel.dag().GetNode(isd::kZeroExtend, {}, IsVector(type) ? MVT::kV2I32 : MVT::kI32, {live}));
    }
    kernel.Check(std::string(Name(type)), {values.Of(MVT::kV32I32)});
  }
}

// Memory that only one thread sees needs no loop.
TEST(AtomicExpansion, LocalMemoryIsLoadedAndStored) {
  EdgeValues values(5);
  for (const Atomic atomic : {Atomic{isd::kAtomicLoadAdd, MVT::kI32}, Atomic{isd::kAtomicLoadNand, MVT::kI8},
                              Atomic{isd::kAtomicCmpSwapWithSuccess, MVT::kI16},
                              Atomic{isd::kAtomicLoadFMin, MVT::kF32}, Atomic{isd::kAtomicSwap, MVT::kI128}}) {
    AtomicKernel kernel;
    kernel.Input(0, MVT::kV32I32);
    SelectionDAG& dag = kernel.dag();
    const int object = kernel.function().frame_info().CreateStackObject(16, 4);
    const SDValue local = dag.GetAddrSpaceCast({}, MVT::kI64, dag.GetFrameIndex(object, MVT::kI64), 0, 5);
    MachineMemOperand stored = *kernel.MemOperand(MachineMemOperand::kStore, MVT::kV4I32, 4);
    stored.address_space = address_space::kLocal;
    dag.SetRoot(dag.GetStore({}, dag.root(), kernel.InputAt(0, MVT::kV4I32), local,
                             kernel.function().CreateMemOperand(stored)));
    const SDValue node = kernel.Update(atomic, local, kernel.Operand(atomic.memory, 5));
    const SDValue again = kernel.Update({isd::kAtomicLoadXor, MVT::kI32}, local, kernel.Operand(MVT::kI32, 5));
    kernel.OutputAll(node);
    kernel.OutputAll(again);
    kernel.Check(NameOf(atomic), {values.Of(MVT::kV32I32)});
    EXPECT_FALSE(kernel.HasOpcode("ATOM")) << kernel.MirOf();
    EXPECT_EQ(kernel.function().num_blocks(), 1u);
  }
}

// Fences around the loop provide the order.
TEST(AtomicExpansion, OrdersAreFences) {
  struct Expected {
    AtomicOrdering ordering;
    int fences;
  };
  for (const Expected expected : {Expected{AtomicOrdering::kMonotonic, 0}, Expected{AtomicOrdering::kAcquire, 1},
                                  Expected{AtomicOrdering::kRelease, 1}, Expected{AtomicOrdering::kAcquireRelease, 2},
                                  Expected{AtomicOrdering::kSequentiallyConsistent, 2}}) {
    for (const Atomic atomic : {Atomic{isd::kAtomicLoadNand, MVT::kI32}, Atomic{isd::kAtomicCmpSwap, MVT::kI8}}) {
      AtomicKernel kernel("sm_80");
      kernel.Input(0, MVT::kV32I32);
      kernel.Output(kernel.InputAt(0, MVT::kV4I32));
      kernel.OutputAll(
          kernel.Update(atomic, kernel.OutPointer(0), kernel.Operand(atomic.memory, 1, expected.ordering)));
      kernel.Finish();
      ASSERT_TRUE(kernel.SelectAll().ok());
      const std::string mir = kernel.MirOf();
      int fences = 0;
      for (size_t at = mir.find("thread_fence"); at != mir.npos; at = mir.find("thread_fence", at + 1)) ++fences;
      EXPECT_EQ(fences, expected.fences) << mir;
      const size_t loop = mir.find("PHI");
      ASSERT_NE(loop, mir.npos);
      EXPECT_EQ(mir.find("thread_fence") < loop, expected.fences == 2 || expected.ordering == AtomicOrdering::kRelease)
          << mir;
      EXPECT_EQ(kernel.HasOpcode("seq_cst"), expected.ordering == AtomicOrdering::kSequentiallyConsistent);
    }
  }
}

// Threads update the four bytes of a word at the same time. No update is lost.
TEST(AtomicExpansion, ThreadsUpdateBytesOfOneWord) {
  for (const char* cpu : {"sm_52", "sm_80"}) {
    AtomicKernel kernel(cpu);
    SelectionDAG& dag = kernel.dag();
    kernel.Input(0, MVT::kV32I32);
    kernel.OutPointer(0);
    const MVT i32 = MVT::kI32;
    const SDValue thread =
        dag.GetIntrinsic(isd::kIntrinsicWOChain, "llvm.nvvm.read.ptx.sreg.tid.x", {}, absl::MakeConstSpan(&i32, 1), {});
    const SDValue byte = dag.GetNode(isd::kAnd, {}, i32, {thread, dag.GetConstant(3, i32)});
    const SDValue pointer = dag.GetNode(isd::kAdd, {}, MVT::kI64,
                                        {kernel.OutPointer(0), dag.GetNode(isd::kZeroExtend, {}, MVT::kI64, {byte})});
    const MVT types[] = {MVT::kI8, MVT::kOther};
    const SDValue one =
        dag.GetNode(isd::kTruncate, {}, MVT::kI8, {dag.GetNode(isd::kAdd, {}, i32, {byte, dag.GetConstant(1, i32)})});
    const SDValue operands[] = {dag.root(), pointer, one};
    const SDValue node = dag.GetMemNode(isd::kAtomicLoadAdd, {}, types, operands, MVT::kI8, kernel.Operand(MVT::kI8));
    dag.SetRoot(node.Result(1));
    kernel.Finish();
    ASSERT_TRUE(kernel.SelectAll().ok());
    const std::vector<uint8_t> bytes = kernel.Run({DagConstant::Of(MVT::kV32I32, 0)}, 128);
    ASSERT_GE(bytes.size(), 4u);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(bytes[i], 32 * (i + 1)) << cpu;
  }
}

// An addition with a scope in its name, where the SM lacks it: 32 threads add one to the second element of the type.
struct ScopedCase {
  const char* cpu;
  const char* name;
  MVT type;
  uint64_t one, sum;
};
class ScopedAdditions : public ::testing::TestWithParam<ScopedCase> {};

TEST_P(ScopedAdditions, AreLoops) {
  const auto [cpu, name, type, one, sum] = GetParam();
  const unsigned bytes = SizeInBytes(type);
  AtomicKernel kernel(cpu);
  kernel.Input(0, MVT::kV32I32);
  kernel.ScopedAdd(name, kernel.OutPointer(bytes), kernel.dag().GetConstantFP(one, type));
  kernel.Finish();
  ASSERT_TRUE(kernel.SelectAll().ok());
  EXPECT_TRUE(kernel.HasOpcode("ATOM_CAS")) << kernel.MirOf();
  EXPECT_FALSE(kernel.HasOpcode("SATOM")) << kernel.MirOf();
  const std::vector<uint8_t> out = kernel.Run({DagConstant::Of(MVT::kV32I32, 0)}, 32);
  ASSERT_GE(out.size(), 3 * bytes);
  for (unsigned i = 0; i < 3 * bytes; ++i) {
    const bool is_sum = i >= bytes && i < 2 * bytes;
    EXPECT_EQ(out[i], is_sum ? static_cast<uint8_t>(sum >> 8 * (i - bytes)) : 0) << i << kernel.MirOf();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, ScopedAdditions,
    ::testing::Values(ScopedCase{"sm_52", "llvm.nvvm.atomic.add.gen.f.cta.f64.p0", MVT::kF64, 0x3ff0000000000000,
                                 0x4040000000000000},
                      ScopedCase{"sm_52", "llvm.nvvm.atomic.add.gen.f.sys", MVT::kF16, 0x3c00, 0x5000},
                      ScopedCase{"sm_52", "llvm.nvvm.atomic.add.gen.f.cta", MVT::kBF16, 0x3f80, 0x4200},
                      ScopedCase{"sm_80", "llvm.nvvm.atomic.add.gen.f.sys.bf16.p0", MVT::kBF16, 0x3f80, 0x4200}));

// Before sm_60, PTX names no scopes.
TEST(AtomicExpansion, ScopesAreNamedWhereTheSmHasThem) {
  for (const auto& [cpu, scope] : {std::pair{"sm_52", 0}, std::pair{"sm_60", 1}}) {
    AtomicKernel kernel(cpu);
    kernel.Input(0, MVT::kV32I32);
    MachineMemOperand memory = *kernel.Operand(MVT::kI32);
    memory.syncscope = "block";
    kernel.OutputAll(kernel.Update({isd::kAtomicLoadNand, MVT::kI32}, kernel.OutPointer(0),
                                   kernel.function().CreateMemOperand(memory)));
    kernel.Finish();
    ASSERT_TRUE(kernel.SelectAll().ok());
    bool found = false;
    for (const MachineBasicBlock& block : kernel.function()) {
      for (const MachineInstr& instr : block) {
        if (instr.opcode() != ptx::op::INT_PTX_ATOM_CAS_32_rr) continue;
        found = true;
        EXPECT_EQ(instr.operand(6).imm(), scope) << kernel.MirOf();
      }
    }
    EXPECT_TRUE(found) << kernel.MirOf();
  }
}

// Instructions are used if they exist, otherwise loops with the right compare-and-swap.
TEST(AtomicExpansion, LoopsSwapAsManyBitsAsThereAreInstructionsFor) {
  struct Expected {
    const char* cpu;
    Atomic atomic;
    const char* opcode;
    bool loops;
  };
  for (const Expected& expected : {
           Expected{"sm_80", {isd::kAtomicLoadAdd, MVT::kI32}, "INT_PTX_ATOM_ADD_32", false},
           Expected{"sm_80", {isd::kAtomicLoadUIncWrap, MVT::kI32}, "INT_PTX_ATOM_INC_32", false},
           Expected{"sm_80", {isd::kAtomicLoadUIncWrap, MVT::kI64}, "ATOM_CAS_64", true},
           Expected{"sm_80", {isd::kAtomicLoadAdd, MVT::kI16}, "ATOM_CAS_32", true},
           Expected{"sm_80", {isd::kAtomicLoadOr, MVT::kI16}, "ATOM_OR_32", false},
           Expected{"sm_80", {isd::kAtomicLoadAnd, MVT::kI8}, "ATOM_AND_32", false},
           Expected{"sm_52", {isd::kAtomicLoadAdd, MVT::kI16}, "ATOM_CAS_32", true},
           Expected{"sm_80", {isd::kAtomicLoadAdd, MVT::kI8}, "ATOM_CAS_32", true},
           Expected{"sm_80", {isd::kAtomicCmpSwap, MVT::kI16}, "ATOM_CAS_16", false},
           Expected{"sm_80", {isd::kAtomicCmpSwap, MVT::kI8}, "ATOM_CAS_32", true},
           Expected{"sm_80", {isd::kAtomicLoadFMin, MVT::kF32}, "ATOM_CAS_32", true},
           Expected{"sm_80", {isd::kAtomicLoadFMax, MVT::kF64}, "ATOM_CAS_64", true},
           Expected{"sm_80", {isd::kAtomicLoadFSub, MVT::kF32}, "ATOM_ADD_F32", false},
       }) {
    AtomicKernel kernel(expected.cpu);
    kernel.Input(0, MVT::kV32I32);
    MachineMemOperand memory = *kernel.Operand(expected.atomic.memory);
    memory.syncscope = "device";
    kernel.OutputAll(kernel.Update(expected.atomic, kernel.OutPointer(0), kernel.function().CreateMemOperand(memory)));
    kernel.Finish();
    ASSERT_TRUE(kernel.SelectAll().ok());
    EXPECT_TRUE(kernel.HasOpcode(expected.opcode)) << NameOf(expected.atomic) << kernel.MirOf();
    EXPECT_EQ(kernel.function().num_blocks() > 1, expected.loops) << NameOf(expected.atomic);
  }
}

}  // namespace
}  // namespace ptxmir::sdag
