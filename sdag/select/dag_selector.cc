// SPDX-License-Identifier: Apache-2.0

// Nodes are selected users first, as in LLVM. A node that its user folds (a constant, an address, an operation) has
// no use left when it is reached, and is deleted. The walk goes over a list of the nodes in topological order, from
// its end. Nodes that are deleted in the meantime are removed from the list.

#include "sdag/select/dag_selector.h"

#include <optional>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"
#include "sdag/emit/instr_emitter.h"
#include "sdag/graph/type_classes.h"
#include "sdag/select/atomic_fences.h"
#include "sdag/select/rule_matcher.h"
#include "sdag/text/dag_writer.h"

namespace ptxmir::sdag {
namespace {

// Returns true for nodes that InstrEmitter accepts as they are.
bool NeedsNoSelection(const SDNode& node) {
  if (node.is_machine_opcode()) return true;
  switch (node.opcode()) {
    case isd::kRegister:
    case isd::kBasicBlock:
    case isd::kCondCode:
    case isd::kValueType:
    case isd::kMDNode:
    case isd::kMCSymbol:
    case isd::kUndef:
    case isd::kPoison:
      return true;
    default:
      break;
  }
  const bool is_target_leaf = node.num_operands() == 0 && (node.properties() & NodeProperty::kTarget) != 0;
  return is_target_leaf || InstrEmitter::IsSpecial(node.opcode());
}

class Worklist : public DagUpdateListener {
 public:
  explicit Worklist(SelectionDAG& dag) : DagUpdateListener(dag), nodes_(dag.TopologicalOrder()) {}
  // Returns the next node, users before operands, or null at the end.
  SDNode* Next() {
    while (!nodes_.empty()) {
      SDNode* node = nodes_.back();
      nodes_.pop_back();
      if (node != nullptr) return node;
    }
    return nullptr;
  }
  void NodeDeleted(SDNode* node, SDNode*) override {
    const auto id = static_cast<size_t>(node->node_id());
    if (node->node_id() >= 0 && id < nodes_.size() && nodes_[id] == node) nodes_[id] = nullptr;
  }

 private:
  std::vector<SDNode*> nodes_;
};

std::string WhyMissing(Opcode opcode, const ptx::Subtarget& subtarget) {
  return StrCat("'", ptx::PtxTargetInfo().StableName(opcode), "' ", subtarget.WhyUnsupported(opcode));
}

absl::Status CannotSelect(const SDNode& node, const ptx::Subtarget& subtarget) {
  return NodeError(absl::StatusCode::kInvalidArgument, node, "cannot select", MissingInstruction(node, subtarget));
}

// Returns the targets of a br_jt. Empty if it names no table or the index is not an i32.
absl::Span<const BlockNumber> JumpTargets(const SDNode& node) {
  const auto* number = DynCast<JumpTableSDNode>(node.operand(1));
  const std::vector<JumpTable>& tables = node.function().machine_function().jump_tables();
  if (number == nullptr || number->index() >= tables.size() || node.operand(2).type() != MVT::kI32) return {};
  return tables[number->index()].blocks;
}

// A jump table becomes one instruction for each target, which a rule cannot express.
bool SelectJumpTable(SelectionDAG& dag, SDNode* node) {
  namespace op = ptx::op;
  const absl::Span<const BlockNumber> targets = JumpTargets(*node);
  if (targets.empty()) return false;
  const SDValue table = dag.GetTargetConstant(DynCast<JumpTableSDNode>(node->operand(1))->index(), MVT::kI32);
  const MVT types[] = {MVT::kOther, MVT::kGlue};
  SDNode* last = dag.GetMachineNode(op::BRX_START, node->loc(), types, {table, node->operand(0)});
  for (size_t i = 0; i + 1 < targets.size(); ++i) {
    last = dag.GetMachineNode(op::BRX_ITEM, node->loc(), types,
                              {dag.GetBasicBlock(targets[i]), SDValue(last, 0), SDValue(last, 1)});
  }
  last = dag.GetMachineNode(
      op::BRX_END, node->loc(), absl::MakeConstSpan(types, 1),
      {dag.GetBasicBlock(targets.back()), node->operand(2), table, SDValue(last, 0), SDValue(last, 1)});
  dag.ReplaceAllUsesWith(node, last);
  dag.RemoveDeadNode(node);
  return true;
}

absl::Status SelectNode(SelectionDAG& dag, SDNode* node, const ISelOptions& options) {
  if (node->opcode() == isd::kBrJT) {
    return SelectJumpTable(dag, node) ? absl::OkStatus() : CannotSelect(*node, *options.subtarget);
  }
  RuleMatcher matcher(node, &dag, &options, *options.subtarget);
  for (const Rule& rule : RulesFor(*node)) {
    if (!matcher.Apply(rule)) continue;
    if (!matcher.has_become_instruction()) {
      dag.ReplaceAllUsesWith(node, matcher.replacements());
      dag.RemoveDeadNode(node);
    }
    return absl::OkStatus();
  }
  return CannotSelect(*node, *options.subtarget);
}

// Returns what the subtarget lacks for an instruction with its operands; empty if nothing.
std::string WhyUnsupported(const SDNode& node, const ptx::Subtarget& subtarget) {
  const Opcode opcode = node.machine_opcode();
  if (!subtarget.Supports(opcode)) return WhyMissing(opcode, subtarget);
  const InstrDesc& desc = ptx::PtxTargetInfo().Get(opcode);
  unsigned number = desc.num_defs;
  if (desc.limited_operands >> number == 0) return "";
  for (const SDUse& operand : node.operands()) {
    const auto* constant = DynCast<ConstantSDNode>(operand);
    const std::string why = constant == nullptr ? "" : subtarget.WhyUnsupported(opcode, number, constant->SExtValue());
    if (!why.empty()) return StrCat("'", ptx::PtxTargetInfo().StableName(opcode), "' ", why);
    ++number;
  }
  return "";
}

// Returns an error if a node is an instruction that the subtarget lacks: the DAG held it already, a rule made it with
// operands that need more, or other code made it.
absl::Status CheckInstructions(SelectionDAG& dag, const ptx::Subtarget& subtarget) {
  for (const SDNode& node : dag) {
    if (!node.is_machine_opcode()) continue;
    const std::string why = WhyUnsupported(node, subtarget);
    if (!why.empty()) return NodeError(absl::StatusCode::kInvalidArgument, node, "cannot select", why);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SelectDag(SelectionDAG& dag, const ISelOptions& options) {
  dag.RemoveDeadNodes();
  InsertAtomicFences(dag, *options.subtarget);
  Worklist worklist(dag);
  while (SDNode* node = worklist.Next()) {
    if (node->use_empty() && node != dag.root().node() && node != dag.EntryToken().node()) {
      dag.RemoveDeadNode(node);
      continue;
    }
    if (NeedsNoSelection(*node)) continue;
    if (absl::Status status = SelectNode(dag, node, options); !status.ok()) return status;
  }
  return CheckInstructions(dag, *options.subtarget);
}

bool IsSelectable(const SDNode& node, const ptx::Subtarget& subtarget) {
  if (NeedsNoSelection(node)) return true;
  if (node.opcode() == isd::kBrJT) return !JumpTargets(node).empty();
  RuleMatcher matcher(const_cast<SDNode*>(&node), nullptr, nullptr, subtarget);
  const bool is_intrinsic = node.payload_kind() == NodePayload::kIntrinsic;
  for (const Rule& rule : RulesFor(node)) {
    // The constant arguments of an intrinsic are part of the node and may decide which instruction it becomes.
    if ((is_intrinsic || (rule.flags & Rule::kByNode) != 0) && matcher.Apply(rule)) return true;
  }
  return false;
}

std::string MissingInstruction(const SDNode& node, const ptx::Subtarget& subtarget) {
  if (node.is_machine_opcode()) {
    return subtarget.Supports(node.machine_opcode()) ? "" : WhyMissing(node.machine_opcode(), subtarget);
  }
  RuleMatcher matcher(const_cast<SDNode*>(&node), nullptr, nullptr, subtarget);
  for (const Rule& rule : RulesFor(node)) {
    if (matcher.Apply(rule)) return "";
  }
  const std::optional<Opcode> missing = matcher.missing_instruction();
  return missing.has_value() ? WhyMissing(*missing, subtarget) : "";
}

bool IsSelectable(int16_t opcode, absl::Span<const MVT> results, absl::Span<const MVT> operands,
                  const ptx::Subtarget& subtarget) {
  for (const Rule& rule : RulesFor(opcode, results.empty() ? MVT::kUntyped : results[0])) {
    if ((rule.flags & Rule::kByTypes) != 0 && RuleMatcher::HoldsForTypes(rule, results, operands, subtarget)) {
      return true;
    }
  }
  return false;
}

bool IsLegalType(MVT type, const ptx::Subtarget& subtarget) {
  if (IsToken(type) || type == MVT::kUntyped) return true;
  if (type == MVT::kV2F32 || type == MVT::kV2I32) return subtarget.HasSm(100) && subtarget.HasPtx(86);
  return RegClassFor(type).has_value() && !(IsVector(type) && SizeInBits(type) > 32);
}

}  // namespace ptxmir::sdag
