// SPDX-License-Identifier: Apache-2.0

// masked_load and masked_store, element by element. Each access has a branch around it unless the mask is a
// constant. If all bits of the mask are the same value, the whole vector is accessed after a single branch.
//
//     before:   branch to next if !mask[i]
//     then:     value = [pointer + i * size]
//     next:     element i = PHI element i of the pass-through value, value
//
// LLVM does the same on its IR (ScalarizeMaskedMemIntrin).

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "sdag/expand/expanders.h"

namespace ptxmir::sdag {
namespace {

// The operands are the chain, the value of a store, the pointer, the offset of indexed forms, the mask, and the
// pass-through value of a load.
struct Masked {
  bool is_load;
  MVT type;
  SDValue chain, value, pointer, mask;
  const MachineMemOperand* memoperand;

  unsigned num_elements() const { return NumElements(type); }
  unsigned element_bytes() const { return ScalarSizeInBits(type) / 8; }
};

// Returns nullopt for other nodes and for forms that are not handled here.
std::optional<Masked> MaskedOf(const SDNode& node) {
  if (node.opcode() != isd::kMaskedLoad && node.opcode() != isd::kMaskedStore) return std::nullopt;
  const auto& memory = AsMemSDNode(node);
  Masked masked = {};
  masked.is_load = node.opcode() == isd::kMaskedLoad;
  if (node.num_operands() != 5) return std::nullopt;
  const unsigned pointer = masked.is_load ? 1 : 2;
  masked.chain = node.operand(0);
  masked.value = node.operand(masked.is_load ? 4 : 1);
  masked.pointer = node.operand(pointer);
  masked.mask = node.operand(pointer + 2);
  masked.type = masked.value.type();
  masked.memoperand = memory.memoperand();
  const bool is_plain = memory.memory_type() == EVT(masked.type) && node.operand(pointer + 1).opcode() == isd::kUndef;
  if (!is_plain || masked.memoperand == nullptr || ScalarSizeInBits(masked.type) < 8 ||
      NumElements(masked.mask.type()) != masked.num_elements()) {
    return std::nullopt;
  }
  return masked;
}

// Returns the bits of a constant mask, or nullopt.
std::optional<std::vector<bool>> ConstantMask(const Masked& masked) {
  std::vector<bool> bits;
  for (unsigned i = 0; i < masked.num_elements(); ++i) {
    SDValue bit = masked.mask;
    if (bit.opcode() == isd::kBuildVector) bit = bit.operand(i);
    const auto* constant = DynCast<ConstantSDNode>(bit);
    if (constant == nullptr) return std::nullopt;
    bits.push_back((constant->ZExtValue() & 1) != 0);
  }
  return bits;
}

// Returns true for an element that is never accessed.
bool IsMaskedOff(const Masked& masked, unsigned i) {
  if (masked.mask.opcode() != isd::kBuildVector) return false;
  const auto* constant = DynCast<ConstantSDNode>(masked.mask.operand(i));
  return constant != nullptr && (constant->ZExtValue() & 1) == 0;
}

// Returns the value that all bits of the mask have, or no value.
SDValue UniformMask(const Masked& masked) {
  if (masked.mask.opcode() == isd::kSplatVector) return masked.mask.operand(0);
  if (masked.mask.opcode() != isd::kBuildVector) return SDValue();
  const SDValue first = masked.mask.operand(0);
  const absl::Span<const SDUse> bits = masked.mask->operands();
  const bool is_uniform = std::all_of(bits.begin(), bits.end(), [&](const SDUse& bit) { return bit.get() == first; });
  return is_uniform && first.type() == MVT::kI1 ? first : SDValue();
}

SDValue Element(SelectionDAG& dag, SDLoc loc, SDValue vector, unsigned i) {
  return dag.GetNode(isd::kExtractVectorElt, loc, ScalarType(vector.type()), {vector, dag.GetConstant(i, MVT::kI32)});
}

// The access to a part of the vector: an element or the whole.
struct Part {
  MVT type;
  uint64_t offset;
};

const MachineMemOperand* MemOperandOf(SelectionDAG& dag, const Masked& masked, const Part& part) {
  MachineMemOperand memory = *masked.memoperand;
  memory.offset += static_cast<int64_t>(part.offset);
  memory.has_known_size = true;
  memory.type = {.kind = LowLevelType::Kind::kScalar,
                 .elements = static_cast<uint16_t>(NumElements(part.type)),
                 .bits = ScalarSizeInBits(part.type)};
  if (part.offset != 0) {
    memory.align_log2 = std::min(memory.align_log2, static_cast<uint8_t>(std::countr_zero(part.offset)));
  }
  return dag.machine_function().CreateMemOperand(memory);
}

SDValue PointerOf(SelectionDAG& dag, SDLoc loc, SDValue pointer, const Part& part) {
  if (part.offset == 0) return pointer;
  return dag.GetNode(isd::kAdd, loc, pointer.type(), {pointer, dag.GetConstant(part.offset, pointer.type())});
}

}  // namespace

bool IsMaskedByConstants(const SDNode& node) {
  const std::optional<Masked> masked = MaskedOf(node);
  return masked.has_value() && ConstantMask(*masked).has_value();
}

void ExpandConstantMask(SelectionDAG& dag, SDNode& node) {
  const Masked masked = *MaskedOf(node);
  const std::vector<bool> mask = *ConstantMask(masked);
  const SDLoc loc = node.loc();
  std::vector<SDValue> elements, chains;
  const auto access = [&](const Part& part, SDValue value) {
    const SDValue pointer = PointerOf(dag, loc, masked.pointer, part);
    const MachineMemOperand* memory = MemOperandOf(dag, masked, part);
    if (!masked.is_load) {
      chains.push_back(dag.GetStore(loc, masked.chain, value, pointer, memory));
      return SDValue();
    }
    const SDValue load = dag.GetLoad(loc, part.type, masked.chain, pointer, memory);
    chains.push_back(load.Result(1));
    return load;
  };
  SDValue result = masked.value;
  const MVT scalar = ScalarType(masked.type);
  if (std::find(mask.begin(), mask.end(), false) == mask.end()) {
    result = access({masked.type, 0}, masked.value);
  } else if (std::find(mask.begin(), mask.end(), true) != mask.end()) {
    for (unsigned i = 0; i < mask.size(); ++i) {
      const SDValue element = Element(dag, loc, masked.value, i);
      elements.push_back(mask[i] ? access({scalar, uint64_t{i} * masked.element_bytes()}, element) : element);
    }
    if (masked.is_load) {
      result = dag.GetNode(isd::kBuildVector, loc, absl::MakeConstSpan(&masked.type, 1), elements);
    }
  }
  const SDValue chain = chains.empty() ? masked.chain : dag.GetTokenFactor(loc, chains);
  if (masked.is_load) {
    dag.ReplaceAllUsesWith(&node, {result, chain});
  } else {
    dag.ReplaceAllUsesWith(&node, {chain});
  }
  dag.RemoveDeadNode(&node);
}

bool NeedsMaskBranches(const SDNode& node) { return MaskedOf(node).has_value(); }

absl::Status ExpandMasked(CrossBlockValues& values, SDNode& node) {
  const Masked masked = *MaskedOf(node);
  BlockSplitter splitter(values, node);
  if (absl::Status status = splitter.Begin(); !status.ok()) return status;
  SelectionDAG &before = splitter.before(), &rest = splitter.rest();
  const SDLoc loc = node.loc();
  const SDValue uniform = UniformMask(masked);
  const unsigned num_parts = uniform ? 1 : masked.num_elements();
  unsigned last = num_parts - 1;
  while (!uniform && last > 0 && IsMaskedOff(masked, last)) --last;
  SelectionDAG* current = &before;
  std::vector<SDValue> parts;
  for (unsigned i = 0; i < num_parts; ++i) {
    const Part part =
        uniform ? Part{masked.type, 0} : Part{ScalarType(masked.type), uint64_t{i} * masked.element_bytes()};
    const SDValue value = uniform ? masked.value : Element(before, loc, masked.value, i);
    if (!uniform && IsMaskedOff(masked, i)) {
      parts.push_back(value);
      continue;
    }
    const SDValue bit = splitter.Read(*current, uniform ? uniform : Element(before, loc, masked.mask, i));
    SelectionDAG& then = splitter.NewBlock();
    SelectionDAG& next = i == last ? rest : splitter.NewBlock();
    const SDValue skips = current->GetNode(isd::kXor, loc, MVT::kI1, {bit, current->GetConstant(1, MVT::kI1)});
    splitter.Branch(*current, skips, next);
    const SDValue pointer = PointerOf(then, loc, splitter.Read(then, masked.pointer), part);
    const MachineMemOperand* memory = MemOperandOf(then, masked, part);
    if (masked.is_load) {
      const SDValue load = then.GetLoad(loc, part.type, then.EntryToken(), pointer, memory);
      splitter.AddEffect(then, load.Result(1));
      const BlockSplitter::Phi phi = splitter.MakePhi(next, part.type);
      splitter.SetIncoming(phi, {{value, current}, {load, &then}});
      parts.push_back(phi.value);
    } else {
      splitter.AddEffect(then, then.GetStore(loc, then.EntryToken(), splitter.Read(then, value), pointer, memory));
    }
    current = &next;
  }
  if (!masked.is_load) {
    splitter.Finish({rest.EntryToken()});
    return absl::OkStatus();
  }
  for (SDValue& part : parts) part = splitter.Read(rest, part);
  const SDValue result =
      uniform ? parts[0] : rest.GetNode(isd::kBuildVector, loc, absl::MakeConstSpan(&masked.type, 1), parts);
  splitter.Finish({result, rest.EntryToken()});
  return absl::OkStatus();
}

}  // namespace ptxmir::sdag
