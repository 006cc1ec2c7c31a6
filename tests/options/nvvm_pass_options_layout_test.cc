// SPDX-License-Identifier: Apache-2.0

// Compares the layout of NvvmPassOptions with cicc's tables, copied from its documentation, and proves that these
// tables allow no other layout.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "options/nvvm_pass_options.h"

namespace ptxmir {
namespace {

constexpr int kNumSlots = 221;

// "Offset-to-Pass Mapping": offset, the slots in the label of the row, guard sense, controlled pass.
struct MappingRow {
  size_t offset;
  int first_label;
  int last_label;
  std::string_view sense;
  std::string_view pass;
};

constexpr MappingRow kMapping[] = {
    {200, 9, 9, "value", "Optimization threshold (integer, read by sub_12DFE00)"},
    {280, 14, 15, "!opts", "DCE (DeadCodeElimination)"},
    {320, 16, 17, "!opts", "TailCallElim / JumpThreading"},
    {360, 18, 19, "!opts", "NVVMLateOpt"},
    {400, 20, 21, "!opts", "AlwaysInliner gate A"},
    {440, 22, 23, "!opts", "AlwaysInliner gate B"},
    {480, 24, 25, "!opts", "Inliner gate C"},
    {520, 26, 27, "!opts", "NVIDIA-specific pass A"},
    {560, 28, 29, "!opts", "NVIDIA-specific pass B"},
    {600, 30, 31, "!opts", "NVVMVerifier"},
    {680, 34, 35, "!opts", "FunctionAttrs"},
    {720, 36, 37, "!opts", "SCCP"},
    {760, 38, 39, "!opts", "DSE (DeadStoreElimination)"},
    {880, 44, 45, "!opts", "NVVMReflect"},
    {920, 46, 47, "!opts", "IPConstantPropagation"},
    {960, 48, 49, "!opts", "SimplifyCFG"},
    {1000, 50, 51, "!opts", "InstCombine"},
    {1040, 52, 53, "!opts", "Sink / SimplifyCFG (early)"},
    {1080, 54, 55, "!opts", "PrintModulePass (dump IR)"},
    {1120, 56, 57, "!opts", "NVVMPredicateOpt"},
    {1160, 58, 59, "!opts", "LoopIndexSplit"},
    {1200, 60, 61, "!opts", "SimplifyCFG (tier guard)"},
    {1240, 62, 63, "!opts", "LICM"},
    {1280, 64, 65, "!opts", "Reassociate / Sinking"},
    {1320, 66, 67, "!opts", "ADCE (AggressiveDeadCodeElimination)"},
    {1360, 68, 69, "!opts", "LoopUnroll"},
    {1400, 70, 71, "!opts", "SROA"},
    {1440, 72, 73, "!opts", "EarlyCSE"},
    {1480, 74, 75, "!opts", "ADCE extra guard"},
    {1520, 76, 77, "!opts", "LoopSimplify"},
    {1640, 82, 83, "!opts", "NVVMWarpShuffle"},
    {1680, 84, 85, "!opts", "NVIDIA pass (early)"},
    {1760, 88, 89, "!opts", "MemorySpaceOpt (primary)"},
    {1840, 92, 93, "!opts", "ADCE variant"},
    {1960, 98, 99, "!opts", "ConstantMerge / GlobalDCE"},
    {2000, 100, 101, "!opts", "NVVMIntrinsicLowering"},
    {2040, 102, 103, "!opts", "MemCpyOpt"},
    {2080, 104, 105, "!opts", "BranchDist gate A"},
    {2120, 106, 107, "!opts", "BranchDist gate B"},
    {2160, 108, 109, "!opts", "NVVMPredicateOpt variant"},
    {2200, 110, 111, "!opts", "GenericToNVVM"},
    {2240, 112, 113, "!opts", "NVVMLowerAlloca gate A"},
    {2280, 114, 115, "!opts", "NVVMLowerAlloca gate B"},
    {2320, 116, 117, "!opts", "NVVMRematerialization"},
    {2360, 118, 119, "!opts", "NVVMUnreachableBlockElim"},
    {2400, 120, 121, "!opts", "NVVMReduction"},
    {2440, 122, 123, "!opts", "NVVMSinking2"},
    {2560, 128, 129, "!opts", "NVVMGenericAddrOpt"},
    {2600, 130, 131, "!opts", "NVVMIRVerification"},
    {2640, 132, 133, "!opts", "LoopOpt / BarrierOpt"},
    {2680, 134, 135, "!opts", "MemorySpaceOpt (second invocation)"},
    {2720, 136, 137, "!opts", "InstructionSimplify"},
    {2760, 138, 139, "!opts", "LoopUnswitch variant"},
    {2840, 141, 141, "opts", "ADCE (enabled by default, slot 141, default=1)"},
    {2880, 143, 143, "opts", "LICM (enabled by default, slot 143, default=1)"},
    {2920, 145, 145, "value", "LowerBarriers parameter"},
    {3000, 150, 151, "opts", "Early pass guard"},
    {3040, 151, 151, "opts", "CorrelatedValuePropagation (default=1)"},
    {3080, 153, 153, "opts", "NVIDIA-specific loop pass"},
    {3120, 155, 155, "opts", "MemorySpaceOpt second-pass enable (default=1)"},
    {3160, 157, 157, "opts", "PrintModulePass enable (default=1)"},
    {3200, 159, 159, "opts", "Optimization-level gate (default=1)"},
    {3328, 165, 165, "opts", "Late-pipeline enable block (default=1)"},
    {3488, 174, 175, "opts", "NVVMBarrierAnalysis + LowerBarriers enable"},
    {3648, 181, 181, "string", "Language string (\"ptx\"/\"mid\")"},
    {3704, 185, 185, "opts", "Late optimization flag"},
    {3904, 193, 193, "opts", "Debug / verification mode"},
    {3944, 195, 195, "opts", "Basic block naming (\"F%d_B%d\")"},
    {3984, 197, 197, "value", "Integer limit (default=20)"},
    {4064, 201, 201, "value", "Concurrent compilation override"},
    {4104, 203, 203, "value", "Thread count (default=-1, auto-detect)"},
    {4144, 205, 205, "value", "Thread count fallback (default=-1)"},
    {4184, 207, 207, "value", "Integer parameter (default=-1)"},
    {4224, 209, 209, "opts", "Optimization enabled flag"},
    {4304, 213, 213, "opts", "Device-code flag"},
    {4344, 215, 215, "value", "Integer counter (default=0)"},
    {4384, 217, 217, "opts", "Fast-compile bypass flag"},
    {4464, 221, 221, "!opts", "Late CFG cleanup guard"},
};

// The defaults that are 1, and the integers: slot, offset, default.
struct DefaultRow {
  int slot;
  size_t offset;
  int value;
};

constexpr DefaultRow kDefaultOn[] = {{19, 400, 1},   {25, 520, 1},   {93, 1880, 1},  {95, 1920, 1},  {117, 2360, 1},
                                     {141, 2840, 1}, {143, 2880, 1}, {151, 3040, 1}, {155, 3120, 1}, {157, 3160, 1},
                                     {159, 3200, 1}, {165, 3328, 1}, {211, 4264, 1}, {219, 4424, 1}};

constexpr DefaultRow kIntegers[] = {{9, 200, 1},     {197, 3984, 20}, {203, 4104, -1},
                                    {205, 4144, -1}, {207, 4184, -1}, {215, 4344, 0}};

const std::set<int> kInlineSlots = {7, 11, 13, 49, 53, 55, 59, 61, 95, 103, 119, 127, 151, 159, 169, 177, 211};

const PassOptionSlot& Slot(int number) { return PassOptionSlots()[static_cast<size_t>(number - 1)]; }

// Returns the slot that begins at an offset, or 0 if none does.
int SlotAt(size_t offset) {
  for (int slot = 1; slot <= kNumSlots; ++slot) {
    if (PassOptionOffset(slot) == offset) return slot;
  }
  return 0;
}

TEST(LayoutTest, SizesAndFields) {
  EXPECT_EQ(sizeof(NvvmPassOptions), 4512u);
  EXPECT_EQ(offsetof(NvvmPassOptions, opt_level), 0u);
  EXPECT_EQ(offsetof(NvvmPassOptions, registry), 8u);
  EXPECT_EQ(PassOptionOffset(1), 16u);
  EXPECT_EQ(offsetof(NvvmPassOptions, trailer), 4480u);
  EXPECT_EQ(sizeof(NvvmPassOptions::trailer), 32u);

  EXPECT_EQ(sizeof(StringOption), 24u);
  EXPECT_EQ(offsetof(StringOption, value), 0u);
  EXPECT_EQ(offsetof(StringOption, option_index), 8u);
  EXPECT_EQ(offsetof(StringOption, flags), 12u);
  EXPECT_EQ(offsetof(StringOption, opt_level), 16u);
  EXPECT_EQ(offsetof(StringOption, pass_id), 20u);

  EXPECT_EQ(sizeof(BoolCompactOption), 16u);
  EXPECT_EQ(offsetof(BoolCompactOption, value), 0u);
  EXPECT_EQ(offsetof(BoolCompactOption, option_index), 4u);
  EXPECT_EQ(offsetof(BoolCompactOption, flags), 8u);
  EXPECT_EQ(offsetof(BoolCompactOption, pass_id), 12u);

  EXPECT_EQ(sizeof(BoolInlineOption), 16u);
  EXPECT_EQ(offsetof(BoolInlineOption, option_index), 4u);
  EXPECT_EQ(offsetof(BoolInlineOption, opt_level), 8u);
  EXPECT_EQ(offsetof(BoolInlineOption, pass_id), 12u);

  EXPECT_EQ(sizeof(IntegerOption), 16u);
  EXPECT_EQ(offsetof(IntegerOption, option_index), 4u);
  EXPECT_EQ(offsetof(IntegerOption, opt_level), 8u);
  EXPECT_EQ(offsetof(IntegerOption, pass_id), 12u);

  EXPECT_EQ(sizeof(StringPtrOption), 28u);
  EXPECT_EQ(offsetof(StringPtrOption, data), 0u);
  EXPECT_EQ(offsetof(StringPtrOption, length), 8u);
  EXPECT_EQ(offsetof(StringPtrOption, option_index), 16u);
  EXPECT_EQ(offsetof(StringPtrOption, opt_level), 20u);
  EXPECT_EQ(offsetof(StringPtrOption, pass_id), 24u);

  EXPECT_EQ(sizeof(PassDef), 64u);
  EXPECT_EQ(offsetof(PassDef, pass_id), 32u);
  EXPECT_EQ(offsetof(PassDef, has_overrides), 36u);
  EXPECT_EQ(offsetof(PassDef, override_index), 40u);
  EXPECT_EQ(offsetof(OptionNode, flags), 40u);
  EXPECT_EQ(offsetof(OptionNode, values), 48u);
  EXPECT_EQ(offsetof(OptionNode, value_count), 56u);
}

TEST(LayoutTest, CountsOfTypes) {
  std::map<SlotKind, int> counts;
  for (const PassOptionSlot& slot : PassOptionSlots()) ++counts[slot.kind];
  EXPECT_EQ(counts[SlotKind::kString], 114);
  EXPECT_EQ(counts[SlotKind::kBoolCompact], 83);
  EXPECT_EQ(counts[SlotKind::kBoolInline], 17);
  EXPECT_EQ(counts[SlotKind::kInteger], 6);
  EXPECT_EQ(counts[SlotKind::kStringPtr], 1);
  EXPECT_EQ(PassOptionSlots().size(), 221u);
}

TEST(LayoutTest, ListedTypes) {
  for (const int slot : kInlineSlots) EXPECT_EQ(Slot(slot).kind, SlotKind::kBoolInline) << slot;
  for (const DefaultRow& row : kIntegers) EXPECT_EQ(Slot(row.slot).kind, SlotKind::kInteger) << row.slot;
  for (const DefaultRow& row : kDefaultOn) EXPECT_TRUE(IsBool(Slot(row.slot).kind)) << row.slot;
  EXPECT_EQ(Slot(181).kind, SlotKind::kStringPtr);
}

TEST(LayoutTest, PairsAndTheirExceptions) {
  for (int slot = 1; slot <= 6; ++slot) EXPECT_EQ(Slot(slot).kind, SlotKind::kString) << slot;
  const std::set<int> exceptions = {160, 161, 162, 163, 181, 190, 191, 192, 193};
  for (int slot = 7; slot <= kNumSlots; ++slot) {
    if (exceptions.count(slot) != 0) continue;
    EXPECT_EQ(IsString(Slot(slot).kind), slot % 2 == 0) << slot;
  }
  for (const int slot : {160, 161, 162, 191}) EXPECT_EQ(Slot(slot).kind, SlotKind::kString) << slot;
  for (const int slot : {163, 192, 193}) EXPECT_TRUE(IsBool(Slot(slot).kind)) << slot;
}

TEST(LayoutTest, SlotsLieInOrderAndTouch) {
  for (int slot = 1; slot < kNumSlots; ++slot) {
    const size_t size = Slot(slot).kind == SlotKind::kString ? 24 : slot == 181 ? 28 : 16;
    const size_t padding = slot == 181 ? 4 : 0;
    EXPECT_EQ(PassOptionOffset(slot) + size + padding, PassOptionOffset(slot + 1)) << slot;
  }
  EXPECT_EQ(PassOptionOffset(kNumSlots) + 16, 4480u);
  EXPECT_EQ(PassOptionOffset(0), 0u);
  EXPECT_EQ(PassOptionOffset(kNumSlots + 1), 0u);
}

TEST(LayoutTest, OffsetsOfDefaultsAndIntegers) {
  for (const DefaultRow& row : kDefaultOn) EXPECT_EQ(PassOptionOffset(row.slot), row.offset) << row.slot;
  for (const DefaultRow& row : kIntegers) EXPECT_EQ(PassOptionOffset(row.slot), row.offset) << row.slot;
}

TEST(LayoutTest, EveryMappedOffsetIsTheSlotsOfItsLabel) {
  for (const MappingRow& row : kMapping) {
    const int slot = SlotAt(row.offset);
    ASSERT_NE(slot, 0) << row.offset;
    if (row.first_label != row.last_label) {
      EXPECT_EQ(slot, row.first_label - 1) << row.offset << ": labels of pairs are one pair too high";
    } else if (row.offset == 3704) {
      EXPECT_EQ(slot, 183) << "labeled 185";
    } else {
      EXPECT_EQ(slot, row.first_label) << row.offset;
    }
  }
}

TEST(LayoutTest, MappedSlotsKeepTheirGuardSense) {
  std::set<int> mapped;
  for (const MappingRow& row : kMapping) {
    const PassOptionSlot& slot = Slot(SlotAt(row.offset));
    EXPECT_TRUE(mapped.insert(slot.number).second);
    const GuardSense wanted = row.sense == "opts"    ? GuardSense::kEnable
                              : row.sense == "!opts" ? GuardSense::kDisable
                                                     : GuardSense::kValue;
    EXPECT_EQ(slot.sense, wanted) << row.offset;
    EXPECT_FALSE(slot.pass.empty()) << row.offset;
    // The first word of the pass is the same as in cicc's table.
    const std::string_view word = slot.pass.substr(0, slot.pass.find_first_of(" (,/"));
    EXPECT_NE(row.pass.find(word), std::string_view::npos) << row.offset << ": " << slot.pass << " / " << row.pass;
  }
  for (const DefaultRow& row : kDefaultOn) mapped.insert(row.slot);
  for (const PassOptionSlot& slot : PassOptionSlots()) {
    if (slot.number <= 6) continue;
    EXPECT_EQ(slot.sense != GuardSense::kUnknown, mapped.count(slot.number) == 1) << slot.number;
  }
}

// Counts the sequences of slot sizes (24 for strings, 28 for slot 181, 16 for all others) that agree with cicc's
// tables. Goes slot by slot and counts the ways to reach an offset after a number of strings.
class LayoutCounter {
 public:
  LayoutCounter() {
    for (int slot = 1; slot <= 6; ++slot) is_string_[slot] = true;
    for (const int slot : kInlineSlots) is_string_[slot] = false;
    for (const DefaultRow& row : kDefaultOn) Place(row.slot, row.offset);
    for (const DefaultRow& row : kIntegers) Place(row.slot, row.offset);
    for (const MappingRow& row : kMapping) {
      // This one label is wrong; see FitsNoLiteralReading.
      if (row.first_label == row.last_label && row.first_label != 185) offset_[row.first_label] = row.offset;
    }
    // The documented exceptions.
    for (const int slot : {160, 161, 162, 191}) is_string_[slot] = true;
    for (const int slot : {163, 192, 193}) is_string_[slot] = false;
  }

  // This half of the pair pattern is enough.
  void EvenSlotsAreStrings() {
    for (int slot = 8; slot <= kNumSlots; slot += 2) is_string_.emplace(slot, true);
  }
  void PutAt(int slot, size_t offset) { offset_[slot] = offset; }
  void PutOneOfAt(int first, int second, size_t offset) { either_.push_back({first, second, offset}); }
  void ExpectStrings(int count) { num_strings_ = count; }
  void ExpectEnd(size_t end) { end_ = end; }
  void DoNotAlign() { pointer_alignment_ = 1; }

  double Count() const {
    std::map<std::pair<size_t, int>, double> ways = {{{16, 0}, 1}};
    for (int slot = 1; slot <= kNumSlots; ++slot) {
      std::map<std::pair<size_t, int>, double> next;
      for (const auto& [state, count] : ways) {
        const auto known = is_string_.find(slot);
        for (const bool is_string : {false, true}) {
          if (slot == 181 ? is_string : known != is_string_.end() && known->second != is_string) continue;
          const size_t alignment = is_string || slot == 181 ? pointer_alignment_ : 1;
          const size_t begin = (state.first + alignment - 1) / alignment * alignment;
          if (!MayBeginAt(slot, begin)) continue;
          const size_t size = slot == 181 ? 28 : is_string ? 24 : 16;
          next[{begin + size, state.second + is_string}] += count;
        }
      }
      ways = std::move(next);
    }
    const auto found = ways.find({end_, num_strings_});
    return found == ways.end() ? 0 : found->second;
  }

 private:
  struct Either {
    int first, second;
    size_t offset;
  };

  void Place(int slot, size_t offset) {
    offset_[slot] = offset;
    is_string_[slot] = false;
  }
  bool MayBeginAt(int slot, size_t begin) const {
    const auto known = offset_.find(slot);
    if (known != offset_.end() && known->second != begin) return false;
    // No slot may be there other than the two of the pair.
    for (const Either& either : either_) {
      if (begin == either.offset && slot != either.first && slot != either.second) return false;
    }
    return true;
  }

  std::map<int, bool> is_string_;
  std::map<int, size_t> offset_;
  std::vector<Either> either_;
  int num_strings_ = 114;
  size_t end_ = 4480;
  size_t pointer_alignment_ = 8;
};

TEST(LayoutProofTest, OneLayoutFits) {
  LayoutCounter counter;
  counter.EvenSlotsAreStrings();
  EXPECT_EQ(counter.Count(), 1);
}

TEST(LayoutProofTest, EachFactIsNeededOrConfirmed) {
  LayoutCounter without_pairs;
  EXPECT_GT(without_pairs.Count(), 1) << "offsets alone leave the order inside pairs open";
  for (const int strings : {113, 115}) {
    LayoutCounter counter;
    counter.EvenSlotsAreStrings();
    counter.ExpectStrings(strings);
    EXPECT_EQ(counter.Count(), 0) << strings;
  }
  // Without the 4 bytes after slot 181, the slots would end at 4476 and the offsets from slot 193 on would be
  // different.
  for (const size_t end : {4476, 4480}) {
    LayoutCounter packed;
    packed.EvenSlotsAreStrings();
    packed.DoNotAlign();
    packed.ExpectEnd(end);
    EXPECT_EQ(packed.Count(), 0) << end;
  }
}

TEST(LayoutProofTest, FitsNoLiteralReading) {
  LayoutCounter slot_185;
  slot_185.EvenSlotsAreStrings();
  slot_185.PutAt(185, 3704);
  EXPECT_EQ(slot_185.Count(), 0);
  int num_pairs = 0;
  for (const MappingRow& row : kMapping) {
    if (row.first_label == row.last_label) continue;
    LayoutCounter counter;
    counter.EvenSlotsAreStrings();
    counter.PutOneOfAt(row.first_label, row.last_label, row.offset);
    EXPECT_EQ(counter.Count(), 0) << row.offset << " as slot " << row.first_label << " or " << row.last_label;
    ++num_pairs;
  }
  EXPECT_EQ(num_pairs, 54);
}

TEST(PassDefTest, PairsShareAPassId) {
  EXPECT_EQ(PassDefTable().size(), 221u);
  EXPECT_EQ(GetPassDef(0), nullptr);
  EXPECT_EQ(GetPassDef(222), nullptr);
  EXPECT_EQ(reinterpret_cast<const char*>(GetPassDef(3)) - reinterpret_cast<const char*>(GetPassDef(1)), 128);
  EXPECT_EQ(GetPassDef(6)->pass_id, 6);
  EXPECT_EQ(GetPassDef(142)->pass_id, 143);
  EXPECT_EQ(GetPassDef(143)->pass_id, 143);
  for (const int slot : {160, 161, 162, 163}) EXPECT_EQ(GetPassDef(slot)->pass_id, 163) << slot;
  for (const int slot : {190, 191, 192}) EXPECT_EQ(GetPassDef(slot)->pass_id, 192) << slot;
  EXPECT_EQ(GetPassDef(181)->pass_id, 181);
  for (int slot = 1; slot <= kNumSlots; ++slot) {
    const PassDef& def = *GetPassDef(slot);
    const bool may_override = kInlineSlots.count(slot) == 1 && slot != 7;  // 7 has no partner
    EXPECT_EQ(def.has_overrides, may_override) << slot;
    EXPECT_EQ(def.override_index, may_override ? slot - 1 : 0) << slot;
    if (may_override) {
      EXPECT_EQ(GetPassDef(def.override_index)->pass_id, def.pass_id) << slot;
    }
  }
}

}  // namespace
}  // namespace ptxmir
