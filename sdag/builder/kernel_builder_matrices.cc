// SPDX-License-Identifier: Apache-2.0

// Matrices of KernelBuilder: mma and ldmatrix.
//
// A form of mma is checked against a table of PTX's forms and becomes LLVM's intrinsic for it. Instruction
// selection knows the forms that each GPU has.

#include <algorithm>
#include <string>
#include <utility>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ptxmir/kernel_builder.h"
#include "sdag/builder/function_state.h"

namespace ptxmir::builder {

using sdag::MVT;
using sdag::SDValue;
namespace isd = sdag::isd;

namespace {

// Families of element kinds that have the same forms.
enum class Family : uint8_t { kF16, kBF16, kTF32, kF64, kInt8, kInt4, kBit, kFp8, kFp6, kNone };

struct ElementInfo {
  std::string_view name;
  Family family;
  unsigned bits;  // the size of an element in a register
};
// Indexed by MatrixElement.
constexpr ElementInfo kElements[] = {
    {"f16", Family::kF16, 16}, {"bf16", Family::kBF16, 16}, {"tf32", Family::kTF32, 32}, {"f32", Family::kNone, 32},
    {"f64", Family::kF64, 64}, {"s8", Family::kInt8, 8},    {"u8", Family::kInt8, 8},    {"s4", Family::kInt4, 4},
    {"u4", Family::kInt4, 4},  {"b1", Family::kBit, 1},     {"e4m3", Family::kFp8, 8},   {"e5m2", Family::kFp8, 8},
    {"e3m2", Family::kFp6, 8}, {"e2m3", Family::kFp6, 8},   {"e2m1", Family::kFp6, 8},   {"s32", Family::kNone, 32},
};

struct Shape {
  Family family;
  unsigned m, n, k;
  int sm, ptx;  // the first versions that have the shape
};
constexpr Shape kShapes[] = {
    {Family::kF16, 8, 8, 4, 70, 64},    {Family::kF16, 16, 8, 8, 75, 65},   {Family::kF16, 16, 8, 16, 80, 70},
    {Family::kBF16, 16, 8, 8, 80, 70},  {Family::kBF16, 16, 8, 16, 80, 70}, {Family::kTF32, 16, 8, 4, 80, 70},
    {Family::kTF32, 16, 8, 8, 80, 70},  {Family::kF64, 8, 8, 4, 80, 70},    {Family::kF64, 16, 8, 4, 90, 78},
    {Family::kF64, 16, 8, 8, 90, 78},   {Family::kF64, 16, 8, 16, 90, 78},  {Family::kInt8, 8, 8, 16, 75, 65},
    {Family::kInt8, 16, 8, 16, 80, 70}, {Family::kInt8, 16, 8, 32, 80, 70}, {Family::kInt4, 8, 8, 32, 75, 65},
    {Family::kInt4, 16, 8, 32, 80, 70}, {Family::kInt4, 16, 8, 64, 80, 70}, {Family::kBit, 8, 8, 128, 75, 70},
    {Family::kBit, 16, 8, 128, 80, 70}, {Family::kBit, 16, 8, 256, 80, 70}, {Family::kFp8, 16, 8, 16, 89, 87},
    {Family::kFp8, 16, 8, 32, 89, 84},  {Family::kFp6, 16, 8, 32, 120, 87},
};

const ElementInfo& InfoOf(MatrixElement element) { return kElements[static_cast<size_t>(element)]; }

// Returns the family of a pair of factors. Floating-point numbers of 8 bits or fewer can be combined freely.
Family FamilyOf(const MmaForm& form) {
  const Family a = InfoOf(form.a).family, b = InfoOf(form.b).family;
  const auto is_small_float = [](Family family) { return family == Family::kFp8 || family == Family::kFp6; };
  if (is_small_float(a) && is_small_float(b)) return a == b ? a : Family::kFp6;
  const bool is_same = form.a == form.b || (a == b && (a == Family::kInt8 || a == Family::kInt4));
  return is_same ? a : Family::kNone;
}

bool IsResult(Family family, MatrixElement result) {
  switch (family) {
    case Family::kF16:
    case Family::kFp8:
    case Family::kFp6:
      return result == MatrixElement::kF16 || result == MatrixElement::kF32;
    case Family::kBF16:
    case Family::kTF32:
      return result == MatrixElement::kF32;
    case Family::kF64:
      return result == MatrixElement::kF64;
    case Family::kInt8:
    case Family::kInt4:
    case Family::kBit:
      return result == MatrixElement::kS32;
    case Family::kNone:
      break;
  }
  return false;
}

// Returns the shape of a form, or null if there is none.
const Shape* FindShape(Family family, const MmaForm& form) {
  for (const Shape& shape : kShapes) {
    if (shape.family == family && shape.m == form.m && shape.n == form.n && shape.k == form.k) return &shape;
  }
  return nullptr;
}

// Returns true for the m8n8k4 form of f16, which multiplies four pairs of matrices at once.
bool IsQuadruple(const MmaForm& form) { return form.a == MatrixElement::kF16 && form.m == 8; }

std::string ShapeText(const MmaForm& form) { return StrCat("m", form.m, "n", form.n, "k", form.k); }

std::string FormText(const MmaForm& form) {
  return StrCat(ShapeText(form), " of ", InfoOf(form.a).name, " and ", InfoOf(form.b).name, " with ",
                InfoOf(form.result).name);
}

// Returns an error if the module's target lacks a form, or an empty string.
std::string LackOf(const MmaForm& form, const Shape& shape, const ptx::Subtarget& subtarget) {
  int sm = shape.sm, ptx = shape.ptx;
  // These were added later to existing shapes.
  if (form.combines_with_and) {
    sm = std::max(sm, 80);
    ptx = std::max(ptx, 71);
  }
  if (shape.family == Family::kFp8 && form.result == MatrixElement::kF16) ptx = std::max(ptx, 87);
  if (!subtarget.HasSm(sm)) return StrCat(FormText(form), " needs sm_", sm);
  if (subtarget.ptx_version() >= ptx) return "";
  return StrCat(FormText(form), " needs PTX ", ptx / 10, ".", ptx % 10, " (ModuleTarget::ptx_version)");
}

// Returns the error in a form, or an empty string if there is none.
std::string ProblemWith(const MmaForm& form, const ptx::Subtarget* subtarget) {
  for (const MatrixElement element : {form.a, form.b, form.result}) {
    if (element > MatrixElement::kS32) return "no such element";
  }
  const Family family = FamilyOf(form);
  const bool is_integer = family == Family::kInt8 || family == Family::kInt4;
  const Shape* shape = FindShape(family, form);
  if (shape == nullptr || !IsResult(family, form.result)) return StrCat("PTX has no ", FormText(form));
  if (form.saturates && !is_integer) return StrCat("nothing saturates in ", FormText(form));
  if (form.combines_with_and && family != Family::kBit) return StrCat("no bits are combined in ", FormText(form));
  if ((form.a_is_by_columns || form.b_is_by_rows) && !IsQuadruple(form)) {
    return StrCat(FormText(form), " takes a by rows and b by columns");
  }
  return subtarget == nullptr ? "" : LackOf(form, *shape, *subtarget);
}

// Returns LLVM's name of the intrinsic.
std::string IntrinsicOf(const MmaForm& form) {
  const std::string shape = ShapeText(form);
  const std::string_view a = InfoOf(form.a).name, b = InfoOf(form.b).name, result = InfoOf(form.result).name;
  switch (FamilyOf(form)) {
    case Family::kF16:
      return StrCat("llvm.nvvm.mma.", shape, form.a_is_by_columns ? ".col" : ".row",
                    form.b_is_by_rows ? ".row" : ".col", ".", result, ".", result);
    case Family::kBit:
      return StrCat("llvm.nvvm.mma.", form.combines_with_and ? "and" : "xor", ".popc.", shape, ".row.col.b1");
    case Family::kInt8:
    case Family::kInt4:
      return StrCat("llvm.nvvm.mma.", shape, ".row.col", form.saturates ? ".satfinite" : "", ".", a,
                    form.a == form.b ? "" : ".", form.a == form.b ? "" : b);
    case Family::kFp8:
    case Family::kFp6: {
      const bool has_kind = FamilyOf(form) == Family::kFp6;
      return StrCat("llvm.nvvm.mma.", shape, ".row.col.", has_kind ? "kind.f8f6f4." : "", result, ".", a, ".", b, ".",
                    result);
    }
    default:
      return StrCat("llvm.nvvm.mma.", shape, ".row.col.", a);
  }
}

// The registers of a thread that hold its part of a matrix.
struct Fragment {
  size_t count;
  Type type;
};

Fragment FragmentOf(const MmaForm& form, MatrixElement element, unsigned num_elements) {
  constexpr unsigned kThreads = 32;
  Type type = kI32;
  if (element == MatrixElement::kF16) type = kF16x2;
  if (element == MatrixElement::kBF16) type = kBF16x2;
  if (element == MatrixElement::kTF32 || element == MatrixElement::kF32) type = kF32;
  if (element == MatrixElement::kF64) type = kF64;
  const unsigned bits = num_elements * InfoOf(element).bits * (IsQuadruple(form) ? 4 : 1);
  return {bits / kThreads / type.bits(), type};
}

bool CheckFragment(FunctionState& state, std::string_view name, std::span<const Value> values, Fragment fragment) {
  bool is_good = values.size() == fragment.count;
  for (const Value& value : values) is_good &= value.type() == fragment.type;
  return is_good || state.Fail(StrCat(name, " is ", fragment.count, " of ", fragment.type.ToString()));
}

std::vector<Value> MakeMma(FunctionState& state, const char* call, const MmaForm& form, std::span<const Value> a,
                           std::span<const Value> b, std::span<const Value> c) {
  if (!state.Enter(call) || !state.Check(a) || !state.Check(b) || !state.Check(c)) return {};
  if (const std::string problem = ProblemWith(form, state.module().subtarget()); !problem.empty()) {
    state.Error(problem);
    return {};
  }
  const Fragment result = FragmentOf(form, form.result, form.m * form.n);
  if (!CheckFragment(state, "a", a, FragmentOf(form, form.a, form.m * form.k)) ||
      !CheckFragment(state, "b", b, FragmentOf(form, form.b, form.k * form.n)) ||
      !CheckFragment(state, "c", c, result)) {
    return {};
  }
  std::vector<SDValue> arguments;
  const auto add = [&](std::span<const Value> values, bool as_words) {
    for (const Value& value : values) {
      SDValue argument = state.Use(value);
      if (as_words && argument.type() != MVT::kI32) {
        argument = state.dag().GetNode(isd::kBitcast, state.NextLoc(), MVT::kI32, {argument});
      }
      arguments.push_back(argument);
    }
  };
  // The intrinsics take bf16 and tf32 as words.
  const bool takes_words = form.a == MatrixElement::kBF16 || form.a == MatrixElement::kTF32;
  add(a, takes_words);
  add(b, takes_words);
  add(c, false);
  const std::vector<MVT> types(result.count, *MvtOf(result.type));
  const SDValue node =
      state.dag().GetIntrinsic(isd::kIntrinsicWOChain, IntrinsicOf(form), state.NextLoc(), types, arguments);
  std::vector<Value> results;
  for (unsigned i = 0; i < result.count; ++i) results.push_back(state.Make(result.type, node.Result(i)));
  return results;
}

}  // namespace

std::vector<Value> KernelBuilder::MmaM16N8K16(std::span<const Value> a, std::span<const Value> b,
                                              std::span<const Value> c) {
  const bool is_bf16 = !a.empty() && a[0].type() == kBF16x2;
  const bool is_f16 = !c.empty() && c[0].type() == kF16x2;
  const MatrixElement factor = is_bf16 ? MatrixElement::kBF16 : MatrixElement::kF16;
  const MmaForm form = {16, 8, 16, factor, factor, is_f16 ? MatrixElement::kF16 : MatrixElement::kF32};
  return MakeMma(*state_, "MmaM16N8K16(a, b, c)", form, a, b, c);
}

std::vector<Value> KernelBuilder::Mma(const MmaForm& form, std::span<const Value> a, std::span<const Value> b,
                                      std::span<const Value> c) {
  return MakeMma(*state_, "Mma(form, a, b, c)", form, a, b, c);
}

std::vector<Value> KernelBuilder::LoadMatrices(unsigned count, Value shared, bool transposed) {
  if (!state_->Enter("LoadMatrices(count, shared)") || !state_->Check({shared})) {
    return {};
  }
  if (shared.type() != kSharedPointer) {
    state_->Error(StrCat("the address is ", shared.type().ToString(), ", not ", kSharedPointer.ToString()));
    return {};
  }
  if (count != 1 && count != 2 && count != 4) {
    state_->Error("1, 2 or 4 matrices");
    return {};
  }
  std::vector<MVT> types(count, MVT::kI32);
  types.push_back(MVT::kOther);
  const MachineMemOperand* memory = state_->MemOperand(kI32x4, address_space::kShared, MachineMemOperand::kLoad, 16);
  const SDValue address = state_->Use(shared);
  const SDValue node = state_->dag().GetIntrinsic(
      isd::kIntrinsicWChain,
      StrCat("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x", count, transposed ? ".trans" : "", ".b16"), state_->NextLoc(),
      types, {state_->Root(), address}, MVT::kV4I32, memory);
  state_->SetRoot(node.Result(count));
  std::vector<Value> results;
  for (unsigned i = 0; i < count; ++i) results.push_back(state_->Make(kI32, node.Result(i)));
  return results;
}

}  // namespace ptxmir::builder
