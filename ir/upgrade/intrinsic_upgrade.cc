// SPDX-License-Identifier: Apache-2.0

// Rewrites calls of intrinsics that LLVM 22 no longer has (LLVM's UpgradeIntrinsicCall). Calls that do not fit their
// declaration are left alone; the verifier reports them.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/str_cat.h"
#include "ir/passes/support/global_uses.h"
#include "ir/upgrade/intrinsic_table.h"
#include "ir/upgrade/upgrade.h"

namespace ptxmir::ir {
namespace {

using Kind = UpgradeKind;
using Operand = Function::Operand;

constexpr uint32_t kGlobalSpace = 1;
constexpr uint32_t kClusterSpace = 7;

class IntrinsicUpgrader {
 public:
  explicit IntrinsicUpgrader(Program& program)
      : program_(program), module_(program.module()), types_(module_.types()) {}

  void Run();

 private:
  void Upgrade(IrFunction& intrinsic, const IntrinsicUpgrade& upgrade);
  // Renames the declaration, if nothing else has the name; the calls stay as they are.
  bool RenameInPlace(IrFunction& intrinsic, std::string_view name);
  void Rewrite(Instruction& call, const IntrinsicUpgrade& upgrade);
  // Removes the old declarations that nothing names any more, and gives the others their names back.
  void RemoveUnused();
  // Returns what the call becomes; null if nothing takes its place.
  Value* Replacement(const IntrinsicUpgrade& upgrade);
  Value* BitCount(const IntrinsicUpgrade& upgrade);
  Value* Rotation(const IntrinsicUpgrade& upgrade);
  Value* BarrierReduction(const IntrinsicUpgrade& upgrade);
  Value* BFloatOperation(const IntrinsicUpgrade& upgrade);
  Value* InvariantLoad();
  Value* AtomicOperationOn(AtomicOperation operation);
  Value* MemoryOperation(const IntrinsicUpgrade& upgrade);
  Value* Lifetime(const IntrinsicUpgrade& upgrade);
  Value* ClusterOperation(const IntrinsicUpgrade& upgrade);

  // Make instructions in front of the call.
  Instruction* Add(Opcode opcode, const IrType* type, absl::Span<const Operand> operands);
  Value* Cast(Opcode opcode, Value& value, const IrType* type);
  Instruction* Call(std::string_view name, const IrType* result, absl::Span<const Operand> operands);
  GlobalId Declaration(std::string_view name, const IrType* type);
  Value& Argument(unsigned i) { return call_->operand(i); }
  Value& Zero(const IrType* type) { return *function_->Integer(type, 0); }
  // Returns the set with `align N` added.
  AttributeSetId WithAlign(AttributeSetId id, uint64_t align);

  Program& program_;
  Module& module_;
  IrTypeTable& types_;
  Function* function_ = nullptr;
  Instruction* call_ = nullptr;
  std::vector<std::pair<GlobalId, std::string>> old_;  // declarations that made room, with the names that they had
};

void IntrinsicUpgrader::Run() {
  std::vector<std::pair<GlobalId, IntrinsicUpgrade>> found;
  for (const IrFunction& function : module_.functions()) {
    if (!function.is_intrinsic() || function.is_definition() || function.is_removed()) continue;
    if (auto upgrade = FindIntrinsicUpgrade(function); upgrade.has_value()) {
      found.emplace_back(function.id(), *std::move(upgrade));
    }
  }
  for (auto& [id, upgrade] : found) {
    upgrade.name.insert(0, "llvm.");
    Upgrade(static_cast<IrFunction&>(module_.global_value(id)), upgrade);
  }
  RemoveUnused();
}

bool IntrinsicUpgrader::RenameInPlace(IrFunction& intrinsic, std::string_view name) {
  if (module_.FindGlobal(name) != nullptr) return false;
  // Initial values that mention the name are printed from their data now.
  for (GlobalValue* const value : module_.global_values()) {
    const IrConstant* const root = InitialValueOf(*value);
    if (root == nullptr) continue;
    VisitGlobals(*root, [&](GlobalId mentioned) {
      if (mentioned == intrinsic.id()) value->MarkChanged();
    });
  }
  module_.RenameGlobal(intrinsic, name);
  return true;
}

void IntrinsicUpgrader::Upgrade(IrFunction& intrinsic, const IntrinsicUpgrade& upgrade) {
  if (upgrade.kind == Kind::kRename && RenameInPlace(intrinsic, upgrade.name)) return;
  if (upgrade.kind == Kind::kDebugRecord) {
    old_.emplace_back(intrinsic.id(), intrinsic.name);
    return;
  }
  // The old declaration makes room for the new one, which may have its name.
  const std::string name(intrinsic.name);
  module_.RenameGlobal(intrinsic, module_.UniqueName(StrCat(name, ".old")));
  for (const auto& function : program_.functions()) {
    ConstantValue* address = function->FindGlobalAddress(intrinsic.id());
    if (address == nullptr) continue;
    function_ = function.get();
    for (Use* use = address->first_use(); use != nullptr;) {
      Use& current = *use;
      use = use->next();
      Instruction& user = current.user();
      const bool is_callee = user.opcode() == Opcode::kCall && current.operand_number() + 1 == user.num_operands();
      if (is_callee && user.parent() != nullptr && user.call().function_type == intrinsic.value_type &&
          user.call().bundles.empty()) {
        Rewrite(user, upgrade);
      }
    }
  }
  old_.emplace_back(intrinsic.id(), name);
}

void IntrinsicUpgrader::RemoveUnused() {
  if (old_.empty()) return;
  const GlobalUses uses(program_);
  for (const auto& [id, name] : old_) {
    GlobalValue& intrinsic = module_.global_value(id);
    if (!uses.IsUsed(id)) {
      module_.RemoveGlobal(intrinsic);
    } else if (module_.FindGlobal(name) == nullptr) {
      module_.RenameGlobal(intrinsic, name);
    }
  }
}

void IntrinsicUpgrader::Rewrite(Instruction& call, const IntrinsicUpgrade& upgrade) {
  call_ = &call;
  Instruction* const before = call.previous();
  Value* replacement = Replacement(upgrade);
  Instruction* const first = before == nullptr ? call.parent()->first() : before->next();
  // The records in front of the call are now in front of what takes its place.
  Instruction* const heir = first != &call ? first : call.next();
  if (Instruction* records = call.first_record(); records != nullptr && heir != nullptr) {
    Instruction* last = records;
    while (last->next() != nullptr) last = last->next();
    if (Instruction* others = heir->first_record(); others != nullptr) last->set_next_record(others);
    heir->set_first_record(records);
    call.set_first_record(nullptr);
  }
  if (replacement != nullptr && replacement->type() == call.type()) {
    // A call that became another one keeps its name.
    if (replacement->is_instruction()) {
      auto& instruction = static_cast<Instruction&>(*replacement);
      if (instruction.opcode() == Opcode::kCall && instruction.name() == 0) instruction.set_name(call.name());
      const bool is_direct = upgrade.kind == Kind::kRename || upgrade.kind >= Kind::kCountZeros;
      if (instruction.opcode() == Opcode::kCall && is_direct) {
        instruction.set_variant(static_cast<uint8_t>(call.tail_kind()));
      }
    }
    call.ReplaceAllUsesWith(*replacement);
  } else if (call.has_uses()) {
    call.ReplaceAllUsesWith(*function_->Simple(IrConstant::Kind::kPoison, call.type()));
  }
  call.EraseFromParent();
}

Instruction* IntrinsicUpgrader::Add(Opcode opcode, const IrType* type, absl::Span<const Operand> operands) {
  Instruction* made = function_->CreateInstruction(opcode, type, operands);
  made->set_position(call_->position());
  made->set_debug_loc(call_->debug_loc());
  call_->parent()->Insert(*made, *call_);
  return made;
}

// Casts the value, unless it has the type. The address of a global in another address space is a constant.
Value* IntrinsicUpgrader::Cast(Opcode opcode, Value& value, const IrType* type) {
  if (value.type() == type && opcode != Opcode::kBitCast) return &value;
  if (opcode != Opcode::kAddrSpaceCast || !value.is_constant()) return Add(opcode, type, {value});
  const IrConstant* const operands[] = {&static_cast<const ConstantValue&>(value).constant()};
  return function_->Constant(*module_.NewConstant({.kind = IrConstant::Kind::kExpression,
                                                   .opcode = IrConstant::Opcode::kAddrSpaceCast,
                                                   .type = type,
                                                   .operands = operands}));
}

// Returns the function with this name. Makes a declaration if there is none.
GlobalId IntrinsicUpgrader::Declaration(std::string_view name, const IrType* type) {
  if (const GlobalValue* known = module_.FindGlobal(name); known != nullptr) return known->id();
  IrFunction& made = module_.CreateFunction(name, type, Linkage::kExternal);
  const bool is_barrier = name.find(".barrier.") != name.npos || name.find(".cp.async.") != name.npos;
  const bool accesses_memory = name.find(".mem") != name.npos || name.find(".lifetime.") != name.npos;
  for (const std::string_view word : {"convergent", "nocallback", "nounwind", "speculatable", "willreturn"}) {
    if ((word == "convergent" && !is_barrier) || (word == "speculatable" && accesses_memory)) continue;
    if ((word == "speculatable" || word == "willreturn") && is_barrier) continue;
    made.attributes.Add({.name = word, .text = word});
  }
  if (!is_barrier) {
    const std::string_view effect = accesses_memory ? "memory(argmem: readwrite)" : "memory(none)";
    made.attributes.Add({.name = effect.substr(0, 6), .text = effect, .value = effect.substr(7, effect.size() - 8)});
  }
  return made.id();
}

// Calls an intrinsic. As in LLVM, flags and attributes of the old call are lost.
Instruction* IntrinsicUpgrader::Call(std::string_view name, const IrType* result, absl::Span<const Operand> operands) {
  std::vector<const IrType*> parameters;
  for (const Operand& operand : operands) {
    parameters.push_back(operand.is_metadata ? types_.Simple(IrType::Kind::kMetadata) : operand.value->type());
  }
  CallDetail detail;
  detail.function_type = types_.Function(result, parameters, /*vararg=*/false);
  detail.num_arguments = static_cast<uint32_t>(operands.size());
  std::vector<Operand> all(operands.begin(), operands.end());
  all.emplace_back(*function_->GlobalAddress(Declaration(name, detail.function_type)));
  Instruction* made = Add(Opcode::kCall, result, all);
  function_->SetDetail(*made, detail);
  return made;
}

Value* IntrinsicUpgrader::Rotation(const IntrinsicUpgrade& upgrade) {
  const IrType* type = call_->type();
  Value& amount =
      upgrade.kind == Kind::kSwapHalves ? *function_->Integer(type, 32) : *Cast(Opcode::kZExt, Argument(1), type);
  return Call(upgrade.name, type, {Argument(0), Argument(0), amount});
}

Value* IntrinsicUpgrader::BitCount(const IntrinsicUpgrade& upgrade) {
  const IrType* type = Argument(0).type();
  const bool is_leading =
      upgrade.name.find(".ct") != std::string::npos && upgrade.name.find("pop") == std::string::npos;
  Instruction* count = is_leading ? Call(upgrade.name, type, {Argument(0), Zero(types_.Integer(1))})
                                  : Call(upgrade.name, type, {Argument(0)});
  return Cast(Opcode::kTrunc, *count, call_->type());
}

Value* IntrinsicUpgrader::BarrierReduction(const IntrinsicUpgrade& upgrade) {
  const IrType* word = types_.Integer(32);
  Instruction* is_set = Add(Opcode::kICmp, types_.Integer(1), {Argument(0), Zero(word)});
  is_set->set_variant(static_cast<uint8_t>(Predicate::kNe));
  const bool counts = upgrade.name.find(".popc.") != std::string::npos;
  Instruction* result = Call(upgrade.name, counts ? word : types_.Integer(1), {Zero(word), *is_set});
  return counts ? result : Add(Opcode::kZExt, word, {*result});
}

Value* IntrinsicUpgrader::BFloatOperation(const IntrinsicUpgrade& upgrade) {
  const IrType* type = types_.Simple(IrType::Kind::kBFloat);
  if (call_->type()->is_integer(32)) type = types_.Vector(type, 2);
  std::vector<Operand> operands;
  for (const Use& use : call_->arguments()) operands.emplace_back(*Add(Opcode::kBitCast, type, {use.value()}));
  return Add(Opcode::kBitCast, call_->type(), {*Call(upgrade.name, type, operands)});
}

Value* IntrinsicUpgrader::InvariantLoad() {
  if (!call_->type()->is_sized_kind()) return nullptr;
  Value* pointer = &Argument(0);
  if (pointer->type()->address_space() != kGlobalSpace) {
    pointer = Add(Opcode::kAddrSpaceCast, types_.Pointer(kGlobalSpace), {*pointer});
  }
  Instruction* load = Add(Opcode::kLoad, call_->type(), {*pointer});
  uint64_t align = 0;
  if (Argument(1).is_constant()) {
    const IrConstant& constant = static_cast<ConstantValue&>(Argument(1)).constant();
    if (constant.is_integer()) align = constant.ZExtValue();
  }
  uint8_t log_align = 0;
  while (align > 1 && (align & 1) == 0) align >>= 1, ++log_align;
  load->set_log_align(log_align);
  const Attachment attachments[] = {{program_.AddMetadataKind("invariant.load"), program_.AddMetadataText("!{}")}};
  load->SetAttachments(attachments);
  return load;
}

Value* IntrinsicUpgrader::AtomicOperationOn(AtomicOperation operation) {
  Instruction* atomic = Add(Opcode::kAtomicRMW, call_->type(), {Argument(0), Argument(1)});
  atomic->set_variant(static_cast<uint8_t>(operation));
  atomic->SetAtomic(AtomicOrdering::kSequentiallyConsistent, AtomicOrdering::kNotAtomic, 0);
  atomic->set_log_align(call_->type()->kind() == IrType::Kind::kDouble ? 3 : 2);
  return atomic;
}

AttributeSetId IntrinsicUpgrader::WithAlign(AttributeSetId id, uint64_t align) {
  if (align == 0) return id;
  AttributeSet set = program_.attribute_set(id);
  const std::string_view text = module_.CopyString(StrCat("align ", align));
  set.attributes.Add({.name = text.substr(0, 5), .text = text, .integer = align});
  set.text = module_.CopyString(AttributesText(set.attributes));
  return program_.AddAttributeSet(std::move(set));
}

// The alignment is the last but one operand. It holds for both pointers.
Value* IntrinsicUpgrader::MemoryOperation(const IntrinsicUpgrade& upgrade) {
  const Value& stated = Argument(3);
  uint64_t align = 0;
  if (stated.is_constant() && static_cast<const ConstantValue&>(stated).constant().is_integer()) {
    align = static_cast<const ConstantValue&>(stated).constant().ZExtValue();
  }
  if ((align & (align - 1)) != 0) align = 0;
  const CallDetail old = call_->call();
  const bool sets = upgrade.name.find("memset") != std::string::npos;
  Instruction* made = Call(upgrade.name, call_->type(), {Argument(0), Argument(1), Argument(2), Argument(4)});
  std::array<AttributeSetId, 4> attributes{};
  for (const unsigned i : {0u, 1u}) {
    const AttributeSetId known = old.argument_attributes.empty() ? 0 : old.argument_attributes[i];
    attributes[i] = i == 0 || !sets ? WithAlign(known, align) : known;
  }
  made->call().argument_attributes = function_->arena().CopyArray<AttributeSetId>(attributes);
  return made;
}

// Looks through casts and indices of 0.
Value& StripPointerCasts(Value& pointer) {
  Value* value = &pointer;
  while (value->is_instruction()) {
    auto& instruction = static_cast<Instruction&>(*value);
    const Opcode opcode = instruction.opcode();
    if (opcode == Opcode::kGetElementPtr) {
      for (unsigned i = 1; i < instruction.num_operands(); ++i) {
        const Value& index = instruction.operand(i);
        if (!index.is_constant()) return *value;
        const IrConstant& constant = static_cast<const ConstantValue&>(index).constant();
        if (!constant.is_integer() || constant.words.size() != 1 || constant.words[0] != 0) return *value;
      }
    } else if (opcode != Opcode::kBitCast && opcode != Opcode::kAddrSpaceCast) {
      return *value;
    }
    if (!instruction.operand(0).type()->is_pointer() || &instruction.operand(0) == value) return *value;
    value = &instruction.operand(0);
  }
  return *value;
}

Value* IntrinsicUpgrader::Lifetime(const IntrinsicUpgrade& upgrade) {
  Value& object = StripPointerCasts(Argument(1));
  if (!object.is_instruction() || static_cast<Instruction&>(object).opcode() != Opcode::kAlloca) return nullptr;
  return Call(StrCat(upgrade.name, ".p", object.type()->address_space()), call_->type(), {object});
}

Value* IntrinsicUpgrader::ClusterOperation(const IntrinsicUpgrade& upgrade) {
  std::vector<Operand> operands;
  for (const Use& use : call_->arguments()) operands.emplace_back(use.value());
  if (upgrade.kind == Kind::kClusterResult) {
    Instruction* made = Call(upgrade.name, types_.Pointer(kClusterSpace), operands);
    return Add(Opcode::kAddrSpaceCast, call_->type(), {*made});
  }
  operands[0].value = Add(Opcode::kAddrSpaceCast, types_.Pointer(kClusterSpace), {*operands[0].value});
  if (upgrade.kind == Kind::kTensorToCluster && operands.back().value->type()->is_integer(1)) {
    operands.emplace_back(Zero(types_.Integer(32)));
  }
  return Call(upgrade.name, call_->type(), operands);
}

Value* IntrinsicUpgrader::Replacement(const IntrinsicUpgrade& upgrade) {
  std::vector<Operand> operands;
  for (const Use& use : call_->arguments()) operands.emplace_back(use.value(), use.is_metadata());
  Value& no = Zero(types_.Integer(1));
  switch (upgrade.kind) {
    case Kind::kRename:
    case Kind::kReplace:
      return Call(upgrade.name, call_->type(), operands);
    case Kind::kBitCast:
      return Add(Opcode::kBitCast, call_->type(), operands);
    case Kind::kAddrSpaceCast:
      return Cast(Opcode::kAddrSpaceCast, Argument(0), call_->type());
    case Kind::kLoad:
      return InvariantLoad();
    case Kind::kAtomicAdd:
      return AtomicOperationOn(AtomicOperation::kFAdd);
    case Kind::kAtomicIncrement:
      return AtomicOperationOn(AtomicOperation::kUIncWrap);
    case Kind::kAtomicDecrement:
      return AtomicOperationOn(AtomicOperation::kUDecWrap);
    case Kind::kBarrierZero:
      return Call(upgrade.name, call_->type(), {Zero(types_.Integer(32))});
    case Kind::kBarrierReduce:
      return BarrierReduction(upgrade);
    case Kind::kRotateLeft:
    case Kind::kRotateRight:
    case Kind::kSwapHalves:
      return Rotation(upgrade);
    case Kind::kCountLong:
      return BitCount(upgrade);
    case Kind::kCountZeros:
      return Call(upgrade.name, call_->type(), {Argument(0), no});
    case Kind::kAbsolute: {
      Value& zero = Zero(call_->type());
      Instruction* negated = Add(Opcode::kSub, call_->type(), {zero, Argument(0)});
      Instruction* is_positive = Add(Opcode::kICmp, types_.Integer(1), {Argument(0), zero});
      is_positive->set_variant(static_cast<uint8_t>(Predicate::kSge));
      return Add(Opcode::kSelect, call_->type(), {*is_positive, Argument(0), *negated});
    }
    case Kind::kBFloat:
      return BFloatOperation(upgrade);
    case Kind::kMemory:
      return MemoryOperation(upgrade);
    case Kind::kLifetime:
      return Lifetime(upgrade);
    case Kind::kObjectSize: {
      while (operands.size() < 4) operands.emplace_back(no);
      const std::string name =
          StrCat(upgrade.name, ".", call_->type()->ToString(), ".p", Argument(0).type()->address_space());
      return Call(name, call_->type(), operands);
    }
    case Kind::kAnnotation:
      operands.emplace_back(*function_->Simple(IrConstant::Kind::kNullPointer, types_.Pointer()));
      return Call(upgrade.name, call_->type(), operands);
    case Kind::kClusterResult:
    case Kind::kClusterPointer:
    case Kind::kTensorToCluster:
      return ClusterOperation(upgrade);
    case Kind::kDebugRecord:
      break;
  }
  return nullptr;
}

}  // namespace

void UpgradeIntrinsics(Program& program) { IntrinsicUpgrader(program).Run(); }

}  // namespace ptxmir::ir
