// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/late_cleanup.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "passes/ssa/expression_table.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// The most blocks that the search back from a definition visits, and the most definitions of a register that is looked
// at. Together they keep the pass near-linear.
constexpr size_t kMaxBlocks = 64;
constexpr size_t kMaxKnownDefs = 256;

class LateCleanup {
 public:
  explicit LateCleanup(MachineFunction& function)
      : function_(function),
        reg_info_(function.reg_info()),
        last_def_(function.block_number_bound()),
        visited_for_(function.block_number_bound()) {}

  uint64_t Run() {
    for (uint32_t i = 0; i < reg_info_.num_virtual_registers(); ++i) CleanRegister(Register::Virtual(i));
    ClearKillFlags(reg_info_, std::move(cleaned_));
    return num_erased_;
  }

 private:
  // A definition of the current register, with its place in the function.
  struct Def {
    MachineInstr* instr;
    BlockNumber block;
    uint32_t order;
  };
  // By block, valid for the current register only: its last definition there.
  struct LastDef {
    uint32_t reg = 0;  // 1 + the register's index
    const MachineInstr* instr = nullptr;
  };

  // Returns true if the instruction computes its only result from constants.
  bool IsConstant(const MachineInstr& instr) const {
    if (instr.num_explicit_defs() != 1 || instr.extra() != nullptr || instr.has_flag(MachineInstr::kBundledPred) ||
        instr.has_flag(MachineInstr::kBundledSucc) || instr.is_copy() || instr.is_phi() || instr.is_implicit_def()) {
      return false;
    }
    if (!ptx::InstrInfo(instr.opcode()).is_rematerializable() || !IsPlainComputation(instr)) return false;
    const auto sources = instr.operands().subspan(1);
    return std::all_of(sources.begin(), sources.end(), [&](const MachineOperand& source) {
      if (!source.is_reg() || !source.reg().is_valid()) return true;
      // The registers of the frame are set up once, at the beginning.
      if (!source.is_use() || source.is_undef() || source.is_implicit() || source.reg().is_virtual()) return false;
      return reg_info_.Defs(source.reg()).empty() || reg_info_.UniqueDef(source.reg()) != nullptr;
    });
  }

  void CleanRegister(Register reg) {
    auto defs = reg_info_.Defs(reg);
    auto def = defs.begin();
    if (def == defs.end() || ++def == defs.end()) return;
    defs_.clear();
    size_t num_constants = 0;
    for (const MachineOperand& operand : defs) {
      MachineInstr& instr = *operand.parent();
      if (defs_.size() == kMaxKnownDefs || !instr.is_linked()) return;
      num_constants += IsConstant(instr);
      defs_.push_back({&instr, instr.parent()->number(), 0});
    }
    if (num_constants < 2 || !HasEqualDefs()) return;
    SortDefs();
    current_ = reg.virtual_index() + 1;
    for (const Def& last : defs_) last_def_[last.block] = {current_, last.instr};
    redundant_.clear();
    for (size_t i = 0; i < defs_.size(); ++i) {
      if (IsConstant(*defs_[i].instr) && IsRedundant(i)) redundant_.push_back(defs_[i].instr);
    }
    if (redundant_.empty()) return;
    for (MachineInstr* const instr : redundant_) instr->EraseFromParent();
    num_erased_ += redundant_.size();
    // Users of an erased definition now read another one.
    for (MachineOperand& operand : reg_info_.Defs(reg)) operand.set_reg_flag(MachineOperand::kDead, false);
    cleaned_.push_back(reg);
  }

  // Returns true if a constant is equal to the first one, or to its neighbor in the list. Most registers have one value
  // only; this is a quick look.
  bool HasEqualDefs() const {
    for (size_t i = 0; i < defs_.size(); ++i) {
      if (!IsConstant(*defs_[i].instr)) continue;
      for (size_t j = i + 1; j < std::min(defs_.size(), i + 8); ++j) {
        if (IsSameExpression(*defs_[i].instr, *defs_[j].instr, SourceOrder::kGiven)) return true;
      }
    }
    return false;
  }

  // Sorts the definitions by block, and within a block by place.
  void SortDefs() {
    if (order_.empty()) {
      order_.resize(function_.arena().id_bound());
      uint32_t order = 0;
      for (const MachineBasicBlock& block : function_) {
        for (const MachineInstr& instr : block) order_[instr.id()] = ++order;
      }
    }
    for (Def& def : defs_) def.order = order_[def.instr->id()];
    std::sort(defs_.begin(), defs_.end(), [](const Def& a, const Def& b) { return a.order < b.order; });
  }

  bool IsEqual(const MachineInstr& a, const MachineInstr& b) const {
    return IsConstant(a) && IsSameExpression(a, b, SourceOrder::kGiven);
  }

  // Returns true if all paths to the definition pass an equal one last.
  bool IsRedundant(size_t i) {
    const Def& def = defs_[i];
    if (i > 0 && defs_[i - 1].block == def.block) return IsEqual(*defs_[i - 1].instr, *def.instr);
    ++search_;
    work_.clear();
    if (!AddPredecessors(*function_.block(def.block))) return false;
    for (size_t next = 0; next < work_.size(); ++next) {
      const MachineBasicBlock& block = *work_[next];
      const LastDef& last = last_def_[block.number()];
      if (last.reg == current_) {
        if (!IsEqual(*last.instr, *def.instr)) return false;
      } else if (!AddPredecessors(block) || work_.size() > kMaxBlocks) {
        return false;
      }
    }
    return true;
  }

  // Returns false if control enters the function at the block.
  bool AddPredecessors(const MachineBasicBlock& block) {
    if (block.predecessors().empty() || &block == function_.front()) return false;
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      if (visited_for_[predecessor->number()] == search_) continue;
      visited_for_[predecessor->number()] = search_;
      work_.push_back(predecessor);
    }
    return true;
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  std::vector<Def> defs_;
  std::vector<uint32_t> order_;  // by id: the place of an instruction; made when first needed
  std::vector<LastDef> last_def_;
  std::vector<uint32_t> visited_for_;  // by block: the last search that has visited it
  uint32_t search_ = 0;
  uint32_t current_ = 0;
  std::vector<const MachineBasicBlock*> work_;
  std::vector<MachineInstr*> redundant_;
  std::vector<Register> cleaned_;
  uint64_t num_erased_ = 0;
};

}  // namespace

PassResult RunLateInstrsCleanup(MachineFunction& function, PassContext& context) {
  if (function.empty()) return {};
  const uint64_t num_erased = LateCleanup(function).Run();
  context.AddStatistic("repeated constants removed", num_erased);
  if (num_erased == 0) return {};
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "ConstantsRemoved", function)
           << RemarkArg("NumRemoved", num_erased) << " constants removed that their registers hold already";
  });
  return {.changed = true, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
