// SPDX-License-Identifier: Apache-2.0

// The interface for compiling LLVM IR or MIR to PTX within a program:
//
//     ptxmir::CompileOptions options;
//     options.flags = {"-O2", "-mcpu=sm_90"};
//     const ptxmir::CompileResult result = ptxmir::Compile(text, options);
//     if (!result.ok) std::cerr << result.MessageText();
//
// It runs the same code as the command line tool `ptxmir` and takes the same options. This header needs only the
// standard library. The library writes to no stream, reads no environment variables, and never exits the program
// or throws because of an input or an option; errors in them become messages. docs/embedding.md is the manual.

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
  // The tool's options under the same names, each in one string with its value: "-O2", "-mcpu=sm_90",
  // "-nv-remat-default-max-reg=40", "-stop-after=machine-scheduler", "-opt=-do-remat=0". `ptxmir --help` and
  // `ptxmir --print-knobs` list them. Options about files, standard output or other programs (-o, -help,
  // -autotune=ptxas ...) are rejected. Unlike the tool, the library compiles functions on one thread unless "-jN" is
  // given.
  std::vector<std::string> flags = {};
  // The name of the input in messages.
  std::string input_name = "<input>";
  // Whether to fill CompileResult::functions, which takes some time.
  bool summarize_functions = false;
  // Passes of the program. AddPassBefore and AddPassAfter in pass.h add them.
  std::vector<std::shared_ptr<const ClientPassPlace>> passes = {};
};

// A message about the input or the options.
struct CompileMessage {
  enum class Severity { kError, kWarning, kNote };

  Severity severity = Severity::kError;
  std::string file;         // empty if the message has no position in the input
  size_t line = 0;          // 1-based; 0 if unknown
  size_t column = 0;        // 1-based, in bytes
  std::string text;         // without a newline or period at the end
  std::string source_line;  // the line that the message is about, without its newline

  // Returns "file:line:column: error: text\n", followed by the line and a caret.
  std::string ToString() const;
};

// A number that a pass has counted.
struct CompileStatistic {
  std::string pass;
  std::string description;
  uint64_t value = 0;
};

struct FunctionSummary {
  std::string name;
  bool is_kernel = false;
  // Counts in the input, and after all passes.
  uint64_t input_instructions = 0;
  uint64_t instructions = 0;
  // The maximum number of 32-bit registers that are live at once. Predicates are counted separately.
  uint32_t input_registers = 0;
  uint32_t registers = 0;
  uint32_t predicates = 0;
  // Accesses to spill slots that the passes have inserted.
  uint64_t spill_stores = 0;
  uint64_t spill_loads = 0;
};

struct CompileResult {
  // Whether there is an output. There may be warnings.
  bool ok = false;
  // The PTX, or the MIR or LLVM IR if the options stop the pipeline early.
  std::string output;
  std::vector<CompileMessage> messages;
  std::vector<CompileStatistic> statistics;
  std::vector<FunctionSummary> functions;  // in the order of the input; empty unless requested
  // The remarks that were requested (-pass-remarks ...), one per line.
  std::string remarks;
  // The text that passes print on request (-print-after-all ...).
  std::string log;

  // Returns all messages as the tool prints them.
  std::string MessageText() const;
};

// Options that are parsed once, for compiling many inputs. Work that depends only on the options is done once.
class Compiler {
 public:
  explicit Compiler(const CompileOptions& options = {});
  Compiler(Compiler&&) noexcept;
  Compiler& operator=(Compiler&&) noexcept;
  ~Compiler();

  // Returns false if an option is wrong. Every compilation then fails with these messages.
  bool ok() const;
  const std::vector<CompileMessage>& messages() const;

  // Compiles LLVM IR as text, or MIR; which of them it is shows in the text. May be called from several threads at
  // once. `input_name` overrides that of the options.
  CompileResult Compile(std::string_view input) const;
  CompileResult Compile(std::string_view input, std::string_view input_name) const;

  // For the library itself.
  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<const State> state_;
};

// Compiles one input, as Compiler::Compile does.
CompileResult Compile(std::string_view input, const CompileOptions& options = {});

// Returns the PTXMIR_VERSION that the library was built with.
int LibraryVersion();

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_H_
