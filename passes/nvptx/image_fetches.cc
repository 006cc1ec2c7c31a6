// SPDX-License-Identifier: Apache-2.0

#include "passes/nvptx/image_fetches.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "analysis/values/memory_dependence.h"
#include "mir/code/inline_asm.h"
#include "mir/code/operand_ranges.h"
#include "passes/ssa/expression_table.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

using ptx::Property;

constexpr int kMaxDepth = 4;           // computations looked through for one operand
constexpr unsigned kMaxCompared = 64;  // earlier requests with the same opcode
constexpr unsigned kMaxRefused = 4;    // of them, equal ones
constexpr size_t kMaxBlocks = 100;     // on the paths between two requests

// Compares values by the computations that make them.
class ValueComparison {
 public:
  ValueComparison(const MachineRegisterInfo& reg_info, const MemoryDependence& memory)
      : reg_info_(reg_info), memory_(memory) {}

  // Returns true if two instructions with one opcode read equal values.
  bool HaveEqualSources(const MachineInstr& a, const MachineInstr& b, int depth) const {
    if (a.num_operands() != b.num_operands()) return false;
    for (unsigned i = a.num_explicit_defs(); i < a.num_operands(); ++i) {
      if (!AreEqual(a.operand(i), b.operand(i), depth)) return false;
    }
    return true;
  }

 private:
  bool AreEqual(const MachineOperand& a, const MachineOperand& b, int depth) const {
    if (a.IsIdenticalTo(b)) return true;
    if (!a.is_reg() || !b.is_reg()) return false;
    const Register source_a = SourceOfCopies(a), source_b = SourceOfCopies(b);
    if (!source_a.is_virtual() || !source_b.is_virtual()) return false;
    if (source_a == source_b) return true;
    if (depth == 0) return false;
    const MachineInstr* const def_a = reg_info_.UniqueDef(source_a);
    const MachineInstr* const def_b = reg_info_.UniqueDef(source_b);
    return def_a != nullptr && def_b != nullptr && def_a->opcode() == def_b->opcode() &&
           def_a->flags() == def_b->flags() && IsComputation(*def_a) && IsComputation(*def_b) &&
           HaveEqualSources(*def_a, *def_b, depth - 1);
  }

  // Returns no register if the value is undefined.
  Register SourceOfCopies(const MachineOperand& operand) const {
    if (operand.is_undef() || !operand.reg().is_virtual()) return Register();
    const MachineInstr* const def = reg_info_.UniqueDef(operand.reg());
    return def != nullptr && def->is_copy() ? SourceOfCopies(def->operand(1)) : operand.reg();
  }

  // Returns true if there is one result, and if it depends on the operands alone while the kernel runs.
  bool IsComputation(const MachineInstr& instr) const {
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (instr.num_explicit_defs() != 1) return false;
    if (info.is_collective() || info.Has(Property::kVolatile) || ptx::IsOrderedAccess(instr)) return false;
    if (!HasFormOfExpression(reg_info_, instr)) return false;
    return info.is_pure() || (info.is_rematerializable_load() && memory_.ReadsConstantMemory(instr));
  }

  const MachineRegisterInfo& reg_info_;
  const MemoryDependence& memory_;
};

// A part of a block: the instructions from `first` up to `end`, which it does not contain. Null: the end of the block.
struct Stretch {
  const MachineBasicBlock* block;
  const MachineInstr* first;
  const MachineInstr* end;
};

// Replaces `stretches` by what may be executed between two instructions, of which the first dominates the second.
// Returns false if that is too much.
bool FindStretches(const MachineInstr& earlier, const MachineInstr& later, std::vector<Stretch>& stretches) {
  stretches.clear();
  const MachineBasicBlock* const top = earlier.parent();
  if (later.parent() == top) {
    stretches.push_back({top, earlier.next(), &later});
    return true;
  }
  stretches.push_back({top, earlier.next(), nullptr});
  stretches.push_back({later.parent(), later.parent()->front(), &later});
  std::vector<const MachineBasicBlock*> seen = {top};
  for (size_t i = 1; i < stretches.size(); ++i) {
    for (const MachineBasicBlock* const block : stretches[i].block->predecessors()) {
      if (std::find(seen.begin(), seen.end(), block) != seen.end()) continue;
      if (seen.size() == kMaxBlocks) return false;
      seen.push_back(block);
      stretches.push_back({block, block->front(), nullptr});
    }
  }
  return true;
}

// Returns true if a texture may hold something else after the instruction, for all that is known.
bool MayChangeTextures(const MachineInstr& instr) {
  if (instr.is_debug()) return false;
  if (instr.is_inline_asm()) {
    return InlineAsmHas(instr, InlineAsmProperty::kSideEffects | InlineAsmProperty::kMayStore);
  }
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  return info.is_fence() || info.Has(Property::kCall) || ptx::IsOrderedAccess(instr) ||
         (info.writes_memory() && info.Has(Property::kSurface));
}

bool Contains(const std::vector<Stretch>& stretches, bool (*predicate)(const MachineInstr&)) {
  for (const Stretch& stretch : stretches) {
    for (const MachineInstr* instr = stretch.first; instr != stretch.end; instr = instr->next()) {
      if (predicate(*instr)) return true;
    }
  }
  return false;
}

// Returns the most units that are live at an instruction of the stretch.
uint32_t PeakUnits(const Stretch& stretch, const MachineRegisterPressure& pressure, std::vector<uint32_t>& units) {
  if (stretch.first == stretch.block->front() && stretch.end == nullptr)
    return pressure.Block(*stretch.block).peak.units;
  pressure.UnitsAtInstrs(*stretch.block, units);
  uint32_t peak = 0;
  bool is_within = false;
  size_t number = 0;
  for (const MachineInstr& instr : *stretch.block) {
    if (instr.is_debug()) continue;
    is_within = (is_within || &instr == stretch.first) && &instr != stretch.end;
    if (is_within) peak = std::max(peak, units[number]);
    ++number;
  }
  return peak;
}

class RequestMerger {
 public:
  RequestMerger(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        comparison_(reg_info_, context.analyses.Get<MemoryDependence>()),
        unused_(function) {}

  uint64_t Run() {
    for (const BlockNumber number : dominators_.Preorder()) {
      for (MachineInstr *instr = function_.block(number)->front(), *next; instr != nullptr; instr = next) {
        next = instr->next();
        if (IsImageRequest(instr->opcode()) && HasFormOfExpression(reg_info_, *instr)) Visit(*instr);
      }
    }
    if (num_merged_ != 0) unused_.Erase();
    return num_merged_;
  }

 private:
  void Visit(MachineInstr& instr) {
    std::vector<MachineInstr*>& earlier = earlier_[instr.opcode()];
    std::string_view obstacle;
    unsigned num_compared = 0, num_refused = 0;
    for (auto it = earlier.rbegin(); it != earlier.rend(); ++it) {
      if (++num_compared > kMaxCompared || num_refused == kMaxRefused) break;
      if (!comparison_.HaveEqualSources(**it, instr, kMaxDepth)) continue;
      if (!dominators_.Dominates(*(*it)->parent(), *instr.parent())) {
        if (obstacle.empty()) obstacle = "that is on another path";
        continue;
      }
      obstacle = Obstacle(**it, instr);
      if (obstacle.empty()) return Merge(instr, **it);
      ++num_refused;
    }
    if (!obstacle.empty()) Report(instr, obstacle);
    earlier.push_back(&instr);
  }

  // Returns why the users of `instr` must not read the results of `earlier`, or nothing.
  std::string_view Obstacle(const MachineInstr& earlier, const MachineInstr& instr) {
    if (!FindStretches(earlier, instr, stretches_)) return "too many blocks are between them";
    if (!ptx::InstrInfo(instr.opcode()).is_pure() && Contains(stretches_, MayChangeTextures)) {
      return "what is between them may change the texture";
    }
    return FitsRegisters(earlier, instr) ? "" : "its results would need too many registers";
  }

  bool FitsRegisters(const MachineInstr& earlier, const MachineInstr& instr) {
    if (pressure_ == nullptr) {
      pressure_ = &context_.analyses.Get<MachineRegisterPressure>();
      max_units_ = ComputeRegisterBudget(function_, context_.analyses.inputs()).registers;
    }
    const auto read_units = [&](const std::vector<Register>& live) {
      uint32_t units = 0;
      for (unsigned i = 0; i < instr.num_explicit_defs(); ++i) {
        const Register result = earlier.operand(i).reg();
        const bool is_read = !reg_info_.NonDebugUses(instr.operand(i).reg()).empty();
        const bool is_live = std::find(live.begin(), live.end(), result) != live.end();
        if (is_read && !is_live) units += PressureUnitsOf(function_, result);
      }
      return units;
    };
    if (pressure_->MaxUnits() + read_units({}) <= max_units_) return true;
    const uint32_t more = read_units(pressure_->LiveBefore(instr));
    if (more == 0) return true;
    return std::all_of(stretches_.begin(), stretches_.end(), [&](const Stretch& stretch) {
      return PeakUnits(stretch, *pressure_, units_) + more <= max_units_;
    });
  }

  void Merge(MachineInstr& instr, MachineInstr& earlier) {
    Report(instr, "");
    for (const MachineOperand& use : VirtualUses(instr)) unused_.Add(use.reg());
    ReplaceBySame(instr, earlier, results_, pressure_);
    ++num_merged_;
  }

  void Report(const MachineInstr& instr, std::string_view obstacle) {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      const bool is_query = ptx::InstrInfo(instr.opcode()).is_pure();
      const RemarkArg what("Request", is_query ? "question for the shape of an image" : "fetch from a texture");
      if (obstacle.empty()) {
        return MachineRemark(RemarkKind::kPassed, context_.pass_name, "RequestMerged", instr)
               << "merged a " << what << " with an equal one";
      }
      return MachineRemark(RemarkKind::kMissed, context_.pass_name, "RequestNotMerged", instr)
             << "did not merge a " << what << " with an equal one: " << RemarkArg("Reason", obstacle);
    });
  }

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const MachineDominatorTree& dominators_;
  const ValueComparison comparison_;
  UnusedInstrs unused_;
  absl::flat_hash_map<Opcode, std::vector<MachineInstr*>> earlier_;  // by opcode: those that stayed, in preorder
  MachineRegisterPressure* pressure_ = nullptr;                      // null: not needed yet
  uint32_t max_units_ = 0;
  uint64_t num_merged_ = 0;
  // Scratch space.
  std::vector<Stretch> stretches_;
  std::vector<uint32_t> units_;
  std::vector<Register> results_;
};

}  // namespace

bool IsImageRequest(Opcode opcode) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(opcode);
  if (info.Has(Property::kQuery)) return info.is_pure();
  return info.Has(Property::kTexture) && info.Has(Property::kReadonly);
}

uint64_t MergeImageRequests(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa)) return 0;
  return RequestMerger(function, context).Run();
}

}  // namespace ptxmir
