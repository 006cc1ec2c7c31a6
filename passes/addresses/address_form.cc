// SPDX-License-Identifier: Apache-2.0

#include "passes/addresses/address_form.h"

#include <algorithm>
#include <utility>

#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

enum class Step : uint8_t {
  kNone,
  kAdd,
  kSubtract,
  kNegate,
  kMultiply,
  kMultiplyAdd,
  kShiftLeft,
  kOr,  // of values without a common bit
  kMove,
  kExtendSigned,
  kExtendUnsigned,
  kMultiplyWideSigned,
  kMultiplyWideUnsigned,
  kMultiplyAddWideSigned,
  kMultiplyAddWideUnsigned,
};

struct StepInfo {
  Step step = Step::kNone;
  uint8_t bits = 0;  // the bits of the result
};

// Returns the step that a semantic tag is.
StepInfo StepOf(ptx::SemanticTag semantics) {
  using ptx::SemanticTag;
  switch (semantics) {
    case SemanticTag::kAddS64:
      return {Step::kAdd, 64};
    case SemanticTag::kAddS32:
      return {Step::kAdd, 32};
    case SemanticTag::kSubS64:
      return {Step::kSubtract, 64};
    case SemanticTag::kSubS32:
      return {Step::kSubtract, 32};
    case SemanticTag::kNegS64:
      return {Step::kNegate, 64};
    case SemanticTag::kMulLoS64:
      return {Step::kMultiply, 64};
    case SemanticTag::kMulLoS32:
      return {Step::kMultiply, 32};
    case SemanticTag::kMadLoS64:
      return {Step::kMultiplyAdd, 64};
    case SemanticTag::kShlB64:
      return {Step::kShiftLeft, 64};
    case SemanticTag::kShlB32:
      return {Step::kShiftLeft, 32};
    case SemanticTag::kOrB64:
      return {Step::kOr, 64};
    case SemanticTag::kOrB32:
      return {Step::kOr, 32};
    case SemanticTag::kMovB64:
      return {Step::kMove, 64};
    case SemanticTag::kMovB32:
      return {Step::kMove, 32};
    case SemanticTag::kCvtS64S32:
    case SemanticTag::kCvtU64S32:
      return {Step::kExtendSigned, 64};
    case SemanticTag::kCvtS64U32:
    case SemanticTag::kCvtU64U32:
      return {Step::kExtendUnsigned, 64};
    case SemanticTag::kMulWideS32:
      return {Step::kMultiplyWideSigned, 64};
    case SemanticTag::kMulWideU32:
      return {Step::kMultiplyWideUnsigned, 64};
    case SemanticTag::kMadWideS32:
      return {Step::kMultiplyAddWideSigned, 64};
    case SemanticTag::kMadWideU32:
      return {Step::kMultiplyAddWideUnsigned, 64};
    default:
      return {};
  }
}

StepInfo StepOf(const MachineInstr& instr) {
  if (instr.is_copy()) return {Step::kMove, 0};
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  return info.is_pure() ? StepOf(info.semantics) : StepInfo();
}

}  // namespace

AddressForms::LeafId AddressForms::InternLeaf(Leaf leaf) {
  const uint64_t key = uint64_t{leaf.reg.bits()} * 4 + static_cast<uint64_t>(leaf.extension);
  const auto [it, inserted] = leaf_ids_.try_emplace(key, static_cast<LeafId>(leaves_.size() + 1));
  if (inserted) leaves_.push_back(leaf);
  return it->second;
}

AddressForms::MonomialId AddressForms::InternMonomial(const Monomial& monomial) {
  const auto [it, inserted] = monomial_ids_.try_emplace(monomial, static_cast<MonomialId>(monomials_.size()));
  if (inserted) monomials_.push_back(monomial);
  return it->second;
}

AddressForms::TermsId AddressForms::Intern(const Terms& terms) {
  const auto [it, inserted] = interned_ids_.try_emplace(terms, static_cast<TermsId>(interned_.size()));
  if (inserted) interned_.push_back(terms);
  return it->second;
}

absl::Span<const Register> AddressForms::RegistersOf(TermsId terms, uint64_t constant) const {
  const auto it = registers_.find(Key(terms, constant));
  return it == registers_.end() ? absl::Span<const Register>() : absl::MakeConstSpan(it->second);
}

AddressForms::Form AddressForms::LeafForm(Leaf leaf) {
  Form form;
  form.terms.push_back({InternMonomial({0, 0, InternLeaf(leaf)}), 1});
  return form;
}

bool AddressForms::AddTo(Form& sum, const Form& other, uint64_t factor) {
  Terms result;
  size_t i = 0, j = 0;
  while (i < sum.terms.size() || j < other.terms.size()) {
    const bool from_sum =
        j == other.terms.size() || (i < sum.terms.size() && sum.terms[i].monomial <= other.terms[j].monomial);
    const bool from_other =
        i == sum.terms.size() || (j < other.terms.size() && other.terms[j].monomial <= sum.terms[i].monomial);
    Term term;
    if (from_sum) {
      term = sum.terms[i++];
    } else {
      term.monomial = other.terms[j].monomial;
    }
    if (from_other) term.coefficient += factor * other.terms[j++].coefficient;
    if (term.coefficient != 0) result.push_back(term);
  }
  if (result.size() > kMaxTerms) return false;
  sum.terms = std::move(result);
  sum.constant += factor * other.constant;
  sum.assumes_no_wrap |= other.assumes_no_wrap;
  return true;
}

bool AddressForms::Multiply(const Form& a, const Form& b, Form& product) {
  product.Clear();
  product.assumes_no_wrap = a.assumes_no_wrap || b.assumes_no_wrap;
  if (!AddTo(product, a, b.constant)) return false;
  Form rest = b;
  rest.constant = 0;
  if (!AddTo(product, rest, a.constant)) return false;
  for (const Term& x : a.terms) {
    for (const Term& y : b.terms) {
      std::array<LeafId, 2 * kMaxDegree> leaves;
      const auto middle = std::copy(monomials_[x.monomial].begin(), monomials_[x.monomial].end(), leaves.begin());
      std::copy(monomials_[y.monomial].begin(), monomials_[y.monomial].end(), middle);
      std::sort(leaves.begin(), leaves.end());
      if (leaves[kMaxDegree - 1] != 0) return false;
      Monomial monomial;
      std::copy(leaves.begin() + kMaxDegree, leaves.end(), monomial.begin());
      Form term;
      const uint64_t coefficient = x.coefficient * y.coefficient;
      if (coefficient == 0) continue;
      term.terms.push_back({InternMonomial(monomial), coefficient});
      if (!AddTo(product, term, 1)) return false;
    }
  }
  return true;
}

const AddressForms::Form& AddressForms::Of(Register reg) {
  const uint32_t index = reg.virtual_index();
  if (index < form_of_.size() && form_of_[index] != 0) return forms_[form_of_[index] - 1];
  Form form = Follow(reg, 0);
  return forms_[form_of_[index] - 1];
}

AddressForms::Form AddressForms::Follow(Register reg, int depth) {
  const uint32_t index = reg.virtual_index();
  if (index >= form_of_.size()) form_of_.resize(function_.reg_info().num_virtual_registers());
  if (form_of_[index] != 0) return forms_[form_of_[index] - 1];
  const MachineInstr* def = function_.reg_info().UniqueDef(reg);
  Form form;
  if (def == nullptr || depth >= kMaxDepth || !Compute(*def, depth, form)) form = LeafForm({reg, Extension::kNone});
  forms_.push_back(form);
  form_of_[index] = static_cast<uint32_t>(forms_.size());
  if (!form.assumes_no_wrap) registers_[Key(Intern(form.terms), form.constant)].push_back(reg);
  return form;
}

bool AddressForms::Operand(const MachineOperand& operand, int depth, Form& form) {
  if (operand.is_imm()) {
    form.Clear();
    form.constant = static_cast<uint64_t>(operand.imm());
    return true;
  }
  if (!operand.is_reg() || !operand.reg().is_virtual() || operand.is_undef()) return false;
  form = Follow(operand.reg(), depth + 1);
  return true;
}

bool AddressForms::ProductSum(const MachineInstr& def, Extension extension, int depth, Form& form) {
  Form a, b, c;
  const bool is_wide = extension != Extension::kNone;
  const bool known =
      is_wide ? ExtendedOperand(def.operand(1), extension, 0, a) && ExtendedOperand(def.operand(2), extension, 0, b)
              : Operand(def.operand(1), depth, a) && Operand(def.operand(2), depth, b);
  if (!known || !Multiply(a, b, form)) return false;
  if (def.num_operands() < 4) return true;
  return Operand(def.operand(3), depth, c) && AddTo(form, c, 1);
}

bool AddressForms::Compute(const MachineInstr& def, int depth, Form& form) {
  const StepInfo info = StepOf(def);
  if (info.step == Step::kNone || info.bits == 32 || !def.operand(0).is_def()) return false;
  Form other;
  switch (info.step) {
    case Step::kAdd:
    case Step::kOr:
    case Step::kSubtract:
      if (info.step == Step::kOr && !def.has_flag(MachineInstr::kDisjoint)) return false;
      if (!Operand(def.operand(1), depth, form) || !Operand(def.operand(2), depth, other)) return false;
      form.assumes_no_wrap |= info.step == Step::kOr;
      return AddTo(form, other, info.step == Step::kSubtract ? ~uint64_t{0} : 1);
    case Step::kNegate:
      return Operand(def.operand(1), depth, other) && AddTo(form, other, ~uint64_t{0});
    case Step::kShiftLeft:
      if (!def.operand(2).is_imm() || def.operand(2).imm() < 0 || def.operand(2).imm() > 63) return false;
      return Operand(def.operand(1), depth, other) && AddTo(form, other, uint64_t{1} << def.operand(2).imm());
    case Step::kMultiply:
    case Step::kMultiplyAdd:
      return ProductSum(def, Extension::kNone, depth, form);
    case Step::kMultiplyWideSigned:
    case Step::kMultiplyAddWideSigned:
      return ProductSum(def, Extension::kSigned, depth, form);
    case Step::kMultiplyWideUnsigned:
    case Step::kMultiplyAddWideUnsigned:
      return ProductSum(def, Extension::kUnsigned, depth, form);
    case Step::kMove:
      return Operand(def.operand(1), depth, form);
    case Step::kExtendSigned:
      return ExtendedOperand(def.operand(1), Extension::kSigned, 0, form);
    case Step::kExtendUnsigned:
      return ExtendedOperand(def.operand(1), Extension::kUnsigned, 0, form);
    case Step::kNone:
      break;
  }
  return false;
}

bool AddressForms::ExtendedOperand(const MachineOperand& operand, Extension extension, int depth, Form& form) {
  form.Clear();
  if (operand.is_imm()) {
    const auto bits = static_cast<uint32_t>(operand.imm());
    form.constant = extension == Extension::kSigned ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(bits)}) : bits;
    return true;
  }
  if (!operand.is_reg() || !operand.reg().is_virtual() || operand.is_undef()) return false;
  const MachineInstr* def = function_.reg_info().UniqueDef(operand.reg());
  if (def != nullptr && depth < kMaxExtendedDepth && ComputeExtended(*def, extension, depth + 1, form)) return true;
  form = LeafForm({operand.reg(), extension});
  return true;
}

bool AddressForms::ComputeExtended(const MachineInstr& def, Extension extension, int depth, Form& form) {
  const StepInfo info = StepOf(def);
  if (info.step == Step::kMove && (info.bits == 32 || info.bits == 0)) {
    const MachineOperand& source = def.operand(1);
    return (source.is_imm() || source.is_reg()) && ExtendedOperand(source, extension, depth, form);
  }
  if (info.bits != 32) return false;
  const bool wraps = info.step == Step::kOr ? !def.has_flag(MachineInstr::kDisjoint)
                                            : !def.has_flag(extension == Extension::kSigned ? MachineInstr::kNoSWrap
                                                                                            : MachineInstr::kNoUWrap);
  if (wraps) return false;
  Form a, b;
  if (!ExtendedOperand(def.operand(1), extension, depth, a)) return false;
  if (info.step == Step::kShiftLeft) {
    if (!def.operand(2).is_imm() || def.operand(2).imm() < 0 || def.operand(2).imm() > 31) return false;
    form.Clear();
    if (!AddTo(form, a, uint64_t{1} << def.operand(2).imm())) return false;
  } else {
    if (!ExtendedOperand(def.operand(2), extension, depth, b)) return false;
    if (info.step == Step::kMultiply) {
      if (!Multiply(a, b, form)) return false;
    } else if (info.step == Step::kAdd || info.step == Step::kOr || info.step == Step::kSubtract) {
      form = std::move(a);
      if (!AddTo(form, b, info.step == Step::kSubtract ? ~uint64_t{0} : 1)) return false;
    } else {
      return false;
    }
  }
  form.assumes_no_wrap = true;
  return true;
}

}  // namespace ptxmir
