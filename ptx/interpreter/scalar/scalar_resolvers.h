// SPDX-License-Identifier: Apache-2.0

// The tables of resolvers of scalar instructions, one table per file.

#ifndef PTXMIR_PTX_INTERPRETER_SCALAR_SCALAR_RESOLVERS_H_
#define PTXMIR_PTX_INTERPRETER_SCALAR_SCALAR_RESOLVERS_H_

#include "absl/types/span.h"
#include "ptx/interpreter/code/semantics.h"

namespace ptxmir::ptx {

// Several entries may have the same base. The first one that resolves wins.
absl::Span<const ResolverEntry> IntegerResolvers();  // semantics_integer.cc
absl::Span<const ResolverEntry> VideoResolvers();    // semantics_video.cc
absl::Span<const ResolverEntry> FloatResolvers();    // semantics_float.cc
absl::Span<const ResolverEntry> CompareResolvers();  // semantics_compare.cc: setp, set, selp, slct
absl::Span<const ResolverEntry> ConvertResolvers();  // semantics_convert.cc: cvt, mov, pack, cvta ...

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_SCALAR_SCALAR_RESOLVERS_H_
