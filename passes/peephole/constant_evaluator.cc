// SPDX-License-Identifier: Apache-2.0

#include "passes/peephole/constant_evaluator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "passes/peephole/value_type.h"
#include "ptx/interpreter/code/statement.h"
#include "ptx/interpreter/scalar/float_semantics.h"
#include "ptx/interpreter/scalar/scalar_resolvers.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::peephole {
namespace {

using Resolvers = absl::flat_hash_map<std::string_view, absl::InlinedVector<ptx::Resolver, 2>>;

const Resolvers& ResolversByBase() {
  static const Resolvers* const resolvers = [] {
    auto* table = new Resolvers;
    for (const auto entries :
         {ptx::IntegerResolvers(), ptx::FloatResolvers(), ptx::CompareResolvers(), ptx::ConvertResolvers()}) {
      for (const ptx::ResolverEntry& entry : entries) (*table)[entry.base].push_back(entry.resolver);
    }
    return table;
  }();
  return *resolvers;
}

bool Resolve(const ptx::Statement& statement, ptx::Semantics* semantics) {
  const auto found = ResolversByBase().find(statement.mnemonic.base());
  if (found == ResolversByBase().end()) return false;
  static const ptx::Semantics* const fresh = new ptx::Semantics();
  for (const ptx::Resolver resolver : found->second) {
    *semantics = *fresh;
    if (resolver(statement, semantics)) return semantics->pure != nullptr;
  }
  return false;
}

// Returns true if constants of the sources decide the result.
bool IsFoldable(const MachineInstr& instr) {
  using P = ptx::Property;
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  constexpr uint32_t kDependsOnMore = P::kCollective | P::kVolatile | P::kDivergent | P::kSreg | P::kCvta | P::kFrame |
                                      P::kProxy | P::kCarryin | P::kCarryout;
  return info.family != ptx::Family::kGeneric && info.is_pure() && !info.Has(kDependsOnMore) &&
         instr.desc().num_defs == 1 && instr.num_operands() > 1 && IsExact(instr.opcode());
}

// A row of the kernel, of which lane 0 is used. All lanes are zero at first, because kernels may read more of them.
using Row = std::array<uint64_t, ptx::kWarpSize>;

void SetLane(Row& row, unsigned bits, uint64_t value) {
  row.fill(0);
  // Little-endian: the low bytes of the first element are lane 0 in every width.
  row[0] = bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

bool IsNan(uint64_t value, ValueType type) {
  if (!type.is_float()) return false;
  if (type.bits == 64) return ptx::IsNan<ptx::Double>(value);
  if (type.bits == 32) return ptx::IsNan<ptx::Single>(static_cast<uint32_t>(value));
  return (value & 0x7c00) == 0x7c00;  // f16; bf16 is none of the types that ValueType knows
}

}  // namespace

void ConstantEvaluator::NumberRegisters() {
  const MachineRegisterInfo& reg_info = function_.reg_info();
  for (uint32_t i = static_cast<uint32_t>(printed_.size()); i < reg_info.num_virtual_registers(); ++i) {
    printed_.emplace_back(reg_info.reg_class(Register::Virtual(i)), i);
  }
}

std::optional<uint64_t> ConstantEvaluator::ValueOf(const ptx::StatementOperand& operand, unsigned bits,
                                                   absl::Span<const KnownRegister> known) {
  using Kind = ptx::StatementOperand::Kind;
  if (operand.negated || !operand.selector.empty()) return std::nullopt;
  if (operand.kind == Kind::kFloat && (bits == 32 || bits == 64)) return ptx::FloatImmediate(operand, bits);
  if (operand.kind == Kind::kFloat || operand.kind == Kind::kImmediate) return static_cast<uint64_t>(operand.value);
  if (!operand.is_register()) return std::nullopt;
  // "%rd17" is virtual register 17; see NumberRegisters.
  uint32_t number = 0;
  const size_t digits = std::min(operand.name.find_first_of("0123456789"), operand.name.size());
  std::from_chars(operand.name.data() + digits, operand.name.data() + operand.name.size(), number);
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const KnownRegister& k) { return k.reg == Register::Virtual(number); });
  if (found == known.end()) return std::nullopt;
  return found->value;
}

std::optional<uint64_t> ConstantEvaluator::Evaluate(const MachineInstr& instr, absl::Span<const KnownRegister> known) {
  if (!IsFoldable(instr)) return std::nullopt;
  NumberRegisters();
  text_.Clear();
  ptx::PrintContext print_context;
  print_context.registers = printed_;
  if (!ptx::PrintInstr(instr, print_context, text_).ok()) return std::nullopt;
  const auto statements = ptx::ParseStatements(text_.view());
  if (!statements.ok() || statements->size() != 1) return std::nullopt;
  const ptx::Statement& statement = statements->front();
  ptx::Semantics semantics;
  if (statement.has_guard || !Resolve(statement, &semantics)) return std::nullopt;
  const size_t num_rows = semantics.source_bits.size() + 1;
  constexpr size_t kMaxRows = 6;
  if (semantics.result_bits.size() != 1 || statement.operands.size() != num_rows || num_rows > kMaxRows) {
    return std::nullopt;
  }
  // Only conversions say what fills a register that is wider than the result, and they are not worth the trouble.
  const RegClassId reg_class = function_.reg_info().reg_class(instr.operand(0).reg());
  const unsigned bits = semantics.result_bits[0];
  if (ptx::kRegisterClasses[reg_class].bits != bits) return std::nullopt;

  std::array<Row, kMaxRows> rows = {};
  std::array<void*, kMaxRows> pointers;
  for (size_t i = 0; i < num_rows; ++i) {
    pointers[i] = rows[i].data();
    if (i == 0) continue;
    const std::optional<uint64_t> value = ValueOf(statement.operands[i], semantics.source_bits[i - 1], known);
    if (!value.has_value()) return std::nullopt;
    SetLane(rows[i], semantics.source_bits[i - 1], *value);
  }
  const ptx::Family family = ptx::InstrInfo(instr.opcode()).family;
  const bool divides = family == ptx::Family::kIntDiv || family == ptx::Family::kIntRem;
  if (divides && rows[2][0] == 0) return std::nullopt;  // PTX leaves the result open
  semantics.pure(pointers.data(), /*active=*/1, semantics.params);
  const uint64_t result = bits == 64 ? rows[0][0] : rows[0][0] & ((uint64_t{1} << bits) - 1);
  const bool is_conversion = family == ptx::Family::kCvt;
  const ValueType type = is_conversion ? ResultTypeOfConversion(instr.opcode()) : ValueTypeOf(instr.opcode());
  if (bits != 1 && IsNan(result, type)) return std::nullopt;
  return result;
}

}  // namespace ptxmir::peephole
