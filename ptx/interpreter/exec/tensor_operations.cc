// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/exec/tensor_operations.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/str_cat.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/mbarrier_access.h"
#include "ptx/interpreter/exec/warp.h"

namespace ptxmir::ptx {

bool CheckTensorColumns(Warp& warp, const DecodedInstr& instr, unsigned lane, const Cta& cta, unsigned column,
                        unsigned columns) {
  const TensorMemory* const memory = cta.tensor_memory_if_any();
  const auto fail = [&](FaultKind kind, std::string_view what) {
    warp.Fail(instr, kind, lane, StrCat("columns ", column, " to ", column + columns - 1, " of tensor memory ", what));
    return false;
  };
  if (column + columns > TensorMemory::kColumns) return fail(FaultKind::kOutOfBounds, "do not all exist");
  for (unsigned i = 0; i < columns; ++i) {
    const auto place = memory == nullptr ? TensorMemory::Place::kNever : memory->PlaceOf(column + i);
    if (place == TensorMemory::Place::kFreed) return fail(FaultKind::kUseAfterFree, "have been given back");
    if (place == TensorMemory::Place::kNever) return fail(FaultKind::kOutOfBounds, "have not been allocated");
  }
  return true;
}

bool AccessTensorWord(Warp& warp, const DecodedInstr& instr, unsigned lane, const TensorWordId& word,
                      TensorMemory::AccessType type, uint32_t sequence) {
  if (!warp.grid().config().detect_races) return true;
  const std::string_view problem =
      word.cta->tensor_memory().Access(word.lane, word.column, type, warp.tensor_order, warp.grid().steps, sequence);
  if (problem.empty()) return true;
  warp.Fail(
      instr, FaultKind::kDataRace, lane,
      StrCat("an access to lane ", word.lane, ", column ", word.column, " of tensor memory is not ordered: ", problem));
  return false;
}

uint32_t NextTensorSequence(const Warp& warp) { return warp.cta().tensor.last_sequence + 1; }

void IssueTensorOperation(Warp& warp, TensorOperation operation) {
  CtaTensorState& state = warp.cta().tensor;
  operation.cta = &warp.cta();
  operation.sequence = ++state.last_sequence;
  state.operations.push_back(operation);
}

void CompleteTensorWord(Warp& warp, const TensorOperation& operation, const TensorWordId& word,
                        TensorMemory::Word value) {
  TensorMemory& memory = word.cta->tensor_memory();
  memory.At(word.lane, word.column) = value;
  memory.Complete(word.lane, word.column, operation.sequence, warp.grid().steps);
}

namespace {

bool ExecuteOperations(Warp& warp, unsigned lane, CtaTensorState& state, uint32_t last) {
  const auto behind = std::find_if(state.operations.begin(), state.operations.end(),
                                   [last](const TensorOperation& operation) { return operation.sequence > last; });
  const std::vector<TensorOperation> ready(state.operations.begin(), behind);
  state.operations.erase(state.operations.begin(), behind);
  return std::all_of(ready.begin(), ready.end(),
                     [&](const TensorOperation& operation) { return operation.execute(warp, lane, operation); });
}

}  // namespace

bool CompleteTensorCommits(Warp& warp, unsigned lane, uint64_t mbarrier) {
  Cta* const owner = warp.OwnerOfGeneric(mbarrier);
  if (owner == nullptr) return true;
  std::vector<PendingTensorCommit>& pending = owner->tensor.commits;
  const auto first =
      std::stable_partition(pending.begin(), pending.end(),
                            [mbarrier](const PendingTensorCommit& commit) { return commit.mbarrier != mbarrier; });
  const std::vector<PendingTensorCommit> commits(first, pending.end());
  pending.erase(first, pending.end());
  return std::all_of(commits.begin(), commits.end(), [&](const PendingTensorCommit& commit) {
    return ExecuteOperations(warp, lane, commit.cta->tensor, commit.sequence) &&
           MbarrierArrive(warp, *commit.instr, lane, mbarrier);
  });
}

Cta* PeerOf(const Cta& cta) {
  const size_t rank = cta.rank() ^ 1;
  const auto& ctas = cta.cluster().ctas();
  return rank < ctas.size() ? ctas[rank].get() : nullptr;
}

uint64_t SharedAddressIn(const Cta& cta, uint64_t offset) {
  return kSharedWindow + (cta.rank() + 1) * kSharedStride + offset;
}

bool LoadTensorChunk(Warp& warp, const DecodedInstr& instr, unsigned lane, const Cta& cta, uint32_t address,
                     TensorChunk* chunk) {
  return warp.Load(instr, MemorySpace::kGeneric, SharedAddressIn(cta, address), chunk->data.size(), lane,
                   AccessKind::kStrong, chunk->data.data(), chunk->undefined.data());
}

bool CheckTensorMemoryIsFree(Warp& warp, const DecodedInstr& instr) {
  const TensorMemory* const memory = warp.cta().tensor_memory_if_any();
  if (memory == nullptr || !memory->AnyAllocated()) return true;
  if (warp.cta().NumAlive() != static_cast<uint32_t>(std::popcount(warp.active()))) return true;
  warp.Fail(instr, FaultKind::kTrap, FirstLane(warp.active()), "the CTA ends and has not given back its tensor memory");
  return false;
}

}  // namespace ptxmir::ptx
