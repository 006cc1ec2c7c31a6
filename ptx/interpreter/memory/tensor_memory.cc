// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/memory/tensor_memory.h"

#include <algorithm>

namespace ptxmir::ptx {

std::optional<unsigned> TensorMemory::Allocate(unsigned columns) {
  const unsigned units = columns / kUnit;
  for (unsigned first = 0; first + units <= places_.size(); ++first) {
    const auto begin = places_.begin() + first;
    if (std::find(begin, begin + units, Place::kAllocated) != begin + units) continue;
    std::fill_n(begin, units, Place::kAllocated);
    sizes_[first] = columns;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const size_t at = size_t{lane} * kColumns + first * kUnit;
      std::fill_n(words_.begin() + static_cast<ptrdiff_t>(at), columns, Word{});
      std::fill_n(writes_.begin() + static_cast<ptrdiff_t>(at), columns, Record{});
      std::fill_n(reads_.begin() + static_cast<ptrdiff_t>(at), columns, Record{});
    }
    return first * kUnit;
  }
  return std::nullopt;
}

bool TensorMemory::Free(unsigned column, unsigned columns) {
  if (column % kUnit != 0 || column >= kColumns || columns == 0 || sizes_[column / kUnit] != columns) return false;
  sizes_[column / kUnit] = 0;
  std::fill_n(places_.begin() + column / kUnit, columns / kUnit, Place::kFreed);
  return true;
}

bool TensorMemory::AnyAllocated() const {
  return std::find(places_.begin(), places_.end(), Place::kAllocated) != places_.end();
}

bool TensorMemory::IsPending(unsigned column, unsigned columns) const {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto begin = writes_.begin() + static_cast<ptrdiff_t>(size_t{lane} * kColumns + column);
    if (std::any_of(begin, begin + columns, [](const Record& write) { return write.kind == Kind::kPending; })) {
      return true;
    }
  }
  return false;
}

// ---- Order.

bool TensorMemory::IsPublished(const Record& record, const TensorOrder& by) const {
  const TensorOrder& other = *warps[record.warp - 1u];
  return other.fenced_before > record.time && by.fenced_after > record.time;
}

bool TensorMemory::IsWriteOrdered(const Record& write, AccessType type, const TensorOrder& by) const {
  const bool is_own = write.warp == by.id;
  switch (write.kind) {
    case Kind::kNone:
      return true;
    case Kind::kSynchronous:
      return warps[write.warp - 1u]->waited_stores > write.time && (is_own || IsPublished(write, by));
    case Kind::kPending:
      // The pipeline of copies, shifts and products keeps their order.
      return type != AccessType::kLoad && type != AccessType::kStore && (is_own || IsPublished(write, by));
    case Kind::kCompleted:
      // tcgen05.commit acts as the fence of the writing side.
      return is_own || by.fenced_after > write.time;
  }
  return true;
}

bool TensorMemory::IsReadOrdered(const Record& read, const TensorOrder& by) const {
  if (read.kind == Kind::kNone) return true;
  return warps[read.warp - 1u]->waited_loads > read.time && (read.warp == by.id || IsPublished(read, by));
}

std::string_view TensorMemory::Access(unsigned lane, unsigned column, AccessType type, const TensorOrder& by,
                                      uint64_t now, uint32_t sequence) {
  const size_t at = size_t{lane} * kColumns + column;
  if (!IsWriteOrdered(writes_[at], type, by)) {
    return writes_[at].kind == Kind::kPending ? "an operation that has not been waited for will write it"
                                              : "a write by another instruction has not been waited for or fenced";
  }
  switch (type) {
    case AccessType::kLoad:
      reads_[at] = {.time = now, .warp = static_cast<uint16_t>(by.id), .kind = Kind::kSynchronous};
      return {};
    case AccessType::kAsyncRead:
      return {};
    case AccessType::kStore:
    case AccessType::kAsyncWrite:
      break;
  }
  if (!IsReadOrdered(reads_[at], by)) return "a load has not been waited for or fenced";
  writes_[at] = {.time = now,
                 .sequence = sequence,
                 .warp = static_cast<uint16_t>(by.id),
                 .kind = type == AccessType::kStore ? Kind::kSynchronous : Kind::kPending};
  reads_[at] = {};
  return {};
}

void TensorMemory::Complete(unsigned lane, unsigned column, uint32_t sequence, uint64_t now) {
  Record& write = writes_[size_t{lane} * kColumns + column];
  if (write.kind != Kind::kPending || write.sequence != sequence) return;
  write.kind = Kind::kCompleted;
  write.time = now;
}

// ---- Layouts.

std::optional<TensorMovement> FindTensorMovement(std::string_view shape) {
  if (shape == "32x32b") return TensorMovement::k32x32b;
  if (shape == "16x64b") return TensorMovement::k16x64b;
  if (shape == "16x128b") return TensorMovement::k16x128b;
  if (shape == "16x256b") return TensorMovement::k16x256b;
  if (shape == "16x32bx2") return TensorMovement::k16x32bx2;
  return std::nullopt;
}

unsigned RegistersOf(TensorMovement movement) {
  switch (movement) {
    case TensorMovement::k16x128b:
      return 2;
    case TensorMovement::k16x256b:
      return 4;
    default:
      return 1;
  }
}

unsigned LanesOf(TensorMovement movement) { return movement == TensorMovement::k32x32b ? 32 : 16; }

TensorPlace FindTensorPlace(TensorMovement movement, unsigned lane, unsigned reg) {
  switch (movement) {
    case TensorMovement::k32x32b:
      return {.lane = lane, .column = reg};
    case TensorMovement::k16x64b:
      return {.lane = lane / 4 + lane % 2 * 8, .column = reg * 2 + lane / 2 % 2};
    case TensorMovement::k16x128b:
      return {.lane = lane / 4 + reg % 2 * 8, .column = reg / 2 * 4 + lane % 4};
    case TensorMovement::k16x256b:
      return {.lane = lane / 4 + reg / 2 % 2 * 8, .column = reg / 4 * 8 + lane % 4 * 2 + reg % 2};
    case TensorMovement::k16x32bx2:
      return {.lane = lane % 16, .column = reg, .is_second = lane >= 16};
  }
  return {};
}

}  // namespace ptxmir::ptx
