// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/ipo/inliner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "ir/passes/ipo/inline_call.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/global_uses.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// Kernels are started from outside, whatever their linkage.
bool IsDiscardable(const Module& module, const IrFunction& function) {
  if (IsKernel(module, function)) return false;
  return function.has_local_linkage() || function.linkage == Linkage::kLinkOnce ||
         function.linkage == Linkage::kLinkOnceOdr || function.linkage == Linkage::kAvailableExternally;
}

bool IsMarkedToInline(const Module& module, const IrFunction& function) {
  return module.HasFunctionAttribute(function, "alwaysinline");
}

// Returns the reason why a function is never inlined; empty if it may be.
std::string_view WhyNever(const Function& function) {
  const IrFunction& signature = function.signature();
  const Module& module = function.module();
  if (IsKernel(module, signature)) return "it is a kernel";
  if (signature.is_vararg()) return "it takes variable arguments";
  if (module.HasFunctionAttribute(signature, "noinline")) return "it is marked noinline";
  if (module.HasFunctionAttribute(signature, "optnone")) return "it is marked optnone";
  if (signature.linkage == Linkage::kWeak || signature.linkage == Linkage::kLinkOnce ||
      signature.linkage == Linkage::kExternWeak) {
    return "another definition may take its place";
  }
  for (const BasicBlock* block : function.blocks()) {
    for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
      const bool is_fixed =
          block == &function.entry() && i->opcode() == Opcode::kAlloca && ConstantInteger(i->operand(0)).has_value();
      if (i->opcode() == Opcode::kAlloca && !is_fixed) return "it has stack objects of variable size";
      if (i->opcode() == Opcode::kVAArg) return "it takes variable arguments";
    }
  }
  return "";
}

// The same for a call.
std::string_view WhyNotThisCall(const Instruction& call) {
  if (call.tail_kind() == TailKind::kMustTail) return "the call is a musttail call";
  if (!call.call().bundles.empty()) return "the call has operand bundles";
  if (FindCallAttribute(call, "noinline") != nullptr) return "the call is marked noinline";
  return "";
}

class Inliner {
 public:
  Inliner(Program& program, IrPassContext& context, bool only_marked)
      : program_(program), context_(context), only_marked_(only_marked) {}

  bool Run() {
    const auto is_marked = [this](const IrFunction& function) {
      return function.is_definition() && IsMarkedToInline(program_.module(), function);
    };
    if (only_marked_ && absl::c_none_of(program_.module().functions(), is_marked)) return false;
    for (const std::unique_ptr<Function>& function : program_.functions()) by_id_[function->id()] = function.get();
    OrderFunctions();
    GlobalUses uses(program_);
    for (Function* caller : order_) InlineInto(*caller, uses);
    const bool changed = inlined_ != 0;
    if (changed) uses = GlobalUses(program_);
    const unsigned erased = EraseUnused(std::move(uses));
    context_.AddStatistic("calls inlined", inlined_);
    context_.AddStatistic("functions erased", erased);
    return changed || erased != 0;
  }

 private:
  // Puts callees in front of callers, and finds the functions that call themselves: strongly connected components, by
  // Tarjan's algorithm without recursion.
  void OrderFunctions() {
    struct Frame {
      Function* function;
      std::vector<Function*> callees;
      size_t next = 0;
    };
    absl::flat_hash_map<const Function*, size_t> number;
    absl::flat_hash_map<const Function*, size_t> low;
    std::vector<Function*> open;
    for (const std::unique_ptr<Function>& root : program_.functions()) {
      if (number.contains(root.get())) continue;
      std::vector<Frame> stack;
      const auto enter = [&](Function* function) {
        const size_t own = number.size();
        number[function] = low[function] = own;
        open.push_back(function);
        stack.push_back({function, CalleesOf(*function)});
      };
      enter(root.get());
      while (!stack.empty()) {
        Frame& top = stack.back();
        if (top.next < top.callees.size()) {
          Function* callee = top.callees[top.next++];
          if (callee == top.function) is_recursive_[callee] = true;
          if (!number.contains(callee)) {
            enter(callee);
          } else if (std::find(open.begin(), open.end(), callee) != open.end()) {
            low[top.function] = std::min(low[top.function], number[callee]);
          }
          continue;
        }
        Function* done = top.function;
        stack.pop_back();
        if (!stack.empty()) low[stack.back().function] = std::min(low[stack.back().function], low[done]);
        if (low[done] == number[done]) Close(*done, open);
      }
    }
  }

  void Close(Function& root, std::vector<Function*>& open) {
    const bool is_cycle = open.back() != &root;
    for (bool is_last = false; !is_last;) {
      Function* member = open.back();
      open.pop_back();
      if (is_cycle) is_recursive_[member] = true;
      order_.push_back(member);
      is_last = member == &root;
    }
  }

  std::vector<Function*> CalleesOf(const Function& function) const {
    std::vector<Function*> callees;
    for (const BasicBlock* block : function.blocks()) {
      for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (i->opcode() != Opcode::kCall) continue;
        Function* callee = CalleeOf(*i);
        if (callee != nullptr) callees.push_back(callee);
      }
    }
    return callees;
  }

  Function* CalleeOf(const Instruction& call) const {
    const IrFunction* callee = CalledFunction(call);
    if (callee == nullptr || call.call().function_type != callee->value_type) return nullptr;
    const auto found = by_id_.find(callee->id());
    return found == by_id_.end() ? nullptr : found->second;
  }

  void InlineInto(Function& caller, const GlobalUses& uses) {
    if (program_.module().HasFunctionAttribute(caller.signature(), "optnone") && !only_marked_) return;
    std::vector<Instruction*> calls;
    for (BasicBlock* block : caller.blocks()) {
      for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (i->opcode() == Opcode::kCall && IsWanted(*i, caller, uses)) calls.push_back(i);
      }
    }
    for (Instruction* call : calls) {
      Function* callee = CalleeOf(*call);
      context_.reporter.AddRemark(IrPassReporter::Kind::kPassed, "Inlined", *call, [&] {
        return StrCat("'", callee->signature().name, "' inlined into '", caller.signature().name, "'");
      });
      was_inlined_[callee] = true;
      InlineCall(*call, *callee);
      ++inlined_;
    }
    if (!calls.empty()) RemoveUnreachableBlocks(caller);
  }

  bool IsWanted(const Instruction& call, const Function& caller, const GlobalUses& uses) {
    const Function* callee = CalleeOf(call);
    if (callee == nullptr || callee == &caller) return false;
    const IrFunction& signature = callee->signature();
    const bool is_marked = IsMarkedToInline(program_.module(), signature);
    const bool is_once = signature.has_local_linkage() && uses.Count(signature.id()) == 1;
    if (!is_marked && (only_marked_ || !is_once)) return false;
    std::string_view reason = is_recursive_.contains(callee) ? "it calls itself" : WhyNever(*callee);
    if (reason.empty()) reason = WhyNotThisCall(call);
    if (reason.empty()) return true;
    context_.reporter.AddRemark(IrPassReporter::Kind::kMissed, "NotInlined", call, [&] {
      return StrCat("'", signature.name, "' not inlined into '", caller.signature().name, "': ", reason);
    });
    return false;
  }

  // Erases functions that nothing uses any more and that no other module can use. Returns their number.
  unsigned EraseUnused(GlobalUses uses) {
    unsigned erased = 0;
    std::optional<std::vector<bool>> in_metadata;
    for (bool again = true; again;) {
      again = false;
      for (size_t i = program_.functions().size(); i-- > 0;) {
        Function& function = *program_.functions()[i];
        const IrFunction& signature = function.signature();
        if (!IsDiscardable(program_.module(), signature) || uses.IsUsed(signature.id())) continue;
        if (only_marked_ && !was_inlined_.contains(&function)) continue;
        if (!in_metadata.has_value()) in_metadata = GlobalsInMetadata(program_.module());
        if ((*in_metadata)[signature.id()]) continue;
        program_.EraseFunction(function);
        ++erased;
        again = true;
      }
      if (again) uses = GlobalUses(program_);
    }
    return erased;
  }

  Program& program_;
  IrPassContext& context_;
  const bool only_marked_;
  absl::flat_hash_map<GlobalId, Function*> by_id_;
  std::vector<Function*> order_;
  absl::flat_hash_map<const Function*, bool> is_recursive_;
  absl::flat_hash_map<const Function*, bool> was_inlined_;
  unsigned inlined_ = 0;
};

}  // namespace

IrPassResult RunInliner(Program& program, IrPassContext& context) {
  return {.changed = Inliner(program, context, /*only_marked=*/false).Run()};
}

IrPassResult RunAlwaysInliner(Program& program, IrPassContext& context) {
  return {.changed = Inliner(program, context, /*only_marked=*/true).Run()};
}

}  // namespace ptxmir
