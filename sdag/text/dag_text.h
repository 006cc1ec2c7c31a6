// SPDX-License-Identifier: Apache-2.0

// The spelling of parts of the text form of DAGs, for which the reader and the writer must agree.

#ifndef PTXMIR_SDAG_TEXT_DAG_TEXT_H_
#define PTXMIR_SDAG_TEXT_DAG_TEXT_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

// Returns the text of a ConstantFP. It is LLVM's spelling ("3.250000e+00"; for 16-bit types "APFloat(15361)") if
// that gives the exact value. If LLVM's spelling would round, or for a NaN other than the default one, it is the
// bits in hexadecimal.
std::string FPText(uint64_t bits, MVT type);
// Returns the bits of a floating-point constant, or nullopt if the text is none.
std::optional<uint64_t> ParseFP(std::string_view text, MVT type);

// Returns the text between the quotes of 'symbol'. Quotes, backslashes and all characters that are not printable
// ASCII become \xx. mir_lexer::Unescape is the inverse.
std::string Escape(std::string_view symbol);

// Returns the memory type that a node has if none is spelled out: the type that it loads or stores. kOther: none is
// assumed.
EVT DefaultMemoryType(int16_t opcode, MVT result, MVT second_operand);

// Returns the root of a block whose text names none: the first chain of its last node or, if it has no chain, its
// first result.
SDValue DefaultRoot(SDNode* last);

struct FlagName {
  uint32_t flag;
  std::string_view name;
};
// The flags, in the order in which LLVM prints them.
inline constexpr FlagName kFlagNames[] = {
    {SDNodeFlags::kNoUnsignedWrap, "nuw"},
    {SDNodeFlags::kNoSignedWrap, "nsw"},
    {SDNodeFlags::kExact, "exact"},
    {SDNodeFlags::kDisjoint, "disjoint"},
    {SDNodeFlags::kSameSign, "samesign"},
    {SDNodeFlags::kNonNeg, "nneg"},
    {SDNodeFlags::kNoNaNs, "nnan"},
    {SDNodeFlags::kNoInfs, "ninf"},
    {SDNodeFlags::kNoSignedZeros, "nsz"},
    {SDNodeFlags::kAllowReciprocal, "arcp"},
    {SDNodeFlags::kAllowContract, "contract"},
    {SDNodeFlags::kApproximateFuncs, "afn"},
    {SDNodeFlags::kAllowReassociation, "reassoc"},
    {SDNodeFlags::kNoFPExcept, "nofpexcept"},
    {SDNodeFlags::kUnpredictable, "unpredictable"},
    {SDNodeFlags::kInBounds, "inbounds"},
    {SDNodeFlags::kNoConvergent, "noconvergent"},
    {SDNodeFlags::kImplicitGlue, "implicit-glue"},
};

// Returns true if the text at `p`, which ends with a zero, begins with `text`.
inline bool StartsWith(const char* p, std::string_view text) { return std::strncmp(p, text.data(), text.size()) == 0; }

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_TEXT_DAG_TEXT_H_
