// SPDX-License-Identifier: Apache-2.0

// Optimization remarks tell the user what a pass did, what it did not do and why, or what it found out. They have
// LLVM's form, so that tools for LLVM's remarks (llvm-remarkutil, llvm-opt-report, opt-viewer) can read them.
//
// This is the finished remark, which owns all of its text. Passes build it with MachineRemark
// (analysis/frequency/machine_opt_remark_emitter.h).

#ifndef PTXMIR_MIR_TEXT_REMARK_H_
#define PTXMIR_MIR_TEXT_REMARK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mir/text/source_place.h"

namespace ptxmir {

enum class RemarkKind : uint8_t { kPassed, kMissed, kAnalysis, kAnalysisFPCommute, kAnalysisAliasing, kFailure };
// Returns LLVM's name: "AnalysisFPCommute".
std::string_view RemarkKindName(RemarkKind kind);

// A piece of a remark's message. Plain text has the key "String".
struct RemarkArgument {
  std::string key;
  std::string value;
  std::optional<SourceLocation> location;

  friend bool operator==(const RemarkArgument&, const RemarkArgument&) = default;
};

struct Remark {
  RemarkKind kind = RemarkKind::kPassed;
  std::string pass;
  std::string name;
  std::string function;         // or the variable that the remark is about, since LLVM's form has no field for one
  bool is_on_variable = false;  // not in the file
  std::optional<SourceLocation> location;  // where the code comes from
  std::vector<SourceLocation> calls;       // where it was inlined, as in SourcePlace; not in the file, as in LLVM's
  std::optional<uint64_t> hotness;
  std::vector<RemarkArgument> arguments;

  // Returns the values of all arguments, concatenated.
  std::string Message() const;
  friend bool operator==(const Remark&, const Remark&) = default;
};

// Appends the remark as a YAML document, byte for byte as LLVM writes it, with these differences. Text that LLVM
// would write in a form that reads back differently (block scalars that begin or end with white space or contain
// control characters) is quoted. Each byte that is not UTF-8 becomes U+FFFD and does not truncate the text. Code
// points that LLVM's tables do not list as printable are not escaped.
void AppendRemarkYaml(const Remark& remark, std::string& out);

// Returns the remark as a line for people: "remark: file:3:7: message (hotness: 10)". Without a location it names the
// function and the pass: "remark: function 'f': machine-sink: message". Failures are warnings.
std::string RemarkLine(const Remark& remark);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_REMARK_H_
