// SPDX-License-Identifier: Apache-2.0

#include "tests/analysis/pressure/register_pressure_reference.h"

#include <algorithm>
#include <iterator>

#include "ptx/target/ptx_target.h"

namespace ptxmir::reference {
namespace {

bool IsVirtualRegister(const MachineOperand& operand) { return operand.is_reg() && operand.reg().is_virtual(); }

}  // namespace

bool RegisterPressures::Counts(uint32_t reg) const {
  const RegClassId reg_class = function_.reg_info().reg_class(Register::Virtual(reg));
  return reg_class == ptx::reg_class::kB1 || reg_class == ptx::reg_class::kB16 || reg_class == ptx::reg_class::kB32 ||
         reg_class == ptx::reg_class::kB64 || reg_class == ptx::reg_class::kB128;
}

RegisterPressure RegisterPressures::Count(const std::set<uint32_t>& registers) const {
  RegisterPressure pressure;
  for (const uint32_t reg : registers) {
    switch (function_.reg_info().reg_class(Register::Virtual(reg))) {
      case ptx::reg_class::kB1:
        ++pressure.counts[0];
        break;
      case ptx::reg_class::kB16:
        ++pressure.counts[1];
        break;
      case ptx::reg_class::kB32:
        ++pressure.counts[2];
        break;
      case ptx::reg_class::kB64:
        ++pressure.counts[3];
        break;
      case ptx::reg_class::kB128:
        ++pressure.counts[4];
        break;
      default:
        break;
    }
  }
  return pressure;
}

std::set<uint32_t> RegisterPressures::Results(const MachineInstr& instr) const {
  std::set<uint32_t> results;
  for (const MachineOperand& operand : instr.operands()) {
    if (!IsVirtualRegister(operand) || !operand.is_def() || !Counts(operand.reg().virtual_index())) continue;
    results.insert(operand.reg().virtual_index());
  }
  return results;
}

std::set<uint32_t> RegisterPressures::Reads(const MachineInstr& instr) const {
  std::set<uint32_t> reads;
  for (const MachineOperand& operand : instr.operands()) {
    if (!IsVirtualRegister(operand) || operand.is_def() || operand.is_undef()) continue;
    if (Counts(operand.reg().virtual_index())) reads.insert(operand.reg().virtual_index());
  }
  return reads;
}

// Marks the register as live at this point of a block, and at all points that lead here without a definition of it.
void RegisterPressures::Reach(uint32_t reg, BlockNumber number, size_t point) {
  std::vector<std::pair<BlockNumber, size_t>> worklist = {{number, point}};
  while (!worklist.empty()) {
    auto [at, i] = worklist.back();
    worklist.pop_back();
    Block& block = blocks_[at];
    if (!block.live_before[i].insert(reg).second) continue;
    if (i > 0) {
      if (Results(*block.body[i - 1]).count(reg) == 0) worklist.push_back({at, i - 1});
      continue;
    }
    if (std::any_of(block.phis.begin(), block.phis.end(),
                    [&](const MachineInstr* phi) { return Results(*phi).count(reg) != 0; })) {
      continue;
    }
    block.live_in.insert(reg);
    for (const MachineBasicBlock* predecessor : function_.block(at)->predecessors()) {
      worklist.push_back({predecessor->number(), blocks_[predecessor->number()].body.size()});
    }
  }
}

RegisterPressures::RegisterPressures(const MachineFunction& function) : function_(function) {
  blocks_.resize(function.block_number_bound());
  for (const MachineBasicBlock& machine_block : function) {
    Block& block = blocks_[machine_block.number()];
    for (const MachineInstr& instr : machine_block) {
      if (instr.is_debug() || instr.opcode() == generic::kBundle) continue;
      (instr.is_phi() ? block.phis : block.body).push_back(&instr);
    }
    block.live_before.resize(block.body.size() + 1);
  }
  for (const MachineBasicBlock& machine_block : function) {
    const BlockNumber number = machine_block.number();
    for (size_t i = 0; i < blocks_[number].body.size(); ++i) {
      for (const uint32_t reg : Reads(*blocks_[number].body[i])) Reach(reg, number, i);
    }
    for (const MachineInstr* phi : blocks_[number].phis) {
      for (unsigned i = 1; i + 1 < phi->num_operands(); i += 2) {
        const MachineOperand& operand = phi->operand(i);
        if (!IsVirtualRegister(operand) || operand.is_undef() || !Counts(operand.reg().virtual_index())) continue;
        const BlockNumber from = phi->operand(i + 1).block();
        Reach(operand.reg().virtual_index(), from, blocks_[from].body.size());
      }
    }
  }
}

InstrPressure RegisterPressures::At(const MachineInstr& instr, const std::set<uint32_t>& before,
                                    const std::set<uint32_t>& after) const {
  const std::set<uint32_t> results = Results(instr);
  const std::set<uint32_t> reads = Reads(instr);
  std::set<uint32_t> survivors;  // live after it and not its results
  std::set_difference(after.begin(), after.end(), results.begin(), results.end(),
                      std::inserter(survivors, survivors.end()));
  std::set<uint32_t> at_writes = after;
  at_writes.insert(results.begin(), results.end());
  std::set<uint32_t> at_reads = before;
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (!IsVirtualRegister(operand) || !operand.is_def() || !operand.is_early_clobber()) continue;
    if (!Counts(operand.reg().virtual_index())) continue;
    bool shares = false;
    if (operand.is_tied()) {
      const MachineOperand& use = instr.operand(instr.FindTiedOperand(i));
      shares = !use.is_undef() && Counts(use.reg().virtual_index()) && survivors.count(use.reg().virtual_index()) == 0;
    }
    if (!shares) at_reads.insert(operand.reg().virtual_index());
  }
  std::set<uint32_t> last_uses;
  std::set_difference(reads.begin(), reads.end(), survivors.begin(), survivors.end(),
                      std::inserter(last_uses, last_uses.end()));
  InstrPressure pressure;
  pressure.instr = &instr;
  pressure.entry = Count(before);
  pressure.at_reads = Count(at_reads);
  pressure.at_writes = Count(at_writes);
  pressure.exit = Count(after);
  pressure.births = Count(results);
  pressure.last_uses = Count(last_uses);
  return pressure;
}

std::set<uint32_t> RegisterPressures::AtEntry(const Block& block) const {
  std::set<uint32_t> live = block.live_in;
  for (const MachineInstr* phi : block.phis) {
    const std::set<uint32_t> results = Results(*phi);
    live.insert(results.begin(), results.end());
  }
  return live;
}

std::vector<InstrPressure> RegisterPressures::Instrs(BlockNumber number) const {
  const Block& block = blocks_[number];
  std::vector<InstrPressure> pressures;
  for (const MachineInstr* phi : block.phis) {
    InstrPressure pressure;
    pressure.instr = phi;
    pressure.entry = pressure.at_reads = pressure.at_writes = Count(AtEntry(block));
    pressure.exit = Count(AfterPhis(block));
    pressure.births = Count(Results(*phi));
    pressures.push_back(pressure);
  }
  for (size_t i = 0; i < block.body.size(); ++i) {
    pressures.push_back(At(*block.body[i], block.live_before[i], block.live_before[i + 1]));
  }
  return pressures;
}

BlockPressure RegisterPressures::Pressure(BlockNumber number) const {
  const Block& block = blocks_[number];
  BlockPressure pressure;
  pressure.entry = Count(AtEntry(block));
  pressure.exit = Count(block.live_before.back());
  pressure.peak = PeakPressure(pressure.entry);
  pressure.peak.Include(pressure.exit);
  for (const InstrPressure& instr : Instrs(number)) pressure.peak.Include(instr.peak());
  return pressure;
}

}  // namespace ptxmir::reference
