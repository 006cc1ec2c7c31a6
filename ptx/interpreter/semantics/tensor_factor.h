// SPDX-License-Identifier: Apache-2.0

// The numbers in matrices that tensor cores read from shared memory through descriptors: wgmma and tcgen05.mma.

#ifndef PTXMIR_PTX_INTERPRETER_SEMANTICS_TENSOR_FACTOR_H_
#define PTXMIR_PTX_INTERPRETER_SEMANTICS_TENSOR_FACTOR_H_

#include <vector>

#include "ptx/interpreter/exec/tensor_operations.h"
#include "ptx/interpreter/memory/shared_matrix.h"
#include "ptx/interpreter/values/tensor.h"

namespace ptxmir::ptx {

// A factor of a product: rows of `depth` numbers along k. For B these are its columns.
struct TensorFactor {
  TensorFactor(unsigned rows, unsigned depth) : values(size_t{rows} * depth), undefined(rows) {}
  std::vector<double> values;
  std::vector<bool> undefined;  // by row: whether some element is undefined
};

struct TensorFactorPart {
  TensorType type = TensorType::kNone;
  bool is_padded = false;   // whether 16 elements of fewer than eight bits take 16 bytes
  bool along_k = true;      // whether lines of the matrix run along k
  unsigned first_row = 0;   // in the factor
  unsigned first_line = 0;  // in the matrix, of rows
  unsigned rows = 0;
  unsigned depth = 0;
};

// Reads rows of a matrix in the shared memory of a CTA. Returns false after a fault.
bool GatherFactor(Warp& warp, const DecodedInstr& instr, unsigned lane, const Cta& cta, const SharedMatrix& matrix,
                  const TensorFactorPart& part, TensorFactor* factor);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_SEMANTICS_TENSOR_FACTOR_H_
