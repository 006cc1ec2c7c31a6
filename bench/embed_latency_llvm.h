// SPDX-License-Identifier: Apache-2.0

// LLVM's NVPTX back end in the same process, through its C++ API, as far as embed_latency.cc needs it.

#ifndef PTXMIR_BENCH_EMBED_LATENCY_LLVM_H_
#define PTXMIR_BENCH_EMBED_LATENCY_LLVM_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace ptxmir {

class LlvmCompiler {
 public:
  virtual ~LlvmCompiler() = default;
  // Returns the IR module of a MIR file as text.
  virtual std::string IrOfMir(std::string_view mir) = 0;
  // Return PTX, or an empty string on failure. CompileMir starts after instruction selection; CompileIr starts
  // from IR.
  virtual std::string CompileMir(std::string_view mir) = 0;
  virtual std::string CompileIr(std::string_view ir) = 0;
  // Only reads the MIR. Returns 1 on success.
  virtual size_t ReadMir(std::string_view mir) = 0;
};

// Creates a compiler at -O2. Returns null in a build without LLVM.
std::unique_ptr<LlvmCompiler> CreateLlvmCompiler(const std::string& cpu, const std::string& features);

}  // namespace ptxmir

#endif  // PTXMIR_BENCH_EMBED_LATENCY_LLVM_H_
