// SPDX-License-Identifier: Apache-2.0

// Draws control flow graphs for Graphviz: -dot-cfg, and -print-changed=dot-cfg, which shows two versions in one
// picture.

#ifndef PTXMIR_PASSES_RUN_CFG_DOT_H_
#define PTXMIR_PASSES_RUN_CFG_DOT_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "mir/code/machine_function.h"

namespace ptxmir {

// A control flow graph as text, which no longer depends on the function.
struct CfgText {
  std::map<BlockNumber, std::string> blocks;            // each block as in a dump, keyed by its number
  std::set<std::pair<BlockNumber, BlockNumber>> edges;  // from a block to its successor
};
CfgText TextOfCfg(const MachineFunction& function);

// Returns the picture of a graph that was `before` and is `after`. What is in both is black, what was removed is red,
// and what was added is green. Two equal graphs make the picture of one.
std::string CfgDot(std::string_view title, const CfgText& before, const CfgText& after);

// Returns the part of a file's name that stands for a function. It has only characters that are safe in file names.
// Names of functions that differ have different parts.
std::string FileNamePart(std::string_view function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_CFG_DOT_H_
