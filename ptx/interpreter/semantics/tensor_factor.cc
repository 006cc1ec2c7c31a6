// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/semantics/tensor_factor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace ptxmir::ptx {
namespace {

// Returns element `i` of a chunk.
double ElementOf(const TensorChunk& chunk, TensorType type, unsigned bits, unsigned i, bool* undefined) {
  const TensorField field = FieldOf(type, false);
  const auto extract = [&](const std::array<uint8_t, 16>& bytes) {
    const unsigned bit = i * bits;
    uint64_t window = 0;
    std::memcpy(&window, bytes.data() + bit / 8, std::min<size_t>(8, bytes.size() - bit / 8));
    return static_cast<uint32_t>(window >> bit % 8) & field.mask;
  };
  if (extract(chunk.undefined) != 0) *undefined = true;
  return DecodeTensorElement(type, field, extract(chunk.data));
}

}  // namespace

bool GatherFactor(Warp& warp, const DecodedInstr& instr, unsigned lane, const Cta& cta, const SharedMatrix& matrix,
                  const TensorFactorPart& part, TensorFactor* factor) {
  const unsigned bits = TensorTypeBits(part.type);
  const unsigned per_chunk = part.is_padded ? 16 : 128 / bits;
  const unsigned lines = part.along_k ? part.rows : part.depth;
  const unsigned length = part.along_k ? part.depth : part.rows;
  // For lines across k, the rows are within the lines and begin at a chunk.
  const unsigned first_line = part.along_k ? part.first_line : 0;
  const unsigned first_chunk = part.along_k ? 0 : part.first_line / per_chunk;
  for (unsigned line = 0; line < lines; ++line) {
    for (unsigned first = 0; first < length; first += per_chunk) {
      TensorChunk chunk;
      const uint32_t address = matrix.Address(part.along_k, first_line + line, (first_chunk + first / per_chunk) * 16);
      if (!LoadTensorChunk(warp, instr, lane, cta, address, &chunk)) return false;
      for (unsigned i = 0; i < per_chunk && first + i < length; ++i) {
        const unsigned row = part.first_row + (part.along_k ? line : first + i);
        const unsigned k = part.along_k ? first + i : line;
        bool undefined = false;
        factor->values[size_t{row} * part.depth + k] = ElementOf(chunk, part.type, bits, i, &undefined);
        if (undefined) factor->undefined[row] = true;
      }
    }
  }
  return true;
}

}  // namespace ptxmir::ptx
