// SPDX-License-Identifier: Apache-2.0

// Compares hash_tables with the containers of the standard library.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

constexpr uint64_t kFree = ~uint64_t{0};
constexpr uint32_t kNoKey = 0xffffffff;

// Returns the final mix of MurmurHash3.
uint32_t Mix(uint32_t x) {
  x = (x ^ x >> 16) * 0x85ebca6b;
  x = (x ^ x >> 13) * 0xc2b2ae35;
  return x ^ x >> 16;
}
uint32_t KeyOf(uint64_t slot) { return static_cast<uint32_t>(slot >> 32); }
uint64_t Slot(uint32_t key, uint32_t value) { return uint64_t{key} << 32 | value; }

class HashTablesTest : public CorpusKernels {
 protected:
  // Threads read slots that others are just changing.
  HashTablesTest() : CorpusKernels("hash_tables") { AllowRaces(); }

  // Returns `count` different keys below `limit`.
  static std::vector<uint32_t> DifferentKeys(size_t count, uint64_t seed, uint32_t limit) {
    RandomNumbers random(seed);
    std::set<uint32_t> seen;
    std::vector<uint32_t> keys;
    while (keys.size() < count) {
      const uint32_t key = random.Between<uint32_t>(1, limit - 1);
      if (seen.insert(key).second) keys.push_back(key);
    }
    return keys;
  }
};

TEST_F(HashTablesTest, InsertOpen) {
  constexpr uint32_t kSize = 128;
  const std::vector<uint32_t> keys = Random<uint32_t>(200, 1, 1, 100);
  const std::vector<uint32_t> values = Random<uint32_t>(200, 2000);
  std::map<uint32_t, uint32_t> expected;
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto [at, is_new] = expected.try_emplace(keys[i], values[i]);
    if (!is_new) at->second = std::min(at->second, values[i]);
  }
  const auto slots = Buffer(std::vector<uint64_t>(kSize, kFree));
  const auto lost = Zeros<uint32_t>(1);
  Launch("InsertOpen", {2}, {64}, 0, slots, uint32_t{kSize - 1}, Buffer(keys), Buffer(values),
         static_cast<int>(keys.size()), int{kSize}, lost);
  ExpectEqual(lost, {0u});
  std::map<uint32_t, uint32_t> actual;
  const std::vector<uint64_t> after = Read(slots);
  for (uint64_t slot : after) {
    if (slot == kFree) continue;
    EXPECT_TRUE(actual.emplace(KeyOf(slot), static_cast<uint32_t>(slot)).second) << "twice: " << KeyOf(slot);
  }
  EXPECT_EQ(actual, expected);
  // Each key is where a search finds it: all slots before it are taken.
  for (const auto& entry : expected) {
    uint32_t steps = 0;
    uint32_t at = Mix(entry.first);
    while (after[at % kSize] != kFree && KeyOf(after[at % kSize]) != entry.first && steps < kSize) at += ++steps;
    EXPECT_EQ(KeyOf(after[at % kSize]), entry.first);
  }
}

TEST_F(HashTablesTest, InsertOpenIntoFullTable) {
  const std::vector<uint32_t> keys = DifferentKeys(40, 3, 1000);
  const auto slots = Buffer(std::vector<uint64_t>(32, kFree));
  const auto lost = Zeros<uint32_t>(1);
  Launch("InsertOpen", {1}, {32}, 0, slots, 31u, Buffer(keys), Buffer(keys), 40, 32, lost);
  ExpectEqual(lost, {8u});
  std::set<uint32_t> kept;
  for (uint64_t slot : Read(slots)) kept.insert(KeyOf(slot));
  EXPECT_EQ(kept.size(), 32u);
}

TEST_F(HashTablesTest, FindInTiles) {
  constexpr uint32_t kBuckets = 13, kTile = 8;
  // A bucket that overflows sends its keys on.
  const std::vector<uint32_t> keys = DifferentKeys(80, 4, 500);
  std::vector<uint64_t> slots(kBuckets * kTile, kFree);
  std::map<uint32_t, uint32_t> expected;
  for (uint32_t key : keys) {
    const uint32_t hash = Mix(key);
    for (uint32_t tries = 0; tries < kBuckets; ++tries) {
      const uint32_t bucket = (hash % kBuckets + tries * (1 + (hash >> 16) % (kBuckets - 1))) % kBuckets;
      const auto begin = slots.begin() + bucket * kTile;
      const auto slot = std::find(begin, begin + kTile, kFree);
      if (slot == begin + kTile) continue;
      *slot = Slot(key, key * 3 + 7);
      expected[key] = key * 3 + 7;
      break;
    }
  }
  EXPECT_EQ(expected.size(), keys.size());
  std::vector<uint32_t> asked = Random<uint32_t>(83, 5000, 1, 499);
  std::copy(keys.begin(), keys.begin() + 50, asked.begin() + 20);
  std::vector<uint32_t> results;
  for (uint32_t key : asked) results.push_back(expected.count(key) != 0 ? expected[key] : kNoKey);
  EXPECT_GT(std::count(results.begin(), results.end(), kNoKey), 10);
  const auto values = Output<uint32_t>(asked.size());
  Launch("FindInTilesILi8E", {3}, {32}, 0, Buffer(slots), uint32_t{kBuckets}, Buffer(asked), values,
         static_cast<int>(asked.size()));
  ExpectEqual(values, results);
}

struct CuckooHashes {
  std::array<uint32_t, 4> a = {0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f};
  std::array<uint32_t, 4> b = {12345, 0x7654321, 99, 0xfedcba98};

  uint32_t Place(int which, uint32_t key, uint32_t size) const {
    return static_cast<uint32_t>(uint64_t{a[which] * key + b[which]} * size >> 32);
  }
};

TEST_F(HashTablesTest, Cuckoo) {
  constexpr uint32_t kSize = 150;
  const CuckooHashes hashes;
  const std::vector<uint32_t> keys = DifferentKeys(110, 6, 100000);
  const std::vector<uint32_t> values = Random<uint32_t>(110, 7000);
  std::map<uint32_t, uint32_t> expected;
  for (size_t i = 0; i < keys.size(); ++i) expected[keys[i]] = values[i];
  const auto slots = Buffer(std::vector<uint64_t>(kSize, kFree));
  const auto lost = Zeros<uint32_t>(1);
  Launch("CuckooInsert", {2}, {64}, 0, slots, uint32_t{kSize}, hashes, Buffer(keys), Buffer(values), 110, 200, lost);
  ExpectEqual(lost, {0u});
  std::map<uint32_t, uint32_t> actual;
  const std::vector<uint64_t> after = Read(slots);
  int moved = 0;
  for (uint32_t at = 0; at < kSize; ++at) {
    if (after[at] == kFree) continue;
    const uint32_t key = KeyOf(after[at]);
    actual[key] = static_cast<uint32_t>(after[at]);
    bool is_a_place = false;
    for (int f = 0; f < 4; ++f) is_a_place |= hashes.Place(f, key, kSize) == at;
    EXPECT_TRUE(is_a_place) << key;
    moved += hashes.Place(0, key, kSize) != at;
  }
  EXPECT_EQ(actual, expected);
  EXPECT_GT(moved, 10);

  std::vector<uint32_t> asked = Random<uint32_t>(301, 8000, 1, 99999);
  std::copy(keys.begin(), keys.end(), asked.begin() + 77);
  std::vector<uint32_t> results;
  for (uint32_t key : asked) results.push_back(expected.count(key) != 0 ? expected[key] : kNoKey);
  const auto found = Output<uint32_t>(asked.size());
  Launch("CuckooFind", {2}, {64}, 0, slots, uint32_t{kSize}, hashes, Buffer(asked), found, 301);
  ExpectEqual(found, results);
}

TEST_F(HashTablesTest, BloomSelect) {
  constexpr uint32_t kBlocks = 11;
  constexpr std::array<uint32_t, 8> kSalts = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                              0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
  // Returns the number of a bit of the filter.
  const auto bit = [&](uint64_t key, int word) {
    const uint64_t hash = key * 0x9e3779b97f4a7c15;
    const uint64_t block = (hash >> 32) * kBlocks >> 32;
    return block * 256 + word * 32 + (static_cast<uint32_t>(hash) * kSalts[word] >> 27);
  };
  const std::vector<uint64_t> members = Random<uint64_t>(100, 9);
  std::set<uint64_t> bits;
  for (uint64_t key : members) {
    for (int word = 0; word < 8; ++word) bits.insert(bit(key, word));
  }
  std::vector<uint32_t> filter(kBlocks * 8);
  for (uint64_t b : bits) filter[b / 32] |= 1u << b % 32;
  std::vector<uint64_t> keys = Random<uint64_t>(233, 10000);
  for (size_t i = 0; i < members.size(); ++i) keys[2 * i + i % 2] = members[i];
  std::vector<int> expected[2];
  for (size_t i = 0; i < keys.size(); ++i) {
    bool may_be = true;
    for (int word = 0; word < 8; ++word) may_be &= bits.count(bit(keys[i], word)) != 0;
    if (may_be) expected[i / 128].push_back(static_cast<int>(i));
  }
  const auto rows = Buffer(std::vector<int>(256, -1));
  const auto counts = Output<int>(2);
  Launch("BloomSelect", {2}, {64}, 0, Buffer(filter), uint32_t{kBlocks}, Buffer(keys), static_cast<int>(keys.size()),
         rows, counts);
  ExpectEqual(counts, {static_cast<int>(expected[0].size()), static_cast<int>(expected[1].size())});
  std::vector<int> all = expected[0];
  all.resize(128, -1);
  all.insert(all.end(), expected[1].begin(), expected[1].end());
  all.resize(256, -1);
  ExpectEqual(rows, all);
}

struct Columns {
  uint64_t flag, date, quantity, price, discount, tax;
};
struct Group {
  uint64_t quantity, price, discounted, charged;
  uint32_t count, flag;
  int least, unused;

  auto Fields() const { return std::array<uint64_t, 6>{quantity, price, discounted, charged, count, uint64_t(least)}; }
};

TEST_F(HashTablesTest, GroupBy) {
  constexpr int kRows = 333, kLast = 60;
  constexpr uint32_t kTable = 37;
  RandomNumbers random(11);
  std::vector<uint32_t> flags;
  while (flags.size() < kRows) flags.insert(flags.end(), random.Between(1, 4), random.Between<uint32_t>(0, 11) * 101);
  flags.resize(kRows);
  const std::vector<int> dates = Random<int>(kRows, 12, 0, 70);
  const std::vector<int> quantities = Random<int>(kRows, 13, -20, 50);
  const std::vector<int64_t> prices = Random<int64_t>(kRows, 14, 1, 1'000'000'000'000);
  const std::vector<int8_t> discounts = Random<int8_t>(kRows, 15, 0, 10);
  const std::vector<int8_t> taxes = Random<int8_t>(kRows, 16, 0, 8);
  std::map<uint32_t, Group> expected;
  for (int i = 0; i < kRows; ++i) {
    if (dates[i] > kLast) continue;
    Group& group = expected.try_emplace(flags[i], Group{0, 0, 0, 0, 0, flags[i], INT32_MAX, 0}).first->second;
    const int64_t discounted = prices[i] * (100 - discounts[i]);
    group.quantity += static_cast<uint64_t>(quantities[i]);
    group.price += static_cast<uint64_t>(prices[i]);
    group.discounted += static_cast<uint64_t>(discounted);
    group.charged += static_cast<uint64_t>(discounted * (100 + taxes[i]));
    group.count += 1;
    group.least = std::min(group.least, quantities[i]);
  }
  const auto table = Buffer(std::vector<Group>(kTable, Group{0, 0, 0, 0, 0, kNoKey, INT32_MAX, 0}));
  const auto lost = Zeros<uint32_t>(1);
  const Columns columns{Buffer(flags).address,  Buffer(dates).address,     Buffer(quantities).address,
                        Buffer(prices).address, Buffer(discounts).address, Buffer(taxes).address};
  Launch("GroupByILi16E", {2}, {32}, 0, columns, int{kRows}, int{kLast}, table, uint32_t{kTable}, lost);
  ExpectEqual(lost, {0u});
  size_t groups = 0;
  for (const Group& group : Read(table)) {
    if (group.flag == kNoKey) continue;
    ++groups;
    EXPECT_EQ(group.Fields(), expected[group.flag].Fields()) << group.flag;
  }
  EXPECT_EQ(groups, expected.size());
}

struct JoinNode {
  uint32_t key;
  int next;
  int64_t payload;
};

TEST_F(HashTablesTest, ProbeChains) {
  constexpr uint32_t kHeads = 16;
  std::vector<int> heads(kHeads, -1);
  std::vector<JoinNode> nodes;
  std::multimap<uint32_t, int64_t> table;
  RandomNumbers random(17);
  for (int i = 0; i < 90; ++i) {
    const uint32_t key = random.Between<uint32_t>(0, 60);
    const int64_t payload = random.Between<int64_t>(-1'000'000'000'000, 1'000'000'000'000);
    int& head = heads[Mix(key) % kHeads];
    nodes.push_back({key, head, payload});
    head = i;
    table.emplace(key, payload);
  }
  const std::vector<uint32_t> keys = Random<uint32_t>(301, 18, 0, 70);
  const std::vector<int64_t> weights = Random<int64_t>(301, 19, -1000, 1000);
  std::vector<int64_t> expected_sums;
  std::vector<int> expected_matches;
  for (size_t i = 0; i < keys.size(); ++i) {
    int64_t sum = 0;
    const auto [begin, end] = table.equal_range(keys[i]);
    for (auto at = begin; at != end; ++at) sum += at->second * weights[i];
    expected_sums.push_back(sum);
    expected_matches.push_back(static_cast<int>(std::distance(begin, end)));
  }
  const auto sums = Output<int64_t>(keys.size());
  const auto matches = Output<int>(keys.size());
  Launch("ProbeChains", {1}, {64}, 0, Buffer(heads), uint32_t{kHeads - 1}, Buffer(nodes), Buffer(keys), Buffer(weights),
         static_cast<int>(keys.size()), sums, matches);
  ExpectEqual(sums, expected_sums);
  ExpectEqual(matches, expected_matches);
}

struct TreeNode {
  std::array<int, 15> keys;
  int child;
};

TEST_F(HashTablesTest, TreeRanges) {
  // A root, six inner nodes and their leaves. Leaves lie in order at the end.
  constexpr int kInner = 6, kLevels = 3;
  RandomNumbers random(20);
  std::vector<TreeNode> nodes(1 + kInner);
  std::vector<int> all;
  nodes[0].keys.fill(INT32_MAX);
  nodes[0].child = 1;
  int next = -5000;
  for (int inner = 0; inner < kInner; ++inner) {
    TreeNode& node = nodes[1 + inner];
    node.keys.fill(INT32_MAX);
    node.child = static_cast<int>(nodes.size());
    const int leaves = random.Between(2, 16);
    for (int leaf = 0; leaf < leaves; ++leaf) {
      TreeNode fresh;
      fresh.keys.fill(INT32_MAX);
      fresh.child = static_cast<int>(nodes.size()) + 1;
      const int count = random.Between(7, 15);
      for (int k = 0; k < count; ++k) {
        next += random.Between(1, 20);
        fresh.keys[k] = next;
        all.push_back(next);
      }
      nodes.push_back(fresh);
      // A separator is the greatest key to its left.
      if (leaf + 1 < leaves) nodes[1 + inner].keys[leaf] = next;
    }
    if (inner + 1 < kInner) nodes[0].keys[inner] = next;
  }
  nodes.back().child = -1;
  std::vector<std::array<int, 2>> ranges;
  for (int i = 0; i < 77; ++i) {
    const int low = random.Between(-5100, next + 50);
    ranges.push_back({low, low + random.Between(-20, 600)});
  }
  ranges.push_back({-6000, next + 1});
  std::vector<int> expected_counts;
  std::vector<int64_t> expected_sums;
  for (const auto& [low, high] : ranges) {
    int count = 0;
    int64_t sum = 0;
    for (int key : all) {
      if (key < low || key >= high) continue;
      ++count;
      sum += key;
    }
    expected_counts.push_back(count);
    expected_sums.push_back(sum);
  }
  const auto counts = Output<int>(ranges.size());
  const auto sums = Output<int64_t>(ranges.size());
  Launch("TreeRanges", {3}, {32}, 0, Buffer(nodes), int{kLevels}, Buffer(ranges), static_cast<int>(ranges.size()),
         counts, sums);
  ExpectEqual(counts, expected_counts);
  ExpectEqual(sums, expected_sums);
}

}  // namespace
}  // namespace ptxmir::ptx
