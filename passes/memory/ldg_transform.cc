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
        if (!form.has_value() || form->kind == AccessKind::kStore) continue;
        if (form->kind == AccessKind::kReadOnlyLoad) {
          SplitIfTooWide(*load, *form);
        } else {
          Consider(*load, *form);
        }
      }
    }
    context_.AddStatistic("loads through the read-only cache", num_changed_);
    context_.AddStatistic("wide loads split", num_split_);
    return num_changed_ + num_split_ > 0;
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
    MachineInstr* changed = Build(load, form, 0, form.num_values);
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

  // Inserts loads of `num` values, from the one with number `first` on, through the read-only cache: one, or two of
  // half as many where the GPU has no such load. Returns the last of them, or null if there is no such load at all.
  MachineInstr* Build(MachineInstr& load, const AccessForm& form, unsigned first, unsigned num) {
    const AccessForm wanted = {AccessKind::kReadOnlyLoad, form.register_bits, static_cast<uint8_t>(num)};
    const Opcode opcode = *OpcodeOf(wanted);
    if (subtarget_ != nullptr && !subtarget_->Supports(opcode)) {
      if (num == 1) return nullptr;
      ++num_split_;
      Build(load, form, first, num / 2);
      return Build(load, form, first + num / 2, num / 2);
    }
    const PtxInstrInfo& info = InstrInfo(load.opcode());
    const int64_t skipped = first * (load.operand(info.width).imm() / 8);
    MachineInstrBuilder builder = BuildMI(*load.parent(), &load, opcode, load.debug_loc());
    for (unsigned i = 0; i < num; ++i) builder.Add(load.operand(info.first_value + first + i));
    for (unsigned i = info.width - 1u; i < load.num_operands(); ++i) {
      MachineOperand operand = load.operand(i);
      // The address is read by both halves; the second one is the last.
      if (operand.is_reg() && first + num < form.num_values) operand.set_reg_flag(MachineOperand::kKill, false);
      if (i == info.address + 1u) operand.set_imm(operand.imm() + skipped);
      builder.Add(operand);
    }
    MachineInstr* const part = builder.SetFlags(load.flags()).Insert();
    SetMemOperands(load, *part, skipped, num);
    return part;
  }

  void SetMemOperands(const MachineInstr& load, MachineInstr& part, int64_t skipped, unsigned num) {
    const auto memoperands = load.memoperands();
    const bool is_whole = num == AccessFormOf(load.opcode())->num_values;
    if (is_whole || memoperands.size() != 1) {
      part.SetMemOperands(is_whole ? memoperands : decltype(memoperands)());
      return;
    }
    MachineMemOperand memoperand = *memoperands.front();
    const int64_t bits = load.operand(InstrInfo(load.opcode()).width).imm();
    memoperand.offset += skipped;
    memoperand.has_known_size = true;
    memoperand.type = {.kind = LowLevelType::Kind::kScalar,
                       .elements = static_cast<uint16_t>(num == 1 ? 0 : num),
                       .bits = static_cast<uint32_t>(bits)};
    memoperand.range = MachineMemOperand::kNoMetadata;
    for (; skipped != 0 && memoperand.align_log2 > 0; --memoperand.align_log2) {
      if (skipped % (int64_t{1} << memoperand.align_log2) == 0) break;
    }
    const MachineMemOperand* const created = function_.CreateMemOperand(memoperand);
    part.SetMemOperands({&created, 1});
  }

  // Splits a load that goes through the read-only cache already, if the GPU has none of its width.
  void SplitIfTooWide(MachineInstr& load, const AccessForm& form) {
    if (form.num_values == 1 || subtarget_ == nullptr || subtarget_->Supports(load.opcode())) return;
    if (Build(load, form, 0, form.num_values) != nullptr) load.EraseFromParent();
  }

  MachineFunction& function_;
  PassContext& context_;
  const MemoryDependence& memory_;
  const ptx::Subtarget* const subtarget_;
  const bool is_kernel_;
  std::optional<GlobalWrites> writes_;
  uint64_t num_changed_ = 0;
  uint64_t num_split_ = 0;
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
