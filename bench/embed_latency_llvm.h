// SPDX-License-Identifier: Apache-2.0

// LLVM's NVPTX back end within the process, through its C++ API, as far as embed_latency.cc needs it.

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
  // The IR module of a MIR file, as text.
  virtual std::string IrOfMir(std::string_view mir) = 0;
  // PTX; empty when something went wrong. From behind instruction selection, and from the start.
  virtual std::string CompileMir(std::string_view mir) = 0;
  virtual std::string CompileIr(std::string_view ir) = 0;
  // Only reads it; 1 when that went well.
  virtual size_t ReadMir(std::string_view mir) = 0;
};

// At -O2. Null where this is built without LLVM.
std::unique_ptr<LlvmCompiler> CreateLlvmCompiler(const std::string& cpu, const std::string& features);

}  // namespace ptxmir

#endif  // PTXMIR_BENCH_EMBED_LATENCY_LLVM_H_
