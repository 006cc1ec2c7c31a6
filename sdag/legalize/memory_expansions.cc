// SPDX-License-Identifier: Apache-2.0

// Loads and stores.
//
// The memory of a load or store is divided into units, one for each part of the value's registers (a v8f16 is four
// v2f16, an i24 is 2 bytes and 1). Adjacent units of one type are combined into one NVPTXISD::LoadV2, V4 or V8, as
// far as the alignment of the memory operand allows. A unit that is not aligned itself is accessed as smaller
// integers that are put together, the first one lowest. Every access gets its own memory operand. An atomic access must
// be one instruction; otherwise it is rejected. The parts of a volatile access are all volatile, as in LLVM.
//
// In memory an i1 is a byte that is 0 or 1. Other odd integers have as many bytes as they need, with zeros above.
// Vectors of i1 are bits without gaps, the first one lowest.

#include <algorithm>

#include "base/align.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "sdag/legalize/memory_access.h"

namespace ptxmir::sdag {
namespace {

constexpr unsigned kMaxVectorBytes = 16, kMaxWideVectorBytes = 32;

LowLevelType AccessType(MVT type) {
  return {.kind = LowLevelType::Kind::kScalar,
          .elements = static_cast<uint16_t>(NumElements(type)),
          .bits = ScalarSizeInBits(type)};
}

}  // namespace

SplitMemoryAccess::SplitMemoryAccess(Legalizer& legalizer, const MachineMemOperand* memoperand, SDValue chain,
                                     SDValue pointer)
    : l_(legalizer), memoperand_(memoperand), chain_(chain), pointer_(pointer) {}

bool SplitMemoryAccess::MayNotBeSplit() const { return memoperand_ != nullptr && memoperand_->is_atomic(); }

uint64_t SplitMemoryAccess::AlignmentAt(uint64_t offset, uint64_t natural) const {
  return AlignAt(memoperand_ == nullptr ? natural : uint64_t{1} << memoperand_->align_log2, offset);
}

const MachineMemOperand* SplitMemoryAccess::OperandAt(uint64_t offset, MVT type) {
  if (memoperand_ == nullptr) return nullptr;
  MachineMemOperand part = *memoperand_;
  part.has_known_size = true;
  part.type = AccessType(type);
  part.offset += static_cast<int64_t>(offset);
  part.align_log2 = static_cast<uint8_t>(std::countr_zero(AlignmentAt(offset, 1)));
  if (part.type != memoperand_->type) part.range = MachineMemOperand::kNoMetadata;
  if (part.type == memoperand_->type && offset == 0) return memoperand_;
  return l_.dag().machine_function().CreateMemOperand(part);
}

SDValue SplitMemoryAccess::PointerAt(uint64_t offset) {
  if (offset == 0) return pointer_;
  const MVT type = pointer_.type();
  SDValue base = pointer_;
  if (base.opcode() == isd::kAdd) {
    if (const auto* constant = DynCast<ConstantSDNode>(base.operand(1));
        constant != nullptr && base.operand(1).opcode() == isd::kConstant) {
      offset += constant->ZExtValue();
      base = base.operand(0);
    }
  }
  return l_.Add(LegalValue(base), l_.Constant(type, offset)).part();
}

MVT SplitMemoryAccess::RegisterOf(MVT memory) { return memory == MVT::kI8 ? MVT::kI16 : memory; }

// Returns the size of the largest group of units of one type, from `first` on, that one instruction can access. 1:
// no vector.
unsigned SplitMemoryAccess::GroupAt(absl::Span<const MVT> units, size_t first, uint64_t offset) const {
  const unsigned bytes = SizeInBytes(units[first]);
  size_t same = 1;
  while (first + same < units.size() && units[first + same] == units[first]) ++same;
  for (unsigned count : {8u, 4u, 2u}) {
    if (count > same || AlignmentAt(offset, SizeInBytes(units[first])) < uint64_t{count} * bytes) continue;
    if (count * bytes > kMaxWideVectorBytes ||
        !VectorOf(ScalarType(units[first]), count * std::max(1u, NumElements(units[first])))) {
      continue;
    }
    if (count == 8 || count * bytes > kMaxVectorBytes) {
      // 32 bytes at a time, in global memory: eight b32 or four b64.
      const bool has_wide = l_.subtarget().HasSm(100) && l_.subtarget().HasPtx(88) && memoperand_ != nullptr &&
                            memoperand_->address_space == address_space::kGlobal &&
                            count * bytes == kMaxWideVectorBytes && bytes >= 4;
      if (!has_wide) continue;
    }
    return count;
  }
  return 1;
}

bool SplitMemoryAccess::CheckOneInstruction(absl::Span<const MVT> units) {
  if (!MayNotBeSplit()) return true;
  if (GroupAt(units, 0, 0) == units.size() && AlignmentAt(0, SizeInBytes(units[0])) >= SizeInBytes(units[0]))
    return true;
  l_.Refuse("an atomic access must be one instruction, and PTX has none for this type and alignment");
  return false;
}

SDValue SplitMemoryAccess::LoadInteger(MVT type, uint64_t offset) {
  const unsigned bytes = SizeInBytes(type);
  const uint64_t alignment = AlignmentAt(offset, bytes);
  if (alignment >= bytes) return LoadUnit(type, offset);
  const MVT half = *IntegerOf(4 * bytes);
  const LegalValue low(half, LoadInteger(half, offset)), high(half, LoadInteger(half, offset + bytes / 2));
  return l_.Or(l_.ZExtOrTrunc(type, low), l_.Shift(isd::kShl, l_.AnyExtOrTrunc(type, high), 4 * bytes)).part();
}

SDValue SplitMemoryAccess::LoadUnit(MVT type, uint64_t offset) {
  const MVT in_register = RegisterOf(type);
  const SDValue load = l_.dag().GetExtLoad(in_register == type ? LoadExt::kNone : LoadExt::kZero, l_.loc(), in_register,
                                           chain_, PointerAt(offset), type, OperandAt(offset, type));
  if (!l_.CanSelect(load)) {
    if (IsVector(type)) {
      const MVT integer = *IntegerOf(SizeInBits(type));
      return l_.Node(isd::kBitcast, type, {LoadUnit(integer, offset)});
    }
    l_.Refuse("PTX has no such load");
  }
  chains_.push_back(load.Result(1));
  return load;
}

std::vector<SDValue> SplitMemoryAccess::Load(absl::Span<const MVT> units) {
  return CheckOneInstruction(units) ? LoadAt(units, 0) : std::vector<SDValue>();
}

std::vector<SDValue> SplitMemoryAccess::LoadAt(absl::Span<const MVT> units, uint64_t offset) {
  std::vector<SDValue> values;
  for (size_t i = 0; i < units.size();) {
    const MVT unit = units[i], in_register = RegisterOf(unit);
    const unsigned bytes = SizeInBytes(unit), count = GroupAt(units, i, offset);
    if (count > 1) {
      TypeList types(count, in_register);
      types.push_back(MVT::kOther);
      const MVT memory = *VectorOf(ScalarType(unit), count * std::max(1u, NumElements(unit)));
      const int16_t opcode = count == 8 ? isd::kNvLoadV8 : count == 4 ? isd::kNvLoadV4 : isd::kNvLoadV2;
      const SDValue operands[] = {chain_, PointerAt(offset)};
      const SDValue load = l_.dag().GetMemNode(opcode, l_.loc(), types, operands, memory, OperandAt(offset, memory),
                                               in_register == unit ? LoadExt::kNone : LoadExt::kZero);
      if (l_.CanSelect(load)) {
        for (unsigned k = 0; k < count; ++k) values.push_back(load.Result(k));
        chains_.push_back(load.Result(count));
        i += count;
        offset += uint64_t{bytes} * count;
        continue;
      }
      if (MayNotBeSplit()) {
        l_.Refuse("PTX has no such vector access");
        return values;
      }
    }
    if (AlignmentAt(offset, bytes) >= bytes) {
      values.push_back(LoadUnit(unit, offset));
    } else if (IsVector(unit)) {
      LegalValues lanes;
      for (const SDValue& lane : LoadAt(TypeList(NumElements(unit), ScalarType(unit)), offset)) {
        lanes.push_back({ScalarType(unit), lane});
      }
      if (l_.has_refused()) return values;
      values.push_back(l_.FromLanes(unit, lanes).part());
    } else {
      const LegalValue integer = {*IntegerOf(8 * bytes), LoadInteger(*IntegerOf(8 * bytes), offset)};
      values.push_back(l_.Bitcast(in_register, integer).part());
    }
    ++i;
    offset += bytes;
  }
  return values;
}

void SplitMemoryAccess::StoreUnit(MVT type, SDValue value, uint64_t offset) {
  const MachineMemOperand* memoperand = OperandAt(offset, type);
  const SDValue pointer = PointerAt(offset);
  const SDValue store = RegisterOf(type) == type
                            ? l_.dag().GetStore(l_.loc(), chain_, value, pointer, memoperand)
                            : l_.dag().GetTruncStore(l_.loc(), chain_, value, pointer, type, memoperand);
  if (!l_.CanSelect(store)) {
    if (IsVector(type)) {
      const MVT integer = *IntegerOf(SizeInBits(type));
      return StoreUnit(integer, l_.Node(isd::kBitcast, integer, {value}), offset);
    }
    l_.Refuse("PTX has no such store");
  }
  chains_.push_back(store);
}

void SplitMemoryAccess::StoreInteger(const LegalValue& integer, uint64_t offset) {
  const unsigned bytes = SizeInBytes(integer.type);
  if (AlignmentAt(offset, bytes) >= bytes) return StoreUnit(integer.type, integer.part(), offset);
  const MVT half = *IntegerOf(4 * bytes);
  StoreInteger(l_.ZExtOrTrunc(half, integer), offset);
  StoreInteger(l_.ZExtOrTrunc(half, l_.Shift(isd::kSrl, integer, 4 * bytes)), offset + bytes / 2);
}

void SplitMemoryAccess::Store(absl::Span<const MVT> units, absl::Span<const SDValue> values) {
  if (CheckOneInstruction(units)) StoreAt(units, values, 0);
}

void SplitMemoryAccess::StoreAt(absl::Span<const MVT> units, absl::Span<const SDValue> values, uint64_t offset) {
  for (size_t i = 0; i < units.size();) {
    const MVT unit = units[i], in_register = RegisterOf(unit);
    const unsigned bytes = SizeInBytes(unit), count = GroupAt(units, i, offset);
    if (count > 1) {
      const MVT memory = *VectorOf(ScalarType(unit), count * std::max(1u, NumElements(unit)));
      const int16_t opcode = count == 8 ? isd::kNvStoreV8 : count == 4 ? isd::kNvStoreV4 : isd::kNvStoreV2;
      std::vector<SDValue> operands = {chain_};
      operands.insert(operands.end(), values.begin() + static_cast<std::ptrdiff_t>(i),
                      values.begin() + static_cast<std::ptrdiff_t>(i + count));
      operands.push_back(PointerAt(offset));
      const MVT chain = MVT::kOther;
      const SDValue store =
          l_.dag().GetMemNode(opcode, l_.loc(), absl::MakeConstSpan(&chain, 1), operands, memory,
                              OperandAt(offset, memory), LoadExt::kNone, /*is_truncating=*/in_register != unit);
      if (l_.CanSelect(store)) {
        chains_.push_back(store);
        i += count;
        offset += uint64_t{bytes} * count;
        continue;
      }
      if (MayNotBeSplit()) return l_.Refuse("PTX has no such vector access");
    }
    if (AlignmentAt(offset, bytes) >= bytes) {
      StoreUnit(unit, values[i], offset);
    } else if (IsVector(unit)) {
      std::vector<SDValue> lanes;
      for (unsigned k = 0; k < NumElements(unit); ++k) lanes.push_back(l_.Lane(LegalValue(values[i]), k).part());
      StoreAt(TypeList(NumElements(unit), ScalarType(unit)), lanes, offset);
    } else {
      StoreInteger(l_.Bitcast(*IntegerOf(8 * bytes), LegalValue(unit, values[i])), offset);
    }
    ++i;
    offset += bytes;
  }
}

SDValue SplitMemoryAccess::Chain() { return chains_.empty() ? chain_ : l_.dag().GetTokenFactor(l_.loc(), chains_); }

namespace {

// Returns the units of a type in memory, each with the type of the registers that hold it.
TypeList UnitsOf(Legalizer& l, MVT type) {
  TypeList units;
  for (const MVT part : l.PartTypes(type)) {
    units.push_back(ScalarType(type) == MVT::kI8 && part == MVT::kI16 ? MVT::kI8 : part);
  }
  return units;
}

// Loads an integer of any number of bits. The bits above it are zero or undefined.
LegalValue LoadOddInteger(Legalizer& l, SplitMemoryAccess& access, unsigned bits, MVT type) {
  // Bytes, the largest powers of two first.
  TypeList units;
  for (unsigned bytes = (bits + 7) / 8, unit = 8; bytes != 0; unit /= 2) {
    for (; bytes >= unit; bytes -= unit) units.push_back(*IntegerOf(8 * unit));
  }
  const std::vector<SDValue> values = access.Load(units);
  if (l.has_refused()) return l.Undef(type);
  LegalValue all = l.Constant(type, 0);
  unsigned position = 0;
  for (size_t i = 0; i < units.size(); ++i) {
    const LegalValue part = l.ZExtOrTrunc(type, {units[i], values[i]});
    all = i == 0 ? part : l.Or(all, l.Shift(isd::kShl, part, position));
    position += SizeInBits(units[i]);
  }
  return all;
}

void StoreOddInteger(Legalizer& l, SplitMemoryAccess& access, unsigned bits, const LegalValue& value) {
  LegalValue masked = value;
  if (bits < SizeInBits(value.type)) {
    masked = l.And(value, l.Constant(value.type, (absl::uint128(1) << bits) - 1));
  }
  TypeList units;
  std::vector<SDValue> values;
  unsigned position = 0;
  for (unsigned bytes = (bits + 7) / 8, unit = 8; bytes != 0; unit /= 2) {
    for (; bytes >= unit; bytes -= unit) {
      units.push_back(*IntegerOf(8 * unit));
      values.push_back(l.ZExtOrTrunc(units.back(), l.Shift(isd::kSrl, masked, position)).part());
      position += 8 * unit;
    }
  }
  if (!l.has_refused()) access.Store(units, values);
}

// Returns the smallest integer type of at least this many bits that fits a register or is i128, or nullopt if there
// is none.
std::optional<MVT> IntegerAtLeast(unsigned bits) {
  for (const unsigned width : {16u, 32u, 64u, 128u}) {
    if (bits <= width) return IntegerOf(width);
  }
  return std::nullopt;
}

// Loads a value of a type that memory can hold.
LegalValue LoadValue(Legalizer& l, SplitMemoryAccess& access, MVT type) {
  if (ScalarType(type) == MVT::kI1) {
    const unsigned bits = SizeInBits(type);
    const LegalValue integer = LoadOddInteger(l, access, bits, *IntegerAtLeast(bits));
    if (!IsVector(type)) return l.ZExtOrTrunc(type, integer);
    LegalValues lanes;
    for (unsigned i = 0; i < bits; ++i) lanes.push_back(l.ZExtOrTrunc(MVT::kI1, l.Shift(isd::kSrl, integer, i)));
    return l.has_refused() ? l.Undef(type) : l.FromLanes(type, lanes);
  }
  const std::vector<SDValue> values = access.Load(UnitsOf(l, type));
  return l.has_refused() ? l.Undef(type) : LegalValue(type, values);
}

void StoreValue(Legalizer& l, SplitMemoryAccess& access, const LegalValue& value) {
  if (ScalarType(value.type) == MVT::kI1) {
    const unsigned bits = SizeInBits(value.type);
    const MVT type = *IntegerAtLeast(bits);
    LegalValue all = l.ZExtOrTrunc(type, l.Lane(value, 0));
    for (unsigned i = 1; i < bits; ++i) {
      all = l.Or(all, l.Shift(isd::kShl, l.ZExtOrTrunc(type, l.Lane(value, i)), i));
    }
    return StoreOddInteger(l, access, bits, all);
  }
  access.Store(UnitsOf(l, value.type), value.parts);
}

bool HasOffset(const SDNode& node, unsigned operand) {
  const SDValue offset = node.operand(operand);
  return offset && offset.opcode() != isd::kUndef && offset.opcode() != isd::kPoison;
}

// Returns the extension that a load does. For kAny, zeros are as good as anything.
int16_t ExtensionOf(LoadExt ext) { return ext == LoadExt::kSign ? isd::kSignExtend : isd::kZeroExtend; }

// Legalizes a load.
void VisitLoad(Legalizer& l, SDNode& node) {
  const auto& load = AsMemSDNode(node);
  if (HasOffset(node, 2)) return l.Refuse("PTX has no indexed accesses");
  const EVT memory = load.memory_type();
  const MVT type = node.value_type(0);
  const LegalValue pointer = l.ValueOf(node.operand(1));
  if (l.has_refused()) return;
  SplitMemoryAccess access(l, load.memoperand(), l.TokenOf(node.operand(0)), pointer.part());
  LegalValue value;
  if (memory.is_simple()) {
    value = LoadValue(l, access, memory.simple());
    if (memory.simple() != type) {
      if (IsFloatingPoint(type)) {
        value = l.Op(isd::kFPExtend, type, {value});
      } else if (SizeInBits(memory.simple()) > SizeInBits(type) || NumElements(memory.simple()) != NumElements(type)) {
        return l.Refuse("the type in memory is wider than the result");
      } else {
        value = l.Op(ExtensionOf(load.ext()), type, {value});
      }
    }
  } else {
    const std::optional<MVT> working = IntegerAtLeast(memory.SizeInBits());
    if (!working.has_value() || IsVector(type)) return l.Refuse("an integer of more than 128 bits");
    value = LoadOddInteger(l, access, memory.SizeInBits(), *working);
    if (load.ext() == LoadExt::kSign) {
      value = l.Op(isd::kSignExtendInReg, *working, {value}, 0, l.dag().GetValueType(memory));
    } else if (load.ext() == LoadExt::kZero) {
      value = l.And(value, l.Constant(*working, (absl::uint128(1) << memory.SizeInBits()) - 1));
    }
    value = l.Resize(ExtensionOf(load.ext()), type, value);
  }
  l.SetResult(0, value);
  l.SetToken(1, access.Chain());
}

void VisitStore(Legalizer& l, SDNode& node) {
  const auto& store = AsMemSDNode(node);
  if (HasOffset(node, 3)) return l.Refuse("PTX has no indexed accesses");
  const EVT memory = store.memory_type();
  LegalValue value = l.ValueOf(node.operand(1));
  const LegalValue pointer = l.ValueOf(node.operand(2));
  if (l.has_refused()) return;
  SplitMemoryAccess access(l, store.memoperand(), l.TokenOf(node.operand(0)), pointer.part());
  if (!memory.is_simple()) {
    if (IsVector(value.type) || memory.SizeInBits() > SizeInBits(value.type)) {
      return l.Refuse("the type in memory is wider than the value");
    }
    StoreOddInteger(l, access, memory.SizeInBits(), value);
  } else {
    const MVT type = memory.simple();
    if (type != value.type) {
      if (NumElements(type) != NumElements(value.type) || SizeInBits(type) > SizeInBits(value.type)) {
        return l.Refuse("the type in memory is wider than the value");
      }
      value = IsFloatingPoint(type) ? l.Op(isd::kFPRound, type, {value}, 0, l.dag().GetTargetConstant(0, MVT::kI64))
                                    : l.Op(isd::kTruncate, type, {value});
    }
    StoreValue(l, access, value);
  }
  l.SetToken(0, access.Chain());
}

constexpr LegalizeRow kMemoryLegalizeRows[] = {
    {.opcode = isd::kLoad, .visit = VisitLoad},
    {.opcode = isd::kStore, .visit = VisitStore},
};

}  // namespace

absl::Span<const LegalizeRow> MemoryRows() { return kMemoryLegalizeRows; }

}  // namespace ptxmir::sdag
