// SPDX-License-Identifier: Apache-2.0

// The tensor memory of a CTA (tcgen05): 128 lanes of 512 columns of 32 bits, allocated and freed by columns.
//
// PTX ISA, "Tensor Memory". An address is lane << 16 | column. Every word records which of its bits are defined, its
// last writer and its last reader.
//
// Order ("tcgen05 Memory Consistency Model"). Copies, shifts and products take effect at any time between their
// issue and the wait for an mbarrier that tracks them through tcgen05.commit. Loads and stores take effect between
// their issue and tcgen05.wait::ld or ::st. An access of one warp is ordered before one of another warp by four
// steps: completing it (or leaving it to the pipeline), tcgen05.fence::before_thread_sync, a synchronization of
// threads, and tcgen05.fence::after_thread_sync. Conflicting accesses that are not ordered are faults.
//
// Like the race detector of shared memory, this errs on the side of silence. It tracks warps, not threads. It notes
// that both fences were executed, not what synchronized the threads between them. And within a warp, all copies,
// shifts and products count as one pipeline.

#ifndef PTXMIR_PTX_INTERPRETER_MEMORY_TENSOR_MEMORY_H_
#define PTXMIR_PTX_INTERPRETER_MEMORY_TENSOR_MEMORY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptxmir::ptx {

// The points up to which a warp has waited and fenced. Moments are steps of the grid.
struct TensorOrder {
  uint32_t id = 0;             // the warp's number in its cluster, from 1
  uint64_t waited_loads = 0;   // last tcgen05.wait::ld
  uint64_t waited_stores = 0;  // last tcgen05.wait::st
  uint64_t fenced_before = 0;  // last tcgen05.fence::before_thread_sync
  uint64_t fenced_after = 0;   // last tcgen05.fence::after_thread_sync
};

class TensorMemory {
 public:
  static constexpr unsigned kLanes = 128;
  static constexpr unsigned kColumns = 512;
  static constexpr unsigned kUnit = 32;  // columns

  struct Word {
    uint32_t value = 0;
    uint32_t undefined = ~0u;
  };

  // ---- Allocation.
  // Allocates columns at the lowest free place. `columns` is a power of two from 32 to 512. Returns nullopt if there
  // is no room.
  std::optional<unsigned> Allocate(unsigned columns);
  // Frees columns. Returns false if the range is not one that Allocate returned.
  bool Free(unsigned column, unsigned columns);
  bool AnyAllocated() const;
  bool may_allocate = true;

  enum class Place : uint8_t { kAllocated, kFreed, kNever };
  Place PlaceOf(unsigned column) const { return places_[column / kUnit]; }

  // ---- Words.
  Word& At(unsigned lane, unsigned column) { return words_[lane * kColumns + column]; }

  // ---- Order.
  enum class AccessType : uint8_t {
    kLoad,
    kStore,
    kAsyncRead,  // of copies, shifts and products, at their issue
    kAsyncWrite,
  };
  // Notes an access. Returns a description of what is wrong with it, or an empty string. `sequence` is for
  // asynchronous operations.
  std::string_view Access(unsigned lane, unsigned column, AccessType type, const TensorOrder& by, uint64_t now,
                          uint32_t sequence);
  // Notes that an asynchronous operation has written a word.
  void Complete(unsigned lane, unsigned column, uint32_t sequence, uint64_t now);
  // Returns true if an operation that has not completed is going to write these columns.
  bool IsPending(unsigned column, unsigned columns) const;

  // The warps of the cluster, by id - 1. The owner sets it.
  std::vector<const TensorOrder*> warps;

 private:
  enum class Kind : uint8_t { kNone, kSynchronous, kPending, kCompleted };
  struct Record {
    uint64_t time = 0;      // of issue or, for kCompleted, of completion
    uint32_t sequence = 0;  // for kPending: the last operation
    uint16_t warp = 0;
    Kind kind = Kind::kNone;
  };

  bool IsWriteOrdered(const Record& write, AccessType type, const TensorOrder& by) const;
  bool IsReadOrdered(const Record& read, const TensorOrder& by) const;
  // Returns true if the warp of a record has published it and `by` has fenced since.
  bool IsPublished(const Record& record, const TensorOrder& by) const;

  std::array<Place, kColumns / kUnit> places_ = [] {
    std::array<Place, kColumns / kUnit> places;
    places.fill(Place::kNever);
    return places;
  }();
  std::array<unsigned, kColumns / kUnit> sizes_{};  // size in columns of the allocation that begins here
  std::vector<Word> words_ = std::vector<Word>(size_t{kLanes} * kColumns);
  std::vector<Record> writes_ = std::vector<Record>(size_t{kLanes} * kColumns);
  std::vector<Record> reads_ = std::vector<Record>(size_t{kLanes} * kColumns);
};

// ---- The contents of each register of each lane for tcgen05.ld and tcgen05.st. PTX ISA, "Data Movement Shape",
// whose figures are the layouts SM100_TMEM_LOAD_* of NVIDIA's CUTLASS (cute/atom/copy_traits_sm100.hpp).
enum class TensorMovement : uint8_t { k32x32b, k16x64b, k16x128b, k16x256b, k16x32bx2 };
std::optional<TensorMovement> FindTensorMovement(std::string_view shape);
// Return the number of registers of the form .x1, and of lanes of tensor memory.
unsigned RegistersOf(TensorMovement movement);
unsigned LanesOf(TensorMovement movement);

struct TensorPlace {
  unsigned lane = 0;       // relative to the address
  unsigned column = 0;     // relative to the address
  bool is_second = false;  // for .16x32bx2: whether it is in the half after the split offset
  friend bool operator==(const TensorPlace&, const TensorPlace&) = default;
};
// Returns the place of register `reg` of a lane of the warp. With .pack::16b (.unpack::16b), the register holds one
// half-word in each of the columns 2 * column and 2 * column + 1.
TensorPlace FindTensorPlace(TensorMovement movement, unsigned lane, unsigned reg);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_MEMORY_TENSOR_MEMORY_H_
