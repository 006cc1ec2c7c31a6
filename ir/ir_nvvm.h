// SPDX-License-Identifier: Apache-2.0

// The properties of kernels and globals that NVPTX reads from attributes and from the older nvvm.annotations
// metadata.

#ifndef PTXMIR_IR_IR_NVVM_H_
#define PTXMIR_IR_IR_NVVM_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace ptxmir {

// The interface that loads the module, as the operating system of the triple says. OpenCL ("nvcl") has samplers apart
// from textures, takes both as symbols in the parameters of kernels, and knows no linkage; its kernels get pointers of
// the address space that their types name. CUDA is whatever is not OpenCL, as for LLVM.
enum class DriverInterface : uint8_t { kCuda, kOpenCl };
DriverInterface DriverInterfaceOf(const Module& module);

// Launch bounds and related properties. Function attributes ("nvvm.maxntid"="256,1,1") take precedence over
// annotations (!{ptr @k, !"maxntidx", i32 256}).
struct NvvmFunctionInfo {
  bool is_kernel = false;
  // One to three numbers, as given; empty if not given.
  std::vector<uint32_t> max_ntid;
  std::vector<uint32_t> req_ntid;
  std::vector<uint32_t> cluster_dim;
  std::optional<uint32_t> min_cta_per_sm;
  std::optional<uint32_t> max_nreg;
  std::optional<uint32_t> max_cluster_rank;
  bool blocks_are_clusters = false;
};
NvvmFunctionInfo GetNvvmFunctionInfo(const Module& module, const IrFunction& function);

// Returns true if the function is a kernel according to its calling convention or an annotation.
bool IsKernel(const Module& module, const IrFunction& function);

// Returns the value of the first annotation `key` of a global value, or nullopt if there is none.
std::optional<uint32_t> FindAnnotation(const Module& module, GlobalId value, std::string_view key);
// Returns all values of an annotation. For image parameters ("rdoimage") these are parameter numbers.
std::vector<uint32_t> FindAnnotations(const Module& module, GlobalId value, std::string_view key);

// Classify global variables: texture, surface and sampler handles, and managed variables.
bool IsTexture(const Module& module, GlobalId value);
bool IsSurface(const Module& module, GlobalId value);
bool IsSampler(const Module& module, GlobalId value);
bool IsManaged(const Module& module, GlobalId value);

// Classify parameters, which are numbered from 0.
bool IsGridConstant(const Module& module, const IrFunction& function, uint32_t parameter);
bool IsImageReadOnly(const Module& module, const IrFunction& function, uint32_t parameter);
bool IsImageWriteOnly(const Module& module, const IrFunction& function, uint32_t parameter);
bool IsImageReadWrite(const Module& module, const IrFunction& function, uint32_t parameter);
bool IsSamplerParameter(const Module& module, const IrFunction& function, uint32_t parameter);

// Returns true if loop metadata (a terminator's !llvm.loop) forbids unrolling: llvm.loop.unroll.disable, or
// llvm.loop.unroll.count of 1.
bool ForbidsUnrolling(const Module& module, MetadataId loop);

// The wishes of loop metadata for software pipelining: llvm.loop.pipeline.disable and
// llvm.loop.pipeline.initiationinterval.
struct PipeliningWish {
  bool is_disabled = false;
  uint32_t initiation_interval = 0;  // 0: none is given
};
PipeliningWish ReadPipeliningWish(const Module& module, MetadataId loop);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_NVVM_H_
