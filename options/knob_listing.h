// SPDX-License-Identifier: Apache-2.0

// The listing of some knobs: -print-knobs=REGEX.

#ifndef PTXMIR_OPTIONS_KNOB_LISTING_H_
#define PTXMIR_OPTIONS_KNOB_LISTING_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "options/knobs.h"

namespace ptxmir {

// Like PrintKnobs, for the knobs that `is_listed` accepts.
std::string ListKnobs(const Knobs& knobs, absl::FunctionRef<bool(const KnobInfo&)> is_listed,
                      PassImplementedFunction is_implemented);

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_KNOB_LISTING_H_
