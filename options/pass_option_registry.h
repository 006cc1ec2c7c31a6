// SPDX-License-Identifier: Apache-2.0

// PassOptionRegistry: the NVVMPassOptions that the command line sets. The flat struct is filled from it.
//
// Options follow -opt or -Xopt, or are set by one of cicc's shorthands:
//
//     -opt "-do-licm=0"      -Xopt "-do-remat=0"      -memory-space-opt=0
//     --emit-optix-ir        is  -opt "-do-ip-msp=0 -do-licm=0"
//     -Ofast-compile=max     is  -opt "-fast-compile=max -memory-space-opt=0"; also mid and min
//
// In addition to the documented names, "slot-N" names slot N, so that every slot can be set. If the slot of an
// option "do-x" disables x, the option is stored inverted. Options whose slot is not documented are kept by name.
//
// Lookup follows cicc. It is by slot number. A boolean is true if the first character of its text in lower case is
// '1' or 't'; without a text, the default decides. Unlike cicc, setting an option checks its value. cicc hashes
// slot numbers; here they index an array, because they are dense.

#ifndef PTXMIR_OPTIONS_PASS_OPTION_REGISTRY_H_
#define PTXMIR_OPTIONS_PASS_OPTION_REGISTRY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/nearest_name.h"
#include "options/pass_option_table.h"

namespace ptxmir {

// One option that was set. The last three fields are as documented for cicc; the others are our own.
struct OptionNode {
  enum Flag : int16_t {
    kSet = 1,        // set by itself
    kShorthand = 2,  // set by a flag that stands for several options
  };

  const char* name = nullptr;  // zero-terminated
  uint64_t name_length = 0;
  int32_t option_index = 0;  // the slot; 0 if unknown
  char unused[20] = {};
  int16_t flags = 0;
  const char* const* values = nullptr;  // zero-terminated, in the order of setting; the last one counts
  int32_t value_count = 0;
};
static_assert(offsetof(OptionNode, flags) == 40);
static_assert(offsetof(OptionNode, values) == 48);
static_assert(offsetof(OptionNode, value_count) == 56);

// Owns the texts of all options. NvvmPassOptions structs that are filled from a registry point into it. The
// registry must outlive them. It does not move, and it must not be changed while they are read. (Setting an option
// again would not break them, but they would not show the new value.) Several threads may read it at once.
class PassOptionRegistry {
 public:
  explicit PassOptionRegistry(int32_t opt_level = 2) : opt_level_(opt_level) {}
  PassOptionRegistry(const PassOptionRegistry&) = delete;
  PassOptionRegistry& operator=(const PassOptionRegistry&) = delete;

  int32_t opt_level() const { return opt_level_; }
  void set_opt_level(int32_t opt_level) { opt_level_ = opt_level; }

  // --- Setting. Errors are kInvalidArgument and name the text. An option with an error is not set. ---

  // Handles the flags of the command line itself, without dashes: "opt=-do-licm=0", "Xopt=-do-remat=0",
  // "memory-space-opt=0", "emit-optix-ir", "Ofast-compile=max". Returns false for all others.
  absl::StatusOr<bool> ParseFlag(std::string_view flag);
  // Returns true if a flag with this name, without "=", takes the next argument as its value: -opt, -Xopt,
  // -Ofast-compile.
  static bool RequiresValue(std::string_view name);
  // Offers the names of those flags.
  static void ConsiderFlags(NearestName& nearest);
  // Parses the text after -opt: options with their dashes, separated by blanks.
  absl::Status ParseOptText(std::string_view text);
  // Sets an option by name, without dashes. A missing value is "1" for a boolean and an error for other types.
  absl::Status SetOption(std::string_view name, std::optional<std::string_view> value,
                         int16_t flags = OptionNode::kSet);
  // Sets a slot to the value to store, without inverting it. Without a value, the slot keeps its default but
  // LookupOption finds it.
  absl::Status SetSlot(int slot, std::optional<std::string_view> value, int16_t flags = OptionNode::kSet);

  // --- Reading. ---

  // Returns null if the slot was not set or does not exist.
  const OptionNode* LookupOption(int slot) const;
  // Like LookupOption, for an option without a known slot.
  const OptionNode* LookupNamed(std::string_view name) const;
  // Returns the text that was set last, or the default. Null for an unknown name and for an option without a
  // default.
  std::optional<std::string_view> NamedValue(std::string_view name) const;
  // Return the value of an option as cicc resolves it. For booleans, the value is in the low 8 bits and the node's
  // flags are in the next 32.
  uint64_t GetBoolOption(int slot, std::string_view default_text) const;
  // Returns the text that was set last, or the default. Zero-terminated if the default is.
  std::string_view GetStringOption(int slot, std::string_view default_text) const;
  int32_t GetIntegerOption(int slot, std::string_view default_text) const;

  static bool UnpackBool(uint64_t packed) { return (packed & 0xff) != 0; }
  static int32_t UnpackFlags(uint64_t packed) { return static_cast<int32_t>(packed >> 8 & 0xffffffff); }

 private:
  struct Entry {
    OptionNode node;
    std::vector<const char*> values;
    bool found = false;
  };

  void Store(Entry& entry, std::string_view name, int slot, std::optional<std::string_view> value, int16_t flags);
  // Sets several options to the given values, for shorthands.
  absl::Status SetAll(absl::Span<const std::pair<std::string_view, std::string_view>> options);

  int32_t opt_level_;
  std::array<Entry, kNumPassOptionSlots> slots_;
  std::vector<Entry> named_ = std::vector<Entry>(NamedPassOptions().size());
  std::deque<std::string> texts_;  // a deque, because its elements do not move
};

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_PASS_OPTION_REGISTRY_H_
