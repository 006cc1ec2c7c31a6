// SPDX-License-Identifier: Apache-2.0

#include "tools/run/kernel_run_options.h"

#include <charconv>
#include <optional>

#include "absl/strings/str_format.h"
#include "base/nearest_name.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

struct OptionInfo {
  std::string_view name;
  std::string_view value_name;  // empty: the option has no value
  std::string_view help;
  std::optional<RunTool> only;  // without a value, both tools have the option
  absl::Status (*apply)(std::string_view value, KernelRunOptions& options);
};

template <typename T>
absl::Status ParseNumber(std::string_view value, T& number) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("'", value, "' is no number in range"));
}

absl::Status ParseDim(std::string_view value, ptx::Dim3& dim) {
  uint32_t* const axes[] = {&dim.x, &dim.y, &dim.z};
  dim = {};
  for (uint32_t* axis : axes) {
    const size_t comma = value.find(',');
    if (absl::Status status = ParseNumber(value.substr(0, comma), *axis); !status.ok()) return status;
    if (comma == value.npos) return absl::OkStatus();
    value.remove_prefix(comma + 1);
  }
  return absl::InvalidArgumentError("there are three dimensions at most");
}

constexpr OptionInfo kOptions[] = {
    {"help", "", "Show this and exit", std::nullopt,
     [](std::string_view, KernelRunOptions& options) {
       options.show_help = true;
       return absl::OkStatus();
     }},
    {"version", "", "Show the version and exit", std::nullopt,
     [](std::string_view, KernelRunOptions& options) {
       options.show_version = true;
       return absl::OkStatus();
     }},
    {"kernel", "name",
     "The kernel: its name, or what follows the length in a mangled name; may be left out "
     "when there is one kernel only",
     std::nullopt,
     [](std::string_view value, KernelRunOptions& options) {
       options.launch.kernel = std::string(value);
       return absl::OkStatus();
     }},
    {"grid", "x[,y[,z]]", "Blocks (default: 1)", std::nullopt,
     [](std::string_view value, KernelRunOptions& options) { return ParseDim(value, options.launch.grid); }},
    {"block", "x[,y[,z]]", "Threads of a block (default: 32)", std::nullopt,
     [](std::string_view value, KernelRunOptions& options) { return ParseDim(value, options.launch.block); }},
    {"cluster", "x[,y[,z]]", "Blocks of a cluster (default: 1)", std::nullopt,
     [](std::string_view value, KernelRunOptions& options) { return ParseDim(value, options.launch.cluster); }},
    {"cooperative", "", "Give the grid memory for grid-wide barriers, as a cooperative launch does", std::nullopt,
     [](std::string_view, KernelRunOptions& options) {
       options.launch.cooperative = true;
       return absl::OkStatus();
     }},
    {"shared", "bytes", "Dynamic shared memory of a block (default: 0)", std::nullopt,
     [](std::string_view value, KernelRunOptions& options) {
       return ParseNumber(value, options.launch.dynamic_shared_bytes);
     }},
    {"arg", "spec",
     "An argument, in order: i32:5, f32:1.5, hex:00ff, buffer:f32:1024:random:SEED[:LOW:HIGH], "
     "buffer:TYPE:COUNT:zero|undef|iota|fill:VALUE|file:PATH, surface:f32x4:WIDTHxHEIGHTxDEPTH:(contents as of a "
     "buffer)",
     std::nullopt,
     [](std::string_view value, KernelRunOptions& options) {
       absl::StatusOr<KernelArgumentSpec> argument = ParseKernelArgument(value);
       if (argument.ok()) options.arguments.push_back(*std::move(argument));
       return argument.status();
     }},
    {"variable", "name=spec", "What a variable of the module holds, as of --arg: a surface's variable its handle",
     RunTool::kInterpreter,
     [](std::string_view value, KernelRunOptions& options) {
       const size_t equals = value.find('=');
       if (equals == value.npos) return absl::InvalidArgumentError("expected NAME=SPEC");
       absl::StatusOr<KernelArgumentSpec> spec = ParseKernelArgument(value.substr(equals + 1));
       if (spec.ok()) options.variables.emplace_back(value.substr(0, equals), *std::move(spec));
       return spec.status();
     }},
    {"generate", "n",
     "Make up grid, blocks and arguments, as -verify-exec of ptxmir does for its input n; instead of all of the above "
     "but --kernel",
     RunTool::kInterpreter,
     [](std::string_view value, KernelRunOptions& options) {
       return ParseNumber(value, options.generated_input.emplace());
     }},
    {"save", "folder",
     "Write what buffers hold before and after the run to files in the folder, and to 'options' in it the options that "
     "run the same",
     std::nullopt,
     [](std::string_view value, KernelRunOptions& options) {
       options.save_folder = std::string(value);
       return absl::OkStatus();
     }},
    {"show", "hash|values|nothing", "What to print of buffers and surfaces afterwards (default: hash)", std::nullopt,
     [](std::string_view value, KernelRunOptions& options) {
       using Show = KernelRunOptions::Show;
       if (value != "hash" && value != "values" && value != "nothing") {
         return absl::InvalidArgumentError(StrCat("'", value, "' is not hash, values or nothing"));
       }
       options.show = value == "hash" ? Show::kHash : value == "values" ? Show::kValues : Show::kNothing;
       return absl::OkStatus();
     }},
    {"max-shown", "n", "Elements to print of a buffer (default: 64)", std::nullopt,
     [](std::string_view value, KernelRunOptions& options) { return ParseNumber(value, options.max_shown); }},
    {"counts", "", "Print what was executed: instructions by class, accesses by space, bytes of spills, branches",
     RunTool::kInterpreter,
     [](std::string_view, KernelRunOptions& options) {
       options.show_counts = true;
       return absl::OkStatus();
     }},
    {"max-steps", "n", "Stop after this many instructions of warps (default: 2^32)", RunTool::kInterpreter,
     [](std::string_view value, KernelRunOptions& options) { return ParseNumber(value, options.launch.max_steps); }},
    {"order", "usual|reverse|interleaved",
     "The order of threads, which matters to races and atomic operations alone (default: usual: blocks one after the "
     "other)",
     RunTool::kInterpreter,
     [](std::string_view value, KernelRunOptions& options) {
       if (value != "usual" && value != "reverse" && value != "interleaved") {
         return absl::InvalidArgumentError(StrCat("'", value, "' is not usual, reverse or interleaved"));
       }
       options.launch.order = {.reverse = value == "reverse", .interleave = value == "interleaved"};
       return absl::OkStatus();
     }},
    {"no-race-detection", "", "Do not look for data races on shared memory", RunTool::kInterpreter,
     [](std::string_view, KernelRunOptions& options) {
       options.launch.detect_races = false;
       return absl::OkStatus();
     }},
    {"report-undefined-stores", "", "Undefined bits that are stored to global memory are an error, not a warning",
     RunTool::kInterpreter,
     [](std::string_view, KernelRunOptions& options) {
       options.launch.stop_at_undefined_stores = true;
       return absl::OkStatus();
     }},
    {"commands", "file",
     "Do one run for each line of the file, which holds options and an input; prints 'ptxmir-gpu-run: done' after each "
     "and stops at "
     "the "
     "first that fails",
     RunTool::kGpu,
     [](std::string_view value, KernelRunOptions& options) {
       options.commands_file = std::string(value);
       return absl::OkStatus();
     }},
    {"copies", "n",
     "Launch the grid with n times its extent in z: n copies that work on the same buffers, if the kernel does not "
     "read "
     "%ctaid.z (default: 1)",
     RunTool::kGpu,
     [](std::string_view value, KernelRunOptions& options) { return ParseNumber(value, options.copies); }},
    {"fill", "us",
     "After the run, print the copies of the grid that take so many microseconds: the least sufficient power of four, "
     "or "
     "as many as a grid may have in z",
     RunTool::kGpu,
     [](std::string_view value, KernelRunOptions& options) { return ParseNumber(value, options.fill_time); }},
    {"time", "n",
     "After the run, time n more launches, or fewer if they take long, and print the median in microseconds",
     RunTool::kGpu,
     [](std::string_view value, KernelRunOptions& options) { return ParseNumber(value, options.num_timed); }},
};

bool HasOption(RunTool tool, const OptionInfo& option) { return option.only.value_or(tool) == tool; }

absl::Status Apply(RunTool tool, std::string_view argument, absl::Span<const std::string_view> arguments, size_t& at,
                   KernelRunOptions& options) {
  std::string_view name = argument.substr(argument.starts_with("--") ? 2 : 1);
  std::optional<std::string_view> value;
  if (const size_t equals = name.find('='); equals != name.npos) {
    value = name.substr(equals + 1);
    name = name.substr(0, equals);
  }
  for (const OptionInfo& option : kOptions) {
    if (option.name != name) continue;
    if (!HasOption(tool, option)) {
      return absl::InvalidArgumentError(
          StrCat("--", name, " is for ", tool == RunTool::kGpu ? "ptxmir-run" : "ptxmir-gpu-run", " alone"));
    }
    if (option.value_name.empty()) {
      if (value.has_value()) return absl::InvalidArgumentError(StrCat("--", name, " takes no value"));
      return option.apply({}, options);
    }
    if (!value.has_value()) {
      if (at + 1 >= arguments.size()) return absl::InvalidArgumentError(StrCat("--", name, " needs a value"));
      value = arguments[++at];
    }
    const absl::Status status = option.apply(*value, options);
    if (status.ok()) return status;
    return absl::InvalidArgumentError(StrCat("--", name, ": ", FromAbsl(status.message())));
  }
  NearestName nearest(name);
  for (const OptionInfo& option : kOptions) {
    if (HasOption(tool, option)) nearest.Consider(option.name);
  }
  return absl::InvalidArgumentError(StrCat("unknown option '", argument, "'", nearest.Suggestion()));
}

constexpr ptx::Dim3 kDefaultBlock = {32, 1, 1};

// Returns true if an option describes the launch, other than which kernel is launched.
bool DescribesLaunch(const KernelRunOptions& options) {
  const ptx::LaunchConfig& launch = options.launch;
  const auto is = [](const ptx::Dim3& a, const ptx::Dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
  return !options.arguments.empty() || !options.variables.empty() || launch.cooperative ||
         launch.dynamic_shared_bytes != 0 || !is(launch.grid, {}) || !is(launch.cluster, {}) ||
         !is(launch.block, kDefaultBlock);
}

}  // namespace

absl::Status ParseRunCommandLine(RunTool tool, absl::Span<const std::string_view> arguments,
                                 KernelRunOptions& options) {
  options.launch.block = kDefaultBlock;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument.size() > 1 && argument[0] == '-') {
      if (absl::Status status = Apply(tool, argument, arguments, i, options); !status.ok()) return status;
    } else if (options.input.empty()) {
      options.input = std::string(argument);
    } else {
      return absl::InvalidArgumentError(StrCat("more than one input: '", options.input, "' and '", argument, "'"));
    }
  }
  if (options.generated_input.has_value() && DescribesLaunch(options)) {
    return absl::InvalidArgumentError("--generate chooses the launch and its arguments, which other options give");
  }
  return absl::OkStatus();
}

std::string RunHelpText(RunTool tool) {
  std::string out = tool == RunTool::kInterpreter ? "Runs a kernel of LLVM IR or MIR in the interpreter.\n\n"
                                                    "Usage: ptxmir-run [options] <file.ll | file.mir | ->\n\n"
                                                  : "Runs a kernel of a PTX file or a cubin on a GPU.\n\n"
                                                    "Usage: ptxmir-gpu-run [options] <file>\n\n";
  for (const OptionInfo& option : kOptions) {
    if (!HasOption(tool, option)) continue;
    std::string left = StrCat("  --", option.name, option.value_name.empty() ? "" : "=", option.value_name);
    absl::StrAppendFormat(&out, "%-28s %s\n", left, ToAbsl(option.help));
  }
  return out;
}

}  // namespace ptxmir
