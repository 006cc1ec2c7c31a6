// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/phi_webs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/liveness/live_intervals.h"
#include "analysis/register_name.h"
#include "base/str_cat.h"
#include "passes/out_of_ssa/congruence_classes.h"
#include "passes/out_of_ssa/copies.h"
#include "passes/out_of_ssa/equal_phis.h"
#include "passes/out_of_ssa/late_updates.h"
#include "passes/out_of_ssa/phi_web_facts.h"
#include "passes/out_of_ssa/recomputed_constants.h"
#include "passes/support/copy_sequencer.h"

namespace ptxmir {
namespace {

struct WebCounts {
  uint64_t num_phis = 0;
  uint64_t num_joined = 0;
  uint64_t num_interfering = 0;
  uint64_t num_copies = 0;
  uint64_t num_cycles = 0;
};

// --- joining nodes ---

// A copy that becomes unnecessary if the two nodes are joined.
struct Affinity {
  uint64_t frequency;
  uint32_t a;
  uint32_t b;
};

// Returns the affinities, the most frequently executed copy first.
std::vector<Affinity> FindAffinities(const PhiWebFacts& facts, PassContext& context, int aggressiveness) {
  const auto& frequencies = context.analyses.Get<MachineBlockFrequencies>();
  // Nothing has been changed yet, so what was known of the pressure still holds.
  RecomputedConstants constants(facts.function, context, facts.intervals(), frequencies,
                                context.analyses.GetCached<MachineRegisterPressure>());
  std::vector<Affinity> affinities;
  for (uint32_t number = 0; number < facts.phis.size(); ++number) {
    const PhiWebFacts::Phi& phi = facts.phis[number];
    const RegClassId reg_class = facts.reg_info.reg_class(phi.result);
    affinities.push_back({frequencies.Frequency(*phi.block), facts.PhiNode(number), phi.result.virtual_index()});
    for (const PhiWebFacts::Edge& edge : facts.EdgesOf(number)) {
      if (!edge.source.is_virtual() || facts.reg_info.reg_class(edge.source) != reg_class) continue;
      const uint64_t frequency = frequencies.Frequency(*facts.function.block(edge.predecessor));
      if (aggressiveness < 3 && constants.IsBetterRecomputed(edge.source, frequency)) continue;
      affinities.push_back({frequency, facts.PhiNode(number), edge.source.virtual_index()});
    }
  }
  if (aggressiveness >= 2) {
    for (const MachineInstr* const copy : facts.copies) {
      affinities.push_back({frequencies.Frequency(*copy->parent()), copy->operand(0).reg().virtual_index(),
                            copy->operand(1).reg().virtual_index()});
    }
  }
  std::stable_sort(affinities.begin(), affinities.end(),
                   [](const Affinity& a, const Affinity& b) { return a.frequency > b.frequency; });
  return affinities;
}

void LogDecision(const PhiWebFacts& facts, const CongruenceClasses& classes, const Affinity& affinity,
                 std::string& log) {
  const auto name = [&](uint32_t node) {
    if (node < facts.num_registers) return RegisterName(facts.function, Register::Virtual(node));
    return StrCat("the PHI of ", RegisterName(facts.function, facts.phis[node - facts.num_registers].result));
  };
  StrAppend(&log, "  ", name(affinity.a), " and ", name(affinity.b), ": ");
  if (classes.AreJoined(affinity.a, affinity.b)) {
    StrAppend(&log, "one web already\n");
  } else if (const LiveSegment* segment = classes.FindInterference(affinity.a, affinity.b)) {
    StrAppend(&log, "interfere at ", facts.intervals().indexes().ToString(segment->start), "\n");
  } else {
    StrAppend(&log, "joined\n");
  }
}

void JoinNodes(const PhiWebFacts& facts, PassContext& context, CongruenceClasses& classes, WebCounts& counts) {
  PhiWebSegments segments(facts);
  for (uint32_t phi = 0; phi < facts.phis.size(); ++phi) {
    classes.SetSegments(facts.PhiNode(phi), segments.OfPhi(phi));
  }
  const int aggressiveness = context.knobs.cssa_coalesce();
  if (aggressiveness <= 0) return;
  const auto set_segments = [&](uint32_t node) {
    if (node >= facts.num_registers || classes.HasSegments(node)) return;
    classes.SetSegments(node, segments.OfRegister(Register::Virtual(node)));
  };
  for (const Affinity& affinity : FindAffinities(facts, context, aggressiveness)) {
    set_segments(affinity.a);
    set_segments(affinity.b);
    if (context.knobs.cssa_verbosity() >= 3) LogDecision(facts, classes, affinity, context.log);
    ++(classes.TryJoin(affinity.a, affinity.b) ? counts.num_joined : counts.num_interfering);
  }
}

// --- the plan ---

// The copies at one place. They are executed in parallel.
struct PlannedCopies {
  MachineBasicBlock* block;
  MetadataId loc;
  std::vector<RegisterCopy> copies = {};
  std::vector<Register> undefined = {};  // registers to be defined without a value
};

struct WebPlan {
  std::vector<Register> webs;  // by PHI: the register of its class
  std::vector<PlannedCopies> at_tops;
  std::vector<PlannedCopies> at_ends;
};

// Returns the register that a register of the function becomes.
Register RegisterOf(const PhiWebFacts& facts, const CongruenceClasses& classes, Register reg) {
  if (!reg.is_virtual() || reg.virtual_index() >= facts.num_registers) return reg;
  return Register::Virtual(classes.Leader(reg.virtual_index()));
}

// A class without a register of the function takes a new one.
std::vector<Register> NameWebs(const PhiWebFacts& facts, const CongruenceClasses& classes) {
  std::vector<Register> webs;
  for (uint32_t number = 0; number < facts.phis.size(); ++number) {
    const uint32_t leader = classes.Leader(facts.PhiNode(number));
    if (leader < facts.num_registers) {
      webs.push_back(Register::Virtual(leader));
    } else if (leader == facts.PhiNode(number)) {
      webs.push_back(facts.reg_info.CreateVirtualRegister(facts.reg_info.reg_class(facts.phis[number].result)));
    } else {
      webs.push_back(webs[leader - facts.num_registers]);
    }
  }
  return webs;
}

std::vector<PlannedCopies> PlanCopiesAtTops(const PhiWebFacts& facts, const CongruenceClasses& classes,
                                            const std::vector<Register>& webs) {
  std::vector<PlannedCopies> planned;
  for (size_t first = 0; first < facts.phis.size();) {
    PlannedCopies at = {.block = facts.phis[first].block, .loc = facts.phis[first].instr->debug_loc()};
    for (; first < facts.phis.size() && facts.phis[first].block == at.block; ++first) {
      const Register result = RegisterOf(facts, classes, facts.phis[first].result);
      if (result != webs[first]) at.copies.push_back({result, webs[first]});
    }
    if (!at.copies.empty()) planned.push_back(std::move(at));
  }
  return planned;
}

// The input of a PHI whose register the web does not share.
struct SeparateInput {
  BlockNumber predecessor;
  uint32_t phi;
  Register source;  // invalid if undefined
};

// Returns the inputs sorted by predecessor.
std::vector<SeparateInput> SeparateInputs(const PhiWebFacts& facts, const CongruenceClasses& classes,
                                          const std::vector<Register>& webs) {
  std::vector<SeparateInput> inputs;
  for (uint32_t number = 0; number < facts.phis.size(); ++number) {
    for (const PhiWebFacts::Edge& edge : facts.EdgesOf(number)) {
      if (edge.source.is_valid() && RegisterOf(facts, classes, edge.source) == webs[number]) continue;
      inputs.push_back({edge.predecessor, number, edge.source});
    }
  }
  std::stable_sort(inputs.begin(), inputs.end(),
                   [](const SeparateInput& a, const SeparateInput& b) { return a.predecessor < b.predecessor; });
  return inputs;
}

std::vector<PlannedCopies> PlanCopiesAtEnds(const PhiWebFacts& facts, const CongruenceClasses& classes,
                                            const std::vector<Register>& webs) {
  const std::vector<SeparateInput> inputs = SeparateInputs(facts, classes, webs);
  std::vector<PlannedCopies> planned;
  // By register: 1 + the number of the last place that defines it.
  std::vector<size_t> defined_at(facts.reg_info.num_virtual_registers());
  for (size_t first = 0; first < inputs.size();) {
    const BlockNumber number = inputs[first].predecessor;
    const SlotIndex index = facts.EndCopyIndex(number);
    PlannedCopies at = {.block = facts.function.block(number), .loc = facts.phis[inputs[first].phi].instr->debug_loc()};
    // Several PHIs may have the same register here, if they take the same value or none.
    const auto is_new = [&](Register web) {
      return std::exchange(defined_at[web.virtual_index()], planned.size() + 1) != planned.size() + 1;
    };
    for (; first < inputs.size() && inputs[first].predecessor == number; ++first) {
      const auto& [predecessor, phi, source] = inputs[first];
      if (!source.is_valid()) {
        if (classes.ValueAt(facts.PhiNode(phi), index) == kNoValue) at.undefined.push_back(webs[phi]);
        continue;
      }
      if (!is_new(webs[phi])) continue;
      // The register may already hold the value, because of another copy of it.
      if (classes.ValueAt(facts.PhiNode(phi), index.Previous()) == facts.ValueOf(source)) continue;
      at.copies.push_back({webs[phi], RegisterOf(facts, classes, source)});
    }
    std::erase_if(at.undefined, [&](Register web) { return !is_new(web); });
    planned.push_back(std::move(at));
  }
  return planned;
}

WebPlan PlanWebs(const PhiWebFacts& facts, const CongruenceClasses& classes) {
  WebPlan plan;
  plan.webs = NameWebs(facts, classes);
  plan.at_tops = PlanCopiesAtTops(facts, classes, plan.webs);
  plan.at_ends = PlanCopiesAtEnds(facts, classes, plan.webs);
  return plan;
}

// --- the change ---

void DropDebugUses(const PhiWebFacts& facts, const CongruenceClasses& classes) {
  if (!facts.function.MayContain(generic::kDbgValue) && !facts.function.MayContain(generic::kDbgValueList)) return;
  for (uint32_t i = 0; i < facts.num_registers; ++i) {
    const Register reg = Register::Virtual(i);
    if (!classes.HasSegments(i)) continue;
    DropStaleDebugUses(reg, facts.ValueOf(reg), facts.intervals(), classes, facts.reg_info);
  }
}

void InsertCopies(const PlannedCopies& at, MachineInstr* before, CopySequencer& sequencer, WebCounts& counts) {
  const MachineRegisterInfo& reg_info = at.block->function().reg_info();
  const uint32_t num_registers = reg_info.num_virtual_registers();
  if (!at.copies.empty()) {
    for (const RegisterCopy& copy : sequencer.Sequentialize(at.copies)) {
      BuildMI(*at.block, before, generic::kCopy, at.loc).AddDef(copy.target).AddUse(copy.source).Insert();
      ++counts.num_copies;
    }
  }
  counts.num_cycles += reg_info.num_virtual_registers() - num_registers;
  for (const Register web : at.undefined) {
    BuildMI(*at.block, before, generic::kImplicitDef, at.loc).AddDef(web).Insert();
  }
}

void ReplacePhis(const PhiWebFacts& facts, const WebPlan& plan, WebCounts& counts) {
  for (const PhiWebFacts::Phi& phi : facts.phis) phi.instr->RemoveFromParent();
  CopySequencer sequencer(facts.reg_info);
  for (const PlannedCopies& at : plan.at_tops) InsertCopies(at, at.block->front(), sequencer, counts);
  for (const PlannedCopies& at : plan.at_ends) InsertCopies(at, at.block->FirstTerminator(), sequencer, counts);
  for (const PhiWebFacts::Phi& phi : facts.phis) facts.function.DeleteInstr(phi.instr);
  EraseUnusedImplicitDefs(facts.undefined_sources, facts.reg_info);
}

// Clears the kill flags of registers that are read later than before.
void ClearKills(const PhiWebFacts& facts, const WebPlan& plan, const std::vector<Register>& renamed) {
  std::vector<bool> is_cleared(facts.reg_info.num_virtual_registers());
  const auto clear_kills = [&](Register reg) {
    if (!reg.is_virtual() || is_cleared[reg.virtual_index()]) return;
    is_cleared[reg.virtual_index()] = true;
    facts.reg_info.ClearKillFlags(reg);
  };
  for (const Register reg : renamed) clear_kills(reg);
  for (const Register web : plan.webs) clear_kills(web);
  for (const PlannedCopies& at : plan.at_ends) {
    for (const RegisterCopy& copy : at.copies) clear_kills(copy.source);
  }
}

// Gives the registers of a class one name.
void RenameClasses(const PhiWebFacts& facts, const CongruenceClasses& classes, const WebPlan& plan) {
  std::vector<Register> renamed;
  for (uint32_t i = 0; i < facts.num_registers; ++i) {
    const Register reg = Register::Virtual(i);
    const Register leader = RegisterOf(facts, classes, reg);
    if (!classes.HasSegments(i) || leader == reg) continue;
    facts.reg_info.ReplaceRegister(reg, leader);
    renamed.push_back(leader);
  }
  ClearKills(facts, plan, renamed);
  for (MachineInstr* const copy : facts.copies) {
    if (copy->operand(0).reg() == copy->operand(1).reg()) copy->EraseFromParent();
  }
}

// --- reports ---

void LogWebs(const PhiWebFacts& facts, const CongruenceClasses& classes, std::string& log) {
  std::vector<std::vector<Register>> members(facts.num_registers);
  for (uint32_t i = 0; i < facts.num_registers; ++i) {
    const Register reg = Register::Virtual(i);
    if (classes.HasSegments(i)) members[RegisterOf(facts, classes, reg).virtual_index()].push_back(reg);
  }
  for (const std::vector<Register>& web : members) {
    if (web.size() < 2) continue;
    StrAppend(&log, "  web:");
    for (const Register reg : web) StrAppend(&log, " ", RegisterName(facts.function, reg));
    log += '\n';
  }
}

void Report(const MachineFunction& function, const WebCounts& counts, PassContext& context) {
  if (context.knobs.cssa_verbosity() >= 1) {
    StrAppend(&context.log, "CSSA of ", function.name(), ": ", counts.num_phis, " PHIs, ", counts.num_joined,
              " copies coalesced, ", counts.num_interfering, " interfere, ", counts.num_copies, " inserted\n");
  }
  context.AddStatistic("PHIs lowered", counts.num_phis);
  context.AddStatistic("copies for PHIs coalesced", counts.num_joined);
  context.AddStatistic("copies inserted", counts.num_copies);
  context.AddStatistic("cycles of copies broken", counts.num_cycles);
  if (counts.num_copies == 0) return;
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kAnalysis, context.pass_name, "CopiesInserted", function)
           << RemarkArg("NumPhis", counts.num_phis) << " PHIs became " << RemarkArg("NumCopies", counts.num_copies)
           << " copies; " << RemarkArg("NumInterfering", counts.num_interfering)
           << " operands interfere with the other values of their PHI, " << RemarkArg("NumCycles", counts.num_cycles)
           << " cycles of copies needed a temporary register";
  });
}

}  // namespace

bool LowerPhiWebs(MachineFunction& function, PassContext& context) {
  const size_t num_merged = MergeEqualPhis(function);
  const size_t num_moved = MoveUpdatesDown(function);
  if (num_merged + num_moved > 0) context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
  context.AddStatistic("PHIs equal to another", num_merged);
  context.AddStatistic("updates of PHIs moved down", num_moved);
  const PhiWebFacts facts(function, context.analyses);
  if (facts.phis.empty()) return false;
  WebCounts counts = {.num_phis = facts.phis.size()};
  CongruenceClasses classes(facts.num_nodes());
  JoinNodes(facts, context, classes, counts);
  const WebPlan plan = PlanWebs(facts, classes);
  DropDebugUses(facts, classes);
  ReplacePhis(facts, plan, counts);
  RenameClasses(facts, classes, plan);
  if (context.knobs.cssa_verbosity() >= 2) LogWebs(facts, classes, context.log);
  Report(function, counts, context);
  return true;
}

}  // namespace ptxmir
