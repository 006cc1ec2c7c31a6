// SPDX-License-Identifier: Apache-2.0

// Arithmetic, comparisons, conversions and vectors of KernelBuilder.

#include "ptxmir/kernel_builder.h"

#include <bit>
#include <utility>

#include "base/str_cat.h"
#include "ptx/interpreter/values/float_arithmetic.h"
#include "sdag/builder/function_state.h"

namespace ptxmir::builder {

using sdag::CondCode;
using sdag::MVT;
using sdag::SDNodeFlags;
using sdag::SDValue;
namespace isd = sdag::isd;

KernelBuilder::KernelBuilder(std::unique_ptr<FunctionState> state) : state_(std::move(state)) {}
KernelBuilder::~KernelBuilder() = default;
const Status& KernelBuilder::status() const { return state_->module().status(); }

// Leaves.

Value KernelBuilder::Constant(Type type, int64_t value) {
  if (!state_->EnterAnywhere("Constant(type, value)") || !state_->CheckType(type)) return {};
  if (!type.is_integer() && !type.is_pointer()) {
    state_->Error(StrCat(type.ToString(), " is neither integer nor pointer"));
    return {};
  }
  return state_->MakeInteger(type, absl::uint128(absl::int128(value)));
}

Value KernelBuilder::ConstantFloat(Type type, double value) {
  if (!state_->EnterAnywhere("ConstantFloat(type, value)") || !state_->CheckType(type) ||
      !state_->CheckClass(type, TypeClass::kFloat)) {
    return {};
  }
  uint64_t bits = std::bit_cast<uint64_t>(value);
  if (type.element_bits() == 32) bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type.element_bits() == 16) {
    bits = ptx::EncodeFloat(type.kind() == Type::Kind::kBFloat ? kBFloatFormat : kHalfFormat, value);
  }
  return state_->MakeFloat(type, bits);
}

Value KernelBuilder::Undefined(Type type) {
  if (!state_->EnterAnywhere("Undefined(type)") || !state_->CheckType(type)) return {};
  return state_->MakeUndefined(type);
}

Value KernelBuilder::AddressOf(Variable variable) {
  if (!state_->EnterAnywhere("AddressOf(variable)")) return {};
  ModuleState& module = state_->module();
  if (!module.Owns(variable)) {
    state_->Error(variable.is_valid() ? "a variable of another module" : "no variable");
    return {};
  }
  return state_->MakeGlobal(Type::Pointer(module.SpaceOf(variable)), module.GlobalOf(variable));
}

// Arithmetic.

namespace {

uint32_t WrapFlags(uint8_t wrap) {
  return ((wrap & kNoUnsignedWrap) != 0 ? uint32_t{SDNodeFlags::kNoUnsignedWrap} : 0) |
         ((wrap & kNoSignedWrap) != 0 ? uint32_t{SDNodeFlags::kNoSignedWrap} : 0);
}

// An operation that both integers and floating-point numbers have.
Value Arithmetic(FunctionState& state, const char* call, int16_t integer, int16_t floating, Value a, Value b,
                 uint8_t wrap) {
  const bool is_float = a.type().is_floating_point();
  return state.Binary(call, TypeClass::kArithmetic, is_float ? floating : integer, a, b,
                      is_float ? state.FastMathFlags() : WrapFlags(wrap));
}

}  // namespace

Value KernelBuilder::Add(Value a, Value b, uint8_t wrap) {
  return Arithmetic(*state_, "Add(a, b)", isd::kAdd, isd::kFAdd, a, b, wrap);
}
Value KernelBuilder::Sub(Value a, Value b, uint8_t wrap) {
  return Arithmetic(*state_, "Sub(a, b)", isd::kSub, isd::kFSub, a, b, wrap);
}
Value KernelBuilder::Mul(Value a, Value b, uint8_t wrap) {
  return Arithmetic(*state_, "Mul(a, b)", isd::kMul, isd::kFMul, a, b, wrap);
}

Value KernelBuilder::Neg(Value a) {
  if (a.type().is_floating_point()) {
    return state_->Unary("Neg(a)", TypeClass::kArithmetic, isd::kFNeg, a, state_->FastMathFlags());
  }
  if (!state_->Enter("Neg(a)") || !state_->Check({a}) || !state_->CheckClass(a.type(), TypeClass::kArithmetic)) {
    return {};
  }
  const SDValue zero = state_->Use(state_->MakeInteger(a.type(), 0));
  return state_->MakeNode(a.type(), isd::kSub, {zero, state_->Use(a)});
}

Value KernelBuilder::Not(Value a) {
  if (!state_->Enter("Not(a)") || !state_->Check({a}) || !state_->CheckClass(a.type(), TypeClass::kInteger)) return {};
  const SDValue ones = state_->Use(state_->MakeInteger(a.type(), absl::Uint128Max()));
  return state_->MakeNode(a.type(), isd::kXor, {state_->Use(a), ones});
}

Value KernelBuilder::Abs(Value a) {
  const bool is_float = a.type().is_floating_point();
  return state_->Unary("Abs(a)", TypeClass::kArithmetic, is_float ? isd::kFAbs : isd::kAbs, a);
}

#define PTXMIR_BINARY(Name, type_class, opcode)                                      \
  Value KernelBuilder::Name(Value a, Value b) {                                      \
    return state_->Binary(#Name "(a, b)", TypeClass::type_class, isd::opcode, a, b); \
  }
#define PTXMIR_SHIFT(Name, opcode)                                     \
  Value KernelBuilder::Name(Value a, Value amount) {                   \
    return state_->Shift(#Name "(a, amount)", isd::opcode, a, amount); \
  }
#define PTXMIR_UNARY(Name, type_class, opcode) \
  Value KernelBuilder::Name(Value a) { return state_->Unary(#Name "(a)", TypeClass::type_class, isd::opcode, a); }
#define PTXMIR_FLOAT_UNARY(Name, opcode)                                                           \
  Value KernelBuilder::Name(Value a) {                                                             \
    return state_->Unary(#Name "(a)", TypeClass::kFloat, isd::opcode, a, state_->FastMathFlags()); \
  }
#define PTXMIR_FLOAT_BINARY(Name, opcode)                                                                 \
  Value KernelBuilder::Name(Value a, Value b) {                                                           \
    return state_->Binary(#Name "(a, b)", TypeClass::kFloat, isd::opcode, a, b, state_->FastMathFlags()); \
  }

PTXMIR_BINARY(SDiv, kInteger, kSDiv)
PTXMIR_BINARY(UDiv, kInteger, kUDiv)
PTXMIR_BINARY(SRem, kInteger, kSRem)
PTXMIR_BINARY(URem, kInteger, kURem)
PTXMIR_BINARY(MulHighS, kInteger, kMulHS)
PTXMIR_BINARY(MulHighU, kInteger, kMulHU)
PTXMIR_BINARY(And, kInteger, kAnd)
PTXMIR_BINARY(Or, kInteger, kOr)
PTXMIR_BINARY(Xor, kInteger, kXor)
PTXMIR_BINARY(SMin, kInteger, kSMin)
PTXMIR_BINARY(SMax, kInteger, kSMax)
PTXMIR_BINARY(UMin, kInteger, kUMin)
PTXMIR_BINARY(UMax, kInteger, kUMax)
PTXMIR_SHIFT(Shl, kShl)
PTXMIR_SHIFT(LShr, kSrl)
PTXMIR_SHIFT(AShr, kSra)
PTXMIR_SHIFT(RotateLeft, kRotl)
PTXMIR_SHIFT(RotateRight, kRotr)
PTXMIR_UNARY(PopCount, kInteger, kCtpop)
PTXMIR_UNARY(CountLeadingZeros, kInteger, kCtlz)
PTXMIR_UNARY(CountTrailingZeros, kInteger, kCttz)
PTXMIR_UNARY(ReverseBits, kInteger, kBitreverse)
PTXMIR_FLOAT_BINARY(FDiv, kFDiv)
PTXMIR_FLOAT_BINARY(FRem, kFRem)
PTXMIR_FLOAT_BINARY(FMin, kFMinNum)
PTXMIR_FLOAT_BINARY(FMax, kFMaxNum)
PTXMIR_FLOAT_BINARY(FMinimum, kFMinimum)
PTXMIR_FLOAT_BINARY(FMaximum, kFMaximum)
PTXMIR_FLOAT_BINARY(CopySign, kFCopySign)
PTXMIR_FLOAT_UNARY(Sqrt, kFSqrt)
PTXMIR_FLOAT_UNARY(Floor, kFFloor)
PTXMIR_FLOAT_UNARY(Ceil, kFCeil)
PTXMIR_FLOAT_UNARY(Truncate, kFTrunc)
PTXMIR_FLOAT_UNARY(RoundEven, kFRoundEven)

#undef PTXMIR_BINARY
#undef PTXMIR_SHIFT
#undef PTXMIR_UNARY
#undef PTXMIR_FLOAT_UNARY
#undef PTXMIR_FLOAT_BINARY

Value KernelBuilder::ReverseBytes(Value a) {
  if (!state_->Enter("ReverseBytes(a)") || !state_->Check({a}) || !state_->CheckClass(a.type(), TypeClass::kInteger)) {
    return {};
  }
  if (a.type().element_bits() < 16) {
    state_->Error(StrCat(a.type().ToString(), " has no two bytes"));
    return {};
  }
  return state_->MakeNode(a.type(), isd::kBswap, {state_->Use(a)});
}

void KernelBuilder::SetFastMath(const FastMath& flags) {
  uint32_t bits = 0;
  if (flags.contract) bits |= SDNodeFlags::kAllowContract;
  if (flags.no_nans) bits |= SDNodeFlags::kNoNaNs;
  if (flags.no_infinities) bits |= SDNodeFlags::kNoInfs;
  if (flags.no_signed_zeros) bits |= SDNodeFlags::kNoSignedZeros;
  if (flags.reciprocal) bits |= SDNodeFlags::kAllowReciprocal;
  if (flags.approximate) bits |= SDNodeFlags::kApproximateFuncs;
  if (flags.reassociate) bits |= SDNodeFlags::kAllowReassociation;
  state_->set_fast_math(bits);
}

Value KernelBuilder::Fma(Value a, Value b, Value c) {
  if (!state_->Enter("Fma(a, b, c)") || !state_->Check({a, b, c}) || !state_->CheckSameType(a, b) ||
      !state_->CheckSameType(a, c) || !state_->CheckClass(a.type(), TypeClass::kFloat)) {
    return {};
  }
  const SDValue x = state_->Use(a), y = state_->Use(b), z = state_->Use(c);
  return state_->MakeNode(a.type(), isd::kFMA, {x, y, z}, state_->FastMathFlags());
}

// Comparisons.

namespace {

// Indexed by Predicate.
constexpr CondCode kCondCodes[] = {
    CondCode::kEq,  CondCode::kNe,  CondCode::kLt,  CondCode::kLe,  CondCode::kGt,  CondCode::kGe,
    CondCode::kUlt, CondCode::kUle, CondCode::kUgt, CondCode::kUge, CondCode::kOeq, CondCode::kOne,
    CondCode::kOlt, CondCode::kOle, CondCode::kOgt, CondCode::kOge, CondCode::kO,   CondCode::kUo,
    CondCode::kUeq, CondCode::kUne, CondCode::kUlt, CondCode::kUle, CondCode::kUgt, CondCode::kUge,
};

// Compares integers and pointers by `integer`, other values by `floating`.
Value CompareAs(FunctionState& state, const char* call, Predicate integer, Predicate floating, Value a, Value b) {
  if (!state.Enter(call) || !state.Check({a, b}) || !state.CheckSameType(a, b)) return {};
  const bool is_float = a.type().is_floating_point();
  const SDValue lhs = state.Use(a), rhs = state.Use(b);
  const CondCode code = kCondCodes[static_cast<size_t>(is_float ? floating : integer)];
  const Type type = a.type().is_vector() ? kI1.Vector(static_cast<uint8_t>(a.type().lanes())) : kI1;
  if (!state.CheckType(type)) return {};
  return state.Make(
      type, state.dag().GetSetCC(state.NextLoc(), *MvtOf(type), lhs, rhs, code, is_float ? state.FastMathFlags() : 0));
}

}  // namespace

Value KernelBuilder::Compare(Predicate predicate, Value a, Value b) {
  constexpr char kCall[] = "Compare(predicate, a, b)";
  if (!state_->Enter(kCall) || !state_->Check({a, b})) return {};
  if (predicate > Predicate::kFUge) {
    state_->Error("no such predicate");
    return {};
  }
  if (a.type().is_floating_point() != (predicate >= Predicate::kOeq)) {
    state_->Error(StrCat(a.type().ToString(), " is not compared by this predicate"));
    return {};
  }
  return CompareAs(*state_, kCall, predicate, predicate, a, b);
}
Value KernelBuilder::Equal(Value a, Value b) {
  return CompareAs(*state_, "Equal(a, b)", Predicate::kEq, Predicate::kOeq, a, b);
}
Value KernelBuilder::NotEqual(Value a, Value b) {
  return CompareAs(*state_, "NotEqual(a, b)", Predicate::kNe, Predicate::kUne, a, b);
}
Value KernelBuilder::Less(Value a, Value b) {
  return CompareAs(*state_, "Less(a, b)", Predicate::kSlt, Predicate::kOlt, a, b);
}
Value KernelBuilder::LessEqual(Value a, Value b) {
  return CompareAs(*state_, "LessEqual(a, b)", Predicate::kSle, Predicate::kOle, a, b);
}
Value KernelBuilder::Greater(Value a, Value b) {
  return CompareAs(*state_, "Greater(a, b)", Predicate::kSgt, Predicate::kOgt, a, b);
}
Value KernelBuilder::GreaterEqual(Value a, Value b) {
  return CompareAs(*state_, "GreaterEqual(a, b)", Predicate::kSge, Predicate::kOge, a, b);
}

Value KernelBuilder::Select(Value condition, Value a, Value b) {
  if (!state_->Enter("Select(condition, a, b)") || !state_->Check({condition, a, b}) || !state_->CheckSameType(a, b)) {
    return {};
  }
  const Type type = condition.type();
  const bool is_lanewise = type.is_vector();
  if (type.element() != kI1 || (is_lanewise && (!a.type().is_vector() || a.type().lanes() != type.lanes()))) {
    state_->Error(StrCat(type.ToString(), " is no condition for ", a.type().ToString()));
    return {};
  }
  const SDValue chosen = state_->Use(condition), x = state_->Use(a), y = state_->Use(b);
  return state_->MakeNode(a.type(), is_lanewise ? isd::kVSelect : isd::kSelect, {chosen, x, y});
}

// Conversions.

namespace {

enum class Change : uint8_t { kAny, kWider, kNarrower };

// Checks a conversion, element by element, from a class of types to another one.
bool CheckConversion(FunctionState& state, const char* call, Value a, Type to, TypeClass from_class, TypeClass to_class,
                     Change change) {
  if (!state.Enter(call) || !state.Check({a}) || !state.CheckType(to)) return false;
  if (!state.CheckClass(a.type(), from_class) || !state.CheckClass(to, to_class)) return false;
  const unsigned from_bits = a.type().element_bits(), to_bits = to.element_bits();
  if (a.type().is_vector() != to.is_vector() || a.type().lanes() != to.lanes()) {
    return state.Fail(StrCat(a.type().ToString(), " and ", to.ToString(), " have different numbers of elements"));
  }
  if (change == Change::kWider && to_bits <= from_bits) {
    return state.Fail(StrCat(to.ToString(), " is not wider than ", a.type().ToString()));
  }
  if (change == Change::kNarrower && to_bits >= from_bits) {
    return state.Fail(StrCat(to.ToString(), " is not narrower than ", a.type().ToString()));
  }
  return true;
}

Value Convert(FunctionState& state, const char* call, int16_t opcode, Value a, Type to, TypeClass from_class,
              TypeClass to_class, Change change) {
  if (!CheckConversion(state, call, a, to, from_class, to_class, change)) return {};
  return state.MakeNode(to, opcode, {state.Use(a)});
}

constexpr TypeClass kInts = TypeClass::kInteger;
constexpr TypeClass kFloats = TypeClass::kFloat;

}  // namespace

Value KernelBuilder::SExt(Value a, Type to) {
  return Convert(*state_, "SExt(a, to)", isd::kSignExtend, a, to, kInts, kInts, Change::kWider);
}
Value KernelBuilder::ZExt(Value a, Type to) {
  return Convert(*state_, "ZExt(a, to)", isd::kZeroExtend, a, to, kInts, kInts, Change::kWider);
}
Value KernelBuilder::Trunc(Value a, Type to) {
  return Convert(*state_, "Trunc(a, to)", isd::kTruncate, a, to, kInts, kInts, Change::kNarrower);
}
Value KernelBuilder::FPExt(Value a, Type to) {
  return Convert(*state_, "FPExt(a, to)", isd::kFPExtend, a, to, kFloats, kFloats, Change::kWider);
}
Value KernelBuilder::FPTrunc(Value a, Type to) {
  if (!CheckConversion(*state_, "FPTrunc(a, to)", a, to, kFloats, kFloats, Change::kNarrower)) return {};
  // The constant 0 says that rounding may change the value.
  const SDValue value = state_->Use(a);
  return state_->MakeNode(to, isd::kFPRound, {value, state_->dag().GetTargetConstant(0, MVT::kI32)});
}
Value KernelBuilder::SIntToFP(Value a, Type to) {
  return Convert(*state_, "SIntToFP(a, to)", isd::kSIntToFP, a, to, kInts, kFloats, Change::kAny);
}
Value KernelBuilder::UIntToFP(Value a, Type to) {
  return Convert(*state_, "UIntToFP(a, to)", isd::kUIntToFP, a, to, kInts, kFloats, Change::kAny);
}
Value KernelBuilder::FPToSInt(Value a, Type to) {
  return Convert(*state_, "FPToSInt(a, to)", isd::kFPToSInt, a, to, kFloats, kInts, Change::kAny);
}
Value KernelBuilder::FPToUInt(Value a, Type to) {
  return Convert(*state_, "FPToUInt(a, to)", isd::kFPToUInt, a, to, kFloats, kInts, Change::kAny);
}

Value KernelBuilder::Bitcast(Value a, Type to) {
  if (!state_->Enter("Bitcast(a, to)") || !state_->Check({a}) || !state_->CheckType(to)) return {};
  if (a.type() == to) return a;
  if (a.type().is_pointer() || to.is_pointer()) {
    state_->Error("pointers are converted by PointerToInt, IntToPointer and AddressSpaceCast");
    return {};
  }
  if (a.type().bits() != to.bits()) {
    state_->Error(StrCat(a.type().ToString(), " and ", to.ToString(), " have different sizes"));
    return {};
  }
  return state_->MakeNode(to, isd::kBitcast, {state_->Use(a)});
}

Value KernelBuilder::PointerToInt(Value a) {
  if (!state_->Enter("PointerToInt(a)") || !state_->Check({a}) || !state_->CheckPointer(a)) return {};
  return state_->Retype(kI64, a);
}

Value KernelBuilder::IntToPointer(Value a, AddressSpace space) {
  if (!state_->Enter("IntToPointer(a, space)") || !state_->Check({a})) return {};
  if (a.type() != kI64) {
    state_->Error(StrCat(a.type().ToString(), " is not i64"));
    return {};
  }
  return state_->Retype(Type::Pointer(space), a);
}

Value KernelBuilder::AddressSpaceCast(Value pointer, AddressSpace to) {
  if (!state_->Enter("AddressSpaceCast(pointer, to)") || !state_->Check({pointer}) || !state_->CheckPointer(pointer)) {
    return {};
  }
  const AddressSpace from = pointer.type().address_space();
  if (from == to) return pointer;
  if (from != AddressSpace::kGeneric && to != AddressSpace::kGeneric) {
    state_->Error(
        StrCat("from ", pointer.type().ToString(), " to ", Type::Pointer(to).ToString(), ": neither is generic"));
    return {};
  }
  const SDValue cast = state_->dag().GetAddrSpaceCast(state_->NextLoc(), MVT::kI64, state_->Use(pointer),
                                                      static_cast<unsigned>(from), static_cast<unsigned>(to));
  return state_->Make(Type::Pointer(to), cast);
}

// Vectors.

Value KernelBuilder::BuildVector(std::span<const Value> elements) {
  if (!state_->Enter("BuildVector(elements)") || !state_->Check(elements)) return {};
  if (elements.size() < 2 || elements.size() > 255 || elements[0].type().is_vector()) {
    state_->Error("a vector is made of two or more scalars");
    return {};
  }
  const Type type = elements[0].type().Vector(static_cast<uint8_t>(elements.size()));
  if (!state_->CheckType(type)) return {};
  std::vector<SDValue> operands;
  for (const Value& element : elements) {
    if (!state_->CheckSameType(elements[0], element)) return {};
    operands.push_back(state_->Use(element));
  }
  const MVT mvt = *MvtOf(type);
  return state_->Make(
      type, state_->dag().GetNode(isd::kBuildVector, state_->NextLoc(), absl::MakeConstSpan(&mvt, 1), operands));
}

Value KernelBuilder::Splat(Value element, uint8_t lanes) { return BuildVector(std::vector<Value>(lanes, element)); }

Value KernelBuilder::ExtractElement(Value vector, unsigned index) {
  if (!state_->Enter("ExtractElement(vector, index)") || !state_->Check({vector})) return {};
  if (!vector.type().is_vector() || index >= vector.type().lanes()) {
    state_->Error(StrCat(vector.type().ToString(), " has no element ", index));
    return {};
  }
  return state_->MakeNode(vector.type().element(), isd::kExtractVectorElt,
                          {state_->Use(vector), state_->Integer(index, MVT::kI64)});
}

Value KernelBuilder::InsertElement(Value vector, Value element, unsigned index) {
  if (!state_->Enter("InsertElement(vector, element, index)") || !state_->Check({vector, element})) return {};
  if (!vector.type().is_vector() || index >= vector.type().lanes()) {
    state_->Error(StrCat(vector.type().ToString(), " has no element ", index));
    return {};
  }
  if (element.type() != vector.type().element()) {
    state_->Error(StrCat(element.type().ToString(), " is no element of ", vector.type().ToString()));
    return {};
  }
  const SDValue whole = state_->Use(vector), part = state_->Use(element);
  return state_->MakeNode(vector.type(), isd::kInsertVectorElt, {whole, part, state_->Integer(index, MVT::kI64)});
}

Value KernelBuilder::Shuffle(Value a, Value b, std::span<const int> mask) {
  if (!state_->Enter("Shuffle(a, b, mask)") || !state_->Check({a, b}) || !state_->CheckSameType(a, b)) return {};
  const unsigned lanes = a.type().lanes();
  if (!a.type().is_vector() || mask.size() != lanes) {
    state_->Error(StrCat("a mask of ", mask.size(), " for ", a.type().ToString()));
    return {};
  }
  std::vector<int16_t> elements;
  for (const int element : mask) {
    if (element < -1 || element >= static_cast<int>(2 * lanes)) {
      state_->Error(StrCat("two of ", a.type().ToString(), " have no element ", element));
      return {};
    }
    elements.push_back(static_cast<int16_t>(element));
  }
  const SDValue first = state_->Use(a), second = state_->Use(b);
  return state_->Make(a.type(),
                      state_->dag().GetVectorShuffle(state_->NextLoc(), *MvtOf(a.type()), first, second, elements));
}

}  // namespace ptxmir::builder
