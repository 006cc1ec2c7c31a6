// SPDX-License-Identifier: Apache-2.0

// The mbarrier object: 64 bits in shared memory, opaque to programs. PTX ISA, "mbarrier".
//
//     bits  0-19  arrivals still to come in the current phase
//     bits 20-39  arrivals that a phase expects
//     bits 40-60  bytes of asynchronous copies still to come (tx-count), in two's complement
//     bit  61     parity of the current phase
//     bit  62     1: the object is initialized
//
// The state that an arrival returns is the object as it was before. So waiting for a state means waiting for its
// phase to end, which the parity shows. A state is therefore valid only until the end of the phase after it.

#ifndef PTXMIR_PTX_INTERPRETER_MEMORY_MBARRIER_H_
#define PTXMIR_PTX_INTERPRETER_MEMORY_MBARRIER_H_

#include <cstdint>
#include <optional>

namespace ptxmir::ptx {

struct Mbarrier {
  static constexpr int64_t kMaxCount = (int64_t{1} << 20) - 1;

  int64_t pending = 0;
  int64_t expected = 0;
  int64_t transactions = 0;
  bool parity = false;

  // Each returns false, and leaves the object unchanged, if a count would leave its range. The phase ends when
  // nothing is pending any more.
  bool Arrive(int64_t count);
  bool ArriveAndDrop(int64_t count);
  // Adds arrivals to the ones still to come in this phase, for asynchronous copies.
  bool ExpectArrivals(int64_t count);
  bool ExpectTransactions(int64_t bytes);
  bool CompleteTransactions(int64_t bytes);

  uint64_t Encode() const;
  // Decodes an object. Returns nullopt if the bits are not an initialized object.
  static std::optional<Mbarrier> Decode(uint64_t bits);

 private:
  void EndPhaseIfDone();
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_MEMORY_MBARRIER_H_
