// SPDX-License-Identifier: Apache-2.0

// Prints every opcode with random operands and compares the text with that of llc-22.
//
// Each round makes one instruction of every printable opcode except the five branches, which need a control-flow
// graph, and applypriority. It prints the instruction here and writes it as MIR for llc. llc prints it from
// -start-after=stack-frame-layout, so only llc's printer is involved. Lines are compared after dropping comments
// and runs of blanks. Without llc-22 the comparison is skipped. Opcodes that LLVM does not have (own_opcodes.h) are
// only printed.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_printer.h"
#include "ptx/target/ptx_target.h"
#include "tests/parity/external_tools.h"
#include "tests/ptx/isa/own_opcodes.h"

namespace ptxmir::ptx {
namespace {

constexpr int kRounds = 40;
constexpr int kRegistersOfAClass = 12;

// Symbols are printed unchanged. The test uses only names that PTX can spell.
class PlainSymbols : public SymbolPrinter {
 public:
  explicit PlainSymbols(const MachineFunction& function) : function_(function) {}
  void AppendGlobal(GlobalId, TextBuffer& out) const override { out.Append("gv"); }
  void AppendSymbol(SymbolId symbol, TextBuffer& out) const override { out.Append(function_.symbol(symbol)); }

 private:
  const MachineFunction& function_;
};

// Makes random instructions, both as MachineInstrs and as MIR text.
class InstrMaker {
 public:
  InstrMaker(MachineFunction& function, uint32_t seed) : function_(function), random_(seed) {
    for (RegClassId reg_class : kVirtualRegisterClasses) {
      for (int i = 0; i < kRegistersOfAClass; ++i) {
        registers_[reg_class].push_back(function.reg_info().CreateVirtualRegister(reg_class));
        printed_.push_back({reg_class, static_cast<uint32_t>(i + 1)});
      }
    }
  }

  const std::vector<PrintedRegister>& printed() const { return printed_; }

  // llc numbers only registers that occur, so all of them are defined first.
  std::string Definitions() const {
    std::string out;
    for (RegClassId reg_class : kVirtualRegisterClasses) {
      for (Register reg : registers_.at(reg_class)) {
        StrAppend(&out, "    %", reg.virtual_index(), ":", PtxTargetInfo().reg_classes[reg_class].name,
                  " = IMPLICIT_DEF\n");
      }
    }
    return out;
  }

  MachineInstr* Make(Opcode opcode, std::string& mir) {
    const TargetInfo& target = PtxTargetInfo();
    const InstrDesc& desc = target.Get(opcode);
    std::vector<MachineOperand> operands;
    StrAppend(&mir, "    ");
    for (unsigned i = 0; i < desc.num_operands; ++i) {
      const OperandDesc& operand = target.Operands(opcode)[i];
      if (i == desc.num_defs) StrAppend(&mir, i == 0 ? "" : " = ", target.Name(opcode), " ");
      if (i != 0 && i != desc.num_defs) StrAppend(&mir, ", ");
      const bool is_def = i < desc.num_defs;
      operands.push_back(MakeOperand(opcode, operand, is_def, mir));
    }
    if (desc.num_operands == desc.num_defs) {
      StrAppend(&mir, desc.num_defs == 0 ? "" : " = ", target.Name(opcode));
    }
    StrAppend(&mir, "\n");
    return function_.CreateInstr(opcode, operands);
  }

 private:
  int64_t Number(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  int64_t OneOf(std::initializer_list<int64_t> values) {
    return *(values.begin() + Number(0, static_cast<int64_t>(values.size()) - 1));
  }

  MachineOperand Imm(int64_t value, std::string& mir) {
    StrAppend(&mir, value);
    return MachineOperand::CreateImm(value);
  }
  MachineOperand Reg(RegClassId reg_class, bool is_def, std::string& mir) {
    const Register reg = registers_[reg_class][Number(0, kRegistersOfAClass - 1)];
    StrAppend(&mir, "%", reg.virtual_index());
    if (is_def) StrAppend(&mir, ":", PtxTargetInfo().reg_classes[reg_class].name);
    return MachineOperand::CreateReg(reg, is_def ? MachineOperand::kDefine : 0);
  }
  MachineOperand Symbol(std::string& mir) {
    if (Number(0, 1) == 0) {
      StrAppend(&mir, "@gv");
      return MachineOperand::CreateGlobal(0);
    }
    const std::string name = StrCat("f_param_", Number(0, 9));
    StrAppend(&mir, "&", name);
    return MachineOperand::CreateExternalSymbol(function_.InternSymbol(name));
  }
  MachineOperand FloatingPoint(std::string& mir) {
    char text[40];
    switch (Number(0, 3)) {
      case 0: {
        const uint64_t bits = static_cast<uint64_t>(Number(0, 0xffff));
        std::snprintf(text, sizeof text, "half 0xH%04X", static_cast<unsigned>(bits));
        mir += text;
        return MachineOperand::CreateFPImm(MachineOperand::FPWidth::kHalf, bits);
      }
      case 1: {
        const uint64_t bits = static_cast<uint64_t>(Number(0, 0xffff));
        std::snprintf(text, sizeof text, "bfloat 0xR%04X", static_cast<unsigned>(bits));
        mir += text;
        return MachineOperand::CreateFPImm(MachineOperand::FPWidth::kBFloat, bits);
      }
      case 2: {
        const float value = static_cast<float>(Number(-1000000, 1000000)) / 1024.0f;
        std::snprintf(text, sizeof text, "float 0x%016llX",
                      static_cast<unsigned long long>(std::bit_cast<uint64_t>(static_cast<double>(value))));
        mir += text;
        return MachineOperand::CreateFPImm(MachineOperand::FPWidth::kFloat, std::bit_cast<uint32_t>(value));
      }
      default: {
        const double value = static_cast<double>(Number(-1000000, 1000000)) / 7.0;
        std::snprintf(text, sizeof text, "double 0x%016llX",
                      static_cast<unsigned long long>(std::bit_cast<uint64_t>(value)));
        mir += text;
        return MachineOperand::CreateFPImm(MachineOperand::FPWidth::kDouble, std::bit_cast<uint64_t>(value));
      }
    }
  }
  MachineOperand Value(bool may_sink, std::string& mir) {
    switch (Number(0, 3)) {
      case 0:
        return Imm(Number(-100000, 100000), mir);
      case 1:
        return FloatingPoint(mir);
      case 2:
        if (may_sink) {
          StrAppend(&mir, "$noreg");
          return MachineOperand::CreateReg(Register());
        }
        [[fallthrough]];
      default:
        return Reg(kVirtualRegisterClasses[Number(1, 4)], false, mir);
    }
  }

  MachineOperand MakeOperand(Opcode opcode, const OperandDesc& operand, bool is_def, std::string& mir) {
    switch (static_cast<OperandRole>(operand.role)) {
      case OperandRole::kBase:
        return Number(0, 3) == 0 ? Symbol(mir) : Reg(reg_class::kB64, false, mir);
      case OperandRole::kOff:
        return Imm(OneOf({0, 0, 4, -4, 128, 65536}), mir);
      case OperandRole::kOrdering:
        return Imm(OneOf({0, 2, 4, 5, 6, 8, 9}), mir);
      case OperandRole::kScope:
        return Imm(Number(0, 5), mir);
      case OperandRole::kAddsp:
        return Imm(OneOf({0, 1, 3, 4, 5, 7, 101}), mir);
      case OperandRole::kSign:
        return Imm(Number(0, 3), mir);
      case OperandRole::kUsedbytes:
        return Imm(OneOf({-1, 15, 4294967295, 3855}), mir);
      case OperandRole::kCmp: {
        const bool integer = PtxTargetInfo().Name(opcode).substr(0, 6) == "SETP_i";
        return integer ? Imm(OneOf({0, 1, 2, 3, 4, 5, 8, 9, 10, 11}), mir) : Imm(Number(0, 13), mir);
      }
      case OperandRole::kCvt:
        return Imm(Number(0, 10) | 16 * Number(0, 7), mir);
      case OperandRole::kFtz:
        return Imm(Number(0, 1), mir);
      case OperandRole::kPrmt:
        return Imm(Number(0, 6), mir);
      case OperandRole::kHexu32:
        return Imm(OneOf({0, 1, 0x3210, -1, 0x7654, 4294967295}), mir);
      case OperandRole::kTmared:
        return Imm(Number(0, 7), mir);
      case OperandRole::kCtagroup:
        return Imm(Number(0, 2), mir);
      case OperandRole::kMma:
        return Imm(OneOf({60, 62, 63, 64, 70, 86}), mir);
      case OperandRole::kRegimm:
        return Value(false, mir);
      case OperandRole::kRegorsink:
        return Value(true, mir);
      case OperandRole::kSymbol:
        if (operand.type == OperandType::kRegister) return Reg(operand.reg_class, is_def, mir);
        return Symbol(mir);
      case OperandRole::kCallee:
        return Number(0, 1) == 0 ? Symbol(mir) : Reg(reg_class::kB64, false, mir);
      case OperandRole::kProto: {
        StrAppend(&mir, "&\"prototype_7 : .callprototype (.param .b32 _) _ ();\"");
        return MachineOperand::CreateExternalSymbol(
            function_.InternSymbol("prototype_7 : .callprototype (.param .b32 _) _ ();"));
      }
      case OperandRole::kRetlist:
        return Imm(Number(0, 1), mir);
      case OperandRole::kParamlist:
        return Imm(Number(0, 4), mir);
      case OperandRole::kFunction:
        return Imm(Number(0, 20), mir);
      default:
        break;
    }
    if (operand.type == OperandType::kRegister) {
      if (operand.reg_class != reg_class::kSpecialRegs) return Reg(operand.reg_class, is_def, mir);
      const int n = static_cast<int>(Number(0, 31));
      StrAppend(&mir, "$envreg", n);
      return MachineOperand::CreateReg(Register::Physical(phys_reg::kEnvReg0 + n));
    }
    if (static_cast<OperandRole>(operand.role) == OperandRole::kHandle && Number(0, 1) == 0) return Symbol(mir);
    // MIR has no 64-bit unsigned numbers. The printer takes any signed one.
    return Imm(OneOf({Number(-16, 64), Number(INT32_MIN, INT32_MAX), Number(INT64_MIN, INT64_MAX)}), mir);
  }

  MachineFunction& function_;
  std::mt19937 random_;
  std::map<RegClassId, std::vector<Register>> registers_;
  std::vector<PrintedRegister> printed_;
};

// Returns the opcodes that are printed: those that the comparison covers, or those that LLVM does not have.
std::vector<Opcode> PrintedOpcodes(bool own) {
  std::vector<Opcode> opcodes;
  for (int i = op::CONVERGENCECTRL_GLUE + 1; i < kNumOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const InstrDesc& desc = PtxTargetInfo().Get(opcode);
    if (desc.Has(InstrFlag::kBranch | InstrFlag::kPreIsel) || opcode == op::Return) continue;
    // llc does not read what its own selection makes of these: a number where its table has a register.
    if (opcode == op::APPLYPRIORITY_L2_EVICT_NORMAL || opcode == op::APPLYPRIORITY_GLOBAL_L2_EVICT_NORMAL) continue;
    if (IsOwnOpcode(PtxTargetInfo().Name(opcode)) == own) opcodes.push_back(opcode);
  }
  return opcodes;
}

// Returns the lines without comments, with collapsed blanks, and without empty lines.
std::vector<std::string> Normalize(std::string_view text) {
  std::vector<std::string> lines;
  std::string line;
  bool blank = false;
  auto finish = [&] {
    if (const size_t comment = line.find("//"); comment != std::string::npos) line.resize(comment);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) lines.push_back(line);
    line.clear();
    blank = false;
  };
  for (char c : text) {
    if (c == '\n') {
      finish();
    } else if (c == ' ' || c == '\t') {
      blank = true;
    } else {
      if (blank && !line.empty()) line.push_back(' ');
      blank = false;
      line.push_back(c);
    }
  }
  finish();
  return lines;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Returns the instructions of llc's function body: the lines between the `.reg` lines and the closing brace.
std::vector<std::string> BodyOf(const std::string& ptx) {
  std::vector<std::string> all = Normalize(ptx);
  size_t begin = 0;
  for (size_t i = 0; i < all.size() && i < 200; ++i) {
    if (all[i].rfind(".reg .b128 %rq<", 0) == 0) begin = i + 1;
  }
  if (!all.empty()) all.pop_back();  // }
  if (!all.empty()) all.pop_back();  // ret;
  return std::vector<std::string>(all.begin() + std::min(begin, all.size()), all.end());
}

TEST(LlcParityTest, EveryOpcodePrintsAsLlcPrintsIt) {
  const bool have_llc = !testing::FindLlc().empty();
  const std::vector<Opcode> opcodes = PrintedOpcodes(/*own=*/false);
  EXPECT_EQ(opcodes.size(), 6295u) << "an opcode that LLVM 22 does not have must be in tests/ptx/isa/own_opcodes.h";
  const char* tmp = std::getenv("TEST_TMPDIR");
  const std::string base = StrCat(tmp == nullptr ? "/tmp" : tmp, "/llc_parity");
  size_t compared = 0;
  for (int round = 0; round < kRounds; ++round) {
    MachineFunction function(nullptr, PtxTargetInfo(), "f", 0);
    InstrMaker maker(function, static_cast<uint32_t>(round));
    PlainSymbols symbols(function);
    const PrintContext context{maker.printed(), &symbols, 0, {}};
    TextBuffer text;
    std::string mir = maker.Definitions();
    for (Opcode opcode : opcodes) {
      MachineInstr* instr = maker.Make(opcode, mir);
      const absl::Status status = PrintInstr(*instr, context, text);
      ASSERT_TRUE(status.ok()) << status.message();
    }
    if (!have_llc) continue;

    std::ofstream(base + ".mir") << "--- |\n  target triple = \"nvptx64-nvidia-cuda\"\n"
                                    "  @gv = external addrspace(1) global [64 x i32]\n"
                                    "  define void @f() { ret void }\n...\n---\nname: f\nbody: |\n  bb.0:\n"
                                 << mir << "    Return\n...\n";
    const std::string command = StrCat("llc-22 -mtriple=nvptx64 -mcpu=sm_100a -start-after=stack-frame-layout ", base,
                                       ".mir -o ", base, ".ptx 2> ", base, ".err");
    ASSERT_EQ(std::system(command.c_str()), 0) << ReadFile(base + ".err").substr(0, 2000);
    const std::vector<std::string> theirs = BodyOf(ReadFile(base + ".ptx"));
    const std::vector<std::string> ours = Normalize(text.view());
    for (size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
      ASSERT_EQ(ours[i], theirs[i]) << "round " << round << ", line " << i;
    }
    ASSERT_EQ(ours.size(), theirs.size());
    compared += opcodes.size();
  }
  if (!have_llc) GTEST_SKIP() << "llc-22 is not on PATH: printed every opcode, compared none";
  RecordProperty("instructions_compared", static_cast<int>(compared));
}

TEST(LlcParityTest, OwnOpcodesPrint) {
  MachineFunction function(nullptr, PtxTargetInfo(), "f", 0);
  InstrMaker maker(function, /*seed=*/0);
  PlainSymbols symbols(function);
  const PrintContext context{maker.printed(), &symbols, 0, {}};
  for (const Opcode opcode : PrintedOpcodes(/*own=*/true)) {
    for (int round = 0; round < kRounds; ++round) {
      std::string mir;
      TextBuffer text;
      const absl::Status status = PrintInstr(*maker.Make(opcode, mir), context, text);
      EXPECT_TRUE(status.ok()) << mir << status.message();
    }
  }
}

}  // namespace
}  // namespace ptxmir::ptx
