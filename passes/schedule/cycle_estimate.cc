// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/cycle_estimate.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/frequency/trace_ensemble.h"
#include "mir/code/operand_ranges.h"

namespace ptxmir {
namespace {

// Iterations until the loop runs steadily, and iterations that are measured then: the cycles of successive iterations
// may differ, and their sum over several is what counts.
constexpr uint64_t kWarmUp = 8;
constexpr uint64_t kMeasured = 8;

class Scoreboard {
 public:
  Scoreboard(absl::Span<const MachineInstr* const> instrs, const ptx::MachineModel& model, unsigned warps) {
    assert(warps > 0);
    for (const MachineInstr* instr : instrs) {
      if (!instr->is_debug()) AddStep(*instr, model, warps);
    }
    ready_.resize(numbers_.size());
    is_defined_.resize(numbers_.size());
    for (const Step& step : steps_) {
      for (const uint32_t reg : Defs(step)) is_defined_[reg] = true;
    }
  }

  // Issues the sequence once. In an iteration but the first one, PHIs read what the one before has computed.
  void Run(bool is_first) {
    RunPhis(is_first);
    for (const Step& step : steps_) {
      if (step.is_phi) continue;
      uint64_t start = 0;
      for (const uint32_t reg : Reads(step)) start = std::max(start, ready_[reg]);
      if (step.takes_time) {
        uint64_t& unit_free = unit_free_[static_cast<size_t>(step.unit)];
        start = std::max({start, next_, unit_free});
        unit_free = start + step.issue;
        next_ = start + 1;
      }
      for (const uint32_t reg : Defs(step)) ready_[reg] = start + step.latency;
      last_ready_ = std::max(last_ready_, start + step.latency);
    }
  }

  uint64_t next() const { return next_; }
  uint64_t end() const { return std::max(next_, last_ready_); }

 private:
  struct Step {
    uint32_t first;  // of its registers in registers_: reads, then definitions
    uint32_t first_def;
    uint32_t end;
    uint32_t latency = 0;
    uint32_t issue = 0;
    ptx::FunctionalUnit unit = ptx::FunctionalUnit::kNone;
    bool is_phi = false;
    bool takes_time = false;
  };

  absl::Span<const uint32_t> Reads(const Step& step) const {
    return absl::MakeConstSpan(registers_).subspan(step.first, step.first_def - step.first);
  }
  absl::Span<const uint32_t> Defs(const Step& step) const {
    return absl::MakeConstSpan(registers_).subspan(step.first_def, step.end - step.first_def);
  }

  void AddRegister(Register reg) {
    registers_.push_back(numbers_.try_emplace(reg.bits(), static_cast<uint32_t>(numbers_.size())).first->second);
  }

  void AddStep(const MachineInstr& instr, const ptx::MachineModel& model, unsigned warps) {
    Step step = {.first = static_cast<uint32_t>(registers_.size()), .first_def = 0, .end = 0};
    for (const MachineOperand& operand : instr.operands()) {
      if (operand.is_reg() && operand.reg().is_valid() && operand.reads_reg()) AddRegister(operand.reg());
    }
    step.first_def = static_cast<uint32_t>(registers_.size());
    for (const MachineOperand& operand : instr.operands()) {
      if (operand.is_def() && operand.reg().is_valid()) AddRegister(operand.reg());
    }
    step.end = static_cast<uint32_t>(registers_.size());
    step.is_phi = instr.is_phi();
    if (!TraceEnsemble::IsTransient(instr)) {
      const ptx::InstrCost cost = model.CostOf(instr);
      step.takes_time = true;
      step.latency = (cost.latency + warps - 1) / warps;
      step.issue = cost.issue;
      step.unit = cost.unit;
    }
    steps_.push_back(step);
  }

  // PHIs read the old values of all registers before one of them is written.
  void RunPhis(bool is_first) {
    phi_ready_.clear();
    for (const Step& step : steps_) {
      if (!step.is_phi) continue;
      uint64_t ready = 0;
      for (const uint32_t reg : Reads(step)) {
        if (!is_first && is_defined_[reg]) ready = std::max(ready, ready_[reg]);
      }
      phi_ready_.push_back(ready);
    }
    size_t i = 0;
    for (const Step& step : steps_) {
      if (!step.is_phi) continue;
      for (const uint32_t reg : Defs(step)) ready_[reg] = phi_ready_[i];
      ++i;
    }
  }

  std::vector<Step> steps_;
  std::vector<uint32_t> registers_;
  absl::flat_hash_map<uint32_t, uint32_t> numbers_;  // by Register::bits()
  std::vector<bool> is_defined_;                     // by register: in the sequence
  std::vector<uint64_t> ready_;                      // by register: the cycle from which on it can be read
  std::vector<uint64_t> phi_ready_;
  std::array<uint64_t, ptx::kNumFunctionalUnits> unit_free_ = {};
  uint64_t next_ = 0;  // the next cycle in which nothing has been issued
  uint64_t last_ready_ = 0;
};

}  // namespace

uint32_t CyclesOf(absl::Span<const MachineInstr* const> instrs, const ptx::MachineModel& model, unsigned warps) {
  Scoreboard board(instrs, model, warps);
  board.Run(/*is_first=*/true);
  return static_cast<uint32_t>(board.end());
}

uint32_t CyclesPerIteration(absl::Span<const MachineInstr* const> instrs, const ptx::MachineModel& model,
                            unsigned warps) {
  Scoreboard board(instrs, model, warps);
  for (uint64_t i = 0; i < kWarmUp; ++i) board.Run(i == 0);
  const uint64_t begin = board.next();
  for (uint64_t i = 0; i < kMeasured; ++i) board.Run(/*is_first=*/false);
  return static_cast<uint32_t>((board.next() - begin + kMeasured - 1) / kMeasured);
}

}  // namespace ptxmir
