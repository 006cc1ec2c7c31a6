// SPDX-License-Identifier: Apache-2.0

#include "tools/reduce/reduction_steps.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "mir/code/machine_function.h"
#include "mir/code/operand_ranges.h"
#include "tools/reduce/control_flow_edit.h"
#include "tools/reduce/ir_steps.h"
#include "tools/reduce/value_replacement.h"

namespace ptxmir {
namespace {

constexpr uint32_t kBundleFlags = MachineInstr::kBundledPred | MachineInstr::kBundledSucc;

template <typename Change>
void ForEachFunction(Module& module, Change change) {
  for (const OwnedMachineFunction& function : module.machine_functions()) {
    if (!function->empty()) change(*function);
  }
}

template <typename Change>
void ForEachInstr(Module& module, Change change) {
  ForEachFunction(module, [&](MachineFunction& function) {
    for (MachineBasicBlock& block : function) {
      for (MachineInstr& instr : block) change(instr);
    }
  });
}

std::vector<MachineBasicBlock*> Blocks(MachineFunction& function) {
  std::vector<MachineBasicBlock*> blocks;
  for (MachineBasicBlock& block : function) blocks.push_back(&block);
  return blocks;
}

void DeleteFunctions(Module& module, TargetChooser& chooser) {
  auto& functions = module.machine_functions();
  functions.erase(std::remove_if(functions.begin(), functions.end(), [&](const auto&) { return chooser.Choose(); }),
                  functions.end());
}

void ReturnEarly(Module& module, TargetChooser& chooser) {
  ForEachFunction(module, [&](MachineFunction& function) {
    ControlFlowEdit edit(function);
    if (!edit.is_possible()) return;
    for (MachineBasicBlock* block : Blocks(function)) {
      if (!block->successors().empty() && chooser.Choose()) edit.ReplaceWithReturn(*block);
    }
  });
}

void KeepOneSuccessor(Module& module, TargetChooser& chooser) {
  ForEachFunction(module, [&](MachineFunction& function) {
    ControlFlowEdit edit(function);
    if (!edit.is_possible()) return;
    for (MachineBasicBlock* block : Blocks(function)) {
      if (block->successors().size() < 2) continue;
      MachineBasicBlock* kept = nullptr;
      for (MachineBasicBlock* successor : block->successors()) {
        if (chooser.Choose() && kept == nullptr) kept = successor;
      }
      if (kept != nullptr) edit.KeepSuccessor(*block, *kept);
    }
  });
}

void JoinEdges(Module& module, TargetChooser& chooser) {
  ForEachFunction(module, [&](MachineFunction& function) {
    ControlFlowEdit edit(function);
    if (!edit.is_possible()) return;
    for (MachineBasicBlock* block : Blocks(function)) {
      const auto edges = block->successors();
      const std::vector<MachineBasicBlock*> successors(edges.begin(), edges.end());
      for (size_t i = 1; i < successors.size(); ++i) {
        if (chooser.Choose()) edit.JoinEdges(*block, *successors[i], *successors[0]);
      }
    }
  });
}

// Deletes the instructions from last to first, so that most of them have no uses left when they are deleted.
void DeleteBackwards(MachineFunction& function, const std::vector<MachineInstr*>& instrs, bool leave_undefined) {
  if (instrs.empty()) return;
  ValueReplacement replacement(function);
  for (size_t i = instrs.size(); i-- != 0;) replacement.Delete(*instrs[i], leave_undefined);
}

template <typename Filter>
void DeleteInstrsThat(Module& module, TargetChooser& chooser, bool leave_undefined, Filter may_delete) {
  ForEachFunction(module, [&](MachineFunction& function) {
    std::vector<MachineInstr*> chosen;
    for (MachineBasicBlock& block : function) {
      for (MachineInstr& instr : block) {
        if (!instr.is_terminator() && may_delete(instr) && chooser.Choose()) chosen.push_back(&instr);
      }
    }
    DeleteBackwards(function, chosen, leave_undefined);
  });
}

void DeleteDebugInstrs(Module& module, TargetChooser& chooser) {
  DeleteInstrsThat(module, chooser, false, [](const MachineInstr& instr) { return instr.is_debug(); });
}

void DeleteInstrs(Module& module, TargetChooser& chooser) {
  DeleteInstrsThat(module, chooser, false, [](const MachineInstr&) { return true; });
}

void DeleteInstrsLeavingUndefined(Module& module, TargetChooser& chooser) {
  DeleteInstrsThat(module, chooser, true, [](const MachineInstr& instr) { return !instr.is_implicit_def(); });
}

void DeleteBlocks(Module& module, TargetChooser& chooser) {
  ForEachFunction(module, [&](MachineFunction& function) {
    std::vector<MachineBasicBlock*> chosen;
    std::vector<MachineInstr*> instrs;
    for (MachineBasicBlock& block : function) {
      const bool is_passed_through =
          &block != function.front() && block.successors().size() == 1 && block.successors().front() != &block;
      if (!is_passed_through || !chooser.Choose()) continue;
      chosen.push_back(&block);
      for (MachineInstr& instr : block) {
        if (!instr.is_terminator()) instrs.push_back(&instr);
      }
    }
    DeleteBackwards(function, instrs, false);
    ControlFlowEdit edit(function);
    if (!edit.is_possible()) return;
    for (MachineBasicBlock* block : chosen) {
      // Earlier bypasses may have turned it into a loop of its own.
      if (block->successors().front() != block && !block->predecessors().empty()) edit.Bypass(*block);
    }
  });
}

bool CanMergeSuccessor(const MachineFunction& function, const MachineBasicBlock& block) {
  if (block.successors().size() != 1) return false;
  const MachineBasicBlock* successor = block.successors().front();
  return successor != &block && successor != function.front() && successor->predecessors().size() == 1;
}

void MergeBlocks(Module& module, TargetChooser& chooser) {
  ForEachFunction(module, [&](MachineFunction& function) {
    ControlFlowEdit edit(function);
    if (!edit.is_possible()) return;
    std::vector<MachineBasicBlock*> chosen;
    for (MachineBasicBlock& block : function) {
      if (CanMergeSuccessor(function, block) && chooser.Choose()) chosen.push_back(&block);
    }
    // From the last one, whose code then becomes part of an earlier block's.
    for (size_t i = chosen.size(); i-- != 0;) {
      if (CanMergeSuccessor(function, *chosen[i])) edit.MergeSuccessor(*chosen[i]);
    }
  });
}

void ReadFirstRegisters(Module& module, TargetChooser& chooser) {
  ForEachFunction(module, [&](MachineFunction& function) {
    const ValueReplacement replacement(function);
    MachineRegisterInfo& registers = function.reg_info();
    for (MachineBasicBlock& block : function) {
      for (MachineInstr& instr : block) {
        if (instr.is_phi() || instr.is_debug()) continue;
        for (MachineOperand& read : VirtualReads(instr)) {
          const Register first = replacement.FirstAvailable(instr, registers.reg_class(read.reg()));
          if (!first.is_valid() || first == read.reg() || !chooser.Choose()) continue;
          read.SetReg(first);
          read.set_reg_flag(MachineOperand::kKill, false);
          registers.ClearKillFlags(first);
          for (MachineOperand& def : registers.Defs(first)) def.set_reg_flag(MachineOperand::kDead, false);
        }
      }
    }
  });
}

void ZeroImmediates(Module& module, TargetChooser& chooser) {
  ForEachInstr(module, [&](MachineInstr& instr) {
    // Immediates describe the operands after them in these instructions.
    if (instr.is_inline_asm() || instr.is_debug()) return;
    for (MachineOperand& operand : instr.operands()) {
      if (operand.is_imm() && operand.imm() != 0 && chooser.Choose()) operand.set_imm(0);
      if (operand.is_fp_imm() && operand.fp_bits() != 0 && chooser.Choose()) {
        operand.ChangeTo(MachineOperand::CreateFPImm(operand.fp_width(), 0));
      }
      if (operand.is_global() && operand.offset() != 0 && chooser.Choose()) operand.set_offset(0);
    }
  });
}

void DropMemOperands(Module& module, TargetChooser& chooser) {
  ForEachInstr(module, [&](MachineInstr& instr) {
    if (!instr.memoperands().empty() && chooser.Choose()) instr.SetMemOperands({});
  });
}

void DropInstrFlags(Module& module, TargetChooser& chooser) {
  ForEachInstr(module, [&](MachineInstr& instr) {
    if ((instr.flags() & ~kBundleFlags) != 0 && chooser.Choose()) instr.set_flags(instr.flags() & kBundleFlags);
  });
}

void DropDebugLocations(Module& module, TargetChooser& chooser) {
  ForEachInstr(module, [&](MachineInstr& instr) {
    if (instr.debug_loc() != MachineInstr::kNoDebugLoc && !instr.is_debug() && chooser.Choose()) {
      instr.set_debug_loc(MachineInstr::kNoDebugLoc);
    }
  });
}

void DropInstrExtras(Module& module, TargetChooser& chooser) {
  ForEachInstr(module, [&](MachineInstr& instr) {
    const InstrExtra* extra = instr.extra();
    if (extra == nullptr || !chooser.Choose()) return;
    InstrExtra kept;
    kept.memoperands = extra->memoperands;
    instr.SetExtra(kept);
  });
}

void DropRegisterFlags(Module& module, TargetChooser& chooser) {
  constexpr uint16_t kDropped =
      MachineOperand::kKill | MachineOperand::kDead | MachineOperand::kRenamable | MachineOperand::kEarlyClobber;
  ForEachInstr(module, [&](MachineInstr& instr) {
    for (MachineOperand& operand : instr.operands()) {
      if (!operand.is_reg() || (operand.reg_flags() & kDropped) == 0 || !chooser.Choose()) continue;
      for (const MachineOperand::RegFlag flag :
           {MachineOperand::kKill, MachineOperand::kDead, MachineOperand::kRenamable, MachineOperand::kEarlyClobber}) {
        operand.set_reg_flag(flag, false);
      }
    }
  });
}

void DropProbabilities(Module& module, TargetChooser& chooser) {
  ForEachFunction(module, [&](MachineFunction& function) {
    for (MachineBasicBlock& block : function) {
      const auto probabilities = block.successor_probabilities();
      const bool has_any = std::any_of(probabilities.begin(), probabilities.end(),
                                       [](BranchProbability probability) { return !probability.is_unknown(); });
      if (!has_any || !chooser.Choose()) continue;
      for (size_t i = 0; i < block.successors().size(); ++i) {
        block.SetSuccessorProbability(i, BranchProbability::Unknown());
      }
    }
  });
}

void DropBlockNames(Module& module, TargetChooser& chooser) {
  ForEachFunction(module, [&](MachineFunction& function) {
    for (MachineBasicBlock& block : function) {
      if ((block.name.empty() && block.ir_block.empty()) || !chooser.Choose()) continue;
      block.name = {};
      block.ir_block = {};
    }
  });
}

// Deletes chosen elements of `elements` that no operand of `kind` names, and renumbers the operands.
template <typename T, typename MakeOperand>
void DeleteUnused(MachineFunction& function, std::vector<T>& elements, MachineOperand::Kind kind,
                  TargetChooser& chooser, MakeOperand make_operand) {
  if (elements.empty()) return;
  std::vector<MachineOperand*> operands;
  std::vector<bool> is_used(elements.size(), false);
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) {
      for (MachineOperand& operand : instr.operands()) {
        // Negative frame indices are those of fixed objects, which are not in this list.
        if (operand.kind() != kind || operand.index() >= elements.size()) continue;
        operands.push_back(&operand);
        is_used[operand.index()] = true;
      }
    }
  }
  std::vector<uint32_t> new_number(elements.size(), 0);
  std::vector<T> kept;
  for (size_t i = 0; i < elements.size(); ++i) {
    new_number[i] = static_cast<uint32_t>(kept.size());
    if (is_used[i] || !chooser.Choose()) kept.push_back(std::move(elements[i]));
  }
  for (MachineOperand* operand : operands) {
    operand->ChangeTo(make_operand(new_number[operand->index()], operand->offset()));
  }
  elements = std::move(kept);
}

void DeleteUnusedObjects(Module& module, TargetChooser& chooser) {
  ForEachFunction(module, [&](MachineFunction& function) {
    DeleteUnused(function, function.frame_info().objects(), MachineOperand::Kind::kFrameIndex, chooser,
                 [](uint32_t number, int64_t) { return MachineOperand::CreateFrameIndex(static_cast<int>(number)); });
    DeleteUnused(function, function.constants(), MachineOperand::Kind::kConstantPoolIndex, chooser,
                 MachineOperand::CreateConstantPoolIndex);
    DeleteUnused(function, function.jump_tables(), MachineOperand::Kind::kJumpTableIndex, chooser,
                 [](uint32_t number, int64_t) { return MachineOperand::CreateJumpTableIndex(number); });
    if (function.jump_tables().empty()) function.jump_table_kind = {};
  });
}

void DropFunctionDetails(Module& module, TargetChooser& chooser) {
  ForEachFunction(module, [&](MachineFunction& function) {
    auto& sections = function.verbatim_sections();
    sections.erase(
        std::remove_if(sections.begin(), sections.end(), [&](const VerbatimSection&) { return chooser.Choose(); }),
        sections.end());
    for (StackObject& object : function.frame_info().objects()) {
      if (object.name.empty() && object.debug_variable.empty()) continue;
      if (!chooser.Choose()) continue;
      object.name = {};
      object.debug_variable = object.debug_expression = object.debug_location = {};
    }
    if (!function.reg_info().live_ins().empty() && chooser.Choose()) function.reg_info().live_ins().clear();
    if (function.align_log2 != 0 && chooser.Choose()) function.align_log2 = 0;
  });
}

// Returns the virtual registers in the order in which the text first names them.
std::vector<Register> RegistersInOrder(MachineFunction& function) {
  std::vector<Register> order;
  std::vector<bool> is_seen(function.reg_info().num_virtual_registers(), false);
  for (MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      for (const MachineOperand& operand : instr.operands()) {
        if (!operand.is_reg() || !operand.reg().is_virtual() || is_seen[operand.reg().virtual_index()]) continue;
        is_seen[operand.reg().virtual_index()] = true;
        order.push_back(operand.reg());
      }
    }
  }
  return order;
}

void RenumberRegisters(MachineFunction& function) {
  MachineRegisterInfo& registers = function.reg_info();
  const std::vector<Register> order = RegistersInOrder(function);
  const uint32_t num_old = registers.num_virtual_registers();
  for (uint32_t i = 0; i < num_old; ++i) {
    const Register reg = Register::Virtual(i);
    // These registers have more properties than a class.
    if (registers.type(reg).is_valid() || registers.preferred(reg).is_valid() || !registers.name(reg).empty()) return;
  }
  if (!registers.live_ins().empty()) return;
  // Uses new registers as intermediates, because the final numbers are those of the old registers.
  std::vector<Register> fresh;
  for (const Register reg : order) {
    fresh.push_back(registers.CreateVirtualRegister(registers.reg_class(reg)));
    registers.ReplaceRegister(reg, fresh.back());
  }
  for (uint32_t i = 0; i < num_old; ++i) registers.set_reg_class(Register::Virtual(i), kNoRegClass);
  for (uint32_t i = 0; i < fresh.size(); ++i) {
    const Register reg = Register::Virtual(i);
    registers.set_reg_class(reg, registers.reg_class(fresh[i]));
    registers.ReplaceRegister(fresh[i], reg);
    registers.set_reg_class(fresh[i], kNoRegClass);
  }
}

}  // namespace

absl::Span<const ReductionStep> ReductionSteps() {
  static constexpr ReductionStep kSteps[] = {
      {"machine functions", DeleteFunctions, nullptr},
      {"bodies of IR functions", nullptr, EmptyIrBodies},
      {"debug instructions", DeleteDebugInstrs, nullptr},
      {"blocks that return early", ReturnEarly, nullptr},
      {"branches", KeepOneSuccessor, nullptr},
      {"instructions", DeleteInstrs, nullptr},
      {"blocks", DeleteBlocks, nullptr},
      {"blocks merged", MergeBlocks, nullptr},
      {"edges", JoinEdges, nullptr},
      {"instructions, results undefined", DeleteInstrsLeavingUndefined, nullptr},
      {"registers read", ReadFirstRegisters, nullptr},
      {"instructions no longer used", DeleteInstrs, nullptr},
      {"immediates", ZeroImmediates, nullptr},
      {"memory operands", DropMemOperands, nullptr},
      {"instruction flags", DropInstrFlags, nullptr},
      {"debug locations", DropDebugLocations, nullptr},
      {"symbols and markers of instructions", DropInstrExtras, nullptr},
      {"register flags", DropRegisterFlags, nullptr},
      {"probabilities", DropProbabilities, nullptr},
      {"block names", DropBlockNames, nullptr},
      {"stack objects, constants, jump tables", DeleteUnusedObjects, nullptr},
      {"function details", DropFunctionDetails, nullptr},
      {"IR entities", nullptr, DeleteIrEntities},
      {"attributes of IR functions", nullptr, DropIrFunctionAttributes},
      {"parameters of IR functions", nullptr, DeleteIrParameters},
      {"attributes of IR parameters", nullptr, DropIrParameterAttributes},
  };
  return kSteps;
}

void RenumberForReading(Module& module) {
  ForEachFunction(module, [](MachineFunction& function) {
    function.RenumberBlocks();
    RenumberRegisters(function);
  });
}

}  // namespace ptxmir
