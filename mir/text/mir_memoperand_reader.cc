// SPDX-License-Identifier: Apache-2.0

// Reads memory operands:
//
//     (volatile load acquire (s32) from %ir.p + 4, align 8, basealign 16, !tbaa !3, addrspace 1)

#include <bit>
#include <cstring>

#include "base/str_cat.h"
#include "mir/text/mir_body_reader.h"

namespace ptxmir {

using mir_lexer::FindWord;
using mir_lexer::HasClass;
using mir_lexer::IsDigit;
using mir_lexer::IsEol;
using mir_lexer::kIdentifierStart;
using mir_lexer::ScanString;
using mir_lexer::SkipIdentifier;
using mir_lexer::SkipSpace;
using mir_lexer::Spelling;
using mir_lexer::TextFrom;
using mir_lexer::Unescape;
using mir_lexer::Word;

namespace {

using ValueKind = MachineMemOperand::ValueKind;

uint16_t MemFlagOf(Word word) {
  switch (word) {
    case Word::kVolatile:
      return MachineMemOperand::kVolatile;
    case Word::kNonTemporal:
      return MachineMemOperand::kNonTemporal;
    case Word::kDereferenceable:
      return MachineMemOperand::kDereferenceable;
    case Word::kInvariant:
      return MachineMemOperand::kInvariant;
    default:
      return 0;
  }
}

AtomicOrdering OrderingOf(Word word) {
  switch (word) {
    case Word::kUnordered:
      return AtomicOrdering::kUnordered;
    case Word::kMonotonic:
      return AtomicOrdering::kMonotonic;
    case Word::kAcquire:
      return AtomicOrdering::kAcquire;
    case Word::kRelease:
      return AtomicOrdering::kRelease;
    case Word::kAcqRel:
      return AtomicOrdering::kAcquireRelease;
    case Word::kSeqCst:
      return AtomicOrdering::kSequentiallyConsistent;
    default:
      return AtomicOrdering::kNotAtomic;
  }
}

}  // namespace

const char* MirBodyReader::ReadMemOperand(const char* p, const MachineMemOperand** memoperand) {
  if (*p != '(') return ErrorExpected(p, '(');
  MachineMemOperand result;
  p = ReadMemAccess(SkipSpace(p + 1), &result);
  if (p == nullptr) return nullptr;
  p = SkipSpace(p);
  if (HasClass(*p, kIdentifierStart)) {
    p = ReadMemAddress(p, &result);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
  }
  // Without a stated alignment, an access is aligned to its size.
  const uint64_t size = result.SizeInBytes();
  uint64_t base_align = size <= 1 ? 1 : size > (uint64_t{1} << 32) ? uint64_t{1} << 32 : std::bit_ceil(size);
  while (*p == ',') {
    p = ReadMemAttribute(SkipSpace(p + 1), &result, &base_align);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
  }
  if (*p != ')') return ErrorExpected(p, ')');
  result.base_align_log2 = static_cast<uint8_t>(std::countr_zero(base_align));
  result.align_log2 = result.base_align_log2;
  if (result.offset != 0) {
    const int offset_align = std::countr_zero(static_cast<uint64_t>(result.offset));
    if (offset_align < result.align_log2) result.align_log2 = static_cast<uint8_t>(offset_align);
  }
  *memoperand = function_.CreateMemOperand(result);
  return p + 1;
}

// Reads the part up to the type: "volatile load syncscope("device") acquire (s32)".
const char* MirBodyReader::ReadMemAccess(const char* p, MachineMemOperand* memoperand) {
  const char* begin = p;
  Word word = Word::kNone;
  while (true) {
    begin = p;
    if (*p == '"') {
      std::string_view flag;
      p = ScanString(p, &flag);
      if (p == nullptr) {
        return Error(begin, "end of machine instruction reached before the closing '\"'");
      }
      return Error(begin, StrCat("use of undefined target MMO flag '", flag, "'"));
    }
    p = SkipIdentifier(p);
    word = FindWord(TextFrom(begin, p));
    const uint16_t flag = MemFlagOf(word);
    if (flag == 0) break;
    if (memoperand->flags & flag) {
      return Error(begin, StrCat("duplicate '", TextFrom(begin, p), "' memory operand flag"));
    }
    memoperand->flags |= flag;
    p = SkipSpace(p);
  }
  if (word != Word::kLoad && word != Word::kStore) {
    return Error(begin, "expected 'load' or 'store' memory operation");
  }
  memoperand->flags |= word == Word::kLoad ? MachineMemOperand::kLoad : MachineMemOperand::kStore;
  p = SkipSpace(p);
  if (*p != '(') {
    p = ReadMemOrdering(p, memoperand);
    if (p == nullptr) return nullptr;
  }
  return ReadMemType(p, memoperand);
}

const char* MirBodyReader::ReadMemOrdering(const char* p, MachineMemOperand* memoperand) {
  int orderings = 0;
  bool may_store = true;
  bool may_scope = true;
  while (HasClass(*p, kIdentifierStart)) {
    const char* begin = p;
    p = SkipIdentifier(p);
    const Word word = FindWord(TextFrom(begin, p));
    if (word == Word::kUnknownSize || orderings == 2) return begin;
    const AtomicOrdering ordering = OrderingOf(word);
    p = SkipSpace(p);
    if (word == Word::kStore && may_store) {
      memoperand->flags |= MachineMemOperand::kStore;
    } else if (word == Word::kSyncscope && may_scope) {
      may_scope = false;
      if (*p != '(') return Error(p, "expected '(' in syncscope");
      p = SkipSpace(p + 1);
      if (*p != '"') return Error(p, "expected string constant");
      const char* string = p;
      std::string_view raw;
      p = ScanString(p, &raw);
      if (p == nullptr) {
        return Error(string, "end of machine instruction reached before the closing '\"'");
      }
      memoperand->syncscope =
          raw.find('\\') == std::string_view::npos ? raw : function_.arena().CopyString(Unescape(raw));
      p = SkipSpace(p);
      if (*p != ')') return Error(p, "expected ')' in syncscope");
      p = SkipSpace(p + 1);
    } else if (ordering != AtomicOrdering::kNotAtomic) {
      const bool is_success = orderings++ == 0;
      (is_success ? memoperand->success_ordering : memoperand->failure_ordering) = ordering;
      may_scope = false;
    } else {
      return Error(begin, "expected an atomic scope, ordering or a size specification");
    }
    may_store = false;
  }
  return p;
}

const char* MirBodyReader::ReadMemType(const char* p, MachineMemOperand* memoperand) {
  if (*p == '(') {
    p = ReadLowLevelType(SkipSpace(p + 1), &memoperand->type);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (*p != ')') return ErrorExpected(p, ')');
    memoperand->has_known_size = true;
    return p + 1;
  }
  if (IsDigit(*p)) {
    const char* number = p;
    uint64_t bytes = 0;
    p = ReadInteger(p, ~uint64_t{0}, "an integer literal", &bytes);
    if (p == nullptr) return nullptr;
    if (bytes > ~uint32_t{0} / 8) return Error(number, "invalid size for scalar type");
    memoperand->type.kind = LowLevelType::Kind::kScalar;
    memoperand->type.bits = static_cast<uint32_t>(bytes * 8);
    memoperand->has_known_size = true;
    return p;
  }
  const char* end = SkipIdentifier(p);
  if (FindWord(TextFrom(p, end)) == Word::kUnknownSize) return end;
  return Error(p, "expected memory LLT, the size integer literal or 'unknown-size' after memory operation");
}

// Reads "from %ir.p + 4".
const char* MirBodyReader::ReadMemAddress(const char* p, MachineMemOperand* memoperand) {
  const char* begin = p;
  p = SkipIdentifier(p);
  const Word word = FindWord(TextFrom(begin, p));
  const Word expected = !memoperand->is_load() ? Word::kInto : memoperand->is_store() ? Word::kOn : Word::kFrom;
  if (word != expected) return Error(begin, StrCat("expected '", Spelling(expected), "'"));
  p = SkipSpace(p);
  const char* value = p;
  std::string_view quoted;
  if (*p == '%' && std::strncmp(p, "%ir.", 4) == 0) {
    p += 4;
    p = *p == '"' ? ScanString(p, &quoted) : SkipIdentifier(p);
    memoperand->value_kind = ValueKind::kIrValue;
  } else if (*p == '`') {
    const char* close = p + 1;
    while (*close != '`' && !IsEol(*close)) ++close;
    if (*close != '`') return Error(p, "end of machine instruction reached before the closing '`'");
    memoperand->value_kind = ValueKind::kIrExpression;
    memoperand->text = TextFrom(p + 1, close);
    return ReadOffset(close + 1, &memoperand->offset);
  } else if (*p == '@') {
    GlobalId global = 0;
    p = ReadGlobal(p, &global);
    if (p == nullptr) return nullptr;
    memoperand->value_kind = ValueKind::kGlobal;
  } else {
    p = ReadMemPseudoAddress(p, memoperand);
    return p == nullptr ? nullptr : ReadOffset(p, &memoperand->offset);
  }
  if (p == nullptr) return Error(value, "end of machine instruction reached before the closing '\"'");
  memoperand->text = TextFrom(value, p);
  return ReadOffset(p, &memoperand->offset);
}

// Reads an address that is not an IR value.
const char* MirBodyReader::ReadMemPseudoAddress(const char* p, MachineMemOperand* memoperand) {
  const char* begin = p;
  if (*p == '%') {
    const bool is_fixed = std::strncmp(p, "%fixed-stack.", 13) == 0;
    if (!is_fixed && std::strncmp(p, "%stack.", 7) != 0) {
      return Error(p, "expected an IR value reference");
    }
    memoperand->value_kind = ValueKind::kFrameIndex;
    return ReadStackReference(p, is_fixed, &memoperand->frame_index);
  }
  p = SkipIdentifier(p);
  switch (FindWord(TextFrom(begin, p))) {
    case Word::kUnknownAddress:
      memoperand->value_kind = ValueKind::kUnknownAddress;
      return p;
    case Word::kStack:
      memoperand->value_kind = ValueKind::kStack;
      return p;
    case Word::kGot:
      memoperand->value_kind = ValueKind::kGot;
      return p;
    case Word::kJumpTable:
      memoperand->value_kind = ValueKind::kJumpTable;
      return p;
    case Word::kConstantPool:
      memoperand->value_kind = ValueKind::kConstantPool;
      return p;
    case Word::kCallEntry: {
      p = SkipSpace(p);
      const char* callee = p;
      if (*p == '@') {
        GlobalId global = 0;
        memoperand->value_kind = ValueKind::kCallEntryGlobal;
        p = ReadGlobal(p, &global);
      } else if (*p == '&') {
        SymbolId symbol = 0;
        memoperand->value_kind = ValueKind::kCallEntrySymbol;
        p = ReadSymbolName(p, &symbol);
      } else {
        return Error(p, "expected a global value or an external symbol after 'call-entry'");
      }
      if (p != nullptr) memoperand->text = TextFrom(callee, p);
      return p;
    }
    case Word::kCustom: {
      p = SkipSpace(p);
      const char* string = p;
      std::string_view raw;
      if (*p != '"') return Error(p, "expected string constant");
      p = ScanString(p, &raw);
      if (p == nullptr) {
        return Error(string, "end of machine instruction reached before the closing '\"'");
      }
      memoperand->value_kind = ValueKind::kCustom;
      memoperand->text = TextFrom(string, p);
      return p;
    }
    default:
      return Error(begin, "expected an IR value reference");
  }
}

const char* MirBodyReader::ReadAlignment(const char* p, uint64_t* alignment) {
  const char* number = p;
  if (!IsDigit(*p)) return Error(p, "expected an integer literal after 'align'");
  p = ReadInteger(p, ~uint64_t{0}, "an integer literal", alignment);
  if (p == nullptr) return nullptr;
  if (!std::has_single_bit(*alignment) || *alignment > uint64_t{1} << 32) {
    return Error(number, "expected a power-of-2 literal after 'align'");
  }
  return p;
}

// Reads one of "align 8", "basealign 16", "addrspace 1", "!tbaa !3" ...
const char* MirBodyReader::ReadMemAttribute(const char* p, MachineMemOperand* memoperand, uint64_t* base_align) {
  if (*p == '!') return ReadMemMetadata(p, memoperand);
  const char* begin = p;
  p = SkipIdentifier(p);
  const Word word = FindWord(TextFrom(begin, p));
  p = SkipSpace(p);
  switch (word) {
    case Word::kAddrspace: {
      uint64_t space = 0;
      if (!IsDigit(*p)) return Error(p, "expected an integer literal after 'addrspace'");
      p = ReadInteger(p, ~uint32_t{0}, "an integer literal", &space);
      memoperand->address_space = static_cast<uint32_t>(space);
      return p;
    }
    case Word::kAlign: {
      const char* after = ReadAlignment(p, base_align);
      if (after != nullptr && (static_cast<uint64_t>(memoperand->offset) & (*base_align - 1)) != 0) {
        return Error(p, "specified alignment is more aligned than offset");
      }
      return after;
    }
    case Word::kBasealign:
      return ReadAlignment(p, base_align);
    default:
      return Error(begin,
                   "expected 'align' or '!tbaa' or '!alias.scope' or '!noalias' or '!range' or "
                   "'!noalias.addrspace'");
  }
}

const char* MirBodyReader::ReadMemMetadata(const char* p, MachineMemOperand* memoperand) {
  const char* begin = p++;
  p = SkipIdentifier(p);
  const std::string_view name = TextFrom(begin + 1, p);
  MetadataId* metadata = name == "tbaa"                ? &memoperand->tbaa
                         : name == "alias.scope"       ? &memoperand->alias_scope
                         : name == "noalias"           ? &memoperand->noalias
                         : name == "range"             ? &memoperand->range
                         : name == "noalias.addrspace" ? &memoperand->noalias_addrspace
                                                       : nullptr;
  if (metadata == nullptr) {
    return Error(begin, StrCat("use of unknown metadata keyword '", TextFrom(begin, p), "'"));
  }
  p = SkipSpace(p);
  if (*p != '!') return Error(p, "expected metadata id after '!'");
  return ReadMetadata(p, metadata);
}

}  // namespace ptxmir
