// SPDX-License-Identifier: Apache-2.0

// live-variables: which virtual registers are live at the beginning and end of each block.
//
// A register is live-in where its value may be read before it is written. A PHI reads at the end of the
// predecessor, so its operands are live-out there, not live-in to its own block. Its result is not live-in either.
// Undef uses, debug uses, and reads inside a bundle of a value that the bundle defined do not count. The code may
// or may not be in SSA form. Physical registers are not tracked: those of PTX are constant (LLVM: reserved), and
// live everywhere.
//
// The algorithm is path exploration (Boissinot, Brandner, Darte, Dupont de Dinechin and Rastello, "A Non-iterative
// Data-Flow Algorithm for Computing Liveness Sets in Strict SSA Programs", APLAS 2011, after Appel). It walks
// upward from each block that reads a register before defining it, until it meets a block that defines it. It
// handles one register after the other, so one mark per block is the only working storage. LLVM does the same for
// SSA form only. Marks on the blocks that define a register make it work for other code as well.
//
// The sets are sorted vectors in one array. Time and memory are O(instructions + blocks + entries). An entry takes
// four bytes and is a pair of a block and a register that is live at its boundary. A bit set per block would take
// registers x blocks bits, which is 12 GB for a million instructions in 100,000 blocks.
//
// The analysis is never kept up to date. A pass that needs liveness while it edits uses LiveIntervals.

#ifndef PTXMIR_ANALYSIS_LIVENESS_LIVE_VARIABLES_H_
#define PTXMIR_ANALYSIS_LIVENESS_LIVE_VARIABLES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "base/large_vector.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class LiveVariables : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kLiveVariables;

  LiveVariables(MachineFunction& function, AnalysisManager& analyses);

  // Return virtual registers in order of their numbers.
  absl::Span<const Register> LiveIn(BlockNumber block) const { return live_in_.Of(block); }
  absl::Span<const Register> LiveIn(const MachineBasicBlock& block) const { return LiveIn(block.number()); }
  absl::Span<const Register> LiveOut(BlockNumber block) const { return live_out_.Of(block); }
  absl::Span<const Register> LiveOut(const MachineBasicBlock& block) const { return LiveOut(block.number()); }
  // These take O(log(entries of the block)).
  bool IsLiveIn(Register reg, const MachineBasicBlock& block) const;
  bool IsLiveOut(Register reg, const MachineBasicBlock& block) const;
  bool IsLiveThrough(Register reg, const MachineBasicBlock& block) const;

  // Sets the killed and dead flags of virtual registers according to the sets: `killed` on the first operand of
  // the last instruction that reads a value (LLVM's choice; PHIs kill nothing), and `dead` on definitions that are
  // never read. Other flags, and the flags of BUNDLE headers and debug instructions, are unchanged. O(function).
  void SetKillAndDeadFlags();

  // Returns the number of entries of all sets.
  size_t num_entries() const { return live_in_.entries.size() + live_out_.entries.size(); }

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  friend class LiveVariablesBuilder;

  struct Sets {
    std::vector<uint32_t> first;  // indexed by block number, plus a final entry
    LargeVector<Register> entries;
    absl::Span<const Register> Of(BlockNumber block) const {
      return absl::MakeConstSpan(entries).subspan(first[block], first[block + 1] - first[block]);
    }
  };

  void PrintSet(const char* what, absl::Span<const Register> set, std::string& out) const;

  MachineFunction& function_;
  Sets live_in_;
  Sets live_out_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_LIVENESS_LIVE_VARIABLES_H_
