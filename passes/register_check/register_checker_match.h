// SPDX-License-Identifier: Apache-2.0

// Lays an allocated function beside what it was: which instructions were kept, deleted and inserted, in the
// order in which the register checker takes them, and what else has changed that must not.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_MATCH_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_MATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "passes/register_check/register_checker.h"
#include "passes/register_check/register_checker_transfer.h"

namespace ptxmir {

struct MatchedStep {
  enum class Kind : uint8_t { kKept, kDeleted, kInserted };
  Kind kind;
  uint32_t original = RegisterCheckerSnapshot::kNone;  // of kept and deleted ones
  const MachineInstr* instr = nullptr;                 // of kept and inserted ones
  RegisterTransfer transfer;                           // of inserted ones
};

struct MatchedPhi {
  uint32_t original;
  const MachineInstr* instr;  // null: deleted
};

struct MatchedBlock {
  const MachineBasicBlock* block = nullptr;
  uint32_t original = RegisterCheckerSnapshot::kNone;  // kNone: inserted
  // The block of before that control comes from: itself or, for an inserted block, the one at the beginning
  // of the edge that it lies on.
  uint32_t stands_for = RegisterCheckerSnapshot::kNone;
  std::vector<MatchedStep> steps;
  std::vector<MatchedPhi> phis;
};

class MatchedFunction {
 public:
  explicit MatchedFunction(const RegisterCheckerSnapshot& snapshot);

  const RegisterCheckerSnapshot& snapshot() const { return snapshot_; }
  const MachineFunction& function() const { return snapshot_.function(); }
  // By number; those of numbers that are not in use have no block.
  const std::vector<MatchedBlock>& blocks() const { return blocks_; }
  const MatchedBlock& block(const MachineBasicBlock& block) const { return blocks_[block.number()]; }
  std::vector<RegisterCheckerFinding>& findings() { return findings_; }

  // "in function 'f', bb.2: 'ST_i32 ...': "
  std::string Where(const MachineBasicBlock& block, const MachineInstr* instr) const;
  void Report(RegisterCheckerFinding::Kind kind, const MachineBasicBlock& block, const MachineInstr* instr, int operand,
              std::string message);

 private:
  // The block of before that control gets to from `block` through inserted ones; kNone when it does not.
  uint32_t Resolve(const MachineBasicBlock* block) const;
  void MatchBlocks();
  void MatchEdges(const MachineBasicBlock& block, uint32_t original);
  void StandFor(const MachineBasicBlock* block, uint32_t original);
  void MatchInstrs(const MachineBasicBlock& block);
  void AddInserted(const MachineBasicBlock& block, const MachineInstr& instr, std::vector<MatchedStep>& steps);
  void AddDeleted(const MachineBasicBlock& block, uint32_t first, uint32_t last, std::vector<MatchedStep>& steps);
  void CheckKept(const MachineBasicBlock& block, const MachineInstr& instr,
                 const RegisterCheckerSnapshot::Instr& before);
  bool SameOperand(const MachineInstr& instr, unsigned i, const RegisterCheckerSnapshot::Operand& before) const;
  void CheckSlotAddress(const MachineBasicBlock& block, const MachineInstr& instr, const RegisterTransfer* transfer);
  void CheckJumpTables();

  const RegisterCheckerSnapshot& snapshot_;
  std::vector<MatchedBlock> blocks_;
  std::vector<bool> is_present_;  // by instruction of before
  std::vector<RegisterCheckerFinding> findings_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_MATCH_H_
