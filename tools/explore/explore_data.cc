// SPDX-License-Identifier: Apache-2.0

#include "tools/explore/explore_data.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "base/json_text.h"
#include "base/str_cat.h"
#include "mir/text/mir_text.h"
#include "ptx/target/occupancy.h"
#include "ptx/target/subtarget.h"
#include "tools/occupancy_report.h"

namespace ptxmir {
namespace {

// The parts that are written, from all to the fewest.
enum class Detail { kAll, kNoRanges, kFirstAndLastCode, kNoCode };

// The note of a level, about what it leaves out beside what the one before does.
std::string_view NoteOf(Detail detail) {
  switch (detail) {
    case Detail::kAll:
      break;
    case Detail::kNoRanges:
      return "The page would be too large: live ranges are left out.";
    case Detail::kFirstAndLastCode:
      return "The page would be too large: the code is shown at the first and the last stage of each kind only, "
             "without "
             "live ranges.";
    case Detail::kNoCode:
      return "The page would be too large: no code is shown, only figures.";
  }
  return "";
}

std::string Number(double value) { return absl::StrFormat("%.6g", value); }
std::string_view Boolean(bool value) { return value ? "true" : "false"; }

// Appends an array. `append` appends one element.
template <typename Elements, typename Append>
void AppendArray(const Elements& elements, Append append, std::string& out) {
  out += '[';
  bool is_first = true;
  for (const auto& element : elements) {
    if (!is_first) out += ',';
    is_first = false;
    append(element);
  }
  out += ']';
}

template <typename Numbers>
void AppendNumbers(const Numbers& numbers, std::string& out) {
  TextSink sink(out);
  sink.Put('[');
  bool is_first = true;
  for (const auto& number : numbers) {
    if (!is_first) sink.Put(',');
    is_first = false;
    sink.PutInt(number);
  }
  sink.Put(']');
}

template <typename Texts>
void AppendTexts(const Texts& texts, std::string& out) {
  AppendArray(
      texts, [&](const auto& text) { AppendJsonTextForHtml(text, out); }, out);
}

// Returns the registers that a message names.
std::vector<std::string> RegistersIn(std::string_view message) {
  std::vector<std::string> registers;
  const auto is_name = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  for (size_t at = message.find('%'); at < message.size(); at = message.find('%', at)) {
    size_t end = at + 1;
    while (end < message.size() && is_name(message[end])) ++end;
    while (message[end - 1] == '.') --end;  // the end of a sentence
    const std::string_view name = message.substr(at, end - at);
    if (name.size() > 1 && !name.starts_with("%bb.")) registers.emplace_back(name);
    at = std::max(end, at + 1);
  }
  return registers;
}

void AppendRemark(const Remark& remark, std::string& out) {
  const std::string message = remark.Message();
  std::string place;
  if (remark.location.has_value()) place = SourcePlace{*remark.location, remark.calls}.ToString();
  StrAppend(&out, "{\"kind\":", JsonTextForHtml(RemarkKindName(remark.kind)),
            ",\"pass\":", JsonTextForHtml(remark.pass), ",\"name\":", JsonTextForHtml(remark.name),
            ",\"function\":", JsonTextForHtml(remark.function), ",\"message\":", JsonTextForHtml(message),
            ",\"place\":", JsonTextForHtml(place), ",\"registers\":");
  AppendTexts(RegistersIn(message), out);
  out += '}';
}

void AppendPtxas(const PtxasTable& table, std::string& out) {
  StrAppend(&out, "{\"note\":", JsonTextForHtml(table.note), ",\"rows\":");
  AppendArray(
      table.rows,
      [&](const PtxasRow& row) {
        StrAppend(&out, "{\"function\":", JsonTextForHtml(row.function), ",\"label\":", JsonTextForHtml(row.label),
                  ",\"options\":", JsonTextForHtml(row.options), ",\"registers\":", row.registers,
                  ",\"spill_bytes\":", row.spill_bytes, ",\"occupancy\":", Number(row.occupancy),
                  ",\"is_chosen\":", Boolean(row.is_chosen), "}");
      },
      out);
  out += '}';
}

void AppendSchedule(const LoopSchedule& schedule, std::string& out) {
  const uint32_t min_ii = std::max(schedule.recurrence_min_ii, schedule.resource_min_ii);
  StrAppend(&out, "{\"pass\":\"pipeliner\",\"block\":", schedule.block, ",\"ii\":", schedule.ii, ",\"mii\":", min_ii,
            ",\"rec_mii\":", schedule.recurrence_min_ii, ",\"res_mii\":", schedule.resource_min_ii,
            ",\"stages\":", schedule.num_stages, ",\"instructions\":");
  const uint32_t ii = std::max<uint32_t>(schedule.ii, 1);
  AppendArray(
      schedule.instrs,
      [&](const LoopSchedule::Instr& instr) {
        StrAppend(&out, "{\"text\":", JsonTextForHtml(instr.text), ",\"cycle\":", instr.cycle,
                  ",\"stage\":", instr.cycle / ii, ",\"row\":", instr.cycle % ii,
                  ",\"resource\":", JsonTextForHtml(instr.unit), "}");
      },
      out);
  out += ",\"resources\":";
  AppendArray(
      schedule.units,
      [&](const LoopSchedule::Unit& unit) {
        StrAppend(&out, "{\"name\":", JsonTextForHtml(unit.name), ",\"cycles\":", unit.cycles, "}");
      },
      out);
  out += ",\"recurrences\":";
  AppendArray(
      schedule.recurrences, [&](const std::vector<uint32_t>& nodes) { AppendNumbers(nodes, out); }, out);
  StrAppend(&out, ",\"registers_before\":", schedule.registers_before,
            ",\"registers_after\":", schedule.registers_after, "}");
}

void AppendPeak(const MachineStage& machine, std::string& out) {
  StrAppend(&out, "{\"line\":", machine.peak_line, ",\"block\":", machine.profile.peak_block, ",\"live\":");
  size_t i = 0;
  AppendArray(
      machine.profile.live,
      [&](const LiveValue& value) {
        const MachineStage::PeakValue& lines = machine.peak_values[i++];
        out += "{\"register\":";
        AppendJsonTextForHtml(value.name, out);
        out += ",\"class\":";
        AppendJsonTextForHtml(value.class_name, out);
        StrAppend(&out, ",\"units\":", value.units, ",\"first\":", lines.definition_line,
                  ",\"last\":", lines.last_use_line, ",\"remedy\":");
        AppendJsonTextForHtml(RemedyText(value), out);
        out += '}';
      },
      out);
  out += '}';
}

void AppendGraph(const MachineStage& machine, std::string& out) {
  out += "{\"blocks\":";
  AppendArray(
      machine.blocks,
      [&](const MachineStage::Block& block) {
        StrAppend(&out, "{\"number\":", block.number, ",\"first\":", block.first, ",\"end\":", block.end,
                  ",\"peak\":", block.peak, ",\"depth\":", block.depth, ",\"loop\":", block.loop,
                  ",\"frequency\":", Number(block.frequency));
        if (block.executed.has_value()) StrAppend(&out, ",\"executed\":", *block.executed);
        out += ",\"successors\":";
        AppendArray(
            block.successors,
            [&](const MachineStage::Successor& successor) {
              StrAppend(&out, "{\"to\":", successor.to, ",\"probability\":", Number(successor.probability), "}");
            },
            out);
        out += '}';
      },
      out);
  out += ",\"loops\":";
  AppendArray(
      machine.loops,
      [&](const MachineStage::Loop& loop) {
        StrAppend(&out, "{\"header\":", loop.header, ",\"parent\":", loop.parent, ",\"depth\":", loop.depth,
                  ",\"blocks\":");
        AppendNumbers(loop.blocks, out);
        out += '}';
      },
      out);
  out += '}';
}

void AppendRanges(const std::vector<MachineStage::Range>& ranges, std::string& out) {
  AppendArray(
      ranges,
      [&](const MachineStage::Range& range) {
        StrAppend(&out, "{\"register\":", JsonTextForHtml(range.reg), ",\"class\":", JsonTextForHtml(range.class_name),
                  ",\"units\":", range.units, ",\"segments\":");
        AppendArray(
            range.segments,
            [&](const MachineStage::Segment& segment) { StrAppend(&out, "[", segment.first, ",", segment.end, "]"); },
            out);
        out += '}';
      },
      out);
}

// Returns one number for each line of code: that of its point, or -1.
template <typename Value>
std::vector<int64_t> ByLine(const MachineStage& machine, size_t num_lines, const std::vector<Value>& by_point) {
  std::vector<int64_t> values(num_lines, -1);
  for (size_t i = 0; i < machine.instr_lines.size(); ++i) values[machine.instr_lines[i]] = by_point[i];
  return values;
}

void AppendMachine(const CodeStage& stage, bool has_code, bool has_ranges, std::string& out) {
  const MachineStage& machine = *stage.machine;
  StrAppend(&out, ",\"max_live\":", machine.profile.max_units, ",\"max_predicates\":", machine.profile.max_predicates);
  if (!has_code) return;
  out += ",\"pressure\":";
  AppendNumbers(ByLine(machine, stage.lines.size(), machine.profile.points), out);
  if (!machine.places.empty()) {
    out += ",\"place\":";
    AppendNumbers(ByLine(machine, stage.lines.size(), machine.places), out);
  }
  out += ",\"peak\":";
  AppendPeak(machine, out);
  out += ",\"graph\":";
  AppendGraph(machine, out);
  if (!has_ranges || machine.ranges.empty()) return;
  out += ",\"ranges\":";
  AppendRanges(machine.ranges, out);
}

std::string_view KindName(CodeStage::Kind kind) {
  switch (kind) {
    case CodeStage::Kind::kIr:
      return "ir";
    case CodeStage::Kind::kDag:
      return "dag";
    case CodeStage::Kind::kMachine:
      return "mir";
    case CodeStage::Kind::kPtx:
      return "ptx";
  }
  return "";
}

// Appends where the lines came from, so that an instruction can be followed from one kind of code to the next.
void AppendOrigins(const CodeStage& stage, std::string& out) {
  if (!stage.ir_orders.empty()) {
    out += ",\"ir\":";
    AppendNumbers(stage.ir_orders, out);
  }
  if (stage.machine_lines.empty()) return;
  out += ",\"mir\":";
  AppendNumbers(stage.machine_lines, out);
}

class DataWriter {
 public:
  // `limit`: the most bytes that `out` may have in the end.
  DataWriter(const ExploreData& data, Detail detail, size_t limit, std::string& out)
      : data_(data), detail_(detail), limit_(limit), out_(out) {}

  // Appends everything. Returns false, with something left out, if that is too long.
  bool Write() {
    const size_t estimate = EstimateOfSize();
    // The estimate has never been seen to be half as much again as what was written.
    if (estimate / 3 * 2 > limit_) return false;
    // There is room for the scripts that follow the data in a page, too.
    out_.reserve(std::min(out_.size() + estimate, limit_) + (size_t{1} << 18));
    StrAppend(&out_, "{\"version\":1,\"title\":", JsonTextForHtml(data_.title),
              ",\"tool\":", JsonTextForHtml(data_.tool), ",\"command\":", JsonTextForHtml(data_.command),
              ",\"notes\":");
    std::vector<std::string> notes;
    if (detail_ != Detail::kAll) notes.emplace_back(NoteOf(detail_));
    AppendTexts(notes, out_);
    AppendKnobs();
    out_ += ",\n\"versions\":";
    AppendArray(
        data_.versions, [&](const ExploredVersion& version) { AppendVersion(version, out_); }, out_);
    out_ += ",\n\"sources\":";
    AppendArray(
        data_.sources.files(),
        [&](const SourceFiles::File& file) {
          StrAppend(&out_, "{\"file\":", JsonTextForHtml(file.name), ",\"lines\":");
          AppendTexts(file.lines, out_);
          out_ += '}';
        },
        out_);
    out_ += "}\n";
    return !is_too_long();
  }

 private:
  bool is_too_long() const { return out_.size() > limit_; }

  // Returns about how many bytes the data take, so that the text need not grow.
  size_t EstimateOfSize() const {
    size_t bytes = 1 << 12;
    for (const ExploredVersion& version : data_.versions) {
      for (const FunctionHistory* function : version.history->functions()) {
        size_t num_lines = 0;
        for (const CodeStage& stage : function->stages) {
          bytes += EstimateOfSize(*function, stage);
          if (HasCode(*function, stage)) num_lines += stage.lines.size();
        }
        const TextTable& texts = function->texts;
        const size_t bytes_of_text = texts.num_bytes() / std::max<size_t>(texts.size(), 1);
        bytes += std::min(texts.num_bytes(), num_lines * bytes_of_text) + 5 * texts.size();
      }
      bytes += 160 * version.remarks->size();
    }
    return bytes;
  }

  size_t EstimateOfSize(const FunctionHistory& function, const CodeStage& stage) const {
    if (!HasCode(function, stage)) return 0;
    size_t bytes = 8 * stage.lines.size();
    if (!stage.machine.has_value()) return bytes;
    bytes += 112 * (stage.machine->blocks.size() + stage.machine->profile.live.size());
    if (detail_ != Detail::kAll) return bytes;
    for (const MachineStage::Range& range : stage.machine->ranges) bytes += 64 + 16 * range.segments.size();
    return bytes;
  }

  void AppendKnobs() {
    std::vector<const KnobInfo*> set;
    for (const KnobInfo& knob : KnobTable()) {
      if (data_.knobs->origin(knob) != KnobOrigin::kDefault) set.push_back(&knob);
    }
    static const Knobs* const kDefaults = new Knobs();
    out_ += ",\"knobs\":";
    AppendArray(
        set,
        [&](const KnobInfo* knob) {
          StrAppend(&out_, "{\"name\":", JsonTextForHtml(knob->name),
                    ",\"value\":", JsonTextForHtml(data_.knobs->ValueText(*knob)),
                    ",\"default\":", JsonTextForHtml(kDefaults->ValueText(*knob)), "}");
        },
        out_);
  }

  void AppendVersion(const ExploredVersion& version, std::string& out) {
    StrAppend(&out, "{\"label\":", JsonTextForHtml(version.label), ",\"command\":", JsonTextForHtml(version.command),
              ",\"functions\":");
    AppendFunctions(version, out);
    out += ",\n\"remarks\":";
    AppendArray(
        *version.remarks, [&](const Remark& remark) { AppendRemark(remark, out); }, out);
    out += ",\n\"ptxas\":";
    AppendPtxas(version.ptxas, out);
    out += '}';
  }

  void AppendFunctions(const ExploredVersion& version, std::string& out) const {
    const SharedVariables shared(*version.module);
    AppendArray(
        version.history->functions(),
        [&](const FunctionHistory* function) {
          if (!is_too_long()) AppendFunction(shared, *function, out);
        },
        out);
  }

  void AppendFunction(const SharedVariables& shared, const FunctionHistory& function, std::string& out) const {
    StrAppend(&out, "\n{\"name\":", JsonTextForHtml(function.name), ",\"is_kernel\":", Boolean(function.is_kernel),
              ",\"sm\":", JsonTextForHtml(function.sm));
    if (function.budget.has_value()) {
      StrAppend(&out, ",\"budget\":{\"registers\":", function.budget->registers,
                ",\"is_hard\":", Boolean(function.budget->is_hard),
                ",\"text\":", JsonTextForHtml(function.budget->text), "}");
    }
    AppendOccupancy(shared, function, out);
    // Texts that no written stage mentions are empty, so that numbers stay.
    std::vector<bool> is_needed(function.texts.size());
    for (const CodeStage& stage : function.stages) {
      if (!HasCode(function, stage)) continue;
      for (const uint32_t number : stage.lines) is_needed[number] = true;
    }
    out += ",\"texts\":[";
    for (uint32_t i = 0; i < function.texts.size(); ++i) {
      if (i != 0) out += ',';
      AppendJsonTextForHtml(is_needed[i] ? function.texts[i] : "", out);
    }
    out += "],\"places\":";
    AppendArray(
        function.places,
        [&](const HistoryPlace& place) {
          const std::optional<size_t> file = data_.sources.IndexOf(place.file);
          StrAppend(&out, "{\"file\":", file.has_value() ? static_cast<int64_t>(*file) : -1,
                    ",\"name\":", JsonTextForHtml(place.file), ",\"line\":", place.line,
                    ",\"text\":", JsonTextForHtml(place.text), "}");
        },
        out);
    out += ",\"stages\":";
    AppendArray(
        function.stages,
        [&](const CodeStage& stage) {
          if (!is_too_long()) AppendStage(function, stage, out);
        },
        out);
    out += ",\"schedules\":";
    AppendArray(
        function.schedules, [&](const LoopSchedule& schedule) { AppendSchedule(schedule, out); }, out);
    out += '}';
  }

  static void AppendOccupancy(const SharedVariables& shared, const FunctionHistory& function, std::string& out) {
    const ptx::SmInfo* const sm = ptx::FindSm(function.sm);
    if (sm == nullptr || !function.is_kernel) return;
    const RegisterBudget budget = function.budget.value_or(RegisterBudget());
    ptx::KernelResources kernel = ResourcesOf(budget, 1, sm->limits);
    kernel.shared_bytes = shared.BytesOf(function.name);
    StrAppend(&out, ",\"occupancy\":{\"threads\":", kernel.threads,
              ",\"is_assumed\":", Boolean(budget.cta_threads == 0), ",\"steps\":");
    AppendArray(
        ptx::OccupancySteps(sm->limits, kernel),
        [&](const ptx::OccupancyStep& step) {
          StrAppend(&out, "{\"registers\":", step.registers, ",\"warps\":", step.occupancy.warps,
                    ",\"percent\":", Number(100 * step.occupancy.fraction()), "}");
        },
        out);
    out += '}';
  }

  bool HasCode(const FunctionHistory& function, const CodeStage& stage) const {
    if (detail_ != Detail::kFirstAndLastCode) return detail_ != Detail::kNoCode;
    const size_t i = static_cast<size_t>(&stage - function.stages.data());
    return i == 0 || i + 1 == function.stages.size() || function.stages[i - 1].kind != stage.kind ||
           function.stages[i + 1].kind != stage.kind;
  }

  void AppendStage(const FunctionHistory& function, const CodeStage& stage, std::string& out) const {
    StrAppend(&out, "\n{\"kind\":\"", KindName(stage.kind), "\",\"name\":", JsonTextForHtml(stage.name),
              ",\"description\":", JsonTextForHtml(stage.description), ",\"unchanged\":");
    AppendTexts(stage.unchanged, out);
    StrAppend(&out, ",\"instructions\":", stage.num_instructions, ",\"blocks\":", stage.num_blocks);
    const bool has_code = HasCode(function, stage);
    if (has_code) {
      out += ",\"code\":";
      AppendNumbers(stage.lines, out);
      AppendOrigins(stage, out);
    }
    if (stage.machine.has_value()) AppendMachine(stage, has_code, detail_ == Detail::kAll, out);
    out += '}';
  }

  const ExploreData& data_;
  const Detail detail_;
  const size_t limit_;
  std::string& out_;
};

}  // namespace

void AppendExploreJson(const ExploreData& data, size_t max_bytes, std::string& out) {
  const size_t begin = out.size();
  if (max_bytes == 0) {
    DataWriter(data, Detail::kAll, ~size_t{0}, out).Write();
    return;
  }
  // The last level is written however long it is.
  for (const Detail detail : {Detail::kAll, Detail::kNoRanges, Detail::kFirstAndLastCode}) {
    if (DataWriter(data, detail, begin + max_bytes, out).Write()) return;
    out.resize(begin);
  }
  DataWriter(data, Detail::kNoCode, ~size_t{0}, out).Write();
}

}  // namespace ptxmir
