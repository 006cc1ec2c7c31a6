// Finds data races on the shared memory of a CTA.
//
// Happens-before between warps, after FastTrack (Flanagan and Freund, 2009) with one simplification: clocks are
// moments of one counter that grows with every synchronisation. `known_[w][v]` is the last moment of warp v that
// has happened before what warp w does now. Barriers join the clocks of those that take part; strong accesses
// (atomics, volatile, acquire and release) all meet in one clock. Each granule of four bytes remembers its last
// writer and its readers since then.
//
// It errs on the side of silence: strong accesses order more than they would; of a granule whose bytes different
// warps write only the last write is remembered; lanes of one warp are not checked against each other.

#ifndef PTXMIR_PTX_INTERPRETER_RACE_DETECTOR_H_
#define PTXMIR_PTX_INTERPRETER_RACE_DETECTOR_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace ptxmir::ptx {

class RaceDetector {
 public:
  RaceDetector(unsigned num_warps, uint64_t bytes);

  // A plain access. Returns the number of a warp with which it races, or -1.
  int Access(unsigned warp, uint64_t offset, unsigned size, bool is_write) {
    return num_warps_ == 1 ? -1 : AccessBytes(warp, offset, size, is_write);
  }
  // A strong access by the warp.
  void Synchronise(unsigned warp);
  // A barrier that these warps have passed.
  void Join(absl::Span<const unsigned> warps);

 private:
  using Moment = uint32_t;
  struct Granule {
    Moment written = 0;    // 0: never
    Moment read = 0;       // of the reader, the earliest of several
    uint64_t readers = 0;  // warps (modulo 64) that read since the last write
    uint8_t writer = 0;
    uint8_t written_bytes = 0;
    uint8_t read_bytes = 0;
  };

  bool Happened(Moment moment, unsigned other, unsigned warp) const {
    return known_[warp * num_warps_ + other] >= moment;
  }
  int AccessBytes(unsigned warp, uint64_t offset, unsigned size, bool is_write);
  int AccessGranule(Granule& granule, unsigned warp, uint8_t bytes, bool is_write);

  unsigned num_warps_;
  Moment now_ = 1;
  std::vector<Moment> known_;
  std::vector<Moment> strong_;  // the clock of strong accesses
  std::vector<Granule> granules_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_RACE_DETECTOR_H_
