// SPDX-License-Identifier: Apache-2.0

// The EmitTargetHooks of PTX. The custom inserter is a table of expanders, each with a test for its instructions:
//
//   warp       shfl and vote without .sync, which sm_70 no longer has, get the mask of the active lanes.
//   textures   If the handle of a texture or surface is a symbol but the instruction takes a register, the symbol is
//              moved into a register first.
//
// Surface instructions clamp coordinates themselves (.clamp, .zero, .trap), and sust.p converts formats. PTX leaves
// none of this to the compiler, although cicc's documentation says so.

#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/machine_model.h"
#include "sdag/emit/emit_target_hooks.h"
#include "sdag/emit/sub_registers.h"
#include "sdag/graph/type_classes.h"

namespace ptxmir::sdag {
namespace {

namespace op = ptx::op;

// Returns the form of a shuffle or a vote that takes a mask in a register, or 0 if there is none. The forms with masks
// are in the order of those without: each has one with the mask in a register and one with an immediate mask.
constexpr Opcode SyncForm(Opcode opcode) {
  if (opcode >= op::SHFL_UP_I32_rrr && opcode <= op::SHFL_IDX_F32p_rii) {
    return static_cast<Opcode>(op::SHFL_SYNC_UP_I32_rrrr + 2 * (opcode - op::SHFL_UP_I32_rrr));
  }
  if (opcode >= op::VOTE_ALL && opcode <= op::VOTE_BALLOT) {
    return static_cast<Opcode>(op::VOTE_SYNC_ALLr + 2 * (opcode - op::VOTE_ALL));
  }
  return 0;
}
static_assert(SyncForm(op::SHFL_UP_I32_rri) == op::SHFL_SYNC_UP_I32_rrir);
static_assert(SyncForm(op::SHFL_UP_F32p_rir) == op::SHFL_SYNC_UP_F32p_rirr);
static_assert(SyncForm(op::SHFL_DOWN_I32_rrr) == op::SHFL_SYNC_DOWN_I32_rrrr);
static_assert(SyncForm(op::SHFL_BFLY_I32p_rrr) == op::SHFL_SYNC_BFLY_I32p_rrrr);
static_assert(SyncForm(op::SHFL_IDX_F32_rrr) == op::SHFL_SYNC_IDX_F32_rrrr);
static_assert(SyncForm(op::SHFL_IDX_F32p_rii) == op::SHFL_SYNC_IDX_F32p_riir);
static_assert(SyncForm(op::VOTE_ANY) == op::VOTE_SYNC_ANYr);
static_assert(SyncForm(op::VOTE_UNI) == op::VOTE_SYNC_UNIr);
static_assert(SyncForm(op::VOTE_BALLOT) == op::VOTE_SYNC_BALLOTr);

bool NeedsMask(const MachineInstr& instr, const ptx::Subtarget* subtarget) {
  return subtarget != nullptr && subtarget->HasSm(70) && subtarget->HasPtx(62) && SyncForm(instr.opcode()) != 0;
}

void AddMask(MachineInstr& instr, const ptx::Subtarget*) {
  MachineBasicBlock& block = *instr.parent();
  const Register mask = block.function().reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
  BuildMI(block, &instr, op::ACTIVEMASK, instr.debug_loc()).AddDef(mask).Insert();
  MachineInstrBuilder builder = BuildMI(block, &instr, SyncForm(instr.opcode()), instr.debug_loc());
  for (const MachineOperand& operand : instr.operands()) {
    builder.Add(operand.is_reg() ? MachineOperand::CreateReg(operand.reg(), operand.reg_flags()) : operand);
  }
  builder.AddUse(mask, MachineOperand::kKill).SetFlags(instr.flags()).Insert();
  instr.EraseFromParent();
}

bool IsSymbolicHandle(const MachineInstr& instr, unsigned i) {
  const OperandDesc& desc = instr.function().target().Operands(instr.opcode())[i];
  const MachineOperand& operand = instr.operand(i);
  return desc.role == static_cast<uint8_t>(ptx::OperandRole::kHandle) && desc.type == OperandType::kRegister &&
         (operand.is_symbol() || operand.is_global());
}

bool NeedsHandle(const MachineInstr& instr, const ptx::Subtarget*) {
  constexpr uint32_t kWithHandle = ptx::Property::kTexture | ptx::Property::kSurface | ptx::Property::kQuery;
  if (!ptx::InstrInfo(instr.opcode()).Has(kWithHandle)) return false;
  const size_t num_operands = instr.function().target().Operands(instr.opcode()).size();
  for (unsigned i = 0; i < num_operands && i < instr.num_operands(); ++i) {
    if (IsSymbolicHandle(instr, i)) return true;
  }
  return false;
}

void LoadHandles(MachineInstr& instr, const ptx::Subtarget*) {
  MachineBasicBlock& block = *instr.parent();
  const size_t num_operands = instr.function().target().Operands(instr.opcode()).size();
  for (unsigned i = 0; i < num_operands && i < instr.num_operands(); ++i) {
    if (!IsSymbolicHandle(instr, i)) continue;
    const Register handle = block.function().reg_info().CreateVirtualRegister(ptx::reg_class::kB64);
    BuildMI(block, &instr, op::texsurf_handles, instr.debug_loc()).AddDef(handle).Add(instr.operand(i)).Insert();
    instr.operand(i).ChangeTo(MachineOperand::CreateReg(handle, MachineOperand::kKill));
  }
}

struct Expander {
  bool (*is_needed)(const MachineInstr&, const ptx::Subtarget*);
  void (*expand)(MachineInstr&, const ptx::Subtarget*);
};
constexpr Expander kExpanders[] = {
    {&NeedsMask, &AddMask},
    {&NeedsHandle, &LoadHandles},
};

bool NeedsCustomInserter(const MachineInstr& instr, const ptx::Subtarget* subtarget) {
  for (const Expander& expander : kExpanders) {
    if (expander.is_needed(instr, subtarget)) return true;
  }
  return false;
}

void CustomInserter(MachineInstr& instr, const ptx::Subtarget* subtarget) {
  for (const Expander& expander : kExpanders) {
    if (expander.is_needed(instr, subtarget)) return expander.expand(instr, subtarget);
  }
}

// Expands a copy of a register that only `mov` reads, such as %envreg3. postrapseudos has no move for these.
bool ExpandSpecialCopy(MachineInstr& instr) {
  if (!instr.is_copy()) return false;
  const Register source = instr.operand(1).reg();
  const TargetInfo& target = instr.function().target();
  if (!source.is_physical() || !target.IsMember(source.bits(), ptx::reg_class::kSpecialRegs) ||
      target.IsMember(source.bits(), ptx::reg_class::kB32)) {
    return false;
  }
  instr.set_opcode(op::MOV_SPECIAL);
  return true;
}

// PTX has no registers for uniform values at this level, so divergence does not matter.
std::optional<RegClassId> ClassFor(MVT type, bool) { return RegClassFor(type); }

bool IsExpensiveToCopy(RegClassId reg_class) { return !ptx::RegisterMoveOpcode(reg_class).has_value(); }

bool IsDeletable(const MachineInstr& instr) {
  return ptx::InstrInfo(instr.opcode()).is_deletable_if_unused() && !ptx::IsOrderedAccess(instr) &&
         !instr.is_inline_asm() && !instr.is_terminator();
}

constexpr EmitTargetHooks kHooks = {
    .needs_custom_inserter = &NeedsCustomInserter,
    .custom_inserter = &CustomInserter,
    .expand_post_ra_pseudo = &ExpandSpecialCopy,
    .insert_sub_register = &InsertSubRegister,
    .reg_class_for = &ClassFor,
    .is_expensive_to_copy = &IsExpensiveToCopy,
    .is_deletable_if_unused = &IsDeletable,
};

}  // namespace

const EmitTargetHooks& PtxEmitHooks() { return kHooks; }

}  // namespace ptxmir::sdag
