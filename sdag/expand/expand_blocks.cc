// SPDX-License-Identifier: Apache-2.0

#include "sdag/expand/expand_blocks.h"

#include <vector>

#include "sdag/expand/expanders.h"

namespace ptxmir::sdag {
namespace {

enum class Kind : uint8_t { kAtomic, kMemory, kMasked };

struct Candidate {
  SDNode* node;
  Kind kind;
};

std::vector<SDNode*> NodesToAskFor(SelectionDAG& dag) {
  std::vector<SDNode*> nodes;
  for (SDNode& node : dag) {
    if (node.is_machine_opcode()) continue;
    const uint64_t properties = Desc(node.opcode()).properties;
    if ((properties & NodeProperty::kAtomicRmw) == NodeProperty::kAtomicRmw ||
        node.payload_kind() == NodePayload::kIntrinsic || node.opcode() == isd::kMaskedLoad ||
        node.opcode() == isd::kMaskedStore) {
      nodes.push_back(&node);
    }
  }
  return nodes;
}

absl::Status Expand(CrossBlockValues& values, const Candidate& candidate) {
  switch (candidate.kind) {
    case Kind::kAtomic:
      return ExpandAtomic(values, *candidate.node);
    case Kind::kMemory:
      return ExpandMemoryIntrinsic(values, *candidate.node);
    case Kind::kMasked:
      return ExpandMasked(values, *candidate.node);
  }
  return absl::OkStatus();
}

void ExpandInPlace(SelectionDAG& dag, const std::vector<SDNode*>& nodes, const ISelOptions& options) {
  // A node whose operands change may become equal to another one, and is then deleted.
  DeletedNodes deleted(dag);
  for (SDNode* node : nodes) {
    if (deleted.contains(node)) continue;
    if (IsAtomicOnLocalMemory(*node)) {
      LoadAndStore(dag, *node);
    } else if (IsBitwiseOnPartOfWord(*node)) {
      UpdateWord(dag, *node);
    } else if (IsMaskedByConstants(*node)) {
      ExpandConstantMask(dag, *node);
    } else if (IsUnsupportedScopedAddition(*node, options)) {
      ReplaceScopedAddition(dag, *node);
    }
  }
}

absl::Status ExpandBlock(CrossBlockValues& values, SelectionDAG& dag, const ISelOptions& options) {
  if (!dag.misuse().ok()) return dag.misuse();
  std::vector<SDNode*> nodes = NodesToAskFor(dag);
  if (nodes.empty()) return absl::OkStatus();
  ExpandInPlace(dag, nodes, options);
  dag.RemoveDeadNodes();
  if (dag.AssignTopologicalOrder() < 0) return absl::InvalidArgumentError("the DAG has a cycle");
  nodes = NodesToAskFor(dag);
  std::vector<Candidate> candidates;
  for (SDNode* node : nodes) {
    if (NeedsMaskBranches(*node)) {
      candidates.push_back({node, Kind::kMasked});
    } else if (node->payload_kind() == NodePayload::kIntrinsic) {
      if (NeedsMemoryLoop(*node)) candidates.push_back({node, Kind::kMemory});
    } else if (NeedsAtomicLoop(dag, *node, options)) {
      candidates.push_back({node, Kind::kAtomic});
    }
  }
  // Remove the nodes that were made only to ask if they can be selected.
  dag.RemoveDeadNodes();
  // The last node first. Nodes after it move to another block, but none of them is left to be expanded.
  for (auto candidate = candidates.rbegin(); candidate != candidates.rend(); ++candidate) {
    const absl::Status status = Expand(values, *candidate);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExpandBlocks(DagFunction& dags, const ISelOptions& options) {
  std::vector<BlockNumber> blocks;
  for (const MachineBasicBlock& block : dags.machine_function()) blocks.push_back(block.number());
  CrossBlockValues values(dags, *options.subtarget);
  for (const BlockNumber block : blocks) {
    SelectionDAG* dag = dags.FindDag(block);
    if (dag == nullptr) continue;
    if (absl::Status status = ExpandBlock(values, *dag, options); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace ptxmir::sdag
