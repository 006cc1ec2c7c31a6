// SPDX-License-Identifier: Apache-2.0

// Declarations of modules other than code, large parameters, odd types, and printing and allocation on the device.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// ---- launch_bounds.

struct Options {
  float table[64];
  int32_t counts[16];
  uint64_t sources[8];
};

class LaunchBoundsTest : public CorpusKernels {
 protected:
  LaunchBoundsTest() : CorpusKernels("launch_bounds") {}

  // Returns numbers whose sums are exact.
  static Options SomeOptions() {
    Options options = {};
    for (int i = 0; i < 64; ++i) options.table[i] = static_cast<float>(i * i - 700) / 8;
    for (int i = 0; i < 16; ++i) options.counts[i] = 3 * i - 20;
    return options;
  }
};

TEST_F(LaunchBoundsTest, ElementByElement) {
  const std::vector<float> in = Random<float>(256, 1, -3, 3);
  std::vector<float> doubled(in.begin(), in.begin() + 64);
  std::vector<float> sines;
  std::vector<float> added;
  for (float& v : doubled) v *= 2;
  for (const float v : in) {
    sines.push_back(std::sin(v));
    added.push_back(v + 1);
  }
  const auto a = Buffer(std::vector<float>(in.begin(), in.begin() + 64));
  Launch("OnlyThreads", {1}, {64}, 0, a);
  ExpectEqual(a, doubled);
  const auto b = Buffer(in);
  Launch("ThreadsAndBlocks", {1}, {256}, 0, b);
  ExpectNear(b, sines, 1e-6, 1e-7);
  const auto c = Buffer(in);
  Launch("WithCluster", {2}, {128}, 0, c);
  ExpectEqual(c, added);
}

TEST_F(LaunchBoundsTest, Bounded) {
  std::vector<double> values = Random<double>(512, 1, -20, 20);
  values[0] = 800, values[1] = -800, values[2] = 0;
  std::vector<double> expected;
  for (const double v : values) expected.push_back(std::exp(v));
  const auto by_32 = Buffer(values);
  Launch("BoundedILi32ELi16EE", {16}, {32}, 0, by_32);
  ExpectNear(by_32, expected, 4e-16);
  const auto by_512 = Buffer(values);
  Launch("BoundedILi512ELi1EE", {1}, {512}, 0, by_512);
  ExpectNear(by_512, expected, 4e-16);
}

TEST_F(LaunchBoundsTest, FewRegisters) {
  constexpr int kRounds = 4;
  const std::vector<float> in = Random<float>(16 * 32, 1, -0.9f, 0.9f);
  std::vector<float> expected(in.size());
  for (int thread = 0; thread < 32; ++thread) {
    std::array<double, 16> v;
    for (int i = 0; i < 16; ++i) v[i] = in[i * 32 + thread];
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < 16; ++i) v[i] = v[i] * v[(i + 5) % 16] + v[(i + 11) % 16];
    }
    for (int i = 0; i < 16; ++i) expected[i * 32 + thread] = static_cast<float>(v[i]);
  }
  const auto a = Buffer(in);
  Launch("FewRegisters", {1}, {32}, 0, a, kRounds);
  ExpectNear(a, expected, 1e-4, 1e-5);
}

TEST_F(LaunchBoundsTest, Parameters) {
  constexpr int kThreads = 32;
  Options options = SomeOptions();
  const std::vector<float> source = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                     17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
  const auto device_source = Buffer(source);
  options.sources[5] = device_source.address;
  constexpr int kWhich = 13;  // counts[13] and sources[5]
  std::vector<float> expected;
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += options.table[i];
  std::vector<float> sums(kThreads, sum);
  std::vector<float> changed_sums;
  for (int i = 0; i < kThreads; ++i) {
    expected.push_back(options.table[i] * static_cast<float>(options.counts[kWhich]) + source[i]);
    changed_sums.push_back(sum - options.table[i] + 1);
  }
  const auto out = Output<float>(kThreads);
  Launch("BigParameters", {1}, {kThreads}, 0, options, out, kWhich);
  ExpectEqual(out, expected);
  Launch("EscapingParameter", {1}, {kThreads}, 0, options, out);
  ExpectEqual(out, changed_sums);
  Launch("EscapingInPlace", {1}, {kThreads}, 0, options, out);
  ExpectEqual(out, sums);
}

TEST_F(LaunchBoundsTest, ManyParameters) {
  const auto out = Output<double>(4);
  Launch("ManyParameters", {1}, {4}, 0, static_cast<char>(-3), int16_t{-500}, int32_t{70000}, int64_t{-900000}, 2.5f,
         1e-3, true, std::array<uint8_t, 4>{200, 1, 2, 3}, std::array<int16_t, 2>{7, -9},
         std::array<int32_t, 3>{1, 2, 30}, std::array<float, 4>{1, 2, 3, 0.25f}, std::array<double, 2>{5, 1e6},
         uint8_t{255}, out);
  const double expected = -3.0 - 500 + 70000 - 900000 + 2.5 + 1e-3 + 1 + 200 - 9 + 30 + 0.25 + 1e6 + 255;
  ExpectNear(out, std::vector<double>(4, expected), 1e-15);
  Launch("NoParameters", {2}, {32}, 0);
}

// ---- module_level.

class ModuleLevelTest : public CorpusKernels {
 protected:
  ModuleLevelTest() : CorpusKernels("module_level") {}

  static constexpr uint64_t kMask33 = (uint64_t{1} << 33) - 1;

  struct Used {
    bool overflows = false;
    uint32_t value = 0;
  };
  // Computes the result of a thread of Use up to the point where it reads variables.
  static Used Use(uint32_t thread, uint32_t n, uint64_t even, float second, int16_t short_value) {
    const uint64_t odd = even & kMask33;
    const uint32_t called = (thread & 1) == 0 ? thread + n : thread - n;
    uint32_t x = called + 3 + (odd & 1);
    x += static_cast<uint32_t>(static_cast<int32_t>(second * 3));
    // Counts the bits of the 33-bit number in 128 bits: the bits of its sign and the other bits.
    const int sign = static_cast<int>(odd >> 32);
    x += static_cast<uint32_t>(std::popcount(odd & 0xffffffff) + 96 * sign);
    const int64_t saturated =
        std::clamp<int64_t>(int64_t{static_cast<int32_t>(x)} + short_value, std::numeric_limits<int32_t>::min(),
                            std::numeric_limits<int32_t>::max());
    const uint64_t rotated = (odd << 5 | odd >> 28) & kMask33;
    const uint64_t product = uint64_t{static_cast<uint32_t>(saturated)} * static_cast<uint32_t>(rotated);
    return {product >> 32 != 0, static_cast<uint32_t>(product)};
  }
};

TEST_F(ModuleLevelTest, Variables) {
  ExpectEqual(Variable<int32_t>("managed", 4), {1, 2, 3, 4});
  const uint64_t managed = Variable<int32_t>("managed", 4).address;
  const DeviceBuffer<uint8_t> record = Variable<uint8_t>("record", 40);
  const std::vector<uint8_t> bytes = ReadWithHoles(record);
  const auto at = [&](auto value, size_t offset) {
    std::memcpy(&value, &bytes[offset], sizeof value);
    return value;
  };
  EXPECT_EQ(at(int8_t{}, 0), -1);
  EXPECT_EQ(at(int16_t{}, 2), 1);
  EXPECT_EQ(at(int16_t{}, 6), -3);
  EXPECT_EQ(at(uint64_t{}, 8), managed);
  EXPECT_EQ(at(uint16_t{}, 16), 0x3c00);
  EXPECT_EQ(at(uint16_t{}, 18), 0xc000);
  EXPECT_EQ(at(int64_t{}, 24), -9);
  EXPECT_EQ(at(float{}, 32), 0.1f);
  ExpectEqual(Variable<uint64_t>("into_record"), {record.address + 6});
  ExpectEqual(Variable<int32_t>("common"), {0});
  ExpectEqual(Variable<int64_t>("linkonce"), {5});
}

TEST_F(ModuleLevelTest, Use) {
  const auto managed = Variable<uint32_t>("managed", 4);
  const auto common = Variable<uint32_t>("common");
  const std::array<float, 4> three = {1, 2.75f, 4, 0};
  const std::array<int16_t, 3> shorts = {5, -77, 9};
  const auto out = Output<uint32_t>(1);
  uint32_t dots = 3;
  uint32_t quoted = 4;
  std::vector<uint32_t> managed_expected = {1, 2, 3, 4};
  uint32_t common_expected = 0;
  for (const uint32_t n : {100u, 2000u}) {
    for (const uint64_t even : {uint64_t{6}, uint64_t{0x55}, uint64_t{1} << 32 | 0x10}) {
      Launch("Use", {1}, {1}, 0, out, n, even, false, three, shorts);
      dots += Use(0, n, even, three[1], shorts[1]).value + 1 + quoted;
      quoted = 0;  // the thread's number
      ExpectEqual(out, {dots}, StrCat("n ", n, ", even ", even));
      const uint32_t old = managed_expected[0];
      managed_expected[0] += dots;
      if (common_expected == old) common_expected = 0;
      ExpectEqual(managed, managed_expected);
      ExpectEqual(common, {common_expected});
    }
  }
}

TEST_F(ModuleLevelTest, UseThatEndsAThread) {
  // Thread 0 overflows and ends. Thread 1, which calls the other function, continues.
  const uint32_t n = static_cast<uint32_t>(-1000);
  const std::array<float, 4> three = {0, 0, 0, 0};
  const std::array<int16_t, 3> shorts = {};
  ASSERT_TRUE(Use(0, n, 2, 0, 0).overflows);
  ASSERT_FALSE(Use(1, n, 2, 0, 0).overflows);
  const auto out = Zeros<uint32_t>(2);
  Launch("Use", {1}, {2}, 0, out, n, uint64_t{2}, true, three, shorts);
  const uint32_t value = Use(1, n, 2, 0, 0).value + 1 + 3 + 4;
  ExpectEqual(out, {0, value});
  ExpectEqual(Variable<uint32_t>("managed", 4), {1, 2 + value, 3, 4});
}

TEST_F(ModuleLevelTest, UseThatTraps) {
  // NeverReturns traps if it is given 3. For a large enough number, 3 times a 32-bit number overflows.
  const std::array<float, 4> three = {};
  const std::array<int16_t, 3> shorts = {};
  const uint64_t even = uint64_t{0x7} << 25;  // three bits; after rotation by five they are bits 30 to 32
  const uint32_t n = static_cast<uint32_t>(-3);
  ASSERT_TRUE(Use(0, n, even, 0, 0).overflows);
  const auto out = Zeros<uint32_t>(1);
  EXPECT_EQ(
      LaunchToFault({.kernel = "Use", .grid = {}, .block = {}, .cluster = {}}, out, n, even, true, three, shorts).kind,
      FaultKind::kTrap);
}

TEST_F(ModuleLevelTest, Stacks) {
  for (const uint64_t n : {1, 100, 600}) {
    const auto out = Output<uint32_t>(1);
    Launch("Stacks", {1}, {32}, 0, out, n, uint32_t{20});
    ExpectEqual(out, {60}, StrCat(n, " bytes"));
  }
}

TEST_F(ModuleLevelTest, WideSwitch) {
  constexpr uint64_t kBase = 100000000000;
  const double infinity = std::numeric_limits<double>::infinity();
  const double untouched = -17;
  const std::vector<std::pair<uint64_t, double>> cases = {{kBase, 1.0},
                                                          {kBase + 1, infinity},
                                                          {kBase + 2, -0.0},
                                                          {kBase + 4, 1.0},
                                                          {kBase + 5, 1e-310},
                                                          {kBase + 6, untouched},
                                                          {kBase + 7, 3.141592653589793},
                                                          {0, untouched},
                                                          {kBase % (uint64_t{1} << 32), untouched}};
  for (const auto& [value, expected] : cases) {
    const auto out = Buffer<double>({untouched});
    Launch("WideSwitch", {1}, {1}, 0, Buffer<uint64_t>({value}), out);
    ExpectEqual(out, {expected}, StrCat(value));
  }
  const auto out = Output<double>(1);
  Launch("WideSwitch", {1}, {1}, 0, Buffer<uint64_t>({kBase + 3}), out);
  EXPECT_TRUE(std::isnan(Read(out)[0]));
}

TEST_F(ModuleLevelTest, Halves) {
  // 3 and 2.5 as halves; twice the first, 1.5 times the second.
  const auto out = Zeros<uint16_t>(4);
  Launch("Halves", {1}, {1}, 0, Buffer<uint16_t>({0x4200, 0x4100}), out);
  ExpectEqual(out, {0x4600, 0x4380, 0, 0x4070});  // 6, 3.75; 3.75 as a bfloat16
  // The second number is less than one, so the maximum with one is one. A NaN stays a NaN.
  Launch("Halves", {1}, {1}, 0, Buffer<uint16_t>({0x4200, 0xc100}), out);
  ExpectEqual(out, {0x4600, 0xc380, 0, 0x3f80});
  Launch("Halves", {1}, {1}, 0, Buffer<uint16_t>({0x4200, 0x7e00}), out);
  EXPECT_EQ(Read(out)[3] & 0x7fff, 0x7fff);  // NVIDIA's NaN
}

// ---- print_assert.

class PrintAssertTest : public CorpusKernels {
 protected:
  PrintAssertTest() : CorpusKernels("print_assert") {}

  // The language does not define the order in which threads print.
  static std::vector<std::string> SortedLines(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  template <typename... Args>
  static std::string Format(const char* format, Args... args) {
    char line[200];
    std::snprintf(line, sizeof line, format, args...);
    return line;
  }
};

TEST_F(PrintAssertTest, Report) {
  constexpr int kCount = 40;
  const std::vector<float> values = Random<float>(kCount, 1, -100, 100);
  const auto device_values = Buffer(values);
  const LaunchResult result = Launch("Report", {2}, {32}, 0, device_values, kCount, 'q');
  std::string expected = Format("done\n0x%llx 4000.00%%\n", static_cast<unsigned long long>(device_values.address));
  for (int i = 0; i < kCount; ++i) {
    const double value = values[i];
    expected +=
        Format("%c %d: %f %e %lld %u %s\n", 'q', i, value, value * 1e10, 1ll << i, 3u * i, i % 2 == 1 ? "odd" : "even");
  }
  EXPECT_EQ(SortedLines(result.printed), SortedLines(expected));
}

TEST_F(PrintAssertTest, Roll) {
  const LaunchResult result = Launch("Roll", {1}, {4}, 0);
  EXPECT_EQ(SortedLines(result.printed),
            (std::vector<std::string>{"Ada is 36", "Ada is 36", "Alan is 41", "Grace is 85"}));
}

TEST_F(PrintAssertTest, Checked) {
  std::vector<int32_t> in = Random<int32_t>(32, 1, 0, 12000);
  std::vector<int32_t> expected;
  for (const int32_t v : in) expected.push_back(v / 12001);
  const auto out = Output<int32_t>(32);
  Launch("Checked", {1}, {32}, 0, Buffer(in), out, 12001);
  ExpectEqual(out, expected);
  const auto limited = Output<int32_t>(32);
  const Fault assertion =
      LaunchToFault({.kernel = "Checked", .grid = {}, .block = {32}, .cluster = {}}, Buffer(in), limited, 100);
  EXPECT_EQ(assertion.kind, FaultKind::kTrap) << assertion.ToString();
  in[17] = -1;
  const Fault trap = LaunchToFault({.kernel = "Checked", .grid = {}, .block = {32}, .cluster = {}}, Buffer(in),
                                   Output<int32_t>(32), 12001);
  EXPECT_EQ(trap.kind, FaultKind::kTrap) << trap.ToString();
}

TEST_F(PrintAssertTest, Heap) {
  constexpr int kPieces = 10;
  std::vector<int32_t> expected;
  for (int i = 0; i < 32; ++i) expected.push_back(i * kPieces * (kPieces - 1) / 2);
  const auto out = Output<int32_t>(32);
  Launch("Heap", {1}, {32}, 0, out, kPieces);
  ExpectEqual(out, expected);
}

TEST_F(PrintAssertTest, Timers) {
  KeepOneStage();
  const auto out = Output<int64_t>(32);
  Launch("Timers", {1}, {32}, 0, out);
  // The elapsed time, and the start time of the warp, which is the same for all its threads.
  const std::vector<int64_t> times = Read(out);
  EXPECT_GE(times[0], 0);
  EXPECT_LT(times[0], 1000);
  ExpectEqual(out, std::vector<int64_t>(32, times[0]));
}

// ---- separate: a unit whose other half is elsewhere.

class SeparateTest : public CorpusKernels {
 protected:
  SeparateTest() : CorpusKernels("separate") {}
};

TEST_F(SeparateTest, CallsOfOtherUnitsAreFaults) {
  const Fault fault =
      LaunchToFault({.kernel = "UsesOthers", .grid = {}, .block = {32}, .cluster = {}, .dynamic_shared_bytes = 128},
                    Zeros<float>(32), Zeros<float>(32));
  EXPECT_EQ(fault.kind, FaultKind::kUnsupported) << fault.ToString();
  EXPECT_NE(fault.message.find("_Z17ElsewhereSettingsPKc"), std::string::npos) << fault.ToString();
}

}  // namespace
}  // namespace ptxmir::ptx
