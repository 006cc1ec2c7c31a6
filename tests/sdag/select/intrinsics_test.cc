// SPDX-License-Identifier: Apache-2.0

// For each intrinsic that llc-22 selects, the rules select all of llc's instructions, or the intrinsic is listed
// here.

#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "sdag/select/rule_reader.h"

namespace ptxmir::sdag {
namespace {

// Intrinsics with these prefixes have no rules.
constexpr std::string_view kMissing[] = {"tensormap.replace."};
// For these, some of the instructions are missing. CG0: twins that print the same text as the instructions of the
// rules.
constexpr std::string_view kPartly[] = {"cp.async.bulk.tensor.g2s."};

bool BeginsWithAny(std::string_view name, absl::Span<const std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (name.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

TEST(IntrinsicsTest, ThereAreRulesForWhatLlcSelects) {
  RuleReader reader;
  for (const char* file : {"types", "intrinsics", "async", "tensor"}) {
    ASSERT_TRUE(reader.ReadFile(std::string("sdag/select/") + file + ".rules").ok());
  }
  std::map<std::string, std::set<std::string>> ours;
  for (const RuleSource& rule : reader.rules()) {
    for (const RuleOutput& output : rule.results) ours[rule.pattern.opcode].insert(output.opcode);
  }
  std::ifstream facts("tests/sdag/select/llvm22_intrinsics.tsv");
  size_t all = 0, complete = 0, partly = 0;
  for (std::string line; std::getline(facts, line);) {
    if (line[0] == '#') continue;
    ++all;
    const std::string name = line.substr(0, line.find('\t'));
    const std::vector<std::string> opcodes = absl::StrSplit(line.substr(name.size() + 1), ' ');
    const auto found = ours.find("llvm.nvvm." + name);
    if (found == ours.end()) {
      EXPECT_TRUE(BeginsWithAny(name, kMissing)) << name;
      continue;
    }
    std::string missing;
    for (const std::string& opcode : opcodes) {
      if (!found->second.contains(opcode)) missing += " " + opcode;
    }
    ++(missing.empty() ? complete : partly);
    EXPECT_TRUE(missing.empty() || BeginsWithAny(name, kPartly)) << name << ": no" << missing;
  }
  std::cout << complete << " of " << all << " intrinsics, and " << partly << " partly\n";
  EXPECT_EQ(all, 2541u);
  EXPECT_EQ(complete, 2522u);
}

}  // namespace
}  // namespace ptxmir::sdag
