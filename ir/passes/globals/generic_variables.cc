// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/globals/generic_variables.h"

#include <algorithm>

#include "ir/address_space.h"
#include "ir/copy_to_arena.h"
#include "ir/ir_nvvm.h"

namespace ptxmir {
namespace {

bool MustMove(const Module& module, const GlobalVariable& variable) {
  if (variable.address_space != address_space::kGeneric || variable.name.starts_with("llvm.")) return false;
  const GlobalId id = variable.id();
  return !variable.is_removed() && !IsTexture(module, id) && !IsSurface(module, id) && !IsSampler(module, id);
}

}  // namespace

const IrConstant* GenericAddress(Module& module, GlobalId id) {
  const IrConstant* const address = module.GlobalAddress(id);
  IrConstant cast;
  cast.kind = IrConstant::Kind::kExpression;
  cast.opcode = IrConstant::Opcode::kAddrSpaceCast;
  cast.type = module.types().Pointer(address_space::kGeneric);
  cast.operands = CopyToArena(module.arena(), absl::MakeConstSpan(&address, 1));
  return module.NewConstant(cast);
}

bool HasVariablesInGenericSpace(const Module& module) {
  return std::any_of(module.variables().begin(), module.variables().end(),
                     [&](const GlobalVariable& variable) { return MustMove(module, variable); });
}

void GenericVariables::Move() {
  for (GlobalValue* const value : module_.global_values()) {
    if (!value->is_variable() || !MustMove(module_, static_cast<const GlobalVariable&>(*value))) continue;
    is_moved_[value->id()] = true;
    value->address_space = address_space::kGlobal;
    value->MarkChanged();
  }
  for (GlobalValue* const value : module_.global_values()) {
    const bool is_alias = value->kind() == GlobalValue::Kind::kAlias;
    if (!value->is_variable() && !is_alias) continue;
    const IrConstant*& constant = is_alias ? static_cast<GlobalAlias&>(*value).aliasee  //
                                           : static_cast<GlobalVariable&>(*value).initializer;
    if (constant == nullptr) continue;
    const IrConstant* const changed = WithCasts(constant);
    if (changed == constant) continue;
    constant = changed;
    value->MarkChanged();
  }
  module_.InvalidateUsers();
}

const IrConstant* GenericVariables::WithCasts(const IrConstant* constant) {
  if (constant->kind == IrConstant::Kind::kGlobal && is_moved_[constant->global]) {
    return GenericAddress(module_, constant->global);
  }
  std::vector<const IrConstant*> operands;
  for (size_t i = 0; i < constant->operands.size(); ++i) {
    const IrConstant* const operand = WithCasts(constant->operands[i]);
    if (operand == constant->operands[i]) continue;
    if (operands.empty()) operands.assign(constant->operands.begin(), constant->operands.end());
    operands[i] = operand;
  }
  if (operands.empty()) return constant;
  IrConstant changed = *constant;
  changed.operands = CopyToArena(module_.arena(), absl::MakeConstSpan(operands));
  return module_.NewConstant(changed);
}

}  // namespace ptxmir
