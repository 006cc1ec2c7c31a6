// SPDX-License-Identifier: Apache-2.0

// FunctionHistory: the code of a function at the input and after each step that changed it, from LLVM IR over
// SelectionDAGs and machine code to PTX, with the register pressure and the control flow graph of machine code.
// -explore shows it.
//
// Every version of the code is a list of lines. Most lines are the same in many versions, so that each distinct line is
// kept once. Debug instructions and debug locations are left out; the places of instructions are kept beside the lines.

#ifndef PTXMIR_PASSES_REPORT_FUNCTION_HISTORY_H_
#define PTXMIR_PASSES_REPORT_FUNCTION_HISTORY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/pressure/pressure_profile.h"
#include "analysis/pressure/register_budget.h"
#include "base/text_buffer.h"
#include "ir/text/function_lines.h"
#include "mir/code/machine_function.h"
#include "passes/report/loop_schedule.h"
#include "passes/report/machine_lines.h"
#include "passes/report/text_table.h"

namespace ptxmir {

// A line of the source program, of the function that was compiled even if the code was inlined into it.
struct HistoryPlace {
  std::string file;
  uint32_t line = 0;
  std::string text;  // the whole place: "k.cu:12:5 (inlined from helpers.h:40:3)"
};

// The control flow graph and the registers of a version that is machine code. A line is an index into the lines of the
// version.
struct MachineStage {
  struct Successor {
    BlockNumber to = 0;
    double probability = 0;
  };
  struct Block {
    BlockNumber number = 0;
    uint32_t first = 0;                // its first line
    uint32_t end = 0;                  // the line after its last one
    uint32_t peak = 0;                 // registers
    uint32_t depth = 0;                // of loops
    int32_t loop = -1;                 // the innermost loop around it, as an index; -1: none
    double frequency = 0;              // executions for each execution of the function
    std::optional<uint64_t> executed;  // thread instructions in the interpreter (-count-executed); of the final code
    std::vector<Successor> successors;
  };
  struct Loop {
    BlockNumber header = 0;
    int32_t parent = -1;  // an index; -1: none
    uint32_t depth = 1;
    std::vector<BlockNumber> blocks;
  };
  struct Segment {
    uint32_t first = 0;  // line
    uint32_t end = 0;    // the line after the last one
  };
  // The lines at which a register is live: from its definition or the beginning of a block to its last use or the end
  // of a block.
  struct Range {
    std::string reg;
    std::string class_name;
    uint32_t units = 0;
    std::vector<Segment> segments;  // ascending
  };
  struct PeakValue {
    int32_t definition_line = -1;  // -1: none, or several
    int32_t last_use_line = -1;    // the last one in the layout
  };

  PressureProfile profile;
  std::vector<uint32_t> instr_lines;  // the line of each point of the profile
  std::vector<int32_t> places;        // by point: an index into FunctionHistory::places, or -1; empty if there is none
  int32_t peak_line = -1;
  std::vector<PeakValue> peak_values;  // indexed as profile.live
  std::vector<Block> blocks;           // in layout order
  std::vector<Loop> loops;             // outer loops before inner ones
  std::vector<Range> ranges;           // of the input and of the final code; otherwise empty
};

struct CodeStage {
  enum class Kind : uint8_t { kIr, kDag, kMachine, kPtx };

  Kind kind = Kind::kMachine;
  std::string name;  // of the pass; "input" for the first one of its kind
  std::string description;
  std::vector<std::string> unchanged;  // the passes that ran since the stage before and changed nothing
  uint64_t num_instructions = 0;
  uint64_t num_blocks = 0;
  std::vector<uint32_t> lines;  // numbers of texts
  // By line: the instruction of the IR that it came from, counted from 1 in the IR that was selected; 0: none. Of that
  // IR, of DAGs and of the first machine code; otherwise empty.
  std::vector<uint32_t> ir_orders;
  // For kPtx, by line: the line of the last machine code that it came from, or -1.
  std::vector<int32_t> machine_lines;
  std::optional<MachineStage> machine;  // for kMachine
};

// The SelectionDAGs of all blocks after a step.
struct DagStage {
  std::vector<uint32_t> lines;      // numbers of texts
  std::vector<uint32_t> ir_orders;  // by line, as in CodeStage
  uint64_t num_nodes = 0;
  uint64_t num_blocks = 0;
};

struct FunctionHistory {
  explicit FunctionHistory(std::string_view function) : name(function) {}

  std::string name;
  bool is_kernel = false;
  std::string sm;  // empty if no subtarget is known
  std::optional<RegisterBudget> budget;
  TextTable texts;
  std::vector<HistoryPlace> places;
  std::vector<CodeStage> stages;
  std::vector<std::string> unchanged;  // the passes that ran after the last stage and changed nothing
  std::vector<LoopSchedule> schedules;
  // The instructions of the IR that became the instructions, by id, of the machine code that is added next, as in
  // CodeStage::ir_orders; empty if it was not selected here.
  absl::flat_hash_map<ArenaId, uint32_t> ir_orders_of_next;

  // Appends the LLVM IR of the function. Values keep the numbers that they had first.
  void AddIr(std::string_view pass, std::string_view description, ir::Function& function);
  // Appends the DAGs of all blocks after a step.
  void AddDags(std::string_view step, DagStage dags);
  // Appends the PTX of the function. `instr_texts` are the places of its instructions.
  void AddPtx(std::string_view text, absl::Span<const ptx::TextRange> instr_texts);
  // Appends the function as it is, without live ranges.
  void AddMachineCode(std::string_view pass, std::string_view description, MachineFunction& function,
                      AnalysisManager& analyses);
  // Adds the live ranges of its registers to the last version, which is the function as it is, unless it has them.
  void AddRanges(const MachineFunction& function, AnalysisManager& analyses);
  // Sets what each block of the last version that is machine code has executed. The function is as it was then.
  void SetExecuted(const MachineFunction& function, const absl::flat_hash_map<const MachineInstr*, uint64_t>& executed);

 private:
  CodeStage& NewStage(CodeStage::Kind kind, std::string_view pass, std::string_view description);
  // Appends a version whose lines have numbers in `texts`. Returns null, and notes the pass as one that changed
  // nothing, if the last version is the same.
  CodeStage* AddLines(CodeStage::Kind kind, std::string_view pass, std::string_view description,
                      std::vector<uint32_t> lines);
  int32_t PlaceOf(const MachineInstr& instr);
  // Numbers the instructions of the last version, which is IR.
  void NumberIrInstructions();

  absl::flat_hash_map<MetadataId, int32_t> place_of_location_;
  ir::FunctionLines ir_lines_;
  MachineLines machine_lines_;
};

// The histories of the functions of a module. Functions may be recorded on several threads, each on one at a time.
class HistoryBook {
 public:
  // Returns the history of a function, which is empty at first. The reference stays valid.
  FunctionHistory& Of(std::string_view function);
  // Notes that the code of a function is complete. The order of these calls is that of the book.
  void NoteEnd(std::string_view function);
  // Returns the histories of complete functions, in order.
  const std::vector<const FunctionHistory*>& functions() const { return order_; }

 private:
  std::mutex mutex_;  // guards the map
  std::map<std::string, std::unique_ptr<FunctionHistory>, std::less<>> histories_;
  std::vector<const FunctionHistory*> order_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_FUNCTION_HISTORY_H_
