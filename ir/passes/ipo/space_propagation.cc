// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/ipo/space_propagation.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/str_cat.h"
#include "ir/code/editing.h"
#include "ir/ir_nvvm.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/global_uses.h"
#include "ir/passes/support/pointer_spaces.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// A function all of whose callers are known.
struct KnownFunction {
  Function* function = nullptr;
  std::vector<Instruction*> calls;    // of the function
  std::vector<Instruction*> returns;  // in the function
  size_t size = 0;                    // in instructions
  bool calls_itself = false;
};

// The functions with known callers, in the order of the program.
class KnownFunctions {
 public:
  explicit KnownFunctions(Program& program) {
    for (const std::unique_ptr<Function>& function : program.functions()) {
      if (!MayHaveKnownCallers(*function)) continue;
      index_[function->id()] = functions_.size();
      functions_.emplace_back().function = function.get();
    }
    if (functions_.empty()) return;
    for (const std::unique_ptr<Function>& function : program.functions()) AddCode(*function);
    const GlobalUses uses(program);
    for (KnownFunction& known : functions_) {
      // Another mention may be a call through a pointer.
      if (known.calls.size() != uses.Count(known.function->id())) index_.erase(known.function->id());
    }
    functions_.erase(std::remove_if(functions_.begin(), functions_.end(),
                                    [&](const KnownFunction& known) { return !index_.contains(known.function->id()); }),
                     functions_.end());
    for (size_t i = 0; i < functions_.size(); ++i) index_[functions_[i].function->id()] = i;
  }

  std::vector<KnownFunction>& all() { return functions_; }
  // Returns null if there is none.
  const KnownFunction* Find(GlobalId id) const {
    const auto found = index_.find(id);
    return found == index_.end() ? nullptr : &functions_[found->second];
  }
  // Returns the function that a call names; null if its callers are not all known.
  const KnownFunction* CalledBy(const Instruction& call) const {
    const IrFunction* const callee = call.opcode() == Opcode::kCall ? CalledFunction(call) : nullptr;
    return callee == nullptr ? nullptr : Find(callee->id());
  }

 private:
  static bool MayHaveKnownCallers(const Function& function) {
    const IrFunction& signature = function.signature();
    return signature.has_local_linkage() && !signature.is_vararg() && !IsKernel(function.module(), signature) &&
           !function.module().HasFunctionAttribute(signature, "optnone");
  }

  void AddCode(Function& function) {
    const auto own = index_.find(function.id());
    for (BasicBlock* block : function.blocks()) {
      for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (own != index_.end()) {
          ++functions_[own->second].size;
          if (i->opcode() == Opcode::kRet) functions_[own->second].returns.push_back(i);
        }
        const IrFunction* const callee = i->opcode() == Opcode::kCall ? CalledFunction(*i) : nullptr;
        const auto called = callee == nullptr ? index_.end() : index_.find(callee->id());
        if (called == index_.end() || i->call().function_type != callee->value_type) continue;
        functions_[called->second].calls.push_back(i);
        functions_[called->second].calls_itself |= called == own;
      }
    }
  }

  std::vector<KnownFunction> functions_;
  absl::flat_hash_map<GlobalId, size_t> index_;
};

// Returns true if a parameter is a generic pointer that the caller passes as it is.
bool IsPassedPointer(const Function& function, const Argument& argument) {
  return IsGenericPointer(argument) && function.signature().parameters[argument.number()].ByValType() == nullptr;
}

// The spaces of all generic pointers of a program, as far as they follow from code.
class ProgramSpaces {
 public:
  ProgramSpaces(const Program& program, const KnownFunctions& functions) : functions_(functions) {
    std::vector<const Value*> values;
    for (const std::unique_ptr<Function>& function : program.functions()) Collect(*function, &values);
    for (const Value* value : values) spaces_[value] = kUnknownSpace;
    worklist_.assign(values.rbegin(), values.rend());
    while (!worklist_.empty()) {
      const Value* value = worklist_.back();
      worklist_.pop_back();
      const uint32_t space = Evaluate(*value);
      uint32_t& known = spaces_[value];
      if (known == space) continue;
      known = space;
      PushDependents(*value);
    }
  }

  uint32_t SpaceOf(const Value& value) const {
    const auto found = spaces_.find(&value);
    return found == spaces_.end() ? StatedSpace(value) : found->second;
  }

 private:
  void Collect(const Function& function, std::vector<const Value*>* values) {
    if (functions_.Find(function.id()) != nullptr) {
      for (const Argument* argument : function.arguments()) {
        if (IsPassedPointer(function, *argument)) values->push_back(argument);
      }
    }
    for (const BasicBlock* block : function.blocks()) {
      for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (IsAddressExpression(*i) || (IsGenericPointer(*i) && functions_.CalledBy(*i) != nullptr)) {
          values->push_back(i);
        }
      }
    }
  }

  uint32_t Evaluate(const Value& value) const {
    uint32_t space = kUnknownSpace;
    if (!value.is_instruction()) {
      const auto& argument = static_cast<const Argument&>(value);
      for (const Instruction* call : functions_.Find(argument.function().id())->calls) {
        space = JoinSpaces(space, SpaceOf(call->operand(argument.number())));
      }
      return space;
    }
    const auto& i = static_cast<const Instruction&>(value);
    if (i.opcode() == Opcode::kCall) {
      for (const Instruction* ret : functions_.CalledBy(i)->returns)
        space = JoinSpaces(space, SpaceOf(ret->operand(0)));
    } else {
      ForEachPointerOperand(i, [&](unsigned n) { space = JoinSpaces(space, SpaceOf(i.operand(n))); });
    }
    return space;
  }

  void Push(const Value& value) {
    if (spaces_.contains(&value)) worklist_.push_back(&value);
  }

  void PushDependents(const Value& value) {
    for (const Use& use : value.uses()) {
      const Instruction& user = use.user();
      if (user.opcode() == Opcode::kRet) {
        const KnownFunction* const known = functions_.Find(user.function().id());
        if (known == nullptr) continue;
        for (const Instruction* call : known->calls) Push(*call);
      } else if (const KnownFunction* const callee = functions_.CalledBy(user); callee != nullptr) {
        const absl::Span<Argument* const> arguments = callee->function->arguments();
        if (use.operand_number() < arguments.size()) Push(*arguments[use.operand_number()]);
      } else {
        Push(user);
      }
    }
  }

  const KnownFunctions& functions_;
  absl::flat_hash_map<const Value*, uint32_t> spaces_;
  std::vector<const Value*> worklist_;
};

// Returns true for the spaces that variables may be in: pointers to these are worth knowing.
bool IsSpaceOfVariables(uint32_t space) { return IsSpecificSpace(space) && !address_space::StateSpace(space).empty(); }

class SpacePropagation {
 public:
  SpacePropagation(Program& program, IrPassContext& context) : program_(program), context_(context) {}

  bool Run() {
    constexpr int kMaxRounds = 4;  // of copying; a copy may be what lets the functions that it calls be copied
    for (int round = 0; round < kMaxRounds && context_.knobs.ip_msp_clone(); ++round) {
      KnownFunctions functions(program_);
      const ProgramSpaces spaces(program_, functions);
      const uint64_t num_copies = num_copies_;
      for (KnownFunction& known : functions.all()) CopyForSpaces(known, spaces);
      if (num_copies == num_copies_) break;
    }
    KnownFunctions functions(program_);
    if (functions.all().empty()) return false;
    const ProgramSpaces spaces(program_, functions);
    for (const KnownFunction& known : functions.all()) {
      PinArguments(known, spaces);
      PinResults(known, spaces);
    }
    context_.AddStatistic("parameters of a known space", num_parameters_);
    context_.AddStatistic("results of a known space", num_results_);
    context_.AddStatistic("functions copied for the spaces of their arguments", num_copies_);
    return num_parameters_ + num_results_ + num_copies_ != 0;
  }

 private:
  // The spaces that a call passes for each parameter; kGeneric where it is no generic pointer or not known.
  using Signature = std::vector<uint32_t>;
  static Signature SignatureOf(const KnownFunction& known, const Instruction& call, const ProgramSpaces& spaces) {
    Signature signature;
    for (const Argument* argument : known.function->arguments()) {
      const bool is_passed = IsPassedPointer(*known.function, *argument);
      const uint32_t space = is_passed ? spaces.SpaceOf(call.operand(argument->number())) : address_space::kGeneric;
      signature.push_back(IsSpaceOfVariables(space) ? space : uint32_t{address_space::kGeneric});
    }
    return signature;
  }

  // Calls of the first signature keep the function.
  void CopyForSpaces(KnownFunction& known, const ProgramSpaces& spaces) {
    std::vector<std::pair<Signature, std::vector<Instruction*>>> groups;
    for (Instruction* call : known.calls) {
      const Signature signature = SignatureOf(known, *call, spaces);
      const auto group =
          std::find_if(groups.begin(), groups.end(), [&](const auto& other) { return other.first == signature; });
      if (group != groups.end()) {
        group->second.push_back(call);
      } else {
        groups.push_back({signature, {call}});
      }
    }
    if (groups.size() < 2) return;
    const std::string_view reason = WhyNotCopied(known, groups.size() - 1);
    const std::string name(known.function->signature().name);
    if (!reason.empty()) {
      if (!refused_.insert(known.function->id()).second) return;
      Remark(IrPassReporter::Kind::kMissed, "NotCopied", *known.function, [&] {
        return StrCat("'", name, "' is called with pointers of different spaces, and not copied: ", reason);
      });
      return;
    }
    for (size_t i = 1; i < groups.size(); ++i) {
      CloneMap map;
      Function& copy = CloneFunction(*known.function, FreeName(name), &map);
      for (Instruction* call : groups[i].second) {
        call->use(call->num_operands() - 1).Set(*call->function().GlobalAddress(copy.id()));
      }
      ++num_copies_;
    }
    Remark(IrPassReporter::Kind::kPassed, "CopiedForSpaces", *known.function, [&] {
      return StrCat("'", name, "' is copied for the spaces that ", groups.size(), " groups of calls pass");
    });
  }

  static std::string_view WhyNotCopied(const KnownFunction& known, size_t num_copies) {
    constexpr size_t kMaxCopies = 3;            // of one function
    constexpr size_t kMaxCopiedInstrs = 2'000;  // of all copies of one function
    if (known.calls_itself) return "it calls itself";
    if (num_copies > kMaxCopies || num_copies * known.size > kMaxCopiedInstrs) return "the copies would be too large";
    return known.function->signature().FindMetadata("dbg") != nullptr ? "it has debug information" : "";
  }

  std::string FreeName(std::string_view name) const {
    uint64_t number = 1;
    while (program_.module().FindGlobal(StrCat(name, "_space", number)) != nullptr) ++number;
    return StrCat(name, "_space", number);
  }

  void PinArguments(const KnownFunction& known, const ProgramSpaces& spaces) {
    for (Argument* argument : known.function->arguments()) {
      if (!IsPassedPointer(*known.function, *argument) || known.calls.empty() || IsOnlyConverted(*argument)) continue;
      const uint32_t space = spaces.SpaceOf(*argument);
      const auto name = [&] {
        return StrCat("parameter ", argument->number(), " of '", known.function->signature().name, "'");
      };
      if (!IsSpaceOfVariables(space)) {
        Remark(IrPassReporter::Kind::kMissed, "ParameterStaysGeneric", *known.function,
               [&] { return StrCat(name(), " stays generic: not all calls are known to pass pointers of one space"); });
        continue;
      }
      Remark(IrPassReporter::Kind::kPassed, "SpaceOfParameter", *known.function,
             [&] { return StrCat(name(), " always points to ", address_space::StateSpace(space), " memory"); });
      PinToSpace(*argument, space, *known.function->entry().first());
      ++num_parameters_;
    }
  }

  void PinResults(const KnownFunction& known, const ProgramSpaces& spaces) {
    for (Instruction* call : known.calls) {
      if (!IsGenericPointer(*call) || call->tail_kind() == TailKind::kMustTail || IsOnlyConverted(*call)) continue;
      const uint32_t space = spaces.SpaceOf(*call);
      if (!IsSpaceOfVariables(space)) continue;
      context_.reporter.AddRemark(IrPassReporter::Kind::kPassed, "SpaceOfResult", *call, [&] {
        return StrCat("the result of '", known.function->signature().name, "' always points to ",
                      address_space::StateSpace(space), " memory");
      });
      PinToSpace(*call, space, *call->next());
      ++num_results_;
    }
  }

  void Remark(IrPassReporter::Kind kind, std::string_view name, const Function& function,
              IrPassReporter::Message message) {
    context_.reporter.AddRemark(kind, name, *function.entry().first(), message);
  }

  Program& program_;
  IrPassContext& context_;
  absl::flat_hash_set<GlobalId> refused_;  // functions that were reported not to be copied
  uint64_t num_parameters_ = 0;
  uint64_t num_results_ = 0;
  uint64_t num_copies_ = 0;
};

}  // namespace

IrPassResult RunSpacePropagation(Program& program, IrPassContext& context) {
  return {.changed = SpacePropagation(program, context).Run()};
}

}  // namespace ptxmir
