// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/scalar/early_cse.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "absl/types/span.h"
#include "base/hashed_numbers.h"
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

// Everything that tells what an instruction computes, as words.
using ExpressionKey = absl::InlinedVector<uint64_t, 8>;

// Numbers keys densely, in the order in which they are first seen.
class KeyNumbers {
 public:
  size_t size() const { return ends_.size(); }
  // Returns the number of a key, or size() if it has none.
  uint32_t Find(const ExpressionKey& key) const {
    return numbers_.Find(absl::HashOf(key), [&](uint32_t number) { return Key(number) == key; });
  }
  // Returns the number of a key, which gets one if it has none.
  uint32_t Of(const ExpressionKey& key) {
    return numbers_.FindOrAdd(
        absl::HashOf(key), [&](uint32_t number) { return Key(number) == key; },
        [&] {
          words_.insert(words_.end(), key.begin(), key.end());
          ends_.push_back(words_.size());
        });
  }

 private:
  absl::Span<const uint64_t> Key(uint32_t number) const {
    const size_t begin = number == 0 ? 0 : ends_[number - 1];
    return absl::MakeConstSpan(words_).subspan(begin, ends_[number] - begin);
  }

  std::vector<uint64_t> words_;  // of all keys, one after the other
  std::vector<size_t> ends_;     // of keys in words_, by number
  HashedNumbers numbers_;        // of keys
};

// Inline assembly is left out, since each call has its own; KeyWithinBlock adds it.
ExpressionKey KeyOf(const Instruction& instruction) {
  ExpressionKey key;
  key.push_back(static_cast<uint64_t>(instruction.opcode()) << 8 |
                (instruction.opcode() == Opcode::kCall ? 0 : static_cast<uint64_t>(instruction.predicate())));
  key.push_back(reinterpret_cast<uintptr_t>(instruction.type()));
  for (const Use& use : instruction.operands()) {
    if (!use.value().is_inline_asm()) key.push_back(use.value().id());
  }
  if (IsCommutative(instruction.opcode())) std::sort(key.begin() + 2, key.end());
  if (instruction.opcode() == Opcode::kGetElementPtr) {
    key.push_back(reinterpret_cast<uintptr_t>(instruction.source_type()));
  }
  if (instruction.opcode() == Opcode::kExtractValue || instruction.opcode() == Opcode::kInsertValue) {
    for (const uint32_t index : instruction.indices()) key.push_back(index);
  }
  return key;
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
      size_t undo;
      MemoryTimes memory;  // at the end of the block
      size_t next_child = 0;
    };
    std::vector<Frame> stack;
    const auto enter = [&](BasicBlock* block, const MemoryTimes& memory, bool is_changed) {
      const size_t undo = undo_.size();
      memory_ = memory;
      if (is_changed) memory_.Change(kAllMemory, ++time_);
      VisitBlock(*block);
      stack.push_back({block, undo, memory_});
    };
    enter(&function_.entry(), MemoryTimes(), /*is_changed=*/false);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const std::vector<BasicBlock*>& below = children[top.block->number()];
      if (top.next_child == below.size()) {
        Undo(top.undo);
        stack.pop_back();
        continue;
      }
      BasicBlock* child = below[top.next_child++];
      const std::vector<BasicBlock*> predecessors = PredecessorsOf(*child);
      const bool is_only_successor = predecessors.size() == 1 && predecessors[0] == top.block;
      enter(child, MemoryTimes(top.memory), !is_only_successor);
    }
  }

  unsigned simplified = 0;
  unsigned erased = 0;
  unsigned common = 0;
  unsigned loads = 0;

 private:
  struct Loaded {
    Value* value = nullptr;
    uint64_t time = 0;
    Instruction* access = nullptr;  // the load, or null for a store
    bool is_invariant = false;      // whether the memory never changes
  };
  // The expression or the value in memory that a key had before.
  struct UndoEntry {
    uint32_t key;
    bool is_load;
    Instruction* expression;
    Loaded loaded;
  };

  void Undo(size_t size) {
    while (undo_.size() > size) {
      UndoEntry& entry = undo_.back();
      if (entry.is_load) {
        memory_values_[entry.key] = entry.loaded;
      } else {
        expressions_[entry.key] = entry.expression;
      }
      undo_.pop_back();
    }
  }

  void VisitBlock(BasicBlock& block) {
    for (Instruction* i = block.first(); i != nullptr;) {
      Instruction* next = i->next();
      Visit(*i);
      i = next;
    }
  }

  void Visit(Instruction& i) {
    if (IsRemovableIfUnused(i) && !IsUsedByCode(i)) {
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
    if (IsPureExpression(i)) {
      VisitExpression(i);
      return;
    }
    if (IsPureWithinBlock(i)) {
      VisitExpression(i, KeyWithinBlock(i));
      return;
    }
    if (i.opcode() == Opcode::kLoad && IsSimpleAccess(i)) {
      VisitLoad(i);
      return;
    }
    if (const MemoryKinds written = MemoryWrittenBy(i); written != 0) memory_.Change(written, ++time_);
    if (i.opcode() == Opcode::kStore && IsSimpleAccess(i)) {
      Remember(i.operand(1), i.operand(0).type(), {&i.operand(0), time_, nullptr});
    }
  }

  // The value of a PHI whose other operands are itself may be defined in a block that does not dominate the PHI only if
  // the code is unreachable; an operand from a back edge must be looked at all the same.
  bool IsUsableAt(const Value& value, const Instruction& user) const {
    if (user.opcode() != Opcode::kPhi || !value.is_instruction()) return true;
    const auto& definition = static_cast<const Instruction&>(value);
    return definition.parent() != user.parent() && dominators_.Dominates(*definition.parent(), *user.parent());
  }

  // Returns what tells apart calls that are equal only within a block.
  ExpressionKey KeyWithinBlock(const Instruction& call) {
    ExpressionKey key = KeyOf(call);
    key.front() |= 1;  // no other call has it
    key.push_back(call.parent()->number());
    uint64_t assembly = 0;
    if (call.callee().is_inline_asm()) {
      const auto& text = static_cast<const InlineAsm&>(call.callee());
      const std::tuple words(text.text(), text.constraints(), text.flags());
      assembly = assembly_numbers_.emplace(words, assembly_numbers_.size() + 1).first->second;
    }
    key.push_back(assembly);
    return key;
  }

  void VisitExpression(Instruction& i) { VisitExpression(i, KeyOf(i)); }

  void VisitExpression(Instruction& i, const ExpressionKey& key) {
    const uint32_t number = expression_keys_.Of(key);
    expressions_.resize(expression_keys_.size());
    Instruction*& known = expressions_[number];
    if (known != nullptr && (i.opcode() != Opcode::kCall || HaveSameAttributes(*known, i))) {
      known->set_flags(known->flags() & i.flags());
      IntersectAttachments(*known, i);
      ReplaceAndErase(i, *known);
      ++common;
      return;
    }
    undo_.push_back({number, /*is_load=*/false, known, {}});
    known = &i;
  }

  static ExpressionKey MemoryKey(const Value& pointer, const IrType* type) {
    return {pointer.id(), reinterpret_cast<uintptr_t>(type)};
  }

  void Remember(const Value& pointer, const IrType* type, const Loaded& loaded) {
    const uint32_t number = memory_keys_.Of(MemoryKey(pointer, type));
    memory_values_.resize(memory_keys_.size());
    Loaded& known = memory_values_[number];
    undo_.push_back({number, /*is_load=*/true, nullptr, known});
    known = loaded;
  }

  void VisitLoad(Instruction& i) {
    const uint32_t number = memory_keys_.Find(MemoryKey(i.operand(0), i.type()));
    const bool is_invariant = IsInvariantLoad(i);
    const MemoryKinds memory = MemoryOfSpace(i.operand(0).type()->address_space());
    const auto is_as_before = [&](const Loaded& loaded) {
      return loaded.value != nullptr &&
             (memory_.IsUnchangedSince(memory, loaded.time) || (is_invariant && loaded.is_invariant));
    };
    if (number < memory_values_.size() && is_as_before(memory_values_[number])) {
      const Loaded& known = memory_values_[number];
      if (known.access != nullptr) IntersectAttachments(*known.access, i);
      ReplaceAndErase(i, *known.value);
      ++loads;
      return;
    }
    Remember(i.operand(0), i.type(), {&i, time_, &i, is_invariant});
  }

  Function& function_;
  const Dominators dominators_;
  KeyNumbers expression_keys_;
  std::vector<Instruction*> expressions_;  // by number of the key; null if none is available
  // By text, constraints and flags.
  absl::flat_hash_map<std::tuple<std::string_view, std::string_view, uint8_t>, uint64_t> assembly_numbers_;
  KeyNumbers memory_keys_;
  std::vector<Loaded> memory_values_;  // by number of the key
  std::vector<UndoEntry> undo_;
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
