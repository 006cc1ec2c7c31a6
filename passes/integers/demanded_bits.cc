// SPDX-License-Identifier: Apache-2.0

#include "passes/integers/demanded_bits.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "analysis/values/integer_facts.h"
#include "analysis/values/integer_operations.h"
#include "mir/code/operand_ranges.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

constexpr uint64_t kAllBits = ~uint64_t{0};

// Sums and products depend on the bits up to the highest one demanded.
uint64_t UpTo(uint64_t demanded) { return IntegerFacts::LowMask(static_cast<unsigned>(std::bit_width(demanded))); }

// The sources of one instruction, and what is demanded of its result.
struct ResultDemand {
  const MachineInstr& instr;
  const IntegerOperation& operation;
  unsigned first_source;
  unsigned result;    // the number of the definition
  uint64_t demanded;  // of it

  std::optional<uint64_t> Constant(unsigned source) const {
    const unsigned i = first_source + source;
    if (i >= instr.num_operands() || !instr.operand(i).is_imm()) return std::nullopt;
    return static_cast<uint64_t>(instr.operand(i).imm());
  }
};

uint64_t OfLogic(const ResultDemand& d, unsigned source) {
  const std::optional<uint64_t> other = d.Constant(1 - source);
  if (other.has_value() && d.operation.op == IntegerOp::kAnd) return d.demanded & *other;
  if (other.has_value() && d.operation.op == IntegerOp::kOr) return d.demanded & ~*other;
  return d.demanded;
}

uint64_t OfShift(const ResultDemand& d, unsigned source) {
  const unsigned bits = d.operation.bits;
  const std::optional<uint64_t> amount = d.Constant(1);
  if (source != 0 || !amount.has_value()) return kAllBits;
  const uint64_t by = *amount & 0xffffffff;
  if (d.operation.op == IntegerOp::kShl) return by >= bits ? 0 : d.demanded >> by;
  if (by >= bits) return d.operation.is_signed ? uint64_t{1} << (bits - 1) : 0;
  const uint64_t shifted = (d.demanded << by) & IntegerFacts::LowMask(bits);
  const bool demands_sign = d.operation.is_signed && (d.demanded & ~(IntegerFacts::LowMask(bits) >> by)) != 0;
  return demands_sign ? shifted | uint64_t{1} << (bits - 1) : shifted;
}

uint64_t OfExtractField(const ResultDemand& d, unsigned source) {
  const std::optional<uint64_t> position = d.Constant(1);
  const std::optional<uint64_t> length = d.Constant(2);
  if (source != 0 || !position.has_value() || !length.has_value()) return kAllBits;
  const unsigned pos = static_cast<unsigned>(*position & 0xff);
  const unsigned len = static_cast<unsigned>(*length & 0xff);
  if (len == 0 || pos + len > d.operation.bits) return kAllBits;
  uint64_t field = d.demanded & IntegerFacts::LowMask(len);
  if (d.operation.is_signed && (d.demanded & ~IntegerFacts::LowMask(len)) != 0) field |= uint64_t{1} << (len - 1);
  return field << pos;
}

uint64_t OfInsertField(const ResultDemand& d, unsigned source) {
  const std::optional<uint64_t> position = d.Constant(2);
  const std::optional<uint64_t> length = d.Constant(3);
  if (source > 1 || !position.has_value() || !length.has_value()) return kAllBits;
  const unsigned pos = static_cast<unsigned>(*position & 0xff);
  if (pos >= d.operation.bits) return source == 0 ? 0 : d.demanded;
  const uint64_t field = IntegerFacts::LowMask(static_cast<unsigned>(*length & 0xff));
  return source == 0 ? (d.demanded >> pos) & field : d.demanded & ~(field << pos);
}

uint64_t OfConversion(const ResultDemand& d, unsigned source) {
  constexpr uint64_t kSaturate = 32;
  const uint64_t whole = IntegerFacts::LowMask(d.operation.from_bits);
  if (source != 0 || (d.Constant(1).value_or(0) & kSaturate) != 0) return whole;
  uint64_t demanded = d.demanded & IntegerFacts::LowMask(d.operation.bits);
  // Results of 8 bits are extended in their registers.
  if (d.operation.is_signed && d.demanded != demanded) demanded |= uint64_t{1} << (d.operation.bits - 1);
  const uint64_t low = demanded & whole;
  const bool demands_sign = d.operation.from_signed && low != demanded;
  return demands_sign ? low | uint64_t{1} << (d.operation.from_bits - 1) : low;
}

uint64_t OfPermute(const ResultDemand& d, unsigned source) {
  const std::optional<uint64_t> selector = d.Constant(2);
  if (source > 1 || !selector.has_value() || d.Constant(3).value_or(1) != 0) return kAllBits;
  uint64_t demanded = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const uint64_t byte = d.demanded >> (8 * i) & 0xff;
    const unsigned choice = static_cast<unsigned>(*selector >> (4 * i));
    if (byte == 0 || (choice & 4) / 4 != source) continue;
    demanded |= ((choice & 8) != 0 ? 0x80 : byte) << (8 * (choice & 3));
  }
  return demanded;
}

uint64_t OfProduct(const ResultDemand& d, unsigned source) {
  if (source == 2) return UpTo(d.demanded);
  const bool is_wide = d.operation.op == IntegerOp::kMulWide || d.operation.op == IntegerOp::kMadWide;
  const uint64_t low = UpTo(d.demanded);
  return is_wide && (low & ~IntegerFacts::LowMask(d.operation.bits)) != 0 ? IntegerFacts::LowMask(d.operation.bits)
                                                                          : low;
}

// Returns the bits of a source that the demanded bits of the result depend on.
uint64_t OfSource(const ResultDemand& d, unsigned source) {
  switch (d.operation.op) {
    case IntegerOp::kMove:
      return d.demanded;
    case IntegerOp::kSelect:
      return source < 2 ? d.demanded : kAllBits;
    case IntegerOp::kAnd:
    case IntegerOp::kOr:
    case IntegerOp::kXor:
    case IntegerOp::kNot:
      return OfLogic(d, source);
    case IntegerOp::kAdd:
    case IntegerOp::kSub:
    case IntegerOp::kNeg:
      return UpTo(d.demanded);
    case IntegerOp::kMulLo:
    case IntegerOp::kMulWide:
    case IntegerOp::kMadLo:
    case IntegerOp::kMadWide:
      return OfProduct(d, source);
    case IntegerOp::kShl:
    case IntegerOp::kShr:
      return OfShift(d, source);
    case IntegerOp::kExtractField:
      return OfExtractField(d, source);
    case IntegerOp::kInsertField:
      return OfInsertField(d, source);
    case IntegerOp::kConvert:
      return OfConversion(d, source);
    case IntegerOp::kPermute:
      return OfPermute(d, source);
    case IntegerOp::kPack:
      return d.demanded >> (source * d.operation.from_bits) & IntegerFacts::LowMask(d.operation.from_bits);
    case IntegerOp::kUnpack:
      return (d.demanded & IntegerFacts::LowMask(d.operation.from_bits)) << (d.result * d.operation.from_bits);
    case IntegerOp::kUnpackHigh:
      return d.demanded << d.operation.from_bits;
    default:
      return kAllBits;
  }
}

// Returns true if the instruction demands of its operands only what is demanded of its results.
bool OnlyComputes(const MachineInstr& instr) {
  if (instr.num_operands() == 0 || !instr.operand(0).is_def()) return false;
  for (const MachineOperand& operand : instr.operands()) {
    if (operand.is_reg() && (operand.is_implicit() || (operand.is_def() && !operand.reg().is_virtual()))) return false;
  }
  return instr.is_phi() || IsPlainComputation(instr);
}

}  // namespace

DemandedBits::DemandedBits(const MachineFunction& function)
    : function_(function),
      demanded_(function.reg_info().num_virtual_registers()),
      num_updates_(function.reg_info().num_virtual_registers()) {
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      if (!instr.is_debug() && !OnlyComputes(instr)) DemandAllSources(instr);
    }
  }
  while (!work_.empty()) {
    const Register reg = work_.back();
    work_.pop_back();
    for (const MachineOperand& def : function_.reg_info().Defs(reg)) {
      if (OnlyComputes(*def.parent())) AddDemandsOf(*def.parent());
    }
  }
}

void DemandedBits::Demand(const MachineOperand& use, uint64_t bits) {
  if (!IsVirtualUse(use) || bits == 0) return;
  const uint32_t index = use.reg().virtual_index();
  uint64_t& demanded = demanded_[index];
  if ((bits & ~demanded) == 0) return;
  demanded = ++num_updates_[index] >= kMaxUpdates ? kAllBits : demanded | bits;
  work_.push_back(use.reg());
}

void DemandedBits::DemandAllSources(const MachineInstr& instr) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  // A store takes the low bits of its values.
  uint64_t stored = kAllBits;
  const bool is_plain_store = info.writes_memory() && !info.reads_memory() && info.width != info.kNoOperand &&
                              info.first_value != info.kNoOperand && instr.operand(info.width).is_imm();
  if (is_plain_store)
    stored = IntegerFacts::LowMask(static_cast<unsigned>(std::clamp<int64_t>(instr.operand(info.width).imm(), 1, 64)));
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const bool is_value = i >= info.first_value && i < info.first_value + info.num_values;
    Demand(instr.operand(i), is_plain_store && is_value ? stored : kAllBits);
  }
}

void DemandedBits::AddDemandsOf(const MachineInstr& instr) {
  const IntegerOperation& operation = IntegerOperationOf(instr.opcode());
  const unsigned num_defs = instr.num_explicit_defs();
  for (unsigned result = 0; result < num_defs; ++result) {
    const uint64_t demanded = Of(instr.operand(result).reg());
    if (demanded == 0) continue;
    const ResultDemand of_result{instr, operation, num_defs, result, demanded};
    for (unsigned i = num_defs; i < instr.num_operands(); ++i) {
      const bool passes_on = instr.is_phi() || instr.is_copy();
      Demand(instr.operand(i), passes_on ? demanded : OfSource(of_result, i - num_defs));
    }
  }
}

}  // namespace ptxmir
