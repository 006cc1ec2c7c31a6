// SPDX-License-Identifier: Apache-2.0

#include "analysis/control_flow/machine_loops.h"

#include <vector>

#include "analysis/control_flow/machine_dominators.h"
#include "base/str_cat.h"

namespace ptxmir {

MachineLoops::MachineLoops(MachineFunction& function, AnalysisManager& analyses)
    : MachineLoops(function, analyses.Get<MachineDominatorTree>()) {}

MachineLoops::MachineLoops(const MachineFunction& function, const DominatorTree& dominators) : CycleForest(function) {
  OutermostCycles cycles(function.block_number_bound());
  std::vector<FoundCycle> found;
  std::vector<MachineBasicBlock*> worklist;
  const std::vector<BlockNumber> preorder = dominators.Preorder();
  for (size_t i = preorder.size(); i-- > 0;) {
    MachineBasicBlock* header = function.block(preorder[i]);
    worklist.clear();
    for (MachineBasicBlock* latch : header->predecessors()) {
      if (dominators.Contains(*latch) && dominators.Dominates(*header, *latch)) worklist.push_back(latch);
    }
    if (worklist.empty()) continue;
    const CycleId loop = cycles.Add();
    found.push_back({.entries = {header}});
    cycles.Put(header->number(), loop);
    while (!worklist.empty()) {
      MachineBasicBlock* block = worklist.back();
      worklist.pop_back();
      if (!dominators.Contains(*block)) continue;
      const CycleId inner = cycles.Outermost(block->number());
      if (inner == loop) continue;
      if (inner == kNoCycle) {
        cycles.Put(block->number(), loop);
      } else {
        // Continues from the header of the inner loop. Its latches lead to nothing new.
        cycles.PutCycle(inner, loop);
        block = found[inner].entries.front();
      }
      for (MachineBasicBlock* predecessor : block->predecessors()) worklist.push_back(predecessor);
    }
  }
  for (CycleId loop = 0; loop < found.size(); ++loop) found[loop].parent = cycles.Parent(loop);
  Build(DepthFirstOrder(function), found, cycles.TakeInnermost());
}

void MachineLoops::Print(std::string& out) const {
  for (CycleId loop = 0; loop < num_cycles(); ++loop) {
    out.append(4 * size_t{Depth(loop) - 1}, ' ');
    StrAppend(&out, "Loop at depth ", Depth(loop), " containing: ");
    bool is_first = true;
    for (const MachineBasicBlock* block : Blocks(loop)) {
      if (!is_first) out += ",";
      is_first = false;
      StrAppend(&out, "%bb.", block->number());
      if (block == Header(loop)) out += "<header>";
      if (block->IsSuccessor(Header(loop))) out += "<latch>";
      for (const MachineBasicBlock* successor : block->successors()) {
        if (Contains(loop, *successor)) continue;
        out += "<exiting>";
        break;
      }
    }
    out += "\n";
  }
}

}  // namespace ptxmir
