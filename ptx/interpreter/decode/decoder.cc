// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/decode/decoder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ir/ir_nvvm.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/code/operand_ranges.h"
#include "ptx/interpreter/code/weak_topological_order.h"
#include "ptx/interpreter/decode/function_decoder.h"
#include "ptx/interpreter/semantics/control.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

// The distance between stack objects that no pass has laid out, so that overruns are detected.
constexpr uint32_t kStackGap = 32;

}  // namespace

unsigned BitsOfClass(RegClassId reg_class) {
  return reg_class < reg_class::kCount ? kRegisterClasses[reg_class].bits : 32;
}

std::unique_ptr<DecodedFunction> FunctionDecoder::Run() {
  out_->function = &function_;
  LayOutParametersAndStack();
  NumberRegisters();
  order_ = WeakTopologicalOrder(function_);
  position_.assign(function_.block_number_bound(), kNoRow);
  start_.assign(function_.block_number_bound(), 0);
  for (size_t i = 0; i < order_.size(); ++i) position_[order_[i]->number()] = static_cast<uint32_t>(i);
  for (size_t i = 0; i < order_.size(); ++i) DecodeBlock(*order_[i], i);
  ResolveJumps();
  return std::move(out_);
}

void FunctionDecoder::LayOutParametersAndStack() {
  const Module* module = function_.module();
  const IrFunction* ir = module != nullptr ? module->FindFunction(function_.name()) : nullptr;
  if (ir != nullptr) {
    out_->parameters = LayOutParameters(*module, ir->id(), &out_->parameters_size);
    out_->is_kernel = IsKernel(*module, *ir);
  } else {
    out_->is_kernel = true;
  }
  const MachineFrameInfo& frame = function_.frame_info();
  uint32_t top = out_->is_kernel ? 0 : out_->parameters_size;
  if (top != 0) {
    out_->stack_slots.push_back({0, top});
    top += kStackGap;
  }
  top = AlignOffset(top, std::max<uint64_t>(16, frame.max_alignment));
  out_->depot_offset = top;
  if (frame.stack_size != 0) {
    out_->stack_slots.push_back({top, static_cast<uint32_t>(frame.stack_size)});
    top += static_cast<uint32_t>(frame.stack_size);
  } else {
    for (const StackObject& object : frame.objects()) {
      const bool is_local = !object.is_dead && !object.is_in_shared();
      if (is_local) top = AlignOffset(top, uint64_t{1} << object.align_log2);
      out_->objects.push_back({top, is_local ? static_cast<uint32_t>(object.size) : 0});
      if (!is_local) continue;
      out_->stack_slots.push_back(out_->objects.back());
      top += static_cast<uint32_t>(object.size) + kStackGap;
    }
  }
  out_->local_size = AlignOffset(top + kStackGap, 16);
}

void FunctionDecoder::NumberRegisters() {
  const MachineRegisterInfo& registers = function_.reg_info();
  const uint32_t count = registers.num_virtual_registers();
  printed_.resize(count);
  row_of_register_.assign(count, kNoRow);
  for (uint32_t i = 0; i < count; ++i) {
    const RegClassId reg_class = registers.reg_class(Register::Virtual(i));
    if (reg_class != kNoRegClass) printed_[i] = PrintedRegister(reg_class, i);
  }
  context_.registers = printed_;
  context_.symbols = &symbol_printer_;
  context_.stack_slot_prefix = kStackPrefix;
}

uint32_t FunctionDecoder::NewRow(unsigned bits, Register reg) {
  const uint32_t row = static_cast<uint32_t>(out_->rows.size());
  // A predicate is one mask. A wide register is two rows.
  const unsigned halves = bits == 128 ? 2 : 1;
  for (unsigned i = 0; i < halves; ++i) {
    const unsigned row_bits = bits / halves;
    out_->rows.push_back({out_->values_size, static_cast<uint8_t>(row_bits), reg});
    out_->values_size += row_bits == 1 ? 8 : row_bits / 8 * kWarpSize;
  }
  return row;
}

uint32_t FunctionDecoder::RowOf(Register reg) {
  if (reg.is_virtual()) {
    uint32_t& row = row_of_register_[reg.virtual_index()];
    if (row == kNoRow) {
      const RegClassId reg_class = function_.reg_info().reg_class(reg);
      row = NewRow(reg_class == kNoRegClass ? 32 : BitsOfClass(reg_class), reg);
    }
    return row;
  }
  const auto [entry, inserted] = row_of_physical_.try_emplace(reg.bits(), 0);
  if (inserted) {
    const bool wide = reg.bits() == phys_reg::kFrame64 || reg.bits() == phys_reg::kFrameLocal64;
    entry->second = NewRow(wide ? 64 : 32, reg);
  }
  return entry->second;
}

uint32_t FunctionDecoder::ConstantRow(uint64_t value, unsigned bits) {
  if (bits < 64 && bits > 1) value &= (uint64_t{1} << bits) - 1;
  const auto [entry, inserted] =
      constant_rows_.try_emplace({value, bits}, static_cast<uint32_t>(constant_rows_.size()));
  if (!inserted) return entry->second;
  const size_t start = out_->constants.size();
  out_->constants.resize(start + kWarpSize);
  uint8_t* bytes = reinterpret_cast<uint8_t*>(out_->constants.data() + start);
  if (bits == 1) {
    const LaneMask mask = value != 0 ? kAllLanes : 0;
    std::memcpy(bytes, &mask, sizeof mask);
  } else {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) std::memcpy(bytes + lane * (bits / 8), &value, bits / 8);
  }
  return entry->second;
}

DecodedOperand FunctionDecoder::ConstantOperand(uint64_t value, unsigned bits) {
  return {.kind = DecodedOperand::Kind::kConstant,
          .bits = static_cast<uint8_t>(bits),
          .row = ConstantRow(value, bits),
          .value = static_cast<int64_t>(value)};
}

DecodedInstr& FunctionDecoder::Emit(const MachineInstr& instr, WarpKernel kernel, InstrCategory category) {
  DecodedInstr& decoded = out_->instrs.emplace_back();
  decoded.warp = kernel;
  decoded.category = category;
  decoded.source = &instr;
  if (instr.memoperands().size() == 1) decoded.stated_align_log2 = instr.memoperands()[0]->align_log2;
  decoded.first_operand = static_cast<uint32_t>(out_->operands.size());
  return decoded;
}

DecodedInstr& FunctionDecoder::Emit(const MachineInstr& instr, const Semantics& semantics) {
  DecodedInstr& decoded = Emit(instr, semantics.warp, semantics.category);
  decoded.pure = semantics.pure;
  decoded.undefined = semantics.undefined;
  decoded.params = semantics.params;
  return decoded;
}

void FunctionDecoder::EmitUnsupported(const MachineInstr& instr, std::string_view why) {
  DecodedInstr& decoded = Emit(instr, control::Unsupported, InstrCategory::kOther);
  decoded.target = static_cast<uint32_t>(out_->messages.size());
  out_->messages.emplace_back(why);
}

void FunctionDecoder::EmitCopy(const MachineInstr& source, DecodedOperand to, DecodedOperand from) {
  DecodedInstr& decoded = Emit(source, control::Copy, InstrCategory::kMove);
  decoded.is_counted = false;
  decoded.num_results = 1;
  AddOperand(decoded, to);
  AddOperand(decoded, from);
}

// ---- Blocks and edges.

void FunctionDecoder::DecodeBlock(const MachineBasicBlock& block, size_t position) {
  block_ = &block;
  // The copies of the incoming edges are placed before the block, so that jumps to them keep the order of blocks.
  const MachineInstr* first = block.front();
  const bool has_phis = first != nullptr && first->is_phi();
  if (has_phis) {
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      if (position_[predecessor->number()] == kNoRow) continue;
      const auto [entry, inserted] = edge_start_.try_emplace({predecessor->number(), block.number()}, 0);
      if (!inserted) continue;
      entry->second = static_cast<uint32_t>(out_->instrs.size());
      EmitEdge(predecessor->number(), block.number());
    }
  }
  start_[block.number()] = static_cast<uint32_t>(out_->instrs.size());
  out_->block_starts.emplace_back(start_[block.number()], block.number());
  for (const MachineInstr& instr : block) DecodeInstr(instr);

  // Fallthrough.
  const MachineInstr* last = block.back();
  if (last != nullptr && last->is_barrier()) return;
  const MachineBasicBlock* next = block.next();
  if (next != nullptr && block.IsSuccessor(next)) {
    const bool follows = position + 1 < order_.size() && order_[position + 1] == next;
    const bool next_has_phis = next->front() != nullptr && next->front()->is_phi();
    if (follows && !next_has_phis) return;
    // An empty block has no instruction to attach the jump to, so take the next instruction.
    for (const MachineBasicBlock* other = next; last == nullptr && other != nullptr; other = other->next()) {
      last = other->front();
    }
    if (last != nullptr) {
      EmitJump(*last, next->number());
      out_->instrs.back().is_counted = false;
      return;
    }
  }
  if (last != nullptr) {
    EmitUnsupported(*last, "control runs off the end of the block");
  } else if (const MachineInstr* any = function_.front()->front(); any != nullptr) {
    EmitUnsupported(*any, "control runs off the end of an empty block");
  }
}

void FunctionDecoder::EmitEdge(BlockNumber from, BlockNumber to) {
  const MachineBasicBlock& block = *function_.block(to);
  struct PhiCopy {
    const MachineInstr* phi;
    uint32_t to;
    uint32_t from;
    unsigned rows;
    bool is_undef;
  };
  std::vector<PhiCopy> copies;
  for (const MachineInstr& phi : block) {
    if (!phi.is_phi()) break;
    for (const PhiIncoming incoming : PhiIncomings(phi)) {
      if (!incoming.block().is_block() || incoming.predecessor() != from) continue;
      if (!incoming.value().is_reg() || !phi.operand(0).is_reg()) break;
      const uint32_t row = RowOf(phi.operand(0).reg());
      const unsigned rows =
          out_->rows[row].bits == 64 && row + 1 < out_->rows.size() && out_->rows[row + 1].reg == phi.operand(0).reg()
              ? 2
              : 1;
      copies.push_back({&phi, row, RowOf(incoming.reg()), rows, incoming.value().is_undef()});
      break;
    }
  }
  const auto row_operand = [&](uint32_t row) {
    return DecodedOperand{.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[row].bits, .row = row};
  };
  // Save a source that an earlier copy overwrites.
  absl::flat_hash_map<uint32_t, uint32_t> saved;
  absl::flat_hash_map<uint32_t, bool> written;
  for (const PhiCopy& copy : copies) {
    for (unsigned i = 0; i < copy.rows; ++i) {
      if (written.contains(copy.from + i) && !saved.contains(copy.from + i)) {
        const uint32_t row = NewRow(out_->rows[copy.from + i].bits);
        saved.emplace(copy.from + i, row);
        EmitCopy(*copy.phi, row_operand(row), row_operand(copy.from + i));
      }
      written.emplace(copy.to + i, true);
    }
  }
  for (const PhiCopy& copy : copies) {
    for (unsigned i = 0; i < copy.rows; ++i) {
      const auto found = saved.find(copy.from + i);
      const uint32_t source = found != saved.end() ? found->second : copy.from + i;
      if (source != copy.to + i) EmitCopy(*copy.phi, row_operand(copy.to + i), row_operand(source));
    }
  }
  DecodedInstr& jump = Emit(*block.front(), control::Jump, InstrCategory::kBranch);
  jump.is_counted = false;
  jumps_.push_back({static_cast<uint32_t>(out_->instrs.size() - 1), to, kNoRow});
}

void FunctionDecoder::EmitJump(const MachineInstr& instr, BlockNumber to) {
  Emit(instr, control::Jump, InstrCategory::kBranch);
  jumps_.push_back({static_cast<uint32_t>(out_->instrs.size() - 1), to, block_->number()});
}

void FunctionDecoder::ResolveJumps() {
  const auto target = [&](BlockNumber from, BlockNumber to) {
    const auto edge = edge_start_.find({from, to});
    return edge != edge_start_.end() ? edge->second : start_[to];
  };
  for (const Jump& jump : jumps_) out_->instrs[jump.instr].target = target(jump.from, jump.to);
  for (const TableJump& jump : table_jumps_) {
    out_->jump_tables[jump.table][jump.entry] = target(jump.from, jump.to);
  }
}

std::unique_ptr<DecodedFunction> DecodeFunction(const MachineFunction& function, SymbolResolver& symbols) {
  return FunctionDecoder(function, symbols).Run();
}

std::vector<ParameterSlot> LayOutParameters(const Module& module, GlobalId function, uint32_t* size) {
  std::vector<ParameterSlot> slots;
  uint32_t top = 0;
  const IrFunction* ir = module.function(function);
  if (ir != nullptr) {
    for (const IrParameter& parameter : ir->parameters) {
      const IrType* type = parameter.ByValType() != nullptr ? parameter.ByValType() : parameter.type;
      const uint64_t bytes = std::min<uint64_t>(module.data_layout().AllocSize(type), 1 << 20);
      const uint64_t stated = parameter.attributes.Integer("align");
      top = AlignOffset(top, std::clamp<uint64_t>(stated, 16, 4096));
      slots.push_back({top, static_cast<uint32_t>(bytes)});
      // Small integers are passed as 32 bits.
      top += static_cast<uint32_t>(std::max<uint64_t>(bytes, 4));
    }
    if (ir->is_vararg()) {
      top = AlignOffset(top, 16);
      slots.push_back({top, 4096});
      top += 4096;
    }
  }
  *size = AlignOffset(top, 16);
  return slots;
}

}  // namespace ptxmir::ptx
