// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/dag/memory_edges.h"

#include <vector>

#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

// The accesses seen so far with which a later one is compared.
class PendingAccesses {
 public:
  using Add = absl::FunctionRef<void(uint32_t from, uint32_t to, unsigned latency)>;
  PendingAccesses(const MemoryDependence& memory, size_t max_pairs, Add add)
      : memory_(memory), pairs_left_(max_pairs), add_(add) {}

  void Visit(const ScheduledAccess& access) {
    if (access.writes) {
      const size_t num_pairs = writes_.size() + reads_.size();
      if (num_pairs > pairs_left_) return HoldUpAll(access);
      pairs_left_ -= num_pairs;
      for (const ScheduledAccess& read : reads_) Compare(read, access, /*latency=*/0);
    }
    for (const ScheduledAccess& write : writes_) Compare(write, access, /*latency=*/1);
    (access.writes ? writes_ : reads_).push_back(access);
  }

 private:
  void Compare(const ScheduledAccess& earlier, const ScheduledAccess& access, unsigned latency) {
    if (earlier.node == last_barrier_ || MayConflict(earlier, access)) add_(earlier.node, access.node, latency);
  }

  bool MayConflict(const ScheduledAccess& a, const ScheduledAccess& b) const {
    return !a.is_plain || !b.is_plain || memory_.Alias(a.memory, b.memory) != AliasResult::kNoAlias;
  }

  // Makes a write wait for all accesses before it. All accesses after it will wait for it.
  void HoldUpAll(const ScheduledAccess& write) {
    for (const ScheduledAccess& read : reads_) add_(read.node, write.node, 0);
    for (const ScheduledAccess& earlier : writes_) add_(earlier.node, write.node, 1);
    reads_.clear();
    writes_.assign(1, write);
    last_barrier_ = write.node;
  }

  const MemoryDependence& memory_;
  size_t pairs_left_;
  Add add_;
  uint32_t last_barrier_ = ~uint32_t{0};
  std::vector<ScheduledAccess> reads_;
  std::vector<ScheduledAccess> writes_;
};

}  // namespace

bool OrdersAccesses(const MachineInstr& instr) {
  return ptx::InstrInfo(instr.opcode()).Has(ptx::Property::kAtomic | ptx::Property::kVolatile) ||
         ptx::IsOrderedAccess(instr);
}

std::optional<ScheduledAccess> AccessOf(const MachineInstr& instr, uint32_t node, const MemoryDependence& memory) {
  if (instr.desc().Has(InstrFlag::kPseudo)) return std::nullopt;
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  const bool is_ordered = OrdersAccesses(instr);
  if (!is_ordered && !info.touches_memory()) return std::nullopt;
  if (!is_ordered && !info.writes_memory() && memory.ReadsConstantMemory(instr)) return std::nullopt;
  return ScheduledAccess{.node = node,
                         .writes = is_ordered || info.writes_memory(),
                         .is_plain = !is_ordered && MemoryDependence::IsPlainAccess(instr),
                         .memory = memory.Describe(instr)};
}

void AddMemoryEdges(absl::Span<MachineInstr* const> instrs, const MemoryDependence& memory, size_t max_pairs,
                    absl::FunctionRef<void(uint32_t from, uint32_t to, unsigned latency)> add) {
  PendingAccesses pending(memory, max_pairs, add);
  for (uint32_t node = 0; node < instrs.size(); ++node) {
    const std::optional<ScheduledAccess> access = AccessOf(*instrs[node], node, memory);
    if (access.has_value()) pending.Visit(*access);
  }
}

}  // namespace ptxmir
