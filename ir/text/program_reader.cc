// SPDX-License-Identifier: Apache-2.0

#include "ir/text/program_reader.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "ir/ir_reader.h"
#include "ir/text/function_reader.h"
#include "ir/upgrade/upgrade.h"
#include "ir/verify/module_checks.h"
#include "ir/verify/verifier.h"

namespace ptxmir::ir {
namespace {

// The number of bytes of text that are unloaded at a time once they have been read.
constexpr size_t kUnloadedBytes = size_t{1} << 20;

}  // namespace

bool ReadBodies(Program& program, DiagnosticEngine& diagnostics) {
  Module& module = program.module();
  const size_t errors_before = diagnostics.num_errors();
  FunctionReader reader(program, [&](const char* position, std::string message) {
    diagnostics.Error(*module.ir_source(), position, std::move(message));
  });
  if (!reader.CheckNamedStructs()) return false;
  // A body may declare intrinsics.
  const size_t num_functions = module.functions().size();
  const char* unread = module.ir_text().data();
  for (size_t i = 0; i < num_functions; ++i) {
    const IrFunction& function = module.functions()[i];
    if (!function.has_body || function.is_implied) continue;
    reader.Read(function);
    if (diagnostics.limit_reached()) break;
    const std::string_view read(unread,
                                static_cast<size_t>(function.body_text.data() + function.body_text.size() - unread));
    if (read.size() < kUnloadedBytes) continue;
    module.ir_source()->Unload(read);
    unread += read.size();
  }
  return diagnostics.num_errors() == errors_before;
}

ProgramFile ReadProgram(std::shared_ptr<const SourceBuffer> buffer, DiagnosticEngine& diagnostics) {
  ProgramFile file;
  file.module = std::make_unique<Module>();
  file.module->KeepSource(buffer);
  if (!ReadIrModule(*buffer, buffer->text(), *file.module, diagnostics)) return file;
  const bool is_metadata_valid = CheckModule(*file.module, diagnostics);
  auto program = std::make_unique<Program>(*file.module);
  if (!ReadBodies(*program, diagnostics) || !is_metadata_valid) return file;
  UpgradeProgram(*program);
  if (!VerifyProgram(*program, diagnostics)) return file;
  file.program = std::move(program);
  return file;
}

}  // namespace ptxmir::ir
