// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/tag_invariant_loads.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "ir/address_space.h"
#include "ir/ir_nvvm.h"
#include "ir/passes/support/effects.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// The memory that a pointer may lead to, by the values that it is made of.
class PointerOrigins {
 public:
  PointerOrigins(const Function& function, bool is_kernel) : function_(function), is_kernel_(is_kernel) {}

  // Returns true if all of it keeps its contents while the kernel runs.
  bool AreReadOnly(const Value& pointer) {
    reached_.clear();
    Reach(pointer);
    for (size_t i = 0; i < reached_.size(); ++i) {
      if (reached_.size() > kMaxValues || !FollowReadOnly(*reached_[i])) return false;
    }
    return true;
  }

 private:
  // Pointers that are made of more values are given up.
  static constexpr size_t kMaxValues = 32;

  void Reach(const Value& value) {
    if (reached_.size() > kMaxValues) return;
    if (std::find(reached_.begin(), reached_.end(), &value) == reached_.end()) reached_.push_back(&value);
  }

  // Reaches the operands that an address is made of. Returns false for one of other memory.
  bool FollowReadOnly(const Value& value) {
    if (value.is_argument()) return IsReadOnly(static_cast<const Argument&>(value));
    if (value.is_constant()) return IsReadOnly(static_cast<const ConstantValue&>(value).constant());
    if (!value.is_instruction()) return false;
    const auto& instruction = static_cast<const Instruction&>(value);
    switch (instruction.opcode()) {
      case Opcode::kGetElementPtr:
      case Opcode::kBitCast:
      case Opcode::kAddrSpaceCast:
        Reach(instruction.operand(0));
        return true;
      case Opcode::kSelect:
        Reach(instruction.operand(1));
        Reach(instruction.operand(2));
        return true;
      case Opcode::kPhi:
        for (unsigned i = 0; i < instruction.num_incoming(); ++i) Reach(instruction.incoming_value(i));
        return true;
      default:
        return false;
    }
  }

  bool IsReadOnly(const Argument& argument) const {
    const IrAttributes& attributes = function_.signature().parameters[argument.number()].attributes;
    return is_kernel_ && attributes.Has("noalias") && (attributes.Has("readonly") || attributes.Has("readnone"));
  }

  bool IsReadOnly(const IrConstant& constant) const {
    if (constant.kind == IrConstant::Kind::kGlobal) {
      const GlobalVariable* variable = function_.module().variable(constant.global);
      return variable != nullptr && variable->is_constant;
    }
    if (constant.kind != IrConstant::Kind::kExpression) return false;
    switch (constant.opcode) {
      case IrConstant::Opcode::kGetElementPtr:
      case IrConstant::Opcode::kBitcast:
      case IrConstant::Opcode::kAddrSpaceCast:
        return IsReadOnly(*constant.operands[0]);
      default:
        return false;
    }
  }

  const Function& function_;
  const bool is_kernel_;
  std::vector<const Value*> reached_;
};

}  // namespace

IrPassResult RunTagInvariantLoads(Program& program, IrPassContext& context) {
  const Attachment tag = {program.AddMetadataKind("invariant.load"), program.AddMetadataText("!{}")};
  unsigned num_tagged = 0;
  for (const std::unique_ptr<Function>& function : program.functions()) {
    PointerOrigins origins(*function, IsKernel(program.module(), function->signature()));
    for (BasicBlock* block : function->blocks()) {
      for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (i->opcode() != Opcode::kLoad || !IsSimpleAccess(*i) || IsInvariantLoad(*i)) continue;
        const Value& pointer = i->operand(0);
        if (pointer.type()->address_space() != address_space::kGlobal || !origins.AreReadOnly(pointer)) continue;
        std::vector<Attachment> attachments(i->attachments().begin(), i->attachments().end());
        attachments.push_back(tag);
        i->SetAttachments(attachments);
        ++num_tagged;
        context.reporter.AddRemark(IrPassReporter::Kind::kPassed, "Invariant", *i,
                                   [&] { return std::string("loaded from memory that does not change"); });
      }
    }
  }
  context.AddStatistic("loads of memory that does not change", num_tagged);
  return {.changed = num_tagged != 0};
}

}  // namespace ptxmir
