// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeliner/machine_pipeliner.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "analysis/values/memory_dependence.h"
#include "analysis/values/uniformity.h"
#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "ir/module.h"
#include "mir/code/function_ir.h"
#include "mir/text/mir_writer.h"
#include "passes/pipeliner/kernel_cycles.h"
#include "passes/pipeliner/loop_body.h"
#include "passes/pipeliner/loop_dependences.h"
#include "passes/pipeliner/modulo_expander.h"
#include "passes/pipeliner/modulo_graph.h"
#include "passes/pipeliner/modulo_pressure.h"
#include "passes/pipeliner/modulo_schedule.h"
#include "passes/report/function_history.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/occupancy.h"

namespace ptxmir {
namespace {

// The loads that depend on each other for which latencies are shortened until they fit into the stages.
constexpr uint32_t kMaxLoadsInChain = 3;

// The facts about the function before any loop is changed.
struct Facts {
  const ptx::SmInfo& sm;
  const ptx::MachineModel& model;
  RegisterBudget budget;
  uint32_t function_units = 0;  // the most registers that are live in the function

  unsigned WarpsWith(uint32_t units) const {
    return ptx::ComputeOccupancy(sm.limits, ResourcesOf(budget, units, sm.limits)).warps;
  }
  unsigned WarpsPerScheduler() const {
    const uint32_t units = budget.is_hard ? std::min<uint32_t>(function_units, budget.registers) : function_units;
    return std::max(1u, WarpsWith(units) / model.num_schedulers());
  }
};

// A loop that may be pipelined.
struct Candidate {
  CycleId loop;
  MachineBasicBlock* block;
  uint32_t old_units = 0;      // the most registers that are live in it
  uint32_t through_units = 0;  // the registers that are live into it, without the results of its PHIs
  PipeliningWish wish;
};

// A schedule, and how it was found.
struct Plan {
  uint32_t min_ii = 0;
  ModuloGraph graph;
  ModuloSchedule schedule;
  ModuloPressure pressure;
  // Cycles per iteration, in hundredths, of the loop and of the pipelined loop.
  uint32_t old_cycles = 0;
  uint32_t cycles = 0;

  uint32_t num_overlapped() const { return schedule.num_stages - 1; }  // LLVM's numStages
};

// Returns true if some loop of the function may have metadata that asks for pipelining. Faster than asking for each
// loop.
bool MayWishForPipelining(const MachineFunction& function) {
  const IrFunction* ir_function = FindIrFunction(function);
  if (ir_function == nullptr) return false;
  bool wishes = false;
  ForEachLoopMetadata(*ir_function, [&](MetadataId loop) {
    wishes = wishes || ReadPipeliningWish(*function.module(), loop).initiation_interval != 0;
  });
  return wishes;
}

PipeliningWish WishFor(const MachineFunction& function, const MachineBasicBlock& block) {
  const IrFunction* ir_function = FindIrFunction(function);
  if (ir_function == nullptr || (block.name.empty() && block.ir_block.empty())) return {};
  const IrBlock* ir_block = function.module()->FindIrBlock(*ir_function, block.name, block.ir_block);
  if (ir_block == nullptr || !ir_block->loop.has_value()) return {};
  return ReadPipeliningWish(*function.module(), *ir_block->loop);
}

// Returns "12.5" for 1250 hundredths.
std::string CyclesText(uint32_t hundredths) { return StrCat(hundredths / 100, ".", hundredths % 100 / 10); }

class LoopPipeliner {
 public:
  LoopPipeliner(MachineFunction& function, PassContext& context, const Facts& facts)
      : function_(function),
        context_(context),
        knobs_(context.knobs),
        facts_(facts),
        loops_(context.analyses.Get<MachineLoops>()),
        dag_builder_(function, context.analyses.Get<MemoryDependence>(), facts.model),
        uniformity_(context.analyses.Get<Uniformity>()),
        remarks_(context.analyses.Get<MachineOptRemarkEmitter>()) {}

  // Returns true if it changed the loop.
  bool Run(const Candidate& candidate) {
    candidate_ = &candidate;
    if (candidate.wish.is_disabled) return Refuse("Disabled by pragma.");
    FoundLoopBody found = FindLoopBody(loops_, candidate.loop, uniformity_);
    if (!found.refusal.empty()) return Refuse(found.refusal, found.culprit);
    ++num_tried_;
    // The dependences of a loop that is far too long are not worth building.
    if (IsTooLarge(ResourceMinII(ResourcesOf(found.body.instrs, facts_.model)))) return false;
    ScheduleDag dag;
    dag_builder_.Build(found.body, dag);
    std::optional<Plan> plan = MakePlan(found.body, dag);
    if (!plan.has_value() || !IsWorthKeeping(*plan)) return false;
    if (knobs_.pipeliner_annotate_for_testing()) {
      Annotate(found.body, plan->schedule);
      return true;
    }
    Report(*plan);
    if (context_.history != nullptr) context_.history->schedules.push_back(Describe(found.body, *plan));
    const bool peels = knobs_.pipeliner_experimental_cg() || !knobs_.pipeliner_mve_cg();
    const uint32_t num_copies = peels ? 1 : std::min(plan->pressure.num_copies, plan->schedule.num_stages);
    ExpandModuloSchedule(found.body, plan->schedule,
                         peels ? ModuloExpansion::kPeeling : ModuloExpansion::kVariableExpansion, num_copies);
    ++num_pipelined_;
    num_at_min_ii_ += plan->schedule.ii == plan->min_ii ? 1 : 0;
    return true;
  }

  void AddStatistics() const {
    context_.AddStatistic("loops that modulo scheduling was tried for", num_tried_);
    context_.AddStatistic("loops pipelined", num_pipelined_);
    context_.AddStatistic("loops pipelined at the least interval", num_at_min_ii_);
  }

 private:
  bool Refuse(std::string_view reason, const MachineInstr* culprit = nullptr) {
    remarks_.Emit([&] {
      const MachineInstr& at = culprit != nullptr ? *culprit : *candidate_->block->back();
      MachineRemark remark(RemarkKind::kAnalysis, context_.pass_name, "schedule", at.debug_loc(), *candidate_->block);
      remark << RemarkArg("Reason", reason);
      if (culprit == nullptr) return remark;
      return remark << " (" << RemarkArg("Instruction", function_.target().Name(culprit->opcode())) << ")";
    });
    return false;
  }

  // Returns true, and reports it, if an II is larger than allowed. Loop metadata allows the II that it gives.
  bool IsTooLarge(uint32_t min_ii) {
    const auto max_ii = static_cast<uint32_t>(knobs_.pipeliner_max_mii());
    if (min_ii <= std::max(max_ii, candidate_->wish.initiation_interval)) return false;
    Refuse(StrCat("Minimal Initiation Interval too large: ", min_ii, " > ", max_ii, ". Refer to -pipeliner-max-mii."));
    return true;
  }

  // Finds a schedule. Reports the reason if there is none.
  std::optional<Plan> MakePlan(const LoopBody& body, const ScheduleDag& dag) {
    const LatencyLimits limits = {.warps = facts_.WarpsPerScheduler()};
    ModuloGraph graph = MakeModuloGraph(dag, facts_.model, limits);
    const uint32_t min_ii = MinII(graph);
    if (min_ii == 0) {
      Refuse("Invalid Minimal Initiation Interval: 0");
      return std::nullopt;
    }
    if (IsTooLarge(min_ii)) return std::nullopt;
    std::optional<Plan> plan = Search(body, graph, min_ii);
    // Loads that need more stages than are allowed get what the stages hold; if they depend on each other, a share.
    const auto max_stages = static_cast<uint32_t>(knobs_.pipeliner_max_stages());
    for (uint32_t share = 1;
         share <= kMaxLoadsInChain && max_stages > 0 && plan.has_value() && plan->num_overlapped() > max_stages;
         ++share) {
      LatencyLimits lower = limits;
      lower.max_load = std::max<uint32_t>(1, max_stages * min_ii / share);
      plan = Search(body, MakeModuloGraph(dag, facts_.model, lower), min_ii);
    }
    if (!plan.has_value()) {
      Refuse("Unable to find schedule");
      return std::nullopt;
    }
    plan->old_cycles = CyclesOfLoop(graph);
    plan->cycles = CyclesOfKernel(graph, plan->schedule);
    plan->graph = std::move(graph);
    return plan;
  }

  uint32_t MinII(const ModuloGraph& graph) const {
    if (candidate_->wish.initiation_interval != 0) return candidate_->wish.initiation_interval;
    const uint32_t recurrences = knobs_.pipeliner_ignore_recmii() ? 0 : RecurrenceMinII(graph);
    return std::max(ResourceMinII(graph.resources), recurrences);
  }

  // The ways to place nodes at one II, in the order in which they are tried.
  enum class Method : uint8_t { kSwing, kSwingInTotal, kIterative };

  static std::optional<ModuloSchedule> Schedule(const ModuloGraph& graph, const std::vector<bool>& is_control,
                                                const std::vector<uint32_t>& order, uint32_t ii, Method method) {
    if (method == Method::kIterative) return PlaceNodesIteratively(graph, is_control, ii);
    const UnitUse use = method == Method::kSwing ? UnitUse::kInRows : UnitUse::kInTotal;
    return PlaceNodes(graph, is_control, order, ii, use);
  }

  std::optional<Plan> Search(const LoopBody& body, const ModuloGraph& graph, uint32_t min_ii) {
    const std::vector<uint32_t> order = SwingOrder(graph, body.is_control, min_ii);
    const bool is_fixed = candidate_->wish.initiation_interval != 0;
    const uint32_t num_attempts = is_fixed ? 1 : static_cast<uint32_t>(knobs_.pipeliner_ii_search_range());
    for (uint32_t ii = min_ii; ii < min_ii + num_attempts; ++ii) {
      for (const Method method : {Method::kSwing, Method::kSwingInTotal, Method::kIterative}) {
        std::optional<ModuloSchedule> schedule = Schedule(graph, body.is_control, order, ii, method);
        if (!schedule.has_value()) continue;
        Plan plan = {.min_ii = min_ii, .graph = {}, .schedule = *std::move(schedule), .pressure = {}};
        plan.pressure = ComputeModuloPressure(body, plan.schedule);
        if (!knobs_.pipeliner_register_pressure() || IsBelowMargin(plan)) return plan;
      }
    }
    return std::nullopt;
  }

  uint32_t UnitsOf(const Plan& plan) const { return candidate_->through_units + plan.pressure.units; }

  bool IsBelowMargin(const Plan& plan) const {
    return UnitsOf(plan) + static_cast<uint32_t>(knobs_.pipeliner_register_pressure_margin()) <=
           facts_.budget.registers;
  }

  bool IsWorthKeeping(const Plan& plan) {
    const uint32_t num_overlapped = plan.num_overlapped();
    if (num_overlapped == 0) return Refuse("No need to pipeline - no overlapped iterations in schedule.");
    const auto max_stages = static_cast<uint32_t>(knobs_.pipeliner_max_stages());
    if (num_overlapped > max_stages) {
      return Refuse(StrCat("Too many stages in schedule: ", num_overlapped, " > ", max_stages,
                           ". Refer to -pipeliner-max-stages."));
    }
    // A programmer who asks for an interval gets it.
    if (plan.cycles >= plan.old_cycles && candidate_->wish.initiation_interval == 0) {
      return Refuse(StrCat("An iteration would take ", CyclesText(plan.cycles), " cycles instead of ",
                           CyclesText(plan.old_cycles), "."));
    }
    const uint32_t units = UnitsOf(plan);
    if (facts_.budget.is_hard && units > std::max(facts_.budget.registers, candidate_->old_units)) {
      return Refuse(StrCat("The schedule needs ", units, " registers of ", facts_.budget.registers, "."));
    }
    const unsigned old_warps = facts_.WarpsWith(facts_.function_units);
    const unsigned warps = facts_.WarpsWith(std::max(units, facts_.function_units));
    if (warps < old_warps) {
      return Refuse(StrCat("The schedule needs ", units, " registers: ", warps, " warps fit on an SM instead of ",
                           old_warps, "."));
    }
    return true;
  }

  // Notes the place of each instruction in the schedule, as LLVM does.
  void Annotate(const LoopBody& body, const ModuloSchedule& schedule) {
    for (uint32_t node = 0; node < body.instrs.size(); ++node) {
      MachineInstr& instr = *body.instrs[node];
      InstrExtra extra = instr.extra() != nullptr ? *instr.extra() : InstrExtra{.memoperands = instr.memoperands()};
      extra.post_instr_symbol =
          function_.InternSymbol(StrCat("Stage-", schedule.StageOf(node), "_Cycle-", schedule.RowOf(node)));
      instr.SetExtra(extra);
    }
  }

  // Describes the schedule for the history of the function.
  LoopSchedule Describe(const LoopBody& body, const Plan& plan) const {
    LoopSchedule described;
    described.block = candidate_->block->number();
    described.ii = plan.schedule.ii;
    described.recurrence_min_ii = RecurrenceMinII(plan.graph);
    described.resource_min_ii = ResourceMinII(plan.graph.resources);
    described.num_stages = plan.schedule.num_stages;
    described.registers_before = candidate_->old_units;
    described.registers_after = UnitsOf(plan);
    LoopSchedule::Unit issue = {.name = "issue", .cycles = 0};
    std::array<uint32_t, ptx::kNumFunctionalUnits> busy = {};
    for (uint32_t node = 0; node < body.instrs.size(); ++node) {
      const ModuloResources& resources = plan.graph.resources[node];
      LoopSchedule::Instr& instr = described.instrs.emplace_back();
      WriteInstr(*body.instrs[node], {}, instr.text);
      instr.cycle = plan.schedule.cycles[node];
      if (resources.issues) ++issue.cycles;
      if (resources.unit == ptx::FunctionalUnit::kNone) continue;
      instr.unit = std::string(ptx::FunctionalUnitName(resources.unit));
      busy[static_cast<size_t>(resources.unit)] += resources.busy;
    }
    described.units.push_back(issue);
    for (size_t unit = 0; unit < busy.size(); ++unit) {
      const std::string_view name = ptx::FunctionalUnitName(static_cast<ptx::FunctionalUnit>(unit));
      if (busy[unit] != 0) described.units.push_back({std::string(name), busy[unit]});
    }
    for (const Recurrence& recurrence : plan.graph.recurrences) described.recurrences.push_back(recurrence.nodes);
    return described;
  }

  void Report(const Plan& plan) {
    remarks_.Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "schedule", candidate_->block->back()->debug_loc(),
                           *candidate_->block)
             << "Pipelined: II " << RemarkArg("II", plan.schedule.ii) << " (MII " << RemarkArg("MII", plan.min_ii)
             << "), " << RemarkArg("Stages", plan.schedule.num_stages) << " stages, "
             << RemarkArg("Cycles", CyclesText(plan.cycles)) << " cycles per iteration instead of "
             << RemarkArg("OldCycles", CyclesText(plan.old_cycles)) << ", " << RemarkArg("Registers", UnitsOf(plan))
             << " registers instead of " << RemarkArg("OldRegisters", candidate_->old_units);
    });
  }

  MachineFunction& function_;
  PassContext& context_;
  const Knobs& knobs_;
  const Facts& facts_;
  const MachineLoops& loops_;
  LoopDagBuilder dag_builder_;
  const Uniformity& uniformity_;
  MachineOptRemarkEmitter& remarks_;
  const Candidate* candidate_ = nullptr;
  uint64_t num_tried_ = 0;
  uint64_t num_pipelined_ = 0;
  uint64_t num_at_min_ii_ = 0;
};

std::vector<Candidate> FindCandidates(const MachineFunction& function, PassContext& context) {
  std::vector<Candidate> candidates;
  const auto& loops = context.analyses.Get<MachineLoops>();
  if (loops.num_cycles() == 0) return candidates;
  const auto& pressure = context.analyses.Get<MachineRegisterPressure>();
  for (CycleId loop = 0; loop < loops.num_cycles(); ++loop) {
    if (!loops.IsInnermost(loop)) continue;
    MachineBasicBlock& block = *loops.Header(loop);
    uint32_t through_units = 0;
    for (const uint32_t reg : pressure.LiveIns(block)) {
      through_units += PressureUnitsOf(function, Register::Virtual(reg));
    }
    candidates.push_back({.loop = loop,
                          .block = &block,
                          .old_units = pressure.Block(block).peak.units,
                          .through_units = through_units,
                          .wish = WishFor(function, block)});
  }
  return candidates;
}

}  // namespace

PassResult RunMachinePipeliner(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa)) return {};
  const bool tries_all = context.knobs.enable_pipeliner().value_or(false);
  if (!tries_all && !MayWishForPipelining(function)) return {};
  const std::vector<Candidate> candidates = FindCandidates(function, context);
  if (candidates.empty()) return {};
  const ptx::Subtarget* const subtarget = context.analyses.inputs().subtarget;
  const Facts facts = {.sm = subtarget != nullptr ? subtarget->sm() : *ptx::FindSm("sm_80"),
                       .model = ptx::MachineModel::For(subtarget),
                       .budget = ComputeRegisterBudget(function, context.analyses.inputs()),
                       .function_units = context.analyses.Get<MachineRegisterPressure>().MaxUnits()};
  LoopPipeliner pipeliner(function, context, facts);
  bool changed = false;
  for (const Candidate& candidate : candidates) {
    if (tries_all || candidate.wish.initiation_interval != 0) changed |= pipeliner.Run(candidate);
  }
  pipeliner.AddStatistics();
  return {.changed = changed};
}

}  // namespace ptxmir
