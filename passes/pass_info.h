// SPDX-License-Identifier: Apache-2.0

// A row of the table of passes: what a pass is called, where it comes from, and what it requires.

#ifndef PTXMIR_PASSES_PASS_INFO_H_
#define PTXMIR_PASSES_PASS_INFO_H_

#include <cstdint>
#include <string_view>

#include "passes/pass.h"

namespace ptxmir {

enum class PassOrigin : uint8_t {
  kLlvm,    // stock
  kNvidia,  // cicc's own, or LLVM's for NVPTX alone
  kPtxmir,  // ours
};

struct PassInfo {
  std::string_view name;         // as the reference has it
  std::string_view alias = "";   // another spelling in use, mostly that of llc's -stop-after
  std::string_view description;  // LLVM's, where LLVM has the pass
  PassOrigin origin = PassOrigin::kLlvm;
  MachineFunctionPass run = nullptr;  // null: no such pass here
  // Why there is none, where that is not simply for want of time.
  std::string_view absence = "";
  // FunctionProperty bits that a function must have, and those that it has afterwards or no longer has.
  uint32_t required_properties = 0;
  uint32_t set_properties = 0;
  uint32_t cleared_properties = 0;
  // Whether loops are what it works on, so that it may stand in `loop(...)`.
  bool is_loop_pass = false;
  // Whether floating-point results may be rounded otherwise afterwards (contraction, reassociation).
  bool may_change_rounding = false;

  bool is_implemented() const { return run != nullptr; }
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PASS_INFO_H_
