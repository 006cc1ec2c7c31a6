// SPDX-License-Identifier: Apache-2.0

#include "ir/text/instruction_writer.h"

#include "ir/ir_text.h"

namespace ptxmir::ir {

void InstructionWriter::Type(const IrType* type) {
  switch (type->kind()) {
    case IrType::Kind::kFloat:
      return Put("float");
    case IrType::Kind::kDouble:
      return Put("double");
    case IrType::Kind::kInteger:
      Put('i');
      return Number(type->integer_width());
    case IrType::Kind::kPointer:
      if (type->address_space() == 0) return Put("ptr");
      [[fallthrough]];
    default:
      PutFrom([type](std::string* text) { type->AppendTo(text); });
  }
}

void InstructionWriter::Name(char sigil, std::string_view name) {
  PutFrom([&](std::string* text) { AppendIrName(sigil, name, text); });
}

void InstructionWriter::WriteBlockName(const BasicBlock& block, char sigil) {
  if (block.name() == 0) {
    if (sigil != '\0') Put(sigil);
    return Number(block.slot());
  }
  scratch_.clear();
  AppendIrName('%', function_.name(block.name()), &scratch_);
  Put(std::string_view(scratch_).substr(sigil == '\0' ? 1 : 0));
}

void InstructionWriter::Operand(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kArgument: {
      const auto& argument = static_cast<const Argument&>(value);
      const IrParameter& parameter = function_.signature().parameters[argument.number()];
      if (!parameter.name.empty()) return Name('%', parameter.name);
      Put('%');
      return Number(parameter.slot);
    }
    case Value::Kind::kBlock:
      return WriteBlockName(static_cast<const BasicBlock&>(value), '%');
    case Value::Kind::kInstruction: {
      const auto& instruction = static_cast<const Instruction&>(value);
      if (instruction.name() != 0) return Name('%', function_.name(instruction.name()));
      Put('%');
      return Number(instruction.slot());
    }
    case Value::Kind::kConstant: {
      const IrConstant& constant = static_cast<const ConstantValue&>(value).constant();
      if (constant.kind == IrConstant::Kind::kInteger && constant.words.size() == 1 &&
          value.type()->integer_width() > 1) {
        const int64_t number = constant.SExtValue();
        if (number < 0) Put('-');
        return Number(number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number));
      }
      return PutFrom([&](std::string* text) { AppendConstant(program_.module(), constant, text); });
    }
    case Value::Kind::kMetadata:
      return Metadata(static_cast<const MetadataValue&>(value).node());
    case Value::Kind::kInlineAsm:
      return Callee(value);
    case Value::Kind::kPlaceholder:
      Put("<placeholder>");
      return;
  }
}

void InstructionWriter::TypedOperand(const Value& value) {
  Type(value.type());
  Put(' ');
  Operand(value);
}

void InstructionWriter::TypedUse(const Use& use) {
  if (use.is_metadata()) Put("metadata ");
  TypedOperand(use.value());
}

void InstructionWriter::Label(const Value& block) {
  Put("label ");
  Operand(block);
}

void InstructionWriter::Flags(const Instruction& instruction) {
  uint32_t flags = instruction.flags();
  if ((flags & kFastMath) == kFastMath) {
    Put(" fast");
    flags &= ~uint32_t{kFastMath};
  }
  if ((flags & kInBounds) != 0) flags &= ~uint32_t{kNoUnsignedSignedWrap};
  for (uint32_t flag = 1; flag <= flags; flag <<= 1) {
    if ((flags & flag) == 0) continue;
    Put(' ');
    Put(FlagWord(static_cast<InstructionFlag>(flag)));
  }
}

// Appends the operands from `first` on, each with its type.
void InstructionWriter::List(const Instruction& instruction, unsigned first) {
  for (unsigned i = first; i < instruction.num_operands(); ++i) {
    Put(i == first ? " " : ", ");
    TypedOperand(instruction.operand(i));
  }
}

void InstructionWriter::Metadata(MetadataRef node) {
  if (node.is_inline()) {
    Put(program_.metadata_text(node));
    return;
  }
  Put('!');
  Number(node.node());
}

void InstructionWriter::Write(const Instruction& instruction) {
  if (instruction.is_debug_record()) return Record(instruction);
  if (!instruction.type()->is_void()) {
    Operand(instruction);
    Put(" = ");
  }
  if (instruction.opcode() == Opcode::kCall) {
    constexpr std::string_view kTails[] = {"", "tail ", "musttail ", "notail "};
    Put(kTails[static_cast<size_t>(instruction.tail_kind())]);
  }
  Put(OpcodeWord(instruction.opcode()));
  if (instruction.ordering() != AtomicOrdering::kNotAtomic &&
      (instruction.opcode() == Opcode::kLoad || instruction.opcode() == Opcode::kStore)) {
    Put(" atomic");
  }
  if (instruction.flags() != 0) Flags(instruction);
  Body(instruction);
  Attachments(instruction);
}

void InstructionWriter::Body(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (IsBinary(opcode) || opcode == Opcode::kICmp || opcode == Opcode::kFCmp) {
    Put(' ');
    if (!IsBinary(opcode)) {
      Put(PredicateWord(instruction.predicate()));
      Put(' ');
    }
    TypedOperand(instruction.operand(0));
    Put(", ");
    return Operand(instruction.operand(1));
  }
  if (IsCast(opcode)) {
    List(instruction, 0);
    Put(" to ");
    return Type(instruction.type());
  }
  switch (opcode) {
    case Opcode::kRet:
      if (instruction.num_operands() == 0) Put(" void");
      return List(instruction, 0);
    case Opcode::kBr:
      return Br(instruction);
    case Opcode::kSwitch:
      return Switch(instruction);
    case Opcode::kPhi:
      return Phi(instruction);
    case Opcode::kCall:
      return Call(instruction);
    case Opcode::kAlloca:
      return Alloca(instruction);
    case Opcode::kLoad:
    case Opcode::kStore:
    case Opcode::kFence:
    case Opcode::kCmpXchg:
    case Opcode::kAtomicRMW:
      return Access(instruction);
    case Opcode::kGetElementPtr:
      Put(' ');
      Type(instruction.source_type());
      Put(',');
      return List(instruction, 0);
    case Opcode::kExtractValue:
    case Opcode::kInsertValue:
      List(instruction, 0);
      return Indices(instruction);
    case Opcode::kVAArg:
      List(instruction, 0);
      Put(", ");
      return Type(instruction.type());
    default:
      return List(instruction, 0);
  }
}

void InstructionWriter::Br(const Instruction& instruction) {
  Put(' ');
  for (unsigned i = 0; i < instruction.num_operands(); ++i) {
    if (i > 0) Put(", ");
    const Value& operand = instruction.operand(i);
    operand.is_block() ? Label(operand) : TypedOperand(operand);
  }
}

void InstructionWriter::Switch(const Instruction& instruction) {
  Put(' ');
  TypedOperand(instruction.operand(0));
  Put(", ");
  Label(instruction.operand(1));
  Put(" [");
  for (unsigned i = 2; i < instruction.num_operands(); i += 2) {
    Put("\n    ");
    TypedOperand(instruction.operand(i));
    Put(", ");
    Label(instruction.operand(i + 1));
  }
  Put("\n  ]");
}

void InstructionWriter::Phi(const Instruction& instruction) {
  Put(' ');
  Type(instruction.type());
  for (unsigned i = 0; i < instruction.num_incoming(); ++i) {
    Put(i == 0 ? " [ " : ", [ ");
    Operand(instruction.incoming_value(i));
    Put(", ");
    Operand(instruction.incoming_block(i));
    Put(" ]");
  }
}

void InstructionWriter::Align(const Instruction& instruction) {
  if (instruction.align() == 0) return;
  Put(", align ");
  Number(instruction.align());
}

void InstructionWriter::Alloca(const Instruction& instruction) {
  Put(' ');
  Type(instruction.source_type());
  const Value& count = instruction.operand(0);
  const bool is_one = count.is_constant() && count.type()->is_integer(32) &&
                      static_cast<const ConstantValue&>(count).constant().is_integer() &&
                      static_cast<const ConstantValue&>(count).constant().ZExtValue() == 1;
  if (!is_one) {
    Put(", ");
    TypedOperand(count);
  }
  Align(instruction);
  if (instruction.type()->address_space() != 0) {
    Put(", addrspace(");
    Number(instruction.type()->address_space());
    Put(')');
  }
}

// Appends the scope and the orderings of an atomic instruction.
void InstructionWriter::Atomic(const Instruction& instruction) {
  if (instruction.ordering() == AtomicOrdering::kNotAtomic) return;
  if (instruction.sync_scope() != 0) {
    Put(" syncscope(\"");
    Put(program_.sync_scope(instruction.sync_scope()));
    Put("\")");
  }
  Put(' ');
  Put(OrderingWord(instruction.ordering()));
  if (instruction.opcode() != Opcode::kCmpXchg) return;
  Put(' ');
  Put(OrderingWord(instruction.failure_ordering()));
}

void InstructionWriter::Access(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kLoad) {
    Put(' ');
    Type(instruction.type());
    Put(',');
  }
  if (instruction.opcode() == Opcode::kAtomicRMW) {
    Put(' ');
    Put(OperationWord(instruction.operation()));
  }
  List(instruction, 0);
  Atomic(instruction);
  Align(instruction);
}

void InstructionWriter::Indices(const Instruction& instruction) {
  for (const uint32_t index : instruction.indices()) {
    Put(", ");
    Number(index);
  }
}

void InstructionWriter::Attributes(AttributeSetId id, std::string_view before, std::string_view after) {
  if (id == 0) return;
  Put(before);
  Put(program_.attribute_set(id).text);
  Put(after);
}

void InstructionWriter::Callee(const Value& callee) {
  if (!callee.is_inline_asm()) return Operand(callee);
  const auto& assembly = static_cast<const InlineAsm&>(callee);
  Put("asm ");
  if (assembly.has_flag(InlineAsm::kSideEffect)) Put("sideeffect ");
  if (assembly.has_flag(InlineAsm::kAlignStack)) Put("alignstack ");
  if (assembly.has_flag(InlineAsm::kIntelDialect)) Put("inteldialect ");
  if (assembly.has_flag(InlineAsm::kUnwind)) Put("unwind ");
  Put('"');
  Put(assembly.text());
  Put("\", \"");
  Put(assembly.constraints());
  Put('"');
}

void InstructionWriter::Call(const Instruction& instruction) {
  const CallDetail& call = instruction.call();
  Put(' ');
  if (const std::string_view name = CallingConventionName(call.calling_convention); !name.empty()) {
    Put(name);
    Put(' ');
  } else if (call.calling_convention != calling_convention::kC) {
    Put("cc ");
    Number(call.calling_convention);
    Put(' ');
  }
  Attributes(call.return_attributes, "", " ");
  if (call.address_space != 0) {
    Put("addrspace(");
    Number(call.address_space);
    Put(") ");
  }
  Type(call.states_function_type ? call.function_type : call.function_type->return_type());
  Put(' ');
  Callee(instruction.callee());
  Put('(');
  for (unsigned i = 0; i < call.num_arguments; ++i) {
    if (i > 0) Put(", ");
    const Use& use = instruction.use(i);
    if (use.is_metadata() || use.value().is_metadata()) {
      TypedUse(use);
      continue;
    }
    Type(use.value().type());
    if (!call.argument_attributes.empty()) Attributes(call.argument_attributes[i], " ", "");
    Put(' ');
    Operand(use.value());
  }
  Put(')');
  Attributes(call.function_attributes, " ", "");
  Bundles(instruction);
}

void InstructionWriter::Bundles(const Instruction& instruction) {
  const absl::Span<const OperandBundle> bundles = instruction.call().bundles;
  if (bundles.empty()) return;
  for (const OperandBundle& bundle : bundles) {
    Put(&bundle == bundles.data() ? " [ \"" : ", \"");
    Put(bundle.tag);
    Put("\"(");
    for (unsigned i = 0; i < bundle.count; ++i) {
      if (i > 0) Put(", ");
      TypedUse(instruction.use(bundle.first + i));
    }
    Put(')');
  }
  Put(" ]");
}

void InstructionWriter::Attachments(const Instruction& instruction) {
  if (!instruction.debug_loc().is_none() && !omits_debug_locations_) {
    Put(", !dbg ");
    Metadata(instruction.debug_loc());
  }
  for (const Attachment& attachment : instruction.attachments()) {
    Put(", !");
    PutFrom([&](std::string* text) { AppendIrMetadataName(program_.metadata_kind(attachment.kind), text); });
    Put(' ');
    Metadata(attachment.node);
  }
}

void InstructionWriter::RecordValues(const Instruction& record, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (i > 0) Put(", ");
    TypedOperand(record.operand(first + i));
  }
}

void InstructionWriter::Record(const Instruction& record) {
  const DebugRecordDetail& detail = record.record();
  Put('#');
  Put(OpcodeWord(record.opcode()));
  Put('(');
  const bool is_assign = record.opcode() == Opcode::kDbgAssign;
  const bool has_address = is_assign && detail.raw_address.is_none();
  const unsigned num_values = record.num_operands() - (has_address ? 1 : 0);
  if (record.opcode() != Opcode::kDbgLabel) {
    if (detail.is_list) Put("!DIArgList(");
    if (detail.raw_location.is_none()) {
      RecordValues(record, 0, num_values);
    } else {
      Metadata(detail.raw_location);
    }
    Put(detail.is_list ? "), " : ", ");
  }
  Metadata(detail.variable);
  if (record.opcode() != Opcode::kDbgLabel) {
    Put(", ");
    Metadata(detail.expression);
  }
  if (is_assign) {
    Put(", ");
    Metadata(detail.assignment);
    Put(", ");
    has_address ? TypedOperand(record.operand(num_values)) : Metadata(detail.raw_address);
    Put(", ");
    Metadata(detail.address_expression);
  }
  Put(", ");
  Metadata(detail.location);
  Put(')');
}

}  // namespace ptxmir::ir
