// SPDX-License-Identifier: Apache-2.0

#include "passes/memory/param_opt.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "analysis/control_flow/block_order.h"
#include "analysis/control_flow/machine_cycles.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "mir/code/operand_ranges.h"
#include "options/knobs.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/parameter_names.h"

namespace ptxmir {
namespace {

using ptx::InstrInfo;
using ptx::MemorySpace;
using ptx::PtxInstrInfo;

// The properties that two loads of the same value have in common.
struct LoadKey {
  Opcode opcode = 0;
  SymbolId symbol = 0;
  int64_t offset = 0;
  int64_t width = 0;
  int64_t sign = 0;
  friend bool operator==(const LoadKey&, const LoadKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const LoadKey& key) {
    return H::combine(std::move(h), key.opcode, key.symbol, key.offset, key.width, key.sign);
  }
};

class ParamOptimizer {
 public:
  ParamOptimizer(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        cycles_(context.analyses.Get<MachineCycles>()),
        is_own_(function.num_symbols()) {}

  bool Run() {
    FindParameters();
    for (MachineBasicBlock* const block : DepthFirstOrder(function_).reverse_postorder) {
      for (MachineInstr* instr = block->front(); instr != nullptr;) {
        MachineInstr* const load = instr;
        instr = instr->next();
        if (IsOwnLoad(*load)) JoinOrKeep(*load);
      }
    }
    if (context_.knobs.remat_load_param()) {
      // Each goes to the beginning of a block, so the order stays.
      std::for_each(kept_.rbegin(), kept_.rend(), [&](MachineInstr* load) { Sink(*load); });
    }
    ClearKillFlags(reg_info_, std::move(extended_));
    context_.AddStatistic("loads of parameters joined", num_joined_);
    context_.AddStatistic("loads of parameters sunk", num_sunk_);
    return num_joined_ + num_sunk_ > 0;
  }

 private:
  static constexpr size_t kMostLeaders = 8;  // loads of one value in different parts of the function
  static constexpr unsigned kMostUses = 100;

  // Finds the parameters of the function that only loads name.
  void FindParameters() {
    for (SymbolId id = 0; id < is_own_.size(); ++id) {
      is_own_[id] = ptx::ParameterNumber(function_.symbol(id), function_.name()).has_value();
    }
    for (const MachineBasicBlock& block : function_) {
      for (const MachineInstr& instr : block) {
        for (const MachineOperand& operand : instr.operands()) {
          if (!operand.is_symbol() || operand.symbol() >= is_own_.size()) continue;
          if (!IsParameterLoad(instr) && !instr.is_debug()) is_own_[operand.symbol()] = false;
        }
      }
    }
  }

  static bool IsParameterLoad(const MachineInstr& instr) {
    const PtxInstrInfo& info = InstrInfo(instr.opcode());
    return info.family == ptx::Family::kLd && ptx::MemorySpaceOf(instr) == MemorySpace::kParam &&
           !ptx::IsOrderedAccess(instr) && instr.operand(info.address).is_symbol();
  }

  bool IsOwnLoad(const MachineInstr& instr) const {
    if (!IsParameterLoad(instr)) return false;
    const PtxInstrInfo& info = InstrInfo(instr.opcode());
    if (!instr.operand(info.address + 1u).is_imm() || !instr.operand(info.width).is_imm()) return false;
    const auto defs = instr.explicit_defs();
    const bool has_virtual_results =
        std::all_of(defs.begin(), defs.end(), [](const MachineOperand& def) { return def.reg().is_virtual(); });
    const SymbolId symbol = instr.operand(info.address).symbol();
    return has_virtual_results && symbol < is_own_.size() && is_own_[symbol];
  }

  static LoadKey KeyOf(const MachineInstr& load) {
    const PtxInstrInfo& info = InstrInfo(load.opcode());
    const MachineOperand& base = load.operand(info.address);
    return {.opcode = load.opcode(),
            .symbol = base.symbol(),
            .offset = static_cast<int64_t>(static_cast<uint64_t>(base.offset()) +
                                           static_cast<uint64_t>(load.operand(info.address + 1u).imm())),
            .width = load.operand(info.width).imm(),
            .sign = load.operand(info.width - 1u).imm()};
  }

  void JoinOrKeep(MachineInstr& load) {
    Leaders& leaders = leaders_[KeyOf(load)];
    for (MachineInstr* const leader : leaders) {
      // Blocks come in an order in which what dominates comes first, and so do the instructions of a block.
      if (!dominators_.Dominates(*leader->parent(), *load.parent()) || !HasSameClasses(*leader, load)) continue;
      Join(*leader, load);
      return;
    }
    if (leaders.size() < kMostLeaders) leaders.push_back(&load);
    kept_.push_back(&load);
  }

  bool HasSameClasses(const MachineInstr& a, const MachineInstr& b) const {
    for (unsigned i = 0; i < a.num_explicit_defs(); ++i) {
      if (reg_info_.reg_class(a.operand(i).reg()) != reg_info_.reg_class(b.operand(i).reg())) return false;
    }
    return true;
  }

  void Join(MachineInstr& leader, MachineInstr& load) {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "LoadJoined", load)
             << "parameter was loaded before";
    });
    for (unsigned i = 0; i < load.num_explicit_defs(); ++i) {
      MachineOperand& kept = leader.operand(i);
      kept.set_reg_flag(MachineOperand::kDead, kept.is_dead() && load.operand(i).is_dead());
      extended_.push_back(kept.reg());
    }
    absl::InlinedVector<Register, 8> results;
    for (const MachineOperand& def : load.explicit_defs()) results.push_back(def.reg());
    load.EraseFromParent();
    for (unsigned i = 0; i < results.size(); ++i) reg_info_.ReplaceRegister(results[i], leader.operand(i).reg());
    ++num_joined_;
  }

  // ---- Sinking

  // Returns the block where a use reads its register.
  MachineBasicBlock* BlockOf(const MachineOperand& use) const {
    const MachineInstr& user = *use.parent();
    if (!user.is_phi()) return user.parent();
    return function_.block((&use)[1].block());
  }

  // Returns the nearest block that dominates all uses of the results, or null if there are none or many.
  MachineBasicBlock* DominatorOfUses(const MachineInstr& load) const {
    MachineBasicBlock* block = nullptr;
    unsigned num_uses = 0;
    for (const MachineOperand& def : load.explicit_defs()) {
      for (const MachineOperand& use : reg_info_.NonDebugUses(def.reg())) {
        MachineBasicBlock* const of_use = BlockOf(use);
        if (++num_uses > kMostUses || !dominators_.Contains(*of_use)) return nullptr;
        block = block == nullptr ? of_use : dominators_.NearestCommonDominator(*block, *of_use);
        if (block == load.parent()) return block;
      }
    }
    return block;
  }

  void Sink(MachineInstr& load) {
    MachineBasicBlock* target = DominatorOfUses(load);
    // The load must not be executed more often.
    while (target != nullptr && target != load.parent() &&
           cycles_.InnermostCycle(*target) != cycles_.InnermostCycle(*load.parent())) {
      target = dominators_.ImmediateDominator(*target);
    }
    if (target == nullptr || target == load.parent()) return;
    for (const MachineOperand& def : load.explicit_defs()) {
      DropDebugUses(reg_info_, def.reg());
      extended_.push_back(def.reg());
    }
    load.RemoveFromParent();
    target->Insert(target->FirstNonPhi(), &load);
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "LoadSunk", load)
             << "load of parameter moved to where it is used";
    });
    ++num_sunk_;
  }

  using Leaders = absl::InlinedVector<MachineInstr*, 1>;

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const MachineDominatorTree& dominators_;
  const MachineCycles& cycles_;
  std::vector<bool> is_own_;  // by symbol
  absl::flat_hash_map<LoadKey, Leaders> leaders_;
  std::vector<MachineInstr*> kept_;
  std::vector<Register> extended_;  // registers that are read in more places
  uint64_t num_joined_ = 0;
  uint64_t num_sunk_ = 0;
};

}  // namespace

PassResult RunParamOpt(MachineFunction& function, PassContext& context) {
  const auto is_load = [](Opcode opcode) { return InstrInfo(opcode).family == ptx::Family::kLd; };
  if (!function.MayContainAny(is_load)) return {};
  const bool changed = ParamOptimizer(function, context).Run();
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
