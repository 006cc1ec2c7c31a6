// SPDX-License-Identifier: Apache-2.0

#include "sdag/graph/sdnode.h"

#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {
namespace {

uint64_t MachineProperties(const TargetInfo& target, ptxmir::Opcode opcode) {
  if (opcode >= target.instrs.size()) return 0;
  struct Pair {
    uint32_t flag;
    uint64_t property;
  };
  constexpr Pair kPairs[] = {{InstrFlag::kCall, NodeProperty::kCall},
                             {InstrFlag::kTerminator, NodeProperty::kTerminator},
                             {InstrFlag::kCommutable, NodeProperty::kCommutative},
                             {InstrFlag::kSideEffects | InstrFlag::kMayStore, NodeProperty::kSideEffects},
                             {InstrFlag::kMeta, NodeProperty::kImplicit}};
  uint64_t properties = 0;
  const InstrDesc& desc = target.Get(opcode);
  for (const Pair& pair : kPairs) {
    if (desc.Has(pair.flag)) properties |= pair.property;
  }
  constexpr uint32_t kOrdered = InstrFlag::kSideEffects | InstrFlag::kMayStore | InstrFlag::kMayLoad |
                                InstrFlag::kCall | InstrFlag::kTerminator | InstrFlag::kConvergent |
                                InstrFlag::kNotDuplicable;
  if (desc.Has(kOrdered)) properties |= NodeProperty::kNoCse;
  switch (opcode) {
    case generic::kExtractSubreg:
    case generic::kInsertSubreg:
    case generic::kSubregToReg:
    case generic::kRegSequence:
      properties |= NodeProperty::kSubRegister;
      break;
    default:
      break;
  }
  return properties;
}

// Returns true if a register may be allocated: a virtual one, or a physical one of an allocatable class.
bool IsAllocatable(const TargetInfo& target, Register reg) {
  if (reg.is_virtual()) return true;
  for (size_t i = 0; i < target.reg_classes.size(); ++i) {
    if (target.reg_classes[i].allocatable && target.IsMember(reg.bits(), static_cast<RegClassId>(i))) return true;
  }
  return false;
}

}  // namespace

uint64_t OpcodeProperties(int16_t opcode, const TargetInfo& target) {
  return opcode < 0 ? MachineProperties(target, static_cast<ptxmir::Opcode>(~opcode)) : Desc(opcode).properties;
}

uint64_t SDNode::properties() const { return OpcodeProperties(opcode_, function().target()); }

bool SDNode::HasProperty(uint64_t property, unsigned operand_index) const {
  constexpr uint64_t kOfRegister = NodeProperty::kReservedReg | NodeProperty::kMachineReg | NodeProperty::kAllocatable;
  if ((property & NodeProperty::kImplicitGlueConsumer) != 0 && HasFlag(SDNodeFlags::kImplicitGlue)) return true;
  if ((property & kOfRegister) != 0) {
    const SDNode* node = num_operands_ == 0 ? this : operand(operand_index).node();
    const auto* reg = DynCast<RegisterSDNode>(node);
    if (reg != nullptr && reg->reg().is_valid()) {
      if ((property & NodeProperty::kMachineReg) != 0) return true;
      const bool allocatable = IsAllocatable(function().target(), reg->reg());
      if ((property & (allocatable ? NodeProperty::kAllocatable : NodeProperty::kReservedReg)) != 0) return true;
    }
    property &= ~kOfRegister;
  }
  return (properties() & property) != 0;
}

std::string_view SDNode::name() const {
  if (!is_machine_opcode()) return Desc(opcode_).name;
  const TargetInfo& target = function().target();
  return machine_opcode() < target.instrs.size() ? target.Name(machine_opcode()) : "<no such opcode>";
}

bool SDNode::HasChainResult() const {
  for (const MVT type : value_types()) {
    if (type == MVT::kOther) return true;
  }
  return false;
}

bool SDNode::HasAnyUseOfValue(unsigned resno) const {
  for (const SDUse* use = first_use(); use != nullptr; use = use->next()) {
    if (use->resno() == resno) return true;
  }
  return false;
}

bool SDNode::HasNUsesOfValue(unsigned n, unsigned resno) const {
  for (const SDUse* use = first_use(); use != nullptr; use = use->next()) {
    if (use->resno() != resno) continue;
    if (n == 0) return false;
    --n;
  }
  return n == 0;
}

size_t SDNode::CountUses() const {
  size_t count = 0;
  for (const SDUse* use = first_use(); use != nullptr; use = use->next()) ++count;
  return count;
}

bool SDNode::IsOperandOf(const SDNode& user) const {
  for (const SDUse& use : user.operands()) {
    if (use.node() == this) return true;
  }
  return false;
}

SDNode* SDNode::GluedNode() const {
  if (num_operands_ == 0) return nullptr;
  const SDValue last = operand(num_operands_ - 1);
  return last && last.type() == MVT::kGlue ? last.node() : nullptr;
}

SDNode* SDNode::GluedUser() const {
  if (!HasGlueResult()) return nullptr;
  for (const SDUse* use = first_use(); use != nullptr; use = use->next()) {
    if (use->resno() + 1u == num_values_) return use->user();
  }
  return nullptr;
}

SDValue SDNode::ChainOperand() const {
  for (const SDUse& use : operands()) {
    if (IsChain(use)) return use;
  }
  return SDValue();
}

absl::int128 ConstantSDNode::SExtValue128() const {
  const unsigned bits = width();
  const absl::uint128 raw = value();
  if (bits == 0 || bits >= 128) return static_cast<absl::int128>(raw);
  const absl::uint128 sign = absl::uint128(1) << (bits - 1);
  return static_cast<absl::int128>((raw ^ sign) - sign);
}

std::string_view ExternalSymbolSDNode::text() const { return function().machine_function().symbol(symbol()); }

std::string_view IntrinsicSDNode::intrinsic_name() const { return function().machine_function().symbol(symbol()); }

unsigned MemSDNode::address_space() const { return memoperand() == nullptr ? 0 : memoperand()->address_space; }

SDValue MemSDNode::base_pointer() const {
  switch (opcode()) {
    case isd::kStore:
    case isd::kAtomicStore:
      return operand(2);
    default:
      return operand(1);
  }
}

}  // namespace ptxmir::sdag
