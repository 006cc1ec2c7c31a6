// SPDX-License-Identifier: Apache-2.0

#include "options/knobs.h"

#include <random>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

bool Everything(std::string_view) { return true; }
bool Nothing(std::string_view) { return false; }

std::string Message(const absl::Status& status) { return std::string(FromAbsl(status.message())); }

// Returns the result of ParseFlag: "set", "no knob" or the error.
std::string Parse(Knobs& knobs, std::string_view flag) {
  const absl::StatusOr<bool> parsed = knobs.ParseFlag(flag);
  return !parsed.ok() ? Message(parsed.status()) : *parsed ? "set" : "no knob";
}

// cicc's tables of knobs, copied from its documentation: name, type, default. "varies" is literal; "" is the
// default of knobs for which the documentation gives none.
struct ReferenceKnob {
  const char* name;
  const char* type;
  const char* default_text;
};

constexpr ReferenceKnob kReferenceKnobs[] = {
    // NVIDIA Target Pass Enable/Disable.
    {"enable-nvvm-peephole", "bool", "true"},
    {"nvptx-enable-machine-sink", "bool", "false"},
    {"enable-mlicm", "bool", "opt-level dependent"},
    {"enable-mcse", "bool", "opt-level dependent"},
    {"nv-disable-mem2reg", "bool", "false"},
    {"nv-disable-remat", "bool", "false"},
    {"enable-new-nvvm-remat", "bool", "varies"},
    {"usedessa", "int", "2"},
    {"cssa-coalesce", "int", "varies"},
    {"cssa-verbosity", "int", ""},
    // Stock LLVM Codegen Controls.
    {"disable-machine-dce", "bool", "false"},
    {"disable-machine-licm", "bool", "false"},
    {"disable-postra-machine-licm", "bool", "off, here not"},
    {"disable-machine-cse", "bool", "false"},
    {"disable-machine-sink", "bool", "false"},
    {"disable-postra-machine-sink", "bool", "off, here not"},
    {"disable-branch-fold", "bool", "false"},
    {"disable-tail-duplicate", "bool", "off, here not"},
    {"disable-early-taildup", "bool", "off, here not"},
    {"disable-block-placement", "bool", "false"},
    {"disable-copyprop", "bool", "off, here not"},
    {"disable-ssc", "bool", "false"},
    {"disable-post-ra", "bool", "off, here not"},
    {"disable-early-ifcvt", "bool", "off, here not"},
    {"disable-peephole", "bool", "off, here not"},
    {"enable-machine-outliner", "enum", "varies"},
    {"misched-postra", "bool", "false"},
    {"optimize-regalloc", "bool", "true"},
    {"verify-machineinstrs", "bool", ""},  // "false" in cicc; here it depends on the build
    // NVIDIA RP-Aware MachineCSE Knobs.
    {"rp-aware-mcse", "bool", "varies"},
    {"pred-aware-mcse", "bool", "varies"},
    {"copy-prop-mcse", "bool", "varies"},
    {"incremental-update-mcse", "bool", "true"},
    {"verify-update-mcse", "bool", "false"},
    {"print-verify", "bool", "false"},
    {"cta-reconfig-aware-mrpa", "bool", "varies"},
    // NVPTXBlockRemat, "16 total".
    {"nv-remat-block", "int", "14"},
    {"nv-remat-max-times", "int", "10"},
    {"nv-remat-block-single-cost", "int", "10"},
    {"nv-remat-block-map-size-limit", "int", ""},  // 6 there; here it depends on -nv-remat-measured
    {"nv-remat-block-max-cost", "int", "100"},
    {"nv-remat-block-liveout-min-percentage", "int", "70"},
    {"nv-remat-block-loop-cost-factor", "int", "20"},
    {"nv-remat-default-max-reg", "int", ""},  // 70 there; here rematerialization may aim lower
    {"nv-remat-block-load-cost", "int", "10"},
    {"nv-remat-threshold-for-spec-reg", "int", "20"},
    {"nv-dump-remat-block", "bool", "false"},
    {"nv-remat-check-internal-live", "bool", "false"},
    {"max-reg-kind", "int", "0"},
    {"no-mi-remat", "list", ""},
    {"load-remat", "bool", "true"},
    {"vasp-fix1", "bool", "false"},
    // Pipeliner Knobs.
    {"enable-pipeliner", "bool", "on, here not"},
    {"pipeliner-max-mii", "int", "27"},
    {"pipeliner-max-stages", "int", "3"},
    {"pipeliner-ii-search-range", "int", "10"},
    {"pipeliner-register-pressure", "bool", "false"},
    {"pipeliner-register-pressure-margin", "int", "5"},
    {"pipeliner-ignore-recmii", "bool", "false"},
    {"pipeliner-annotate-for-testing", "bool", "false"},
    {"pipeliner-experimental-cg", "bool", "false"},
    {"pipeliner-mve-cg", "bool", "true"},
    {"outliner-benefit-threshold", "int", "1"},
    // Register Pressure Target Knobs.
    {"reg-target-adjust", "int", "0"},
    {"pred-target-adjust", "int", "0"},
    {"fca-size", "int", "8"},
    {"remat-load-param", "bool", "varies"},
    {"cta-reconfig-aware-rpa", "bool", "varies"},
    // NVVMReflect's command line options, nvvm-intr-range, and knobs named in the pass inventory.
    {"nvvm-reflect-enable", "bool", "true"},
    {"nvvm-reflect-add", "list", ""},
    {"nvvm-intr-range-sm", "int", ""},
    {"sink-insts-to-avoid-spills", "bool", ""},
    {"machine-combiner-inc-threshold", "int", ""},
    {"nvptx-sched4reg", "bool", ""},
};

// Knobs that cicc does not have.
constexpr std::string_view kOwnKnobs[] = {
    "scheduling-mode", "maxreg", "enable-misched", "compact-regs", "honor-optnone", "ra-spill", "ra-spill-space",
    "ra-spill-excess", "ra-remat", "ra-split-effort", "ra-split-wide", "ra-limit", "ra-class-limits", "ra-stress",
    "sched-occupancy", "sched-latency", "sched-stress", "j", "mcse-raise-pressure", "nv-remat-measured",
    "nv-remat-max-growth", "nv-remat-max-loop-growth", "nv-remat-predicates",
    // Frame layout; the last four are LLVM's.
    "frame-sort-objects", "frame-fold-addresses", "mem2reg-across-calls", "warn-stack-size", "no-stack-coloring",
    "protect-from-escaped-allocas", "stackcoloring-lifetime-start-on-first-use", "no-stack-slot-sharing",
    // Copies; LLVM's.
    "join-liveintervals",
    // Allocation; LLVM's.
    "lcr-max-depth", "lcr-max-interf", "exhaustive-register-search",
    // Instruction selection; LLVM's.
    "nvptx-fma-level", "nvptx-prec-divf32", "nvptx-prec-sqrtf32", "nvptx-approx-log2f32",
    // Loops.
    "induction-merge", "induction-merge-fold-offsets", "induction-merge-offset-bits", "induction-merge-min-pressure",
    "induction-merge-min-gain", "induction-merge-growth", "induction-merge-uniform-cost",
    "induction-merge-uniform-registers", "pressure-sink", "pressure-sink-min-pressure",
    // Control flow; LLVM's.
    "enable-tail-merge", "tail-merge-threshold", "tail-merge-size", "tail-dup-size", "early-ifcvt-limit",
    "stress-early-ifcvt", "enable-ext-tsp-block-placement",
    // Passes that the reference gives no switch.
    "param-opt", "nvptx-trunc-opts", "redundant-move-elim", "opt-phis", "machine-combiner", "ldgxform",
    "machine-latecleanup", "infer-address-spaces", "ip-msp", "ip-msp-clone", "load-store-vectorizer", "narrow-integers",
    "base-address-sr", "relax-atomicrmw", "nvptx-emit-init-fini-kernel", "nvptx-lower-global-ctor-dtor-id",
    "nvptx-set-global-array-alignment", "nvptx-early-byval-copy",
    // Passes on IR; LLVM's.
    "disable-cgp", "disable-separate-const-offset-from-gep"};

std::string_view TypeName(KnobType type) {
  switch (type) {
    case KnobType::kBool:
    case KnobType::kOptionalBool:
      return "bool";
    case KnobType::kInt:
    case KnobType::kOptionalInt:
      return "int";
    case KnobType::kEnum:
      return "enum";
    case KnobType::kList:
      return "list";
  }
  return "";
}

TEST(KnobTableTest, HasEveryKnobOfTheReferenceWithItsTypeAndDefault) {
  const Knobs knobs;
  for (const ReferenceKnob& wanted : kReferenceKnobs) {
    SCOPED_TRACE(wanted.name);
    const KnobInfo* knob = FindKnob(wanted.name);
    ASSERT_NE(knob, nullptr);
    EXPECT_EQ(knob->name, wanted.name);
    EXPECT_EQ(TypeName(knob->type), wanted.type);
    const std::string_view default_text = wanted.default_text;
    if (default_text == "opt-level dependent") {
      EXPECT_EQ(knob->type, KnobType::kOptionalBool);
      EXPECT_EQ(knobs.ValueText(*knob), "auto");
    } else if (default_text == "off, here not" || default_text == "on, here not") {
      EXPECT_EQ(knob->type, KnobType::kOptionalBool);
      EXPECT_EQ(knobs.ValueText(*knob), "auto");
      const std::string_view documented = default_text == "on, here not" ? "(cicc: on)" : "(cicc: off)";
      EXPECT_NE(knob->help.find(documented), std::string_view::npos) << knob->help;
    } else if (default_text == "varies") {
      EXPECT_NE(knob->help.find("(cicc: varies; here "), std::string_view::npos) << knob->help;
    } else if (!default_text.empty()) {
      EXPECT_EQ(knobs.ValueText(*knob), default_text);
    }
  }
}

TEST(KnobTableTest, HasNothingElseButOurOwn) {
  std::set<std::string_view> known(std::begin(kOwnKnobs), std::end(kOwnKnobs));
  for (const ReferenceKnob& knob : kReferenceKnobs) EXPECT_TRUE(known.insert(knob.name).second) << knob.name;
  for (const KnobInfo& knob : KnobTable()) EXPECT_EQ(known.count(knob.name), 1u) << knob.name;
  EXPECT_EQ(KnobTable().size(), known.size());
}

TEST(KnobTableTest, NamesAreUniqueAndRowsComplete) {
  std::set<std::string_view> names;
  for (const KnobInfo& knob : KnobTable()) {
    SCOPED_TRACE(std::string(knob.name));
    EXPECT_TRUE(names.insert(knob.name).second);
    EXPECT_EQ(knob.name.find_first_of(" =_"), std::string_view::npos);
    EXPECT_FALSE(knob.group.empty());
    EXPECT_FALSE(knob.help.empty());
    EXPECT_EQ(FindKnob(knob.name), &knob);
    EXPECT_EQ(knob.pass.find(' '), std::string_view::npos);
  }
}

TEST(KnobTableTest, RangesOfTheReference) {
  EXPECT_EQ(FindKnob("reg-target-adjust")->ExpectedValues(), "an integer from -10 to 10");
  EXPECT_EQ(FindKnob("pred-target-adjust")->ExpectedValues(), "an integer from -10 to 10");
  EXPECT_EQ(FindKnob("nv-remat-block")->ExpectedValues(), "an integer from 0 to 15");
  EXPECT_EQ(FindKnob("usedessa")->ExpectedValues(), "an integer from 0 to 2");
  EXPECT_EQ(FindKnob("nv-remat-block-liveout-min-percentage")->ExpectedValues(), "an integer from 0 to 100");
  EXPECT_EQ(FindKnob("enable-machine-outliner")->ExpectedValues(), "disable, enable or guaranteed-beneficial");
}

TEST(KnobsTest, TypedAccessReadsDefaults) {
  const Knobs knobs;
  EXPECT_TRUE(knobs.enable_nvvm_peephole());
  EXPECT_EQ(knobs.enable_mlicm(), std::nullopt);
  EXPECT_EQ(knobs.enable_misched(), std::nullopt);
  EXPECT_EQ(knobs.nv_remat_default_max_reg(), std::nullopt);
  EXPECT_EQ(knobs.nv_remat_block(), 14);
  EXPECT_EQ(knobs.enable_machine_outliner(), MachineOutlinerMode::kDisable);
  EXPECT_EQ(knobs.scheduling_mode(), SchedulingMode::kFull);
  EXPECT_EQ(knobs.ra_spill(), SpillPolicy::kAuto);
  EXPECT_EQ(knobs.ra_spill_space(), SpillSpace::kLocal);
  EXPECT_TRUE(knobs.no_mi_remat().empty());
  EXPECT_EQ(knobs.maxreg(), 0);
  EXPECT_EQ(knobs.threads(), -1);
  EXPECT_FALSE(knobs.compact_regs());
}

TEST(KnobsTest, TypedAccessReadsWhatFlagsSet) {
  Knobs knobs;
  for (const std::string_view flag :
       {"nv-remat-max-times=5", "disable-copyprop", "no-mi-remat=f,g", "enable-mlicm=0", "enable-mcse=true",
        "enable-nvvm-peephole=false", "reg-target-adjust=-7", "enable-machine-outliner", "ra-spill=never",
        "ra-spill-space=shared", "scheduling-mode=simple", "nv-remat-block=0xe", "maxreg=+64", "j=8",
        "load-remat=FALSE", "vasp-fix1=1"}) {
    EXPECT_EQ(Parse(knobs, flag), "set") << flag;
  }
  EXPECT_EQ(knobs.nv_remat_max_times(), 5);
  EXPECT_EQ(knobs.disable_copyprop(), true);
  EXPECT_EQ(knobs.no_mi_remat(), (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(knobs.enable_mlicm(), false);
  EXPECT_EQ(knobs.enable_mcse(), true);
  EXPECT_FALSE(knobs.enable_nvvm_peephole());
  EXPECT_EQ(knobs.reg_target_adjust(), -7);
  EXPECT_EQ(knobs.enable_machine_outliner(), MachineOutlinerMode::kEnable);
  EXPECT_EQ(knobs.ra_spill(), SpillPolicy::kNever);
  EXPECT_EQ(knobs.ra_spill_space(), SpillSpace::kShared);
  EXPECT_EQ(knobs.scheduling_mode(), SchedulingMode::kSimple);
  EXPECT_EQ(knobs.nv_remat_block(), 14);
  EXPECT_EQ(knobs.maxreg(), 64);
  EXPECT_EQ(knobs.threads(), 8);
  EXPECT_FALSE(knobs.load_remat());
  EXPECT_TRUE(knobs.vasp_fix1());
}

// Sets each knob of the table to every kind of right and wrong value.
TEST(KnobsTest, EveryKnobTakesWhatItsTypeSays) {
  for (const KnobInfo& knob : KnobTable()) {
    SCOPED_TRACE(std::string(knob.name));
    std::vector<std::string> valid, invalid;
    switch (knob.type) {
      case KnobType::kBool:
      case KnobType::kOptionalBool:
        valid = {"", "=0", "=1", "=true", "=false"};
        (knob.is_optional() ? valid : invalid).push_back("=auto");
        for (const char* text : {"=", "=2", "=yes", "=t", "=truely", "= 1"}) invalid.push_back(text);
        break;
      case KnobType::kInt:
      case KnobType::kOptionalInt:
        valid = {StrCat("=", knob.minimum), StrCat("=", knob.maximum), StrCat("=", Knobs().ValueText(knob))};
        invalid = {"",
                   "=",
                   "=x",
                   "=1x",
                   "=0x",
                   "=1.0",
                   StrCat("=", knob.minimum - 1),
                   "=true",
                   "=--1",
                   "=+-1",
                   "= 1",
                   "=1 ",
                   "=0x-1",
                   StrCat("=", int64_t{knob.maximum} + 1),
                   "=99999999999999999999",
                   "=-99999999999999999999"};
        break;
      case KnobType::kEnum:
        for (const std::string_view name : knob.value_names) valid.push_back(StrCat("=", name));
        invalid = {"=", "=0", "=neither", StrCat("=", knob.value_names[0], " ")};
        break;
      case KnobType::kList:
        if (knob.element == KnobElement::kNames) {
          valid = {"=f", "=f,g", "=", "=_Z1fv,"};
          invalid = {"", "=,", "=,,"};
        } else if (knob.element == KnobElement::kRegisterCounts) {
          valid = {"=b64:16", "=b1:5,b64:16,", "=b128:1", "=b16:255,b16:3", "=b32:0x10", "="};
          invalid = {"",        "=,",      "=b64",       "=b64:",          "=:4",      "=b64:0", "=b64:-1",
                     "=b64=4",  "=b64:x",  "=b64:1x",    "=b64:256",       "=b64:4:4", "=b65:4", "=B64:4",
                     "=b64 :4", "=b64: 4", "=b1:1,b2:1", "=specialregs:4", "=16"};
        } else {
          valid = {"=__CUDA_FTZ=1", "=a=-3,b=4", "="};
          invalid = {"", "=a", "==1", "=a=", "=a=b", "=a=1,b", "=,", "=a=0x10"};
        }
        break;
    }
    for (const std::string& text : valid) {
      Knobs knobs;
      EXPECT_EQ(Parse(knobs, StrCat(knob.name, text)), "set") << text;
      EXPECT_TRUE(knobs.IsSet(knob.name));
      EXPECT_EQ(knobs.origin(knob), KnobOrigin::kCommandLine);
      EXPECT_EQ(knobs.ExplicitFlags().size(), 1u);
    }
    for (const std::string& text : invalid) {
      Knobs knobs;
      const std::string error = Parse(knobs, StrCat(knob.name, text));
      EXPECT_NE(error, "set") << text;
      EXPECT_NE(error.find(StrCat("knob '-", knob.name, "'")), std::string::npos) << text << ": " << error;
      EXPECT_NE(error.find(StrCat("expected ", knob.ExpectedValues())), std::string::npos) << text << ": " << error;
      EXPECT_TRUE(knobs.HasSameValues(Knobs())) << "a wrong value changed something: " << text;
      EXPECT_FALSE(knobs.IsSet(knob.name));
    }
  }
}

// A typed accessor reads the row with its name: setting a knob by name changes exactly that accessor.
TEST(KnobsTest, SettingByNameChangesTheAccessorOfThatName) {
#define PTXMIR_KNOB_BOOL(id, name, scope, default_value, ...)       \
  {                                                                 \
    Knobs knobs;                                                    \
    ASSERT_TRUE(knobs.Set(name, (default_value) ? "0" : "1").ok()); \
    EXPECT_EQ(knobs.id(), !(default_value)) << name;                \
  }
#define PTXMIR_KNOB_OPTIONAL_BOOL(id, name, ...) \
  {                                              \
    Knobs knobs;                                 \
    ASSERT_TRUE(knobs.Set(name, "0").ok());      \
    EXPECT_EQ(knobs.id(), false) << name;        \
  }
#define PTXMIR_KNOB_INT(id, name, scope, default_value, minimum, maximum, ...) \
  {                                                                            \
    Knobs knobs;                                                               \
    const int value = (default_value) == (maximum) ? (minimum) : (maximum);    \
    ASSERT_TRUE(knobs.Set(name, StrCat(value)).ok());                          \
    EXPECT_EQ(knobs.id(), value) << name;                                      \
  }
#define PTXMIR_KNOB_OPTIONAL_INT(id, name, scope, minimum, maximum, ...) \
  {                                                                      \
    Knobs knobs;                                                         \
    EXPECT_EQ(knobs.id(), std::nullopt) << name;                         \
    ASSERT_TRUE(knobs.Set(name, StrCat(maximum)).ok());                  \
    EXPECT_EQ(knobs.id(), maximum) << name;                              \
    ASSERT_TRUE(knobs.Set(name, "auto").ok());                           \
    EXPECT_EQ(knobs.id(), std::nullopt) << name;                         \
  }
#define PTXMIR_KNOB_ENUM(id, name, scope, Enum, default_value, ...)             \
  for (size_t value = 0; value < FindKnob(name)->value_names.size(); ++value) { \
    Knobs knobs;                                                                \
    ASSERT_TRUE(knobs.Set(name, FindKnob(name)->value_names[value]).ok());      \
    EXPECT_EQ(static_cast<size_t>(knobs.id()), value) << name;                  \
  }
#define PTXMIR_KNOB_LIST(id, name, scope, element, ...)                                        \
  {                                                                                            \
    Knobs knobs;                                                                               \
    const char* value = KnobElement::element == KnobElement::kRegisterCounts ? "b1:1" : "x=1"; \
    ASSERT_TRUE(knobs.Set(name, value).ok());                                                  \
    EXPECT_EQ(knobs.id(), std::vector<std::string>{value}) << name;                            \
  }
#include "options/knob_table.inc"
}

TEST(KnobsTest, EnumsReadAsTheyAreSpelt) {
  const auto set = [](std::string_view name, std::string_view value) {
    Knobs knobs;
    EXPECT_TRUE(knobs.Set(name, value).ok()) << name << value;
    return knobs;
  };
  EXPECT_EQ(set("enable-machine-outliner", "disable").enable_machine_outliner(), MachineOutlinerMode::kDisable);
  EXPECT_EQ(set("enable-machine-outliner", "enable").enable_machine_outliner(), MachineOutlinerMode::kEnable);
  EXPECT_EQ(set("enable-machine-outliner", "guaranteed-beneficial").enable_machine_outliner(),
            MachineOutlinerMode::kGuaranteedBeneficial);
  EXPECT_EQ(set("ra-spill", "auto").ra_spill(), SpillPolicy::kAuto);
  EXPECT_EQ(set("ra-spill", "never").ra_spill(), SpillPolicy::kNever);
  EXPECT_EQ(set("ra-spill", "always").ra_spill(), SpillPolicy::kAlways);
  EXPECT_EQ(set("ra-stress", "none").ra_stress(), RegisterStress::kNone);
  EXPECT_EQ(set("ra-stress", "spill-all").ra_stress(), RegisterStress::kSpillAll);
  EXPECT_EQ(set("ra-stress", "split").ra_stress(), RegisterStress::kSplit);
  EXPECT_EQ(set("ra-spill-space", "local").ra_spill_space(), SpillSpace::kLocal);
  EXPECT_EQ(set("ra-spill-space", "shared").ra_spill_space(), SpillSpace::kShared);
  EXPECT_EQ(set("ra-spill-space", "auto").ra_spill_space(), SpillSpace::kAuto);
  EXPECT_EQ(set("scheduling-mode", "simple").scheduling_mode(), SchedulingMode::kSimple);
  EXPECT_EQ(set("scheduling-mode", "full").scheduling_mode(), SchedulingMode::kFull);
}

TEST(KnobsTest, ErrorsNameTextNearestKnobAndRange) {
  Knobs knobs;
  EXPECT_EQ(Message(knobs.Set("nv-remat-max-time", "5")),
            "unknown knob 'nv-remat-max-time'; did you mean 'nv-remat-max-times'?");
  EXPECT_EQ(Message(knobs.Set("zzz", "5")), "unknown knob 'zzz'");
  EXPECT_EQ(Message(knobs.Set("", "5")), "unknown knob ''");
  EXPECT_EQ(Parse(knobs, "reg-target-adjust=11"),
            "invalid value '11' for knob '-reg-target-adjust': expected an integer from -10 to 10");
  EXPECT_EQ(Parse(knobs, "disable-ssc=maybe"), "invalid value 'maybe' for knob '-disable-ssc': expected true or false");
  EXPECT_EQ(Parse(knobs, "ra-spill=alway"),
            "invalid value 'alway' for knob '-ra-spill': expected auto, never or always; did you mean 'always'?");
  EXPECT_EQ(Parse(knobs, "maxreg"), "knob '-maxreg' requires a value: expected an integer from 0 to 255");
  // The three errors that cicc documents.
  EXPECT_EQ(Parse(knobs, "nvvm-reflect-add==3"),
            "invalid value '=3' for knob '-nvvm-reflect-add': empty key before '='; expected name=integer");
  EXPECT_EQ(Parse(knobs, "nvvm-reflect-add=__CUDA_FTZ="),
            "invalid value '__CUDA_FTZ=' for knob '-nvvm-reflect-add': missing value after '='; expected name=integer");
  EXPECT_EQ(Parse(knobs, "nvvm-reflect-add=__CUDA_FTZ=x"),
            "invalid value '__CUDA_FTZ=x' for knob '-nvvm-reflect-add': non-integer value after '='; "
            "expected name=integer");
}

TEST(KnobsTest, LimitsOfClassesSayWhatIsWrong) {
  Knobs knobs;
  const std::string expected =
      "; expected class:number with a number from 1 to 255 and a class of b1, b16, b32, b64 or b128";
  EXPECT_EQ(Parse(knobs, "ra-class-limits=b1:5,b46:3"),
            StrCat("invalid value 'b46:3' for knob '-ra-class-limits': no register class 'b46'", expected,
                   "; did you mean 'b16'?"));
  EXPECT_EQ(Parse(knobs, "ra-class-limits=b64"),
            StrCat("invalid value 'b64' for knob '-ra-class-limits': no ':'", expected));
  for (const std::string_view element : {"b64:0", "b64:", "b64:many", "b64:256"}) {
    EXPECT_EQ(Parse(knobs, StrCat("ra-class-limits=", element)),
              StrCat("invalid value '", element,
                     "' for knob '-ra-class-limits': the number is missing, not a number or out of range", expected));
  }
  EXPECT_TRUE(knobs.ra_class_limits().empty());
  EXPECT_EQ(Parse(knobs, "ra-class-limits=b64:16,b1:5"), "set");
  EXPECT_EQ(knobs.ExplicitFlags(), std::vector<std::string>{"-ra-class-limits=b64:16,b1:5"});
  EXPECT_EQ(ParseRegisterCount("b128:12")->class_name, "b128");
  EXPECT_EQ(ParseRegisterCount("b128:12")->count, 12);
}

TEST(KnobsTest, LeavesFlagsOfOthersAlone) {
  Knobs knobs;
  for (const std::string_view flag : {"", "=", "=1", "o", "nv-remat", "-maxreg=4", "maxreg ", "do-licm=0"}) {
    EXPECT_EQ(Parse(knobs, flag), "no knob") << flag;
  }
}

TEST(KnobsTest, ListsGrowAndAreEmptied) {
  Knobs knobs;
  EXPECT_EQ(Parse(knobs, "nvvm-reflect-add=a=1"), "set");
  EXPECT_EQ(Parse(knobs, "R=b=2"), "set");  // cicc's alias
  EXPECT_EQ(knobs.nvvm_reflect_add(), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(Parse(knobs, "nvvm-reflect-add=c=3,d"),
            "invalid value 'd' for knob '-nvvm-reflect-add': no '='; expected name=integer");
  EXPECT_EQ(knobs.nvvm_reflect_add().size(), 2u);
  EXPECT_EQ(Parse(knobs, "nvvm-reflect-add="), "set");
  EXPECT_TRUE(knobs.nvvm_reflect_add().empty());
}

TEST(KnobsTest, RemembersWhoSetWhat) {
  Knobs knobs;
  EXPECT_EQ(knobs.origin("maxreg"), KnobOrigin::kDefault);
  ASSERT_TRUE(knobs.Set("maxreg", "64").ok());
  EXPECT_EQ(knobs.origin("maxreg"), KnobOrigin::kApi);
  EXPECT_EQ(Parse(knobs, "maxreg=0"), "set");
  EXPECT_EQ(knobs.origin("maxreg"), KnobOrigin::kCommandLine);
  EXPECT_TRUE(knobs.IsSet("maxreg")) << "set to its default is set all the same";
  EXPECT_FALSE(knobs.Set("maxreg", "-1", KnobOrigin::kApi).ok());
  EXPECT_EQ(knobs.origin("maxreg"), KnobOrigin::kCommandLine) << "what failed leaves no trace";
  EXPECT_FALSE(knobs.IsSet("j"));
  EXPECT_FALSE(knobs.IsSet("no such knob"));
}

TEST(KnobsTest, FlagsMakeTheSameKnobsAgain) {
  Knobs knobs;
  for (const std::string_view flag : {"enable-mlicm", "no-mi-remat=f,g", "ra-spill=always", "reg-target-adjust=-3"}) {
    EXPECT_EQ(Parse(knobs, flag), "set");
  }
  const std::vector<std::string> flags = knobs.ExplicitFlags();
  EXPECT_EQ(flags, (std::vector<std::string>{"-enable-mlicm=true", "-no-mi-remat=f,g", "-reg-target-adjust=-3",
                                             "-ra-spill=always"}));
  Knobs again;
  for (const std::string& flag : flags) EXPECT_EQ(Parse(again, flag.substr(1)), "set");
  EXPECT_TRUE(again.HasSameValues(knobs));
}

TEST(KnobsTest, CopiesAreIndependentAcrossThreads) {
  static_assert(std::is_copy_constructible_v<Knobs> && std::is_copy_assignable_v<Knobs>);
  Knobs base;
  ASSERT_TRUE(base.Set("no-mi-remat", "f").ok());
  std::vector<Knobs> seen(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Knobs mine = base;
      for (int round = 0; round < 100; ++round) (void)mine.Set("maxreg", StrCat(i + 8));
      (void)mine.Set("no-mi-remat", StrCat("g", i));
      seen[i] = mine;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(seen[i].maxreg(), i + 8);
    EXPECT_EQ(seen[i].no_mi_remat(), (std::vector<std::string>{"f", StrCat("g", i)}));
  }
  EXPECT_EQ(base.maxreg(), 0);
  EXPECT_EQ(base.no_mi_remat(), std::vector<std::string>{"f"});
}

IrAttribute StringAttribute(std::string_view name, std::string_view value, std::string_view text) {
  IrAttribute attribute;
  attribute.name = name;
  attribute.value = value;
  attribute.text = text;
  attribute.is_string = true;
  return attribute;
}

TEST(KnobsForFunctionTest, AttributesOutweighTheCommandLine) {
  Knobs base;
  ASSERT_TRUE(base.Set("maxreg", "32", KnobOrigin::kCommandLine).ok());
  ASSERT_TRUE(base.Set("ra-spill", "never", KnobOrigin::kCommandLine).ok());
  IrAttributes attributes;
  attributes.Add(StringAttribute("ptxmir-maxreg", "64", R"("ptxmir-maxreg"="64")"));
  attributes.Add(StringAttribute("ptxmir-nv-disable-remat", "", R"("ptxmir-nv-disable-remat")"));
  attributes.Add(StringAttribute("maxreg", "8", R"("maxreg"="8")"));  // not one of our attributes
  attributes.Add(StringAttribute("target-cpu", "sm_90", R"("target-cpu"="sm_90")"));
  IrAttribute plain;
  plain.name = "nounwind";
  attributes.Add(plain);
  DiagnosticEngine diagnostics;
  const Knobs knobs = KnobsForFunction(base, &attributes, "f", diagnostics);
  EXPECT_EQ(diagnostics.ToString(), "");
  EXPECT_EQ(knobs.maxreg(), 64);
  EXPECT_EQ(knobs.origin("maxreg"), KnobOrigin::kFunctionAttribute);
  EXPECT_TRUE(knobs.nv_disable_remat());
  EXPECT_EQ(knobs.ra_spill(), SpillPolicy::kNever);
  EXPECT_EQ(knobs.origin("ra-spill"), KnobOrigin::kCommandLine);
  EXPECT_EQ(base.maxreg(), 32);
  EXPECT_TRUE(KnobsForFunction(base, nullptr, "f", diagnostics).HasSameValues(base));
}

TEST(KnobsForFunctionTest, WrongAttributesAreErrorsThatNameFunctionAndText) {
  IrAttributes attributes;
  attributes.Add(StringAttribute("ptxmir-maxrig", "64", R"("ptxmir-maxrig"="64")"));
  attributes.Add(StringAttribute("ptxmir-maxreg", "400", R"("ptxmir-maxreg"="400")"));
  attributes.Add(StringAttribute("ptxmir-j", "4", R"("ptxmir-j"="4")"));
  attributes.Add(StringAttribute("ptxmir-", "4", R"("ptxmir-"="4")"));
  DiagnosticEngine diagnostics;
  const Knobs knobs = KnobsForFunction(Knobs(), &attributes, "f", diagnostics);
  EXPECT_TRUE(knobs.HasSameValues(Knobs()));
  EXPECT_EQ(diagnostics.num_errors(), 4u);
  EXPECT_EQ(diagnostics.ToString(),
            "error: function 'f', attribute \"ptxmir-maxrig\"=\"64\": unknown knob 'maxrig'; did you mean 'maxreg'?\n"
            "error: function 'f', attribute \"ptxmir-maxreg\"=\"400\": invalid value '400' for knob '-maxreg': "
            "expected an integer from 0 to 255\n"
            "error: function 'f', attribute \"ptxmir-j\"=\"4\": knob '-j' is one of the whole module, not of a "
            "function\n"
            "error: function 'f', attribute \"ptxmir-\"=\"4\": unknown knob ''\n");
}

TEST(KnobsWithoutEffectTest, KnobsOfAbsentPassesAreWarnedOf) {
  Knobs knobs;
  EXPECT_EQ(Parse(knobs, "nv-remat-max-times=5"), "set");
  EXPECT_EQ(Parse(knobs, "verify-update-mcse"), "set");
  EXPECT_EQ(Parse(knobs, "maxreg=64"), "set");  // belongs to no pass
  ASSERT_TRUE(knobs.Set("disable-ssc", "1").ok());
  DiagnosticEngine diagnostics;
  WarnOfKnobsWithoutEffect(knobs, KnobOrigin::kCommandLine, "", Nothing, diagnostics);
  EXPECT_EQ(diagnostics.ToString(),
            "warning: knob '-verify-update-mcse' has no effect: none of its passes 'machine-cse,machine-rpa' exists "
            "here\n"
            "warning: knob '-nv-remat-max-times' has no effect: its pass 'nvptx-remat-block' does not exist here\n");
  EXPECT_FALSE(diagnostics.has_errors());

  DiagnosticEngine some;
  WarnOfKnobsWithoutEffect(
      knobs, KnobOrigin::kCommandLine, "", [](std::string_view pass) { return pass == "machine-rpa"; }, some);
  EXPECT_EQ(some.diagnostics().size(), 1u);
  DiagnosticEngine none;
  WarnOfKnobsWithoutEffect(knobs, KnobOrigin::kCommandLine, "", Everything, none);
  EXPECT_TRUE(none.diagnostics().empty());
}

TEST(KnobsWithoutEffectTest, KnobsThatNothingReadsAreWarnedOfWithTheReason) {
  Knobs knobs;
  EXPECT_EQ(Parse(knobs, "enable-new-nvvm-remat=false"), "set");
  EXPECT_EQ(Parse(knobs, "scheduling-mode=simple"), "set");
  DiagnosticEngine diagnostics;
  WarnOfKnobsWithoutEffect(knobs, KnobOrigin::kCommandLine, "function 'f': ", Everything, diagnostics);
  EXPECT_EQ(diagnostics.ToString(),
            "warning: function 'f': knob '-enable-new-nvvm-remat' has no effect: there is only one rematerialization "
            "here\n");
}

TEST(PrintKnobsTest, ShowsEveryKnobInOrder) {
  Knobs knobs;
  EXPECT_EQ(Parse(knobs, "nv-remat-max-times=5"), "set");
  const std::string text = PrintKnobs(knobs, Nothing);
  size_t last = 0;
  for (const KnobInfo& knob : KnobTable()) {
    const size_t at = text.find(StrCat("\n  -", knob.name, " "));
    ASSERT_NE(at, std::string::npos) << knob.name;
    EXPECT_LE(last, at) << knob.name;
    EXPECT_NE(text.find(StrCat(": ", knob.help), at), std::string::npos) << knob.name;
    last = at;
  }
  for (const std::string_view part :
       {"  knob                                      default    value      type and range\n\nNVIDIA target passes:\n",
        "  -nv-remat-max-times                       10         5          int 0..1000000                        set "
        "on the command line\n      nvptx-remat-block (not implemented): Most rounds of the outer loop\n",
        "  -enable-mcse                              auto       auto       bool\n      machine-cse (not "
        "implemented): Eliminate common machine subexpressions (cicc: by the optimization level); auto (on)\n",
        "  -ra-spill                                 auto       auto       auto|never|always\n",
        "  -no-mi-remat                              -          -          names\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << "missing: " << part;
  }
  size_t absent = 0;
  for (const KnobInfo& knob : KnobTable()) absent += !knob.absence.empty();
  EXPECT_GT(absent, 0u);
  const std::string all = PrintKnobs(knobs, Everything);
  size_t shown = 0;
  for (size_t at = all.find(" (not implemented)"); at != all.npos; at = all.find(" (not implemented)", at + 1)) ++shown;
  EXPECT_EQ(shown, absent) << "only those that nothing reads";
}

// Random texts must not crash, and must set one knob or none.
TEST(KnobsTest, RandomTextsDoNoHarm) {
  std::mt19937 random(20);
  const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  constexpr std::string_view kPieces[] = {"=",    "-",          ",",    "0",    "1", "0x",
                                          "true", "9999999999", "auto", "\xff", " ", "a=1"};
  size_t set = 0, wrong = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string flag(KnobTable()[below(KnobTable().size())].name);
    if (below(2) != 0) flag += '=';
    for (size_t i = below(4); i > 0; --i) flag += kPieces[below(std::size(kPieces))];
    for (size_t i = below(8) == 0 ? 1 + below(3) : 0; i > 0; --i) {
      flag[below(flag.size())] = static_cast<char>(below(256));
    }
    if (below(16) == 0) flag.resize(below(flag.size() + 1));
    Knobs knobs;
    const absl::StatusOr<bool> parsed = knobs.ParseFlag(flag);
    const bool was_set = parsed.ok() && *parsed;
    EXPECT_EQ(knobs.ExplicitFlags().size(), was_set ? 1u : 0u) << flag;
    if (!parsed.ok()) {
      EXPECT_FALSE(parsed.status().message().empty());
      EXPECT_TRUE(knobs.HasSameValues(Knobs())) << flag;
    }
    set += was_set;
    wrong += !parsed.ok();
  }
  EXPECT_GT(set, 5000u);
  EXPECT_GT(wrong, 5000u);
}

}  // namespace
}  // namespace ptxmir
