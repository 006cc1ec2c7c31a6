// SPDX-License-Identifier: Apache-2.0

// A PTX statement as the interpreter sees it: mnemonic with its modifiers, guard, operands.
//
// The semantics of an opcode are those of the PTX that it prints. So machine instructions and the text of inline
// assembly take the same path: they are printed by the instruction's template, parsed here, and given a meaning by
// semantics.h. One definition serves `ADD32rr`, `asm("add.s32 ...")` and a line of PTX in a test.

#ifndef PTXMIR_PTX_INTERPRETER_CODE_STATEMENT_H_
#define PTXMIR_PTX_INTERPRETER_CODE_STATEMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ptxmir::ptx {

// A mnemonic, split at its dots. "fma.rn.ftz.f32" is the base "fma" and the parts "rn", "ftz", "f32". A part keeps
// its "::": "mma.sync...kind::f8f6f4" has the part "kind::f8f6f4", and "shared::cta" is one part.
class Mnemonic {
 public:
  Mnemonic() = default;
  // `text` must outlive the object.
  explicit Mnemonic(std::string_view text);

  std::string_view text() const { return text_; }
  std::string_view base() const { return base_; }
  const absl::InlinedVector<std::string_view, 12>& parts() const { return parts_; }
  bool Has(std::string_view part) const;
  // Returns the last part ("f32" of "cvt.rn.f16.f32"), or the one `back` parts before it; empty if there is none.
  std::string_view Last(size_t back = 0) const {
    return back < parts_.size() ? parts_[parts_.size() - 1 - back] : std::string_view();
  }

 private:
  std::string_view text_;
  std::string_view base_;
  absl::InlinedVector<std::string_view, 12> parts_;
};

// A scalar type of PTX: "s32", "bf16x2", "pred".
struct ScalarType {
  enum class Kind : uint8_t { kNone, kBits, kUnsigned, kSigned, kFloat, kBFloat, kPred, kOther };
  Kind kind = Kind::kNone;
  uint8_t bits = 0;      // of one element; 1 for pred
  uint8_t elements = 1;  // 2 for f16x2
  bool is_valid() const { return kind != Kind::kNone; }
  bool is_float() const { return kind == Kind::kFloat || kind == Kind::kBFloat; }
  bool is_signed() const { return kind == Kind::kSigned; }
  bool is_unsigned() const { return kind == Kind::kUnsigned; }
  // Returns the width of the register class that holds a value: 1, 16, 32, 64 or 128. 8-bit types live in 16 bits.
  unsigned RegisterBits() const {
    const unsigned all = bits * elements;
    return kind == Kind::kPred ? 1 : all < 16 ? 16 : all;
  }
  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};
// Parses a scalar type. Returns kind kNone if the part is not a type. Narrow formats such as e4m3x2 and tf32 are
// kOther.
ScalarType ParseScalarType(std::string_view part);

// One operand. Vectors are flattened: "{%r1, %r2}" is two operands with the same `group`.
struct StatementOperand {
  enum class Kind : uint8_t {
    kRegister,   // `name`
    kImmediate,  // an integer: `value`
    // 0f3F800000, 0d..., 1.5: `value` holds the bits and `bits` the width. See FloatImmediate.
    kFloat,
    // `name` (+ `value`): variables, parameters, functions, labels, special registers.
    kSymbol,
    kAddress,  // "[name + value]" or "[value]" (empty name)
    kSink,     // "_"
  };
  Kind kind = Kind::kImmediate;
  uint8_t bits = 0;
  bool negated = false;    // "!%p1", "-%r1"
  bool in_braces = false;  // part of a vector: "{a, b}"
  bool in_parens = false;  // one of the results or the arguments of a call
  // One of several operands in "[ ]", as textures have: [t, s, {x, y}]. Each of t, s and the vector has its own
  // group, and the kind that it would have without the brackets (kAddress if it is a sum).
  bool in_bracket = false;
  bool after_bar = false;      // the q of "p|q", which shares the group of p
  bool register_base = false;  // for kAddress: the name is a register
  uint16_t group = 0;          // the operand's number before flattening
  std::string_view name;
  // The selector of a video instruction: "b2" of "%r1.b2", "h10", "b7531".
  std::string_view selector;
  int64_t value = 0;
  bool is_register() const { return kind == Kind::kRegister; }
};

struct Statement {
  enum class Kind : uint8_t {
    kInstruction,
    kLabel,  // `mnemonic.text()` is the name
    // .reg: the operands are names, `type` is their type. `value` is the count for "r<4>", 0 for a single register.
    kRegisters,
    // Another directive in a scope (.param, .shared ...); mnemonic.text() is its text.
    kDeclaration,
    kOpen,   // {
    kClose,  // }
  };
  Kind kind = Kind::kInstruction;
  bool has_guard = false;
  bool guard_negated = false;
  std::string_view guard;  // a register
  Mnemonic mnemonic;
  ScalarType type;
  std::vector<StatementOperand> operands;

  // Returns the number of operands before flattening.
  unsigned num_groups() const { return operands.empty() ? 0 : operands.back().group + 1u; }
};

// Returns the bits of a kFloat immediate as a value of `bits` bits: 32 or 64. PTX writes floating-point constants in
// double precision or, as 0f..., in single precision, and converts if the other one is wanted. Integers are returned
// as a register holds them.
uint64_t FloatImmediate(const StatementOperand& operand, unsigned bits);

// Parses a sequence of statements. A name is a register if it begins with "%" and is not a special register, or if a
// .reg of the text declares it. WARP_SZ is the immediate 32. The last statement may lack its semicolon. Views in the
// result point into `text`. Errors say what is wrong and where ("line 2: ...").
absl::StatusOr<std::vector<Statement>> ParseStatements(std::string_view text);

// Returns how many leading operand groups of the statement are results: 0 for stores, barriers and the like, else 1.
unsigned NumResultGroups(const Statement& statement);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_CODE_STATEMENT_H_
