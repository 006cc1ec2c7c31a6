// SPDX-License-Identifier: Apache-2.0

// Compares kernels of network training with their definitions in double.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/small_floats.h"

namespace ptxmir::ptx {
namespace {

// ---- training.

class TrainingTest : public CorpusKernels {
 protected:
  TrainingTest() : CorpusKernels("training") {}
};

struct TensorList {
  uint64_t addresses[4][24];
  int sizes[24];
  uint8_t block_tensor[80];
  int block_chunk[80];
};

struct AdamOptions {
  float rate, beta1, beta2, epsilon, decay, correction1, correction2;
  bool decoupled;
};

TEST_F(TrainingTest, MultiTensorAdam) {
  constexpr int kChunk = 300;
  constexpr float kInverseScale = 0.125f;
  const std::vector<int> sizes = {1, 300, 747, 33};
  for (bool decoupled : {true, false}) {
    const AdamOptions options{0.01f, 0.9f, 0.99f, 1e-6f, 0.1f, 0.271f, 0.0297f, decoupled};
    TensorList list{};
    std::vector<DeviceBuffer<float>> buffers;
    std::vector<std::vector<float>> expected;
    uint32_t blocks = 0;
    for (size_t t = 0; t < sizes.size(); ++t) {
      const size_t size = sizes[t];
      const std::vector<uint16_t> gradients = HalvesOf(Random<float>(size, 10 * t + 1, -8, 8));
      std::vector<float> weights = Random<float>(size, 10 * t + 2, -1, 1);
      std::vector<float> means = Random<float>(size, 10 * t + 3, -1, 1);
      std::vector<float> squares = Random<float>(size, 10 * t + 4, 0, 1);
      buffers.insert(buffers.end(), {Buffer(weights), Buffer(means), Buffer(squares)});
      list.addresses[0][t] = Buffer(gradients).address;
      for (int i = 0; i < 3; ++i) list.addresses[i + 1][t] = buffers[3 * t + i].address;
      list.sizes[t] = sizes[t];
      for (int chunk = 0; chunk * kChunk < sizes[t]; ++chunk) {
        list.block_tensor[blocks] = static_cast<uint8_t>(t);
        list.block_chunk[blocks++] = chunk;
      }
      const std::vector<float> plain = ValuesOfHalves(gradients);
      for (size_t i = 0; i < size; ++i) {
        const double w = weights[i];
        const double g = double{plain[i]} * kInverseScale + (decoupled ? 0 : options.decay * w);
        const double m = options.beta1 * double{means[i]} + (1 - double{options.beta1}) * g;
        const double v = options.beta2 * double{squares[i]} + (1 - double{options.beta2}) * g * g;
        const double step = m / options.correction1 / (std::sqrt(v / options.correction2) + options.epsilon);
        weights[i] = static_cast<float>(w - options.rate * (step + (decoupled ? options.decay * w : 0)));
        means[i] = static_cast<float>(m);
        squares[i] = static_cast<float>(v);
      }
      expected.insert(expected.end(), {weights, means, squares});
    }
    Launch("MultiTensorAdam", {blocks}, {32}, 0, int{kChunk}, list, options, Buffer(std::vector<float>{kInverseScale}));
    for (size_t i = 0; i < buffers.size(); ++i) ExpectNear(buffers[i], expected[i], 1e-5, 1e-6);
  }
}

struct Normalized {
  std::vector<double> values;
  double mean, inverse;
};

Normalized Normalize(const float* row, int columns, double epsilon) {
  const double mean = std::accumulate(row, row + columns, 0.0) / columns;
  double variance = 0;
  for (int i = 0; i < columns; ++i) variance += (row[i] - mean) * (row[i] - mean) / columns;
  Normalized out{{}, mean, 1 / std::sqrt(variance + epsilon)};
  for (int i = 0; i < columns; ++i) out.values.push_back((row[i] - mean) * out.inverse);
  return out;
}

TEST_F(TrainingTest, LayerNormForward) {
  constexpr int kRows = 5;
  constexpr float kEpsilon = 1e-5f;
  for (int columns : {301, 20}) {
    // A mean that is large next to the deviation.
    const std::vector<float> in = Random<float>(kRows * columns, 5, 90, 100);
    const std::vector<float> gain = Random<float>(columns, 6, 0.5f, 2);
    const std::vector<float> bias = Random<float>(columns, 7, -1, 1);
    std::vector<float> expected, means, inverses;
    for (int row = 0; row < kRows; ++row) {
      const Normalized n = Normalize(&in[row * columns], columns, kEpsilon);
      means.push_back(static_cast<float>(n.mean));
      inverses.push_back(static_cast<float>(n.inverse));
      for (int c = 0; c < columns; ++c) {
        expected.push_back(static_cast<float>(n.values[c] * gain[c] + (columns > 100 ? bias[c] : 0)));
      }
    }
    const auto out = Output<float>(expected.size());
    const auto mean_out = Output<float>(kRows);
    const auto inverse_out = Output<float>(kRows);
    const DeviceBuffer<float> no_bias;
    Launch("LayerNormForward", {2}, {32, 4}, 0, Buffer(in), Buffer(gain), columns > 100 ? Buffer(bias) : no_bias,
           int{kRows}, columns, kEpsilon, out, mean_out, inverse_out);
    ExpectNear(out, expected, 1e-4, 1e-4);
    ExpectNear(mean_out, means, 1e-6);
    ExpectNear(inverse_out, inverses, 1e-5);
  }
}

TEST_F(TrainingTest, LayerNormBackward) {
  constexpr int kRows = 7, kColumns = 333;
  const std::vector<float> in = Random<float>(kRows * kColumns, 8, -2, 3);
  const std::vector<float> upstream = Random<float>(kRows * kColumns, 9, -1, 1);
  const std::vector<float> gain = Random<float>(kColumns, 10, 0.5f, 2);
  std::vector<float> means, inverses, down(in.size());
  std::vector<double> gain_sums(kColumns), bias_sums(kColumns);
  for (int row = 0; row < kRows; ++row) {
    const Normalized n = Normalize(&in[row * kColumns], kColumns, 1e-5);
    means.push_back(static_cast<float>(n.mean));
    inverses.push_back(static_cast<float>(n.inverse));
    const float* g = &upstream[row * kColumns];
    // The derivative of the normalized value a by the input b is inverse * ([a = b] - (1 + n_a * n_b) / columns).
    double sum = 0, sum_by_value = 0;
    for (int a = 0; a < kColumns; ++a) {
      sum += double{g[a]} * gain[a];
      sum_by_value += double{g[a]} * gain[a] * n.values[a];
      gain_sums[a] += g[a] * n.values[a];
      bias_sums[a] += g[a];
    }
    for (int b = 0; b < kColumns; ++b) {
      down[row * kColumns + b] = static_cast<float>(
          n.inverse * (double{g[b]} * gain[b] - sum / kColumns - n.values[b] * sum_by_value / kColumns));
    }
  }
  const auto down_out = Output<float>(in.size());
  const auto gain_out = Zeros<float>(kColumns);
  const auto bias_out = Zeros<float>(kColumns);
  Launch("LayerNormBackward", {2}, {64}, 0, Buffer(in), Buffer(upstream), Buffer(gain), Buffer(means), Buffer(inverses),
         int{kRows}, int{kColumns}, down_out, gain_out, bias_out);
  ExpectNear(down_out, down, 1e-5, 1e-5);
  ExpectNear(gain_out, std::vector<float>(gain_sums.begin(), gain_sums.end()), 1e-5, 1e-5);
  ExpectNear(bias_out, std::vector<float>(bias_sums.begin(), bias_sums.end()), 1e-5, 1e-5);
}

TEST_F(TrainingTest, RotateHalves) {
  constexpr int kTokens = 3, kQueryHeads = 3, kKeyHeads = 1, kSize = 32, kPositions = 40;
  std::vector<float> table;
  for (int position = 0; position < kPositions; ++position) {
    for (int i = 0; i < kSize / 2; ++i) {
      const double angle = position * std::pow(10000.0, -2.0 * i / kSize);
      table.push_back(static_cast<float>(std::cos(angle)));
      table.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  const std::vector<int> positions = {0, 39, 17};
  std::array<DeviceBuffer<uint16_t>, 2> buffers;
  std::array<std::vector<float>, 2> expected;
  for (int which = 0; which < 2; ++which) {
    const int heads = which == 0 ? kQueryHeads : kKeyHeads;
    const std::vector<uint16_t> halves = HalvesOf(Random<float>(kTokens * heads * kSize, 11 + which, -2, 2));
    buffers[which] = Buffer(halves);
    const std::vector<float> values = ValuesOfHalves(halves);
    for (size_t i = 0; i < values.size(); ++i) {
      const int token = static_cast<int>(i) / (heads * kSize), at = static_cast<int>(i) % kSize;
      const bool high = at >= kSize / 2;
      const double angle = positions[token] * std::pow(10000.0, -2.0 * (at % (kSize / 2)) / kSize);
      const double other = high ? values[i - kSize / 2] : -values[i + kSize / 2];
      expected[which].push_back(static_cast<float>(values[i] * std::cos(angle) + other * std::sin(angle)));
    }
  }
  Launch("RotateHalves", {1}, {16}, 0, buffers[0], buffers[1], Buffer(positions), Buffer(table), int{kTokens},
         int{kQueryHeads}, int{kKeyHeads}, int{kSize});
  for (int which = 0; which < 2; ++which) {
    ExpectNearValues<float>(ValuesOfHalves(Read(buffers[which])), expected[which], 1.0 / 2000, 1e-5);
  }
}

// ---- language_model.

class LanguageModelTest : public CorpusKernels {
 protected:
  LanguageModelTest() : CorpusKernels("language_model") {}
};

TEST_F(LanguageModelTest, CrossEntropy) {
  constexpr int kRows = 4, kPairs = 203, kClasses = 2 * kPairs, kIgnored = -100;
  constexpr float kSmoothing = 0.1f, kScale = 64;
  const std::vector<uint16_t> logits = HalvesOf(Random<float>(kRows * kClasses, 13, -4, 9));
  const std::vector<float> values = ValuesOfHalves(logits);
  const std::vector<int> labels = {0, kIgnored, 405, 130};
  std::vector<float> losses, gradients;
  for (int row = 0; row < kRows; ++row) {
    const float* x = &values[row * kClasses];
    double total = 0;
    for (int c = 0; c < kClasses; ++c) total += std::exp(double{x[c]});
    double loss = 0;
    for (int c = 0; c < kClasses; ++c) {
      const double target = double{kSmoothing} / kClasses + (c == labels[row] ? 1 - double{kSmoothing} : 0);
      const double probability = std::exp(double{x[c]}) / total;
      loss -= target * std::log(probability);
      gradients.push_back(labels[row] == kIgnored ? 0 : static_cast<float>((probability - target) * kScale));
    }
    losses.push_back(labels[row] == kIgnored ? 0 : static_cast<float>(loss));
  }
  const auto buffer = Buffer(logits);
  const auto loss_out = Output<float>(kRows);
  Launch("CrossEntropy", {kRows}, {32}, 0, buffer, Buffer(labels), int{kPairs}, int{kIgnored}, kSmoothing, kScale,
         loss_out);
  ExpectNear(loss_out, losses, 1e-5);
  ExpectNearValues<float>(ValuesOfHalves(Read(buffer)), gradients, 1.0 / 1000, 1e-4);
}

TEST_F(LanguageModelTest, RouteTokens) {
  constexpr int kTokens = 5, kExperts = 210, kTop = 6;
  std::vector<float> logits = Random<float>(kTokens * kExperts, 14, -3, 3);
  // Equal logits: the experts with the lowest numbers win.
  for (int i = 0; i < kExperts; i += 5) logits[2 * kExperts + i] = 3.5f;
  std::vector<float> weights;
  std::vector<int> chosen, loads(kExperts);
  for (int token = 0; token < kTokens; ++token) {
    std::vector<std::pair<float, int>> ranked;
    for (int i = 0; i < kExperts; ++i) ranked.emplace_back(-logits[token * kExperts + i], i);
    std::sort(ranked.begin(), ranked.end());
    double total = 0;
    for (int k = 0; k < kTop; ++k) total += std::exp(-double{ranked[k].first});
    for (int k = 0; k < kTop; ++k) {
      weights.push_back(static_cast<float>(std::exp(-double{ranked[k].first}) / total));
      chosen.push_back(ranked[k].second);
      ++loads[ranked[k].second];
    }
  }
  const auto weights_out = Output<float>(weights.size());
  const auto chosen_out = Output<int>(chosen.size());
  const auto loads_out = Zeros<int>(kExperts);
  Launch("RouteTokens", {2}, {96}, 0, Buffer(logits), int{kTokens}, int{kExperts}, int{kTop}, weights_out, chosen_out,
         loads_out);
  ExpectNear(weights_out, weights, 1e-5);
  ExpectEqual(chosen_out, chosen);
  ExpectEqual(loads_out, loads);
}

// Computes a block of Philox-4x32-10 as its authors define it.
std::array<uint32_t, 4> Philox(uint64_t key, std::array<uint32_t, 4> counter) {
  std::array<uint32_t, 2> keys = {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xd2511f53} * counter[0], b = uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ keys[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ keys[1], static_cast<uint32_t>(a)};
    keys = {keys[0] + 0x9e3779b9, keys[1] + 0xbb67ae85};
  }
  return counter;
}

TEST_F(LanguageModelTest, BiasGeluDropout) {
  constexpr int kRows = 3, kQuads = 29, kCount = kRows * kQuads;
  constexpr uint32_t kThreshold = 0x60000000;
  constexpr float kScale = 1.6f;
  constexpr uint64_t kSeed = 0x0123456789abcdef;
  const std::vector<uint16_t> in = HalvesOf(Random<float>(4 * kCount, 15, -3, 3));
  const std::vector<uint16_t> bias = HalvesOf(Random<float>(4 * kQuads, 16, -1, 1));
  const std::vector<uint16_t> residual = HalvesOf(Random<float>(4 * kCount, 17, -1, 1));
  const std::vector<float> x = ValuesOfHalves(in), b = ValuesOfHalves(bias), r = ValuesOfHalves(residual);
  std::vector<float> expected;
  std::vector<uint8_t> mask((kCount + 1) / 2);
  for (uint32_t i = 0; i < kCount; ++i) {
    const std::array<uint32_t, 4> random = Philox(kSeed, {i, 0, 0, 0});
    for (uint32_t k = 0; k < 4; ++k) {
      const double sum = HalfValue(HalfBits(double{x[4 * i + k]} + b[i % kQuads * 4 + k]));
      const bool kept = random[k] >= kThreshold;
      const double gelu = sum * 0.5 * std::erfc(-sum / std::sqrt(2.0));
      expected.push_back(static_cast<float>(r[4 * i + k] + (kept ? gelu * kScale : 0)));
      if (kept) mask[i / 2] = static_cast<uint8_t>(mask[i / 2] | 1u << (i % 2 * 4 + k));
    }
  }
  const auto out = Output<uint16_t>(4 * kCount);
  const auto mask_out = Output<uint8_t>(mask.size());
  Launch("BiasGeluDropout", {2}, {64}, 0, Buffer(in), Buffer(bias), Buffer(residual), int{kCount}, int{kQuads},
         kThreshold, kScale, kSeed, out, mask_out);
  ExpectNearValues<float>(ValuesOfHalves(Read(out)), expected, 1.0 / 1000, 1e-4);
  ExpectEqual(mask_out, mask);
}

}  // namespace
}  // namespace ptxmir::ptx
