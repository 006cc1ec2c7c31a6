// SPDX-License-Identifier: Apache-2.0

// Loads and stores of values, one part at a time. What is not a power of two of bytes in memory (i1, i24, vectors of
// bits) is kept there in as many bytes as it needs, zero-extended, as in LLVM.

#include <algorithm>
#include <bit>

#include "base/align.h"
#include "base/str_cat.h"
#include "sdag/from_ir/lowerings.h"

namespace ptxmir::sdag {
namespace {

void AddMetadata(FunctionBuilder& builder, const ir::Instruction& instruction, MachineMemOperand& operand) {
  const ir::Program& program = builder.function().program();
  for (const ir::Attachment& attachment : instruction.attachments()) {
    if (attachment.node.is_none()) continue;
    const std::string_view kind = program.metadata_kind(attachment.kind);
    if (kind == "invariant.load" && operand.is_load()) operand.flags |= MachineMemOperand::kInvariant;
    if (kind == "nontemporal") operand.flags |= MachineMemOperand::kNonTemporal;
    // The operands below are written by the node's number.
    if (attachment.node.is_inline()) continue;
    const MetadataId node = attachment.node.node();
    if (kind == "tbaa") operand.tbaa = node;
    if (kind == "alias.scope") operand.alias_scope = node;
    if (kind == "noalias") operand.noalias = node;
    if (kind == "range" && operand.is_load()) operand.range = node;
  }
}

LowLevelType LowLevelTypeOf(EVT type, const IrType* source) {
  LowLevelType result = {.kind = LowLevelType::Kind::kScalar};
  if (source != nullptr && source->is_pointer())
    return {.kind = LowLevelType::Kind::kPointer, .bits = source->address_space()};
  if (type.IsVector()) {
    result.elements = static_cast<uint16_t>(type.NumElements());
    result.bits = type.SizeInBits() / type.NumElements();
  } else {
    result.bits = type.SizeInBits();
  }
  return result;
}

// Returns true if a part is a vector of bits, which memory holds as an integer.
bool IsVectorOfBits(const ValuePart& part) { return IsVector(part.type) && ScalarSizeInBits(part.type) == 1; }

// Returns the type in memory of a scalar or a vector of whole bytes.
EVT MemoryTypeOf(const ValuePart& part) {
  if (IsVector(part.type) || (part.is_exact() && part.type != MVT::kI1)) return part.type;
  return EVT::Integer((part.bits + 7u) / 8 * 8);
}

// Returns the part that holds all bits of a value of this type.
ValuePart BitsPart(FunctionBuilder& builder, const ValueLeaf& leaf) {
  const auto bits = static_cast<uint16_t>(std::min<uint64_t>(builder.layout().SizeInBits(leaf.type), 128));
  MVT type = MVT::kI128;
  for (const MVT candidate : {MVT::kI64, MVT::kI32, MVT::kI16, MVT::kI8}) {
    if (bits <= SizeInBits(candidate)) type = candidate;
  }
  return {type, bits, leaf.offset, leaf.type};
}

SDValue LoadPart(FunctionBuilder& builder, const ValuePart& part, SDValue chain, SDValue address,
                 const MemoryAccess& access, std::vector<SDValue>& chains) {
  const EVT memory_type = MemoryTypeOf(part);
  const MachineMemOperand* operand =
      MemOperandFor(builder, memory_type, part.source, part.offset, access, MachineMemOperand::kLoad);
  const SDValue pointer = builder.AddOffset(address, static_cast<int64_t>(part.offset));
  SelectionDAG& dag = builder.dag();
  if (memory_type == EVT(part.type)) {
    const SDValue load = dag.GetLoad(builder.Loc(), part.type, chain, pointer, operand);
    chains.push_back(load.Result(1));
    return load;
  }
  const MVT wide = part.type == MVT::kI1 ? MVT::kI16 : part.type;
  SDValue load = dag.GetExtLoad(LoadExt::kZero, builder.Loc(), wide, chain, pointer, memory_type, operand);
  chains.push_back(load.Result(1));
  if (part.type == MVT::kI1 && access.has_truth_bytes) {
    load = builder.Node(isd::kAssertZext, wide, {load, dag.GetValueType(MVT::kI1)});
  }
  return wide == part.type ? load : builder.Node(isd::kTruncate, part.type, {load});
}

void StorePart(FunctionBuilder& builder, const ValuePart& part, SDValue value, SDValue chain, SDValue address,
               const MemoryAccess& access, std::vector<SDValue>& chains) {
  const EVT memory_type = MemoryTypeOf(part);
  const MachineMemOperand* operand =
      MemOperandFor(builder, memory_type, part.source, part.offset, access, MachineMemOperand::kStore);
  const SDValue pointer = builder.AddOffset(address, static_cast<int64_t>(part.offset));
  SelectionDAG& dag = builder.dag();
  SDValue stored = builder.ZeroExtended(value, part);
  if (memory_type == EVT(part.type)) {
    chains.push_back(dag.GetStore(builder.Loc(), chain, stored, pointer, operand));
    return;
  }
  if (part.type == MVT::kI1) stored = builder.Node(isd::kZeroExtend, MVT::kI16, {stored});
  chains.push_back(dag.GetTruncStore(builder.Loc(), chain, stored, pointer, memory_type, operand));
}

}  // namespace

const MachineMemOperand* MemOperandFor(FunctionBuilder& builder, EVT type, const IrType* source, uint64_t offset,
                                       const MemoryAccess& access, uint16_t flags) {
  MachineMemOperand operand;
  operand.flags = static_cast<uint16_t>(access.flags | flags);
  operand.base_align_log2 = static_cast<uint8_t>(std::countr_zero(std::max<uint64_t>(access.align, 1)));
  operand.align_log2 = static_cast<uint8_t>(std::countr_zero(std::max<uint64_t>(AlignAt(access.align, offset), 1)));
  operand.has_known_size = true;
  operand.address_space = access.address_space;
  operand.type = LowLevelTypeOf(type, source);
  // Without a value that the offset is from, only the alignment of the access itself means something.
  operand.base_align_log2 = operand.align_log2;
  if (access.metadata != nullptr) AddMetadata(builder, *access.metadata, operand);
  return builder.machine_function().CreateMemOperand(operand);
}

ValueNodes LoadValue(FunctionBuilder& builder, const IrType* type, SDValue chain, SDValue address,
                     const MemoryAccess& access, std::vector<SDValue>& chains) {
  ValueNodes nodes;
  const absl::Span<const ValuePart> parts = builder.PartsOf(type);
  for (const ValueLeaf& leaf : builder.PartInfo(type).leaves) {
    if (leaf.is_bit_packed || IsVectorOfBits(parts[leaf.first_part])) {
      const SDValue bits = LoadPart(builder, BitsPart(builder, leaf), chain, address, access, chains);
      for (const SDValue node : builder.FromBits(leaf.type, bits)) nodes.push_back(node);
      continue;
    }
    for (const ValuePart& part : parts.subspan(leaf.first_part, leaf.num_parts)) {
      nodes.push_back(LoadPart(builder, part, chain, address, access, chains));
    }
  }
  return nodes;
}

void StoreValue(FunctionBuilder& builder, const IrType* type, absl::Span<const SDValue> nodes, SDValue chain,
                SDValue address, const MemoryAccess& access, std::vector<SDValue>& chains) {
  const absl::Span<const ValuePart> parts = builder.PartsOf(type);
  if (nodes.size() != parts.size()) return;
  for (const ValueLeaf& leaf : builder.PartInfo(type).leaves) {
    const absl::Span<const SDValue> of_leaf = nodes.subspan(leaf.first_part, leaf.num_parts);
    if (leaf.is_bit_packed || IsVectorOfBits(parts[leaf.first_part])) {
      const ValuePart part = BitsPart(builder, leaf);
      const SDValue bits = builder.Resize(builder.ToBits(leaf.type, of_leaf), part.type, isd::kZeroExtend);
      StorePart(builder, part, bits, chain, address, access, chains);
      continue;
    }
    for (uint32_t i = 0; i < leaf.num_parts; ++i) {
      StorePart(builder, parts[leaf.first_part + i], of_leaf[i], chain, address, access, chains);
    }
  }
}

}  // namespace ptxmir::sdag
