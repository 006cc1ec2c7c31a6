// SPDX-License-Identifier: Apache-2.0

#include "mir/text/mir_yaml_writer.h"

#include <string>
#include <string_view>

namespace ptxmir {
namespace {

// LLVM's YAML writer breaks a flow list or mapping before an element that would start after this column.
constexpr size_t kWrapColumn = 70;

struct PropertyKey {
  uint32_t property;
  std::string_view key;
  bool always;  // whether it is written under -simplify-mir even if false
};

constexpr PropertyKey kProperties[] = {
    {FunctionProperty::kExposesReturnsTwice, "exposesReturnsTwice", false},
    {FunctionProperty::kLegalized, "legalized", false},
    {FunctionProperty::kRegBankSelected, "regBankSelected", false},
    {FunctionProperty::kSelected, "selected", false},
    {FunctionProperty::kFailedISel, "failedISel", false},
    {FunctionProperty::kTracksRegLiveness, "tracksRegLiveness", false},
    {FunctionProperty::kHasWinCFI, "hasWinCFI", false},
    {FunctionProperty::kNoPhis, "noPhis", true},
    {FunctionProperty::kIsSsa, "isSSA", true},
    {FunctionProperty::kNoVRegs, "noVRegs", true},
    {FunctionProperty::kHasFakeUses, "hasFakeUses", true},
    {FunctionProperty::kCallsEHReturn, "callsEHReturn", false},
    {FunctionProperty::kCallsUnwindInit, "callsUnwindInit", false},
    {FunctionProperty::kHasEHContTarget, "hasEHContTarget", false},
    {FunctionProperty::kHasEHScopes, "hasEHScopes", false},
    {FunctionProperty::kHasEHFunclets, "hasEHFunclets", false},
    {FunctionProperty::kIsOutlined, "isOutlined", false},
    {FunctionProperty::kDebugInstrRef, "debugInstrRef", false},
    {FunctionProperty::kFailsVerification, "failsVerification", false},
    {FunctionProperty::kTracksDebugUserValues, "tracksDebugUserValues", false},
};

std::string_view StackTypeName(StackObject::Type type) {
  switch (type) {
    case StackObject::Type::kDefault:
      return "default";
    case StackObject::Type::kSpillSlot:
      return "spill-slot";
    case StackObject::Type::kVariableSized:
      return "variable-sized";
  }
  return "";
}

// Returns the name of a stack id: LLVM's TargetStackID, of which NVPTX only has the first, and our own.
std::string_view StackIdName(uint8_t id) {
  switch (id) {
    case 0:
      return "default";
    case 1:
      return "sgpr-spill";
    case 2:
      return "scalable-vector";
    case 3:
      return "wasm-local";
    case StackObject::kSharedStackId:
      return "ptx-shared";
    default:
      return "noalloc";
  }
}

// Returns the spelling of a register in YAML, without quotes.
std::string RegisterText(const MachineFunction& function, Register reg) {
  if (!reg.is_valid()) return {};
  if (reg.is_virtual()) {
    const std::string_view name = function.reg_info().name(reg);
    if (!name.empty()) return "%" + std::string(name);
    return "%" + std::to_string(reg.virtual_index());
  }
  return "$" + std::string(function.target().phys_regs[reg.bits()].name);
}

// An element "- { key: value, ... }" of a list.
class FlowMap {
 public:
  explicit FlowMap(TextSink& sink) : sink_(sink), line_start_(sink.position()) { sink_.Put("  - { "); }
  // Writes a key. The caller must write its value next.
  void Key(std::string_view key) {
    if (!first_) sink_.Put(", ");
    first_ = false;
    if (sink_.position() - line_start_ > kWrapColumn) {
      sink_.Put('\n');
      line_start_ = sink_.position();
      sink_.Put("      ");
    }
    sink_.Put(key);
    sink_.Put(": ");
  }
  void Text(std::string_view key, std::string_view value) {
    Key(key);
    PutYamlScalar(sink_, value);
  }
  template <typename Integer>
  void Number(std::string_view key, Integer value) {
    Key(key);
    sink_.PutInt(value);
  }
  void Bool(std::string_view key, bool value) {
    Key(key);
    sink_.Put(value ? "true" : "false");
  }
  void Close() { sink_.Put(" }\n"); }

 private:
  TextSink& sink_;
  size_t line_start_;
  bool first_ = true;
};

class YamlWriter {
 public:
  YamlWriter(const MachineFunction& function, bool simplify, TextSink& sink)
      : function_(function), all_(!simplify), sink_(sink) {}

  void Write();

 private:
  // Writes "key:" and the spaces up to the column of values.
  void Key(std::string_view key, size_t indent = 0) {
    sink_.PutSpaces(indent);
    sink_.Put(key);
    sink_.Put(':');
    sink_.PutSpaces(key.size() < 16 ? 16 - key.size() : 1);
  }
  template <typename Integer>
  void Number(std::string_view key, Integer value, size_t indent = 0) {
    Key(key, indent);
    sink_.PutInt(value);
    sink_.Put('\n');
  }
  void Bool(std::string_view key, bool value, size_t indent = 0) {
    Key(key, indent);
    sink_.Put(value ? "true\n" : "false\n");
  }
  void Text(std::string_view key, std::string_view value, size_t indent = 0) {
    Key(key, indent);
    PutYamlScalar(sink_, value);
    sink_.Put('\n');
  }
  // Starts a list. Returns false if the list is empty.
  bool List(std::string_view key, bool empty) {
    if (empty) {
      if (all_) {
        Key(key);
        sink_.Put("[]\n");
      }
      return false;
    }
    sink_.Put(key);
    sink_.Put(":\n");
    return true;
  }
  void Properties();
  void Registers();
  void LiveIns();
  void FrameInfo();
  void StackDebugInfo(FlowMap& map, const StackObject& object);
  void CalleeSaved(FlowMap& map, const StackObject& object);
  void FixedStack();
  void Stack();
  // Writes a section that is kept as text. `fallback` is written for an empty section; null: nothing.
  void Verbatim(std::string_view key, const char* fallback);
  void Constants();
  void JumpTables();

  const MachineFunction& function_;
  const bool all_;  // whether to write even values that a reader assumes anyway
  TextSink& sink_;
};

void YamlWriter::Write() {
  Text("name", function_.name());
  Number("alignment", uint64_t{1} << function_.align_log2);
  Properties();
  Registers();
  LiveIns();
  Verbatim("calleeSavedRegisters", nullptr);
  FrameInfo();
  FixedStack();
  Stack();
  Verbatim("entry_values", "[]");
  Verbatim("callSites", "[]");
  Verbatim("debugValueSubstitutions", "[]");
  Constants();
  Verbatim("machineFunctionInfo", "{}");
  JumpTables();
  Verbatim("machineMetadataNodes", nullptr);
  Verbatim("calledGlobals", nullptr);
}

void YamlWriter::Properties() {
  for (const PropertyKey& entry : kProperties) {
    const bool value = function_.HasProperty(entry.property);
    if (all_ || entry.always || value) Bool(entry.key, value);
  }
}

void YamlWriter::Registers() {
  const MachineRegisterInfo& info = function_.reg_info();
  const TargetInfo& target = function_.target();
  const bool has_names = info.has_named_registers();
  bool started = false;
  for (uint32_t i = 0; i < info.num_virtual_registers(); ++i) {
    const Register reg = Register::Virtual(i);
    // The class of a named register is only in the body.
    if (has_names && !info.name(reg).empty()) continue;
    const RegClassId reg_class = info.reg_class(reg);
    // A number that the input skipped.
    if (reg_class == kNoRegClass && !info.IsReferenced(reg) && !info.type(reg).is_valid()) continue;
    if (!started) sink_.Put("registers:\n");
    started = true;
    const std::string_view class_name =
        reg_class < target.reg_classes.size() ? target.reg_classes[reg_class].name : "_";
    const Register preferred = info.preferred(reg);
    if (!preferred.is_valid()) {
      // The common case: too short to be wrapped, with nothing to quote.
      sink_.Put("  - { id: ");
      sink_.PutInt(i);
      sink_.Put(", class: ");
      sink_.Put(class_name);
      sink_.Put(all_ ? ", preferred-register: '', flags: [  ] }\n" : " }\n");
      continue;
    }
    FlowMap map(sink_);
    map.Number("id", i);
    map.Text("class", class_name);
    map.Text("preferred-register", RegisterText(function_, preferred));
    if (all_) {
      map.Key("flags");
      sink_.Put("[  ]");
    }
    map.Close();
  }
  if (!started) List("registers", /*empty=*/true);
}

void YamlWriter::LiveIns() {
  const auto& live_ins = function_.reg_info().live_ins();
  if (!List("liveins", live_ins.empty())) return;
  for (const MachineRegisterInfo::FunctionLiveIn& live_in : live_ins) {
    FlowMap map(sink_);
    map.Text("reg", RegisterText(function_, live_in.physical));
    if (all_ || live_in.virtual_register.is_valid()) {
      map.Text("virtual-reg", RegisterText(function_, live_in.virtual_register));
    }
    map.Close();
  }
}

void YamlWriter::FrameInfo() {
  const MachineFrameInfo& frame = function_.frame_info();
  sink_.Put("frameInfo:\n");
  const auto boolean = [&](std::string_view key, bool value) {
    if (all_ || value) Bool(key, value, 2);
  };
  const auto number = [&](std::string_view key, auto value, auto fallback) {
    if (all_ || value != fallback) Number(key, value, 2);
  };
  const auto text = [&](std::string_view key, std::string_view value) {
    if (all_ || !value.empty()) Text(key, value, 2);
  };
  boolean("isFrameAddressTaken", frame.is_frame_address_taken);
  boolean("isReturnAddressTaken", frame.is_return_address_taken);
  boolean("hasStackMap", frame.has_stack_map);
  boolean("hasPatchPoint", frame.has_patch_point);
  number("stackSize", frame.stack_size, uint64_t{0});
  number("offsetAdjustment", frame.offset_adjustment, int64_t{0});
  Number("maxAlignment", frame.max_alignment, 2);
  boolean("adjustsStack", frame.adjusts_stack);
  boolean("hasCalls", frame.has_calls);
  text("stackProtector", frame.stack_protector);
  text("functionContext", frame.function_context);
  number("maxCallFrameSize", frame.max_call_frame_size, uint64_t{4294967295});
  number("cvBytesOfCalleeSavedRegisters", frame.cv_bytes_of_callee_saved_registers, uint64_t{0});
  boolean("hasOpaqueSPAdjustment", frame.has_opaque_sp_adjustment);
  boolean("hasVAStart", frame.has_va_start);
  boolean("hasMustTailInVarArgFunc", frame.has_must_tail_in_var_arg_func);
  boolean("hasTailCall", frame.has_tail_call);
  boolean("isCalleeSavedInfoValid", frame.is_callee_saved_info_valid);
  number("localFrameSize", frame.local_frame_size, int64_t{0});
  const auto verbatim = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    sink_.PutSpaces(2);
    sink_.Put(key);
    sink_.Put(':');
    sink_.Put(value);
    if (value.back() != '\n') sink_.Put('\n');
  };
  verbatim("savePoint", frame.save_points);
  verbatim("restorePoint", frame.restore_points);
}

void YamlWriter::CalleeSaved(FlowMap& map, const StackObject& object) {
  if (all_ || !object.callee_saved_register.empty()) {
    map.Text("callee-saved-register", object.callee_saved_register);
  }
  if (all_ || !object.callee_saved_restored) {
    map.Bool("callee-saved-restored", object.callee_saved_restored);
  }
}

void YamlWriter::StackDebugInfo(FlowMap& map, const StackObject& object) {
  const auto text = [&](std::string_view key, std::string_view value) {
    if (all_ || !value.empty()) map.Text(key, value);
  };
  text("debug-info-variable", object.debug_variable);
  text("debug-info-expression", object.debug_expression);
  text("debug-info-location", object.debug_location);
}

void YamlWriter::FixedStack() {
  const std::vector<StackObject>& objects = function_.frame_info().fixed_objects();
  bool empty = true;
  for (const StackObject& object : objects) empty &= object.is_dead;
  if (!List("fixedStack", empty)) return;
  for (size_t i = 0; i < objects.size(); ++i) {
    const StackObject& object = objects[i];
    if (object.is_dead) continue;
    FlowMap map(sink_);
    map.Number("id", i);
    if (all_ || object.type != StackObject::Type::kDefault) map.Text("type", StackTypeName(object.type));
    if (all_ || object.offset != 0) map.Number("offset", object.offset);
    if (all_ || object.size != 0) map.Number("size", object.size);
    map.Number("alignment", uint64_t{1} << object.align_log2);
    if (all_ || object.stack_id != 0) map.Text("stack-id", StackIdName(object.stack_id));
    if (object.type != StackObject::Type::kSpillSlot) {
      if (all_ || object.is_immutable) map.Bool("isImmutable", object.is_immutable);
      if (all_ || object.is_aliased) map.Bool("isAliased", object.is_aliased);
    }
    CalleeSaved(map, object);
    StackDebugInfo(map, object);
    map.Close();
  }
}

void YamlWriter::Stack() {
  const std::vector<StackObject>& objects = function_.frame_info().objects();
  bool empty = true;
  for (const StackObject& object : objects) empty &= object.is_dead;
  if (!List("stack", empty)) return;
  for (size_t i = 0; i < objects.size(); ++i) {
    const StackObject& object = objects[i];
    if (object.is_dead) continue;
    FlowMap map(sink_);
    map.Number("id", i);
    if (all_ || !object.name.empty()) map.Text("name", object.name);
    if (all_ || object.type != StackObject::Type::kDefault) map.Text("type", StackTypeName(object.type));
    if (all_ || object.offset != 0) map.Number("offset", object.offset);
    if (object.type != StackObject::Type::kVariableSized) map.Number("size", object.size);
    map.Number("alignment", uint64_t{1} << object.align_log2);
    if (all_ || object.stack_id != 0) map.Text("stack-id", StackIdName(object.stack_id));
    CalleeSaved(map, object);
    if (object.has_local_offset) map.Number("local-offset", object.local_offset);
    StackDebugInfo(map, object);
    map.Close();
  }
}

void YamlWriter::Verbatim(std::string_view key, const char* fallback) {
  for (const VerbatimSection& section : function_.verbatim_sections()) {
    if (section.key != key) continue;
    if (!all_ && section.text.find_first_not_of(" []\n") == std::string_view::npos) break;
    sink_.Put(key);
    sink_.Put(':');
    sink_.Put(section.text);
    if (section.text.empty() || section.text.back() != '\n') sink_.Put('\n');
    return;
  }
  if (fallback == nullptr || (!all_ && std::string_view(fallback) == "[]")) return;
  Key(key);
  sink_.Put(fallback);
  sink_.Put('\n');
}

void YamlWriter::Constants() {
  const std::vector<ConstantPoolEntry>& constants = function_.constants();
  if (!List("constants", constants.empty())) return;
  for (size_t i = 0; i < constants.size(); ++i) {
    sink_.Put("  - ");
    Number("id", i);
    Text("value", constants[i].value, 4);
    Number("alignment", uint64_t{1} << constants[i].align_log2, 4);
    if (all_ || constants[i].is_target_specific) {
      Bool("isTargetSpecific", constants[i].is_target_specific, 4);
    }
  }
}

void YamlWriter::JumpTables() {
  const std::vector<JumpTable>& tables = function_.jump_tables();
  if (tables.empty()) return;
  sink_.Put("jumpTable:\n");
  Text("kind", function_.jump_table_kind.empty() ? "inline" : function_.jump_table_kind, 2);
  sink_.Put("  entries:\n");
  for (size_t i = 0; i < tables.size(); ++i) {
    sink_.Put("    - ");
    Number("id", i);
    if (tables[i].blocks.empty() && !all_) continue;
    size_t line_start = sink_.position();
    Key("blocks", 6);
    sink_.Put('[');
    bool first = true;
    for (const BlockNumber block : tables[i].blocks) {
      sink_.Put(first ? " " : ", ");
      first = false;
      if (sink_.position() - line_start > kWrapColumn) {
        sink_.Put('\n');
        line_start = sink_.position();
        sink_.PutSpaces(25);
      }
      sink_.Put("'%bb.");
      sink_.PutInt(block);
      sink_.Put('\'');
    }
    sink_.Put(first ? "  ]\n" : " ]\n");
  }
}

}  // namespace

void WriteYamlHeader(const MachineFunction& function, const MirWriteOptions& options, TextSink& sink) {
  YamlWriter(function, options.simplify, sink).Write();
}

}  // namespace ptxmir
