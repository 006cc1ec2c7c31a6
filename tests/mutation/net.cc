// SPDX-License-Identifier: Apache-2.0

#include "tests/mutation/net.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <sstream>

#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "options/knobs.h"
#include "passes/equivalence/execution_check.h"
#include "passes/pipeline/pipeline.h"
#include "passes/remat/block_remat.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/interpreter/create_device.h"
#include "ptx/interpreter/kernel_inputs.h"
#include "ptx/interpreter/memory/memory.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"
#include "ptx/writer/ptx_writer.h"
#include "tests/mutation/edits.h"
#include "tests/mutation/ptx_check.h"
#include "tests/mutation/selection_check.h"
#include "tests/parity/external_tools.h"
#include "tests/sdag/from_ir/execution_comparison.h"

namespace ptxmir::testing {
namespace {

constexpr std::string_view kFolder = "tests/mutation/";
// Launches of each kernel; of those that are compiled in several ways, behind each pass of each.
constexpr unsigned kInputs = 2;
constexpr unsigned kTunedInputs = 1;

// A setting under which passes do work that they do only on request, or only for large functions.
struct Tuning {
  std::string_view name;
  std::vector<std::string_view> flags;
  bool has_all_inputs = false;  // not the loops alone
};
const std::vector<Tuning>& Tunings() {
  static const auto* const kTunings = new std::vector<Tuning>{
      {"spilling", {"ra-spill=always", "ra-limit=8", "nv-remat-predicates=0"}, true},
      {"classes", {"ra-class-limits=b64:2,b32:6,b1:1"}},
      {"last-chance", {"ra-spill=always", "ra-limit=6", "ra-split-effort=1"}},
      {"splitting", {"ra-stress=split"}},
      {"loops",
       {"induction-merge-min-pressure=0", "induction-merge-min-gain=-1000", "induction-merge-growth=1000",
        "pressure-sink-min-pressure=0", "disable-machine-sink"}},
      {"order", {"mcse-raise-pressure", "nvptx-sched4reg"}},
      {"latency", {"sched-latency", "disable-post-ra=false", "misched-postra"}},
      {"pipelined", {"enable-pipeliner", "pipeliner-max-mii=1000"}},
      {"branches",
       {"disable-early-ifcvt=false", "stress-early-ifcvt", "tail-dup-size=20", "enable-tail-merge", "tail-merge-size=1",
        "enable-ext-tsp-block-placement", "machine-combiner"},
       true},
      {"peeled", {"enable-pipeliner", "pipeliner-experimental-cg", "pipeliner-max-stages=2"}},
      {"memory", {"infer-address-spaces", "load-store-vectorizer", "ldgxform", "param-opt"}, true},
      {"copies", {"redundant-move-elim", "disable-copyprop=0", "disable-postra-machine-licm=0"}, true},
      {"integers", {"narrow-integers", "nvptx-trunc-opts"}, true},
      {"unfolded",
       {"disable-peephole", "enable-nvvm-peephole=0", "param-opt=0", "load-store-vectorizer=0", "disable-early-taildup",
        "disable-tail-duplicate", "disable-postra-machine-sink", "machine-latecleanup=0"},
       true},
      {"into_loops", {"sink-insts-to-avoid-spills", "maxreg=24", "reg-target-adjust=-10"}, true},
      {"outlined", {"enable-machine-outliner"}, true},
      {"llvm", {"enable-mlicm", "rp-aware-mcse=0", "nvptx-enable-machine-sink"}, true}};
  return *kTunings;
}

// A line of work.txt.
constexpr char kWorkLine[] = "%-10s %-14s %12s %6s %9s %10s\n";

// An error, or an empty string.
std::string SetKnobs(const Tuning& tuning, Knobs& knobs) {
  for (const std::string_view flag : tuning.flags) {
    if (!knobs.ParseFlag(flag).ok()) return StrCat(flag, " is not accepted");
  }
  return "";
}

std::unique_ptr<Module> Read(const std::string& name, std::string_view text, DiagnosticEngine& diagnostics) {
  return ReadMir(std::make_shared<const SourceBuffer>(name, text), ptx::PtxTargetInfo(), diagnostics);
}

std::string Write(const Module& module, bool simplify) {
  std::string text;
  WriteMir(module, {.simplify = simplify}, text);
  return text;
}

// MIR in its short form has no key that is there only to say false.
bool IsSimplified(std::string_view text) { return text.find("\nexposesReturnsTwice:") == text.npos; }

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The first line in which two texts differ, or an empty string.
std::string FirstDifference(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  for (size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
    const std::string_view e = i < expected.size() ? std::string_view(expected[i]) : "<end>";
    const std::string_view a = i < actual.size() ? std::string_view(actual[i]) : "<end>";
    if (e != a) return StrCat("line ", i + 1, " is '", a, "' and not '", e, "'");
  }
  return "";
}
std::string FirstDifference(std::string_view expected, std::string_view actual) {
  return expected == actual ? "" : FirstDifference(Lines(expected), Lines(actual));
}

// Reads, writes in both forms, reads the other form again.
std::string RoundTrip(const std::string& name, const std::string& text) {
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module = Read(name, text, diagnostics);
  if (module == nullptr) return diagnostics.ToString();
  const bool simplify = IsSimplified(text);
  if (std::string d = FirstDifference(text, Write(*module, simplify)); !d.empty()) return StrCat(name, ": ", d);
  const std::unique_ptr<Module> reread = Read(name, Write(*module, !simplify), diagnostics);
  if (reread == nullptr) return StrCat(name, " in the other form: ", diagnostics.ToString());
  if (std::string d = FirstDifference(text, Write(*reread, simplify)); !d.empty()) {
    return StrCat(name, " from the other form: ", d);
  }
  return "";
}

std::string Verify(const std::string& name, const Module& module) {
  for (const auto& function : module.machine_functions()) {
    std::string report;
    if (!VerifyMachineFunction(*function, report, name.c_str())) return report;
  }
  return "";
}

// After the passes, tied operands are one register.
std::string CheckTies(const Module& module) {
  for (const auto& function : module.machine_functions()) {
    for (const MachineBasicBlock& block : *function) {
      for (const MachineInstr& instr : block) {
        for (unsigned i = 0; i < instr.num_operands(); ++i) {
          const MachineOperand& operand = instr.operand(i);
          if (!operand.is_reg() || !operand.is_tied()) continue;
          if (instr.operand(instr.FindTiedOperand(i)).reg() == operand.reg()) continue;
          return StrCat(function->name(), ": tied operands differ after all passes");
        }
      }
    }
  }
  return "";
}

// Runs the pipeline over a module. What is reported, or an empty string.
std::string RunPasses(Module& module, int opt_level, ExecutionChecker* checker, const Knobs* knobs = nullptr,
                      const ptx::Subtarget* subtarget = nullptr) {
  RunOptions options;
  options.opt_level = opt_level;
  options.inputs.knobs = knobs;
  options.inputs.subtarget = subtarget;
  options.verify_each = true;
  options.execution_checker = checker;
  DiagnosticEngine diagnostics;
  RunReport report;
  if (!RunPipeline(module, BuildStandardPipeline(opt_level), options, diagnostics, report))
    return diagnostics.ToString();
  return CheckTies(module);
}

// Returns a word as a person reads it: small numbers in decimal, others in hexadecimal.
std::string WordText(uint32_t word) {
  constexpr int32_t kLimit = 100'000;
  const auto value = static_cast<int32_t>(word);
  return std::string(value > -kLimit && value < kLimit ? absl::StrFormat("%d", value) : absl::StrFormat("%#x", word));
}

// The words of a buffer, with undefined bits as zeros.
std::vector<uint32_t> WordsOf(const ptx::MemoryBlock& block) {
  std::vector<uint32_t> words(block.data.size() / sizeof(uint32_t));
  std::memcpy(words.data(), block.data.data(), words.size() * sizeof(uint32_t));
  if (block.undefined.empty()) return words;
  std::vector<uint32_t> undefined(words.size());
  std::memcpy(undefined.data(), block.undefined.data(), words.size() * sizeof(uint32_t));
  for (size_t i = 0; i < words.size(); ++i) words[i] &= ~undefined[i];
  return words;
}

// The buffers of a device by name. Variables are not among them, because they hold addresses; what kernels compute goes
// into buffers.
std::map<std::string, std::vector<uint32_t>> Buffers(const ptx::Device& device) {
  std::map<std::string, std::vector<uint32_t>> buffers;
  for (const ptx::MemoryBlock& block : device.blocks()) {
    if (block.name.starts_with("buffer")) buffers[block.name] = WordsOf(block);
  }
  return buffers;
}

// Appends a run of equal words: "7", or "7*16" for 16 of them.
void AppendRun(uint32_t word, size_t length, std::string& text) {
  StrAppend(&text, " ", WordText(word));
  if (length != 1) StrAppend(&text, "*", length);
}

void AppendWords(absl::Span<const uint32_t> words, std::string& text) {
  for (size_t i = 0; i < words.size();) {
    const size_t run = i;
    while (i < words.size() && words[i] == words[run]) ++i;
    AppendRun(words[run], i - run, text);
  }
}

// Appends the words that a launch changed, each sequence of them with the number of its first word before it.
void AppendChanges(const std::string& name, const std::vector<uint32_t>& before, const std::vector<uint32_t>& after,
                   std::string& text) {
  constexpr size_t kRow = 12;
  size_t in_row = 0;
  size_t expected = after.size();  // the number of the word that needs no number before it
  for (size_t i = 0; i < after.size();) {
    if (after[i] == before[i]) {
      ++i;
      continue;
    }
    if (in_row == 0) StrAppend(&text, "  ", name, ":");
    if (in_row == 0 || i != expected) StrAppend(&text, " [", i, "]");
    const size_t run = i;
    while (i < after.size() && after[i] == after[run] && after[i] != before[i]) ++i;
    AppendRun(after[run], i - run, text);
    expected = i;
    in_row = (in_row + 1) % kRow;
    if (in_row == 0) text += '\n';
  }
  if (in_row != 0) text += '\n';
}

// Appends an argument: the name of a buffer, or its words.
void AppendArgument(const std::vector<uint8_t>& bytes, const ptx::Device& device, std::string& text) {
  std::vector<uint32_t> words((bytes.size() + sizeof(uint32_t) - 1) / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  for (const ptx::MemoryBlock& block : device.blocks()) {
    if (bytes.size() != sizeof block.address || std::memcmp(bytes.data(), &block.address, bytes.size()) != 0) continue;
    StrAppend(&text, " ", block.name, ",");
    return;
  }
  AppendWords(words, text);
  text += ',';
}

// Returns the input of a kernel and the values that it computes, as lines of results.txt, or how it ends otherwise.
std::string Execute(const Module& module, const IrFunction& kernel, uint64_t seed) {
  constexpr size_t kShownInput = 8;
  std::vector<const MachineFunction*> functions;
  for (const auto& function : module.machine_functions()) functions.push_back(function.get());
  absl::StatusOr<std::unique_ptr<ptx::Device>> device = ptx::CreateDevice(module, functions);
  if (!device.ok()) return StrCat("  ", FromAbsl(device.status().message()), "\n");
  const ptx::GeneratedLaunch launch = ptx::GenerateLaunch(**device, module, kernel, seed);
  const std::map<std::string, std::vector<uint32_t>> before = Buffers(**device);
  const absl::StatusOr<ptx::LaunchResult> result = (*device)->Launch(launch.config, launch.arguments);
  if (!result.ok()) return StrCat("  ", FromAbsl(result.status().message()), "\n");
  if (result->fault.is_fault()) return StrCat("  ", result->fault.ToString(), "\n");
  std::string text = StrCat("  ", launch.config.grid.x, " CTAs of ", launch.config.block.x, " threads; arguments");
  for (const ptx::KernelArgument& argument : launch.arguments) AppendArgument(argument.bytes, **device, text);
  text.back() = '\n';  // for the last comma
  for (const auto& [name, words] : before) {
    StrAppend(&text, "  ", name, " from");
    AppendWords(absl::MakeConstSpan(words).first(std::min(kShownInput, words.size())), text);
    text += '\n';
  }
  for (const auto& [name, words] : Buffers(**device)) AppendChanges(name, before.at(name), words, text);
  return text;
}

std::map<std::string, std::string> ExecuteAll(const Module& module) {
  std::map<std::string, std::string> results;
  for (const IrFunction& function : module.functions()) {
    if (!IsKernel(module, function)) continue;
    for (unsigned seed = 0; seed < kInputs; ++seed) {
      results[StrCat(function.name, " ", seed)] = Execute(module, function, seed);
    }
  }
  return results;
}

std::string CompareResults(const std::map<std::string, std::string>& expected, const Module& module,
                           std::string_view when) {
  for (const auto& [kernel, result] : ExecuteAll(module)) {
    const auto recorded = expected.find(kernel);
    if (recorded == expected.end()) return StrCat("no result of ", kernel, " is recorded");
    if (std::string d = FirstDifference(recorded->second, result); !d.empty()) {
      return StrCat(kernel, " computes something else ", when, ": ", d);
    }
  }
  return "";
}

// Lines as the parity test compares them: without comments and trailing blanks, and with the module's variables
// sorted, whose order in llc's text differs between two runs of it.
std::vector<std::string> NormalizedPtx(std::string_view text) {
  const auto is_variable = [](std::string_view line) {
    for (std::string_view linkage : {".extern ", ".visible ", ".weak ", ".common "}) {
      if (line.starts_with(linkage)) line.remove_prefix(linkage.size());
    }
    return line.starts_with(".global ") || line.starts_with(".const ") || line.starts_with(".shared ") ||
           line.starts_with(".local ");
  };
  std::vector<std::string> lines, variables;
  for (std::string& line : Lines(text)) {
    line.resize(std::min(line.find("//"), line.size()));
    line.resize(line.find_last_not_of(" \t") + 1);
    if (line.empty()) continue;
    // llc prints initial values of half variables with the wrong type.
    if (is_variable(line) && line.find(" .b16 ") != line.npos) line.resize(std::min(line.find(" ="), line.size()));
    if (is_variable(line)) variables.push_back(line);
    lines.push_back(std::move(line));
  }
  std::sort(variables.begin(), variables.end());
  auto next = variables.begin();
  for (std::string& line : lines) {
    if (is_variable(line)) line = *next++;
  }
  return lines;
}

}  // namespace

Net::Net() {
  const auto input = [](std::string_view path) { return Input{std::string(path), ReadFile(std::string(path))}; };
  const auto own = [&](std::string_view name) { return input(StrCat(kFolder, name)); };
  unlowered_ = {own("kernels.isel.mir"), own("slots.mir"), own("structure.mir"), own("subexpressions.mir"),
                own("branches.mir")};
  lowered_ = {own("kernels.mir")};
  for (std::string_view name : {"lower/forward_params", "out_of_ssa/kill_flags_of_joined_registers",
                                "out_of_ssa/phi_elimination", "frame/prolog_epilog", "lower/generic_to_nvvm",
                                "lower/proxy_reg_erasure", "lower/two_address", "copies/unreachable_blocks"}) {
    pass_tests_.push_back(input(StrCat("tests/passes/", name, ".mir")));
  }
  pass_tests_.push_back(own("terse.mir"));
  tuned_ = {own("motion.mir"),
            own("spaces.mir"),
            input("tests/passes/allocate/greedy.mir"),
            input("tests/passes/control_flow/early_ifcvt_selects.mir"),
            input("tests/passes/copies/redundant_moves.mir"),
            input("tests/passes/motion/sink_into_loops.mir"),
            input("tests/passes/nvptx/image_fetches.mir"),
            input("tests/passes/outline/machine_outliner.mir")};
  loops_ = own("loops.mir");
  selection_ = own("selection.sdag");
  parity_ = {{own("kernels.mir"), "", "sm_80", "+ptx74"},    {own("control_flow.mir"), "", "sm_80", ""},
             {own("debug_directives.mir"), "", "sm_80", ""}, {own("directives.mir"), "", "sm_90", "+ptx90"},
             {own("globals.mir"), "", "sm_80", "+ptx74"},    {own("inline_asm.mir"), "", "sm_90", "+ptx83"},
             {own("memory.mir"), "", "sm_90", "+ptx83"},     {own("names.mir"), "", "sm_80", ""},
             {own("wmma.mir"), "", "sm_70", "+ptx63"}};
  for (Parity& parity : parity_) {
    const std::string& path = parity.input.name;
    parity.ptx = ReadFile(StrCat(path.substr(0, path.size() - 4), ".ptx"));
  }
  operands_ = own("operands.mir");
  ir_ = own("ir_passes.ll");
  globals_ = own("ir_globals.ll");
  globals_ptx_ = own("ir_globals.ptx").text;
  jumps_ = own("jumps.mir");
  remat_ = input("tests/passes/remat/block_remat.mir");
  rematerialized_ = own("block_remat.mir").text;
  for (const std::string& line : Lines(own("invalid.mir").text)) {
    constexpr std::string_view kError = "# error: ";
    if (line.starts_with(kError)) {
      refused_.emplace_back(line.substr(kError.size()), "");
    } else if (!refused_.empty()) {
      StrAppend(&refused_.back().second, line, "\n");
    }
  }
  std::string kernel_and_input;
  for (const std::string& line : Lines(own("results.txt").text)) {
    if (line.starts_with('#')) continue;
    if (line.starts_with(' ')) {
      StrAppend(&results_[kernel_and_input], line, "\n");
    } else {
      kernel_and_input = line;
    }
  }
  for (const std::string& line : Lines(own("work.txt").text)) {
    if (line.starts_with('#')) continue;
    std::istringstream in(line);
    std::string tuning, kernel;
    in >> tuning >> kernel;
    std::vector<uint64_t>& measures = work_[StrCat(tuning, " ", kernel)];
    for (uint64_t measure; in >> measure;) measures.push_back(measure);
  }
  ptxas_ = FindPtxas();
  layers_ = {{"refusal", [this] { return CheckRefusal(); }},
             {"round trip", [this] { return CheckRoundTrip(); }},
             {"verifier", [this] { return CheckVerifier(); }},
             {"remat", [this] { return CheckRemat(); }},
             {"parity", [this] { return CheckParity(); }},
             {"selection", [this] { return CheckSelection(); }},
             {"IR", [this] { return CheckIr(); }},
             {"globals", [this] { return CheckGlobals(); }},
             {"editing", [this] { return CheckEditing(); }},
             {"pipeline", [this] { return CheckPipeline(); }},
             {"execution", [this] { return CheckExecution(); }},
             {"tuned", [this] { return CheckTuned(); }},
             {"work", [this] { return CheckWork(); }},
             {"results", [this] { return CheckResults(); }},
             {"PTX", [this] { return CheckPtx(); }},
             {"ptxas", [this] { return CheckPtxas(); }}};
}

std::pair<std::string_view, std::string> Net::Run() const {
  for (const Layer& layer : layers_) {
    if (std::string finding = layer.check(); !finding.empty()) return {layer.name, finding};
  }
  return {};
}

std::string Net::CheckRefusal() const {
  for (const auto& [message, text] : refused_) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = Read("invalid.mir", text, diagnostics);
    const std::string report = module == nullptr ? diagnostics.ToString() : Verify("invalid.mir", *module);
    if (report.find(message) == report.npos) return StrCat("'", message, "' is not reported but '", report, "'");
  }
  return "";
}

std::string Net::CheckRoundTrip() const {
  std::vector<const Input*> inputs = {&operands_, &jumps_};
  for (const Input& input : unlowered_) inputs.push_back(&input);
  for (const Parity& parity : parity_) inputs.push_back(&parity.input);
  for (const Input* input : inputs) {
    if (std::string d = RoundTrip(input->name, input->text); !d.empty()) return d;
  }
  return "";
}

std::string Net::CheckVerifier() const {
  std::vector<const Input*> inputs = {&jumps_};
  for (const Input& input : unlowered_) inputs.push_back(&input);
  for (const Input& input : pass_tests_) inputs.push_back(&input);
  for (const Parity& parity : parity_) inputs.push_back(&parity.input);
  for (const Input* input : inputs) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = Read(input->name, input->text, diagnostics);
    if (module == nullptr) return diagnostics.ToString();
    if (std::string report = Verify(input->name, *module); !report.empty()) return report;
  }
  return "";
}

std::string Net::Rematerialize(std::string& text) const {
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module = Read(remat_.name, remat_.text, diagnostics);
  if (module == nullptr) return diagnostics.ToString();
  Knobs knobs;
  for (const std::string_view flag :
       {"nv-remat-default-max-reg=8", "nv-remat-max-growth=100", "nv-remat-max-loop-growth=1000"}) {
    if (!knobs.ParseFlag(flag).ok()) return StrCat(flag, " is not accepted");
  }
  for (const auto& function : module->machine_functions()) {
    StandalonePassContext standalone(*function, {.knobs = &knobs});
    RunBlockRemat(*function, standalone.context);
  }
  text = Write(*module, /*simplify=*/true);
  return Verify(remat_.name, *module);
}

std::string Net::CheckRemat() const {
  std::string text;
  if (std::string error = Rematerialize(text); !error.empty()) return error;
  return FirstDifference(rematerialized_, text);
}

std::string Net::CheckEditing() const {
  std::vector<const Input*> inputs = {&jumps_, &lowered_.front()};
  for (const Input& input : unlowered_) inputs.push_back(&input);
  for (const Parity& parity : parity_) inputs.push_back(&parity.input);
  for (const Input* input : inputs) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = Read(input->name, input->text, diagnostics);
    if (module == nullptr) return diagnostics.ToString();
    for (const auto& function : module->machine_functions()) {
      if (std::string flaw = EditAndCheck(*function); !flaw.empty()) {
        return StrCat(input->name, ": ", function->name(), ": ", flaw);
      }
    }
    const std::string text = Write(*module, /*simplify=*/true);
    if (std::string d = RoundTrip(input->name, text); !d.empty()) return StrCat("after editing, ", d);
    if (input == &unlowered_.front()) {
      if (std::string d = CompareResults(results_, *module, "after editing"); !d.empty()) return d;
    }
  }
  return "";
}

std::string Net::CheckPipeline() const {
  std::vector<const Input*> inputs;
  for (const Input& input : unlowered_) inputs.push_back(&input);
  for (const Input& input : pass_tests_) inputs.push_back(&input);
  for (const int opt_level : {0, 2}) {
    for (const Input* input : inputs) {
      DiagnosticEngine diagnostics;
      const std::unique_ptr<Module> module = Read(input->name, input->text, diagnostics);
      if (module == nullptr) return diagnostics.ToString();
      if (std::string report = RunPasses(*module, opt_level, nullptr); !report.empty()) return report;
      const std::string text = Write(*module, /*simplify=*/false);
      if (std::string d = RoundTrip(input->name, text); !d.empty()) return StrCat("after all passes, ", d);
    }
  }
  return "";
}

std::string Net::CheckExecution() const {
  for (const int opt_level : {0, 2}) {
    for (const Input& input : unlowered_) {
      DiagnosticEngine diagnostics;
      const std::unique_ptr<Module> module = Read(input.name, input.text, diagnostics);
      std::unique_ptr<Module> reference = Read(input.name, input.text, diagnostics);
      if (module == nullptr || reference == nullptr) return diagnostics.ToString();
      ExecutionChecker checker(std::move(reference), kInputs);
      if (std::string report = RunPasses(*module, opt_level, &checker); !report.empty()) return report;
    }
  }
  return "";
}

std::string Net::CheckTuned() const {
  const ptx::Subtarget subtarget = *ptx::Subtarget::Create("sm_80", "");
  for (const Tuning& tuning : Tunings()) {
    Knobs knobs;
    if (std::string error = SetKnobs(tuning, knobs); !error.empty()) return error;
    std::vector<const Input*> inputs = {&loops_};
    if (tuning.has_all_inputs) {
      for (const Input& input : unlowered_) inputs.push_back(&input);
      for (const Input& input : tuned_) inputs.push_back(&input);
    }
    for (const Input* input : inputs) {
      DiagnosticEngine diagnostics;
      const std::unique_ptr<Module> module = Read(input->name, input->text, diagnostics);
      std::unique_ptr<Module> reference = Read(input->name, input->text, diagnostics);
      if (module == nullptr || reference == nullptr) return diagnostics.ToString();
      ExecutionChecker checker(std::move(reference), kTunedInputs);
      if (std::string report = RunPasses(*module, 2, &checker, &knobs, &subtarget); !report.empty()) return report;
      if (checker.num_undecided() != 0) return StrCat(input->name, ": runs of kernels decide nothing");
    }
  }
  return "";
}

std::string Net::MeasureWork(std::map<std::string, std::vector<uint64_t>>& work) const {
  const ptx::Subtarget subtarget = *ptx::Subtarget::Create("sm_80", "");
  for (const Tuning& tuning : Tunings()) {
    Knobs knobs;
    if (std::string error = SetKnobs(tuning, knobs); !error.empty()) return error;
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = Read(loops_.name, loops_.text, diagnostics);
    if (module == nullptr) return diagnostics.ToString();
    if (std::string report = RunPasses(*module, 2, nullptr, &knobs, &subtarget); !report.empty()) return report;
    for (const auto& function : module->machine_functions()) {
      const IrFunction& kernel = *module->FindFunction(function->name());
      absl::StatusOr<std::unique_ptr<ptx::Device>> device = ptx::CreateDevice(*module, {function.get()});
      if (!device.ok()) return std::string(FromAbsl(device.status().message()));
      const ptx::GeneratedLaunch launch = ptx::GenerateLaunch(**device, *module, kernel, /*seed=*/0);
      const absl::StatusOr<ptx::LaunchResult> result = (*device)->Launch(launch.config, launch.arguments);
      if (!result.ok() || result->fault.is_fault()) return StrCat(function->name(), " does not end well");
      const ptx::LaunchCounts& counts = result->counts;
      const MachineRegisterPressure pressure(*function);
      work[StrCat(tuning.name, " ", function->name())] = {counts.thread_instructions,
                                                          counts.spill_load_bytes + counts.spill_store_bytes,
                                                          pressure.MaxUnits(), pressure.MaxPredicates()};
    }
  }
  return "";
}

std::string Net::CheckWork() const {
  constexpr std::string_view kMeasures[] = {"instructions", "bytes of spill traffic", "registers", "predicates"};
  std::map<std::string, std::vector<uint64_t>> work;
  if (std::string error = MeasureWork(work); !error.empty()) return error;
  for (const auto& [name, measures] : work) {
    const auto recorded = work_.find(name);
    if (recorded == work_.end()) return StrCat("no work of ", name, " is recorded");
    for (size_t i = 0; i < measures.size(); ++i) {
      if (measures[i] <= recorded->second[i]) continue;
      return StrCat(name, " takes ", measures[i], " ", kMeasures[i], ", not ", recorded->second[i]);
    }
  }
  return "";
}

std::string Net::CheckSelection() const { return testing::CheckSelection(selection_.text); }

std::string Net::CheckResults() const {
  for (const std::vector<Input>* inputs : {&unlowered_, &lowered_}) {
    for (const Input& input : *inputs) {
      DiagnosticEngine diagnostics;
      const std::unique_ptr<Module> module = Read(input.name, input.text, diagnostics);
      if (module == nullptr) return diagnostics.ToString();
      if (std::string d = CompareResults(results_, *module, StrCat("in ", input.name)); !d.empty()) return d;
      if (inputs == &lowered_) continue;
      if (std::string report = RunPasses(*module, 2, nullptr); !report.empty()) return report;
      if (std::string d = CompareResults(results_, *module, "after all passes"); !d.empty()) return d;
    }
  }
  return "";
}

std::string Net::CheckParity() const {
  for (const Parity& parity : parity_) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = Read(parity.input.name, parity.input.text, diagnostics);
    if (module == nullptr) return diagnostics.ToString();
    std::string ptx;
    if (!ptx::WritePtx(*module, {.cpu = parity.cpu, .features = parity.features}, diagnostics, ptx)) {
      return diagnostics.ToString();
    }
    if (std::string d = FirstDifference(NormalizedPtx(parity.ptx), NormalizedPtx(ptx)); !d.empty()) {
      return StrCat(parity.input.name, ": ", d);
    }
  }
  return "";
}

std::string Net::CheckPtx() const {
  for (const Parity& parity : parity_) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = Read(parity.input.name, parity.input.text, diagnostics);
    std::string ptx;
    if (module == nullptr ||
        !ptx::WritePtx(*module, {.cpu = parity.cpu, .features = parity.features}, diagnostics, ptx)) {
      return diagnostics.ToString();
    }
    if (std::string flaw = CheckPtxText(ptx); !flaw.empty()) return StrCat(parity.input.name, ": ", flaw);
  }
  for (const Input& input : unlowered_) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = Read(input.name, input.text, diagnostics);
    if (module == nullptr) return diagnostics.ToString();
    if (std::string report = RunPasses(*module, 0, nullptr); !report.empty()) return report;
    std::string ptx;
    if (!ptx::WritePtx(*module, {.cpu = "sm_80", .features = "+ptx74"}, diagnostics, ptx)) {
      return diagnostics.ToString();
    }
    if (std::string flaw = CheckPtxText(ptx); !flaw.empty()) return StrCat(input.name, ": ", flaw);
  }
  return "";
}

std::string Net::CheckIr() const {
  for (const unsigned level : {0u, 2u}) {
    std::string errors;
    const std::unique_ptr<Module> module = SelectIr(ir_.name, ir_.text, "sm_80", "+ptx74", level, &errors);
    if (module == nullptr) return errors;
    std::string difference = CompareResults(results_, *module, StrCat("after the passes on IR of -O", level));
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string Net::CompileGlobals(std::string& text) const {
  std::string errors;
  const std::unique_ptr<Module> module = SelectIr(globals_.name, globals_.text, "sm_80", "+ptx74", 2, &errors);
  if (module == nullptr) return errors;
  if (std::string report = RunPasses(*module, 2, nullptr); !report.empty()) return report;
  DiagnosticEngine diagnostics;
  return ptx::WritePtx(*module, {.cpu = "sm_80", .features = "+ptx74"}, diagnostics, text) ? ""
                                                                                           : diagnostics.ToString();
}

std::string Net::CheckGlobals() const {
  std::string text;
  if (std::string error = CompileGlobals(text); !error.empty()) return error;
  return FirstDifference(globals_ptx_, text);
}

std::string Net::CheckPtxas() const {
  if (ptxas_.empty()) return "";
  for (const Input& input : unlowered_) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = Read(input.name, input.text, diagnostics);
    if (module == nullptr) return diagnostics.ToString();
    if (std::string report = RunPasses(*module, 2, nullptr); !report.empty()) return report;
    std::string ptx;
    if (!ptx::WritePtx(*module, {.cpu = "sm_80", .features = "+ptx74"}, diagnostics, ptx)) {
      return diagnostics.ToString();
    }
    const std::string path = TemporaryPath("mutation.ptx");
    WriteFile(path, ptx);
    std::string output;
    if (!RunCommand({ptxas_, "-arch=sm_80", path, "-o", "/dev/null"}, output)) return output;
  }
  return "";
}

std::string Net::Results() const {
  std::string text =
      R"(# What the kernels of this folder compute in the interpreter. net.h says what is compared with this.
#
# An entry begins with the kernel and the number of its input. Below it are the launch, the first words that each
# buffer holds before it (ptx/interpreter/kernel_inputs.h generates them), and every word that the kernel changed:
# "buffer 0: [64] 7 8*3" says that word 64 became 7 and words 65 to 67 became 8. Numbers of many digits are hexadecimal,
# and a value of 64 bits is two words, the low one first. The kernels are in kernels.ll, ir_passes.ll and, those without
# IR, in branches.mir, slots.mir, structure.mir and subexpressions.mir.
#
# To remake this file:
#     bazel build //tests/mutation:mutation_test
#     PTXMIR_RECORD=tests/mutation bazel-bin/tests/mutation/mutation_test
)";
  std::map<std::string, std::string> results;
  for (const Input& input : unlowered_) {
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> module = Read(input.name, input.text, diagnostics);
    if (module == nullptr) return diagnostics.ToString();
    results.merge(ExecuteAll(*module));
  }
  std::string errors;
  const std::unique_ptr<Module> selected = SelectIr(ir_.name, ir_.text, "sm_80", "+ptx74", 0, &errors);
  if (selected == nullptr) return errors;
  results.merge(ExecuteAll(*selected));
  for (const auto& [kernel, result] : results) StrAppend(&text, kernel, "\n", result);
  return text;
}

std::string Net::WorkText() const {
  std::map<std::string, std::vector<uint64_t>> work;
  if (std::string error = MeasureWork(work); !error.empty()) return error;
  std::string text =
      R"(# What the kernels of loops.mir cost after the passes of -O2, under each tuning of net.cc, on input 0. The test fails
# if one costs more. The instructions are those that all threads execute, the spill traffic is in bytes, and the
# registers (in units of 32 bits) and predicates are the most that live at one place.
#
# To remake this file:
#     bazel build //tests/mutation:mutation_test
#     PTXMIR_RECORD=tests/mutation bazel-bin/tests/mutation/mutation_test
)";
  StrAppend(&text, std::string(absl::StrFormat(kWorkLine, "# tuning", "kernel", "instructions", "spills", "registers",
                                               "predicates")));
  for (const auto& [name, measures] : work) {
    const size_t blank = name.find(' ');
    StrAppend(&text, std::string(absl::StrFormat(kWorkLine, name.substr(0, blank), name.substr(blank + 1),
                                                 std::to_string(measures[0]), std::to_string(measures[1]),
                                                 std::to_string(measures[2]), std::to_string(measures[3]))));
  }
  return text;
}

std::string Net::Rematerialized() const {
  std::string text;
  const std::string error = Rematerialize(text);
  return error.empty() ? text : error;
}

std::string Net::GlobalsPtx() const {
  std::string text;
  const std::string error = CompileGlobals(text);
  return error.empty() ? text : error;
}

std::string Net::Operands() const {
  DiagnosticEngine diagnostics;
  std::string text = ReadFile("tests/mir/text/every_operand.mir");
  // Empty, and therefore nothing that the short form keeps.
  constexpr std::string_view kEmpty = "calledGlobals:   []\n";
  if (const size_t at = text.find(kEmpty); at != text.npos) text.erase(at, kEmpty.size());
  const std::unique_ptr<Module> module = Read("every_operand.mir", text, diagnostics);
  return module == nullptr ? diagnostics.ToString() : Write(*module, /*simplify=*/false);
}

}  // namespace ptxmir::testing
