#include "passes/pass_table.h"

#include <algorithm>

#include "mir/nearest_name.h"
#include "mir/str_cat.h"
#include "passes/forward_params.h"
#include "passes/nvptx_peephole.h"
#include "passes/phi_elimination.h"
#include "passes/post_ra_pseudos.h"
#include "passes/prolog_epilog.h"
#include "passes/proxy_reg_erasure.h"
#include "passes/register_checker.h"
#include "passes/two_address.h"

namespace ptxmir {
namespace {

// Selection is done before MIR is written, and NVPTX has no pseudo instruction that this pass would expand
// (no opcode has a custom inserter): the pass marks the place where the pipeline begins.
PassResult RunFinalizeIsel(MachineFunction&, PassContext&) { return {}; }

// Only reports: MIR at this point is what the printer gets.
PassResult RunStackFrameLayout(MachineFunction&, PassContext&) { return {}; }

constexpr MachineFunctionPass kAbsent = nullptr;

// Beyond every -O level: runs where -run-pass asks for it.
constexpr int kOnRequest = 4;

constexpr PassInfo kPasses[] = {
    {"finalize-isel", "Finalize ISel and expand pseudo-instructions", RunFinalizeIsel, 0},
    {"early-tailduplication", "Early Tail Duplication", kAbsent, 1},
    {"opt-phis", "Optimize machine instruction PHIs", kAbsent, 1},
    {"stack-coloring", "Merge disjoint stack slots", kAbsent, 1},
    {"localstackalloc", "Local Stack Slot Allocation", kAbsent, 0},
    {"dead-mi-elimination", "Remove dead machine instructions", kAbsent, 1},
    {"early-machinelicm", "Early Machine Loop Invariant Code Motion", kAbsent, 1},
    {"machine-cse", "Machine Common Subexpression Elimination", kAbsent, 1},
    {"machine-sink", "Machine code sinking", kAbsent, 1},
    {"peephole-opt", "Peephole Optimizations", kAbsent, 1},
    {"nvptx-forward-params", "NVPTX Forward Params", RunForwardParams, 0},
    {"nvptx-proxyreg-erasure", "NVPTX Proxy Register Instruction Erasure", RunProxyRegErasure, 0},
    {"processimpdefs", "Process Implicit Definitions", kAbsent, 1},
    {"unreachable-mbb-elimination", "Remove unreachable machine basic blocks", kAbsent, 1},
    {"livevars", "Live Variable Analysis", kAbsent, 1},
    {"phi-node-elimination", "Eliminate PHI nodes for register allocation", RunPhiElimination, 0},
    {"twoaddressinstruction", "Two-Address instruction pass", RunTwoAddress, 0},
    {"register-checker-begin", "Remember the function for the register checker", RunRegisterCheckerBegin, kOnRequest},
    {"register-coalescer", "Register Coalescer", kAbsent, 1},
    {"machine-scheduler", "Machine Instruction Scheduler", kAbsent, 1},
    {"stack-slot-coloring", "Stack Slot Coloring", kAbsent, 1},
    {"register-checker", "Prove that register allocation kept every value", RunRegisterChecker, kOnRequest},
    {"nvptx-prolog-epilog", "NVPTX Prolog Epilog Pass", RunPrologEpilog, 0},
    {"nvptx-peephole", "NVPTX optimize redundant cvta.to.local instruction", RunNvptxPeephole, 1},
    {"removeredundantdebugvalues", "Remove Redundant DEBUG_VALUE analysis", kAbsent, 1},
    {"fixup-statepoint-caller-saved", "Fixup Statepoint Caller Saved", kAbsent, 1},
    {"branch-folder", "Control Flow Optimizer", kAbsent, 1},
    {"postrapseudos", "Post-RA pseudo instruction expansion pass", RunPostRaPseudos, 0},
    {"gc-analysis", "Analyze Machine Code For Garbage Collection", kAbsent, 1},
    {"block-placement", "Branch Probability Basic Block Placement", kAbsent, 1},
    {"fentry-insert", "Insert fentry calls", kAbsent, 1},
    {"xray-instrumentation", "Insert XRay ops", kAbsent, 1},
    {"livedebugvalues", "Live DEBUG_VALUE analysis", kAbsent, 1},
    {"machine-sanmd", "Machine Sanitizer Binary Metadata", kAbsent, 1},
    {"stack-frame-layout", "Stack Frame Layout Analysis", RunStackFrameLayout, 0},
};

}  // namespace

absl::Span<const PassInfo> PassTable() { return kPasses; }

const PassInfo* FindPass(std::string_view name) {
  const auto it = std::find_if(std::begin(kPasses), std::end(kPasses),
                               [&](const PassInfo& pass) { return pass.name == name; });
  return it == std::end(kPasses) ? nullptr : it;
}

std::string UnknownPassMessage(std::string_view name) {
  NearestName nearest(name);
  for (const PassInfo& pass : kPasses) nearest.Consider(pass.name);
  return StrCat("unknown pass '", name, "'", nearest.Suggestion());
}

}  // namespace ptxmir
