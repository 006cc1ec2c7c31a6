// SPDX-License-Identifier: Apache-2.0

// Compares compression with the data that the tests have encoded.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// Appends numbers of any width to words, from the lowest bit on.
class BitWriter {
 public:
  void Put(uint64_t value, int width) {
    for (int i = 0; i < width; ++i, ++bits_) {
      if (bits_ % 32 == 0) words_.push_back(0);
      words_.back() |= static_cast<uint32_t>(value >> i & 1) << bits_ % 32;
    }
  }
  const std::vector<uint32_t>& words() const { return words_; }

 private:
  std::vector<uint32_t> words_;
  size_t bits_ = 0;
};

class CompressionTest : public CorpusKernels {
 protected:
  CompressionTest() : CorpusKernels("compression") {}

  template <typename T>
  static void Append(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
  }
};

void PutLength(std::vector<uint8_t>& out, size_t length) {
  if (length < 15) return;
  for (length -= 15; length >= 255; length -= 255) out.push_back(255);
  out.push_back(static_cast<uint8_t>(length));
}

void PutSequence(std::vector<uint8_t>& out, const std::vector<uint8_t>& literals, size_t offset, size_t length) {
  const size_t match = length == 0 ? 0 : length - 4;
  out.push_back(static_cast<uint8_t>(std::min<size_t>(literals.size(), 15) << 4 | std::min<size_t>(match, size_t{15})));
  PutLength(out, literals.size());
  out.insert(out.end(), literals.begin(), literals.end());
  if (length == 0) return;
  out.push_back(static_cast<uint8_t>(offset));
  out.push_back(static_cast<uint8_t>(offset >> 8));
  PutLength(out, match);
}

TEST_F(CompressionTest, Lz4Decode) {
  RandomNumbers random(1);
  std::vector<uint8_t> in, expected;
  std::vector<int32_t> in_offsets = {0}, out_offsets = {0}, results;
  for (int block = 0; block < 7; ++block) {
    std::vector<uint8_t> encoded, data;
    const int sequences = block == 0 ? 0 : 6;
    for (int s = 0; s <= sequences; ++s) {
      const size_t literals = s == 2 ? random.Between<size_t>(270, 300) : random.Between<size_t>(s == 0, 18);
      std::vector<uint8_t> bytes;
      for (size_t i = 0; i < literals; ++i) bytes.push_back(random.Any<uint8_t>());
      data.insert(data.end(), bytes.begin(), bytes.end());
      if (s == sequences) {
        PutSequence(encoded, bytes, 0, 0);
        break;
      }
      const size_t offset =
          s % 2 ? random.Between<size_t>(1, std::min<size_t>(data.size(), 5)) : random.Between<size_t>(1, data.size());
      const size_t length = s == 3 ? random.Between<size_t>(19 + 255, 400) : random.Between<size_t>(4, 70);
      PutSequence(encoded, bytes, offset, length);
      for (size_t i = 0; i < length; ++i) data.push_back(data[data.size() - offset]);
    }
    int32_t result = static_cast<int32_t>(data.size());
    if (block == 4) {  // a match from before the output
      encoded = {0x20, 1, 2, 3, 0};
      data = {1, 2};
      result = -2;
    } else if (block == 5) {  // literals that are cut
      encoded = {0xf0, 3, 1, 2};
      data = {};
      result = -1;
    }
    if (block == 6) {  // the last literal doesn't fit
      encoded = {0x31, 7, 8, 9, 2, 0, 0x20, 5, 5};
      data = {7, 8, 9, 8, 9, 8, 9, 8};
      result = -3;
    }
    in.insert(in.end(), encoded.begin(), encoded.end());
    expected.insert(expected.end(), data.begin(), data.end());
    if (block == 6) expected.push_back(0);  // one byte of space for two literals
    in_offsets.push_back(static_cast<int32_t>(in.size()));
    out_offsets.push_back(static_cast<int32_t>(expected.size()));
    results.push_back(result);
  }
  const auto out = Zeros<uint8_t>(expected.size());
  const auto result_buffer = Output<int32_t>(7);
  Launch("Lz4Decode", {4}, {32, 2}, 0, Buffer(in), Buffer(in_offsets), out, Buffer(out_offsets), 7, result_buffer);
  ExpectEqual(result_buffer, results);
  ExpectEqual(out, expected);
}

TEST_F(CompressionTest, HuffmanDecode) {
  // A full tree of 60 leaves, with some of at least ten bits.
  RandomNumbers random(2);
  std::vector<int> leaves = {0};
  while (leaves.size() < 60) {
    const size_t at = leaves.size() < 13 ? leaves.size() - 1 : random.Between<size_t>(0, leaves.size() - 1);
    if (leaves[at] >= 16) continue;
    ++leaves[at];
    leaves.push_back(leaves[at]);
  }
  EXPECT_GT(*std::max_element(leaves.begin(), leaves.end()), 10);
  std::vector<uint8_t> lengths(256);
  for (const int leaf : leaves) {
    size_t symbol;
    do symbol = random.Between<size_t>(0, 255);
    while (lengths[symbol] != 0);
    lengths[symbol] = static_cast<uint8_t>(leaf);
  }
  std::vector<std::string> codes(256);
  std::vector<uint8_t> used;
  uint32_t code = 0;
  for (int length = 1; length <= 16; ++length) {
    code <<= 1;
    for (int symbol = 0; symbol < 256; ++symbol) {
      if (lengths[symbol] != length) continue;
      used.push_back(static_cast<uint8_t>(symbol));
      for (int bit = length - 1; bit >= 0; --bit) codes[symbol] += code >> bit & 1 ? '1' : '0';
      ++code;
    }
  }
  constexpr int32_t kStreams = 37;
  std::vector<uint32_t> words, expected;
  std::vector<int32_t> first_words, counts, out_words;
  for (int stream = 0; stream < kStreams; ++stream) {
    const int32_t count = random.Between(0, 45);
    first_words.push_back(static_cast<int32_t>(words.size()));
    counts.push_back(count);
    out_words.push_back(static_cast<int32_t>(expected.size()));
    std::string bits;
    for (int32_t i = 0; i < count; ++i) {
      const uint8_t symbol = used[random.Between<size_t>(0, used.size() - 1)];
      bits += codes[symbol];
      if (i % 4 == 0) expected.push_back(0);
      expected.back() |= static_cast<uint32_t>(symbol) << 8 * (i % 4);
    }
    bits.resize(bits.size() / 32 * 32 + 64, '1');
    for (size_t i = 0; i < bits.size(); ++i) {
      if (i % 32 == 0) words.push_back(0);
      words.back() |= static_cast<uint32_t>(bits[i] - '0') << (31 - i % 32);
    }
  }
  const auto out = Output<uint32_t>(expected.size());
  Launch("HuffmanDecodeILi8EE", {2}, {32}, 0, Buffer(lengths), Buffer(words), Buffer(first_words), Buffer(counts),
         kStreams, Buffer(out_words), out);
  ExpectEqual(out, expected);
}

TEST_F(CompressionTest, UnpackDeltas) {
  struct Header {
    uint64_t base, least_delta;
    int32_t first_word, width;
  };
  constexpr int64_t kCount = 4 * 256 + 77;
  RandomNumbers random(3);
  std::vector<Header> headers;
  std::vector<uint32_t> words;
  std::vector<uint64_t> expected;
  for (const int width : {13, 0, 64, 37, 7}) {
    BitWriter writer;
    headers.push_back({random.Any<uint64_t>(), random.Any<uint64_t>(), static_cast<int32_t>(words.size()), width});
    uint64_t value = headers.back().base;
    for (int i = 0; i < 256; ++i) {
      const uint64_t delta = width == 0 ? 0 : random.Any<uint64_t>() >> (64 - width);
      writer.Put(delta, width);
      value += delta + headers.back().least_delta;
      if (expected.size() < kCount) expected.push_back(value);
    }
    Append(words, writer.words());
    Append(words, {0xdeadbeef, 0xdeadbeef});
  }
  const auto out = Output<uint64_t>(kCount);
  Launch("UnpackDeltasIyE", {2}, {96}, 0, Buffer(headers), Buffer(words), kCount, out);
  ExpectEqual(out, expected);
}

TEST_F(CompressionTest, UnpackTiles) {
  const std::vector<uint8_t> widths = {12, 5, 19};
  const std::vector<uint32_t> references = Random<uint32_t>(3, 4);
  RandomNumbers random(5);
  std::vector<uint32_t> words, expected;
  std::vector<int32_t> first_words;
  for (size_t tile = 0; tile < 3; ++tile) {
    const int width = widths[tile];
    first_words.push_back(static_cast<int32_t>(words.size()));
    const size_t base = words.size();
    words.resize(base + 32 * width);
    uint32_t value = references[tile];
    for (size_t lane = 0; lane < 32; ++lane) {
      BitWriter writer;
      for (int i = 0; i < 32; ++i) {
        const uint32_t delta = random.Any<uint32_t>() >> (32 - width);
        writer.Put(delta, width);
        expected.push_back(value += delta);
      }
      for (size_t i = 0; i < writer.words().size(); ++i) words[base + 32 * i + lane] = writer.words()[i];
    }
  }
  const auto out = Output<uint32_t>(expected.size());
  Launch("UnpackTiles", {2}, {32, 2}, 0, Buffer(words), Buffer(first_words), Buffer(widths), Buffer(references), 3,
         out);
  ExpectEqual(out, expected);
}

TEST_F(CompressionTest, ExpandRuns) {
  for (const int longest : {3, 40, 700}) {
    RandomNumbers random(6);
    std::vector<double> values, expected;
    std::vector<int32_t> ends;
    while (expected.size() < 600) {
      // A run may be empty.
      values.push_back(random.Between(-1.0, 1.0));
      expected.insert(expected.end(), random.Between<size_t>(0, longest), values.back());
      ends.push_back(static_cast<int32_t>(expected.size()));
    }
    const auto total = static_cast<int32_t>(expected.size());
    const auto out = Output<double>(expected.size());
    Launch("ExpandRunsIdLi4EE", {static_cast<uint32_t>(total + 255) / 256}, {64}, 0, Buffer(values), Buffer(ends),
           static_cast<int32_t>(ends.size()), total, out);
    ExpectEqual(out, expected, StrCat("longest ", longest));
  }
}

TEST_F(CompressionTest, ExpandRunsWithManyEmptyRuns) {
  // A tile has more runs than the shared memory has ends.
  std::vector<double> values, expected;
  std::vector<int32_t> ends;
  for (int run = 0; run < 900; ++run) {
    values.push_back(run);
    if (run % 9 == 0) expected.push_back(run);
    ends.push_back(static_cast<int32_t>(expected.size()));
  }
  const auto out = Output<double>(expected.size());
  Launch("ExpandRunsIdLi4EE", {1}, {32}, 0, Buffer(values), Buffer(ends), 900, static_cast<int32_t>(expected.size()),
         out);
  ExpectEqual(out, expected);
}

TEST_F(CompressionTest, DecodeHybrid) {
  const std::vector<int64_t> dictionary = Random<int64_t>(300, 7);
  RandomNumbers random(8);
  std::vector<uint8_t> pages, widths;
  std::vector<int32_t> offsets = {0}, counts, out_offsets, errors;
  std::vector<int64_t> expected;
  for (int page = 0; page < 6; ++page) {
    const int width = page == 1 ? 17 : page == 2 ? 1 : page == 3 ? 32 : page == 4 ? 29 : 9;
    const uint32_t top = width == 1 ? 1 : 299;
    widths.push_back(static_cast<uint8_t>(width));
    out_offsets.push_back(static_cast<int32_t>(expected.size()));
    const auto put = [&](uint32_t index) { expected.push_back(index < 300 ? dictionary[index] : -1); };
    for (int part = 0; part < 5; ++part) {
      if (random.Between(0, 1) != 0 || part == 4) {
        const uint32_t groups = random.Between<uint32_t>(1, 9);
        pages.push_back(static_cast<uint8_t>(groups << 1 | 1));
        BitWriter writer;
        for (uint32_t i = 0; i < 8 * groups; ++i) {
          const uint32_t index = page == 4 && i == 3 ? 5 | 1u << 28 : random.Between<uint32_t>(0, top);
          writer.Put(index, width);
          put(index);
        }
        for (uint32_t i = 0; i < groups * width; ++i) {
          pages.push_back(static_cast<uint8_t>(writer.words()[i / 4] >> 8 * (i % 4)));
        }
      } else {
        const uint32_t length = random.Between<uint32_t>(1, 150);
        if (length << 1 >= 128) pages.push_back(static_cast<uint8_t>(length << 1 | 128));
        pages.push_back(static_cast<uint8_t>(length << 1 >= 128 ? length >> 6 : length << 1));
        const uint32_t index = random.Between<uint32_t>(0, top);
        for (int k = 0; k < (width + 7) / 8; ++k) pages.push_back(static_cast<uint8_t>(index >> 8 * k));
        for (uint32_t i = 0; i < length; ++i) put(index);
      }
    }
    if (page == 5) expected.insert(expected.end(), 40, -1);  // the page ends too early
    if (page == 0) expected.resize(expected.size() - 3);     // a group is longer than the page
    counts.push_back(static_cast<int32_t>(expected.size()) - out_offsets.back());
    offsets.push_back(static_cast<int32_t>(pages.size()));
    errors.push_back(page >= 4);
  }
  const auto out = Output<int64_t>(expected.size());
  const auto error_buffer = Output<int32_t>(6);
  Launch("DecodeHybrid", {2}, {128}, 0, Buffer(pages), Buffer(offsets), Buffer(widths), Buffer(counts), 6,
         Buffer(dictionary), 300, Buffer(out_offsets), out, error_buffer);
  ExpectEqual(out, expected);
  ExpectEqual(error_buffer, errors);
}

TEST_F(CompressionTest, DecodeBytes) {
  constexpr int32_t kGroups = 75;
  RandomNumbers random(9);
  std::vector<uint8_t> controls, data;
  std::vector<int32_t> data_offsets, firsts, expected;
  int32_t value = 0;
  for (int group = 0; group < kGroups; ++group) {
    if (group % 32 == 0) {
      data_offsets.push_back(static_cast<int32_t>(data.size()));
      value = random.Any<int32_t>();
      firsts.push_back(value);
    }
    uint32_t control = 0;
    for (int i = 0; i < 4; ++i) {
      const uint32_t raw = random.Any<uint32_t>() >> random.Between(0, 31);
      const uint32_t length = raw < 1u << 8 ? 1 : raw < 1u << 16 ? 2 : raw < 1u << 24 ? 3 : 4;
      control |= (length - 1) << 2 * i;
      for (uint32_t k = 0; k < length; ++k) data.push_back(static_cast<uint8_t>(raw >> 8 * k));
      const int64_t delta = raw % 2 ? -static_cast<int64_t>(raw / 2) - 1 : static_cast<int64_t>(raw / 2);
      value = static_cast<int32_t>(value + delta);
      expected.push_back(value);
    }
    controls.push_back(static_cast<uint8_t>(control));
  }
  data.resize((data.size() + 3) / 4 * 4);
  const auto out = Output<int32_t>(expected.size());
  Launch("DecodeBytes", {2}, {64}, 0, Buffer(controls), Buffer(data), Buffer(data_offsets), Buffer(firsts), kGroups,
         out);
  ExpectEqual(out, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
