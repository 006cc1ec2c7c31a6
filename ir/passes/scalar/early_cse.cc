// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/scalar/early_cse.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/code/dominators.h"
#include "ir/code/program.h"
#include "ir/passes/support/bit_test_form.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/simplify.h"
#include "ir/passes/support/unsigned_form.h"
#include "ir/passes/support/written_spaces.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

bool IsCommutative(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMul:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kFAdd:
    case Opcode::kFMul:
      return true;
    default:
      return false;
  }
}

// A hash table whose entries hide equal ones that were added before them, until they are taken back.
template <typename Entry>
class ScopedTable {
 public:
  size_t size() const { return nodes_.size(); }
  // Returns the newest entry with this hash for which `is_sought` returns true; null if there is none.
  template <typename IsSought>
  const Entry* Find(uint32_t hash, const IsSought& is_sought) const {
    if (heads_.empty()) return nullptr;
    for (uint32_t place = Head(hash); place != 0; place = nodes_[place - 1].next) {
      const Node& node = nodes_[place - 1];
      if (node.hash == hash && is_sought(node.entry)) return &node.entry;
    }
    return nullptr;
  }
  void Add(uint32_t hash, const Entry& entry) {
    if (nodes_.size() == heads_.size()) Grow();
    nodes_.push_back({entry, hash, Head(hash)});
    Head(hash) = static_cast<uint32_t>(nodes_.size());
  }
  // Takes back all entries but the oldest `size`.
  void Shrink(size_t size) {
    for (; nodes_.size() > size; nodes_.pop_back()) Head(nodes_.back().hash) = nodes_.back().next;
  }

 private:
  struct Node {
    Entry entry;
    uint32_t hash;
    uint32_t next;  // the place plus 1 of the next older node with this head; 0 if there is none
  };

  uint32_t& Head(uint32_t hash) { return heads_[hash & (heads_.size() - 1)]; }
  uint32_t Head(uint32_t hash) const { return heads_[hash & (heads_.size() - 1)]; }
  void Grow() {
    heads_.assign(std::max<size_t>(64, 2 * heads_.size()), 0);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].next = std::exchange(Head(nodes_[i].hash), static_cast<uint32_t>(i + 1));
    }
  }

  std::vector<Node> nodes_;
  std::vector<uint32_t> heads_;  // places plus 1 of the newest nodes, by the low bits of their hashes
};

// Mixes a word into a hash.
uint64_t Mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

// Inline assembly is left out, since each call has its own.
uint32_t HashOf(const Instruction& instruction) {
  const bool is_call = instruction.opcode() == Opcode::kCall;
  uint64_t hash = Mix(static_cast<uint64_t>(instruction.opcode()), reinterpret_cast<uintptr_t>(instruction.type()));
  if (IsCommutative(instruction.opcode())) {
    const uint64_t sum = Mix(1, instruction.use(0).value_id()) + Mix(1, instruction.use(1).value_id());
    return static_cast<uint32_t>(Mix(hash, sum));
  }
  if (!is_call) hash = Mix(hash, static_cast<uint64_t>(instruction.predicate()));
  absl::Span<const Use> operands = instruction.operands();
  if (is_call && instruction.callee().is_inline_asm()) operands.remove_suffix(1);
  for (const Use& use : operands) hash = Mix(hash, use.value_id());
  return static_cast<uint32_t>(hash);
}

bool HaveSameOperand(const Instruction& a, unsigned i, const Instruction& b, unsigned j) {
  return a.use(i).value_id() == b.use(j).value_id();
}

bool AreSameAssembly(const Value& a, const Value& b) {
  if (!a.is_inline_asm() || !b.is_inline_asm()) return false;
  const auto& x = static_cast<const InlineAsm&>(a);
  const auto& y = static_cast<const InlineAsm&>(b);
  return x.text() == y.text() && x.constraints() == y.constraints() && x.flags() == y.flags();
}

// Returns true if the instructions compute the same but for what attributes and flags say.
bool ComputeTheSame(const Instruction& a, const Instruction& b) {
  const Opcode opcode = a.opcode();
  const unsigned count = a.num_operands();
  if (b.opcode() != opcode || b.type() != a.type() || b.num_operands() != count) return false;
  if (opcode != Opcode::kCall && a.predicate() != b.predicate()) return false;
  if (IsCommutative(opcode) && HaveSameOperand(a, 0, b, 1) && HaveSameOperand(a, 1, b, 0)) return true;
  for (unsigned i = 0; i < count; ++i) {
    if (HaveSameOperand(a, i, b, i)) continue;
    if (opcode != Opcode::kCall || i + 1 != count || !AreSameAssembly(a.callee(), b.callee())) return false;
  }
  if (opcode == Opcode::kGetElementPtr) return a.source_type() == b.source_type();
  if (opcode == Opcode::kExtractValue || opcode == Opcode::kInsertValue) return a.indices() == b.indices();
  return true;
}

// Keeps of the attachments of `kept`, which is going to stand for both, what both have.
void IntersectAttachments(Instruction& kept, const Instruction& other) {
  if (kept.attachments().empty()) return;
  std::vector<Attachment> common;
  for (const Attachment& attachment : kept.attachments()) {
    for (const Attachment& candidate : other.attachments()) {
      if (candidate.kind == attachment.kind && candidate.node == attachment.node) common.push_back(attachment);
    }
  }
  if (common.size() != kept.attachments().size()) kept.SetAttachments(common);
}

// Returns true if attributes that a call states of its result and arguments are those of another call.
bool HaveSameAttributes(const Instruction& a, const Instruction& b) {
  const CallDetail& x = a.call();
  const CallDetail& y = b.call();
  return x.return_attributes == y.return_attributes && x.function_attributes == y.function_attributes &&
         x.argument_attributes == y.argument_attributes && x.calling_convention == y.calling_convention;
}

// Returns true if two values that come back to PHIs are the same operation on these and the same other operand.
bool IsSameStep(const Value& a, const Instruction& phi_a, const Value& b, const Instruction& phi_b) {
  if (!a.is_instruction() || !b.is_instruction()) return false;
  const auto& x = static_cast<const Instruction&>(a);
  const auto& y = static_cast<const Instruction&>(b);
  if (x.opcode() != y.opcode() || !IsBinary(x.opcode())) return false;
  return &x.operand(0) == &phi_a && &y.operand(0) == &phi_b && &x.operand(1) == &y.operand(1);
}

// Returns true if two PHIs of a block always have the same value: from each predecessor the same, or the same step.
bool AreCongruent(const Instruction& a, const Instruction& b) {
  if (a.type() != b.type() || a.num_incoming() != b.num_incoming()) return false;
  for (unsigned i = 0; i < a.num_incoming(); ++i) {
    if (&a.incoming_block(i) != &b.incoming_block(i)) return false;
    const Value& x = a.incoming_value(i);
    const Value& y = b.incoming_value(i);
    if (&x != &y && !IsSameStep(x, a, y, b)) return false;
  }
  return true;
}

// Replaces PHIs that count in step with another one of their block, as the counters of loops that LLVM unrolls do.
// Their steps become common expressions.
unsigned MergeCongruentPhis(BasicBlock& block) {
  // More are not compared with each other.
  constexpr size_t kMaxPhis = 32;
  std::vector<Instruction*> kept;
  unsigned merged = 0;
  for (Instruction* i = block.first(); i != nullptr && i->opcode() == Opcode::kPhi;) {
    Instruction* next = i->next();
    const auto same =
        std::find_if(kept.begin(), kept.end(), [&](const Instruction* other) { return AreCongruent(*other, *i); });
    if (same != kept.end()) {
      for (unsigned k = 0; k < i->num_incoming(); ++k) {
        if (&i->incoming_value(k) == &(*same)->incoming_value(k)) continue;
        // The PHI that stays must not be poison where the other one is not.
        auto& step = static_cast<Instruction&>((*same)->incoming_value(k));
        step.set_flags(step.flags() & static_cast<Instruction&>(i->incoming_value(k)).flags());
      }
      ReplaceAndErase(*i, **same);
      ++merged;
    } else if (kept.size() < kMaxPhis) {
      kept.push_back(i);
    }
    i = next;
  }
  return merged;
}

class EarlyCse {
 public:
  explicit EarlyCse(Function& function) : function_(function), dominators_(function) {}

  void Run() {
    const std::vector<std::vector<BasicBlock*>> children = dominators_.Children();
    struct Frame {
      BasicBlock* block;
      size_t num_expressions;  // before the block
      size_t num_loaded;
      MemoryTimes memory;  // at the end of the block
      size_t next_child = 0;
    };
    std::vector<Frame> stack;
    const auto enter = [&](BasicBlock* block, const MemoryTimes& memory, bool is_changed) {
      const size_t num_expressions = expressions_.size();
      const size_t num_loaded = loaded_.size();
      memory_ = memory;
      if (is_changed) memory_.Change(kAllMemory, ++time_);
      VisitBlock(*block);
      stack.push_back({block, num_expressions, num_loaded, memory_});
    };
    enter(&function_.entry(), MemoryTimes(), /*is_changed=*/false);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const std::vector<BasicBlock*>& below = children[top.block->number()];
      if (top.next_child == below.size()) {
        expressions_.Shrink(top.num_expressions);
        loaded_.Shrink(top.num_loaded);
        stack.pop_back();
        continue;
      }
      BasicBlock* child = below[top.next_child++];
      bool is_only_successor = true;
      size_t num_edges = 0;
      child->ForEachPredecessor(
          [&](const BasicBlock& predecessor) { is_only_successor = ++num_edges == 1 && &predecessor == top.block; });
      enter(child, MemoryTimes(top.memory), !is_only_successor);
    }
  }

  unsigned simplified = 0;
  unsigned erased = 0;
  unsigned common = 0;
  unsigned loads = 0;

 private:
  struct Expression {
    Instruction* instruction;
    const BasicBlock* block;  // where equal ones compute the same; null if they do everywhere
  };
  // A value that memory has, of one type.
  struct Loaded {
    const Value* pointer;
    const IrType* type;
    Value* value;
    uint64_t time;
    Instruction* access;        // the load, or null for a store
    bool is_invariant = false;  // whether the memory never changes
  };

  void VisitBlock(BasicBlock& block) {
    for (Instruction* i = block.first(); i != nullptr;) {
      Instruction* next = i->next();
      Visit(*i);
      i = next;
    }
  }

  void Visit(Instruction& i) {
    const bool is_call = i.opcode() == Opcode::kCall;
    const CallEffects effects = is_call ? call_effects_.Of(i) : CallEffects();
    if (!IsUsedByCode(i) && (is_call ? effects.is_removable : IsRemovableIfUnused(i))) {
      Erase(i);
      ++erased;
      return;
    }
    if (Value* value = Simplify(i); value != nullptr && IsUsableAt(*value, i)) {
      ReplaceAndErase(i, *value);
      ++simplified;
      return;
    }
    if (Instruction* made = MakeUnsignedForm(i); made != nullptr) {
      ReplaceAndErase(i, *made);
      ++simplified;
      VisitExpression(*made);
      return;
    }
    if (Instruction* made = MakeBitTestForm(i); made != nullptr) {
      ForgetInDebugRecords(i);
      ReplaceAndErase(i, *made);
      ++simplified;
      VisitExpression(static_cast<Instruction&>(made->operand(0)));
      VisitExpression(*made);
      return;
    }
    if (is_call ? effects.is_pure && i.call().bundles.empty() : IsPureExpression(i.opcode())) {
      VisitExpression(i);
      return;
    }
    if (effects.is_pure_within_block && i.call().bundles.empty()) {
      VisitExpression(i, i.parent());
      return;
    }
    if (i.opcode() == Opcode::kLoad && IsSimpleAccess(i)) {
      VisitLoad(i);
      return;
    }
    if (is_call) {
      if (effects.may_write_memory) memory_.Change(MemoryWrittenByCall(i), ++time_);
      return;
    }
    if (const MemoryKinds written = MemoryWrittenBy(i); written != 0) memory_.Change(written, ++time_);
    if (i.opcode() == Opcode::kStore && IsSimpleAccess(i)) {
      Remember({&i.operand(1), i.operand(0).type(), &i.operand(0), time_, nullptr});
    }
  }

  // The value of a PHI whose other operands are itself may be defined in a block that does not dominate the PHI only if
  // the code is unreachable; an operand from a back edge must be looked at all the same.
  bool IsUsableAt(const Value& value, const Instruction& user) const {
    if (user.opcode() != Opcode::kPhi || !value.is_instruction()) return true;
    const auto& definition = static_cast<const Instruction&>(value);
    return definition.parent() != user.parent() && dominators_.Dominates(*definition.parent(), *user.parent());
  }

  void VisitExpression(Instruction& i, const BasicBlock* block = nullptr) {
    const uint32_t hash = HashOf(i);
    const Expression* expression = expressions_.Find(
        hash, [&](const Expression& other) { return other.block == block && ComputeTheSame(*other.instruction, i); });
    if (expression != nullptr) {
      Instruction& known = *expression->instruction;
      if (i.opcode() != Opcode::kCall || HaveSameAttributes(known, i)) {
        known.set_flags(known.flags() & i.flags());
        IntersectAttachments(known, i);
        ReplaceAndErase(i, known);
        ++common;
        return;
      }
    }
    expressions_.Add(hash, {&i, block});
  }

  static uint32_t MemoryHash(const Value& pointer, const IrType* type) {
    return static_cast<uint32_t>(Mix(pointer.id(), reinterpret_cast<uintptr_t>(type)));
  }

  void Remember(const Loaded& loaded) { loaded_.Add(MemoryHash(*loaded.pointer, loaded.type), loaded); }

  void VisitLoad(Instruction& i) {
    const Value& pointer = i.operand(0);
    const Loaded* known = loaded_.Find(MemoryHash(pointer, i.type()), [&](const Loaded& loaded) {
      return loaded.pointer == &pointer && loaded.type == i.type();
    });
    const bool is_invariant = IsInvariantLoad(i);
    const MemoryKinds memory = MemoryOfSpace(pointer.type()->address_space());
    const auto is_as_before = [&](const Loaded& loaded) {
      return memory_.IsUnchangedSince(memory, loaded.time) || (is_invariant && loaded.is_invariant);
    };
    if (known != nullptr && is_as_before(*known)) {
      if (known->access != nullptr) IntersectAttachments(*known->access, i);
      ReplaceAndErase(i, *known->value);
      ++loads;
      return;
    }
    Remember({&pointer, i.type(), &i, time_, &i, is_invariant});
  }

  Function& function_;
  const Dominators dominators_;
  ScopedTable<Expression> expressions_;
  ScopedTable<Loaded> loaded_;
  KnownCallEffects call_effects_;
  MemoryTimes memory_;
  uint64_t time_ = 0;  // of the last change of memory
};

}  // namespace

IrPassResult RunEarlyCse(Function& function, IrPassContext& context) {
  const bool removed = RemoveUnreachableBlocks(function);
  unsigned merged = 0;
  for (BasicBlock* block : function.blocks()) merged += MergeCongruentPhis(*block);
  EarlyCse cse(function);
  cse.Run();
  context.AddStatistic("PHIs merged", merged);
  context.AddStatistic("instructions simplified", cse.simplified);
  context.AddStatistic("unused instructions erased", cse.erased);
  context.AddStatistic("common expressions", cse.common);
  context.AddStatistic("loads of known values", cse.loads);
  return {.changed = removed || merged != 0 || cse.simplified + cse.erased + cse.common + cse.loads != 0};
}

}  // namespace ptxmir
