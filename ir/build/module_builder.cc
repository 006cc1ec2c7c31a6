// SPDX-License-Identifier: Apache-2.0

#include "base/str_cat.h"
#include "ir/build/ir_builder.h"
#include "ir/code/editing.h"
#include "ir/ir_text.h"
#include "ir/verify/verifier.h"

namespace ptxmir::ir {
namespace {

std::string Joined(absl::Span<const uint32_t> numbers) {
  std::string text;
  for (const uint32_t number : numbers) StrAppend(&text, text.empty() ? "" : ",", number);
  return text;
}

}  // namespace

ModuleBuilder::ModuleBuilder(std::string_view source_name, std::string_view triple) {
  file_.module = std::make_unique<Module>();
  file_.program = std::make_unique<Program>(*file_.module);
  Module& made = module();
  made.set_source_filename(made.CopyString(source_name));
  made.set_target_triple(made.CopyString(triple));
}

bool ModuleBuilder::Fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
  return false;
}

const IrType* ModuleBuilder::getIntNTy(uint32_t width) {
  if (width != 0 && width <= IrTypeTable::kMaxIntegerWidth) return types().Integer(width);
  Fail(StrCat("getIntNTy: the width ", width, " is out of range"));
  return nullptr;
}

const IrType* ModuleBuilder::getArrayTy(const IrType* element, uint64_t count) {
  if (element != nullptr && element->is_sized_kind()) return types().Array(element, count);
  Fail("getArrayTy: invalid array element type");
  return nullptr;
}

const IrType* ModuleBuilder::getVectorTy(const IrType* element, uint64_t count) {
  const bool fits =
      element != nullptr && (element->is_integer() || element->is_floating_point() || element->is_pointer());
  if (fits && count != 0 && count <= ~uint32_t{0}) return types().Vector(element, count);
  Fail("getVectorTy: invalid vector element type or number of elements");
  return nullptr;
}

const IrType* ModuleBuilder::getStructTy(absl::Span<const IrType* const> members, bool packed) {
  for (const IrType* member : members) {
    if (member != nullptr && member->is_first_class()) continue;
    Fail("getStructTy: invalid element type for struct");
    return nullptr;
  }
  return types().Struct(members, packed);
}

const IrType* ModuleBuilder::createStruct(std::string_view name, absl::Span<const IrType* const> members, bool packed) {
  if (name.empty() || types().FindNamedStruct(name) != nullptr) {
    Fail(StrCat("createStruct: the name '", name, "' is ", name.empty() ? "empty" : "taken"));
    return nullptr;
  }
  for (const IrType* member : members) {
    if (member != nullptr && member->is_first_class()) continue;
    Fail("createStruct: invalid element type for struct");
    return nullptr;
  }
  IrType* made = types().NamedStruct(name);
  types().SetBody(made, members, packed);
  return made;
}

const IrType* ModuleBuilder::getFunctionTy(const IrType* result, absl::Span<const IrType* const> parameters,
                                           bool vararg) {
  bool fits = result != nullptr && (result->is_void() || result->is_sized_kind());
  for (const IrType* parameter : parameters) fits = fits && parameter != nullptr && parameter->is_first_class();
  if (fits) return types().Function(result, parameters, vararg);
  Fail("getFunctionTy: invalid type of the result or of a parameter");
  return nullptr;
}

bool ModuleBuilder::CheckName(std::string_view call, std::string_view name) {
  if (name.empty()) return Fail(StrCat(call, ": the name is empty"));
  if (module().FindGlobal(name) != nullptr) return Fail(StrCat(call, ": the name '", name, "' is taken"));
  return true;
}

Function* ModuleBuilder::CreateFunction(std::string_view name, const IrType* type, Linkage linkage) {
  if (!CheckName("CreateFunction", name)) return nullptr;
  if (type == nullptr || !type->is_function()) {
    Fail(StrCat("CreateFunction: the type of '", name, "' is no function type"));
    return nullptr;
  }
  IrFunction& made = module().CreateFunction(name, type, linkage);
  made.has_body = true;
  return &program().AddFunction(made.id());
}

Function* ModuleBuilder::CreateKernel(std::string_view name, absl::Span<const IrType* const> parameters,
                                      const LaunchBounds& bounds) {
  const IrType* type = getFunctionTy(getVoidTy(), parameters);
  Function* made = type == nullptr ? nullptr : CreateFunction(name, type);
  if (made == nullptr) return nullptr;
  auto& function = static_cast<IrFunction&>(module().global_value(made->id()));
  function.calling_convention = calling_convention::kPtxKernel;
  const auto add_list = [&](std::string_view attribute, absl::Span<const uint32_t> numbers) {
    if (numbers.empty()) return;
    bool fits = numbers.size() <= 3;
    for (const uint32_t number : numbers) fits = fits && number != 0;
    if (!fits) Fail(StrCat("CreateKernel: '", attribute, "' of '", name, "' is not one to three numbers above 0"));
    AddAttribute(function.attributes, attribute, Joined(numbers));
  };
  add_list("nvvm.maxntid", bounds.max_threads);
  add_list("nvvm.reqntid", bounds.required_threads);
  add_list("nvvm.cluster_dim", bounds.cluster);
  if (bounds.min_blocks != 0) AddAttribute(function.attributes, "nvvm.minctasm", StrCat(bounds.min_blocks));
  if (bounds.max_registers != 0) AddAttribute(function.attributes, "nvvm.maxnreg", StrCat(bounds.max_registers));
  return made;
}

IrFunction* ModuleBuilder::DeclareFunction(std::string_view name, const IrType* type) {
  if (!CheckName("DeclareFunction", name)) return nullptr;
  if (type != nullptr && type->is_function()) return &module().CreateFunction(name, type, Linkage::kExternal);
  Fail(StrCat("DeclareFunction: the type of '", name, "' is no function type"));
  return nullptr;
}

GlobalVariable* ModuleBuilder::CreateGlobal(std::string_view name, const IrType* type, uint32_t address_space,
                                            Linkage linkage, const IrConstant* initializer) {
  constexpr uint32_t kShared = 3;
  if (!CheckName("CreateGlobal", name)) return nullptr;
  if (type == nullptr || !type->is_sized_kind() || (initializer != nullptr && initializer->type != type)) {
    Fail(StrCat("CreateGlobal: '", name, "' has no size, or its initializer has another type"));
    return nullptr;
  }
  GlobalVariable& made = module().CreateVariable(name, type, address_space, linkage);
  made.initializer = initializer;
  if (initializer == nullptr && (address_space == kShared || made.has_local_linkage())) {
    made.initializer = module().NewConstant({.kind = IrConstant::Kind::kUndef, .type = type});
  }
  return &made;
}

void ModuleBuilder::AddAttribute(IrAttributes& attributes, std::string_view name, std::string_view value) {
  IrAttribute made;
  made.name = module().CopyString(name);
  made.is_string = true;
  made.value = module().CopyString(value);
  std::string text = "\"";
  AppendEscapedIrString(name, &text);
  if (!value.empty()) {
    text.append("\"=\"");
    AppendEscapedIrString(value, &text);
  }
  made.text = module().CopyString(text + "\"");
  attributes.Add(made);
}

std::string_view ModuleBuilder::UniqueLocalName(const Function& function, std::string_view name) {
  absl::flat_hash_set<std::string>& taken = names_[&function];
  std::string unique(name);
  for (uint32_t suffix = 1; !taken.insert(unique).second; ++suffix) unique = StrCat(name, suffix);
  return module().CopyString(unique);
}

void ModuleBuilder::NameArgument(Function* function, unsigned number, std::string_view name) {
  if (function == nullptr || number >= function->arguments().size() || name.empty()) {
    Fail("NameArgument: there is no such argument, or the name is empty");
    return;
  }
  auto& signature = static_cast<IrFunction&>(module().global_value(function->id()));
  signature.parameters[number].name = UniqueLocalName(*function, name);
}

ProgramFile ModuleBuilder::Finish(DiagnosticEngine& diagnostics) {
  for (const auto& function : program().functions()) {
    if (function->blocks().empty()) Fail(StrCat("function '", function->signature().name, "' has no blocks"));
    // Arguments without a name are numbered in order.
    auto& signature = static_cast<IrFunction&>(module().global_value(function->id()));
    uint32_t slot = 0;
    for (IrParameter& parameter : signature.parameters) {
      if (parameter.name.empty()) parameter.slot = slot++;
    }
  }
  if (!error_.empty()) {
    diagnostics.Error(error_);
    return {};
  }
  // Uses of a PHI follow it to its replacement, but the lists of entries do not.
  absl::flat_hash_map<const Value*, Value*> replaced;
  for (Instruction* phi : phis_) {
    std::vector<Value*> values;
    std::vector<BasicBlock*> blocks;
    for (const auto& [value, block] : incoming_[phi]) {
      const auto found = replaced.find(value);
      values.push_back(found == replaced.end() ? value : found->second);
      blocks.push_back(block);
    }
    replaced[phi] = &ReplacePhi(*phi, values, blocks);
  }
  phis_.clear();
  incoming_.clear();
  if (!VerifyProgram(program(), diagnostics)) return {};
  return std::move(file_);
}

}  // namespace ptxmir::ir
