// SPDX-License-Identifier: Apache-2.0

// Completion of asynchronous copies, for the kernels that wait and for the end of threads.

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_ASYNC_COPIES_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_ASYNC_COPIES_H_

#include <cstdint>

namespace ptxmir::ptx {

class Warp;
enum class AccessKind : uint8_t;
struct DecodedInstr;
struct PendingBulkCopy;
struct Semantics;
struct Statement;

// Issues a bulk copy into shared memory that reports to an mbarrier; the same for each CTA of a mask. False after a
// fault.
bool IssueBulkWithMbarrier(Warp& warp, const DecodedInstr& instr, unsigned lane, const PendingBulkCopy& copy);
bool IssueBulkMulticast(Warp& warp, const DecodedInstr& instr, unsigned lane, const PendingBulkCopy& copy,
                        uint32_t mask);

// Of boxes of tensors (semantics_tma.cc).
bool CompleteTensorBox(Warp& warp, unsigned lane, const PendingBulkCopy& copy, AccessKind kind);
bool ResolveTensorCopy(const Statement& statement, Semantics* semantics);

// Carries out the bulk copies that report to an mbarrier (generic address) and tells it. To be called before its
// phase is looked at. False after a fault.
bool CompleteBulkCopies(Warp& warp, unsigned lane, uint64_t mbarrier);

// Carries out the bulk copies to global memory that a thread has issued and not waited for; a copy into shared
// memory that nobody waited for is dropped. To be called when the thread ends. False after a fault.
bool FinishThreadCopies(Warp& warp, unsigned lane);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_ASYNC_COPIES_H_
