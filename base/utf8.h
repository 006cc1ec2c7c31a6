// SPDX-License-Identifier: Apache-2.0

// UTF-8, where a format does not allow anything else.

#ifndef PTXMIR_BASE_UTF8_H_
#define PTXMIR_BASE_UTF8_H_

#include <string>
#include <string_view>

namespace ptxmir {

// The text with U+FFFD in place of each byte that is in no UTF-8 sequence.
std::string ValidUtf8(std::string_view text);

}  // namespace ptxmir

#endif  // PTXMIR_BASE_UTF8_H_
