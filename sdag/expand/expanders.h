// SPDX-License-Identifier: Apache-2.0

// The expansions that make blocks. Internal to sdag/expand.

#ifndef PTXMIR_SDAG_EXPAND_EXPANDERS_H_
#define PTXMIR_SDAG_EXPAND_EXPANDERS_H_

#include "absl/status/status.h"
#include "sdag/expand/block_splitter.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Atomic operations on memory that only one thread sees: they become a load and a store in the same block.
bool IsAtomicOnLocalMemory(const SDNode& node);
void LoadAndStore(SelectionDAG& dag, SDNode& node);

// A bitwise atomic operation on a byte or on two: it becomes one on the aligned word that holds them.
bool IsBitwiseOnPartOfWord(const SDNode& node);
void UpdateWord(SelectionDAG& dag, SDNode& node);

// An addition of floating-point numbers with a scope in its name, for which the subtarget has no instruction. It
// becomes an atomic operation like any other.
bool IsUnsupportedScopedAddition(const SDNode& node, const ISelOptions& options);
void ReplaceScopedAddition(SelectionDAG& dag, SDNode& node);

// Returns true if PTX has no instruction for an atomic operation but a loop can do it.
bool NeedsAtomicLoop(SelectionDAG& dag, const SDNode& node, const ISelOptions& options);
absl::Status ExpandAtomic(CrossBlockValues& values, SDNode& node);

bool NeedsMemoryLoop(const SDNode& node);
absl::Status ExpandMemoryIntrinsic(CrossBlockValues& values, SDNode& node);

// Masked loads and stores: accesses to single elements, in the same block if the mask is a constant.
bool IsMaskedByConstants(const SDNode& node);
void ExpandConstantMask(SelectionDAG& dag, SDNode& node);
bool NeedsMaskBranches(const SDNode& node);
absl::Status ExpandMasked(CrossBlockValues& values, SDNode& node);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EXPAND_EXPANDERS_H_
