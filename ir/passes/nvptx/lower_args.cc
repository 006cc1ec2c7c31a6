// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/lower_args.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ir/ir_nvvm.h"
#include "ir/passes/support/declarations.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/pointer_spaces.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

bool IsTransfer(const Instruction& instruction) {
  return IsIntrinsicCall(instruction, "llvm.memcpy.p") || IsIntrinsicCall(instruction, "llvm.memmove.p");
}

// Returns true if a call copies what the pointer points to into a parameter of its callee.
bool IsByValArgument(const Use& use) {
  const Instruction& call = use.user();
  const uint32_t number = use.operand_number();
  if (call.opcode() != Opcode::kCall || number >= call.call().num_arguments) return false;
  const absl::Span<const AttributeSetId> sets = call.call().argument_attributes;
  const Program& program = call.function().program();
  if (number < sets.size() && program.attribute_set(sets[number]).attributes.Has("byval")) return true;
  const IrFunction* callee = CalledFunction(call);
  return callee != nullptr && number < callee->parameters.size() && callee->parameters[number].attributes.Has("byval");
}

// Returns a user of the pointer that does not load from it, directly or through GEPs; null if all do.
const Instruction* FindOtherThanLoad(const Value& pointer) {
  for (const Use& use : pointer.uses()) {
    if (IsDebugUse(use)) continue;
    const Instruction& user = use.user();
    switch (user.opcode()) {
      case Opcode::kLoad:
        if (!IsSimpleAccess(user)) return &user;
        break;
      case Opcode::kGetElementPtr:
      case Opcode::kBitCast: {
        if (use.operand_number() != 0 || !IsGenericPointer(user)) return &user;
        if (const Instruction* const found = FindOtherThanLoad(user); found != nullptr) return found;
        break;
      }
      case Opcode::kCall: {
        if (IsByValArgument(use)) break;
        const bool is_source = use.operand_number() == 1 && user.operand(0).type()->is_pointer();
        if (!is_source || user.call().num_arguments != 4 || !IsTransfer(user)) return &user;
        break;
      }
      default:
        return &user;
    }
  }
  return nullptr;
}

class ArgumentLowering {
 public:
  // With `copies_structures`, structures are copied to the stack, whatever the kernel does with them, and nothing else
  // is done. `has_generic_parameters`: the GPU can make a generic address of a parameter.
  ArgumentLowering(Function& kernel, bool copies_structures, bool has_generic_parameters, IrPassReporter& reporter)
      : kernel_(kernel),
        copies_structures_(copies_structures),
        has_generic_parameters_(has_generic_parameters),
        reporter_(reporter),
        program_(kernel.program()),
        types_(kernel.module().types()),
        is_cuda_(DriverInterfaceOf(kernel.module()) == DriverInterface::kCuda) {}

  bool Run() {
    for (Argument* argument : kernel_.arguments()) {
      if (!IsGenericPointer(*argument) || !IsUsedByCode(*argument)) continue;
      const IrType* type = kernel_.signature().parameters[argument->number()].ByValType();
      if (type != nullptr) {
        LowerByVal(*argument, type);
      } else if (is_cuda_ && !copies_structures_ && !IsOnlyConverted(*argument)) {
        PinToSpace(*argument, address_space::kGlobal, *kernel_.entry().first());
        changed_ = true;
      }
    }
    return changed_;
  }

 private:
  void LowerByVal(Argument& argument, const IrType* type) {
    for (const Use& use : argument.uses()) {
      if (!IsDebugUse(use) && IsIntrinsicCall(use.user(), "llvm.nvvm.internal.addrspace.wrap.")) return;
    }
    changed_ = true;
    const DataLayout& layout = kernel_.module().data_layout();
    const uint64_t stated = kernel_.signature().parameters[argument.number()].attributes.Integer("align");
    const uint64_t align = std::max<uint64_t>(stated, stated == 0 ? layout.AbiAlign(type) : 1);
    Instruction& first = *kernel_.entry().first();
    const Instruction* const other_use = FindOtherThanLoad(argument);
    const bool is_only_loaded = !copies_structures_ && other_use == nullptr;
    const bool is_shared = !copies_structures_ && !is_only_loaded && has_generic_parameters_ &&
                           IsGridConstant(kernel_.module(), kernel_.signature(), argument.number());
    Report(argument, other_use, is_only_loaded || is_shared);
    if (is_only_loaded) {
      Instruction& param = WrapParameter(first, argument, align);
      ReadInPlace(argument, param, &param);
    } else if (is_shared) {
      if (is_cuda_) PinLoadedPointers(argument);
      Instruction& param = WrapParameter(first, argument, align);
      Instruction& generic = InsertBefore(first, Opcode::kAddrSpaceCast, argument.type(), {{param}});
      generic.set_debug_loc({});
      ReplaceOtherUses(argument, generic, param);
    } else {
      Instruction& object =
          InsertBefore(first, Opcode::kAlloca, argument.type(), {{*kernel_.Integer(types_.Integer(32), 1)}});
      object.set_debug_loc({});
      object.set_log_align(static_cast<uint8_t>(std::countr_zero(align)));
      kernel_.SetDetail(object, type);
      Instruction& param = WrapParameter(first, argument, align);
      ReplaceOtherUses(argument, object, param);
      MakeMemcpy(first, object, param, layout.AllocSize(type), align).set_debug_loc({});
    }
  }

  // Makes all users of the argument but one use the value.
  static void ReplaceOtherUses(Argument& argument, Value& value, const Instruction& user) {
    for (Use* use = argument.first_use(); use != nullptr;) {
      Use* const next = use->next();
      if (&use->user() != &user) use->Set(value);
      use = next;
    }
  }

  // States the space of the pointers that are loaded from a structure, directly or through GEPs.
  static void PinLoadedPointers(Value& structure) {
    std::vector<Instruction*> users;
    for (Use& use : structure.uses()) {
      if (!IsDebugUse(use) && use.operand_number() == 0) users.push_back(&use.user());
    }
    for (Instruction* user : users) {
      if (!IsGenericPointer(*user)) continue;
      if (user->opcode() == Opcode::kLoad) {
        if (IsUsedByCode(*user)) PinToSpace(*user, address_space::kGlobal, *user->next());
      } else if (user->opcode() == Opcode::kGetElementPtr || user->opcode() == Opcode::kBitCast) {
        PinLoadedPointers(*user);
      }
    }
  }

  void Report(const Argument& argument, const Instruction* other_use, bool is_read_in_place) {
    if (!reporter_.WantsRemarks()) return;
    const std::string parameter = StrCat("parameter ", argument.number(), ", passed by value, is ");
    if (is_read_in_place) {
      reporter_.AddRemark(IrPassReporter::Kind::kPassed, "ReadInPlace", *kernel_.entry().first(),
                          [&] { return StrCat(parameter, "read in place"); });
    } else if (other_use == nullptr) {
      reporter_.AddRemark(IrPassReporter::Kind::kPassed, "Copied", *kernel_.entry().first(),
                          [&] { return StrCat(parameter, "copied to the stack"); });
    } else {
      reporter_.AddRemark(IrPassReporter::Kind::kMissed, "CopiedToStack", *other_use, [&] {
        return StrCat(parameter, "copied to the stack: its address is used by '", OpcodeWord(other_use->opcode()),
                      "', which is no plain load");
      });
    }
  }

  Instruction& WrapParameter(Instruction& before, Argument& argument, uint64_t align) {
    const IrType* type = types_.Pointer(address_space::kParam);
    const IrFunction& callee =
        DeclareIntrinsic(kernel_.module(), "llvm.nvvm.internal.addrspace.wrap.p101.p0", type, {argument.type()});
    Value* const arguments[] = {&argument};
    Instruction& call = InsertCall(before, callee, arguments);
    call.set_debug_loc({});
    AttributeSet set;
    set.text = kernel_.module().CopyString(StrCat("align ", align));
    IrAttribute attribute;
    attribute.name = "align";
    attribute.text = set.text;
    attribute.integer = align;
    set.attributes.Add(attribute);
    call.call().return_attributes = program_.AddAttributeSet(std::move(set));
    return call;
  }

  // Makes the users of a generic pointer use the one of the parameter space. `wrap` keeps its operand.
  void ReadInPlace(Value& generic, Value& pointer, const Instruction* wrap) {
    std::vector<Instruction*> users;
    for (Use& use : generic.uses()) {
      if (!IsDebugUse(use) && &use.user() != wrap) users.push_back(&use.user());
    }
    for (Instruction* user : users) {
      if (user->parent() == nullptr) continue;
      if (user->opcode() == Opcode::kLoad) {
        user->use(0).Set(pointer);
        if (is_cuda_ && IsGenericPointer(*user) && IsUsedByCode(*user))
          PinToSpace(*user, address_space::kGlobal, *user->next());
      } else if (IsTransfer(*user)) {
        MakeTransfer(*user, pointer);
      } else if (user->opcode() == Opcode::kCall) {
        PassInPlace(*user, generic, pointer);
      } else {
        std::vector<Function::Operand> operands;
        for (const Use& operand : user->operands()) operands.emplace_back(operand.value());
        operands[0] = Function::Operand(pointer);
        Instruction& made = InsertBefore(*user, user->opcode(), pointer.type(), operands);
        CopyProperties(*user, made);
        made.set_debug_loc(user->debug_loc());
        ReadInPlace(*user, made, nullptr);
        Erase(*user);
      }
    }
  }

  // Lets a call copy its byval arguments from the parameter.
  static void PassInPlace(Instruction& call, const Value& generic, Value& pointer) {
    Instruction* converted = nullptr;
    for (Use& use : call.operands()) {
      if (&use.value() != &generic || !IsByValArgument(use)) continue;
      if (converted == nullptr) {
        converted = &InsertBefore(call, Opcode::kAddrSpaceCast, generic.type(), {{pointer}});
      }
      use.Set(*converted);
    }
  }

  // Makes a copy from the parameter of one from a generic pointer.
  void MakeTransfer(Instruction& call, Value& pointer) {
    const IrType* length = call.operand(2).type();
    const bool is_move = IsIntrinsicCall(call, "llvm.memmove.p");
    const std::string name =
        StrCat("llvm.", is_move ? "memmove" : "memcpy", ".p", call.operand(0).type()->address_space(), ".p",
               pointer.type()->address_space(), ".i", length->integer_width());
    const IrFunction& callee =
        DeclareIntrinsic(kernel_.module(), name, types_.Void(),
                         {call.operand(0).type(), pointer.type(), length, call.operand(3).type()});
    Value* const arguments[] = {&call.operand(0), &pointer, &call.operand(2), &call.operand(3)};
    Instruction& made = InsertCall(call, callee, arguments);
    CallDetail detail = call.call();
    detail.function_type = callee.value_type;
    kernel_.SetDetail(made, detail);
    made.SetAttachments(call.attachments());
    Erase(call);
  }

  Function& kernel_;
  const bool copies_structures_;
  const bool has_generic_parameters_;
  IrPassReporter& reporter_;
  Program& program_;
  IrTypeTable& types_;
  const bool is_cuda_;
  bool changed_ = false;
};

// Returns the number of kernels that changed.
uint64_t LowerKernels(Program& program, bool copies_structures, IrPassContext& context) {
  const bool has_generic_parameters = context.sm >= 70 && context.ptx_version >= 77;  // cvta.param
  uint64_t changed = 0;
  for (const std::unique_ptr<Function>& function : program.functions()) {
    if (!IsKernel(program.module(), function->signature())) continue;
    changed += ArgumentLowering(*function, copies_structures, has_generic_parameters, context.reporter).Run() ? 1 : 0;
  }
  return changed;
}

}  // namespace

IrPassResult RunLowerArgs(Program& program, IrPassContext& context) {
  const uint64_t changed = LowerKernels(program, /*copies_structures=*/false, context);
  context.AddStatistic("kernels whose parameters were lowered", changed);
  return {.changed = changed != 0};
}

IrPassResult RunLowerStructArgs(Program& program, IrPassContext& context) {
  const uint64_t changed = LowerKernels(program, /*copies_structures=*/true, context);
  context.AddStatistic("kernels whose structures were copied", changed);
  return {.changed = changed != 0};
}

}  // namespace ptxmir
