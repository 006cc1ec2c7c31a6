// SPDX-License-Identifier: Apache-2.0

// Running llc and ptxas in tests, and the files that are put through them.

#ifndef PTXMIR_TESTS_PARITY_EXTERNAL_TOOLS_H_
#define PTXMIR_TESTS_PARITY_EXTERNAL_TOOLS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/support/external_programs.h"

namespace ptxmir::testing {

using ptxmir::RunCommand;

// Paths of the tools that tests compare with; empty where there are none, and the caller skips what it would compare.
// With PTXMIR_REQUIRE_PEERS=1 in the environment a missing tool is a failure of the running test.
std::string FindLlc();
std::string FindPtxas();
std::string FindRemarkutil();

// A file of the corpus or a piece of IR.
struct InputFile {
  std::string path;
  std::string name;      // letters, digits and '_'
  std::string cpu;       // "sm_80"
  std::string features;  // "+ptx78", or empty
  bool is_ir = false;
};

// The MIR files of tests/corpus with what the manifest says of them.
std::vector<InputFile> CorpusFiles();
// The IR files of a folder. Their line "; llc: -mcpu=sm_80 -mattr=+ptx74" says how to compile them.
std::vector<InputFile> IrFiles(std::string_view folder);

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, std::string_view text);
// A path in the test's folder for temporary files.
std::string TemporaryPath(std::string_view name);

// The IR module that a MIR file begins with, without its indentation; empty when there is none.
std::string EmbeddedIr(std::string_view mir);

// How llc is called for an input, up to what it is to do and with which file.
std::vector<std::string> LlcCommand(const std::string& llc, const InputFile& input);

// The MIR that llc makes of `mir`, which came from the input, when told `options` (-run-pass=..., -stop-before=...).
// Nullopt where it cannot: it does not read all MIR.
std::optional<std::string> RunLlcOn(const std::string& llc, const InputFile& input, std::string_view mir,
                                    const std::vector<std::string>& options);

// llc's MIR of the input as its printer gets it, and the PTX that it prints. Where llc cannot go on from the
// input's MIR (its parser refuses some of what its printer writes), it starts again from the IR in it.
struct LlcResult {
  bool ok = false;
  std::string mir_path;
  std::string ptx;
  std::string error;
  // Whether `ptx` numbers blocks otherwise than llc does when it prints `mir_path`.
  bool has_other_labels = false;
};
LlcResult RunLlc(const std::string& llc, const InputFile& input);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_PARITY_EXTERNAL_TOOLS_H_
