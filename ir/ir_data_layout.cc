// SPDX-License-Identifier: Apache-2.0

#include "ir/ir_data_layout.h"

#include <algorithm>
#include <bit>

#include "base/align.h"
#include "base/str_cat.h"
#include "ir/ir_text.h"

namespace ptxmir {
namespace {

constexpr uint32_t kMaxNumber = (1u << 24) - 1;

uint64_t Saturate(unsigned __int128 value) {
  return value > DataLayout::kHugeSize ? DataLayout::kHugeSize : static_cast<uint64_t>(value);
}

// Removes the text before the next `separator` (or the end) and returns it.
std::string_view TakeField(std::string_view* text, char separator) {
  const size_t end = std::min(text->find(separator), text->size());
  const std::string_view field = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return field;
}

absl::Status Malformed(std::string_view what) {
  return absl::InvalidArgumentError(StrCat("malformed specification, ", what));
}

absl::Status ParseNumber(std::string_view text, std::string_view what, uint32_t* value) {
  uint64_t number;
  if (text.empty()) return absl::InvalidArgumentError(StrCat(what, " component cannot be empty"));
  if (!ParseIrDecimal(text, kMaxNumber, &number)) {
    return absl::InvalidArgumentError(StrCat(what, " must be a 24-bit integer"));
  }
  *value = static_cast<uint32_t>(number);
  return absl::OkStatus();
}

absl::Status ParseSize(std::string_view text, std::string_view what, uint32_t* value) {
  if (absl::Status status = ParseNumber(text, what, value); !status.ok()) return status;
  if (*value == 0) return absl::InvalidArgumentError(StrCat(what, " must be a non-zero 24-bit integer"));
  return absl::OkStatus();
}

// Parses an alignment, which is written in bits and stored in bytes.
absl::Status ParseAlign(std::string_view text, std::string_view what, bool allow_zero, uint64_t* bytes) {
  uint64_t bits;
  if (text.empty()) return absl::InvalidArgumentError(StrCat(what, " alignment component cannot be empty"));
  if (!ParseIrDecimal(text, 0xffff, &bits)) {
    return absl::InvalidArgumentError(StrCat(what, " alignment must be a 16-bit integer"));
  }
  if (bits == 0) {
    if (!allow_zero) return absl::InvalidArgumentError(StrCat(what, " alignment must be non-zero"));
    *bytes = 1;
    return absl::OkStatus();
  }
  if (bits % 8 != 0 || !std::has_single_bit(bits / 8)) {
    return absl::InvalidArgumentError(StrCat(what, " alignment must be a power of two times the byte width"));
  }
  *bytes = bits / 8;
  return absl::OkStatus();
}

}  // namespace

DataLayout::DataLayout()
    : integers_{{1, 1, 1}, {8, 1, 1}, {16, 2, 2}, {32, 4, 4}, {64, 4, 8}},
      floats_{{16, 2, 2}, {32, 4, 4}, {64, 8, 8}, {128, 16, 16}},
      vectors_{{64, 8, 8}, {128, 16, 16}},
      pointers_{{0, 64, 8, 8, 64}} {}

absl::StatusOr<DataLayout> DataLayout::Parse(std::string_view text) {
  DataLayout layout;
  layout.text_ = std::string(text);
  if (text.empty()) return layout;
  while (true) {
    const bool last = text.find('-') == text.npos;
    const std::string_view specification = TakeField(&text, '-');
    if (specification.empty()) {
      return absl::InvalidArgumentError("empty specification is not allowed");
    }
    if (absl::Status status = layout.ParseSpecification(specification); !status.ok()) return status;
    if (last) return layout;
  }
}

absl::Status DataLayout::ParseSpecification(std::string_view specification) {
  const char kind = specification[0];
  const std::string_view rest = specification.substr(1);
  switch (kind) {
    case 'i':
    case 'f':
    case 'v':
      return ParsePrimitive(kind, specification);
    case 'a':
      return ParseAggregate(specification);
    case 'p':
      return ParsePointer(specification);
    case 'e':
    case 'E':
      if (!rest.empty()) return Malformed("must be just 'e' or 'E'");
      big_endian_ = kind == 'E';
      return absl::OkStatus();
    case 'n': {
      if (rest.substr(0, 1) == "i") return absl::OkStatus();  // non-integral address spaces
      std::string_view list = rest;
      do {
        uint32_t width;
        if (absl::Status status = ParseSize(TakeField(&list, ':'), "size", &width); !status.ok()) {
          return status;
        }
        native_integers_.push_back(width);
      } while (!list.empty());
      return absl::OkStatus();
    }
    case 'A':
      return ParseNumber(rest, "address space", &alloca_address_space_);
    case 'G':
      return ParseNumber(rest, "address space", &globals_address_space_);
    case 'P':
      return ParseNumber(rest, "address space", &program_address_space_);
    case 'S':  // natural stack alignment
    case 'F':  // alignment of function pointers
    case 'm':  // mangling
      return rest.empty() ? Malformed(StrCat("'", specification, "' is incomplete")) : absl::OkStatus();
    default:
      return absl::InvalidArgumentError(StrCat("unknown specifier '", specification.substr(0, 1), "'"));
  }
}

absl::Status DataLayout::ParsePrimitive(char kind, std::string_view specification) {
  std::string_view fields = specification.substr(1);
  const size_t num_fields = 1 + static_cast<size_t>(std::count(fields.begin(), fields.end(), ':'));
  if (num_fields < 2 || num_fields > 3) {
    return Malformed(StrCat("must be of the form \"", std::string(1, kind), "<size>:<abi>[:<pref>]\""));
  }
  Primitive primitive;
  if (absl::Status s = ParseSize(TakeField(&fields, ':'), "size", &primitive.bits); !s.ok()) return s;
  if (absl::Status s = ParseAlign(TakeField(&fields, ':'), "ABI", false, &primitive.abi); !s.ok()) {
    return s;
  }
  primitive.preferred = primitive.abi;
  if (num_fields == 3) {
    if (absl::Status s = ParseAlign(fields, "preferred", false, &primitive.preferred); !s.ok()) return s;
  }
  if (kind == 'i' && primitive.bits == 8 && primitive.abi != 1) {
    return absl::InvalidArgumentError("i8 must be 8-bit aligned");
  }
  if (primitive.preferred < primitive.abi) {
    return absl::InvalidArgumentError("preferred alignment cannot be less than the ABI alignment");
  }
  Set(kind == 'i' ? integers_ : kind == 'f' ? floats_ : vectors_, primitive);
  return absl::OkStatus();
}

absl::Status DataLayout::ParseAggregate(std::string_view specification) {
  std::string_view fields = specification.substr(1);
  const size_t num_fields = 1 + static_cast<size_t>(std::count(fields.begin(), fields.end(), ':'));
  if (num_fields < 2 || num_fields > 3) return Malformed("must be of the form \"a:<abi>[:<pref>]\"");
  const std::string_view size = TakeField(&fields, ':');
  if (!size.empty() && size != "0") return absl::InvalidArgumentError("size must be zero");
  if (absl::Status s = ParseAlign(TakeField(&fields, ':'), "ABI", true, &struct_abi_); !s.ok()) return s;
  struct_preferred_ = struct_abi_;
  if (num_fields == 3) {
    if (absl::Status s = ParseAlign(fields, "preferred", false, &struct_preferred_); !s.ok()) return s;
  }
  if (struct_preferred_ < struct_abi_) {
    return absl::InvalidArgumentError("preferred alignment cannot be less than the ABI alignment");
  }
  return absl::OkStatus();
}

absl::Status DataLayout::ParsePointer(std::string_view specification) {
  std::string_view fields = specification.substr(1);
  const size_t num_fields = 1 + static_cast<size_t>(std::count(fields.begin(), fields.end(), ':'));
  if (num_fields < 3 || num_fields > 5) {
    return Malformed("must be of the form \"p[<n>]:<size>:<abi>[:<pref>[:<idx>]]\"");
  }
  Pointer pointer{};
  std::string_view space = TakeField(&fields, ':');
  // 'e' and 'u' mark pointers with external or unstable representation. Their size does not change.
  while (!space.empty() && (space[0] == 'e' || space[0] == 'u')) space.remove_prefix(1);
  if (!space.empty()) {
    if (absl::Status s = ParseNumber(space, "address space", &pointer.address_space); !s.ok()) return s;
  }
  if (absl::Status s = ParseSize(TakeField(&fields, ':'), "pointer size", &pointer.bits); !s.ok()) {
    return s;
  }
  if (absl::Status s = ParseAlign(TakeField(&fields, ':'), "ABI", false, &pointer.abi); !s.ok()) return s;
  pointer.preferred = pointer.abi;
  pointer.index_bits = pointer.bits;
  if (num_fields >= 4) {
    if (absl::Status s = ParseAlign(TakeField(&fields, ':'), "preferred", false, &pointer.preferred); !s.ok()) {
      return s;
    }
  }
  if (num_fields == 5) {
    if (absl::Status s = ParseSize(fields, "index size", &pointer.index_bits); !s.ok()) return s;
  }
  if (pointer.preferred < pointer.abi) {
    return absl::InvalidArgumentError("preferred alignment cannot be less than the ABI alignment");
  }
  if (pointer.index_bits > pointer.bits) {
    return absl::InvalidArgumentError("index size cannot be larger than the pointer size");
  }
  for (Pointer& known : pointers_) {
    if (known.address_space == pointer.address_space) {
      known = pointer;
      return absl::OkStatus();
    }
  }
  pointers_.push_back(pointer);
  return absl::OkStatus();
}

void DataLayout::Set(std::vector<Primitive>& table, Primitive primitive) {
  const auto place = std::lower_bound(table.begin(), table.end(), primitive.bits,
                                      [](const Primitive& p, uint32_t bits) { return p.bits < bits; });
  if (place != table.end() && place->bits == primitive.bits) {
    *place = primitive;
  } else {
    table.insert(place, primitive);
  }
}

const DataLayout::Pointer& DataLayout::PointerOf(uint32_t address_space) const {
  for (const Pointer& pointer : pointers_) {
    if (pointer.address_space == address_space) return pointer;
  }
  return pointers_[0];
}

// Returns the alignment of an integer. A width that is not listed is aligned like the next wider one, or like the
// widest.
uint64_t DataLayout::IntegerAlign(uint64_t bits, bool preferred) const {
  auto found = std::lower_bound(integers_.begin(), integers_.end(), bits,
                                [](const Primitive& p, uint64_t b) { return p.bits < b; });
  if (found == integers_.end()) --found;
  return preferred ? found->preferred : found->abi;
}

uint64_t DataLayout::FloatAlign(uint64_t bits, bool preferred) const {
  for (const Primitive& primitive : floats_) {
    if (primitive.bits == bits) return preferred ? primitive.preferred : primitive.abi;
  }
  return std::bit_ceil(bits / 8);
}

uint64_t DataLayout::VectorAlign(const IrType* type, bool preferred) const {
  const uint64_t bits = SizeInBits(type);
  for (const Primitive& primitive : vectors_) {
    if (primitive.bits == bits) return preferred ? primitive.preferred : primitive.abi;
  }
  return std::bit_ceil(std::max<uint64_t>(1, (bits + 7) / 8));
}

uint64_t DataLayout::Align(const IrType* type, bool preferred) const {
  switch (type->kind()) {
    case IrType::Kind::kInteger:
      return IntegerAlign(type->integer_width(), preferred);
    case IrType::Kind::kPointer: {
      const Pointer& pointer = PointerOf(type->address_space());
      return preferred ? pointer.preferred : pointer.abi;
    }
    case IrType::Kind::kArray:
      return Align(type->element(), preferred);
    case IrType::Kind::kVector:
      return VectorAlign(type, preferred);
    case IrType::Kind::kStruct: {
      if (type->is_packed() && !preferred) return 1;
      const uint64_t own = MeasureStruct(type).align;
      return std::max(own, preferred ? struct_preferred_ : struct_abi_);
    }
    case IrType::Kind::kHalf:
    case IrType::Kind::kBFloat:
    case IrType::Kind::kFloat:
    case IrType::Kind::kDouble:
    case IrType::Kind::kX86Fp80:
    case IrType::Kind::kFp128:
    case IrType::Kind::kPpcFp128:
      return FloatAlign(SizeInBits(type), preferred);
    case IrType::Kind::kX86Amx:
      return 64;
    default:
      return 1;
  }
}

uint64_t DataLayout::SizeInBits(const IrType* type) const {
  using Wide = unsigned __int128;
  switch (type->kind()) {
    case IrType::Kind::kHalf:
    case IrType::Kind::kBFloat:
      return 16;
    case IrType::Kind::kFloat:
      return 32;
    case IrType::Kind::kDouble:
      return 64;
    case IrType::Kind::kX86Fp80:
      return 80;
    case IrType::Kind::kFp128:
    case IrType::Kind::kPpcFp128:
      return 128;
    case IrType::Kind::kX86Amx:
      return 8192;
    case IrType::Kind::kInteger:
      return type->integer_width();
    case IrType::Kind::kPointer:
      return PointerBits(type->address_space());
    case IrType::Kind::kArray:
      return Saturate(Wide{type->num_elements()} * AllocSize(type->element()) * 8);
    case IrType::Kind::kVector:
      return Saturate(Wide{type->num_elements()} * SizeInBits(type->element()));
    case IrType::Kind::kStruct:
      return Saturate(Wide{MeasureStruct(type).size} * 8);
    default:
      return 0;
  }
}

uint64_t DataLayout::AllocSize(const IrType* type) const { return AlignTo(StoreSize(type), AbiAlign(type)); }

DataLayout::Measure DataLayout::MeasureStruct(const IrType* type) const {
  if (const std::optional<Measure> known = measures_.Find(type)) return *known;
  const StructLayout layout = LayoutOf(type);
  const Measure measure{layout.size, layout.align};
  measures_.Insert(type, measure);
  return measure;
}

StructLayout DataLayout::LayoutOf(const IrType* struct_type) const {
  StructLayout layout;
  layout.offsets.reserve(struct_type->members().size());
  for (const IrType* member : struct_type->members()) {
    const uint64_t align = struct_type->is_packed() ? 1 : AbiAlign(member);
    layout.size = Saturate(AlignTo(layout.size, align));
    layout.align = std::max(layout.align, align);
    layout.offsets.push_back(layout.size);
    layout.size = Saturate(static_cast<unsigned __int128>(layout.size) + AllocSize(member));
  }
  layout.size = AlignTo(layout.size, layout.align);
  return layout;
}

}  // namespace ptxmir
