// SPDX-License-Identifier: Apache-2.0

// The machine model of each GPU generation, from the generated tables. See machine_model.h.

#include "ptx/target/machine_model.h"

#include <vector>

#include "base/str_cat.h"
#include "mir/code/inline_asm.h"
#include "ptx/target/inline_asm_effects.h"
#include "ptx/target/isa_tables.h"

namespace ptxmir::ptx {
namespace {

void Column(std::string& out, std::string_view text, size_t width) {
  StrAppend(&out, text, std::string(width > text.size() ? width - text.size() : 0, ' '));
}

}  // namespace

std::string_view LatencyClassName(LatencyClass latency_class) {
  return isa::kStrings + isa::kLatencyNames[static_cast<unsigned>(latency_class)];
}

std::string_view FunctionalUnitName(FunctionalUnit unit) {
  return isa::kStrings + isa::kUnitNames[static_cast<unsigned>(unit)];
}

MemorySpace MemorySpaceOf(const MachineInstr& instr) {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (info.space != MemorySpace::kOperand) return info.space;
  if (info.address_space >= instr.num_operands()) return MemorySpace::kUnknown;
  const MachineOperand& code = instr.operand(info.address_space);
  return code.is_imm() ? AddressSpaceFromCode(code.imm()) : MemorySpace::kUnknown;
}

bool IsOrderedAccess(const MachineInstr& instr) {
  const uint8_t ordering = InstrInfo(instr.opcode()).ordering;
  if (ordering >= instr.num_operands()) return false;
  const MachineOperand& code = instr.operand(ordering);
  return !code.is_imm() || code.imm() != 0;
}

LatencyClass LatencyClassOf(const MachineInstr& instr) {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (info.latency != LatencyClass::kLd) return info.latency;
  switch (MemorySpaceOf(instr)) {
    case MemorySpace::kShared:
    case MemorySpace::kSharedCluster:
      return LatencyClass::kLdShared;
    case MemorySpace::kConst:
    case MemorySpace::kParam:
      return LatencyClass::kLdConst;
    default:
      return info.latency;
  }
}

MachineModel::MachineModel(const isa::MachineRow& row) : sm_(row.sm), name_(FindSm(StrCat("sm_", row.sm))->name) {
  for (size_t i = 0; i < costs_.size(); ++i) costs_[i] = {row.costs[i].latency, row.costs[i].issue, row.costs[i].unit};
}

absl::Span<const MachineModel> MachineModel::All() {
  static const std::vector<MachineModel>& models = *[] {
    auto* const all = new std::vector<MachineModel>();
    for (int i = 0; i < kNumMachines; ++i) all->push_back(MachineModel(isa::kMachines[i]));
    return all;
  }();
  return models;
}

const MachineModel& MachineModel::For(const SmInfo& sm) {
  const absl::Span<const MachineModel> all = All();
  size_t newest = 0;
  for (size_t i = 1; i < all.size() && all[i].sm() <= sm.number; ++i) newest = i;
  return all[newest];
}

const MachineModel& MachineModel::For(const Subtarget* subtarget) {
  return subtarget == nullptr ? Default() : For(subtarget->sm());
}

const MachineModel& MachineModel::Default() {
  static const MachineModel& model = For(*FindSm("sm_80"));
  return model;
}

InstrCost MachineModel::CostOf(const MachineInstr& instr) const {
  if (!instr.is_inline_asm()) return CostOf(LatencyClassOf(instr));
  const bool has_text = instr.num_operands() > 0 && instr.operand(0).is_symbol();
  const unsigned count = has_text ? CountInstructions(InlineAsmText(instr)) : 1;
  InstrCost cost = CostOf(LatencyClass::kAlu);
  cost.latency *= count;
  cost.issue *= count;
  return cost;
}

std::string MachineModelTable(const SmInfo& sm) {
  const MachineModel& model = MachineModel::For(sm);
  const SmLimits& limits = sm.limits;
  std::string out = StrCat(sm.name, ": ", model.num_schedulers(), " schedulers, costs of ", model.name(), "\n");
  StrAppend(&out, "registers: ", limits.registers, ", at most ", limits.max_registers, " a thread, in units of ",
            limits.register_granularity, "\n", "resident: ", limits.max_warps, " warps, ", limits.max_ctas, " CTAs\n",
            "shared memory: ", limits.shared_bytes, " bytes, at most ", limits.max_shared_bytes, " a CTA, in units of ",
            limits.shared_granularity, ", ", limits.reserved_shared, " reserved\n",
            "class        unit     latency  issue\n");
  for (int i = 0; i < kNumLatencyClasses; ++i) {
    const auto latency_class = static_cast<LatencyClass>(i);
    const InstrCost cost = model.CostOf(latency_class);
    Column(out, LatencyClassName(latency_class), 13);
    Column(out, FunctionalUnitName(cost.unit), 9);
    Column(out, StrCat(cost.latency), 9);
    StrAppend(&out, cost.issue, "\n");
  }
  return out;
}

}  // namespace ptxmir::ptx
