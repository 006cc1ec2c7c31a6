// SPDX-License-Identifier: Apache-2.0

// PressureProfile: why a function needs as many registers as it does. It holds the pressure at each instruction.
// For the peak, it lists every live value with a possible remedy.
//
// It is meant for people: -explain-registers and the plots of bench/registers are based on it. It takes time and
// memory in proportion to the function, so it is computed on request and not cached.

#ifndef PTXMIR_ANALYSIS_PRESSURE_PRESSURE_PROFILE_H_
#define PTXMIR_ANALYSIS_PRESSURE_PRESSURE_PROFILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// The remedies that would take a value out of the peak, from the cheapest on.
enum class PressureRemedy : uint8_t {
  kSink,             // its definition can be moved down to its only use, after the peak
  kRematerialize,    // it can be rematerialized after the peak from values that are live there anyway
  kReloaded,         // it is a spilled value that was loaded back
  kSpillAroundLoop,  // it is live through a loop that does not use it
  kNone,             // it is used at the peak, or none of the above applies
};

struct LiveValue {
  Register reg;
  std::string name;             // "%12"
  std::string_view class_name;  // "b64"
  uint32_t units = 0;           // 32-bit registers; 0 for predicates
  std::string definition;       // the instruction that defines it, as MIR; empty if there is none or several
  PressureRemedy remedy = PressureRemedy::kNone;
  // For kSink and kRematerialize, the number of instructions to be moved or executed again. A load counts as many
  // as -nv-remat-block-load-cost says. 0 for other remedies.
  uint32_t cost = 0;
  BlockNumber loop_header = 0;   // for kSpillAroundLoop
  bool is_used_at_peak = false;  // for kNone
};

// Returns the remedy for people: "can be rematerialized, cost 1".
std::string RemedyText(const LiveValue& value);

struct PressureProfile {
  struct Block {
    BlockNumber number = 0;
    uint32_t first_point = 0;  // the point of its first instruction, or the next block's first point if it has none
    uint32_t peak = 0;         // units
    std::string location;      // "kernel.cu:12" at the peak; empty if not known
  };
  // The 32-bit registers live at each instruction, in layout order. Debug instructions are left out.
  std::vector<uint32_t> points;
  std::vector<Block> blocks;
  uint32_t max_units = 0;
  uint32_t max_predicates = 0;
  // The first point with the most units.
  uint32_t peak_point = 0;
  BlockNumber peak_block = 0;
  std::string peak_instr;       // as MIR
  std::string peak_location;    // "kernel.cu:12"; empty if not known
  std::vector<LiveValue> live;  // the values live at the peak, sorted by remedy, then from the widest on
};

// Without `with_texts`, the texts of instructions are empty.
PressureProfile ComputePressureProfile(MachineFunction& function, AnalysisManager& analyses, bool with_texts = true);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_PRESSURE_PROFILE_H_
