// SPDX-License-Identifier: Apache-2.0

// The parts of debug information that can be tested without a compiler: encodings, location expressions, and the
// handling of invalid metadata. tests/parity compares whole files with llc's.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "ptx/dwarf/dwarf_constants.h"
#include "ptx/dwarf/dwarf_debug_expression.h"
#include "ptx/dwarf/dwarf_die.h"
#include "ptx/dwarf/dwarf_location.h"
#include "ptx/target/ptx_target.h"
#include "ptx/writer/ptx_writer.h"

namespace ptxmir::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> Bytes(const DwarfBlock& block) {
  std::vector<int> bytes;
  for (char c : block.bytes) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}

TEST(DwarfBlockTest, EncodesNumbers) {
  DwarfBlock block;
  block.AddUnsigned(0);
  block.AddUnsigned(127);
  block.AddUnsigned(128);
  block.AddUnsigned(624485);
  EXPECT_THAT(Bytes(block), ElementsAre(0, 0x7f, 0x80, 1, 0xe5, 0x8e, 0x26));
  DwarfBlock with_sign;
  with_sign.AddSigned(-1);
  with_sign.AddSigned(63);
  with_sign.AddSigned(64);
  with_sign.AddSigned(-65);
  EXPECT_THAT(Bytes(with_sign), ElementsAre(0x7f, 0x3f, 0xc0, 0, 0xbf, 0x7f));
}

TEST(DwarfDieTest, ChoosesTheSmallestForm) {
  EXPECT_EQ(SmallestUnsignedForm(255), dwarf::kFormData1);
  EXPECT_EQ(SmallestUnsignedForm(256), dwarf::kFormData2);
  EXPECT_EQ(SmallestUnsignedForm(1ull << 32), dwarf::kFormData8);
  EXPECT_EQ(SmallestSignedForm(-128), dwarf::kFormData1);
  EXPECT_EQ(SmallestSignedForm(128), dwarf::kFormData2);
}

TEST(DwarfDieTest, SizesAgreeWithEncodings) {
  for (int64_t value : {int64_t{0}, int64_t{63}, int64_t{64}, int64_t{-64}, int64_t{-65}, INT64_MAX, INT64_MIN}) {
    DwarfBlock as_signed, as_unsigned;
    as_signed.AddSigned(value);
    as_unsigned.AddUnsigned(static_cast<uint64_t>(value));
    EXPECT_EQ(SizeOfSigned(value), as_signed.bytes.size()) << value;
    EXPECT_EQ(SizeOfUnsigned(static_cast<uint64_t>(value)), as_unsigned.bytes.size()) << value;
  }
}

TEST(DwarfDieTest, SharesAbbreviationsOfOneLayout) {
  Die root, child, twin, other;
  root.tag = dwarf::kTagCompileUnit;
  for (Die* die : {&child, &twin, &other}) {
    die->tag = dwarf::kTagVariable;
    root.AddChild(die);
  }
  for (Die* die : {&child, &twin}) {
    die->values.push_back(DieValue{
        .attribute = dwarf::kAtName, .form = dwarf::kFormString, .kind = DieValue::Kind::kString, .text = "abc"});
  }
  DwarfAbbreviations abbreviations;
  const uint32_t size = LayOutUnit(root, 8, abbreviations);
  EXPECT_EQ(abbreviations.entries().size(), 3u);
  EXPECT_EQ(child.abbreviation, twin.abbreviation);
  EXPECT_NE(child.abbreviation, other.abbreviation);
  EXPECT_EQ(root.offset, kUnitHeaderSize);
  EXPECT_EQ(child.offset, kUnitHeaderSize + 1);
  EXPECT_EQ(twin.offset, child.offset + 5);  // abbreviation, "abc", 0
  EXPECT_EQ(size, other.offset + 2);         // abbreviation, end of children
}

TEST(DwarfRegisterTest, IsTheName) {
  const std::vector<PrintedRegister> registers = {PrintedRegister(reg_class::kB32, 12),
                                                  PrintedRegister(reg_class::kB64, 123456), PrintedRegister()};
  EXPECT_EQ(DwarfRegisterNumber(Register::Virtual(0), registers), 0x25723132u);   // "%r12"
  EXPECT_EQ(DwarfRegisterNumber(Register::Virtual(1), registers), std::nullopt);  // more than eight characters
  EXPECT_EQ(DwarfRegisterNumber(Register::Virtual(2), registers), std::nullopt);
  EXPECT_EQ(DwarfRegisterNumber(Register::Virtual(3), registers), std::nullopt);
  EXPECT_EQ(DwarfRegisterNumber(Register(), registers), std::nullopt);
  EXPECT_EQ(DwarfRegisterNumber(Register::Physical(phys_reg::kDepot), registers), 0x255350u);  // "%SP"
}

using Operation = DebugExpression::Operation;

class LocationTest : public ::testing::Test {
 protected:
  std::vector<int> Locate(DebugValue value, uint64_t encoding = 0) {
    DwarfBlock block;
    LocationBuilder builder(block, registers_, 8);
    AddDebugValue(value, encoding, builder);
    return Bytes(block);
  }
  static DebugValue InRegister(std::vector<Operation> operations, bool is_indirect = false) {
    DebugValue value;
    value.expression = DebugExpression(std::move(operations));
    value.places.push_back({.kind = DebugValue::Place::Kind::kRegister,
                            .is_indirect = is_indirect,
                            .reg = Register::Virtual(0),
                            .bits = 0,
                            .words = {},
                            .width = 0});
    return value;
  }
  static DebugValue Number(uint64_t bits, std::vector<Operation> operations = {}) {
    DebugValue value;
    value.expression = DebugExpression(std::move(operations));
    value.places.emplace_back().bits = bits;
    return value;
  }

 private:
  const std::vector<PrintedRegister> registers_ = {PrintedRegister(reg_class::kB32, 1)};  // 0x257231
};

TEST_F(LocationTest, Register) { EXPECT_THAT(Locate(InRegister({})), ElementsAre(0x90, 0xb1, 0xe4, 0x95, 1)); }

TEST_F(LocationTest, AddressInRegister) {
  EXPECT_THAT(Locate(InRegister({}, true)), ElementsAre(0x92, 0xb1, 0xe4, 0x95, 1, 0));
  EXPECT_THAT(Locate(InRegister({{dwarf::kOpPlusUconst, {5, 0}}, {dwarf::kOpDeref, {}}})),
              ElementsAre(0x92, 0xb1, 0xe4, 0x95, 1, 5));
  EXPECT_THAT(Locate(InRegister({{dwarf::kOpConstu, {5, 0}}, {dwarf::kOpMinus, {}}, {dwarf::kOpDeref, {}}})),
              ElementsAre(0x92, 0xb1, 0xe4, 0x95, 1, 0x7b));
}

TEST_F(LocationTest, VersionTwoHasNoStackValue) {
  EXPECT_THAT(Locate(InRegister({{dwarf::kOpPlusUconst, {5, 0}}, {dwarf::kOpStackValue, {}}})), ElementsAre());
}

TEST_F(LocationTest, Constants) {
  EXPECT_THAT(Locate(Number(7)), ElementsAre(0x37));
  EXPECT_THAT(Locate(Number(300)), ElementsAre(0x10, 0xac, 2));
  EXPECT_THAT(Locate(Number(~uint64_t{0})), ElementsAre(0x30, 0x20));
  EXPECT_THAT(Locate(Number(~uint64_t{0}), dwarf::kAteSigned), ElementsAre(0x11, 0x7f));
  EXPECT_THAT(Locate(Number(9), dwarf::kAteBoolean), ElementsAre(0x31));
}

TEST_F(LocationTest, PartOfVariable) {
  // The location of the first four bytes is unknown.
  EXPECT_THAT(Locate(Number(1, {{dwarf::kOpLlvmFragment, {32, 16}}})), ElementsAre(0x93, 4, 0x31, 0x93, 2));
}

DebugExpression Expression(std::vector<Operation> operations) { return DebugExpression(std::move(operations)); }

TEST(DebugExpressionTest, Fragments) {
  const DebugExpression low = Expression({{dwarf::kOpLlvmFragment, {0, 32}}});
  const DebugExpression middle = Expression({{dwarf::kOpLlvmFragment, {16, 32}}});
  const DebugExpression high = Expression({{dwarf::kOpLlvmFragment, {32, 32}}});
  EXPECT_FALSE(low.Overlaps(high));
  EXPECT_TRUE(low.Overlaps(middle));
  EXPECT_TRUE(DebugExpression().Overlaps(high));
}

TEST(DebugExpressionTest, AddressClass) {
  const DebugExpression shared = Expression({{dwarf::kOpConstu, {8, 0}}, {dwarf::kOpSwap, {}}, {dwarf::kOpXderef, {}}});
  std::optional<uint64_t> address_class;
  EXPECT_TRUE(shared.WithoutAddressClass(&address_class).empty());
  EXPECT_EQ(address_class, 8u);
}

// Prints a kernel with a variable in a register. `metadata` follows the metadata that the kernel needs.
std::string PrintKernel(std::string_view metadata) {
  const std::string mir = StrCat(R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  define ptx_kernel void @k(i32 %x) !dbg !4 {
    ret void, !dbg !7
  }
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2}
  !0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "p", emissionKind: FullDebug, retainedTypes: !20, nameTableKind: None)
  !1 = !DIFile(filename: "k.cu", directory: ".")
  !2 = !{i32 2, !"Debug Info Version", i32 3}
)",
                                 metadata, R"(...
---
name:            k
tracksRegLiveness: true
registers:
  - { id: 0, class: b32 }
body:             |
  bb.0:
    %0:b32 = LD_i32 0, 0, 101, 3, 32, -1, &k_param_0, 0, debug-location !7 :: (load (s32), addrspace 101)
    DBG_VALUE %0, $noreg, !6, !DIExpression(), debug-location !7
    Return debug-location !7
...
)");
  DiagnosticEngine diagnostics;
  auto buffer = std::make_shared<SourceBuffer>("k.mir", mir);
  const std::unique_ptr<Module> module = ReadMir(buffer, PtxTargetInfo(), diagnostics);
  if (module == nullptr) return StrCat("reader: ", diagnostics.ToString());
  std::string text;
  const bool ok = WritePtx(*module, {.cpu = "sm_80", .features = ""}, diagnostics, text);
  return ok ? text : StrCat("writer: ", diagnostics.ToString());
}

constexpr std::string_view kFunction =
    "  !4 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 1, type: !5, scopeLine: 1, "
    "spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !8)\n"
    "  !5 = !DISubroutineType(types: !9)\n"
    "  !8 = !{!6}\n"
    "  !9 = !{null, !10}\n";
constexpr std::string_view kVariable =
    "  !6 = !DILocalVariable(name: \"x\", arg: 1, scope: !4, file: !1, line: 1, type: !10)\n";
constexpr std::string_view kLocation = "  !7 = !DILocation(line: 2, column: 3, scope: !4)\n";
constexpr std::string_view kType = "  !10 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n";

TEST(DwarfSectionsTest, DescribeAKernel) {
  const std::string text = PrintKernel(StrCat(kFunction, kVariable, kLocation, kType, "  !20 = !{}\n"));
  EXPECT_THAT(text, HasSubstr(".target sm_80, debug\n"));
  EXPECT_THAT(text, HasSubstr("\t.section\t.debug_abbrev\n\t{\n"));
  EXPECT_THAT(text, HasSubstr("\t.section\t.debug_info\n\t{\n"));
  EXPECT_THAT(text, HasSubstr(".b64 $L__func_begin0\n.b64 $L__func_end0\n"));
  // The variable has no location before the load, so there is a location list.
  EXPECT_THAT(text, HasSubstr("$L__debug_loc0:\n"));
}

// A file must be printed for any metadata.
TEST(DwarfSectionsTest, SurviveDamagedMetadata) {
  const std::string good_type(kType);
  const std::pair<std::string_view, std::string> damages[] = {
      {"a typedef of itself", "  !10 = !DIDerivedType(tag: DW_TAG_typedef, name: \"t\", baseType: !10)\n"},
      {"a type in itself", "  !10 = !DICompositeType(tag: DW_TAG_structure_type, name: \"s\", scope: !10, size: 8)\n"},
      {"a restricted type of itself", "  !10 = !DIDerivedType(tag: DW_TAG_restrict_type, baseType: !10)\n"},
      {"an enumeration of itself",
       "  !10 = !DICompositeType(tag: DW_TAG_enumeration_type, baseType: !10, elements: !11)\n"
       "  !11 = !{!12}\n  !12 = !DIEnumerator(name: \"e\", value: 1)\n"},
      {"a member of its own type",
       "  !10 = !DICompositeType(tag: DW_TAG_structure_type, size: 8, elements: !11)\n  !11 = !{!12, !10, null}\n"
       "  !12 = !DIDerivedType(tag: DW_TAG_member, baseType: !12, size: 3, flags: DIFlagBitField)\n"},
      {"namespaces in a circle",
       "  !10 = !DICompositeType(tag: DW_TAG_structure_type, scope: !11, size: 8)\n"
       "  !11 = !DINamespace(name: \"a\", scope: !12)\n  !12 = !DINamespace(name: \"b\", scope: !11)\n"},
      {"an unknown tag", "  !10 = !DIDerivedType(tag: DW_TAG_nothing)\n"},
      {"no type", "  !10 = !{!10}\n"},
      {"nothing", "  !10 = !{}\n"},
  };
  for (const auto& [what, type] : damages) {
    const std::string text = PrintKernel(StrCat(kFunction, kVariable, kLocation, type, "  !20 = !{!10, null, !4}\n"));
    EXPECT_THAT(text, HasSubstr("\t.section\t.debug_info\n")) << what;
  }
  const std::pair<std::string_view, std::string> scopes[] = {
      {"blocks in a circle",
       "  !7 = !DILocation(line: 2, scope: !13)\n  !13 = !DILexicalBlock(scope: !14, file: !1)\n"
       "  !14 = !DILexicalBlock(scope: !13, file: !1)\n"},
      {"calls in a circle", "  !7 = distinct !DILocation(line: 2, scope: !4, inlinedAt: !7)\n"},
      {"a call from a type", "  !7 = !DILocation(line: 2, scope: !4, inlinedAt: !10)\n"},
      {"a scope that is none", "  !7 = !DILocation(line: 2, scope: !10)\n"},
      {"another function's location",
       "  !7 = !DILocation(line: 2, scope: !13)\n"
       "  !13 = distinct !DISubprogram(name: \"o\", unit: !0, scope: !13)\n"},
  };
  for (const auto& [what, scope] : scopes) {
    const std::string text = PrintKernel(StrCat(kFunction, kVariable, scope, good_type, "  !20 = !{}\n"));
    EXPECT_THAT(text, HasSubstr("\t.section\t.debug_info\n")) << what;
  }
}

TEST(DwarfSectionsTest, BoundRecursionThroughTypes) {
  std::string types = "  !20 = !{!100}\n";
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    StrAppend(&types, "  !", 100 + i, " = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !", 101 + i, ")\n");
  }
  StrAppend(&types, "  !", 100 + kCount, " = !{}\n");
  const std::string text = PrintKernel(StrCat(kFunction, kVariable, kLocation, kType, types));
  EXPECT_THAT(text, HasSubstr("\t.section\t.debug_info\n"));
}

}  // namespace
}  // namespace ptxmir::ptx
