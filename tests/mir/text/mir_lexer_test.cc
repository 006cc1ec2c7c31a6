// SPDX-License-Identifier: Apache-2.0

#include "mir/text/mir_lexer.h"

#include <string_view>

#include "gtest/gtest.h"

namespace ptxmir::mir_lexer {
namespace {

TEST(MirLexerTest, EveryWordIsFoundByItsSpelling) {
  for (int i = static_cast<int>(Word::kDef); i <= static_cast<int>(Word::kAttdialect); ++i) {
    const Word word = static_cast<Word>(i);
    ASSERT_FALSE(Spelling(word).empty()) << i;
    EXPECT_EQ(FindWord(Spelling(word)), word) << Spelling(word);
  }
  EXPECT_EQ(FindWord("ADD32rr"), Word::kNone);
  EXPECT_EQ(FindWord(""), Word::kNone);
  EXPECT_EQ(FindWord("address-taken"), Word::kMachineBlockAddressTaken);
}

TEST(MirLexerTest, SkipSpace) {
  EXPECT_EQ(*SkipSpace("  \t x"), 'x');
  EXPECT_EQ(*SkipSpace(" /* a */ /* b */x"), 'x');
  EXPECT_EQ(*SkipSpace(" ; to the end\nx"), '\n');
  EXPECT_EQ(*SkipSpace(" /* not closed\nx"), '\n');
  EXPECT_EQ(*SkipSpace(" / x"), '/');
}

TEST(MirLexerTest, ScanUnsigned) {
  const auto scan = [](const char* text, bool* overflow) {
    uint64_t value = 0;
    *overflow = false;
    ScanUnsigned(text, &value, overflow);
    return value;
  };
  bool overflow = false;
  EXPECT_EQ(scan("0", &overflow), 0u);
  EXPECT_EQ(scan("18446744073709551615,", &overflow), ~uint64_t{0});
  EXPECT_FALSE(overflow);
  EXPECT_EQ(scan("0000000000000000000000000000001", &overflow), 1u);
  EXPECT_FALSE(overflow);
  scan("18446744073709551616", &overflow);
  EXPECT_TRUE(overflow);
}

TEST(MirLexerTest, ScanHex) {
  uint64_t value = 0;
  bool overflow = false;
  EXPECT_EQ(*ScanHex("00fFg", &value, &overflow), 'g');
  EXPECT_EQ(value, 255u);
  EXPECT_FALSE(overflow);
  ScanHex("10000000000000000", &value, &overflow);
  EXPECT_TRUE(overflow);
}

TEST(MirLexerTest, Strings) {
  std::string_view raw;
  EXPECT_STREQ(ScanString("\"a\\22b\" c", &raw), " c");
  EXPECT_EQ(raw, "a\\22b");
  EXPECT_EQ(Unescape(raw), "a\"b");
  EXPECT_EQ(ScanString("\"a\nb\"", &raw), nullptr);
  EXPECT_EQ(Unescape("\\\\0A\\0a\\q\\"), "\\0A\n\\q\\");
}

}  // namespace
}  // namespace ptxmir::mir_lexer
