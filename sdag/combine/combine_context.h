// SPDX-License-Identifier: Apache-2.0

// The interface of combines: matching nodes, making nodes and replacing values; and the table of combines. Internal
// to the combiner and its tests.

#ifndef PTXMIR_SDAG_COMBINE_COMBINE_CONTEXT_H_
#define PTXMIR_SDAG_COMBINE_COMBINE_CONTEXT_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "absl/numeric/int128.h"
#include "absl/types/span.h"
#include "sdag/combine/dag_combiner.h"
#include "sdag/combine/known_bits.h"
#include "sdag/graph/selection_dag.h"
#include "sdag/meaning/node_semantics.h"

namespace ptxmir::sdag {

inline constexpr uint32_t kNuw = SDNodeFlags::kNoUnsignedWrap;
inline constexpr uint32_t kNsw = SDNodeFlags::kNoSignedWrap;

class CombineContext {
 public:
  // Told about each replacement, so that the combiner visits the nodes that it affects.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void Replaced(absl::Span<const SDValue> from, absl::Span<const SDValue> to) = 0;
  };

  CombineContext(SelectionDAG& dag, CombineLevel level, const ISelOptions& options, Observer& observer)
      : dag_(dag), level_(level), options_(options), observer_(observer) {}

  SelectionDAG& dag() const { return dag_; }
  const ISelOptions& options() const { return options_; }
  bool before_legalize() const { return level_ == CombineLevel::kBeforeLegalize; }

  // Make nodes. They return no value if an operand is no value or, after legalization, if no rule selects the node.
  // A combine can therefore make a tree of nodes and return its root.
  SDValue Node(int16_t opcode, SDLoc loc, MVT type, std::initializer_list<SDValue> operands, uint32_t flags = 0) const;
  SDValue Node(int16_t opcode, SDLoc loc, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
               uint32_t flags = 0) const;
  SDValue SetCC(SDLoc loc, MVT type, SDValue a, SDValue b, CondCode code) const;
  // Returns an integer constant, or a splat if `type` is a vector. Bits beyond the width are ignored.
  SDValue Int(MVT type, absl::uint128 bits) const;
  SDValue Zero(MVT type) const { return Int(type, 0); }
  SDValue AllOnes(MVT type) const { return Int(type, ~absl::uint128(0)); }
  SDValue Not(SDLoc loc, SDValue value) const;
  // Returns a constant of any type, or no value if it cannot be made.
  SDValue Constant(const DagConstant& constant) const;
  // Returns the value zero-extended (or sign-extended, any-extended) or truncated to `type`. Returns the value
  // itself if it has that type.
  SDValue ZExtOrTrunc(SDLoc loc, MVT type, SDValue value) const;
  SDValue SExtOrTrunc(SDLoc loc, MVT type, SDValue value) const;
  SDValue AExtOrTrunc(SDLoc loc, MVT type, SDValue value) const;

  // Returns true if a node could be selected as it is, now or after legalization. Asked for nodes that PTX has in
  // some types only: in other types legalization would take them apart again, so they are not worth making.
  bool IsLegal(int16_t opcode, MVT type, absl::Span<const MVT> operands) const;
  bool IsLegal(const SDNode& node) const;
  bool IsLegalBinary(int16_t opcode, MVT type) const;
  bool IsLegalUnary(int16_t opcode, MVT type) const;

  // Replaces the results of a node one by one; for combines of nodes with several results. The combine returns the
  // value that this returns.
  SDValue Replace(SDNode& node, absl::Span<const SDValue> results) const;

 private:
  SelectionDAG& dag_;
  const CombineLevel level_;
  const ISelOptions& options_;
  Observer& observer_;
};

// Matching. IsConstant returns true if the value is the same constant in all elements.
inline bool IsConstant(const SDValue& value, absl::uint128* bits) { return MatchConstant(value, bits); }
bool IsConstantOf(const SDValue& value, absl::uint128 bits);
inline bool IsZero(const SDValue& value) { return IsConstantOf(value, 0); }
inline bool IsOne(const SDValue& value) { return IsConstantOf(value, 1); }
bool IsAllOnes(const SDValue& value);
// Returns true for undef and poison.
bool IsUndefined(const SDValue& value);
bool IsPowerOf2(absl::uint128 bits, unsigned* log2);
// Returns true if the value is the same floating-point constant in all elements, and sets `bits` to its bits.
bool IsConstantFP(const SDValue& value, uint64_t* bits);
// Returns true for a load or store of plain memory, which may be changed and removed.
bool IsSimple(const SDNode& node);
// Returns true for the value of such a load.
bool IsPlainLoad(const SDValue& value);
// Returns true if a user of the extension multiplies it, or shifts it left, so that mul.wide can extend the factor.
bool HasWideProduct(const SDNode& extension);
inline bool Is(const SDValue& value, int16_t opcode) { return value && value.opcode() == opcode; }
inline bool IsOneUse(const SDValue& value, int16_t opcode) { return Is(value, opcode) && value.HasOneUse(); }
unsigned Width(const SDValue& value);  // of an element
// Returns the type of the amount by which values of a type are shifted.
inline MVT ShiftAmountType(MVT type) { return IsVector(type) || ScalarSizeInBits(type) < 32 ? type : MVT::kI32; }

// The table of combines.

// Returns the value that replaces result 0, or no value if there is nothing to do. The value from
// CombineContext::Replace says that everything has been done.
using CombineFunction = SDValue (*)(const CombineContext& context, SDNode& node);

struct CombineRow {
  std::string_view name;
  enum Levels : uint8_t { kBefore = 1, kAfter = 2, kBoth = 3 } levels;
  absl::Span<const int16_t> opcodes;  // empty: any opcode
  CombineFunction function;
};
// The opcodes of rows in several files.
inline constexpr int16_t kAndOpcode[] = {isd::kAnd};
inline constexpr int16_t kExtensionOpcodes[] = {isd::kZeroExtend, isd::kSignExtend, isd::kAnyExtend};
inline constexpr int16_t kInRegOpcode[] = {isd::kSignExtendInReg};
inline constexpr int16_t kSelectOpcodes[] = {isd::kSelect, isd::kVSelect};
inline constexpr int16_t kSetCCOpcode[] = {isd::kSetCC};
inline constexpr int16_t kTruncateOpcode[] = {isd::kTruncate};

// The combines of each file, in the order in which they are tried.
absl::Span<const CombineRow> ConstantCombines();
absl::Span<const CombineRow> IntegerCombines();
absl::Span<const CombineRow> ProductCombines();
absl::Span<const CombineRow> DivisionCombines();
absl::Span<const CombineRow> BitCombines();
absl::Span<const CombineRow> ExtensionCombines();
absl::Span<const CombineRow> ComparisonCombines();
absl::Span<const CombineRow> FloatCombines();
absl::Span<const CombineRow> MemoryCombines();
absl::Span<const CombineRow> VectorCombines();

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_COMBINE_COMBINE_CONTEXT_H_
