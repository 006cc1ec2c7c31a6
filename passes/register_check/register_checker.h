// SPDX-License-Identifier: Apache-2.0

// The register checker proves that register allocation preserved the meaning of a function: every use of an
// allocated register must read the value of the virtual register that stood there before.
//
// This is symbolic execution in the style of regalloc2's checker (docs/DESIGN.md of bytecodealliance/regalloc2),
// for all paths at once. Values are named after the virtual registers of the original program, and a forward
// dataflow problem determines the contents of each location.
//
//   Locations  allocated registers, and pieces of the stack objects that allocation created. A piece is a range of
//              bytes that no spill or reload divides further.
//   Values     (v, bytes): the bytes [begin, begin + size) of the value that the original program last assigned to
//              virtual register v; all of v is one such range. (v, bool): the integer 1 or 0 for predicate v.
//   Lattice    one set of values per location, all of which the location holds at once. Top (no path has reached
//              this point yet) is the set of all values; bottom is the empty set (nothing is known). The meet is
//              intersection. One additional set, U, contains the registers that are undefined here (IMPLICIT_DEF).
//              Every location holds those, so v is in the meet of two sets if, on each side, it is in the set or
//              in U.
//
//   Transfer   kept instruction     for each use of v, (v, all) must be in the set of the register that is read.
//                                   For each definition of v, v is removed from every set, then the register's
//                                   set becomes {v}. The sets of early-clobber registers are emptied before the
//                                   uses.
//              kept copy w <- v     the same, and w is added to every set that contains v.
//              deleted copy w <- v  w is removed from every set and then added to each set that contains v.
//              deleted instruction  its definitions are removed from every set. It must have no effect.
//              PHI, kept or not     treated as parallel copies on the edge.
//              inserted copy, spill, reload, pack, unpack, predicate to integer and back
//                                   the target's set becomes the source's, cut or combined accordingly.
//              rematerialization    an inserted instruction that computes what an original instruction computes
//                                   for v, from registers that hold the values of its operands: the target's set
//                                   becomes {v}.
//              other inserted       its targets hold nothing afterwards. It must have no effect.
//
// Deleted instructions have no position any more. They take effect immediately after the kept instruction that
// they followed. This loses no precision: the instructions inserted there move values but do not change them.
//
// Virtual registers with a single definition that are copies of one another are one value throughout. (w is live
// only where its copy was executed after v's definition, since every definition reaches all its uses.) Most copies
// therefore need no tracking at all. For the same reason, a register with one definition, whose operands have one
// definition each, can be rematerialized anywhere. For other registers, the dataflow problem contains a set for
// each expression that says whether it still has its value: a location that is emptied when an operand is
// redefined.
//
// Anything that cannot be proved is reported, even if the code happens to be correct. The checker does not
// understand spills to objects that existed before, instructions that were changed in place or moved, and frame
// indices that have been lowered to addresses (so it must run before nvptx-prolog-epilog). If the snapshot is in
// SSA form and PHIs have since become copies, rematerialization of values that were computed from registers cannot
// always be proved.
//
// The function must have been well-formed when the snapshot was taken. The time is near-linear if few values are
// equal: sets are shared, and at block boundaries they are kept only for locations and values that are live there.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mir/code/machine_function.h"
#include "passes/pass_context.h"

namespace ptxmir {

// The function as it was before allocation. While the snapshot exists, the ids of deleted instructions are not
// reused. The function must outlive it.
class RegisterCheckerSnapshot {
 public:
  explicit RegisterCheckerSnapshot(MachineFunction& function);
  ~RegisterCheckerSnapshot();
  RegisterCheckerSnapshot(const RegisterCheckerSnapshot&) = delete;
  RegisterCheckerSnapshot& operator=(const RegisterCheckerSnapshot&) = delete;

  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Operand {
    MachineOperand operand;    // not linked into a function; kept for its kind, value and flags
    uint32_t tied_to = kNone;  // the number of the operand that it is tied to
  };
  struct Instr {
    ArenaId id;
    Opcode opcode;
    uint32_t flags;
    uint32_t block;  // index into blocks()
    uint32_t first_operand;
    uint32_t num_operands;
    // Whether the instruction gives the same results wherever its operands have the same values.
    bool is_reproducible;
    // Whether the instruction may be deleted if its results are unused.
    bool is_deletable;
  };
  struct Block {
    ArenaId id;
    BlockNumber number;
    uint32_t first_instr;
    uint32_t num_instrs;
    std::vector<uint32_t> successors;  // indices into blocks()
  };

  MachineFunction& function() const { return function_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Instr>& instrs() const { return instrs_; }
  absl::Span<const Operand> operands(const Instr& instr) const {
    return absl::MakeConstSpan(operands_).subspan(instr.first_operand, instr.num_operands);
  }
  // Return the index of an original instruction or block, or kNone if it is new.
  uint32_t FindInstr(ArenaId id) const { return id < instr_index_.size() ? instr_index_[id] : kNone; }
  uint32_t FindBlock(ArenaId id) const { return id < block_index_.size() ? block_index_[id] : kNone; }
  uint32_t FindBlockByNumber(BlockNumber number) const {
    return number < block_by_number_.size() ? block_by_number_[number] : kNone;
  }
  uint32_t num_registers() const { return static_cast<uint32_t>(register_bytes_.size()); }
  // Returns the size of a virtual register's value in bytes; 1 for predicates.
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
  std::vector<uint32_t> instr_index_;  // indexed by id
  std::vector<uint32_t> block_index_;  // indexed by id
  std::vector<uint32_t> block_by_number_;
  std::vector<uint8_t> register_bytes_;
  std::vector<JumpTable> jump_tables_;
  int num_stack_objects_ = 0;
};

struct RegisterCheckerFinding {
  enum class Kind : uint8_t {
    kWrongValue,   // a use reads a location that does not hold the value
    kChanged,      // a kept instruction differs in more than its registers
    kDeleted,      // an instruction that must stay was deleted
    kInserted,     // an inserted instruction has an effect that allocation must not introduce
    kControlFlow,  // blocks or edges differ in more than blocks inserted on edges
    kStackSlot,    // a stack slot is accessed out of bounds, or its address is taken
  };
  Kind kind;
  BlockNumber block = 0;
  ArenaId instr = 0;  // 0 if there is none
  int operand = -1;   // -1 if there is none
  // For kWrongValue: the original virtual register, and the register that is read now.
  Register expected;
  Register actual;
  std::string message;  // names the block, instruction, operand and values
};

// The maximum number of findings that are reported.
inline constexpr size_t kMaxRegisterCheckerFindings = 50;
// Checks the function against the snapshot. Returns findings in layout order; if there are none, the allocation is
// proved correct. Sets `num_visits` to the number of block executions until the dataflow problem converged.
std::vector<RegisterCheckerFinding> CheckRegisters(const RegisterCheckerSnapshot& snapshot,
                                                   uint64_t* num_visits = nullptr);

// The checker as passes: register-checker-begin takes the snapshot; register-checker checks the function against
// it and reports an error for each finding.
PassResult RunRegisterCheckerBegin(MachineFunction& function, PassContext& context);
PassResult RunRegisterChecker(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_H_
