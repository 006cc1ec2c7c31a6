// SPDX-License-Identifier: Apache-2.0

// Kernel arguments as a command line spells them. The syntax is the same for the interpreter and for a GPU.
//
//     i32:5  u64:0x10  f32:1.5  f64:-2  f16:0.5     a value
//     hex:00ff1234                                  bytes, for structures
//     buffer:f32:1024:random:SEED[:LOW:HIGH]        a pointer to a fresh buffer of 1024 floats
//     buffer:i32:1024:zero | undef | iota | fill:VALUE
//     buffer:u8:100:file:PATH                       the file's bytes; the rest of the buffer is 0
//     surface:f32x4:16x8x2:CONTENTS                 the handle of a fresh surface (or texture): 16 by 8 by 2 texels of
//                                                   four floats, with the same kinds of contents as a buffer

#ifndef PTXMIR_TOOLS_RUN_KERNEL_ARGUMENT_H_
#define PTXMIR_TOOLS_RUN_KERNEL_ARGUMENT_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ptxmir {

struct ElementType {
  enum class Kind : uint8_t { kSigned, kUnsigned, kFloat } kind = Kind::kUnsigned;
  unsigned bytes = 1;
  std::string name;  // "f32"
};

struct KernelArgumentSpec {
  std::string text;  // as written
  bool is_buffer = false;
  ElementType type;
  std::vector<uint8_t> bytes;  // the value's bytes, or the buffer's first bytes; the rest of the buffer is 0
  uint64_t buffer_bytes = 0;
  bool is_undefined = false;  // a buffer that has not been written

  // A surface. It has buffer_bytes, too.
  bool is_surface = false;
  std::array<uint32_t, 3> extent = {1, 1, 1};  // texels in x, y and z
  uint32_t components = 1;                     // per texel
};

// Parses an argument. Reads the file that a buffer is filled from.
absl::StatusOr<KernelArgumentSpec> ParseKernelArgument(std::string_view text);

// Returns an element as text: integers in decimal, floats with enough digits to be distinct.
std::string FormatElement(const ElementType& type, const uint8_t* bytes);

// Returns the FNV-1a hash of a buffer's contents.
uint64_t HashBytes(const std::vector<uint8_t>& bytes);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_RUN_KERNEL_ARGUMENT_H_
