// SPDX-License-Identifier: Apache-2.0

// The table language: the expansion of loops, conditions and substitutions, and the messages for errors.

#include "ptx/isa/generator/isa_table.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ptxmir::ptx::isa {
namespace {

constexpr char kPrelude[] =
    "properties pure comm\n"
    "latencies alu\n"
    "role ftz ftz\n"
    "role base addr\n"
    "role off\n"
    "type ftz = unknown/ftz\n"
    "type addr = unknown/base unknown/off\n"
    "modifier ftz nonzero 0=.ftz\n"
    "modifier addr code\n";

std::string ErrorOf(const std::string& text) {
  IsaTable table;
  EXPECT_TRUE(table.ReadText(kPrelude, "prelude").ok());
  return std::string(table.ReadText(text, "t.isa").message());
}

// Returns "NAME(OPERANDS) TEMPLATE" for each row, one per line. List operands are written as first..count.
std::string Expand(const std::string& text) {
  IsaTable table;
  EXPECT_TRUE(table.ReadText(kPrelude, "prelude").ok());
  const absl::Status status = table.ReadText(text, "t.isa");
  EXPECT_TRUE(status.ok()) << status.message();
  std::string out;
  for (const IsaRow& row : table.rows()) {
    out += row.name;
    if (row.stable_name != row.name) out += "=" + row.stable_name;
    out += "(";
    for (size_t i = 0; i < row.operands.size(); ++i) {
      const IsaOperand& operand = row.operands[i];
      out += (i == 0 ? "" : " ") + std::string(operand.is_def ? "=" : "") + operand.type;
      if (!operand.role.empty()) out += "/" + operand.role;
    }
    out += ")";
    for (const TemplatePiece& piece : row.pieces) {
      if (piece.operand < 0) {
        out += piece.literal;
      } else {
        out += "$" + std::to_string(piece.operand);
        if (piece.count > 1) out += ".." + std::to_string(piece.count);
        if (!piece.modifier.empty()) out += ":" + piece.modifier;
      }
    }
    out += "\n";
  }
  return out;
}

TEST(IsaTableTest, LoopsRunLeftOutermost) {
  EXPECT_EQ(Expand("family f\nfor a in x y; b in 1 2 {\n  N<a><b> : : <a>.<b>;\n}\n"),
            "Nx1()\tx.1;\nNx2()\tx.2;\nNy1()\ty.1;\nNy2()\ty.2;\n");
}

TEST(IsaTableTest, TuplesMapsAndShapes) {
  EXPECT_EQ(Expand("map cl s16=B16 s32=B32\nfamily f\nfor t,n in s16,A s32,B; s in rr ri {\n"
                   "  <n><s> : =d:<cl(t)> a:<s.0><cl(t)> b:<s.1><cl(t)> : op.<t> \\t$d, $a, $b;\n}\n"),
            "Arr(=B16 B16 B16)\top.s16 \t$0, $1, $2;\nAri(=B16 B16 imm)\top.s16 \t$0, $1, $2;\n"
            "Brr(=B32 B32 B32)\top.s32 \t$0, $1, $2;\nBri(=B32 B32 imm)\top.s32 \t$0, $1, $2;\n");
}

TEST(IsaTableTest, OptionalPartsAndCapitals) {
  EXPECT_EQ(Expand("family f\nfor m in - a.b::c; k in - 1 {\n  N<_M><k?K~J> : : op<.m><k?, x>;\n}\n"),
            "NJ()\top;\nNK()\top, x;\nN_A_B_CJ()\top.a.b::c;\nN_A_B_CK()\top.a.b::c, x;\n");
}

TEST(IsaTableTest, ListsProductsAndElements) {
  EXPECT_EQ(Expand("family f\nfor n in 1 2 {\n  N<n> : =d*<n*2>:B32 a*3:B16 addr : {$d} {$a, $a.2} [$addr];\n}\n"),
            "N1(=B32 =B32 B16 B16 B16 unknown/base unknown/off)\t{$0..2} {$2..3, $4} [$5:addr];\n"
            "N2(=B32 =B32 =B32 =B32 B16 B16 B16 unknown/base unknown/off)\t{$0..4} {$4..3, $6} [$7:addr];\n");
}

TEST(IsaTableTest, ConditionsAndLet) {
  EXPECT_EQ(Expand("family f\nfor a in x y; b in x y {\n  let both <a><b>\n  if both in xx yy {\n    N<a><b> : : e;\n"
                   "  }\n  else {\n    M<a><b> : : n;\n  }\n}\n"),
            "Nxx()\te;\nMxy()\tn;\nMyx()\tn;\nNyy()\te;\n");
  EXPECT_EQ(Expand("family f\nfor a in x y z {\n  if a not in y {\n    N<a> : : e;\n  }\n}\n"), "Nx()\te;\nNz()\te;\n");
}

TEST(IsaTableTest, BodiesOfOneStatement) {
  EXPECT_EQ(Expand("family f\nfor a in x y :\n  for b in 1 2 :\n    if b in 2 :\n      N<a><b> : : e;\nM : : z;\n"),
            "Nx2()\te;\nNy2()\te;\nM()\tz;\n");
  EXPECT_EQ(Expand("family f\nfor a in x y :\n  if a in x {\n    N<a> : : e;\n    M<a> : : e;\n  }\nK : : z;\n"),
            "Nx()\te;\nMx()\te;\nK()\tz;\n");
}

TEST(IsaTableTest, Costs) {
  IsaTable table;
  ASSERT_TRUE(table.ReadText("units none x y\nlatencies a b\nmachines 75 80 90\n", "t.isa").ok());
  ASSERT_TRUE(table.ReadText("cost a x 4/2 . 5/1/y\n", "t.isa").ok());
  EXPECT_EQ(table.CheckCosts().message(), "the latency 'b' has no cost");
  ASSERT_TRUE(table.ReadText("cost b none 0/0 . .\n", "t.isa").ok());
  EXPECT_TRUE(table.CheckCosts().ok());
  ASSERT_EQ(table.machines().size(), 3u);
  EXPECT_EQ(table.machines()[1].sm, 80);
  EXPECT_EQ(table.machines()[1].costs[0].latency, 4);
  EXPECT_EQ(table.machines()[1].costs[0].unit, 1);
  EXPECT_EQ(table.machines()[2].costs[0].latency, 5);
  EXPECT_EQ(table.machines()[2].costs[0].issue, 1);
  EXPECT_EQ(table.machines()[2].costs[0].unit, 2);
  EXPECT_FALSE(table.ReadText("cost a x 4/2\n", "t.isa").ok());
  EXPECT_FALSE(table.ReadText("cost a x . 4/2 4/2\n", "t.isa").ok());
  EXPECT_FALSE(table.ReadText("cost c x 4/2 . .\n", "t.isa").ok());
  EXPECT_FALSE(table.ReadText("cost a z 4/2 . .\n", "t.isa").ok());
  EXPECT_FALSE(table.ReadText("machines 90\n", "t.isa").ok());
}

TEST(IsaTableTest, TextsHoldAnything) {
  EXPECT_EQ(Expand("text ab = {$a}, <x\nfamily f\nN : a*2:B32 : op <ab>;\n"), "N(B32 B32)\top {$0..2}, <x;\n");
}

TEST(IsaTableTest, NamelessRecordsHaveNamesFromAFile) {
  const char* const kRows = "family f\nfor n in A B {\n  anonymous <n> : : x;\n}\nC : : x;\n";
  IsaTable table;
  ASSERT_TRUE(table.ReadLlvmNamesText("# a comment\nB\tanonymous_7\nA\tanonymous_12\n", "n.tsv").ok());
  ASSERT_TRUE(table.ReadText(kRows, "t.isa").ok());
  ASSERT_EQ(table.rows().size(), 3u);
  EXPECT_EQ(table.rows()[0].name, "anonymous_12");
  EXPECT_EQ(table.rows()[0].stable_name, "A");
  EXPECT_EQ(table.rows()[1].name, "anonymous_7");
  EXPECT_EQ(table.rows()[2].name, "C");
  EXPECT_TRUE(table.CheckLlvmNamesUsed().ok());
  // Without the file, they have none.
  IsaTable nameless;
  ASSERT_TRUE(nameless.ReadText(kRows, "t.isa").ok());
  EXPECT_EQ(nameless.rows()[0].name, "");
  EXPECT_EQ(nameless.rows()[0].stable_name, "A");
}

TEST(IsaTableTest, ErrorsInNamesOfNamelessRecords) {
  IsaTable table;
  EXPECT_EQ(table.ReadLlvmNamesText("\nA anonymous_1\n", "n.tsv").message(), "n.tsv:2: expected NAME<tab>anonymous_N");
  EXPECT_EQ(table.ReadLlvmNamesText("A\tADD\n", "n.tsv").message(), "n.tsv:1: expected NAME<tab>anonymous_N");
  ASSERT_TRUE(table.ReadLlvmNamesText("A\tanonymous_1\nB\tanonymous_2\n", "n.tsv").ok());
  EXPECT_EQ(table.ReadLlvmNamesText("B\tanonymous_3\n", "m.tsv").message(), "m.tsv:1: 'B' has a name already");
  ASSERT_TRUE(table.ReadText("family f\nanonymous A : : x;\n", "t.isa").ok());
  EXPECT_EQ(table.ReadText("family f\nanonymous C : : x;\n", "u.isa").message(),
            "u.isa:2: the file with LLVM's names has none of 'C'");
  EXPECT_EQ(table.CheckLlvmNamesUsed().message(), "n.tsv:2: no table has an anonymous 'B'");
}

TEST(IsaTableTest, ModifiersOfRoles) {
  EXPECT_EQ(Expand("family f\nN : =d:B32 ftz : a$ftz.f32 $d \\\\ $$;\n"),
            "N(=B32 unknown/ftz)\ta$1:ftz.f32 $0 \\ $;\n");
}

TEST(IsaTableTest, ErrorsNameFileAndLine) {
  EXPECT_EQ(ErrorOf("family f\n\n# a comment\nN : a:B33 : x;\n"), "t.isa:4: unknown type 'B33' of 'a:B33'");
  EXPECT_EQ(ErrorOf("N : : x;\n"), "t.isa:1: instruction outside a family");
  EXPECT_EQ(ErrorOf("family f\nN : a:B32\n"), "t.isa:2: expected 'NAME : OPERANDS : TEMPLATE'");
  EXPECT_EQ(ErrorOf("family f\nN : a:B32 : $b;\n"), "t.isa:2: no operand 'b' in N");
  EXPECT_EQ(ErrorOf("family f\nN : a:B32 : ${a:foo};\n"), "t.isa:2: unknown modifier 'foo'");
  EXPECT_EQ(ErrorOf("family f\nN : a:B32 =d:B32 : x;\n"), "t.isa:2: definitions must come first");
  EXPECT_EQ(ErrorOf("family f\nN<x> : : x;\n"), "t.isa:2: unknown variable 'x'");
  EXPECT_EQ(ErrorOf("family f\nN<x : : x;\n"), "t.isa:2: '<' without '>'");
  EXPECT_EQ(ErrorOf("family f\nfor a in 1 2 {\n  N<a> : : x;\n"), "t.isa:2: block is not closed by '}'");
  EXPECT_EQ(ErrorOf("family f\nfor a in 1 2 :\n"), "t.isa:2: the body is missing");
  EXPECT_EQ(ErrorOf("family f\n}\n"), "t.isa:2: '}' closes nothing");
  EXPECT_EQ(ErrorOf("family f\nfor a,b in 1 2 {\n}\n"), "t.isa:2: '1' should hold 2 values");
  EXPECT_EQ(ErrorOf("family f color=red\n"), "t.isa:1: unknown attribute 'color'");
  EXPECT_EQ(ErrorOf("family f sem=add\n"), "t.isa:1: unknown attribute 'sem'");
  EXPECT_EQ(ErrorOf("family f\nN N : : x;\n"), "t.isa:2: not a name: 'N N'");
  EXPECT_EQ(ErrorOf("family f\nN-1 : : x;\n"), "t.isa:2: not an identifier: 'N-1'");
  EXPECT_EQ(ErrorOf("family f\nN : a*200:B32 : x;\n"), "t.isa:2: bad count in 'a*200:B32'");
}

// Returns "NAME SM PTX REMOVED_SM REMOVED_PTX ARCH" for each row, one per line.
std::string Requirements(const std::string& text) {
  IsaTable table;
  EXPECT_TRUE(table.ReadText(kPrelude, "prelude").ok());
  const absl::Status status = table.ReadText(text, "t.isa");
  EXPECT_TRUE(status.ok()) << status.message();
  std::string out;
  for (const IsaRow& row : table.rows()) {
    const IsaRequirement& r = row.requirement;
    out += row.name;
    for (int number : {r.sm, r.ptx, r.removed_sm, r.removed_ptx}) out += " " + std::to_string(number);
    out += " " + (r.arch < 0 ? "-" : table.archs()[r.arch].name) + "\n";
  }
  return out;
}

TEST(IsaTableTest, RequirementsAreInherited) {
  EXPECT_EQ(
      Requirements("family f min_sm=90 min_ptx=78\nA : : x;\nB [min_ptx=80] : : x;\nC [min_sm=- min_ptx=-] : : x;\n"
                   "for t,p in 16,- 32,86 {\n  set min_ptx=<p>\n  D<t> : : x;\n}\nE : : x;\nfamily g\nF : : x;\n"),
      "A 90 78 0 0 -\nB 90 80 0 0 -\nC 0 0 0 0 -\nD16 90 0 0 0 -\nD32 90 86 0 0 -\nE 90 78 0 0 -\nF 0 0 0 0 -\n");
  EXPECT_EQ(
      Requirements("arch one a80=90\narch two f88=100,101 a86=100,101\nfamily f min_sm=30 removed_in=70,64\nA : : x;\n"
                   "B [arch=two removed_in=- min_sm=-] : : x;\n"),
      "A 30 0 70 64 -\nB 0 0 0 0 two\n");
}

TEST(IsaTableTest, ConditionsOfArchs) {
  IsaTable table;
  ASSERT_TRUE(table.ReadText("arch two f88=100,101 a86=103\n", "t.isa").ok());
  ASSERT_EQ(table.archs().size(), 1u);
  const std::vector<IsaArch::Condition>& conditions = table.archs()[0].conditions;
  ASSERT_EQ(conditions.size(), 2u);
  EXPECT_EQ(conditions[0].variant, 'f');
  EXPECT_EQ(conditions[0].ptx, 88);
  EXPECT_EQ(conditions[0].sms, (std::vector<int>{100, 101}));
  EXPECT_EQ(conditions[1].variant, 'a');
  EXPECT_EQ(conditions[1].ptx, 86);
  EXPECT_EQ(conditions[1].sms, (std::vector<int>{103}));
}

TEST(IsaTableTest, TextsHaveNeeds) {
  IsaTable table;
  ASSERT_TRUE(table
                  .ReadText("modifier scope value 0=- 1=.cta 2=.cluster\nmodifier mode bit 64=.relu\n"
                            "needs scope .cta .cluster min_sm=90 min_ptx=78\nneeds mode .relu min_sm=80\n",
                            "t.isa")
                  .ok());
  const std::vector<IsaTextNeed>& needs = table.text_needs();
  ASSERT_EQ(needs.size(), 3u);
  EXPECT_EQ(needs[1].modifier, "scope");
  EXPECT_EQ(needs[1].text, ".cluster");
  EXPECT_EQ(needs[1].value, 2);
  EXPECT_EQ(needs[1].mask, -1);
  EXPECT_EQ(needs[1].requirement.sm, 90);
  EXPECT_EQ(needs[1].requirement.ptx, 78);
  EXPECT_EQ(needs[2].value, 64);
  EXPECT_EQ(needs[2].mask, 64);
  EXPECT_EQ(ErrorOf("needs ftz .ftz min_sm=90\n"),
            "t.isa:1: expected 'needs MODIFIER TEXT... min_sm=SM min_ptx=PTX' with a modifier of values or bits");
  EXPECT_EQ(ErrorOf("modifier m value 1=.a\nneeds m .b min_sm=90\n"), "t.isa:2: modifier 'm' has no text '.b'");
  EXPECT_EQ(ErrorOf("modifier m value 1=.a\nneeds m .a min_sm=9\n"), "t.isa:2: '9' is not the number of an SM");
}

TEST(IsaTableTest, ErrorsInRequirements) {
  EXPECT_EQ(ErrorOf("family f min_sm=9\nN : : x;\n"), "t.isa:2: '9' is not the number of an SM");
  EXPECT_EQ(ErrorOf("family f\nN [min_sm=sm_90] : : x;\n"), "t.isa:2: 'sm_90' is not the number of an SM");
  EXPECT_EQ(ErrorOf("family f\nN [min_ptx=7.8] : : x;\n"), "t.isa:2: '7.8' is not a PTX version times 10");
  EXPECT_EQ(ErrorOf("family f\nN [removed_in=70] : : x;\n"), "t.isa:2: expected removed_in=SM,PTX, not '70'");
  EXPECT_EQ(ErrorOf("family f\nN [arch=blackwell] : : x;\n"), "t.isa:2: unknown arch 'blackwell'");
  EXPECT_EQ(ErrorOf("arch one\n"), "t.isa:1: expected 'arch NAME (a|f)PTX=SM[,SM]...'");
  EXPECT_EQ(ErrorOf("arch one b80=90\n"), "t.isa:1: bad condition 'b80=90'");
  EXPECT_EQ(ErrorOf("arch one a80=\n"), "t.isa:1: bad condition 'a80='");
  EXPECT_EQ(ErrorOf("arch one a80=90,1\n"), "t.isa:1: bad condition 'a80=90,1'");
  EXPECT_EQ(ErrorOf("arch one a80=90,100,101,103,110\n"), "t.isa:1: bad condition 'a80=90,100,101,103,110'");
}

}  // namespace
}  // namespace ptxmir::ptx::isa
