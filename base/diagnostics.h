// SPDX-License-Identifier: Apache-2.0

// Source buffers and diagnostics: the one way in which ptxmir tells a user what is wrong with an input.
//
// A reader keeps `const char*` positions into the buffer that it reads, so a position costs nothing until
// it is reported; line and column are computed then. A report looks as LLVM's do:
//
//     kernel.mir:12:7: error: unknown machine instruction name 'ADD32rx'; did you mean 'ADD32rr'?
//         %2:b32 = ADD32rx %0, %1
//                  ^
//
// Every reader works on the original text (also inside YAML block scalars and embedded IR), so positions
// are right everywhere without translation tables.

#ifndef PTXMIR_BASE_DIAGNOSTICS_H_
#define PTXMIR_BASE_DIAGNOSTICS_H_

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ptxmir {

// An input file held in memory. Immutable and zero-terminated (text()[size()] is readable and 0), which
// lets lexers look one character ahead without a bounds check.
class SourceBuffer {
 public:
  SourceBuffer(std::string name, std::string_view text);

  // Reads a whole file; "-" is standard input. Errors: kNotFound, kInvalidArgument (a directory, over
  // 4 GiB), with a message that names the file.
  static absl::StatusOr<std::shared_ptr<const SourceBuffer>> FromFile(const std::string& path);

  const std::string& name() const { return name_; }
  std::string_view text() const { return {data_.get(), size_}; }
  bool Contains(const char* position) const { return position >= data_.get() && position <= data_.get() + size_; }

 private:
  // How the text's memory is given back: std::free, or munmap of `mapped` bytes.
  struct Release {
    Release() : mapped(0) {}
    explicit Release(size_t mapped_bytes) : mapped(mapped_bytes) {}
    size_t mapped;
    void operator()(char* data) const;
  };

  SourceBuffer(std::string name, std::unique_ptr<char, Release> data, size_t size)
      : name_(std::move(name)), data_(std::move(data)), size_(size) {}

  // Maps a regular file of `size` bytes; null when it cannot be mapped with a zero behind it.
  static std::unique_ptr<char, Release> Map(int file, size_t size);

  std::string name_;
  std::unique_ptr<char, Release> data_;
  size_t size_;
};

struct LineAndColumn {
  size_t line = 0;    // from 1
  size_t column = 0;  // from 1, in bytes
};

// Line and column of a position within the buffer. O(position).
LineAndColumn Locate(const SourceBuffer& buffer, const char* position);

enum class Severity { kError, kWarning, kNote };

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string file;
  LineAndColumn where;      // line 0: no position is known
  std::string message;      // no trailing period or newline
  std::string source_line;  // without its newline

  // "file:line:col: error: message\n<line>\n   ^\n"
  std::string ToString() const;
};

// Collects diagnostics in the order in which they were reported. Not thread-safe: each compilation (or
// each function compiled in parallel) has its own.
class DiagnosticEngine {
 public:
  // After this many errors the rest are counted but not kept, so that a damaged file of any size costs
  // bounded memory.
  static constexpr size_t kMaxKeptErrors = 20;

  void Report(Severity severity, const SourceBuffer& buffer, const char* position, std::string message);
  // For what has no place in an input: options, files that cannot be opened, internal limits.
  void Report(Severity severity, std::string message);

  void Error(const SourceBuffer& buffer, const char* position, std::string message) {
    Report(Severity::kError, buffer, position, std::move(message));
  }
  void Error(std::string message) { Report(Severity::kError, std::move(message)); }
  // Adds what another engine has collected, as if it had been reported here.
  void Append(const DiagnosticEngine& other);

  bool has_errors() const { return num_errors_ > 0; }
  size_t num_errors() const { return num_errors_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  // Whether so many errors were seen that a reader should give up.
  bool limit_reached() const { return num_errors_ >= kMaxKeptErrors; }

  // All diagnostics as they should appear on stderr.
  std::string ToString() const;

 private:
  std::vector<Diagnostic> diagnostics_;
  size_t num_errors_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_DIAGNOSTICS_H_
