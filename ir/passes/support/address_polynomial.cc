// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/address_polynomial.h"

#include <algorithm>
#include <optional>

#include "ir/passes/support/gep_indices.h"

namespace ptxmir::ir {
namespace {

using StepKind = IndexStep::Kind;

// Larger sums and deeper operations stay atoms.
constexpr size_t kMaxTerms = 8;
constexpr unsigned kMaxPolynomialDepth = 8;
constexpr size_t kMaxGeps = 8;

bool HasLessMonomial(const AddressTerm& a, const AddressTerm& b) { return a.monomial < b.monomial; }

void AddPromise(ArenaId id, AddressPromises& promises) {
  const auto place = std::lower_bound(promises.begin(), promises.end(), id);
  if (place == promises.end() || *place != id) promises.insert(place, id);
}

// Returns the product of two monomials; nothing if its degree is too high.
std::optional<Monomial> Multiply(const Monomial& a, const Monomial& b) {
  std::array<AtomNumber, 2 * kMaxDegree> all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin());
  if (all[kMaxDegree - 1] != 0) return std::nullopt;
  Monomial product;
  std::copy(all.begin() + kMaxDegree, all.end(), product.begin());
  return product;
}

}  // namespace

struct AddressAnalysis::Sum {
  AddressTerms terms;  // by monomial
  uint64_t constant = 0;
  // Whether terms have vanished. Their atoms may still make the value poison, but are no longer seen in it.
  bool has_lost_terms = false;

  void Add(const AddressTerm& term) {
    const auto place = std::lower_bound(terms.begin(), terms.end(), term, HasLessMonomial);
    if (place == terms.end() || place->monomial != term.monomial) {
      if (term.coefficient != 0) {
        terms.insert(place, term);
      } else {
        has_lost_terms = true;
      }
    } else if ((place->coefficient += term.coefficient) == 0) {
      terms.erase(place);
      has_lost_terms = true;
    }
  }
  // Adds a multiple of another sum.
  void Add(const Sum& other, uint64_t factor) {
    constant += other.constant * factor;
    has_lost_terms |= other.has_lost_terms;
    for (const AddressTerm& term : other.terms) Add({term.monomial, term.coefficient * factor});
  }
  void MultiplyBy(uint64_t factor) {
    if (factor == 1) return;
    Sum product;
    product.Add(*this, factor);
    *this = std::move(product);
  }
  // Returns the product; nothing if a degree becomes too high.
  static std::optional<Sum> Product(const Sum& a, const Sum& b) {
    Sum product;
    if (b.constant != 0 || b.terms.empty()) product.Add(a, b.constant);
    for (const AddressTerm& y : b.terms) {
      if (a.constant != 0 || a.terms.empty()) product.Add({y.monomial, y.coefficient * a.constant});
      for (const AddressTerm& x : a.terms) {
        const std::optional<Monomial> monomial = Multiply(x.monomial, y.monomial);
        if (!monomial.has_value()) return std::nullopt;
        product.Add({*monomial, x.coefficient * y.coefficient});
      }
    }
    return product;
  }
};

bool PromisesAreSubset(const AddressPolynomial& a, const AddressPolynomial& b) {
  return std::includes(b.promises.begin(), b.promises.end(), a.promises.begin(), a.promises.end());
}

AtomNumber AddressAnalysis::NumberOf(Value& value, IndexExtension extension) {
  const auto [place, is_new] = numbers_.emplace(std::pair(value.id(), extension), 0);
  if (is_new) {
    atoms_.emplace_back(&value, extension);
    place->second = static_cast<AtomNumber>(atoms_.size());
  }
  return place->second;
}

AddressAnalysis::Sum AddressAnalysis::AtomSum(Value& value, IndexExtension extension) {
  Sum sum;
  sum.terms.push_back({{0, 0, NumberOf(value, extension)}, 1});
  return sum;
}

AddressAnalysis::Sum AddressAnalysis::SumOf(Value& value, IndexExtension extension, unsigned depth,
                                            AddressPromises& promises) {
  const IndexStep step = IndexStepOf(value, extension);
  Sum sum;
  if (step.kind == StepKind::kConstant) {
    sum.constant = step.constant;
    return sum;
  }
  if (step.kind == StepKind::kLeaf || depth == kMaxPolynomialDepth) return AtomSum(value, extension);
  const auto& instruction = static_cast<const Instruction&>(value);
  AddressPromises own_promises = promises;
  if (instruction.flags() != 0) AddPromise(instruction.id(), own_promises);
  sum = SumOf(instruction.operand(0), step.extension, depth + 1, own_promises);
  if (step.kind == StepKind::kSum || step.kind == StepKind::kDifference) {
    sum.Add(SumOf(instruction.operand(1), step.extension, depth + 1, own_promises),
            step.kind == StepKind::kSum ? 1 : ~uint64_t{0});
  } else if (step.kind == StepKind::kProduct) {
    std::optional<Sum> product =
        Sum::Product(sum, SumOf(instruction.operand(1), step.extension, depth + 1, own_promises));
    if (!product.has_value()) return AtomSum(value, extension);
    sum = std::move(*product);
  } else if (step.kind == StepKind::kShift) {
    sum.MultiplyBy(step.constant);
  }
  if (sum.has_lost_terms || sum.terms.size() > kMaxTerms) return AtomSum(value, extension);
  promises = std::move(own_promises);
  return sum;
}

bool AddressAnalysis::AddIndices(const Instruction& gep, Sum& total, AddressPromises& promises) {
  const uint32_t index_bits = function_.module().data_layout().IndexBits(gep.type()->address_space());
  if (index_bits != 64) return false;
  return ForEachGepIndex(gep, [&](const GepIndex& index) {
    if (index.is_field) {
      total.constant += index.bytes;
      return true;
    }
    if (!index.value.type()->is_integer() || index.value.type()->integer_width() > index_bits) return false;
    const bool is_narrow = index.value.type()->integer_width() < index_bits;
    const Sum sum = SumOf(index.value, is_narrow ? IndexExtension::kSign : IndexExtension::kNone, 0, promises);
    total.Add(sum, index.bytes);
    return true;
  });
}

AddressPolynomial AddressAnalysis::PolynomialOf(Instruction& gep) {
  AddressPolynomial polynomial;
  Sum total;
  Value* pointer = &gep;
  while (pointer->is_instruction() && polynomial.geps.size() < kMaxGeps) {
    auto& instruction = static_cast<Instruction&>(*pointer);
    if (instruction.opcode() != Opcode::kGetElementPtr) break;
    if (!instruction.type()->is_pointer() || !AddIndices(instruction, total, polynomial.promises)) return {};
    polynomial.geps.push_back(&instruction);
    pointer = &instruction.operand(0);
  }
  if (total.has_lost_terms || total.terms.size() > kMaxTerms) return {};
  polynomial.base = pointer;
  polynomial.terms = std::move(total.terms);
  polynomial.constant = total.constant;
  return polynomial;
}

}  // namespace ptxmir::ir
