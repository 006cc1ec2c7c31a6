// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeline/pass_table.h"

#include <iterator>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "analysis/pressure/extra_machine_instr_printer.h"
#include "base/nearest_name.h"
#include "base/str_cat.h"
#include "ir/passes/globals/assign_valid_global_names.h"
#include "ir/passes/globals/generic_to_nvvm.h"
#include "ir/passes/globals/generic_variables.h"
#include "ir/passes/globals/global_array_alignment.h"
#include "ir/passes/globals/lower_ctor_dtor.h"
#include "ir/passes/globals/valid_names.h"
#include "ir/passes/ipo/expand_variadics.h"
#include "ir/passes/ipo/inliner.h"
#include "ir/passes/ipo/space_propagation.h"
#include "ir/passes/nvptx/alloca_hoisting.h"
#include "ir/passes/nvptx/codegen_prepare.h"
#include "ir/passes/nvptx/image_optimizer.h"
#include "ir/passes/nvptx/infer_address_spaces.h"
#include "ir/passes/nvptx/intr_range.h"
#include "ir/passes/nvptx/lower_args.h"
#include "ir/passes/nvptx/nvvm_reflect.h"
#include "ir/passes/nvptx/relax_atomics.h"
#include "ir/passes/nvptx/tag_invariant_loads.h"
#include "ir/passes/scalar/base_address_sr.h"
#include "ir/passes/scalar/dce.h"
#include "ir/passes/scalar/early_cse.h"
#include "ir/passes/scalar/infer_alignment.h"
#include "ir/passes/scalar/separate_const_offset.h"
#include "ir/passes/scalar/simplify_cfg.h"
#include "ir/passes/scalar/sroa.h"
#include "passes/addresses/induction_merge.h"
#include "passes/allocate/greedy_register_allocator.h"
#include "passes/allocate/regalloc_fast.h"
#include "passes/allocate/spill/shared_spill_slots.h"
#include "passes/allocate/virt_reg_rewriter.h"
#include "passes/allocate/wide_register_splitting.h"
#include "passes/combine/machine_combiner.h"
#include "passes/control_flow/early_if_conversion.h"
#include "passes/control_flow/tail_duplication.h"
#include "passes/copies/copy_propagation.h"
#include "passes/copies/late_cleanup.h"
#include "passes/copies/opt_phis.h"
#include "passes/copies/redundant_debug_values.h"
#include "passes/copies/redundant_moves.h"
#include "passes/copies/unreachable_blocks.h"
#include "passes/frame/mem2reg.h"
#include "passes/frame/prolog_epilog.h"
#include "passes/frame/stack_coloring.h"
#include "passes/frame/stack_frame_layout.h"
#include "passes/frame/stack_slot_coloring.h"
#include "passes/integers/narrow_integers.h"
#include "passes/integers/trunc_opts.h"
#include "passes/layout/block_placement.h"
#include "passes/layout/branch_folder.h"
#include "passes/lower/assign_valid_names.h"
#include "passes/lower/forward_params.h"
#include "passes/lower/generic_to_nvvm.h"
#include "passes/lower/post_ra_pseudos.h"
#include "passes/lower/process_implicit_defs.h"
#include "passes/lower/proxy_reg_erasure.h"
#include "passes/lower/two_address.h"
#include "passes/memory/infer_address_spaces.h"
#include "passes/memory/ldg_transform.h"
#include "passes/memory/load_store_vectorizer.h"
#include "passes/memory/param_opt.h"
#include "passes/motion/machine_licm.h"
#include "passes/motion/machine_sink.h"
#include "passes/motion/postra_licm.h"
#include "passes/motion/postra_sink.h"
#include "passes/motion/pressure_sink.h"
#include "passes/nvptx/image_handles.h"
#include "passes/nvptx/nvptx_peephole.h"
#include "passes/out_of_ssa/phi_elimination.h"
#include "passes/out_of_ssa/register_coalescer.h"
#include "passes/outline/machine_outliner.h"
#include "passes/peephole/peephole_opt.h"
#include "passes/pipeliner/machine_pipeliner.h"
#include "passes/register_check/register_checker.h"
#include "passes/remat/block_remat.h"
#include "passes/schedule/machine_scheduler.h"
#include "passes/schedule/post_ra_scheduler.h"
#include "passes/ssa/dead_instr_elimination.h"
#include "passes/ssa/machine_cse.h"

namespace ptxmir {
namespace {

// Instruction selection is complete before MIR is written, and NVPTX has no pseudo instruction that this pass
// would expand (no opcode has a custom inserter). The pass only marks the place where the pipeline begins.
PassResult RunFinalizeIsel(MachineFunction&, PassContext&) { return {}; }

PassResult RunExtraMachineInstrPrinter(MachineFunction& function, PassContext& context) {
  PrintExtraMachineInstrInfo(function, context.analyses, context.log);
  return {};
}

using P = FunctionProperty;
constexpr PassOrigin kNvidia = PassOrigin::kNvidia;
constexpr PassOrigin kPtxmir = PassOrigin::kPtxmir;

constexpr std::string_view kNothingToDo = "PTX gives it nothing to do";
constexpr std::string_view kOnIr = "it works on LLVM IR, before there is machine code";

constexpr PassInfo kPasses[] = {
    // Stock LLVM.
    {.name = "finalize-isel", .description = "Finalize ISel and expand pseudo-instructions", .run = RunFinalizeIsel},
    {.name = "opt-phis", .description = "Optimize machine instruction PHIs", .run = RunOptPhis},
    {.name = "early-tailduplication", .description = "Early Tail Duplication", .run = RunEarlyTailDuplication},
    {.name = "stack-coloring", .description = "Merge disjoint stack slots", .run = RunStackColoring},
    {.name = "localstackalloc",
     .description = "Local Stack Slot Allocation",
     .absence = "frames are addressed from one base register with any offset"},
    {.name = "dead-mi-elimination", .description = "Remove dead machine instructions", .run = RunDeadInstrElimination},
    {.name = "early-ifcvt", .description = "Early If Converter", .run = RunEarlyIfConversion},
    {.name = "machine-combiner", .description = "Machine InstCombiner", .run = RunMachineCombiner},
    {.name = "early-machinelicm",
     .description = "Early Machine Loop Invariant Code Motion",
     .run = RunEarlyMachineLicm,
     .is_loop_pass = true},
    {.name = "machine-cse", .description = "Machine Common Subexpression Elimination", .run = RunMachineCse},
    {.name = "machine-sink", .description = "Machine code sinking", .run = RunMachineSink},
    {.name = "peephole-opt",
     .description = "Peephole Optimizations",
     .run = RunPeepholeOpt,
     .required_properties = P::kIsSsa,
     .may_change_rounding = true},
    {.name = "pipeliner",
     .alias = "machine-pipeliner",
     .description = "Modulo Software Pipelining",
     .run = RunMachinePipeliner,
     .is_loop_pass = true},
    {.name = "detect-dead-lanes", .description = "Detect Dead Lanes", .absence = "PTX registers have no lanes"},
    {.name = "init-undef", .description = "Init Undef Pass", .absence = kNothingToDo},
    {.name = "processimpdefs",
     .alias = "process-imp-defs",
     .description = "Process Implicit Definitions",
     .run = RunProcessImplicitDefs},
    {.name = "unreachable-mbb-elimination",
     .description = "Remove unreachable machine basic blocks",
     .run = RunUnreachableBlockElimination},
    {.name = "livevars",
     .description = "Live Variable Analysis",
     .absence = "it is an analysis here, computed where it is asked for: live-variables"},
    {.name = "phi-node-elimination",
     .description = "Eliminate PHI nodes for register allocation",
     .run = RunPhiElimination,
     .set_properties = P::kNoPhis,
     .cleared_properties = P::kIsSsa},
    {.name = "twoaddressinstruction",
     .alias = "two-address-instruction",
     .description = "Two-Address instruction pass",
     .run = RunTwoAddress,
     .required_properties = P::kNoPhis,
     .cleared_properties = P::kIsSsa},
    {.name = "register-coalescer",
     .description = "Register Coalescer",
     .run = RunRegisterCoalescer,
     .required_properties = P::kNoPhis},
    {.name = "rename-independent-subregs",
     .description = "Rename Independent Subregisters",
     .absence = "PTX registers have no lanes"},
    {.name = "machine-scheduler",
     .description = "Machine Instruction Scheduler",
     .run = RunMachineScheduler,
     .required_properties = P::kNoPhis},
    {.name = "greedy",
     .description = "Greedy Register Allocator",
     .run = RunGreedyRegisterAllocator,
     .required_properties = P::kNoPhis,
     .cleared_properties = P::kIsSsa},
    {.name = "regallocfast",
     .alias = "regalloc-fast",
     .description = "Fast Register Allocator",
     .run = RunFastRegisterAllocator,
     .required_properties = P::kNoPhis,
     .cleared_properties = P::kIsSsa},
    {.name = "virtregrewriter",
     .alias = "virt-reg-rewriter",
     .description = "Virtual Register Rewriter",
     .run = RunVirtRegRewriter,
     .required_properties = P::kNoPhis,
     .cleared_properties = P::kIsSsa},
    {.name = "stack-slot-coloring",
     .description = "Stack Slot Coloring",
     .run = RunStackSlotColoring,
     .required_properties = P::kNoPhis},
    {.name = "machinelicm",
     .description = "Machine Loop Invariant Code Motion",
     .run = RunPostRaMachineLicm,
     .required_properties = P::kNoPhis,
     .is_loop_pass = true},
    {.name = "removeredundantdebugvalues",
     .alias = "remove-redundant-debug-values",
     .description = "Remove Redundant DEBUG_VALUE analysis",
     .run = RunRedundantDebugValueRemoval},
    {.name = "fixup-statepoint-caller-saved", .description = "Fixup Statepoint Caller Saved", .absence = kNothingToDo},
    {.name = "postra-machine-sink",
     .description = "PostRA Machine Sink",
     .run = RunPostRaMachineSink,
     .required_properties = P::kNoPhis},
    {.name = "shrink-wrap", .description = "Shrink Wrapping analysis", .absence = "PTX has no callee-saved registers"},
    {.name = "prologepilog",
     .alias = "prolog-epilog",
     .description = "Prologue/Epilogue Insertion & Frame Finalization",
     .absence = "nvptx-prolog-epilog does its ten phases"},
    {.name = "machine-latecleanup",
     .description = "Machine Late Instructions Cleanup Pass",
     .run = RunLateInstrsCleanup,
     .required_properties = P::kNoPhis},
    {.name = "branch-folder",
     .description = "Control Flow Optimizer",
     .run = RunBranchFolder,
     .required_properties = P::kNoPhis},
    {.name = "machine-cp", .description = "Machine Copy Propagation Pass", .run = RunMachineCopyPropagation},
    {.name = "tailduplication",
     .description = "Tail Duplication",
     .run = RunTailDuplication,
     .required_properties = P::kNoPhis,
     .cleared_properties = P::kIsSsa},
    {.name = "postrapseudos",
     .alias = "post-ra-pseudos",
     .description = "Post-RA pseudo instruction expansion pass",
     .run = RunPostRaPseudos},
    {.name = "post-RA-sched",
     .description = "Post RA top-down list latency scheduler",
     .run = RunPostRaScheduler,
     .required_properties = P::kNoPhis},
    {.name = "postmisched",
     .description = "PostRA Machine Instruction Scheduler",
     .run = RunPostMachineScheduler,
     .required_properties = P::kNoPhis},
    {.name = "post-RA-hazard-rec", .description = "Post RA hazard recognizer", .absence = "ptxas knows the hazards"},
    {.name = "gc-analysis", .description = "Analyze Machine Code For Garbage Collection", .absence = kNothingToDo},
    {.name = "block-placement",
     .description = "Branch Probability Basic Block Placement",
     .run = RunBlockPlacement,
     .required_properties = P::kNoPhis},
    {.name = "block-placement-stats", .description = "Basic Block Placement Stats", .absence = "-stats says it"},
    {.name = "machine-outliner",
     .description = "Machine Function Outliner",
     .run_on_module = RunMachineOutliner,
     .required_properties = P::kNoPhis},
    {.name = "fentry-insert", .description = "Insert fentry calls", .absence = kNothingToDo},
    {.name = "xray-instrumentation", .description = "Insert XRay ops", .absence = kNothingToDo},
    {.name = "patchable-function",
     .description = "Implement the 'patchable-function' attribute",
     .absence = kNothingToDo},
    {.name = "branch-relaxation",
     .alias = "branch-relaxation-pass",
     .description = "Branch relaxation pass",
     .absence = "branches of PTX reach everywhere"},
    {.name = "livedebugvalues",
     .alias = "live-debug-values",
     .description = "Live DEBUG_VALUE analysis",
     .absence = "the PTX writer follows variables itself (ptx/dwarf/dwarf_history.h)"},
    {.name = "machine-sanmd", .description = "Machine Sanitizer Binary Metadata", .absence = kNothingToDo},
    {.name = "RegUsageInfoCollector",
     .alias = "reg-usage-collector",
     .description = "Register Usage Information Collector",
     .absence = "calls of PTX clobber no registers"},
    {.name = "reg-usage-propagation",
     .description = "Register Usage Information Propagation",
     .absence = "calls of PTX clobber no registers"},
    {.name = "stack-frame-layout", .description = "Stack Frame Layout Analysis", .run = RunStackFrameLayout},
    {.name = "sroa", .description = "Scalar Replacement Of Aggregates", .absence = kOnIr, .run_on_ir = RunSroa},
    {.name = "early-cse", .description = "Early CSE", .absence = kOnIr, .run_on_ir = RunEarlyCse},
    {.name = "infer-alignment",
     .description = "Infer the alignment of accesses",
     .absence = kOnIr,
     .run_on_ir = RunInferAlignment},
    {.name = "separate-const-offset-from-gep",
     .description = "Split GEPs to a variadic base and a constant offset for better CSE",
     .absence = kOnIr,
     .run_on_ir = RunSeparateConstOffset},
    {.name = "codegenprepare",
     .description = "Optimize for code generation",
     .absence = kOnIr,
     .run_on_ir = RunCodeGenPrepare},
    {.name = "dce", .alias = "adce", .description = "Dead Code Elimination", .absence = kOnIr, .run_on_ir = RunIrDce},
    {.name = "simplifycfg", .description = "Simplify the CFG", .absence = kOnIr, .run_on_ir = RunSimplifyCfg},
    {.name = "expand-variadics",
     .description = "Expand variadic functions",
     .absence = kOnIr,
     .run_on_program = RunExpandVariadics},
    {.name = "inline", .description = "Function Integration/Inlining", .absence = kOnIr, .run_on_program = RunInliner},
    {.name = "always-inline",
     .description = "Inliner for always_inline functions",
     .absence = kOnIr,
     .run_on_program = RunAlwaysInliner},

    // NVIDIA's.
    {.name = "alloca-hoisting",
     .description = "Hoisting alloca instructions in non-entry blocks to the entry block",
     .origin = kNvidia,
     .absence = kOnIr,
     .run_on_ir = RunAllocaHoisting},
    {.name = "generic-to-nvvm",
     .description = "Ensure that the global variables are in the global address space",
     .origin = kNvidia,
     .run_on_module = RunGenericToNvvm,
     .is_needed = HasVariablesInGenericSpace,
     .run_on_program = RunGenericToNvvmOnIr},
    {.name = "nvptx-assign-valid-global-names",
     .description = "Assign valid PTX names to globals",
     .origin = kNvidia,
     .run_on_module = RunAssignValidNames,
     .is_needed = HasIllegalNames,
     .renames_globals = true,
     .run_on_program = RunAssignValidGlobalNames},
    {.name = "nvptx-lower-ctor-dtor",
     .description = "Lower ctors and dtors for NVPTX",
     .origin = kNvidia,
     .absence = kOnIr,
     .run_on_program = RunLowerCtorDtor},
    {.name = "nvptx-set-global-array-alignment",
     .description = "Align arrays for wide accesses",
     .origin = kNvidia,
     .absence = kOnIr,
     .run_on_program = RunSetGlobalArrayAlignment},
    {.name = "lower-struct-args",
     .description = "Copy structures that kernels receive to the stack",
     .origin = kNvidia,
     .absence = kOnIr,
     .run_on_program = RunLowerStructArgs},
    {.name = "base-address-sr",
     .description = "Base Address Strength Reduction",
     .origin = kNvidia,
     .absence = kOnIr,
     .run_on_ir = RunBaseAddressSr},
    {.name = "nvvm-intr-range",
     .description = "Add !range metadata to NVVM intrinsics.",
     .origin = kNvidia,
     .absence = kOnIr,
     .run_on_program = RunIntrRange},
    {.name = "nvvm-reflect",
     .description = "Replace occurrences of __nvvm_reflect() calls with 0/1",
     .origin = kNvidia,
     .absence = kOnIr,
     .run_on_program = RunNvvmReflect},
    {.name = "nvvm-reflect-pp",
     .description = "Fold the branches that nvvm-reflect decides",
     .origin = kNvidia,
     .absence = kOnIr,
     .run_on_ir = RunNvvmReflectPp},
    {.name = "nvptx-lower-args",
     .description = "Lower pointer arguments of CUDA kernels",
     .origin = kNvidia,
     .absence = kOnIr,
     .run_on_program = RunLowerArgs},
    {.name = "relax-atomicrmw",
     .description = "Relax atomic operations as llc does",
     .origin = kPtxmir,
     .absence = kOnIr,
     .run_on_program = RunRelaxAtomics},
    {.name = "nvptx-tag-invariant-loads",
     .description = "NVPTX Tag Invariant Loads",
     .absence = kOnIr,
     .run_on_program = RunTagInvariantLoads},
    {.name = "nvptx-image-optimizer",
     .description = "NVPTX Image Optimizer",
     .origin = kNvidia,
     .run = RunImageOptimizer,
     .run_on_ir = RunImageOptimizerOnIr},
    {.name = "nvptx-forward-params", .description = "NVPTX Forward Params", .origin = kNvidia, .run = RunForwardParams},
    {.name = "nvptx-proxyreg-erasure",
     .alias = "nvptx-proxy-reg-erasure",
     .description = "NVPTX Proxy Register Instruction Erasure",
     .origin = kNvidia,
     .run = RunProxyRegErasure},
    {.name = "param-opt",
     .description = "Optimize NVPTX ld.param",
     .origin = kNvidia,
     .run = RunParamOpt,
     .required_properties = P::kIsSsa},
    // The misspelling is cicc's.
    {.name = "nvptx-trunc-opts",
     .description = "Optimize redundant ANDb16ri instrunctions",
     .origin = kNvidia,
     .run = RunTruncOpts,
     .required_properties = P::kIsSsa},
    {.name = "redundant-move-elim",
     .description = "Remove redundant moves",
     .origin = kNvidia,
     .run = RunRedundantMoveElimination},
    // cicc calls this pass nvptx-peephole too; in LLVM, that is the name of the pass below.
    {.name = "nvvm-peephole-optimizer",
     .description = "PTX-specific peephole: address space conversions and predicates",
     .origin = kNvidia,
     .run = RunNvvmPeepholeOptimizer,
     .required_properties = P::kIsSsa},
    {.name = "ldgxform", .description = "Ldg Transformation", .origin = kNvidia, .run = RunLdgTransform},
    {.name = "nvptx-remat-block",
     .alias = "nv-remat-block",
     .description = "NVPTX Specific Block Remat",
     .origin = kNvidia,
     .run = RunBlockRemat},
    {.name = "nvptx-mem2reg",
     .description = "Mem2Reg on Machine Instructions to remove local stack objects",
     .origin = kNvidia,
     .run = RunMem2Reg,
     .required_properties = P::kNoPhis,
     .cleared_properties = P::kIsSsa},
    {.name = "extra-machineinstr-printer",
     .description = "Machine Function Extra Printer",
     .origin = kNvidia,
     .run = RunExtraMachineInstrPrinter},
    {.name = "nvptx-prolog-epilog",
     .description = "NVPTX Prolog Epilog Pass",
     .origin = kNvidia,
     .run = RunPrologEpilog},
    {.name = "nvptx-peephole",
     .description = "NVPTX optimize redundant cvta.to.local instruction",
     .origin = kNvidia,
     .run = RunNvptxPeephole},
    {.name = "nvptx-replace-image-handles",
     .description = "NVPTX Replace Image Handles",
     .origin = kNvidia,
     .run = RunReplaceImageHandles},

    // Ours.
    {.name = "induction-merge",
     .description = "Merge induction variables that advance in step",
     .origin = kPtxmir,
     .run = RunInductionMerge,
     .is_loop_pass = true},
    {.name = "split-wide-registers",
     .description = "Take wide registers apart",
     .origin = kPtxmir,
     .run = RunWideRegisterSplitting,
     .required_properties = P::kNoPhis},
    {.name = "shared-spill-slots",
     .description = "Spill Slots to Shared Memory",
     .origin = kPtxmir,
     .run = RunSharedSpillSlots,
     .required_properties = P::kNoPhis},
    {.name = "ip-msp",
     .description = "Interprocedural memory space propagation",
     .origin = kNvidia,
     .run_on_program = RunSpacePropagation},
    {.name = "infer-address-spaces",
     .description = "Infer address spaces",
     .origin = kPtxmir,
     .run = RunInferAddressSpaces,
     .required_properties = P::kIsSsa,
     .run_on_program = RunIrInferAddressSpaces},
    {.name = "load-store-vectorizer",
     .description = "Vectorize load and store instructions",
     .origin = kPtxmir,
     .run = RunLoadStoreVectorizer,
     .required_properties = P::kIsSsa},
    {.name = "narrow-integers",
     .description = "Compute in 32 bits what is known to fit",
     .origin = kPtxmir,
     .run = RunNarrowIntegers,
     .required_properties = P::kIsSsa},
    {.name = "pressure-sink",
     .description = "Sink computations where registers are short",
     .origin = kPtxmir,
     .run = RunPressureSink},
    {.name = "register-checker-begin",
     .description = "Remember the function for the register checker",
     .origin = kPtxmir,
     .run = RunRegisterCheckerBegin},
    {.name = "register-checker",
     .description = "Prove that register allocation kept every value",
     .origin = kPtxmir,
     .run = RunRegisterChecker},
};

}  // namespace

absl::Span<const PassInfo> PassTable() { return kPasses; }

const PassInfo* FindPass(std::string_view name) {
  // Created once and never destroyed.
  static const auto* const passes = [] {
    auto* const by_name = new absl::flat_hash_map<std::string_view, const PassInfo*>();
    by_name->reserve(2 * std::size(kPasses));
    for (const PassInfo& pass : kPasses) {
      by_name->try_emplace(pass.name, &pass);
      if (!pass.alias.empty()) by_name->try_emplace(pass.alias, &pass);
    }
    return by_name;
  }();
  const auto found = passes->find(name);
  return found == passes->end() ? nullptr : found->second;
}

std::string UnknownPassMessage(std::string_view name) {
  NearestName nearest(name);
  for (const PassInfo& pass : kPasses) {
    nearest.Consider(pass.name);
    if (!pass.alias.empty()) nearest.Consider(pass.alias);
  }
  return StrCat("unknown pass '", name, "'", nearest.Suggestion());
}

std::string AbsentPassMessage(const PassInfo& pass) {
  if (pass.is_implemented_on_ir())
    return StrCat("pass '", pass.name, "' works on LLVM IR (-x ir), not on machine code");
  return StrCat("pass '", pass.name, "' is not implemented", pass.absence.empty() ? "" : ": ", pass.absence);
}

}  // namespace ptxmir
