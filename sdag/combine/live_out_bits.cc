// SPDX-License-Identifier: Apache-2.0

#include "sdag/combine/live_out_bits.h"

#include "mir/code/operand_ranges.h"
#include "sdag/combine/known_bits.h"

namespace ptxmir::sdag {
namespace {

// Returns the virtual register that a copy names, or null.
const RegisterSDNode* CopiedRegister(const SDNode& node) {
  const auto* reg = DynCast<RegisterSDNode>(node.operand(1));
  return reg != nullptr && reg->reg().is_virtual() ? reg : nullptr;
}
bool IsTracked(MVT type) { return type == MVT::kI16 || type == MVT::kI32 || type == MVT::kI64; }

}  // namespace

LiveOutBits::LiveOutBits(const DagFunction& dags) {
  const auto define = [&](size_t index) {
    if (index >= infos_.size()) infos_.resize(index + 1);
    if (infos_[index].definitions < 2) ++infos_[index].definitions;
  };
  for (const MachineBasicBlock& block : dags.machine_function()) {
    for (const MachineInstr& instr : block) {
      for (const MachineOperand& def : VirtualDefs(instr)) {
        define(def.reg().virtual_index());
        define(def.reg().virtual_index());  // defined by an instruction: count it twice, so that nothing is known
      }
    }
    const SelectionDAG* dag = dags.FindDag(block.number());
    if (dag == nullptr) continue;
    for (const SDNode& node : *dag) {
      const RegisterSDNode* reg = node.opcode() == isd::kCopyToReg ? CopiedRegister(node) : nullptr;
      if (reg != nullptr) define(reg->reg().virtual_index());
    }
  }
}

void LiveOutBits::AssertInputs(SelectionDAG& dag) const {
  std::vector<SDNode*> copies;
  for (SDNode& node : dag) {
    if (node.opcode() == isd::kCopyFromReg && IsTracked(node.value_type(0))) copies.push_back(&node);
  }
  for (SDNode* copy : copies) {
    const RegisterSDNode* reg = CopiedRegister(*copy);
    if (reg == nullptr || reg->reg().virtual_index() >= infos_.size()) continue;
    const unsigned bits = infos_[reg->reg().virtual_index()].bits;
    const SDValue value(copy, 0);
    if (bits == 0 || bits >= SizeInBits(value.type()) || value.use_empty()) continue;
    const SDValue assertion =
        dag.GetNode(isd::kAssertZext, copy->loc(), value.type(), {value, dag.GetValueType(EVT::Integer(bits))});
    dag.ReplaceAllUsesOfValueWith(value, assertion);
    // This replaced the use by the assertion as well. Restore it.
    const SDValue operands[] = {value, assertion.operand(1)};
    dag.UpdateNodeOperands(assertion.node(), operands);
  }
}

void LiveOutBits::Record(const SelectionDAG& dag) {
  for (const SDNode& node : const_cast<SelectionDAG&>(dag)) {
    const RegisterSDNode* reg = node.opcode() == isd::kCopyToReg ? CopiedRegister(node) : nullptr;
    if (reg == nullptr || !IsTracked(node.operand(2).type())) continue;
    Info& info = infos_[reg->reg().virtual_index()];
    if (info.definitions != 1) continue;
    absl::uint128 most = ComputeKnownBits(node.operand(2)).UnsignedMax();
    // A constant 0 has no bits, but an assertion names at least one.
    unsigned bits = 1;
    for (most >>= 1; most != 0; most >>= 1) ++bits;
    info.bits = static_cast<uint8_t>(bits);
  }
}

}  // namespace ptxmir::sdag
