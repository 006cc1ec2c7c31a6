// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/declarations.h"

#include <vector>

#include "base/str_cat.h"
#include "ir/passes/support/editing.h"

namespace ptxmir::ir {

const IrFunction& DeclareIntrinsic(Module& module, std::string_view name, const IrType* result,
                                   absl::Span<const IrType* const> parameters) {
  if (const IrFunction* known = module.FindFunction(name); known != nullptr) return *known;
  return module.CreateFunction(name, module.types().Function(result, parameters, /*vararg=*/false), Linkage::kExternal);
}

Instruction& InsertCall(Instruction& before, const IrFunction& callee, absl::Span<Value* const> arguments) {
  Function& function = before.function();
  std::vector<Function::Operand> operands;
  for (Value* argument : arguments) operands.emplace_back(*argument);
  operands.emplace_back(*function.GlobalAddress(callee.id()));
  Instruction& call = InsertBefore(before, Opcode::kCall, callee.return_type(), operands);
  CallDetail detail;
  detail.function_type = callee.value_type;
  detail.calling_convention = callee.calling_convention;
  detail.num_arguments = static_cast<uint32_t>(arguments.size());
  function.SetDetail(call, detail);
  return call;
}

Instruction& MakeMemcpy(Instruction& before, Value& to, Value& from, uint64_t size, uint64_t align) {
  Function& function = before.function();
  Program& program = function.program();
  Module& module = program.module();
  IrTypeTable& types = module.types();
  const std::string name =
      StrCat("llvm.memcpy.p", to.type()->address_space(), ".p", from.type()->address_space(), ".i64");
  const IrFunction& callee =
      DeclareIntrinsic(module, name, types.Void(), {to.type(), from.type(), types.Integer(64), types.Integer(1)});
  Value* const arguments[] = {&to, &from, function.Integer(types.Integer(64), size),
                              function.Integer(types.Integer(1), 0)};
  Instruction& call = InsertCall(before, callee, arguments);
  AttributeSet set;
  set.text = module.CopyString(StrCat("align ", align));
  IrAttribute attribute;
  attribute.name = "align";
  attribute.text = set.text;
  attribute.integer = align;
  set.attributes.Add(attribute);
  const AttributeSetId id = program.AddAttributeSet(std::move(set));
  const AttributeSetId ids[] = {id, id, 0, 0};
  call.call().argument_attributes = function.arena().CopyArray(absl::MakeConstSpan(ids));
  return call;
}

}  // namespace ptxmir::ir
