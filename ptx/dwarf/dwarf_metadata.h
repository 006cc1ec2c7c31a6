// SPDX-License-Identifier: Apache-2.0

// Helpers that read debug information metadata: flags, lists and tags of its nodes.

#ifndef PTXMIR_PTX_DWARF_DWARF_METADATA_H_
#define PTXMIR_PTX_DWARF_DWARF_METADATA_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/types/span.h"
#include "ir/module.h"
#include "ptx/dwarf/dwarf_constants.h"

namespace ptxmir::ptx {

// LLVM's DIFlags: the bits of `flags:`.
namespace di_flag {
enum : uint64_t {
  kAccessMask = 3,  // 1 private, 2 protected, 3 public
  kFwdDecl = 1u << 2,
  kVirtual = 1u << 5,
  kArtificial = 1u << 6,
  kExplicit = 1u << 7,
  kPrototyped = 1u << 8,
  kObjectPointer = 1u << 10,
  kVector = 1u << 11,
  kStaticMember = 1u << 12,
  kLValueReference = 1u << 13,
  kRValueReference = 1u << 14,
  kExportSymbols = 1u << 15,
  kBitField = 1u << 19,
  kNoReturn = 1u << 20,
  kTypePassByValue = 1u << 22,
  kTypePassByReference = 1u << 23,
  kBigEndian = 1u << 27,
  kLittleEndian = 1u << 28,
};
}  // namespace di_flag

// The bits of a DISubprogram's `spFlags:`.
namespace di_sp_flag {
enum : uint64_t {
  kVirtualityMask = 3,
  kLocalToUnit = 1u << 2,
  kDefinition = 1u << 3,
  kPure = 1u << 5,
  kElemental = 1u << 6,
  kRecursive = 1u << 7,
  kMainSubprogram = 1u << 8,
};
}  // namespace di_sp_flag

uint64_t DebugFlags(const MetadataNode& node);
uint64_t SubprogramFlags(const MetadataNode& node);

// Returns true if the node says `key: true`, as in `isDefinition: true`.
bool IsTrue(const MetadataNode& node, std::string_view key);

// Returns the DWARF tag of a type, parameter or imported entity, or kTagNone if it has no known tag.
dwarf::Tag TagOf(const MetadataNode& node);

// Classify nodes.
bool IsType(const MetadataNode& node);
bool IsSubprogramDefinition(const MetadataNode& node);

// Returns the elements of the tuple that `key` refers to, or an empty span if there is no such tuple.
absl::Span<const MetadataOperand> ListOf(const Module& module, const MetadataNode& node, std::string_view key);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DWARF_METADATA_H_
