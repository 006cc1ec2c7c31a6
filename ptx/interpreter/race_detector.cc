#include "ptx/interpreter/race_detector.h"

#include <algorithm>
#include <bit>

namespace ptxmir::ptx {

RaceDetector::RaceDetector(unsigned num_warps, uint64_t bytes)
    : num_warps_(num_warps), known_(size_t{num_warps} * num_warps), strong_(num_warps), granules_((bytes + 3) / 4) {}

int RaceDetector::AccessBytes(unsigned warp, uint64_t offset, unsigned size, bool is_write) {
  while (size > 0) {
    const unsigned first = offset % 4;
    const unsigned count = std::min(size, 4 - first);
    const uint8_t bytes = static_cast<uint8_t>(((1u << count) - 1) << first);
    if (offset / 4 >= granules_.size()) return -1;
    const int other = AccessGranule(granules_[offset / 4], warp, bytes, is_write);
    if (other >= 0) return other;
    offset += count;
    size -= count;
  }
  return -1;
}

int RaceDetector::AccessGranule(Granule& granule, unsigned warp, uint8_t bytes, bool is_write) {
  if (granule.written != 0 && granule.writer != warp && (granule.written_bytes & bytes) != 0 &&
      !Happened(granule.written, granule.writer, warp)) {
    return granule.writer;
  }
  const uint64_t self = uint64_t{1} << (warp % 64);
  if (!is_write) {
    if (granule.readers == 0 || granule.readers == self) {
      granule.read = now_;
    } else {
      granule.read = std::min(granule.read, now_);
    }
    granule.readers |= self;
    granule.read_bytes |= bytes;
    return -1;
  }
  if ((granule.read_bytes & bytes) != 0) {
    for (uint64_t others = granule.readers & ~self; others != 0; others &= others - 1) {
      const unsigned other = static_cast<unsigned>(std::countr_zero(others));
      if (other < num_warps_ && !Happened(granule.read, other, warp)) return static_cast<int>(other);
    }
  }
  granule = {.written = now_, .writer = static_cast<uint8_t>(warp), .written_bytes = bytes};
  return -1;
}

void RaceDetector::Synchronise(unsigned warp) {
  if (num_warps_ == 1) return;
  Moment* known = &known_[size_t{warp} * num_warps_];
  known[warp] = now_;
  for (unsigned i = 0; i < num_warps_; ++i) known[i] = strong_[i] = std::max(known[i], strong_[i]);
  ++now_;
}

void RaceDetector::Join(absl::Span<const unsigned> warps) {
  if (num_warps_ == 1) return;
  std::vector<Moment> joined(num_warps_);
  for (const unsigned warp : warps) {
    known_[size_t{warp} * num_warps_ + warp] = now_;
    for (unsigned i = 0; i < num_warps_; ++i) {
      joined[i] = std::max(joined[i], known_[size_t{warp} * num_warps_ + i]);
    }
  }
  for (const unsigned warp : warps) {
    std::copy(joined.begin(), joined.end(), known_.begin() + static_cast<ptrdiff_t>(size_t{warp} * num_warps_));
  }
  ++now_;
}

}  // namespace ptxmir::ptx
