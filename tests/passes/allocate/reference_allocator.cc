// SPDX-License-Identifier: Apache-2.0

#include "tests/passes/allocate/reference_allocator.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::testing {
namespace {

Opcode Op(const char* name) { return *ptx::PtxTargetInfo().find_opcode(name); }

class Allocator {
 public:
  Allocator(MachineFunction& function, const AllocationPolicy& policy, uint64_t seed)
      : function_(function), reg_info_(function.reg_info()), policy_(policy), random_(seed) {}

  AllocationCounts Run() {
    counts_.registers_before = reg_info_.num_virtual_registers();
    SplitEdges();
    SplitRanges();
    SpillRegisters();
    Color();
    return counts_;
  }

 private:
  bool Chance(unsigned percent) { return random_() % 100 < percent; }
  RegClassId ClassOf(Register reg) const { return reg_info_.reg_class(reg); }
  Register NewRegister(RegClassId reg_class) { return reg_info_.CreateVirtualRegister(reg_class); }

  std::vector<MachineInstr*> Instrs() {
    std::vector<MachineInstr*> instrs;
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr& instr : block) instrs.push_back(&instr);
    }
    return instrs;
  }

  // Splits edges that a branch names.
  void SplitEdges() {
    std::vector<MachineInstr*> branches;
    for (MachineInstr* instr : Instrs()) {
      if (!instr->is_branch() || !function_.jump_tables().empty()) continue;
      for (const MachineOperand& operand : instr->operands()) {
        if (operand.is_block() && Chance(policy_.split_edges)) {
          branches.push_back(instr);
          break;
        }
      }
    }
    for (MachineInstr* branch : branches) {
      MachineBasicBlock& from = *branch->parent();
      MachineBasicBlock* to = nullptr;
      for (const MachineOperand& operand : branch->operands()) {
        if (operand.is_block()) to = function_.block(operand.block());
      }
      if (to == nullptr || from.next() == to) continue;  // the block may also be reached by fallthrough
      MachineBasicBlock* between = function_.CreateBlock();
      function_.InsertBlock(nullptr, between);
      from.RetargetSuccessor(to, between);
      between->AddSuccessor(to, BranchProbability::One());
      BuildMI(*between, nullptr, Op("GOTO")).AddBlock(*to).Insert();
      ++counts_.edge_blocks;
    }
  }

  // Renames a register within a block, from a use up to the next definition.
  void SplitRanges() {
    for (MachineInstr* instr : Instrs()) {
      if (instr->is_debug() || instr->is_inline_asm()) continue;
      for (unsigned i = 0; i < instr->num_operands(); ++i) {
        const MachineOperand& operand = instr->operand(i);
        if (!operand.reads_reg() || !operand.reg().is_virtual() || operand.is_tied() || !Chance(policy_.split))
          continue;
        SplitAt(*instr, operand.reg());
        break;
      }
    }
  }

  // Returns the place for instructions that `instr` needs: before it or, if it is a terminator, before all
  // terminators.
  static MachineInstr* PlaceBefore(MachineInstr* instr) {
    return instr->is_terminator() ? instr->parent()->FirstTerminator() : instr;
  }

  void SplitAt(MachineInstr& from, Register reg) {
    const Register part = NewRegister(ClassOf(reg));
    BuildMI(*from.parent(), PlaceBefore(&from), generic::kCopy).AddDef(part).AddUse(reg).Insert();
    ++counts_.splits;
    for (MachineInstr* instr = &from; instr != nullptr; instr = instr->next()) {
      const bool defines = std::any_of(instr->operands().begin(), instr->operands().end(),
                                       [&](const MachineOperand& op) { return op.is_def() && op.reg() == reg; });
      for (unsigned i = 0; i < instr->num_operands(); ++i) {
        MachineOperand& operand = instr->operand(i);
        if (!operand.is_use() || operand.reg() != reg || operand.is_tied()) continue;
        operand.set_reg_flag(MachineOperand::kKill, false);
        operand.SetReg(part);
      }
      if (defines) return;
    }
  }

  // --- spilling ---

  enum class SlotForm { kWhole, kHalves, kPredicate };
  struct Slot {
    int frame_index;
    int64_t offset;
    SlotForm form;
  };

  void SpillRegisters() {
    const uint32_t count = reg_info_.num_virtual_registers();
    std::vector<Register> spilled;
    for (uint32_t i = 0; i < count; ++i) {
      const Register reg = Register::Virtual(i);
      const RegClassId reg_class = ClassOf(reg);
      const bool known = reg_class == ptx::reg_class::kB1 || reg_class == ptx::reg_class::kB16 ||
                         reg_class == ptx::reg_class::kB32 || reg_class == ptx::reg_class::kB64;
      if (known && reg_info_.IsReferenced(reg) && Chance(policy_.spill)) spilled.push_back(reg);
    }
    for (const Register reg : spilled) {
      MachineInstr* def = reg_info_.UniqueDef(reg);
      if (def != nullptr && CanRematerialize(*def) && Chance(policy_.rematerialize)) {
        Rematerialize(reg, *def);
      } else {
        Spill(reg);
      }
    }
  }

  // Returns true for constants, and for values computed from registers that have one definition and are not
  // spilled. The rematerialized instruction may read these registers, because intervals are computed afterwards.
  bool CanRematerialize(const MachineInstr& def) {
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(def.opcode());
    if (!info.is_rematerializable() || def.is_copy() || def.is_implicit_def() || def.num_explicit_defs() != 1) {
      return false;
    }
    for (const MachineOperand& operand : def.operands()) {
      if (!operand.is_use()) continue;
      if (!operand.reg().is_virtual() || operand.is_undef() || reg_info_.UniqueDef(operand.reg()) == nullptr ||
          operand.reg().virtual_index() >= counts_.registers_before) {
        return false;
      }
    }
    return true;
  }

  void Rematerialize(Register reg, MachineInstr& def) {
    for (MachineOperand* use : UsesOf(reg)) {
      MachineInstr& user = *use->parent();
      if (user.is_debug()) continue;
      MachineInstr* copy = function_.CloneInstr(def);
      user.parent()->Insert(PlaceBefore(&user), copy);
      const Register part = NewRegister(ClassOf(reg));
      copy->operand(0).SetReg(part);
      use->SetReg(part);
      for (unsigned i = 1; i < copy->num_operands(); ++i) {
        if (!copy->operand(i).is_use()) continue;
        reg_info_.ClearKillFlags(copy->operand(i).reg());
      }
      ++counts_.rematerializations;
    }
    def.EraseFromParent();
  }

  std::vector<MachineOperand*> UsesOf(Register reg) {
    std::vector<MachineOperand*> uses;
    for (MachineOperand& use : reg_info_.Uses(reg)) uses.push_back(&use);
    return uses;
  }

  Slot MakeSlot(RegClassId reg_class) {
    const uint64_t bytes = reg_class == ptx::reg_class::kB64 ? 8 : 4;
    const SlotForm form = reg_class == ptx::reg_class::kB1                  ? SlotForm::kPredicate
                          : reg_class == ptx::reg_class::kB64 && Chance(50) ? SlotForm::kHalves
                                                                            : SlotForm::kWhole;
    // Some slots share an object.
    if (Chance(40) && shared_free_ >= bytes) {
      shared_free_ -= bytes;
      return {shared_object_, static_cast<int64_t>(kSharedBytes - shared_free_ - bytes), form};
    }
    if (Chance(30)) {
      shared_object_ = function_.frame_info().CreateStackObject(kSharedBytes, 3, StackObject::Type::kSpillSlot);
      shared_free_ = kSharedBytes - 8;
      return {shared_object_, 0, form};
    }
    return {function_.frame_info().CreateStackObject(bytes, 3, StackObject::Type::kSpillSlot), 0, form};
  }

  void Store(MachineBasicBlock& block, MachineInstr* before, Register value, unsigned bits, const Slot& slot,
             int64_t offset) {
    const char* name = bits == 16 ? "ST_i16" : bits == 32 ? "ST_i32" : "ST_i64";
    BuildMI(block, before, Op(name))
        .AddUse(value)
        .AddImm(0)
        .AddImm(0)
        .AddImm(5)
        .AddImm(bits)
        .Add(MachineOperand::CreateFrameIndex(slot.frame_index))
        .AddImm(slot.offset + offset)
        .Insert();
  }
  void Load(MachineBasicBlock& block, MachineInstr* before, Register value, unsigned bits, const Slot& slot,
            int64_t offset) {
    const char* name = bits == 16 ? "LD_i16" : bits == 32 ? "LD_i32" : "LD_i64";
    BuildMI(block, before, Op(name))
        .AddDef(value)
        .AddImm(0)
        .AddImm(0)
        .AddImm(5)
        .AddImm(3)
        .AddImm(bits)
        .AddImm(-1)
        .Add(MachineOperand::CreateFrameIndex(slot.frame_index))
        .AddImm(slot.offset + offset)
        .Insert();
  }

  void SpillTo(MachineBasicBlock& block, MachineInstr* before, Register value, const Slot& slot) {
    ++counts_.spills;
    const RegClassId reg_class = ClassOf(value);
    if (slot.form == SlotForm::kPredicate) {
      const Register integer = NewRegister(ptx::reg_class::kB32);
      BuildMI(block, before, Op("SELP_b32ii")).AddDef(integer).AddImm(1).AddImm(0).AddUse(value).Insert();
      Store(block, before, integer, 32, slot, 0);
    } else if (slot.form == SlotForm::kHalves) {
      const Register low = NewRegister(ptx::reg_class::kB32);
      const Register high = NewRegister(ptx::reg_class::kB32);
      if (Chance(50)) {
        BuildMI(block, before, Op("I64toV2I32")).AddDef(low).AddDef(high).AddUse(value).Insert();
      } else {
        BuildMI(block, before, Op("I64toI32L")).AddDef(low).AddUse(value).Insert();
        BuildMI(block, before, Op("I64toI32H")).AddDef(high).AddUse(value).Insert();
      }
      Store(block, before, low, 32, slot, 0);
      Store(block, before, high, 32, slot, 4);
    } else {
      const unsigned bits = reg_class == ptx::reg_class::kB16 ? 16 : reg_class == ptx::reg_class::kB32 ? 32 : 64;
      Store(block, before, value, bits, slot, 0);
    }
  }

  void ReloadFrom(MachineBasicBlock& block, MachineInstr* before, Register value, const Slot& slot) {
    ++counts_.reloads;
    const RegClassId reg_class = ClassOf(value);
    if (slot.form == SlotForm::kPredicate) {
      const Register integer = NewRegister(ptx::reg_class::kB32);
      Load(block, before, integer, 32, slot, 0);
      BuildMI(block, before, Op("SETP_i32ri")).AddDef(value).AddUse(integer).AddImm(0).AddImm(1).Insert();
    } else if (slot.form == SlotForm::kHalves && Chance(50)) {
      const Register low = NewRegister(ptx::reg_class::kB32);
      const Register high = NewRegister(ptx::reg_class::kB32);
      Load(block, before, low, 32, slot, 0);
      Load(block, before, high, 32, slot, 4);
      BuildMI(block, before, Op("V2I32toI64")).AddDef(value).AddUse(low).AddUse(high).Insert();
    } else {
      const unsigned bits = reg_class == ptx::reg_class::kB16 ? 16 : reg_class == ptx::reg_class::kB32 ? 32 : 64;
      Load(block, before, value, bits, slot, 0);
    }
  }

  // Spills everywhere: each instruction that names the register gets a register of its own.
  void Spill(Register reg) {
    const Slot slot = MakeSlot(ClassOf(reg));
    std::vector<MachineInstr*> users;
    for (MachineOperand& operand : reg_info_.Operands(reg)) users.push_back(operand.parent());
    std::sort(users.begin(), users.end(), [](auto* a, auto* b) { return a->id() < b->id(); });
    users.erase(std::unique(users.begin(), users.end()), users.end());
    for (MachineInstr* user : users) {
      if (user->is_debug()) continue;
      const Register part = NewRegister(ClassOf(reg));
      bool reads = false;
      bool writes = false;
      for (unsigned i = 0; i < user->num_operands(); ++i) {
        MachineOperand& operand = user->operand(i);
        if (!operand.is_reg() || operand.reg() != reg) continue;
        reads |= operand.reads_reg();
        writes |= operand.is_def();
        operand.SetReg(part);
        operand.set_reg_flag(MachineOperand::kKill, false);
        operand.set_reg_flag(MachineOperand::kDead, false);
      }
      if (reads) ReloadFrom(*user->parent(), PlaceBefore(user), part, slot);
      if (writes && !user->is_implicit_def()) SpillTo(*user->parent(), user->next(), part, slot);
    }
  }

  // --- coloring ---

  struct Interval {
    int64_t start = -1;
    int64_t end = -1;
  };
  void Cover(Register reg, int64_t at) {
    Interval& interval = intervals_[reg.virtual_index()];
    if (interval.start < 0 || at < interval.start) interval.start = at;
    interval.end = std::max(interval.end, at);
  }

  // Makes one interval per register, which includes its holes.
  void MakeIntervals() {
    intervals_.assign(reg_info_.num_virtual_registers(), {});
    std::vector<std::vector<bool>> live_in(function_.block_number_bound());
    const uint32_t count = reg_info_.num_virtual_registers();
    for (std::vector<bool>& bits : live_in) bits.assign(count, false);
    bool changed = true;
    while (changed) {
      changed = false;
      for (MachineBasicBlock* block = function_.back(); block != nullptr; block = block->previous()) {
        std::vector<bool> live(count, false);
        for (const MachineBasicBlock* successor : block->successors()) {
          for (uint32_t i = 0; i < count; ++i) {
            if (live_in[successor->number()][i]) live[i] = true;
          }
        }
        for (MachineInstr* instr = block->back(); instr != nullptr; instr = instr->previous()) {
          if (instr->is_debug()) continue;
          for (const MachineOperand& operand : instr->operands()) {
            if (operand.is_def() && operand.reg().is_virtual()) live[operand.reg().virtual_index()] = false;
          }
          for (const MachineOperand& operand : instr->operands()) {
            if (operand.reads_reg() && operand.reg().is_virtual()) live[operand.reg().virtual_index()] = true;
          }
        }
        if (live != live_in[block->number()]) {
          live_in[block->number()] = live;
          changed = true;
        }
      }
    }
    int64_t at = 0;
    for (MachineBasicBlock& block : function_) {
      const int64_t begin = at;
      for (const MachineInstr& instr : block) {
        at += 4;
        if (instr.is_debug()) continue;
        for (const MachineOperand& operand : instr.operands()) {
          if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
          if (operand.is_def()) Cover(operand.reg(), at + (operand.is_early_clobber() ? 1 : 2));
          Cover(operand.reg(), at + (operand.is_def() ? 3 : 2));
        }
      }
      at += 4;
      for (uint32_t i = 0; i < count; ++i) {
        if (live_in[block.number()][i]) Cover(Register::Virtual(i), begin);
        for (const MachineBasicBlock* successor : block.successors()) {
          if (live_in[successor->number()][i]) Cover(Register::Virtual(i), at);
        }
      }
    }
  }

  uint32_t Root(uint32_t i) {
    while (merged_into_[i] != i) i = merged_into_[i] = merged_into_[merged_into_[i]];
    return i;
  }

  void Coalesce() {
    merged_into_.resize(intervals_.size());
    for (uint32_t i = 0; i < merged_into_.size(); ++i) merged_into_[i] = i;
    for (MachineInstr* instr : Instrs()) {
      if (!instr->is_copy() || !instr->operand(0).reg().is_virtual() || !instr->operand(1).reg().is_virtual() ||
          instr->operand(1).is_undef() || !Chance(policy_.coalesce)) {
        continue;
      }
      if (ClassOf(instr->operand(0).reg()) != ClassOf(instr->operand(1).reg())) continue;
      const uint32_t a = Root(instr->operand(0).reg().virtual_index());
      const uint32_t b = Root(instr->operand(1).reg().virtual_index());
      Interval& one = intervals_[a];
      const Interval& other = intervals_[b];
      if (a != b && one.start < other.end && other.start < one.end) continue;
      one.start = std::min(one.start, other.start);
      one.end = std::max(one.end, other.end);
      merged_into_[b] = a;
      instr->EraseFromParent();
      ++counts_.coalesced;
    }
  }

  void Color() {
    MakeIntervals();
    Coalesce();
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < intervals_.size(); ++i) {
      if (Root(i) == i && intervals_[i].start >= 0) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::make_pair(intervals_[a].start, a) < std::make_pair(intervals_[b].start, b);
    });
    // The end of the last interval, and the register.
    std::map<RegClassId, std::vector<std::pair<int64_t, Register>>> colors;
    std::vector<Register> color_of(intervals_.size());
    for (const uint32_t i : order) {
      const RegClassId reg_class = ClassOf(Register::Virtual(i));
      std::vector<std::pair<int64_t, Register>>& of_class = colors[reg_class];
      std::vector<size_t> free;
      for (size_t k = 0; k < of_class.size(); ++k) {
        if (of_class[k].first <= intervals_[i].start) free.push_back(k);
      }
      size_t chosen = of_class.size();
      if (free.empty()) {
        of_class.push_back({0, NewRegister(reg_class)});
        ++counts_.registers_after;
      } else {
        chosen = free[random_() % free.size()];
      }
      of_class[chosen].first = intervals_[i].end;
      color_of[i] = of_class[chosen].second;
    }
    for (MachineInstr* instr : Instrs()) {
      for (unsigned i = 0; i < instr->num_operands(); ++i) {
        MachineOperand& operand = instr->operand(i);
        if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
        operand.set_reg_flag(MachineOperand::kKill, false);
        operand.set_reg_flag(MachineOperand::kDead, false);
        const Register color = color_of[Root(operand.reg().virtual_index())];
        // A debug value of a register that no longer exists.
        if (!color.is_valid()) {
          operand.SetReg(instr->is_debug() ? Register() : NewRegister(ClassOf(operand.reg())));
        } else {
          operand.SetReg(color);
        }
      }
    }
  }

  static constexpr uint64_t kSharedBytes = 64;

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  AllocationPolicy policy_;
  std::mt19937_64 random_;
  AllocationCounts counts_;
  int shared_object_ = 0;
  uint64_t shared_free_ = 0;
  std::vector<Interval> intervals_;
  std::vector<uint32_t> merged_into_;
};

}  // namespace

AllocationCounts AllocateForTest(MachineFunction& function, const AllocationPolicy& policy, uint64_t seed) {
  return Allocator(function, policy, seed).Run();
}

}  // namespace ptxmir::testing
