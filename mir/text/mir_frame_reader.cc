// SPDX-License-Identifier: Apache-2.0

// The parts of MirFunctionReader that read the frame: `frameInfo`, `fixedStack` and `stack`.

#include <cstdint>
#include <iterator>

#include "base/str_cat.h"
#include "mir/text/mir_function_reader.h"

namespace ptxmir {
namespace {

// One key of `frameInfo` and the member that holds its value.
struct FrameKey {
  std::string_view name;
  bool MachineFrameInfo::*flag = nullptr;
  uint64_t MachineFrameInfo::*number = nullptr;
  int64_t MachineFrameInfo::*offset = nullptr;
  std::string_view MachineFrameInfo::*text = nullptr;
  std::string_view MachineFrameInfo::*verbatim = nullptr;
};

using F = MachineFrameInfo;

constexpr FrameKey kFrameKeys[] = {
    {.name = "isFrameAddressTaken", .flag = &F::is_frame_address_taken},
    {.name = "isReturnAddressTaken", .flag = &F::is_return_address_taken},
    {.name = "hasStackMap", .flag = &F::has_stack_map},
    {.name = "hasPatchPoint", .flag = &F::has_patch_point},
    {.name = "stackSize", .number = &F::stack_size},
    {.name = "offsetAdjustment", .offset = &F::offset_adjustment},
    {.name = "maxAlignment", .number = &F::max_alignment},
    {.name = "adjustsStack", .flag = &F::adjusts_stack},
    {.name = "hasCalls", .flag = &F::has_calls},
    {.name = "stackProtector", .text = &F::stack_protector},
    {.name = "functionContext", .text = &F::function_context},
    {.name = "maxCallFrameSize", .number = &F::max_call_frame_size},
    {.name = "cvBytesOfCalleeSavedRegisters", .number = &F::cv_bytes_of_callee_saved_registers},
    {.name = "hasOpaqueSPAdjustment", .flag = &F::has_opaque_sp_adjustment},
    {.name = "hasVAStart", .flag = &F::has_va_start},
    {.name = "hasMustTailInVarArgFunc", .flag = &F::has_must_tail_in_var_arg_func},
    {.name = "hasTailCall", .flag = &F::has_tail_call},
    {.name = "isCalleeSavedInfoValid", .flag = &F::is_callee_saved_info_valid},
    {.name = "localFrameSize", .offset = &F::local_frame_size},
    {.name = "savePoint", .verbatim = &F::save_points},
    {.name = "restorePoint", .verbatim = &F::restore_points},
};

constexpr std::string_view kStackKeys[] = {"id",
                                           "name",
                                           "type",
                                           "offset",
                                           "size",
                                           "alignment",
                                           "stack-id",
                                           "callee-saved-register",
                                           "callee-saved-restored",
                                           "local-offset",
                                           "debug-info-variable",
                                           "debug-info-expression",
                                           "debug-info-location",
                                           "isImmutable",
                                           "isAliased"};
enum StackKey {
  kId,
  kName,
  kType,
  kOffset,
  kSize,
  kAlignment,
  kStackId,
  kCalleeSavedRegister,
  kCalleeSavedRestored,
  kLocalOffset,
  kDebugVariable,
  kDebugExpression,
  kDebugLocation,
  kIsImmutable,
  kIsAliased,
};

struct StackIdName {
  std::string_view name;
  uint8_t id;
};
// LLVM's TargetStackID.
constexpr StackIdName kStackIds[] = {
    {"default", 0},    {"sgpr-spill", 1}, {"scalable-vector", 2},
    {"wasm-local", 3}, {"noalloc", 255},  {"ptx-shared", StackObject::kSharedStackId},
};

}  // namespace

bool MirFunctionReader::ReadFrameInfo() {
  MachineFrameInfo& frame = function_->frame_info();
  uint32_t seen = 0;
  return yaml_.ReadMapping([&](const YamlScalar& key) {
    for (size_t i = 0; i < std::size(kFrameKeys); ++i) {
      const FrameKey& known = kFrameKeys[i];
      if (known.name != key.raw) continue;
      if (seen >> i & 1) {
        Error(key.position(), StrCat("duplicated mapping key '", key.raw, "'"));
        return yaml_.SkipNode();
      }
      seen |= 1u << i;
      if (known.flag != nullptr) return ReadBool(&(frame.*known.flag));
      if (known.number != nullptr) return ReadUnsigned(&(frame.*known.number));
      if (known.offset != nullptr) return ReadSigned(&(frame.*known.offset));
      if (known.text != nullptr) return ReadText(&(frame.*known.text));
      return yaml_.SkipNodeVerbatim(&(frame.*known.verbatim));
    }
    Error(key.position(), StrCat("unknown key '", key.raw, "'"));
    return yaml_.SkipNode();
  });
}

bool MirFunctionReader::ReadStackObjects(bool is_fixed) {
  return yaml_.ReadSequence(
      [this, is_fixed] { return !file_.diagnostics.limit_reached() && ReadStackObject(is_fixed); });
}

bool MirFunctionReader::ReadStackObject(bool is_fixed) {
  StackObject object;
  YamlScalar id;
  uint32_t seen = 0;
  const char* begin = yaml_.position();
  const size_t errors = file_.diagnostics.num_errors();
  const bool complete = yaml_.ReadMapping([&](const YamlScalar& key) {
    if (seen == 0) begin = key.position();
    for (size_t i = 0; i < std::size(kStackKeys); ++i) {
      if (kStackKeys[i] != key.raw) continue;
      // Some keys are valid for only one of the two kinds.
      if (is_fixed ? i == kName || i == kLocalOffset : i >= kIsImmutable) break;
      if (seen >> i & 1) {
        Error(key.position(), StrCat("duplicated mapping key '", key.raw, "'"));
        return yaml_.SkipNode();
      }
      seen |= 1u << i;
      if (i == kId) return yaml_.ReadScalar(&id);
      return ReadStackObjectKey(static_cast<int>(i), &object, is_fixed);
    }
    Error(key.position(), StrCat("unknown key '", key.raw, "'"));
    return yaml_.SkipNode();
  });
  if (!complete) return false;
  if ((seen >> kId & 1) == 0) {
    MissingKey("id", begin, errors);
    return true;
  }
  PlaceStackObject(id, object, is_fixed);
  return true;
}

bool MirFunctionReader::ReadStackObjectKey(int key, StackObject* object, bool is_fixed) {
  switch (key) {
    case kName:
      return ReadText(&object->name);
    case kType:
      return ReadStackType(object, is_fixed);
    case kOffset:
      return ReadSigned(&object->offset);
    case kSize:
      return ReadUnsigned(&object->size);
    case kAlignment:
      return ReadAlignLog2(&object->align_log2);
    case kStackId:
      return ReadStackId(object);
    case kCalleeSavedRegister:
      return ReadText(&object->callee_saved_register);
    case kCalleeSavedRestored:
      return ReadBool(&object->callee_saved_restored);
    case kLocalOffset:
      object->has_local_offset = true;
      return ReadSigned(&object->local_offset);
    case kDebugVariable:
      return ReadText(&object->debug_variable);
    case kDebugExpression:
      return ReadText(&object->debug_expression);
    case kDebugLocation:
      return ReadText(&object->debug_location);
    case kIsImmutable:
      return ReadBool(&object->is_immutable);
    default:
      return ReadBool(&object->is_aliased);
  }
}

bool MirFunctionReader::ReadStackType(StackObject* object, bool is_fixed) {
  YamlScalar type;
  if (!yaml_.ReadScalar(&type)) return false;
  if (type.raw == "default") {
    object->type = StackObject::Type::kDefault;
  } else if (type.raw == "spill-slot") {
    object->type = StackObject::Type::kSpillSlot;
  } else if (type.raw == "variable-sized" && !is_fixed) {
    object->type = StackObject::Type::kVariableSized;
  } else {
    Error(type.position(), "unknown enumerated scalar");
  }
  return true;
}

bool MirFunctionReader::ReadStackId(StackObject* object) {
  YamlScalar name;
  if (!yaml_.ReadScalar(&name)) return false;
  for (const StackIdName& known : kStackIds) {
    if (known.name != name.raw) continue;
    object->stack_id = known.id;
    return true;
  }
  Error(name.position(), "unknown enumerated scalar");
  return true;
}

// Objects keep the numbers that the text gives them. Unused numbers in between become dead objects.
void MirFunctionReader::PlaceStackObject(const YamlScalar& id, const StackObject& object, bool is_fixed) {
  constexpr uint64_t kUnits = sizeof(StackObject) / 8;
  const std::optional<uint64_t> number = ParseYamlUnsigned(id, ~uint32_t{0} / 2);
  if (!number.has_value()) return Error(id.position(), "invalid number");
  MachineFrameInfo& frame = function_->frame_info();
  auto& objects = is_fixed ? frame.fixed_objects() : frame.objects();
  if (*number >= objects.size()) {
    // An object with the next number is paid for by its own text.
    if (*number > objects.size() && !file_.Spend((*number - objects.size()) * kUnits)) {
      return Error(id.position(),
                   StrCat("stack object number ", *number, " is out of proportion to the size of the input"));
    }
    StackObject dead;
    dead.is_dead = true;
    objects.resize(*number + 1, dead);
  } else if (!objects[*number].is_dead) {
    return Error(id.position(), StrCat("redefinition of ", is_fixed ? "fixed " : "", "stack object '%",
                                       is_fixed ? "fixed-" : "", "stack.", *number, "'"));
  }
  objects[*number] = object;
}

}  // namespace ptxmir
