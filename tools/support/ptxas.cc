// SPDX-License-Identifier: Apache-2.0

#include "tools/support/ptxas.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "tools/support/external_programs.h"

namespace ptxmir {
namespace {

// Returns the number before `unit`, as in "8 bytes spill stores", or nullopt if the line has none.
std::optional<uint32_t> NumberBefore(std::string_view line, std::string_view unit) {
  const size_t at = line.find(unit);
  if (at == std::string_view::npos) return std::nullopt;
  size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  uint32_t number;
  if (!absl::SimpleAtoi(ToAbsl(line.substr(begin, at - begin)), &number)) return std::nullopt;
  return number;
}

// Returns the text between `before` and `after`, or an empty string if they do not occur.
std::string_view Between(std::string_view line, std::string_view before, std::string_view after) {
  const size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + before.size());
  return line.substr(0, line.find(after));
}

uint64_t Fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

// A file that is deleted together with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view folder) : path_(StrCat(folder, "/ptxmir-XXXXXX")) {
    const int file = mkstemp(path_.data());
    is_open_ = file >= 0;
    if (is_open_) close(file);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (is_open_) std::remove(path_.c_str());
  }

  const std::string& path() const { return path_; }
  bool Write(std::string_view text) const {
    std::ofstream out(path_, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    return is_open_ && out.flush().good();
  }
  bool MoveTo(const std::string& path) {
    if (std::rename(path_.c_str(), path.c_str()) != 0) return false;
    is_open_ = false;
    return true;
  }

 private:
  std::string path_;
  bool is_open_;
};

// Stores an entry in the cache. Failure is not an error: ptxas will be run again.
void KeepEntry(const std::string& folder, const std::string& path, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  TemporaryFile file(folder);
  if (file.Write(text)) file.MoveTo(path);
}

}  // namespace

PtxasReport ParsePtxasOutput(std::string_view text) {
  PtxasReport report;
  std::string kernel;         // the kernel whose code is being compiled; its functions follow it
  std::string_view function;  // the function that the next lines describe
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (const std::string_view name = Between(line, "Compiling entry function '", "'"); !name.empty()) {
      kernel = std::string(name);
      report.try_emplace(kernel);
    } else if (const std::string_view of = Between(line, "Function properties for ", " "); !of.empty()) {
      function = of;
    } else if (kernel.empty()) {
      continue;
    } else if (const auto stores = NumberBefore(line, " bytes spill stores"); stores) {
      PtxasFigures& figures = report[kernel];
      if (function == kernel) figures.stack_bytes = NumberBefore(line, " bytes stack frame").value_or(0);
      figures.spill_store_bytes += *stores;
      figures.spill_load_bytes += NumberBefore(line, " bytes spill loads").value_or(0);
    } else if (const auto registers = NumberBefore(line, " registers"); registers) {
      PtxasFigures& figures = report[kernel];
      figures.registers = *registers;
      figures.barriers = NumberBefore(line, " barriers").value_or(0);
      figures.shared_bytes = NumberBefore(line, " bytes smem").value_or(0);
    }
  }
  return report;
}

absl::StatusOr<Ptxas> Ptxas::Create(Options options) {
  std::string version;
  if (options.path.empty() || !RunCommand({options.path, "--version"}, version)) {
    return absl::NotFoundError(
        "ptxas was not found: it is sought on PATH, in $CUDA_HOME/bin and in /usr/local/cuda/bin");
  }
  return Ptxas(std::move(options), std::move(version));
}

absl::StatusOr<std::string> Ptxas::Run(std::string_view ptx, const std::string& cubin) const {
  TemporaryFile file(TemporaryFolder());
  if (!file.Write(ptx)) return absl::UnavailableError("could not write a temporary file for ptxas");
  std::vector<std::string> command = {options_.path, "-v"};
  command.insert(command.end(), options_.flags.begin(), options_.flags.end());
  command.insert(command.end(), {file.path(), "-o", cubin});
  std::string output;
  bool ok = RunCommand(command, output);
  if (!ok && output.find("Unresolved extern") != std::string::npos) {
    command.push_back("-c");
    ok = RunCommand(command, output);
  }
  if (!ok) return absl::InvalidArgumentError(output);
  return output;
}

std::string Ptxas::EntryHead(std::string_view ptx) const {
  std::string head = StrCat("ptxas\n", version_);
  for (const std::string& flag : options_.flags) StrAppend(&head, "flag: ", flag, "\n");
  StrAppend(&head, "PTX: ", ptx.size(), " bytes\n", ptx, "\nanswer:\n");
  return head;
}

std::string Ptxas::EntryPath(std::string_view head) const {
  return StrCat(options_.cache_folder, "/", absl::StrFormat("%016x", Fnv1a(head)));
}

absl::StatusOr<std::string> Ptxas::Assemble(absl::Span<const std::string_view> parts) const {
  std::string ptx;
  for (const std::string_view part : parts) StrAppend(&ptx, part);
  const TemporaryFile cubin(TemporaryFolder());
  if (const absl::StatusOr<std::string> output = Run(ptx, cubin.path()); !output.ok()) return output.status();
  const absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(cubin.path());
  if (!buffer.ok()) return buffer.status();
  return std::string((*buffer)->text());
}

absl::StatusOr<PtxasReport> Ptxas::Judge(absl::Span<const std::string_view> parts) const {
  std::string ptx;
  for (const std::string_view part : parts) StrAppend(&ptx, part);
  if (options_.cache_folder.empty()) {
    const absl::StatusOr<std::string> output = Run(ptx, "/dev/null");
    return output.ok() ? absl::StatusOr<PtxasReport>(ParsePtxasOutput(*output)) : output.status();
  }
  const std::string head = EntryHead(ptx);
  const std::string path = EntryPath(head);
  if (const auto entry = SourceBuffer::FromFile(path); entry.ok() && (*entry)->text().starts_with(head)) {
    return ParsePtxasOutput((*entry)->text().substr(head.size()));
  }
  const absl::StatusOr<std::string> output = Run(ptx, "/dev/null");
  if (!output.ok()) return output.status();
  KeepEntry(options_.cache_folder, path, StrCat(head, *output));
  return ParsePtxasOutput(*output);
}

}  // namespace ptxmir
