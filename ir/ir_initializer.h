// SPDX-License-Identifier: Apache-2.0

// Lowering of constants to what an assembler can state: bytes, and the places that hold addresses.
//
// The evaluator folds a constant (expression) to an integer or to "symbol + addend", with a note whether
// the address was converted to the generic address space on the way, which PTX writes as generic(symbol).

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
    uint64_t offset = 0;  // of its first byte; the bytes there are 0
    uint32_t size = 0;    // in bytes: 8 for a generic pointer; smaller when an address is truncated
    GlobalId symbol = 0;
    int64_t addend = 0;
    // The symbol's address is converted to a generic one: generic(symbol)+addend.
    bool generic = false;
  };

  std::vector<uint8_t> bytes;           // alloc size of the type
  std::vector<Relocation> relocations;  // by offset
  // Offsets of pointers that are numbers (inttoptr), ascending.
  std::vector<uint64_t> numeric_pointers;

  // Whether nothing but zeros is in it (undef counts as zeros).
  bool is_zero() const;
};

// A scalar that is a number or an address.
struct EvaluatedConstant {
  bool is_address = false;
  bool generic = false;
  GlobalId symbol = 0;
  int64_t addend = 0;
  std::vector<uint64_t> words;  // of a number, least significant first; at least one
};

// Folds a scalar (integer, float, pointer). Errors, in llc's words where it has some: "unsupported
// expression in static initializer: ...".
absl::StatusOr<EvaluatedConstant> EvaluateConstant(const Module& module, const IrConstant& constant);

// Initialisers larger than `max_bytes` are an error: the size of an array is a number in the input, not a
// measure of it.
absl::StatusOr<LoweredInitializer> LowerInitializer(const Module& module, const IrConstant& constant,
                                                    uint64_t max_bytes = uint64_t{1} << 28);

// Whether the constant is all zeros or undefined: such a variable needs no initialiser in PTX.
bool IsZeroOrUndef(const IrConstant& constant);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_INITIALIZER_H_
