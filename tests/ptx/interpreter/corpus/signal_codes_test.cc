// SPDX-License-Identifier: Apache-2.0

// Compares signal_codes with the definitions of the codes, the filters and the wavelet.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

class SignalCodesTest : public CorpusKernels {
 protected:
  SignalCodesTest() : CorpusKernels("signal_codes") {}
};

struct BaseGraph {
  static constexpr int kLayers = 3, kDegree = 5;
  std::array<std::array<int16_t, kDegree>, kLayers> block;
  std::array<std::array<int16_t, kDegree>, kLayers> shift;

  // Returns the bits of a check.
  std::vector<int> Bits(int layer, int row, int lift) const {
    std::vector<int> bits;
    for (int e = 0; e < kDegree; ++e) bits.push_back(block[layer][e] * lift + (row + shift[layer][e]) % lift);
    return bits;
  }
};

TEST_F(SignalCodesTest, LdpcMinSum) {
  constexpr int kBlocks = 9, kLift = 27, kFrames = 3, kIterations = 6;
  constexpr int kLength = kBlocks * kLift;
  const BaseGraph graph{{{{0, 1, 3, 6, 8}, {2, 3, 4, 7, 8}, {0, 2, 5, 6, 7}}},
                        {{{3, 26, 0, 11, 5}, {1, 9, 14, 0, 20}, {8, 0, 2, 25, 13}}}};
  Write(Variable<BaseGraph>("base_graph"), {graph});
  // Each frame is a word of zeros: all are sent as +20. The last frame has too much noise.
  RandomNumbers random(1);
  std::vector<int8_t> channel;
  for (int i = 0; i < kFrames * kLength; ++i) {
    const int noise = random.Between(-11, 11) + random.Between(-11, 11);
    channel.push_back(static_cast<int8_t>(std::clamp(20 + noise * (1 + 3 * (i / kLength)), -127, 127)));
  }
  std::vector<uint8_t> bits;
  std::vector<int> rounds;
  for (int frame = 0; frame < kFrames; ++frame) {
    std::vector<int> belief(channel.begin() + frame * kLength, channel.begin() + (frame + 1) * kLength);
    std::vector<std::vector<int>> messages(BaseGraph::kLayers * kLift, std::vector<int>(BaseGraph::kDegree));
    int round = 0;
    for (bool wrong = true; wrong && round < kIterations; ++round) {
      wrong = false;
      for (int check = 0; check < BaseGraph::kLayers * kLift; ++check) {
        const std::vector<int> members = graph.Bits(check / kLift, check % kLift, kLift);
        const auto negative = [&](int bit) { return belief[bit] < 0; };
        wrong |= std::count_if(members.begin(), members.end(), negative) % 2 != 0;
        std::vector<int> in;
        for (size_t e = 0; e < members.size(); ++e) {
          in.push_back(std::clamp(belief[members[e]] - messages[check][e], -127, 127));
        }
        for (size_t e = 0; e < members.size(); ++e) {
          // The least of the others, with the product of their signs.
          int size = 127;
          int sign = 1;
          for (size_t other = 0; other < members.size(); ++other) {
            if (other == e) continue;
            size = std::min(size, std::abs(in[other]));
            sign *= in[other] < 0 ? -1 : 1;
          }
          messages[check][e] = sign * (size - size / 4);
          belief[members[e]] = std::clamp(in[e] + messages[check][e], -255, 255);
        }
      }
    }
    for (int value : belief) bits.push_back(value < 0 ? 1 : 0);
    rounds.push_back(round);
  }
  EXPECT_EQ(std::count(bits.begin(), bits.begin() + kLength, 1), 0);
  EXPECT_EQ(rounds[2], kIterations);
  EXPECT_LT(rounds[0], kIterations);
  const auto out = Output<uint8_t>(bits.size());
  const auto used = Output<int>(kFrames);
  Launch("LdpcMinSum", {kFrames}, {32}, 0, Buffer(channel), int{kBlocks}, int{kLift}, int{kIterations}, out, used);
  ExpectEqual(out, bits);
  ExpectEqual(used, rounds);
}

// The convolutional code with the generators 171 and 133 in octal.
constexpr uint32_t kGenerators[2] = {0171, 0133};

// Returns the two bits sent when `bit` enters a state.
std::array<int, 2> Sent(int state, int bit) {
  std::array<int, 2> sent;
  for (int i = 0; i < 2; ++i) sent[i] = std::popcount((static_cast<uint32_t>(state) << 1 | bit) & kGenerators[i]) % 2;
  return sent;
}

std::vector<uint8_t> DecodeViterbi(const std::vector<std::array<uint8_t, 2>>& soft, int last) {
  std::vector<int> costs(64, 0x1000);
  costs[0] = 0;
  std::vector<std::vector<int>> from;
  for (const auto& seen : soft) {
    std::vector<int> next(64, 1 << 30);
    std::vector<int> chosen(64);
    for (int state = 0; state < 64; ++state) {
      for (int bit = 0; bit < 2; ++bit) {
        int cost = costs[state];
        for (int i = 0; i < 2; ++i) cost += Sent(state, bit)[i] != 0 ? 255 - seen[i] : seen[i];
        const int to = (state << 1 | bit) % 64;
        if (cost >= next[to]) continue;
        next[to] = cost;
        chosen[to] = state;
      }
    }
    costs = next;
    from.push_back(chosen);
  }
  std::vector<uint8_t> bits(soft.size());
  for (size_t t = soft.size(); t-- > 0;) {
    bits[t] = static_cast<uint8_t>(last % 2);
    last = from[t][last];
  }
  return bits;
}

TEST_F(SignalCodesTest, ViterbiWarp) {
  constexpr int kSteps = 61, kFrames = 4;
  RandomNumbers random(2);
  std::vector<std::array<uint8_t, 2>> soft;
  std::vector<uint8_t> expected;
  for (int frame = 0; frame < kFrames; ++frame) {
    std::vector<uint8_t> message;
    std::vector<std::array<uint8_t, 2>> seen;
    int state = 0;
    for (int t = 0; t < kSteps; ++t) {
      const int bit = t + 6 < kSteps ? random.Between(0, 1) : 0;
      std::array<uint8_t, 2> pair;
      for (int i = 0; i < 2; ++i) {
        // The last frame is noise alone.
        const int sent = Sent(state, bit)[i] * 255;
        const int noise = random.Between(0, 255);
        pair[i] = static_cast<uint8_t>(frame + 1 == kFrames ? noise : random.Between(0, 9) == 0 ? noise : sent);
      }
      seen.push_back(pair);
      message.push_back(static_cast<uint8_t>(bit));
      state = (state << 1 | bit) % 64;
    }
    const std::vector<uint8_t> decoded = DecodeViterbi(seen, 0);
    if (frame + 1 < kFrames) {
      EXPECT_EQ(decoded, message);
    }
    soft.insert(soft.end(), seen.begin(), seen.end());
    expected.insert(expected.end(), decoded.begin(), decoded.end());
  }
  const auto decisions = Output<std::array<uint32_t, 2>>(soft.size());
  const auto bits = Output<uint8_t>(soft.size());
  Launch("ViterbiWarp", {2}, {64}, 0, Buffer(soft), int{kSteps}, 0, decisions, bits);
  ExpectEqual(bits, expected);
}

struct Biquad {
  float b0, b1, b2, a1, a2;
};

TEST_F(SignalCodesTest, BiquadCascade) {
  constexpr int kSections = 6, kChannels = 43, kSamples = 25;
  RandomNumbers random(3);
  std::vector<Biquad> filters;
  for (int i = 0; i < kSections * kChannels; ++i) {
    // Poles within the unit circle.
    const double radius = random.Between(0.1, 0.9);
    const double angle = random.Between(0.1, 3.0);
    filters.push_back({random.Between(0.3f, 1.0f), random.Between(-1.0f, 1.0f), random.Between(-1.0f, 1.0f),
                       static_cast<float>(-2 * radius * std::cos(angle)), static_cast<float>(radius * radius)});
  }
  const std::vector<float> in = Random<float>(kChannels * kSamples, 4000, -1.0f, 1.0f);
  std::vector<float> expected(in.size());
  for (int channel = 0; channel < kChannels; ++channel) {
    std::vector<double> signal;
    for (int t = 0; t < kSamples; ++t) signal.push_back(in[t * kChannels + channel]);
    for (int k = 0; k < kSections; ++k) {
      // The difference equation.
      const Biquad& f = filters[k * kChannels + channel];
      std::vector<double> next;
      for (int t = 0; t < kSamples; ++t) {
        const auto at = [](const std::vector<double>& s, int i) { return i < 0 ? 0.0 : s[i]; };
        next.push_back(f.b0 * signal[t] + f.b1 * at(signal, t - 1) + f.b2 * at(signal, t - 2) - f.a1 * at(next, t - 1) -
                       f.a2 * at(next, t - 2));
      }
      signal = next;
    }
    for (int t = 0; t < kSamples; ++t) expected[t * kChannels + channel] = static_cast<float>(signal[t]);
  }
  // Two launches, one after the other: the state is kept between them.
  const auto state = Zeros<std::array<float, 2>>(kSections * kChannels);
  constexpr int kFirst = 10;
  const auto filter_buffer = Buffer(filters);
  const auto first = Output<float>(kFirst * kChannels);
  const auto second = Output<float>((kSamples - kFirst) * kChannels);
  const auto split = in.begin() + kFirst * kChannels;
  Launch("BiquadCascadeILi6E", {2}, {32}, 0, filter_buffer, state, Buffer(std::vector<float>(in.begin(), split)), first,
         int{kChannels}, int{kFirst});
  Launch("BiquadCascadeILi6E", {2}, {32}, 0, filter_buffer, state, Buffer(std::vector<float>(split, in.end())), second,
         int{kChannels}, int{kSamples - kFirst});
  std::vector<float> actual = Read(first);
  const std::vector<float> rest = Read(second);
  actual.insert(actual.end(), rest.begin(), rest.end());
  ExpectNearValues(actual, expected, 1e-4, 1e-4);
}

TEST_F(SignalCodesTest, ComplexFir) {
  constexpr int kCount = 600;
  const auto pairs = Random<float>(2 * kCount, 5, -1.0f, 1.0f);
  for (int tap_count : {1, 23, 40}) {
    const std::vector<float> taps = Random<float>(static_cast<size_t>(tap_count), 6000, -1.0f, 1.0f);
    std::vector<float> expected;
    for (int n = 0; n < kCount; ++n) {
      std::complex<double> sum = 0;
      for (int k = 0; k < tap_count && k <= n; ++k) {
        sum += double{taps[k]} * std::complex<double>(pairs[2 * (n - k)], pairs[2 * (n - k) + 1]);
      }
      expected.push_back(static_cast<float>(sum.real()));
      expected.push_back(static_cast<float>(sum.imag()));
    }
    const auto out = Output<float>(expected.size());
    const uint32_t shared = static_cast<uint32_t>(32 * 8 + tap_count - 1) * 8;
    Launch("ComplexFirILi8ELi128EE", {3}, {32}, shared, Buffer(pairs), int{kCount}, Buffer(taps), tap_count, out);
    ExpectNear(out, expected, 0, 1e-5);
  }
}

TEST_F(SignalCodesTest, LiftColumns) {
  // The same transform as a bank of two filters.
  constexpr double kLow[5] = {0.602949018236, 0.266864118443, -0.078223266529, -0.016864118443, 0.026748757411};
  constexpr double kHigh[4] = {1.115087052457, -0.591271763114, -0.057543526229, 0.091271763114};
  constexpr int kWidth = 70;
  for (int height : {8, 22}) {
    const std::vector<float> in = Random<float>(static_cast<size_t>(kWidth * height), 7, -1.0f, 1.0f);
    const auto at = [&](int y, int x) {
      y = std::abs(y);
      return double{in[(y < height ? y : 2 * height - 2 - y) * kWidth + x]};
    };
    std::vector<float> expected(in.size());
    for (int n = 0; n < height / 2; ++n) {
      for (int x = 0; x < kWidth; ++x) {
        double low = kLow[0] * at(2 * n, x);
        for (int k = 1; k < 5; ++k) low += kLow[k] * (at(2 * n - k, x) + at(2 * n + k, x));
        double high = kHigh[0] * at(2 * n + 1, x);
        for (int k = 1; k < 4; ++k) high += kHigh[k] * (at(2 * n + 1 - k, x) + at(2 * n + 1 + k, x));
        expected[n * kWidth + x] = static_cast<float>(low);
        expected[(height / 2 + n) * kWidth + x] = static_cast<float>(high);
      }
    }
    const auto out = Output<float>(in.size());
    Launch("LiftColumns", {2}, {32}, 0, Buffer(in), out, int{kWidth / 2}, height);
    ExpectNear(out, expected, 0, 2e-6);
  }
}

// Multiplies in GF(256) with the polynomial 0x11d.
uint8_t Times(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (int i = 0; i < 8; ++i) product ^= (b >> i & 1) != 0 ? a << i : 0;
  for (int i = 15; i >= 8; --i) product ^= (product >> i & 1) != 0 ? 0x11du << (i - 8) : 0;
  return static_cast<uint8_t>(product);
}
uint8_t Power(uint8_t base, int exponent) {
  uint8_t result = 1;
  while (exponent-- > 0) result = Times(result, base);
  return result;
}

TEST_F(SignalCodesTest, SyndromesByBytes) {
  constexpr int kColumns = 45, kLength = 20, kCount = 6;
  // A code word is a multiple of the generator polynomial.
  std::vector<uint8_t> generator = {1};
  for (int j = 1; j <= kCount; ++j) {
    std::vector<uint8_t> next(generator.size() + 1);
    for (size_t i = 0; i < generator.size(); ++i) {
      next[i] ^= Times(generator[i], Power(2, j));
      next[i + 1] ^= generator[i];
    }
    generator = next;
  }
  RandomNumbers random(8);
  std::vector<uint8_t> words(4 * kColumns * kLength);
  std::vector<uint8_t> expected(4 * kColumns * kCount);
  std::vector<uint32_t> wrong(2);
  for (int word = 0; word < 4 * kColumns; ++word) {
    std::vector<uint8_t> symbols(kLength);  // symbols[i] belongs to x^i
    for (int i = 0; i + kCount < kLength; ++i) {
      const uint8_t factor = random.Any<uint8_t>();
      for (int j = 0; j <= kCount; ++j) symbols[i + j] ^= Times(factor, generator[j]);
    }
    for (int errors = random.Between(-4, 2); errors > 0; --errors) {
      symbols[random.Between(0, kLength - 1)] ^= random.Between<uint8_t>(1, 255);
    }
    for (int i = 0; i < kLength; ++i) words[(kLength - 1 - i) * 4 * kColumns + word] = symbols[i];
    for (int j = 0; j < kCount; ++j) {
      uint8_t sum = 0;
      for (int i = 0; i < kLength; ++i) sum ^= Times(symbols[i], Power(2, i * (j + 1)));
      expected[j * 4 * kColumns + word] = sum;
      if (sum != 0) wrong[word / 128] |= 1u << word / 4 % 32;
    }
  }
  EXPECT_NE(wrong[0], 0u);
  EXPECT_NE(wrong[0], ~0u);
  const auto syndromes = Output<uint8_t>(expected.size());
  const auto votes = Output<uint32_t>(2);
  Launch("SyndromesByBytesILi6E", {2}, {32}, 0, Buffer(words), int{kLength}, int{kColumns}, syndromes, votes);
  ExpectEqual(syndromes, expected);
  ExpectEqual(votes, wrong);
}

TEST_F(SignalCodesTest, Cordic) {
  constexpr int kCount = 75;
  constexpr double kPoint = 1 << 30;
  RandomNumbers random(9);
  std::vector<std::array<int32_t, 2>> vectors;
  std::vector<int32_t> turns;
  for (int i = 0; i < kCount; ++i) {
    const double angle = random.Between(-3.14, 3.14);
    const double size = random.Between(1e8, 5e8);
    vectors.push_back({static_cast<int32_t>(size * std::cos(angle)), static_cast<int32_t>(size * std::sin(angle))});
    turns.push_back(static_cast<int32_t>(random.Between(-1.7, 1.7) * kPoint));
  }
  const auto polar = Output<std::array<int32_t, 2>>(kCount);
  const auto turned = Output<std::array<int32_t, 2>>(kCount);
  Launch("Cordic", {3}, {32}, 0, Buffer(vectors), Buffer(turns), int{kCount}, 28, polar, turned);
  std::vector<double> actual, expected;
  for (int i = 0; i < kCount; ++i) {
    const double x = vectors[i][0];
    const double y = vectors[i][1];
    const double turn = turns[i] / kPoint;
    for (double v :
         {Read(polar)[i][0] / 1.0, Read(polar)[i][1] / 1.0, Read(turned)[i][0] / 1.0, Read(turned)[i][1] / 1.0}) {
      actual.push_back(v);
    }
    expected.push_back(std::hypot(x, y));
    expected.push_back(std::atan2(y, x) * kPoint / 2);
    expected.push_back(x * std::cos(turn) - y * std::sin(turn));
    expected.push_back(x * std::sin(turn) + y * std::cos(turn));
  }
  ExpectNearValues(actual, expected, 0, 100);
}

}  // namespace
}  // namespace ptxmir::ptx
