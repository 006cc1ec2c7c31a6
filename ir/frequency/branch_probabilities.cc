// SPDX-License-Identifier: Apache-2.0

#include "ir/frequency/branch_probabilities.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>

#include "ir/code/dominators.h"
#include "ir/code/program.h"
#include "ir/frequency/natural_loops.h"
#include "ir/passes/support/effects.h"

namespace ptxmir::ir {
namespace {

using Loop = NaturalLoops::Loop;
using Weights = std::vector<uint64_t>;

// LLVM's weights of blocks.
constexpr uint32_t kUnreachable = 0;
constexpr uint32_t kLeast = 1;  // also of what does not return
constexpr uint32_t kCold = 0xffff;
constexpr uint32_t kUsual = 0xfffff;
// How often a loop is assumed to iterate: 124 to 4.
constexpr uint32_t kIterations = 31;
// The weights of two edges of which one is likely.
constexpr uint64_t kLikely = 20;
constexpr uint64_t kUnlikely = 12;
// The weights of a comparison for order, which fails for NaN.
constexpr uint64_t kOrdered = 1024 * 1024 - 1;
constexpr uint64_t kUnordered = 1;

const IrConstant* ConstantOf(const Value& value) {
  return value.is_constant() ? &static_cast<const ConstantValue&>(value).constant() : nullptr;
}

// Returns the number that the value is, if it is an integer of at most 64 bits.
std::optional<int64_t> IntegerOf(const Value& value) {
  const IrConstant* const constant = ConstantOf(value);
  if (constant == nullptr || constant->kind != IrConstant::Kind::kInteger || !constant->type->is_integer()) {
    return std::nullopt;
  }
  return constant->SExtValue();
}

// Rule 1. Returns the weights of the edges, or nothing.
std::optional<Weights> StatedWeights(const Instruction& terminator) {
  const Program& program = terminator.function().program();
  for (const Attachment& attachment : terminator.attachments()) {
    if (program.metadata_kind(attachment.kind) != "prof" || attachment.node.is_none()) continue;
    const MetadataNode* const node = attachment.node.is_inline()
                                         ? program.module().ParseInlineMetadata(program.metadata_text(attachment.node))
                                         : program.module().metadata(attachment.node.node());
    if (node == nullptr || node->operands.empty() || node->operands[0].text != "branch_weights") return std::nullopt;
    Weights weights;
    for (const MetadataOperand& operand : node->operands.subspan(1)) {
      if (operand.kind == MetadataOperand::Kind::kString) continue;  // where the weights come from
      if (operand.constant == nullptr || operand.constant->kind != IrConstant::Kind::kInteger) return std::nullopt;
      weights.push_back(static_cast<uint32_t>(operand.constant->SExtValue()));
    }
    if (weights.size() != terminator.num_successors()) return std::nullopt;
    if (std::accumulate(weights.begin(), weights.end(), uint64_t{0}) == 0) return std::nullopt;
    return weights;
  }
  return std::nullopt;
}

// Returns the weights of a conditional branch of which one side is likely.
Weights LikelyIf(bool is_likely) { return is_likely ? Weights{kLikely, kUnlikely} : Weights{kUnlikely, kLikely}; }

// Rules 3 and 4. Returns whether the comparison is likely to hold, or nothing.
std::optional<bool> IsLikely(const Instruction& compare) {
  const Predicate predicate = compare.predicate();
  const bool is_equality = predicate == Predicate::kEq || predicate == Predicate::kNe;
  if (compare.operand(0).type()->is_pointer()) {
    return is_equality ? std::optional<bool>(predicate == Predicate::kNe) : std::nullopt;
  }
  const std::optional<int64_t> right = IntegerOf(compare.operand(1));
  if (!right.has_value()) return std::nullopt;
  // A single bit may as well be set as not.
  if (compare.operand(0).is_instruction()) {
    const auto& left = static_cast<const Instruction&>(compare.operand(0));
    const std::optional<int64_t> mask =
        left.opcode() == Opcode::kAnd ? IntegerOf(left.operand(1)) : std::optional<int64_t>();
    if (mask.has_value() && std::has_single_bit(static_cast<uint64_t>(*mask))) return std::nullopt;
  }
  if (*right == 0) {
    if (predicate == Predicate::kEq || predicate == Predicate::kSlt) return false;
    if (predicate == Predicate::kNe || predicate == Predicate::kSgt) return true;
  } else if (*right == 1) {
    if (predicate == Predicate::kSlt) return false;  // it stands for <= 0
  } else if (*right == -1) {
    if (predicate == Predicate::kEq) return false;
    if (predicate == Predicate::kNe || predicate == Predicate::kSgt) return true;  // the latter stands for >= 0
  }
  return std::nullopt;
}

// Rules 3 to 5.
std::optional<Weights> WeightsByCondition(const Instruction& terminator) {
  if (terminator.opcode() != Opcode::kBr || terminator.num_successors() != 2) return std::nullopt;
  if (!terminator.operand(0).is_instruction()) return std::nullopt;
  const auto& compare = static_cast<const Instruction&>(terminator.operand(0));
  if (compare.opcode() == Opcode::kICmp) {
    const std::optional<bool> is_likely = IsLikely(compare);
    return is_likely.has_value() ? std::optional<Weights>(LikelyIf(*is_likely)) : std::nullopt;
  }
  if (compare.opcode() != Opcode::kFCmp) return std::nullopt;
  switch (compare.predicate()) {
    case Predicate::kOeq:
    case Predicate::kUeq:
      return LikelyIf(false);
    case Predicate::kOne:
    case Predicate::kUneFloat:
      return LikelyIf(true);
    case Predicate::kOrd:
      return Weights{kOrdered, kUnordered};
    case Predicate::kUno:
      return Weights{kUnordered, kOrdered};
    default:
      return std::nullopt;
  }
}

// Rule 2: the weights of unlikely blocks and of loops that are only left for such blocks.
class EstimatedWeights {
 public:
  EstimatedWeights(const Function& function, const Dominators& dominators, const NaturalLoops& loops)
      : dominators_(dominators),
        loops_(loops),
        block_weights_(function.blocks().size()),
        loop_weights_(loops.num_loops()) {
    bool has_weights = false;
    for (const BasicBlock* block : function.blocks()) {
      const std::optional<uint32_t> weight = InitialWeight(*block);
      if (!weight.has_value() || !dominators.IsReachable(*block)) continue;
      SetWeight(*block, *weight);
      has_weights = true;
    }
    if (!has_weights) return;
    blocks_of_loop_.resize(loops.num_loops());
    for (const BasicBlock* block : function.blocks()) {
      if (!dominators.IsReachable(*block)) continue;
      for (Loop loop = loops.LoopOf(*block); loop != NaturalLoops::kNone; loop = loops.Parent(loop)) {
        blocks_of_loop_[loop].push_back(block);
      }
    }
    Propagate();
  }

  // Returns the weights of the edges of a block, or nothing if the rule says nothing about them.
  std::optional<Weights> Of(const BasicBlock& block) const {
    const Instruction& terminator = *block.terminator();
    const Loop loop = loops_.LoopOf(block);
    Weights weights;
    bool is_known = false;
    for (unsigned i = 0; i < terminator.num_successors(); ++i) {
      const BasicBlock& successor = terminator.successor(i);
      std::optional<uint32_t> weight = EdgeWeight(loop, successor);
      if (LeavesLoop(loop, successor) && weight != kUnreachable) {
        weight = std::max(kLeast, weight.value_or(kUsual) / kIterations);
      }
      is_known |= weight.has_value();
      weights.push_back(weight.value_or(kUsual));
    }
    const bool is_zero = std::all_of(weights.begin(), weights.end(), [](uint64_t weight) { return weight == 0; });
    return is_known && !is_zero ? std::optional<Weights>(std::move(weights)) : std::nullopt;
  }

 private:
  static std::optional<uint32_t> InitialWeight(const BasicBlock& block) {
    bool does_not_return = false, is_cold = false;
    for (const Instruction* i = block.first(); i != nullptr; i = i->next()) {
      if (i->opcode() != Opcode::kCall || i->is_debug_record()) continue;
      does_not_return |= FindCallAttribute(*i, "noreturn") != nullptr;
      is_cold |= FindCallAttribute(*i, "cold") != nullptr;
    }
    const Instruction* const terminator = block.terminator();
    if (terminator != nullptr && terminator->opcode() == Opcode::kUnreachable) {
      return does_not_return ? kLeast : kUnreachable;
    }
    return is_cold ? std::optional<uint32_t>(kCold) : std::nullopt;
  }

  bool LeavesLoop(Loop from, const BasicBlock& to) const {
    return from != NaturalLoops::kNone && !loops_.Contains(from, loops_.LoopOf(to));
  }
  bool EntersLoop(Loop from, const BasicBlock& to) const {
    const Loop loop = loops_.LoopOf(to);
    return loop != NaturalLoops::kNone && !loops_.Contains(loop, from);
  }
  std::optional<uint32_t> EdgeWeight(Loop from, const BasicBlock& to) const {
    return EntersLoop(from, to) ? loop_weights_[loops_.LoopOf(to)] : block_weights_[to.number()];
  }

  // Sets the weight of a block that has none, and notes what it may decide.
  void SetWeight(const BasicBlock& block, uint32_t weight) {
    block_weights_[block.number()] = weight;
    NotePredecessors(block);
  }
  void NotePredecessors(const BasicBlock& block) {
    block.ForEachPredecessor([&](BasicBlock& predecessor) {
      if (!dominators_.IsReachable(predecessor)) return;
      const Loop loop = loops_.LoopOf(predecessor);
      if (LeavesLoop(loop, block)) {
        if (!loop_weights_[loop].has_value()) pending_loops_.push_back(loop);
      } else if (!block_weights_[predecessor.number()].has_value()) {
        pending_blocks_.push_back(&predecessor);
      }
    });
  }

  void Propagate() {
    while (!pending_blocks_.empty() || !pending_loops_.empty()) {
      if (!pending_loops_.empty()) {
        const Loop loop = pending_loops_.back();
        pending_loops_.pop_back();
        if (!loop_weights_[loop].has_value()) VisitLoop(loop);
        continue;
      }
      const BasicBlock& block = *pending_blocks_.back();
      pending_blocks_.pop_back();
      if (block_weights_[block.number()].has_value()) continue;
      std::optional<uint32_t> most = 0;
      const Instruction& terminator = *block.terminator();
      for (unsigned i = 0; i < terminator.num_successors(); ++i) {
        most = Larger(most, EdgeWeight(loops_.LoopOf(block), terminator.successor(i)));
      }
      if (most.has_value()) SetWeight(block, *most);
    }
  }

  // Returns the larger one, or nothing if one is not known.
  static std::optional<uint32_t> Larger(std::optional<uint32_t> a, std::optional<uint32_t> b) {
    return a.has_value() && b.has_value() ? std::optional<uint32_t>(std::max(*a, *b)) : std::nullopt;
  }

  // A loop has the weight of its likeliest exit.
  void VisitLoop(Loop loop) {
    std::optional<uint32_t> most = 0;
    for (const BasicBlock* block : blocks_of_loop_[loop]) {
      const Instruction& terminator = *block->terminator();
      for (unsigned i = 0; i < terminator.num_successors(); ++i) {
        const BasicBlock& successor = terminator.successor(i);
        if (LeavesLoop(loop, successor)) most = Larger(most, EdgeWeight(loop, successor));
      }
    }
    if (!most.has_value()) return;
    // A loop that is never left is still entered.
    loop_weights_[loop] = std::max(kLeast, *most);
    for (const BasicBlock* block : blocks_of_loop_[loop]) {
      block->ForEachPredecessor([&](BasicBlock& predecessor) {
        const bool is_outside = !loops_.Contains(loop, loops_.LoopOf(predecessor));
        if (is_outside && dominators_.IsReachable(predecessor)) pending_blocks_.push_back(&predecessor);
      });
    }
  }

  const Dominators& dominators_;
  const NaturalLoops& loops_;
  std::vector<std::optional<uint32_t>> block_weights_;  // by number
  std::vector<std::optional<uint32_t>> loop_weights_;
  std::vector<std::vector<const BasicBlock*>> blocks_of_loop_;  // only reachable ones
  std::vector<const BasicBlock*> pending_blocks_;
  std::vector<Loop> pending_loops_;
};

// Appends the probabilities that the weights stand for.
void AppendProbabilities(Weights weights, std::vector<uint32_t>& edges) {
  // As in LLVM, weights are scaled so that their sum has 32 bits.
  uint64_t sum = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  if (sum > kMost) {
    const uint64_t scale = sum / kMost + 1;
    for (uint64_t& weight : weights) weight /= scale;
    sum = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
  }
  for (const uint64_t weight : weights) {
    edges.push_back(static_cast<uint32_t>((weight * BranchProbabilities::kOne + sum / 2) / sum));
  }
}

}  // namespace

BranchProbabilities::BranchProbabilities(Function& function) {
  const Dominators dominators(function);
  const NaturalLoops loops(function, dominators);
  const EstimatedWeights estimated(function, dominators, loops);
  for (const BasicBlock* block : function.blocks()) {
    first_edge_.push_back(static_cast<uint32_t>(edges_.size()));
    const Instruction* const terminator = block->terminator();
    if (terminator == nullptr || terminator->num_successors() == 0) continue;
    std::optional<Weights> weights;
    if (terminator->num_successors() > 1 && dominators.IsReachable(*block)) {
      weights = StatedWeights(*terminator);
      if (!weights.has_value()) weights = estimated.Of(*block);
      if (!weights.has_value()) weights = WeightsByCondition(*terminator);
    }
    AppendProbabilities(weights.has_value() ? *std::move(weights) : Weights(terminator->num_successors(), 1), edges_);
  }
}

}  // namespace ptxmir::ir
