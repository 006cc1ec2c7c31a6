// SPDX-License-Identifier: Apache-2.0

// BufferOf: the input of a text target as the source buffer that readers take.

#ifndef PTXMIR_TOOLS_FUZZ_INPUT_BUFFER_H_
#define PTXMIR_TOOLS_FUZZ_INPUT_BUFFER_H_

#include <memory>
#include <string_view>

#include "base/diagnostics.h"

namespace ptxmir::fuzz {

inline std::shared_ptr<const SourceBuffer> BufferOf(std::string_view text) {
  return std::make_shared<const SourceBuffer>("input", text);
}

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_INPUT_BUFFER_H_
