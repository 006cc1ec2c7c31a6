// SPDX-License-Identifier: Apache-2.0

// Reports uses that do not read the value that they should, after the register checker has solved its dataflow
// problem, while it executes each block once more.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_REPORTS_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_REPORTS_H_

#include <string>
#include <vector>

#include "passes/register_check/register_checker_locations.h"
#include "passes/register_check/register_checker_state.h"

namespace ptxmir::register_check {

class ValueReports {
 public:
  // Reports to `matched`.
  ValueReports(MatchedFunction& matched, const CheckerFacts& facts)
      : matched_(matched), facts_(facts), writers_(facts.num_locations) {}

  // Remember the instruction of the current block that wrote a location last.
  void NoteWriter(Location location, const MachineInstr& instr) {
    writers_[location] = &instr;
    written_.push_back(location);
  }
  void ForgetWriter(Location location) { writers_[location] = nullptr; }
  void ForgetWriters() {
    for (const Location location : written_) writers_[location] = nullptr;
    written_.clear();
  }

  // Checks the operands of a kept instruction in the state before it.
  void CheckUses(const MachineBasicBlock& block, const MatchedStep& step, const SymbolicState& state);
  // Checks the operands of PHIs that are read on an edge, in the state at the end of its source.
  void CheckPhis(const MatchedBlock& from, const MatchedBlock& to, const SymbolicState& state);

 private:
  struct Use {
    const MachineBasicBlock& block;
    const MachineInstr& instr;
    unsigned operand;
    Register expected;
    Register actual;
  };
  void CheckEarlyClobbers(const MachineBasicBlock& block, const MatchedStep& step, unsigned operand);
  void ReportUse(const Use& use, const SymbolicState& state);
  std::string Describe(const SymbolicState& state, SetId set) const;
  std::string WhereFrom(Location location) const;

  MatchedFunction& matched_;
  const CheckerFacts& facts_;
  std::vector<const MachineInstr*> writers_;  // by location
  std::vector<Location> written_;             // the locations that have a writer
};

}  // namespace ptxmir::register_check

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_REPORTS_H_
