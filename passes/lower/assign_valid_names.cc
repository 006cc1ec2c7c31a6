// SPDX-License-Identifier: Apache-2.0

#include "passes/lower/assign_valid_names.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "base/str_cat.h"
#include "ir/ir_lexer.h"
#include "ir/ir_text.h"
#include "ir/passes/globals/valid_names.h"
#include "ptx/target/parameter_names.h"

namespace ptxmir {
namespace {

// The new names by the old ones.
using NewNames = absl::flat_hash_map<std::string, std::string_view>;

// Returns the text with the new names of the globals that it mentions.
std::string WithNewNames(std::string_view text, const NewNames& names) {
  std::string result;
  const char* done = text.data();
  for (IrLexer lexer(text); lexer.token().kind != IrToken::Kind::kEnd; lexer.Advance()) {
    const IrToken& token = lexer.token();
    if (token.kind == IrToken::Kind::kError) break;
    if (token.kind != IrToken::Kind::kGlobal || token.is_number) continue;
    const auto found = names.find(token.has_escapes ? UnescapeIrString(token.value) : std::string(token.value));
    if (found == names.end()) continue;
    result.append(done, token.text.data());
    AppendIrName('@', found->second, &result);
    done = token.text.data() + token.text.size();
  }
  result.append(done, text.data() + text.size());
  return result;
}

bool MayMentionGlobals(const MachineMemOperand& memoperand) {
  using ValueKind = MachineMemOperand::ValueKind;
  return memoperand.value_kind == ValueKind::kGlobal || memoperand.value_kind == ValueKind::kIrExpression ||
         memoperand.value_kind == ValueKind::kCallEntryGlobal;
}

// Memory operands have the text of the IR value that they are about.
void RenameInMemOperands(MachineFunction& function, const NewNames& names) {
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) {
      std::vector<const MachineMemOperand*> memoperands(instr.memoperands().begin(), instr.memoperands().end());
      bool is_renamed = false;
      for (const MachineMemOperand*& memoperand : memoperands) {
        if (!MayMentionGlobals(*memoperand)) continue;
        const std::string text = WithNewNames(memoperand->text, names);
        if (text == memoperand->text) continue;
        MachineMemOperand renamed = *memoperand;
        renamed.text = function.symbol(function.InternSymbol(text));
        memoperand = function.CreateMemOperand(renamed);
        is_renamed = true;
      }
      if (is_renamed) instr.SetMemOperands(memoperands);
    }
  }
}

void Rename(MachineFunction& function, std::string_view name) {
  const std::string old_name(function.name());
  function.set_name(name);
  for (SymbolId id = 0; id < function.num_symbols(); ++id) {
    const std::string_view symbol = function.symbol(id);
    if (!ptx::IsParameterName(symbol, old_name)) continue;
    function.RenameSymbol(id, StrCat(name, symbol.substr(old_name.size())));
  }
}

}  // namespace

void RunAssignValidNames(ModulePassContext& context) {
  Module& module = context.module;
  const auto ignore = [](const GlobalValue&, std::string_view, bool) {};
  NewNames names;
  for (const GlobalRename& rename : RenameIllegalGlobals(module, ignore)) {
    names.emplace(rename.old_name, rename.value->name);
  }
  if (names.empty()) return;
  for (GlobalValue* const value : module.global_values()) {
    if (!value->is_function()) continue;
    auto& function = static_cast<IrFunction&>(*value);
    if (function.body_text.empty()) continue;
    function.body_text = module.CopyString(WithNewNames(function.body_text, names));
    function.MarkChanged();
  }
  for (ModulePassMember& member : context.members) {
    // Operands that name a value are written differently now.
    member.result.changed = true;
    RenameInMemOperands(member.function, names);
    const auto found = names.find(std::string(member.function.name()));
    if (found == names.end()) continue;
    const std::string old_name = found->first;
    Rename(member.function, found->second);
    member.context.AddStatistic("functions renamed", 1);
    member.context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, member.context.pass_name, "Renamed", member.function)
             << "is no longer called '" << RemarkArg("Name", old_name) << "', which is no name in PTX";
    });
  }
}

}  // namespace ptxmir
