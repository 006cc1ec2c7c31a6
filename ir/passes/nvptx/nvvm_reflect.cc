// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/nvvm_reflect.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/global_uses.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

constexpr std::string_view kArchKey = "__CUDA_ARCH";

bool IsReflectFunction(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "__nvvm_reflect",
      "__nvvm_reflect_ocl",
      "llvm.nvvm.reflect",
      "_Z14__nvvm_reflectPKc",
      "_Z14__nvvm_reflectPc",
      "_Z14__nvvm_reflectPU3AS4Kc",
      "_Z18__nvvm_reflect_oclPKc",
      "_Z18__nvvm_reflect_oclPU3AS2Kc",
      "_Z18__nvvm_reflect_oclPU3AS4Kc",
  };
  constexpr std::string_view kOverloaded = "llvm.nvvm.reflect.";
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         name.substr(0, kOverloaded.size()) == kOverloaded;
}

int64_t SignedValue(const IrConstant& constant) { return constant.SExtValue(); }

class Reflection {
 public:
  Reflection(Program& program, IrPassContext& context)
      : program_(program), module_(program.module()), context_(context) {
    ReadMetadata();
    if (const std::optional<int64_t> ftz = FtzFlag(); ftz.has_value()) values_["__CUDA_FTZ"] = *ftz;
    for (const std::string& option : context.knobs.nvvm_reflect_add()) {
      const size_t equals = option.find('=');
      int64_t value = 0;
      if (equals != std::string::npos && absl::SimpleAtoi(option.substr(equals + 1), &value)) {
        values_[option.substr(0, equals)] = value;
      }
    }
  }

  bool Run() {
    bool changed = false;
    std::vector<GlobalId> asked;
    for (const IrFunction& function : module_.functions()) {
      if (!function.is_removed() && IsReflectFunction(function.name)) asked.push_back(function.id());
    }
    if (asked.empty()) return false;
    for (const GlobalId id : asked) changed |= ReplaceCalls(*module_.function(id));
    const GlobalUses uses(program_);
    for (const GlobalId id : asked) {
      if (uses.IsUsed(id) || module_.function(id)->is_definition()) continue;
      module_.RemoveGlobal(module_.global_value(id));
      changed = true;
    }
    context_.AddStatistic("calls replaced", replaced_);
    return changed;
  }

 private:
  // The functions' flag may be a number of any width.
  std::optional<int64_t> FtzFlag() const {
    const ModuleFlag* flag = module_.FindModuleFlag("nvvm-reflect-ftz");
    if (flag == nullptr) return std::nullopt;
    if (flag->value.kind == MetadataOperand::Kind::kInteger) return flag->value.integer;
    const IrConstant* constant = flag->value.constant;
    if (constant == nullptr || !constant->is_integer()) return std::nullopt;
    return SignedValue(*constant);
  }

  void ReadMetadata() {
    const NamedMetadata* reflection = module_.FindNamedMetadata("nvvm.reflection");
    if (reflection == nullptr) return;
    for (const MetadataId id : reflection->nodes) {
      const MetadataNode* node = module_.metadata(id);
      const bool is_pair =
          node != nullptr && node->operands.size() == 2 && node->operands[0].kind == MetadataOperand::Kind::kString &&
          node->operands[1].kind == MetadataOperand::Kind::kConstant && node->operands[1].constant->is_integer();
      if (!is_pair) {
        ErrorAt(module_.MetadataText(id).data(), "a node of !nvvm.reflection must be a string and an integer");
        continue;
      }
      values_[std::string(node->operands[0].text)] = SignedValue(*node->operands[1].constant);
    }
  }

  void ErrorAt(const char* position, std::string message) {
    if (module_.ir_source() != nullptr && position != nullptr) {
      context_.diagnostics.Error(*module_.ir_source(), position, std::move(message));
    } else {
      context_.diagnostics.Error(std::move(message));
    }
  }

  void Error(const Instruction& instruction, std::string message) {
    const bool has_position = instruction.position() != 0;
    ErrorAt(has_position ? module_.ir_text().data() + instruction.position() - 1 : nullptr, std::move(message));
  }

  bool ReplaceCalls(const IrFunction& callee) {
    bool changed = false;
    for (const std::unique_ptr<Function>& function : program_.functions()) {
      // Folding may erase instructions after the call.
      std::vector<Instruction*> mentions;
      for (BasicBlock* block : function->blocks()) {
        for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
          if (Mentions(*i, callee.id())) mentions.push_back(i);
        }
      }
      for (Instruction* const instruction : mentions) {
        if (instruction->parent() != nullptr) changed |= Replace(*instruction, callee);
      }
    }
    return changed;
  }

  static bool Mentions(const Instruction& instruction, GlobalId id) {
    return std::any_of(instruction.operands().begin(), instruction.operands().end(), [&](const Use& use) {
      if (!use.value().is_constant()) return false;
      const IrConstant& constant = static_cast<const ConstantValue&>(use.value()).constant();
      return constant.kind == IrConstant::Kind::kGlobal && constant.global == id;
    });
  }

  bool Replace(Instruction& call, const IrFunction& callee) {
    const bool is_call = call.opcode() == Opcode::kCall && CalledFunction(call) == &callee;
    if (!is_call) {
      Error(call, "__nvvm_reflect can only be used in a call instruction");
      return false;
    }
    if (call.call().num_arguments != 1) {
      Error(call, "__nvvm_reflect requires exactly one argument");
      return false;
    }
    std::string key;
    if (const char* message = ReadKey(call.operand(0), &key); message != nullptr) {
      Error(call, message);
      return false;
    }
    if (!call.type()->is_integer() || call.type()->integer_width() > 64) {
      Error(call, "__nvvm_reflect must return an integer");
      return false;
    }
    Function& function = call.function();
    const auto value = static_cast<uint64_t>(ValueOf(key, function));
    const uint32_t width = call.type()->integer_width();
    const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    context_.reporter.AddRemark(IrPassReporter::Kind::kPassed, "Reflected", call, [&] {
      return StrCat("__nvvm_reflect(\"", key, "\") is ", static_cast<int64_t>(value));
    });
    ReplaceByConstant(call, *function.Integer(call.type(), value & mask));
    ++replaced_;
    return true;
  }

  // Replaces an instruction by a constant, and what becomes constant by that in the same way. Calls wait for their
  // turn.
  static void ReplaceByConstant(Instruction& instruction, Value& constant) {
    std::vector<std::pair<Instruction*, Value*>> worklist = {{&instruction, &constant}};
    while (!worklist.empty()) {
      const auto [replaced, value] = worklist.back();
      worklist.pop_back();
      if (replaced->parent() == nullptr) continue;
      std::vector<Instruction*> users;
      for (const Use& use : replaced->uses()) {
        if (!IsDebugUse(use)) users.push_back(&use.user());
      }
      ReplaceAndErase(*replaced, *value);
      for (Instruction* const user : users) {
        if (user->parent() == nullptr || user->is_terminator()) continue;
        Value* const folded = Simplify(*user);
        if (folded != nullptr && folded->is_constant()) worklist.emplace_back(user, folded);
      }
    }
  }

  int64_t ValueOf(const std::string& key, const Function& function) {
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    if (key == kArchKey) return 10 * static_cast<int64_t>(SmOf(function));
    return 0;
  }

  uint32_t SmOf(const Function& function) const {
    if (context_.sm != 0) return context_.sm;
    const std::optional<std::string_view> cpu = module_.FunctionAttributeString(function.signature(), "target-cpu");
    constexpr std::string_view kPrefix = "sm_";
    if (!cpu.has_value() || cpu->substr(0, kPrefix.size()) != kPrefix) return 0;
    uint32_t number = 0;
    for (const char c : cpu->substr(kPrefix.size())) {
      if (c < '0' || c > '9') break;
      number = number * 10 + static_cast<uint32_t>(c - '0');
    }
    return number;
  }

  // Follows casts, GEPs of no offset and llvm.nvvm.ptr.constant.to.gen to what they are made of.
  static const Value& StripCasts(const Value& value) {
    const Value* result = &value;
    while (result->is_instruction()) {
      const auto& i = static_cast<const Instruction&>(*result);
      const bool is_cast = i.opcode() == Opcode::kBitCast || i.opcode() == Opcode::kAddrSpaceCast ||
                           (i.opcode() == Opcode::kGetElementPtr && ConstantOffset(i) == int64_t{0}) ||
                           IsIntrinsicCall(i, "llvm.nvvm.ptr.constant.to.gen");
      if (!is_cast) break;
      result = &i.operand(0);
    }
    return *result;
  }

  // Returns the message for an argument that is no key.
  const char* ReadKey(const Value& argument, std::string* key) const {
    const Value& value = StripCasts(argument);
    if (!value.is_constant()) return "__nvvm_reflect argument must be a constant string";
    const IrConstant* constant = &static_cast<const ConstantValue&>(value).constant();
    while (constant->kind == IrConstant::Kind::kExpression && !constant->operands.empty()) {
      const bool has_offset = constant->opcode == IrConstant::Opcode::kGetElementPtr &&
                              std::any_of(constant->operands.begin() + 1, constant->operands.end(),
                                          [](const IrConstant* index) { return index->ZExtValue() != 0; });
      if (has_offset) return "__nvvm_reflect argument must be a string constant";
      constant = constant->operands[0];
    }
    if (constant->kind != IrConstant::Kind::kGlobal) return "__nvvm_reflect argument must be a constant string";
    const GlobalVariable* variable = module_.variable(constant->global);
    if (variable == nullptr || variable->initializer == nullptr) {
      return "__nvvm_reflect argument must be a string constant";
    }
    if (!BytesOf(*variable->initializer, key)) return "__nvvm_reflect argument must be a string constant";
    if (key->empty() || key->back() != '\0' || key->find('\0') != key->size() - 1) {
      return "__nvvm_reflect argument must be a null-terminated string";
    }
    key->pop_back();
    return key->empty() ? "__nvvm_reflect argument cannot be empty" : nullptr;
  }

  static bool BytesOf(const IrConstant& constant, std::string* bytes) {
    switch (constant.kind) {
      case IrConstant::Kind::kString:
        bytes->assign(constant.text);
        return true;
      case IrConstant::Kind::kData:
        if (!constant.type->element()->is_integer(8)) return false;
        bytes->clear();
        for (const uint64_t word : constant.words) bytes->push_back(static_cast<char>(word));
        return true;
      case IrConstant::Kind::kZeroInitializer:
        if (!constant.type->is_array() || !constant.type->element()->is_integer(8)) return false;
        bytes->assign(constant.type->num_elements(), '\0');
        return true;
      default:
        return false;
    }
  }

  Program& program_;
  Module& module_;
  IrPassContext& context_;
  absl::flat_hash_map<std::string, int64_t> values_;
  uint64_t replaced_ = 0;
};

}  // namespace

IrPassResult RunNvvmReflect(Program& program, IrPassContext& context) {
  if (!context.knobs.nvvm_reflect_enable()) return {};
  return {.changed = Reflection(program, context).Run()};
}

}  // namespace ptxmir
