// SPDX-License-Identifier: Apache-2.0

// The register checker: proves that register allocation kept the meaning of a function. Every use of an
// allocated register must read the value that the virtual register had which stood there before.
//
// Symbolic execution in the manner of regalloc2's checker (docs/DESIGN.md of bytecodealliance/regalloc2), for
// every path at once: values have the names of the virtual registers of before, and a forward dataflow problem
// says what each location holds.
//
//   Locations  allocated registers; pieces of the stack objects that were made by allocation. A piece is what
//              no spill or reload divides further.
//   Values     (v, bytes): the bytes [begin, begin + size) of the value that the program of before last gave
//              to virtual register v; all of v is one such range. And (v, bool): the integer 1 or 0 for
//              predicate v.
//   Lattice    for each location a set of values: it holds all of these at once. Top (no path has come here
//              yet) is the set of everything, bottom the empty set (nothing is known). The meet is
//              intersection. One more set, U, holds the registers that are undefined here (IMPLICIT_DEF): every
//              location holds those, so that v is in the meet of two sets if on each side it is in the set or
//              in U.
//
//   Transfer   kept instruction     each use of v: (v, all) must be in the set of the register there. Each
//                                   definition of v: v is taken out of every set, then the register's set
//                                   becomes {v}. Registers defined early are emptied before the uses.
//              kept copy w <- v     the same, and w is put into every set that v is in.
//              deleted copy w <- v  w is taken out of every set, and put into each that v is in.
//              deleted instruction  its definitions are taken out of every set. It must have no effect.
//              PHI, kept or not     as parallel copies on the edge.
//              inserted copy, spill, reload, pack, unpack, predicate to integer and back
//                                   the target's set becomes the source's, cut or put together.
//              rematerialization    an inserted instruction that computes what an instruction of before
//                                   computes for v, from registers that hold the values of its operands: the
//                                   target's set becomes {v}.
//              anything inserted    its targets hold nothing. It must have no effect.
//
// Deleted instructions have no place any more; they take effect right behind the kept one that they followed.
// That is without loss: what was inserted there moves values, and changes none.
//
// Virtual registers with one definition that copy one another are one value throughout (w lives only where its
// copy was executed after v's definition, since every definition reaches all its uses), so that most copies
// need no place at all. For the same reason a register with one definition, from operands with one definition
// each, can be rematerialized anywhere; for others, whether an expression still has its value is a set of the
// dataflow problem as well: a location that is emptied when an operand is defined anew.
//
// What is not proved is reported, also where the code happens to be right. Not understood are: spilling to
// objects that were there before, instructions that were changed in place or moved, and frame indices that
// have been turned into addresses (check before nvptx-prolog-epilog). When the snapshot is of SSA form and PHIs
// have become copies since, rematerialization of what was computed from registers is not always proved.
//
// The function must have been well-formed when the snapshot was taken. Time: near-linear where few values are
// equal; sets are shared and kept at block borders only for locations and values that are live there.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mir/code/machine_function.h"
#include "passes/pass.h"

namespace ptxmir {

// What the function was before allocation. While it exists, ids of deleted instructions are not given to
// others. The function must outlive it.
class RegisterCheckerSnapshot {
 public:
  explicit RegisterCheckerSnapshot(MachineFunction& function);
  ~RegisterCheckerSnapshot();
  RegisterCheckerSnapshot(const RegisterCheckerSnapshot&) = delete;
  RegisterCheckerSnapshot& operator=(const RegisterCheckerSnapshot&) = delete;

  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Operand {
    MachineOperand operand;    // unlinked: for its kind, value and flags
    uint32_t tied_to = kNone;  // number of the operand that it is tied to
  };
  struct Instr {
    ArenaId id;
    Opcode opcode;
    uint32_t flags;
    uint32_t block;  // index
    uint32_t first_operand;
    uint32_t num_operands;
    // Gives the same results wherever its operands have the same values.
    bool is_reproducible;
    // May go when nothing uses its results.
    bool is_deletable;
  };
  struct Block {
    ArenaId id;
    BlockNumber number;
    uint32_t first_instr;
    uint32_t num_instrs;
    std::vector<uint32_t> successors;  // indices
  };

  MachineFunction& function() const { return function_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Instr>& instrs() const { return instrs_; }
  absl::Span<const Operand> operands(const Instr& instr) const {
    return absl::MakeConstSpan(operands_).subspan(instr.first_operand, instr.num_operands);
  }
  // Index of an instruction or block by id; kNone: it is a new one.
  uint32_t FindInstr(ArenaId id) const { return id < instr_index_.size() ? instr_index_[id] : kNone; }
  uint32_t FindBlock(ArenaId id) const { return id < block_index_.size() ? block_index_[id] : kNone; }
  uint32_t FindBlockByNumber(BlockNumber number) const {
    return number < block_by_number_.size() ? block_by_number_[number] : kNone;
  }
  uint32_t num_registers() const { return static_cast<uint32_t>(register_bytes_.size()); }
  // Size of a virtual register's value; 1 for predicates.
  uint32_t RegisterBytes(uint32_t index) const { return register_bytes_[index]; }
  int num_stack_objects() const { return num_stack_objects_; }
  const std::vector<JumpTable>& jump_tables() const { return jump_tables_; }

 private:
  void AddBlock(const MachineBasicBlock& block);
  void AddInstr(const MachineInstr& instr);

  MachineFunction& function_;
  std::vector<Block> blocks_;
  std::vector<Instr> instrs_;
  std::vector<Operand> operands_;
  std::vector<uint32_t> instr_index_;  // by id
  std::vector<uint32_t> block_index_;  // by id
  std::vector<uint32_t> block_by_number_;
  std::vector<uint8_t> register_bytes_;
  std::vector<JumpTable> jump_tables_;
  int num_stack_objects_ = 0;
};

struct RegisterCheckerFinding {
  enum class Kind : uint8_t {
    kWrongValue,   // a use reads a location that does not hold the value
    kChanged,      // a kept instruction is not what it was, but for its registers
    kDeleted,      // an instruction that must stay is gone
    kInserted,     // an inserted instruction does what allocation has no business to do
    kControlFlow,  // blocks or edges are not what they were, but for blocks inserted on edges
    kStackSlot,    // a stack slot is accessed out of bounds, or its address is taken
  };
  Kind kind;
  BlockNumber block = 0;
  ArenaId instr = 0;  // 0: none
  int operand = -1;   // -1: none
  // Of kWrongValue: the virtual register of before, and the register that is read now.
  Register expected;
  Register actual;
  std::string message;  // names block, instruction, operand and values
};

// Findings in layout order; at most kMaxRegisterCheckerFindings. Empty: allocation is proved.
inline constexpr size_t kMaxRegisterCheckerFindings = 50;
// `num_visits`: how often blocks were executed until nothing changed any more.
std::vector<RegisterCheckerFinding> CheckRegisters(const RegisterCheckerSnapshot& snapshot,
                                                   uint64_t* num_visits = nullptr);

// As passes: register-checker-begin takes the snapshot, register-checker checks against it and reports an
// error for each finding.
PassResult RunRegisterCheckerBegin(MachineFunction& function, PassContext& context);
PassResult RunRegisterChecker(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_H_
