// SPDX-License-Identifier: Apache-2.0

// The rules for undefined bits that instructions of several families share.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "absl/types/span.h"
#include "ptx/interpreter/code/semantics.h"

namespace ptxmir::ptx {
namespace undefined_rule {
namespace {

uint64_t Union(absl::Span<const UndefinedInput> sources) {
  uint64_t undefined = 0;
  for (const UndefinedInput& source : sources) undefined |= source.undefined;
  return undefined;
}

uint64_t LowBits(unsigned count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

// Returns bits [begin, begin + count) of the concatenated masks of sources of `width` bits each. A field is either
// within one source or covers whole ones.
uint64_t Field(absl::Span<const UndefinedInput> sources, unsigned width, unsigned begin, unsigned count) {
  uint64_t field = 0;
  for (unsigned at = begin; at < begin + count;) {
    const unsigned index = at / width;
    const unsigned offset = at % width;
    if (index >= sources.size()) break;
    const uint64_t piece = (sources[index].undefined & LowBits(width)) >> offset;
    field |= piece << (at - begin);
    at += width - offset;
  }
  return field & LowBits(count);
}

}  // namespace

void Move(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t>, const KernelParams& params,
          absl::Span<uint64_t> results) {
  if (params.a == params.b) {
    for (size_t i = 0; i < results.size(); ++i) results[i] = i < sources.size() ? sources[i].undefined : ~uint64_t{0};
    return;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = Field(sources, params.a, static_cast<unsigned>(i) * params.b, params.b);
  }
}

void And(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t>, const KernelParams&,
         absl::Span<uint64_t> results) {
  uint64_t undefined = Union(sources);
  for (const UndefinedInput& source : sources) undefined &= source.value | source.undefined;
  results[0] = undefined;
}

void Or(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t>, const KernelParams&,
        absl::Span<uint64_t> results) {
  uint64_t undefined = Union(sources);
  for (const UndefinedInput& source : sources) undefined &= ~source.value | source.undefined;
  results[0] = undefined;
}

void Xor(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t>, const KernelParams&,
         absl::Span<uint64_t> results) {
  results[0] = Union(sources);
}

void Carry(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t>, const KernelParams&,
           absl::Span<uint64_t> results) {
  const uint64_t undefined = Union(sources);
  for (uint64_t& result : results) result = ~uint64_t{0};
  results[0] = undefined | (0 - undefined);
}

void Select(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t>, const KernelParams&,
            absl::Span<uint64_t> results) {
  const UndefinedInput& a = sources[0];
  const UndefinedInput& b = sources[1];
  const UndefinedInput& predicate = sources.back();
  if ((predicate.undefined & 1) != 0) {
    results[0] = a.undefined | b.undefined | (a.value ^ b.value);
  } else {
    results[0] = (predicate.value & 1) != 0 ? a.undefined : b.undefined;
  }
}

void Equality(absl::Span<const UndefinedInput> sources, absl::Span<const uint64_t>, const KernelParams&,
              absl::Span<uint64_t> results) {
  const uint64_t differ = (sources[0].value ^ sources[1].value) & ~(sources[0].undefined | sources[1].undefined);
  results[0] = differ != 0 ? 0 : 1;
}

}  // namespace undefined_rule
}  // namespace ptxmir::ptx
