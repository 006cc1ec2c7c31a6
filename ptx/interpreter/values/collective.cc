// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/values/collective.h"

#include <bit>
#include <cmath>

namespace ptxmir::ptx {
namespace {

constexpr uint64_t kAll32 = 0xffffffffu;
constexpr uint32_t kCanonicalNan = 0x7fffffffu;

enum class Equality : uint8_t { kEqual, kDifferent, kUnknown };

Equality Compare(const TrackedBits& a, const TrackedBits& b) {
  const uint64_t unknown = a.undefined | b.undefined;
  if (((a.value ^ b.value) & ~unknown) != 0) return Equality::kDifferent;
  return unknown == 0 ? Equality::kEqual : Equality::kUnknown;
}

// Returns the bits from the lowest undefined one up, which a carry may reach.
uint64_t CarryMask(uint64_t undefined) { return undefined == 0 ? 0 : kAll32 & ~((undefined & (~undefined + 1)) - 1); }

// Computes the IEEE minimum or maximum of redux.f32: -0 is less than +0; a number wins over a NaN unless NaNs
// propagate.
uint32_t CombineFloat(const ReduxOptions& options, uint32_t a, uint32_t b) {
  const float x = std::bit_cast<float>(a);
  const float y = std::bit_cast<float>(b);
  if (std::isnan(x) || std::isnan(y)) {
    if (options.propagate_nan || (std::isnan(x) && std::isnan(y))) return kCanonicalNan;
    return std::isnan(x) ? b : a;
  }
  const bool minimum = options.operation == ReduxOperation::kMinF32;
  if (x == y) return minimum == std::signbit(x) ? a : b;
  return (x < y) == minimum ? a : b;
}

uint32_t Combine(const ReduxOptions& options, uint32_t a, uint32_t b) {
  const int32_t x = static_cast<int32_t>(a);
  const int32_t y = static_cast<int32_t>(b);
  switch (options.operation) {
    case ReduxOperation::kAdd:
      return a + b;
    case ReduxOperation::kAnd:
      return a & b;
    case ReduxOperation::kOr:
      return a | b;
    case ReduxOperation::kXor:
      return a ^ b;
    case ReduxOperation::kMinS32:
      return x < y ? a : b;
    case ReduxOperation::kMaxS32:
      return x > y ? a : b;
    case ReduxOperation::kMinU32:
      return a < b ? a : b;
    case ReduxOperation::kMaxU32:
      return a > b ? a : b;
    case ReduxOperation::kMinF32:
    case ReduxOperation::kMaxF32:
      return CombineFloat(options, a, b);
  }
  return 0;
}

}  // namespace

ShuffleSource FindShuffleSource(ShuffleMode mode, unsigned lane, uint32_t b, uint32_t c) {
  const unsigned offset = b & 31;
  const unsigned clamp = c & 31;
  const unsigned segment = c >> 8 & 31;
  const unsigned highest = (lane & segment) | (clamp & ~segment & 31);
  const unsigned lowest = lane & segment;
  // Signed, because lane - offset may be below 0.
  int source = 0;
  bool in_range = false;
  switch (mode) {
    case ShuffleMode::kUp:
      source = static_cast<int>(lane) - static_cast<int>(offset);
      in_range = source >= static_cast<int>(highest);
      break;
    case ShuffleMode::kDown:
      source = static_cast<int>(lane + offset);
      in_range = source <= static_cast<int>(highest);
      break;
    case ShuffleMode::kButterfly:
      source = static_cast<int>(lane ^ offset);
      in_range = source <= static_cast<int>(highest);
      break;
    case ShuffleMode::kIndex:
      source = static_cast<int>(lowest | (offset & ~segment & 31));
      in_range = source <= static_cast<int>(highest);
      break;
  }
  return {in_range ? static_cast<unsigned>(source) : lane, in_range};
}

TrackedBits Vote(VoteMode mode, LaneMask group, LaneMask predicates, LaneMask undefined) {
  const LaneMask unknown = undefined & group;
  const LaneMask holds = predicates & group & ~unknown;
  const LaneMask fails = group & ~holds & ~unknown;
  switch (mode) {
    case VoteMode::kAll:
      return fails != 0 ? TrackedBits{0, 0} : TrackedBits{1, unknown != 0};
    case VoteMode::kAny:
      return holds != 0 ? TrackedBits{1, 0} : TrackedBits{0, unknown != 0};
    case VoteMode::kUniform:
      if (holds != 0 && fails != 0) return {0, 0};
      return {1, unknown != 0 && std::popcount(group) > 1};
    case VoteMode::kBallot:
      return {holds, unknown};
  }
  return {};
}

TrackedBits MatchAny(absl::Span<const TrackedBits> values, LaneMask group, unsigned lane) {
  TrackedBits result;
  ForEachLane(group, [&](unsigned other) {
    const LaneMask bit = LaneMask{1} << other;
    switch (other == lane ? Equality::kEqual : Compare(values[lane], values[other])) {
      case Equality::kEqual:
        result.value |= bit;
        break;
      case Equality::kUnknown:
        result.undefined |= bit;
        break;
      case Equality::kDifferent:
        break;
    }
  });
  return result;
}

TrackedBits MatchAll(absl::Span<const TrackedBits> values, LaneMask group) {
  bool unknown = false;
  // Compare pairwise: two lanes may each be equal to an undefined third one and still differ from each other.
  for (const unsigned lane : Lanes(group)) {
    for (const unsigned other : Lanes(group & ~((LaneMask{2} << lane) - 1))) {
      switch (Compare(values[lane], values[other])) {
        case Equality::kDifferent:
          return {0, 0};
        case Equality::kUnknown:
          unknown = true;
          break;
        case Equality::kEqual:
          break;
      }
    }
    if (!unknown && lane == FirstLane(group)) break;  // all equal the first
  }
  return {group, unknown ? group : 0};
}

TrackedBits Redux(const ReduxOptions& options, absl::Span<const TrackedBits> values, LaneMask group) {
  uint32_t result = 0;
  uint64_t undefined = 0;
  uint32_t defined_zeros = 0;  // the result bits of `and` that are surely 0
  uint32_t defined_ones = 0;   // the result bits of `or` that are surely 1
  bool first = true;
  ForEachLane(group, [&](unsigned lane) {
    uint32_t value = static_cast<uint32_t>(values[lane].value);
    const uint32_t unknown = static_cast<uint32_t>(values[lane].undefined);
    if (options.absolute) value &= 0x7fffffffu;
    result = first ? value : Combine(options, result, value);
    first = false;
    undefined |= unknown;
    defined_zeros |= ~value & ~unknown;
    defined_ones |= value & ~unknown;
  });
  if (options.operation == ReduxOperation::kMinF32 || options.operation == ReduxOperation::kMaxF32) {
    if (std::isnan(std::bit_cast<float>(result))) result = kCanonicalNan;
  }
  switch (options.operation) {
    case ReduxOperation::kAdd:
      undefined = CarryMask(undefined);
      break;
    case ReduxOperation::kAnd:
      undefined &= ~defined_zeros;
      break;
    case ReduxOperation::kOr:
      undefined &= ~defined_ones;
      break;
    case ReduxOperation::kXor:
      break;
    default:
      undefined = undefined != 0 ? kAll32 : 0;
      break;
  }
  return {result, undefined};
}

}  // namespace ptxmir::ptx
