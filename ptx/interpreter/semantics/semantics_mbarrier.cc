// SPDX-License-Identifier: Apache-2.0

// mbarrier: barrier objects in shared memory that count arrivals and bytes of asynchronous copies.
//
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier". mbarrier.h describes the object.
// try_wait without a time limit waits until the phase of one of its lanes has passed, so that an endless wait is
// found as a deadlock. With a time limit it only tests, as test_wait does.

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/str_cat.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/async_copies.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/mbarrier_access.h"
#include "ptx/interpreter/exec/tensor_operations.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/semantics_table.h"

namespace ptxmir::ptx {
namespace {

bool FailCount(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address, const Mbarrier& mbarrier) {
  warp.Fail(instr, FaultKind::kTrap, lane,
            StrCat("a count of the mbarrier at ", absl::StrCat("0x", absl::Hex(address)), " leaves its range (",
                   mbarrier.pending, " of ", mbarrier.expected, " arrivals pending, ", mbarrier.transactions,
                   " bytes pending)"));
  return false;
}

// KernelParams: a is the MemorySpace of the object, b the MbarrierOperation, c whether an expect_tx comes first.
enum class MbarrierOperation : uint8_t {
  kInit,
  kInvalidate,
  kExpectTransactions,
  kCompleteTransactions,
  kArrive,
  kArriveNoComplete,
  kArriveDrop,
  kArriveDropNoComplete,
};

MbarrierOperation OperationOf(const DecodedInstr& instr) { return static_cast<MbarrierOperation>(instr.params.b); }

// Reads the generic address of the object, which is the first operand after the results.
bool ReadObject(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t* address) {
  if (!warp.ReadAddress(instr, instr.num_results, lane, address)) return false;
  *address = warp.ToGeneric(static_cast<MemorySpace>(instr.params.a), *address);
  return true;
}

// Reads the operand after the object, if there is one.
bool ReadCount(Warp& warp, const DecodedInstr& instr, unsigned lane, int64_t* count) {
  const unsigned operand = instr.num_results + 1u;
  if (operand >= instr.num_operands) return true;
  uint64_t value = 0;
  if (!warp.ReadDefined(instr, operand, lane, &value)) return false;
  *count = static_cast<int64_t>(value & 0xffffffffu);
  return true;
}

// Applies an operation. Returns false if a count leaves its range.
bool Apply(MbarrierOperation operation, int64_t count, bool expects, Mbarrier* mbarrier) {
  const bool parity = mbarrier->parity;
  if (expects) {
    if (!mbarrier->ExpectTransactions(count)) return false;
    count = 1;
  }
  switch (operation) {
    case MbarrierOperation::kExpectTransactions:
      return mbarrier->ExpectTransactions(count);
    case MbarrierOperation::kCompleteTransactions:
      return mbarrier->CompleteTransactions(count);
    case MbarrierOperation::kArrive:
      return mbarrier->Arrive(count);
    case MbarrierOperation::kArriveNoComplete:
      return mbarrier->Arrive(count) && mbarrier->parity == parity;
    case MbarrierOperation::kArriveDrop:
      return mbarrier->ArriveAndDrop(count);
    case MbarrierOperation::kArriveDropNoComplete:
      return mbarrier->ArriveAndDrop(count) && mbarrier->parity == parity;
    default:
      return false;
  }
}

bool UpdateLane(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  uint64_t address = 0;
  int64_t count = 1;
  if (!ReadObject(warp, instr, lane, &address) || !ReadCount(warp, instr, lane, &count)) return false;
  std::optional<Mbarrier> mbarrier = LoadMbarrier(warp, instr, lane, address);
  if (!mbarrier) return false;
  const uint64_t state = mbarrier->Encode();
  if (!Apply(OperationOf(instr), count, instr.params.c != 0, &*mbarrier)) {
    warp.Fail(instr, FaultKind::kTrap, lane,
              StrCat("the count ", count, " is out of range, or ends a phase that must not end; arrivals pending: ",
                     mbarrier->pending, ", bytes pending: ", mbarrier->transactions));
    return false;
  }
  if (!StoreMbarrier(warp, instr, lane, address, *mbarrier)) return false;
  if (instr.num_results != 0) warp.Write(instr, 0, lane, {state, 0});
  return true;
}

bool InitLane(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  uint64_t address = 0;
  int64_t count = 0;
  if (!ReadObject(warp, instr, lane, &address) || !ReadCount(warp, instr, lane, &count)) return false;
  if (count < 1 || count > Mbarrier::kMaxCount) {
    warp.Fail(instr, FaultKind::kTrap, lane, StrCat("an mbarrier cannot expect ", count, " arrivals"));
    return false;
  }
  Mbarrier mbarrier;
  mbarrier.pending = mbarrier.expected = count;
  return StoreMbarrier(warp, instr, lane, address, mbarrier);
}

// Invalidates an object. Its memory may be used for something else, and its contents become undefined.
bool InvalidateLane(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  uint64_t address = 0;
  if (!ReadObject(warp, instr, lane, &address) || !LoadMbarrier(warp, instr, lane, address)) return false;
  std::array<uint8_t, 8> data{};
  std::array<uint8_t, 8> undefined;
  undefined.fill(0xff);
  return warp.Store(instr, MemorySpace::kGeneric, address, 8, lane, AccessKind::kAtomic, data.data(), undefined.data());
}

StepResult RunUpdate(Warp& warp, const DecodedInstr& instr) {
  bool ok = true;
  ForEachLane(warp.active(), [&](unsigned lane) {
    if (!ok) return;
    switch (OperationOf(instr)) {
      case MbarrierOperation::kInit:
        ok = InitLane(warp, instr, lane);
        break;
      case MbarrierOperation::kInvalidate:
        ok = InvalidateLane(warp, instr, lane);
        break;
      default:
        ok = UpdateLane(warp, instr, lane);
        break;
    }
  });
  return ok ? StepResult::kNext : StepResult::kFault;
}

// params.b: whether the last operand is a parity; params.c: whether to wait.
bool PhaseHasPassed(Warp& warp, const DecodedInstr& instr, unsigned lane, bool* passed) {
  uint64_t address = 0;
  uint64_t state = 0;
  if (!ReadObject(warp, instr, lane, &address) || !warp.ReadDefined(instr, instr.num_results + 1u, lane, &state)) {
    return false;
  }
  if (!CompleteBulkCopies(warp, lane, address) || !CompleteTensorCommits(warp, lane, address)) return false;
  const std::optional<Mbarrier> mbarrier = LoadMbarrier(warp, instr, lane, address);
  if (!mbarrier) return false;
  bool parity = (state & 1) != 0;
  if (instr.params.b == 0) {
    const std::optional<Mbarrier> then = Mbarrier::Decode(state);
    if (!then) {
      warp.Fail(instr, FaultKind::kTrap, lane, "the state to wait for was not returned by an arrival");
      return false;
    }
    parity = then->parity;
  }
  *passed = mbarrier->parity != parity;
  return true;
}

StepResult RunWait(Warp& warp, const DecodedInstr& instr) {
  LaneMask passed = 0;
  bool ok = true;
  ForEachLane(warp.active(), [&](unsigned lane) {
    bool has_passed = false;
    ok = ok && PhaseHasPassed(warp, instr, lane, &has_passed);
    if (has_passed) passed |= LaneMask{1} << lane;
  });
  if (!ok) return StepResult::kFault;
  if (passed == 0 && instr.params.c != 0) return StepResult::kBlocked;
  ForEachLane(warp.active(), [&](unsigned lane) { warp.Write(instr, 0, lane, {passed >> lane & 1, 0}); });
  if (passed != 0) return StepResult::kNext;
  // The loop around this ends once another warp has run.
  warp.GiveWay();
  return StepResult::kJumped;
}

StepResult RunPendingCount(Warp& warp, const DecodedInstr& instr) {
  bool ok = true;
  ForEachLane(warp.active(), [&](unsigned lane) {
    const LaneValue state = warp.Read(instr, 1, lane);
    const std::optional<Mbarrier> mbarrier = Mbarrier::Decode(state.value);
    if (ok && state.undefined == 0 && !mbarrier) {
      warp.Fail(instr, FaultKind::kTrap, lane, "the state was not returned by an arrival");
      ok = false;
    }
    if (!ok) return;
    const uint64_t undefined = state.undefined != 0 ? ~uint64_t{0} : 0;
    warp.Write(instr, 0, lane, {mbarrier ? static_cast<uint64_t>(mbarrier->pending) : 0, undefined});
  });
  return ok ? StepResult::kNext : StepResult::kFault;
}

// ---- Resolver.

std::optional<MbarrierOperation> FindOperation(const Mnemonic& mnemonic) {
  using enum MbarrierOperation;
  const std::string_view name = mnemonic.parts()[0];
  const bool no_complete = mnemonic.Has("noComplete");
  if (name == "init") return kInit;
  if (name == "inval") return kInvalidate;
  if (name == "expect_tx") return kExpectTransactions;
  if (name == "complete_tx") return kCompleteTransactions;
  if (name == "arrive") return no_complete ? kArriveNoComplete : kArrive;
  if (name == "arrive_drop") return no_complete ? kArriveDropNoComplete : kArriveDrop;
  return std::nullopt;
}

bool ResolveMbarrier(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  if (mnemonic.parts().empty()) return false;
  semantics->category = InstrCategory::kBarrier;
  semantics->params.a = static_cast<uint32_t>(SpaceOf(mnemonic));
  const std::string_view name = mnemonic.parts()[0];
  if (name == "pending_count") {
    semantics->warp = &RunPendingCount;
  } else if (name == "test_wait" || name == "try_wait") {
    const bool has_limit = statement.num_groups() > 3;
    semantics->warp = &RunWait;
    semantics->params.b = mnemonic.Has("parity");
    semantics->params.c = name == "try_wait" && !has_limit;
  } else if (const std::optional<MbarrierOperation> operation = FindOperation(mnemonic)) {
    semantics->warp = &RunUpdate;
    semantics->params.b = static_cast<uint32_t>(*operation);
    semantics->params.c = mnemonic.Has("expect_tx") && *operation != MbarrierOperation::kExpectTransactions;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<Mbarrier> LoadMbarrier(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address) {
  std::array<uint8_t, 8> data{};
  std::array<uint8_t, 8> undefined{};
  if (!warp.Load(instr, MemorySpace::kGeneric, address, 8, lane, AccessKind::kAtomic, data.data(), undefined.data())) {
    return std::nullopt;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, data.data(), sizeof bits);
  uint64_t unknown = 0;
  std::memcpy(&unknown, undefined.data(), sizeof unknown);
  const std::optional<Mbarrier> mbarrier = unknown == 0 ? Mbarrier::Decode(bits) : std::nullopt;
  if (!mbarrier) {
    warp.Fail(instr, FaultKind::kUndefinedOperand, lane,
              StrCat("no initialized mbarrier at ", absl::StrCat("0x", absl::Hex(address))));
  }
  return mbarrier;
}

bool StoreMbarrier(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address, const Mbarrier& mbarrier) {
  std::array<uint8_t, 8> data{};
  const uint64_t bits = mbarrier.Encode();
  std::memcpy(data.data(), &bits, sizeof bits);
  // Threads that wait for its phase must test again.
  if (Cta* const owner = warp.OwnerOfGeneric(address); owner != nullptr) ++owner->progress;
  return warp.Store(instr, MemorySpace::kGeneric, address, 8, lane, AccessKind::kAtomic, data.data(), nullptr);
}

bool MbarrierCompleteTransactions(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address,
                                  uint32_t bytes) {
  std::optional<Mbarrier> mbarrier = LoadMbarrier(warp, instr, lane, address);
  if (!mbarrier) return false;
  if (!mbarrier->CompleteTransactions(bytes)) return FailCount(warp, instr, lane, address, *mbarrier);
  return StoreMbarrier(warp, instr, lane, address, *mbarrier);
}

bool MbarrierArrive(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address) {
  std::optional<Mbarrier> mbarrier = LoadMbarrier(warp, instr, lane, address);
  if (!mbarrier) return false;
  if (!mbarrier->Arrive(1)) return FailCount(warp, instr, lane, address, *mbarrier);
  return StoreMbarrier(warp, instr, lane, address, *mbarrier);
}

bool MbarrierArriveForCopies(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address, bool counted) {
  std::optional<Mbarrier> mbarrier = LoadMbarrier(warp, instr, lane, address);
  if (!mbarrier) return false;
  if ((!counted && !mbarrier->ExpectArrivals(1)) || !mbarrier->Arrive(1)) {
    return FailCount(warp, instr, lane, address, *mbarrier);
  }
  return StoreMbarrier(warp, instr, lane, address, *mbarrier);
}

absl::Span<const ResolverEntry> MbarrierResolvers() {
  static constexpr ResolverEntry kEntries[] = {{"mbarrier", &ResolveMbarrier}};
  return kEntries;
}

}  // namespace ptxmir::ptx
