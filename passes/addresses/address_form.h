// SPDX-License-Identifier: Apache-2.0

// AddressForms represents 64-bit integer values as polynomials over the values that they are computed from, so
// that two addresses can be compared and subtracted. For example, the addresses
//
//     base + 4 * (y * nx + x) + 16    and    base + 4 * ((y + 1) * nx + x)
//
// differ by 4 * nx - 16.
//
// This recovers in machine code, after addresses were expanded, what scalar evolution provides for LLVM's loop
// strength reduction. Additions, subtractions, multiplications, shifts by constants, mad, mul.wide and extensions
// are followed through single definitions; a register with any other definition is a leaf. PHIs are leaves; a
// client that analyzes a loop replaces those of its induction variables.
//
// The arithmetic is that of 64-bit registers, modulo 2^64, and therefore exact. For a 32-bit value that is
// extended, sums and products are followed only if flags (nsw, nuw, disjoint) say that they do not wrap. A form
// that relies on such flags (`assumes_no_wrap`) equals the register's value wherever the program may use it. Where
// the computation wraps, the register holds something else, but no use of it is defined. The register itself must
// therefore not be used to compute other values; these are computed from the leaves.
//
// Forms are cached by register. The definitions of the registers may be erased, but must not change.

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
  static constexpr size_t kMaxDegree = 3;      // the most leaves in a product
  static constexpr size_t kMaxTerms = 12;      // a register whose form has more terms is a leaf
  static constexpr int kMaxDepth = 48;         // the longest chain of definitions that is followed
  static constexpr int kMaxExtendedDepth = 6;  // the same for 32-bit values, which are not cached

  enum class Extension : uint8_t { kNone, kSigned, kUnsigned };
  struct Leaf {
    Register reg;
    Extension extension = Extension::kNone;  // how a 32-bit register is extended to 64 bits
  };
  using LeafId = uint32_t;                          // counted from 1
  using Monomial = std::array<LeafId, kMaxDegree>;  // in ascending order; unused entries are 0 and come first
  using MonomialId = uint32_t;

  struct Term {
    MonomialId monomial = 0;
    uint64_t coefficient = 0;  // never 0
    friend bool operator==(const Term&, const Term&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Term& term) {
      return H::combine(std::move(h), term.monomial, term.coefficient);
    }
  };
  // Sorted by monomial, in ascending order.
  using Terms = absl::InlinedVector<Term, 6>;
  using TermsId = uint32_t;  // kNoTerms stands for the empty sum
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

  // Returns the form of a 64-bit virtual register with a single definition.
  const Form& Of(Register reg);

  const Leaf& leaf(LeafId id) const { return leaves_[id - 1]; }
  const Monomial& monomial(MonomialId id) const { return monomials_[id]; }
  // Returns the monomial that consists of the leaf alone.
  MonomialId MonomialOf(Leaf leaf) { return InternMonomial({0, 0, InternLeaf(leaf)}); }

  // Adds `other` times `factor` to `sum`. Returns false if the result would have more than kMaxTerms terms.
  static bool AddTo(Form& sum, const Form& other, uint64_t factor);
  // Returns the number of a sum without its constant.
  TermsId Intern(const Terms& terms);
  const Terms& terms(TermsId id) const { return interned_[id]; }

  // Returns the registers found so far whose form is the sum plus the constant and which hold it even if something
  // wraps.
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
  std::vector<uint32_t> form_of_;  // by virtual register: 1 + the index of its form, or 0 if not computed
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
