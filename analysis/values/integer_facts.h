// SPDX-License-Identifier: Apache-2.0

// IntegerFacts: what is known about an integer of 1 to 64 bits: the bits that are always 0 or always 1, the smallest
// and largest value as an unsigned number, and the same as a signed number.
//
// The three parts sharpen each other (Normalize): equal leading bits of the ends of a range are known bits, known bits
// bound the ranges, and a range that does not cross a sign change holds in both views. This is the reduced product of
// LLVM's KnownBits and two ConstantRanges that do not wrap around.
//
// An empty set of values stands for code that is never executed, or not yet found to be.

#ifndef PTXMIR_ANALYSIS_VALUES_INTEGER_FACTS_H_
#define PTXMIR_ANALYSIS_VALUES_INTEGER_FACTS_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace ptxmir {

struct IntegerFacts {
  uint64_t zeros = 0;  // the bits that are 0
  uint64_t ones = 0;   // the bits that are 1
  uint64_t min = 0;    // unsigned
  uint64_t max = 0;
  int64_t smin = 0;  // signed
  int64_t smax = 0;
  uint8_t bits = 0;  // the width; 0: no integer
  bool is_empty = false;

  // Returns the mask of the low `bits` bits.
  static constexpr uint64_t LowMask(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
  // Returns the low bits as a signed number.
  static constexpr int64_t SignExtend(uint64_t value, unsigned bits) {
    return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
  }

  static IntegerFacts Unknown(unsigned bits);
  static IntegerFacts Empty(unsigned bits);
  static IntegerFacts Exact(unsigned bits, uint64_t value);
  // min <= max. The other parts follow.
  static IntegerFacts UnsignedRange(unsigned bits, uint64_t min, uint64_t max);
  static IntegerFacts SignedRange(unsigned bits, int64_t smin, int64_t smax);
  static IntegerFacts KnownBits(unsigned bits, uint64_t zeros, uint64_t ones);

  uint64_t mask() const { return LowMask(bits); }
  uint64_t sign_bit() const { return uint64_t{1} << (bits - 1); }
  uint64_t known() const { return zeros | ones; }
  bool is_exact() const { return !is_empty && min == max; }
  // Returns true if nothing is known.
  bool is_unknown() const;
  bool is_non_negative() const { return !is_empty && smin >= 0; }
  // Return true if the value is that of its low `width` bits, extended.
  bool FitsUnsigned(unsigned width) const { return !is_empty && max <= LowMask(width); }
  bool FitsSigned(unsigned width) const {
    return !is_empty && smin == SignExtend(static_cast<uint64_t>(smin), width) &&
           smax == SignExtend(static_cast<uint64_t>(smax), width);
  }
  // Returns the number of low bits that are known to be 0.
  unsigned TrailingZeros() const { return std::min<unsigned>(static_cast<unsigned>(std::countr_one(zeros)), bits); }
  // Returns true if the facts allow the value (its low bits).
  bool Allows(uint64_t value) const;

  // Makes each part as sharp as the others allow. Facts that contradict each other become empty.
  void Normalize();
  // Returns what holds for the values of both.
  IntegerFacts JoinedWith(const IntegerFacts& other) const;
  // Returns what holds for a value for which both hold.
  IntegerFacts MetWith(const IntegerFacts& other) const;

  // Return the facts of the value in another width.
  IntegerFacts Truncated(unsigned width) const;
  IntegerFacts ZeroExtended(unsigned width) const;
  IntegerFacts SignExtended(unsigned width) const;
  IntegerFacts Extended(unsigned width, bool is_signed) const {
    return is_signed ? SignExtended(width) : ZeroExtended(width);
  }

  // Returns "[0, 31]", "[-4, 8]" and the bits that the ranges do not tell, for dumps.
  std::string ToString() const;

  friend bool operator==(const IntegerFacts&, const IntegerFacts&) = default;

 private:
  void SharpenOnce();
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_VALUES_INTEGER_FACTS_H_
