// SPDX-License-Identifier: Apache-2.0

// reaching-definitions: which definitions of a register a use may read, in SSA form or not.
//
// A register with one definition needs no computation: that definition reaches every use. (In SSA form, all
// registers have one.) For registers with several definitions, each use that no definition precedes in its block
// is traced back through the blocks to definitions, and each definition is propagated forward through those
// blocks. A block that needs the answer has a sorted list of the definitions that reach its beginning. The order
// within blocks comes from slot-indexes. The cost is linear in the function and the entries of these lists. A PHI
// reads at the end of its predecessors.
//
// Definitions of physical registers count like others. Inline asm and calls define what their operands say. A use
// inside a bundle reads what reaches the bundle, unless it is an internal read.

#ifndef PTXMIR_ANALYSIS_LIVENESS_REACHING_DEFINITIONS_H_
#define PTXMIR_ANALYSIS_LIVENESS_REACHING_DEFINITIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/liveness/backward_reachability.h"
#include "analysis/liveness/slot_indexes.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class ReachingDefinitions : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kReachingDefinitions;
  ReachingDefinitions(MachineFunction& function, AnalysisManager& analyses);

  // Returns the instructions whose definition a use may read, in layout order. The use must not be undef, and not
  // in a debug instruction.
  std::vector<MachineInstr*> Reaching(const MachineOperand& use) const;
  // Returns true if some path from the function's entry to the use passes no definition.
  bool MayBeUndefined(const MachineOperand& use) const;
  // Returns the definition that the use reads on every path; null if there are several or the register may be
  // undefined.
  MachineInstr* UniqueReaching(const MachineOperand& use) const;

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  // The definitions of registers that have several, sorted by register and then in layout order. Number 0 stands
  // for the undefined value at the entry.
  using DefId = uint32_t;
  static constexpr DefId kUndefined = 0;
  struct Definition {
    MachineInstr* instr = nullptr;
    BlockNumber block = 0;
  };
  // The definitions of one register that reach the beginning of a block.
  struct Entry {
    BlockNumber block;
    uint32_t first, count;  // a range of entry_defs_
  };

  size_t RegisterIndex(Register reg) const {
    return reg.is_virtual() ? reg.virtual_index() : num_virtual_ + reg.bits();
  }
  Register RegisterAt(size_t index) const {
    const uint32_t number = static_cast<uint32_t>(index);
    return number < num_virtual_ ? Register::Virtual(number) : Register::Physical(number - num_virtual_);
  }
  uint32_t NumberDefinitions();
  void FindBlocksInNeed();
  // The definitions of one register that reach the beginnings of blocks, indexed by block.
  using DefsByBlock = std::vector<std::vector<DefId>>;
  void SpreadDefinitions(uint32_t reg, const BackwardReachability& search, DefsByBlock& at_entry) const;
  // Adds the entries of `blocks`, and clears their definitions.
  void AddEntries(absl::Span<const BlockNumber> blocks, DefsByBlock& at_entry);
  // Returns the definitions of a register: the ids [first, last).
  std::pair<DefId, DefId> DefinitionsOf(size_t reg) const { return {first_def_[reg], first_def_[reg + 1]}; }
  // Returns the last definition in the block before `index`, or kUndefined if there is none.
  DefId LastDefinition(size_t reg, BlockNumber block, SlotIndex index) const;
  absl::Span<const DefId> AtEntry(size_t reg, BlockNumber block) const;
  // Returns the ids of the definitions that reach a point. kUndefined comes first if it is one of them.
  std::vector<DefId> Find(size_t reg, const MachineBasicBlock& block, const MachineInstr* before) const;
  std::vector<DefId> FindForUse(const MachineOperand& use) const;

  const MachineFunction& function_;
  const SlotIndexes& indexes_;
  const MachineDominatorTree& dominators_;
  uint32_t num_virtual_;
  std::vector<Definition> defs_;       // indexed by DefId
  std::vector<DefId> first_def_;       // indexed by register, plus a final entry
  std::vector<uint32_t> first_entry_;  // indexed by register, plus a final entry: a range of entries_, sorted by block
  std::vector<Entry> entries_;
  std::vector<DefId> entry_defs_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_LIVENESS_REACHING_DEFINITIONS_H_
