// SPDX-License-Identifier: Apache-2.0

// machine-opt-remark-emitter: how passes report what they did, could not do, or found out (mir/text/remark.h).
//
//     context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
//       return MachineRemark(RemarkKind::kMissed, "machinelicm", "LoadWithLoopInvariantAddressInvalidated", instr)
//              << "failed to move load of " << RemarkArg("Size", size) << " bytes";
//     });
//
// The remark is made only if remarks are wanted; otherwise Emit is one branch. If hotness is requested, the
// emitter computes machine-block-freq first. It does not see changes to the blocks that a pass makes after it gets
// the emitter.

#ifndef PTXMIR_ANALYSIS_FREQUENCY_MACHINE_OPT_REMARK_EMITTER_H_
#define PTXMIR_ANALYSIS_FREQUENCY_MACHINE_OPT_REMARK_EMITTER_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/analysis_manager.h"
#include "mir/text/remark.h"
#include "options/remark_options.h"

namespace ptxmir {

class MachineBlockFrequencies;

// The destination of the remarks of one function. Functions that are compiled at the same time have one each.
struct RemarkSink {
  const RemarkFilter& filter;
  std::vector<Remark>& remarks;
};

// A named part of a remark's message, for tools.
struct RemarkArg : RemarkArgument {
  RemarkArg(std::string_view key, std::string_view value) : RemarkArgument{std::string(key), std::string(value), {}} {}
  RemarkArg(std::string_view key, const char* value) : RemarkArg(key, std::string_view(value)) {}
  template <std::integral Integer>
  RemarkArg(std::string_view key, Integer value) : RemarkArg(key, std::string_view(std::to_string(value))) {}
  // Adds the source location that the argument refers to.
  RemarkArg(std::string_view key, std::string_view value, const MachineInstr& at) : RemarkArg(key, value) {
    if (const auto place = ResolveDebugLocation(at.function(), at.debug_loc())) location = place->code;
  }
};

// A remark under construction.
class MachineRemark {
 public:
  MachineRemark(RemarkKind kind, std::string_view pass, std::string_view name, MetadataId loc,
                const MachineBasicBlock& block);
  // Creates a remark at the instruction, in its block.
  MachineRemark(RemarkKind kind, std::string_view pass, std::string_view name, const MachineInstr& instr)
      : MachineRemark(kind, pass, name, instr.debug_loc(), *instr.parent()) {}
  // Creates a remark about the whole function: at its beginning, and as hot as its entry.
  MachineRemark(RemarkKind kind, std::string_view pass, std::string_view name, const MachineFunction& function);

  MachineRemark& operator<<(std::string_view text) & { return *this << RemarkArg("String", text); }
  MachineRemark& operator<<(RemarkArgument argument) & {
    remark_.arguments.push_back(std::move(argument));
    return *this;
  }
  template <typename Part>
  MachineRemark&& operator<<(Part&& part) && {
    return std::move(*this << std::forward<Part>(part));
  }

 private:
  friend class MachineOptRemarkEmitter;

  Remark remark_;
  const MachineBasicBlock* block_;  // null: the function has no blocks
};

class MachineOptRemarkEmitter : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineOptRemarkEmitter;
  MachineOptRemarkEmitter(const MachineFunction& function, AnalysisManager& analyses);

  // Emits the remark that `make` returns, a MachineRemark. Does not call `make` if no one wants remarks.
  template <typename Make>
  void Emit(Make&& make) {
    if (sink_ == nullptr) [[likely]]
      return;
    EmitRemark(std::forward<Make>(make)());
  }
  // Returns true if the pass should do work that only serves its remarks.
  bool AllowsExtraAnalysis(std::string_view pass) const {
    return sink_ != nullptr && sink_->filter.AllowsExtraAnalysis(pass);
  }

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  void EmitRemark(MachineRemark&& remark);
  std::optional<uint64_t> Hotness(const MachineBasicBlock* block) const;

  RemarkSink* sink_;  // null if no one wants remarks
  // The source of hotness. Null if hotness was not requested or the profile does not have the function.
  const MachineBlockFrequencies* frequencies_ = nullptr;
  std::optional<uint64_t> entry_count_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_FREQUENCY_MACHINE_OPT_REMARK_EMITTER_H_
