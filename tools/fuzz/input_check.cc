// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/input_check.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/str_cat.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "ptx/target/ptx_target.h"
#include "tools/fuzz/function_check.h"
#include "tools/fuzz/random_pipeline.h"
#include "tools/fuzz/result_check.h"

namespace ptxmir::fuzz {
namespace {

class InputChecker {
 public:
  InputChecker(const OpcodeCatalog& catalog, const FunctionFuzzOptions& options, uint64_t seed,
               const ExternalPrograms& programs, FunctionFuzzReport& report,
               const std::function<void(const std::string&)>& announce)
      : catalog_(catalog),
        options_(options),
        seed_(seed),
        shape_(ShapeOf(options, seed)),
        programs_(programs),
        report_(report),
        announce_(announce),
        is_sampled_(seed % kSampleRate == 0),
        launches_(options.launches != 0 ? options.launches
                  : is_sampled_         ? kSampleLaunches
                                        : 1) {}

  void Run() {
    ++report_.inputs;
    const std::string wrong = Check();
    if (!wrong.empty()) report_.findings.push_back({seed_, shape_, wrong});
  }

 private:
  std::unique_ptr<Module> Generate() const { return GenerateMirModule(catalog_, ptx::PtxTargetInfo(), shape_, seed_); }

  std::string Check() {
    std::unique_ptr<Module> module = Generate();
    NoteOpcodes(*module);
    std::string wrong;
    for (const auto& function : module->machine_functions()) {
      if (!VerifyMachineFunction(*function, wrong)) return wrong;
    }
    ++report_.valid;
    const bool checks_each =
        options_.pipeline == kEachPass || (options_.pipeline == kRandomPipeline && seed_ % kEachPassRate == 0);
    const bool is_external = options_.sample_external != 0 && seed_ % options_.sample_external == 0 &&
                             !(programs_.llc.empty() && programs_.ptxas.empty());
    // Another random sequence than that of the shape and of the module.
    FuzzRandom random(~seed_);
    if (options_.pipeline != kEachPass) wrong = CheckResult(std::move(module), random);
    if (!wrong.empty() || !(is_sampled_ || checks_each || is_external)) return wrong;
    FunctionCheck check = AsText();
    wrong = check.CheckFixedPoint();
    if (wrong.empty() && checks_each) wrong = CheckEachPass(check, random);
    if (wrong.empty() && is_external) {
      ++report_.external;
      wrong = check.CheckExternal(programs_.llc, programs_.ptxas);
    }
    return wrong;
  }

  FunctionCheck AsText() const { return FunctionCheck(GeneratedMir(catalog_, seed_, shape_), launches_); }

  // Runs one pipeline and judges the end result. If that is wrong, finds the pass.
  std::string CheckResult(std::unique_ptr<Module> module, FuzzRandom& random) {
    FuzzPipeline pipeline;
    if (options_.pipeline == kRandomPipeline) {
      pipeline = RandomPipeline(random);
    } else {
      absl::StatusOr<FuzzPipeline> named = NamedPipeline(options_.pipeline);
      if (!named.ok()) return std::string(named.status().message());
      pipeline = *std::move(named);
    }
    announce_(pipeline.ToString());
    ResultCheck check(std::move(module), Generate(), launches_);
    std::string wrong = check.CheckPasses(pipeline, is_sampled_);
    if (wrong.empty()) wrong = check.CompareRuns();
    report_.defined += check.is_defined();
    CountPasses(check.passes());
    if (wrong.empty() || !check.is_defined()) return wrong;
    const std::string with_pass = AsText().CheckPasses(pipeline);
    if (!with_pass.empty()) return with_pass;
    return StrCat(pipeline.ToString(), ": the end result is wrong, and no pass from text is: ", wrong);
  }

  std::string CheckEachPass(FunctionCheck& check, FuzzRandom& random) {
    std::string wrong;
    if (options_.pipeline == kEachPass) {
      wrong = check.CheckExecution();
      report_.defined += wrong.empty();
    }
    if (wrong.empty()) wrong = check.CheckEachPass(random);
    CountPasses(check.passes());
    return wrong;
  }

  void NoteOpcodes(const Module& module) {
    for (const auto& function : module.machine_functions()) {
      for (const MachineBasicBlock& block : *function) {
        for (const MachineInstr& instr : block) {
          ++report_.instructions;
          report_.opcodes[instr.opcode()] = true;
        }
      }
    }
  }

  void CountPasses(const std::vector<PassCount>& counts) {
    for (size_t i = 0; i < counts.size(); ++i) {
      report_.passes[i].runs += counts[i].runs;
      report_.passes[i].changes += counts[i].changes;
    }
  }

  const OpcodeCatalog& catalog_;
  const FunctionFuzzOptions& options_;
  const uint64_t seed_;
  const FuzzShape shape_;
  const ExternalPrograms& programs_;
  FunctionFuzzReport& report_;
  const std::function<void(const std::string&)>& announce_;
  const bool is_sampled_;
  const unsigned launches_;
};

}  // namespace

void CheckInput(const OpcodeCatalog& catalog, const FunctionFuzzOptions& options, uint64_t seed,
                const ExternalPrograms& programs, FunctionFuzzReport& report,
                const std::function<void(const std::string&)>& announce) {
  InputChecker(catalog, options, seed, programs, report, announce).Run();
}

}  // namespace ptxmir::fuzz
