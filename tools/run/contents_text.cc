// SPDX-License-Identifier: Apache-2.0

#include "tools/run/contents_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "ptx/interpreter/exec/device.h"
#include "ptx/interpreter/exec/texture_table.h"
#include "tools/run/saved_run.h"

namespace ptxmir {
namespace {

struct Contents {
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> undefined;  // bits
};

// Returns the contents of the buffer or surface of an argument. Undefined bits are 0.
Contents ReadContents(const KernelArgumentSpec& spec, const ptx::Device& device, uint64_t address) {
  Contents contents;
  contents.bytes.resize(spec.buffer_bytes);
  if (spec.is_surface) {
    device.ReadTexture(address, absl::MakeSpan(contents.bytes));
    const absl::Span<const uint8_t> undefined = device.texture_table().Find(address)->undefined();
    contents.undefined.assign(undefined.begin(), undefined.end());
    contents.undefined.resize(spec.buffer_bytes);
  } else {
    device.Read(address, absl::MakeSpan(contents.bytes));
    contents.undefined = device.UndefinedBits(address, spec.buffer_bytes);
  }
  for (size_t i = 0; i < contents.bytes.size(); ++i) contents.bytes[i] &= static_cast<uint8_t>(~contents.undefined[i]);
  return contents;
}

// Returns lines of `per_line` elements.
std::string FormatElements(const KernelRunOptions& options, const ElementType& type, const Contents& contents,
                           uint64_t per_line) {
  std::string out;
  const uint64_t count = contents.bytes.size() / type.bytes;
  for (uint64_t i = 0; i < std::min(count, options.max_shown); ++i) {
    const size_t at = i * type.bytes;
    bool known = true;
    for (unsigned j = 0; j < type.bytes; ++j) known = known && contents.undefined[at + j] == 0;
    StrAppend(&out, i % per_line == 0 ? "\n  " : " ",
              known ? FormatElement(type, contents.bytes.data() + at) : std::string("?"));
  }
  if (count == 0) out += '\n';
  if (count > options.max_shown) StrAppend(&out, " ...");
  return out;
}

std::string TextOf(const KernelRunOptions& options, std::string_view name, const KernelArgumentSpec& spec,
                   const ptx::Device& device, uint64_t address) {
  if (!spec.is_buffer && !spec.is_surface) return {};
  const Contents contents = ReadContents(spec, device, address);
  std::string out = StrCat(name, ": ", std::string(absl::StrFormat("%016x", HashBytes(contents.bytes))));
  const auto is_undefined = [](uint8_t bits) { return bits != 0; };
  const auto num_undefined = std::count_if(contents.undefined.begin(), contents.undefined.end(), is_undefined);
  if (num_undefined != 0) StrAppend(&out, ", ", num_undefined, " bytes undefined");
  if (options.show == KernelRunOptions::Show::kValues) {
    constexpr uint64_t kOfBuffers = 8;
    const uint64_t per_line = spec.is_surface ? uint64_t{spec.extent[0]} * spec.components : kOfBuffers;
    out += FormatElements(options, spec.type, contents, per_line);
  }
  return out + "\n";
}

}  // namespace

std::string ContentsText(const KernelRunOptions& options, const KernelRun& run) {
  std::string out;
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    out += TextOf(options, StrCat("argument ", i), options.arguments[i], run.device(), run.address(i));
  }
  for (size_t i = 0; i < options.variables.size(); ++i) {
    const auto& [name, spec] = options.variables[i];
    out += TextOf(options, StrCat("@", name), spec, run.device(), run.variable_address(i));
  }
  return out;
}

absl::Status SaveContents(const KernelRunOptions& options, const KernelRun& run) {
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    if (!options.arguments[i].is_buffer) continue;
    const Contents contents = ReadContents(options.arguments[i], run.device(), run.address(i));
    absl::Status status = SaveArgument(options.save_folder, i, "after", contents.bytes);
    const auto is_undefined = [](uint8_t bits) { return bits != 0; };
    if (status.ok() && std::any_of(contents.undefined.begin(), contents.undefined.end(), is_undefined)) {
      status = SaveArgument(options.save_folder, i, "undefined", contents.undefined);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace ptxmir
