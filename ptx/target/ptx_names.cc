// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/ptx_names.h"

#include <utility>

#include "base/str_cat.h"

namespace ptxmir::ptx {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool IsPtxIdentifierCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '$';
}

bool IsPtxIdentifier(std::string_view name) {
  if (name.empty() || IsDigit(name[0]) || name == "_" || name == "$") return false;
  for (char c : name) {
    if (!IsPtxIdentifierCharacter(c)) return false;
  }
  return true;
}

std::string MakePtxIdentifier(std::string_view name) {
  std::string result;
  result.reserve(name.size() + 8);
  // ptxas would read a leading digit as a number.
  if (!name.empty() && IsDigit(name[0])) result += "_$_";
  for (char c : name) {
    if (IsPtxIdentifierCharacter(c)) {
      result += c;
    } else {
      result += "_$_";
    }
  }
  if (result == "_" || result == "$") result += "_$_";
  return result;
}

PtxNames::PtxNames(const Module& module)
    : module_(module), names_(module.global_values().size()), is_renamed_(module.global_values().size()) {
  for (const GlobalValue* value : module.global_values()) {
    if (value->is_numbered || !IsPtxIdentifier(value->name)) continue;
    names_[value->id()] = value->name;
    taken_.emplace(value->name, value->id());
  }
  for (const GlobalValue* value : module.global_values()) {
    if (value->is_numbered || IsPtxIdentifier(value->name)) continue;
    names_[value->id()] = Claim(MakePtxIdentifier(value->name));
    is_renamed_[value->id()] = true;
  }
}

void PtxNames::NameUnnamed(GlobalId id) {
  if (!names_[id].empty()) return;
  names_[id] = Claim(StrCat("__unnamed_", ++num_unnamed_));
  is_renamed_[id] = true;
}

std::string_view PtxNames::Claim(std::string base) {
  if (base.empty()) base = "_$_";
  std::string name = base;
  for (uint32_t suffix = 1; taken_.contains(name); ++suffix) name = StrCat(base, suffix);
  storage_.push_back(std::move(name));
  taken_.emplace(storage_.back(), 0);
  return storage_.back();
}

}  // namespace ptxmir::ptx
