// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/image_optimizer.h"

#include <optional>
#include <string_view>

#include "base/str_cat.h"
#include "ir/image_kind.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

constexpr std::string_view kQuestionPrefix = "llvm.nvvm.istypep.";
constexpr int kMaxSteps = 32;  // values looked at for one handle

ImageKind KindOfConstant(const Module& module, const IrConstant& constant) {
  const IrConstant* inner = &constant;
  while (inner->kind == IrConstant::Kind::kExpression && inner->operands.size() == 1) inner = inner->operands[0];
  return inner->kind == IrConstant::Kind::kGlobal ? ImageKindOfVariable(module, inner->global) : ImageKind::kUnknown;
}

class HandleTracer {
 public:
  explicit HandleTracer(const Module& module) : module_(module) {}

  ImageKind Trace(const Value& handle) {
    steps_ = kMaxSteps;
    return KindOf(handle);
  }

 private:
  ImageKind KindOf(const Value& value) {
    if (--steps_ < 0) return ImageKind::kUnknown;
    if (value.is_constant()) {
      return KindOfConstant(module_, static_cast<const ConstantValue&>(value).constant());
    }
    if (value.is_argument()) {
      const auto& argument = static_cast<const Argument&>(value);
      return ImageKindOfParameter(module_, argument.function().signature(), argument.number());
    }
    return value.is_instruction() ? KindOfInstruction(static_cast<const Instruction&>(value)) : ImageKind::kUnknown;
  }

  ImageKind KindOfInstruction(const Instruction& i) {
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
        std::optional<ImageKind> kind;
        for (unsigned n = 0; n < i.num_incoming(); ++n) {
          if (&i.incoming_value(n) == &i) continue;  // a loop that carries the handle around
          const ImageKind incoming = KindOf(i.incoming_value(n));
          kind = kind.has_value() ? Common(*kind, incoming) : incoming;
        }
        return kind.value_or(ImageKind::kUnknown);
      }
      case Opcode::kCall: {
        const unsigned count = i.call().num_arguments;
        const bool is_handle = count != 0 && IsIntrinsicCall(i, "llvm.nvvm.texsurf.handle");
        return is_handle ? KindOf(i.operand(count - 1)) : ImageKind::kUnknown;
      }
      default:
        return ImageKind::kUnknown;
    }
  }

  static ImageKind Common(ImageKind a, ImageKind b) { return a == b ? a : ImageKind::kUnknown; }

  const Module& module_;
  int steps_ = 0;
};

ImageKind KindAskedFor(std::string_view name) {
  name.remove_prefix(kQuestionPrefix.size());
  if (name == "texture") return ImageKind::kTexture;
  if (name == "surface") return ImageKind::kSurface;
  return name == "sampler" ? ImageKind::kSampler : ImageKind::kUnknown;
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
      const ImageKind asked = KindAskedFor(CalledFunction(*question)->name);
      const ImageKind kind = tracer.Trace(question->operand(0));
      if (asked == ImageKind::kUnknown || kind == ImageKind::kUnknown) continue;
      const bool answer = kind == asked;
      context.reporter.AddRemark(IrPassReporter::Kind::kPassed, "TypeOfHandleKnown", *question,
                                 [&] { return StrCat("the type of a handle is known: ", answer ? "true" : "false"); });
      ReplaceAndErase(*question, *function.Integer(question->type(), answer ? 1 : 0));
      ++num_folded;
    }
  }
  context.AddStatistic("questions for the type of a handle answered", num_folded);
  return {.changed = num_folded != 0};
}

}  // namespace ptxmir
