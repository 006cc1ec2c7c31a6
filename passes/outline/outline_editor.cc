// SPDX-License-Identifier: Apache-2.0

#include "passes/outline/outline_editor.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <string_view>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/register_classes.h"
#include "ptx/target/parameter_names.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using Operand = MachineOperand;
namespace reg_class = ptx::reg_class;

// How the registers of a class go through parameter space.
struct ParamAccess {
  RegClassId reg_class;
  uint32_t bits;
  Opcode load;
  Opcode store;
};

constexpr ParamAccess kParamAccesses[] = {
    {reg_class::kB16, 16, ptx::op::LD_i16, ptx::op::ST_i16},
    {reg_class::kB32, 32, ptx::op::LD_i32, ptx::op::ST_i32},
    {reg_class::kB64, 64, ptx::op::LD_i64, ptx::op::ST_i64},
};

const ParamAccess& AccessOf(RegClassId reg_class) {
  return *std::find_if(std::begin(kParamAccesses), std::end(kParamAccesses),
                       [&](const ParamAccess& access) { return access.reg_class == reg_class; });
}

// The alignment of a structure in the parameter space of a function that no outside code can call.
constexpr uint32_t kResultAlign = 16;
// A scalar has at least this size.
constexpr uint32_t kMinScalarBits = 32;

void AddMemOperand(MachineInstr& instr, uint32_t bits, uint16_t flags) {
  MachineFunction& function = instr.function();
  MachineMemOperand memoperand;
  memoperand.flags = flags;
  memoperand.has_known_size = true;
  memoperand.type = {.kind = LowLevelType::Kind::kScalar, .bits = bits};
  memoperand.address_space = address_space::kParam;
  memoperand.align_log2 = memoperand.base_align_log2 = static_cast<uint8_t>(std::countr_zero(bits / 8));
  const MachineMemOperand* const operands[] = {function.CreateMemOperand(memoperand)};
  instr.SetMemOperands(operands);
}

// Inserts a load of parameter space: ld.param.b32 reg, [symbol+offset].
void LoadParam(MachineBasicBlock& block, MachineInstr* before, Register reg, RegClassId reg_class,
               std::string_view symbol, int64_t offset, MetadataId loc = MachineInstr::kNoDebugLoc) {
  constexpr int64_t kUntyped = 3;
  constexpr int64_t kAllBytes = -1;
  const ParamAccess& access = AccessOf(reg_class);
  MachineInstr* const load = BuildMI(block, before, access.load, loc)
                                 .AddDef(reg)
                                 .AddImm(0)
                                 .AddImm(0)
                                 .AddImm(address_space::kParam)
                                 .AddImm(kUntyped)
                                 .AddImm(access.bits)
                                 .AddImm(kAllBytes)
                                 .Add(Operand::CreateExternalSymbol(block.function().InternSymbol(symbol)))
                                 .AddImm(offset)
                                 .Insert();
  AddMemOperand(*load, access.bits, MachineMemOperand::kLoad);
}

void StoreParam(MachineBasicBlock& block, MachineInstr* before, Register reg, RegClassId reg_class,
                std::string_view symbol, int64_t offset, MetadataId loc = MachineInstr::kNoDebugLoc) {
  const ParamAccess& access = AccessOf(reg_class);
  MachineInstr* const store = BuildMI(block, before, access.store, loc)
                                  .AddUse(reg)
                                  .AddImm(0)
                                  .AddImm(0)
                                  .AddImm(address_space::kParam)
                                  .AddImm(access.bits)
                                  .Add(Operand::CreateExternalSymbol(block.function().InternSymbol(symbol)))
                                  .AddImm(offset)
                                  .Insert();
  AddMemOperand(*store, access.bits, MachineMemOperand::kStore);
}

// Returns what is known of the access at all places: its kind, size and space. Values, types and scopes are those of
// one function.
MachineMemOperand CommonMemOperand(const MachineMemOperand& from) {
  MachineMemOperand common;
  common.flags = from.flags & (MachineMemOperand::kLoad | MachineMemOperand::kStore | MachineMemOperand::kVolatile);
  common.success_ordering = from.success_ordering;
  common.failure_ordering = from.failure_ordering;
  common.syncscope = from.syncscope;
  common.has_known_size = from.has_known_size;
  common.address_space = from.address_space;
  common.type = from.type;
  return common;
}

// One value in parameter space.
struct FrameSlot {
  uint32_t number;
  RegClassId reg_class;
  uint32_t bits;
  uint32_t offset;  // within the result
};

std::vector<FrameSlot> SlotsOf(const std::vector<OutlinePlan::Value>& values) {
  std::vector<FrameSlot> slots;
  uint32_t offset = 0;
  for (const OutlinePlan::Value& value : values) {
    const uint32_t bits = AccessOf(value.reg_class).bits;
    slots.push_back({value.number, value.reg_class, bits, offset});
    offset += bits / 8;
  }
  return slots;
}

}  // namespace

std::string OutlineEditor::NextName() {
  std::string name;
  do {
    name = StrCat("OUTLINED_FUNCTION_", next_name_++);
  } while (module_.FindGlobal(name) != nullptr);
  return name;
}

IrFunction& OutlineEditor::MakeSignature(const OutlinePlan& plan) {
  IrTypeTable& types = module_.types();
  const auto types_of = [&](const std::vector<OutlinePlan::Value>& values) {
    std::vector<const IrType*> members;
    for (const FrameSlot& slot : SlotsOf(values)) members.push_back(types.Integer(slot.bits));
    return members;
  };
  const std::vector<const IrType*> members = types_of(plan.results);
  const IrType* const result = members.empty()       ? types.Void()
                               : members.size() == 1 ? members.front()
                                                     : types.Struct(members);
  IrFunction& function =
      module_.CreateFunction(NextName(), types.Function(result, types_of(plan.parameters), false), Linkage::kInternal);
  // The code is in the machine function alone.
  function.has_body = true;
  function.body_text = "{\n  unreachable\n}";
  return function;
}

void OutlineEditor::CopySequence(const OutlinePlan& plan, MachineBasicBlock& block,
                                 const std::vector<Register>& registers) {
  MachineFunction& function = block.function();
  const absl::Span<const uint32_t> numbers = planner_.NumberRegisters(plan.positions.front(), plan.length);
  size_t next = 0;
  std::vector<Operand> operands;
  for (uint32_t i = 0; i < plan.length; ++i) {
    const MachineInstr& instr = *text_.instr(plan.positions.front() + i);
    operands.clear();
    for (const Operand& operand : instr.operands()) {
      if (operand.is_reg()) {
        constexpr uint16_t kKept = Operand::kDefine | Operand::kUndef | Operand::kEarlyClobber;
        const Register reg = operand.reg().is_virtual() ? registers[numbers[next++]] : operand.reg();
        operands.push_back(Operand::CreateReg(reg, operand.reg_flags() & kKept));
      } else {
        operands.push_back(operand);
      }
    }
    // A promise holds only if all places make it.
    uint32_t flags = instr.flags();
    for (const uint32_t position : plan.positions) flags &= text_.instr(position + i)->flags();
    MachineInstr* const copy = function.CreateInstr(instr.opcode(), operands, MachineInstr::kNoDebugLoc, flags);
    for (unsigned o = 0; o < instr.num_operands(); ++o) {
      if (instr.operand(o).is_def() && instr.operand(o).is_tied()) copy->TieOperands(o, instr.FindTiedOperand(o));
    }
    std::vector<const MachineMemOperand*> memoperands;
    for (size_t m = 0; m < instr.memoperands().size(); ++m) {
      MachineMemOperand common = CommonMemOperand(*instr.memoperands()[m]);
      common.align_log2 = instr.memoperands()[m]->align_log2;
      for (const uint32_t position : plan.positions) {
        const MachineMemOperand& other = *text_.instr(position + i)->memoperands()[m];
        common.align_log2 = std::min(common.align_log2, other.align_log2);
      }
      common.base_align_log2 = common.align_log2;
      memoperands.push_back(function.CreateMemOperand(common));
    }
    if (!memoperands.empty()) copy->SetMemOperands(memoperands);
    block.Append(copy);
  }
}

OwnedMachineFunction OutlineEditor::MakeFunction(const OutlinePlan& plan, uint32_t number) {
  const std::vector<FrameSlot> parameters = SlotsOf(plan.parameters);
  const std::vector<FrameSlot> results = SlotsOf(plan.results);
  const IrFunction& ir_function = MakeSignature(plan);
  auto function = std::make_unique<MachineFunction>(&module_, ptx::PtxTargetInfo(), ir_function.name, number,
                                                    module_.function_memory());
  function->SetProperty(FunctionProperty::kNoPhis | FunctionProperty::kTracksRegLiveness |
                        FunctionProperty::kIsOutlined);
  MachineBasicBlock& block = *function->CreateBlock();
  function->InsertBlock(nullptr, &block);

  planner_.NumberRegisters(plan.positions.front(), plan.length);
  const MachineRegisterInfo& old_info = text_.instr(plan.positions.front())->function().reg_info();
  std::vector<Register> registers;
  for (const Register reg : planner_.registers()) {
    registers.push_back(function->reg_info().CreateVirtualRegister(old_info.reg_class(reg)));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    LoadParam(block, nullptr, registers[parameters[i].number], parameters[i].reg_class,
              ptx::ParameterName(ir_function.name, i), 0);
  }
  CopySequence(plan, block, registers);
  for (size_t i = 0; i < results.size(); ++i) {
    StoreParam(block, nullptr, registers[results[i].number], results[i].reg_class, ptx::kFunctionResult,
               results[i].offset);
  }
  BuildMI(block, nullptr, ptx::op::Return).Insert();
  return OwnedMachineFunction(function.release(), std::default_delete<MachineFunction>());
}

void OutlineEditor::ReplaceByCall(const OutlinePlan& plan, uint32_t position, const MachineFunction& outlined) {
  const std::vector<FrameSlot> parameters = SlotsOf(plan.parameters);
  const std::vector<FrameSlot> results = SlotsOf(plan.results);
  planner_.NumberRegisters(position, plan.length);
  const std::vector<Register> registers(planner_.registers().begin(), planner_.registers().end());
  MachineInstr* const before = text_.instr(position);
  MachineBasicBlock& block = *before->parent();
  MachineFunction& function = block.function();
  const MetadataId loc = before->debug_loc();
  const auto symbol = [&](std::string_view name) { return Operand::CreateExternalSymbol(function.InternSymbol(name)); };

  const int64_t call = next_call_++;
  BuildMI(block, before, ptx::op::Callseq_Start, loc).AddImm(call).AddImm(0).Insert();
  for (size_t i = 0; i < parameters.size(); ++i) {
    BuildMI(block, before, ptx::op::DECLARE_PARAM_scalar, loc)
        .Add(symbol(StrCat("param", i)))
        .AddImm(std::max(parameters[i].bits, kMinScalarBits))
        .Insert();
  }
  if (results.size() == 1) {
    BuildMI(block, before, ptx::op::DECLARE_PARAM_scalar, loc)
        .Add(symbol(ptx::kCallResult))
        .AddImm(std::max(results[0].bits, kMinScalarBits))
        .Insert();
  } else if (!results.empty()) {
    const IrFunction& ir_function = *module_.FindFunction(outlined.name());
    BuildMI(block, before, ptx::op::DECLARE_PARAM_array, loc)
        .Add(symbol(ptx::kCallResult))
        .AddImm(kResultAlign)
        .AddImm(static_cast<int64_t>(module_.data_layout().AllocSize(ir_function.return_type())))
        .Insert();
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    StoreParam(block, before, registers[parameters[i].number], parameters[i].reg_class, StrCat("param", i), 0, loc);
  }
  BuildMI(block, before, ptx::op::CALL_UNI, loc)
      .Add(Operand::CreateGlobal(module_.FindFunction(outlined.name())->id()))
      .AddImm(results.empty() ? 0 : 1)
      .AddImm(static_cast<int64_t>(parameters.size()))
      .Insert();
  for (size_t i = 0; i < results.size(); ++i) {
    LoadParam(block, before, registers[results[i].number], results[i].reg_class, ptx::kCallResult, results[i].offset,
              loc);
  }
  BuildMI(block, before, ptx::op::Callseq_End, loc).AddImm(call).AddImm(call + 1).Insert();
  function.frame_info().has_calls = true;

  for (const FrameSlot& result : results) registers_with_values_.push_back(registers[result.number]);
  EraseSequence(plan, position);
  registers_with_values_.clear();
}

void OutlineEditor::EraseSequence(const OutlinePlan& plan, uint32_t position) {
  MachineRegisterInfo& reg_info = text_.instr(position)->function().reg_info();
  MachineInstr* const last = text_.instr(position + plan.length - 1);
  // Debug values within the sequence saw registers on their way.
  std::vector<Register> written;
  for (MachineInstr* instr = text_.instr(position); instr != last; instr = instr->next()) {
    if (!instr->is_debug()) continue;
    for (Operand& operand : instr->operands()) {
      if (operand.is_reg() && operand.reg().is_virtual()) operand.SetReg(Register());
    }
  }
  for (uint32_t i = 0; i < plan.length; ++i) {
    MachineInstr* const instr = text_.instr(position + i);
    for (const Operand& operand : instr->operands()) {
      if (operand.is_def() && operand.reg().is_virtual()) written.push_back(operand.reg());
    }
    instr->EraseFromParent();
  }
  // A value that only debug instructions read now has no register.
  for (const Register reg : written) {
    const bool has_value =
        std::find(registers_with_values_.begin(), registers_with_values_.end(), reg) != registers_with_values_.end();
    if (!has_value) DropDebugUses(reg_info, reg);
  }
}

}  // namespace ptxmir
