// SPDX-License-Identifier: Apache-2.0

// Compares SHA-256 and Keccak with the published examples and with the standards, written down byte by byte.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes FromText(std::string_view text) { return Bytes(text.begin(), text.end()); }

Bytes FromHex(std::string_view hex) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

void Append(Bytes* to, const Bytes& bytes) { to->insert(to->end(), bytes.begin(), bytes.end()); }

// ---- SHA-256, FIPS 180-4.

// Returns the first 32 bits of the fractional parts of the square or cube roots of the first primes (4.2.2, 5.3.3).
std::vector<uint32_t> RootFractions(int count, int power) {
  std::vector<uint32_t> fractions;
  for (unsigned candidate = 2; fractions.size() < static_cast<size_t>(count); ++candidate) {
    bool is_prime = true;
    for (unsigned d = 2; d * d <= candidate; ++d) is_prime &= candidate % d != 0;
    if (!is_prime) continue;
    // Finds the largest r with r^power <= candidate * 2^(32 * power), bit by bit. r has 32 fractional bits.
    unsigned __int128 root = 0;
    for (int bit = 36; bit >= 0; --bit) {
      const unsigned __int128 next = root | (static_cast<unsigned __int128>(1) << bit);
      // next^power needs up to 111 bits.
      const unsigned __int128 raised = power == 2 ? next * next : next * next * next;
      if (raised <= static_cast<unsigned __int128>(candidate) << (32 * power)) root = next;
    }
    fractions.push_back(static_cast<uint32_t>(root));
  }
  return fractions;
}

uint32_t RotateRight(uint32_t x, int by) { return x >> by | x << (32 - by); }

using Sha256State = std::array<uint32_t, 8>;

Sha256State Sha256Start() {
  const std::vector<uint32_t> roots = RootFractions(8, 2);
  Sha256State state;
  std::copy(roots.begin(), roots.end(), state.begin());
  return state;
}

Sha256State Sha256Compress(const Sha256State& state, const uint8_t* block) {
  static const std::vector<uint32_t>& constants = *new std::vector<uint32_t>(RootFractions(64, 3));
  std::array<uint32_t, 64> w;
  for (int t = 0; t < 64; ++t) {
    if (t < 16) {
      w[t] =
          static_cast<uint32_t>(block[4 * t] << 24 | block[4 * t + 1] << 16 | block[4 * t + 2] << 8 | block[4 * t + 3]);
    } else {
      w[t] = (RotateRight(w[t - 2], 17) ^ RotateRight(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
             (RotateRight(w[t - 15], 7) ^ RotateRight(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
    }
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int t = 0; t < 64; ++t) {
    const uint32_t choice = (e & f) | (~e & g);
    const uint32_t majority = (a & b) | (c & (a | b));
    const uint32_t t1 =
        h + (RotateRight(e, 6) ^ RotateRight(e, 11) ^ RotateRight(e, 25)) + choice + constants[t] + w[t];
    const uint32_t t2 = (RotateRight(a, 2) ^ RotateRight(a, 13) ^ RotateRight(a, 22)) + majority;
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  return {state[0] + a, state[1] + b, state[2] + c, state[3] + d,
          state[4] + e, state[5] + f, state[6] + g, state[7] + h};
}

Bytes Sha256Pad(Bytes message) {
  const uint64_t bits = message.size() * 8;
  message.push_back(0x80);
  while (message.size() % 64 != 56) message.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8) message.push_back(static_cast<uint8_t>(bits >> shift));
  return message;
}

Bytes Sha256Digest(const Sha256State& state) {
  Bytes digest;
  for (const uint32_t word : state) {
    for (int shift = 24; shift >= 0; shift -= 8) digest.push_back(static_cast<uint8_t>(word >> shift));
  }
  return digest;
}

Bytes Sha256(const Bytes& message) {
  const Bytes padded = Sha256Pad(message);
  Sha256State state = Sha256Start();
  for (size_t at = 0; at < padded.size(); at += 64) state = Sha256Compress(state, &padded[at]);
  return Sha256Digest(state);
}

// Returns the words of a byte string, most significant byte first.
std::vector<uint32_t> BigEndianWords(const Bytes& bytes) {
  std::vector<uint32_t> words;
  for (size_t i = 0; i + 3 < bytes.size(); i += 4) {
    words.push_back(static_cast<uint32_t>(bytes[i] << 24 | bytes[i + 1] << 16 | bytes[i + 2] << 8 | bytes[i + 3]));
  }
  return words;
}

// FIPS 180-4's examples, as NIST publishes them.
struct KnownDigest {
  std::string_view message;
  std::string_view digest;
};
constexpr KnownDigest kOneBlock = {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"};
constexpr KnownDigest kEmpty = {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"};
constexpr KnownDigest kTwoBlocks = {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                                    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"};

class Sha256Test : public CorpusKernels {
 protected:
  Sha256Test() : CorpusKernels("sha256") {}

  // Returns `threads` messages whose padded form has `blocks` blocks. The first of them are given.
  static std::vector<Bytes> Messages(int threads, int blocks, std::vector<Bytes> messages) {
    for (int i = static_cast<int>(messages.size()); i < threads; ++i) {
      const int shortest = blocks == 1 ? 0 : (blocks - 1) * 64 - 8;
      messages.push_back(Random<uint8_t>(static_cast<size_t>(shortest + i % 56), static_cast<uint64_t>(i)));
    }
    return messages;
  }

  std::vector<Bytes> Hash(const std::vector<Bytes>& messages, int blocks, const std::string& kernel) {
    const uint32_t threads = static_cast<uint32_t>(messages.size());
    Bytes input;
    for (const Bytes& message : messages) {
      const Bytes padded = Sha256Pad(message);
      EXPECT_EQ(padded.size(), static_cast<size_t>(blocks) * 64);
      Append(&input, padded);
    }
    const auto digests = Output<uint8_t>(threads * 32);
    Launch(kernel, {threads / 32}, {32}, 0, Buffer(input), blocks, digests);
    const Bytes all = Read(digests);
    std::vector<Bytes> result;
    for (uint32_t i = 0; i < threads; ++i) result.emplace_back(&all[i * 32], &all[i * 32] + 32);
    return result;
  }
};

TEST_F(Sha256Test, ReferenceKnowsTheExamples) {
  for (const KnownDigest& known : {kOneBlock, kEmpty, kTwoBlocks}) {
    EXPECT_EQ(Sha256(FromText(known.message)), FromHex(known.digest)) << known.message;
  }
}

TEST_F(Sha256Test, HashBlocks) {
  const std::vector<Bytes> one = Messages(64, 1, {FromText(kOneBlock.message), FromText(kEmpty.message)});
  const std::vector<Bytes> digests = Hash(one, 1, "HashBlocks");
  EXPECT_EQ(digests[0], FromHex(kOneBlock.digest));
  EXPECT_EQ(digests[1], FromHex(kEmpty.digest));
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(digests[i], Sha256(one[i])) << i;
}

TEST_F(Sha256Test, HashBlocksOfTwo) {
  const std::vector<Bytes> two = Messages(32, 2, {FromText(kTwoBlocks.message)});
  const std::vector<Bytes> digests = Hash(two, 2, "HashBlocks");
  EXPECT_EQ(digests[0], FromHex(kTwoBlocks.digest));
  for (size_t i = 0; i < two.size(); ++i) EXPECT_EQ(digests[i], Sha256(two[i])) << i;
}

TEST_F(Sha256Test, HashLoop) {
  const std::vector<Bytes> messages = Messages(32, 1, {FromText(kOneBlock.message)});
  std::vector<uint32_t> input;
  std::vector<uint32_t> expected;
  for (const Bytes& message : messages) {
    for (const uint32_t word : BigEndianWords(Sha256Pad(message))) input.push_back(word);
    for (const uint32_t word : BigEndianWords(Sha256(message))) expected.push_back(word);
  }
  const auto digests = Output<uint32_t>(messages.size() * 8);
  Launch("HashLoop", {1}, {32}, 0, Buffer(input), digests);
  ExpectEqual(digests, expected);
}

// The first block of Bitcoin: its header hashed twice ends in four zero bytes.
TEST_F(Sha256Test, FindNonce) {
  Bytes header = FromHex(
      "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f61"
      "7fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c");
  ASSERT_EQ(header.size(), 80u);
  ASSERT_EQ(Sha256(Sha256(header)), FromHex("6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000"));
  constexpr uint32_t kNonce = 0x1dac2b7c;
  const Sha256State middle = Sha256Compress(Sha256Start(), header.data());
  const auto state = Buffer(std::vector<uint32_t>(middle.begin(), middle.end()));
  const auto tail = Buffer(BigEndianWords(Bytes(header.begin() + 64, header.begin() + 76)));
  const auto found = Buffer<uint32_t>({0xffffffff});
  Launch("FindNonce", {2}, {64}, 0, state, tail, kNonce - 77, uint32_t{0}, found);
  ExpectEqual(found, {kNonce});

  // With an easier target, an earlier nonce is found.
  const auto easy = Buffer<uint32_t>({0xffffffff});
  Launch("FindNonce", {2}, {64}, 0, state, tail, kNonce - 77, uint32_t{0x07ffffff}, easy);
  uint32_t expected = kNonce - 77;
  while (true) {
    for (int i = 0; i < 4; ++i) header[76 + i] = static_cast<uint8_t>(expected >> (24 - 8 * i));
    if (Sha256(Sha256(header))[31] <= 7) break;
    ++expected;
  }
  EXPECT_LT(expected, kNonce);
  ExpectEqual(easy, {expected});
}

// ---- Keccak-f[1600], FIPS 202.

using Lanes = std::array<std::array<uint64_t, 5>, 5>;  // [x][y]

uint64_t RotateLeft(uint64_t v, int by) { return by == 0 ? v : v << by | v >> (64 - by); }

// Algorithm 5: a shift register of nine bits.
bool RoundBit(int t) {
  std::array<bool, 9> r = {true};
  for (int i = 0; i < t % 255; ++i) {
    std::copy_backward(r.begin(), r.begin() + 8, r.end());
    r[0] = false;
    for (const int tap : {0, 4, 5, 6}) r[tap] ^= r[8];
  }
  return r[0];
}

Lanes KeccakRound(Lanes a, int round) {
  Lanes b;
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 5; ++y) {
      b[x][y] = a[x][y];
      for (int j = 0; j < 5; ++j) b[x][y] ^= a[(x + 4) % 5][j] ^ RotateLeft(a[(x + 1) % 5][j], 1);
    }
  }
  a = b;
  for (int t = 0, x = 1, y = 0; t < 24; ++t) {
    a[x][y] = RotateLeft(b[x][y], (t + 1) * (t + 2) / 2 % 64);
    const int next = (2 * x + 3 * y) % 5;
    x = y;
    y = next;
  }
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 5; ++y) b[x][y] = a[(x + 3 * y) % 5][x];
  }
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 5; ++y) a[x][y] = b[x][y] ^ (~b[(x + 1) % 5][y] & b[(x + 2) % 5][y]);
  }
  for (int j = 0; j <= 6; ++j) {
    if (RoundBit(j + 7 * round)) a[0][0] ^= uint64_t{1} << ((1 << j) - 1);
  }
  return a;
}

Bytes Keccak(const Bytes& padded_block, size_t rate, size_t output_bytes) {
  Lanes a = {};
  for (size_t i = 0; i < rate; ++i) a[i / 8 % 5][i / 40] ^= uint64_t{padded_block[i]} << (8 * (i % 8));
  Bytes output;
  while (output.size() < output_bytes) {
    for (int round = 0; round < 24; ++round) a = KeccakRound(a, round);
    for (size_t i = 0; i < rate && output.size() < output_bytes; ++i) {
      output.push_back(static_cast<uint8_t>(a[i / 8 % 5][i / 40] >> (8 * (i % 8))));
    }
  }
  return output;
}

// One block of a sponge; `message` is shorter than `rate`.
Bytes KeccakPad(Bytes message, size_t rate, uint8_t domain) {
  message.push_back(domain);
  message.resize(rate);
  message.back() |= 0x80;
  return message;
}

constexpr size_t kSha3Rate = 136;
constexpr size_t kShakeRate = 168;

Bytes Sha3(const Bytes& message) { return Keccak(KeccakPad(message, kSha3Rate, 0x06), kSha3Rate, 32); }
Bytes Shake128(const Bytes& message, size_t bytes) {
  return Keccak(KeccakPad(message, kShakeRate, 0x1f), kShakeRate, bytes);
}

class KeccakTest : public CorpusKernels {
 protected:
  KeccakTest() : CorpusKernels("keccak_unrolled") {}
};

TEST_F(KeccakTest, ReferenceKnowsTheExamples) {
  EXPECT_EQ(Sha3(FromText("")), FromHex("a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"));
  EXPECT_EQ(Sha3(FromText("abc")), FromHex("3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"));
  EXPECT_EQ(Shake128(FromText(""), 32), FromHex("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"));
}

TEST_F(KeccakTest, Sha3Twice) {
  constexpr int kThreads = 64;
  Bytes input;
  Bytes expected;
  for (int i = 0; i < kThreads; ++i) {
    const Bytes message = i == 0 ? FromText("abc") : Random<uint8_t>(static_cast<size_t>(2 * i), 7 + i);
    Append(&input, KeccakPad(message, kSha3Rate, 0x06));
    Append(&expected, Sha3(Sha3(message)));
  }
  const auto out = Output<uint8_t>(expected.size());
  Launch("Sha3Twice", {2}, {kThreads / 2}, 0, Buffer(input), out);
  ExpectEqual(out, expected);
}

TEST_F(KeccakTest, Shake) {
  constexpr int kThreads = 32;
  constexpr int kBlocks = 3;
  Bytes input;
  Bytes expected;
  for (int i = 0; i < kThreads; ++i) {
    const Bytes message = Random<uint8_t>(static_cast<size_t>(5 * i), 100 + i);
    Append(&input, KeccakPad(message, kShakeRate, 0x1f));
    Append(&expected, Shake128(message, kBlocks * kShakeRate));
  }
  const auto out = Output<uint8_t>(expected.size());
  Launch("Shake", {1}, {kThreads}, 0, Buffer(input), out, kBlocks);
  ExpectEqual(out, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
