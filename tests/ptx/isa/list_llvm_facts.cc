// SPDX-License-Identifier: Apache-2.0

// Prints LLVM's facts about NVPTX's machine opcodes, which isa_facts_test compares the tables with. Bazel does not
// build this, because it needs LLVM's headers. With Debian's llvm-22-dev and clang-22:
//
//     cd tests/ptx/isa
//     clang++-22 -std=c++20 -I/usr/lib/llvm-22/include list_llvm_facts.cc -lLLVM-22 -o /tmp/list_llvm_facts
//     /tmp/list_llvm_facts > llvm22_opcodes.txt

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

namespace {

constexpr char kHead[] =
    R"(# The machine opcodes of NVPTX in LLVM %s. isa_facts_test compares the tables in ptx/isa/tables with them.
#
# Opcodes with the same operands and flags stand together. A line without indentation has their operands, results
# first: =TYPE is a result, and TYPE@tiedN must be the same register as operand N. TYPE is a class of registers, "imm",
# or "unknown" where LLVM declares nothing. Flags follow after a bar. The names are below, "anonymous_2-5" for
# anonymous_2 to anonymous_5. GlobalISel's opcodes, which no machine code of NVPTX has, are at the end with names alone.
#
# What an opcode prints is not here: llc_parity_test compares that with llc.
#
# To remake this file, see list_llvm_facts.cc.
)";

std::string TypeOf(const llvm::MCOperandInfo& operand, const llvm::MCRegisterInfo& registers) {
  // The class of a pointer depends on the target's mode.
  if (operand.isLookupRegClassByHwMode()) return "reg";
  if (operand.RegClass >= 0) return registers.getRegClassName(&registers.getRegClass(operand.RegClass));
  if (operand.OperandType == llvm::MCOI::OPERAND_IMMEDIATE) return "imm";
  if (operand.OperandType == llvm::MCOI::OPERAND_REGISTER) return "reg";
  return "unknown";
}

std::string OperandsOf(const llvm::MCInstrDesc& desc, const llvm::MCRegisterInfo& registers) {
  std::string text;
  for (unsigned i = 0; i < desc.getNumOperands(); ++i) {
    if (i != 0) text += ' ';
    if (i < desc.getNumDefs()) text += '=';
    text += TypeOf(desc.operands()[i], registers);
    const int tied = desc.getOperandConstraint(i, llvm::MCOI::TIED_TO);
    if (tied >= 0) text += "@tied" + std::to_string(tied);
  }
  return text.empty() ? "no operands" : text;
}

std::string FlagsOf(const llvm::MCInstrDesc& desc) {
  const std::pair<bool, const char*> flags[] = {{desc.isBarrier(), "barrier"},
                                                {desc.isBranch(), "branch"},
                                                {desc.isCall(), "call"},
                                                {desc.isAsCheapAsAMove(), "cheapAsAMove"},
                                                {desc.isCommutable(), "commutable"},
                                                {desc.isConvergent(), "convergent"},
                                                {desc.isIndirectBranch(), "indirectBranch"},
                                                {desc.mayLoad(), "mayLoad"},
                                                {desc.mayStore(), "mayStore"},
                                                {desc.isMetaInstruction(), "meta"},
                                                {desc.isMoveImmediate(), "moveImm"},
                                                {desc.isMoveReg(), "moveReg"},
                                                {desc.isNotDuplicable(), "notDuplicable"},
                                                {desc.isPreISelOpcode(), "preISel"},
                                                {desc.isPseudo(), "pseudo"},
                                                {desc.isRematerializable(), "rematerializable"},
                                                {desc.isReturn(), "return"},
                                                {desc.hasUnmodeledSideEffects(), "sideEffects"},
                                                {desc.isTerminator(), "terminator"},
                                                {desc.isVariadic(), "variadic"}};
  std::string text;
  for (const auto& [is_set, name] : flags) {
    if (is_set) text += (text.empty() ? "" : ",") + std::string(name);
  }
  return text;
}

// Prints names in lines of at most 118 columns, and the numbers that follow each other as a range.
void PrintNames(const std::set<std::string>& names, const std::set<unsigned>& numbers) {
  std::vector<std::string> words(names.begin(), names.end());
  for (auto i = numbers.begin(); i != numbers.end();) {
    const unsigned first = *i;
    unsigned last = first;
    while (++i != numbers.end() && *i == last + 1) last = *i;
    words.push_back("anonymous_" + std::to_string(first) + (last == first ? "" : "-" + std::to_string(last)));
  }
  constexpr size_t kColumns = 118;
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty() && line.size() + 1 + word.size() > kColumns) {
      std::printf(" %s\n", line.c_str());
      line.clear();
    }
    line += " " + word;
  }
  std::printf(" %s\n", line.c_str());
}

}  // namespace

int main() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTargetMC();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  const llvm::MCInstrInfo& instrs = *target->createMCInstrInfo();
  const llvm::MCRegisterInfo& registers = *target->createMCRegInfo(triple);
  struct Names {
    std::set<std::string> names;
    std::set<unsigned> numbers;  // of those that are called anonymous_N
  };
  std::map<std::pair<std::string, std::string>, Names> groups;
  std::set<std::string> global_isel;
  for (unsigned opcode = 0; opcode < instrs.getNumOpcodes(); ++opcode) {
    const llvm::MCInstrDesc& desc = instrs.get(opcode);
    const std::string name = instrs.getName(opcode).str();
    constexpr char kAnonymous[] = "anonymous_";
    if (desc.isPreISelOpcode()) {
      global_isel.insert(name);
      continue;
    }
    Names& names = groups[{OperandsOf(desc, registers), FlagsOf(desc)}];
    if (name.starts_with(kAnonymous)) {
      names.numbers.insert(std::stoul(name.substr(sizeof kAnonymous - 1)));
    } else {
      names.names.insert(name);
    }
  }
  std::printf(kHead, LLVM_VERSION_STRING);
  for (const auto& [facts, names] : groups) {
    const auto& [operands, flags] = facts;
    std::printf("%s |%s%s\n", operands.c_str(), flags.empty() ? "" : " ", flags.c_str());
    PrintNames(names.names, names.numbers);
  }
  std::printf("GlobalISel\n");
  PrintNames(global_isel, {});
}
