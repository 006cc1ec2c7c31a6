// SPDX-License-Identifier: Apache-2.0

#include "mir/text/mir_lexer.h"

namespace ptxmir::mir_lexer {
namespace {

struct Entry {
  std::string_view text;
  Word word;
};

constexpr Entry kWords[] = {
    {"def", Word::kDef},
    {"implicit", Word::kImplicit},
    {"implicit-def", Word::kImplicitDef},
    {"dead", Word::kDead},
    {"killed", Word::kKilled},
    {"undef", Word::kUndef},
    {"internal", Word::kInternal},
    {"early-clobber", Word::kEarlyClobber},
    {"debug-use", Word::kDebugUse},
    {"renamable", Word::kRenamable},
    {"tied-def", Word::kTiedDef},
    {"frame-setup", Word::kFrameSetup},
    {"frame-destroy", Word::kFrameDestroy},
    {"nnan", Word::kNnan},
    {"ninf", Word::kNinf},
    {"nsz", Word::kNsz},
    {"arcp", Word::kArcp},
    {"contract", Word::kContract},
    {"afn", Word::kAfn},
    {"reassoc", Word::kReassoc},
    {"nuw", Word::kNuw},
    {"nsw", Word::kNsw},
    {"exact", Word::kExact},
    {"nofpexcept", Word::kNofpexcept},
    {"nomerge", Word::kNomerge},
    {"unpredictable", Word::kUnpredictable},
    {"noconvergent", Word::kNoconvergent},
    {"nneg", Word::kNneg},
    {"disjoint", Word::kDisjoint},
    {"samesign", Word::kSamesign},
    {"nusw", Word::kNusw},
    {"inbounds", Word::kInbounds},
    {"lr-split", Word::kLrSplit},
    {"debug-location", Word::kDebugLocation},
    {"debug-instr-number", Word::kDebugInstrNumber},
    {"pre-instr-symbol", Word::kPreInstrSymbol},
    {"post-instr-symbol", Word::kPostInstrSymbol},
    {"heap-alloc-marker", Word::kHeapAllocMarker},
    {"pcsections", Word::kPcsections},
    {"mmra", Word::kMmra},
    {"cfi-type", Word::kCfiType},
    {"half", Word::kHalf},
    {"bfloat", Word::kBFloat},
    {"float", Word::kFloat},
    {"double", Word::kDouble},
    {"x86_fp80", Word::kX86Fp80},
    {"fp128", Word::kFp128},
    {"ppc_fp128", Word::kPpcFp128},
    {"blockaddress", Word::kBlockaddress},
    {"intrinsic", Word::kIntrinsic},
    {"target-index", Word::kTargetIndex},
    {"target-flags", Word::kTargetFlags},
    {"liveout", Word::kLiveout},
    {"floatpred", Word::kFloatpred},
    {"intpred", Word::kIntpred},
    {"shufflemask", Word::kShufflemask},
    {"dbg-instr-ref", Word::kDbgInstrRef},
    {"lanemask", Word::kLanemask},
    {"CustomRegMask", Word::kCustomRegMask},
    {"successors", Word::kSuccessors},
    {"liveins", Word::kLiveins},
    {"liveouts", Word::kLiveouts},
    {"machine-block-address-taken", Word::kMachineBlockAddressTaken},
    {"address-taken", Word::kMachineBlockAddressTaken},
    {"ir-block-address-taken", Word::kIrBlockAddressTaken},
    {"landing-pad", Word::kLandingPad},
    {"inlineasm-br-indirect-target", Word::kInlineasmBrIndirectTarget},
    {"ehfunclet-entry", Word::kEhfuncletEntry},
    {"ehscope-entry", Word::kEhscopeEntry},
    {"bbsections", Word::kBbsections},
    {"bb_id", Word::kBbId},
    {"call-frame-size", Word::kCallFrameSize},
    {"load", Word::kLoad},
    {"store", Word::kStore},
    {"volatile", Word::kVolatile},
    {"dereferenceable", Word::kDereferenceable},
    {"invariant", Word::kInvariant},
    {"non-temporal", Word::kNonTemporal},
    {"syncscope", Word::kSyncscope},
    {"unordered", Word::kUnordered},
    {"monotonic", Word::kMonotonic},
    {"acquire", Word::kAcquire},
    {"release", Word::kRelease},
    {"acq_rel", Word::kAcqRel},
    {"seq_cst", Word::kSeqCst},
    {"unknown-size", Word::kUnknownSize},
    {"unknown-address", Word::kUnknownAddress},
    {"from", Word::kFrom},
    {"into", Word::kInto},
    {"on", Word::kOn},
    {"align", Word::kAlign},
    {"basealign", Word::kBasealign},
    {"addrspace", Word::kAddrspace},
    {"stack", Word::kStack},
    {"got", Word::kGot},
    {"jump-table", Word::kJumpTable},
    {"constant-pool", Word::kConstantPool},
    {"call-entry", Word::kCallEntry},
    {"custom", Word::kCustom},
    {"sideeffect", Word::kSideeffect},
    {"alignstack", Word::kAlignstack},
    {"inteldialect", Word::kInteldialect},
    {"mayload", Word::kMayload},
    {"maystore", Word::kMaystore},
    {"isconvergent", Word::kIsconvergent},
    {"attdialect", Word::kAttdialect},
};

constexpr size_t kSlots = 512;

constexpr size_t Hash(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(text[i])); };
  return (text.size() * 37 + at(0) * 7 + at(text.size() / 2) * 61 + at(text.size() - 1) * 131) % kSlots;
}

// A hash table with open addressing. Its entries are indices into kWords, plus 1.
constexpr std::array<uint8_t, kSlots> kTable = [] {
  std::array<uint8_t, kSlots> table{};
  for (size_t i = 0; i < std::size(kWords); ++i) {
    size_t slot = Hash(kWords[i].text);
    while (table[slot] != 0) slot = (slot + 1) % kSlots;
    table[slot] = static_cast<uint8_t>(i + 1);
  }
  return table;
}();

}  // namespace

Word FindWord(std::string_view text) {
  if (text.empty()) return Word::kNone;
  for (size_t slot = Hash(text); kTable[slot] != 0; slot = (slot + 1) % kSlots) {
    const Entry& entry = kWords[kTable[slot] - 1];
    if (entry.text == text) return entry.word;
  }
  return Word::kNone;
}

std::string_view Spelling(Word word) {
  for (const Entry& entry : kWords) {
    if (entry.word == word) return entry.text;
  }
  return {};
}

const char* SkipComments(const char* p) {
  while (true) {
    if (*p == ';') {
      while (!IsEol(*p)) ++p;
      return p;
    }
    if (*p != '/' || p[1] != '*') return p;
    const char* q = p + 2;
    while (!IsEol(*q) && (q[0] != '*' || q[1] != '/')) ++q;
    p = IsEol(*q) ? q : q + 2;
    while (HasClass(*p, kBlankChar)) ++p;
  }
}

const char* ScanHex(const char* p, uint64_t* value, bool* overflow) {
  uint64_t n = 0;
  while (true) {
    const char c = *p;
    uint64_t digit;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint64_t>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      digit = static_cast<uint64_t>((c | 0x20) - 'a' + 10);
    } else {
      break;
    }
    if (n >> 60 != 0) *overflow = true;
    n = n << 4 | digit;
    ++p;
  }
  *value = n;
  return p;
}

const char* ScanString(const char* p, std::string_view* raw) {
  const char* begin = ++p;
  while (*p != '"') {
    if (IsEol(*p)) return nullptr;
    ++p;
  }
  *raw = {begin, static_cast<size_t>(p - begin)};
  return p + 1;
}

std::string Unescape(std::string_view raw) {
  const auto hex = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string out;
  out.reserve(raw.size());
  for (size_t i = 0; i < raw.size();) {
    if (raw[i] == '\\' && i + 1 < raw.size() && raw[i + 1] == '\\') {
      out.push_back('\\');
      i += 2;
    } else if (raw[i] == '\\' && i + 2 < raw.size() && hex(raw[i + 1]) >= 0 && hex(raw[i + 2]) >= 0) {
      out.push_back(static_cast<char>(hex(raw[i + 1]) * 16 + hex(raw[i + 2])));
      i += 3;
    } else {
      out.push_back(raw[i++]);
    }
  }
  return out;
}

}  // namespace ptxmir::mir_lexer
