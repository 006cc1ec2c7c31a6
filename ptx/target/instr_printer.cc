// SPDX-License-Identifier: Apache-2.0

// The loop over the template byte code, and the few modifiers that need more than a table lookup.

#include "ptx/target/instr_printer.h"

#include <array>
#include <cstring>
#include <string>

#include "base/str_cat.h"
#include "ptx/isa/template_code.h"
#include "ptx/target/isa_tables.h"

namespace ptxmir::ptx {
namespace {

// The longest parameter list that is printed. A longer one is not a call that a compiler generated.
constexpr int64_t kMaxParameters = 1 << 16;

// The reason why an operand cannot be printed. It stays an enumeration until the end, which keeps the loop small; 0
// is success.
enum class Problem : uint8_t {
  kNone,
  kUnnumberedRegister,
  kNoRegister,
  kFrameIndex,
  kKind,
  kNotImmediate,
  kValue,
  kNoSymbols,
};

const char* Describe(Problem problem) {
  switch (problem) {
    case Problem::kNone:
      return "can be printed";
    case Problem::kUnnumberedRegister:
      return "is a register without a printed number";
    case Problem::kNoRegister:
      return "is $noreg";
    case Problem::kFrameIndex:
      return "is a stack slot that has not been laid out";
    case Problem::kKind:
      return "is of a kind that PTX cannot express";
    case Problem::kNotImmediate:
      return "should be an immediate";
    case Problem::kValue:
      return "has a value that means nothing here";
    case Problem::kNoSymbols:
      return "is a symbol, but the context cannot name symbols";
  }
  return "cannot be printed";
}

// A register prefix, which is copied as one word.
struct ShortText {
  char text[4];
  uint32_t size;
};
constexpr auto kPrefixes = [] {
  std::array<ShortText, 8> prefixes{};
  for (RegClassId i = 0; i < reg_class::kCount; ++i) {
    const std::string_view text = RegisterPrefix(i);
    for (size_t j = 0; j < text.size(); ++j) prefixes[i].text[j] = text[j];
    prefixes[i].size = static_cast<uint32_t>(text.size());
  }
  return prefixes;
}();

Problem PrintRegister(Register reg, const PrintContext& context, TextBuffer& out) {
  if (reg.is_virtual()) [[likely]] {
    if (reg.virtual_index() >= context.registers.size()) return Problem::kUnnumberedRegister;
    const PrintedRegister printed = context.registers[reg.virtual_index()];
    if (!printed.is_valid()) return Problem::kUnnumberedRegister;
    const ShortText& prefix = kPrefixes[printed.reg_class()];
    std::memcpy(out.Reserve(sizeof prefix.text), prefix.text, sizeof prefix.text);
    out.Advance(prefix.size);
    out.AppendDecimal(printed.number());
    return Problem::kNone;
  }
  const std::string_view text = PhysicalRegisterText(reg.bits());
  if (text.empty()) return Problem::kNoRegister;
  out.Append(text);
  return Problem::kNone;
}

void PrintFPImmediate(const MachineOperand& operand, TextBuffer& out) {
  switch (operand.fp_width()) {
    case MachineOperand::FPWidth::kHalf:
    case MachineOperand::FPWidth::kBFloat:
      out.Append("0x");
      out.AppendHex(operand.fp_bits() & 0xffff, 4, TextBuffer::kUpperHex);
      return;
    case MachineOperand::FPWidth::kFloat:
      out.Append("0f");
      out.AppendHex(operand.fp_bits() & 0xffffffff, 8, TextBuffer::kUpperHex);
      return;
    case MachineOperand::FPWidth::kDouble:
      out.Append("0d");
      out.AppendHex(operand.fp_bits(), 16, TextBuffer::kUpperHex);
      return;
  }
}

Problem PrintPlain(const MachineOperand& operand, const PrintContext& context, TextBuffer& out) {
  switch (operand.kind()) {
    case MachineOperand::Kind::kRegister:
      return PrintRegister(operand.reg(), context, out);
    case MachineOperand::Kind::kImmediate:
      out.AppendSigned(operand.imm());
      return Problem::kNone;
    case MachineOperand::Kind::kFPImmediate:
      PrintFPImmediate(operand, out);
      return Problem::kNone;
    case MachineOperand::Kind::kBlock:
      AppendBlockLabel(context, operand.block(), out);
      return Problem::kNone;
    // LLVM's printer drops the offset of a symbol too. Instruction selection keeps offsets in separate operands.
    case MachineOperand::Kind::kGlobal:
      if (context.symbols == nullptr) return Problem::kNoSymbols;
      context.symbols->AppendGlobal(operand.global(), out);
      return Problem::kNone;
    case MachineOperand::Kind::kExternalSymbol:
      if (context.symbols == nullptr) return Problem::kNoSymbols;
      context.symbols->AppendSymbol(operand.symbol(), out);
      return Problem::kNone;
    case MachineOperand::Kind::kFrameIndex:
      if (context.stack_slot_prefix.empty() || operand.frame_index() < 0) return Problem::kFrameIndex;
      out.Append(context.stack_slot_prefix);
      out.AppendDecimal(static_cast<uint64_t>(operand.frame_index()));
      return Problem::kNone;
    default:
      return Problem::kKind;
  }
}

// Prints the modifiers that the table calls `code`. If a modifier needs the next operand, there is one: addresses
// are two operands in every descriptor.
Problem PrintSpecial(Modifier modifier, const MachineOperand& operand, const PrintContext& context, TextBuffer& out) {
  switch (modifier) {
    case Modifier::kAddr: {
      const Problem problem = PrintPlain(operand, context, out);
      const MachineOperand& offset = *(&operand + 1);
      if (problem != Problem::kNone || (offset.is_imm() && offset.imm() == 0)) return problem;
      out.Append('+');
      return PrintPlain(offset, context, out);
    }
    case Modifier::kAddrAdd: {
      const Problem problem = PrintPlain(operand, context, out);
      if (problem != Problem::kNone) return problem;
      out.Append(", ");
      return PrintPlain(*(&operand + 1), context, out);
    }
    case Modifier::kRegorsink:
      if (operand.is_reg() && !operand.reg().is_valid()) {
        out.Append('_');
        return Problem::kNone;
      }
      return PrintPlain(operand, context, out);
    case Modifier::kProto:
      return PrintPlain(operand, context, out);
    default:
      break;
  }
  if (!operand.is_imm()) return Problem::kNotImmediate;
  const int64_t value = operand.imm();
  switch (modifier) {
    case Modifier::kCallRetList:
      if (value != 0) out.Append(" (retval0),");
      return Problem::kNone;
    case Modifier::kCallParamList:
      if (value < 0 || value > kMaxParameters) return Problem::kValue;
      for (int64_t i = 0; i < value; ++i) {
        out.Append(i == 0 ? "param" : ", param");
        out.AppendDecimal(static_cast<uint64_t>(i));
      }
      return Problem::kNone;
    case Modifier::kHexu32:
      out.Append(value < 0 ? "-0x" : "0x");
      out.AppendHex(value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint32_t>(value), 1,
                    TextBuffer::kLowerHex);
      out.Append('U');
      return Problem::kNone;
    case Modifier::kUsedbytes:
      if (static_cast<uint32_t>(value) == ~uint32_t{0}) return Problem::kNone;
      out.Append(".pragma \"used_bytes_mask 0x");
      out.AppendHex(static_cast<uint32_t>(value), 1, TextBuffer::kLowerHex);
      out.Append("\";\n\t");
      return Problem::kNone;
    default:
      return Problem::kKind;
  }
}

// Appends text `number` of the modifier table. Numbers count from 1.
void AppendModifierText(uint8_t number, TextBuffer& out) {
  const char* text = isa::kModifierTexts + isa::kModifierTextOffsets[number];
  out.Append(std::string_view(text + 1, static_cast<uint8_t>(*text)));
}

Problem PrintModifier(Modifier modifier, const MachineOperand& operand, const PrintContext& context, TextBuffer& out) {
  const isa::ModifierDesc& desc = isa::kModifiers[static_cast<uint8_t>(modifier)];
  if (desc.kind == isa::ModifierKind::kCode) return PrintSpecial(modifier, operand, context, out);
  if (!operand.is_imm()) return Problem::kNotImmediate;
  const int64_t value = operand.imm();
  bool prints = false;
  switch (desc.kind) {
    case isa::ModifierKind::kValue: {
      const uint64_t index = static_cast<uint64_t>(value & desc.number);
      if (index >= desc.num_values || isa::kModifierValues[desc.values + index] == 0) return Problem::kValue;
      AppendModifierText(isa::kModifierValues[desc.values + index], out);
      return Problem::kNone;
    }
    case isa::ModifierKind::kBit:
      prints = (value & desc.number) != 0;
      break;
    case isa::ModifierKind::kNonZero:
      prints = value != 0;
      break;
    case isa::ModifierKind::kAtLeast:
      prints = value >= desc.number;
      break;
    case isa::ModifierKind::kCode:
      break;
  }
  if (prints) AppendModifierText(isa::kModifierValues[desc.values], out);
  return Problem::kNone;
}

Problem PrintThrough(uint8_t op, const MachineOperand& operand, const PrintContext& context, TextBuffer& out) {
  if (op == isa::kPlainOp) return PrintPlain(operand, context, out);
  return PrintModifier(static_cast<Modifier>(op - isa::kFirstModifierOp), operand, context, out);
}

// Copies a literal run in blocks. Both sides have room to overrun by a block (TextBuffer::kSlack, and the padding
// that the generator puts after the byte code).
void AppendLiteral(const uint8_t* text, size_t size, TextBuffer& out) {
  char* to = out.Reserve(size);
  static_assert(TextBuffer::kSlack >= 16);
  for (size_t i = 0; i < size; i += 16) std::memcpy(to + i, text + i, 16);
  out.Advance(size);
}

absl::Status Fail(const MachineInstr& instr, unsigned operand, Problem problem) {
  const MachineOperand& op = instr.operand(operand);
  std::string value = op.is_imm() ? StrCat(" (", op.imm(), ")") : std::string();
  return absl::InvalidArgumentError(
      StrCat("operand ", operand, value, " of ", PtxTargetInfo().StableName(instr.opcode()), " ", Describe(problem)));
}

}  // namespace

absl::Status PrintInstr(const MachineInstr& instr, const PrintContext& context, TextBuffer& out) {
  const Opcode opcode = instr.opcode();
  const uint32_t start = isa::kInstrInfos[opcode].template_code;
  if (start == 0) {
    return absl::InvalidArgumentError(StrCat(PtxTargetInfo().StableName(opcode), " has no PTX"));
  }
  if (instr.num_operands() < isa::kInstrDescs[opcode].num_operands) {
    return absl::InvalidArgumentError(StrCat(PtxTargetInfo().StableName(opcode), " has ", instr.num_operands(),
                                             " operands instead of ", isa::kInstrDescs[opcode].num_operands));
  }
  const size_t size_before = out.size();
  const MachineOperand* operands = instr.operands().data();
  const uint8_t* code = reinterpret_cast<const uint8_t*>(isa::kTemplateCode) + start;
  Problem problem = Problem::kNone;
  unsigned operand = 0;
  while (true) {
    const uint8_t op = *code++;
    if (op < isa::kPlainOp) {
      if (op == isa::kEndOp) break;
      AppendLiteral(code, op, out);
      code += op;
      continue;
    }
    if (op < isa::kTailOp) {
      operand = *code++;
      problem = PrintThrough(op, operands[operand], context, out);
    } else if (op == isa::kTailOp) {
      code = reinterpret_cast<const uint8_t*>(isa::kTemplateCode) + isa::TailOffset(code);
      continue;
    } else {
      const uint8_t inner = code[0];
      const unsigned first = code[1], count = code[2];
      code += 3;
      for (operand = first; operand < first + count; ++operand) {
        if (operand != first) out.Append(", ");
        problem = PrintThrough(inner, operands[operand], context, out);
        if (problem != Problem::kNone) break;
      }
    }
    if (problem != Problem::kNone) [[unlikely]] {
      out.Truncate(size_before);
      return Fail(instr, operand, problem);
    }
  }
  out.Append('\n');
  return absl::OkStatus();
}

std::string_view LeadingText(Opcode opcode) {
  const uint32_t start = isa::kInstrInfos[opcode].template_code;
  const char* const code = isa::kTemplateCode + start;
  const uint8_t op = static_cast<uint8_t>(code[0]);
  if (start == 0 || op == isa::kEndOp || op >= isa::kPlainOp) return {};
  // Statements are indented.
  return code[1] == '\t' ? std::string_view(code + 2, op - 1) : std::string_view(code + 1, op);
}

absl::Status PrintOperand(const MachineOperand& operand, const PrintContext& context, TextBuffer& out) {
  const size_t size_before = out.size();
  const Problem problem = PrintPlain(operand, context, out);
  if (problem == Problem::kNone) return absl::OkStatus();
  out.Truncate(size_before);
  return absl::InvalidArgumentError(StrCat("operand ", Describe(problem)));
}

void AppendBlockLabel(const PrintContext& context, BlockNumber block, TextBuffer& out) {
  out.Append("$L__BB");
  out.AppendDecimal(context.function_number);
  out.Append('_');
  out.AppendDecimal(block < context.block_labels.size() ? context.block_labels[block] : block);
}

}  // namespace ptxmir::ptx
