// SPDX-License-Identifier: Apache-2.0

// How MachineRegisterPressure follows edits. Not for use outside of machine-rpa.
//
// Edits are noted and worked off together, when somebody asks. What is noted is which registers an edit touched
// in which segments. For each register then:
//
//   shrink   Where its segment no longer reads it first, and where it is newly defined, it may no longer be live.
//            It still is when a read can be reached: a search forwards through segments where it is live finds
//            the nearest, mostly at once. When the search finds none, no segment that it came through can reach
//            one either; the register is live in none of them, and their predecessors are in doubt next. So
//            the time is that of finding one read for each doubt, and that of what changes.
//   grow     From segments that now read it first, and from those that no longer define it, backwards until it
//            is live already or defined.
//
// Then the pressure of what was touched is computed anew. A segment that a register only began or ceased to pass
// through has its peak raised or lowered, unseen.
//
// This is where the reference rescans a tree of blocks; its "attempt rename, erase unprofitable" steps belong to
// MachineCSE and are there.

#ifndef PTXMIR_ANALYSIS_PRESSURE_UPDATE_H_
#define PTXMIR_ANALYSIS_PRESSURE_UPDATE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/pressure_segments.h"

namespace ptxmir {

// What would be live at once where more would be live than now. Zero: nowhere.
struct RaisedPressure {
  uint32_t units = 0;
  uint32_t predicates = 0;
};

class PressureUpdate {
 public:
  using SegmentId = PressureSegments::SegmentId;

  static constexpr uint32_t kDefaultSegmentLength = 128;

  // Segments are split when they have grown beyond twice `segment_length`, into parts of that length.
  explicit PressureUpdate(PressureSegments& segments, uint32_t segment_length = kDefaultSegmentLength)
      : segments_(segments), segment_length_(segment_length) {}

  // Forgets what was noted: everything has been computed anew.
  void Reset();

  // Notes edits.
  void WillErase(MachineInstr& instr);
  void DidInsert(MachineInstr& instr);
  void WillReplaceRegister(uint32_t from, uint32_t to);

  bool is_pending() const { return !touches_.empty() || !phi_touches_.empty() || !dirty_.empty(); }
  // Works off what was noted. Appends the segments whose peak may have changed.
  void Flush(std::vector<SegmentId>& changed);

  // What the pressure would be if all of `from` were `to` and `erased` were not there. Nothing must be pending;
  // nothing is changed, but for long segments that are split: appended to `changed`.
  RaisedPressure Try(uint32_t from, uint32_t to, const MachineInstr& erased, std::vector<SegmentId>& changed);

 private:
  struct Touch {
    SegmentId segment;
    uint32_t reg;
    bool is_exposed = false;  // read before it is written, if it is
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
  void NotePhiUse(const MachineInstr& phi, unsigned operand, bool added);
  void NoteDirty(SegmentId segment);
  void NoteReplacement(uint32_t from, uint32_t to, const MachineInstr* except);

  void GrowTables();
  void UpdateRegisters();
  void SummarizeTouches();
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
  // Makes `uses_`; false: there are too many.
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
  void SplitIfLong(SegmentId id, std::vector<SegmentId>& changed);
  void Undo(uint32_t from, uint32_t to, const MachineInstr& erased);
  std::vector<Point> Profile(SegmentId id);
  static void CompareProfiles(absl::Span<const Point> before, absl::Span<const Point> after, RaisedPressure& raised);

  PressureSegments& segments_;
  const uint32_t segment_length_;
  std::vector<Touch> touches_;      // within segments
  std::vector<Touch> phi_touches_;  // at the end of segments that end a block
  std::vector<SegmentId> dirty_;    // to be scanned
  std::vector<bool> is_dirty_;      // by segment

  // Of the register that is being worked on.
  uint32_t reg_ = 0;
  uint32_t class_ = 0;
  absl::Span<const Touch> current_;
  absl::Span<const Touch> current_phi_;
  std::vector<SegmentId> defs_;      // sorted
  std::vector<SegmentId> in_doubt_;  // ends of segments
  // Found when first asked for.
  std::vector<SegmentId> uses_;  // sorted; PHIs apart
  bool knows_uses_ = false;
  bool has_few_uses_ = false;
  std::vector<SegmentId> growing_;

  // The search forwards. Stamps are by segment; one is drawn for each register and each search.
  struct Step {
    SegmentId segment;
    uint32_t next;  // successor to go to
  };
  std::vector<Step> path_;
  std::vector<SegmentId> visited_;
  std::vector<uint32_t> visited_stamp_;
  std::vector<uint32_t> reaches_stamp_;  // stamp of a register: a read can be reached
  uint32_t search_ = 0;
  uint32_t register_stamp_ = 0;

  // Changes of the two ends of segments for this register, +1 and -1.
  struct Flip {
    int8_t in = 0;
    int8_t out = 0;
    bool noted = false;
  };
  std::vector<Flip> flips_;
  std::vector<SegmentId> flipped_;
  std::vector<SegmentId> shifted_;  // whose peak was moved

  // While a segment is summarized, by register: 1 + the index of its touch.
  std::vector<uint32_t> touch_of_;

  // To undo what was tried.
  bool is_trying_ = false;
  std::vector<RowChange> row_changes_;
  std::vector<std::pair<SegmentId, PeakPressure>> saved_peaks_;
  std::vector<SegmentId> replaced_phi_uses_;
  std::vector<InstrPressure> profile_instrs_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_UPDATE_H_
