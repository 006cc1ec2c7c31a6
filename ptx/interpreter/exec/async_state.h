// SPDX-License-Identifier: Apache-2.0

// The state of asynchronous copies: those that were issued and not yet waited for.
//
// A copy takes effect when a thread waits for it, and not before, so a program that forgets to wait sees what a GPU
// might show it. Until then the destination in shared memory is undefined (semantics_async.cc).
//
// An mbarrier needs no state in addition to its 64 bits in shared memory (mbarrier.h).

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_ASYNC_STATE_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_ASYNC_STATE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/interpreter/memory/tensor_map.h"

namespace ptxmir::ptx {

struct DecodedInstr;

// A box of a tensor (semantics_tma.cc).
struct TensorBox {
  TensorMap map;
  TensorMap::Coordinates coordinates = {};
};

// A cp.async of up to 16 bytes. The source is read when the copy is issued.
struct PendingCopy {
  const DecodedInstr* instr = nullptr;
  uint64_t destination = 0;  // generic address
  uint32_t group = 0;
  uint8_t size = 0;
  std::array<uint8_t, 16> data{};
  std::array<uint8_t, 16> undefined{};
};

// A bulk copy or reduction. Addresses are generic; the source is read when the copy takes effect.
struct PendingBulkCopy {
  const DecodedInstr* instr = nullptr;
  uint64_t destination = 0;
  uint64_t source = 0;
  uint32_t size = 0;
  uint32_t byte_mask = 0xffff;  // the bytes to copy out of each 16
  uint32_t group = 0;           // for a copy that belongs to a bulk group
  uint64_t mbarrier = 0;        // for other copies: the object that is notified of completion
  // For a request to clusterlaunchcontrol: the bytes to write, in place of a source.
  std::shared_ptr<const std::array<uint8_t, 16>> response = nullptr;
  // The box to copy from (if there is no source) or to (if there is no destination). Null for a copy of plain bytes.
  std::shared_ptr<const TensorBox> box;
};

// The copies of one thread. Groups are numbered, and copies are in the order of their groups. The copies of group
// `open_group` are not committed yet.
struct ThreadAsyncState {
  std::vector<PendingCopy> copies;
  uint32_t open_group = 0;
  std::vector<PendingBulkCopy> bulk_copies;
  uint32_t open_bulk_group = 0;

  bool empty() const { return copies.empty() && bulk_copies.empty(); }
};

// The bulk copies that report to an mbarrier in the shared memory of this CTA, in the order of issue.
struct CtaAsyncState {
  std::vector<PendingBulkCopy> bulk_copies;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_ASYNC_STATE_H_
