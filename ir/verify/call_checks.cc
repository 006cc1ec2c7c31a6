// SPDX-License-Identifier: Apache-2.0

#include "ir/code/program.h"
#include "ir/verify/instruction_checks.h"

namespace ptxmir::ir {
namespace {

// Returns the function that is called by name, or null.
const IrFunction* DirectCallee(const Function& function, const Instruction& instruction) {
  const Value& callee = instruction.callee();
  if (!callee.is_constant()) return nullptr;
  const IrConstant& constant = static_cast<const ConstantValue&>(callee).constant();
  return constant.kind == IrConstant::Kind::kGlobal ? function.module().function(constant.global) : nullptr;
}

// Checks the constraints of inline assembly against the signature: one result for each output, one parameter for each
// input, with letters that NVPTX knows.
const char* CheckConstraints(const InlineAsm& assembly, const IrType* type) {
  size_t outputs = 0, inputs = 0;
  std::string_view rest = assembly.constraints();
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    std::string_view constraint = rest.substr(0, comma);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    if (constraint.empty()) return "failed to parse constraints";
    if (constraint[0] == '~') continue;
    const bool is_output = constraint[0] == '=';
    const bool is_indirect = constraint.find('*') != constraint.npos;
    ++(is_output && !is_indirect ? outputs : inputs);
  }
  const IrType* result = type->return_type();
  const size_t results = result->is_void() ? 0 : result->is_struct() && outputs != 1 ? result->members().size() : 1;
  if (outputs != results) {
    return outputs == 0   ? "inline asm without outputs must return void"
           : outputs == 1 ? "inline asm with one output cannot return struct"
                          : "number of output constraints does not match number of return struct elements";
  }
  return inputs == type->parameters().size() ? nullptr
                                             : "number of input constraints does not match number of parameters";
}

const char* CheckArguments(const Instruction& instruction) {
  const CallDetail& call = instruction.call();
  const absl::Span<const IrType* const> parameters = call.function_type->parameters();
  const bool fits = call.function_type->is_vararg() ? call.num_arguments >= parameters.size()
                                                    : call.num_arguments == parameters.size();
  if (!fits) return "Incorrect number of arguments passed to called function!";
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Use& use = instruction.use(static_cast<unsigned>(i));
    const bool is_metadata = use.is_metadata() || use.value().is_metadata();
    const bool matches =
        is_metadata ? parameters[i]->kind() == IrType::Kind::kMetadata : use.value().type() == parameters[i];
    if (!matches) return "Call parameter type does not match function signature!";
  }
  return nullptr;
}

}  // namespace

const char* CheckCall(const Function& function, const Instruction& instruction) {
  const CallDetail& call = instruction.call();
  const Value& callee = instruction.callee();
  if (!callee.type()->is_pointer()) return "Called function must be a pointer!";
  if (!call.function_type->is_function()) return "Called function is not the same type as the call!";
  if (const char* message = CheckArguments(instruction); message != nullptr) return message;
  if (callee.is_inline_asm()) return CheckConstraints(static_cast<const InlineAsm&>(callee), call.function_type);
  const IrFunction* called = DirectCallee(function, instruction);
  if (called == nullptr) return nullptr;
  if (called->is_intrinsic() && called->value_type != call.function_type) {
    return "Intrinsic called with incompatible signature";
  }
  return nullptr;
}

}  // namespace ptxmir::ir
