// SPDX-License-Identifier: Apache-2.0

#include "base/yaml.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

// Reads any node. Returns the node in flow style, with scalars in angle brackets.
std::string RenderNode(YamlReader& yaml, bool* ok) {
  std::string out;
  if (yaml.AtMapping()) {
    out = "{";
    *ok &= yaml.ReadMapping([&](const YamlScalar& key) {
      out += key.Value() + ":" + RenderNode(yaml, ok) + ",";
      return *ok;
    });
    return out + "}";
  }
  if (yaml.AtSequence()) {
    out = "[";
    *ok &= yaml.ReadSequence([&] {
      out += RenderNode(yaml, ok) + ",";
      return *ok;
    });
    return out + "]";
  }
  YamlScalar scalar;
  *ok &= yaml.ReadScalar(&scalar);
  return "<" + scalar.Value() + ">";
}

// Returns all documents of a text, and then the errors.
std::string Parse(std::string text) {
  const SourceBuffer buffer("test.yaml", std::move(text));
  DiagnosticEngine diagnostics;
  YamlReader yaml(buffer, diagnostics);
  std::string out;
  while (yaml.NextDocument()) {
    bool ok = true;
    out += RenderNode(yaml, &ok) + "\n";
  }
  for (const Diagnostic& diagnostic : diagnostics.diagnostics()) {
    out += std::to_string(diagnostic.where.line) + ":" + std::to_string(diagnostic.where.column) + ": " +
           diagnostic.message + "\n";
  }
  return out;
}

TEST(YamlTest, Collections) {
  EXPECT_EQ(Parse("a: 1\nb:\n  c: 2\n  d: 3\ne: 4\n"), "{a:<1>,b:{c:<2>,d:<3>,},e:<4>,}\n");
  EXPECT_EQ(Parse("a:\n  - 1\n  - 2\nb:\n- 3\n- 4\nc: 5\n"), "{a:[<1>,<2>,],b:[<3>,<4>,],c:<5>,}\n");
  EXPECT_EQ(Parse("- a: 1\n  b: 2\n- - 3\n  - 4\n-\n  c: 5\n"), "[{a:<1>,b:<2>,},[<3>,<4>,],{c:<5>,},]\n");
  EXPECT_EQ(Parse("{ a: [ 1, 2,\n 3 ], b: { }, 'c': [],\n d: }"), "{a:[<1>,<2>,<3>,],b:{},c:[],d:<>,}\n");
  EXPECT_EQ(Parse("a:\nb: 1\nc:\n"), "{a:<>,b:<1>,c:<>,}\n");
}

TEST(YamlTest, Documents) {
  EXPECT_EQ(Parse("---\na\n...\n---\nb\n---\nc\n...\n# end\n"), "<a>\n<b>\n<c>\n");
  EXPECT_EQ(Parse("--- |\n  text\n  --- no mark\n...\n---\na: 1\n"), "<text\n--- no mark\n>\n{a:<1>,}\n");
}

TEST(YamlTest, Scalars) {
  EXPECT_EQ(Parse("a: 'it''s'\nb: \"x\\n\\x41\\u00e9\\\"\"\nc: plain # comment\nd: a#b\ne: http://x\n"),
            "{a:<it's>,b:<x\nA\xc3\xa9\">,c:<plain>,d:<a#b>,e:<http://x>,}\n");
  EXPECT_EQ(Parse("a: one\n  two\n\n  three\nb: 'four\n  five'\n"), "{a:<one two\nthree>,b:<four five>,}\n");
}

TEST(YamlTest, BlockScalars) {
  EXPECT_EQ(Parse("a: |\n  x\n    y\n\n  z\nb: 1\n"), "{a:<x\n  y\n\nz\n>,b:<1>,}\n");
  EXPECT_EQ(Parse("a: |2\n    x\n  y\nb: |\nc: 1\n"), "{a:<  x\ny\n>,b:<>,c:<1>,}\n");
}

TEST(YamlTest, Positions) {
  const SourceBuffer buffer("test.yaml", "a: |\n  xy\n  z\nb: \"p\\tq\"\n");
  DiagnosticEngine diagnostics;
  YamlReader yaml(buffer, diagnostics);
  ASSERT_TRUE(yaml.NextDocument());
  std::vector<YamlScalar> values;
  ASSERT_TRUE(yaml.ReadMapping([&](const YamlScalar&) { return yaml.ReadScalar(&values.emplace_back()); }));
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(*values[0].PositionOf(1), 'y');
  EXPECT_EQ(*values[0].PositionOf(3), 'z');
  EXPECT_EQ(*values[1].PositionOf(1), '\\');
  EXPECT_EQ(*values[1].PositionOf(2), 'q');
}

TEST(YamlTest, Verbatim) {
  const SourceBuffer buffer("test.yaml", "a: [ 1,\n 2 ] # x\nb:\nc:\n  - 1\n  - 2\nd: 3");
  DiagnosticEngine diagnostics;
  YamlReader yaml(buffer, diagnostics);
  ASSERT_TRUE(yaml.NextDocument());
  std::vector<std::string> texts;
  ASSERT_TRUE(yaml.ReadMapping([&](const YamlScalar&) {
    std::string_view text;
    const bool ok = yaml.SkipNodeVerbatim(&text);
    texts.emplace_back(text);
    return ok;
  }));
  EXPECT_EQ(texts, (std::vector<std::string>{" [ 1,\n 2 ] # x\n", "\n", "\n  - 1\n  - 2\n", " 3"}));
}

TEST(YamlTest, Errors) {
  EXPECT_EQ(Parse("a: 'x\n---\nb"), "{a:<>,}\n<b>\n1:4: expected a closing '\n");
  EXPECT_EQ(Parse("a: [ 1, 2\n...\n"), "{a:[<1>,<2>,],}\n1:10: expected ']'\n");
  EXPECT_EQ(Parse("a: [ 1 'x' ]"), "{a:[<1 'x'>,],}\n");
  EXPECT_EQ(Parse("a: [ 'x' 1 ]"), "{a:[<x>,],}\n1:10: expected ',' or ']'\n");
  EXPECT_EQ(Parse("a: 1\n  b: 2\n"), "{a:<1>,}\n2:3: unexpected indentation\n");
  EXPECT_EQ(Parse("a: 'x' y\n"), "{a:<x>,}\n1:8: unexpected text after a value\n");
  EXPECT_EQ(Parse("a: 1\nb\n"), "{a:<1>,}\n2:2: expected ':' after a key\n");
  EXPECT_EQ(Parse("a: | x\n"), "{a:<>,}\n1:6: expected a line break\n");
  EXPECT_EQ(Parse("- 1\n2\n"), "[<1>,]\n2:1: expected '-'\n");
}

TEST(YamlTest, Conversions) {
  const auto plain = [](std::string_view text) {
    YamlScalar scalar;
    scalar.raw = text;
    return scalar;
  };
  EXPECT_EQ(ParseYamlBool(plain("true")), true);
  EXPECT_EQ(ParseYamlBool(plain("no")), false);
  EXPECT_EQ(ParseYamlBool(plain("1")), std::nullopt);
  EXPECT_EQ(ParseYamlUnsigned(plain("0x10"), 100), 16u);
  EXPECT_EQ(ParseYamlUnsigned(plain("101"), 100), std::nullopt);
  EXPECT_EQ(ParseYamlUnsigned(plain("-1"), 100), std::nullopt);
  EXPECT_EQ(ParseYamlUnsigned(plain(""), 100), std::nullopt);
  EXPECT_EQ(ParseYamlSigned(plain("-5")), -5);
  EXPECT_EQ(ParseYamlSigned(plain("99999999999999999999")), std::nullopt);
}

}  // namespace
}  // namespace ptxmir
