// SPDX-License-Identifier: Apache-2.0

#include "analysis/frequency/spill_placement.h"

#include <algorithm>
#include <limits>

#include "analysis/frequency/machine_block_frequencies.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
// Bundles with more blocks than this come from large switches and the like. They start with a bias against the
// register, so that many of their blocks must want it before the region grows over them.
constexpr size_t kLargeBundle = 100;
constexpr uint32_t kUpdatesPerBundle = 10;

uint64_t Plus(uint64_t a, uint64_t b) { return a > kMax - b ? kMax : a + b; }

}  // namespace

SpillPlacement::SpillPlacement(MachineFunction& function, AnalysisManager& analyses)
    : function_(function), bundles_(analyses.Get<EdgeBundles>()) {
  const MachineBlockFrequencies& frequencies = analyses.Get<MachineBlockFrequencies>();
  std::vector<uint64_t> by_block(function.block_number_bound(), 0);
  for (const MachineBasicBlock& block : function) by_block[block.number()] = frequencies.Frequency(block);
  SetFrequencies(std::move(by_block));
  nodes_.resize(bundles_.num_bundles());
  is_active_.resize(bundles_.num_bundles(), false);
  is_in_work_.resize(bundles_.num_bundles(), false);
}

void SpillPlacement::SetFrequencies(std::vector<uint64_t> frequencies) {
  frequencies_ = std::move(frequencies);
  entry_frequency_ = function_.empty() ? 0 : frequencies_[function_.front()->number()];
  // Rounded. Small differences are not worth a change.
  threshold_ = std::max<uint64_t>(1, (entry_frequency_ >> 13) + (entry_frequency_ >> 12 & 1));
}

void SpillPlacement::Begin() {
  for (const uint32_t bundle : active_) is_active_[bundle] = false;
  for (const uint32_t bundle : work_) is_in_work_[bundle] = false;
  active_.clear();
  work_.clear();
  recent_positive_.clear();
}

void SpillPlacement::Push(uint32_t bundle) {
  if (is_in_work_[bundle]) return;
  is_in_work_[bundle] = true;
  work_.push_back(bundle);
}

void SpillPlacement::Activate(uint32_t bundle) {
  Push(bundle);
  if (is_active_[bundle]) return;
  is_active_[bundle] = true;
  active_.push_back(bundle);
  Node& node = nodes_[bundle];
  node.bias_register = 0;
  node.bias_spill = bundles_.Blocks(bundle).size() > kLargeBundle ? entry_frequency_ / 16 : 0;
  node.link_weights = threshold_;
  node.value = 0;
  node.links.clear();
}

void SpillPlacement::AddBias(uint32_t bundle, uint64_t frequency, Constraint direction) {
  if (direction == Constraint::kDontCare || direction == Constraint::kPrefBoth) return;
  Node& node = nodes_[bundle];
  switch (direction) {
    case Constraint::kPrefReg:
      node.bias_register = Plus(node.bias_register, frequency);
      return;
    case Constraint::kPrefSpill:
      node.bias_spill = Plus(node.bias_spill, frequency);
      return;
    case Constraint::kMustSpill:
      node.bias_spill = kMax;
      return;
    case Constraint::kDontCare:
    case Constraint::kPrefBoth:
      return;
  }
}

void SpillPlacement::AddConstraints(absl::Span<const BlockConstraint> blocks) {
  for (const BlockConstraint& constraint : blocks) {
    const uint64_t frequency = frequencies_[constraint.block];
    if (constraint.entry != Constraint::kDontCare) {
      Activate(bundles_.In(constraint.block));
      AddBias(bundles_.In(constraint.block), frequency, constraint.entry);
    }
    if (constraint.exit != Constraint::kDontCare) {
      Activate(bundles_.Out(constraint.block));
      AddBias(bundles_.Out(constraint.block), frequency, constraint.exit);
    }
  }
}

void SpillPlacement::AddPrefSpill(absl::Span<const BlockNumber> blocks, bool strong) {
  for (const BlockNumber block : blocks) {
    const uint64_t frequency = strong ? Plus(frequencies_[block], frequencies_[block]) : frequencies_[block];
    for (const uint32_t bundle : {bundles_.In(block), bundles_.Out(block)}) {
      Activate(bundle);
      AddBias(bundle, frequency, Constraint::kPrefSpill);
    }
  }
}

void SpillPlacement::AddLinks(absl::Span<const BlockNumber> blocks) {
  for (const BlockNumber block : blocks) {
    const uint32_t in = bundles_.In(block);
    const uint32_t out = bundles_.Out(block);
    if (in == out) continue;  // a loop of one block
    Activate(in);
    Activate(out);
    AddLink(in, out, frequencies_[block]);
    AddLink(out, in, frequencies_[block]);
  }
}

void SpillPlacement::AddLink(uint32_t bundle, uint32_t to, uint64_t weight) {
  Node& node = nodes_[bundle];
  node.link_weights = Plus(node.link_weights, weight);
  // Most bundles have few links. For the others, this loop is the price of having one link per neighbor.
  for (Link& link : node.links) {
    if (link.bundle != to) continue;
    link.weight = Plus(link.weight, weight);
    return;
  }
  node.links.push_back({to, weight});
}

int8_t SpillPlacement::ValueOf(const Node& node) const {
  uint64_t spill = node.bias_spill;
  uint64_t in_register = node.bias_register;
  for (const Link& link : node.links) {
    if (nodes_[link.bundle].value < 0) spill = Plus(spill, link.weight);
    if (nodes_[link.bundle].value > 0) in_register = Plus(in_register, link.weight);
  }
  if (spill >= Plus(in_register, threshold_)) return -1;
  return in_register >= Plus(spill, threshold_) ? 1 : 0;
}

// Updates a bundle. Returns true if it started or stopped to want the register.
bool SpillPlacement::Update(uint32_t bundle) {
  Node& node = nodes_[bundle];
  const bool before = node.value > 0;
  node.value = ValueOf(node);
  if (before == (node.value > 0)) return false;
  for (const Link& link : node.links) {
    if (nodes_[link.bundle].value != node.value) Push(link.bundle);
  }
  return true;
}

// Returns true if the bundle will not want the register, whatever its neighbors want.
bool SpillPlacement::MustSpill(const Node& node) const {
  return node.bias_spill >= Plus(node.bias_register, node.link_weights);
}

bool SpillPlacement::ScanActiveBundles() {
  recent_positive_.clear();
  std::vector<uint32_t> active = active_;
  std::sort(active.begin(), active.end());
  for (const uint32_t bundle : active) {
    Update(bundle);
    if (!MustSpill(nodes_[bundle]) && nodes_[bundle].value > 0) recent_positive_.push_back(bundle);
  }
  return !recent_positive_.empty();
}

void SpillPlacement::Iterate() {
  recent_positive_.clear();
  uint64_t left = uint64_t{kUpdatesPerBundle} * bundles_.num_bundles();
  while (!work_.empty() && left-- > 0) {
    const uint32_t bundle = work_.back();
    work_.pop_back();
    is_in_work_[bundle] = false;
    if (Update(bundle) && nodes_[bundle].value > 0) recent_positive_.push_back(bundle);
  }
}

// So far undecided neighbors counted for neither side. They will be on the stack.
void SpillPlacement::DropWhatDoesNotPay() {
  std::vector<uint32_t> work = active_;
  while (!work.empty()) {
    Node& node = nodes_[work.back()];
    work.pop_back();
    if (node.value <= 0) continue;
    uint64_t spill = node.bias_spill;
    uint64_t in_register = node.bias_register;
    for (const Link& link : node.links) {
      uint64_t& side = nodes_[link.bundle].value > 0 ? in_register : spill;
      side = Plus(side, link.weight);
    }
    if (spill <= in_register) continue;
    node.value = -1;
    for (const Link& link : node.links) work.push_back(link.bundle);
  }
}

// Drops bundles that only keep each other in the register, if the register costs more than it saves for the
// connected part as a whole.
void SpillPlacement::DropPartsThatDoNotPay() {
  std::vector<bool> seen(nodes_.size(), false);
  for (const uint32_t first : active_) {
    if (seen[first] || nodes_[first].value <= 0) continue;
    std::vector<uint32_t> part = {first};
    seen[first] = true;
    uint64_t in_register = 0;  // the cost of having the value on the stack
    uint64_t spill = 0;
    for (size_t i = 0; i < part.size(); ++i) {
      const Node& node = nodes_[part[i]];
      in_register = Plus(in_register, node.bias_register);
      spill = Plus(spill, node.bias_spill);
      for (const Link& link : node.links) {
        if (nodes_[link.bundle].value <= 0) {
          spill = Plus(spill, link.weight);
        } else if (!seen[link.bundle]) {
          seen[link.bundle] = true;
          part.push_back(link.bundle);
        }
      }
    }
    if (spill <= in_register) continue;
    for (const uint32_t bundle : part) nodes_[bundle].value = -1;
  }
}

bool SpillPlacement::Finish() {
  DropWhatDoesNotPay();
  DropPartsThatDoNotPay();
  const size_t touched = active_.size();
  std::erase_if(active_, [this](uint32_t bundle) {
    if (nodes_[bundle].value > 0) return false;
    is_active_[bundle] = false;
    return true;
  });
  return active_.size() == touched;
}

std::vector<uint32_t> SpillPlacement::RegisterBundles() const {
  std::vector<uint32_t> bundles;
  for (const uint32_t bundle : active_) {
    if (nodes_[bundle].value > 0) bundles.push_back(bundle);
  }
  std::sort(bundles.begin(), bundles.end());
  return bundles;
}

bool SpillPlacement::IsStable() const {
  return std::all_of(active_.begin(), active_.end(),
                     [this](uint32_t bundle) { return (nodes_[bundle].value > 0) == (ValueOf(nodes_[bundle]) > 0); });
}

void SpillPlacement::Print(std::string& out) const {
  StrAppend(&out, "Spill placement in machine function: ", function_.name(), ", threshold ", threshold_, "\n");
  for (const MachineBasicBlock& block : function_) {
    StrAppend(&out, "%bb.", block.number(), ": frequency ", frequencies_[block.number()], "\n");
  }
  for (const uint32_t bundle : RegisterBundles()) StrAppend(&out, "bundle ", bundle, ": register\n");
}

std::string SpillPlacement::DifferenceFrom(const Analysis& fresh) const {
  const SpillPlacement& other = static_cast<const SpillPlacement&>(fresh);
  return frequencies_ == other.frequencies_ ? "" : "block frequencies differ";
}

}  // namespace ptxmir
