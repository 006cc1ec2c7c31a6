#include "mir/diagnostics.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "mir/str_cat.h"

namespace ptxmir {
namespace {

// Longest source line shown with a diagnostic; of a longer one the part around the position is shown.
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

struct FileCloser {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

}  // namespace

SourceBuffer::SourceBuffer(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {}

absl::StatusOr<std::shared_ptr<const SourceBuffer>> SourceBuffer::FromFile(
    const std::string& path) {
  const bool is_stdin = path == "-";
  std::unique_ptr<std::FILE, FileCloser> file(is_stdin ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    return absl::NotFoundError(
        StrCat("could not open input file '", path, "': ", std::strerror(errno)));
  }
  struct stat info;
  std::string text;
  if (fstat(fileno(file.get()), &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      return absl::InvalidArgumentError(
          StrCat("could not read input file '", path, "': is a directory"));
    }
    if (S_ISREG(info.st_mode) && info.st_size > 0) text.reserve(static_cast<size_t>(info.st_size) + 1);
  }
  constexpr size_t kBlock = size_t{1} << 20;
  constexpr size_t kMaxSize = size_t{1} << 32;
  while (true) {
    const size_t old_size = text.size();
    const size_t want = std::max(kBlock, text.capacity() > old_size ? text.capacity() - old_size : 0);
    text.resize(old_size + want);
    const size_t got = std::fread(text.data() + old_size, 1, want, file.get());
    text.resize(old_size + got);
    if (text.size() >= kMaxSize) {
      return absl::InvalidArgumentError(
          StrCat("could not read input file '", path, "': larger than 4 GiB"));
    }
    if (got < want) break;
  }
  if (std::ferror(file.get())) {
    return absl::InvalidArgumentError(
        StrCat("could not read input file '", path, "': ", std::strerror(errno)));
  }
  return std::make_shared<const SourceBuffer>(is_stdin ? "<stdin>" : path, std::move(text));
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
  StrAppend(&out, file, ":", where.line, ":", where.column, ": ", SeverityName(severity), ": ",
                  message, "\n");
  std::string_view line = source_line;
  size_t caret = where.column - 1;
  if (line.size() > kMaxShownLine) {
    const size_t start = caret < kMaxShownLine / 2 ? 0 : caret - kMaxShownLine / 2;
    line = line.substr(start, kMaxShownLine);
    caret -= start;
  }
  StrAppend(&out, line, "\n");
  // Tabs are kept under tabs, so that the caret stands where the reader sees the character.
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

std::string DiagnosticEngine::ToString() const {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics_) out += diagnostic.ToString();
  if (num_errors_ > kMaxKeptErrors) {
    StrAppend(&out, "error: too many errors (", num_errors_, "), the rest are not shown\n");
  }
  return out;
}

}  // namespace ptxmir
