// SPDX-License-Identifier: Apache-2.0

#include "ptx/writer/ptx_writer_globals.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ir/ir_initializer.h"
#include "ir/ir_nvvm.h"

namespace ptxmir::ptx {

namespace {

bool MayBeInitialized(const GlobalVariable& variable) {
  return variable.address_space == address_space::kGlobal || variable.address_space == address_space::kConst;
}

// Returns true for types that are PTX scalars: integers, pointers and floats of up to 64 bits. Everything else is an
// array of bytes.
bool IsScalar(const IrType& type) {
  return type.is_pointer() || (type.is_integer() && type.integer_width() <= 64) ||
         (type.is_floating_point() && type.kind() <= IrType::Kind::kDouble);
}

// Returns the PTX type of a scalar. An integer of odd width takes the next larger type, in which it is stored.
std::string_view ScalarType(const PtxWriterContext& context, const IrType& type) {
  switch (type.kind()) {
    case IrType::Kind::kHalf:
    case IrType::Kind::kBFloat:
      return ".b16";
    case IrType::Kind::kFloat:
      return ".f32";
    case IrType::Kind::kDouble:
      return ".f64";
    case IrType::Kind::kPointer:
      return context.module.data_layout().PointerBits(0) == 32 ? ".u32" : ".u64";
    default:
      break;
  }
  const uint32_t width = type.integer_width();
  return width <= 8 ? ".u8" : width <= 16 ? ".u16" : width <= 32 ? ".u32" : ".u64";
}

uint32_t ScalarBytes(const PtxWriterContext& context, const IrType& type) {
  const std::string_view name = ScalarType(context, type);
  return name == ".u8" ? 1 : name.ends_with("16") ? 2 : name.ends_with("32") ? 4 : 8;
}

uint64_t LoadBytes(const std::vector<uint8_t>& bytes, size_t offset, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count && offset + i < bytes.size(); ++i) {
    value |= uint64_t{bytes[offset + i]} << (8 * i);
  }
  return value;
}

// Appends an address: "symbol+8", "generic(symbol)+8". ptxas accepts no minus here. A negative addend is printed as
// its two's complement, which wraps around to the right address.
void AppendAddress(const PtxWriterContext& context, const LoweredInitializer::Relocation& relocation,
                   std::string& out) {
  if (relocation.generic) out += "generic(";
  out += context.names[relocation.symbol];
  if (relocation.generic) out += ')';
  if (relocation.addend != 0) {
    out += '+';
    AppendInteger(out, static_cast<uint64_t>(relocation.addend));
  }
}

class VariableWriter {
 public:
  VariableWriter(PtxWriterContext& context, const GlobalVariable& variable, std::string& out)
      : context_(context), variable_(variable), type_(*variable.value_type), out_(out) {}

  void WriteLinkage() {
    if (DriverInterfaceOf(context_.module) == DriverInterface::kOpenCl) return;
    switch (variable_.linkage) {
      case Linkage::kExternal:
        out_ += variable_.is_declaration() ? ".extern " : ".visible ";
        return;
      case Linkage::kCommon:
        out_ += context_.ptx_version >= 50 && variable_.address_space == address_space::kGlobal ? ".common " : ".weak ";
        return;
      case Linkage::kLinkOnce:
      case Linkage::kLinkOnceOdr:
      case Linkage::kWeak:
      case Linkage::kWeakOdr:
      case Linkage::kAvailableExternally:
        out_ += ".weak ";
        return;
      default:
        return;
    }
  }

  // Prints everything from the state space to the semicolon.
  void WriteDefinition() {
    const std::string_view space = address_space::StateSpace(variable_.address_space);
    if (space.empty()) {
      Error(StrCat("variable '", variable_.name, "' is in address space ", variable_.address_space,
                   ", in which PTX has no variables"));
      return;
    }
    StrAppend(&out_, ".", space);
    if (IsManaged(context_.module, variable_.id())) {
      if (context_.ptx_version < 40 || context_.sm < 30) {
        Error(".attribute(.managed) requires PTX version >= 4.0 and sm_30");
      }
      out_ += " .attribute(.managed)";
    }
    StrAppend(&out_, " .align ", context_.module.data_layout().GlobalAlign(&type_, variable_.align), " ");
    LoweredInitializer value;
    const bool has_value = Lower(value);
    if (IsScalar(type_)) {
      WriteScalar(value, has_value);
    } else {
      WriteArray(value, has_value);
    }
    out_ += ";\n";
  }

  void WriteSampler() {
    StrAppend(&out_, ".global .samplerref ", context_.names[variable_.id()]);
    if (variable_.initializer != nullptr && variable_.initializer->is_integer()) {
      WriteSamplerState(static_cast<uint32_t>(variable_.initializer->ZExtValue()));
    }
    out_ += ";\n";
  }

 private:
  void Error(std::string message) { context_.ErrorAt(variable_, std::move(message)); }

  // Lowers the initializer to bytes. Returns false if there is nothing to print: no initializer, zero or undef.
  bool Lower(LoweredInitializer& value) {
    if (variable_.initializer == nullptr || IsZeroOrUndef(*variable_.initializer)) return false;
    if (!MayBeInitialized(variable_)) {
      Error(
          StrCat("initial value of '", variable_.name, "' is not allowed in addrspace(", variable_.address_space, ")"));
      return false;
    }
    absl::StatusOr<LoweredInitializer> lowered = LowerInitializer(context_.module, *variable_.initializer);
    if (!lowered.ok()) {
      Error(StrCat("initial value of '", variable_.name, "': ", FromAbsl(lowered.status().message())));
      return false;
    }
    value = *std::move(lowered);
    return !value.is_zero();
  }

  void WriteScalar(const LoweredInitializer& value, bool has_value) {
    const uint32_t size = ScalarBytes(context_, type_);
    if (has_value && !value.relocations.empty() && value.relocations[0].size < size) {
      // A part of an address, which only the mask() form can express.
      WriteArray(value, has_value);
      return;
    }
    StrAppend(&out_, ScalarType(context_, type_), " ", context_.names[variable_.id()]);
    if (!has_value) return;
    out_ += " = ";
    if (!value.relocations.empty()) {
      AppendAddress(context_, value.relocations[0], out_);
      return;
    }
    const uint64_t bits = LoadBytes(value.bytes, 0, size);
    switch (type_.kind()) {
      case IrType::Kind::kHalf:
      case IrType::Kind::kBFloat:
        out_ += "0x";
        AppendHex(out_, bits, 4);
        break;
      case IrType::Kind::kFloat:
        out_ += "0f";
        AppendHex(out_, bits, 8);
        break;
      case IrType::Kind::kDouble:
        out_ += "0d";
        AppendHex(out_, bits, 16);
        break;
      case IrType::Kind::kInteger:
        if (type_.integer_width() == size * 8) {
          const unsigned unused = 64 - size * 8;
          AppendInteger(out_, static_cast<int64_t>(bits << unused) >> unused);
          break;
        }
        [[fallthrough]];
      default:
        AppendInteger(out_, bits);
        break;
    }
  }

  void WriteArray(const LoweredInitializer& value, bool has_value) {
    const uint64_t size = context_.module.data_layout().StoreSize(&type_);
    const uint64_t word = context_.module.data_layout().PointerBits(0) / 8;
    const bool has_symbols = has_value && !value.relocations.empty();
    const bool in_words = has_symbols && size % word == 0 &&
                          std::all_of(value.relocations.begin(), value.relocations.end(),
                                      [&](const auto& r) { return r.size == word && r.offset % word == 0; });
    if (has_symbols && !in_words && context_.ptx_version < 71) {
      Error(StrCat("initialized packed aggregate with pointers '", variable_.name,
                   "' requires at least PTX ISA version 7.1"));
    }
    out_ += !has_symbols ? ".b8 " : !in_words ? ".u8 " : word == 4 ? ".u32 " : ".u64 ";
    out_ += context_.names[variable_.id()];
    // Size 0 means an array of unknown size if that is allowed. Otherwise the brackets must be omitted.
    if (size != 0 || variable_.is_declaration()) {
      out_ += '[';
      if (size != 0) AppendInteger(out_, in_words ? size / word : size);
      out_ += ']';
    }
    if (!has_value) return;
    out_ += " = {";
    if (in_words) {
      WriteWords(value, size, word);
    } else {
      WriteBytes(value, size);
    }
    out_ += '}';
  }

  void WriteWords(const LoweredInitializer& value, uint64_t size, uint64_t word) {
    size_t next = 0;
    for (uint64_t offset = 0; offset < size; offset += word) {
      if (offset != 0) out_ += ", ";
      if (next < value.relocations.size() && value.relocations[next].offset == offset) {
        AppendAddress(context_, value.relocations[next++], out_);
      } else {
        const uint64_t number = LoadBytes(value.bytes, offset, word);
        // In llc, negative assembler expressions are hexadecimal.
        const bool is_pointer =
            std::binary_search(value.numeric_pointers.begin(), value.numeric_pointers.end(), offset);
        if (is_pointer && word == 8 && static_cast<int64_t>(number) < 0) {
          out_ += absl::StrFormat("0x%x", number);
        } else {
          AppendInteger(out_, number);
        }
      }
    }
  }

  // Prints bytes. An address is printed byte by byte through mask operators: 0xFF00(symbol).
  void WriteBytes(const LoweredInitializer& value, uint64_t size) {
    uint64_t end = std::min<uint64_t>(size, value.bytes.size());
    if (value.relocations.empty()) {
      while (end > 0 && value.bytes[end - 1] == 0) --end;  // ptxas fills up with zeros
    }
    size_t next = 0;
    for (uint64_t offset = 0; offset < end;) {
      if (next < value.relocations.size() && value.relocations[next].offset == offset) {
        const LoweredInitializer::Relocation& relocation = value.relocations[next++];
        for (uint32_t i = 0; i < relocation.size; ++i) {
          if (offset + i != 0) out_ += ", ";
          out_ += "0xFF";
          out_.append(2 * i, '0');
          out_ += '(';
          AppendAddress(context_, relocation, out_);
          out_ += ')';
        }
        offset += std::max<uint64_t>(relocation.size, 1);
        continue;
      }
      if (offset != 0) out_ += ", ";
      AppendInteger(out_, unsigned{value.bytes[offset++]});
    }
  }

  // Prints a sampler's state. The bits are those of OpenCL's sampler_t.
  void WriteSamplerState(uint32_t state) {
    static constexpr std::string_view kAddressModes[8] = {
        "wrap", "clamp_to_border", "clamp_to_edge", "wrap", "mirror", "", "", ""};
    const std::string_view mode = kAddressModes[state & 7];
    out_ += " = { ";
    for (int i = 0; i < 3; ++i) StrAppend(&out_, "addr_mode_", i, " = ", mode, ", ");
    const uint32_t filter = (state >> 4) & 3;
    if (filter == 2) {
      Error(StrCat("sampler '", variable_.name, "' asks for anisotropic filtering"));
    }
    StrAppend(&out_, "filter_mode = ", filter == 1 ? "linear" : "nearest");
    if ((state & 8) == 0) out_ += ", force_unnormalized_coords = 1";
    out_ += " }";
  }

  PtxWriterContext& context_;
  const GlobalVariable& variable_;
  const IrType& type_;
  std::string& out_;
};

// Returns the function in whose body the variable can be declared if the function is printed, or null. PTX has no
// syntax for linkage there.
const IrFunction* DemotionTarget(const PtxWriterContext& context, const GlobalVariable& variable) {
  if (variable.linkage != Linkage::kInternal) return nullptr;
  if (variable.address_space != address_space::kShared) return nullptr;
  return context.module.SoleUsingFunction(variable.id());
}

// A depth-first search without recursion, because chains of initializers may be as long as the module.
class VariableSorter {
 public:
  explicit VariableSorter(PtxWriterContext& context)
      : context_(context), state_(context.module.global_values().size()) {}

  std::vector<const GlobalVariable*> Run() {
    for (const GlobalVariable& variable : context_.module.variables()) {
      if (state_[variable.id()] == State::kNew) Visit(variable);
    }
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    const GlobalVariable* variable;
    std::vector<GlobalId> references;
    size_t next = 0;
  };

  void Visit(const GlobalVariable& root) {
    Open(root);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.next == frame.references.size()) {
        state_[frame.variable->id()] = State::kDone;
        order_.push_back(frame.variable);
        stack_.pop_back();
        continue;
      }
      const GlobalVariable* reference = context_.module.variable(frame.references[frame.next++]);
      if (reference == nullptr || state_[reference->id()] == State::kDone) continue;
      if (state_[reference->id()] == State::kOpen) {
        context_.ErrorAt(*reference, StrCat("circular dependency between the initial values of '", reference->name,
                                            "' and '", frame.variable->name, "'"));
        continue;
      }
      Open(*reference);
    }
  }

  void Open(const GlobalVariable& variable) {
    state_[variable.id()] = State::kOpen;
    Frame frame{&variable, {}, 0};
    if (variable.initializer != nullptr) Collect(*variable.initializer, frame.references);
    stack_.push_back(std::move(frame));
  }

  static void Collect(const IrConstant& constant, std::vector<GlobalId>& references) {
    if (constant.kind == IrConstant::Kind::kGlobal) references.push_back(constant.global);
    for (const IrConstant* operand : constant.operands) Collect(*operand, references);
  }

  PtxWriterContext& context_;
  std::vector<State> state_;
  std::vector<Frame> stack_;
  std::vector<const GlobalVariable*> order_;
};

}  // namespace

bool IsHidden(const GlobalVariable& variable) {
  return variable.section == "llvm.metadata" || variable.name.starts_with("llvm.") ||
         variable.name.starts_with("nvvm.");
}

std::vector<const GlobalVariable*> OrderVariables(PtxWriterContext& context) { return VariableSorter(context).Run(); }

void AssignDemotedVariables(PtxWriterContext& context, const std::vector<const GlobalVariable*>& variables) {
  context.demoted_to.assign(context.module.global_values().size(), nullptr);
  for (const GlobalVariable* variable : variables) {
    if (variable->is_declaration() || IsHidden(*variable)) continue;
    if (const IrFunction* function = DemotionTarget(context, *variable)) {
      context.demoted[function->id()].push_back(variable->id());
      context.demoted_to[variable->id()] = function;
    }
  }
}

void WriteVariable(PtxWriterContext& context, const GlobalVariable& variable, std::string& out) {
  if (IsHidden(variable)) return;
  VariableWriter writer(context, variable, out);
  const std::string_view name = context.names[variable.id()];
  const bool is_texture = IsTexture(context.module, variable.id());
  if (is_texture || IsSurface(context.module, variable.id())) {
    writer.WriteLinkage();
    StrAppend(&out, is_texture ? ".global .texref " : ".global .surfref ", name, ";\n");
    return;
  }
  if (!variable.is_declaration() && IsSampler(context.module, variable.id())) {
    writer.WriteLinkage();
    writer.WriteSampler();
    return;
  }
  if (variable.linkage == Linkage::kPrivate && context.module.Users(variable.id()).empty() &&
      context.first_machine_user[variable.id()] == PtxWriterContext::kNoUser) {
    return;
  }
  if (const IrFunction* function = context.demoted_to[variable.id()];
      function != nullptr && context.has_machine_body[function->id()]) {
    StrAppend(&out, "// ", name, " has been demoted\n");
    return;
  }
  writer.WriteLinkage();
  writer.WriteDefinition();
}

void WriteDemotedVariables(PtxWriterContext& context, GlobalId function, std::string& out) {
  const auto found = context.demoted.find(function);
  if (found == context.demoted.end()) return;
  for (GlobalId id : found->second) {
    out += "\t// demoted variable\n\t";
    VariableWriter(context, *context.module.variable(id), out).WriteDefinition();
  }
}

}  // namespace ptxmir::ptx
