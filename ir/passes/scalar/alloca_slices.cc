// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/scalar/alloca_slices.h"

#include <optional>

#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir::ir {

bool AllocaSlices::Collect(Instruction& alloca) {
  layout_ = &alloca.function().module().data_layout();
  size_ = layout_->AllocSize(alloca.source_type());
  if (alloca.num_operands() > 0) {
    const std::optional<uint64_t> count = ConstantInteger(alloca.operand(0));
    if (count != uint64_t{1}) return false;
  }
  return size_ < DataLayout::kHugeSize && CollectUses(alloca, 0);
}

bool AllocaSlices::CollectUses(Value& pointer, uint64_t offset) {
  for (Use& use : pointer.uses()) {
    if (IsDebugUse(use) || CollectUse(use, offset)) continue;
    if (culprit_ == nullptr) culprit_ = &use.user();
    return false;
  }
  return true;
}

bool AllocaSlices::Add(Instruction& user, uint64_t offset, uint64_t size, AllocaSlice::Kind kind) {
  if (offset > size_ || size > size_ - offset) return false;
  if (size != 0) slices_.push_back({&user, offset, offset + size, kind});
  return size != 0;
}

bool AllocaSlices::CollectUse(Use& use, uint64_t offset) {
  Instruction& user = use.user();
  switch (user.opcode()) {
    case Opcode::kLoad:
      return IsSimpleAccess(user) && Add(user, offset, layout_->StoreSize(user.type()), AllocaSlice::Kind::kLoad);
    case Opcode::kStore:
      return use.operand_number() == 1 && IsSimpleAccess(user) &&
             Add(user, offset, layout_->StoreSize(user.operand(0).type()), AllocaSlice::Kind::kStore);
    case Opcode::kGetElementPtr: {
      if (use.operand_number() != 0) return false;
      const std::optional<int64_t> step = ConstantOffset(user);
      if (!step.has_value()) return false;
      const int64_t target = static_cast<int64_t>(offset) + *step;
      if (target < 0 || static_cast<uint64_t>(target) > size_) return false;
      addresses_.push_back(&user);
      return CollectUses(user, static_cast<uint64_t>(target));
    }
    case Opcode::kBitCast:
      addresses_.push_back(&user);
      return user.type()->is_pointer() && CollectUses(user, offset);
    case Opcode::kCall:
      return CollectCall(use, offset);
    default:
      return false;
  }
}

bool AllocaSlices::CollectCall(Use& use, uint64_t offset) {
  Instruction& call = use.user();
  if (IsIntrinsicCall(call, "llvm.lifetime.")) {
    markers_.push_back(&call);
    return true;
  }
  const bool is_set = IsIntrinsicCall(call, "llvm.memset.p");
  const bool is_copy = IsIntrinsicCall(call, "llvm.memcpy.p") || IsIntrinsicCall(call, "llvm.memmove.p");
  if ((!is_set && !is_copy) || call.call().num_arguments != 4 || ConstantInteger(call.operand(3)) != uint64_t{0}) {
    return false;
  }
  const std::optional<uint64_t> length = ConstantInteger(call.operand(2));
  if (!length.has_value()) return false;
  if (is_set) return Add(call, offset, *length, AllocaSlice::Kind::kSet);
  // A copy within the object has both kinds.
  for (const AllocaSlice& slice : slices_) {
    if (slice.user == &call) return false;
  }
  return Add(call, offset, *length,
             use.operand_number() == 0 ? AllocaSlice::Kind::kCopyTo : AllocaSlice::Kind::kCopyFrom);
}

bool AllocaSlices::FindLeaves(const DataLayout& layout, const IrType* type, uint64_t offset, size_t limit,
                              std::vector<AllocaLeaf>* leaves) {
  if (leaves->size() >= limit) return false;
  if (type->is_struct()) {
    const StructLayout members = layout.LayoutOf(type);
    for (size_t i = 0; i < type->members().size(); ++i) {
      if (!FindLeaves(layout, type->members()[i], offset + members.offsets[i], limit, leaves)) return false;
    }
    return true;
  }
  if (type->is_array()) {
    if (type->num_elements() > limit) return false;
    const uint64_t step = layout.AllocSize(type->element());
    for (uint64_t i = 0; i < type->num_elements(); ++i) {
      if (!FindLeaves(layout, type->element(), offset + i * step, limit, leaves)) return false;
    }
    return true;
  }
  const uint64_t size = layout.StoreSize(type);
  if (size != 0) leaves->push_back({offset, offset + size, type});
  return true;
}

}  // namespace ptxmir::ir
