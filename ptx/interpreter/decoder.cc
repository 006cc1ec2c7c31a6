#include "ptx/interpreter/decoder.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "mir/ir_nvvm.h"
#include "mir/machine_function.h"
#include "mir/module.h"
#include "mir/str_cat.h"
#include "ptx/instr_info.h"
#include "ptx/instr_printer.h"
#include "ptx/interpreter/block_order.h"
#include "ptx/interpreter/control.h"
#include "ptx/interpreter/memory.h"
#include "ptx/ptx_target.h"
#include "ptx/ptx_writer_inline_asm.h"

namespace ptxmir::ptx {
namespace {

// Stack objects that no pass has laid out get this distance, so that what runs over an end is found.
constexpr uint32_t kStackGap = 32;

constexpr std::string_view kGlobalPrefix = "__ptxmir_global_";
constexpr std::string_view kSymbolPrefix = "__ptxmir_symbol_";
constexpr std::string_view kStackPrefix = "%ptxmir_stack_";

uint32_t AlignTo(uint64_t value, uint64_t alignment) {
  return static_cast<uint32_t>((value + alignment - 1) / alignment * alignment);
}

unsigned BitsOfClass(RegClassId reg_class) {
  switch (reg_class) {
    case reg_class::kB1:
      return 1;
    case reg_class::kB16:
      return 16;
    case reg_class::kB64:
      return 64;
    case reg_class::kB128:
      return 128;
    default:
      return 32;
  }
}

// Names that lead back to what they stand for, whatever characters the real ones have.
class DecoderSymbols final : public SymbolPrinter {
 public:
  void AppendGlobal(GlobalId global, TextBuffer& out) const override {
    out.Append(kGlobalPrefix);
    out.AppendDecimal(global);
  }
  void AppendSymbol(SymbolId symbol, TextBuffer& out) const override {
    out.Append(kSymbolPrefix);
    out.AppendDecimal(symbol);
  }
};

std::optional<uint32_t> NumberAfter(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  uint32_t number = 0;
  const char* end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + prefix.size(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

// What a name in a statement stands for, where it is no register.
struct SymbolValue {
  enum class Kind : uint8_t { kNone, kConstant, kSpecialRegister, kStack, kDepot, kParamSpace, kParamLocal };
  Kind kind = Kind::kNone;
  int64_t value = 0;
};

class FunctionDecoder {
 public:
  FunctionDecoder(const MachineFunction& function, SymbolResolver& symbols)
      : function_(function), resolver_(symbols), out_(std::make_unique<DecodedFunction>()) {}

  std::unique_ptr<DecodedFunction> Run();

 private:
  // A scope of inline assembly: registers of its own.
  using Scope = absl::flat_hash_map<std::string_view, std::pair<uint32_t, uint8_t>>;
  using OperandList = absl::InlinedVector<DecodedOperand, 12>;
  struct Jump {
    uint32_t instr;
    BlockNumber to;
    BlockNumber from;
  };

  // ---- Layout.
  void LayOutParametersAndStack();
  void NumberRegisters();

  // ---- Rows.
  uint32_t NewRow(unsigned bits, Register reg = {});
  uint32_t RowOf(Register reg);
  uint32_t ConstantRow(uint64_t value, unsigned bits);
  uint32_t CarryRow() {
    if (out_->carry_row == kNoRow) out_->carry_row = NewRow(1);
    return out_->carry_row;
  }

  // ---- Instructions.
  void DecodeBlock(const MachineBasicBlock& block, size_t position);
  void DecodeInstr(const MachineInstr& instr);
  void DecodeText(const MachineInstr& instr, std::string_view text);
  void DecodeStatement(const MachineInstr& instr, const Statement& statement);
  // Returns what is wrong, or an empty string.
  std::string DecodeUnguarded(const MachineInstr& instr, const Statement& statement);
  std::string DecodeComputation(const MachineInstr& instr, const Statement& statement);
  void DecodeCall(const MachineInstr& instr);
  void DecodeCallSequencePart(const MachineInstr& instr, std::string_view tag);
  void DecodeJumpTable(const MachineInstr& instr);
  void DecodeCopy(const MachineInstr& instr);
  void CopyRegister(const MachineInstr& source, Register to, Register from);
  void DecodeInlineAsm(const MachineInstr& instr);
  // Copies for the PHIs of `to` on the edge from `from`, then a jump to it unless it follows.
  void EmitEdge(BlockNumber from, BlockNumber to);
  void EmitCopy(const MachineInstr& source, DecodedOperand to, DecodedOperand from);
  void EmitUnsupported(const MachineInstr& instr, std::string_view why);
  DecodedInstr& Emit(const MachineInstr& instr, WarpKernel kernel, InstrCategory category);
  DecodedInstr& Emit(const MachineInstr& instr, const Semantics& semantics);
  void AddOperand(DecodedInstr& instr, const DecodedOperand& operand) {
    out_->operands.push_back(operand);
    ++instr.num_operands;
  }
  void EmitJump(const MachineInstr& instr, BlockNumber to);
  void ResolveJumps();

  // ---- Operands.
  // Appends the statement's operands [begin, end), flattened; false when one means nothing. `widths`: of the rows
  // that the kernel expects; `negates`: "!%p1" is computed into a temporary.
  bool AppendOperands(const Statement& statement, unsigned begin, unsigned end, absl::Span<const uint8_t> widths,
                      bool negates, OperandList* operands);
  bool LookUpRegister(std::string_view name, DecodedOperand* low, DecodedOperand* high);
  bool ValueOperand(const StatementOperand& operand, unsigned bits, DecodedOperand* decoded);
  bool AddressOperand(const StatementOperand& operand, DecodedOperand* decoded);
  SymbolValue LookUpSymbol(std::string_view name);
  DecodedOperand ConstantOperand(uint64_t value, unsigned bits);
  // Temporaries of the width that a kernel expects, filled before or emptied after the instruction.
  DecodedOperand Widen(const MachineInstr& instr, const DecodedOperand& source, unsigned bits);

  const MachineFunction& function_;
  SymbolResolver& resolver_;
  std::unique_ptr<DecodedFunction> out_;
  DecoderSymbols symbol_printer_;
  std::vector<PrintedRegister> printed_;
  PrintContext context_;
  TextBuffer buffer_;
  uint32_t next_uid_ = 0;

  std::vector<uint32_t> row_of_register_;
  absl::flat_hash_map<uint32_t, uint32_t> row_of_physical_;
  absl::flat_hash_map<std::pair<uint64_t, unsigned>, uint32_t> constant_rows_;

  std::vector<const MachineBasicBlock*> order_;
  std::vector<uint32_t> position_;  // of a block in `order_`; kNoRow: not reached
  std::vector<uint32_t> start_;     // program counter of a block, behind the edges into it
  absl::flat_hash_map<std::pair<BlockNumber, BlockNumber>, uint32_t> edge_start_;
  std::vector<Jump> jumps_;
  struct TableJump {
    size_t table;
    size_t entry;
    BlockNumber to;
    BlockNumber from;
  };
  std::vector<TableJump> table_jumps_;
  const MachineBasicBlock* block_ = nullptr;
  const MachineInstr* current_ = nullptr;  // whose operands are being decoded

  std::vector<BlockNumber> items_;  // of the jump table being gathered

  std::vector<Scope> scopes_;
  struct AsmJump {
    uint32_t instr;
    std::string_view label;
  };
  std::vector<AsmJump> asm_jumps_;

  // The call sequence being gathered.
  absl::flat_hash_map<std::string_view, ParameterSlot> declared_;
  uint32_t outgoing_ = 0;
};

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
    out_->return_size = AlignTo(module->data_layout().AllocSize(ir->return_type()), 16);
  } else {
    out_->is_kernel = true;
  }
  const MachineFrameInfo& frame = function_.frame_info();
  uint32_t top = out_->is_kernel ? 0 : out_->parameters_size;
  if (top != 0) {
    out_->stack_slots.push_back({0, top});
    top += kStackGap;
  }
  top = AlignTo(top, std::max<uint64_t>(16, frame.max_alignment));
  out_->depot_offset = top;
  if (frame.stack_size != 0) {
    out_->stack_slots.push_back({top, static_cast<uint32_t>(frame.stack_size)});
    top += static_cast<uint32_t>(frame.stack_size);
  } else {
    for (const StackObject& object : frame.objects()) {
      if (!object.is_dead) top = AlignTo(top, uint64_t{1} << object.align_log2);
      out_->objects.push_back({top, object.is_dead ? 0 : static_cast<uint32_t>(object.size)});
      if (object.is_dead) continue;
      out_->stack_slots.push_back(out_->objects.back());
      top += static_cast<uint32_t>(object.size) + kStackGap;
    }
  }
  out_->local_size = AlignTo(top + kStackGap, 16);
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
  // A predicate is one mask; wide registers are two rows.
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
  // The copies of the edges that lead here stand in front of the block, so that they are behind no one.
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

  // Falling through.
  const MachineInstr* last = block.back();
  if (last != nullptr && last->is_barrier()) return;
  const MachineBasicBlock* next = block.next();
  if (next != nullptr && block.IsSuccessor(next)) {
    const bool follows = position + 1 < order_.size() && order_[position + 1] == next;
    const bool next_has_phis = next->front() != nullptr && next->front()->is_phi();
    if (follows && !next_has_phis) return;
    // An empty block has no instruction that the jump could stand for: the next one there is.
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
    for (unsigned i = 1; i + 1 < phi.num_operands(); i += 2) {
      if (!phi.operand(i + 1).is_block() || phi.operand(i + 1).block() != from) continue;
      if (!phi.operand(i).is_reg() || !phi.operand(0).is_reg()) break;
      const uint32_t row = RowOf(phi.operand(0).reg());
      const unsigned rows =
          out_->rows[row].bits == 64 && row + 1 < out_->rows.size() && out_->rows[row + 1].reg == phi.operand(0).reg()
              ? 2
              : 1;
      copies.push_back({&phi, row, RowOf(phi.operand(i).reg()), rows, phi.operand(i).is_undef()});
      break;
    }
  }
  const auto row_operand = [&](uint32_t row) {
    return DecodedOperand{.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[row].bits, .row = row};
  };
  // A source that an earlier copy overwrites is saved first.
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

// ---- Instructions.

void FunctionDecoder::DecodeInstr(const MachineInstr& instr) {
  const Opcode opcode = instr.opcode();
  switch (opcode) {
    case generic::kPhi:
    case generic::kKill:
      return;
    case generic::kCopy:
      DecodeCopy(instr);
      return;
    case generic::kInlineAsm:
      DecodeInlineAsm(instr);
      return;
    case generic::kImplicitDef: {
      if (!instr.operand(0).is_reg()) return;
      const uint32_t row = RowOf(instr.operand(0).reg());
      DecodedInstr& decoded = Emit(instr, control::Undefine, InstrCategory::kOther);
      decoded.is_counted = false;
      decoded.num_results = 1;
      AddOperand(decoded, {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[row].bits, .row = row});
      return;
    }
    case generic::kLifetimeStart:
    case generic::kLifetimeEnd: {
      if (!instr.operand(0).is_frame_index()) return;
      const int index = instr.operand(0).frame_index();
      if (index < 0 || static_cast<size_t>(index) >= out_->objects.size()) return;
      DecodedInstr& decoded =
          Emit(instr, opcode == generic::kLifetimeStart ? control::LifetimeStart : control::LifetimeEnd,
               InstrCategory::kOther);
      decoded.is_counted = false;
      decoded.target = static_cast<uint32_t>(index);
      return;
    }
    default:
      break;
  }
  if (instr.is_meta() || instr.is_debug()) return;
  const std::string_view tag = SemanticsName(InstrInfo(opcode).semantics);
  if (tag.starts_with("call") || tag == "declare.param") return DecodeCallSequencePart(instr, tag);
  if (tag.starts_with("brx.")) return DecodeJumpTable(instr);
  if (instr.is_branch()) {
    const MachineOperand& label = instr.operand(instr.num_operands() - 1);
    if (!label.is_block()) return EmitUnsupported(instr, "a branch without a block");
    EmitJump(instr, label.block());
    if (instr.num_operands() == 1) return;
    DecodedInstr& decoded = out_->instrs.back();
    decoded.guard = RowOf(instr.operand(0).reg());
    return;
  }
  buffer_.Clear();
  if (const absl::Status status = PrintInstr(instr, context_, buffer_); !status.ok()) {
    return EmitUnsupported(instr, FromAbsl(status.message()));
  }
  DecodeText(instr, buffer_.view());
}

void FunctionDecoder::DecodeCopy(const MachineInstr& instr) {
  const MachineOperand& to = instr.operand(0);
  const MachineOperand& from = instr.operand(1);
  if (!to.is_reg() || !from.is_reg()) return EmitUnsupported(instr, "a copy of something else than registers");
  const size_t first = out_->instrs.size();
  CopyRegister(instr, to.reg(), from.reg());
  out_->instrs[first].is_counted = true;
}

void FunctionDecoder::CopyRegister(const MachineInstr& source, Register to, Register from) {
  const uint32_t to_row = RowOf(to);
  const uint32_t from_row = RowOf(from);
  const bool wide = to_row + 1 < out_->rows.size() && out_->rows[to_row + 1].reg == to && out_->rows[to_row].reg == to;
  for (unsigned i = 0; i < (wide ? 2u : 1u); ++i) {
    EmitCopy(source, {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[to_row + i].bits, .row = to_row + i},
             {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[from_row + i].bits, .row = from_row + i});
  }
}

void FunctionDecoder::DecodeJumpTable(const MachineInstr& instr) {
  const std::string_view tag = SemanticsName(InstrInfo(instr.opcode()).semantics);
  if (tag == "brx.start") {
    items_.clear();
    return;
  }
  if (!instr.operand(0).is_block()) return EmitUnsupported(instr, "a jump table entry without a block");
  items_.push_back(instr.operand(0).block());
  if (tag != "brx.end") return;
  const uint32_t table = static_cast<uint32_t>(out_->jump_tables.size());
  out_->jump_tables.emplace_back(items_.size());
  for (size_t i = 0; i < items_.size(); ++i) {
    table_jumps_.push_back({table, i, items_[i], block_->number()});
  }
  DecodedInstr& decoded = Emit(instr, control::JumpThroughTable, InstrCategory::kBranch);
  decoded.target = table;
  const uint32_t row = RowOf(instr.operand(1).reg());
  AddOperand(decoded, {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[row].bits, .row = row});
}

// ---- Calls.

void FunctionDecoder::DecodeCallSequencePart(const MachineInstr& instr, std::string_view tag) {
  if (tag == "callseq.start") {
    declared_.clear();
    outgoing_ = 0;
    return;
  }
  if (tag == "declare.param") {
    if (!instr.operand(0).is_symbol()) return EmitUnsupported(instr, "a parameter without a name");
    const std::string_view name = function_.symbol(instr.operand(0).symbol());
    // Arrays state alignment and bytes, scalars bits.
    const uint64_t size = instr.num_operands() > 2 && instr.operand(2).is_imm()
                              ? static_cast<uint64_t>(instr.operand(2).imm())
                              : (static_cast<uint64_t>(instr.operand(1).imm()) + 7) / 8;
    declared_[name] = {outgoing_, static_cast<uint32_t>(size)};
    outgoing_ = AlignTo(outgoing_ + size, 16);
    out_->outgoing_size = std::max(out_->outgoing_size, outgoing_);
    return;
  }
  if (tag == "call" || tag == "call.indirect") DecodeCall(instr);
}

void FunctionDecoder::DecodeCall(const MachineInstr& instr) {
  CallSite site;
  const MachineOperand& callee = instr.operand(0);
  if (callee.is_global()) {
    site.callee = CallSite::Callee::kFunction;
    site.function = callee.global();
    const Module* module = function_.module();
    if (module != nullptr && module->HasGlobal(site.function)) site.name = module->global_value(site.function).name;
  } else if (callee.is_symbol()) {
    site.callee = CallSite::Callee::kBuiltin;
    site.name = function_.symbol(callee.symbol());
    // A function of the module may be called by its name.
    const Module* module = function_.module();
    if (const GlobalValue* value = module != nullptr ? module->FindGlobal(site.name) : nullptr; value != nullptr) {
      site.callee = CallSite::Callee::kFunction;
      site.function = value->id();
    }
  } else {
    site.callee = CallSite::Callee::kIndirect;
  }
  for (int64_t i = 0; i < instr.operand(2).imm(); ++i) {
    const auto found = declared_.find(StrCat("param", i));
    site.arguments.push_back(found != declared_.end() ? found->second : ParameterSlot{});
  }
  if (const auto found = declared_.find("retval0"); found != declared_.end()) site.result = found->second;
  DecodedInstr& decoded = Emit(instr, control::Call, InstrCategory::kCall);
  decoded.target = static_cast<uint32_t>(out_->call_sites.size());
  if (callee.is_reg()) {
    const uint32_t row = RowOf(callee.reg());
    AddOperand(decoded, {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[row].bits, .row = row});
  }
  out_->call_sites.push_back(std::move(site));
}

// ---- Inline assembly and printed text.

void FunctionDecoder::DecodeInlineAsm(const MachineInstr& instr) {
  TextBuffer text;
  if (const absl::Status status = WriteInlineAsm(instr, context_, next_uid_, text); !status.ok()) {
    return EmitUnsupported(instr, FromAbsl(status.message()));
  }
  // The text names the result of a tied pair alone. As long as the two are different registers, the result's,
  // which nothing else can read yet, is given the source's value first.
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& use = instr.operand(i);
    if (!use.is_reg() || use.is_def() || !use.is_tied()) continue;
    const MachineOperand& def = instr.operand(instr.FindTiedOperand(i));
    if (def.reg() != use.reg()) CopyRegister(instr, def.reg(), use.reg());
  }
  DecodeText(instr, text.view());
}

void FunctionDecoder::DecodeText(const MachineInstr& instr, std::string_view text) {
  current_ = &instr;
  const std::string& kept = out_->texts.emplace_back(text);
  absl::StatusOr<std::vector<Statement>> statements = ParseStatements(kept);
  if (!statements.ok()) return EmitUnsupported(instr, FromAbsl(statements.status().message()));
  scopes_.assign(1, {});
  asm_jumps_.clear();
  absl::flat_hash_map<std::string_view, uint32_t> labels;
  for (const Statement& statement : *statements) {
    switch (statement.kind) {
      case Statement::Kind::kOpen:
        scopes_.emplace_back();
        break;
      case Statement::Kind::kClose:
        if (scopes_.size() > 1) scopes_.pop_back();
        break;
      case Statement::Kind::kLabel:
        labels[statement.mnemonic.text()] = static_cast<uint32_t>(out_->instrs.size());
        break;
      case Statement::Kind::kRegisters:
        for (const StatementOperand& operand : statement.operands) {
          const unsigned bits = statement.type.RegisterBits();
          if (operand.value == 0) {
            scopes_.back()[operand.name] = {NewRow(bits), static_cast<uint8_t>(bits)};
            continue;
          }
          for (int64_t i = 0; i < std::min<int64_t>(operand.value, 4096); ++i) {
            scopes_.back()[out_->texts.emplace_back(StrCat(operand.name, i))] = {NewRow(bits),
                                                                                 static_cast<uint8_t>(bits)};
          }
        }
        break;
      case Statement::Kind::kDeclaration:
        if (!statement.mnemonic.text().starts_with(".pragma")) EmitUnsupported(instr, statement.mnemonic.text());
        break;
      case Statement::Kind::kInstruction:
        DecodeStatement(instr, statement);
        break;
    }
  }
  for (const AsmJump& jump : asm_jumps_) {
    const auto found = labels.find(jump.label);
    if (found != labels.end()) {
      out_->instrs[jump.instr].target = found->second;
    } else {
      DecodedInstr& decoded = out_->instrs[jump.instr];
      decoded.warp = control::Unsupported;
      decoded.target = static_cast<uint32_t>(out_->messages.size());
      out_->messages.push_back(StrCat("a jump to an unknown label '", jump.label, "'"));
    }
  }
}

bool IsSpillAccess(const MachineInstr& instr) {
  const MachineFrameInfo& frame = instr.function().frame_info();
  for (const MachineMemOperand* memoperand : instr.memoperands()) {
    if (memoperand->value_kind != MachineMemOperand::ValueKind::kFrameIndex) continue;
    if (frame.IsValid(memoperand->frame_index) &&
        frame.object(memoperand->frame_index).type == StackObject::Type::kSpillSlot) {
      return true;
    }
  }
  return false;
}

void FunctionDecoder::DecodeStatement(const MachineInstr& instr, const Statement& statement) {
  uint32_t guard = kNoRow;
  if (statement.has_guard) {
    DecodedOperand low, high;
    if (!LookUpRegister(statement.guard, &low, &high)) return EmitUnsupported(instr, "an unknown guard");
    guard = low.row;
  }
  const size_t first = out_->instrs.size();
  const std::string problem = DecodeUnguarded(instr, statement);
  if (!problem.empty()) EmitUnsupported(instr, problem);
  for (size_t i = first; i < out_->instrs.size(); ++i) {
    out_->instrs[i].guard = guard;
    out_->instrs[i].guard_negated = statement.guard_negated;
  }
}

std::string FunctionDecoder::DecodeUnguarded(const MachineInstr& instr, const Statement& statement) {
  const std::string_view base = statement.mnemonic.base();
  if (base == "bra") {
    if (statement.operands.empty()) return "a branch without a label";
    asm_jumps_.push_back({static_cast<uint32_t>(out_->instrs.size()), statement.operands[0].name});
    Emit(instr, control::Jump, InstrCategory::kBranch);
  } else if (base == "ret") {
    Emit(instr, control::Return, InstrCategory::kBranch);
  } else if (base == "exit") {
    Emit(instr, control::Exit, InstrCategory::kBranch);
  } else if (base == "trap") {
    Emit(instr, control::Trap, InstrCategory::kOther);
  } else if (base == "nanosleep") {
    Emit(instr, control::GiveWay, InstrCategory::kOther);
  } else if (base == "brkpt" || base == "pmevent" || base == "setmaxnreg") {
    Emit(instr, control::Nothing, InstrCategory::kOther);
  } else {
    return DecodeComputation(instr, statement);
  }
  return {};
}

std::string FunctionDecoder::DecodeComputation(const MachineInstr& instr, const Statement& statement) {
  const std::string_view base = statement.mnemonic.base();
  Semantics semantics;
  // A symbol or special register is a value of its own.
  if (base == "mov" && statement.operands.size() == 2 &&
      statement.operands[1].kind == StatementOperand::Kind::kSymbol) {
    semantics.warp = control::Copy;
    semantics.category = InstrCategory::kMove;
  } else if (const absl::Status status = ResolveSemantics(statement, &semantics); !status.ok()) {
    return std::string(status.message());
  }
  unsigned num_result_operands = 0;
  const unsigned result_groups = NumResultGroups(statement);
  while (num_result_operands < statement.operands.size() &&
         statement.operands[num_result_operands].group < result_groups) {
    ++num_result_operands;
  }
  OperandList results, sources;
  if (!AppendOperands(statement, 0, num_result_operands, {}, /*negates=*/false, &results) ||
      !AppendOperands(statement, num_result_operands, static_cast<unsigned>(statement.operands.size()),
                      semantics.source_bits, /*negates=*/semantics.pure == nullptr, &sources)) {
    return StrCat("an operand of '", statement.mnemonic.text(), "' means nothing here");
  }
  if (semantics.reads_carry) {
    sources.push_back({.kind = DecodedOperand::Kind::kRow, .bits = 1, .row = CarryRow()});
  }
  if (semantics.writes_carry) {
    results.push_back({.kind = DecodedOperand::Kind::kRow, .bits = 1, .row = CarryRow()});
  }
  if (semantics.pure != nullptr &&
      (results.size() != semantics.result_bits.size() || sources.size() != semantics.source_bits.size())) {
    return StrCat("'", statement.mnemonic.text(), "' has ", results.size(), " results and ", sources.size(),
                  " sources instead of ", semantics.result_bits.size(), " and ", semantics.source_bits.size());
  }
  for (size_t i = 0; i < sources.size() && i < semantics.source_bits.size(); ++i) {
    const unsigned bits = semantics.source_bits[i];
    if (bits != 0 && sources[i].kind != DecodedOperand::Kind::kAddress && sources[i].bits != bits) {
      sources[i] = Widen(instr, sources[i], bits);
    }
  }
  // Results of another width go through temporaries.
  absl::InlinedVector<std::pair<DecodedOperand, DecodedOperand>, 4> narrowed;
  for (size_t i = 0; i < results.size() && semantics.pure != nullptr; ++i) {
    const unsigned bits = semantics.result_bits[i];
    if (results[i].kind != DecodedOperand::Kind::kSink && results[i].bits == bits) continue;
    const DecodedOperand temporary = {
        .kind = DecodedOperand::Kind::kRow, .bits = static_cast<uint8_t>(bits), .row = NewRow(bits)};
    if (results[i].kind == DecodedOperand::Kind::kRow) narrowed.emplace_back(results[i], temporary);
    results[i] = temporary;
  }
  DecodedInstr& decoded = Emit(instr, semantics);
  decoded.num_results = static_cast<uint8_t>(results.size());
  for (const DecodedOperand& operand : results) AddOperand(decoded, operand);
  for (const DecodedOperand& operand : sources) AddOperand(decoded, operand);
  decoded.statement = static_cast<uint32_t>(out_->statements.size());
  decoded.is_spill = IsSpillAccess(instr);
  out_->statements.push_back(statement);
  for (const auto& [to, from] : narrowed) EmitCopy(instr, to, from);
  return {};
}

// ---- Operands.

DecodedOperand FunctionDecoder::Widen(const MachineInstr& instr, const DecodedOperand& source, unsigned bits) {
  if (source.kind == DecodedOperand::Kind::kConstant) {
    return ConstantOperand(static_cast<uint64_t>(source.value), bits);
  }
  const DecodedOperand temporary = {
      .kind = DecodedOperand::Kind::kRow, .bits = static_cast<uint8_t>(bits), .row = NewRow(bits)};
  EmitCopy(instr, temporary, source);
  return temporary;
}

bool FunctionDecoder::LookUpRegister(std::string_view name, DecodedOperand* low, DecodedOperand* high) {
  high->kind = DecodedOperand::Kind::kSink;
  uint32_t row = kNoRow;
  unsigned bits = 0;
  for (size_t i = scopes_.size(); i-- > 0 && row == kNoRow;) {
    const auto found = scopes_[i].find(name);
    if (found != scopes_[i].end()) std::tie(row, bits) = found->second;
  }
  if (row == kNoRow) {
    for (RegClassId reg_class : {reg_class::kB1, reg_class::kB16, reg_class::kB32, reg_class::kB64, reg_class::kB128}) {
      const std::optional<uint32_t> number = NumberAfter(name, RegisterPrefix(reg_class));
      if (!number.has_value() || *number >= row_of_register_.size()) continue;
      const Register reg = Register::Virtual(*number);
      if (function_.reg_info().reg_class(reg) != reg_class) continue;
      row = RowOf(reg);
      bits = BitsOfClass(reg_class);
    }
  }
  if (row == kNoRow) {
    for (const uint32_t number :
         {phys_reg::kFrame64, phys_reg::kFrame32, phys_reg::kFrameLocal64, phys_reg::kFrameLocal32}) {
      if (PhysicalRegisterText(number) != name || !row_of_physical_.contains(number)) {
        // The first mention is the definition; which of the two widths it is, the instruction knows.
        continue;
      }
      row = row_of_physical_[number];
      bits = out_->rows[row].bits;
    }
  }
  if (row == kNoRow && (name == "%SP" || name == "%SPL")) {
    const bool wide = function_.module() == nullptr || function_.module()->data_layout().PointerBits(0) == 64;
    const uint32_t number = name == "%SP" ? (wide ? phys_reg::kFrame64 : phys_reg::kFrame32)
                                          : (wide ? phys_reg::kFrameLocal64 : phys_reg::kFrameLocal32);
    row = RowOf(Register::Physical(number));
    bits = out_->rows[row].bits;
  }
  if (row == kNoRow) return false;
  const unsigned row_bits = bits == 128 ? 64 : bits;
  *low = {.kind = DecodedOperand::Kind::kRow, .bits = static_cast<uint8_t>(row_bits), .row = row};
  if (bits == 128) *high = {.kind = DecodedOperand::Kind::kRow, .bits = 64, .row = row + 1};
  return true;
}

SymbolValue FunctionDecoder::LookUpSymbol(std::string_view name) {
  using Kind = SymbolValue::Kind;
  if (const std::optional<uint32_t> number = NumberAfter(name, kStackPrefix); number.has_value()) {
    if (*number >= out_->objects.size()) return {};
    return {Kind::kStack, out_->objects[*number].offset};
  }
  if (name.starts_with("__local_depot")) return {Kind::kDepot, out_->depot_offset};
  if (const std::optional<uint32_t> id = control::SpecialRegisterId(name); id.has_value()) {
    return {Kind::kSpecialRegister, *id};
  }
  if (name == "WARP_SZ") return {Kind::kConstant, kWarpSize};
  if (const std::optional<uint32_t> id = NumberAfter(name, kGlobalPrefix); id.has_value()) {
    const std::optional<uint64_t> address = resolver_.AddressOf(*id);
    if (!address.has_value()) return {};
    return {Kind::kConstant, static_cast<int64_t>(*address)};
  }
  if (const std::optional<uint32_t> id = NumberAfter(name, kSymbolPrefix); id.has_value()) {
    if (*id >= function_.num_symbols()) return {};
    name = function_.symbol(*id);
  }
  const auto declared = declared_.find(name);
  if (declared != declared_.end()) {
    return {Kind::kParamSpace, ParamAddress(ParamRegion::kOutgoing, declared->second.offset)};
  }
  if (name == "func_retval0") return {Kind::kParamSpace, ParamAddress(ParamRegion::kReturn, 0)};
  if (name.starts_with(function_.name())) {
    const std::string_view rest = name.substr(function_.name().size());
    std::optional<uint32_t> index = NumberAfter(rest, "_param_");
    if (rest == "_vararg" && !out_->parameters.empty()) index = static_cast<uint32_t>(out_->parameters.size() - 1);
    if (index.has_value() && *index < out_->parameters.size()) {
      const int64_t offset = out_->parameters[*index].offset;
      return {out_->is_kernel ? Kind::kParamSpace : Kind::kParamLocal, offset};
    }
  }
  if (const Module* module = function_.module(); module != nullptr) {
    if (const GlobalValue* value = module->FindGlobal(name); value != nullptr) {
      if (const std::optional<uint64_t> address = resolver_.AddressOf(value->id()); address.has_value()) {
        return {Kind::kConstant, static_cast<int64_t>(*address)};
      }
    }
  }
  return {};
}

// A value that depends on the frame is computed into a temporary in front of the instruction.
bool FunctionDecoder::ValueOperand(const StatementOperand& operand, unsigned bits, DecodedOperand* decoded) {
  const SymbolValue symbol = LookUpSymbol(operand.name);
  switch (symbol.kind) {
    case SymbolValue::Kind::kNone:
      return false;
    case SymbolValue::Kind::kConstant:
    case SymbolValue::Kind::kParamSpace:
      *decoded = ConstantOperand(static_cast<uint64_t>(symbol.value + operand.value), bits);
      return true;
    case SymbolValue::Kind::kStack:
    case SymbolValue::Kind::kDepot:
    case SymbolValue::Kind::kParamLocal:
    case SymbolValue::Kind::kSpecialRegister: {
      const uint32_t row = NewRow(symbol.kind == SymbolValue::Kind::kSpecialRegister ? 32 : 64);
      const bool is_special = symbol.kind == SymbolValue::Kind::kSpecialRegister;
      DecodedInstr& address =
          Emit(*current_, is_special ? control::ReadSpecialRegister : control::FrameAddress, InstrCategory::kMove);
      address.is_counted = false;
      address.num_results = 1;
      address.params.a = static_cast<uint32_t>(symbol.value + (is_special ? 0 : operand.value));
      // The address of a stack object is generic, that of the depot and of parameters is local.
      address.params.b = symbol.kind == SymbolValue::Kind::kStack ? 1 : 0;
      *decoded = {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[row].bits, .row = row};
      AddOperand(address, *decoded);
      return true;
    }
  }
  return false;
}

bool FunctionDecoder::AddressOperand(const StatementOperand& operand, DecodedOperand* decoded) {
  decoded->kind = DecodedOperand::Kind::kAddress;
  decoded->value = operand.value;
  decoded->row = kNoRow;
  if (operand.name.empty()) return true;
  DecodedOperand low, high;
  if (LookUpRegister(operand.name, &low, &high)) {
    decoded->row = low.row;
    decoded->bits = low.bits;
    return true;
  }
  // Parameters of a function lie in its frame; accesses by name stay accesses to the parameter space.
  if (const SymbolValue symbol = LookUpSymbol(operand.name); symbol.kind == SymbolValue::Kind::kParamLocal) {
    decoded->value += ParamAddress(ParamRegion::kIncoming, symbol.value);
    return true;
  }
  StatementOperand symbol = operand;
  symbol.value = 0;
  DecodedOperand value;
  if (!ValueOperand(symbol, 64, &value)) return false;
  if (value.kind == DecodedOperand::Kind::kConstant) {
    decoded->value += value.value;
  } else {
    decoded->row = value.row;
    decoded->bits = value.bits;
  }
  return true;
}

bool FunctionDecoder::AppendOperands(const Statement& statement, unsigned begin, unsigned end,
                                     absl::Span<const uint8_t> widths, bool negates,
                                     OperandList* operands) {
  for (unsigned i = begin; i < end; ++i) {
    const StatementOperand& operand = statement.operands[i];
    // The width of constants is what the kernel expects of that place.
    const size_t place = operands->size();
    const unsigned expected = place < widths.size() && widths[place] != 0 ? widths[place] : 64;
    DecodedOperand low, high;
    switch (operand.kind) {
      case StatementOperand::Kind::kRegister:
        if (!LookUpRegister(operand.name, &low, &high)) {
          if (!ValueOperand(operand, expected, &low)) return false;
        }
        break;
      case StatementOperand::Kind::kImmediate:
        low = ConstantOperand(static_cast<uint64_t>(operand.value), expected);
        break;
      case StatementOperand::Kind::kFloat:
        // Kernels that state no width take the bits as they are written.
        low = place < widths.size() && (widths[place] == 32 || widths[place] == 64)
                  ? ConstantOperand(FloatImmediate(operand, expected), expected)
                  : ConstantOperand(static_cast<uint64_t>(operand.value), expected);
        break;
      case StatementOperand::Kind::kSymbol:
        if (!ValueOperand(operand, expected, &low)) return false;
        break;
      case StatementOperand::Kind::kAddress:
        if (!AddressOperand(operand, &low)) return false;
        break;
      case StatementOperand::Kind::kSink:
        low.kind = DecodedOperand::Kind::kSink;
        break;
    }
    // Pure kernels know of negated sources.
    if (operand.negated && negates) {
      const uint32_t row = NewRow(1);
      DecodedInstr& decoded = Emit(*current_, control::Not, InstrCategory::kMove);
      decoded.is_counted = false;
      decoded.num_results = 1;
      const DecodedOperand result = {.kind = DecodedOperand::Kind::kRow, .bits = 1, .row = row};
      AddOperand(decoded, result);
      AddOperand(decoded, low);
      low = result;
    }
    operands->push_back(low);
    if (high.kind == DecodedOperand::Kind::kRow) operands->push_back(high);
  }
  return true;
}

}  // namespace

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
      top = AlignTo(top, std::clamp<uint64_t>(stated, 16, 4096));
      slots.push_back({top, static_cast<uint32_t>(bytes)});
      // Small integers are passed as 32 bits.
      top += static_cast<uint32_t>(std::max<uint64_t>(bytes, 4));
    }
    if (ir->is_vararg()) {
      top = AlignTo(top, 16);
      slots.push_back({top, 4096});
      top += 4096;
    }
  }
  *size = AlignTo(top, 16);
  return slots;
}

}  // namespace ptxmir::ptx
