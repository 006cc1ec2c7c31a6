// SPDX-License-Identifier: Apache-2.0

#include "passes/outline/outline_plan.h"

#include <algorithm>
#include <utility>

#include "analysis/pressure/machine_register_pressure.h"
#include "ptx/isa/register_classes.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

// The instructions of a call besides moves of what is passed: the return address, in two halves, and the call.
constexpr int64_t kCall = 3;
// The return of the outlined function, and the jump behind it that a function ends with.
constexpr int64_t kReturn = 2;

// Returns about how many instructions ptxas makes of one.
int64_t SassSize(const MachineInstr& instr) {
  using ptx::LatencyClass;
  switch (ptx::LatencyClassOf(instr)) {
    case LatencyClass::kNone:
      return 0;
    case LatencyClass::kMove:
    case LatencyClass::kAlu: {
      // A 64-bit operation is two of 32 bits.
      const MachineOperand& first = instr.operand(0);
      const bool is_wide =
          first.is_def() && first.reg().is_virtual() && PressureUnitsOf(instr.function(), first.reg()) > 1;
      return is_wide ? 2 : 1;
    }
    case LatencyClass::kImul64:
      return 4;
    case LatencyClass::kIdiv:
      return 16;
    case LatencyClass::kIdiv64:
      return 6;  // a call
    case LatencyClass::kFdiv:
    case LatencyClass::kSfu64:
      return 8;
    case LatencyClass::kFdiv64:
      return 16;
    default:
      return 1;
  }
}

// Returns true if a register of the class can be a parameter or a result of a function. Predicates have no place in
// parameter space.
bool CanBePassed(RegClassId reg_class) {
  return reg_class == ptx::reg_class::kB16 || reg_class == ptx::reg_class::kB32 || reg_class == ptx::reg_class::kB64;
}

}  // namespace

absl::Span<const uint32_t> OutlinePlanner::NumberRegisters(uint32_t position, uint32_t length) {
  number_of_.resize(text_.max_registers());
  stamp_of_.resize(text_.max_registers());
  ++stamp_;
  numbers_.clear();
  registers_.clear();
  for (uint32_t i = 0; i < length; ++i) {
    for (const MachineOperand& operand : text_.instr(position + i)->operands()) {
      if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
      const uint32_t index = operand.reg().virtual_index();
      if (std::exchange(stamp_of_[index], stamp_) != stamp_) {
        number_of_[index] = static_cast<uint32_t>(registers_.size());
        registers_.push_back(operand.reg());
      }
      numbers_.push_back(number_of_[index]);
    }
  }
  return numbers_;
}

void OutlinePlanner::Plan(absl::Span<const uint32_t> positions, uint32_t length, int64_t min_benefit,
                          std::vector<OutlinePlan>& plans) {
  // Occurrences that overlap the one before cannot be outlined together with it.
  std::vector<uint32_t> apart;
  for (const uint32_t position : positions) {
    if (apart.empty() || position >= apart.back() + length) apart.push_back(position);
  }
  if (apart.size() < 2) return;
  // The least that calls cost, if nothing is passed. Most candidates end here.
  int64_t body = 0;
  for (uint32_t i = 0; i < length; ++i) body += SassSize(*text_.instr(apart.front() + i));
  const auto places = static_cast<int64_t>(apart.size());
  if (kSassBytes * (places * (body - kCall) - body - kReturn) < min_benefit) return;
  // The numbers of registers of all places, one place after the other. All have equally many.
  std::vector<uint32_t> all;
  for (const uint32_t position : apart) {
    const absl::Span<const uint32_t> numbers = NumberRegisters(position, length);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  const size_t width = all.size() / apart.size();
  std::vector<size_t> order(apart.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto of_place = [&](size_t i) { return absl::MakeConstSpan(all).subspan(i * width, width); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto left = of_place(a);
    const auto right = of_place(b);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
  for (size_t first = 0; first < order.size();) {
    size_t end = first;
    std::vector<uint32_t> group;
    while (end < order.size() && of_place(order[end]) == of_place(order[first])) group.push_back(apart[order[end++]]);
    if (group.size() > 1) PlanGroup(std::move(group), length, min_benefit, plans);
    first = end;
  }
}

void OutlinePlanner::PlanGroup(std::vector<uint32_t> positions, uint32_t length, int64_t min_benefit,
                               std::vector<OutlinePlan>& plans) {
  ComputeCosts(positions, length);
  OutlinePlan best;
  for (uint32_t prefix = 2; prefix <= length; ++prefix) {
    const int64_t benefit = BenefitOf(prefix, positions.size());
    if (forbidden_[prefix] != 0 || benefit < min_benefit || benefit <= best.benefit) continue;
    best.benefit = benefit;
    best.length = prefix;
  }
  if (best.length == 0) return;
  best.positions = std::move(positions);
  plans.push_back(std::move(best));
}

int64_t OutlinePlanner::BenefitOf(uint32_t length, size_t num_places) const {
  const auto places = static_cast<int64_t>(num_places);
  const int64_t call = kCall + passed_[length] + (counts_live_registers_ ? 2 * live_[length] : 0);
  return kSassBytes * (places * body_[length] - places * call - body_[length] - kReturn);
}

uint32_t OutlinePlanner::LastRead(absl::Span<const uint32_t> positions, uint32_t length, uint32_t instr,
                                  size_t def_number) const {
  uint32_t last_read = 0;
  for (const uint32_t position : positions) {
    const uint32_t read = text_.LastReads(position + instr)[def_number];
    last_read = std::max(last_read, std::min(read - std::min(position, read), length));
  }
  return last_read;
}

void OutlinePlanner::ComputeCosts(absl::Span<const uint32_t> positions, uint32_t length) {
  const uint32_t front = positions.front();
  const MachineFunction& function = text_.instr(front)->function();
  body_.assign(length + 1, 0);
  passed_.assign(length + 2, 0);
  forbidden_.assign(length + 2, 0);
  live_.assign(length + 1, 0);
  NumberRegisters(front, length);
  std::vector<bool> is_known(registers_.size());
  // Differences between a prefix and the next shorter one, which are then added up.
  const auto add = [&](uint32_t from, uint32_t end, Register reg) {
    const RegClassId reg_class = function.reg_info().reg_class(reg);
    const int64_t units = std::max<int64_t>(PressureUnitsOf(function, reg), 1);
    passed_[from] += units;
    passed_[end] -= units;
    if (CanBePassed(reg_class)) return;
    ++forbidden_[from];
    --forbidden_[end];
  };
  size_t operand_number = 0;
  for (uint32_t i = 0; i < length; ++i) {
    const MachineInstr& instr = *text_.instr(front + i);
    body_[i + 1] = body_[i] + SassSize(instr);
    const size_t first_operand = operand_number;
    for (const bool wants_defs : {false, true}) {
      operand_number = first_operand;
      size_t def = 0;
      for (const MachineOperand& operand : instr.operands()) {
        if (!operand.is_reg()) continue;
        const size_t def_number = operand.is_def() ? def++ : 0;
        if (!operand.reg().is_virtual()) continue;
        const uint32_t number = numbers_[operand_number++];
        if (operand.is_def() != wants_defs) continue;
        if (operand.is_def()) {
          is_known[number] = true;
          const uint32_t last_read = LastRead(positions, length, i, def_number);
          if (last_read > i) add(i + 1, last_read + 1, operand.reg());
        } else {
          // A register that an instruction reads as undefined need not be passed, but it is no value of the sequence
          // either.
          if (operand.reads_reg() && !is_known[number]) add(i + 1, length + 1, operand.reg());
          is_known[number] = is_known[number] || operand.reads_reg();
        }
      }
    }
  }
  for (uint32_t i = 1; i <= length; ++i) {
    passed_[i] += passed_[i - 1];
    forbidden_[i] += forbidden_[i - 1];
    if (!counts_live_registers_) continue;
    for (const uint32_t position : positions) live_[i] += text_.LiveUnits(position + i - 1);
    live_[i] /= static_cast<int64_t>(positions.size());
  }
}

bool OutlinePlanner::Replan(OutlinePlan& plan) {
  if (plan.positions.size() < 2) return false;
  ComputeCosts(plan.positions, plan.length);
  plan.benefit = BenefitOf(plan.length, plan.positions.size());
  if (forbidden_[plan.length] != 0) return false;
  plan.parameters.clear();
  plan.results.clear();
  const uint32_t front = plan.positions.front();
  const MachineFunction& function = text_.instr(front)->function();
  std::vector<bool> is_known(registers_.size());
  std::vector<bool> is_result(registers_.size());
  size_t operand_number = 0;
  for (uint32_t i = 0; i < plan.length; ++i) {
    const MachineInstr& instr = *text_.instr(front + i);
    const size_t first_operand = operand_number;
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
      const uint32_t number = numbers_[operand_number++];
      if (!operand.reads_reg() || is_known[number]) continue;
      is_known[number] = true;
      plan.parameters.push_back({number, function.reg_info().reg_class(operand.reg())});
    }
    operand_number = first_operand;
    size_t def = 0;
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_reg()) continue;
      const size_t this_def = def;
      def += operand.is_def() ? 1 : 0;
      if (!operand.reg().is_virtual()) continue;
      const uint32_t number = numbers_[operand_number++];
      if (!operand.is_def()) continue;
      is_known[number] = true;
      const bool is_read = std::any_of(plan.positions.begin(), plan.positions.end(), [&](uint32_t position) {
        return text_.LastReads(position + i)[this_def] >= position + plan.length;
      });
      if (is_read && !is_result[number]) {
        plan.results.push_back({number, function.reg_info().reg_class(operand.reg())});
      }
      is_result[number] = is_result[number] || is_read;
    }
  }
  // Without padding between them.
  std::stable_sort(plan.results.begin(), plan.results.end(), [&](const auto& a, const auto& b) {
    return function.target().reg_classes[a.reg_class].bits > function.target().reg_classes[b.reg_class].bits;
  });
  return true;
}

}  // namespace ptxmir
