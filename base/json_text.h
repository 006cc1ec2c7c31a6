// SPDX-License-Identifier: Apache-2.0

// Strings in JSON.

#ifndef PTXMIR_BASE_JSON_TEXT_H_
#define PTXMIR_BASE_JSON_TEXT_H_

#include <string>
#include <string_view>

namespace ptxmir {

// Returns the text as a JSON string, including the quotes. Bytes that are not valid UTF-8 become U+FFFD.
std::string JsonText(std::string_view text);
// Appends it to `out`.
void AppendJsonText(std::string_view text, std::string& out);

// Do the same for JSON that is in a script element of HTML: "<" is escaped, so that no tag and no comment begins there.
std::string JsonTextForHtml(std::string_view text);
void AppendJsonTextForHtml(std::string_view text, std::string& out);

}  // namespace ptxmir

#endif  // PTXMIR_BASE_JSON_TEXT_H_
