// SPDX-License-Identifier: Apache-2.0

#include "sdag/select/atomic_fences.h"

#include <vector>

#include "ir/address_space.h"
#include "mir/code/memory_scope.h"

namespace ptxmir::sdag {
namespace {

// Returns the scope of a fence around an access. For a scope that PTX does not have, that is the whole system.
MemoryScope ScopeOf(const MachineMemOperand& access) {
  return ScopeFromSyncscope(access.syncscope).value_or(MemoryScope::kSys);
}

SDValue Fence(SelectionDAG& dag, SDLoc loc, SDValue chain, AtomicOrdering order, MemoryScope scope) {
  return dag.GetNode(isd::kAtomicFence, loc, {MVT::kOther},
                     {chain, dag.GetTargetConstant(static_cast<uint64_t>(order), MVT::kI32),
                      dag.GetTargetConstant(static_cast<uint64_t>(scope), MVT::kI32)});
}

bool Releases(AtomicOrdering order) {
  return order == AtomicOrdering::kRelease || order == AtomicOrdering::kAcquireRelease ||
         order == AtomicOrdering::kSequentiallyConsistent;
}

bool Acquires(AtomicOrdering order) {
  return order == AtomicOrdering::kAcquire || order == AtomicOrdering::kAcquireRelease ||
         order == AtomicOrdering::kSequentiallyConsistent;
}

void FenceAccess(SelectionDAG& dag, SDNode* node, const MachineMemOperand& access, bool has_orders) {
  using Order = AtomicOrdering;
  const Order order = access.MergedOrdering();
  const bool is_consistent = order == Order::kSequentiallyConsistent;
  const bool is_load = node->opcode() == isd::kAtomicLoad || node->opcode() == isd::kLoad;
  const bool is_store = node->opcode() == isd::kAtomicStore || node->opcode() == isd::kStore;
  // These have an operand for their order.
  const bool is_exchange = node->opcode() == isd::kAtomicCmpSwap || node->opcode() == isd::kNvAtomicCmpSwapB128 ||
                           node->opcode() == isd::kNvAtomicSwapB128;
  const bool is_ordered_itself = has_orders && (is_load || is_store || is_exchange);
  const bool before = is_consistent || (Releases(order) && !is_ordered_itself && !is_load);
  const bool after = Acquires(order) && !is_ordered_itself && !is_store;
  const MemoryScope scope = ScopeOf(access);
  if (before) {
    std::vector<SDValue> operands(node->operands().begin(), node->operands().end());
    operands[0] = Fence(dag, node->loc(), operands[0], is_consistent ? order : Order::kAcquireRelease, scope);
    dag.UpdateNodeOperands(node, operands);
  }
  if (!after) return;
  for (unsigned i = 0; i < node->num_values(); ++i) {
    if (node->value_type(i) != MVT::kOther) continue;
    const SDValue chain(node, i);
    // The replacement also changes the operand of the fence itself, which is restored below.
    const SDValue fence = Fence(dag, node->loc(), dag.EntryToken(), Order::kAcquireRelease, scope);
    dag.ReplaceAllUsesOfValueWith(chain, fence);
    std::vector<SDValue> operands(fence->operands().begin(), fence->operands().end());
    operands[0] = chain;
    dag.UpdateNodeOperands(fence.node(), operands);
  }
}

}  // namespace

SDValue FenceBeforeAccess(SelectionDAG& dag, SDLoc loc, SDValue chain, const MachineMemOperand& access) {
  const AtomicOrdering order = access.MergedOrdering();
  if (!Releases(order) || !address_space::IsSharedBetweenThreads(access.address_space)) return chain;
  const bool is_consistent = order == AtomicOrdering::kSequentiallyConsistent;
  return Fence(dag, loc, chain, is_consistent ? order : AtomicOrdering::kAcquireRelease, ScopeOf(access));
}

SDValue FenceBehindAccess(SelectionDAG& dag, SDLoc loc, SDValue chain, const MachineMemOperand& access) {
  if (!Acquires(access.MergedOrdering()) || !address_space::IsSharedBetweenThreads(access.address_space)) return chain;
  return Fence(dag, loc, chain, AtomicOrdering::kAcquireRelease, ScopeOf(access));
}

void InsertAtomicFences(SelectionDAG& dag, const ptx::Subtarget& subtarget) {
  std::vector<SDNode*> ordered;
  for (SDNode& node : dag) {
    const auto* access = DynCast<MemSDNode>(&node);
    if (access == nullptr || node.payload_kind() != NodePayload::kMemory || !access->is_atomic()) continue;
    if (access->memoperand()->MergedOrdering() > AtomicOrdering::kMonotonic) {
      if (address_space::IsSharedBetweenThreads(access->address_space()) && IsChain(node.operand(0))) {
        ordered.push_back(&node);
      }
    }
  }
  const bool has_orders = subtarget.HasSm(70) && subtarget.HasPtx(60);
  for (SDNode* node : ordered) {
    FenceAccess(dag, node, *static_cast<MemSDNode*>(node)->memoperand(), has_orders);
  }
}

}  // namespace ptxmir::sdag
