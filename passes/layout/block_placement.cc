// SPDX-License-Identifier: Apache-2.0

#include "passes/layout/block_placement.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_branch_probabilities.h"
#include "passes/layout/block_chains.h"
#include "passes/layout/ext_tsp.h"
#include "passes/layout/loop_placement.h"
#include "passes/support/block_ending.h"

namespace ptxmir {
namespace {

// A block is followed by a successor that could also follow another predecessor only if the edge from that
// predecessor is less frequent by this factor.
constexpr BranchProbability kLikely = MachineBranchProbabilities::kLikely;
constexpr BranchProbability kUnlikely(BranchProbability::kDenominator - kLikely.numerator());

struct WeightedEdge {
  uint64_t frequency = 0;
  const MachineBasicBlock* from = nullptr;
  MachineBasicBlock* to = nullptr;
};

// A queue of blocks by frequency. Among blocks of equal frequency, the first added comes first.
class BlockQueue {
 public:
  void Add(MachineBasicBlock& block, uint64_t frequency) {
    entries_.push_back({frequency, num_added_++, &block});
    std::push_heap(entries_.begin(), entries_.end(), IsLater);
  }
  bool empty() const { return entries_.empty(); }
  MachineBasicBlock* Take() {
    std::pop_heap(entries_.begin(), entries_.end(), IsLater);
    MachineBasicBlock* const block = entries_.back().block;
    entries_.pop_back();
    return block;
  }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    uint64_t frequency;
    uint64_t number;
    MachineBasicBlock* block;
  };
  static bool IsLater(const Entry& a, const Entry& b) {
    return a.frequency != b.frequency ? a.frequency < b.frequency : a.number > b.number;
  }
  std::vector<Entry> entries_;
  uint64_t num_added_ = 0;
};

class BlockPlacer {
 public:
  BlockPlacer(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        probabilities_(context.analyses.Get<MachineBranchProbabilities>()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()),
        loops_(context.analyses.Get<MachineLoops>()),
        chains_(function),
        chosen_successors_(function.block_number_bound(), nullptr),
        filled_for_(function.block_number_bound(), kNotFilled) {}

  bool Run() {
    JoinUnknownEndings();
    // Inner loops have larger ids than the loops that contain them.
    for (CycleId loop = loops_.num_cycles(); loop > 0; --loop) PlaceLoop(loop - 1);
    scope_ = MachineLoops::kNoCycle;
    std::vector<MachineBasicBlock*> blocks;
    blocks.reserve(function_.num_blocks());
    for (MachineBasicBlock& block : function_) blocks.push_back(&block);
    PlaceScope(*function_.front(), blocks);
    std::vector<MachineBasicBlock*> order;
    order.reserve(function_.num_blocks());
    for (MachineBasicBlock* block = function_.front(); block != nullptr; block = chains_.Next(*block)) {
      order.push_back(block);
    }
    if (context_.knobs.enable_ext_tsp_block_placement()) ImproveByExtTsp(order);
    return ApplyOrder(order);
  }

 private:
  static constexpr CycleId kNotFilled = MachineLoops::kNoCycle - 1;

  bool IsInScope(const MachineBasicBlock& block) const {
    return scope_ == MachineLoops::kNoCycle || loops_.Contains(scope_, block);
  }

  // Keeps the next block after a block that may fall through but whose ending cannot be changed.
  void JoinUnknownEndings() {
    for (MachineBasicBlock& block : function_) {
      if (EndingOf(block).is_known) continue;
      if (MachineBasicBlock* next = LayoutSuccessor(block)) chains_.Append(chains_.Of(block), chains_.Of(*next));
    }
  }

  void PlaceLoop(CycleId loop) {
    scope_ = loop;
    LoopPlacement placement(context_.analyses, loop, chains_, chosen_successors_);
    MachineBasicBlock& top = placement.ChooseTop();
    if (&top == loops_.Header(loop)) placement.ChooseExit();
    filled_for_[chains_.Of(top)] = loop;
    chains_.UnplacedPredecessors(chains_.Of(top)) = 0;
    PlaceScope(top, loops_.Blocks(loop));
    placement.Rotate(chains_.Of(top));
    queue_.clear();
  }

  // Counts the edges that lead to a chain from elsewhere in the scope. A chain without such edges can be placed.
  void FillQueue(ChainId chain) {
    if (filled_for_[chain] == scope_) return;
    filled_for_[chain] = scope_;
    uint32_t& count = chains_.UnplacedPredecessors(chain);
    count = 0;
    for (const MachineBasicBlock* block = &chains_.Head(chain); block != nullptr; block = chains_.Next(*block)) {
      for (const MachineBasicBlock* predecessor : block->predecessors()) {
        count += IsInScope(*predecessor) && chains_.Of(*predecessor) != chain;
      }
    }
    if (count == 0) AddToQueue(chains_.Head(chain));
  }

  void AddToQueue(MachineBasicBlock& block) { queue_.Add(block, frequencies_.Frequency(block)); }

  // Appends all `blocks`, which are those of the scope, to the chain of `top`.
  void PlaceScope(MachineBasicBlock& top, absl::Span<MachineBasicBlock* const> blocks) {
    for (MachineBasicBlock* block : blocks) FillQueue(chains_.Of(*block));
    const ChainId chain = chains_.Of(top);
    NotePlaced(chain, top);
    for (;;) {
      MachineBasicBlock* next = BestSuccessor(chains_.Tail(chain));
      if (next == nullptr) next = BestInQueue(chain);
      if (next == nullptr) next = FirstUnplaced(chain, blocks);
      if (next == nullptr) return;
      const ChainId other = chains_.Of(*next);
      chains_.UnplacedPredecessors(other) = 0;
      NotePlaced(other, top);
      chains_.Append(chain, other);
    }
  }

  // Records that the blocks of `placed`, which is or will be part of the chain of `top`, need no longer be waited
  // for.
  void NotePlaced(ChainId placed, const MachineBasicBlock& top) {
    const ChainId chain = chains_.Of(top);
    for (const MachineBasicBlock* block = &chains_.Head(placed); block != nullptr; block = chains_.Next(*block)) {
      for (const MachineBasicBlock* successor : block->successors()) {
        const ChainId to = chains_.Of(*successor);
        if (!IsInScope(*successor) || to == placed || successor == &top) continue;
        uint32_t& count = chains_.UnplacedPredecessors(to);
        if (count == 0 || --count > 0 || to == chain) continue;
        AddToQueue(chains_.Head(to));
      }
    }
  }

  MachineBasicBlock* BestInQueue(ChainId chain) {
    while (!queue_.empty()) {
      MachineBasicBlock* const block = queue_.Take();
      if (chains_.Of(*block) != chain) return block;
    }
    return nullptr;
  }

  // Returns the first block that is not placed: in irreducible control flow, blocks may wait for each other.
  // Removes placed blocks from the front of `blocks`.
  MachineBasicBlock* FirstUnplaced(ChainId chain, absl::Span<MachineBasicBlock* const>& blocks) {
    for (; !blocks.empty(); blocks.remove_prefix(1)) {
      const ChainId other = chains_.Of(*blocks.front());
      if (other != chain) return &chains_.Head(other);
    }
    return nullptr;
  }

  // Collects the successors that can follow `block`, the tail of its chain. Sets `left` to the total probability
  // of the successors that are not yet placed.
  void CollectSuccessors(const MachineBasicBlock& block, BranchProbability& left) {
    viable_.clear();
    uint32_t sum = BranchProbability::kDenominator;
    const ChainId chain = chains_.Of(block);
    for (MachineBasicBlock* successor : block.successors()) {
      if (!IsInScope(*successor) || chains_.Of(*successor) == chain) {
        sum -= std::min(sum, probabilities_.Probability(block, *successor).numerator());
      } else if (chains_.IsHead(*successor)) {
        viable_.push_back(successor);
      }
    }
    left = BranchProbability(sum);
  }

  // Returns the best successor to follow `block`, the first one among equally likely successors. Returns null if
  // none can follow it, or if each has a better block to follow.
  MachineBasicBlock* BestSuccessor(const MachineBasicBlock& block) {
    if (MachineBasicBlock* const chosen = std::exchange(chosen_successors_[block.number()], nullptr)) {
      if (block.IsSuccessor(chosen) && IsInScope(*chosen) && chains_.Of(*chosen) != chains_.Of(block) &&
          chains_.IsHead(*chosen)) {
        return chosen;
      }
    }
    BranchProbability left;
    CollectSuccessors(block, left);
    if (IsTrellis(block)) return BestOfTrellis(block);
    MachineBasicBlock* best = nullptr;
    uint32_t best_probability = 0;
    for (MachineBasicBlock* successor : viable_) {
      const uint32_t real = probabilities_.Probability(block, *successor).numerator();
      const uint32_t adjusted = AdjustedProbability(real, left.numerator());
      if (HasBetterPredecessor(block, *successor)) continue;
      if (best != nullptr && best_probability >= adjusted) continue;
      best = successor;
      best_probability = adjusted;
    }
    return best;
  }

  static uint32_t AdjustedProbability(uint32_t numerator, uint32_t denominator) {
    if (numerator >= denominator) return BranchProbability::kDenominator;
    return static_cast<uint32_t>((uint64_t{numerator} * BranchProbability::kDenominator + denominator / 2) /
                                 denominator);
  }

  // Returns true if `successor` should rather follow another of its predecessors, not all of which are placed.
  bool HasBetterPredecessor(const MachineBasicBlock& block, const MachineBasicBlock& successor) {
    const ChainId to = chains_.Of(successor);
    if (chains_.UnplacedPredecessors(to) == 0) return false;
    if (successor.predecessors().size() > LoopPlacement::kMaxPredecessors) return false;
    const uint64_t frequency = Scale(frequencies_.EdgeFrequency(block, successor), kUnlikely);
    const ChainId chain = chains_.Of(block);
    return std::any_of(successor.predecessors().begin(), successor.predecessors().end(),
                       [&](const MachineBasicBlock* predecessor) {
                         return Competes(*predecessor, chain, to) && chains_.IsTail(*predecessor) &&
                                Scale(frequencies_.EdgeFrequency(*predecessor, successor), kLikely) >= frequency;
                       });
  }

  // Returns true if `predecessor` is in the scope but in neither `chain` nor the chain `to`, so that it competes
  // for a place before the chain `to`.
  bool Competes(const MachineBasicBlock& predecessor, ChainId chain, ChainId to) const {
    const ChainId from = chains_.Of(predecessor);
    return IsInScope(predecessor) && from != chain && from != to;
  }

  // Returns true if two successors are both shared with other predecessors, so that each successor should follow
  // one of these blocks.
  bool IsTrellis(const MachineBasicBlock& block) const {
    if (block.successors().size() != 2 || viable_.size() != 2) return false;
    const auto is_successor = [&](const MachineBasicBlock* other) { return block.IsSuccessor(other); };
    for (const MachineBasicBlock* successor : viable_) {
      if (successor->predecessors().size() > LoopPlacement::kMaxPredecessors) return false;
      bool has_other = false;
      for (const MachineBasicBlock* predecessor : successor->predecessors()) {
        const auto targets = predecessor->successors();
        // One successor may also lead to the other, if it leads nowhere else.
        if (is_successor(predecessor)) {
          if (!std::all_of(targets.begin(), targets.end(), is_successor)) return false;
          continue;
        }
        if (predecessor == &block || !Competes(*predecessor, chains_.Of(block), chains_.Of(*successor))) continue;
        has_other = true;
        if (targets.size() != 2 || !is_successor(targets[0]) || !is_successor(targets[1]) || targets[0] == targets[1]) {
          return false;
        }
      }
      if (!has_other) return false;
    }
    return true;
  }

  MachineBasicBlock* BestOfTrellis(const MachineBasicBlock& block) {
    std::array<std::vector<WeightedEdge>, 2> edges;
    for (size_t i = 0; i < 2; ++i) {
      for (const MachineBasicBlock* from : viable_[i]->predecessors()) {
        if (from != &block && !Competes(*from, chains_.Of(block), chains_.Of(*viable_[i]))) continue;
        edges[i].push_back({frequencies_.EdgeFrequency(*from, *viable_[i]), from, viable_[i]});
      }
      std::stable_sort(edges[i].begin(), edges[i].end(),
                       [](const WeightedEdge& a, const WeightedEdge& b) { return a.frequency > b.frequency; });
    }
    size_t first = 0, second = 0;
    if (edges[0][0].from == edges[1][0].from) {
      const uint64_t with_first = edges[0][0].frequency + edges[1][1].frequency;
      const uint64_t with_second = edges[1][0].frequency + edges[0][1].frequency;
      (with_first < with_second ? first : second) = 1;
    }
    const WeightedEdge* ours = &edges[0][first];
    const WeightedEdge* other = &edges[1][second];
    if (other->from == &block) std::swap(ours, other);
    if (ours->from != &block) return nullptr;
    chosen_successors_[other->from->number()] = other->to;
    return ours->to;
  }

  // Replaces the order by that of the ext-TSP model, unless the model itself finds it worse.
  void ImproveByExtTsp(std::vector<MachineBasicBlock*>& order) {
    // A machine instruction has 16 bytes.
    constexpr uint64_t kInstrBytes = 16;
    std::vector<uint32_t> index(function_.block_number_bound(), 0);
    for (uint32_t i = 0; i < order.size(); ++i) index[order[i]->number()] = i;
    ExtTspBlocks blocks;
    for (MachineBasicBlock* block : order) {
      uint64_t num_instrs = 0;
      for (const MachineInstr& instr : *block) num_instrs += !instr.is_meta() && !instr.is_debug();
      blocks.sizes.push_back(kInstrBytes * std::max<uint64_t>(num_instrs, 1));
      blocks.frequencies.push_back(frequencies_.Frequency(*block));
      for (size_t i = 0; i < block->successors().size(); ++i) {
        const MachineBasicBlock& successor = *block->successors()[i];
        if (&successor == block) continue;
        blocks.jumps.push_back(
            {index[block->number()], index[successor.number()], frequencies_.EdgeFrequency(*block, i)});
      }
      const MachineBasicBlock* const next = EndingOf(*block).is_known ? nullptr : LayoutSuccessor(*block);
      blocks.forced_next.push_back(next == nullptr ? ExtTspBlocks::kNone : index[next->number()]);
    }
    const std::vector<uint32_t> better = OrderByExtTsp(blocks);
    std::vector<uint32_t> old(order.size());
    std::iota(old.begin(), old.end(), 0);
    if (ExtTspScore(blocks, better) <= ExtTspScore(blocks, old)) return;
    context_.AddStatistic("functions in the order of ext-TSP", 1);
    std::vector<MachineBasicBlock*> placed;
    for (const uint32_t i : better) placed.push_back(order[i]);
    order = std::move(placed);
  }

  bool ApplyOrder(absl::Span<MachineBasicBlock* const> order) {
    std::vector<const MachineBasicBlock*> old_next(function_.block_number_bound(), nullptr);
    for (const MachineBasicBlock& block : function_) old_next[block.number()] = block.next();
    uint64_t num_moved = 0;
    MachineBasicBlock* position = function_.front();
    for (MachineBasicBlock* block : order) {
      if (block == position) {
        position = position->next();
      } else {
        function_.MoveBlock(position, block);
      }
    }
    bool changed = false;
    for (MachineBasicBlock* block : order) {
      const bool moved = block->next() != old_next[block->number()];
      num_moved += moved;
      changed |= AdjustEnding(*block, old_next[block->number()]) || moved;
    }
    context_.AddStatistic("blocks with another one behind them", num_moved);
    return changed;
  }

  MachineFunction& function_;
  PassContext& context_;
  const MachineBranchProbabilities& probabilities_;
  const MachineBlockFrequencies& frequencies_;
  const MachineLoops& loops_;
  BlockChains chains_;
  CycleId scope_ = MachineLoops::kNoCycle;  // the loop that is being placed; kNoCycle: the function
  // The best layout successor found for a block while another decision was made. Indexed by block.
  std::vector<MachineBasicBlock*> chosen_successors_;
  std::vector<CycleId> filled_for_;  // by chain: the last scope
  BlockQueue queue_;
  std::vector<MachineBasicBlock*> viable_;
};

}  // namespace

PassResult RunBlockPlacement(MachineFunction& function, PassContext& context) {
  PassResult result;
  result.changed = function.num_blocks() > 1 && BlockPlacer(function, context).Run();
  return result;
}

}  // namespace ptxmir
