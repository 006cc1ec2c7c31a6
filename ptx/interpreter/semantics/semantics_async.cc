// SPDX-License-Identifier: Apache-2.0

// Asynchronous copies: cp.async and cp.async.bulk.
//
// PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy". A copy may happen at any time between its
// issue and the wait for it, and a program must not depend on when. So the destination in shared memory becomes
// undefined when the copy is issued, and receives its data when a thread waits:
//
// - cp.async: when the thread waits for the group, or makes an mbarrier track its copies. The source is read at the
//   issue, so that bad addresses are reported there.
// - Bulk copies with an mbarrier: when a thread tests the phase of the mbarrier. That thread performs the copies,
//   which count as strong accesses, because waiting orders them.
// - Bulk copies with a group: when the thread waits for the group, with or without .read, or ends. The source is
//   read only then, so that a program that changes it too early is detected.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/async_copies.h"
#include "ptx/interpreter/exec/async_state.h"
#include "ptx/interpreter/exec/collective_groups.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/mbarrier_access.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/semantics_table.h"

namespace ptxmir::ptx {
namespace {

constexpr unsigned kChunk = 16;
constexpr std::array<uint8_t, kChunk> kZeros{};
constexpr std::array<uint8_t, kChunk> kUndefinedBytes = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                         0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

bool ReadGeneric(Warp& warp, const DecodedInstr& instr, unsigned operand, MemorySpace space, unsigned lane,
                 uint64_t* address) {
  if (!warp.ReadAddress(instr, operand, lane, address)) return false;
  *address = warp.ToGeneric(space, *address);
  return true;
}

// Loads any number of bytes up to 16 from an aligned address.
bool LoadBytes(Warp& warp, const DecodedInstr& instr, uint64_t address, unsigned size, unsigned lane, AccessKind kind,
               uint8_t* data, uint8_t* undefined) {
  if (std::has_single_bit(size)) {
    return warp.Load(instr, MemorySpace::kGeneric, address, size, lane, kind, data, undefined);
  }
  for (unsigned i = 0; i < size; ++i) {
    if (!warp.Load(instr, MemorySpace::kGeneric, address + i, 1, lane, kind, data + i, undefined + i)) return false;
  }
  return true;
}

// ---- cp.async.

bool CompleteCopy(Warp& warp, unsigned lane, const PendingCopy& copy) {
  return warp.Store(*copy.instr, MemorySpace::kGeneric, copy.destination, copy.size, lane, AccessKind::kPlain,
                    copy.data.data(), copy.undefined.data());
}

// Completes the copies of the groups below `end`.
bool CompleteCopies(Warp& warp, unsigned lane, uint32_t end) {
  std::vector<PendingCopy>& copies = warp.thread_async(lane).copies;
  const auto last =
      std::find_if(copies.begin(), copies.end(), [end](const PendingCopy& copy) { return copy.group >= end; });
  const bool ok =
      std::all_of(copies.begin(), last, [&](const PendingCopy& copy) { return CompleteCopy(warp, lane, copy); });
  copies.erase(copies.begin(), last);
  return ok;
}

// Reads the number of bytes to copy. The optional operand is a number of bytes, or a predicate to ignore the source.
bool ReadSourceSize(Warp& warp, const DecodedInstr& instr, unsigned lane, unsigned size, unsigned* source_size) {
  constexpr unsigned kOperand = 3;
  *source_size = size;
  if (instr.params.a == 0) return true;
  uint64_t value = 0;
  if (!warp.ReadDefined(instr, kOperand, lane, &value)) return false;
  if (warp.OperandBits(instr, kOperand) == 1) {
    if (value != 0) *source_size = 0;
    return true;
  }
  value &= 0xffffffffu;
  if (value > size) {
    warp.Fail(instr, FaultKind::kTrap, lane, StrCat("the source of a copy of ", size, " bytes has ", value));
    return false;
  }
  *source_size = static_cast<unsigned>(value);
  return true;
}

bool IssueAsyncCopy(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  PendingCopy copy;
  copy.instr = &instr;
  copy.size = static_cast<uint8_t>(instr.params.b);
  uint64_t source = 0;
  unsigned source_size = 0;
  if (!ReadGeneric(warp, instr, 0, MemorySpace::kShared, lane, &copy.destination) ||
      !ReadSourceSize(warp, instr, lane, copy.size, &source_size)) {
    return false;
  }
  if (source_size != 0) {
    if (!ReadGeneric(warp, instr, 1, MemorySpace::kGlobal, lane, &source)) return false;
    if (source % copy.size != 0) {
      warp.Fail(instr, FaultKind::kMisaligned, lane, StrCat("the source is not a multiple of ", copy.size));
      return false;
    }
    if (!LoadBytes(warp, instr, source, source_size, lane, AccessKind::kPlain, copy.data.data(),
                   copy.undefined.data())) {
      return false;
    }
  }
  if (!warp.Store(instr, MemorySpace::kGeneric, copy.destination, copy.size, lane, AccessKind::kPlain, kZeros.data(),
                  kUndefinedBytes.data())) {
    return false;
  }
  ThreadAsyncState& state = warp.thread_async(lane);
  copy.group = state.open_group;
  state.copies.push_back(copy);
  return true;
}

// params.a: whether there is a source size or predicate; params.b: bytes.
StepResult RunCopy(Warp& warp, const DecodedInstr& instr) {
  return ForEachActive(warp, [&](unsigned lane) { return IssueAsyncCopy(warp, instr, lane); });
}

StepResult RunAsyncCommit(Warp& warp, const DecodedInstr&) {
  ForEachLane(warp.active(), [&](unsigned lane) { ++warp.thread_async(lane).open_group; });
  return StepResult::kNext;
}

// Returns the number of the first group that may stay pending, if all but the last `allowed` committed ones must
// complete.
uint32_t EndOfWait(uint32_t open_group, uint64_t allowed) {
  return allowed >= open_group ? 0 : open_group - static_cast<uint32_t>(allowed);
}

StepResult RunWaitGroup(Warp& warp, const DecodedInstr& instr) {
  return ForEachActive(warp, [&](unsigned lane) {
    uint64_t allowed = 0;
    return warp.ReadDefined(instr, 0, lane, &allowed) &&
           CompleteCopies(warp, lane, EndOfWait(warp.thread_async(lane).open_group, allowed));
  });
}

StepResult RunWaitAll(Warp& warp, const DecodedInstr&) {
  return ForEachActive(warp, [&](unsigned lane) {
    const uint32_t group = ++warp.thread_async(lane).open_group;
    return CompleteCopies(warp, lane, group);
  });
}

// params.a: MemorySpace of the mbarrier; params.b: .noinc.
StepResult RunMbarrierArrive(Warp& warp, const DecodedInstr& instr) {
  return ForEachActive(warp, [&](unsigned lane) {
    uint64_t address = 0;
    return ReadGeneric(warp, instr, 0, static_cast<MemorySpace>(instr.params.a), lane, &address) &&
           CompleteCopies(warp, lane, warp.thread_async(lane).open_group + 1) &&
           MbarrierArriveForCopies(warp, instr, lane, address, instr.params.b != 0);
  });
}

// ---- Bulk copies.

bool CompleteChunk(Warp& warp, unsigned lane, const PendingBulkCopy& copy, uint32_t offset, AccessKind kind) {
  std::array<uint8_t, kChunk> data{};
  std::array<uint8_t, kChunk> undefined{};
  if (!warp.Load(*copy.instr, MemorySpace::kGeneric, copy.source + offset, kChunk, lane, kind, data.data(),
                 undefined.data())) {
    return false;
  }
  const uint64_t destination = copy.destination + offset;
  if (copy.byte_mask == 0xffff) {
    return warp.Store(*copy.instr, MemorySpace::kGeneric, destination, kChunk, lane, kind, data.data(),
                      undefined.data());
  }
  for (unsigned i = 0; i < kChunk; ++i) {
    if ((copy.byte_mask >> i & 1) != 0 &&
        !warp.Store(*copy.instr, MemorySpace::kGeneric, destination + i, 1, lane, kind, &data[i], &undefined[i])) {
      return false;
    }
  }
  return true;
}

bool CompleteBulkCopy(Warp& warp, unsigned lane, const PendingBulkCopy& copy, AccessKind kind) {
  if (copy.box != nullptr) return CompleteTensorBox(warp, lane, copy, kind);
  if (copy.response != nullptr) {
    return warp.Store(*copy.instr, MemorySpace::kGeneric, copy.destination, kChunk, lane, kind, copy.response->data(),
                      nullptr);
  }
  for (uint32_t offset = 0; offset < copy.size; offset += kChunk) {
    if (!CompleteChunk(warp, lane, copy, offset, kind)) return false;
  }
  return true;
}

// Completes the copies of the bulk groups below `end`.
bool CompleteBulkGroups(Warp& warp, unsigned lane, uint32_t end) {
  std::vector<PendingBulkCopy>& copies = warp.thread_async(lane).bulk_copies;
  const auto last =
      std::find_if(copies.begin(), copies.end(), [end](const PendingBulkCopy& copy) { return copy.group >= end; });
  const bool ok = std::all_of(copies.begin(), last, [&](const PendingBulkCopy& copy) {
    return CompleteBulkCopy(warp, lane, copy, AccessKind::kPlain);
  });
  copies.erase(copies.begin(), last);
  return ok;
}

// KernelParams of bulk copies: a and b are the MemorySpaces of destination and source, c has these flags.
struct BulkFlag {
  enum : uint32_t { kMbarrier = 1, kMulticast = 2, kByteMask = 4, kCacheHint = 8 };  // params.c
};

bool CheckBulk(Warp& warp, const DecodedInstr& instr, unsigned lane, const PendingBulkCopy& copy) {
  if (copy.destination % kChunk == 0 && copy.source % kChunk == 0 && copy.size % kChunk == 0) return true;
  warp.Fail(instr, FaultKind::kMisaligned, lane,
            StrCat("addresses and size (", copy.size, ") of a bulk copy must be multiples of ", kChunk));
  return false;
}

bool IssueBulkCopy(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  const uint32_t flags = instr.params.c;
  PendingBulkCopy copy;
  copy.instr = &instr;
  uint64_t size = 0;
  if (!ReadGeneric(warp, instr, 0, static_cast<MemorySpace>(instr.params.a), lane, &copy.destination) ||
      !ReadGeneric(warp, instr, 1, static_cast<MemorySpace>(instr.params.b), lane, &copy.source) ||
      !warp.ReadDefined(instr, 2, lane, &size)) {
    return false;
  }
  copy.size = static_cast<uint32_t>(size);
  if (!CheckBulk(warp, instr, lane, copy)) return false;
  if ((flags & BulkFlag::kMbarrier) == 0) {
    if ((flags & BulkFlag::kByteMask) != 0) {
      uint64_t mask = 0;
      if (!warp.ReadDefined(instr, (flags & BulkFlag::kCacheHint) != 0 ? 4 : 3, lane, &mask)) return false;
      copy.byte_mask = static_cast<uint32_t>(mask & 0xffff);
    }
    ThreadAsyncState& state = warp.thread_async(lane);
    copy.group = state.open_bulk_group;
    state.bulk_copies.push_back(copy);
    return true;
  }
  // The mbarrier is in shared memory of the destination's CTA.
  if (!ReadGeneric(warp, instr, 3, static_cast<MemorySpace>(instr.params.a), lane, &copy.mbarrier)) return false;
  if ((flags & BulkFlag::kMulticast) == 0) return IssueBulkWithMbarrier(warp, instr, lane, copy);
  uint64_t mask = 0;
  return warp.ReadDefined(instr, 4, lane, &mask) &&
         IssueBulkMulticast(warp, instr, lane, copy, static_cast<uint32_t>(mask & 0xffff));
}

StepResult RunBulkCopy(Warp& warp, const DecodedInstr& instr) {
  return ForEachActive(warp, [&](unsigned lane) { return IssueBulkCopy(warp, instr, lane); });
}

StepResult RunBulkCommit(Warp& warp, const DecodedInstr&) {
  ForEachLane(warp.active(), [&](unsigned lane) { ++warp.thread_async(lane).open_bulk_group; });
  return StepResult::kNext;
}

StepResult RunBulkWait(Warp& warp, const DecodedInstr& instr) {
  return ForEachActive(warp, [&](unsigned lane) {
    uint64_t allowed = 0;
    return warp.ReadDefined(instr, 0, lane, &allowed) &&
           CompleteBulkGroups(warp, lane, EndOfWait(warp.thread_async(lane).open_bulk_group, allowed));
  });
}

// ---- Resolvers.

bool ResolveAsyncCopy(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  unsigned operands = static_cast<unsigned>(statement.operands.size());
  if (mnemonic.Has("L2::cache_hint")) --operands;
  if (operands < 3 || operands > 4 || statement.operands[2].kind != StatementOperand::Kind::kImmediate) return false;
  const int64_t size = statement.operands[2].value;
  if (size != 4 && size != 8 && size != 16) return false;
  semantics->params.a = operands == 4;
  semantics->params.b = static_cast<uint32_t>(size);
  return ResolveKernel(&RunCopy, semantics);
}

bool ResolveBulkCopy(const Statement& statement, Semantics* semantics) {
  // cp.async.bulk.DESTINATION.SOURCE.COMPLETION ...
  const Mnemonic& mnemonic = statement.mnemonic;
  const auto space_of = [](std::string_view name) {
    if (name == "global") return MemorySpace::kGlobal;
    if (name == "shared::cta") return MemorySpace::kShared;
    return name == "shared::cluster" ? MemorySpace::kSharedCluster : MemorySpace::kNone;
  };
  if (mnemonic.parts().size() < 5) return false;
  const MemorySpace destination = space_of(mnemonic.parts()[2]);
  const MemorySpace source = space_of(mnemonic.parts()[3]);
  const bool with_mbarrier = mnemonic.Has("mbarrier::complete_tx::bytes");
  if (destination == MemorySpace::kNone || source == MemorySpace::kNone) return false;
  if (with_mbarrier == (destination == MemorySpace::kGlobal)) return false;
  if (!with_mbarrier && !mnemonic.Has("bulk_group")) return false;
  uint32_t flags = with_mbarrier ? uint32_t{BulkFlag::kMbarrier} : 0;
  if (mnemonic.Has("multicast::cluster")) flags |= BulkFlag::kMulticast;
  if (mnemonic.Has("cp_mask")) flags |= BulkFlag::kByteMask;
  if (mnemonic.Has("L2::cache_hint")) flags |= BulkFlag::kCacheHint;
  if (statement.operands.size() != 3u + static_cast<unsigned>(std::popcount(flags))) return false;
  semantics->params.a = static_cast<uint32_t>(destination);
  semantics->params.b = static_cast<uint32_t>(source);
  semantics->params.c = flags;
  return ResolveKernel(&RunBulkCopy, semantics);
}

bool ResolveBulk(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  if (mnemonic.Has("commit_group")) return ResolveKernel(&RunBulkCommit, semantics);
  if (mnemonic.Has("wait_group")) return ResolveKernel(&RunBulkWait, semantics);
  if (mnemonic.Has("tensor")) return ResolveTensorCopy(statement, semantics);
  if (mnemonic.Has("prefetch")) return ResolveKernel(&RunNothing, semantics);
  return ResolveBulkCopy(statement, semantics);
}

bool ResolveAsync(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  semantics->category = InstrCategory::kAsync;
  if (mnemonic.parts().size() < 2 || mnemonic.parts()[0] != "async") return false;
  const std::string_view form = mnemonic.parts()[1];
  if (form == "bulk") return ResolveBulk(statement, semantics);
  if (form == "commit_group") return ResolveKernel(&RunAsyncCommit, semantics);
  if (form == "wait_group") return ResolveKernel(&RunWaitGroup, semantics);
  if (form == "wait_all") return ResolveKernel(&RunWaitAll, semantics);
  if (form == "mbarrier") {
    semantics->params.a = static_cast<uint32_t>(SpaceOf(mnemonic));
    semantics->params.b = mnemonic.Has("noinc");
    return ResolveKernel(&RunMbarrierArrive, semantics);
  }
  return (form == "ca" || form == "cg") && ResolveAsyncCopy(statement, semantics);
}

}  // namespace

// Makes the destination undefined and registers the copy with the CTA that contains the mbarrier.
bool IssueBulkWithMbarrier(Warp& warp, const DecodedInstr& instr, unsigned lane, const PendingBulkCopy& copy) {
  for (uint32_t offset = 0; offset < copy.size; offset += kChunk) {
    if (!warp.Store(instr, MemorySpace::kGeneric, copy.destination + offset, kChunk, lane, AccessKind::kPlain,
                    kZeros.data(), kUndefinedBytes.data())) {
      return false;
    }
  }
  // Check the mbarrier after the stores, so that a thread that waits for the object has also waited for them.
  if (!LoadMbarrier(warp, instr, lane, copy.mbarrier)) return false;
  CtaAsyncState* const state = warp.cta_async(copy.mbarrier);
  if (state == nullptr) {
    warp.Fail(instr, FaultKind::kOutOfBounds, lane, "the mbarrier is not in shared memory");
    return false;
  }
  state->bulk_copies.push_back(copy);
  // A thread may be waiting for this, possibly in another CTA.
  if (Cta* const owner = warp.OwnerOfGeneric(copy.mbarrier); owner != nullptr) ++owner->progress;
  return true;
}

// Issues the same copy for each CTA of a mask, at the same offsets in its shared memory.
bool IssueBulkMulticast(Warp& warp, const DecodedInstr& instr, unsigned lane, const PendingBulkCopy& copy,
                        uint32_t mask) {
  const auto in_cta = [](uint64_t address, unsigned rank) {
    return kSharedWindow + (rank + 1) * kSharedStride + (address - kSharedWindow) % kSharedStride;
  };
  for (; mask != 0; mask &= mask - 1) {
    const unsigned rank = static_cast<unsigned>(std::countr_zero(mask));
    PendingBulkCopy part = copy;
    part.destination = in_cta(copy.destination, rank);
    part.mbarrier = in_cta(copy.mbarrier, rank);
    if (!IssueBulkWithMbarrier(warp, instr, lane, part)) return false;
  }
  return true;
}

bool CompleteBulkCopies(Warp& warp, unsigned lane, uint64_t mbarrier) {
  CtaAsyncState* const state = warp.cta_async(mbarrier);
  if (state == nullptr) return true;
  std::vector<PendingBulkCopy>& pending = state->bulk_copies;
  const auto first = std::stable_partition(
      pending.begin(), pending.end(), [mbarrier](const PendingBulkCopy& copy) { return copy.mbarrier != mbarrier; });
  const std::vector<PendingBulkCopy> copies(first, pending.end());
  pending.erase(first, pending.end());
  return std::all_of(copies.begin(), copies.end(), [&](const PendingBulkCopy& copy) {
    return CompleteBulkCopy(warp, lane, copy, AccessKind::kStrong) &&
           MbarrierCompleteTransactions(warp, *copy.instr, lane, mbarrier, copy.size);
  });
}

bool FinishThreadCopies(Warp& warp, unsigned lane) {
  ThreadAsyncState& state = warp.thread_async(lane);
  if (state.empty()) return true;
  state.copies.clear();
  return CompleteBulkGroups(warp, lane, state.open_bulk_group + 1);
}

absl::Span<const ResolverEntry> AsyncResolvers() {
  static constexpr ResolverEntry kEntries[] = {{"cp", &ResolveAsync}};
  return kEntries;
}

}  // namespace ptxmir::ptx
