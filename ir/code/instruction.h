// SPDX-License-Identifier: Apache-2.0

// Instruction: a head of 64 bytes, followed by its operands of 16 bytes each. What only some opcodes have is in a
// detail of its own, in the same arena. Debug records are instructions, too, but belong to the instruction that follows
// them instead of a block.
//
// Operands, by opcode:
//
//     ret                [value]
//     br                 target | condition, target if true, target if false
//     switch             value, default target, then case value and target for each case
//     store              value, pointer
//     cmpxchg            pointer, expected value, new value
//     phi                value and block for each predecessor
//     call               arguments, operands of bundles, callee
//     dbg records        the values that are described; for dbg_assign the address at last
//     others             as in the text

#ifndef PTXMIR_IR_CODE_INSTRUCTION_H_
#define PTXMIR_IR_CODE_INSTRUCTION_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "ir/code/opcode.h"
#include "ir/code/value.h"

namespace ptxmir::ir {

class BasicBlock;

using AttributeSetId = uint32_t;  // Program::attribute_set(id); 0: no attributes
using SyncScopeId = uint8_t;      // Program::sync_scope(id); 0: system, 1: singlethread
using MetadataKindId = uint32_t;  // Program::metadata_kind(id)
using NameId = uint32_t;          // Function::name(id); 0: no name

struct Attachment {
  MetadataKindId kind;
  MetadataRef node;
};

struct OperandBundle {
  std::string_view tag;  // as written, without quotes
  uint32_t first = 0;    // of the call's operands
  uint32_t count = 0;
};

struct CallDetail {
  const IrType* function_type = nullptr;
  uint32_t calling_convention = 0;
  uint32_t num_arguments = 0;
  uint32_t address_space = 0;  // of the callee, if it was stated
  AttributeSetId return_attributes = 0;
  AttributeSetId function_attributes = 0;
  bool states_function_type = false;  // whether the text gives the whole type: call i32 (ptr, ...) @printf(...)
  absl::Span<const AttributeSetId> argument_attributes;  // empty if no argument has any
  absl::Span<const OperandBundle> bundles;
};

struct DebugRecordDetail {
  MetadataRef raw_location;  // the described value, if it is metadata instead of operands
  MetadataRef variable;      // for dbg_label: the label
  MetadataRef expression;
  MetadataRef assignment;  // the last three of dbg_assign's own
  MetadataRef raw_address;
  MetadataRef address_expression;
  MetadataRef location;
  bool is_list = false;  // !DIArgList(...)
};

class Instruction : public Value {
 public:
  Opcode opcode() const { return static_cast<Opcode>(opcode_); }
  bool is_terminator() const { return ir::IsTerminator(opcode()); }
  bool is_debug_record() const { return IsDebugRecord(opcode()); }

  // Flags are InstructionFlag's.
  uint32_t flags() const { return flags_ & kPrintedFlags; }
  bool has_flag(InstructionFlag flag) const { return (flags_ & flag) == flag; }
  void set_flags(uint32_t flags) { flags_ = (flags_ & ~kPrintedFlags) | flags; }

  unsigned num_operands() const { return num_operands_; }
  Use& use(unsigned i) { return operand_array()[i]; }
  const Use& use(unsigned i) const { return operand_array()[i]; }
  Value& operand(unsigned i) const { return operand_array()[i].value(); }
  absl::Span<Use> operands() { return {operand_array(), num_operands_}; }
  absl::Span<const Use> operands() const { return {operand_array(), num_operands_}; }

  // Comparisons, atomicrmw and calls.
  Predicate predicate() const { return static_cast<Predicate>(variant_); }
  AtomicOperation operation() const { return static_cast<AtomicOperation>(variant_); }
  TailKind tail_kind() const { return static_cast<TailKind>(variant_); }
  void set_variant(uint8_t variant) { variant_ = variant; }

  // Memory accesses. Alignments are in bytes; 0 if none is stated.
  uint64_t align() const { return log_align_ == 0 ? 0 : uint64_t{1} << (log_align_ - 1); }
  void set_log_align(uint8_t log_align) { log_align_ = static_cast<uint8_t>(log_align + 1); }
  AtomicOrdering ordering() const { return static_cast<AtomicOrdering>(flags_ >> kOrderingShift & 7); }
  AtomicOrdering failure_ordering() const { return static_cast<AtomicOrdering>(flags_ >> kFailureShift & 7); }
  SyncScopeId sync_scope() const { return static_cast<SyncScopeId>(flags_ >> kScopeShift); }
  void SetAtomic(AtomicOrdering ordering, AtomicOrdering failure, SyncScopeId scope) {
    flags_ = (flags_ & kPrintedFlags) | static_cast<uint32_t>(ordering) << kOrderingShift |
             static_cast<uint32_t>(failure) << kFailureShift | static_cast<uint32_t>(scope) << kScopeShift;
  }

  // alloca: the allocated type; getelementptr: the type that the indices step through.
  const IrType* source_type() const { return *Arena::ResolveNear<const IrType*>(this, detail_); }
  // extractvalue and insertvalue.
  absl::Span<const uint32_t> indices() const { return *Arena::ResolveNear<absl::Span<const uint32_t>>(this, detail_); }
  const CallDetail& call() const { return *Arena::ResolveNear<CallDetail>(this, detail_); }
  CallDetail& call() { return *Arena::ResolveNear<CallDetail>(this, detail_); }
  const DebugRecordDetail& record() const { return *Arena::ResolveNear<DebugRecordDetail>(this, detail_); }
  void set_detail(ArenaId detail) { detail_ = detail; }

  // Calls.
  Value& callee() const { return operand(num_operands_ - 1); }
  absl::Span<const Use> arguments() const { return operands().first(call().num_arguments); }
  // PHIs.
  unsigned num_incoming() const { return num_operands_ / 2; }
  Value& incoming_value(unsigned i) const { return operand(2 * i); }
  BasicBlock& incoming_block(unsigned i) const;
  // Terminators. A block appears as often as there are edges to it.
  unsigned num_successors() const;
  BasicBlock& successor(unsigned i) const;
  unsigned successor_operand(unsigned i) const;

  NameId name() const { return name_ & kSlotBit ? 0 : name_; }
  void set_name(NameId name) { name_ = name; }
  // The number of an unnamed value, as Function::NumberValues has set it.
  uint32_t slot() const { return name_ & ~kSlotBit; }

  // Metadata. The location is not among the attachments.
  MetadataRef debug_loc() const { return debug_loc_; }
  void set_debug_loc(MetadataRef location) { debug_loc_ = location; }
  absl::Span<const Attachment> attachments() const {
    if (attachments_ == 0) return {};
    return *Arena::ResolveNear<absl::Span<const Attachment>>(this, attachments_);
  }
  bool has_metadata() const { return !debug_loc_.is_none() || attachments_ != 0; }
  void SetAttachments(absl::Span<const Attachment> attachments);
  // The debug records in front of the instruction. Each is linked to the next one.
  Instruction* first_record() const {
    return first_record_ == 0 ? nullptr : Arena::ResolveNear<Instruction>(this, first_record_);
  }
  void set_first_record(Instruction* record) { first_record_ = record == nullptr ? 0 : record->id(); }

  // Return null at the ends of the block, and for an instruction that is in no block.
  Instruction* next() const { return next_ == 0 ? nullptr : Arena::ResolveNear<Instruction>(this, next_); }
  Instruction* previous() const { return previous_ == 0 ? nullptr : Arena::ResolveNear<Instruction>(this, previous_); }
  BasicBlock* parent() const { return block_ == 0 ? nullptr : Arena::ResolveNear<BasicBlock>(this, block_); }
  // Returns whether the instruction is in the same block as another one of its function.
  bool is_in_block_of(const Instruction& other) const { return block_ != 0 && block_ == other.block_; }
  void set_next_record(Instruction* record) { next_ = record->id(); }

  // The place in the module's text plus 1, for diagnostics; 0 for created instructions.
  uint32_t position() const { return position_; }
  void set_position(uint32_t position) { position_ = position; }
  // The number of the instruction in its function, as Function::NumberValues has set it.
  uint32_t order() const { return order_; }

  // Removes the instruction and its debug records from their block and from all use lists. The instruction must not be
  // used. Its memory lives as long as the function.
  void EraseFromParent();

 private:
  friend class BasicBlock;
  friend class Function;
  friend class Use;

  static constexpr int kOrderingShift = 19;
  static constexpr int kFailureShift = 22;
  static constexpr int kScopeShift = 25;
  static constexpr uint32_t kSlotBit = 1u << 31;

  Instruction(Opcode opcode, const IrType* type, uint32_t num_operands)
      : Value(Kind::kInstruction, type), num_operands_(num_operands) {
    opcode_ = static_cast<uint8_t>(opcode);
  }
  Use* operand_array() const { return reinterpret_cast<Use*>(const_cast<Instruction*>(this) + 1); }

  uint32_t flags_ = 0;
  uint32_t num_operands_;
  ArenaId previous_ = 0;
  ArenaId next_ = 0;
  ArenaId block_ = 0;
  NameId name_ = 0;
  MetadataRef debug_loc_;
  ArenaId detail_ = 0;
  ArenaId attachments_ = 0;
  ArenaId first_record_ = 0;
  uint32_t position_ = 0;
  uint32_t order_ = 0;
};
static_assert(sizeof(Instruction) == 64);
inline constexpr SyncScopeId kMaxSyncScope = 127;

inline Instruction& Use::user() const {
  return *(reinterpret_cast<Instruction*>(const_cast<Use*>(this) - number_) - 1);
}
inline ArenaId Use::id() const {
  return user().id() + static_cast<ArenaId>(sizeof(Instruction) / Arena::kUnit) + number_;
}
inline Value& Use::value() const { return *Arena::ResolveNear<Value>(&user(), value_); }
inline Use* Use::next() const { return next_ == 0 ? nullptr : Arena::ResolveNear<Use>(&user(), next_); }

inline void Use::Link(Value& value) { LinkAs(id(), value); }
inline void Use::LinkAs(ArenaId own, Value& value) {
  value_ = value.id();
  previous_ = 0;
  next_ = value.first_use_;
  if (next_ != 0) Arena::ResolveNear<Use>(&value, next_)->previous_ = own;
  value.first_use_ = own;
}

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_CODE_INSTRUCTION_H_
