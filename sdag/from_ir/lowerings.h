// SPDX-License-Identifier: Apache-2.0

// The functions that build the nodes of instructions, by kind. Internal to sdag/from_ir. Each defines the value of the
// instruction, or refuses it.

#ifndef PTXMIR_SDAG_FROM_IR_LOWERINGS_H_
#define PTXMIR_SDAG_FROM_IR_LOWERINGS_H_

#include <cstdint>

#include "ir/code/instruction.h"
#include "mir/code/machine_mem_operand.h"
#include "sdag/from_ir/function_builder.h"

namespace ptxmir::sdag {

// lower_arithmetic.cc
void LowerBinary(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerFNeg(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerCompare(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerSelect(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerFreeze(FunctionBuilder& builder, const ir::Instruction& instruction);
// Returns the flags of nodes that an instruction's flags are.
uint32_t NodeFlags(const ir::Instruction& instruction);

// lower_casts.cc
void LowerCast(FunctionBuilder& builder, const ir::Instruction& instruction);

// lower_aggregates.cc
void LowerExtractElement(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerInsertElement(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerShuffleVector(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerExtractValue(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerInsertValue(FunctionBuilder& builder, const ir::Instruction& instruction);

// lower_memory.cc
void LowerAlloca(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerLoad(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerStore(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerGetElementPtr(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerFence(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerCmpXchg(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerAtomicRMW(FunctionBuilder& builder, const ir::Instruction& instruction);

// memory_access.cc: loads and stores of whole values.
struct MemoryAccess {
  uint32_t address_space = 0;
  uint64_t align = 1;                         // of the value's address, in bytes
  uint16_t flags = 0;                         // of MachineMemOperand, beside kLoad and kStore
  const ir::Instruction* metadata = nullptr;  // the instruction whose attachments describe the access; may be null
  bool has_truth_bytes = false;               // an i1 is in a byte that is known to be 0 or 1
};
// Load all parts of a value from memory. The chains of the loads are appended to `chains`.
ValueNodes LoadValue(FunctionBuilder& builder, const IrType* type, SDValue chain, SDValue address,
                     const MemoryAccess& access, std::vector<SDValue>& chains);
void StoreValue(FunctionBuilder& builder, const IrType* type, absl::Span<const SDValue> nodes, SDValue chain,
                SDValue address, const MemoryAccess& access, std::vector<SDValue>& chains);
// Returns the memory operand of an access to one node's worth of memory.
const MachineMemOperand* MemOperandFor(FunctionBuilder& builder, EVT type, const IrType* source, uint64_t offset,
                                       const MemoryAccess& access, uint16_t flags);

// lower_calls.cc
void LowerCall(FunctionBuilder& builder, const ir::Instruction& instruction);
void LowerReturn(FunctionBuilder& builder, const ir::Instruction& instruction);
// Defines the arguments of the function in its entry block.
void LowerArguments(FunctionBuilder& builder);
// Defines a cast of a kernel's byval parameter to parameter space, which is the place of the parameter itself. Returns
// false for any other instruction.
bool LowerParameterPlace(FunctionBuilder& builder, const ir::Instruction& instruction);

// lower_vector_intrinsics.cc: llvm.vector.reverse and the like, and masked accesses with an address for each element.
// No opcode belongs to them.
void LowerVectorReverse(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerVectorExtract(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerVectorInsert(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerVectorSplice(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerVectorInterleave(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerVectorDeinterleave(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerStepVector(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerActiveLaneMask(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerGather(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerScatter(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerExpandLoad(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);
void LowerCompressStore(FunctionBuilder& builder, const ir::Instruction& instruction, int16_t opcode);

// lower_intrinsics.cc, lower_inline_asm.cc: calls of special callees.
// Returns the number that a constant argument has, or 0 if it is no constant.
int64_t ConstantArgument(FunctionBuilder& builder, const ir::Value& argument);
// The access of a masked intrinsic through a pointer, or through each pointer of a vector.
struct MaskedAccess {
  MemoryAccess access;
  unsigned mask;  // the number of the argument
};
// `pointer` is the number of the argument. Before LLVM 22, the argument after it was the alignment.
MaskedAccess MaskedAccessOf(FunctionBuilder& builder, const ir::Instruction& instruction, unsigned pointer);
void LowerIntrinsic(FunctionBuilder& builder, const ir::Instruction& instruction, std::string_view name);
void LowerInlineAsm(FunctionBuilder& builder, const ir::Instruction& instruction, const ir::InlineAsm& text);

// lower_control_flow.cc
void LowerTerminator(FunctionBuilder& builder, const ir::Instruction& instruction);
// Copies the values that PHIs of the successors take from this block to registers.
void CopyIncomingValues(FunctionBuilder& builder, const ir::BasicBlock& block);
// Makes the PHIs of all blocks, once all blocks have their terminators.
void MakePhis(FunctionBuilder& builder);

// lower_debug.cc: the debug records in front of an instruction.
void LowerDebugRecords(FunctionBuilder& builder, const ir::Instruction& instruction);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_FROM_IR_LOWERINGS_H_
