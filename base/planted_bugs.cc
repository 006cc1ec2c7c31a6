// SPDX-License-Identifier: Apache-2.0

#include "base/planted_bugs.h"

namespace ptxmir::internal {

#ifdef PTXMIR_CHECKED
Bug planted_bug = Bug::kNone;
#endif

}  // namespace ptxmir::internal
