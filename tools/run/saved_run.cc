// SPDX-License-Identifier: Apache-2.0

#include "tools/run/saved_run.h"

#include <fstream>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

std::string PathOf(std::string_view folder, size_t argument, std::string_view what) {
  return StrCat(folder, "/argument_", argument, ".", what);
}

absl::Status WriteFile(const std::string& path, std::string_view contents) {
  std::ofstream file(path, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  if (!file) return absl::UnavailableError(StrCat("could not write '", path, "'"));
  return absl::OkStatus();
}

std::string DimText(const ptx::Dim3& dim) { return StrCat(dim.x, ",", dim.y, ",", dim.z); }

std::string HexText(absl::Span<const uint8_t> bytes) {
  std::string out;
  for (const uint8_t byte : bytes) absl::StrAppendFormat(&out, "%02x", byte);
  return out;
}

}  // namespace

absl::Status SaveArgument(std::string_view folder, size_t argument, std::string_view what,
                          absl::Span<const uint8_t> bytes) {
  return WriteFile(PathOf(folder, argument, what), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

absl::Status SaveInput(std::string_view folder, const KernelRunOptions& options) {
  if (!options.variables.empty()) return absl::UnimplementedError("--save is not for runs with --variable");
  const ptx::LaunchConfig& launch = options.launch;
  std::string text = StrCat("--kernel=", launch.kernel, "\n--grid=", DimText(launch.grid), "\n--block=");
  StrAppend(&text, DimText(launch.block), "\n--cluster=", DimText(launch.cluster),
            "\n--shared=", launch.dynamic_shared_bytes, "\n", launch.cooperative ? "--cooperative\n" : "");
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    const KernelArgumentSpec& argument = options.arguments[i];
    if (argument.is_surface) return absl::UnimplementedError("--save is not for runs with surfaces");
    if (!argument.is_buffer) {
      StrAppend(&text, "--arg=hex:", HexText(argument.bytes), "\n");
      continue;
    }
    StrAppend(&text, "--arg=buffer:", argument.type.name, ":", argument.buffer_bytes / argument.type.bytes, ":");
    if (argument.is_undefined) {
      text += "undef\n";
      continue;
    }
    StrAppend(&text, "file:", PathOf(folder, i, "before"), "\n");
    if (absl::Status status = SaveArgument(folder, i, "before", argument.bytes); !status.ok()) return status;
  }
  return WriteFile(StrCat(folder, "/options"), text);
}

}  // namespace ptxmir
