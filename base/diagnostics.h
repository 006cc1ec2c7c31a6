// SPDX-License-Identifier: Apache-2.0

// Source buffers and diagnostics. All reports about what is wrong with an input go through DiagnosticEngine.
//
// A reader keeps `const char*` positions into the buffer that it reads. A position costs nothing until it is
// reported; only then are its line and column computed. A report looks like LLVM's:
//
//     kernel.mir:12:7: error: unknown machine instruction name 'ADD32rx'; did you mean 'ADD32rr'?
//         %2:b32 = ADD32rx %0, %1
//                  ^
//
// Every reader works on the original text, including the text inside YAML block scalars and embedded IR. Positions
// are therefore exact everywhere, without translation tables.

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

// An input file held in memory. Immutable and zero-terminated: text()[size()] is readable and 0, so lexers can
// look one character ahead without a bounds check.
class SourceBuffer {
 public:
  SourceBuffer(std::string name, std::string_view text);

  // Reads a whole file; "-" is standard input. Errors: kNotFound and kInvalidArgument (a directory, or a file over
  // 4 GiB). The message names the file.
  static absl::StatusOr<std::shared_ptr<const SourceBuffer>> FromFile(const std::string& path);

  const std::string& name() const { return name_; }
  std::string_view text() const { return {data_.get(), size_}; }
  // Tells that a part of the text is not going to be looked at for a while. It takes no memory until then if the file
  // is mapped.
  void Unload(std::string_view part) const;
  bool Contains(const char* position) const { return position >= data_.get() && position <= data_.get() + size_; }

 private:
  // Releases the memory of the text: with munmap of `mapped` bytes, or with std::free if `mapped` is 0.
  struct Release {
    Release() : mapped(0) {}
    explicit Release(size_t mapped_bytes) : mapped(mapped_bytes) {}
    size_t mapped;
    void operator()(char* data) const;
  };

  SourceBuffer(std::string name, std::unique_ptr<char, Release> data, size_t size)
      : name_(std::move(name)), data_(std::move(data)), size_(size) {}

  // Maps a regular file of `size` bytes. Returns null if it cannot be mapped so that a zero follows the text.
  static std::unique_ptr<char, Release> Map(int file, size_t size);

  std::string name_;
  std::unique_ptr<char, Release> data_;
  size_t size_;
};

struct LineAndColumn {
  size_t line = 0;    // 1-based
  size_t column = 0;  // 1-based, in bytes
};

// Returns the line and column of a position within the buffer. O(position).
LineAndColumn Locate(const SourceBuffer& buffer, const char* position);

enum class Severity { kError, kWarning, kNote };

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string file;
  LineAndColumn where;      // line 0 if the position is unknown
  std::string message;      // no trailing period or newline
  std::string source_line;  // without the newline

  // Returns "file:line:col: error: message\n<line>\n   ^\n".
  std::string ToString() const;
};

// Collects diagnostics in the order in which they are reported. Not thread-safe: each compilation, and each
// function that is compiled in parallel, has its own engine.
class DiagnosticEngine {
 public:
  // The number of errors to keep. Further errors are only counted, so that a damaged file of any size uses bounded
  // memory.
  static constexpr size_t kMaxKeptErrors = 20;

  void Report(Severity severity, const SourceBuffer& buffer, const char* position, std::string message);
  // Reports a problem that has no position in an input: a bad option, a file that cannot be opened, an internal
  // limit.
  void Report(Severity severity, std::string message);

  void Error(const SourceBuffer& buffer, const char* position, std::string message) {
    Report(Severity::kError, buffer, position, std::move(message));
  }
  void Error(std::string message) { Report(Severity::kError, std::move(message)); }
  // Adds all diagnostics of another engine, as if they had been reported here.
  void Append(const DiagnosticEngine& other);

  bool has_errors() const { return num_errors_ > 0; }
  size_t num_errors() const { return num_errors_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  // Returns true if there were so many errors that a reader should give up.
  bool limit_reached() const { return num_errors_ >= kMaxKeptErrors; }

  // Returns all diagnostics as they should appear on stderr.
  std::string ToString() const;

 private:
  std::vector<Diagnostic> diagnostics_;
  size_t num_errors_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_DIAGNOSTICS_H_
