// SPDX-License-Identifier: Apache-2.0

// FunctionLines: the lines of a function as numbers of texts, pass by pass. An unnamed value or block keeps the number
// that it had when it was first written, unlike in the text form, so that it can be followed. Most instructions look as
// they did when they were last written. These are not written again.
//
// Debug records and locations are left out.

#ifndef PTXMIR_IR_TEXT_FUNCTION_LINES_H_
#define PTXMIR_IR_TEXT_FUNCTION_LINES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "base/text_buffer.h"
#include "ir/code/function.h"

namespace ptxmir::ir {

class InstructionWriter;

class FunctionLines {
 public:
  // Appends the lines of the function, from the one with "define" to "}". `number_of` returns the number of a text.
  // Numbers the values, and gives the unnamed ones the numbers that are kept.
  void Append(Function& function, absl::FunctionRef<uint32_t(std::string_view)> number_of,
              std::vector<uint32_t>& lines);

  // Returns the number that is kept for the unnamed block to which LLVM gives the number `slot` in the function that
  // was appended last; `slot` itself if there is none.
  uint32_t KeptBlockNumber(uint32_t slot) const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Values stay in memory as long as their function, so that an id is never that of another one.
  struct Known {
    uint32_t number = kNone;   // of an unnamed value
    uint32_t text = kNone;     // kNone: it has not been written
    uint64_t fingerprint = 0;  // when it was written
  };

  void KeepNumbers(Function& function);
  void AppendInstruction(const Instruction& instruction, InstructionWriter& writer,
                         absl::FunctionRef<uint32_t(std::string_view)> number_of, std::vector<uint32_t>& lines);

  absl::flat_hash_map<ArenaId, Known> known_;
  uint32_t next_number_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> block_numbers_;  // LLVM's and the kept one; ascending
  ptx::TextBuffer text_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_TEXT_FUNCTION_LINES_H_
