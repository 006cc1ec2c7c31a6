// SPDX-License-Identifier: Apache-2.0

// Compares automata with scanners that go over the text byte by byte.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

class AutomataTest : public CorpusKernels {
 protected:
  AutomataTest() : CorpusKernels("automata") {}

  static std::string Text(size_t length, uint64_t seed, std::string_view alphabet) {
    std::string text;
    for (size_t at : Random<size_t>(length, seed, 0, alphabet.size() - 1)) text += alphabet[at];
    return text;
  }
  static std::vector<uint8_t> Bytes(std::string_view text) { return std::vector<uint8_t>(text.begin(), text.end()); }
};

TEST_F(AutomataTest, CsvStructure) {
  struct Counts {
    int32_t commas, ends;
    bool operator==(const Counts&) const = default;
  };
  std::vector<std::string> documents = {
      "a,b,c\n# a, comment \"\n1,\"two, or\nthree\",\"\"\"4\"\"\"\nx#,y\n",
      Text(1700, 1, ",\n#\"ab c"),
      Text(1024, 2, "ab\"\"\"\n,,#"),
  };
  std::string text;
  std::vector<int64_t> offsets = {0};
  std::vector<uint16_t> commas, ends;
  std::vector<Counts> expected;
  for (std::string& document : documents) {
    // Documents start at multiples of 16 bytes; the last ends at any byte.
    if (&document != &documents.back()) document.resize((document.size() + 15) / 16 * 16, 'z');
    if (&document == &documents.back()) document.resize(1003);
    Counts counts{};
    bool quoted = false, comment = false;
    const size_t base = commas.size();
    commas.resize(base + (document.size() + 15) / 16);
    ends.resize(commas.size());
    for (size_t i = 0; i < document.size(); ++i) {
      const char c = document[i];
      const auto bit = static_cast<uint16_t>(1 << i % 16);
      if (!quoted && c == '\n') {
        ends[base + i / 16] |= bit;
        ++counts.ends;
        comment = false;
      } else if (comment) {
        continue;
      } else if (c == '"') {
        quoted = !quoted;  // a doubled quote leaves and enters again
      } else if (!quoted && c == '#' && (i == 0 || document[i - 1] == '\n')) {
        comment = i == 0 || (ends[base + (i - 1) / 16] >> (i - 1) % 16 & 1) != 0;
      } else if (!quoted && c == ',') {
        commas[base + i / 16] |= bit;
        ++counts.commas;
      }
    }
    expected.push_back(counts);
    text += document;
    offsets.push_back(static_cast<int64_t>(text.size()));
  }
  EXPECT_GT(expected[1].commas, 20);
  const auto comma_buffer = Output<uint16_t>(commas.size());
  const auto end_buffer = Output<uint16_t>(ends.size());
  const auto count_buffer = Zeros<Counts>(documents.size());
  Launch("CsvStructure", {3}, {64}, 0, Buffer(Bytes(text)), Buffer(offsets), comma_buffer, end_buffer, count_buffer);
  ExpectEqual(comma_buffer, commas);
  ExpectEqual(end_buffer, ends);
  const std::vector<Counts> counts = ReadWithHoles(count_buffer);
  for (size_t i = 0; i < counts.size(); ++i) EXPECT_TRUE(counts[i] == expected[i]) << i;
}

TEST_F(AutomataTest, JsonStructure) {
  std::vector<std::string> documents = {
      R"({"a\"b": [1, 2, {"c": "\\"}], "{,}": "\\\"x", "end": []})",
      Text(2048 + 333, 3, "\\\\\\\"a{}[]:,;"),
      std::string(63, 'x') + "\"" + std::string(129, '\\') + "\"," + std::string(256, '\\') + "\",[\"" +
          Text(2000, 4, "\\\"{:z"),
      "",
  };
  std::string text;
  std::vector<int32_t> starts, lengths;
  std::vector<uint64_t> strings, operators;
  for (const std::string& document : documents) {
    starts.push_back(static_cast<int32_t>(text.size()));
    lengths.push_back(static_cast<int32_t>(document.size()));
    text += document;
    text.resize((text.size() + 63) / 64 * 64, '"');
    const size_t base = strings.size();
    strings.resize(text.size() / 64);
    operators.resize(text.size() / 64);
    bool inside = false, escaped = false;
    for (size_t i = 0; i < document.size(); ++i) {
      const char c = document[i];
      if (c == '"' && !escaped) inside = !inside;
      escaped = c == '\\' && !escaped;
      if (inside) strings[base + i / 64] |= uint64_t{1} << i % 64;
      if (!inside && std::string_view("{}[]:,").find(c) != std::string_view::npos) {
        operators[base + i / 64] |= uint64_t{1} << i % 64;
      }
    }
  }
  const auto string_buffer = Output<uint64_t>(strings.size());
  const auto operator_buffer = Output<uint64_t>(operators.size());
  Launch("JsonStructure", {2}, {64}, 0, Buffer(Bytes(text)), Buffer(starts), Buffer(lengths), string_buffer,
         operator_buffer);
  ExpectEqual(string_buffer, strings, "strings");
  ExpectEqual(operator_buffer, operators, "operators");
}

// Decodes code points one by one.
bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const uint8_t lead = static_cast<uint8_t>(text[i]);
    const size_t size = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
    if (size == 0 || i + size > text.size()) return false;
    uint32_t point = size == 1 ? lead : lead & (0x7fu >> size);
    for (size_t k = 1; k < size; ++k) {
      const uint8_t byte = static_cast<uint8_t>(text[i + k]);
      if ((byte & 0xc0) != 0x80) return false;
      point = point << 6 | (byte & 0x3fu);
    }
    constexpr uint32_t kLeast[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < kLeast[size] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
    i += size;
  }
  return true;
}

std::string Encode(uint32_t point) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xc0 | point >> 6), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xe0 | point >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | point >> 18), tail(12), tail(6), tail(0)};
}

TEST_F(AutomataTest, Utf8Validate) {
  std::vector<std::string> documents = {"",         "plain",       "\xc2", "\xe2\x82\xac", "\xed\xa0\x80",
                                        "\xc0\x80", "\xf4\x90\x80"};
  RandomNumbers random(5);
  const auto point = [&] {
    constexpr uint32_t kTop[4] = {0x7f, 0x7ff, 0xd7ff, 0x10ffff};
    const uint32_t p = random.Between<uint32_t>(0, kTop[random.Between(0, 3)]);
    return Encode(p >= 0xd800 && p < 0xe000 ? 0xe000 : p);
  };
  for (int i = 0; i < 22; ++i) {
    const size_t length = i == 0 ? 384 : random.Between<size_t>(1, 900);
    std::string document;
    while (document.size() + 4 < length) document += point();
    document.resize(length, '.');
    // Half of them have an error, at the end or anywhere.
    if (i % 4 == 1) document.back() = '\xe1';
    if (i % 4 == 3) document[random.Between<size_t>(0, length - 1)] = random.Any<char>();
    documents.push_back(document);
  }
  // All pairs of a lead and a next byte at borders.
  for (const int lead : {0x7f, 0x80, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff}) {
    for (const int next : {0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0}) {
      for (const std::string tail : {"", "\x80", "\x80\x80"}) {
        if (random.Between(0, 9) < 2) {
          documents.push_back(std::string{static_cast<char>(lead), static_cast<char>(next)} + tail);
        }
      }
    }
  }
  std::string text;
  std::vector<int32_t> first_words, lengths, valid, points;
  for (const std::string& document : documents) {
    first_words.push_back(static_cast<int32_t>(text.size() / 4));
    lengths.push_back(static_cast<int32_t>(document.size()));
    valid.push_back(IsUtf8(document));
    points.push_back(static_cast<int32_t>(
        std::count_if(document.begin(), document.end(), [](char c) { return (c & 0xc0) != 0x80; })));
    text += document;
    text.resize((text.size() + 3) / 4 * 4, '\x80');
  }
  EXPECT_GT(std::count(valid.begin(), valid.end(), 0), 20);
  EXPECT_GT(std::count(valid.begin(), valid.end(), 1), 12);
  std::vector<uint32_t> words(text.size() / 4);
  std::memcpy(words.data(), text.data(), text.size());
  const auto count = static_cast<int32_t>(documents.size());
  const auto valid_buffer = Output<int32_t>(documents.size());
  const auto point_buffer = Output<int32_t>(documents.size());
  Launch("Utf8ValidateILi3EE", {static_cast<uint32_t>(count + 3) / 4}, {128}, 0, Buffer(words), Buffer(first_words),
         Buffer(lengths), count, valid_buffer, point_buffer);
  ExpectEqual(valid_buffer, valid, "valid");
  ExpectEqual(point_buffer, points, "points");
}

TEST_F(AutomataTest, FindPatterns) {
  const std::vector<std::string> patterns = {"abab", "ba", "c", "cabba", "bbbb", "aabca", "cc"};
  RandomNumbers random(6);
  std::string text;
  for (int i = 0; i < 70; ++i) {
    text += Text(random.Between<size_t>(0, 6), 50 + i, "aabbcd") + patterns[random.Between<size_t>(0, 6)];
  }
  // Classes: other bytes, and a, b and c. A state is a prefix of a pattern.
  constexpr int32_t kClasses = 4;
  std::map<std::string, int> states = {{"", 0}};
  std::vector<std::string> names = {""};
  size_t longest = 0;
  for (const std::string& pattern : patterns) {
    longest = std::max(longest, pattern.size());
    for (size_t i = 1; i <= pattern.size(); ++i) {
      if (states.emplace(pattern.substr(0, i), static_cast<int>(names.size())).second) {
        names.push_back(pattern.substr(0, i));
      }
    }
  }
  std::vector<uint16_t> moves;
  std::vector<uint32_t> ends;
  for (const std::string& name : names) {
    for (const char c : {'x', 'a', 'b', 'c'}) {
      std::string next = name + c;
      while (!states.contains(next)) next.erase(0, 1);
      moves.push_back(static_cast<uint16_t>(states[next]));
    }
    uint32_t bits = 0;
    for (size_t p = 0; p < patterns.size(); ++p) bits |= static_cast<uint32_t>(name.ends_with(patterns[p])) << p;
    ends.push_back(bits);
  }
  std::vector<uint8_t> class_of(256);
  class_of['a'] = 1;
  class_of['b'] = 2;
  class_of['c'] = 3;
  std::vector<uint32_t> hits(text.size());
  std::vector<int32_t> counts(32);
  for (size_t p = 0; p < patterns.size(); ++p) {
    for (size_t at = text.find(patterns[p]); at != std::string::npos; at = text.find(patterns[p], at + 1)) {
      hits[at + patterns[p].size() - 1] |= 1u << p;
      ++counts[p];
    }
  }
  const auto hit_buffer = Output<uint32_t>(hits.size());
  const auto count_buffer = Zeros<int32_t>(32);
  constexpr int32_t kPiece = 7;
  const auto state_count = static_cast<int32_t>(names.size());
  Launch("FindPatternsILi2EE", {2}, {32}, static_cast<uint32_t>(state_count * (4 + 2 * kClasses) + 128 + 256),
         Buffer(Bytes(text)), static_cast<int32_t>(text.size()), kPiece, static_cast<int32_t>(longest - 1),
         Buffer(moves), state_count, kClasses, Buffer(class_of), Buffer(ends), hit_buffer, count_buffer);
  ExpectEqual(hit_buffer, hits);
  ExpectEqual(count_buffer, counts);
}

TEST_F(AutomataTest, MatchPositions) {
  // A random automaton: each position has two successors and takes a third of the letters.
  RandomNumbers random(7);
  std::vector<std::set<int>> successors(64), letters(64);
  for (int p = 0; p < 64; ++p) {
    for (int i = 0; i < 2; ++i) successors[p].insert(random.Between(0, 63));
    for (int c = 'a'; c <= 'f'; ++c) {
      if (random.Between(0, 2) != 0) letters[p].insert(c);
    }
  }
  const std::set<int> first = {0, 33};
  const std::set<int> last = {5, 31, 32, 63};
  const auto bits = [](const std::set<int>& positions) {
    uint64_t all = 0;
    for (const int p : positions) all |= uint64_t{1} << p;
    return all;
  };
  std::vector<uint64_t> follow(8 * 256), reach(256);
  for (int byte = 0; byte < 8; ++byte) {
    for (int value = 0; value < 256; ++value) {
      for (int bit = 0; bit < 8; ++bit) {
        if (value >> bit & 1) follow[256 * byte + value] |= bits(successors[8 * byte + bit]);
      }
    }
  }
  for (int p = 0; p < 64; ++p) {
    for (const int c : letters[p]) reach[c] |= uint64_t{1} << p;
  }
  std::string strings;
  std::vector<int32_t> offsets = {0}, first_match, matches;
  for (int i = 0; i < 41; ++i) {
    const std::string string = Text(random.Between<size_t>(0, 24), 100 + i, "abcdefg");
    std::set<int> active;
    int found = -1, total = 0;
    for (size_t at = 0; at < string.size(); ++at) {
      std::set<int> next = first;
      for (const int p : active) next.insert(successors[p].begin(), successors[p].end());
      std::erase_if(next, [&](int p) { return !letters[p].contains(string[at]); });
      active = next;
      if (std::any_of(last.begin(), last.end(), [&](int p) { return active.contains(p); })) {
        if (total++ == 0) found = static_cast<int>(at);
      }
    }
    first_match.push_back(found);
    matches.push_back(total);
    strings += string;
    offsets.push_back(static_cast<int32_t>(strings.size()));
  }
  const auto first_buffer = Output<int32_t>(41);
  const auto match_buffer = Output<int32_t>(41);
  Launch("MatchPositions", {2}, {32}, 0, Buffer(Bytes(strings)), Buffer(offsets), 41, Buffer(follow), Buffer(reach),
         bits(first), bits(last), first_buffer, match_buffer);
  ExpectEqual(first_buffer, first_match);
  ExpectEqual(match_buffer, matches);
}

TEST_F(AutomataTest, LifeRule) {
  constexpr int kWords = 3, kHeight = 13;
  struct Rule {
    uint32_t births, survivals;
  };
  for (const Rule& rule : {Rule{1 << 3, 1 << 2 | 1 << 3}, {1 << 3 | 1 << 6 | 1 << 8, 1 << 0 | 1 << 2 | 1 << 4}}) {
    const std::vector<uint64_t> cells = Random<uint64_t>(kWords * kHeight, 8);
    const auto alive = [&](int x, int y) -> int {
      if (x < 0 || y < 0 || x >= 64 * kWords || y >= kHeight) return 0;
      return cells[y * kWords + x / 64] >> x % 64 & 1;
    };
    std::vector<uint64_t> expected(cells.size());
    uint64_t population = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < 64 * kWords; ++x) {
        int neighbors = -alive(x, y);
        for (int i = 0; i < 9; ++i) neighbors += alive(x + i % 3 - 1, y + i / 3 - 1);
        const uint64_t next = (alive(x, y) ? rule.survivals : rule.births) >> neighbors & 1;
        expected[y * kWords + x / 64] |= next << x % 64;
        population += next;
      }
    }
    const auto out = Output<uint64_t>(cells.size());
    const auto total = Zeros<uint64_t>(1);
    Launch("LifeRule", {1, 2}, {4, 4}, 0, Buffer(cells), out, kWords, kHeight, rule.births, rule.survivals, total);
    ExpectEqual(out, expected);
    ExpectEqual(total, {population});
  }
}

}  // namespace
}  // namespace ptxmir::ptx
