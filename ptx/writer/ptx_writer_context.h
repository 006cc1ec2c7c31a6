// SPDX-License-Identifier: Apache-2.0

// The state that all parts of the PTX writer share while one module is printed, and small helpers for text.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_CONTEXT_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_CONTEXT_H_

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "ir/module.h"
#include "ptx/target/ptx_names.h"

namespace ptxmir::ptx {

struct PtxWriterContext {
  PtxWriterContext(const Module& m, PtxNames& n, DiagnosticEngine& d) : module(m), names(n), diagnostics(d) {}

  const Module& module;
  PtxNames& names;
  DiagnosticEngine& diagnostics;
  int sm = 0;           // 80 for sm_80
  int ptx_version = 0;  // 70 for 7.0
  bool is_verbose = true;
  // Whether the global is a function whose body was printed, by GlobalId. Known, like the members below, only after
  // the functions have been printed.
  std::vector<bool> has_machine_body;
  // The first printed function whose machine code names the global, or kNoUser; by GlobalId.
  static constexpr GlobalId kNoUser = ~GlobalId{0};
  std::vector<GlobalId> first_machine_user;
  // The shared variables that are declared inside the only function that uses them, provided it is printed.
  // `demoted` is indexed by the function's id, `demoted_to` by the variable's (null for all others).
  absl::flat_hash_map<GlobalId, std::vector<GlobalId>> demoted;
  std::vector<const IrFunction*> demoted_to;

  // Reports an error about a global, at its place in the input if it has one.
  void ErrorAt(const GlobalValue& value, std::string message) {
    if (module.ir_source() != nullptr && !value.source_text.empty() &&
        module.ir_source()->Contains(value.source_text.data())) {
      diagnostics.Error(*module.ir_source(), value.source_text.data(), std::move(message));
    } else {
      diagnostics.Error(std::move(message));
    }
  }
};

template <typename Integer>
inline void AppendInteger(std::string& out, Integer value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

// Appends the lowest `digits` hexadecimal digits in upper case.
inline void AppendHex(std::string& out, uint64_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out += "0123456789ABCDEF"[(value >> shift) & 15];
  }
}

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_CONTEXT_H_
