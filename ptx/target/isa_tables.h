// SPDX-License-Identifier: Apache-2.0

// The generated tables (isa_tables.cc), in the layout that ptx_target.cc and instr_printer.cc use. All other code
// uses those two. See generate_isa.cc for how the tables are made.

#ifndef PTXMIR_PTX_TARGET_ISA_TABLES_H_
#define PTXMIR_PTX_TARGET_ISA_TABLES_H_

#include <cstdint>

#include "mir/code/instr_desc.h"
#include "ptx/isa/isa_enums.h"
#include "ptx/isa/name_hash.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::ptx::isa {

enum class ModifierKind : uint8_t { kValue, kBit, kNonZero, kAtLeast, kCode };

// How the value v of an operand prints.
//   kValue    text number kModifierValues[values + i] with i = v & number; an error if i >= num_values or the text
//             number is 0
//   kBit      the text if v & number; kNonZero: if v != 0; kAtLeast: if v >= number; else nothing
//   kCode     decided by code of the printer
struct ModifierDesc {
  ModifierKind kind;
  uint8_t num_values;
  uint16_t values;  // index into kModifierValues
  int32_t number;
};

// A text that is a part of kTemplateCode. Names of semantics are mostly mnemonics, which templates contain.
struct TextInCode {
  uint32_t offset : 20;
  uint32_t size : 12;
};

// The costs of instructions on a GPU generation.
struct MachineRow {
  struct Cost {
    uint16_t latency;
    uint16_t issue;
    FunctionalUnit unit;
  };
  uint16_t sm;  // the first SM
  Cost costs[kNumLatencyClasses];
};

// A condition that a GPU with features of its own meets.
struct ArchCondition {
  char variant;     // 'a': these SMs; 'f': their families, from these SMs on
  uint16_t ptx;     // the first PTX version, times 10
  uint16_t sms[4];  // 0 after the last one
};

// Where an instruction exists. Numbers are 0 if there is no such condition.
struct Requirement {
  uint16_t sm;          // the first SM
  uint16_t ptx;         // the first PTX version, times 10
  uint16_t removed_sm;  // from this SM on, with removed_ptx or later, it no longer exists
  uint16_t removed_ptx;
  uint16_t first_condition;  // index into kArchConditions
  uint16_t num_conditions;   // one of them must be met; 0: any GPU
};

// A text of an operand that needs more than the instruction.
struct TextNeed {
  uint16_t role;  // OperandRole; 0 after the last one
  int32_t mask;   // the text is printed if the operand and `mask` is `value`
  int32_t value;
  uint32_t text;
  uint8_t requirement;
};

extern const InstrDesc kInstrDescs[];       // kNumOpcodes
extern const OperandDesc kOperandDescs[];   // kNumOperandDescs
extern const TextInCode kSemanticNames[];   // kNumSemantics
extern const Opcode kOpcodesBySemantics[];  // kNumOpcodes
extern const uint16_t kFirstOfSemantics[];  // kNumSemantics + 1: indexes into kOpcodesBySemantics
extern const uint32_t kFamilyNames[];       // kNumFamilies
extern const uint32_t kRoleNames[];         // kNumOperandRoles
extern const uint32_t kLatencyNames[];      // kNumLatencyClasses
extern const uint32_t kUnitNames[];         // kNumFunctionalUnits
extern const MachineRow kMachines[];        // kNumMachines, the oldest first
extern const ArchCondition kArchConditions[];
extern const Requirement kRequirements[];  // by PtxInstrInfo::requirement
extern const TextNeed kTextNeeds[];
extern const NameSlot kNameSlots[];  // kNameSlotMask + 1
extern const ModifierDesc kModifiers[];
extern const uint8_t kModifierValues[];
extern const uint16_t kModifierTextOffsets[];  // by text number: offsets into kModifierTexts
extern const char kModifierTexts[];            // each text after a byte with its length
extern const char kTemplateCode[];
extern const char kStrings[];

}  // namespace ptxmir::ptx::isa

#endif  // PTXMIR_PTX_TARGET_ISA_TABLES_H_
