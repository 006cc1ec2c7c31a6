// SPDX-License-Identifier: Apache-2.0

// Warp collectives: shfl, vote, match, redux, activemask, elect. Also setmaxnreg, which has no effect here.
//
// PTX ISA, "Parallel Synchronization and Communication Instructions". collective.cc computes the results. The forms
// with .sync work on the groups that the warp forms from the member masks. The forms without .sync, and activemask,
// work on the lanes that happen to be active. Reading from a lane that does not take part gives an undefined value.

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/semantics_table.h"
#include "ptx/interpreter/values/collective.h"

namespace ptxmir::ptx {
namespace {

// Returns true if there is a member mask (the last operand). KernelParams: a is the mode, b whether there is a mask.
bool HasMask(const DecodedInstr& instr) { return instr.params.b != 0; }

using LaneBits = std::array<TrackedBits, kWarpSize>;

LaneBits ReadLanes(const Warp& warp, const DecodedInstr& instr, unsigned operand, LaneMask lanes) {
  LaneBits values;
  ForEachLane(lanes, [&](unsigned lane) {
    const LaneValue value = warp.Read(instr, operand, lane);
    values[lane] = {value.value, value.undefined};
  });
  return values;
}

void WriteBits(Warp& warp, const DecodedInstr& instr, unsigned operand, unsigned lane, const TrackedBits& bits) {
  warp.Write(instr, operand, lane, {bits.value, bits.undefined});
}

// Calls `function(group)` for each complete group.
template <typename Function>
StepResult ForEachMaskedGroup(Warp& warp, const DecodedInstr& instr, Function&& function) {
  if (!HasMask(instr)) {
    function(warp.active());
    return StepResult::kNext;
  }
  std::vector<LaneMask> groups;
  const StepResult result = warp.CollectiveGroups(instr, instr.num_operands - 1u, &groups);
  if (result != StepResult::kNext) return result;
  for (LaneMask group : groups) {
    function(group);
    warp.OrderReads(group);
  }
  return StepResult::kNext;
}

StepResult RunShuffle(Warp& warp, const DecodedInstr& instr) {
  const auto mode = static_cast<ShuffleMode>(instr.params.a);
  const unsigned source = instr.num_results;
  return ForEachMaskedGroup(warp, instr, [&](LaneMask group) {
    const LaneBits values = ReadLanes(warp, instr, source, group);
    const LaneBits offsets = ReadLanes(warp, instr, source + 1, group);
    const LaneBits bounds = ReadLanes(warp, instr, source + 2, group);
    ForEachLane(group, [&](unsigned lane) {
      const ShuffleSource from = FindShuffleSource(mode, lane, static_cast<uint32_t>(offsets[lane].value),
                                                   static_cast<uint32_t>(bounds[lane].value));
      const bool is_known = (offsets[lane].undefined & 0x1f) == 0 && (bounds[lane].undefined & 0x1f1f) == 0;
      const bool takes_part = (group >> from.lane & 1) != 0;
      WriteBits(warp, instr, 0, lane, is_known && takes_part ? values[from.lane] : TrackedBits{0, kAllBits});
      if (instr.num_results > 1) WriteBits(warp, instr, 1, lane, {from.in_range, !is_known});
    });
  });
}

StepResult RunVote(Warp& warp, const DecodedInstr& instr) {
  return ForEachMaskedGroup(warp, instr, [&](LaneMask group) {
    LaneMask predicates = 0;
    LaneMask undefined = 0;
    ForEachLane(group, [&](unsigned lane) {
      const LaneValue value = warp.Read(instr, 1, lane);
      predicates |= static_cast<LaneMask>(value.value & 1) << lane;
      undefined |= static_cast<LaneMask>(value.undefined & 1) << lane;
    });
    const TrackedBits result = Vote(static_cast<VoteMode>(instr.params.a), group, predicates, undefined);
    ForEachLane(group, [&](unsigned lane) { WriteBits(warp, instr, 0, lane, result); });
  });
}

// params.a: 1 for .all.
StepResult RunMatch(Warp& warp, const DecodedInstr& instr) {
  return ForEachMaskedGroup(warp, instr, [&](LaneMask group) {
    const LaneBits values = ReadLanes(warp, instr, instr.num_results, group);
    const bool all = instr.params.a != 0;
    const TrackedBits common = all ? MatchAll(values, group) : TrackedBits();
    ForEachLane(group, [&](unsigned lane) {
      WriteBits(warp, instr, 0, lane, all ? common : MatchAny(values, group, lane));
      if (instr.num_results > 1) WriteBits(warp, instr, 1, lane, {common.value != 0, common.undefined != 0});
    });
  });
}

// params.a: ReduxOperation; params.c: 1 for .abs, 2 for .NaN.
StepResult RunRedux(Warp& warp, const DecodedInstr& instr) {
  const ReduxOptions options = {static_cast<ReduxOperation>(instr.params.a), (instr.params.c & 1) != 0,
                                (instr.params.c & 2) != 0};
  return ForEachMaskedGroup(warp, instr, [&](LaneMask group) {
    const TrackedBits result = Redux(options, ReadLanes(warp, instr, 1, group), group);
    ForEachLane(group, [&](unsigned lane) { WriteBits(warp, instr, 0, lane, result); });
  });
}

StepResult RunActiveMask(Warp& warp, const DecodedInstr& instr) {
  const LaneMask active = warp.active();
  ForEachLane(active, [&](unsigned lane) { warp.Write(instr, 0, lane, {active, 0}); });
  return StepResult::kNext;
}

// The leader is the lowest lane of the group.
StepResult RunElect(Warp& warp, const DecodedInstr& instr) {
  return ForEachMaskedGroup(warp, instr, [&](LaneMask group) {
    const unsigned leader = FirstLane(group);
    ForEachLane(group, [&](unsigned lane) {
      warp.Write(instr, 0, lane, {leader, 0});
      if (instr.num_results > 1) warp.Write(instr, 1, lane, {lane == leader, 0});
    });
  });
}

// ---- Resolvers.

template <typename Value, size_t kCount>
bool FindNamed(const Mnemonic& mnemonic, const std::pair<std::string_view, Value> (&names)[kCount], uint32_t* value) {
  for (const auto& [name, meaning] : names) {
    if (!mnemonic.Has(name)) continue;
    *value = static_cast<uint32_t>(meaning);
    return true;
  }
  return false;
}

bool Resolve(WarpKernel kernel, const Statement& statement, Semantics* semantics) {
  semantics->warp = kernel;
  semantics->category = InstrCategory::kCollective;
  semantics->params.b = statement.mnemonic.Has("sync");
  return true;
}

// Returns true if the number of operands before flattening fits: results, sources and, with .sync, the member mask.
bool HasGroups(const Statement& statement, unsigned results_and_sources) {
  return statement.num_groups() == results_and_sources + (statement.mnemonic.Has("sync") ? 1 : 0);
}

bool ResolveShuffle(const Statement& statement, Semantics* semantics) {
  static constexpr std::pair<std::string_view, ShuffleMode> kModes[] = {{"up", ShuffleMode::kUp},
                                                                        {"down", ShuffleMode::kDown},
                                                                        {"bfly", ShuffleMode::kButterfly},
                                                                        {"idx", ShuffleMode::kIndex}};
  return FindNamed(statement.mnemonic, kModes, &semantics->params.a) && HasGroups(statement, 4) &&
         Resolve(&RunShuffle, statement, semantics);
}

bool ResolveVote(const Statement& statement, Semantics* semantics) {
  static constexpr std::pair<std::string_view, VoteMode> kModes[] = {
      {"all", VoteMode::kAll}, {"any", VoteMode::kAny}, {"uni", VoteMode::kUniform}, {"ballot", VoteMode::kBallot}};
  return FindNamed(statement.mnemonic, kModes, &semantics->params.a) && HasGroups(statement, 2) &&
         Resolve(&RunVote, statement, semantics);
}

bool ResolveMatch(const Statement& statement, Semantics* semantics) {
  const bool all = statement.mnemonic.Has("all");
  if (!all && !statement.mnemonic.Has("any")) return false;
  semantics->params.a = all;
  return statement.mnemonic.Has("sync") && HasGroups(statement, 2) && Resolve(&RunMatch, statement, semantics);
}

bool ResolveRedux(const Statement& statement, Semantics* semantics) {
  using enum ReduxOperation;
  const Mnemonic& mnemonic = statement.mnemonic;
  const std::string_view type = mnemonic.Last();
  const bool minimum = mnemonic.Has("min");
  if (minimum || mnemonic.Has("max")) {
    if (type == "s32") {
      semantics->params.a = static_cast<uint32_t>(minimum ? kMinS32 : kMaxS32);
    } else if (type == "u32") {
      semantics->params.a = static_cast<uint32_t>(minimum ? kMinU32 : kMaxU32);
    } else if (type == "f32") {
      semantics->params.a = static_cast<uint32_t>(minimum ? kMinF32 : kMaxF32);
    } else {
      return false;
    }
  } else {
    static constexpr std::pair<std::string_view, ReduxOperation> kOperations[] = {
        {"add", kAdd}, {"and", kAnd}, {"or", kOr}, {"xor", kXor}};
    if (!FindNamed(mnemonic, kOperations, &semantics->params.a) || ParseScalarType(type).bits != 32) return false;
  }
  semantics->params.c = (mnemonic.Has("abs") ? 1 : 0) | (mnemonic.Has("NaN") ? 2 : 0);
  return mnemonic.Has("sync") && HasGroups(statement, 2) && Resolve(&RunRedux, statement, semantics);
}

bool ResolveActiveMask(const Statement& statement, Semantics* semantics) {
  return statement.num_groups() == 1 && Resolve(&RunActiveMask, statement, semantics);
}

bool ResolveElect(const Statement& statement, Semantics* semantics) {
  return statement.mnemonic.Has("sync") && HasGroups(statement, 1) && Resolve(&RunElect, statement, semantics);
}

// Resolves setmaxnreg, which releases or requests registers. There are always enough.
bool ResolveNothing(const Statement& statement, Semantics* semantics) {
  Resolve(&RunNothing, statement, semantics);
  semantics->category = InstrCategory::kOther;
  return true;
}

}  // namespace

absl::Span<const ResolverEntry> CollectiveResolvers() {
  static constexpr ResolverEntry kEntries[] = {
      {"shfl", &ResolveShuffle},          {"vote", &ResolveVote},
      {"match", &ResolveMatch},           {"redux", &ResolveRedux},
      {"activemask", &ResolveActiveMask}, {"elect", &ResolveElect},
      {"setmaxnreg", &ResolveNothing},
  };
  return kEntries;
}

}  // namespace ptxmir::ptx
