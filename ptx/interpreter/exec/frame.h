// SPDX-License-Identifier: Apache-2.0

// Frames: the registers of a function call, shared by the lanes of a warp that are in the call together.

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_FRAME_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_FRAME_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/values/lanes.h"

namespace ptxmir::ptx {

// Identifies how an undefined value came about. Index 0 means "never written".
using OriginId = uint32_t;

struct Frame {
  const DecodedFunction* code = nullptr;
  Frame* parent = nullptr;
  const CallSite* site = nullptr;  // in the parent's code
  uint32_t return_pc = 0;          // in the parent's code
  uint32_t depth = 0;
  LaneMask lanes = 0;  // the lanes in this frame or in one called from it
  // The values of the rows, at DecodedFunction::Row::offset.
  std::vector<uint64_t> values;
  // Per row: the lanes in which some bit is undefined, and those among them whose undefined bits are in `bits`. In
  // the other lanes of `undefined`, all bits are undefined. `bits` is laid out like `values` and allocated on first
  // use.
  std::vector<LaneMask> undefined;
  std::vector<LaneMask> partial;
  std::vector<uint64_t> bits;
  std::vector<OriginId> origins;  // by row
  // The frame's range in local memory, the same for all lanes.
  uint32_t local_base = 0;
  uint32_t local_top = 0;
  // The arguments and results of calls: DecodedFunction::outgoing_size bytes for each lane, and their shadow.
  std::vector<uint8_t> outgoing;
  std::vector<uint8_t> outgoing_undefined;

  uint8_t* Values(uint32_t row) { return reinterpret_cast<uint8_t*>(values.data()) + code->rows[row].offset; }
  uint8_t* Bits(uint32_t row) {
    if (bits.empty()) bits.resize(values.size());
    return reinterpret_cast<uint8_t*>(bits.data()) + code->rows[row].offset;
  }
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_FRAME_H_
