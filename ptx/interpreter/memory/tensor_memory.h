// SPDX-License-Identifier: Apache-2.0

// Tensor memory of a CTA (tcgen05): 128 lanes of 512 columns of 32 bits, taken and given back by columns.
//
// PTX ISA, "Tensor Memory". An address is lane << 16 | column. Every word knows which of its bits are defined, who
// wrote it last, and who read it.
//
// Order ("tcgen05 Memory Consistency Model"). Copies, shifts and products take effect at any time between their
// issue and the wait for an mbarrier that tcgen05.commit made track them; loads and stores between their issue and
// tcgen05.wait::ld or ::st. What one warp does is ordered before what another does by completing it (or leaving it
// to the pipeline), tcgen05.fence::before_thread_sync, a synchronisation of threads, and
// tcgen05.fence::after_thread_sync. Conflicting accesses that are not ordered are faults. As the race detector of
// shared memory does, this errs on the side of silence: warps are looked at, not threads; that both fences were
// executed is noticed, not what synchronised the threads between them; and within a warp all copies, shifts and
// products count as one pipeline.

#ifndef PTXMIR_PTX_INTERPRETER_MEMORY_TENSOR_MEMORY_H_
#define PTXMIR_PTX_INTERPRETER_MEMORY_TENSOR_MEMORY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptxmir::ptx {

// What a warp has waited for and fenced; moments are steps of the grid.
struct TensorOrder {
  uint32_t id = 0;             // of the warp in its cluster, from 1
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
  // `columns` is a power of two from 32 to 512. The lowest place that is free; nullopt when there is none.
  std::optional<unsigned> Allocate(unsigned columns);
  // False when that is not what an Allocate gave.
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
    kAsyncRead,  // of copies, shifts and products, when they are issued
    kAsyncWrite,
  };
  // Notes an access and returns what is wrong with it, or an empty string. `sequence`: of asynchronous operations.
  std::string_view Access(unsigned lane, unsigned column, AccessType type, const TensorOrder& by, uint64_t now,
                          uint32_t sequence);
  // An asynchronous operation has written a word.
  void Complete(unsigned lane, unsigned column, uint32_t sequence, uint64_t now);
  // Whether an operation that has not been completed is going to write these columns.
  bool IsPending(unsigned column, unsigned columns) const;

  // The warps of the cluster, by id - 1; set by the owner.
  std::vector<const TensorOrder*> warps;

 private:
  enum class Kind : uint8_t { kNone, kSynchronous, kPending, kCompleted };
  struct Record {
    uint64_t time = 0;      // of issue or, kCompleted, of completion
    uint32_t sequence = 0;  // kPending: of the last operation
    uint16_t warp = 0;
    Kind kind = Kind::kNone;
  };

  bool IsWriteOrdered(const Record& write, AccessType type, const TensorOrder& by) const;
  bool IsReadOrdered(const Record& read, const TensorOrder& by) const;
  // Whether the warp of a record has published it and `by` has fenced since.
  bool IsPublished(const Record& record, const TensorOrder& by) const;

  std::array<Place, kColumns / kUnit> places_ = [] {
    std::array<Place, kColumns / kUnit> places;
    places.fill(Place::kNever);
    return places;
  }();
  std::array<unsigned, kColumns / kUnit> sizes_{};  // columns of the allocation that begins here
  std::vector<Word> words_ = std::vector<Word>(size_t{kLanes} * kColumns);
  std::vector<Record> writes_ = std::vector<Record>(size_t{kLanes} * kColumns);
  std::vector<Record> reads_ = std::vector<Record>(size_t{kLanes} * kColumns);
};

// ---- Which register of which lane holds what: tcgen05.ld and tcgen05.st.
// PTX ISA, "Data Movement Shape", whose figures are the layouts SM100_TMEM_LOAD_* of NVIDIA's CUTLASS
// (cute/atom/copy_traits_sm100.hpp).
enum class TensorMovement : uint8_t { k32x32b, k16x64b, k16x128b, k16x256b, k16x32bx2 };
std::optional<TensorMovement> FindTensorMovement(std::string_view shape);
// Registers of the form .x1, and lanes of tensor memory.
unsigned RegistersOf(TensorMovement movement);
unsigned LanesOf(TensorMovement movement);

struct TensorPlace {
  unsigned lane = 0;       // from that of the address
  unsigned column = 0;     // from that of the address
  bool is_second = false;  // of .16x32bx2: the half behind the split offset
  friend bool operator==(const TensorPlace&, const TensorPlace&) = default;
};
// Register `reg` of a lane of the warp. With .pack::16b (.unpack::16b) it is half a word in each of the columns
// 2 * column and 2 * column + 1.
TensorPlace FindTensorPlace(TensorMovement movement, unsigned lane, unsigned reg);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_MEMORY_TENSOR_MEMORY_H_
