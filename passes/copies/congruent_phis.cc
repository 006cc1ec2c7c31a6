// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/congruent_phis.h"

#include <algorithm>
#include <vector>

#include "absl/types/span.h"
#include "passes/copies/copy_source.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

constexpr uint32_t kNoPhi = ~uint32_t{0};
// The number of operands that are read, for each operand of a PHI, before the search gives up.
constexpr uint64_t kMaxReads = 64;

// A partition of the PHIs of a function, which are called by their numbers in layout order.
class PhiClasses {
 public:
  explicit PhiClasses(MachineFunction& function) : reg_info_(function.reg_info()) {
    for (MachineBasicBlock& block : function) AddPhisOf(block);
  }

  // Splits classes until the members of each are equal. Returns false if that takes too long.
  bool Refine();

  // Calls visit(members) for each class of more than one PHI, in layout order.
  template <typename Visit>
  void ForEachClass(Visit visit) const {
    for (const std::vector<uint32_t>& members : members_) {
      if (members.size() > 1) visit(absl::MakeConstSpan(members));
    }
  }

  MachineInstr& phi(uint32_t number) const { return *phis_[number]; }
  bool may_have_equal() const { return !work_.empty(); }

 private:
  // The value of an operand: a class of PHIs or a register.
  using Value = uint64_t;

  void AddPhisOf(MachineBasicBlock& block);
  void FindReaders();
  void SplitClass(uint32_t number);
  void Enqueue(uint32_t number);
  Value ValueOf(const MachineOperand& operand) const;
  // Returns the register that the operand has its value from.
  Register SourceOf(const MachineOperand& operand) const;
  uint32_t PhiOf(Register reg) const {
    return reg.is_virtual() && reg.virtual_index() < phi_of_.size() ? phi_of_[reg.virtual_index()] : kNoPhi;
  }

  const MachineRegisterInfo& reg_info_;
  std::vector<MachineInstr*> phis_;
  std::vector<uint32_t> class_of_;  // by PHI
  std::vector<std::vector<uint32_t>> members_;
  std::vector<uint32_t> phi_of_;  // by virtual register; empty until there are classes to split
  // The PHIs that read each PHI, in rows.
  std::vector<uint32_t> first_reader_, readers_;
  // The classes whose members may differ.
  std::vector<uint32_t> work_;
  std::vector<bool> is_in_work_;
  uint64_t num_reads_left_ = 0;
  // The values of the members of the class that is split, in rows.
  std::vector<Value> values_;
};

// Returns true if the operands of both are for the same predecessors in the same order.
bool HaveSamePredecessors(const MachineInstr& a, const MachineInstr& b) {
  if (a.num_operands() != b.num_operands()) return false;
  for (unsigned i = 2; i < a.num_operands(); i += 2) {
    if (a.operand(i).block() != b.operand(i).block()) return false;
  }
  return true;
}

void PhiClasses::AddPhisOf(MachineBasicBlock& block) {
  const auto first_class = static_cast<uint32_t>(members_.size());
  for (MachineInstr* phi = block.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
    const auto is_like = [&](const std::vector<uint32_t>& members) {
      const MachineInstr& other = *phis_[members.front()];
      return reg_info_.reg_class(other.operand(0).reg()) == reg_info_.reg_class(phi->operand(0).reg()) &&
             HaveSamePredecessors(other, *phi);
    };
    const auto found = std::find_if(members_.begin() + first_class, members_.end(), is_like);
    const auto number = static_cast<uint32_t>(found - members_.begin());
    if (found == members_.end()) members_.emplace_back();
    members_[number].push_back(static_cast<uint32_t>(phis_.size()));
    class_of_.push_back(number);
    phis_.push_back(phi);
    num_reads_left_ += kMaxReads * phi->num_operands() / 2;
  }
  is_in_work_.resize(members_.size());
  for (uint32_t number = first_class; number < members_.size(); ++number) Enqueue(number);
}

void PhiClasses::Enqueue(uint32_t number) {
  if (is_in_work_[number] || members_[number].size() < 2) return;
  is_in_work_[number] = true;
  work_.push_back(number);
}

Register PhiClasses::SourceOf(const MachineOperand& operand) const {
  Register reg = operand.reg();
  for (int i = 0; i < kMaxCopies; ++i) {
    const Register source = CopySource(reg_info_, reg);
    if (!source.is_valid()) break;
    reg = source;
  }
  return reg;
}

PhiClasses::Value PhiClasses::ValueOf(const MachineOperand& operand) const {
  if (!operand.reads_reg()) return ~Value{0};  // two undefined values may be the same
  const Register reg = SourceOf(operand);
  const uint32_t phi = PhiOf(reg);
  return phi == kNoPhi ? reg.bits() : (Value{1} << 32) + class_of_[phi];
}

void PhiClasses::FindReaders() {
  phi_of_.assign(reg_info_.num_virtual_registers(), kNoPhi);
  for (uint32_t i = 0; i < phis_.size(); ++i) phi_of_[phis_[i]->operand(0).reg().virtual_index()] = i;
  const auto for_each_read = [&](auto visit) {
    for (uint32_t reader = 0; reader < phis_.size(); ++reader) {
      for (unsigned i = 1; i + 1 < phis_[reader]->num_operands(); i += 2) {
        const uint32_t phi = PhiOf(SourceOf(phis_[reader]->operand(i)));
        if (phi != kNoPhi) visit(phi, reader);
      }
    }
  };
  first_reader_.assign(phis_.size() + 1, 0);
  for_each_read([&](uint32_t phi, uint32_t) { ++first_reader_[phi + 1]; });
  for (uint32_t i = 0; i < phis_.size(); ++i) first_reader_[i + 1] += first_reader_[i];
  readers_.resize(first_reader_.back());
  std::vector<uint32_t> next(first_reader_);
  for_each_read([&](uint32_t phi, uint32_t reader) { readers_[next[phi]++] = reader; });
}

bool PhiClasses::Refine() {
  FindReaders();
  while (!work_.empty()) {
    const uint32_t number = work_.back();
    work_.pop_back();
    is_in_work_[number] = false;
    const uint64_t reads = members_[number].size() * (phis_[members_[number].front()]->num_operands() / 2);
    if (reads > num_reads_left_) return false;
    num_reads_left_ -= reads;
    SplitClass(number);
  }
  return true;
}

void PhiClasses::SplitClass(uint32_t number) {
  std::vector<uint32_t> members = std::move(members_[number]);
  const unsigned width = phis_[members.front()]->num_operands() / 2;
  values_.clear();
  for (const uint32_t member : members) {
    for (unsigned i = 0; i < width; ++i) values_.push_back(ValueOf(phis_[member]->operand(1 + 2 * i)));
  }
  // Members are in layout order, which the sort keeps within each part.
  std::vector<uint32_t> order(members.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto row = [&](uint32_t i) { return absl::MakeConstSpan(values_).subspan(size_t{i} * width, width); };
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
      for (uint32_t j = first_reader_[member]; j < first_reader_[member + 1]; ++j) Enqueue(class_of_[readers_[j]]);
    }
  }
}

}  // namespace

uint64_t MergeCongruentPhis(MachineFunction& function) {
  PhiClasses classes(function);
  if (!classes.may_have_equal() || !classes.Refine()) return 0;
  MachineRegisterInfo& reg_info = function.reg_info();
  std::vector<Register> extended;
  uint64_t num_merged = 0;
  classes.ForEachClass([&](absl::Span<const uint32_t> members) {
    const Register kept = classes.phi(members.front()).operand(0).reg();
    for (const uint32_t member : members.subspan(1)) {
      const Register result = classes.phi(member).operand(0).reg();
      classes.phi(member).EraseFromParent();
      reg_info.ReplaceRegister(result, kept);
      ++num_merged;
    }
    extended.push_back(kept);
  });
  ClearKillFlags(reg_info, std::move(extended));
  return num_merged;
}

}  // namespace ptxmir
