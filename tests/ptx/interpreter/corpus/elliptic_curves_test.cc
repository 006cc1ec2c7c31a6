// SPDX-License-Identifier: Apache-2.0

// Compares elliptic curves, modular inverses and Poly1305 with arithmetic on natural numbers. Points are added in
// affine coordinates.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/natural.h"

namespace ptxmir::ptx {
namespace {

using Limbs = std::array<uint32_t, 8>;

const Limbs kSecp256k1 = {0xfffffc2f, 0xfffffffe, 0xffffffff, 0xffffffff,
                          0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
const Limbs kP256 = {0xffffffff, 0xffffffff, 0xffffffff, 0, 0, 0, 1, 0xffffffff};

Limbs ToLimbs(const Natural& n) {
  Limbs limbs;
  for (size_t i = 0; i < 8; ++i) limbs[i] = n.limb(i);
  return limbs;
}

bool Equal(const Natural& a, const Natural& b) { return !Natural::Less(a, b) && !Natural::Less(b, a); }

Natural Half(const Natural& n) {
  std::array<uint32_t, Natural::kLimbs> limbs{};
  for (size_t i = 0; i < limbs.size(); ++i) {
    limbs[i] = n.limb(i) >> 1 | (i + 1 < limbs.size() ? n.limb(i + 1) << 31 : 0);
  }
  return Natural::FromLimbs(limbs);
}

// Numbers modulo a prime of 256 bits. It is faster than Natural::Mod, which divides bit by bit.
class PrimeField {
 public:
  explicit PrimeField(const Limbs& prime) : prime_(Natural::FromLimbs(prime)) {
    for (size_t i = 8; i < 17; ++i) powers_.push_back(Natural::Mod(Natural::PowerOfTwo(32 * i), prime_));
  }

  const Natural& prime() const { return prime_; }
  Natural Reduce(Natural n) const {
    while (Natural::Less(limit_, n)) {
      Natural sum = Natural::FromLimbs(ToLimbs(n));
      for (size_t i = 8; i < 17; ++i) {
        if (n.limb(i) != 0) sum = Natural::Add(sum, Natural::Mul(Natural(n.limb(i)), powers_[i - 8]));
      }
      n = sum;
    }
    while (!Natural::Less(n, prime_)) n = Natural::Sub(n, prime_);
    return n;
  }
  Natural Add(const Natural& a, const Natural& b) const { return Reduce(Natural::Add(a, b)); }
  Natural Sub(const Natural& a, const Natural& b) const { return Reduce(Natural::Sub(Natural::Add(a, prime_), b)); }
  Natural Mul(const Natural& a, const Natural& b) const { return Reduce(Natural::Mul(a, b)); }
  Natural Power(const Natural& base, const Natural& exponent) const {
    Natural result(1);
    for (size_t bit = exponent.NumBits(); bit-- > 0;) {
      result = Mul(result, result);
      if (exponent.Bit(bit)) result = Mul(result, base);
    }
    return result;
  }
  // Halves and subtracts numbers that are a and the prime times the factors.
  Natural Inverse(const Natural& a) const {
    Natural u = a, v = prime_, factor_u(1), factor_v(0);
    while (Natural::Less(Natural(0), u)) {
      if (!u.Bit(0)) {
        u = Half(u);
        factor_u = Half(factor_u.Bit(0) ? Natural::Add(factor_u, prime_) : factor_u);
      } else {
        if (Natural::Less(u, v)) {
          std::swap(u, v);
          std::swap(factor_u, factor_v);
        }
        u = Natural::Sub(u, v);
        factor_u = Sub(factor_u, factor_v);
      }
    }
    EXPECT_EQ(ToLimbs(Mul(a, factor_v)), Limbs{1});
    return factor_v;
  }
  Natural Any(RandomNumbers& random) const {
    Limbs limbs;
    for (uint32_t& limb : limbs) limb = random.Any<uint32_t>();
    return Reduce(Natural::FromLimbs(limbs));
  }
  // Returns numbers at the ends of the field, and random ones.
  std::vector<Natural> Mixed(size_t count, uint64_t seed) const {
    std::vector<Natural> values = {Natural(0), Natural(1), Natural::Sub(prime_, Natural(1)),
                                   Natural::Sub(prime_, Natural(977)), Natural(0xffffffff)};
    RandomNumbers random(seed);
    while (values.size() < count) values.push_back(Any(random));
    values.resize(count);
    return values;
  }

 private:
  Natural prime_;
  Natural limit_ = Natural::PowerOfTwo(257);
  std::vector<Natural> powers_;
};

std::vector<Limbs> ToLimbs(const std::vector<Natural>& values) {
  std::vector<Limbs> limbs;
  for (const Natural& value : values) limbs.push_back(ToLimbs(value));
  return limbs;
}

// ---- elliptic_curves: y^2 = x^3 + 7.

struct AffinePoint {
  Limbs x, y;
};

struct JacobianPoint {
  Limbs x, y, z;
};

struct Point {
  Natural x, y;
};

class EllipticCurvesTest : public CorpusKernels {
 protected:
  EllipticCurvesTest() : CorpusKernels("elliptic_curves"), field_(kSecp256k1) {}

  static Point Generator() {
    return {Natural::FromLimbs(
                Limbs{0x16f81798, 0x59f2815b, 0x2dce28d9, 0x029bfcdb, 0xce870b07, 0x55a06295, 0xf9dcbbac, 0x79be667e}),
            Natural::FromLimbs(
                Limbs{0xfb10d4b8, 0x9c47d08f, 0xa6855419, 0xfd17b448, 0x0e1108a8, 0x5da4fbfc, 0x26a3c465, 0x483ada77})};
  }
  std::optional<Point> Negate(const std::optional<Point>& p) const {
    if (!p.has_value()) return p;
    return Point{p->x, field_.Sub(Natural(0), p->y)};
  }
  // Returns where the line through two points meets the curve, mirrored. Infinity is nullopt.
  std::optional<Point> Add(const std::optional<Point>& p, const std::optional<Point>& q) const {
    if (!p.has_value()) return q;
    if (!q.has_value()) return p;
    Natural rise = field_.Sub(q->y, p->y);
    Natural run = field_.Sub(q->x, p->x);
    if (Equal(p->x, q->x)) {
      if (!Equal(p->y, q->y)) return std::nullopt;
      rise = field_.Mul(Natural(3), field_.Mul(p->x, p->x));
      run = field_.Add(p->y, p->y);
    }
    const Natural slope = field_.Mul(rise, field_.Inverse(run));
    const Natural x = field_.Sub(field_.Sub(field_.Mul(slope, slope), p->x), q->x);
    return Point{x, field_.Sub(field_.Mul(slope, field_.Sub(p->x, x)), p->y)};
  }
  std::optional<Point> Times(uint64_t scalar, const Point& p) const {
    std::optional<Point> sum;
    for (int bit = 63; bit >= 0; --bit) {
      if (sum.has_value()) sum = Add(sum, sum);
      if ((scalar >> bit & 1) != 0) sum = Add(sum, p);
    }
    return sum;
  }
  static AffinePoint ToAffine(const std::optional<Point>& p) { return {ToLimbs(p->x), ToLimbs(p->y)}; }
  void ExpectPoint(const JacobianPoint& found, const std::optional<Point>& expected, uint64_t number) const {
    const Natural z = Natural::FromLimbs(found.z);
    EXPECT_EQ(z.NumBits() == 0, !expected.has_value()) << number;
    EXPECT_TRUE(Natural::Less(z, field_.prime()));
    if (!expected.has_value()) return;
    const Natural zz = field_.Mul(z, z);
    EXPECT_EQ(found.x, ToLimbs(field_.Mul(expected->x, zz))) << number;
    EXPECT_EQ(found.y, ToLimbs(field_.Mul(expected->y, field_.Mul(zz, z)))) << number;
  }

  PrimeField field_;
};

TEST_F(EllipticCurvesTest, FieldDots) {
  constexpr int kRows = 37, kColumns = 5;
  const std::vector<Natural> a = field_.Mixed(kRows * kColumns, 1);
  const std::vector<Natural> b = field_.Mixed(kColumns, 2);
  std::vector<Limbs> expected;
  for (int row = 0; row < kRows; ++row) {
    Natural sum;
    for (int i = 0; i < kColumns; ++i) sum = field_.Add(sum, field_.Mul(a[row * kColumns + i], b[i]));
    expected.push_back(ToLimbs(sum));
  }
  const auto out = Output<Limbs>(kRows);
  Launch("FieldDots", {2}, {32}, 0, Buffer(ToLimbs(a)), Buffer(ToLimbs(b)), int{kColumns}, int{kRows}, out);
  ExpectEqual(out, expected);
}

TEST_F(EllipticCurvesTest, SumPoints) {
  constexpr uint32_t kMinus = 0x80000000;
  std::vector<std::optional<Point>> points;
  for (uint64_t i = 0; i < 6; ++i) points.push_back(Times(i * i + 1, Generator()));
  // Among them: nothing, a point and its negative, a point twice, and points after infinity.
  const std::vector<std::vector<uint32_t>> buckets = {
      {0, 1, 2, 3}, {}, {4}, {2, 2, 5}, {3, 3 | kMinus}, {1, 1 | kMinus, 4}, {5 | kMinus}, {0, 0, 1}};
  std::vector<uint32_t> indices;
  std::vector<int> starts = {0};
  for (const auto& bucket : buckets) {
    indices.insert(indices.end(), bucket.begin(), bucket.end());
    starts.push_back(static_cast<int>(indices.size()));
  }
  std::vector<AffinePoint> table;
  for (const auto& point : points) table.push_back(ToAffine(point));
  const auto sums = Output<JacobianPoint>(buckets.size());
  Launch("SumPoints", {2}, {32}, 0, Buffer(table), Buffer(indices), Buffer(starts), static_cast<int>(buckets.size()),
         sums);
  const std::vector<JacobianPoint> found = Read(sums);
  for (size_t i = 0; i < buckets.size(); ++i) {
    std::optional<Point> sum;
    for (uint32_t index : buckets[i]) {
      const std::optional<Point>& point = points[index & ~kMinus];
      sum = Add(sum, (index & kMinus) != 0 ? Negate(point) : point);
    }
    ExpectPoint(found[i], sum, i);
  }
}

TEST_F(EllipticCurvesTest, ScalarMultiply) {
  // The top window must not be negative: scalars have 11 bits at most.
  const std::vector<uint64_t> scalars = {0, 8, 0x7ff, 0x787, 0x2c9};
  std::vector<Limbs> words;
  for (uint64_t scalar : scalars) words.push_back(ToLimbs(Natural(scalar)));
  std::vector<AffinePoint> table;
  for (uint64_t i = 1; i <= 8; ++i) table.push_back(ToAffine(Times(i, Generator())));
  const auto products = Output<JacobianPoint>(scalars.size());
  Launch("ScalarMultiply", {1}, {32}, 0, Buffer(words), static_cast<int>(scalars.size()), 3, Buffer(table), products);
  const std::vector<JacobianPoint> found = Read(products);
  for (size_t i = 0; i < scalars.size(); ++i) ExpectPoint(found[i], Times(scalars[i], Generator()), scalars[i]);
}

// ---- p256: y^2 = x^3 - 3x + b.

class P256Test : public CorpusKernels {
 protected:
  P256Test() : CorpusKernels("p256"), field_(kP256) {
    b_ = Natural::FromLimbs(
        Limbs{0x27d2604b, 0x3bce3c3e, 0xcc53b0f6, 0x651d06b0, 0x769886bc, 0xb3ebbd55, 0xaa3a93e7, 0x5ac635d8});
  }

  // Returns Montgomery's form of a number: it times 2^256.
  Limbs Montgomery(const Natural& a) const {
    return ToLimbs(field_.Mul(a, Natural::Mod(Natural::PowerOfTwo(256), field_.prime())));
  }
  Natural RightSide(const Natural& x) const {
    const Natural cube = field_.Mul(x, field_.Mul(x, x));
    return field_.Add(field_.Sub(cube, field_.Mul(Natural(3), x)), b_);
  }
  // Returns (prime + 1) / 4.
  Natural Exponent() const {
    Natural n;
    const Natural four = Natural::Add(field_.prime(), Natural(1));
    for (size_t i = 2; i < 257; ++i) {
      if (four.Bit(i)) n = Natural::Add(n, Natural::PowerOfTwo(i - 2));
    }
    return n;
  }

  PrimeField field_;
  Natural b_;
};

TEST_F(P256Test, OnCurve) {
  const Natural x = Natural::FromLimbs(
      Limbs{0xd898c296, 0xf4a13945, 0x2deb33a0, 0x77037d81, 0x63a440f2, 0xf8bce6e5, 0xe12c4247, 0x6b17d1f2});
  const Natural y = Natural::FromLimbs(
      Limbs{0x37bf51f5, 0xcbb64068, 0x6b315ece, 0x2bce3357, 0x7c0f9e16, 0x8ee7eb4a, 0xfe1a7f9b, 0x4fe342e2});
  std::vector<AffinePoint> points;
  std::vector<uint32_t> expected(2);
  const std::vector<Natural> xs = field_.Mixed(45, 3);
  for (size_t i = 0; i < xs.size(); ++i) {
    const bool on = i % 3 == 1 || i % 7 == 2;
    points.push_back({Montgomery(on ? x : xs[i]), Montgomery(i % 2 == 0 ? y : field_.Sub(Natural(0), y))});
    if (on) expected[i / 32] |= 1u << i % 32;
  }
  const auto votes = Output<uint32_t>(2);
  Launch("OnCurve", {1}, {64}, 0, Buffer(points), static_cast<int>(points.size()), Montgomery(b_), votes);
  ExpectEqual(votes, expected);
}

TEST_F(P256Test, Decompress) {
  const std::vector<Natural> xs = field_.Mixed(4, 4);
  std::vector<Limbs> words;
  std::vector<uint8_t> parities;
  for (size_t i = 0; i < xs.size(); ++i) {
    words.push_back(Montgomery(xs[i]));
    parities.push_back(i % 3 == 0);
  }
  const auto ys = Output<Limbs>(xs.size());
  const auto valid = Output<uint8_t>(xs.size());
  Launch("Decompress", {1}, {32}, 0, Buffer(words), Buffer(parities), static_cast<int>(xs.size()), Montgomery(b_),
         ToLimbs(Exponent()), ys, valid);
  const std::vector<Limbs> found = Read(ys);
  std::vector<uint8_t> expected;
  const Natural unit = field_.Inverse(Natural::Mod(Natural::PowerOfTwo(256), field_.prime()));
  for (size_t i = 0; i < xs.size(); ++i) {
    const Natural right = RightSide(xs[i]);
    // Euler's criterion: squares to the power of (prime - 1) / 2 are 1.
    const Natural half = Natural::Sub(Natural::Add(Exponent(), Exponent()), Natural(1));
    expected.push_back(Equal(field_.Power(right, half), Natural(1)));
    const Natural y = field_.Mul(Natural::FromLimbs(found[i]), unit);
    EXPECT_EQ(y.Bit(0), parities[i] != 0) << i;
    EXPECT_EQ(Equal(field_.Mul(y, y), right), expected[i] != 0) << i;
  }
  ExpectEqual(valid, expected);
  EXPECT_NE(*std::min_element(expected.begin(), expected.end()), *std::max_element(expected.begin(), expected.end()));
}

// ---- modular_inverse.

class ModularInverseTest : public CorpusKernels {
 protected:
  ModularInverseTest() : CorpusKernels("modular_inverse") {}
};

TEST_F(ModularInverseTest, Invert) {
  for (const Limbs& prime : {kSecp256k1, kP256}) {
    const PrimeField field(prime);
    const std::vector<Natural> values = field.Mixed(7, 5);
    const auto out = Output<Limbs>(values.size());
    Launch("Invert", {1}, {32}, 0, Buffer(ToLimbs(values)), static_cast<int>(values.size()), prime, out);
    const std::vector<Limbs> found = Read(out);
    EXPECT_EQ(found[0], Limbs{});
    for (size_t i = 1; i < values.size(); ++i) {
      EXPECT_TRUE(Natural::Less(Natural::FromLimbs(found[i]), field.prime()));
      EXPECT_EQ(ToLimbs(field.Mul(values[i], Natural::FromLimbs(found[i]))), Limbs{1}) << i;
    }
  }
}

TEST_F(ModularInverseTest, Poly1305Lanes) {
  constexpr int kStride = 160;
  const std::vector<int> lengths = {0, 1, 15, 16, 17, 31, 64, 65, 100, 144, 160};
  const int count = static_cast<int>(lengths.size());
  std::vector<uint8_t> messages = Random<uint8_t>(kStride * lengths.size(), 6);
  std::vector<uint8_t> keys = Random<uint8_t>(32 * lengths.size(), 7);
  // Large numbers: the last messages and keys consist of ones.
  std::fill(messages.end() - 2 * kStride, messages.end(), 0xff);
  std::fill(keys.end() - 64, keys.end(), 0xff);
  const Natural prime = Natural::Sub(Natural::PowerOfTwo(130), Natural(5));
  std::vector<uint8_t> expected;
  for (int m = 0; m < count; ++m) {
    std::vector<uint8_t> r(keys.begin() + 32 * m, keys.begin() + 32 * m + 16);
    for (int i : {3, 7, 11, 15}) r[i] &= 15;
    for (int i : {4, 8, 12}) r[i] &= 252;
    Natural sum;
    for (int at = 0; at < lengths[m]; at += 16) {
      const auto begin = messages.begin() + kStride * m + at;
      std::vector<uint8_t> block(begin, begin + std::min(16, lengths[m] - at));
      block.push_back(1);
      sum = Natural::Mod(Natural::Mul(Natural::Add(sum, Natural::FromBytes(block)), Natural::FromBytes(r)), prime);
    }
    const std::vector<uint8_t> pad(keys.begin() + 32 * m + 16, keys.begin() + 32 * m + 32);
    const std::vector<uint8_t> tag = Natural::Add(sum, Natural::FromBytes(pad)).ToBytes(16);
    expected.insert(expected.end(), tag.begin(), tag.end());
  }
  const auto tags = Output<uint8_t>(16 * lengths.size());
  Launch("Poly1305Lanes", {2}, {32}, 0, Buffer(messages), int{kStride}, Buffer(lengths), count, Buffer(keys), tags);
  ExpectEqual(tags, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
