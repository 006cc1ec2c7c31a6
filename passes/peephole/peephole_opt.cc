// SPDX-License-Identifier: Apache-2.0

#include "passes/peephole/peephole_opt.h"

#include <array>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "passes/addresses/address_offset_folding.h"
#include "passes/peephole/peephole_rule.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

using peephole::PeepholeEditor;
using peephole::PeepholeRule;

constexpr absl::Span<const PeepholeRule> (*kTables[])() = {
    peephole::ConstantRules,   peephole::ArithmeticRules, peephole::BitRules,       peephole::ByteRules,
    peephole::ConversionRules, peephole::SelectionRules,  peephole::PredicateRules, peephole::SpaceRules,
};

// The rules of one pass, and for each family of instructions those that look at it.
class RuleBook {
 public:
  struct Entry {
    uint8_t number;   // of the rule
    uint8_t sources;  // SourceKind: it needs one of these; 0: none
  };

  explicit RuleBook(peephole::RulePass pass) {
    for (const auto table : kTables) {
      for (const PeepholeRule& rule : table()) {
        if ((rule.passes & pass) != 0) rules_.push_back(&rule);
      }
    }
    for (const PeepholeRule* rule : rules_) {
      ForEachFamily(*rule, [&](size_t family) { ++first_[family + 1]; });
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    entries_.resize(first_.back());
    auto next = first_;
    for (size_t number = 0; number < rules_.size(); ++number) {
      const Entry entry = {static_cast<uint8_t>(number), rules_[number]->sources};
      ForEachFamily(*rules_[number], [&](size_t family) { entries_[next[family]++] = entry; });
    }
  }

  absl::Span<const PeepholeRule* const> rules() const { return rules_; }
  // Returns the rules for a family, in ascending order of their numbers.
  absl::Span<const Entry> RulesFor(ptx::Family family) const {
    const uint16_t* const first = &first_[static_cast<size_t>(family)];
    return absl::MakeConstSpan(entries_.data() + first[0], entries_.data() + first[1]);
  }

 private:
  template <typename Visit>
  static void ForEachFamily(const PeepholeRule& rule, Visit visit) {
    for (size_t family = 0; rule.families.empty() && family < ptx::kNumFamilies; ++family) visit(family);
    for (const ptx::Family family : rule.families) visit(static_cast<size_t>(family));
  }

  std::vector<const PeepholeRule*> rules_;
  std::vector<Entry> entries_;                              // of one family after the other
  std::array<uint16_t, ptx::kNumFamilies + 1> first_ = {};  // by family: index into `entries_`
};

const RuleBook& RulesOf(peephole::RulePass pass) {
  static const RuleBook* const stock = new RuleBook(peephole::kStock);
  static const RuleBook* const nvvm = new RuleBook(peephole::kNvvm);
  return pass == peephole::kStock ? *stock : *nvvm;
}

class PeepholeRun {
 public:
  PeepholeRun(MachineFunction& function, PassContext& context, peephole::RulePass pass)
      : function_(function),
        context_(context),
        book_(RulesOf(pass)),
        editor_(function, context),
        counts_(book_.rules().size()) {}

  PassResult Run() {
    PushAll();
    do {
      for (MachineInstr* instr = editor_.Pop(); instr != nullptr && num_rewrites_ < limit_; instr = editor_.Pop()) {
        Visit(*instr);
      }
    } while (editor_.EraseUnreachableBlocks());
    editor_.ClearStaleKillFlags();
    Report();
    const auto preserved =
        editor_.changed_control_flow() ? PreservedAnalyses::None() : PreservedAnalyses::ControlFlow();
    return {.changed = num_rewrites_ > 0, .preserved = preserved};
  }

 private:
  // The worklist is a stack. The first instruction of the function comes off first, so that definitions are simplified
  // before their uses.
  void PushAll() {
    size_t num_instrs = 0;
    for (MachineBasicBlock* block = function_.back(); block != nullptr; block = block->previous()) {
      for (MachineInstr* instr = block->back(); instr != nullptr; instr = instr->previous()) {
        if (instr->is_debug() || instr->is_phi()) continue;
        editor_.Push(*instr);
        ++num_instrs;
      }
    }
    // No function has come near it.
    limit_ = 1000 + 8 * num_instrs;
  }

  void Visit(MachineInstr& instr) {
    const uint8_t kinds = editor_.SourceKinds(instr);
    for (const RuleBook::Entry entry : book_.RulesFor(ptx::InstrInfo(instr.opcode()).family)) {
      if (entry.sources != peephole::kAnySource && (entry.sources & kinds) == 0) continue;
      if (!book_.rules()[entry.number]->apply(editor_, instr)) continue;
      ++counts_[entry.number];
      ++num_rewrites_;
      editor_.EraseUnused();
      return;
    }
  }

  void Report() {
    for (size_t i = 0; i < counts_.size(); ++i) context_.AddStatistic(book_.rules()[i]->name, counts_[i]);
    auto& remarks = context_.analyses.Get<MachineOptRemarkEmitter>();
    if (num_rewrites_ > 0) {
      remarks.Emit([&] {
        MachineRemark remark(RemarkKind::kPassed, context_.pass_name, "Rewritten", function_);
        remark << RemarkArg("NumRewrites", num_rewrites_) << " rewrites:";
        for (size_t i = 0; i < counts_.size(); ++i) {
          if (counts_[i] == 0) continue;
          remark << " " << RemarkArg("Rule", book_.rules()[i]->name) << ": " << RemarkArg("Count", counts_[i]) << ";";
        }
        return remark;
      });
    }
    if (editor_.num_unfused() > 0) {
      remarks.Emit([&] {
        return MachineRemark(RemarkKind::kMissed, context_.pass_name, "NotContracted", function_)
               << RemarkArg("NumSums", editor_.num_unfused())
               << " sums of products stay, because the flags of the input do not allow a fused operation";
      });
    }
  }

  MachineFunction& function_;
  PassContext& context_;
  const RuleBook& book_;
  PeepholeEditor editor_;
  std::vector<uint64_t> counts_;  // by rule
  uint64_t num_rewrites_ = 0;
  size_t limit_ = 0;
};

}  // namespace

PassResult RunPeepholeOpt(MachineFunction& function, PassContext& context) {
  PassResult result = PeepholeRun(function, context, peephole::kStock).Run();
  if (FoldAddressOffsets(function, context)) result.changed = true;
  return result;
}

PassResult RunNvvmPeepholeOptimizer(MachineFunction& function, PassContext& context) {
  return PeepholeRun(function, context, peephole::kNvvm).Run();
}

}  // namespace ptxmir
