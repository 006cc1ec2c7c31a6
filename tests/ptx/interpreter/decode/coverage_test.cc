// SPDX-License-Identifier: Apache-2.0

// The interpreter can execute every opcode that the corpus uses, and every scalar opcode.

#include "ptx/interpreter/decode/coverage.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

using State = OpcodeCoverage::State;

Opcode Find(std::string_view name) {
  const auto opcode = PtxTargetInfo().find_opcode(name);
  EXPECT_TRUE(opcode.has_value()) << name;
  return opcode.value_or(0);
}

// Adds the words of a file that name opcodes.
void AppendOpcodes(const std::filesystem::path& path, std::set<Opcode>* opcodes) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    if (!is_name(text[at])) {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < text.size() && is_name(text[at])) ++at;
    const auto opcode = PtxTargetInfo().find_opcode(std::string_view(text).substr(begin, at - begin));
    if (opcode.has_value()) opcodes->insert(*opcode);
  }
}

TEST(CoverageTest, SingleOpcodes) {
  for (std::string_view name : {"ADD32rr", "FMA_F32rrr", "CVT_f16_f32", "CBranch", "SETP_f16x2rr", "LD_i32"})
    EXPECT_EQ(CoverageOf(Find(name)).state, State::kCovered) << name << CoverageOf(Find(name)).reason;
  EXPECT_EQ(CoverageOf(Find("DBG_VALUE")).state, State::kNothingToExecute);
}

TEST(CoverageTest, EveryScalarFamilyIsComplete) {
  for (const IsaCoverage::Family& family : MeasureIsaCoverage().families) {
    for (std::string_view prefix : {"int.",  "fp.",  "setp", "selp", "shf",  "bfe", "bfi",      "bfind", "prmt", "lop3",
                                    "cvt",   "mov",  "dp2a", "dp4a", "and",  "or",  "xor",      "not",   "shl",  "shr",
                                    "szext", "bmsk", "brev", "clz",  "popc", "fns", "copysign", "testp"}) {
      if (family.name.substr(0, prefix.size()) != prefix || family.name.substr(0, 4) == "cvta") continue;
      EXPECT_EQ(family.covered, family.opcodes) << family.name;
    }
  }
}

TEST(CoverageTest, CorpusOpcodes) {
  std::set<Opcode> opcodes;
  for (const auto& entry : std::filesystem::directory_iterator("tests/corpus")) {
    if (entry.path().extension() == ".mir") AppendOpcodes(entry.path(), &opcodes);
  }
  EXPECT_GT(opcodes.size(), 300u);
  for (Opcode opcode : opcodes) {
    const OpcodeCoverage coverage = CoverageOf(opcode);
    EXPECT_NE(coverage.state, State::kMissing) << PtxTargetInfo().StableName(opcode) << ": " << coverage.reason;
  }
}

TEST(CoverageTest, Text) {
  IsaCoverage coverage;
  coverage.families = {{"int.add", 3, 2}};
  coverage.opcodes = 3;
  coverage.covered = 2;
  coverage.missing = {Find("ADD32rr")};
  EXPECT_EQ(IsaCoverageText(coverage),
            "2 of 3 opcodes have semantics\n\n    2 of     3  int.add\n\nwithout semantics:\n  ADD32rr  (int.add)\n");
}

}  // namespace
}  // namespace ptxmir::ptx
