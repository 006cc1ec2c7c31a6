// SPDX-License-Identifier: Apache-2.0

// PtxInstrInfo: the properties of a PTX opcode that passes ask about, beyond the InstrDesc that the IR knows.
//
// InstrDesc::flags are LLVM's, on which existing MIR relies. They are often cautious guesses: `cvta` has unmodeled
// side effects. The properties here say what an instruction really does. Both come from the tables in ptx/isa. No
// pass switches over opcodes: everything that a pass needs to know is a property, an operand index or a class here.

#ifndef PTXMIR_PTX_TARGET_INSTR_INFO_H_
#define PTXMIR_PTX_TARGET_INSTR_INFO_H_

#include <cstdint>
#include <string_view>

#include "mir/code/instr_desc.h"
#include "ptx/isa/isa_enums.h"

namespace ptxmir::ptx {

struct PtxInstrInfo {
  static constexpr uint8_t kNoOperand = 255;

  uint32_t properties;     // Property
  uint32_t template_code;  // offset of the printing template's byte code; 0: cannot be printed
  SemanticTag semantics;   // its computation, independent of operand shapes
  Family family;           // its group in the tables
  uint16_t access_bits;    // width of one value in memory; 0: none, or given by the width operand
  LatencyClass latency;
  MemorySpace space;  // kOperand: given by the addsp operand

  // Operand indices; kNoOperand if there is no such operand. An address is two operands: base and offset.
  uint8_t address;         // the first address
  uint8_t second_address;  // copies have two or three
  uint8_t third_address;
  uint8_t address_space;  // code of the state space; see AddressSpaceFromCode
  uint8_t ordering;       // memory order (atom.sem)
  uint8_t scope;
  uint8_t width;        // access width in bits
  uint8_t first_value;  // first of the num_values consecutive operands that are loaded or stored
  uint8_t num_values;
  uint8_t requirement;  // number of the condition on GPU and PTX version; see Subtarget::Supports

  bool Has(uint32_t property) const { return (properties & property) != 0; }

  bool is_pure() const { return Has(Property::kPure); }
  bool reads_memory() const { return Has(Property::kRead); }
  bool writes_memory() const { return Has(Property::kWrite); }
  bool touches_memory() const { return Has(Property::kRead | Property::kWrite); }
  // Returns true if the instruction must stay where it is relative to control flow, because other threads of the
  // warp or CTA take part.
  bool is_collective() const { return Has(Property::kCollective); }
  bool is_commutable() const { return Has(Property::kComm); }
  bool is_move() const { return Has(Property::kMove); }
  bool is_cheap() const { return Has(Property::kCheap); }
  // Returns true if the instruction orders the memory accesses around it.
  bool is_fence() const { return Has(Property::kFence | Property::kBarrier); }
  // Returns true if the instruction reads a register that the hardware sets (%tid.x and the like).
  bool is_special_register_read() const { return Has(Property::kSreg); }
  // Returns true if the instruction converts an address between a state space and the generic one.
  bool is_address_conversion() const { return Has(Property::kCvta); }
  // Returns true if the instruction may be recomputed wherever its operands are available.
  bool is_rematerializable() const { return is_pure() && !is_collective(); }
  // Returns true for a load that may be recomputed elsewhere if the memory that it reads is never written. The
  // opcode alone does not decide that: see MemoryDependence::ReadsConstantMemory. The load must also not be ordered
  // (IsOrderedAccess).
  bool is_rematerializable_load() const {
    constexpr uint32_t kMore = Property::kWrite | Property::kSide | Property::kAtomic | Property::kFence |
                               Property::kBarrier | Property::kCollective | Property::kVolatile | Property::kAsync |
                               Property::kTexture | Property::kSurface | Property::kQuery | Property::kTensor |
                               Property::kControl | Property::kCall;
    return reads_memory() && address != kNoOperand && !Has(kMore);
  }
  // Returns true if the instruction may be deleted when its results are unused, unless it is an ordered access
  // (IsOrderedAccess). Fences order accesses, and most collectives exchange values between threads. A pass that
  // deletes one of those must know that it may.
  bool is_deletable_if_unused() const {
    constexpr uint32_t kNeeded = Property::kWrite | Property::kSide | Property::kCarryout | Property::kFence |
                                 Property::kBarrier | Property::kControl | Property::kCall;
    return !Has(kNeeded) && (is_pure() || !is_collective());
  }
};

namespace isa {
extern const PtxInstrInfo kInstrInfos[];  // generated; kNumOpcodes entries
}  // namespace isa

// Returns the entry of an opcode.
inline const PtxInstrInfo& InstrInfo(Opcode opcode) { return isa::kInstrInfos[opcode]; }

// Returns the name of a semantic tag: "add.s32", which ADD32rr and ADD32ri have. Code that asks for a tag compares the
// enumerators of ptx/isa/isa_semantics.h. The name is for messages and for what parses the mnemonic in it.
std::string_view SemanticsName(SemanticTag semantics);

// Returns the name of the family in the table: "int.add", "wmma.load".
std::string_view FamilyName(Family family);

std::string_view OperandRoleName(OperandRole role);

// Returns the state space that an addsp operand denotes (in LLVM's numbering), or kUnknown.
MemorySpace AddressSpaceFromCode(int64_t code);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_INSTR_INFO_H_
