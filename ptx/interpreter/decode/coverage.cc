// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/decode/coverage.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "mir/code/machine_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/semantics/semantics_table.h"
#include "ptx/isa/isa_enums.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/instr_printer.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

// Bases that decoding handles itself (decoder.cc), without semantics.
constexpr std::string_view kControl[] = {"bra",    "brx",       "call",        "ret",        "exit",
                                         "trap",   "brkpt",     "pmevent",     "setmaxnreg", "nanosleep",
                                         "alloca", "stacksave", "stackrestore"};

class SampleSymbols : public SymbolPrinter {
 public:
  void AppendGlobal(GlobalId, TextBuffer& out) const override { out.Append("symbol"); }
  void AppendSymbol(SymbolId, TextBuffer& out) const override { out.Append("symbol"); }
};

// Returns sample values for a modifier operand. Some opcodes accept only few of them.
absl::Span<const int64_t> Samples(OperandRole role) {
  // Rounding to nearest, toward zero, up, to nearest away, stochastic; none; to an integer.
  static constexpr int64_t kCvt[] = {5, 6, 8, 9, 10, 0, 2};
  static constexpr int64_t kAddressSpace[] = {address_space::kGeneric, address_space::kGlobal, address_space::kShared,
                                              address_space::kParam};
  static constexpr int64_t kUsedBytes[] = {-1};
  static constexpr int64_t kMmaVersion[] = {70};
  static constexpr int64_t kComparison[] = {2};
  static constexpr int64_t kOthers[] = {0, 1, 2};
  switch (role) {
    case OperandRole::kCvt:
      return kCvt;
    case OperandRole::kAddsp:
      return kAddressSpace;
    case OperandRole::kUsedbytes:
      return kUsedBytes;
    case OperandRole::kMma:
      return kMmaVersion;
    case OperandRole::kCmp:
      return kComparison;
    default:
      return kOthers;
  }
}

// Prints and resolves one opcode after another.
class Sampler {
 public:
  Sampler() : function_(nullptr, PtxTargetInfo(), "sample", 0), symbol_(function_.InternSymbol("symbol")) {
    for (RegClassId reg_class : kVirtualRegisterClasses) {
      registers_[reg_class] = function_.reg_info().CreateVirtualRegister(reg_class);
      printed_.push_back({reg_class, 1});
    }
    context_.registers = printed_;
    context_.symbols = &symbols_;
  }

  OpcodeCoverage Try(Opcode opcode) {
    OpcodeCoverage result;
    constexpr unsigned kVariants = 7;
    for (unsigned variant = 0; variant < kVariants; ++variant) {
      OpcodeCoverage attempt = TryVariant(opcode, variant);
      if (attempt.state == OpcodeCoverage::State::kCovered) return attempt;
      if (result.reason.empty()) result = std::move(attempt);
    }
    return result;
  }

 private:
  MachineOperand SampleOperand(const OperandDesc& operand, unsigned variant) {
    const auto role = static_cast<OperandRole>(operand.role);
    if (operand.type == OperandType::kRegister) {
      if (operand.reg_class == reg_class::kSpecialRegs)
        return MachineOperand::CreateReg(Register::Physical(phys_reg::kEnvReg0));
      return MachineOperand::CreateReg(registers_[operand.reg_class]);
    }
    switch (role) {
      case OperandRole::kBase:
        return MachineOperand::CreateReg(registers_[reg_class::kB64]);
      case OperandRole::kRegimm:
      case OperandRole::kRegorsink:
        return MachineOperand::CreateReg(registers_[reg_class::kB32]);
      case OperandRole::kSymbol:
      case OperandRole::kCallee:
      case OperandRole::kProto:
        return MachineOperand::CreateExternalSymbol(symbol_);
      case OperandRole::kLabel:
        return MachineOperand::CreateBlock(0);
      case OperandRole::kOff:
        return MachineOperand::CreateImm(0);
      default:
        break;
    }
    if (operand.type == OperandType::kImmediate) {
      // The width of an access, or an arbitrary number.
      return MachineOperand::CreateImm(role == OperandRole::kNone ? 32 : 16);
    }
    const absl::Span<const int64_t> samples = Samples(role);
    return MachineOperand::CreateImm(samples[variant % samples.size()]);
  }

  OpcodeCoverage TryVariant(Opcode opcode, unsigned variant) {
    std::vector<MachineOperand> operands;
    for (const OperandDesc& operand : PtxTargetInfo().Operands(opcode))
      operands.push_back(SampleOperand(operand, variant));
    text_.Clear();
    const MachineInstr* instr = function_.CreateInstr(opcode, operands);
    if (!PrintInstr(*instr, context_, text_).ok()) return {};
    const absl::StatusOr<std::vector<Statement>> statements = ParseStatements(text_.view());
    if (!statements.ok()) return {OpcodeCoverage::State::kMissing, std::string(statements.status().message())};
    OpcodeCoverage result;
    for (const Statement& statement : *statements) {
      if (statement.kind != Statement::Kind::kInstruction) continue;
      if (!IsCovered(statement)) {
        return {OpcodeCoverage::State::kMissing, StrCat("no semantics for '", statement.mnemonic.text(), "'")};
      }
      result.state = OpcodeCoverage::State::kCovered;
    }
    return result;
  }

  static bool IsCovered(const Statement& statement) {
    const std::string_view base = statement.mnemonic.base();
    if (std::find(std::begin(kControl), std::end(kControl), base) != std::end(kControl)) return true;
    // Symbols are values of their own, which the decoder handles.
    if (base == "mov" && statement.operands.size() == 2 &&
        statement.operands[1].kind == StatementOperand::Kind::kSymbol) {
      return true;
    }
    Semantics semantics;
    return ResolveSemantics(statement, &semantics).ok();
  }

  MachineFunction function_;
  SymbolId symbol_;
  SampleSymbols symbols_;
  Register registers_[16];
  std::vector<PrintedRegister> printed_;
  PrintContext context_;
  TextBuffer text_;
};

// Returns true for debug values and the like. They print only comments; PTX has no instruction for them.
bool IsMeta(Opcode opcode) {
  return PtxTargetInfo().Get(opcode).Has(InstrFlag::kMeta | InstrFlag::kPseudo | InstrFlag::kPreIsel);
}

// Returns true for parts of a construct that makes sense only as a whole. The decoder reads these machine
// instructions, not their text.
bool IsPartOfWhole(Family family) { return family == Family::kBranchBrx || family == Family::kCallPseudo; }

OpcodeCoverage Measure(Opcode opcode, Sampler& sampler) {
  if (IsMeta(opcode)) return {};
  if (IsPartOfWhole(InstrInfo(opcode).family)) return {OpcodeCoverage::State::kCovered, ""};
  return sampler.Try(opcode);
}

}  // namespace

OpcodeCoverage CoverageOf(Opcode opcode) {
  Sampler sampler;
  return Measure(opcode, sampler);
}

IsaCoverage MeasureIsaCoverage() {
  IsaCoverage coverage;
  Sampler sampler;
  for (int i = 0; i < kNumOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const OpcodeCoverage state = Measure(opcode, sampler);
    if (state.state == OpcodeCoverage::State::kNothingToExecute) continue;
    const std::string_view name = FamilyName(InstrInfo(opcode).family);
    auto family = std::find_if(coverage.families.begin(), coverage.families.end(),
                               [&](const IsaCoverage::Family& f) { return f.name == name; });
    if (family == coverage.families.end()) family = coverage.families.insert(family, {name});
    const bool covered = state.state == OpcodeCoverage::State::kCovered;
    ++family->opcodes;
    ++coverage.opcodes;
    family->covered += covered;
    coverage.covered += covered;
    if (!covered) coverage.missing.push_back(opcode);
  }
  return coverage;
}

std::string IsaCoverageText(const IsaCoverage& coverage) {
  std::string out = StrCat(coverage.covered, " of ", coverage.opcodes, " opcodes have semantics\n\n");
  for (const IsaCoverage::Family& family : coverage.families)
    absl::StrAppendFormat(&out, "%5d of %5d  %s\n", family.covered, family.opcodes, std::string(family.name));
  if (!coverage.missing.empty()) out += "\nwithout semantics:\n";
  for (Opcode opcode : coverage.missing)
    StrAppend(&out, "  ", PtxTargetInfo().StableName(opcode), "  (", FamilyName(InstrInfo(opcode).family), ")\n");
  return out;
}

}  // namespace ptxmir::ptx
