// SPDX-License-Identifier: Apache-2.0

#include "passes/report/pressure_report.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

#include "absl/strings/str_format.h"
#include "analysis/pressure/extra_machine_instr_printer.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/reconfigured_registers.h"
#include "base/json_text.h"
#include "base/str_cat.h"
#include "mir/code/function_ir.h"
#include "mir/code/spill_slots.h"
#include "mir/text/mir_writer.h"
#include "mir/text/source_place.h"
#include "ptx/target/occupancy.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {
namespace {

// The numbers of blocks and values that are listed; the others are only counted.
constexpr size_t kMaxBlocksShown = 8;
constexpr size_t kMaxValuesShown = 40;
constexpr size_t kMaxBars = 72;

void AppendCurve(const PressureStep& step, std::string& out) {
  const PressureProfile& profile = step.profile;
  StrAppend(&out, "{\"pass\":", JsonText(step.pass), ",\"points\":[");
  for (size_t i = 0; i < profile.points.size(); ++i) StrAppend(&out, i == 0 ? "" : ",", profile.points[i]);
  out += "],\"blocks\":[";
  for (size_t i = 0; i < profile.blocks.size(); ++i) {
    const PressureProfile::Block& block = profile.blocks[i];
    StrAppend(&out, i == 0 ? "" : ",", "{\"number\":", block.number, ",\"first\":", block.first_point,
              ",\"peak\":", block.peak, ",\"location\":", JsonText(block.location), "}");
  }
  StrAppend(&out, "],\"peak\":{\"instruction\":", profile.peak_point, ",\"block\":", profile.peak_block,
            ",\"text\":", JsonText(profile.peak_instr), ",\"location\":", JsonText(profile.peak_location),
            ",\"live\":[");
  for (size_t i = 0; i < profile.live.size(); ++i) {
    const LiveValue& value = profile.live[i];
    StrAppend(&out, i == 0 ? "" : ",", "{\"register\":", JsonText(value.name),
              ",\"class\":", JsonText(value.class_name), ",\"units\":", value.units,
              ",\"def\":", JsonText(value.definition), ",\"remedy\":", JsonText(RemedyText(value)), "}");
  }
  out += "]}}";
}

void AppendFunction(const FunctionPressure& function, std::string& out) {
  StrAppend(&out, "{\"name\":", JsonText(function.function), ",\"is_kernel\":", function.is_kernel ? "true" : "false",
            ",\"sm\":", JsonText(function.sm));
  if (function.budget.has_value()) {
    StrAppend(&out, ",\"budget\":{\"registers\":", function.budget->registers,
              ",\"is_hard\":", function.budget->is_hard ? "true" : "false",
              ",\"text\":", JsonText(function.budget->text), "}");
  }
  out += ",\"steps\":[";
  for (size_t i = 0; i < function.steps.size(); ++i) {
    const PressureStep& step = function.steps[i];
    StrAppend(&out, i == 0 ? "" : ",", "{\"pass\":", JsonText(step.pass), ",\"max_live\":", step.profile.max_units,
              ",\"max_predicates\":", step.profile.max_predicates, ",\"instructions\":", step.instructions, "}");
  }
  out += "],\"curves\":[";
  for (size_t i = 0; i < function.steps.size(); ++i) {
    if (i != 0) out += ",";
    AppendCurve(function.steps[i], out);
  }
  out += "],\"instructions\":[";
  for (size_t i = 0; i < function.instructions.size(); ++i) {
    const InstructionPressure& instr = function.instructions[i];
    StrAppend(&out, i == 0 ? "\n  " : ",\n  ", "{\"block\":", instr.block, ",\"registers\":", instr.registers,
              ",\"text\":", JsonText(instr.text), ",\"location\":", JsonText(instr.place), "}");
  }
  StrAppend(&out, "],\"spill_stores\":", function.spills.stores, ",\"spill_loads\":", function.spills.loads,
            ",\"spill_store_bytes\":", function.spills.store_bytes,
            ",\"spill_load_bytes\":", function.spills.load_bytes);
  if (function.ptxas.has_value()) {
    StrAppend(&out, ",\"ptxas\":{\"registers\":", function.ptxas->registers, ",\"features\":{");
    for (const auto& [name, value] : function.ptxas->features) {
      StrAppend(&out, out.ends_with('{') ? "" : ",", JsonText(name), ":", value);
    }
    out += "}}";
  }
  if (function.executed.has_value()) {
    StrAppend(&out, ",\"executed\":{\"input\":", function.executed->input, ",\"final\":", function.executed->final,
              ",\"launches\":", function.executed->launches, ",\"undecided\":", function.executed->undecided, "}");
  }
  out += "}";
}

// Returns the pressure over the instructions as a row of bars. Each stands for the most registers at the same number of
// instructions.
std::string Sparkline(const PressureProfile& profile) {
  static constexpr std::string_view kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t instrs_per_bar = (profile.points.size() + kMaxBars - 1) / kMaxBars;
  std::string line;
  for (size_t first = 0; first < profile.points.size(); first += instrs_per_bar) {
    const auto begin = profile.points.begin() + static_cast<std::ptrdiff_t>(first);
    const size_t count = std::min(instrs_per_bar, profile.points.size() - first);
    const uint32_t most = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(count));
    line += kBars[most * (std::size(kBars) - 1) / std::max<uint32_t>(profile.max_units, 1)];
  }
  return line;
}

void ExplainBlocks(const PressureProfile& profile, std::string& out) {
  std::vector<const PressureProfile::Block*> blocks;
  for (const PressureProfile::Block& block : profile.blocks) blocks.push_back(&block);
  std::stable_sort(blocks.begin(), blocks.end(), [](const auto* a, const auto* b) { return a->peak > b->peak; });
  out += "  blocks by peak:";
  for (size_t i = 0; i < std::min(blocks.size(), kMaxBlocksShown); ++i) {
    StrAppend(&out, i == 0 ? " " : ", ", "%bb.", blocks[i]->number, " ", blocks[i]->peak);
    if (!blocks[i]->location.empty()) StrAppend(&out, " (", blocks[i]->location, ")");
  }
  if (blocks.size() > kMaxBlocksShown) StrAppend(&out, " and ", blocks.size() - kMaxBlocksShown, " more");
  out += "\n";
}

// Returns the scarcest point of each block, or nothing if a thread has as many registers everywhere.
std::vector<ReconfiguredPressure> FindScarcestPoints(const MachineFunction& function, const RegisterBudget& budget,
                                                     const MachineRegisterPressure& pressure) {
  const std::optional<ReconfiguredRegisters> registers = ReconfiguredRegisters::Of(function, budget);
  if (!registers.has_value()) return {};
  const auto at_entry = static_cast<int32_t>(budget.limit);
  std::vector<ReconfiguredPressure> points;
  std::vector<uint32_t> live;
  std::vector<int32_t> taken;
  for (const MachineBasicBlock& block : function) {
    pressure.UnitsAtInstrs(block, live);
    registers->TakenAtInstrs(block, taken);
    ReconfiguredPressure scarcest = {.block = block.number()};
    int64_t most = std::numeric_limits<int64_t>::min();
    for (size_t i = 0; i < live.size(); ++i) {
      if (int64_t{live[i]} + taken[i] <= most) continue;
      most = int64_t{live[i]} + taken[i];
      scarcest.live = live[i];
      scarcest.left = static_cast<uint32_t>(at_entry - taken[i]);
    }
    if (!live.empty()) points.push_back(scarcest);
  }
  return points;
}

// Says where more is live than setmaxnreg leaves.
void ExplainReconfiguration(absl::Span<const ReconfiguredPressure> blocks, std::string& out) {
  if (blocks.empty()) return;
  std::vector<ReconfiguredPressure> over;
  std::copy_if(blocks.begin(), blocks.end(), std::back_inserter(over),
               [](const ReconfiguredPressure& block) { return block.live > block.left; });
  std::stable_sort(over.begin(), over.end(), [](const ReconfiguredPressure& a, const ReconfiguredPressure& b) {
    return a.live - a.left > b.live - b.left;
  });
  out += over.empty() ? "  setmaxnreg leaves as many registers as are live" : "  setmaxnreg leaves too few registers:";
  for (size_t i = 0; i < std::min(over.size(), kMaxBlocksShown); ++i) {
    StrAppend(&out, i == 0 ? " " : ", ", "%bb.", over[i].block, " ", over[i].left, " for ", over[i].live);
  }
  if (over.size() > kMaxBlocksShown) StrAppend(&out, " and ", over.size() - kMaxBlocksShown, " more blocks");
  out += "\n";
}

void ExplainValues(const PressureProfile& profile, std::string& out) {
  uint32_t units_by_remedy[static_cast<size_t>(PressureRemedy::kNone) + 1] = {};
  for (const LiveValue& value : profile.live) units_by_remedy[static_cast<size_t>(value.remedy)] += value.units;
  const auto units_of = [&](PressureRemedy remedy) { return units_by_remedy[static_cast<size_t>(remedy)]; };
  StrAppend(&out, "  live there: ", profile.live.size(),
            " values; registers that could be freed: ", units_of(PressureRemedy::kSink),
            " by moving definitions down, ", units_of(PressureRemedy::kRematerialize), " by rematerializing, ",
            units_of(PressureRemedy::kSpillAroundLoop), " by spilling around a loop\n");
  for (size_t i = 0; i < std::min(profile.live.size(), kMaxValuesShown); ++i) {
    const LiveValue& value = profile.live[i];
    absl::StrAppendFormat(&out, "    %-8s %-5s %u  %-52s  %s\n", value.name, value.class_name, value.units,
                          RemedyText(value), value.definition);
  }
  if (profile.live.size() > kMaxValuesShown) {
    StrAppend(&out, "    and ", profile.live.size() - kMaxValuesShown, " more\n");
  }
}

// Explains the occupancy that the pressure allows if ptxas uses as many registers, and the next steps.
void ExplainOccupancy(const FunctionPressure& function, uint32_t max_units, std::string& out) {
  const ptx::SmInfo* sm = ptx::FindSm(function.sm);
  if (sm == nullptr || !function.is_kernel) return;
  const RegisterBudget budget = function.budget.value_or(RegisterBudget());
  const ptx::KernelResources kernel = ResourcesOf(budget, max_units, sm->limits);
  StrAppend(&out, "  occupancy on ", sm->name, ", CTAs of ", kernel.threads,
            budget.cta_threads != 0 ? "" : " (assumed)", " threads: ", ptx::DescribeOccupancy(sm->limits, kernel),
            "\n");
  if (max_units >= kLeastRegisterLimit) return;
  StrAppend(&out, "    (", kLeastRegisterLimit, " is the lowest limit that ptxas takes; with ", max_units,
            " registers no more warps would fit)\n");
}

}  // namespace

SpillSlotAccesses CountSpillSlotAccesses(const MachineFunction& function) {
  SpillSlotAccesses counts;
  const MachineFrameInfo& frame = function.frame_info();
  const bool has_slots = std::any_of(frame.objects().begin(), frame.objects().end(), [](const StackObject& object) {
    return object.type == StackObject::Type::kSpillSlot && !object.is_dead;
  });
  if (!has_slots) return counts;
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      for (const MachineMemOperand* memoperand : instr.memoperands()) {
        if (!NamesSpillSlot(*memoperand, frame)) continue;
        const uint64_t bytes = (memoperand->type.bits + 7) / 8;
        if (memoperand->is_store()) {
          ++counts.stores;
          counts.store_bytes += bytes;
        } else if (memoperand->is_load()) {
          ++counts.loads;
          counts.load_bytes += bytes;
        }
      }
    }
  }
  return counts;
}

FunctionPressure BeginPressureReport(MachineFunction& function, AnalysisManager& analyses) {
  FunctionPressure report;
  report.function = std::string(function.name());
  report.is_kernel = IsKernelFunction(function);
  if (const ptx::Subtarget* subtarget = analyses.inputs().subtarget; subtarget != nullptr) {
    report.sm = std::string(subtarget->sm().name);
    report.budget = ComputeRegisterBudget(function, analyses.knobs(), subtarget->sm());
  }
  AddPressureStep("input", function, analyses, report);
  return report;
}

void AddPressureStep(std::string_view pass, MachineFunction& function, AnalysisManager& analyses,
                     FunctionPressure& report) {
  report.steps.push_back({std::string(pass), FunctionSize(function), ComputePressureProfile(function, analyses)});
  report.spills = CountSpillSlotAccesses(function);
}

void EndPressureReport(const MachineFunction& function, AnalysisManager& analyses, FunctionPressure& report) {
  const auto& pressure = analyses.Get<MachineRegisterPressure>();
  if (report.budget.has_value()) report.reconfigured = FindScarcestPoints(function, *report.budget, pressure);
  for (const MachineBasicBlock& block : function) {
    for (const InstrPressure& instr : pressure.Instrs(block)) {
      InstructionPressure& line = report.instructions.emplace_back();
      line.block = block.number();
      line.registers = instr.peak().units;
      WriteInstr(*instr.instr, {}, line.text);
      line.place = SourcePlaceText(function, instr.instr->debug_loc());
    }
  }
}

std::string PressureReportJson(absl::Span<const FunctionPressure> functions) {
  std::string out = "{\"version\":1,\"functions\":[";
  for (size_t i = 0; i < functions.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    AppendFunction(functions[i], out);
  }
  out += "\n]}\n";
  return out;
}

std::string ExplainRegisters(const FunctionPressure& function) {
  const PressureStep& first = function.steps.front();
  const PressureStep& last = function.steps.back();
  const PressureProfile& profile = last.profile;
  std::string out = StrCat(function.is_kernel ? "kernel '" : "function '", function.function, "': at most ",
                           profile.max_units, " registers and ", profile.max_predicates, " predicates live at once");
  if (function.steps.size() > 1) StrAppend(&out, " (", first.profile.max_units, " in the input)");
  out += "\n";
  if (function.budget.has_value()) {
    StrAppend(&out, "  budget: ", function.budget->text, "\n");
  }
  ExplainReconfiguration(function.reconfigured, out);
  if (function.ptxas.has_value()) {
    StrAppend(&out, "  ptxas is expected to use about ", function.ptxas->registers, " registers\n");
  }
  if (function.spills.stores + function.spills.loads != 0) {
    StrAppend(&out, "  spills: ", function.spills.stores, " stores, ", function.spills.loads, " loads\n");
  }
  ExplainOccupancy(function, profile.max_units, out);
  if (profile.max_units == 0) return out;
  StrAppend(&out, "  peak: %bb.", profile.peak_block, ", instruction ", profile.peak_point, " of ",
            profile.points.size(), ": ", profile.peak_instr, "\n");
  StrAppend(&out, "  over the code: ", Sparkline(profile), "\n");
  ExplainBlocks(profile, out);
  ExplainValues(profile, out);
  return out;
}

}  // namespace ptxmir
