// SPDX-License-Identifier: Apache-2.0

// Plants one bug after the other (bugs/, planted_bugs.h) and asks the net of checks (net.h) whether it notices.
//
// Every bug has a process of its own, so that a crash and a hang are findings too. The layer that is named is the
// first in the order of net.h that reports something.
//
// To record again what kernels compute (results.txt) and cost (work.txt), what rematerialization makes of its text test
// (block_remat.mir), every_operand.mir of the reader's tests in the long form (operands.mir), and what becomes of
// variables, names and images (ir_globals.ptx):
//
//     bazel build //tests/mutation:mutation_test
//     PTXMIR_RECORD=tests/mutation bazel-bin/tests/mutation/mutation_test

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/mutation/net.h"
#include "tests/mutation/planted_bugs.h"
#include "tests/parity/external_tools.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

using testing::kIsSanitized;
using testing::Net;
using testing::PlantedBug;
using testing::PlantedBugs;

// Seconds of processor time for one bug, after which it counts as a hang; and for all of them.
constexpr unsigned kLimitOfOne = kIsSanitized ? 100 : 10;
constexpr double kLimitOfAll = 180;
// Bugs are planted by so many tests, which Bazel runs side by side (shard_count), on two processors at least.
constexpr size_t kGroups = 6;
constexpr double kLimitOfGroup = kLimitOfAll / kGroups * 2;
constexpr size_t kFewestBugs = 200;
constexpr std::ptrdiff_t kMostUncaught = 3;

TEST(PlantedBugsTest, AreManyAndSeen) {
  EXPECT_GE(PlantedBugs().size(), kFewestBugs);
  const auto is_uncaught = [](const PlantedBug& bug) { return !bug.why_uncaught.empty(); };
  EXPECT_LE(std::count_if(PlantedBugs().begin(), PlantedBugs().end(), is_uncaught), kMostUncaught);
}

double Seconds(int whose) {
  rusage usage{};
  getrusage(whose, &usage);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + time.tv_usec * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double ChildSeconds() { return Seconds(RUSAGE_CHILDREN); }
double OwnSeconds() { return Seconds(RUSAGE_SELF); }

// In the child: the layer and what it says go into the pipe. Without a bug if that is null.
[[noreturn]] void RunChild(const Net& net, const PlantedBug* bug, int pipe) {
  const rlimit processor_time = {kLimitOfOne, kLimitOfOne + 1};
  setrlimit(RLIMIT_CPU, &processor_time);
  if (!kIsSanitized) {
    const rlimit memory = {rlim_t{4} << 30, rlim_t{4} << 30};
    setrlimit(RLIMIT_AS, &memory);
  }
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::freopen("/dev/null", "w", stderr);
  if (bug != nullptr) Plant(*bug);
  const auto [layer, finding] = net.Run();
  std::string message = layer.empty() ? std::string() : StrCat(layer, "\n", finding);
  message.resize(std::min<size_t>(message.size(), 4000));  // fits any pipe
  const ssize_t written = write(pipe, message.data(), message.size());
  _exit(written == static_cast<ssize_t>(message.size()) ? 0 : 1);
}

struct Outcome {
  std::string layer;  // empty: not caught
  std::string finding;
};

Outcome RunWith(const Net& net, const PlantedBug* bug) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    RunChild(net, bug, ends[1]);
  }
  close(ends[1]);
  std::string message;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) message.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) return {"hang", ""};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {"crash", StrCat("status ", status)};
  const size_t line = message.find('\n');
  if (line == message.npos) return {};
  return {message.substr(0, line), message.substr(line + 1)};
}

// The first line of a report that says something.
std::string Summary(std::string_view finding) {
  const size_t headline = finding.find("*** Bad machine code");
  if (headline != finding.npos) finding.remove_prefix(headline);
  finding = finding.substr(0, finding.find('\n'));
  return std::string(finding.substr(0, 110));
}

class MutationTest : public ::testing::Test {
 protected:
  Net net_;
};

TEST_F(MutationTest, NoBugNoFinding) {
  if (const char* folder = std::getenv("PTXMIR_RECORD"); folder != nullptr) {
    testing::WriteFile(StrCat(folder, "/results.txt"), net_.Results());
    testing::WriteFile(StrCat(folder, "/work.txt"), net_.WorkText());
    testing::WriteFile(StrCat(folder, "/block_remat.mir"), net_.Rematerialized());
    testing::WriteFile(StrCat(folder, "/operands.mir"), net_.Operands());
    testing::WriteFile(StrCat(folder, "/ir_globals.ptx"), net_.GlobalsPtx());
    GTEST_SKIP() << "recorded results.txt, work.txt, block_remat.mir, operands.mir and ir_globals.ptx";
  }
  for (const testing::Layer& layer : net_.layers()) {
    const double start = OwnSeconds();
    EXPECT_EQ(layer.check(), "") << layer.name;
    std::printf("%-11s %.3f seconds\n", std::string(layer.name).c_str(), OwnSeconds() - start);
  }
}

// Returns true if the bug is to be tried: PTXMIR_BUGS=scheduler asks for the bugs with this word in their names, and
// PTXMIR_BUGS= for all.
bool IsAskedFor(const PlantedBug& bug) {
  const char* part = std::getenv("PTXMIR_BUGS");
  return part == nullptr || bug.name.find(part) != bug.name.npos;
}

// Every so many bugs are planted unless bugs are asked for, because all of them take a tenth of the time of all tests.
// Sanitizers look for faults in how the checks report a bug, which are much the same for all bugs.
size_t Stride() {
  if (std::getenv("PTXMIR_BUGS") != nullptr) return 1;
  return kIsSanitized ? 9 : 3;
}

class PlantedBugsCaughtTest : public MutationTest, public ::testing::WithParamInterface<size_t> {};

TEST_P(PlantedBugsCaughtTest, EveryBugIsCaught) {
  if (std::getenv("PTXMIR_RECORD") != nullptr) GTEST_SKIP();
  // A layer that always finds something would be taken for one that catches everything.
  const Outcome sound = RunWith(net_, nullptr);
  ASSERT_EQ(sound.layer, "") << sound.finding;
  const double start = ChildSeconds();
  std::map<std::string, size_t> caught_by;
  std::vector<const PlantedBug*> uncaught;
  size_t num_bugs = 0;
  const size_t stride = Stride();
  for (size_t i = GetParam() * stride; i < PlantedBugs().size(); i += kGroups * stride) {
    const PlantedBug& bug = PlantedBugs()[i];
    if (!IsAskedFor(bug)) continue;
    ++num_bugs;
    const Outcome outcome = RunWith(net_, &bug);
    if (outcome.layer.empty()) uncaught.push_back(&bug);
    ++caught_by[outcome.layer.empty() ? "not caught" : outcome.layer];
    std::printf("%-32s %-11s %s\n", std::string(bug.name).c_str(),
                outcome.layer.empty() ? "NOT CAUGHT" : outcome.layer.c_str(), Summary(outcome.finding).c_str());
  }
  const double seconds = ChildSeconds() - start;
  std::printf("\n%zu bugs, %zu caught, %.1f seconds of processor time\n", num_bugs, num_bugs - uncaught.size(),
              seconds);
  for (const auto& [layer, count] : caught_by) std::printf("%5zu  %s\n", count, layer.c_str());
  for (const PlantedBug* bug : uncaught) {
    EXPECT_NE(bug->why_uncaught, "") << bug->name << " in " << bug->places.front().file
                                     << " is not caught: " << bug->description;
  }
  if (!kIsSanitized) {
    EXPECT_LT(seconds, kLimitOfGroup);
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, PlantedBugsCaughtTest, ::testing::Range(size_t{0}, kGroups));

}  // namespace
}  // namespace ptxmir
