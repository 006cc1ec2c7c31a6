// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/memory/race_detector.h"

#include <algorithm>

namespace ptxmir::ptx {

std::array<AccessHistory, AccessShadow::kGranule>& AccessShadow::Split(AccessHistory& history) {
  if ((history.writer & AccessHistory::kSplit) == 0) {
    split_.emplace_back().fill(history);
    history = {.written = static_cast<uint32_t>(split_.size() - 1), .writer = AccessHistory::kSplit};
  }
  return split_[history.written];
}

RaceDetector::RaceDetector(unsigned num_warps, uint64_t cta)
    : num_warps_(num_warps),
      cta_(static_cast<uint16_t>(1 + cta % 0xffff)),
      known_(size_t{num_warps} * num_warps),
      strong_(num_warps),
      lanes_(num_warps),
      reads_(num_warps),
      strong_lanes_(size_t{num_warps} * kWarpSize) {}

Race RaceDetector::AccessOne(AccessHistory& history, unsigned thread, Kind kind) {
  if (history.cta != cta_) history = {.cta = cta_};
  const auto happened = [&](Moment moment, uint16_t who, bool is_read) {
    const unsigned other = who & AccessHistory::kThread;
    return moment == 0 || other == thread || Happened(moment, other, thread, is_read);
  };
  const bool is_strong_writer = (history.writer & AccessHistory::kStrong) != 0;
  if (!(is_strong_writer && (kind.is_strong || !kind.is_write)) && !happened(history.written, history.writer, false)) {
    return {history.writer & AccessHistory::kThread, true};
  }
  const auto self = static_cast<uint16_t>(thread | (kind.is_strong ? AccessHistory::kStrong : 0));
  if (!kind.is_write) {
    if (history.readers[0] != self) {
      history.readers[1] = history.readers[0];
      history.read[1] = history.read[0];
      history.readers[0] = self;
    }
    history.read[0] = now_;
    return {};
  }
  for (const size_t i : {0, 1}) {
    if (!kind.is_strong && !happened(history.read[i], history.readers[i], true)) {
      return {history.readers[i] & AccessHistory::kThread, false};
    }
  }
  history = {.written = now_, .writer = self, .cta = cta_};
  return {};
}

Race RaceDetector::Access(AccessShadow& shadow, unsigned thread, uint64_t offset, unsigned size, Kind kind) {
  constexpr unsigned kGranule = AccessShadow::kGranule;
  while (size > 0) {
    const unsigned first = offset % kGranule;
    const unsigned count = std::min(size, kGranule - first);
    AccessHistory& history = shadow.At(offset / kGranule);
    if (count == kGranule && (history.writer & AccessHistory::kSplit) == 0) {
      if (const Race race = AccessOne(history, thread, kind)) return race;
    } else {
      auto& bytes = shadow.Split(history);
      for (unsigned i = first; i < first + count; ++i) {
        if (const Race race = AccessOne(bytes[i], thread, kind)) return race;
      }
    }
    offset += count;
    size -= count;
  }
  return {};
}

// Merges the clock of the lane in its warp with the clock of strong accesses, in both directions.
void RaceDetector::PublishLane(unsigned thread) {
  Moment* const known = lanes_.KnownTo(thread);
  Moment* const strong = &strong_lanes_[thread / kWarpSize * kWarpSize];
  known[thread % kWarpSize] = now_;
  for (unsigned i = 0; i < kWarpSize; ++i) known[i] = strong[i] = std::max(known[i], strong[i]);
}

void RaceDetector::Synchronize(unsigned thread) {
  const unsigned warp = thread / kWarpSize;
  PublishLane(thread);
  if (num_warps_ > 1) {
    Moment* const known = KnownTo(warp);
    known[warp] = now_;
    for (unsigned i = 0; i < num_warps_; ++i) known[i] = strong_[i] = std::max(known[i], strong_[i]);
  }
  ++now_;
}

void RaceDetector::JoinLanes(LaneClocks& clocks, unsigned warp, LaneMask lanes, LaneMask alive) {
  if ((alive & ~lanes) == 0) {
    clocks.all[warp] = now_;
  } else {
    std::array<Moment, kWarpSize> joined{};
    for (const unsigned lane : Lanes(lanes)) {
      const Moment* const known = clocks.KnownTo(warp * kWarpSize + lane);
      for (unsigned i = 0; i < kWarpSize; ++i) joined[i] = std::max(joined[i], known[i]);
    }
    for (const unsigned lane : Lanes(lanes)) joined[lane] = now_;
    for (const unsigned lane : Lanes(lanes)) {
      std::copy(joined.begin(), joined.end(), clocks.KnownTo(warp * kWarpSize + lane));
    }
  }
  ++now_;
}

void RaceDetector::Join(absl::Span<const Joining> members) {
  std::vector<Moment> joined(num_warps_);
  for (const Joining& member : members) {
    JoinLanes(member.warp, member.lanes, member.alive);
    // A lane may learn of another lane of its own warp through a warp that it meets here.
    if ((member.alive & ~member.lanes) != 0) {
      for (const unsigned lane : Lanes(member.lanes)) PublishLane(member.warp * kWarpSize + lane);
    }
    Moment* const known = KnownTo(member.warp);
    known[member.warp] = now_;
    for (unsigned i = 0; i < num_warps_; ++i) joined[i] = std::max(joined[i], known[i]);
  }
  for (const Joining& member : members) std::copy(joined.begin(), joined.end(), KnownTo(member.warp));
  ++now_;
}

}  // namespace ptxmir::ptx
