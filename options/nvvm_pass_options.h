// SPDX-License-Identifier: Apache-2.0

// NvvmPassOptions: cicc's NVVMPassOptions, the flat struct of 4,512 bytes and 221 slots that says which passes
// run. It is filled once from a PassOptionRegistry; the pipeline's assembler then reads bytes at fixed offsets.
// It is trivially copyable: both phases of a concurrent compilation use the same struct, each thread a copy.
// Its strings and its header point into the registry, which must outlive it (pass_option_registry.h).
//
// The layout follows from the reference without a choice: 16 bytes of header, then the slots in order, each as
// large as its type and aligned to 4 (strings, which hold a pointer, to 8), then a trailer of 32 zero bytes. Slots
// 1-6 are strings; from 7 on, even slots are strings and odd ones toggles or integers, but for 160-163 (three
// strings and a toggle), 181 (28 bytes) and 190-193 (two strings and two toggles). With that, every offset that
// is given with a single slot number comes out, and so do the five counts and the trailer's place;
// tests/options/nvvm_pass_options_layout_test.cc shows that no other sequence of sizes fits.
//
// Where the reference contradicts itself, the layout decides:
//   - The offset table labels most rows with a pair of slots, as "280: 14-15". Each such label is one pair too
//     high: the byte at 280 is slot 13, the one at 2320 is 115.
//   - For that reason "do-remat: offset 2320 (slot 117)" is offset 2320, slot 115; slot 117 is at 2360, as in the
//     table of defaults.
//   - "3704: slot 185" is slot 183; 185 is at 3744.
//   - "Slots 196-207 alternate STRING and INTEGER" would make eight integers; there are six by number, list and
//     size, so that 199 and 201 are toggles (201 is read as a value).
//   - "Slot 181 consumes 28 bytes": so it does, and 4 more before the pointer of slot 182.
//   - Slots 19, 25 and 117 are on by default and "must be explicitly disabled", yet guarded by !opts[offset], which
//     would never run their passes. Defaults and guards are kept as they are; the passes lie outside this back
//     end.
//   - getBoolOption's packed result carries "flags" in bits 8 to 39 in one place and the option's index in another.
//     It is flags here, and every slot's index field holds its number.
//   - What PassDef+36 and +40 override is not said. Here the toggles that check them (BoolInline) take their pass id
//     from the definition numbered override_index, that of their string slot, which has the same one.

#ifndef PTXMIR_OPTIONS_NVVM_PASS_OPTIONS_H_
#define PTXMIR_OPTIONS_NVVM_PASS_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "options/knobs.h"
#include "options/pass_option_registry.h"
#include "options/pass_option_table.h"

namespace ptxmir {

struct StringOption {
  const char* value;  // zero-terminated, owned by the registry or static
  int32_t option_index;
  int32_t flags;  // PassDef::override_index
  int32_t opt_level;
  int32_t pass_id;
};
static_assert(sizeof(StringOption) == 24);

struct BoolCompactOption {
  uint8_t value;
  uint8_t padding[3];
  int32_t option_index;
  int32_t flags;  // PassDef::override_index
  int32_t pass_id;
};
static_assert(sizeof(BoolCompactOption) == 16);

struct BoolInlineOption {
  uint8_t value;
  uint8_t padding[3];
  int32_t option_index;
  int32_t opt_level;
  int32_t pass_id;
};
static_assert(sizeof(BoolInlineOption) == 16);

struct IntegerOption {
  int32_t value;
  int32_t option_index;
  int32_t opt_level;
  int32_t pass_id;
};
static_assert(sizeof(IntegerOption) == 16);

struct __attribute__((packed, aligned(4))) StringPtrOption {
  const char* data;  // as StringOption::value
  uint64_t length;
  int32_t option_index;
  int32_t opt_level;
  int32_t pass_id;
};
static_assert(sizeof(StringPtrOption) == 28);

struct NvvmPassOptions {
  int32_t opt_level;
  int32_t padding;
  const PassOptionRegistry* registry;

  // StringOption slot_1, ... BoolCompactOption slot_221.
#define PTXMIR_SLOT(number, Kind, ...) Kind##Option slot_##number;
#include "options/nvvm_pass_option_table.inc"

  uint64_t trailer[4];  // zero
};
static_assert(sizeof(NvvmPassOptions) == 4512);
static_assert(offsetof(NvvmPassOptions, registry) == 8);
static_assert(offsetof(NvvmPassOptions, slot_1) == 16);
static_assert(offsetof(NvvmPassOptions, trailer) == 4480);
static_assert(std::is_trivially_copyable_v<NvvmPassOptions> && std::is_standard_layout_v<NvvmPassOptions>);

// Describes the pass that a slot belongs to.
struct PassDef {
  const char* name;
  uint64_t name_length;
  char unused[16];
  int32_t pass_id;  // the number of the toggle or integer that ends the pair
  uint8_t has_overrides;
  char padding[3];
  int16_t override_index;  // 0: none
  char unused_tail[22];
};
static_assert(sizeof(PassDef) == 64);
static_assert(offsetof(PassDef, pass_id) == 32);
static_assert(offsetof(PassDef, has_overrides) == 36);
static_assert(offsetof(PassDef, override_index) == 40);

// One for each slot.
absl::Span<const PassDef> PassDefTable();
// From 1 on; null when there is none.
const PassDef* GetPassDef(int pass_index);

// Where a slot begins in the struct; 0 for a number that is no slot's.
size_t PassOptionOffset(int slot);

// Flattens a registry.
NvvmPassOptions MakeNvvmPassOptions(const PassOptionRegistry& registry);

// The byte at an offset, as the pipeline's assembler reads it; 0 outside the struct.
uint8_t PassOptionByte(const NvvmPassOptions& options, size_t offset);

// Whether the options let one of our passes run: every slot that gates it, read at its offset and in its guard's
// sense, and every option without a slot that does. True for passes that no option gates.
bool PassGate(const NvvmPassOptions& options, std::string_view machine_pass);
// The passes that the options do not let run, as lists of names (ListsName): for who asks about many passes.
std::vector<std::string_view> GatedOffPasses(const NvvmPassOptions& options);

// Functions compiled at the same time: slot 203, else 205, else (-1 or 0, the default) as many as there are
// processors.
int ThreadCount(const NvvmPassOptions& options, int num_processors);

// Options that mean the same as a knob set that knob, unless it was set itself.
// Errors (kInvalidArgument): a value that the knob does not take.
absl::Status ForwardPassOptionsToKnobs(const PassOptionRegistry& registry, Knobs& knobs);

// For -print-options: every slot with number, offset, type, option, value, whether that was set, the pass with
// guard and confidence, and what reads it here; then the options that have no known slot.
std::string PrintPassOptions(const NvvmPassOptions& options);

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_NVVM_PASS_OPTIONS_H_
