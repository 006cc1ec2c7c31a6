// SPDX-License-Identifier: Apache-2.0

// Knobs: the tunable numbers and switches of the passes, under the reference's names.
//
// One table (knob_table.inc) lists every knob with its type, default, range, the pass that reads it and help.
// A `Knobs` is a plain value: a compilation, and each function in it, has its own copy, and nothing is global,
// so two threads can compile with different knobs. Reading is a load at a constant index:
//
//     for (int round = 0; round < knobs.nv_remat_max_times(); ++round) ...
//     const bool hoist = knobs.enable_mlicm().value_or(opt_level >= 1);
//
// Setting is by name, from the command line (`ParseFlag`), from C++ (`Set`) or from a function's attributes
// (`KnobsForFunction`); each knob remembers who set it last. All setting is checked: a wrong name, type or range
// is a kInvalidArgument that names the text, the nearest knob or the range.

#ifndef PTXMIR_OPTIONS_KNOBS_H_
#define PTXMIR_OPTIONS_KNOBS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/diagnostics.h"
#include "base/nearest_name.h"
#include "ir/ir_attributes.h"

namespace ptxmir {

enum class MachineOutlinerMode : uint8_t { kDisable, kEnable, kGuaranteedBeneficial };
enum class SchedulingMode : uint8_t { kFull, kSimple };
enum class SpillPolicy : uint8_t { kAuto, kNever, kAlways };
enum class SpillSpace : uint8_t { kLocal, kShared, kAuto };
enum class RegisterStress : uint8_t { kNone, kSpillAll, kSplit };
enum class ScheduleStress : uint8_t { kNone, kShuffle };

enum class KnobType : uint8_t { kBool, kOptionalBool, kInt, kOptionalInt, kEnum, kList };
// Whether attributes of a function can set it.
enum class KnobScope : uint8_t { kFunction, kModule };
// What the elements of a list look like: any words, or name=integer.
enum class KnobElement : uint8_t { kNames, kKeyValues };
// Who set a knob last.
enum class KnobOrigin : uint8_t { kDefault, kApi, kCommandLine, kFunctionAttribute };

// The value of an optional knob whose reader decides.
inline constexpr int32_t kKnobIsAutomatic = std::numeric_limits<int32_t>::min();

struct KnobInfo {
  std::string_view name;   // without dashes
  std::string_view group;  // heading in listings
  KnobType type;
  KnobScope scope;
  int32_t default_value;  // of optional types, kKnobIsAutomatic; of lists, 0
  int32_t minimum;        // of integers
  int32_t maximum;
  absl::Span<const std::string_view> value_names;  // of enums, by value
  KnobElement element;                             // of lists
  std::string_view pass;                           // names separated by commas; empty: driver and pipeline
  std::string_view help;
  std::string_view automatic = "";  // what the reader of an optional knob decides on its own; else empty
  std::string_view absence = "";    // why nothing reads the knob; empty: something does

  bool is_optional() const { return type == KnobType::kOptionalBool || type == KnobType::kOptionalInt; }
  // "true or false", "an integer from 0 to 15", "auto, never or always"
  std::string ExpectedValues() const;
  // Whether "-knob" alone, without "=value", is an error (bools and the outliner's enum do without).
  bool RequiresValue() const;
};

// In the table's order.
absl::Span<const KnobInfo> KnobTable();
// Null when there is none. Also finds by alias: R is nvvm-reflect-add.
const KnobInfo* FindKnob(std::string_view name);
// Offers the names of all knobs.
void ConsiderKnobs(NearestName& nearest);

class Knobs {
  enum Index : size_t {
#define PTXMIR_KNOB_ANY(id) k_##id,
#include "options/knob_table.inc"
    kNumKnobs
  };
  enum ListIndex : size_t {
#define PTXMIR_KNOB_LIST(id, ...) k_list_##id,
#include "options/knob_table.inc"
    kNumLists
  };

 public:
  Knobs();  // every knob at its default

  // An accessor for each knob, by its name with underscores: bool, std::optional<bool>, int32_t, an enum, or a
  // list of texts.
#define PTXMIR_KNOB_BOOL(id, ...) \
  bool id() const { return values_[k_##id] != 0; }
#define PTXMIR_KNOB_OPTIONAL_BOOL(id, ...)                        \
  std::optional<bool> id() const {                                \
    if (values_[k_##id] == kKnobIsAutomatic) return std::nullopt; \
    return values_[k_##id] != 0;                                  \
  }
#define PTXMIR_KNOB_OPTIONAL_INT(id, ...)                         \
  std::optional<int32_t> id() const {                             \
    if (values_[k_##id] == kKnobIsAutomatic) return std::nullopt; \
    return values_[k_##id];                                       \
  }
#define PTXMIR_KNOB_INT(id, ...) \
  int32_t id() const { return values_[k_##id]; }
#define PTXMIR_KNOB_ENUM(id, name, scope, Enum, ...) \
  Enum id() const { return static_cast<Enum>(values_[k_##id]); }
#define PTXMIR_KNOB_LIST(id, ...) \
  const std::vector<std::string>& id() const { return lists_[k_list_##id]; }
#include "options/knob_table.inc"

  // Sets a knob by name. `value` is as behind the "=" of the flag; bools also take an empty one for true. A list
  // grows by the elements of `value` (separated by commas), and is emptied by an empty one.
  absl::Status Set(std::string_view name, std::string_view value, KnobOrigin origin = KnobOrigin::kApi);

  // `flag` is a command line argument without its one or two dashes: "nv-remat-max-times=5", "disable-copyprop".
  // False when there is no knob of that name; the flag is then somebody else's.
  absl::StatusOr<bool> ParseFlag(std::string_view flag, KnobOrigin origin = KnobOrigin::kCommandLine);

  // kDefault for a name that is no knob.
  KnobOrigin origin(std::string_view name) const;
  KnobOrigin origin(const KnobInfo& knob) const { return origins_[IndexOf(knob)]; }
  bool IsSet(std::string_view name) const { return origin(name) != KnobOrigin::kDefault; }
  // Returns the value as a flag gives it: "auto" for an optional knob whose reader decides.
  std::string ValueText(const KnobInfo& knob) const;

  // For what knows a knob by its description alone: whether it is true, or an enum beyond its first value;
  // `if_unset` for an optional bool that is not set.
  bool IsOn(const KnobInfo& knob, bool if_unset) const {
    const int32_t value = values_[IndexOf(knob)];
    return value == kKnobIsAutomatic ? if_unset : value != 0;
  }

  // The flags, with their dashes, that make these knobs of the defaults, in the table's order.
  std::vector<std::string> ExplicitFlags() const;

  // Equal values, whoever set them.
  bool HasSameValues(const Knobs& other) const { return values_ == other.values_ && lists_ == other.lists_; }

 private:
  static size_t IndexOf(const KnobInfo& knob) { return static_cast<size_t>(&knob - KnobTable().data()); }
  static std::optional<size_t> ListIndexOf(size_t index);

  absl::Status SetList(const KnobInfo& knob, std::string_view value);

  std::array<int32_t, kNumKnobs> values_;
  std::array<KnobOrigin, kNumKnobs> origins_{};
  std::array<std::vector<std::string>, kNumLists> lists_;
};

// Attributes of this prefix set knobs for one function: "ptxmir-maxreg"="64", "ptxmir-nv-disable-remat".
inline constexpr std::string_view kKnobAttributePrefix = "ptxmir-";

// The knobs of one function: `base` with what the function's attributes set, which being nearer outweigh the
// command line. Attributes that name no knob, a knob of the whole module or no valid value are reported as
// errors naming the function and have no effect. `attributes` may be null.
Knobs KnobsForFunction(const Knobs& base, const IrAttributes* attributes, std::string_view function_name,
                       DiagnosticEngine& diagnostics);

// Returns true if a pass or an analysis of that name exists here.
using PassImplementedFunction = absl::FunctionRef<bool(std::string_view pass)>;

// Warns of each knob of that origin that has no effect: none of its passes exists, or nothing reads it. The warnings
// begin with `context`.
void WarnOfKnobsWithoutEffect(const Knobs& knobs, KnobOrigin origin, std::string_view context,
                              PassImplementedFunction is_implemented, DiagnosticEngine& diagnostics);

// For -print-knobs: name, default, value, type with range, pass and help of every knob, in the table's order.
std::string PrintKnobs(const Knobs& knobs, PassImplementedFunction is_implemented);

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_KNOBS_H_
