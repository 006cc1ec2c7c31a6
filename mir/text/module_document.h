// SPDX-License-Identifier: Apache-2.0

// Files without an IR module. They state the IR information that the backend needs in two other places:
//
// - a module document before the machine functions, for the target and globals:
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
// Both use the syntax of LLVM IR, so that there is only one syntax for types, constants and attributes.
// docs/mir-format.md describes them for users.

#ifndef PTXMIR_MIR_TEXT_MODULE_DOCUMENT_H_
#define PTXMIR_MIR_TEXT_MODULE_DOCUMENT_H_

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/yaml.h"
#include "ir/module.h"

namespace ptxmir {

// Returns true if the document that `yaml` is at the beginning of is a module document. Reads nothing.
bool AtModuleDocument(YamlReader& yaml);

// Reads the module document. Errors go to `diagnostics`; returns false if there were any.
bool ReadModuleDocument(const SourceBuffer& buffer, YamlReader& yaml, Module& module, DiagnosticEngine& diagnostics);

// Creates the IR function of every machine function in a file without IR. This happens before any function is
// read, because a function may name a later one. The type is that of the signature or, without one, "define void
// @name()". Errors go to `diagnostics`, except YAML errors, which are reported when the functions are read.
// Returns false if there were any.
bool ImplyFunctions(const SourceBuffer& buffer, Module& module, DiagnosticEngine& diagnostics);

// Appends the module document of a module that was read from one, including the changes made since.
void WriteModuleDocument(const Module& module, std::string* out);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MODULE_DOCUMENT_H_
