// SPDX-License-Identifier: Apache-2.0

// Traces through the blocks of a function, chosen for the smallest number of instructions, and their timing. This
// is the core of machine-trace-metrics.
//
// The method and the terms are those of LLVM's MachineTraceMetrics (llvm/lib/CodeGen/MachineTraceMetrics.cpp). The
// trace through a block, its center, goes up along trace predecessors to its head, and down along trace successors
// to its tail. It never follows a back edge. Upward, it ends at the header of a loop; downward, it does not leave
// the center's loop. The trace predecessor, or successor, is the one through which the fewest instructions are
// executed, and the first of several such. The depth of an instruction is the earliest cycle at which it can be
// issued, counted from the head, given its operands. Its height is the number of cycles from its issue to the
// issue of the last instruction on the trace that depends on it. Memory is not modeled. PHIs, copies and
// instructions that produce no code take no time.
//
// A block's trace predecessor depends only on what is above it, and its trace successor only on what is below it.
// So the choices form two forests, and depths and heights are properties of a block, whichever block is the
// center. Everything is computed on request, along the trace in question, and kept. An edit invalidates what
// depends on the block, up to what is already invalid. So a pass that alternates between editing blocks and
// querying them pays for each block about once, as in LLVM.
//
// - A definition is on the trace if its block is an ancestor in the forest. Jump pointers (Myers, "An applicative
//   random-access stack", 1983), which a block derives from its parent, find that in logarithmic time.
// - Heights are carried upward in lists: the registers that each block and the trace below it read before they
//   write them, with the height of the reader. The lists also give the paths that cross a block: the critical path
//   of a trace is the longest path through its center or across it.
// - There is no recursion: the blocks of a trace are collected first.
//
// Time and memory are linear in the instructions and in the entries of the lists. A read of a register with n
// definitions takes O(n log blocks) outside of SSA form.
//
// Differences from LLVM:
// - The predecessor is the one that minimizes the number of instructions above the block. LLVM intends that too,
//   but omits the predecessor's own instructions.
// - Edges of irreducible cycles that go back in reverse postorder are not followed. In LLVM that depends on the
//   first query. After an edit, choices are those of a new computation.
// - For registers with several definitions, including physical ones, the definitions are those that the trace
//   would read if it were executed alone.
// - A block that the entry does not reach is a trace of its own.
// - Each latency class is a resource, busy for the issue cycles of its instructions. One instruction is issued per
//   cycle.

#ifndef PTXMIR_ANALYSIS_FREQUENCY_TRACE_ENSEMBLE_H_
#define PTXMIR_ANALYSIS_FREQUENCY_TRACE_ENSEMBLE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/control_flow/block_order.h"
#include "analysis/control_flow/machine_loops.h"
#include "base/large_vector.h"
#include "mir/code/machine_function.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {

// Issue cycles, indexed by LatencyClass.
using TraceResources = std::array<uint32_t, ptx::kNumLatencyClasses>;

class TraceEnsemble {
 public:
  struct InstrCycles {
    uint32_t depth = 0;
    uint32_t height = 0;
    friend bool operator==(const InstrCycles&, const InstrCycles&) = default;
  };

  TraceEnsemble(const MachineFunction& function, const MachineLoops& loops);

  // Returns true if an instruction takes no time: it produces no code, or is a copy that register allocation will
  // remove.
  static bool IsTransient(const MachineInstr& instr);
  // Returns the number of cycles until its results can be used.
  static uint32_t LatencyOf(const MachineInstr& instr);

  // The block by itself.
  uint32_t InstrCount(const MachineBasicBlock& block);  // without transient instructions
  bool HasCalls(const MachineBasicBlock& block);
  const TraceResources& Resources(const MachineBasicBlock& block);

  // The trace through the block.
  MachineBasicBlock* TracePredecessor(const MachineBasicBlock& block);  // null: the block is the head
  MachineBasicBlock* TraceSuccessor(const MachineBasicBlock& block);    // null: the block is the tail
  MachineBasicBlock& Head(const MachineBasicBlock& block);
  MachineBasicBlock& Tail(const MachineBasicBlock& block);
  std::vector<MachineBasicBlock*> Blocks(const MachineBasicBlock& block);  // from head to tail
  // Returns true if `other` is on the trace through `block`.
  bool IsOnTrace(const MachineBasicBlock& other, const MachineBasicBlock& block);
  // Return the number of instructions on the trace: above the block; in it and below; and in total.
  uint32_t InstrDepth(const MachineBasicBlock& block);
  uint32_t InstrHeight(const MachineBasicBlock& block);
  uint32_t TraceInstrCount(const MachineBasicBlock& block) { return InstrDepth(block) + InstrHeight(block); }
  // Returns the fewest cycles that the instructions above the block (`bottom`: above its end) keep a resource or
  // the issue slot busy.
  uint32_t ResourceDepth(const MachineBasicBlock& block, bool bottom);
  // Returns the same for the whole trace, as if `extra_blocks` and `extra_instrs` were on it and `removed_instrs`
  // were not.
  uint32_t ResourceLength(const MachineBasicBlock& block, absl::Span<const MachineBasicBlock* const> extra_blocks = {},
                          absl::Span<const MachineInstr* const> extra_instrs = {},
                          absl::Span<const MachineInstr* const> removed_instrs = {});
  // Returns the length of the longest dependence path through or across the block.
  uint32_t CriticalPath(const MachineBasicBlock& block);

  // Returns the depth and height of an instruction on the trace through its block.
  InstrCycles Cycles(const MachineInstr& instr);
  // Returns by how many cycles it can be delayed without lengthening the critical path of that trace.
  uint32_t Slack(const MachineInstr& instr);
  // Returns the depth of a PHI in a successor of `block` (not necessarily the trace successor) if control comes
  // from `block`.
  uint32_t PhiDepth(const MachineInstr& phi, const MachineBasicBlock& block);

  // Drops what depends on the instructions of the block. Call it, before or after the change and before the next
  // query, for each block that gains, loses or reorders instructions, or whose operands change. It does not cover
  // changes of edges or blocks: those need a new computation.
  void Invalidate(const MachineBasicBlock& block);

 private:
  enum Direction : uint8_t { kUp, kDown };
  // The facts that may be known about a block.
  enum Known : uint8_t {
    kOwn = 1 << 0,
    kUpLink = 1 << 1,
    kDownLink = 1 << 2,
    kInstrDepths = 1 << 3,
    kInstrHeights = 1 << 4,
    kUpResources = 1 << 5,
    kDownResources = 1 << 6,
    kCriticalPath = 1 << 7,
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  // A block's position in one of the forests.
  struct Link {
    BlockNumber next = kNone;  // the trace predecessor or successor
    BlockNumber end = kNone;   // the head or tail
    BlockNumber jump = kNone;  // a farther ancestor, or the block itself if it is the end
    uint32_t level = 0;        // the number of blocks between it and the end
    uint32_t instrs = 0;       // the instructions above the block; or those below it and in it
  };
  struct BlockState {
    uint8_t known = 0;
    bool has_calls = false;
    uint32_t instr_count = 0;
    uint32_t critical_path = 0;
    uint32_t depth_stamp = 0;  // the stamp of the last computation of depths
    std::array<Link, 2> links;
    // The registers that the trace reads before it writes them, from the beginning of the block on. A range of
    // live_ins_.
    uint32_t first_live_in = 0;
    uint32_t num_live_ins = 0;
    uint32_t live_in_capacity = 0;
    uint32_t incoming = kNone;  // an index into incoming_
  };
  struct BlockResources {
    TraceResources own, above, below;  // `below` includes `own`
  };
  struct LiveIn {
    uint32_t reg;     // a RegisterIndex
    uint32_t height;  // the largest height of its readers
  };
  // A register that a PHI reads when control comes from a block.
  struct Incoming {
    BlockNumber from;
    uint32_t reg;
    ArenaId phi;
  };
  struct InstrState {
    InstrCycles cycles;
    uint32_t position;  // the position in its block
  };

  BlockState& State(const MachineBasicBlock& block) { return states_[block.number()]; }
  bool Knows(BlockNumber block, Known what) const { return (states_[block].known & what) != 0; }
  uint32_t RegisterIndex(Register reg) const {
    return reg.is_virtual() ? num_physical_ + reg.virtual_index() : reg.bits();
  }
  Register RegisterOfIndex(uint32_t index) const {
    return index < num_physical_ ? Register::Physical(index) : Register::Virtual(index - num_physical_);
  }
  InstrState& StateOf(const MachineInstr& instr);
  void GrowRegisterTables();

  // Returns true if the edge may be on a trace through its target (kUp) or its source (kDown).
  bool MayFollow(Direction direction, const MachineBasicBlock& from, const MachineBasicBlock& to) const;
  bool MayGoUp(const MachineBasicBlock& block, const MachineBasicBlock& predecessor) const {
    return MayFollow(kUp, predecessor, block);
  }
  void ComputeOwn(const MachineBasicBlock& block);
  void EnsureLink(Direction direction, const MachineBasicBlock& block);
  void ComputeLink(Direction direction, const MachineBasicBlock& block);
  const Link& UpLink(const MachineBasicBlock& block);
  const Link& DownLink(const MachineBasicBlock& block);
  // Returns true if `ancestor` is `block` or on the trace from `block` in that direction. The link of `block` must
  // be known.
  bool IsAncestor(Direction direction, BlockNumber ancestor, BlockNumber block) const;
  // Returns the blocks from this one on in that direction for which `what` is not known, the last first.
  const std::vector<BlockNumber>& CollectUnknown(Direction direction, const MachineBasicBlock& block, Known what);

  void EnsureInstrDepths(const MachineBasicBlock& block);
  void ComputeInstrDepths(const MachineBasicBlock& block);
  // Returns the cycle at which the register can be read at the end of `block`, according to its last definition on
  // the trace up to there, or kNone. `reg` is a RegisterIndex.
  uint32_t ReadyAtEnd(uint32_t reg, BlockNumber block) const;
  uint32_t SearchReadyAtEnd(Register reg, BlockNumber block) const;
  void NoteDefinition(uint32_t reg, BlockNumber block, uint32_t ready);

  void EnsureInstrHeights(const MachineBasicBlock& block);
  void ComputeInstrHeights(const MachineBasicBlock& block);
  void RaisePending(uint32_t reg, uint32_t height);
  // Raises pending_ for the registers that PHIs of `successor` read at the end of `block`. If `is_back_edge`, the
  // heights of the PHIs count as 0.
  void RaisePendingOfPhis(const MachineBasicBlock& block, const MachineBasicBlock& successor, bool is_back_edge);
  absl::Span<const Incoming> IncomingFrom(const MachineBasicBlock& block, const MachineBasicBlock& successor);
  void StoreLiveIns(BlockState& state);

  void EnsureResources(const MachineBasicBlock& block);
  void InvalidateAbove(const MachineBasicBlock& block);
  void InvalidateBelow(const MachineBasicBlock& block);

  const MachineFunction& function_;
  const MachineLoops& loops_;
  const DepthFirstOrder order_;
  const uint32_t num_physical_;
  LargeVector<BlockState> states_;         // indexed by block number
  LargeVector<BlockResources> resources_;  // indexed by block number
  LargeVector<InstrState> instrs_;         // indexed by id

  // The last definition of a register in the block whose depths were computed with this stamp. Depths above a
  // block are computed before its own, so no definition on its trace is missing here. A stale definition is
  // recognized by its stamp.
  struct Definition {
    BlockNumber block = kNone;
    uint32_t stamp = 0;
    uint32_t ready = 0;
    bool is_one_of_many = false;  // there were several in different blocks: the list of definitions must be searched
  };
  LargeVector<Definition> definitions_;  // indexed by RegisterIndex
  uint32_t stamp_ = 0;                   // the stamp of the block whose depths are being computed

  // While the heights of a block are computed, indexed by RegisterIndex: the height of those that read the
  // register below.
  static constexpr uint32_t kNotPending = ~uint32_t{0};
  static constexpr uint32_t kWritten = kNotPending - 1;
  LargeVector<uint32_t> pending_;
  std::vector<uint32_t> touched_;  // the registers for which pending_ is not kNotPending

  LargeVector<LiveIn> live_ins_;
  size_t num_live_in_holes_ = 0;
  // For blocks with many predecessors and PHIs, sorted by predecessor.
  std::vector<std::vector<Incoming>> incoming_;
  std::vector<Incoming> found_incoming_;
  std::vector<BlockNumber> path_;
  std::vector<const MachineBasicBlock*> worklist_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_FREQUENCY_TRACE_ENSEMBLE_H_
