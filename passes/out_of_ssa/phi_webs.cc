// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/phi_webs.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/liveness/live_intervals.h"
#include "analysis/register_name.h"
#include "base/str_cat.h"
#include "mir/code/operand_ranges.h"
#include "passes/out_of_ssa/congruence_classes.h"
#include "passes/out_of_ssa/copies.h"
#include "passes/out_of_ssa/recomputed_constants.h"
#include "passes/support/copy_sequencer.h"

namespace ptxmir {
namespace {

// Replaces PHIs by others of their block that have the same value on every edge, where an undefined value matches
// any value. Loop unrolling leaves such pairs, one for the path that runs the loop and one for the path that skips
// it. Their two webs hold what could be one value, and they interfere.
class EqualPhis {
 public:
  explicit EqualPhis(MachineFunction& function) : function_(function), reg_info_(function.reg_info()) {}

  // Returns the number of PHIs erased.
  size_t Merge() {
    size_t num_merged = 0;
    for (MachineBasicBlock& block : function_) {
      seen_.clear();
      for (MachineInstr* next = block.front(); next != nullptr && next->is_phi();) {
        MachineInstr* const phi = next;
        next = next->next();
        if (MergeWithSeen(*phi)) {
          ++num_merged;
        } else {
          seen_.push_back(phi);
        }
      }
    }
    return num_merged;
  }

 private:
  // The number of earlier PHIs with which a PHI is compared.
  static constexpr size_t kMaxCompared = 16;
  enum class Relation { kDifferent, kFirstIsMoreDefined, kSecondIsMoreDefined };

  bool MergeWithSeen(MachineInstr& phi) {
    const size_t count = std::min(seen_.size(), kMaxCompared);
    for (auto other = seen_.end() - static_cast<ptrdiff_t>(count); other != seen_.end(); ++other) {
      switch (Compare(**other, phi)) {
        case Relation::kDifferent:
          continue;
        case Relation::kFirstIsMoreDefined:
          Replace(phi, **other);
          return true;
        case Relation::kSecondIsMoreDefined:
          Replace(**other, phi);
          *other = &phi;
          return true;
      }
    }
    return false;
  }

  Relation Compare(const MachineInstr& first, const MachineInstr& second) const {
    if (first.num_operands() != second.num_operands() ||
        reg_info_.reg_class(first.operand(0).reg()) != reg_info_.reg_class(second.operand(0).reg())) {
      return Relation::kDifferent;
    }
    bool first_may_go = true;
    bool second_may_go = true;
    const auto firsts = PhiIncomings(first);
    const auto seconds = PhiIncomings(second);
    for (size_t i = 0; i < firsts.size(); ++i) {
      if (firsts[i].predecessor() != seconds[i].predecessor()) return Relation::kDifferent;
      if (firsts[i].reg() == seconds[i].reg()) continue;
      first_may_go &= IsUndefinedSource(firsts[i].value(), reg_info_);
      second_may_go &= IsUndefinedSource(seconds[i].value(), reg_info_);
      if (!first_may_go && !second_may_go) return Relation::kDifferent;
    }
    return second_may_go ? Relation::kFirstIsMoreDefined : Relation::kSecondIsMoreDefined;
  }

  void Replace(MachineInstr& phi, MachineInstr& by) {
    reg_info_.ReplaceRegister(phi.operand(0).reg(), by.operand(0).reg());
    reg_info_.ClearKillFlags(by.operand(0).reg());
    by.operand(0).set_reg_flag(MachineOperand::kDead, false);
    phi.EraseFromParent();
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  std::vector<MachineInstr*> seen_;
};

class PhiWebs {
 public:
  PhiWebs(MachineFunction& function, PassContext& context)
      : function_(function),
        reg_info_(function.reg_info()),
        context_(context),
        intervals_(context.analyses.Get<LiveIntervals>()),
        indexes_(intervals_.indexes()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()),
        num_registers_(reg_info_.num_virtual_registers()),
        verbosity_(context.knobs.cssa_verbosity()) {}

  bool Run() {
    CollectPhis();
    if (phis_.empty()) return false;
    FindCopiedValues();
    classes_.emplace(num_registers_ + static_cast<uint32_t>(phis_.size()));
    for (uint32_t phi = 0; phi < phis_.size(); ++phi) SetPhiSegments(phi);
    const int aggressiveness = context_.knobs.cssa_coalesce();
    if (aggressiveness > 0) Coalesce(aggressiveness);
    NameWebs();
    if (function_.MayContain(generic::kDbgValue) || function_.MayContain(generic::kDbgValueList)) DropDebugUses();
    for (const Phi& phi : phis_) phi.instr->RemoveFromParent();
    InsertCopiesAtTops();
    InsertCopiesAtEnds();
    for (const Phi& phi : phis_) function_.DeleteInstr(phi.instr);
    RemoveUnusedImplicitDefs();
    RenameClasses();
    Report();
    return true;
  }

 private:
  // An edge into a PHI's block.
  struct Edge {
    BlockNumber predecessor;
    Register source;  // invalid if undefined
  };
  struct Phi {
    MachineInstr* instr;
    MachineBasicBlock* block;
    uint32_t first_edge;
    Register result;
    Register web;  // the register of its class
  };
  // A copy that becomes unnecessary if the two nodes are joined.
  struct Affinity {
    uint64_t frequency;
    uint32_t a;
    uint32_t b;
  };

  uint32_t PhiNode(uint32_t phi) const { return num_registers_ + phi; }
  absl::Span<const Edge> EdgesOf(uint32_t phi) const {
    const uint32_t first = phis_[phi].first_edge;
    const size_t end = phi + 1 < phis_.size() ? phis_[phi + 1].first_edge : edges_.size();
    return {edges_.data() + first, end - first};
  }
  // Returns the index of the parallel copy at the end of a block: after everything that comes before the
  // terminators.
  SlotIndex EndCopyIndex(BlockNumber number) const {
    const MachineInstr* terminator = function_.block(number)->FirstTerminator();
    return terminator != nullptr ? indexes_.InstrIndex(*terminator).Base() : indexes_.BlockEnd(number).Previous();
  }

  void CollectPhis() {
    std::vector<uint32_t> seen(function_.block_number_bound());
    uint32_t count = 0;
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr* phi = block.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
        phis_.push_back({phi, &block, static_cast<uint32_t>(edges_.size()), phi->operand(0).reg(), {}});
        ++count;
        for (const PhiIncoming incoming : PhiIncomings(*phi)) {
          // A predecessor with several edges to this block is named once for each edge, with the same value.
          const BlockNumber predecessor = incoming.predecessor();
          if (std::exchange(seen[predecessor], count) == count) continue;
          const MachineOperand& source = incoming.value();
          const bool undefined = IsUndefinedSource(source, reg_info_);
          if (undefined && source.reg().is_virtual()) maybe_unused_.push_back(source.reg());
          edges_.push_back({predecessor, undefined ? Register() : source.reg()});
        }
      }
    }
  }

  // Computes for each register the one that it was copied from: the first of a chain of COPYs.
  void FindCopiedValues() {
    origin_.resize(num_registers_);
    for (uint32_t i = 0; i < num_registers_; ++i) origin_[i] = i;
    if (!function_.MayContain(generic::kCopy)) return;
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr& instr : block) {
        if (!IsCoalescableCopy(instr, reg_info_)) continue;
        copies_.push_back(&instr);
        origin_[instr.operand(0).reg().virtual_index()] = instr.operand(1).reg().virtual_index();
      }
    }
  }
  ValueId ValueOf(Register reg) {
    if (!reg.is_virtual()) return num_registers_ + reg.bits();
    uint32_t index = reg.virtual_index();
    while (origin_[index] != index) {
      origin_[index] = origin_[origin_[index]];
      index = origin_[index];
    }
    return index;
  }

  void SetPhiSegments(uint32_t number) {
    const Phi& phi = phis_[number];
    segments_.clear();
    const SlotIndex top = indexes_.BlockStart(*phi.block);
    segments_.push_back({top, top.Next(), ValueOf(phi.result)});
    for (const Edge& edge : EdgesOf(number)) {
      if (!edge.source.is_valid()) continue;
      segments_.push_back({EndCopyIndex(edge.predecessor), indexes_.BlockEnd(edge.predecessor), ValueOf(edge.source)});
    }
    classes_->SetSegments(PhiNode(number), segments_);
  }

  // Sets the register's segments to its live range after the copies are inserted.
  void SetRegisterSegments(Register reg) {
    const uint32_t node = reg.virtual_index();
    if (classes_->HasSegments(node)) return;
    segments_.clear();
    const ValueId value = ValueOf(reg);
    for (const LiveSegment& segment : intervals_.Interval(reg).segments()) {
      segments_.push_back({segment.start, segment.end, value});
    }
    if (const MachineInstr* def = reg_info_.UniqueDef(reg); def != nullptr && def->is_phi() && !segments_.empty()) {
      const SlotIndex defined = indexes_.InstrIndex(*def).RegSlot();
      for (LiveSegment& segment : segments_) {
        if (segment.start == defined) segment.start = indexes_.BlockStart(*def->parent()).Next();
      }
    }
    CutAtCopies(reg);
    classes_->SetSegments(node, segments_);
  }

  // Shortens segments that reach the end of a block only because of the copies there.
  void CutAtCopies(Register reg) {
    cut_blocks_.clear();
    read_by_terminators_.clear();
    for (const MachineOperand& use : reg_info_.NonDebugUses(reg)) {
      const MachineInstr& user = *use.parent();
      if (user.is_phi()) {
        cut_blocks_.push_back(PhiIncoming(use).predecessor());
      } else if (user.is_terminator()) {
        read_by_terminators_.push_back(user.parent()->number());
      }
    }
    std::sort(cut_blocks_.begin(), cut_blocks_.end());
    cut_blocks_.erase(std::unique(cut_blocks_.begin(), cut_blocks_.end()), cut_blocks_.end());
    std::sort(read_by_terminators_.begin(), read_by_terminators_.end());
    std::erase_if(cut_blocks_, [&](BlockNumber block) { return IsReadAfterCopies(reg, block); });
    if (cut_blocks_.empty()) return;
    std::sort(cut_blocks_.begin(), cut_blocks_.end(),
              [this](BlockNumber a, BlockNumber b) { return indexes_.BlockEnd(a) < indexes_.BlockEnd(b); });
    uncut_.swap(segments_);
    segments_.clear();
    auto block = cut_blocks_.begin();
    for (LiveSegment segment : uncut_) {
      while (block != cut_blocks_.end() && indexes_.BlockEnd(*block) <= segment.start) ++block;
      for (; block != cut_blocks_.end() && EndCopyIndex(*block) < segment.end; ++block) {
        const SlotIndex copies = EndCopyIndex(*block);
        if (segment.start < copies) segments_.push_back({segment.start, copies, segment.value});
        segment.start = indexes_.BlockEnd(*block);
      }
      if (segment.start < segment.end) segments_.push_back(segment);
    }
  }

  bool IsReadAfterCopies(Register reg, BlockNumber number) const {
    if (std::binary_search(read_by_terminators_.begin(), read_by_terminators_.end(), number)) return true;
    const LiveInterval& interval = intervals_.Interval(reg);
    for (const MachineBasicBlock* successor : function_.block(number)->successors()) {
      if (intervals_.IsLiveIntoBlock(interval, *successor)) return true;
    }
    return false;
  }

  void Coalesce(int aggressiveness) {
    std::vector<Affinity> affinities;
    RecomputedConstants constants(function_, context_, intervals_, frequencies_);
    for (uint32_t number = 0; number < phis_.size(); ++number) {
      const Phi& phi = phis_[number];
      affinities.push_back({frequencies_.Frequency(*phi.block), PhiNode(number), phi.result.virtual_index()});
      for (const Edge& edge : EdgesOf(number)) {
        if (!edge.source.is_virtual() || reg_info_.reg_class(edge.source) != reg_info_.reg_class(phi.result)) continue;
        const uint64_t frequency = frequencies_.Frequency(*function_.block(edge.predecessor));
        if (aggressiveness < 3 && constants.IsBetterRecomputed(edge.source, frequency)) continue;
        affinities.push_back({frequency, PhiNode(number), edge.source.virtual_index()});
      }
    }
    if (aggressiveness >= 2) AddCopies(affinities);
    std::stable_sort(affinities.begin(), affinities.end(),
                     [](const Affinity& a, const Affinity& b) { return a.frequency > b.frequency; });
    for (const Affinity& affinity : affinities) {
      if (affinity.a < num_registers_) SetRegisterSegments(Register::Virtual(affinity.a));
      SetRegisterSegments(Register::Virtual(affinity.b));
      if (verbosity_ >= 3) LogDecision(affinity);
      if (classes_->TryJoin(affinity.a, affinity.b)) {
        ++num_joined_;
      } else {
        ++num_interfering_;
      }
    }
  }

  void AddCopies(std::vector<Affinity>& affinities) const {
    for (const MachineInstr* const copy : copies_) {
      affinities.push_back({frequencies_.Frequency(*copy->parent()), copy->operand(0).reg().virtual_index(),
                            copy->operand(1).reg().virtual_index()});
    }
  }

  void NameWebs() {
    for (uint32_t number = 0; number < phis_.size(); ++number) {
      const uint32_t leader = classes_->Leader(PhiNode(number));
      Phi& phi = phis_[number];
      if (leader < num_registers_) {
        phi.web = Register::Virtual(leader);
      } else if (leader == PhiNode(number)) {
        phi.web = reg_info_.CreateVirtualRegister(reg_info_.reg_class(phi.result));
      } else {
        phi.web = phis_[leader - num_registers_].web;
      }
    }
  }
  Register RegisterOf(Register reg) const {
    if (!reg.is_virtual() || reg.virtual_index() >= num_registers_) return reg;
    return Register::Virtual(classes_->Leader(reg.virtual_index()));
  }

  void InsertCopiesAtTops() {
    for (size_t first = 0; first < phis_.size();) {
      MachineBasicBlock& block = *phis_[first].block;
      parallel_.clear();
      size_t last = first;
      for (; last < phis_.size() && phis_[last].block == &block; ++last) {
        const Register result = RegisterOf(phis_[last].result);
        if (result != phis_[last].web) parallel_.push_back({result, phis_[last].web});
      }
      InsertParallelCopy(block, block.front(), phis_[first].instr->debug_loc());
      first = last;
    }
  }

  void InsertCopiesAtEnds() {
    // The PHIs for which each predecessor has copies.
    struct Copy {
      BlockNumber predecessor;
      uint32_t phi;
      Register source;
    };
    std::vector<Copy> copies;
    for (uint32_t number = 0; number < phis_.size(); ++number) {
      for (const Edge& edge : EdgesOf(number)) {
        if (edge.source.is_valid() && RegisterOf(edge.source) == phis_[number].web) continue;
        copies.push_back({edge.predecessor, number, edge.source});
      }
    }
    std::stable_sort(copies.begin(), copies.end(),
                     [](const Copy& a, const Copy& b) { return a.predecessor < b.predecessor; });
    std::vector<uint32_t> copied_for(reg_info_.num_virtual_registers());
    uint32_t num_blocks = 0;
    for (size_t first = 0; first < copies.size();) {
      MachineBasicBlock& block = *function_.block(copies[first].predecessor);
      const SlotIndex index = EndCopyIndex(block.number());
      MachineInstr* const before = block.FirstTerminator();
      const MetadataId loc = phis_[copies[first].phi].instr->debug_loc();
      ++num_blocks;
      parallel_.clear();
      undefined_.clear();
      for (; first < copies.size() && copies[first].predecessor == block.number(); ++first) {
        const auto& [predecessor, phi, source] = copies[first];
        // Several PHIs may have the same register here, if they take the same value or none.
        const Register web = phis_[phi].web;
        if (!source.is_valid()) {
          if (classes_->ValueAt(PhiNode(phi), index) == kNoValue) undefined_.push_back(web);
          continue;
        }
        if (std::exchange(copied_for[web.virtual_index()], num_blocks) == num_blocks) continue;
        // The register may already hold the value, because of another copy of it.
        if (classes_->ValueAt(PhiNode(phi), index.Previous()) == ValueOf(source)) continue;
        parallel_.push_back({web, RegisterOf(source)});
        if (RegisterOf(source).is_virtual()) sources_.push_back(RegisterOf(source));
      }
      InsertParallelCopy(block, before, loc);
      for (const Register web : undefined_) {
        if (std::exchange(copied_for[web.virtual_index()], num_blocks) == num_blocks) continue;
        BuildMI(block, before, generic::kImplicitDef, loc).AddDef(web).Insert();
      }
    }
  }

  void InsertParallelCopy(MachineBasicBlock& block, MachineInstr* before, MetadataId loc) {
    if (parallel_.empty()) return;
    const uint32_t registers_before = reg_info_.num_virtual_registers();
    for (const RegisterCopy& copy : sequencer_.Sequentialize(parallel_)) {
      BuildMI(block, before, generic::kCopy, loc).AddDef(copy.target).AddUse(copy.source).Insert();
      ++num_copies_;
    }
    num_cycles_ += reg_info_.num_virtual_registers() - registers_before;
  }

  // Erases IMPLICIT_DEFs that were only read by PHIs.
  void RemoveUnusedImplicitDefs() {
    for (const Register reg : maybe_unused_) {
      MachineInstr* def = reg_info_.UniqueDef(reg);
      if (def == nullptr || !def->is_implicit_def() || !reg_info_.HasNoUses(reg)) continue;
      def->EraseFromParent();
    }
  }

  void DropDebugUses() {
    for (uint32_t i = 0; i < num_registers_; ++i) {
      const Register reg = Register::Virtual(i);
      if (classes_->HasSegments(i)) DropStaleDebugUses(reg, ValueOf(reg), intervals_, *classes_, reg_info_);
    }
  }

  void RenameClasses() {
    std::vector<bool> is_cleared(reg_info_.num_virtual_registers());
    const auto clear_kills = [&](Register reg) {
      if (is_cleared[reg.virtual_index()]) return;
      is_cleared[reg.virtual_index()] = true;
      reg_info_.ClearKillFlags(reg);
    };
    std::vector<Register> webs;
    for (uint32_t i = 0; i < num_registers_; ++i) {
      const Register reg = Register::Virtual(i);
      if (!classes_->HasSegments(i) || RegisterOf(reg) == reg) continue;
      reg_info_.ReplaceRegister(reg, RegisterOf(reg));
      webs.push_back(RegisterOf(reg));
    }
    // Copies read later than the last reads so far.
    for (const Register reg : webs) clear_kills(reg);
    for (const Phi& phi : phis_) clear_kills(phi.web);
    for (const Register reg : sources_) clear_kills(reg);
    for (MachineInstr* const copy : copies_) {
      if (copy->operand(0).reg() == copy->operand(1).reg()) copy->EraseFromParent();
    }
  }

  void LogDecision(const Affinity& affinity) const {
    const auto name = [this](uint32_t node) {
      return node < num_registers_
                 ? RegisterName(function_, Register::Virtual(node))
                 : StrCat("the PHI of ", RegisterName(function_, phis_[node - num_registers_].result));
    };
    StrAppend(&context_.log, "  ", name(affinity.a), " and ", name(affinity.b), ": ");
    if (classes_->AreJoined(affinity.a, affinity.b)) {
      StrAppend(&context_.log, "one web already\n");
    } else if (const LiveSegment* segment = classes_->FindInterference(affinity.a, affinity.b)) {
      StrAppend(&context_.log, "interfere at ", indexes_.ToString(segment->start), "\n");
    } else {
      StrAppend(&context_.log, "joined\n");
    }
  }

  void LogWebs() const {
    std::vector<std::vector<Register>> members(num_registers_);
    for (uint32_t i = 0; i < num_registers_; ++i) {
      const Register reg = Register::Virtual(i);
      if (classes_->HasSegments(i)) members[RegisterOf(reg).virtual_index()].push_back(reg);
    }
    for (const std::vector<Register>& web : members) {
      if (web.size() < 2) continue;
      StrAppend(&context_.log, "  web:");
      for (const Register reg : web) StrAppend(&context_.log, " ", RegisterName(function_, reg));
      context_.log += '\n';
    }
  }

  void Report() {
    if (verbosity_ >= 2) LogWebs();
    if (verbosity_ >= 1) {
      StrAppend(&context_.log, "CSSA of ", function_.name(), ": ", phis_.size(), " PHIs, ", num_joined_,
                " copies coalesced, ", num_interfering_, " interfere, ", num_copies_, " inserted\n");
    }
    context_.AddStatistic("PHIs lowered", phis_.size());
    context_.AddStatistic("copies for PHIs coalesced", num_joined_);
    context_.AddStatistic("copies inserted", num_copies_);
    context_.AddStatistic("cycles of copies broken", num_cycles_);
    if (num_copies_ == 0) return;
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kAnalysis, context_.pass_name, "CopiesInserted", function_)
             << RemarkArg("NumPhis", phis_.size()) << " PHIs became " << RemarkArg("NumCopies", num_copies_)
             << " copies; " << RemarkArg("NumInterfering", num_interfering_)
             << " operands interfere with the other values of their PHI, " << RemarkArg("NumCycles", num_cycles_)
             << " cycles of copies needed a temporary register";
    });
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  PassContext& context_;
  LiveIntervals& intervals_;
  SlotIndexes& indexes_;
  const MachineBlockFrequencies& frequencies_;
  const uint32_t num_registers_;
  const int verbosity_;
  std::optional<CongruenceClasses> classes_;  // nodes: virtual registers, then PHIs
  CopySequencer sequencer_{reg_info_};
  std::vector<Phi> phis_;
  std::vector<Edge> edges_;
  std::vector<MachineInstr*> copies_;  // the COPYs of the original function
  std::vector<uint32_t> origin_;
  std::vector<LiveSegment> segments_;
  std::vector<LiveSegment> uncut_;
  std::vector<BlockNumber> cut_blocks_;
  std::vector<BlockNumber> read_by_terminators_;
  std::vector<RegisterCopy> parallel_;
  std::vector<Register> undefined_;
  std::vector<Register> sources_;
  std::vector<Register> maybe_unused_;
  uint64_t num_joined_ = 0;
  uint64_t num_interfering_ = 0;
  uint64_t num_copies_ = 0;
  uint64_t num_cycles_ = 0;
};

}  // namespace

bool LowerPhiWebs(MachineFunction& function, PassContext& context) {
  const size_t num_merged = EqualPhis(function).Merge();
  if (num_merged > 0) context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
  context.AddStatistic("PHIs equal to another", num_merged);
  return PhiWebs(function, context).Run();
}

}  // namespace ptxmir
