// SPDX-License-Identifier: Apache-2.0

// Lowers constants to what an assembler can express: bytes, and the places that hold addresses.
//
// The evaluator folds a constant or constant expression to an integer or to "symbol + addend". It also notes
// whether the address was converted to the generic address space, which PTX writes as generic(symbol).

#ifndef PTXMIR_IR_IR_INITIALIZER_H_
#define PTXMIR_IR_IR_INITIALIZER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/ir_constant.h"
#include "ir/ir_data_layout.h"

namespace ptxmir {

struct LoweredInitializer {
  struct Relocation {
    uint64_t offset = 0;  // of the first byte; the bytes at the relocation are 0
    uint32_t size = 0;    // in bytes: 8 for a generic pointer, less if an address is truncated
    GlobalId symbol = 0;
    int64_t addend = 0;
    // Whether the symbol's address is converted to a generic one: generic(symbol)+addend.
    bool generic = false;
  };

  std::vector<uint8_t> bytes;           // as many as the alloc size of the type
  std::vector<Relocation> relocations;  // sorted by offset
  // The offsets of pointers that are numbers (inttoptr), ascending.
  std::vector<uint64_t> numeric_pointers;

  // Returns true if the initializer contains only zeros; undef counts as zero.
  bool is_zero() const;
};

// A scalar constant that is either a number or an address.
struct EvaluatedConstant {
  bool is_address = false;
  bool generic = false;
  GlobalId symbol = 0;
  int64_t addend = 0;
  std::vector<uint64_t> words;  // value of a number, least significant word first; at least one
};

// Folds a scalar (integer, float, pointer). Error messages are llc's where llc has one: "unsupported expression in
// static initializer: ...".
absl::StatusOr<EvaluatedConstant> EvaluateConstant(const Module& module, const IrConstant& constant);

// Lowers a constant. An initializer larger than `max_bytes` is an error: the size of an array is just a number in
// the input, so a short input may ask for any amount of memory.
absl::StatusOr<LoweredInitializer> LowerInitializer(const Module& module, const IrConstant& constant,
                                                    uint64_t max_bytes = uint64_t{1} << 28);

// Returns true if the constant is all zeros or undefined. Such a variable needs no initializer in PTX.
bool IsZeroOrUndef(const IrConstant& constant);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_INITIALIZER_H_
