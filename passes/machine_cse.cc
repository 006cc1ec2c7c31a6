#include "passes/machine_cse.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_dominators.h"
#include "analysis/machine_opt_remark_emitter.h"
#include "analysis/machine_register_pressure.h"
#include "analysis/memory_dependence.h"
#include "analysis/register_budget.h"
#include "mir/planted_bugs.h"
#include "ptx/instr_info.h"
#include "ptx/machine_model.h"
#include "ptx/ptx_target.h"

namespace ptxmir {
namespace {

constexpr std::string_view kPass = "machine-cse";

// Registers up to which pressure costs nothing: every kernel may have as many, and all warps that an SM can hold fit.
constexpr uint32_t kCheapUnits = 32;

// The operands of a commutative instruction that may be exchanged: its first two register sources.
std::pair<unsigned, unsigned> ExchangeableOperands(const MachineInstr& instr) {
  constexpr std::pair<unsigned, unsigned> kNone = {0, 0};
  if (!ptx::InstrInfo(instr.opcode()).is_commutable()) return kNone;
  const unsigned first = instr.num_explicit_defs();
  if (first + 1 >= instr.num_operands()) return kNone;
  const bool are_registers = instr.operand(first).is_use() && instr.operand(first + 1).is_use();
  return are_registers ? std::pair(first, first + 1) : kNone;
}

size_t HashOf(const MachineOperand& operand) {
  const auto kind = static_cast<int>(operand.kind());
  if (operand.is_reg()) return absl::HashOf(kind, operand.reg().bits());
  if (operand.is_imm()) return absl::HashOf(kind, operand.imm());
  if (operand.is_fp_imm()) return absl::HashOf(kind, operand.fp_bits());
  if (operand.is_global() || operand.is_symbol()) return absl::HashOf(kind, operand.global(), operand.offset());
  return absl::HashOf(kind);
}

// The same for instructions that IsSameExpression.
size_t HashOf(const MachineInstr& instr) {
  const auto [first, second] = ExchangeableOperands(instr);
  size_t hash = absl::HashOf(instr.opcode(), instr.num_operands());
  for (unsigned i = instr.num_explicit_defs(); i < instr.num_operands(); ++i) {
    if (second != 0 && i == first) {
      const size_t a = HashOf(instr.operand(first));
      const size_t b = Planted(Bug::kCseIgnoresOperand) ? 0 : HashOf(instr.operand(second));
      hash = absl::HashOf(hash, std::min(a, b), std::max(a, b));
      ++i;
    } else {
      hash = absl::HashOf(hash, HashOf(instr.operand(i)));
    }
  }
  return hash;
}

bool IsSameExpression(const MachineInstr& a, const MachineInstr& b) {
  if (a.opcode() != b.opcode() || a.num_operands() != b.num_operands()) return false;
  const auto [first, second] = ExchangeableOperands(a);
  for (unsigned i = a.num_explicit_defs(); i < a.num_operands(); ++i) {
    if (second != 0 && i == first) {
      const bool in_order = a.operand(first).IsIdenticalTo(b.operand(first)) &&
                            (a.operand(second).IsIdenticalTo(b.operand(second)) || Planted(Bug::kCseIgnoresOperand));
      const bool exchanged =
          a.operand(first).IsIdenticalTo(b.operand(second)) && a.operand(second).IsIdenticalTo(b.operand(first));
      if (!in_order && !exchanged) return false;
      ++i;
    } else if (!a.operand(i).IsIdenticalTo(b.operand(i))) {
      return false;
    }
  }
  return true;
}

// The expressions that are available, the latest first. Those of a scope are all behind those of the scopes around it.
class ExpressionTable {
 public:
  // Null if there is none.
  MachineInstr* Find(const MachineInstr& instr, size_t hash) const {
    const auto found = heads_.find(hash);
    for (uint32_t i = found == heads_.end() ? kNone : found->second; i != kNone; i = entries_[i].next) {
      if (IsSameExpression(*entries_[i].instr, instr)) return entries_[i].instr;
    }
    return nullptr;
  }

  void Add(MachineInstr& instr, size_t hash) {
    uint32_t& head = heads_.try_emplace(hash, kNone).first->second;
    entries_.push_back({&instr, hash, head});
    head = static_cast<uint32_t>(entries_.size() - 1);
  }

  size_t size() const { return entries_.size(); }
  void ShrinkTo(size_t size) {
    for (; entries_.size() > size; entries_.pop_back()) {
      const Entry& last = entries_.back();
      if (last.next == kNone) {
        heads_.erase(last.hash);
      } else {
        heads_[last.hash] = last.next;
      }
    }
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Entry {
    MachineInstr* instr;
    size_t hash;
    uint32_t next;  // of the same hash
  };
  absl::flat_hash_map<size_t, uint32_t> heads_;
  std::vector<Entry> entries_;
};

class CommonSubexpressionEliminator {
 public:
  CommonSubexpressionEliminator(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        memory_(context.analyses.Get<MemoryDependence>()),
        pressure_(context.analyses.Get<MachineRegisterPressure>()) {
    const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
    units_ = std::min(budget.registers, kCheapUnits);
    predicates_ = budget.predicates;
  }

  // Whether anything has changed.
  bool Run() {
    struct Scope {
      const MachineBasicBlock* block;
      size_t num_expressions;  // before it
    };
    std::vector<Scope> scopes;
    for (const BlockNumber number : dominators_.Preorder()) {
      MachineBasicBlock& block = *function_.block(number);
      while (!scopes.empty() && scopes.back().block != dominators_.ImmediateDominator(block)) {
        if (!Planted(Bug::kCseIgnoresDominance)) table_.ShrinkTo(scopes.back().num_expressions);
        scopes.pop_back();
      }
      scopes.push_back({&block, table_.size()});
      VisitBlock(block);
    }
    Report();
    return num_eliminated_ + num_copies_ != 0;
  }

 private:
  void VisitBlock(MachineBasicBlock& block) {
    for (MachineInstr *instr = block.front(), *next; instr != nullptr; instr = next) {
      next = instr->next();
      if (!IsCandidate(*instr)) continue;
      if (context_.knobs.copy_prop_mcse()) LookThroughCopies(*instr);
      const size_t hash = HashOf(*instr);
      MachineInstr* earlier = table_.Find(*instr, hash);
      if (earlier == nullptr) earlier = FindElsewhere(*instr, hash);
      if (earlier != nullptr && Pays(*instr, *earlier)) {
        Replace(*instr, *earlier);
        continue;
      }
      if (earlier != nullptr) ++num_suppressed_;
      table_.Add(*instr, hash);
      elsewhere_[hash] = instr;
    }
  }

  // The same expression in a block that does not dominate the instruction's: it is put where it dominates both, if it
  // may. Null if there is none there afterwards.
  MachineInstr* FindElsewhere(const MachineInstr& instr, size_t hash) {
    const auto found = elsewhere_.find(hash);
    if (found == elsewhere_.end() || !IsSameExpression(*found->second, instr)) return nullptr;
    MachineInstr& other = *found->second;
    if (dominators_.Dominates(*other.parent(), *instr.parent())) return &other;
    MachineBasicBlock* const block = dominators_.NearestCommonDominator(*other.parent(), *instr.parent());
    if (block == nullptr || !MayHoist(instr, other, *block)) return nullptr;
    MachineInstr* const hoisted = function_.CloneInstr(other);
    hoisted->operand(0).SetReg(reg_info_.CreateVirtualRegister(reg_info_.reg_class(other.operand(0).reg())));
    block->Insert(Planted(Bug::kCseHoistsToTop) ? block->FirstNonPhi() : block->FirstTerminator(), hoisted);
    pressure_.DidInsert(*hoisted);
    for (const MachineOperand& operand : hoisted->operands()) {
      if (!operand.is_use() || !operand.reg().is_virtual() || Planted(Bug::kCseHoistKeepsKills)) continue;
      reg_info_.ClearKillFlags(operand.reg());
    }
    Replace(other, *hoisted);
    found->second = hoisted;
    ++num_hoisted_;
    return hoisted;
  }

  bool MayHoist(const MachineInstr& instr, const MachineInstr& other, MachineBasicBlock& block) {
    if (instr.num_explicit_defs() != 1 || !ptx::InstrInfo(instr.opcode()).is_pure()) return false;
    const MachineInstr* const terminator = block.FirstTerminator();
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_use() || !operand.reg().is_virtual() || Planted(Bug::kCseHoistsAnyOperand)) continue;
      const MachineInstr* const def = reg_info_.UniqueDef(operand.reg());
      if (def == nullptr || !dominators_.Dominates(*def->parent(), block)) return false;
      if (def->parent() == &block && terminator != nullptr && dominators_.Dominates(*terminator, *def)) return false;
    }
    const auto& frequencies = context_.analyses.Get<MachineBlockFrequencies>();
    const double now = static_cast<double>(frequencies.Frequency(*instr.parent())) +
                       static_cast<double>(frequencies.Frequency(*other.parent()));
    if (static_cast<double>(frequencies.Frequency(block)) > now * MachineBlockFrequencies::kMoreOften) return false;
    if (!context_.knobs.rp_aware_mcse()) return true;
    const uint32_t units = PressureUnitsOf(function_, instr.operand(0).reg());
    if (pressure_.MaxUnits() + units <= units_) return true;
    return pressure_.Block(block).exit.units() + units <= units_ &&
           pressure_.Block(*instr.parent()).peak.units + units <= units_ &&
           pressure_.Block(*other.parent()).peak.units + units <= units_;
  }

  // Whether the results depend on nothing but the operands, and are used.
  bool IsCandidate(const MachineInstr& instr) const {
    if (instr.is_phi() || instr.is_copy() || instr.is_debug() || instr.is_implicit_def() || instr.is_inline_asm() ||
        instr.extra() != nullptr) {
      return false;
    }
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (!info.is_deletable_if_unused() || info.is_collective() || ptx::IsOrderedAccess(instr)) return false;
    bool is_used = false;
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_reg() || !operand.reg().is_valid()) continue;
      if (operand.is_implicit() || operand.is_tied() || operand.is_undef()) return false;
      if (!operand.reg().is_virtual()) {
        // Registers that hold one value all the time, as that of the frame does.
        if (operand.is_def() || !reg_info_.Defs(operand.reg()).empty()) return false;
      } else if (operand.is_def()) {
        is_used = is_used || !reg_info_.NonDebugUses(operand.reg()).empty();
      }
    }
    if (!is_used) return false;
    if (info.is_move() && instr.num_operands() == 2 && (instr.operand(1).is_imm() || instr.operand(1).is_fp_imm())) {
      return false;
    }
    return info.is_pure() ||
           (info.is_rematerializable_load() && (memory_.ReadsConstantMemory(instr) || Planted(Bug::kCseMergesAnyLoad)));
  }

  void LookThroughCopies(MachineInstr& instr) {
    for (MachineOperand& operand : instr.operands()) {
      if (!operand.is_use() || !operand.reg().is_virtual()) continue;
      MachineInstr* const copy = reg_info_.UniqueDef(operand.reg());
      if (copy == nullptr || !copy->is_copy() || !copy->operand(1).reads_reg()) continue;
      const Register source = copy->operand(1).reg();
      if (!source.is_virtual() || reg_info_.reg_class(source) != reg_info_.reg_class(operand.reg()) ||
          reg_info_.UniqueDef(source) == nullptr) {
        continue;
      }
      pressure_.WillChange(instr);
      operand.SetReg(source);
      pressure_.DidChange(instr);
      reg_info_.ClearKillFlags(source);
      ++num_copies_;
      EraseIfUnused(*copy, source);
    }
  }

  void EraseIfUnused(MachineInstr& copy, Register source) {
    const Register result = copy.operand(0).reg();
    if (!reg_info_.NonDebugUses(result).empty()) return;
    pressure_.WillErase(copy);
    copy.EraseFromParent();
    reg_info_.ReplaceRegister(result, source);
  }

  // Whether reading the earlier results keeps the pressure within the target.
  bool Pays(const MachineInstr& instr, const MachineInstr& earlier) {
    if (!context_.knobs.rp_aware_mcse()) return true;
    Register from, to;
    unsigned num_used = 0;
    uint32_t units = 0;
    for (unsigned i = 0; i < instr.num_explicit_defs(); ++i) {
      if (reg_info_.NonDebugUses(instr.operand(i).reg()).empty()) continue;
      from = instr.operand(i).reg();
      to = earlier.operand(i).reg();
      units += PressureUnitsOf(function_, from);
      ++num_used;
    }
    // Of several results at once machine-rpa does not say what they would do; at most this.
    if (num_used > 1) return pressure_.MaxUnits() + units <= units_;
    const RaisedPressure raised = pressure_.WhatIfReplaced(from, to);
    return raised.units <= units_ && (raised.predicates <= predicates_ || !context_.knobs.pred_aware_mcse());
  }

  void Replace(MachineInstr& instr, MachineInstr& earlier) {
    constexpr uint32_t kPromises =
        MachineInstr::kFmNoNans | MachineInstr::kFmNoInfs | MachineInstr::kFmNsz | MachineInstr::kFmArcp |
        MachineInstr::kFmContract | MachineInstr::kFmAfn | MachineInstr::kFmReassoc | MachineInstr::kNoUWrap |
        MachineInstr::kNoSWrap | MachineInstr::kIsExact | MachineInstr::kNoFPExcept | MachineInstr::kNonNeg |
        MachineInstr::kDisjoint | MachineInstr::kSameSign | MachineInstr::kNoUSWrap | MachineInstr::kInBounds;
    earlier.set_flags(earlier.flags() & (instr.flags() | ~kPromises));
    results_.clear();
    for (unsigned i = 0; i < instr.num_explicit_defs(); ++i) {
      results_.emplace_back(instr.operand(i).reg(), earlier.operand(i).reg());
      if (instr.operand(i).is_dead() || Planted(Bug::kCseKeepsDead)) continue;
      earlier.operand(i).set_reg_flag(MachineOperand::kDead, false);
    }
    pressure_.WillErase(instr);
    instr.EraseFromParent();
    for (const auto& [from, to] : results_) {
      pressure_.WillReplaceRegister(from, to);
      reg_info_.ReplaceRegister(from, to);
      if (!Planted(Bug::kCseKeepsKills)) reg_info_.ClearKillFlags(to);
    }
    ++num_eliminated_;
    if (!context_.knobs.incremental_update_mcse()) pressure_.Recompute();
    if (context_.knobs.verify_update_mcse()) {
      pressure_.VerifyUpdate(context_.knobs.print_verify(), context_.diagnostics);
    }
  }

  void Report() {
    Statistics& statistics = context_.statistics;
    statistics.Add(kPass, "common subexpressions eliminated", num_eliminated_);
    statistics.Add(kPass, "common subexpressions hoisted", num_hoisted_);
    statistics.Add(kPass, "common subexpressions kept for the pressure", num_suppressed_);
    statistics.Add(kPass, "operands that were copies replaced", num_copies_);
    if (num_suppressed_ == 0) return;
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kMissed, kPass, "PressureTooHigh", function_)
             << RemarkArg("NumKept", num_suppressed_)
             << " common subexpressions are computed again: their values would "
             << "take more than " << RemarkArg("Target", static_cast<uint64_t>(units_)) << " registers";
    });
  }

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const MachineDominatorTree& dominators_;
  const MemoryDependence& memory_;
  MachineRegisterPressure& pressure_;
  uint32_t units_ = 0;  // the target
  uint32_t predicates_ = kPredicateRegisters;
  ExpressionTable table_;
  absl::flat_hash_map<size_t, MachineInstr*> elsewhere_;  // of those with a hash, the last computed in any block
  std::vector<std::pair<Register, Register>> results_;    // of the instruction at hand, and those that replace them
  uint64_t num_eliminated_ = 0;
  uint64_t num_hoisted_ = 0;
  uint64_t num_suppressed_ = 0;
  uint64_t num_copies_ = 0;
};

}  // namespace

PassResult RunMachineCse(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa) || function.empty()) return {.changed = false};
  const bool changed = CommonSubexpressionEliminator(function, context).Run();
  PreservedAnalyses preserved = PreservedAnalyses::ControlFlow();
  preserved.Preserve(AnalysisKind::kMachineRegisterPressure);
  return {.changed = changed, .preserved = preserved};
}

}  // namespace ptxmir
