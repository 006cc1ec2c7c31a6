// SPDX-License-Identifier: Apache-2.0

#include "sdag/meaning/dag_evaluator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/str_cat.h"
#include "mir/code/operand_ranges.h"
#include "sdag/meaning/node_semantics_lanes.h"

namespace ptxmir::sdag {

using U = absl::uint128;

// Memory.

void EvaluatorMemory::Map(uint64_t address, size_t size) { regions_[address] = std::vector<Byte>(size); }

uint64_t EvaluatorMemory::Allocate(size_t size) {
  constexpr uint64_t kAlignment = 256;
  const uint64_t address = next_;
  next_ += (size / kAlignment + 2) * kAlignment;
  Map(address, size);
  return address;
}

const EvaluatorMemory::Byte* EvaluatorMemory::Bytes(uint64_t address, size_t size) const {
  auto it = regions_.upper_bound(address);
  if (it == regions_.begin()) return nullptr;
  --it;
  const uint64_t offset = address - it->first;
  if (offset > it->second.size() || size > it->second.size() - offset) return nullptr;
  return it->second.data() + offset;
}

bool EvaluatorMemory::Write(uint64_t address, absl::Span<const uint8_t> bytes) {
  auto* to = const_cast<Byte*>(Bytes(address, bytes.size()));
  if (to == nullptr) return false;
  for (const uint8_t byte : bytes) *to++ = {byte};
  return true;
}

bool EvaluatorMemory::Store(uint64_t address, const DagConstant& value) {
  const ValueBits bits = BitsOf(value);
  const size_t size = (bits.bits.size() + 7) / 8;
  auto* to = const_cast<Byte*>(Bytes(address, size));
  if (to == nullptr) return false;
  for (size_t i = 0; i < size; ++i) {
    to[i] = {};
    for (size_t b = 8 * i; b < std::min(8 * i + 8, bits.bits.size()); ++b) {
      to[i].value = static_cast<uint8_t>(to[i].value | bits.bits[b] << (b % 8));
      if (bits.undefined[b] != 0) to[i].state = ByteState::kUndefined;
    }
  }
  const size_t lane_size = ScalarSizeInBits(value.type) / 8;
  for (size_t lane = 0; lane < value.lanes.size(); ++lane) {
    if (value.lanes[lane].state != LaneState::kAnyNaN) continue;
    for (size_t i = 0; i < lane_size; ++i) to[lane * lane_size + i].state = ByteState::kNaNTail;
    to[lane * lane_size].state = ByteState::kNaN;
    to[lane * lane_size].nan_type = ScalarType(value.type);
  }
  return true;
}

namespace {

// Returns true if a complete NaN of the type begins here.
bool IsWholeNaN(const EvaluatorMemory::Byte* bytes, MVT type) {
  using ByteState = EvaluatorMemory::ByteState;
  if (bytes[0].state != ByteState::kNaN || bytes[0].nan_type != type) return false;
  return std::all_of(bytes + 1, bytes + SizeInBytes(type),
                     [](const EvaluatorMemory::Byte& byte) { return byte.state == ByteState::kNaNTail; });
}

}  // namespace

bool EvaluatorMemory::Load(uint64_t address, DagConstant& value) const {
  const size_t size = SizeInBytes(value.type);
  const Byte* from = Bytes(address, size);
  if (from == nullptr) return false;
  ValueBits bits;
  for (size_t i = 0; i < SizeInBits(value.type); ++i) {
    bits.bits.push_back(static_cast<uint8_t>(from[i / 8].value >> (i % 8) & 1));
    bits.undefined.push_back(from[i / 8].state == ByteState::kDefined ? 0 : 1);
  }
  value = FromBits(value.type, bits);
  const MVT element = ScalarType(value.type);
  if (!IsFloatingPoint(element)) return true;
  const size_t lane_size = SizeInBytes(element);
  for (size_t lane = 0; lane < value.lanes.size(); ++lane) {
    const Byte* first = from + lane * lane_size;
    if (!IsWholeNaN(first, element)) continue;
    Lane& nan = value.lanes[lane];
    nan = {0, LaneState::kAnyNaN};
    for (size_t i = 0; i < lane_size; ++i) nan.bits |= U(first[i].value) << static_cast<int>(8 * i);
  }
  return true;
}

bool EvaluatorMemory::Matches(uint64_t address, absl::Span<const uint8_t> actual, size_t* where) const {
  const Byte* bytes = Bytes(address, actual.size());
  for (size_t i = 0; bytes != nullptr && i < actual.size(); ++i) {
    *where = i;
    if (bytes[i].state == ByteState::kDefined && bytes[i].value != actual[i]) return false;
    if (bytes[i].state != ByteState::kNaN) continue;
    const size_t size = SizeInBytes(bytes[i].nan_type);
    if (size > actual.size() - i || !IsWholeNaN(bytes + i, bytes[i].nan_type)) continue;
    U nan = 0;
    for (size_t b = 0; b < size; ++b) nan |= U(actual[i + b]) << static_cast<int>(8 * b);
    if (!IsNaNBits(bytes[i].nan_type, nan)) return false;
  }
  return bytes != nullptr;
}

// Nodes.

namespace {

// The plain operation that computes the value an atomic operation stores, from the old value and the operand.
struct AtomicRow {
  int16_t opcode;
  int16_t pure;
};
constexpr AtomicRow kAtomicRows[] = {
    {isd::kAtomicLoadAdd, isd::kAdd},           {isd::kAtomicLoadSub, isd::kSub},
    {isd::kAtomicLoadAnd, isd::kAnd},           {isd::kAtomicLoadOr, isd::kOr},
    {isd::kAtomicLoadXor, isd::kXor},           {isd::kAtomicLoadMin, isd::kSMin},
    {isd::kAtomicLoadMax, isd::kSMax},          {isd::kAtomicLoadUMin, isd::kUMin},
    {isd::kAtomicLoadUMax, isd::kUMax},         {isd::kAtomicLoadFAdd, isd::kFAdd},
    {isd::kAtomicLoadFSub, isd::kFSub},         {isd::kAtomicLoadFMin, isd::kFMinNum},
    {isd::kAtomicLoadFMax, isd::kFMaxNum},      {isd::kAtomicLoadFMinimum, isd::kFMinimum},
    {isd::kAtomicLoadFMaximum, isd::kFMaximum}, {isd::kAtomicLoadUSubSat, isd::kUSubSat},
};

std::optional<DagConstant> Pure(const DagEvaluation& evaluation, int16_t opcode, MVT type,
                                absl::Span<const DagConstant> operands, uint32_t flags = 0) {
  PureOperation operation;
  operation.opcode = opcode;
  operation.types = absl::MakeConstSpan(&type, 1);
  operation.flags = flags;
  operation.flush_f32 = evaluation.flush_f32;
  operation.any_extend_fill = evaluation.any_extend_fill;
  absl::InlinedVector<DagConstant, 2> results;
  if (!EvaluatePure(operation, operands, results)) return std::nullopt;
  return results[0];
}

class BlockEvaluator {
 public:
  BlockEvaluator(SelectionDAG& dag, DagEvaluation& evaluation) : dag_(dag), evaluation_(evaluation) {}

  absl::Status Run(std::optional<BlockNumber>& next) {
    if (!Order()) return absl::InvalidArgumentError("the DAG has a cycle");
    for (SDNode* node : order_) {
      if (evaluation_.max_nodes == 0) return absl::ResourceExhaustedError("too many nodes were evaluated");
      --evaluation_.max_nodes;
      if (absl::Status status = Evaluate(*node); !status.ok()) return status;
    }
    if (!branched_) {
      const MachineBasicBlock* layout = dag_.block().next();
      if (layout == nullptr) return absl::FailedPreconditionError("control leaves the last block");
      target_ = layout->number();
    }
    next = target_;
    return absl::OkStatus();
  }

 private:
  using Results = absl::InlinedVector<DagConstant, 2>;

  // Orders the nodes that the root needs, operands first. Returns false if there is a cycle.
  bool Order() {
    if (!dag_.root()) return true;
    // 1: the operands are being visited; 2: done.
    absl::flat_hash_map<NodeId, uint8_t> state;
    std::vector<std::pair<SDNode*, unsigned>> stack = {{dag_.root().node(), 0}};
    state[dag_.root().node()->id()] = 1;
    while (!stack.empty()) {
      auto& [node, index] = stack.back();
      if (index == node->num_operands()) {
        order_.push_back(node);
        state[node->id()] = 2;
        stack.pop_back();
        continue;
      }
      SDNode* operand = node->operand(index++).node();
      if (operand == nullptr) continue;
      uint8_t& seen = state[operand->id()];
      if (seen == 1) return false;
      if (seen == 0) {
        seen = 1;
        stack.push_back({operand, 0});
      }
    }
    return true;
  }

  absl::Status Unknown(const SDNode& node) const {
    std::string types;
    for (const MVT type : node.value_types()) {
      if (!types.empty()) types += ',';
      types += Name(type);
    }
    const auto* intrinsic = DynCast<IntrinsicSDNode>(&node);
    return absl::UnimplementedError(StrCat("'", intrinsic != nullptr ? intrinsic->intrinsic_name() : node.name(),
                                           "' of ", types, " is not evaluated"));
  }
  absl::Status Undefined(const SDNode& node, std::string_view why) const {
    return absl::FailedPreconditionError(StrCat("'", node.name(), "': ", why));
  }

  const DagConstant& Value(const SDNode& node, unsigned operand) const {
    static const DagConstant kNone = DagConstant::Undefined(MVT::kUntyped);
    const auto it = values_.find(node.operand(operand).Key());
    return it == values_.end() ? kNone : it->second;
  }
  void Define(const SDNode& node, unsigned result, DagConstant value) {
    values_[SDValue(const_cast<SDNode*>(&node), result).Key()] = std::move(value);
  }

  absl::Status Evaluate(const SDNode& node) {
    DagConstant constant;
    if (ConstantOf(node, constant)) {
      Define(node, 0, std::move(constant));
      return absl::OkStatus();
    }
    if (const std::optional<uint64_t> address = AddressOf(node); address.has_value()) {
      Define(node, 0, DagConstant::Of(node.value_type(0), U(*address) & LowBits(SizeInBits(node.value_type(0)))));
      return absl::OkStatus();
    }
    if (node.is_machine_opcode()) return Unknown(node);
    if (IsPureAndExact(PlainOpcode(node.opcode()).value_or(node.opcode()))) return EvaluatePureNode(node);
    return EvaluateEffect(node);
  }

  std::optional<uint64_t> AddressOf(const SDNode& node) {
    switch (node.opcode()) {
      case isd::kGlobalAddress:
      case isd::kTargetGlobalAddress: {
        const auto& global = static_cast<const GlobalAddressSDNode&>(node);
        const auto it = evaluation_.globals.find(global.global());
        if (it == evaluation_.globals.end()) return std::nullopt;
        return it->second + static_cast<uint64_t>(global.offset());
      }
      case isd::kExternalSymbol:
      case isd::kTargetExternalSymbol: {
        const auto it = evaluation_.symbols.find(std::string(static_cast<const ExternalSymbolSDNode&>(node).text()));
        if (it == evaluation_.symbols.end()) return std::nullopt;
        return it->second;
      }
      case isd::kFrameIndex:
      case isd::kTargetFrameIndex: {
        const int index = static_cast<const FrameIndexSDNode&>(node).index();
        const auto& objects = dag_.machine_function().frame_info().objects();
        if (index < 0 || static_cast<size_t>(index) >= objects.size()) return std::nullopt;
        auto [it, inserted] = evaluation_.frame.try_emplace(index, 0);
        if (inserted) it->second = evaluation_.memory.Allocate(objects[static_cast<size_t>(index)].size);
        return it->second;
      }
      default:
        return std::nullopt;
    }
  }

  std::vector<DagConstant> OperandValues(const SDNode& node) const {
    std::vector<DagConstant> values;
    for (unsigned i = 0; i < node.num_operands(); ++i) values.push_back(Value(node, i));
    return values;
  }
  absl::Status DefineAll(const SDNode& node, Results& results) {
    for (unsigned i = 0; i < results.size(); ++i) Define(node, i, std::move(results[i]));
    return absl::OkStatus();
  }

  absl::Status EvaluatePureNode(const SDNode& node) {
    PureOperation operation = OperationOf(node);
    operation.flush_f32 = evaluation_.flush_f32;
    operation.any_extend_fill = evaluation_.any_extend_fill;
    std::vector<DagConstant> operands = OperandValues(node);
    if (const std::optional<int16_t> plain = PlainOpcode(node.opcode())) {
      operation.opcode = *plain;
      operation.types = operation.types.first(1);
      operands.erase(operands.begin());  // the chain
    }
    Results results;
    if (!EvaluatePure(operation, operands, results)) return Other(node);
    return DefineAll(node, results);
  }
  absl::Status Other(const SDNode& node) {
    Results results;
    if (!evaluation_.other_nodes || !evaluation_.other_nodes(node, OperandValues(node), results)) return Unknown(node);
    return DefineAll(node, results);
  }

  absl::Status EvaluateEffect(const SDNode& node) {
    switch (node.opcode()) {
      case isd::kEntryToken:
      case isd::kTokenFactor:
      case isd::kBasicBlock:
      case isd::kRegister:
      case isd::kCondCode:
      case isd::kValueType:
      case isd::kMDNode:
      case isd::kMCSymbol:
      case isd::kLifetimeStart:
      case isd::kLifetimeEnd:
      case isd::kAtomicFence:
      case isd::kPrefetch:
        return absl::OkStatus();
      case isd::kCopyFromReg:
        return CopyFromReg(node);
      case isd::kCopyToReg:
        return CopyToReg(node);
      case isd::kLoad:
      case isd::kAtomicLoad:
      case isd::kNvMLoad:
      case isd::kNvLoadV2:
      case isd::kNvLoadV4:
      case isd::kNvLoadV8:
        return Load(node);
      case isd::kStore:
      case isd::kAtomicStore:
      case isd::kNvStoreV2:
      case isd::kNvStoreV4:
      case isd::kNvStoreV8:
        return Store(node);
      case isd::kMaskedLoad:
      case isd::kMaskedStore:
        return MaskedAccess(node);
      case isd::kBr:
        return Branch(node.operand(1));
      case isd::kBrCond:
      case isd::kBrCC:
        return ConditionalBranch(node);
      case isd::kNvRetGlue:
        branched_ = true;
        return absl::OkStatus();
      default:
        return node.HasProperty(NodeProperty::kAtomic) ? Atomic(node) : Other(node);
    }
  }

  // Returns the value in another type of the same size, because registers hold bits.
  std::optional<DagConstant> Converted(const DagConstant& value, MVT type) const {
    if (value.type == type) return value;
    if (SizeInBits(value.type) == SizeInBits(type)) return Pure(evaluation_, isd::kBitcast, type, {&value, 1});
    if (!IsScalarInteger(value.type) || !IsScalarInteger(type)) return std::nullopt;
    return Pure(evaluation_, isd::kAnyExtend, type, {&value, 1});
  }

  absl::Status CopyFromReg(const SDNode& node) {
    const auto* reg = DynCast<RegisterSDNode>(node.operand(1));
    if (reg == nullptr || !reg->reg().is_virtual()) return Unknown(node);
    const size_t index = reg->reg().virtual_index();
    const MVT type = node.value_type(0);
    DagConstant value = DagConstant::Undefined(type);
    if (index < evaluation_.registers.size() && evaluation_.registers[index].has_value()) {
      const std::optional<DagConstant> converted = Converted(*evaluation_.registers[index], type);
      if (!converted.has_value()) return Unknown(node);
      value = *converted;
    }
    Define(node, 0, std::move(value));
    return absl::OkStatus();
  }
  absl::Status CopyToReg(const SDNode& node) {
    const auto* reg = DynCast<RegisterSDNode>(node.operand(1));
    if (reg == nullptr || !reg->reg().is_virtual()) return Unknown(node);
    const size_t index = reg->reg().virtual_index();
    if (index >= evaluation_.registers.size()) evaluation_.registers.resize(index + 1);
    evaluation_.registers[index] = Value(node, 2);
    return absl::OkStatus();
  }

  std::optional<uint64_t> Address(const SDNode& node, unsigned operand) const {
    const DagConstant& value = Value(node, operand);
    if (value.lanes.size() != 1 || !value.IsDefined()) return std::nullopt;
    return absl::Uint128Low64(value.bits());
  }
  // Convert a value to its type in memory and back.
  std::optional<DagConstant> Extended(const DagConstant& value, MVT type, LoadExt ext) const {
    if (value.type == type) return value;
    int16_t opcode = IsFloatingPoint(type)   ? isd::kFPExtend
                     : ext == LoadExt::kSign ? isd::kSignExtend
                     : ext == LoadExt::kZero ? isd::kZeroExtend
                                             : isd::kAnyExtend;
    if (SizeInBits(value.type) == SizeInBits(type)) opcode = isd::kBitcast;
    if (SizeInBits(value.type) > SizeInBits(type)) return std::nullopt;
    return Pure(evaluation_, opcode, type, {&value, 1});
  }
  std::optional<DagConstant> Narrowed(const DagConstant& value, MVT type) const {
    if (value.type == type) return value;
    if (SizeInBits(value.type) == SizeInBits(type)) return Pure(evaluation_, isd::kBitcast, type, {&value, 1});
    return Pure(evaluation_, IsFloatingPoint(type) ? isd::kFPRound : isd::kTruncate, type, {&value, 1});
  }

  // Returns the type in memory of each of `parts` values: the whole if there is one, or an equal part of it.
  static std::optional<MVT> PartInMemory(const MemSDNode& node, unsigned parts, MVT value) {
    const EVT memory = node.memory_type();
    if (parts == 1) {
      if (memory.is_simple()) return memory.simple();
      return std::nullopt;
    }
    const unsigned bits = memory.SizeInBits() / parts;
    // A node may have the type of the whole or of a part.
    const unsigned scalar = memory.IsVector() ? ScalarSizeInBits(memory.simple()) : memory.SizeInBits();
    if (bits == SizeInBits(value)) return value;
    if (memory.IsVector() && NumElements(memory.simple()) == parts) return ScalarType(memory.simple());
    if (!memory.IsVector() && scalar <= SizeInBits(value) && memory.is_simple()) {
      return scalar == SizeInBits(value) ? value : memory.simple();
    }
    return std::nullopt;
  }

  absl::Status Load(const SDNode& node) {
    const auto* memory = DynCast<MemSDNode>(&node);
    if (memory == nullptr) return Unknown(node);
    unsigned parts = 0;
    while (parts < node.num_values() && node.value_type(parts) != MVT::kOther) ++parts;
    const std::optional<MVT> type = PartInMemory(*memory, parts, node.value_type(0));
    if (!type.has_value() || parts == 0) return Unknown(node);
    const std::optional<uint64_t> address = Address(node, 1);
    if (!address.has_value()) return Undefined(node, "the address is undefined");
    for (unsigned i = 0; i < parts; ++i) {
      DagConstant value = DagConstant::Undefined(*type);
      if (!evaluation_.memory.Load(*address + uint64_t{i} * SizeInBytes(*type), value)) {
        return Undefined(node, StrCat("address ", *address, " is outside of memory"));
      }
      const std::optional<DagConstant> extended = Extended(value, node.value_type(i), memory->ext());
      if (!extended.has_value()) return Unknown(node);
      Define(node, i, *extended);
    }
    return absl::OkStatus();
  }

  absl::Status Store(const SDNode& node) {
    const auto* memory = DynCast<MemSDNode>(&node);
    const unsigned parts = node.opcode() == isd::kNvStoreV2   ? 2
                           : node.opcode() == isd::kNvStoreV4 ? 4
                           : node.opcode() == isd::kNvStoreV8 ? 8
                                                              : 1;
    if (memory == nullptr || node.num_operands() < parts + 2) return Unknown(node);
    const std::optional<MVT> type = PartInMemory(*memory, parts, node.operand(1).type());
    if (!type.has_value()) return Unknown(node);
    const std::optional<uint64_t> address = Address(node, 1 + parts);
    if (!address.has_value()) return Undefined(node, "the address is undefined");
    for (unsigned i = 0; i < parts; ++i) {
      const std::optional<DagConstant> value = Narrowed(Value(node, 1 + i), *type);
      if (!value.has_value()) return Unknown(node);
      if (!evaluation_.memory.Store(*address + uint64_t{i} * SizeInBytes(*type), *value)) {
        return Undefined(node, StrCat("address ", *address, " is outside of memory"));
      }
    }
    return absl::OkStatus();
  }

  // Accesses the elements whose mask bit is set, one by one.
  absl::Status MaskedAccess(const SDNode& node) {
    const auto* memory = DynCast<MemSDNode>(&node);
    const bool is_load = node.opcode() == isd::kMaskedLoad;
    const unsigned pointer = is_load ? 1 : 2;
    DagConstant value = Value(node, is_load ? 4 : 1);
    if (memory == nullptr || memory->memory_type() != EVT(value.type)) return Unknown(node);
    const DagConstant& mask = Value(node, pointer + 2);
    const MVT scalar = ScalarType(value.type);
    for (size_t i = 0; i < value.lanes.size(); ++i) {
      if (i >= mask.lanes.size() || !mask.lanes[i].is_defined()) return Undefined(node, "the mask is undefined");
      if ((mask.lanes[i].bits & 1) == 0) continue;
      const std::optional<uint64_t> address = Address(node, pointer);
      if (!address.has_value()) return Undefined(node, "the address is undefined");
      DagConstant element = DagConstant::Splat(scalar, value.lanes[i]);
      const uint64_t at = *address + i * SizeInBytes(scalar);
      const bool is_mapped = is_load ? evaluation_.memory.Load(at, element) : evaluation_.memory.Store(at, element);
      if (!is_mapped) return Undefined(node, StrCat("address ", at, " is outside of memory"));
      value.lanes[i] = element.lanes[0];
    }
    if (is_load) Define(node, 0, std::move(value));
    return absl::OkStatus();
  }

  absl::Status Atomic(const SDNode& node) {
    const auto* memory = DynCast<MemSDNode>(&node);
    const MVT type = node.value_type(0);
    if (memory == nullptr || !memory->memory_type().is_simple()) return Unknown(node);
    const MVT memory_type = memory->memory_type().simple();
    const std::optional<uint64_t> address = Address(node, 1);
    if (!address.has_value()) return Undefined(node, "the address is undefined");
    DagConstant old = DagConstant::Undefined(memory_type);
    if (!evaluation_.memory.Load(*address, old)) return Undefined(node, "the address is outside of memory");
    const std::optional<DagConstant> operand = Narrowed(Value(node, 2), memory_type);
    if (!operand.has_value()) return Unknown(node);
    if (operand->lanes[0].is_undefined() || old.lanes[0].is_undefined()) {
      return Undefined(node, "an operand is undefined");
    }
    const bool exchanges = node.opcode() == isd::kAtomicCmpSwap || node.opcode() == isd::kAtomicCmpSwapWithSuccess;
    std::optional<DagConstant> stored;
    bool success = false;
    if (exchanges) {
      if (!old.IsDefined() || !operand->IsDefined() || !Value(node, 3).IsDefined()) {
        return Undefined(node, "an operand is undefined");
      }
      success = old.lanes == operand->lanes;
      stored = success ? Narrowed(Value(node, 3), memory_type) : old;
    } else {
      stored = NewValue(node.opcode(), memory_type, old, *operand);
    }
    const std::optional<DagConstant> result = Extended(old, type, memory->ext());
    if (!stored.has_value() || !result.has_value()) return Unknown(node);
    evaluation_.memory.Store(*address, *stored);
    Define(node, 0, *result);
    if (node.opcode() == isd::kAtomicCmpSwapWithSuccess) Define(node, 1, DagConstant::Of(MVT::kI1, success ? 1 : 0));
    return absl::OkStatus();
  }

  std::optional<DagConstant> NewValue(int16_t opcode, MVT type, const DagConstant& old, const DagConstant& operand) {
    if (opcode == isd::kAtomicSwap) return operand;
    for (const AtomicRow& row : kAtomicRows) {
      const DagConstant operands[] = {old, operand};
      if (row.opcode == opcode) return Pure(evaluation_, row.pure, type, operands);
    }
    if (!old.IsDefined() || !operand.IsDefined()) return DagConstant::Undefined(type);
    const U a = old.bits(), b = operand.bits(), mask = LowBits(SizeInBits(type));
    switch (opcode) {
      case isd::kAtomicLoadClr:
        return DagConstant::Of(type, a & ~b & mask);
      case isd::kAtomicLoadNand:
        return DagConstant::Of(type, ~(a & b) & mask);
      case isd::kAtomicLoadUIncWrap:
        return DagConstant::Of(type, a >= b ? U(0) : a + 1);
      case isd::kAtomicLoadUDecWrap:
        return DagConstant::Of(type, a == 0 || a > b ? b : a - 1);
      case isd::kAtomicLoadUSubCond:
        return DagConstant::Of(type, a >= b ? a - b : a);
      default:
        return std::nullopt;
    }
  }

  absl::Status Branch(const SDValue& block) {
    const auto* target = DynCast<BasicBlockSDNode>(block);
    if (target == nullptr) return absl::InvalidArgumentError("a branch to what is no block");
    if (!branched_) target_ = target->target();
    branched_ = true;
    return absl::OkStatus();
  }
  absl::Status ConditionalBranch(const SDNode& node) {
    if (branched_) return absl::OkStatus();
    DagConstant condition = Value(node, 1);
    if (node.opcode() == isd::kBrCC) {
      PureOperation operation = OperationOf(node);
      static constexpr MVT kI1 = MVT::kI1;
      operation.opcode = isd::kSetCC;
      operation.types = absl::MakeConstSpan(&kI1, 1);
      operation.flush_f32 = evaluation_.flush_f32;
      const DagConstant operands[] = {Value(node, 2), Value(node, 3)};
      Results results;
      if (!EvaluatePure(operation, operands, results)) return Unknown(node);
      condition = results[0];
    }
    if (!condition.is_scalar() || !condition.IsDefined()) return Undefined(node, "the condition is undefined");
    if ((condition.bits() & 1) == 0) return absl::OkStatus();
    return Branch(node.operand(node.num_operands() - 1));
  }

  SelectionDAG& dag_;
  DagEvaluation& evaluation_;
  std::vector<SDNode*> order_;
  absl::flat_hash_map<uint64_t, DagConstant> values_;  // by SDValue::Key
  bool branched_ = false;                              // or returned
  std::optional<BlockNumber> target_;
};

// Evaluates the PHIs of a block, all at once, when control comes from `from`.
void EvaluatePhis(const MachineBasicBlock& block, BlockNumber from, DagEvaluation& evaluation) {
  std::vector<std::pair<size_t, std::optional<DagConstant>>> values;
  for (const MachineInstr& instr : block) {
    if (!instr.is_phi()) break;
    std::optional<DagConstant> value;
    for (const PhiIncoming incoming : PhiIncomings(instr)) {
      if (incoming.predecessor() != from) continue;
      const Register reg = incoming.reg();
      if (reg.is_virtual() && reg.virtual_index() < evaluation.registers.size()) {
        value = evaluation.registers[reg.virtual_index()];
      }
    }
    values.push_back({instr.operand(0).reg().virtual_index(), std::move(value)});
  }
  for (auto& [index, value] : values) {
    if (index >= evaluation.registers.size()) evaluation.registers.resize(index + 1);
    evaluation.registers[index] = std::move(value);
  }
}

}  // namespace

absl::Status EvaluateBlock(SelectionDAG& dag, DagEvaluation& evaluation, std::optional<BlockNumber>& next) {
  return BlockEvaluator(dag, evaluation).Run(next);
}

absl::Status EvaluateFunction(DagFunction& dags, DagEvaluation& evaluation) {
  MachineFunction& function = dags.machine_function();
  if (function.empty()) return absl::InvalidArgumentError("the function has no blocks");
  std::optional<BlockNumber> block = function.front()->number();
  while (true) {
    SelectionDAG* dag = dags.FindDag(*block);
    if (dag == nullptr) return absl::InvalidArgumentError(StrCat("bb.", *block, " has no DAG"));
    std::optional<BlockNumber> next;
    if (absl::Status status = EvaluateBlock(*dag, evaluation, next); !status.ok()) return status;
    if (!next.has_value()) return absl::OkStatus();
    MachineBasicBlock* target = *next < function.num_blocks() ? function.block(*next) : nullptr;
    if (target == nullptr) return absl::InvalidArgumentError(StrCat("there is no bb.", *next));
    EvaluatePhis(*target, *block, evaluation);
    block = next;
  }
}

std::optional<DagConstant> EvaluateValue(SDValue value, const absl::flat_hash_map<uint64_t, DagConstant>& known,
                                         const DagEvaluation& evaluation) {
  absl::flat_hash_map<uint64_t, DagConstant> values = known;
  std::vector<std::pair<SDNode*, unsigned>> stack = {{value.node(), 0}};
  while (!stack.empty()) {
    auto& [node, index] = stack.back();
    const bool done = values.contains(SDValue(node, 0).Key());
    if (!done && index < node->num_operands()) {
      SDNode* operand = node->operand(index++).node();
      if (operand != nullptr) stack.push_back({operand, 0});
      continue;
    }
    SDNode* current = node;
    stack.pop_back();
    if (done) continue;
    DagConstant constant;
    if (ConstantOf(*current, constant)) {
      values[SDValue(current, 0).Key()] = std::move(constant);
      continue;
    }
    if (current->value_type(0) == MVT::kOther) continue;  // condition codes, types
    std::vector<DagConstant> operands;
    for (const SDUse& use : current->operands()) {
      const auto it = values.find(use.get().Key());
      operands.push_back(it == values.end() ? DagConstant::Undefined(MVT::kUntyped) : it->second);
    }
    PureOperation operation = OperationOf(*current);
    operation.flush_f32 = evaluation.flush_f32;
    operation.any_extend_fill = evaluation.any_extend_fill;
    absl::InlinedVector<DagConstant, 2> results;
    if (!EvaluatePure(operation, operands, results)) return std::nullopt;
    for (unsigned i = 0; i < results.size(); ++i) values[SDValue(current, i).Key()] = std::move(results[i]);
  }
  const auto it = values.find(value.Key());
  if (it == values.end()) return std::nullopt;
  return it->second;
}

}  // namespace ptxmir::sdag
