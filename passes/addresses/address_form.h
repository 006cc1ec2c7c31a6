// SPDX-License-Identifier: Apache-2.0

// AddressForms: 64-bit integer values as polynomials over what they are computed from, so that two addresses can be
// compared and subtracted: `base + 4 * (y * nx + x) + 16` and `base + 4 * ((y + 1) * nx + x)` differ by `4 * nx - 16`.
//
// This is what scalar evolution is for LLVM's loop strength reduction, found anew in machine code after the addresses
// were expanded. Additions, subtractions, multiplications, shifts by constants, mad, mul.wide and extensions are
// followed through single definitions; whatever else defines a register makes it a leaf. PHIs are leaves: who looks
// at a loop replaces those of its induction variables.
//
// Arithmetic is that of 64-bit registers, modulo 2^64, so it is exact. Of a 32-bit value that is extended, sums and
// products are followed only where flags (nsw, nuw, disjoint) say that they do not wrap. A form that needed them
// (`assumes_no_wrap`) is what the register holds wherever the program may use it; where it wraps the register holds
// something else, but no use of it is defined. So the register itself must not take part in computing other values:
// these are computed from the leaves.
//
// Forms are kept by register. The registers' definitions may be erased, but must not change.

#ifndef PTXMIR_PASSES_ADDRESSES_ADDRESS_FORM_H_
#define PTXMIR_PASSES_ADDRESSES_ADDRESS_FORM_H_

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class AddressForms {
 public:
  static constexpr size_t kMaxDegree = 3;      // leaves multiplied
  static constexpr size_t kMaxTerms = 12;      // more make the register a leaf
  static constexpr int kMaxDepth = 48;         // definitions followed, one behind the other
  static constexpr int kMaxExtendedDepth = 6;  // of 32-bit values, which are not kept

  enum class Extension : uint8_t { kNone, kSigned, kUnsigned };
  struct Leaf {
    Register reg;
    Extension extension = Extension::kNone;  // of a 32-bit register to 64 bits
  };
  using LeafId = uint32_t;                          // from 1
  using Monomial = std::array<LeafId, kMaxDegree>;  // ascending; 0: none, first
  using MonomialId = uint32_t;

  struct Term {
    MonomialId monomial = 0;
    uint64_t coefficient = 0;  // not 0
    friend bool operator==(const Term&, const Term&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Term& term) {
      return H::combine(std::move(h), term.monomial, term.coefficient);
    }
  };
  // By ascending monomial.
  using Terms = absl::InlinedVector<Term, 6>;
  using TermsId = uint32_t;  // kNoTerms: the empty sum
  static constexpr TermsId kNoTerms = 0;

  struct Form {
    Terms terms;
    uint64_t constant = 0;
    bool assumes_no_wrap = false;

    void Clear() {
      terms.clear();
      constant = 0;
      assumes_no_wrap = false;
    }
  };

  explicit AddressForms(const MachineFunction& function) : function_(function) { Intern({}); }

  // Of a 64-bit virtual register with one definition.
  const Form& Of(Register reg);

  const Leaf& leaf(LeafId id) const { return leaves_[id - 1]; }
  const Monomial& monomial(MonomialId id) const { return monomials_[id]; }
  // The monomial that is the leaf alone.
  MonomialId MonomialOf(Leaf leaf) { return InternMonomial({0, 0, InternLeaf(leaf)}); }

  // Sums. False when the result would have more than kMaxTerms terms.
  static bool AddTo(Form& sum, const Form& other, uint64_t factor);
  // Numbers for sums without constants.
  TermsId Intern(const Terms& terms);
  const Terms& terms(TermsId id) const { return interned_[id]; }

  // Registers whose form is the sum and the constant, found so far, and which hold it whatever wraps.
  absl::Span<const Register> RegistersOf(TermsId terms, uint64_t constant) const;

 private:
  using Key = std::pair<TermsId, uint64_t>;

  LeafId InternLeaf(Leaf leaf);
  MonomialId InternMonomial(const Monomial& monomial);
  Form LeafForm(Leaf leaf);
  bool Multiply(const Form& a, const Form& b, Form& product);
  bool Compute(const MachineInstr& def, int depth, Form& form);
  Form Follow(Register reg, int depth);
  bool Operand(const MachineOperand& operand, int depth, Form& form);
  bool ExtendedOperand(const MachineOperand& operand, Extension extension, int depth, Form& form);
  bool ComputeExtended(const MachineInstr& def, Extension extension, int depth, Form& form);
  bool ProductSum(const MachineInstr& def, Extension extension, int depth, Form& form);

  const MachineFunction& function_;
  std::vector<uint32_t> form_of_;  // by virtual register: 1 + index of its form; 0: not computed
  std::deque<Form> forms_;
  std::vector<Leaf> leaves_;
  absl::flat_hash_map<uint64_t, LeafId> leaf_ids_;
  std::vector<Monomial> monomials_;
  absl::flat_hash_map<Monomial, MonomialId> monomial_ids_;
  std::deque<Terms> interned_;
  absl::flat_hash_map<Terms, TermsId> interned_ids_;
  absl::flat_hash_map<Key, std::vector<Register>> registers_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ADDRESSES_ADDRESS_FORM_H_
