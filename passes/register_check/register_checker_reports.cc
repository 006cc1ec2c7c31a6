// SPDX-License-Identifier: Apache-2.0

#include "passes/register_check/register_checker_reports.h"

#include <utility>

#include "base/str_cat.h"
#include "mir/code/operand_ranges.h"
#include "mir/text/mir_writer.h"

namespace ptxmir::register_check {

void ValueReports::CheckUses(const MachineBasicBlock& block, const MatchedStep& step, const SymbolicState& state) {
  const absl::Span<const Snapshot::Operand> operands = facts_.snapshot().operands(facts_.Before(step));
  for (unsigned i = 0; i < operands.size(); ++i) {
    const MachineOperand& before = operands[i].operand;
    if (!IsVirtualRead(before)) continue;
    const Register actual = step.instr->operand(i).reg();
    if (!state.Holds(LocationOf(actual), facts_.WholeValue(facts_.Name(before.reg())))) {
      ReportUse({block, *step.instr, i, before.reg(), actual}, state);
    }
    CheckEarlyClobbers(block, step, i);
  }
}

// Reports early-clobber definitions that overwrite the operand before it is read.
void ValueReports::CheckEarlyClobbers(const MachineBasicBlock& block, const MatchedStep& step, unsigned operand) {
  const absl::Span<const Snapshot::Operand> operands = facts_.snapshot().operands(facts_.Before(step));
  const Register actual = step.instr->operand(operand).reg();
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!operands[i].operand.is_def() || !operands[i].operand.is_early_clobber() || operands[operand].tied_to == i ||
        step.instr->operand(i).reg() != actual) {
      continue;
    }
    matched_.Report(RegisterCheckerFinding::Kind::kWrongValue, block, step.instr, static_cast<int>(operand),
                    StrCat("operand ", operand, " is read after early-clobber operand ", i, " has overwritten it"));
  }
}

void ValueReports::CheckPhis(const MatchedBlock& from, const MatchedBlock& to, const SymbolicState& state) {
  for (const MatchedPhi& phi : to.phis) {
    Register now;
    const Snapshot::Operand* source = PhiOperand(facts_, phi, *from.block, now);
    if (source == nullptr || source->operand.is_undef() || phi.instr == nullptr) continue;
    const Register expected = source->operand.reg();
    if (state.Holds(LocationOf(now), facts_.WholeValue(facts_.Name(expected)))) continue;
    for (const PhiIncoming incoming : PhiIncomings(*phi.instr)) {
      if (incoming.predecessor() != from.block->number()) continue;
      ReportUse({*from.block, *phi.instr, incoming.value().operand_number(), expected, now}, state);
      break;
    }
  }
}

std::string ValueReports::Describe(const SymbolicState& state, SetId set) const {
  if (set == SymbolicSets::kEmpty) return "nothing known";
  std::string text;
  size_t count = 0;
  for (const SymbolicValue& value : state.sets().Values(set)) {
    if (++count > 4) return text + " ...";
    StrAppend(&text, text.empty() ? "%" : " = %", value.vreg);
    if (value.form == SymbolicValue::kBool) text += " as an integer";
    if (!(value == facts_.WholeValue(value.vreg)) && value.form == SymbolicValue::kBytes) {
      StrAppend(&text, " (bytes ", int{value.begin}, " to ", value.begin + value.size, ")");
    }
  }
  return text;
}

std::string ValueReports::WhereFrom(Location location) const {
  const MachineInstr* writer = writers_[location];
  if (writer == nullptr) return "on entry to the block";
  std::string text = "written by '";
  WriteInstr(*writer, {}, text);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text + "'";
}

void ValueReports::ReportUse(const Use& use, const SymbolicState& state) {
  const Location location = LocationOf(use.actual);
  const uint32_t name = facts_.Name(use.expected);
  std::string message = StrCat("operand ", use.operand, " reads %", use.actual.virtual_index(), ", which should hold %",
                               use.expected.virtual_index(), " of before");
  if (name != use.expected.virtual_index()) StrAppend(&message, " (a copy of %", name, ")");
  StrAppend(&message, "; it holds ", Describe(state, state.Get(location)), ", ", WhereFrom(location));
  const size_t num_findings = matched_.findings().size();
  matched_.Report(RegisterCheckerFinding::Kind::kWrongValue, use.block, &use.instr, static_cast<int>(use.operand),
                  std::move(message));
  if (matched_.findings().size() == num_findings) return;
  matched_.findings().back().expected = use.expected;
  matched_.findings().back().actual = use.actual;
}

}  // namespace ptxmir::register_check
