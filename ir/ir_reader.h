// SPDX-License-Identifier: Apache-2.0

// A reader of LLVM IR modules in text form: the `--- |` document of a MIR file, or a .ll file.
//
// It reads what the backend needs (see module.h) and keeps the rest as text. Function bodies are skipped line by
// line. In a MIR file every line of the IR is indented. White space has no meaning in IR, so the text is read in
// place and every position is exact.

#ifndef PTXMIR_IR_IR_READER_H_
#define PTXMIR_IR_IR_READER_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/diagnostics.h"
#include "ir/module.h"

namespace ptxmir {

// Reads `text`, a part of buffer.text(), into `module`. The module must not contain IR text yet and must keep the
// buffer alive (Module::KeepSource). Returns true if there were no errors. Errors go to `diagnostics`; the module
// then contains what could be read.
bool ReadIrModule(const SourceBuffer& buffer, std::string_view text, Module& module, DiagnosticEngine& diagnostics);

// Reads the signature of a function, that is, a definition without its body ("define ptx_kernel void @k(ptr %p)").
// Adds the function to the module as an implied one. Returns null after an error; `error` is then called with a
// position within `text`. The module must keep `text` alive.
IrFunction* ReadIrSignature(std::string_view text, Module& module,
                            const std::function<void(const char*, std::string)>& error);

// Parse a type or a constant with its type ("i32 7") of a module, from text that the module keeps alive. The text
// must contain nothing else.
absl::StatusOr<const IrType*> ParseIrType(std::string_view text, Module& module);
absl::StatusOr<const IrConstant*> ParseIrConstant(std::string_view text, Module& module);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_READER_H_
