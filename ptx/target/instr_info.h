// SPDX-License-Identifier: Apache-2.0

// PtxInstrInfo: what passes ask about a PTX opcode beyond the InstrDesc that the IR knows.
//
// InstrDesc::flags are LLVM's, which are often cautious guesses (`cvta` has unmodelled side effects) and
// which MIR was made with; the properties here say what an instruction does. Both come from the tables in
// ptx/isa. No pass switches over opcodes: what it needs to know is a property, an operand index or a class
// here.

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
  uint16_t semantics;      // dense number of the semantic tag; SemanticsName
  uint16_t family;         // FamilyName
  uint16_t access_bits;    // width of one value in memory; 0: none, or the width operand says
  LatencyClass latency;
  MemorySpace space;  // kOperand: the addsp operand says

  // Numbers of operands, kNoOperand where there is none. An address is two operands: base and offset.
  uint8_t address;         // the first address
  uint8_t second_address;  // copies have two or three
  uint8_t third_address;
  uint8_t address_space;  // code of the state space: see AddressSpaceFromCode
  uint8_t ordering;       // memory order (atom.sem)
  uint8_t scope;
  uint8_t width;        // access width in bits
  uint8_t first_value;  // first of num_values operands loaded or stored, one after another
  uint8_t num_values;

  bool Has(uint32_t property) const { return (properties & property) != 0; }

  bool is_pure() const { return Has(Property::kPure); }
  bool reads_memory() const { return Has(Property::kRead); }
  bool writes_memory() const { return Has(Property::kWrite); }
  bool touches_memory() const { return Has(Property::kRead | Property::kWrite); }
  // Must stay where it is relative to control flow: other threads of the warp or CTA take part.
  bool is_collective() const { return Has(Property::kCollective); }
  bool is_commutable() const { return Has(Property::kComm); }
  bool is_move() const { return Has(Property::kMove); }
  bool is_cheap() const { return Has(Property::kCheap); }
  // Orders memory accesses around it.
  bool is_fence() const { return Has(Property::kFence | Property::kBarrier); }
  // Reads a register that the hardware sets (%tid.x and the like).
  bool is_special_register_read() const { return Has(Property::kSreg); }
  // Converts an address between a state space and the generic one.
  bool is_address_conversion() const { return Has(Property::kCvta); }
  // May be executed again elsewhere, where its operands are available.
  bool is_rematerializable() const { return is_pure() && !is_collective(); }
  // A load that may be executed again elsewhere if nobody writes what it reads, which takes more than the opcode to
  // decide (MemoryDependence::ReadsConstantMemory) and that it is not ordered (IsOrderedAccess).
  bool is_rematerializable_load() const {
    constexpr uint32_t kMore = Property::kWrite | Property::kSide | Property::kAtomic | Property::kFence |
                               Property::kBarrier | Property::kCollective | Property::kVolatile | Property::kAsync |
                               Property::kTexture | Property::kSurface | Property::kQuery | Property::kTensor |
                               Property::kControl | Property::kCall;
    return reads_memory() && address != kNoOperand && !Has(kMore);
  }
  // May be deleted when nothing uses its results, unless it is an ordered access (IsOrderedAccess). A fence
  // orders and most collectives exchange values between threads: a pass that wants to delete one has to know
  // that it may.
  bool is_deletable_if_unused() const {
    constexpr uint32_t kNeeded = Property::kWrite | Property::kSide | Property::kCarryout | Property::kFence |
                                 Property::kBarrier | Property::kControl | Property::kCall;
    return !Has(kNeeded) && (is_pure() || !is_collective());
  }
};

namespace isa {
extern const PtxInstrInfo kInstrInfos[];  // generated; kNumOpcodes
}  // namespace isa

// The entry of an opcode.
inline const PtxInstrInfo& InstrInfo(Opcode opcode) { return isa::kInstrInfos[opcode]; }

// What the instruction computes, independent of operand shapes: "add.s32" for ADD32rr and ADD32ri. The
// interpreter maps these numbers to functions. Numbers are dense in [0, kNumSemantics), ordered by name.
std::string_view SemanticsName(uint16_t semantics);

// The family of the table: "int.add", "wmma.load".
std::string_view FamilyName(uint16_t family);

std::string_view OperandRoleName(OperandRole role);

// The state space that an addsp operand names (LLVM's numbers), or kUnknown.
MemorySpace AddressSpaceFromCode(int64_t code);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_INSTR_INFO_H_
