// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/image_optimizer.h"

#include <optional>
#include <string_view>

#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

enum class HandleKind : uint8_t { kUnknown, kTexture, kSurface, kSampler };

constexpr std::string_view kQuestionPrefix = "llvm.nvvm.istypep.";
constexpr int kMaxSteps = 32;  // values looked at for one handle

HandleKind KindOfVariable(const Module& module, GlobalId id) {
  if (module.variable(id) == nullptr) return HandleKind::kUnknown;
  if (IsTexture(module, id)) return HandleKind::kTexture;
  if (IsSurface(module, id)) return HandleKind::kSurface;
  return IsSampler(module, id) ? HandleKind::kSampler : HandleKind::kUnknown;
}

HandleKind KindOfParameter(const Module& module, const IrFunction& function, uint32_t number) {
  if (IsSamplerParameter(module, function, number)) return HandleKind::kSampler;
  if (IsImageReadOnly(module, function, number)) return HandleKind::kTexture;
  const bool is_written = IsImageWriteOnly(module, function, number) || IsImageReadWrite(module, function, number);
  return is_written ? HandleKind::kSurface : HandleKind::kUnknown;
}

HandleKind KindOfConstant(const Module& module, const IrConstant& constant) {
  const IrConstant* inner = &constant;
  while (inner->kind == IrConstant::Kind::kExpression && inner->operands.size() == 1) inner = inner->operands[0];
  return inner->kind == IrConstant::Kind::kGlobal ? KindOfVariable(module, inner->global) : HandleKind::kUnknown;
}

class HandleTracer {
 public:
  explicit HandleTracer(const Module& module) : module_(module) {}

  HandleKind Trace(const Value& handle) {
    steps_ = kMaxSteps;
    return KindOf(handle);
  }

 private:
  HandleKind KindOf(const Value& value) {
    if (--steps_ < 0) return HandleKind::kUnknown;
    if (value.is_constant()) {
      return KindOfConstant(module_, static_cast<const ConstantValue&>(value).constant());
    }
    if (value.is_argument()) {
      const auto& argument = static_cast<const Argument&>(value);
      return KindOfParameter(module_, argument.function().signature(), argument.number());
    }
    return value.is_instruction() ? KindOfInstruction(static_cast<const Instruction&>(value)) : HandleKind::kUnknown;
  }

  HandleKind KindOfInstruction(const Instruction& i) {
    switch (i.opcode()) {
      case Opcode::kPtrToInt:
      case Opcode::kIntToPtr:
      case Opcode::kBitCast:
      case Opcode::kAddrSpaceCast:
      case Opcode::kFreeze:
        return KindOf(i.operand(0));
      case Opcode::kSelect:
        return Common(KindOf(i.operand(1)), KindOf(i.operand(2)));
      case Opcode::kPhi: {
        std::optional<HandleKind> kind;
        for (unsigned n = 0; n < i.num_incoming(); ++n) {
          if (&i.incoming_value(n) == &i) continue;  // a loop that carries the handle around
          const HandleKind incoming = KindOf(i.incoming_value(n));
          kind = kind.has_value() ? Common(*kind, incoming) : incoming;
        }
        return kind.value_or(HandleKind::kUnknown);
      }
      case Opcode::kCall: {
        const unsigned count = i.call().num_arguments;
        const bool is_handle = count != 0 && IsIntrinsicCall(i, "llvm.nvvm.texsurf.handle");
        return is_handle ? KindOf(i.operand(count - 1)) : HandleKind::kUnknown;
      }
      default:
        return HandleKind::kUnknown;
    }
  }

  static HandleKind Common(HandleKind a, HandleKind b) { return a == b ? a : HandleKind::kUnknown; }

  const Module& module_;
  int steps_ = 0;
};

HandleKind KindAskedFor(std::string_view name) {
  name.remove_prefix(kQuestionPrefix.size());
  if (name == "texture") return HandleKind::kTexture;
  if (name == "surface") return HandleKind::kSurface;
  return name == "sampler" ? HandleKind::kSampler : HandleKind::kUnknown;
}

}  // namespace

IrPassResult RunImageOptimizerOnIr(Function& function, IrPassContext& context) {
  HandleTracer tracer(function.module());
  uint64_t num_folded = 0;
  for (BasicBlock* block : function.blocks()) {
    for (Instruction* i = block->first(); i != nullptr;) {
      Instruction* const question = i;
      i = i->next();
      if (!IsIntrinsicCall(*question, kQuestionPrefix) || question->call().num_arguments != 1) continue;
      const HandleKind asked = KindAskedFor(CalledFunction(*question)->name);
      const HandleKind kind = tracer.Trace(question->operand(0));
      if (asked == HandleKind::kUnknown || kind == HandleKind::kUnknown) continue;
      const bool answer = kind == asked;
      if (context.reporter.WantsRemarks()) {
        context.reporter.AddRemark(IrPassReporter::Kind::kPassed, "TypeOfHandleKnown", *question,
                                   StrCat("the type of a handle is known: ", answer ? "true" : "false"));
      }
      ReplaceAndErase(*question, *function.Integer(question->type(), answer ? 1 : 0));
      ++num_folded;
    }
  }
  context.AddStatistic("questions for the type of a handle answered", num_folded);
  return {.changed = num_folded != 0};
}

}  // namespace ptxmir
