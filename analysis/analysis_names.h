// SPDX-License-Identifier: Apache-2.0

// The names of the analyses as print<name> and diagnostics spell them. They are LLVM's names where LLVM has the
// analysis.

#ifndef PTXMIR_ANALYSIS_ANALYSIS_NAMES_H_
#define PTXMIR_ANALYSIS_ANALYSIS_NAMES_H_

#include <array>
#include <string_view>

#include "analysis/analysis_kinds.h"

namespace ptxmir {

// Indexed by AnalysisKind.
inline constexpr std::array<std::string_view, kNumAnalyses> kAnalysisNames = {
    "slot-indexes",
    "live-variables",
    "live-intervals",
    "live-reg-matrix",
    "virtregmap",
    "machine-dom-tree",
    "machine-post-dom-tree",
    "machine-loops",
    "machine-cycles",
    "machine-branch-prob",
    "machine-block-freq",
    "edge-bundles",
    "spill-code-placement",
    "regalloc-evict",
    "regalloc-priority",
    "machine-trace-metrics",
    "machine-opt-remark-emitter",
    "reaching-definitions",
    "memory-dependence",
    "uniformity",
    "known-bits",
    "machine-rpa",
};

constexpr std::string_view AnalysisName(AnalysisKind kind) { return kAnalysisNames[static_cast<size_t>(kind)]; }

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_ANALYSIS_NAMES_H_
