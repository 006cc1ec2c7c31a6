// SPDX-License-Identifier: Apache-2.0

#include "passes/nvptx/image_handles.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "base/str_cat.h"
#include "ir/image_kind.h"
#include "ir/ir_nvvm.h"
#include "ir/module.h"
#include "mir/code/function_ir.h"
#include "passes/nvptx/image_fetches.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/opcode_forms.h"
#include "ptx/target/parameter_names.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

constexpr GlobalId kNoVariable = ~GlobalId{0};
constexpr uint32_t kNoParameter = ~uint32_t{0};

// A handle whose kind is known is that of a variable or of a parameter of the kernel.
struct ImageHandle {
  ImageKind kind = ImageKind::kUnknown;
  GlobalId variable = kNoVariable;
  uint32_t parameter = kNoParameter;
  friend bool operator==(const ImageHandle&, const ImageHandle&) = default;
};

// The kinds of handles that the instructions of a family take.
struct HandleUse {
  ptx::Family family;
  ImageKind first;   // of the first handle
  ImageKind second;  // of the second one, if there is one
  std::string_view message;
};
constexpr HandleUse kHandleUses[] = {
    {ptx::Family::kTex, ImageKind::kTexture, ImageKind::kSampler, "Invalid image type in .tex"},
    {ptx::Family::kTld4, ImageKind::kTexture, ImageKind::kSampler, "Invalid image type in .tex"},
    {ptx::Family::kTxq, ImageKind::kTexture, ImageKind::kUnknown, "Invalid image type in .tex"},
    {ptx::Family::kSuld, ImageKind::kSurface, ImageKind::kUnknown, "Invalid image type in .suld"},
    {ptx::Family::kSustB, ImageKind::kSurface, ImageKind::kUnknown, "Invalid image type in .sust"},
    {ptx::Family::kSustP, ImageKind::kSurface, ImageKind::kUnknown, "Invalid image type in .sust"},
    {ptx::Family::kSuq, ImageKind::kSurface, ImageKind::kUnknown, "Invalid image type in suq."},
};

const HandleUse* FindHandleUse(Opcode opcode) {
  for (const HandleUse& use : kHandleUses) {
    if (use.family == ptx::InstrInfo(opcode).family) return &use;
  }
  return nullptr;
}

class HandleTracer {
 public:
  explicit HandleTracer(const MachineFunction& function)
      : function_(function), module_(function.module()), ir_function_(FindIrFunction(function)) {}

  ImageHandle Trace(const MachineOperand& operand) const {
    int steps = kMaxSteps;
    return TraceFrom(operand, steps).value_or(ImageHandle());
  }

 private:
  static constexpr int kMaxSteps = 32;  // instructions looked at for one handle
  using Origin = std::optional<ImageHandle>;

  // Returns nullopt if the operand has no definition.
  Origin TraceFrom(const MachineOperand& operand, int& steps) const {
    if (operand.is_global()) return OfVariable(operand.global());
    if (!operand.is_reg() || !operand.reg().is_virtual() || operand.is_undef()) return ImageHandle();
    Origin origin;
    for (const MachineOperand& def : function_.reg_info().Defs(operand.reg())) {
      if (--steps < 0) return ImageHandle();
      const ImageHandle of_def = OfDefinition(*def.parent(), steps);
      if (of_def.kind == ImageKind::kUnknown || (origin.has_value() && *origin != of_def)) return ImageHandle();
      origin = of_def;
    }
    return origin;
  }

  ImageHandle OfDefinition(const MachineInstr& instr, int& steps) const {
    if (instr.is_phi()) {
      Origin origin;
      for (unsigned i = 1; i < instr.num_operands(); i += 2) {
        const MachineOperand& incoming = instr.operand(i);
        // A loop that carries the handle around adds nothing.
        if (incoming.is_reg() && incoming.reg() == instr.operand(0).reg()) continue;
        const Origin of_incoming = TraceFrom(incoming, steps);
        if (!of_incoming.has_value() || (origin.has_value() && *origin != *of_incoming)) return ImageHandle();
        origin = of_incoming;
      }
      return origin.value_or(ImageHandle());
    }
    if (instr.num_operands() < 2) return ImageHandle();
    if (ptx::InstrInfo(instr.opcode()).semantics == ptx::SemanticTag::kSelpB64) {
      const Origin first = TraceFrom(instr.operand(1), steps);
      const Origin second = TraceFrom(instr.operand(2), steps);
      return first.has_value() && first == second ? *first : ImageHandle();
    }
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (instr.is_copy() || info.is_move() || info.is_address_conversion() || instr.operand(1).is_global()) {
      return info.touches_memory() ? ImageHandle() : TraceFrom(instr.operand(1), steps).value_or(ImageHandle());
    }
    return OfParameter(instr, info);
  }

  ImageHandle OfVariable(GlobalId id) const {
    const ImageKind kind = module_ == nullptr ? ImageKind::kUnknown : ImageKindOfVariable(*module_, id);
    return kind == ImageKind::kUnknown ? ImageHandle() : ImageHandle{.kind = kind, .variable = id};
  }

  // Returns what the instruction loads, if it loads an image parameter of a kernel.
  ImageHandle OfParameter(const MachineInstr& instr, const ptx::PtxInstrInfo& info) const {
    if (ir_function_ == nullptr || !info.reads_memory() || info.address == ptx::PtxInstrInfo::kNoOperand) return {};
    const MachineOperand& base = instr.operand(info.address);
    if (!base.is_symbol() || base.offset() != 0) return {};
    const auto number = ptx::ParameterNumber(function_.symbol(base.symbol()), function_.name());
    if (!number.has_value()) return {};
    const ImageKind kind = ImageKindOfParameter(*module_, *ir_function_, *number);
    return kind == ImageKind::kUnknown ? ImageHandle() : ImageHandle{.kind = kind, .parameter = *number};
  }

  const MachineFunction& function_;
  const Module* const module_;
  const IrFunction* const ir_function_;
};

ImageKind KindAskedFor(const MachineInstr& question) {
  switch (ptx::InstrInfo(question.opcode()).semantics) {
    case ptx::SemanticTag::kIstypepSamplerref:
      return ImageKind::kSampler;
    case ptx::SemanticTag::kIstypepSurfref:
      return ImageKind::kSurface;
    default:
      return ImageKind::kTexture;
  }
}

bool IsHandleOperand(const MachineInstr& instr, unsigned i) {
  const absl::Span<const OperandDesc> operands = ptx::PtxTargetInfo().Operands(instr.opcode());
  return i < operands.size() && operands[i].role == static_cast<uint8_t>(ptx::OperandRole::kHandle);
}

// Returns the form of an instruction that names the variable of handle operand `i` instead of taking it from a
// register. The names of the two differ in one letter: SULD_1D_I32_TRAP_R and SULD_1D_I32_TRAP_I. (Modes such as TRAP
// are no part of the semantics, so opcode_forms.h does not tell them apart.)
std::optional<Opcode> FormWithSymbol(Opcode opcode, unsigned i) {
  const TargetInfo& target = ptx::PtxTargetInfo();
  const std::string_view name = target.Name(opcode);
  for (const Opcode other : ptx::OpcodesWith(ptx::InstrInfo(opcode).semantics)) {
    const std::string_view other_name = target.Name(other);
    const absl::Span<const OperandDesc> operands = target.Operands(other);
    if (other_name.size() != name.size() || i >= operands.size() || operands[i].type != OperandType::kImmediate)
      continue;
    const auto [at, other_at] = std::mismatch(name.begin(), name.end(), other_name.begin());
    if (at == name.end() || *at != 'R' || *other_at != 'I') continue;
    if (std::equal(at + 1, name.end(), other_at + 1)) return other;
  }
  return std::nullopt;
}

// Replaces the handles of one function, and erases what computed them.
class HandleReplacement {
 public:
  HandleReplacement(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        tracer_(function),
        parameters_are_symbols_(function.module() != nullptr &&
                                DriverInterfaceOf(*function.module()) == DriverInterface::kOpenCl),
        unused_(function) {}

  // Returns the number of handles that were replaced.
  uint64_t Run() {
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr& instr : block) {
        if (const HandleUse* const use = FindHandleUse(instr.opcode()); use != nullptr) ReplaceHandlesOf(instr, *use);
      }
    }
    unused_.Erase();
    for (const Register reg : of_parameters_) EraseLoadIfUnused(reg);
    return num_replaced_;
  }

 private:
  void ReplaceHandlesOf(MachineInstr& instr, const HandleUse& use) {
    ImageKind wanted = use.first;
    for (unsigned i = 0; i < instr.num_operands(); ++i) {
      if (!IsHandleOperand(instr, i)) continue;
      const ImageHandle handle = tracer_.Trace(instr.operand(i));
      if (handle.kind == ImageKind::kUnknown || handle.kind == wanted) {
        if (instr.operand(i).is_reg()) ReplaceHandle(instr, i, handle);
      } else {
        context_.diagnostics.Error(StrCat("in function ", function_.name(), ": ", use.message));
      }
      wanted = use.second;
    }
  }

  void ReplaceHandle(MachineInstr& instr, unsigned i, const ImageHandle& handle) {
    const bool is_symbol = handle.parameter != kNoParameter && parameters_are_symbols_;
    if (handle.variable == kNoVariable && !is_symbol) return;
    const std::optional<Opcode> with_symbol = FormWithSymbol(instr.opcode(), i);
    if (!with_symbol.has_value()) return;
    const Register reg = instr.operand(i).reg();
    instr.set_opcode(*with_symbol);
    if (is_symbol) {
      const SymbolId name = function_.InternSymbol(ptx::ParameterName(function_.name(), handle.parameter));
      instr.operand(i).ChangeTo(MachineOperand::CreateExternalSymbol(name));
      of_parameters_.push_back(reg);
    } else {
      instr.operand(i).ChangeTo(MachineOperand::CreateGlobal(handle.variable));
      unused_.Add(reg);
    }
    ++num_replaced_;
  }

  // Erases the load of a parameter that is a symbol now. PTX has no value of such a parameter.
  void EraseLoadIfUnused(Register reg) {
    while (reg.is_virtual() && function_.reg_info().NonDebugUses(reg).empty()) {
      MachineInstr* const def = function_.reg_info().UniqueDef(reg);
      if (def == nullptr || !IsDeletableIfUnused(*def)) return;
      DropDebugUses(function_.reg_info(), reg);
      reg = def->is_copy() && def->operand(1).is_reg() ? def->operand(1).reg() : Register();
      def->EraseFromParent();
    }
  }

  MachineFunction& function_;
  PassContext& context_;
  const HandleTracer tracer_;
  const bool parameters_are_symbols_;
  UnusedInstrs unused_;
  std::vector<Register> of_parameters_;  // handles that were replaced by symbols
  uint64_t num_replaced_ = 0;
};

bool IsQuestionForType(Opcode opcode) { return ptx::InstrInfo(opcode).family == ptx::Family::kIstypep; }

// Answers the question if the type of the handle is known.
bool AnswerQuestion(MachineInstr& question, const HandleTracer& tracer, PassContext& context) {
  const ImageHandle handle = tracer.Trace(question.operand(1));
  if (handle.kind == ImageKind::kUnknown) return false;
  const bool answer = handle.kind == KindAskedFor(question);
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "TypeOfHandleKnown", question)
           << "the type of a handle is known: " << RemarkArg("Answer", answer ? "true" : "false");
  });
  BuildMI(*question.parent(), &question, ptx::op::MOV_B1_i, question.debug_loc())
      .AddDef(question.operand(0).reg(), question.operand(0).reg_flags() & MachineOperand::kDead)
      .AddImm(answer ? -1 : 0)
      .Insert();
  question.EraseFromParent();
  return true;
}

}  // namespace

PassResult RunImageOptimizer(MachineFunction& function, PassContext& context) {
  uint64_t num_answered = 0, num_merged = 0;
  if (function.MayContainAny(IsQuestionForType)) {
    const HandleTracer tracer(function);
    for (MachineBasicBlock& block : function) {
      for (MachineInstr *instr = block.front(), *next; instr != nullptr; instr = next) {
        next = instr->next();
        if (IsQuestionForType(instr->opcode())) num_answered += AnswerQuestion(*instr, tracer, context);
      }
    }
    context.AddStatistic("questions for the type of a handle answered", num_answered);
  }
  if (function.MayContainAny(IsImageRequest)) {
    num_merged = MergeImageRequests(function, context);
    context.AddStatistic("fetches and questions for shapes merged", num_merged);
  }
  return {.changed = num_answered + num_merged != 0, .preserved = PreservedAnalyses::ControlFlow()};
}

PassResult RunReplaceImageHandles(MachineFunction& function, PassContext& context) {
  if (!function.MayContainAny([](Opcode opcode) { return FindHandleUse(opcode) != nullptr; })) return {};
  const uint64_t num_replaced = HandleReplacement(function, context).Run();
  if (num_replaced == 0) return {};
  context.AddStatistic("handles replaced by symbols", num_replaced);
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "HandlesReplaced", function)
           << RemarkArg("Handles", num_replaced) << " handles are named by their variables or parameters";
  });
  return {.changed = true};
}

}  // namespace ptxmir
