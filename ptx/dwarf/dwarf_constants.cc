// SPDX-License-Identifier: Apache-2.0

#include "ptx/dwarf/dwarf_constants.h"

#include <charconv>
#include <cstddef>

namespace ptxmir::ptx::dwarf {
namespace {

struct NamedNumber {
  std::string_view name;  // without the prefix
  uint32_t number;
};

constexpr NamedNumber kTags[] = {
    {"array_type", kTagArrayType},
    {"class_type", kTagClassType},
    {"enumeration_type", kTagEnumerationType},
    {"formal_parameter", kTagFormalParameter},
    {"imported_declaration", kTagImportedDeclaration},
    {"label", kTagLabel},
    {"lexical_block", kTagLexicalBlock},
    {"member", kTagMember},
    {"pointer_type", kTagPointerType},
    {"reference_type", kTagReferenceType},
    {"compile_unit", kTagCompileUnit},
    {"string_type", kTagStringType},
    {"structure_type", kTagStructureType},
    {"subroutine_type", kTagSubroutineType},
    {"typedef", kTagTypedef},
    {"union_type", kTagUnionType},
    {"unspecified_parameters", kTagUnspecifiedParameters},
    {"inheritance", kTagInheritance},
    {"inlined_subroutine", kTagInlinedSubroutine},
    {"module", kTagModule},
    {"ptr_to_member_type", kTagPtrToMemberType},
    {"subrange_type", kTagSubrangeType},
    {"base_type", kTagBaseType},
    {"const_type", kTagConstType},
    {"enumerator", kTagEnumerator},
    {"friend", kTagFriend},
    {"subprogram", kTagSubprogram},
    {"template_type_parameter", kTagTemplateTypeParameter},
    {"template_value_parameter", kTagTemplateValueParameter},
    {"thrown_type", kTagThrownType},
    {"variant_part", kTagVariantPart},
    {"variable", kTagVariable},
    {"volatile_type", kTagVolatileType},
    {"restrict_type", kTagRestrictType},
    {"namespace", kTagNamespace},
    {"imported_module", kTagImportedModule},
    {"unspecified_type", kTagUnspecifiedType},
    {"imported_unit", kTagImportedUnit},
    {"rvalue_reference_type", kTagRvalueReferenceType},
    {"template_alias", kTagTemplateAlias},
    {"generic_subrange", kTagGenericSubrange},
    {"atomic_type", kTagAtomicType},
    {"immutable_type", kTagImmutableType},
    {"GNU_template_template_param", kTagGnuTemplateTemplateParam},
    {"GNU_template_parameter_pack", kTagGnuTemplateParameterPack},
};

constexpr NamedNumber kLanguages[] = {
    {"C89", 0x01},
    {"C", 0x02},
    {"Ada83", 0x03},
    {"C_plus_plus", 0x04},
    {"Cobol74", 0x05},
    {"Cobol85", 0x06},
    {"Fortran77", 0x07},
    {"Fortran90", 0x08},
    {"Pascal83", 0x09},
    {"Modula2", 0x0a},
    {"Java", 0x0b},
    {"C99", 0x0c},
    {"Ada95", 0x0d},
    {"Fortran95", 0x0e},
    {"PLI", 0x0f},
    {"ObjC", 0x10},
    {"ObjC_plus_plus", 0x11},
    {"UPC", 0x12},
    {"D", 0x13},
    {"Python", 0x14},
    {"OpenCL", 0x15},
    {"Go", 0x16},
    {"Modula3", 0x17},
    {"Haskell", 0x18},
    {"C_plus_plus_03", 0x19},
    {"C_plus_plus_11", 0x1a},
    {"OCaml", 0x1b},
    {"Rust", 0x1c},
    {"C11", 0x1d},
    {"Swift", 0x1e},
    {"Julia", 0x1f},
    {"Dylan", 0x20},
    {"C_plus_plus_14", 0x21},
    {"Fortran03", 0x22},
    {"Fortran08", 0x23},
    {"RenderScript", 0x24},
    {"BLISS", 0x25},
    {"Kotlin", 0x26},
    {"Zig", 0x27},
    {"Crystal", 0x28},
    {"C_plus_plus_17", 0x2b},
    {"C_plus_plus_20", 0x2c},
    {"C17", 0x2d},
    {"Fortran18", 0x2e},
    {"Ada2005", 0x2f},
    {"Ada2012", 0x30},
    {"HIP", 0x31},
    {"Assembly", 0x32},
    {"C_sharp", 0x33},
    {"Mojo", 0x34},
    {"GLSL", 0x35},
    {"GLSL_ES", 0x36},
    {"HLSL", 0x37},
    {"OpenCL_CPP", 0x38},
    {"CPP_for_OpenCL", 0x39},
    {"SYCL", 0x3a},
    {"Ruby", 0x40},
    {"Move", 0x41},
    {"Hylo", 0x42},
    {"Metal", 0x3d},
};

constexpr NamedNumber kOperations[] = {
    {"deref", kOpDeref},
    {"constu", kOpConstu},
    {"consts", kOpConsts},
    {"dup", kOpDup},
    {"over", kOpOver},
    {"swap", kOpSwap},
    {"rot", kOpRot},
    {"xderef", kOpXderef},
    {"abs", kOpAbs},
    {"and", kOpAnd},
    {"div", kOpDiv},
    {"minus", kOpMinus},
    {"mod", kOpMod},
    {"mul", kOpMul},
    {"neg", kOpNeg},
    {"not", kOpNot},
    {"or", kOpOr},
    {"plus", kOpPlus},
    {"plus_uconst", kOpPlusUconst},
    {"shl", kOpShl},
    {"shr", kOpShr},
    {"shra", kOpShra},
    {"xor", kOpXor},
    {"eq", kOpEq},
    {"ge", kOpGe},
    {"gt", kOpGt},
    {"le", kOpLe},
    {"lt", kOpLt},
    {"ne", kOpNe},
    {"regx", kOpRegx},
    {"bregx", kOpBregx},
    {"deref_size", kOpDerefSize},
    {"push_object_address", kOpPushObjectAddress},
    {"stack_value", kOpStackValue},
    {"LLVM_fragment", kOpLlvmFragment},
    {"LLVM_convert", kOpLlvmConvert},
    {"LLVM_tag_offset", kOpLlvmTagOffset},
    {"LLVM_entry_value", kOpLlvmEntryValue},
    {"LLVM_implicit_pointer", kOpLlvmImplicitPointer},
    {"LLVM_arg", kOpLlvmArg},
    {"LLVM_extract_bits_sext", kOpLlvmExtractBitsSext},
    {"LLVM_extract_bits_zext", kOpLlvmExtractBitsZext},
};

constexpr NamedNumber kEncodings[] = {
    {"address", 0x01},
    {"boolean", kAteBoolean},
    {"complex_float", 0x03},
    {"float", 0x04},
    {"signed", kAteSigned},
    {"signed_char", kAteSignedChar},
    {"unsigned", kAteUnsigned},
    {"unsigned_char", kAteUnsignedChar},
    {"imaginary_float", 0x09},
    {"packed_decimal", 0x0a},
    {"numeric_string", 0x0b},
    {"edited", 0x0c},
    {"signed_fixed", 0x0d},
    {"unsigned_fixed", 0x0e},
    {"decimal_float", 0x0f},
    {"UTF", kAteUtf},
    {"UCS", 0x11},
    {"ASCII", 0x12},
};

constexpr NamedNumber kCallingConventions[] = {
    {"normal", kCcNormal},
    {"program", 0x02},
    {"nocall", 0x03},
    {"pass_by_reference", kCcPassByReference},
    {"pass_by_value", kCcPassByValue},
    {"GNU_renesas_sh", 0x40},
    {"GNU_borland_fastcall_i386", 0x41},
    {"BORLAND_safecall", 0xb0},
    {"BORLAND_stdcall", 0xb1},
    {"BORLAND_pascal", 0xb2},
    {"BORLAND_msfastcall", 0xb3},
    {"BORLAND_msreturn", 0xb4},
    {"BORLAND_thiscall", 0xb5},
    {"BORLAND_fastcall", 0xb6},
    {"LLVM_vectorcall", 0xc0},
    {"LLVM_Win64", 0xc1},
    {"LLVM_X86_64SysV", 0xc2},
    {"LLVM_AAPCS", 0xc3},
    {"LLVM_AAPCS_VFP", 0xc4},
    {"LLVM_IntelOclBicc", 0xc5},
    {"LLVM_SpirFunction", 0xc6},
    {"LLVM_DeviceKernel", 0xc7},
    {"LLVM_Swift", 0xc8},
    {"LLVM_PreserveMost", 0xc9},
    {"LLVM_PreserveAll", 0xca},
    {"LLVM_X86RegCall", 0xcb},
};

template <size_t kCount>
std::optional<uint32_t> Find(const NamedNumber (&table)[kCount], std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  for (const NamedNumber& entry : table) {
    if (entry.name == name) return entry.number;
  }
  return std::nullopt;
}

// Returns the number after `stem` ("reg" in "reg12"), at most 31.
std::optional<uint32_t> NumberAfter(std::string_view stem, std::string_view name) {
  if (!name.starts_with(stem) || name.size() == stem.size()) return std::nullopt;
  uint32_t number = 0;
  const char* end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data() + stem.size(), end, number);
  if (error != std::errc() || last != end || number > 31) return std::nullopt;
  return number;
}

}  // namespace

std::optional<uint16_t> FindTag(std::string_view name) { return Find(kTags, "DW_TAG_", name); }

std::optional<uint16_t> FindLanguage(std::string_view name) { return Find(kLanguages, "DW_LANG_", name); }

std::optional<uint64_t> FindOperation(std::string_view name) {
  if (const auto found = Find(kOperations, "DW_OP_", name)) return *found;
  constexpr std::string_view kPrefix = "DW_OP_";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (const auto number = NumberAfter("lit", name)) return kOpLit0 + *number;
  if (const auto number = NumberAfter("reg", name)) return 0x50 + *number;
  if (const auto number = NumberAfter("breg", name)) return 0x70 + *number;
  return std::nullopt;
}

std::optional<uint8_t> FindEncoding(std::string_view name) { return Find(kEncodings, "DW_ATE_", name); }

std::optional<uint8_t> FindCallingConvention(std::string_view name) {
  return Find(kCallingConventions, "DW_CC_", name);
}

}  // namespace ptxmir::ptx::dwarf
