// SPDX-License-Identifier: Apache-2.0

// Reader of LLVM IR modules as text: the `--- |` document of a MIR file, or a .ll file.
//
// Reads what the backend needs (see module.h) and keeps the rest as text. Bodies of functions are skipped
// line by line. Within a MIR file every line of the IR is indented; white space means nothing in IR, so the
// text is read where it stands and every position is exact.

#ifndef PTXMIR_IR_IR_READER_H_
#define PTXMIR_IR_IR_READER_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/diagnostics.h"
#include "ir/module.h"

namespace ptxmir {

// Reads `text`, a part of buffer.text(), into `module`, which must hold no IR text yet and must keep the
// buffer alive (Module::KeepSource). Returns whether all was well; errors go to `diagnostics`, and the
// module then holds what could be read.
bool ReadIrModule(const SourceBuffer& buffer, std::string_view text, Module& module, DiagnosticEngine& diagnostics);

// Reads the signature of a function, a definition without its body ("define ptx_kernel void @k(ptr %p)"),
// and enters the function as an implied one. `error` is called with a position within `text`, which the
// module must keep alive. Null after an error.
IrFunction* ReadIrSignature(std::string_view text, Module& module,
                            const std::function<void(const char*, std::string)>& error);

// Parses one type or one constant ("i32 7", with its type) of a module, from any text that the module keeps
// alive. The text must hold nothing else.
absl::StatusOr<const IrType*> ParseIrType(std::string_view text, Module& module);
absl::StatusOr<const IrConstant*> ParseIrConstant(std::string_view text, Module& module);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_READER_H_
