// SPDX-License-Identifier: Apache-2.0

#include "compiler/ir_input.h"

#include <utility>

#include "base/str_cat.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"
#include "mir/text/input_kind.h"
#include "sdag/from_ir/dag_module_builder.h"

namespace ptxmir {

bool IsIrInput(const DriverOptions& options, const SourceBuffer& input) {
  return options.reads_ir || IsIrText(input);
}

bool TranslateIr(const DriverOptions& options, DiagnosticEngine& diagnostics, std::string* text) {
  absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options.input);
  if (!buffer.ok()) {
    diagnostics.Error(std::string(FromAbsl(buffer.status().message())));
    return false;
  }
  const ir::ProgramFile file = ir::ReadProgram(*std::move(buffer), diagnostics);
  if (file.program == nullptr) return false;
  ir::WriteProgram(*file.program, text);
  return true;
}

sdag::DagModule BuildDagsOfIr(const DriverOptions&, std::shared_ptr<const SourceBuffer> input,
                              DiagnosticEngine& diagnostics) {
  ir::ProgramFile file = ir::ReadProgram(std::move(input), diagnostics);
  if (file.program == nullptr) return {};
  return sdag::BuildDags(std::move(file.module), *file.program, diagnostics);
}

}  // namespace ptxmir
