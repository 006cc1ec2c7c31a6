// SPDX-License-Identifier: Apache-2.0

#include "passes/control_flow/if_region.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

#include "ir/module.h"
#include "mir/code/function_ir.h"
#include "mir/code/operand_ranges.h"
#include "passes/control_flow/speculation.h"
#include "passes/support/block_ending.h"
#include "passes/support/debug_values.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/isa/register_classes.h"
#include "ptx/target/opcode_forms.h"

namespace ptxmir {
namespace {

bool IsSide(const MachineBasicBlock& block, const MachineBasicBlock& head, const MachineBasicBlock& tail) {
  return block.predecessors().size() == 1 && block.predecessors()[0] == &head && block.successors().size() == 1 &&
         block.successors()[0] == &tail && !HasAddressTaken(block) && EndingOf(block).is_known;
}

// Returns the opcode that selects between two registers of a class, or nullopt if there is none.
std::optional<Opcode> SelectOpcode(RegClassId reg_class) {
  switch (reg_class) {
    case ptx::reg_class::kB16:
      return ptx::FindForm(ptx::SemanticTag::kSelpB16, "rr");
    case ptx::reg_class::kB32:
      return ptx::FindForm(ptx::SemanticTag::kSelpB32, "rr");
    case ptx::reg_class::kB64:
      return ptx::FindForm(ptx::SemanticTag::kSelpB64, "rr");
    default:
      return std::nullopt;
  }
}

// A select of 128 bits: both values are taken apart, their halves selected, and the result put together.
constexpr uint32_t kInstrsOfWideSelect = 5;

// Returns what a predicate is on its way: on that of the branch (`is_taken`), the condition is true.
std::optional<bool> KnownPredicate(const IfRegion& region, const MachineOperand& value, bool is_taken) {
  const MachineOperand& condition = region.branch->operand(0);
  if (!value.is_reg() || !value.reg().is_virtual() || value.is_undef()) return std::nullopt;
  if (value.reg() == condition.reg() && !condition.is_undef()) return is_taken;
  const MachineInstr* const def = region.head->function().reg_info().UniqueDef(value.reg());
  const bool is_constant = def != nullptr && def->opcode() == ptx::op::MOV_B1_i && def->operand(1).is_imm();
  return is_constant ? std::optional(def->operand(1).imm() != 0) : std::nullopt;
}

// Returns the number of instructions that select a predicate.
uint32_t InstrsOfPredicateSelect(const IfSelect& select) {
  if (select.known_taken.has_value() && select.known_other.has_value()) return 1;
  if (select.known_taken.has_value()) return *select.known_taken ? 1 : 2;
  if (select.known_other.has_value()) return *select.known_other ? 2 : 1;
  return 4;
}

bool IsUndefined(const MachineRegisterInfo& reg_info, const MachineOperand& value) {
  if (value.is_undef()) return true;
  const MachineInstr* const def = reg_info.UniqueDef(value.reg());
  return def != nullptr && def->is_implicit_def();
}

bool HasSelect(RegClassId reg_class) {
  return reg_class == ptx::reg_class::kB1 || reg_class == ptx::reg_class::kB128 || SelectOpcode(reg_class).has_value();
}

uint32_t InstrsOfSelect(const IfSelect& select, RegClassId reg_class) {
  if (reg_class == ptx::reg_class::kB1) return InstrsOfPredicateSelect(select);
  return reg_class == ptx::reg_class::kB128 ? kInstrsOfWideSelect : 1;
}

IfObstacle FindObstacleOfSide(const MachineBasicBlock* side, const MemoryDependence& memory, uint32_t max_instrs) {
  if (side == nullptr) return {};
  uint32_t num_instrs = 0;
  for (const MachineInstr& instr : *side) {
    // A side has one predecessor, so that its PHIs are copies; opt-phis removes them.
    if (instr.is_phi()) return {"a side has a PHI", &instr};
    if (instr.is_debug() || instr.is_terminator()) continue;
    if (++num_instrs > max_instrs) return {"a side has too many instructions", &instr};
    if (!IsSpeculatable(instr, memory)) return {"an instruction must not be executed on the other way", &instr};
  }
  return {};
}

class RegionConverter {
 public:
  explicit RegionConverter(const IfRegion& region)
      : region_(region),
        head_(*region.head),
        tail_(*region.tail),
        function_(head_.function()),
        reg_info_(function_.reg_info()),
        condition_(region.branch->operand(0).reg()),
        is_condition_undefined_(region.branch->operand(0).is_undef()),
        debug_loc_(region.branch->debug_loc()),
        unused_(function_) {}

  void Convert(std::vector<IfSelect>& selects) {
    MoveSide(region_.taken);
    MoveSide(region_.other);
    const bool has_other_predecessors = tail_.predecessors().size() > 2;
    for (IfSelect& select : selects) Replace(select, has_other_predecessors);
    RemoveBranches();
    EraseSide(region_.taken);
    EraseSide(region_.other);
    if (!has_other_predecessors && MayTakeInTail()) {
      TakeInTail();
    } else if (!head_.IsLayoutSuccessor(&tail_)) {
      AppendJump(head_, tail_, debug_loc_);
    }
    ClearKillFlags(reg_info_, std::move(read_));
    unused_.Erase();
  }

 private:
  void MoveSide(MachineBasicBlock* side) {
    if (side == nullptr) return;
    MachineInstr* next = nullptr;
    for (MachineInstr* instr = side->front(); instr != nullptr; instr = next) {
      next = instr->next();
      if (instr->is_terminator()) continue;
      for (const MachineOperand& use : VirtualUses(*instr)) read_.push_back(use.reg());
      // On the other way the variable has another value.
      if (instr->is_debug()) MakeDebugValueUndefined(*instr);
      instr->RemoveFromParent();
      head_.Insert(region_.branch, instr);
    }
  }

  // Replaces the values that a PHI has on the two ways by one.
  void Replace(IfSelect& select, bool has_other_predecessors) {
    MachineInstr& phi = *select.phi;
    const Register result = phi.operand(0).reg();
    const RegClassId reg_class = reg_info_.reg_class(result);
    if (!has_other_predecessors) {
      // The PHI goes first, so that the register never has two definitions.
      const MetadataId loc = phi.debug_loc();
      phi.EraseFromParent();
      Define(select, result, loc);
      return;
    }
    const Register value = reg_info_.CreateVirtualRegister(reg_class);
    Define(select, value, phi.debug_loc());
    LeadFromHead(phi, value);
  }

  void Define(const IfSelect& select, Register result, MetadataId loc) {
    if (select.known_taken.has_value()) unused_.Add(select.taken.reg());
    if (select.known_other.has_value()) unused_.Add(select.other.reg());
    const MachineOperand* const same = OnlyValue(select);
    if (same != nullptr) {
      MachineInstr* const copy = BuildMI(head_, region_.branch, generic::kCopy, loc)
                                     .AddDef(result)
                                     .AddUse(same->reg(), same->is_undef() ? MachineOperand::kUndef : 0)
                                     .Insert();
      NoteReads(*copy);
      return;
    }
    const RegClassId reg_class = reg_info_.reg_class(result);
    if (reg_class == ptx::reg_class::kB1) return DefinePredicate(select, result, loc);
    if (reg_class == ptx::reg_class::kB128) return DefineWide(select, result, loc);
    Insert(*SelectOpcode(reg_class), result, {select.taken.reg(), select.other.reg(), condition_}, loc);
  }

  // If the values are the same, or if one is undefined, returns that which is always right.
  const MachineOperand* OnlyValue(const IfSelect& select) const {
    return select.num_instrs != 0 ? nullptr : (IsUndefined(reg_info_, select.taken) ? &select.other : &select.taken);
  }

  void DefinePredicate(const IfSelect& select, Register result, MetadataId loc) {
    const Opcode conjunction = *ptx::FindForm(ptx::SemanticTag::kAndPred, "rr");
    const Opcode disjunction = *ptx::FindForm(ptx::SemanticTag::kOrPred, "rr");
    if (select.known_taken.has_value() && select.known_other.has_value()) {
      DefineOfConstants(*select.known_taken, *select.known_other, result, loc);
    } else if (select.known_taken.has_value()) {
      const Register condition = *select.known_taken ? condition_ : Negated(loc);
      Insert(*select.known_taken ? disjunction : conjunction, result, {condition, select.other.reg()}, loc);
    } else if (select.known_other.has_value()) {
      const Register condition = *select.known_other ? Negated(loc) : condition_;
      Insert(*select.known_other ? disjunction : conjunction, result, {condition, select.taken.reg()}, loc);
    } else {
      const Register if_taken = CreateLike(result);
      Insert(conjunction, if_taken, {condition_, select.taken.reg()}, loc);
      const Register negated = Negated(loc);
      const Register if_other = CreateLike(result);
      Insert(conjunction, if_other, {negated, select.other.reg()}, loc);
      Insert(disjunction, result, {if_taken, if_other}, loc);
    }
  }

  void DefineOfConstants(bool taken, bool other, Register result, MetadataId loc) {
    if (taken == other) {
      BuildMI(head_, region_.branch, ptx::op::MOV_B1_i, loc).AddDef(result).AddImm(taken ? -1 : 0).Insert();
    } else if (taken) {
      Insert(generic::kCopy, result, {condition_}, loc);
    } else {
      Insert(*ptx::FindForm(ptx::SemanticTag::kNotPred, "r"), result, {condition_}, loc);
    }
  }

  Register Negated(MetadataId loc) {
    const Register negated = CreateLike(condition_);
    Insert(*ptx::FindForm(ptx::SemanticTag::kNotPred, "r"), negated, {condition_}, loc);
    return negated;
  }

  void DefineWide(const IfSelect& select, Register result, MetadataId loc) {
    const auto take_apart = [&](Register wide) {
      const std::array<Register, 2> halves = {CreateHalf(), CreateHalf()};
      NoteReads(*BuildMI(head_, region_.branch, ptx::op::I128toV2I64, loc)
                     .AddDef(halves[0])
                     .AddDef(halves[1])
                     .AddUse(wide)
                     .Insert());
      return halves;
    };
    const std::array<Register, 2> taken = take_apart(select.taken.reg()), other = take_apart(select.other.reg());
    const std::array<Register, 2> halves = {CreateHalf(), CreateHalf()};
    for (const size_t i : {0, 1}) {
      Insert(*SelectOpcode(ptx::reg_class::kB64), halves[i], {taken[i], other[i], condition_}, loc);
    }
    Insert(ptx::op::V2I64toI128, result, {halves[0], halves[1]}, loc);
  }

  Register CreateHalf() { return reg_info_.CreateVirtualRegister(ptx::reg_class::kB64); }
  Register CreateLike(Register reg) { return reg_info_.CreateVirtualRegister(reg_info_.reg_class(reg)); }

  void Insert(Opcode opcode, Register result, std::initializer_list<Register> sources, MetadataId loc) {
    MachineInstrBuilder builder = BuildMI(head_, region_.branch, opcode, loc);
    builder.AddDef(result);
    for (const Register source : sources) {
      builder.AddUse(source, source == condition_ && is_condition_undefined_ ? MachineOperand::kUndef : 0);
    }
    NoteReads(*builder.Insert());
  }

  void NoteReads(const MachineInstr& instr) {
    for (const MachineOperand& use : VirtualUses(instr)) read_.push_back(use.reg());
  }

  // Makes the PHI have `value` from the head, and nothing from the sides.
  void LeadFromHead(MachineInstr& phi, Register value) {
    bool has_value = false;
    for (unsigned i = 1; i + 1 < phi.num_operands();) {
      const BlockNumber from = phi.operand(i + 1).block();
      if (from != region_.taken_end().number() && from != region_.other_end().number()) {
        i += 2;
      } else if (has_value) {
        phi.RemoveOperand(i + 1);
        phi.RemoveOperand(i);
      } else {
        phi.operand(i).ChangeTo(MachineOperand::CreateReg(value));
        phi.operand(i + 1).set_block(head_.number());
        has_value = true;
        i += 2;
      }
    }
  }

  void RemoveBranches() {
    const BlockEnding ending = EndingOf(head_);
    if (ending.jump != nullptr) ending.jump->EraseFromParent();
    ending.branch->EraseFromParent();
    while (!head_.successors().empty()) head_.RemoveSuccessor(head_.successors().back());
    head_.AddSuccessor(&tail_, BranchProbability::One());
  }

  void EraseSide(MachineBasicBlock* side) {
    if (side != nullptr) function_.EraseBlock(side);
  }

  bool MayTakeInTail() const {
    return &tail_ != &head_ && !HasAddressTaken(tail_) && tail_.predecessors().size() == 1 &&
           (EndingOf(tail_).is_known || !tail_.CanFallThrough());
  }

  void TakeInTail() {
    const MachineBasicBlock* const old_next = tail_.next();
    head_.RemoveSuccessor(&tail_);
    if (tail_.front() != nullptr) tail_.SpliceTail(tail_.front(), head_);
    head_.TransferSuccessorsAndUpdatePhis(&tail_);
    KeepLoopMetadata();
    function_.EraseBlock(&tail_);
    AdjustEnding(head_, old_next);
  }

  // The metadata of a loop is found by the IR block that its latch stands for.
  void KeepLoopMetadata() {
    const IrFunction* const ir_function = FindIrFunction(function_);
    if (ir_function == nullptr || (tail_.name.empty() && tail_.ir_block.empty())) return;
    const IrBlock* const ir_block = function_.module()->FindIrBlock(*ir_function, tail_.name, tail_.ir_block);
    if (ir_block == nullptr || !ir_block->loop.has_value()) return;
    head_.name = tail_.name;
    head_.ir_block = tail_.ir_block;
  }

  const IfRegion& region_;
  MachineBasicBlock& head_;
  MachineBasicBlock& tail_;
  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  const Register condition_;
  const bool is_condition_undefined_;
  const MetadataId debug_loc_;
  std::vector<Register> read_;  // later than their kill flags may say
  UnusedInstrs unused_;         // constants that no select reads
};

}  // namespace

IfRegion FindIfRegion(MachineBasicBlock& head) {
  const auto successors = head.successors();
  if (successors.size() != 2 || successors[0] == successors[1]) return {};
  const BlockEnding ending = EndingOf(head);
  if (!ending.is_conditional()) return {};
  MachineBasicBlock* const taken = ending.taken;
  MachineBasicBlock* const other = ending.otherwise != nullptr ? ending.otherwise : head.next();
  if (other == nullptr || taken == other || !head.IsSuccessor(taken) || !head.IsSuccessor(other)) return {};
  IfRegion region{.head = &head, .branch = ending.branch};
  if (IsSide(*taken, head, *other)) {
    region.taken = taken;
    region.tail = other;
  } else if (IsSide(*other, head, *taken)) {
    region.other = other;
    region.tail = taken;
  } else if (taken->successors().size() == 1 && IsSide(*taken, head, *taken->successors()[0]) &&
             IsSide(*other, head, *taken->successors()[0])) {
    region.taken = taken;
    region.other = other;
    region.tail = taken->successors()[0];
  }
  if (region.tail == nullptr || region.tail == &head) return {};
  return region;
}

IfObstacle FindObstacle(const IfRegion& region, const MemoryDependence& memory, uint32_t max_instrs) {
  for (const MachineBasicBlock* side : {region.taken, region.other}) {
    const IfObstacle obstacle = FindObstacleOfSide(side, memory, max_instrs);
    if (!obstacle.reason.empty()) return obstacle;
  }
  const MachineRegisterInfo& reg_info = region.head->function().reg_info();
  for (const MachineInstr* phi = region.tail->front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
    if (!HasSelect(reg_info.reg_class(phi->operand(0).reg()))) return {"no instruction selects such a value", phi};
  }
  return {};
}

void FindSelects(const IfRegion& region, std::vector<IfSelect>& selects) {
  selects.clear();
  const MachineRegisterInfo& reg_info = region.head->function().reg_info();
  for (MachineInstr* phi = region.tail->front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
    IfSelect select;
    select.phi = phi;
    for (const MutablePhiIncoming incoming : PhiIncomings(*phi)) {
      const MachineOperand value =
          MachineOperand::CreateReg(incoming.reg(), incoming.value().is_undef() ? MachineOperand::kUndef : 0);
      if (incoming.predecessor() == region.taken_end().number()) select.taken = value;
      if (incoming.predecessor() == region.other_end().number()) select.other = value;
    }
    const bool is_one = select.taken.reg() == select.other.reg() || IsUndefined(reg_info, select.taken) ||
                        IsUndefined(reg_info, select.other);
    const RegClassId reg_class = reg_info.reg_class(phi->operand(0).reg());
    if (reg_class == ptx::reg_class::kB1) {
      select.known_taken = KnownPredicate(region, select.taken, true);
      select.known_other = KnownPredicate(region, select.other, false);
    }
    select.num_instrs = is_one ? 0 : InstrsOfSelect(select, reg_class);
    selects.push_back(select);
  }
}

void ConvertIfRegion(const IfRegion& region, std::vector<IfSelect>& selects) {
  RegionConverter(region).Convert(selects);
}

}  // namespace ptxmir
