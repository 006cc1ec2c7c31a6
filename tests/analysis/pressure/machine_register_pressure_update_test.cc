// SPDX-License-Identifier: Apache-2.0

// Compares incremental updates and what-if queries with full computations.

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/pressure/machine_register_pressure.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/target/ptx_target.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/analysis/pressure/register_pressure_reference.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed) {}
  uint32_t Below(size_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state_ >> 33) % bound);
  }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

// Edits a function at random and informs a MachineRegisterPressure. The resulting code need not make sense.
class Editor {
 public:
  Editor(MachineFunction& function, MachineRegisterPressure& pressure, uint32_t seed)
      : function_(function), pressure_(pressure), random_(seed) {
    for (MachineBasicBlock& block : function) blocks_.push_back(&block);
  }

  void Edit() {
    switch (random_.Below(13)) {
      case 0:
        return Erase();
      case 1:
        return Insert();
      case 2:
        return Move();
      case 3:
        return ChangeOperand();
      case 4:
        return ReplaceRegister();
      case 5:
        return Eliminate();
      case 6:
        return InsertOrEraseDebug();
      case 7:
        return Rematerialize();
      case 8:
        return SplitEdge();
      case 9:
        return SplitBlock();
      default:
        return ErasePhi();
    }
  }

 private:
  MachineBasicBlock& AnyBlock() { return *blocks_[random_.Below(blocks_.size())]; }
  Register AnyRegister() { return Register::Virtual(random_.Below(function_.reg_info().num_virtual_registers())); }
  // Returns an instruction that is not a PHI, or null if the block has none.
  MachineInstr* AnyInstr(MachineBasicBlock& block) {
    std::vector<MachineInstr*> instrs;
    for (MachineInstr& instr : block) {
      if (!instr.is_phi()) instrs.push_back(&instr);
    }
    return instrs.empty() ? nullptr : instrs[random_.Below(instrs.size())];
  }
  MachineInstr* AnyInstr() { return AnyInstr(AnyBlock()); }
  // Returns a place to insert before, after the PHIs. Null: the end.
  MachineInstr* AnyPlace(MachineBasicBlock& block) { return random_.OneIn(4) ? nullptr : AnyInstr(block); }

  void Erase(MachineInstr* instr) {
    if (instr == nullptr) return;
    pressure_.WillErase(*instr);
    instr->EraseFromParent();
  }
  void Erase() { Erase(AnyInstr()); }
  void ErasePhi() {
    MachineInstr* first = AnyBlock().front();
    if (first == nullptr || !first->is_phi()) return;
    if (random_.OneIn(2)) return Erase(first);
    MachineOperand& operand = first->operand(1);
    if (!operand.is_reg() || !operand.reg().is_virtual()) return;
    pressure_.WillChange(*first);
    if (random_.OneIn(3)) operand.set_reg_flag(MachineOperand::kUndef, !operand.is_undef());
    operand.SetReg(AnyRegister());
    pressure_.DidChange(*first);
  }

  void Insert() {
    MachineBasicBlock& block = AnyBlock();
    MachineInstrBuilder builder = BuildMI(block, AnyPlace(block), generic::kKill);
    for (uint32_t i = random_.Below(3); i > 0; --i) {
      const Register reg = random_.OneIn(2) ? AnyRegister() : function_.reg_info().CreateVirtualRegister(AnyClass());
      const uint32_t flag = random_.Below(4);
      builder.AddDef(reg, flag == 0 ? MachineOperand::kEarlyClobber : flag == 1 ? MachineOperand::kImplicit : 0);
    }
    for (uint32_t i = random_.Below(4); i > 0; --i) {
      builder.AddUse(AnyRegister(), random_.OneIn(6) ? MachineOperand::kUndef : 0);
    }
    pressure_.DidInsert(*builder.Insert());
  }
  RegClassId AnyClass() { return ptx::kVirtualRegisterClasses[random_.Below(5)]; }

  void Move() {
    MachineInstr* instr = AnyInstr();
    if (instr == nullptr) return;
    MachineBasicBlock& to = random_.OneIn(2) ? *instr->parent() : AnyBlock();
    MachineInstr* before = AnyPlace(to);
    if (before == instr) return;
    pressure_.WillErase(*instr);
    instr->RemoveFromParent();
    to.Insert(before, instr);
    pressure_.DidInsert(*instr);
  }

  void ChangeOperand() {
    MachineInstr* instr = AnyInstr();
    if (instr == nullptr || instr->num_operands() == 0) return;
    MachineOperand& operand = instr->operand(random_.Below(instr->num_operands()));
    if (!operand.is_reg() || !operand.reg().is_virtual()) return;
    pressure_.WillChange(*instr);
    if (random_.OneIn(4)) {
      operand.set_reg_flag(MachineOperand::kUndef, operand.is_use() && !operand.is_undef());
    } else {
      operand.SetReg(AnyRegister());
    }
    pressure_.DidChange(*instr);
  }

  void ReplaceRegister() {
    const Register from = AnyRegister();
    const Register to = AnyRegister();
    if (from == to || DefinesTwice(from, to)) return;
    pressure_.WillReplaceRegister(from, to);
    function_.reg_info().ReplaceRegister(from, to);
  }
  // Two PHIs of a block must not define the same register.
  bool DefinesTwice(Register a, Register b) {
    for (const MachineOperand& def : function_.reg_info().Defs(a)) {
      for (const MachineOperand& other : function_.reg_info().Defs(b)) {
        if (def.parent()->is_phi() && other.parent()->is_phi() && def.parent()->parent() == other.parent()->parent()) {
          return true;
        }
      }
    }
    return false;
  }

  // Replaces a register, like CSE.
  void Eliminate() {
    const Register from = AnyRegister();
    const Register to = AnyRegister();
    MachineInstr* def = function_.reg_info().UniqueDef(from);
    if (from == to || def == nullptr || DefinesTwice(from, to)) return;
    if (random_.OneIn(2)) {
      Erase(def);
      pressure_.WillReplaceRegister(from, to);
      function_.reg_info().ReplaceRegister(from, to);
    } else {
      pressure_.WillReplaceRegister(from, to);
      function_.reg_info().ReplaceRegister(from, to);
      Erase(def);
    }
  }

  // Clones a definition before one use, with a new result, like rematerialization.
  void Rematerialize() {
    const Register reg = AnyRegister();
    MachineInstr* def = function_.reg_info().UniqueDef(reg);
    if (def == nullptr || def->is_phi() || function_.reg_info().NonDebugUses(reg).empty()) return;
    MachineInstr* use = (*function_.reg_info().NonDebugUses(reg).begin()).parent();
    if (use->is_phi()) return;
    MachineInstr* clone = function_.CloneInstr(*def);
    const Register result = function_.reg_info().CreateVirtualRegister(function_.reg_info().reg_class(reg));
    for (MachineOperand& operand : clone->operands()) {
      if (operand.is_def() && operand.reg() == reg) operand.SetReg(result);
    }
    use->parent()->Insert(use, clone);
    pressure_.DidInsert(*clone);
    pressure_.WillChange(*use);
    for (MachineOperand& operand : use->operands()) {
      if (operand.is_use() && operand.reg() == reg) operand.SetReg(result);
    }
    pressure_.DidChange(*use);
  }

  void SplitEdge() {
    MachineBasicBlock& from = AnyBlock();
    if (from.successors().empty()) return;
    MachineBasicBlock& to = *from.successors()[random_.Below(from.successors().size())];
    if (std::count(from.successors().begin(), from.successors().end(), &to) != 1) return;
    pressure_.Update();
    MachineBasicBlock* middle = function_.CreateBlock();
    function_.InsertBlock(nullptr, middle);
    from.RetargetSuccessor(&to, middle);
    middle->AddSuccessor(&to);
    to.ReplacePhiUsesWith(&from, middle);
    pressure_.DidSplitEdge(from, *middle, to);
    blocks_.push_back(middle);
  }
  void SplitBlock() {
    MachineInstr* at = AnyInstr();
    if (at == nullptr) return;
    pressure_.WillSplitBlock(*at);
    MachineBasicBlock* tail = function_.SplitBlock(at);
    pressure_.DidSplitBlock(*tail);
    blocks_.push_back(tail);
  }

  // Debug instructions must not change the pressure.
  void InsertOrEraseDebug() {
    MachineInstr* instr = AnyInstr();
    if (instr == nullptr) return;
    if (instr->is_debug()) return instr->EraseFromParent();
    BuildMI(*instr->parent(), instr, generic::kDbgValue).AddUse(AnyRegister()).AddImm(0).Insert();
  }

  MachineFunction& function_;
  MachineRegisterPressure& pressure_;
  Random random_;
  std::vector<MachineBasicBlock*> blocks_;
};

void ExpectAsComputedAnew(MachineFunction& function, const MachineRegisterPressure& pressure,
                          const std::string& where) {
  DiagnosticEngine diagnostics;
  EXPECT_TRUE(pressure.VerifyUpdate(/*print_verify=*/true, diagnostics)) << where << diagnostics.ToString();
  const MachineRegisterPressure fresh(function);
  for (const MachineBasicBlock& block : function) {
    const std::vector<InstrPressure> a = pressure.Instrs(block);
    const std::vector<InstrPressure> b = fresh.Instrs(block);
    ASSERT_EQ(a.size(), b.size()) << where;
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].instr, b[i].instr) << where;
      ASSERT_TRUE(a[i].at_reads == b[i].at_reads && a[i].at_writes == b[i].at_writes) << where << ", instruction " << i;
    }
  }
}

// Asks where some registers are live. That updates only these registers.
void AskWhereRegistersLive(MachineFunction& function, const MachineRegisterPressure& pressure, Random& random,
                           const std::string& where) {
  const MachineRegisterPressure fresh(function);
  for (int i = 0; i < 4; ++i) {
    const Register reg = Register::Virtual(random.Below(function.reg_info().num_virtual_registers()));
    for (const MachineBasicBlock& block : function) {
      ASSERT_EQ(pressure.IsLiveIn(block, reg), fresh.IsLiveIn(block, reg)) << where << ", %bb." << block.number();
      ASSERT_EQ(pressure.IsLiveOut(block, reg), fresh.IsLiveOut(block, reg)) << where << ", %bb." << block.number();
    }
  }
}

// Edits a function and queries it after every few edits, with segments of a given length.
void EditAtRandom(MachineFunction& function, const std::string& where, uint32_t segment_length, int rounds,
                  uint32_t most_edits) {
  MachineRegisterPressure pressure(function, segment_length);
  Editor editor(function, pressure, static_cast<uint32_t>(std::hash<std::string>()(where)));
  Random random(segment_length);
  for (int round = 0; round < rounds; ++round) {
    for (uint32_t edits = 1 + random.Below(most_edits); edits > 0; --edits) {
      editor.Edit();
      if (random.OneIn(4)) AskWhereRegistersLive(function, pressure, random, where);
    }
    DiagnosticEngine diagnostics;
    ASSERT_TRUE(pressure.VerifyUpdate(/*print_verify=*/true, diagnostics)) << where << ", round " << round << "\n"
                                                                           << diagnostics.ToString();
  }
  ExpectAsComputedAnew(function, pressure, where);
}

TEST(MachineRegisterPressureUpdateTest, OneEditAtATime) {
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 20000, 50,
                                    [](MachineFunction& function, const std::string& where) {
                                      EditAtRandom(function, where, PressureUpdate::kDefaultSegmentLength, 25, 1);
                                    });
}

TEST(MachineRegisterPressureUpdateTest, ManyEditsAtATime) {
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 21000, 50,
                                    [](MachineFunction& function, const std::string& where) {
                                      EditAtRandom(function, where, PressureUpdate::kDefaultSegmentLength, 6, 12);
                                    });
}

TEST(MachineRegisterPressureUpdateTest, ShortSegments) {
  testing::ForEachGeneratedFunction(
      fuzz::FuzzShape::kMixed, 22000, 50,
      [](MachineFunction& function, const std::string& where) { EditAtRandom(function, where, 3, 12, 4); });
}

// Adds empty blocks with arbitrary edges, in addition to the block that exists.
std::vector<MachineBasicBlock*> AddBlocks(MachineFunction& function, Random& random) {
  std::vector<MachineBasicBlock*> blocks = {function.front()};
  for (uint32_t i = 2 + random.Below(8); i > 0; --i) {
    blocks.push_back(function.CreateBlock());
    function.InsertBlock(nullptr, blocks.back());
  }
  for (MachineBasicBlock* block : blocks) {
    for (uint32_t edges = random.Below(4); edges > 0; --edges) {
      MachineBasicBlock* to = blocks[random.Below(blocks.size())];
      if (!block->IsSuccessor(to)) block->AddSuccessor(to);
    }
  }
  return blocks;
}

// A function in which everything is live through everything, and cycles keep registers alive.
TEST(MachineRegisterPressureUpdateTest, FewRegistersInManyLoops) {
  for (uint32_t seed = 1; seed <= 1000; ++seed) {
    const auto module = ReadBody("  bb.0:\n    Return\n");
    MachineFunction& function = OnlyFunction(*module);
    Random random(seed);
    AddBlocks(function, random);
    for (int i = 0; i < 4; ++i) function.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
    EditAtRandom(function, StrCat("seed ", seed), 1 + random.Below(4), 60, 2);
    if (HasFailure()) return;
  }
}

// More uses than are looked up one by one.
TEST(MachineRegisterPressureUpdateTest, RegistersWithVeryManyUses) {
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    const auto module = ReadBody("  bb.0:\n    Return\n");
    MachineFunction& function = OnlyFunction(*module);
    Random random(seed);
    const std::vector<MachineBasicBlock*> blocks = AddBlocks(function, random);
    std::vector<Register> registers;
    for (int i = 0; i < 3; ++i) registers.push_back(function.reg_info().CreateVirtualRegister(ptx::reg_class::kB32));
    for (int i = 0; i < 200; ++i) {
      BuildMI(*blocks[random.Below(blocks.size())], nullptr, generic::kKill)
          .AddUse(registers[random.Below(3)])
          .Insert();
    }
    EditAtRandom(function, StrCat("seed ", seed), 1 + random.Below(16), 30, 2);
    if (HasFailure()) return;
  }
}

// Returns the highest pressure over all points of the function at which `after` exceeds `before`. The removed
// instruction is skipped.
RaisedPressure Raised(const std::vector<InstrPressure>& before, const std::vector<InstrPressure>& after) {
  RaisedPressure raised;
  const auto compare = [&raised](const RegisterPressure& was, const RegisterPressure& is) {
    if (is.units() > was.units()) raised.units = std::max(raised.units, is.units());
    if (is.predicates() > was.predicates()) raised.predicates = std::max(raised.predicates, is.predicates());
  };
  size_t i = 0;
  for (const InstrPressure& point : after) {
    while (before[i].instr != point.instr) ++i;
    compare(before[i].at_reads, point.at_reads);
    compare(before[i].at_writes, point.at_writes);
    ++i;
  }
  return raised;
}

// Returns the pressures at the instructions of all blocks. The end of each block is an entry with a null
// instruction.
std::vector<InstrPressure> AllPoints(const MachineFunction& function) {
  const reference::RegisterPressures pressures(function);
  std::vector<InstrPressure> points;
  for (const MachineBasicBlock& block : function) {
    const BlockPressure at = pressures.Pressure(block.number());
    InstrPressure end;
    end.at_reads = end.at_writes = at.entry;
    points.push_back(end);
    for (const InstrPressure& instr : pressures.Instrs(block.number())) points.push_back(instr);
    end.at_reads = end.at_writes = at.exit;
    points.push_back(end);
  }
  return points;
}

void AskWhatIf(MachineFunction& function, const std::string& where, uint32_t segment_length, int& num_raised) {
  MachineRegisterPressure pressure(function, segment_length);
  MachineRegisterInfo& reg_info = function.reg_info();
  Random random(static_cast<uint32_t>(std::hash<std::string>()(where)));
  for (int round = 0; round < 8; ++round) {
    const Register from = Register::Virtual(random.Below(reg_info.num_virtual_registers()));
    const Register to = Register::Virtual(random.Below(reg_info.num_virtual_registers()));
    MachineInstr* def = reg_info.UniqueDef(from);
    if (def == nullptr || from == to || reg_info.reg_class(from) != reg_info.reg_class(to)) continue;
    if (def->is_phi()) continue;
    const RaisedPressure raised = pressure.WhatIfReplaced(from, to);
    DiagnosticEngine diagnostics;
    ASSERT_TRUE(pressure.VerifyUpdate(true, diagnostics)) << where << " was changed\n" << diagnostics.ToString();

    const std::vector<InstrPressure> before = AllPoints(function);
    pressure.WillErase(*def);
    def->EraseFromParent();
    pressure.WillReplaceRegister(from, to);
    reg_info.ReplaceRegister(from, to);
    const RaisedPressure expected = Raised(before, AllPoints(function));
    ASSERT_EQ(raised.units, expected.units) << where << ", round " << round;
    ASSERT_EQ(raised.predicates, expected.predicates) << where << ", round " << round;
    ASSERT_TRUE(pressure.VerifyUpdate(true, diagnostics)) << where << diagnostics.ToString();
    num_raised += raised.units > 0;
  }
}

TEST(MachineRegisterPressureUpdateTest, WhatIf) {
  int num_raised = 0;
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 23000, 5,
                                    [&](MachineFunction& function, const std::string& where) {
                                      AskWhatIf(function, where, PressureUpdate::kDefaultSegmentLength, num_raised);
                                    });
  testing::ForEachGeneratedFunction(
      fuzz::FuzzShape::kMixed, 24000, 5,
      [&](MachineFunction& function, const std::string& where) { AskWhatIf(function, where, 3, num_raised); });
  EXPECT_GT(static_cast<uint64_t>(num_raised), testing::NumInputs(100, 10));
}

TEST(MachineRegisterPressureUpdateTest, WhatIfByHand) {
  // %3 recomputes %2. Sharing %2 keeps it live across the KILL of three others, but ends %0 and %1 earlier.
  const auto module = ReadBody(R"(  bb.0:
    %0:b64 = IMPLICIT_DEF
    %1:b64 = IMPLICIT_DEF
    %2:b32 = LD_i32 0, 0, 1, 1, 32, -1, %0, 0
    KILL %2
    %4:b128 = IMPLICIT_DEF
    KILL %4
    %3:b32 = LD_i32 0, 0, 1, 1, 32, -1, %0, 0
    KILL %3, %1
    Return
)");
  MachineFunction& function = OnlyFunction(*module);
  MachineRegisterPressure pressure(function);
  EXPECT_EQ(pressure.MaxUnits(), 8u);  // %0 %1 %4
  // %2 instead of %0, which now ends at the first load: lower everywhere.
  const RaisedPressure raised = pressure.WhatIfReplaced(Register::Virtual(3), Register::Virtual(2));
  EXPECT_EQ(raised.units, 0u);
  // With another reader of %0 at the end, it is one higher: %0 %1 %4 %2.
  MachineInstr* last = function.front()->back();
  pressure.DidInsert(*BuildMI(*function.front(), last, generic::kKill).AddUse(Register::Virtual(0)).Insert());
  EXPECT_EQ(pressure.WhatIfReplaced(Register::Virtual(3), Register::Virtual(2)).units, 9u);
  EXPECT_EQ(pressure.MaxUnits(), 8u);
}

TEST(MachineRegisterPressureUpdateTest, VerificationFindsWhatWasNotTold) {
  const auto module = ReadBody(R"(  bb.0:
    successors: %bb.1
    %0:b32 = IMPLICIT_DEF
    %1:b1 = IMPLICIT_DEF
  bb.1:
    KILL %0
    Return
)");
  MachineFunction& function = OnlyFunction(*module);
  MachineRegisterPressure pressure(function);
  DiagnosticEngine diagnostics;
  EXPECT_TRUE(pressure.VerifyUpdate(false, diagnostics));
  BuildMI(*function.block(1), function.block(1)->back(), generic::kKill).AddUse(Register::Virtual(1)).Insert();
  EXPECT_FALSE(pressure.VerifyUpdate(false, diagnostics));
  EXPECT_EQ(diagnostics.ToString(),
            "error: Incorrect RP info from incremental MRPA update in function 'f': %bb.0: live-out differs\n");
  DiagnosticEngine detailed;
  EXPECT_FALSE(pressure.VerifyUpdate(true, detailed));
  EXPECT_EQ(detailed.ToString(),
            "error: Incorrect RP info from incremental MRPA update in function 'f': %bb.0: live-out differs\n"
            "  %bb.0 live-out: %0 (recomputed: %0 %1)\n"
            "  %bb.0 exit: b1 0, b16 0, b32 1, b64 0, b128 0; units 1 (recomputed: b1 1, b16 0, b32 1, b64 0, b128 0; "
            "units 1)\n"
            "  %bb.1 live-in: %0 (recomputed: %0 %1)\n"
            "  %bb.1 entry: b1 0, b16 0, b32 1, b64 0, b128 0; units 1 (recomputed: b1 1, b16 0, b32 1, b64 0, b128 "
            "0; units 1)\n"
            "  %bb.1 peak: b1 0, b16 0, b32 1, b64 0, b128 0; units 1 (recomputed: b1 1, b16 0, b32 1, b64 0, b128 "
            "0; units 1)\n");
  pressure.Recompute();
  EXPECT_TRUE(pressure.VerifyUpdate(true, detailed));
}

}  // namespace
}  // namespace ptxmir
