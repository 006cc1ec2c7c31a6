// SPDX-License-Identifier: Apache-2.0

// Corners of the language: calls (also unoptimized), globals, dynamic_stack, and the units with debug information.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/small_floats.h"

namespace ptxmir::ptx {
namespace {

class CallsTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  CallsTest() : CorpusKernels(GetParam()) {}
};

struct Small {
  int8_t tag;
  int16_t size;
};

TEST_P(CallsTest, Small) {
  constexpr int kThreads = 64;
  const auto out = Output<Small>(kThreads);
  const auto primes = Output<uint8_t>(kThreads);
  Launch("CallSmall", {1}, {kThreads}, 0, Buffer(Random<int8_t>(kThreads, 1)), out, primes);
  const std::vector<Small> actual = ReadWithHoles(out);
  std::vector<uint8_t> expected_primes(kThreads);
  expected_primes[1] = 1;  // the multiples of three
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_EQ(actual[i].tag, std::min(3 * i, 127)) << i;
    EXPECT_EQ(actual[i].size, 3 * i) << i;
  }
  ExpectEqual(primes, expected_primes);
}

struct Ray {
  std::array<float, 3> origin;
  std::array<float, 3> direction;
  float t_min;
  float t_max;
};
struct Hit {
  double distance;
  int32_t primitive;
  uint8_t flags;
  uint8_t found;
};

TEST_P(CallsTest, Intersect) {
  constexpr int kSpheres = 6;
  const std::vector<float> spheres = [] {
    std::vector<float> values = Random<float>(4 * kSpheres, 2, -3.0f, 3.0f);
    for (size_t i = 3; i < values.size(); i += 4) values[i] = 0.5f + 0.3f * std::abs(values[i]);
    return values;
  }();
  std::vector<Ray> rays(64);
  RandomNumbers random(3);
  for (Ray& ray : rays) {
    float length = 0;
    for (size_t i = 0; i < 3; ++i) {
      ray.origin[i] = random.Between(-6.0f, 6.0f);
      ray.direction[i] = random.Between(-1.0f, 1.0f) - 0.3f * ray.origin[i];
      length = std::hypot(length, ray.direction[i]);
    }
    for (float& x : ray.direction) x /= length;
    ray.t_min = 0.01f;
    ray.t_max = 20.0f;
  }
  const auto hits = Output<Hit>(64);
  Launch("CallIntersect", {2}, {32}, 0, Buffer(rays), Buffer(spheres), int{kSpheres}, hits);
  const std::vector<Hit> actual = ReadWithHoles(hits);
  int found = 0;
  for (size_t i = 0; i < rays.size(); ++i) {
    Hit expected = {1e30, -1, 0, 0};
    for (int s = 0; s < kSpheres; ++s) {
      double b = 0;
      double c = -double{spheres[4 * s + 3]} * spheres[4 * s + 3];
      for (size_t j = 0; j < 3; ++j) {
        const double to = double{rays[i].origin[j]} - spheres[4 * s + j];
        b += to * rays[i].direction[j];
        c += to * to;
      }
      const double t = -b - std::sqrt(b * b - c);  // NaN: no hit
      if (t > rays[i].t_min && t < rays[i].t_max && t < expected.distance) expected = {t, s, 0x81, 1};
    }
    EXPECT_NEAR(actual[i].distance / expected.distance, 1.0, 1e-4) << i;
    EXPECT_EQ(actual[i].primitive, expected.primitive) << i;
    EXPECT_EQ(actual[i].flags, expected.flags) << i;
    EXPECT_EQ(actual[i].found, expected.found) << i;
    found += expected.found;
  }
  EXPECT_GT(found, 10);
  EXPECT_LT(found, 60);
}

struct alignas(16) Matrix {
  std::array<float, 16> cells;
  int64_t id;
  int64_t hole;
};

TEST_P(CallsTest, Multiply) {
  constexpr size_t kThreads = 8;
  std::vector<Matrix> b(kThreads + 1);
  for (size_t i = 0; i < b.size(); ++i) {
    const std::vector<float> cells = Random<float>(16, 4 + i, -1.0f, 1.0f);
    std::copy(cells.begin(), cells.end(), b[i].cells.begin());
    b[i].id = static_cast<int64_t>(i * 1000);
  }
  const Matrix a = b.back();
  const auto out = Output<Matrix>(kThreads);
  Launch("CallMultiply", {1}, {kThreads}, 0, a, Buffer(b), out);
  const std::vector<Matrix> actual = ReadWithHoles(out);
  for (size_t t = 0; t < kThreads; ++t) {
    std::vector<float> product;
    for (size_t i = 0; i < 16; ++i) {
      double sum = 0;
      for (size_t k = 0; k < 4; ++k) sum += double{a.cells[i / 4 * 4 + k]} * b[t].cells[k * 4 + i % 4];
      product.push_back(static_cast<float>(sum));
    }
    ExpectNearValues<float>(std::vector<float>(actual[t].cells.begin(), actual[t].cells.end()), product, 1e-6, 1e-6);
    EXPECT_EQ(actual[t].id, a.id ^ b[t].id);
  }
}

TEST_P(CallsTest, Blend) {
  const std::vector<uint16_t> a = HalvesOf(Random<float>(64, 5, -4.0f, 4.0f));
  const std::vector<uint16_t> b = HalvesOf(Random<float>(64, 6, -4.0f, 4.0f));
  const uint16_t w = HalfBits(0.3);
  std::vector<uint16_t> expected;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = HalfValue(HalfBits(HalfValue(b[i]) - HalfValue(a[i])));
    expected.push_back(HalfBits(HalfValue(w) * difference + HalfValue(a[i])));
  }
  const auto out = Output<uint16_t>(64);
  Launch("CallBlend", {1}, {32}, 0, Buffer(a), Buffer(b), w, out);
  ExpectEqual(out, expected);
}

TEST_P(CallsTest, Pointers) {
  std::vector<int64_t> values = Random<int64_t>(32, 7);
  values[0] = 0;
  values[1] = 1;
  values[2] = std::numeric_limits<int64_t>::max();
  std::vector<int32_t> parities;
  std::vector<int64_t> halved;
  for (int64_t value : values) {
    // All bits except the highest one are shifted out.
    parities.push_back(value > 0 ? std::popcount(static_cast<uint64_t>(value)) - 1 : 0);
    halved.push_back(std::min<int64_t>(value, 1));
  }
  const auto buffer = Buffer(values);
  const auto parity_buffer = Output<int32_t>(32);
  Launch("CallPointers", {1}, {32}, 0, buffer, parity_buffer);
  ExpectEqual(buffer, halved);
  ExpectEqual(parity_buffer, parities);
}

TEST_P(CallsTest, Recursive) {
  std::vector<uint64_t> fibonacci = {0, 1};
  std::vector<int32_t> ackermann;
  for (int i = 0; i < 20; ++i) {
    if (i >= 2) fibonacci.push_back(i < 16 ? fibonacci[i - 1] + fibonacci[i - 2] : fibonacci[i - 16]);
    ackermann.push_back(2 * (i % 4) + 3);
  }
  const auto out = Output<uint64_t>(20);
  const auto ackermann_buffer = Output<int32_t>(20);
  Launch("CallRecursive", {1}, {20}, 0, out, ackermann_buffer);
  ExpectEqual(out, fibonacci);
  ExpectEqual(ackermann_buffer, ackermann);
}

TEST_P(CallsTest, Many) {
  const std::vector<int32_t> in = Random<int32_t>(4 * 32, 8, -1000, 1000);
  const auto in_buffer = Buffer(in);
  std::vector<double> expected;
  for (int i = 0; i < 32; ++i) {
    const int32_t* j = &in[4 * i];
    double sum = static_cast<float>(i + i * 3) + i * 0.5f;
    sum += i * 0.25 + (i - 7) + static_cast<uint8_t>(i * 5) + (i > 3 ? 1 : 0) + i * 2 + 1.5 * i;
    sum += j[0] * j[1];
    sum += j[2] * j[3];
    sum += static_cast<double>(in_buffer.address);
    // The upper and the lower half of -i * i. The additions in between lose bits.
    sum += i == 0 ? 0.0 : -0x1p64;
    sum += static_cast<double>(static_cast<uint64_t>(-i * i));
    expected.push_back(sum);
  }
  const auto out = Output<double>(32);
  Launch("CallMany", {1}, {32}, 0, out, in_buffer);
  ExpectEqual(out, expected);
}

INSTANTIATE_TEST_SUITE_P(Levels, CallsTest, ::testing::Values("calls", "calls.O0"), [](const auto& info) {
  return std::string(info.param) == "calls" ? "Optimized" : "Unoptimized";
});

// ---- globals.

class GlobalsTest : public CorpusKernels {
 protected:
  GlobalsTest() : CorpusKernels("globals") {}
};

TEST_F(GlobalsTest, Touch) {
  AllowRaces();  // every thread increments `hidden`
  const auto out = Output<int32_t>(128);
  const auto dout = Output<double>(32);
  const auto fout = Output<float>(64);
  Launch("Touch", {1}, {32}, 0, out, dout, fout);
  std::vector<int32_t> expected(128);
  std::vector<double> doubles;
  std::vector<float> floats(64);
  const std::array<float, 4> special = {-0.0f, std::numeric_limits<float>::infinity(), std::nanf(""), 1e-42f};
  const std::array<float, 8> coefficients = {1, 0.5f, 0.25f};
  const std::string_view text = "tab\tquote\"nul";
  const std::string_view names = "rgb";
  for (int i = 0; i < 32; ++i) {
    const int step = i % 3 == 1 ? i + 1 : 2 * i;
    const std::array<int, 3> shorts = {-1, 2, -3};
    expected[i] = step + 11 + (i - 1) + shorts[i % 3];
    expected[i + 32] = text[i % 12] + names[i % 3] + (i % 3 != 1 ? 1 : 0) + 9;
    expected[i + 64] = static_cast<int32_t>(0x11223344u + 0x789abcdeu);
    expected[i + 96] = (i % 2 == 0 ? 10 : 20) + 3 + (8 + i % 2);
    doubles.push_back(0.1 - 2 + 0.5 + (3 + i % 5));
    floats[i] = special[i & 3] + (i % 2 == 0 ? 3.0f : 7.0f) + coefficients[i & 7];
    floats[i + 32] = 1.5f + coefficients[2 + (i & 3)];
  }
  ExpectEqual(out, expected);
  ExpectNear(dout, doubles, 1e-15);
  ExpectNear(fout, floats, 0);
  ExpectEqual(Variable<int32_t>("counters", 4), {9, 10, 11, 12});
  ExpectEqual(Variable<uint16_t>("half_value"), {HalfBits(2.5)});
  std::vector<int32_t> zeroed(1024);
  for (int i = 0; i < 32; ++i) zeroed[i] = i + 3;
  ExpectEqual(Variable<int32_t>("zeroed", 1024), zeroed);
}

TEST_F(GlobalsTest, Follow) {
  const auto out = Output<int32_t>(1);
  const auto fout = Output<float>(2);
  Launch("Follow", {1}, {1}, 0, out, fout);
  ExpectEqual(out, {2 + 3 + 3});
  ExpectEqual(fout, {5.0f + 'f' + 7, 2.0f + 'l' - 1});
  ExpectEqual(Variable<int32_t>("counters", 4), {1, 3, 3, 5});
  // The values stored by the first launch are still there.
  Launch("Follow", {1}, {1}, 0, out, fout);
  ExpectEqual(out, {2 + 5 + 6});
}

TEST_F(GlobalsTest, StaticLocals) {
  const std::array<int32_t, 5> primes = {2, 3, 5, 7, 11};
  const auto out = Output<int32_t>(32);
  for (int before = 0; before < 3; ++before) {
    Launch("StaticLocals", {1}, {32}, 0, out);
    std::vector<int32_t> expected;
    for (int i = 0; i < 32; ++i) expected.push_back(before + primes[i % 5]);
    ExpectEqual(out, expected);
  }
}

// ---- dynamic_stack.

class DynamicStackTest : public CorpusKernels {
 protected:
  DynamicStackTest() : CorpusKernels("dynamic_stack") {}
};

TEST_F(DynamicStackTest, Alloca) {
  const std::vector<int32_t> in = Random<int32_t>(64, 1);
  for (int count : {1, 2, 31}) {
    std::vector<int32_t> expected;
    for (int t = 0; t < 32; ++t) {
      uint32_t hash = 0;
      for (int i = count - 1; i >= 0; --i) hash = hash * 31 + static_cast<uint32_t>(in[t + i]);
      expected.push_back(static_cast<int32_t>(hash));
    }
    const auto out = Output<int32_t>(32);
    Launch("Alloca", {1}, {32}, 0, Buffer(in), count, out);
    ExpectEqual(out, expected);
  }
}

TEST_F(DynamicStackTest, Aligned) {
  using Pair = std::array<double, 2>;
  constexpr int kCount = 7;
  constexpr int kThreads = 16;
  RandomNumbers random(2);
  std::vector<Pair> in(kCount * kThreads);
  for (Pair& pair : in) pair = {random.Between(0.0, 100.0), random.Between(-1.0, 1.0)};
  std::vector<Pair> expected;
  for (int t = 0; t < kThreads; ++t) {
    std::vector<Pair> cells;
    for (int i = 0; i < kCount; ++i) cells.push_back(in[i * kThreads + t]);
    for (int i = kCount - 1; i > 0; --i) std::swap(cells[i], cells[static_cast<int>(cells[i][0]) % (i + 1)]);
    expected.push_back(cells[0]);
  }
  const auto out = Output<Pair>(kThreads);
  Launch("Aligned", {1}, {kThreads}, 0, Buffer(in), int{kCount}, out);
  ExpectEqual(out, expected);
}

struct CopiedBlock {
  std::array<int32_t, 40> words;
  std::array<uint8_t, 7> tail;
};

TEST_F(DynamicStackTest, Copies) {
  constexpr int kAt = 13;
  std::vector<CopiedBlock> in(2);
  for (size_t i = 0; i < 2; ++i) {
    const std::vector<int32_t> words = Random<int32_t>(40, 3 + i);
    std::copy(words.begin(), words.end(), in[i].words.begin());
    in[i].tail = {1, 2, static_cast<uint8_t>(40 + i), 4, 5, 6, 7};
  }
  CopiedBlock mixed = in[0];
  mixed.words[kAt] = 7;
  for (size_t i = 0; i < 40; ++i) mixed.words[i] ^= in[1].words[39 - i];
  mixed.tail[mixed.words[0] & 3] = 41;

  const auto out = Output<CopiedBlock>(65);
  Launch("Copies", {1}, {1}, 0, Buffer(in), out, int{kAt});
  const auto bytes_at = [&](size_t block, size_t count) {
    return Read(DeviceBuffer<uint8_t>{out.address + block * sizeof(CopiedBlock), count});
  };
  const auto bytes_of = [](const CopiedBlock& block, size_t count) {
    std::vector<uint8_t> bytes(count);
    std::memcpy(bytes.data(), &block, count);
    return bytes;
  };
  EXPECT_EQ(bytes_at(0, 167), bytes_of(mixed, 167));
  EXPECT_EQ(bytes_at(1, 64), bytes_of(mixed, 64));
  EXPECT_EQ(bytes_at(32, 168), std::vector<uint8_t>(168));
  EXPECT_EQ(bytes_at(64, kAt), bytes_of(in[0], kAt));
}

// ---- debug_full, debug_lines, debug_directives.

class DebugFullTest : public CorpusKernels {
 protected:
  DebugFullTest() : CorpusKernels("debug_full") {}
};

struct Totals {
  double waited;
  int32_t served;
  int32_t lost;
};

Totals SimulateQueue(uint32_t random, int steps) {
  enum class State { kIdle, kBusy, kBlocked };
  const auto next = [&random] {
    random = random * 1664525u + 1013904223u;
    return random >> 8;
  };
  std::deque<int> queue;
  Totals totals = {0, 0, 0};
  State state = State::kIdle;
  uint32_t left = 0;
  for (int step = 0; step < steps; ++step) {
    if (next() % 4 == 0) {
      if (queue.size() < 16) {
        queue.push_back(step);
      } else {
        ++totals.lost;
        state = State::kBlocked;
      }
    }
    if (left > 0) {
      --left;
      continue;
    }
    state = queue.empty() ? State::kIdle : State::kBusy;
    if (queue.empty()) continue;
    totals.waited += step - queue.front();
    queue.pop_front();
    ++totals.served;
    left = next() % 6;
  }
  if (state == State::kBlocked) totals.lost += 1000;
  return totals;
}

TEST_F(DebugFullTest, Simulate) {
  const auto out = Output<Totals>(64);
  Launch("Simulate", {2}, {32}, 0, out, 200, 12345u);
  const std::vector<Totals> actual = Read(out);
  for (uint32_t i = 0; i < 64; ++i) {
    const Totals expected = SimulateQueue(12345u + i, 200);
    EXPECT_EQ(actual[i].waited, expected.waited) << i;
    EXPECT_EQ(actual[i].served, expected.served) << i;
    EXPECT_EQ(actual[i].lost, expected.lost) << i;
  }
  ExpectEqual(Variable<int32_t>("generations"), {1});
}

TEST_F(DebugFullTest, Reinterpret) {
  // The order of the keys is the order of the floats.
  std::vector<float> in = Random<float>(128, 1, -10.0f, 10.0f);
  in[5] = 0.0f;
  in[6] = -0.0f;
  const auto out = Output<uint32_t>(128);
  Launch("Reinterpret", {1}, {64}, 0, Buffer(in), out, 128);
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < 128; ++i) {
    const int32_t bits = std::bit_cast<int32_t>(in[i / 64 * 64 + (i + 1) % 64]);
    expected.push_back(static_cast<uint32_t>(bits ^ (bits >> 31)) ^ (bits < 0 ? 0u : 0x80000000u));
  }
  ExpectEqual(out, expected);
}

class DebugLinesTest : public CorpusKernels {
 protected:
  DebugLinesTest() : CorpusKernels("debug_lines") {}
};

double Noise(int x, int y) {
  uint32_t h = static_cast<uint32_t>(x) * 374761393u + static_cast<uint32_t>(y) * 668265263u;
  h = (h ^ h >> 13) * 1274126177u;
  return (h ^ h >> 16) / 4294967296.0;
}

TEST_F(DebugLinesTest, FractalNoise) {
  constexpr int kWidth = 45;
  constexpr int kHeight = 5;
  std::vector<float> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      double sum = 0;
      for (int octave = 0; octave < 6; ++octave) {
        const double fx = x * std::ldexp(1.0, octave - 6);
        const double fy = y * std::ldexp(1.0, octave - 6);
        const int ix = static_cast<int>(fx);
        const int iy = static_cast<int>(fy);
        const double top = std::lerp(Noise(ix, iy), Noise(ix + 1, iy), fx - ix);
        const double bottom = std::lerp(Noise(ix, iy + 1), Noise(ix + 1, iy + 1), fx - ix);
        sum += std::ldexp(std::lerp(top, bottom, fy - iy), -1 - octave);
      }
      expected.push_back(static_cast<float>(std::clamp(sum, 0.0, 1.0)));
    }
  }
  const auto out = Output<float>(kWidth * kHeight);
  Launch("FractalNoise", {2, kHeight}, {32}, 0, out, int{kWidth}, 6);
  ExpectNear(out, expected, 1e-5, 1e-6);
}

TEST_F(DebugLinesTest, Threshold) {
  const std::vector<float> in = Random<float>(50, 1, 0.0f, 1.0f);
  std::vector<uint8_t> expected;
  for (float v : in) {
    const float level = 255.0f * (v - 0.25f) / (0.75f - 0.25f);
    expected.push_back(static_cast<uint8_t>(v < 0.25f ? 0.0f : v > 0.75f ? 255.0f : level));
  }
  const auto out = Output<uint8_t>(50);
  Launch("Threshold", {2}, {32}, 0, Buffer(in), out, 50, 0.25f, 0.75f);
  ExpectEqual(out, expected);
}

class DebugDirectivesTest : public CorpusKernels {
 protected:
  DebugDirectivesTest() : CorpusKernels("debug_directives") {}
};

TEST_F(DebugDirectivesTest, Search) {
  std::vector<char> text;
  for (int value : Random<int>(1000, 1, 0, 2)) text.push_back(static_cast<char>('a' + value));
  for (std::string_view pattern : {"abca", "aa", "ccccccccc"}) {
    int expected = 0;
    const std::string_view all(text.data(), text.size());
    for (size_t at = all.find(pattern); at != all.npos; at = all.find(pattern, at + 1)) ++expected;
    const auto found = Zeros<int>(1);
    Launch("Search", {2}, {32}, 0, Buffer(text), 1000, Buffer(std::vector<char>(pattern.begin(), pattern.end())),
           static_cast<int>(pattern.size()), found);
    ExpectEqual(found, {expected});
  }
}

TEST_F(DebugDirectivesTest, RunLength) {
  using Run = std::array<uint8_t, 2>;
  std::vector<uint8_t> in;
  std::vector<Run> expected;
  RandomNumbers random(2);
  while (in.size() < 150) {
    const auto length = static_cast<uint8_t>(random.Between<int>(1, 20));
    const auto value = static_cast<uint8_t>(expected.size() * 7);
    expected.push_back({value, length});
    in.insert(in.end(), length, value);
  }
  const auto out = Output<Run>(expected.size());
  const auto out_count = Zeros<int>(1);
  Launch("RunLength", {3}, {64}, 0, Buffer(in), static_cast<int>(in.size()), out, out_count);
  ExpectEqual(out_count, {static_cast<int>(expected.size())});
  std::vector<Run> runs = Read(out);
  std::sort(runs.begin(), runs.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(runs, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
