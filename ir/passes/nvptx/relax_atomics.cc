// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/relax_atomics.h"

#include <memory>
#include <optional>
#include <string_view>

#include "base/str_cat.h"

namespace ptxmir {
namespace {

using ir::AtomicOperation;
using ir::AtomicOrdering;
using ir::SyncScopeId;

constexpr std::string_view kGpuScope = "device";

// Returns true if PTX has an instruction for the operation on every GPU, or on the one that -mcpu names.
bool IsOneInstruction(const ir::Instruction& rmw, const IrPassContext& context) {
  const IrType* type = rmw.type();
  const bool is_32_bits = type->is_integer(32);
  const bool is_integer = is_32_bits || type->is_integer(64);
  switch (rmw.operation()) {
    case AtomicOperation::kXchg:
      return is_integer || type->is_pointer() || type->kind() == IrType::Kind::kFloat ||
             type->kind() == IrType::Kind::kDouble;
    case AtomicOperation::kAnd:
    case AtomicOperation::kOr:
    case AtomicOperation::kXor:
      // On a byte or on two, it is the instruction for the word that holds them.
      return is_integer || type->is_integer(8) || type->is_integer(16);
    case AtomicOperation::kAdd:
    case AtomicOperation::kSub:
    case AtomicOperation::kMax:
    case AtomicOperation::kMin:
    case AtomicOperation::kUMax:
    case AtomicOperation::kUMin:
      return is_integer;
    case AtomicOperation::kUIncWrap:
    case AtomicOperation::kUDecWrap:
      return is_32_bits;
    case AtomicOperation::kFAdd:
      return type->kind() == IrType::Kind::kFloat || (type->kind() == IrType::Kind::kDouble && context.sm >= 60);
    default:
      return false;
  }
}

// Returns true for scopes within a GPU.
bool IsNarrow(std::string_view scope) { return scope == "block" || scope == "singlethread" || scope == "cluster"; }

}  // namespace

IrPassResult RunRelaxAtomics(ir::Program& program, IrPassContext& context) {
  std::optional<SyncScopeId> gpu;
  unsigned num_relaxed = 0;
  for (const std::unique_ptr<ir::Function>& function : program.functions()) {
    for (ir::BasicBlock* block : function->blocks()) {
      for (ir::Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (i->opcode() != ir::Opcode::kAtomicRMW || !IsOneInstruction(*i, context)) continue;
        SyncScopeId scope = i->sync_scope();
        if (!IsNarrow(program.sync_scope(scope))) {
          if (!gpu.has_value()) {
            const size_t id = program.AddSyncScope(kGpuScope);
            // With more scopes than there can be, the stated one stays.
            gpu = id > ir::kMaxSyncScope ? scope : static_cast<SyncScopeId>(id);
          }
          scope = *gpu;
        }
        if (scope == i->sync_scope() && i->ordering() == AtomicOrdering::kMonotonic) continue;
        i->SetAtomic(AtomicOrdering::kMonotonic, AtomicOrdering::kNotAtomic, scope);
        ++num_relaxed;
        context.reporter.AddRemark(IrPassReporter::Kind::kPassed, "Relaxed", *i, [&] {
          return StrCat("atomic operation made relaxed at the scope '", program.sync_scope(scope), "'");
        });
      }
    }
  }
  context.AddStatistic("atomic operations relaxed", num_relaxed);
  return {.changed = num_relaxed != 0};
}

}  // namespace ptxmir
