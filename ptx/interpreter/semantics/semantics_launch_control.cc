// SPDX-License-Identifier: Apache-2.0

// clusterlaunchcontrol: taking over the work of clusters that have not started.
//
// PTX ISA, "Parallel Synchronization and Communication Instructions: clusterlaunchcontrol". A request takes the next
// cluster of the grid, which then is not started. The response is opaque to programs. Here bit 0 of its 16 bytes
// says whether there was a cluster, and the index of its first CTA is in the bytes from 4 on. The response arrives
// as a bulk copy does.

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/async_copies.h"
#include "ptx/interpreter/exec/async_state.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/semantics_table.h"

namespace ptxmir::ptx {
namespace {

// params.a: whether all CTAs of the cluster get the response.
bool TryCancel(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  PendingBulkCopy copy;
  copy.instr = &instr;
  if (!warp.ReadAddress(instr, 0, lane, &copy.destination) || !warp.ReadAddress(instr, 1, lane, &copy.mbarrier)) {
    return false;
  }
  copy.destination = warp.ToGeneric(MemorySpace::kShared, copy.destination);
  copy.mbarrier = warp.ToGeneric(MemorySpace::kShared, copy.mbarrier);
  std::array<uint32_t, 4> words{};
  if (const std::optional<Dim3> first = warp.grid().TakeNextCluster(); first.has_value()) {
    words = {1, first->x, first->y, first->z};
  }
  auto response = std::make_shared<std::array<uint8_t, 16>>();
  std::memcpy(response->data(), words.data(), response->size());
  copy.size = response->size();
  copy.response = std::move(response);
  if (instr.params.a == 0) return IssueBulkWithMbarrier(warp, instr, lane, copy);
  const size_t ctas = warp.cta().cluster().ctas().size();
  return IssueBulkMulticast(warp, instr, lane, copy, (1u << ctas) - 1);
}

StepResult RunTryCancel(Warp& warp, const DecodedInstr& instr) {
  for (const unsigned lane : Lanes(warp.active())) {
    if (!TryCancel(warp, instr, lane)) return StepResult::kFault;
  }
  return StepResult::kNext;
}

// params.a: the requested word. Sources: the two halves of the response.
StepResult RunQuery(Warp& warp, const DecodedInstr& instr) {
  for (const unsigned lane : Lanes(warp.active())) {
    const LaneValue low = warp.Read(instr, 1, lane);
    const LaneValue half = warp.Read(instr, 1 + instr.params.a / 2, lane);
    const unsigned shift = instr.params.a % 2 * 32;
    LaneValue value = {half.value >> shift & 0xffffffffu, half.undefined >> shift & 0xffffffffu};
    // If there was no cluster, there is no index.
    if (instr.params.a != 0 && ((low.undefined & 1) != 0 || (low.value & 1) == 0)) value.undefined = ~uint64_t{0};
    warp.Write(instr, 0, lane, value);
    if (value.undefined != 0) {
      warp.SetOrigin(instr, 0, warp.NewOrigin(instr, "the response names no cluster"));
    }
  }
  return StepResult::kNext;
}

bool Resolve(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  if (mnemonic.parts().size() < 2) return false;
  semantics->category = InstrCategory::kAsync;
  if (mnemonic.parts()[0] == "try_cancel") {
    semantics->params.a = mnemonic.Has("multicast::cluster::all");
    semantics->warp = &RunTryCancel;
    return statement.operands.size() == 2;
  }
  if (mnemonic.parts()[0] != "query_cancel") return false;
  semantics->warp = &RunQuery;
  static constexpr std::string_view kQueries[] = {"is_canceled", "get_first_ctaid::x", "get_first_ctaid::y",
                                                  "get_first_ctaid::z"};
  for (uint32_t i = 0; i < 4; ++i) {
    if (mnemonic.parts()[1] != kQueries[i]) continue;
    semantics->params.a = i;
    return true;
  }
  return false;
}

}  // namespace

absl::Span<const ResolverEntry> LaunchControlResolvers() {
  static constexpr ResolverEntry kEntries[] = {{"clusterlaunchcontrol", &Resolve}};
  return kEntries;
}

}  // namespace ptxmir::ptx
