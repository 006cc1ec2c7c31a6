// SPDX-License-Identifier: Apache-2.0

#include "passes/peephole/peephole_editor.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "analysis/values/integer_facts.h"
#include "mir/code/operand_ranges.h"
#include "passes/peephole/value_type.h"
#include "passes/support/constant_moves.h"
#include "passes/support/unreachable_blocks.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"

namespace ptxmir::peephole {
namespace {

bool IsBundled(const MachineInstr& instr) {
  return instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc);
}

}  // namespace

MachineOperand ReadOf(const MachineOperand& use) {
  MachineOperand read = use;
  return use.is_reg() ? MachineOperand::CreateReg(use.reg(), use.is_undef() ? MachineOperand::kUndef : 0) : read;
}

PeepholeEditor::PeepholeEditor(MachineFunction& function, PassContext& context)
    : function_(function),
      reg_info_(function.reg_info()),
      context_(context),
      evaluator_(function),
      source_kinds_(function.reg_info().num_virtual_registers()) {
  // The worklist may hold instructions that have been erased. Their memory must not become other instructions.
  function_.HoldInstrIds();
}
PeepholeEditor::~PeepholeEditor() { function_.ReleaseInstrIds(); }

// ---- Facts.

MachineInstr* PeepholeEditor::DefOf(const MachineOperand& use) const {
  if (!use.reads_reg() || !use.reg().is_virtual()) return nullptr;
  return reg_info_.UniqueDef(use.reg());
}

MachineInstr* PeepholeEditor::DefOf(const MachineOperand& use, ptx::Family family) const {
  MachineInstr* const def = DefOf(use);
  return def != nullptr && ptx::InstrInfo(def->opcode()).family == family ? def : nullptr;
}

const MachineOperand* PeepholeEditor::MovedConstant(const MachineOperand& use) const {
  if (!use.reg().is_virtual()) return nullptr;
  const uint32_t index = use.reg().virtual_index();
  if (index >= source_kinds_.size() || (source_kinds_[index] & kMovedSource) == 0) return nullptr;
  const MachineInstr* const def = DefOf(use, ptx::Family::kMov);
  if (def == nullptr || def->num_operands() != 2 || !ptx::InstrInfo(def->opcode()).is_move()) return nullptr;
  const MachineOperand& constant = def->operand(1);
  return constant.is_imm() || constant.is_fp_imm() ? &constant : nullptr;
}

std::optional<uint64_t> PeepholeEditor::Constant(const MachineOperand& operand, unsigned bits) const {
  const MachineOperand* const constant = operand.is_reg() ? MovedConstant(operand) : &operand;
  if (constant == nullptr) return std::nullopt;
  if (constant->is_imm()) return static_cast<uint64_t>(constant->imm()) & IntegerFacts::LowMask(bits);
  if (constant->is_fp_imm()) return constant->fp_bits() & IntegerFacts::LowMask(bits);
  return std::nullopt;
}

bool PeepholeEditor::IsOnlyUse(const MachineOperand& use) const {
  return use.reg().is_virtual() && reg_info_.HasOneNonDebugUse(use.reg());
}

unsigned PeepholeEditor::BitsOf(Register reg) const {
  if (!reg.is_virtual()) return 0;
  const RegClassId reg_class = reg_info_.reg_class(reg);
  return reg_class < ptx::reg_class::kCount ? ptx::kRegisterClasses[reg_class].bits : 0;
}

uint8_t PeepholeEditor::SourceKinds(const MachineInstr& instr) const {
  uint8_t kinds = kNoRegister;
  for (const MachineOperand& operand : instr.operands()) {
    if (!operand.is_use() || !operand.reg().is_valid()) continue;
    kinds &= ~kNoRegister;
    if (!operand.reg().is_virtual()) continue;
    const uint32_t index = operand.reg().virtual_index();
    if (index < source_kinds_.size()) kinds |= source_kinds_[index];
  }
  return kinds;
}

bool PeepholeEditor::Supports(Opcode opcode) const {
  const ptx::Subtarget* const subtarget = context_.analyses.inputs().subtarget;
  if (subtarget != nullptr) return subtarget->Supports(opcode);
  return ptx::InstrInfo(opcode).requirement == 0;
}

std::optional<uint64_t> PeepholeEditor::Evaluate(const MachineInstr& instr, Register reg, uint64_t value) {
  absl::InlinedVector<ConstantEvaluator::KnownRegister, 4> known;
  for (const MachineOperand& operand : instr.operands()) {
    if (!operand.is_use() || !operand.reg().is_valid()) continue;
    if (operand.is_undef()) return std::nullopt;
    if (operand.reg() == reg) {
      known.push_back({reg, value});
      continue;
    }
    const std::optional<uint64_t> constant = Constant(operand, BitsOf(operand.reg()));
    if (!constant.has_value()) return std::nullopt;
    known.push_back({operand.reg(), *constant});
  }
  return evaluator_.Evaluate(instr, known);
}

// ---- The worklist.

void PeepholeEditor::Push(MachineInstr& instr) {
  work_.push_back(&instr);
  const ptx::Family family = ptx::InstrInfo(instr.opcode()).family;
  if (family != ptx::Family::kMov && family != ptx::Family::kSelp) return;
  const MachineOperand& result = instr.operand(0);
  if (!result.is_def() || !result.reg().is_virtual()) return;
  const uint32_t index = result.reg().virtual_index();
  if (index >= source_kinds_.size()) source_kinds_.resize(reg_info_.num_virtual_registers());
  source_kinds_[index] |= family == ptx::Family::kMov ? kMovedSource : kSelectedSource;
}

MachineInstr* PeepholeEditor::Pop() {
  while (!work_.empty()) {
    MachineInstr* const instr = work_.back();
    work_.pop_back();
    if (instr->is_linked() && !IsBundled(*instr)) return instr;
  }
  return nullptr;
}

void PeepholeEditor::PushUsers(Register reg) {
  for (MachineOperand& use : reg_info_.NonDebugUses(reg)) Push(*use.parent());
}

void PeepholeEditor::NoteUse(const MachineOperand& operand) {
  if (operand.is_use() && operand.reg().is_virtual()) read_longer_.push_back(operand.reg());
}

void PeepholeEditor::NoteLostUses(const MachineInstr& instr) {
  for (const MachineOperand& use : VirtualUses(instr)) lost_a_use_.push_back(use.reg());
}

void PeepholeEditor::EraseIfUnused(Register reg) {
  MachineInstr* const def = reg_info_.UniqueDef(reg);
  if (def == nullptr) return;
  auto uses = reg_info_.NonDebugUses(reg);
  if (!uses.empty()) {
    // A value that has one user left may be combined with it.
    if (reg_info_.HasOneNonDebugUse(reg)) Push(*uses.begin()->parent());
    return;
  }
  if (!IsPlainComputation(*def) || IsBundled(*def)) return;
  for (const MachineOperand& operand : def->operands()) {
    if (operand.is_def() && (!operand.reg().is_virtual() || !reg_info_.NonDebugUses(operand.reg()).empty())) return;
  }
  NoteLostUses(*def);
  for (const MachineOperand& operand : VirtualDefs(*def)) DropDebugUses(reg_info_, operand.reg());
  def->EraseFromParent();
}

void PeepholeEditor::EraseUnused() {
  while (!lost_a_use_.empty()) {
    const Register reg = lost_a_use_.back();
    lost_a_use_.pop_back();
    EraseIfUnused(reg);
  }
}

void PeepholeEditor::ClearStaleKillFlags() { ptxmir::ClearKillFlags(reg_info_, std::exchange(read_longer_, {})); }

// ---- Edits.

bool PeepholeEditor::Replace(MachineInstr& instr, const MachineOperand& value) {
  const Register result = instr.operand(0).reg();
  if (value.is_imm() || value.is_fp_imm()) {
    const std::optional<uint64_t> constant = Constant(value, BitsOf(result));
    return constant.has_value() && ReplaceByConstant(instr, *constant);
  }
  if (!value.reads_reg() || !value.reg().is_virtual() || value.reg() == result) return false;
  const Register reg = value.reg();
  if (reg_info_.reg_class(reg) != reg_info_.reg_class(result)) return false;
  PushUsers(result);
  read_longer_.push_back(reg);
  NoteLostUses(instr);
  instr.EraseFromParent();
  reg_info_.ReplaceRegister(result, reg);
  return true;
}

bool PeepholeEditor::ReplaceByConstant(MachineInstr& instr, uint64_t value) {
  const Register result = instr.operand(0).reg();
  const unsigned bits = BitsOf(result);
  // Predicates are 0 and -1.
  const MachineOperand constant = MachineOperand::CreateImm(IntegerFacts::SignExtend(value, bits));
  return Rewrite(instr, ConstantMove(constant, reg_info_.reg_class(result)), {constant});
}

bool PeepholeEditor::Rewrite(MachineInstr& instr, std::optional<Opcode> opcode,
                             absl::Span<const MachineOperand> sources, uint32_t flags) {
  if (!opcode.has_value() || !Supports(*opcode)) return false;
  // The same computation may have forms with more modifiers.
  const InstrDesc& desc = function_.target().Get(*opcode);
  if (desc.num_defs != 1 || desc.num_operands != sources.size() + 1) return false;
  MachineInstrBuilder builder = BuildMI(*instr.parent(), &instr, *opcode, instr.debug_loc());
  const Register result = instr.operand(0).reg();
  builder.AddDef(result).SetFlags(flags);
  for (const MachineOperand& source : sources) {
    builder.Add(ReadOf(source));
    NoteUse(source);
  }
  Push(*builder.Insert());
  NoteLostUses(instr);
  instr.EraseFromParent();
  PushUsers(result);
  return true;
}

Register PeepholeEditor::Insert(MachineInstr& before, Opcode opcode, RegClassId reg_class,
                                absl::Span<const MachineOperand> sources) {
  const Register result = reg_info_.CreateVirtualRegister(reg_class);
  MachineInstrBuilder builder = BuildMI(*before.parent(), &before, opcode, before.debug_loc());
  builder.AddDef(result);
  for (const MachineOperand& source : sources) {
    builder.Add(ReadOf(source));
    NoteUse(source);
  }
  Push(*builder.Insert());
  return result;
}

bool PeepholeEditor::SetOperand(MachineInstr& instr, unsigned operand, const MachineOperand& value) {
  MachineOperand& old = instr.operand(operand);
  if (old.is_use() && old.reg().is_virtual()) lost_a_use_.push_back(old.reg());
  const MachineOperand read = ReadOf(value);
  NoteUse(read);
  old.ChangeTo(read);
  Push(instr);
  return true;
}

bool PeepholeEditor::SetOpcode(MachineInstr& instr, Opcode opcode) {
  instr.set_opcode(opcode);
  Push(instr);
  return true;
}

bool PeepholeEditor::TakeResult(MachineInstr& producer, Opcode opcode, MachineInstr& consumer) {
  const Register result = consumer.operand(0).reg();
  PushUsers(result);
  NoteLostUses(consumer);
  consumer.EraseFromParent();
  DropDebugUses(reg_info_, producer.operand(0).reg());
  producer.set_opcode(opcode);
  producer.operand(0).SetReg(result);
  read_longer_.push_back(result);  // from an earlier place on, perhaps from outside of a loop
  Push(producer);
  return true;
}

void PeepholeEditor::Erase(MachineInstr& instr) {
  NoteLostUses(instr);
  instr.EraseFromParent();
}

bool PeepholeEditor::RemoveEdge(MachineBasicBlock& from, MachineBasicBlock& to) {
  RemovePhiIncomings(to, from, &lost_a_use_);
  from.RemoveSuccessor(&to);
  from.SetSuccessorProbability(0, BranchProbability::One());
  changed_control_flow_ = may_have_unreachable_blocks_ = true;
  return true;
}

bool PeepholeEditor::EraseUnreachableBlocks() {
  if (!std::exchange(may_have_unreachable_blocks_, false)) return false;
  if (ptxmir::EraseUnreachableBlocks(function_, &lost_a_use_) == 0) return false;
  EraseUnused();
  return true;
}

}  // namespace ptxmir::peephole
