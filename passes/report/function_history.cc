// SPDX-License-Identifier: Apache-2.0

#include "passes/report/function_history.h"

#include <algorithm>
#include <utility>

#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_branch_probabilities.h"
#include "analysis/pressure/extra_machine_instr_printer.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/register_name.h"
#include "base/sort.h"
#include "mir/code/operand_ranges.h"
#include "mir/text/source_place.h"

namespace ptxmir {
namespace {

int32_t IndexOf(CycleId loop) { return loop == CycleForest::kNoCycle ? -1 : static_cast<int32_t>(loop); }

void AddGraph(MachineFunction& function, AnalysisManager& analyses, MachineStage& stage) {
  const auto& loops = analyses.Get<MachineLoops>();
  const auto& frequencies = analyses.Get<MachineBlockFrequencies>();
  const auto& probabilities = analyses.Get<MachineBranchProbabilities>();
  const double entry = std::max<double>(1, static_cast<double>(frequencies.EntryFrequency()));
  size_t i = 0;
  for (const MachineBasicBlock& block : function) {
    MachineStage::Block& drawn = stage.blocks[i++];
    drawn.depth = loops.Depth(block);
    drawn.loop = IndexOf(loops.InnermostCycle(block));
    drawn.frequency = static_cast<double>(frequencies.Frequency(block)) / entry;
    for (size_t s = 0; s < block.successors().size(); ++s) {
      const double numerator = probabilities.Probability(block, s).numerator();
      drawn.successors.push_back({block.successors()[s]->number(), numerator / BranchProbability::kDenominator});
    }
  }
  for (CycleId loop = 0; loop < loops.num_cycles(); ++loop) {
    MachineStage::Loop& drawn = stage.loops.emplace_back();
    drawn.header = loops.Header(loop)->number();
    drawn.parent = IndexOf(loops.Parent(loop));
    drawn.depth = loops.Depth(loop);
    for (const MachineBasicBlock* block : loops.Blocks(loop)) drawn.blocks.push_back(block->number());
  }
}

// Finds the lines at which the values that are live at the peak are defined and last used.
void AddPeak(const MachineFunction& function, MachineStage& stage) {
  const PressureProfile& profile = stage.profile;
  if (profile.peak_point < stage.instr_lines.size()) {
    stage.peak_line = static_cast<int32_t>(stage.instr_lines[profile.peak_point]);
  }
  // By register: 1 + the index of its value, or 0.
  std::vector<uint32_t> value_of_register(function.reg_info().num_virtual_registers());
  for (size_t i = 0; i < profile.live.size(); ++i) {
    const Register reg = profile.live[i].reg;
    if (reg.is_virtual()) value_of_register[reg.virtual_index()] = static_cast<uint32_t>(i) + 1;
  }
  stage.peak_values.resize(profile.live.size());
  std::vector<bool> is_defined(profile.live.size());
  size_t point = 0;
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      if (!IsPressurePoint(instr)) continue;
      const auto line = static_cast<int32_t>(stage.instr_lines[point++]);
      for (const MachineOperand& operand : instr.operands()) {
        if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
        const uint32_t index = value_of_register[operand.reg().virtual_index()];
        if (index == 0) continue;
        MachineStage::PeakValue& value = stage.peak_values[index - 1];
        if (operand.is_use()) {
          value.last_use_line = line;
        } else {
          value.definition_line = is_defined[index - 1] ? -1 : line;
          is_defined[index - 1] = true;
        }
      }
    }
  }
}

// Finds the lines at which registers are live, from the last block to the first.
class RangeFinder {
 public:
  RangeFinder(const MachineFunction& function, const MachineRegisterPressure& pressure, MachineStage& stage)
      : function_(function),
        pressure_(pressure),
        stage_(stage),
        range_of_(function.reg_info().num_virtual_registers(), kNone),
        live_until_(function.reg_info().num_virtual_registers(), 0),
        is_live_out_(function.reg_info().num_virtual_registers()) {}

  void Run() {
    std::vector<const MachineBasicBlock*> blocks;
    for (const MachineBasicBlock& block : function_) blocks.push_back(&block);
    size_t point = stage_.instr_lines.size();
    for (size_t i = blocks.size(); i-- > 0;) point = VisitBlock(*blocks[i], stage_.blocks[i], point);
    for (MachineStage::Range& range : stage_.ranges) std::reverse(range.segments.begin(), range.segments.end());
    StableSortByMovingOnce(stage_.ranges, [](const MachineStage::Range& a, const MachineStage::Range& b) {
      return a.segments.front().first < b.segments.front().first;
    });
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Returns the first point of the block, of which `point` is the point after the last one.
  size_t VisitBlock(const MachineBasicBlock& block, const MachineStage::Block& drawn, size_t point) {
    for (const uint32_t reg : pressure_.LiveOuts(block)) {
      Use(reg, drawn.end);
      is_live_out_[reg] = true;
    }
    for (const MachineInstr* instr = block.back(); instr != nullptr; instr = instr->previous()) {
      if (!IsPressurePoint(*instr)) continue;
      const uint32_t line = stage_.instr_lines[--point];
      for (const MachineOperand& definition : VirtualDefs(*instr)) Define(definition.reg().virtual_index(), line);
      if (instr->is_phi()) continue;  // its operands are read at the ends of the predecessors
      for (const MachineOperand& use : VirtualUses(*instr)) {
        if (!use.is_undef()) Use(use.reg().virtual_index(), line + 1);
      }
    }
    for (const uint32_t reg : pressure_.LiveIns(block)) Define(reg, drawn.first);
    // A register that is read without a definition is live nowhere else.
    for (const uint32_t reg : touched_) live_until_[reg] = 0;
    for (const uint32_t reg : pressure_.LiveOuts(block)) is_live_out_[reg] = false;
    touched_.clear();
    return point;
  }

  void Use(uint32_t reg, uint32_t end) {
    if (live_until_[reg] != 0) return;
    live_until_[reg] = end;
    touched_.push_back(reg);
  }

  void Define(uint32_t reg, uint32_t line) {
    const uint32_t end = std::max(std::exchange(live_until_[reg], 0), line + 1);
    std::vector<MachineStage::Segment>& segments = RangeOf(reg).segments;
    // The one before in this vector is the next one in the layout. It joins this one where the next block begins.
    const bool is_joined = is_live_out_[reg] && !segments.empty() && segments.back().first == end;
    is_live_out_[reg] = false;
    if (is_joined) {
      segments.back().first = line;
    } else {
      segments.push_back({line, end});
    }
  }

  MachineStage::Range& RangeOf(uint32_t reg) {
    if (range_of_[reg] == kNone) {
      range_of_[reg] = static_cast<uint32_t>(stage_.ranges.size());
      const Register virtual_register = Register::Virtual(reg);
      MachineStage::Range& range = stage_.ranges.emplace_back();
      range.reg = RegisterName(function_, virtual_register);
      const RegClassDesc& reg_class = function_.target().reg_classes[function_.reg_info().reg_class(virtual_register)];
      range.class_name = std::string(reg_class.name);
      range.units = reg_class.pressure_units;
    }
    return stage_.ranges[range_of_[reg]];
  }

  const MachineFunction& function_;
  const MachineRegisterPressure& pressure_;
  MachineStage& stage_;
  std::vector<uint32_t> range_of_;    // by register: the index of its range, or kNone
  std::vector<uint32_t> live_until_;  // by register: the end of what is live at the current line; 0: it is not live
  std::vector<bool> is_live_out_;     // by register: what is live now is live out of the current block
  std::vector<uint32_t> touched_;     // the registers that may be live
};

// Returns true for the first line of an IR instruction as the IR writer prints it: "  %3 = add i32 %1, %2", but not
// "    i32 0, label %4" or "  ]" of a switch.
bool IsIrInstruction(std::string_view line) {
  return line.size() > 2 && line.starts_with("  ") && line[2] != ' ' && line[2] != ']' && line[2] != ';';
}

// Return true for a line of PTX as the PTX writer prints it: "$L__BB0_3:" and "\tadd.s32 \t%r1, %r2, %r3;".
bool IsPtxLabel(std::string_view line) { return line.starts_with("$L__BB"); }
bool IsPtxInstruction(std::string_view line) {
  return line.size() > 1 && line[0] == '\t' && line[1] != '.' && line[1] != '/' && line.find(';') != line.npos;
}

void NoteIrOrders(const MachineFunction& function, const absl::flat_hash_map<ArenaId, uint32_t>& orders,
                  CodeStage& stage) {
  stage.ir_orders.resize(stage.lines.size());
  size_t point = 0;
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      if (!IsPressurePoint(instr)) continue;
      const uint32_t line = stage.machine->instr_lines[point++];
      if (const auto found = orders.find(instr.id()); found != orders.end()) stage.ir_orders[line] = found->second;
    }
  }
}

}  // namespace

CodeStage& FunctionHistory::NewStage(CodeStage::Kind kind, std::string_view pass, std::string_view description) {
  CodeStage& stage = stages.emplace_back();
  stage.kind = kind;
  stage.name = std::string(pass);
  stage.description = std::string(description);
  stage.unchanged = std::exchange(unchanged, {});
  return stage;
}

int32_t FunctionHistory::PlaceOf(const MachineInstr& instr) {
  const MetadataId location = instr.debug_loc();
  if (location == MachineInstr::kNoDebugLoc) return -1;
  const auto [found, is_new] = place_of_location_.emplace(location, -1);
  if (!is_new) return found->second;
  const std::optional<SourcePlace> place = ResolveDebugLocation(instr.parent()->function(), location);
  if (!place.has_value()) return -1;
  const SourceLocation& outer = place->calls.empty() ? place->code : place->calls.back();
  found->second = static_cast<int32_t>(places.size());
  places.push_back({outer.file, outer.line, place->ToString()});
  return found->second;
}

void FunctionHistory::AddIr(std::string_view pass, std::string_view description, ir::Function& function) {
  std::vector<uint32_t> lines;
  ir_lines_.Append(
      function, [&](std::string_view text) { return texts.NumberOf(text); }, lines);
  CodeStage* const stage = AddLines(CodeStage::Kind::kIr, pass, description, std::move(lines));
  if (stage == nullptr) return;
  for (const ir::BasicBlock* block : function.blocks()) {
    ++stage->num_blocks;
    for (const ir::Instruction* i = block->first(); i != nullptr; i = i->next()) ++stage->num_instructions;
  }
}

CodeStage* FunctionHistory::AddLines(CodeStage::Kind kind, std::string_view pass, std::string_view description,
                                     std::vector<uint32_t> lines) {
  if (!stages.empty() && stages.back().kind == kind && stages.back().lines == lines) {
    unchanged.emplace_back(pass);
    return nullptr;
  }
  CodeStage& stage = NewStage(kind, pass, description);
  stage.lines = std::move(lines);
  return &stage;
}

void FunctionHistory::NumberIrInstructions() {
  CodeStage& stage = stages.back();
  uint32_t order = 0;
  for (const uint32_t number : stage.lines) stage.ir_orders.push_back(IsIrInstruction(texts[number]) ? ++order : 0);
}

void FunctionHistory::AddDags(std::string_view step, DagStage dags) {
  if (!stages.empty() && stages.back().kind == CodeStage::Kind::kIr) NumberIrInstructions();
  CodeStage* const stage = AddLines(CodeStage::Kind::kDag, step, "SelectionDAG", std::move(dags.lines));
  if (stage == nullptr) return;
  stage->num_instructions = dags.num_nodes;
  stage->num_blocks = dags.num_blocks;
  stage->ir_orders = std::move(dags.ir_orders);
}

void FunctionHistory::AddPtx(std::string_view text, absl::Span<const ptx::TextRange> instr_texts) {
  const auto last =
      std::find_if(stages.rbegin(), stages.rend(), [](const CodeStage& s) { return s.machine.has_value(); });
  std::vector<int32_t> machine_lines;
  if (last != stages.rend() && last->machine->instr_lines.size() == instr_texts.size()) {
    machine_lines.resize(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), -1);
    size_t line = 0;
    size_t at = 0;
    for (size_t i = 0; i < instr_texts.size(); ++i) {
      line += static_cast<size_t>(std::count(text.begin() + at, text.begin() + instr_texts[i].begin, '\n'));
      for (at = instr_texts[i].begin; at < instr_texts[i].end; ++at) {
        if (text[at] == '\n') machine_lines[line++] = static_cast<int32_t>(last->machine->instr_lines[i]);
      }
    }
  }
  std::vector<uint32_t> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(texts.NumberOf(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  CodeStage* const stage = AddLines(CodeStage::Kind::kPtx, "ptx", "PTX", std::move(lines));
  if (stage == nullptr) return;
  stage->machine_lines = std::move(machine_lines);
  for (const uint32_t number : stage->lines) {
    const std::string_view line = texts[number];
    stage->num_blocks += IsPtxLabel(line) ? 1 : 0;
    stage->num_instructions += IsPtxInstruction(line) ? 1 : 0;
  }
  ++stage->num_blocks;  // the first one has no label
}

void FunctionHistory::AddMachineCode(std::string_view pass, std::string_view description, MachineFunction& function,
                                     AnalysisManager& analyses) {
  CodeStage& stage = NewStage(CodeStage::Kind::kMachine, pass, description);
  MachineStage& machine = stage.machine.emplace();
  machine.blocks.reserve(function.num_blocks());
  bool has_places = false;
  for (const MachineBasicBlock& block : function) {
    MachineStage::Block& drawn = machine.blocks.emplace_back();
    drawn.number = block.number();
    drawn.first = static_cast<uint32_t>(stage.lines.size());
    machine_lines_.Append(block, ir_lines_, texts, stage.lines, machine.instr_lines);
    drawn.end = static_cast<uint32_t>(stage.lines.size());
    for (const MachineInstr& instr : block) {
      if (!IsPressurePoint(instr)) continue;
      machine.places.push_back(PlaceOf(instr));
      has_places |= machine.places.back() >= 0;
    }
  }
  if (!has_places) machine.places = {};
  if (!ir_orders_of_next.empty()) NoteIrOrders(function, std::exchange(ir_orders_of_next, {}), stage);
  stage.num_instructions = FunctionSize(function);
  stage.num_blocks = machine.blocks.size();
  machine.profile = ComputePressureProfile(function, analyses, /*with_texts=*/false);
  for (size_t i = 0; i < machine.blocks.size(); ++i) machine.blocks[i].peak = machine.profile.blocks[i].peak;
  AddGraph(function, analyses, machine);
  AddPeak(function, machine);
}

void FunctionHistory::AddRanges(const MachineFunction& function, AnalysisManager& analyses) {
  MachineStage& machine = *stages.back().machine;
  if (machine.ranges.empty()) RangeFinder(function, analyses.Get<MachineRegisterPressure>(), machine).Run();
}

void FunctionHistory::SetExecuted(const MachineFunction& function,
                                  const absl::flat_hash_map<const MachineInstr*, uint64_t>& executed) {
  const auto last =
      std::find_if(stages.rbegin(), stages.rend(), [](const CodeStage& s) { return s.machine.has_value(); });
  if (last == stages.rend()) return;
  size_t i = 0;
  for (const MachineBasicBlock& block : function) {
    uint64_t count = 0;
    for (const MachineInstr& instr : block) {
      const auto found = executed.find(&instr);
      if (found != executed.end()) count += found->second;
    }
    last->machine->blocks[i++].executed = count;
  }
}

FunctionHistory& HistoryBook::Of(std::string_view function) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = histories_.find(function);
  if (found != histories_.end()) return *found->second;
  return *histories_.emplace(function, std::make_unique<FunctionHistory>(function)).first->second;
}

void HistoryBook::NoteEnd(std::string_view function) { order_.push_back(&Of(function)); }

}  // namespace ptxmir
