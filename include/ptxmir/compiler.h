// SPDX-License-Identifier: Apache-2.0

// MIR in, PTX out, within a program:
//
//     ptxmir::CompileOptions options;
//     options.flags = {"-O2", "-mcpu=sm_90"};
//     const ptxmir::CompileResult result = ptxmir::Compile(mir_text, options);
//     if (!result.ok) std::cerr << result.MessageText();
//
// This runs what the command line tool `ptxmir` runs, and takes its options. It needs only the standard library to be
// compiled, writes to no stream, reads no environment, and neither ends the program nor throws because of an input or
// an option: what is wrong with them is a message. docs/embedding.md is the manual.

#ifndef PTXMIR_COMPILER_H_
#define PTXMIR_COMPILER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ptxmir/version.h"

namespace ptxmir {

struct ClientPassPlace;

struct CompileOptions {
  // The tool's options by their names there, each with its value in the same string: "-O2", "-mcpu=sm_90",
  // "-nv-remat-default-max-reg=40", "-stop-after=machine-scheduler", "-opt=-do-remat=0". `ptxmir --help` and
  // `ptxmir --print-knobs` list them. Those that are about files, standard output or other programs (-o, -help,
  // -autotune ...) are refused. Unlike in the tool, functions are compiled on one thread unless "-jN" says otherwise.
  std::vector<std::string> flags = {};
  // What messages call the input.
  std::string input_name = "<input>";
  // Fills CompileResult::functions. It takes some time.
  bool summarize_functions = false;
  // Passes of one's own: pass.h has what adds them.
  std::vector<std::shared_ptr<const ClientPassPlace>> passes = {};
};

// What there is to say about the input or the options.
struct CompileMessage {
  enum class Severity { kError, kWarning, kNote };

  Severity severity = Severity::kError;
  std::string file;         // empty: it stands at no place in the input
  size_t line = 0;          // from 1; 0: not known
  size_t column = 0;        // from 1, in bytes
  std::string text;         // no newline or period at the end
  std::string source_line;  // the line that it is about, without newline

  // "file:line:column: error: text\n", and the line with a caret below.
  std::string ToString() const;
};

// Something that a pass has counted.
struct CompileStatistic {
  std::string pass;
  std::string description;
  uint64_t value = 0;
};

struct FunctionSummary {
  std::string name;
  bool is_kernel = false;
  // In the input, and when all passes have run.
  uint64_t input_instructions = 0;
  uint64_t instructions = 0;
  // The most that are live at once, in registers of 32 bits; predicates are apart.
  uint32_t input_registers = 0;
  uint32_t registers = 0;
  uint32_t predicates = 0;
  // Accesses to spill slots that passes have made.
  uint64_t spill_stores = 0;
  uint64_t spill_loads = 0;
};

struct CompileResult {
  // Whether there is an output. There may be warnings.
  bool ok = false;
  // PTX; or MIR, where the options stop the pipeline early.
  std::string output;
  std::vector<CompileMessage> messages;
  std::vector<CompileStatistic> statistics;
  std::vector<FunctionSummary> functions;  // in the order of the input, if they were asked for
  // Remarks that were asked for (-pass-remarks ...), a line each.
  std::string remarks;
  // What passes have printed because they were asked to (-print-after-all ...).
  std::string log;

  // All messages as the tool prints them.
  std::string MessageText() const;
};

// Options that have been understood, for compiling many inputs: what options ask for is worked out once.
class Compiler {
 public:
  explicit Compiler(const CompileOptions& options = {});
  Compiler(Compiler&&) noexcept;
  Compiler& operator=(Compiler&&) noexcept;
  ~Compiler();

  // False when an option is wrong; every compilation then fails with these messages.
  bool ok() const;
  const std::vector<CompileMessage>& messages() const;

  // May be called on several threads at once. `input_name` takes the place of that of the options.
  CompileResult Compile(std::string_view mir) const;
  CompileResult Compile(std::string_view mir, std::string_view input_name) const;

  // For the library itself.
  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<const State> state_;
};

// For one input.
CompileResult Compile(std::string_view mir, const CompileOptions& options = {});

// PTXMIR_VERSION of the library.
int LibraryVersion();

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_H_
