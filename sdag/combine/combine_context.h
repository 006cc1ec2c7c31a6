// SPDX-License-Identifier: Apache-2.0

// What a combine sees and does: matching, making nodes, replacing values; and the table of combines. Internal to the
// combiner and its tests.

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

class CombineContext {
 public:
  // What has been replaced, so that the combiner can look at what it changes.
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

  // Nodes. No value when an operand is none or, after legalization, when there is no rule to select the node: a combine
  // can make a tree of them and return its root.
  SDValue Node(int16_t opcode, SDLoc loc, MVT type, std::initializer_list<SDValue> operands, uint32_t flags = 0) const;
  SDValue Node(int16_t opcode, SDLoc loc, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
               uint32_t flags = 0) const;
  SDValue SetCC(SDLoc loc, MVT type, SDValue a, SDValue b, CondCode code) const;
  // Of integers and vectors of them; bits beyond the width are ignored.
  SDValue Int(MVT type, absl::uint128 bits) const;
  SDValue Zero(MVT type) const { return Int(type, 0); }
  SDValue AllOnes(MVT type) const { return Int(type, ~absl::uint128(0)); }
  SDValue Not(SDLoc loc, SDValue value) const;
  // A constant of any type; no value when it cannot be made.
  SDValue Constant(const DagConstant& constant) const;
  // Extended with zeros or truncated; the value itself when it has the type.
  SDValue ZExtOrTrunc(SDLoc loc, MVT type, SDValue value) const;
  SDValue SExtOrTrunc(SDLoc loc, MVT type, SDValue value) const;
  SDValue AExtOrTrunc(SDLoc loc, MVT type, SDValue value) const;

  // Whether a node could be selected as it is, now or after legalization: for nodes that PTX has in some types only,
  // which are not worth making where they would be taken apart again.
  bool IsLegal(int16_t opcode, MVT type, absl::Span<const MVT> operands) const;
  bool IsLegal(const SDNode& node) const;
  bool IsLegalBinary(int16_t opcode, MVT type) const;
  bool IsLegalUnary(int16_t opcode, MVT type) const;

  // Replaces results of a node one by one; for combines of nodes with several. Returns what a combine returns then.
  SDValue Replace(SDNode& node, absl::Span<const SDValue> results) const;

 private:
  SelectionDAG& dag_;
  const CombineLevel level_;
  const ISelOptions& options_;
  Observer& observer_;
};

// Matching. A constant in all elements.
inline bool IsConstant(const SDValue& value, absl::uint128* bits) { return MatchConstant(value, bits); }
bool IsConstantOf(const SDValue& value, absl::uint128 bits);
inline bool IsZero(const SDValue& value) { return IsConstantOf(value, 0); }
inline bool IsOne(const SDValue& value) { return IsConstantOf(value, 1); }
bool IsAllOnes(const SDValue& value);
// undef or poison.
bool IsUndefined(const SDValue& value);
bool IsPowerOf2(absl::uint128 bits, unsigned* log2);
// The same floating-point constant in all elements, as bits.
bool IsConstantFP(const SDValue& value, uint64_t* bits);
// A load or store of plain memory that may be changed and removed.
bool IsSimple(const SDNode& node);
inline bool Is(const SDValue& value, int16_t opcode) { return value && value.opcode() == opcode; }
inline bool IsOneUse(const SDValue& value, int16_t opcode) { return Is(value, opcode) && value.HasOneUse(); }
unsigned Width(const SDValue& value);  // of an element

// The table.

// Returns what takes the place of result 0, no value when there is nothing to do. What CombineContext::Replace returns
// says that all has been done.
using CombineFunction = SDValue (*)(const CombineContext& context, SDNode& node);

struct CombineRow {
  std::string_view name;
  enum Levels : uint8_t { kBefore = 1, kAfter = 2, kBoth = 3 } levels;
  absl::Span<const int16_t> opcodes;  // none: any
  CombineFunction function;
};
// By file, in the order in which they are tried.
absl::Span<const CombineRow> ConstantCombines();
absl::Span<const CombineRow> IntegerCombines();
absl::Span<const CombineRow> DivisionCombines();
absl::Span<const CombineRow> BitCombines();
absl::Span<const CombineRow> ExtensionCombines();
absl::Span<const CombineRow> ComparisonCombines();
absl::Span<const CombineRow> FloatCombines();
absl::Span<const CombineRow> MemoryCombines();
absl::Span<const CombineRow> VectorCombines();

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_COMBINE_COMBINE_CONTEXT_H_
