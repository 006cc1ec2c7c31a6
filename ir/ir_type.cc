// SPDX-License-Identifier: Apache-2.0

#include "ir/ir_type.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/str_cat.h"
#include "ir/copy_to_arena.h"
#include "ir/ir_text.h"

namespace ptxmir {
namespace {

constexpr std::string_view kSimpleNames[] = {"void",   "label", "metadata", "token",    "x86_amx", "half",
                                             "bfloat", "float", "double",   "x86_fp80", "fp128",   "ppc_fp128"};

template <typename T>
bool Equal(absl::Span<const T> a, absl::Span<const T> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

void AppendTypes(absl::Span<const IrType* const> types, std::string* out) {
  bool first = true;
  for (const IrType* type : types) {
    if (!first) out->append(", ");
    first = false;
    type->AppendTo(out);
  }
}

}  // namespace

bool IrType::is_sized_kind() const {
  switch (kind_) {
    case Kind::kVoid:
    case Kind::kLabel:
    case Kind::kMetadata:
    case Kind::kToken:
    case Kind::kFunction:
      return false;
    default:
      return true;
  }
}

void IrType::AppendBody(std::string* out) const {
  if (is_opaque()) {
    out->append("opaque");
    return;
  }
  if (is_packed()) out->push_back('<');
  if (contained_.empty()) {
    out->append("{}");
  } else {
    out->append("{ ");
    AppendTypes(contained_, out);
    out->append(" }");
  }
  if (is_packed()) out->push_back('>');
}

void IrType::AppendTo(std::string* out) const {
  switch (kind_) {
    case Kind::kInteger:
      StrAppend(out, "i", number_);
      return;
    case Kind::kPointer:
      out->append("ptr");
      if (number_ != 0) StrAppend(out, " addrspace(", number_, ")");
      return;
    case Kind::kArray:
      StrAppend(out, "[", count_, " x ");
      element()->AppendTo(out);
      out->push_back(']');
      return;
    case Kind::kVector:
      StrAppend(out, is_scalable() ? "<vscale x " : "<", count_, " x ");
      element()->AppendTo(out);
      out->push_back('>');
      return;
    case Kind::kStruct:
      if (!is_identified_) {
        AppendBody(out);
      } else if (is_numbered_) {
        StrAppend(out, "%", name_);
      } else {
        AppendIrName('%', name_, out);
      }
      return;
    case Kind::kFunction:
      return_type()->AppendTo(out);
      out->append(" (");
      AppendTypes(parameters(), out);
      if (is_vararg()) out->append(parameters().empty() ? "..." : ", ...");
      out->push_back(')');
      return;
    case Kind::kTargetExt:
      out->append("target(\"");
      AppendEscapedIrString(name_, out);
      out->push_back('"');
      for (const IrType* type : contained_) {
        out->append(", ");
        type->AppendTo(out);
      }
      for (const uint32_t integer : integers_) StrAppend(out, ", ", integer);
      out->push_back(')');
      return;
    default:
      out->append(kSimpleNames[static_cast<size_t>(kind_)]);
      return;
  }
}

std::string IrType::ToString() const {
  std::string out;
  AppendTo(&out);
  return out;
}

std::string IrType::DefinitionToString() const {
  std::string out = "type ";
  AppendBody(&out);
  return out;
}

IrTypeTable::IrTypeTable(std::pmr::memory_resource* arena) : arena_(arena) {
  for (size_t i = 0; i < std::size(simple_); ++i) simple_[i] = New(static_cast<IrType::Kind>(i));
}

IrType* IrTypeTable::New(IrType::Kind kind) {
  return new (arena_->allocate(sizeof(IrType), alignof(IrType))) IrType(kind);
}

absl::Span<const IrType* const> IrTypeTable::Copy(absl::Span<const IrType* const> types) {
  return CopyToArena<const IrType*>(arena_, types);
}

std::string_view IrTypeTable::Copy(std::string_view text) {
  const absl::Span<const char> copy = CopyToArena<char>(arena_, {text.data(), text.size()});
  return {copy.data(), copy.size()};
}

const IrType* IrTypeTable::Unique(const IrType& wanted) {
  // An FNV-1a hash of the parts.
  uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](uint64_t part) { hash = (hash ^ part ^ (part >> 29)) * 0x100000001b3; };
  mix(static_cast<uint64_t>(wanted.kind_) * 2 + (wanted.flag_ ? 1 : 0));
  mix(wanted.number_);
  mix(wanted.count_);
  for (const IrType* type : wanted.contained_) mix(reinterpret_cast<uintptr_t>(type) >> 3);
  for (const uint32_t integer : wanted.integers_) mix(integer);
  for (const char c : wanted.name_) mix(static_cast<uint8_t>(c));
  std::vector<const IrType*>& bucket = unique_[hash];
  for (const IrType* type : bucket) {
    if (type->kind_ == wanted.kind_ && type->flag_ == wanted.flag_ && type->number_ == wanted.number_ &&
        type->count_ == wanted.count_ && type->name_ == wanted.name_ && Equal(type->contained_, wanted.contained_) &&
        Equal(type->integers_, wanted.integers_)) {
      return type;
    }
  }
  IrType* made = New(wanted.kind_);
  *made = wanted;
  made->contained_ = Copy(wanted.contained_);
  made->integers_ = CopyToArena<uint32_t>(arena_, wanted.integers_);
  made->name_ = Copy(wanted.name_);
  bucket.push_back(made);
  return made;
}

const IrType* IrTypeTable::NewInteger(uint32_t width) {
  IrType type(IrType::Kind::kInteger);
  type.number_ = width;
  const IrType* made = Unique(type);
  if (width < kCached) integers_[width] = made;
  return made;
}

const IrType* IrTypeTable::NewPointer(uint32_t address_space) {
  IrType type(IrType::Kind::kPointer);
  type.number_ = address_space;
  const IrType* made = Unique(type);
  if (address_space < kCached) pointers_[address_space] = made;
  return made;
}

const IrType* IrTypeTable::Array(const IrType* element, uint64_t count) {
  IrType type(IrType::Kind::kArray);
  type.count_ = count;
  type.contained_ = absl::MakeConstSpan(&element, 1);
  return Unique(type);
}

const IrType* IrTypeTable::Vector(const IrType* element, uint64_t count, bool scalable) {
  IrType type(IrType::Kind::kVector);
  type.count_ = count;
  type.flag_ = scalable;
  type.contained_ = absl::MakeConstSpan(&element, 1);
  return Unique(type);
}

const IrType* IrTypeTable::Struct(absl::Span<const IrType* const> members, bool packed) {
  IrType type(IrType::Kind::kStruct);
  type.flag_ = packed;
  type.contained_ = members;
  return Unique(type);
}

const IrType* IrTypeTable::Function(const IrType* result, absl::Span<const IrType* const> parameters, bool vararg) {
  std::vector<const IrType*> contained;
  contained.reserve(parameters.size() + 1);
  contained.push_back(result);
  contained.insert(contained.end(), parameters.begin(), parameters.end());
  IrType type(IrType::Kind::kFunction);
  type.flag_ = vararg;
  type.contained_ = contained;
  return Unique(type);
}

const IrType* IrTypeTable::TargetExt(std::string_view name, absl::Span<const IrType* const> types,
                                     absl::Span<const uint32_t> integers) {
  IrType type(IrType::Kind::kTargetExt);
  type.name_ = name;
  type.contained_ = types;
  type.integers_ = integers;
  return Unique(type);
}

IrType* IrTypeTable::NamedStruct(std::string_view name, bool numbered) {
  auto& table = numbered ? numbered_ : named_;
  const auto found = table.find(name);
  if (found != table.end()) return found->second;
  IrType* type = New(IrType::Kind::kStruct);
  type->has_body_ = false;
  type->is_identified_ = true;
  type->is_numbered_ = numbered;
  type->name_ = Copy(name);
  table.emplace(type->name_, type);
  named_order_.push_back(type);
  return type;
}

void IrTypeTable::Rename(IrType* named, std::string_view name) {
  (named->is_numbered_ ? numbered_ : named_).erase(named->name_);
  named->name_ = Copy(name);
  named->is_numbered_ = false;
  named_.emplace(named->name_, named);
}

const IrType* IrTypeTable::FindNamedStruct(std::string_view name, bool numbered) const {
  const auto& table = numbered ? numbered_ : named_;
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

void IrTypeTable::SetBody(IrType* named, absl::Span<const IrType* const> members, bool packed) {
  named->contained_ = Copy(members);
  named->flag_ = packed;
  named->has_body_ = true;
}

}  // namespace ptxmir
