// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat_values.h"

#include <algorithm>

#include "analysis/pressure/register_pressure.h"
#include "ptx/isa/register_classes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

// The most definitions of one instruction. A clone has all of them, but only one is used.
constexpr unsigned kMaxDefinitions = 2;

// Returns the number of registers of a file per class, as the pressure analysis counts them.
std::vector<uint32_t> UnitsByClass(const TargetInfo& target, RegisterFile file) {
  const PressureClassMap classes(target);
  std::vector<uint32_t> units(256, 0);
  for (size_t i = 0; i < units.size(); ++i) {
    const RegClassId id = static_cast<RegClassId>(i);
    if (!classes.IsCounted(id)) continue;
    units[i] = file == RegisterFile::kPredicates ? id == ptx::reg_class::kB1 : kPressureUnits[classes[id]];
  }
  return units;
}

}  // namespace

RematValues::RematValues(MachineFunction& function, PassContext& context, RegisterFile file)
    : function_(function),
      context_(context),
      reg_info_(function.reg_info()),
      loads_(context.knobs.load_remat()),
      parameter_loads_(context.knobs.remat_load_param()),
      address_conversions_(!context.knobs.vasp_fix1()),
      load_cost_(static_cast<uint32_t>(context.knobs.nv_remat_block_load_cost())),
      units_(UnitsByClass(function.target(), file)) {}

MachineInstr* RematValues::FindDefinition(Register reg) {
  const uint32_t index = reg.virtual_index();
  if (index >= answers_.size()) answers_.resize(std::max<size_t>(index + 1, reg_info_.num_virtual_registers()));
  MachineInstr* const definition = reg_info_.UniqueDef(reg);
  answers_[index] = {definition != nullptr && CanClone(*definition) ? definition : nullptr, true};
  return answers_[index].definition;
}

bool RematValues::CanClone(const MachineInstr& instr) {
  if (instr.is_phi() || instr.is_inline_asm() || instr.is_terminator()) return false;
  // All users of an undefined value may rely on reading the same value (LLVM's freeze).
  if (instr.is_implicit_def()) return false;
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  constexpr uint32_t kTied = ptx::Property::kCarryin | ptx::Property::kCarryout | ptx::Property::kProxy |
                             ptx::Property::kVolatile | ptx::Property::kSide;
  const bool is_value =
      info.is_rematerializable() && !info.Has(kTied) && (address_conversions_ || !info.is_address_conversion());
  return HasPlainOperands(instr) && (is_value || IsCloneableLoad(instr));
}

bool RematValues::HasPlainOperands(const MachineInstr& instr) const {
  if (const InstrExtra* extra = instr.extra(); extra != nullptr) {
    // A label identifies a single place.
    if (extra->pre_instr_symbol != InstrExtra::kNone || extra->post_instr_symbol != InstrExtra::kNone) return false;
  }
  unsigned num_definitions = 0;
  for (const MachineOperand& operand : instr.operands()) {
    if (!operand.is_reg() || !operand.reg().is_valid()) continue;
    if (operand.is_tied() || operand.is_early_clobber()) return false;
    if (operand.is_def()) {
      if (!operand.reg().is_virtual() || ++num_definitions > kMaxDefinitions) return false;
    } else if (!operand.reg().is_virtual() && !reg_info_.Defs(operand.reg()).empty()) {
      return false;
    }
  }
  return num_definitions > 0;
}

bool RematValues::IsCloneableLoad(const MachineInstr& instr) {
  if (!loads_ || !ptx::InstrInfo(instr.opcode()).is_rematerializable_load() || ptx::IsOrderedAccess(instr)) {
    return false;
  }
  if (instr.num_explicit_defs() != 1) return false;
  if (!parameter_loads_ && ptx::MemorySpaceOf(instr) == ptx::MemorySpace::kParam) return false;
  if (memory_ == nullptr) memory_ = &context_.analyses.Get<MemoryDependence>();
  return memory_->ReadsConstantMemory(instr);
}

uint32_t RematValues::Cost(const MachineInstr& instr) const {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (info.reads_memory()) return load_cost_;
  if (info.is_cheap() && !info.is_special_register_read()) return 1;
  // The issue cycles of most instructions.
  constexpr uint32_t kPlainIssue = 2;
  return std::max<uint32_t>(1, ptx::MachineModel::Default().CostOf(info.latency).issue / kPlainIssue);
}

}  // namespace ptxmir
