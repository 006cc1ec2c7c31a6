// SPDX-License-Identifier: Apache-2.0

// machine-rpa: register pressure per function, block and instruction, and how it follows edits.
//
// After NVIDIA's MRPA (reference: "Machine Register Pressure Analysis"): a full computation, and an incremental
// update for the passes that ask while they edit (MachineCSE, sinking, LICM, rematerialization, scheduling).
// pressure_segments.h says what counts as live where, and how it is computed; pressure_update.h how edits are
// followed. Where we differ from the reference: pressure is kept per class with 32-bit units beside raw counts
// (a b64 costs two registers); and the update is exact, not a rescan of the blocks around an edit.
//
// A pass that edits says so beside each edit:
//
//     pressure.WillErase(instr);                 instr.EraseFromParent();       // or RemoveFromParent()
//     block.Insert(before, &instr);              pressure.DidInsert(instr);
//     pressure.WillReplaceRegister(b, a);        reg_info.ReplaceRegister(b, a);
//     pressure.WillChange(instr);                instr.operand(1).SetReg(a);    pressure.DidChange(instr);
//
// Moving is removing and inserting. Debug instructions need no word, nor do flags of operands, but for undef,
// early-clobber and ties. Nothing is computed until somebody asks; so many edits between two questions cost less
// than one at a time. Of edits to the control flow, splitting edges and blocks is followed; after others, Recompute().

#ifndef PTXMIR_ANALYSIS_MACHINE_REGISTER_PRESSURE_H_
#define PTXMIR_ANALYSIS_MACHINE_REGISTER_PRESSURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/pressure_segments.h"
#include "analysis/pressure_update.h"
#include "analysis/register_pressure.h"
#include "base/diagnostics.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

struct BlockPressure {
  RegisterPressure entry;  // with the results of its PHIs
  PeakPressure peak;
  RegisterPressure exit;  // with what its successors' PHIs read
};

class MachineRegisterPressure : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineRegisterPressure;

  MachineRegisterPressure(MachineFunction& function, AnalysisManager&) : MachineRegisterPressure(function) {}
  // Long blocks that are edited are split into parts of this length.
  explicit MachineRegisterPressure(MachineFunction& function,
                                   uint32_t segment_length = PressureUpdate::kDefaultSegmentLength);
  ~MachineRegisterPressure() override;

  void Print(std::string& out) const override;
  // Compares blocks: what is live at their ends, and their pressure.
  std::string DifferenceFrom(const Analysis& fresh) const override;

  // The function. O(1) but for pending edits.
  PeakPressure MaxPressure() const;
  uint32_t MaxUnits() const;
  uint32_t MaxPredicates() const;

  // A block; O(1) unless it is a long one that was edited.
  BlockPressure Block(const MachineBasicBlock& block) const;
  // Blocks with a peak over a target, in layout order. O(blocks).
  std::vector<MachineBasicBlock*> BlocksOver(uint32_t units) const;
  std::vector<MachineBasicBlock*> BlocksOverPredicates(uint32_t predicates) const;

  // Instructions. Both take the time of a scan: ask for a block rather than for each of its instructions. Debug
  // instructions have no pressure of their own.
  InstrPressure Instr(const MachineInstr& instr) const;
  std::vector<InstrPressure> Instrs(const MachineBasicBlock& block) const;

  // Indexes of virtual registers, ascending. Live-in: read before they are written from the top of the block on;
  // results of its PHIs are not among them. Live-out: live into a successor, or read by one of its PHIs. Valid
  // until the next edit.
  absl::Span<const uint32_t> LiveIns(const MachineBasicBlock& block) const;
  absl::Span<const uint32_t> LiveOuts(const MachineBasicBlock& block) const;
  bool IsLiveIn(const MachineBasicBlock& block, Register reg) const;
  bool IsLiveOut(const MachineBasicBlock& block, Register reg) const;
  // What is live just before an instruction (before a PHI: with the results of all PHIs), or just after it.
  std::vector<Register> LiveBefore(const MachineInstr& instr) const;
  std::vector<Register> LiveAfter(const MachineInstr& instr) const;
  // What is live at the block's peak of units: its first point with that many. Empty when nothing is ever live.
  struct PeakPoint {
    const MachineInstr* instr = nullptr;  // null: the end of a block without instructions
    bool at_writes = false;               // else while it reads
    std::vector<Register> live;
  };
  PeakPoint LiveAtPeak(const MachineBasicBlock& block) const;

  // Edits: see above. Each comes right beside the edit that it is about, before the next.
  void WillErase(MachineInstr& instr) { update_.WillErase(instr); }
  void DidInsert(MachineInstr& instr) { update_.DidInsert(instr); }
  void WillChange(MachineInstr& instr) { update_.WillErase(instr); }
  void DidChange(MachineInstr& instr) { update_.DidInsert(instr); }
  void WillReplaceRegister(Register from, Register to);
  // Works off the edits so far. Asking does that; needed before an edge is split.
  void Update() const;
  // After an edge was split: `middle` is new, names no register yet, and stands in the PHIs of `successor`.
  void DidSplitEdge(const MachineBasicBlock& predecessor, const MachineBasicBlock& middle,
                    const MachineBasicBlock& successor);
  // Around MachineFunction::SplitBlock(at), which returns the tail.
  void WillSplitBlock(MachineInstr& at);
  void DidSplitBlock(const MachineBasicBlock& tail);
  // After any other edit to blocks and edges.
  void Recompute();

  // What replacing every `from` by `to` and erasing the instruction that defines `from` (common subexpression
  // elimination) would do: the highest pressure at those points where it would be higher than it is. Units and
  // predicates apart, 0 where nothing would rise. Takes the time of the update that the edit would need; changes
  // nothing. `from` has one definition, which defines nothing else that is read.
  RaisedPressure WhatIfReplaced(Register from, Register to) const;

  // For -verify-update-mcse: compares with a full computation. When the two differ, reports an error "Incorrect
  // RP info from incremental MRPA update", with `print_verify` (-print-verify) also what differs per block and
  // class, and returns false.
  bool VerifyUpdate(bool print_verify, DiagnosticEngine& diagnostics) const;

 private:
  // The maximum over segments, kept as a tournament so that one segment's change costs O(log segments).
  class Maxima {
   public:
    void Reset(size_t size);
    void Set(size_t i, const PeakPressure& peak);
    size_t size() const { return size_; }
    const PeakPressure& maximum() const { return nodes_[1]; }

   private:
    size_t size_ = 0;
    size_t leaves_ = 1;
    std::vector<PeakPressure> nodes_ = std::vector<PeakPressure>(2);
  };

  void AppendResults(const MachineInstr& instr, bool early_clobber, std::vector<Register>& registers) const;
  void ResetMaxima() const;
  void UpdateMaxima() const;
  std::vector<MachineBasicBlock*> BlocksWhere(bool (*over)(const PeakPressure&, uint32_t), uint32_t limit) const;
  std::string BlockDifference(const MachineBasicBlock& block, const MachineRegisterPressure& fresh) const;
  void PrintBlockDetails(const MachineBasicBlock& block, const MachineRegisterPressure& fresh, std::string& out) const;

  MachineFunction& function_;
  // Worked off when asked, hence mutable.
  mutable PressureSegments segments_;
  mutable PressureUpdate update_;
  mutable Maxima maxima_;
  mutable std::vector<PressureSegments::SegmentId> changed_;
  PressureSegments::SegmentId split_ = 0;  // between WillSplitBlock and DidSplitBlock
};

// What a virtual register counts for: the units of its class.
inline uint32_t PressureUnitsOf(const MachineFunction& function, Register reg) {
  return function.target().reg_classes[function.reg_info().reg_class(reg)].pressure_units;
}

// "b1 2, b16 0, b32 5, b64 1, b128 0".
std::string ToString(const RegisterPressure& pressure);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_MACHINE_REGISTER_PRESSURE_H_
