// SPDX-License-Identifier: Apache-2.0

#include "passes/frame/prolog_epilog.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ir/module.h"
#include "passes/frame/frame_addresses.h"
#include "passes/frame/frame_layout.h"
#include "passes/frame/stack_accesses.h"
#include "passes/support/frame_registers.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

// The local memory of a thread, above which ptxas reports an error.
constexpr uint64_t kMaxLocalBytes = 512 * 1024;

// Phase 3 and the categories: collects the layout's input for each object, fixed objects first.
class ObjectRecords {
 public:
  explicit ObjectRecords(MachineFunction& function) : function_(function), frame_(function.frame_info()) {
    const auto num_fixed = static_cast<int>(frame_.fixed_objects().size());
    for (int index = -num_fixed; index < static_cast<int>(frame_.objects().size()); ++index) Add(index);
    if (!frame_.stack_protector.empty()) FindCategories();
  }

  std::vector<FrameObjectRecord>& records() { return records_; }

  void StoreOffsets() {
    for (const FrameObjectRecord& record : records_) {
      if (!record.is_dead && !record.is_fixed) frame_.object(record.index).offset = record.offset;
    }
  }

 private:
  void Add(int index) {
    const StackObject& object = frame_.object(index);
    FrameObjectRecord record;
    record.offset = object.offset;
    record.size = object.size;
    record.align_log2 = object.align_log2;
    record.is_dead = object.is_dead || object.is_in_shared();
    record.is_fixed = index < 0;
    record.is_first = !object.callee_saved_register.empty();
    record.is_variable_sized = object.type == StackObject::Type::kVariableSized;
    record.is_spill_slot = object.type == StackObject::Type::kSpillSlot;
    record.index = index;
    records_.push_back(record);
  }

  // Assigns LLVM's categories as far as machine code reveals them. They affect the order only in frames with a
  // protector.
  void FindCategories() {
    constexpr uint64_t kSmallArray = 8;  // LLVM's ssp-buffer-size
    for (const StackAccess& access : StackAccessList(function_).accesses) {
      if (access.index < 0) continue;
      FrameObjectRecord& record = records_[frame_.fixed_objects().size() + static_cast<size_t>(access.index)];
      if (record.size > kSmallArray) {
        record.category = FrameCategory::kLargeArray;
      } else if (access.is_plain() && access.bytes < record.size) {
        record.category = FrameCategory::kSmallArray;
      } else if (access.kind == StackAccess::Kind::kOther && record.category == FrameCategory::kNone) {
        record.category = FrameCategory::kAddressTaken;
      }
    }
    for (FrameObjectRecord& record : records_) {
      if (record.is_fixed || frame_.stack_protector != StrCat("%stack.", record.index)) continue;
      record.is_first = true;
      record.category = FrameCategory::kNone;
    }
  }

  MachineFunction& function_;
  MachineFrameInfo& frame_;
  std::vector<FrameObjectRecord> records_;
};

class FrameIndexEliminator {
 public:
  FrameIndexEliminator(MachineFunction& function, PassContext& context, bool makes_local)
      : function_(function), context_(context), registers_(FrameRegistersOf(function)), makes_local_(makes_local) {}

  void Run() {
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr* instr = block.front(); instr != nullptr;) {
        MachineInstr* const next = instr->next();
        if (instr->opcode() == generic::kLifetimeStart || instr->opcode() == generic::kLifetimeEnd) {
          instr->EraseFromParent();
        } else {
          EliminateIn(*instr);
        }
        instr = next;
      }
    }
    context_.AddStatistic("frame indices eliminated", num_eliminated_);
    context_.AddStatistic("accesses made local", num_made_local_);
  }

 private:
  void EliminateIn(MachineInstr& instr) {
    for (unsigned i = 0; i < instr.num_operands(); ++i) {
      if (!instr.operand(i).is_frame_index()) continue;
      const int index = instr.operand(i).frame_index();
      if (!function_.frame_info().IsValid(index)) continue;  // the verifier reports this
      const int64_t offset = function_.frame_info().object(index).offset;
      if (instr.is_debug()) {
        EliminateInDebugValue(instr, i, offset);
      } else if (i + 1 < instr.num_operands() && instr.operand(i + 1).is_imm()) {
        const bool is_local = AccessesLocally(instr, i);
        instr.operand(i).ChangeTo(MachineOperand::CreateReg(is_local ? registers_.local : registers_.generic));
        instr.operand(i + 1).set_imm(instr.operand(i + 1).imm() + offset);
      } else {
        context_.diagnostics.Error(StrCat("in function '", function_.name(), "': a frame index of '",
                                          function_.target().Name(instr.opcode()), "' is not followed by an offset"));
        return;
      }
      ++num_eliminated_;
    }
  }

  // Returns true if the access is to be relative to the frame's local address. That holds for an access in local
  // space, and for one whose space can be changed to local. The operand is still a frame index.
  bool AccessesLocally(MachineInstr& instr, unsigned i) {
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (info.address == i && ptx::MemorySpaceOf(instr) == ptx::MemorySpace::kLocal) return true;
    if (!makes_local_ || !DescribeStackAccess(instr, i).is_plain()) return false;
    instr.operand(info.address_space).set_imm(address_space::kLocal);
    ++num_made_local_;
    return true;
  }

  // For DBG_VALUE %stack.N, 0, !variable, !DIExpression(...): replaces the frame index by the depot's register and
  // makes the expression add the offset first.
  void EliminateInDebugValue(MachineInstr& instr, unsigned i, int64_t offset) {
    instr.operand(i).ChangeTo(MachineOperand::CreateReg(registers_.depot));
    const unsigned expression = instr.num_operands() - 1;
    if (offset == 0 || instr.opcode() != generic::kDbgValue || !instr.operand(expression).is_metadata()) {
      return;
    }
    const MetadataId id = instr.operand(expression).metadata();
    std::string_view text;
    if (MachineFunction::IsInlineMetadata(id)) {
      text = function_.inline_metadata(id);
    } else if (function_.module() != nullptr) {
      text = function_.module()->MetadataText(id);
    }
    constexpr std::string_view kHead = "!DIExpression(";
    if (text.substr(0, kHead.size()) != kHead) return;
    const std::string_view rest = text.substr(kHead.size());
    const std::string changed = StrCat(kHead, "DW_OP_plus_uconst, ", offset, rest == ")" ? "" : ", ", rest);
    instr.operand(expression).ChangeTo(MachineOperand::CreateMetadata(function_.InternInlineMetadata(changed)));
  }

  MachineFunction& function_;
  PassContext& context_;
  FrameRegisters registers_;
  const bool makes_local_;
  uint64_t num_eliminated_ = 0;
  uint64_t num_made_local_ = 0;
};

// Inserts $vrframelocal64 = MOV_DEPOT_ADDR_64 N, and $vrframe64 = cvta_local_64 $vrframelocal64, where needed.
void InsertPrologue(MachineFunction& function) {
  const FrameRegisters registers = FrameRegistersOf(function);
  const MachineRegisterInfo& reg_info = function.reg_info();
  MachineBasicBlock& entry = *function.front();
  MachineInstr* const first = entry.front();
  const bool needs_generic = !reg_info.HasNoUses(registers.generic);
  if (needs_generic || !reg_info.HasNoUses(registers.local)) {
    BuildMI(entry, first, registers.move_depot_address).AddDef(registers.local).AddImm(function.number()).Insert();
  }
  if (needs_generic) {
    BuildMI(entry, first, registers.local_to_generic).AddDef(registers.generic).AddUse(registers.local).Insert();
  }
}

// Returns the limit that the knob or the function's attribute sets, or nullopt if there is none.
std::optional<uint64_t> StackSizeLimit(const MachineFunction& function, const PassContext& context) {
  if (context.knobs.warn_stack_size() >= 0) return static_cast<uint64_t>(context.knobs.warn_stack_size());
  const Module* module = function.module();
  const IrFunction* ir = module == nullptr ? nullptr : module->FindFunction(function.name());
  if (ir == nullptr) return std::nullopt;
  const std::optional<std::string_view> text = module->FunctionAttributeString(*ir, "warn-stack-size");
  uint64_t limit = 0;
  if (!text.has_value() || !absl::SimpleAtoi(ToAbsl(*text), &limit)) return std::nullopt;
  return limit;
}

// Phase 9. The text of the first warning is LLVM's.
void ReportSize(const MachineFunction& function, PassContext& context) {
  const uint64_t size = function.frame_info().stack_size;
  if (const std::optional<uint64_t> limit = StackSizeLimit(function, context); limit.has_value() && size > *limit) {
    context.diagnostics.Report(Severity::kWarning, StrCat("stack frame size (", size, ") exceeds limit (", *limit,
                                                          ") in function '", function.name(), "'"));
  }
  if (size > kMaxLocalBytes) {
    context.diagnostics.Report(Severity::kWarning,
                               StrCat("stack frame size (", size, ") exceeds the local memory of a thread (",
                                      kMaxLocalBytes, ") in function '", function.name(), "'"));
  }
  context.AddStatistic("bytes of local memory", size);
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kAnalysis, context.pass_name, "StackSize", function)
           << RemarkArg("NumStackBytes", size) << " stack bytes in function '" << RemarkArg("Function", function.name())
           << "'";
  });
}

// Phases 3 to 6. Returns false if the frame is too large.
bool AssignOffsets(MachineFunction& function, PassContext& context) {
  MachineFrameInfo& frame = function.frame_info();
  ObjectRecords objects(function);
  const bool sorts = context.opt_level > 0 && context.knobs.frame_sort_objects();
  const bool is_dynamic = std::any_of(frame.objects().begin(), frame.objects().end(), [](const StackObject& object) {
    return object.type == StackObject::Type::kVariableSized;
  });
  // The function may have requested its alignment for objects that no longer exist.
  const uint64_t min_alignment = sorts && !is_dynamic ? 1 : frame.max_alignment;
  const FrameLayout layout =
      LayOutFrame(absl::MakeSpan(objects.records()), {.sorts = sorts, .min_alignment = min_alignment});
  if (layout.is_too_large) {
    context.diagnostics.Error(
        StrCat("in function '", function.name(), "': the stack frame is larger than 32-bit offsets reach"));
    return false;
  }
  objects.StoreOffsets();
  frame.max_alignment = layout.alignment;
  frame.stack_size = layout.size;
  context.AddStatistic("frames made smaller by sorting", layout.is_sorted);
  context.AddStatistic("bytes of padding in frames", layout.padding);
  return true;
}

}  // namespace

PassResult RunPrologEpilog(MachineFunction& function, PassContext& context) {
  const FrameRegisters registers = FrameRegistersOf(function);
  if (function.empty() || !function.reg_info().Defs(registers.local).empty()) return {.changed = false};
  const MachineFrameInfo& frame = function.frame_info();
  // Only frame indices and lifetime markers name objects.
  if (frame.objects().empty() && frame.fixed_objects().empty()) return {.changed = false};
  const bool folds = context.opt_level > 0 && context.knobs.frame_fold_addresses();
  if (folds) {
    context.AddStatistic("accesses that name their stack object", FoldFrameAddresses(function).accesses);
  }
  if (!AssignOffsets(function, context)) return {.changed = true};
  FrameIndexEliminator(function, context, folds).Run();
  InsertPrologue(function);
  ReportSize(function, context);
  return {.changed = true};
}

}  // namespace ptxmir
