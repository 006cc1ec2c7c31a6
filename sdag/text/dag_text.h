// SPDX-License-Identifier: Apache-2.0

// Spelling of the parts of which the text form of DAGs is made, where the reader and the writer must agree.

#ifndef PTXMIR_SDAG_TEXT_DAG_TEXT_H_
#define PTXMIR_SDAG_TEXT_DAG_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

// What a ConstantFP holds. LLVM's spelling ("3.250000e+00", of 16-bit types "APFloat(15361)") where that is the value;
// where it is rounded, and for NaNs other than the default one, the bits in hexadecimal.
std::string FPText(uint64_t bits, MVT type);
// nullopt when it is none.
std::optional<uint64_t> ParseFP(std::string_view text, MVT type);

// What stands between the quotes of 'symbol': quotes, backslashes and everything that is not ASCII to be printed is
// \xx. mir_lexer::Unescape undoes it.
std::string Escape(std::string_view symbol);

// The type in memory that is not spelled out: what the node loads or stores. kOther: nothing is assumed.
EVT DefaultMemoryType(int16_t opcode, MVT result, MVT second_operand);

// The root of a block whose text names none: the first chain that its last node makes, or just its first result.
SDValue DefaultRoot(SDNode* last);

struct FlagName {
  uint32_t flag;
  std::string_view name;
};
// In the order in which LLVM prints them.
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

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_TEXT_DAG_TEXT_H_
