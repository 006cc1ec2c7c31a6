// SPDX-License-Identifier: Apache-2.0

// live-variables: which virtual registers are live where blocks begin and end.
//
// A register is live-in where its value may be read before it is written. A PHI reads at the end of the
// predecessor, so what it reads is live-out there, not live-in to its own block; what it defines is not live-in
// either. Undef and debug uses and reads within a bundle of what the bundle defined do not count. SSA form or not
// makes no difference. Physical registers are not followed: PTX's are constant (LLVM: reserved), and live
// everywhere.
//
// Path exploration (Boissinot, Brandner, Darte, Dupont de Dinechin and Rastello, "A Non-iterative Data-Flow
// Algorithm for Computing Liveness Sets in Strict SSA Programs", APLAS 2011, after Appel): from each block that
// reads a register before defining it upwards, until a block that defines it. One register after the other, so
// that a mark a block is all the working storage. LLVM does the same for SSA form alone; with marks on the blocks
// that define a register it serves other code as well.
//
// The sets are sorted vectors, all in one array: O(instructions + blocks + entries) time and memory, where the
// entries, four bytes each, are the pairs of a block and a register that is live at its border. A bit set a block
// would take registers x blocks bits, which for a million instructions in 100,000 blocks is 12 GB.
//
// It is not kept up to date by anybody: a pass that needs to follow its edits uses LiveIntervals.

#ifndef PTXMIR_ANALYSIS_LIVE_VARIABLES_H_
#define PTXMIR_ANALYSIS_LIVE_VARIABLES_H_

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

  // Virtual registers, in order of their numbers.
  absl::Span<const Register> LiveIn(BlockNumber block) const { return live_in_.Of(block); }
  absl::Span<const Register> LiveIn(const MachineBasicBlock& block) const { return LiveIn(block.number()); }
  absl::Span<const Register> LiveOut(BlockNumber block) const { return live_out_.Of(block); }
  absl::Span<const Register> LiveOut(const MachineBasicBlock& block) const { return LiveOut(block.number()); }
  // O(log(entries of the block)).
  bool IsLiveIn(Register reg, const MachineBasicBlock& block) const;
  bool IsLiveOut(Register reg, const MachineBasicBlock& block) const;
  bool IsLiveThrough(Register reg, const MachineBasicBlock& block) const;

  // Makes the killed and dead flags of virtual registers say what the sets say: `killed` on the first operand of
  // the last instruction that reads a value (LLVM's choice; PHIs kill nothing), `dead` on definitions that nobody
  // reads. Other flags, and those of BUNDLE headers and debug instructions, stay. O(function).
  void SetKillAndDeadFlags();

  // Entries of all sets.
  size_t num_entries() const { return live_in_.entries.size() + live_out_.entries.size(); }

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  friend class LiveVariablesBuilder;

  struct Sets {
    std::vector<uint32_t> first;  // by block number, and one more
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

#endif  // PTXMIR_ANALYSIS_LIVE_VARIABLES_H_
