// SPDX-License-Identifier: Apache-2.0

// Barriers of CTAs and clusters, fences.
//
// A CTA barrier counts threads. bar.sync counts the threads that execute it. The lanes of a warp may arrive
// separately, as on hardware since Volta, but at an aligned barrier they must all arrive at the same instruction. If
// a count is given, a warp that arrives with all its live lanes counts as 32 (PTX ISA, "bar": the count is a
// multiple of the warp size). Threads that have ended count as arrived.

#include <bit>

#include "base/str_cat.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/semantics_table.h"

namespace ptxmir::ptx {

bool Cta::CheckBarrier(Barrier& barrier) {
  if (barrier.arrived == 0) return true;
  if (barrier.arrived < (barrier.expected != 0 ? barrier.expected : NumAlive())) return true;
  bool met = true;
  std::vector<RaceDetector::Joining> joined;
  for (const std::unique_ptr<Warp>& warp : warps_) {
    const unsigned number = warp->number();
    if (barrier.arrivers[number] != 0) joined.push_back({number, barrier.arrivers[number], warp->alive()});
    barrier.arrivers[number] = 0;
    const LaneMask waiting = barrier.waiting[number];
    if (waiting == 0) continue;
    barrier.waiting[number] = 0;
    Warp::BarrierWait& wait = warp->barrier_wait;
    const uint32_t pc = wait.pc[FirstLane(waiting)];
    ForEachLane(waiting, [&](unsigned lane) {
      if (barrier.aligned && wait.pc[lane] != pc) met = false;
      wait.result[lane] = barrier.popc;
      if (barrier.all) wait.result[lane] |= 1u << 31;
    });
    wait.released |= waiting;
  }
  races_.Join(joined);
  barrier.arrived = 0;
  barrier.expected = 0;
  barrier.popc = 0;
  barrier.all = true;
  ++progress;
  return met;
}

void Cta::OnExit() {
  for (Barrier& barrier : barriers) {
    if (barrier.expected == 0) CheckBarrier(barrier);
  }
  cluster_.CheckBarrier();
}

namespace {

enum Reduction : uint32_t { kNoReduction, kPopc, kAnd, kOr };

struct BarrierForm {
  bool arrives_only;
  bool aligned;
  Reduction reduction;
};
BarrierForm FormOf(const DecodedInstr& instr) {
  return {instr.params.a != 0, instr.params.b != 0, static_cast<Reduction>(instr.params.c)};
}

// Registers lanes at the barrier. Returns false after a fault.
bool Arrive(Warp& warp, const DecodedInstr& instr, const BarrierForm& form, unsigned number, LaneMask lanes) {
  Barrier& barrier = warp.cta().barriers[number];
  const unsigned lane = FirstLane(lanes);
  // Operands: the result of a reduction, the barrier, the count, the predicate.
  const unsigned first = instr.num_results;
  const bool has_predicate = form.reduction != kNoReduction;
  const bool has_count = instr.num_operands - first - (has_predicate ? 1u : 0u) == 2;
  uint64_t count = 0;
  if (has_count && !warp.ReadDefined(instr, first + 1, lane, &count)) return false;
  unsigned arriving = static_cast<unsigned>(std::popcount(lanes));
  if (has_count && lanes == warp.alive()) arriving = kWarpSize;
  barrier.arrived += arriving;
  barrier.expected = static_cast<uint32_t>(count);
  barrier.aligned = form.aligned;
  barrier.arrivers[warp.number()] |= lanes;
  for (const unsigned lane : Lanes(has_predicate ? lanes : 0)) {
    uint64_t predicate = 0;
    if (!warp.ReadDefined(instr, instr.num_operands - 1u, lane, &predicate)) {
      return false;
    }
    barrier.popc += predicate != 0 ? 1 : 0;
    barrier.all = barrier.all && predicate != 0;
  }
  if (!form.arrives_only) {
    barrier.waiting[warp.number()] |= lanes;
    warp.barrier_wait.registered |= lanes;
    warp.barrier_wait.released &= ~lanes;
    ForEachLane(lanes, [&](unsigned l) { warp.barrier_wait.pc[l] = warp.pc(); });
  }
  if (warp.cta().CheckBarrier(barrier)) return true;
  warp.Fail(instr, FaultKind::kDivergentBarrier, lane,
            "lanes of one warp have come to an aligned barrier at different instructions");
  return false;
}

// Lets the lanes that the barrier has released go on. The others stay.
StepResult GoOn(Warp& warp, const DecodedInstr& instr, const BarrierForm& form) {
  Warp::BarrierWait& wait = warp.barrier_wait;
  const LaneMask released = warp.active() & wait.registered & wait.released;
  if (released == 0) return StepResult::kBlocked;
  if (released != warp.active()) {
    const LaneMask staying = warp.active() & ~released;
    warp.SplitOff(~staying, /*waits=*/true);
  }
  wait.registered &= ~released;
  wait.released &= ~released;
  if (form.reduction != kNoReduction) {
    ForEachLane(released, [&](unsigned lane) {
      const uint32_t result = wait.result[lane];
      const uint32_t popc = result & ~(1u << 31);
      const uint64_t value = form.reduction == kPopc ? popc : form.reduction == kAnd ? result >> 31 : popc != 0;
      warp.Write(instr, 0, lane, {value, 0});
    });
  }
  return StepResult::kNext;
}

StepResult CtaBarrier(Warp& warp, const DecodedInstr& instr) {
  const BarrierForm form = FormOf(instr);
  const LaneMask arriving = form.arrives_only ? warp.active() : warp.active() & ~warp.barrier_wait.registered;
  if (arriving != 0) {
    const unsigned lane = FirstLane(arriving);
    uint64_t number = 0;
    if (!warp.ReadDefined(instr, instr.num_results, lane, &number)) return StepResult::kFault;
    if (number >= Cta::kNumBarriers) {
      return warp.Fail(instr, FaultKind::kInvalidProgram, lane, StrCat("there is no barrier ", number));
    }
    // Lanes may name different barriers. Those at another barrier arrive next.
    LaneMask same = 0;
    for (const unsigned other : Lanes(arriving)) {
      uint64_t value = 0;
      if (!warp.ReadDefined(instr, instr.num_results, other, &value)) return StepResult::kFault;
      if (value == number) same |= LaneMask{1} << other;
    }
    if (same != arriving) {
      if (form.arrives_only || form.aligned) {
        return warp.Fail(instr, FaultKind::kDivergentBarrier, lane, "the lanes of a warp name different barriers");
      }
      warp.SplitOff(~(arriving & ~same), /*waits=*/false);
    }
    if (!Arrive(warp, instr, form, static_cast<unsigned>(number), same)) return StepResult::kFault;
  }
  return form.arrives_only ? StepResult::kNext : GoOn(warp, instr, form);
}

bool ResolveBarrier(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  semantics->category = InstrCategory::kBarrier;
  if (mnemonic.Has("warp") || mnemonic.Has("cluster")) return false;
  semantics->warp = CtaBarrier;
  semantics->params.a = mnemonic.Has("arrive") ? 1 : 0;
  semantics->params.b = mnemonic.base() == "bar" || mnemonic.Has("aligned") ? 1 : 0;
  if (mnemonic.Has("red")) {
    semantics->params.c = mnemonic.Has("popc") ? kPopc : mnemonic.Has("and") ? kAnd : kOr;
  }
  return mnemonic.Has("sync") || mnemonic.Has("arrive") || mnemonic.Has("red");
}

// bar.warp.sync: the members meet, and their past memory accesses are ordered before their future ones.
StepResult WarpBarrier(Warp& warp, const DecodedInstr& instr) {
  std::vector<LaneMask> groups;
  const StepResult result = warp.CollectiveGroups(instr, instr.num_results, &groups);
  if (result != StepResult::kNext) return result;
  for (const LaneMask group : groups) warp.OrderLanes(group);
  return result;
}

StepResult ClusterArrive(Warp& warp, const DecodedInstr&) {
  Cluster& cluster = warp.cta().cluster();
  ForEachLane(warp.active(), [&](unsigned lane) { warp.barrier_wait.cluster_phase[lane] = cluster.phase; });
  cluster.arrived += static_cast<uint32_t>(std::popcount(warp.active()));
  cluster.CheckBarrier();
  return StepResult::kNext;
}

StepResult ClusterWait(Warp& warp, const DecodedInstr&) {
  const uint64_t phase = warp.cta().cluster().phase;
  LaneMask waiting = 0;
  ForEachLane(warp.active(), [&](unsigned lane) {
    if (warp.barrier_wait.cluster_phase[lane] >= phase) waiting |= LaneMask{1} << lane;
  });
  if (waiting == warp.active()) return StepResult::kBlocked;
  if (waiting != 0) warp.SplitOff(~waiting, /*waits=*/true);
  // Within a CTA, the cluster barrier orders memory as the CTA's own barriers do.
  std::vector<RaceDetector::Joining> all;
  for (const std::unique_ptr<Warp>& other : warp.cta().warps()) {
    all.push_back({other->number(), other->alive(), other->alive()});
  }
  warp.cta().races().Join(all);
  return StepResult::kNext;
}

bool ResolveWarpOrCluster(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  semantics->category = InstrCategory::kBarrier;
  if (mnemonic.Has("warp")) {
    semantics->warp = WarpBarrier;
  } else if (mnemonic.Has("cluster")) {
    semantics->warp = mnemonic.Has("arrive") ? ClusterArrive : ClusterWait;
  } else {
    return false;
  }
  return true;
}

// Executes a fence. Memory accesses happen in the order of the steps, so only the race detector must be told.
StepResult Fence(Warp& warp, const DecodedInstr&) {
  for (const unsigned lane : Lanes(warp.active())) warp.cta().races().Synchronize(warp.thread(lane));
  return StepResult::kNext;
}

StepResult Ordered(Warp&, const DecodedInstr&) { return StepResult::kNext; }

bool ResolveFence(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kBarrier;
  semantics->warp = statement.mnemonic.base() == "griddepcontrol" ? Ordered : Fence;
  return true;
}

constexpr ResolverEntry kBarrierEntries[] = {
    {"bar", ResolveWarpOrCluster},    {"bar", ResolveBarrier},  {"barrier", ResolveWarpOrCluster},
    {"barrier", ResolveBarrier},      {"membar", ResolveFence}, {"fence", ResolveFence},
    {"griddepcontrol", ResolveFence},
};

}  // namespace

absl::Span<const ResolverEntry> BarrierResolvers() { return kBarrierEntries; }

}  // namespace ptxmir::ptx
