// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/function_check.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/types/span.h"
#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "passes/equivalence/execution_check.h"
#include "passes/pipeline/pipeline_parser.h"
#include "passes/pipeline/standard_pipeline.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/interpreter/create_device.h"
#include "ptx/interpreter/kernel_inputs.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/module_subtarget.h"
#include "ptx/target/ptx_target.h"
#include "ptx/writer/ptx_writer.h"
#include "tools/support/external_programs.h"

namespace ptxmir::fuzz {
namespace {

constexpr int kMaxOptLevel = 3;

std::unique_ptr<Module> Read(std::string_view mir, std::string& error) {
  DiagnosticEngine diagnostics;
  auto module = ReadMir(std::make_shared<SourceBuffer>("generated.mir", mir), ptx::PtxTargetInfo(), diagnostics);
  if (module == nullptr) error = StrCat("the reader refuses it: ", diagnostics.ToString());
  return module;
}

// Prints the PTX of a module that went through a whole pipeline. On failure, returns false and sets `error`.
bool Print(const Module& module, std::string& ptx, std::string& error) {
  DiagnosticEngine diagnostics;
  if (ptx::WritePtx(module, {}, diagnostics, ptx)) return true;
  error = StrCat("the PTX writer refuses it: ", diagnostics.ToString());
  return false;
}

Pipeline PipelineOf(const PipelineOptions& options, std::string& error) {
  DiagnosticEngine diagnostics;
  std::optional<Pipeline> pipeline = BuildPipeline(options, diagnostics);
  if (pipeline.has_value()) return *std::move(pipeline);
  error = diagnostics.ToString();
  return {};
}

}  // namespace

FunctionCheck::FunctionCheck(std::string mir, unsigned launches)
    : mir_(std::move(mir)), launches_(launches), passes_(PassTable().size()) {}

std::string FunctionCheck::CheckFixedPoint() const {
  std::string error;
  const std::unique_ptr<Module> module = Read(mir_, error);
  if (module == nullptr) return error;
  std::string written;
  WriteMir(*module, {}, written);
  if (written == mir_) return {};
  size_t at =
      static_cast<size_t>(std::mismatch(mir_.begin(), mir_.end(), written.begin(), written.end()).first - mir_.begin());
  at = at == 0 ? 0 : mir_.rfind('\n', at - 1) + 1;
  const auto line = [&](const std::string& text) { return text.substr(at, text.find('\n', at) - at); };
  return StrCat("writing what was read gives another text:\n- ", line(mir_), "\n+ ", line(written));
}

std::string FunctionCheck::CheckExecution() const {
  std::string error;
  const std::unique_ptr<Module> module = Read(mir_, error);
  if (module == nullptr) return error;
  std::vector<const MachineFunction*> functions;
  for (const auto& function : module->machine_functions()) functions.push_back(function.get());
  for (const MachineFunction* function : functions) {
    const IrFunction& kernel = *module->FindFunction(function->name());
    if (!IsKernel(*module, kernel)) continue;
    for (uint64_t seed = 0; seed < launches_; ++seed) {
      absl::StatusOr<std::unique_ptr<ptx::Device>> device = ptx::CreateDevice(*module, functions);
      if (!device.ok()) return std::string(device.status().message());
      ptx::GeneratedLaunch launch = ptx::GenerateLaunch(**device, *module, kernel, seed);
      launch.config.stop_at_undefined_stores = true;
      const absl::StatusOr<ptx::LaunchResult> result = (*device)->Launch(launch.config, launch.arguments);
      if (!result.ok()) return std::string(result.status().message());
      if (result->fault.is_fault()) return StrCat("input ", seed, ": ", result->fault.ToString());
    }
  }
  return {};
}

// ---- Pipelines.

std::string FunctionCheck::RunPassesOn(MachineFunction& function, const Pipeline& pipeline, const RunOptions& options) {
  FunctionReport report;
  PipelineRunner(pipeline, options).Run(function, report);
  for (size_t i = 0; i < pipeline.size(); ++i) {
    if (!report.steps[i].ran || pipeline[i].pass == nullptr) continue;
    PassCount& count = passes_[static_cast<size_t>(pipeline[i].pass - PassTable().data())];
    ++count.runs;
    count.changes += report.steps[i].changed;
  }
  return report.diagnostics.ToString();
}

std::string FunctionCheck::RunPasses(const Pipeline& pipeline, std::string& mir, int opt_level) {
  std::string error;
  const std::unique_ptr<Module> module = Read(mir, error);
  if (module == nullptr) return error;
  // The checker of the generated module runs it once for all pipelines that start from it.
  const bool is_generated = mir == mir_;
  std::unique_ptr<ExecutionChecker> own;
  std::unique_ptr<ExecutionChecker>& checker = is_generated ? checker_ : own;
  if (checker == nullptr) {
    std::unique_ptr<Module> original = Read(mir, error);
    if (original == nullptr) return error;
    checker = std::make_unique<ExecutionChecker>(std::move(original), launches_);
  }
  const absl::StatusOr<ptx::Subtarget> subtarget = ptx::ChooseSubtarget(*module, "", "");
  if (!subtarget.ok()) return std::string(subtarget.status().message());
  RunOptions options;
  options.verify_each = true;
  options.opt_level = opt_level;
  options.inputs.knobs = &knobs_;
  options.inputs.subtarget = &*subtarget;
  options.execution_checker = checker.get();
  for (const auto& function : module->machine_functions()) {
    error = RunPassesOn(*function, pipeline, options);
    if (!error.empty())
      return StrCat("passes ", PipelineText(pipeline), ", function '", function->name(), "': ", error);
  }
  mir.clear();
  WriteMir(*module, {}, mir);
  return {};
}

namespace {

// The register checker compares with its snapshot from before allocation; see CheckAllocation.
bool CanBeChosen(const PassInfo& pass) { return pass.is_implemented() && !pass.name.starts_with("register-checker"); }

// Returns true if a pass can run on the output of selection: SSA form with PHIs.
bool RunsOnSelectedCode(const PassInfo& pass) {
  return CanBeChosen(pass) && (pass.required_properties & ~FunctionProperty::kIsSsa) == 0;
}

// Returns some implemented passes in a random order that the order table and their requirements allow. Requests
// analyses in between, to detect passes that wrongly claim to preserve one.
Pipeline RandomLegalPipeline(FuzzRandom& random) {
  std::vector<const PassInfo*> waiting;
  for (const PassInfo& pass : PassTable()) {
    if (CanBeChosen(pass) && random.Percent(75)) waiting.push_back(&pass);
  }
  const auto must_wait = [&](const PassInfo& pass) {
    return std::any_of(PassOrders().begin(), PassOrders().end(), [&](const PassOrder& order) {
      return order.after == pass.name && std::any_of(waiting.begin(), waiting.end(), [&](const PassInfo* other) {
               return other->name == order.before;
             });
    });
  };
  Pipeline pipeline;
  uint32_t properties = FunctionProperty::kIsSsa;
  while (!waiting.empty()) {
    std::vector<const PassInfo*> ready;
    for (const PassInfo* pass : waiting) {
      if (!must_wait(*pass) && (pass->required_properties & ~properties) == 0) ready.push_back(pass);
    }
    if (ready.empty()) break;  // the remaining passes need one that was not chosen
    const PassInfo* pass = random.Pick(ready);
    std::erase(waiting, pass);
    while (random.Percent(50)) {
      const AnalysisInfo& analysis = random.Pick(AnalysisTable());
      if (!analysis.is_implemented()) continue;
      pipeline.push_back({.action = PipelineStep::Action::kRequireAnalysis, .analysis = &analysis});
    }
    pipeline.push_back({.pass = pass});
    properties = (properties | pass->set_properties) & ~pass->cleared_properties;
  }
  return pipeline;
}

// Returns a random step of the standard pipeline that is a pass, implemented or not.
const PipelineStep& PickStep(FuzzRandom& random) {
  while (true) {
    const PipelineStep& step = random.Pick(StandardPipeline());
    if (step.pass != nullptr) return step;
  }
}

struct KnobChoice {
  std::string_view knob;
  std::vector<std::string_view> values;
};

// Values that make passes do what they seldom do on code of this size, or nothing: small targets and budgets, and
// no minimum of pressure or gain.
std::vector<KnobChoice> RareValues() {
  return {
      {"usedessa", {"0", "1", "2"}},
      {"nv-remat-default-max-reg", {"8", "16", "32", "70"}},
      {"nv-remat-measured", {"false", "true"}},
      {"nv-remat-max-growth", {"10", "100"}},
      {"induction-merge-min-pressure", {"0", "24"}},
      {"induction-merge-min-gain", {"-10", "1", "2"}},
      {"induction-merge-growth", {"10", "1000"}},
      {"induction-merge-fold-offsets", {"false", "true"}},
      {"induction-merge-offset-bits", {"1", "8", "24", "32"}},
      {"pressure-sink-min-pressure", {"0", "32"}},
      {"maxreg", {"0", "0", "4", "8", "16", "24", "48"}},
      {"ra-spill", {"always", "always", "never"}},
      {"ra-limit", {"0", "2", "4", "12", "24", "48"}},
      {"ra-remat", {"false", "true"}},
      {"ra-split-wide", {"false", "true"}},
      {"ra-spill-space", {"local", "shared"}},
      {"ra-stress", {"none", "none", "none", "spill-all", "split"}},
      {"compact-regs", {"false", "true"}},
      {"nvptx-sched4reg", {"false", "true"}},
      {"sched-stress", {"none", "shuffle"}},
      {"frame-sort-objects", {"false", "true"}},
      {"frame-fold-addresses", {"false", "true"}},
      {"mem2reg-across-calls", {"false", "true"}},
  };
}

// Returns a value for a knob that RareValues does not cover: any value if there are few, otherwise a number near
// the default or at the ends of the range.
std::string AnyValue(const KnobInfo& knob, FuzzRandom& random) {
  switch (knob.type) {
    case KnobType::kBool:
    case KnobType::kOptionalBool:
      return random.Percent(50) ? "true" : "false";
    case KnobType::kEnum:
      return std::string(knob.value_names[random.Between(0, static_cast<int64_t>(knob.value_names.size()) - 1)]);
    case KnobType::kInt:
    case KnobType::kOptionalInt: {
      constexpr int32_t kLarge = 255;
      const int64_t least = knob.minimum;
      const int64_t most = std::min(knob.maximum, kLarge);
      const int64_t normal = knob.is_optional() ? random.Between(least, most) : knob.default_value;
      const int64_t numbers[] = {least, most, normal / 2, normal * 2, random.Between(least, most)};
      return StrCat(std::clamp(random.Pick(numbers), least, most));
    }
    case KnobType::kList:
      return {};
  }
  return {};
}

}  // namespace

void FunctionCheck::SetRandomKnobs(FuzzRandom& random) {
  constexpr int kRarePercent = 60;
  constexpr int kAnyPercent = 8;
  static const std::vector<KnobChoice> kRareValues = RareValues();
  knobs_ = Knobs();
  knobs_text_.clear();
  const auto set = [this](std::string_view knob, std::string_view value) {
    if (knobs_.Set(knob, value, KnobOrigin::kApi).ok()) StrAppend(&knobs_text_, "-", knob, "=", value, " ");
  };
  for (const KnobInfo& knob : KnobTable()) {
    // A warning would count as a finding.
    const bool is_of_passes =
        knob.scope == KnobScope::kFunction && !knob.pass.empty() && knob.name != "warn-stack-size";
    if (!is_of_passes || !random.Percent(kAnyPercent)) continue;
    if (const std::string value = AnyValue(knob, random); !value.empty()) set(knob.name, value);
  }
  for (const KnobChoice& choice : kRareValues) {
    if (random.Percent(kRarePercent)) set(choice.knob, random.Pick(choice.values));
  }
}

std::string FunctionCheck::CheckAllocation(FuzzRandom& random) {
  const auto set = [this](std::string_view knob, const std::string& value) {
    return knobs_.Set(knob, value, KnobOrigin::kApi).ok();
  };
  constexpr std::string_view kStresses[] = {"none", "none", "spill-all", "split"};
  const std::string_view stress = random.Pick(kStresses);
  const std::string limit = StrCat(random.Between(2, 48));
  const bool is_set = set("ra-spill", random.Percent(80) ? "always" : "never") && set("ra-limit", limit) &&
                      set("ra-remat", random.Percent(50) ? "true" : "false") && set("ra-stress", std::string(stress)) &&
                      set("compact-regs", random.Percent(50) ? "true" : "false");
  if (!is_set) return "the knobs of register allocation cannot be set";
  const bool is_fast = stress == "none" && random.Percent(20);
  std::string error = CheckPipeline(StrCat("phi-node-elimination,twoaddressinstruction,register-checker-begin,",
                                           is_fast ? "regallocfast" : "greedy", ",virtregrewriter,register-checker"),
                                    0);
  if (!error.empty()) error = StrCat("-ra-limit=", limit, " -ra-stress=", stress, ": ", error);
  knobs_ = Knobs();
  return error;
}

std::string FunctionCheck::CheckRandomPipelines(FuzzRandom& random) {
  const absl::Span<const PassInfo> table = PassTable();
  // Runs each pass alone, if possible.
  for (const PassInfo& pass : table) {
    std::string mir = mir_;
    const std::string error = RunsOnSelectedCode(pass) ? RunPasses({PipelineStep{.pass = &pass}}, mir) : std::string();
    if (!error.empty()) return error;
  }
  // Runs passes in a random legal order.
  std::string reordered = mir_;
  const std::string wrong = RunPasses(RandomLegalPipeline(random), reordered);
  if (!wrong.empty()) return wrong;
  // Runs a whole pipeline in two parts, cut at a random place, with text in between.
  PipelineOptions options;
  options.opt_level = static_cast<int>(random.Below(kMaxOptLevel + 1));
  const PipelineStep& cut = PickStep(random);
  std::string mir = mir_;
  std::string error;
  for (const bool is_first : {true, false}) {
    PipelineOptions part = options;
    (is_first ? part.stop_after : part.start_after) = PassPosition{cut.Name(), cut.instance};
    const Pipeline pipeline = PipelineOf(part, error);
    if (error.empty()) error = RunPasses(pipeline, mir, options.opt_level);
    if (!error.empty()) return StrCat("-O", options.opt_level, ", cut after ", cut.Name(), ": ", error);
  }
  const std::unique_ptr<Module> module = Read(mir, error);
  std::string ptx;
  if (module == nullptr || !Print(*module, ptx, error)) return error;
  return {};
}

std::string FunctionCheck::CheckPipeline(std::string_view pipeline, uint64_t seed) {
  if (pipeline == "random") {
    FuzzRandom random(seed);
    SetRandomKnobs(random);
    const std::string error = CheckRandomPipelines(random);
    knobs_ = Knobs();
    return error.empty() ? CheckAllocation(random) : StrCat(knobs_text_, error);
  }
  PipelineOptions options;
  const bool is_level = pipeline.size() == 2 && pipeline[0] == 'O';
  if (is_level) {
    options.opt_level = pipeline[1] - '0';
  } else {
    options.run_passes = std::string(pipeline);
  }
  std::string error;
  const Pipeline steps = PipelineOf(options, error);
  if (!error.empty()) return error;
  std::string mir = mir_;
  error = RunPasses(steps, mir);
  if (!error.empty() || !is_level) return error;
  const std::unique_ptr<Module> module = Read(mir, error);
  std::string ptx;
  if (module == nullptr || !Print(*module, ptx, error)) return error;
  return {};
}

// ---- External tools.

namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "ptxmir-fuzz-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string File(std::string_view name, std::string_view text) const {
    const std::string path = StrCat(path_, "/", name);
    if (!text.empty()) std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private:
  std::string path_;
};

std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

std::string_view TargetOf(std::string_view ptx) {
  const size_t begin = ptx.find(".target ");
  if (begin == ptx.npos) return "sm_90";
  ptx.remove_prefix(begin + 8);
  return ptx.substr(0, ptx.find_first_of(", \n\r"));
}

bool Assembles(std::string_view ptxas, const std::string& path, std::string& output) {
  return RunCommand(
      {std::string(ptxas), "-O0", "-arch", std::string(TargetOf(ReadText(path))), "-o", "/dev/null", path}, output);
}

// Returns the module in a form that llc's verifier accepts, or an empty string if there is none. llc rejects
// memory operands on opcodes that its tables do not declare as loads (ld.global.nc, ldu), and symbols where its
// tables require a register (MOV64_PARAM), although its own selection produces both.
std::string MirForLlc(const std::string& mir) {
  std::string error;
  const std::unique_ptr<Module> module = Read(mir, error);
  for (const auto& function : module->machine_functions()) {
    for (MachineBasicBlock& block : *function) {
      for (MachineInstr& instr : block) {
        if (!instr.desc().Has(InstrFlag::kMayLoad | InstrFlag::kMayStore)) instr.SetMemOperands({});
        const absl::Span<const OperandDesc> descs = function->target().Operands(instr.opcode());
        for (unsigned i = 0; i < std::min<size_t>(descs.size(), instr.num_operands()); ++i) {
          if (descs[i].type == OperandType::kRegister && !instr.operand(i).is_reg()) return {};
        }
      }
    }
  }
  std::string text;
  WriteMir(*module, {}, text);
  return text;
}

// Returns true if PTX supports the module. LLVM prints fetches with a sampler and fetches without one, although a
// module must use only one kind. It also prints formatted stores to surfaces of less than 32 bits.
bool IsForPtxas(const Module& module) {
  for (const GlobalVariable& variable : module.variables()) {
    if (IsSampler(module, variable.id())) return false;
  }
  for (const auto& function : module.machine_functions()) {
    for (const MachineBasicBlock& block : *function) {
      for (const MachineInstr& instr : block) {
        const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
        if (info.family == ptx::Family::kSustP && info.access_bits < 32) return false;
      }
    }
  }
  return true;
}

}  // namespace

// ptxas must accept our PTX. llc must read our MIR and print PTX that ptxas also accepts.
std::string FunctionCheck::CheckExternal(std::string_view llc, std::string_view ptxas) const {
  std::string error;
  const std::unique_ptr<Module> module = Read(mir_, error);
  if (module == nullptr) return error;
  if (!IsForPtxas(*module)) return {};
  DiagnosticEngine diagnostics;
  RunReport report;
  std::string ptx;
  if (!RunPipeline(*module, BuildStandardPipeline(0), {}, diagnostics, report)) return diagnostics.ToString();
  if (!Print(*module, ptx, error)) return error;
  const TemporaryFolder folder;
  std::string output;
  if (!ptxas.empty() && !Assembles(ptxas, folder.File("ours.ptx", ptx), output)) {
    return StrCat("ptxas refuses our PTX: ", output);
  }
  if (llc.empty()) return {};
  const std::string text = MirForLlc(mir_);
  if (text.empty()) return {};
  const std::string input = folder.File("input.mir", text);
  const std::string theirs = folder.File("theirs.ptx", "");
  if (!RunCommand({std::string(llc), "-O0", StrCat("-mcpu=", TargetOf(ptx)), "-mattr=+ptx88",
                   "-start-after=finalize-isel", input, "-o", theirs},
                  output)) {
    return StrCat("llc refuses our MIR: ", output);
  }
  if (!ptxas.empty() && !Assembles(ptxas, theirs, output)) return StrCat("ptxas refuses llc's PTX: ", output);
  return {};
}

}  // namespace ptxmir::fuzz
