// SPDX-License-Identifier: Apache-2.0

// Compares checksums with the definitions of the hashes and with published values.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes BytesOf(std::string_view text) { return Bytes(text.begin(), text.end()); }

template <typename Word>
Bytes BytesOf(const std::vector<Word>& words) {
  Bytes bytes(words.size() * sizeof(Word));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

template <typename Word>
Word WordAt(const Bytes& bytes, size_t at) {
  Word word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

class ChecksumsTest : public CorpusKernels {
 protected:
  ChecksumsTest() : CorpusKernels("checksums") {}
};

uint32_t Crc32(const Bytes& bytes) {
  uint32_t crc = ~0u;
  for (uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

TEST_F(ChecksumsTest, Crc32) {
  ASSERT_EQ(Crc32(BytesOf("123456789")), 0xcbf43926u);
  constexpr size_t kThreads = 64;
  constexpr size_t kWords = 9;
  const std::vector<uint32_t> data = Random<uint32_t>(kThreads * kWords, 1);
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < kThreads; ++i) {
    std::vector<uint32_t> words;
    for (size_t w = 0; w < kWords; ++w) words.push_back(data[w * kThreads + i]);
    expected.push_back(Crc32(BytesOf(words)));
  }
  const auto out = Output<uint32_t>(kThreads);
  Launch("Crc32", {2}, {32}, 0, Buffer(data), int{kWords}, out);
  ExpectEqual(out, expected);
}

TEST_F(ChecksumsTest, Crc32Join) {
  // The checksums of 32 pieces are combined into the checksum of the whole.
  constexpr size_t kPiece = 13;
  const Bytes data = Random<uint8_t>(32 * kPiece, 2);
  std::vector<uint32_t> sums;
  for (size_t i = 0; i < 32; ++i)
    sums.push_back(Crc32(Bytes(data.begin() + i * kPiece, data.begin() + (i + 1) * kPiece)));
  // x to the power of the number of bits in a piece, modulo the polynomial. Bit 31 is the coefficient of 1.
  uint32_t shift = 0x80000000;
  for (size_t bit = 0; bit < 8 * kPiece; ++bit) shift = (shift & 1) != 0 ? shift >> 1 ^ 0xedb88320 : shift >> 1;
  const auto buffer = Buffer(sums);
  Launch("Crc32Join", {1}, {32}, 0, buffer, shift);
  sums[0] = Crc32(data);
  ExpectEqual(buffer, sums);
}

constexpr uint64_t kXxPrimes[] = {0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63,
                                  0x27d4eb2f165667c5};

// XXH64 of at least 32 bytes, in whole words.
uint64_t XxHash64(const Bytes& bytes, uint64_t seed) {
  const auto round = [](uint64_t sum, uint64_t in) { return std::rotl(sum + in * kXxPrimes[1], 31) * kXxPrimes[0]; };
  std::array<uint64_t, 4> sums = {seed + kXxPrimes[0] + kXxPrimes[1], seed + kXxPrimes[1], seed, seed - kXxPrimes[0]};
  size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    for (size_t j = 0; j < 4; ++j) sums[j] = round(sums[j], WordAt<uint64_t>(bytes, at + 8 * j));
  }
  uint64_t hash = 0;
  constexpr int kRotations[] = {1, 7, 12, 18};
  for (size_t j = 0; j < 4; ++j) hash += std::rotl(sums[j], kRotations[j]);
  for (uint64_t sum : sums) hash = (hash ^ round(0, sum)) * kXxPrimes[0] + kXxPrimes[3];
  hash += bytes.size();
  for (; at < bytes.size(); at += 8) {
    hash = std::rotl(hash ^ round(0, WordAt<uint64_t>(bytes, at)), 27) * kXxPrimes[0] + kXxPrimes[3];
  }
  hash = (hash ^ hash >> 33) * kXxPrimes[1];
  hash = (hash ^ hash >> 29) * kXxPrimes[2];
  return hash ^ hash >> 32;
}

TEST_F(ChecksumsTest, XxHash64) {
  constexpr size_t kThreads = 32;
  for (size_t words : {4, 11}) {
    const std::vector<uint64_t> data = Random<uint64_t>(kThreads * words, words);
    std::vector<uint64_t> expected;
    for (size_t i = 0; i < kThreads; ++i) {
      const auto begin = data.begin() + i * words;
      expected.push_back(XxHash64(BytesOf(std::vector<uint64_t>(begin, begin + words)), 0x1234));
    }
    const auto out = Output<uint64_t>(kThreads);
    Launch("XxHash64", {1}, {kThreads}, 0, Buffer(data), static_cast<int>(words), uint64_t{0x1234}, out);
    ExpectEqual(out, expected);
  }
}

// MurmurHash3_x86_32.
uint32_t Murmur3(const Bytes& bytes, uint32_t seed) {
  uint32_t hash = seed;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    uint32_t word = 0;
    for (size_t i = at; i < std::min(at + 4, bytes.size()); ++i) word |= uint32_t{bytes[i]} << 8 * (i - at);
    hash ^= std::rotl(word * 0xcc9e2d51, 15) * 0x1b873593;
    if (at + 4 <= bytes.size()) hash = std::rotl(hash, 13) * 5 + 0xe6546b64;
  }
  hash ^= static_cast<uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return hash ^ hash >> 16;
}

TEST_F(ChecksumsTest, Murmur3) {
  const Bytes fox = BytesOf("The quick brown fox jumps over the lazy dog");
  ASSERT_EQ(Murmur3(fox, 0x9747b28c), 0x2fa826cdu);
  Bytes data = fox;
  std::vector<int> starts = {0};
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < 32; ++i) {
    const Bytes message = i == 0 ? fox : Random<uint8_t>(i - 1, 30 + i);
    if (i != 0) data.insert(data.end(), message.begin(), message.end());
    starts.push_back(static_cast<int>(data.size()));
    expected.push_back(Murmur3(message, 0x9747b28c));
  }
  const auto out = Output<uint32_t>(32);
  Launch("Murmur3", {1}, {32}, 0, Buffer(data), Buffer(starts), 0x9747b28cu, out);
  ExpectEqual(out, expected);
}

TEST_F(ChecksumsTest, SipHash24) {
  // The reference vectors of SipHash-2-4: key 00..0f, messages 00.. of the given length. The kernel takes messages
  // that end in the word that holds the length.
  constexpr uint64_t kVectors[][2] = {{0, 0x726fdb47dd0e0e31}, {8, 0x93f5f5799a932462}, {15, 0xa129ca6149be45e5}};
  for (const auto& [length, hash] : kVectors) {
    Bytes message;
    for (uint64_t i = 0; i < length; ++i) message.push_back(static_cast<uint8_t>(i));
    message.resize(length / 8 * 8 + 8);
    message.back() = static_cast<uint8_t>(length);
    std::vector<uint64_t> words(message.size() / 8);
    std::memcpy(words.data(), message.data(), message.size());
    const auto keys = Buffer(std::vector<uint64_t>{0x0706050403020100, 0x0f0e0d0c0b0a0908});
    const auto out = Output<uint64_t>(1);
    Launch("SipHash24", {1}, {1}, 0, keys, Buffer(words), static_cast<int>(words.size()), out);
    ExpectEqual(out, {hash});
  }
}

TEST_F(ChecksumsTest, Insert) {
  // Some keys occur twice. One of their values remains.
  constexpr uint32_t kMask = 127;
  std::vector<uint32_t> keys = Random<uint32_t>(90, 7);
  std::copy(keys.begin(), keys.begin() + 20, keys.begin() + 70);
  const std::vector<uint32_t> values = Random<uint32_t>(90, 8);
  const auto slots = Buffer(std::vector<uint64_t>(kMask + 1, ~uint64_t{0}));
  Launch("Insert", {3}, {32}, 0, Buffer(keys), Buffer(values), 90, slots, kMask);
  const std::vector<uint64_t> table = Read(slots);
  std::map<uint32_t, uint32_t> found;
  for (uint64_t slot : table) {
    if (slot == ~uint64_t{0}) continue;
    EXPECT_TRUE(found.emplace(static_cast<uint32_t>(slot >> 32), static_cast<uint32_t>(slot)).second);
  }
  EXPECT_EQ(found.size(), 70u);
  for (size_t i = 0; i < 70; ++i) {
    ASSERT_EQ(found.count(keys[i]), 1u) << i;
    EXPECT_TRUE(found[keys[i]] == values[i] || (i < 20 && found[keys[i]] == values[70 + i])) << i;
    // There is no free slot between the slot where a key belongs and the slot where it is.
    for (uint32_t at = keys[i] * 0x9e3779b1; table[at & kMask] >> 32 != keys[i]; ++at) {
      ASSERT_NE(table[at & kMask], ~uint64_t{0});
    }
  }
}

uint32_t Adler32(const Bytes& bytes) {
  uint32_t a = 1;
  uint32_t b = 0;
  for (uint8_t byte : bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

TEST_F(ChecksumsTest, Adler32) {
  ASSERT_EQ(Adler32(BytesOf("Wikipedia")), 0x11e60398u);
  // More than the 4096 bytes after which the kernel reduces, all with the largest value.
  constexpr size_t kLength = 4200;
  Bytes data = Random<uint8_t>(3 * kLength, 9);
  data.insert(data.end(), kLength, 0xff);
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < 4; ++i) {
    expected.push_back(Adler32(Bytes(data.begin() + i * kLength, data.begin() + (i + 1) * kLength)));
  }
  const auto out = Output<uint32_t>(4);
  Launch("Adler32", {2}, {2}, 0, Buffer(data), int{kLength}, out);
  ExpectEqual(out, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
