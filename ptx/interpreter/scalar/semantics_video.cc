// SPDX-License-Identifier: Apache-2.0

// Video instructions (PTX ISA 9.7.16): vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset, vmad on parts of registers,
// and their forms on two half-words or four bytes.
//
// They are rare, so one kernel interprets a small description of the instruction. All arithmetic is done in 64 bits,
// in the steps of the ISA's pseudo code: extract, operate, saturate, combine.

#include <algorithm>
#include <limits>

#include "ptx/interpreter/scalar/scalar_resolvers.h"
#include "ptx/interpreter/scalar/scalar_semantics.h"

namespace ptxmir::ptx {
namespace {

enum class VideoOp : uint32_t { kAdd, kSub, kAbsDiff, kMin, kMax, kShl, kShr, kAverage, kSet };
enum class SecondOp : uint32_t { kNone, kAdd, kMin, kMax, kMerge };

// A part of a register: bits at a shift, extended according to their sign.
struct Part {
  uint8_t shift = 0;
  uint8_t bits = 32;
};

// The description of an instruction, which is packed into KernelParams. d holds the selectors of SIMD forms: three
// bits for each element of a, then of b.
struct Video {
  VideoOp op = VideoOp::kAdd;
  SecondOp second = SecondOp::kNone;
  bool signed_result = false;
  bool signed_a = false;
  bool signed_b = false;
  bool saturate = false;
  bool wrap = false;        // whether shift amounts wrap
  uint32_t comparison = 0;  // relations: 1 less, 2 equal, 4 greater
  uint32_t mask = 0;        // for SIMD forms: the elements that are computed
  Part result;
  Part a;
  Part b;
  uint32_t selectors = 0;

  KernelParams Pack() const {
    KernelParams params;
    params.a = static_cast<uint32_t>(op) | static_cast<uint32_t>(second) << 4 | uint32_t{signed_result} << 8 |
               uint32_t{signed_a} << 9 | uint32_t{signed_b} << 10 | uint32_t{saturate} << 11 | uint32_t{wrap} << 12 |
               comparison << 13 | mask << 16;
    params.b = result.shift | result.bits << 8;
    params.c = a.shift | a.bits << 8 | uint32_t{b.shift} << 16 | uint32_t{b.bits} << 24;
    params.d = selectors;
    return params;
  }
  static Video Unpack(const KernelParams& params) {
    Video video;
    video.op = static_cast<VideoOp>(params.a & 15);
    video.second = static_cast<SecondOp>(params.a >> 4 & 15);
    video.signed_result = (params.a >> 8 & 1) != 0;
    video.signed_a = (params.a >> 9 & 1) != 0;
    video.signed_b = (params.a >> 10 & 1) != 0;
    video.saturate = (params.a >> 11 & 1) != 0;
    video.wrap = (params.a >> 12 & 1) != 0;
    video.comparison = params.a >> 13 & 7;
    video.mask = params.a >> 16;
    video.result = {static_cast<uint8_t>(params.b), static_cast<uint8_t>(params.b >> 8)};
    video.a = {static_cast<uint8_t>(params.c), static_cast<uint8_t>(params.c >> 8)};
    video.b = {static_cast<uint8_t>(params.c >> 16), static_cast<uint8_t>(params.c >> 24)};
    video.selectors = params.d;
    return video;
  }
};

int64_t Extract(uint64_t value, unsigned shift, unsigned bits, bool is_signed) {
  const uint64_t field = value >> shift << (64 - bits);
  return is_signed ? static_cast<int64_t>(field) >> (64 - bits) : static_cast<int64_t>(field >> (64 - bits));
}

int64_t ClampTo(int64_t value, unsigned bits, bool is_signed) {
  const int64_t high = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::clamp(value, is_signed ? -high - 1 : int64_t{0}, high);
}

int64_t Operate(const Video& video, int64_t a, int64_t b) {
  switch (video.op) {
    case VideoOp::kAdd:
      return a + b;
    case VideoOp::kSub:
      return a - b;
    case VideoOp::kAbsDiff:
      return a < b ? b - a : a - b;
    case VideoOp::kMin:
      return std::min(a, b);
    case VideoOp::kMax:
      return std::max(a, b);
    case VideoOp::kShl:
    case VideoOp::kShr: {
      const auto amount = static_cast<uint32_t>(b);
      const uint32_t n = video.wrap ? amount & 31 : std::min(amount, uint32_t{32});
      return video.op == VideoOp::kShl ? static_cast<int64_t>(static_cast<uint64_t>(a) << n) : a >> n;
    }
    case VideoOp::kAverage:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case VideoOp::kSet:
      return ((a < b ? 1u : a == b ? 2u : 4u) & video.comparison) != 0 ? 1 : 0;
  }
  return 0;
}

uint32_t RunScalar(const Video& video, uint32_t a, uint32_t b, uint32_t c) {
  int64_t value = Operate(video, Extract(a, video.a.shift, video.a.bits, video.signed_a),
                          Extract(b, video.b.shift, video.b.bits, video.signed_b));
  if (video.saturate) value = ClampTo(value, video.result.bits, video.signed_result);
  const auto result = static_cast<uint32_t>(value);
  const auto less = [&](uint32_t x, uint32_t y) {
    return video.signed_result ? static_cast<int32_t>(x) < static_cast<int32_t>(y) : x < y;
  };
  switch (video.second) {
    case SecondOp::kNone:
      return result;
    case SecondOp::kAdd:
      return result + c;
    case SecondOp::kMin:
      return less(c, result) ? c : result;
    case SecondOp::kMax:
      return less(result, c) ? c : result;
    case SecondOp::kMerge: {
      const auto field = static_cast<uint32_t>((uint64_t{1} << video.result.bits) - 1);
      return (c & ~(field << video.result.shift)) | (result & field) << video.result.shift;
    }
  }
  return result;
}

// Computes two or four elements, chosen from the bytes of b and a.
uint32_t RunSimd(const Video& video, uint32_t a, uint32_t b, uint32_t c) {
  const unsigned bits = video.result.bits;
  const unsigned count = 32 / bits;
  const uint64_t both = uint64_t{b} << 32 | a;
  const bool accumulate = video.second == SecondOp::kAdd;
  const uint32_t field = (uint32_t{1} << bits) - 1;
  uint32_t result = accumulate ? c : 0;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned from_a = video.selectors >> (3 * i) & 7;
    const unsigned from_b = video.selectors >> (3 * (count + i)) & 7;
    int64_t value = Operate(video, Extract(both, from_a * bits, bits, video.signed_a),
                            Extract(both, from_b * bits, bits, video.signed_b));
    if (video.saturate) value = ClampTo(value, bits, video.signed_result);
    const bool computed = (video.mask >> i & 1) != 0;
    if (accumulate) {
      if (computed) result += static_cast<uint32_t>(value);
    } else {
      result |= ((computed ? static_cast<uint32_t>(value) : c >> (i * bits)) & field) << (i * bits);
    }
  }
  return result;
}

uint32_t ScalarOfTwo(const KernelParams& params, uint32_t a, uint32_t b) {
  return RunScalar(Video::Unpack(params), a, b, 0);
}
uint32_t ScalarOfThree(const KernelParams& params, uint32_t a, uint32_t b, uint32_t c) {
  return RunScalar(Video::Unpack(params), a, b, c);
}
uint32_t Simd(const KernelParams& params, uint32_t a, uint32_t b, uint32_t c) {
  return RunSimd(Video::Unpack(params), a, b, c);
}

// ---- vmad. params.a: flags; params.b: the shift of the result; params.c: the parts.

enum MadFlag : uint32_t {
  kSignedA = 1,
  kSignedB = 2,
  kNegateProduct = 4,
  kNegateC = 8,
  kPlusOne = 16,
  kSaturateMad = 32,
  kSignedFinal = 64,
};

uint32_t VideoMad(const KernelParams& params, uint32_t a, uint32_t b, uint32_t c) {
  const Video parts = Video::Unpack({0, 0, params.c, 0});
  const auto has = [&](uint32_t flag) { return (params.a & flag) != 0; };
  __int128 sum = static_cast<__int128>(Extract(a, parts.a.shift, parts.a.bits, has(kSignedA))) *
                 Extract(b, parts.b.shift, parts.b.bits, has(kSignedB));
  if (has(kNegateProduct)) sum = -sum;
  const int64_t addend = Extract(c, 0, 32, has(kSignedFinal));
  sum += has(kNegateC) ? -addend : addend;
  if (has(kPlusOne)) sum += 1;
  sum >>= params.b;
  if (has(kSaturateMad)) {
    constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 2;
    sum = ClampTo(static_cast<int64_t>(std::clamp<__int128>(sum, -kFar, kFar)), 32, has(kSignedFinal));
  }
  return static_cast<uint32_t>(sum);
}

// ---- Resolving.

// Parses the selector of a scalar form: "b0" to "b3", "h0", "h1".
bool ParsePart(std::string_view selector, Part* part) {
  if (selector.empty()) return true;
  const unsigned bits = selector[0] == 'b' ? 8 : 16;
  const unsigned number = static_cast<unsigned>(selector[1] - '0');
  if (selector.size() != 2 || number >= 32 / bits) return false;
  *part = {static_cast<uint8_t>(number * bits), static_cast<uint8_t>(bits)};
  return true;
}

// Parses the selectors of a SIMD operand, three bits each, the lowest element first.
bool ParseSelectors(std::string_view selector, unsigned count, unsigned first, uint32_t* selectors) {
  *selectors = 0;
  if (!selector.empty() && (selector.size() != count + 1 || selector[0] != (count == 4 ? 'b' : 'h'))) return false;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned element =
        selector.empty() ? first + i : static_cast<unsigned>(selector[selector.size() - 1 - i] - '0');
    if (element >= 2 * count) return false;
    *selectors |= element << (3 * i);
  }
  return true;
}

bool ParseMask(std::string_view selector, unsigned count, uint32_t* mask) {
  *mask = (uint32_t{1} << count) - 1;
  if (selector.empty()) return true;
  if (selector[0] != (count == 4 ? 'b' : 'h')) return false;
  *mask = 0;
  for (char c : selector.substr(1)) {
    const unsigned element = static_cast<unsigned>(c - '0');
    if (element >= count) return false;
    *mask |= uint32_t{1} << element;
  }
  return true;
}

bool IsWord(const ScalarType& type) {
  return type.RegisterBits() == 32 && type.elements == 1 &&
         (type.kind == ScalarType::Kind::kSigned || type.kind == ScalarType::Kind::kUnsigned);
}

// Checks the operands in place of Matches(), which rejects selectors. The selectors have been checked already.
bool HasOperands(const Statement& statement, size_t count) {
  if (statement.operands.size() != count) return false;
  return std::all_of(statement.operands.begin(), statement.operands.end(), [](const StatementOperand& operand) {
    return operand.kind != StatementOperand::Kind::kAddress && operand.kind != StatementOperand::Kind::kSymbol;
  });
}

constexpr std::pair<std::string_view, VideoOp> kOps[] = {
    {"vadd", VideoOp::kAdd}, {"vsub", VideoOp::kSub}, {"vabsdiff", VideoOp::kAbsDiff},
    {"vmin", VideoOp::kMin}, {"vmax", VideoOp::kMax}, {"vshl", VideoOp::kShl},
    {"vshr", VideoOp::kShr}, {"vset", VideoOp::kSet}, {"vavrg", VideoOp::kAverage},
};

uint32_t ParseVideoComparison(std::string_view part) {
  static constexpr std::pair<std::string_view, uint32_t> kComparisons[] = {{"eq", 2}, {"ne", 5}, {"lt", 1},
                                                                           {"le", 3}, {"gt", 4}, {"ge", 6}};
  for (const auto& [name, relations] : kComparisons) {
    if (part == name) return relations;
  }
  return 0;
}

// Removes types and modifiers from `parts`. Returns false if one is missing or unknown.
bool ParseModifiers(std::string_view base, Parts* parts, Video* video) {
  const auto* op = std::find_if(std::begin(kOps), std::end(kOps), [&](const auto& o) { return o.first == base; });
  if (op == std::end(kOps)) return false;
  video->op = op->second;
  if (parts->Take("sat")) video->saturate = true;
  if (parts->Take("wrap")) video->wrap = true;
  parts->Take("clamp");
  video->second = parts->Take("add")   ? SecondOp::kAdd
                  : parts->Take("min") ? SecondOp::kMin
                  : parts->Take("max") ? SecondOp::kMax
                                       : SecondOp::kNone;
  if (video->op == VideoOp::kSet) video->comparison = parts->TakeFirst(&ParseVideoComparison);
  const ScalarType b = parts->TakeType();
  const ScalarType a = parts->TakeType();
  // vset has no result type; its result is unsigned.
  const ScalarType result = video->op == VideoOp::kSet ? a : parts->TakeType();
  if (!IsWord(a) || !IsWord(b) || !IsWord(result) || !parts->empty()) return false;
  video->signed_a = a.is_signed();
  video->signed_b = b.is_signed();
  video->signed_result = video->op != VideoOp::kSet && result.is_signed();
  return (video->op == VideoOp::kSet) == (video->comparison != 0);
}

bool ResolveScalarVideo(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Video video;
  Parts parts(statement.mnemonic);
  if (!ParseModifiers(statement.mnemonic.base(), &parts, &video)) return false;
  const bool third = statement.operands.size() == 4;
  if (!HasOperands(statement, third ? 4 : 3)) return false;
  const std::string_view merged = statement.operands[0].selector;
  if (!ParsePart(merged, &video.result) || !ParsePart(statement.operands[1].selector, &video.a) ||
      !ParsePart(statement.operands[2].selector, &video.b))
    return false;
  if (!merged.empty()) {
    if (video.second != SecondOp::kNone) return false;
    video.second = SecondOp::kMerge;
  }
  if (third != (video.second != SecondOp::kNone)) return false;
  semantics->params = video.Pack();
  third ? SetPure<&ScalarOfThree>(semantics) : SetPure<&ScalarOfTwo>(semantics);
  return true;
}

// Resolves a SIMD form, whose base ends with the number of elements.
bool ResolveSimdVideo(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Video video;
  Parts parts(statement.mnemonic);
  std::string_view base = statement.mnemonic.base();
  const unsigned count = static_cast<unsigned>(base.back() - '0');
  base.remove_suffix(1);
  if (!ParseModifiers(base, &parts, &video) || !HasOperands(statement, 4)) return false;
  if (video.second != SecondOp::kNone && video.second != SecondOp::kAdd) return false;
  uint32_t from_a = 0;
  uint32_t from_b = 0;
  if (!ParseMask(statement.operands[0].selector, count, &video.mask) ||
      !ParseSelectors(statement.operands[1].selector, count, 0, &from_a) ||
      !ParseSelectors(statement.operands[2].selector, count, count, &from_b))
    return false;
  video.selectors = from_a | from_b << (3 * count);
  video.result.bits = static_cast<uint8_t>(32 / count);
  semantics->params = video.Pack();
  SetPure<&Simd>(semantics);
  return true;
}

bool ResolveVideoMad(const Statement& statement, Semantics* semantics) {
  semantics->category = InstrCategory::kInteger;
  Parts parts(statement.mnemonic);
  uint32_t flags = 0;
  if (parts.Take("po")) flags |= kPlusOne;
  if (parts.Take("sat")) flags |= kSaturateMad;
  semantics->params.b = parts.Take("shr7") ? 7 : parts.Take("shr15") ? 15 : 0;
  const ScalarType b = parts.TakeType();
  const ScalarType a = parts.TakeType();
  if (!IsWord(a) || !IsWord(b) || !IsWord(parts.TakeType()) || !parts.empty() || !HasOperands(statement, 4))
    return false;
  Video video;
  if (!ParsePart(statement.operands[1].selector, &video.a) || !ParsePart(statement.operands[2].selector, &video.b))
    return false;
  const bool negate_product = statement.operands[1].negated != statement.operands[2].negated;
  const bool negate_c = statement.operands[3].negated;
  if (a.is_signed()) flags |= kSignedA;
  if (b.is_signed()) flags |= kSignedB;
  if (negate_product) flags |= kNegateProduct;
  if (negate_c) flags |= kNegateC;
  if (a.is_signed() || b.is_signed() || negate_product || negate_c) flags |= kSignedFinal;
  semantics->params.a = flags;
  semantics->params.c = video.Pack().c;
  SetPure<&VideoMad>(semantics);
  return true;
}

constexpr ResolverEntry kVideoResolvers[] = {
    {"vadd", &ResolveScalarVideo},    {"vsub", &ResolveScalarVideo},    {"vabsdiff", &ResolveScalarVideo},
    {"vmin", &ResolveScalarVideo},    {"vmax", &ResolveScalarVideo},    {"vshl", &ResolveScalarVideo},
    {"vshr", &ResolveScalarVideo},    {"vset", &ResolveScalarVideo},    {"vmad", &ResolveVideoMad},
    {"vadd2", &ResolveSimdVideo},     {"vsub2", &ResolveSimdVideo},     {"vavrg2", &ResolveSimdVideo},
    {"vabsdiff2", &ResolveSimdVideo}, {"vmin2", &ResolveSimdVideo},     {"vmax2", &ResolveSimdVideo},
    {"vset2", &ResolveSimdVideo},     {"vadd4", &ResolveSimdVideo},     {"vsub4", &ResolveSimdVideo},
    {"vavrg4", &ResolveSimdVideo},    {"vabsdiff4", &ResolveSimdVideo}, {"vmin4", &ResolveSimdVideo},
    {"vmax4", &ResolveSimdVideo},     {"vset4", &ResolveSimdVideo},
};

}  // namespace

absl::Span<const ResolverEntry> VideoResolvers() { return kVideoResolvers; }

}  // namespace ptxmir::ptx
