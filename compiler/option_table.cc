// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_table.h"

#include <algorithm>

#include "absl/strings/str_split.h"
#include "base/str_cat.h"
#include "compiler/option_values.h"
#include "compiler/printing_option_values.h"

namespace ptxmir {
namespace {

constexpr OptionInfo kOptions[] = {
    {"o", OptionArgument::kRequired, "file", "Where the result goes; - is standard output (default)",
     OptionCategory::kCommon,
     [](std::string_view value, DriverOptions& options) {
       options.output = std::string(value);
       return value.empty() ? InvalidOptionValue("o", value, "a file name") : absl::OkStatus();
     }},
    {"O", OptionArgument::kRequired, "0..3", "Optimization level (default: 2); -Os and -Oz are -O2",
     OptionCategory::kCommon, SetOptLevel},
    {"mcpu", OptionArgument::kRequired, "sm_NN", "GPU (default: what the functions ask for); -mcpu=help lists all",
     OptionCategory::kCommon, SetCpu},
    {"mattr", OptionArgument::kRequired, "+ptxNN",
     "PTX version (default: the least that the GPU needs); -mattr=help lists all", OptionCategory::kCommon,
     SetFeatures},
    {"maxreg", OptionArgument::kRequired, "n", "", OptionCategory::kCommon, nullptr},
    {"j", OptionArgument::kRequired, "n", "", OptionCategory::kCommon, nullptr},
    {"filetype", OptionArgument::kRequired, "asm|null|obj",
     "Write PTX (default), nothing, or the cubin that ptxas makes of the PTX", OptionCategory::kCommon, SetFileType},
    {"verify-machineinstrs", OptionArgument::kNone, "", "", OptionCategory::kCommon, nullptr},
    {"x", OptionArgument::kRequired, "mir|ir", "Language of the input (default: what its text shows): MIR, or LLVM IR",
     OptionCategory::kGeneral,
     [](std::string_view value, DriverOptions& options) {
       options.reads_ir = value == "ir";
       return value == "mir" || value == "ir" ? absl::OkStatus() : InvalidOptionValue("x", value, "mir or ir");
     }},
    {"emit-llvm", OptionArgument::kNone, "", "Verify the LLVM IR of the input (-x ir) and write it",
     OptionCategory::kGeneral, SetFlag<&DriverOptions::emit_llvm>},
    {"only-needed", OptionArgument::kNone, "", "Of the second and later files of LLVM IR, link only what is mentioned",
     OptionCategory::kGeneral, SetFlag<&DriverOptions::only_needed>},
    {"mtriple", OptionArgument::kRequired, "triple", "Target; checked against the input", OptionCategory::kTarget,
     SetTriple},
    {"march", OptionArgument::kRequired, "nvptx64|nvptx", "Architecture, as -mtriple", OptionCategory::kTarget,
     SetArchitecture},
    {"run-pass", OptionArgument::kRequired, "a,b", "Run exactly these passes and write MIR", OptionCategory::kPipeline,
     [](std::string_view value, DriverOptions& options) {
       std::optional<std::string>& passes = options.pipeline.run_passes;
       passes = passes.has_value() ? StrCat(*passes, ",", value) : std::string(value);
       return absl::OkStatus();
     }},
    {"passes", OptionArgument::kRequired, "pipeline",
     "Run this pipeline and write MIR: a,loop(b),print<analysis>,verify", OptionCategory::kPipeline, SetPasses},
    {"start-before", OptionArgument::kRequired, "pass[,N]", "Begin with this pass", OptionCategory::kPipeline,
     SetPipelinePosition<&PipelineOptions::start_before>},
    {"start-after", OptionArgument::kRequired, "pass[,N]", "Begin with the pass that follows this one",
     OptionCategory::kPipeline, SetPipelinePosition<&PipelineOptions::start_after>},
    {"stop-before", OptionArgument::kRequired, "pass[,N]", "Stop ahead of this pass and write MIR or LLVM IR",
     OptionCategory::kPipeline, SetPipelinePosition<&PipelineOptions::stop_before>},
    {"stop-after", OptionArgument::kRequired, "pass[,N]", "Stop when this pass has run and write MIR or LLVM IR",
     OptionCategory::kPipeline, SetPipelinePosition<&PipelineOptions::stop_after>},
    {"verify-exec", OptionArgument::kOptional, "inputs",
     "Execute kernels before and after every pass and stop at the first difference (3 inputs each)",
     OptionCategory::kPipeline, SetVerifyExec},
    {"opt-bisect-limit", OptionArgument::kRequired, "N",
     "Run only the first N optional passes on functions, and say which (-1: all)", OptionCategory::kPipeline,
     SetBisectLimit},
    {"opt-bisect", OptionArgument::kRequired, "ptxas|exec|1-9,12",
     "Find the run of a pass that makes ptxas take more registers or that changes results; or run these only",
     OptionCategory::kPipeline, SetBisect},
    {"opt-bisect-verbose", OptionArgument::kOptional, "bool", "Whether -opt-bisect-limit says what it runs (true)",
     OptionCategory::kPipeline, SetBisectVerbose},
    {"explain-registers", OptionArgument::kNone, "", "Say on stderr where the registers of each function go",
     OptionCategory::kRegisters, SetFlag<&DriverOptions::explain_registers>},
    {"pressure-report", OptionArgument::kRequired, "file",
     "Write register pressure before and after each pass, as JSON", OptionCategory::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       options.pressure_report_file = std::string(value);
       return value.empty() ? InvalidOptionValue("pressure-report", value, "a file name") : absl::OkStatus();
     }},
    {"explore", OptionArgument::kRequired, "file.html",
     "Write a page that shows the code after each pass, the registers, the control flow and the remarks",
     OptionCategory::kRegisters, SetExploreFile<&DriverOptions::explore_page>},
    {"explore-json", OptionArgument::kRequired, "file", "Write the data of that page as JSON",
     OptionCategory::kRegisters, SetExploreFile<&DriverOptions::explore_json>},
    {"explore-with", OptionArgument::kRequired, "options [file]",
     "Compile a second time with these options besides, or this file, and show both", OptionCategory::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       options.explore_with = std::string(value);
       return absl::OkStatus();
     }},
    {"explore-peers", OptionArgument::kNone, "",
     "Show what ptxas makes of our PTX and llc's (default, if they are there)", OptionCategory::kRegisters,
     SetFlag<&DriverOptions::explore_peers>},
    {"count-executed", OptionArgument::kOptional, "launches",
     "Count in the pressure report what kernels execute, in the interpreter (3 launches each)",
     OptionCategory::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       return SetCount("count-executed", value, kDefaultLaunches, options.count_executed_launches);
     }},
    {"fail-on-spill", OptionArgument::kNone, "", "Fail when passes have put registers into memory",
     OptionCategory::kRegisters, SetFlag<&DriverOptions::fail_on_spill>},
    {"max-registers-expected", OptionArgument::kRequired, "n", "Fail when more registers than this are live at once",
     OptionCategory::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       return SetCount("max-registers-expected", value, 0, options.max_registers_expected);
     }},
    {"autotune", OptionArgument::kRequired, "ptxas|model|none",
     "Compile each kernel under several option sets and keep what ptxas makes the best of, or what a model of ptxas "
     "expects to be the best (default at -O3)",
     OptionCategory::kRegisters, SetAutotune},
    {"autotune-exhaustive", OptionArgument::kNone, "",
     "Ask ptxas about every option set that makes other PTX, even if it cannot be the best", OptionCategory::kRegisters,
     SetFlag<&DriverOptions::autotune_exhaustive>},
    {"autotune-set", OptionArgument::kRequired, "name:flags", "Add an option set: -autotune-set=\"tight: -maxreg=40\"",
     OptionCategory::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       absl::StatusOr<OptionSet> set = ParseOptionSet(value);
       if (!set.ok()) return set.status();
       options.autotune_sets.push_back(*std::move(set));
       return absl::OkStatus();
     }},
    {"autotune-ptxas-flags", OptionArgument::kRequired, "flags",
     "What ptxas is called with besides -arch (default: what enforces -maxreg)", OptionCategory::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       options.autotune_ptxas_flags = absl::StrSplit(ToAbsl(value), ' ', absl::SkipEmpty());
       return absl::OkStatus();
     }},
    {"autotune-cache", OptionArgument::kRequired, "folder",
     "Where the answers of ptxas are kept (default: ptxmir in the user's cache; empty: nowhere)",
     OptionCategory::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       options.autotune_cache = std::string(value);
       return absl::OkStatus();
     }},
    {"simplify-mir", OptionArgument::kNone, "", "Leave out of MIR what a reader can do without",
     OptionCategory::kPrinting, SetFlag<&DriverOptions::simplify_mir>},
    {"stable-names", OptionArgument::kNone, "", "Write our names for the opcodes that LLVM numbers (anonymous_N)",
     OptionCategory::kPrinting, SetPrintFlag<&PrintOptions::stable_names>},
    {"print-before", OptionArgument::kRequired, "a,b", "Print functions to stderr before these passes",
     OptionCategory::kPrinting,
     [](std::string_view value, DriverOptions& options) { return AppendPasses(value, options.run.print.before); }},
    {"print-after", OptionArgument::kRequired, "a,b", "Print functions to stderr after these passes",
     OptionCategory::kPrinting,
     [](std::string_view value, DriverOptions& options) { return AppendPasses(value, options.run.print.after); }},
    {"print-before-all", OptionArgument::kNone, "", "Print functions to stderr before every pass",
     OptionCategory::kPrinting, SetPrintFlag<&PrintOptions::before_all>},
    {"print-after-all", OptionArgument::kNone, "", "Print functions to stderr after every pass",
     OptionCategory::kPrinting, SetPrintFlag<&PrintOptions::after_all>},
    {"print-changed", OptionArgument::kOptional, "quiet|diff|cdiff|dot-cfg",
     "Print functions, differences or pictures after passes that changed them; also diff-quiet ...",
     OptionCategory::kPrinting, SetPrintChanged},
    {"print-before-changed", OptionArgument::kNone, "", "With -print-changed: print what it was before, too",
     OptionCategory::kPrinting, SetPrintFlag<&PrintOptions::before_changed>},
    {"filter-passes", OptionArgument::kRequired, "a,b", "With -print-changed: only changes by these passes",
     OptionCategory::kPrinting,
     [](std::string_view value, DriverOptions& options) { return AppendPasses(value, options.run.print.changed_by); }},
    {"print-module-scope", OptionArgument::kNone, "", "Print functions with the IR module, as files that can be read",
     OptionCategory::kPrinting, SetPrintFlag<&PrintOptions::module_scope>},
    {"dot-cfg", OptionArgument::kNone, "", "Write cfg.FUNCTION.dot for Graphviz after the last pass",
     OptionCategory::kPrinting, SetPrintFlag<&PrintOptions::dot_cfg>},
    {"view-cfg", OptionArgument::kNone, "", "The same as -dot-cfg; there is no viewer", OptionCategory::kPrinting,
     SetPrintFlag<&PrintOptions::dot_cfg>},
    {"view-dag-combine1-dags", OptionArgument::kNone, "", "Write .dot files of SelectionDAGs before the first combine",
     OptionCategory::kPrinting, SetDagPicture<0>},
    {"view-legalize-types-dags", OptionArgument::kNone, "",
     "Write .dot files of SelectionDAGs before legalization (types and operations are legalized together)",
     OptionCategory::kPrinting, SetDagPicture<1>},
    {"view-legalize-dags", OptionArgument::kNone, "", "Write .dot files of SelectionDAGs before legalization",
     OptionCategory::kPrinting, SetDagPicture<1>},
    {"view-dag-combine2-dags", OptionArgument::kNone, "", "Write .dot files of SelectionDAGs before the second combine",
     OptionCategory::kPrinting, SetDagPicture<2>},
    {"view-isel-dags", OptionArgument::kNone, "", "Write .dot files of SelectionDAGs before selection",
     OptionCategory::kPrinting, SetDagPicture<3>},
    {"view-sched-dags", OptionArgument::kNone, "", "Write .dot files of SelectionDAGs before scheduling",
     OptionCategory::kPrinting, SetDagPicture<4>},
    {"view-misched-dags", OptionArgument::kNone, "", "Write .dot files of what machine-scheduler will schedule",
     OptionCategory::kPrinting, SetPrintFlag<&PrintOptions::schedule_pictures>},
    {"dot-cfg-dir", OptionArgument::kRequired, "folder", "Where .dot files go (default: the current folder)",
     OptionCategory::kPrinting, SetDotFolder},
    {"filter-print-funcs", OptionArgument::kRequired, "f,g", "Only print these functions", OptionCategory::kPrinting,
     [](std::string_view value, DriverOptions& options) {
       AppendList(value, options.run.print.functions);
       return absl::OkStatus();
     }},
    {"time-passes", OptionArgument::kNone, "", "Report on stderr how long each step took", OptionCategory::kPrinting,
     [](std::string_view value, DriverOptions& options) {
       options.run.time_passes = value.empty();
       return absl::OkStatus();
     }},
    {"time-trace", OptionArgument::kNone, "", "Write a trace for Chrome of where the time went",
     OptionCategory::kPrinting, SetFlag<&DriverOptions::time_trace>},
    {"time-trace-file", OptionArgument::kRequired, "file", "Where the trace goes (default: <output>.time-trace)",
     OptionCategory::kPrinting,
     [](std::string_view value, DriverOptions& options) {
       options.time_trace = true;
       options.time_trace_file = std::string(value);
       return value.empty() ? InvalidOptionValue("time-trace-file", value, "a file name") : absl::OkStatus();
     }},
    {"time-trace-granularity", OptionArgument::kRequired, "N",
     "Only trace what takes N microseconds at least (default: 500)", OptionCategory::kPrinting,
     SetTimeTraceGranularity},
    {"stats", OptionArgument::kNone, "", "Report on stderr what the passes did", OptionCategory::kPrinting,
     SetFlag<&DriverOptions::print_stats>},
    {"p", OptionArgument::kRequired, "pipeline", "Alias of -passes", OptionCategory::kPipeline, SetPasses, true},
    {"debug-pass", OptionArgument::kRequired, "Arguments|Structure", "Print the pipeline to stderr, as llc does",
     OptionCategory::kPrinting, SetPipelineDump},
    {"debug-only", OptionArgument::kRequired, "a,b",
     "Print functions before and after these passes, and all remarks of these passes", OptionCategory::kPrinting,
     SetDebugOnly},
    {"stats-json", OptionArgument::kNone, "", "With -stats: report as JSON", OptionCategory::kPrinting,
     SetFlag<&DriverOptions::stats_as_json>},
    {"asm-verbose", OptionArgument::kNone, "", "Comments in PTX (default: true)", OptionCategory::kPrinting,
     SetFlag<&DriverOptions::asm_verbose>},
    {"no-warn", OptionArgument::kNone, "", "Print no warnings", OptionCategory::kPrinting, SetNoWarnings},
    {"W", OptionArgument::kNone, "", "Alias of -no-warn", OptionCategory::kPrinting, SetNoWarnings, true},
    {"disable-nvptx-load-store-vectorizer", OptionArgument::kNone, "", "Alias of -load-store-vectorizer=false",
     OptionCategory::kPipeline, DisableLoadStoreVectorizer, true},
    {"help", OptionArgument::kNone, "", "Show the options", OptionCategory::kInformation,
     SetFlag<&DriverOptions::show_help>},
    {"help-hidden", OptionArgument::kNone, "", "Show all options, knobs, and what is accepted because llc has it",
     OptionCategory::kInformation, SetFlag<&DriverOptions::show_hidden_help>},
    {"help-list", OptionArgument::kNone, "", "Show the options in alphabetical order", OptionCategory::kInformation,
     SetFlag<&DriverOptions::show_help_list>},
    {"help-list-hidden", OptionArgument::kNone, "", "Show all options in alphabetical order",
     OptionCategory::kInformation, SetFlag<&DriverOptions::show_hidden_help_list>},
    {"version", OptionArgument::kNone, "", "Show the version", OptionCategory::kInformation,
     SetFlag<&DriverOptions::show_version>},
    {"print-passes", OptionArgument::kNone, "", "Show all passes and analyses in pipeline order",
     OptionCategory::kInformation, SetFlag<&DriverOptions::print_passes>},
    {"print-knobs", OptionArgument::kOptional, "regex",
     "Show every knob whose name matches, with its value, range and help", OptionCategory::kInformation, SetPrintKnobs},
    {"print-options", OptionArgument::kNone, "", "Show every slot of NVVMPassOptions with its value",
     OptionCategory::kInformation, SetFlag<&DriverOptions::print_options>},
    {"print-isa-coverage", OptionArgument::kNone, "", "Show which opcodes the interpreter can execute",
     OptionCategory::kInformation, SetFlag<&DriverOptions::print_isa_coverage>},
    {"print-machine-model", OptionArgument::kNone, "", "Show the resources and instruction costs of the GPU (-mcpu)",
     OptionCategory::kInformation, SetFlag<&DriverOptions::print_machine_model>},
    {"print-option-sets", OptionArgument::kNone, "", "Show the option sets that -autotune tries",
     OptionCategory::kInformation, SetFlag<&DriverOptions::print_option_sets>},
    {"occupancy", OptionArgument::kRequired, "threads[,registers[,bytes]]",
     "Show the occupancy of kernels with CTAs of this size, registers (0: those of the file) and shared memory; with a "
     "file, of its kernels",
     OptionCategory::kInformation, SetOccupancy},
    {"print-man-page", OptionArgument::kNone, "", "Print the man page", OptionCategory::kInformation,
     SetFlag<&DriverOptions::print_man_page>, true},
    {"print-completion", OptionArgument::kRequired, "bash|zsh|fish", "Print the completion of a shell",
     OptionCategory::kInformation, SetCompletionShell, true},
    {"print-option-reference", OptionArgument::kNone, "", "Print docs/option-reference.md",
     OptionCategory::kInformation, SetFlag<&DriverOptions::print_option_reference>, true},
};

}  // namespace

absl::Span<const OptionInfo> OptionTable() { return kOptions; }

const OptionInfo* FindOption(std::string_view name) {
  for (const OptionInfo& option : kOptions) {
    if (option.name == name && option.apply != nullptr) return &option;
  }
  return nullptr;
}

}  // namespace ptxmir
