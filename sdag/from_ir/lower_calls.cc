// SPDX-License-Identifier: Apache-2.0

// Arguments, results and calls, in the form that LLVM 22 gives them.
//
// A call declares its parameters between callseq_start and callseq_end and stores the arguments there. After the call,
// it loads the result, which ProxyReg copies once the sequence has ended. ptx/target/calling_convention.h says what is
// passed how; the heads of functions in PTX follow the same rules.

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/align.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ptx/target/calling_convention.h"
#include "ptx/target/parameter_names.h"
#include "sdag/from_ir/lowerings.h"

namespace ptxmir::sdag {
namespace {

// Returns true for integers of less than 32 bits, which are passed as 32 bits.
bool IsPromoted(MVT type) { return IsScalarInteger(type) && SizeInBits(type) < 32; }

// Returns what PTX passes in place of a scalar.
SDValue Promoted(FunctionBuilder& builder, SDValue value, const ValuePart& part, const IrAttributes& attributes) {
  if (!IsScalarInteger(part.type)) return value;
  const bool is_signed = attributes.Has("signext");
  value = is_signed ? builder.SignExtended(value, part) : builder.ZeroExtended(value, part);
  if (!IsPromoted(part.type)) return value;
  return builder.Node(is_signed ? isd::kSignExtend : isd::kZeroExtend, MVT::kI32, {value});
}

MemoryAccess ParamAccess(uint64_t align) { return {.address_space = address_space::kParam, .align = align}; }

// One call.
class CallLowering {
 public:
  CallLowering(FunctionBuilder& builder, const ir::Instruction& instruction)
      : builder_(builder),
        dag_(builder.dag()),
        instruction_(instruction),
        detail_(instruction.call()),
        callee_(FindCallee()),
        result_(detail_.function_type->return_type()),
        site_(builder.NextCallSite()) {}

  void Run() {
    const absl::Span<const ir::Use> arguments = instruction_.arguments();
    if (detail_.function_type->is_vararg()) {
      builder_.Refuse("a call of a variadic function");
      return;
    }
    // The arguments are computed, and their bytes read, before the call begins.
    std::vector<Piece> pieces;
    for (uint32_t i = 0; i < arguments.size(); ++i) {
      const Form form = FormOfArgument(i);
      if (form.bytes == 0 && ByValType(i) == nullptr) {
        builder_.Refuse(
            StrCat("an argument of type ", arguments[i].value().type()->ToString(), ", which has no bytes"));
        return;
      }
      AppendPieces(i, arguments[i].value(), form, pieces);
    }
    const SDValue callee = CalleeNode();
    if (builder_.has_failed()) return;
    builder_.machine_function().frame_info().has_calls = true;
    const SDValue start =
        dag_.GetNode(isd::kCallSeqStart, builder_.Loc(), {MVT::kOther, MVT::kGlue},
                     {builder_.Root(), dag_.GetTargetConstant(site_, MVT::kI64), dag_.GetTargetConstant(0, MVT::kI64)});
    glue_ = start.Result(1);
    std::vector<SDValue> chains = {start};
    std::vector<SDValue> declared(arguments.size());
    for (uint32_t i = 0; i < arguments.size(); ++i) declared[i] = DeclareArgument(i, start, chains);
    for (const Piece& piece : pieces) Store(piece, declared[piece.argument], chains);
    const bool has_result = HasResult();
    if (has_result) chains.push_back(Declare(ptx::kCallResult, FormOf(*result_, ResultAlign()), start));
    if (callee_ == nullptr) chains.push_back(Prototype(start));
    const SDValue call =
        builder_.Node(isd::kNvCall, MVT::kOther,
                      {dag_.GetTokenFactor({}, chains), Constant(1), Constant(callee_ == nullptr ? 1 : 0),
                       Constant(has_result ? 1 : 0), Constant(arguments.size()), callee, Constant(site_)});
    Finish(call, has_result);
  }

 private:
  // A part of an argument that is stored at once.
  struct Piece {
    uint32_t argument;
    SDValue value;
    uint64_t offset;
    uint64_t align;  // of the argument
    const IrType* source;
  };
  // A declaration in .param space.
  struct Form {
    bool is_array;
    uint64_t align;
    uint64_t bytes;
  };

  const IrFunction* FindCallee() const {
    const ir::Value& callee = instruction_.callee();
    if (!callee.is_constant()) return nullptr;
    const IrConstant& constant = static_cast<const ir::ConstantValue&>(callee).constant();
    if (constant.kind != IrConstant::Kind::kGlobal) return nullptr;
    return builder_.module().function(constant.global);
  }

  SDValue CalleeNode() {
    if (callee_ == nullptr) return builder_.UseOne(instruction_.callee());
    return dag_.GetGlobalAddress(callee_->id(), MVT::kI64, 0, true);
  }

  SDValue Constant(uint64_t number) { return dag_.GetConstant(number, MVT::kI32); }
  Module& module() const { return builder_.module(); }

  const IrAttributes& AttributesOf(uint32_t argument) const {
    if (callee_ != nullptr && argument < callee_->parameters.size()) return callee_->parameters[argument].attributes;
    return CallAttributesOf(argument);
  }
  const IrAttributes& CallAttributesOf(uint32_t argument) const {
    const ir::AttributeSetId id =
        argument < detail_.argument_attributes.size() ? detail_.argument_attributes[argument] : 0;
    return builder_.function().program().attribute_set(id).attributes;
  }
  const IrType* ByValType(uint32_t argument) const {
    const IrType* type = CallAttributesOf(argument).Type("byval");
    return type != nullptr ? type : AttributesOf(argument).Type("byval");
  }

  // An array may be as large as an object of its type, a scalar has 32, 64 or 128 bits.
  Form FormOf(const IrType& type, uint64_t align) const {
    const DataLayout& layout = builder_.layout();
    if (ptx::IsPassedAsArray(type)) return {true, align, layout.AllocSize(&type)};
    return {false, 0, ptx::ScalarParameterBits(layout, type) / 8};
  }
  Form FormOfArgument(uint32_t i) const {
    const IrAttributes& attributes = AttributesOf(i);
    if (const IrType* bytes = ByValType(i)) {
      return {true, ptx::ByValAlign(module(), callee_, *bytes, attributes), builder_.layout().AllocSize(bytes)};
    }
    const IrType& type = *instruction_.operand(i).type();
    return FormOf(type, ptx::ParameterAlign(module(), callee_, type, attributes));
  }
  const IrAttributes& ResultAttributes() const {
    return callee_ != nullptr ? callee_->return_attributes
                              : builder_.function().program().attribute_set(detail_.return_attributes).attributes;
  }
  uint64_t ResultAlign() const { return ptx::ParameterAlign(module(), callee_, *result_, ResultAttributes()); }
  bool HasResult() const { return !result_->is_void() && builder_.layout().AllocSize(result_) != 0; }

  void AppendPieces(uint32_t i, const ir::Value& argument, const Form& form, std::vector<Piece>& pieces) {
    if (const IrType* bytes = ByValType(i)) return AppendBytes(i, argument, bytes, form, pieces);
    const ValueNodes nodes = builder_.Use(argument);
    const absl::Span<const ValuePart> parts = builder_.PartsOf(argument.type());
    if (nodes.size() != parts.size()) return;
    if (!form.is_array && parts.size() == 1) {
      const SDValue value = Promoted(builder_, nodes[0], parts[0], CallAttributesOf(i));
      pieces.push_back({i, value, 0, std::max<uint64_t>(form.bytes, 1), nullptr});
      return;
    }
    values_.push_back({i, argument.type(), nodes, form.align});
  }

  // Returns the pointer into parameter space that a generic one comes from, or the pointer itself. A kernel passes its
  // own parameter on without a copy on the stack (nvptx-lower-args).
  static const ir::Value& SourceOf(const ir::Value& pointer) {
    if (!pointer.is_instruction()) return pointer;
    const auto& cast = static_cast<const ir::Instruction&>(pointer);
    if (cast.opcode() != ir::Opcode::kAddrSpaceCast) return pointer;
    return cast.operand(0).type()->address_space() == address_space::kParam ? cast.operand(0) : pointer;
  }

  // An object that an argument points to, as far as it has been read.
  struct PassedObject {
    uint64_t size;
    uint64_t align;
    absl::Span<const ValuePart> members;  // of which some may have been read
    uint64_t offset = 0;                  // the bytes that have been read
  };
  // One read of an object. The source is the member's type, or null for bytes.
  struct PartRead {
    MVT type;
    const IrType* source;
  };

  // Returns true if a member of an object is read by itself.
  static bool IsReadAlone(const ValuePart& member, uint64_t align) {
    const uint64_t bits = SizeInBits(member.type);
    if (!member.is_exact() || ScalarSizeInBits(member.type) < 8) return false;
    if (bits < 32 || bits > (IsVector(member.type) ? 128 : 64)) return false;
    return std::has_single_bit(bits) && AlignAt(align, member.offset) >= bits / 8;
  }

  // Members of 32 bits and more are read one by one, as code stores them: what was stored is then found, and the object
  // need not be in memory. What is between them is read as many bytes at a time as the alignment allows.
  static PartRead NextRead(PassedObject& object) {
    absl::Span<const ValuePart>& members = object.members;
    while (!members.empty() && (members[0].offset < object.offset || !IsReadAlone(members[0], object.align))) {
      members.remove_prefix(1);
    }
    const uint64_t end = members.empty() ? object.size : members[0].offset;
    if (object.offset == end) return {members[0].type, members[0].source};
    uint64_t width = std::min<uint64_t>(AlignAt(object.align, object.offset), 8);
    while (width > end - object.offset) width /= 2;
    return {*IntegerOf(static_cast<unsigned>(width * 8)), nullptr};
  }

  // Reads the object that an argument points to.
  void AppendBytes(uint32_t i, const ir::Value& pointer, const IrType* bytes, const Form& form,
                   std::vector<Piece>& pieces) {
    const ir::Value& source = SourceOf(pointer);
    const SDValue address = builder_.UseOne(source);
    const uint64_t stated = CallAttributesOf(i).Integer("align");
    PassedObject object = {.size = builder_.layout().AllocSize(bytes),
                           .align = stated != 0 ? stated : builder_.layout().AbiAlign(bytes),
                           .members = {}};
    constexpr uint64_t kMaxBytes = 4096;  // of the parameters of a kernel, and more than a function can take
    if (object.size > kMaxBytes) {
      builder_.Refuse(StrCat("an argument of ", object.size, " bytes"));
      return;
    }
    if (const PartTable::Parts& info = builder_.PartInfo(bytes); info.problem.empty()) object.members = info.parts;
    const MemoryAccess access = {.address_space = source.type()->address_space(), .align = object.align};
    while (object.offset < object.size) {
      const PartRead read = NextRead(object);
      const MachineMemOperand* operand =
          MemOperandFor(builder_, read.type, read.source, object.offset, access, MachineMemOperand::kLoad);
      const SDValue load = dag_.GetLoad(builder_.Loc(), read.type, builder_.LoadRoot(),
                                        builder_.AddOffset(address, static_cast<int64_t>(object.offset)), operand);
      builder_.AddPendingLoad(load.Result(1));
      pieces.push_back({i, load, object.offset, form.align, read.source});
      object.offset += SizeInBits(read.type) / 8;
    }
  }

  SDValue Declare(std::string_view name, const Form& form, SDValue start) {
    const SDValue symbol = dag_.GetExternalSymbol(name, MVT::kI32, true);
    const SDValue node = form.is_array
                             ? dag_.GetNode(isd::kNvDeclareArrayParam, builder_.Loc(), {MVT::kOther, MVT::kGlue},
                                            {start, symbol, Constant(form.align), Constant(form.bytes), glue_})
                             : dag_.GetNode(isd::kNvDeclareScalarParam, builder_.Loc(), {MVT::kOther, MVT::kGlue},
                                            {start, symbol, Constant(form.bytes * 8), glue_});
    glue_ = node.Result(1);
    return node;
  }

  SDValue DeclareArgument(uint32_t i, SDValue start, std::vector<SDValue>& chains) {
    const SDValue declared = Declare(StrCat("param", i), FormOfArgument(i), start);
    chains.push_back(declared);
    const SDValue symbol = dag_.GetExternalSymbol(StrCat("param", i), MVT::kI32, true);
    for (const WholeValue& value : values_) {
      if (value.argument != i) continue;
      StoreValue(builder_, value.type, value.nodes, declared, symbol, ParamAccess(value.align), chains);
    }
    return declared;
  }

  void Store(const Piece& piece, SDValue declared, std::vector<SDValue>& chains) {
    const SDValue symbol = dag_.GetExternalSymbol(StrCat("param", piece.argument), MVT::kI32, true);
    const MachineMemOperand* operand = MemOperandFor(builder_, piece.value.type(), piece.source, piece.offset,
                                                     ParamAccess(piece.align), MachineMemOperand::kStore);
    chains.push_back(dag_.GetStore(builder_.Loc(), declared, piece.value,
                                   builder_.AddOffset(symbol, static_cast<int64_t>(piece.offset)), operand));
  }

  static std::string TextOf(const Form& form) {
    if (form.is_array) return StrCat(".param .align ", form.align, " .b8 _[", form.bytes, "]");
    return StrCat(".param .b", form.bytes * 8, " _");
  }

  // Makes the prototype that a call through a pointer needs.
  SDValue Prototype(SDValue start) {
    std::string text = StrCat("prototype_", site_, " : .callprototype (");
    if (HasResult()) StrAppend(&text, TextOf(FormOf(*result_, ResultAlign())));
    StrAppend(&text, ") _ (");
    for (uint32_t i = 0; i < instruction_.arguments().size(); ++i) {
      StrAppend(&text, i == 0 ? "" : ", ", TextOf(FormOfArgument(i)));
    }
    StrAppend(&text, ");");
    return builder_.Node(isd::kNvCallPrototype, MVT::kOther, {start, dag_.GetExternalSymbol(text, MVT::kI32, true)});
  }

  void Finish(SDValue call, bool has_result) {
    SDValue chain = call;
    ValueNodes loaded;
    const absl::Span<const ValuePart> parts = builder_.PartsOf(result_);
    const bool is_scalar = has_result && !ptx::IsPassedAsArray(*result_) && parts.size() == 1;
    if (has_result) {
      const SDValue symbol = dag_.GetExternalSymbol(ptx::kCallResult, MVT::kI32, true);
      std::vector<SDValue> chains;
      if (is_scalar && IsPromoted(parts[0].type)) {
        const MachineMemOperand* operand =
            MemOperandFor(builder_, MVT::kI32, nullptr, 0, ParamAccess(4), MachineMemOperand::kLoad);
        loaded.push_back(dag_.GetLoad(builder_.Loc(), MVT::kI32, call, symbol, operand));
        chains.push_back(loaded[0].Result(1));
      } else {
        const uint64_t align = is_scalar ? builder_.layout().AbiAlign(result_) : ResultAlign();
        loaded = LoadValue(builder_, result_, call, symbol, ParamAccess(align), chains);
      }
      if (!chains.empty()) chain = dag_.GetTokenFactor({}, chains);
    }
    const SDValue end =
        dag_.GetNode(isd::kCallSeqEnd, builder_.Loc(), {MVT::kOther, MVT::kGlue},
                     {chain, dag_.GetTargetConstant(site_, MVT::kI64), dag_.GetTargetConstant(site_ + 1, MVT::kI64)});
    builder_.SetRoot(end);
    if (result_->is_void()) return;
    ValueNodes results;
    for (const SDValue node : loaded) {
      ValueNodes copies = builder_.Split(node);
      for (SDValue& copy : copies) copy = builder_.Node(isd::kNvProxyReg, copy.type(), {end, copy});
      results.push_back(builder_.Join(copies, node.type()));
    }
    if (is_scalar && IsPromoted(parts[0].type)) {
      // Functions extend what they give back (LowerReturn).
      const int16_t assertion = ResultAttributes().Has("signext") ? isd::kAssertSext : isd::kAssertZext;
      results[0] = builder_.Node(assertion, MVT::kI32, {results[0], dag_.GetValueType(EVT::Integer(parts[0].bits))});
      results[0] = builder_.Node(isd::kTruncate, parts[0].type, {results[0]});
    }
    builder_.Define(instruction_, results);
  }

  // An argument that is stored part by part.
  struct WholeValue {
    uint32_t argument;
    const IrType* type;
    ValueNodes nodes;
    uint64_t align;
  };

  FunctionBuilder& builder_;
  SelectionDAG& dag_;
  const ir::Instruction& instruction_;
  const ir::CallDetail& detail_;
  const IrFunction* callee_;  // null for calls through pointers
  const IrType* result_;
  const uint32_t site_;
  SDValue glue_;
  std::vector<WholeValue> values_;
};

SDValue ParameterSymbol(FunctionBuilder& builder, uint32_t number, bool is_target) {
  return builder.dag().GetExternalSymbol(ptx::ParameterName(builder.machine_function().name(), number), MVT::kI64,
                                         is_target);
}

// Returns true for a cast to parameter space.
bool NamesParameterSpace(const ir::Instruction& instruction) {
  if (instruction.opcode() == ir::Opcode::kAddrSpaceCast) {
    return instruction.type()->address_space() == address_space::kParam;
  }
  if (instruction.opcode() != ir::Opcode::kCall || !instruction.callee().is_constant()) return false;
  const IrConstant& callee = static_cast<const ir::ConstantValue&>(instruction.callee()).constant();
  if (callee.kind != IrConstant::Kind::kGlobal) return false;
  const IrFunction* function = instruction.function().module().function(callee.global);
  return function != nullptr && function->name.starts_with("llvm.nvvm.internal.addrspace.wrap.");
}

// Returns true if the uses of a kernel's byval parameter all name its place in parameter space.
bool IsReadInPlace(const ir::Argument& argument) {
  return std::all_of(argument.uses().begin(), argument.uses().end(), [](const ir::Use& use) {
    return use.user().is_debug_record() || NamesParameterSpace(use.user());
  });
}

// Copies the bytes of a kernel's byval parameter to the stack, where the kernel may change them.
void CopyParameter(FunctionBuilder& builder, const ir::Argument& argument, const IrParameter& parameter) {
  const IrType* bytes = parameter.ByValType();
  const uint64_t size = builder.layout().AllocSize(bytes);
  const uint64_t align = std::max(parameter.attributes.Integer("align"), builder.layout().AbiAlign(bytes));
  const int index = builder.machine_function().frame_info().CreateStackObject(
      std::max<uint64_t>(size, 1), static_cast<uint8_t>(std::countr_zero(align)));
  const SDValue from = ParameterSymbol(builder, argument.number(), false);
  SDValue to = builder.dag().GetFrameIndex(index, MVT::kI64);
  MemoryAccess source = ParamAccess(align);
  source.flags = MachineMemOperand::kDereferenceable | MachineMemOperand::kInvariant;
  const MemoryAccess target = {.address_space = address_space::kGeneric, .align = align};
  std::vector<SDValue> chains;
  for (uint64_t offset = 0; offset < size;) {
    unsigned width = 8;
    while (width > align || width > size - offset) width /= 2;
    const MVT type = *IntegerOf(width * 8);
    const auto at = static_cast<int64_t>(offset);
    const SDValue load =
        builder.dag().GetLoad(builder.Loc(), type, builder.dag().EntryToken(), builder.AddOffset(from, at),
                              MemOperandFor(builder, type, nullptr, offset, source, MachineMemOperand::kLoad));
    chains.push_back(
        builder.dag().GetStore(builder.Loc(), builder.LoadRoot(), load, builder.AddOffset(to, at),
                               MemOperandFor(builder, type, nullptr, offset, target, MachineMemOperand::kStore)));
    offset += width;
  }
  if (!chains.empty()) builder.SetRoot(builder.dag().GetTokenFactor({}, chains));
  const uint32_t space = argument.type()->address_space();
  if (space != address_space::kGeneric) {
    to = builder.dag().GetAddrSpaceCast({}, builder.PointerType(space), to, address_space::kGeneric, space);
  }
  builder.Define(argument, to);
}

void LowerByValArgument(FunctionBuilder& builder, const ir::Argument& argument, const IrParameter& parameter) {
  const uint32_t space = argument.type()->address_space();
  if (builder.is_kernel()) {
    const SDValue symbol = ParameterSymbol(builder, argument.number(), false);
    if (space == address_space::kParam || IsReadInPlace(argument)) return builder.Define(argument, symbol);
    return CopyParameter(builder, argument, parameter);
  }
  // In functions, the address of a parameter is one in local memory.
  const SDValue symbol = ParameterSymbol(builder, argument.number(), true);
  SDValue address = builder.Node(isd::kNvMoveParam, MVT::kI64, {symbol});
  if (space != address_space::kLocal) {
    address = builder.dag().GetAddrSpaceCast({}, MVT::kI64, address, address_space::kLocal, space);
  }
  builder.Define(argument, address);
}

}  // namespace

bool LowerParameterPlace(FunctionBuilder& builder, const ir::Instruction& instruction) {
  if (!builder.is_kernel() || !NamesParameterSpace(instruction)) return false;
  const ir::Value& operand = instruction.operand(0);
  if (!operand.is_argument()) return false;
  const uint32_t number = static_cast<const ir::Argument&>(operand).number();
  if (builder.function().signature().parameters[number].ByValType() == nullptr) return false;
  builder.Define(instruction, ParameterSymbol(builder, number, false));
  return true;
}

void LowerArguments(FunctionBuilder& builder) {
  const IrFunction& signature = builder.function().signature();
  if (signature.is_vararg()) {
    builder.Refuse("a variadic function");
    return;
  }
  for (const ir::Argument* argument : builder.function().arguments()) {
    if (!HasCodeUses(*argument)) continue;
    const IrParameter& parameter = signature.parameters[argument->number()];
    if (parameter.ByValType() != nullptr) {
      LowerByValArgument(builder, *argument, parameter);
      continue;
    }
    const IrType& type = *argument->type();
    const uint64_t align = ptx::IsPassedAsArray(type)
                               ? ptx::ParameterAlign(builder.module(), &signature, type, parameter.attributes)
                               : builder.layout().AbiAlign(&type);
    MemoryAccess access = ParamAccess(align);
    access.flags = MachineMemOperand::kDereferenceable | MachineMemOperand::kInvariant;
    // Callers extend what they pass.
    access.has_truth_bytes = !parameter.attributes.Has("signext");
    std::vector<SDValue> chains;
    builder.Define(*argument, LoadValue(builder, &type, builder.dag().EntryToken(),
                                        ParameterSymbol(builder, argument->number(), false), access, chains));
  }
}

void LowerReturn(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const IrFunction& signature = builder.function().signature();
  const IrType* type = signature.return_type();
  if (instruction.num_operands() != 0 && builder.layout().AllocSize(type) != 0) {
    const ValueNodes nodes = builder.Use(instruction.operand(0));
    const absl::Span<const ValuePart> parts = builder.PartsOf(type);
    const SDValue symbol = builder.dag().GetExternalSymbol(ptx::kFunctionResult, MVT::kI32, true);
    std::vector<SDValue> chains;
    const SDValue root = builder.Root();
    if (!ptx::IsPassedAsArray(*type) && parts.size() == 1 && nodes.size() == 1) {
      const SDValue value = Promoted(builder, nodes[0], parts[0], signature.return_attributes);
      const MachineMemOperand* operand = MemOperandFor(
          builder, value.type(), nullptr, 0, ParamAccess(SizeInBytes(value.type())), MachineMemOperand::kStore);
      chains.push_back(builder.dag().GetStore(builder.Loc(), root, value, symbol, operand));
    } else {
      const uint64_t align = ptx::ParameterAlign(builder.module(), &signature, *type, signature.return_attributes);
      StoreValue(builder, type, nodes, root, symbol, ParamAccess(align), chains);
    }
    if (!chains.empty()) builder.SetRoot(builder.dag().GetTokenFactor({}, chains));
  }
  builder.dag().SetRoot(builder.Node(isd::kNvRetGlue, MVT::kOther, {builder.ControlRoot()}));
}

void LowerCall(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const ir::Value& callee = instruction.callee();
  if (callee.is_inline_asm()) {
    return LowerInlineAsm(builder, instruction, static_cast<const ir::InlineAsm&>(callee));
  }
  if (callee.is_constant()) {
    const IrConstant& constant = static_cast<const ir::ConstantValue&>(callee).constant();
    if (constant.kind == IrConstant::Kind::kGlobal) {
      const IrFunction* function = builder.module().function(constant.global);
      if (function != nullptr && function->is_intrinsic()) {
        return LowerIntrinsic(builder, instruction, function->name);
      }
    }
  }
  CallLowering(builder, instruction).Run();
}

}  // namespace ptxmir::sdag
