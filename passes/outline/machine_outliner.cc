// SPDX-License-Identifier: Apache-2.0

#include "passes/outline/machine_outliner.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "mir/code/function_ir.h"
#include "passes/outline/outline_editor.h"
#include "passes/outline/outline_plan.h"
#include "passes/outline/outline_text.h"
#include "passes/outline/repeated_sequences.h"

namespace ptxmir {
namespace {

constexpr uint32_t kMinLength = 2;
constexpr uint32_t kMaxLength = 128;
// The search ends after this many instructions were looked at for each instruction of the module. Only a module that
// repeats few instructions over and over comes near it.
constexpr uint64_t kMaxWork = 500;

bool MayBeOutlined(const MachineFunction& function) {
  const IrFunction* const ir_function = FindIrFunction(function);
  if (ir_function == nullptr || function.HasProperty(FunctionProperty::kIsOutlined)) return false;
  switch (ir_function->linkage) {
    case Linkage::kExternal:
    case Linkage::kInternal:
    case Linkage::kPrivate:
      return !function.module()->HasFunctionAttribute(*ir_function, "nooutline");
    default:
      return false;
  }
}

class Outliner {
 public:
  explicit Outliner(ModulePassContext& context)
      : context_(context),
        text_(context.module),
        planner_(text_, context.knobs.enable_machine_outliner() == MachineOutlinerMode::kGuaranteedBeneficial),
        editor_(context.module, text_, planner_),
        min_benefit_(std::max(context.knobs.outliner_benefit_threshold(), 1)) {}

  void Run() {
    for (ModulePassMember& member : context_.members) {
      if (!MayBeOutlined(member.function)) continue;
      text_.Add(member.function, member.context.analyses);
      member_of_.emplace(&member.function, &member);
    }
    FindPlans();
    // The largest benefit comes first. Among equals, the order is that of the module.
    std::stable_sort(plans_.begin(), plans_.end(), [](const OutlinePlan& a, const OutlinePlan& b) {
      return std::pair(-a.benefit, a.positions.front()) < std::pair(-b.benefit, b.positions.front());
    });
    is_outlined_.resize(text_.numbers().size());
    for (OutlinePlan& plan : plans_) Outline(plan);
  }

 private:
  void FindPlans() {
    uint64_t work = 0;
    const uint64_t max_work = kMaxWork * text_.numbers().size();
    ForEachRepeatedSequence(text_.numbers(), kMinLength, kMaxLength,
                            [&](uint32_t length, absl::Span<const uint32_t> positions) {
                              work += positions.size() + length;
                              if (work > max_work) return;
                              work += std::min<uint64_t>(positions.size() * length, text_.numbers().size());
                              planner_.Plan(positions, length, min_benefit_, plans_);
                            });
  }

  void Outline(OutlinePlan& plan) {
    std::erase_if(plan.positions, [&](uint32_t position) {
      const auto begin = is_outlined_.begin() + position;
      return std::find(begin, begin + plan.length, true) != begin + plan.length;
    });
    if (!planner_.Replan(plan) || plan.benefit < min_benefit_) return;
    OwnedMachineFunction outlined =
        editor_.MakeFunction(plan, context_.next_function_number + static_cast<uint32_t>(context_.created.size()));
    Report(plan, *outlined);
    for (const uint32_t position : plan.positions) {
      std::fill_n(is_outlined_.begin() + position, plan.length, true);
      member_of_[&text_.instr(position)->function()]->result.changed = true;
      editor_.ReplaceByCall(plan, position, *outlined);
    }
    context_.created.push_back(std::move(outlined));
  }

  void Report(const OutlinePlan& plan, const MachineFunction& outlined) {
    const MachineInstr& first = *text_.instr(plan.positions.front());
    PassContext& context = member_of_[&first.function()]->context;
    context.AddStatistic("functions created", 1);
    context.AddStatistic("sequences replaced by calls", plan.positions.size());
    context.AddStatistic("instructions outlined", plan.positions.size() * plan.length);
    context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context.pass_name, "OutlinedFunction", first)
             << "saved " << RemarkArg("OutliningBenefit", plan.benefit) << " bytes by outlining "
             << RemarkArg("Length", plan.length) << " instructions from "
             << RemarkArg("NumOccurrences", plan.positions.size()) << " locations to '"
             << RemarkArg("Function", outlined.name()) << "', with " << RemarkArg("Parameters", plan.parameters.size())
             << " parameters and " << RemarkArg("Results", plan.results.size()) << " results";
    });
  }

  ModulePassContext& context_;
  OutlineText text_;
  OutlinePlanner planner_;
  OutlineEditor editor_;
  const int64_t min_benefit_;  // in bytes
  absl::flat_hash_map<const MachineFunction*, ModulePassMember*> member_of_;
  std::vector<OutlinePlan> plans_;
  std::vector<bool> is_outlined_;  // by position
};

}  // namespace

void RunMachineOutliner(ModulePassContext& context) { Outliner(context).Run(); }

}  // namespace ptxmir
