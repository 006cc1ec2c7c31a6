// SPDX-License-Identifier: Apache-2.0

// The incremental update of MachineRegisterPressure. Not for use outside of machine-rpa.
//
// Edits are recorded and processed together at the next query. The record says which registers an edit touched in
// which segments. Two steps follow for each register:
//
//   shrink   Where a segment no longer reads the register first, or newly defines it, the register may no longer be
//   live.
//            It is still live if a read can be reached. A forward search through segments where it is live finds the
//            nearest read, usually at once. If the search finds none, no segment that it visited can reach a read
//            either: the register is live in none of them, and their predecessors are in doubt next. So the time is
//            that of finding one read per doubt, plus that of the changes.
//   grow     From segments that now read the register first, and from those that no longer define it, the update goes
//            backwards until the register is already live or defined.
//
// Then the pressure of the touched segments is recomputed. If a register only started or stopped to be live
// through a segment, the peak of that segment is raised or lowered without a scan.
//
// cicc rescans a tree of blocks instead. Its "attempt rename, erase unprofitable" steps belong to MachineCSE, and
// are implemented there.

#ifndef PTXMIR_ANALYSIS_PRESSURE_PRESSURE_UPDATE_H_
#define PTXMIR_ANALYSIS_PRESSURE_PRESSURE_UPDATE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/pressure/pressure_segments.h"
#include "mir/code/operand_ranges.h"

namespace ptxmir {

// The highest pressure at the points where the pressure would rise. Zero if it would rise nowhere.
struct RaisedPressure {
  uint32_t units = 0;
  uint32_t predicates = 0;
};

class PressureUpdate {
 public:
  using SegmentId = PressureSegments::SegmentId;

  static constexpr uint32_t kDefaultSegmentLength = 128;

  // Segments that have grown beyond twice `segment_length` are split into parts of that length.
  explicit PressureUpdate(PressureSegments& segments, uint32_t segment_length = kDefaultSegmentLength)
      : segments_(segments), segment_length_(segment_length) {}

  // Drops the recorded edits, because everything has been recomputed.
  void Reset();

  // These record edits.
  void WillErase(MachineInstr& instr);
  void DidInsert(MachineInstr& instr);
  void WillReplaceRegister(uint32_t from, uint32_t to);

  bool is_pending() const { return !touched_registers_.empty() || !dirty_.empty(); }
  // Processes the recorded edits. Appends the segments whose peak may have changed.
  void Flush(std::vector<SegmentId>& changed);
  // Processes what the recorded edits do to one register, as far as that changes where it is live. The pressure stays
  // pending.
  void UpdateLiveness(uint32_t reg);
  size_t num_touches() const { return touches_.size() + phi_touches_.size(); }

  // Returns the effect on the pressure of replacing all of `from` by `to` and erasing `erased`. No edit may be
  // pending. Changes nothing, except that long segments are split; those are appended to `changed`.
  RaisedPressure Try(uint32_t from, uint32_t to, const MachineInstr& erased, std::vector<SegmentId>& changed);

 private:
  struct Touch {
    SegmentId segment;
    uint32_t reg;
    bool is_exposed = false;  // read before it is written, if it is read
    bool is_defined = false;
    friend bool operator==(const Touch& a, const Touch& b) { return a.segment == b.segment && a.reg == b.reg; }
  };
  struct Point {
    const MachineInstr* instr;  // null: the beginning or the end
    RegisterPressure at_reads;
    RegisterPressure at_writes;
  };
  struct RowChange {
    SegmentId segment;
    uint32_t reg;
    bool is_in;
    bool inserted;
  };

  void NoteInstr(const MachineInstr& instr, SegmentId segment, bool added);
  void NotePhiUse(const PhiIncoming& incoming, bool added);
  void NoteDirty(SegmentId segment);
  void NoteTouch(SegmentId segment, uint32_t reg);
  void NotePhiTouch(SegmentId segment, uint32_t reg);
  void MarkTouched(uint32_t reg);
  void ForgetTouches();
  void NoteReplacement(uint32_t from, uint32_t to, const MachineInstr* except);

  void GrowTables();
  void UpdateRegisters();
  void SummarizeTouches(std::vector<Touch>& touches, std::vector<Touch>& phi_touches);
  void SummarizeSegment(absl::Span<Touch> touches);
  void UpdateRegister(uint32_t reg, absl::Span<const Touch> touches, absl::Span<const Touch> phi_touches);
  void FindDefs(uint32_t reg);
  void Shrink();
  void Grow();
  void CheckEnd(SegmentId id);
  bool ReachesRead(SegmentId id);
  enum class Visit : uint8_t { kSkip, kEnter, kFound };
  Visit VisitForwards(SegmentId id);
  void MarkPath();
  void DropVisited();
  bool IsExposed(SegmentId id);
  bool IsDefined(SegmentId id) const;
  // Computes `uses_`. Returns false if there are too many.
  bool FindUses();
  bool HasUse(SegmentId id);
  const Touch* FindTouch(SegmentId id) const;
  void DropIn(SegmentId id);
  void DropOut(SegmentId id);
  void AddIn(SegmentId id);
  void AddOut(SegmentId id);
  void PutInDoubt(SegmentId id);
  void NoteFlip(SegmentId id, bool is_in, int change);
  void SettlePeaks();
  // Splits a long segment. Appends its parts to `changed`, except the first one, which is left to be scanned. Returns
  // false if it is not long.
  bool SplitIfLong(SegmentId id, std::vector<SegmentId>& changed);
  void Undo(uint32_t from, uint32_t to, const MachineInstr& erased);
  std::vector<Point> Profile(SegmentId id);
  static void CompareProfiles(absl::Span<const Point> before, absl::Span<const Point> after, RaisedPressure& raised);

  PressureSegments& segments_;
  const uint32_t segment_length_;
  std::vector<Touch> touches_;      // touches inside segments
  std::vector<Touch> phi_touches_;  // touches at the end of segments that end a block
  std::vector<Touch> own_touches_;  // touches of the register that is updated alone
  std::vector<Touch> own_phi_touches_;
  // By register. It is current if no edit has touched it since its liveness was last computed.
  enum class State : uint8_t { kUntouched, kTouched, kCurrent };
  std::vector<State> states_;
  std::vector<uint32_t> touched_registers_;  // registers in another state than kUntouched
  std::vector<SegmentId> dirty_;             // the segments to be scanned
  std::vector<bool> is_dirty_;               // indexed by segment

  // The state of the register that is being processed.
  uint32_t reg_ = 0;
  uint32_t class_ = 0;
  absl::Span<const Touch> current_;
  absl::Span<const Touch> current_phi_;
  std::vector<SegmentId> defs_;      // sorted
  std::vector<SegmentId> in_doubt_;  // the segments whose end is in doubt
  // Computed when first asked for.
  std::vector<SegmentId> uses_;  // sorted; without PHIs
  bool knows_uses_ = false;
  bool has_few_uses_ = false;
  std::vector<SegmentId> growing_;

  // The forward search. Stamps are indexed by segment. Each register and each search draws a new stamp.
  struct Step {
    SegmentId segment;
    uint32_t next;  // the index of the next successor to visit
  };
  std::vector<Step> path_;
  std::vector<SegmentId> visited_;
  std::vector<uint32_t> visited_stamp_;
  std::vector<uint32_t> reaches_stamp_;  // the stamp of a register from which a read can be reached
  uint32_t search_ = 0;
  uint32_t register_stamp_ = 0;

  // Changes of liveness at the two ends of each segment for this register: +1 and -1.
  struct Flip {
    int8_t in = 0;
    int8_t out = 0;
    bool noted = false;
  };
  std::vector<Flip> flips_;
  std::vector<SegmentId> flipped_;
  std::vector<SegmentId> shifted_;  // the segments whose peak was adjusted

  // While a segment is summarized, indexed by register: 1 + the index of its touch.
  std::vector<uint32_t> touch_of_;

  // The state for undoing a trial.
  bool is_trying_ = false;
  std::vector<RowChange> row_changes_;
  std::vector<std::pair<SegmentId, PeakPressure>> saved_peaks_;
  std::vector<SegmentId> replaced_phi_uses_;
  std::vector<InstrPressure> profile_instrs_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_PRESSURE_UPDATE_H_
