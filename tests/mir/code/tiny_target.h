// SPDX-License-Identifier: Apache-2.0

// A target with the generic opcodes and four of its own, for tests of the IR itself.

#ifndef PTXMIR_TESTS_MIR_TINY_TARGET_H_
#define PTXMIR_TESTS_MIR_TINY_TARGET_H_

#include <array>
#include <optional>
#include <string_view>

#include "mir/code/instr_desc.h"

namespace ptxmir::testing {

inline constexpr RegClassId kI32 = 0;
inline constexpr RegClassId kPred = 1;

// The opcodes of the tiny target, after the generic ones.
enum : Opcode { kTinyAdd = 27, kTinyLi, kTinyBranchIf, kTinyJump, kTinyRet, kTinyCount };

inline constexpr char kTinyStrings[] = "GENERIC\0ADD\0LI\0BRIF\0JMP\0RET";

inline constexpr std::array<OperandDesc, 9> kTinyOperands = {{
    // ADD d, a, b
    {OperandType::kRegister, kI32, 0, -1},
    {OperandType::kRegister, kI32, 0, -1},
    {OperandType::kRegister, kI32, 0, -1},
    // LI d, imm
    {OperandType::kRegister, kI32, 0, -1},
    {OperandType::kImmediate, kNoRegClass, 0, -1},
    // BRIF p, label
    {OperandType::kRegister, kPred, 0, -1},
    {OperandType::kUnknown, kNoRegClass, 0, -1},
    // JMP label
    {OperandType::kUnknown, kNoRegClass, 0, -1},
    // PHI, COPY ...: d
    {OperandType::kUnknown, kNoRegClass, 0, -1},
}};

inline const TargetInfo& TinyTarget() {
  static const auto* instrs = [] {
    auto* table = new std::array<InstrDesc, kTinyCount>{};
    for (InstrDesc& desc : *table) desc = {0, 0, InstrFlag::kPseudo | InstrFlag::kVariadic, 8, 0, 0, 0, 0};
    const uint32_t branch = InstrFlag::kBranch | InstrFlag::kTerminator;
    (*table)[kTinyAdd] = {8, 8, InstrFlag::kCommutable, 0, 3, 1, 0, 0};
    (*table)[kTinyLi] = {12, 12, InstrFlag::kMoveImmediate, 3, 2, 1, 0, 0};
    (*table)[kTinyBranchIf] = {15, 15, branch, 5, 2, 0, 0, 0};
    (*table)[kTinyJump] = {20, 20, branch | InstrFlag::kBarrier, 7, 1, 0, 0, 0};
    (*table)[kTinyRet] = {24, 24, InstrFlag::kReturn | InstrFlag::kTerminator | InstrFlag::kBarrier, 8, 0, 0, 0, 0};
    return table;
  }();
  static const auto* classes =
      new std::array<RegClassDesc, 2>{{{"i32", 32, 1, true, {0, 0}}, {"pred", 1, 0, true, {0, 0}}}};
  static const auto* registers = new std::array<PhysRegDesc, 2>{{{"noreg"}, {"frame"}}};
  static const TargetInfo target = [] {
    TargetInfo info;
    info.instrs = *instrs;
    info.operand_descs = kTinyOperands;
    info.strings = kTinyStrings;
    info.reg_classes = *classes;
    info.phys_regs = *registers;
    info.find_opcode = [](std::string_view name) -> std::optional<Opcode> {
      for (Opcode opcode = kTinyAdd; opcode < kTinyCount; ++opcode) {
        if (TinyTarget().Name(opcode) == name) return opcode;
      }
      return std::nullopt;
    };
    info.is_compatible_class = [](RegClassId actual, RegClassId wanted) { return actual == wanted; };
    return info;
  }();
  return target;
}

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_MIR_TINY_TARGET_H_
