// SPDX-License-Identifier: Apache-2.0

// Reads the facts that line information needs from the module's metadata: locations, scopes, source files and
// compile units. Each node is decoded once and cached.

#ifndef PTXMIR_PTX_DWARF_DEBUG_INFO_H_
#define PTXMIR_PTX_DWARF_DEBUG_INFO_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir::ptx {

inline constexpr MetadataId kNoMetadata = ~MetadataId{0};

// A DILocation. `scope` and `inlined_at` are metadata numbers.
struct DebugLocation {
  uint32_t line = 0;
  uint32_t column = 0;
  MetadataId scope = kNoMetadata;
  MetadataId inlined_at = kNoMetadata;

  // Returns true if there is a location.
  bool is_valid() const { return scope != kNoMetadata; }
  friend bool operator==(const DebugLocation&, const DebugLocation&) = default;
};

// A DISubprogram, DILexicalBlock or DILexicalBlockFile.
struct DebugScope {
  enum class Kind : uint8_t { kNone, kSubprogram, kBlock, kBlockFile };
  Kind kind = Kind::kNone;
  MetadataId parent = kNoMetadata;  // of blocks
  MetadataId file = kNoMetadata;
  MetadataId unit = kNoMetadata;  // of subprograms
  uint32_t scope_line = 0;        // of subprograms
};

enum class EmissionKind : uint8_t { kNoDebug, kFullDebug, kLineTablesOnly, kDirectivesOnly };

class DebugInfo {
 public:
  explicit DebugInfo(const Module& module);

  // Returns true if some compile unit asks for debug information.
  bool is_present() const { return is_present_; }
  // Returns true if some compile unit asks for more than .loc and .file.
  bool wants_dwarf() const { return wants_dwarf_; }

  // Returns the DISubprogram of a function, or kNoMetadata if it has none or its unit asks for no debug information.
  MetadataId SubprogramOf(const IrFunction& function);
  // Returns the location of an instruction. The location is invalid if the instruction has none.
  const DebugLocation& LocationOf(const MachineInstr& instr);
  // Returns the location with this number, which another node refers to (inlinedAt).
  const DebugLocation& Location(MetadataId id);
  const DebugScope& Scope(MetadataId id);
  // Returns the innermost enclosing scope that is not a DILexicalBlockFile, which may be `scope` itself.
  MetadataId SkipBlockFiles(MetadataId scope);
  EmissionKind EmissionKindOf(MetadataId unit) const;
  // Returns the emission kind of the unit that the scope's subprogram belongs to.
  EmissionKind EmissionKindOfScope(MetadataId scope);

  // Forgets the inline nodes of machine code, which are interned per function. Call it when another function begins.
  void ForgetInlineLocations() { inline_locations_.clear(); }

  // Returns the number of a DIFile in .file. Numbers are assigned in the order in which files are first asked for. A
  // file without a name, or no file at all (kNoMetadata), is "<stdin>", as in LLVM.
  uint32_t FileNumber(MetadataId file);
  // The paths of the files 1, 2, ...
  const std::vector<std::string>& files() const { return files_; }

 private:
  // The first of the numbers for locations that are nested in an inline location (inlinedAt: !DILocation(...)).
  static constexpr MetadataId kNestedLocation = MetadataId{1} << 31;

  DebugLocation ReadLocation(const MetadataNode* node);
  MetadataId InternNestedLocation(const MetadataNode* node);

  const Module& module_;
  bool is_present_ = false;
  bool wants_dwarf_ = false;
  // The tables point to their nodes, so that references stay valid while more nodes are read.
  absl::flat_hash_map<MetadataId, const DebugLocation*> locations_;
  absl::flat_hash_map<MetadataId, const DebugLocation*> inline_locations_;
  absl::flat_hash_map<MetadataId, const DebugScope*> scopes_;
  // The nested locations by number. Equal locations share one number, as in LLVM.
  std::vector<DebugLocation> nested_locations_;
  absl::flat_hash_map<std::tuple<uint32_t, uint32_t, MetadataId, MetadataId>, MetadataId> nested_location_ids_;
  std::deque<DebugLocation> location_storage_;
  std::deque<DebugScope> scope_storage_;
  absl::flat_hash_map<MetadataId, uint32_t> file_numbers_;
  absl::flat_hash_map<std::string, uint32_t> file_numbers_by_path_;
  std::vector<std::string> files_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DEBUG_INFO_H_
