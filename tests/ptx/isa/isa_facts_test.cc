// SPDX-License-Identifier: Apache-2.0

// Checks that the tables expand to LLVM 22's facts: the names of opcodes, their operands and their flags, against
// llvm22_opcodes.txt. The facts are extracted from the generated descriptors, so this checks the generator, too. What
// opcodes print is compared with llc (llc_parity_test.cc).

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/template_code.h"
#include "ptx/target/isa_tables.h"
#include "ptx/target/ptx_target.h"
#include "tests/ptx/isa/own_opcodes.h"

namespace ptxmir::ptx {
namespace {

constexpr std::string_view kGlobalISel = "GlobalISel";

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
  return out;
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

// Returns the facts about an opcode as llvm22_opcodes.txt spells them.
std::string Facts(Opcode opcode) {
  if (InstrInfo(opcode).family == Family::kGisel) return std::string(kGlobalISel);
  const TargetInfo& target = PtxTargetInfo();
  const InstrDesc& desc = target.Get(opcode);
  std::string out;
  for (unsigned i = 0; i < desc.num_operands; ++i) {
    StrAppend(&out, i == 0 ? "" : " ", Operand(target.Operands(opcode)[i], i < desc.num_defs));
  }
  const std::string flags = Flags(desc.flags);
  StrAppend(&out, out.empty() ? "no operands |" : " |", flags.empty() ? "" : " ", flags);
  return out;
}

// Reads llvm22_opcodes.txt: facts by the names of opcodes.
std::map<std::string, std::string> ReadLlvmFacts() {
  std::map<std::string, std::string> facts_of;
  std::ifstream in("tests/ptx/isa/llvm22_opcodes.txt");
  std::string facts;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    if (!line.starts_with(' ')) {
      facts = line;
      continue;
    }
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      // anonymous_FIRST-LAST. No name has a hyphen.
      const size_t hyphen = word.find('-');
      if (hyphen == word.npos) {
        facts_of[word] = facts;
        continue;
      }
      const size_t number = word.find('_') + 1;
      const int last = std::stoi(word.substr(hyphen + 1));
      for (int i = std::stoi(word.substr(number)); i <= last; ++i) facts_of[StrCat(word.substr(0, number), i)] = facts;
    }
  }
  return facts_of;
}

// The facts that differ from LLVM's, on purpose.
struct Difference {
  std::string_view name;
  std::string_view facts;
};
// LLVM declares a register for the size, but puts a number there, which is all that ptxas takes.
constexpr Difference kDifferences[] = {
    {"APPLYPRIORITY_L2_EVICT_NORMAL", "unknown unknown imm | mayLoad,mayStore"},
    {"APPLYPRIORITY_GLOBAL_L2_EVICT_NORMAL", "unknown unknown imm | mayLoad,mayStore"},
};

TEST(IsaFactsTest, TablesExpandToLlvmsFacts) {
  std::map<std::string, std::string> expected = ReadLlvmFacts();
  EXPECT_EQ(expected.size(), 6625u);
  for (const Difference& difference : kDifferences) {
    std::string& facts = expected[std::string(difference.name)];
    EXPECT_NE(facts, difference.facts) << difference.name;
    facts = difference.facts;
  }
  std::set<std::string> found;
  for (int i = 0; i < kNumOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const std::string name(PtxTargetInfo().Name(opcode));
    found.insert(name);
    const auto facts = expected.find(name);
    if (facts == expected.end()) {
      EXPECT_TRUE(IsOwnOpcode(name)) << "LLVM 22 has no " << name
                                     << ". If that is right, tests/ptx/isa/own_opcodes.h must name it";
      continue;
    }
    EXPECT_EQ(Facts(opcode), facts->second) << name;
  }
  for (const auto& [name, facts] : expected) EXPECT_TRUE(found.contains(name)) << "the tables have no " << name;
}

TEST(IsaFactsTest, OwnOpcodesAreInTheTablesAndNotInLlvm) {
  const std::map<std::string, std::string> llvm = ReadLlvmFacts();
  for (const OwnOpcode& own : OwnOpcodes()) {
    EXPECT_TRUE(PtxTargetInfo().find_opcode(own.name).has_value()) << own.name;
    EXPECT_FALSE(llvm.contains(std::string(own.name))) << own.name;
    EXPECT_FALSE(own.reason.empty()) << own.name;
  }
}

TEST(IsaFactsTest, FactsReadAsExpected) {
  EXPECT_EQ(Facts(op::ADD32ri), "=B32 B32 imm |");
  EXPECT_EQ(Template(op::ADD32ri), "\\tadd.s32 \\t$0, $1, $2;");
  EXPECT_EQ(Facts(op::LD_i32), "=B32 unknown unknown unknown unknown imm unknown unknown unknown | mayLoad");
  EXPECT_EQ(Template(op::LD_i32),
            "\\t${6:usedbytes}ld${1:atom.sem}${2:atom.scope}${3:atom.addsp}.${4:atom.sign}$5 \\t$0, [${7:addr}];");
  EXPECT_EQ(Facts(op::INSERT_SUBREG), "=unknown unknown@tied0 unknown imm | pseudo");
  EXPECT_EQ(Template(op::INSERT_SUBREG), "!unprintable");
}

}  // namespace
}  // namespace ptxmir::ptx
