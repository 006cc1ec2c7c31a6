// SPDX-License-Identifier: Apache-2.0

// The part of FunctionReader that reads instructions on memory.

#include <bit>

#include "base/str_cat.h"
#include "ir/text/function_reader.h"
#include "ir/text/word_table.h"

namespace ptxmir::ir {
namespace {

constexpr uint64_t kMaxAlign = uint64_t{1} << 32;

using OperationTable = WordTable<AtomicOperation, 64>;

const OperationTable& Operations() {
  static const OperationTable table = [] {
    OperationTable made;
    for (int i = 0; i < kNumAtomicOperations; ++i) {
      made.Add(OperationWord(static_cast<AtomicOperation>(i)), static_cast<AtomicOperation>(i));
    }
    return made;
  }();
  return table;
}

}  // namespace

bool FunctionReader::ParseScope(SyncScopeId* scope) {
  *scope = 0;
  if (!TryWord("syncscope")) return true;
  std::string_view name;
  if (!Expect('(', "in syncscope")) return false;
  SkipSpace();
  const char* position = p_;
  if (!ParseQuoted(&name) || !Expect(')', "in syncscope")) return false;
  const size_t id = program_.AddSyncScope(name);
  if (id > kMaxSyncScope) return Error(position, "too many synchronization scopes");
  *scope = static_cast<SyncScopeId>(id);
  return true;
}

bool FunctionReader::ParseOrdering(AtomicOrdering* ordering) {
  const std::string_view word = PeekWord();
  for (int i = 1; i <= static_cast<int>(AtomicOrdering::kSequentiallyConsistent); ++i) {
    *ordering = static_cast<AtomicOrdering>(i);
    if (OrderingWord(*ordering) != word) continue;
    p_ += word.size();
    return true;
  }
  return ErrorHere("expected ordering on atomic instruction");
}

bool FunctionReader::ParseAtomic(AtomicOrdering* ordering, SyncScopeId* scope) {
  return ParseScope(scope) && ParseOrdering(ordering);
}

bool FunctionReader::ParseAlignValue(int* log_align) {
  SkipSpace();
  const char* position = p_;
  uint64_t align;
  if (!ParseUnsigned(~uint64_t{0}, &align)) return false;
  if (!std::has_single_bit(align)) return Error(position, "alignment is not a power of two");
  if (align > kMaxAlign) return Error(position, "huge alignments are not supported yet");
  *log_align = std::countr_zero(align);
  return true;
}

bool FunctionReader::ParseAlign(int* log_align) {
  *log_align = -1;
  SkipSpace();
  const char* comma = p_;
  if (!Try(',')) return true;
  if (TryWord("align")) return ParseAlignValue(log_align);
  p_ = comma;
  return true;
}

bool FunctionReader::TryCommaBeforeItem() {
  SkipSpace();
  const char* comma = p_;
  if (!Try(',')) return false;
  SkipSpace();
  if (*p_ != '!') return true;
  p_ = comma;
  return false;
}

// Reads `alloca i32, i32 4, align 8, addrspace(5)`; all but the type is optional.
Instruction* FunctionReader::ReadAlloca() {
  SkipSpace();
  const char* position = p_;
  const IrType* allocated = ParseType();
  if (allocated == nullptr) return nullptr;
  if (!allocated->is_sized_kind()) {
    Error(position, "invalid type for alloca");
    return nullptr;
  }
  uint32_t address_space = module_.data_layout().alloca_address_space();
  int log_align = -1;
  while (TryCommaBeforeItem()) {
    if (TryWord("align")) {
      if (!ParseAlignValue(&log_align)) return nullptr;
    } else if (PeekWord() == "addrspace") {
      const bool ok = WithParser([&](IrParser& parser) { return parser.ParseOptionalAddressSpace(&address_space); });
      if (!ok) return nullptr;
    } else {
      position = p_;
      if (!operands_.empty() || !PushTyped()) {
        ErrorHere("expected metadata or 'align'");
        return nullptr;
      }
      if (!operands_[0].value->type()->is_integer()) {
        Error(position, "element count must have integer type");
        return nullptr;
      }
    }
  }
  if (operands_.empty()) operands_.Add(*function_->Integer(types_.Integer(32), 1));
  Instruction* instruction = Create(Opcode::kAlloca, types_.Pointer(address_space));
  SetAlign(*instruction, log_align);
  function_->SetDetail(*instruction, allocated);
  return instruction;
}

Instruction* FunctionReader::FinishAccess(Opcode opcode, const IrType* result, bool is_atomic) {
  AtomicOrdering ordering = AtomicOrdering::kNotAtomic;
  SyncScopeId scope = 0;
  int log_align;
  if ((is_atomic && !ParseAtomic(&ordering, &scope)) || !ParseAlign(&log_align)) return nullptr;
  Instruction* instruction = Create(opcode, result);
  instruction->SetAtomic(ordering, AtomicOrdering::kNotAtomic, scope);
  SetAlign(*instruction, log_align);
  return instruction;
}

Instruction* FunctionReader::ReadLoad() {
  const bool is_atomic = TryWord("atomic");
  if (TryWord("volatile")) flags_ |= kVolatile;
  SkipSpace();
  const char* position = p_;
  const IrType* type = ParseType();
  if (type == nullptr || !Expect(',', "after load's type") || !PushTyped()) return nullptr;
  if (!type->is_sized_kind()) {
    Error(position, StrCat("loading unsized types is not allowed: '", type->ToString(), "'"));
    return nullptr;
  }
  return FinishAccess(Opcode::kLoad, type, is_atomic);
}

Instruction* FunctionReader::ReadStore() {
  const bool is_atomic = TryWord("atomic");
  if (TryWord("volatile")) flags_ |= kVolatile;
  if (!PushTyped() || !Expect(',', "after store operand") || !PushTyped()) return nullptr;
  return FinishAccess(Opcode::kStore, void_, is_atomic);
}

// The result is a vector if the pointer or an index is one.
Instruction* FunctionReader::ReadGetElementPtr() {
  const IrType* source = ParseType();
  if (source == nullptr || !Expect(',', "after getelementptr's type")) return nullptr;
  SkipSpace();
  const char* position = p_;
  if (!PushTyped()) return nullptr;
  const IrType* base = operands_[0].value->type();
  if (!base->is_pointer() && !(base->is_vector() && base->element()->is_pointer())) {
    Error(position, "base of getelementptr must be a pointer");
    return nullptr;
  }
  if (!source->is_sized_kind()) {
    Error(position, "base element of getelementptr must be sized");
    return nullptr;
  }
  const IrType* result = base;
  while (TryCommaBeforeItem()) {
    position = p_;
    if (!PushTyped()) return nullptr;
    const IrType* index = operands_.back().value->type();
    const IrType* scalar = index->is_vector() ? index->element() : index;
    if (!scalar->is_integer()) {
      Error(position, "getelementptr index must be an integer");
      return nullptr;
    }
    if (!index->is_vector()) continue;
    if (result->is_vector() && result->num_elements() != index->num_elements()) {
      Error(position, "getelementptr vector index has a wrong number of elements");
      return nullptr;
    }
    if (!result->is_vector()) result = types_.Vector(base, index->num_elements());
  }
  Instruction* instruction = Create(Opcode::kGetElementPtr, result);
  function_->SetDetail(*instruction, source);
  return instruction;
}

Instruction* FunctionReader::ReadFence() {
  AtomicOrdering ordering;
  SyncScopeId scope;
  if (!ParseAtomic(&ordering, &scope)) return nullptr;
  Instruction* instruction = Create(Opcode::kFence, void_);
  instruction->SetAtomic(ordering, AtomicOrdering::kNotAtomic, scope);
  return instruction;
}

Instruction* FunctionReader::ReadCmpXchg() {
  AtomicOrdering ordering, failure;
  SyncScopeId scope;
  int log_align;
  const bool ok = PushTyped() && Expect(',', "after cmpxchg address") && PushTyped() &&
                  Expect(',', "after cmpxchg cmp operand") && PushTyped() && ParseAtomic(&ordering, &scope) &&
                  ParseOrdering(&failure) && ParseAlign(&log_align);
  if (!ok) return nullptr;
  const IrType* members[] = {operands_[1].value->type(), types_.Integer(1)};
  Instruction* instruction = Create(Opcode::kCmpXchg, types_.Struct(members));
  instruction->SetAtomic(ordering, failure, scope);
  SetAlign(*instruction, log_align);
  return instruction;
}

Instruction* FunctionReader::ReadAtomicRMW() {
  const std::string_view word = PeekWord();
  const AtomicOperation* operation = Operations().Find(word);
  if (operation == nullptr) {
    ErrorHere("expected binary operation in atomicrmw");
    return nullptr;
  }
  p_ += word.size();
  AtomicOrdering ordering;
  SyncScopeId scope;
  int log_align;
  const bool ok = PushTyped() && Expect(',', "after atomicrmw address") && PushTyped() &&
                  ParseAtomic(&ordering, &scope) && ParseAlign(&log_align);
  if (!ok) return nullptr;
  Instruction* instruction = Create(Opcode::kAtomicRMW, operands_[1].value->type());
  instruction->set_variant(static_cast<uint8_t>(*operation));
  instruction->SetAtomic(ordering, AtomicOrdering::kNotAtomic, scope);
  SetAlign(*instruction, log_align);
  return instruction;
}

}  // namespace ptxmir::ir
