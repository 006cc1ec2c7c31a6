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
#include "passes/equivalence/execution_check.h"
#include "passes/equivalence/generated_run.h"
#include "passes/pipeline/pass_table.h"
#include "passes/pipeline/standard_pipeline.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/module_subtarget.h"
#include "ptx/target/ptx_target.h"
#include "tools/support/external_programs.h"

namespace ptxmir::fuzz {
namespace {

std::unique_ptr<Module> Read(std::string_view mir, std::string& error) {
  DiagnosticEngine diagnostics;
  auto module = ReadMir(std::make_shared<SourceBuffer>("generated.mir", mir), ptx::PtxTargetInfo(), diagnostics);
  if (module == nullptr) error = StrCat("the reader refuses it: ", diagnostics.ToString());
  return module;
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
  for (const auto& function : module->machine_functions()) {
    const IrFunction& kernel = *module->FindFunction(function->name());
    if (!IsKernel(*module, kernel)) continue;
    for (uint64_t seed = 0; seed < launches_; ++seed) {
      const GeneratedRun run = RunOnGeneratedInput(*module, FunctionsOf(*module), kernel, seed,
                                                   {.style = ptx::LaunchStyle{.is_long = true}, .is_strict = true});
      if (!run.result.ok()) return std::string(run.result.status().message());
      if (!run.ended_well()) return StrCat("input ", seed, ": ", run.result->fault.ToString());
    }
  }
  return {};
}

// ---- Pipelines.

std::string FunctionCheck::RunPasses(const FuzzPipeline& pipeline, std::string& mir) {
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
  options.opt_level = pipeline.opt_level;
  options.inputs.knobs = &pipeline.knobs;
  options.inputs.subtarget = &*subtarget;
  options.execution_checker = checker.get();
  for (const auto& function : module->machine_functions()) {
    error = RunPassesOn(*function, pipeline.steps, options, passes_);
    if (!error.empty()) return StrCat(pipeline.ToString(), ", function '", function->name(), "': ", error);
  }
  mir.clear();
  WriteMir(*module, {}, mir);
  return {};
}

std::string FunctionCheck::CheckPasses(const FuzzPipeline& pipeline) {
  std::string mir = mir_;
  std::string error = RunPasses(pipeline, mir);
  if (!error.empty() || !pipeline.is_printed) return error;
  const std::unique_ptr<Module> module = Read(mir, error);
  std::string ptx;
  if (module != nullptr) PrintPtx(*module, ptx, error);
  return error;
}

std::string FunctionCheck::CheckEachPass(FuzzRandom& random) {
  CutPipeline parts = RandomCutPipeline(random);
  FuzzPipeline single;
  single.knobs = parts.first.knobs;
  for (const PassInfo& pass : PassTable()) {
    single.steps = {PipelineStep{.pass = &pass}};
    const std::string error = RunsOnSelectedCode(pass) ? CheckPasses(single) : std::string();
    if (!error.empty()) return error;
  }
  single.steps = RandomLegalPipeline(random);
  std::string error = CheckPasses(single);
  if (!error.empty()) return error;
  // The whole pipeline in two parts, with text in between.
  std::string mir = mir_;
  for (const FuzzPipeline* part : {&parts.first, &parts.second}) {
    error = RunPasses(*part, mir);
    if (!error.empty()) return error;
  }
  const std::unique_ptr<Module> module = Read(mir, error);
  std::string ptx;
  if (module == nullptr || !PrintPtx(*module, ptx, error)) return error;
  return CheckPasses(RandomAllocation(random));
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
  if (!PrintPtx(*module, ptx, error)) return error;
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
