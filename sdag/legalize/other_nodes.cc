// SPDX-License-Identifier: Apache-2.0

// Nodes that pass values on, registers, pointers, the stack, and the memory intrinsics.

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "sdag/graph/memory_intrinsics.h"
#include "sdag/legalize/memory_access.h"

namespace ptxmir::sdag {
namespace {

// The assertion is dropped.
void VisitAssert(Legalizer& l, SDNode& node) { l.SetResult(0, l.ValueOf(node.operand(0))); }

void VisitFreeze(Legalizer& l, SDNode& node) {
  LegalValue value = l.ValueOf(node.operand(0));
  for (SDValue& part : value.parts) {
    // A register that is written once holds a single value.
    if (l.CanSelect(isd::kFreeze, {part.type()}, {part.type()})) part = l.Node(isd::kFreeze, part.type(), {part});
  }
  l.SetResult(0, value);
}

void VisitMergeValues(Legalizer& l, SDNode& node) {
  for (unsigned i = 0; i < node.num_values(); ++i) {
    const SDValue operand = node.operand(i);
    if (IsToken(node.value_type(i))) {
      l.SetToken(i, l.TokenOf(operand));
    } else {
      l.SetResult(i, l.ValueOf(operand));
    }
  }
}

constexpr std::string_view kNoWideRegisters = "registers of 128 bits need PTX 8.3 and sm_70";
bool HasWideRegisters(Legalizer& l) { return l.subtarget().HasSm(70) && l.subtarget().HasPtx(83); }

void VisitCopyToReg(Legalizer& l, SDNode& node) {
  const LegalValue value = l.ValueOf(node.operand(2));
  const auto* reg = DynCast<RegisterSDNode>(node.operand(1));
  if (value.type != MVT::kI128 || reg == nullptr) return l.Refuse("no register holds values of this type");
  if (!HasWideRegisters(l)) return l.Refuse(kNoWideRegisters);
  // A pair of constants would become a constant, for which there is no instruction.
  const SDValue whole = l.Node(isd::kNvBuildVector, MVT::kI128, {value.parts[0], value.parts[1]});
  if (!l.CanSelect(whole)) return l.Refuse(kNoWideRegisters);
  const SDValue glue = node.num_operands() > 3 ? l.TokenOf(node.operand(3)) : SDValue();
  const SDValue chain = l.TokenOf(node.operand(0));
  const SDValue copy = node.HasGlueResult() ? l.dag().GetCopyToReg(l.loc(), chain, reg->reg(), whole, glue)
                                            : l.dag().GetCopyToReg(l.loc(), chain, reg->reg(), whole);
  for (unsigned i = 0; i < node.num_values(); ++i) l.SetToken(i, copy.Result(i));
}

void VisitCopyFromReg(Legalizer& l, SDNode& node) {
  if (node.value_type(0) != MVT::kI128) return l.Refuse("no register holds values of this type");
  const auto* reg = DynCast<RegisterSDNode>(node.operand(1));
  if (reg == nullptr) return l.Refuse("operand 1 is no register");
  const SDValue chain = l.TokenOf(node.operand(0));
  const SDValue glue = node.num_operands() > 2 ? l.TokenOf(node.operand(2)) : SDValue();
  const SDValue copy = glue ? l.dag().GetCopyFromReg(l.loc(), chain, reg->reg(), MVT::kI128, glue)
                            : l.dag().GetCopyFromReg(l.loc(), chain, reg->reg(), MVT::kI128);
  const MVT types[] = {MVT::kI64, MVT::kI64};
  const SDValue halves = l.Node(isd::kNvUnpackVector, types, absl::MakeConstSpan(&copy, 1));
  if (!HasWideRegisters(l) || !l.CanSelect(halves)) return l.Refuse(kNoWideRegisters);
  l.SetResult(0, {MVT::kI128, {halves, halves.Result(1)}});
  for (unsigned i = 1; i < node.num_values(); ++i) l.SetToken(i, copy.Result(i));
}

LegalValue ExpandPtrAdd(Legalizer& l, const Operation& op) {
  return l.Add(op.operand(0), l.SExtOrTrunc(op.type, op.operand(1)));
}

// A prefetch is only a hint and is dropped.
void VisitPrefetch(Legalizer& l, SDNode& node) { l.SetToken(0, l.TokenOf(node.operand(0))); }

// The stack grows in local memory. LLVM's nodes immediately convert its addresses to generic ones.
void VisitDynamicStackAlloc(Legalizer& l, SDNode& node) {
  const auto* align = DynCast<ConstantSDNode>(node.operand(2));
  const MVT type = node.value_type(0);
  const MVT types[] = {type, MVT::kOther};
  const SDValue operands[] = {l.TokenOf(node.operand(0)), l.ZExtOrTrunc(type, l.ValueOf(node.operand(1))).part(),
                              l.dag().GetTargetConstant(align == nullptr ? 0 : align->ZExtValue(), MVT::kI32)};
  const SDValue allocated = l.Node(isd::kNvDynamicStackAlloc, types, operands);
  if (!l.CanSelect(allocated)) return l.Refuse("alloca needs PTX 7.3 and sm_52");
  l.SetResult(0, LegalValue(l.dag().GetAddrSpaceCast(l.loc(), type, allocated, 5, 0)));
  l.SetToken(1, allocated.Result(1));
}

void VisitStackSave(Legalizer& l, SDNode& node) {
  const MVT types[] = {node.value_type(0), MVT::kOther};
  const SDValue chain = l.TokenOf(node.operand(0));
  const SDValue saved = l.Node(isd::kNvStackSave, types, absl::MakeConstSpan(&chain, 1));
  if (!l.CanSelect(saved)) return l.Refuse("stacksave needs PTX 7.3 and sm_52");
  l.SetResult(0, LegalValue(l.dag().GetAddrSpaceCast(l.loc(), types[0], saved, 5, 0)));
  l.SetToken(1, saved.Result(1));
}

void VisitStackRestore(Legalizer& l, SDNode& node) {
  const LegalValue pointer = l.ValueOf(node.operand(1));
  const SDValue local = l.dag().GetAddrSpaceCast(l.loc(), pointer.type, pointer.part(), 0, 5);
  const SDValue restored = l.Node(isd::kNvStackRestore, MVT::kOther, {l.TokenOf(node.operand(0)), local});
  if (!l.CanSelect(restored)) return l.Refuse("stackrestore needs PTX 7.3 and sm_52");
  l.SetToken(0, restored);
}

// Variadic arguments. The list is a pointer in memory to the next argument. The arguments follow one another in
// memory, each with the alignment of its type. Chains are in the order of the accesses.

SplitMemoryAccess ListAccess(Legalizer& l, SDValue chain, SDValue list, uint16_t flags) {
  MachineMemOperand memory;
  memory.flags = flags;
  memory.has_known_size = true;
  memory.type = {.kind = LowLevelType::Kind::kScalar, .bits = SizeInBits(list.type())};
  memory.align_log2 = memory.base_align_log2 = list.type() == MVT::kI64 ? 3 : 2;
  return SplitMemoryAccess(l, l.dag().machine_function().CreateMemOperand(memory), chain, list);
}

// Loads the pointer from a list. `chain` is the chain after the load.
LegalValue LoadNext(Legalizer& l, SDValue& chain, const LegalValue& list) {
  SplitMemoryAccess access = ListAccess(l, chain, list.part(), MachineMemOperand::kLoad);
  const std::vector<SDValue> next = access.Load({list.type});
  if (l.has_refused()) return l.Undef(list.type);
  chain = access.Chain();
  return LegalValue(next[0]);
}

SDValue StoreNext(Legalizer& l, SDValue chain, const LegalValue& list, const LegalValue& next) {
  SplitMemoryAccess access = ListAccess(l, chain, list.part(), MachineMemOperand::kStore);
  access.Store({next.type}, {next.part()});
  return access.Chain();
}

void VisitVAArg(Legalizer& l, SDNode& node) {
  const MVT type = node.value_type(0);
  const TypeList parts = l.PartTypes(type);
  if (IsVector(type) || parts.size() != 1) return l.Refuse("a variadic argument of several registers");
  const LegalValue list = l.ValueOf(node.operand(1));
  const uint64_t bytes = SizeInBytes(type);
  SDValue chain = l.TokenOf(node.operand(0));
  LegalValue at = LoadNext(l, chain, list);
  if (bytes > 1) {
    at = l.And(l.Add(at, l.Constant(at.type, bytes - 1)), l.SignedConstant(at.type, -static_cast<int64_t>(bytes)));
  }
  chain = StoreNext(l, chain, list, l.Add(at, l.Constant(at.type, bytes)));
  if (l.has_refused()) return;
  MachineMemOperand memory;
  memory.flags = MachineMemOperand::kLoad;
  memory.has_known_size = true;
  memory.type = {.kind = LowLevelType::Kind::kScalar, .bits = static_cast<uint32_t>(8 * bytes)};
  while (uint64_t{2} << memory.align_log2 <= bytes) ++memory.align_log2;
  memory.base_align_log2 = memory.align_log2;
  SplitMemoryAccess access(l, l.dag().machine_function().CreateMemOperand(memory), chain, at.part());
  const bool is_bit = type == MVT::kI1;
  const std::vector<SDValue> value = access.Load({is_bit ? MVT::kI8 : type});
  if (l.has_refused()) return;
  const LegalValue loaded(is_bit ? MVT::kI8 : type, value[0]);
  l.SetResult(0, is_bit ? l.ZExtOrTrunc(type, loaded) : loaded);
  l.SetToken(1, access.Chain());
}

void VisitVACopy(Legalizer& l, SDNode& node) {
  SDValue chain = l.TokenOf(node.operand(0));
  const LegalValue next = LoadNext(l, chain, l.ValueOf(node.operand(2)));
  const SDValue stored = StoreNext(l, chain, l.ValueOf(node.operand(1)), next);
  if (!l.has_refused()) l.SetToken(0, stored);
}

// The end of a list needs no code.
void VisitVAEnd(Legalizer& l, SDNode& node) { l.SetToken(0, l.TokenOf(node.operand(0))); }

void VisitVAStart(Legalizer& l, SDNode&) {
  l.Refuse("functions of PTX have a fixed number of parameters; a pointer to the others must be one of them");
}

void VisitIndirectBranch(Legalizer& l, SDNode&) {
  l.Refuse("PTX has no jump to an address: brx.idx takes a number in a table (br_jt)");
}

// memcpy, memmove, memset.

// Returns integer types that together cover this many bytes, as wide as the alignment allows.
TypeList UnitsFor(uint64_t bytes, uint64_t alignment) {
  TypeList units;
  for (uint64_t unit = std::min<uint64_t>(alignment, 8); bytes != 0; unit /= 2) {
    for (; bytes >= unit; bytes -= unit) units.push_back(*IntegerOf(static_cast<unsigned>(8 * unit)));
  }
  return units;
}

void VisitMemoryIntrinsic(Legalizer& l, SDNode& node, const MemoryIntrinsic& intrinsic) {
  if (intrinsic.needs_loop()) {
    return l.Refuse(StrCat("volatile accesses, more than ", MemoryIntrinsic::kMaxUnrolledBytes,
                           " bytes, or a number that is not a constant, need a loop, which takes more than one block"));
  }
  MachineFunction& function = l.dag().machine_function();
  const TypeList units = UnitsFor(*intrinsic.size, intrinsic.alignment);
  const SDValue chain = l.TokenOf(node.operand(0));
  if (units.empty()) return l.SetToken(0, chain);
  const SDValue target = l.ValueOf(node.operand(1)).part();
  const MachineMemOperand* stored = function.CreateMemOperand(MemOperandOf(node, intrinsic, /*is_load=*/false));
  std::vector<SDValue> values;
  SDValue before_stores = chain;
  if (intrinsic.kind == MemoryIntrinsic::Kind::kSet) {
    const LegalValue byte = l.ZExtOrTrunc(MVT::kI8, l.ValueOf(node.operand(2)));
    const LegalValue all = l.Mul(l.ZExtOrTrunc(MVT::kI64, byte), l.Constant(MVT::kI64, 0x0101010101010101));
    for (const MVT unit : units) values.push_back(l.ZExtOrTrunc(unit, all).part());
  } else {
    // Everything is read before anything is written. memmove requires this if source and target overlap, and memcpy
    // allows it.
    const MachineMemOperand* loaded = function.CreateMemOperand(MemOperandOf(node, intrinsic, /*is_load=*/true));
    SplitMemoryAccess loads(l, loaded, chain, l.ValueOf(node.operand(2)).part());
    values = loads.Load(units);
    before_stores = loads.Chain();
  }
  if (l.has_refused()) return;
  SplitMemoryAccess stores(l, stored, before_stores, target);
  stores.Store(units, values);
  l.SetToken(0, stores.Chain());
}

void VisitIntrinsic(Legalizer& l, SDNode& node) {
  if (const std::optional<MemoryIntrinsic> intrinsic = MemoryIntrinsicOf(node)) {
    return VisitMemoryIntrinsic(l, node, *intrinsic);
  }
  l.Refuse("");
}

constexpr LegalizeRow kOtherLegalizeRows[] = {
    {.opcode = isd::kAssertSext, .visit = VisitAssert},
    {.opcode = isd::kAssertZext, .visit = VisitAssert},
    {.opcode = isd::kAssertAlign, .visit = VisitAssert},
    {.opcode = isd::kFreeze, .visit = VisitFreeze},
    {.opcode = isd::kMergeValues, .visit = VisitMergeValues},
    {.opcode = isd::kCopyToReg, .visit = VisitCopyToReg},
    {.opcode = isd::kCopyFromReg, .visit = VisitCopyFromReg},
    {isd::kPtrAdd, Promotion::kNone, ExpandPtrAdd},
    {.opcode = isd::kPrefetch, .visit = VisitPrefetch},
    {.opcode = isd::kDynamicStackAlloc, .visit = VisitDynamicStackAlloc},
    {.opcode = isd::kStackSave, .visit = VisitStackSave},
    {.opcode = isd::kStackRestore, .visit = VisitStackRestore},
    {.opcode = isd::kVAStart, .visit = VisitVAStart},
    {.opcode = isd::kVAArg, .visit = VisitVAArg},
    {.opcode = isd::kVACopy, .visit = VisitVACopy},
    {.opcode = isd::kVAEnd, .visit = VisitVAEnd},
    {.opcode = isd::kBrInd, .visit = VisitIndirectBranch},
    {.opcode = isd::kIntrinsicVoid, .visit = VisitIntrinsic},
    {.opcode = isd::kIntrinsicWChain, .visit = VisitIntrinsic},
};

}  // namespace

absl::Span<const LegalizeRow> OtherRows() { return kOtherLegalizeRows; }

}  // namespace ptxmir::sdag
