// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/live_variables.h"

#include <algorithm>

#include "analysis/liveness/backward_reachability.h"
#include "analysis/register_name.h"
#include "base/str_cat.h"
#include "mir/code/operand_ranges.h"

namespace ptxmir {
namespace {

constexpr uint32_t kNoBlock = ~uint32_t{0};

// Returns true if the operand reads the value that its register had before the instruction (or bundle).
bool ReadsValue(const MachineOperand& operand) {
  return operand.reads_reg() && operand.reg().is_virtual() && !operand.is_internal_read() && !operand.is_debug();
}

bool Contains(absl::Span<const Register> set, Register reg) { return std::binary_search(set.begin(), set.end(), reg); }

}  // namespace

class LiveVariablesBuilder {
 public:
  LiveVariablesBuilder(const MachineFunction& function, LiveVariables& result)
      : function_(function),
        result_(result),
        registers_(function.reg_info().num_virtual_registers()),
        search_(function) {}

  void Build() {
    for (const MachineBasicBlock& block : function_) ScanBlock(block);
    SortFacts();
    for (size_t i = 0; i < facts_.size();) {
      size_t end = i + 1;
      while (end < facts_.size() && facts_[end].reg == facts_[i].reg) ++end;
      SearchBlocksOf(absl::MakeConstSpan(facts_).subspan(i, end - i));
      i = end;
    }
    Distribute(live_in_, result_.live_in_);
    Distribute(live_out_, result_.live_out_);
  }

 private:
  enum class FactKind : uint8_t { kDefined, kLiveIn, kLiveOut };
  // A fact about a register in a block. `reg` is the virtual index.
  struct Fact {
    uint32_t reg;
    BlockNumber block;
    FactKind kind;
  };
  struct RegisterState {
    BlockNumber defined_in = kNoBlock;  // the last block that was found to define it
    BlockNumber exposed_in = kNoBlock;  // the last block that was found to read it before a definition
    bool has_several_defining_blocks = false;
  };
  struct Entry {
    BlockNumber block;
    uint32_t reg;
  };

  void ScanBlock(const MachineBasicBlock& block) {
    const BlockNumber number = block.number();
    for (const MachineInstr& instr : block) {
      if (instr.is_phi()) {
        ScanPhi(instr, number);
        continue;
      }
      bool has_defs = false;
      for (const MachineOperand& operand : instr.operands()) {
        if (operand.is_def()) {
          has_defs = true;
        } else if (ReadsValue(operand)) {
          RegisterState& state = registers_[operand.reg().virtual_index()];
          if (state.defined_in == number || state.exposed_in == number) continue;
          state.exposed_in = number;
          facts_.push_back({operand.reg().virtual_index(), number, FactKind::kLiveIn});
        }
      }
      if (!has_defs) continue;
      for (const MachineOperand& def : VirtualDefs(instr)) NoteDef(def.reg().virtual_index(), number);
    }
  }

  void ScanPhi(const MachineInstr& phi, BlockNumber number) {
    for (const MachineOperand& result : phi.explicit_defs()) {
      if (result.reg().is_virtual()) NoteDef(result.reg().virtual_index(), number);
    }
    for (const PhiIncoming incoming : PhiIncomings(phi)) {
      if (!ReadsValue(incoming.value()) || !incoming.block().is_block()) continue;
      facts_.push_back({incoming.reg().virtual_index(), incoming.predecessor(), FactKind::kLiveOut});
    }
  }

  void NoteDef(uint32_t reg, BlockNumber block) {
    RegisterState& state = registers_[reg];
    if (state.defined_in == block) return;
    // If there is only one defining block, that is all the information needed.
    if (state.defined_in != kNoBlock) {
      if (!state.has_several_defining_blocks) facts_.push_back({reg, state.defined_in, FactKind::kDefined});
      state.has_several_defining_blocks = true;
      facts_.push_back({reg, block, FactKind::kDefined});
    }
    state.defined_in = block;
  }

  // Sorts by register. The order among the facts of one register does not matter.
  void SortFacts() {
    std::vector<uint32_t> next(registers_.size() + 1, 0);
    for (const Fact& fact : facts_) ++next[fact.reg + 1];
    for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    LargeVector<Fact> sorted(facts_.size());
    for (const Fact& fact : facts_) sorted[next[fact.reg]++] = fact;
    facts_ = std::move(sorted);
  }

  void SearchBlocksOf(absl::Span<const Fact> facts) {
    const uint32_t reg = facts.front().reg;
    search_.Begin();
    if (registers_[reg].defined_in != kNoBlock) search_.AddDef(registers_[reg].defined_in);
    for (const Fact& fact : facts) {
      if (fact.kind == FactKind::kDefined) search_.AddDef(fact.block);
    }
    for (const Fact& fact : facts) {
      if (fact.kind == FactKind::kLiveIn) search_.ReachTop(fact.block);
      if (fact.kind == FactKind::kLiveOut && function_.block(fact.block) != nullptr) search_.ReachEnd(fact.block);
    }
    search_.Search();
    for (const BlockNumber block : search_.live_in()) live_in_.push_back({block, reg});
    for (const BlockNumber block : search_.live_out()) live_out_.push_back({block, reg});
  }

  // The entries arrive sorted by register, and stay sorted.
  void Distribute(LargeVector<Entry>& entries, LiveVariables::Sets& sets) const {
    sets.first.assign(function_.block_number_bound() + 1, 0);
    for (const Entry& entry : entries) ++sets.first[entry.block + 1];
    for (size_t i = 1; i < sets.first.size(); ++i) sets.first[i] += sets.first[i - 1];
    std::vector<uint32_t> next(sets.first.begin(), sets.first.end());
    sets.entries.resize(entries.size());
    for (const Entry& entry : entries) sets.entries[next[entry.block]++] = Register::Virtual(entry.reg);
    LargeVector<Entry>().swap(entries);
  }

  const MachineFunction& function_;
  LiveVariables& result_;
  LargeVector<RegisterState> registers_;
  LargeVector<Fact> facts_;
  BackwardReachability search_;
  LargeVector<Entry> live_in_;
  LargeVector<Entry> live_out_;
};

LiveVariables::LiveVariables(MachineFunction& function, AnalysisManager&) : function_(function) {
  LiveVariablesBuilder(function, *this).Build();
}

bool LiveVariables::IsLiveIn(Register reg, const MachineBasicBlock& block) const {
  return Contains(LiveIn(block), reg);
}
bool LiveVariables::IsLiveOut(Register reg, const MachineBasicBlock& block) const {
  return Contains(LiveOut(block), reg);
}

bool LiveVariables::IsLiveThrough(Register reg, const MachineBasicBlock& block) const {
  if (!IsLiveIn(reg, block) || !IsLiveOut(reg, block)) return false;
  // A register that is live at both ends may still hold different values there.
  for (const MachineOperand& def : function_.reg_info().Defs(reg)) {
    if (def.parent()->parent() == &block) return false;
  }
  return true;
}

void LiveVariables::SetKillAndDeadFlags() {
  // By register: the block in which it is live at the current instruction.
  std::vector<BlockNumber> live(function_.reg_info().num_virtual_registers(), kNoBlock);
  for (MachineBasicBlock& block : function_) {
    const BlockNumber number = block.number();
    for (const Register reg : LiveOut(block)) live[reg.virtual_index()] = number;
    for (MachineInstr* instr = block.back(); instr != nullptr; instr = instr->previous()) {
      if (instr->is_debug() || instr->opcode() == generic::kBundle) continue;
      for (MachineOperand& def : VirtualDefs(*instr)) {
        def.set_reg_flag(MachineOperand::kDead, live[def.reg().virtual_index()] != number);
      }
      for (const MachineOperand& def : VirtualDefs(*instr)) live[def.reg().virtual_index()] = kNoBlock;
      for (MachineOperand& use : VirtualUses(*instr)) {
        // A value that is read inside a bundle must be live up to its definition there.
        const bool reads = use.reads_reg() && !instr->is_phi();
        BlockNumber& live_here = live[use.reg().virtual_index()];
        use.set_reg_flag(MachineOperand::kKill, reads && live_here != number);
        if (reads) live_here = number;
      }
    }
  }
}

void LiveVariables::PrintSet(const char* what, absl::Span<const Register> set, std::string& out) const {
  StrAppend(&out, "  ", what, ":");
  for (const Register reg : set) StrAppend(&out, " ", RegisterName(function_, reg));
  out += '\n';
}

void LiveVariables::Print(std::string& out) const {
  StrAppend(&out, "Live variables in machine function: ", function_.name(), "\n");
  for (const MachineBasicBlock& block : function_) {
    StrAppend(&out, "%bb.", block.number(), ":\n");
    PrintSet("live-in", LiveIn(block), out);
    PrintSet("live-out", LiveOut(block), out);
  }
}

std::string LiveVariables::DifferenceFrom(const Analysis& fresh) const {
  const LiveVariables& other = static_cast<const LiveVariables&>(fresh);
  if (live_in_.first.size() != other.live_in_.first.size()) return "the number of blocks differs";
  for (const MachineBasicBlock& block : function_) {
    if (LiveIn(block) != other.LiveIn(block)) return StrCat("what is live into %bb.", block.number(), " differs");
    if (LiveOut(block) != other.LiveOut(block)) return StrCat("what is live out of %bb.", block.number(), " differs");
  }
  return "";
}

}  // namespace ptxmir
