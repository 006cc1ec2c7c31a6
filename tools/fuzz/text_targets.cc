// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/text_targets.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "base/yaml.h"
#include "compiler/driver_options.h"
#include "compiler/option_parser.h"
#include "ir/ir_reader.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"
#include "ptx/writer/ptx_writer.h"
#include "tools/fuzz/dag_text_target.h"
#include "tools/fuzz/input_buffer.h"
#include "tools/fuzz/ll_text_target.h"
#include "tools/fuzz/text_difference.h"
#include "tools/fuzz/text_seeds.h"

namespace ptxmir::fuzz {
namespace {

// --- mir ---

// Reads the text. Reading must either fail with an error or succeed without one, and the result must be sound.
std::unique_ptr<Module> ReadChecked(std::string_view text, std::string& finding) {
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module = ReadMir(BufferOf(text), ptx::PtxTargetInfo(), diagnostics);
  if ((module == nullptr) != diagnostics.has_errors()) {
    finding = module == nullptr ? "rejected without an error" : "accepted with an error";
  }
  for (const Diagnostic& diagnostic : diagnostics.diagnostics()) {
    if (diagnostic.message.empty()) finding = "an error without a message";
    (void)diagnostic.ToString();
  }
  if (module == nullptr) return nullptr;
  for (const OwnedMachineFunction& function : module->machine_functions()) {
    const std::string flaw = function->reg_info().CheckUseLists();
    if (!flaw.empty()) finding = StrCat("use lists after reading: ", flaw);
  }
  return module;
}

// Writes the module, reads the text and writes it again. Both texts must be the same.
std::string CheckFixedPoint(const Module& module, bool simplify) {
  MirWriteOptions options;
  options.simplify = simplify;
  std::string first;
  WriteMir(module, options, first);
  std::string finding;
  const std::string_view form = simplify ? " (simplified)" : "";
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> again = ReadMir(BufferOf(first), ptx::PtxTargetInfo(), diagnostics);
  if (again == nullptr) {
    return StrCat("written MIR", form, " cannot be read: ", diagnostics.ToString());
  }
  std::string second;
  WriteMir(*again, options, second);
  if (first == second) return {};
  return StrCat("written MIR", form, " is written differently when read: ", FirstDifference(first, second));
}

// The pipeline must accept everything that the verifier accepts, or report what it does not support.
std::string LowerAndPrint(std::string_view input, int opt_level, bool& printed) {
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module = ReadMir(BufferOf(input), ptx::PtxTargetInfo(), diagnostics);
  if (module == nullptr) return "accepted once, rejected the second time";
  RunOptions run;
  run.verify_each = true;
  run.print.after_all = opt_level != 0;
  RunReport report;
  if (!RunPipeline(*module, BuildStandardPipeline(opt_level), run, diagnostics, report)) {
    if (!diagnostics.has_errors()) return "the pipeline failed without an error";
    const std::string text = diagnostics.ToString();
    return text.find("machine code errors") == std::string::npos ? std::string() : text;
  }
  std::string ptx;
  const bool ok = ptx::WritePtx(*module, {}, diagnostics, ptx);
  if (!ok && !diagnostics.has_errors()) return "the PTX writer failed without an error";
  if (!ok && !ptx.empty()) return "the PTX writer failed and left text in the output";
  printed |= ok;
  return {};
}

TextOutcome RunMir(std::string_view input) {
  TextOutcome outcome;
  const std::unique_ptr<Module> module = ReadChecked(input, outcome.finding);
  if (module == nullptr || !outcome.finding.empty()) return outcome;
  outcome.reached = Reached::kRead;
  bool is_valid = true;
  for (const OwnedMachineFunction& function : module->machine_functions()) {
    std::string report;
    is_valid &= VerifyMachineFunction(*function, report);
  }
  for (const bool simplify : {false, true}) {
    outcome.finding = CheckFixedPoint(*module, simplify);
    if (!outcome.finding.empty()) return outcome;
  }
  if (!is_valid) return outcome;
  outcome.reached = Reached::kVerified;
  bool printed = false;
  for (const int opt_level : {0, 2}) {
    outcome.finding = LowerAndPrint(input, opt_level, printed);
    if (!outcome.finding.empty()) return outcome;
  }
  if (printed) outcome.reached = Reached::kPrinted;
  return outcome;
}

// --- ir ---

// Requests everything that is computed on demand.
void AskForEverything(const Module& module) {
  for (const IrFunction& function : module.functions()) {
    (void)module.body(function);
    (void)module.HasFunctionAttribute(function, "convergent");
    (void)module.FunctionAttributeString(function, "target-cpu");
    (void)SignatureToString(module, function);
  }
  for (const GlobalValue* value : module.global_values()) {
    (void)module.Users(value->id());
    (void)module.Annotations(value->id());
    (void)ToString(module, *value);
  }
  // Numbers may be far apart.
  constexpr MetadataId kMaxAsked = 100000;
  for (MetadataId id = 0; id < std::min(module.metadata_bound(), kMaxAsked); ++id) (void)module.metadata(id);
  (void)module.module_flags();
}

TextOutcome RunIr(std::string_view input) {
  TextOutcome outcome;
  DiagnosticEngine diagnostics;
  Module module;
  const std::shared_ptr<const SourceBuffer> buffer = BufferOf(input);
  module.KeepSource(buffer);
  const bool ok = ReadIrModule(*buffer, buffer->text(), module, diagnostics);
  if (ok == diagnostics.has_errors()) outcome.finding = ok ? "accepted with an error" : "rejected without an error";
  (void)diagnostics.ToString();
  // Also for the readable part of a damaged module.
  AskForEverything(module);
  if (!ok || !outcome.finding.empty()) return outcome;
  outcome.reached = Reached::kRead;
  if (module.IrToString() != module.ir_text()) {
    outcome.finding = "an unchanged module is not written as it stood";
    return outcome;
  }
  for (GlobalValue* value : module.global_values()) value->MarkChanged();
  const std::string first = module.IrToString();
  DiagnosticEngine second_diagnostics;
  Module second;
  const std::shared_ptr<const SourceBuffer> second_buffer = BufferOf(first);
  second.KeepSource(second_buffer);
  if (!ReadIrModule(*second_buffer, second_buffer->text(), second, second_diagnostics)) {
    outcome.finding = StrCat("a module written from its data cannot be read: ", second_diagnostics.ToString());
    return outcome;
  }
  for (GlobalValue* value : second.global_values()) value->MarkChanged();
  const std::string again = second.IrToString();
  if (again != first) {
    outcome.finding = StrCat("IR is written differently when read: ", FirstDifference(first, again));
    return outcome;
  }
  outcome.reached = Reached::kVerified;
  return outcome;
}

// --- yaml ---

class YamlWalk {
 public:
  YamlWalk(const SourceBuffer& buffer, DiagnosticEngine& diagnostics) : yaml_(buffer, diagnostics) {}

  bool Documents() {
    bool ok = true;
    while (yaml_.NextDocument()) {
      ++num_documents_;
      (void)yaml_.AtEmptyDocument();
      // Each document is read in a different way.
      if (num_documents_ % 3 == 0) {
        ok &= yaml_.SkipNode();
      } else if (num_documents_ % 3 == 1) {
        ok &= Node();
      } else {
        std::string_view text;
        ok &= yaml_.SkipNodeVerbatim(&text);
      }
    }
    return ok;
  }

 private:
  bool Node() {
    if (!yaml_.AtBlockScalar()) {
      if (yaml_.AtMapping()) {
        return yaml_.ReadMapping([&](const YamlScalar& key) {
          (void)key.Value();
          return Node();
        });
      }
      if (yaml_.AtSequence()) {
        return yaml_.ReadSequence([&] { return Node(); });
      }
    }
    YamlScalar scalar;
    if (!yaml_.ReadScalar(&scalar)) return false;
    const std::string value = scalar.Value();
    (void)scalar.PositionOf(value.size() / 2);
    return true;
  }

  YamlReader yaml_;
  size_t num_documents_ = 0;
};

TextOutcome RunYaml(std::string_view input) {
  TextOutcome outcome;
  DiagnosticEngine diagnostics;
  const std::shared_ptr<const SourceBuffer> buffer = BufferOf(input);
  const bool ok = YamlWalk(*buffer, diagnostics).Documents();
  if (ok == diagnostics.has_errors()) {
    outcome.finding = ok ? "accepted with an error" : "rejected without an error";
  }
  (void)diagnostics.ToString();
  if (ok) outcome.reached = Reached::kRead;
  return outcome;
}

// --- options ---

// Takes one argument per line.
TextOutcome RunOptionParser(std::string_view input) {
  TextOutcome outcome;
  std::vector<std::string_view> arguments;
  for (std::string_view rest = input; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    arguments.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  DriverOptions options;
  const absl::Status status = ParseCommandLine(arguments, options);
  if (!status.ok()) {
    if (status.message().empty()) outcome.finding = "an error without a message";
    return outcome;
  }
  outcome.reached = Reached::kRead;
  DiagnosticEngine diagnostics;
  const bool has_pipeline = BuildPipeline(options.pipeline, diagnostics).has_value();
  const absl::StatusOr<ptx::Subtarget> subtarget = ptx::Subtarget::Create(options.cpu, options.attributes);
  if (has_pipeline == diagnostics.has_errors()) outcome.finding = "an error without a message";
  if (!subtarget.ok() && subtarget.status().message().empty()) outcome.finding = "an error without a message";
  if (has_pipeline && subtarget.ok()) outcome.reached = Reached::kVerified;
  return outcome;
}

const TextTarget kTargets[] = {
    {"mir", "MIR files: reader, verifier, writer, lowering, PTX writer", RunMir, MirTexts, SmallMirTexts,
     MirDictionary},
    {"ir", "LLVM IR modules: reader and printer", RunIr, IrTexts, IrTextOfMirFile, IrDictionary},
    {"yaml", "the YAML reader", RunYaml, YamlTexts, SmallMirTexts, YamlDictionary},
    {"dag", "files of SelectionDAGs: reader, verifier, writer, selection", RunDag, DagTexts, SmallDagTexts,
     DagDictionary},
    {"ll", "LLVM IR with bodies: reader, upgrade, verifier, writer, editing, linker", RunLl, LlTexts, SmallLlTexts,
     LlDictionary},
    {"options", "command lines, one argument a line", RunOptionParser, OptionTexts, NoTexts, OptionDictionary},
};

}  // namespace

absl::Span<const TextTarget> TextTargets() { return kTargets; }

const TextTarget* FindTextTarget(std::string_view name) {
  for (const TextTarget& target : kTargets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

}  // namespace ptxmir::fuzz
