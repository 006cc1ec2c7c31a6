// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/spill/shared_spill_room.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/pressure/register_budget.h"
#include "ir/address_space.h"
#include "ir/module.h"
#include "mir/code/function_ir.h"
#include "passes/allocate/spill/spill_code.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/occupancy.h"

namespace ptxmir {
namespace {

constexpr uint64_t kMaxStaticBytes = 48 * 1024;
constexpr uint64_t kAlignment = 16;

constexpr std::string_view kNoKernel = "it is no kernel";
constexpr std::string_view kNoCtaSize = "neither .reqntid nor .maxntid bounds its CTAs";
constexpr std::string_view kCallsOutside = "it calls functions outside of the module";
constexpr std::string_view kAsksForSize = "it reads the size of shared memory";
constexpr std::string_view kDynamic = "it may use shared memory of a size that the launch gives";
constexpr std::string_view kNothingLeft = "more shared memory would cost occupancy";

// The shared memory that a function may use, according to its code.
struct Mentions {
  absl::flat_hash_set<GlobalId> globals;
  bool is_open = false;  // it calls functions, or contains text that may name anything
  std::string_view refusal;
};

Mentions FindMentions(const MachineFunction& function) {
  Mentions mentions;
  const Module& module = *function.module();
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      const bool is_call = ptx::InstrInfo(instr.opcode()).Has(ptx::Property::kCall);
      mentions.is_open |= is_call || instr.is_inline_asm();
      bool is_known = false;
      for (const MachineOperand& operand : instr.operands()) {
        if (!operand.is_global()) continue;
        mentions.globals.insert(operand.global());
        const GlobalValue& value = module.global_value(operand.global());
        const IrFunction* callee = value.is_function() ? module.FindFunction(value.name) : nullptr;
        is_known |= callee != nullptr && !callee->is_declaration();
      }
      if (is_call && !is_known) mentions.refusal = kCallsOutside;
      if (instr.opcode() == ptx::op::INT_PTX_SREG_TOTAL_SMEM_SIZE ||
          instr.opcode() == ptx::op::INT_PTX_SREG_AGGR_SMEM_SIZE) {
        mentions.refusal = kAsksForSize;
      }
    }
  }
  return mentions;
}

// Returns the bytes of static shared memory that the function may use, or nullopt if the launch determines the
// size.
std::optional<uint64_t> StaticSharedBytes(const Module& module, const Mentions& mentions) {
  const DataLayout& layout = module.data_layout();
  uint64_t bytes = 0;
  for (const GlobalVariable& variable : module.variables()) {
    if (variable.address_space != address_space::kShared || variable.name.starts_with("llvm.")) continue;
    if (!mentions.is_open && !mentions.globals.contains(variable.id())) continue;
    const uint64_t size = layout.AllocSize(variable.value_type);
    if (size == 0 || variable.is_declaration()) return std::nullopt;
    const uint64_t align = std::max<uint64_t>(layout.GlobalAlign(variable.value_type, variable.align), kAlignment);
    bytes = (bytes + align - 1) / align * align + size;
  }
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

uint32_t WordsThatFit(const ptx::SmLimits& limits, ptx::KernelResources kernel) {
  const uint64_t own = kernel.shared_bytes;
  const unsigned ctas = ptx::ComputeOccupancy(limits, kernel).ctas;
  const auto fits = [&](uint64_t words) {
    kernel.shared_bytes = static_cast<uint32_t>(own + words * kSharedSpillWordBytes * kernel.threads);
    return ptx::ComputeOccupancy(limits, kernel).ctas >= ctas;
  };
  if (own >= kMaxStaticBytes || ctas == 0) return 0;
  uint64_t words = (kMaxStaticBytes - own) / (uint64_t{kSharedSpillWordBytes} * kernel.threads);
  while (words > 0 && !fits(words)) --words;
  return static_cast<uint32_t>(words);
}

}  // namespace

SharedSpillRoom FindSharedSpillRoom(const MachineFunction& function, const Knobs& knobs, const ptx::SmInfo& sm) {
  SharedSpillRoom room;
  const IrFunction* ir_function = FindIrFunction(function);
  if (ir_function == nullptr || !IsKernelFunction(function)) {
    room.refusal = kNoKernel;
    return room;
  }
  const NvvmFunctionInfo info = GetNvvmFunctionInfo(*function.module(), *ir_function);
  const RegisterBudget budget = ComputeRegisterBudget(function, knobs, sm);
  if (budget.cta_threads == 0 || budget.cta_threads > ptx::kMaxCtaThreads) {
    room.refusal = kNoCtaSize;
    return room;
  }
  room.threads = budget.cta_threads;
  room.has_exact_shape = !info.req_ntid.empty();
  const std::vector<uint32_t>& shape = room.has_exact_shape ? info.req_ntid : info.max_ntid;
  for (size_t i = 0; i < room.shape.size(); ++i) room.shape[i] = i < shape.size() ? std::max(shape[i], 1u) : 1;
  const Mentions mentions = FindMentions(function);
  room.refusal = mentions.refusal;
  if (!room.refusal.empty()) return room;
  const std::optional<uint64_t> own = StaticSharedBytes(*function.module(), mentions);
  if (!own.has_value()) {
    room.refusal = kDynamic;
    return room;
  }
  room.words = WordsThatFit(sm.limits, {.threads = room.threads,
                                        .registers = budget.allocated,
                                        .shared_bytes = static_cast<uint32_t>(std::min<uint64_t>(*own, ~0u))});
  if (room.words == 0) room.refusal = kNothingLeft;
  return room;
}

}  // namespace ptxmir
