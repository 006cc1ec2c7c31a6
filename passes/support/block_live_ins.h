// SPDX-License-Identifier: Apache-2.0

// Answers whether registers are live into blocks, for searches that ask many such questions between two edits.
//
// Register pressure answers from sorted rows, which may be long. For a block that is queried often, the row is
// converted to a bit set once the queries so far have cost more than the conversion. The result is therefore never
// much slower than the rows alone.

#ifndef PTXMIR_PASSES_SUPPORT_BLOCK_LIVE_INS_H_
#define PTXMIR_PASSES_SUPPORT_BLOCK_LIVE_INS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class BlockLiveIns {
 public:
  BlockLiveIns(const MachineFunction& function, const MachineRegisterPressure& pressure)
      : function_(function), pressure_(pressure), blocks_(function.block_number_bound()) {}

  // Discards the bit sets. To be called after edits, before the next query.
  void Forget() {
    for (const BlockNumber block : asked_) blocks_[block] = Block();
    asked_.clear();
    num_words_ = 0;
  }

  bool IsLiveIn(const MachineBasicBlock& block, Register reg) {
    Block& of_block = blocks_[block.number()];
    const uint32_t index = reg.virtual_index();
    if (!of_block.bits.empty()) return (of_block.bits[index / kWordBits] >> index % kWordBits & 1) != 0;
    if (of_block.num_questions++ == 0) asked_.push_back(block.number());
    if (of_block.num_questions >= kFewQuestions) MakeBits(block, of_block);
    return pressure_.IsLiveIn(block, reg);
  }

 private:
  static constexpr uint32_t kWordBits = 64;
  static constexpr uint32_t kFewQuestions = 64;
  static constexpr size_t kMaxWords = size_t{1} << 23;  // 64 MiB

  struct Block {
    std::vector<uint64_t> bits;  // indexed by register; empty if not built
    uint32_t num_questions = 0;
  };

  void MakeBits(const MachineBasicBlock& block, Block& of_block) {
    const absl::Span<const uint32_t> row = pressure_.LiveIns(block);
    const size_t num_words = function_.reg_info().num_virtual_registers() / kWordBits + 1;
    const size_t cost = row.size() + num_words;
    constexpr size_t kCostOfQuestion = 32;  // the cost of a look-up in a row, in written entries
    if (of_block.num_questions * kCostOfQuestion < cost || num_words_ + num_words > kMaxWords) return;
    num_words_ += num_words;
    of_block.bits.resize(num_words);
    for (const uint32_t reg : row) of_block.bits[reg / kWordBits] |= uint64_t{1} << reg % kWordBits;
  }

  const MachineFunction& function_;
  const MachineRegisterPressure& pressure_;
  std::vector<Block> blocks_;
  std::vector<BlockNumber> asked_;
  size_t num_words_ = 0;  // the total of all sets
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SUPPORT_BLOCK_LIVE_INS_H_
