// SPDX-License-Identifier: Apache-2.0

// The language in which tables of facts are written (README.md): lines with variables in <...>, loops, conditions,
// maps. TableExpander reads a file, runs its loops and passes each remaining statement to the derived class: the
// reader of the instruction tables (isa_table.h) or of the rules of instruction selection (sdag/select).
//
// A file is split into logical lines (comments are dropped, `\` joins lines). A block is a range of lines. A loop
// runs its range once for each tuple of values, with the loop's variables set. <...> is substituted in the whole
// line before anything else looks at it, which keeps the readers simple.
//
// Only generators use the expander, at build time. It therefore favors clear messages, each with file and line, over
// speed.

#ifndef PTXMIR_PTX_ISA_GENERATOR_TABLE_EXPANDER_H_
#define PTXMIR_PTX_ISA_GENERATOR_TABLE_EXPANDER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ptxmir::ptx::isa {

class TableExpander {
 public:
  struct Line {
    std::string text;
    std::string where;  // "file:line"
  };
  // Values by name. Derived classes also use it for attributes.
  using Scope = std::map<std::string, std::string>;

  virtual ~TableExpander() = default;

  // Reads one file. Files share maps, so the order of calls matters.
  absl::Status ReadFile(const std::string& path);
  absl::Status ReadText(absl::string_view text, absl::string_view file_name);

 protected:
  static absl::Status ErrorAt(const std::string& where, absl::string_view message);
  static std::vector<std::string> Words(absl::string_view text);
  // Returns the value of a word. "-" stands for the empty string wherever the language has a list of values.
  static std::string Value(absl::string_view word) { return word == "-" ? std::string() : std::string(word); }

  // Runs a statement that is not part of the language itself. `line` is not substituted yet.
  virtual absl::Status RunStatement(const Line& line) = 0;
  // Mark the extent of settings: whatever a statement sets holds until the end of the enclosing block.
  virtual void BeginFile() {}
  virtual void EnterBlock() {}
  virtual void LeaveBlock() {}

  absl::Status Substitute(const Line& line, absl::string_view text, std::string& out) const;

 private:
  // The body of a loop or condition.
  struct Body {
    const std::vector<Line>* lines;
    size_t begin, end;
  };

  static size_t StatementEnd(const std::vector<Line>& lines, size_t begin, size_t end);
  absl::Status RunBlock(const std::vector<Line>& lines, size_t begin, size_t end);
  absl::Status RunLines(const std::vector<Line>& lines, size_t begin, size_t end);
  absl::Status RunFor(const Line& line, const std::string& header, const Body& body);
  absl::Status RunForLevel(const Line& line, const std::vector<std::string>& levels, size_t level, const Body& body);
  absl::Status RunOne(const Line& line);
  absl::Status EvaluateIf(const Line& line, const std::string& header, bool& condition) const;
  absl::Status DefineLet(const Line& line);
  absl::Status DefineMap(const Line& line, const std::vector<std::string>& words);
  absl::Status DefineText(const Line& line, const std::vector<std::string>& words);
  absl::Status SubstituteOne(const Line& line, absl::string_view inner, std::string& out) const;
  bool Lookup(absl::string_view name, std::string& value) const;

  std::map<std::string, std::map<std::string, std::string>> maps_;
  Scope variables_;
};

}  // namespace ptxmir::ptx::isa

#endif  // PTXMIR_PTX_ISA_GENERATOR_TABLE_EXPANDER_H_
