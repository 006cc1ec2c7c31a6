// SPDX-License-Identifier: Apache-2.0

// ptxmir-reduce: makes a MIR file as small as possible while a command still behaves the same on it.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/diagnostics.h"
#include "base/nearest_name.h"
#include "base/str_cat.h"
#include "ptx/target/ptx_target.h"
#include "tools/reduce/interesting_command.h"
#include "tools/reduce/reducer.h"
#include "tools/support/tool_version.h"

namespace ptxmir {
namespace {

constexpr std::string_view kHelp = R"(usage: ptxmir-reduce FILE.mir [-o SMALL.mir] [options] -- COMMAND ARGUMENTS ...

Makes a MIR file as small as it can be while COMMAND still finds it interesting: exits with status 0. In ARGUMENTS
{} stands for the path of the file to judge, and an argument {knobs} for the knobs. COMMAND is run without a shell.

  -o FILE            where the result goes; standard output without it
  --fails            interesting is a status other than 0, or a crash
  --message=TEXT     interesting is output (of both kinds) with TEXT in it, whatever the status; with --fails, both
  --knobs="-a -b=1"  options of COMMAND to leave out where they are not needed; what is left is printed
  --timeout=SECONDS  a run that takes longer is not interesting (60)
  --max-tests=N      run COMMAND about N times at most (20000)
  --quiet            no progress on standard error
  --help             this text
  --version          the version
)";

void Print(std::FILE* file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

int Fail(std::string_view message) {
  Print(stderr, StrCat("ptxmir-reduce: error: ", message, message.ends_with('\n') ? "" : "\n"));
  return 1;
}

struct Options {
  std::string input;
  std::string output = "-";
  std::vector<std::string> knobs;
  CommandTest test;
  ReducerOptions reducer;
  bool is_quiet = false;
  bool show_help = false;
  bool show_version = false;
};

// Returns the value of "NAME=VALUE", or nullopt for any other argument.
std::optional<std::string_view> ValueOf(std::string_view argument, std::string_view name) {
  if (!argument.starts_with(name) || argument.substr(name.size(), 1) != "=") return std::nullopt;
  return argument.substr(name.size() + 1);
}

absl::Status ParseNumbers(std::string_view argument, Options& options) {
  if (const auto seconds = ValueOf(argument, "--timeout")) {
    if (absl::SimpleAtod(ToAbsl(*seconds), &options.test.timeout_seconds) && options.test.timeout_seconds > 0) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(StrCat("--timeout wants a number of seconds, not '", *seconds, "'"));
  }
  if (const auto count = ValueOf(argument, "--max-tests")) {
    if (absl::SimpleAtoi(ToAbsl(*count), &options.reducer.max_tests)) return absl::OkStatus();
    return absl::InvalidArgumentError(StrCat("--max-tests wants a number, not '", *count, "'"));
  }
  NearestName nearest(argument.substr(0, argument.find('=')));
  for (const std::string_view known :
       {"--fails", "--message", "--knobs", "--timeout", "--max-tests", "--quiet", "--help", "--version"}) {
    nearest.Consider(known);
  }
  return absl::InvalidArgumentError(StrCat("unknown option '", argument, "'", nearest.Suggestion()));
}

std::vector<std::string> SplitKnobs(std::string_view text) {
  return absl::StrSplit(ToAbsl(text), ' ', absl::SkipWhitespace());
}

absl::Status ParseArgument(const std::vector<std::string_view>& arguments, size_t& i, Options& options) {
  const std::string_view argument = arguments[i];
  if (argument == "-o" || argument == "--knobs") {
    if (++i == arguments.size() || arguments[i] == "--") {
      return absl::InvalidArgumentError(StrCat("'", argument, "' needs a value"));
    }
    if (argument == "-o") options.output = std::string(arguments[i]);
    if (argument == "--knobs") options.knobs = SplitKnobs(arguments[i]);
  } else if (argument == "--fails") {
    options.test.wants_failure = true;
  } else if (argument == "--quiet") {
    options.is_quiet = true;
  } else if (argument == "--help" || argument == "-help") {
    options.show_help = true;
  } else if (IsVersionFlag(argument)) {
    options.show_version = true;
  } else if (const auto message = ValueOf(argument, "--message")) {
    options.test.message = std::string(*message);
  } else if (const auto knobs = ValueOf(argument, "--knobs")) {
    options.knobs = SplitKnobs(*knobs);
  } else if (argument.starts_with("-") && argument != "-") {
    return ParseNumbers(argument, options);
  } else if (!options.input.empty()) {
    return absl::InvalidArgumentError(StrCat("more than one input file: '", options.input, "' and '", argument, "'"));
  } else {
    options.input = std::string(argument);
  }
  return absl::OkStatus();
}

absl::Status Parse(const std::vector<std::string_view>& arguments, Options& options) {
  size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (absl::Status status = ParseArgument(arguments, i, options); !status.ok()) return status;
  }
  if (options.show_help || options.show_version) return absl::OkStatus();
  bool names_file = false, names_knobs = false;
  for (++i; i < arguments.size(); ++i) {
    options.test.arguments.emplace_back(arguments[i]);
    names_file |= arguments[i].find("{}") != std::string_view::npos;
    names_knobs |= arguments[i] == "{knobs}";
  }
  if (options.input.empty()) return absl::InvalidArgumentError("no input file");
  if (options.test.arguments.empty()) return absl::InvalidArgumentError("no command: it follows '--'");
  if (!names_file) return absl::InvalidArgumentError("no argument of the command names the file: '{}'");
  if (!options.knobs.empty() && !names_knobs) {
    return absl::InvalidArgumentError("there are knobs, but no argument of the command is '{knobs}'");
  }
  return absl::OkStatus();
}

// Adapts the command to the predicates of the reducers, which cannot fail. It keeps the first error, and treats
// all later files as uninteresting.
class CommandPredicate {
 public:
  explicit CommandPredicate(const InterestingCommand& command) : command_(command) {}

  bool operator()(std::string_view mir, const std::vector<std::string>& knobs) {
    if (!status_.ok()) return false;
    const absl::StatusOr<bool> result = command_.Test(mir, knobs);
    if (!result.ok()) status_ = result.status();
    return result.ok() && *result;
  }
  const absl::Status& status() const { return status_; }

 private:
  const InterestingCommand& command_;
  absl::Status status_;
};

int WriteResult(const Options& options, std::string_view mir) {
  if (options.output == "-") {
    Print(stdout, mir);
    return 0;
  }
  std::FILE* file = std::fopen(options.output.c_str(), "wb");
  if (file == nullptr) return Fail(StrCat("cannot write '", options.output, "'"));
  const bool is_written = std::fwrite(mir.data(), 1, mir.size(), file) == mir.size();
  if (std::fclose(file) != 0 || !is_written) return Fail(StrCat("cannot write '", options.output, "'"));
  return 0;
}

int Run(Options& options) {
  const absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options.input);
  if (!buffer.ok()) return Fail(FromAbsl(buffer.status().message()));
  const absl::StatusOr<InterestingCommand> command = InterestingCommand::Create(options.test);
  if (!command.ok()) return Fail(FromAbsl(command.status().message()));
  CommandPredicate predicate(*command);
  const std::string original((*buffer)->text());
  const auto reduce_knobs = [&](const std::string& mir) {
    options.knobs = ReduceList(options.knobs, [&](const auto& knobs) { return predicate(mir, knobs); });
  };
  const bool has_knobs = !options.knobs.empty();
  // Fewer knobs first, because each may cost time in all later runs. If the file is not interesting, the reducer
  // reports that.
  if (has_knobs && predicate(original, options.knobs)) reduce_knobs(original);
  if (!options.is_quiet) {
    options.reducer.progress = [](std::string_view line) { Print(stderr, StrCat("ptxmir-reduce: ", line, "\n")); };
  }
  Reducer reducer(
      ptx::PtxTargetInfo(), [&](std::string_view mir) { return predicate(mir, options.knobs); }, options.reducer);
  const absl::StatusOr<std::string> result = reducer.Reduce(options.input, original);
  if (!predicate.status().ok()) return Fail(FromAbsl(predicate.status().message()));
  if (!result.ok()) return Fail(FromAbsl(result.status().message()));
  if (has_knobs) {
    reduce_knobs(*result);
    Print(stderr, StrCat("ptxmir-reduce: knobs left:", options.knobs.empty() ? "" : " ",
                         absl::StrJoin(options.knobs, " "), "\n"));
  }
  if (!options.is_quiet) {
    Print(stderr, StrCat("ptxmir-reduce: ", original.size(), " -> ", result->size(), " bytes in ", reducer.num_tests(),
                         " tests; ", reducer.num_refused(), " files were not well-formed\n"));
  }
  return WriteResult(options, *result);
}

}  // namespace
}  // namespace ptxmir

int main(int argc, char** argv) {
  ptxmir::Options options;
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (const absl::Status status = ptxmir::Parse(arguments, options); !status.ok()) {
    return ptxmir::Fail(ptxmir::StrCat(ptxmir::FromAbsl(status.message()), "\nTry: 'ptxmir-reduce --help'"));
  }
  if (options.show_help) {
    ptxmir::Print(stdout, ptxmir::kHelp);
    return 0;
  }
  if (options.show_version) {
    ptxmir::Print(stdout, ptxmir::ToolVersionText("ptxmir-reduce"));
    return 0;
  }
  return ptxmir::Run(options);
}
