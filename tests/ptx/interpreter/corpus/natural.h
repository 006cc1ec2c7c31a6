// SPDX-License-Identifier: Apache-2.0

// Natural numbers of up to 544 bits, for references: slow but obviously correct.

#ifndef PTXMIR_TESTS_PTX_INTERPRETER_CORPUS_NATURAL_H_
#define PTXMIR_TESTS_PTX_INTERPRETER_CORPUS_NATURAL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptxmir::ptx {

class Natural {
 public:
  static constexpr size_t kLimbs = 17;

  Natural() = default;
  explicit Natural(uint64_t value) {
    limbs_[0] = static_cast<uint32_t>(value);
    limbs_[1] = static_cast<uint32_t>(value >> 32);
  }
  static Natural PowerOfTwo(size_t exponent) {
    Natural n;
    n.limbs_[exponent / 32] = 1u << exponent % 32;
    return n;
  }
  // Little-endian.
  template <typename Limbs>
  static Natural FromLimbs(const Limbs& limbs) {
    Natural n;
    for (size_t i = 0; i < limbs.size(); ++i) n.limbs_[i] = limbs[i];
    return n;
  }
  static Natural FromBytes(const std::vector<uint8_t>& bytes) {
    Natural n;
    for (size_t i = 0; i < bytes.size(); ++i) n.limbs_[i / 4] |= uint32_t{bytes[i]} << 8 * (i % 4);
    return n;
  }
  std::vector<uint8_t> ToBytes(size_t count) const {
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(limbs_[i / 4] >> 8 * (i % 4)));
    return bytes;
  }
  uint32_t limb(size_t i) const { return limbs_[i]; }
  bool Bit(size_t i) const { return (limbs_[i / 32] >> i % 32 & 1) != 0; }
  // Returns one more than the number of the highest set bit.
  size_t NumBits() const {
    size_t bits = 32 * kLimbs;
    while (bits > 0 && !Bit(bits - 1)) --bits;
    return bits;
  }

  // All operations are modulo 2^544.
  static Natural Add(const Natural& a, const Natural& b) {
    Natural sum;
    uint64_t carry = 0;
    for (size_t i = 0; i < kLimbs; ++i) {
      carry += uint64_t{a.limbs_[i]} + b.limbs_[i];
      sum.limbs_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    return sum;
  }
  static Natural Sub(const Natural& a, const Natural& b) {
    Natural difference;
    uint64_t borrow = 0;
    for (size_t i = 0; i < kLimbs; ++i) {
      const uint64_t limb = uint64_t{a.limbs_[i]} - b.limbs_[i] - borrow;
      difference.limbs_[i] = static_cast<uint32_t>(limb);
      borrow = limb >> 63;
    }
    return difference;
  }
  static Natural Mul(const Natural& a, const Natural& b) {
    Natural product;
    for (size_t i = 0; i < kLimbs; ++i) {
      uint64_t carry = 0;
      for (size_t j = 0; i + j < kLimbs; ++j) {
        carry += uint64_t{a.limbs_[i]} * b.limbs_[j] + product.limbs_[i + j];
        product.limbs_[i + j] = static_cast<uint32_t>(carry);
        carry >>= 32;
      }
    }
    return product;
  }
  static bool Less(const Natural& a, const Natural& b) {
    for (size_t i = kLimbs; i-- > 0;) {
      if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i];
    }
    return false;
  }
  // Divides bit by bit.
  static Natural Mod(const Natural& a, const Natural& modulus) {
    Natural rest;
    for (size_t bit = a.NumBits(); bit-- > 0;) {
      rest = Add(rest, rest);
      rest.limbs_[0] |= a.Bit(bit) ? 1 : 0;
      if (!Less(rest, modulus)) rest = Sub(rest, modulus);
    }
    return rest;
  }
  static Natural Power(Natural base, const Natural& exponent, const Natural& modulus) {
    Natural result(1);
    for (size_t bit = 0; bit < exponent.NumBits(); ++bit) {
      if (exponent.Bit(bit)) result = Mod(Mul(result, base), modulus);
      base = Mod(Mul(base, base), modulus);
    }
    return result;
  }

 private:
  std::array<uint32_t, kLimbs> limbs_{};
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_TESTS_PTX_INTERPRETER_CORPUS_NATURAL_H_
