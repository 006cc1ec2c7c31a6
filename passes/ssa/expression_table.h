// SPDX-License-Identifier: Apache-2.0

// Expressions: instructions of which those with equal operands compute the same, and a table of them for passes that
// look for what was computed before.

#ifndef PTXMIR_PASSES_SSA_EXPRESSION_TABLE_H_
#define PTXMIR_PASSES_SSA_EXPRESSION_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/machine_dominators.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Whether the first two sources of a commutative instruction may stand in either order.
enum class SourceOrder : uint8_t { kEither, kGiven };

// The same for instructions that IsSameExpression.
size_t HashOfExpression(const MachineInstr& instr, SourceOrder order);

// Whether two instructions have the same opcode and equal operands, results apart.
bool IsSameExpression(const MachineInstr& a, const MachineInstr& b, SourceOrder order);

// The copy that the operand reads, if its source can be read instead: a register of the same class with one definition.
// Null if there is none.
MachineInstr* CopyToLookThrough(const MachineRegisterInfo& reg_info, const MachineOperand& operand);

// Of `kept`, whose results `gone`'s are to be replaced by, stays promised (nsw, contract ...) what both promised, and
// used what was used of either.
void KeepCommonPromises(MachineInstr& kept, const MachineInstr& gone);

// Erases `gone`, whose results `kept`'s replace everywhere. `results` is room for their names.
void ReplaceBySame(MachineInstr& gone, MachineInstr& kept, std::vector<Register>& results);

// The expressions that are available, the latest first. Those of a scope are all behind those of the scopes around it.
class ExpressionTable {
 public:
  explicit ExpressionTable(SourceOrder order) : order_(order) {}

  size_t Hash(const MachineInstr& instr) const { return HashOfExpression(instr, order_); }
  // By their hashes. Null if there is none.
  MachineInstr* Find(const MachineInstr& instr, size_t hash) const {
    return FindIf(instr, hash, [](const MachineInstr&) { return true; });
  }
  // One that `accepts`.
  template <typename Accepts>
  MachineInstr* FindIf(const MachineInstr& instr, size_t hash, Accepts accepts) const {
    const auto found = heads_.find(hash);
    for (uint32_t i = found == heads_.end() ? kNone : found->second; i != kNone; i = entries_[i].next) {
      MachineInstr& earlier = *entries_[i].instr;
      if (IsSameExpression(earlier, instr, order_) && accepts(earlier)) return &earlier;
    }
    return nullptr;
  }

  void Add(MachineInstr& instr, size_t hash) {
    uint32_t& head = heads_.try_emplace(hash, kNone).first->second;
    entries_.push_back({&instr, hash, head});
    head = static_cast<uint32_t>(entries_.size() - 1);
  }

  size_t size() const { return entries_.size(); }
  void ShrinkTo(size_t size) {
    for (; entries_.size() > size; entries_.pop_back()) {
      const Entry& last = entries_.back();
      if (last.next == kNone) {
        heads_.erase(last.hash);
      } else {
        heads_[last.hash] = last.next;
      }
    }
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Entry {
    MachineInstr* instr;
    size_t hash;
    uint32_t next;  // of the same hash
  };
  const SourceOrder order_;
  absl::flat_hash_map<size_t, uint32_t> heads_;
  std::vector<Entry> entries_;
};

// Visits the blocks in a preorder of the dominator tree. For each, `table` has what was added in blocks that dominate
// it.
template <typename Visit>
void VisitInScopes(MachineFunction& function, const MachineDominatorTree& dominators,
                   const std::vector<BlockNumber>& preorder, ExpressionTable& table, Visit visit) {
  struct Scope {
    const MachineBasicBlock* block;
    size_t num_expressions;  // before it
  };
  std::vector<Scope> scopes;
  for (const BlockNumber number : preorder) {
    MachineBasicBlock& block = *function.block(number);
    while (!scopes.empty() && scopes.back().block != dominators.ImmediateDominator(block)) {
      table.ShrinkTo(scopes.back().num_expressions);
      scopes.pop_back();
    }
    scopes.push_back({&block, table.size()});
    visit(block);
  }
}

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_EXPRESSION_TABLE_H_
