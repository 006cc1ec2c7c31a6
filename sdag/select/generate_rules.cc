// SPDX-License-Identifier: Apache-2.0

// Compiles the rules of instruction selection: generate_rules OUTPUT.cc RULES...
// With --pairs in place of OUTPUT.cc, prints the node or intrinsic and the instruction of each rule.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sdag/select/rule_compiler.h"
#include "sdag/select/rule_reader.h"
#include "sdag/select/rule_table.h"

namespace ptxmir::sdag {
namespace {

int LineOf(const std::string& where) { return std::atoi(where.c_str() + where.rfind(':') + 1); }

class Writer {
 public:
  explicit Writer(const std::vector<CompiledRule>& rules) {
    for (const CompiledRule& rule : rules) {
      if (rule.intrinsic.empty()) {
        by_opcode_[rule.opcode].push_back(&rule);
      } else {
        by_intrinsic_[rule.intrinsic].push_back(&rule);
      }
    }
  }

  std::string Write() {
    std::string ranges;
    for (int opcode = 0; opcode < isd::kNumOpcodes; ++opcode) {
      const auto found = by_opcode_.find(static_cast<int16_t>(opcode));
      absl::StrAppend(&ranges, found == by_opcode_.end() ? std::string("{0, 0}") : Append(found->second), ",\n");
    }
    std::string intrinsics, names;
    size_t name_bytes = 0;
    for (auto& [name, rules] : by_intrinsic_) {
      absl::StrAppend(&intrinsics, "{", name_bytes, ", ", Append(rules), "},\n");
      const std::string rest = name.substr(kIntrinsicPrefix.size());
      absl::StrAppend(&names, "\"", rest, "\\0\"\n");
      name_bytes += rest.size() + 1;
    }
    std::string bytes;
    for (size_t i = 0; i < code_.size(); ++i) absl::StrAppend(&bytes, code_[i], i % 24 == 23 ? ",\n" : ",");
    return absl::StrCat("// Generated from the rules by generate_rules.\n#include \"sdag/select/rule_table.h\"\n\n",
                        "namespace ptxmir::sdag {\n\nconst unsigned char kRuleCode[] = {\n", bytes,
                        "};\nconst Rule kRules[] = {\n", rules_, "};\nconst RuleRange kRulesOf[isd::kNumOpcodes] = {\n",
                        ranges, "};\nconst uint32_t kNumIntrinsicRules = ", by_intrinsic_.size(),
                        ";\nconst IntrinsicRules kIntrinsicRules[] = {\n", intrinsics,
                        "{0, {0, 0}}};\nconst char kIntrinsicNames[] =\n", names,
                        "\"\";\n\n}  // namespace ptxmir::sdag\n");
  }

 private:
  // Appends rules: large patterns first, then in the order of the files. Returns the range.
  std::string Append(std::vector<const CompiledRule*>& rules) {
    std::stable_sort(rules.begin(), rules.end(),
                     [](const CompiledRule* a, const CompiledRule* b) { return a->size > b->size; });
    const size_t first = num_rules_;
    for (const CompiledRule* rule : rules) {
      const RuleDemands& demands = rule->demands;
      absl::StrAppend(&rules_, "{", code_.size(), ", ", rule->flags, ", ", LineOf(rule->where), ", {",
                      demands.result_type, ", ", demands.operand_type, ", {", demands.operand_opcodes[0], ", ",
                      demands.operand_opcodes[1], "}}},\n");
      for (const uint16_t word : rule->code) AppendWord(word);
      ++num_rules_;
    }
    return absl::StrCat("{", first, ", ", rules.size(), "}");
  }

  // Appends a word in the encoding of rule_table.h.
  void AppendWord(unsigned word) {
    for (; word >= 0x80; word >>= 7) code_.push_back(static_cast<uint8_t>(word | 0x80));
    code_.push_back(static_cast<uint8_t>(word));
  }

  std::map<int16_t, std::vector<const CompiledRule*>> by_opcode_;
  std::map<std::string, std::vector<const CompiledRule*>> by_intrinsic_;
  std::vector<uint8_t> code_;
  std::string rules_;
  size_t num_rules_ = 0;
};

int Main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: generate_rules OUTPUT.cc RULES...\n";
    return 2;
  }
  RuleReader reader;
  for (int i = 2; i < argc; ++i) {
    if (const absl::Status status = reader.ReadFile(argv[i]); !status.ok()) {
      std::cerr << status.message() << "\n";
      return 1;
    }
  }
  if (std::string(argv[1]) == "--pairs") {
    for (const RuleSource& rule : reader.rules()) {
      for (const RuleOutput& output : rule.results) std::cout << rule.pattern.opcode << "\t" << output.opcode << "\n";
    }
    return 0;
  }
  std::vector<CompiledRule> compiled;
  int num_errors = 0;
  for (const RuleSource& rule : reader.rules()) {
    const absl::Status status = CompileRule(rule, compiled);
    if (status.ok()) continue;
    std::cerr << status.message() << "\n";
    if (++num_errors == 60) break;
  }
  for (const CompiledRule& rule : compiled) {
    if (rule.intrinsic.empty() || absl::StartsWith(rule.intrinsic, std::string(kIntrinsicPrefix))) continue;
    std::cerr << rule.where << ": " << rule.intrinsic << " does not begin with " << kIntrinsicPrefix << "\n";
    ++num_errors;
  }
  if (num_errors > 0) return 1;
  std::ofstream out(argv[1], std::ios::binary);
  out << Writer(compiled).Write();
  return out.good() ? 0 : 1;
}

}  // namespace
}  // namespace ptxmir::sdag

int main(int argc, char** argv) { return ptxmir::sdag::Main(argc, argv); }
