// SPDX-License-Identifier: Apache-2.0

// Changes to a graph: replacing values and merging nodes that become equal, morphing, removal, order, divergence.

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "base/str_cat.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

void SelectionDAG::SetRoot(SDValue root) {
  if (!IsOurs(root)) {
    Misuse("the root is a value of another function or block");
    return;
  }
  root_ = root;
}

// Replacement.
//
// A user that becomes equal to an existing node is marked deleted at once, so that nothing more is done to it. Its
// hash then holds the id of the node that replaces it, because later replacements may name one of its values. Its
// uses are moved later, from a worklist. Its memory is freed at the very end, because planned uses may be in it.

SDNode* SelectionDAG::Forward(SDNode* node) {
  while (node != nullptr && node->is_deleted_) node = node->Resolve<SDNode>(node->hash_);
  return node;
}

// Works in two steps. All users are changed before any is looked up, because a user must not be merged with a node that
// is about to change itself. This would happen if two values were swapped.
void SelectionDAG::ReplaceUses(absl::Span<const PlannedUse> planned, Merge& merge) {
  absl::InlinedVector<SDNode*, 8> users;
  bool divergence_changes = false;
  for (const PlannedUse& plan : planned) {
    SDNode* user = plan.use->user();
    if (user->is_deleted_) continue;
    if (user->is_marked_ == 0) {
      user->is_marked_ = 1;
      users.push_back(user);
      RemoveFromCse(user);
    }
    const SDValue to(Forward(plan.to.node()), plan.to.resno());
    const SDNode* old = plan.use->node();
    divergence_changes |= old == nullptr || !to || old->is_divergent_ != to.node()->is_divergent_;
    SetUse(plan.use, to);
  }
  for (SDNode* user : users) {
    user->is_marked_ = 0;
    SDNode* existing = AddToCse(user);
    if (existing != user) {
      MergeInto(user, existing, merge);
      continue;
    }
    if (divergence_changes) UpdateDivergence(user);
    for (DagUpdateListener* listener = listeners_; listener != nullptr; listener = listener->outer_) {
      listener->NodeUpdated(user);
    }
  }
}

void SelectionDAG::MergeInto(SDNode* node, SDNode* existing, Merge& merge) {
  LetStandFor(existing, node->flags_, node->ir_order_);
  node->is_deleted_ = 1;
  node->hash_ = existing->id();
  merge.waiting.push_back(node);
  merge.merged.push_back(node);
}

void SelectionDAG::ReplacePlanned(absl::Span<const PlannedUse> planned) {
  for (const PlannedUse& use : planned) {
    if (IsOurs(use.to) && IsOurs({use.use->user(), 0})) continue;
    Misuse("replacing a value by one of another function or block");
    return;
  }
  Merge merge;
  ReplaceUses(planned, merge);
  PlannedUses next;
  while (!merge.waiting.empty()) {
    SDNode* node = merge.waiting.back();
    merge.waiting.pop_back();
    SDNode* to = Forward(node);
    next.clear();
    for (SDUse* use = node->first_use(); use != nullptr; use = use->next()) next.push_back({use, {to, use->resno()}});
    ReplaceUses(next, merge);
  }
  if (root_) root_ = {Forward(root_.node()), root_.resno()};
  FinishMerges(merge);
}

void SelectionDAG::FinishMerges(Merge& merge) {
  for (SDNode* node : merge.merged) {
    TransferAllDbgValues(*node, *Forward(node));
    if (node->has_debug_value_) SalvageDbgValues(*node);
  }
  for (SDNode* node : merge.merged) {
    for (DagUpdateListener* listener = listeners_; listener != nullptr; listener = listener->outer_) {
      listener->NodeDeleted(node, Forward(node));
    }
  }
  for (SDNode* node : merge.merged) {
    for (unsigned i = 0; i < node->num_operands_; ++i) UnlinkUse(node->uses_begin() + i);
  }
  for (SDNode* node : merge.merged) {
    Unlink(node);
    Free(node);
  }
}

void SelectionDAG::ReplaceAllUsesWith(SDNode* from, SDNode* to) {
  if (from == to) return;
  PlannedUses planned;
  for (SDUse* use = from->first_use(); use != nullptr; use = use->next()) {
    planned.push_back({use, {to, use->resno()}});
  }
  if (root_.node() == from && IsOurs({to, 0})) root_ = {to, root_.resno()};
  TransferAllDbgValues(*from, *to);
  ReplacePlanned(planned);
}

void SelectionDAG::ReplaceAllUsesWith(SDNode* from, absl::Span<const SDValue> to) {
  PlannedUses planned;
  for (SDUse* use = from->first_use(); use != nullptr; use = use->next()) {
    const SDValue value = use->resno() < to.size() ? to[use->resno()] : SDValue();
    if (value && value != use->get()) planned.push_back({use, value});
  }
  if (root_.node() == from && root_.resno() < to.size() && to[root_.resno()] && IsOurs(to[root_.resno()])) {
    root_ = to[root_.resno()];
  }
  if (from->has_debug_value_) {
    absl::InlinedVector<SDValue, 4> results;
    for (unsigned i = 0; i < from->num_values() && i < to.size(); ++i) results.push_back({from, i});
    TransferDbgValues(results, to.first(results.size()));
  }
  ReplacePlanned(planned);
}

void SelectionDAG::ReplaceAllUsesOfValueWith(SDValue from, SDValue to) {
  ReplaceAllUsesOfValuesWith(absl::MakeConstSpan(&from, 1), absl::MakeConstSpan(&to, 1));
}

void SelectionDAG::ReplaceAllUsesOfValuesWith(absl::Span<const SDValue> from, absl::Span<const SDValue> to) {
  if (from.size() != to.size()) {
    Misuse("ReplaceAllUsesOfValuesWith needs a value for each value");
    return;
  }
  PlannedUses planned;
  SDValue root = root_;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!from[i] || from[i] == to[i]) continue;
    for (SDUse* use = from[i].node()->first_use(); use != nullptr; use = use->next()) {
      if (use->resno() == from[i].resno()) planned.push_back({use, to[i]});
    }
    if (root_ == from[i] && IsOurs(to[i])) root = to[i];
  }
  root_ = root;
  TransferDbgValues(from, to);
  ReplacePlanned(planned);
}

SDNode* SelectionDAG::UpdateNodeOperands(SDNode* node, absl::Span<const SDValue> given) {
  std::vector<SDValue> storage;
  const absl::Span<const SDValue> operands = CheckOperands(given, storage);
  if (operands.size() != node->num_operands_) {
    Misuse(StrCat("UpdateNodeOperands of '", node->name(), "' with ", operands.size(), " operands instead of ",
                  node->num_operands_));
    return node;
  }
  if (std::equal(operands.begin(), operands.end(), node->operands().begin(),
                 [](const SDValue& a, const SDUse& b) { return a == b.get(); })) {
    return node;
  }
  if (IsUnique(*node)) {
    const NodeCse::Key key = NodeCse::KeyOf(node->opcode_, node->value_types(), operands, node->payload_);
    if (SDNode* existing = NodeOf(cse_.find(key))) return existing;
  }
  RemoveFromCse(node);
  for (unsigned i = 0; i < operands.size(); ++i) SetUse(node->uses_begin() + i, operands[i]);
  AddToCse(node);
  UpdateDivergence(node);
  for (DagUpdateListener* listener = listeners_; listener != nullptr; listener = listener->outer_) {
    listener->NodeUpdated(node);
  }
  return node;
}

SDNode* SelectionDAG::MorphNodeTo(SDNode* node, int16_t opcode, absl::Span<const MVT> types,
                                  absl::Span<const SDValue> operands) {
  DeadNodes unused;
  return Morph(node, opcode, types, operands, {}, node->flags_, unused);
}

SDNode* SelectionDAG::SelectNodeTo(SDNode* node, ptxmir::Opcode opcode, absl::Span<const MVT> types,
                                   absl::Span<const SDValue> operands,
                                   absl::Span<const MachineMemOperand* const> memoperands, uint32_t flags) {
  DeadNodes unused;
  SDNode* selected =
      Morph(node, static_cast<int16_t>(~opcode), types, operands, PackMemOperands(memoperands), flags, unused);
  DeleteDead(unused);
  return selected;
}

SDNode* SelectionDAG::Morph(SDNode* node, int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> given,
                            const Payload& payload, uint32_t flags, DeadNodes& unused) {
  std::vector<SDValue> storage;
  const absl::Span<const SDValue> operands = CheckOperands(given, storage);
  const NodeCse::Key key = NodeCse::KeyOf(opcode, types, operands, payload);
  const bool is_unique = IsUnique(opcode, types, payload, function_.target());
  SDNode* existing = is_unique ? NodeOf(cse_.find(key)) : nullptr;
  if (existing == node) return node;
  if (existing != nullptr) {
    LetStandFor(existing, flags, node->ir_order_);
  } else if (operands.size() > node->capacity_) {
    existing = CreateNode(key, node->loc(), flags);
    AddToCse(existing);
  }
  if (existing != nullptr) {
    ReplaceAllUsesWith(node, existing);
    DeleteUnused(node, &unused);
    return existing;
  }
  RemoveFromCse(node);
  // `types` and `operands` may point into the node itself.
  const absl::InlinedVector<MVT, 4> types_copy(types.begin(), types.end());
  const absl::InlinedVector<SDValue, 12> operands_copy(operands.begin(), operands.end());
  absl::InlinedVector<SDNode*, 8> without_use;
  for (unsigned i = 0; i < node->num_operands_; ++i) {
    SDUse* use = node->uses_begin() + i;
    SDNode* operand = use->node();
    UnlinkUse(use);
    if (operand != nullptr && operand->use_empty()) without_use.push_back(operand);
  }
  node->opcode_ = opcode;
  node->num_operands_ = static_cast<uint16_t>(operands_copy.size());
  node->flags_ = flags;
  SetTypes(node, types_copy);
  node->payload_ = payload;
  node->hash_ = key.hash;
  for (unsigned i = 0; i < operands_copy.size(); ++i) InitUse(node, i, operands_copy[i]);
  Unlink(node);
  Append(node);
  ReverseUses(node);
  AddToCse(node);
  UpdateDivergence(node);
  for (SDNode* operand : without_use) {
    if (operand->use_empty() && operand != entry_ && operand != root_.node()) unused.push_back(operand);
  }
  for (DagUpdateListener* listener = listeners_; listener != nullptr; listener = listener->outer_) {
    listener->NodeUpdated(node);
  }
  return node;
}

void SelectionDAG::ReverseUses(SDNode* node) {
  for (SDUse* use = node->first_use(); use != nullptr;) {
    SDUse* next = use->next();
    std::swap(use->next_, use->previous_);
    node->first_use_ = use->id();
    use = next;
  }
}

void SelectionDAG::SetMemOperands(MachineSDNode* node, absl::Span<const MachineMemOperand* const> memoperands) {
  RemoveFromCse(node);
  node->hash_ -= NodeCse::HashOfHead(node->opcode_, node->value_types(), node->payload_);
  node->payload_ = PackMemOperands(memoperands);
  node->hash_ += NodeCse::HashOfHead(node->opcode_, node->value_types(), node->payload_);
  UpdateDivergence(node);
}

// Removal.

void SelectionDAG::DeleteUnused(SDNode* node, DeadNodes* dead) {
  for (DagUpdateListener* listener = listeners_; listener != nullptr; listener = listener->outer_) {
    listener->NodeDeleted(node, nullptr);
  }
  if (node->has_debug_value_) SalvageDbgValues(*node);
  RemoveFromCse(node);
  for (unsigned i = 0; i < node->num_operands_; ++i) {
    SDUse* use = node->uses_begin() + i;
    SDNode* operand = use->node();
    if (operand == nullptr) continue;
    UnlinkUse(use);
    if (dead != nullptr && operand->use_empty() && operand != entry_ && operand != root_.node()) {
      dead->push_back(operand);
    }
  }
  Unlink(node);
  Free(node);
}

void SelectionDAG::DeleteDead(DeadNodes& dead) {
  while (!dead.empty()) {
    SDNode* node = dead.back();
    dead.pop_back();
    DeleteUnused(node, &dead);
  }
}

void SelectionDAG::RemoveDeadNodes() {
  DeadNodes dead;
  for (SDNode& node : *this) {
    if (node.use_empty() && &node != entry_ && &node != root_.node()) dead.push_back(&node);
  }
  // Delete the nodes in the order in which they were found.
  std::reverse(dead.begin(), dead.end());
  DeleteDead(dead);
}

void SelectionDAG::RemoveDeadNode(SDNode* node) {
  if (!node->use_empty() || node == entry_ || node == root_.node()) return;
  DeadNodes dead = {node};
  DeleteDead(dead);
}

// Order: a depth-first walk from each node of the list. It leaves a list that is already in order as it is.

std::vector<SDNode*> SelectionDAG::TopologicalOrder() {
  constexpr int32_t kNew = -1, kOpen = -2;
  struct Frame {
    SDNode* node;
    unsigned next_operand;
  };
  std::vector<SDNode*> order;
  order.reserve(num_nodes_);
  std::vector<Frame> stack;
  for (SDNode& node : *this) node.node_id_ = kNew;
  // Visits a node and what it depends on. Most nodes are found with all operands done, and never get on the stack.
  // Returns false in a cycle.
  const auto visit = [&](SDNode* node) {
    for (unsigned next_operand = 0;;) {
      SDNode* operand = nullptr;
      for (; next_operand < node->num_operands_; ++next_operand) {
        const NodeId id = node->uses_begin()[next_operand].node_;
        if (id == 0) continue;
        operand = node->Resolve<SDNode>(id);
        if (operand->node_id_ < 0) break;
      }
      if (next_operand < node->num_operands_) {
        node->node_id_ = kOpen;
        if (operand->node_id_ == kOpen) return false;
        stack.push_back({node, next_operand + 1});
        node = operand;
        next_operand = 0;
        continue;
      }
      node->node_id_ = static_cast<int32_t>(order.size());
      order.push_back(node);
      if (stack.empty()) return true;
      node = stack.back().node;
      next_operand = stack.back().next_operand;
      stack.pop_back();
    }
  };
  for (SDNode& start : *this) {
    if (start.node_id_ == kNew && !visit(&start)) return {};
  }
  return order;
}

int64_t SelectionDAG::AssignTopologicalOrder() {
  const std::vector<SDNode*> order = TopologicalOrder();
  if (order.empty()) return -1;
  first_ = last_ = nullptr;
  num_nodes_ = 0;
  for (SDNode* node : order) Append(node);
  return static_cast<int64_t>(order.size());
}

// Divergence.

bool SelectionDAG::ComputeDivergence(const SDNode& node) const {
  if (node.num_operands_ == 0 && !node.is_machine_opcode() && Desc(node.opcode_).payload != NodePayload::kIntrinsic) {
    return false;  // constants, symbols, registers and the like
  }
  const DivergenceHooks& hooks = function_.divergence_hooks();
  if (hooks.is_always_uniform(node)) return false;
  if (hooks.is_source(node)) return true;
  for (const SDUse& use : node.operands()) {
    if (use.node() != nullptr && use.node()->is_divergent_ && use.type() != MVT::kOther) return true;
  }
  return false;
}

void SelectionDAG::UpdateDivergence(SDNode* node) {
  if (ComputeDivergence(*node) == (node->is_divergent_ != 0)) return;
  std::vector<SDNode*> work = {node};
  while (!work.empty()) {
    SDNode* current = work.back();
    work.pop_back();
    const bool is_divergent = ComputeDivergence(*current);
    if (is_divergent == current->is_divergent_) continue;
    current->is_divergent_ = is_divergent ? 1 : 0;
    for (SDUse* use = current->first_use(); use != nullptr; use = use->next()) {
      if (use->type() != MVT::kOther) work.push_back(use->user());
    }
  }
}

void SelectionDAG::UpdateAllDivergence() {
  for (SDNode& node : *this) node.is_divergent_ = 0;
  for (SDNode& node : *this) UpdateDivergence(&node);
}

// Checks.

std::string SelectionDAG::CheckInvariants() const {
  size_t num_nodes = 0, num_uses = 0, num_operands = 0, num_unique = 0, num_described = 0;
  const SDNode* previous = nullptr;
  for (const SDNode& node : *this) {
    const std::string where = StrCat("node ", node.id(), " (", node.name(), "): ");
    ++num_nodes;
    if (node.previous() != previous) return where + "the list of nodes is broken";
    previous = &node;
    if (node.is_deleted_) return where + "is deleted";
    if (node.has_debug_value_ != debug_info_.of_node_.contains(node.id())) {
      return where + "disagrees with the debug values about having one";
    }
    num_described += node.has_debug_value_;
    uint32_t hash = NodeCse::HashOfHead(node.opcode_, node.value_types(), node.payload_);
    for (const SDUse& use : node.operands()) {
      hash += NodeCse::HashOfOperand(use.node_, use.resno_, use.operand_number_);
      if (use.user() != &node) return where + "an operand does not find its node";
      num_operands += use.node_ != 0 ? 1 : 0;
    }
    if (hash != node.hash_) return where + "the hash is not that of the operands";
    NodeId before = 0;
    for (const SDUse* use = node.first_use(); use != nullptr; use = use->next()) {
      ++num_uses;
      if (use->node() != &node) return where + "a use in the list is of another node";
      if (use->previous_ != before) return where + "the list of uses is broken";
      before = use->id();
    }
    if (node.is_in_cse_map_) {
      ++num_unique;
      const auto found = cse_.find(NodeCse::Entry{node.id(), node.hash_});
      if (NodeOf(found) != &node) return where + "is not where the table of unique nodes has it";
    } else if (IsUnique(node)) {
      return where + "is missing in the table of unique nodes";
    }
  }
  if (previous != last_ || num_nodes != num_nodes_) return "the list of nodes does not end where it should";
  if (num_described != debug_info_.of_node_.size()) return "a debug value names a node that is not in the list";
  if (num_unique != cse_.size()) return "the table of unique nodes holds nodes that are not in the list";
  if (num_uses != num_operands) return "some operand is in no list of uses";
  return "";
}

}  // namespace ptxmir::sdag
