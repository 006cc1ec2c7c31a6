// SPDX-License-Identifier: Apache-2.0

#include "sdag/graph/divergence.h"

#include <string_view>

#include "ir/address_space.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::sdag {
namespace {

constexpr std::string_view kDivergentIntrinsics[] = {"llvm.nvvm.read.ptx.sreg.tid.",
                                                     "llvm.nvvm.read.ptx.sreg.laneid",
                                                     "llvm.nvvm.read.ptx.sreg.lanemask",
                                                     "llvm.nvvm.read.ptx.sreg.clock",
                                                     "llvm.nvvm.read.ptx.sreg.globaltimer",
                                                     "llvm.nvvm.shfl.",
                                                     "llvm.nvvm.match.any",
                                                     "llvm.nvvm.elect",
                                                     "llvm.nvvm.atomic.",
                                                     "llvm.nvvm.activemask",
                                                     "llvm.nvvm.wmma.",
                                                     "llvm.nvvm.mma.",
                                                     "llvm.nvvm.ldmatrix.",
                                                     "llvm.nvvm.tcgen05.ld",
                                                     "llvm.nvvm.barrier0.popc",
                                                     "llvm.readcyclecounter"};

constexpr std::string_view kUniformIntrinsics[] = {"llvm.nvvm.vote.", "llvm.nvvm.redux.", "llvm.nvvm.match.all"};

template <size_t N>
bool HasPrefix(std::string_view name, const std::string_view (&prefixes)[N]) {
  for (const std::string_view prefix : prefixes) {
    if (name.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

bool IsSource(const SDNode& node) {
  if (node.is_machine_opcode()) {
    const ptxmir::Opcode opcode = node.machine_opcode();
    if (opcode >= node.function().target().instrs.size()) return true;
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(opcode);
    if (info.Has(ptx::Property::kAgreed)) return false;
    constexpr uint32_t kDivergent =
        ptx::Property::kDivergent | ptx::Property::kAtomic | ptx::Property::kCall | ptx::Property::kCollective;
    if (info.Has(kDivergent) || opcode == generic::kInlineAsm) return true;
    for (const MachineMemOperand* memoperand : static_cast<const MachineSDNode&>(node).memoperands()) {
      const unsigned space = memoperand->address_space;
      if (memoperand->is_load() && (space == address_space::kGeneric || space == address_space::kLocal)) return true;
    }
    return false;
  }
  switch (node.payload_kind()) {
    case NodePayload::kIntrinsic:
      return HasPrefix(static_cast<const IntrinsicSDNode&>(node).intrinsic_name(), kDivergentIntrinsics);
    case NodePayload::kMemory: {
      if ((node.properties() & NodeProperty::kAtomic) != 0) return true;
      const auto& memory = AsMemSDNode(node);
      if (memory.memoperand() == nullptr || !memory.memoperand()->is_load()) return false;
      return memory.is_atomic() || memory.address_space() == address_space::kGeneric ||
             memory.address_space() == address_space::kLocal;
    }
    default:
      break;
  }
  switch (node.opcode()) {
    case isd::kCopyFromReg: {
      // A glued copy reads the value that inline assembly has left in the register.
      if (node.GluedNode() != nullptr) return true;
      const auto* reg = DynCast<RegisterSDNode>(node.operand(1));
      return reg != nullptr && node.function().IsDivergent(reg->reg());
    }
    case isd::kNvProxyReg:
    case isd::kReadCycleCounter:
    case isd::kReadSteadyCounter:
    case isd::kDynamicStackAlloc:
    case isd::kNvDynamicStackAlloc:
      return true;
    default:
      return false;
  }
}

bool IsAlwaysUniform(const SDNode& node) {
  if (node.is_machine_opcode()) {
    return node.machine_opcode() < node.function().target().instrs.size() &&
           ptx::InstrInfo(node.machine_opcode()).Has(ptx::Property::kAgreed);
  }
  return node.payload_kind() == NodePayload::kIntrinsic &&
         HasPrefix(static_cast<const IntrinsicSDNode&>(node).intrinsic_name(), kUniformIntrinsics);
}

}  // namespace

DivergenceHooks PtxDivergenceHooks() { return {.is_source = IsSource, .is_always_uniform = IsAlwaysUniform}; }

}  // namespace ptxmir::sdag
