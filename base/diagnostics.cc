// SPDX-License-Identifier: Apache-2.0

#include "base/diagnostics.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/huge_pages.h"
#include "base/out_of_memory.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

// The longest source line that is shown with a diagnostic. Of a longer line, only the part around the position is
// shown.
constexpr size_t kMaxShownLine = 160;

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "error";
}

constexpr size_t kReadBlock = size_t{1} << 20;
// The smallest file size that is mapped, as in LLVM's MemoryBuffer. A smaller file is read: mapping it saves little,
// and the file may then be overwritten while the text is in use.
constexpr size_t kMinMappedSize = size_t{16} << 10;
constexpr size_t kMaxFileSize = size_t{1} << 32;

// Closes the file at the end of its scope, unless it is standard input.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (number_ > STDIN_FILENO) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

SourceBuffer::SourceBuffer(std::string name, std::string_view text) : name_(std::move(name)), size_(text.size()) {
  char* data = static_cast<char*>(AllocateLarge(size_ + 1));
  if (data == nullptr) OutOfMemory();
  std::copy(text.begin(), text.end(), data);
  data[size_] = '\0';
  data_.reset(data);
}

void SourceBuffer::Release::operator()(char* data) const {
  if (mapped > 0) {
    munmap(data, mapped);
  } else {
    std::free(data);
  }
}

void SourceBuffer::Unload(std::string_view part) const {
  if (data_.get_deleter().mapped > 0) ReleasePages(const_cast<char*>(part.data()), part.size());
}

std::unique_ptr<char, SourceBuffer::Release> SourceBuffer::Map(int file, size_t size) {
  struct stat info;
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  // The rest of the last page reads as zeros. A file that fills its last page leaves no room for the zero.
  if (size < kMinMappedSize || size % page == 0) return nullptr;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return nullptr;
  // Not populated: the system maps 16 pages at the first access to one of them, at less than half the cost.
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) return nullptr;
  return {static_cast<char*>(data), Release(size)};
}

absl::StatusOr<std::shared_ptr<const SourceBuffer>> SourceBuffer::FromFile(const std::string& path) {
  const bool is_stdin = path == "-";
  const FileDescriptor file(is_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto error = [&](std::string_view what) {
    return absl::InvalidArgumentError(StrCat("could not read input file '", path, "': ", what));
  };
  if (file.number() < 0) {
    return absl::NotFoundError(StrCat("could not open input file '", path, "': ", std::strerror(errno)));
  }
  struct stat info;
  size_t capacity = kReadBlock;
  if (fstat(file.number(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return error("is a directory");
    // One byte more than the file has, so that its end is seen without growing the buffer.
    if (S_ISREG(info.st_mode)) capacity = static_cast<size_t>(info.st_size) + 1;
  }
  if (capacity > kMaxFileSize) return error("larger than 4 GiB");
  size_t size = capacity - 1;
  std::unique_ptr<char, Release> data = Map(file.number(), size);
  if (data != nullptr) {
    return std::shared_ptr<const SourceBuffer>(new SourceBuffer(path, std::move(data), size));
  }
  data.reset(static_cast<char*>(AllocateLarge(capacity + 1)));
  size = 0;
  while (data != nullptr) {
    const ssize_t got = read(file.number(), data.get() + size, capacity - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error(std::strerror(errno));
    if (got == 0) break;
    size += static_cast<size_t>(got);
    if (size < capacity) continue;
    if (capacity > kMaxFileSize) return error("larger than 4 GiB");
    capacity *= 2;
    std::unique_ptr<char, Release> grown(static_cast<char*>(AllocateLarge(capacity + 1)));
    if (grown != nullptr) std::copy(data.get(), data.get() + size, grown.get());
    data = std::move(grown);
  }
  if (data == nullptr) return absl::ResourceExhaustedError(StrCat("not enough memory for '", path, "'"));
  data.get()[size] = '\0';
  return std::shared_ptr<const SourceBuffer>(new SourceBuffer(is_stdin ? "<stdin>" : path, std::move(data), size));
}

LineAndColumn Locate(const SourceBuffer& buffer, const char* position) {
  const char* begin = buffer.text().data();
  const char* line_start = position;
  while (line_start > begin && line_start[-1] != '\n') --line_start;
  return {.line = 1 + static_cast<size_t>(std::count(begin, line_start, '\n')),
          .column = 1 + static_cast<size_t>(position - line_start)};
}

std::string Diagnostic::ToString() const {
  std::string out;
  if (where.line == 0) {
    if (!file.empty()) StrAppend(&out, file, ": ");
    StrAppend(&out, SeverityName(severity), ": ", message, "\n");
    return out;
  }
  StrAppend(&out, file, ":", where.line, ":", where.column, ": ", SeverityName(severity), ": ", message, "\n");
  std::string_view line = source_line;
  size_t caret = where.column - 1;
  if (line.size() > kMaxShownLine) {
    const size_t start = caret < kMaxShownLine / 2 ? 0 : caret - kMaxShownLine / 2;
    line = line.substr(start, kMaxShownLine);
    caret -= start;
  }
  StrAppend(&out, line, "\n");
  // Tabs of the source line are copied, so that the caret is under the character that the reader sees.
  for (size_t i = 0; i < caret; ++i) out.push_back(i < line.size() && line[i] == '\t' ? '\t' : ' ');
  out += "^\n";
  return out;
}

void DiagnosticEngine::Report(Severity severity, const SourceBuffer& buffer, const char* position,
                              std::string message) {
  if (severity == Severity::kError && ++num_errors_ > kMaxKeptErrors) return;
  const char* end = buffer.text().data() + buffer.text().size();
  position = std::min(position, end);
  Diagnostic diagnostic{.severity = severity,
                        .file = buffer.name(),
                        .where = Locate(buffer, position),
                        .message = std::move(message),
                        .source_line = {}};
  const char* line_start = position - (diagnostic.where.column - 1);
  const char* line_end = std::find(line_start, end, '\n');
  if (line_end > line_start && line_end[-1] == '\r') --line_end;
  diagnostic.source_line.assign(line_start, line_end);
  std::replace(diagnostic.source_line.begin(), diagnostic.source_line.end(), '\0', ' ');
  diagnostics_.push_back(std::move(diagnostic));
}

void DiagnosticEngine::Report(Severity severity, std::string message) {
  if (severity == Severity::kError && ++num_errors_ > kMaxKeptErrors) return;
  diagnostics_.push_back(
      {.severity = severity, .file = {}, .where = {}, .message = std::move(message), .source_line = {}});
}

void DiagnosticEngine::Append(const DiagnosticEngine& other) {
  size_t num_errors = num_errors_;
  for (const Diagnostic& diagnostic : other.diagnostics_) {
    if (diagnostic.severity == Severity::kError && ++num_errors > kMaxKeptErrors) continue;
    diagnostics_.push_back(diagnostic);
  }
  num_errors_ += other.num_errors_;
}

std::string DiagnosticEngine::ToString() const {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics_) out += diagnostic.ToString();
  if (num_errors_ > kMaxKeptErrors) {
    StrAppend(&out, "error: too many errors (", num_errors_, "), the rest are not shown\n");
  }
  return out;
}

}  // namespace ptxmir
