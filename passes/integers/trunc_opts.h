// SPDX-License-Identifier: Apache-2.0

// nvptx-trunc-opts removes masks and extensions that change nothing, or nothing that matters.
//
// cicc's pass removes ANDb16ri with 0xFFFF, which the selection of truncations leaves behind, where the value fits
// into 16 bits. Here, it is every and, or, bit field and conversion of which one of these is true:
//  - Its result is equal to its source, by known bits and ranges (analysis/values/known_bits.h). A truncation that is
//    extended again, and two shifts by the same amount, count as one extension.
//  - It changes only bits that nobody demands (demanded_bits.h): a mask of 255 on a value of which the low byte is
//    stored.
//
// The first kind goes first. The second kind changes values, so nothing that known bits said is used after it. What
// depends on a changed bit without showing it loses its flags (nuw, nsw, exact) and its debug values.

#ifndef PTXMIR_PASSES_INTEGERS_TRUNC_OPTS_H_
#define PTXMIR_PASSES_INTEGERS_TRUNC_OPTS_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunTruncOpts(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_INTEGERS_TRUNC_OPTS_H_
