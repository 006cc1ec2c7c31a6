// SPDX-License-Identifier: Apache-2.0

// Asynchronous operations on tensor memory: tcgen05.cp, tcgen05.shift, tcgen05.mma.
//
// As with the copies of async_state.h, an operation takes effect when a thread tests an mbarrier that tracks it
// through tcgen05.commit. All operations that its CTA issued before it take effect at the same time. Operations that
// are never waited for never take effect. Issuing an operation checks addresses and order (tensor_memory.h) and
// marks the words that will be written.

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_TENSOR_OPERATIONS_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_TENSOR_OPERATIONS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "ptx/interpreter/memory/tensor_memory.h"

namespace ptxmir::ptx {

class Cta;
class Warp;
struct DecodedInstr;

struct TensorOperation {
  const DecodedInstr* instr = nullptr;
  // Performs the operation on behalf of a lane of the warp that tests the mbarrier. Returns false after a fault.
  bool (*execute)(Warp& warp, unsigned lane, const TensorOperation& operation) = nullptr;
  Cta* cta = nullptr;     // the CTA that issued it
  uint32_t sequence = 0;  // its number in the CTA
  uint32_t d = 0;         // address of the destination in tensor memory
  uint64_t a = 0;         // a descriptor, or an address in tensor memory
  uint64_t b = 0;         // a descriptor
  uint32_t shape = 0;     // the instruction descriptor
  bool accumulates = false;
  uint8_t scale_d = 0;                       // log2 of the divisor of D
  std::array<uint32_t, 8> disabled_lanes{};  // lanes of D, of both CTAs of a pair
  uint64_t zero_columns = 0;                 // zero-column mask descriptor
  uint32_t scales_a = 0;                     // addresses in tensor memory
  uint32_t scales_b = 0;
};

// A tcgen05.commit: an arrival at an mbarrier once the operations up to `sequence` of a CTA are done.
struct PendingTensorCommit {
  const DecodedInstr* instr = nullptr;
  uint64_t mbarrier = 0;  // generic address
  Cta* cta = nullptr;
  uint32_t sequence = 0;
};

// The operations that a CTA has issued, and the commits that report to mbarriers in its shared memory.
struct CtaTensorState {
  std::vector<TensorOperation> operations;
  uint32_t last_sequence = 0;
  std::vector<PendingTensorCommit> commits;
};

// A word of a CTA's tensor memory. For a pair, the CTA is that of the operation or its peer.
struct TensorWordId {
  Cta* cta = nullptr;
  unsigned lane = 0;
  unsigned column = 0;
};

// Checks that the columns exist and are allocated. Returns false after a fault.
bool CheckTensorColumns(Warp& warp, const DecodedInstr& instr, unsigned lane, const Cta& cta, unsigned column,
                        unsigned columns);
// Notes an access to a word of checked columns. Returns false after a fault.
bool AccessTensorWord(Warp& warp, const DecodedInstr& instr, unsigned lane, const TensorWordId& word,
                      TensorMemory::AccessType type, uint32_t sequence = 0);
// Returns the next sequence number of the warp's CTA, for the accesses of an operation that is about to be issued.
uint32_t NextTensorSequence(const Warp& warp);
void IssueTensorOperation(Warp& warp, TensorOperation operation);
// Writes a word of an operation's result.
void CompleteTensorWord(Warp& warp, const TensorOperation& operation, const TensorWordId& word,
                        TensorMemory::Word value);

// Performs the operations that an mbarrier (a generic address) tracks, and notifies it. Call it before the
// mbarrier's phase is read. Returns false after a fault.
bool CompleteTensorCommits(Warp& warp, unsigned lane, uint64_t mbarrier);

// Returns the other CTA of the pair, for .cta_group::2, or null if the cluster has none.
Cta* PeerOf(const Cta& cta);

// Returns the generic address of an offset in the shared memory of a CTA.
uint64_t SharedAddressIn(const Cta& cta, uint64_t offset);

// 16 bytes of a matrix in shared memory.
struct TensorChunk {
  std::array<uint8_t, 16> data{};
  std::array<uint8_t, 16> undefined{};
};
bool LoadTensorChunk(Warp& warp, const DecodedInstr& instr, unsigned lane, const Cta& cta, uint32_t address,
                     TensorChunk* chunk);

// Checks, when the last threads of a CTA end, that its tensor memory has been freed. Returns false after a fault.
bool CheckTensorMemoryIsFree(Warp& warp, const DecodedInstr& instr);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_TENSOR_OPERATIONS_H_
