// SPDX-License-Identifier: Apache-2.0

#include "analysis/values/memory_dependence.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "mir/code/function_ir.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using ptx::InstrInfo;
using ptx::MemorySpace;
using ptx::Property;
using ptx::PtxInstrInfo;
using Root = MemoryAccess::Root;

// The effect of an instruction on an address.
struct AddressStep {
  enum class Kind : uint8_t { kNone, kAdd, kToGeneric, kFromGeneric };
  Kind kind = Kind::kNone;
  MemorySpace space = MemorySpace::kGeneric;  // of a conversion: the space that is not generic
};

AddressStep StepOf(const MachineInstr& instr) {
  using enum AddressStep::Kind;
  using ptx::SemanticTag;
  switch (InstrInfo(instr.opcode()).semantics) {
    case SemanticTag::kAddS32:
    case SemanticTag::kAddU32:
    case SemanticTag::kAddS64:
    case SemanticTag::kAddU64:
      return {kAdd};
    case SemanticTag::kCvtaConstU32:
    case SemanticTag::kCvtaConstU64:
      return {kToGeneric, MemorySpace::kConst};
    case SemanticTag::kCvtaGlobalU32:
    case SemanticTag::kCvtaGlobalU64:
      return {kToGeneric, MemorySpace::kGlobal};
    case SemanticTag::kCvtaLocalU32:
    case SemanticTag::kCvtaLocalU64:
      return {kToGeneric, MemorySpace::kLocal};
    case SemanticTag::kCvtaParamU32:
    case SemanticTag::kCvtaParamU64:
      return {kToGeneric, MemorySpace::kParam};
    case SemanticTag::kCvtaSharedU32:
    case SemanticTag::kCvtaSharedU64:
      return {kToGeneric, MemorySpace::kShared};
    case SemanticTag::kCvtaSharedClusterU64:
      return {kToGeneric, MemorySpace::kSharedCluster};
    case SemanticTag::kCvtaToConstU32:
    case SemanticTag::kCvtaToConstU64:
      return {kFromGeneric, MemorySpace::kConst};
    case SemanticTag::kCvtaToGlobalU32:
    case SemanticTag::kCvtaToGlobalU64:
      return {kFromGeneric, MemorySpace::kGlobal};
    case SemanticTag::kCvtaToLocalU32:
    case SemanticTag::kCvtaToLocalU64:
      return {kFromGeneric, MemorySpace::kLocal};
    case SemanticTag::kCvtaToParamU32:
    case SemanticTag::kCvtaToParamU64:
      return {kFromGeneric, MemorySpace::kParam};
    case SemanticTag::kCvtaToSharedU32:
    case SemanticTag::kCvtaToSharedU64:
      return {kFromGeneric, MemorySpace::kShared};
    case SemanticTag::kCvtaToSharedClusterU64:
      return {kFromGeneric, MemorySpace::kSharedCluster};
    default:
      return {};
  }
}

// Returns true if an instruction returns its operand unchanged: a copy, or the address of a symbol.
bool PassesOn(const MachineInstr& instr) {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (instr.is_copy() || info.is_move()) return true;
  return info.is_pure() && instr.num_operands() == 2 && (instr.operand(1).is_global() || instr.operand(1).is_symbol());
}

MemorySpace SpaceOfGlobal(const GlobalValue& value) { return ptx::AddressSpaceFromCode(value.address_space); }

bool IsObject(Root root) {
  return root == Root::kFrameIndex || root == Root::kGlobal || root == Root::kParameter || root == Root::kSymbol;
}

bool IsShared(MemorySpace space) { return space == MemorySpace::kShared || space == MemorySpace::kSharedCluster; }

bool AreDifferentSpaces(MemorySpace a, MemorySpace b) {
  const auto is_definite = [](MemorySpace space) {
    return space == MemorySpace::kGlobal || IsShared(space) || space == MemorySpace::kConst ||
           space == MemorySpace::kLocal || space == MemorySpace::kParam;
  };
  if (!is_definite(a) || !is_definite(b) || a == b) return false;
  // A function's parameters may be copied to its frame and be addressed there.
  if (a == MemorySpace::kParam || b == MemorySpace::kParam) return a != MemorySpace::kLocal && b != MemorySpace::kLocal;
  return !(IsShared(a) && IsShared(b));
}

// Returns true if [a, a + size_a) and [b, b + size_b) have no common byte. Sizes of 0 are unknown.
bool AreDisjoint(int64_t a, uint64_t size_a, int64_t b, uint64_t size_b) {
  if (a > b) return AreDisjoint(b, size_b, a, size_a);
  return size_a != 0 && static_cast<uint64_t>(b) - static_cast<uint64_t>(a) >= size_a;
}

}  // namespace

MemoryDependence::MemoryDependence(MachineFunction& function, AnalysisManager& analyses)
    : function_(function), module_(function.module()), cycles_(analyses.Get<MachineCycles>()) {
  ReadParameters();
}

void MemoryDependence::ReadParameters() {
  const IrFunction* ir = FindIrFunction(function_);
  if (ir == nullptr) return;
  is_kernel_ = IsKernel(*module_, *ir);
  for (const IrParameter& parameter : ir->parameters) {
    const IrAttributes& attributes = parameter.attributes;
    parameters_.push_back({.is_pointer = parameter.type != nullptr && parameter.type->is_pointer(),
                           .is_noalias = attributes.Has("noalias"),
                           .is_readonly = attributes.Has("readonly") || attributes.Has("readnone")});
  }
}

// ---- Describing an access

bool MemoryDependence::IsPlainAccess(const MachineInstr& instr) {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  return info.touches_memory() &&
         !info.Has(Property::kCall | Property::kAsync | Property::kCollective | Property::kTensor | Property::kTexture |
                   Property::kSurface | Property::kBarrier | Property::kFence) &&
         info.address < instr.num_operands() && info.second_address == PtxInstrInfo::kNoOperand;
}

std::optional<int64_t> MemoryDependence::ParameterOf(SymbolId id) const {
  constexpr std::string_view kMark = "_param_";
  const std::string_view symbol = function_.symbol(id);
  const size_t mark = symbol.rfind(kMark);
  if (mark == symbol.npos) return std::nullopt;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(symbol.data() + mark + kMark.size(), symbol.data() + symbol.size(), number);
  if (error != std::errc() || end != symbol.data() + symbol.size()) return std::nullopt;
  if (number < 0 || static_cast<size_t>(number) >= parameters_.size()) return std::nullopt;
  return number;
}

std::optional<int64_t> MemoryDependence::LoadedParameter(const MachineInstr& instr) const {
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (!info.reads_memory() || ptx::MemorySpaceOf(instr) != MemorySpace::kParam) return std::nullopt;
  if (size_t{info.address} + 1 >= instr.num_operands()) return std::nullopt;
  const MachineOperand& base = instr.operand(info.address);
  const MachineOperand& offset = instr.operand(info.address + 1u);
  if (!base.is_symbol() || !offset.is_imm() || offset.imm() != 0) return std::nullopt;
  return ParameterOf(base.symbol());
}

void MemoryDependence::FindRoot(const MachineOperand& base, MemoryAccess& access) const {
  const MachineOperand* at = &base;
  for (int i = 0; i < kMaxChain; ++i) {
    if (at->is_imm()) {
      access.offset += at->imm();
      access.root = Root::kAbsolute;
      return;
    }
    if (at->is_frame_index()) {
      access.root = Root::kFrameIndex;
      access.id = at->frame_index();
      return;
    }
    if (at->is_global()) {
      const bool is_variable = module_ != nullptr && module_->global_value(at->global()).is_variable();
      access.root = is_variable ? Root::kGlobal : Root::kUnknown;
      access.id = at->global();
      access.offset += at->offset();
      if (is_variable && access.space == MemorySpace::kGeneric) {
        access.space = SpaceOfGlobal(module_->global_value(at->global()));
      }
      return;
    }
    if (at->is_symbol()) {
      access.root = Root::kSymbol;
      access.id = at->symbol();
      access.offset += at->offset();
      return;
    }
    if (!at->is_reg() || !at->reg().is_valid()) return;
    const MachineInstr* def = function_.reg_info().UniqueDef(at->reg());
    // If a register has several definitions, two uses may read different values.
    const bool has_several = def == nullptr && !function_.reg_info().Defs(at->reg()).empty();
    access.root = has_several ? Root::kUnknown : Root::kRegister;
    access.reg = has_several ? Register() : at->reg();
    if (def == nullptr || def->num_operands() < 2 || !def->operand(0).is_def()) return;
    if (const auto parameter = LoadedParameter(*def)) {
      access.root = Root::kParameter;
      access.reg = Register();
      access.id = *parameter;
      return;
    }
    const AddressStep step = StepOf(*def);
    if (step.kind == AddressStep::Kind::kAdd) {
      if (def->num_operands() < 3 || !def->operand(2).is_imm()) return;
      access.offset =
          static_cast<int64_t>(static_cast<uint64_t>(access.offset) + static_cast<uint64_t>(def->operand(2).imm()));
    } else if (step.kind == AddressStep::Kind::kToGeneric && access.space == MemorySpace::kGeneric) {
      access.space = step.space;
    } else if (step.kind == AddressStep::Kind::kNone && !PassesOn(*def)) {
      return;
    }
    access.reg = Register();
    at = &def->operand(1);
  }
  access.root = Root::kUnknown;
}

void MemoryDependence::FindObject(const MachineOperand& base, MemoryAccess& access, int& steps) const {
  const MachineOperand* at = &base;
  const auto found = [&](Root root, int64_t id) {
    if (access.object != Root::kUnknown && (access.object != root || access.object_id != id)) {
      // An address based on two objects has no known object.
      steps = -1;
    }
    access.object = root;
    access.object_id = id;
  };
  while (steps-- > 0) {
    if (at->is_frame_index()) return found(Root::kFrameIndex, at->frame_index());
    if (at->is_symbol()) return found(Root::kSymbol, at->symbol());
    if (at->is_global()) {
      if (module_ == nullptr || !module_->global_value(at->global()).is_variable()) return;
      if (access.space == MemorySpace::kGeneric) access.space = SpaceOfGlobal(module_->global_value(at->global()));
      return found(Root::kGlobal, at->global());
    }
    if (!at->is_reg() || !at->reg().is_valid()) return;
    const MachineInstr* def = function_.reg_info().UniqueDef(at->reg());
    if (def == nullptr || def->num_operands() < 2 || !def->operand(0).is_def()) return;
    if (const auto parameter = LoadedParameter(*def)) {
      if (parameters_[static_cast<size_t>(*parameter)].is_pointer) found(Root::kParameter, *parameter);
      return;
    }
    const AddressStep step = StepOf(*def);
    if (step.kind == AddressStep::Kind::kAdd && def->num_operands() >= 3) {
      if (def->operand(2).is_reg()) FindObject(def->operand(2), access, steps);
    } else if (step.kind == AddressStep::Kind::kToGeneric) {
      if (access.space == MemorySpace::kGeneric) access.space = step.space;
    } else if (step.kind == AddressStep::Kind::kNone && !PassesOn(*def)) {
      return;
    }
    at = &def->operand(1);
  }
  // A path that was not followed to its end may lead to another object.
  steps = -1;
}

MemoryAccess MemoryDependence::Describe(const MachineInstr& instr) const {
  MemoryAccess access;
  access.instr = &instr;
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  access.space = ptx::MemorySpaceOf(instr);
  const auto memoperands = instr.memoperands();
  if (memoperands.size() == 1) access.memoperand = memoperands.front();
  if (info.width < instr.num_operands() && instr.operand(info.width).is_imm()) {
    access.size = static_cast<uint64_t>(instr.operand(info.width).imm()) / 8 * std::max<uint64_t>(info.num_values, 1);
  } else if (info.access_bits != 0) {
    access.size = uint64_t{info.access_bits} / 8 * std::max<uint64_t>(info.num_values, 1);
  } else if (access.memoperand != nullptr) {
    access.size = access.memoperand->SizeInBytes();
  }
  if (size_t{info.address} + 1 < instr.num_operands()) {
    const MachineOperand& offset = instr.operand(info.address + 1u);
    if (offset.is_imm()) {
      access.offset = offset.imm();
      FindRoot(instr.operand(info.address), access);
      int steps = kMaxChain;
      FindObject(instr.operand(info.address), access, steps);
      if (steps < 0) access.object = Root::kUnknown;
      if (access.object == Root::kFrameIndex && access.space == MemorySpace::kGeneric) {
        access.space = MemorySpace::kLocal;
      }
    }
  }
  return access;
}

// ---- Alias

bool MemoryDependence::IsFixed(const MemoryAccess& access) const {
  if (IsObject(access.root) || access.root == Root::kAbsolute) return true;
  if (access.root != Root::kRegister) return false;
  const MachineInstr* def = function_.reg_info().UniqueDef(access.reg);
  if (def == nullptr) return true;
  return def->parent() != nullptr && cycles_.InnermostCycle(*def->parent()) == CycleForest::kNoCycle;
}

bool MemoryDependence::AreApartByObject(const MemoryAccess& a, const MemoryAccess& b) const {
  if (!IsObject(a.object) || !IsObject(b.object)) return false;
  if (a.object == b.object && a.object_id == b.object_id) return false;
  const auto is_noalias = [&](const MemoryAccess& access) {
    return access.object == Root::kParameter && parameters_[static_cast<size_t>(access.object_id)].is_noalias;
  };
  if (is_noalias(a) || is_noalias(b)) return true;
  // Symbols in parameter space are the parameters and results of the function and of its calls.
  const auto is_passed = [](const MemoryAccess& access) {
    return access.object == Root::kSymbol && access.space == MemorySpace::kParam;
  };
  if (is_passed(a) && is_passed(b)) return true;
  // A symbol may be another name of a variable. A parameter may point to anything except the frame of this call.
  const auto is_own = [](const MemoryAccess& access) {
    return access.object == Root::kFrameIndex || access.object == Root::kGlobal;
  };
  if (is_own(a) && is_own(b)) return true;
  const bool has_frame = a.object == Root::kFrameIndex || b.object == Root::kFrameIndex;
  return has_frame && (a.object == Root::kParameter || b.object == Root::kParameter);
}

bool MemoryDependence::AreApartByScopes(MetadataId scopes, MetadataId noalias) const {
  if (module_ == nullptr || scopes == MachineMemOperand::kNoMetadata || noalias == MachineMemOperand::kNoMetadata) {
    return false;
  }
  const auto list = [&](MetadataId id) {
    std::vector<std::pair<MetadataId, MetadataId>> result;  // domain and scope
    const MetadataNode* node = MachineFunction::IsInlineMetadata(id) ? nullptr : module_->metadata(id);
    if (node == nullptr) return result;
    for (const MetadataOperand& operand : node->operands) {
      if (operand.kind != MetadataOperand::Kind::kNode) continue;
      const MetadataNode* scope = module_->metadata(operand.node);
      if (scope == nullptr || scope->operands.size() < 2 || scope->operands[1].kind != MetadataOperand::Kind::kNode) {
        continue;
      }
      result.emplace_back(scope->operands[1].node, operand.node);
    }
    std::sort(result.begin(), result.end());
    return result;
  };
  const auto mine = list(scopes);
  const auto others = list(noalias);
  // In some domain, all scopes of one are in the noalias list of the other.
  for (size_t i = 0; i < mine.size();) {
    const MetadataId domain = mine[i].first;
    bool all = true;
    for (; i < mine.size() && mine[i].first == domain; ++i) {
      all &= std::binary_search(others.begin(), others.end(), mine[i]);
    }
    if (all) return true;
  }
  return false;
}

bool MemoryDependence::AreApartByType(MetadataId a, MetadataId b) const {
  if (module_ == nullptr || a == MachineMemOperand::kNoMetadata || b == MachineMemOperand::kNoMetadata || a == b) {
    return false;
  }
  constexpr MetadataId kNone = ~MetadataId{0};
  const auto node_operand = [&](MetadataId id, size_t i) {
    const MetadataNode* node = MachineFunction::IsInlineMetadata(id) ? nullptr : module_->metadata(id);
    if (node == nullptr || i >= node->operands.size()) return kNone;
    return node->operands[i].kind == MetadataOperand::Kind::kNode ? node->operands[i].node : kNone;
  };
  // A tag is (base type, access type, offset); a scalar type (name, parent, offset); the root has only a name.
  const auto path_to_root = [&](MetadataId tag) {
    std::vector<MetadataId> path;
    constexpr size_t kMaxDepth = 64;
    for (MetadataId type = node_operand(tag, 1); type != kNone && path.size() < kMaxDepth;
         type = node_operand(type, 1)) {
      path.push_back(type);
    }
    return path;
  };
  const std::vector<MetadataId> path_a = path_to_root(a);
  const std::vector<MetadataId> path_b = path_to_root(b);
  if (path_a.empty() || path_b.empty() || path_a.back() != path_b.back()) return false;
  const auto contains = [](const std::vector<MetadataId>& path, MetadataId type) {
    return std::find(path.begin(), path.end(), type) != path.end();
  };
  return !contains(path_a, path_b.front()) && !contains(path_b, path_a.front());
}

bool MemoryDependence::AreApartByMetadata(const MemoryAccess& a, const MemoryAccess& b,
                                          bool may_be_other_iteration) const {
  if (a.memoperand == nullptr || b.memoperand == nullptr) return false;
  const MachineMemOperand& x = *a.memoperand;
  const MachineMemOperand& y = *b.memoperand;
  // Programs use pieces of shared memory with several types: CUB clears counters as int and counts in them as short.
  const bool is_type_reliable = !IsShared(a.space) && !IsShared(b.space);
  if (is_type_reliable && AreApartByType(x.tbaa, y.tbaa)) return true;
  // A function that was inlined into a loop has declared its scopes anew in each iteration.
  if (may_be_other_iteration) return false;
  return AreApartByScopes(x.alias_scope, y.noalias) || AreApartByScopes(y.alias_scope, x.noalias);
}

AliasResult MemoryDependence::Alias(const MachineInstr& a, const MachineInstr& b, bool may_be_other_iteration) const {
  if (!IsPlainAccess(a) || !IsPlainAccess(b)) return AliasResult::kMayAlias;
  return Alias(Describe(a), Describe(b), may_be_other_iteration);
}

AliasResult MemoryDependence::Alias(const MemoryAccess& a, const MemoryAccess& b, bool may_be_other_iteration) const {
  if (AreDifferentSpaces(a.space, b.space) || AreApartByObject(a, b)) return AliasResult::kNoAlias;
  if (AreApartByMetadata(a, b, may_be_other_iteration)) return AliasResult::kNoAlias;
  if (may_be_other_iteration && (!IsFixed(a) || !IsFixed(b))) return AliasResult::kMayAlias;
  if (a.root != Root::kUnknown && a.root == b.root && a.reg == b.reg && a.id == b.id) {
    if (AreDisjoint(a.offset, a.size, b.offset, b.size)) return AliasResult::kNoAlias;
    const bool is_same = a.offset == b.offset && a.size == b.size && a.size != 0 && a.space == b.space;
    return is_same ? AliasResult::kMustAlias : AliasResult::kMayAlias;
  }
  if (a.memoperand != nullptr && b.memoperand != nullptr && !may_be_other_iteration) {
    const MachineMemOperand& x = *a.memoperand;
    const MachineMemOperand& y = *b.memoperand;
    const bool names_value =
        x.value_kind == MachineMemOperand::ValueKind::kIrValue || x.value_kind == MachineMemOperand::ValueKind::kGlobal;
    if (names_value && x.value_kind == y.value_kind && x.text == y.text && x.has_known_size && y.has_known_size &&
        AreDisjoint(x.offset, x.SizeInBytes(), y.offset, y.SizeInBytes())) {
      return AliasResult::kNoAlias;
    }
  }
  return AliasResult::kMayAlias;
}

// ---- Dependence

bool MemoryDependence::ReadsConstantMemory(const MachineInstr& load) const {
  const PtxInstrInfo& info = InstrInfo(load.opcode());
  if (!info.reads_memory() || info.writes_memory()) return false;
  if (info.Has(Property::kReadonly)) return true;
  const MemoryAccess access = Describe(load);
  if (access.space == MemorySpace::kConst) return true;
  // A parameter of a kernel, or a part of one. The other symbols of the space are what calls pass.
  if (access.space == MemorySpace::kParam && is_kernel_ && access.object == Root::kSymbol &&
      ParameterOf(static_cast<SymbolId>(access.object_id)).has_value()) {
    return true;
  }
  if (access.memoperand != nullptr && access.memoperand->Has(MachineMemOperand::kInvariant)) return true;
  if (access.object == Root::kGlobal) {
    const GlobalValue& value = module_->global_value(static_cast<GlobalId>(access.object_id));
    return static_cast<const GlobalVariable&>(value).is_constant;
  }
  if (access.object != Root::kParameter) return false;
  const Parameter& parameter = parameters_[static_cast<size_t>(access.object_id)];
  return parameter.is_noalias && parameter.is_readonly;
}

// A stack object holds no value outside its lifetime.
bool MemoryDependence::MayEndValue(const MachineInstr& marker, const MachineInstr& load) const {
  const MemoryAccess access = Describe(load);
  switch (access.object) {
    case MemoryAccess::Root::kFrameIndex:
      return access.object_id == marker.operand(0).frame_index();
    case MemoryAccess::Root::kUnknown:
    case MemoryAccess::Root::kRegister:
      return access.space == MemorySpace::kLocal || access.space == MemorySpace::kGeneric ||
             access.space == MemorySpace::kUnknown;
    default:
      return false;
  }
}

bool MemoryDependence::MayChange(const MachineInstr& instr, const MachineInstr& load,
                                 bool may_be_other_iteration) const {
  if (instr.opcode() == generic::kLifetimeStart || instr.opcode() == generic::kLifetimeEnd) {
    return MayEndValue(instr, load);
  }
  if (instr.is_debug() || instr.is_phi() || instr.is_copy() || instr.is_meta()) return false;
  const PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (info.is_pure() || (info.Has(Property::kControl) && !info.Has(Property::kCall))) return false;
  if (ReadsConstantMemory(load)) return false;
  const bool orders = info.is_fence() || ptx::IsOrderedAccess(instr);
  if (orders) {
    // Other threads do not write the thread's own memory.
    const MemoryAccess access = Describe(load);
    const bool is_own = access.space == MemorySpace::kLocal || access.space == MemorySpace::kParam;
    if (!is_own) return true;
    if (info.is_fence()) return false;
  }
  if (!info.writes_memory() && !info.Has(Property::kSide | Property::kCall)) return false;
  if (!IsPlainAccess(instr)) return true;
  return Alias(instr, load, may_be_other_iteration) != AliasResult::kNoAlias;
}

std::vector<MemoryDependence::Dependence> MemoryDependence::Dependences(const MachineInstr& load,
                                                                        const Limits& limits) const {
  const std::vector<Dependence> unknown = {{DependenceKind::kUnknown, nullptr}};
  // Blocks to search backwards from their end, and whether the search has left the iteration of the load. Once it
  // has, that stays true.
  std::vector<std::pair<const MachineBasicBlock*, bool>> worklist, seen;
  std::vector<Dependence> result;
  uint32_t num_instrs = 0;
  const MachineBasicBlock& home = *load.parent();
  const auto look_back = [&](const MachineBasicBlock& block, MachineInstr* from, bool other_turn) {
    for (MachineInstr* instr = from; instr != nullptr; instr = instr->previous()) {
      if (instr->is_debug()) continue;
      if (++num_instrs > limits.max_instrs) return false;
      const PtxInstrInfo& info = InstrInfo(instr->opcode());
      const bool is_plain = IsPlainAccess(*instr) && IsPlainAccess(load) && !ptx::IsOrderedAccess(*instr) &&
                            !info.Has(Property::kAtomic) && (instr != &load || other_turn);
      if (is_plain && Alias(*instr, load, other_turn) == AliasResult::kMustAlias) {
        result.push_back({DependenceKind::kDefinition, instr});
        return true;
      }
      if (!MayChange(*instr, load, other_turn)) continue;
      result.push_back({DependenceKind::kClobber, instr});
      return true;
    }
    if (&block == function_.front() || block.predecessors().empty())
      result.push_back({DependenceKind::kEntry, nullptr});
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      // After going back around a cycle, the same register may hold another address.
      const CycleId cycle = cycles_.InnermostCycle(block);
      bool leaves_iteration = other_turn;
      for (CycleId around = cycle; around != CycleForest::kNoCycle; around = cycles_.Parent(around)) {
        const auto entries = cycles_.Entries(around);
        if (cycles_.Contains(around, *predecessor) && (&block == cycles_.Header(around) || entries.size() > 1)) {
          leaves_iteration = true;
        }
      }
      worklist.emplace_back(predecessor, leaves_iteration);
    }
    return true;
  };
  if (!look_back(home, load.previous(), false)) return unknown;
  while (!worklist.empty()) {
    const auto item = worklist.back();
    worklist.pop_back();
    if (std::find(seen.begin(), seen.end(), item) != seen.end()) continue;
    seen.push_back(item);
    if (seen.size() > limits.max_blocks) return unknown;
    if (!look_back(*item.first, item.first->back(), item.second)) return unknown;
  }
  const auto key = [](const Dependence& dependence) {
    return std::pair(dependence.kind, dependence.instr == nullptr ? 0 : dependence.instr->id());
  };
  std::sort(result.begin(), result.end(), [&](const Dependence& a, const Dependence& b) { return key(a) < key(b); });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void MemoryDependence::Print(std::string& out) const {
  const auto place = [](const MachineInstr& instr) {
    size_t number = 0;
    for (const MachineInstr* before = instr.previous(); before != nullptr; before = before->previous()) ++number;
    return StrCat("%bb.", instr.parent()->number(), ":", number);
  };
  for (const MachineBasicBlock& block : function_) {
    for (const MachineInstr& instr : block) {
      if (instr.is_debug() || !IsPlainAccess(instr) || !InstrInfo(instr.opcode()).reads_memory()) continue;
      StrAppend(&out, place(instr), " ", function_.target().StableName(instr.opcode()), ":");
      if (ReadsConstantMemory(instr)) {
        out += " constant memory\n";
        continue;
      }
      for (const Dependence& dependence : Dependences(instr)) {
        constexpr std::string_view kKinds[] = {"definition", "clobber", "entry", "unknown"};
        StrAppend(&out, " ", kKinds[static_cast<size_t>(dependence.kind)]);
        if (dependence.instr != nullptr) StrAppend(&out, " ", place(*dependence.instr));
      }
      out += "\n";
    }
  }
}

// No stored data can become stale by an edit, except the cycles, which are checked by themselves.
std::string MemoryDependence::DifferenceFrom(const Analysis&) const { return ""; }

}  // namespace ptxmir
