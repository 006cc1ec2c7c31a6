// SPDX-License-Identifier: Apache-2.0

// UTF-8, for formats that allow nothing else.

#ifndef PTXMIR_BASE_UTF8_H_
#define PTXMIR_BASE_UTF8_H_

#include <string>
#include <string_view>

namespace ptxmir {

// Returns the text with every byte that is not part of a UTF-8 sequence replaced by U+FFFD.
std::string ValidUtf8(std::string_view text);

}  // namespace ptxmir

#endif  // PTXMIR_BASE_UTF8_H_
