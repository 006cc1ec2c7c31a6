// SPDX-License-Identifier: Apache-2.0

#include "tools/reduce/interesting_command.h"

#include "base/str_cat.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

bool MustTest(const CommandTest& test, std::string_view mir = "", const std::vector<std::string>& knobs = {}) {
  const auto command = InterestingCommand::Create(test);
  EXPECT_TRUE(command.ok()) << command.status().ToString();
  const auto result = command->Test(mir, knobs);
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  return result.ok() && *result;
}

TEST(InterestingCommand, JudgesByStatusAndMessage) {
  EXPECT_TRUE(MustTest({.arguments = {"grep", "-q", "needle", "{}"}}, "a needle"));
  EXPECT_FALSE(MustTest({.arguments = {"grep", "-q", "needle", "{}"}}, "hay"));
  EXPECT_TRUE(MustTest({.arguments = {"grep", "-q", "needle", "{}"}, .wants_failure = true}, "hay"));
  EXPECT_FALSE(MustTest({.arguments = {"grep", "-q", "needle", "{}"}, .wants_failure = true}, "a needle"));
  EXPECT_TRUE(MustTest({.arguments = {"cat", "{}"}, .message = "edl"}, "a needle"));
  EXPECT_FALSE(MustTest({.arguments = {"cat", "{}"}, .wants_failure = true, .message = "edl"}, "a needle"));
  EXPECT_FALSE(MustTest({.arguments = {"cat", "{}"}, .message = "edl"}, "hay"));
  EXPECT_TRUE(
      MustTest({.arguments = {"sh", "-c", "echo oops >&2; kill -SEGV $$"}, .wants_failure = true, .message = "oops"}));
}

TEST(InterestingCommand, FindsAMessageAnywhereInALongOutput) {
  std::string text(300000, 'x');
  text.replace(65530, 12, "across pipes");
  EXPECT_TRUE(MustTest({.arguments = {"cat", "{}"}, .message = "across pipes"}, text));
}

TEST(InterestingCommand, PassesKnobsAsArguments) {
  EXPECT_TRUE(MustTest({.arguments = {"echo", "{knobs}", "end"}, .message = "-a -b=1 end"}, "", {"-a", "-b=1"}));
  EXPECT_TRUE(MustTest({.arguments = {"echo", "begin", "{knobs}", "end"}, .message = "begin end"}));
  // The arguments do not pass through a shell.
  EXPECT_TRUE(MustTest({.arguments = {"echo", "{knobs}"}, .message = "$HOME;"}, "", {"$HOME;"}));
}

TEST(InterestingCommand, EndsWhatTakesTooLong) {
  const CommandTest endless = {.arguments = {"sleep", "1000"}, .wants_failure = true, .timeout_seconds = 0.1};
  EXPECT_FALSE(MustTest(endless));
  // A process that a command leaves running does not delay the test.
  EXPECT_TRUE(MustTest({.arguments = {"sh", "-c", "sleep 1000 & exit 0"}, .timeout_seconds = 20}));
}

TEST(InterestingCommand, SaysThatACommandCannotBeStarted) {
  const auto command = InterestingCommand::Create({.arguments = {"ptxmir-no-such-command", "{}"}});
  ASSERT_TRUE(command.ok());
  const auto result = command->Test("", {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(FromAbsl(result.status().message()), "cannot start 'ptxmir-no-such-command': No such file or directory");
}

}  // namespace
}  // namespace ptxmir
