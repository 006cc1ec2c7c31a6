// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/congruent_phis.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/control_flow/strong_components.h"
#include "mir/code/operand_ranges.h"
#include "passes/copies/copy_source.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// The number of operands that are read, for each operand of a PHI, before the search gives up.
constexpr uint64_t kMaxReads = 64;

// A partition of the PHIs of a function, which are called by their numbers.
class PhiClasses {
 public:
  PhiClasses(const MachineRegisterInfo& reg_info, const NumberedPhis& phis);

  // Splits classes until the members of each are equal. Returns false if that takes too long.
  bool Refine();

  // Calls visit(members) for each class of more than one PHI. Members are in layout order.
  template <typename Visit>
  void ForEachClass(Visit visit) const {
    for (const std::vector<uint32_t>& members : members_) {
      if (members.size() > 1) visit(absl::MakeConstSpan(members));
    }
  }

  bool may_have_equal() const { return !work_.empty(); }

 private:
  // The value of an operand: kPhi and a PHI, or in comparisons its class; otherwise the bits of a register.
  using Value = uint64_t;
  static constexpr Value kPhi = Value{1} << 32;
  static constexpr Value kUndefined = ~Value{0};
  static bool IsPhi(Value value) { return value >= kPhi && value != kUndefined; }

  bool AreAlike(uint32_t a, uint32_t b) const;
  void FindValues();
  void FindReaders();
  void SplitClass(uint32_t number);
  void Enqueue(uint32_t number);
  // Returns the value of the operand, which copies are looked through for.
  Value ValueOf(const MachineOperand& operand) const;
  absl::Span<const Value> ValuesOf(uint32_t phi) const {
    return absl::MakeConstSpan(values_).subspan(first_value_[phi], first_value_[phi + 1] - first_value_[phi]);
  }

  const MachineRegisterInfo& reg_info_;
  const NumberedPhis& phis_;
  std::vector<uint32_t> class_of_;  // by PHI
  std::vector<std::vector<uint32_t>> members_;
  // The values of the operands of each PHI, in rows.
  std::vector<uint32_t> first_value_;
  std::vector<Value> values_;
  RowGraph readers_;  // the PHIs that read each PHI
  // The classes whose members may differ.
  std::vector<uint32_t> work_;
  std::vector<bool> is_in_work_;
  // The values of the members of the class that is split, in rows.
  std::vector<Value> rows_;
};

// All PHIs of a block and a register class are in one class at first, if their operands are in the same order.
PhiClasses::PhiClasses(const MachineRegisterInfo& reg_info, const NumberedPhis& phis)
    : reg_info_(reg_info), phis_(phis), class_of_(phis.size()) {
  const MachineBasicBlock* block = nullptr;
  size_t first_of_block = 0;
  for (uint32_t phi = 0; phi < phis.size(); ++phi) {
    if (phis.IsErased(phi)) continue;
    if (phis.phi(phi).parent() != block) {
      block = phis.phi(phi).parent();
      first_of_block = members_.size();
    }
    const auto found =
        std::find_if(members_.begin() + static_cast<ptrdiff_t>(first_of_block), members_.end(),
                     [&](const std::vector<uint32_t>& members) { return AreAlike(members.front(), phi); });
    class_of_[phi] = static_cast<uint32_t>(found - members_.begin());
    if (found == members_.end()) members_.emplace_back();
    members_[class_of_[phi]].push_back(phi);
  }
  is_in_work_.resize(members_.size());
  for (uint32_t number = 0; number < members_.size(); ++number) Enqueue(number);
}

// Returns true if both have a register of the same class, and operands for the same predecessors in the same order.
bool PhiClasses::AreAlike(uint32_t a, uint32_t b) const {
  if (reg_info_.reg_class(phis_.ResultOf(a)) != reg_info_.reg_class(phis_.ResultOf(b))) return false;
  const auto as = PhiIncomings(phis_.phi(a)), bs = PhiIncomings(phis_.phi(b));
  return std::equal(as.begin(), as.end(), bs.begin(), bs.end(),
                    [](auto x, auto y) { return x.predecessor() == y.predecessor(); });
}

void PhiClasses::Enqueue(uint32_t number) {
  if (is_in_work_[number] || members_[number].size() < 2) return;
  is_in_work_[number] = true;
  work_.push_back(number);
}

PhiClasses::Value PhiClasses::ValueOf(const MachineOperand& operand) const {
  if (!operand.reads_reg()) return kUndefined;  // two undefined values may be the same
  Register reg = operand.reg();
  for (int i = 0; i < kMaxCopies; ++i) {
    const Register source = CopySource(reg_info_, reg);
    if (!source.is_valid()) break;
    reg = source;
  }
  const uint32_t phi = phis_.NumberOf(reg);
  return phi == NumberedPhis::kNone ? reg.bits() : kPhi + phi;
}

void PhiClasses::FindValues() {
  first_value_.push_back(0);
  for (uint32_t phi = 0; phi < phis_.size(); ++phi) {
    if (!phis_.IsErased(phi)) {
      for (const PhiIncoming incoming : PhiIncomings(std::as_const(phis_.phi(phi)))) {
        values_.push_back(ValueOf(incoming.value()));
      }
    }
    first_value_.push_back(static_cast<uint32_t>(values_.size()));
  }
}

void PhiClasses::FindReaders() {
  readers_.first_edge.assign(phis_.size() + 1, 0);
  for (const Value value : values_) {
    if (IsPhi(value)) ++readers_.first_edge[value - kPhi + 1];
  }
  for (uint32_t phi = 0; phi < phis_.size(); ++phi) readers_.first_edge[phi + 1] += readers_.first_edge[phi];
  readers_.targets.resize(readers_.first_edge.back());
  std::vector<uint32_t> next(readers_.first_edge);
  for (uint32_t reader = 0; reader < phis_.size(); ++reader) {
    for (const Value value : ValuesOf(reader)) {
      if (IsPhi(value)) readers_.targets[next[value - kPhi]++] = reader;
    }
  }
}

bool PhiClasses::Refine() {
  FindValues();
  FindReaders();
  uint64_t num_reads_left = 0;
  for (uint32_t phi = 0; phi < phis_.size(); ++phi) {
    if (!phis_.IsErased(phi)) num_reads_left += kMaxReads * phis_.phi(phi).num_operands() / 2;
  }
  while (!work_.empty()) {
    const uint32_t number = work_.back();
    work_.pop_back();
    is_in_work_[number] = false;
    const uint64_t reads = members_[number].size() * ValuesOf(members_[number].front()).size();
    if (reads > num_reads_left) return false;
    num_reads_left -= reads;
    SplitClass(number);
  }
  return true;
}

void PhiClasses::SplitClass(uint32_t number) {
  std::vector<uint32_t> members = std::move(members_[number]);
  const size_t width = ValuesOf(members.front()).size();
  rows_.clear();
  for (const uint32_t member : members) {
    for (const Value value : ValuesOf(member)) rows_.push_back(IsPhi(value) ? kPhi + class_of_[value - kPhi] : value);
  }
  // Members are in layout order, which the sort keeps within each part.
  std::vector<uint32_t> order(members.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto row = [&](uint32_t i) { return absl::MakeConstSpan(rows_).subspan(size_t{i} * width, width); };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return row(a) < row(b); });
  std::vector<std::vector<uint32_t>> parts;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || row(order[i - 1]) != row(order[i])) parts.emplace_back();
    parts.back().push_back(members[order[i]]);
  }
  const auto largest =
      std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  members_[number] = std::move(*largest);
  parts.erase(largest);
  for (std::vector<uint32_t>& part : parts) {
    const auto new_number = static_cast<uint32_t>(members_.size());
    for (const uint32_t member : part) class_of_[member] = new_number;
    members_.push_back(std::move(part));
  }
  is_in_work_.resize(members_.size());
  for (size_t i = members_.size() - parts.size(); i < members_.size(); ++i) {
    for (const uint32_t member : members_[i]) {
      for (uint32_t j = readers_.first_edge[member]; j < readers_.first_edge[member + 1]; ++j) {
        Enqueue(class_of_[readers_.targets[j]]);
      }
    }
  }
}

}  // namespace

uint64_t MergeCongruentPhis(MachineRegisterInfo& reg_info, NumberedPhis& phis) {
  PhiClasses classes(reg_info, phis);
  if (!classes.may_have_equal() || !classes.Refine()) return 0;
  std::vector<Register> extended;
  uint64_t num_merged = 0;
  classes.ForEachClass([&](absl::Span<const uint32_t> members) {
    const Register kept = phis.ResultOf(members.front());
    for (const uint32_t member : members.subspan(1)) {
      const Register result = phis.ResultOf(member);
      phis.Erase(member);
      reg_info.ReplaceRegister(result, kept);
      ++num_merged;
    }
    extended.push_back(kept);
  });
  ClearKillFlags(reg_info, std::move(extended));
  return num_merged;
}

}  // namespace ptxmir
