// SPDX-License-Identifier: Apache-2.0

// Register pressure as plain numbers: how many registers of each class are live, and what they cost.
//
// PTX has five classes of virtual registers. ptxas keeps predicates in a separate file (seven per thread). The
// other classes share the 32-bit registers. A value takes as many of them as its class has units.

#ifndef PTXMIR_ANALYSIS_PRESSURE_REGISTER_PRESSURE_H_
#define PTXMIR_ANALYSIS_PRESSURE_REGISTER_PRESSURE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "mir/code/instr_desc.h"

namespace ptxmir {

enum class PressureClass : uint8_t { kPredicate, kB16, kB32, kB64, kB128 };
inline constexpr int kNumPressureClasses = 5;
inline constexpr std::array<std::string_view, kNumPressureClasses> kPressureClassNames = {"b1", "b16", "b32", "b64",
                                                                                          "b128"};
// The number of 32-bit registers that a value of each class takes: RegClassDesc::pressure_units.
inline constexpr std::array<uint32_t, kNumPressureClasses> kPressureUnits = {0, 1, 1, 2, 4};

// Maps each register class of a target (RegClassId) to its pressure class.
class PressureClassMap {
 public:
  static constexpr uint8_t kNotCounted = 0xff;  // registers that are never allocated, and those without a class

  explicit PressureClassMap(const TargetInfo& target);
  bool IsCounted(RegClassId reg_class) const { return classes_[reg_class] != kNotCounted; }
  // Returns a PressureClass, or kNotCounted.
  uint8_t operator[](RegClassId reg_class) const { return classes_[reg_class]; }

 private:
  std::array<uint8_t, 256> classes_;
};

// The number of registers of each class.
struct RegisterPressure {
  std::array<uint32_t, kNumPressureClasses> counts{};

  uint32_t operator[](PressureClass c) const { return counts[static_cast<size_t>(c)]; }
  uint32_t predicates() const { return counts[0]; }
  // Returns the number of 32-bit registers, without predicates.
  uint32_t units() const {
    uint32_t sum = 0;
    for (size_t c = 1; c < kNumPressureClasses; ++c) sum += counts[c] * kPressureUnits[c];
    return sum;
  }
  RegisterPressure& operator+=(const RegisterPressure& other) {
    for (size_t c = 0; c < kNumPressureClasses; ++c) counts[c] += other.counts[c];
    return *this;
  }
  friend RegisterPressure operator+(RegisterPressure a, const RegisterPressure& b) { return a += b; }
  friend bool operator==(const RegisterPressure& a, const RegisterPressure& b) = default;
};

// The peak of a piece of code. Each class may reach its maximum at a different point. `units` is the maximum of
// the sum at one point, not the sum of the maxima.
struct PeakPressure {
  RegisterPressure classes;
  uint32_t units = 0;

  PeakPressure() = default;
  explicit PeakPressure(const RegisterPressure& at_a_point) : classes(at_a_point), units(at_a_point.units()) {}
  uint32_t predicates() const { return classes.predicates(); }
  void Include(const RegisterPressure& at_a_point) { Include(PeakPressure(at_a_point)); }
  void Include(const PeakPressure& other) {
    for (size_t c = 0; c < kNumPressureClasses; ++c) {
      classes.counts[c] = std::max(classes.counts[c], other.classes.counts[c]);
    }
    units = std::max(units, other.units);
  }
  friend bool operator==(const PeakPressure& a, const PeakPressure& b) = default;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_REGISTER_PRESSURE_H_
