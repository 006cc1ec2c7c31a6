// SPDX-License-Identifier: Apache-2.0

#include "analysis/frequency/machine_opt_remark_emitter.h"

#include <algorithm>

#include "analysis/frequency/machine_block_frequencies.h"
#include "ir/module.h"
#include "mir/code/function_ir.h"

namespace ptxmir {
namespace {

// Returns how often the profile saw the function entered: !prof !{!"function_entry_count", i64 N}.
std::optional<uint64_t> EntryCount(const MachineFunction& function) {
  const Module* module = function.module();
  const IrFunction* ir_function = FindIrFunction(function);
  const MetadataAttachment* profile = ir_function == nullptr ? nullptr : ir_function->FindMetadata("prof");
  if (profile == nullptr) return std::nullopt;
  const MetadataNode* node =
      profile->text.empty() ? module->metadata(profile->node) : module->ParseInlineMetadata(profile->text);
  if (node == nullptr || node->operands.size() < 2 || node->operands[0].text != "function_entry_count") {
    return std::nullopt;
  }
  const IrConstant* count = node->operands[1].constant;
  if (count == nullptr || !count->is_integer() || count->type->integer_width() > 64) return std::nullopt;
  // All ones means "not known".
  const uint64_t value = count->ZExtValue();
  return value == UINT64_MAX ? std::nullopt : std::optional<uint64_t>(value);
}

}  // namespace

MachineRemark::MachineRemark(RemarkKind kind, std::string_view pass, std::string_view name, MetadataId loc,
                             const MachineBasicBlock& block)
    : block_(&block) {
  const MachineFunction& function = block.function();
  remark_.kind = kind;
  remark_.pass = pass;
  remark_.name = name;
  remark_.function = function.name();
  if (std::optional<SourcePlace> place = ResolveDebugLocation(function, loc)) {
    remark_.location = std::move(place->code);
    remark_.calls = std::move(place->calls);
  }
}

MachineRemark::MachineRemark(RemarkKind kind, std::string_view pass, std::string_view name,
                             const MachineFunction& function)
    : block_(function.front()) {
  remark_.kind = kind;
  remark_.pass = pass;
  remark_.name = name;
  remark_.function = function.name();
  remark_.location = FunctionLocation(function);
}

MachineOptRemarkEmitter::MachineOptRemarkEmitter(const MachineFunction& function, AnalysisManager& analyses)
    : sink_(analyses.inputs().remarks) {
  if (sink_ != nullptr && !sink_->filter.listens()) sink_ = nullptr;
  if (sink_ == nullptr || !sink_->filter.wants_hotness()) return;
  entry_count_ = EntryCount(function);
  if (entry_count_.has_value()) frequencies_ = &analyses.Get<MachineBlockFrequencies>();
}

std::optional<uint64_t> MachineOptRemarkEmitter::Hotness(const MachineBasicBlock* block) const {
  if (frequencies_ == nullptr || block == nullptr) return std::nullopt;
  const uint64_t entry_frequency = frequencies_->EntryFrequency();
  if (entry_frequency == 0) return std::nullopt;
  // Rounded to the nearest, as in LLVM.
  using Wide = unsigned __int128;
  const Wide executions =
      (static_cast<Wide>(*entry_count_) * frequencies_->Frequency(*block) + entry_frequency / 2) / entry_frequency;
  return static_cast<uint64_t>(std::min<Wide>(executions, UINT64_MAX));
}

void MachineOptRemarkEmitter::EmitRemark(MachineRemark&& remark) {
  if (!sink_->filter.IsWanted(remark.remark_.kind, remark.remark_.pass)) return;
  remark.remark_.hotness = Hotness(remark.block_);
  if (!sink_->filter.IsHotEnough(remark.remark_)) return;
  sink_->remarks.push_back(std::move(remark.remark_));
}

void MachineOptRemarkEmitter::Print(std::string& out) const {
  out += sink_ == nullptr ? "  no one listens to remarks\n" : "  remarks are collected\n";
}

// It depends on the function only through machine-block-freq, which is compared by itself.
std::string MachineOptRemarkEmitter::DifferenceFrom(const Analysis&) const { return ""; }

}  // namespace ptxmir
