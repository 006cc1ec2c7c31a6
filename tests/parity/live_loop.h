// SPDX-License-Identifier: Apache-2.0

// PTX that needs a given number of registers, for tests of what ptxas does with limits.

#ifndef PTXMIR_TESTS_PARITY_LIVE_LOOP_H_
#define PTXMIR_TESTS_PARITY_LIVE_LOOP_H_

#include <string>
#include <string_view>

#include "base/str_cat.h"

namespace ptxmir::testing {

// Returns a loop through which `values` values are live. They are loaded from [%rd1] and stored there. `reg` is the
// beginning of the names of their registers, which the caller declares, as it does %rd1 and %p1.
inline std::string LiveLoop(std::string_view reg, std::string_view label, int values) {
  std::string ptx;
  for (int i = 0; i < values; ++i) StrAppend(&ptx, "ld.global.u32 ", reg, i, ", [%rd1+", 4 * i, "];\n");
  StrAppend(&ptx, label, ":\n");
  for (int i = 0; i < values; ++i) {
    StrAppend(&ptx, "mad.lo.s32 ", reg, i, ", ", reg, i, ", ", reg, (i * 7 + 3) % values, ", ", reg,
              (i * 5 + 1) % values, ";\n");
  }
  StrAppend(&ptx, "setp.ne.s32 %p1, ", reg, "0, 0;\n@%p1 bra ", label, ";\n");
  for (int i = 0; i < values; ++i) StrAppend(&ptx, "st.global.u32 [%rd1+", 4 * i, "], ", reg, i, ";\n");
  return ptx;
}

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_PARITY_LIVE_LOOP_H_
