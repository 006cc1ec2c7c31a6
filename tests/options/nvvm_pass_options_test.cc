// SPDX-License-Identifier: Apache-2.0

#include "options/nvvm_pass_options.h"

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

std::string Message(const absl::Status& status) { return std::string(FromAbsl(status.message())); }

// cicc's tables: the 14 toggles that are on by default, and the defaults of the integers.
const std::map<int, uint8_t> kDefaultOnByOffset = {{400, 1},  {520, 1},  {1880, 1}, {1920, 1}, {2360, 1},
                                                   {2840, 1}, {2880, 1}, {3040, 1}, {3120, 1}, {3160, 1},
                                                   {3200, 1}, {3328, 1}, {4264, 1}, {4424, 1}};

TEST(NvvmPassOptionsTest, DefaultsAreTheReferences) {
  const PassOptionRegistry registry(2);
  const NvvmPassOptions options = MakeNvvmPassOptions(registry);
  EXPECT_EQ(options.opt_level, 2);
  EXPECT_EQ(options.registry, &registry);
  size_t num_on = 0;
  for (const PassOptionSlot& slot : PassOptionSlots()) {
    if (!IsBool(slot.kind)) continue;
    const int offset = static_cast<int>(PassOptionOffset(slot.number));
    EXPECT_EQ(PassOptionByte(options, offset), kDefaultOnByOffset.count(offset)) << "slot " << slot.number;
    num_on += PassOptionByte(options, offset);
  }
  EXPECT_EQ(num_on, 14u);
  EXPECT_EQ(options.slot_9.value, 1);
  EXPECT_EQ(options.slot_197.value, 20);
  EXPECT_EQ(options.slot_203.value, -1);
  EXPECT_EQ(options.slot_205.value, -1);
  EXPECT_EQ(options.slot_207.value, -1);
  EXPECT_EQ(options.slot_215.value, 0);
  EXPECT_STREQ(options.slot_8.value, "");
  EXPECT_EQ(std::string_view(options.slot_181.data, options.slot_181.length), "ptx");
  for (const uint64_t word : options.trailer) EXPECT_EQ(word, 0u);
}

TEST(NvvmPassOptionsTest, EverySlotKnowsItsNumberAndPass) {
  const PassOptionRegistry registry(3);
  const NvvmPassOptions options = MakeNvvmPassOptions(registry);
  const auto word = [&](size_t offset) {
    int32_t value;
    std::memcpy(&value, reinterpret_cast<const char*>(&options) + offset, sizeof value);
    return value;
  };
  for (const PassOptionSlot& slot : PassOptionSlots()) {
    SCOPED_TRACE(slot.number);
    const size_t offset = PassOptionOffset(slot.number);
    const int32_t pass_id = GetPassDef(slot.number)->pass_id;
    switch (slot.kind) {
      case SlotKind::kString:
        EXPECT_EQ(word(offset + 8), slot.number);
        EXPECT_EQ(word(offset + 16), 3);
        EXPECT_EQ(word(offset + 20), pass_id);
        break;
      case SlotKind::kBoolCompact:
        EXPECT_EQ(word(offset + 4), slot.number);
        EXPECT_EQ(word(offset + 12), pass_id);
        break;
      case SlotKind::kBoolInline:
      case SlotKind::kInteger:
        EXPECT_EQ(word(offset + 4), slot.number);
        EXPECT_EQ(word(offset + 8), 3);
        EXPECT_EQ(word(offset + 12), pass_id);
        break;
      case SlotKind::kStringPtr:
        EXPECT_EQ(word(offset + 16), slot.number);
        EXPECT_EQ(word(offset + 20), 3);
        EXPECT_EQ(word(offset + 24), pass_id);
        break;
    }
  }
}

// Each slot is set to a value other than its default. The value arrives at the slot's offset and nowhere else.
TEST(NvvmPassOptionsTest, EverySlotIsSetAlone) {
  const PassOptionRegistry defaults;
  const NvvmPassOptions unset = MakeNvvmPassOptions(defaults);
  for (const PassOptionSlot& slot : PassOptionSlots()) {
    SCOPED_TRACE(slot.number);
    PassOptionRegistry registry;
    const std::string_view value = IsString(slot.kind) ? "text" : slot.default_text == "1" ? "0" : "1";
    ASSERT_TRUE(registry.SetSlot(slot.number, value).ok());
    const NvvmPassOptions options = MakeNvvmPassOptions(registry);
    const size_t begin = PassOptionOffset(slot.number);
    const size_t size = slot.kind == SlotKind::kString ? 24 : slot.kind == SlotKind::kStringPtr ? 28 : 16;
    for (size_t offset = 16; offset < sizeof options; ++offset) {
      if (offset >= begin && offset < begin + size) continue;
      ASSERT_EQ(PassOptionByte(options, offset), PassOptionByte(unset, offset)) << offset;
    }
    const char* text = nullptr;
    switch (slot.kind) {
      case SlotKind::kString:
      case SlotKind::kStringPtr:
        std::memcpy(&text, reinterpret_cast<const char*>(&options) + begin, sizeof text);
        EXPECT_STREQ(text, "text");
        EXPECT_EQ(text, registry.LookupOption(slot.number)->values[0]) << "not copied";
        break;
      case SlotKind::kBoolCompact:
      case SlotKind::kBoolInline:
      case SlotKind::kInteger:
        EXPECT_EQ(PassOptionByte(options, begin), value[0] - '0');
        break;
    }
  }
}

TEST(NvvmPassOptionsTest, ReadsOutsideTheStructAreZero) {
  const PassOptionRegistry registry;
  const NvvmPassOptions options = MakeNvvmPassOptions(registry);
  EXPECT_EQ(PassOptionByte(options, sizeof options), 0);
  EXPECT_EQ(PassOptionByte(options, ~size_t{0}), 0);
}

TEST(NvvmPassOptionsTest, CopiesAreEqualInEveryThread) {
  PassOptionRegistry registry;
  ASSERT_TRUE(registry.ParseOptText("-do-licm=0 -slot-8=text").ok());
  const NvvmPassOptions options = MakeNvvmPassOptions(registry);
  const NvvmPassOptions again = MakeNvvmPassOptions(registry);
  EXPECT_EQ(std::memcmp(&options, &again, sizeof options), 0);
  std::vector<NvvmPassOptions> copies(8);
  std::vector<std::thread> threads;
  for (NvvmPassOptions& copy : copies) {
    threads.emplace_back([&] {
      std::memcpy(static_cast<void*>(&copy), &options, sizeof options);
      copy.slot_9.value += PassGate(copy, "early-machinelicm") ? 1 : 2;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const NvvmPassOptions& copy : copies) {
    EXPECT_EQ(copy.slot_9.value, 3);
    EXPECT_EQ(copy.slot_143.value, 0);
    EXPECT_EQ(copy.slot_8.value, options.slot_8.value);
  }
  EXPECT_EQ(options.slot_9.value, 1);
}

bool Gate(std::string_view opt_text, std::string_view pass) {
  PassOptionRegistry registry;
  if (!opt_text.empty()) {
    EXPECT_EQ(Message(registry.ParseOptText(opt_text)), "");
  }
  return PassGate(MakeNvvmPassOptions(registry), pass);
}

TEST(PassGateTest, AllPassesRunByDefault) {
  for (const PassOptionSlot& slot : PassOptionSlots()) {
    if (!IsBool(slot.kind) || slot.machine_passes.empty()) continue;
    std::string_view passes = slot.machine_passes;
    EXPECT_TRUE(Gate("", passes.substr(0, passes.find(',')))) << slot.number;
  }
  EXPECT_TRUE(Gate("", "no such pass"));
  EXPECT_TRUE(Gate("", ""));
}

TEST(PassGateTest, GuardsAreReadInTheirSense) {
  EXPECT_FALSE(Gate("-do-licm=0", "early-machinelicm"));  // opts[2880]
  EXPECT_FALSE(Gate("-do-licm=0", "machinelicm"));
  EXPECT_FALSE(Gate("-slot-61=1", "machinelicm"));         // !opts[1240]
  EXPECT_FALSE(Gate("-do-remat=0", "nvptx-remat-block"));  // !opts[2320]
  EXPECT_FALSE(Gate("-slot-115=1", "nvptx-remat-block"));
  EXPECT_TRUE(Gate("-do-remat=1", "nvptx-remat-block"));
  EXPECT_FALSE(Gate("-slot-13=1", "dead-mi-elimination"));   // !opts[280]
  EXPECT_FALSE(Gate("-slot-71=1", "machine-cse"));           // !opts[1440]
  EXPECT_FALSE(Gate("-slot-121=1", "machine-sink"));         // !opts[2440]
  EXPECT_FALSE(Gate("-slot-109=1", "generic-to-nvvm"));      // !opts[2200]
  EXPECT_FALSE(Gate("-slot-49=1", "machine-combiner"));      // !opts[1000]
  EXPECT_FALSE(Gate("-slot-141=0", "dead-mi-elimination"));  // opts[2840]
  EXPECT_FALSE(Gate("-memory-space-opt=0", "infer-address-spaces"));
  EXPECT_FALSE(Gate("-slot-155=0", "infer-address-spaces"));
  // if (opts[3200] && !opts[880])
  EXPECT_FALSE(Gate("-slot-43=1", "nvvm-reflect"));
  EXPECT_FALSE(Gate("-slot-159=0", "nvvm-reflect"));
  // Options without a slot.
  EXPECT_FALSE(Gate("-nvvm-intr-range=0", "nvvm-intr-range"));
  EXPECT_TRUE(Gate("-nvvm-intr-range=2", "nvvm-intr-range"));
  EXPECT_FALSE(Gate("-peephole-opt=False", "peephole-opt"));
  // Options do not affect other passes.
  EXPECT_TRUE(Gate("-do-licm=0", "nvptx-remat-block"));
  EXPECT_TRUE(Gate("-do-remat=0", "machinelicm"));
  EXPECT_TRUE(Gate("-memory-space-opt=0", "machine-cse"));
}

TEST(PassGateTest, NoSlotGatesWithoutASense) {
  for (const PassOptionSlot& slot : PassOptionSlots()) {
    if (!IsBool(slot.kind) || slot.machine_passes.empty() || slot.machine_passes == "driver") continue;
    EXPECT_TRUE(slot.sense == GuardSense::kEnable || slot.sense == GuardSense::kDisable) << slot.number;
    EXPECT_EQ(slot.default_text, slot.sense == GuardSense::kEnable ? "1" : "0") << slot.number;
  }
}

TEST(ThreadCountTest, ComesFromSlot203Then205ThenTheMachine) {
  const auto count = [](std::string_view opt_text) {
    PassOptionRegistry registry;
    if (!opt_text.empty()) {
      EXPECT_EQ(Message(registry.ParseOptText(opt_text)), "");
    }
    return ThreadCount(MakeNvvmPassOptions(registry), 16);
  };
  EXPECT_EQ(count(""), 16);
  EXPECT_EQ(count("-slot-205=3"), 3);
  EXPECT_EQ(count("-slot-203=2 -slot-205=3"), 2);
  EXPECT_EQ(count("-slot-203=0"), 16);
}

TEST(ForwardTest, OptionsSetTheKnobsThatMeanTheSame) {
  PassOptionRegistry registry;
  ASSERT_TRUE(registry
                  .ParseOptText("-cssa-coalesce=2 -cssa-verbosity=1 -remat-load-param=0 -dump-remat "
                                "-nvvm-peephole-optimizer=false")
                  .ok());
  Knobs knobs;
  ASSERT_TRUE(knobs.Set("cssa-verbosity", "3", KnobOrigin::kCommandLine).ok());
  ASSERT_EQ(Message(ForwardPassOptionsToKnobs(registry, knobs)), "");
  EXPECT_EQ(knobs.cssa_coalesce(), 2);
  EXPECT_EQ(knobs.cssa_verbosity(), 3) << "set itself";
  EXPECT_FALSE(knobs.remat_load_param());
  EXPECT_TRUE(knobs.nv_dump_remat_block());
  EXPECT_FALSE(knobs.enable_nvvm_peephole());

  ASSERT_TRUE(registry.ParseOptText("-cssa-coalesce=99").ok());
  Knobs fresh;
  EXPECT_EQ(Message(ForwardPassOptionsToKnobs(registry, fresh)),
            "pass option '-cssa-coalesce': invalid value '99' for knob '-cssa-coalesce': expected an integer from 0 "
            "to 3");
}

TEST(ForwardTest, EveryKnobNamedExists) {
  for (const NamedPassOption& option : NamedPassOptions()) {
    if (option.knob.empty() || option.output() != PassOutput::kNone) continue;
    EXPECT_NE(FindKnob(option.knob), nullptr) << option.name;
  }
}

TEST(PrintPassOptionsTest, ShowsEverySlotAndEveryNamedOption) {
  PassOptionRegistry registry;
  EXPECT_EQ(*registry.ParseFlag("emit-optix-ir"), true);
  ASSERT_TRUE(registry.ParseOptText("-slot-8=text -do-remat=0").ok());
  const std::string text = PrintPassOptions(MakeNvvmPassOptions(registry));
  for (const std::string_view line :
       {"NVVMPassOptions: 4512 bytes, 221 slots, optimization level 2.\n",
        " slot offset  type          option                       value    origin     guard  confidence  pass\n",
        "    1     16  string        -ftz                         \"\"       default    value  low         Global "
        "parameter; no effect: functions say it by their attribute denormal-fp-math-f32\n",
        "    8    176  string        -slot-8                      \"text\"   set        -      -           parameter "
        "of "
        "slot 9; no effect: no pass takes a text\n",
        "    9    200  integer       -slot-9                      1        default    value  medium      Optimization "
        "threshold; no effect: nothing here depends on it\n",
        "   11    240  bool inline   -slot-11                     0        default    -      -           not "
        "documented; no effect: its meaning is not documented\n",
        "  115   2320  bool compact  -do-remat (inverted)         1        set        !opts  medium      "
        "NVVMRematerialization; gates nvptx-remat-block\n",
        "  143   2880  bool compact  -do-licm                     0        shorthand  opts   high        LICM; gates "
        "early-machinelicm,machinelicm\n",
        "  181   3648  string ptr    -slot-181                    \"ptx\"    default    value  medium      Language; "
        "no effect: nothing here depends on it\n",
        "  203   4104  integer       -slot-203                    -1       default    value  medium      Thread count; "
        "read by the driver\n",
        "  221   4464  bool compact  -slot-221                    0        default    !opts  medium      Late CFG "
        "cleanup guard; no effect: no pass here does this\n",
        "  -do-ip-msp                               0        shorthand  Interprocedural memory space propagation; "
        "sets the knob -ip-msp\n",
        "  -remat-for-occ                           120      default    Occupancy target; "
        "no effect: no pass here does this\n",
        "  -cssa-coalesce                           -        default    Coalescing of conventional SSA; sets the knob "
        "-cssa-coalesce\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << "missing: " << line;
  }
  for (const PassOptionSlot& slot : PassOptionSlots()) {
    EXPECT_NE(text.find(StrCat("\n", absl::Dec(slot.number, absl::kSpacePad5), " ",
                               absl::Dec(PassOptionOffset(slot.number), absl::kSpacePad6), "  ")),
              std::string::npos);
  }
  for (const NamedPassOption& option : NamedPassOptions()) {
    EXPECT_NE(text.find(StrCat("\n  -", option.name, " ")), std::string::npos) << option.name;
  }
}

}  // namespace
}  // namespace ptxmir
