// SPDX-License-Identifier: Apache-2.0

// Runs llc and ptxas in tests, and finds the files to run them on.

#ifndef PTXMIR_TESTS_PARITY_EXTERNAL_TOOLS_H_
#define PTXMIR_TESTS_PARITY_EXTERNAL_TOOLS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/support/external_programs.h"

namespace ptxmir::testing {

using ptxmir::RunCommand;

// Return the paths of the tools that tests compare with. The path is empty if the tool is missing; the caller then
// skips the comparison. With PTXMIR_REQUIRE_PEERS=1 in the environment, a missing tool fails the current test.
std::string FindLlc();
std::string FindPtxas();
std::string FindRemarkutil();
std::string FindOpt();

// A file of the corpus or a piece of IR.
struct InputFile {
  std::string path;
  std::string name;      // letters, digits and '_'
  std::string cpu;       // "sm_80"
  std::string features;  // "+ptx78", or empty
  bool is_ir = false;
};

// Returns the MIR files of tests/corpus, with their entries in the manifest.
std::vector<InputFile> CorpusFiles();
// Returns the IR files of a folder. Their line "; llc: -mcpu=sm_80 -mattr=+ptx74" says how to compile them.
std::vector<InputFile> IrFiles(std::string_view folder);

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, std::string_view text);
// Returns a path in the test's folder for temporary files.
std::string TemporaryPath(std::string_view name);

// Returns the IR module at the beginning of a MIR file, without its indentation, or an empty string if there is
// none.
std::string EmbeddedIr(std::string_view mir);

// Returns the start of the llc command for an input, without the options for a task and without the file.
std::vector<std::string> LlcCommand(const std::string& llc, const InputFile& input);

// Runs llc with `options` (-run-pass=..., -stop-before=...) on `mir`, which was made from the input, and returns
// the resulting MIR. Nullopt if llc cannot do this, because it does not read all MIR.
std::optional<std::string> RunLlcOn(const std::string& llc, const InputFile& input, std::string_view mir,
                                    const std::vector<std::string>& options);

// The MIR of the input as llc's printer gets it, and the PTX that llc prints. If llc cannot continue from the
// input's MIR (its parser rejects some of its printer's output), it starts again from the IR in it.
struct LlcResult {
  bool ok = false;
  std::string mir_path;
  std::string ptx;
  std::string error;
  // Whether block numbers in `ptx` differ from those that llc gives when it prints `mir_path`.
  bool has_other_labels = false;
};
LlcResult RunLlc(const std::string& llc, const InputFile& input);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_PARITY_EXTERNAL_TOOLS_H_
