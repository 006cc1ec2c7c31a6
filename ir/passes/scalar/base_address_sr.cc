// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/scalar/base_address_sr.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ir/code/dominators.h"
#include "ir/passes/support/address_polynomial.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// The number of earlier addresses of a block to which one is compared for multiples.
constexpr size_t kMaxCompared = 8;

// Everything of an address but its constant, as words.
using VariablePart = absl::InlinedVector<uint64_t, 8>;

VariablePart VariablePartOf(const AddressPolynomial& polynomial) {
  VariablePart part = {polynomial.base->id()};
  for (const AddressTerm& term : polynomial.terms) {
    part.insert(part.end(), term.monomial.begin(), term.monomial.end());
    part.push_back(term.coefficient);
  }
  return part;
}

struct KnownAddress {
  Instruction* gep;
  AddressPolynomial polynomial;
  bool is_accessed = false;
};

// A multiple of one atom.
struct Multiple {
  AtomNumber atom;
  uint64_t factor;
};

// Returns a - b if that is a multiple of one atom plus a constant, and `a` depends on all that `b` depends on.
std::optional<Multiple> MultipleBetween(const AddressPolynomial& a, const AddressPolynomial& b) {
  std::optional<AddressTerm> difference;
  auto term = b.terms.begin();
  for (const AddressTerm& own : a.terms) {
    uint64_t coefficient = own.coefficient;
    if (term != b.terms.end() && term->monomial == own.monomial) {
      coefficient -= term->coefficient;
      ++term;
    }
    if (coefficient == 0) continue;
    if (difference.has_value()) return std::nullopt;
    difference = {own.monomial, coefficient};
  }
  if (term != b.terms.end() || !difference.has_value() || difference->monomial[kMaxDegree - 2] != 0) {
    return std::nullopt;
  }
  return Multiple{difference->monomial[kMaxDegree - 1], difference->coefficient};
}

bool IsOffset(uint64_t difference) {
  const auto value = static_cast<int64_t>(difference);
  return value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
}

class BaseAddressReduction {
 public:
  explicit BaseAddressReduction(Function& function) : function_(function), dominators_(function), analysis_(function) {}

  void Run() {
    const std::vector<std::vector<BasicBlock*>> children = dominators_.Children();
    struct Frame {
      BasicBlock* block;
      size_t num_known;
      size_t num_accessed;
      size_t next_child = 0;
    };
    std::vector<Frame> stack;
    const auto enter = [&](BasicBlock* block) {
      stack.push_back({block, known_.size(), accessed_.size()});
      VisitBlock(*block);
    };
    enter(&function_.entry());
    while (!stack.empty()) {
      Frame& top = stack.back();
      const std::vector<BasicBlock*>& below = children[top.block->number()];
      if (top.next_child == below.size()) {
        Forget(top.num_known, top.num_accessed);
        stack.pop_back();
      } else {
        enter(below[top.next_child++]);
      }
    }
    EraseDeadOf(candidates_);
  }

  unsigned num_offsets = 0;
  unsigned num_multiples = 0;

 private:
  void Forget(size_t num_known, size_t num_accessed) {
    while (accessed_.size() > num_accessed) {
      known_[accessed_.back()].is_accessed = false;
      accessed_.pop_back();
    }
    while (known_.size() > num_known) {
      by_variable_part_[VariablePartOf(known_.back().polynomial)].pop_back();
      index_of_.erase(known_.back().gep->id());
      known_.pop_back();
    }
  }

  void VisitBlock(BasicBlock& block) {
    first_of_block_ = known_.size();
    multiples_.clear();
    for (Instruction* i = block.first(); i != nullptr;) {
      Instruction* next = i->next();
      if (i->opcode() == Opcode::kGetElementPtr) {
        VisitAddress(*i);
      } else if (const std::optional<unsigned> pointer = AccessedPointer(*i); pointer.has_value()) {
        MarkAccessed(i->operand(*pointer));
      }
      i = next;
    }
  }

  // No address from which this one was computed is poison.
  void MarkAccessed(Value& pointer) {
    for (Value* value = &pointer; value->is_instruction();) {
      const auto& instruction = static_cast<const Instruction&>(*value);
      if (instruction.opcode() != Opcode::kGetElementPtr) return;
      const auto found = index_of_.find(instruction.id());
      if (found != index_of_.end()) {
        // The addresses above are marked already.
        if (known_[found->second].is_accessed) return;
        known_[found->second].is_accessed = true;
        accessed_.push_back(found->second);
      }
      value = &instruction.operand(0);
    }
  }

  void VisitAddress(Instruction& gep) {
    AddressPolynomial polynomial = analysis_.PolynomialOf(gep);
    if (polynomial.base == nullptr || polynomial.terms.empty()) return;
    const std::vector<size_t>& others = by_variable_part_[VariablePartOf(polynomial)];
    for (const size_t other : others) {
      if (!CanUse(known_[other], polynomial)) continue;
      ReplaceByOffset(gep, known_[other], polynomial.constant - known_[other].polynomial.constant);
      return;
    }
    if (others.empty() && ReplaceByMultiple(gep, polynomial)) return;
    AddKnown(gep, std::move(polynomial));
  }

  void AddKnown(Instruction& gep, AddressPolynomial polynomial) {
    by_variable_part_[VariablePartOf(polynomial)].push_back(known_.size());
    index_of_.emplace(gep.id(), known_.size());
    known_.push_back({&gep, std::move(polynomial)});
  }

  static bool CanUse(const KnownAddress& known, const AddressPolynomial& wanted) {
    return IsOffset(wanted.constant - known.polynomial.constant) &&
           (known.is_accessed || PromisesAreSubset(known.polynomial, wanted));
  }

  // Makes the address of `known` poison at most where what it is computed from is. Common subexpression elimination
  // drops flags in the same way.
  static void DropFlags(const KnownAddress& known) {
    if (known.is_accessed) return;
    for (Instruction* gep : known.polynomial.geps) gep->set_flags(0);
  }

  void ReplaceByOffset(Instruction& gep, const KnownAddress& known, uint64_t offset) {
    // It is so already.
    if (&gep.operand(0) == known.gep) return;
    DropFlags(known);
    Replace(gep, PointerPlus(gep, *known.gep, offset, 0));
    ++num_offsets;
  }

  void Replace(Instruction& gep, Value& value) {
    for (const Use& use : gep.operands()) {
      if (use.value().is_instruction()) candidates_.push_back(static_cast<Instruction*>(&use.value()));
    }
    ReplaceAndErase(gep, value);
  }

  bool ReplaceByMultiple(Instruction& gep, const AddressPolynomial& polynomial) {
    const size_t first = std::max(first_of_block_, known_.size() - std::min(known_.size(), kMaxCompared));
    for (size_t i = known_.size(); i > first; --i) {
      const KnownAddress& known = known_[i - 1];
      if (known.polynomial.base != polynomial.base || !CanUse(known, polynomial)) continue;
      const std::optional<Multiple> multiple = MultipleBetween(polynomial, known.polynomial);
      if (!multiple.has_value()) continue;
      DropFlags(known);
      Instruction& sum =
          InsertBefore(gep, Opcode::kGetElementPtr, gep.type(), {{*known.gep}, {ValueOf(*multiple, gep)}});
      function_.SetDetail<const IrType*>(sum, function_.module().types().Integer(8));
      AddressPolynomial without_offset = polynomial;
      without_offset.constant = known.polynomial.constant;
      without_offset.geps = known.polynomial.geps;
      without_offset.geps.push_back(&sum);
      const uint64_t offset = polynomial.constant - known.polynomial.constant;
      AddKnown(sum, std::move(without_offset));
      Replace(gep, PointerPlus(gep, sum, offset, 0));
      ++num_multiples;
      return true;
    }
    return false;
  }

  // Returns the multiple as a value of the width of addresses, computed once in a block.
  Value& ValueOf(const Multiple& multiple, Instruction& before) {
    const auto [place, is_new] = multiples_.emplace(std::pair(multiple.atom, multiple.factor), nullptr);
    if (!is_new) return *place->second;
    const IrType* type = function_.module().types().Integer(64);
    const auto [atom, extension] = analysis_.atom(multiple.atom);
    Value* value = atom;
    if (atom->type() != type) {
      const Opcode opcode = extension == IndexExtension::kZero ? Opcode::kZExt : Opcode::kSExt;
      value = &InsertBefore(before, opcode, type, {{*value}});
    }
    if (std::has_single_bit(multiple.factor) && multiple.factor != 1) {
      const auto count = static_cast<uint64_t>(std::countr_zero(multiple.factor));
      value = &InsertBefore(before, Opcode::kShl, type, {{*value}, {*function_.Integer(type, count)}});
    } else if (multiple.factor != 1) {
      value = &InsertBefore(before, Opcode::kMul, type, {{*value}, {*function_.Integer(type, multiple.factor)}});
    }
    place->second = value;
    return *value;
  }

  Function& function_;
  const Dominators dominators_;
  AddressAnalysis analysis_;
  // The addresses that are known where the walk is, those of the current block from `first_of_block_` on.
  std::vector<KnownAddress> known_;
  size_t first_of_block_ = 0;
  std::vector<size_t> accessed_;
  absl::flat_hash_map<VariablePart, std::vector<size_t>> by_variable_part_;
  absl::flat_hash_map<ArenaId, size_t> index_of_;
  absl::flat_hash_map<std::pair<AtomNumber, uint64_t>, Value*> multiples_;
  std::vector<Instruction*> candidates_;
};

}  // namespace

IrPassResult RunBaseAddressSr(Function& function, IrPassContext& context) {
  const bool removed = RemoveUnreachableBlocks(function);
  BaseAddressReduction reduction(function);
  reduction.Run();
  context.AddStatistic("addresses that became offsets of others", reduction.num_offsets);
  context.AddStatistic("addresses that became sums", reduction.num_multiples);
  return {.changed = removed || reduction.num_offsets + reduction.num_multiples != 0};
}

}  // namespace ptxmir
