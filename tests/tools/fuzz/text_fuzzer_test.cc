// SPDX-License-Identifier: Apache-2.0

// The text fuzzer: it finds planted faults, and it runs for a few seconds with fixed seeds.

#include "tools/fuzz/text_fuzzer.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "tests/support/sanitized.h"
#include "tools/fuzz/text_mutator.h"
#include "tools/fuzz/text_targets.h"

namespace ptxmir::fuzz {
namespace {

TEST(TextMutatorTest, ATextDependsOnItsNumberAlone) {
  const std::vector<std::string> texts = {"alpha beta(1, 2)\ngamma\n", "%0:b32 = ADD32ri %1, 7\n"};
  const TextMutator one(texts, {"word"}, 5);
  const TextMutator other(texts, {"word"}, 5);
  const TextMutator differently_seeded(texts, {"word"}, 6);
  (void)other.Generate(3);
  size_t same = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(one.Generate(i), other.Generate(i));
    same += one.Generate(i) == differently_seeded.Generate(i);
  }
  EXPECT_LT(same, 30u);
}

TEST(TextMutatorTest, TextsDifferAndStayWithinBounds) {
  const TextMutator mutator({"a(b, c)\nd = e %1\nf: 12\n"}, {"%bb.0", "--- |"}, 1, 1000);
  std::set<std::string> seen;
  bool nested = false;
  for (uint64_t i = 0; i < 3000; ++i) {
    const std::string text = mutator.Generate(i);
    EXPECT_LE(text.size(), 1000u);
    nested |= text.find("[[[[[[[[[[[[") != std::string::npos;
    seen.insert(text);
  }
  EXPECT_GT(seen.size(), 1500u);
  EXPECT_TRUE(nested);
}

TEST(TextMutatorTest, WorksOnNothing) {
  for (const std::vector<std::string>& texts : {std::vector<std::string>{}, std::vector<std::string>{""}}) {
    const TextMutator mutator(texts, {}, 1);
    for (uint64_t i = 0; i < 500; ++i) (void)mutator.Generate(i);
  }
}

// Targets with planted faults. A text is a number, and the faults affect those that end in 7.
bool IsVictim(std::string_view input) { return !input.empty() && input.back() == '7'; }

TextOutcome Fine(std::string_view) { return {Reached::kRead, ""}; }
TextOutcome Complain(std::string_view input) {
  return {Reached::kRead, IsVictim(input) ? "the text has " + std::to_string(input.size()) + " bytes" : ""};
}
TextOutcome Crash(std::string_view input) {
  if (IsVictim(input)) raise(SIGKILL);
  return {};
}
TextOutcome Exit(std::string_view input) {
  if (IsVictim(input)) _exit(1);
  return {};
}
TextOutcome Hang(std::string_view input) {
  volatile bool forever = IsVictim(input);
  while (forever) {
  }
  return {};
}
TextOutcome TakeMemory(std::string_view input) {
  if (IsVictim(input)) {
    std::vector<char> memory(size_t{400} << 20, 'x');
    volatile char last = memory.back();
    (void)last;
  }
  return {};
}
std::vector<std::string> None() { return {}; }
std::vector<std::string> NoneOfFile(std::string_view, size_t, size_t) { return {}; }

// Only what hangs may come near `cpu_seconds`: on a busy host, clearing memory takes seconds.
TextFuzzReport RunPlanted(TextOutcome (*run)(std::string_view), double cpu_seconds = 60) {
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.push_back("text " + std::to_string(i));
  const TextMutator mutator(std::move(texts), {}, 1, 100);
  const TextTarget target = {"planted", "", run, None, NoneOfFile, None};
  TextFuzzOptions options;
  options.first = 1;
  options.num_inputs = 60;
  options.cpu_seconds = cpu_seconds;
  options.memory_bytes = size_t{50} << 20;
  const TextFuzzReport report = RunTextFuzzer(mutator, target, options);
  EXPECT_EQ(report.error, "");
  for (const TextFinding& finding : report.findings) {
    EXPECT_TRUE(IsVictim(mutator.Generate(finding.index))) << finding.what;
  }
  return report;
}

TEST(TextFuzzerTest, NothingIsFoundWhereNothingIs) {
  const TextFuzzReport report = RunPlanted(Fine);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.num_inputs, 60u);
  EXPECT_EQ(report.reached[static_cast<size_t>(Reached::kRead)], 60u);
}

TEST(TextFuzzerTest, FaultsAreFoundAndTheRunGoesOn) {
  const std::pair<TextOutcome (*)(std::string_view), std::string> cases[] = {{Complain, "the text has"},
                                                                             {Crash, "dies of signal 9"},
                                                                             {Exit, "dies"},
                                                                             {Hang, "takes too long"},
                                                                             {TakeMemory, "memory out of proportion"}};
  for (const auto& [run, what] : cases) {
    const TextFuzzReport report = RunPlanted(run, run == Hang ? 0.02 : 60);
    // A single cause, found for several texts.
    ASSERT_EQ(report.findings.size(), 1u) << what << "\n" << report.ToString("planted");
    EXPECT_EQ(report.findings[0].what.substr(0, what.size()), what);
    EXPECT_GT(report.findings[0].repeated, 0u) << what;
    EXPECT_GT(report.num_inputs, 40u) << what;
  }
}

std::string ReadText(const std::string& path) {
  auto buffer = SourceBuffer::FromFile(path);
  EXPECT_TRUE(buffer.ok()) << path;
  return buffer.ok() ? std::string((*buffer)->text()) : std::string();
}

// Runs the real targets on as many texts as a test may take.
void FuzzTarget(const std::string& name, uint64_t num_inputs) {
  const TextTarget* target = FindTextTarget(name);
  ASSERT_NE(target, nullptr);
  std::vector<std::string> paths = {"tests/mir/text/every_operand.mir"};
  for (const auto& entry : std::filesystem::directory_iterator("tests/corpus")) {
    if (entry.path().extension() == ".mir") paths.push_back(entry.path().string());
  }
  if (name == "dag") paths = {"tests/mutation/selection.sdag", "tests/sdag/text/every_payload.sdag"};
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts = target->built_in_texts();
  constexpr size_t kMaxSize = 20000;
  for (const std::string& path : paths) {
    for (std::string& text : target->texts_of_mir_file(ReadText(path), kMaxSize, 2)) {
      texts.push_back(std::move(text));
    }
  }
  const TextMutator mutator(std::move(texts), target->dictionary(), 20261121, kMaxSize);
  TextFuzzOptions options;
  options.num_inputs = num_inputs;
  if (testing::kIsSanitized) options.cpu_seconds = 30;
  const TextFuzzReport report = RunTextFuzzer(mutator, *target, options);
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.num_inputs, num_inputs);
  for (const TextFinding& finding : report.findings) {
    ADD_FAILURE() << name << ": " << finding.what << "\n"
                  << finding.details << "\nthe text:\n"
                  << mutator.Generate(finding.index);
  }
  // Texts that are rejected immediately find nothing.
  EXPECT_GT(report.reached[0] * 10, num_inputs);
  EXPECT_LT(report.reached[0], num_inputs * 9 / 10) << report.ToString(name);
}

TEST(TextFuzzTest, Mir) { FuzzTarget("mir", testing::NumInputs(1500)); }
TEST(TextFuzzTest, Ir) { FuzzTarget("ir", testing::NumInputs(3000)); }
TEST(TextFuzzTest, Yaml) { FuzzTarget("yaml", testing::NumInputs(3000)); }
TEST(TextFuzzTest, Dag) { FuzzTarget("dag", testing::NumInputs(1500)); }
TEST(TextFuzzTest, Ll) { FuzzTarget("ll", testing::NumInputs(3000)); }
TEST(TextFuzzTest, Options) { FuzzTarget("options", testing::NumInputs(10000)); }

}  // namespace
}  // namespace ptxmir::fuzz
