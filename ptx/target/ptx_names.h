// SPDX-License-Identifier: Apache-2.0

// The names that globals have in the printed PTX.
//
// PTX identifiers consist of letters, digits, '_' and '$'. In names with local linkage, llc replaces every other
// character by "_$_". It prints other names unchanged, which ptxas rejects. If two names become equal, LLVM's
// renaming of values separates them.
//
// Here every name is made legal, a name that is already legal never changes, and all names stay distinct. The PTX
// writer refuses those names of other linkage that other modules may refer to. Names are assigned in module order,
// first to the globals that keep theirs. A name that is taken gets the first free number appended, as in llc.

#ifndef PTXMIR_PTX_TARGET_PTX_NAMES_H_
#define PTXMIR_PTX_TARGET_PTX_NAMES_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace ptxmir::ptx {

// Returns true if an identifier may contain the character after its first one.
bool IsPtxIdentifierCharacter(char c);
// Returns true if ptxas accepts the text as an identifier.
bool IsPtxIdentifier(std::string_view name);

// Returns `name` as a legal identifier. Every character that PTX does not allow becomes "_$_". A leading digit gets
// "_$_" before it, and a lone "_" or "$" gets "_$_" after it.
std::string MakePtxIdentifier(std::string_view name);

class PtxNames {
 public:
  explicit PtxNames(const Module& module);

  // Returns the printed name. Values without a name are "__unnamed_N". llc numbers them as it meets them, so each
  // gets its number when it is first named in the order of printing (NameUnnamed).
  std::string_view operator[](GlobalId id) const { return names_[id]; }
  // Returns true if the printed name differs from the one in the machine code.
  bool IsRenamed(GlobalId id) const { return is_renamed_[id]; }
  // Gives the value its number if it has no name. Call it in the order of printing.
  void NameUnnamed(GlobalId id);

 private:
  // Returns `base`, or the first of base1, base2 ... that is free, and marks it as taken.
  std::string_view Claim(std::string base);

  const Module& module_;
  std::vector<std::string_view> names_;
  std::vector<bool> is_renamed_;
  absl::flat_hash_map<std::string_view, GlobalId> taken_;
  std::deque<std::string> storage_;
  uint32_t num_unnamed_ = 0;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_PTX_NAMES_H_
