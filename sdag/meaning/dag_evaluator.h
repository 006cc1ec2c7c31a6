// SPDX-License-Identifier: Apache-2.0

// Executes the DAGs of a function on constants, one thread: what the nodes mean (node_semantics.h), to compare with
// what something makes of them. A DAG may be at any stage before selection.
//
// Values that nothing says the bits of (undef, the payload of a computed NaN) are carried as such into registers and
// memory. Effects happen in an order that chains allow. Memory is one flat space: windows of all state spaces begin at
// address 0, so that generic addresses and others are the same.

#ifndef PTXMIR_SDAG_MEANING_DAG_EVALUATOR_H_
#define PTXMIR_SDAG_MEANING_DAG_EVALUATOR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sdag/graph/selection_dag.h"
#include "sdag/meaning/node_semantics.h"

namespace ptxmir::sdag {

class EvaluatorMemory {
 public:
  enum class ByteState : uint8_t { kDefined, kUndefined, kNaN, kNaNTail };
  struct Byte {
    uint8_t value = 0;
    ByteState state = ByteState::kDefined;
    MVT nan_type = MVT::kUntyped;  // of kNaN, the first byte of a NaN of unknown payload; kNaNTail are the others
  };

  // `size` zeros at `address`; regions must not overlap.
  void Map(uint64_t address, size_t size);
  // Zeros at an address of our own, a multiple of 256.
  uint64_t Allocate(size_t size);
  // False when a byte is not mapped.
  bool Write(uint64_t address, absl::Span<const uint8_t> bytes);
  bool Store(uint64_t address, const DagConstant& value);
  bool Load(uint64_t address, DagConstant& value) const;  // of value.type

  // Null when the bytes are not all of one region.
  const Byte* Bytes(uint64_t address, size_t size) const;
  // Whether memory that something else computed agrees: where this is defined, and in where NaNs are. `where`: the
  // offset of the first difference.
  bool Matches(uint64_t address, absl::Span<const uint8_t> actual, size_t* where) const;

 private:
  std::map<uint64_t, std::vector<Byte>> regions_;  // by address
  uint64_t next_ = uint64_t{1} << 20;
};

struct DagEvaluation {
  EvaluatorMemory memory;
  absl::flat_hash_map<std::string, uint64_t> symbols;  // addresses of external symbols, such as "k_param_0"
  absl::flat_hash_map<GlobalId, uint64_t> globals;     // addresses of globals
  absl::flat_hash_map<int, uint64_t> frame;            // addresses of stack objects; made as they are needed
  std::vector<std::optional<DagConstant>> registers;   // by virtual register
  bool flush_f32 = false;
  const absl::uint128* any_extend_fill = nullptr;  // PureOperation::any_extend_fill, also of loads
  // Approximate functions and intrinsics: results of a node, given its operands; false when not known.
  std::function<bool(const SDNode&, absl::Span<const DagConstant>, absl::InlinedVector<DagConstant, 2>&)> other_nodes;
  size_t max_nodes = 10'000'000;  // until evaluation is given up
};

// Values of all nodes that the root needs, and effects. `next`: the block that control goes to, nullopt when it
// returns. Unimplemented: a node that is not known (the message names it); FailedPrecondition: undefined behavior (an
// address outside of memory or undefined, a branch that depends on what is undefined); ResourceExhausted: max_nodes.
absl::Status EvaluateBlock(SelectionDAG& dag, DagEvaluation& evaluation, std::optional<BlockNumber>& next);

// From the first block until something returns, with PHIs.
absl::Status EvaluateFunction(DagFunction& dags, DagEvaluation& evaluation);

// One value of a DAG whose leaves are constants or in `known`; only pure nodes. nullopt: some node is not computed.
std::optional<DagConstant> EvaluateValue(SDValue value, const absl::flat_hash_map<uint64_t, DagConstant>& known,
                                         const DagEvaluation& evaluation);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_MEANING_DAG_EVALUATOR_H_
