// SPDX-License-Identifier: Apache-2.0

// The lanes of a warp, and pure kernels: functions that execute an instruction without side effects for all lanes at
// once.
//
// A register of a warp is a row with one element per lane. Rows are typed by the width of the register class: lane
// masks for predicates, uint16_t[32], uint32_t[32] and uint64_t[32] for the others. A 128-bit register is two 64-bit
// rows, the low half first. A pure kernel is a loop over the lanes of typed rows. MakePure turns a function of one
// lane, which has to be defined for all values, into such a loop:
//
//     uint32_t Add(uint32_t a, uint32_t b) { return a + b; }
//     PureKernel kernel = MakePure<&Add>();          // rows: result, a, b
//
// Parameters and results of type bool are predicates. A function may return several results as a std::tuple, and may
// take a `const KernelParams&` first (rounding modes and the like).

#ifndef PTXMIR_PTX_INTERPRETER_VALUES_LANES_H_
#define PTXMIR_PTX_INTERPRETER_VALUES_LANES_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ptxmir::ptx {

inline constexpr unsigned kWarpSize = 32;
// A set of lanes: bit l is lane l.
using LaneMask = uint32_t;
inline constexpr LaneMask kAllLanes = ~LaneMask{0};

// Returns the lowest lane of a nonempty mask.
inline unsigned FirstLane(LaneMask mask) { return static_cast<unsigned>(std::countr_zero(mask)); }

// The lanes of a mask, ascending: for (const unsigned lane : Lanes(mask)).
class Lanes {
 public:
  class Iterator {
   public:
    explicit Iterator(LaneMask rest) : rest_(rest) {}
    unsigned operator*() const { return FirstLane(rest_); }
    Iterator& operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    LaneMask rest_;
  };
  explicit Lanes(LaneMask mask) : mask_(mask) {}
  Iterator begin() const { return Iterator(mask_); }
  Iterator end() const { return Iterator(0); }

 private:
  LaneMask mask_;
};

// Calls `function(lane)` for the lanes of a mask, ascending.
template <typename Function>
inline void ForEachLane(LaneMask mask, Function&& function) {
  for (const unsigned lane : Lanes(mask)) function(lane);
}

// Small constants that a resolver chose for a kernel. Each kernel defines their meaning.
struct KernelParams {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
};

// A kernel. `rows` has the results first, then the sources, each with the width that the semantics declare. A kernel
// must read all sources of a lane before it writes a result of that lane (rows may coincide), and must not write
// inactive lanes.
using PureKernel = void (*)(void* const* rows, LaneMask active, const KernelParams& params);

namespace lanes_internal {

// Reads one lane of a row. A predicate row is one LaneMask.
template <typename T>
inline T Read(const void* row, unsigned lane) {
  if constexpr (std::is_same_v<T, bool>) {
    return (*static_cast<const LaneMask*>(row) >> lane & 1) != 0;
  } else {
    return static_cast<const T*>(row)[lane];
  }
}

template <typename T>
inline void Write(void* row, unsigned lane, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    LaneMask& mask = *static_cast<LaneMask*>(row);
    mask = (mask & ~(LaneMask{1} << lane)) | (LaneMask{value} << lane);
  } else {
    static_cast<T*>(row)[lane] = value;
  }
}

template <typename T>
struct Results {
  static constexpr unsigned kCount = 1;
  static void Store(void* const* rows, unsigned lane, const T& value) { Write<T>(rows[0], lane, value); }
};
template <typename... T>
struct Results<std::tuple<T...>> {
  static constexpr unsigned kCount = sizeof...(T);
  static void Store(void* const* rows, unsigned lane, const std::tuple<T...>& values) {
    StoreEach(rows, lane, values, std::index_sequence_for<T...>());
  }

 private:
  template <size_t... I>
  static void StoreEach(void* const* rows, unsigned lane, const std::tuple<T...>& values, std::index_sequence<I...>) {
    (Write<T>(rows[I], lane, std::get<I>(values)), ...);
  }
};

// Writes the active lanes of a row of integers or floating-point numbers of `size` bytes: 2, 4 or 8.
void StoreActive(const void* results, size_t size, LaneMask active, void* row);

template <auto kFunction, typename Result, bool kTakesParams, typename... Args>
struct Lanewise {
  static void Run(void* const* rows, LaneMask active, const KernelParams& params) {
    RunWith(rows, active, params, std::index_sequence_for<Args...>());
  }

 private:
  template <size_t... I>
  static inline Result RunLane(void* const* rows, unsigned lane, const KernelParams& params,
                               std::index_sequence<I...>) {
    constexpr unsigned kFirst = Results<Result>::kCount;
    if constexpr (kTakesParams) {
      return kFunction(params, Read<Args>(rows[kFirst + I], lane)...);
    } else {
      return kFunction(Read<Args>(rows[kFirst + I], lane)...);
    }
  }
  // Numbers are computed for all lanes, since compilers vectorize that loop: one copy of the function is enough. The
  // array of results overlaps no row.
  template <size_t... I>
  static void RunWith(void* const* rows, LaneMask active, const KernelParams& params,
                      std::index_sequence<I...> indices) {
    if constexpr (std::is_arithmetic_v<Result> && !std::is_same_v<Result, bool>) {
      Result results[kWarpSize];
      for (unsigned lane = 0; lane < kWarpSize; ++lane) results[lane] = RunLane(rows, lane, params, indices);
      StoreActive(results, sizeof(Result), active, rows[0]);
    } else {
      for (const unsigned lane : Lanes(active)) {
        Results<Result>::Store(rows, lane, RunLane(rows, lane, params, indices));
      }
    }
  }
};

template <auto kFunction, typename Signature>
struct Dispatch;
template <auto kFunction, typename Result, typename... Args>
struct Dispatch<kFunction, Result (*)(Args...)> {
  static constexpr PureKernel kKernel = &Lanewise<kFunction, Result, false, Args...>::Run;
};
template <auto kFunction, typename Result, typename... Args>
struct Dispatch<kFunction, Result (*)(const KernelParams&, Args...)> {
  static constexpr PureKernel kKernel = &Lanewise<kFunction, Result, true, Args...>::Run;
};

}  // namespace lanes_internal

template <auto kFunction>
constexpr PureKernel MakePure() {
  return lanes_internal::Dispatch<kFunction, decltype(kFunction)>::kKernel;
}

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_VALUES_LANES_H_
