// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_sets.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/str_cat.h"
#include "passes/pipeline/standard_pipeline.h"

namespace ptxmir {
namespace {

constexpr std::string_view kTuningSets[] = {
    "default:",
    // Each pass that does not pay everywhere, left out.
    "no-merge: -induction-merge=false",
    "no-sink: -pressure-sink=false",
    "no-remat: -nv-disable-remat",
    "no-webs: -usedessa=1 -join-liveintervals=false",
    "no-cse: -disable-machine-cse",
    "no-peephole: -disable-peephole -enable-nvvm-peephole=false",
    "no-vectors: -load-store-vectorizer=false",
    "no-ranges: -narrow-integers=false -nvptx-trunc-opts=false",
    // Rematerialization with cicc's register targets, as cicc does it, and only of short chains.
    "remat-70: -nv-remat-default-max-reg=70",
    "remat-48: -nv-remat-default-max-reg=48",
    "remat-cicc: -nv-remat-measured=false",
    "remat-short: -nv-remat-block-map-size-limit=6",
    "scheduled: -nvptx-sched4reg",
    "cse: -mcse-raise-pressure",
    "sink: -nvptx-enable-machine-sink",
    "as-ordered: -enable-misched=false",
    // Loads as far ahead of their uses as registers allow, within an iteration of a loop or across iterations.
    "latency: -sched-latency",
    "pipelined: -enable-pipeliner",
    // Blocks in their original order.
    "as-laid-out: -disable-branch-fold -disable-block-placement",
    // The same passes as in llc.
    "as-llc: -induction-merge=false -pressure-sink=false -nv-disable-remat -enable-misched=false -nv-disable-mem2reg "
    "-enable-mlicm -rp-aware-mcse=false -nvptx-enable-machine-sink -honor-optnone "
    "-disable-peephole -enable-nvvm-peephole=false -narrow-integers=false -nvptx-trunc-opts=false "
    "-load-store-vectorizer=false -ldgxform=false -param-opt=false -infer-address-spaces=false -disable-early-taildup "
    "-disable-postra-machine-sink -machine-latecleanup=false",
    // Allows up to 16% and 40% more executed instructions.
    "remat-more: -nv-remat-max-growth=16",
    "remat-more-sink: -nv-remat-max-growth=16 -nvptx-enable-machine-sink",
    "remat-most: -nv-remat-max-growth=40",
    // Merges addresses at the cost of registers in the loop, and repeats loads less.
    "merge-more: -induction-merge-min-gain=-4 -induction-merge-min-pressure=0 -nv-remat-block-load-cost=40",
    // Spills everything that exceeds the budget, or only where the excess is large.
    "spill: -ra-spill=always",
    "spill-much: -ra-spill-excess=190",
};

// Of these sets, the ones that gained the most where the model of ptxas chose (docs/ptxas-model.md).
constexpr std::string_view kModelSets[] = {"remat-more-sink", "remat-most"};

absl::Status CheckFlag(std::string_view set, std::string_view flag) {
  const std::string_view bare = flag.substr(std::min<size_t>(flag.find_first_not_of('-'), flag.size()));
  const KnobInfo* knob = FindKnob(bare.substr(0, bare.find('=')));
  if (!flag.starts_with('-') || knob == nullptr) {
    return absl::InvalidArgumentError(StrCat("option set '", set, "': '", flag, "' is not a knob"));
  }
  if (knob->scope != KnobScope::kFunction) {
    return absl::InvalidArgumentError(StrCat("option set '", set, "': '", flag, "' is a knob of whole modules"));
  }
  Knobs knobs;
  return knobs.ParseFlag(bare).status();
}

}  // namespace

Knobs OptionSet::Apply(const Knobs& base) const {
  Knobs knobs = base;
  for (const std::string& flag : flags) {
    const absl::StatusOr<bool> set = knobs.ParseFlag(flag.substr(flag.find_first_not_of('-')));
    assert(set.ok() && *set && "flags of option sets are checked when they are made");
    static_cast<void>(set);
  }
  return knobs;
}

absl::StatusOr<OptionSet> ParseOptionSet(std::string_view text) {
  const size_t colon = text.find(':');
  OptionSet set;
  set.name = std::string(absl::StripAsciiWhitespace(ToAbsl(text.substr(0, colon))));
  if (colon == std::string_view::npos || set.name.empty()) {
    return absl::InvalidArgumentError(StrCat("option set '", text, "': expected 'name: -flag -flag'"));
  }
  set.flags = absl::StrSplit(ToAbsl(text.substr(colon + 1)), ' ', absl::SkipEmpty());
  for (const std::string& flag : set.flags) {
    if (absl::Status status = CheckFlag(set.name, flag); !status.ok()) return status;
  }
  return set;
}

namespace {

OptionSet ParseKnownSet(std::string_view text) {
  absl::StatusOr<OptionSet> set = ParseOptionSet(text);
  assert(set.ok() && "the table of option sets names what is no knob");
  return *std::move(set);
}

}  // namespace

std::vector<OptionSet> TuningOptionSets() {
  std::vector<OptionSet> sets;
  sets.reserve(std::size(kTuningSets) + 1);
  for (const std::string_view text : kTuningSets) {
    sets.push_back(ParseKnownSet(text));
    if (sets.size() == 1) sets.push_back({.name = "nothing", .flags = FlagsForLeastWork()});
  }
  return sets;
}

std::vector<OptionSet> ModelOptionSets() {
  std::vector<OptionSet> sets;
  for (const std::string_view text : kTuningSets) {
    const std::string_view name = text.substr(0, text.find(':'));
    const bool is_one = std::find(std::begin(kModelSets), std::end(kModelSets), name) != std::end(kModelSets);
    if (is_one) sets.push_back(ParseKnownSet(text));
  }
  return sets;
}

std::string OptionSetText(absl::Span<const OptionSet> sets) {
  std::string text;
  for (const OptionSet& set : sets)
    StrAppend(&text, set.name, ":", set.flags.empty() ? "" : " ", absl::StrJoin(set.flags, " "), "\n");
  return text;
}

}  // namespace ptxmir
