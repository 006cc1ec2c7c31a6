// SPDX-License-Identifier: Apache-2.0

#include "passes/memory/ldg_transform.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/values/memory_dependence.h"
#include "ir/address_space.h"
#include "ir/module.h"
#include "mir/code/function_ir.h"
#include "mir/code/inline_asm.h"
#include "passes/memory/vector_forms.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

using ptx::InstrInfo;
using ptx::MemorySpace;
using ptx::Property;
using ptx::PtxInstrInfo;
using AccessRoot = MemoryAccess::Root;

// Returns true for the spaces of which global memory is certainly no part.
bool IsElsewhere(MemorySpace space) {
  return space == MemorySpace::kShared || space == MemorySpace::kSharedCluster || space == MemorySpace::kLocal ||
         space == MemorySpace::kParam || space == MemorySpace::kConst;
}

// The global memory that a function may write, or whose changes by others it may see.
class GlobalWrites {
 public:
  GlobalWrites(const MachineFunction& function, const MemoryDependence& memory) : memory_(memory) {
    for (const MachineBasicBlock& block : function) {
      for (const MachineInstr& instr : block) {
        if (!is_anything_) Consider(instr);
      }
    }
    std::sort(variables_.begin(), variables_.end());
  }

  // Returns true if the memory that the load reads may change while the kernel runs.
  bool MayChange(const MemoryAccess& load) const {
    if (is_anything_) return true;
    if (load.object != AccessRoot::kGlobal) return !variables_.empty();
    return std::binary_search(variables_.begin(), variables_.end(), load.object_id);
  }

 private:
  void Consider(const MachineInstr& instr) {
    if (instr.is_debug() || instr.is_phi() || instr.is_copy() || instr.is_meta()) return;
    const PtxInstrInfo& info = InstrInfo(instr.opcode());
    if (instr.is_inline_asm()) {
      is_anything_ |= MayWrite(instr);
    } else if (instr.is_call() || info.Has(Property::kCall)) {
      is_anything_ = true;
    } else if (!info.is_pure() && !IsElsewhere(ptx::MemorySpaceOf(instr))) {
      ConsiderAccess(instr, info);
    }
  }

  static bool MayWrite(const MachineInstr& inline_asm) {
    constexpr int64_t kEffects = InlineAsmProperty::kSideEffects | InlineAsmProperty::kMayStore;
    const MachineOperand& properties = inline_asm.operand(1);
    return !properties.is_imm() || (properties.imm() & kEffects) != 0;
  }

  void ConsiderAccess(const MachineInstr& instr, const PtxInstrInfo& info) {
    // A barrier of a CTA or cluster makes visible what its threads wrote, which is found by itself. A fence may do so
    // for what other kernels wrote, and an effect that is not known (griddepcontrol) as well.
    const bool is_barrier = info.Has(Property::kBarrier);
    const bool may_hear = info.Has(Property::kFence) || (info.Has(Property::kSide) && !is_barrier);
    if (!may_hear && !info.writes_memory() && !ptx::IsOrderedAccess(instr)) return;
    const MemoryAccess access = memory_.Describe(instr);
    const bool is_plain = MemoryDependence::IsPlainAccess(instr);
    if (is_plain && IsElsewhere(access.space)) return;
    if (!is_plain || may_hear || ptx::IsOrderedAccess(instr) || access.object != AccessRoot::kGlobal) {
      is_anything_ = true;
    } else {
      variables_.push_back(access.object_id);
    }
  }

  const MemoryDependence& memory_;
  bool is_anything_ = false;
  std::vector<int64_t> variables_;
};

class LdgTransform {
 public:
  LdgTransform(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        memory_(context.analyses.Get<MemoryDependence>()),
        subtarget_(context.analyses.inputs().subtarget),
        is_kernel_(IsKernelFunction(function)) {}

  bool Run() {
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr* instr = block.front(); instr != nullptr;) {
        MachineInstr* const load = instr;
        instr = instr->next();
        const std::optional<AccessForm> form = AccessFormOf(load->opcode());
        if (form.has_value() && form->kind == AccessKind::kLoad) Consider(*load, *form);
      }
    }
    context_.AddStatistic("loads through the read-only cache", num_changed_);
    return num_changed_ > 0;
  }

 private:
  void Consider(MachineInstr& load, const AccessForm& form) {
    if (ptx::MemorySpaceOf(load) != MemorySpace::kGlobal || !MemoryDependence::IsPlainAccess(load)) return;
    if (const std::string_view reason = WhyNot(load); !reason.empty()) {
      context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
        return MachineRemark(RemarkKind::kMissed, context_.pass_name, "NotReadOnly", load)
               << "not loaded through the read-only cache: " << RemarkArg("Reason", reason);
      });
      return;
    }
    MachineInstr* const changed = Build(load, form);
    if (changed == nullptr) return;
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "ReadOnly", *changed)
             << "loaded through the read-only cache";
    });
    load.EraseFromParent();
    ++num_changed_;
  }

  // Returns the reason why the load may not go through the read-only cache, or an empty text.
  std::string_view WhyNot(const MachineInstr& load) {
    const auto memoperands = load.memoperands();
    const auto is_ordered = [](const MachineMemOperand* memoperand) {
      return memoperand->is_volatile() || memoperand->is_atomic();
    };
    if (ptx::IsOrderedAccess(load) || std::any_of(memoperands.begin(), memoperands.end(), is_ordered)) {
      return "it is volatile or ordered";
    }
    const MemoryAccess access = memory_.Describe(load);
    if (memory_.ReadsConstantMemory(load) && (is_kernel_ || access.object != AccessRoot::kParameter)) return {};
    const bool is_invariant = access.memoperand != nullptr && access.memoperand->Has(MachineMemOperand::kInvariant);
    if (is_invariant) return {};
    if (!is_kernel_) return "the function is no kernel, so what the kernel writes is not known";
    if (!writes_.has_value()) writes_.emplace(function_, memory_);
    return writes_->MayChange(access) ? "the kernel may write the memory" : std::string_view();
  }

  // Inserts the load through the read-only cache, or returns null if the GPU has none.
  MachineInstr* Build(MachineInstr& load, const AccessForm& form) {
    const Opcode opcode = *OpcodeOf({AccessKind::kReadOnlyLoad, form.register_bits, form.num_values});
    if (subtarget_ != nullptr && !subtarget_->Supports(opcode)) return nullptr;
    const PtxInstrInfo& info = InstrInfo(load.opcode());
    MachineInstrBuilder builder = BuildMI(*load.parent(), &load, opcode, load.debug_loc());
    for (unsigned i = 0; i < form.num_values; ++i) builder.Add(load.operand(info.first_value + i));
    for (unsigned i = info.width - 1u; i < load.num_operands(); ++i) builder.Add(load.operand(i));
    MachineInstr* const changed = builder.SetFlags(load.flags()).Insert();
    changed->SetMemOperands(load.memoperands());
    return changed;
  }

  MachineFunction& function_;
  PassContext& context_;
  const MemoryDependence& memory_;
  const ptx::Subtarget* const subtarget_;
  const bool is_kernel_;
  std::optional<GlobalWrites> writes_;
  uint64_t num_changed_ = 0;
};

}  // namespace

PassResult RunLdgTransform(MachineFunction& function, PassContext& context) {
  const auto is_load = [](Opcode opcode) {
    const std::optional<AccessForm> form = AccessFormOf(opcode);
    return form.has_value() && form->kind != AccessKind::kStore;
  };
  if (!function.MayContainAny(is_load)) return {};
  const bool changed = LdgTransform(function, context).Run();
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
