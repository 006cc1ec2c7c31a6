// SPDX-License-Identifier: Apache-2.0

// Compiles a file of LLVM IR or machine IR to PTX:
//
//     compile_file kernel.ll -O2 -mcpu=sm_90 > kernel.ptx
//
// The arguments after the file are options of ptxmir. Figures of each function go to stderr.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "ptxmir/compiler.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: compile_file FILE [OPTION...]\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "compile_file: cannot open '%s'\n", argv[1]);
    return 1;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};

  ptxmir::CompileOptions options;
  options.input_name = argv[1];
  options.flags.assign(argv + 2, argv + argc);
  options.summarize_functions = true;
  const ptxmir::CompileResult result = ptxmir::Compile(text, options);
  std::fputs(result.MessageText().c_str(), stderr);
  if (!result.ok) return 1;

  for (const ptxmir::FunctionSummary& function : result.functions) {
    std::fprintf(stderr, "%s: %llu instructions (%llu in the input), %u registers live at once\n",
                 function.name.c_str(), static_cast<unsigned long long>(function.instructions),
                 static_cast<unsigned long long>(function.input_instructions), function.registers);
  }
  std::fwrite(result.output.data(), 1, result.output.size(), stdout);
  return 0;
}
