// SPDX-License-Identifier: Apache-2.0

// The dataflow problem of the register checker. See register_checker.h.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_FLOW_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_FLOW_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "passes/register_check/register_checker_match.h"
#include "passes/register_check/register_checker_values.h"

namespace ptxmir {

class RegisterFlow {
 public:
  explicit RegisterFlow(MatchedFunction& matched);
  // Solves the problem and reports to the matched function what cannot be proved.
  void Run();
  // Returns the number of block executions that were needed to solve it.
  uint64_t num_visits() const { return num_visits_; }

 private:
  using Snapshot = RegisterCheckerSnapshot;
  using SetId = SymbolicSets::Id;
  // Location 0 stands for U. Registers, pieces of stack slots and expressions follow.
  using Location = uint32_t;
  static constexpr Location kUndefined = 0;
  static constexpr Location kNoLocation = ~uint32_t{0};

  // The computation of an original instruction: its opcode, its non-register operands and the values of its
  // register operands. For each definition, all instructions with this expression produce the same value.
  struct Result {
    uint32_t vreg;
    uint32_t flags;  // the instruction's flags; an instruction with more flags may be defined for fewer inputs
  };
  struct Expression {
    // Both are indexed by definition: registers that hold the result wherever they are live, and the location
    // whose set contains the other registers that hold it, for instructions that have at least these flags.
    std::vector<std::vector<Result>> anywhere;
    std::vector<Location> locations;
    uint32_t flags = ~uint32_t{0};
  };
  struct PendingCopy {
    uint32_t target;
    uint32_t source;
  };
  // The PHIs of an edge. Both lists are sorted.
  struct EdgeCopies {
    std::vector<uint32_t> targets;
    std::vector<std::pair<uint32_t, uint32_t>> by_source;  // (source, target); targets that become undefined have no
                                                           // entry
  };
  // Locations with the same set share a cell, so that entering a block, or applying an instruction to the sets of
  // all locations, takes time proportional to the number of different sets. Two cells may have the same set. A
  // cell that no location refers to is empty.
  using CellId = uint32_t;
  static constexpr CellId kEmptyCell = 0;
  struct Cell {
    SetId set = SymbolicSets::kEmpty;
    uint32_t num_locations = 0;  // not maintained for kEmptyCell
  };
  // The image of a set on an edge, indexed by the set's number.
  struct Translation {
    uint64_t edge = 0;
    SetId set = SymbolicSets::kEmpty;
  };
  // A list of numbers per block, in ascending order.
  using BlockLists = std::vector<std::vector<uint32_t>>;

  // Naming of values.
  void NameValues();
  uint32_t Name(Register reg) const { return names_[reg.virtual_index()]; }
  SymbolicValue WholeValue(uint32_t vreg) const {
    return {vreg, 0, static_cast<uint8_t>(snapshot().RegisterBytes(vreg)), SymbolicValue::kBytes};
  }
  const Snapshot& snapshot() const { return matched_.snapshot(); }
  const MachineFunction& function() const { return matched_.function(); }
  const Snapshot::Instr& Before(const MatchedStep& step) const { return snapshot().instrs()[step.original]; }

  // Numbering of locations.
  static Location LocationOf(Register reg) { return 1 + reg.virtual_index(); }
  void NumberSlots();
  void NumberExpressions();
  // Returns a key for the shape of an instruction: its opcode and operands, without the virtual registers that
  // these name.
  std::string ShapeOf(Opcode opcode, absl::Span<const MachineOperand> operands) const;
  void AddExpressionOf(const Snapshot::Instr& instr, absl::Span<const MachineOperand> operands, uint32_t shape);
  static std::string ExpressionKey(uint32_t shape, absl::Span<const uint32_t> inputs);
  // The pieces of a value in memory, lowest first, with their sizes.
  using Pieces = absl::InlinedVector<std::pair<Location, uint32_t>, 2>;
  Pieces PiecesOf(const RegisterTransfer& transfer, unsigned value) const;

  // Liveness of locations after allocation and of registers before it.
  bool CopiesValueToItself(const Snapshot::Instr& instr) const;
  template <typename OnRead, typename OnWrite>
  void VisitLocations(const MatchedStep& step, OnRead on_read, OnWrite on_write) const;
  template <typename OnUse, typename OnDef>
  void VisitRegisters(const MatchedStep& step, OnUse on_use, OnDef on_def) const;
  // Returns the PHI's operand for the edge from a predecessor in the original program, and sets `now` to the
  // register that is read now.
  const Snapshot::Operand* PhiOperand(const MatchedPhi& phi, const MachineBasicBlock& predecessor, Register& now) const;
  void ComputeLiveLocations();
  void ComputeLiveRegisters();

  // Execution.
  void Solve();
  void Execute(const MatchedBlock& block);
  void Enter(const MatchedBlock& block);
  void ExecuteKept(const MatchedStep& step);
  void CheckUses(const MatchedStep& step);
  void ExecuteDeleted(const MatchedStep& step);
  void ExecuteInserted(const MatchedStep& step);
  void ExecuteCopy(const Snapshot::Operand& target, const Snapshot::Operand& source);
  void ExecuteUndefine(const Snapshot::Operand& target);
  void DefineExpression(const MatchedStep& step);
  std::vector<SetId> Rematerialize(const MatchedStep& step);
  void AddResults(const Expression& expression, uint32_t flags, std::vector<std::vector<SymbolicValue>>& results) const;
  // Meets the state with the known state at the entry of `to`. Returns true if that state changed.
  bool Propagate(const MatchedBlock& from, const MatchedBlock& to);
  SetId OnEdge(SetId set, const EdgeCopies& copies);
  // Returns the values in `set` that belong to the registers in `registers`, each of which is there as a whole.
  SetId ValuesOf(SetId set, SetId registers);

  // The state.
  SetId Get(Location location) const { return cells_[cell_of_location_[location]].set; }
  void Set(Location location, SetId set);
  // Returns a cell that has the set.
  CellId CellOf(SetId set);
  void SetCell(CellId cell, SetId set);
  void AddHolder(uint32_t vreg, CellId cell);
  void Kill(uint32_t vreg);
  void ForgetExpressions(uint32_t vreg);
  // Adds `target` to every set that contains `source`.
  void AddEqual(uint32_t target, uint32_t source);
  bool Holds(Location location, uint32_t vreg) const {
    const SymbolicValue value = WholeValue(vreg);
    return sets_.Contains(Get(location), value) || sets_.Contains(Get(kUndefined), value);
  }
  SetId Cut(SetId set, uint32_t begin, uint32_t size, uint32_t whole);
  SetId Join(absl::Span<const std::pair<SetId, uint32_t>> parts);
  SetId ChangeForm(SetId set, SymbolicValue::Form from, SymbolicValue::Form to);
  void SetTarget(const MachineInstr& instr, unsigned operand, SetId set);
  void NoteWriter(Location location, const MachineInstr& instr);

  // Reports.
  void ReportUse(const MatchedStep& step, unsigned operand, Register expected, Register actual);
  std::string Describe(SetId set) const;
  std::string WhereFrom(Location location);

  MatchedFunction& matched_;
  SymbolicSets sets_;
  std::vector<uint32_t> names_;     // indexed by original virtual register: the register whose value it has
  std::vector<uint32_t> num_defs_;  // by original virtual register
  uint32_t num_locations_ = 0;
  std::vector<std::vector<uint32_t>> slot_borders_;  // by slot: the offsets at which its pieces begin, and its end
  std::vector<Location> first_piece_;                // by slot
  absl::flat_hash_map<std::string, uint32_t> shapes_;
  std::vector<std::vector<Location>> locations_of_shape_;
  absl::flat_hash_map<std::string, uint32_t> expression_index_;
  std::vector<Expression> expressions_;
  std::vector<uint32_t> expression_of_instr_;               // by original instruction; the expressions that have a
                                                            // location
  std::vector<std::vector<Location>> expressions_reading_;  // by original register
  std::vector<bool> is_input_;  // by original register: an operand of an expression, so it may be read where it was
                                // dead

  BlockLists live_locations_;
  BlockLists live_registers_;
  std::vector<std::vector<SetId>> entry_;  // by block: the sets of its live locations
  std::vector<bool> is_reached_;
  std::vector<const MachineBasicBlock*> order_;  // reverse post-order
  std::vector<uint32_t> order_index_;

  std::vector<CellId> cell_of_location_;
  std::vector<Cell> cells_ = {Cell{}};
  std::vector<CellId> cell_of_set_;           // by set: the newest cell that was created for it, which may have another
                                              // set by now
  std::vector<Location> touched_;             // the locations that have a cell
  std::vector<std::vector<CellId>> holders_;  // by original register: the cells that may hold it
  std::vector<uint32_t> held_;                // the registers that have holders
  std::vector<PendingCopy> pending_;          // the deleted copies since the last kept instruction
  std::vector<const MachineInstr*> writers_;  // by location, within the block; only while reporting
  std::vector<Location> written_;             // the locations that have a writer
  std::vector<Translation> translations_;
  uint64_t edge_ = 0;  // the number of propagations so far
  std::vector<SymbolicValue> scratch_;
  bool is_reporting_ = false;
  uint64_t num_visits_ = 0;
  const MatchedBlock* current_ = nullptr;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_FLOW_H_
