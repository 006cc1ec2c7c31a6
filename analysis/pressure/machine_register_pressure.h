// SPDX-License-Identifier: Apache-2.0

// machine-rpa: register pressure per function, block and instruction, kept up to date under edits.
//
// Modeled on cicc's MRPA ("Machine Register Pressure Analysis"): a full computation, and an incremental update for
// passes that query the pressure while they edit (MachineCSE, sinking, LICM, rematerialization, scheduling).
// pressure_segments.h defines what counts as live where, and computes it. pressure_update.h follows edits.
// Differences from cicc: pressure is kept per class, in 32-bit units as well as in raw counts (a b64 costs two
// registers); and the update is exact, not a rescan of the blocks around an edit.
//
// A pass announces each edit next to the edit:
//
//     pressure.WillErase(instr);                 instr.EraseFromParent();       // or RemoveFromParent()
//     block.Insert(before, &instr);              pressure.DidInsert(instr);
//     pressure.WillReplaceRegister(b, a);        reg_info.ReplaceRegister(b, a);
//     pressure.WillChange(instr);                instr.operand(1).SetReg(a);    pressure.DidChange(instr);
//
// To move an instruction is to remove and insert it. Edits of debug instructions need no announcement, nor do
// changes of operand flags, except undef, early-clobber and ties. Nothing is computed until the next query, so
// many edits between two queries cost less than one at a time. Of the edits to the control flow, only splitting an
// edge or a block can be announced. After others, call Recompute().

#ifndef PTXMIR_ANALYSIS_PRESSURE_MACHINE_REGISTER_PRESSURE_H_
#define PTXMIR_ANALYSIS_PRESSURE_MACHINE_REGISTER_PRESSURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/pressure/pressure_segments.h"
#include "analysis/pressure/pressure_update.h"
#include "analysis/pressure/register_pressure.h"
#include "base/diagnostics.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

struct BlockPressure {
  RegisterPressure entry;  // includes the results of its PHIs
  PeakPressure peak;
  RegisterPressure exit;  // includes the values that its successors' PHIs read
};

class MachineRegisterPressure : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineRegisterPressure;

  MachineRegisterPressure(MachineFunction& function, AnalysisManager&) : MachineRegisterPressure(function) {}
  // Long blocks that are edited are split into parts of `segment_length` instructions.
  explicit MachineRegisterPressure(MachineFunction& function,
                                   uint32_t segment_length = PressureUpdate::kDefaultSegmentLength);
  ~MachineRegisterPressure() override;

  void Print(std::string& out) const override;
  // Compares the live-in and live-out registers and the pressure of each block.
  std::string DifferenceFrom(const Analysis& fresh) const override;

  // The function. O(1) apart from pending edits.
  PeakPressure MaxPressure() const;
  uint32_t MaxUnits() const;
  uint32_t MaxPredicates() const;

  // A block. O(1) unless it is a long block that was edited.
  BlockPressure Block(const MachineBasicBlock& block) const;
  // Return the blocks with a peak above a target, in layout order. O(blocks).
  std::vector<MachineBasicBlock*> BlocksOver(uint32_t units) const;
  std::vector<MachineBasicBlock*> BlocksOverPredicates(uint32_t predicates) const;

  // Instructions. Each call scans instructions, so ask for a block instead of each of its instructions. Debug
  // instructions have no pressure of their own.
  InstrPressure Instr(const MachineInstr& instr) const;
  std::vector<InstrPressure> Instrs(const MachineBasicBlock& block) const;
  // Replaces `units` by the most units that are live at each instruction of the block, in order.
  void UnitsAtInstrs(const MachineBasicBlock& block, std::vector<uint32_t>& units) const;

  // Return indexes of virtual registers in ascending order. Live-in registers are read before they are written,
  // from the top of the block on; the results of its PHIs are not live-in. Live-out registers are live into a
  // successor, or read by one of its PHIs. The spans are valid until the next edit.
  absl::Span<const uint32_t> LiveIns(const MachineBasicBlock& block) const;
  absl::Span<const uint32_t> LiveOuts(const MachineBasicBlock& block) const;
  // These two update no more than the register, so that they cost little between edits.
  bool IsLiveIn(const MachineBasicBlock& block, Register reg) const;
  bool IsLiveOut(const MachineBasicBlock& block, Register reg) const;
  // Return the registers that are live just before an instruction (before a PHI: including the results of all
  // PHIs), or just after it.
  std::vector<Register> LiveBefore(const MachineInstr& instr) const;
  std::vector<Register> LiveAfter(const MachineInstr& instr) const;
  // A point with the most units of a block or an instruction, and the registers live there.
  struct PeakPoint {
    const MachineInstr* instr = nullptr;  // null: the end of a block without instructions
    bool at_writes = false;               // whether the peak is at its writes instead of its reads
    std::vector<Register> live;
  };
  // Returns the first such point of a block. `live` is empty if nothing is ever live in the block.
  PeakPoint LiveAtPeak(const MachineBasicBlock& block) const;
  // Returns the first such point of an instruction.
  PeakPoint LiveAtPeakOf(const MachineInstr& instr) const;

  // Edits; see the head of this file. Announce each edit right next to it, before the next edit.
  void WillErase(MachineInstr& instr) { update_.WillErase(instr); }
  void DidInsert(MachineInstr& instr) { update_.DidInsert(instr); }
  void WillChange(MachineInstr& instr) { update_.WillErase(instr); }
  void DidChange(MachineInstr& instr) { update_.DidInsert(instr); }
  void WillReplaceRegister(Register from, Register to);
  // Processes the edits so far. Queries do that implicitly. Call it before an edge is split.
  void Update() const;
  // To be called after an edge was split. `middle` is new, names no register yet, and is named by the PHIs of
  // `successor`.
  void DidSplitEdge(const MachineBasicBlock& predecessor, const MachineBasicBlock& middle,
                    const MachineBasicBlock& successor);
  // To be called before and after MachineFunction::SplitBlock(at), which returns the tail.
  void WillSplitBlock(MachineInstr& at);
  void DidSplitBlock(const MachineBasicBlock& tail);
  // Recomputes everything. To be called after any other edit to blocks and edges.
  void Recompute();

  // Returns the effect of replacing every `from` by `to` and erasing the instruction that defines `from` (common
  // subexpression elimination): the highest pressure at the points where the pressure would rise. Units and
  // predicates are separate; 0 means that they rise nowhere. Costs as much as the update for that edit, and
  // changes nothing. `from` has one definition, and its instruction defines nothing else that is read.
  RaisedPressure WhatIfReplaced(Register from, Register to) const;

  // Compares with a full computation, for -verify-update-mcse. If they differ, reports the error "Incorrect RP
  // info from incremental MRPA update" and returns false. With `print_verify` (-print-verify), it also reports the
  // differences per block and class.
  bool VerifyUpdate(bool print_verify, DiagnosticEngine& diagnostics) const;

 private:
  // The maximum over all segments. A tournament tree, so that a change of one segment costs O(log segments).
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

  // Returns true if a register that the instruction reads is live after it with the same value.
  bool Survives(Register reg, const MachineInstr& instr) const;
  void AppendResults(const MachineInstr& instr, bool early_clobber, std::vector<Register>& registers) const;
  void UpdateLiveness(uint32_t reg) const;
  void ComputeMaxima() const;
  void UpdateMaxima() const;
  std::vector<MachineBasicBlock*> BlocksWhere(bool (*over)(const PeakPressure&, uint32_t), uint32_t limit) const;
  std::string BlockDifference(const MachineBasicBlock& block, const MachineRegisterPressure& fresh) const;
  void PrintBlockDetails(const MachineBasicBlock& block, const MachineRegisterPressure& fresh, std::string& out) const;

  MachineFunction& function_;
  // Mutable because queries process the pending edits.
  mutable PressureSegments segments_;
  mutable PressureUpdate update_;
  mutable Maxima maxima_;
  mutable bool knows_maxima_ = false;  // otherwise, no query has needed them yet
  mutable std::vector<PressureSegments::SegmentId> changed_;
  PressureSegments::SegmentId split_ = 0;  // valid between WillSplitBlock and DidSplitBlock
};

// Returns the weight of a virtual register: the units of its class.
inline uint32_t PressureUnitsOf(const MachineFunction& function, Register reg) {
  return function.target().reg_classes[function.reg_info().reg_class(reg)].pressure_units;
}

// Returns text such as "b1 2, b16 0, b32 5, b64 1, b128 0".
std::string ToString(const RegisterPressure& pressure);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_MACHINE_REGISTER_PRESSURE_H_
