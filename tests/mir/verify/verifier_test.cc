// SPDX-License-Identifier: Apache-2.0

#include "mir/verify/verifier.h"

#include <memory>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Messages = std::vector<std::string>;

// A function, read from text or built by hand, that a test may damage.
class VerifierTest : public ::testing::Test {
 protected:
  // `header` has the YAML keys other than name, tracksRegLiveness and body.
  MachineFunction& Read(std::string_view body, std::string_view header = "") {
    const std::string text = StrCat("---\nname: f\ntracksRegLiveness: true\n", header, "body: |\n", body, "...\n");
    DiagnosticEngine diagnostics;
    module_ = ReadMir(std::make_shared<const SourceBuffer>("test.mir", text), ptx::PtxTargetInfo(), diagnostics);
    if (module_ == nullptr) {
      ADD_FAILURE() << diagnostics.ToString();
      std::abort();
    }
    return *module_->machine_functions().front();
  }

  // Returns the messages of a report, without the text around them.
  Messages Verify(const MachineFunction& function) {
    report_.clear();
    VerifyMachineFunction(function, report_);
    Messages messages;
    constexpr std::string_view kStart = "*** Bad machine code: ";
    for (size_t at = report_.find(kStart); at != std::string::npos; at = report_.find(kStart, at + 1)) {
      const size_t begin = at + kStart.size();
      messages.push_back(report_.substr(begin, report_.find(" ***", begin) - begin));
    }
    return messages;
  }
  Messages VerifyBody(std::string_view body, std::string_view header = "") { return Verify(Read(body, header)); }

  static Opcode Op(std::string_view name) { return *ptx::PtxTargetInfo().find_opcode(name); }
  static MachineInstr& Instr(MachineFunction& function, BlockNumber block, int index) {
    MachineInstr* instr = function.block(block)->front();
    while (index-- > 0) instr = instr->next();
    return *instr;
  }

  std::unique_ptr<Module> module_;
  std::string report_;
};

// entry -> loop -> loop, exit.
constexpr std::string_view kLoop = R"(
  bb.0:
    successors: %bb.1
    %0:b32 = MOV_B32_i 0
    GOTO %bb.1

  bb.1:
    successors: %bb.1, %bb.2
    %1:b32 = PHI %0, %bb.0, %2, %bb.1
    %2:b32 = ADD32ri %1, 1
    %3:b1 = SETP_i32ri %2, 9, 2
    CBranch killed %3, %bb.1
    GOTO %bb.2

  bb.2:
    dead %4:b32 = ADD32rr killed %0, killed %2
    Return
)";

TEST_F(VerifierTest, AcceptsALoop) {
  EXPECT_THAT(VerifyBody(kLoop), IsEmpty());
  EXPECT_EQ(report_, "");
}

TEST_F(VerifierTest, ReportsInLlvmsForm) {
  MachineFunction& function = Read(kLoop);
  Instr(function, 1, 0).operand(2).set_block(2);
  std::string report;
  EXPECT_FALSE(VerifyMachineFunction(function, report, "After PHI Elimination"));
  EXPECT_EQ(report, R"(
# After PHI Elimination

*** Bad machine code: PHI input is not a predecessor block ***
- function:    f
- basic block: %bb.1
- instruction: %1:b32 = PHI %0:b32, %bb.2, %2:b32, %bb.1
- operand 2:   %bb.2

*** Bad machine code: Missing PHI operand ***
- function:    f
- basic block: %bb.1
- instruction: %1:b32 = PHI %0:b32, %bb.2, %2:b32, %bb.1
%bb.0 is a predecessor according to the CFG.
)");
  DiagnosticEngine diagnostics;
  EXPECT_FALSE(VerifyMachineFunction(function, diagnostics));
  ASSERT_EQ(diagnostics.num_errors(), 1u);
  EXPECT_THAT(diagnostics.diagnostics()[0].message, HasSubstr("found 2 machine code errors in function 'f'"));
}

TEST_F(VerifierTest, ReportsAreLimitedButAllCounted) {
  std::string body = "  bb.0:\n";
  for (int i = 0; i < 300; ++i) body += "    ST_i32 %1:b32, 0, 0, 1, 32, %2:b64, 0\n";
  MachineFunction& function = Read(body + "    %3:b32 = ADD32rr %4:b32, %4:b32\n    Return\n");
  for (MachineInstr& instr : *function.front()) instr.set_flag(MachineInstr::kNoConvergent, true);
  std::string report;
  EXPECT_EQ(CountMachineCodeErrors(function, report),
            305u);  // and registers 1, 2 and 4 are undefined
  size_t described = 0;
  for (size_t at = report.find("***\n"); at != std::string::npos; at = report.find("***\n", at + 1)) ++described;
  EXPECT_EQ(described, kMaxVerifierReports);
}

// Structure.

TEST_F(VerifierTest, UseListsMustBeInOrder) {
  MachineFunction& function = Read(kLoop);
  // The interface does not allow this: a use becomes a definition without an update of the use list.
  Instr(function, 2, 0).operand(1).set_reg_flag(MachineOperand::kDefine, true);
  EXPECT_THAT(Verify(function), ElementsAre("Use lists are inconsistent"));
}

// Control flow.

TEST_F(VerifierTest, NothingFollowsATerminator) {
  MachineFunction& function = Read(kLoop);
  MachineBasicBlock& block = *function.block(2);
  BuildMI(block, nullptr, Op("MOV_B32_i"))
      .AddDef(function.reg_info().CreateVirtualRegister(ptx::reg_class::kB32), MachineOperand::kDead)
      .AddImm(1)
      .Insert();
  EXPECT_THAT(Verify(function), ElementsAre("Non-terminator instruction after the first terminator"));
  EXPECT_THAT(report_, HasSubstr("First terminator was:\tReturn"));
}

TEST_F(VerifierTest, BranchTargetsAreSuccessors) {
  EXPECT_THAT(VerifyBody("  bb.0:\n    successors: %bb.1\n    GOTO %bb.2\n  bb.1:\n    Return\n  bb.2:\n   "
                         " Return\n"),
              ElementsAre("MBB exits via jump or conditional branch, but its target isn't a CFG successor!",
                          "MBB has unexpected successors which are not branch targets, fallthrough, EHPads, "
                          "or inlineasm_br targets."));
}

TEST_F(VerifierTest, ConditionalBranchesFallThroughIntoASuccessor) {
  constexpr std::string_view kDefine = "    %0:b1 = MOV_B1_i -1\n    CBranch killed %0, %bb.";
  EXPECT_THAT(VerifyBody(StrCat("  bb.0:\n    successors: %bb.0\n", kDefine, "0\n")),
              ElementsAre("MBB conditionally falls through out of function!"));
  EXPECT_THAT(
      VerifyBody(StrCat("  bb.0:\n    successors: %bb.2\n", kDefine, "2\n  bb.1:\n    Return\n  bb.2:\n    Return\n")),
      ElementsAre("MBB exits via conditional branch/fall-through but the CFG successors don't match "
                  "the actual successors!"));
}

TEST_F(VerifierTest, UnconditionalFallThroughMayBeUnreachable) {
  EXPECT_THAT(VerifyBody("  bb.0:\n    successors:\n    trapinst\n  bb.1:\n    Return\n"), IsEmpty());
  EXPECT_THAT(VerifyBody("  bb.0:\n    successors:\n    trapinst\n"), IsEmpty());
}

TEST_F(VerifierTest, JumpTablesNameSuccessors) {
  constexpr std::string_view kBody =
      "  bb.0:\n    successors: %bb.1, %bb.2\n    %0:b32 = MOV_B32_i 0\n    BRX_START 0\n    "
      "BRX_ITEM %bb.1\n"
      "    BRX_END %bb.2, killed %0, 0\n  bb.1:\n    Return\n  bb.2:\n    Return\n  bb.3:\n    "
      "Return\n";
  constexpr std::string_view kTable =
      "jumpTable:\n  kind: inline\n  entries:\n    - id: 0\n      blocks: [ '%bb.1', '%bb.2' ]\n";
  EXPECT_THAT(VerifyBody(kBody, kTable), IsEmpty());
  MachineFunction& function = Read(kBody, kTable);
  Instr(function, 0, 2).operand(0).set_block(3);
  EXPECT_THAT(Verify(function),
              ElementsAre("MBB exits via jump or conditional branch, but its target isn't a CFG successor!",
                          "MBB has unexpected successors which are not branch targets, fallthrough, EHPads, "
                          "or inlineasm_br targets."));
  function.jump_tables()[0].blocks[0] = 7;
  EXPECT_THAT(Verify(function), ::testing::Contains("Jump table names a basic block that does not exist"));
}

TEST_F(VerifierTest, EdgesAreUniqueAndStayInTheFunction) {
  MachineFunction& function = Read("  bb.0:\n    successors: %bb.1\n    GOTO %bb.1\n  bb.1:\n    Return\n");
  function.block(0)->AddSuccessor(function.block(1), BranchProbability(0));
  EXPECT_THAT(Verify(function), ElementsAre("MBB has duplicate entries in its successor list.",
                                            "MBB has duplicate entries in its predecessor list."));
  MachineFunction& other = Read("  bb.0:\n    successors:\n    trapinst\n");
  MachineBasicBlock* outside = other.CreateBlock();
  other.front()->AddSuccessor(outside);
  EXPECT_THAT(Verify(other), ElementsAre("MBB has successor that isn't part of the function."));
}

TEST_F(VerifierTest, EdgesAreKnownAtBothEnds) {
  MachineFunction& function =
      Read("  bb.0:\n    successors: %bb.1\n    GOTO %bb.1\n  bb.1:\n    Return\n  bb.2:\n    Return\n");
  // Changes the predecessor's side of an edge, which the interface does not allow.
  const_cast<MachineBasicBlock*&>(function.block(1)->predecessors()[0]) = function.block(2);
  EXPECT_THAT(Verify(function), ElementsAre("Inconsistent CFG", "Inconsistent CFG"));
  EXPECT_THAT(report_, HasSubstr("MBB is not in the predecessor list of the successor %bb.1."));
  EXPECT_THAT(report_, HasSubstr("MBB is not in the successor list of the predecessor %bb.2."));
}

TEST_F(VerifierTest, ProbabilitiesAreAllKnownOrAllUnknown) {
  MachineFunction& function = Read(kLoop);
  MachineBasicBlock& block = *function.block(1);
  block.SetSuccessorProbability(0, BranchProbability::Unknown());
  block.SetSuccessorProbability(1, BranchProbability::One());
  EXPECT_THAT(Verify(function), ElementsAre("MBB has both known and unknown successor probabilities."));
  block.SetSuccessorProbability(0, BranchProbability(BranchProbability::kDenominator + 1));
  EXPECT_THAT(Verify(function), ElementsAre("MBB has a successor probability above one."));
}

TEST_F(VerifierTest, LiveInsArePhysical) {
  MachineFunction& function = Read(kLoop);
  function.block(1)->AddLiveIn(Register::Virtual(0));
  EXPECT_THAT(Verify(function), ElementsAre("MBB live-in list contains non-physical register"));
}

TEST_F(VerifierTest, BundleFlagsComeInPairs) {
  MachineFunction& function = Read(kLoop);
  Instr(function, 2, 0).set_flag(MachineInstr::kBundledSucc, true);
  EXPECT_THAT(Verify(function), ElementsAre("Missing BundledPred flag, BundledSucc was set on predecessor"));
  Instr(function, 2, 0).set_flag(MachineInstr::kBundledSucc, false);
  Instr(function, 2, 1).set_flag(MachineInstr::kBundledPred, true);
  EXPECT_THAT(Verify(function), ElementsAre("BundledPred flag is set, BundledSucc was not set on predecessor"));
  Instr(function, 2, 1).set_flag(MachineInstr::kBundledPred, false);
  function.block(2)->back()->set_flag(MachineInstr::kBundledSucc, true);
  EXPECT_THAT(Verify(function), ElementsAre("BundledSucc flag set on last instruction in block"));
}

// Instructions.

TEST_F(VerifierTest, OperandCounts) {
  MachineFunction& function = Read(kLoop);
  Instr(function, 1, 1).RemoveOperand(2);
  EXPECT_THAT(Verify(function), ElementsAre("Too few operands"));
  EXPECT_THAT(report_, HasSubstr("3 operands expected, but 2 given."));
  MachineInstr* add = Instr(function, 1, 1).AddOperand(MachineOperand::CreateImm(1));
  EXPECT_THAT(Verify(function), IsEmpty());
  add->AddOperand(MachineOperand::CreateImm(1));
  EXPECT_THAT(Verify(function), ElementsAre("Extra explicit operand on non-variadic instruction"));
}

TEST_F(VerifierTest, DefinitionsAndUsesStandWhereTheDescriptionSays) {
  MachineFunction& function = Read(kLoop);
  MachineBasicBlock& block = *function.block(2);
  MachineInstr* before = block.back();
  const Register a = Register::Virtual(2);
  const Register fresh = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
  const auto expect = [&](std::initializer_list<MachineOperand> operands, std::string_view message) {
    MachineInstr* instr = function.CreateInstr(Op("ADD32ri"), operands);
    block.Insert(block.front(), instr);
    EXPECT_THAT(Verify(function), ElementsAre(message));
    instr->EraseFromParent();
  };
  const auto reg = [](Register r, uint16_t flags = 0) { return MachineOperand::CreateReg(r, flags); };
  const MachineOperand one = MachineOperand::CreateImm(1);
  constexpr uint16_t kDef = MachineOperand::kDefine;
  expect({one, reg(a), one}, "Explicit definition must be a register");
  expect({reg(a), reg(a), one}, "Explicit definition marked as use");
  expect({reg(fresh, kDef | MachineOperand::kImplicit), reg(a), one}, "Explicit definition marked as implicit");
  expect({reg(fresh, kDef), reg(a, MachineOperand::kImplicit), one}, "Explicit operand marked as implicit");
  expect({reg(fresh, kDef), one, one}, "Expected a register operand.");
  expect({reg(fresh, kDef), reg(a), reg(a)}, "Expected a non-register operand.");
  expect({reg(fresh, kDef | MachineOperand::kKill), reg(a), one}, "Definition marked as kill");
  expect({reg(fresh, kDef), reg(a, MachineOperand::kDead), one}, "Use marked as dead");
  expect({reg(fresh, kDef | MachineOperand::kUndef), reg(a), one},
         "Undef virtual register def operands require a subregister");
  expect({reg(fresh, kDef), reg(a, MachineOperand::kDebug), one}, "Register operand must not be marked debug");
  const Register second = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
  expect({reg(fresh, kDef), reg(second, kDef), one}, "Explicit operand marked as def");
  EXPECT_EQ(block.back(), before);
}

TEST_F(VerifierTest, RegisterClassesMatch) {
  EXPECT_THAT(VerifyBody("  bb.0:\n    %0:b64 = MOV_B64_i 0\n    dead %1:b32 = ADD32ri killed %0, "
                         "1\n    Return\n"),
              ElementsAre("Illegal virtual register for instruction"));
  EXPECT_THAT(report_, HasSubstr("Expected a b32 register, but got a b64 register"));
  EXPECT_THAT(VerifyBody("  bb.0:\n    dead %1:b32 = ADD32ri $vrframe64, 1\n    Return\n"),
              ElementsAre("Illegal physical register for instruction"));
  EXPECT_THAT(report_, HasSubstr("$vrframe64 is not a b32 register."));
}

TEST_F(VerifierTest, CopiesKeepTheSize) {
  EXPECT_THAT(VerifyBody("  bb.0:\n    %0:b64 = MOV_B64_i 0\n    dead %1:b32 = COPY killed %0\n    Return\n"),
              ElementsAre("Copy Instruction is illegal with mismatching sizes"));
  EXPECT_THAT(report_, HasSubstr("Def Size = 32, Src Size = 64"));
}

TEST_F(VerifierTest, ClasslessRegistersNeedAType) {
  MachineFunction& function = Read(kLoop);
  const Register reg = function.reg_info().CreateVirtualRegister(kNoRegClass);
  BuildMI(*function.block(2), function.block(2)->back(), generic::kImplicitDef)
      .AddDef(reg, MachineOperand::kDead)
      .Insert();
  EXPECT_THAT(Verify(function), ElementsAre("Generic virtual register must have a valid type"));
  function.SetProperty(FunctionProperty::kSelected);
  EXPECT_THAT(Verify(function), ElementsAre("Generic virtual register invalid in a Selected function"));
}

TEST_F(VerifierTest, GenericOpcodesEndAtSelection) {
  MachineFunction& function = Read("  bb.0:\n    G_FENCE 4, 1\n    Return\n");
  EXPECT_THAT(Verify(function), IsEmpty());
  function.SetProperty(FunctionProperty::kSelected);
  EXPECT_THAT(Verify(function), ElementsAre("Unexpected generic instruction in a Selected function"));
}

TEST_F(VerifierTest, SymbolsStandForRegistersWhereTheyMay) {
  EXPECT_THAT(VerifyBody("  bb.0:\n    dead %0:b64 = MOV64_PARAM &f_param_0\n"
                         "    DECLARE_PARAM_array &param0, 8, 24\n"
                         "    dead %1:b32 = LD_i32 0, 0, 101, 3, 32, -1, &f_param_1, 0\n"
                         "    ST_i32 1000593162, 0, 0, 1, 32, &x, 0\n    Return\n"),
              IsEmpty());
  EXPECT_THAT(VerifyBody("  bb.0:\n    dead %0:b32 = ADD32ri &x, 1\n    Return\n"),
              ElementsAre("Expected a register operand."));
}

TEST_F(VerifierTest, MemoryOperandsNeedAnAccess) {
  EXPECT_THAT(VerifyBody("  bb.0:\n    dead %0:b32 = MOV_B32_i 1 :: (load (s32))\n    Return\n"),
              ElementsAre("Missing mayLoad flag"));
  EXPECT_THAT(VerifyBody("  bb.0:\n    %1:b64 = MOV_B64_i 0\n"
                         "    dead %0:b32 = LD_i32 0, 0, 1, 3, 32, -1, killed %1, 0 :: (store "
                         "(s32))\n    Return\n"),
              ElementsAre("Missing mayStore flag"));
  // Conservative flags: side effects without mayLoad.
  EXPECT_THAT(VerifyBody("  bb.0:\n    %1:b64 = MOV_B64_i 0\n"
                         "    dead %0:b32 = LD_GLOBAL_NC_i32 3, 32, -1, killed %1, 0 :: (load "
                         "(s32))\n    Return\n"),
              IsEmpty());
}

TEST_F(VerifierTest, MemoryOperandsAreConsistent) {
  MachineFunction& function = Read(
      "  bb.0:\n    dead %0:b32 = LD_i32 0, 0, 5, 3, 32, -1, %stack.0, 0 :: (load (s32) from "
      "%stack.0)\n"
      "    Return\n",
      "stack:\n  - { id: 0, size: 4, alignment: 4 }\n");
  EXPECT_THAT(Verify(function), IsEmpty());
  MachineInstr& load = Instr(function, 0, 0);
  MachineMemOperand mem = *load.memoperands()[0];
  mem.frame_index = 1;
  const MachineMemOperand* copy = function.CreateMemOperand(mem);
  load.SetMemOperands({&copy, 1});
  EXPECT_THAT(Verify(function), ElementsAre("Memory operand names a frame index that does not exist"));
  mem.frame_index = 0;
  mem.align_log2 = 5;
  copy = function.CreateMemOperand(mem);
  load.SetMemOperands({&copy, 1});
  EXPECT_THAT(Verify(function), ElementsAre("Memory operand is more aligned than its base"));
}

TEST_F(VerifierTest, NumbersNameThingsThatExist) {
  MachineFunction& function =
      Read("  bb.0:\n    dead %0:b64 = MOV_B64_sym &g\n    Return\n", "stack:\n  - { id: 0, size: 4, alignment: 4 }\n");
  MachineOperand& operand = Instr(function, 0, 0).operand(1);
  operand.ChangeTo(MachineOperand::CreateFrameIndex(0));
  EXPECT_THAT(Verify(function), IsEmpty());
  function.frame_info().object(0).is_dead = true;
  EXPECT_THAT(Verify(function), ElementsAre("Operand names a dead stack object"));
  operand.ChangeTo(MachineOperand::CreateFrameIndex(1));
  EXPECT_THAT(Verify(function), ElementsAre("Operand names a frame index that does not exist"));
  operand.ChangeTo(MachineOperand::CreateConstantPoolIndex(0, 0));
  EXPECT_THAT(Verify(function), ElementsAre("Operand names a constant that does not exist"));
  operand.ChangeTo(MachineOperand::CreateJumpTableIndex(0));
  EXPECT_THAT(Verify(function), ElementsAre("Operand names a jump table that does not exist"));
  operand.ChangeTo(MachineOperand::CreateBlock(9));
  EXPECT_THAT(Verify(function), ElementsAre("Operand names a basic block that does not exist"));
}

TEST_F(VerifierTest, Ties) {
  MachineFunction& function = Read(kLoop);
  MachineInstr& add = Instr(function, 1, 1);
  add.TieOperands(0, 1);
  EXPECT_THAT(Verify(function), ElementsAre("Explicit operand should not be tied"));
  add.UntieOperand(0);
  MachineBasicBlock& block = *function.block(0);
  const Register reg = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
  MachineInstr* fence = BuildMI(block, block.back(), generic::kArithFence)
                            .AddDef(reg, MachineOperand::kDead)
                            .AddUse(Register::Virtual(0))
                            .Insert();
  EXPECT_THAT(Verify(function), ElementsAre("Operand should be tied"));
  fence->TieOperands(0, 1);
  EXPECT_THAT(Verify(function), IsEmpty());
  fence->UntieOperand(0);
  fence->operand(1).ChangeTo(MachineOperand::CreateImm(1));
  EXPECT_THAT(Verify(function), ElementsAre("Tied use must be a register"));
}

TEST_F(VerifierTest, InlineAsmGroups) {
  constexpr std::string_view kAsm =
      "  bb.0:\n    %0:b32 = MOV_B32_i 0\n    INLINEASM &\"mov $0, $1;\", 1, 262154, def dead "
      "%1:b32, 262153, "
      "killed %0\n    Return\n";
  EXPECT_THAT(VerifyBody(kAsm), IsEmpty());
  MachineFunction& function = Read(kAsm);
  const auto expect = [&](unsigned operand, int64_t value, std::string_view message) {
    MachineOperand& place = Instr(function, 0, 1).operand(operand);
    const int64_t old = place.imm();
    place.set_imm(value);
    EXPECT_THAT(Verify(function), ElementsAre(message));
    place.set_imm(old);
  };
  expect(1, 128, "Unknown asm flags");
  expect(2, 262153, "Asm operand disagrees with its group on what is defined");
  expect(4, 262153 + 8, "Missing operands in last group");
  expect(4, 262153 - 8, "Expected implicit register after groups");
  Instr(function, 0, 1).operand(0).ChangeTo(MachineOperand::CreateImm(0));
  EXPECT_THAT(Verify(function), ElementsAre("Asm string must be an external symbol"));
  function.block(0)->Insert(&Instr(function, 0, 0), function.CreateInstr(generic::kInlineAsm, {}));
  EXPECT_THAT(Verify(function), ElementsAre("Too few operands on inline asm", "Asm string must be an external symbol"));
}

TEST_F(VerifierTest, InlineAsmMemory) {
  EXPECT_THAT(VerifyBody("  bb.0:\n    INLINEASM &x, 0 :: (load (s32))\n    Return\n"),
              ElementsAre("Missing mayLoad flag"));
  EXPECT_THAT(VerifyBody("  bb.0:\n    INLINEASM &x, 8 :: (load (s32))\n    Return\n"), IsEmpty());
}

TEST_F(VerifierTest, DebugInstructions) {
  MachineFunction& function = Read(kLoop);
  MachineBasicBlock& block = *function.block(1);
  const MachineOperand none = MachineOperand::CreateReg(Register());
  const MachineOperand metadata = MachineOperand::CreateMetadata(function.InternInlineMetadata("!DIExpression()"));
  MachineInstr* value = function.CreateInstr(
      generic::kDbgValue, {MachineOperand::CreateReg(Register::Virtual(2)), none, metadata, metadata}, 7);
  block.Insert(block.FirstTerminator(), value);
  EXPECT_THAT(Verify(function), IsEmpty());
  value->set_debug_loc(MachineInstr::kNoDebugLoc);
  EXPECT_THAT(Verify(function), ElementsAre("Missing DebugLoc for debug instruction"));
  value->set_debug_loc(7);
  value->operand(0).set_reg_flag(MachineOperand::kDebug, false);
  EXPECT_THAT(Verify(function), ElementsAre("Register operand must be marked debug"));
}

TEST_F(VerifierTest, InstructionFlags) {
  MachineFunction& function = Read(kLoop);
  Instr(function, 1, 1).set_flag(MachineInstr::kNoConvergent, true);
  EXPECT_THAT(Verify(function), ElementsAre("NoConvergent flag expected only on convergent instructions."));
  Instr(function, 1, 1).set_flag(MachineInstr::kNoConvergent, false);
  MachineInstr* kill = function.CreateInstr(generic::kKill, {});
  InstrExtra extra;
  extra.debug_instr_number = 3;
  kill->SetExtra(extra);
  function.block(2)->Insert(function.block(2)->front(), kill);
  EXPECT_THAT(Verify(function), ElementsAre("Metadata instruction should not have a value tracking number"));
}

// Values.

TEST_F(VerifierTest, OneDefinitionInSsaForm) {
  MachineFunction& function = Read(kLoop);
  Instr(function, 2, 0).operand(0).SetReg(Register::Virtual(1));
  EXPECT_THAT(Verify(function), ElementsAre("Multiple virtual register defs in SSA form"));
  function.SetProperty(FunctionProperty::kIsSsa, false);
  EXPECT_THAT(Verify(function), IsEmpty());
}

TEST_F(VerifierTest, Properties) {
  MachineFunction& function = Read(kLoop);
  function.SetProperty(FunctionProperty::kNoPhis);
  EXPECT_THAT(Verify(function), ElementsAre("Found PHI instruction with NoPHIs property set"));
  function.SetProperty(FunctionProperty::kNoPhis, false);
  function.SetProperty(FunctionProperty::kNoVRegs);
  EXPECT_THAT(Verify(function), ElementsAre("Function has NoVRegs property but there are VReg operands"));
}

TEST_F(VerifierTest, PhisComeFirst) {
  MachineFunction& function = Read(kLoop);
  MachineBasicBlock& block = *function.block(1);
  const Register reg = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
  BuildMI(block, block.front(), Op("MOV_B32_i")).AddDef(reg, MachineOperand::kDead).AddImm(1).Insert();
  EXPECT_THAT(Verify(function), ElementsAre("Found PHI instruction after non-PHI"));
}

TEST_F(VerifierTest, PhiOperandKinds) {
  MachineFunction& function = Read(kLoop);
  MachineInstr& phi = Instr(function, 1, 0);
  const MachineOperand input = phi.operand(1);
  phi.operand(1).ChangeTo(MachineOperand::CreateImm(0));
  EXPECT_THAT(Verify(function), ElementsAre("Expected PHI operand to be a register", "Missing PHI operand"));
  phi.operand(1).ChangeTo(input);
  phi.operand(2).ChangeTo(MachineOperand::CreateImm(0));
  EXPECT_THAT(Verify(function), ElementsAre("Expected PHI operand to be a basic block", "Missing PHI operand"));
  phi.operand(2).ChangeTo(MachineOperand::CreateBlock(0));
  EXPECT_THAT(Verify(function), IsEmpty());
  phi.RemoveOperand(4);
  EXPECT_THAT(Verify(function), ElementsAre("PHI inputs are not pairs of register and basic block"));
}

TEST_F(VerifierTest, PhisNameEachPredecessor) {
  MachineFunction& function = Read(kLoop);
  MachineInstr* phi = &Instr(function, 1, 0);
  phi = phi->AddOperand(MachineOperand::CreateReg(Register::Virtual(2)));
  phi = phi->AddOperand(MachineOperand::CreateBlock(1));
  EXPECT_THAT(Verify(function), IsEmpty());  // the same value twice
  phi->operand(5).SetReg(Register::Virtual(1));
  EXPECT_THAT(Verify(function), ElementsAre("PHI has different inputs for the same predecessor"));
  phi->operand(4).set_block(0);
  phi->operand(3).SetReg(Register::Virtual(0));
  phi->operand(6).set_block(0);
  phi->operand(5).SetReg(Register::Virtual(0));
  EXPECT_THAT(Verify(function), ElementsAre("Missing PHI operand"));
  EXPECT_THAT(report_, HasSubstr("%bb.1 is a predecessor according to the CFG."));
}

TEST_F(VerifierTest, PhiInputsReachTheEndOfThePredecessor) {
  MachineFunction& function = Read(kLoop);
  Instr(function, 1, 0).operand(1).SetReg(Register::Virtual(2));
  EXPECT_THAT(Verify(function), ElementsAre("PHI operand is not live-out from predecessor"));
}

TEST_F(VerifierTest, UsesNeedADefinition) {
  EXPECT_THAT(VerifyBody("  bb.0:\n    dead %1:b32 = ADD32ri %0:b32, 1\n    Return\n"),
              ElementsAre("Reading virtual register without a def"));
  EXPECT_THAT(VerifyBody("  bb.0:\n    dead %1:b32 = ADD32ri undef %0:b32, 1\n    Return\n"), IsEmpty());
}

TEST_F(VerifierTest, DefinitionsDominateUses) {
  constexpr std::string_view kDiamond =
      "  bb.0:\n    successors: %bb.1, %bb.2\n    %0:b1 = MOV_B1_i -1\n    CBranch killed %0, "
      "%bb.2\n"
      "  bb.1:\n    successors: %bb.2\n    %1:b32 = MOV_B32_i 0\n"
      "  bb.2:\n    dead %2:b32 = ADD32ri %1, 1\n    Return\n";
  EXPECT_THAT(VerifyBody(kDiamond), ElementsAre("Virtual register defs don't dominate all uses."));
  // Within a block.
  EXPECT_THAT(VerifyBody("  bb.0:\n    dead %1:b32 = ADD32ri %0, 1\n    %0:b32 = MOV_B32_i 0\n    Return\n"),
              ElementsAre("Virtual register defs don't dominate all uses."));
  // The instruction does not come before its own uses.
  EXPECT_THAT(VerifyBody("  bb.0:\n    %1:b32 = ADD32ri %1, 1\n    Return\n"),
              ElementsAre("Virtual register defs don't dominate all uses."));
  // The second block is unreachable.
  EXPECT_THAT(VerifyBody("  bb.0:\n    %1:b32 = MOV_B32_i 0\n    Return\n"
                         "  bb.1:\n    dead %2:b32 = ADD32ri %1, 1\n    Return\n"),
              IsEmpty());
}

TEST_F(VerifierTest, SeveralDefinitionsCoverAllPaths) {
  constexpr std::string_view kStart = "  bb.0:\n    successors: %bb.1, %bb.2\n    %0:b1 = MOV_B1_i -1\n";
  constexpr std::string_view kRest =
      "    CBranch killed %0, %bb.2\n"
      "  bb.1:\n    successors: %bb.2\n    %1:b32 = MOV_B32_i 0\n    %1:b32 = MOV_B32_i 1\n"
      "  bb.2:\n    dead %2:b32 = ADD32ri %1, 1\n    Return\n";
  EXPECT_THAT(VerifyBody(StrCat(kStart, kRest)), ElementsAre("Virtual register defs don't dominate all uses."));
  EXPECT_THAT(VerifyBody(StrCat(kStart, "    %1:b32 = MOV_B32_i 2\n", kRest)), IsEmpty());
}

TEST_F(VerifierTest, KilledRegistersAreGone) {
  EXPECT_THAT(VerifyBody("  bb.0:\n    %0:b32 = MOV_B32_i 0\n    dead %1:b32 = ADD32ri killed %0, 1\n"
                         "    dead %2:b32 = ADD32ri %0, 1\n    Return\n"),
              ElementsAre("Using a killed virtual register"));
  // The register is defined again.
  EXPECT_THAT(VerifyBody("  bb.0:\n    %0:b32 = MOV_B32_i 0\n    %0:b32 = ADD32ri killed %0, 1\n"
                         "    dead %2:b32 = ADD32ri killed %0, 1\n    Return\n"),
              IsEmpty());
}

TEST_F(VerifierTest, KilledRegistersAreNotLiveOut) {
  MachineFunction& function = Read(kLoop);
  // %0 is read after the loop; kill it in the loop.
  MachineBasicBlock& loop = *function.block(1);
  const Register reg = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
  MachineInstr* copy = BuildMI(loop, loop.FirstTerminator(), generic::kCopy)
                           .AddDef(reg, MachineOperand::kDead)
                           .AddUse(Register::Virtual(0), MachineOperand::kKill)
                           .Insert();
  EXPECT_THAT(Verify(function), ElementsAre("Virtual register killed in block, but needed live out."));
  EXPECT_THAT(report_, HasSubstr("- basic block: %bb.1\nVirtual register %0 is used after the block."));
  // The register is live out into a PHI.
  copy->operand(1).SetReg(Register::Virtual(2));
  EXPECT_THAT(Verify(function), ElementsAre("Virtual register killed in block, but needed live out."));
  copy->operand(1).set_reg_flag(MachineOperand::kKill, false);
  EXPECT_THAT(Verify(function), IsEmpty());
}

TEST_F(VerifierTest, DeadDefinitionsAreNotRead) {
  MachineFunction& function = Read(kLoop);
  Instr(function, 0, 0).operand(0).set_reg_flag(MachineOperand::kDead, true);
  EXPECT_THAT(Verify(function), ElementsAre("Using a virtual register whose definition is dead"));
  EXPECT_THAT(VerifyBody("  bb.0:\n    dead %0:b32 = MOV_B32_i 0\n    %0:b32 = ADD32ri killed %0, "
                         "1\n    Return\n"),
              ElementsAre("Using a virtual register whose definition is dead"));
}

TEST_F(VerifierTest, BundlesReadBeforeTheyWrite) {
  EXPECT_THAT(VerifyBody("  bb.0:\n    %0:b32 = MOV_B32_i 0\n    BUNDLE implicit %0 {\n"
                         "      dead %1:b32 = ADD32ri killed %0, 1\n      dead %2:b32 = ADD32ri %0, 1\n    }\n"
                         "    Return\n"),
              IsEmpty());
}

TEST_F(VerifierTest, FunctionLiveIns) {
  MachineFunction& function = Read(kLoop);
  function.reg_info().live_ins().push_back({Register::Virtual(0), Register()});
  EXPECT_THAT(Verify(function), ElementsAre("Function live-in is not a physical register"));
  function.reg_info().live_ins()[0] = {Register::Physical(ptx::phys_reg::kEnvReg0), Register::Virtual(99)};
  EXPECT_THAT(Verify(function), ElementsAre("Function live-in is copied to a register that does not exist"));
}

TEST_F(VerifierTest, OperandsNameRegistersThatExist) {
  MachineFunction& function = Read(kLoop);
  const auto insert = [&](uint32_t number) {
    function.block(0)->Insert(
        function.block(0)->back(),
        function.CreateInstr(generic::kKill, {MachineOperand::CreateReg(Register::Physical(number))}));
  };
  insert(ptx::phys_reg::kFrame64);
  EXPECT_THAT(Verify(function), IsEmpty());
  insert(1000);
  EXPECT_THAT(Verify(function), ElementsAre("Operand names a register that does not exist"));
}

TEST_F(VerifierTest, DominanceOnLongLaddersIsFast) {
  // Every rung exits to the same block, which reads a register that the entry defined.
  constexpr int kRungs = 20000;
  std::string body = "  bb.0:\n    %0:b1 = MOV_B1_i -1\n    %1:b32 = MOV_B32_i 0\n";
  for (int i = 0; i < kRungs; ++i) {
    StrAppend(&body, "    CBranch %0, %bb.", kRungs, "\n  bb.", i + 1, ":\n");
  }
  body += "    dead %2:b32 = ADD32ri %1, 1\n    Return\n";
  EXPECT_THAT(VerifyBody(body), IsEmpty());
}

}  // namespace
}  // namespace ptxmir
