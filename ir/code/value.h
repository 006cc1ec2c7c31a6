// SPDX-License-Identifier: Apache-2.0

// Value: what an instruction can use. Use: one operand of an instruction, a link in its value's use list.
//
// All values of a function are in the function's arena, constants and references to globals included, so functions can
// be changed on several threads at once. Links are arena ids. A value has one list of its uses; the operands of debug
// records and operands that are wrapped in metadata are in it, too, so that replacing a value replaces all mentions.
// The order of the list depends only on the edits made, never on addresses.

#ifndef PTXMIR_IR_CODE_VALUE_H_
#define PTXMIR_IR_CODE_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/id_arena.h"
#include "ir/ids.h"
#include "ir/ir_constant.h"
#include "ir/ir_type.h"

namespace ptxmir::ir {

class Function;
class Instruction;
class Value;

// Most functions are small, and all functions of a program exist at once.
using Arena = IdArena<Function, size_t{8} << 10>;
using ArenaId = Arena::Id;

// A node of metadata: the number of a node of the module (!7), or a node that is written in place, whose text the
// program keeps (Program::metadata_text).
struct MetadataRef {
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint32_t kInline = 1u << 31;
  uint32_t bits = kNone;

  bool is_none() const { return bits == kNone; }
  bool is_inline() const { return !is_none() && (bits & kInline) != 0; }
  MetadataId node() const { return bits; }
  uint32_t text_index() const { return bits & ~kInline; }
  friend bool operator==(MetadataRef a, MetadataRef b) { return a.bits == b.bits; }
};

// One operand, in 16 bytes. Operands follow their instruction in memory; an operand knows its number and thereby its
// instruction.
class Use {
 public:
  Value& value() const;
  // Returns the id of the value without looking at it.
  ArenaId value_id() const { return value_; }
  unsigned operand_number() const { return number_; }
  // Returns true if the operand was written as metadata: `metadata i32 %x`.
  bool is_metadata() const { return is_metadata_; }
  Instruction& user() const;
  // Returns the next use of the same value; null at the end.
  Use* next() const;
  // Makes the operand use another value.
  void Set(Value& value);

 private:
  friend class Function;
  friend class Instruction;
  friend class Value;

  ArenaId id() const;
  void Link(Value& value);
  // Links the operand, whose own id is `own`.
  void LinkAs(ArenaId own, Value& value);
  void Unlink();

  ArenaId value_ = 0;
  uint32_t number_ : 31 = 0;
  uint32_t is_metadata_ : 1 = 0;
  ArenaId previous_ = 0;
  ArenaId next_ = 0;
};
static_assert(sizeof(Use) == Arena::kUnit);

// The uses of a value, for range-based loops. A use may be set to another value only after the loop has moved on.
class UseRange {
 public:
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Use;
    using difference_type = ptrdiff_t;
    using pointer = Use*;
    using reference = Use&;
    explicit iterator(Use* use) : use_(use) {}
    Use& operator*() const { return *use_; }
    iterator& operator++() {
      use_ = use_->next();
      return *this;
    }
    friend bool operator==(iterator a, iterator b) { return a.use_ == b.use_; }
    friend bool operator!=(iterator a, iterator b) { return a.use_ != b.use_; }

   private:
    Use* use_;
  };
  explicit UseRange(Use* first) : first_(first) {}
  iterator begin() const { return iterator(first_); }
  iterator end() const { return iterator(nullptr); }

 private:
  Use* first_;
};

class Value {
 public:
  // A copy would have the uses of the original, which may be in another function.
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  enum class Kind : uint8_t {
    kArgument,
    kBlock,
    kInstruction,
    kConstant,     // also the address of a global
    kInlineAsm,    // only as the callee of a call
    kMetadata,     // an operand of an intrinsic that is a node
    kPlaceholder,  // only while a function is being read: a value that is not defined yet
  };

  Kind kind() const { return kind_; }
  bool is_argument() const { return kind_ == Kind::kArgument; }
  bool is_block() const { return kind_ == Kind::kBlock; }
  bool is_instruction() const { return kind_ == Kind::kInstruction; }
  bool is_constant() const { return kind_ == Kind::kConstant; }
  bool is_inline_asm() const { return kind_ == Kind::kInlineAsm; }
  bool is_metadata() const { return kind_ == Kind::kMetadata; }
  const IrType* type() const { return type_; }

  ArenaId id() const { return Arena::IdOf(this); }
  Function& function() const { return *Arena::OwnerOf(this); }

  bool has_uses() const { return first_use_ != 0; }
  Use* first_use() const { return first_use_ == 0 ? nullptr : Arena::ResolveNear<Use>(this, first_use_); }
  UseRange uses() const { return UseRange(first_use()); }
  bool has_one_use() const { return has_uses() && first_use()->next() == nullptr; }
  // Makes all uses of this value uses of `other`, in front of the uses that `other` has.
  void ReplaceAllUsesWith(Value& other);

 protected:
  friend class Use;
  Value(Kind kind, const IrType* type) : type_(type), kind_(kind) {}

  const IrType* type_;
  ArenaId first_use_ = 0;
  Kind kind_;
  // For instructions.
  uint8_t opcode_ = 0;
  uint8_t variant_ = 0;    // the predicate, atomic operation or kind of tail call
  uint8_t log_align_ = 0;  // 0: no alignment is stated; else 1 + log2
};
static_assert(sizeof(Value) == 16);

// A constant as it is used in one function. Numbers, null, undef, poison, zeroinitializer and addresses of globals
// exist once in a function; other constants once for each mention.
class ConstantValue : public Value {
 public:
  explicit ConstantValue(const IrConstant& constant) : Value(Kind::kConstant, constant.type), constant_(&constant) {}
  const IrConstant& constant() const { return *constant_; }

 private:
  const IrConstant* constant_;
};

class InlineAsm : public Value {
 public:
  enum Flag : uint8_t { kSideEffect = 1, kAlignStack = 2, kIntelDialect = 4, kUnwind = 8 };
  InlineAsm(const IrType* pointer, std::string_view text, std::string_view constraints, uint8_t flags)
      : Value(Kind::kInlineAsm, pointer), text_(text), constraints_(constraints), flags_(flags) {}

  // Return the two strings as written, with escapes.
  std::string_view text() const { return text_; }
  std::string_view constraints() const { return constraints_; }
  bool has_flag(Flag flag) const { return (flags_ & flag) != 0; }
  uint8_t flags() const { return flags_; }

 private:
  std::string_view text_;
  std::string_view constraints_;
  uint8_t flags_;
};

class MetadataValue : public Value {
 public:
  MetadataValue(const IrType* metadata_type, MetadataRef node) : Value(Kind::kMetadata, metadata_type), node_(node) {}
  MetadataRef node() const { return node_; }

 private:
  MetadataRef node_;
};

// A value that was used before its definition. Only the reader makes these.
class Placeholder : public Value {
 public:
  Placeholder(const IrType* type, const char* position) : Value(Kind::kPlaceholder, type), position_(position) {}
  const char* position() const { return position_; }

 private:
  const char* position_;
};

class Argument : public Value {
 public:
  Argument(const IrType* type, uint32_t number) : Value(Kind::kArgument, type), number_(number) {}
  // Returns the index of the parameter. Names and attributes are those of IrFunction::parameters.
  uint32_t number() const { return number_; }

 private:
  uint32_t number_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_CODE_VALUE_H_
