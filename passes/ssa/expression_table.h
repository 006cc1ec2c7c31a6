// SPDX-License-Identifier: Apache-2.0

// Expressions, and a table of them for passes that look for earlier computations of the same value. An expression
// is an instruction whose result depends only on its opcode and operands.

#ifndef PTXMIR_PASSES_SSA_EXPRESSION_TABLE_H_
#define PTXMIR_PASSES_SSA_EXPRESSION_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Whether the first two sources of a commutative instruction may be exchanged when instructions are compared.
enum class SourceOrder : uint8_t { kEither, kGiven };

// Returns a hash that is equal for instructions for which IsSameExpression is true.
size_t HashOfExpression(const MachineInstr& instr, SourceOrder order);

// Returns true if two instructions have the same opcode and equal operands, apart from their results.
bool IsSameExpression(const MachineInstr& a, const MachineInstr& b, SourceOrder order);

// Returns true unless the kind or an operand of the instruction makes its results depend on more than its explicit
// operands. Physical registers may be read only if they never change, such as the frame registers. The caller has to
// check what the opcode does.
bool HasFormOfExpression(const MachineRegisterInfo& reg_info, const MachineInstr& instr);

// Keeps only the promises (nsw, contract, ...) that both instructions make. `kept` will replace `gone`, so a result
// of `kept` also stays dead only if it is dead in both.
void KeepCommonPromises(MachineInstr& kept, const MachineInstr& gone);

// Erases `gone` and replaces its results by those of `kept` everywhere. `results` is scratch space for their
// names. `pressure` is told of the edits unless it is null.
void ReplaceBySame(MachineInstr& gone, MachineInstr& kept, std::vector<Register>& results,
                   MachineRegisterPressure* pressure = nullptr);

// The available expressions, the latest first. The expressions of a scope follow all those of the enclosing
// scopes.
class ExpressionTable {
 public:
  explicit ExpressionTable(SourceOrder order) : order_(order) {}

  size_t Hash(const MachineInstr& instr) const { return HashOfExpression(instr, order_); }
  // Returns the latest expression with this hash that equals `instr`, or null if there is none.
  MachineInstr* Find(const MachineInstr& instr, size_t hash) const {
    return FindIf(instr, hash, [](const MachineInstr&) { return true; });
  }
  // Returns the latest such expression for which `accepts` returns true, or null if there is none.
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
    uint32_t next;  // the next older entry with the same hash
  };
  const SourceOrder order_;
  absl::flat_hash_map<size_t, uint32_t> heads_;
  std::vector<Entry> entries_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_EXPRESSION_TABLE_H_
