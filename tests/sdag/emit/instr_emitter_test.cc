// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/instr_emitter.h"

#include <string>
#include <vector>

#include "tests/sdag/emit/emit_fixture.h"

namespace ptxmir::sdag {
namespace {

using InstrEmitterTest = EmitTest;

TEST_F(InstrEmitterTest, SpecialNodesHaveBits) {
  for (const int16_t opcode : {isd::kCopyToReg, isd::kCopyFromReg, isd::kTokenFactor, isd::kEHLabel, isd::kInlineAsm,
                               isd::kLifetimeStart, isd::kLifetimeEnd, isd::kPseudoProbe}) {
    EXPECT_TRUE(InstrEmitter::IsSpecial(opcode)) << Desc(opcode).name;
  }
  EXPECT_FALSE(InstrEmitter::IsSpecial(isd::kAdd));
  EXPECT_FALSE(InstrEmitter::IsSpecial(isd::kLoad));
  EXPECT_FALSE(InstrEmitter::IsSpecial(~op::ADD32rr));
}

TEST_F(InstrEmitterTest, WhatShouldHaveBeenSelectedIsNamed) {
  const SDValue a = Live();
  Export(dag_->GetNode(isd::kAdd, {}, MVT::kI32, {a, a}));
  const std::string error = ErrorOf();
  EXPECT_NE(error.find("in function 'k', bb.0: this node should have been selected"), std::string::npos) << error;
  EXPECT_NE(error.find("= add "), std::string::npos) << error;
}

TEST_F(InstrEmitterTest, MachineNodesKeepOperandsFlagsLocationsAndMemory) {
  MachineMemOperand memory;
  memory.flags = MachineMemOperand::kLoad;
  memory.has_known_size = true;
  memory.type = {.kind = LowLevelType::Kind::kScalar, .bits = 32};
  memory.align_log2 = memory.base_align_log2 = 2;
  const MachineMemOperand* memoperand = function_->CreateMemOperand(memory);
  const MVT types[] = {MVT::kI32, MVT::kOther};
  const SDValue operands[] = {Imm(0),
                              Imm(0),
                              Imm(0),
                              Imm(3),
                              Imm(32),
                              Imm(-1),
                              Live(MVT::kI64, ptx::reg_class::kB64),
                              Imm(8),
                              dag_->EntryToken()};
  const SDValue load(dag_->GetMachineNode(op::LD_i32, {.debug_loc = 7}, types, operands, {&memoperand, 1}), 0);
  Export(Node(op::FADDf32ri, {MVT::kF32}, {load, dag_->GetConstantFP(0x3f800000, MVT::kF32, true), Imm(0)}, {},
              SDNodeFlags::kAllowContract | SDNodeFlags::kNoNaNs));
  Emit();
  EXPECT_EQ(Dump(),
            "%2:b32 = LD_i32 0, 0, 0, 3, 32, -1, %0:b64, 8, debug-location !7 :: (load (s32))\n"
            "%1:b32 = nnan contract FADDf32ri killed %2:b32, float 1.000000e+00, 0\n");
  Verify();
}

// CopyToReg.

TEST_F(InstrEmitterTest, CopyToRegOfAnUndefinedValueIsImplicitDef) {
  Export(Node(generic::kImplicitDef, {MVT::kI32}, {}));
  Export(dag_->GetUndef(MVT::kI32));
  show_undefined_ = true;
  Emit();
  EXPECT_EQ(Dump(), "%0:b32 = IMPLICIT_DEF\n%1:b32 = IMPLICIT_DEF\n");
  Verify();
}

TEST_F(InstrEmitterTest, CopyToTheSameRegisterIsNothing) {
  const Register reg = LiveIn();
  const SDValue value = dag_->GetCopyFromReg({}, dag_->EntryToken(), reg, MVT::kI32);
  dag_->SetRoot(dag_->GetCopyToReg({}, dag_->root(), Register::Physical(39), value));
  dag_->SetRoot(dag_->GetCopyToReg({}, dag_->root(), Register::Physical(39), Reg(Register::Physical(39))));
  Emit();
  EXPECT_EQ(Dump(), "$r0 = COPY %0:b32\n");
}

TEST_F(InstrEmitterTest, AValueIsMadeInTheRegisterItIsCopiedTo) {
  const SDValue a = Live();
  Export(Add(a, a));
  Emit();
  EXPECT_EQ(Dump(), "%1:b32 = ADD32rr %0:b32, %0:b32\n");
  Verify();
}

TEST_F(InstrEmitterTest, ASecondRegisterIsCopied) {
  const SDValue a = Live();
  const SDValue sum = Add(a, a);
  Export(sum);
  Export(sum);
  Emit();
  EXPECT_EQ(Count(generic::kCopy), 1u) << Dump();
  Verify();
}

TEST_F(InstrEmitterTest, ARegisterThatTheDagReadsIsNotMadeInPlace) {
  // Not in SSA form: %0 = %0 + %0, followed by a use of the old value.
  const Register reg = LiveIn();
  const SDValue old = dag_->GetCopyFromReg({}, dag_->EntryToken(), reg, MVT::kI32);
  dag_->SetRoot(dag_->GetCopyToReg({}, old.Result(1), reg, Add(old, old)));
  Export(old);
  Emit();
  EXPECT_EQ(Dump(),
            "%1:b32 = COPY %0:b32\n"
            "%2:b32 = ADD32rr %1:b32, %1:b32\n"
            "%0:b32 = COPY %2:b32\n")
      << "the old value is copied before %0 changes";
}

// CopyFromReg.

TEST_F(InstrEmitterTest, CopyFromAVirtualRegisterIsNoCopy) {
  const SDValue a = Live(), b = Live();
  Export(Add(a, b));
  Emit();
  EXPECT_EQ(Dump(), "%2:b32 = ADD32rr %0:b32, %1:b32\n");
}

TEST_F(InstrEmitterTest, CopyFromAPhysicalRegisterGoesToItsSoleUser) {
  function_->front()->AddLiveIn(Register::Physical(39));
  Export(dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Physical(39), MVT::kI32));
  Emit();
  EXPECT_EQ(Dump(), "%0:b32 = COPY $r0\n");
  Verify();
}

TEST_F(InstrEmitterTest, WhatIsExpensiveToCopyIsUsedWhereItIs) {
  const Register envreg = Register::Physical(ptx::phys_reg::kEnvReg0 + 3);
  const SDValue special = dag_->GetCopyFromReg({}, dag_->EntryToken(), envreg, MVT::kI32);
  Export(Node(op::MOV_SPECIAL, {MVT::kI32}, {special}));
  Emit();
  EXPECT_EQ(Dump(), "%0:b32 = MOV_SPECIAL $envreg3\n");
}

TEST_F(InstrEmitterTest, WhatCannotBeCopiedIsReadByAMove) {
  const Register envreg = Register::Physical(ptx::phys_reg::kEnvReg0 + 3);
  const SDValue special = dag_->GetCopyFromReg({}, dag_->EntryToken(), envreg, MVT::kI32);
  Export(Add(special, special));
  Emit();
  EXPECT_EQ(Dump(), "%1:b32 = MOV_SPECIAL $envreg3\n%0:b32 = ADD32rr %1:b32, %1:b32\n");
}

TEST_F(InstrEmitterTest, AUserThatCanTakeTheCopiedRegisterFoldsTheCopy) {
  const Register envreg = Register::Physical(ptx::phys_reg::kEnvReg0);
  const SDValue special = dag_->GetCopyFromReg({}, dag_->EntryToken(), envreg, MVT::kI32);
  const SDValue moved = Node(op::MOV_SPECIAL, {MVT::kI32}, {special});
  Export(Add(moved, special));
  Emit();
  EXPECT_EQ(Dump(),
            "%1:b32 = MOV_SPECIAL $envreg0\n"
            "%2:b32 = MOV_SPECIAL $envreg0\n"
            "%0:b32 = ADD32rr killed %2:b32, %1:b32\n");
}

// Register classes: a target with two more classes, one with few registers and one for uniform values.

constexpr RegClassId kFew = ptx::reg_class::kCount;
constexpr RegClassId kSix = ptx::reg_class::kCount + 1;

struct ModifiedTarget {
  ModifiedTarget() {
    const uint64_t b32 = classes[ptx::reg_class::kB32].member_mask[0];
    const uint64_t lowest = b32 & -b32;
    const uint64_t others = b32 & ~lowest;
    classes.push_back({"few", 32, 1, true, {lowest | lowest << 1, 0}});
    classes.push_back({"six", 32, 1, true, {others, 0}});
    // Opcodes share rows of operands. Give each its own.
    Change(op::SUB32rr, 1, kFew);
    Change(op::MULT32rr, 1, kSix);
    Change(op::MULT32rr, 0, kSix);
    target.reg_classes = classes;
    target.operand_descs = operands;
    target.instrs = instrs;
  }
  void Change(Opcode opcode, unsigned operand, RegClassId reg_class) {
    InstrDesc& desc = instrs[opcode];
    const auto first = static_cast<uint32_t>(operands.size());
    for (unsigned i = 0; i < desc.num_operands; ++i) {
      const OperandDesc copy = operands[desc.first_operand + i];
      operands.push_back(copy);
    }
    operands[first + operand].reg_class = reg_class;
    desc.first_operand = first;
  }

  TargetInfo target = ptx::PtxTargetInfo();
  std::vector<RegClassDesc> classes{target.reg_classes.begin(), target.reg_classes.end()};
  std::vector<OperandDesc> operands{target.operand_descs.begin(), target.operand_descs.end()};
  std::vector<InstrDesc> instrs{target.instrs.begin(), target.instrs.end()};
};

const TargetInfo& TargetWithClasses() {
  static const ModifiedTarget* const kModified = new ModifiedTarget;
  return kModified->target;
}

class RegClassTest : public EmitTest {
 protected:
  RegClassTest() : machine_(nullptr, TargetWithClasses(), "f", 0) { Use(machine_); }
  ~RegClassTest() override { dags_.reset(); }
  MachineFunction machine_;
};

TEST_F(RegClassTest, AClassOfFewRegistersIsNotForcedOnAValue) {
  const SDValue a = Live(), b = Live();
  const SDValue sum = Add(a, b);
  Export(Node(op::SUB32rr, {MVT::kI32}, {sum, b}));
  Emit();
  EXPECT_EQ(Dump(),
            "%3:b32 = ADD32rr %0:b32, %1:b32\n"
            "%4:few = COPY %3:b32\n"
            "%2:b32 = SUB32rr %4:few, %1:b32\n");
}

TEST_F(RegClassTest, AClassOfEnoughRegistersIs) {
  const SDValue a = Live(), b = Live();
  Export(Node(op::MULT32rr, {MVT::kI32}, {Add(a, b), b}));
  Emit();
  EXPECT_EQ(Dump(),
            "%3:six = ADD32rr %0:b32, %1:b32\n"
            "%4:six = MULT32rr killed %3:six, %1:b32\n"
            "%2:b32 = COPY %4:six\n");
}

TEST_F(RegClassTest, DivergentValuesCanHaveAClassOfTheirOwn) {
  EmitTargetHooks hooks = PtxEmitHooks();
  hooks.reg_class_for = [](MVT, bool is_divergent) {
    return std::optional<RegClassId>(is_divergent ? RegClassId{ptx::reg_class::kB32} : kSix);
  };
  const SDValue uniform = Live();
  const Register tid = LiveIn();
  dags_->SetDivergent(tid);
  const SDValue divergent = dag_->GetCopyFromReg({}, dag_->EntryToken(), tid, MVT::kI32);
  const SDValue first = Add(uniform, uniform), second = Add(divergent, divergent);
  Export(Add(first, second));
  Emit({.hooks = &hooks});
  EXPECT_EQ(Dump(),
            "%3:six = ADD32rr %0:b32, %0:b32\n"
            "%4:b32 = ADD32rr %1:b32, %1:b32\n"
            "%2:b32 = ADD32rr killed %3:six, killed %4:b32\n");
}

// Sub-registers and classes.

TEST_F(InstrEmitterTest, ExtractSubregTakesApart) {
  const SDValue wide = Live(MVT::kI64, ptx::reg_class::kB64);
  Export(Node(generic::kExtractSubreg, {MVT::kI32}, {wide, Imm(6)}));
  Export(Node(generic::kExtractSubreg, {MVT::kI16}, {wide, Imm(3)}), ptx::reg_class::kB16);
  Emit();
  EXPECT_EQ(Dump(),
            "%3:b32, %1:b32 = I64toV2I32 %0:b64\n"
            "%4:b16, %5:b16, %2:b16, %6:b16 = I64toV4I16 %0:b64\n");
  Verify();
}

TEST_F(InstrEmitterTest, InsertSubregTakesApartAndPutsTogether) {
  const SDValue wide = Live(MVT::kI64, ptx::reg_class::kB64), part = Live();
  Export(Node(generic::kInsertSubreg, {MVT::kI64}, {wide, part, Imm(5)}), ptx::reg_class::kB64);
  Emit();
  EXPECT_EQ(Dump(), "%3:b32, %4:b32 = I64toV2I32 %0:b64\n%2:b64 = V2I32toI64 %1:b32, %4:b32\n");
  Verify();
}

TEST_F(InstrEmitterTest, SubregToRegMakesTheRestZero) {
  Export(Node(generic::kSubregToReg, {MVT::kI64}, {Imm(0), Live(), Imm(5)}), ptx::reg_class::kB64);
  Emit();
  EXPECT_EQ(Dump(), "%2:b32 = MOV_B32_i 0\n%1:b64 = V2I32toI64 %0:b32, %2:b32\n");
  Verify();
}

TEST_F(InstrEmitterTest, RegSequencePutsTogetherInAnyOrder) {
  const SDValue low = Live(), high = Live();
  Export(Node(generic::kRegSequence, {MVT::kI64}, {Imm(ptx::reg_class::kB64), high, Imm(6), low, Imm(5)}),
         ptx::reg_class::kB64);
  Emit();
  EXPECT_EQ(Dump(), "%2:b64 = V2I32toI64 %0:b32, %1:b32\n");
  Verify();
}

TEST_F(InstrEmitterTest, SubRegistersThatDoNotExistAreErrors) {
  Export(Node(generic::kExtractSubreg, {MVT::kI32}, {Live(), Imm(6)}));
  EXPECT_NE(ErrorOf().find("no such sub-register"), std::string::npos);
}

TEST_F(InstrEmitterTest, CopyToRegClassCopies) {
  const SDValue a = Live();
  const SDValue copy = Node(generic::kCopyToRegclass, {MVT::kF32}, {a, Imm(ptx::reg_class::kB32)});
  Export(Node(op::FADDf32rr, {MVT::kF32}, {copy, copy, Imm(0)}));
  Emit();
  EXPECT_EQ(Dump(), "%2:b32 = COPY %0:b32\n%1:b32 = FADDf32rr %2:b32, %2:b32, 0\n");
  Verify();
}

// Undefined values, several results.

TEST_F(InstrEmitterTest, EachUseOfAnUndefinedValueHasARegister) {
  const SDValue undefined = Node(generic::kImplicitDef, {MVT::kI32}, {});
  Export(Add(undefined, undefined));
  show_undefined_ = true;
  Emit();
  EXPECT_EQ(Dump(), "%1:b32 = IMPLICIT_DEF\n%2:b32 = IMPLICIT_DEF\n%0:b32 = ADD32rr %1:b32, %2:b32\n");
  Verify();
}

TEST_F(InstrEmitterTest, NodesWithSeveralResultsAreOneInstruction) {
  const SDValue both = Node(op::I64toV2I32, {MVT::kI32, MVT::kI32}, {Live(MVT::kI64, ptx::reg_class::kB64)});
  Export(Add(both, both.Result(1)));
  Emit();
  EXPECT_EQ(Dump(), "%2:b32, %3:b32 = I64toV2I32 %0:b64\n%1:b32 = ADD32rr killed %2:b32, killed %3:b32\n");
  Verify();
}

TEST_F(InstrEmitterTest, LongChainsOfNodesWithSeveralResultsTakeNoStack) {
  const SDValue wide = Live(MVT::kI64, ptx::reg_class::kB64);
  SDValue value = wide;
  for (int i = 0; i < 20000; ++i) {
    const SDValue both = Node(op::I64toV2I32, {MVT::kI32, MVT::kI32}, {value});
    value = Node(op::V2I32toI64, {MVT::kI64}, {both.Result(1), both});
  }
  Export(value, ptx::reg_class::kB64);
  EXPECT_EQ(Emit().num_instrs, 40000u);
  Verify();
}

// Glue.

TEST_F(InstrEmitterTest, GluedInstructionsAreNextToEachOther) {
  const SDValue a = Live(), b = Live();
  const SDValue undefined = dag_->GetUndef(MVT::kI32);
  const SDValue low = Node(op::ADDCCi32rr, {MVT::kI32, MVT::kGlue}, {a, b});
  const SDValue high = Node(op::ADDCCCi32rr, {MVT::kI32, MVT::kGlue}, {undefined, b, low.Result(1)});
  Export(high);
  Export(low);
  Export(Add(a, b));
  show_undefined_ = true;
  Emit();
  const std::string text = Dump();
  EXPECT_NE(text.find("ADDCCi32rr %0:b32, %1:b32\n%2:b32 = ADDCCCi32rr"), std::string::npos) << text;
  Verify();
}

TEST_F(InstrEmitterTest, WhatAGluedNodeHasMadeLeavesNoInstruction) {
  const SDValue a = Live(), b = Live();
  // The sum and its "carry", which is said to have been made by the same instruction.
  const SDValue low = Node(op::ADDCCi32rr, {MVT::kI32, MVT::kGlue}, {a, b});
  const SDValue made = Node(op::ADD32ri, {MVT::kI32}, {low, low.Result(1)}, {}, SDNodeFlags::kImplicitGlue);
  Export(Add(made, low));
  Emit();
  EXPECT_EQ(Dump(), "%3:b32 = ADDCCi32rr %0:b32, %1:b32\n%2:b32 = ADD32rr %3:b32, %3:b32\n");
  Verify();
}

TEST_F(InstrEmitterTest, TheBitOfNodesWithoutGlueMeansNothing) {
  const SDValue a = Live();
  Export(Node(op::ADD32ri, {MVT::kI32}, {a, Imm(1)}, {}, SDNodeFlags::kImplicitGlue));
  Emit();
  EXPECT_EQ(Dump(), "%1:b32 = ADD32ri %0:b32, 1\n");
}

TEST_F(InstrEmitterTest, TheBitWithoutAValueIsAnError) {
  const SDValue a = Live();
  const SDValue low = Node(op::ADDCCi32rr, {MVT::kI32, MVT::kGlue}, {a, a});
  Export(Node(op::ADDCCCi32rr, {MVT::kI32}, {low.Result(1)}, {}, SDNodeFlags::kImplicitGlue));
  EXPECT_NE(ErrorOf().find("the glued node is said to have made"), std::string::npos);
}

// Implicit registers, on a target whose multiplication writes $r0 and $r1 and reads $r2.

constexpr uint32_t kR0 = 39;

EmitTargetHooks HooksWithImplicitRegisters() {
  EmitTargetHooks hooks = PtxEmitHooks();
  static const Register kDefs[] = {Register::Physical(kR0), Register::Physical(kR0 + 1)};
  static const Register kUses[] = {Register::Physical(kR0 + 2)};
  hooks.implicit_defs = [](Opcode opcode) {
    return opcode == op::MULT32rr ? absl::MakeConstSpan(kDefs) : absl::Span<const Register>();
  };
  hooks.implicit_uses = [](Opcode opcode) {
    return opcode == op::MULT32rr ? absl::MakeConstSpan(kUses) : absl::Span<const Register>();
  };
  return hooks;
}

TEST_F(InstrEmitterTest, ImplicitDefinitionsThatNothingReadsAreDead) {
  const EmitTargetHooks hooks = HooksWithImplicitRegisters();
  const SDValue a = Live();
  Export(Node(op::MULT32rr, {MVT::kI32}, {a, a}));
  Emit({.hooks = &hooks});
  EXPECT_EQ(Dump(), "%1:b32 = MULT32rr %0:b32, %0:b32, implicit-def dead $r0, implicit-def dead $r1, implicit $r2\n");
}

TEST_F(InstrEmitterTest, ResultsBeyondTheInstructionsAreCopiesOfImplicitDefinitions) {
  const EmitTargetHooks hooks = HooksWithImplicitRegisters();
  const SDValue a = Live();
  const SDValue product = Node(op::MULT32rr, {MVT::kI32, MVT::kI32, MVT::kI32}, {a, a});
  Export(Add(product, product.Result(2)));
  Emit({.hooks = &hooks});
  EXPECT_EQ(Dump(),
            "%2:b32 = MULT32rr %0:b32, %0:b32, implicit-def dead $r0, implicit-def $r1, implicit $r2\n"
            "%3:b32 = COPY $r1\n"
            "%1:b32 = ADD32rr killed %2:b32, killed %3:b32\n");
}

TEST_F(InstrEmitterTest, WhatGluedNodesReadIsNotDead) {
  const EmitTargetHooks hooks = HooksWithImplicitRegisters();
  const SDValue a = Live();
  const SDValue product = Node(op::MULT32rr, {MVT::kI32, MVT::kGlue}, {a, a});
  const SDValue rest =
      dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Physical(kR0), MVT::kI32, product.Result(1));
  Export(Add(rest, product));
  Emit({.hooks = &hooks});
  EXPECT_EQ(Dump(),
            "%2:b32 = MULT32rr %0:b32, %0:b32, implicit-def $r0, implicit-def dead $r1, implicit $r2\n"
            "%3:b32 = COPY $r0\n"
            "%1:b32 = ADD32rr %3:b32, killed %2:b32\n");
}

// Other special nodes.

TEST_F(InstrEmitterTest, LabelsLifetimesProbesAndFakeUses) {
  MachineFrameInfo& frame = function_->frame_info();
  StackObject object;
  object.size = 4;
  frame.objects().push_back(object);
  SDValue chain = dag_->GetLabel(isd::kEHLabel, {}, dag_->EntryToken(), "start");
  chain = dag_->GetNode(isd::kLifetimeStart, {}, MVT::kOther, {chain, dag_->GetFrameIndex(0, MVT::kI64, true)});
  chain = dag_->GetNode(isd::kPseudoProbe, {}, MVT::kOther, {chain, Imm(1), Imm(2), Imm(3), Imm(4)});
  chain = dag_->GetNode(isd::kFakeUse, {}, MVT::kOther, {chain, Live()});
  dag_->SetRoot(dag_->GetNode(isd::kLifetimeEnd, {}, MVT::kOther, {chain, dag_->GetFrameIndex(0, MVT::kI64, true)}));
  Emit();
  EXPECT_EQ(Dump(),
            "EH_LABEL <mcsymbol start>\n"
            "LIFETIME_START %stack.0\n"
            "PSEUDO_PROBE 1, 2, 3, 4\n"
            "FAKE_USE %0:b32\n"
            "LIFETIME_END %stack.0\n");
}

TEST_F(InstrEmitterTest, InlineAssemblyHasItsGroupsAndTies) {
  const Register out = NewRegister();
  const SDValue in = Live();
  const auto word = [](unsigned kind, unsigned count, unsigned data, bool tied) {
    return static_cast<int64_t>(kind | count << 3 | data << 16 | (tied ? 1u << 31 : 0));
  };
  const SDValue text = dag_->GetExternalSymbol("add.u32 $0, $1, 1;", MVT::kI64, true);
  const SDValue code =
      dag_->GetNode(isd::kInlineAsm, {}, {MVT::kOther, MVT::kGlue},
                    {dag_->EntryToken(), text, dag_->GetMDNode(MDNodeSDNode::kNull), Imm(1, MVT::kI64),
                     Imm(word(2, 1, ptx::reg_class::kB32 + 1, false)), Reg(out), Imm(word(1, 1, 0, true)), in});
  Export(dag_->GetCopyFromReg({}, code, out, MVT::kI32, code.Result(1)));
  Emit();
  const std::string dump = Dump();
  EXPECT_NE(dump.find("INLINEASM"), std::string::npos);
  const MachineInstr* instr = function_->front()->FirstNonPhi()->next();
  ASSERT_TRUE(instr->is_inline_asm()) << dump;
  EXPECT_TRUE(instr->operand(3).is_def());
  ASSERT_TRUE(instr->operand(5).is_tied()) << dump;
  EXPECT_EQ(instr->FindTiedOperand(5), 3u);
  EXPECT_EQ(instr->operand(5).reg(), Register::Virtual(1));
  Verify();
}

TEST_F(InstrEmitterTest, BrokenInlineAssemblyIsAnError) {
  const SDValue text = dag_->GetExternalSymbol("x;", MVT::kI64, true);
  dag_->SetRoot(
      dag_->GetNode(isd::kInlineAsm, {}, {MVT::kOther, MVT::kGlue},
                    {dag_->EntryToken(), text, dag_->GetMDNode(MDNodeSDNode::kNull), Imm(1), Imm(1 | 5 << 3)}));
  EXPECT_NE(ErrorOf().find("cut short"), std::string::npos);
}

// Debug values.

TEST_F(InstrEmitterTest, DebugValuesFollowTheirDefinitionsInTheOrderOfTheProgram) {
  const SDValue a = Live();
  const SDValue first = Node(op::ADD32ri, {MVT::kI32}, {a, Imm(1)}, {.order = 1});
  const SDValue second = Node(op::ADD32ri, {MVT::kI32}, {first, Imm(2)}, {.order = 3});
  const SDValue unused = Node(op::ADD32ri, {MVT::kI32}, {first, Imm(3)}, {.order = 4});
  Export(second);
  dag_->AddDbgValue({.value = second, .variable = 5, .expression = 6, .loc = {.order = 4, .debug_loc = 9}});
  dag_->AddDbgValue({.value = first, .variable = 5, .expression = 6, .loc = {.order = 2, .debug_loc = 8}});
  dag_->AddDbgValue({.value = unused, .variable = 5, .expression = 6, .loc = {.order = 5, .debug_loc = 9}});
  Emit();
  EXPECT_EQ(Dump(),
            "%2:b32 = ADD32ri %0:b32, 1\n"
            "DBG_VALUE %2:b32, $noreg, !5, !6, debug-location !8\n"
            "%1:b32 = ADD32ri %2:b32, 2\n"
            "DBG_VALUE %1:b32, $noreg, !5, !6, debug-location !9\n"
            "DBG_VALUE $noreg, $noreg, !5, !6, debug-location !9\n");
}

}  // namespace
}  // namespace ptxmir::sdag
