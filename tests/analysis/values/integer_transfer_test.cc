// SPDX-License-Identifier: Apache-2.0

// Checks the transfer functions against the interpreter: for every opcode that has an integer operation, draws random
// facts for its operands and random values for which they hold, executes the instruction, and checks that the computed
// facts allow the result.

#include "analysis/values/integer_transfer.h"

#include <random>
#include <string>
#include <vector>

#include "analysis/values/integer_operations.h"
#include "base/str_cat.h"
#include "base/text_buffer.h"
#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "ptx/isa/register_classes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/instr_printer.h"
#include "ptx/target/ptx_target.h"
#include "tests/ptx/interpreter/semantics/semantics_test_support.h"

namespace ptxmir {
namespace {

using ptx::Line;
using ptx::Values;

// A source of an instruction: a register of a width, or a constant.
struct Source {
  unsigned bits = 0;
  bool is_register = false;
  int64_t constant = 0;
};

// One instruction with random constants, printed and resolved.
struct Sample {
  std::string text;
  std::vector<Source> sources;
  unsigned result_bits = 0;
  unsigned num_results = 0;
};

class Sampler {
 public:
  explicit Sampler(uint32_t seed) : values_(seed), function_(nullptr, ptx::PtxTargetInfo(), "f", 0) {
    function_.InsertBlock(nullptr, function_.CreateBlock());
  }

  // Returns nullopt if the opcode has operands of other kinds.
  std::optional<Sample> Make(Opcode opcode, const IntegerOperation& operation) {
    const TargetInfo& target = ptx::PtxTargetInfo();
    const absl::Span<const OperandDesc> operands = target.Operands(opcode);
    const unsigned num_defs = target.Get(opcode).num_defs;
    Sample sample;
    sample.num_results = num_defs;
    std::vector<MachineOperand> created;
    std::vector<ptx::PrintedRegister> printed(function_.reg_info().num_virtual_registers());
    for (unsigned i = 0; i < operands.size(); ++i) {
      if (operands[i].type == OperandType::kRegister) {
        const Register reg = function_.reg_info().CreateVirtualRegister(operands[i].reg_class);
        printed.emplace_back(operands[i].reg_class, i + 1);
        created.push_back(MachineOperand::CreateReg(reg, i < num_defs ? MachineOperand::kDefine : 0));
        const unsigned bits = target.reg_classes[operands[i].reg_class].bits;
        if (i == 0) sample.result_bits = bits;
        if (i >= num_defs) sample.sources.push_back({bits, true});
      } else {
        const unsigned bits = SourceBits(operation, i - num_defs);
        const int64_t value = Constant(operands[i], operation, bits);
        created.push_back(MachineOperand::CreateImm(value));
        sample.sources.push_back({bits == 0 ? 32 : bits, false, value});
      }
    }
    MachineInstr* const instr = function_.CreateInstr(opcode, created);
    ptx::TextBuffer text;
    ptx::PrintContext context;
    context.registers = printed;
    if (!ptx::PrintInstr(*instr, context, text).ok()) return std::nullopt;
    sample.text = std::string(text.view());
    return sample;
  }

  uint64_t Raw() { return values_.Raw(); }
  uint64_t Next() { return values_.Next(); }

  // Returns facts that hold for `value` and others.
  IntegerFacts FactsFor(unsigned bits, uint64_t value) {
    value &= IntegerFacts::LowMask(bits);
    const uint64_t other = Next() & IntegerFacts::LowMask(bits);
    const int64_t as_signed = IntegerFacts::SignExtend(value, bits);
    const int64_t other_signed = IntegerFacts::SignExtend(other, bits);
    const uint64_t known = Raw() & (Raw() | Raw());
    switch (Raw() % 7) {
      case 0:
        return IntegerFacts::Unknown(bits);
      case 1:
        return IntegerFacts::Exact(bits, value);
      case 2:
        return IntegerFacts::KnownBits(bits, ~value & known, value & known);
      case 3:
        return IntegerFacts::UnsignedRange(bits, std::min(value, other), std::max(value, other));
      case 4:
        return IntegerFacts::SignedRange(bits, std::min(as_signed, other_signed), std::max(as_signed, other_signed));
      case 5:
        return IntegerFacts::Exact(bits, value).JoinedWith(IntegerFacts::Exact(bits, other));
      default:
        return IntegerFacts::UnsignedRange(bits, std::min(value, other), std::max(value, other))
            .MetWith(IntegerFacts::KnownBits(bits, ~value & known, value & known));
    }
  }

  // Returns a value that the facts allow; `known_one` if no other is found.
  uint64_t ValueOf(const IntegerFacts& facts, uint64_t known_one) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      uint64_t value =
          attempt % 2 == 0
              ? Next()
              : facts.min + (facts.max == facts.min
                                 ? 0
                                 : Raw() % (facts.max - facts.min + 1 == 0 ? ~uint64_t{0} : facts.max - facts.min + 1));
      if (attempt == 6) value = facts.max;
      if (attempt == 7) value = facts.min;
      value = ((value & ~facts.zeros) | facts.ones) & facts.mask();
      if (facts.Allows(value)) return value;
    }
    return known_one;
  }

 private:
  int64_t Constant(const OperandDesc& operand, const IntegerOperation& operation, unsigned bits) {
    const auto role = static_cast<ptx::OperandRole>(operand.role);
    if (role == ptx::OperandRole::kCmp) {
      static constexpr int64_t kCodes[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11};
      return kCodes[Raw() % std::size(kCodes)];
    }
    if (role == ptx::OperandRole::kCvt) {
      return operation.op == IntegerOp::kConvertFloat ? 2 : Raw() % 2 == 0 ? 0 : 32;
    }
    if (role == ptx::OperandRole::kPrmt || role == ptx::OperandRole::kFtz) return 0;
    if (role == ptx::OperandRole::kHexu32) return static_cast<int64_t>(Raw() & 0xffff);
    const bool is_small = Raw() % 2 == 0;
    return is_small ? static_cast<int64_t>(Raw() % 70)
                    : IntegerFacts::SignExtend(Next(), bits == 0 ? 32 : std::max(bits, 2u));
  }

  Values values_;
  MachineFunction function_;
};

void CheckSample(Sampler& sampler, const Sample& sample, const IntegerOperation& operation, const Line& line) {
  std::vector<uint64_t> first(sample.sources.size());
  std::vector<IntegerFacts> facts;
  for (size_t i = 0; i < sample.sources.size(); ++i) {
    const Source& source = sample.sources[i];
    first[i] = source.is_register ? sampler.Next() & IntegerFacts::LowMask(source.bits)
                                  : static_cast<uint64_t>(source.constant);
    facts.push_back(source.is_register ? sampler.FactsFor(source.bits, first[i])
                                       : IntegerFacts::Exact(source.bits, first[i]));
    ASSERT_TRUE(facts.back().Allows(first[i])) << facts.back().ToString() << " of " << first[i];
  }
  std::vector<IntegerFacts> results;
  // The parts of an unpacked value that the instruction does not define are results of the statement, too.
  for (size_t i = 0; i < sample.num_results; ++i) {
    results.push_back(ComputeFacts(operation, static_cast<unsigned>(i), sample.result_bits, facts, 0));
  }
  for (int round = 0; round < 6; ++round) {
    std::vector<uint64_t> registers;
    std::string inputs;
    for (size_t i = 0; i < sample.sources.size(); ++i) {
      if (!sample.sources[i].is_register) continue;
      registers.push_back(round == 0 ? first[i] : sampler.ValueOf(facts[i], first[i]));
      StrAppend(&inputs, " ", registers.back(), " of ", facts[i].ToString(), ";");
    }
    const std::vector<uint64_t> values = line(registers);
    const size_t first_defined = operation.op == IntegerOp::kUnpackHigh ? values.size() - 1 : 0;
    for (size_t i = 0; i < results.size(); ++i) {
      const uint64_t value = values[first_defined + i];
      ASSERT_TRUE(results[i].Allows(value))
          << sample.text << inputs << " gives " << value << ", not in " << results[i].ToString();
    }
  }
}

TEST(IntegerTransferTest, ResultsAreAmongThoseThatFactsAllow) {
  Sampler sampler(1);
  int num_opcodes = 0;
  std::vector<std::string> skipped;
  for (Opcode opcode = 0; opcode < ptx::kNumOpcodes; ++opcode) {
    const IntegerOperation& operation = IntegerOperationOf(opcode);
    if (operation.op == IntegerOp::kNone || operation.op == IntegerOp::kLoad) continue;
    if (ptx::InstrInfo(opcode).address != ptx::PtxInstrInfo::kNoOperand) continue;
    bool is_checked = false;
    for (int round = 0; round < 10; ++round) {
      const auto sample = sampler.Make(opcode, operation);
      if (!sample.has_value()) break;
      const auto statements = ptx::ParseStatements(sample->text);
      if (!statements.ok() || statements->size() != 1) break;
      const Line line(sample->text);
      if (!line.ok()) break;
      is_checked = true;
      for (int i = 0; i < 8; ++i) {
        CheckSample(sampler, *sample, operation, line);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
    if (is_checked) {
      ++num_opcodes;
    } else {
      skipped.emplace_back(ptx::PtxTargetInfo().StableName(opcode));
    }
  }
  EXPECT_GE(num_opcodes, 400);
  // Unpacking takes several statements, constants of floats are no integers, and proxies have no PTX.
  for (const std::string& name : skipped) {
    const bool is_expected = name.starts_with("I32toI16") || name.starts_with("I64toI32") ||
                             name.starts_with("Proxy") || name.find("F16") != name.npos ||
                             name.find("F32") != name.npos || name.find("F64") != name.npos;
    EXPECT_TRUE(is_expected) << name;
  }
}

// The flags say that a result does not wrap around.
TEST(IntegerTransferTest, FlagsBoundResults) {
  const auto check = [](IntegerOp op, uint32_t flag, uint64_t a_max, uint64_t b_max, uint64_t least, uint64_t most) {
    const std::vector<IntegerFacts> sources = {IntegerFacts::UnsignedRange(32, 16, a_max),
                                               IntegerFacts::UnsignedRange(32, 1, b_max)};
    const IntegerFacts facts = ComputeFacts({.op = op, .bits = 32}, 0, 32, sources, flag);
    EXPECT_EQ(facts.min, least);
    EXPECT_EQ(facts.max, most);
  };
  check(IntegerOp::kAdd, 0, 0xffffffff, 1, 0, 0xffffffff);
  check(IntegerOp::kAdd, MachineInstr::kNoUWrap, 0xffffffff, 1, 17, 0xffffffff);
  check(IntegerOp::kAdd, MachineInstr::kNoSWrap, 0x7fffffff, 5, 17, 0x7fffffff);
  check(IntegerOp::kMulLo, MachineInstr::kNoUWrap, 0xffffffff, 7, 16, 0xffffffff);
  check(IntegerOp::kShl, MachineInstr::kNoUWrap, 0xffffffff, 4, 32, 0xfffffffe);
  check(IntegerOp::kSub, MachineInstr::kNoUWrap, 20, 18, 0, 19);
}

TEST(IntegerTransferTest, ComparisonsAreDecidedAndRefine) {
  Sampler sampler(2);
  static constexpr IntegerComparison kAll[] = {IntegerComparison::kEqual,
                                               IntegerComparison::kNotEqual,
                                               IntegerComparison::kLess,
                                               IntegerComparison::kLessEqual,
                                               IntegerComparison::kGreater,
                                               IntegerComparison::kGreaterEqual,
                                               IntegerComparison::kLessUnsigned,
                                               IntegerComparison::kLessEqualUnsigned,
                                               IntegerComparison::kGreaterUnsigned,
                                               IntegerComparison::kGreaterEqualUnsigned};
  const auto holds = [](IntegerComparison comparison, uint64_t a, uint64_t b) {
    const int64_t sa = IntegerFacts::SignExtend(a, 8), sb = IntegerFacts::SignExtend(b, 8);
    switch (comparison) {
      case IntegerComparison::kEqual:
        return a == b;
      case IntegerComparison::kNotEqual:
        return a != b;
      case IntegerComparison::kLess:
        return sa < sb;
      case IntegerComparison::kLessEqual:
        return sa <= sb;
      case IntegerComparison::kGreater:
        return sa > sb;
      case IntegerComparison::kGreaterEqual:
        return sa >= sb;
      case IntegerComparison::kLessUnsigned:
        return a < b;
      case IntegerComparison::kLessEqualUnsigned:
        return a <= b;
      case IntegerComparison::kGreaterUnsigned:
        return a > b;
      case IntegerComparison::kGreaterEqualUnsigned:
        return a >= b;
    }
    return false;
  };
  for (int round = 0; round < 300; ++round) {
    const IntegerFacts a = sampler.FactsFor(8, sampler.Raw());
    const IntegerFacts b = sampler.FactsFor(8, sampler.Raw());
    for (const IntegerComparison comparison : kAll) {
      const std::optional<bool> decided = Decide(comparison, a, b);
      const IntegerFacts refined = Refine(comparison, a, b);
      for (unsigned x = 0; x < 256; ++x) {
        for (unsigned y = 0; y < 256; ++y) {
          if (!a.Allows(x) || !b.Allows(y)) continue;
          const bool result = holds(comparison, x, y);
          EXPECT_EQ(holds(Inverted(comparison), x, y), !result);
          EXPECT_EQ(holds(Exchanged(comparison), y, x), result);
          ASSERT_TRUE(!decided.has_value() || *decided == result) << a.ToString() << " and " << b.ToString();
          ASSERT_TRUE(!result || refined.Allows(x)) << a.ToString() << " and " << b.ToString();
        }
      }
    }
  }
}

}  // namespace
}  // namespace ptxmir
