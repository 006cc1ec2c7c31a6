// The one table of machine passes.
//
// It names every pass that LLVM's and cicc's machine pipelines have between instruction selection and printing,
// also those that do not exist here (yet): a position such as `-start-after=machine-cse` makes sense for them,
// running them does not, and asking for that is an error. Where a pass stands in the pipeline is said in
// standard_pipeline.cc, and which must come before which in pass_order.cc.

#ifndef PTXMIR_PASSES_PASS_TABLE_H_
#define PTXMIR_PASSES_PASS_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"
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

// In the order of the reference: LLVM's passes, NVIDIA's, ours.
absl::Span<const PassInfo> PassTable();

// By name or alias. Null when there is no pass of that name.
const PassInfo* FindPass(std::string_view name);

// "unknown pass 'x'", with the nearest known name when one is near.
std::string UnknownPassMessage(std::string_view name);

// "pass 'x' is not implemented", with the reason where one is known.
std::string AbsentPassMessage(const PassInfo& pass);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PASS_TABLE_H_
