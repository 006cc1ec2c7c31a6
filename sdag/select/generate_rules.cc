// SPDX-License-Identifier: Apache-2.0

// Compiles the rules of instruction selection: generate_rules OUTPUT.cc RULES...
// With --pairs in place of OUTPUT.cc, prints the node or intrinsic and the instruction of each rule.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
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
    std::string ranges, groups;
    size_t num_groups = 0;
    for (int opcode = 0; opcode < isd::kNumOpcodes; ++opcode) {
      const size_t first = num_groups;
      if (const auto found = by_opcode_.find(static_cast<int16_t>(opcode)); found != by_opcode_.end()) {
        num_groups += AppendGroups(found->second, groups);
      }
      absl::StrAppend(&ranges, "{", first, ", ", num_groups - first, "},\n");
    }
    std::string intrinsics, names;
    size_t name_bytes = 0;
    for (auto& [name, rules] : by_intrinsic_) {
      Sort(rules);
      absl::StrAppend(&intrinsics, "{", name_bytes, ", ", Append(rules), "},\n");
      const std::string rest = name.substr(kIntrinsicPrefix.size());
      absl::StrAppend(&names, "\"", rest, "\\0\"\n");
      name_bytes += rest.size() + 1;
    }
    std::string bytes;
    for (size_t i = 0; i < code_.size(); ++i) absl::StrAppend(&bytes, code_[i], i % 24 == 23 ? ",\n" : ",");
    return absl::StrCat("// Generated from the rules by generate_rules.\n#include \"sdag/select/rule_table.h\"\n\n",
                        "namespace ptxmir::sdag {\n\nconst unsigned char kRuleCode[] = {\n", bytes,
                        "};\nconst Rule kRules[] = {\n", rules_, "};\nconst RuleGroup kRuleGroups[] = {\n", groups,
                        "};\nconst RuleRange kRuleGroupsOf[isd::kNumOpcodes] = {\n", ranges,
                        "};\nconst uint32_t kNumIntrinsicRules = ", by_intrinsic_.size(),
                        ";\nconst IntrinsicRules kIntrinsicRules[] = {\n", intrinsics,
                        "{0, {0, 0}}};\nconst char kIntrinsicNames[] =\n", names,
                        "\"\";\n\n}  // namespace ptxmir::sdag\n");
  }

 private:
  // Sorts rules: large patterns first, then in the order of the files.
  static void Sort(std::vector<const CompiledRule*>& rules) {
    std::stable_sort(rules.begin(), rules.end(),
                     [](const CompiledRule* a, const CompiledRule* b) { return a->size > b->size; });
  }

  // Appends a group of rules for each result type that a rule demands, and one for all other types. Returns their
  // number.
  size_t AppendGroups(std::vector<const CompiledRule*>& rules, std::string& groups) {
    Sort(rules);
    std::set<uint8_t> types = {RuleDemands::kAnyType};
    for (const CompiledRule* rule : rules) types.insert(rule->demands.result_type);
    for (const uint8_t type : types) {
      std::vector<const CompiledRule*> group;
      for (const CompiledRule* rule : rules) {
        const uint8_t demanded = rule->demands.result_type;
        if (demanded == RuleDemands::kAnyType || demanded == type) group.push_back(rule);
      }
      absl::StrAppend(&groups, "{", type, ", ", Append(group), "},\n");
    }
    return types.size();
  }

  // Appends rules. Returns the range.
  std::string Append(const std::vector<const CompiledRule*>& rules) {
    const size_t first = num_rules_;
    for (const CompiledRule* rule : rules) {
      const RuleDemands& demands = rule->demands;
      absl::StrAppend(&rules_, "{", CodeOf(*rule), ", ", rule->flags, ", ", LineOf(rule->where), ", {",
                      demands.result_type, ", ", demands.operand_type, ", {", demands.operand_opcodes[0], ", ",
                      demands.operand_opcodes[1], "}}},\n");
      ++num_rules_;
    }
    return absl::StrCat("{", first, ", ", rules.size(), "}");
  }

  // Returns the place of a rule's code, which its copies in other groups share.
  size_t CodeOf(const CompiledRule& rule) {
    const auto [found, is_new] = code_of_.emplace(&rule, code_.size());
    if (is_new) {
      for (const uint16_t word : rule.code) AppendWord(word);
    }
    return found->second;
  }

  // Appends a word in the encoding of rule_table.h.
  void AppendWord(unsigned word) {
    for (; word >= 0x80; word >>= 7) code_.push_back(static_cast<uint8_t>(word | 0x80));
    code_.push_back(static_cast<uint8_t>(word));
  }

  std::map<int16_t, std::vector<const CompiledRule*>> by_opcode_;
  std::map<std::string, std::vector<const CompiledRule*>> by_intrinsic_;
  std::vector<uint8_t> code_;
  std::map<const CompiledRule*, size_t> code_of_;
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
