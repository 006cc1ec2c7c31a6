#include "passes/prolog_epilog.h"

#include <algorithm>

#include "analysis/machine_opt_remark_emitter.h"
#include "mir/align.h"
#include "mir/module.h"
#include "mir/planted_bugs.h"
#include "mir/str_cat.h"
#include "passes/frame_registers.h"

namespace ptxmir {
namespace {

constexpr std::string_view kPass = "nvptx-prolog-epilog";
// Alignment of a frame's size, as LLVM's NVPTXFrameLowering states it.
constexpr uint64_t kStackAlignment = 8;

// Gives every stack object its offset and the frame its size and alignment.
void LayOutFrame(MachineFrameInfo& frame) {
  int64_t offset = 0;
  for (const StackObject& object : frame.fixed_objects()) {
    offset = std::max(offset, object.offset + static_cast<int64_t>(object.size));
  }
  uint64_t max_alignment = std::max<uint64_t>(frame.max_alignment, 1);
  for (StackObject& object : frame.objects()) {
    if (object.is_dead) continue;
    const uint64_t alignment = uint64_t{1} << object.align_log2;
    max_alignment = std::max(max_alignment, alignment);
    offset = static_cast<int64_t>(
        AlignTo(static_cast<uint64_t>(offset), Planted(Bug::kFrameIgnoresAlignment) ? 1 : alignment));
    object.offset = offset;
    offset += static_cast<int64_t>(object.size) - (Planted(Bug::kFrameObjectsOverlap) ? 4 : 0);
  }
  frame.max_alignment = max_alignment;
  if (Planted(Bug::kFrameForgetsLastObject)) offset = std::max<int64_t>(offset - 8, 0);
  frame.stack_size = AlignTo(static_cast<uint64_t>(offset), std::max(kStackAlignment, max_alignment));
}

class FrameIndexEliminator {
 public:
  FrameIndexEliminator(MachineFunction& function, PassContext& context)
      : function_(function), context_(context), registers_(FrameRegistersOf(function)) {}

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
    context_.statistics.Add(kPass, "frame indices eliminated", num_eliminated_);
  }

 private:
  void EliminateIn(MachineInstr& instr) {
    for (unsigned i = 0; i < instr.num_operands(); ++i) {
      if (!instr.operand(i).is_frame_index()) continue;
      const int index = instr.operand(i).frame_index();
      if (!function_.frame_info().IsValid(index)) continue;  // the verifier's business
      const int64_t offset = function_.frame_info().object(index).offset;
      if (instr.is_debug()) {
        EliminateInDebugValue(instr, i, offset);
      } else if (i + 1 < instr.num_operands() && instr.operand(i + 1).is_imm()) {
        instr.operand(i).ChangeTo(MachineOperand::CreateReg(registers_.generic));
        instr.operand(i + 1).set_imm((Planted(Bug::kFrameDropsOffset) ? 0 : instr.operand(i + 1).imm()) + offset);
      } else {
        context_.diagnostics.Error(StrCat("in function '", function_.name(), "': a frame index of '",
                                          function_.target().Name(instr.opcode()),
                                          "' is not followed by an offset"));
        return;
      }
      ++num_eliminated_;
    }
  }

  // DBG_VALUE %stack.N, 0, !variable, !DIExpression(...): the register becomes the depot's, and the
  // expression adds the offset first.
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
    instr.operand(expression)
        .ChangeTo(MachineOperand::CreateMetadata(function_.InternInlineMetadata(changed)));
  }

  MachineFunction& function_;
  PassContext& context_;
  FrameRegisters registers_;
  uint64_t num_eliminated_ = 0;
};

// $vrframelocal64 = MOV_DEPOT_ADDR_64 N, and $vrframe64 = cvta_local_64 $vrframelocal64, where needed.
void InsertPrologue(MachineFunction& function) {
  const FrameRegisters registers = FrameRegistersOf(function);
  const MachineRegisterInfo& reg_info = function.reg_info();
  MachineBasicBlock& entry = *function.front();
  MachineInstr* const first = entry.front();
  const bool needs_generic = !reg_info.HasNoUses(registers.generic);
  if (needs_generic || !reg_info.HasNoUses(registers.local)) {
    BuildMI(entry, first, registers.move_depot_address)
        .AddDef(registers.local)
        .AddImm(function.number())
        .Insert();
  }
  if (needs_generic && !Planted(Bug::kFrameMissesGeneric)) {
    BuildMI(entry, first, registers.local_to_generic)
        .AddDef(registers.generic)
        .AddUse(registers.local)
        .Insert();
  }
}

}  // namespace

PassResult RunPrologEpilog(MachineFunction& function, PassContext& context) {
  const FrameRegisters registers = FrameRegistersOf(function);
  if (function.empty() || !function.reg_info().Defs(registers.local).empty()) return {.changed = false};
  MachineFrameInfo& frame = function.frame_info();
  LayOutFrame(frame);
  // Frame indices and lifetime markers name objects.
  if (frame.objects().empty() && frame.fixed_objects().empty()) return {.changed = false};
  FrameIndexEliminator(function, context).Run();
  InsertPrologue(function);
  context.statistics.Add(kPass, "bytes of local memory", frame.stack_size);
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kAnalysis, kPass, "StackSize", function)
           << RemarkArg("NumStackBytes", frame.stack_size) << " stack bytes in function '"
           << RemarkArg("Function", function.name()) << "'";
  });
  return {.changed = true};
}

}  // namespace ptxmir
