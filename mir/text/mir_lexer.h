// SPDX-License-Identifier: Apache-2.0

// Scans the text of MIR's machine code: character classes, numbers, names, strings and keywords.
//
// There are no token objects. The readers walk over the text with a `const char*` and decide by the next
// character. A word is looked up in a table only where a word is allowed. This requires a character after the text
// that ends every token: the buffer's terminating zero, a line break, or the closing quote of a YAML scalar.

#ifndef PTXMIR_MIR_TEXT_MIR_LEXER_H_
#define PTXMIR_MIR_TEXT_MIR_LEXER_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ptxmir::mir_lexer {

enum CharClass : uint8_t {
  kIdentifierChar = 1 << 0,   // letters, digits, '_', '-', '.', '$'
  kIdentifierStart = 1 << 1,  // letters and '_'
  kDigitChar = 1 << 2,
  kBlankChar = 1 << 3,     // space and tab
  kEndOfLine = 1 << 4,     // line breaks and the terminating zero
  kSpecialBlank = 1 << 5,  // '/' and ';', which may begin a comment
};

inline constexpr std::array<uint8_t, 256> kCharClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kIdentifierChar | kIdentifierStart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kIdentifierChar | kIdentifierStart;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kIdentifierChar | kDigitChar;
  classes['_'] = kIdentifierChar | kIdentifierStart;
  classes['-'] = classes['.'] = classes['$'] = kIdentifierChar;
  classes[' '] = classes['\t'] = kBlankChar;
  classes['\n'] = classes['\r'] = classes[0] = kEndOfLine;
  classes['/'] = classes[';'] = kSpecialBlank;
  return classes;
}();

inline bool HasClass(char c, uint8_t classes) { return (kCharClasses[static_cast<uint8_t>(c)] & classes) != 0; }
inline bool IsIdentifier(char c) { return HasClass(c, kIdentifierChar); }
inline bool IsDigit(char c) { return HasClass(c, kDigitChar); }
inline bool IsEol(char c) { return HasClass(c, kEndOfLine); }

// Skips comments and the blanks after them. `p` is at a '/' or ';', which need not begin a comment.
const char* SkipComments(const char* p);

// Skips blanks and comments within a line.
inline const char* SkipSpace(const char* p) {
  while (HasClass(*p, kBlankChar)) ++p;
  if (HasClass(*p, kSpecialBlank)) [[unlikely]]
    return SkipComments(p);
  return p;
}

inline const char* SkipIdentifier(const char* p) {
  while (IsIdentifier(*p)) ++p;
  return p;
}

inline std::string_view TextFrom(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

// Reads decimal digits; `p` is at the first. Sets `overflow` if the value exceeds 64 bits.
inline const char* ScanUnsigned(const char* p, uint64_t* value, bool* overflow) {
  uint64_t n = static_cast<uint64_t>(*p++ - '0');
  const char* begin = p;
  while (IsDigit(*p)) n = n * 10 + static_cast<uint64_t>(*p++ - '0');
  if (p - begin > 18) [[unlikely]] {
    // Up to 19 digits always fit. Longer numbers are checked digit by digit.
    n = 0;
    for (const char* q = begin - 1; q < p; ++q) {
      const uint64_t digit = static_cast<uint64_t>(*q - '0');
      if (__builtin_mul_overflow(n, uint64_t{10}, &n) || __builtin_add_overflow(n, digit, &n)) {
        *overflow = true;
      }
    }
  }
  *value = n;
  return p;
}

// Reads zero or more hexadecimal digits. Sets `overflow` if the value exceeds 64 bits.
const char* ScanHex(const char* p, uint64_t* value, bool* overflow);

// Reads a quoted string with \xx escapes; `p` is at the opening quote. Sets `raw` to the text between the quotes.
// Returns null if the line ends before the closing quote.
const char* ScanString(const char* p, std::string_view* raw);
// Decodes the text of a string: "\\" is a backslash, \xx is the byte with this number. All other text, including
// any other backslash, stands for itself.
std::string Unescape(std::string_view raw);

// The keywords of MIR.
enum class Word : uint8_t {
  kNone,
  // Register flags.
  kDef,
  kImplicit,
  kImplicitDef,
  kDead,
  kKilled,
  kUndef,
  kInternal,
  kEarlyClobber,
  kDebugUse,
  kRenamable,
  kTiedDef,
  // Instruction flags, in the order of MachineInstr::Flag.
  kFrameSetup,
  kFrameDestroy,
  kNnan,
  kNinf,
  kNsz,
  kArcp,
  kContract,
  kAfn,
  kReassoc,
  kNuw,
  kNsw,
  kExact,
  kNofpexcept,
  kNomerge,
  kUnpredictable,
  kNoconvergent,
  kNneg,
  kDisjoint,
  kSamesign,
  kNusw,
  kInbounds,
  kLrSplit,
  // Keywords that may follow the operands.
  kDebugLocation,
  kDebugInstrNumber,
  kPreInstrSymbol,
  kPostInstrSymbol,
  kHeapAllocMarker,
  kPcsections,
  kMmra,
  kCfiType,
  // Operands.
  kHalf,
  kBFloat,
  kFloat,
  kDouble,
  kX86Fp80,
  kFp128,
  kPpcFp128,
  kBlockaddress,
  kIntrinsic,
  kTargetIndex,
  kTargetFlags,
  kLiveout,
  kFloatpred,
  kIntpred,
  kShufflemask,
  kDbgInstrRef,
  kLanemask,
  kCustomRegMask,
  // Block headers and lists.
  kSuccessors,
  kLiveins,
  kLiveouts,
  kMachineBlockAddressTaken,
  kIrBlockAddressTaken,
  kLandingPad,
  kInlineasmBrIndirectTarget,
  kEhfuncletEntry,
  kEhscopeEntry,
  kBbsections,
  kBbId,
  kCallFrameSize,
  // Memory operands.
  kLoad,
  kStore,
  kVolatile,
  kDereferenceable,
  kInvariant,
  kNonTemporal,
  kSyncscope,
  kUnordered,
  kMonotonic,
  kAcquire,
  kRelease,
  kAcqRel,
  kSeqCst,
  kUnknownSize,
  kUnknownAddress,
  kFrom,
  kInto,
  kOn,
  kAlign,
  kBasealign,
  kAddrspace,
  kStack,
  kGot,
  kJumpTable,
  kConstantPool,
  kCallEntry,
  kCustom,
  // Flags of INLINEASM, in the order of their bits.
  kSideeffect,
  kAlignstack,
  kInteldialect,
  kMayload,
  kMaystore,
  kIsconvergent,
  kAttdialect,
};

// Returns true for a word that may stand before an opcode, like nsw.
inline bool IsInstrFlag(Word word) { return word >= Word::kFrameSetup && word <= Word::kLrSplit; }

// Returns kNone if the text is not a keyword.
Word FindWord(std::string_view text);
std::string_view Spelling(Word word);

}  // namespace ptxmir::mir_lexer

#endif  // PTXMIR_MIR_TEXT_MIR_LEXER_H_
