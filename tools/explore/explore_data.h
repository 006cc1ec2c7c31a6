// SPDX-License-Identifier: Apache-2.0

// The data of -explore as JSON (docs/explore.md describes it).

#ifndef PTXMIR_TOOLS_EXPLORE_EXPLORE_DATA_H_
#define PTXMIR_TOOLS_EXPLORE_EXPLORE_DATA_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ir/module.h"
#include "mir/text/remark.h"
#include "options/knobs.h"
#include "passes/report/function_history.h"
#include "tools/explore/ptxas_rows.h"
#include "tools/explore/source_files.h"

namespace ptxmir {

// One compilation.
struct ExploredVersion {
  std::string label;
  std::string command;
  const Module* module;
  const HistoryBook* history;
  const std::vector<Remark>* remarks;
  PtxasTable ptxas;
};

struct ExploreData {
  std::string title;
  std::string tool;
  std::string command;
  const Knobs* knobs;  // of the first version
  SourceFiles sources;
  std::vector<ExploredVersion> versions;
};

// Appends the data as JSON, which may stand in a script element of HTML: no "<" is in it. If they take more than
// `max_bytes`, parts are left out, and `notes` in the data say which: first the live ranges, then the code of all but
// the first and the last version of each kind, then all code. 0: no limit.
void AppendExploreJson(const ExploreData& data, size_t max_bytes, std::string& out);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_EXPLORE_EXPLORE_DATA_H_
