// SPDX-License-Identifier: Apache-2.0

// LoopSchedule: the schedule that pipeliner has found for a loop, as text and numbers that no longer depend on
// the function.

#ifndef PTXMIR_PASSES_REPORT_LOOP_SCHEDULE_H_
#define PTXMIR_PASSES_REPORT_LOOP_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

struct LoopSchedule {
  struct Instr {
    std::string text;    // as MIR
    uint32_t cycle = 0;  // from the beginning of its iteration
    std::string unit;    // the unit that it keeps busy; empty if it needs none
  };
  // A unit of the GPU, or the scheduler that issues instructions.
  struct Unit {
    std::string name;
    uint32_t cycles = 0;  // busy per iteration
  };

  BlockNumber block = 0;  // the loop, as it was before
  uint32_t ii = 0;        // the initiation interval: cycles between the beginnings of two iterations
  uint32_t recurrence_min_ii = 0;
  uint32_t resource_min_ii = 0;
  uint32_t num_stages = 0;
  std::vector<Instr> instrs;  // in the order of the loop
  std::vector<Unit> units;
  std::vector<std::vector<uint32_t>> recurrences;  // indexes of `instrs`, the most critical recurrence first
  uint32_t registers_before = 0;                   // live at once in the loop
  uint32_t registers_after = 0;                    // as estimated
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REPORT_LOOP_SCHEDULE_H_
