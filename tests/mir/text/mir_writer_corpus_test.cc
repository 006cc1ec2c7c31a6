// SPDX-License-Identifier: Apache-2.0

// Passes real MIR through the reader and the writer. The text comes back byte for byte, is a fixed point, verifies,
// and has the same meaning to llc.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "ptx/target/ptx_target.h"
#include "tests/parity/external_tools.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

using testing::InputFile;

std::unique_ptr<Module> Read(const std::string& name, std::string text) {
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>(name, std::move(text)), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString();
  return module;
}

std::string Write(const Module& module, bool simplify) {
  std::string text;
  WriteMir(module, {.simplify = simplify}, text);
  return text;
}

// Returns true for MIR in its short form, which has no key whose only purpose is to say false.
bool IsSimplified(std::string_view text) { return text.find("\nexposesReturnsTwice:") == std::string_view::npos; }

// Returns the first line in which two texts differ.
std::string FirstDifference(std::string_view a, std::string_view b) {
  size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  if (at == a.size() && at == b.size()) return "";
  const auto line = [at](std::string_view text) {
    const size_t begin = text.rfind('\n', at) == std::string_view::npos ? 0 : text.rfind('\n', at - 1) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
  };
  return StrCat("at byte ", at, "\n- ", line(a), "\n+ ", line(b));
}

void CheckRoundTrip(const std::string& name, const std::string& text) {
  const std::unique_ptr<Module> module = Read(name, text);
  ASSERT_NE(module, nullptr);
  const bool simplify = IsSimplified(text);
  EXPECT_EQ(FirstDifference(text, Write(*module, simplify)), "");
  for (const auto& function : module->machine_functions()) {
    std::string report;
    EXPECT_TRUE(VerifyMachineFunction(*function, report, name.c_str())) << report;
  }
  // The other form contains the same information.
  const std::string other = Write(*module, !simplify);
  const std::unique_ptr<Module> reread = Read(name, other);
  ASSERT_NE(reread, nullptr);
  EXPECT_EQ(FirstDifference(other, Write(*reread, !simplify)), "");
  EXPECT_EQ(FirstDifference(text, Write(*reread, simplify)), "");
}

TEST(MirWriterCorpusTest, ComesBackByteForByte) {
  const std::vector<InputFile> files = testing::Sampled(testing::CorpusFiles());
  ASSERT_FALSE(files.empty());
  for (const InputFile& file : files) {
    SCOPED_TRACE(file.path);
    CheckRoundTrip(file.path, testing::ReadFile(file.path));
  }
}

// The largest files take llc a long time, and debug information adds nothing here.
constexpr size_t kLargestForLlc = 300000;

// llc prints variables in an order that differs between runs. This function moves them to the end, sorted.
std::string SortVariables(const std::string& ptx) {
  std::vector<std::string> variables;
  std::string rest;
  std::istringstream in(ptx);
  for (std::string line; std::getline(in, line);) {
    const bool is_variable = line.find(".align ") != std::string::npos && line.ends_with(';') &&
                             (line.starts_with('.') || line.starts_with(" .")) &&
                             line.find(".param") == std::string::npos;
    if (is_variable) {
      variables.push_back(line);
    } else {
      rest += line + "\n";
    }
  }
  std::sort(variables.begin(), variables.end());
  for (const std::string& line : variables) rest += line + "\n";
  return rest;
}

// Returns the PTX that llc makes of MIR, or nullopt if llc rejects the MIR.
std::optional<std::string> PtxFrom(const std::string& llc, const InputFile& file, const std::string& mir) {
  const std::string in = testing::TemporaryPath(file.name + ".in.mir");
  const std::string out = testing::TemporaryPath(file.name + ".ptx");
  testing::WriteFile(in, mir);
  std::vector<std::string> command = testing::LlcCommand(llc, file);
  command.insert(command.end(), {"-start-after=finalize-isel", in, "-o", out});
  std::string messages;
  if (!testing::RunCommand(command, messages)) return std::nullopt;
  return SortVariables(testing::ReadFile(out));
}

// llc must accept both of our forms. If llc rejects its own MIR, nothing is compared.
TEST(MirWriterCorpusTest, MeansTheSameToLlc) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "llc-22 not found on PATH: what llc makes of our MIR was not compared";
  uint64_t compared = 0;
  for (const InputFile& file : testing::Sampled(testing::CorpusFiles())) {
    const std::string text = testing::ReadFile(file.path);
    if (text.size() > kLargestForLlc) continue;
    SCOPED_TRACE(file.path);
    const std::optional<std::string> expected = PtxFrom(llc, file, text);
    if (!expected.has_value()) continue;
    ++compared;
    const std::unique_ptr<Module> module = Read(file.path, text);
    ASSERT_NE(module, nullptr);
    for (const bool simplify : {false, true}) {
      const std::optional<std::string> actual = PtxFrom(llc, file, Write(*module, simplify));
      if (!actual.has_value()) {
        ADD_FAILURE() << "llc refuses what we write, simplify=" << simplify;
      } else {
        EXPECT_EQ(FirstDifference(*expected, *actual), "");
      }
    }
  }
  EXPECT_GT(compared, testing::NumInputs(20));
}

// llc's stop points, from selection to its printer.
constexpr const char* kStopPoints[] = {"finalize-isel",         "early-tailduplication", "opt-phis",
                                       "machine-cse",           "peephole-opt",          "phi-node-elimination",
                                       "twoaddressinstruction", "register-coalescer",    "nvptx-prolog-epilog",
                                       "branch-folder",         "block-placement",       "stack-frame-layout"};

// The verifier must not report errors in real MIR, at any stop point.
TEST(MirWriterCorpusTest, EveryStopPoint) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "llc-22 not found on PATH: MIR of other stop points was not checked";
  uint64_t checked = 0;
  for (const InputFile& file : testing::Sampled(testing::CorpusFiles())) {
    const std::string text = testing::ReadFile(file.path);
    if (text.size() > kLargestForLlc || file.path.find('.') != file.path.rfind('.')) continue;
    const std::string ir = testing::TemporaryPath(file.name + ".ll");
    testing::WriteFile(ir, testing::EmbeddedIr(text));
    // Check a few stop points per file, so that all files and stop points are covered.
    for (size_t i = 0; i < 3; ++i) {
      const char* point = kStopPoints[(checked * 5 + i) % std::size(kStopPoints)];
      const bool simplify = i == 1;
      const std::string out = testing::TemporaryPath(file.name + ".out.mir");
      std::vector<std::string> command = testing::LlcCommand(llc, file);
      command.insert(command.end(), {StrCat("-stop-after=", point), i == 2 ? "-O0" : "-O3", ir, "-o", out});
      if (simplify) command.push_back("-simplify-mir");
      std::string messages;
      if (!testing::RunCommand(command, messages)) continue;  // at -O0 some points do not exist
      SCOPED_TRACE(StrCat(file.path, " ", point));
      CheckRoundTrip(StrCat(file.name, ".", point), testing::ReadFile(out));
      ++checked;
    }
  }
  EXPECT_GT(checked, testing::NumInputs(60));
}

}  // namespace
}  // namespace ptxmir
