// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/globals/lower_ctor_dtor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ir/copy_to_arena.h"
#include "ir/passes/globals/generic_variables.h"
#include "ptx/target/ptx_names.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// The names that tell constructors and destructors apart, and the order of calls.
struct TableKind {
  std::string_view list;  // LLVM's variable
  std::string_view name;  // of tables and sections
  std::string_view kernel;
  bool is_reversed;
};
constexpr TableKind kConstructors = {"llvm.global_ctors", "init_array", "nvptx$device$init", false};
constexpr TableKind kDestructors = {"llvm.global_dtors", "fini_array", "nvptx$device$fini", true};

struct Entry {
  GlobalId function;
  uint64_t priority;
};

std::string HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return absl::StrFormat("%016x", hash);
}

// Returns the function of an entry, or nullopt for an entry of null, which ends a list in old modules.
std::optional<Entry> EntryOf(const IrConstant& constant) {
  if (constant.kind != IrConstant::Kind::kAggregate || constant.operands.size() < 2) return std::nullopt;
  const IrConstant* function = constant.operands[1];
  while (function->kind == IrConstant::Kind::kExpression && !function->operands.empty()) {
    function = function->operands[0];
  }
  if (function->kind != IrConstant::Kind::kGlobal) return std::nullopt;
  return Entry{function->global, constant.operands[0]->ZExtValue()};
}

// Writes a kernel that calls the functions of a table.
class KernelWriter {
 public:
  KernelWriter(Program& program, Function& kernel)
      : types_(program.module().types()), kernel_(kernel), pointer_(types_.Pointer(address_space::kGlobal)) {}

  void Write(GlobalId begin_of_table, GlobalId end_of_table, bool is_reversed) {
    BasicBlock& entry = NewBlock("entry");
    BasicBlock& loop = NewBlock("while.entry");
    BasicBlock& end = NewBlock("while.end");
    Value& begin = Load(entry, begin_of_table, "begin");
    Value& stop = Load(entry, end_of_table, "stop");
    Branch(entry, Compare(entry, begin, stop), end, loop);

    // Backwards, the pointer is one element behind the one that is called.
    Value& first = is_reversed ? stop : begin;
    Instruction& pointer = Append(loop, Opcode::kPhi, pointer_, {{first}, {entry}, {first}, {loop}});
    Name(pointer, "ptr");
    Value& next = Step(loop, pointer, is_reversed);
    Instruction& callback = Append(loop, Opcode::kLoad, types_.Pointer(0), {{is_reversed ? next : pointer}});
    callback.set_log_align(3);
    Name(callback, "callback");
    Call(loop, callback);
    Branch(loop, Compare(loop, next, is_reversed ? begin : stop), end, loop);
    pointer.use(2).Set(next);
    Append(end, Opcode::kRet, types_.Void(), {});
  }

 private:
  Instruction& Append(BasicBlock& block, Opcode opcode, const IrType* type, std::vector<Function::Operand> operands) {
    Instruction* const instruction = kernel_.CreateInstruction(opcode, type, operands);
    block.Append(*instruction);
    return *instruction;
  }
  BasicBlock& NewBlock(std::string_view name) {
    BasicBlock* const block = kernel_.CreateBlock();
    block->set_name(kernel_.AddName(name));
    kernel_.AppendBlock(*block);
    return *block;
  }
  void Name(Instruction& instruction, std::string_view name) { instruction.set_name(kernel_.AddName(name)); }

  Value& Load(BasicBlock& block, GlobalId variable, std::string_view name) {
    Instruction& load = Append(block, Opcode::kLoad, pointer_, {{*kernel_.GlobalAddress(variable)}});
    load.set_log_align(3);
    Name(load, name);
    return load;
  }
  Value& Compare(BasicBlock& block, Value& a, Value& b) {
    Instruction& compare = Append(block, Opcode::kICmp, types_.Integer(1), {{a}, {b}});
    compare.set_variant(static_cast<uint8_t>(Predicate::kEq));
    return compare;
  }
  void Branch(BasicBlock& block, Value& condition, BasicBlock& if_true, BasicBlock& if_false) {
    Append(block, Opcode::kBr, types_.Void(), {{condition}, {if_true}, {if_false}});
  }
  Value& Step(BasicBlock& block, Value& pointer, bool is_reversed) {
    constexpr uint64_t kBytes = 8;
    Value& offset = *kernel_.Integer(types_.Integer(64), is_reversed ? -kBytes : kBytes);
    Instruction& next = Append(block, Opcode::kGetElementPtr, pointer_, {{pointer}, {offset}});
    kernel_.SetDetail<const IrType*>(next, types_.Integer(8));
    Name(next, "next");
    return next;
  }
  void Call(BasicBlock& block, Value& callee) {
    Instruction& call = Append(block, Opcode::kCall, types_.Void(), {{callee}});
    CallDetail detail;
    detail.function_type = types_.Function(types_.Void(), {}, false);
    kernel_.SetDetail(call, detail);
  }

  IrTypeTable& types_;
  Function& kernel_;
  const IrType* const pointer_;
};

class CtorDtorLowering {
 public:
  CtorDtorLowering(Program& program, IrPassContext& context)
      : program_(program), module_(program.module()), knobs_(context.knobs), reporter_(context.reporter) {
    const auto& ids = knobs_.nvptx_lower_global_ctor_dtor_id();
    id_ = ids.empty() ? HashOf(SourceName()) : std::string(ids.back());
  }

  // Returns the number of functions of the list.
  uint64_t Lower(const TableKind& kind) {
    GlobalValue* const list = module_.FindGlobal(kind.list);
    const GlobalVariable* const variable = list == nullptr ? nullptr : module_.variable(list->id());
    if (variable == nullptr || variable->initializer == nullptr) return 0;
    uint64_t count = 0;
    for (const IrConstant* const constant : variable->initializer->operands) {
      const std::optional<Entry> entry = EntryOf(*constant);
      if (!entry.has_value()) continue;
      AddObject(kind, *entry);
      reporter_.AddGlobalRemark(IrPassReporter::Kind::kPassed, "Lowered", module_.global_value(entry->function), [&] {
        return StrCat("is listed in '.", kind.name, ".", entry->priority, "', for '", kind.kernel, "' to call");
      });
      ++count;
    }
    module_.RemoveGlobal(*list);
    if (count != 0 && knobs_.nvptx_emit_init_fini_kernel()) AddKernel(kind);
    return count;
  }

  // Keeps the objects alive, though nothing in the module mentions them.
  void AddToUsed() {
    if (objects_.empty()) return;
    std::vector<const IrConstant*> elements;
    const IrType* const pointer = module_.types().Pointer(0);
    GlobalValue* used = module_.FindGlobal("llvm.used");
    if (used != nullptr && used->is_variable()) {
      const IrConstant* const known = static_cast<GlobalVariable&>(*used).initializer;
      if (known != nullptr) elements.assign(known->operands.begin(), known->operands.end());
    }
    for (const GlobalId object : objects_) elements.push_back(GenericAddress(module_, object));
    const IrType* const type = module_.types().Array(pointer, elements.size());
    if (used == nullptr) {
      used = &module_.CreateVariable("llvm.used", type, 0, Linkage::kAppending);
      used->section = "llvm.metadata";
    }
    IrConstant list;
    list.kind = IrConstant::Kind::kAggregate;
    list.type = type;
    list.operands = CopyToArena(module_.arena(), absl::MakeConstSpan(elements));
    used->value_type = type;
    static_cast<GlobalVariable*>(used)->initializer = module_.NewConstant(list);
    used->MarkChanged();
    module_.InvalidateUsers();
  }

 private:
  // Returns the name of the source or, failing that, of the file of IR, as LLVM has it.
  std::string_view SourceName() const {
    if (!module_.source_filename().empty() || module_.ir_source() == nullptr) return module_.source_filename();
    return module_.ir_source()->name();
  }

  void AddObject(const TableKind& kind, const Entry& entry) {
    std::string name =
        StrCat("__", kind.name, "_object_", module_.global_value(entry.function).name, "_", id_, "_", entry.priority);
    // Other modules see the name, so PTX must be able to have it.
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !ptx::IsPtxIdentifierCharacter(c); }, '_');
    GlobalVariable& object = module_.CreateVariable(module_.UniqueName(name), module_.types().Pointer(0),
                                                    address_space::kConst, Linkage::kExternal);
    object.is_constant = true;
    object.visibility = Visibility::kProtected;
    object.section = module_.CopyString(StrCat(".", kind.name, ".", entry.priority));
    object.initializer = module_.GlobalAddress(entry.function);
    objects_.push_back(object.id());
  }

  GlobalId AddEnd(const TableKind& kind, std::string_view which) {
    const std::string name = StrCat("__", kind.name, "_", which);
    if (const GlobalValue* known = module_.FindGlobal(name); known != nullptr) return known->id();
    const IrType* const pointer = module_.types().Pointer(0);
    GlobalVariable& end = module_.CreateVariable(name, pointer, address_space::kGlobal, Linkage::kWeak);
    end.visibility = Visibility::kProtected;
    end.initializer = module_.NewConstant({.kind = IrConstant::Kind::kNullPointer, .type = pointer});
    return end.id();
  }

  void AddKernel(const TableKind& kind) {
    // Another one is the user's own.
    if (module_.FindGlobal(kind.kernel) != nullptr) return;
    const IrType* const type = module_.types().Function(module_.types().Void(), {}, false);
    IrFunction& signature = module_.CreateFunction(kind.kernel, type, Linkage::kWeakOdr);
    signature.calling_convention = calling_convention::kPtxKernel;
    signature.has_body = true;
    AddStringAttribute(signature, "nvvm.maxclusterrank", "1");
    AddStringAttribute(signature, "nvvm.maxntid", "1");
    const GlobalId begin = AddEnd(kind, "start");
    const GlobalId end = AddEnd(kind, "end");
    KernelWriter(program_, program_.AddFunction(signature.id())).Write(begin, end, kind.is_reversed);
  }

  void AddStringAttribute(IrFunction& function, std::string_view name, std::string_view value) {
    IrAttribute attribute;
    attribute.name = name;
    attribute.is_string = true;
    attribute.value = value;
    attribute.text = module_.CopyString(StrCat("\"", name, "\"=\"", value, "\""));
    function.attributes.Add(attribute);
  }

  Program& program_;
  Module& module_;
  const Knobs& knobs_;
  IrPassReporter& reporter_;
  std::string id_;
  std::vector<GlobalId> objects_;
};

}  // namespace

IrPassResult RunLowerCtorDtor(Program& program, IrPassContext& context) {
  const Module& module = program.module();
  if (module.FindGlobal(kConstructors.list) == nullptr && module.FindGlobal(kDestructors.list) == nullptr) return {};
  CtorDtorLowering lowering(program, context);
  context.AddStatistic("constructors lowered", lowering.Lower(kConstructors));
  context.AddStatistic("destructors lowered", lowering.Lower(kDestructors));
  lowering.AddToUsed();
  return {.changed = true};
}

}  // namespace ptxmir
