// SPDX-License-Identifier: Apache-2.0

// LiveRangeCalc: computes live ranges from code, and extends ranges over the control flow.
//
// There are three steps for each register:
//
//   local   One walk over the code collects what each block says by itself: a segment from each definition to its last
//           use in the block, and a segment from the beginning of the block to the last use of a value from outside.
//   upward  From each block that a value enters, the walk makes the predecessors live-out, up to the blocks that define
//           the register (as live-variables does). Registers that never cross a block boundary skip this step. Most do.
//   values  A register with one definition is done. Otherwise each block that is entered gets the value that enters it,
//           or a PHI-def if different values meet there.
//
// The third step finds the minimal number of PHI-defs: a block gets one exactly if two paths from different
// definitions (or other PHI-defs) first meet there. LLVM computes that from the dominator tree. This algorithm
// needs no tree. A pass over the entered blocks in reverse postorder gives each block the value of the
// predecessors that precede it in that order, or a PHI-def if their values differ. After the pass, the back edges
// (predecessors that come later) are compared. If that yields new PHI-defs, the pass is repeated, and keeps
// nothing but the PHI-defs. Two values that differ within one pass come over paths that have no block in common.
// So no PHI-def is superfluous, even if the control flow is irreducible. Passes are repeated only for PHI-defs
// that make others necessary against the order; nearly all registers need 2 passes.
//
// A value that no definition reaches (from the entry, or in unreachable code) is a PHI-def at the beginning of the
// block without predecessors. LLVM reports such code as an error. Here that is left to the verifier.

#ifndef PTXMIR_ANALYSIS_LIVENESS_LIVE_RANGE_CALC_H_
#define PTXMIR_ANALYSIS_LIVENESS_LIVE_RANGE_CALC_H_

#include <vector>

#include "analysis/liveness/live_range.h"
#include "analysis/liveness/slot_indexes.h"
#include "base/large_vector.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class LiveRangeCalc {
 public:
  LiveRangeCalc(const MachineFunction& function, const SlotIndexes& indexes) : function_(function), indexes_(indexes) {}

  // Computes the ranges of all virtual registers, by index, and of the physical registers that the function names.
  // `range_of` returns the empty range of a register.
  template <typename RangeOf>
  void ComputeAll(RangeOf range_of) {
    ScanFunction();
    for (size_t i = 0; i < registers_.size(); ++i) {
      if (registers_[i].head != kNone || registers_[i].request != kNone) Finish(registers_[i], range_of(RegisterAt(i)));
    }
    ReleaseScan();
  }
  // Computes the range of one register from its use list.
  void Compute(Register reg, LiveRange& range);

  // Extends the range to each of the uses, from the values that it has. A use at the end of a block is the
  // predecessor's BlockEnd.
  void Extend(LiveRange& range, absl::Span<const SlotIndex> uses);

  // Returns the point at which an operand of `instr` reads or is written.
  static SlotIndex UseIndex(const MachineInstr& instr, unsigned operand, SlotIndex index);
  static bool ReadsValue(const MachineOperand& operand) {
    return operand.reads_reg() && operand.reg().is_valid() && !operand.is_internal_read() && !operand.is_debug();
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  // Codes of values during the assignment: the number of a definition (a node or a value of the range), or a block
  // with a PHI-def.
  static constexpr uint32_t kPhiCode = 1u << 31;
  static constexpr uint32_t kNoCode = ~uint32_t{0};
  static constexpr uint32_t kThrough = kNoCode - 1;  // the live-out value is the live-in value

  // A segment within a block.
  struct Node {
    SlotIndex start;
    SlotIndex end;
    uint32_t next;  // the next node of the same register, in order; later the value's number
    uint32_t block : 31;
    uint32_t is_live_in : 1;
  };
  // A block at the end of which a register is read.
  struct Request {
    BlockNumber block;
    uint32_t next;
  };
  struct RegisterState {
    uint32_t head = kNone;  // the first of its nodes
    uint32_t tail = kNone;
    uint32_t request = kNone;
    uint32_t num_defs : 31 = 0;
    uint32_t is_live_in : 1 = false;  // live into any block
  };
  // The state of a block for the current register. Valid if `epoch` is the current one.
  struct BlockState {
    uint32_t epoch = 0;
    uint32_t node = kNone;  // the last node
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

  // An operand that names a register, in Compute.
  struct Reference {
    SlotIndex index;
    bool is_def;
    unsigned operand;
    const MachineInstr* instr;
  };

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
  // Sets `in` of every block in `entered_`.
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
  std::vector<uint32_t> reverse_post_order_;  // indexed by block number
  std::vector<BlockNumber> work_;
  std::vector<BlockNumber> entered_;  // the blocks that a value enters
  std::vector<uint32_t> added_;       // the nodes of blocks that a register lives through
  std::vector<uint32_t> order_;
  std::vector<LiveSegment> segments_;
  std::vector<SlotIndex> defs_;
  std::vector<Reference> references_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_LIVENESS_LIVE_RANGE_CALC_H_
