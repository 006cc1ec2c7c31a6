// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/scalar/promote_allocas.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ir/code/dominators.h"
#include "ir/code/program.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir::ir {
namespace {

// Returns the type that loads and stores of the object have; null if there are none or they differ.
const IrType* AccessType(const Instruction& alloca) {
  const IrType* type = nullptr;
  for (const Use& use : alloca.uses()) {
    if (IsDebugUse(use)) continue;
    const Instruction& user = use.user();
    const IrType* accessed = user.opcode() == Opcode::kLoad    ? user.type()
                             : user.opcode() == Opcode::kStore ? user.operand(0).type()
                                                               : nullptr;
    if (accessed == nullptr) continue;
    if (type != nullptr && type != accessed) return nullptr;
    type = accessed;
  }
  return type;
}

bool IsWholeAccess(const Use& use) {
  const Instruction& user = use.user();
  if (user.opcode() == Opcode::kLoad) return IsSimpleAccess(user);
  if (user.opcode() == Opcode::kStore) return IsSimpleAccess(user) && use.operand_number() == 1;
  return IsIntrinsicCall(user, "llvm.lifetime.");
}

class Promoter {
 public:
  Promoter(Function& function, const std::vector<Instruction*>& allocas)
      : function_(function), dominators_(function), allocas_(allocas) {}

  void Run() {
    FindFrontiers();
    for (size_t i = 0; i < allocas_.size(); ++i) {
      index_[allocas_[i]] = i;
      types_.push_back(AccessType(*allocas_[i]));
      PlacePhis(i);
    }
    Rename();
    for (Instruction* alloca : allocas_) EraseObject(*alloca);
  }

 private:
  void FindFrontiers() {
    const std::vector<BasicBlock*>& blocks = function_.blocks();
    frontiers_.resize(blocks.size());
    children_ = dominators_.Children();
    predecessors_.resize(blocks.size());
    for (const BasicBlock* block : blocks) predecessors_[block->number()] = PredecessorsOf(*block);
    for (const BasicBlock* block : blocks) {
      if (predecessors_[block->number()].size() < 2) continue;
      const BasicBlock* stop = dominators_.ImmediateDominator(*block);
      for (const BasicBlock* runner : predecessors_[block->number()]) {
        for (; runner != nullptr && runner != stop; runner = dominators_.ImmediateDominator(*runner)) {
          std::vector<uint32_t>& frontier = frontiers_[runner->number()];
          if (frontier.empty() || frontier.back() != block->number()) frontier.push_back(block->number());
        }
      }
    }
  }

  // Finds the blocks at whose beginning the object's value is needed.
  std::vector<bool> LiveIn(const Instruction& alloca, const std::vector<bool>& has_store) const {
    std::vector<bool> live(function_.blocks().size(), false);
    std::vector<uint32_t> worklist;
    for (const Use& use : alloca.uses()) {
      if (IsDebugUse(use) || use.user().opcode() != Opcode::kLoad) continue;
      const BasicBlock& block = *use.user().parent();
      if (!live[block.number()] && (!has_store[block.number()] || IsExposed(alloca, block))) {
        live[block.number()] = true;
        worklist.push_back(block.number());
      }
    }
    while (!worklist.empty()) {
      const uint32_t block = worklist.back();
      worklist.pop_back();
      for (const BasicBlock* predecessor : predecessors_[block]) {
        const uint32_t number = predecessor->number();
        if (live[number] || has_store[number]) continue;
        live[number] = true;
        worklist.push_back(number);
      }
    }
    return live;
  }

  // Returns true if a load of the block comes before its stores.
  static bool IsExposed(const Instruction& alloca, const BasicBlock& block) {
    uint32_t first_store = ~uint32_t{0};
    uint32_t first_load = ~uint32_t{0};
    for (const Use& use : alloca.uses()) {
      const Instruction& user = use.user();
      if (IsDebugUse(use) || user.parent() != &block) continue;
      if (user.opcode() == Opcode::kStore) first_store = std::min(first_store, user.order());
      if (user.opcode() == Opcode::kLoad) first_load = std::min(first_load, user.order());
    }
    return first_load < first_store;
  }

  void PlacePhis(size_t object) {
    const Instruction& alloca = *allocas_[object];
    if (types_[object] == nullptr) return;
    const size_t num_blocks = function_.blocks().size();
    std::vector<bool> has_store(num_blocks, false);
    std::vector<uint32_t> worklist;
    for (const Use& use : alloca.uses()) {
      if (IsDebugUse(use) || use.user().opcode() != Opcode::kStore) continue;
      const uint32_t block = use.user().parent()->number();
      if (!has_store[block]) worklist.push_back(block);
      has_store[block] = true;
    }
    std::sort(worklist.begin(), worklist.end());
    const std::vector<bool> live = LiveIn(alloca, has_store);
    std::vector<bool> has_phi(num_blocks, false);
    Value& undefined = *function_.Simple(IrConstant::Kind::kUndef, types_[object]);
    while (!worklist.empty()) {
      const uint32_t block = worklist.back();
      worklist.pop_back();
      for (const uint32_t join : frontiers_[block]) {
        if (has_phi[join] || !live[join]) continue;
        has_phi[join] = true;
        phis_[&MakePhi(*function_.blocks()[join], types_[object], undefined)] = object;
        if (!has_store[join]) worklist.push_back(join);
      }
    }
  }

  struct Frame {
    BasicBlock* block;
    std::vector<Value*> values;  // of each object, at the end of the block
    size_t next_child = 0;
  };

  void Rename() {
    std::vector<Value*> values;
    for (const IrType* type : types_) {
      values.push_back(type == nullptr ? nullptr : function_.Simple(IrConstant::Kind::kUndef, type));
    }
    std::vector<Frame> stack;
    stack.push_back({&function_.entry(), std::move(values)});
    RenameBlock(stack.back());
    while (!stack.empty()) {
      Frame& top = stack.back();
      const std::vector<BasicBlock*>& children = children_[top.block->number()];
      if (top.next_child == children.size()) {
        stack.pop_back();
        continue;
      }
      BasicBlock* child = children[top.next_child++];
      stack.push_back({child, top.values});
      RenameBlock(stack.back());
    }
  }

  size_t ObjectOf(const Value& pointer) const {
    const auto found = index_.find(&pointer);
    return found == index_.end() ? allocas_.size() : found->second;
  }

  void RenameBlock(Frame& frame) {
    std::vector<Value*>& values = frame.values;
    for (Instruction* i = frame.block->first(); i != nullptr;) {
      Instruction* next = i->next();
      if (i->opcode() == Opcode::kPhi) {
        const auto found = phis_.find(i);
        if (found != phis_.end()) {
          values[found->second] = i;
          Describe(*i, found->second, *frame.block->first_non_phi());
        }
      } else if (i->opcode() == Opcode::kLoad) {
        const size_t object = ObjectOf(i->operand(0));
        if (object != allocas_.size()) ReplaceAndErase(*i, *values[object]);
      } else if (i->opcode() == Opcode::kStore) {
        const size_t object = ObjectOf(i->operand(1));
        if (object != allocas_.size()) {
          values[object] = &i->operand(0);
          Describe(i->operand(0), object, *next);
          Erase(*i);
        }
      }
      i = next;
    }
    SetPhiValues(*frame.block, values);
  }

  void SetPhiValues(BasicBlock& block, const std::vector<Value*>& values) {
    const Instruction& terminator = *block.terminator();
    for (unsigned s = 0; s < terminator.num_successors(); ++s) {
      for (Instruction* phi = terminator.successor(s).first(); phi != nullptr && phi->opcode() == Opcode::kPhi;
           phi = phi->next()) {
        const auto found = phis_.find(phi);
        if (found == phis_.end()) continue;
        for (unsigned i = 0; i < phi->num_incoming(); ++i) {
          if (&phi->incoming_block(i) == &block) phi->use(2 * i).Set(*values[found->second]);
        }
      }
    }
  }

  // Makes a debug record in front of `before` that says what the variables of the object have become, for each variable
  // that is declared to be there.
  void Describe(Value& value, size_t object, Instruction& before) {
    for (Use& use : allocas_[object]->uses()) {
      Instruction& record = use.user();
      if (record.opcode() != Opcode::kDbgDeclare) continue;
      Instruction* described =
          function_.CreateInstruction(Opcode::kDbgValue, function_.module().types().Void(), {{value}});
      DebugRecordDetail detail = record.record();
      detail.raw_location = {};
      function_.SetDetail(*described, detail);
      // The record goes behind those that are there: it is the newest.
      Instruction* last = before.first_record();
      if (last == nullptr) {
        before.set_first_record(described);
        continue;
      }
      while (last->next() != nullptr) last = last->next();
      last->set_next_record(described);
    }
  }

  static void EraseObject(Instruction& alloca) {
    RemoveDeclarations(alloca);
    while (IsUsedByCode(alloca)) {
      for (Use& use : alloca.uses()) {
        if (IsDebugUse(use)) continue;
        Erase(use.user());
        break;
      }
    }
    Erase(alloca);
  }

  // Unlinks the records that declare a variable in the object.
  static void RemoveDeclarations(Instruction& alloca) {
    Function& function = alloca.function();
    absl::flat_hash_map<const Instruction*, bool> declarations;
    for (Use& use : alloca.uses()) {
      if (use.user().opcode() == Opcode::kDbgDeclare) declarations[&use.user()] = true;
    }
    if (declarations.empty()) return;
    for (BasicBlock* block : function.blocks()) {
      for (Instruction* i = block->first(); i != nullptr; i = i->next()) Unlink(*i, declarations);
    }
  }

  static void Unlink(Instruction& instruction, const absl::flat_hash_map<const Instruction*, bool>& declarations) {
    std::vector<Instruction*> kept;
    bool is_changed = false;
    for (Instruction* record = instruction.first_record(); record != nullptr; record = record->next()) {
      if (declarations.contains(record)) {
        is_changed = true;
      } else {
        kept.push_back(record);
      }
    }
    if (!is_changed) return;
    // A record cannot be linked to nothing, so the last one is made anew.
    Function& function = instruction.function();
    if (!kept.empty() && kept.back()->next() != nullptr)
      kept.back() = CloneInstruction(function, *kept.back(), nullptr);
    instruction.set_first_record(kept.empty() ? nullptr : kept.front());
    for (size_t i = 0; i + 1 < kept.size(); ++i) kept[i]->set_next_record(kept[i + 1]);
  }

  Function& function_;
  const Dominators dominators_;
  const std::vector<Instruction*>& allocas_;
  std::vector<const IrType*> types_;  // null if the object is never accessed
  absl::flat_hash_map<const Value*, size_t> index_;
  absl::flat_hash_map<const Instruction*, size_t> phis_;  // with the object of each
  std::vector<std::vector<uint32_t>> frontiers_;
  std::vector<std::vector<BasicBlock*>> children_;
  std::vector<std::vector<BasicBlock*>> predecessors_;
};

}  // namespace

bool IsPromotable(const Instruction& alloca) {
  if (ConstantInteger(alloca.operand(0)) != uint64_t{1}) return false;
  for (const Use& use : alloca.uses()) {
    if (!IsDebugUse(use) && !IsWholeAccess(use)) return false;
  }
  const IrType* type = AccessType(alloca);
  bool is_accessed = false;
  for (const Use& use : alloca.uses()) {
    const Opcode opcode = use.user().opcode();
    is_accessed |= !IsDebugUse(use) && (opcode == Opcode::kLoad || opcode == Opcode::kStore);
  }
  if (!is_accessed) return true;
  const DataLayout& layout = alloca.function().module().data_layout();
  return type != nullptr && layout.StoreSize(type) <= layout.AllocSize(alloca.source_type());
}

void PromoteAllocas(Function& function, const std::vector<Instruction*>& allocas) {
  if (!allocas.empty()) Promoter(function, allocas).Run();
}

}  // namespace ptxmir::ir
