// SPDX-License-Identifier: Apache-2.0

// llvm.memcpy, memmove and memset as loops. The units are as wide as the alignment allows, at most 16 bytes. The
// rest is moved byte by byte, or unrolled if its size is constant:
//
//     before:   branch to next if begin == end      (only if the size is variable)
//     loop:     at = PHI begin, at + unit
//               [target + at] = [source + at]
//               branch to loop if at + unit != end
//     next:
//
// A memmove to a higher address within memory that may overlap runs downwards: first the rest, then the units. A
// unit is read before it is written; if both ends are aligned to units, two units never overlap partially. A
// volatile access is a single unit. LLVM 22 makes such loops on its IR (LowerMemIntrinsics), and copies byte by
// byte.

#include <algorithm>
#include <bit>
#include <vector>

#include "ir/address_space.h"
#include "sdag/expand/expanders.h"
#include "sdag/graph/memory_intrinsics.h"

namespace ptxmir::sdag {
namespace {

constexpr uint64_t kMaxUnit = 16;

MVT UnitType(uint64_t bytes) { return bytes == 16 ? MVT::kV2I64 : *IntegerOf(static_cast<unsigned>(8 * bytes)); }

// Returns true if an object can be in both spaces.
bool MayOverlap(unsigned a, unsigned b) {
  const auto is_shared = [](unsigned space) {
    return space == address_space::kShared || space == address_space::kSharedCluster;
  };
  return a == b || a == 0 || b == 0 || (is_shared(a) && is_shared(b));
}

class MemoryExpander {
 public:
  MemoryExpander(CrossBlockValues& values, SDNode& node, const MemoryIntrinsic& intrinsic)
      : splitter_(values, node),
        node_(node),
        intrinsic_(intrinsic),
        loc_(node.loc()),
        unit_(std::min(intrinsic.alignment, kMaxUnit)),
        offset_type_(node.operand(1).type()) {}

  absl::Status Expand() {
    if (absl::Status status = splitter_.Begin(); !status.ok()) return status;
    SelectionDAG& before = splitter_.before();
    SelectionDAG& rest = splitter_.rest();
    rest_chain_ = rest.EntryToken();
    MakeValues(before);
    if (intrinsic_.kind == MemoryIntrinsic::Kind::kMove &&
        MayOverlap(intrinsic_.target_space, intrinsic_.source_space)) {
      SelectionDAG& upwards = splitter_.NewBlock();
      splitter_.Branch(Upwards(upwards, nullptr), SDValue(), rest);
      SelectionDAG& downwards = splitter_.NewBlock();
      splitter_.Branch(before, TargetIsAbove(before), downwards);
      Downwards(downwards);
    } else {
      Upwards(before, &rest);
    }
    splitter_.Finish({rest_chain_});
    return absl::OkStatus();
  }

 private:
  struct Range {
    SDValue begin, end;
    uint64_t unit;
  };

  SDValue Node(SelectionDAG& dag, int16_t opcode, MVT type, std::initializer_list<SDValue> operands) {
    return dag.GetNode(opcode, loc_, type, operands);
  }
  SDValue Resized(SelectionDAG& dag, MVT type, SDValue value) {
    if (value.type() == type) return value;
    return Node(dag, SizeInBits(type) < SizeInBits(value.type()) ? isd::kTruncate : isd::kZeroExtend, type, {value});
  }
  SDValue Offset(SelectionDAG& dag, uint64_t bytes) { return dag.GetConstant(bytes, offset_type_); }

  // Makes the values that loops read: the size, the end of the units, and the byte repeated to fill a unit.
  void MakeValues(SelectionDAG& dag) {
    if (intrinsic_.size.has_value()) {
      size_ = Offset(dag, *intrinsic_.size);
      units_end_ = Offset(dag, *intrinsic_.size / unit_ * unit_);
    } else {
      size_ = Resized(dag, offset_type_, node_.operand(3));
      units_end_ = unit_ == 1 ? size_
                              : Node(dag, isd::kAnd, offset_type_,
                                     {size_, dag.GetSignedConstant(-static_cast<int64_t>(unit_), offset_type_)});
    }
    if (intrinsic_.kind != MemoryIntrinsic::Kind::kSet) return;
    byte_ = Resized(dag, MVT::kI8, node_.operand(2));
    fill_ = Node(dag, isd::kMul, MVT::kI64,
                 {Resized(dag, MVT::kI64, byte_), dag.GetConstant(0x0101010101010101, MVT::kI64)});
  }

  SDValue TargetIsAbove(SelectionDAG& dag) {
    SDValue target = node_.operand(1), source = node_.operand(2);
    if (intrinsic_.target_space != intrinsic_.source_space) {
      target = Generic(dag, target, intrinsic_.target_space);
      source = Generic(dag, source, intrinsic_.source_space);
    }
    return dag.GetSetCC(loc_, MVT::kI1, target, source, CondCode::kUgt);
  }
  SDValue Generic(SelectionDAG& dag, SDValue pointer, unsigned space) {
    return space == address_space::kGeneric
               ? pointer
               : dag.GetAddrSpaceCast(loc_, MVT::kI64, pointer, space, address_space::kGeneric);
  }

  // Returns the ranges that need loops: the units and, unless it is unrolled, the rest.
  std::vector<Range> Ranges() const {
    std::vector<Range> ranges;
    if (!intrinsic_.size.has_value() || *intrinsic_.size >= unit_) ranges.push_back({Zero(), units_end_, unit_});
    const bool has_tail =
        intrinsic_.size.has_value() ? intrinsic_.is_volatile && *intrinsic_.size % unit_ != 0 : unit_ > 1;
    if (has_tail) ranges.push_back({units_end_, size_, 1});
    return ranges;
  }
  bool HasUnrolledTail() const {
    return intrinsic_.size.has_value() && !intrinsic_.is_volatile && *intrinsic_.size % unit_ != 0;
  }
  SDValue Zero() const { return splitter_.before().GetConstant(0, offset_type_); }

  // Makes the upward loops, starting at the end of `dag`. The last one exits to `last` if it is given. Returns the
  // DAG in which control continues.
  SelectionDAG& Upwards(SelectionDAG& dag, SelectionDAG* last) {
    SelectionDAG* current = &dag;
    const std::vector<Range> ranges = Ranges();
    for (size_t i = 0; i < ranges.size(); ++i) {
      SelectionDAG& loop = splitter_.NewBlock();
      SelectionDAG& next = i + 1 == ranges.size() && last != nullptr ? *last : splitter_.NewBlock();
      Loop(*current, loop, next, ranges[i], /*is_upwards=*/true);
      current = &next;
    }
    if (HasUnrolledTail()) UnrolledTail(*current);
    return *current;
  }

  void Downwards(SelectionDAG& dag) {
    if (HasUnrolledTail()) UnrolledTail(dag);
    SelectionDAG* current = &dag;
    std::vector<Range> ranges = Ranges();
    std::reverse(ranges.begin(), ranges.end());
    for (size_t i = 0; i < ranges.size(); ++i) {
      SelectionDAG& loop = splitter_.NewBlock();
      SelectionDAG& next = i + 1 == ranges.size() ? splitter_.rest() : splitter_.NewBlock();
      Loop(*current, loop, next, ranges[i], /*is_upwards=*/false);
      current = &next;
    }
  }

  void Loop(SelectionDAG& current, SelectionDAG& loop, SelectionDAG& next, const Range& range, bool is_upwards) {
    const auto read = [&](SelectionDAG& dag, SDValue value) { return splitter_.Read(dag, value); };
    if (!intrinsic_.size.has_value()) {
      const SDValue is_empty =
          current.GetSetCC(loc_, MVT::kI1, read(current, range.begin), read(current, range.end), CondCode::kEq);
      splitter_.Branch(current, is_empty, next);
    }
    const BlockSplitter::Phi at = splitter_.MakePhi(loop, offset_type_);
    const auto step = static_cast<int64_t>(range.unit);
    const SDValue moved = Node(loop, isd::kAdd, offset_type_,
                               {at.value, loop.GetSignedConstant(is_upwards ? step : -step, offset_type_)});
    Access(loop, is_upwards ? at.value : moved, range.unit);
    const SDValue end = read(loop, is_upwards ? range.end : range.begin);
    splitter_.Branch(loop, loop.GetSetCC(loc_, MVT::kI1, moved, end, CondCode::kNe), loop);
    const SDValue first = is_upwards ? range.begin : range.end;
    splitter_.SetIncoming(at, {{first, &current}, {moved, &loop}});
  }

  SDValue PointerAt(SelectionDAG& dag, unsigned operand, SDValue offset) {
    const SDValue pointer = splitter_.Read(dag, node_.operand(operand));
    return Node(dag, isd::kAdd, pointer.type(), {pointer, Resized(dag, pointer.type(), offset)});
  }
  const MachineMemOperand* Operand(bool is_load, uint64_t unit) {
    MachineMemOperand memory = MemOperandOf(node_, intrinsic_, is_load);
    memory.value_kind = MachineMemOperand::ValueKind::kUnknownAddress;
    memory.text = {};
    memory.offset = 0;
    memory.has_known_size = true;
    memory.type = {.kind = LowLevelType::Kind::kScalar, .bits = static_cast<uint32_t>(8 * unit)};
    memory.align_log2 = memory.base_align_log2 = static_cast<uint8_t>(std::countr_zero(unit));
    return splitter_.before().machine_function().CreateMemOperand(memory);
  }
  void Access(SelectionDAG& dag, SDValue offset, uint64_t unit) {
    const MVT type = UnitType(unit);
    SDValue value, chain = dag.EntryToken();
    if (intrinsic_.kind == MemoryIntrinsic::Kind::kSet) {
      value = Fill(dag, unit);
    } else {
      value = dag.GetLoad(loc_, type, chain, PointerAt(dag, 2, offset), Operand(true, unit));
      chain = value.Result(1);
    }
    splitter_.AddEffect(dag, dag.GetStore(loc_, chain, value, PointerAt(dag, 1, offset), Operand(false, unit)));
  }
  SDValue Fill(SelectionDAG& dag, uint64_t unit) {
    if (unit == 1) return splitter_.Read(dag, byte_);
    const SDValue fill = splitter_.Read(dag, fill_);
    if (unit == 16) return Node(dag, isd::kBuildVector, MVT::kV2I64, {fill, fill});
    return Resized(dag, UnitType(unit), fill);
  }

  void UnrolledTail(SelectionDAG& dag) {
    const uint64_t begin = *intrinsic_.size / unit_ * unit_, bytes = *intrinsic_.size - begin;
    const bool is_rest = &dag == &splitter_.rest();
    const SDValue chain = is_rest ? rest_chain_ : dag.EntryToken();
    const SDValue second = intrinsic_.kind == MemoryIntrinsic::Kind::kSet ? splitter_.Read(dag, node_.operand(2))
                                                                          : PointerAt(dag, 2, Offset(dag, begin));
    const SDValue operands[] = {chain, PointerAt(dag, 1, Offset(dag, begin)), second,
                                dag.GetConstant(bytes, offset_type_), dag.GetConstant(0, MVT::kI1)};
    const auto& whole = static_cast<const IntrinsicSDNode&>(node_);
    const SDValue tail = dag.GetIntrinsic(node_.opcode(), whole.intrinsic_name(), loc_, node_.value_types(), operands,
                                          AsMemSDNode(node_).memory_type(), Operand(false, unit_), node_.flags());
    if (is_rest) {
      rest_chain_ = tail;
    } else {
      splitter_.AddEffect(dag, tail);
    }
  }

  BlockSplitter splitter_;
  SDNode& node_;
  const MemoryIntrinsic intrinsic_;
  const SDLoc loc_;
  const uint64_t unit_;
  const MVT offset_type_;
  SDValue size_, units_end_, byte_, fill_;
  SDValue rest_chain_;
};

}  // namespace

bool NeedsMemoryLoop(const SDNode& node) {
  const std::optional<MemoryIntrinsic> intrinsic = MemoryIntrinsicOf(node);
  if (!intrinsic.has_value() || !intrinsic->needs_loop() || node.num_values() != 1) return false;
  const auto is_pointer = [](MVT type) { return type == MVT::kI32 || type == MVT::kI64; };
  const bool is_set = intrinsic->kind == MemoryIntrinsic::Kind::kSet;
  return is_pointer(node.operand(1).type()) && (is_set || is_pointer(node.operand(2).type())) &&
         IsScalarInteger(node.operand(2).type()) && IsScalarInteger(node.operand(3).type());
}

absl::Status ExpandMemoryIntrinsic(CrossBlockValues& values, SDNode& node) {
  return MemoryExpander(values, node, *MemoryIntrinsicOf(node)).Expand();
}

}  // namespace ptxmir::sdag
