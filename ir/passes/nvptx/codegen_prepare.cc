// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/codegen_prepare.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/passes/support/editing.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// Returns true for an extension that mul.wide and mad.wide contain.
bool IsWideningOfIndex(const Instruction& instruction) {
  const bool is_extension = instruction.opcode() == Opcode::kSExt || instruction.opcode() == Opcode::kZExt;
  return is_extension && instruction.type()->is_integer(64) && instruction.operand(0).type()->is_integer(32) &&
         !instruction.operand(0).is_constant();
}

// Gives each address of another block that is computed from the extension one of its own.
unsigned RepeatBesideAddresses(Instruction& extension) {
  std::vector<Use*> uses;
  for (Use& use : extension.uses()) {
    if (IsDebugUse(use) || use.user().opcode() != Opcode::kGetElementPtr) continue;
    if (use.user().parent() != extension.parent()) uses.push_back(&use);
  }
  for (Use* use : uses) {
    Instruction& copy = InsertBefore(use->user(), extension.opcode(), extension.type(), {{extension.operand(0)}});
    copy.set_flags(extension.flags());
    use->Set(copy);
  }
  if (!uses.empty() && !IsUsedByCode(extension)) Erase(extension);
  return static_cast<unsigned>(uses.size());
}

// A factor of a product of 64 bits that mul.wide could take.
struct NarrowFactor {
  Instruction* extension = nullptr;  // null for a constant
  bool may_be_signed = false;
  bool may_be_unsigned = false;
};

std::optional<NarrowFactor> NarrowFactorOf(Value& value) {
  if (const std::optional<int64_t> constant = ConstantSigned(value); constant.has_value()) {
    return NarrowFactor{.may_be_signed = *constant == static_cast<int32_t>(*constant),
                        .may_be_unsigned = *constant == static_cast<uint32_t>(*constant)};
  }
  if (!value.is_instruction()) return std::nullopt;
  auto& extension = static_cast<Instruction&>(value);
  if (!IsWideningOfIndex(extension)) return std::nullopt;
  const bool is_unsigned = extension.opcode() == Opcode::kZExt;
  return NarrowFactor{.extension = &extension,
                      .may_be_signed = !is_unsigned || (extension.flags() & kNonNeg) != 0,
                      .may_be_unsigned = is_unsigned};
}

// Gives a product whose factors are extended in other blocks, or one of them in another way, extensions of its own.
unsigned RepeatBesideProduct(Instruction& product) {
  if (product.opcode() != Opcode::kMul || !product.type()->is_integer(64)) return 0;
  const std::optional<NarrowFactor> factors[] = {NarrowFactorOf(product.operand(0)),
                                                 NarrowFactorOf(product.operand(1))};
  if (!factors[0].has_value() || !factors[1].has_value()) return 0;
  const bool is_unsigned = factors[0]->may_be_unsigned && factors[1]->may_be_unsigned;
  if (!is_unsigned && !(factors[0]->may_be_signed && factors[1]->may_be_signed)) return 0;
  const Opcode opcode = is_unsigned ? Opcode::kZExt : Opcode::kSExt;
  unsigned num_repeated = 0;
  for (const unsigned n : {0u, 1u}) {
    Instruction* const extension = factors[n]->extension;
    if (extension == nullptr) continue;
    if (extension->parent() == product.parent() && extension->opcode() == opcode) continue;
    Instruction& copy = InsertBefore(product, opcode, extension->type(), {{extension->operand(0)}});
    if (opcode == extension->opcode()) copy.set_flags(extension->flags());
    product.use(n).Set(copy);
    if (!IsUsedByCode(*extension)) Erase(*extension);
    ++num_repeated;
  }
  return num_repeated;
}

}  // namespace

IrPassResult RunCodeGenPrepare(Function& function, IrPassContext& context) {
  unsigned num_repeated = 0;
  for (BasicBlock* block : function.blocks()) {
    for (Instruction* i = block->first(); i != nullptr;) {
      Instruction* next = i->next();
      num_repeated += IsWideningOfIndex(*i) ? RepeatBesideAddresses(*i) : RepeatBesideProduct(*i);
      i = next;
    }
  }
  context.AddStatistic("extensions repeated", num_repeated);
  return {.changed = num_repeated != 0};
}

}  // namespace ptxmir
