// SPDX-License-Identifier: Apache-2.0

#include "ptx/writer/ptx_writer.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "base/text_buffer.h"
#include "ir/ir_nvvm.h"
#include "mir/code/machine_function.h"
#include "ptx/target/module_subtarget.h"
#include "ptx/target/ptx_names.h"
#include "ptx/target/subtarget.h"
#include "ptx/writer/ptx_writer_context.h"
#include "ptx/writer/ptx_writer_function.h"
#include "ptx/writer/ptx_writer_globals.h"
#include "ptx/writer/ptx_writer_lines.h"
#include "ptx/writer/ptx_writer_signature.h"

namespace ptxmir::ptx {

class PtxWriter::Impl {
 public:
  Impl(const Module& module, const Subtarget& subtarget, bool is_verbose, DiagnosticEngine& diagnostics)
      : names_(module),
        context_(module, names_, diagnostics),
        target_name_(subtarget.sm().name),
        num_errors_before_(diagnostics.num_errors()),
        lines_(module),
        function_writer_(context_, lines_) {
    context_.sm = subtarget.sm().number;
    context_.ptx_version = subtarget.ptx_version();
    context_.is_verbose = is_verbose;
    const size_t num_globals = module.global_values().size();
    context_.has_machine_body.assign(num_globals, false);
    context_.first_machine_user.assign(num_globals, PtxWriterContext::kNoUser);
    print_order_.assign(num_globals, 0);
    variables_ = OrderVariables(context_);
    AssignDemotedVariables(context_, variables_);
    FindIrDeclarations();
    NameUnnamedValues();
    CheckConstructors();
  }

  std::string_view Write(const MachineFunction& function, std::vector<TextRange>* instr_texts) {
    const IrFunction* ir_function = FindIrFunction(function);
    if (ir_function == nullptr) {
      context_.diagnostics.Error(StrCat("function '", function.name(), "' is not declared in the module's IR"));
      return {};
    }
    if (context_.has_machine_body[ir_function->id()]) {
      context_.diagnostics.Error(StrCat("function '", function.name(), "' has more than one body"));
      return {};
    }
    context_.has_machine_body[ir_function->id()] = true;
    print_order_[ir_function->id()] = num_printed_++;
    const size_t begin = functions_.view().size();
    function_writer_.Write(*ir_function, function, functions_, instr_texts);
    if (instr_texts != nullptr) {
      for (TextRange& text : *instr_texts) text = {text.begin - begin, text.end - begin};
    }
    return functions_.view().substr(begin);
  }

  // Prints the rest. It comes last because the functions decide what must be declared before them.
  bool Finish() {
    FindIrDeclarations();
    CheckNames();
    WriteHeader(head_);
    WriteDeclarations(head_);
    for (const GlobalVariable* variable : variables_) WriteVariable(context_, *variable, head_);
    head_ += '\n';
    WriteAliases(tail_);
    if (lines_.is_active()) {
      TextBuffer end;
      lines_.WriteEnd(names_, end);
      tail_ += end.view();
    }
    return context_.diagnostics.num_errors() == num_errors_before_;
  }

  std::string_view NameOf(const MachineFunction& function) const {
    const IrFunction* ir_function = FindIrFunction(function);
    return ir_function == nullptr ? std::string_view() : names_[ir_function->id()];
  }

  std::array<std::string_view, 3> text() const { return {head_, functions_.view(), tail_}; }

 private:
  const Module& module() const { return context_.module; }

  const IrFunction* FindIrFunction(const MachineFunction& function) const {
    if (const IrFunction* found = module().FindFunction(function.name())) return found;
    const GlobalValue* numbered = module().FindGlobal(function.name(), /*is_numbered=*/true);
    return numbered == nullptr ? nullptr : module().function(numbered->id());
  }

  // Finds the functions that llc declares before everything else: those without a body that the IR uses, and those
  // whose address is in an initializer or that an earlier function mentions.
  void FindIrDeclarations() {
    is_declared_.assign(module().global_values().size(), false);
    std::vector<bool> seen(module().global_values().size());
    for (const IrFunction& function : module().functions()) {
      const GlobalId id = function.id();
      if (module().HasFunctionAttribute(function, "nvptx-libcall-callee")) {
        is_declared_[id] = true;
      } else if (function.is_declaration() && !context_.has_machine_body[id]) {
        is_declared_[id] = !function.is_intrinsic() && !module().Users(id).empty();
      } else {
        is_declared_[id] = IsMentionedBefore(id, seen, 0);
        seen[id] = true;
      }
    }
  }

  // Returns true if an initializer or one of the `seen` functions mentions the value, directly or through an alias.
  bool IsMentionedBefore(GlobalId id, const std::vector<bool>& seen, int depth) const {
    constexpr int kMaxAliases = 100;  // in a row; more is a cycle
    for (GlobalId user : module().Users(id)) {
      const GlobalValue& value = module().global_value(user);
      if (value.is_variable() ? value.name != "llvm.used" : value.is_function() ? seen[user] : false) {
        return true;
      }
      if (!value.is_variable() && !value.is_function() && depth < kMaxAliases &&
          IsMentionedBefore(user, seen, depth + 1)) {
        return true;
      }
    }
    return false;
  }

  void NameUnnamedValues() {
    for (const IrFunction& function : module().functions()) {
      if (is_declared_[function.id()]) context_.names.NameUnnamed(function.id());
    }
    for (const GlobalVariable* variable : variables_) context_.names.NameUnnamed(variable->id());
    for (const GlobalValue* value : module().global_values()) context_.names.NameUnnamed(value->id());
  }

  // A name that other modules may know cannot be changed. Values that may be dropped (linkonce) are an exception: a
  // module that mentions one has its own, with the same other name.
  void CheckNames() {
    const auto check = [this](const GlobalValue& value) {
      if (value.is_numbered || !context_.names.IsRenamed(value.id()) || value.has_local_linkage() ||
          value.linkage == Linkage::kLinkOnce || value.linkage == Linkage::kLinkOnceOdr) {
        return;
      }
      context_.ErrorAt(value, StrCat("PTX cannot have the name '", value.name, "', which other modules may refer to"));
    };
    for (const IrFunction& function : module().functions()) {
      const GlobalId id = function.id();
      if (context_.has_machine_body[id] || is_declared_[id] || MustBeDeclared(function)) check(function);
    }
    for (const GlobalVariable* variable : variables_) {
      if (!IsHidden(*variable)) check(*variable);
    }
    for (const GlobalAlias& alias : module().aliases()) {
      if (alias.kind() == GlobalValue::Kind::kAlias) check(alias);
    }
  }

  // PTX has no code that runs when a module is loaded. (llc turns the lists into kernels before selection.)
  void CheckConstructors() {
    for (const auto& [name, what] :
         {std::pair<std::string_view, std::string_view>{"llvm.global_ctors", "ctor"}, {"llvm.global_dtors", "dtor"}}) {
      const GlobalValue* value = module().FindGlobal(name);
      if (value == nullptr || !value->is_variable() || value->value_type == nullptr || !value->value_type->is_array() ||
          value->value_type->num_elements() == 0) {
        continue;
      }
      context_.ErrorAt(*value, StrCat("Module has a nontrivial global ", what, ", which NVPTX does not support."));
    }
  }

  void WriteHeader(std::string& out) {
    StrAppend(&out, "//\n// Generated by ptxmir\n//\n\n.version ", context_.ptx_version / 10, ".",
              context_.ptx_version % 10, "\n.target ", target_name_,
              DriverInterfaceOf(module()) == DriverInterface::kOpenCl ? ", texmode_independent" : "",
              lines_.has_dwarf() ? ", debug" : "", "\n.address_size ");
    StrAppend(&out, module().data_layout().PointerBits(0), "\n\n");
    if (module().module_asm().empty()) return;
    out += "// Start of file scope inline assembly\n";
    for (std::string_view line : module().module_asm()) StrAppend(&out, line, "\n");
    out += "// End of file scope inline assembly\n";
  }

  void WriteDeclarations(std::string& out) {
    for (const IrFunction& function : module().functions()) {
      if (is_declared_[function.id()] || MustBeDeclared(function)) {
        WriteDeclaration(context_, function, context_.names[function.id()], out);
      }
    }
    for (const GlobalAlias& alias : module().aliases()) {
      if (alias.kind() == GlobalValue::Kind::kAlias) WriteAliasDeclaration(alias, out);
    }
  }

  // Returns true for functions that machine code mentions although the IR does not: a module that was built without
  // IR bodies.
  bool MustBeDeclared(const IrFunction& function) const {
    const GlobalId user = context_.first_machine_user[function.id()];
    if (user == PtxWriterContext::kNoUser) return false;
    return !context_.has_machine_body[function.id()] || print_order_[user] < print_order_[function.id()];
  }

  // Returns the function that an alias stands for, through other aliases, or null if it is not a function.
  const IrFunction* Aliasee(const GlobalAlias& alias) const {
    const IrConstant* target = alias.aliasee;
    for (size_t i = 0; i <= module().aliases().size() && target != nullptr; ++i) {
      if (target->kind != IrConstant::Kind::kGlobal) return nullptr;
      if (const IrFunction* function = module().function(target->global)) return function;
      const GlobalAlias* next = module().alias(target->global);
      target = next == nullptr ? nullptr : next->aliasee;
    }
    return nullptr;
  }

  void WriteAliasDeclaration(const GlobalAlias& alias, std::string& out) {
    if (context_.ptx_version < 63 || context_.sm < 30) {
      context_.ErrorAt(alias, ".alias requires PTX version >= 6.3 and sm_30");
    }
    const IrFunction* function = Aliasee(alias);
    if (function == nullptr || !context_.has_machine_body[function->id()] || IsKernel(module(), *function)) {
      context_.ErrorAt(alias, "NVPTX aliasee must be a non-kernel function definition");
      return;
    }
    switch (alias.linkage) {
      case Linkage::kExternal:
      case Linkage::kInternal:
      case Linkage::kPrivate:
        break;
      default:
        context_.ErrorAt(alias, "NVPTX aliasee must not be '.weak'");
        return;
    }
    WriteDeclaration(context_, *function, context_.names[alias.id()], out);
  }

  // Writes the aliases. An alias of an alias comes after it.
  void WriteAliases(std::string& out) {
    std::vector<bool> is_written(module().global_values().size());
    std::vector<const GlobalAlias*> chain;
    for (const GlobalAlias& alias : module().aliases()) {
      if (alias.kind() != GlobalValue::Kind::kAlias) continue;
      for (const GlobalAlias* a = &alias; a != nullptr && !is_written[a->id()];) {
        is_written[a->id()] = true;
        chain.push_back(a);
        a = a->aliasee != nullptr && a->aliasee->kind == IrConstant::Kind::kGlobal ? module().alias(a->aliasee->global)
                                                                                   : nullptr;
      }
      for (; !chain.empty(); chain.pop_back()) {
        const IrFunction* function = Aliasee(*chain.back());
        if (function == nullptr) continue;
        StrAppend(&out, ".alias ", context_.names[chain.back()->id()], ", ", context_.names[function->id()], ";\n");
      }
    }
  }

  PtxNames names_;
  PtxWriterContext context_;
  std::string target_name_;
  size_t num_errors_before_;
  LineWriter lines_;
  FunctionWriter function_writer_;
  std::vector<uint32_t> print_order_;  // by GlobalId
  uint32_t num_printed_ = 0;
  std::vector<bool> is_declared_;  // by GlobalId
  std::vector<const GlobalVariable*> variables_;
  std::string head_;
  TextBuffer functions_;
  std::string tail_;
};

PtxWriter::PtxWriter(const Module& module, const PtxWriteOptions& options, DiagnosticEngine& diagnostics) {
  const absl::StatusOr<Subtarget> subtarget = ChooseSubtarget(module, options.cpu, options.features);
  if (subtarget.ok()) {
    impl_ = std::make_unique<Impl>(module, *subtarget, options.is_verbose, diagnostics);
  } else {
    diagnostics.Error(std::string(FromAbsl(subtarget.status().message())));
  }
}

PtxWriter::~PtxWriter() = default;

std::string_view PtxWriter::Write(const MachineFunction& function, std::vector<TextRange>* instr_texts) {
  return impl_ == nullptr ? std::string_view() : impl_->Write(function, instr_texts);
}

std::string_view PtxWriter::NameOf(const MachineFunction& function) const {
  return impl_ == nullptr ? std::string_view() : impl_->NameOf(function);
}

bool PtxWriter::Finish() { return impl_ != nullptr && impl_->Finish(); }

std::array<std::string_view, 3> PtxWriter::text() const {
  return impl_ == nullptr ? std::array<std::string_view, 3>() : impl_->text();
}

bool WritePtx(const Module& module, const PtxWriteOptions& options, DiagnosticEngine& diagnostics, std::string& out) {
  PtxWriter writer(module, options, diagnostics);
  for (const auto& function : module.machine_functions()) writer.Write(*function);
  if (!writer.Finish()) return false;
  for (std::string_view part : writer.text()) out += part;
  return true;
}

}  // namespace ptxmir::ptx
