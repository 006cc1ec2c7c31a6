// SPDX-License-Identifier: Apache-2.0

#include "passes/frame/stack_frame_layout.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "absl/strings/numbers.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "base/str_cat.h"
#include "ir/module.h"

namespace ptxmir {
namespace {

struct Slot {
  int index;
  const StackObject* object;
  bool is_variable_sized() const { return object->type == StackObject::Type::kVariableSized; }
};

std::string_view TypeOf(const Slot& slot, const MachineFrameInfo& frame) {
  if (slot.object->type == StackObject::Type::kSpillSlot) return "Spill";
  if (slot.index < 0) return "Fixed";
  if (slot.is_variable_sized()) return "VariableSized";
  return frame.stack_protector == StrCat("%stack.", slot.index) ? "Protector" : "Variable";
}

// Returns the objects from the highest offset to the lowest. Objects of variable size, which have no meaningful
// offset, come last.
std::vector<Slot> SlotsInOrder(const MachineFrameInfo& frame) {
  std::vector<Slot> slots;
  for (int i = -static_cast<int>(frame.fixed_objects().size()); i < static_cast<int>(frame.objects().size()); ++i) {
    if (!frame.object(i).is_dead && !frame.object(i).is_in_shared()) slots.push_back({i, &frame.object(i)});
  }
  const auto key = [](const Slot& slot) {
    return std::make_tuple(!slot.is_variable_sized(), slot.object->offset, slot.index);
  };
  std::sort(slots.begin(), slots.end(), [&](const Slot& a, const Slot& b) { return key(a) > key(b); });
  return slots;
}

// Returns the nodes of a text such as "!7!8", each once.
std::vector<MetadataId> References(std::string_view text) {
  std::vector<MetadataId> ids;
  while (text.starts_with('!')) {
    text.remove_prefix(1);
    const std::string_view digits = text.substr(0, text.find('!'));
    text.remove_prefix(digits.size());
    MetadataId id;
    if (!absl::SimpleAtoi(ToAbsl(digits), &id)) break;
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  return ids;
}

// Returns "name @ file:line" for a DILocalVariable, or an empty string for any other node.
std::string VariableText(const Module& module, MetadataId id) {
  const MetadataNode* variable = module.metadata(id);
  if (variable == nullptr || variable->kind != "DILocalVariable") return "";
  const std::optional<MetadataId> file_id = variable->Node("file");
  const MetadataNode* file = file_id.has_value() ? module.metadata(*file_id) : nullptr;
  return StrCat(variable->Text("name"), " @ ", file == nullptr ? "" : file->Text("filename"), ":",
                variable->Integer("line"));
}

void Describe(const Slot& slot, const MachineFunction& function, MachineRemark& remark) {
  const StackObject& object = *slot.object;
  remark << (object.offset < 0 ? "\nOffset: [SP" : "\nOffset: [SP+") << RemarkArg("Offset", object.offset)
         << "], Type: " << RemarkArg("Type", TypeOf(slot, function.frame_info()))
         << ", Align: " << RemarkArg("Align", uint64_t{1} << object.align_log2)
         << ", Size: " << RemarkArg("Size", object.size);
  if (function.module() == nullptr) return;
  for (const MetadataId id : References(object.debug_variable)) {
    const std::string text = VariableText(*function.module(), id);
    if (!text.empty()) remark << "\n    " << RemarkArg("DataLoc", text);
  }
}

}  // namespace

PassResult RunStackFrameLayout(MachineFunction& function, PassContext& context) {
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    MachineRemark remark(RemarkKind::kAnalysis, context.pass_name, "StackLayout", function);
    remark << StrCat("\nFunction: ", function.name());
    for (const Slot& slot : SlotsInOrder(function.frame_info())) Describe(slot, function, remark);
    return remark;
  });
  return {};
}

}  // namespace ptxmir
