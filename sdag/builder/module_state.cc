// SPDX-License-Identifier: Apache-2.0

#include "sdag/builder/module_state.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "ir/ir_reader.h"
#include "ir/ir_text.h"
#include "mir/code/machine_function.h"
#include "ptx/target/parameter_names.h"
#include "ptx/target/ptx_target.h"
#include "sdag/builder/function_state.h"

namespace ptxmir::builder {
namespace {

// The indentation of IR in a MIR file.
constexpr std::string_view kIndent = "  ";
constexpr uint64_t kMaxVariableBytes = uint64_t{1} << 40;

bool IsIdentifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_more = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '$'; };
  if (name.empty() || name.size() > 1024) return false;
  if (!is_letter(name[0]) && (name.size() == 1 || (name[0] != '_' && name[0] != '$'))) return false;
  for (const char c : name) {
    if (!is_more(c)) return false;
  }
  return true;
}

// Returns true for names that generated code uses: for parameters within functions and calls, for labels and for
// the frame.
bool IsReserved(std::string_view name) {
  return ptx::IsPassedName(name) || name.starts_with("$L_") || name.starts_with("__local_depot") ||
         name.starts_with("__shared_depot");
}

// Returns true if a parameter or a result can have this type.
bool CanBePassed(Type type) { return MvtOf(type).has_value() && !(type.is_vector() && type.element() == kI1); }

std::string DimText(const Dim& dim) {
  std::string text = StrCat(dim.x);
  if (dim.y != 0 || dim.z != 0) StrAppend(&text, ",", dim.y == 0 ? 1 : dim.y);
  if (dim.z != 0) StrAppend(&text, ",", dim.z);
  return text;
}

}  // namespace

uint32_t NextSerial() {
  // The number is only compared for equality, so it does not influence the generated code.
  static std::atomic<uint32_t> next = 1;
  return next++;
}

ModuleState::ModuleState(const ModuleTarget& target) : serial_(NextSerial()), cpu_(target.sm) {
  module_ = std::make_unique<Module>();
  module_->set_target_triple("nvptx64-nvidia-cuda");
  if (cpu_.empty()) cpu_ = "sm_80";
  if (target.ptx_version != 0) features_ = StrCat("+ptx", target.ptx_version);
  absl::StatusOr<ptx::Subtarget> subtarget = ptx::Subtarget::Create(cpu_, features_);
  if (!subtarget.ok()) {
    Error(StrCat("KernelModule(target): ", FromAbsl(subtarget.status().message())));
    return;
  }
  subtarget_ = std::make_unique<ptx::Subtarget>(*subtarget);
}

ModuleState::~ModuleState() = default;

void ModuleState::Error(std::string message) {
  if (status_.ok()) status_ = Status::Error(std::move(message));
}

const IrType* ModuleState::IrTypeOf(Type type) {
  IrTypeTable& types = module_->types();
  const IrType* scalar = types.Void();
  switch (type.kind()) {
    case Type::Kind::kVoid:
      return scalar;
    case Type::Kind::kInteger:
      scalar = types.Integer(type.element_bits());
      break;
    case Type::Kind::kFloat:
      scalar = types.Simple(type.element_bits() == 16   ? IrType::Kind::kHalf
                            : type.element_bits() == 32 ? IrType::Kind::kFloat
                                                        : IrType::Kind::kDouble);
      break;
    case Type::Kind::kBFloat:
      scalar = types.Simple(IrType::Kind::kBFloat);
      break;
    case Type::Kind::kPointer:
      scalar = types.Pointer(static_cast<uint32_t>(type.address_space()));
      break;
  }
  return type.is_vector() ? types.Vector(scalar, type.lanes()) : scalar;
}

bool ModuleState::CheckName(std::string_view call, std::string_view name) {
  if (!ok()) return false;
  if (is_finished_) {
    Error(StrCat(call, ": the module was compiled already"));
  } else if (!IsIdentifier(name)) {
    Error(StrCat(call, ": '", name, "' is no PTX identifier"));
  } else if (IsReserved(name)) {
    Error(StrCat(call, ": '", name, "' is a name that compiled code uses"));
  } else if (module_->FindGlobal(name) != nullptr) {
    Error(StrCat(call, ": the module has a '", name, "' already"));
  } else {
    // Parameters are called "NAME_param_N" wherever they are used.
    const std::string_view function = name.substr(0, name.rfind("_param_"));
    if (ptx::ParameterNumber(name, function).has_value() && module_->FindFunction(function) != nullptr) {
      Error(StrCat(call, ": '", name, "' is what a parameter of '", function, "' is called"));
    }
  }
  return ok();
}

void ModuleState::AddStringAttribute(IrFunction& ir, std::string_view name, std::string_view value) {
  IrAttribute attribute;
  attribute.name = module_->CopyString(name);
  attribute.value = module_->CopyString(value);
  attribute.text = module_->CopyString(StrCat("\"", name, "\"=\"", value, "\""));
  attribute.is_string = true;
  ir.attributes.Add(attribute);
}

// Returns the error in the bounds, or an empty string if there is none.
std::string ModuleState::ProblemWith(const LaunchBounds& bounds) const {
  for (const Dim& dim : {bounds.max_threads, bounds.required_threads, bounds.cluster}) {
    if (dim.x == 0 && (dim.y != 0 || dim.z != 0)) return "launch bounds without an x";
  }
  const bool has_clusters = bounds.cluster.x != 0 || bounds.max_cluster_rank != 0;
  if (has_clusters && subtarget_ != nullptr && !subtarget_->HasSm(90)) return "clusters need sm_90";
  return "";
}

void ModuleState::AddBounds(IrFunction& ir, const LaunchBounds& bounds) {
  if (bounds.max_threads.x != 0) AddStringAttribute(ir, "nvvm.maxntid", DimText(bounds.max_threads));
  if (bounds.required_threads.x != 0) AddStringAttribute(ir, "nvvm.reqntid", DimText(bounds.required_threads));
  if (bounds.min_ctas_per_sm != 0) AddStringAttribute(ir, "nvvm.minctasm", StrCat(bounds.min_ctas_per_sm));
  if (bounds.max_registers != 0) AddStringAttribute(ir, "nvvm.maxnreg", StrCat(bounds.max_registers));
  if (bounds.cluster.x != 0) AddStringAttribute(ir, "nvvm.cluster_dim", DimText(bounds.cluster));
  if (bounds.max_cluster_rank != 0) AddStringAttribute(ir, "nvvm.maxclusterrank", StrCat(bounds.max_cluster_rank));
}

std::string ModuleState::ProblemWithType(Type result, std::span<const Parameter> parameters) const {
  if (!result.is_void() && !CanBePassed(result)) return StrCat("no function returns ", result.ToString());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (parameter.type == Type::Pointer(AddressSpace::kParam) && parameter.size == 0) {
      return StrCat("parameter ", i, " has no bytes");
    }
    if (parameter.align != 0 && !std::has_single_bit(parameter.align)) {
      return StrCat("parameter ", i, " has an alignment that is no power of 2");
    }
    if (parameter.size == 0 && parameter.align != 0 && !parameter.type.is_pointer()) {
      return StrCat("parameter ", i, " is ", parameter.type.ToString(), ": only pointers have alignments");
    }
    if (!CanBePassed(parameter.type)) {
      return StrCat("parameter ", i, ": there is no parameter of type ", parameter.type.ToString());
    }
  }
  return "";
}

// Returns an error if the module already has the name of one of the function's parameters, or an empty string.
std::string ModuleState::ProblemWithName(std::string_view function, size_t num_parameters) const {
  for (size_t i = 0; i < num_parameters; ++i) {
    const std::string own_name = ptx::ParameterName(function, i);
    if (module_->FindGlobal(own_name) != nullptr) {
      return StrCat("the module has a '", own_name, "', which is what parameter ", i, " is called");
    }
  }
  return "";
}

void ModuleState::AddParameters(IrFunction& ir, const std::vector<Parameter>& parameters) {
  ir.parameters.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    ir.parameters[i].type = IrTypeOf(parameters[i].type);
    ir.parameters[i].slot = static_cast<uint32_t>(i);
    const auto add = [&](std::string_view name, const std::string& text, uint64_t integer, const IrType* type) {
      IrAttribute attribute;
      attribute.name = name;
      attribute.text = module_->CopyString(text);
      attribute.integer = integer;
      attribute.type = type;
      ir.parameters[i].attributes.Add(attribute);
    };
    if (parameters[i].no_alias) add("noalias", "noalias", 0, nullptr);
    if (parameters[i].size != 0) {
      const IrType* bytes = module_->types().Array(module_->types().Integer(8), parameters[i].size);
      add("byval", StrCat("byval(", bytes->ToString(), ")"), 0, bytes);
    }
    if (parameters[i].align != 0) add("align", StrCat("align ", parameters[i].align), parameters[i].align, nullptr);
  }
}

KernelBuilder& ModuleState::CreateFunction(std::string_view name, Type result, std::vector<Parameter> parameters,
                                           bool is_kernel, const LaunchBounds& bounds) {
  // For a builder that does nothing because the module has been compiled.
  if (module_ == nullptr) module_ = std::make_unique<Module>();
  const std::string call = StrCat(is_kernel ? "CreateKernel" : "CreateFunction", "(\"", name, "\")");
  if (CheckName(call, name)) {
    std::string problem = ProblemWith(bounds);
    if (problem.empty()) problem = ProblemWithType(result, parameters);
    if (problem.empty()) problem = ProblemWithName(name, parameters.size());
    if (!problem.empty()) Error(StrCat(call, ": ", problem));
  }
  const bool is_good = ok();
  if (!is_good) {
    // After an error, the builder has no parameters and builds nothing, but calls on it are harmless.
    parameters.clear();
    result = kVoid;
  }

  std::vector<const IrType*> types;
  for (const Parameter& parameter : parameters) types.push_back(IrTypeOf(parameter.type));
  const std::string unique = module_->UniqueName(is_good ? name : "invalid");
  IrFunction& ir = module_->CreateFunction(unique, module_->types().Function(IrTypeOf(result), types, false),
                                           is_kernel ? Linkage::kExternal : Linkage::kInternal);
  ir.has_body = true;
  ir.body_text = "{\n  unreachable\n}";
  ir.calling_convention = is_kernel ? calling_convention::kPtxKernel : calling_convention::kC;
  AddParameters(ir, parameters);
  AddStringAttribute(ir, "target-cpu", cpu_);
  if (subtarget_ != nullptr) AddStringAttribute(ir, "target-features", StrCat("+ptx", subtarget_->ptx_version()));
  AddBounds(ir, bounds);

  std::vector<OwnedMachineFunction>& functions = module_->machine_functions();
  functions.push_back(std::make_unique<MachineFunction>(module_.get(), ptx::PtxTargetInfo(), ir.name,
                                                        static_cast<uint32_t>(functions.size()),
                                                        module_->function_memory()));
  functions.back()->SetProperty(FunctionProperty::kTracksRegLiveness);
  functions.back()->SetProperty(FunctionProperty::kIsSsa);
  FunctionState::Signature signature{result, std::move(parameters), is_kernel};
  functions_.push_back(std::unique_ptr<KernelBuilder>(
      new KernelBuilder(std::make_unique<FunctionState>(*this, *functions.back(), ir.id(), std::move(signature)))));
  return *functions_.back();
}

Variable ModuleState::CreateVariable(std::string_view call, std::string_view name, Type type, uint64_t count,
                                     AddressSpace space, std::span<const uint8_t> data, unsigned align,
                                     bool is_external) {
  if (!CheckName(call, name)) return {};
  const auto fail = [&](std::string_view what) {
    Error(StrCat(call, ": ", what));
    return Variable();
  };
  if (!MvtOf(type).has_value()) return fail(StrCat("there is no type ", type.ToString()));
  if (align == 0) align = type.size_in_bytes();
  if (!std::has_single_bit(align)) return fail("the alignment is no power of 2");
  if (space != AddressSpace::kGlobal && space != AddressSpace::kConstant && space != AddressSpace::kShared) {
    return fail("variables are in global, constant or shared memory");
  }
  if (count > kMaxVariableBytes / type.size_in_bytes()) return fail("the variable is too large");
  if (count == 0 && !is_external) return fail("the variable has no elements");
  const uint64_t size = count * type.size_in_bytes();
  if (data.size() > size) return fail(StrCat(data.size(), " bytes of data for ", size, " bytes"));
  if (!data.empty() && space == AddressSpace::kShared) return fail("shared memory has no initial data");

  IrTypeTable& types = module_->types();
  // A variable with data is an array of bytes, because the data can be anything.
  const IrType* array = data.empty() ? types.Array(IrTypeOf(type), count) : types.Array(types.Integer(8), size);
  GlobalVariable& variable = module_->CreateVariable(name, array, static_cast<uint32_t>(space),
                                                     is_external ? Linkage::kExternal : Linkage::kInternal);
  variable.align = align;
  variable.is_constant = space == AddressSpace::kConstant;
  if (space == AddressSpace::kShared && !is_external) {
    IrConstant undefined;
    undefined.kind = IrConstant::Kind::kUndef;
    undefined.type = array;
    variable.initializer = module_->NewConstant(undefined);
  } else if (!data.empty()) {
    std::vector<uint64_t> bytes(data.begin(), data.end());
    bytes.resize(size);
    variable.initializer = module_->DataConstant(array, bytes);
  } else if (!is_external) {
    variable.initializer = module_->ZeroInitializer(array);
  }
  // Visible from outside, so that a program can find the variable.
  if (space != AddressSpace::kShared) variable.linkage = Linkage::kExternal;
  Variable handle;
  handle.module_ = serial_;
  handle.index_ = variable.id() + 1;
  handle.space_ = space;
  return handle;
}

Variable ModuleState::DynamicShared(std::string_view call, unsigned align) {
  if (dynamic_shared_.is_valid() && ok() && std::has_single_bit(align)) {
    GlobalVariable& variable = static_cast<GlobalVariable&>(module_->global_value(GlobalOf(dynamic_shared_)));
    variable.align = std::max<uint64_t>(variable.align, align);
    return dynamic_shared_;
  }
  std::string name = "dynamic_shared";
  while (ok() && !is_finished_ && module_->FindGlobal(name) != nullptr) name += '_';
  return dynamic_shared_ = CreateVariable(call, name, kI8, 0, AddressSpace::kShared, {}, align == 0 ? 3 : align, true);
}

MetadataId ModuleState::AddDebugNode(std::string_view text) {
  StrAppend(&debug_text_, kIndent, "!", num_debug_nodes_, " = ", text, "\n");
  return num_debug_nodes_++;
}

// The name includes the directory, so that .file shows the name that the program gave.
MetadataId ModuleState::DebugFile(std::string_view path) {
  const auto [found, is_new] = debug_files_.try_emplace(std::string(path), 0);
  if (is_new) {
    std::string text = "!DIFile(filename: \"";
    AppendEscapedIrString(path, &text);
    found->second = AddDebugNode(text + "\", directory: \"\")");
  }
  return found->second;
}

// Only lines (.loc and .file), without DWARF sections.
MetadataId ModuleState::DebugUnit(MetadataId file) {
  if (!debug_unit_.has_value()) {
    debug_unit_ = AddDebugNode(
        StrCat("distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !", file,
               ", producer: \"ptxmir\", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)"));
    const MetadataId version = AddDebugNode("!{i32 2, !\"Debug Info Version\", i32 3}");
    StrAppend(&debug_text_, kIndent, "!llvm.dbg.cu = !{!", *debug_unit_, "}\n", kIndent, "!llvm.module.flags = !{!",
              version, "}\n");
  }
  return *debug_unit_;
}

MetadataId ModuleState::DebugFunctionType() {
  if (!debug_function_type_.has_value()) debug_function_type_ = AddDebugNode("!DISubroutineType(types: !{null})");
  return *debug_function_type_;
}

bool ModuleState::ReadDebugNodes() {
  if (debug_text_.empty()) return true;
  const auto source = std::make_shared<const SourceBuffer>("<debug locations>", std::move(debug_text_));
  module_->KeepSource(source);
  DiagnosticEngine diagnostics;
  if (ReadIrModule(*source, source->text(), *module_, diagnostics)) return true;
  Error(StrCat("SetLocation(file, line, column): ", diagnostics.ToString()));
  return false;
}

bool ModuleState::Finish() {
  if (is_finished_) return ok();
  for (const std::unique_ptr<KernelBuilder>& builder : functions_) {
    if (!ok() || !builder->state().Finish()) return false;
  }
  is_finished_ = ok() && ReadDebugNodes();
  return ok();
}

KernelModule::KernelModule(const ModuleTarget& target) : state_(std::make_unique<ModuleState>(target)) {}
KernelModule::~KernelModule() = default;
const Status& KernelModule::status() const { return state_->status(); }
KernelBuilder& KernelModule::CreateKernel(std::string_view name, std::vector<Parameter> parameters,
                                          const LaunchBounds& bounds) {
  return state_->CreateFunction(name, kVoid, std::move(parameters), true, bounds);
}
KernelBuilder& KernelModule::CreateFunction(std::string_view name, Type result, std::vector<Parameter> parameters) {
  return state_->CreateFunction(name, result, std::move(parameters), false, {});
}
Variable KernelModule::CreateVariable(std::string_view name, Type type, uint64_t count, AddressSpace space,
                                      std::span<const uint8_t> data, unsigned align) {
  return state_->CreateVariable(StrCat("CreateVariable(\"", name, "\")"), name, type, count, space, data, align, false);
}

}  // namespace ptxmir::builder
