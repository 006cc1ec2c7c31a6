// SPDX-License-Identifier: Apache-2.0

#include "passes/lower/forward_params.h"

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "ir/address_space.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// Returns true if `use` is the address of a load whose address space is an operand and which is neither volatile
// nor atomic (parameter space has no such loads).
bool IsPlainLoadThrough(const MachineOperand& use) {
  const MachineInstr& instr = *use.parent();
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (!info.reads_memory() || info.writes_memory()) return false;
  constexpr uint8_t kNoOperand = ptx::PtxInstrInfo::kNoOperand;
  if (info.address == kNoOperand || info.address_space == kNoOperand || info.ordering == kNoOperand) {
    return false;
  }
  const MachineOperand& ordering = instr.operand(info.ordering);
  return use.operand_number() == info.address && ordering.is_imm() && ordering.imm() == 0;
}

bool IsLocalAddressConversion(Opcode opcode) {
  return opcode == ptx::op::cvta_local || opcode == ptx::op::cvta_local_64 || opcode == ptx::op::cvta_to_local ||
         opcode == ptx::op::cvta_to_local_64;
}

class AddressUses {
 public:
  // Returns true if the address in `reg` is used only by loads, directly or through conversions.
  bool Collect(Register reg, const MachineRegisterInfo& reg_info) {
    addresses_.push_back(reg);
    while (!addresses_.empty()) {
      const Register address = addresses_.back();
      addresses_.pop_back();
      for (MachineOperand& use : reg_info.NonDebugUses(address)) {
        MachineInstr* user = use.parent();
        if (IsPlainLoadThrough(use)) {
          loads_.push_back(user);
        } else if (IsLocalAddressConversion(user->opcode())) {
          // In SSA form each conversion is visited once, because it has one source.
          conversions_.push_back(user);
          addresses_.push_back(user->operand(0).reg());
        } else {
          obstacle_ = user;
          return false;
        }
      }
    }
    return true;
  }
  void Clear() {
    loads_.clear();
    conversions_.clear();
    addresses_.clear();
    obstacle_ = nullptr;
  }
  const std::vector<MachineInstr*>& loads() const { return loads_; }
  const std::vector<MachineInstr*>& conversions() const { return conversions_; }
  // Returns an instruction that uses the address in another way, or null if there is none.
  const MachineInstr* obstacle() const { return obstacle_; }

 private:
  std::vector<MachineInstr*> loads_;
  std::vector<MachineInstr*> conversions_;
  std::vector<Register> addresses_;  // still to be visited
  const MachineInstr* obstacle_ = nullptr;
};

MachineRemark ForwardedRemark(std::string_view pass_name, const MachineInstr& move, std::string_view parameter,
                              size_t num_loads) {
  return MachineRemark(RemarkKind::kPassed, pass_name, "ParameterForwarded", move)
         << RemarkArg("NumLoads", num_loads) << " loads read parameter '" << RemarkArg("Parameter", parameter)
         << "' in place";
}

MachineRemark NotForwardedRemark(std::string_view pass_name, const MachineInstr& obstacle, std::string_view parameter) {
  return MachineRemark(RemarkKind::kMissed, pass_name, "ParameterNotForwarded", obstacle)
         << "parameter '" << RemarkArg("Parameter", parameter) << "' is not read in place: its address is used by "
         << RemarkArg("Opcode", obstacle.function().target().Name(obstacle.opcode()))
         << ", which is no plain load from it";
}

}  // namespace

PassResult RunForwardParams(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa)) return {.changed = false};
  if (!function.MayContain(ptx::op::MOV64_PARAM) && !function.MayContain(ptx::op::MOV32_PARAM)) {
    return {.changed = false};
  }
  MachineRegisterInfo& reg_info = function.reg_info();
  MachineOptRemarkEmitter& remarks = context.analyses.Get<MachineOptRemarkEmitter>();
  AddressUses uses;
  uint64_t num_forwarded = 0;
  bool changed = false;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr* instr = block.front(); instr != nullptr;) {
      MachineInstr* const move = instr;
      instr = instr->next();
      if (move->opcode() != ptx::op::MOV64_PARAM && move->opcode() != ptx::op::MOV32_PARAM) continue;
      const MachineOperand symbol = move->operand(1);
      uses.Clear();
      if (!symbol.is_symbol()) continue;
      const std::string_view parameter = function.symbol(symbol.symbol());
      if (!uses.Collect(move->operand(0).reg(), reg_info)) {
        remarks.Emit([&] { return NotForwardedRemark(context.pass_name, *uses.obstacle(), parameter); });
        continue;
      }
      remarks.Emit([&] { return ForwardedRemark(context.pass_name, *move, parameter, uses.loads().size()); });
      for (MachineInstr* load : uses.loads()) {
        const ptx::PtxInstrInfo& info = ptx::InstrInfo(load->opcode());
        load->operand(info.address).ChangeTo(symbol);
        load->operand(info.address_space).ChangeTo(MachineOperand::CreateImm(address_space::kParam));
        ++num_forwarded;
      }
      for (MachineInstr* conversion : uses.conversions()) {
        if (instr == conversion) instr = instr->next();
        conversion->EraseFromParent();
      }
      move->EraseFromParent();
      changed = true;
    }
  }
  context.AddStatistic("loads that read a parameter in place", num_forwarded);
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
