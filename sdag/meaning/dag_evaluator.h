// SPDX-License-Identifier: Apache-2.0

// Executes the DAGs of a function on constants, in one thread, according to the meaning of nodes
// (node_semantics.h). Tests compare the results with those of code made from the DAGs. A DAG may be at any stage
// before selection.
//
// Values with unspecified bits (undef, the payload of a computed NaN) are tracked as such in registers and memory.
// Effects happen in an order that the chains allow. Memory is one flat space: the windows of all state spaces begin
// at address 0, so generic addresses equal the addresses in each space.

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
    // Only of kNaN, the first byte of a NaN of unknown payload. The other bytes are kNaNTail.
    MVT nan_type = MVT::kUntyped;
  };

  // Maps `size` zero bytes at `address`. Regions must not overlap.
  void Map(uint64_t address, size_t size);
  // Maps `size` zero bytes at a new address, a multiple of 256. Returns the address.
  uint64_t Allocate(size_t size);
  // Write, Store and Load return false if a byte is not mapped.
  bool Write(uint64_t address, absl::Span<const uint8_t> bytes);
  bool Store(uint64_t address, const DagConstant& value);
  bool Load(uint64_t address, DagConstant& value) const;  // a value of type value.type

  // Returns the bytes, or null if they do not all belong to one region.
  const Byte* Bytes(uint64_t address, size_t size) const;
  // Returns true if memory that other code computed agrees with this memory wherever this is defined, and has NaNs
  // where this has NaNs. Otherwise `where` is the offset of the first difference.
  bool Matches(uint64_t address, absl::Span<const uint8_t> actual, size_t* where) const;

 private:
  std::map<uint64_t, std::vector<Byte>> regions_;  // by address
  uint64_t next_ = uint64_t{1} << 20;
};

struct DagEvaluation {
  EvaluatorMemory memory;
  absl::flat_hash_map<std::string, uint64_t> symbols;  // addresses of external symbols, such as "k_param_0"
  absl::flat_hash_map<GlobalId, uint64_t> globals;     // addresses of globals
  absl::flat_hash_map<int, uint64_t> frame;            // addresses of stack objects, made on demand
  std::vector<std::optional<DagConstant>> registers;   // by virtual register
  bool flush_f32 = false;
  const absl::uint128* any_extend_fill = nullptr;  // PureOperation::any_extend_fill, also for loads
  // Computes approximate functions and intrinsics: the results of a node, given its operands. Returns false if
  // unknown.
  std::function<bool(const SDNode&, absl::Span<const DagConstant>, absl::InlinedVector<DagConstant, 2>&)> other_nodes;
  size_t max_nodes = 10'000'000;  // the number of nodes after which evaluation gives up
};

// Computes the values of all nodes that the root needs, and their effects. `next` is the block to which control
// goes, or nullopt if it returns. Errors: Unimplemented for an unknown node, which the message names;
// FailedPrecondition for undefined behavior (an address that is undefined or outside of memory, a branch on an
// undefined value); ResourceExhausted after max_nodes nodes.
absl::Status EvaluateBlock(SelectionDAG& dag, DagEvaluation& evaluation, std::optional<BlockNumber>& next);

// Executes a function, including its PHIs, from the first block until it returns.
absl::Status EvaluateFunction(DagFunction& dags, DagEvaluation& evaluation);

// Computes one value of a DAG whose leaves are constants or in `known`. Only pure nodes are allowed. Returns
// nullopt if some node cannot be computed.
std::optional<DagConstant> EvaluateValue(SDValue value, const absl::flat_hash_map<uint64_t, DagConstant>& known,
                                         const DagEvaluation& evaluation);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_MEANING_DAG_EVALUATOR_H_
