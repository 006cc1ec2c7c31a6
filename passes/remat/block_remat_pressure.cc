// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat_pressure.h"

#include <algorithm>

namespace ptxmir {
namespace {

uint32_t Sum(uint32_t amount, int32_t taken) {
  return static_cast<uint32_t>(std::max<int64_t>(int64_t{amount} + taken, 0));
}

}  // namespace

uint32_t RematPressure::Max() const {
  if (reconfigured_ == nullptr) return OfPeak(measured_.MaxPressure());
  uint32_t max = 0;
  for (const MachineBasicBlock* block : measured_.BlocksOver(0)) max = std::max(max, Peak(*block));
  return max;
}

uint32_t RematPressure::Peak(const MachineBasicBlock& block) const {
  const uint32_t peak = OfPeak(measured_.Block(block).peak);
  if (reconfigured_ == nullptr) return peak;
  if (!reconfigured_->ChangesIn(block)) return Sum(peak, reconfigured_->TakenAtStart(block));
  std::vector<uint32_t> amounts;
  AtInstrs(block, amounts);
  return std::max(AtEnd(block), *std::max_element(amounts.begin(), amounts.end()));
}

uint32_t RematPressure::AtEnd(const MachineBasicBlock& block) const {
  const RegisterPressure exit = measured_.Block(block).exit;
  const uint32_t amount = file_ == RegisterFile::kPredicates ? exit.predicates() : exit.units();
  return reconfigured_ == nullptr ? amount : Sum(amount, reconfigured_->TakenAtEnd(block));
}

void RematPressure::AtInstrs(const MachineBasicBlock& block, std::vector<uint32_t>& amounts) const {
  if (file_ == RegisterFile::kRegisters) {
    measured_.UnitsAtInstrs(block, amounts);
  } else {
    amounts.clear();
    for (const InstrPressure& at_instr : measured_.Instrs(block)) amounts.push_back(at_instr.peak().predicates());
  }
  if (reconfigured_ == nullptr) return;
  std::vector<int32_t> taken;
  reconfigured_->TakenAtInstrs(block, taken);
  std::transform(amounts.begin(), amounts.end(), taken.begin(), amounts.begin(), Sum);
}

std::vector<MachineBasicBlock*> RematPressure::BlocksOver(uint32_t limit) const {
  if (file_ == RegisterFile::kPredicates) return measured_.BlocksOverPredicates(limit);
  if (reconfigured_ == nullptr) return measured_.BlocksOver(limit);
  std::vector<MachineBasicBlock*> blocks = measured_.BlocksOver(0);
  std::erase_if(blocks, [&](const MachineBasicBlock* block) { return Peak(*block) <= limit; });
  return blocks;
}

}  // namespace ptxmir
