// SPDX-License-Identifier: Apache-2.0

// What the command line says about NVVMPassOptions: PassOptionRegistry, from which the flat struct is filled.
//
// Options arrive behind -opt or -Xopt, or as one of the reference's shorthands:
//
//     -opt "-do-licm=0"      -Xopt "-do-remat=0"      -memory-space-opt=0
//     --emit-optix-ir        is  -opt "-do-ip-msp=0 -do-licm=0"
//     -Ofast-compile=max     is  -opt "-fast-compile=max -memory-space-opt=0"; also mid and min
//
// Besides the documented names, "slot-N" names slot N, so that every slot can be set. An option "do-x" whose slot
// disables x is stored inverted there. Options whose slot the reference does not give are kept by name.
//
// Lookup follows the reference: by slot number, and a boolean is true if the first character of its lowered text
// is '1' or 't'; without a text the default decides. Unlike cicc, setting an option checks its value. Where cicc
// hashes slot numbers, this is an array: the numbers are dense.

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

// One option that was set. The reference gives the last three fields; the rest is ours.
struct OptionNode {
  enum Flag : int16_t {
    kSet = 1,        // by itself
    kShorthand = 2,  // by one of the flags that stand for several
  };

  const char* name = nullptr;  // zero-terminated
  uint64_t name_length = 0;
  int32_t option_index = 0;  // the slot; 0: none known
  char unused[20] = {};
  int16_t flags = 0;
  const char* const* values = nullptr;  // in the order of setting, zero-terminated; the last one counts
  int32_t value_count = 0;
};
static_assert(offsetof(OptionNode, flags) == 40);
static_assert(offsetof(OptionNode, values) == 48);
static_assert(offsetof(OptionNode, value_count) == 56);

// Owns the texts of all options. NvvmPassOptions structs filled from a registry point into it: it must outlive
// them, does not move, and is not changed while they are read (setting an option again would not harm them, but
// they would not show it). Reading it from several threads is safe.
class PassOptionRegistry {
 public:
  explicit PassOptionRegistry(int32_t opt_level = 2) : opt_level_(opt_level) {}
  PassOptionRegistry(const PassOptionRegistry&) = delete;
  PassOptionRegistry& operator=(const PassOptionRegistry&) = delete;

  int32_t opt_level() const { return opt_level_; }
  void set_opt_level(int32_t opt_level) { opt_level_ = opt_level; }

  // --- Setting. Errors are kInvalidArgument and name the text; the wrong option is not set. ---

  // Takes what has its own place on the command line, without dashes: "opt=-do-licm=0", "Xopt=-do-remat=0",
  // "memory-space-opt=0", "emit-optix-ir", "Ofast-compile=max". False for everything else.
  absl::StatusOr<bool> ParseFlag(std::string_view flag);
  // Whether a flag of this name, without "=", takes the next argument as its value: -opt, -Xopt, -Ofast-compile.
  static bool RequiresValue(std::string_view name);
  // Offers the names of those flags.
  static void ConsiderFlags(NearestName& nearest);
  // Takes what stands behind -opt: options with their dashes, separated by blanks.
  absl::Status ParseOptText(std::string_view text);
  // Sets an option by name, without dashes. No value is "1" for a boolean and an error for others.
  absl::Status SetOption(std::string_view name, std::optional<std::string_view> value,
                         int16_t flags = OptionNode::kSet);
  // Sets a slot as it is stored, uninverted. No value leaves the slot at its default, but found.
  absl::Status SetSlot(int slot, std::optional<std::string_view> value, int16_t flags = OptionNode::kSet);

  // --- Reading. ---

  // Null when the slot was not set, or there is no such slot.
  const OptionNode* LookupOption(int slot) const;
  // The same for an option without a known slot.
  const OptionNode* LookupNamed(std::string_view name) const;
  // The text that was set last; the default otherwise. Null for a name without one and for unknown names.
  std::optional<std::string_view> NamedValue(std::string_view name) const;
  // The three steps of the reference. The boolean is in the low 8 bits, the node's flags in the next 32.
  uint64_t GetBoolOption(int slot, std::string_view default_text) const;
  // What was set last, or the default; zero-terminated if that is.
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
  // For shorthands: sets these options to these values.
  absl::Status SetAll(absl::Span<const std::pair<std::string_view, std::string_view>> options);

  int32_t opt_level_;
  std::array<Entry, kNumPassOptionSlots> slots_;
  std::vector<Entry> named_ = std::vector<Entry>(NamedPassOptions().size());
  std::deque<std::string> texts_;  // its elements do not move
};

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_PASS_OPTION_REGISTRY_H_
