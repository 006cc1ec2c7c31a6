// SPDX-License-Identifier: Apache-2.0

// Memory access by the lanes of a warp: windows, bounds, shadow bytes, races. Also faults, which report where and
// how they happened.

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_writer.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/warp.h"

namespace ptxmir::ptx {
namespace {

std::string Hex(uint64_t value) { return absl::StrFormat("0x%x", value); }

std::string_view SpaceName(MemorySpace space) {
  switch (space) {
    case MemorySpace::kGlobal:
      return "global";
    case MemorySpace::kShared:
    case MemorySpace::kSharedCluster:
      return "shared";
    case MemorySpace::kConst:
      return "constant";
    case MemorySpace::kLocal:
      return "local";
    case MemorySpace::kParam:
      return "parameter";
    default:
      return "generic";
  }
}

}  // namespace

MemorySpace SpaceOfGeneric(uint64_t address, uint64_t* offset) {
  *offset = address & (kWindowSize - 1);
  switch (address & ~(kWindowSize - 1)) {
    case kSharedWindow:
      return MemorySpace::kSharedCluster;
    case kLocalWindow:
      return MemorySpace::kLocal;
    case kConstWindow:
      return MemorySpace::kConst;
    case kParamWindow:
      return MemorySpace::kParam;
    default:
      *offset = address;
      return MemorySpace::kGlobal;
  }
}

// ---- Local memory.

bool Warp::GrowLocal(uint32_t top) {
  if (top > kMaxLocal + grid().kernel().local_size) return false;
  if (!local_[0].data.empty() && local_[0].data.size() >= top) return true;
  const size_t size = std::max<size_t>({top, 2 * local_[0].data.size(), 256});
  for (LocalStack& stack : local_) {
    stack.data.resize(size);
    stack.undefined.resize(size, 0xff);
    stack.accessible.resize(size);
  }
  return true;
}

void Warp::SetAccessible(uint32_t begin, uint32_t size, LaneMask lanes, bool accessible) {
  ForEachLane(lanes, [&](unsigned lane) {
    std::fill_n(local_[lane].accessible.begin() + begin, size, accessible ? 1 : 0);
    if (accessible) std::fill_n(local_[lane].undefined.begin() + begin, size, 0xff);
  });
}

void Warp::WriteLocal(unsigned lane, uint32_t address, uint32_t size, const uint8_t* data, const uint8_t* undefined) {
  std::copy_n(data, size, local_[lane].data.begin() + address);
  std::copy_n(undefined, size, local_[lane].undefined.begin() + address);
}

bool Warp::FindLocal(const DecodedInstr& instr, uint64_t address, unsigned size, unsigned lane, Bytes* bytes) {
  LocalStack& stack = local_[lane];
  const bool inside = address < stack.data.size() && size <= stack.data.size() - address;
  if (!inside || stack.accessible[address] == 0 || stack.accessible[address + size - 1] == 0) {
    const bool was_object = inside && address < frame().local_top && address >= frame().local_base;
    bool out_of_scope = false;
    for (const DecodedFunction::StackSlot& slot : code().stack_slots) {
      const uint64_t begin = frame().local_base + slot.offset;
      if (was_object && address >= begin && address + size <= begin + slot.size) out_of_scope = true;
    }
    Fail(instr, out_of_scope ? FaultKind::kUseAfterFree : FaultKind::kOutOfBounds, lane,
         StrCat(
             size, " bytes at local address ", Hex(address),
             out_of_scope ? " belong to a stack object whose lifetime has ended" : " are not part of a stack object"));
    return false;
  }
  *bytes = {stack.data.data() + address, stack.undefined.data() + address, false};
  return true;
}

// ---- Parameters.

bool Warp::FindParam(const DecodedInstr& instr, uint64_t address, bool is_generic, unsigned size, unsigned lane,
                     Bytes* bytes) {
  const auto region = static_cast<ParamRegion>(address >> 32);
  const uint64_t offset = address & 0xffffffff;
  Frame* frame = fragments_[current_].frame;
  const auto in_outgoing = [&](Frame& owner, uint64_t at) {
    if (at + size > owner.code->outgoing_size) return false;
    const size_t index = size_t{lane} * owner.code->outgoing_size + at;
    *bytes = {owner.outgoing.data() + index, owner.outgoing_undefined.data() + index, false};
    return true;
  };
  switch (region) {
    case ParamRegion::kIncoming:
      if (!frame->code->is_kernel && !is_generic) {
        return FindLocal(instr, frame->local_base + offset, size, lane, bytes);
      }
      if (offset + size <= grid().parameters().size()) {
        *bytes = {grid().parameters().data() + offset, nullptr, false};
        return true;
      }
      break;
    case ParamRegion::kReturn:
      if (frame->parent == nullptr || frame->site == nullptr) break;
      // A caller that ignores the result must still provide space for it.
      if (!frame->site->result.has_value()) {
        static thread_local uint8_t scratch[32];
        *bytes = {scratch, nullptr, false};
        return true;
      }
      if (offset + size <= frame->site->result->size &&
          in_outgoing(*frame->parent, frame->site->result->offset + offset)) {
        return true;
      }
      break;
    case ParamRegion::kOutgoing:
      if (in_outgoing(*frame, offset)) return true;
      break;
  }
  Fail(instr, FaultKind::kOutOfBounds, lane, StrCat(size, " bytes past the end of a parameter"));
  return false;
}

// ---- All spaces.

Cta* Warp::OwnerOfShared(uint64_t offset) const {
  const uint64_t number = offset / kSharedStride;
  if (number == 0) return &cta_;
  return number <= cta_.cluster().ctas().size() ? cta_.cluster().ctas()[number - 1].get() : nullptr;
}

// ---- Races.

namespace {

// Returns true if a store leaves memory unchanged, with all bits defined before and after.
bool ChangesNothing(const uint8_t* before, const uint8_t* shadow, uint8_t defined, unsigned size, const uint8_t* data,
                    const uint8_t* undefined) {
  if (std::memcmp(before, data, size) != 0) return false;
  for (unsigned i = 0; i < size; ++i) {
    if ((shadow != nullptr && shadow[i] != defined) || (undefined != nullptr && undefined[i] != 0)) return false;
  }
  return true;
}

}  // namespace

bool Warp::CheckRace(const DecodedInstr& instr, AccessShadow& shadow, uint64_t offset, unsigned size, unsigned lane,
                     AccessKind kind, const Stored* stored, const Present& present) {
  RaceDetector& races = cta_.races();
  if (kind != AccessKind::kPlain) races.Synchronize(thread(lane));
  // An atomic counts as a write only of the bytes that it changes, because an atomic on a byte may be emulated by
  // one on the word around it.
  unsigned first = 0, end = size;
  bool is_write = stored != nullptr;
  if (is_write && kind == AccessKind::kAtomic) {
    while (first < end && present.data[first] == stored->data[first]) ++first;
    while (first < end && present.data[end - 1] == stored->data[end - 1]) --end;
    is_write = first < end;
    if (!is_write) first = 0, end = size;
  }
  const Race race = races.Access(shadow, thread(lane), offset + first, end - first,
                                 {.is_write = is_write, .is_strong = kind != AccessKind::kPlain});
  if (!race) return true;
  if (stored != nullptr && ChangesNothing(present.data, present.undefined, present.inverted ? 0xff : 0, size,
                                          stored->data, stored->undefined)) {
    return true;
  }
  const Dim3& shape = grid().config().block;
  const auto other = static_cast<unsigned>(race.thread);
  std::string message = StrCat(
      stored != nullptr ? "a store of " : "a load of ", size, " bytes at ",
      present.owner.empty() ? StrCat("shared address ", Hex(offset)) : StrCat(Hex(offset), " of ", present.owner),
      " races with a ", race.with_write ? "store" : "load", " by thread (", other % shape.x, ", ",
      other / shape.x % shape.y, ", ", other / shape.x / shape.y, ")");
  if (!grid().config().stop_at_races) {
    grid().NoteRace(Describe(instr, FaultKind::kDataRace, lane, std::move(message)));
    return true;
  }
  Fail(instr, FaultKind::kDataRace, lane, std::move(message));
  return false;
}

bool Warp::MayOverlap(absl::Span<const uint64_t> offsets, LaneMask lanes, unsigned total) {
  bool ascends = true;
  bool is_distinct = true;
  uint64_t seen = 0;  // a hash set: bits indexed by the lowest bits of the place's number
  uint64_t end = 0;
  for (const unsigned lane : Lanes(lanes)) {
    ascends = ascends && offsets[lane] >= end;
    end = offsets[lane] + total;
    const uint64_t bit = uint64_t{1} << (offsets[lane] / total % 64);
    is_distinct = is_distinct && (seen & bit) == 0;
    seen |= bit;
  }
  return !ascends && !is_distinct;
}

void Warp::OrderLanes(LaneMask lanes) {
  if (grid().config().detect_races) cta_.races().JoinLanes(number_, lanes, alive_);
}

void Warp::OrderReads(LaneMask lanes) {
  if (grid().config().detect_races) cta_.races().JoinReads(number_, lanes, alive_);
}

// ----

bool Warp::FindShared(const DecodedInstr& instr, MemorySpace space, uint64_t offset, unsigned size, unsigned lane,
                      AccessKind kind, const Stored* stored, Bytes* bytes) {
  Cta* owner = OwnerOfShared(offset);
  const uint64_t address = offset;
  offset %= kSharedStride;
  if (owner == nullptr || !owner->IsSharedAccessible(offset, size)) {
    return FailOutside(instr, space, address, size, lane, stored != nullptr);
  }
  *bytes = {owner->shared_data() + offset, owner->shared_defined() + offset, true};
  if (owner != &cta_ || !grid().config().detect_races) return true;
  return CheckRace(instr, cta_.races().shared(), offset, size, lane, kind, stored,
                   {bytes->data, bytes->undefined, bytes->inverted, /*owner=*/{}});
}

// Finds the bytes of an access to global or constant memory.
bool Warp::FindBlock(const DecodedInstr& instr, MemorySpace space, uint64_t offset, unsigned size, unsigned lane,
                     AccessKind kind, const Stored* stored, Bytes* bytes) {
  const bool is_write = stored != nullptr;
  Program& program = grid().program();
  GlobalMemory& memory = space == MemorySpace::kConst ? program.constant : program.global;
  MemoryBlock* block = memory.Find(offset, &instr.hint);
  if (block == nullptr || offset - block->address + size > block->data.size()) {
    return FailOutside(instr, space, offset, size, lane, is_write);
  }
  if (memory.IsFreed(*block)) {
    Fail(instr, FaultKind::kUseAfterFree, lane,
         StrCat(size, " bytes at ", Hex(offset), " of ", block->name, ", which has been freed"));
    return false;
  }
  if (is_write && (block->read_only || space == MemorySpace::kConst)) {
    Fail(instr, FaultKind::kReadOnlyStore, lane, StrCat("a store to ", block->name, ", which is constant"));
    return false;
  }
  const uint64_t at = offset - block->address;
  *bytes = {block->data.data() + at, block->undefined.empty() ? nullptr : block->undefined.data() + at, false};
  if (space == MemorySpace::kConst || block->read_only || !grid().config().detect_races) return true;
  return CheckRace(instr, grid().global_accesses(instr.hint), at, size, lane, kind, stored,
                   {bytes->data, bytes->undefined, bytes->inverted, block->name});
}

bool Warp::FailOutside(const DecodedInstr& instr, MemorySpace space, uint64_t offset, unsigned size, unsigned lane,
                       bool is_write) {
  std::string message = StrCat(is_write ? "a store of " : "a load of ", size, " bytes at ", SpaceName(space),
                               " address ", Hex(offset), " is outside of all memory");
  if (space == MemorySpace::kGlobal) {
    uint32_t hint = 0;
    if (const MemoryBlock* block = grid().program().global.Find(offset, &hint); block != nullptr) {
      StrAppend(&message, "; ", offset - block->address, " bytes after the start of ", block->name, ", which has ",
                block->data.size());
    }
  }
  Fail(instr, FaultKind::kOutOfBounds, lane, std::move(message));
  return false;
}

bool Warp::FindBytes(const DecodedInstr& instr, MemorySpace space, uint64_t address, unsigned size, unsigned lane,
                     AccessKind kind, const Stored* stored, Bytes* bytes) {
  const bool is_write = stored != nullptr;
  if (address % size != 0) [[unlikely]] {
    Fail(instr, FaultKind::kMisaligned, lane,
         StrCat(size, " bytes at ", Hex(address), " are not aligned to their size"));
    return false;
  }
  uint64_t offset = address;
  const bool is_generic =
      space == MemorySpace::kGeneric || space == MemorySpace::kUnknown || space == MemorySpace::kNone;
  // An address in the window denotes the shared memory of a CTA of the cluster, whatever the instruction's state
  // space.
  const bool is_window =
      (space == MemorySpace::kShared || space == MemorySpace::kSharedCluster) && offset >= kSharedWindow;
  if (is_generic || is_window) space = SpaceOfGeneric(address, &offset);
  CountAccesses(instr, space, 1, size, is_write);
  switch (space) {
    case MemorySpace::kShared:
    case MemorySpace::kSharedCluster:
      return FindShared(instr, space, offset, size, lane, kind, stored, bytes);
    case MemorySpace::kLocal:
      return FindLocal(instr, offset, size, lane, bytes);
    case MemorySpace::kParam:
      return FindParam(instr, offset, is_generic, size, lane, bytes);
    case MemorySpace::kConst:
    case MemorySpace::kGlobal:
      return FindBlock(instr, space, offset, size, lane, kind, stored, bytes);
    default:
      return FailOutside(instr, space, offset, size, lane, is_write);
  }
}

uint64_t Warp::ToGeneric(MemorySpace space, uint64_t address) const {
  switch (space) {
    case MemorySpace::kShared:
    case MemorySpace::kSharedCluster:
      if (address >= kSharedWindow) return address;
      return kSharedWindow + (address < kSharedStride ? (cta_.rank() + 1) * kSharedStride : 0) + address;
    case MemorySpace::kLocal:
      return kLocalWindow + address;
    case MemorySpace::kConst:
      return kConstWindow + address;
    case MemorySpace::kParam:
      return kParamWindow + address;
    default:
      return address;
  }
}

uint64_t Warp::FromGeneric(MemorySpace space, uint64_t address) const {
  switch (space) {
    case MemorySpace::kShared:
    case MemorySpace::kSharedCluster: {
      const uint64_t offset = address - kSharedWindow;
      return IsOwnShared(offset) ? offset % kSharedStride : offset;
    }
    case MemorySpace::kLocal:
      return address - kLocalWindow;
    case MemorySpace::kConst:
      return address - kConstWindow;
    case MemorySpace::kParam:
      return address - kParamWindow;
    default:
      return address;
  }
}

Cta* Warp::OwnerOfGeneric(uint64_t generic_address) const {
  uint64_t offset = 0;
  if (SpaceOfGeneric(generic_address, &offset) != MemorySpace::kSharedCluster) return nullptr;
  return OwnerOfShared(offset);
}

CtaAsyncState* Warp::cta_async(uint64_t generic_address) {
  Cta* const owner = OwnerOfGeneric(generic_address);
  return owner != nullptr ? &owner->async : nullptr;
}

TextureTable& Warp::textures() { return grid().program().textures; }

bool Warp::CheckSurfaceRace(const DecodedInstr& instr, const Texture& surface, uint64_t offset, unsigned size,
                            unsigned lane, const uint8_t* stored, const uint8_t* undefined) {
  if (!grid().config().detect_races) return true;
  const Stored store = {stored, undefined};
  const uint8_t* const shadow = surface.undefined().empty() ? nullptr : surface.undefined().data() + offset;
  return CheckRace(instr, grid().surface_accesses(surface), offset, size, lane, AccessKind::kPlain,
                   stored != nullptr ? &store : nullptr,
                   {surface.texels().data() + offset, shadow, /*inverted=*/false, surface.desc().name});
}

bool Warp::Load(const DecodedInstr& instr, MemorySpace space, uint64_t address, unsigned size, unsigned lane,
                AccessKind kind, uint8_t* data, uint8_t* undefined) {
  Bytes bytes;
  if (!FindBytes(instr, space, address, size, lane, kind, nullptr, &bytes)) return false;
  std::memcpy(data, bytes.data, size);
  if (undefined == nullptr) return true;
  if (bytes.undefined == nullptr) {
    std::memset(undefined, 0, size);
  } else if (bytes.inverted) {
    for (unsigned i = 0; i < size; ++i) undefined[i] = static_cast<uint8_t>(~bytes.undefined[i]);
  } else {
    std::memcpy(undefined, bytes.undefined, size);
  }
  return true;
}

bool Warp::NoteUndefinedStore(const DecodedInstr& instr, unsigned lane) {
  if (grid().has_undefined_store()) return true;
  Fault store = Describe(instr, FaultKind::kUndefinedStore, lane, "undefined bits are stored to global memory");
  store.origin = DescribeFirstOrigin(instr);
  if (!grid().config().stop_at_undefined_stores) {
    grid().NoteUndefinedStore(std::move(store));
    return true;
  }
  if (!grid().fault().is_fault()) grid().fault() = std::move(store);
  return false;
}

bool Warp::Store(const DecodedInstr& instr, MemorySpace space, uint64_t address, unsigned size, unsigned lane,
                 AccessKind kind, const uint8_t* data, const uint8_t* undefined) {
  Bytes bytes;
  const Stored stored = {data, undefined};
  if (!FindBytes(instr, space, address, size, lane, kind, &stored, &bytes)) return false;
  std::memcpy(bytes.data, data, size);
  const bool any = undefined != nullptr && std::any_of(undefined, undefined + size, [](uint8_t b) { return b != 0; });
  if (any || bytes.undefined == nullptr) {
    uint64_t offset = address;
    if (space != MemorySpace::kGlobal) space = SpaceOfGeneric(address, &offset);
    if (any && space == MemorySpace::kGlobal && !NoteUndefinedStore(instr, lane)) return false;
    if (bytes.undefined == nullptr) {
      if (!any || space != MemorySpace::kGlobal) return true;
      // Global memory gets a shadow when it first needs one.
      MemoryBlock* block = grid().program().global.Find(offset, &instr.hint);
      block->undefined.resize(block->data.size());
      bytes.undefined = block->undefined.data() + (offset - block->address);
    }
  }
  for (unsigned i = 0; i < size; ++i) {
    const uint8_t bits = undefined != nullptr ? undefined[i] : 0;
    bytes.undefined[i] = bytes.inverted ? static_cast<uint8_t>(~bits) : bits;
  }
  return true;
}

namespace {

bool IsAll(const uint8_t* bytes, unsigned size, uint8_t value) {
  for (unsigned i = 0; i < size; ++i) {
    if (bytes[i] != value) return false;
  }
  return true;
}

}  // namespace

bool Warp::FindLocalLanes(absl::Span<const uint64_t> addresses, uint64_t base, unsigned total, bool is_write,
                          LanePointers* pointers) {
  pointers->has_shadow = true;
  pointers->defined = 0;
  for (const unsigned lane : Lanes(active_)) {
    LocalStack& stack = local_[lane];
    const uint64_t offset = addresses[lane] - base;
    if (offset >= stack.data.size() || total > stack.data.size() - offset || addresses[lane] % total != 0) return false;
    if (stack.accessible[offset] == 0 || stack.accessible[offset + total - 1] == 0) return false;
    pointers->data[lane] = stack.data.data() + offset;
    pointers->shadow[lane] = stack.undefined.data() + offset;
    if (!is_write && !IsAll(pointers->shadow[lane], total, 0)) return false;
  }
  return true;
}

bool Warp::FindLanes(const DecodedInstr& instr, unsigned address_operand, MemorySpace space, unsigned total,
                     unsigned chunk, bool is_write, LanePointers* pointers) {
  Frame& frame = *fragments_[current_].frame;
  const DecodedOperand& operand = frame.code->operands[instr.first_operand + address_operand];
  std::array<uint64_t, kWarpSize> addresses;
  if (operand.row == kNoRow || operand.kind == DecodedOperand::Kind::kConstant) {
    if (operand.kind == DecodedOperand::Kind::kSink) return false;
    addresses.fill(static_cast<uint64_t>(operand.value));
  } else {
    if ((frame.undefined[operand.row] & active_) != 0) return false;
    const uint64_t offset = operand.kind == DecodedOperand::Kind::kAddress ? static_cast<uint64_t>(operand.value) : 0;
    const uint8_t* const row = frame.Values(operand.row);
    const unsigned bits = frame.code->rows[operand.row].bits;
    if (bits < 32) return false;
    if (bits == 64) {
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        addresses[lane] = reinterpret_cast<const uint64_t*>(row)[lane] + offset;
      }
    } else {
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        addresses[lane] = static_cast<uint32_t>(reinterpret_cast<const uint32_t*>(row)[lane] + offset);
      }
    }
  }
  // The area of the first lane's address. All other addresses must be in it too.
  uint64_t base = 0;  // base of the area's addresses
  uint64_t at = addresses[FirstLane(active_)];
  if (space == MemorySpace::kGeneric) space = SpaceOfGeneric(at, &at);
  base = addresses[FirstLane(active_)] - at;
  if (space == MemorySpace::kLocal) {
    if (!FindLocalLanes(absl::MakeSpan(addresses), base, total, is_write, pointers)) return false;
    const auto lanes = static_cast<uint64_t>(std::popcount(active_));
    CountAccesses(instr, space, lanes * (total / chunk), lanes * total, is_write);
    return true;
  }
  uint64_t begin = 0, size = 0;
  uint8_t* data = nullptr;
  uint8_t* shadow = nullptr;
  bool is_read_only = false;
  const bool is_shared = space == MemorySpace::kShared || space == MemorySpace::kSharedCluster;
  if (is_shared) {
    if (at >= kSharedStride) {
      if (!IsOwnShared(at) || at >= kSharedWindow) return false;
      base += at - at % kSharedStride;
    }
    size = cta_.shared_size();
    data = cta_.shared_data();
    shadow = cta_.shared_defined();
  } else if (space == MemorySpace::kGlobal || (space == MemorySpace::kConst && !is_write)) {
    GlobalMemory& memory = space == MemorySpace::kConst ? grid().program().constant : grid().program().global;
    MemoryBlock* const block = memory.Find(at, &instr.hint);
    if (block == nullptr || memory.IsFreed(*block) || (is_write && block->read_only)) return false;
    is_read_only = block->read_only;
    begin = block->address;
    size = block->data.size();
    data = block->data.data();
    shadow = block->undefined.empty() ? nullptr : block->undefined.data();
  } else if (space == MemorySpace::kParam && frame.code->is_kernel && !is_write) {
    size = grid().parameters().size();
    data = grid().parameters().data();
  } else {
    return false;
  }
  if (size < total) return false;
  pointers->has_shadow = shadow != nullptr;
  pointers->defined = is_shared ? 0xff : 0;
  std::array<uint64_t, kWarpSize> offsets;
  for (const unsigned lane : Lanes(active_)) {
    const uint64_t offset = addresses[lane] - base - begin;
    if (offset > size - total || addresses[lane] % total != 0) return false;
    if (shadow != nullptr && !is_write && !IsAll(shadow + offset, total, pointers->defined)) return false;
    if (is_shared && !cta_.IsSharedAccessible(offset, total)) return false;
    offsets[lane] = offset;
    pointers->data[lane] = data + offset;
    pointers->shadow[lane] = shadow != nullptr ? shadow + offset : nullptr;
  }
  const LaunchConfig& config = grid().config();
  if (is_write && (config.detect_races || config.order.reverse) && MayOverlap(offsets, active_, total)) return false;
  if ((is_shared || (space == MemorySpace::kGlobal && !is_read_only)) && config.detect_races) {
    AccessShadow& accesses = is_shared ? cta_.races().shared() : grid().global_accesses(instr.hint);
    for (const unsigned lane : Lanes(active_)) {
      if (cta_.races().Access(accesses, thread(lane), offsets[lane], total, {.is_write = is_write})) return false;
    }
  }
  const auto lanes = static_cast<uint64_t>(std::popcount(active_));
  CountAccesses(instr, space, lanes * (total / chunk), lanes * total, is_write);
  return true;
}

uint8_t* Warp::Row(const DecodedInstr& instr, unsigned operand, unsigned* bits) {
  Frame& frame = *fragments_[current_].frame;
  const DecodedOperand& decoded = frame.code->operands[instr.first_operand + operand];
  if (decoded.kind != DecodedOperand::Kind::kRow) return nullptr;
  *bits = frame.code->rows[decoded.row].bits;
  return frame.Values(decoded.row);
}

const uint8_t* Warp::DefinedRow(const DecodedInstr& instr, unsigned operand, unsigned* bits) {
  Frame& frame = *fragments_[current_].frame;
  const DecodedOperand& decoded = frame.code->operands[instr.first_operand + operand];
  if (decoded.kind == DecodedOperand::Kind::kConstant) {
    *bits = decoded.bits;
    return static_cast<const uint8_t*>(frame.code->Constant(decoded.row));
  }
  if (decoded.kind != DecodedOperand::Kind::kRow || (frame.undefined[decoded.row] & active_) != 0) return nullptr;
  *bits = frame.code->rows[decoded.row].bits;
  return frame.Values(decoded.row);
}

void Warp::SetRowDefined(const DecodedInstr& instr, unsigned operand) {
  Frame& frame = *fragments_[current_].frame;
  const DecodedOperand& decoded = frame.code->operands[instr.first_operand + operand];
  if (decoded.kind == DecodedOperand::Kind::kRow) frame.undefined[decoded.row] &= ~active_;
}

void Warp::CountAccesses(const DecodedInstr& instr, MemorySpace space, uint64_t count, uint64_t bytes, bool is_write) {
  LaunchCounts& counts = grid().counts();
  const size_t index = static_cast<size_t>(space) % counts.loads.size();
  if (is_write) {
    counts.stores[index] += count;
    counts.store_bytes[index] += bytes;
    if (instr.is_spill) counts.spill_store_bytes += bytes;
  } else {
    counts.loads[index] += count;
    counts.load_bytes[index] += bytes;
    if (instr.is_spill) counts.spill_load_bytes += bytes;
  }
}

// ---- Origins and faults.

OriginId Warp::NewOrigin(const DecodedInstr& instr, std::string_view what) { return grid().NewOrigin(instr, what); }

void Warp::SetOrigin(const DecodedInstr& instr, unsigned operand, OriginId origin) {
  const DecodedOperand& decoded = code().operands[instr.first_operand + operand];
  if (decoded.kind == DecodedOperand::Kind::kRow) frame().origins[decoded.row] = origin;
}

void Warp::PropagateOrigin(const DecodedInstr& instr, unsigned source, unsigned result) {
  const DecodedOperand& from = code().operands[instr.first_operand + source];
  if (from.kind != DecodedOperand::Kind::kRow) return;
  OriginId origin = frame().origins[from.row];
  if (origin == 0) origin = NewOrigin(instr, DescribeOrigin(instr, source));
  SetOrigin(instr, result, origin);
}

std::string Warp::DescribeOrigin(const DecodedInstr& instr, unsigned operand) const {
  const Frame& frame = *fragments_[current_].frame;
  const DecodedOperand& decoded = frame.code->operands[instr.first_operand + operand];
  if (decoded.row == kNoRow || decoded.kind == DecodedOperand::Kind::kConstant) return {};
  if (const OriginId origin = frame.origins[decoded.row]; origin != 0) {
    return std::string(cta_.grid().DescribeOrigin(origin));
  }
  const Register reg = frame.code->rows[decoded.row].reg;
  return reg.is_virtual() ? StrCat("%", reg.virtual_index(), " has not been written")
                          : std::string("the register has not been written");
}

std::string Warp::DescribeFirstOrigin(const DecodedInstr& instr) const {
  const Frame& frame = *fragments_[current_].frame;
  for (unsigned i = 0; i < instr.num_operands; ++i) {
    const DecodedOperand& decoded = frame.code->operands[instr.first_operand + i];
    if (decoded.kind == DecodedOperand::Kind::kRow && (frame.undefined[decoded.row] & active_) != 0) {
      return DescribeOrigin(instr, i);
    }
  }
  return {};
}

StepResult Warp::Fail(const DecodedInstr& instr, FaultKind kind, unsigned lane, std::string message,
                      std::string origin) {
  Fault& fault = grid().fault();
  if (fault.is_fault()) return StepResult::kFault;
  fault = Describe(instr, kind, lane, std::move(message));
  fault.origin = std::move(origin);
  return StepResult::kFault;
}

Fault Warp::Describe(const DecodedInstr& instr, FaultKind kind, unsigned lane, std::string message) {
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.function = std::string(code().function->name());
  fault.instruction = DescribeInstr(instr);
  const auto& starts = code().block_starts;
  const auto after = std::upper_bound(starts.begin(), starts.end(), pc(),
                                      [](uint32_t at, const auto& start) { return at < start.first; });
  if (after != starts.begin()) fault.block = StrCat("bb.", (after - 1)->second);
  const Dim3& block = cta_.index();
  const Dim3& shape = grid().config().block;
  const unsigned linear = thread(lane);
  fault.position.block[0] = block.x;
  fault.position.block[1] = block.y;
  fault.position.block[2] = block.z;
  fault.position.thread[0] = linear % shape.x;
  fault.position.thread[1] = linear / shape.x % shape.y;
  fault.position.thread[2] = linear / shape.x / shape.y;
  return fault;
}

std::string DescribeInstr(const DecodedInstr& instr) {
  if (instr.source == nullptr) return "an instruction";
  std::string text;
  WriteInstr(*instr.source, {}, text);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace ptxmir::ptx
