// SPDX-License-Identifier: Apache-2.0

#include "options/pass_option_registry.h"

#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

std::string Message(const absl::Status& status) { return std::string(FromAbsl(status.message())); }

// Returns the result of ParseFlag: "set", "not ours" or the error.
std::string Parse(PassOptionRegistry& registry, std::string_view flag) {
  const absl::StatusOr<bool> parsed = registry.ParseFlag(flag);
  return !parsed.ok() ? Message(parsed.status()) : *parsed ? "set" : "not ours";
}

bool Bool(const PassOptionRegistry& registry, int slot, std::string_view default_text) {
  return PassOptionRegistry::UnpackBool(registry.GetBoolOption(slot, default_text));
}

// Every option name in cicc's documentation: "Boolean Toggles", "Dump/Debug Toggles", "Parametric Knobs".
constexpr std::string_view kBooleanToggles[] = {"do-ip-msp",
                                                "do-clone-for-ip-msp",
                                                "do-licm",
                                                "do-remat",
                                                "do-cssa",
                                                "do-scev-cgp",
                                                "do-function-scev-cgp",
                                                "do-scev-cgp-aggresively",
                                                "do-base-address-strength-reduce",
                                                "do-base-address-strength-reduce-chain",
                                                "do-comdat-renaming",
                                                "do-counter-promotion",
                                                "do-lsr-64-bit",
                                                "do-sign-ext-expand",
                                                "do-sign-ext-simplify",
                                                "dump-ip-msp",
                                                "dump-ir-before-memory-space-opt",
                                                "dump-ir-after-memory-space-opt",
                                                "dump-memory-space-warnings",
                                                "dump-remat",
                                                "dump-remat-add",
                                                "dump-remat-iv",
                                                "dump-remat-load",
                                                "dump-branch-dist",
                                                "dump-scev-cgp",
                                                "dump-base-address-strength-reduce",
                                                "dump-sink2",
                                                "dump-before-cssa",
                                                "dump-phi-remove",
                                                "dump-normalize-gep",
                                                "dump-simplify-live-out",
                                                "dump-process-restrict",
                                                "dump-process-builtin-assume",
                                                "dump-conv-dot",
                                                "dump-conv-func",
                                                "dump-conv-text",
                                                "dump-nvvmir",
                                                "dump-va",
                                                "memory-space-opt"};

struct Parametric {
  std::string_view name;
  std::string_view default_text;
};
constexpr Parametric kParametric[] = {{"remat-for-occ", "120"},
                                      {"remat-gep-cost", "6000"},
                                      {"remat-lli-factor", "10"},
                                      {"remat-max-live-limit", "10"},
                                      {"remat-single-cost-limit", ""},
                                      {"remat-loop-trip", ""},
                                      {"remat-use-limit", ""},
                                      {"remat-maxreg-ceiling", ""},
                                      {"remat-move", ""},
                                      {"remat-load-param", ""},
                                      {"remat-ignore-single-cost", ""},
                                      {"branch-dist-block-limit", "-1"},
                                      {"branch-dist-func-limit", "-1"},
                                      {"branch-dist-norm", "0"},
                                      {"scev-cgp-control", ""},
                                      {"scev-cgp-norm", ""},
                                      {"scev-cgp-check-latency", ""},
                                      {"scev-cgp-cross-block-limit", ""},
                                      {"scev-cgp-idom-level-limit", ""},
                                      {"scev-cgp-inst-limit", ""},
                                      {"scev-cgp-old-base", ""},
                                      {"scev-cgp-tid-max-value", ""},
                                      {"base-address-strength-reduce-iv-limit", ""},
                                      {"base-address-strength-reduce-max-iv", ""},
                                      {"cssa-coalesce", ""},
                                      {"cssa-verbosity", ""},
                                      {"memory-space-opt-pass", ""},
                                      {"peephole-opt", ""},
                                      {"loop-index-split", ""},
                                      {"va-use-scdg", ""},
                                      {"nvvm-peephole-optimizer", ""},
                                      {"nvvm-intr-range", ""}};

TEST(PassOptionNamesTest, EveryNameOfTheReferenceIsTaken) {
  for (const std::string_view name : kBooleanToggles) {
    PassOptionRegistry registry;
    for (const std::string_view value : {"", "=0", "=1", "=true", "=FALSE"}) {
      EXPECT_EQ(Message(registry.ParseOptText(StrCat("-", name, value))), "") << name << value;
    }
    EXPECT_FALSE(registry.ParseOptText(StrCat("-", name, "=maybe")).ok()) << name;
  }
  for (const Parametric& option : kParametric) {
    PassOptionRegistry registry;
    EXPECT_EQ(registry.NamedValue(option.name).value_or(""), option.default_text) << option.name;
    EXPECT_EQ(Message(registry.ParseOptText(StrCat("-", option.name, "=1"))), "") << option.name;
    EXPECT_EQ(registry.NamedValue(option.name), "1") << option.name;
  }
}

TEST(PassOptionNamesTest, AreUnique) {
  std::set<std::string_view> names;
  for (const NamedPassOption& option : NamedPassOptions()) EXPECT_TRUE(names.insert(option.name).second) << option.name;
  for (const PassOptionSlot& slot : PassOptionSlots()) EXPECT_EQ(names.count(slot.option), 0u) << slot.option;
}

TEST(PassOptionRegistryTest, LooksUpBySlotOnlyWhatWasSet) {
  PassOptionRegistry registry(3);
  EXPECT_EQ(registry.opt_level(), 3);
  for (int slot = -1; slot <= 223; ++slot) EXPECT_EQ(registry.LookupOption(slot), nullptr) << slot;
  ASSERT_TRUE(registry.SetOption("do-licm", "0").ok());
  const OptionNode* node = registry.LookupOption(143);
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(std::string_view(node->name, node->name_length), "do-licm");
  EXPECT_EQ(node->option_index, 143);
  EXPECT_EQ(node->flags, OptionNode::kSet);
  ASSERT_EQ(node->value_count, 1);
  EXPECT_STREQ(node->values[0], "0");
  EXPECT_EQ(registry.LookupOption(142), nullptr);
}

TEST(PassOptionRegistryTest, TheLastValueCounts) {
  PassOptionRegistry registry;
  ASSERT_TRUE(registry.ParseOptText("-do-licm=0 -do-licm=1").ok());
  EXPECT_EQ(registry.LookupOption(143)->value_count, 2);
  EXPECT_TRUE(Bool(registry, 143, "0"));
  ASSERT_TRUE(registry.ParseOptText("-do-licm=0").ok());
  EXPECT_FALSE(Bool(registry, 143, "1"));
}

// The three steps: found with a value, whose first character is lowercased; found without a value; not found.
TEST(PassOptionRegistryTest, ResolvesBooleansInThreeSteps) {
  for (const std::string_view text : {"1", "true", "TRUE", "t", "T", "True"}) {
    PassOptionRegistry registry;
    ASSERT_TRUE(registry.SetSlot(143, text).ok()) << text;
    EXPECT_TRUE(Bool(registry, 143, "0")) << text;
  }
  for (const std::string_view text : {"0", "false", "FALSE", "f", "F"}) {
    PassOptionRegistry registry;
    ASSERT_TRUE(registry.SetSlot(143, text).ok()) << text;
    EXPECT_FALSE(Bool(registry, 143, "1")) << text;
  }
  PassOptionRegistry registry;
  EXPECT_TRUE(Bool(registry, 143, "1"));
  EXPECT_FALSE(Bool(registry, 143, "0"));
  EXPECT_FALSE(Bool(registry, 143, "true")) << "the default is read by '1' alone";
  EXPECT_FALSE(Bool(registry, 143, ""));
  ASSERT_TRUE(registry.SetSlot(143, std::nullopt).ok());
  ASSERT_NE(registry.LookupOption(143), nullptr);
  EXPECT_EQ(registry.LookupOption(143)->value_count, 0);
  EXPECT_TRUE(Bool(registry, 143, "1")) << "found, without a value";
  EXPECT_FALSE(Bool(registry, 143, "0"));
  // String slots accept any text. As booleans they are judged by the first character.
  ASSERT_TRUE(registry.SetSlot(142, "12").ok());
  EXPECT_TRUE(Bool(registry, 142, "0"));
  ASSERT_TRUE(registry.SetSlot(142, "on").ok());
  EXPECT_FALSE(Bool(registry, 142, "1"));
  ASSERT_TRUE(registry.SetSlot(142, "").ok());
  EXPECT_FALSE(Bool(registry, 142, "1"));
}

TEST(PassOptionRegistryTest, PacksValueAndFlags) {
  PassOptionRegistry registry;
  EXPECT_EQ(registry.GetBoolOption(143, "1"), 1u);
  EXPECT_EQ(registry.GetBoolOption(143, "0"), 0u);
  ASSERT_TRUE(registry.SetSlot(143, "1", 0x7abc).ok());
  const uint64_t packed = registry.GetBoolOption(143, "0");
  EXPECT_EQ(packed, 0x7abc01u);
  EXPECT_TRUE(PassOptionRegistry::UnpackBool(packed));
  EXPECT_EQ(PassOptionRegistry::UnpackFlags(packed), 0x7abc);
}

TEST(PassOptionRegistryTest, ParsesIntegers) {
  PassOptionRegistry registry;
  EXPECT_EQ(registry.GetIntegerOption(197, "20"), 20);
  for (const int32_t value : {0, -1, 7, 2147483647, -2147483647 - 1}) {
    ASSERT_TRUE(registry.SetSlot(197, StrCat(value)).ok());
    EXPECT_EQ(registry.GetIntegerOption(197, "20"), value);
  }
  for (const std::string_view text :
       {"", "x", "1x", "1.5", " 1", "2147483648", "-2147483649", "99999999999999999999"}) {
    EXPECT_EQ(Message(registry.SetSlot(197, text)),
              StrCat("invalid value '", text, "' for pass option '-slot-197': expected an integer of 32 bits"));
  }
  EXPECT_EQ(registry.GetIntegerOption(197, "20"), -2147483647 - 1) << "what is wrong is not set";
}

TEST(PassOptionRegistryTest, OptionsThatAreDisabledBySlotsAreStoredInverted) {
  PassOptionRegistry registry;
  EXPECT_EQ(Parse(registry, "Xopt=-do-remat=0"), "set");
  EXPECT_TRUE(Bool(registry, 115, "0"));
  EXPECT_EQ(Parse(registry, "Xopt=-do-remat=1"), "set");
  EXPECT_FALSE(Bool(registry, 115, "0"));
  EXPECT_EQ(Parse(registry, "Xopt=-do-remat"), "set");
  EXPECT_FALSE(Bool(registry, 115, "0"));
  EXPECT_EQ(Parse(registry, "Xopt=-slot-115=1"), "set");
  EXPECT_TRUE(Bool(registry, 115, "0")) << "slots are set as they are stored";
}

// Every row of "CLI Flag Routing".
TEST(PassOptionRegistryTest, RoutesOpt) {
  PassOptionRegistry registry;
  EXPECT_EQ(Parse(registry, "opt=-do-licm=0"), "set");
  EXPECT_FALSE(Bool(registry, 143, "1"));
}

TEST(PassOptionRegistryTest, RoutesEmitOptixIr) {
  PassOptionRegistry registry;
  EXPECT_EQ(registry.NamedValue("do-ip-msp"), "1");
  EXPECT_EQ(Parse(registry, "emit-optix-ir"), "set");
  EXPECT_EQ(registry.NamedValue("do-ip-msp"), "0");
  EXPECT_FALSE(Bool(registry, 143, "1"));
  EXPECT_EQ(registry.LookupOption(143)->flags, OptionNode::kShorthand);
  EXPECT_EQ(Parse(registry, "emit-optix-ir=1"), "option '-emit-optix-ir' takes no value");
}

TEST(PassOptionRegistryTest, RoutesFastCompile) {
  for (const std::string_view level : {"max", "mid", "min"}) {
    PassOptionRegistry registry;
    EXPECT_EQ(Parse(registry, StrCat("Ofast-compile=", level)), "set");
    EXPECT_EQ(registry.NamedValue("fast-compile"), level);
    EXPECT_TRUE(Bool(registry, 87, "0")) << "opts[1760] disables MemorySpaceOpt";
    EXPECT_TRUE(Bool(registry, 133, "0"));
    EXPECT_FALSE(Bool(registry, 155, "1")) << "opts[3120] enables its second pass";
  }
  PassOptionRegistry registry;
  EXPECT_EQ(Parse(registry, "Ofast-compile=most"),
            "invalid value 'most' for pass option '-fast-compile': expected one of max,mid,min");
  EXPECT_EQ(Parse(registry, "Ofast-compile="),
            "invalid value '' for pass option '-fast-compile': expected one of max,mid,min");
  EXPECT_EQ(registry.LookupOption(87), nullptr);
}

TEST(PassOptionRegistryTest, RoutesMemorySpaceOpt) {
  PassOptionRegistry registry;
  EXPECT_EQ(Parse(registry, "memory-space-opt=0"), "set");
  EXPECT_TRUE(Bool(registry, 87, "0"));
  EXPECT_FALSE(Bool(registry, 155, "1"));
  EXPECT_EQ(Parse(registry, "memory-space-opt"), "set");
  EXPECT_FALSE(Bool(registry, 87, "0"));
  EXPECT_TRUE(Bool(registry, 155, "1"));
}

TEST(PassOptionRegistryTest, LeavesFlagsOfOthersAlone) {
  PassOptionRegistry registry;
  for (const std::string_view flag : {"", "=", "do-licm=0", "o", "O2", "maxreg=4", "opt-level=3", "-opt=-do-licm=0"}) {
    EXPECT_EQ(Parse(registry, flag), "not ours") << flag;
  }
  EXPECT_TRUE(PassOptionRegistry::RequiresValue("opt"));
  EXPECT_TRUE(PassOptionRegistry::RequiresValue("Xopt"));
  EXPECT_FALSE(PassOptionRegistry::RequiresValue("emit-optix-ir"));
  EXPECT_FALSE(PassOptionRegistry::RequiresValue("memory-space-opt"));
}

TEST(PassOptionRegistryTest, EverySlotCanBeSetByNumber) {
  for (const PassOptionSlot& slot : PassOptionSlots()) {
    PassOptionRegistry registry;
    EXPECT_EQ(Message(registry.ParseOptText(StrCat("-slot-", slot.number, "=1"))), "");
    ASSERT_NE(registry.LookupOption(slot.number), nullptr);
    EXPECT_TRUE(Bool(registry, slot.number, "0"));
  }
}

TEST(PassOptionRegistryTest, OneTextMayHoldSeveralOptions) {
  PassOptionRegistry registry;
  EXPECT_EQ(Message(registry.ParseOptText("  -do-licm=0\t--do-remat=0 \n -remat-for-occ=64 ")), "");
  EXPECT_FALSE(Bool(registry, 143, "1"));
  EXPECT_TRUE(Bool(registry, 115, "0"));
  EXPECT_EQ(registry.NamedValue("remat-for-occ"), "64");
}

TEST(PassOptionRegistryTest, ErrorsNameTheText) {
  PassOptionRegistry registry;
  EXPECT_EQ(Parse(registry, "opt=-do-licn=0"), "unknown pass option '-do-licn'; did you mean '-do-licm'?");
  EXPECT_EQ(Parse(registry, "opt=-zzzzzz"), "unknown pass option '-zzzzzz'");
  EXPECT_EQ(Parse(registry, "opt=-slot-222=1"), "unknown pass option '-slot-222'; slots go from 1 to 221");
  EXPECT_EQ(Parse(registry, "opt=-slot-0=1"), "unknown pass option '-slot-0'; slots go from 1 to 221");
  EXPECT_EQ(Parse(registry, "opt=-do-licm=on"),
            "invalid value 'on' for pass option '-do-licm': expected 0, 1, true or false");
  EXPECT_EQ(Parse(registry, "opt=-do-licm="),
            "invalid value '' for pass option '-do-licm': expected 0, 1, true or false");
  EXPECT_EQ(Parse(registry, "opt=-remat-for-occ=many"),
            "invalid value 'many' for pass option '-remat-for-occ': expected an integer of 32 bits");
  EXPECT_EQ(Parse(registry, "opt=-remat-for-occ"), "pass option '-remat-for-occ' requires a value");
  EXPECT_EQ(Parse(registry, "opt=do-licm=0"),
            "expected a pass option such as -do-licm=0 after -opt, found 'do-licm=0'");
  EXPECT_EQ(Parse(registry, "opt="), "expected a pass option such as -do-licm=0 after -opt, found ''");
  EXPECT_EQ(Parse(registry, "opt=-"), "expected a pass option such as -do-licm=0 after -opt, found '-'");
  EXPECT_EQ(Parse(registry, "opt=--"), "unknown pass option '-'");
  EXPECT_EQ(Parse(registry, "opt"), "option '-opt' requires a value");
  EXPECT_EQ(Message(registry.SetSlot(222, "1")), "there is no slot 222; slots go from 1 to 221");
  EXPECT_EQ(Message(registry.SetSlot(0, "1")), "there is no slot 0; slots go from 1 to 221");
  EXPECT_FALSE(registry.SetSlot(8, std::string_view("a\0b", 3)).ok());
  for (int slot = 1; slot <= 221; ++slot) EXPECT_EQ(registry.LookupOption(slot), nullptr) << slot;
}

TEST(PassOptionRegistryTest, TextsStayWhereTheyAre) {
  static_assert(!std::is_copy_constructible_v<PassOptionRegistry> && !std::is_move_constructible_v<PassOptionRegistry>);
  PassOptionRegistry registry;
  ASSERT_TRUE(registry.SetSlot(8, "first").ok());
  const char* first = registry.GetStringOption(8, "").data();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(registry.SetSlot(8, StrCat("text ", i)).ok());
  EXPECT_STREQ(first, "first");
  EXPECT_EQ(registry.GetStringOption(8, ""), "text 999");
}

// Random option texts must not crash or set a value of the wrong type.
TEST(PassOptionRegistryTest, RandomTextsDoNoHarm) {
  std::mt19937 random(21);
  const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  constexpr std::string_view kPieces[] = {"-",
                                          "--",
                                          "=",
                                          " ",
                                          "0",
                                          "1",
                                          "true",
                                          "max",
                                          "slot-",
                                          "221",
                                          "-1",
                                          "do-licm",
                                          "\t",
                                          "\n",
                                          "\xff",
                                          "F",
                                          "99999999999",
                                          "opt=",
                                          "Xopt=",
                                          "Ofast-compile=",
                                          "emit-optix-ir",
                                          "memory-space-opt"};
  size_t num_set = 0, num_wrong = 0;
  for (int round = 0; round < 20000; ++round) {
    PassOptionRegistry registry;
    std::string text = below(4) != 0 ? "opt=" : "";
    for (size_t options = 1 + below(3); options > 0; --options) {
      if (below(8) != 0) text += below(2) != 0 ? " -" : " --";
      if (below(3) != 0) {
        text += NamedPassOptions()[below(NamedPassOptions().size())].name;
      } else {
        StrAppend(&text, "slot-", below(230));
      }
      if (below(4) != 0) text += '=';
      for (size_t i = below(3); i > 0; --i) text += kPieces[below(std::size(kPieces))];
    }
    if (below(8) == 0) text[below(text.size())] = static_cast<char>(below(256));
    const absl::StatusOr<bool> parsed = registry.ParseFlag(text);
    if (!parsed.ok()) {
      EXPECT_FALSE(parsed.status().message().empty());
    }
    num_set += parsed.ok() && *parsed;
    num_wrong += !parsed.ok();
    for (const PassOptionSlot& slot : PassOptionSlots()) {
      if (registry.LookupOption(slot.number) == nullptr || IsString(slot.kind)) continue;
      const std::string_view value = registry.GetStringOption(slot.number, "");
      ASSERT_FALSE(value.empty()) << text;
      EXPECT_NE(std::string_view(IsBool(slot.kind) ? "01tfTF" : "-0123456789").find(value[0]), std::string_view::npos)
          << text;
    }
  }
  EXPECT_GT(num_set, 500u);
  EXPECT_GT(num_wrong, 5000u);
}

}  // namespace
}  // namespace ptxmir
