// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/wide_register_splitting.h"

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "passes/allocate/spill/inline_spiller.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// How a class is split in halves.
struct Halves {
  RegClassId reg_class;  // the class of each half
  Opcode pack;
  Opcode unpack;
};

const Halves* HalvesOf(RegClassId reg_class) {
  static constexpr Halves kOf64 = {ptx::reg_class::kB32, ptx::op::V2I32toI64, ptx::op::I64toV2I32};
  static constexpr Halves kOf128 = {ptx::reg_class::kB64, ptx::op::V2I64toI128, ptx::op::I128toV2I64};
  if (reg_class == ptx::reg_class::kB64) return &kOf64;
  return reg_class == ptx::reg_class::kB128 ? &kOf128 : nullptr;
}

class WideSplitter {
 public:
  WideSplitter(MachineFunction& function, PassContext& context)
      : function_(function), reg_info_(function.reg_info()), context_(context) {}

  // Returns the registers that are live at peaks over the limit and not named by the instruction there.
  std::vector<Register> FindRegisters(uint32_t limit) {
    const auto& pressure = context_.analyses.Get<MachineRegisterPressure>();
    std::vector<bool> is_found(reg_info_.num_virtual_registers());
    for (const MachineBasicBlock* block : pressure.BlocksOver(limit)) {
      const MachineRegisterPressure::PeakPoint peak = pressure.LiveAtPeak(*block);
      for (const Register reg : peak.live) {
        if (HalvesOf(reg_info_.reg_class(reg)) == nullptr || IsNamed(peak.instr, reg)) continue;
        if (InlineSpiller::CanSpill(function_, reg) && !IsTied(reg)) is_found[reg.virtual_index()] = true;
      }
    }
    std::vector<Register> registers;
    for (uint32_t i = 0; i < is_found.size(); ++i) {
      if (is_found[i]) registers.push_back(Register::Virtual(i));
    }
    return registers;
  }

  void Split(Register reg) {
    const Halves halves = *HalvesOf(reg_info_.reg_class(reg));
    const std::array<Register, 2> parts = {reg_info_.CreateVirtualRegister(halves.reg_class),
                                           reg_info_.CreateVirtualRegister(halves.reg_class)};
    ++num_split_;
    for (MachineInstr* instr : InstrsOf(reg)) {
      if (instr->is_debug()) {
        for (MachineOperand& operand : instr->operands()) {
          if (operand.is_reg() && operand.reg() == reg) operand.SetReg(Register());
        }
        continue;
      }
      SplitIn(*instr, reg, parts, halves);
    }
    if (HalvesOf(halves.reg_class) == nullptr) return;
    for (const Register part : parts) Split(part);
  }

  uint64_t num_split() const { return num_split_; }

 private:
  static bool IsNamed(const MachineInstr* instr, Register reg) {
    if (instr == nullptr) return false;
    const auto operands = instr->operands();
    return std::any_of(operands.begin(), operands.end(),
                       [&](const MachineOperand& operand) { return operand.is_reg() && operand.reg() == reg; });
  }
  bool IsTied(Register reg) const {
    const auto operands = reg_info_.Operands(reg);
    return std::any_of(operands.begin(), operands.end(),
                       [](const MachineOperand& operand) { return operand.is_tied() || operand.is_early_clobber(); });
  }

  // Returns the instructions that name the register, each once, in the order of the use list.
  std::vector<MachineInstr*> InstrsOf(Register reg) {
    std::vector<MachineInstr*> instrs;
    for (MachineOperand& operand : reg_info_.Operands(reg)) instrs.push_back(operand.parent());
    std::sort(instrs.begin(), instrs.end(),
              [](const MachineInstr* a, const MachineInstr* b) { return a->id() < b->id(); });
    instrs.erase(std::unique(instrs.begin(), instrs.end()), instrs.end());
    return instrs;
  }

  void SplitIn(MachineInstr& instr, Register reg, const std::array<Register, 2>& parts, const Halves& halves) {
    const RegClassId reg_class = reg_info_.reg_class(reg);
    Register read, written;
    bool is_undefined = true;
    for (MachineOperand& operand : instr.operands()) {
      if (!operand.is_reg() || operand.reg() != reg) continue;
      Register& renamed = operand.is_def() ? written : read;
      if (!renamed.is_valid()) renamed = reg_info_.CreateVirtualRegister(reg_class);
      if (!operand.is_def()) is_undefined &= operand.is_undef();
      operand.SetReg(renamed);
      // The halves are read from it, even if they are unused.
      if (operand.is_def()) operand.set_reg_flag(MachineOperand::kDead, false);
    }
    MachineBasicBlock& block = *instr.parent();
    if (read.is_valid() && !is_undefined) {
      BuildMI(block, &instr, halves.pack, instr.debug_loc()).AddDef(read).AddUse(parts[0]).AddUse(parts[1]).Insert();
    }
    if (written.is_valid()) InsertUnpack(instr, written, parts, halves);
  }

  void InsertUnpack(MachineInstr& instr, Register written, const std::array<Register, 2>& parts, const Halves& halves) {
    MachineBasicBlock& block = *instr.parent();
    MachineInstr* const behind = instr.next();
    const auto copy = [&](Register to, Register from) {
      BuildMI(block, behind, generic::kCopy, instr.debug_loc()).AddDef(to).AddUse(from).Insert();
    };
    const bool is_put_together =
        instr.opcode() == halves.pack && instr.operand(1).is_reg() && instr.operand(2).is_reg();
    const bool is_extended = instr.opcode() == ptx::op::CVT_u64_u32 && instr.operand(1).is_reg();
    if (is_put_together) {
      copy(parts[0], instr.operand(1).reg());
      copy(parts[1], instr.operand(2).reg());
    } else if (is_extended) {
      copy(parts[0], instr.operand(1).reg());
      BuildMI(block, behind, ptx::op::MOV_B32_i, instr.debug_loc()).AddDef(parts[1]).AddImm(0).Insert();
    } else {
      BuildMI(block, behind, halves.unpack, instr.debug_loc())
          .AddDef(parts[0])
          .AddDef(parts[1])
          .AddUse(written)
          .Insert();
      return;
    }
    ++num_known_;
    for (MachineOperand& operand : instr.operands()) {
      if (operand.is_use()) operand.set_reg_flag(MachineOperand::kKill, false);
    }
    instr.EraseFromParent();
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  PassContext& context_;
  uint64_t num_split_ = 0;
  uint64_t num_known_ = 0;
};

}  // namespace

PassResult RunWideRegisterSplitting(MachineFunction& function, PassContext& context) {
  if (!context.knobs.ra_split_wide() || function.empty() || function.MayContain(generic::kBundle)) return {};
  uint32_t limit = static_cast<uint32_t>(context.knobs.ra_limit());
  if (limit == 0) {
    const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
    if (!budget.is_hard) return {};
    limit = budget.registers;
  }
  WideSplitter splitter(function, context);
  for (const Register reg : splitter.FindRegisters(limit)) splitter.Split(reg);
  context.AddStatistic("wide registers taken apart", splitter.num_split());
  if (splitter.num_split() == 0) return {};
  function.SetProperty(FunctionProperty::kIsSsa, false);
  return {.changed = true, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
