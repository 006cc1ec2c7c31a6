#include "analysis/machine_opt_remark_emitter.h"

namespace ptxmir {

MachineRemark::MachineRemark(RemarkKind kind, std::string_view pass, std::string_view name, MetadataId loc,
                             const MachineBasicBlock& block)
    : block_(&block) {
  const MachineFunction& function = block.function();
  remark_.kind = kind;
  remark_.pass = pass;
  remark_.name = name;
  remark_.function = function.name();
  remark_.location = ResolveDebugLocation(function, loc);
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

MachineOptRemarkEmitter::MachineOptRemarkEmitter(const MachineFunction&, AnalysisManager& analyses)
    : sink_(analyses.inputs().remarks) {
  if (sink_ != nullptr && !sink_->filter.listens()) sink_ = nullptr;
}

void MachineOptRemarkEmitter::EmitRemark(MachineRemark&& remark) {
  if (!sink_->filter.IsWanted(remark.remark_.kind, remark.remark_.pass)) return;
  if (!sink_->filter.IsHotEnough(remark.remark_)) return;
  sink_->remarks.push_back(std::move(remark.remark_));
}

void MachineOptRemarkEmitter::Print(std::string& out) const {
  out += sink_ == nullptr ? "  nobody listens to remarks\n" : "  remarks are collected\n";
}

// It holds nothing of the function.
std::string MachineOptRemarkEmitter::DifferenceFrom(const Analysis&) const { return ""; }

}  // namespace ptxmir
