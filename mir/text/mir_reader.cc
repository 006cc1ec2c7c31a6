// SPDX-License-Identifier: Apache-2.0

#include "mir/text/mir_reader.h"

#include <utility>

#include "base/yaml.h"
#include "ir/ir_reader.h"
#include "ir/verify/module_checks.h"
#include "mir/text/block_line_reader.h"
#include "mir/text/input_kind.h"
#include "mir/text/mir_function_reader.h"
#include "mir/text/mir_reader_state.h"
#include "mir/text/module_document.h"

namespace ptxmir {
namespace {

bool CheckTarget(const SourceBuffer& buffer, const Module& module, DiagnosticEngine& diagnostics) {
  const std::string_view triple = module.target_triple();
  std::string reason = WhyNotNvptx(triple, buffer);
  if (reason.empty()) return true;
  if (buffer.Contains(triple.data())) {
    diagnostics.Error(buffer, triple.data(), std::move(reason));
  } else {
    diagnostics.Error(std::move(reason));
  }
  return false;
}

bool ReadDocuments(const SourceBuffer& buffer, const TargetInfo& target, DiagnosticEngine& diagnostics, Module& module,
                   const BlockLineReaderFactory* factory, const MachineFunctionSink& sink,
                   const InstrSupportCheck& support_check, OldMirRefusal* refusal) {
  const size_t errors_before = diagnostics.num_errors();
  MirFileState file(buffer, module, target, diagnostics);
  file.line_reader_factory = factory;
  if (support_check != nullptr) {
    file.opcodes.set_why_unsupported(
        [&](Opcode opcode, int operand, int64_t value) { return support_check(module, opcode, operand, value); });
  }
  YamlReader yaml(buffer, diagnostics);
  bool is_first = true;
  while (!diagnostics.limit_reached() && yaml.NextDocument()) {
    if (std::exchange(is_first, false)) {
      if (yaml.AtBlockScalar()) {
        YamlScalar ir;
        if (yaml.ReadScalar(&ir) && ReadIrModule(buffer, ir.raw, module, diagnostics)) {
          ir::CheckModule(module, diagnostics);
        }
        if (!CheckTarget(buffer, module, diagnostics)) return false;
        continue;
      }
      const bool has_document = AtModuleDocument(yaml);
      if (has_document) ReadModuleDocument(buffer, yaml, module, diagnostics);
      if (!CheckTarget(buffer, module, diagnostics)) return false;
      ImplyFunctions(buffer, module, diagnostics);
      if (has_document) continue;
    }
    if (yaml.AtEmptyDocument()) continue;
    OwnedMachineFunction function = MirFunctionReader(file, yaml).Read();
    if (diagnostics.num_errors() == errors_before) sink(module, std::move(function));
  }
  *refusal = std::move(file.refusal);
  return diagnostics.num_errors() == errors_before;
}

// Reads a file. If an old LLVM made it, and some of it cannot be upgraded, one error says so in place of one for each
// instruction.
bool ReadFile(std::shared_ptr<const SourceBuffer> buffer, const TargetInfo& target, DiagnosticEngine& diagnostics,
              Module& module, const BlockLineReaderFactory* factory, const MachineFunctionSink& sink,
              const InstrSupportCheck& support_check) {
  module.KeepSource(buffer);
  if (std::string reason = WhyNotMir(*buffer); !reason.empty()) {
    diagnostics.Error(std::move(reason));
    return false;
  }
  DiagnosticEngine found;
  OldMirRefusal refusal;
  const bool ok = ReadDocuments(*buffer, target, found, module, factory, sink, support_check, &refusal);
  if (refusal.count == 0) {
    diagnostics.Append(found);
  } else if (buffer->Contains(refusal.position)) {
    diagnostics.Error(*buffer, refusal.position, WhyNotUpgraded(refusal, *buffer));
  } else {
    diagnostics.Error(WhyNotUpgraded(refusal, *buffer));
  }
  return ok;
}

}  // namespace

std::unique_ptr<Module> ReadMir(std::shared_ptr<const SourceBuffer> buffer, const TargetInfo& target,
                                DiagnosticEngine& diagnostics) {
  auto result = std::make_unique<Module>();
  const bool ok = ReadMir(
      std::move(buffer), target, diagnostics, *result,
      [](Module& module, OwnedMachineFunction function) { module.machine_functions().push_back(std::move(function)); });
  return ok ? std::move(result) : nullptr;
}

bool ReadMir(std::shared_ptr<const SourceBuffer> buffer, const TargetInfo& target, DiagnosticEngine& diagnostics,
             Module& module, const MachineFunctionSink& sink, const InstrSupportCheck& support_check) {
  return ReadFile(std::move(buffer), target, diagnostics, module, nullptr, sink, support_check);
}

bool ReadMir(std::shared_ptr<const SourceBuffer> buffer, const TargetInfo& target, DiagnosticEngine& diagnostics,
             Module& module, const BlockLineReaderFactory& factory, const MachineFunctionSink& sink) {
  return ReadFile(std::move(buffer), target, diagnostics, module, &factory, sink, nullptr);
}

}  // namespace ptxmir
