// SPDX-License-Identifier: Apache-2.0

// The module as a string of numbers, for the search for repeated sequences, and what the outliner knows of its
// instructions.
//
// Every instruction but debug instructions has a position and a number. Instructions have the same number if they do
// the same to registers of the same classes. Which registers these are does not matter here. An instruction that must
// not be outlined, and the end of each block, have a number of their own.

#ifndef PTXMIR_PASSES_OUTLINE_OUTLINE_TEXT_H_
#define PTXMIR_PASSES_OUTLINE_OUTLINE_TEXT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "passes/pass_context.h"

namespace ptxmir {

class OutlineText {
 public:
  // The last read of a value that is live at the end of its block.
  static constexpr uint32_t kBeyondBlock = ~uint32_t{0};

  explicit OutlineText(const Module& module) : module_(module) {}

  // Appends a function. It must not change as long as the positions are used, but for what the outliner itself
  // replaces.
  void Add(MachineFunction& function, AnalysisManager& analyses);

  absl::Span<const uint32_t> numbers() const { return numbers_; }
  // Returns null for the end of a block.
  MachineInstr* instr(uint32_t position) const { return instrs_[position]; }
  // Returns the position of the last read of the value of each register definition of the instruction, in the order of
  // its operands. It is the position of the definition itself if nothing reads the value.
  absl::Span<const uint32_t> LastReads(uint32_t position) const {
    return absl::MakeConstSpan(last_reads_)
        .subspan(first_last_read_[position], first_last_read_[position + 1] - first_last_read_[position]);
  }
  // Returns the 32-bit registers that are live behind the instruction.
  uint32_t LiveUnits(uint32_t position) const { return live_units_[position]; }
  uint32_t max_registers() const { return max_registers_; }

 private:
  struct Key {
    std::vector<uint64_t> words;
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.words);
    }
  };

  void AddBlock(MachineBasicBlock& block, absl::Span<const uint32_t> live_outs);
  void FindLastReads(const MachineBasicBlock& block, uint32_t first, absl::Span<const uint32_t> live_outs);
  uint32_t NumberOf(const MachineInstr& instr);

  const Module& module_;
  absl::flat_hash_map<Key, uint32_t> known_;
  Key key_;  // of the current instruction
  std::vector<uint32_t> numbers_;
  std::vector<MachineInstr*> instrs_;
  std::vector<uint32_t> first_last_read_ = {0};
  std::vector<uint32_t> last_reads_;
  std::vector<uint32_t> live_units_;
  std::vector<uint32_t> last_read_of_;  // by register of the current function, within a block; 0: not live
  uint32_t max_registers_ = 0;
  uint32_t next_number_ = 0;
};

// Returns why the instruction must stay in its function; empty if it may be moved to another one.
std::string_view WhyNotOutlined(const Module& module, const MachineInstr& instr);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUTLINE_OUTLINE_TEXT_H_
