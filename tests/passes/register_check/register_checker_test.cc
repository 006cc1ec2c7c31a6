// SPDX-License-Identifier: Apache-2.0

// The register checker finds the errors of allocators. Each case is run without a fault, which must be proved, and
// with a planted fault, which must be found.

#include "passes/register_check/register_checker.h"

#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "passes/out_of_ssa/phi_elimination.h"
#include "passes/pass_context.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using Kind = RegisterCheckerFinding::Kind;

constexpr std::string_view kCode = R"(---
name: f
tracksRegLiveness: true
stack:
  - { id: 0, name: a, size: 16, alignment: 8 }
body: |
  bb.0:
    successors: %bb.1, %bb.2

    %0:b32 = LD_i32 0, 0, 101, 3, 32, -1, &f_param_0, 0 :: (invariant load (s32), addrspace 101)
    %1:b32 = LD_i32 0, 0, 101, 3, 32, -1, &f_param_1, 0 :: (invariant load (s32), addrspace 101)
    %2:b64 = LD_i64 0, 0, 101, 3, 64, -1, &f_param_2, 0 :: (invariant load (s64), addrspace 101)
    %3:b32 = ADD32rr %0, %1
    %4:b32 = MOV_B32_i 7
    %5:b1 = SETP_i32ri %3, 0, 0
    %9:b32 = ADD32ri %1, 5
    CBranch %5, %bb.2

  bb.1:
    successors: %bb.2

    %6:b32 = COPY %3
    %3:b32 = ADD32ri %3, 1
    %3:b32 = SUB32rr %3, %6

  bb.2:
    ST_i32 %3, 0, 0, 1, 32, %2, 0 :: (store (s32), addrspace 1)
    ST_i32 %0, 0, 0, 1, 32, %2, 4 :: (store (s32), addrspace 1)
    ST_i32 %4, 0, 0, 1, 32, %2, 8 :: (store (s32), addrspace 1)
    INLINEASM &"mov.b32 $0, $1;", 0, 2359307 /* regdef-ec:B32 */, def early-clobber %7:b32, 2359305 /* reguse:B32 */, %1
    INLINEASM &"add.s32 $0, $0, 1;", 0, 2359306 /* regdef:B32 */, def %8:b32, 2147483657 /* reguse tiedto:$0 */, %8(tied-def 3)
    ST_i32 %7, 0, 0, 1, 32, %2, 12 :: (store (s32), addrspace 1)
    ST_i32 %9, 0, 0, 1, 32, %2, 16 :: (store (s32), addrspace 1)
    %10:b32 = SELP_b32ii 3, 4, %5
    ST_i32 %10, 0, 0, 1, 32, %2, 20 :: (store (s32), addrspace 1)
    Return
...
)";

// A loop that exchanges two values in each iteration, before PHI elimination.
constexpr std::string_view kSwap = R"(---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    successors: %bb.1

    %0:b32 = MOV_B32_i 1
    %1:b32 = MOV_B32_i 2
    %2:b64 = MOV_B64_i 4096

  bb.1:
    successors: %bb.1, %bb.2

    %3:b32 = PHI %0, %bb.0, %4, %bb.1
    %4:b32 = PHI %1, %bb.0, %3, %bb.1
    %5:b1 = SETP_i32rr %3, %4, 2
    CBranch %5, %bb.1

  bb.2:
    ST_i32 %3, 0, 0, 1, 32, %2, 0 :: (store (s32), addrspace 1)
    Return
...
)";

class Editor {
 public:
  explicit Editor(std::string_view code) {
    // %8 is undefined on entry, as the operand of the inline assembly says.
    std::string text(code);
    if (const size_t at = text.find("%8(tied"); at != std::string::npos) text.insert(at, "undef ");
    DiagnosticEngine diagnostics;
    module_ = ReadMir(std::make_shared<const SourceBuffer>("test.mir", text), ptx::PtxTargetInfo(), diagnostics);
    EXPECT_NE(module_, nullptr) << diagnostics.ToString();
  }

  MachineFunction& function() { return *module_->machine_functions().front(); }
  MachineInstr& At(BlockNumber block, int index) {
    MachineInstr* instr = function().block(block)->front();
    while (index-- > 0) instr = instr->next();
    return *instr;
  }
  static Opcode Op(std::string_view name) { return *ptx::PtxTargetInfo().find_opcode(name); }
  Register New(RegClassId reg_class = ptx::reg_class::kB32) {
    return function().reg_info().CreateVirtualRegister(reg_class);
  }
  int Slot(uint64_t bytes = 8) {
    return function().frame_info().CreateStackObject(bytes, 3, StackObject::Type::kSpillSlot);
  }
  void Copy(MachineInstr& before, Register to, Register from) {
    BuildMI(*before.parent(), &before, generic::kCopy).AddDef(to).AddUse(from).Insert();
  }
  void Constant(MachineInstr& before, Register to, int64_t value) {
    BuildMI(*before.parent(), &before, Op("MOV_B32_i")).AddDef(to).AddImm(value).Insert();
  }
  void Store(MachineInstr& before, Register from, int slot, int64_t offset = 0, int bits = 32) {
    BuildMI(*before.parent(), &before, Op(StrCat("ST_i", bits)))
        .AddUse(from)
        .AddImm(0)
        .AddImm(0)
        .AddImm(5)
        .AddImm(bits)
        .Add(MachineOperand::CreateFrameIndex(slot))
        .AddImm(offset)
        .Insert();
  }
  void Load(MachineInstr& before, Register to, int slot, int64_t offset = 0, int bits = 32) {
    BuildMI(*before.parent(), &before, Op(StrCat("LD_i", bits)))
        .AddDef(to)
        .AddImm(0)
        .AddImm(0)
        .AddImm(5)
        .AddImm(3)
        .AddImm(bits)
        .AddImm(-1)
        .Add(MachineOperand::CreateFrameIndex(slot))
        .AddImm(offset)
        .Insert();
  }
  // Makes `to` = ADD32rr a, b, or ADD32ri.
  MachineInstr* Sum(MachineInstr& before, Register to, Register a, Register b) {
    return BuildMI(*before.parent(), &before, Op("ADD32rr")).AddDef(to).AddUse(a).AddUse(b).Insert();
  }
  // Renames every operand `from` to `to`.
  void Rename(Register from, Register to) { function().reg_info().ReplaceRegister(from, to); }

 private:
  std::unique_ptr<Module> module_;
};

const Register k0 = Register::Virtual(0), k1 = Register::Virtual(1), k2 = Register::Virtual(2),
               k3 = Register::Virtual(3), k4 = Register::Virtual(4), k5 = Register::Virtual(5),
               k6 = Register::Virtual(6), k7 = Register::Virtual(7), k9 = Register::Virtual(9);
// Positions in kCode.
constexpr int kDefOf1 = 1, kDefOf3 = 3, kDefOf4 = 4, kDefOf5 = 5, kBranch = 7;                       // in bb.0
constexpr int kStore3 = 0, kStore0 = 1, kStore4 = 2, kClobberingAsm = 3, kTiedAsm = 4, kStore9 = 6;  // in bb.2
constexpr int kSelect = 7;

struct FaultCase {
  std::string_view name;
  Kind kind;
  // Edits the function, with or without the fault.
  std::function<void(Editor&, bool)> edit;
  std::string_view code = kCode;
};

const std::vector<FaultCase>& Cases() {
  static const std::vector<FaultCase>& cases = *new std::vector<FaultCase>{
      {"WrongRegister", Kind::kWrongValue,
       [](Editor& e, bool fault) { e.At(2, kStore0).operand(0).SetReg(fault ? k1 : k0); }},
      {"MissingReload", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineInstr& at = e.At(0, kDefOf4);
         const int slot = e.Slot();
         e.Store(at, k0, slot);
         e.Constant(at, k0, 99);
         if (!fault) e.Load(e.At(2, kStore0), k0, slot);
       }},
      {"MissingSpill", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         const int slot = e.Slot();
         if (!fault) e.Store(e.At(0, kDefOf4), k0, slot);
         e.Load(e.At(2, kStore0), k0, slot);
       }},
      {"SwappedSlots", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineInstr& at = e.At(0, kDefOf3);
         const int one = e.Slot(), other = e.Slot();
         e.Store(at, k0, one);
         e.Store(at, k1, other);
         e.Load(e.At(2, kStore0), k0, fault ? other : one);
       }},
      {"SlotReusedTooEarly", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         const int one = e.Slot(), other = fault ? one : e.Slot();
         e.Store(e.At(0, kDefOf3), k0, one);
         e.Store(e.At(1, 0), k1, other);
         e.Load(e.At(2, kStore0), k0, one);
       }},
      {"OverlappingSlots", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineInstr& at = e.At(0, kDefOf3);
         const int slot = e.Slot(16);
         e.Store(at, k2, slot, 0, 64);
         e.Store(at, k0, slot, fault ? 4 : 8);
         e.Load(e.At(2, kStore3), k2, slot, 0, 64);
       }},
      {"WrongOffset", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineInstr& at = e.At(0, kDefOf3);
         const int slot = e.Slot(16);
         e.Store(at, k0, slot, 0);
         e.Store(at, k1, slot, 4);
         e.Load(e.At(2, kStore0), k0, slot, fault ? 4 : 0);
       }},
      {"SpillBeforeDefinition", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         const int slot = e.Slot();
         e.Store(e.At(0, fault ? kDefOf3 : kDefOf4), k3, slot);
         e.Load(e.At(1, 0), k3, slot);
       }},
      {"ReloadBehindUse", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineInstr& at = e.At(0, kDefOf4);
         const int slot = e.Slot();
         e.Store(at, k0, slot);
         e.Constant(at, k0, 99);
         e.Load(e.At(2, fault ? kStore4 : kStore0), k0, slot);
       }},
      {"SpillOnOnePathOnly", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         const int slot = e.Slot();
         e.Store(fault ? e.At(1, 0) : e.At(0, kBranch), k4, slot);
         e.Load(e.At(2, kStore4), k4, slot);
       }},
      {"LostUpdateOnOnePath", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         const int slot = e.Slot();
         e.Store(e.At(0, kDefOf4), k3, slot);
         if (!fault) {
           MachineBasicBlock& block = *e.function().block(1);
           e.Copy(*block.back(), k3, k3);  // a place before the last instruction
           e.Store(*e.function().block(2)->front(), k3, slot);
         }
         e.Load(e.At(2, fault ? 0 : 1), k3, slot);
       }},
      {"NarrowSpill", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         const int slot = e.Slot();
         e.Store(e.At(0, kDefOf3), k2, slot, 0, fault ? 32 : 64);
         e.Load(e.At(2, kStore3), k2, slot, 0, 64);
       }},
      {"HalvesInWrongOrder", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         const int slot = e.Slot();
         MachineInstr& at = e.At(0, kDefOf3);
         const Register low = e.New(), high = e.New();
         BuildMI(*at.parent(), &at, Editor::Op("I64toV2I32")).AddDef(low).AddDef(high).AddUse(k2).Insert();
         e.Store(at, low, slot, fault ? 4 : 0);
         e.Store(at, high, slot, fault ? 0 : 4);
         e.Load(e.At(2, kStore3), k2, slot, 0, 64);
       }},
      {"HalfForgotten", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineInstr& at = e.At(0, kDefOf3);
         const Register low = e.New(), high = e.New();
         BuildMI(*at.parent(), &at, Editor::Op("I64toV2I32")).AddDef(low).AddDef(high).AddUse(k2).Insert();
         MachineInstr& use = e.At(2, kStore3);
         BuildMI(*use.parent(), &use, Editor::Op("V2I32toI64")).AddDef(k2).AddUse(low).AddUse(fault ? low : high).Insert();
       }},
      {"PredicateInverted", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineInstr& at = e.At(0, kBranch);
         const Register integer = e.New();
         BuildMI(*at.parent(), &at, Editor::Op("SELP_b32ii"))
             .AddDef(integer)
             .AddImm(fault ? 0 : 1)
             .AddImm(fault ? 1 : 0)
             .AddUse(k5)
             .Insert();
         MachineInstr& use = e.At(2, kSelect);
         BuildMI(*use.parent(), &use, Editor::Op("SETP_i32ri")).AddDef(k5).AddUse(integer).AddImm(0).AddImm(1).Insert();
       }},
      {"PredicateComparedWrongly", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineInstr& at = e.At(0, kBranch);
         const Register integer = e.New();
         BuildMI(*at.parent(), &at, Editor::Op("SELP_b32ii")).AddDef(integer).AddImm(1).AddImm(0).AddUse(k5).Insert();
         MachineInstr& use = e.At(2, kSelect);
         BuildMI(*use.parent(), &use, Editor::Op("SETP_i32ri"))
             .AddDef(k5)
             .AddUse(integer)
             .AddImm(0)
             .AddImm(fault ? 0 : 1)
             .Insert();
       }},
      {"RematerializedOtherConstant", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         e.At(0, kDefOf4).EraseFromParent();
         e.Constant(e.At(2, kStore4), k4, fault ? 8 : 7);
       }},
      {"RematerializedFromOverwrittenOperand", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         if (fault) e.Constant(e.At(0, kBranch), k1, 1);
         MachineInstr& use = e.At(2, kStore9);
         BuildMI(*use.parent(), &use, Editor::Op("ADD32ri")).AddDef(k9).AddUse(k1).AddImm(5).Insert();
         if (fault) e.At(2, kClobberingAsm).operand(5).set_reg_flag(MachineOperand::kUndef, false);
       }},
      {"RematerializedAfterRedefinition", Kind::kWrongValue,
       // %3 has two definitions, so %3 = %0 + %1 does not hold everywhere.
       [](Editor& e, bool fault) {
         MachineInstr& at = fault ? e.At(2, kStore3) : e.At(1, 0);
         e.Sum(at, k3, k0, k1);
       }},
      {"RematerializedWithMoreFlags", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineInstr& use = e.At(2, kStore9);
         BuildMI(*use.parent(), &use, Editor::Op("ADD32ri"))
             .AddDef(k9)
             .AddUse(k1)
             .AddImm(5)
             .SetFlags(fault ? uint32_t{MachineInstr::kNoSWrap} : 0)
             .Insert();
       }},
      {"RematerializedWithOperandsExchanged", Kind::kWrongValue,
       [](Editor& e, bool fault) { e.Sum(e.At(1, 0), k3, k0, fault ? k0 : k1); }},
      {"EarlyClobberSharesAUse", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         if (fault) e.Rename(k7, k1);
       }},
      {"TiedOperandsDiffer", Kind::kChanged,
       [](Editor& e, bool fault) {
         if (fault) e.At(2, kTiedAsm).operand(3).SetReg(e.New());
       }},
      {"DefinitionInAnotherRegister", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         const Register other = e.New();
         e.At(0, kDefOf4).operand(0).SetReg(other);
         if (!fault) e.Copy(*e.At(0, kDefOf4).next(), k4, other);
       }},
      {"TwoValuesInOneRegister", Kind::kWrongValue,
       [](Editor& e, bool fault) { e.Rename(k4, fault ? k0 : e.New()); }},
      {"DeadDefinitionOverwrites", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         // %8 is never read.
         const Register reg = fault ? k9 : e.New();
         e.At(2, kTiedAsm).operand(3).SetReg(reg);
         e.At(2, kTiedAsm).operand(5).SetReg(reg);
       }},
      {"CoalescedThoughBothLive", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         if (!fault) return;
         e.At(1, 0).EraseFromParent();
         e.Rename(k6, k3);
       }},
      {"CopyDeleted", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         if (fault) e.At(1, 0).EraseFromParent();
       }},
      {"CopyInWrongDirection", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         const Register other = e.New();
         e.Copy(e.At(0, kBranch), fault ? k0 : other, fault ? k1 : k0);
         if (!fault) e.At(2, kStore0).operand(0).SetReg(other);
       }},
      {"SwapInSequence", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineInstr& start = *e.function().block(0)->back();
         MachineBasicBlock& entry = *start.parent();
         BuildMI(entry, nullptr, generic::kCopy).AddDef(k3).AddUse(k0).Insert();
         BuildMI(entry, nullptr, generic::kCopy).AddDef(k4).AddUse(k1).Insert();
         e.At(1, 0).EraseFromParent();
         e.At(1, 0).EraseFromParent();
         MachineInstr& branch = *e.function().block(1)->back();
         const Register saved = e.New();
         if (!fault) e.Copy(branch, saved, k3);
         e.Copy(branch, k3, k4);
         e.Copy(branch, k4, fault ? k3 : saved);
         // The stored value is the one before the exchange.
         e.At(2, 0).operand(0).SetReg(fault ? k3 : saved);
       },
       kSwap},
      {"PhiSourceWrong", Kind::kWrongValue,
       [](Editor& e, bool fault) { e.At(1, 0).operand(1).SetReg(fault ? k1 : k0); }, kSwap},
      {"LostCopy", Kind::kWrongValue,
       // %3 is stored after the loop, so the copy for the next iteration must not overwrite it.
       [](Editor& e, bool fault) {
         MachineBasicBlock& entry = *e.function().block(0);
         const Register first = e.New(), second = e.New();
         BuildMI(entry, nullptr, generic::kCopy).AddDef(first).AddUse(k0).Insert();
         BuildMI(entry, nullptr, generic::kCopy).AddDef(second).AddUse(k1).Insert();
         e.At(1, 0).EraseFromParent();
         e.At(1, 0).EraseFromParent();
         MachineInstr& head = *e.function().block(1)->front();
         e.Copy(head, k3, first);
         e.Copy(head, k4, second);
         MachineInstr& branch = *e.function().block(1)->back();
         e.Copy(branch, first, k4);
         e.Copy(branch, second, k3);
         if (fault) e.At(2, 0).operand(0).SetReg(first);
       },
       kSwap},
      {"StoreDeleted", Kind::kDeleted,
       [](Editor& e, bool fault) {
         if (fault) e.At(2, kStore9).EraseFromParent();
       }},
      {"DefinitionDeleted", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         if (fault) e.At(0, kDefOf4).EraseFromParent();
       }},
      {"OrderChanged", Kind::kChanged,
       [](Editor& e, bool fault) {
         if (!fault) return;
         MachineInstr& store = e.At(2, kStore0);
         store.RemoveFromParent();
         e.function().block(2)->Insert(e.function().block(2)->front(), &store);
       }},
      {"MovedToAnotherBlock", Kind::kChanged,
       [](Editor& e, bool fault) {
         if (!fault) return;
         MachineInstr& def = e.At(0, kDefOf4);
         def.RemoveFromParent();
         e.function().block(1)->Insert(e.function().block(1)->front(), &def);
       }},
      {"OpcodeChanged", Kind::kChanged,
       [](Editor& e, bool fault) {
         if (fault) e.At(0, kDefOf3).set_opcode(Editor::Op("SUB32rr"));
       }},
      {"ImmediateChanged", Kind::kChanged,
       [](Editor& e, bool fault) {
         if (fault) e.At(0, kDefOf5).operand(2).set_imm(1);
       }},
      {"EffectInserted", Kind::kInserted,
       [](Editor& e, bool fault) {
         MachineInstr* store = e.function().CloneInstr(e.At(2, kStore0));
         if (fault) e.function().block(2)->Insert(e.function().block(2)->front(), store);
       }},
      {"SuccessorsExchanged", Kind::kControlFlow,
       [](Editor& e, bool fault) {
         if (fault) e.function().block(1)->RetargetSuccessor(e.function().block(2), e.function().block(1));
       }},
      {"SlotAddressTaken", Kind::kStackSlot,
       [](Editor& e, bool fault) {
         const int slot = e.Slot();
         e.Store(e.At(0, kDefOf3), k0, slot);
         if (!fault) return;
         MachineInstr& at = e.At(0, kBranch);
         BuildMI(*at.parent(), &at, Editor::Op("LEA_ADDRi64"))
             .AddDef(e.New(ptx::reg_class::kB64))
             .Add(MachineOperand::CreateFrameIndex(slot))
             .AddImm(0)
             .Insert();
       }},
      {"SpillOutOfBounds", Kind::kStackSlot,
       [](Editor& e, bool fault) { e.Store(e.At(0, kDefOf3), k0, e.Slot(8), fault ? 8 : 4); }},
      {"SpillToObjectOfBefore", Kind::kInserted,
       [](Editor& e, bool fault) { e.Store(e.At(0, kDefOf3), k0, fault ? 0 : e.Slot()); }},
      {"CopyOnWrongSideOfDefinition", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         const Register other = e.New();
         e.Copy(e.At(0, fault ? kDefOf1 : kDefOf1 + 1), other, k1);
         e.At(2, kClobberingAsm).operand(5).SetReg(other);
       }},
      {"BlockOnEdgeOverwrites", Kind::kWrongValue,
       [](Editor& e, bool fault) {
         MachineFunction& function = e.function();
         MachineBasicBlock* between = function.CreateBlock();
         function.InsertBlock(nullptr, between);
         function.block(0)->RetargetSuccessor(function.block(2), between);
         between->AddSuccessor(function.block(2), BranchProbability::One());
         BuildMI(*between, nullptr, Editor::Op("GOTO")).AddBlock(*function.block(2)).Insert();
         e.Constant(*between->front(), fault ? k0 : e.New(), 1);
       }},
  };
  return cases;
}

TEST(RegisterCheckerTest, EveryPlantedFaultIsFound) {
  EXPECT_GE(Cases().size(), 40u);
  for (const FaultCase& fault_case : Cases()) {
    for (const bool fault : {false, true}) {
      SCOPED_TRACE(StrCat(fault_case.name, fault ? ", wrong" : ", right"));
      Editor editor(fault_case.code);
      const RegisterCheckerSnapshot snapshot(editor.function());
      fault_case.edit(editor, fault);
      const std::vector<RegisterCheckerFinding> findings = CheckRegisters(snapshot);
      if (!fault) {
        EXPECT_TRUE(findings.empty()) << findings.front().message;
        continue;
      }
      ASSERT_FALSE(findings.empty());
      EXPECT_EQ(static_cast<int>(findings.front().kind), static_cast<int>(fault_case.kind)) << findings.front().message;
    }
  }
}

TEST(RegisterCheckerTest, AFindingSaysWhatIsWrongAndWhere) {
  Editor editor(kCode);
  const RegisterCheckerSnapshot snapshot(editor.function());
  editor.Copy(editor.At(2, kStore0), k0, k1);
  const std::vector<RegisterCheckerFinding> findings = CheckRegisters(snapshot);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].block, 2u);
  EXPECT_EQ(findings[0].operand, 0);
  EXPECT_EQ(findings[0].expected, k0);
  EXPECT_EQ(findings[0].actual, k0);
  EXPECT_EQ(findings[0].message,
            "in function 'f', bb.2: 'ST_i32 %0:b32, 0, 0, 1, 32, %2:b64, 4 :: (store (s32), addrspace 1)': operand 0 "
            "reads %0, which should hold %0 of before; it holds %1, written by '%0:b32 = COPY %1:b32'");
}

// Registers may exchange their names, all at once.
TEST(RegisterCheckerTest, NamesOfBeforeAndAfterAreApart) {
  Editor editor(kCode);
  const RegisterCheckerSnapshot snapshot(editor.function());
  const Register aside = editor.New();
  editor.Rename(k0, aside);
  editor.Rename(k1, k0);
  editor.Rename(aside, k1);
  EXPECT_TRUE(CheckRegisters(snapshot).empty());
}

// If a freed id were reused, a new instruction would look like the old one.
TEST(RegisterCheckerTest, IdsOfDeletedInstructionsAreNotUsedAgain) {
  Editor editor(kCode);
  MachineFunction& function = editor.function();
  ArenaId deleted = 0;
  {
    const RegisterCheckerSnapshot snapshot(function);
    deleted = editor.At(1, 0).id();
    editor.At(1, 0).EraseFromParent();
    editor.Copy(editor.At(0, kBranch), k6, k1);
    EXPECT_NE(editor.At(0, kBranch).id(), deleted);
    EXPECT_FALSE(CheckRegisters(snapshot).empty());
  }
  const ArenaId next = editor.At(0, kBranch).id();
  editor.At(0, kBranch).EraseFromParent();
  editor.Copy(editor.At(0, kBranch), k6, k1);
  EXPECT_EQ(editor.At(0, kBranch).id(), next);
}

// Found by ptxmir-fuzz. %3 has two definitions, so its expression holds on some paths only. The copy in bb.1 gives
// %4 the name of %0. Liveness must not count the copy as a definition of %0, or the expression would not be tracked
// across bb.1.
TEST(RegisterCheckerTest, ACopyWithinANameIsNoDefinition) {
  Editor editor(R"(---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    successors: %bb.1

    %0:b32 = LD_i32 0, 0, 101, 3, 32, -1, &f_param_0, 0 :: (invariant load (s32), addrspace 101)
    %1:b64 = MOV_B64_i 4096
    %3:b32 = ADD32ri %0, 5

  bb.1:
    successors: %bb.2

    %4:b32 = COPY %0

  bb.2:
    ST_i32 %3, 0, 0, 1, 32, %1, 0 :: (store (s32), addrspace 1)
    ST_i32 %4, 0, 0, 1, 32, %1, 4 :: (store (s32), addrspace 1)
    %3:b32 = ADD32ri %0, 6
    ST_i32 %3, 0, 0, 1, 32, %1, 8 :: (store (s32), addrspace 1)
    Return
...
)");
  const RegisterCheckerSnapshot snapshot(editor.function());
  editor.At(0, 2).EraseFromParent();
  const Register again = editor.New();
  MachineInstr& use = editor.At(2, 0);
  BuildMI(*use.parent(), &use, Editor::Op("ADD32ri")).AddDef(again).AddUse(k0).AddImm(5).Insert();
  use.operand(0).SetReg(again);
  const std::vector<RegisterCheckerFinding> findings = CheckRegisters(snapshot);
  EXPECT_TRUE(findings.empty()) << findings.front().message;
}

// Found by ptxmir-fuzz: a rematerialized value reads, twice, a register that holds very many values.
TEST(RegisterCheckerTest, RematerializedFromARegisterWithManyValues) {
  constexpr int kCopies = 40;
  std::string code = R"(---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    %0:b32 = LD_i32 0, 0, 101, 3, 32, -1, &f_param_0, 0 :: (invariant load (s32), addrspace 101)
    %1:b64 = MOV_B64_i 4096
    %2:b32 = MOV_B32_i 0
)";
  // Two definitions each, so that these registers do not become names of the same value.
  const auto number = [](int i) { return StrCat("%", 10 + i); };
  for (int i = 0; i < kCopies; ++i) StrAppend(&code, "    ", number(i), ":b32 = COPY %2\n");
  for (int i = 0; i < kCopies; ++i) StrAppend(&code, "    ", number(i), ":b32 = COPY %0\n");
  StrAppend(&code, "    %3:b32 = OR_b32rr ", number(kCopies - 1), ", ", number(kCopies - 2), "\n");
  for (int i = 0; i < kCopies; ++i) {
    StrAppend(&code, "    ST_i32 ", number(i), ", 0, 0, 1, 32, %1, ", 4 * i, " :: (store (s32), addrspace 1)\n");
  }
  code += "    ST_i32 %3, 0, 0, 1, 32, %1, 400 :: (store (s32), addrspace 1)\n    Return\n...\n";
  Editor editor(code);
  const RegisterCheckerSnapshot snapshot(editor.function());
  // All copies are in %0, and %3 is at its use.
  std::vector<MachineInstr*> instrs;
  for (MachineInstr& instr : *editor.function().front()) instrs.push_back(&instr);
  for (MachineInstr* instr : instrs) {
    if (instr->is_copy() || instr->opcode() == Editor::Op("OR_b32rr")) instr->EraseFromParent();
  }
  for (MachineInstr& instr : *editor.function().front()) {
    if (instr.opcode() != Editor::Op("ST_i32")) continue;
    if (instr.operand(6).imm() == 400) {
      BuildMI(*instr.parent(), &instr, Editor::Op("OR_b32rr")).AddDef(k3).AddUse(k0).AddUse(k0).Insert();
    } else {
      instr.operand(0).SetReg(k0);
    }
  }
  const std::vector<RegisterCheckerFinding> findings = CheckRegisters(snapshot);
  EXPECT_TRUE(findings.empty()) << findings.front().message;
}

// An undefined value may be in any register, even if it is undefined on only one of several paths.
TEST(RegisterCheckerTest, UndefinedValuesAreInEveryRegister) {
  Editor editor(R"(---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    successors: %bb.1, %bb.2

    %0:b32 = IMPLICIT_DEF
    %1:b64 = MOV_B64_i 4096
    %2:b1 = MOV_B1_i 1
    CBranch %2, %bb.2

  bb.1:
    successors: %bb.2

    %0:b32 = MOV_B32_i 5

  bb.2:
    ST_i32 %0, 0, 0, 1, 32, %1, 0 :: (store (s32), addrspace 1)
    Return
...
)");
  const RegisterCheckerSnapshot snapshot(editor.function());
  editor.At(0, 0).EraseFromParent();
  const Register other = editor.New();
  editor.Rename(k0, other);
  EXPECT_TRUE(CheckRegisters(snapshot).empty());
  editor.At(1, 0).operand(0).SetReg(editor.New());
  EXPECT_FALSE(CheckRegisters(snapshot).empty());
}

// Nested loops. The header of each has a PHI of the values from the surrounding loop and from its own latch.
std::string NestedLoops(int depth) {
  std::string code = "---\nname: f\ntracksRegLiveness: true\nbody: |\n";
  const auto block = [](int number) { return StrCat("%bb.", number); };
  const auto header_value = [](int i) { return StrCat("%", 10 + 2 * i); };
  const auto latch_value = [](int i) { return StrCat("%", 11 + 2 * i); };
  StrAppend(&code, "  bb.0:\n    successors: %bb.1\n\n    ", header_value(0), ":b32 = MOV_B32_i 1\n\n");
  for (int i = 1; i <= depth; ++i) {
    StrAppend(&code, "  bb.", i, ":\n    successors: ", block(i + 1), "\n\n    ", header_value(i), ":b32 = PHI ",
              header_value(i - 1), ", ", block(i - 1), ", ", latch_value(i), ", ", block(2 * depth + 1 - i), "\n\n");
  }
  for (int i = depth; i >= 1; --i) {
    const std::string inner = i == depth ? header_value(depth) : latch_value(i + 1);
    StrAppend(&code, "  bb.", 2 * depth + 1 - i, ":\n    successors: ", block(i), ", ", block(2 * depth + 2 - i),
              "\n\n    ", latch_value(i), ":b32 = ADD32rr ", inner, ", ", header_value(i - 1), "\n    %", 5000 + i,
              ":b1 = SETP_i32ri ", latch_value(i), ", 0, 0\n    CBranch %", 5000 + i, ", ", block(i), "\n\n");
  }
  StrAppend(&code, "  bb.", 2 * depth + 1, ":\n    %1:b64 = MOV_B64_i 4096\n    ST_i32 ", latch_value(1),
            ", 0, 0, 1, 32, %1, 0 :: (store (s32), addrspace 1)\n    Return\n...\n");
  return code;
}

// Found by ptxmir-fuzz: new facts of an outer loop must not pass through all inner loops one after another.
TEST(RegisterCheckerTest, NestedLoopsTakeAFewSweeps) {
  for (const int depth : {10, 100}) {
    Editor editor(NestedLoops(depth));
    const RegisterCheckerSnapshot snapshot(editor.function());
    StandalonePassContext standalone(editor.function());
    RunPhiElimination(editor.function(), standalone.context);
    uint64_t num_visits = 0;
    const std::vector<RegisterCheckerFinding> findings = CheckRegisters(snapshot, &num_visits);
    EXPECT_TRUE(findings.empty()) << findings.front().message;
    constexpr uint64_t kSweeps = 4;
    EXPECT_LE(num_visits, kSweeps * static_cast<uint64_t>(2 * depth + 2));
  }
}

// If all nested loops begin with the same value, every location holds every value. The sets are then large but
// shared: neither a block nor an edge may process each location's set separately.
TEST(RegisterCheckerTest, NestedLoopsTakeNoCubeOfTheDepth) {
  const std::string defined = NestedLoops(1000);
  // The same with a register that is undefined throughout.
  const size_t first = defined.find("    %10:b32");
  const size_t last = defined.rfind("    ST_i32 %13,");
  ASSERT_NE(first, std::string::npos);
  ASSERT_NE(last, std::string::npos);
  std::string undefined = defined;
  undefined.insert(last, "    ST_i32 %2, 0, 0, 1, 32, %1, 4 :: (store (s32), addrspace 1)\n");
  undefined.insert(first, "    %2:b32 = IMPLICIT_DEF\n");
  for (const std::string& code : {defined, undefined}) {
    Editor editor(code);
    const RegisterCheckerSnapshot snapshot(editor.function());
    StandalonePassContext standalone(editor.function());
    RunPhiElimination(editor.function(), standalone.context);
    const std::clock_t start = std::clock();
    EXPECT_TRUE(CheckRegisters(snapshot).empty());
    // The check takes a second of processor time without optimization. It would take minutes if it were cubic.
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 60);
  }
}

}  // namespace
}  // namespace ptxmir
