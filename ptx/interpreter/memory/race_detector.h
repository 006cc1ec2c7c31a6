// SPDX-License-Identifier: Apache-2.0

// Finds data races between the threads of a CTA, on shared and on global memory and on surfaces.
//
// A race is two accesses of different threads to the same byte, one of them a write, not both strong (atomic, volatile,
// relaxed, acquire, release), with nothing that orders them. What a kernel computes that races is not determined, by
// this interpreter as little as by a GPU: a pass may change it without being wrong. Exceptions: a store of what is
// there already races with nobody that came before it, so that all threads may set one flag; lanes that one store
// instruction makes write the same value to one place do not race; and a plain load does not race with strong writes,
// since compilers begin a compare-and-swap loop with one.
//
// Happens-before after FastTrack (Flanagan and Freund, 2009), with clocks that are moments of one counter which grows
// with every synchronisation. `known_[w][v]` is the last moment of warp v that has happened before what warp w does
// now, whichever of its lanes; `lanes_[w][l][m]` the same for lanes l and m of warp w. Lanes are not ordered by
// executing one instruction after the other: bar.warp.sync orders them, as barriers do. Votes, shuffles and the like
// do not (CUDA Programming Guide, "Warp Vote Functions": no memory ordering), but what a lane has loaded before is not
// changed by what others store behind them: `reads_`. Barriers join the clocks of those that take part; strong accesses
// and fences all meet in one clock.
//
// Each granule of four bytes remembers its last writer and its last two readers since then; a granule that was
// accessed in part does so byte by byte.
//
// It errs on the side of silence: strong accesses and fences order more than they would; of three threads that read
// only two are remembered; CTAs are not checked against each other, and what follows a granule's use by another CTA
// begins anew.

#ifndef PTXMIR_PTX_INTERPRETER_MEMORY_RACE_DETECTOR_H_
#define PTXMIR_PTX_INTERPRETER_MEMORY_RACE_DETECTOR_H_

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ptx/interpreter/values/lanes.h"

namespace ptxmir::ptx {

// Who accessed memory last: 20 bytes for each granule of four.
struct AccessHistory {
  using Moment = uint32_t;
  static constexpr uint16_t kStrong = 1 << 15;  // beside the number of the thread
  static constexpr uint16_t kSplit = 1 << 14;   // `written` is the number of the histories of the single bytes
  static constexpr uint16_t kThread = kSplit - 1;

  Moment written = 0;  // 0: never
  std::array<Moment, 2> read = {};
  uint16_t writer = 0;
  std::array<uint16_t, 2> readers = {};  // the last one first
  uint16_t cta = 0;
};

// Of some memory that begins at 0; comes to life by and by.
class AccessShadow {
 public:
  static constexpr unsigned kGranule = 4;

  AccessHistory& At(uint64_t granule) {
    const uint64_t page = granule / kPageGranules;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
    return (*pages_[page])[granule % kPageGranules];
  }
  // The histories of the single bytes.
  std::array<AccessHistory, kGranule>& Split(AccessHistory& history);

 private:
  static constexpr uint64_t kPageGranules = 256;
  using Page = std::array<AccessHistory, kPageGranules>;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<std::array<AccessHistory, kGranule>> split_;
};

struct Race {
  int thread = -1;  // of the CTA, with whom; -1: there is no race
  bool with_write = false;
  explicit operator bool() const { return thread >= 0; }
};

class RaceDetector {
 public:
  // `cta`: a number of the CTA, from 0. At most 1,024 threads.
  RaceDetector(unsigned num_warps, uint64_t cta);

  AccessShadow& shared() { return shared_; }

  struct Kind {
    bool is_write = false;
    bool is_strong = false;
  };
  // An access by a thread. When there is a race, it is not remembered.
  Race Access(AccessShadow& shadow, unsigned thread, uint64_t offset, unsigned size, Kind kind);
  // A strong access or a fence by the thread; before its Access.
  void Synchronise(unsigned thread);
  // bar.warp.sync of these lanes, with `alive` lanes in the warp.
  void JoinLanes(unsigned warp, LaneMask lanes, LaneMask alive) { JoinLanes(lanes_, warp, lanes, alive); }
  // Another collective of these lanes.
  void JoinReads(unsigned warp, LaneMask lanes, LaneMask alive) { JoinLanes(reads_, warp, lanes, alive); }
  // A barrier of the CTA that these lanes have come to.
  struct Joining {
    unsigned warp;
    LaneMask lanes;
    LaneMask alive;
  };
  void Join(absl::Span<const Joining> members);

 private:
  using Moment = AccessHistory::Moment;

  // What lanes of a warp know of each other.
  struct LaneClocks {
    explicit LaneClocks(unsigned num_warps) : known(size_t{num_warps} * kWarpSize * kWarpSize), all(num_warps) {}
    Moment* KnownTo(unsigned thread) { return &known[size_t{thread} * kWarpSize]; }
    bool Happened(Moment moment, unsigned other, unsigned thread) const {
      return all[thread / kWarpSize] >= moment || known[size_t{thread} * kWarpSize + other % kWarpSize] >= moment;
    }
    std::vector<Moment> known;  // [thread][lane of its warp]
    std::vector<Moment> all;    // by warp: what all its lanes know of each other
  };

  bool Happened(Moment moment, unsigned other, unsigned thread, bool is_read) const {
    const unsigned warp = thread / kWarpSize;
    const unsigned other_warp = other / kWarpSize;
    if (warp != other_warp) return known_[size_t{warp} * num_warps_ + other_warp] >= moment;
    return lanes_.Happened(moment, other, thread) || (is_read && reads_.Happened(moment, other, thread));
  }
  Race AccessOne(AccessHistory& history, unsigned thread, Kind kind);
  Moment* KnownTo(unsigned warp) { return &known_[size_t{warp} * num_warps_]; }
  void JoinLanes(LaneClocks& clocks, unsigned warp, LaneMask lanes, LaneMask alive);
  void PublishLane(unsigned thread);

  unsigned num_warps_;
  uint16_t cta_;
  Moment now_ = 1;
  std::vector<Moment> known_;   // [warp][warp]
  std::vector<Moment> strong_;  // the clock of strong accesses, by warp
  LaneClocks lanes_;
  LaneClocks reads_;                  // of loads alone, beside `lanes_`
  std::vector<Moment> strong_lanes_;  // the clock of strong accesses, by thread
  AccessShadow shared_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_MEMORY_RACE_DETECTOR_H_
