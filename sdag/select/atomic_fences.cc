#include "sdag/select/atomic_fences.h"

#include <string_view>
#include <vector>

namespace ptxmir::sdag {
namespace {

// Where other threads are: generic, global, shared, shared::cluster.
bool IsSharedBetweenThreads(unsigned space) { return space == 0 || space == 1 || space == 3 || space == 7; }

FenceScope ScopeOf(const MachineMemOperand& access) {
  const std::string_view scope = access.syncscope;
  if (scope == "block" || scope == "singlethread") return FenceScope::kBlock;
  if (scope == "cluster") return FenceScope::kCluster;
  return scope == "device" ? FenceScope::kDevice : FenceScope::kSystem;
}

SDValue Fence(SelectionDAG& dag, const SDNode& node, SDValue chain, AtomicOrdering order, FenceScope scope) {
  return dag.GetNode(isd::kAtomicFence, node.loc(), {MVT::kOther},
                     {chain, dag.GetTargetConstant(static_cast<uint64_t>(order), MVT::kI32),
                      dag.GetTargetConstant(static_cast<uint64_t>(scope), MVT::kI32)});
}

void FenceAccess(SelectionDAG& dag, SDNode* node, const MachineMemOperand& access, bool has_orders) {
  using Order = AtomicOrdering;
  const Order order = access.success_ordering;
  const bool is_consistent = order == Order::kSequentiallyConsistent;
  const bool is_load = node->opcode() == isd::kAtomicLoad || node->opcode() == isd::kLoad;
  const bool is_store = node->opcode() == isd::kAtomicStore || node->opcode() == isd::kStore;
  // These have an operand for their order.
  const bool is_exchange = node->opcode() == isd::kAtomicCmpSwap || node->opcode() == isd::kNvAtomicCmpSwapB128 ||
                           node->opcode() == isd::kNvAtomicSwapB128;
  const bool is_ordered_itself = has_orders && (is_load || is_store || is_exchange);
  const bool releases = order == Order::kRelease || order == Order::kAcquireRelease || is_consistent;
  const bool acquires = order == Order::kAcquire || order == Order::kAcquireRelease || is_consistent ||
                        access.failure_ordering == Order::kAcquire ||
                        access.failure_ordering == Order::kSequentiallyConsistent;
  const bool before = is_consistent || (releases && !is_ordered_itself && !is_load);
  const bool after = acquires && !is_ordered_itself && !is_store;
  const FenceScope scope = ScopeOf(access);
  if (before) {
    std::vector<SDValue> operands(node->operands().begin(), node->operands().end());
    operands[0] = Fence(dag, *node, operands[0], is_consistent ? order : Order::kAcquireRelease, scope);
    dag.UpdateNodeOperands(node, operands);
  }
  if (!after) return;
  for (unsigned i = 0; i < node->num_values(); ++i) {
    if (node->value_type(i) != MVT::kOther) continue;
    const SDValue chain(node, i);
    // The fence itself must go on hanging on the node.
    const SDValue fence = Fence(dag, *node, dag.EntryToken(), Order::kAcquireRelease, scope);
    dag.ReplaceAllUsesOfValueWith(chain, fence);
    std::vector<SDValue> operands(fence->operands().begin(), fence->operands().end());
    operands[0] = chain;
    dag.UpdateNodeOperands(fence.node(), operands);
  }
}

}  // namespace

void InsertAtomicFences(SelectionDAG& dag, const ptx::Subtarget& subtarget) {
  std::vector<SDNode*> ordered;
  for (SDNode& node : dag) {
    const auto* access = DynCast<MemSDNode>(&node);
    if (access == nullptr || node.payload_kind() != NodePayload::kMemory || !access->is_atomic()) continue;
    if (access->memoperand()->success_ordering > AtomicOrdering::kMonotonic ||
        access->memoperand()->failure_ordering > AtomicOrdering::kMonotonic) {
      if (IsSharedBetweenThreads(access->address_space()) && IsChain(node.operand(0))) ordered.push_back(&node);
    }
  }
  const bool has_orders = subtarget.HasSm(70) && subtarget.HasPtx(60);
  for (SDNode* node : ordered) {
    FenceAccess(dag, node, *static_cast<MemSDNode*>(node)->memoperand(), has_orders);
  }
}

}  // namespace ptxmir::sdag
