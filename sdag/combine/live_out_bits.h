// SPDX-License-Identifier: Apache-2.0

// What is known of the upper bits of virtual registers, carried from the block that defines them to those that read
// them: as an AssertZext behind CopyFromReg, which LLVM places for the same purpose (FunctionLoweringInfo's
// LiveOutInfo). Combines of a block then know of it what they would in one block; legalization drops the assertions.

#ifndef PTXMIR_SDAG_COMBINE_LIVE_OUT_BITS_H_
#define PTXMIR_SDAG_COMBINE_LIVE_OUT_BITS_H_

#include <cstdint>
#include <vector>

#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

class LiveOutBits {
 public:
  // Looks which registers one CopyToReg defines, and nothing else.
  explicit LiveOutBits(const DagFunction& dags);

  // What the block reads gets assertions of what is known so far.
  void AssertInputs(SelectionDAG& dag) const;
  // What the block's registers are known to be. Blocks in any order: what comes later is not known yet.
  void Record(const SelectionDAG& dag);

 private:
  struct Info {
    uint8_t definitions = 0;  // 2: several
    uint8_t bits = 0;         // that may be other than zero; 0: not known
  };
  std::vector<Info> infos_;  // by virtual register
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_COMBINE_LIVE_OUT_BITS_H_
