// SPDX-License-Identifier: Apache-2.0

#include "analysis/frequency/machine_trace_metrics.h"

#include "analysis/control_flow/machine_loops.h"
#include "base/str_cat.h"
#include "mir/text/mir_writer.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

std::string Name(const MachineBasicBlock* block) { return block == nullptr ? "null" : StrCat("%bb.", block->number()); }

}  // namespace

MachineTraceMetrics::MachineTraceMetrics(MachineFunction& function, AnalysisManager& analyses)
    : function_(function), ensemble_(function, analyses.Get<MachineLoops>()) {}

void MachineTraceMetrics::Print(std::string& out) const {
  StrAppend(&out, "MinInstr ensemble:\n");
  for (const MachineBasicBlock& block : function_) {
    StrAppend(&out, "  %bb.", block.number(), "\tdepth=", ensemble_.InstrDepth(block),
              " pred=", Name(ensemble_.TracePredecessor(block)), " head=", Name(&ensemble_.Head(block)), " +instrs, ");
    StrAppend(&out, "height=", ensemble_.InstrHeight(block), " succ=", Name(ensemble_.TraceSuccessor(block)),
              " tail=", Name(&ensemble_.Tail(block)), " +instrs, crit=", ensemble_.CriticalPath(block), "\n");
  }
  for (const MachineBasicBlock& block : function_) {
    StrAppend(&out, "%bb.", block.number(), ": ", ensemble_.InstrCount(block), " instrs",
              ensemble_.HasCalls(block) ? " with calls" : "", ", resources");
    const TraceResources& resources = ensemble_.Resources(block);
    for (size_t i = 0; i < resources.size(); ++i) {
      if (resources[i] == 0) continue;
      StrAppend(&out, " ", ptx::LatencyClassName(static_cast<ptx::LatencyClass>(i)), "=", resources[i]);
    }
    StrAppend(&out, ", of the trace ", ensemble_.ResourceLength(block), "\n");
    if (!block.empty()) StrAppend(&out, "  depth\theight\tslack\n");
    for (const MachineInstr& instr : block) {
      if (instr.is_debug()) continue;
      const TraceEnsemble::InstrCycles cycles = ensemble_.Cycles(instr);
      StrAppend(&out, "  ", cycles.depth, "\t", cycles.height, "\t", ensemble_.Slack(instr), "\t");
      WriteInstr(instr, {}, out);
      StrAppend(&out, "\n");
    }
  }
}

std::string MachineTraceMetrics::DifferenceFrom(const Analysis& fresh) const {
  TraceEnsemble& other = static_cast<const MachineTraceMetrics&>(fresh).ensemble_;
  for (const MachineBasicBlock& block : function_) {
    const auto differ = [&](std::string_view what) { return StrCat(what, " of %bb.", block.number(), " differs"); };
    if (ensemble_.InstrCount(block) != other.InstrCount(block)) return differ("the number of instructions");
    if (ensemble_.HasCalls(block) != other.HasCalls(block)) return differ("the presence of calls");
    if (ensemble_.TracePredecessor(block) != other.TracePredecessor(block)) return differ("the trace predecessor");
    if (ensemble_.TraceSuccessor(block) != other.TraceSuccessor(block)) return differ("the trace successor");
    if (&ensemble_.Head(block) != &other.Head(block)) return differ("the head");
    if (&ensemble_.Tail(block) != &other.Tail(block)) return differ("the tail");
    if (ensemble_.InstrDepth(block) != other.InstrDepth(block)) return differ("the depth");
    if (ensemble_.InstrHeight(block) != other.InstrHeight(block)) return differ("the height");
    if (ensemble_.ResourceDepth(block, true) != other.ResourceDepth(block, true)) return differ("the resource depth");
    if (ensemble_.ResourceLength(block) != other.ResourceLength(block)) return differ("the resource length");
    for (const MachineInstr& instr : block) {
      if (instr.is_debug()) continue;
      const TraceEnsemble::InstrCycles cycles = ensemble_.Cycles(instr), expected = other.Cycles(instr);
      if (cycles == expected) continue;
      std::string text = StrCat("depth and height ", cycles.depth, " ", cycles.height, " (should be ", expected.depth,
                                " ", expected.height, ") of ");
      WriteInstr(instr, {}, text);
      return StrCat(text, " in %bb.", block.number(), " differ");
    }
    if (ensemble_.CriticalPath(block) != other.CriticalPath(block)) return differ("the critical path");
  }
  return "";
}

}  // namespace ptxmir
