// SPDX-License-Identifier: Apache-2.0

#include "tests/analysis/liveness/live_reference.h"

#include <map>
#include <set>
#include <vector>

#include "analysis/liveness/live_intervals.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"

namespace ptxmir::testing {
namespace {

using Bits = std::vector<bool>;

bool Reads(const MachineOperand& operand) {
  return operand.reads_reg() && !operand.is_debug() && !operand.is_internal_read() && operand.reg().is_virtual();
}

// The registers that are live at the end of each block, by block and register.
class Liveness {
 public:
  explicit Liveness(const MachineFunction& function)
      : registers_(function.reg_info().num_virtual_registers()),
        in_(function.block_number_bound(), Bits(registers_)),
        out_(function.block_number_bound(), Bits(registers_)) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const MachineBasicBlock* block = function.back(); block != nullptr; block = block->previous()) {
        Bits out(registers_);
        for (const MachineBasicBlock* successor : block->successors()) AddFromSuccessor(*block, *successor, out);
        Bits in = out;
        for (const MachineInstr* instr = block->back(); instr != nullptr; instr = instr->previous()) Step(*instr, in);
        changed |= out != out_[block->number()] || in != in_[block->number()];
        out_[block->number()] = std::move(out);
        in_[block->number()] = std::move(in);
      }
    }
  }
  const Bits& In(const MachineBasicBlock& block) const { return in_[block.number()]; }
  const Bits& Out(const MachineBasicBlock& block) const { return out_[block.number()]; }
  // Turns the set of registers that are live after the instruction into the set live before it.
  static void Step(const MachineInstr& instr, Bits& live) {
    for (const MachineOperand& operand : instr.operands()) {
      if (operand.is_def() && operand.reg().is_virtual()) live[operand.reg().virtual_index()] = false;
    }
    if (instr.is_phi()) return;
    for (const MachineOperand& operand : instr.operands()) {
      if (Reads(operand)) live[operand.reg().virtual_index()] = true;
    }
  }

 private:
  void AddFromSuccessor(const MachineBasicBlock& block, const MachineBasicBlock& successor, Bits& out) const {
    for (size_t i = 0; i < registers_; ++i) out[i] = out[i] || in_[successor.number()][i];
    for (const MachineInstr& phi : successor) {
      if (!phi.is_phi()) break;
      for (unsigned i = 1; i + 1 < phi.num_operands(); i += 2) {
        if (phi.operand(i + 1).block() != block.number() || !Reads(phi.operand(i))) continue;
        out[phi.operand(i).reg().virtual_index()] = true;
      }
    }
  }

  size_t registers_;
  std::vector<Bits> in_;
  std::vector<Bits> out_;
};

void ExpectPoints(const MachineFunction& function, const LiveIntervals& intervals, const Liveness& liveness,
                  const std::string& where) {
  const SlotIndexes& indexes = intervals.indexes();
  const uint32_t registers = function.reg_info().num_virtual_registers();
  for (const MachineBasicBlock& block : function) {
    Bits live = liveness.Out(block);
    for (uint32_t r = 0; r < registers; ++r) {
      const LiveInterval& interval = intervals.Interval(Register::Virtual(r));
      ASSERT_EQ(interval.LiveAt(indexes.BlockStart(block)), liveness.In(block)[r]) << where << " %" << r;
      ASSERT_EQ(interval.LiveAt(indexes.LastIndexOf(block)), live[r]) << where << " %" << r;
    }
    // To save time, registers that an instruction does not name are compared at every seventh instruction only.
    int count = 0;
    for (const MachineInstr* instr = block.back(); instr != nullptr; instr = instr->previous()) {
      if (!SlotIndexes::IsIndexed(*instr)) continue;
      const SlotIndex index = indexes.InstrIndex(*instr);
      const Bits after = live;
      Liveness::Step(*instr, live);
      const auto expect = [&](uint32_t r) {
        const LiveInterval& interval = intervals.Interval(Register::Virtual(r));
        ASSERT_EQ(interval.LiveAt(index), live[r]) << where << " %" << r << " before " << indexes.ToString(index);
        ASSERT_EQ(interval.LiveAt(index.DeadSlot()), after[r])
            << where << " %" << r << " behind " << indexes.ToString(index);
      };
      for (const MachineOperand& operand : instr->operands()) {
        if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
        expect(operand.reg().virtual_index());
        const bool is_live_here = intervals.Interval(operand.reg()).LiveAt(index.RegSlot());
        EXPECT_TRUE(is_live_here || !operand.is_def()) << where;
      }
      if (++count % 7 != 0) continue;
      for (uint32_t r = 0; r < registers; ++r) expect(r);
    }
  }
}

// The definitions of one register that reach a point, as a set of instructions.
using Defs = std::set<const MachineInstr*>;

std::vector<Defs> ReachingAtEnd(const MachineFunction& function, Register reg) {
  std::map<BlockNumber, const MachineInstr*> last_def;
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      for (const MachineOperand& operand : instr.operands()) {
        if (operand.is_def() && operand.reg() == reg) last_def[block.number()] = &instr;
      }
    }
  }
  std::vector<Defs> at_end(function.block_number_bound());
  for (bool changed = true; changed;) {
    changed = false;
    for (const MachineBasicBlock& block : function) {
      Defs defs;
      if (last_def.count(block.number()) != 0) {
        defs.insert(last_def[block.number()]);
      } else {
        for (const MachineBasicBlock* p : block.predecessors())
          defs.insert(at_end[p->number()].begin(), at_end[p->number()].end());
      }
      changed |= defs != at_end[block.number()];
      at_end[block.number()] = std::move(defs);
    }
  }
  return at_end;
}

Defs ReachingBefore(const MachineInstr& instr, Register reg, const std::vector<Defs>& at_end) {
  for (const MachineInstr* before = instr.previous(); before != nullptr; before = before->previous()) {
    for (const MachineOperand& operand : before->operands()) {
      if (operand.is_def() && operand.reg() == reg) return {before};
    }
  }
  Defs defs;
  for (const MachineBasicBlock* p : instr.parent()->predecessors()) {
    defs.insert(at_end[p->number()].begin(), at_end[p->number()].end());
  }
  return defs;
}

// Returns the definitions that a value stands for.
Defs DefsOfValue(const LiveIntervals& intervals, const LiveInterval& interval, ValueId value) {
  Defs defs;
  std::set<ValueId> seen = {value};
  std::vector<ValueId> work = {value};
  while (!work.empty()) {
    value = work.back();
    work.pop_back();
    if (!interval.IsPhiDef(value)) {
      defs.insert(intervals.DefiningInstr(interval, value));
      continue;
    }
    const SlotIndexes& indexes = intervals.indexes();
    for (const MachineBasicBlock* p : indexes.BlockAt(interval.ValueDef(value))->predecessors()) {
      const ValueId before = interval.ValueBefore(indexes.BlockEnd(*p));
      if (before == kNoValue) {
        ADD_FAILURE() << "a PHI-def has no value from a predecessor";
      } else if (seen.insert(before).second) {
        work.push_back(before);
      }
    }
  }
  return defs;
}

// Computes dominators by their equations. Every block dominates an unreachable one.
std::vector<Bits> Dominators(const MachineFunction& function, Bits& reachable) {
  const BlockNumber bound = function.block_number_bound();
  reachable.assign(bound, false);
  std::vector<const MachineBasicBlock*> work = {function.front()};
  reachable[function.front()->number()] = true;
  while (!work.empty()) {
    const MachineBasicBlock* block = work.back();
    work.pop_back();
    for (const MachineBasicBlock* successor : block->successors()) {
      if (reachable[successor->number()]) continue;
      reachable[successor->number()] = true;
      work.push_back(successor);
    }
  }
  std::vector<Bits> dominators(bound, Bits(bound, true));
  dominators[function.front()->number()] = Bits(bound);
  dominators[function.front()->number()][function.front()->number()] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const MachineBasicBlock& block : function) {
      if (&block == function.front() || !reachable[block.number()]) continue;
      Bits set(bound, true);
      for (const MachineBasicBlock* p : block.predecessors()) {
        if (!reachable[p->number()]) continue;
        for (BlockNumber i = 0; i < bound; ++i) set[i] = set[i] && dominators[p->number()][i];
      }
      set[block.number()] = true;
      changed |= set != dominators[block.number()];
      dominators[block.number()] = std::move(set);
    }
  }
  return dominators;
}

std::vector<std::set<BlockNumber>> DominanceFrontiers(const MachineFunction& function) {
  Bits reachable;
  const std::vector<Bits> dominators = Dominators(function, reachable);
  std::vector<std::set<BlockNumber>> frontiers(function.block_number_bound());
  for (const MachineBasicBlock& block : function) {
    if (!reachable[block.number()]) continue;
    for (const MachineBasicBlock* p : block.predecessors()) {
      if (!reachable[p->number()]) continue;
      for (BlockNumber d = 0; d < function.block_number_bound(); ++d) {
        if (!dominators[p->number()][d]) continue;
        if (d == block.number() || !dominators[block.number()][d]) frontiers[d].insert(block.number());
      }
    }
  }
  return frontiers;
}

void ExpectValues(const MachineFunction& function, const LiveIntervals& intervals, const Liveness& liveness,
                  const std::string& where) {
  const SlotIndexes& indexes = intervals.indexes();
  std::vector<std::set<BlockNumber>> frontiers;
  for (uint32_t r = 0; r < function.reg_info().num_virtual_registers(); ++r) {
    const Register reg = Register::Virtual(r);
    const LiveInterval& interval = intervals.Interval(reg);
    ASSERT_EQ(interval.Check(), "") << where << " %" << r;
    std::set<BlockNumber> def_blocks;
    for (const MachineOperand& operand : function.reg_info().Defs(reg))
      def_blocks.insert(operand.parent()->parent()->number());
    std::set<BlockNumber> phis;
    for (ValueId value = 0; value < interval.num_values(); ++value) {
      if (interval.IsPhiDef(value)) phis.insert(indexes.BlockAt(interval.ValueDef(value))->number());
    }
    if (function.reg_info().UniqueDef(reg) != nullptr) {
      // A value that is undefined on some path must be live into the entry.
      ASSERT_TRUE(phis.empty() || liveness.In(*function.front())[r]) << where << " %" << r;
      continue;
    }
    if (def_blocks.empty()) continue;
    const std::vector<Defs> at_end = ReachingAtEnd(function, reg);
    for (const MachineOperand& operand : function.reg_info().NonDebugUses(reg)) {
      const MachineInstr& instr = *operand.parent();
      if (!Reads(operand)) continue;
      Defs expected;
      ValueId value;
      if (instr.is_phi()) {
        const BlockNumber from = instr.operand(operand.operand_number() + 1).block();
        expected = at_end[from];
        value = interval.ValueBefore(indexes.BlockEnd(from));
      } else {
        expected = ReachingBefore(instr, reg, at_end);
        value = interval.Query(indexes.InstrIndex(instr)).value_in;
      }
      ASSERT_NE(value, kNoValue) << where << " %" << r;
      ASSERT_EQ(DefsOfValue(intervals, interval, value), expected) << where << " %" << r;
    }
    // If an undefined value is live into the entry, the entry counts as a definition.
    if (liveness.In(*function.front())[r]) def_blocks.insert(function.front()->number());
    if (frontiers.empty()) frontiers = DominanceFrontiers(function);
    std::set<BlockNumber> expected;
    std::vector<BlockNumber> work(def_blocks.begin(), def_blocks.end());
    while (!work.empty()) {
      const BlockNumber block = work.back();
      work.pop_back();
      for (const BlockNumber join : frontiers[block]) {
        if (!liveness.In(*function.block(join))[r] || !expected.insert(join).second) continue;
        work.push_back(join);
      }
    }
    if (liveness.In(*function.front())[r]) expected.insert(function.front()->number());
    ASSERT_EQ(phis, expected) << where << " %" << r;
  }
}

}  // namespace

void ExpectIntervalsAsReference(MachineFunction& function, const std::string& where) {
  AnalysisManager analyses(function);
  const LiveIntervals& intervals = analyses.Get<LiveIntervals>();
  const Liveness liveness(function);
  ExpectPoints(function, intervals, liveness, where);
  ExpectValues(function, intervals, liveness, where);
}

std::string RangeText(const LiveRange& range) {
  std::string text;
  for (const LiveSegment& segment : range.segments()) {
    StrAppend(&text, "[", segment.start.bits(), ",", segment.end.bits(), ":", segment.value, ")");
  }
  for (ValueId value = 0; value < range.num_values(); ++value)
    StrAppend(&text, " ", value, "@", range.ValueDef(value).bits());
  return text;
}

std::string PointsText(const LiveRange& range) {
  std::string text;
  SlotIndex end;
  for (const LiveSegment& segment : range.segments()) {
    if (segment.start != end) StrAppend(&text, end.bits(), ")[", segment.start.bits(), ",");
    end = segment.end;
  }
  return StrCat(text, end.bits(), ")");
}

}  // namespace ptxmir::testing
