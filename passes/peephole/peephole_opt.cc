// SPDX-License-Identifier: Apache-2.0

#include "passes/peephole/peephole_opt.h"

#include <array>
#include <vector>

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

// The rules of one pass, and for each family of instructions the numbers of those that look at it.
struct RuleBook {
  std::vector<const PeepholeRule*> rules;
  std::array<std::vector<uint8_t>, ptx::kNumFamilies> by_family;

  explicit RuleBook(peephole::RulePass pass) {
    for (const auto table : kTables) {
      for (const PeepholeRule& rule : table()) {
        if ((rule.passes & pass) == 0) continue;
        const auto number = static_cast<uint8_t>(rules.size());
        rules.push_back(&rule);
        for (size_t family = 0; rule.families.empty() && family < by_family.size(); ++family) {
          by_family[family].push_back(number);
        }
        for (const ptx::Family family : rule.families) by_family[static_cast<size_t>(family)].push_back(number);
      }
    }
  }
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
        counts_(book_.rules.size()) {}

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
    for (const uint8_t number : book_.by_family[static_cast<size_t>(ptx::InstrInfo(instr.opcode()).family)]) {
      const PeepholeRule& rule = *book_.rules[number];
      if (rule.sources != peephole::kAnySource && (rule.sources & kinds) == 0) continue;
      if (!rule.apply(editor_, instr)) continue;
      ++counts_[number];
      ++num_rewrites_;
      editor_.EraseUnused();
      return;
    }
  }

  void Report() {
    for (size_t i = 0; i < counts_.size(); ++i) context_.AddStatistic(book_.rules[i]->name, counts_[i]);
    auto& remarks = context_.analyses.Get<MachineOptRemarkEmitter>();
    if (num_rewrites_ > 0) {
      remarks.Emit([&] {
        MachineRemark remark(RemarkKind::kPassed, context_.pass_name, "Rewritten", function_);
        remark << RemarkArg("NumRewrites", num_rewrites_) << " rewrites:";
        for (size_t i = 0; i < counts_.size(); ++i) {
          if (counts_[i] == 0) continue;
          remark << " " << RemarkArg("Rule", book_.rules[i]->name) << ": " << RemarkArg("Count", counts_[i]) << ";";
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
