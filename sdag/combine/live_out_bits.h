// SPDX-License-Identifier: Apache-2.0

// Carries known upper bits of virtual registers from the block that defines a register to the blocks that read it.
// They appear there as an AssertZext after the CopyFromReg. LLVM places these assertions for the same purpose
// (FunctionLoweringInfo's LiveOutInfo). The combines of a block then know as much as they would within one block.
// Legalization drops the assertions.

#ifndef PTXMIR_SDAG_COMBINE_LIVE_OUT_BITS_H_
#define PTXMIR_SDAG_COMBINE_LIVE_OUT_BITS_H_

#include <cstdint>
#include <vector>

#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

class LiveOutBits {
 public:
  // Finds the registers that are defined by one CopyToReg and nothing else.
  explicit LiveOutBits(const DagFunction& dags);

  // Adds an assertion to each register that the block reads and of which something is known so far.
  void AssertInputs(SelectionDAG& dag) const;
  // Records what is known of the registers that the block defines. Blocks may come in any order, but a block cannot
  // use what a later call will record.
  void Record(const SelectionDAG& dag);

 private:
  struct Info {
    uint8_t definitions = 0;  // 2: two or more
    uint8_t bits = 0;         // low bits that may be nonzero; 0: not known
  };
  std::vector<Info> infos_;  // by virtual register
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_COMBINE_LIVE_OUT_BITS_H_
