// SPDX-License-Identifier: Apache-2.0

#include "sdag/graph/memory_intrinsics.h"

#include <string_view>

namespace ptxmir::sdag {
namespace {

// Returns the address space of argument `index`, as in "llvm.memcpy.p1.p3.i64".
unsigned SpaceInName(std::string_view name, unsigned index) {
  size_t at = name.find(".p");
  for (; index > 0 && at != std::string_view::npos; --index) at = name.find(".p", at + 1);
  if (at == std::string_view::npos) return 0;
  unsigned space = 0;
  for (at += 2; at < name.size() && name[at] >= '0' && name[at] <= '9'; ++at) {
    space = space * 10 + static_cast<unsigned>(name[at] - '0');
  }
  return space;
}

}  // namespace

std::optional<MemoryIntrinsic> MemoryIntrinsicOf(const SDNode& node) {
  const auto* called = DynCast<IntrinsicSDNode>(&node);
  if (called == nullptr || node.opcode() == isd::kIntrinsicWOChain || node.num_operands() < 5) return std::nullopt;
  const std::string_view name = called->intrinsic_name();
  MemoryIntrinsic intrinsic = {};
  if (name.starts_with("llvm.memcpy.")) {
    intrinsic.kind = MemoryIntrinsic::Kind::kCopy;
  } else if (name.starts_with("llvm.memmove.")) {
    intrinsic.kind = MemoryIntrinsic::Kind::kMove;
  } else if (name.starts_with("llvm.memset.")) {
    intrinsic.kind = MemoryIntrinsic::Kind::kSet;
  } else {
    return std::nullopt;
  }
  const auto* is_volatile = DynCast<ConstantSDNode>(node.operand(4));
  intrinsic.is_volatile = is_volatile != nullptr && !is_volatile->IsZero();
  intrinsic.target_space = SpaceInName(name, 0);
  if (intrinsic.kind != MemoryIntrinsic::Kind::kSet) intrinsic.source_space = SpaceInName(name, 1);
  const MachineMemOperand* memoperand = AsMemSDNode(node).memoperand();
  intrinsic.alignment = memoperand == nullptr ? 1 : uint64_t{1} << memoperand->align_log2;
  if (const auto* size = DynCast<ConstantSDNode>(node.operand(3))) intrinsic.size = size->ZExtValue();
  return intrinsic;
}

MachineMemOperand MemOperandOf(const SDNode& node, const MemoryIntrinsic& intrinsic, bool is_load) {
  MachineMemOperand memoperand;
  const MachineMemOperand* whole = AsMemSDNode(node).memoperand();
  if (whole != nullptr) memoperand = *whole;
  memoperand.flags = is_load ? MachineMemOperand::kLoad : MachineMemOperand::kStore;
  if (intrinsic.is_volatile) memoperand.flags |= MachineMemOperand::kVolatile;
  memoperand.address_space = is_load ? intrinsic.source_space : intrinsic.target_space;
  return memoperand;
}

}  // namespace ptxmir::sdag
