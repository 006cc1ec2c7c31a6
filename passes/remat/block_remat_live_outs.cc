// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat_live_outs.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "base/str_cat.h"
#include "mir/code/operand_ranges.h"
#include "passes/remat/block_remat_editor.h"
#include "passes/support/block_live_ins.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// cicc's limit on chains of operands.
constexpr int kMaxDepth = 50;
// The number of second chances that a value gets.
constexpr uint8_t kMaxChances = 2;
// The most instructions of a chain where -nv-remat-block-map-size-limit does not say, as in cicc.
constexpr int32_t kMaxPulledChain = 6;
// -nv-remat-block.
constexpr int kSecondChance = 1 << 1;
constexpr int kFrequentValues = 1 << 2;
constexpr int kLoopCosts = 1 << 3;

constexpr uint64_t kAllBlocks = ~uint64_t{0};
constexpr uint64_t kNotWorthIt = ~uint64_t{0};

struct PullCandidate {
  Register reg;
  std::vector<Register> chain;  // the registers to compute, operands first
  uint64_t cost = 0;
};

class LiveOutRemat {
 public:
  LiveOutRemat(MachineFunction& function, PassContext& context, const RematTarget& target)
      : function_(function),
        context_(context),
        knobs_(context.knobs),
        reg_info_(function.reg_info()),
        target_(target),
        pressure_(context.analyses.Get<MachineRegisterPressure>()),
        loops_(context.analyses.Get<MachineLoops>()),
        values_(function, context),
        editor_(function, &pressure_),
        live_ins_(function, pressure_) {}

  RematResult Run() {
    result_.max_live = result_.max_live_before = pressure_.MaxUnits();
    // A single block has no live-out values.
    if (function_.num_blocks() == 1) return result_;
    CountLiveOuts();
    for (int32_t round = 0; round < knobs_.nv_remat_max_times() && RunRound(); ++round) {
    }
    result_.num_clones = editor_.num_clones();
    result_.changed = editor_.has_edits();
    result_.num_erased = editor_.Keep(values_, &pressure_);
    result_.max_live = pressure_.MaxUnits();
    return result_;
  }

 private:
  template <typename... Parts>
  void Dump(const Parts&... parts) {
    if (knobs_.nv_dump_remat_block()) StrAppend(&context_.log, parts..., "\n");
  }

  // Counts for each register the blocks that it is live out of.
  void CountLiveOuts() {
    num_live_outs_.assign(reg_info_.num_virtual_registers(), 0);
    for (const MachineBasicBlock& block : function_) {
      for (const uint32_t reg : pressure_.LiveOuts(block)) ++num_live_outs_[reg];
    }
    visits_.assign(reg_info_.num_virtual_registers(), 0);
    stays_.assign(reg_info_.num_virtual_registers(), false);
    reached_.assign(function_.block_number_bound(), 0);
    is_read_by_phi_.assign(reg_info_.num_virtual_registers(), false);
  }

  bool IsFrequent(Register reg) const {
    const uint32_t index = reg.virtual_index();
    if (index >= num_live_outs_.size()) return false;
    const uint64_t percentage = uint64_t{100} * num_live_outs_[index] / function_.num_blocks();
    return percentage >= static_cast<uint64_t>(knobs_.nv_remat_block_liveout_min_percentage());
  }

  uint32_t Count(const RegisterPressure& pressure) const {
    const int32_t kind = knobs_.max_reg_kind();
    uint32_t count = pressure.units();
    if (kind % 2 != 0) {
      count = 0;
      for (size_t c = 1; c < kNumPressureClasses; ++c) count += pressure.counts[c];
    }
    return kind >= 2 ? count + pressure.predicates() : count;
  }

  uint32_t LiveIn(const MachineBasicBlock& block) const {
    const BlockPressure of_block = pressure_.Block(block);
    uint32_t live = std::max(Count(of_block.entry), Count(of_block.exit));
    if (!knobs_.nv_remat_check_internal_live()) return live;
    if (knobs_.max_reg_kind() == 0) return of_block.peak.units;
    for (const InstrPressure& instr : pressure_.Instrs(block)) {
      live = std::max({live, Count(instr.at_reads), Count(instr.at_writes)});
    }
    return live;
  }

  bool RunRound() {
    uint32_t max_live = 0;
    uint32_t num_at_max = 0;
    std::vector<MachineBasicBlock*> blocks_over;
    for (MachineBasicBlock& block : function_) {
      const uint32_t live = LiveIn(block);
      if (live > target_.units) blocks_over.push_back(&block);
      if (live > max_live) num_at_max = 0;
      max_live = std::max(max_live, live);
      num_at_max += live == max_live;
    }
    Dump("Max-Live-Function(", blocks_over.empty() ? num_at_max : blocks_over.size(), ") = ", max_live);
    bool changed = false;
    for (MachineBasicBlock* block : blocks_over) {
      // Pulling in values for another block may have been enough.
      const uint32_t live = LiveIn(*block);
      if (live > target_.units && PullInAfter(*block, live - target_.units)) changed = true;
    }
    return changed;
  }

  bool PullInAfter(MachineBasicBlock& block, uint32_t excess) {
    ClassifyLiveOuts(block);
    std::vector<PullCandidate> candidates = ChooseCandidates(excess);
    Dump("Total Pullable before considering cost: ", candidates.size());
    // The first candidate that costs more than allowed ends the selection. Its exact cost and the candidates after
    // it do not matter.
    uint64_t units = 1;
    for (const PullCandidate& candidate : candidates) units = std::max<uint64_t>(units, values_.Units(candidate.reg));
    const uint64_t most = static_cast<uint64_t>(knobs_.nv_remat_block_single_cost()) * units;
    for (PullCandidate& candidate : candidates) candidate.cost = CostOf(candidate, block, most);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const PullCandidate& a, const PullCandidate& b) { return a.cost < b.cost; });
    const size_t num_taken = SelectByCost(candidates, excess);
    uint64_t total = 0;
    for (size_t i = 0; i < num_taken; ++i) total += candidates[i].cost;
    Dump("Really Final Pull-in: ", num_taken, " (", total, ")");
    for (size_t i = 0; i < num_taken; ++i) PullIn(candidates[i], block);
    if (num_taken > 0) live_ins_.Forget();
    result_.num_values += static_cast<uint32_t>(num_taken);
    return num_taken > 0;
  }

  // Divides the block's live-out registers into those that can be computed after it from the others, and the
  // others.
  void ClassifyLiveOuts(const MachineBasicBlock& block) {
    editor_.ForgetOrigins();
    const absl::Span<const uint32_t> live_outs = pressure_.LiveOuts(block);
    Dump("live-out = ", live_outs.size());
    for (const uint32_t index : live_outs_) stays_[index] = false;
    live_outs_.assign(live_outs.begin(), live_outs.end());
    std::vector<Register> movable;
    MarkReadByPhis(block, true);
    for (const uint32_t index : live_outs) {
      const Register reg = Register::Virtual(index);
      const bool is_movable = values_.Units(reg) > 0 && values_.Definition(reg) != nullptr && !is_read_by_phi_[index];
      if (is_movable) movable.push_back(reg);
      stays_[index] = !is_movable;
    }
    MarkReadByPhis(block, false);
    pullable_.clear();
    for (const Register reg : movable) {
      PullCandidate candidate = {.reg = reg, .chain = {}};
      if (AddToChain(reg, 0, candidate)) pullable_.push_back(std::move(candidate));
    }
    Dump("Pullable: ", pullable_.size());
  }

  // Marks or unmarks the registers that PHIs read at the block's end: their clones would be in the block itself.
  void MarkReadByPhis(const MachineBasicBlock& block, bool are_read) {
    for (const MachineBasicBlock* successor : block.successors()) {
      for (const MachineInstr& phi : *successor) {
        if (!phi.is_phi()) break;
        for (const PhiIncoming incoming : PhiIncomings(phi)) {
          if (incoming.predecessor() != block.number() || !incoming.reg().is_virtual()) continue;
          is_read_by_phi_[incoming.reg().virtual_index()] = are_read;
        }
      }
    }
  }

  bool AddToChain(Register reg, int depth, PullCandidate& candidate) {
    const MachineInstr* const definition = values_.Definition(reg);
    if (definition == nullptr || depth > kMaxDepth || candidate.chain.size() > kMaxDepth) return false;
    bool can = true;
    RematValues::ForEachOperand(*definition, [&](Register operand) {
      const bool is_known = stays_[operand.virtual_index()] ||
                            std::find(candidate.chain.begin(), candidate.chain.end(), operand) != candidate.chain.end();
      if (can && !is_known) can = AddToChain(operand, depth + 1, candidate);
    });
    if (can) candidate.chain.push_back(reg);
    return can;
  }

  bool IsShort(const PullCandidate& candidate) const {
    return candidate.chain.size() <=
           static_cast<size_t>(knobs_.nv_remat_block_map_size_limit().value_or(kMaxPulledChain));
  }

  bool ReadsSpecialRegister(const PullCandidate& candidate) {
    return std::any_of(candidate.chain.begin(), candidate.chain.end(), [&](Register reg) {
      return ptx::InstrInfo(values_.Definition(reg)->opcode()).is_special_register_read();
    });
  }

  // Applies the pre-check, and gives those that fail it a second chance.
  std::vector<PullCandidate> ChooseCandidates(uint32_t excess) {
    std::vector<PullCandidate> good, second;
    const bool special_registers = excess >= static_cast<uint32_t>(knobs_.nv_remat_threshold_for_spec_reg());
    for (PullCandidate& candidate : pullable_) {
      if (!special_registers && ReadsSpecialRegister(candidate)) continue;
      const bool is_let_through = (knobs_.nv_remat_block() & kFrequentValues) != 0 && IsFrequent(candidate.reg);
      (IsShort(candidate) || is_let_through ? good : second).push_back(std::move(candidate));
    }
    if ((knobs_.nv_remat_block() & kSecondChance) == 0 || second.empty() || excess <= good.size()) return good;
    Dump("After pre-check, ", good.size(), " good candidates, ", second.size(), " given second-chance");
    const size_t num_good = good.size();
    for (PullCandidate& candidate : second) GiveSecondChance(candidate, good);
    Dump("ADD ", good.size() - num_good, " candidates from second-chance");
    return good;
  }

  // If operands that could be pulled in themselves stay live instead, the candidate may need few enough clones.
  void GiveSecondChance(PullCandidate& candidate, std::vector<PullCandidate>& good) {
    uint8_t& visits = visits_[candidate.reg.virtual_index()];
    if (visits >= kMaxChances || stays_[candidate.reg.virtual_index()]) return;
    ++visits;
    std::vector<Register> kept;
    for (const PullCandidate& other : pullable_) {
      if (other.reg == candidate.reg || IsGood(other.reg, good) || stays_[other.reg.virtual_index()]) continue;
      stays_[other.reg.virtual_index()] = true;
      kept.push_back(other.reg);
    }
    PullCandidate shorter = {.reg = candidate.reg, .chain = {}};
    const bool can = AddToChain(candidate.reg, 0, shorter) && IsShort(shorter);
    for (const Register reg : kept) stays_[reg.virtual_index()] = can && IsOperand(reg, shorter);
    if (can) good.push_back(std::move(shorter));
  }

  static bool IsGood(Register reg, const std::vector<PullCandidate>& good) {
    return std::any_of(good.begin(), good.end(), [&](const PullCandidate& candidate) { return candidate.reg == reg; });
  }

  bool IsOperand(Register reg, const PullCandidate& candidate) {
    bool is_operand = false;
    for (const Register computed : candidate.chain) {
      RematValues::ForEachOperand(*values_.Definition(computed),
                                  [&](Register operand) { is_operand |= operand == reg; });
    }
    return is_operand;
  }

  // Returns the cost of the candidate's clones, one per block that uses it; wide values count twice. Returns
  // kNotWorthIt if the cost exceeds `most`.
  uint64_t CostOf(const PullCandidate& candidate, const MachineBasicBlock& block, uint64_t most) {
    uint64_t once = 0;
    for (const Register reg : candidate.chain) once += values_.Cost(*values_.Definition(reg));
    const uint64_t in_loops = (knobs_.nv_remat_block() & kLoopCosts) == 0
                                  ? 1
                                  : static_cast<uint64_t>(knobs_.nv_remat_block_loop_cost_factor());
    const uint64_t units = std::max<uint64_t>(1, values_.Units(candidate.reg));
    const uint64_t most_blocks = once == 0 ? kAllBlocks : most / (once * units);
    if (!CollectUsesBehind(candidate.reg, block, most_blocks)) return kNotWorthIt;
    uint64_t cost = 0;
    const MachineBasicBlock* last = nullptr;
    for (const UseAfter& use : uses_after_) {
      if (use.block == last) continue;
      last = use.block;
      cost += once * (loops_.Depth(*last) > loops_.Depth(block) ? in_loops : 1);
    }
    return cost * units;
  }

  // Returns the number of candidates, in order of their cost, that are worth pulling in.
  size_t SelectByCost(const std::vector<PullCandidate>& candidates, uint32_t excess) const {
    const uint64_t single = static_cast<uint64_t>(knobs_.nv_remat_block_single_cost());
    const uint64_t most = static_cast<uint64_t>(knobs_.nv_remat_block_max_cost());
    uint64_t total = 0;
    uint64_t saved = 0;
    size_t num_taken = 0;
    for (const PullCandidate& candidate : candidates) {
      const uint64_t units = std::max<uint64_t>(1, values_.Units(candidate.reg));
      if (saved >= excess || candidate.cost > single * units) break;
      if (total + candidate.cost > most * (saved + units)) break;
      total += candidate.cost;
      saved += units;
      ++num_taken;
    }
    return num_taken;
  }

  struct UseAfter {
    MachineBasicBlock* block;
    MachineOperand* operand;
  };

  // Returns the block in which a use reads the register. A PHI reads it at the end of a predecessor.
  MachineBasicBlock& BlockOf(const MachineOperand& use) const {
    const MachineInstr& user = *use.parent();
    return user.is_phi() ? *function_.block(PhiIncoming(use).predecessor()) : *function_.block(user.parent()->number());
  }

  // Returns the blocks that read the register and that it is live into, in ascending order. Valid until the next
  // call.
  const std::vector<BlockNumber>& ReadersOf(Register reg) {
    const auto [entry, is_new] = readers_.try_emplace(reg.virtual_index());
    std::vector<BlockNumber>& readers = entry->second;
    if (!is_new) return readers;
    for (const MachineOperand& use : reg_info_.NonDebugUses(reg)) readers.push_back(BlockOf(use).number());
    std::sort(readers.begin(), readers.end());
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    std::erase_if(readers, [&](BlockNumber at) { return !live_ins_.IsLiveIn(*function_.block(at), reg); });
    return readers;
  }

  // Walks from the end of `block` through the blocks that the register is live into, until all readers have been
  // reached. Returns false if there are more than `most`.
  bool ReachReaders(Register reg, const MachineBasicBlock& block, absl::Span<const BlockNumber> readers,
                    uint64_t most) {
    size_t num_reached = 0;
    std::vector<const MachineBasicBlock*> worklist = {&block};
    while (!worklist.empty()) {
      const MachineBasicBlock* const from = worklist.back();
      worklist.pop_back();
      for (const MachineBasicBlock* successor : from->successors()) {
        const BlockNumber number = successor->number();
        if (reached_[number] == search_ || !live_ins_.IsLiveIn(*successor, reg)) continue;
        reached_[number] = search_;
        worklist.push_back(successor);
        if (!std::binary_search(readers.begin(), readers.end(), number)) continue;
        if (++num_reached > most) return false;
        if (num_reached == readers.size()) return true;
      }
    }
    return true;
  }

  // Collects the uses of the candidate in blocks that it is live into from the end of `block`, sorted by block.
  // Returns false if they are in more than `most` blocks. Pulling in other candidates does not change the result:
  // their clones do not read candidates.
  bool CollectUsesBehind(Register reg, const MachineBasicBlock& block, uint64_t most) {
    ++search_;
    const std::vector<BlockNumber>& readers = ReadersOf(reg);
    if (readers.size() == 1) {
      // The register is live out of the block, so this reader is reached.
      reached_[readers[0]] = search_;
      if (most == 0) return false;
    } else if (!ReachReaders(reg, block, readers, most)) {
      return false;
    }
    uses_after_.clear();
    for (MachineOperand& use : reg_info_.NonDebugUses(reg)) {
      MachineBasicBlock& at = BlockOf(use);
      if (reached_[at.number()] == search_) uses_after_.push_back({&at, &use});
    }
    std::stable_sort(uses_after_.begin(), uses_after_.end(),
                     [](const UseAfter& a, const UseAfter& b) { return a.block->number() < b.block->number(); });
    return true;
  }

  // Inserts a clone in each block, before the first use there.
  void PullIn(const PullCandidate& candidate, const MachineBasicBlock& block) {
    CollectUsesBehind(candidate.reg, block, kAllBlocks);
    for (size_t i = 0; i < uses_after_.size();) {
      MachineBasicBlock& at = *uses_after_[i].block;
      size_t end = i;
      while (end < uses_after_.size() && uses_after_[end].block == &at) ++end;
      const absl::Span<const UseAfter> uses = absl::MakeConstSpan(uses_after_).subspan(i, end - i);
      MachineInstr* const before = FirstUser(at, uses);
      RematEditor::Renaming renaming;
      Register value;
      for (const Register reg : candidate.chain) {
        value = editor_.Clone(*values_.Definition(reg), reg, at, before, renaming);
        renaming[reg.virtual_index()] = value;
      }
      for (const UseAfter& use : uses) {
        editor_.Rewrite(*use.operand, value);
        Dump("\treplaced");
      }
      i = end;
    }
    readers_.erase(candidate.reg.virtual_index());
    for (const Register reg : candidate.chain) {
      RematValues::ForEachOperand(*values_.Definition(reg),
                                  [&](Register operand) { readers_.erase(operand.virtual_index()); });
    }
    stays_.resize(reg_info_.num_virtual_registers());
    visits_.resize(reg_info_.num_virtual_registers());
    is_read_by_phi_.resize(reg_info_.num_virtual_registers());
  }

  MachineInstr* FirstUser(MachineBasicBlock& block, absl::Span<const UseAfter> uses) const {
    MachineInstr* const terminator = block.FirstTerminator();
    users_.clear();
    for (const UseAfter& use : uses) {
      if (!use.operand->parent()->is_phi()) users_.push_back(use.operand->parent());
    }
    if (users_.empty()) return terminator;
    for (MachineInstr& instr : block) {
      if (&instr == terminator || std::find(users_.begin(), users_.end(), &instr) != users_.end()) return &instr;
    }
    return terminator;
  }

  MachineFunction& function_;
  PassContext& context_;
  const Knobs& knobs_;
  MachineRegisterInfo& reg_info_;
  const RematTarget target_;
  MachineRegisterPressure& pressure_;
  const MachineLoops& loops_;
  RematValues values_;
  RematEditor editor_;
  BlockLiveIns live_ins_;  // the state before anything was pulled in after the current block
  RematResult result_;
  absl::flat_hash_map<uint32_t, std::vector<BlockNumber>> readers_;  // by register, if known; see ReadersOf
  std::vector<uint32_t> num_live_outs_;                              // by register
  std::vector<uint8_t> visits_;                                      // by register

  // State for the current block.
  std::vector<uint32_t> live_outs_;
  std::vector<bool> stays_;  // by register: it is live out and will remain so
  std::vector<PullCandidate> pullable_;
  std::vector<bool> is_read_by_phi_;  // by register: a PHI of a successor reads it at the end of the block
  // State for the current value.
  uint32_t search_ = 0;
  std::vector<uint32_t> reached_;  // by block: the last search that reached it
  std::vector<UseAfter> uses_after_;
  mutable std::vector<MachineInstr*> users_;
};

}  // namespace

RematResult RematerializeLiveOuts(MachineFunction& function, PassContext& context, const RematTarget& target) {
  return LiveOutRemat(function, context, target).Run();
}

}  // namespace ptxmir
