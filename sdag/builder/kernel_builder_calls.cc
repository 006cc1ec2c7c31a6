// SPDX-License-Identifier: Apache-2.0

// Calls, returns and inline assembly of KernelBuilder.
//
// A call has the form that LLVM 22 gives it. Between callseq_start and callseq_end, parameters are declared and
// stored, the function is called, and the result is loaded. After callseq_end, ProxyReg copies the result.

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "mir/code/inline_asm.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/parameter_names.h"
#include "ptx/target/ptx_target.h"
#include "ptxmir/kernel_builder.h"
#include "sdag/builder/function_state.h"
#include "sdag/graph/type_classes.h"

namespace ptxmir::builder {

using sdag::MVT;
using sdag::SDValue;
namespace isd = sdag::isd;

namespace {

// Returns true for integers of less than 32 bits, which are passed as 32 bits.
bool IsPromoted(Type type) { return type.is_integer() && !type.is_vector() && type.bits() < 32; }
// Returns true if a value is passed as an array of bytes. The PTX writer declares functions in the same way.
bool IsPassedAsArray(Type type) {
  return type.is_vector() || type.element_bits() == 128 || (type.is_floating_point() && type.bits() == 16);
}
// Returns the alignment of an array in a call. Arrays are aligned so that they can be passed as vectors; this is
// allowed because no one else can call the function.
unsigned ArrayAlign(Type type) { return std::max(16u, type.size_in_bytes()); }

// Returns the alignment of a parameter in bytes, like that of arrays.
unsigned BytesAlign(const Parameter& parameter) { return std::max(16u, parameter.align); }

class CallBuilder {
 public:
  // `callee` is a function's address, or the pointer through which it is called.
  CallBuilder(FunctionState& state, Type result, std::span<const Parameter> parameters, SDValue callee,
              bool is_indirect)
      : state_(state),
        result_(result),
        parameters_(parameters),
        callee_(callee),
        is_indirect_(is_indirect),
        dag_(state.dag()),
        site_(state.NextCallSite()) {}

  Value Run(std::span<const Value> arguments) {
    state_.function().frame_info().has_calls = true;
    std::vector<std::vector<Piece>> values;
    for (size_t i = 0; i < arguments.size(); ++i) values.push_back(PiecesOf(parameters_[i], arguments[i]));
    const SDValue root = state_.Root();
    const SDValue start =
        dag_.GetNode(isd::kCallSeqStart, state_.NextLoc(), {MVT::kOther, MVT::kGlue},
                     {root, dag_.GetTargetConstant(site_, MVT::kI64), dag_.GetTargetConstant(0, MVT::kI64)});
    glue_ = start.Result(1);
    std::vector<SDValue> chains;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string name = StrCat("param", i);
      const SDValue declared = Declare(start, name, parameters_[i]);
      for (const Piece& piece : values[i]) chains.push_back(StoreArgument(declared, name, piece));
    }
    if (!result_.is_void()) chains.push_back(Declare(start, ptx::kCallResult, result_));
    if (is_indirect_) chains.push_back(Prototype(start));
    if (chains.empty()) chains.push_back(start);
    const SDValue call =
        dag_.GetNode(isd::kNvCall, state_.NextLoc(), MVT::kOther,
                     {dag_.GetTokenFactor({}, chains), Number(1), Number(is_indirect_ ? 1 : 0),
                      Number(result_.is_void() ? 0 : 1), Number(arguments.size()), callee_, Number(site_)});
    return Finish(call, result_);
  }

 private:
  // A part of an argument that is stored at once.
  struct Piece {
    SDValue value;
    Type type;
    unsigned offset = 0;
    unsigned align = 0;  // of the destination; 0: the type's alignment
  };

  SDValue Number(uint64_t number) { return dag_.GetConstant(number, MVT::kI32); }

  // Returns the pieces of an argument. An argument in bytes is a pointer to them. The bytes are read before the
  // call begins, as many at a time as their alignment allows.
  std::vector<Piece> PiecesOf(const Parameter& parameter, Value argument) {
    const SDValue value = state_.Use(argument);
    if (parameter.size == 0) {
      const Type type = argument.type();
      const SDValue promoted = IsPromoted(type) ? state_.PromoteArgument(value) : value;
      return {{promoted, IsPromoted(type) ? kI32 : type, 0, IsPassedAsArray(type) ? ArrayAlign(type) : 0}};
    }
    std::vector<Piece> pieces;
    const auto space = static_cast<unsigned>(argument.type().address_space());
    const unsigned align = std::max(1u, parameter.align);
    for (unsigned offset = 0; offset < parameter.size;) {
      Type type = kI64;
      while (type.size_in_bytes() > align || type.size_in_bytes() > parameter.size - offset) {
        type = Type::Integer(static_cast<uint8_t>(type.bits() / 2));
      }
      const SDValue address = AddOffset(value, offset, MVT::kI64);
      const SDValue load = state_.LoadNode(type, state_.LoadRoot(), address,
                                           state_.MemOperand(type, space, MachineMemOperand::kLoad, 0));
      state_.AddPendingLoad(load.Result(1));
      pieces.push_back({load, type, offset, 0});
      offset += type.size_in_bytes();
    }
    return pieces;
  }

  SDValue AddOffset(SDValue address, unsigned offset, MVT type) {
    if (offset == 0) return address;
    return dag_.GetNode(isd::kAdd, state_.NextLoc(), type, {address, dag_.GetConstant(offset, type)});
  }

  static std::string ArrayText(unsigned align, unsigned size) { return StrCat(".align ", align, " .b8 _[", size, "]"); }
  static unsigned ScalarBits(Type type) { return std::max(32u, type.bits()); }
  static std::string DeclarationText(const Parameter& parameter) {
    const Type type = parameter.type;
    if (parameter.size != 0) return StrCat(".param ", ArrayText(BytesAlign(parameter), parameter.size));
    if (IsPassedAsArray(type)) return StrCat(".param ", ArrayText(ArrayAlign(type), type.size_in_bytes()));
    return StrCat(".param .b", ScalarBits(type), " _");
  }

  // Makes the prototype that a call through a pointer needs.
  SDValue Prototype(SDValue start) {
    std::string text = StrCat("prototype_", site_, " : .callprototype (");
    if (!result_.is_void()) StrAppend(&text, DeclarationText(result_));
    StrAppend(&text, ") _ (");
    for (size_t i = 0; i < parameters_.size(); ++i) {
      StrAppend(&text, i == 0 ? "" : ", ", DeclarationText(parameters_[i]));
    }
    StrAppend(&text, ");");
    return dag_.GetNode(isd::kNvCallPrototype, state_.NextLoc(), MVT::kOther,
                        {start, dag_.GetExternalSymbol(text, MVT::kI32, true)});
  }

  SDValue Declare(SDValue start, std::string_view name, const Parameter& parameter) {
    const SDValue symbol = dag_.GetExternalSymbol(name, MVT::kI32, true);
    const Type type = parameter.type;
    SDValue node;
    if (parameter.size != 0 || IsPassedAsArray(type)) {
      const unsigned align = parameter.size != 0 ? BytesAlign(parameter) : ArrayAlign(type);
      const unsigned size = parameter.size != 0 ? parameter.size : type.size_in_bytes();
      node = dag_.GetNode(isd::kNvDeclareArrayParam, state_.NextLoc(), {MVT::kOther, MVT::kGlue},
                          {start, symbol, Number(align), Number(size), glue_});
    } else {
      node = dag_.GetNode(isd::kNvDeclareScalarParam, state_.NextLoc(), {MVT::kOther, MVT::kGlue},
                          {start, symbol, Number(ScalarBits(type)), glue_});
    }
    glue_ = node.Result(1);
    return node;
  }

  SDValue StoreArgument(SDValue chain, const std::string& name, const Piece& piece) {
    const SDValue address = AddOffset(dag_.GetExternalSymbol(name, MVT::kI32, true), piece.offset, MVT::kI32);
    return state_.StoreNode(
        piece.type, chain, piece.value, address,
        state_.MemOperand(piece.type, address_space::kParam, MachineMemOperand::kStore, piece.align));
  }

  Value Finish(SDValue call, Type result) {
    SDValue chain = call;
    std::vector<SDValue> parts;
    if (!result.is_void()) {
      const Type loaded = IsPromoted(result) ? kI32 : result;
      const unsigned align = IsPassedAsArray(result) ? ArrayAlign(result) : 0;
      const SDValue load = dag_.GetLoad(
          state_.NextLoc(), *MvtOf(loaded), call, dag_.GetExternalSymbol(ptx::kCallResult, MVT::kI32, true),
          state_.MemOperand(loaded, address_space::kParam, MachineMemOperand::kLoad, align));
      chain = load.Result(1);
      parts = state_.Split(load);
    }
    const SDValue end =
        dag_.GetNode(isd::kCallSeqEnd, state_.NextLoc(), {MVT::kOther, MVT::kGlue},
                     {chain, dag_.GetTargetConstant(site_, MVT::kI64), dag_.GetTargetConstant(site_ + 1, MVT::kI64)});
    state_.SetRoot(end);
    if (result.is_void()) return {};
    for (SDValue& part : parts) part = dag_.GetNode(isd::kNvProxyReg, state_.NextLoc(), part.type(), {end, part});
    const MVT type = *MvtOf(result);
    if (!IsPromoted(result)) return state_.Make(result, state_.Join(parts, type));
    return state_.Make(result, dag_.GetNode(isd::kTruncate, state_.NextLoc(), type, {parts[0]}));
  }

  FunctionState& state_;
  const Type result_;
  const std::span<const Parameter> parameters_;
  const SDValue callee_;
  const bool is_indirect_;
  sdag::SelectionDAG& dag_;
  const uint32_t site_;
  SDValue glue_;
};

bool CheckArguments(FunctionState& state, std::span<const Parameter> parameters, std::span<const Value> arguments,
                    std::string_view who) {
  if (arguments.size() != parameters.size()) {
    return state.Fail(StrCat(who, " takes ", parameters.size(), " arguments, not ", arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type type = arguments[i].type();
    if (parameters[i].size != 0) {
      if (type.is_pointer()) continue;
      return state.Fail(StrCat("argument ", i, " of ", who, " is ", type.ToString(), ", not a pointer to ",
                               parameters[i].size, " bytes"));
    }
    if (type == parameters[i].type) continue;
    return state.Fail(
        StrCat("argument ", i, " of ", who, " is ", type.ToString(), ", not ", parameters[i].type.ToString()));
  }
  return true;
}

}  // namespace

SDValue FunctionState::PromoteArgument(SDValue value) {
  return dag().GetNode(isd::kZeroExtend, NextLoc(), MVT::kI32, {value});
}

Value KernelBuilder::Call(KernelBuilder& function, std::span<const Value> arguments) {
  if (!state_->Enter("Call(function, arguments)") || !state_->Check(arguments)) return {};
  FunctionState& callee = function.state();
  if (&callee.module() != &state_->module()) {
    state_->Error("a function of another module");
    return {};
  }
  const FunctionState::Signature& signature = callee.signature();
  const std::string who = StrCat("'", callee.name(), "'");
  if (signature.is_kernel) {
    state_->Error(StrCat(who, " is a kernel"));
    return {};
  }
  if (!CheckArguments(*state_, signature.parameters, arguments, who)) return {};
  const SDValue address = state_->dag().GetGlobalAddress(callee.global(), MVT::kI64, 0, true);
  return CallBuilder(*state_, signature.result, signature.parameters, address, false).Run(arguments);
}

Value KernelBuilder::AddressOf(KernelBuilder& function) {
  if (!state_->EnterAnywhere("AddressOf(function)")) return {};
  FunctionState& callee = function.state();
  if (&callee.module() != &state_->module()) {
    state_->Error("a function of another module");
    return {};
  }
  if (callee.signature().is_kernel) {
    state_->Error(StrCat("'", callee.name(), "' is a kernel"));
    return {};
  }
  return state_->MakeGlobal(kPointer, callee.global());
}

Value KernelBuilder::CallIndirect(Value pointer, const FunctionType& type, std::span<const Value> arguments) {
  if (!state_->Enter("CallIndirect(pointer, type, arguments)") || !state_->Check({pointer}) ||
      !state_->Check(arguments)) {
    return {};
  }
  if (pointer.type() != kPointer) {
    state_->Error(StrCat("the pointer is ", pointer.type().ToString(), ", not ptr"));
    return {};
  }
  std::string problem = state_->module().ProblemWithType(type.result, type.parameters);
  if (!problem.empty()) {
    state_->Error(problem);
    return {};
  }
  if (!CheckArguments(*state_, type.parameters, arguments, "the function")) return {};
  return CallBuilder(*state_, type.result, type.parameters, state_->Use(pointer), true).Run(arguments);
}

void KernelBuilder::Return() {
  if (!state_->Enter("Return()")) return;
  const Type result = state_->signature().result;
  if (!result.is_void()) return state_->Error(StrCat("the function returns ", result.ToString()));
  state_->Return();
}

void KernelBuilder::Return(Value value) {
  if (!state_->Enter("Return(value)") || !state_->Check({value})) return;
  const Type result = state_->signature().result;
  if (value.type() != result) {
    return state_->Error(
        StrCat("the value is ", value.type().ToString(), ", the function returns ", result.ToString()));
  }
  SDValue returned = state_->Use(value);
  if (IsPromoted(result)) returned = state_->PromoteArgument(returned);
  const Type stored = IsPromoted(result) ? kI32 : result;
  const unsigned align = IsPassedAsArray(result) ? ArrayAlign(result) : 0;
  const SDValue symbol = state_->dag().GetExternalSymbol(ptx::kFunctionResult, MVT::kI32, true);
  state_->SetRoot(
      state_->dag().GetStore(state_->NextLoc(), state_->Root(), returned, symbol,
                             state_->MemOperand(stored, address_space::kParam, MachineMemOperand::kStore, align)));
  state_->Return();
}

// Inline assembly.

namespace {

struct Constraint {
  char letter;
  RegClassId reg_class;
  unsigned bits;
};
constexpr Constraint kConstraints[] = {
    {'b', ptx::reg_class::kB1, 1},     {'h', ptx::reg_class::kB16, 16}, {'r', ptx::reg_class::kB32, 32},
    {'l', ptx::reg_class::kB64, 64},   {'f', ptx::reg_class::kB32, 32}, {'d', ptx::reg_class::kB64, 64},
    {'q', ptx::reg_class::kB128, 128},
};

const Constraint* FindConstraint(char letter, Type type) {
  for (const Constraint& constraint : kConstraints) {
    if (constraint.letter == letter && constraint.bits == type.bits()) return &constraint;
  }
  return nullptr;
}

uint64_t GroupWord(InlineAsmGroup::Kind kind, RegClassId reg_class) {
  return static_cast<uint64_t>(kind) | 1u << 3 | (static_cast<uint64_t>(reg_class) + 1) << 16;
}

}  // namespace

std::vector<Value> KernelBuilder::InlineAsm(std::string_view text, std::span<const Type> results,
                                            std::span<const Value> arguments, std::string_view constraints,
                                            bool has_side_effects) {
  if (!state_->Enter("InlineAsm(text, results, arguments, constraints)") || !state_->Check(arguments)) return {};
  const auto fail = [&](std::string_view what) {
    state_->Error(what);
    return std::vector<Value>();
  };
  if (constraints.size() != results.size() + arguments.size()) {
    return fail(StrCat(constraints.size(), " constraints for ", results.size() + arguments.size(), " operands"));
  }
  const auto check = [&](char letter, Type type, bool is_result) {
    if (!state_->CheckType(type)) return false;
    if (FindConstraint(letter, type) != nullptr && sdag::RegClassFor(*MvtOf(type)).has_value()) return true;
    return (letter == 'n' && !is_result) ||
           state_->Fail(StrCat("constraint '", std::string_view(&letter, 1), "' does not take ", type.ToString()));
  };
  for (size_t i = 0; i < constraints.size(); ++i) {
    const bool is_result = i < results.size();
    if (!check(constraints[i], is_result ? results[i] : arguments[i - results.size()].type(), is_result)) return {};
  }

  sdag::SelectionDAG& dag = state_->dag();
  MachineRegisterInfo& registers = state_->function().reg_info();
  SDValue chain = state_->Root(), glue;
  std::vector<SDValue> operands(4);
  std::vector<Register> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    const Constraint& constraint = *FindConstraint(constraints[i], results[i]);
    outputs.push_back(registers.CreateVirtualRegister(constraint.reg_class));
    operands.push_back(dag.GetTargetConstant(GroupWord(InlineAsmGroup::Kind::kDef, constraint.reg_class), MVT::kI32));
    operands.push_back(dag.GetRegister(outputs.back(), *MvtOf(results[i])));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const char letter = constraints[results.size() + i];
    const Type type = arguments[i].type();
    if (letter == 'n') {
      const std::optional<uint64_t> constant = state_->ConstantOf(arguments[i]);
      if (!constant.has_value()) return fail(StrCat("argument ", i, " is no constant"));
      operands.push_back(
          dag.GetTargetConstant(static_cast<uint64_t>(InlineAsmGroup::Kind::kImmediate) | 1u << 3, MVT::kI32));
      operands.push_back(dag.GetTargetConstant(*constant, *MvtOf(type)));
      continue;
    }
    const Constraint& constraint = *FindConstraint(letter, type);
    const Register reg = registers.CreateVirtualRegister(constraint.reg_class);
    chain = dag.GetCopyToReg(state_->NextLoc(), chain, reg, state_->Use(arguments[i]), glue);
    glue = chain.Result(1);
    operands.push_back(dag.GetTargetConstant(GroupWord(InlineAsmGroup::Kind::kUse, constraint.reg_class), MVT::kI32));
    operands.push_back(dag.GetRegister(reg, *MvtOf(type)));
  }
  operands[0] = chain;
  operands[1] = dag.GetExternalSymbol(text, MVT::kI64, true);
  operands[2] = dag.GetMDNode(sdag::MDNodeSDNode::kNull);
  const uint32_t properties = has_side_effects ? InlineAsmProperty::kSideEffects | InlineAsmProperty::kMayLoad |
                                                     InlineAsmProperty::kMayStore | InlineAsmProperty::kConvergent
                                               : 0;
  operands[3] = dag.GetTargetConstant(properties, MVT::kI64);
  if (glue) operands.push_back(glue);
  const MVT types[] = {MVT::kOther, MVT::kGlue};
  SDValue node = dag.GetNode(isd::kInlineAsm, state_->NextLoc(), types, operands);
  std::vector<Value> values;
  for (size_t i = 0; i < results.size(); ++i) {
    const SDValue copy =
        dag.GetCopyFromReg(state_->NextLoc(), node, outputs[i], *MvtOf(results[i]), node.Result(i == 0 ? 1 : 2));
    values.push_back(state_->Make(results[i], copy));
    node = copy.Result(1);
  }
  state_->SetRoot(node);
  return values;
}

Value KernelBuilder::ApproxTanh(Value a) {
  if (!state_->Enter("ApproxTanh(a)") || !state_->Check({a})) return {};
  if (a.type() != kF32) {
    state_->Error(StrCat("not of ", a.type().ToString()));
    return {};
  }
  if (!state_->CheckSupport(ptx::op::TANH_APPROX_f32)) return {};
  const std::vector<Value> result =
      InlineAsm("tanh.approx.f32 $0, $1;", std::span<const Type>(&kF32, 1), std::span<const Value>(&a, 1), "ff", false);
  return result.empty() ? Value() : result[0];
}

}  // namespace ptxmir::builder
