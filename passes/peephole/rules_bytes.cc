// SPDX-License-Identifier: Apache-2.0

// Bytes: a value that is put together from bytes of two registers is one prmt.

#include <array>

#include "passes/peephole/peephole_rule.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::peephole {
namespace {

using ptx::Family;
using Tag = ptx::SemanticTag;

// Where one byte of a 32-bit value comes from: byte `index` of a register, or nowhere: it is 0.
struct ByteSource {
  Register reg;
  uint8_t index = 0;
  bool is_zero() const { return !reg.is_valid(); }
  friend bool operator==(const ByteSource&, const ByteSource&) = default;
};
using Bytes = std::array<ByteSource, 4>;

// Follows the bytes of a value back through the operations that only move them: and with masks of whole bytes, or of
// values that do not overlap, shifts by whole bytes.
class ByteTracer {
 public:
  explicit ByteTracer(const PeepholeEditor& editor) : editor_(editor) {}

  // Returns false if the instruction does more than move bytes.
  bool TraceInstr(const MachineInstr& instr, Bytes* bytes, unsigned depth = 0) {
    switch (ptx::InstrInfo(instr.opcode()).semantics) {
      case Tag::kAndB32:
        return TraceMask(instr, bytes, depth);
      case Tag::kOrB32:
        return TraceUnion(instr, bytes, depth);
      case Tag::kShlB32:
        return TraceShift(instr, /*is_left=*/true, bytes, depth);
      case Tag::kShrU32:
        return TraceShift(instr, /*is_left=*/false, bytes, depth);
      default:
        return false;
    }
  }
  // The number of instructions that are not needed once the bytes are known.
  unsigned num_inner() const { return num_inner_; }

 private:
  static constexpr unsigned kMaxDepth = 4;

  bool TraceOperand(const MachineOperand& operand, Bytes* bytes, unsigned depth) {
    if (!operand.reads_reg() || !operand.reg().is_virtual()) return false;
    const MachineInstr* const def = editor_.DefOf(operand);
    const unsigned num_inner = num_inner_;
    if (def != nullptr && depth < kMaxDepth && editor_.IsOnlyUse(operand) && TraceInstr(*def, bytes, depth + 1)) {
      ++num_inner_;
      return true;
    }
    num_inner_ = num_inner;
    for (uint8_t i = 0; i < 4; ++i) (*bytes)[i] = {operand.reg(), i};
    return true;
  }

  bool TraceMask(const MachineInstr& instr, Bytes* bytes, unsigned depth) {
    const std::optional<uint64_t> mask = editor_.Constant(instr.operand(2), 32);
    if (!mask.has_value()) return false;
    for (unsigned i = 0; i < 4; ++i) {
      const uint64_t byte = *mask >> (8 * i) & 0xff;
      if (byte != 0 && byte != 0xff) return false;
    }
    if (!TraceOperand(instr.operand(1), bytes, depth)) return false;
    for (unsigned i = 0; i < 4; ++i) {
      if ((*mask >> (8 * i) & 0xff) == 0) (*bytes)[i] = {};
    }
    return true;
  }

  bool TraceUnion(const MachineInstr& instr, Bytes* bytes, unsigned depth) {
    Bytes a, b;
    if (!TraceOperand(instr.operand(1), &a, depth) || !TraceOperand(instr.operand(2), &b, depth)) return false;
    for (unsigned i = 0; i < 4; ++i) {
      if (!a[i].is_zero() && !b[i].is_zero() && a[i] != b[i]) return false;
      (*bytes)[i] = a[i].is_zero() ? b[i] : a[i];
    }
    return true;
  }

  bool TraceShift(const MachineInstr& instr, bool is_left, Bytes* bytes, unsigned depth) {
    const std::optional<uint64_t> amount = editor_.Constant(instr.operand(2), 32);
    if (!amount.has_value() || *amount % 8 != 0 || *amount >= 32) return false;
    Bytes source;
    if (!TraceOperand(instr.operand(1), &source, depth)) return false;
    const unsigned by = static_cast<unsigned>(*amount / 8);
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned from = is_left ? i - by : i + by;  // beyond 3, and so 0, if it wraps around
      (*bytes)[i] = from < 4 ? source[from] : ByteSource{};
    }
    return true;
  }

  const PeepholeEditor& editor_;
  unsigned num_inner_ = 0;
};

// Writes the bytes as a selector of prmt a, b: 0 to 3 are the bytes of a, 4 to 7 those of b. Returns false if there are
// more than two sources. Zeros come from an immediate 0 in place of b.
struct Permutation {
  Register a;
  Register b;  // invalid: 0
  uint64_t selector = 0;
};

bool Permute(const Bytes& bytes, Permutation* permutation) {
  bool needs_zero = false;
  for (const ByteSource& byte : bytes) {
    if (byte.is_zero()) {
      needs_zero = true;
    } else if (!permutation->a.is_valid() || permutation->a == byte.reg) {
      permutation->a = byte.reg;
    } else if (!permutation->b.is_valid() || permutation->b == byte.reg) {
      permutation->b = byte.reg;
    } else {
      return false;
    }
  }
  if (!permutation->a.is_valid() || (needs_zero && permutation->b.is_valid())) return false;
  for (unsigned i = 0; i < 4; ++i) {
    const uint64_t code = bytes[i].is_zero() ? 4 : bytes[i].index + (bytes[i].reg == permutation->a ? 0u : 4u);
    permutation->selector |= code << (4 * i);
  }
  return true;
}

// An `or` of masked and shifted values, of at least three instructions in all.
bool PermuteBytes(PeepholeEditor& editor, MachineInstr& instr) {
  if (ptx::InstrInfo(instr.opcode()).semantics != Tag::kOrB32) return false;
  ByteTracer tracer(editor);
  Bytes bytes;
  Permutation permutation;
  if (!tracer.TraceInstr(instr, &bytes) || tracer.num_inner() < 2 || !Permute(bytes, &permutation)) return false;
  const MachineOperand a = MachineOperand::CreateReg(permutation.a);
  constexpr int64_t kDefaultMode = 0;
  const MachineOperand selector = Immediate(permutation.selector);
  const MachineOperand mode = MachineOperand::CreateImm(kDefaultMode);
  if (permutation.b.is_valid()) {
    const MachineOperand b = MachineOperand::CreateReg(permutation.b);
    return editor.Rewrite(instr, ptx::op::PRMT_B32rri, {a, b, selector, mode});
  }
  return editor.Rewrite(instr, ptx::op::PRMT_B32rii, {a, Immediate(0), selector, mode});
}

constexpr PeepholeRule kByteRules[] = {
    {.name = "masked and shifted bytes made prmt", .families = kOrFamily, .apply = PermuteBytes},
};

}  // namespace

absl::Span<const PeepholeRule> ByteRules() { return kByteRules; }

}  // namespace ptxmir::peephole
