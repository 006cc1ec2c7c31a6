// SPDX-License-Identifier: Apache-2.0

// Traces through the blocks of a function, chosen for the smallest number of instructions, and what they say of time:
// the core of machine-trace-metrics.
//
// Method and terms are those of LLVM's MachineTraceMetrics (llvm/lib/CodeGen/MachineTraceMetrics.cpp). The trace
// through a block, its center, goes up along trace predecessors to its head, and down along trace successors to its
// tail. It never follows a back edge; upwards it ends at the header of a loop, downwards it does not leave the center's
// loop. A predecessor, or successor, is the one through which the fewest instructions are executed; the first of
// several. The depth of an instruction is the earliest cycle at which it can be issued, counted from the head, for its
// operands' sake; its height is the number of cycles from then to the issue of the last instruction on the trace that
// waits for it. Memory is not modelled. PHIs, copies and what makes no code take no time.
//
// A block's trace predecessor depends only on what is above it, its trace successor only on what is below: the choices
// form two forests, and depths and heights are properties of a block, whichever block is the center. All is computed
// when asked for, along the trace in question, and kept. An edit makes invalid what follows from the block, up to what
// is invalid already, so that a pass which edits blocks and asks about them one after the other pays for each block
// about once (LLVM does it likewise).
//
// - A definition is on the trace if its block is an ancestor in the forest: found with jump pointers (Myers, "An
//   applicative random-access stack", 1983), which a block gets from its parent, in logarithmic time.
// - Heights are carried upwards in lists: what each block and the trace below it read before they write it, with the
//   height of the reader. They give the paths that cross a block, too: the critical path of a trace is the longest path
//   through its center, or across it.
// - No recursion: blocks of a trace are collected first.
// Time and memory are linear in instructions and in the entries of the lists; a read of a register with n definitions
// outside of SSA form takes O(n log blocks).
//
// Where we differ from LLVM:
// - The predecessor is the one that minimises the number of instructions above the block. LLVM means that, but leaves
//   out the predecessor's own instructions.
// - Edges of irreducible cycles that go back in reverse postorder are not followed; in LLVM that depends on where it
//   was asked first. After an edit, choices are those of a new computation.
// - Registers with several definitions, physical ones among them, are those that the trace, executed alone, would read.
// - A block that the entry does not reach is a trace of its own.
// - Each latency class is a resource, busy for the issue cycles of its instructions; one instruction is issued a cycle.

#ifndef PTXMIR_ANALYSIS_TRACE_ENSEMBLE_H_
#define PTXMIR_ANALYSIS_TRACE_ENSEMBLE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/block_order.h"
#include "analysis/machine_loops.h"
#include "base/large_vector.h"
#include "mir/code/machine_function.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {

// Issue cycles by LatencyClass.
using TraceResources = std::array<uint32_t, ptx::kNumLatencyClasses>;

class TraceEnsemble {
 public:
  struct InstrCycles {
    uint32_t depth = 0;
    uint32_t height = 0;
    friend bool operator==(const InstrCycles&, const InstrCycles&) = default;
  };

  TraceEnsemble(const MachineFunction& function, const MachineLoops& loops);

  // Whether an instruction takes no time: it makes no code, or is a copy that register allocation will remove.
  static bool IsTransient(const MachineInstr& instr);
  // Cycles until its results can be used.
  static uint32_t LatencyOf(const MachineInstr& instr);

  // The block by itself.
  uint32_t InstrCount(const MachineBasicBlock& block);  // without transient ones
  bool HasCalls(const MachineBasicBlock& block);
  const TraceResources& Resources(const MachineBasicBlock& block);

  // The trace through the block.
  MachineBasicBlock* TracePredecessor(const MachineBasicBlock& block);  // null: the block is the head
  MachineBasicBlock* TraceSuccessor(const MachineBasicBlock& block);    // null: the block is the tail
  MachineBasicBlock& Head(const MachineBasicBlock& block);
  MachineBasicBlock& Tail(const MachineBasicBlock& block);
  std::vector<MachineBasicBlock*> Blocks(const MachineBasicBlock& block);  // from head to tail
  // Whether `other` is on the trace through `block`.
  bool IsOnTrace(const MachineBasicBlock& other, const MachineBasicBlock& block);
  // Instructions on the trace above the block, those in it and below, and together.
  uint32_t InstrDepth(const MachineBasicBlock& block);
  uint32_t InstrHeight(const MachineBasicBlock& block);
  uint32_t TraceInstrCount(const MachineBasicBlock& block) { return InstrDepth(block) + InstrHeight(block); }
  // The least number of cycles that the instructions above the block, or (`bottom`) above its end, keep a resource or
  // the issue slot busy.
  uint32_t ResourceDepth(const MachineBasicBlock& block, bool bottom);
  // The same of the whole trace, if `extra_blocks` and `extra_instrs` were on it as well, and `removed_instrs` were
  // not.
  uint32_t ResourceLength(const MachineBasicBlock& block, absl::Span<const MachineBasicBlock* const> extra_blocks = {},
                          absl::Span<const MachineInstr* const> extra_instrs = {},
                          absl::Span<const MachineInstr* const> removed_instrs = {});
  // The longest path of dependences through or across the block.
  uint32_t CriticalPath(const MachineBasicBlock& block);

  // Of an instruction, on the trace through its block.
  InstrCycles Cycles(const MachineInstr& instr);
  // By how many cycles it can be delayed without making that trace's critical path longer.
  uint32_t Slack(const MachineInstr& instr);
  // The depth of a PHI in a successor of `block` (not necessarily the trace successor) if control comes from there.
  uint32_t PhiDepth(const MachineInstr& phi, const MachineBasicBlock& block);

  // Instructions in the block are about to change, or have changed: call it for each block that gains, loses or
  // reorders instructions, or has operands changed, before the next question. Not for changes of edges or blocks:
  // these need all computed anew.
  void Invalidate(const MachineBasicBlock& block);

 private:
  enum Direction : uint8_t { kUp, kDown };
  // What of a block is known.
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

  // A block's place in one of the forests.
  struct Link {
    BlockNumber next = kNone;  // trace predecessor or successor
    BlockNumber end = kNone;   // head or tail
    BlockNumber jump = kNone;  // an ancestor further away, or the block itself if it is the end
    uint32_t level = 0;        // number of blocks between it and the end
    uint32_t instrs = 0;       // above the block; below it and in it
  };
  struct BlockState {
    uint8_t known = 0;
    bool has_calls = false;
    uint32_t instr_count = 0;
    uint32_t critical_path = 0;
    uint32_t depth_stamp = 0;  // of the last computation of depths
    std::array<Link, 2> links;
    // What the trace from the block's beginning on reads before it writes it: in live_ins_.
    uint32_t first_live_in = 0;
    uint32_t num_live_ins = 0;
    uint32_t live_in_capacity = 0;
    uint32_t incoming = kNone;  // in incoming_
  };
  struct BlockResources {
    TraceResources own, above, below;  // `below`: with its own
  };
  struct LiveIn {
    uint32_t reg;     // RegisterIndex
    uint32_t height;  // of the reader; the largest
  };
  // The register that a PHI reads when control comes from a block.
  struct Incoming {
    BlockNumber from;
    uint32_t reg;
    ArenaId phi;
  };
  struct InstrState {
    InstrCycles cycles;
    uint32_t position;  // in its block
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

  // Whether the edge may be on a trace through its target, or (kDown) its source.
  bool MayFollow(Direction direction, const MachineBasicBlock& from, const MachineBasicBlock& to) const;
  bool MayGoUp(const MachineBasicBlock& block, const MachineBasicBlock& predecessor) const {
    return MayFollow(kUp, predecessor, block);
  }
  void ComputeOwn(const MachineBasicBlock& block);
  void EnsureLink(Direction direction, const MachineBasicBlock& block);
  void ComputeLink(Direction direction, const MachineBasicBlock& block);
  const Link& UpLink(const MachineBasicBlock& block);
  const Link& DownLink(const MachineBasicBlock& block);
  // Whether `ancestor` is on the trace in that direction from `block`, whose link must be known, or is the block.
  bool IsAncestor(Direction direction, BlockNumber ancestor, BlockNumber block) const;
  // The blocks from this one on in that direction about which `what` is not known, the last first.
  const std::vector<BlockNumber>& CollectUnknown(Direction direction, const MachineBasicBlock& block, Known what);

  void EnsureInstrDepths(const MachineBasicBlock& block);
  void ComputeInstrDepths(const MachineBasicBlock& block);
  // The cycle at which the register can be read at the end of `block`: that of the last definition on the trace down
  // to there, else kNone. `reg`: RegisterIndex.
  uint32_t ReadyAtEnd(uint32_t reg, BlockNumber block) const;
  uint32_t SearchReadyAtEnd(Register reg, BlockNumber block) const;
  void NoteDefinition(uint32_t reg, BlockNumber block, uint32_t ready);

  void EnsureInstrHeights(const MachineBasicBlock& block);
  void ComputeInstrHeights(const MachineBasicBlock& block);
  void RaisePending(uint32_t reg, uint32_t height);
  // What PHIs of `successor` read at the end of `block`. `is_back_edge`: their heights count as 0.
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
  LargeVector<BlockState> states_;         // by block number
  LargeVector<BlockResources> resources_;  // by block number
  LargeVector<InstrState> instrs_;         // by id

  // The last definition of a register in the block whose depths were computed with this stamp. Depths above a block are
  // computed before its own, so no definition on its trace is missing here; one that has gone is known by its stamp.
  struct Definition {
    BlockNumber block = kNone;
    uint32_t stamp = 0;
    uint32_t ready = 0;
    bool is_one_of_many = false;  // there were several in different blocks: the list of definitions has to be searched
  };
  LargeVector<Definition> definitions_;  // by RegisterIndex
  uint32_t stamp_ = 0;                   // of the block whose depths are being computed

  // Of the block whose heights are being computed, by RegisterIndex: that of those who read the register below.
  static constexpr uint32_t kNotPending = ~uint32_t{0};
  static constexpr uint32_t kWritten = kNotPending - 1;
  LargeVector<uint32_t> pending_;
  std::vector<uint32_t> touched_;  // registers with pending_ other than kNotPending

  LargeVector<LiveIn> live_ins_;
  size_t num_live_in_holes_ = 0;
  // Of blocks with many predecessors and PHIs, sorted by predecessor.
  std::vector<std::vector<Incoming>> incoming_;
  std::vector<Incoming> found_incoming_;
  std::vector<BlockNumber> path_;
  std::vector<const MachineBasicBlock*> worklist_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_TRACE_ENSEMBLE_H_
