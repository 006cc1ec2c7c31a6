// SPDX-License-Identifier: Apache-2.0

#include "passes/memory/address_spaces.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "ir/address_space.h"
#include "ir/ir_nvvm.h"
#include "ir/module.h"
#include "mir/code/function_ir.h"
#include "mir/code/operand_ranges.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/opcode_forms.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using ptx::InstrInfo;
using ptx::MemorySpace;
using ptx::Property;
using ptx::PtxInstrInfo;
using ptx::SemanticTag;

struct ConversionRow {
  MemorySpace space;
  SemanticTag to_generic;
  SemanticTag from_generic;
};
constexpr ConversionRow kConversions[] = {
    {MemorySpace::kConst, SemanticTag::kCvtaConstU64, SemanticTag::kCvtaToConstU64},
    {MemorySpace::kGlobal, SemanticTag::kCvtaGlobalU64, SemanticTag::kCvtaToGlobalU64},
    {MemorySpace::kLocal, SemanticTag::kCvtaLocalU64, SemanticTag::kCvtaToLocalU64},
    {MemorySpace::kParam, SemanticTag::kCvtaParamU64, SemanticTag::kCvtaToParamU64},
    {MemorySpace::kShared, SemanticTag::kCvtaSharedU64, SemanticTag::kCvtaToSharedU64},
    {MemorySpace::kSharedCluster, SemanticTag::kCvtaSharedClusterU64, SemanticTag::kCvtaToSharedClusterU64},
};

// How an instruction makes an address of another one.
enum class PointerStep : uint8_t { kNone, kMove, kAdd, kSubtract, kSelect, kMultiplyAdd };

PointerStep PointerStepOf(const MachineInstr& instr) {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (instr.is_copy() || info.is_move()) return PointerStep::kMove;
  switch (info.semantics) {
    case SemanticTag::kAddS64:
    case SemanticTag::kAddU64:
      return PointerStep::kAdd;
    case SemanticTag::kOrB64:
      return instr.has_flag(MachineInstr::kDisjoint) ? PointerStep::kAdd : PointerStep::kNone;
    case SemanticTag::kSubS64:
      return PointerStep::kSubtract;
    case SemanticTag::kSelpB64:
      return PointerStep::kSelect;
    case SemanticTag::kMadLoS64:
    case SemanticTag::kMadWideS32:
    case SemanticTag::kMadWideU32:
      return PointerStep::kMultiplyAdd;
    default:
      return PointerStep::kNone;
  }
}

}  // namespace

AddressConversion AddressConversionOf(const MachineInstr& instr) {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (!info.is_address_conversion()) return {};
  for (const ConversionRow& row : kConversions) {
    if (info.semantics == row.to_generic) return {.space = row.space, .is_to_generic = true};
    if (info.semantics == row.from_generic) return {.space = row.space, .is_to_generic = false};
  }
  return {};
}

Opcode ConversionOpcode(const AddressConversion& conversion) {
  const auto* const row = std::find_if(std::begin(kConversions), std::end(kConversions),
                                       [&](const ConversionRow& other) { return other.space == conversion.space; });
  return ptx::OpcodesWith(conversion.is_to_generic ? row->to_generic : row->from_generic).front();
}

AddressSpaces::AddressSpaces(const MachineFunction& function, const MemoryDependence& memory)
    : function_(function),
      reg_info_(function.reg_info()),
      memory_(memory),
      is_launched_by_cuda_(IsKernelFunction(function) &&
                           DriverInterfaceOf(*function.module()) == DriverInterface::kCuda),
      states_(reg_info_.num_virtual_registers(), kUndetermined) {
  Solve();
}

MemorySpace AddressSpaces::SpaceOf(Register reg) const {
  if (!reg.is_virtual() || reg.virtual_index() >= states_.size()) return MemorySpace::kUnknown;
  const State& state = states_[reg.virtual_index()];
  return state.kind == Kind::kInSpace ? state.space : MemorySpace::kUnknown;
}

bool AddressSpaces::IsOrigin(const MachineInstr& def) const {
  if (AddressConversionOf(def).is_to_generic || InstrInfo(def.opcode()).reads_memory()) return true;
  return PointerStepOf(def) == PointerStep::kAdd && def.operand(1).is_frame_index();
}

AddressSpaces::Operands AddressSpaces::AddressOperands(const MachineInstr& def) const {
  Operands operands;
  if (IsOrigin(def)) return operands;
  // Whatever else the definition reads is an offset or a predicate; see Evaluate.
  for (unsigned i = def.num_explicit_defs(); i < def.num_operands(); ++i) {
    const MachineOperand& operand = def.operand(i);
    if (IsVirtualRead(operand) && SpaceOf(operand.reg()) != MemorySpace::kUnknown) operands.push_back(i);
  }
  return operands;
}

// ---- Propagation

bool AddressSpaces::IsTracked(Register reg) const {
  return reg.is_virtual() && reg_info_.reg_class(reg) == ptx::reg_class::kB64;
}

void AddressSpaces::Solve() {
  std::vector<Register> worklist;
  std::vector<bool> is_waiting(states_.size());
  const auto add = [&](Register reg) {
    if (!IsTracked(reg) || is_waiting[reg.virtual_index()]) return;
    is_waiting[reg.virtual_index()] = true;
    worklist.push_back(reg);
  };
  for (const MachineBasicBlock& block : function_) {
    for (const MachineInstr& instr : block) {
      for (const MachineOperand& def : VirtualDefs(instr)) add(def.reg());
    }
  }
  // Each state changes at most twice. Definitions come before uses in most code, so the first pass finds nearly all.
  for (size_t i = 0; i < worklist.size(); ++i) {
    const Register reg = worklist[i];
    is_waiting[reg.virtual_index()] = false;
    const MachineInstr* const def = reg_info_.UniqueDef(reg);
    const State state = def == nullptr ? kAnything : Evaluate(*def);
    if (state == states_[reg.virtual_index()]) continue;
    states_[reg.virtual_index()] = state;
    for (const MachineOperand& use : reg_info_.NonDebugUses(reg)) {
      const MachineInstr& user = *use.parent();
      if (user.num_operands() > 0 && user.operand(0).is_def()) add(user.operand(0).reg());
    }
  }
}

AddressSpaces::State AddressSpaces::Meet(const State& a, const State& b) {
  if (a.kind == Kind::kUndetermined || a == b) return b;
  return b.kind == Kind::kUndetermined ? a : kAnything;
}

AddressSpaces::State AddressSpaces::Sum(const State& a, const State& b) {
  if (a.kind == Kind::kUnknown || b.kind == Kind::kUnknown) return kAnything;
  if (a.kind == Kind::kUndetermined || b.kind == Kind::kUndetermined) return kUndetermined;
  if (a.kind == Kind::kOffset) return b;
  return b.kind == Kind::kOffset ? a : kAnything;
}

AddressSpaces::State AddressSpaces::Difference(const State& a, const State& b) {
  if (a.kind == Kind::kInSpace && a == b) return kOffset;
  return b.kind == Kind::kInSpace ? kAnything : Sum(a, b);
}

AddressSpaces::State AddressSpaces::StateOf(const MachineOperand& operand) const {
  if (operand.is_imm() || operand.is_fp_imm()) return kOffset;
  if (!operand.is_reg() || !operand.reg().is_virtual()) return kAnything;
  if (operand.is_undef()) return kUndetermined;
  if (IsTracked(operand.reg())) return states_[operand.reg().virtual_index()];
  // An address does not fit into fewer bits. What puts halves together is not an offset; see EvaluateOther.
  return reg_info_.reg_class(operand.reg()) == ptx::reg_class::kB128 ? kAnything : kOffset;
}

AddressSpaces::State AddressSpaces::Evaluate(const MachineInstr& def) const {
  if (def.is_implicit_def()) return kUndetermined;
  if (def.is_phi()) return EvaluatePhi(def);
  if (def.num_explicit_defs() != 1 || def.num_operands() < 2) return EvaluateOther(def);
  const AddressConversion conversion = AddressConversionOf(def);
  if (conversion.space != MemorySpace::kUnknown) {
    return conversion.is_to_generic && IsVirtualRead(def.operand(1)) ? InSpace(conversion.space) : kAnything;
  }
  switch (PointerStepOf(def)) {
    case PointerStep::kMove:
      return StateOf(def.operand(1));
    case PointerStep::kAdd:
      if (def.operand(1).is_frame_index()) return InSpace(MemorySpace::kLocal);
      return Sum(StateOf(def.operand(1)), StateOf(def.operand(2)));
    case PointerStep::kSubtract:
      return Difference(StateOf(def.operand(1)), StateOf(def.operand(2)));
    case PointerStep::kSelect:
      return Meet(StateOf(def.operand(1)), StateOf(def.operand(2)));
    case PointerStep::kMultiplyAdd: {
      const State product = Meet(StateOf(def.operand(1)), StateOf(def.operand(2)));
      return product.kind == Kind::kInSpace ? kAnything : Sum(product, StateOf(def.operand(3)));
    }
    case PointerStep::kNone:
      return InstrInfo(def.opcode()).reads_memory() ? EvaluateLoad(def) : EvaluateOther(def);
  }
  return kAnything;
}

AddressSpaces::State AddressSpaces::EvaluatePhi(const MachineInstr& phi) const {
  State state = kUndetermined;
  for (const PhiIncoming incoming : PhiIncomings(phi)) state = Meet(state, StateOf(incoming.value()));
  return state;
}

bool AddressSpaces::IsPointerParameter(int64_t number) const {
  const IrParameter& parameter = FindIrFunction(function_)->parameters[static_cast<size_t>(number)];
  return parameter.type != nullptr && parameter.type->is_pointer() && parameter.ByValType() == nullptr &&
         parameter.type->address_space() == address_space::kGeneric;
}

AddressSpaces::State AddressSpaces::EvaluateLoad(const MachineInstr& load) const {
  const PtxInstrInfo& info = InstrInfo(load.opcode());
  int64_t bits = info.access_bits;
  if (info.width < load.num_operands() && load.operand(info.width).is_imm()) bits = load.operand(info.width).imm();
  if (bits > 0 && bits <= 32) return kOffset;
  const std::optional<int64_t> parameter = memory_.LoadedParameter(load);
  const bool is_kernels = is_launched_by_cuda_ && parameter.has_value() && bits == 64 && info.num_values == 1;
  if (!is_kernels) return kAnything;
  if (IsPointerParameter(*parameter)) return InSpace(MemorySpace::kGlobal);
  const IrType* const type = FindIrFunction(function_)->parameters[static_cast<size_t>(*parameter)].type;
  // The caller of a kernel knows no address outside of global memory, so its integers cannot hold one.
  return type != nullptr && type->is_integer() ? kOffset : kAnything;
}

// Returns the state of what is neither an address nor made of one by a known step: an offset, if all operands are.
AddressSpaces::State AddressSpaces::EvaluateOther(const MachineInstr& def) const {
  const PtxInstrInfo& info = InstrInfo(def.opcode());
  const bool may_make_addresses = !info.is_pure() || info.Has(Property::kFrame | Property::kCvta) ||
                                  info.family == ptx::Family::kMovPack || def.num_explicit_defs() != 1;
  if (may_make_addresses) return kAnything;
  State state = kOffset;
  for (unsigned i = 1; i < def.num_operands(); ++i) {
    const State operand = StateOf(def.operand(i));
    if (operand.kind == Kind::kUnknown || operand.kind == Kind::kInSpace) return kAnything;
    if (operand.kind == Kind::kUndetermined) state = kUndetermined;
  }
  return state;
}

}  // namespace ptxmir
