// SPDX-License-Identifier: Apache-2.0

#include "analysis/control_flow/machine_cycles.h"

#include <algorithm>
#include <vector>

#include "base/str_cat.h"

namespace ptxmir {

MachineCycles::MachineCycles(const MachineFunction& function) : CycleForest(function) {
  // LLVM's search visits the last successor first, which decides the header of an irreducible cycle.
  const DepthFirstOrder order(function, SuccessorOrder::kLastToFirst);
  OutermostCycles cycles(function.block_number_bound());
  std::vector<FoundCycle> found;
  std::vector<MachineBasicBlock*> worklist;
  for (size_t i = order.preorder.size(); i-- > 0;) {
    MachineBasicBlock* header = order.preorder[i];
    const auto is_below_header = [&](const MachineBasicBlock* block) {
      return order.IsReached(block->number()) && order.IsAncestor(header->number(), block->number());
    };
    worklist.clear();
    for (MachineBasicBlock* latch : header->predecessors()) {
      if (is_below_header(latch)) worklist.push_back(latch);
    }
    if (worklist.empty()) continue;
    const CycleId cycle = cycles.Add();
    found.push_back({.entries = {header}});
    cycles.Put(header->number(), cycle);
    const auto follow_predecessors = [&](MachineBasicBlock* block) {
      bool is_entry = false;
      for (MachineBasicBlock* predecessor : block->predecessors()) {
        if (is_below_header(predecessor)) {
          worklist.push_back(predecessor);
        } else {
          is_entry |= order.IsReached(predecessor->number());
        }
      }
      if (is_entry) found[cycle].entries.push_back(block);
    };
    while (!worklist.empty()) {
      MachineBasicBlock* block = worklist.back();
      worklist.pop_back();
      const CycleId inner = cycles.Outermost(block->number());
      if (inner == cycle) continue;
      if (inner == kNoCycle) {
        cycles.Put(block->number(), cycle);
        follow_predecessors(block);
      } else {
        cycles.PutCycle(inner, cycle);
        for (MachineBasicBlock* entry : found[inner].entries) follow_predecessors(entry);
      }
    }
  }
  for (CycleId cycle = 0; cycle < found.size(); ++cycle) found[cycle].parent = cycles.Parent(cycle);
  Build(order, found, cycles.TakeInnermost());
}

void MachineCycles::Print(std::string& out) const {
  for (CycleId cycle = 0; cycle < num_cycles(); ++cycle) {
    out.append(4 * size_t{Depth(cycle)}, ' ');
    StrAppend(&out, "depth=", Depth(cycle), ": entries(");
    const auto entries = Entries(cycle);
    for (size_t i = 0; i < entries.size(); ++i) StrAppend(&out, i == 0 ? "" : " ", "%bb.", entries[i]->number());
    out += ")";
    for (const MachineBasicBlock* block : Blocks(cycle)) {
      if (std::find(entries.begin(), entries.end(), block) == entries.end()) StrAppend(&out, " %bb.", block->number());
    }
    out += "\n";
  }
}

}  // namespace ptxmir
