// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/redundant_debug_values.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module.h"

namespace ptxmir {
namespace {

constexpr MetadataId kNoMetadata = ~MetadataId{0};

// A part of a variable, in bits. A size of 0 is the whole.
using Fragment = std::pair<int64_t, int64_t>;
// A variable in one inlined copy of its scope.
using Variable = std::pair<MetadataId, MetadataId>;

// A debug value of one register or constant, or a list of them.
struct DebugValue {
  bool is_list = false;
  Variable variable;
  MetadataId expression = 0;
  const MachineOperand* location = nullptr;  // the only one; null for lists
  bool is_indirect = false;                  // the location has the address of the variable
};

// Reads debug values. Remembers what it has read of the metadata of the function.
class DebugValueReader {
 public:
  explicit DebugValueReader(const MachineFunction& function) : function_(function), module_(function.module()) {}

  static bool IsDebugValue(const MachineInstr& instr) {
    return instr.opcode() == generic::kDbgValue || instr.opcode() == generic::kDbgValueList;
  }

  // Returns nullopt if the variable cannot be told.
  std::optional<DebugValue> Read(const MachineInstr& instr) {
    const bool is_list = instr.opcode() == generic::kDbgValueList;
    const unsigned first = is_list ? 0 : 2;
    if (instr.num_operands() < first + 2) return std::nullopt;
    const MachineOperand &variable = instr.operand(first), &expression = instr.operand(first + 1);
    const std::optional<MetadataId> inlined_at = InlinedAt(instr.debug_loc());
    if (!variable.is_metadata() || !expression.is_metadata() || !inlined_at.has_value()) return std::nullopt;
    return DebugValue{.is_list = is_list,
                      .variable = {variable.metadata(), *inlined_at},
                      .expression = expression.metadata(),
                      .location = is_list ? nullptr : &instr.operand(0),
                      .is_indirect = !is_list && instr.operand(1).is_imm()};
  }

  // Returns the part of the variable that the expression describes.
  Fragment FragmentOf(MetadataId expression) {
    const auto [found, is_new] = fragments_.try_emplace(expression);
    if (is_new) found->second = ReadFragment(Node(expression));
    return found->second;
  }

 private:
  const MetadataNode* Node(MetadataId id) const {
    if (module_ == nullptr) return nullptr;
    return MachineFunction::IsInlineMetadata(id) ? module_->ParseInlineMetadata(function_.inline_metadata(id))
                                                 : module_->metadata(id);
  }

  static Fragment ReadFragment(const MetadataNode* node) {
    if (node == nullptr) return {};
    const auto operands = node->operands;
    for (size_t i = 0; i + 2 < operands.size(); ++i) {
      if (operands[i].text == "DW_OP_LLVM_fragment") return {operands[i + 1].integer, operands[i + 2].integer};
    }
    return {};
  }

  // Returns the location of the call that the location was inlined into, kNoMetadata if there is none, or nullopt if it
  // has no number.
  std::optional<MetadataId> InlinedAt(MetadataId loc) {
    const auto [found, is_new] = inlined_at_.try_emplace(loc);
    if (is_new) found->second = ReadInlinedAt(loc == MachineInstr::kNoDebugLoc ? nullptr : Node(loc));
    return found->second;
  }

  static std::optional<MetadataId> ReadInlinedAt(const MetadataNode* node) {
    if (node == nullptr || node->Find("inlinedAt") == nullptr) return kNoMetadata;
    return node->Node("inlinedAt");
  }

  const MachineFunction& function_;
  const Module* const module_;
  absl::flat_hash_map<MetadataId, Fragment> fragments_;
  absl::flat_hash_map<MetadataId, std::optional<MetadataId>> inlined_at_;
};

class RedundantDebugValues {
 public:
  explicit RedundantDebugValues(MachineFunction& function)
      : reader_(function), num_writes_(function.reg_info().num_virtual_registers()) {}

  // Keeps the last debug value of each variable of a row.
  void ScanBackward(MachineBasicBlock& block) {
    row_.clear();
    for (MachineInstr *instr = block.back(), *previous; instr != nullptr; instr = previous) {
      previous = instr->previous();
      if (!DebugValueReader::IsDebugValue(*instr)) {
        row_.clear();
        continue;
      }
      const std::optional<DebugValue> value = reader_.Read(*instr);
      if (!value.has_value()) {
        row_.clear();
        continue;
      }
      const std::pair<Variable, Fragment> part(value->variable, reader_.FragmentOf(value->expression));
      const bool is_new = row_.insert(part).second;
      if (value->location != nullptr && !value->location->is_reg()) {
        if (!is_new) row_.erase(part);
      } else if (!is_new) {
        instr->EraseFromParent();
        ++num_erased_;
      }
    }
  }

  // Erases debug values that repeat where their variable is.
  void ScanForward(MachineBasicBlock& block) {
    places_.clear();
    for (MachineInstr *instr = block.front(), *next; instr != nullptr; instr = next) {
      next = instr->next();
      if (DebugValueReader::IsDebugValue(*instr)) {
        VisitForward(*instr);
      } else if (!instr->is_meta()) {
        for (const MachineOperand& operand : instr->operands()) {
          if (operand.is_def() && operand.reg().is_valid()) ++NumWrites(operand.reg());
        }
      }
    }
  }

  uint64_t num_erased() const { return num_erased_; }

 private:
  // Where a variable is.
  struct Place {
    Register reg;
    MetadataId expression;
    bool is_indirect;
    uint32_t num_writes;  // of the register, before it
    friend bool operator==(const Place&, const Place&) = default;
  };

  void VisitForward(MachineInstr& instr) {
    const std::optional<DebugValue> value = reader_.Read(instr);
    if (!value.has_value()) {
      places_.clear();
    } else if (value->location == nullptr || !value->location->is_reg()) {
      places_.erase(value->variable);
    } else {
      const Register reg = value->location->reg();
      const Place place{
          .reg = reg, .expression = value->expression, .is_indirect = value->is_indirect, .num_writes = NumWrites(reg)};
      const auto [found, is_new] = places_.try_emplace(value->variable, place);
      if (!is_new && found->second == place) {
        instr.EraseFromParent();
        ++num_erased_;
      } else {
        found->second = place;
      }
    }
  }

  uint32_t& NumWrites(Register reg) {
    return reg.is_virtual() ? num_writes_[reg.virtual_index()] : num_physical_writes_[reg.bits()];
  }

  DebugValueReader reader_;
  absl::flat_hash_set<std::pair<Variable, Fragment>> row_;
  absl::flat_hash_map<Variable, Place> places_;
  std::vector<uint32_t> num_writes_;  // by virtual register
  absl::flat_hash_map<uint32_t, uint32_t> num_physical_writes_;
  uint64_t num_erased_ = 0;
};

}  // namespace

PassResult RunRedundantDebugValueRemoval(MachineFunction& function, PassContext& context) {
  if (!function.MayContain(generic::kDbgValue) && !function.MayContain(generic::kDbgValueList)) return {};
  RedundantDebugValues values(function);
  for (MachineBasicBlock& block : function) values.ScanBackward(block);
  for (MachineBasicBlock& block : function) values.ScanForward(block);
  context.AddStatistic("debug values removed", values.num_erased());
  if (values.num_erased() == 0) return {};
  return {.changed = true, .preserved = PreservedAnalyses::All()};
}

}  // namespace ptxmir
