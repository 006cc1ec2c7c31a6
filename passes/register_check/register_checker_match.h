// SPDX-License-Identifier: Apache-2.0

// Matches an allocated function with its snapshot: lists the kept, deleted and inserted instructions in the order
// in which the register checker executes them, and reports forbidden changes.

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
  uint32_t original = RegisterCheckerSnapshot::kNone;  // for kept and deleted instructions
  const MachineInstr* instr = nullptr;                 // for kept and inserted instructions
  RegisterTransfer transfer;                           // for inserted instructions
};

struct MatchedPhi {
  uint32_t original;
  const MachineInstr* instr;  // null if it was deleted
};

struct MatchedBlock {
  const MachineBasicBlock* block = nullptr;
  uint32_t original = RegisterCheckerSnapshot::kNone;  // kNone if the block was inserted
  // The original block that control comes from: the block itself or, for an inserted block, the source of the edge
  // that it was inserted on.
  uint32_t stands_for = RegisterCheckerSnapshot::kNone;
  std::vector<MatchedStep> steps;
  std::vector<MatchedPhi> phis;
};

class MatchedFunction {
 public:
  explicit MatchedFunction(const RegisterCheckerSnapshot& snapshot);

  const RegisterCheckerSnapshot& snapshot() const { return snapshot_; }
  const MachineFunction& function() const { return snapshot_.function(); }
  // Returns the blocks, indexed by block number. Unused numbers have an entry without a block.
  const std::vector<MatchedBlock>& blocks() const { return blocks_; }
  const MatchedBlock& block(const MachineBasicBlock& block) const { return blocks_[block.number()]; }
  std::vector<RegisterCheckerFinding>& findings() { return findings_; }

  // Returns a prefix for messages: "in function 'f', bb.2: 'ST_i32 ...': ".
  std::string Where(const MachineBasicBlock& block, const MachineInstr* instr) const;
  void Report(RegisterCheckerFinding::Kind kind, const MachineBasicBlock& block, const MachineInstr* instr, int operand,
              std::string message);

 private:
  // Returns the original block that control reaches from `block` through inserted blocks, or kNone if it reaches
  // none.
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
  std::vector<bool> is_present_;  // by original instruction
  std::vector<RegisterCheckerFinding> findings_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_MATCH_H_
