// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/scalar/separate_const_offset.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "ir/address_space.h"
#include "ir/code/program.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/gep_indices.h"
#include "ir/passes/support/index_step.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR
using StepKind = IndexStep::Kind;

// Deeper sums stay as they are.
constexpr unsigned kMaxOffsetDepth = 6;

// Returns the operation if it is a sum or leads to one, a leaf otherwise.
IndexStep SumStepOf(const Value& value, IndexExtension extension, unsigned depth) {
  const IndexStep step = IndexStepOf(value, extension);
  const bool descends =
      step.kind == StepKind::kSum || step.kind == StepKind::kDifference || step.kind == StepKind::kExtension;
  if (step.kind == StepKind::kConstant || (descends && depth < kMaxOffsetDepth)) return step;
  return {};
}

Value& Operand(const Value& value, unsigned i) { return static_cast<const Instruction&>(value).operand(i); }

bool HasConstant(const Value& value, IndexExtension extension, unsigned depth) {
  const IndexStep step = SumStepOf(value, extension, depth);
  switch (step.kind) {
    case StepKind::kConstant:
      return true;
    case StepKind::kExtension:
      return HasConstant(Operand(value, 0), step.extension, depth + 1);
    case StepKind::kSum:
    case StepKind::kDifference:
      return HasConstant(Operand(value, 0), step.extension, depth + 1) ||
             HasConstant(Operand(value, 1), step.extension, depth + 1);
    default:
      return false;
  }
}

// Returns the sum of the constants, modulo 2^64.
uint64_t ConstantPart(const Value& value, IndexExtension extension, unsigned depth) {
  const IndexStep step = SumStepOf(value, extension, depth);
  if (step.kind == StepKind::kConstant) return step.constant;
  if (step.kind == StepKind::kLeaf) return 0;
  const uint64_t first = ConstantPart(Operand(value, 0), step.extension, depth + 1);
  if (step.kind == StepKind::kExtension) return first;
  const uint64_t second = ConstantPart(Operand(value, 1), step.extension, depth + 1);
  return step.kind == StepKind::kSum ? first + second : first - second;
}

// In bytes. An address that stays within an object of this size has no index farther from 0.
constexpr int64_t kSmallObjectSize = int64_t{1} << 24;

// Returns true if the address is known to stay within an object of at most that size: shared and local memory,
// constant banks and parameters have less, and a variable has its size.
bool IsOfSmallObject(const Instruction& gep) {
  if (!gep.has_flag(kInBounds)) return false;
  switch (gep.type()->address_space()) {
    case address_space::kShared:
    case address_space::kSharedCluster:
    case address_space::kConst:
    case address_space::kLocal:
    case address_space::kParam:
      return true;
    default:
      break;
  }
  if (!gep.operand(0).is_constant()) return false;
  const IrConstant& base = static_cast<const ConstantValue&>(gep.operand(0)).constant();
  if (base.kind != IrConstant::Kind::kGlobal) return false;
  const Module& module = gep.function().module();
  const GlobalVariable* variable = module.variable(base.global);
  if (variable == nullptr || variable->initializer == nullptr) return false;
  return module.data_layout().AllocSize(variable->value_type) <= kSmallObjectSize;
}

// Computes sums without their constants in front of an instruction.
class SumBuilder {
 public:
  SumBuilder(Instruction& before, const IrType* type) : before_(before), type_(type) {}

  // Returns the value without constants in the type of indices.
  Value& WithoutConstants(Value& value, IndexExtension extension) {
    const Part rest = RestOf(value, extension, 0);
    if (rest.value != nullptr && !rest.is_negative) return *rest.value;
    Value& zero = *before_.function().Integer(type_, 0);
    return rest.value == nullptr ? zero : InsertBefore(before_, Opcode::kSub, type_, {{zero}, {*rest.value}});
  }

 private:
  // A value, which is to be subtracted if it is negative; null for 0.
  struct Part {
    Value* value = nullptr;
    bool is_negative = false;
  };

  Part RestOf(Value& value, IndexExtension extension, unsigned depth) {
    if (!HasConstant(value, extension, depth)) return {&Extend(value, extension)};
    const IndexStep step = SumStepOf(value, extension, depth);
    if (step.kind == StepKind::kConstant) return {};
    const Part first = RestOf(Operand(value, 0), step.extension, depth + 1);
    if (step.kind == StepKind::kExtension) return first;
    Part second = RestOf(Operand(value, 1), step.extension, depth + 1);
    if (step.kind == StepKind::kDifference) second.is_negative = !second.is_negative;
    if (second.value == nullptr) return first;
    if (first.value == nullptr) return second;
    if (first.is_negative == second.is_negative) {
      return {&InsertBefore(before_, Opcode::kAdd, type_, {{*first.value}, {*second.value}}), first.is_negative};
    }
    Value& positive = first.is_negative ? *second.value : *first.value;
    Value& negative = first.is_negative ? *first.value : *second.value;
    return {&InsertBefore(before_, Opcode::kSub, type_, {{positive}, {negative}})};
  }

  Value& Extend(Value& value, IndexExtension extension) {
    if (value.type() == type_) return value;
    const Opcode opcode = extension == IndexExtension::kZero ? Opcode::kZExt : Opcode::kSExt;
    return InsertBefore(before_, opcode, type_, {{value}});
  }

  Instruction& before_;
  const IrType* type_;
};

// Returns the narrow integer that an index extends, or null.
Value* NarrowIndex(Value& index, uint32_t index_bits) {
  if (index.type()->integer_width() < index_bits) return &index;
  return IndexStepOf(index, IndexExtension::kNone).kind == StepKind::kExtension ? &Operand(index, 0) : nullptr;
}

// One index of a getelementptr.
struct Index {
  Value* value = nullptr;
  bool is_field = false;  // of a structure, always constant
  bool is_constant = false;
  bool has_constant = false;
  Value* narrow = nullptr;  // the value that it extends, if the constants are those of a narrow sum that may wrap
  uint64_t offset = 0;      // in bytes, of the constant part
};

class GepSplitter {
 public:
  explicit GepSplitter(Instruction& gep)
      : gep_(gep),
        function_(gep.function()),
        layout_(function_.module().data_layout()),
        index_bits_(gep.type()->is_pointer() ? layout_.IndexBits(gep.type()->address_space()) : 0) {}

  // Returns true if the getelementptr was replaced.
  bool Run() {
    if (!gep_.type()->is_pointer() || !gep_.operand(0).type()->is_pointer() || !ReadIndices()) return false;
    size_t num_kept = indices_.size();
    while (num_kept > 0 && indices_[num_kept - 1].is_constant) --num_kept;
    if (num_kept == 0) return false;
    uint64_t extracted = 0;  // from the kept indices
    uint64_t offset = 0;
    for (size_t i = 0; i < indices_.size(); ++i) {
      const Index& index = indices_[i];
      if (i >= num_kept) {
        offset += index.offset;
      } else if (!index.is_field) {
        extracted += index.offset;
      }
    }
    offset += extracted;
    if (num_kept == indices_.size() && offset == 0) return false;
    // An access holds 32 bits of offset.
    const auto signed_offset = static_cast<int64_t>(offset);
    if (signed_offset < std::numeric_limits<int32_t>::min() || signed_offset > std::numeric_limits<int32_t>::max()) {
      return false;
    }
    Replace(num_kept, extracted, offset);
    return true;
  }

 private:
  bool ReadIndices() {
    return ForEachGepIndex(gep_, [this](const GepIndex& gep_index) {
      Value& value = gep_index.value;
      if (!value.type()->is_integer() || value.type()->integer_width() > index_bits_) return false;
      Index index{.value = &value, .is_field = gep_index.is_field};
      index.is_constant = ConstantInteger(value).has_value();
      if (index.is_field) {
        index.offset = gep_index.bytes;
      } else {
        const IndexExtension extension = ExtensionOf(value);
        index.has_constant = HasConstant(value, extension, 0);
        index.offset = ConstantPart(value, extension, 0) * gep_index.bytes;
        if (!index.has_constant && !index.is_constant) FindNarrowConstants(index, gep_index.bytes);
      }
      indices_.push_back(index);
      return true;
    });
  }

  // The extension of x + c is that of x, plus c, whatever the flags of the sum, if both are far from where the type
  // wraps. The index of an address within a small object is, and so is the index less a small constant.
  void FindNarrowConstants(Index& index, uint64_t bytes) const {
    if (bytes == 0 || !IsOfSmallObject(gep_)) return;
    Value* const narrow = NarrowIndex(*index.value, index_bits_);
    if (narrow == nullptr || narrow->type()->integer_width() != 32) return;
    if (!HasConstant(*narrow, IndexExtension::kNone, 0)) return;
    const auto constant = static_cast<int64_t>(static_cast<int32_t>(ConstantPart(*narrow, IndexExtension::kNone, 0)));
    if (constant < -kSmallObjectSize || constant > kSmallObjectSize) return;
    index.narrow = narrow;
    index.offset = static_cast<uint64_t>(constant) * bytes;
  }

  IndexExtension ExtensionOf(const Value& value) const {
    return value.type()->integer_width() < index_bits_ ? IndexExtension::kSign : IndexExtension::kNone;
  }

  void Replace(size_t num_kept, uint64_t extracted, uint64_t offset) {
    const IrType* index_type = function_.module().types().Integer(index_bits_);
    SumBuilder builder(gep_, index_type);
    std::vector<Function::Operand> operands = {{gep_.operand(0)}};
    for (size_t i = 0; i < num_kept; ++i) {
      const Index& index = indices_[i];
      Value* value = index.value;
      if (!index.is_field && index.has_constant) {
        value = &builder.WithoutConstants(*value, ExtensionOf(*value));
      } else if (index.narrow != nullptr) {
        SumBuilder narrow(gep_, index.narrow->type());
        value = &InsertBefore(gep_, Opcode::kSExt, index_type,
                              {{narrow.WithoutConstants(*index.narrow, IndexExtension::kNone)}});
      }
      operands.emplace_back(*value);
    }
    // A partial sum may leave the object if not only its end is cut off.
    const uint32_t flags = extracted == 0 ? gep_.flags() : 0;
    Instruction& shared = InsertBefore(gep_, Opcode::kGetElementPtr, gep_.type(), operands);
    function_.SetDetail<const IrType*>(shared, gep_.source_type());
    shared.set_flags(flags);
    Value& whole = PointerPlus(gep_, shared, offset, flags);
    const NameId name = gep_.name();
    ReplaceAndErase(gep_, whole);
    static_cast<Instruction&>(whole).set_name(name);
  }

  Instruction& gep_;
  Function& function_;
  const DataLayout& layout_;
  const uint32_t index_bits_;
  std::vector<Index> indices_;
};

}  // namespace

IrPassResult RunSeparateConstOffset(Function& function, IrPassContext& context) {
  std::vector<Instruction*> geps;
  for (BasicBlock* block : function.blocks()) {
    for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
      if (i->opcode() == Opcode::kGetElementPtr) geps.push_back(i);
    }
  }
  unsigned num_split = 0;
  std::vector<Instruction*> candidates;
  for (Instruction* gep : geps) {
    const size_t num_candidates = candidates.size();
    for (const Use& use : gep->operands()) {
      if (use.value().is_instruction()) candidates.push_back(static_cast<Instruction*>(&use.value()));
    }
    if (GepSplitter(*gep).Run()) {
      ++num_split;
    } else {
      candidates.resize(num_candidates);
    }
  }
  EraseDeadOf(candidates);
  context.AddStatistic("addresses split", num_split);
  return {.changed = num_split != 0};
}

}  // namespace ptxmir
