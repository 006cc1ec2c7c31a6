// SPDX-License-Identifier: Apache-2.0

// Why a function needs as many registers as it does: its pressure from instruction to instruction, and at the peak
// every value that is live with what could be done about it.
//
// For people: -explain-registers and the plots of bench/registers are made from it. Takes time and memory in
// proportion to the function, so it is computed where somebody asks and not kept.

#ifndef PTXMIR_ANALYSIS_PRESSURE_PROFILE_H_
#define PTXMIR_ANALYSIS_PRESSURE_PROFILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// What would take a value out of the peak, the cheapest first.
enum class PressureRemedy : uint8_t {
  kSink,             // its definition can be moved down to its only use, behind the peak
  kRematerialize,    // it can be computed again behind the peak from what is live there anyway
  kReloaded,         // it is a spilled value that was loaded back
  kSpillAroundLoop,  // it is live through a loop that does not use it
  kNone,             // it is used at the peak, or nothing of the above
};

struct LiveValue {
  Register reg;
  std::string name;        // "%12"
  std::string class_name;  // "b64"
  uint32_t units = 0;      // 32-bit registers; 0 for predicates
  std::string definition;  // the instruction that defines it, as MIR; empty when there is none or several
  PressureRemedy remedy = PressureRemedy::kNone;
  // Of kSink and kRematerialize: instructions to be executed again or elsewhere, a load counting as many as
  // -nv-remat-block-load-cost says. Others: 0.
  uint32_t cost = 0;
  std::string remedy_text;  // "can be computed again, cost 1"
};

struct PressureProfile {
  struct Block {
    BlockNumber number = 0;
    uint32_t first_point = 0;  // of its first instruction; that of the next block when it has none
    uint32_t peak = 0;         // units
    std::string location;      // "kernel.cu:12" at the peak; empty when not known
  };
  // 32-bit registers live at each instruction, debug instructions left out, in layout order.
  std::vector<uint32_t> points;
  std::vector<Block> blocks;
  uint32_t max_units = 0;
  uint32_t max_predicates = 0;
  // The first point with the most units.
  uint32_t peak_point = 0;
  BlockNumber peak_block = 0;
  std::string peak_instr;       // as MIR
  std::string peak_location;    // "kernel.cu:12"; empty when not known
  std::vector<LiveValue> live;  // at the peak: by remedy, then the widest first
};

PressureProfile ComputePressureProfile(MachineFunction& function, AnalysisManager& analyses);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_PROFILE_H_
