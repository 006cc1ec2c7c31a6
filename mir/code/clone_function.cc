// SPDX-License-Identifier: Apache-2.0

#include "mir/code/clone_function.h"

#include <cassert>
#include <cstddef>
#include <memory>
#include <vector>

namespace ptxmir {
namespace {

class FunctionCopier {
 public:
  FunctionCopier(const MachineFunction& from, MachineFunction& to) : from_(from), to_(to) {}

  void Copy() {
    for (uint32_t i = 0; i < 32; ++i) to_.SetProperty(1u << i, from_.HasProperty(1u << i));
    to_.align_log2 = from_.align_log2;
    to_.jump_table_kind = Text(from_.jump_table_kind);
    // Operands name symbols by number, so the numbers must be the same.
    for (SymbolId id = 0; id < from_.num_symbols(); ++id) {
      const SymbolId copy = to_.InternSymbol(from_.symbol(id));
      assert(copy == id);
      static_cast<void>(copy);
    }
    CopyRegisters();
    CopyFrame();
    CopySections();
    CopyBlocks();
  }

 private:
  std::string_view Text(std::string_view text) { return text.empty() ? text : to_.arena().CopyString(text); }

  void CopyRegisters() {
    const MachineRegisterInfo& from = from_.reg_info();
    MachineRegisterInfo& to = to_.reg_info();
    for (uint32_t i = 0; i < from.num_virtual_registers(); ++i) {
      const Register reg = Register::Virtual(i);
      to.EnsureVirtualRegister(i);
      to.set_reg_class(reg, from.reg_class(reg));
      if (from.has_types() && from.type(reg).is_valid()) to.set_type(reg, from.type(reg));
      if (from.has_named_registers() && !from.name(reg).empty()) to.set_name(reg, Text(from.name(reg)));
      if (from.preferred(reg).is_valid()) to.set_preferred(reg, from.preferred(reg));
    }
    to.live_ins() = from.live_ins();
  }

  void CopyFrame() {
    MachineFrameInfo& frame = to_.frame_info();
    frame = from_.frame_info();
    frame.stack_protector = Text(frame.stack_protector);
    frame.function_context = Text(frame.function_context);
    frame.save_points = Text(frame.save_points);
    frame.restore_points = Text(frame.restore_points);
    for (StackObject& object : frame.objects()) CopyTexts(object);
    for (StackObject& object : frame.fixed_objects()) CopyTexts(object);
  }

  void CopyTexts(StackObject& object) {
    object.name = Text(object.name);
    object.callee_saved_register = Text(object.callee_saved_register);
    object.debug_variable = Text(object.debug_variable);
    object.debug_expression = Text(object.debug_expression);
    object.debug_location = Text(object.debug_location);
  }

  void CopySections() {
    to_.constants() = from_.constants();
    for (ConstantPoolEntry& entry : to_.constants()) entry.value = Text(entry.value);
    to_.jump_tables() = from_.jump_tables();
    to_.verbatim_sections() = from_.verbatim_sections();
    for (VerbatimSection& section : to_.verbatim_sections()) section = {Text(section.key), Text(section.text)};
  }

  void CopyBlocks() {
    for (const MachineBasicBlock& block : from_) {
      MachineBasicBlock* const copy = to_.CreateBlockWithNumber(block.number());
      to_.InsertBlock(nullptr, copy);
      CopyProperties(block, *copy);
    }
    for (const MachineBasicBlock& block : from_) CopyEdges(block);
    for (const MachineBasicBlock& block : from_) {
      MachineBasicBlock& copy = *to_.block(block.number());
      for (const MachineInstr& instr : block) copy.Append(to_.CloneInstr(instr));
    }
  }

  void CopyProperties(const MachineBasicBlock& block, MachineBasicBlock& copy) {
    copy.name = Text(block.name);
    copy.ir_block = Text(block.ir_block);
    copy.align_log2 = block.align_log2;
    copy.is_machine_block_address_taken = block.is_machine_block_address_taken;
    copy.is_landing_pad = block.is_landing_pad;
    copy.is_eh_funclet_entry = block.is_eh_funclet_entry;
    copy.is_inlineasm_br_indirect_target = block.is_inlineasm_br_indirect_target;
    copy.ir_block_address_taken = Text(block.ir_block_address_taken);
    copy.section = Text(block.section);
    copy.call_frame_size = block.call_frame_size;
    copy.has_bb_id = block.has_bb_id;
    copy.bb_id = block.bb_id;
    copy.bb_id_clone = block.bb_id_clone;
    copy.max_bytes_for_alignment = block.max_bytes_for_alignment;
    for (const MachineBasicBlock::LiveIn& live_in : block.live_ins()) copy.AddLiveIn(live_in.reg, live_in.lane_mask);
    for (const MachineBasicBlock::LiveIn& live : block.live_outs()) copy.AddLiveOut(live.reg, live.lane_mask);
  }

  // Predecessors get the order of the layout, in which the reader adds them, too.
  void CopyEdges(const MachineBasicBlock& block) {
    MachineBasicBlock& copy = *to_.block(block.number());
    for (size_t i = 0; i < block.successors().size(); ++i) {
      copy.AddSuccessor(to_.block(block.successors()[i]->number()), block.successor_probabilities()[i]);
    }
  }

  const MachineFunction& from_;
  MachineFunction& to_;
};

}  // namespace

OwnedMachineFunction CloneFunction(const MachineFunction& function) {
  Module* const module = function.module();
  OwnedMachineFunction copy =
      std::make_unique<MachineFunction>(module, function.target(), function.name(), function.number(),
                                        module == nullptr ? nullptr : module->function_memory());
  FunctionCopier(function, *copy).Copy();
  return copy;
}

}  // namespace ptxmir
