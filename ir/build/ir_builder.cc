// SPDX-License-Identifier: Apache-2.0

#include "ir/build/ir_builder.h"

#include <bit>

#include "base/str_cat.h"

namespace ptxmir::ir {
namespace {

const IrType* ScalarOf(const IrType* type) { return type->is_vector() ? type->element() : type; }

std::string Name(const IrType* type) { return type == nullptr ? "null" : StrCat("'", type->ToString(), "'"); }

// Returns true if `b` is `a` with another element: both are scalars, or vectors of one length.
bool HasShapeOf(const IrType* a, const IrType* b) {
  return a->is_vector() == b->is_vector() && (!a->is_vector() || a->num_elements() == b->num_elements());
}

bool IsCastOf(Opcode opcode, const IrType* from, const IrType* to) {
  const IrType *a = ScalarOf(from), *b = ScalarOf(to);
  const auto narrower = [](const IrType* x, const IrType* y) {
    constexpr auto kHalf = IrType::Kind::kHalf, kBFloat = IrType::Kind::kBFloat;
    if (x->is_integer()) return x->integer_width() < y->integer_width();
    const bool x_is_16 = x->kind() == kHalf || x->kind() == kBFloat,
               y_is_16 = y->kind() == kHalf || y->kind() == kBFloat;
    return x_is_16 != y_is_16 ? x_is_16 : !x_is_16 && x->kind() < y->kind();
  };
  if (opcode != Opcode::kBitCast && !HasShapeOf(from, to)) return false;
  switch (opcode) {
    case Opcode::kTrunc:
      return a->is_integer() && b->is_integer() && narrower(b, a);
    case Opcode::kZExt:
    case Opcode::kSExt:
      return a->is_integer() && b->is_integer() && narrower(a, b);
    case Opcode::kFPTrunc:
      return a->is_floating_point() && b->is_floating_point() && narrower(b, a);
    case Opcode::kFPExt:
      return a->is_floating_point() && b->is_floating_point() && narrower(a, b);
    case Opcode::kFPToUI:
    case Opcode::kFPToSI:
      return a->is_floating_point() && b->is_integer();
    case Opcode::kUIToFP:
    case Opcode::kSIToFP:
      return a->is_integer() && b->is_floating_point();
    case Opcode::kPtrToInt:
    case Opcode::kPtrToAddr:
      return a->is_pointer() && b->is_integer();
    case Opcode::kIntToPtr:
      return a->is_integer() && b->is_pointer();
    case Opcode::kAddrSpaceCast:
      return a->is_pointer() && b->is_pointer() && a != b;
    case Opcode::kBitCast:
      return from->is_first_class() && to->is_first_class();  // the verifier knows the sizes
    default:
      return false;
  }
}

}  // namespace

bool IRBuilder::Fail(std::string_view call, std::string message) {
  const std::string where =
      function_ == nullptr ? std::string() : StrCat("function '", function_->signature().name, "': ");
  return module_.Fail(StrCat(where, call, ": ", message));
}

bool IRBuilder::CheckPlace(std::string_view call) {
  if (block_ == nullptr) return Fail(call, "there is no insert point");
  if (before_ == nullptr && block_->terminator() != nullptr) {
    return Fail(call, "the block has a terminator already");
  }
  return true;
}

bool IRBuilder::CheckOperands(std::string_view call, absl::Span<Value* const> operands) {
  if (!CheckPlace(call)) return false;
  for (const Value* operand : operands) {
    if (operand == nullptr) return Fail(call, "an operand is null");
    if (&operand->function() != function_) return Fail(call, "an operand is of another function");
    if (operand->is_block() || operand->type()->is_void()) return Fail(call, "an operand is no value");
  }
  return true;
}

bool IRBuilder::CheckBlock(std::string_view call, const BasicBlock* block) {
  if (block == nullptr) return Fail(call, "a block is null");
  return &block->function() == function_ || Fail(call, "a block is of another function");
}

Value* IRBuilder::Wrong(const IrType* type) {
  const bool can = function_ != nullptr && type != nullptr && type->is_first_class();
  return can ? function_->Simple(IrConstant::Kind::kPoison, type) : nullptr;
}

Instruction* IRBuilder::Insert(Opcode opcode, const IrType* type, absl::Span<const Operand> operands,
                               std::string_view name, uint32_t flags) {
  Instruction* made = function_->CreateInstruction(opcode, type, operands);
  made->set_flags(flags & AllowedFlags(opcode));
  if (!name.empty() && !type->is_void()) {
    made->set_name(function_->AddName(module_.UniqueLocalName(*function_, name)));
  }
  if (before_ != nullptr) {
    block_->Insert(*made, *before_);
  } else {
    block_->Append(*made);
  }
  return made;
}

BasicBlock* IRBuilder::CreateBasicBlock(Function* function, std::string_view name) {
  if (function == nullptr || &function->program() != &module_.program()) {
    module_.Fail("CreateBasicBlock: the function is null or of another module");
    return nullptr;
  }
  BasicBlock* made = function->CreateBlock();
  if (!name.empty()) made->set_name(function->AddName(module_.UniqueLocalName(*function, name)));
  function->AppendBlock(*made);
  return made;
}

void IRBuilder::SetInsertPoint(BasicBlock* block) {
  block_ = block;
  before_ = nullptr;
  function_ = block == nullptr ? nullptr : &block->function();
  if (block == nullptr) Fail("SetInsertPoint", "the block is null");
}

void IRBuilder::SetInsertPoint(Instruction* before) {
  SetInsertPoint(before == nullptr ? nullptr : before->parent());
  before_ = before;
}

Value* IRBuilder::getInt(const IrType* type, uint64_t value) {
  if (function_ == nullptr || type == nullptr || !type->is_integer()) {
    Fail("getInt", function_ == nullptr ? "there is no insert point" : StrCat(Name(type), " is no integer type"));
    return nullptr;
  }
  return function_->Integer(type, value);
}

Value* IRBuilder::getFloat(float value) {
  if (function_ == nullptr) {
    Fail("getFloat", "there is no insert point");
    return nullptr;
  }
  const uint64_t word = std::bit_cast<uint32_t>(value);
  return function_->Constant(*module_.module().NewConstant(
      {.kind = IrConstant::Kind::kFloat, .type = module_.getFloatTy(), .words = absl::MakeConstSpan(&word, 1)}));
}

Value* IRBuilder::getDouble(double value) {
  if (function_ == nullptr) {
    Fail("getDouble", "there is no insert point");
    return nullptr;
  }
  const auto word = std::bit_cast<uint64_t>(value);
  return function_->Constant(*module_.module().NewConstant(
      {.kind = IrConstant::Kind::kFloat, .type = module_.getDoubleTy(), .words = absl::MakeConstSpan(&word, 1)}));
}

Value* IRBuilder::getNull(const IrType* type) {
  if (function_ == nullptr || type == nullptr || !type->is_sized_kind()) {
    Fail("getNull", function_ == nullptr ? "there is no insert point" : StrCat(Name(type), " has no null"));
    return nullptr;
  }
  if (type->is_integer()) return function_->Integer(type, 0);
  return function_->Simple(type->is_pointer() ? IrConstant::Kind::kNullPointer : IrConstant::Kind::kZeroInitializer,
                           type);
}

Value* IRBuilder::getPoison(const IrType* type) {
  Value* value = Wrong(type);
  if (value == nullptr) Fail("getPoison", "there is no insert point, or no value can have the type");
  return value;
}

Value* IRBuilder::getGlobal(const GlobalValue* global) {
  const bool is_known = global != nullptr && module_.module().HasGlobal(global->id()) &&
                        &module_.module().global_value(global->id()) == global;
  if (function_ != nullptr && is_known) return function_->GlobalAddress(global->id());
  Fail("getGlobal", "there is no insert point, or the global is null or of another module");
  return nullptr;
}

Value* IRBuilder::CreateBinOp(Opcode opcode, Value* a, Value* b, std::string_view name, uint32_t flags) {
  const std::string call = StrCat("Create ", OpcodeWord(opcode));
  if (!CheckOperands(call, {a, b})) return Wrong(a);
  const IrType* type = a->type();
  const bool fits = IsFloatBinary(opcode) ? ScalarOf(type)->is_floating_point() : ScalarOf(type)->is_integer();
  if (!IsBinary(opcode) || type != b->type() || !fits) {
    Fail(call, StrCat("the operands are ", Name(type), " and ", Name(b->type())));
    return Wrong(a);
  }
  return Insert(opcode, type, {*a, *b}, name, IsFloatBinary(opcode) ? flags | fast_math_ : flags);
}

Value* IRBuilder::CreateFNeg(Value* a, std::string_view name) {
  if (!CheckOperands("CreateFNeg", {a})) return Wrong(a);
  if (!ScalarOf(a->type())->is_floating_point()) Fail("CreateFNeg", StrCat("the operand is ", Name(a->type())));
  return Insert(Opcode::kFNeg, a->type(), {*a}, name, fast_math_);
}

Value* IRBuilder::CreateFreeze(Value* a, std::string_view name) {
  if (!CheckOperands("CreateFreeze", {a})) return Wrong(a);
  return Insert(Opcode::kFreeze, a->type(), {*a}, name);
}

Value* IRBuilder::CreateCast(Opcode opcode, Value* a, const IrType* type, std::string_view name) {
  const std::string call = StrCat("Create ", OpcodeWord(opcode));
  if (!CheckOperands(call, {a})) return Wrong(type);
  if (type == nullptr || !IsCastOf(opcode, a->type(), type)) {
    Fail(call, StrCat("a cast from ", Name(a->type()), " to ", Name(type)));
    return Wrong(type);
  }
  return Insert(opcode, type, {*a}, name);
}

Value* IRBuilder::CreateICmp(Predicate predicate, Value* a, Value* b, std::string_view name) {
  if (!CheckOperands("CreateICmp", {a, b})) return Wrong(module_.getInt1Ty());
  const IrType* type = a->type();
  const IrType* result =
      type->is_vector() ? module_.getVectorTy(module_.getInt1Ty(), type->num_elements()) : module_.getInt1Ty();
  const bool fits = ScalarOf(type)->is_integer() || ScalarOf(type)->is_pointer();
  if (type != b->type() || !fits || !IsIntegerPredicate(predicate)) {
    Fail("CreateICmp", StrCat("'", PredicateWord(predicate), "' of ", Name(type), " and ", Name(b->type())));
    return Wrong(result);
  }
  Instruction* made = Insert(Opcode::kICmp, result, {*a, *b}, name);
  made->set_variant(static_cast<uint8_t>(predicate));
  return made;
}

Value* IRBuilder::CreateFCmp(Predicate predicate, Value* a, Value* b, std::string_view name) {
  if (!CheckOperands("CreateFCmp", {a, b})) return Wrong(module_.getInt1Ty());
  const IrType* type = a->type();
  const IrType* result =
      type->is_vector() ? module_.getVectorTy(module_.getInt1Ty(), type->num_elements()) : module_.getInt1Ty();
  if (type != b->type() || !ScalarOf(type)->is_floating_point() || IsIntegerPredicate(predicate)) {
    Fail("CreateFCmp", StrCat("'", PredicateWord(predicate), "' of ", Name(type), " and ", Name(b->type())));
    return Wrong(result);
  }
  Instruction* made = Insert(Opcode::kFCmp, result, {*a, *b}, name, fast_math_);
  made->set_variant(static_cast<uint8_t>(predicate));
  return made;
}

Value* IRBuilder::CreateSelect(Value* condition, Value* a, Value* b, std::string_view name) {
  if (!CheckOperands("CreateSelect", {condition, a, b})) return Wrong(a);
  const IrType* type = condition->type();
  const bool fits = ScalarOf(type)->is_integer(1) && (!type->is_vector() || HasShapeOf(type, a->type()));
  if (!fits || a->type() != b->type()) {
    Fail("CreateSelect", StrCat("the operands are ", Name(type), ", ", Name(a->type()), " and ", Name(b->type())));
    return Wrong(a);
  }
  const uint32_t flags = ScalarOf(a->type())->is_floating_point() ? fast_math_ : 0;
  return Insert(Opcode::kSelect, a->type(), {*condition, *a, *b}, name, flags);
}

bool IRBuilder::SetAlign(std::string_view call, Instruction* access, const IrType* type, uint64_t align) {
  if (align == 0) align = module_.module().data_layout().AbiAlign(type);
  if (!std::has_single_bit(align) || align > uint64_t{1} << 32) {
    return Fail(call, StrCat("the alignment ", align, " is no power of two, or too large"));
  }
  access->set_log_align(static_cast<uint8_t>(std::countr_zero(align)));
  return true;
}

Value* IRBuilder::CreateAlloca(const IrType* type, std::string_view name) {
  const IrType* pointer = module_.getPtrTy(module_.module().data_layout().alloca_address_space());
  if (!CheckPlace("CreateAlloca")) return Wrong(pointer);
  if (type == nullptr || !type->is_sized_kind()) {
    Fail("CreateAlloca", StrCat(Name(type), " has no size"));
    return Wrong(pointer);
  }
  Instruction* made = Insert(Opcode::kAlloca, pointer, {*getInt32(1)}, name);
  function_->SetDetail(*made, type);
  SetAlign("CreateAlloca", made, type, 0);
  return made;
}

Value* IRBuilder::CreateLoad(const IrType* type, Value* pointer, std::string_view name, uint64_t align) {
  if (!CheckOperands("CreateLoad", {pointer})) return Wrong(type);
  if (type == nullptr || !type->is_sized_kind() || !pointer->type()->is_pointer()) {
    Fail("CreateLoad", StrCat("a load of ", Name(type), " from ", Name(pointer->type())));
    return Wrong(type);
  }
  Instruction* made = Insert(Opcode::kLoad, type, {*pointer}, name);
  SetAlign("CreateLoad", made, type, align);
  return made;
}

Instruction* IRBuilder::CreateStore(Value* value, Value* pointer, uint64_t align) {
  if (!CheckOperands("CreateStore", {value, pointer})) return nullptr;
  if (!value->type()->is_sized_kind() || !pointer->type()->is_pointer()) {
    Fail("CreateStore", StrCat("a store of ", Name(value->type()), " to ", Name(pointer->type())));
    return nullptr;
  }
  Instruction* made = Insert(Opcode::kStore, module_.getVoidTy(), {*value, *pointer});
  SetAlign("CreateStore", made, value->type(), align);
  return made;
}

Value* IRBuilder::CreateGEP(const IrType* type, Value* pointer, absl::Span<Value* const> indices, std::string_view name,
                            bool inbounds) {
  if (!CheckOperands("CreateGEP", {pointer}) || !CheckOperands("CreateGEP", indices)) return Wrong(pointer);
  bool fits = type != nullptr && type->is_sized_kind() && pointer->type()->is_pointer() && !indices.empty();
  std::vector<Operand> operands = {*pointer};
  for (Value* index : indices) {
    fits = fits && index->type()->is_integer();
    operands.emplace_back(*index);
  }
  // Indices beyond the first select a member.
  const IrType* member = type;
  for (size_t i = 1; fits && i < indices.size(); ++i) {
    if (member->is_array() || member->is_vector()) {
      member = member->element();
      continue;
    }
    const auto* constant = indices[i]->is_constant() ? &static_cast<ConstantValue*>(indices[i])->constant() : nullptr;
    fits = member->is_struct() && constant != nullptr && constant->is_integer() && indices[i]->type()->is_integer(32) &&
           constant->ZExtValue() < member->members().size();
    if (fits) member = member->members()[constant->ZExtValue()];
  }
  if (!fits) {
    Fail("CreateGEP", StrCat("the indices do not fit ", Name(type), " at ", Name(pointer->type())));
    return Wrong(pointer);
  }
  Instruction* made = Insert(Opcode::kGetElementPtr, pointer->type(), operands, name,
                             inbounds ? kInBounds | kNoUnsignedSignedWrap : 0u);
  function_->SetDetail(*made, type);
  return made;
}

Value* IRBuilder::CreateAtomicRMW(AtomicOperation operation, Value* pointer, Value* value, AtomicOrdering ordering,
                                  std::string_view scope) {
  if (!CheckOperands("CreateAtomicRMW", {pointer, value})) return Wrong(value);
  if (!pointer->type()->is_pointer() || !value->type()->is_sized_kind() || ordering < AtomicOrdering::kMonotonic) {
    Fail("CreateAtomicRMW", StrCat("the operands are ", Name(pointer->type()), " and ", Name(value->type()),
                                   ", or the ordering is too weak"));
    return Wrong(value);
  }
  const size_t id = module_.program().AddSyncScope(scope.empty() ? scope : module_.module().CopyString(scope));
  if (id > kMaxSyncScope) {
    Fail("CreateAtomicRMW", "too many synchronization scopes");
    return Wrong(value);
  }
  Instruction* made = Insert(Opcode::kAtomicRMW, value->type(), {*pointer, *value});
  made->set_variant(static_cast<uint8_t>(operation));
  made->SetAtomic(ordering, AtomicOrdering::kNotAtomic, static_cast<SyncScopeId>(id));
  SetAlign("CreateAtomicRMW", made, value->type(), module_.module().data_layout().AllocSize(value->type()));
  return made;
}

Value* IRBuilder::CreateExtractElement(Value* vector, Value* index, std::string_view name) {
  if (!CheckOperands("CreateExtractElement", {vector, index})) return nullptr;
  if (!vector->type()->is_vector() || !index->type()->is_integer()) {
    Fail("CreateExtractElement", StrCat("the operands are ", Name(vector->type()), " and ", Name(index->type())));
    return Wrong(vector);
  }
  return Insert(Opcode::kExtractElement, vector->type()->element(), {*vector, *index}, name);
}

Value* IRBuilder::CreateInsertElement(Value* vector, Value* element, Value* index, std::string_view name) {
  if (!CheckOperands("CreateInsertElement", {vector, element, index})) return Wrong(vector);
  if (!vector->type()->is_vector() || vector->type()->element() != element->type() || !index->type()->is_integer()) {
    Fail("CreateInsertElement",
         StrCat("the operands are ", Name(vector->type()), ", ", Name(element->type()), " and ", Name(index->type())));
    return Wrong(vector);
  }
  return Insert(Opcode::kInsertElement, vector->type(), {*vector, *element, *index}, name);
}

const IrType* IRBuilder::MemberType(std::string_view call, const IrType* aggregate,
                                    absl::Span<const uint32_t> indices) {
  const IrType* type = aggregate;
  for (const uint32_t index : indices) {
    const uint64_t count = type->is_array() ? type->num_elements() : type->is_struct() ? type->members().size() : 0;
    if (index >= count) {
      type = nullptr;
      break;
    }
    type = type->is_array() ? type->element() : type->members()[index];
  }
  if (type != nullptr && !indices.empty()) return type;
  Fail(call, StrCat("the indices do not fit ", Name(aggregate)));
  return nullptr;
}

Value* IRBuilder::CreateExtractValue(Value* aggregate, absl::Span<const uint32_t> indices, std::string_view name) {
  if (!CheckOperands("CreateExtractValue", {aggregate})) return nullptr;
  const IrType* type = MemberType("CreateExtractValue", aggregate->type(), indices);
  if (type == nullptr) return Wrong(aggregate);
  Instruction* made = Insert(Opcode::kExtractValue, type, {*aggregate}, name);
  function_->SetDetail(*made, absl::Span<const uint32_t>(function_->arena().CopyArray<uint32_t>(indices)));
  return made;
}

Value* IRBuilder::CreateInsertValue(Value* aggregate, Value* value, absl::Span<const uint32_t> indices,
                                    std::string_view name) {
  if (!CheckOperands("CreateInsertValue", {aggregate, value})) return Wrong(aggregate);
  const IrType* type = MemberType("CreateInsertValue", aggregate->type(), indices);
  if (type == nullptr || type != value->type()) {
    Fail("CreateInsertValue", StrCat(Name(value->type()), " in the place of ", Name(type)));
    return Wrong(aggregate);
  }
  Instruction* made = Insert(Opcode::kInsertValue, aggregate->type(), {*aggregate, *value}, name);
  function_->SetDetail(*made, absl::Span<const uint32_t>(function_->arena().CopyArray<uint32_t>(indices)));
  return made;
}

// PHIs come first in their block, wherever the insert point is.
Instruction* IRBuilder::CreatePHI(const IrType* type, std::string_view name) {
  if (!CheckPlace("CreatePHI")) return nullptr;
  if (type == nullptr || !type->is_sized_kind()) {
    Fail("CreatePHI", StrCat("no PHI can be ", Name(type)));
    return nullptr;
  }
  Instruction* const before = before_;
  before_ = block_->first_non_phi();
  Instruction* made = Insert(Opcode::kPhi, type, {}, name, ScalarOf(type)->is_floating_point() ? fast_math_ : 0);
  before_ = before;
  module_.phis_.push_back(made);
  module_.incoming_[made];
  return made;
}

void IRBuilder::addIncoming(Instruction* phi, Value* value, BasicBlock* block) {
  const auto found = module_.incoming_.find(phi);
  if (found == module_.incoming_.end() || value == nullptr || block == nullptr) {
    Fail("addIncoming", "the PHI, the value or the block is null or not of this module");
    return;
  }
  const Function& function = phi->function();
  if (&value->function() != &function || &block->function() != &function || value->type() != phi->type()) {
    Fail("addIncoming", StrCat("the value is ", Name(value->type()), " for a PHI of ", Name(phi->type()),
                               ", or something is of another function"));
    return;
  }
  found->second.emplace_back(value, block);
}

Value* IRBuilder::CreateCall(const IrFunction* callee, absl::Span<Value* const> arguments, std::string_view name) {
  const bool is_known = callee != nullptr && module_.module().HasGlobal(callee->id()) &&
                        &module_.module().global_value(callee->id()) == callee;
  if (!is_known) {
    Fail("CreateCall", "the callee is null or of another module");
    return nullptr;
  }
  const IrType* type = callee->value_type;
  if (!CheckOperands("CreateCall", arguments)) return Wrong(type->return_type());
  const absl::Span<const IrType* const> parameters = type->parameters();
  bool fits = arguments.size() == parameters.size() || (type->is_vararg() && arguments.size() > parameters.size());
  std::vector<Operand> operands;
  for (size_t i = 0; fits && i < arguments.size(); ++i) {
    fits = i >= parameters.size() || arguments[i]->type() == parameters[i];
    operands.emplace_back(*arguments[i]);
  }
  if (!fits) {
    Fail("CreateCall", StrCat("the arguments do not fit '", callee->name, "' of type ", Name(type)));
    return Wrong(type->return_type());
  }
  operands.emplace_back(*function_->GlobalAddress(callee->id()));
  CallDetail detail;
  detail.function_type = type;
  detail.calling_convention = callee->calling_convention;
  detail.num_arguments = static_cast<uint32_t>(arguments.size());
  detail.states_function_type = type->is_vararg();
  const IrType* result = type->return_type();
  const bool is_float = !result->is_void() && ScalarOf(result)->is_floating_point();
  Instruction* made = Insert(Opcode::kCall, result, operands, name, is_float ? fast_math_ : 0);
  function_->SetDetail(*made, detail);
  return made;
}

Value* IRBuilder::CreateIntrinsic(std::string_view intrinsic, const IrType* result, absl::Span<Value* const> arguments,
                                  std::string_view name) {
  if (!CheckOperands("CreateIntrinsic", arguments)) return Wrong(result);
  std::vector<const IrType*> parameters;
  for (const Value* argument : arguments) parameters.push_back(argument->type());
  const IrType* type = module_.getFunctionTy(result, parameters);
  if (type == nullptr) return nullptr;
  const IrFunction* callee = module_.module().FindFunction(intrinsic);
  if (callee == nullptr) callee = module_.DeclareFunction(intrinsic, type);
  if (callee == nullptr) return Wrong(result);
  if (callee->value_type != type) {
    Fail("CreateIntrinsic", StrCat("'", intrinsic, "' is declared as ", Name(callee->value_type)));
    return Wrong(result);
  }
  return CreateCall(callee, arguments, name);
}

Instruction* IRBuilder::Terminate(std::string_view call, Opcode opcode, absl::Span<const Operand> operands) {
  if (before_ != nullptr) {
    Fail(call, "a terminator must be the last instruction of its block");
    return nullptr;
  }
  return Insert(opcode, module_.getVoidTy(), operands);
}

Instruction* IRBuilder::CreateBr(BasicBlock* target) {
  if (!CheckPlace("CreateBr") || !CheckBlock("CreateBr", target)) return nullptr;
  return Terminate("CreateBr", Opcode::kBr, {*target});
}

Instruction* IRBuilder::CreateCondBr(Value* condition, BasicBlock* if_true, BasicBlock* if_false) {
  if (!CheckOperands("CreateCondBr", {condition}) || !CheckBlock("CreateCondBr", if_true) ||
      !CheckBlock("CreateCondBr", if_false)) {
    return nullptr;
  }
  if (!condition->type()->is_integer(1)) {
    Fail("CreateCondBr", StrCat("the condition is ", Name(condition->type())));
    return nullptr;
  }
  return Terminate("CreateCondBr", Opcode::kBr, {*condition, *if_true, *if_false});
}

Instruction* IRBuilder::CreateSwitch(Value* value, BasicBlock* otherwise,
                                     absl::Span<const std::pair<uint64_t, BasicBlock*>> cases) {
  if (!CheckOperands("CreateSwitch", {value}) || !CheckBlock("CreateSwitch", otherwise)) return nullptr;
  if (!value->type()->is_integer() || value->type()->integer_width() > 64) {
    Fail("CreateSwitch", StrCat("the value is ", Name(value->type())));
    return nullptr;
  }
  std::vector<Operand> operands = {*value, *otherwise};
  for (const auto& [number, block] : cases) {
    if (!CheckBlock("CreateSwitch", block)) return nullptr;
    operands.emplace_back(*getInt(value->type(), number));
    operands.emplace_back(*block);
  }
  return Terminate("CreateSwitch", Opcode::kSwitch, operands);
}

Instruction* IRBuilder::CreateRet(Value* value) {
  if (!CheckOperands("CreateRet", {value})) return nullptr;
  const IrType* wanted = function_->signature().return_type();
  if (value->type() != wanted) {
    Fail("CreateRet", StrCat("the value is ", Name(value->type()), " in a function that returns ", Name(wanted)));
    return nullptr;
  }
  return Terminate("CreateRet", Opcode::kRet, {*value});
}

Instruction* IRBuilder::CreateRetVoid() {
  if (!CheckPlace("CreateRetVoid")) return nullptr;
  if (!function_->signature().return_type()->is_void()) {
    Fail("CreateRetVoid", StrCat("the function returns ", Name(function_->signature().return_type())));
    return nullptr;
  }
  return Terminate("CreateRetVoid", Opcode::kRet, {});
}

Instruction* IRBuilder::CreateUnreachable() {
  return CheckPlace("CreateUnreachable") ? Terminate("CreateUnreachable", Opcode::kUnreachable, {}) : nullptr;
}

}  // namespace ptxmir::ir
