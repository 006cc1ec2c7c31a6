#include "ptx/ptx_writer.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "mir/ir_nvvm.h"
#include "mir/huge_pages.h"
#include "mir/machine_function.h"
#include "mir/str_cat.h"
#include "ptx/module_subtarget.h"
#include "ptx/ptx_writer_context.h"
#include "ptx/ptx_writer_function.h"
#include "ptx/ptx_writer_globals.h"
#include "ptx/ptx_writer_lines.h"
#include "ptx/ptx_writer_names.h"
#include "ptx/ptx_writer_signature.h"
#include "ptx/subtarget.h"
#include "ptx/text_buffer.h"

namespace ptxmir::ptx {
namespace {

class ModuleWriter {
 public:
  ModuleWriter(PtxWriterContext& context, std::string_view target_name)
      : context_(context), target_name_(target_name), lines_(context.module) {}

  // The functions are printed first: what they mention decides what must be declared in front of them.
  void Write(std::string& out) {
    Prepare();
    CheckConstructors();
    TextBuffer bodies;
    FunctionWriter function_writer(context_, lines_);
    for (const IrFunction* function : printed_) {
      function_writer.Write(*function, *machine_function_[function->id()], bodies);
    }
    // With room for what stands around the functions.
    out.reserve(out.size() + bodies.view().size() + kHugePageBytes / 2);
    AdviseHugePages(out.data() + out.size(), out.capacity() - out.size());
    WriteHeader(out);
    WriteDeclarations(out);
    for (const GlobalVariable* variable : variables_) WriteVariable(context_, *variable, out);
    out += '\n';
    out += bodies.view();
    WriteAliases(out);
    if (lines_.is_active()) {
      TextBuffer files;
      lines_.WriteFiles(files);
      out += files.view();
    }
  }

 private:
  const Module& module() const { return context_.module; }

  // Matches machine functions with those of the IR, and settles everything that depends on order.
  void Prepare() {
    const size_t num_globals = module().global_values().size();
    context_.has_machine_body.assign(num_globals, false);
    context_.first_machine_user.assign(num_globals, PtxWriterContext::kNoUser);
    machine_function_.assign(num_globals, nullptr);
    print_order_.assign(num_globals, 0);
    for (const auto& function : module().machine_functions()) {
      const IrFunction* ir_function = FindIrFunction(*function);
      if (ir_function == nullptr) {
        context_.diagnostics.Error(
            StrCat("function '", function->name(), "' is not declared in the module's IR"));
        continue;
      }
      if (machine_function_[ir_function->id()] != nullptr) {
        context_.diagnostics.Error(
            StrCat("function '", function->name(), "' has more than one body"));
        continue;
      }
      context_.has_machine_body[ir_function->id()] = true;
      machine_function_[ir_function->id()] = function.get();
      print_order_[ir_function->id()] = static_cast<uint32_t>(printed_.size());
      printed_.push_back(ir_function);
    }
    variables_ = OrderVariables(context_);
    AssignDemotedVariables(context_, variables_);
    FindIrDeclarations();
    NameUnnamedValues();
  }

  const IrFunction* FindIrFunction(const MachineFunction& function) const {
    if (const IrFunction* found = module().FindFunction(function.name())) return found;
    const GlobalValue* numbered = module().FindGlobal(function.name(), /*is_numbered=*/true);
    return numbered == nullptr ? nullptr : module().function(numbered->id());
  }

  // Functions that llc declares in front of everything: those without a body that the IR uses, and those
  // whose address is in an initialiser or that a function in front of them mentions.
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

  // Whether an initialiser or one of the functions that were `seen` mentions the value, be it by an alias.
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

  // PTX has no code that runs when a module is loaded. (llc turns the lists into kernels before selection.)
  void CheckConstructors() {
    for (const auto& [name, what] : {std::pair<std::string_view, std::string_view>
                                         {"llvm.global_ctors", "ctor"},
                                     {"llvm.global_dtors", "dtor"}}) {
      const GlobalValue* value = module().FindGlobal(name);
      if (value == nullptr || !value->is_variable() || value->value_type == nullptr ||
          !value->value_type->is_array() || value->value_type->num_elements() == 0) {
        continue;
      }
      context_.ErrorAt(*value, StrCat("Module has a nontrivial global ", what,
                                      ", which NVPTX does not support."));
    }
  }

  void WriteHeader(std::string& out) {
    StrAppend(&out, "//\n// Generated by ptxmir\n//\n\n.version ", context_.ptx_version / 10, ".",
              context_.ptx_version % 10, "\n.target ", target_name_, "\n.address_size ");
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

  // What machine code mentions although the IR does not: a module that was built without IR bodies.
  bool MustBeDeclared(const IrFunction& function) const {
    const GlobalId user = context_.first_machine_user[function.id()];
    if (user == PtxWriterContext::kNoUser) return false;
    return !context_.has_machine_body[function.id()] ||
           print_order_[user] < print_order_[function.id()];
  }

  // The function that an alias stands for, through other aliases; null when it is none.
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
    if (function == nullptr || !context_.has_machine_body[function->id()] ||
        IsKernel(module(), *function)) {
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

  // Aliases of aliases come behind those.
  void WriteAliases(std::string& out) {
    std::vector<bool> is_written(module().global_values().size());
    std::vector<const GlobalAlias*> chain;
    for (const GlobalAlias& alias : module().aliases()) {
      if (alias.kind() != GlobalValue::Kind::kAlias) continue;
      for (const GlobalAlias* a = &alias; a != nullptr && !is_written[a->id()];) {
        is_written[a->id()] = true;
        chain.push_back(a);
        a = a->aliasee != nullptr && a->aliasee->kind == IrConstant::Kind::kGlobal
                ? module().alias(a->aliasee->global)
                : nullptr;
      }
      for (; !chain.empty(); chain.pop_back()) {
        const IrFunction* function = Aliasee(*chain.back());
        if (function == nullptr) continue;
        StrAppend(&out, ".alias ", context_.names[chain.back()->id()], ", ",
                  context_.names[function->id()], ";\n");
      }
    }
  }

  PtxWriterContext& context_;
  std::string_view target_name_;
  LineWriter lines_;
  std::vector<const IrFunction*> printed_;                   // in order
  std::vector<const MachineFunction*> machine_function_;     // by GlobalId
  std::vector<uint32_t> print_order_;                        // by GlobalId
  std::vector<bool> is_declared_;                            // by GlobalId
  std::vector<const GlobalVariable*> variables_;
};

}  // namespace

bool WritePtx(const Module& module, const PtxWriteOptions& options, DiagnosticEngine& diagnostics,
              std::string& out) {
  const absl::StatusOr<Subtarget> subtarget =
      ChooseSubtarget(module, options.cpu, options.features);
  if (!subtarget.ok()) {
    diagnostics.Error(std::string(FromAbsl(subtarget.status().message())));
    return false;
  }
  const size_t old_size = out.size();
  const size_t old_errors = diagnostics.num_errors();
  PtxNames names(module);
  PtxWriterContext context(module, names, diagnostics);
  context.sm = subtarget->sm().number;
  context.ptx_version = subtarget->ptx_version();
  ModuleWriter(context, subtarget->sm().name).Write(out);
  if (diagnostics.num_errors() == old_errors) return true;
  out.resize(old_size);
  return false;
}

}  // namespace ptxmir::ptx
