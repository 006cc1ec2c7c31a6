// SPDX-License-Identifier: Apache-2.0

#include "passes/outline/outline_text.h"

#include <algorithm>
#include <utility>

#include "analysis/pressure/machine_register_pressure.h"
#include "ir/address_space.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

using ptx::Property;

// Returns true if the operand means the same in every function, apart from its register.
bool IsIndependentOfFunction(const Module& module, const MachineOperand& operand) {
  switch (operand.kind()) {
    case MachineOperand::Kind::kRegister:
      // Physical registers stand for the frame. Implicit operands are the carry flag and the like.
      return (operand.reg().is_virtual() || !operand.reg().is_valid()) && !operand.is_implicit();
    case MachineOperand::Kind::kImmediate:
    case MachineOperand::Kind::kFPImmediate:
      return true;
    case MachineOperand::Kind::kGlobal: {
      if (!module.HasGlobal(operand.global())) return false;
      // A shared variable may be declared inside of the only function that uses it.
      const GlobalVariable* const variable = module.variable(operand.global());
      return variable == nullptr || variable->address_space != address_space::kShared ||
             module.SoleUsingFunction(operand.global()) == nullptr;
    }
    default:
      return false;
  }
}

bool HasRareParts(const MachineInstr& instr) {
  const InstrExtra* const extra = instr.extra();
  if (extra == nullptr) return false;
  constexpr uint32_t kNone = InstrExtra::kNone;
  return extra->pre_instr_symbol != kNone || extra->post_instr_symbol != kNone || extra->heap_alloc_marker != kNone ||
         extra->pcsections != kNone || extra->mmra != kNone || extra->cfi_type != 0 || extra->debug_instr_number != 0;
}

}  // namespace

std::string_view WhyNotOutlined(const Module& module, const MachineInstr& instr) {
  if (instr.is_terminator() || instr.is_call() || instr.is_phi()) return "control flow and calls stay";
  if (instr.is_inline_asm()) return "nothing is known of inline asm";
  if (instr.is_meta()) return "it is no code";
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (instr.desc().Has(InstrFlag::kConvergent | InstrFlag::kNotDuplicable) || info.is_collective()) {
    return "threads execute it together";
  }
  // Asynchronous work is waited for where it was begun. The carry flag does not survive a call.
  constexpr uint32_t kStays = Property::kFence | Property::kBarrier | Property::kCarryin | Property::kCarryout |
                              Property::kControl | Property::kCall | Property::kFrame | Property::kAsync |
                              Property::kTensor | Property::kTexture | Property::kSurface | Property::kQuery |
                              Property::kVolatile;
  if (info.Has(kStays)) return "its effect belongs to its place";
  if (info.Has(Property::kSide) && !info.touches_memory()) return "its effect belongs to its place";
  if (info.template_code == 0 && !instr.is_copy()) return "it is no code";
  if (info.touches_memory() && ptx::MemorySpaceOf(instr) == ptx::MemorySpace::kParam) {
    return "it accesses parameters";
  }
  if ((instr.flags() & (MachineInstr::kBundledPred | MachineInstr::kBundledSucc)) != 0 || HasRareParts(instr)) {
    return "it is tied to its place";
  }
  const bool is_independent = std::all_of(instr.operands().begin(), instr.operands().end(),
                                          [&](const MachineOperand& o) { return IsIndependentOfFunction(module, o); });
  return is_independent ? std::string_view() : "it names something of its function";
}

uint32_t OutlineText::NumberOf(const MachineInstr& instr) {
  if (!WhyNotOutlined(module_, instr).empty()) return next_number_++;
  const MachineRegisterInfo& reg_info = instr.function().reg_info();
  std::vector<uint64_t>& words = key_.words;
  words.assign({instr.opcode(), instr.num_operands()});
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    uint64_t head = static_cast<uint64_t>(operand.kind());
    uint64_t payload = 0;
    if (operand.is_reg()) {
      constexpr uint16_t kMeaningful = MachineOperand::kDefine | MachineOperand::kUndef | MachineOperand::kEarlyClobber;
      payload = operand.reg_flags() & kMeaningful;
      if (operand.reg().is_valid()) payload |= uint64_t{reg_info.reg_class(operand.reg())} << 32;
      if (operand.is_tied()) payload |= uint64_t{instr.FindTiedOperand(i) + 1} << 40;
    } else if (operand.is_imm()) {
      payload = static_cast<uint64_t>(operand.imm());
    } else if (operand.is_fp_imm()) {
      head |= static_cast<uint64_t>(operand.fp_width()) << 8;
      payload = operand.fp_bits();
    } else {
      head |= uint64_t{operand.global()} << 8;
      payload = static_cast<uint64_t>(operand.offset());
    }
    words.push_back(head);
    words.push_back(payload);
  }
  for (const MachineMemOperand* const memoperand : instr.memoperands()) {
    constexpr uint16_t kEffect = MachineMemOperand::kLoad | MachineMemOperand::kStore | MachineMemOperand::kVolatile;
    words.push_back(memoperand->flags & kEffect);
    words.push_back(uint64_t{memoperand->address_space} << 32 |
                    static_cast<uint64_t>(memoperand->success_ordering) << 16 |
                    static_cast<uint64_t>(memoperand->failure_ordering) << 8 | memoperand->has_known_size);
    words.push_back(memoperand->SizeInBytes());
  }
  const auto [it, is_new] = known_.try_emplace(key_, next_number_);
  if (is_new) ++next_number_;
  return it->second;
}

void OutlineText::Add(MachineFunction& function, AnalysisManager& analyses) {
  const MachineRegisterPressure& pressure = analyses.Get<MachineRegisterPressure>();
  const uint32_t num_registers = function.reg_info().num_virtual_registers();
  max_registers_ = std::max(max_registers_, num_registers);
  last_read_of_.assign(num_registers, 0);
  for (MachineBasicBlock& block : function) AddBlock(block, pressure.LiveOuts(block));
}

void OutlineText::AddBlock(MachineBasicBlock& block, absl::Span<const uint32_t> live_outs) {
  const auto first = static_cast<uint32_t>(numbers_.size());
  for (MachineInstr& instr : block) {
    if (instr.is_debug()) continue;
    numbers_.push_back(NumberOf(instr));
    instrs_.push_back(&instr);
    size_t num_defs = 0;
    for (const MachineOperand& operand : instr.operands()) num_defs += operand.is_def() ? 1 : 0;
    last_reads_.resize(last_reads_.size() + num_defs);
    first_last_read_.push_back(static_cast<uint32_t>(last_reads_.size()));
  }
  numbers_.push_back(next_number_++);
  instrs_.push_back(nullptr);
  first_last_read_.push_back(static_cast<uint32_t>(last_reads_.size()));
  live_units_.resize(numbers_.size());
  FindLastReads(block, first, live_outs);
}

void OutlineText::FindLastReads(const MachineBasicBlock& block, uint32_t first, absl::Span<const uint32_t> live_outs) {
  const MachineFunction& function = block.function();
  uint32_t live_units = 0;
  const auto weigh = [&](Register reg) { return PressureUnitsOf(function, reg); };
  for (const uint32_t index : live_outs) {
    last_read_of_[index] = kBeyondBlock;
    live_units += weigh(Register::Virtual(index));
  }
  for (auto position = static_cast<uint32_t>(numbers_.size()) - 1; position-- > first;) {
    live_units_[position] = live_units;
    const MachineInstr& instr = *instrs_[position];
    uint32_t next = first_last_read_[position];
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_def()) continue;
      uint32_t& last_read = last_reads_[next++];
      last_read = position;
      if (!operand.reg().is_virtual()) continue;
      uint32_t& of_reg = last_read_of_[operand.reg().virtual_index()];
      if (of_reg == 0) continue;
      live_units -= weigh(operand.reg());
      last_read = std::exchange(of_reg, 0);
    }
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.reads_reg() || !operand.reg().is_virtual()) continue;
      uint32_t& of_reg = last_read_of_[operand.reg().virtual_index()];
      // A read at position 0 is the first instruction of all, before which there is no definition.
      if (of_reg != 0) continue;
      of_reg = std::max(position, 1u);
      live_units += weigh(operand.reg());
    }
  }
  // Leave the table empty for the next block.
  for (const uint32_t index : live_outs) last_read_of_[index] = 0;
  for (auto position = first; position + 1 < numbers_.size(); ++position) {
    for (const MachineOperand& operand : instrs_[position]->operands()) {
      if (operand.is_reg() && operand.reg().is_virtual()) last_read_of_[operand.reg().virtual_index()] = 0;
    }
  }
}

}  // namespace ptxmir
