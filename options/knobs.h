// SPDX-License-Identifier: Apache-2.0

// Knobs: the tunable numbers and switches of the passes, under cicc's names.
//
// One table (knob_table.inc) lists every knob with its type, default, range, help, and the pass that reads it. A
// `Knobs` is a plain value. Each compilation, and each function in it, has its own copy. Nothing is global, so two
// threads can compile with different knobs. Reading a knob is a load at a constant index:
//
//     for (int round = 0; round < knobs.nv_remat_max_times(); ++round) ...
//     const bool hoist = knobs.enable_mlicm().value_or(opt_level >= 1);
//
// Knobs are set by name: from the command line (`ParseFlag`), from C++ (`Set`) or from a function's attributes
// (`KnobsForFunction`). Each knob remembers what set it last. All settings are checked. A wrong name, type or
// range is a kInvalidArgument; its message names the text and the nearest knob or the range.

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
// The form of the elements of a list: any words, name=integer, or class:number for a number of registers of a class.
enum class KnobElement : uint8_t { kNames, kKeyValues, kRegisterCounts };
// The number of registers of a class in an element of a list.
struct RegisterCount {
  std::string_view class_name;  // as MIR spells it
  int32_t count = 0;
};
// Parses an element such as "b64:16". Returns nullopt if there is no such class, or the number is not from 1 to 255.
std::optional<RegisterCount> ParseRegisterCount(std::string_view element);
// The last thing that set a knob.
enum class KnobOrigin : uint8_t { kDefault, kApi, kCommandLine, kFunctionAttribute };

// The value of an optional knob whose reader decides.
inline constexpr int32_t kKnobIsAutomatic = std::numeric_limits<int32_t>::min();

struct KnobInfo {
  std::string_view name;   // without dashes
  std::string_view group;  // the heading in listings
  KnobType type;
  KnobScope scope;
  int32_t default_value;  // of optional types, kKnobIsAutomatic; of lists, 0
  int32_t minimum;        // of integers
  int32_t maximum;
  absl::Span<const std::string_view> value_names;  // the values of an enum, in order; the classes of register counts
  KnobElement element;                             // only for lists
  std::string_view pass;  // the passes that read it, separated by commas; empty: driver and pipeline
  std::string_view help;
  std::string_view automatic = "";  // what the reader of an optional knob decides on its own; else empty
  std::string_view absence = "";    // why nothing reads the knob; empty: something does

  bool is_optional() const { return type == KnobType::kOptionalBool || type == KnobType::kOptionalInt; }
  // "true or false", "an integer from 0 to 15", "auto, never or always"
  std::string ExpectedValues() const;
  // Returns the placeholder of the value in a usage line: "n", "auto|never|always", "name=n". Empty for bools.
  std::string ValueName() const;
  // Returns true if "-knob" without "=value" is an error. Bools and the outliner's enum need no value.
  bool RequiresValue() const;
};

// Returns all knobs, in the table's order.
absl::Span<const KnobInfo> KnobTable();
// Returns null if there is none. Also finds a knob by an alias: R is nvvm-reflect-add.
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
  Knobs();  // all knobs have their defaults

  // One accessor per knob, named like the knob but with underscores. It returns a bool, a std::optional<bool>, an
  // int32_t, an enum, or a list of texts.
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

  // Sets a knob by name. `value` is the text after the "=" of the flag; an empty text sets a bool to true. A list
  // is extended by the elements of `value` (separated by commas); an empty text clears it.
  absl::Status Set(std::string_view name, std::string_view value, KnobOrigin origin = KnobOrigin::kApi);

  // Sets a knob from a command line argument without its one or two dashes: "nv-remat-max-times=5",
  // "disable-copyprop". Returns false if there is no knob with this name; the flag is then not a knob.
  absl::StatusOr<bool> ParseFlag(std::string_view flag, KnobOrigin origin = KnobOrigin::kCommandLine);

  // Returns kDefault for a name that is not a knob.
  KnobOrigin origin(std::string_view name) const;
  KnobOrigin origin(const KnobInfo& knob) const { return origins_[IndexOf(knob)]; }
  bool IsSet(std::string_view name) const { return origin(name) != KnobOrigin::kDefault; }
  // Returns the value as a flag gives it: "auto" for an optional knob whose reader decides.
  std::string ValueText(const KnobInfo& knob) const;

  // Returns true if a bool is true or an enum has any value but its first. Returns `if_unset` for an optional bool
  // that is not set. For code that knows the knob only by its description.
  bool IsOn(const KnobInfo& knob, bool if_unset) const {
    const int32_t value = values_[IndexOf(knob)];
    return value == kKnobIsAutomatic ? if_unset : value != 0;
  }

  // Returns the flags, with their dashes, that produce these knobs from the defaults. In the table's order.
  std::vector<std::string> ExplicitFlags() const;

  // Returns true if all values are equal. Origins are not compared.
  bool HasSameValues(const Knobs& other) const { return values_ == other.values_ && lists_ == other.lists_; }

 private:
  static size_t IndexOf(const KnobInfo& knob) { return static_cast<size_t>(&knob - KnobTable().data()); }
  static std::optional<size_t> ListIndexOf(size_t index);

  absl::Status SetList(const KnobInfo& knob, std::string_view value);

  std::array<int32_t, kNumKnobs> values_;
  std::array<KnobOrigin, kNumKnobs> origins_{};
  std::array<std::vector<std::string>, kNumLists> lists_;
};

// Attributes with this prefix set knobs for one function: "ptxmir-maxreg"="64", "ptxmir-nv-disable-remat".
inline constexpr std::string_view kKnobAttributePrefix = "ptxmir-";

// Returns the knobs of one function: `base`, changed by the function's attributes, which take precedence over the
// command line. An attribute with an unknown knob, a knob of the whole module or an invalid value has no effect
// and is reported as an error that names the function. `attributes` may be null.
Knobs KnobsForFunction(const Knobs& base, const IrAttributes* attributes, std::string_view function_name,
                       DiagnosticEngine& diagnostics);

// Returns true if a pass or an analysis of that name exists here.
using PassImplementedFunction = absl::FunctionRef<bool(std::string_view pass)>;

// Warns of each knob of that origin that has no effect: none of its passes exists, or nothing reads it. The warnings
// begin with `context`.
void WarnOfKnobsWithoutEffect(const Knobs& knobs, KnobOrigin origin, std::string_view context,
                              PassImplementedFunction is_implemented, DiagnosticEngine& diagnostics);

// Returns the listing for -print-knobs: name, default, value, type with range, pass and help of every knob, in the
// table's order.
std::string PrintKnobs(const Knobs& knobs, PassImplementedFunction is_implemented);

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_KNOBS_H_
