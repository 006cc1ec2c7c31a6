// SPDX-License-Identifier: Apache-2.0

// Optimization remarks: what a pass did, did not do and why, or found out, for the user. In LLVM's form, so that
// what reads LLVM's remarks (llvm-remarkutil, llvm-opt-report, opt-viewer) reads ours.
//
// This is the finished remark, which owns all of its text. Passes make it with MachineRemark
// (analysis/machine_opt_remark_emitter.h).

#ifndef PTXMIR_MIR_TEXT_REMARK_H_
#define PTXMIR_MIR_TEXT_REMARK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

enum class RemarkKind : uint8_t { kPassed, kMissed, kAnalysis, kAnalysisFPCommute, kAnalysisAliasing, kFailure };
// As LLVM writes it: "AnalysisFPCommute".
std::string_view RemarkKindName(RemarkKind kind);

struct SourceLocation {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

// A piece of a remark's message. What is plain text has the key "String".
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
  std::string function;
  std::optional<SourceLocation> location;
  std::optional<uint64_t> hotness;
  std::vector<RemarkArgument> arguments;

  // The values of all arguments, one behind the other.
  std::string Message() const;
  friend bool operator==(const Remark&, const Remark&) = default;
};

// Where the DILocation `loc` stands: the file of its scope, also for code that was inlined. None when there is no
// location or its metadata is not as it should be.
std::optional<SourceLocation> ResolveDebugLocation(const MachineFunction& function, MetadataId loc);
// Where the function begins in the source.
std::optional<SourceLocation> FunctionLocation(const MachineFunction& function);

// Appends the remark as a YAML document, byte for byte as LLVM writes it. Differences: text that LLVM would write so
// that it is not read back the same (block scalars that begin or end with white space or hold control characters) is
// quoted, bytes that are not UTF-8 become U+FFFD one by one and do not cut the text off, and code points that LLVM's
// tables do not know as printable are not escaped.
void AppendRemarkYaml(const Remark& remark, std::string& out);

// "remark: file:3:7: message (hotness: 10)", a line as LLVM's tools print it on stderr. Failures are warnings.
std::string RemarkLine(const Remark& remark);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_REMARK_H_
