// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/phi_elimination.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "mir/code/operand_ranges.h"
#include "passes/out_of_ssa/copies.h"
#include "passes/out_of_ssa/phi_webs.h"
#include "passes/support/copy_sequencer.h"

namespace ptxmir {
namespace {

// A direct PHI is assigned in the predecessors. For another one, a staging register is, which a copy in the block
// reads.
struct JudgedPhi {
  MachineInstr* instr;
  bool is_direct;
};

struct LoweringCounts {
  uint64_t num_phis = 0;
  uint64_t num_direct = 0;
  uint64_t num_copies = 0;
  uint64_t num_cycles = 0;
};

// --- judging PHIs ---

bool AllPredecessorsLeadOnlyHere(const MachineBasicBlock& block) {
  return std::all_of(block.predecessors().begin(), block.predecessors().end(),
                     [](const MachineBasicBlock* p) { return p->successors().size() == 1; });
}

// Returns true if `target` cannot be read along any edge out of a predecessor other than the edge into `block`.
bool CanAssignInPredecessors(Register target, const MachineBasicBlock& block, bool predecessors_lead_only_here) {
  for (const MachineOperand& use : block.function().reg_info().Uses(target)) {
    const MachineInstr* user = use.parent();
    if (use.is_debug()) continue;
    // The terminators of a predecessor read after its copies.
    if (user->is_terminator() && user->parent()->IsSuccessor(&block)) return false;
    if (predecessors_lead_only_here) continue;
    if (user->parent() != &block) return false;
    // A PHI reads at the end of a predecessor. On the edge from this block to itself that is the same parallel copy;
    // on any other, the value is live on the way there, which may begin with another edge out of a predecessor.
    if (user->is_phi() && PhiIncoming(use).predecessor() != block.number()) return false;
  }
  return true;
}

// Judges all PHIs before any changes, because uses by the PHIs of all blocks matter. `stages_all` allows no direct
// PHIs.
std::vector<JudgedPhi> JudgePhis(const MachineFunction& function, bool stages_all) {
  std::vector<JudgedPhi> phis;
  for (const MachineBasicBlock& block : function) {
    MachineInstr* phi = block.front();
    if (phi == nullptr || !phi->is_phi()) continue;
    const bool lead_only_here = AllPredecessorsLeadOnlyHere(block);
    for (; phi != nullptr && phi->is_phi(); phi = phi->next()) {
      phis.push_back({phi, !stages_all && CanAssignInPredecessors(phi->operand(0).reg(), block, lead_only_here)});
    }
  }
  return phis;
}

// --- the copies on edges ---

struct EdgeCopy {
  RegisterCopy copy;  // an invalid source means that the value is undefined
  MetadataId loc;
};

// The copies at the end of each predecessor, in the order in which they were added.
class EdgeCopies {
 public:
  explicit EdgeCopies(const MachineFunction& function) : lists_(function.block_number_bound()) {}

  void Add(BlockNumber predecessor, const EdgeCopy& copy) {
    entries_.push_back({copy});
    const uint32_t number = static_cast<uint32_t>(entries_.size());
    List& list = lists_[predecessor];
    (list.first == 0 ? list.first : entries_[list.last - 1].next) = number;
    list.last = number;
  }
  // Returns null if there are none.
  const EdgeCopy* First(BlockNumber predecessor) const {
    const uint32_t first = lists_[predecessor].first;
    return first == 0 ? nullptr : &entries_[first - 1].copy;
  }
  template <typename Visit>
  void ForEach(BlockNumber predecessor, Visit visit) const {
    for (uint32_t i = lists_[predecessor].first; i != 0; i = entries_[i - 1].next) visit(entries_[i - 1].copy);
  }

 private:
  struct Entry {
    EdgeCopy copy;
    uint32_t next = 0;  // 1 + the next copy of the same predecessor, or 0
  };
  // 1 + the first and the last copy; 0 if there are none.
  struct List {
    uint32_t first = 0;
    uint32_t last = 0;
  };

  std::vector<Entry> entries_;
  std::vector<List> lists_;  // by number of the predecessor
};

// Adds the copies that assign the inputs of the PHI to `assigned`.
void AddEdgeCopies(const MachineInstr& phi, Register assigned, uint32_t phi_number, std::vector<uint32_t>& added_for,
                   EdgeCopies& copies) {
  for (const PhiIncoming incoming : PhiIncomings(phi)) {
    const MachineOperand& source = incoming.value();
    // A predecessor with several edges to this block (a switch) is named once for each, with the same value; one copy
    // serves them all.
    if (std::exchange(added_for[incoming.predecessor()], phi_number) == phi_number) continue;
    const bool undefined = IsUndefinedSource(source, phi.function().reg_info());
    copies.Add(incoming.predecessor(), {{assigned, undefined ? Register() : source.reg()}, phi.debug_loc()});
  }
}

// --- the change ---

// Copies the staging registers at the tops of blocks. Returns the copies that are needed at the ends of predecessors.
EdgeCopies StagePhis(MachineFunction& function, const std::vector<JudgedPhi>& phis, LoweringCounts& counts) {
  EdgeCopies copies(function);
  // By number of a predecessor: the last PHI, counted from 1, that has a copy there.
  std::vector<uint32_t> added_for(function.block_number_bound());
  MachineBasicBlock* block = nullptr;
  MachineInstr* body = nullptr;
  for (const auto& [phi, is_direct] : phis) {
    if (phi->parent() != block) {
      block = phi->parent();
      body = block->FirstNonPhi();
    }
    const Register result = phi->operand(0).reg();
    counts.num_direct += is_direct;
    Register assigned = result;
    if (!is_direct) {
      assigned = function.reg_info().CreateVirtualRegister(function.reg_info().reg_class(result));
      BuildMI(*block, body, generic::kCopy, phi->debug_loc()).AddDef(result).AddUse(assigned).Insert();
      ++counts.num_copies;
    }
    AddEdgeCopies(*phi, assigned, static_cast<uint32_t>(++counts.num_phis), added_for, copies);
  }
  return copies;
}

// The registers that PHIs read.
struct PhiInputs {
  // Copies may read them after their last uses so far. (The last uses of a PHI's result do not change.) Each register
  // is there once, because it may be the source of any number of PHIs.
  std::vector<Register> read_later;
  std::vector<Register> undefined;
};

PhiInputs CollectInputs(const MachineRegisterInfo& reg_info, const std::vector<JudgedPhi>& phis) {
  PhiInputs inputs;
  std::vector<bool> is_seen(reg_info.num_virtual_registers());
  for (const JudgedPhi& phi : phis) {
    for (const PhiIncoming incoming : PhiIncomings(*phi.instr)) {
      const Register reg = incoming.reg();
      if (!reg.is_virtual() || is_seen[reg.virtual_index()]) continue;
      is_seen[reg.virtual_index()] = true;
      inputs.read_later.push_back(reg);
      if (IsUndefinedSource(incoming.value(), reg_info)) inputs.undefined.push_back(reg);
    }
  }
  return inputs;
}

void InsertCopiesAtEnd(MachineBasicBlock& block, const EdgeCopies& copies, CopySequencer& sequencer,
                       LoweringCounts& counts) {
  const EdgeCopy* const first = copies.First(block.number());
  if (first == nullptr) return;
  MachineInstr* const before = block.FirstTerminator();
  std::vector<RegisterCopy> parallel;
  copies.ForEach(block.number(), [&](const EdgeCopy& at) {
    if (at.copy.source.is_valid()) parallel.push_back(at.copy);
  });
  const MachineRegisterInfo& reg_info = block.function().reg_info();
  const uint32_t registers_before = reg_info.num_virtual_registers();
  for (const RegisterCopy& copy : sequencer.Sequentialize(parallel)) {
    BuildMI(block, before, generic::kCopy, first->loc).AddDef(copy.target).AddUse(copy.source).Insert();
    ++counts.num_copies;
  }
  counts.num_cycles += reg_info.num_virtual_registers() - registers_before;
  // After the copies, because an undefined target may be the source of one of them.
  copies.ForEach(block.number(), [&](const EdgeCopy& at) {
    if (at.copy.source.is_valid()) return;
    BuildMI(block, before, generic::kImplicitDef, at.loc).AddDef(at.copy.target).Insert();
  });
}

void Report(const MachineFunction& function, const LoweringCounts& counts, PassContext& context) {
  context.AddStatistic("PHIs lowered", counts.num_phis);
  context.AddStatistic("PHIs lowered without a staging register", counts.num_direct);
  context.AddStatistic("copies inserted", counts.num_copies);
  context.AddStatistic("cycles of copies broken", counts.num_cycles);
  if (counts.num_copies == 0) return;
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kAnalysis, context.pass_name, "CopiesInserted", function)
           << RemarkArg("NumPhis", counts.num_phis) << " PHIs became " << RemarkArg("NumCopies", counts.num_copies)
           << " copies; " << RemarkArg("NumStaged", counts.num_phis - counts.num_direct)
           << " PHIs needed a staging register, " << RemarkArg("NumCycles", counts.num_cycles)
           << " cycles of copies a temporary one";
  });
}

// Returns true if there were PHIs.
bool LowerPhis(MachineFunction& function, PassContext& context, bool stages_all) {
  MachineRegisterInfo& reg_info = function.reg_info();
  const std::vector<JudgedPhi> phis = JudgePhis(function, stages_all);
  const PhiInputs inputs = CollectInputs(reg_info, phis);
  LoweringCounts counts;
  const EdgeCopies copies = StagePhis(function, phis, counts);
  for (const JudgedPhi& phi : phis) phi.instr->EraseFromParent();
  for (const Register reg : inputs.read_later) reg_info.ClearKillFlags(reg);
  CopySequencer sequencer(reg_info);
  for (MachineBasicBlock& block : function) InsertCopiesAtEnd(block, copies, sequencer, counts);
  EraseUnusedImplicitDefs(inputs.undefined, reg_info);
  Report(function, counts, context);
  return !phis.empty();
}

}  // namespace

PassResult RunPhiElimination(MachineFunction& function, PassContext& context) {
  // Without optimization there are no live intervals.
  const int method = context.opt_level == 0 ? 1 : context.knobs.usedessa();
  bool changed = false;
  if (function.MayContain(generic::kPhi)) {
    changed = method == 2 ? LowerPhiWebs(function, context) : LowerPhis(function, context, method == 0);
  }
  const bool was_ssa = function.HasProperty(FunctionProperty::kIsSsa);
  function.SetProperty(FunctionProperty::kNoPhis);
  function.SetProperty(FunctionProperty::kIsSsa, false);
  return {.changed = changed || was_ssa, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
