// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/global_uses.h"

#include <string>

#include "ir/ir_lexer.h"
#include "ir/ir_text.h"
#include "ir/passes/support/effects.h"

namespace ptxmir::ir {

GlobalUses::GlobalUses(const Program& program) : counts_(program.module().global_values().size(), 0) {
  const Module& module = program.module();
  for (const std::unique_ptr<Function>& function : program.functions()) {
    for (const BasicBlock* block : function->blocks()) {
      for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
        for (const Use& use : i->operands()) {
          if (use.value().is_constant()) AddConstant(static_cast<const ConstantValue&>(use.value()).constant());
        }
      }
    }
  }
  for (const GlobalVariable& variable : module.variables()) {
    if (!variable.is_removed() && variable.initializer != nullptr) AddConstant(*variable.initializer);
  }
  for (const GlobalAlias& alias : module.aliases()) AddConstant(*alias.aliasee);
}

void GlobalUses::AddConstant(const IrConstant& constant) {
  VisitGlobals(constant, [this](GlobalId global) {
    if (global < counts_.size()) ++counts_[global];
  });
}

std::vector<bool> GlobalsInMetadata(const Module& module) {
  std::vector<bool> mentioned(module.global_values().size());
  for (MetadataId node = 0; node < module.metadata_bound(); ++node) {
    const std::string_view text = module.MetadataText(node);
    if (text.find('@') == std::string_view::npos) continue;
    IrLexer lexer(text);
    for (; lexer.token().kind != IrToken::Kind::kEnd && lexer.token().kind != IrToken::Kind::kError; lexer.Advance()) {
      const IrToken& token = lexer.token();
      if (token.kind != IrToken::Kind::kGlobal) continue;
      const std::string unescaped = token.has_escapes ? UnescapeIrString(token.value) : std::string(token.value);
      const GlobalValue* const value = module.FindGlobal(unescaped, token.is_number);
      if (value != nullptr) mentioned[value->id()] = true;
    }
  }
  return mentioned;
}

void ForEachCallOf(Program& program, GlobalId callee, absl::FunctionRef<void(Instruction&)> visit) {
  for (const std::unique_ptr<Function>& function : program.functions()) {
    for (BasicBlock* block : function->blocks()) {
      for (Instruction* i = block->first(); i != nullptr;) {
        Instruction* next = i->next();
        if (i->opcode() == Opcode::kCall) {
          const IrFunction* called = CalledFunction(*i);
          if (called != nullptr && called->id() == callee) visit(*i);
        }
        i = next;
      }
    }
  }
}

}  // namespace ptxmir::ir
