// SPDX-License-Identifier: Apache-2.0

// MachineLines: the lines of machine code as numbers of texts, in the form of a dump without debug locations. Most
// instructions look as they did when they were last written, which their fingerprints tell. These are not written
// again.

#ifndef PTXMIR_PASSES_REPORT_MACHINE_LINES_H_
#define PTXMIR_PASSES_REPORT_MACHINE_LINES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/text/function_lines.h"
#include "mir/code/machine_function.h"
#include "passes/report/text_table.h"

namespace ptxmir {

// Of one function, which may change from call to call.
class MachineLines {
 public:
  // Appends the lines of a block to `lines`: a heading, its predecessors, and its instructions. Appends the indexes in
  // `lines` of the instructions to `instr_lines`. The heading names the block of the IR as `ir_lines` do.
  void Append(const MachineBasicBlock& block, const ir::FunctionLines& ir_lines, TextTable& texts,
              std::vector<uint32_t>& lines, std::vector<uint32_t>& instr_lines);

 private:
  struct Written {
    uint64_t fingerprint = 0;
    uint32_t text = 0;  // its number
  };

  uint32_t NumberOf(const MachineInstr& instr, TextTable& texts);
  uint32_t Write(const MachineInstr& instr, TextTable& texts);

  absl::flat_hash_map<ArenaId, Written> written_;  // by the id of the instruction
  std::string text_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_MACHINE_LINES_H_
