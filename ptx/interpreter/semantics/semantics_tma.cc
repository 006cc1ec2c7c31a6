// SPDX-License-Identifier: Apache-2.0

// Copies of tensor boxes: cp.async.bulk.tensor in tile mode.
//
// PTX ISA, "cp.async.bulk.tensor". tensor_map.h describes the tensor maps. Elements outside the tensor read as zeros
// and are not written. Copies take effect when other bulk copies do (semantics_async.cc). The modes im2col, gather4
// and scatter4 have no semantics.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/str_cat.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/async_copies.h"
#include "ptx/interpreter/exec/async_state.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/memory/tensor_map.h"
#include "ptx/interpreter/semantics/semantics_table.h"

namespace ptxmir::ptx {
namespace {

// KernelParams: a is the MemorySpace of the shared side, b the number of dimensions, c whether there is a mask of
// CTAs.

bool LoadMap(Warp& warp, const DecodedInstr& instr, unsigned operand, unsigned lane, TensorMap* map) {
  uint64_t address = 0;
  if (!warp.ReadAddress(instr, operand, lane, &address)) return false;
  TensorMap::Bytes bytes{};
  TensorMap::Bytes undefined{};
  constexpr unsigned kChunk = 16;
  for (unsigned at = 0; at < bytes.size(); at += kChunk) {
    if (!warp.Load(instr, MemorySpace::kGeneric, address + at, kChunk, lane, AccessKind::kPlain, &bytes[at],
                   &undefined[at])) {
      return false;
    }
  }
  const std::optional<TensorMap> decoded =
      undefined == TensorMap::Bytes{} ? TensorMap::Decode(bytes) : std::optional<TensorMap>();
  if (!decoded.has_value() || decoded->rank != instr.params.b) {
    warp.Fail(instr, FaultKind::kNoTensorMap, lane,
              StrCat("there is no tensor map of ", instr.params.b, " dimensions at ",
                     absl::StrCat("0x", absl::Hex(address))));
    return false;
  }
  *map = *decoded;
  return true;
}

bool ReadBox(Warp& warp, const DecodedInstr& instr, unsigned operand, unsigned lane, PendingBulkCopy* copy) {
  auto box = std::make_shared<TensorBox>();
  if (!LoadMap(warp, instr, operand, lane, &box->map)) return false;
  for (unsigned i = 0; i < instr.params.b; ++i) {
    uint64_t coordinate = 0;
    if (!warp.ReadDefined(instr, operand + 1 + i, lane, &coordinate)) return false;
    box->coordinates[i] = static_cast<int32_t>(coordinate);
  }
  copy->instr = &instr;
  copy->size = box->map.BoxBytes();
  copy->box = std::move(box);
  return true;
}

bool ReadShared(Warp& warp, const DecodedInstr& instr, unsigned operand, unsigned lane, uint64_t* address) {
  if (!warp.ReadAddress(instr, operand, lane, address)) return false;
  *address = warp.ToGeneric(static_cast<MemorySpace>(instr.params.a), *address);
  return true;
}

bool CheckAlignment(Warp& warp, const DecodedInstr& instr, unsigned lane, uint64_t address) {
  constexpr unsigned kAlignment = 128;
  if (address % kAlignment == 0) return true;
  warp.Fail(instr, FaultKind::kMisaligned, lane,
            StrCat("a box in shared memory must begin at a multiple of ", kAlignment));
  return false;
}

// Operands: the destination, the map, its coordinates, the mbarrier, a mask.
bool IssueLoad(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  PendingBulkCopy copy;
  const unsigned behind = 2 + instr.params.b;
  if (!ReadShared(warp, instr, 0, lane, &copy.destination) || !ReadBox(warp, instr, 1, lane, &copy) ||
      !ReadShared(warp, instr, behind, lane, &copy.mbarrier) || !CheckAlignment(warp, instr, lane, copy.destination)) {
    return false;
  }
  if (instr.params.c == 0) return IssueBulkWithMbarrier(warp, instr, lane, copy);
  uint64_t mask = 0;
  return warp.ReadDefined(instr, behind + 1, lane, &mask) &&
         IssueBulkMulticast(warp, instr, lane, copy, static_cast<uint32_t>(mask & 0xffff));
}

// Operands: the map, its coordinates, the source.
bool IssueStore(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  PendingBulkCopy copy;
  if (!ReadBox(warp, instr, 0, lane, &copy) || !ReadShared(warp, instr, 1 + instr.params.b, lane, &copy.source) ||
      !CheckAlignment(warp, instr, lane, copy.source)) {
    return false;
  }
  ThreadAsyncState& state = warp.thread_async(lane);
  copy.group = state.open_bulk_group;
  state.bulk_copies.push_back(copy);
  return true;
}

template <auto kIssue>
StepResult Run(Warp& warp, const DecodedInstr& instr) {
  for (const unsigned lane : Lanes(warp.active())) {
    if (!kIssue(warp, instr, lane)) return StepResult::kFault;
  }
  return StepResult::kNext;
}

}  // namespace

bool CompleteTensorBox(Warp& warp, unsigned lane, const PendingBulkCopy& copy, AccessKind kind) {
  const TensorMap& map = copy.box->map;
  const bool loads = copy.destination != 0;
  const uint64_t shared = loads ? copy.destination : copy.source;
  for (uint32_t i = 0; i < map.BoxElements(); ++i) {
    const std::optional<uint64_t> global = map.ElementAddress(copy.box->coordinates, i);
    const uint64_t in_shared = map.SharedAddress(shared, i);
    std::array<uint8_t, 8> data{};
    std::array<uint8_t, 8> undefined{};
    if (!loads && !global.has_value()) continue;
    const uint64_t from = loads ? global.value_or(0) : in_shared;
    if (global.has_value() && !warp.Load(*copy.instr, MemorySpace::kGeneric, from, map.element_bytes, lane, kind,
                                         data.data(), undefined.data())) {
      return false;
    }
    if (!warp.Store(*copy.instr, MemorySpace::kGeneric, loads ? in_shared : *global, map.element_bytes, lane, kind,
                    data.data(), undefined.data())) {
      return false;
    }
  }
  return true;
}

bool ResolveTensorCopy(const Statement& statement, Semantics* semantics) {
  // cp.async.bulk.(prefetch.)tensor.Nd.DESTINATION.SOURCE(.tile) ...
  const Mnemonic& mnemonic = statement.mnemonic;
  for (const std::string_view mode :
       {"tile::gather4", "tile::scatter4", "im2col", "im2col_no_offs", "im2col::w", "im2col::w::128"}) {
    if (mnemonic.Has(mode)) return false;
  }
  for (const std::string_view dimensions : {"1d", "2d", "3d", "4d", "5d"}) {
    if (mnemonic.Has(dimensions)) semantics->params.b = static_cast<uint32_t>(dimensions[0] - '0');
  }
  if (semantics->params.b == 0) return false;
  if (mnemonic.Has("prefetch")) {
    semantics->warp = &RunNothing;
    return true;
  }
  const bool loads = mnemonic.Has("mbarrier::complete_tx::bytes");
  semantics->params.a =
      static_cast<uint32_t>(mnemonic.Has("shared::cluster") ? MemorySpace::kSharedCluster : MemorySpace::kShared);
  semantics->params.c = mnemonic.Has("multicast::cluster");
  const size_t hints = mnemonic.Has("L2::cache_hint") ? 1 : 0;
  if (statement.operands.size() != (loads ? 3u : 2u) + semantics->params.b + semantics->params.c + hints) return false;
  semantics->warp = loads ? &Run<&IssueLoad> : &Run<&IssueStore>;
  return loads || mnemonic.Has("bulk_group");
}

}  // namespace ptxmir::ptx
