// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeliner/modulo_pressure.h"

#include <algorithm>
#include <vector>

#include "analysis/pressure/register_pressure.h"
#include "mir/code/operand_ranges.h"

namespace ptxmir {
namespace {

// The last cycle at which each value is read, by the register that the body defines.
absl::flat_hash_map<Register, uint32_t> LastReads(const LoopBody& body, const ModuloSchedule& schedule) {
  absl::flat_hash_map<Register, uint32_t> last;
  for (uint32_t node = 0; node < body.instrs.size(); ++node) {
    for (const MachineOperand& read : VirtualReads(*body.instrs[node])) {
      const LoopValue value = body.ValueOf(read.reg());
      if (value.node == LoopValue::kNoNode) continue;
      uint32_t& cycle = last[value.reg];
      cycle = std::max(cycle, schedule.cycles[node] + value.distance() * schedule.ii);
    }
  }
  // The branch reads the condition at the end of the first stage.
  uint32_t& cycle = last[body.condition.reg];
  cycle = std::max(cycle, schedule.ii - 1);
  return last;
}

}  // namespace

ModuloPressure ComputeModuloPressure(const LoopBody& body, const ModuloSchedule& schedule) {
  const MachineFunction& function = body.block->function();
  const PressureClassMap classes(function.target());
  const absl::flat_hash_map<Register, uint32_t> last_reads = LastReads(body, schedule);
  std::vector<uint32_t> units(schedule.ii), predicates(schedule.ii);
  ModuloPressure pressure;
  for (uint32_t node = 0; node < body.instrs.size(); ++node) {
    for (const MachineOperand& def : VirtualDefs(*body.instrs[node])) {
      const RegClassId reg_class = function.reg_info().reg_class(def.reg());
      if (!classes.IsCounted(reg_class)) continue;
      const bool is_predicate = classes[reg_class] == static_cast<uint8_t>(PressureClass::kPredicate);
      const uint32_t begin = schedule.cycles[node];
      const auto last = last_reads.find(def.reg());
      // A result that nothing reads is live while it is written.
      const uint32_t end = last == last_reads.end() ? begin + 1 : std::max(begin + 1, last->second);
      pressure.num_copies = std::max(pressure.num_copies, (end - begin + schedule.ii - 1) / schedule.ii);
      for (uint32_t cycle = begin; cycle < end; ++cycle) {
        (is_predicate ? predicates : units)[(cycle + 1) % schedule.ii] +=
            is_predicate ? 1 : kPressureUnits[classes[reg_class]];
      }
    }
  }
  pressure.units = *std::max_element(units.begin(), units.end());
  pressure.predicates = *std::max_element(predicates.begin(), predicates.end());
  return pressure;
}

}  // namespace ptxmir
