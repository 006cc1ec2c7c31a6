// SPDX-License-Identifier: Apache-2.0

// The data structure of MachineRegisterPressure: which registers are live at the ends of segments, and the
// pressure within them. Not for use outside of machine-rpa.
//
// A segment is a part of a basic block. After a full computation every block is one segment with the block's
// number. A long block that is edited is split, so that an edit costs as much as a segment, not as much as the
// block (see pressure_update.h). Each segment has a sorted row of the registers that are live at its beginning;
// the last segment of a block also has a row for its end. Rows are sparse because nearly all registers of a large
// function live in only a few blocks: a bit matrix of 100,000 blocks and 300,000 registers would take 3.75 GB.
//
// Liveness is computed register by register, backwards from the uses that are exposed at the top of their block to
// the definitions (Appel, "Modern Compiler Implementation", 2002, and Boissinot, Brandner et al., "Computing
// Liveness Sets for SSA-Form Programs", 2011, where it was the fastest method). Registers are processed in
// ascending order. So a row only grows at its end, and a look at its last entry tells if it already has the
// register. Each step adds an entry to a row, so the time is proportional to the result. Unlike those papers, we
// allow several definitions, so that the analysis works both before and after PHI elimination. It uses neither
// live-intervals nor live-variables nor kill flags.
//
// The model: an instruction first reads all operands, then writes all results. `entry` is live just before it.
// While it reads, its early-clobber results are live in addition (but not a result that is tied to an operand
// which ends here: they share a register). While it writes, `exit` and the results that are never read are live.
// PHIs define their results at the beginning of the block, all at once. They read at the end of the predecessors,
// after the terminators. Undef operands read nothing. Debug instructions are ignored. The instructions of a bundle
// count one after another; its BUNDLE header does not count. Physical registers and classes that are not allocated
// do not count.

#ifndef PTXMIR_ANALYSIS_PRESSURE_PRESSURE_SEGMENTS_H_
#define PTXMIR_ANALYSIS_PRESSURE_PRESSURE_SEGMENTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/pressure/register_pressure.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns true if an instruction is a point of its own: it is neither a debug instruction nor the head of a bundle.
inline bool IsPressurePoint(const MachineInstr& instr) {
  return !instr.is_debug() && instr.opcode() != generic::kBundle;
}

// The pressure around one instruction.
struct InstrPressure {
  const MachineInstr* instr = nullptr;
  RegisterPressure entry;      // live just before it
  RegisterPressure at_reads;   // entry and early-clobber results
  RegisterPressure at_writes;  // exit and dead results
  RegisterPressure exit;       // live just after it
  RegisterPressure births;     // the registers that it defines
  RegisterPressure last_uses;  // the registers that it is the last to read

  PeakPressure peak() const {
    PeakPressure peak(at_reads);
    peak.Include(at_writes);
    return peak;
  }
};

class PressureSegments {
 public:
  using SegmentId = uint32_t;
  using Row = std::vector<uint32_t>;  // indexes of virtual registers, ascending
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Segment {
    BlockNumber block = 0;
    SegmentId next = kNone;  // the next segment of the same block
    SegmentId previous = kNone;
    // The first instruction. Null in the first segment of a block, which begins with the block, and in a segment
    // that has lost all its instructions.
    MachineInstr* first = nullptr;
    RegisterPressure in;        // the pressure of the row at its beginning, without the results of PHIs
    RegisterPressure out;       // the pressure at its end
    RegisterPressure phi_defs;  // the results of its PHIs
    PeakPressure peak;
    uint32_t length = 0;      // the number of instructions, without PHIs
    bool needs_scan = false;  // `phi_defs` and `peak` are not known yet

    RegisterPressure entry() const { return in + phi_defs; }
  };

  explicit PressureSegments(MachineFunction& function) : function_(function), class_map_(function.target()) {}

  MachineFunction& function() const { return function_; }

  // Computes everything from scratch, with one segment per block, except what a scan finds.
  void Compute();

  Segment& segment(SegmentId id) { return segments_[id]; }
  size_t num_segments() const { return segments_.size(); }
  bool KnowsBlock(BlockNumber block) const { return block < first_segment_.size() && first_segment_[block] != kNone; }
  SegmentId first_segment(BlockNumber block) const { return first_segment_[block]; }
  SegmentId last_segment(BlockNumber block) const { return last_segment_[block]; }
  bool EndsBlock(SegmentId id) const { return segments_[id].next == kNone; }
  // Returns the segment of an instruction in a block. Takes time proportional to the length of a segment.
  SegmentId SegmentOf(const MachineInstr& instr) const;

  const Row& live_in(SegmentId id) const { return live_in_[id]; }
  const Row& live_out(SegmentId id) const { return EndsBlock(id) ? live_out_[id] : live_in_[segments_[id].next]; }
  static bool Contains(const Row& row, uint32_t reg) { return std::binary_search(row.begin(), row.end(), reg); }
  bool IsLiveIn(SegmentId id, uint32_t reg) const { return Contains(live_in_[id], reg); }
  bool IsLiveOut(SegmentId id, uint32_t reg) const { return Contains(live_out(id), reg); }

  // PHI uses: registers that PHIs read at the end of a block. Each PHI operand counts.
  bool HasPhiUse(SegmentId id, uint32_t reg) const { return Contains(phi_uses_[id], reg); }
  void AddPhiUse(SegmentId id, uint32_t reg);
  void RemovePhiUse(SegmentId id, uint32_t reg);

  // These change a row and its counts. For live-out, the segment must end a block.
  void InsertLiveIn(SegmentId id, uint32_t reg);
  void EraseLiveIn(SegmentId id, uint32_t reg);
  void InsertLiveOut(SegmentId id, uint32_t reg);
  void EraseLiveOut(SegmentId id, uint32_t reg);

  // Instructions. While an edit is tried out, the overlay shows them as they would be after the edit.
  struct Overlay {
    const MachineInstr* erased = nullptr;
    uint32_t from = kNone;  // the register that is read as `to`
    uint32_t to = kNone;
  };
  void set_overlay(const Overlay& overlay) { overlay_ = overlay; }
  const Overlay& overlay() const { return overlay_; }
  bool Counts(const MachineInstr& instr) const { return IsPressurePoint(instr) && &instr != overlay_.erased; }
  // Returns the index of the register of an operand that counts, or kNone.
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
  // LastInstr returns the last instruction of a segment, or null. StopInstr returns the instruction before its
  // first one, or null if the segment begins the block.
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
  void ScanIfNeeded(SegmentId id) {
    if (segments_[id].needs_scan) Scan(id);
  }
  // Appends the most units that are live at each instruction of a segment, the last instruction first.
  void ScanUnits(SegmentId id, std::vector<uint32_t>& out);
  // Appends the pressure at each instruction of a segment, the last instruction first.
  void ScanInstrs(SegmentId id, std::vector<InstrPressure>& out);
  // Returns the pressure at one instruction of a segment.
  InstrPressure ScanOne(SegmentId id, const MachineInstr& at);
  // Returns the first instruction of a segment at which the most units are live, or null if it has no instruction.
  const MachineInstr* FirstPeak(SegmentId id);
  // Returns the registers that are live before an instruction of a segment (`after`: after it), in ascending
  // order. Before a PHI, the results of all PHIs of the block are live.
  Row LiveAt(SegmentId id, const MachineInstr& instr, bool after);
  // Returns them where they are more, before or after an instruction that is no PHI; `after` becomes true if that is
  // while it writes.
  Row LiveAtMost(SegmentId id, const MachineInstr& instr, bool& after);
  // Makes the tail of a segment, from `first` on, a segment of its own, and returns it. Scans neither.
  SegmentId Split(SegmentId id, MachineInstr& first);
  // Makes the last `length` instructions of a longer segment a segment of its own, scans that, and returns it.
  SegmentId SplitTail(SegmentId id, uint32_t length);
  // Creates and returns the segment of `middle`, a new block on the edge from `predecessor` to `successor`.
  // `middle` names no register, and the PHIs of `successor` name it.
  SegmentId AddBlockOnEdge(const MachineBasicBlock& predecessor, const MachineBasicBlock& middle,
                           const MachineBasicBlock& successor);
  // To be called after the instructions from the beginning of segment `first` on were moved to a new block,
  // together with the edges.
  void MoveToNewBlock(SegmentId first, const MachineBasicBlock& block);
  // The first instructions of segments, except for the first segment of a block.
  void SetFirst(SegmentId id, MachineInstr* first);
  SegmentId SegmentBeginningAt(const MachineInstr& instr) const;

 private:
  friend class BackwardScan;
  struct UpwardExposed;

  void CollectEvents(UpwardExposed& exposed);
  void CollectInstr(const MachineInstr& instr, BlockNumber block, UpwardExposed& exposed);
  void PropagateRegisters(const UpwardExposed& exposed);
  SegmentId Split(SegmentId id, MachineInstr& first, Row row);
  void KnowBlock(BlockNumber block, SegmentId first, SegmentId last);
  void NoteRegisters(const MachineInstr& instr, std::vector<uint32_t>& registers) const;

  MachineFunction& function_;
  PressureClassMap class_map_;
  Overlay overlay_;
  std::vector<Segment> segments_;
  std::vector<SegmentId> first_segment_;  // indexed by block
  std::vector<SegmentId> last_segment_;
  std::vector<Row> live_in_;   // indexed by segment
  std::vector<Row> live_out_;  // indexed by segment; used for those that end a block
  std::vector<Row> phi_uses_;  // likewise; a register occurs once for each PHI operand
  absl::flat_hash_map<const MachineInstr*, SegmentId> by_first_;

  // The state of the current scan, by register: 2 * the scan's number + whether the register is live. Any other value
  // means that the register is as it is at the end.
  std::vector<uint32_t> scan_state_;
  uint32_t scan_number_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_PRESSURE_SEGMENTS_H_
