// SPDX-License-Identifier: Apache-2.0

// StrCat and StrAppend that also take std::string_view.
//
// Debian builds Abseil as C++14. There absl::string_view is a class of its own, and absl::StrCat does not take
// std::string_view, which this project uses throughout. Arguments of other types are forwarded unchanged.

#ifndef PTXMIR_BASE_STR_CAT_H_
#define PTXMIR_BASE_STR_CAT_H_

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ptxmir {

// Conversions for calls into Abseil and re2.
inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view FromAbsl(absl::string_view text) { return {text.data(), text.size()}; }

namespace str_cat_internal {
template <typename T>
const T& Piece(const T& value) {
  return value;
}
inline absl::string_view Piece(std::string_view value) { return ToAbsl(value); }
inline absl::string_view Piece(const std::string& value) { return value; }
}  // namespace str_cat_internal

template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  return absl::StrCat(str_cat_internal::Piece(pieces)...);
}

template <typename... Pieces>
void StrAppend(std::string* out, const Pieces&... pieces) {
  absl::StrAppend(out, str_cat_internal::Piece(pieces)...);
}

}  // namespace ptxmir

#endif  // PTXMIR_BASE_STR_CAT_H_
