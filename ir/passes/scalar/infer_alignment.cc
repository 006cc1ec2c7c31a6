// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/scalar/infer_alignment.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/code/program.h"
#include "ir/passes/support/address_polynomial.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// The largest access of any GPU, in bytes.
constexpr uint64_t kMaxAlign = 32;
constexpr unsigned kMaxLog = 5;
// Longer chains of operations are not followed.
constexpr unsigned kMaxAlignmentDepth = 4;

unsigned ZerosOf(uint64_t constant) {
  return constant == 0 ? kMaxLog : std::min<unsigned>(kMaxLog, static_cast<unsigned>(std::countr_zero(constant)));
}

// Numbers of low bits that are known to be 0.
class ZeroBits {
 public:
  unsigned Of(const Value& value, unsigned depth = 0) {
    if (const std::optional<uint64_t> constant = ConstantInteger(value); constant.has_value()) {
      return ZerosOf(*constant);
    }
    if (!value.is_instruction()) return 0;
    // A value that a loop adds to is as even as its beginning and what is added: each operation below keeps that,
    // whatever is assumed of the value meanwhile.
    if (std::find(open_phis_.begin(), open_phis_.end(), &value) != open_phis_.end()) return kMaxLog;
    return depth == kMaxAlignmentDepth ? 0 : OfResult(static_cast<const Instruction&>(value), depth + 1);
  }

 private:
  unsigned OfResult(const Instruction& i, unsigned depth) {
    const auto of = [&](unsigned operand) { return Of(i.operand(operand), depth); };
    switch (i.opcode()) {
      case Opcode::kAnd:
        return std::max(of(0), of(1));
      case Opcode::kMul:
        return std::min(kMaxLog, of(0) + of(1));
      case Opcode::kShl: {
        const uint64_t count = ConstantInteger(i.operand(1)).value_or(0);
        return std::min(kMaxLog, of(0) + static_cast<unsigned>(std::min<uint64_t>(count, kMaxLog)));
      }
      case Opcode::kAdd:
      case Opcode::kSub:
      case Opcode::kOr:
      case Opcode::kXor:
        return std::min(of(0), of(1));
      case Opcode::kSelect:
        return std::min(of(1), of(2));
      case Opcode::kSExt:
      case Opcode::kZExt:
      case Opcode::kTrunc:
        return of(0);
      case Opcode::kPhi: {
        open_phis_.push_back(&i);
        unsigned zeros = kMaxLog;
        for (unsigned k = 0; k < i.num_incoming() && zeros != 0; ++k) {
          zeros = std::min(zeros, Of(i.incoming_value(k), depth));
        }
        open_phis_.pop_back();
        return zeros;
      }
      default:
        return 0;
    }
  }

  std::vector<const Value*> open_phis_;
};

class AlignmentInference {
 public:
  explicit AlignmentInference(Function& function) : function_(function), addresses_(function) {}

  uint64_t AlignOf(Value& pointer, unsigned depth = 0) {
    if (pointer.is_argument()) return AlignOfArgument(static_cast<const Argument&>(pointer));
    if (pointer.is_constant()) return AlignOfConstant(static_cast<const ConstantValue&>(pointer).constant());
    if (!pointer.is_instruction() || depth == kMaxAlignmentDepth) return 1;
    auto& instruction = static_cast<Instruction&>(pointer);
    switch (instruction.opcode()) {
      case Opcode::kAlloca:
        return std::max<uint64_t>(1, instruction.align());
      case Opcode::kAddrSpaceCast:
        // The window of a space begins at a multiple of every alignment.
        return AlignOf(instruction.operand(0), depth + 1);
      case Opcode::kGetElementPtr:
        return AlignOfSum(instruction, depth);
      default:
        return 1;
    }
  }

 private:
  uint64_t AlignOfArgument(const Argument& argument) const {
    const IrParameter& parameter = function_.signature().parameters[argument.number()];
    return std::max<uint64_t>(1, parameter.attributes.Integer("align"));
  }

  uint64_t AlignOfConstant(const IrConstant& constant) const {
    if (constant.kind != IrConstant::Kind::kGlobal) return 1;
    const GlobalVariable* variable = function_.module().variable(constant.global);
    if (variable == nullptr) return 1;
    // Another module may define a variable that is only declared here with less than what its type prefers.
    if (variable->initializer == nullptr) return std::max<uint64_t>(1, variable->align);
    return function_.module().data_layout().GlobalAlign(variable->value_type, variable->align);
  }

  uint64_t AlignOfSum(Instruction& gep, unsigned depth) {
    const AddressPolynomial polynomial = addresses_.PolynomialOf(gep);
    if (polynomial.base == nullptr) return 1;
    unsigned zeros = ZerosOf(polynomial.constant);
    for (const AddressTerm& term : polynomial.terms) {
      unsigned own = ZerosOf(term.coefficient);
      for (const AtomNumber atom : term.monomial) {
        if (atom != 0) own += zeros_.Of(*addresses_.atom(atom).first);
      }
      zeros = std::min(zeros, own);
    }
    return std::min(AlignOf(*polynomial.base, depth + 1), uint64_t{1} << zeros);
  }

  Function& function_;
  AddressAnalysis addresses_;
  ZeroBits zeros_;
};

}  // namespace

IrPassResult RunInferAlignment(Function& function, IrPassContext& context) {
  AlignmentInference inference(function);
  unsigned num_raised = 0;
  for (BasicBlock* block : function.blocks()) {
    for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
      if (i->opcode() != Opcode::kLoad && i->opcode() != Opcode::kStore) continue;
      Value& pointer = i->operand(i->opcode() == Opcode::kLoad ? 0 : 1);
      if (!pointer.type()->is_pointer() || i->align() == 0) continue;
      const uint64_t align = std::min(kMaxAlign, inference.AlignOf(pointer));
      if (align <= i->align()) continue;
      i->set_log_align(static_cast<uint8_t>(std::countr_zero(align)));
      ++num_raised;
    }
  }
  context.AddStatistic("alignments raised", num_raised);
  return {.changed = num_raised != 0};
}

}  // namespace ptxmir
