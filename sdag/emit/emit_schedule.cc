// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/emit_schedule.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "sdag/emit/instr_emitter.h"

namespace ptxmir::sdag {
namespace {

// Inserts DBG_VALUEs into a block whose instructions have just been emitted.
class DebugValueEmitter {
 public:
  DebugValueEmitter(const SelectionDAG& dag, const InstrEmitter& emitter)
      : dag_(dag), block_(dag.block()), emitter_(emitter) {}

  // `order` maps the instructions from `first` on to their position in the program, if they have one. O(N log N).
  void Emit(MachineInstr* first, const absl::flat_hash_map<ArenaId, uint32_t>& order) {
    if (dag_.debug_info().empty()) return;
    // Positions start at 1; 0 is before `first`.
    std::vector<MachineInstr*> instrs = {nullptr};
    absl::flat_hash_map<const MachineInstr*, size_t> position;
    std::vector<std::pair<uint32_t, size_t>> by_order;
    for (MachineInstr* instr = first; instr != nullptr && !instr->is_terminator(); instr = instr->next()) {
      position[instr] = instrs.size();
      const auto place = order.find(instr->id());
      if (place != order.end() && place->second != 0) by_order.emplace_back(place->second, instrs.size());
      instrs.push_back(instr);
    }
    std::sort(by_order.begin(), by_order.end());
    // DBG_VALUEs stay in program order, whatever the scheduler did with the instructions that compute the values.
    // Each is placed after everything that precedes it in the program, and after the definition of its value.
    size_t after = 0;
    size_t next = 0;
    MachineInstr* last = nullptr;  // the last one at this position
    for (const SDDbgValue* value : dag_.debug_info().InProgramOrder()) {
      size_t place = after;
      for (; next < by_order.size() && by_order[next].first <= value->loc.order; ++next) {
        place = std::max(place, by_order[next].second);
      }
      const SDDbgValue emitted = Located(*value);
      if (emitted.location.is_reg() && emitted.location.reg().is_virtual()) {
        const auto found = position.find(block_.function().reg_info().UniqueDef(emitted.location.reg()));
        if (found != position.end()) place = std::max(place, found->second);
      }
      if (place != after) last = nullptr;
      after = place;
      MachineInstr* const at = last != nullptr ? last : instrs[after];
      last = Insert(emitted, at == nullptr ? first : at->next());
    }
  }

 private:
  // Returns the debug value with a location in place of the DAG's value: the register that holds it. A value that was
  // not emitted is expressed by one that was, if possible.
  SDDbgValue Located(SDDbgValue value) const {
    while (value.value) {
      const Register reg = emitter_.FindRegister(value.value);
      if (!reg.is_valid()) {
        value = dag_.SalvagedDbgValue(value);
        continue;
      }
      value.value = SDValue();
      value.location = MachineOperand::CreateReg(reg);
    }
    return value;
  }

  MachineInstr* Insert(const SDDbgValue& value, MachineInstr* before) {
    return BuildMI(block_, before, generic::kDbgValue, emitter_.DebugLocOf(value.loc))
        .Add(value.location)
        .Add(value.is_indirect ? MachineOperand::CreateImm(0) : MachineOperand::CreateReg(Register()))
        .Add(MachineOperand::CreateMetadata(value.variable))
        .Add(MachineOperand::CreateMetadata(value.expression))
        .Insert();
  }

  const SelectionDAG& dag_;
  MachineBasicBlock& block_;
  const InstrEmitter& emitter_;
};

// Hands the instructions that the target expands to its custom inserter. Returns their number.
uint32_t ExpandCustom(MachineInstr* first, const EmitOptions& options, const EmitTargetHooks& hooks) {
  if (hooks.needs_custom_inserter == nullptr || hooks.custom_inserter == nullptr) return 0;
  std::vector<MachineInstr*> instrs;
  for (MachineInstr* instr = first; instr != nullptr; instr = instr->next()) {
    if (hooks.needs_custom_inserter(*instr, options.subtarget)) instrs.push_back(instr);
  }
  for (MachineInstr* instr : instrs) hooks.custom_inserter(*instr, options.subtarget);
  return static_cast<uint32_t>(instrs.size());
}

}  // namespace

absl::StatusOr<EmitResult> EmitSchedule(SelectionDAG& dag, const EmitOptions& options) {
  const EmitTargetHooks& hooks = options.hooks != nullptr ? *options.hooks : PtxEmitHooks();
  const ScheduleDAGSDNodes schedule(dag, options.emit_dead_nodes);
  if (!schedule.status().ok()) return schedule.status();
  MachineBasicBlock& block = dag.block();
  MachineInstr* const last_before = block.back();
  InstrEmitter emitter(dag, block, hooks);
  InstrOrders own_orders;
  InstrOrders& orders = options.ir_orders != nullptr ? *options.ir_orders : own_orders;
  const bool needs_orders = options.ir_orders != nullptr || !dag.debug_info().empty();
  for (const uint32_t number : schedule.Schedule(options.scheduler)) {
    const SUnit& unit = schedule.units()[number];
    emitter.BeginBundle(unit.nodes);
    for (SDNode* node : unit.nodes) {
      const absl::Status status = emitter.EmitNode(node);
      if (!status.ok()) return status;
      if (!needs_orders) continue;
      if (const MachineInstr* instr = emitter.LastInstrOf(*node)) orders[instr->id()] = node->ir_order();
    }
  }
  EmitResult result;
  const auto first = [&] { return last_before == nullptr ? block.front() : last_before->next(); };
  for (const MachineInstr* instr = first(); instr != nullptr; instr = instr->next()) ++result.num_instrs;
  DebugValueEmitter(dag, emitter).Emit(first(), orders);
  if (!options.emit_dead_nodes) {
    result.dead_copies = EliminateDeadCopies(dag.machine_function(), absl::MakeSpan(emitter.records()), hooks);
  }
  MachineFunction& function = dag.machine_function();
  if (function.reg_info().num_virtual_registers() != 0) function.SetProperty(FunctionProperty::kNoVRegs, false);
  result.num_expanded = ExpandCustom(first(), options, hooks);
  return result;
}

absl::Status EmitFunction(DagFunction& function, const EmitOptions& options) {
  std::vector<BlockNumber> blocks;
  for (const MachineBasicBlock& block : function.machine_function()) blocks.push_back(block.number());
  for (const BlockNumber block : blocks) {
    SelectionDAG* dag = function.FindDag(block);
    if (dag == nullptr) continue;
    const absl::StatusOr<EmitResult> result = EmitSchedule(*dag, options);
    if (!result.ok()) return result.status();
  }
  return absl::OkStatus();
}

}  // namespace ptxmir::sdag
