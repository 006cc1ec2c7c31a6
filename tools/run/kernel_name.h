// SPDX-License-Identifier: Apache-2.0

// Finds the function that a user means by a name that is not mangled or not complete.

#ifndef PTXMIR_TOOLS_RUN_KERNEL_NAME_H_
#define PTXMIR_TOOLS_RUN_KERNEL_NAME_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace ptxmir {

// The part of a mangled name after "_Z" (or "_ZL") and the length of its identifier, and that length; or the whole
// name if it is not mangled. "_Z6StreamILi2EEvPf" gives "StreamILi2EEvPf" and 6.
struct UnprefixedName {
  std::string_view text;
  size_t length = 0;
};
inline UnprefixedName Unprefixed(std::string_view mangled) {
  std::string_view rest = mangled;
  if (!rest.starts_with("_Z")) return {mangled, mangled.size()};
  rest.remove_prefix(rest.starts_with("_ZL") ? 3 : 2);
  size_t length = 0;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9' && length < mangled.size()) {
    length = length * 10 + static_cast<size_t>(rest[0] - '0');
    rest.remove_prefix(1);
  }
  return length == 0 ? UnprefixedName{mangled, mangled.size()} : UnprefixedName{rest, length};
}

// Returns the candidates that `name` may mean. If a candidate equals `name`, it is the only one. Otherwise they
// are those whose unprefixed name begins with `name`; if `name` covers the whole identifier of some, only those.
// An empty name means all candidates.
inline std::vector<std::string_view> FindMeantNames(std::string_view name,
                                                    const std::vector<std::string_view>& candidates) {
  std::vector<std::string_view> covered, begun;
  for (const std::string_view candidate : candidates) {
    if (candidate == name) return {candidate};
    const UnprefixedName unprefixed = Unprefixed(candidate);
    const bool is_mangled = unprefixed.text.size() != candidate.size();
    if (!name.empty() && !(is_mangled && unprefixed.text.starts_with(name))) continue;
    begun.push_back(candidate);
    if (!name.empty() && name.size() >= unprefixed.length) covered.push_back(candidate);
  }
  return covered.empty() ? begun : covered;
}

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_RUN_KERNEL_NAME_H_
