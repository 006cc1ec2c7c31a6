// SPDX-License-Identifier: Apache-2.0

// LiveRangeCalc: computes live ranges from code, and extends ranges over the control flow.
//
// Three steps for a register:
//
//   local   one walk over the code gives, for each block, what the block itself says: a segment for each
//           definition up to its last use in the block, and one from the block's beginning to the last use of a
//           value that comes from outside.
//   upward  from each block that a value enters, the predecessors are made live-out, up to those that define it
//           (as live-variables does). Registers that never cross a border of blocks, which is most, skip this.
//   values  a register with one definition is done. Else each block that is entered gets the value it is entered
//           with, or a PHI-def where different ones meet.
//
// The third step finds the minimal number of PHI-defs: a block gets one exactly if two paths from different
// definitions (or other PHI-defs) first meet there. LLVM computes that from the dominator tree. Here no tree is
// needed: a pass over the entered blocks in reverse post-order gives each the value of its predecessors that came
// before it, and a PHI-def if those differ. Predecessors that came later (back edges) are compared when the pass
// is over, and the pass is repeated, from nothing but the PHI-defs, as long as new ones are found. Two values
// that differ within one pass come over paths that have no block in common; so no PHI-def is made in vain, also
// where the control flow is irreducible. The number of passes is that of PHI-defs which make new ones necessary
// against the order: 2 for nearly all registers.
//
// A value that no definition reaches (from the entry, or in unreachable code) is a PHI-def at the beginning of the
// block without predecessors. LLVM reports such code as an error; here it stays the verifier's business.

#ifndef PTXMIR_ANALYSIS_LIVE_RANGE_CALC_H_
#define PTXMIR_ANALYSIS_LIVE_RANGE_CALC_H_

#include <vector>

#include "analysis/live_range.h"
#include "analysis/slot_indexes.h"
#include "base/large_vector.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class LiveRangeCalc {
 public:
  LiveRangeCalc(const MachineFunction& function, const SlotIndexes& indexes) : function_(function), indexes_(indexes) {}

  // Sets the ranges of all virtual registers, by index, and of the physical registers that the function names.
  // `range_of` gives the empty range of a register.
  template <typename RangeOf>
  void ComputeAll(RangeOf range_of) {
    ScanFunction();
    for (size_t i = 0; i < registers_.size(); ++i) {
      if (registers_[i].head != kNone || registers_[i].request != kNone) Finish(registers_[i], range_of(RegisterAt(i)));
    }
    ReleaseScan();
  }
  // Sets the range of one register, from its use list.
  void Compute(Register reg, LiveRange& range);

  // Makes the range live at each of the uses (block ends are uses at the predecessor's BlockEnd), from the values
  // that it has.
  void Extend(LiveRange& range, absl::Span<const SlotIndex> uses);

  // Where an operand of `instr` reads or is written.
  static SlotIndex UseIndex(const MachineInstr& instr, unsigned operand, SlotIndex index);
  static bool ReadsValue(const MachineOperand& operand) {
    return operand.reads_reg() && operand.reg().is_valid() && !operand.is_internal_read() && !operand.is_debug();
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  // Codes of values while they are assigned: a definition's number (a node or a value of the range), or a block
  // with a PHI-def.
  static constexpr uint32_t kPhiCode = 1u << 31;
  static constexpr uint32_t kNoCode = ~uint32_t{0};
  static constexpr uint32_t kThrough = kNoCode - 1;  // what is live out is what was live in

  // A segment within a block.
  struct Node {
    SlotIndex start;
    SlotIndex end;
    uint32_t next;  // of the same register, in order; then the value's number
    uint32_t block : 31;
    uint32_t is_live_in : 1;
  };
  // A block at whose end a register is read.
  struct Request {
    BlockNumber block;
    uint32_t next;
  };
  struct RegisterState {
    uint32_t head = kNone;  // nodes
    uint32_t tail = kNone;
    uint32_t request = kNone;
    uint32_t num_defs : 31 = 0;
    uint32_t is_live_in : 1 = false;  // to any block
  };
  // Of the register at hand, when `epoch` is its.
  struct BlockState {
    uint32_t epoch = 0;
    uint32_t node = kNone;  // the last
    uint32_t out = kNoCode;
    uint32_t in = kNoCode;
    bool is_out_known = false;
    bool is_phi = false;
  };

  Register RegisterAt(size_t i) const {
    const uint32_t index = static_cast<uint32_t>(i);
    return index < num_virtual_ ? Register::Virtual(index) : Register::Physical(index - num_virtual_);
  }
  size_t IndexOf(Register reg) const { return reg.is_virtual() ? reg.virtual_index() : num_virtual_ + reg.bits(); }

  void ScanFunction();
  void ScanPhi(const MachineInstr& phi, const MachineBasicBlock& block, SlotIndex index);
  void ReleaseScan();
  void NoteUse(RegisterState& state, BlockNumber block, SlotIndex block_start, SlotIndex use);
  void NoteDef(RegisterState& state, BlockNumber block, SlotIndex block_start, SlotIndex def);
  void NoteRequest(RegisterState& state, BlockNumber block);
  uint32_t AppendNode(RegisterState& state, Node node);

  void Finish(const RegisterState& state, LiveRange& range);
  void WalkUp(const RegisterState& state);
  void MakeLiveOut(const MachineBasicBlock& block);
  void OrderNodes(const RegisterState& state);
  void EmitValues(LiveRange& range);
  void EmitSingleValue(LiveRange& range);

  BlockState& StateOf(BlockNumber block);
  void BeginRegister();
  // Gives every block in `entered_` its `in`.
  void AssignValues();
  bool PropagateValues();
  bool CompareBackEdges();
  uint32_t OutOf(BlockNumber block) {
    const BlockState& state = blocks_[block];
    return state.out == kThrough ? state.in : state.out;
  }
  bool IsEntry(const MachineBasicBlock& block) const {
    return block.predecessors().empty() || &block == function_.front();
  }
  void ExtendUpward(LiveRange& range);
  void EnterBlock(const MachineBasicBlock& block, SlotIndex end);
  void ComputeReversePostOrder();

  const MachineFunction& function_;
  const SlotIndexes& indexes_;
  uint32_t num_virtual_ = 0;
  LargeVector<RegisterState> registers_;
  LargeVector<Node> nodes_;
  LargeVector<Request> requests_;

  std::vector<BlockState> blocks_;
  uint32_t epoch_ = 0;
  std::vector<uint32_t> reverse_post_order_;  // by block number
  std::vector<BlockNumber> work_;
  std::vector<BlockNumber> entered_;  // blocks that a value enters
  std::vector<uint32_t> added_;       // nodes of blocks that are lived through
  std::vector<uint32_t> order_;
  std::vector<LiveSegment> segments_;
  std::vector<SlotIndex> defs_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_LIVE_RANGE_CALC_H_
