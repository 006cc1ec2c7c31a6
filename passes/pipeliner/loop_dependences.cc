// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeliner/loop_dependences.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "mir/code/operand_ranges.h"
#include "passes/addresses/loop_addresses.h"
#include "passes/schedule/dag/memory_edges.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using Form = AddressForms::Form;
using Term = AddressForms::Term;

constexpr uint64_t kMinusOne = ~uint64_t{0};

// An address that advances by `step` bytes in each iteration. It is the sum of `form` and of `step` times the number of
// the iteration. In `form`, a PHI of the loop stands for its value in the first iteration.
struct SteadyAddress {
  Form form;
  int64_t step = 0;
};

struct LoopAccess : ScheduledAccess {
  std::optional<SteadyAddress> address;
};

class CarriedDependences {
 public:
  CarriedDependences(const LoopBody& body, const MemoryDependence& memory, const ptx::MachineModel& model,
                     AddressForms& forms)
      : body_(body), memory_(memory), model_(model), reg_info_(body.block->function().reg_info()), forms_(forms) {}

  std::vector<ScheduleDependence> Find() {
    for (uint32_t node = 0; node < body_.instrs.size(); ++node) AddRegisterDependences(node);
    CollectAccesses();
    for (const LoopAccess& first : accesses_) {
      for (const LoopAccess& second : accesses_) {
        if (first.writes || second.writes) AddMemoryDependence(first, second);
      }
    }
    return std::move(dependences_);
  }

 private:
  void AddRegisterDependences(uint32_t node) {
    for (const MachineOperand& read : VirtualReads(*body_.instrs[node])) {
      const LoopValue value = body_.ValueOf(read.reg());
      if (value.node == LoopValue::kNoNode || value.distance() == 0) continue;
      dependences_.push_back({.from = value.node,
                              .to = node,
                              .latency = static_cast<uint16_t>(model_.CostOf(*body_.instrs[value.node]).latency),
                              .distance = static_cast<uint16_t>(value.distance()),
                              .kind = DependenceKind::kData});
    }
  }

  void CollectAccesses() {
    for (uint32_t node = 0; node < body_.instrs.size(); ++node) {
      const MachineInstr& instr = *body_.instrs[node];
      const std::optional<ScheduledAccess> found = AccessOf(instr, node, memory_);
      if (!found.has_value()) continue;
      LoopAccess access = {*found, /*address=*/std::nullopt};
      if (access.is_plain) access.address = SteadyAddressOf(instr, ptx::InstrInfo(instr.opcode()).address);
      accesses_.push_back(std::move(access));
    }
  }

  // ---- Addresses

  bool IsDefinedInLoop(Register reg) const { return body_.values.contains(reg); }

  // Returns the amount by which a PHI grows in each iteration, extended to 64 bits as the leaf says.
  std::optional<int64_t> StepOf(const AddressForms::Leaf leaf) {
    const auto found = body_.values.find(leaf.reg);
    if (found == body_.values.end() || found->second.distance() != 1) return std::nullopt;
    const Register next = found->second.reg;
    if (leaf.extension == AddressForms::Extension::kNone) {
      if (reg_info_.reg_class(next) != ptx::reg_class::kB64) return std::nullopt;
      Form step = forms_.Of(next);
      if (!AddressForms::AddTo(step, forms_.Of(leaf.reg), kMinusOne) || !step.terms.empty()) return std::nullopt;
      return static_cast<int64_t>(step.constant);
    }
    return NarrowStepOf(leaf, next);
  }

  // The same for a PHI of 32 bits. The extension of a sum is the sum of the extensions only if the sum does not wrap.
  std::optional<int64_t> NarrowStepOf(const AddressForms::Leaf& leaf, Register next) const {
    const MachineInstr* const add = reg_info_.UniqueDef(next);
    if (add == nullptr || add->num_operands() != 3) return std::nullopt;
    if (ptx::InstrInfo(add->opcode()).semantics != ptx::SemanticTag::kAddS32) return std::nullopt;
    if (!add->operand(1).is_reg() || add->operand(1).reg() != leaf.reg || !add->operand(2).is_imm())
      return std::nullopt;
    const bool is_signed = leaf.extension == AddressForms::Extension::kSigned;
    if (!add->has_flag(is_signed ? MachineInstr::kNoSWrap : MachineInstr::kNoUWrap)) return std::nullopt;
    return is_signed ? add->operand(2).imm() : static_cast<int64_t>(static_cast<uint32_t>(add->operand(2).imm()));
  }

  std::optional<SteadyAddress> SteadyAddressOf(const MachineInstr& instr, unsigned operand) {
    if (!IsAddress(instr, operand)) return std::nullopt;
    SteadyAddress address = {.form = forms_.Of(instr.operand(operand).reg())};
    address.form.constant += static_cast<uint64_t>(instr.operand(operand + 1).imm());
    for (const Term& term : address.form.terms) {
      // A copy, because the table of monomials grows when the step of a leaf is computed.
      const AddressForms::Monomial monomial = forms_.monomial(term.monomial);
      const bool is_product = monomial[AddressForms::kMaxDegree - 2] != 0;
      for (const AddressForms::LeafId id : monomial) {
        if (id == 0 || !IsDefinedInLoop(forms_.leaf(id).reg)) continue;
        const std::optional<int64_t> step = is_product ? std::nullopt : StepOf(forms_.leaf(id));
        if (!step.has_value()) return std::nullopt;
        address.step += static_cast<int64_t>(term.coefficient) * *step;
      }
    }
    return address;
  }

  // ---- Dependences between accesses

  // Returns the distance in bytes from the first access to the second one in the same iteration, if it is constant.
  std::optional<int64_t> BytesBetween(const LoopAccess& first, const LoopAccess& second) {
    if (!first.address.has_value() || !second.address.has_value()) return std::nullopt;
    if (first.address->step != second.address->step || first.memory.size == 0 || second.memory.size == 0) {
      return std::nullopt;
    }
    Form difference = second.address->form;
    if (!AddressForms::AddTo(difference, first.address->form, kMinusOne) || !difference.terms.empty()) {
      return std::nullopt;
    }
    return static_cast<int64_t>(difference.constant);
  }

  // Returns the least number of iterations after which the second access touches memory of the first one, at least 1.
  // 0: it never does.
  static uint32_t IterationsUntilOverlap(int64_t bytes, int64_t step, int64_t first_size, int64_t second_size) {
    // Overlap after k iterations: -second_size < bytes + k * step < first_size.
    if (step < 0) return IterationsUntilOverlap(-bytes, -step, second_size, first_size);
    if (step == 0) return bytes > -second_size && bytes < first_size ? 1 : 0;
    // The first k for which bytes + k * step > -second_size.
    const int64_t k = std::max<int64_t>(1, bytes + second_size > 0 ? 1 : -(bytes + second_size) / step + 1);
    // No schedule overlaps that many iterations.
    if (k > std::numeric_limits<uint16_t>::max()) return 0;
    return bytes + k * step < first_size ? static_cast<uint32_t>(k) : 0;
  }

  // Adds the dependence of `second` in a later iteration on `first`.
  void AddMemoryDependence(const LoopAccess& first, const LoopAccess& second) {
    uint32_t distance = 1;
    constexpr int64_t kFar = int64_t{1} << 40;
    const std::optional<int64_t> bytes = BytesBetween(first, second);
    if (bytes.has_value() && std::abs(*bytes) < kFar && std::abs(first.address->step) < kFar) {
      distance = IterationsUntilOverlap(*bytes, first.address->step, static_cast<int64_t>(first.memory.size),
                                        static_cast<int64_t>(second.memory.size));
    } else if (first.is_plain && second.is_plain &&
               memory_.Alias(first.memory, second.memory, /*may_be_other_iteration=*/true) == AliasResult::kNoAlias) {
      distance = 0;
    }
    if (distance == 0 || (first.node == second.node && distance == 1)) return;
    dependences_.push_back({.from = first.node,
                            .to = second.node,
                            .latency = 1,
                            .distance = static_cast<uint16_t>(distance),
                            .kind = DependenceKind::kMemory});
  }

  const LoopBody& body_;
  const MemoryDependence& memory_;
  const ptx::MachineModel& model_;
  const MachineRegisterInfo& reg_info_;
  AddressForms& forms_;
  std::vector<LoopAccess> accesses_;
  std::vector<ScheduleDependence> dependences_;
};

}  // namespace

void LoopDagBuilder::Build(const LoopBody& body, ScheduleDag& dag) {
  builder_.Build(body.instrs, dag);
  dag.Add(CarriedDependences(body, memory_, model_, forms_).Find());
}

}  // namespace ptxmir
