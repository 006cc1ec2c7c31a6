// SPDX-License-Identifier: Apache-2.0

// Defines the standard pipeline. The list follows that of LLVM 22 for NVPTX (NVPTXPassConfig), because MIR that
// llc stopped at any point must be resumed at the same point. cicc's passes are where the documentation of cicc
// has them. Where it disagrees with LLVM, or we disagree with it, a comment gives the reason for our choice.

#include "passes/pipeline/standard_pipeline.h"

#include <algorithm>
#include <cassert>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/str_cat.h"
#include "options/knobs.h"
#include "options/pass_option_table.h"

namespace ptxmir {
namespace {

// The gate of steps that run at every level.
constexpr StepGate kAlways = {};
constexpr StepGate kOptimized = {.min_level = 1};
// The lowest level of passes that save registers and take long: -O1 does without, and takes little more than half as
// long. cicc's levels differ on LLVM IR alone.
constexpr int kThorough = 2;
// The gate of checks and printers that have a place in the pipeline but run only if they are named.
constexpr StepGate kOnRequest = {.min_level = 4};

constexpr StepGate Unless(std::string_view knob, int min_level = 1) {
  return {.min_level = min_level, .disabled_by = knob};
}
constexpr StepGate When(std::string_view knob, int min_level = 1) {
  return {.min_level = min_level, .enabled_by = knob};
}

class StepList {
 public:
  void Pass(std::string_view name, const StepGate& gate) {
    const PassInfo* pass = FindPass(name);
    assert(pass != nullptr && "the standard pipeline names a pass that is not in the table");
    const auto instances =
        std::count_if(steps_.begin(), steps_.end(), [&](const PipelineStep& step) { return step.pass == pass; });
    steps_.push_back(
        {.pass = pass, .instance = static_cast<unsigned>(instances) + 1, .is_standard = true, .gate = gate});
  }
  // Adds a banner behind the passes, separated by commas, that it is about.
  void Banner(std::string_view text, std::string_view passes) {
    steps_.push_back(
        {.action = PipelineStep::Action::kBanner, .banner = text, .banner_passes = passes, .gate = kOptimized});
  }
  Pipeline Take() { return std::move(steps_); }

 private:
  Pipeline steps_;
};

void AddIselPasses(StepList& list) {
  list.Pass("finalize-isel", kAlways);
  // LLVM names values and moves variables before instruction selection. What comes here was selected already.
  list.Pass("nvptx-assign-valid-global-names", kAlways);
  list.Pass("generic-to-nvvm", kAlways);
  list.Pass("nvptx-image-optimizer", kOptimized);
  list.Pass("param-opt", When("param-opt"));
  // Off, as narrow-integers is: known bits take too long for what they save at ptxas (docs/tried-and-lost.md).
  list.Pass("nvptx-trunc-opts", {.min_level = 1, .enabled_by = "nvptx-trunc-opts", .is_on_unless_set = false});
  // It is off because nvptx-remat-block then recomputes less, which costs registers (docs/tried-and-lost.md). The
  // register-coalescer removes the copies anyway.
  list.Pass("redundant-move-elim", {.min_level = 1, .enabled_by = "redundant-move-elim", .is_on_unless_set = false});
  list.Pass("infer-address-spaces", When("infer-address-spaces"));
}

// Adds the passes of LLVM's addMachineSSAOptimization and those that cicc adds there.
void AddPreRegAlloc(StepList& list) {
  list.Pass("early-tailduplication", Unless("disable-early-taildup"));
  list.Banner("After Pre-RegAlloc TailDuplicate", "early-tailduplication");
  list.Pass("opt-phis", When("opt-phis"));
  list.Pass("stack-coloring", {.min_level = 1, .least = "-no-stack-coloring"});
  list.Pass("localstackalloc", kAlways);
  list.Pass("dead-mi-elimination", Unless("disable-machine-dce"));
  list.Banner("After codegen DCE pass", "dead-mi-elimination");
  // Off: ptxas predicates short sides itself, and selects execute both (docs/tried-and-lost.md).
  list.Pass("early-ifcvt", {.min_level = 1, .disabled_by = "disable-early-ifcvt", .is_off_unless_set = true});
  // Off: see docs/tried-and-lost.md.
  list.Pass("machine-combiner", {.min_level = 1, .enabled_by = "machine-combiner", .is_on_unless_set = false});
  list.Banner("After ILP optimizations", "early-ifcvt,machine-combiner");
  // If enabled, it produces what llc produces (-autotune tries it). It is off because ptxas hoists by itself where
  // it has the registers.
  list.Pass(
      "early-machinelicm",
      {.min_level = 1, .enabled_by = "enable-mlicm", .disabled_by = "disable-machine-licm", .is_on_unless_set = false});
  // Joins only what keeps no more registers busy; with -mcse-raise-pressure, also what does, up to the target.
  list.Pass("machine-cse", {.min_level = 1,
                            .enabled_by = "enable-mcse",
                            .disabled_by = "disable-machine-cse",
                            .level_unless_set = kThorough});
  // Performs only moves that save registers; with -nvptx-enable-machine-sink, all of LLVM's moves.
  list.Pass("machine-sink", Unless("disable-machine-sink", kThorough));
  list.Banner("After Machine LICM, CSE and Sinking passes", "early-machinelicm,machine-cse,machine-sink");
  list.Pass("peephole-opt", Unless("disable-peephole"));
  list.Pass("nvvm-peephole-optimizer", When("enable-nvvm-peephole"));
  // LLVM runs it again here. Our peephole passes erase what they leave unused: it changed no function of the corpus.
  list.Pass("dead-mi-elimination", kOnRequest);
  list.Banner("After codegen peephole optimization pass", "peephole-opt,nvvm-peephole-optimizer");
  // As in cicc's picture; LLVM runs it once, after allocation. It is off for the same reason as redundant-move-elim.
  list.Pass("machine-cp", {.min_level = 1, .disabled_by = "disable-copyprop", .is_off_unless_set = true});
  list.Pass("narrow-integers", {.min_level = 1, .enabled_by = "narrow-integers", .is_on_unless_set = false});
  list.Pass("ldgxform", When("ldgxform"));
  list.Pass("load-store-vectorizer", When("load-store-vectorizer"));
  list.Pass("induction-merge",
            {.min_level = kThorough, .least = "-induction-merge=false -induction-merge-fold-offsets=false"});
  list.Pass("pressure-sink", When("pressure-sink", kThorough));
  // cicc's picture has it after allocation; it works on virtual registers in SSA form, where LLVM has it.
  list.Pass("pipeliner", When("enable-pipeliner", 2));
  list.Pass("nvptx-forward-params", kAlways);
  // cicc runs it late, after allocation. Until then, proxies would only hide their sources from every pass.
  list.Pass("nvptx-proxyreg-erasure", kAlways);
  // cicc's documentation places it during allocation, but cicc was observed to run it here: after peephole
  // optimizations and in SSA form, where every value has one definition and no copies of PHIs are in the way.
  list.Pass("nvptx-remat-block", Unless("nv-disable-remat", kThorough));
}

void AddRegAlloc(StepList& list) {
  list.Pass("detect-dead-lanes", kOptimized);
  list.Pass("init-undef", kAlways);
  list.Pass("processimpdefs", kOptimized);
  list.Pass("unreachable-mbb-elimination", kOptimized);
  list.Pass("livevars", kOptimized);
  // The picture has twoaddressinstruction first; copies of tied operands end SSA form, which PHIs need.
  list.Pass("phi-node-elimination", {.least = "-usedessa=1"});
  list.Pass("twoaddressinstruction", kAlways);
  // cicc runs it after allocation, where the spill slots are. Stack objects of the source program are known
  // already here, where the copies can still be coalesced and the registers counted.
  list.Pass("nvptx-mem2reg", Unless("nv-disable-mem2reg"));
  list.Pass("split-wide-registers", When("ra-split-wide"));
  list.Pass("register-checker-begin", kOnRequest);
  list.Pass("register-coalescer", When("join-liveintervals"));
  list.Pass("rename-independent-subregs", kOptimized);
  list.Pass("machine-scheduler", When("enable-misched"));
  list.Banner("After Machine Scheduling", "machine-scheduler");
  list.Pass("regallocfast", {.disabled_by = "optimize-regalloc", .max_level_without_knobs = 0});
  list.Pass("greedy", When("optimize-regalloc"));
  list.Pass("virtregrewriter", When("compact-regs"));
  list.Pass("stack-slot-coloring", Unless("disable-ssc"));
  // The checker looks for instructions where they were.
  list.Pass("register-checker", kOnRequest);
  // It is off because ptxas hoists by itself where it has the registers, as for early-machinelicm.
  list.Pass("machinelicm", {.min_level = 1,
                            .enabled_by = "enable-mlicm",
                            .disabled_by = "disable-postra-machine-licm",
                            .is_off_unless_set = true});
  list.Banner("After StackSlotColoring", "stack-slot-coloring,machinelicm");
  list.Pass("nvptx-mem2reg", Unless("nv-disable-mem2reg"));
  list.Pass("shared-spill-slots", kOptimized);
}

void AddPostRegAlloc(StepList& list) {
  list.Pass("postra-machine-sink", Unless("disable-postra-machine-sink", 2));
  list.Pass("shrink-wrap", kOptimized);
  list.Pass("prologepilog", kAlways);
  list.Pass("nvptx-prolog-epilog", kAlways);
  list.Pass("nvptx-peephole", kOptimized);
  list.Pass("removeredundantdebugvalues", kAlways);
  list.Pass("fixup-statepoint-caller-saved", kAlways);
  list.Pass("machine-latecleanup", When("machine-latecleanup"));
  list.Pass("branch-folder", Unless("disable-branch-fold"));
  list.Pass("tailduplication", Unless("disable-tail-duplicate"));
  list.Pass("machine-cp", Unless("disable-copyprop"));
  list.Pass("postrapseudos", kAlways);
  list.Pass("post-RA-sched", {.min_level = 1, .disabled_by = "disable-post-ra", .is_off_unless_set = true});
  list.Pass("postmisched", When("misched-postra"));
  list.Pass("gc-analysis", kAlways);
  list.Pass("block-placement", Unless("disable-block-placement"));
  list.Pass("block-placement-stats", kOnRequest);
}

void AddPreEmit(StepList& list) {
  list.Pass("fentry-insert", kAlways);
  list.Pass("xray-instrumentation", kAlways);
  list.Pass("patchable-function", kAlways);
  list.Pass("post-RA-hazard-rec", kOptimized);
  list.Pass("branch-relaxation", kOptimized);
  list.Pass("RegUsageInfoCollector", kOptimized);
  list.Pass("machine-outliner", When("enable-machine-outliner"));
  list.Pass("livedebugvalues", kAlways);
  list.Pass("machine-sanmd", kAlways);
  list.Pass("extra-machineinstr-printer", kOnRequest);
  list.Pass("nvptx-replace-image-handles", kAlways);
  list.Pass("stack-frame-layout", kAlways);
}

// Adds what runs on LLVM IR, from LLVM's NVPTXPassConfig::addIRPasses, with what front ends leave to an optimizer.
void AddIrPasses(StepList& list) {
  list.Pass("nvptx-assign-valid-global-names", kAlways);
  list.Pass("generic-to-nvvm", kAlways);
  // LLVM lowers them late. The kernels that it makes are optimized with the others here.
  list.Pass("nvptx-lower-ctor-dtor", kAlways);
  list.Pass("expand-variadics", kAlways);
  list.Pass("nvvm-reflect", kAlways);
  // It answers questions that branches hang on, as nvvm-reflect does.
  list.Pass("nvptx-image-optimizer", kOptimized);
  list.Pass("nvvm-reflect-pp", kAlways);
  list.Pass("always-inline", {.max_level = 0});
  list.Pass("inline", kOptimized);
  list.Pass("lower-struct-args", {.min_level = 0, .enabled_by = "nvptx-early-byval-copy", .is_on_unless_set = false});
  list.Pass("nvptx-lower-args", kAlways);
  list.Pass("relax-atomicrmw", When("relax-atomicrmw", 0));
  list.Pass("sroa", kOptimized);
  list.Pass("early-cse", kOptimized);
  list.Pass("simplifycfg", kOptimized);
  list.Pass("ip-msp", When("ip-msp"));
  list.Pass("infer-address-spaces", When("infer-address-spaces"));
  list.Pass("nvptx-tag-invariant-loads", kOptimized);
  list.Pass("nvvm-intr-range", kOptimized);
  list.Pass("separate-const-offset-from-gep", Unless("disable-separate-const-offset-from-gep"));
  list.Pass("early-cse", kOptimized);
  list.Pass("base-address-sr", When("base-address-sr"));
  list.Pass("early-cse", kOptimized);
  list.Pass("dce", kOptimized);
  list.Pass("simplifycfg", kOptimized);
  list.Pass("infer-alignment", kOptimized);
  list.Pass("nvptx-set-global-array-alignment", When("nvptx-set-global-array-alignment"));
  list.Pass("codegenprepare", Unless("disable-cgp"));
  list.Pass("alloca-hoisting", kAlways);
}

constexpr PassOrder kOrders[] = {
    {"nvvm-reflect", "nvvm-reflect-pp", "it makes the constants that decide branches"},
    {"nvvm-reflect-pp", "inline", "code that is never reached is not inlined"},
    {"generic-to-nvvm", "nvptx-lower-args", "parameters may point to what it moves"},
    {"nvptx-image-optimizer", "nvvm-reflect-pp", "it makes the constants that decide branches"},
    {"nvptx-lower-ctor-dtor", "inline", "the functions of its lists are then called"},
    {"expand-variadics", "inline", "a function is only inlined without variable arguments"},
    {"lower-struct-args", "nvptx-lower-args", "what is copied is not read in place"},
    {"nvptx-lower-args", "sroa", "a copy of a parameter is taken apart"},
    {"nvptx-lower-args", "alloca-hoisting", "it makes stack objects"},
    {"nvptx-lower-args", "ip-msp", "it tells the space of what kernels are given"},
    {"ip-msp", "infer-address-spaces", "it tells the spaces of parameters and results"},
    {"infer-alignment", "load-store-vectorizer", "it joins what is known to be aligned"},
    {"early-cse", "codegenprepare", "it would make repeated extensions one again"},
    {"separate-const-offset-from-gep", "base-address-sr", "what addresses share is then one value"},
    {"generic-to-nvvm", "infer-address-spaces", "it makes the conversions that tell the space of a variable"},
    {"nvptx-forward-params", "phi-node-elimination", "it follows single definitions"},
    {"nvptx-proxyreg-erasure", "phi-node-elimination", "it replaces registers that have one definition"},
    {"machine-cse", "phi-node-elimination", "it compares values by their single definitions"},
    {"early-machinelicm", "machine-cse", "what it hoists out of several loops becomes common"},
    {"machine-cse", "machine-sink", "a sunk expression no longer dominates its copies"},
    {"infer-address-spaces", "ldgxform", "it takes loads of global memory only"},
    {"infer-address-spaces", "load-store-vectorizer", "what is joined is of one space"},
    {"infer-address-spaces", "dead-mi-elimination", "it leaves conversions that nothing reads"},
    {"param-opt", "infer-address-spaces", "of equal parameters one is converted"},
    {"ldgxform", "load-store-vectorizer", "loads through the read-only cache are joined with their kind"},
    {"load-store-vectorizer", "phi-node-elimination", "it compares addresses by their single definitions"},
    {"narrow-integers", "induction-merge", "it merges the induction variables that are left"},
    {"narrow-integers", "phi-node-elimination", "it follows single definitions"},
    {"nvptx-trunc-opts", "narrow-integers", "masks hide what a value was extended from"},
    {"opt-phis", "dead-mi-elimination", "what optimized PHIs no longer read is dead"},
    {"dead-mi-elimination", "nvptx-remat-block", "dead values are not worth rematerializing"},
    {"stack-coloring", "localstackalloc", "objects are merged before they get places"},
    {"pipeliner", "phi-node-elimination", "loop-carried values are PHIs"},
    {"induction-merge", "phi-node-elimination", "induction variables are PHIs"},
    {"induction-merge", "pressure-sink", "what loops no longer need may be needed after them"},
    {"machine-sink", "pressure-sink", "it undoes nothing, but moves on what was left"},
    {"pressure-sink", "phi-node-elimination", "it replaces PHIs"},
    {"induction-merge", "pipeliner", "a pipelined loop has its induction variables spread over stages"},
    {"processimpdefs", "phi-node-elimination", "an undefined operand needs no copy"},
    {"unreachable-mbb-elimination", "phi-node-elimination", "operands from blocks that never run need no copy"},
    {"phi-node-elimination", "twoaddressinstruction", "the copies for tied operands end SSA form"},
    {"phi-node-elimination", "register-coalescer", "its copies are what is coalesced"},
    {"twoaddressinstruction", "register-coalescer", "its copies are what is coalesced"},
    {"phi-node-elimination", "split-wide-registers", "PHIs leave no place for what takes registers apart"},
    {"split-wide-registers", "register-coalescer", "parts are copies of what a value was put together from"},
    {"split-wide-registers", "register-checker-begin", "the checker follows whole registers"},
    {"register-coalescer", "machine-scheduler", "copies that will go must not be scheduled"},
    {"machine-scheduler", "greedy", "it orders instructions for the pressure that allocation meets"},
    {"machine-cse", "nvptx-remat-block", "it would merge what was rematerialized on purpose"},
    {"early-machinelicm", "nvptx-remat-block", "it would hoist what was rematerialized on purpose"},
    {"peephole-opt", "nvptx-remat-block", "what it folds must not be rematerialized"},
    {"peephole-opt", "induction-merge", "addresses are read more easily without copies and conversions of conversions"},
    {"nvvm-peephole-optimizer", "phi-node-elimination", "it follows single definitions"},
    {"induction-merge", "nvptx-remat-block", "addresses that it derives from one variable can be rematerialized"},
    {"nvptx-forward-params", "nvptx-remat-block", "parameters that are read in place need no address"},
    {"nvptx-proxyreg-erasure", "nvptx-remat-block", "a proxy hides what could be rematerialized"},
    {"nvptx-remat-block", "processimpdefs", "so that no operand is undefined yet, as cicc has it"},
    {"nvptx-remat-block", "phi-node-elimination", "it follows single definitions"},
    {"nvptx-remat-block", "greedy", "a rematerialized value needs no slot"},
    {"register-checker-begin", "greedy", "it remembers what allocation must keep"},
    {"register-checker-begin", "register-checker", "the checker compares with what was remembered"},
    {"greedy", "virtregrewriter", "registers are renamed once no more are created"},
    {"greedy", "stack-slot-coloring", "it makes the slots"},
    {"greedy", "nvptx-prolog-epilog", "it makes slots, which get places"},
    {"twoaddressinstruction", "nvptx-mem2reg", "slots become registers with several definitions"},
    {"register-checker", "machinelicm", "the checker looks for instructions where they were"},
    {"redundant-move-elim", "machine-cse", "a constant or a copy of it is one expression"},
    {"phi-node-elimination", "postra-machine-sink", "copies in place of PHIs are what it sinks"},
    {"register-checker", "nvptx-prolog-epilog", "frame indices are what the checker knows of slots"},
    {"stack-slot-coloring", "shared-spill-slots", "shared memory is for slots that are left"},
    {"nvptx-mem2reg", "shared-spill-slots", "it follows slots by their frame indices"},
    {"register-checker", "shared-spill-slots", "frame indices are what the checker knows of slots"},
    {"shared-spill-slots", "nvptx-prolog-epilog", "it moves what is still a frame index"},
    {"stack-slot-coloring", "nvptx-prolog-epilog", "slots are merged before they get places"},
    {"stack-coloring", "nvptx-prolog-epilog", "objects are merged before they get places"},
    {"nvptx-mem2reg", "nvptx-prolog-epilog", "it recognizes accesses to slots by frame index"},
    {"twoaddressinstruction", "nvptx-prolog-epilog", "frame addresses are inserted where operands are final"},
    {"nvptx-prolog-epilog", "nvptx-peephole", "it folds the conversion of the frame's address"},
    {"machine-cp", "postrapseudos", "it recognizes COPY"},
    {"branch-folder", "block-placement", "merged tails are placed once"},
    {"early-ifcvt", "pipeliner", "the pipeliner takes loops of one block"},
    {"early-ifcvt", "machine-combiner", "what were several blocks may hold longer chains"},
    {"early-ifcvt", "phi-node-elimination", "it replaces PHIs by selects"},
    {"early-tailduplication", "opt-phis", "it leaves PHIs of one value"},
    {"branch-folder", "tailduplication", "what can be merged or led on needs no copies"},
    {"tailduplication", "block-placement", "copies have places in the order, too"},
    {"machine-combiner", "phi-node-elimination", "it follows single definitions"},
    {"machine-combiner", "peephole-opt", "what is folded into mad is no longer a sum"},
    {"phi-node-elimination", "postrapseudos", "it expands COPY"},
};

bool HasPass(const PipelineStep& step, std::string_view name) {
  return step.action == PipelineStep::Action::kPass && step.pass->name == name;
}

// Returns true if the step's pass exists for the code of the pipeline that has the step.
bool Exists(const PipelineStep& step) {
  const Pipeline& ir = StandardIrPipeline();
  const bool is_on_ir = &step >= ir.data() && &step < ir.data() + ir.size();
  return is_on_ir ? step.pass->is_implemented_on_ir() : step.pass->is_implemented();
}

std::string_view LevelText(const PipelineStep& step, int opt_level) {
  if (!step.gate.Includes(opt_level)) return "-";
  if (!Exists(step)) return "absent";
  const StepGate& gate = step.gate;
  if (opt_level <= gate.max_level_without_knobs) return "on";
  const Knobs knobs;
  const bool is_on_unless_set = gate.is_on_unless_set && opt_level >= gate.level_unless_set;
  const bool is_enabled = gate.enabled_by.empty() || knobs.IsOn(*FindKnob(gate.enabled_by), is_on_unless_set);
  const bool is_disabled = !gate.disabled_by.empty() && knobs.IsOn(*FindKnob(gate.disabled_by), gate.is_off_unless_set);
  return is_enabled && !is_disabled ? "on" : "off";
}

// Returns the flag that switches a pass off by the knob that enables it. The first value of an enum stands for off.
std::string FlagToDisable(std::string_view enabling_knob) {
  const KnobInfo& knob = *FindKnob(enabling_knob);
  return StrCat("-", knob.name, "=", knob.type == KnobType::kEnum ? knob.value_names[0] : "false");
}

// Returns the flags that make a step run that does not, or stop one that does, at -O2. Returns an empty string if
// there are none.
std::string TogglingFlags(const PipelineStep& step) {
  const StepGate& gate = step.gate;
  const Knobs knobs;
  const std::string_view state = LevelText(step, 2);
  if (state == "on") {
    if (!gate.enabled_by.empty()) return FlagToDisable(gate.enabled_by);
    return gate.disabled_by.empty() ? std::string(gate.least) : StrCat("-", gate.disabled_by);
  }
  if (state != "off") return "";
  std::string flags;
  if (!gate.enabled_by.empty() && !knobs.IsOn(*FindKnob(gate.enabled_by), gate.is_on_unless_set)) {
    StrAppend(&flags, "-", gate.enabled_by);
  }
  if (!gate.disabled_by.empty() && knobs.IsOn(*FindKnob(gate.disabled_by), gate.is_off_unless_set)) {
    StrAppend(&flags, flags.empty() ? "-" : " -", gate.disabled_by, "=false");
  }
  return flags;
}

std::string ToggleText(const PipelineStep& step) {
  const std::string flags = TogglingFlags(step);
  if (flags.empty()) return "";
  return StrCat(std::string(40, ' '), "to switch ", LevelText(step, 2) == "on" ? "off: " : "on: ", flags, "\n");
}

// Lists the knobs that switch a step, then those that its pass reads.
std::string KnobText(const PipelineStep& step) {
  std::string text;
  for (const std::string_view name : {step.gate.enabled_by, step.gate.disabled_by}) {
    if (!name.empty()) StrAppend(&text, " -", name);
  }
  for (const KnobInfo& knob : KnobTable()) {
    const bool is_gate = knob.name == step.gate.enabled_by || knob.name == step.gate.disabled_by;
    if (!is_gate && ListsName(knob.pass, step.pass->name)) StrAppend(&text, " -", knob.name);
  }
  return text.empty() ? "" : StrCat(std::string(40, ' '), "knobs:", text, "\n");
}

template <typename Info>
std::string Whether(const Info& pass_or_analysis) {
  return pass_or_analysis.is_implemented() ? "implemented" : "absent";
}

std::string AbsenceNote(std::string_view absence) { return absence.empty() ? "" : StrCat(" (", absence, ")"); }

}  // namespace

const Pipeline& StandardPipeline() {
  static const Pipeline* const pipeline = [] {
    StepList list;
    AddIselPasses(list);
    AddPreRegAlloc(list);
    AddRegAlloc(list);
    AddPostRegAlloc(list);
    AddPreEmit(list);
    auto* const steps = new Pipeline(list.Take());
#ifdef PTXMIR_CHECKED
    assert(FindBrokenOrder(*steps).empty());
#endif
    return steps;
  }();
  return *pipeline;
}

const Pipeline& StandardIrPipeline() {
  static const Pipeline* const pipeline = [] {
    StepList list;
    AddIrPasses(list);
    auto* const steps = new Pipeline(list.Take());
#ifdef PTXMIR_CHECKED
    assert(FindBrokenOrder(*steps).empty());
#endif
    return steps;
  }();
  return *pipeline;
}

bool IsOptionalPass(const PassInfo& pass) {
  const auto is_optional = [&](const PipelineStep& step) { return step.pass == &pass && step.gate.IsOfOptimization(); };
  return std::any_of(StandardPipeline().begin(), StandardPipeline().end(), is_optional) ||
         std::any_of(StandardIrPipeline().begin(), StandardIrPipeline().end(), is_optional);
}

bool RunsAtLevel(const PipelineStep& step, int opt_level) {
  return step.gate.Includes(opt_level) && (step.action != PipelineStep::Action::kPass || step.pass->is_implemented());
}

std::string WhyNotRun(std::string_view name, const Pipeline& pipeline, const std::vector<bool>& ran) {
  const PassInfo* const pass = FindPass(name);
  if (pass == nullptr) return UnknownPassMessage(name);
  bool is_in_pipeline = false;
  for (size_t i = 0; i < pipeline.size(); ++i) {
    if (pipeline[i].pass != pass) continue;
    if (i < ran.size() && ran[i]) return "";
    is_in_pipeline = true;
  }
  if (!pass->is_implemented()) return AbsentPassMessage(*pass);
  if (!is_in_pipeline) return "the pass is not in the pipeline that was run";
  for (const PipelineStep& step : StandardPipeline()) {
    if (step.pass != pass) continue;
    const std::string flags = LevelText(step, 2) == "off" ? TogglingFlags(step) : "";
    if (!flags.empty()) return StrCat("the pass did not run; to switch on: ", flags);
  }
  return "the pass did not run";
}

std::vector<std::string> FlagsForLeastWork() {
  std::vector<std::string> flags;
  const auto add = [&](std::string flag) {
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.push_back(std::move(flag));
  };
  for (const PipelineStep& step : StandardPipeline()) {
    const StepGate& gate = step.gate;
    const bool is_replacement = gate.max_level_without_knobs >= 0;  // for another step that is switched off
    if (step.action != PipelineStep::Action::kPass || !step.pass->is_implemented() || is_replacement) continue;
    // A pass over the module is off unless it is asked for, and option sets are of single functions.
    if (!gate.enabled_by.empty() && FindKnob(gate.enabled_by)->scope == KnobScope::kFunction) {
      add(FlagToDisable(gate.enabled_by));
    }
    if (!gate.disabled_by.empty()) add(StrCat("-", gate.disabled_by, "=true"));
    for (const absl::string_view flag : absl::StrSplit(ToAbsl(gate.least), ' ', absl::SkipEmpty())) {
      add(std::string(flag));
    }
  }
  return flags;
}

absl::Span<const PassOrder> PassOrders() { return kOrders; }

std::string FindBrokenOrder(const Pipeline& pipeline) {
  for (const PassOrder& order : kOrders) {
    const auto after = std::find_if(pipeline.begin(), pipeline.end(),
                                    [&](const PipelineStep& step) { return HasPass(step, order.after); });
    const auto late =
        std::find_if(after, pipeline.end(), [&](const PipelineStep& step) { return HasPass(step, order.before); });
    if (late != pipeline.end()) {
      return StrCat("pass '", order.before, "' must come before '", order.after, "': ", order.because);
    }
  }
  return "";
}

namespace {

void AppendSteps(const Pipeline& pipeline, std::string& out) {
  int position = 0;
  for (const PipelineStep& step : pipeline) {
    if (step.action == PipelineStep::Action::kBanner) {
      absl::StrAppendFormat(&out, "      %s\n", StrCat("\"", step.banner, "\""));
      continue;
    }
    absl::StrAppendFormat(&out, "  %2d  %-30s", ++position, step.Name());
    for (int level = 0; level <= kMaxOptLevel; ++level) {
      absl::StrAppendFormat(&out, "  %-6s", std::string(LevelText(step, level)));
    }
    StrAppend(&out, "  ", step.pass->description, Exists(step) ? "" : AbsenceNote(step.pass->absence), "\n",
              ToggleText(step), KnobText(step));
  }
}

}  // namespace

std::string PassListText() {
  std::string out =
      "Standard pipeline: what runs at -O0 to -O3, the flags that switch that at -O2, and the knobs that steer it\n"
      "   #  pass                            O0      O1      O2      O3      description\n";
  AppendSteps(StandardPipeline(), out);
  out += "\nStandard pipeline on LLVM IR (-x ir), which comes before that\n";
  AppendSteps(StandardIrPipeline(), out);
  out += "\nPasses that stand in no pipeline\n";
  for (const PassInfo& pass : PassTable()) {
    const auto has_pass = [&](const PipelineStep& step) { return step.pass == &pass; };
    if (std::any_of(StandardPipeline().begin(), StandardPipeline().end(), has_pass) ||
        std::any_of(StandardIrPipeline().begin(), StandardIrPipeline().end(), has_pass)) {
      continue;
    }
    absl::StrAppendFormat(&out, "      %-30s  %-11s  %s\n", std::string(pass.name), Whether(pass),
                          StrCat(pass.description, AbsenceNote(pass.absence)));
  }
  out += "\nAnalyses, for print<...>, require<...> and invalidate<...>\n";
  for (const AnalysisInfo& analysis : AnalysisTable()) {
    absl::StrAppendFormat(&out, "      %-30s  %-11s  %s\n", std::string(analysis.name), Whether(analysis),
                          std::string(analysis.description));
  }
  return out;
}

}  // namespace ptxmir
