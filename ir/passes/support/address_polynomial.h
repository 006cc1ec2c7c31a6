// SPDX-License-Identifier: Apache-2.0

// AddressPolynomial: an address as a pointer plus a polynomial of values, so that two addresses can be compared by
// their difference, however their indices were computed.
//
// A polynomial takes apart the operations that IndexStepOf names. Atoms are values that are as wide as an address, or
// narrower ones with their extension. All arithmetic is modulo 2^64.

#ifndef PTXMIR_IR_PASSES_SUPPORT_ADDRESS_POLYNOMIAL_H_
#define PTXMIR_IR_PASSES_SUPPORT_ADDRESS_POLYNOMIAL_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ir/code/program.h"
#include "ir/passes/support/index_step.h"

namespace ptxmir::ir {

// The number of an atom in its AddressAnalysis, counted from 1.
using AtomNumber = uint32_t;

// A product of atoms, in ascending order; the places in front are 0 if there are fewer.
inline constexpr size_t kMaxDegree = 3;
using Monomial = std::array<AtomNumber, kMaxDegree>;

struct AddressTerm {
  Monomial monomial;
  uint64_t coefficient;  // never 0
};

// Most addresses have few of these.
using AddressTerms = absl::InlinedVector<AddressTerm, 4>;
using AddressPromises = absl::InlinedVector<ArenaId, 8>;

struct AddressPolynomial {
  Value* base = nullptr;  // a pointer that is no getelementptr; null if the address has no polynomial
  AddressTerms terms;
  uint64_t constant = 0;
  // The ids of the operations with flags that it takes apart, in ascending order. If one of them breaks what its flags
  // promise, the address is poison.
  AddressPromises promises;
  // The getelementptrs between the base and the address.
  absl::InlinedVector<Instruction*, 4> geps;
};

// Returns true if whatever `a` promises, `b` promises, too.
bool PromisesAreSubset(const AddressPolynomial& a, const AddressPolynomial& b);

class AddressAnalysis {
 public:
  explicit AddressAnalysis(Function& function) : function_(function) {}

  // Returns the polynomial of the address that a getelementptr with a scalar result computes.
  AddressPolynomial PolynomialOf(Instruction& gep);

  // Returns the value of an atom and its extension.
  std::pair<Value*, IndexExtension> atom(AtomNumber number) const { return atoms_[number - 1]; }

 private:
  struct Sum;
  AtomNumber NumberOf(Value& value, IndexExtension extension);
  bool AddIndices(const Instruction& gep, Sum& total, AddressPromises& promises);
  Sum SumOf(Value& value, IndexExtension extension, unsigned depth, AddressPromises& promises);
  Sum AtomSum(Value& value, IndexExtension extension);

  Function& function_;
  std::vector<std::pair<Value*, IndexExtension>> atoms_;
  absl::flat_hash_map<std::pair<ArenaId, IndexExtension>, AtomNumber> numbers_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_ADDRESS_POLYNOMIAL_H_
