// SPDX-License-Identifier: Apache-2.0

#include "analysis/frequency/machine_block_frequencies.h"

#include <algorithm>

#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/block_mass.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

// Returns value * factor / unit, rounded down. Saturates.
uint64_t ScaleTo(uint64_t value, uint64_t unit, uint64_t factor) {
  const unsigned __int128 scaled = static_cast<unsigned __int128>(value) * factor / unit;
  return scaled >> 64 != 0 ? ~uint64_t{0} : static_cast<uint64_t>(scaled);
}

}  // namespace

MachineBlockFrequencies::MachineBlockFrequencies(MachineFunction& function, AnalysisManager& analyses)
    : function_(function), probabilities_(analyses.Get<MachineBranchProbabilities>()) {
  frequencies_ = BlockMassComputation(function, analyses.Get<MachineLoops>(), probabilities_).Run();
}

uint64_t MachineBlockFrequencies::Executions(const MachineBasicBlock& block, uint64_t entries) const {
  return ScaleTo(Frequency(block), std::max<uint64_t>(EntryFrequency(), 1), entries);
}

void MachineBlockFrequencies::SetFrequency(const MachineBasicBlock& block, uint64_t frequency) {
  if (block.number() >= frequencies_.size()) frequencies_.resize(block.number() + 1);
  frequencies_[block.number()] = frequency;
}

void MachineBlockFrequencies::Print(std::string& out) const {
  StrAppend(&out, "block-frequency-info: ", function_.name(), "\n");
  for (const MachineBasicBlock& block : function_) {
    constexpr uint64_t kDecimals = 100000;
    const uint64_t relative = Executions(block, kDecimals);
    std::string decimals = std::to_string(kDecimals + relative % kDecimals).substr(1);
    decimals.resize(std::max<size_t>(decimals.find_last_not_of('0') + 1, 1));
    const bool is_of_ir = !block.name.empty() || !block.ir_block.empty();
    const std::string name = is_of_ir ? StrCat("[", block.name, "]") : "";
    StrAppend(&out, " - BB", block.number(), name, ": float = ", relative / kDecimals, ".", decimals,
              ", int = ", Frequency(block), "\n");
  }
}

std::string MachineBlockFrequencies::DifferenceFrom(const Analysis& fresh) const {
  const auto& other = static_cast<const MachineBlockFrequencies&>(fresh);
  for (const MachineBasicBlock& block : function_) {
    constexpr uint64_t kEntries = 1 << 20;
    const uint64_t kept = Executions(block, kEntries);
    const uint64_t computed = other.Executions(block, kEntries);
    if (std::max(kept, computed) - std::min(kept, computed) > computed / 65536 + 1) {
      return StrCat("%bb.", block.number(), " is executed ", kept, " times in ", kEntries, "; recomputed, ", computed,
                    " times");
    }
  }
  return "";
}

}  // namespace ptxmir
