// SPDX-License-Identifier: Apache-2.0

// Spills a register: replaces it, around the instructions that name it, by short-lived registers that are
// rematerialized, loaded from its stack slot or stored to it.
//
// It follows LLVM's InlineSpiller, with these differences:
//
//  - Neighbors share. The instructions of a block that name the register are visited in order. As long as a register
//    fits between one and the next (live-reg-matrix), they form a group with one register. A reload then serves several
//    uses, a definition serves the uses after it, and a local range is split around its peak. Each group is first tried
//    as a whole. If it cannot be assigned, it is spilled again, and every instruction gets its own register.
//  - Stores are derived from the reloads, over the value numbers of the interval: a definition is stored only if some
//    reload may read it, possibly through PHI-defs, and a value that came from the slot is not stored back. LLVM stores
//    all definitions and removes the redundant stores.
//  - A copy between registers of the same original (a product of splitting) becomes the load or the store itself.
//
// Registers with the same original share a slot: wherever one of them is live, it has the original's value at that
// point.

#ifndef PTXMIR_PASSES_ALLOCATE_SPILL_INLINE_SPILLER_H_
#define PTXMIR_PASSES_ALLOCATE_SPILL_INLINE_SPILLER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/allocate/assignment/live_range_edit.h"
#include "passes/allocate/spill/spill_code.h"
#include "passes/allocate/split/split_analysis.h"

namespace ptxmir {

struct SpillOptions {
  bool use_memory = true;  // otherwise only values that can be rematerialized are spilled
  bool rematerialize = true;
  bool share = true;  // whether to form groups of more than one instruction
};

// Totals of the work that an InlineSpiller did.
struct InlineSpillerCounts {
  uint64_t spilled = 0;  // registers
  uint64_t stores = 0;
  uint64_t reloads = 0;
  uint64_t rematerialized = 0;
  uint64_t stores_avoided = 0;  // of values that are in the slot already
};

class InlineSpiller {
 public:
  // While the spiller exists, the ids of deleted instructions are not reused.
  explicit InlineSpiller(LiveRangeEdit& edit);
  ~InlineSpiller();
  InlineSpiller(const InlineSpiller&) = delete;
  InlineSpiller& operator=(const InlineSpiller&) = delete;

  // Returns true if the register can be spilled, given its class and the instructions that define and read it.
  static bool CanSpill(const MachineFunction& function, Register reg);

  // Returns true if spilling the register without memory fails, because one of its values cannot be rematerialized
  // where it is read. For functions in which nothing was spilled to memory. O(touches).
  bool NeedsMemory(Register reg, const SpillOptions& options);

  // Spills the register, which must not be assigned. Appends its replacements to `created`. Their stage is kDone
  // if nothing more can be done for them, and kSpill otherwise. Returns false, and changes nothing, if spilling
  // would need memory that may not be used.
  bool Spill(Register reg, const SpillOptions& options, std::vector<Register>& created);

  const InlineSpillerCounts& counts() const { return counts_; }

 private:
  enum class Origin : uint8_t { kDefinition, kReload, kRematerialization, kUndefined };
  // A group of instructions of a block that share a register: touches [first, end).
  struct Group {
    uint32_t first = 0;
    uint32_t end = 0;
    Origin origin = Origin::kUndefined;
    bool is_folded = false;  // the only instruction is a copy, which becomes a load, a store or nothing
    ValueId value_in = kNoValue;
    const MachineInstr* def = nullptr;  // the instruction to rematerialize
    Register reg;
  };
  // An inserted store. The first instruction of its sequence reads the register.
  struct StoreRecord {
    int slot;
    SpillSequence sequence;
  };

  // Makes the register the current one.
  void Begin(Register reg, const SpillOptions& options);
  void DropOwnStores();
  void FormGroups();
  bool HasReloads() const;
  void FindOrigin(const RegisterTouch& touch, Group& group) const;
  bool CanShare(const RegisterTouch& last, const RegisterTouch& next) const;
  void FindStoredValues();
  void FindFoldedCopies();
  bool IsSibling(Register reg) const { return state_.map.Original(reg) == state_.map.Original(reg_); }
  // Returns the register of a copy between siblings that is not being spilled, or an invalid register if the
  // instruction is not such a copy.
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
  InlineSpillerCounts counts_;
  absl::flat_hash_map<ArenaId, int> reloads_;  // the instructions that define a reloaded value, with the slot
  absl::flat_hash_map<ArenaId, StoreRecord> stores_;
  std::vector<bool> is_product_;  // by virtual register: whether it was created by spilling

  // State for the current register.
  Register reg_;
  const LiveInterval* interval_ = nullptr;
  SpillOptions options_;
  int slot_ = 0;
  std::vector<RegisterTouch> touches_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;  // by touch
  std::vector<bool> is_needed_;     // by value: whether some reload may read it
  std::vector<bool> is_stored_;     // by touch: whether its definition is stored right after it
  std::vector<bool> was_stored_;    // by value: whether an earlier spill of the register stored it
  std::vector<Register> temporaries_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_SPILL_INLINE_SPILLER_H_
