// SPDX-License-Identifier: Apache-2.0

#include "sdag/from_ir/function_builder.h"

#include <utility>

#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ir/ir_nvvm.h"
#include "sdag/graph/type_classes.h"

namespace ptxmir::sdag {
namespace {

bool CrossesBlocks(const ir::Value& value, const ir::BasicBlock& home) {
  for (const ir::Use& use : value.uses()) {
    const ir::Instruction& user = use.user();
    if (user.is_debug_record() || user.parent() == nullptr) continue;
    if (user.opcode() == ir::Opcode::kPhi || user.parent() != &home) return true;
  }
  return false;
}

}  // namespace

bool HasCodeUses(const ir::Value& value) {
  for (const ir::Use& use : value.uses()) {
    if (!use.user().is_debug_record()) return true;
  }
  return false;
}

FunctionBuilder::FunctionBuilder(ir::Function& function, DagFunction& dags, PartTable& part_table,
                                 const ir::BranchProbabilities* probabilities, DiagnosticEngine& diagnostics)
    : function_(function),
      dags_(dags),
      part_table_(part_table),
      probabilities_(probabilities),
      diagnostics_(diagnostics),
      is_kernel_(IsKernel(function.module(), function.signature())) {
  function_.NumberValues();
  MakeBlocks();
  FindCrossingValues();
}

uint32_t FunctionBuilder::ProbabilityOf(const ir::Instruction& terminator, unsigned successor) const {
  if (probabilities_ == nullptr) return ir::BranchProbabilities::kOne / terminator.num_successors();
  return probabilities_->Edge(*terminator.parent(), successor);
}

// Only blocks that can be reached become machine blocks.
void FunctionBuilder::MakeBlocks() {
  const std::vector<ir::BasicBlock*>& blocks = function_.blocks();
  std::vector<bool> is_reachable(blocks.size(), false);
  std::vector<const ir::BasicBlock*> work = {blocks[0]};
  is_reachable[0] = true;
  while (!work.empty()) {
    const ir::Instruction* terminator = work.back()->terminator();
    work.pop_back();
    for (unsigned i = 0; terminator != nullptr && i < terminator->num_successors(); ++i) {
      const ir::BasicBlock& next = terminator->successor(i);
      if (is_reachable[next.number()]) continue;
      is_reachable[next.number()] = true;
      work.push_back(&next);
    }
  }
  blocks_.resize(blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (!is_reachable[i]) continue;
    MachineBasicBlock* block = machine_function().CreateBlock();
    if (blocks[i]->name() != 0) {
      block->name = function_.name(blocks[i]->name());
    } else {
      block->ir_block =
          machine_function().symbol(machine_function().InternSymbol(StrCat("%ir-block.", blocks[i]->slot())));
    }
    machine_function().InsertBlock(nullptr, block);
    blocks_[i] = block;
    NoteOwner(*block, *blocks[i]);
  }
}

void FunctionBuilder::FindCrossingValues() {
  places_.resize(function_.arguments().size());
  for (size_t i = 0; i < places_.size(); ++i) {
    places_[i].crosses = CrossesBlocks(*function_.arguments()[i], function_.entry());
  }
  for (const ir::BasicBlock* block : function_.blocks()) {
    for (const ir::Instruction* i = block->first(); i != nullptr; i = i->next()) {
      const uint32_t index = IndexOf(*i);
      if (index >= places_.size()) places_.resize(index + 1);
      if (blocks_[block->number()] == nullptr) continue;
      places_[index].crosses = CrossesBlocks(*i, *block);
      // A block may come before one that dominates it, so the registers are there from the beginning. Stack objects
      // need none.
      const bool is_needed = i->opcode() == ir::Opcode::kPhi ? HasCodeUses(*i) : places_[index].crosses;
      if (is_needed && i->opcode() != ir::Opcode::kAlloca) ReserveRegisters(places_[index], i->type());
    }
  }
}

void FunctionBuilder::ReserveRegisters(Place& place, const IrType* type) {
  const absl::InlinedVector<Register, 4> registers = NewRegisters(type);
  place.first_register = static_cast<uint32_t>(registers_.size());
  place.num_registers = static_cast<uint32_t>(registers.size());
  registers_.insert(registers_.end(), registers.begin(), registers.end());
}

uint32_t FunctionBuilder::IndexOf(const ir::Value& value) const {
  if (value.is_argument()) return static_cast<const ir::Argument&>(value).number();
  return static_cast<uint32_t>(function_.arguments().size()) + static_cast<const ir::Instruction&>(value).order();
}

bool FunctionBuilder::Refuse(std::string what) {
  if (std::exchange(has_failed_, true)) return false;
  const SourceBuffer* source = module().ir_source();
  std::string message = StrCat("no instructions can be selected for ", what);
  if (instruction_ != nullptr && instruction_->position() != 0 && source != nullptr) {
    const char* text = module().ir_text().data();
    diagnostics_.Error(*source, text + instruction_->position() - 1, std::move(message));
  } else {
    diagnostics_.Error(StrCat("in function '", function_.signature().name, "': ", message));
  }
  return false;
}

void FunctionBuilder::SetLocation(const ir::Instruction& instruction) {
  instruction_ = &instruction;
  loc_ = {.order = instruction.order() + 1, .debug_loc = IdOf(instruction.debug_loc())};
  if (instruction.position() == 0 || module().ir_source() == nullptr) return;
  loc_ = dags_.LocAt(loc_, module().ir_text().data() + instruction.position() - 1);
}

MetadataId FunctionBuilder::IdOf(ir::MetadataRef reference) {
  if (reference.is_none()) return MachineInstr::kNoDebugLoc;
  if (!reference.is_inline()) return reference.node();
  return machine_function().InternInlineMetadata(function_.program().metadata_text(reference));
}

// Types.

absl::Span<const ValuePart> FunctionBuilder::PartsOf(const IrType* type) {
  const PartTable::Parts& parts = part_table_.Of(type);
  if (!parts.problem.empty()) Refuse(StrCat("a value of this type: ", parts.problem));
  return parts.parts;
}

MVT FunctionBuilder::PointerType(uint32_t address_space) const {
  return layout().PointerBits(address_space) == 32 ? MVT::kI32 : MVT::kI64;
}

// Values.

ValueNodes FunctionBuilder::Undefined(const IrType* type) {
  ValueNodes nodes;
  for (const ValuePart& part : PartsOf(type)) nodes.push_back(dag().GetUndef(part.type));
  return nodes;
}

ValueNodes FunctionBuilder::Use(const ir::Value& value) {
  if (value.is_constant()) return Constant(static_cast<const ir::ConstantValue&>(value).constant());
  if (!value.is_argument() && !value.is_instruction()) {
    Refuse("this operand");
    return {};
  }
  const uint32_t index = IndexOf(value);
  const Place& place = places_[index];
  if (place.block != block_->number()) return Import(index, value.type());
  return ValueNodes(nodes_.begin() + place.first_node, nodes_.begin() + place.first_node + place.num_nodes);
}

SDValue FunctionBuilder::UseOne(const ir::Value& value) {
  // Most operands are numbers and values of the block.
  if (value.is_constant()) {
    const IrConstant& constant = static_cast<const ir::ConstantValue&>(value).constant();
    const absl::Span<const ValuePart> parts = PartsOf(constant.type);
    const bool is_number = constant.kind == IrConstant::Kind::kInteger || constant.kind == IrConstant::Kind::kFloat;
    if (is_number && parts.size() == 1) return ScalarConstant(constant, parts[0]);
  } else if (value.is_argument() || value.is_instruction()) {
    const Place& place = places_[IndexOf(value)];
    if (place.block == block_->number() && place.num_nodes != 0) return nodes_[place.first_node];
  }
  const ValueNodes nodes = Use(value);
  return nodes.empty() ? dag().GetUndef(MVT::kI32) : nodes[0];
}

bool FunctionBuilder::IsAvailable(const ir::Value& value) const {
  const Place& place = places_[IndexOf(value)];
  return place.frame_index >= 0 || place.num_registers != 0 || place.block == block_->number();
}

void FunctionBuilder::Define(const ir::Value& value, absl::Span<const SDValue> nodes) {
  const absl::Span<const ValuePart> parts = PartsOf(value.type());
  if (parts.size() != nodes.size()) {
    Refuse("a value of this type");
    return;
  }
  Place& place = places_[IndexOf(value)];
  SetNodes(place, nodes);
  place.is_imported = false;
  if (place.crosses) Export(value);
}

void FunctionBuilder::SetNodes(Place& place, absl::Span<const SDValue> nodes) {
  place.block = block_->number();
  place.first_node = static_cast<uint32_t>(nodes_.size());
  place.num_nodes = static_cast<uint32_t>(nodes.size());
  nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
}

void FunctionBuilder::DefineFrameIndex(const ir::Instruction& alloca, int index) {
  places_[IndexOf(alloca)].frame_index = index;
}

std::optional<int> FunctionBuilder::FrameIndexOf(const ir::Value& value) const {
  if (!value.is_instruction() || places_[IndexOf(value)].frame_index < 0) return std::nullopt;
  return places_[IndexOf(value)].frame_index;
}

absl::InlinedVector<Register, 4> FunctionBuilder::NewRegisters(const IrType* type) {
  absl::InlinedVector<Register, 4> registers;
  for (const ValuePart& part : PartsOf(type)) {
    for (const MVT crossing : CrossingTypesOf(part.type)) {
      registers.push_back(machine_function().reg_info().CreateVirtualRegister(*RegClassFor(crossing)));
    }
  }
  return registers;
}

void FunctionBuilder::CopyToRegisters(absl::Span<const SDValue> nodes, absl::Span<const Register> registers) {
  const SDLoc nowhere = {.order = loc_.order};
  size_t next = 0;
  for (const SDValue node : nodes) {
    for (const SDValue part : Split(node)) {
      if (part->is_divergent()) dags_.SetDivergent(registers[next]);
      exports_.push_back(dag().GetCopyToReg(nowhere, dag().EntryToken(), registers[next++], part));
    }
  }
}

void FunctionBuilder::Export(const ir::Value& value) {
  if (!value.is_argument() && !value.is_instruction()) return;
  Place& place = places_[IndexOf(value)];
  if (place.is_exported || place.is_imported || place.block != block_->number()) return;
  place.is_exported = true;
  if (place.num_registers == 0) ReserveRegisters(place, value.type());
  CopyToRegisters(Use(value), RegistersOf(value));
}

absl::Span<const Register> FunctionBuilder::RegistersOf(const ir::Value& value) const {
  if (!value.is_argument() && !value.is_instruction()) return {};
  const Place& place = places_[IndexOf(value)];
  return {registers_.data() + place.first_register, place.num_registers};
}

ValueNodes FunctionBuilder::Import(uint32_t index, const IrType* type) {
  Place& place = places_[index];
  ValueNodes nodes;
  if (place.frame_index >= 0) {
    // Frame indices are generic addresses.
    const uint32_t space = type->address_space();
    SDValue address = dag().GetFrameIndex(place.frame_index, PointerType(address_space::kGeneric));
    if (space != address_space::kGeneric) {
      address = dag().GetAddrSpaceCast({}, PointerType(space), address, address_space::kGeneric, space);
    }
    nodes.push_back(address);
  } else if (place.num_registers == 0) {
    return Undefined(type);  // defined in a block that cannot be reached
  } else {
    const SDLoc nowhere = {.order = loc_.order};
    uint32_t next = place.first_register;
    for (const ValuePart& part : PartsOf(type)) {
      ValueNodes copies;
      for (const MVT crossing : CrossingTypesOf(part.type)) {
        copies.push_back(dag().GetCopyFromReg(nowhere, dag().EntryToken(), registers_[next++], crossing));
      }
      nodes.push_back(Join(copies, part.type));
    }
  }
  SetNodes(place, nodes);
  place.is_imported = true;
  return nodes;
}

ValueNodes FunctionBuilder::Split(SDValue node) {
  const MVT type = node.type();
  const TypeList part_types = CrossingTypesOf(type);
  if (part_types.size() == 1 && part_types[0] == type) return {node};
  if (type == MVT::kI8) return {Node(isd::kAnyExtend, MVT::kI16, {node})};
  ValueNodes parts;
  if (type == MVT::kI128) {
    for (int64_t i = 0; i < 2; ++i) {
      parts.push_back(Node(isd::kExtractElement, MVT::kI64, {node, Number(i, MVT::kI64)}));
    }
    return parts;
  }
  const MVT scalar = ScalarType(type);
  int64_t next = 0;
  for (const MVT part : part_types) {
    if (IsVector(part) && ScalarType(part) == scalar && next % NumElements(part) == 0) {
      parts.push_back(Node(isd::kExtractSubvector, part, {node, Number(next, MVT::kI64)}));
      next += NumElements(part);
      continue;
    }
    ValueNodes elements;
    for (unsigned i = 0; i < std::max(1u, NumElements(part)); ++i) {
      elements.push_back(Node(isd::kExtractVectorElt, scalar, {node, Number(next++, MVT::kI64)}));
    }
    if (IsVector(part)) {
      parts.push_back(dag().GetNode(isd::kBuildVector, loc_, absl::MakeConstSpan(&part, 1), elements));
    } else {
      parts.push_back(part == scalar ? elements[0] : Node(isd::kAnyExtend, part, {elements[0]}));
    }
  }
  return parts;
}

SDValue FunctionBuilder::Join(absl::Span<const SDValue> parts, MVT type) {
  if (parts.size() == 1 && parts[0].type() == type) return parts[0];
  if (type == MVT::kI8) return Node(isd::kTruncate, type, {parts[0]});
  if (type == MVT::kI128) return Node(isd::kBuildPair, type, {parts[0], parts[1]});
  const MVT scalar = ScalarType(type);
  const auto is_like_first = [&](const SDValue& part) { return part.type() == parts[0].type(); };
  if (IsVector(parts[0].type()) && std::all_of(parts.begin(), parts.end(), is_like_first) &&
      NumElements(parts[0].type()) * parts.size() == NumElements(type)) {
    return dag().GetNode(isd::kConcatVectors, loc_, absl::MakeConstSpan(&type, 1), parts);
  }
  ValueNodes elements;
  for (const SDValue& part : parts) {
    if (!IsVector(part.type())) {
      elements.push_back(part.type() == scalar ? part : Node(isd::kTruncate, scalar, {part}));
      continue;
    }
    for (unsigned i = 0; i < NumElements(part.type()); ++i) {
      elements.push_back(Node(isd::kExtractVectorElt, scalar, {part, Number(i, MVT::kI64)}));
    }
  }
  return dag().GetNode(isd::kBuildVector, loc_, absl::MakeConstSpan(&type, 1), elements);
}

// Nodes.

SDValue FunctionBuilder::ZeroExtended(SDValue value, const ValuePart& part) {
  if (part.is_exact() || !IsScalarInteger(part.type)) return value;
  const absl::uint128 mask = (absl::uint128(1) << part.bits) - 1;
  return Node(isd::kAnd, part.type, {value, dag().GetConstant(mask, part.type)});
}

SDValue FunctionBuilder::SignExtended(SDValue value, const ValuePart& part) {
  if (part.is_exact() || !IsScalarInteger(part.type)) return value;
  // PTX extracts fields from 32 bits and more.
  const MVT type = SizeInBits(part.type) < 32 ? MVT::kI32 : part.type;
  const SDValue amount = Number(SizeInBits(type) - part.bits, MVT::kI32);
  const SDValue moved = Node(isd::kShl, type, {Resize(value, type, isd::kAnyExtend), amount});
  return Resize(Node(isd::kSra, type, {moved, amount}), part.type, isd::kAnyExtend);
}

SDValue FunctionBuilder::Resize(SDValue value, MVT type, int16_t extension) {
  const unsigned from = SizeInBits(value.type()), to = SizeInBits(type);
  if (from == to) return value;
  return Node(from < to ? extension : int16_t{isd::kTruncate}, type, {value});
}

SDValue FunctionBuilder::AddrSpaceCast(SDValue address, MVT type, uint32_t from, uint32_t to) {
  using address_space::kGeneric;
  if (from == to) return address;
  if (from == address_space::kShared && to == address_space::kSharedCluster) return address;
  if (from == kGeneric || to == kGeneric) return dag().GetAddrSpaceCast(loc_, type, address, from, to);
  const SDValue generic = dag().GetAddrSpaceCast(loc_, PointerType(kGeneric), address, from, kGeneric);
  return dag().GetAddrSpaceCast(loc_, type, generic, kGeneric, to);
}

SDValue FunctionBuilder::AddOffset(SDValue address, int64_t offset) {
  if (offset == 0) return address;
  return Node(isd::kAdd, address.type(), {address, Number(offset, address.type())});
}

ValuePart FunctionBuilder::LanePart(const IrType* vector) {
  const absl::Span<const ValuePart> parts = PartsOf(vector->element());
  if (parts.size() == 1) return parts[0];
  return {MVT::kI32, 32, 0, vector->element()};
}

ValueNodes FunctionBuilder::Lanes(const IrType* vector, absl::Span<const SDValue> nodes) {
  if (nodes.empty() || PartInfo(vector).is_scattered()) return ValueNodes(nodes.begin(), nodes.end());
  ValueNodes lanes;
  const MVT scalar = ScalarType(nodes[0].type());
  for (uint64_t i = 0; i < vector->num_elements(); ++i) {
    lanes.push_back(Node(isd::kExtractVectorElt, scalar, {nodes[0], Number(static_cast<int64_t>(i), MVT::kI64)}));
  }
  return lanes;
}

ValueNodes FunctionBuilder::FromLanes(const IrType* vector, absl::Span<const SDValue> lanes) {
  if (PartInfo(vector).is_scattered()) return ValueNodes(lanes.begin(), lanes.end());
  const absl::Span<const ValuePart> parts = PartsOf(vector);
  if (parts.size() != 1) return {};
  return {dag().GetNode(isd::kBuildVector, loc_, absl::MakeConstSpan(&parts[0].type, 1), lanes)};
}

SDValue FunctionBuilder::ToBits(const IrType* type, absl::Span<const SDValue> nodes) {
  const uint64_t total = layout().SizeInBits(type);
  const absl::Span<const ValuePart> parts = PartsOf(type);
  if (total > 128 || parts.empty()) {
    Refuse(StrCat("the bits of a value of type ", type->ToString()));
    return dag().GetUndef(MVT::kI32);
  }
  const MVT part_type = parts[0].type;
  const bool is_direct = !IsVector(part_type) || ScalarSizeInBits(part_type) > 1;
  if (parts.size() == 1 && is_direct && IntegerOf(SizeInBits(part_type)).has_value()) {
    if (IsScalarInteger(part_type)) return ZeroExtended(nodes[0], parts[0]);
    return Node(isd::kBitcast, *IntegerOf(SizeInBits(part_type)), {nodes[0]});
  }
  const ValuePart lane_part = LanePart(type);
  MVT whole = MVT::kI128;
  for (const MVT candidate : {MVT::kI64, MVT::kI32, MVT::kI16, MVT::kI8}) {
    if (total <= SizeInBits(candidate)) whole = candidate;
  }
  SDValue bits;
  uint64_t shift = 0;
  for (const SDValue lane : Lanes(type, nodes)) {
    SDValue wide = IsInteger(lane_part.type) ? ZeroExtended(lane, lane_part)
                                             : Node(isd::kBitcast, *ToInteger(lane_part.type), {lane});
    wide = Resize(wide, whole, isd::kZeroExtend);
    if (shift != 0) wide = Node(isd::kShl, whole, {wide, Number(static_cast<int64_t>(shift), MVT::kI32)});
    bits = bits ? Node(isd::kOr, whole, {bits, wide}) : wide;
    shift += lane_part.bits;
  }
  return bits;
}

ValueNodes FunctionBuilder::FromBits(const IrType* type, SDValue bits) {
  const absl::Span<const ValuePart> parts = PartsOf(type);
  if (layout().SizeInBits(type) > 128 || parts.empty()) {
    Refuse(StrCat("the bits of a value of type ", type->ToString()));
    return Undefined(type);
  }
  const MVT part_type = parts[0].type;
  const bool is_direct = !IsVector(part_type) || ScalarSizeInBits(part_type) > 1;
  if (parts.size() == 1 && is_direct && IntegerOf(SizeInBits(part_type)).has_value()) {
    const SDValue sized = Resize(bits, *IntegerOf(SizeInBits(part_type)), isd::kAnyExtend);
    return {sized.type() == part_type ? sized : Node(isd::kBitcast, part_type, {sized})};
  }
  const ValuePart lane_part = LanePart(type);
  ValueNodes lanes;
  for (uint64_t i = 0; i < type->num_elements(); ++i) {
    SDValue lane = bits;
    const auto shift = static_cast<int64_t>(i * lane_part.bits);
    if (shift != 0) lane = Node(isd::kSrl, bits.type(), {bits, Number(shift, MVT::kI32)});
    lane = Resize(lane, *ToInteger(lane_part.type), isd::kAnyExtend);
    lanes.push_back(lane.type() == lane_part.type ? lane : Node(isd::kBitcast, lane_part.type, {lane}));
  }
  return FromLanes(type, lanes);
}

// Chains.

SDValue FunctionBuilder::Root() {
  if (!pending_loads_.empty()) {
    std::vector<SDValue> chains = std::exchange(pending_loads_, {});
    if (root_ != dag().EntryToken()) chains.push_back(root_);
    root_ = dag().GetTokenFactor({}, chains);
  }
  return root_;
}

SDValue FunctionBuilder::ControlRoot() {
  std::vector<SDValue> chains = std::exchange(exports_, {});
  const SDValue root = Root();
  if (root != dag().EntryToken() || chains.empty()) chains.push_back(root);
  root_ = dag().GetTokenFactor({}, chains);
  return root_;
}

// Blocks.

void FunctionBuilder::EnterBlock(MachineBasicBlock& block) {
  block_ = &block;
  dag_ = &dags_.dag(block);
  root_ = dag_->EntryToken();
  pending_loads_.clear();
  exports_.clear();
}

void FunctionBuilder::NoteOwner(const MachineBasicBlock& block, const ir::BasicBlock& owner) {
  if (owners_.size() <= block.number()) owners_.resize(block.number() + 1);
  owners_[block.number()] = &owner;
}

void FunctionBuilder::SetIncoming(const ir::Instruction& phi, const ir::BasicBlock& from,
                                  absl::Span<const Register> registers) {
  const RegisterRange range = {static_cast<uint32_t>(registers_.size()), static_cast<uint32_t>(registers.size())};
  registers_.insert(registers_.end(), registers.begin(), registers.end());
  incoming_.emplace(uint64_t{phi.order()} << 32 | from.number(), range);
}

absl::Span<const Register> FunctionBuilder::IncomingRegisters(const ir::Instruction& phi,
                                                              const ir::BasicBlock& from) const {
  const auto found = incoming_.find(uint64_t{phi.order()} << 32 | from.number());
  if (found == incoming_.end()) return {};
  return {registers_.data() + found->second.first, found->second.count};
}

// Every SM has these registers: vectors are packed into 32 bits only.
TypeList FunctionBuilder::CrossingTypesOf(MVT type) {
  return PartTypes(type, [](MVT vector) { return SizeInBits(vector) == 32; });
}

bool FunctionBuilder::EndsThread(const ir::Instruction& instruction) const {
  if (instruction.opcode() != ir::Opcode::kCall || !instruction.callee().is_constant()) return false;
  const IrConstant& callee = static_cast<const ir::ConstantValue&>(instruction.callee()).constant();
  if (callee.kind != IrConstant::Kind::kGlobal) return false;
  const std::string_view name = module().global_value(callee.global).name;
  return name == "llvm.trap" || name == "llvm.nvvm.exit";
}

MachineBasicBlock& FunctionBuilder::NewBlock() {
  MachineBasicBlock* block = machine_function().CreateBlock();
  machine_function().InsertBlock(block_->next(), block);
  return *block;
}

}  // namespace ptxmir::sdag
