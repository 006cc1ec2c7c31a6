// SPDX-License-Identifier: Apache-2.0

// Makes nodes: CSE, allocation, use lists, and the getters. selection_dag_edit.cc has changes to a graph.

#include "sdag/graph/selection_dag.h"

#include <algorithm>

#include "base/str_cat.h"
#include "ir/module.h"
#include "sdag/graph/divergence.h"

namespace ptxmir::sdag {
namespace {

uint32_t Mix(uint64_t value) { return static_cast<uint32_t>((value * 0x9e3779b97f4a7c15u) >> 32); }

// Memory nodes are equal if they access memory in the same way, whichever memory operand they have.
struct MemoryKey {
  EVT type;
  SymbolId intrinsic = 0;
  LoadExt ext = LoadExt::kNone;
  bool is_truncating = false;
  bool has_memoperand = false;
  uint16_t flags = 0;
  uint32_t address_space = 0;
  friend bool operator==(const MemoryKey&, const MemoryKey&) = default;
};

MemoryKey MemoryKeyOf(const MemSDNode::Data& data) {
  MemoryKey key{.type = data.memory_type,
                .intrinsic = data.intrinsic,
                .ext = data.ext,
                .is_truncating = data.is_truncating,
                .has_memoperand = data.memoperand != nullptr};
  if (data.memoperand != nullptr) {
    key.flags = data.memoperand->flags;
    key.address_space = data.memoperand->address_space;
  }
  return key;
}

NodePayload PayloadKind(int16_t opcode) { return opcode < 0 ? NodePayload::kMachine : Desc(opcode).payload; }

// Returns the number of operands for which a node gets room, so that it can become an instruction in place. Most
// instructions take a modifier more than the node has operands, accesses to memory take five.
unsigned CapacityFor(int16_t opcode, unsigned num_operands) {
  if (opcode < 0 || num_operands == 0) return num_operands;
  constexpr unsigned kOperandsOfAccess = 9;
  const unsigned capacity =
      PayloadKind(opcode) == NodePayload::kMemory ? std::max(kOperandsOfAccess, num_operands) : num_operands + 1;
  return std::min(capacity, SDNode::kMaxOperands);
}

}  // namespace

// Equality.

bool NodeCse::SamePayload(int16_t opcode, const SDNode::Payload& a, const SDNode::Payload& b) {
  const auto unpack = []<typename T>(const SDNode::Payload& payload, T& data) {
    std::memcpy(static_cast<void*>(&data), &payload, sizeof(T));
  };
  switch (PayloadKind(opcode)) {
    case NodePayload::kMemory:
    case NodePayload::kIntrinsic: {
      MemSDNode::Data data_a, data_b;
      unpack(a, data_a);
      unpack(b, data_b);
      return MemoryKeyOf(data_a) == MemoryKeyOf(data_b);
    }
    case NodePayload::kShuffle: {
      ShuffleVectorSDNode::Data data_a, data_b;
      unpack(a, data_a);
      unpack(b, data_b);
      return std::equal(data_a.mask, data_a.mask + data_a.size, data_b.mask, data_b.mask + data_b.size);
    }
    default:
      return a == b;
  }
}

uint32_t NodeCse::HashOfHead(int16_t opcode, absl::Span<const MVT> types, const SDNode::Payload& payload) {
  uint32_t hash = Mix(static_cast<uint16_t>(opcode) + (uint64_t{types.size()} << 16));
  for (size_t i = 0; i < types.size(); ++i) hash = hash * 31 + static_cast<uint32_t>(types[i]);
  switch (PayloadKind(opcode)) {
    case NodePayload::kMemory:
    case NodePayload::kIntrinsic: {
      MemSDNode::Data data;
      std::memcpy(static_cast<void*>(&data), &payload, sizeof(data));
      const MemoryKey key = MemoryKeyOf(data);
      return hash + Mix(key.type.raw() | uint64_t{key.intrinsic} << 16 | uint64_t{key.flags} << 48) +
             Mix(key.address_space * 8 + static_cast<uint32_t>(key.ext));
    }
    case NodePayload::kShuffle: {
      ShuffleVectorSDNode::Data data;
      std::memcpy(static_cast<void*>(&data), &payload, sizeof(data));
      for (size_t i = 0; i < data.size; ++i) hash = hash * 31 + static_cast<uint16_t>(data.mask[i]);
      return hash;
    }
    default:
      return hash + Mix(payload.low ^ payload.low >> 32) + Mix(payload.high + 1) * 3;
  }
}

NodeCse::Key NodeCse::KeyOf(int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> operands,
                            const SDNode::Payload& payload) {
  Key key{.opcode = opcode,
          .hash = HashOfHead(opcode, types, payload),
          .types = types,
          .operands = operands,
          .payload = payload};
  for (unsigned i = 0; i < operands.size(); ++i) {
    key.hash += HashOfOperand(operands[i] ? operands[i].node()->id() : 0, operands[i].resno(), i);
  }
  return key;
}

uint32_t NodeCse::HashOfOperand(NodeId node, unsigned resno, unsigned index) {
  return Mix((uint64_t{node} << 16 | resno) * 0xc2b2ae3d27d4eb4fu + index + 1);
}

bool NodeCse::Same(const SDNode& node, const Key& key) {
  if (node.hash_ != key.hash || node.opcode_ != key.opcode || node.num_operands_ != key.operands.size() ||
      node.value_types() != key.types || !SamePayload(key.opcode, node.payload_, key.payload)) {
    return false;
  }
  for (unsigned i = 0; i < node.num_operands_; ++i) {
    if (node.operand(i) != key.operands[i]) return false;
  }
  return true;
}

bool NodeCse::SameNode(const SDNode& a, const SDNode& b) {
  if (a.hash_ != b.hash_ || a.opcode_ != b.opcode_ || a.num_operands_ != b.num_operands_ ||
      a.value_types() != b.value_types() || !SamePayload(a.opcode_, a.payload_, b.payload_)) {
    return false;
  }
  for (unsigned i = 0; i < a.num_operands_; ++i) {
    if (a.operand(i) != b.operand(i)) return false;
  }
  return true;
}

bool SelectionDAG::IsUnique(int16_t opcode, absl::Span<const MVT> types, const Payload& payload,
                            const TargetInfo& target) {
  if (!types.empty() && types.back() == MVT::kGlue) return false;
  // The second word of a machine node's payload is the number of its memory operands.
  if (opcode < 0) return payload.high == 0 && (OpcodeProperties(opcode, target) & NodeProperty::kNoCse) == 0;
  if ((Desc(opcode).properties & NodeProperty::kNoCse) != 0) return false;
  const NodePayload kind = Desc(opcode).payload;
  if (kind != NodePayload::kMemory && kind != NodePayload::kIntrinsic) return true;
  MemSDNode::Data data;
  std::memcpy(static_cast<void*>(&data), &payload, sizeof(data));
  return data.memoperand == nullptr || (!data.memoperand->is_volatile() && !data.memoperand->is_atomic());
}

bool SelectionDAG::IsUnique(const SDNode& node) const {
  return IsUnique(node.opcode_, node.value_types(), node.payload_, function_.target());
}

void SelectionDAG::RemoveFromCse(SDNode* node) {
  if (!node->is_in_cse_map_) return;
  cse_.erase(NodeCse::Entry{node->id(), node->hash_});
  node->is_in_cse_map_ = 0;
}

SDNode* SelectionDAG::AddToCse(SDNode* node) {
  if (!IsUnique(*node)) return node;
  const auto [it, inserted] = cse_.insert({node->id(), node->hash_});
  if (inserted) node->is_in_cse_map_ = 1;
  return NodeOf(it);
}

SDNode* SelectionDAG::NodeOf(
    absl::flat_hash_set<NodeCse::Entry, NodeCse::Hash, NodeCse::Equal>::const_iterator it) const {
  return it == cse_.end() ? nullptr : function_.arena_.Resolve<SDNode>(it->node);
}

// Memory and lists.

SelectionDAG::SelectionDAG(DagFunction& function, MachineBasicBlock& block)
    : function_(function), block_(block), cse_(0, NodeCse::Hash(), NodeCse::Equal{&function.arena_}) {
  Clear();
}

SelectionDAG::~SelectionDAG() {
  for (SDNode* node = first_; node != nullptr;) {
    SDNode* next = node->next();
    Free(node);
    node = next;
  }
}

MachineFunction& SelectionDAG::machine_function() const { return function_.machine_function(); }

void SelectionDAG::Clear() {
  cse_.clear();
  debug_info_.Clear();
  for (SDNode* node = first_; node != nullptr;) {
    SDNode* next = node->next();
    for (DagUpdateListener* listener = listeners_; listener != nullptr; listener = listener->outer_) {
      listener->NodeDeleted(node, nullptr);
    }
    Free(node);
    node = next;
  }
  first_ = last_ = nullptr;
  num_nodes_ = 0;
  const MVT types[] = {MVT::kOther, MVT::kGlue};
  entry_ = CreateNode(NodeCse::KeyOf(isd::kEntryToken, types, {}, {}), {}, 0);
  root_ = EntryToken();
}

SDNode* SelectionDAG::AllocateNode(unsigned capacity) {
  std::vector<NodeId>& free_nodes = function_.free_nodes_;
  void* memory = nullptr;
  if (capacity < free_nodes.size() && free_nodes[capacity] != 0) {
    SDNode* node = function_.arena_.Resolve<SDNode>(free_nodes[capacity]);
    free_nodes[capacity] = node->next_;
    memory = node;
  } else {
    memory = function_.arena_.Allocate(sizeof(SDNode) + capacity * sizeof(SDUse));
  }
  SDNode* node = new (memory) SDNode;
  node->capacity_ = static_cast<uint16_t>(capacity);
  return node;
}

void SelectionDAG::Free(SDNode* node) {
  std::vector<NodeId>& free_nodes = function_.free_nodes_;
  if (node->capacity_ >= free_nodes.size()) free_nodes.resize(node->capacity_ + 1u, 0);
  node->next_ = free_nodes[node->capacity_];
  free_nodes[node->capacity_] = node->id();
}

void SelectionDAG::SetTypes(SDNode* node, absl::Span<const MVT> types) {
  node->num_values_ = static_cast<uint16_t>(types.size());
  if (types.size() > SDNode::kInlineTypes) {
    node->type_list_ = function_.InternTypes(types);
    return;
  }
  node->type_list_ = 0;
  std::copy(types.begin(), types.end(), node->inline_types_);
}

void SelectionDAG::Append(SDNode* node) {
  node->previous_ = last_ == nullptr ? 0 : last_->id();
  node->next_ = 0;
  if (last_ == nullptr) {
    first_ = node;
  } else {
    last_->next_ = node->id();
  }
  last_ = node;
  ++num_nodes_;
}

void SelectionDAG::Unlink(SDNode* node) {
  SDNode* previous = node->previous();
  SDNode* next = node->next();
  if (previous == nullptr) {
    first_ = next;
  } else {
    previous->next_ = node->next_;
  }
  if (next == nullptr) {
    last_ = previous;
  } else {
    next->previous_ = node->previous_;
  }
  --num_nodes_;
}

SDNode* SelectionDAG::CreateNode(const NodeCse::Key& key, SDLoc loc, uint32_t flags) {
  SDNode* node = AllocateNode(CapacityFor(key.opcode, static_cast<unsigned>(key.operands.size())));
  node->opcode_ = key.opcode;
  node->num_operands_ = static_cast<uint16_t>(key.operands.size());
  SetTypes(node, key.types);
  node->flags_ = flags;
  node->node_id_ = -1;
  node->first_use_ = 0;
  node->hash_ = key.hash;
  node->ir_order_ = loc.order;
  node->debug_loc_ = loc.debug_loc;
  node->block_ = block_.number();
  node->has_debug_value_ = 0;
  node->is_divergent_ = 0;
  node->is_in_cse_map_ = 0;
  node->is_deleted_ = 0;
  node->is_marked_ = 0;
  node->payload_ = key.payload;
  for (unsigned i = 0; i < key.operands.size(); ++i) InitUse(node, i, key.operands[i]);
  Append(node);
  node->is_divergent_ = ComputeDivergence(*node) ? 1 : 0;
  for (DagUpdateListener* listener = listeners_; listener != nullptr; listener = listener->outer_) {
    listener->NodeInserted(node);
  }
  return node;
}

// Use lists.

void SelectionDAG::InitUse(SDNode* user, unsigned index, SDValue value) {
  SDUse* use = user->uses_begin() + index;
  use->operand_number_ = static_cast<uint16_t>(index);
  use->resno_ = static_cast<uint16_t>(value.resno());
  use->node_ = 0;
  use->next_ = use->previous_ = 0;
  if (value) LinkUse(use, value.node());
}

void SelectionDAG::LinkUse(SDUse* use, SDNode* value) {
  use->node_ = value->id();
  use->previous_ = 0;
  use->next_ = value->first_use_;
  value->first_use_ = use->id();
  if (use->next_ != 0) use->next()->previous_ = value->first_use_;
}

void SelectionDAG::UnlinkUse(SDUse* use) {
  SDNode* value = use->node();
  if (value == nullptr) return;
  if (use->previous_ == 0) {
    value->first_use_ = use->next_;
  } else {
    value->Resolve<SDUse>(use->previous_)->next_ = use->next_;
  }
  if (SDUse* next = use->next()) next->previous_ = use->previous_;
  use->node_ = 0;
}

void SelectionDAG::SetUse(SDUse* use, SDValue value) {
  SDNode* user = use->user();
  const unsigned index = use->operand_number_;
  user->hash_ -= NodeCse::HashOfOperand(use->node_, use->resno_, index);
  UnlinkUse(use);
  use->resno_ = static_cast<uint16_t>(value.resno());
  if (value) LinkUse(use, value.node());
  user->hash_ += NodeCse::HashOfOperand(use->node_, use->resno_, index);
}

// Getters.

void SelectionDAG::Misuse(std::string message) {
  if (misuse_.ok()) {
    misuse_ = absl::InvalidArgumentError(
        StrCat("block ", block_.number(), " of '", machine_function().name(), "': ", message));
  }
}

absl::Span<const SDValue> SelectionDAG::CheckOperands(absl::Span<const SDValue> operands,
                                                      std::vector<SDValue>& storage) {
  const auto is_ours = [this](const SDValue& value) { return IsOurs(value); };
  if (operands.size() > SDNode::kMaxOperands) {
    Misuse(StrCat("a node can have ", SDNode::kMaxOperands, " operands, not ", operands.size()));
    operands = operands.first(SDNode::kMaxOperands);
  }
  if (std::all_of(operands.begin(), operands.end(), is_ours)) [[likely]]
    return operands;
  Misuse("an operand is a value of another function or block; those go through registers");
  storage.assign(operands.begin(), operands.end());
  for (SDValue& value : storage) {
    if (!is_ours(value)) value = SDValue();
  }
  return storage;
}

void SelectionDAG::LetStandFor(SDNode* node, uint32_t flags, uint32_t order) {
  node->flags_ &= flags;
  if (order != 0 && (node->ir_order_ == 0 || order < node->ir_order_)) node->ir_order_ = order;
}

SDNode* SelectionDAG::GetNodeWithPayload(int16_t opcode, SDLoc loc, absl::Span<const MVT> types,
                                         absl::Span<const SDValue> given, const Payload& payload, uint32_t flags) {
  if (opcode >= isd::kNumOpcodes) {
    Misuse(StrCat("there is no opcode ", opcode));
    opcode = isd::kMergeValues;
  }
  if (types.size() > SDNode::kMaxValues) {
    Misuse(StrCat("a node can have ", SDNode::kMaxValues, " results, not ", types.size()));
    types = types.first(SDNode::kMaxValues);
  }
  std::vector<SDValue> storage;
  const absl::Span<const SDValue> operands = CheckOperands(given, storage);
  const NodeCse::Key key = NodeCse::KeyOf(opcode, types, operands, payload);
  if (!IsUnique(opcode, types, payload, function_.target())) return CreateNode(key, loc, flags);
  SDNode* made = nullptr;
  const auto found = cse_.lazy_emplace(key, [&](const auto& construct) {
    made = CreateNode(key, loc, flags);
    made->is_in_cse_map_ = 1;
    construct(NodeCse::Entry{made->id(), made->hash_});
  });
  if (made != nullptr) return made;
  SDNode* node = NodeOf(found);
  LetStandFor(node, flags, loc.order);
  return node;
}

SDValue SelectionDAG::GetNode(int16_t opcode, SDLoc loc, absl::Span<const MVT> types,
                              absl::Span<const SDValue> operands, uint32_t flags) {
  if (opcode >= 0 && opcode < isd::kNumOpcodes && Desc(opcode).payload != NodePayload::kNone) {
    Misuse(StrCat("GetNode makes nodes without payload, no '", Desc(opcode).name, "'"));
  }
  return {GetNodeWithPayload(opcode, loc, types, operands, {}, flags), 0};
}

SDNode* SelectionDAG::CloneNode(const SDNode& node, absl::Span<const SDValue> operands) {
  return GetNodeWithPayload(node.opcode(), node.loc(), node.value_types(), operands, node.payload_, node.flags());
}

SDNode* SelectionDAG::FindNode(int16_t opcode, absl::Span<const MVT> types, absl::Span<const SDValue> operands) const {
  return NodeOf(cse_.find(NodeCse::KeyOf(opcode, types, operands, {})));
}

SDValue SelectionDAG::GetConstant(absl::uint128 value, MVT type, bool is_target) {
  const unsigned bits = ScalarSizeInBits(type);
  if (bits > 0 && bits < 128) value &= (absl::uint128(1) << bits) - 1;
  const Payload payload{.low = absl::Uint128Low64(value), .high = absl::Uint128High64(value)};
  return GetLeaf(is_target ? isd::kTargetConstant : isd::kConstant, type, payload);
}

SDValue SelectionDAG::GetSignedConstant(int64_t value, MVT type, bool is_target) {
  return GetConstant(static_cast<absl::uint128>(absl::int128(value)), type, is_target);
}

SDValue SelectionDAG::GetConstantFP(uint64_t bits, MVT type, bool is_target) {
  const unsigned size = ScalarSizeInBits(type);
  if (size > 0 && size < 64) bits &= (uint64_t{1} << size) - 1;
  return GetLeaf(is_target ? isd::kTargetConstantFP : isd::kConstantFP, type, {.low = bits});
}

SDValue SelectionDAG::GetGlobalAddress(GlobalId global, MVT type, int64_t offset, bool is_target,
                                       uint32_t target_flags) {
  return GetLeaf(is_target ? isd::kTargetGlobalAddress : isd::kGlobalAddress, type,
                 SDNode::Pack(GlobalAddressSDNode::Data{offset, global, target_flags}));
}

SDValue SelectionDAG::GetFrameIndex(int index, MVT type, bool is_target) {
  return GetLeaf(is_target ? isd::kTargetFrameIndex : isd::kFrameIndex, type, {.low = static_cast<uint32_t>(index)});
}

SDValue SelectionDAG::GetJumpTable(uint32_t index, MVT type, bool is_target) {
  return GetLeaf(is_target ? isd::kTargetJumpTable : isd::kJumpTable, type, {.low = index});
}

SDValue SelectionDAG::GetConstantPool(uint32_t index, MVT type, int64_t offset, bool is_target) {
  return GetLeaf(is_target ? isd::kTargetConstantPool : isd::kConstantPool, type,
                 SDNode::Pack(ConstantPoolSDNode::Data{offset, index, 0}));
}

SDValue SelectionDAG::GetExternalSymbol(std::string_view name, MVT type, bool is_target) {
  return GetLeaf(is_target ? isd::kTargetExternalSymbol : isd::kExternalSymbol, type,
                 {.low = machine_function().InternSymbol(name)});
}

SDValue SelectionDAG::GetBlockAddress(std::string_view text, MVT type, bool is_target) {
  return GetLeaf(is_target ? isd::kTargetBlockAddress : isd::kBlockAddress, type,
                 {.low = machine_function().InternSymbol(text)});
}

SDValue SelectionDAG::GetMCSymbol(std::string_view name, MVT type) {
  return GetLeaf(isd::kMCSymbol, type, {.low = machine_function().InternSymbol(name)});
}

SDValue SelectionDAG::GetBasicBlock(BlockNumber block) {
  return GetLeaf(isd::kBasicBlock, MVT::kOther, {.low = block});
}

SDValue SelectionDAG::GetRegister(Register reg, MVT type) { return GetLeaf(isd::kRegister, type, {.low = reg.bits()}); }

SDValue SelectionDAG::GetCondCode(CondCode code) {
  return GetLeaf(isd::kCondCode, MVT::kOther, {.low = static_cast<uint64_t>(code)});
}

SDValue SelectionDAG::GetValueType(EVT type) { return GetLeaf(isd::kValueType, MVT::kOther, {.low = type.raw()}); }

SDValue SelectionDAG::GetMDNode(MetadataId metadata) { return GetLeaf(isd::kMDNode, MVT::kOther, {.low = metadata}); }

SDValue SelectionDAG::GetCopyToReg(SDLoc loc, SDValue chain, Register reg, SDValue value) {
  return GetNode(isd::kCopyToReg, loc, MVT::kOther, {chain, GetRegister(reg, value.type()), value});
}

SDValue SelectionDAG::GetCopyToReg(SDLoc loc, SDValue chain, Register reg, SDValue value, SDValue glue) {
  const SDValue operands[] = {chain, GetRegister(reg, value.type()), value, glue};
  const MVT types[] = {MVT::kOther, MVT::kGlue};
  return GetNode(isd::kCopyToReg, loc, types, absl::MakeConstSpan(operands, glue ? 4 : 3));
}

SDValue SelectionDAG::GetCopyFromReg(SDLoc loc, SDValue chain, Register reg, MVT type) {
  return GetNode(isd::kCopyFromReg, loc, {type, MVT::kOther}, {chain, GetRegister(reg, type)});
}

SDValue SelectionDAG::GetCopyFromReg(SDLoc loc, SDValue chain, Register reg, MVT type, SDValue glue) {
  const SDValue operands[] = {chain, GetRegister(reg, type), glue};
  const MVT types[] = {type, MVT::kOther, MVT::kGlue};
  return GetNode(isd::kCopyFromReg, loc, types, absl::MakeConstSpan(operands, glue ? 3 : 2));
}

SDValue SelectionDAG::GetTokenFactor(SDLoc loc, absl::Span<const SDValue> chains) {
  if (chains.empty()) return EntryToken();
  const MVT type = MVT::kOther;
  std::vector<SDValue> level(chains.begin(), chains.end());
  while (level.size() > 1) {
    std::vector<SDValue> next;
    for (size_t i = 0; i < level.size(); i += SDNode::kMaxOperands) {
      const auto group = absl::MakeConstSpan(level).subspan(i, SDNode::kMaxOperands);
      next.push_back(group.size() == 1 ? group[0]
                                       : GetNode(isd::kTokenFactor, loc, absl::MakeConstSpan(&type, 1), group));
    }
    level = std::move(next);
  }
  return level[0];
}

SDValue SelectionDAG::GetSetCC(SDLoc loc, MVT type, SDValue lhs, SDValue rhs, CondCode code, uint32_t flags) {
  return GetNode(isd::kSetCC, loc, type, {lhs, rhs, GetCondCode(code)}, flags);
}

SDValue SelectionDAG::GetMemNode(int16_t opcode, SDLoc loc, absl::Span<const MVT> types,
                                 absl::Span<const SDValue> operands, EVT memory_type,
                                 const MachineMemOperand* memoperand, LoadExt ext, bool is_truncating, uint32_t flags) {
  if (opcode < 0 || opcode >= isd::kNumOpcodes || Desc(opcode).payload != NodePayload::kMemory) {
    Misuse("GetMemNode makes nodes that access memory");
    return GetNode(opcode, loc, types, operands, flags);
  }
  const MemSDNode::Data data{memoperand, 0, memory_type, ext, is_truncating};
  return {GetNodeWithPayload(opcode, loc, types, operands, SDNode::Pack(data), flags), 0};
}

SDValue SelectionDAG::GetLoad(SDLoc loc, MVT type, SDValue chain, SDValue pointer,
                              const MachineMemOperand* memoperand) {
  return GetExtLoad(LoadExt::kNone, loc, type, chain, pointer, type, memoperand);
}

SDValue SelectionDAG::GetExtLoad(LoadExt ext, SDLoc loc, MVT type, SDValue chain, SDValue pointer, EVT memory_type,
                                 const MachineMemOperand* memoperand) {
  const MVT types[] = {type, MVT::kOther};
  const SDValue operands[] = {chain, pointer, GetUndef(pointer.type())};
  return GetMemNode(isd::kLoad, loc, types, operands, memory_type, memoperand, ext);
}

SDValue SelectionDAG::GetStore(SDLoc loc, SDValue chain, SDValue value, SDValue pointer,
                               const MachineMemOperand* memoperand) {
  const MVT type = MVT::kOther;
  const SDValue operands[] = {chain, value, pointer, GetUndef(pointer.type())};
  return GetMemNode(isd::kStore, loc, absl::MakeConstSpan(&type, 1), operands, value.type(), memoperand);
}

SDValue SelectionDAG::GetTruncStore(SDLoc loc, SDValue chain, SDValue value, SDValue pointer, EVT memory_type,
                                    const MachineMemOperand* memoperand) {
  const MVT type = MVT::kOther;
  const SDValue operands[] = {chain, value, pointer, GetUndef(pointer.type())};
  return GetMemNode(isd::kStore, loc, absl::MakeConstSpan(&type, 1), operands, memory_type, memoperand, LoadExt::kNone,
                    /*is_truncating=*/true);
}

SDValue SelectionDAG::GetIntrinsic(int16_t opcode, std::string_view name, SDLoc loc, absl::Span<const MVT> types,
                                   absl::Span<const SDValue> operands, EVT memory_type,
                                   const MachineMemOperand* memoperand, uint32_t flags) {
  if (opcode < 0 || opcode >= isd::kNumOpcodes || Desc(opcode).payload != NodePayload::kIntrinsic) {
    Misuse(StrCat("GetIntrinsic('", name, "') needs an opcode of intrinsics"));
    return GetNode(opcode, loc, types, operands, flags);
  }
  const MemSDNode::Data data{memoperand, machine_function().InternSymbol(name), memory_type, LoadExt::kNone, false};
  return {GetNodeWithPayload(opcode, loc, types, operands, SDNode::Pack(data), flags), 0};
}

SDValue SelectionDAG::GetAddrSpaceCast(SDLoc loc, MVT type, SDValue pointer, unsigned source_space,
                                       unsigned target_space) {
  return {GetNodeWithPayload(isd::kAddrSpaceCast, loc, absl::MakeConstSpan(&type, 1), absl::MakeConstSpan(&pointer, 1),
                             {.low = source_space, .high = target_space}, 0),
          0};
}

SDValue SelectionDAG::GetVectorShuffle(SDLoc loc, MVT type, SDValue a, SDValue b, absl::Span<const int16_t> mask) {
  const SDValue operands[] = {a, b};
  // Makes a copy for the node only if the node is new.
  ShuffleVectorSDNode::Data data{mask.data(), mask.size()};
  const size_t before = num_nodes_;
  SDNode* node =
      GetNodeWithPayload(isd::kVectorShuffle, loc, absl::MakeConstSpan(&type, 1), operands, SDNode::Pack(data), 0);
  if (num_nodes_ != before && !mask.empty()) {
    auto* copy = static_cast<int16_t*>(function_.arena_.Allocate(mask.size() * sizeof(int16_t)));
    std::copy(mask.begin(), mask.end(), copy);
    data.mask = copy;
    node->payload_ = SDNode::Pack(data);
  }
  return {node, 0};
}

SDValue SelectionDAG::GetAssertAlign(SDLoc loc, SDValue pointer, uint8_t align_log2) {
  const MVT type = pointer.type();
  return {GetNodeWithPayload(isd::kAssertAlign, loc, absl::MakeConstSpan(&type, 1), absl::MakeConstSpan(&pointer, 1),
                             {.low = align_log2}, 0),
          0};
}

SDValue SelectionDAG::GetLabel(int16_t opcode, SDLoc loc, SDValue chain, std::string_view label) {
  const MVT type = MVT::kOther;
  return {GetNodeWithPayload(opcode, loc, absl::MakeConstSpan(&type, 1), absl::MakeConstSpan(&chain, 1),
                             {.low = machine_function().InternSymbol(label)}, 0),
          0};
}

SDNode* SelectionDAG::GetMachineNode(ptxmir::Opcode opcode, SDLoc loc, absl::Span<const MVT> types,
                                     absl::Span<const SDValue> operands,
                                     absl::Span<const MachineMemOperand* const> memoperands, uint32_t flags) {
  return GetNodeWithPayload(static_cast<int16_t>(~opcode), loc, types, operands, PackMemOperands(memoperands), flags);
}

SDNode::Payload SelectionDAG::PackMemOperands(absl::Span<const MachineMemOperand* const> memoperands) {
  if (memoperands.empty()) return {};
  auto* copy = static_cast<const MachineMemOperand**>(function_.arena_.Allocate(memoperands.size() * sizeof(void*)));
  std::copy(memoperands.begin(), memoperands.end(), copy);
  return SDNode::Pack(MachineSDNode::Data{copy, memoperands.size()});
}

// The function.

DagUpdateListener::DagUpdateListener(SelectionDAG& dag) : dag_(dag), outer_(dag.listeners_) { dag.listeners_ = this; }
DagUpdateListener::~DagUpdateListener() { dag_.listeners_ = outer_; }

DagFunction::DagFunction(MachineFunction& function)
    : function_(function),
      arena_(this,
             function.module() != nullptr ? function.module()->function_memory() : std::make_shared<ArenaChunkPool>()),
      hooks_(PtxDivergenceHooks()) {}

DagFunction::~DagFunction() = default;

SelectionDAG& DagFunction::dag(MachineBasicBlock& block) {
  if (block.number() >= dags_.size()) dags_.resize(function_.block_number_bound());
  std::unique_ptr<SelectionDAG>& dag = dags_[block.number()];
  if (dag == nullptr) dag.reset(new SelectionDAG(*this, block));
  return *dag;
}

void DagFunction::EraseDag(BlockNumber block) {
  if (block < dags_.size()) dags_[block].reset();
}

SDLoc DagFunction::LocAt(SDLoc loc, const char* position) {
  places_.push_back({DebugLocOf(loc), position});
  return {loc.order, kFirstPlace + static_cast<MetadataId>(places_.size() - 1)};
}

const char* DagFunction::PositionOf(SDLoc loc) const {
  return IsPlace(loc.debug_loc) ? places_[loc.debug_loc - kFirstPlace].position : nullptr;
}

const char* DagFunction::PositionOf(const SDNode& node) const {
  // Visits users of users, nearest first. A leaf has no loc, but a user near it has one.
  constexpr size_t kMaxNodes = 1000;
  std::vector<const SDNode*> nodes = {&node};
  absl::flat_hash_set<NodeId> seen = {node.id()};
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (const char* position = PositionOf(nodes[i]->loc())) return position;
    for (const SDUse* use = nodes[i]->first_use(); use != nullptr && nodes.size() < kMaxNodes; use = use->next()) {
      if (seen.insert(use->user()->id()).second) nodes.push_back(use->user());
    }
  }
  return nullptr;
}

void DagFunction::SetDivergent(Register reg) {
  if (!reg.is_virtual()) return;
  if (reg.virtual_index() >= divergent_.size()) divergent_.resize(reg.virtual_index() + 1);
  divergent_[reg.virtual_index()] = true;
}

NodeId DagFunction::InternTypes(absl::Span<const MVT> types) {
  const std::string_view bytes(reinterpret_cast<const char*>(types.data()), types.size());
  const auto found = type_lists_.find(bytes);
  if (found != type_lists_.end()) return found->second;
  char* copy = static_cast<char*>(arena_.Allocate(bytes.size()));
  std::memcpy(copy, bytes.data(), bytes.size());
  const NodeId id = DagArena::IdOf(copy);
  type_lists_.emplace(std::string_view(copy, bytes.size()), id);
  return id;
}

}  // namespace ptxmir::sdag
