// SPDX-License-Identifier: Apache-2.0

// Attributes of functions, parameters, return values and globals of the embedded IR module.
//
// Every attribute is kept under its own spelling, so attributes that this version does not know are preserved.

#ifndef PTXMIR_IR_IR_ATTRIBUTES_H_
#define PTXMIR_IR_IR_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir_type.h"

namespace ptxmir {

struct IrAttribute {
  std::string_view name;         // "byval", "align", "nvvm.maxntid"; unescaped
  std::string_view text;         // as written, including name and quotes: `align 4`, `"a"="b"`
  bool is_string = false;        // "name" or "name"="value"
  std::string_view value = {};   // string attributes: unescaped; others: the text in parentheses
  uint64_t integer = 0;          // align 4, align(4), dereferenceable(16), alignstack(8)
  const IrType* type = nullptr;  // byval(T), sret(T), byref(T), elementtype(T), inalloca(T) ...
};

class IrAttributes {
 public:
  const std::vector<IrAttribute>& all() const { return all_; }
  std::vector<IrAttribute>& mutable_all() { return all_; }
  bool empty() const { return all_.empty(); }
  void Add(const IrAttribute& attribute) { all_.push_back(attribute); }

  // Returns null if there is none. If there are several, the last one wins, as in LLVM.
  const IrAttribute* Find(std::string_view name) const {
    for (size_t i = all_.size(); i-- > 0;) {
      if (all_[i].name == name) return &all_[i];
    }
    return nullptr;
  }
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // Returns 0 if there is none.
  uint64_t Integer(std::string_view name) const {
    const IrAttribute* found = Find(name);
    return found == nullptr ? 0 : found->integer;
  }
  // Returns the type of byval(T) and the like, or null if there is none.
  const IrType* Type(std::string_view name) const {
    const IrAttribute* found = Find(name);
    return found == nullptr ? nullptr : found->type;
  }
  std::optional<std::string_view> String(std::string_view name) const {
    const IrAttribute* found = Find(name);
    if (found == nullptr || !found->is_string) return std::nullopt;
    return found->value;
  }

 private:
  std::vector<IrAttribute> all_;
};

// Returns the attributes as they are written, with blanks between.
std::string AttributesText(const IrAttributes& attributes);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_ATTRIBUTES_H_
