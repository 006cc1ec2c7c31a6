// SPDX-License-Identifier: Apache-2.0

#include "analysis/values/special_register_ranges.h"

#include <optional>
#include <string_view>
#include <vector>

#include "mir/code/function_ir.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {
namespace {

// Parses names such as "INT_PTX_SREG_TID_x" and "SREG_LANEID".
ptx::BoundedRegister RegisterOfName(std::string_view opcode_name) {
  constexpr std::string_view kPrefix = "SREG_";
  const size_t prefix = opcode_name.find(kPrefix);
  if (prefix == opcode_name.npos) return {};
  return ptx::ParseBoundedRegister(opcode_name.substr(prefix + kPrefix.size()));
}

ptx::BoundedRegister SpecialRegisterOf(Opcode opcode) {
  static const auto* const table = [] {
    auto* const registers = new std::vector<ptx::BoundedRegister>(ptx::kNumOpcodes);
    for (Opcode i = 0; i < ptx::kNumOpcodes; ++i) {
      if (ptx::InstrInfo(i).is_special_register_read())
        (*registers)[i] = RegisterOfName(ptx::PtxTargetInfo().StableName(i));
    }
    return registers;
  }();
  return (*table)[opcode];
}

int SmOf(const AnalysisInputs& inputs) {
  if (inputs.knobs->nvvm_intr_range_sm() > 0) return inputs.knobs->nvvm_intr_range_sm();
  return inputs.subtarget == nullptr ? 0 : inputs.subtarget->sm().number;
}

}  // namespace

SpecialRegisterRanges::SpecialRegisterRanges(const MachineFunction& function, const AnalysisInputs& inputs)
    : bounds_(function.module(), FindIrFunction(function), SmOf(inputs)) {}

IntegerFacts SpecialRegisterRanges::Of(Opcode opcode, unsigned bits) const {
  const std::optional<ptx::SpecialRegisterBounds::Bounds> bounds = bounds_.Of(SpecialRegisterOf(opcode));
  if (!bounds.has_value()) return IntegerFacts::Unknown(bits);
  return IntegerFacts::UnsignedRange(bits, bounds->least, bounds->most);
}

}  // namespace ptxmir
