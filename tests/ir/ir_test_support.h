// SPDX-License-Identifier: Apache-2.0

// Reads IR for tests.

#ifndef PTXMIR_TESTS_MIR_IR_TEST_SUPPORT_H_
#define PTXMIR_TESTS_MIR_IR_TEST_SUPPORT_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostics.h"
#include "ir/ir_reader.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

struct ReadIr {
  explicit ReadIr(std::string text) {
    auto buffer = std::make_shared<const SourceBuffer>("test.ll", std::move(text));
    module.KeepSource(buffer);
    ok = ReadIrModule(*buffer, buffer->text(), module, diagnostics);
  }
  std::string errors() const { return diagnostics.ToString(); }

  Module module;
  DiagnosticEngine diagnostics;
  bool ok = false;
};

// Indents every line, as in a MIR file.
inline std::string Indented(std::string_view text, std::string_view indent = "  ") {
  std::string out;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start) out += indent;
    at_line_start = c == '\n';
    out += c;
  }
  return out;
}

}  // namespace ptxmir

#endif  // PTXMIR_TESTS_MIR_IR_TEST_SUPPORT_H_
