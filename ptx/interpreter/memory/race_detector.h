// SPDX-License-Identifier: Apache-2.0

// Finds data races between the threads of a CTA, on shared memory, on global memory and on surfaces.
//
// A race is two accesses to the same byte by different threads that nothing orders, where one is a write and not
// both are strong (atomic, volatile, relaxed, acquire, release). The result of a kernel with races is not
// determined, neither on a GPU nor here: a correct pass may change it. There are three exceptions. A store of the
// value that is already there does not race with earlier accesses, so that all threads may set one flag. Lanes of
// one store instruction that write the same value to one place do not race. A plain load does not race with strong
// writes, because compilers begin a compare-and-swap loop with one.
//
// Happens-before follows FastTrack (Flanagan and Freund, 2009). The clocks are moments of a single counter that
// grows with every synchronization. `known_[w][v]` is the last moment of warp v that happened before the present of
// warp w, for all its lanes. `lanes_[w][l][m]` is the same for lanes l and m of warp w. Lanes are not ordered by
// executing one instruction after another; bar.warp.sync orders them, as barriers do. Votes, shuffles and the like
// do not (CUDA Programming Guide, "Warp Vote Functions": no memory ordering). But stores by other lanes after such a
// collective do not change what a lane loaded before it: `reads_`. Barriers join the clocks of their participants.
// Strong accesses and fences all meet in one clock.
//
// Each granule of four bytes remembers its last writer and the last two readers since then. A granule that was
// accessed in part keeps this information for each byte.
//
// The detector errs on the side of silence. Strong accesses and fences order more than they should. Of three threads
// that read, only two are remembered. CTAs are not checked against each other, and the history of a granule starts
// from scratch after another CTA has used it.

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

// The last accesses to a granule: 20 bytes for each granule of four.
struct AccessHistory {
  using Moment = uint32_t;
  static constexpr uint16_t kStrong = 1 << 15;  // a flag added to the number of the thread
  static constexpr uint16_t kSplit = 1 << 14;   // `written` is the index of the histories of the single bytes
  static constexpr uint16_t kThread = kSplit - 1;

  Moment written = 0;  // 0: never
  std::array<Moment, 2> read = {};
  uint16_t writer = 0;
  std::array<uint16_t, 2> readers = {};  // the last one first
  uint16_t cta = 0;
};

// The access histories of a memory that begins at 0. Pages are allocated on first use.
class AccessShadow {
 public:
  static constexpr unsigned kGranule = 4;

  AccessHistory& At(uint64_t granule) {
    const uint64_t page = granule / kPageGranules;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
    return (*pages_[page])[granule % kPageGranules];
  }
  // Returns the histories of the single bytes.
  std::array<AccessHistory, kGranule>& Split(AccessHistory& history);

 private:
  static constexpr uint64_t kPageGranules = 256;
  using Page = std::array<AccessHistory, kPageGranules>;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<std::array<AccessHistory, kGranule>> split_;
};

struct Race {
  int thread = -1;  // the other thread, numbered in the CTA; -1 if there is no race
  bool with_write = false;
  explicit operator bool() const { return thread >= 0; }
};

class RaceDetector {
 public:
  // `cta` is a number of the CTA, from 0. At most 1,024 threads.
  RaceDetector(unsigned num_warps, uint64_t cta);

  AccessShadow& shared() { return shared_; }

  struct Kind {
    bool is_write = false;
    bool is_strong = false;
  };
  // Checks an access by a thread. An access that races is not recorded.
  Race Access(AccessShadow& shadow, unsigned thread, uint64_t offset, unsigned size, Kind kind);
  // Notes a strong access or a fence by the thread. Call it before the thread's Access.
  void Synchronize(unsigned thread);
  // Notes a bar.warp.sync of these lanes. `alive` are the live lanes of the warp.
  void JoinLanes(unsigned warp, LaneMask lanes, LaneMask alive) { JoinLanes(lanes_, warp, lanes, alive); }
  // Notes another collective of these lanes.
  void JoinReads(unsigned warp, LaneMask lanes, LaneMask alive) { JoinLanes(reads_, warp, lanes, alive); }
  // The lanes of a warp that have arrived at a barrier of the CTA.
  struct Joining {
    unsigned warp;
    LaneMask lanes;
    LaneMask alive;
  };
  void Join(absl::Span<const Joining> members);

 private:
  using Moment = AccessHistory::Moment;

  // The clocks that the lanes of a warp know of each other.
  struct LaneClocks {
    explicit LaneClocks(unsigned num_warps) : known(size_t{num_warps} * kWarpSize * kWarpSize), all(num_warps) {}
    Moment* KnownTo(unsigned thread) { return &known[size_t{thread} * kWarpSize]; }
    bool Happened(Moment moment, unsigned other, unsigned thread) const {
      return all[thread / kWarpSize] >= moment || known[size_t{thread} * kWarpSize + other % kWarpSize] >= moment;
    }
    std::vector<Moment> known;  // [thread][lane of its warp]
    std::vector<Moment> all;    // by warp: the moment that all its lanes know of each other
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
  LaneClocks reads_;                  // for loads only, in addition to `lanes_`
  std::vector<Moment> strong_lanes_;  // the clock of strong accesses, by thread
  AccessShadow shared_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_MEMORY_RACE_DETECTOR_H_
