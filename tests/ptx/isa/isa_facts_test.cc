// SPDX-License-Identifier: Apache-2.0

// Checks that the tables expand to LLVM 22's facts, family by family, against llvm22_families.tsv. The facts are
// extracted from the generated descriptors and byte code, so this checks the generator, too.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/template_code.h"
#include "ptx/target/isa_tables.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

uint64_t Fnv1a(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

// LLVM's names of modifiers, in byte-code order.
const char* const kModifierNames[] = {
    "cmp.FCmp",     "cmp.ICmp",       "cmp.IType", "cvt.base",    "cvt.ftz", "cvt.sat",  "cvt.relu",  "atom.sem",
    "atom.scope",   "atom.addsp",     "atom.sign", "mma.aligned", "ftz",     "ctagroup", "prmt",      "tmared",
    "call.RetList", "call.ParamList", "hexu32",    "usedbytes",   "addr",    "addr.add", "regorsink", "proto",
};

std::string Operand(const OperandDesc& operand, bool is_def) {
  std::string out = is_def ? "=" : "";
  switch (operand.type) {
    case OperandType::kUnknown:
      out += "unknown";
      break;
    case OperandType::kImmediate:
      out += "imm";
      break;
    case OperandType::kRegister:
      out += operand.reg_class == kNoRegClass ? "reg" : kRegisterClasses[operand.reg_class].isa_name;
      break;
  }
  if (operand.tied_to >= 0) StrAppend(&out, "@tied", operand.tied_to);
  if (operand.role != 0) StrAppend(&out, "/", OperandRoleName(static_cast<OperandRole>(operand.role)));
  return out;
}

std::string Flags(uint32_t flags) {
  static const char* const kNames[] = {
      "return",           "branch",     "indirectBranch", "barrier",     "terminator", "call",    "convergent",
      "notDuplicable",    "mayLoad",    "mayStore",       "sideEffects", "moveImm",    "moveReg", "cheapAsAMove",
      "rematerializable", "commutable", "variadic",       "pseudo",      "meta",       "preISel"};
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) {
    if ((flags >> i & 1) != 0) names.push_back(kNames[i]);
  }
  std::sort(names.begin(), names.end());
  std::string out;
  for (const std::string& name : names) StrAppend(&out, out.empty() ? "" : ",", name);
  return out.empty() ? "-" : out;
}

std::string OperandReference(uint8_t op, unsigned operand) {
  if (op == isa::kPlainOp) return StrCat("$", operand);
  return StrCat("${", operand, ":", kModifierNames[op - isa::kFirstModifierOp], "}");
}

std::string Template(Opcode opcode) {
  const uint32_t start = InstrInfo(opcode).template_code;
  if (start == 0) return "!unprintable";
  const uint8_t* code = reinterpret_cast<const uint8_t*>(isa::kTemplateCode) + start;
  std::string out;
  while (*code != isa::kEndOp) {
    const uint8_t op = *code++;
    if (op < isa::kPlainOp) {
      for (int i = 0; i < op; ++i) {
        const char c = static_cast<char>(*code++);
        out += c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '$' ? "$$" : std::string(1, c);
      }
    } else if (op == isa::kTailOp) {
      code = reinterpret_cast<const uint8_t*>(isa::kTemplateCode) + isa::TailOffset(code);
    } else if (op == isa::kListOp) {
      for (unsigned i = 0; i < code[2]; ++i) {
        StrAppend(&out, i == 0 ? "" : ", ", OperandReference(code[0], code[1] + i));
      }
      code += 3;
    } else {
      out += OperandReference(op, *code++);
    }
  }
  return out;
}

std::string Facts(Opcode opcode) {
  const TargetInfo& target = PtxTargetInfo();
  const InstrDesc& desc = target.Get(opcode);
  std::string out(target.Name(opcode));
  if (FamilyName(InstrInfo(opcode).family) == "gisel") return out;
  std::string operands;
  for (unsigned i = 0; i < desc.num_operands; ++i) {
    StrAppend(&operands, i == 0 ? "" : " ", Operand(target.Operands(opcode)[i], i < desc.num_defs));
  }
  StrAppend(&out, "\t", desc.num_defs, "\t", operands.empty() ? "-" : operands, "\t", Flags(desc.flags), "\t",
            Template(opcode));
  return out;
}

TEST(IsaFactsTest, FamiliesExpandToLlvmsFacts) {
  struct Family {
    int count = 0;
    uint64_t hash = 0;
  };
  std::map<std::string, Family> expected, actual;
  std::ifstream in("tests/ptx/isa/llvm22_families.tsv");
  ASSERT_TRUE(in) << "llvm22_families.tsv is missing";
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string name;
    Family family;
    fields >> name >> family.count >> std::hex >> family.hash;
    expected[name] = family;
  }
  for (int i = 0; i < kNumOpcodes; ++i) {
    Family& family = actual[std::string(FamilyName(InstrInfo(static_cast<Opcode>(i)).family))];
    ++family.count;
    family.hash += Fnv1a(Facts(static_cast<Opcode>(i)));
  }
  int opcodes = 0;
  for (const auto& [name, family] : expected) {
    ASSERT_TRUE(actual.contains(name)) << "no family " << name;
    EXPECT_EQ(actual[name].count, family.count) << name;
    EXPECT_EQ(actual[name].hash, family.hash)
        << "family " << name << " differs; compare `generate_isa --dump` with the facts";
    opcodes += family.count;
  }
  for (const auto& [name, family] : actual) {
    char hash[20];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(family.hash));
    EXPECT_TRUE(expected.contains(name)) << "unknown family; its line would be\n"
                                         << name << "\t" << family.count << "\t" << hash;
  }
  EXPECT_EQ(opcodes, kNumOpcodes);
}

TEST(IsaFactsTest, FactsReadAsExpected) {
  EXPECT_EQ(Facts(op::ADD32ri), "ADD32ri\t1\t=B32 B32 imm\t-\t\\tadd.s32 \\t$0, $1, $2;");
  EXPECT_EQ(Facts(op::LD_i32),
            "LD_i32\t1\t=B32 unknown/sem unknown/scope unknown/addsp unknown/sign imm unknown/usedbytes "
            "unknown/base unknown/off\tmayLoad\t"
            "\\t${6:usedbytes}ld${1:atom.sem}${2:atom.scope}${3:atom.addsp}.${4:atom.sign}$5 \\t$0, [${7:addr}];");
  EXPECT_EQ(Facts(op::INSERT_SUBREG), "INSERT_SUBREG\t1\t=unknown unknown@tied0 unknown imm\tpseudo\t!unprintable");
}

}  // namespace
}  // namespace ptxmir::ptx
