// SPDX-License-Identifier: Apache-2.0

#include "compiler/ir_input.h"

#include <memory>
#include <utility>

#include "base/str_cat.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"

namespace ptxmir {

bool TranslateIr(const DriverOptions& options, DiagnosticEngine& diagnostics, std::string* text) {
  absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options.input);
  if (!buffer.ok()) {
    diagnostics.Error(std::string(FromAbsl(buffer.status().message())));
    return false;
  }
  const ir::ProgramFile file = ir::ReadProgram(*std::move(buffer), diagnostics);
  if (file.program == nullptr) return false;
  if (!options.emit_llvm) {
    diagnostics.Error(StrCat("there is no instruction selection from LLVM IR yet: use llc -stop-after=finalize-isel ",
                             options.input, " -o k.mir, then ptxmir k.mir; -emit-llvm writes the IR"));
    return false;
  }
  ir::WriteProgram(*file.program, text);
  return true;
}

}  // namespace ptxmir
