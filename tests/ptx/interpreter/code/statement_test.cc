// SPDX-License-Identifier: Apache-2.0

// Parses the text of templates and the inline assembly that people write.

#include "ptx/interpreter/code/statement.h"

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"

namespace ptxmir::ptx {
namespace {

using OperandKind = StatementOperand::Kind;

std::string Show(const StatementOperand& operand) {
  std::string out;
  if (operand.after_bar) out += "|";
  if (operand.negated) out += "!";
  switch (operand.kind) {
    case OperandKind::kRegister:
      StrAppend(&out, "reg ", operand.name);
      break;
    case OperandKind::kImmediate:
      StrAppend(&out, operand.value);
      break;
    case OperandKind::kFloat:
      StrAppend(&out, "f", static_cast<int>(operand.bits), " ", absl::StrCat(absl::Hex(operand.value)));
      break;
    case OperandKind::kSymbol:
      StrAppend(&out, "sym ", operand.name);
      if (operand.value != 0) StrAppend(&out, "+", operand.value);
      break;
    case OperandKind::kAddress:
      StrAppend(&out, operand.register_base ? "[reg " : "[sym ", operand.name, "+", operand.value, "]");
      break;
    case OperandKind::kSink:
      out += "_";
      break;
  }
  if (!operand.selector.empty()) StrAppend(&out, ".", operand.selector);
  return out;
}

// Returns a statement as text: "@!p base.parts op; op", with {} for vectors, () for calls, [] for brackets.
std::string Show(const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::kLabel:
      return StrCat("label ", statement.mnemonic.text());
    case Statement::Kind::kDeclaration:
      return StrCat("declaration ", statement.mnemonic.text());
    case Statement::Kind::kOpen:
      return "{";
    case Statement::Kind::kClose:
      return "}";
    case Statement::Kind::kRegisters:
    case Statement::Kind::kInstruction:
      break;
  }
  std::string out;
  if (statement.kind == Statement::Kind::kRegisters) {
    StrAppend(&out, "reg", static_cast<int>(statement.type.bits));
    for (const StatementOperand& operand : statement.operands) StrAppend(&out, " ", operand.name, ":", operand.value);
    return out;
  }
  if (statement.has_guard) StrAppend(&out, statement.guard_negated ? "@!" : "@", statement.guard, " ");
  out += std::string(statement.mnemonic.text());
  for (const StatementOperand& operand : statement.operands) {
    StrAppend(&out, " <", static_cast<int>(operand.group), operand.in_braces ? "{}" : "", operand.in_parens ? "()" : "",
              operand.in_bracket ? "[]" : "", " ", Show(operand), ">");
  }
  return out;
}

std::string Parse(std::string_view text) {
  const auto statements = ParseStatements(text);
  if (!statements.ok()) return StrCat("error: ", FromAbsl(statements.status().message()));
  std::string out;
  for (const Statement& statement : *statements) StrAppend(&out, out.empty() ? "" : "\n", Show(statement));
  return out;
}

Statement ParseOne(std::string_view text) {
  auto statements = ParseStatements(text);
  EXPECT_TRUE(statements.ok()) << text;
  EXPECT_EQ(statements->size(), 1u) << text;
  return statements.ok() && !statements->empty() ? statements->front() : Statement();
}

TEST(MnemonicTest, Parts) {
  const Mnemonic mnemonic("mma.sync.kind::f8f6f4.shared::cta.f32");
  EXPECT_EQ(mnemonic.base(), "mma");
  ASSERT_EQ(mnemonic.parts().size(), 4u);
  EXPECT_TRUE(mnemonic.Has("kind::f8f6f4"));
  EXPECT_TRUE(mnemonic.Has("shared::cta"));
  EXPECT_FALSE(mnemonic.Has("shared"));
  EXPECT_EQ(mnemonic.Last(), "f32");
  EXPECT_EQ(mnemonic.Last(3), "sync");
  EXPECT_EQ(mnemonic.Last(4), "");
  EXPECT_EQ(Mnemonic("exit").base(), "exit");
  EXPECT_EQ(Mnemonic("exit").Last(), "");
}

TEST(ScalarTypeTest, All) {
  using Kind = ScalarType::Kind;
  const auto is = [](std::string_view text, Kind kind, int bits, int elements, unsigned register_bits) {
    const ScalarType type = ParseScalarType(text);
    EXPECT_EQ(type.kind, kind) << text;
    EXPECT_EQ(type.bits, bits) << text;
    EXPECT_EQ(type.elements, elements) << text;
    EXPECT_EQ(type.RegisterBits(), register_bits) << text;
  };
  is("s32", Kind::kSigned, 32, 1, 32);
  is("u8", Kind::kUnsigned, 8, 1, 16);
  is("b128", Kind::kBits, 128, 1, 128);
  is("pred", Kind::kPred, 1, 1, 1);
  is("f16x2", Kind::kFloat, 16, 2, 32);
  is("bf16x2", Kind::kBFloat, 16, 2, 32);
  is("bf16", Kind::kBFloat, 16, 1, 16);
  is("f32x2", Kind::kFloat, 32, 2, 64);
  is("tf32", Kind::kOther, 32, 1, 32);
  is("e4m3x2", Kind::kOther, 8, 2, 16);
  is("e2m1x4", Kind::kOther, 4, 4, 16);
  is("e5m2x4", Kind::kOther, 8, 4, 32);
  is("ue8m0x2", Kind::kOther, 8, 2, 16);
  for (std::string_view text : {"rn", "ftz", "f4e", "b4e", "rc8", "v2", "x4", "m8n8", "lo", "b0", "f8", "s128", "bf32",
                                "u032", "f16x3", "", "32", "global", "L1"}) {
    EXPECT_FALSE(ParseScalarType(text).is_valid()) << text;
  }
}

TEST(StatementTest, TemplateForms) {
  EXPECT_EQ(Parse("\tadd.s32 \t%r1, %r2, -5;\n"), "add.s32 <0 reg %r1> <1 reg %r2> <2 -5>");
  EXPECT_EQ(Parse("{ .reg .b16 tmp; mov.b32 {tmp, %rs1}, %r2; }"),
            "{\nreg16 tmp:0\nmov.b32 <0{} reg tmp> <0{} reg %rs1> <1 reg %r2>\n}");
  EXPECT_EQ(Parse("\tmov.b32 \t{%rs1, _}, %r2;"), "mov.b32 <0{} reg %rs1> <0{} _> <1 reg %r2>");
  EXPECT_EQ(Parse("@%p1 bra \t$L__BB0_3;"), "@%p1 bra <0 sym $L__BB0_3>");
  EXPECT_EQ(Parse("setp.lt.ftz.f32 \t%p1|%p2, %r1, 0f3F800000;"),
            "setp.lt.ftz.f32 <0 reg %p1> <0 |reg %p2> <1 reg %r1> "
            "<2 f32 3f800000>");
  EXPECT_EQ(Parse("ld.global.b32 \t%r1, [%rd1+8];"), "ld.global.b32 <0 reg %r1> <1 [reg %rd1+8]>");
  EXPECT_EQ(Parse("ld.b32 %r1, [%rd1+-8];"), "ld.b32 <0 reg %r1> <1 [reg %rd1+-8]>");
  EXPECT_EQ(Parse("ld.b32 %r1, [sym+4];"), "ld.b32 <0 reg %r1> <1 [sym sym+4]>");
  EXPECT_EQ(Parse("ld.b32 %r1, [4096];"), "ld.b32 <0 reg %r1> <1 [sym +4096]>");
  EXPECT_EQ(Parse("st.v2.b32 [%rd1], {%r1, 7};"), "st.v2.b32 <0 [reg %rd1+0]> <1{} reg %r1> <1{} 7>");
  EXPECT_EQ(Parse("mov.b64 %rd1, sym+16;"), "mov.b64 <0 reg %rd1> <1 sym sym+16>");
  EXPECT_EQ(Parse("mov.u32 \t%r1, %tid.x;"), "mov.u32 <0 reg %r1> <1 sym %tid.x>");
  EXPECT_EQ(Parse("mov.u64 %rd1, %clock64;"), "mov.u64 <0 reg %rd1> <1 sym %clock64>");
  EXPECT_EQ(Parse("mov.u32 \t%r1, WARP_SZ;"), "mov.u32 <0 reg %r1> <1 32>");
  EXPECT_EQ(Parse("add.u64 \t%rd2, %SPL, 8;"), "add.u64 <0 reg %rd2> <1 reg %SPL> <2 8>");
  EXPECT_EQ(Parse("trap; exit;"), "trap\nexit");
  EXPECT_EQ(Parse("{ // callseq 1, 0"), "{");
  EXPECT_EQ(Parse(".param .align 8 .b8 \tparam0[16];"), "declaration .param .align 8 .b8 \tparam0[16]");
  EXPECT_EQ(Parse(".pragma \"used_bytes_mask 0xfff; x\";\n\tld.b32 %r1, [a];"),
            "declaration .pragma \"used_bytes_mask 0xfff; x\"\n"
            "ld.b32 <0 reg %r1> <1 [sym a+0]>");
  EXPECT_EQ(Parse(".loc 1 2 3\n exit;"), "declaration .loc 1 2 3\nexit");
  EXPECT_EQ(Parse("$L_brx_0: .branchtargets\n\t$L1,\n\t$L2;\n\tbrx.idx %r1, "
                  "$L_brx_0;"),
            "label $L_brx_0\ndeclaration .branchtargets\n\t$L1,\n\t$L2\n"
            "brx.idx <0 reg %r1> <1 sym $L_brx_0>");
}

TEST(StatementTest, Textures) {
  EXPECT_EQ(Parse("tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [t, %rd1, {%r5, %r6}];"),
            "tex.2d.v4.f32.f32 <0{} reg %r1> <0{} reg %r2> <0{} reg %r3> "
            "<0{} reg %r4> <1[] sym t> <2[] reg %rd1> <3{}[] reg %r5> "
            "<3{}[] reg %r6>");
  EXPECT_EQ(Parse("cp.async.bulk.tensor.1d [%r0], [%rd1+64, {%r2}], [%r3];"),
            "cp.async.bulk.tensor.1d <0 [reg %r0+0]> <1[] [reg %rd1+64]> "
            "<2{}[] reg %r2> <3 [reg %r3+0]>");
}

TEST(StatementTest, Calls) {
  EXPECT_EQ(Parse("call.uni (retval0), callee, (param0, param1);"),
            "call.uni <0() sym retval0> <1 sym callee> <2() sym param0> "
            "<2() sym param1>");
  EXPECT_EQ(Parse("call (retval0), %rd1, (param0), prototype_0;"),
            "call <0() sym retval0> <1 reg %rd1> <2() sym param0> "
            "<3 sym prototype_0>");
  EXPECT_EQ(Parse("call.uni callee, ();"), "call.uni <0 sym callee>");
  EXPECT_EQ(NumResultGroups(ParseOne("call (r), f, (p);")), 1u);
  EXPECT_EQ(NumResultGroups(ParseOne("call f, (p);")), 0u);
}

TEST(StatementTest, InlineAssembly) {
  EXPECT_EQ(Parse("{\n.reg.b16 i,r;\n mov.b16 r,0X2B7CU;\n mov.b32 %r1, {0,r}}"),
            "{\nreg16 i:0 r:0\nmov.b16 <0 reg r> <1 11132>\n"
            "mov.b32 <0 reg %r1> <1{} 0> <1{} reg r>\n}");
  EXPECT_EQ(Parse("{.reg .pred __$temp3;\nsetp.lt.f16 __$temp3, %rs1, %rs2;}"),
            "{\nreg1 __$temp3:0\n"
            "setp.lt.f16 <0 reg __$temp3> <1 reg %rs1> <2 reg %rs2>\n}");
  EXPECT_EQ(Parse("{.reg .b32 t<4>; mov.b32 t3, t4; } mov.b32 t0, 1"),
            "{\nreg32 t:4\nmov.b32 <0 reg t3> <1 sym t4>\n}\n"
            "mov.b32 <0 sym t0> <1 1>");
  EXPECT_EQ(Parse("{ .reg .f32 %clock, %tid; add.f32 %clock, %tid, %tid; }"),
            "{\nreg32 %clock:0 %tid:0\n"
            "add.f32 <0 reg %clock> <1 reg %tid> <2 reg %tid>\n}");
  EXPECT_EQ(Parse("LAB_WAIT:\n@!p bra.uni LAB_WAIT; // again\n/* a\nb */ ret"),
            "label LAB_WAIT\n@!p bra.uni <0 sym LAB_WAIT>\nret");
  EXPECT_EQ(Parse("mbarrier.arrive.shared::cluster.b64 _, [%r1], %r2;"),
            "mbarrier.arrive.shared::cluster.b64 <0 _> <1 [reg %r1+0]> "
            "<2 reg %r2>");
  EXPECT_EQ(Parse("vadd.s32.u32.s32.sat %r0, %r1.b0, %r2.h1;"),
            "vadd.s32.u32.s32.sat <0 reg %r0> <1 reg %r1.b0> <2 reg %r2.h1>");
  EXPECT_EQ(Parse("setp.lt.and.s32 %p1, %r1, 2, !%p2;"), "setp.lt.and.s32 <0 reg %p1> <1 reg %r1> <2 2> <3 !reg %p2>");
  EXPECT_EQ(Parse("elect.sync _|%p1, 0xffffffff;"), "elect.sync <0 _> <0 |reg %p1> <1 4294967295>");
  EXPECT_EQ(Parse("ld.b32 %r1, [%rd1 + 4*8 - 2];"), "ld.b32 <0 reg %r1> <1 [reg %rd1+30]>");
}

TEST(StatementTest, Numbers) {
  EXPECT_EQ(Parse("a 0x1F, 0x1FU, 017, 0b101, 0, -1, 0xffffffffffffffff"),
            "a <0 31> <1 31> <2 15> <3 5> <4 0> <5 -1> <6 -1>");
  EXPECT_EQ(Parse("a (1<<5)-1, 2+3*4, ~0, -(3)"), "a <0 31> <1 14> <2 -1> <3 -3>");
  EXPECT_EQ(Parse("a 1.5, -2.0, 1e3, .5, -0f3F800000, 0d3FF0000000000000"),
            "a <0 f64 3ff8000000000000> <1 f64 c000000000000000> "
            "<2 f64 408f400000000000> <3 f64 3fe0000000000000> "
            "<4 f32 bf800000> <5 f64 3ff0000000000000>");
  const Statement one = ParseOne("a 0.1");
  EXPECT_EQ(FloatImmediate(one.operands[0], 32), 0x3dcccccdu);
  EXPECT_EQ(FloatImmediate(one.operands[0], 64), 0x3fb999999999999aull);
  EXPECT_EQ(FloatImmediate(ParseOne("a 0f3F800000").operands[0], 64), 0x3ff0000000000000ull);
}

TEST(StatementTest, Results) {
  for (std::string_view text : {"add.s32 %r1, %r2, 3;", "ld.b32 %r1, [%rd1];", "bar.red.popc.u32 %r1, 0, %p1;",
                                "mbarrier.arrive.shared.b64 _, [%r1];", "activemask.b32 %r1;",
                                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1}, %rd1, %rd2, "
                                "1, 1, 1, 0, 0;",
                                "tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r1}, [%r2];", "atom.add.u32 %r1, [%rd1], 1;",
                                "wmma.load.a.sync {%r1}, [%rd1], 16;"}) {
    EXPECT_EQ(NumResultGroups(ParseOne(text)), 1u) << text;
  }
  for (std::string_view text :
       {"st.b32 [%rd1], %r1;", "red.add.u32 [%rd1], 1;", "bar.sync 0, 64;", "barrier.arrive 1, %r1;",
        "bar.warp.sync %r1;", "exit;", "bra L;", "mbarrier.init.shared.b64 [%r1], 3;", "cp.async.wait_group 3;",
        "wgmma.wait_group.sync.aligned 0;", "nanosleep.u32 %r1;", "setmaxnreg.inc.sync.aligned.u32 232;",
        "sust.b.2d.b32.trap [s, {%r1, %r2}], {%r3};", "wmma.store.d.sync [%rd1], {%r1}, 16;",
        "tcgen05.dealloc.sync %r1, 32;"}) {
    EXPECT_EQ(NumResultGroups(ParseOne(text)), 0u) << text;
  }
}

TEST(StatementTest, Errors) {
  EXPECT_EQ(Parse("exit;\nadd.s32 %r1 %r2;"), "error: line 2: expected ';' before '%'");
  EXPECT_EQ(Parse("}"), "error: line 1: '}' without '{'");
  EXPECT_EQ(Parse("/* a"), "error: line 1: comment without end");
  EXPECT_EQ(Parse("mov.b32 %r1, ;"), "error: line 1: expected an operand before ';'");
  EXPECT_EQ(Parse("mov.b32 %r1, {1, 2"), "error: line 1: expected '}' before the end");
  EXPECT_EQ(Parse("ld.b32 %r1, [%rd1+%rd2];"), "error: line 1: expected an operand before '%'");
  EXPECT_EQ(Parse("mov.b32 %r1, 0f3F80;"), "error: line 1: expected 8 hexadecimal digits");
  EXPECT_EQ(Parse("mov.b32 %r1, 99999999999999999999;"), "error: line 1: an invalid number, or one that is too large");
  EXPECT_EQ(Parse("mov.b32 %r1, 12abc;"), "error: line 1: a number followed by letters");
  EXPECT_EQ(Parse("mov.b32 %r1, %r2.q;"), "error: line 1: unknown part '.q' of a register");
  EXPECT_EQ(Parse(".reg .foo a;"), "error: line 1: unknown type of registers '.foo'");
  EXPECT_EQ(Parse("@ ;"), "error: line 1: expected a predicate before ';'");
  EXPECT_EQ(Parse("#"), "error: line 1: expected an instruction before '#'");
  EXPECT_EQ(Parse("mov.b32 %r1, " + std::string(1000, '(')), "error: line 1: parentheses nested too deeply");
}

// Damaged text must give an error or a result, never a crash.
TEST(StatementTest, EveryPrefixAndDeletion) {
  const std::string text =
      "{ .reg .b32 t<4>; @!%p1 tex.2d.v4.f32.f32 {%r1, _}, [t, %rd1, {%r5}]; "
      "L: call (r), f, (p, 0f3F800000), q; /* c */ ld.b32 t1, [t2+-8*(1<<2)]; "
      ".param .b32 x[4]; setp.lt.s32 p|q, %r1.b0, 0x1FU, !p; }";
  for (size_t i = 0; i < text.size(); ++i) {
    Parse(text.substr(0, i));
    std::string without = text;
    without.erase(i, 1);
    Parse(without);
    Parse(text.substr(i));
  }
}

}  // namespace
}  // namespace ptxmir::ptx
