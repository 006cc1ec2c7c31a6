// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeliner/modulo_expander.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "mir/code/operand_ranges.h"
#include "passes/pipeliner/modulo_values.h"
#include "passes/support/block_ending.h"
#include "ptx/isa/isa_opcodes.h"

namespace ptxmir {
namespace {

// The new blocks, in the order of the layout.
struct PipelineBlocks {
  std::vector<MachineBasicBlock*> guards;           // variable expansion: one for each step of the prologue
  std::vector<MachineBasicBlock*> prologue;         // peeling: one for each step; else one
  std::vector<MachineBasicBlock*> kernel;           // by copy
  std::vector<MachineBasicBlock*> early_epilogues;  // peeling: by step of the prologue
  std::vector<MachineBasicBlock*> epilogues;        // by copy
  MachineBasicBlock* fallback = nullptr;            // variable expansion: leads to the original loop
  MachineBasicBlock* join = nullptr;                // where all paths meet that leave the loop
};

// A register that is used after the loop, and what it is there.
struct LiveOut {
  Register reg;
  LoopValue value;
  std::vector<std::pair<Register, MachineBasicBlock*>> incoming;
};

class ModuloExpander {
 public:
  using Place = ModuloValues::Place;

  ModuloExpander(const LoopBody& body, const ModuloSchedule& schedule, ModuloExpansion expansion, uint32_t num_copies)
      : function_(body.block->function()),
        reg_info_(function_.reg_info()),
        body_(body),
        schedule_(schedule),
        expansion_(expansion),
        num_copies_(static_cast<int32_t>(num_copies)),
        num_prologue_steps_(static_cast<int32_t>(schedule.num_stages) - 1),
        values_(body, schedule, num_copies) {}

  ExpandedLoop Expand() {
    SortNodes();
    FindLiveOuts();
    CreateBlocks();
    ForgetVariables(*Entry());
    EmitPrologue();
    EmitKernel();
    EmitEpilogues();
    InsertKernelPhis();
    EnterFromPredecessor();
    JoinLiveOuts();
    if (IsPeeling()) EraseLoop();
    return {.kernel = blocks_.kernel.front(), .num_new_instrs = num_new_instrs_};
  }

 private:
  bool IsPeeling() const { return expansion_ == ModuloExpansion::kPeeling; }
  MachineBasicBlock* Entry() const { return IsPeeling() ? blocks_.prologue.front() : blocks_.guards.front(); }

  // A step executes nodes in the order of their rows. Dependences take at least one cycle, so nodes of a row depend on
  // each other in no step.
  void SortNodes() {
    for (uint32_t node = 0; node < body_.instrs.size(); ++node) nodes_.push_back(node);
    std::stable_sort(nodes_.begin(), nodes_.end(),
                     [&](uint32_t a, uint32_t b) { return schedule_.RowOf(a) < schedule_.RowOf(b); });
  }

  // ---- Blocks

  MachineBasicBlock* NewBlock() {
    MachineBasicBlock* const block = function_.CreateBlock();
    function_.InsertBlock(body_.block, block);
    return block;
  }

  void CreateBlocks() {
    const auto steps = static_cast<size_t>(num_prologue_steps_);
    for (size_t i = 0; i < steps && !IsPeeling(); ++i) blocks_.guards.push_back(NewBlock());
    for (size_t i = 0; i < (IsPeeling() ? steps : 1); ++i) blocks_.prologue.push_back(NewBlock());
    for (int32_t copy = 0; copy < num_copies_; ++copy) {
      blocks_.kernel.push_back(NewBlock());
      // The block that a branch falls through to comes next: the epilogue, or the next copy.
      if (body_.continues_if_taken) blocks_.epilogues.push_back(NewBlock());
    }
    for (int32_t copy = 0; copy < num_copies_ && !body_.continues_if_taken; ++copy) {
      blocks_.epilogues.push_back(NewBlock());
    }
    for (size_t i = 0; i < steps && IsPeeling(); ++i) blocks_.early_epilogues.push_back(NewBlock());
    if (!IsPeeling()) blocks_.fallback = NewBlock();
    blocks_.join = function_.CreateBlock();
    function_.InsertBlock(body_.block->next(), blocks_.join);
  }

  void Jump(MachineBasicBlock& from, MachineBasicBlock& to) {
    from.AddSuccessor(&to, BranchProbability::One());
    if (!from.IsLayoutSuccessor(&to)) AppendJump(from, to);
  }

  // Ends a block with the branch of the loop.
  void Branch(MachineBasicBlock& from, Register condition, MachineBasicBlock& next_iteration,
              MachineBasicBlock& leave) {
    const bool is_taken = body_.continues_if_taken;
    const MetadataId loc = body_.branch->debug_loc();
    MachineBasicBlock& target = is_taken ? next_iteration : leave;
    MachineBasicBlock& otherwise = is_taken ? leave : next_iteration;
    BuildMI(from, nullptr, body_.branch->opcode(), loc).AddUse(condition).AddBlock(target).Insert();
    if (!from.IsLayoutSuccessor(&otherwise)) AppendJump(from, otherwise, loc);
    for (MachineBasicBlock* successor : {&target, &otherwise}) {
      from.AddSuccessor(successor, ProbabilityTo(successor == &next_iteration ? body_.block : body_.exit));
    }
  }

  BranchProbability ProbabilityTo(const MachineBasicBlock* successor) const {
    const auto successors = body_.block->successors();
    for (size_t i = 0; i < successors.size(); ++i) {
      if (successors[i] == successor) return body_.block->successor_probabilities()[i];
    }
    return BranchProbability::Unknown();
  }

  // ---- Instructions

  // Emits a copy of a node at the end of a block, for the iteration that executes its stage at a step.
  void EmitNode(MachineBasicBlock& block, uint32_t node, int32_t step, const Place& place) {
    MachineInstr* const copy = function_.CloneInstr(*body_.instrs[node]);
    const uint32_t stage = schedule_.StageOf(node);
    for (MachineOperand& operand : copy->operands()) {
      if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
      if (operand.is_def()) {
        operand.SetReg(values_.Define(operand.reg(), step, place));
      } else if (operand.reads_reg()) {
        const Register reg = values_.Read(body_.ValueOf(operand.reg()), stage, step, place);
        operand.SetReg(reg);
        operand.set_reg_flag(MachineOperand::kKill, false);
        reg_info_.ClearKillFlags(reg);
      }
    }
    ForgetAddresses(*copy);
    block.Append(copy);
    ++num_new_instrs_;
  }

  // Keeps of memory operands what holds for accesses of different iterations.
  void ForgetAddresses(MachineInstr& instr) {
    const auto memoperands = instr.memoperands();
    if (memoperands.empty()) return;
    std::vector<const MachineMemOperand*> kept;
    for (const MachineMemOperand* memoperand : memoperands) {
      MachineMemOperand copy = *memoperand;
      copy.alias_scope = MachineMemOperand::kNoMetadata;
      copy.noalias = MachineMemOperand::kNoMetadata;
      if (copy.value_kind == MachineMemOperand::ValueKind::kIrValue ||
          copy.value_kind == MachineMemOperand::ValueKind::kIrExpression) {
        copy.value_kind = MachineMemOperand::ValueKind::kNone;
        copy.text = {};
        copy.offset = 0;
        copy.base_align_log2 = copy.align_log2;
      }
      kept.push_back(function_.CreateMemOperand(copy));
    }
    instr.SetMemOperands(kept);
  }

  Register ConditionAt(int32_t step, const Place& place) {
    const Register condition = values_.Read(body_.condition, /*stage=*/0, step, place);
    reg_info_.ClearKillFlags(condition);
    return condition;
  }

  // Makes the variables undefined that the loop describes.
  void ForgetVariables(MachineBasicBlock& block) {
    for (MachineInstr& instr : *body_.block) {
      if (!instr.is_debug()) continue;
      MachineInstr* const copy = function_.CloneInstr(instr);
      for (MachineOperand& operand : copy->operands()) {
        if (operand.is_reg()) operand.SetReg(Register());
      }
      block.Append(copy);
    }
  }

  // ---- The parts

  void EmitPrologue() {
    const Place place;
    for (int32_t i = 0; i < num_prologue_steps_; ++i) {
      const int32_t step = i - num_prologue_steps_;
      if (!IsPeeling()) EmitGuard(static_cast<size_t>(i), step);
    }
    for (int32_t i = 0; i < num_prologue_steps_; ++i) {
      const int32_t step = i - num_prologue_steps_;
      MachineBasicBlock& block = *blocks_.prologue[IsPeeling() ? static_cast<size_t>(i) : 0];
      for (const uint32_t node : nodes_) {
        const bool exists = static_cast<int32_t>(schedule_.StageOf(node)) <= i;
        if (exists && (IsPeeling() || !body_.is_control[node])) EmitNode(block, node, step, place);
      }
      if (!IsPeeling()) continue;
      const bool is_last = i + 1 == num_prologue_steps_;
      MachineBasicBlock& next = is_last ? *blocks_.kernel.front() : *blocks_.prologue[static_cast<size_t>(i) + 1];
      Branch(block, ConditionAt(step, place), next, *blocks_.early_epilogues[static_cast<size_t>(i)]);
    }
    if (!IsPeeling()) Jump(*blocks_.prologue.front(), *blocks_.kernel.front());
  }

  void EmitGuard(size_t i, int32_t step) {
    const Place place;
    MachineBasicBlock& block = *blocks_.guards[i];
    for (const uint32_t node : nodes_) {
      if (body_.is_control[node]) EmitNode(block, node, step, place);
    }
    MachineBasicBlock& next = i + 1 < blocks_.guards.size() ? *blocks_.guards[i + 1] : *blocks_.prologue.front();
    Branch(block, ConditionAt(step, place), next, *blocks_.fallback);
  }

  void EmitKernel() {
    const Place place;
    for (int32_t copy = 0; copy < num_copies_; ++copy) {
      MachineBasicBlock& block = *blocks_.kernel[static_cast<size_t>(copy)];
      for (const uint32_t node : nodes_) EmitNode(block, node, copy, place);
      MachineBasicBlock& next = *blocks_.kernel[static_cast<size_t>((copy + 1) % num_copies_)];
      Branch(block, ConditionAt(copy, place), next, *blocks_.epilogues[static_cast<size_t>(copy)]);
    }
  }

  void EmitEpilogues() {
    for (int32_t i = 0; i < static_cast<int32_t>(blocks_.early_epilogues.size()); ++i) {
      EmitEpilogue(*blocks_.early_epilogues[static_cast<size_t>(i)], i - num_prologue_steps_);
    }
    for (int32_t copy = 0; copy < num_copies_; ++copy) {
      EmitEpilogue(*blocks_.epilogues[static_cast<size_t>(copy)], copy);
    }
    if (!IsPeeling()) {
      Jump(*blocks_.fallback, *body_.block);
      for (LiveOut& live_out : live_outs_) live_out.incoming.emplace_back(live_out.reg, body_.block);
    }
  }

  // Executes what is left of the iterations that were begun when the loop is left after a step.
  void EmitEpilogue(MachineBasicBlock& block, int32_t exit_step) {
    std::vector<std::vector<Register>> registers;
    const Place place = {.exit_step = exit_step, .is_epilogue = true, .epilogue = &registers};
    for (int32_t i = 1; i <= num_prologue_steps_; ++i) {
      for (const uint32_t node : nodes_) {
        const auto stage = static_cast<int32_t>(schedule_.StageOf(node));
        // The prologue has not begun as many iterations as there are stages.
        const bool exists = stage >= i && exit_step + i + num_prologue_steps_ - stage >= 0;
        if (exists) EmitNode(block, node, exit_step + i, place);
      }
    }
    for (LiveOut& live_out : live_outs_) {
      const Register reg = values_.Read(live_out.value, /*stage=*/0, exit_step, place);
      reg_info_.ClearKillFlags(reg);
      live_out.incoming.emplace_back(reg, &block);
    }
    Jump(block, *blocks_.join);
  }

  void InsertKernelPhis() {
    MachineBasicBlock& kernel = *blocks_.kernel.front();
    MachineInstr* const first = kernel.front();
    for (const ModuloValues::KernelPhi& phi : values_.kernel_phis()) {
      reg_info_.ClearKillFlags(phi.from_prologue);
      BuildMI(kernel, first, generic::kPhi)
          .AddDef(phi.result)
          .AddUse(phi.from_prologue)
          .AddBlock(*blocks_.prologue.back())
          .AddUse(phi.from_kernel)
          .AddBlock(*blocks_.kernel.back())
          .Insert();
    }
  }

  // ---- Connections with the rest of the function

  void EnterFromPredecessor() {
    body_.predecessor->RetargetSuccessor(body_.block, Entry());
    if (blocks_.fallback != nullptr) body_.block->ReplacePhiUsesWith(body_.predecessor, blocks_.fallback);
  }

  bool IsOutside(const MachineOperand& use) const { return use.parent()->parent() != body_.block; }

  // Finds the registers that are used after the loop. Those that only debug instructions use there are not worth PHIs:
  // the variables become undefined.
  void FindLiveOuts() {
    for (MachineInstr& instr : *body_.block) {
      if (instr.is_debug()) continue;
      for (const MachineOperand& def : VirtualDefs(instr)) {
        const auto uses = reg_info_.NonDebugUses(def.reg());
        if (std::any_of(uses.begin(), uses.end(), [&](const MachineOperand& use) { return IsOutside(use); })) {
          live_outs_.push_back({.reg = def.reg(), .value = body_.ValueOf(def.reg()), .incoming = {}});
        } else {
          ReplaceOutside(def.reg(), Register());
        }
      }
    }
  }

  void ReplaceOutside(Register from, Register to) {
    std::vector<MachineOperand*> uses;
    for (MachineOperand& use : reg_info_.Uses(from)) {
      if (IsOutside(use)) uses.push_back(&use);
    }
    for (MachineOperand* use : uses) use->SetReg(to);
  }

  // Puts a block between the ends of all paths and the exit, and joins there what is used after the loop.
  void JoinLiveOuts() {
    MachineBasicBlock& join = *blocks_.join;
    for (LiveOut& live_out : live_outs_) {
      const Register joined = reg_info_.CreateVirtualRegister(reg_info_.reg_class(live_out.reg));
      ReplaceOutside(live_out.reg, joined);
      reg_info_.ClearKillFlags(live_out.reg);
      auto phi = BuildMI(join, nullptr, generic::kPhi);
      phi.AddDef(joined);
      for (const auto& [reg, block] : live_out.incoming) phi.AddUse(reg).AddBlock(*block);
      phi.Insert();
    }
    MachineBasicBlock* const old_next = join.next();
    body_.exit->ReplacePhiUsesWith(body_.block, &join);
    body_.block->RetargetSuccessor(body_.exit, &join);
    // Falling through to the exit has become falling through to the new block.
    AdjustEnding(*body_.block, old_next == body_.exit ? &join : old_next);
    Jump(join, *body_.exit);
  }

  void EraseLoop() {
    body_.block->RemoveSuccessor(body_.block);
    body_.block->RemoveSuccessor(blocks_.join);
    function_.EraseBlock(body_.block);
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  const LoopBody& body_;
  const ModuloSchedule& schedule_;
  const ModuloExpansion expansion_;
  const int32_t num_copies_;
  const int32_t num_prologue_steps_;
  ModuloValues values_;
  std::vector<uint32_t> nodes_;  // by row
  PipelineBlocks blocks_;
  std::vector<LiveOut> live_outs_;
  uint32_t num_new_instrs_ = 0;
};

}  // namespace

ExpandedLoop ExpandModuloSchedule(const LoopBody& body, const ModuloSchedule& schedule, ModuloExpansion expansion,
                                  uint32_t num_copies) {
  return ModuloExpander(body, schedule, expansion, num_copies).Expand();
}

}  // namespace ptxmir
