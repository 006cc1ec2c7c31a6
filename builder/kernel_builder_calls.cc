// Calls, returns and inline assembly of KernelBuilder.
//
// A call has the form that LLVM 22 gives it: between callseq_start and callseq_end, parameters are declared and
// stored, the function is called, and the result is loaded and, behind callseq_end, copied by ProxyReg.

#include <algorithm>
#include <utility>

#include "builder/function_state.h"
#include "mir/inline_asm.h"
#include "mir/str_cat.h"
#include "ptx/ptx_target.h"
#include "ptxmir/kernel_builder.h"
#include "sdag/type_classes.h"

namespace ptxmir::builder {

using sdag::MVT;
using sdag::SDValue;
namespace isd = sdag::isd;

namespace {

constexpr unsigned kParamSpace = static_cast<unsigned>(AddressSpace::kParam);

// Integers of less than 32 bits are passed as 32 bits.
bool IsPromoted(Type type) { return type.is_integer() && !type.is_vector() && type.bits() < 32; }
// Whether a value is passed as an array of bytes; the PTX writer declares functions in the same way.
bool IsPassedAsArray(Type type) {
  return type.is_vector() || type.element_bits() == 128 || (type.is_floating_point() && type.bits() == 16);
}
// Functions that nobody else can call have arrays aligned so that they are passed as vectors.
unsigned ArrayAlign(Type type) { return std::max(16u, type.size_in_bytes()); }

class CallBuilder {
 public:
  CallBuilder(FunctionState& state, FunctionState& callee)
      : state_(state), callee_(callee), dag_(state.dag()), site_(state.NextCallSite()) {}

  Value Run(std::span<const Value> arguments) {
    state_.function().frame_info().has_calls = true;
    std::vector<SDValue> values;
    for (const Value& argument : arguments) values.push_back(state_.Use(argument));
    const SDValue root = state_.Root();
    const SDValue start =
        dag_.GetNode(isd::kCallSeqStart, state_.NextLoc(), {MVT::kOther, MVT::kGlue},
                     {root, dag_.GetTargetConstant(site_, MVT::kI64), dag_.GetTargetConstant(0, MVT::kI64)});
    glue_ = start.Result(1);
    std::vector<SDValue> chains;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Type type = arguments[i].type();
      const SDValue declared = Declare(start, StrCat("param", i), type);
      chains.push_back(StoreArgument(declared, StrCat("param", i), type, values[i]));
    }
    const Type result = callee_.signature().result;
    if (!result.is_void()) chains.push_back(Declare(start, "retval0", result));
    if (chains.empty()) chains.push_back(start);
    const SDValue call = dag_.GetNode(
        isd::kNvCall, state_.NextLoc(), MVT::kOther,
        {dag_.GetTokenFactor({}, chains), Number(1), Number(0), Number(result.is_void() ? 0 : 1),
         Number(arguments.size()), dag_.GetGlobalAddress(callee_.global(), MVT::kI64, 0, true), Number(0)});
    return Finish(call, result);
  }

 private:
  SDValue Number(uint64_t number) { return dag_.GetConstant(number, MVT::kI32); }

  SDValue Declare(SDValue start, const std::string& name, Type type) {
    const SDValue symbol = dag_.GetExternalSymbol(name, MVT::kI32, true);
    SDValue node;
    if (IsPassedAsArray(type)) {
      node = dag_.GetNode(isd::kNvDeclareArrayParam, state_.NextLoc(), {MVT::kOther, MVT::kGlue},
                          {start, symbol, Number(ArrayAlign(type)), Number(type.size_in_bytes()), glue_});
    } else {
      const unsigned bits = std::max(32u, type.bits());
      node = dag_.GetNode(isd::kNvDeclareScalarParam, state_.NextLoc(), {MVT::kOther, MVT::kGlue},
                          {start, symbol, Number(bits), glue_});
    }
    glue_ = node.Result(1);
    return node;
  }

  SDValue StoreArgument(SDValue chain, const std::string& name, Type type, SDValue value) {
    if (IsPromoted(type)) value = state_.PromoteArgument(value);
    const Type stored = IsPromoted(type) ? kI32 : type;
    const unsigned align = IsPassedAsArray(type) ? ArrayAlign(type) : 0;
    return dag_.GetStore(state_.NextLoc(), chain, value, dag_.GetExternalSymbol(name, MVT::kI32, true),
                         state_.MemOperand(stored, kParamSpace, MachineMemOperand::kStore, align));
  }

  Value Finish(SDValue call, Type result) {
    SDValue chain = call;
    std::vector<SDValue> parts;
    if (!result.is_void()) {
      const Type loaded = IsPromoted(result) ? kI32 : result;
      const unsigned align = IsPassedAsArray(result) ? ArrayAlign(result) : 0;
      const SDValue load =
          dag_.GetLoad(state_.NextLoc(), *MvtOf(loaded), call, dag_.GetExternalSymbol("retval0", MVT::kI32, true),
                       state_.MemOperand(loaded, kParamSpace, MachineMemOperand::kLoad, align));
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
  FunctionState& callee_;
  sdag::SelectionDAG& dag_;
  const uint32_t site_;
  SDValue glue_;
};

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
  const std::string_view name = callee.name();
  if (signature.is_kernel) {
    state_->Error(StrCat("'", name, "' is a kernel"));
    return {};
  }
  if (arguments.size() != signature.parameters.size()) {
    state_->Error(StrCat("'", name, "' takes ", signature.parameters.size(), " arguments, not ", arguments.size()));
    return {};
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type wanted = signature.parameters[i].type;
    if (arguments[i].type() == wanted) continue;
    state_->Error(
        StrCat("argument ", i, " of '", name, "' is ", arguments[i].type().ToString(), ", not ", wanted.ToString()));
    return {};
  }
  return CallBuilder(*state_, callee).Run(arguments);
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
  const SDValue symbol = state_->dag().GetExternalSymbol("func_retval0", MVT::kI32, true);
  state_->SetRoot(state_->dag().GetStore(state_->NextLoc(), state_->Root(), returned, symbol,
                                         state_->MemOperand(stored, kParamSpace, MachineMemOperand::kStore, align)));
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
  const ptx::Subtarget* subtarget = state_->module().subtarget();
  if (subtarget == nullptr || !subtarget->HasSm(75)) {
    state_->Error("needs sm_75");
    return {};
  }
  const std::vector<Value> result =
      InlineAsm("tanh.approx.f32 $0, $1;", std::span<const Type>(&kF32, 1), std::span<const Value>(&a, 1), "ff", false);
  return result.empty() ? Value() : result[0];
}

}  // namespace ptxmir::builder
