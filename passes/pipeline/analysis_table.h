// SPDX-License-Identifier: Apache-2.0

// The one table of analyses: what -passes='print<x>' and --print-passes know of them.

#ifndef PTXMIR_PASSES_PIPELINE_ANALYSIS_TABLE_H_
#define PTXMIR_PASSES_PIPELINE_ANALYSIS_TABLE_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "analysis/analysis_kinds.h"
#include "analysis/analysis_manager.h"

namespace ptxmir {

struct AnalysisInfo {
  AnalysisKind kind;
  std::string_view name;         // the reference's
  std::string_view alias;        // LLVM's, where it differs
  std::string_view description;  // LLVM's, where LLVM has the analysis
  // Asks the manager for it. Null: no such analysis here.
  Analysis& (*get)(AnalysisManager&);

  bool is_implemented() const { return get != nullptr; }
};

// By AnalysisKind.
absl::Span<const AnalysisInfo> AnalysisTable();

// By name or alias. Null when there is no analysis of that name.
const AnalysisInfo* FindAnalysis(std::string_view name);

// "unknown analysis 'x'", with the nearest known name when one is near.
std::string UnknownAnalysisMessage(std::string_view name);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_ANALYSIS_TABLE_H_
