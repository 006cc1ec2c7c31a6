// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/infer_address_spaces.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ir/passes/support/declarations.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/pointer_spaces.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

struct SpaceTest {
  std::string_view name;
  uint32_t space;
};
constexpr SpaceTest kSpaceTests[] = {
    {"llvm.nvvm.isspacep.global", address_space::kGlobal},
    {"llvm.nvvm.isspacep.shared.cluster", address_space::kSharedCluster},
    {"llvm.nvvm.isspacep.shared", address_space::kShared},
    {"llvm.nvvm.isspacep.const", address_space::kConst},
    {"llvm.nvvm.isspacep.local", address_space::kLocal},
};

// Returns the answer of a test on a pointer of a known space; nothing if it depends.
std::optional<bool> Answer(uint32_t tested, uint32_t space) {
  if (tested == space) return true;
  if (tested == address_space::kSharedCluster && space == address_space::kShared) return true;
  if (tested == address_space::kShared && space == address_space::kSharedCluster) return std::nullopt;
  // Constant memory and parameters may lie in global memory.
  if (space == address_space::kConst || space == address_space::kParam) return std::nullopt;
  return false;
}

class SpaceInference {
 public:
  explicit SpaceInference(Function& function) : function_(function), types_(function.module().types()) {}

  bool Run() {
    Collect();
    Solve();
    FindWanted();
    MakeValues();
    RewriteUsers();
    EraseOld();
    return changed_;
  }

  unsigned accesses = 0;
  unsigned tests = 0;

 private:
  void Collect() {
    for (BasicBlock* block : function_.blocks()) {
      for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (!IsAddressExpression(*i)) continue;
        spaces_[i] = kUnknownSpace;
        expressions_.push_back(i);
      }
    }
  }

  uint32_t SpaceOf(const Value& value) const {
    const auto found = spaces_.find(&value);
    return found != spaces_.end() ? found->second : StatedSpace(value);
  }

  void Solve() {
    std::vector<Instruction*> worklist(expressions_.rbegin(), expressions_.rend());
    while (!worklist.empty()) {
      Instruction* i = worklist.back();
      worklist.pop_back();
      uint32_t space = kUnknownSpace;
      ForEachPointerOperand(*i, [&](unsigned n) { space = JoinSpaces(space, SpaceOf(i->operand(n))); });
      uint32_t& known = spaces_[i];
      if (known == space) continue;
      known = space;
      for (const Use& use : i->uses()) {
        if (spaces_.contains(&use.user())) worklist.push_back(&use.user());
      }
    }
  }

  // Marks the expressions from which an instruction that would use the space gets its pointer. Others stay generic:
  // inline assembly and calls that take a generic pointer would need a conversion for each address.
  void FindWanted() {
    if (expressions_.empty()) return;
    std::vector<const Value*> worklist;
    const auto want = [&](const Value& pointer) {
      if (!IsSpecificSpace(SpaceOf(pointer)) || !spaces_.contains(&pointer)) return;
      if (wanted_.insert(&pointer).second) worklist.push_back(&pointer);
    };
    for (const BasicBlock* block : function_.blocks()) {
      for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
        ForEachUseOfSpace(*i, want);
      }
    }
    while (!worklist.empty()) {
      const auto& expression = static_cast<const Instruction&>(*worklist.back());
      worklist.pop_back();
      ForEachPointerOperand(expression, [&](unsigned n) { want(expression.operand(n)); });
    }
  }

  const IrType* PointerIn(uint32_t space) { return types_.Pointer(space); }

  // Returns the constant as a pointer of its space.
  const IrConstant& ConstantIn(uint32_t space, const IrConstant& constant) {
    if (constant.type->address_space() == space) return constant;
    if (constant.kind != IrConstant::Kind::kExpression || constant.opcode == IrConstant::Opcode::kAddrSpaceCast ||
        constant.opcode == IrConstant::Opcode::kBitcast) {
      if (constant.kind == IrConstant::Kind::kExpression) return ConstantIn(space, *constant.operands[0]);
      return function_.NewIrConstant({.kind = constant.kind, .type = PointerIn(space)});
    }
    std::vector<const IrConstant*> operands(constant.operands.begin(), constant.operands.end());
    operands[0] = &ConstantIn(space, *operands[0]);
    IrConstant copy = constant;
    copy.type = PointerIn(space);
    copy.operands = operands;
    return function_.NewIrConstant(copy);
  }

  // Returns the value as a pointer of a space that it is known to be of; null if it is not made yet.
  Value* ValueIn(uint32_t space, Value& value) {
    if (value.type()->address_space() == space) return &value;
    if (value.is_constant()) {
      return function_.Constant(ConstantIn(space, static_cast<ConstantValue&>(value).constant()));
    }
    const auto found = values_.find(&value);
    return found == values_.end() ? nullptr : found->second;
  }

  // Calls `visit` with each pointer of an instruction that may be rewritten (Rewrite below) for the pointer's space.
  void ForEachUseOfSpace(const Instruction& i, absl::FunctionRef<void(const Value&)> visit) const {
    if (const std::optional<unsigned> pointer = AccessedPointer(i); pointer.has_value()) {
      visit(i.operand(*pointer));
    } else if (i.opcode() == Opcode::kCall) {
      const bool is_rewritten = IsIntrinsicCall(i, "llvm.nvvm.isspacep.") || IsIntrinsicCall(i, "llvm.memcpy.p") ||
                                IsIntrinsicCall(i, "llvm.memmove.p") || IsIntrinsicCall(i, "llvm.memset.p");
      for (unsigned n = 0; is_rewritten && n < i.call().num_arguments; ++n) visit(i.operand(n));
    } else if (i.opcode() == Opcode::kAddrSpaceCast && !IsGenericPointer(i)) {
      visit(i.operand(0));
    } else if (i.opcode() == Opcode::kICmp && SpaceOf(i.operand(0)) == SpaceOf(i.operand(1))) {
      visit(i.operand(0));
      visit(i.operand(1));
    }
  }

  // Makes an expression of a specific space for each generic one that is wanted. Casts cost nothing.
  void MakeValues() {
    std::vector<Instruction*> pending;
    for (Instruction* i : expressions_) {
      const bool is_made = wanted_.contains(i) || i->opcode() == Opcode::kAddrSpaceCast;
      if (is_made && IsSpecificSpace(spaces_[i])) pending.push_back(i);
    }
    // Casts stand for their operands. Others are made with undefined operands first, since PHIs may be in cycles.
    for (Instruction* i : pending) {
      const uint32_t space = spaces_[i];
      if (i->opcode() == Opcode::kAddrSpaceCast && i->operand(0).type()->address_space() == space) {
        values_[i] = &i->operand(0);
        continue;
      }
      Value& undefined = *function_.Simple(IrConstant::Kind::kPoison, PointerIn(space));
      std::vector<Function::Operand> operands;
      for (const Use& use : i->operands()) operands.emplace_back(use.value());
      ForEachPointerOperand(*i, [&](unsigned n) { operands[n] = Function::Operand(undefined); });
      Instruction* made = function_.CreateInstruction(i->opcode(), PointerIn(space), operands);
      CopyProperties(*i, *made);
      made->set_debug_loc(i->debug_loc());
      made->SetAttachments(i->attachments());
      i->parent()->Insert(*made, *i);
      values_[i] = made;
      made_.push_back(i);
    }
    for (Instruction* i : made_) {
      auto& made = static_cast<Instruction&>(*values_[i]);
      ForEachPointerOperand(*i, [&](unsigned n) {
        Value* operand = ValueIn(spaces_[i], i->operand(n));
        if (operand == nullptr) operand = function_.Simple(IrConstant::Kind::kUndef, made.type());  // it is unknown
        made.use(n).Set(*operand);
      });
    }
    changed_ |= !made_.empty();
  }

  // Returns the operand as a pointer of its specific space; null if it has none.
  Value* Known(Value& pointer) {
    if (!IsGenericPointer(pointer)) return nullptr;
    const uint32_t space = SpaceOf(pointer);
    return IsSpecificSpace(space) ? ValueIn(space, pointer) : nullptr;
  }

  void RewriteUsers() {
    for (BasicBlock* block : function_.blocks()) {
      for (Instruction* i = block->first(); i != nullptr;) {
        Instruction* next = i->next();
        Rewrite(*i);
        i = next;
      }
    }
  }

  void Rewrite(Instruction& i) {
    if (const std::optional<unsigned> pointer = AccessedPointer(i); pointer.has_value()) {
      RewriteAccess(i, *pointer);
    } else if (i.opcode() == Opcode::kCall) {
      RewriteCall(i);
    } else if (i.opcode() == Opcode::kAddrSpaceCast && !IsGenericPointer(i)) {
      Value* known = Known(i.operand(0));
      if (known == nullptr || known->type() != i.type()) return;
      ReplaceAndErase(i, *known);
      changed_ = true;
    } else if (i.opcode() == Opcode::kICmp) {
      Value* a = Known(i.operand(0));
      Value* b = Known(i.operand(1));
      if (a == nullptr || b == nullptr || a->type() != b->type()) return;
      i.use(0).Set(*a);
      i.use(1).Set(*b);
      changed_ = true;
    }
  }

  void RewriteAccess(Instruction& i, unsigned pointer) {
    Value* known = Known(i.operand(pointer));
    if (known == nullptr) return;
    const uint32_t space = known->type()->address_space();
    const bool has_volatile = space == address_space::kGlobal || space == address_space::kShared;
    if (i.has_flag(kVolatile) && !has_volatile) return;
    // Constant memory and parameters are not written, whatever the program says.
    const bool is_written = i.opcode() != Opcode::kLoad;
    if (is_written && (space == address_space::kConst || space == address_space::kParam)) return;
    i.use(pointer).Set(*known);
    ++accesses;
    changed_ = true;
  }

  void RewriteCall(Instruction& call) {
    const IrFunction* callee = CalledFunction(call);
    if (callee == nullptr || !callee->is_intrinsic()) return;
    for (const SpaceTest& test : kSpaceTests) {
      if (!IsIntrinsicCall(call, test.name)) continue;
      Value* known = call.call().num_arguments == 1 ? Known(call.operand(0)) : nullptr;
      if (known == nullptr) return;
      const std::optional<bool> answer = Answer(test.space, known->type()->address_space());
      if (!answer.has_value()) return;
      ReplaceAndErase(call, *function_.Integer(call.type(), *answer ? 1 : 0));
      ++tests;
      changed_ = true;
      return;
    }
    if (IsIntrinsicCall(call, "llvm.memcpy.p")) RewriteTransfer(call, "llvm.memcpy", 2);
    if (IsIntrinsicCall(call, "llvm.memmove.p")) RewriteTransfer(call, "llvm.memmove", 2);
    if (IsIntrinsicCall(call, "llvm.memset.p")) RewriteTransfer(call, "llvm.memset", 1);
  }

  void RewriteTransfer(Instruction& call, std::string_view stem, unsigned num_pointers) {
    bool is_known = false;
    std::vector<Value*> arguments;
    for (unsigned n = 0; n < call.call().num_arguments; ++n) {
      Value* known = n < num_pointers ? Known(call.operand(n)) : nullptr;
      if (known != nullptr && n == 0 &&
          (known->type()->address_space() == address_space::kConst ||
           known->type()->address_space() == address_space::kParam)) {
        known = nullptr;
      }
      is_known |= known != nullptr;
      arguments.push_back(known != nullptr ? known : &call.operand(n));
    }
    if (!is_known || arguments.size() != 4) return;
    std::string name(stem);
    std::vector<const IrType*> types;
    for (unsigned n = 0; n < 4; ++n) {
      types.push_back(arguments[n]->type());
      if (n < num_pointers) StrAppend(&name, ".p", arguments[n]->type()->address_space());
    }
    StrAppend(&name, ".i", arguments[2]->type()->integer_width());
    const IrFunction& callee = DeclareIntrinsic(function_.module(), name, types_.Void(), types);
    Instruction& made = InsertCall(call, callee, arguments);
    CallDetail detail = call.call();
    detail.function_type = callee.value_type;
    function_.SetDetail(made, detail);
    made.set_variant(static_cast<uint8_t>(call.tail_kind()));
    made.SetAttachments(call.attachments());
    Erase(call);
    ++accesses;
    changed_ = true;
  }

  // Users that need a generic pointer get a conversion of the new value; then the old expressions go.
  void EraseOld() {
    for (Instruction* i : made_) {
      auto& made = static_cast<Instruction&>(*values_[i]);
      Instruction* cast = nullptr;
      for (Use* use = i->first_use(); use != nullptr;) {
        Use* next = use->next();
        const auto old = values_.find(&use->user());
        if (old == values_.end()) {
          if (cast == nullptr) cast = &MakeCast(made, *i);
          use->Set(*cast);
        }
        use = next;
      }
    }
    for (Instruction* i : made_) {
      if (i->has_uses()) i->ReplaceAllUsesWith(*function_.Simple(IrConstant::Kind::kPoison, i->type()));
    }
    for (Instruction* i : made_) Erase(*i);
    for (Instruction* i : expressions_) {
      if (i->parent() != nullptr && i->opcode() == Opcode::kAddrSpaceCast && !IsUsedByCode(*i)) {
        Erase(*i);
        changed_ = true;
      }
    }
  }

  Instruction& MakeCast(Instruction& made, Instruction& old) {
    Instruction& before = made.opcode() == Opcode::kPhi ? *made.parent()->first_non_phi() : old;
    Instruction& cast = InsertBefore(before, Opcode::kAddrSpaceCast, old.type(), {{made}});
    cast.set_debug_loc(made.debug_loc());
    return cast;
  }

  Function& function_;
  IrTypeTable& types_;
  std::vector<Instruction*> expressions_;
  absl::flat_hash_map<const Value*, uint32_t> spaces_;
  absl::flat_hash_map<const Value*, Value*> values_;  // pointers to a specific space, by the generic pointer
  absl::flat_hash_set<const Value*> wanted_;          // expressions whose space somebody would use
  std::vector<Instruction*> made_;                    // generic expressions for which a new one was made
  bool changed_ = false;
};

// Returns why the space of a generic pointer is not known; empty for an object on the stack, whose accesses become
// local when it gets its place.
std::string_view ReasonToStayGeneric(const Value& pointer) {
  const Value* root = &pointer;
  constexpr int kMaxSteps = 64;  // casts and offsets that are looked through
  for (int step = 0; step < kMaxSteps && root->is_instruction(); ++step) {
    const auto& i = static_cast<const Instruction&>(*root);
    switch (i.opcode()) {
      case Opcode::kGetElementPtr:
      case Opcode::kBitCast:
        root = &i.operand(0);
        continue;
      case Opcode::kPhi:
      case Opcode::kSelect:
        return "its address is one of several, which are not all known to be of one space";
      case Opcode::kLoad:
        return "its address is loaded from memory";
      case Opcode::kCall:
        return "its address is the result of a call";
      case Opcode::kAlloca:
        return "";
      case Opcode::kIntToPtr:
        return "its address is computed from a number";
      default:
        return "its address is not followed further";
    }
  }
  if (root->is_argument()) return "its address is a parameter of the function";
  return root->is_constant() ? "its address is a constant" : "its address is not followed further";
}

void ReportSpaces(const Function& function, const SpaceInference& inference, IrPassReporter& reporter) {
  if (!reporter.WantsRemarks()) return;
  if (inference.accesses != 0) {
    reporter.AddRemark(IrPassReporter::Kind::kPassed, "SpaceInferred", *function.entry().first(), [&] {
      return StrCat(inference.accesses, " generic accesses became accesses of a known space");
    });
  }
  for (const BasicBlock* block : function.blocks()) {
    for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
      const std::optional<unsigned> pointer = AccessedPointer(*i);
      if (!pointer.has_value() || !IsGenericPointer(i->operand(*pointer))) continue;
      const std::string_view reason = ReasonToStayGeneric(i->operand(*pointer));
      if (reason.empty()) continue;
      reporter.AddRemark(IrPassReporter::Kind::kMissed, "SpaceNotInferred", *i,
                         [&] { return StrCat("access stays generic: ", reason); });
    }
  }
}

}  // namespace

IrPassResult RunIrInferAddressSpaces(Program& program, IrPassContext& context) {
  bool changed = false;
  for (const std::unique_ptr<Function>& function : program.functions()) {
    changed |= RemoveUnreachableBlocks(*function);
    SpaceInference inference(*function);
    changed |= inference.Run();
    context.AddStatistic("accesses of a known space", inference.accesses);
    context.AddStatistic("tests for a space answered", inference.tests);
    ReportSpaces(*function, inference, context.reporter);
  }
  return {.changed = changed};
}

}  // namespace ptxmir
