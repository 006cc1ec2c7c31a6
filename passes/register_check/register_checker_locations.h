// SPDX-License-Identifier: Apache-2.0

// The facts on which the register checker runs: the names of values, and the locations that can hold them. They are
// computed once, from the function and its snapshot, and do not change after that.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_LOCATIONS_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_LOCATIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "passes/register_check/register_checker_match.h"
#include "passes/register_check/register_checker_values.h"

namespace ptxmir::register_check {

using Snapshot = RegisterCheckerSnapshot;

// Location 0 stands for U. Registers, pieces of stack slots and expressions follow.
using Location = uint32_t;
inline constexpr Location kUndefined = 0;
inline constexpr Location kNoLocation = ~uint32_t{0};
inline Location LocationOf(Register reg) { return 1 + reg.virtual_index(); }

// Both are indexed by original virtual register.
struct ValueNames {
  std::vector<uint32_t> name;  // the register whose value it has
  std::vector<uint32_t> num_defs;
};

// Spills and reloads divide new stack objects into pieces. Both are indexed by slot.
struct SlotPieces {
  std::vector<std::vector<uint32_t>> borders;  // the offsets at which the pieces begin, and the end of the last one
  std::vector<Location> first_piece;
};

// The computation of an original instruction: its opcode, its flags, its non-register operands and the values of its
// register operands. For each definition, all instructions with this expression produce the same value.
struct Expression {
  // Both are indexed by definition: registers that hold the result wherever they are live, and the location whose set
  // contains the other registers that hold it.
  std::vector<std::vector<uint32_t>> anywhere;
  std::vector<Location> locations;
  uint32_t flags = 0;
  uint32_t next = Snapshot::kNone;  // the expression that differs only in its flags
};

struct Expressions {
  // A shape is an opcode with its operands, without the virtual registers that these name. Only those of inserted
  // instructions have a number.
  absl::flat_hash_map<std::string, uint32_t> shapes;
  std::vector<std::vector<Location>> locations_of_shape;
  absl::flat_hash_map<std::string, uint32_t> index;  // by shape and inputs: the first of the expressions
  std::vector<Expression> all;
  std::vector<uint32_t> of_instr;              // by original instruction; only expressions that have a location
  std::vector<std::vector<Location>> reading;  // by original register
  std::vector<bool> is_input;                  // by original register: it may be read where it was dead
};

struct CheckerFacts {
  explicit CheckerFacts(const MatchedFunction& matched_function);

  const MachineFunction& function() const { return matched.function(); }
  const Snapshot& snapshot() const { return matched.snapshot(); }
  const Snapshot::Instr& Before(const MatchedStep& step) const { return snapshot().instrs()[step.original]; }
  uint32_t Name(Register reg) const { return values.name[reg.virtual_index()]; }
  SymbolicValue WholeValue(uint32_t vreg) const {
    return {vreg, 0, static_cast<uint8_t>(snapshot().RegisterBytes(vreg)), SymbolicValue::kBytes};
  }

  const MatchedFunction& matched;
  ValueNames values;
  uint32_t num_locations;
  SlotPieces slots;
  Expressions expressions;
};

// Returns true for a copy between registers that have the same name.
bool CopiesValueToItself(const CheckerFacts& facts, const Snapshot::Instr& instr);

// The pieces of a value in memory, lowest first, with their sizes.
using Pieces = absl::InlinedVector<std::pair<Location, uint32_t>, 2>;
Pieces PiecesOf(const CheckerFacts& facts, const RegisterTransfer& transfer, unsigned value);

// Returns the number of the instruction's shape, or kNone if it has none.
uint32_t FindShape(const CheckerFacts& facts, const MachineInstr& instr);
// Returns the expressions of original instructions that have at least these flags: an instruction with more flags may
// be defined for fewer inputs.
std::vector<const Expression*> FindExpressions(const CheckerFacts& facts, uint32_t shape,
                                               absl::Span<const uint32_t> inputs, uint32_t flags);

// Returns the PHI's operand for the edge from a predecessor in the original program, and sets `now` to the register
// that is read now. Returns null if the edge brings no value.
const Snapshot::Operand* PhiOperand(const CheckerFacts& facts, const MatchedPhi& phi,
                                    const MachineBasicBlock& predecessor, Register& now);
// Returns the original register that the PHI defines.
Register PhiResult(const CheckerFacts& facts, const MatchedPhi& phi);

}  // namespace ptxmir::register_check

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_LOCATIONS_H_
