// SPDX-License-Identifier: Apache-2.0

// Spills a register: around the instructions that name it, short-lived registers take its place, which are computed
// again, loaded from its stack slot, or stored to it.
//
// After LLVM's InlineSpiller, with these differences:
//
// - Neighbours share. The instructions of a block that name the register are taken in order, and as long as a register
//   fits from one to the next (live-reg-matrix), they form a group with one register, so that a reload serves several
//   uses, a definition serves the uses behind it, and a local range is split around its peak. Each group that fits is
//   tried as a whole; should it not be assigned in the end, it is spilled again and every instruction is on its own.
// - What has to be stored follows from what is reloaded, over the value numbers of the interval: a definition is
//   stored only if some reload may read it, through PHI-defs, and a value that came from the slot is not stored back.
//   LLVM stores all and removes what is redundant.
// - A copy between registers of one original (what splitting leaves) becomes the load or the store itself.
//
// Registers of one original share a slot: wherever any of them is live it has the original's value of that place.

#ifndef PTXMIR_PASSES_ALLOCATE_INLINE_SPILLER_H_
#define PTXMIR_PASSES_ALLOCATE_INLINE_SPILLER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/allocate/live_range_edit.h"
#include "passes/allocate/spill_code.h"
#include "passes/allocate/split_analysis.h"

namespace ptxmir {

struct SpillOptions {
  bool use_memory = true;  // else only what can be computed again is spilled
  bool rematerialize = true;
  bool share = true;  // groups of more than one instruction
};

struct SpillCounts {
  uint64_t spilled = 0;
  uint64_t stores = 0;
  uint64_t reloads = 0;
  uint64_t rematerialized = 0;
  uint64_t stores_avoided = 0;  // of values that are in the slot already
};

class InlineSpiller {
 public:
  // While it exists, ids of deleted instructions are not used again.
  explicit InlineSpiller(LiveRangeEdit& edit);
  ~InlineSpiller();
  InlineSpiller(const InlineSpiller&) = delete;
  InlineSpiller& operator=(const InlineSpiller&) = delete;

  // Whether the register can be spilled at all: its class, and what defines and reads it.
  static bool CanSpill(const MachineFunction& function, Register reg);

  // Spills the register, which is not assigned. The registers in its place are appended to `created`; they have the
  // stage kDone when there is nothing left to be done for them, else kSpill. False: nothing has changed, because it
  // takes memory that may not be used.
  bool Spill(Register reg, const SpillOptions& options, std::vector<Register>& created);

  const SpillCounts& counts() const { return counts_; }

 private:
  enum class Origin : uint8_t { kDefinition, kReload, kRematerialization, kUndefined };
  // Instructions of a block that share a register: touches [first, end).
  struct Group {
    uint32_t first = 0;
    uint32_t end = 0;
    Origin origin = Origin::kUndefined;
    bool is_folded = false;  // the only instruction is a copy, which becomes a load, a store or nothing
    ValueId value_in = kNoValue;
    const MachineInstr* def = nullptr;  // what is computed again
    Register reg;
  };
  // A store that was put in: what reads the register is the first of its instructions.
  struct StoreRecord {
    int slot;
    SpillSequence sequence;
  };

  void DropOwnStores();
  void FormGroups();
  void FindOrigin(const RegisterTouch& touch, Group& group) const;
  bool CanShare(const RegisterTouch& last, const RegisterTouch& next) const;
  void FindStoredValues();
  void FindFoldedCopies();
  bool IsSibling(Register reg) const { return state_.map.Original(reg) == state_.map.Original(reg_); }
  // Of a copy between siblings the register that is not being spilled; invalid: it is no such copy.
  Register SiblingOf(const RegisterTouch& touch) const;
  bool IsInSlot(Register reg, ValueId value, unsigned depth) const;
  void InsertCode();
  void InsertStore(MachineInstr& behind, Register value);
  void RewriteOperands(std::vector<Register>& created);
  void RewriteDebugUses();
  void FoldCopies();
  void FoldIntoSibling(MachineInstr& copy, const Group& group);
  void Index(const SpillSequence& sequence, const MachineInstr* already_indexed);
  void DropDeadDefinitions();
  void Finish(std::vector<Register>& created);

  LiveRangeEdit& edit_;
  AllocationState& state_;
  SpillCounts counts_;
  absl::flat_hash_map<ArenaId, int> reloads_;  // instructions that define what they loaded, with the slot
  absl::flat_hash_map<ArenaId, StoreRecord> stores_;
  std::vector<bool> is_product_;  // by virtual register: of spilling

  // Of the register at hand.
  Register reg_;
  const LiveInterval* interval_ = nullptr;
  SpillOptions options_;
  int slot_ = 0;
  std::vector<RegisterTouch> touches_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;  // by touch
  std::vector<bool> is_needed_;     // by value: some reload may read it
  std::vector<bool> is_stored_;     // by touch: what it defines is stored behind it
  std::vector<bool> was_stored_;    // by value: by an earlier spill of the register
  std::vector<Register> temporaries_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_INLINE_SPILLER_H_
