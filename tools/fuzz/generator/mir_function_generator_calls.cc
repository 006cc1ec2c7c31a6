// SPDX-License-Identifier: Apache-2.0

// Calls, as instruction selection produces them, and results of functions.

#include <string>
#include <utility>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/parameter_names.h"
#include "tools/fuzz/generator/mir_function_generator_internal.h"

namespace ptxmir::fuzz {

namespace op = ptx::op;
using ptx::reg_class::kB16;
using ptx::reg_class::kB32;
using ptx::reg_class::kB64;

namespace {

std::string_view PrototypeParameter(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kI16:
    case ParameterKind::kI32:
    case ParameterKind::kF32:
      return ".param .b32 _";
    case ParameterKind::kByVal:
      return ".param .align 8 .b8 _[32]";
    default:
      return ".param .b64 _";
  }
}

std::string_view PrototypeResult(ResultKind kind) {
  switch (kind) {
    case ResultKind::kVoid:
      return "()";
    case ResultKind::kI16:
    case ResultKind::kI32:
    case ResultKind::kF32:
      return "(.param .b32 _)";
    case ResultKind::kStruct:
      return "(.param .align 8 .b8 _[16])";
    default:
      return "(.param .b64 _)";
  }
}

std::string Prototype(int64_t number, const FunctionPlan& callee) {
  std::string text = StrCat("prototype_", number, " : .callprototype ", PrototypeResult(callee.result), " _ (");
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    StrAppend(&text, i == 0 ? "" : ", ", PrototypeParameter(callee.parameters[i]));
  }
  return text + ");";
}

}  // namespace

void FunctionGenerator::StoreArgument(unsigned number, ParameterKind kind) {
  const MachineOperand symbol = MachineOperand::CreateExternalSymbol(function_.InternSymbol(StrCat("param", number)));
  Location location;
  location.space = address_space::kParam;
  const auto store = [&](Opcode opcode, std::initializer_list<Register> values, int64_t bits, int64_t offset) {
    MachineInstrBuilder builder = BuildMI(*block_, nullptr, opcode);
    for (const Register value : values) builder.AddUse(value);
    MachineInstr* instr =
        builder.AddImm(0).AddImm(0).AddImm(address_space::kParam).AddImm(bits).Add(symbol).AddImm(offset).Insert();
    AttachMemOperand(*instr, location, static_cast<unsigned>(bits) * static_cast<unsigned>(values.size()), false, true,
                     false);
    cost_ += trips_;
  };
  switch (kind) {
    case ParameterKind::kI16:
      store(op::ST_i32, {Emit(op::CVT_u32_u16, kB32, {Use(PickValue(kB16).reg), Imm(0)})}, 32, 0);
      break;
    case ParameterKind::kI32:
    case ParameterKind::kF32:
      store(op::ST_i32, {PickValue(kB32).reg}, 32, 0);
      break;
    case ParameterKind::kI64:
    case ParameterKind::kF64:
      store(op::ST_i64, {PickValue(kB64).reg}, 64, 0);
      break;
    case ParameterKind::kPointer:
      store(op::ST_i64, {slot_generic_}, 64, 0);
      break;
    case ParameterKind::kByVal:
      store(op::STV_i32_v2, {PickValue(kB32).reg, PickValue(kB32).reg}, 32, 0);
      for (int64_t offset = 8; offset < kByValBytes; offset += 8) {
        store(op::ST_i64, {PickValue(kB64).reg}, 64, offset);
      }
      break;
  }
}

void FunctionGenerator::LoadResult(ResultKind kind) {
  if (kind == ResultKind::kVoid) {
    BuildMI(*block_, nullptr, op::Callseq_End).AddImm(call_sequences_).AddImm(call_sequences_ + 1).Insert();
    return;
  }
  const MachineOperand symbol = MachineOperand::CreateExternalSymbol(function_.InternSymbol(ptx::kCallResult));
  Location location;
  location.space = address_space::kParam;
  std::vector<std::pair<Register, RegClassId>> loaded;
  const auto load = [&](Opcode opcode, RegClassId reg_class, unsigned count, int64_t bits, int64_t offset) {
    MachineInstrBuilder builder = BuildMI(*block_, nullptr, opcode);
    for (unsigned i = 0; i < count; ++i) {
      loaded.emplace_back(NewRegister(reg_class), reg_class);
      builder.AddDef(loaded.back().first);
    }
    MachineInstr* instr = builder.AddImm(0)
                              .AddImm(0)
                              .AddImm(address_space::kParam)
                              .AddImm(3)
                              .AddImm(bits)
                              .AddImm(-1)
                              .Add(symbol)
                              .AddImm(offset)
                              .Insert();
    AttachMemOperand(*instr, location, static_cast<unsigned>(bits) * count, true, false, false);
    cost_ += trips_;
  };
  switch (kind) {
    case ResultKind::kI64:
    case ResultKind::kF64:
      load(op::LD_i64, kB64, 1, 64, 0);
      break;
    case ResultKind::kStruct:
      load(op::LD_i64, kB64, 1, 64, 0);
      load(op::LDV_i32_v2, kB32, 2, 32, 8);
      break;
    default:
      load(op::LD_i32, kB32, 1, 32, 0);
      break;
  }
  BuildMI(*block_, nullptr, op::Callseq_End).AddImm(call_sequences_).AddImm(call_sequences_ + 1).Insert();
  // A copy that keeps the load within the call sequence. llc emits one for every result.
  for (const auto& [reg, reg_class] : loaded) {
    const Register result = Emit(reg_class == kB64 ? op::ProxyRegB64 : op::ProxyRegB32, reg_class, {Use(reg)});
    Push(result, reg_class, false);
    if (kind == ResultKind::kI16) Push(Emit(op::CVT_u16_u32, kB16, {Use(result), Imm(0)}), kB16, false);
  }
}

void FunctionGenerator::DeclareParameters(const FunctionPlan& callee) {
  const auto declare = [&](Opcode opcode, std::string_view name, int64_t a, int64_t b) {
    MachineInstrBuilder builder = BuildMI(*block_, nullptr, opcode);
    builder.Add(MachineOperand::CreateExternalSymbol(function_.InternSymbol(name))).AddImm(a);
    if (opcode == op::DECLARE_PARAM_array) builder.AddImm(b);
    builder.Insert();
  };
  for (unsigned i = 0; i < callee.parameters.size(); ++i) {
    const std::string name = StrCat("param", i);
    switch (callee.parameters[i]) {
      case ParameterKind::kByVal:
        declare(op::DECLARE_PARAM_array, name, 8, kByValBytes);
        break;
      case ParameterKind::kI16:
      case ParameterKind::kI32:
      case ParameterKind::kF32:
        declare(op::DECLARE_PARAM_scalar, name, 32, 0);
        break;
      default:
        declare(op::DECLARE_PARAM_scalar, name, 64, 0);
        break;
    }
  }
  switch (callee.result) {
    case ResultKind::kVoid:
      break;
    case ResultKind::kStruct:
      declare(op::DECLARE_PARAM_array, ptx::kCallResult, 8, 16);
      break;
    case ResultKind::kI64:
    case ResultKind::kF64:
      declare(op::DECLARE_PARAM_scalar, ptx::kCallResult, 64, 0);
      break;
    default:
      declare(op::DECLARE_PARAM_scalar, ptx::kCallResult, 32, 0);
      break;
  }
}

void FunctionGenerator::EmitCall() {
  if (module_.functions.empty()) return;
  const FunctionPlan& callee = random_.Pick(module_.functions);
  if (callee.is_kernel || callee.function == plan_.function || callee.cost * trips_ + cost_ > max_cost_) return;
  const bool is_indirect = random_.Percent(25);
  const bool is_convergent = random_.Percent(30);
  const GlobalId function = callee.function->id();
  const Register address =
      is_indirect ? Emit(op::MOV_B64_sym, kB64, {MachineOperand::CreateGlobal(function)}) : Register();
  BuildMI(*block_, nullptr, op::Callseq_Start).AddImm(call_sequences_).AddImm(0).Insert();
  DeclareParameters(callee);
  const auto count = static_cast<unsigned>(callee.parameters.size());
  for (unsigned i = 0; i < count; ++i) StoreArgument(count - 1 - i, callee.parameters[count - 1 - i]);
  const int64_t num_results = callee.result == ResultKind::kVoid ? 0 : 1;
  if (is_indirect) {
    const int64_t prototype = prototypes_++;
    BuildMI(*block_, nullptr, op::CALL_PROTOTYPE)
        .Add(MachineOperand::CreateExternalSymbol(function_.InternSymbol(Prototype(prototype, callee))))
        .Insert();
    BuildMI(*block_, nullptr, is_convergent ? op::CALL_conv : op::CALL)
        .AddUse(address)
        .AddImm(num_results)
        .AddImm(count)
        .AddImm(prototype)
        .Insert();
  } else {
    BuildMI(*block_, nullptr, is_convergent ? op::CALL_UNI_conv : op::CALL_UNI)
        .Add(MachineOperand::CreateGlobal(function))
        .AddImm(num_results)
        .AddImm(count)
        .Insert();
  }
  LoadResult(callee.result);
  call_sequences_ += 1;
  function_.frame_info().has_calls = true;
  cost_ += callee.cost * trips_;
}

void FunctionGenerator::StoreResult() {
  const Register hash = HashOfLiveValues();
  const MachineOperand symbol = MachineOperand::CreateExternalSymbol(function_.InternSymbol(ptx::kFunctionResult));
  const auto store = [&](Opcode opcode, Register value, int64_t bits, MachineOperand base, int64_t space,
                         int64_t offset) {
    BuildMI(*block_, nullptr, opcode)
        .AddUse(value)
        .AddImm(0)
        .AddImm(0)
        .AddImm(space)
        .AddImm(bits)
        .Add(base)
        .AddImm(offset)
        .Insert();
  };
  const auto low = [&] { return Emit(op::CVT_u32_u64, kB32, {Use(hash), Imm(0)}); };
  switch (plan_.result) {
    case ResultKind::kVoid: {
      constexpr int64_t kOffset = kHashOffset - 8;
      const Register old = Emit(
          op::LD_i64, kB64,
          {Imm(0), Imm(0), Imm(address_space::kGeneric), Imm(3), Imm(64), Imm(-1), Use(slot_generic_), Imm(kOffset)});
      const Register mixed = Emit(op::XOR_b64rr, kB64, {Use(old), Use(hash)});
      store(op::ST_i64, mixed, 64, Use(slot_generic_), address_space::kGeneric, kOffset);
      return;
    }
    case ResultKind::kI64:
    case ResultKind::kF64:
      store(op::ST_i64, hash, 64, symbol, address_space::kParam, 0);
      return;
    case ResultKind::kStruct:
      store(op::ST_i64, hash, 64, symbol, address_space::kParam, 0);
      store(op::ST_i32, low(), 32, symbol, address_space::kParam, 8);
      store(op::ST_i32, PickValue(kB32).reg, 32, symbol, address_space::kParam, 12);
      return;
    case ResultKind::kI16: {
      const Register masked = Emit(op::AND_b32ri, kB32, {Use(low()), Imm(0xffff)});
      store(op::ST_i32, masked, 32, symbol, address_space::kParam, 0);
      return;
    }
    default:
      store(op::ST_i32, low(), 32, symbol, address_space::kParam, 0);
      return;
  }
}

}  // namespace ptxmir::fuzz
