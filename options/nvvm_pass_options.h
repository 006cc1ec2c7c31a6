// SPDX-License-Identifier: Apache-2.0

// NvvmPassOptions: cicc's NVVMPassOptions, a flat struct of 4,512 bytes and 221 slots that decides which passes
// run. It is filled once from a PassOptionRegistry. The pipeline's assembler then reads bytes at fixed offsets. It
// is trivially copyable: both phases of a concurrent compilation use the same struct, and each thread has a copy.
// Its strings and its header point into the registry, which must outlive it (pass_option_registry.h).
//
// The documents about cicc determine the layout completely: 16 bytes of header, then the slots in order, then a
// trailer of 32 zero bytes. Each slot is as large as its type and aligned to 4 (strings, which hold a pointer, to
// 8). Slots 1-6 are strings. From 7 on, even slots are strings and odd ones are toggles or integers, except for
// 160-163 (three strings and a toggle), 181 (28 bytes) and 190-193 (two strings and two toggles). This gives every
// offset that the documents state with a single slot number, the five counts, and the position of the trailer.
// tests/options/nvvm_pass_options_layout_test.cc shows that no other sequence of sizes does.
//
// The documents contain some contradictions, which the layout resolves:
//   - The offset table labels most rows with a pair of slots, as "280: 14-15". Each such label is one pair too
//     high: the byte at 280 is slot 13, the one at 2320 is 115.
//   - For the same reason "do-remat: offset 2320 (slot 117)" is offset 2320, slot 115. Slot 117 is at 2360, as in
//     the table of defaults.
//   - "3704: slot 185" is slot 183. Slot 185 is at 3744.
//   - "Slots 196-207 alternate STRING and INTEGER" would give eight integers. By number, list and size there are
//     six, so 199 and 201 are toggles (201 is read as a value).
//   - "Slot 181 consumes 28 bytes" is right, but 4 more bytes follow before the pointer of slot 182.
//   - Slots 19, 25 and 117 are on by default and "must be explicitly disabled", but are guarded by !opts[offset],
//     which would never run their passes. Defaults and guards are kept as documented. These passes are not part of
//     this back end.
//   - The packed result of getBoolOption holds "flags" in bits 8 to 39 in one place and the option's index in
//     another. Here these bits are flags, and every slot's index field holds its number.
//   - The documents do not say what PassDef+36 and +40 override. Here, the toggles that check these fields
//     (BoolInline) take their pass id from the definition numbered override_index. This is the definition of
//     their string slot, which has the same pass id.

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
#include "base/diagnostics.h"
#include "options/knobs.h"
#include "options/pass_option_registry.h"
#include "options/pass_option_table.h"

namespace ptxmir {

struct StringOption {
  const char* value;  // zero-terminated; owned by the registry, or static
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
  const char* data;  // like StringOption::value
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

  // The slots: StringOption slot_1, ... BoolCompactOption slot_221.
#define PTXMIR_SLOT(number, Kind, ...) Kind##Option slot_##number;
#include "options/nvvm_pass_option_table.inc"

  uint64_t trailer[4];  // all zero
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
  int32_t pass_id;  // number of the toggle or integer that ends the pair
  uint8_t has_overrides;
  char padding[3];
  int16_t override_index;  // 0 if none
  char unused_tail[22];
};
static_assert(sizeof(PassDef) == 64);
static_assert(offsetof(PassDef, pass_id) == 32);
static_assert(offsetof(PassDef, has_overrides) == 36);
static_assert(offsetof(PassDef, override_index) == 40);

// Returns one definition per slot.
absl::Span<const PassDef> PassDefTable();
// Returns a definition by its 1-based number, or null if there is none.
const PassDef* GetPassDef(int pass_index);

// Returns the offset of a slot in the struct, or 0 if there is no such slot.
size_t PassOptionOffset(int slot);

// Fills the struct from a registry.
NvvmPassOptions MakeNvvmPassOptions(const PassOptionRegistry& registry);

// Returns the byte at an offset, as the pipeline's assembler reads it, or 0 outside the struct.
uint8_t PassOptionByte(const NvvmPassOptions& options, size_t offset);

// Returns true if the options let one of our passes run. Checks every slot that gates the pass, at its offset and
// in the sense of its guard, and every option without a slot that gates it. Returns true for a pass without a
// gate.
bool PassGate(const NvvmPassOptions& options, std::string_view machine_pass);
// Returns lists of names (see ListsName) of the passes that the options do not let run. For callers that ask about
// many passes.
std::vector<std::string_view> GatedOffPasses(const NvvmPassOptions& options);

// Returns the number of functions to compile at the same time: slot 203, else slot 205, else (-1 or 0, the
// default) the number of processors.
int ThreadCount(const NvvmPassOptions& options, int num_processors);

// Sets the knob of each option that has the same meaning as a knob, unless the knob itself was set. Errors
// (kInvalidArgument): the knob does not accept the value.
absl::Status ForwardPassOptionsToKnobs(const PassOptionRegistry& registry, Knobs& knobs);

// Reports a warning for each option that was set and that nothing reads, with the reason.
void WarnOfPassOptionsWithoutEffect(const PassOptionRegistry& registry, DiagnosticEngine& diagnostics);

// Returns the listing for -print-options. For every slot: number, offset, type, option, value, whether it was set,
// the pass with guard and confidence, and what reads the slot in this project. Then come the options without a
// known slot.
std::string PrintPassOptions(const NvvmPassOptions& options);

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_NVVM_PASS_OPTIONS_H_
