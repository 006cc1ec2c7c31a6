// SPDX-License-Identifier: Apache-2.0

// Files without an IR module. What the backend needs of one is stated in two other places:
//
// - a module document in front of the machine functions, for target and globals:
//
//       ---
//       ptxmir-module:
//         triple: nvptx64-nvidia-cuda
//         cpu: sm_80
//         features: +ptx88
//         globals: |
//           @table = addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 0], align 4
//           declare i32 @vprintf(ptr, ptr)
//       ...
//
// - `signature` in a machine function's machineFunctionInfo, for linkage, parameters and launch bounds:
//
//       machineFunctionInfo:
//         signature: 'define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) "nvvm.maxntid"="256"'
//
// Both use the syntax of LLVM IR, so that there is one way to write a type, a constant or an attribute.
// docs/mir-format.md describes them for users.

#ifndef PTXMIR_MIR_TEXT_MODULE_DOCUMENT_H_
#define PTXMIR_MIR_TEXT_MODULE_DOCUMENT_H_

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/yaml.h"
#include "ir/module.h"

namespace ptxmir {

// Whether the document that `yaml` is at the beginning of is a module document. Reads nothing.
bool AtModuleDocument(YamlReader& yaml);

// Reads the document. Errors go to `diagnostics`; false when there were any.
bool ReadModuleDocument(const SourceBuffer& buffer, YamlReader& yaml, Module& module, DiagnosticEngine& diagnostics);

// Gives every machine function of a file without IR its IR function, before any is read, for a function may
// name one that comes after it. The signature is read; without one a function is taken to be
// "define void @name()". Errors go to `diagnostics`, but for those of YAML, which reading the functions
// reports; false when there were any.
bool ImplyFunctions(const SourceBuffer& buffer, Module& module, DiagnosticEngine& diagnostics);

// Appends the module document of a module that was read from one, with the changes made since.
void WriteModuleDocument(const Module& module, std::string* out);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MODULE_DOCUMENT_H_
