// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/globals/generic_to_nvvm.h"

#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/passes/globals/generic_variables.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// Adds the constants that the instruction uses and that `seen` has not, in order.
void CollectConstants(const Instruction& instruction, absl::flat_hash_set<const Value*>& seen,
                      std::vector<ConstantValue*>& constants) {
  for (const Use& use : instruction.operands()) {
    if (!use.value().is_constant() || !seen.insert(&use.value()).second) continue;
    constants.push_back(static_cast<ConstantValue*>(&use.value()));
  }
}

std::vector<ConstantValue*> ConstantsOf(const Function& function) {
  absl::flat_hash_set<const Value*> seen;
  std::vector<ConstantValue*> constants;
  for (const BasicBlock* block : function.blocks()) {
    for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
      CollectConstants(*i, seen, constants);
      for (const Instruction* record = i->first_record(); record != nullptr; record = record->next()) {
        CollectConstants(*record, seen, constants);
      }
    }
  }
  return constants;
}

// Returns the number of constants that have changed.
uint64_t RewriteConstants(Function& function, GenericVariables& variables) {
  uint64_t num_changed = 0;
  for (ConstantValue* const value : ConstantsOf(function)) {
    const IrConstant* const changed = variables.WithCasts(&value->constant());
    if (changed == &value->constant()) continue;
    value->ReplaceAllUsesWith(*function.NewConstant(*changed));
    ++num_changed;
  }
  return num_changed;
}

}  // namespace

IrPassResult RunGenericToNvvmOnIr(Program& program, IrPassContext& context) {
  if (!HasVariablesInGenericSpace(program.module())) return {};
  GenericVariables variables(program.module());
  variables.Move();
  for (const GlobalVariable& variable : program.module().variables()) {
    if (!variables.IsMoved(variable.id())) continue;
    context.reporter.AddGlobalRemark(IrPassReporter::Kind::kPassed, "MovedToGlobalSpace", variable,
                                     [&] { return std::string("is in the global space now"); });
  }
  uint64_t num_changed = 0;
  for (const std::unique_ptr<Function>& function : program.functions()) {
    num_changed += RewriteConstants(*function, variables);
  }
  context.AddStatistic("constants that name generic variables rewritten", num_changed);
  return {.changed = true};
}

}  // namespace ptxmir
