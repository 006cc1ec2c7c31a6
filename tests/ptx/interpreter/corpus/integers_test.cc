// SPDX-License-Identifier: Apache-2.0

// Compares big_modular and bit_tricks with long arithmetic and the definitions of the instructions.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/natural.h"

namespace ptxmir::ptx {
namespace {

using Big = std::array<uint32_t, 8>;
constexpr uint64_t kGoldilocks = 0xffffffff00000001;

class BigModularTest : public CorpusKernels {
 protected:
  BigModularTest() : CorpusKernels("big_modular") {}

  // secp256k1's prime, and the inverse of 2^256 modulo it: 2^256 = 2^32 + 977.
  static Natural Prime() { return Natural::Sub(Natural::PowerOfTwo(256), Natural((uint64_t{1} << 32) + 977)); }
  static Natural InverseOfRadix() {
    return Natural::Power(Natural((uint64_t{1} << 32) + 977), Natural::Sub(Prime(), Natural(2)), Prime());
  }
  static Natural Modulo(const Natural& n) { return Natural::Mod(n, Prime()); }
  static Big ToBig(const Natural& n) {
    Big big;
    for (size_t i = 0; i < 8; ++i) big[i] = n.limb(i);
    return big;
  }
  // Returns numbers below the prime, including the extremes.
  static std::vector<Big> Residues(size_t count, uint64_t seed) {
    RandomNumbers random(seed);
    std::vector<Big> out = {ToBig(Natural(0)), ToBig(Natural(1)), ToBig(Natural::Sub(Prime(), Natural(1)))};
    while (out.size() < count) {
      Big big;
      for (uint32_t& limb : big) limb = random.Any<uint32_t>();
      out.push_back(ToBig(Modulo(Natural::FromLimbs(big))));
    }
    return out;
  }
};

TEST_F(BigModularTest, Products) {
  const std::vector<Big> a = Residues(32, 1);
  std::vector<Big> b = Residues(32, 2);
  std::reverse(b.begin() + 1, b.end());
  std::vector<Big> expected;
  for (size_t i = 0; i < a.size(); ++i) {
    const Natural product = Modulo(Natural::Mul(Natural::FromLimbs(a[i]), Natural::FromLimbs(b[i])));
    expected.push_back(ToBig(Modulo(Natural::Mul(product, InverseOfRadix()))));
  }
  const auto out = Output<Big>(32);
  Launch("Products", {2}, {16}, 0, Buffer(a), Buffer(b), out);
  ExpectEqual(out, expected);
}

TEST_F(BigModularTest, Powers) {
  // In Montgomery form, with the exponent that inverts.
  const std::vector<Big> bases = Residues(6, 3);
  const Natural radix = Natural((uint64_t{1} << 32) + 977);
  const Natural exponent = Natural::Sub(Prime(), Natural(2));
  const auto to_form = [&](const Natural& n) { return ToBig(Modulo(Natural::Mul(n, radix))); };
  std::vector<Big> forms;
  std::vector<Big> expected;
  for (const Big& base : bases) {
    forms.push_back(to_form(Natural::FromLimbs(base)));
    expected.push_back(to_form(Natural::Power(Natural::FromLimbs(base), exponent, Prime())));
  }
  const auto out = Output<Big>(6);
  Launch("Powers", {1}, {6}, 0, Buffer(forms), ToBig(exponent), to_form(Natural(1)), out);
  ExpectEqual(out, expected);
}

TEST_F(BigModularTest, Squares) {
  // The assembly adds up the squares of the words and the products of adjacent words, each once.
  std::vector<uint32_t> in = Random<uint32_t>(128, 4);
  std::fill(in.begin(), in.begin() + 4, ~0u);
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < 32; ++i) {
    Natural sum;
    for (size_t j = 0; j < 4; ++j) {
      const uint64_t word = in[4 * i + j];
      sum = Natural::Add(sum, Natural::Mul(Natural(word * word), Natural::PowerOfTwo(64 * j)));
      if (j == 3) break;
      sum = Natural::Add(sum, Natural::Mul(Natural(word * in[4 * i + j + 1]), Natural::PowerOfTwo(64 * j + 32)));
    }
    for (size_t j = 0; j < 8; ++j) expected.push_back(sum.limb(j));
  }
  const auto out = Output<uint32_t>(256);
  Launch("Squares", {1}, {32}, 0, Buffer(in), out);
  ExpectEqual(out, expected);
}

uint64_t TimesGoldilocks(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % kGoldilocks);
}
uint64_t PowerGoldilocks(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = TimesGoldilocks(base, base)) {
    if ((exponent & 1) != 0) result = TimesGoldilocks(result, base);
  }
  return result;
}

TEST_F(BigModularTest, Transform) {
  // All passes of a transform of 128 points, from bit-reversed to natural order. 7 generates the multiplicative
  // group of the field.
  constexpr size_t kPoints = 128;
  const uint64_t root = PowerGoldilocks(7, (kGoldilocks - 1) / kPoints);
  std::vector<uint64_t> in = Random<uint64_t>(kPoints, 5);
  for (uint64_t& value : in) value %= kGoldilocks;
  in[1] = kGoldilocks - 1;
  in[2] = 0;
  std::vector<uint64_t> reversed(kPoints);
  std::vector<uint64_t> expected(kPoints);
  for (size_t i = 0; i < kPoints; ++i) {
    size_t mirror = 0;
    for (size_t bit = 0; bit < 7; ++bit) mirror |= (i >> bit & 1) << (6 - bit);
    reversed[mirror] = in[i];
    for (size_t j = 0; j < kPoints; ++j) {
      const unsigned __int128 sum =
          static_cast<unsigned __int128>(expected[i]) + TimesGoldilocks(in[j], PowerGoldilocks(root, i * j % kPoints));
      expected[i] = static_cast<uint64_t>(sum % kGoldilocks);
    }
  }
  const auto data = Buffer(reversed);
  for (size_t half = 1; half < kPoints; half *= 2) {
    std::vector<uint64_t> roots(half);
    for (size_t k = 0; k < half; ++k) roots[k] = PowerGoldilocks(root, k * (kPoints / 2 / half));
    Launch("Transform", {2}, {32}, 0, data, Buffer(roots), static_cast<int>(half));
  }
  ExpectEqual(data, expected);
}

TEST_F(BigModularTest, Barrett) {
  std::vector<uint64_t> in = Random<uint64_t>(64, 6);
  in[0] = 0;
  in[1] = ~uint64_t{0};
  for (uint32_t modulus : {3u, 998244353u, 4294967291u}) {
    std::vector<uint32_t> expected;
    for (uint64_t value : in) expected.push_back(static_cast<uint32_t>(value % modulus));
    const uint64_t factor = ~uint64_t{0} / modulus;
    const auto out = Output<uint32_t>(64);
    Launch("Barrett", {2}, {32}, 0, Buffer(in), modulus, factor, out);
    ExpectEqual(out, expected);
  }
}

// ---- bit_tricks.

class BitTricksTest : public CorpusKernels {
 protected:
  BitTricksTest() : CorpusKernels("bit_tricks") {}

  static constexpr size_t kLanes = 32;
  // Returns random words, some of them with few set bits.
  static std::vector<uint32_t> Words(size_t count, uint64_t seed) {
    std::vector<uint32_t> words = Random<uint32_t>(count, seed);
    for (size_t i = 0; i < count; i += 5) words[i] &= words[(i + 1) % count] & words[(i + 2) % count];
    words[3] = 0;
    words[4] = ~0u;
    words[5] = 0x80000000;
    return words;
  }
};

uint32_t Low(unsigned bits) { return bits >= 32 ? ~0u : (1u << bits) - 1; }

// Returns the number of the n-th set bit from `base` upwards. The first one is n = 1.
uint32_t FindNthSet(uint32_t mask, unsigned base, int n) {
  for (unsigned bit = base; bit < 32; ++bit) {
    if ((mask >> bit & 1) != 0 && --n == 0) return bit;
  }
  return ~0u;
}

TEST_F(BitTricksTest, Fields) {
  const std::vector<uint32_t> a = Words(kLanes + 1, 1);
  std::vector<int32_t> b(kLanes);
  for (size_t i = 0; i < kLanes; ++i) b[i] = static_cast<int32_t>(Words(kLanes, 2)[i]);
  std::vector<uint32_t> out(192);
  std::vector<int32_t> sout(96);
  for (unsigned i = 0; i < kLanes; ++i) {
    out[i] = a[i] >> i & 31;
    sout[i] = static_cast<int32_t>(static_cast<uint32_t>(b[i]) << 16) >> 23;
    // A field of i bits of a[i] is inserted into a[i + 1] at bit 8.
    const uint32_t field = Low(i) << 8;
    out[i + 32] = (a[i + 1] & ~field) | (a[i] << 8 & field);
    const uint64_t wide = (~uint64_t{0} & ~(uint64_t{0xfff} << 20)) | (uint64_t{a[i]} & 0xfff) << 20;
    out[i + 64] = static_cast<uint32_t>(wide >> 16);
    out[i + 96] = FindNthSet(a[i], i, 2);
    out[i + 128] = (a[i] & 0xffff0000) | (a[i + 1] >> 7 & 0xffff);
    const uint32_t low9 = a[i] & 0x1ff;
    // bmsk.clamp: `low9` ones from bit i on.
    out[i + 160] = static_cast<uint32_t>(uint64_t{Low(std::min(low9, 32u))} << i);
    const uint32_t top = a[i] == 0 ? ~0u : 31u - static_cast<uint32_t>(std::countl_zero(a[i]));
    const uint32_t folded = static_cast<uint32_t>(b[i] < 0 ? ~b[i] : b[i]);
    const uint32_t shift = folded == 0 ? ~0u : static_cast<uint32_t>(std::countl_zero(folded));
    sout[i + 32] = static_cast<int32_t>(shift + top);
    sout[i + 64] = (b[i] >> 4 & 0xff) + (static_cast<int32_t>(static_cast<uint32_t>(b[i]) << 10) >> 20);
  }
  const auto out_buffer = Output<uint32_t>(192);
  const auto sout_buffer = Output<int32_t>(96);
  Launch("Fields", {1}, {kLanes}, 0, Buffer(a), Buffer(b), out_buffer, sout_buffer);
  ExpectEqual(out_buffer, out);
  ExpectEqual(sout_buffer, sout);
}

TEST_F(BitTricksTest, Shifts) {
  const std::vector<uint32_t> a = Words(kLanes + 1, 3);
  std::vector<uint64_t> wide = Random<uint64_t>(96, 4);
  const auto lout = Buffer(wide);
  std::vector<uint32_t> expected(96);
  for (unsigned i = 0; i < kLanes; ++i) {
    // __funnelshift_l(low, high, by) is the upper half of high:low << by.
    const uint64_t both = uint64_t{a[i + 1]} << 32 | a[i];
    expected[i] = static_cast<uint32_t>((both << (i & 31)) >> 32) + static_cast<uint32_t>(both >> 7);
    expected[i + 32] = static_cast<uint32_t>((both << i) >> 32) ^ static_cast<uint32_t>(both >> i);
    expected[i + 64] = std::rotl(a[i], static_cast<int>(i)) + std::rotr(a[i], 3);
    wide[i] = std::rotl(wide[i + 32], static_cast<int>(i)) ^ std::rotl(wide[i], 32);
    wide[i + 64] = wide[i] << i >> 9;
  }
  const auto out = Output<uint32_t>(96);
  Launch("Shifts", {1}, {kLanes}, 0, Buffer(a), out, lout);
  ExpectEqual(out, expected);
  ExpectEqual(lout, wide);
}

uint32_t BytePermute(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t both = uint64_t{b} << 32 | a;
  uint32_t out = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t which = selector >> 4 * i & 15;
    uint32_t byte = static_cast<uint32_t>(both >> 8 * (which & 7)) & 0xff;
    if ((which & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    out |= byte << 8 * i;
  }
  return out;
}

TEST_F(BitTricksTest, Bytes) {
  const std::vector<uint32_t> a = Words(kLanes + 1, 5);
  std::vector<uint32_t> expected = Random<uint32_t>(128, 6);
  const auto out = Buffer(expected);
  for (unsigned i = 0; i < kLanes; ++i) {
    // __byte_perm ignores the selector bit that replicates the sign.
    expected[i + 32] = BytePermute(a[i], a[i + 1], expected[i + 64] & 0x7777);
    // f4e: four bytes from byte i on.
    const uint64_t both = uint64_t{a[i + 1]} << 32 | a[i];
    const uint32_t reversed = __builtin_bswap32(a[i]);
    uint32_t mirrored = 0;
    for (int bit = 0; bit < 32; ++bit) mirrored |= (a[i] >> bit & 1) << (31 - bit);
    expected[i] =
        BytePermute(a[i], a[i + 1], 0x3715) + static_cast<uint32_t>(both >> 8 * (i & 3)) + reversed + mirrored;
    expected[i + 96] = reversed;
  }
  Launch("Bytes", {1}, {kLanes}, 0, Buffer(a), out);
  ExpectEqual(out, expected);
}

// Returns the length of the Hilbert curve of order 16 from its start to a point, quadrant by quadrant.
uint32_t HilbertIndex(uint32_t x, uint32_t y) {
  uint32_t index = 0;
  for (uint32_t side = 1u << 15; side > 0; side /= 2) {
    const bool right = (x & side) != 0;
    const bool upper = (y & side) != 0;
    index += side * side * (right ? (upper ? 2 : 3) : (upper ? 1 : 0));
    if (upper) continue;
    if (right) {
      x = 0xffff - x;
      y = 0xffff - y;
    }
    std::swap(x, y);
  }
  return index;
}

TEST_F(BitTricksTest, Morton) {
  const std::vector<uint32_t> points = Random<uint32_t>(3 * 64, 7);
  std::vector<uint64_t> codes(64);
  std::vector<uint32_t> indices(64);
  for (size_t i = 0; i < 64; ++i) {
    for (size_t bit = 0; bit < 63; ++bit) {
      codes[i] |= uint64_t{points[3 * i + bit % 3] >> bit / 3 & 1} << bit;
    }
    indices[i] = HilbertIndex(points[3 * i] & 0xffff, points[3 * i + 1] & 0xffff);
  }
  const auto code_buffer = Output<uint64_t>(64);
  const auto hilbert = Output<std::array<uint32_t, 2>>(64);
  Launch("Morton", {2}, {32}, 0, Buffer(points), code_buffer, hilbert);
  ExpectEqual(code_buffer, codes);
  std::vector<uint32_t> actual;
  for (const auto& pair : Read(hilbert)) actual.push_back(pair[0]);
  ExpectEqualValues(actual, indices);
}

// ---- SIMD within a word.

// Applies `operation` to each pair of elements, whose type is `Lane`.
template <typename Lane, typename Operation>
uint32_t EachLane(uint32_t x, uint32_t y, const Operation& operation) {
  constexpr unsigned kBits = 8 * sizeof(Lane);
  uint32_t out = 0;
  for (unsigned at = 0; at < 32; at += kBits) {
    const int64_t r =
        operation(static_cast<int64_t>(static_cast<Lane>(x >> at)), static_cast<int64_t>(static_cast<Lane>(y >> at)));
    out |= (static_cast<uint32_t>(r) & Low(kBits)) << at;
  }
  return out;
}
template <typename Lane>
uint32_t SumOfDifferences(uint32_t x, uint32_t y) {
  uint32_t sum = 0;
  EachLane<Lane>(x, y, [&](int64_t a, int64_t b) {
    sum += static_cast<uint32_t>(std::llabs(a - b));
    return 0;
  });
  return sum;
}

TEST_F(BitTricksTest, PackedSimd) {
  const std::vector<uint32_t> a = Words(kLanes, 8);
  const std::vector<uint32_t> b = Words(kLanes + 9, 9);
  const auto add = [](int64_t x, int64_t y) { return x + y; };
  std::vector<uint32_t> expected(256);
  for (size_t i = 0; i < kLanes; ++i) {
    const uint32_t x = a[i];
    const uint32_t y = b[i + 7];
    const int64_t sx = static_cast<int32_t>(x);
    const int64_t sy = static_cast<int32_t>(y);
    expected[i] = EachLane<uint16_t>(x, y, add) ^ EachLane<uint8_t>(x, y, add);
    expected[i + 32] = EachLane<uint8_t>(x, y, [](int64_t p, int64_t q) { return (p + q + 1) / 2; }) +
                       EachLane<uint8_t>(x, y, [](int64_t p, int64_t q) { return std::llabs(p - q); });
    expected[i + 64] = EachLane<int16_t>(x, y, [](int64_t p, int64_t q) { return std::max(p, q); }) -
                       EachLane<uint8_t>(x, y, [](int64_t p, int64_t q) { return std::min(p, q); });
    expected[i + 96] = EachLane<uint8_t>(x, y, [](int64_t p, int64_t q) { return p > q ? -1 : 0; }) &
                       EachLane<uint16_t>(x, y, [](int64_t p, int64_t q) { return p == q ? -1 : 0; });
    expected[i + 128] = SumOfDifferences<uint8_t>(x, y) + SumOfDifferences<int16_t>(x, y);
    expected[i + 160] =
        EachLane<int8_t>(x, y, [](int64_t p, int64_t q) { return std::clamp<int64_t>(p + q, -128, 127); }) ^
        EachLane<uint16_t>(x, y, [](int64_t p, int64_t q) { return std::max<int64_t>(p - q, 0); }) ^
        EachLane<int8_t>(x, y, [](int64_t p, int64_t) { return -p; });
    expected[i + 192] = static_cast<uint32_t>(std::llabs(sx - sy) + 9 + std::llabs(int64_t{x} - int64_t{y}) + 3);
    const int64_t x24 = static_cast<int32_t>(x << 8) >> 8;
    const int64_t y24 = static_cast<int32_t>(y << 8) >> 8;
    expected[i + 224] = static_cast<uint32_t>((uint64_t{x} + y) / 2) + static_cast<uint32_t>((sx + sy) >> 1) +
                        static_cast<uint32_t>((uint64_t{x} + y + 1) / 2) +
                        static_cast<uint32_t>(uint64_t{x & 0xffffff} * (y & 0xffffff)) +
                        static_cast<uint32_t>(x24 * y24);
  }
  const auto out = Output<uint32_t>(256);
  Launch("PackedSimd", {1}, {kLanes}, 0, Buffer(a), Buffer(std::vector<uint32_t>(b.begin() + 7, b.end())), out);
  ExpectEqual(out, expected);
}

int64_t SaturateSigned(int64_t value) { return std::clamp<int64_t>(value, INT32_MIN, INT32_MAX); }

TEST_F(BitTricksTest, Video) {
  const std::vector<uint32_t> a = Words(kLanes, 10);
  const std::vector<uint32_t> b = Random<uint32_t>(kLanes, 11);
  std::vector<int32_t> expected(224);
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t x = a[i];
    const uint32_t y = b[i];
    const auto set = [&](size_t at, int64_t value) { expected[at + i] = static_cast<int32_t>(value); };
    set(0, SaturateSigned(int64_t{x & 0xff} + static_cast<int16_t>(y >> 16)));
    set(32, int64_t{x >> 24} - (y >> 16 & 0xff) + i);
    set(64, SumOfDifferences<uint8_t>(x, y) + i);
    set(96, (int64_t{static_cast<int16_t>(x)} * (y >> 8 & 0xff) + static_cast<int32_t>(i)) >> 7);
    set(128, (x >> 8 & 0xff) < (y >> 8 & 0xff) ? 1 : 0);
    set(160, std::max(static_cast<int32_t>(x), static_cast<int32_t>(y)));
    set(192, SaturateSigned(int64_t{static_cast<int32_t>(x)} + static_cast<int32_t>(y)));
  }
  const auto out = Output<int32_t>(224);
  Launch("Video", {1}, {kLanes}, 0, Buffer(a), Buffer(b), out);
  ExpectEqual(out, expected);
}

TEST_F(BitTricksTest, Lfsr) {
  const std::vector<uint32_t> states = Words(64, 12);
  std::vector<uint32_t> expected = states;
  for (uint32_t& s : expected) {
    for (int round = 0; round < 50; ++round) {
      const bool out = (s & 1) != 0;
      s /= 2;
      if (out) s ^= 0xb4bcd35c;
      uint32_t even = 0;
      for (int bit = 0; bit < 32; bit += 2) even += s >> bit & 1;
      s += even << (s & 3);
    }
  }
  const auto buffer = Buffer(states);
  Launch("Lfsr", {1}, {64}, 0, buffer, 50);
  ExpectEqual(buffer, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
