// SPDX-License-Identifier: Apache-2.0

#include "ir/verify/instruction_checks.h"

namespace ptxmir::ir {
namespace {

// Returns the width of the elements that a cast compares: of integers and floating-point numbers.
uint64_t Bits(const Function& function, const IrType* type) {
  return function.module().data_layout().SizeInBits(ScalarType(type));
}

struct CastRule {
  bool (*source)(const IrType*);
  bool (*result)(const IrType*);
  int size;  // 1: the result is wider, -1: narrower, 0: either
  const char* source_message;
  const char* result_message;
  const char* size_message;
};

CastRule RuleOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kTrunc:
      return {IsIntOrIntVector,
              IsIntOrIntVector,
              -1,
              "Trunc only operates on integer",
              "Trunc only produces integer",
              "DestTy too big for Trunc"};
    case Opcode::kZExt:
      return {IsIntOrIntVector,
              IsIntOrIntVector,
              1,
              "ZExt only operates on integer",
              "ZExt only produces an integer",
              "Type too small for ZExt"};
    case Opcode::kSExt:
      return {IsIntOrIntVector,
              IsIntOrIntVector,
              1,
              "SExt only operates on integer",
              "SExt only produces an integer",
              "Type too small for SExt"};
    case Opcode::kFPTrunc:
      return {IsFloatOrFloatVector,          IsFloatOrFloatVector,          -1,
              "FPTrunc only operates on FP", "FPTrunc only produces an FP", "DestTy too big for FPTrunc"};
    case Opcode::kFPExt:
      return {IsFloatOrFloatVector,        IsFloatOrFloatVector,        1,
              "FPExt only operates on FP", "FPExt only produces an FP", "DestTy too small for FPExt"};
    case Opcode::kFPToUI:
      return {IsFloatOrFloatVector,
              IsIntOrIntVector,
              0,
              "FPToUI source must be FP or FP vector",
              "FPToUI result must be integer or integer vector",
              nullptr};
    case Opcode::kFPToSI:
      return {IsFloatOrFloatVector,
              IsIntOrIntVector,
              0,
              "FPToSI source must be FP or FP vector",
              "FPToSI result must be integer or integer vector",
              nullptr};
    case Opcode::kUIToFP:
      return {IsIntOrIntVector,
              IsFloatOrFloatVector,
              0,
              "UIToFP source must be integer or integer vector",
              "UIToFP result must be FP or FP vector",
              nullptr};
    case Opcode::kSIToFP:
      return {IsIntOrIntVector,
              IsFloatOrFloatVector,
              0,
              "SIToFP source must be integer or integer vector",
              "SIToFP result must be FP or FP vector",
              nullptr};
    case Opcode::kPtrToInt:
    case Opcode::kPtrToAddr:
      return {IsPointerOrPointerVector,           IsIntOrIntVector, 0, "PtrToInt source must be pointer",
              "PtrToInt result must be integral", nullptr};
    case Opcode::kIntToPtr:
      return {IsIntOrIntVector,
              IsPointerOrPointerVector,
              0,
              "IntToPtr source must be an integral",
              "IntToPtr result must be a pointer",
              nullptr};
    default:
      return {IsPointerOrPointerVector,
              IsPointerOrPointerVector,
              0,
              "AddrSpaceCast source must be a pointer",
              "AddrSpaceCast result must be a pointer",
              nullptr};
  }
}

const char* CheckBitCast(const Function& function, const IrType* from, const IrType* to) {
  constexpr const char* kMessage = "Invalid bitcast";
  if (from == to) return nullptr;
  if (from->is_aggregate() || to->is_aggregate() || !from->is_sized_kind() || !to->is_sized_kind()) return kMessage;
  if (IsPointerOrPointerVector(from) != IsPointerOrPointerVector(to)) return kMessage;
  if (IsPointerOrPointerVector(from)) {
    return ScalarType(from) == ScalarType(to) && HaveSameShape(from, to) ? nullptr : kMessage;
  }
  const DataLayout& layout = function.module().data_layout();
  return layout.SizeInBits(from) == layout.SizeInBits(to) ? nullptr : kMessage;
}

}  // namespace

const char* CheckCast(const Function& function, const Instruction& instruction) {
  const IrType* from = instruction.operand(0).type();
  const IrType* to = instruction.type();
  if (instruction.opcode() == Opcode::kBitCast) return CheckBitCast(function, from, to);
  const CastRule rule = RuleOf(instruction.opcode());
  if (!rule.source(from)) return rule.source_message;
  if (!rule.result(to)) return rule.result_message;
  if (!HaveSameShape(from, to)) return "cast source and destination must both be a vector or neither";
  if (rule.size > 0 && Bits(function, from) >= Bits(function, to)) return rule.size_message;
  if (rule.size < 0 && Bits(function, from) <= Bits(function, to)) return rule.size_message;
  if (instruction.opcode() == Opcode::kAddrSpaceCast &&
      ScalarType(from)->address_space() == ScalarType(to)->address_space()) {
    return "AddrSpaceCast must be between different address spaces";
  }
  return nullptr;
}

}  // namespace ptxmir::ir
