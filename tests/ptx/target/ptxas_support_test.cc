// SPDX-License-Identifier: Apache-2.0

// Asks ptxas whether a GPU and a PTX version have the instructions that the tables say they have. For each of them, the
// test prints every supported opcode with plain operands. ptxas rejects some for reasons that have nothing to do with
// the GPU (a number that must be a multiple of 8, a register that must be a constant). Only messages that blame the GPU
// or the PTX version are failures.

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/instr_printer.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"
#include "re2/re2.h"
#include "tests/parity/external_tools.h"

namespace ptxmir::ptx {
namespace {

constexpr int kRegistersOfAClass = 160;

class NoSymbols : public SymbolPrinter {
 public:
  void AppendGlobal(GlobalId, TextBuffer&) const override {}
  void AppendSymbol(SymbolId, TextBuffer&) const override {}
};

// Prints opcodes: operand N is register N of its class, or a number that suits its role.
class Printer {
 public:
  Printer() : function_(nullptr, PtxTargetInfo(), "f", 0) {
    for (const RegClassId reg_class : kVirtualRegisterClasses) {
      for (int i = 0; i < kRegistersOfAClass; ++i) {
        registers_[reg_class].push_back(function_.reg_info().CreateVirtualRegister(reg_class));
        printed_.push_back({reg_class, static_cast<uint32_t>(i + 1)});
      }
    }
  }

  // Returns the instruction in one line, or an empty string if it needs a symbol or a label or is a comment.
  std::string Print(Opcode opcode) {
    const TargetInfo& target = PtxTargetInfo();
    const absl::Span<const OperandDesc> descs = target.Operands(opcode);
    std::vector<MachineOperand> operands;
    for (unsigned i = 0; i < descs.size(); ++i) {
      const auto role = static_cast<OperandRole>(descs[i].role);
      if (NeedsSymbol(descs[i], role)) return "";
      operands.push_back(Make(opcode, descs[i], role, i));
    }
    TextBuffer text;
    const PrintContext context{printed_, &symbols_, 0, {}};
    if (!PrintInstr(*function_.CreateInstr(opcode, operands), context, text).ok()) return "";
    std::string line(text.view());
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line.find("//") == line.npos ? line : "";
  }

 private:
  static bool NeedsSymbol(const OperandDesc& desc, OperandRole role) {
    switch (role) {
      case OperandRole::kLabel:
      case OperandRole::kSymbol:
      case OperandRole::kCallee:
      case OperandRole::kProto:
      case OperandRole::kRetlist:
      case OperandRole::kParamlist:
      case OperandRole::kFunction:
        return true;
      case OperandRole::kHandle:
        return desc.type != OperandType::kRegister;
      default:
        return false;
    }
  }

  MachineOperand Reg(RegClassId reg_class, unsigned i, bool is_def) {
    return MachineOperand::CreateReg(registers_[reg_class][i], is_def ? MachineOperand::kDefine : 0);
  }

  MachineOperand Make(Opcode opcode, const OperandDesc& desc, OperandRole role, unsigned i) {
    const bool is_def = i < PtxTargetInfo().Get(opcode).num_defs;
    if (desc.type == OperandType::kRegister) {
      if (desc.reg_class != reg_class::kSpecialRegs) return Reg(desc.reg_class, i, is_def);
      return MachineOperand::CreateReg(Register::Physical(phys_reg::kEnvReg0));
    }
    if (i == InstrInfo(opcode).width) return MachineOperand::CreateImm(WidthOf(opcode));
    switch (role) {
      case OperandRole::kBase:
        return Reg(reg_class::kB64, i, false);
      case OperandRole::kRegimm:
      case OperandRole::kRegorsink:
        return Reg(reg_class::kB32, i, false);
      case OperandRole::kAddsp:
        return MachineOperand::CreateImm(1);
      case OperandRole::kUsedbytes:
        return MachineOperand::CreateImm(-1);
      case OperandRole::kCvt:
        return MachineOperand::CreateImm(5);
      case OperandRole::kMma:
        return MachineOperand::CreateImm(70);
      case OperandRole::kNone:
        return MachineOperand::CreateImm(1);
      default:
        return MachineOperand::CreateImm(0);
    }
  }

  // Returns the bits that an access can have: those of the registers that it loads, or 32.
  static int64_t WidthOf(Opcode opcode) {
    if (PtxTargetInfo().Get(opcode).num_defs == 0) return 32;
    return PtxTargetInfo().reg_classes[PtxTargetInfo().Operands(opcode)[0].reg_class].bits;
  }

  MachineFunction function_;
  NoSymbols symbols_;
  std::map<RegClassId, std::vector<Register>> registers_;
  std::vector<PrintedRegister> printed_;
};

// The opcodes whose messages are not about the GPU: the register must be a constant below 13.
bool IsExempt(Opcode opcode) {
  return opcode == op::TENSORMAP_REPLACE_TILE_ELEMTYPE_GLOBAL ||
         opcode == op::TENSORMAP_REPLACE_TILE_ELEMTYPE_SHARED_CTA;
}

struct Target {
  const char* cpu;
  std::vector<int> ptx_versions;
};

TEST(PtxasSupportTest, PtxasHasTheInstructionsOfTheTables) {
  const std::string ptxas = testing::FindPtxas();
  if (ptxas.empty()) GTEST_SKIP() << "ptxas is not on PATH";
  const std::vector<Target> targets = {
      {"sm_75", {63, 65, 70}}, {"sm_80", {70, 74, 78, 83}}, {"sm_89", {81, 84, 87}},       {"sm_90", {78, 80, 86}},
      {"sm_90a", {80, 86}},    {"sm_100", {86, 88}},        {"sm_100a", {86, 87, 88, 90}}, {"sm_100f", {88}},
      {"sm_103a", {88}},       {"sm_110a", {90}},           {"sm_120a", {87, 88}},         {"sm_120f", {88}},
      {"sm_121a", {88}},
  };
  Printer printer;
  std::map<Opcode, std::string> lines;
  for (int i = op::CONVERGENCECTRL_GLUE + 1; i < kNumOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    if (PtxTargetInfo().Get(opcode).Has(InstrFlag::kPreIsel | InstrFlag::kTerminator) || IsExempt(opcode)) continue;
    if (std::string line = printer.Print(opcode); !line.empty()) lines[opcode] = std::move(line);
  }
  EXPECT_GT(lines.size(), 5300u);
  // "ptxas FILE, line 12; error   : Feature ... requires .target sm_80 or higher"
  const RE2 message(R"(line (\d+); (?:error|fatal)\s*: (.*))");
  const RE2 blames_target(
      R"(requires (\.target|PTX ISA)|not supported (on|for) \.target|not supported starting from PTX)");
  size_t compared = 0;
  for (const Target& target : targets) {
    for (const int version : target.ptx_versions) {
      const Subtarget subtarget = *Subtarget::Create(target.cpu, StrCat("+ptx", version));
      const std::string name = StrCat(target.cpu, " with PTX ", subtarget.ptx_version_text());
      std::string ptx = StrCat(".version ", subtarget.ptx_version_text(), "\n.target ", target.cpu,
                               "\n.address_size 64\n.visible .entry f() {\n.reg .pred %p<200>; .reg .b16 %rs<200>; "
                               ".reg .b32 %r<200>; .reg .b64 %rd<200>;");
      if (version >= 83) ptx += " .reg .b128 %rq<200>;";
      ptx += "\n";
      std::vector<Opcode> opcodes(6);  // by line, from 1
      for (const auto& [opcode, line] : lines) {
        if (!subtarget.Supports(opcode)) continue;
        StrAppend(&ptx, "{ ", line, " }\n");
        opcodes.push_back(opcode);
      }
      ptx += "ret;\n}\n";
      const std::string path = testing::TemporaryPath("supported.ptx");
      testing::WriteFile(path, ptx);
      std::string output;
      testing::RunCommand({ptxas, StrCat("-arch=", target.cpu), path, "-o", "/dev/null"}, output);
      ASSERT_FALSE(output.empty()) << name << ": some instructions are always rejected";
      for (const absl::string_view row : absl::StrSplit(output, '\n')) {
        int number = 0;
        std::string what;
        if (!RE2::PartialMatch(std::string(row), message, &number, &what)) continue;
        // A line that ptxas cannot parse hides all others.
        const bool is_instr = number >= 6 && number < static_cast<int>(opcodes.size());
        EXPECT_EQ(what.find("syntax error"), what.npos)
            << name << ": " << (is_instr ? PtxTargetInfo().StableName(opcodes[number]) : "") << ": " << row;
        if (!is_instr) continue;
        EXPECT_FALSE(RE2::PartialMatch(what, blames_target))
            << name << ": " << PtxTargetInfo().StableName(opcodes[number]) << ": " << what;
      }
      compared += opcodes.size() - 6;
    }
  }
  RecordProperty("instructions_compared", static_cast<int>(compared));
}

}  // namespace
}  // namespace ptxmir::ptx
