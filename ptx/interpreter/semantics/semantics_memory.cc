// SPDX-License-Identifier: Apache-2.0

// Loads, stores, atomics and hints about memory.
//
// An instruction of a warp accesses memory lane by lane, in ascending order. If lanes store to the same place, the
// last one wins. Atomics are atomic because nothing else runs meanwhile.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/str_cat.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/semantics_table.h"
#include "ptx/interpreter/values/float_arithmetic.h"

namespace ptxmir::ptx {
namespace {

bool IsStrong(const Mnemonic& mnemonic) {
  for (const std::string_view part : {"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"}) {
    if (mnemonic.Has(part)) return true;
  }
  return false;
}

unsigned VectorSize(const Mnemonic& mnemonic) {
  return mnemonic.Has("v8") ? 8 : mnemonic.Has("v4") ? 4 : mnemonic.Has("v2") ? 2 : 1;
}

// The parameters of loads and stores.
struct Access {
  MemorySpace space;
  unsigned size;   // bytes of an element
  unsigned count;  // elements
  AccessKind kind;
  bool is_signed;
};
Access AccessOf(const DecodedInstr& instr) {
  return {static_cast<MemorySpace>(instr.params.a), instr.params.b & 0xff, instr.params.b >> 8,
          static_cast<AccessKind>(instr.params.c), instr.params.d != 0};
}

bool SetAccess(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  const ScalarType type = ParseScalarType(mnemonic.Last());
  if (!type.is_valid() || type.bits < 8) return false;
  const unsigned bits = type.bits * type.elements;
  // A b128 is two elements of 64 bits.
  const unsigned size = std::min(bits / 8, 8u);
  const unsigned count = VectorSize(mnemonic) * (bits / 8 / size);
  semantics->params.a = static_cast<uint32_t>(SpaceOf(mnemonic));
  semantics->params.b = size | count << 8;
  semantics->params.c = static_cast<uint32_t>(IsStrong(mnemonic) ? AccessKind::kStrong : AccessKind::kPlain);
  semantics->params.d = type.kind == ScalarType::Kind::kSigned ? 1 : 0;
  return true;
}

constexpr unsigned kMaxBytes = 64;

// Returns the alignment that the memory operand of the instruction states, if that is to be checked, or else 1.
uint64_t StatedAlignment(const Warp& warp, const DecodedInstr& instr) {
  return warp.grid().config().check_stated_alignments ? uint64_t{1} << instr.stated_align_log2 : 1;
}

// Checks that the address is aligned to the size of the whole vector, and as is stated.
bool CheckAlignment(Warp& warp, const DecodedInstr& instr, const Access& access, uint64_t address, unsigned lane) {
  const unsigned total = access.size * access.count;
  const uint64_t stated = StatedAlignment(warp, instr);
  if (address % total == 0 && address % stated == 0) return true;
  const bool is_natural = address % total == 0;
  warp.Fail(instr, FaultKind::kMisaligned, lane,
            is_natural ? StrCat("the address is not aligned to ", stated, " bytes, as is stated")
                       : StrCat("a vector of ", total, " bytes is not aligned to its size"));
  return false;
}

uint64_t SignExtend(uint64_t value, unsigned bits) {
  const unsigned shift = 64 - bits;
  return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

// Loads an element: `Memory` is its type in memory, `Row` that of the register. Row is not narrower unless the value
// is truncated.
template <typename Memory, typename Row>
void LoadElements(const Warp::LanePointers& from, unsigned offset, LaneMask active, uint8_t* row) {
  for (const unsigned lane : Lanes(active)) {
    Memory value;
    std::memcpy(&value, from.data[lane] + offset, sizeof value);
    reinterpret_cast<Row*>(row)[lane] = static_cast<Row>(value);
  }
}
template <typename Memory, typename Row>
void StoreElements(const Warp::LanePointers& to, unsigned offset, LaneMask active, const uint8_t* row) {
  for (const unsigned lane : Lanes(active)) {
    const Memory value = static_cast<Memory>(reinterpret_cast<const Row*>(row)[lane]);
    std::memcpy(to.data[lane] + offset, &value, sizeof value);
  }
}

using ElementLoader = void (*)(const Warp::LanePointers& from, unsigned offset, LaneMask active, uint8_t* row);
using ElementStorer = void (*)(const Warp::LanePointers& to, unsigned offset, LaneMask active, const uint8_t* row);

template <typename Memory>
ElementLoader FindLoader(unsigned row_bits) {
  switch (row_bits) {
    case 16:
      return &LoadElements<Memory, uint16_t>;
    case 32:
      return &LoadElements<Memory, uint32_t>;
    case 64:
      return &LoadElements<Memory, uint64_t>;
    default:
      return nullptr;
  }
}
ElementLoader FindLoader(unsigned size, bool is_signed, unsigned row_bits) {
  switch (size) {
    case 1:
      return is_signed ? FindLoader<int8_t>(row_bits) : FindLoader<uint8_t>(row_bits);
    case 2:
      return is_signed ? FindLoader<int16_t>(row_bits) : FindLoader<uint16_t>(row_bits);
    case 4:
      return is_signed ? FindLoader<int32_t>(row_bits) : FindLoader<uint32_t>(row_bits);
    default:
      return FindLoader<uint64_t>(row_bits);
  }
}
template <typename Memory>
ElementStorer FindStorer(unsigned row_bits) {
  switch (row_bits) {
    case 16:
      return &StoreElements<Memory, uint16_t>;
    case 32:
      return &StoreElements<Memory, uint32_t>;
    case 64:
      return &StoreElements<Memory, uint64_t>;
    default:
      return nullptr;
  }
}
ElementStorer FindStorer(unsigned size, unsigned row_bits) {
  switch (size) {
    case 1:
      return FindStorer<uint8_t>(row_bits);
    case 2:
      return FindStorer<uint16_t>(row_bits);
    case 4:
      return FindStorer<uint32_t>(row_bits);
    default:
      return FindStorer<uint64_t>(row_bits);
  }
}

constexpr unsigned kMaxElements = 16;

// Loads for all lanes at once, the common case. Returns false if each lane must be handled separately.
bool LoadTogether(Warp& warp, const DecodedInstr& instr, const Access& access) {
  if (access.kind != AccessKind::kPlain || access.count > kMaxElements) return false;
  const unsigned total = access.size * access.count;
  struct Target {
    ElementLoader load;
    uint8_t* row;
  };
  std::array<Target, kMaxElements> targets;
  for (unsigned i = 0; i < access.count; ++i) {
    unsigned bits = 0;
    uint8_t* const row = warp.Row(instr, i, &bits);
    const ElementLoader load = row == nullptr ? nullptr : FindLoader(access.size, access.is_signed, bits);
    if (load == nullptr) return false;
    targets[i] = {load, row};
  }
  Warp::LanePointers from;
  // An alignment that is stated beyond the size is checked lane by lane.
  if (uint64_t{1} << instr.stated_align_log2 > total && StatedAlignment(warp, instr) > total) return false;
  if (!warp.FindLanes(instr, access.count, access.space, total, std::min(total, 16u), /*is_write=*/false, &from)) {
    return false;
  }
  for (unsigned i = 0; i < access.count; ++i) {
    targets[i].load(from, i * access.size, warp.active(), targets[i].row);
    warp.SetRowDefined(instr, i);
  }
  return true;
}

bool StoreTogether(Warp& warp, const DecodedInstr& instr, const Access& access) {
  if (access.kind != AccessKind::kPlain || access.count > kMaxElements) return false;
  const unsigned total = access.size * access.count;
  struct Source {
    ElementStorer store;
    const uint8_t* row;
  };
  std::array<Source, kMaxElements> sources;
  for (unsigned i = 0; i < access.count; ++i) {
    unsigned bits = 0;
    const uint8_t* const row = warp.DefinedRow(instr, 1 + i, &bits);
    const ElementStorer store = row == nullptr ? nullptr : FindStorer(access.size, bits);
    if (store == nullptr) return false;
    sources[i] = {store, row};
  }
  Warp::LanePointers to;
  if (uint64_t{1} << instr.stated_align_log2 > total && StatedAlignment(warp, instr) > total) return false;
  if (!warp.FindLanes(instr, 0, access.space, total, std::min(total, 16u), /*is_write=*/true, &to)) return false;
  for (unsigned i = 0; i < access.count; ++i) {
    sources[i].store(to, i * access.size, warp.active(), sources[i].row);
  }
  if (to.has_shadow) {
    for (const unsigned lane : Lanes(warp.active())) std::memset(to.shadow[lane], to.defined, total);
  }
  return true;
}

StepResult Load(Warp& warp, const DecodedInstr& instr) {
  const Access access = AccessOf(instr);
  if (LoadTogether(warp, instr, access)) return StepResult::kNext;
  const unsigned total = access.size * access.count;
  const unsigned chunk = std::min(total, 16u);
  uint8_t data[kMaxBytes];
  uint8_t undefined[kMaxBytes];
  for (const unsigned lane : Lanes(warp.active())) {
    uint64_t address = 0;
    if (!warp.ReadAddress(instr, access.count, lane, &address) || !CheckAlignment(warp, instr, access, address, lane)) {
      return StepResult::kFault;
    }
    for (unsigned at = 0; at < total; at += chunk) {
      if (!warp.Load(instr, access.space, address + at, chunk, lane, access.kind, data + at, undefined + at)) {
        return StepResult::kFault;
      }
    }
    for (unsigned i = 0; i < access.count; ++i) {
      LaneValue value;
      std::memcpy(&value.value, data + i * access.size, access.size);
      std::memcpy(&value.undefined, undefined + i * access.size, access.size);
      if (access.is_signed) {
        value.value = SignExtend(value.value, access.size * 8);
        value.undefined = SignExtend(value.undefined, access.size * 8);
      }
      warp.Write(instr, i, lane, value);
      if (value.undefined != 0) [[unlikely]] {
        warp.SetOrigin(instr, i, warp.NewOrigin(instr, "it was loaded from memory that has not been written"));
      }
    }
  }
  return StepResult::kNext;
}

// Operands: the address, then the values.
bool StoreLane(Warp& warp, const DecodedInstr& instr, const Access& access, unsigned lane) {
  const unsigned total = access.size * access.count;
  const unsigned chunk = std::min(total, 16u);
  uint8_t data[kMaxBytes];
  uint8_t undefined[kMaxBytes];
  uint64_t address = 0;
  if (!warp.ReadAddress(instr, 0, lane, &address) || !CheckAlignment(warp, instr, access, address, lane)) return false;
  for (unsigned i = 0; i < access.count; ++i) {
    const LaneValue value = warp.Read(instr, 1 + i, lane);
    std::memcpy(data + i * access.size, &value.value, access.size);
    std::memcpy(undefined + i * access.size, &value.undefined, access.size);
  }
  for (unsigned at = 0; at < total; at += chunk) {
    if (!warp.Store(instr, access.space, address + at, chunk, lane, access.kind, data + at, undefined + at)) {
      return false;
    }
  }
  return true;
}

StepResult Store(Warp& warp, const DecodedInstr& instr) {
  const Access access = AccessOf(instr);
  if (StoreTogether(warp, instr, access)) return StepResult::kNext;
  return warp.InWriteOrder([&](unsigned lane) { return StoreLane(warp, instr, access, lane); });
}

bool ResolveLoad(const Statement& statement, Semantics* semantics) {
  semantics->warp = Load;
  semantics->category = InstrCategory::kLoad;
  return SetAccess(statement, semantics);
}

bool ResolveStore(const Statement& statement, Semantics* semantics) {
  if (statement.mnemonic.Has("bulk") || statement.mnemonic.Has("async")) return false;
  semantics->warp = Store;
  semantics->category = InstrCategory::kStore;
  return SetAccess(statement, semantics);
}

// st.bulk [a], size, 0
StepResult StoreBulk(Warp& warp, const DecodedInstr& instr) {
  for (const unsigned lane : Lanes(warp.active())) {
    uint64_t address = 0, size = 0;
    if (!warp.ReadAddress(instr, 0, lane, &address) || !warp.ReadDefined(instr, 1, lane, &size)) {
      return StepResult::kFault;
    }
    const uint64_t zeros = 0;
    for (uint64_t at = 0; at < size; at += 8) {
      if (!warp.Store(instr, static_cast<MemorySpace>(instr.params.a), address + at, 8, lane, AccessKind::kPlain,
                      reinterpret_cast<const uint8_t*>(&zeros), nullptr)) {
        return StepResult::kFault;
      }
    }
  }
  return StepResult::kNext;
}

bool ResolveStoreBulk(const Statement& statement, Semantics* semantics) {
  if (!statement.mnemonic.Has("bulk")) return false;
  semantics->warp = StoreBulk;
  semantics->category = InstrCategory::kStore;
  const MemorySpace space = SpaceOf(statement.mnemonic);
  semantics->params.a = static_cast<uint32_t>(space);
  return true;
}

// ---- Atomics.

enum class AtomicOp : uint8_t {
  kAdd,
  kAnd,
  kOr,
  kXor,
  kExchange,
  kIncrement,
  kDecrement,
  kMin,
  kMax,
  kCompareExchange
};

struct AtomicForm {
  AtomicOp op;
  ScalarType::Kind kind;
  uint8_t bits;      // bits of an element of a packed type
  uint8_t elements;  // elements of a packed type
  uint8_t count;     // elements of a vector
  bool flushes;      // whether subnormal numbers become zero
  MemorySpace space;
};

uint32_t Pack(const AtomicForm& form) {
  return static_cast<uint32_t>(form.op) | static_cast<uint32_t>(form.kind) << 4 | uint32_t{form.bits} << 8 |
         uint32_t{form.elements} << 16 | uint32_t{form.count} << 20 | uint32_t{form.flushes} << 28;
}
AtomicForm Unpack(const DecodedInstr& instr) {
  const uint32_t bits = instr.params.a;
  return {static_cast<AtomicOp>(bits & 15),        static_cast<ScalarType::Kind>(bits >> 4 & 15),
          static_cast<uint8_t>(bits >> 8),         static_cast<uint8_t>(bits >> 16 & 15),
          static_cast<uint8_t>(bits >> 20 & 15),   (bits >> 28 & 1) != 0,
          static_cast<MemorySpace>(instr.params.b)};
}

float Flush(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

uint64_t AddFloat(const AtomicForm& form, uint64_t a, uint64_t b) {
  if (form.bits == 64) {
    return std::bit_cast<uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
  }
  if (form.bits == 32) {
    float x = std::bit_cast<float>(static_cast<uint32_t>(a));
    float y = std::bit_cast<float>(static_cast<uint32_t>(b));
    if (form.flushes) x = Flush(x), y = Flush(y);
    const float sum = form.flushes ? Flush(x + y) : x + y;
    return std::isnan(sum) ? 0x7fffffffu : std::bit_cast<uint32_t>(sum);
  }
  // Double precision has more than twice the digits, so rounding twice gives the same result as rounding once.
  const FloatFormat& format = form.kind == ScalarType::Kind::kBFloat ? kBFloatFormat : kHalfFormat;
  return EncodeFloat(format,
                     DecodeFloat(format, static_cast<uint32_t>(a)) + DecodeFloat(format, static_cast<uint32_t>(b)));
}

uint64_t MinMaxFloat(const AtomicForm& form, uint64_t a, uint64_t b) {
  const FloatFormat& format = form.kind == ScalarType::Kind::kBFloat ? kBFloatFormat : kHalfFormat;
  const auto value = [&](uint64_t bits) -> double {
    if (form.bits == 64) return std::bit_cast<double>(bits);
    if (form.bits == 32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
    return DecodeFloat(format, static_cast<uint32_t>(bits));
  };
  const double x = value(a), y = value(b);
  if (std::isnan(x)) return b;
  if (std::isnan(y)) return a;
  const bool a_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
  return (form.op == AtomicOp::kMin) == a_less ? a : b;
}

uint64_t Combine(const AtomicForm& form, uint64_t old, uint64_t value) {
  const uint64_t mask = form.bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << form.bits) - 1;
  const bool is_float = form.kind == ScalarType::Kind::kFloat || form.kind == ScalarType::Kind::kBFloat;
  switch (form.op) {
    case AtomicOp::kAdd:
      return is_float ? AddFloat(form, old, value) : (old + value) & mask;
    case AtomicOp::kAnd:
      return old & value;
    case AtomicOp::kOr:
      return old | value;
    case AtomicOp::kXor:
      return old ^ value;
    case AtomicOp::kExchange:
      return value;
    case AtomicOp::kIncrement:
      return old >= value ? 0 : old + 1;
    case AtomicOp::kDecrement:
      return old == 0 || old > value ? value : old - 1;
    case AtomicOp::kMin:
    case AtomicOp::kMax: {
      if (is_float) return MinMaxFloat(form, old, value);
      const bool less = form.kind == ScalarType::Kind::kSigned ? static_cast<int64_t>(SignExtend(old, form.bits)) <
                                                                     static_cast<int64_t>(SignExtend(value, form.bits))
                                                               : old < value;
      return (form.op == AtomicOp::kMin) == less ? old : value;
    }
    case AtomicOp::kCompareExchange:
      return old;
  }
  return old;
}

// Combines the elements of a packed type.
uint64_t CombinePacked(const AtomicForm& form, uint64_t old, uint64_t value) {
  if (form.elements == 1) return Combine(form, old, value);
  uint64_t result = 0;
  const uint64_t mask = (uint64_t{1} << form.bits) - 1;
  for (unsigned i = 0; i < form.elements; ++i) {
    const unsigned shift = i * form.bits;
    result |= (Combine(form, old >> shift & mask, value >> shift & mask) & mask) << shift;
  }
  return result;
}

// Returns true if subnormal numbers are flushed. That depends on where a generic address leads: add.f32 flushes them
// in global memory but not in shared memory (PTX ISA, "atom").
bool Flushes(const AtomicForm& form, uint64_t address) {
  uint64_t offset = 0;
  return form.flushes &&
         (form.space != MemorySpace::kGeneric || SpaceOfGeneric(address, &offset) == MemorySpace::kGlobal);
}

// Performs one element of one lane. `compare` is for compare-and-swap. Sets `changes` if the memory changes.
bool AtomicElement(Warp& warp, const DecodedInstr& instr, AtomicForm form, uint64_t address, unsigned lane,
                   LaneValue compare, LaneValue value, LaneValue* old, bool* changes) {
  const unsigned size = form.bits * form.elements / 8u;
  const uint64_t mask = size >= 8 ? ~uint64_t{0} : (uint64_t{1} << size * 8) - 1;
  form.flushes = Flushes(form, address);
  *old = {};
  if (!warp.Load(instr, form.space, address, size, lane, AccessKind::kAtomic, reinterpret_cast<uint8_t*>(&old->value),
                 reinterpret_cast<uint8_t*>(&old->undefined))) {
    return false;
  }
  LaneValue result;
  if (form.op == AtomicOp::kExchange) {
    result = value;
  } else {
    if (((old->undefined | value.undefined | compare.undefined) & mask) != 0) {
      warp.Fail(instr, FaultKind::kUndefinedOperand, lane,
                old->undefined != 0 ? "an atomic operation on memory that has not been written"
                                    : "an operand of an atomic operation is undefined",
                warp.DescribeFirstOrigin(instr));
      return false;
    }
    if (form.op == AtomicOp::kCompareExchange) {
      result.value = ((old->value ^ compare.value) & mask) == 0 ? value.value : old->value;
    } else {
      result.value = CombinePacked(form, old->value, value.value & mask);
    }
  }
  *changes |= ((result.value ^ old->value) & mask) != 0;
  return warp.Store(instr, form.space, address, size, lane, AccessKind::kAtomic,
                    reinterpret_cast<const uint8_t*>(&result.value),
                    reinterpret_cast<const uint8_t*>(&result.undefined));
}

// Operands: results (of atom), the address, the comparison value (of cas), the values.
StepResult Atomic(Warp& warp, const DecodedInstr& instr) {
  const AtomicForm form = Unpack(instr);
  const unsigned address_operand = instr.num_results;
  const bool is_cas = form.op == AtomicOp::kCompareExchange;
  const unsigned size = form.bits * form.elements / 8u;
  bool changes = false;
  for (const unsigned lane : Lanes(warp.active())) {
    uint64_t address = 0;
    if (!warp.ReadAddress(instr, address_operand, lane, &address)) return StepResult::kFault;
    for (unsigned i = 0; i < form.count; ++i) {
      const unsigned value_operand = address_operand + 1 + i + (is_cas ? form.count : 0);
      const LaneValue compare = is_cas ? warp.Read(instr, address_operand + 1 + i, lane) : LaneValue{};
      LaneValue old;
      if (!AtomicElement(warp, instr, form, address + i * size, lane, compare, warp.Read(instr, value_operand, lane),
                         &old, &changes)) {
        return StepResult::kFault;
      }
      if (i < instr.num_results) warp.Write(instr, i, lane, old);
    }
  }
  // A lock that is taken: the loop around this ends once another warp has run.
  const bool takes_lock = (is_cas || form.op == AtomicOp::kExchange) && instr.num_results != 0;
  if (changes || !takes_lock) return StepResult::kNext;
  warp.GiveWay();
  return StepResult::kJumped;
}

// 128 bits: exchange and compare-and-swap. Operands are low and high halves.
StepResult Atomic128(Warp& warp, const DecodedInstr& instr) {
  const AtomicForm form = Unpack(instr);
  const unsigned first = instr.num_results;
  const bool is_cas = form.op == AtomicOp::kCompareExchange;
  for (const unsigned lane : Lanes(warp.active())) {
    uint64_t address = 0;
    if (!warp.ReadAddress(instr, first, lane, &address)) return StepResult::kFault;
    uint64_t old[2], undefined[2], operands[4] = {};
    if (!warp.Load(instr, form.space, address, 16, lane, AccessKind::kAtomic, reinterpret_cast<uint8_t*>(old),
                   reinterpret_cast<uint8_t*>(undefined))) {
      return StepResult::kFault;
    }
    for (unsigned i = 0; i < (is_cas ? 4u : 2u); ++i) {
      if (!warp.ReadDefined(instr, first + 1 + i, lane, &operands[i])) return StepResult::kFault;
    }
    if (is_cas && (undefined[0] | undefined[1]) != 0) {
      return warp.Fail(instr, FaultKind::kUndefinedOperand, lane,
                       "an atomic operation on memory that has not been written");
    }
    const uint64_t* value = is_cas ? operands + 2 : operands;
    const bool stores = !is_cas || (old[0] == operands[0] && old[1] == operands[1]);
    if (stores && !warp.Store(instr, form.space, address, 16, lane, AccessKind::kAtomic,
                              reinterpret_cast<const uint8_t*>(value), nullptr)) {
      return StepResult::kFault;
    }
    for (unsigned i = 0; i < instr.num_results && i < 2; ++i) warp.Write(instr, i, lane, {old[i], undefined[i]});
  }
  return StepResult::kNext;
}

struct AtomicName {
  std::string_view name;
  AtomicOp op;
};
constexpr AtomicName kAtomicNames[] = {
    {"add", AtomicOp::kAdd},       {"and", AtomicOp::kAnd},
    {"or", AtomicOp::kOr},         {"xor", AtomicOp::kXor},
    {"exch", AtomicOp::kExchange}, {"inc", AtomicOp::kIncrement},
    {"dec", AtomicOp::kDecrement}, {"min", AtomicOp::kMin},
    {"max", AtomicOp::kMax},       {"cas", AtomicOp::kCompareExchange},
};

bool ResolveAtomic(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  if (mnemonic.Has("async")) return false;
  // The type may precede the vector size: .v2.f32, .f32.v2 ("vec_32_bit").
  ScalarType type;
  for (const std::string_view part : mnemonic.parts()) {
    if (const ScalarType parsed = ParseScalarType(part); parsed.is_valid()) type = parsed;
  }
  const auto name = std::find_if(std::begin(kAtomicNames), std::end(kAtomicNames),
                                 [&](const AtomicName& entry) { return mnemonic.Has(entry.name); });
  if (name == std::end(kAtomicNames) || !type.is_valid() || type.bits < 16) return false;
  const MemorySpace space = SpaceOf(mnemonic);
  const bool may_be_global = space == MemorySpace::kGeneric || space == MemorySpace::kGlobal;
  AtomicForm form = {.op = name->op,
                     .kind = type.kind,
                     .bits = type.bits,
                     .elements = type.elements,
                     .count = static_cast<uint8_t>(VectorSize(mnemonic)),
                     .flushes = may_be_global && type.kind == ScalarType::Kind::kFloat && type.bits == 32 &&
                                name->op == AtomicOp::kAdd,
                     .space = space};
  semantics->category = InstrCategory::kAtomic;
  semantics->params.a = Pack(form);
  semantics->params.b = static_cast<uint32_t>(space);
  semantics->warp = type.bits == 128 ? Atomic128 : Atomic;
  return type.bits != 128 || form.op == AtomicOp::kExchange || form.op == AtomicOp::kCompareExchange;
}

// ---- Hints. They change nothing, and their addresses need not be accessible.

// createpolicy produces a value that only other hints use.
StepResult Hint(Warp& warp, const DecodedInstr& instr) {
  for (unsigned i = 0; i < instr.num_results; ++i) {
    ForEachLane(warp.active(), [&](unsigned lane) { warp.Write(instr, i, lane, {}); });
  }
  return StepResult::kNext;
}

bool ResolveHint(const Statement&, Semantics* semantics) {
  semantics->warp = Hint;
  semantics->category = InstrCategory::kOther;
  return true;
}

// ---- Addresses of the windows.

StepResult ToGeneric(Warp& warp, const DecodedInstr& instr) {
  const auto space = static_cast<MemorySpace>(instr.params.a);
  ForEachLane(warp.active(), [&](unsigned lane) {
    LaneValue value = warp.Read(instr, 1, lane);
    value.value = warp.ToGeneric(space, value.value);
    warp.Write(instr, 0, lane, value);
    if (value.undefined != 0) warp.PropagateOrigin(instr, 1, 0);
  });
  return StepResult::kNext;
}

StepResult FromGeneric(Warp& warp, const DecodedInstr& instr) {
  const auto space = static_cast<MemorySpace>(instr.params.a);
  ForEachLane(warp.active(), [&](unsigned lane) {
    LaneValue value = warp.Read(instr, 1, lane);
    value.value = warp.FromGeneric(space, value.value);
    warp.Write(instr, 0, lane, value);
    if (value.undefined != 0) warp.PropagateOrigin(instr, 1, 0);
  });
  return StepResult::kNext;
}

bool ResolveCvta(const Statement& statement, Semantics* semantics) {
  const MemorySpace space = SpaceOf(statement.mnemonic);
  semantics->params.a = static_cast<uint32_t>(space);
  semantics->warp = statement.mnemonic.Has("to") ? FromGeneric : ToGeneric;
  semantics->category = InstrCategory::kMove;
  return space != MemorySpace::kGeneric;
}

StepResult IsSpace(Warp& warp, const DecodedInstr& instr) {
  const auto wanted = static_cast<MemorySpace>(instr.params.a);
  for (const unsigned lane : Lanes(warp.active())) {
    const LaneValue value = warp.Read(instr, 1, lane);
    uint64_t offset = 0;
    MemorySpace space = SpaceOfGeneric(value.value, &offset);
    // In the shared memory of a cluster, the CTA's own part is shared::cta.
    if (space == MemorySpace::kSharedCluster && wanted == MemorySpace::kShared && warp.IsOwnShared(offset)) {
      space = MemorySpace::kShared;
    }
    warp.Write(instr, 0, lane, {space == wanted, value.undefined != 0});
    if (value.undefined != 0) warp.PropagateOrigin(instr, 1, 0);
  }
  return StepResult::kNext;
}

bool ResolveIsSpace(const Statement& statement, Semantics* semantics) {
  semantics->params.a = static_cast<uint32_t>(SpaceOf(statement.mnemonic));
  semantics->warp = IsSpace;
  semantics->category = InstrCategory::kCompare;
  return true;
}

// mapa d, a, rank: the address of the same variable in another CTA of the cluster.
StepResult MapAddress(Warp& warp, const DecodedInstr& instr) {
  const bool is_generic = instr.params.a == static_cast<uint32_t>(MemorySpace::kGeneric);
  for (const unsigned lane : Lanes(warp.active())) {
    const LaneValue value = warp.Read(instr, 1, lane);
    uint64_t rank = 0;
    if (!warp.ReadDefined(instr, 2, lane, &rank)) return StepResult::kFault;
    const uint64_t base = is_generic ? kSharedWindow : 0;
    const uint64_t address = base + (static_cast<uint32_t>(rank) + 1) * kSharedStride + value.value % kSharedStride;
    warp.Write(instr, 0, lane, {address, value.undefined});
    if (value.undefined != 0) warp.PropagateOrigin(instr, 1, 0);
  }
  return StepResult::kNext;
}

StepResult RankOfAddress(Warp& warp, const DecodedInstr& instr) {
  for (const unsigned lane : Lanes(warp.active())) {
    const LaneValue value = warp.Read(instr, 1, lane);
    const uint64_t generic = warp.ToGeneric(MemorySpace::kShared, value.value);
    warp.Write(instr, 0, lane,
               {(generic - kSharedWindow) / kSharedStride - 1, value.undefined != 0 ? ~uint64_t{0} : 0});
    if (value.undefined != 0) warp.PropagateOrigin(instr, 1, 0);
  }
  return StepResult::kNext;
}

bool ResolveMapAddress(const Statement& statement, Semantics* semantics) {
  semantics->params.a = static_cast<uint32_t>(SpaceOf(statement.mnemonic));
  semantics->warp = statement.mnemonic.base() == "mapa" ? MapAddress : RankOfAddress;
  semantics->category = InstrCategory::kInteger;
  return true;
}

// ---- The stack: alloca d, size, align; stacksave d; stackrestore a.

StepResult AllocateStack(Warp& warp, const DecodedInstr& instr) {
  uint64_t size = 0;
  for (const unsigned lane : Lanes(warp.active())) {
    uint64_t value = 0;
    if (!warp.ReadDefined(instr, 1, lane, &value)) return StepResult::kFault;
    size = std::max(size, value);
  }
  // All lanes of a frame have the same stack, so each gets as much as the lane that requests most.
  uint64_t alignment = 0;
  const unsigned lane = FirstLane(warp.active());
  if (!warp.ReadDefined(instr, 2, lane, &alignment)) return StepResult::kFault;
  alignment = std::clamp<uint64_t>(alignment, 16, 4096);
  Frame& frame = warp.frame();
  const uint64_t address = (frame.local_top + alignment - 1) / alignment * alignment;
  const uint64_t top = address + (size + 15) / 16 * 16 + 32;
  if (size > (uint64_t{1} << 24) || !warp.GrowLocal(static_cast<uint32_t>(top))) {
    return warp.Fail(instr, FaultKind::kTrap, lane, "the stack is exhausted");
  }
  frame.local_top = static_cast<uint32_t>(top);
  warp.SetAccessible(static_cast<uint32_t>(address), static_cast<uint32_t>(size), warp.active(), true);
  ForEachLane(warp.active(), [&](unsigned l) { warp.Write(instr, 0, l, {address, 0}); });
  return StepResult::kNext;
}

StepResult SaveStack(Warp& warp, const DecodedInstr& instr) {
  ForEachLane(warp.active(), [&](unsigned lane) { warp.Write(instr, 0, lane, {warp.frame().local_top, 0}); });
  return StepResult::kNext;
}

StepResult RestoreStack(Warp& warp, const DecodedInstr& instr) {
  uint64_t top = 0;
  for (const unsigned lane : Lanes(warp.active())) {
    uint64_t value = 0;
    if (!warp.ReadDefined(instr, 0, lane, &value)) return StepResult::kFault;
    top = std::max(top, value);
  }
  Frame& frame = warp.frame();
  const uint32_t lowest = frame.local_base + frame.code->local_size;
  if (top < lowest || top > frame.local_top) {
    return warp.Fail(instr, FaultKind::kOutOfBounds, FirstLane(warp.active()),
                     "the stack is restored to where it never was");
  }
  warp.SetAccessible(static_cast<uint32_t>(top), frame.local_top - static_cast<uint32_t>(top), warp.active(), false);
  // Lanes elsewhere may still use the stack above.
  if (warp.active() == frame.lanes) frame.local_top = static_cast<uint32_t>(top);
  return StepResult::kNext;
}

bool ResolveStack(const Statement& statement, Semantics* semantics) {
  const std::string_view base = statement.mnemonic.base();
  semantics->warp = base == "alloca" ? AllocateStack : base == "stacksave" ? SaveStack : RestoreStack;
  return true;
}

constexpr ResolverEntry kMemoryEntries[] = {
    {"ld", ResolveLoad},          {"ldu", ResolveLoad},          {"st", ResolveStoreBulk},
    {"st", ResolveStore},         {"atom", ResolveAtomic},       {"red", ResolveAtomic},
    {"prefetch", ResolveHint},    {"prefetchu", ResolveHint},    {"applypriority", ResolveHint},
    {"discard", ResolveHint},     {"createpolicy", ResolveHint}, {"cvta", ResolveCvta},
    {"isspacep", ResolveIsSpace}, {"mapa", ResolveMapAddress},   {"getctarank", ResolveMapAddress},
    {"alloca", ResolveStack},     {"stacksave", ResolveStack},   {"stackrestore", ResolveStack},
};

}  // namespace

absl::Span<const ResolverEntry> MemoryResolvers() { return kMemoryEntries; }

}  // namespace ptxmir::ptx
