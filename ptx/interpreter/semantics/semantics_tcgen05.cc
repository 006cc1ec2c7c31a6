// SPDX-License-Identifier: Apache-2.0

// Tensor memory: allocation, loads and stores, copies from shared memory, shifts, and their order.
//
// PTX ISA, "TensorCore 5th Generation Family Instructions". The state is in tensor_memory.h, operations that take
// effect later are in tensor_operations.h, and products in semantics_tcgen05_mma.cc. Our choices:
//
// - Registers of a load may be read at once, because the ISA respects true dependences through registers. Only the
//   memory must not be written until the load has been waited for.
// - A CTA has all 512 columns, as if it were alone on its multiprocessor.
// - With .cta_group::2 a warp of each CTA of the pair allocates, each in its own memory. Copies take their source
//   from the same addresses in the shared memory of each CTA.
// - .b8x16 puts fields of 6 bits at the low end of a byte and fields of 4 bits in its middle, where products expect
//   them.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/str_cat.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/collective_groups.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/tensor_operations.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/memory/shared_matrix.h"
#include "ptx/interpreter/memory/tensor_memory.h"
#include "ptx/interpreter/semantics/semantics_table.h"

namespace ptxmir::ptx {

bool ResolveTcgen05Product(const Statement& statement, Semantics* semantics);  // semantics_tcgen05_mma.cc

namespace {

using AccessType = TensorMemory::AccessType;

// Reads an operand that must be the same in all lanes of a group.
bool ReadUniform(Warp& warp, const DecodedInstr& instr, unsigned operand, LaneMask group, uint64_t* value) {
  const unsigned first = FirstLane(group);
  if (!warp.ReadDefined(instr, operand, first, value)) return false;
  for (const unsigned lane : Lanes(group)) {
    uint64_t other = 0;
    if (!warp.ReadDefined(instr, operand, lane, &other)) return false;
    if (other == *value) continue;
    warp.Fail(instr, FaultKind::kUndefinedOperand, lane,
              StrCat("operand ", operand, " is not the same in all threads of the warp"));
    return false;
  }
  return true;
}

// The same for an address in tensor memory: [addr].
bool ReadUniformAddress(Warp& warp, const DecodedInstr& instr, unsigned operand, LaneMask group, uint32_t* address) {
  uint64_t first = 0;
  if (!warp.ReadAddress(instr, operand, FirstLane(group), &first)) return false;
  for (const unsigned lane : Lanes(group)) {
    uint64_t other = 0;
    if (!warp.ReadAddress(instr, operand, lane, &other)) return false;
    if (other == first) continue;
    warp.Fail(instr, FaultKind::kUndefinedAddress, lane, "the address is not the same in all threads of the warp");
    return false;
  }
  *address = static_cast<uint32_t>(first);
  return true;
}

bool FailTrap(Warp& warp, const DecodedInstr& instr, unsigned lane, std::string message) {
  warp.Fail(instr, FaultKind::kTrap, lane, std::move(message));
  return false;
}

// ---- Allocation.

// params.a: MemorySpace of the location that receives the address.
StepResult RunAllocate(Warp& warp, const DecodedInstr& instr) {
  bool is_full = false;
  const StepResult result = ForEachGroup(warp, instr, [&](LaneMask group) {
    const unsigned lane = FirstLane(group);
    uint64_t columns = 0;
    uint64_t address = 0;
    if (!ReadUniform(warp, instr, 1, group, &columns) || !warp.ReadAddress(instr, 0, lane, &address)) return false;
    columns &= 0xffffffffu;
    if (!std::has_single_bit(columns) || columns < TensorMemory::kUnit || columns > TensorMemory::kColumns) {
      return FailTrap(warp, instr, lane, StrCat(columns, " columns of tensor memory cannot be allocated"));
    }
    TensorMemory& memory = warp.cta().tensor_memory();
    if (!memory.may_allocate) return FailTrap(warp, instr, lane, "the CTA has given up the right to allocate");
    const std::optional<unsigned> column = memory.Allocate(static_cast<unsigned>(columns));
    if (!column.has_value()) {
      is_full = true;
      return true;
    }
    const uint32_t value = *column;
    return warp.Store(instr, static_cast<MemorySpace>(instr.params.a), address, sizeof value, lane, AccessKind::kPlain,
                      reinterpret_cast<const uint8_t*>(&value), nullptr);
  });
  return is_full ? StepResult::kBlocked : result;
}

StepResult RunFree(Warp& warp, const DecodedInstr& instr) {
  return ForEachGroup(warp, instr, [&](LaneMask group) {
    const unsigned lane = FirstLane(group);
    uint64_t address = 0;
    uint64_t columns = 0;
    if (!ReadUniform(warp, instr, 0, group, &address) || !ReadUniform(warp, instr, 1, group, &columns)) return false;
    const unsigned column = address & 0xffff;
    const unsigned count = columns & 0xffffffffu;
    TensorMemory& memory = warp.cta().tensor_memory();
    if ((address & 0xffff0000u) != 0 || !memory.Free(column, count)) {
      return FailTrap(warp, instr, lane,
                      StrCat(count, " columns from column ", column, " on are not what has been allocated"));
    }
    ++warp.cta().progress;
    if (!memory.IsPending(column, count)) return true;
    warp.Fail(instr, FaultKind::kDataRace, lane,
              "tensor memory is given back that an operation which nobody has waited for is going to write");
    return false;
  });
}

StepResult RunRelinquish(Warp& warp, const DecodedInstr& instr) {
  return ForEachGroup(warp, instr, [&](LaneMask) {
    warp.cta().tensor_memory().may_allocate = false;
    return true;
  });
}

// ---- Loads and stores.

// KernelParams: a is the TensorMovement, b the registers, bit 0 of c whether elements have 16 bits.
struct Movement {
  TensorMovement shape;
  unsigned registers;
  bool is_packed;
  unsigned column;  // of the address
  unsigned lane;
  unsigned split = 0;  // columns to the second half

  unsigned columns_per_register() const { return is_packed ? 2 : 1; }
  // Returns the first word of a register.
  TensorPlace WordOf(unsigned thread, unsigned reg) const {
    TensorPlace place = FindTensorPlace(shape, thread, reg);
    place.lane += lane;
    place.column = column + place.column * columns_per_register() + (place.is_second ? split : 0);
    return place;
  }
};

// Operands: the address, or the registers and then the address. An offset of .16x32bx2 follows.
bool PrepareMovement(Warp& warp, const DecodedInstr& instr, LaneMask group, Movement* movement) {
  const unsigned first = FirstLane(group);
  movement->shape = static_cast<TensorMovement>(instr.params.a);
  movement->registers = instr.params.b;
  movement->is_packed = (instr.params.c & 1) != 0;
  uint32_t address = 0;
  if (!ReadUniformAddress(warp, instr, instr.num_results, group, &address)) return false;
  movement->lane = address >> 16;
  movement->column = address & 0xffff;
  if (movement->shape == TensorMovement::k16x32bx2) {
    uint64_t split = 0;
    if (!warp.ReadDefined(instr, instr.num_results + 1u, first, &split)) return false;
    movement->split = static_cast<unsigned>(split);
  }
  const unsigned first_lane = warp.number() % 4 * 32;
  if (movement->lane != first_lane && (LanesOf(movement->shape) != 16 || movement->lane != first_lane + 16)) {
    warp.Fail(instr, FaultKind::kOutOfBounds, first,
              StrCat("warp ", warp.number(), " cannot access ", LanesOf(movement->shape), " lanes from lane ",
                     movement->lane, " on"));
    return false;
  }
  const unsigned columns = movement->registers / RegistersOf(movement->shape) * movement->columns_per_register() *
                           (movement->shape == TensorMovement::k16x64b    ? 2
                            : movement->shape == TensorMovement::k16x128b ? 4
                            : movement->shape == TensorMovement::k16x256b ? 8
                                                                          : 1);
  return CheckTensorColumns(warp, instr, first, warp.cta(), movement->column, columns) &&
         (movement->split == 0 ||
          CheckTensorColumns(warp, instr, first, warp.cta(), movement->column + movement->split, columns));
}

bool LoadGroup(Warp& warp, const DecodedInstr& instr, LaneMask group) {
  Movement movement{};
  if (!PrepareMovement(warp, instr, group, &movement)) return false;
  TensorMemory& memory = warp.cta().tensor_memory();
  for (const unsigned lane : Lanes(group)) {
    for (unsigned reg = 0; reg < movement.registers; ++reg) {
      const TensorPlace place = movement.WordOf(lane, reg);
      LaneValue value;
      for (unsigned i = 0; i < movement.columns_per_register(); ++i) {
        const unsigned column = place.column + i;
        if (!AccessTensorWord(warp, instr, lane, {&warp.cta(), place.lane, column}, AccessType::kLoad)) return false;
        const TensorMemory::Word& word = memory.At(place.lane, column);
        const uint32_t mask = movement.is_packed ? 0xffff : ~0u;
        value.value |= uint64_t{word.value & mask} << (16 * i);
        value.undefined |= uint64_t{word.undefined & mask} << (16 * i);
      }
      warp.Write(instr, reg, lane, value);
      if (value.undefined != 0) {
        warp.SetOrigin(instr, reg, warp.NewOrigin(instr, "it was loaded from undefined tensor memory"));
      }
    }
  }
  return true;
}

bool StoreGroup(Warp& warp, const DecodedInstr& instr, LaneMask group) {
  Movement movement{};
  if (!PrepareMovement(warp, instr, group, &movement)) return false;
  TensorMemory& memory = warp.cta().tensor_memory();
  const unsigned first_register = instr.num_operands - movement.registers;
  for (const unsigned lane : Lanes(group)) {
    for (unsigned reg = 0; reg < movement.registers; ++reg) {
      const TensorPlace place = movement.WordOf(lane, reg);
      const LaneValue value = warp.Read(instr, first_register + reg, lane);
      for (unsigned i = 0; i < movement.columns_per_register(); ++i) {
        const unsigned column = place.column + i;
        if (!AccessTensorWord(warp, instr, lane, {&warp.cta(), place.lane, column}, AccessType::kStore)) return false;
        // A half goes to the low end of its word. The ISA does not specify the rest.
        memory.At(place.lane, column) =
            movement.is_packed
                ? TensorMemory::Word{static_cast<uint32_t>(value.value >> (16 * i) & 0xffff),
                                     static_cast<uint32_t>(value.undefined >> (16 * i) & 0xffff) | 0xffff0000u}
                : TensorMemory::Word{static_cast<uint32_t>(value.value), static_cast<uint32_t>(value.undefined)};
      }
    }
  }
  return true;
}

template <auto kGroupFunction>
StepResult RunForGroups(Warp& warp, const DecodedInstr& instr) {
  return ForEachGroup(warp, instr, [&](LaneMask group) { return kGroupFunction(warp, instr, group); });
}

// ---- Order. params.a: the Moment.

enum class Moment : uint32_t { kWaitLoads, kWaitStores, kFenceBefore, kFenceAfter };

void Note(Warp& warp, Moment moment) {
  const uint64_t now = warp.grid().steps;
  TensorOrder& order = warp.tensor_order;
  switch (moment) {
    case Moment::kWaitLoads:
      order.waited_loads = now;
      break;
    case Moment::kWaitStores:
      order.waited_stores = now;
      break;
    case Moment::kFenceBefore:
      order.fenced_before = now;
      break;
    case Moment::kFenceAfter:
      order.fenced_after = now;
      break;
  }
}

StepResult RunTensorWait(Warp& warp, const DecodedInstr& instr) {
  return ForEachGroup(warp, instr, [&](LaneMask) {
    Note(warp, static_cast<Moment>(instr.params.a));
    return true;
  });
}

StepResult RunFence(Warp& warp, const DecodedInstr& instr) {
  Note(warp, static_cast<Moment>(instr.params.a));
  return StepResult::kNext;
}

// params.a: MemorySpace of the mbarrier; params.b: whether there is a mask of CTAs.
bool CommitLane(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  uint64_t address = 0;
  if (!warp.ReadAddress(instr, 0, lane, &address)) return false;
  address = warp.ToGeneric(static_cast<MemorySpace>(instr.params.a), address);
  Cta* const owner = warp.OwnerOfGeneric(address);
  if (owner == nullptr) {
    warp.Fail(instr, FaultKind::kOutOfBounds, lane, "the mbarrier is not in shared memory");
    return false;
  }
  PendingTensorCommit commit = {
      .instr = &instr, .mbarrier = address, .cta = &warp.cta(), .sequence = warp.cta().tensor.last_sequence};
  if (instr.params.b == 0) {
    owner->tensor.commits.push_back(commit);
    return true;
  }
  uint64_t mask = 0;
  if (!warp.ReadDefined(instr, 1, lane, &mask)) return false;
  const auto& ctas = warp.cta().cluster().ctas();
  for (unsigned rank = 0; rank < 16; ++rank) {
    if ((mask >> rank & 1) == 0) continue;
    if (rank >= ctas.size()) return FailTrap(warp, instr, lane, StrCat("there is no CTA ", rank, " in the cluster"));
    commit.mbarrier = SharedAddressIn(*ctas[rank], (address - kSharedWindow) % kSharedStride);
    ctas[rank]->tensor.commits.push_back(commit);
  }
  return true;
}

StepResult RunTensorCommit(Warp& warp, const DecodedInstr& instr) {
  for (const unsigned lane : Lanes(warp.active())) {
    if (!CommitLane(warp, instr, lane)) return StepResult::kFault;
  }
  // A thread may be waiting for this.
  for (const auto& cta : warp.cta().cluster().ctas()) ++cta->progress;
  return StepResult::kNext;
}

// ---- Copies.

// KernelParams: a is the CopyShape, b the bits of a field in shared memory (8: no padding), c the number of CTAs.
enum class CopyShape : uint32_t { k128x256b, k4x256b, k128x128b, k64x128bPairs02, k64x128bPairs01, k32x128b };

struct CopyPlan {
  unsigned rows;
  unsigned words;  // words of a row in shared memory and in tensor memory (after unpacking, each is 16 bytes of fields)
};
CopyPlan PlanOf(CopyShape shape) {
  switch (shape) {
    case CopyShape::k128x256b:
      return {128, 8};
    case CopyShape::k4x256b:
      return {4, 8};
    case CopyShape::k128x128b:
      return {128, 4};
    case CopyShape::k64x128bPairs02:
    case CopyShape::k64x128bPairs01:
      return {64, 4};
    case CopyShape::k32x128b:
      return {32, 4};
  }
  return {};
}

// Returns the lanes of tensor memory that receive a row, as in CUTLASS' SM100_UTCCP_*.
std::array<unsigned, 4> LanesOfRow(CopyShape shape, unsigned row, unsigned* count) {
  switch (shape) {
    case CopyShape::k128x256b:
    case CopyShape::k128x128b:
      *count = 1;
      return {row};
    case CopyShape::k4x256b:
      *count = 1;
      return {32 * row};
    case CopyShape::k64x128bPairs02:
      *count = 2;
      return {row, row + 64};
    case CopyShape::k64x128bPairs01:
      *count = 2;
      return {row % 32 + row / 32 * 64, row % 32 + row / 32 * 64 + 32};
    case CopyShape::k32x128b:
      *count = 4;
      return {row, row + 32, row + 64, row + 96};
  }
  return {};
}

template <typename Function>
bool ForEachCta(Cta& cta, unsigned ctas, Function&& function) {
  Cta* const peer = ctas == 2 ? PeerOf(cta) : nullptr;
  return function(cta) && (peer == nullptr || function(*peer));
}

// Unpacks a chunk with 16 fields of `field` bits each, which are followed by padding.
TensorChunk UnpackChunk(const TensorChunk& chunk, unsigned field) {
  if (field == 8) return chunk;
  const auto unpack = [field](const std::array<uint8_t, 16>& packed) {
    std::array<uint8_t, 16> bytes{};
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned bit = i * field;
      const unsigned pair = packed[bit / 8] | (bit / 8 + 1 < 16 ? packed[bit / 8 + 1] << 8 : 0);
      bytes[i] = static_cast<uint8_t>((pair >> bit % 8 & ((1u << field) - 1)) << (field == 4 ? 2 : 0));
    }
    return bytes;
  };
  return {unpack(chunk.data), unpack(chunk.undefined)};
}

bool ExecuteCopy(Warp& warp, unsigned lane, const TensorOperation& operation) {
  const DecodedInstr& instr = *operation.instr;
  const auto shape = static_cast<CopyShape>(instr.params.a);
  const CopyPlan plan = PlanOf(shape);
  const std::optional<SharedMatrix> source = DecodeTcgen05Descriptor(operation.a);
  const unsigned first_lane = operation.d >> 16;
  const unsigned first_column = operation.d & 0xffff;
  return ForEachCta(*operation.cta, instr.params.c, [&](Cta& cta) {
    for (unsigned row = 0; row < plan.rows; ++row) {
      unsigned count = 0;
      const std::array<unsigned, 4> lanes = LanesOfRow(shape, row, &count);
      for (unsigned word = 0; word < plan.words; word += 4) {
        TensorChunk chunk;
        if (!LoadTensorChunk(warp, instr, lane, cta, source->Address(true, row, word * 4), &chunk)) return false;
        chunk = UnpackChunk(chunk, instr.params.b);
        for (unsigned i = 0; i < 4 * count; ++i) {
          TensorMemory::Word value;
          __builtin_memcpy(&value.value, &chunk.data[i % 4 * 4], 4);
          __builtin_memcpy(&value.undefined, &chunk.undefined[i % 4 * 4], 4);
          CompleteTensorWord(warp, operation, {&cta, first_lane + lanes[i / 4], first_column + word + i % 4}, value);
        }
      }
    }
    return true;
  });
}

bool IssueTensorMemoryCopy(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  const auto shape = static_cast<CopyShape>(instr.params.a);
  const CopyPlan plan = PlanOf(shape);
  uint64_t address = 0;
  TensorOperation operation = {.instr = &instr, .execute = &ExecuteCopy};
  if (!warp.ReadAddress(instr, 0, lane, &address) || !warp.ReadDefined(instr, 1, lane, &operation.a)) return false;
  operation.d = static_cast<uint32_t>(address);
  if (!DecodeTcgen05Descriptor(operation.a).has_value()) {
    return FailTrap(warp, instr, lane, "invalid matrix descriptor");
  }
  const unsigned first_lane = operation.d >> 16;
  const unsigned column = operation.d & 0xffff;
  if (first_lane != 0 && (shape != CopyShape::k4x256b || first_lane >= 32)) {
    warp.Fail(instr, FaultKind::kOutOfBounds, lane, StrCat("a copy of this shape cannot begin at lane ", first_lane));
    return false;
  }
  const uint32_t sequence = NextTensorSequence(warp);
  const bool ok = ForEachCta(warp.cta(), instr.params.c, [&](Cta& cta) {
    if (!CheckTensorColumns(warp, instr, lane, cta, column, plan.words)) return false;
    for (unsigned row = 0; row < plan.rows; ++row) {
      unsigned count = 0;
      const std::array<unsigned, 4> lanes = LanesOfRow(shape, row, &count);
      for (unsigned i = 0; i < plan.words * count; ++i) {
        const TensorWordId word = {&cta, first_lane + lanes[i / plan.words], column + i % plan.words};
        if (!AccessTensorWord(warp, instr, lane, word, AccessType::kAsyncWrite, sequence)) return false;
      }
    }
    return true;
  });
  if (ok) IssueTensorOperation(warp, operation);
  return ok;
}

// ---- Shifts: each of 31 lanes, eight columns wide, gets the contents of the next lane. params.c: CTAs.

constexpr unsigned kShiftedLanes = 31;
constexpr unsigned kShiftedColumns = 8;

bool ExecuteShift(Warp& warp, unsigned, const TensorOperation& operation) {
  const unsigned first_lane = operation.d >> 16;
  const unsigned first_column = operation.d & 0xffff;
  return ForEachCta(*operation.cta, operation.instr->params.c, [&](Cta& cta) {
    for (unsigned lane = first_lane; lane < first_lane + kShiftedLanes; ++lane) {
      for (unsigned column = first_column; column < first_column + kShiftedColumns; ++column) {
        CompleteTensorWord(warp, operation, {&cta, lane, column}, cta.tensor_memory().At(lane + 1, column));
      }
    }
    return true;
  });
}

bool IssueShift(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  uint64_t address = 0;
  if (!warp.ReadAddress(instr, 0, lane, &address)) return false;
  const unsigned first_lane = static_cast<unsigned>(address >> 16 & 0xffff);
  const unsigned column = address & 0xffff;
  if (first_lane % 32 != 0 || first_lane >= TensorMemory::kLanes) {
    return FailTrap(warp, instr, lane, StrCat("a shift cannot begin at lane ", first_lane));
  }
  const uint32_t sequence = NextTensorSequence(warp);
  const bool ok = ForEachCta(warp.cta(), instr.params.c, [&](Cta& cta) {
    if (!CheckTensorColumns(warp, instr, lane, cta, column, kShiftedColumns)) return false;
    for (unsigned i = 0; i < (kShiftedLanes + 1) * kShiftedColumns; ++i) {
      const TensorWordId word = {&cta, first_lane + i / kShiftedColumns, column + i % kShiftedColumns};
      const bool is_written = i / kShiftedColumns < kShiftedLanes;
      if (!AccessTensorWord(warp, instr, lane, word, is_written ? AccessType::kAsyncWrite : AccessType::kAsyncRead,
                            sequence)) {
        return false;
      }
    }
    return true;
  });
  if (ok) IssueTensorOperation(warp, {.instr = &instr, .execute = &ExecuteShift, .d = static_cast<uint32_t>(address)});
  return ok;
}

template <auto kIssue>
StepResult RunIssue(Warp& warp, const DecodedInstr& instr) {
  for (const unsigned lane : Lanes(warp.active())) {
    if (!kIssue(warp, instr, lane)) return StepResult::kFault;
  }
  return StepResult::kNext;
}

// ---- Resolvers.

bool ResolveMovement(const Statement& statement, bool is_load, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  std::optional<TensorMovement> shape;
  unsigned count = 0;
  for (const std::string_view part : mnemonic.parts()) {
    if (!shape.has_value()) shape = FindTensorMovement(part);
    for (unsigned n = 1; n <= 128; n *= 2) {
      if (part == StrCat("x", n)) count = n;
    }
  }
  if (!shape.has_value() || count == 0) return false;
  const unsigned registers = RegistersOf(*shape) * count;
  const unsigned others = *shape == TensorMovement::k16x32bx2 ? 2 : 1;
  if (registers > 128 || statement.operands.size() != registers + others) return false;
  semantics->category = is_load ? InstrCategory::kLoad : InstrCategory::kStore;
  semantics->params.a = static_cast<uint32_t>(*shape);
  semantics->params.b = registers;
  semantics->params.c = mnemonic.Has("pack::16b") || mnemonic.Has("unpack::16b");
  return ResolveKernel(is_load ? &RunForGroups<&LoadGroup> : &RunForGroups<&StoreGroup>, semantics);
}

bool ResolveTensorMemoryCopy(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  const auto set = [&](CopyShape shape) { semantics->params.a = static_cast<uint32_t>(shape); };
  if (mnemonic.Has("128x256b")) {
    set(CopyShape::k128x256b);
  } else if (mnemonic.Has("4x256b")) {
    set(CopyShape::k4x256b);
  } else if (mnemonic.Has("128x128b")) {
    set(CopyShape::k128x128b);
  } else if (mnemonic.Has("64x128b") && mnemonic.Has("warpx2::02_13")) {
    set(CopyShape::k64x128bPairs02);
  } else if (mnemonic.Has("64x128b") && mnemonic.Has("warpx2::01_23")) {
    set(CopyShape::k64x128bPairs01);
  } else if (mnemonic.Has("32x128b") && mnemonic.Has("warpx4")) {
    set(CopyShape::k32x128b);
  } else {
    return false;
  }
  semantics->params.b = mnemonic.Has("b6x16_p32") ? 6 : mnemonic.Has("b4x16_p64") ? 4 : 8;
  return statement.operands.size() == 2 && ResolveKernel(&RunIssue<&IssueTensorMemoryCopy>, semantics);
}

bool ResolveCommit(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  const bool is_shared = mnemonic.Has("shared::cluster");
  semantics->params.a = static_cast<uint32_t>(is_shared ? MemorySpace::kSharedCluster : MemorySpace::kGeneric);
  semantics->params.b = mnemonic.Has("multicast::cluster");
  return statement.operands.size() == 1u + semantics->params.b && ResolveKernel(&RunTensorCommit, semantics);
}

bool ResolveMoment(Moment moment, WarpKernel kernel, Semantics* semantics) {
  semantics->params.a = static_cast<uint32_t>(moment);
  return ResolveKernel(kernel, semantics);
}

bool ResolveTcgen05(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  if (mnemonic.parts().empty()) return false;
  const std::string_view name = mnemonic.parts()[0];
  semantics->category = InstrCategory::kTensor;
  semantics->params.c = mnemonic.Has("cta_group::2") ? 2 : 1;
  if (name == "ld" || name == "st") return ResolveMovement(statement, name == "ld", semantics);
  if (name == "mma") return ResolveTcgen05Product(statement, semantics);
  semantics->category = InstrCategory::kAsync;
  if (name == "cp") return ResolveTensorMemoryCopy(statement, semantics);
  if (name == "shift") return mnemonic.Has("down") && ResolveKernel(&RunIssue<&IssueShift>, semantics);
  if (name == "commit") return ResolveCommit(statement, semantics);
  if (name == "wait::ld") return ResolveMoment(Moment::kWaitLoads, &RunTensorWait, semantics);
  if (name == "wait::st") return ResolveMoment(Moment::kWaitStores, &RunTensorWait, semantics);
  if (name == "fence::before_thread_sync") return ResolveMoment(Moment::kFenceBefore, &RunFence, semantics);
  if (name == "fence::after_thread_sync") return ResolveMoment(Moment::kFenceAfter, &RunFence, semantics);
  if (name == "alloc") {
    const bool is_shared = mnemonic.Has("shared::cta");
    semantics->params.a = static_cast<uint32_t>(is_shared ? MemorySpace::kShared : MemorySpace::kGeneric);
    return ResolveKernel(&RunAllocate, semantics);
  }
  if (name == "dealloc") return ResolveKernel(&RunFree, semantics);
  return name == "relinquish_alloc_permit" && ResolveKernel(&RunRelinquish, semantics);
}

}  // namespace

absl::Span<const ResolverEntry> Tcgen05Resolvers() {
  static constexpr ResolverEntry kEntries[] = {{"tcgen05", &ResolveTcgen05}};
  return kEntries;
}

}  // namespace ptxmir::ptx
