// SPDX-License-Identifier: Apache-2.0

// Atomic operations. An operation that PTX lacks is replaced with another one if changing an operand is enough.
// Operations that need a compare-and-swap loop have been expanded before (sdag/expand/expand_atomics.cc). Here,
// within one block, they are rejected.

#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {
namespace {

constexpr std::string_view kNeedsLoop =
    "PTX has no such atomic operation on the subtarget; it needs a loop of compare-and-swap, which is more than a "
    "block";

// Returns the integer type of the same size, or nullopt if `type` is one already or there is none.
std::optional<MVT> AsInteger(MVT type) {
  const std::optional<MVT> integer = IntegerOf(SizeInBits(type));
  return type == MVT::kI1 || (integer.has_value() && *integer == type) ? std::nullopt : integer;
}

// Makes a node, and returns it if it can be selected; otherwise no value.
SDValue Try(Legalizer& l, int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
            EVT memory_type, LoadExt ext = LoadExt::kNone, bool is_truncating = false) {
  const SDValue node = l.dag().GetMemNode(opcode, l.loc(), types, operands, memory_type,
                                          AsMemSDNode(l.node()).memoperand(), ext, is_truncating, l.node().flags());
  return l.CanSelect(node) ? node : SDValue();
}

// Makes a compare-and-swap or an exchange of 128 bits that stands for a load or a store.
SDValue TryWideExchange(Legalizer& l, int16_t opcode, absl::Span<const SDValue> operands) {
  const MachineMemOperand* access = AsMemSDNode(l.node()).memoperand();
  if (access != nullptr) {
    MachineMemOperand both = *access;
    both.flags |= MachineMemOperand::kLoad | MachineMemOperand::kStore;
    access = l.dag().machine_function().CreateMemOperand(both);
  }
  const MVT types[] = {MVT::kI64, MVT::kI64, MVT::kOther};
  const SDValue node = l.dag().GetMemNode(opcode, l.loc(), types, operands, MVT::kI128, access);
  return l.CanSelect(node) ? node : SDValue();
}

// Loads 128 bits by a compare-and-swap that writes what it has read, as LLVM does.
bool LoadWide(Legalizer& l, SDNode& node) {
  const SDValue zero = l.dag().GetConstant(0, MVT::kI64);
  const SDValue operands[] = {l.TokenOf(node.operand(0)), l.ValueOf(node.operand(1)).part(), zero, zero, zero, zero};
  const SDValue old = TryWideExchange(l, isd::kNvAtomicCmpSwapB128, operands);
  if (!old) return false;
  l.SetResult(0, {MVT::kI128, {old, old.Result(1)}});
  l.SetToken(1, old.Result(2));
  return true;
}

void VisitAtomicLoad(Legalizer& l, SDNode& node) {
  const MVT type = node.value_type(0);
  if (type == MVT::kI128 && AsMemSDNode(node).memory_type() == EVT(type) && LoadWide(l, node)) return;
  const SDValue operands[] = {l.TokenOf(node.operand(0)), l.ValueOf(node.operand(1)).part()};
  const EVT memory = AsMemSDNode(node).memory_type();
  const auto finish = [&](const SDValue& load, const LegalValue& value) {
    l.SetResult(0, value);
    l.SetToken(1, load.Result(1));
  };
  // Bytes are loaded into 16 bits and extended from there.
  if (memory.is_simple() && memory.simple() == MVT::kI8 && IsScalarInteger(type)) {
    const MVT types[] = {MVT::kI16, MVT::kOther};
    for (const LoadExt ext : {LoadExt::kZero, LoadExt::kAny}) {
      const SDValue load = Try(l, isd::kAtomicLoad, types, operands, memory, ext);
      if (!load) continue;
      const LegalValue byte(MVT::kI8, load);
      const bool is_signed = AsMemSDNode(node).ext() == LoadExt::kSign;
      return finish(load, l.Resize(is_signed ? isd::kSignExtend : isd::kZeroExtend, type, byte));
    }
  }
  if (const std::optional<MVT> integer = AsInteger(type); integer.has_value() && l.IsDirect(*integer)) {
    const MVT types[] = {*integer, MVT::kOther};
    if (const SDValue load = Try(l, isd::kAtomicLoad, types, operands, *integer)) {
      return finish(load, l.Bitcast(type, LegalValue(load)));
    }
  }
  l.Refuse("PTX has no atomic load of this type");
}

void VisitAtomicStore(Legalizer& l, SDNode& node) {
  const LegalValue value = l.ValueOf(node.operand(1));
  const SDValue chain = l.TokenOf(node.operand(0)), pointer = l.ValueOf(node.operand(2)).part();
  const EVT memory = AsMemSDNode(node).memory_type();
  if (value.type == MVT::kI128 && memory == EVT(value.type)) {
    const SDValue operands[] = {chain, pointer, value.parts[0], value.parts[1]};
    if (const SDValue old = TryWideExchange(l, isd::kNvAtomicSwapB128, operands)) return l.SetToken(0, old.Result(2));
  }
  const MVT type = MVT::kOther;
  if (memory.is_simple() && memory.simple() == MVT::kI8 && IsScalarInteger(value.type)) {
    const SDValue operands[] = {chain, l.AnyExtOrTrunc(MVT::kI16, value).part(), pointer};
    if (const SDValue store =
            Try(l, isd::kAtomicStore, absl::MakeConstSpan(&type, 1), operands, memory, LoadExt::kNone, true)) {
      return l.SetToken(0, store);
    }
  }
  if (const std::optional<MVT> integer = AsInteger(value.type); integer.has_value() && l.IsDirect(*integer)) {
    const SDValue operands[] = {chain, l.Bitcast(*integer, value).part(), pointer};
    if (const SDValue store = Try(l, isd::kAtomicStore, absl::MakeConstSpan(&type, 1), operands, *integer)) {
      return l.SetToken(0, store);
    }
  }
  l.Refuse("PTX has no atomic store of this type");
}

// Makes an AtomicSwap of one value or an AtomicCmpSwap of two. `old` and `chain` are the results of the
// instruction.
bool Exchange(Legalizer& l, int16_t opcode, absl::Span<const LegalValue> values, LegalValue& old, SDValue& chain) {
  const SDNode& node = l.node();
  const MVT type = values[0].type;
  absl::InlinedVector<SDValue, 6> operands = {l.TokenOf(node.operand(0)), l.ValueOf(node.operand(1)).part()};
  if (type == MVT::kI128) {
    for (const LegalValue& value : values) operands.insert(operands.end(), value.parts.begin(), value.parts.end());
    const MVT types[] = {MVT::kI64, MVT::kI64, MVT::kOther};
    const SDValue exchanged =
        Try(l, opcode == isd::kAtomicSwap ? isd::kNvAtomicSwapB128 : isd::kNvAtomicCmpSwapB128, types, operands, type);
    if (!exchanged) return false;
    old = {type, {exchanged, exchanged.Result(1)}};
    chain = exchanged.Result(2);
    return true;
  }
  const std::optional<MVT> integer = IntegerOf(SizeInBits(type));
  if (!integer.has_value() || !l.IsDirect(*integer) || *integer == MVT::kI1) return false;
  for (const LegalValue& value : values) operands.push_back(l.Bitcast(*integer, value).part());
  const MVT types[] = {*integer, MVT::kOther};
  const SDValue exchanged = Try(l, opcode, types, operands, *integer);
  if (!exchanged) return false;
  old = l.Bitcast(type, LegalValue(exchanged));
  chain = exchanged.Result(1);
  return true;
}

void VisitExchange(Legalizer& l, SDNode& node) {
  LegalValues values;
  for (unsigned i = 2; i < node.num_operands(); ++i) values.push_back(l.ValueOf(node.operand(i)));
  const bool with_success = node.opcode() == isd::kAtomicCmpSwapWithSuccess;
  const int16_t opcode = node.opcode() == isd::kAtomicSwap ? isd::kAtomicSwap : isd::kAtomicCmpSwap;
  LegalValue old;
  SDValue chain;
  if (l.has_refused()) return;
  if (!Exchange(l, opcode, values, old, chain)) return l.Refuse(kNeedsLoop);
  l.SetResult(0, old);
  if (with_success) {
    const MVT integer = *ToInteger(old.type);
    const LegalValue same = l.SetCC(CondCode::kEq, l.Bitcast(integer, old), l.Bitcast(integer, values[0]));
    l.SetResult(1, l.SExtOrTrunc(node.value_type(1), same));
  }
  l.SetToken(with_success ? 2 : 1, chain);
}

// x - v becomes x + -v, and x & ~v an `and`.
void VisitChangedOperand(Legalizer& l, SDNode& node) {
  const MVT type = node.value_type(0);
  const LegalValue value = l.ValueOf(node.operand(2));
  int16_t opcode = isd::kAtomicLoadAdd;
  LegalValue changed;
  if (node.opcode() == isd::kAtomicLoadFSub) {
    opcode = isd::kAtomicLoadFAdd;
    changed = l.Op(isd::kFNeg, type, {value});
  } else if (node.opcode() == isd::kAtomicLoadClr) {
    opcode = isd::kAtomicLoadAnd;
    changed = l.Not(value);
  } else {
    changed = l.Negate(value);
  }
  if (l.has_refused()) return;
  if (changed.parts.size() == 1 && l.IsDirect(type)) {
    const SDValue operands[] = {l.TokenOf(node.operand(0)), l.ValueOf(node.operand(1)).part(), changed.part()};
    const MVT types[] = {type, MVT::kOther};
    if (const SDValue updated = Try(l, opcode, types, operands, type)) {
      l.SetResult(0, LegalValue(updated));
      return l.SetToken(1, updated.Result(1));
    }
  }
  l.Refuse(kNeedsLoop);
}

void VisitNeedsLoop(Legalizer& l, SDNode&) { l.Refuse(kNeedsLoop); }

constexpr LegalizeRow kAtomicLegalizeRows[] = {
    {.opcode = isd::kAtomicLoad, .visit = VisitAtomicLoad},
    {.opcode = isd::kAtomicStore, .visit = VisitAtomicStore},
    {.opcode = isd::kAtomicSwap, .visit = VisitExchange},
    {.opcode = isd::kAtomicCmpSwap, .visit = VisitExchange},
    {.opcode = isd::kAtomicCmpSwapWithSuccess, .visit = VisitExchange},
    {.opcode = isd::kAtomicLoadSub, .visit = VisitChangedOperand},
    {.opcode = isd::kAtomicLoadFSub, .visit = VisitChangedOperand},
    {.opcode = isd::kAtomicLoadClr, .visit = VisitChangedOperand},
    {.opcode = isd::kAtomicLoadAdd, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadAnd, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadOr, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadXor, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadNand, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadMin, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadMax, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadUMin, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadUMax, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadFAdd, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadFMin, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadFMax, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadFMinimum, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadFMaximum, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadUIncWrap, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadUDecWrap, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadUSubCond, .visit = VisitNeedsLoop},
    {.opcode = isd::kAtomicLoadUSubSat, .visit = VisitNeedsLoop},
};

}  // namespace

absl::Span<const LegalizeRow> AtomicRows() { return kAtomicLegalizeRows; }

}  // namespace ptxmir::sdag
