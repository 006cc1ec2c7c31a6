// SPDX-License-Identifier: Apache-2.0

// The numbers of the DWARF standard (version 2 with the later additions that LLVM uses), and the meaning of the
// names that debug information metadata uses for them: DW_TAG_member, DW_OP_plus ...

#ifndef PTXMIR_PTX_DWARF_DWARF_CONSTANTS_H_
#define PTXMIR_PTX_DWARF_DWARF_CONSTANTS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace ptxmir::ptx::dwarf {

enum Tag : uint16_t {
  kTagNone = 0x00,
  kTagArrayType = 0x01,
  kTagClassType = 0x02,
  kTagEnumerationType = 0x04,
  kTagFormalParameter = 0x05,
  kTagImportedDeclaration = 0x08,
  kTagLabel = 0x0a,
  kTagLexicalBlock = 0x0b,
  kTagMember = 0x0d,
  kTagPointerType = 0x0f,
  kTagReferenceType = 0x10,
  kTagCompileUnit = 0x11,
  kTagStringType = 0x12,
  kTagStructureType = 0x13,
  kTagSubroutineType = 0x15,
  kTagTypedef = 0x16,
  kTagUnionType = 0x17,
  kTagUnspecifiedParameters = 0x18,
  kTagInheritance = 0x1c,
  kTagInlinedSubroutine = 0x1d,
  kTagModule = 0x1e,
  kTagPtrToMemberType = 0x1f,
  kTagSubrangeType = 0x21,
  kTagBaseType = 0x24,
  kTagConstType = 0x26,
  kTagEnumerator = 0x28,
  kTagFriend = 0x2a,
  kTagSubprogram = 0x2e,
  kTagTemplateTypeParameter = 0x2f,
  kTagTemplateValueParameter = 0x30,
  kTagThrownType = 0x31,
  kTagVariantPart = 0x33,
  kTagVariable = 0x34,
  kTagVolatileType = 0x35,
  kTagRestrictType = 0x37,
  kTagNamespace = 0x39,
  kTagImportedModule = 0x3a,
  kTagUnspecifiedType = 0x3b,
  kTagImportedUnit = 0x3d,
  kTagRvalueReferenceType = 0x42,
  kTagTemplateAlias = 0x43,
  kTagGenericSubrange = 0x45,
  kTagAtomicType = 0x47,
  kTagImmutableType = 0x4b,
  kTagGnuTemplateTemplateParam = 0x4106,
  kTagGnuTemplateParameterPack = 0x4107,
  kTagLlvmAnnotation = 0x6000,
};

enum Attribute : uint16_t {
  kAtNone = 0x00,
  kAtLocation = 0x02,
  kAtName = 0x03,
  kAtByteSize = 0x0b,
  kAtBitOffset = 0x0c,
  kAtBitSize = 0x0d,
  kAtStmtList = 0x10,
  kAtLowPc = 0x11,
  kAtHighPc = 0x12,
  kAtLanguage = 0x13,
  kAtImport = 0x18,
  kAtCompDir = 0x1b,
  kAtConstValue = 0x1c,
  kAtContainingType = 0x1d,
  kAtDefaultValue = 0x1e,
  kAtInline = 0x20,
  kAtLowerBound = 0x22,
  kAtProducer = 0x25,
  kAtPrototyped = 0x27,
  kAtUpperBound = 0x2f,
  kAtAbstractOrigin = 0x31,
  kAtAccessibility = 0x32,
  kAtAddressClass = 0x33,
  kAtArtificial = 0x34,
  kAtCallingConvention = 0x36,
  kAtCount = 0x37,
  kAtDataMemberLocation = 0x38,
  kAtDeclColumn = 0x39,
  kAtDeclFile = 0x3a,
  kAtDeclLine = 0x3b,
  kAtDeclaration = 0x3c,
  kAtEncoding = 0x3e,
  kAtExternal = 0x3f,
  kAtFrameBase = 0x40,
  kAtFriend = 0x41,
  kAtSpecification = 0x47,
  kAtType = 0x49,
  kAtVirtuality = 0x4c,
  kAtVtableElemLocation = 0x4d,
  kAtByteStride = 0x51,
  kAtCallColumn = 0x57,
  kAtCallFile = 0x58,
  kAtCallLine = 0x59,
  kAtExplicit = 0x63,
  kAtObjectPointer = 0x64,
  kAtEndianity = 0x65,
  kAtElemental = 0x66,
  kAtPure = 0x67,
  kAtRecursive = 0x68,
  kAtMainSubprogram = 0x6a,
  kAtReference = 0x77,
  kAtRvalueReference = 0x78,
  kAtNoreturn = 0x87,
  kAtAlignment = 0x88,
  kAtExportSymbols = 0x89,
  kAtMipsLinkageName = 0x2007,
  kAtGnuVector = 0x2107,
  kAtGnuTemplateName = 0x2110,
  kAtGnuPubnames = 0x2134,
  kAtLlvmTagOffset = 0x3e03,
  kAtAppleRuntimeClass = 0x3fe6,
};

enum Form : uint8_t {
  kFormAddr = 0x01,
  kFormBlock2 = 0x03,
  kFormBlock4 = 0x04,
  kFormData2 = 0x05,
  kFormData4 = 0x06,
  kFormData8 = 0x07,
  kFormString = 0x08,
  kFormBlock1 = 0x0a,
  kFormData1 = 0x0b,
  kFormFlag = 0x0c,
  kFormSdata = 0x0d,
  kFormUdata = 0x0f,
  kFormRefAddr = 0x10,
  kFormRef4 = 0x13,
};

// DW_OP_*. The operations from kOpLlvmFragment on exist only in metadata; their numbers are ours.
enum Operation : uint32_t {
  kOpAddr = 0x03,
  kOpDeref = 0x06,
  kOpConstu = 0x10,
  kOpConsts = 0x11,
  kOpDup = 0x12,
  kOpOver = 0x14,
  kOpSwap = 0x16,
  kOpRot = 0x17,
  kOpXderef = 0x18,
  kOpAbs = 0x19,
  kOpAnd = 0x1a,
  kOpDiv = 0x1b,
  kOpMinus = 0x1c,
  kOpMod = 0x1d,
  kOpMul = 0x1e,
  kOpNeg = 0x1f,
  kOpNot = 0x20,
  kOpOr = 0x21,
  kOpPlus = 0x22,
  kOpPlusUconst = 0x23,
  kOpShl = 0x24,
  kOpShr = 0x25,
  kOpShra = 0x26,
  kOpXor = 0x27,
  kOpEq = 0x29,
  kOpGe = 0x2a,
  kOpGt = 0x2b,
  kOpLe = 0x2c,
  kOpLt = 0x2d,
  kOpNe = 0x2e,
  kOpLit0 = 0x30,
  kOpLit1 = 0x31,
  kOpRegx = 0x90,
  kOpFbreg = 0x91,
  kOpBregx = 0x92,
  kOpPiece = 0x93,
  kOpDerefSize = 0x94,
  kOpPushObjectAddress = 0x97,
  kOpCallFrameCfa = 0x9c,
  kOpBitPiece = 0x9d,
  kOpStackValue = 0x9f,
  kOpLlvmFragment = 0x1000,
  kOpLlvmConvert,
  kOpLlvmTagOffset,
  kOpLlvmEntryValue,
  kOpLlvmImplicitPointer,
  kOpLlvmArg,
  kOpLlvmExtractBitsSext,
  kOpLlvmExtractBitsZext,
};

// DW_ATE_*.
enum Encoding : uint8_t {
  kAteBoolean = 0x02,
  kAteSigned = 0x05,
  kAteSignedChar = 0x06,
  kAteUnsigned = 0x07,
  kAteUnsignedChar = 0x08,
  kAteUtf = 0x10,
};

enum : uint8_t {
  kAccessPublic = 1,
  kAccessProtected = 2,
  kAccessPrivate = 3,
  kCcNormal = 1,
  kCcPassByReference = 4,
  kCcPassByValue = 5,
  kInlInlined = 1,
  kVirtualityVirtual = 1,
};

enum Language : uint16_t {
  kLangC89 = 0x01,
  kLangC = 0x02,
  kLangCPlusPlus = 0x04,
  kLangFortran77 = 0x07,
  kLangFortran90 = 0x08,
  kLangC99 = 0x0c,
  kLangObjC = 0x10,
  kLangObjCPlusPlus = 0x11,
  kLangCPlusPlus03 = 0x19,
  kLangCPlusPlus11 = 0x1a,
  kLangCPlusPlus14 = 0x21,
  kLangCPlusPlus17 = 0x2b,
  kLangCPlusPlus20 = 0x2c,
};

// cuda-gdb's numbers for the state spaces of variables (PTX Writer's Guide to Interoperability, "CUDA-specific
// DWARF").
enum : uint8_t {
  kAddressClassRegister = 2,
  kAddressClassConst = 4,
  kAddressClassGlobal = 5,
  kAddressClassLocal = 6,
  kAddressClassShared = 8,
  kAddressClassGeneric = 12,
};

// Return the number that a name in metadata stands for, or nullopt if the name is unknown.
std::optional<uint16_t> FindTag(std::string_view name);               // DW_TAG_member
std::optional<uint16_t> FindLanguage(std::string_view name);          // DW_LANG_C_plus_plus_14
std::optional<uint64_t> FindOperation(std::string_view name);         // DW_OP_plus
std::optional<uint8_t> FindEncoding(std::string_view name);           // DW_ATE_signed
std::optional<uint8_t> FindCallingConvention(std::string_view name);  // DW_CC_normal

}  // namespace ptxmir::ptx::dwarf

#endif  // PTXMIR_PTX_DWARF_DWARF_CONSTANTS_H_
