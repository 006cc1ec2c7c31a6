// SPDX-License-Identifier: Apache-2.0

// InstrEmitter: registers, their classes, and operands.

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/status/statusor.h"
#include "sdag/emit/instr_emitter.h"

namespace ptxmir::sdag {

unsigned InstrEmitter::ClassSize(RegClassId reg_class) const {
  const RegClassDesc& desc = target_.reg_classes[reg_class];
  return static_cast<unsigned>(std::popcount(desc.member_mask[0]) + std::popcount(desc.member_mask[1]));
}

RegClassId InstrEmitter::CommonSubClass(RegClassId a, RegClassId b) const {
  if (a == b) return a;
  RegClassId best = kNoRegClass;
  for (size_t i = 0; i < target_.reg_classes.size(); ++i) {
    const auto candidate = static_cast<RegClassId>(i);
    const RegClassDesc& desc = target_.reg_classes[i];
    const RegClassDesc& first = target_.reg_classes[a];
    const RegClassDesc& second = target_.reg_classes[b];
    bool is_subset = desc.bits == first.bits && desc.bits == second.bits;
    for (int word = 0; word < 2; ++word) {
      is_subset &= (desc.member_mask[word] & ~(first.member_mask[word] & second.member_mask[word])) == 0;
    }
    if (is_subset && (best == kNoRegClass || ClassSize(candidate) > ClassSize(best))) best = candidate;
  }
  return best;
}

RegClassId InstrEmitter::MinimalPhysClass(Register reg) const {
  RegClassId best = kNoRegClass;
  const auto rank = [this](RegClassId id) { return std::pair(!target_.reg_classes[id].allocatable, ClassSize(id)); };
  for (size_t i = 0; i < target_.reg_classes.size(); ++i) {
    const auto candidate = static_cast<RegClassId>(i);
    if (!target_.IsMember(reg.bits(), candidate)) continue;
    if (best == kNoRegClass || rank(candidate) < rank(best)) best = candidate;
  }
  return best;
}

bool InstrEmitter::IsMember(Register reg, RegClassId reg_class) const {
  if (reg_class == kNoRegClass) return true;
  if (reg.is_physical()) return target_.IsMember(reg.bits(), reg_class);
  return CommonSubClass(info_.reg_class(reg), reg_class) == info_.reg_class(reg);
}

bool InstrEmitter::ConstrainClass(Register reg, RegClassId wanted, unsigned min_size) {
  const RegClassId now = info_.reg_class(reg);
  if (now == kNoRegClass || now >= target_.reg_classes.size()) return true;
  const RegClassId common = CommonSubClass(now, wanted);
  if (common == now) return true;
  if (common == kNoRegClass || ClassSize(common) < min_size || !target_.reg_classes[common].allocatable) return false;
  info_.set_reg_class(reg, common);
  return true;
}

Register InstrEmitter::CreateRegister(RegClassId reg_class) { return info_.CreateVirtualRegister(reg_class); }

void InstrEmitter::SetRegister(SDValue value, Register reg) { registers_[IndexOf(value)] = reg; }

Register InstrEmitter::FindRegister(SDValue value) const { return registers_[IndexOf(value)]; }

MachineInstr* InstrEmitter::LastInstrOf(const SDNode& node) const {
  const ArenaId id = instrs_[static_cast<size_t>(node.node_id())];
  return id == 0 ? nullptr : function_.arena().Resolve<MachineInstr>(id);
}

void InstrEmitter::Record(MachineInstr* instr, SDNode* node, Register src, Register dst, uint32_t flags,
                          uint32_t sub_reg_index) {
  records_.push_back({.producer = instr,
                      .node = node,
                      .src = src,
                      .dst = dst,
                      .reg_class = dst.is_virtual() ? info_.reg_class(dst) : MinimalPhysClass(dst),
                      .sub_reg_index = sub_reg_index,
                      .flags = flags});
}

MachineInstr* InstrEmitter::HelperPosition(SDValue value) const {
  if (IsInBundle(value.node())) return nullptr;
  return before_bundle_ == nullptr ? block_.front() : before_bundle_->next();
}

void InstrEmitter::NoteHelper(SDValue value, MachineInstr* instr) {
  if (!IsInBundle(value.node())) before_bundle_ = instr;
}

MachineInstr* InstrEmitter::Insert(MachineInstr* before, Opcode opcode, absl::Span<const MachineOperand> operands,
                                   const SDNode& node) {
  MachineInstr* instr = function_.CreateInstr(opcode, operands, node.debug_loc());
  block_.Insert(before, instr);
  if (before == nullptr) instrs_[static_cast<size_t>(node.node_id())] = instr->id();
  return instr;
}

MachineInstr* InstrEmitter::InsertCopy(MachineInstr* before, Register target, Register source, const SDNode& node,
                                       uint16_t source_flags) {
  MachineInstr* copy = Insert(
      before, generic::kCopy,
      {MachineOperand::CreateReg(target, MachineOperand::kDefine), MachineOperand::CreateReg(source, source_flags)},
      node);
  if (hooks_.expand_post_ra_pseudo != nullptr) hooks_.expand_post_ra_pseudo(*copy);
  return copy;
}

RegClassId InstrEmitter::RefinedClass(RegClassId wanted, MVT type, bool is_divergent) const {
  const std::optional<RegClassId> of_type =
      hooks_.reg_class_for != nullptr ? hooks_.reg_class_for(type, is_divergent) : std::nullopt;
  if (!of_type.has_value()) return wanted;
  if (wanted == kNoRegClass) return *of_type;
  const RegClassId common = CommonSubClass(wanted, *of_type);
  return common == kNoRegClass ? wanted : common;
}

Register InstrEmitter::RegisterOfCopyToReg(SDValue value, RegClassId reg_class) const {
  for (const SDUse* use = value->first_use(); use != nullptr; use = use->next()) {
    const SDNode* user = use->user();
    if (use->resno() != value.resno() || user->opcode() != isd::kCopyToReg || use->operand_number() != 2) continue;
    const auto* leaf = DynCast<RegisterSDNode>(user->operand(1));
    if (leaf == nullptr || !leaf->reg().is_virtual() || info_.reg_class(leaf->reg()) != reg_class) continue;
    const auto [first, last] = std::equal_range(copies_to_.begin(), copies_to_.end(), leaf->reg());
    const bool is_sole_definition = last - first == 1 && info_.Defs(leaf->reg()).empty();
    const bool is_read = std::binary_search(copied_from_.begin(), copied_from_.end(), leaf->reg());
    if (is_sole_definition && !is_read) return leaf->reg();
  }
  return Register();
}

absl::Status InstrEmitter::CreateVirtualRegisters(SDNode* node, unsigned num_results, Operands& operands) {
  const absl::Span<const OperandDesc> descs = target_.Operands(node->machine_opcode());
  for (unsigned i = 0; i < num_results; ++i) {
    const RegClassId wanted = i < descs.size() ? descs[i].reg_class : kNoRegClass;
    const RegClassId reg_class = RefinedClass(wanted, node->value_type(i), node->is_divergent());
    if (reg_class == kNoRegClass) return Error(*node, "no register class for a result");
    Register reg = RegisterOfCopyToReg({node, i}, reg_class);
    if (!reg.is_valid()) reg = CreateRegister(reg_class);
    SetRegister({node, i}, reg);
    operands.push_back(MachineOperand::CreateReg(reg, MachineOperand::kDefine));
  }
  return absl::OkStatus();
}

absl::StatusOr<Register> InstrEmitter::GetRegister(SDValue value) {
  if (!value) return absl::InvalidArgumentError("an operand that is no value");
  if (const auto* leaf = DynCast<RegisterSDNode>(value)) return leaf->reg();
  const bool is_undefined = (value->is_machine_opcode() && value->machine_opcode() == generic::kImplicitDef) ||
                            value.opcode() == isd::kUndef || value.opcode() == isd::kPoison;
  if (is_undefined) {
    const RegClassId reg_class = RefinedClass(kNoRegClass, value.type(), value->is_divergent());
    if (reg_class == kNoRegClass) return Error(*value.node(), "no register class for the type");
    const Register reg = CreateRegister(reg_class);
    const MachineOperand def = MachineOperand::CreateReg(reg, MachineOperand::kDefine);
    MachineInstr* instr = Insert(HelperPosition(value), generic::kImplicitDef, {def}, *value.node());
    NoteHelper(value, instr);
    Record(instr, value.node(), Register(), reg, EmitResultRecord::kCopy | EmitResultRecord::kOwnResult);
    return reg;
  }
  const Register reg = FindRegister(value);
  if (!reg.is_valid()) return Error(*value.node(), "the value of a node that has not been emitted");
  return reg;
}

RegClassId InstrEmitter::ClassOfOperand(const SDNode& user, unsigned number) const {
  if (!user.is_machine_opcode() || user.machine_opcode() >= target_.instrs.size()) return kNoRegClass;
  const absl::Span<const OperandDesc> descs = target_.Operands(user.machine_opcode());
  return number < descs.size() && descs[number].type == OperandType::kRegister ? descs[number].reg_class : kNoRegClass;
}

absl::Status InstrEmitter::AddRegisterOperand(const SDNode& user, SDValue value, unsigned number, Operands& operands) {
  const absl::StatusOr<Register> found = GetRegister(value);
  if (!found.ok()) return found.status();
  Register reg = *found;
  const RegClassId wanted = ClassOfOperand(user, number);
  if (wanted != kNoRegClass) {
    // A register node has no record.
    const uint32_t record = record_of_value_[IndexOf(value)];
    EmitResultRecord* copy = record == 0 ? nullptr : &records_[record - 1];
    const bool is_copy = copy != nullptr && (copy->flags & EmitResultRecord::kCopy) != 0;
    if (is_copy && !IsMember(reg, wanted) && copy->src.is_physical() && IsMember(copy->src, wanted)) {
      // The operand can take the source of the copy itself.
      copy->flags |= EmitResultRecord::kInlineFolded;
      reg = copy->src;
    } else if (reg.is_virtual() ? !ConstrainClass(reg, wanted, kMinRegClassSize) : !IsMember(reg, wanted)) {
      const Register narrow = CreateRegister(wanted);
      MachineInstr* instr = InsertCopy(HelperPosition(value), narrow, reg, user);
      NoteHelper(value, instr);
      Record(instr, value.node(), reg, narrow, EmitResultRecord::kCopy | EmitResultRecord::kOwnResult);
      reg = narrow;
    }
  }
  // The use is the last one, unless the register has other uses: it was copied from a register, or is shared.
  const bool is_debug = user.is_machine_opcode() && user.machine_opcode() >= generic::kDbgValue &&
                        user.machine_opcode() <= generic::kDbgLabel;
  const bool is_tied = user.is_machine_opcode() && number < target_.Operands(user.machine_opcode()).size() &&
                       target_.Operands(user.machine_opcode())[number].tied_to >= 0;
  const bool is_kill = reg.is_virtual() && IsOwn(reg) && !shared_.contains(reg) && value.HasOneUse() && reg == *found &&
                       value.opcode() != isd::kCopyFromReg && !is_debug && !is_tied;
  operands.push_back(MachineOperand::CreateReg(reg, static_cast<uint16_t>(is_kill ? MachineOperand::kKill : 0)));
  return absl::OkStatus();
}

absl::Status InstrEmitter::AddConstantFP(const SDNode& user, SDValue value, Operands& operands) {
  const auto* constant = DynCast<ConstantFPSDNode>(value);
  using Width = MachineOperand::FPWidth;
  Width width;
  switch (value.type()) {
    case MVT::kF16:
      width = Width::kHalf;
      break;
    case MVT::kBF16:
      width = Width::kBFloat;
      break;
    case MVT::kF32:
      width = Width::kFloat;
      break;
    case MVT::kF64:
      width = Width::kDouble;
      break;
    default:
      return Error(user, "a constant of a type that is no operand");
  }
  operands.push_back(MachineOperand::CreateFPImm(width, constant->bits()));
  return absl::OkStatus();
}

absl::Status InstrEmitter::AddOperand(const SDNode& user, SDValue value, unsigned number, Operands& operands) {
  if (!value) return Error(user, "an operand that is no value");
  const SDNode* node = value.node();
  switch (node->payload_kind()) {
    case NodePayload::kConstant:
      if (ScalarSizeInBits(value.type()) > 64) return Error(user, "a constant of more than 64 bits");
      operands.push_back(MachineOperand::CreateImm(DynCast<ConstantSDNode>(value)->SExtValue()));
      return absl::OkStatus();
    case NodePayload::kConstantFP:
      return AddConstantFP(user, value, operands);
    case NodePayload::kGlobal: {
      const auto* global = DynCast<GlobalAddressSDNode>(value);
      operands.push_back(MachineOperand::CreateGlobal(global->global(), global->offset()));
      return absl::OkStatus();
    }
    case NodePayload::kFrameIndex:
      operands.push_back(MachineOperand::CreateFrameIndex(DynCast<FrameIndexSDNode>(value)->index()));
      return absl::OkStatus();
    case NodePayload::kJumpTable:
      operands.push_back(MachineOperand::CreateJumpTableIndex(DynCast<JumpTableSDNode>(value)->index()));
      return absl::OkStatus();
    case NodePayload::kConstantPool: {
      const auto* pool = DynCast<ConstantPoolSDNode>(value);
      operands.push_back(MachineOperand::CreateConstantPoolIndex(pool->index(), pool->offset()));
      return absl::OkStatus();
    }
    case NodePayload::kRegister: {
      // Physical registers after the operands that the instruction has are implicit.
      const Register reg = DynCast<RegisterSDNode>(value)->reg();
      const bool is_implicit = user.is_machine_opcode() && reg.is_physical() &&
                               number >= target_.Get(user.machine_opcode()).num_operands &&
                               !target_.Get(user.machine_opcode()).Has(InstrFlag::kVariadic);
      operands.push_back(
          MachineOperand::CreateReg(reg, static_cast<uint16_t>(is_implicit ? MachineOperand::kImplicit : 0)));
      return absl::OkStatus();
    }
    case NodePayload::kBlock:
      operands.push_back(MachineOperand::CreateBlock(DynCast<BasicBlockSDNode>(value)->target()));
      return absl::OkStatus();
    case NodePayload::kBlockAddress:
      operands.push_back(MachineOperand::CreateText(MachineOperand::Kind::kBlockAddress,
                                                    DynCast<BlockAddressSDNode>(value)->symbol()));
      return absl::OkStatus();
    case NodePayload::kMetadata:
      operands.push_back(MachineOperand::CreateMetadata(DynCast<MDNodeSDNode>(value)->metadata()));
      return absl::OkStatus();
    case NodePayload::kExternalSymbol: {
      if (node->num_operands() != 0) break;
      const SymbolId symbol = DynCast<ExternalSymbolSDNode>(value)->symbol();
      operands.push_back(node->opcode() == isd::kMCSymbol
                             ? MachineOperand::CreateText(MachineOperand::Kind::kMCSymbol, symbol)
                             : MachineOperand::CreateExternalSymbol(symbol));
      return absl::OkStatus();
    }
    default:
      break;
  }
  if (IsToken(value.type())) return Error(user, "an operand that no instruction has");
  return AddRegisterOperand(user, value, number, operands);
}

InstrEmitter::UserDemands InstrEmitter::DemandsOf(SDValue value, Register source) const {
  UserDemands demands;
  for (const SDUse* use = value->first_use(); use != nullptr; use = use->next()) {
    if (use->resno() != value.resno()) continue;
    const SDNode* user = use->user();
    if (user->opcode() == isd::kCopyToReg && use->operand_number() == 2) {
      const auto* leaf = DynCast<RegisterSDNode>(user->operand(1));
      if (leaf == nullptr || leaf->reg() != source) demands.all_accept_source = false;
      continue;
    }
    if (!user->is_machine_opcode() || user->machine_opcode() >= target_.instrs.size()) {
      demands.all_accept_source = false;
      continue;
    }
    // The operand's number in the instruction: results come first, and tokens do not count.
    unsigned number = target_.Get(user->machine_opcode()).num_defs;
    for (unsigned i = 0; i < use->operand_number(); ++i) {
      const SDValue operand = user->operand(i);
      if (operand.type() != MVT::kGlue && !IsChain(operand)) ++number;
    }
    const RegClassId wanted = ClassOfOperand(*user, number);
    if (wanted == kNoRegClass || !IsMember(source, wanted)) demands.all_accept_source = false;
    if (wanted == kNoRegClass) continue;
    const RegClassId common = demands.reg_class == kNoRegClass ? wanted : CommonSubClass(demands.reg_class, wanted);
    if (common != kNoRegClass) demands.reg_class = common;
  }
  return demands;
}

absl::Status InstrEmitter::EmitCopyFromReg(SDNode* node, unsigned resno, Register source, MachineInstr* before) {
  const SDValue value(node, resno);
  const bool is_changed = source.is_virtual() && HasCopyTo(source);
  if (source.is_virtual() && !is_changed) {
    SetRegister(value, source);
    return absl::OkStatus();
  }
  const RegClassId source_class = source.is_virtual() ? info_.reg_class(source) : MinimalPhysClass(source);
  if (source_class == kNoRegClass || source_class >= target_.reg_classes.size()) {
    return Error(*node, "a register without a class");
  }
  const UserDemands demands = DemandsOf(value, source);
  const bool is_expensive = hooks_.is_expensive_to_copy != nullptr && hooks_.is_expensive_to_copy(source_class);
  if (source.is_physical() && is_expensive && demands.all_accept_source) {
    SetRegister(value, source);
    return absl::OkStatus();
  }
  // The class of the type, unless all users of the value need a narrower one.
  RegClassId target_class = RefinedClass(kNoRegClass, node->value_type(resno), node->is_divergent());
  if (target_class == kNoRegClass) target_class = source_class;
  if (demands.reg_class != kNoRegClass) {
    const RegClassId common = CommonSubClass(target_class, demands.reg_class);
    if (common != kNoRegClass && target_.reg_classes[common].allocatable) target_class = common;
  }
  Register target = RegisterOfCopyToReg(value, target_class);
  if (!target.is_valid()) target = CreateRegister(target_class);
  SetRegister(value, target);
  Record(InsertCopy(before, target, source, *node), node, source, target,
         EmitResultRecord::kCopy | (IsOwn(target) ? EmitResultRecord::kOwnResult : 0));
  record_of_value_[IndexOf(value)] = static_cast<uint32_t>(records_.size());
  return absl::OkStatus();
}

}  // namespace ptxmir::sdag
