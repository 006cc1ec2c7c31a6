// SPDX-License-Identifier: Apache-2.0

// Compares aes and chacha20 with the definitions and with published vectors.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/natural.h"

namespace ptxmir::ptx {
namespace {

using Bytes = std::vector<uint8_t>;
using Words4 = std::array<uint32_t, 4>;

Bytes FromHex(std::string_view hex) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// Returns ascending bytes from `first` on.
Bytes Ascending(size_t count, int first = 0) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(first + static_cast<int>(i));
  return bytes;
}

// ---- AES-128, byte by byte, as in FIPS 197.

uint8_t GaloisTimes(uint8_t a, uint8_t b) {
  unsigned product = 0;
  for (int bit = 0; bit < 8; ++bit) {
    if ((b >> bit & 1) != 0) product ^= static_cast<unsigned>(a) << bit;
  }
  for (int bit = 14; bit >= 8; --bit) {
    if ((product >> bit & 1) != 0) product ^= 0x11bu << (bit - 8);
  }
  return static_cast<uint8_t>(product);
}

uint8_t SubByte(uint8_t value) {
  uint8_t inverse = 0;
  for (int candidate = 1; candidate < 256 && value != 0; ++candidate) {
    if (GaloisTimes(value, static_cast<uint8_t>(candidate)) == 1) inverse = static_cast<uint8_t>(candidate);
  }
  unsigned out = 0x63;
  for (int rotate = 0; rotate < 5; ++rotate) {
    out ^= static_cast<uint8_t>(inverse << rotate | inverse >> (8 - rotate));
  }
  return static_cast<uint8_t>(out);
}

const Bytes& SubstitutionBox() {
  static const Bytes& box = *[] {
    auto* bytes = new Bytes;
    for (int i = 0; i < 256; ++i) bytes->push_back(SubByte(static_cast<uint8_t>(i)));
    return bytes;
  }();
  return box;
}

// 11 round keys of 16 bytes.
Bytes ExpandKey(const Bytes& key) {
  Bytes keys = key;
  uint8_t round_constant = 1;
  for (size_t at = 16; at < 176; at += 4) {
    Bytes word(keys.end() - 4, keys.end());
    if (at % 16 == 0) {
      word = {word[1], word[2], word[3], word[0]};
      for (uint8_t& byte : word) byte = SubstitutionBox()[byte];
      word[0] ^= round_constant;
      round_constant = GaloisTimes(round_constant, 2);
    }
    for (size_t i = 0; i < 4; ++i) keys.push_back(keys[at - 16 + i] ^ word[i]);
  }
  return keys;
}

Bytes EncryptBlock(const Bytes& keys, Bytes state) {
  for (size_t i = 0; i < 16; ++i) state[i] ^= keys[i];
  for (size_t round = 1; round <= 10; ++round) {
    Bytes shifted(16);
    for (size_t i = 0; i < 16; ++i) shifted[i] = SubstitutionBox()[state[(i + 4 * (i % 4)) % 16]];
    state = shifted;
    for (size_t column = 0; column < 16 && round < 10; column += 4) {
      for (size_t row = 0; row < 4; ++row) {
        state[column + row] = GaloisTimes(shifted[column + row], 2) ^ GaloisTimes(shifted[column + (row + 1) % 4], 3) ^
                              shifted[column + (row + 2) % 4] ^ shifted[column + (row + 3) % 4];
      }
    }
    for (size_t i = 0; i < 16; ++i) state[i] ^= keys[16 * round + i];
  }
  return state;
}

Bytes Slice(const Bytes& bytes, size_t index, size_t size) {
  return Bytes(bytes.begin() + index * size, bytes.begin() + (index + 1) * size);
}
void Append(Bytes& to, const Bytes& bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

class AesTest : public CorpusKernels {
 protected:
  AesTest() : CorpusKernels("aes") {}
};

TEST_F(AesTest, EncryptConstant) {
  // FIPS 197, appendix C.1.
  Bytes text = FromHex("00112233445566778899aabbccddeeff");
  const Bytes keys = ExpandKey(Ascending(16));
  Bytes expected = FromHex("69c4e0d86a7b0430d8cdb78070b4c55a");
  ASSERT_EQ(EncryptBlock(keys, text), expected);
  Append(text, Random<uint8_t>(69 * 16, 1));
  for (size_t i = 1; i < 70; ++i) Append(expected, EncryptBlock(keys, Slice(text, i, 16)));
  const auto out = Output<uint8_t>(text.size());
  Launch("EncryptConstant", {3}, {32}, 0, Buffer(keys), Buffer(text), out, 70);
  ExpectEqual(out, expected);
}

TEST_F(AesTest, CounterMode) {
  // NIST SP 800-38A, F.5.1: its first two blocks, followed by our own.
  Bytes text = FromHex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
  const Bytes keys = ExpandKey(FromHex("2b7e151628aed2a6abf7158809cf4f3c"));
  Append(text, Random<uint8_t>(254 * 16, 2));
  Bytes expected;
  for (size_t i = 0; i < 256; ++i) {
    Bytes counter = Ascending(16, 0xf0);
    const uint32_t low = 0xfcfdfeffu + static_cast<uint32_t>(i);
    for (size_t j = 0; j < 4; ++j) counter[12 + j] = static_cast<uint8_t>(low >> (24 - 8 * j));
    const Bytes mask = EncryptBlock(keys, counter);
    for (size_t j = 0; j < 16; ++j) expected.push_back(text[16 * i + j] ^ mask[j]);
  }
  ASSERT_EQ(Bytes(expected.begin(), expected.begin() + 32),
            FromHex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"));
  const auto out = Output<uint8_t>(text.size());
  const Words4 counter = {0xf3f2f1f0, 0xf7f6f5f4, 0xfbfaf9f8, 0xfffefdfc};
  Launch("CounterMode", {1}, {256}, 0, Buffer(keys), counter, Buffer(text), out);
  ExpectEqual(out, expected);
}

TEST_F(AesTest, ExpandKeys) {
  Bytes keys = FromHex("2b7e151628aed2a6abf7158809cf4f3c");
  Append(keys, Random<uint8_t>(31 * 16, 3));
  Bytes expected;
  for (size_t i = 0; i < 32; ++i) Append(expected, ExpandKey(Slice(keys, i, 16)));
  // FIPS 197, appendix A.1, w[43].
  ASSERT_EQ(Slice(expected, 43, 4), FromHex("b6630ca6"));
  const auto out = Output<uint8_t>(expected.size());
  Launch("ExpandKeys", {1}, {32}, 0, Buffer(keys), out);
  ExpectEqual(out, expected);
}

// ---- ChaCha20 and Poly1305, RFC 8439.

struct ChaChaKey {
  std::array<uint32_t, 8> words;
  std::array<uint32_t, 3> nonce;
};

std::array<uint32_t, 16> ChaChaBlock(const ChaChaKey& key, uint32_t counter) {
  std::array<uint32_t, 16> start = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (size_t i = 0; i < 8; ++i) start[4 + i] = key.words[i];
  start[12] = counter;
  for (size_t i = 0; i < 3; ++i) start[13 + i] = key.nonce[i];
  std::array<uint32_t, 16> x = start;
  for (int round = 0; round < 20; ++round) {
    for (size_t column = 0; column < 4; ++column) {
      const size_t lean = round % 2;  // odd rounds use diagonals
      const size_t at[4] = {column, 4 + (column + lean) % 4, 8 + (column + 2 * lean) % 4, 12 + (column + 3 * lean) % 4};
      constexpr std::array<size_t, 3> kSteps[4] = {{0, 1, 3}, {2, 3, 1}, {0, 1, 3}, {2, 3, 1}};
      constexpr int kRotations[4] = {16, 12, 8, 7};
      for (size_t step = 0; step < 4; ++step) {
        const auto [a, b, d] = kSteps[step];
        x[at[a]] += x[at[b]];
        x[at[d]] ^= x[at[a]];
        x[at[d]] = x[at[d]] << kRotations[step] | x[at[d]] >> (32 - kRotations[step]);
      }
    }
  }
  for (size_t i = 0; i < 16; ++i) x[i] += start[i];
  return x;
}

class ChaChaTest : public CorpusKernels {
 protected:
  ChaChaTest() : CorpusKernels("chacha20") {}
};

TEST_F(ChaChaTest, Encrypt) {
  ChaChaKey key = {};
  for (uint32_t i = 0; i < 8; ++i) key.words[i] = 0x03020100 + 0x04040404 * i;
  key.nonce = {0x09000000, 0x4a000000, 0};
  // Section 2.3.2.
  ASSERT_EQ(ChaChaBlock(key, 1),
            (std::array<uint32_t, 16>{0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033,
                                      0x9aaa2204, 0x4e6cd4c3, 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                      0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2}));
  constexpr int kBlocks = 50;
  const std::vector<uint32_t> text = Random<uint32_t>(kBlocks * 16, 4);
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < kBlocks; ++i) {
    const std::array<uint32_t, 16> block = ChaChaBlock(key, 1 + i);
    for (uint32_t j = 0; j < 16; ++j) expected.push_back(text[i * 16 + j] ^ block[j]);
  }
  const auto out = Output<uint32_t>(text.size());
  Launch("Encrypt", {2}, {32}, 0, key, 1u, Buffer(text), out, kBlocks);
  ExpectEqual(out, expected);
}

Bytes Poly1305Tag(const Bytes& message, const Bytes& key) {
  Bytes r_bytes = Slice(key, 0, 16);
  for (size_t i : {3, 7, 11, 15}) r_bytes[i] &= 15;
  for (size_t i : {4, 8, 12}) r_bytes[i] &= 252;
  const Natural r = Natural::FromBytes(r_bytes);
  const Natural prime = Natural::Sub(Natural::PowerOfTwo(130), Natural(5));
  Natural sum;
  for (size_t block = 0; block * 16 < message.size(); ++block) {
    Bytes bytes = Slice(message, block, 16);
    bytes.push_back(1);
    sum = Natural::Mod(Natural::Mul(Natural::Add(sum, Natural::FromBytes(bytes)), r), prime);
  }
  sum = Natural::Mod(Natural::Add(sum, Natural::FromBytes(Slice(key, 1, 16))), Natural::PowerOfTwo(128));
  return sum.ToBytes(16);
}

TEST_F(ChaChaTest, Poly1305) {
  constexpr size_t kMessages = 32;
  constexpr size_t kBlocks = 5;
  const Bytes messages = Random<uint8_t>(kMessages * kBlocks * 16, 5);
  const Bytes keys = Random<uint8_t>(kMessages * 32, 6);
  Bytes expected;
  for (size_t i = 0; i < kMessages; ++i) {
    Append(expected, Poly1305Tag(Slice(messages, i, kBlocks * 16), Slice(keys, i, 32)));
  }
  const auto tags = Output<uint8_t>(expected.size());
  Launch("Poly1305", {1}, {kMessages}, 0, Buffer(messages), int{kBlocks}, Buffer(keys), tags);
  ExpectEqual(tags, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
