// SPDX-License-Identifier: Apache-2.0

#include "base/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace ptxmir {
namespace {

TEST(JsonTextTest, WritesPlainTextAsItIs) {
  EXPECT_EQ(JsonText(""), "\"\"");
  EXPECT_EQ(JsonText("ld.global.b32 \t%r1"), "\"ld.global.b32 \\u0009%r1\"");
  EXPECT_EQ(JsonText("a < b\x7f"), "\"a < b\x7f\"");
}

TEST(JsonTextTest, EscapesAtEveryPlace) {
  // Characters are looked at by the sixteen.
  for (size_t size = 1; size <= 50; ++size) {
    for (size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      const std::string before = "\"" + text.substr(0, at);
      const std::string after = text.substr(at + 1) + "\"";
      text[at] = '"';
      EXPECT_EQ(JsonText(text), before + "\\\"" + after);
      text[at] = '\\';
      EXPECT_EQ(JsonText(text), before + "\\\\" + after);
      text[at] = '\x1f';
      EXPECT_EQ(JsonText(text), before + "\\u001f" + after);
      text[at] = '\0';
      EXPECT_EQ(JsonText(text), before + "\\u0000" + after);
      text[at] = '\xff';
      EXPECT_EQ(JsonText(text), before + "\xEF\xBF\xBD" + after);
      text[at] = '<';
      EXPECT_EQ(JsonText(text), "\"" + text + "\"");
      EXPECT_EQ(JsonTextForHtml(text), before + "\\u003c" + after);
    }
  }
}

TEST(JsonTextTest, KeepsValidUtf8) {
  const std::string text = "Größe der Matrix: 3 × 4 \"Zeilen\"";
  EXPECT_EQ(JsonText(text), "\"Größe der Matrix: 3 × 4 \\\"Zeilen\\\"\"");
}

TEST(JsonTextTest, Appends) {
  std::string out = "[";
  AppendJsonText("a", out);
  AppendJsonTextForHtml("</script>", out);
  EXPECT_EQ(out, "[\"a\"\"\\u003c/script>\"");
}

}  // namespace
}  // namespace ptxmir
