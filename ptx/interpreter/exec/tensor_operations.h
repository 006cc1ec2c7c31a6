// SPDX-License-Identifier: Apache-2.0

// Asynchronous operations on tensor memory: tcgen05.cp, tcgen05.shift, tcgen05.mma.
//
// As the copies of async_state.h, an operation takes effect when somebody looks at an mbarrier that tcgen05.commit
// made track it, together with all that its CTA has issued before; those that nobody waits for never do. Issuing
// checks addresses and order (tensor_memory.h) and marks what will be written.

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
  // Carries it out, for a lane of the warp that looks at the mbarrier. False after a fault.
  bool (*execute)(Warp& warp, unsigned lane, const TensorOperation& operation) = nullptr;
  Cta* cta = nullptr;     // that issued it
  uint32_t sequence = 0;  // in its CTA
  uint32_t d = 0;         // address in tensor memory of the destination
  uint64_t a = 0;         // descriptor or address in tensor memory
  uint64_t b = 0;         // descriptor
  uint32_t shape = 0;     // instruction descriptor
  bool accumulates = false;
  uint8_t scale_d = 0;                       // log2 of what D is divided by
  std::array<uint32_t, 8> disabled_lanes{};  // of D, of both CTAs of a pair
  uint64_t zero_columns = 0;                 // zero-column mask descriptor
  uint32_t scales_a = 0;                     // addresses in tensor memory
  uint32_t scales_b = 0;
};

// tcgen05.commit: an arrival at an mbarrier when the operations up to `sequence` of a CTA are done.
struct PendingTensorCommit {
  const DecodedInstr* instr = nullptr;
  uint64_t mbarrier = 0;  // generic address
  Cta* cta = nullptr;
  uint32_t sequence = 0;
};

// Of a CTA: what it has issued, and the commits that report to mbarriers in its shared memory.
struct CtaTensorState {
  std::vector<TensorOperation> operations;
  uint32_t last_sequence = 0;
  std::vector<PendingTensorCommit> commits;
};

// A word of the tensor memory of a CTA (of the pair: that of the operation or its peer).
struct TensorWordId {
  Cta* cta = nullptr;
  unsigned lane = 0;
  unsigned column = 0;
};

// Whether the columns are there and taken; false after a fault.
bool CheckTensorColumns(Warp& warp, const DecodedInstr& instr, unsigned lane, const Cta& cta, unsigned column,
                        unsigned columns);
// Notes an access to a word of checked columns; false after a fault.
bool AccessTensorWord(Warp& warp, const DecodedInstr& instr, unsigned lane, const TensorWordId& word,
                      TensorMemory::AccessType type, uint32_t sequence = 0);
// The next sequence number of the warp's CTA, for the accesses of an operation that is about to be issued.
uint32_t NextTensorSequence(const Warp& warp);
void IssueTensorOperation(Warp& warp, TensorOperation operation);
// Writes a word as an operation's result.
void CompleteTensorWord(Warp& warp, const TensorOperation& operation, const TensorWordId& word,
                        TensorMemory::Word value);

// Carries out what an mbarrier (generic address) has been made to track, and tells it. To be called before its phase
// is looked at. False after a fault.
bool CompleteTensorCommits(Warp& warp, unsigned lane, uint64_t mbarrier);

// The other CTA of the pair, for .cta_group::2; null when the cluster has none.
Cta* PeerOf(const Cta& cta);

// The generic address of an address in the shared memory of a CTA.
uint64_t SharedAddressIn(const Cta& cta, uint64_t offset);

// 16 bytes of a matrix in shared memory.
struct TensorChunk {
  std::array<uint8_t, 16> data{};
  std::array<uint8_t, 16> undefined{};
};
bool LoadTensorChunk(Warp& warp, const DecodedInstr& instr, unsigned lane, const Cta& cta, uint32_t address,
                     TensorChunk* chunk);

// When the last threads of a CTA end, its tensor memory must have been given back. False after a fault.
bool CheckTensorMemoryIsFree(Warp& warp, const DecodedInstr& instr);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_TENSOR_OPERATIONS_H_
