// SPDX-License-Identifier: Apache-2.0

// What MachineRegisterPressure is made of: which registers are live at the ends of segments, and the pressure
// within them. Not for use outside of machine-rpa.
//
// A segment is a stretch of a basic block. After a full computation every block is one segment with the block's
// number; a long block that is edited is split, so that an edit costs what a segment costs, not what the
// block does (see pressure_update.h). Each segment has the registers that are live at its beginning as a sorted
// row; the last one of a block also those at its end. Rows are sparse because nearly all registers of a large
// function live in a few blocks only: a bit matrix of 100,000 blocks and 300,000 registers would take 3.75 GB.
//
// Liveness is computed register by register, going backwards from the uses that are exposed at the top of their
// block until definitions (Appel, "Modern Compiler Implementation", 2002, and Boissinot, Brandner et al.,
// "Computing Liveness Sets for SSA-Form Programs", 2011, where it was the fastest way). Registers come in
// ascending order, so that a row is appended to and "is it there already" is a look at its last entry. Each
// step adds to a row: the time is that of the answer. Where we differ: several definitions are allowed, so that
// it serves before and after PHI elimination alike. Nothing is taken from live-intervals, live-variables or from
// kill flags.
//
// The model. At an instruction, first all operands are read, then all results written. Just before it, `entry`
// is live; while it reads, in addition what is early-clobber (but not a result that is tied to an operand which
// ends here: they share a register); while it writes, `exit` and the results that nobody reads. PHIs take their
// values at the block's beginning, all at once; they read at the end of the predecessors, after the terminators.
// Undef operands read nothing. Debug instructions are not there. The instructions of a bundle count one after
// another, its BUNDLE header not. Physical registers and classes that are not allocated do not count.

#ifndef PTXMIR_ANALYSIS_PRESSURE_SEGMENTS_H_
#define PTXMIR_ANALYSIS_PRESSURE_SEGMENTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/register_pressure.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// The pressure around one instruction.
struct InstrPressure {
  const MachineInstr* instr = nullptr;
  RegisterPressure entry;      // live just before it
  RegisterPressure at_reads;   // entry, and early-clobber results
  RegisterPressure at_writes;  // exit, and dead results
  RegisterPressure exit;       // live just after it
  RegisterPressure births;     // registers that it defines
  RegisterPressure last_uses;  // registers that it is the last to read

  PeakPressure peak() const {
    PeakPressure peak(at_reads);
    peak.Include(at_writes);
    return peak;
  }
};

class PressureSegments {
 public:
  using SegmentId = uint32_t;
  using Row = std::vector<uint32_t>;  // virtual register indexes, ascending
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Segment {
    BlockNumber block = 0;
    SegmentId next = kNone;  // of the same block
    SegmentId previous = kNone;
    // Where it begins; null in the first segment of a block, which begins with the block, and in one that has
    // lost all its instructions.
    MachineInstr* first = nullptr;
    RegisterPressure in;        // of the row at its beginning, results of PHIs not among them
    RegisterPressure out;       // at its end
    RegisterPressure phi_defs;  // results of its PHIs
    PeakPressure peak;
    uint32_t length = 0;  // instructions, PHIs apart, when it was last scanned

    RegisterPressure entry() const { return in + phi_defs; }
  };

  explicit PressureSegments(MachineFunction& function) : function_(function), class_map_(function.target()) {}

  MachineFunction& function() const { return function_; }

  // Computes everything anew, with one segment a block.
  void Compute();

  Segment& segment(SegmentId id) { return segments_[id]; }
  size_t num_segments() const { return segments_.size(); }
  bool KnowsBlock(BlockNumber block) const { return block < first_segment_.size() && first_segment_[block] != kNone; }
  SegmentId first_segment(BlockNumber block) const { return first_segment_[block]; }
  SegmentId last_segment(BlockNumber block) const { return last_segment_[block]; }
  bool EndsBlock(SegmentId id) const { return segments_[id].next == kNone; }
  // The segment of an instruction in a block. Takes time proportional to the length of a segment.
  SegmentId SegmentOf(const MachineInstr& instr) const;

  const Row& live_in(SegmentId id) const { return live_in_[id]; }
  const Row& live_out(SegmentId id) const { return EndsBlock(id) ? live_out_[id] : live_in_[segments_[id].next]; }
  static bool Contains(const Row& row, uint32_t reg) { return std::binary_search(row.begin(), row.end(), reg); }
  bool IsLiveIn(SegmentId id, uint32_t reg) const { return Contains(live_in_[id], reg); }
  bool IsLiveOut(SegmentId id, uint32_t reg) const { return Contains(live_out(id), reg); }

  // Counts each operand of a PHI that reads a register at the end of a block.
  bool HasPhiUse(SegmentId id, uint32_t reg) const { return Contains(phi_uses_[id], reg); }
  void AddPhiUse(SegmentId id, uint32_t reg);
  void RemovePhiUse(SegmentId id, uint32_t reg);

  // Change a row and the counts that go with it. For live-out: of segments that end a block.
  void InsertLiveIn(SegmentId id, uint32_t reg);
  void EraseLiveIn(SegmentId id, uint32_t reg);
  void InsertLiveOut(SegmentId id, uint32_t reg);
  void EraseLiveOut(SegmentId id, uint32_t reg);

  // Instructions. Those with which an edit is tried out are seen as they would be (see Overlay).
  struct Overlay {
    const MachineInstr* erased = nullptr;
    uint32_t from = kNone;  // read as `to`
    uint32_t to = kNone;
  };
  void set_overlay(const Overlay& overlay) { overlay_ = overlay; }
  const Overlay& overlay() const { return overlay_; }
  bool Counts(const MachineInstr& instr) const {
    return !instr.is_debug() && instr.opcode() != generic::kBundle && &instr != overlay_.erased;
  }
  // The index of a register operand that counts, else kNone.
  uint32_t CountedRegister(const MachineOperand& operand) const {
    if (!operand.is_reg() || !operand.reg().is_virtual()) return kNone;
    const uint32_t reg = operand.reg().virtual_index();
    if (!IsCounted(reg)) return kNone;
    return reg == overlay_.from ? overlay_.to : reg;
  }
  bool IsCounted(uint32_t reg) const {
    return class_map_.IsCounted(function_.reg_info().reg_class(Register::Virtual(reg)));
  }
  uint32_t ClassOf(uint32_t reg) const { return class_map_[function_.reg_info().reg_class(Register::Virtual(reg))]; }
  // The last instruction of a segment, or null; and what stands before its first (null: it begins the block).
  MachineInstr* LastInstr(SegmentId id) const;
  MachineInstr* StopInstr(SegmentId id) const;

  template <typename Function>
  void ForEachInstr(SegmentId id, Function function) const {
    const MachineInstr* last = LastInstr(id);
    const MachineInstr* stop = StopInstr(id);
    if (last == stop) return;
    const MachineInstr* instr = stop == nullptr ? function_.block(segments_[id].block)->front() : stop->next();
    for (;; instr = instr->next()) {
      function(*instr);
      if (instr == last) return;
    }
  }

  // Computes the pressure within a segment from the rows at its ends, and counts its instructions.
  void Scan(SegmentId id);
  // Appends the pressure at each instruction of a segment, last one first.
  void ScanInstrs(SegmentId id, std::vector<InstrPressure>& out);
  // The registers that are live before an instruction of a segment, or with `after` behind it: ascending. Before
  // a PHI, the results of all PHIs of the block are.
  Row LiveAt(SegmentId id, const MachineInstr& instr, bool after);
  // Makes the tail of a segment, from `first` on, a segment of its own, and returns that. Neither is scanned.
  SegmentId Split(SegmentId id, MachineInstr& first);
  // After `middle`, a new block that names no register, was put on the edge from `predecessor` to `successor`, whose
  // PHIs name it: gives it a segment, and returns that.
  SegmentId AddBlockOnEdge(const MachineBasicBlock& predecessor, const MachineBasicBlock& middle,
                           const MachineBasicBlock& successor);
  // After the instructions from the beginning of segment `first` on went to a new block, with the edges.
  void MoveToNewBlock(SegmentId first, const MachineBasicBlock& block);
  // Heads of segments, other than the first of a block.
  void SetFirst(SegmentId id, MachineInstr* first);
  SegmentId SegmentBeginningAt(const MachineInstr& instr) const;

 private:
  friend class BackwardScan;
  struct UpwardExposed;

  void CollectEvents(UpwardExposed& events);
  void CollectInstr(const MachineInstr& instr, BlockNumber block, UpwardExposed& events);
  void PropagateRegisters(UpwardExposed& events);
  void KnowBlock(BlockNumber block, SegmentId first, SegmentId last);
  void NoteRegisters(const MachineInstr& instr, std::vector<uint32_t>& registers) const;

  MachineFunction& function_;
  PressureClassMap class_map_;
  Overlay overlay_;
  std::vector<Segment> segments_;
  std::vector<SegmentId> first_segment_;  // by block
  std::vector<SegmentId> last_segment_;
  std::vector<Row> live_in_;   // by segment
  std::vector<Row> live_out_;  // by segment; of those that end a block
  std::vector<Row> phi_uses_;  // likewise; a register stands once for each PHI operand
  absl::flat_hash_map<const MachineInstr*, SegmentId> by_first_;

  // Of the scan that goes on: 2 * number of the scan + whether the register is live, else it is as at the end.
  std::vector<uint32_t> scan_state_;
  uint32_t scan_number_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_SEGMENTS_H_
