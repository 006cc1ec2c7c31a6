// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/ipo/expand_variadics.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/align.h"
#include "ir/ir_data_layout.h"
#include "ir/passes/support/declarations.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// Returns the type of a function that takes the address of a frame in place of variable arguments.
const IrType* ExpandedType(IrTypeTable& types, const IrType& type) {
  std::vector<const IrType*> parameters(type.parameters().begin(), type.parameters().end());
  parameters.push_back(types.Pointer(0));
  return types.Function(type.return_type(), parameters, /*vararg=*/false);
}

class Expansion {
 public:
  Expansion(Program& program, IrPassContext& context)
      : program_(program),
        module_(program.module()),
        types_(module_.types()),
        layout_(module_.data_layout()),
        reporter_(context.reporter),
        pointer_(types_.Pointer(0)) {}

  // Gives the function its parameter. Returns the argument, or null for a declaration.
  Argument* Expand(IrFunction& signature, Function* body) {
    uint32_t slot = 0;
    for (const IrParameter& parameter : signature.parameters) {
      if (parameter.name.empty()) slot = parameter.slot + 1;
    }
    signature.value_type = ExpandedType(types_, *signature.value_type);
    signature.parameters.push_back({.type = pointer_, .name = {}, .slot = slot, .attributes = {}});
    if (const IrAttribute* memory = module_.FindFunctionAttribute(signature, "memory"); IsNone(memory)) {
      signature.attributes.Add(ReadsFrame());
    }
    signature.MarkChanged();
    reporter_.AddGlobalRemark(IrPassReporter::Kind::kPassed, "Expanded", signature,
                              [&] { return std::string("takes the address of its variable arguments"); });
    ++num_functions_;
    return body == nullptr ? nullptr : &body->AddArgument();
  }

  // `varargs` is null in functions without variable arguments.
  void ExpandBody(Function& function, Argument* varargs) {
    for (BasicBlock* block : function.blocks()) {
      for (Instruction* i = block->first(); i != nullptr;) {
        Instruction* const next = i->next();
        if (i->opcode() == Opcode::kVAArg) {
          ExpandVAArg(*i);
        } else if (i->opcode() == Opcode::kCall) {
          ExpandCall(*i, varargs);
        }
        i = next;
      }
    }
  }

  uint64_t num_functions() const { return num_functions_; }
  uint64_t num_calls() const { return num_calls_; }
  bool has_changed() const { return num_functions_ + num_calls_ + num_list_operations_ != 0; }

 private:
  // A variable argument in its frame.
  struct Slot {
    Value* value;
    const IrType* by_value;  // the type that byval passes, or null
    uint64_t offset;
    uint64_t align;  // of the value, or, if byval passes it, of the memory that it is copied from
  };
  struct FrameLayout {
    std::vector<Slot> slots;
    uint64_t size = 0;   // in bytes
    uint64_t align = 1;  // in bytes
  };

  Instruction& Load(Instruction& before, const IrType* type, Value& pointer, uint64_t align) {
    Instruction& load = InsertBefore(before, Opcode::kLoad, type, {{pointer}});
    load.set_log_align(static_cast<uint8_t>(std::countr_zero(align)));
    return load;
  }
  void Store(Instruction& before, Value& value, Value& pointer, uint64_t align) {
    Instruction& store = InsertBefore(before, Opcode::kStore, types_.Void(), {{value}, {pointer}});
    store.set_log_align(static_cast<uint8_t>(std::countr_zero(align)));
  }
  uint64_t PointerAlign() const { return layout_.AbiAlign(pointer_); }

  // Functions that only read their variable arguments may be said to access no memory, which is no longer true.
  static bool IsNone(const IrAttribute* memory) { return memory != nullptr && memory->value == "none"; }
  static IrAttribute ReadsFrame() {
    IrAttribute attribute;
    attribute.name = "memory";
    attribute.text = "memory(argmem: read)";
    attribute.value = "argmem: read";
    return attribute;
  }

  // Returns the attributes of a call without groups, which say that it accesses no memory.
  AttributeSet ReadingFrame(AttributeSetId id) {
    const AttributeSet& old = program_.attribute_set(id);
    AttributeSet set;
    const auto add = [&set](const IrAttributes& attributes) {
      for (const IrAttribute& attribute : attributes.all()) {
        if (attribute.name != "memory") set.attributes.Add(attribute);
      }
    };
    for (const uint32_t number : old.groups) {
      if (const IrAttributeGroup* group = module_.FindAttributeGroup(number)) add(group->attributes);
    }
    add(old.attributes);
    set.attributes.Add(ReadsFrame());
    set.text = module_.CopyString(AttributesText(set.attributes));
    return set;
  }

  // Lists.

  void ExpandVAArg(Instruction& instruction) {
    Function& function = instruction.function();
    const IrType* const type = instruction.type();
    Value& list = instruction.operand(0);
    const uint64_t align = layout_.AbiAlign(type);
    Value* at = &Load(instruction, pointer_, list, PointerAlign());
    if (align > 1) {
      const IrType* const word = types_.Integer(8 * layout_.AllocSize(pointer_));
      Value& last = PointerPlus(instruction, *at, align - 1, 0);
      Value& number = InsertBefore(instruction, Opcode::kPtrToInt, word, {{last}});
      Value& rounded =
          InsertBefore(instruction, Opcode::kAnd, word, {{number}, {*function.Integer(word, ~(align - 1))}});
      at = &InsertBefore(instruction, Opcode::kIntToPtr, pointer_, {{rounded}});
    }
    Store(instruction, PointerPlus(instruction, *at, layout_.AllocSize(type), 0), list, PointerAlign());
    Instruction& value = Load(instruction, type, *at, align);
    value.set_name(instruction.name());
    ReplaceAndErase(instruction, value);
    ++num_list_operations_;
  }

  // Returns true if the call is one of the intrinsics for lists. It is erased then.
  bool ExpandListIntrinsic(Instruction& call, Argument* varargs) {
    if (IsIntrinsicCall(call, "llvm.va_start")) {
      if (varargs == nullptr) return false;  // selection refuses it
      Store(call, *varargs, call.operand(0), PointerAlign());
    } else if (IsIntrinsicCall(call, "llvm.va_copy")) {
      Store(call, Load(call, pointer_, call.operand(1), PointerAlign()), call.operand(0), PointerAlign());
    } else if (!IsIntrinsicCall(call, "llvm.va_end")) {
      return false;
    }
    Erase(call);
    ++num_list_operations_;
    return true;
  }

  // Calls.

  void ExpandCall(Instruction& call, Argument* varargs) {
    if (ExpandListIntrinsic(call, varargs)) return;
    const CallDetail& detail = call.call();
    if (!detail.function_type->is_vararg() || call.callee().is_inline_asm() || IsIntrinsicCall(call, "llvm.")) return;
    const FrameLayout layout = LayOut(call);
    Instruction& frame = MakeFrame(call.function(), layout);
    Mark("llvm.lifetime.start.p0", call, frame);
    for (const Slot& slot : layout.slots) {
      Value& place = PointerPlus(call, frame, slot.offset, kInBounds);
      if (slot.by_value != nullptr) {
        MakeMemcpy(call, place, *slot.value, layout_.AllocSize(slot.by_value), slot.align);
      } else {
        Store(call, *slot.value, place, slot.align);
      }
    }
    Instruction& made = Replace(call, frame);
    Mark("llvm.lifetime.end.p0", *made.next(), frame);
    ++num_calls_;
  }

  FrameLayout LayOut(const Instruction& call) {
    const CallDetail& detail = call.call();
    FrameLayout frame;
    for (size_t i = detail.function_type->parameters().size(); i < detail.num_arguments; ++i) {
      Value& value = call.operand(static_cast<unsigned>(i));
      const AttributeSetId id = i < detail.argument_attributes.size() ? detail.argument_attributes[i] : 0;
      const IrAttributes& attributes = program_.attribute_set(id).attributes;
      const IrType* const by_value = attributes.Type("byval");
      const IrType* const type = by_value == nullptr ? value.type() : by_value;
      const uint64_t own_align = layout_.AbiAlign(type);
      const uint64_t offset = AlignTo(frame.size, own_align);
      const uint64_t stated = by_value == nullptr ? 0 : attributes.Integer("align");
      frame.slots.push_back({&value, by_value, offset, stated == 0 ? own_align : std::min(stated, own_align)});
      frame.size = offset + layout_.AllocSize(type);
      frame.align = std::max(frame.align, own_align);
    }
    return frame;
  }

  // Makes a frame in the entry block. One without arguments has a byte, which nobody reads.
  Instruction& MakeFrame(Function& function, const FrameLayout& layout) {
    Instruction& before = *function.entry().first();
    const IrType* const bytes = types_.Array(types_.Integer(8), std::max<uint64_t>(layout.size, 1));
    Instruction& frame = InsertBefore(before, Opcode::kAlloca, pointer_, {{*function.Integer(types_.Integer(32), 1)}});
    function.SetDetail<const IrType*>(frame, bytes);
    frame.set_log_align(static_cast<uint8_t>(std::countr_zero(layout.align)));
    frame.set_debug_loc({});
    return frame;
  }

  void Mark(std::string_view intrinsic, Instruction& before, Value& frame) {
    Value* const arguments[] = {&frame};
    InsertCall(before, DeclareIntrinsic(module_, intrinsic, types_.Void(), {pointer_}), arguments);
  }

  // Makes what `made` has from `call` right for its arguments.
  void ChangeDetail(const Instruction& call, Instruction& made) {
    Function& function = made.function();
    const size_t num_fixed = call.call().function_type->parameters().size();
    CallDetail& detail = made.call();
    detail.function_type = ExpandedType(types_, *detail.function_type);
    detail.num_arguments = static_cast<uint32_t>(num_fixed + 1);
    detail.states_function_type = false;
    std::vector<OperandBundle> bundles(detail.bundles.begin(), detail.bundles.end());
    for (OperandBundle& bundle : bundles) bundle.first = bundle.first + made.num_operands() - call.num_operands();
    detail.bundles = function.arena().CopyArray<OperandBundle>(bundles);
    if (IsNone(FindCallAttribute(call, "memory"))) {
      detail.function_attributes = program_.AddAttributeSet(ReadingFrame(detail.function_attributes));
    }
    // The callee of a tail call would not see the frame.
    if (call.tail_kind() != TailKind::kNoTail) made.set_variant(static_cast<uint8_t>(TailKind::kNone));
    if (!detail.argument_attributes.empty()) {
      std::vector<AttributeSetId> attributes(detail.argument_attributes.begin(),
                                             detail.argument_attributes.begin() + static_cast<ptrdiff_t>(num_fixed));
      attributes.push_back(0);
      detail.argument_attributes = function.arena().CopyArray<AttributeSetId>(attributes);
    }
  }

  Instruction& Replace(Instruction& call, Value& frame) {
    const size_t num_fixed = call.call().function_type->parameters().size();
    std::vector<Function::Operand> operands;
    for (size_t i = 0; i < num_fixed; ++i) operands.emplace_back(call.operand(static_cast<unsigned>(i)));
    operands.emplace_back(frame);
    for (size_t i = call.call().num_arguments; i < call.num_operands(); ++i) {
      operands.emplace_back(call.operand(static_cast<unsigned>(i)));
    }
    Instruction& made = InsertBefore(call, Opcode::kCall, call.type(), operands);
    CopyProperties(call, made);
    ChangeDetail(call, made);
    made.SetAttachments(call.attachments());
    made.set_position(call.position());
    made.set_name(call.name());
    MoveRecords(call, made, /*at_beginning=*/false);
    ReplaceAndErase(call, made);
    return made;
  }

  Program& program_;
  Module& module_;
  IrTypeTable& types_;
  const DataLayout& layout_;
  IrPassReporter& reporter_;
  const IrType* const pointer_;
  uint64_t num_functions_ = 0;
  uint64_t num_calls_ = 0;
  uint64_t num_list_operations_ = 0;
};

}  // namespace

IrPassResult RunExpandVariadics(Program& program, IrPassContext& context) {
  Module& module = program.module();
  Expansion expansion(program, context);
  std::vector<Function*> bodies(module.global_values().size());
  for (const auto& function : program.functions()) bodies[function->id()] = function.get();
  std::vector<Argument*> varargs(bodies.size());
  for (size_t id = 0; id < bodies.size(); ++id) {
    GlobalValue& global = module.global_value(static_cast<GlobalId>(id));
    if (global.is_removed() || !global.is_function()) continue;
    auto& signature = static_cast<IrFunction&>(global);
    if (signature.is_vararg() && !signature.is_intrinsic()) varargs[id] = expansion.Expand(signature, bodies[id]);
  }
  for (const auto& function : program.functions()) expansion.ExpandBody(*function, varargs[function->id()]);
  context.AddStatistic("functions with variable arguments expanded", expansion.num_functions());
  context.AddStatistic("calls with variable arguments expanded", expansion.num_calls());
  return {.changed = expansion.has_changed()};
}

}  // namespace ptxmir
