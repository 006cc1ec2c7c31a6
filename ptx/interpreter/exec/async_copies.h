// SPDX-License-Identifier: Apache-2.0

// Completion of asynchronous copies, for the kernels that wait and for threads that end.

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

// Issue a bulk copy into shared memory that reports to an mbarrier; IssueBulkMulticast issues one for each CTA in
// the mask. They return false after a fault.
bool IssueBulkWithMbarrier(Warp& warp, const DecodedInstr& instr, unsigned lane, const PendingBulkCopy& copy);
bool IssueBulkMulticast(Warp& warp, const DecodedInstr& instr, unsigned lane, const PendingBulkCopy& copy,
                        uint32_t mask);

// Bulk copies of tensor boxes (semantics_tma.cc).
bool CompleteTensorBox(Warp& warp, unsigned lane, const PendingBulkCopy& copy, AccessKind kind);
bool ResolveTensorCopy(const Statement& statement, Semantics* semantics);

// Performs the bulk copies that report to an mbarrier (a generic address) and notifies it. Call it before the
// mbarrier's phase is read. Returns false after a fault.
bool CompleteBulkCopies(Warp& warp, unsigned lane, uint64_t mbarrier);

// Performs the bulk copies to global memory that a thread has issued and not waited for. Drops copies into shared
// memory that were never waited for. Call it when the thread ends. Returns false after a fault.
bool FinishThreadCopies(Warp& warp, unsigned lane);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_ASYNC_COPIES_H_
