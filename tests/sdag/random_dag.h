// SPDX-License-Identifier: Apache-2.0

// Random well-typed DAGs, for differential tests. Nodes prefer recent values and interesting constants as operands,
// so that the patterns of combines and selection rules occur.

#ifndef PTXMIR_TESTS_SDAG_RANDOM_DAG_H_
#define PTXMIR_TESTS_SDAG_RANDOM_DAG_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "base/split_mix64.h"
#include "sdag/graph/selection_dag.h"
#include "sdag/meaning/node_semantics.h"

namespace ptxmir::sdag {

struct RandomDagOptions {
  std::vector<MVT> types = {MVT::kI1, MVT::kI8, MVT::kI16, MVT::kI32, MVT::kI64, MVT::kF16, MVT::kF32, MVT::kF64};
  bool rare_nodes = true;    // saturation, averages, rotations and the like
  bool wrap_flags = true;    // nuw, nsw, exact, disjoint
  bool no_nan_flags = true;  // nnan, ninf
  bool any_extend = true;
  bool division = true;
  bool bfloat_arithmetic = true;
};

class RandomDag {
 public:
  RandomDag(SelectionDAG& dag, uint64_t seed, RandomDagOptions options)
      : dag_(dag), options_(std::move(options)), random_(seed) {}

  uint32_t Random(uint32_t bound) { return static_cast<uint32_t>(random_.Next() % bound); }
  uint64_t Random64() { return random_.Next(); }
  bool OneIn(uint32_t n) { return Random(n) == 0; }

  // Adds a value that other nodes may use.
  void Add(SDValue value) { values_.push_back(value); }
  // Returns a value of the type: an existing one or a constant.
  SDValue Value(MVT type);
  SDValue Constant(MVT type);
  // Makes a node of a random type, or of the given one.
  SDValue Grow() { return Grow(options_.types[Random(static_cast<uint32_t>(options_.types.size()))]); }
  SDValue Grow(MVT type);

  const std::vector<SDValue>& values() const { return values_; }

 private:
  using Maker = SDValue (RandomDag::*)(MVT type);

  bool Has(MVT type) const;
  MVT OtherType(const std::function<bool(MVT)>& accept);  // kUntyped if there is none
  SDValue Node(int16_t opcode, MVT type, std::initializer_list<SDValue> operands, uint32_t flags = 0) {
    return dag_.GetNode(opcode, {}, type, operands, flags);
  }
  template <size_t kSize>
  int16_t OneOf(const int16_t (&opcodes)[kSize]) {
    return opcodes[Random(kSize)];
  }
  uint32_t Flags(int16_t opcode);
  uint32_t FloatFlags();
  SDValue Amount(MVT type);

  SDValue Integer(MVT type);
  SDValue Shift(MVT type);
  SDValue Logic(MVT type);
  SDValue RareInteger(MVT type);
  SDValue SeveralResults(MVT type);
  SDValue ExtendOrTruncate(MVT type);
  SDValue Select(MVT type);
  SDValue Compare(MVT type);
  SDValue RareBit(MVT type);
  SDValue FromFloat(MVT type);
  SDValue Float(MVT type);
  SDValue FloatSign(MVT type);
  SDValue FloatRounding(MVT type);
  SDValue RareFloat(MVT type);
  SDValue ToFloat(MVT type);
  SDValue Bitcast(MVT type);
  SDValue Vector(MVT type);
  SDValue Element(MVT type);
  SDValue Reduction(MVT type);
  SDValue MaskedVector(MVT type);

  SelectionDAG& dag_;
  const RandomDagOptions options_;
  SplitMix64 random_;
  std::vector<SDValue> values_;
};

// Returns a value of the type as a test input for a register. Interesting values are as frequent as random ones.
DagConstant RandomInput(MVT type, SplitMix64& random);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_TESTS_SDAG_RANDOM_DAG_H_
