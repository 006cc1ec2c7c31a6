// SPDX-License-Identifier: Apache-2.0

// The names that globals have in the printed PTX.
//
// PTX identifiers are made of letters, digits, '_' and '$'. llc turns every other character of a name with
// local linkage into "_$_" and prints the rest as they are, which ptxas rejects; it also leaves two names
// that become equal to whatever renames values. Here every name is made legal, one that is legal already
// never changes, and all of them stay apart: names are given out in module order, first to those that keep
// theirs, and a taken one gets the first free number behind it, as llc does.

#ifndef PTXMIR_PTX_TARGET_PTX_NAMES_H_
#define PTXMIR_PTX_TARGET_PTX_NAMES_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace ptxmir::ptx {

// Whether ptxas takes the text as an identifier.
bool IsPtxIdentifier(std::string_view name);

// `name` with every character that PTX does not allow replaced by "_$_".
std::string MakePtxIdentifier(std::string_view name);

class PtxNames {
 public:
  explicit PtxNames(const Module& module);

  // The printed name. Values without a name are "__unnamed_N"; llc numbers them as it comes across them,
  // so each gets its number when it is first named in the order of printing (NameUnnamed).
  std::string_view operator[](GlobalId id) const { return names_[id]; }
  // Whether the printed name differs from the one that the machine code mentions.
  bool IsRenamed(GlobalId id) const { return is_renamed_[id]; }
  // Gives the value its number if it has no name. To be called in the order of printing.
  void NameUnnamed(GlobalId id);

 private:
  // `base`, or the first of base1, base2 ... that is free.
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
