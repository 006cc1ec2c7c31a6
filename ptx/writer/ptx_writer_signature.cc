// SPDX-License-Identifier: Apache-2.0

#include "ptx/writer/ptx_writer_signature.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "ptx/target/calling_convention.h"
#include "ptx/target/parameter_names.h"
#include "ptx/writer/ptx_writer_globals.h"

namespace ptxmir::ptx {
namespace {

// Returns the type of a kernel's scalar parameter.
std::string_view KernelScalarType(const IrType& type) {
  if (type.kind() == IrType::Kind::kFloat) return ".f32";
  if (type.kind() == IrType::Kind::kDouble) return ".f64";
  const uint32_t width = type.is_integer() ? type.integer_width() : 64;
  return width <= 8 ? ".u8" : width <= 16 ? ".u16" : width <= 32 ? ".u32" : width <= 64 ? ".u64" : ".b128";
}

class HeadWriter {
 public:
  HeadWriter(PtxWriterContext& context, const IrFunction& function, std::string& out)
      : context_(context), function_(function), is_kernel_(IsKernel(context.module, function)), out_(out) {}

  bool is_kernel() const { return is_kernel_; }

  void WriteLinkage() {
    if (DriverInterfaceOf(context_.module) == DriverInterface::kOpenCl) return;
    switch (function_.linkage) {
      case Linkage::kExternal:
        out_ += function_.is_declaration() ? ".extern " : ".visible ";
        return;
      case Linkage::kInternal:
      case Linkage::kPrivate:
        return;
      case Linkage::kAvailableExternally:
        // Without a body here, the definition is in another module.
        out_ += context_.has_machine_body[function_.id()] ? ".weak " : ".extern ";
        return;
      default:
        out_ += ".weak ";
        return;
    }
  }

  void WriteKindAndResult() {
    out_ += is_kernel_ ? ".entry " : ".func ";
    const IrType& type = *function_.return_type();
    if (is_kernel_ || type.is_void() || context_.module.data_layout().AllocSize(&type) == 0) return;
    out_ += " (.param ";
    if (IsPassedAsArray(type)) {
      WriteArray(ParameterAlign(context_.module, &function_, type, function_.return_attributes),
                 context_.module.data_layout().AllocSize(&type), kFunctionResult, {});
    } else {
      StrAppend(&out_, ".b", ScalarParameterBits(context_.module.data_layout(), type), " ", kFunctionResult);
    }
    out_ += ") ";
  }

  // Writes the list in parentheses. Declarations and definitions need not be distinguished, because the parentheses of
  // a declaration without parameters are on their own line in any case.
  void WriteParameters() {
    if (function_.parameters.empty() && !function_.is_vararg()) {
      out_ += "()";
      return;
    }
    const std::string_view prefix = context_.names[function_.id()];
    out_ += "(\n";
    for (uint32_t i = 0; i < function_.parameters.size(); ++i) {
      if (i != 0) out_ += ",\n";
      out_ += "\t.param ";
      WriteParameter(i, ParameterName(prefix, i));
    }
    if (function_.is_vararg()) {
      if (!function_.parameters.empty()) out_ += ",\n";
      StrAppend(&out_, "\t.param .align 8 .b8 ", VariableArgumentsName(prefix), "[]");
    }
    out_ += "\n)";
  }

  // Returns true if the function gets ".noreturn", which is for functions without a result.
  bool IsNoReturn() const {
    return !is_kernel_ && function_.return_type()->is_void() && context_.ptx_version >= 64 && context_.sm >= 30 &&
           context_.module.HasFunctionAttribute(function_, "noreturn");
  }

  void WriteKernelDirectives() {
    const NvvmFunctionInfo info = GetNvvmFunctionInfo(context_.module, function_);
    WriteNumbers(".reqntid", info.req_ntid);
    WriteNumbers(".maxntid", info.max_ntid);
    WriteNumber(".minnctapersm", info.min_cta_per_sm);
    WriteNumber(".maxnreg", info.max_nreg);
    if (context_.sm < 90) return;  // ptxas does not support clusters there
    if (!info.cluster_dim.empty()) {
      if (!info.blocks_are_clusters) out_ += ".explicitcluster\n";
      if (info.cluster_dim[0] != 0) WriteNumbers(".reqnctapercluster", info.cluster_dim);
    }
    if (info.blocks_are_clusters) {
      if (info.req_ntid.empty() || info.cluster_dim.empty()) {
        Error("blocksareclusters requires reqntid and cluster_dim attributes");
      } else if (context_.ptx_version < 90) {
        Error("blocksareclusters requires PTX version >= 9.0");
      } else {
        out_ += ".blocksareclusters\n";
      }
    }
    WriteNumber(".maxclusterrank", info.max_cluster_rank);
  }

 private:
  void Error(std::string_view message) {
    context_.ErrorAt(function_, StrCat("in function ", function_.name, ": ", message));
  }

  void WriteNumbers(std::string_view directive, const std::vector<uint32_t>& numbers) {
    if (numbers.empty()) return;
    StrAppend(&out_, directive, " ");
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (i != 0) out_ += ", ";
      AppendInteger(out_, numbers[i]);
    }
    out_ += '\n';
  }
  void WriteNumber(std::string_view directive, std::optional<uint32_t> number) {
    if (number.has_value()) StrAppend(&out_, directive, " ", *number, "\n");
  }

  void WriteArray(uint64_t align, uint64_t size, std::string_view name, std::string_view suffix) {
    StrAppend(&out_, ".align ", align, " .b8 ", name, suffix);
    StrAppend(&out_, "[", size, "]");
  }

  void WriteParameter(uint32_t index, const std::string& name) {
    const IrParameter& parameter = function_.parameters[index];
    const DataLayout& layout = context_.module.data_layout();
    if (is_kernel_ && WriteImage(index, name)) return;
    if (const IrType* by_value = parameter.ByValType()) {
      const uint64_t align = ByValAlign(context_.module, &function_, *by_value, parameter.attributes);
      WriteArray(align, layout.AllocSize(by_value), name, {});
      return;
    }
    const IrType& type = *parameter.type;
    if (IsPassedAsArray(type)) {
      // PTX has no parameters of 0 bytes.
      if (layout.AllocSize(&type) == 0) {
        Error(StrCat("parameter ", index, " of type ", type.ToString(), " has no bytes, which PTX cannot pass"));
      }
      WriteArray(ParameterAlign(context_.module, &function_, type, parameter.attributes), layout.AllocSize(&type), name,
                 {});
    } else if (!is_kernel_) {
      StrAppend(&out_, ".b", ScalarParameterBits(context_.module.data_layout(), type), " ", name);
    } else if (type.is_pointer()) {
      WriteKernelPointer(type, parameter.attributes, name);
    } else {
      StrAppend(&out_, KernelScalarType(type), " ", name);
    }
  }

  void WriteKernelPointer(const IrType& type, const IrAttributes& attributes, std::string_view name) {
    const uint32_t space = type.address_space();
    StrAppend(&out_, ".u", context_.module.data_layout().PointerBits(space), " .ptr");
    if (const std::string_view name_of_space = address_space::StateSpace(space); !name_of_space.empty()) {
      StrAppend(&out_, " .", name_of_space);
    }
    StrAppend(&out_, " .align ", std::max<uint64_t>(attributes.Integer("align"), 1), " ", name);
  }

  // Writes a texture, surface or sampler that a kernel takes as a parameter. Returns false if the parameter is none
  // of these.
  bool WriteImage(uint32_t index, std::string_view name) {
    const Module& module = context_.module;
    std::string_view kind;
    if (IsSamplerParameter(module, function_, index)) {
      kind = ".samplerref";
    } else if (IsImageReadOnly(module, function_, index)) {
      kind = ".texref";
    } else if (IsImageWriteOnly(module, function_, index) || IsImageReadWrite(module, function_, index)) {
      kind = ".surfref";
    } else {
      return false;
    }
    const bool is_handle = DriverInterfaceOf(module) == DriverInterface::kCuda;
    StrAppend(&out_, is_handle ? ".u64 .ptr " : "", kind, " ", name);
    return true;
  }

  PtxWriterContext& context_;
  const IrFunction& function_;
  const bool is_kernel_;
  std::string& out_;
};

}  // namespace

void WriteDeclaration(PtxWriterContext& context, const IrFunction& function, std::string_view name, std::string& out) {
  HeadWriter writer(context, function, out);
  writer.WriteLinkage();
  writer.WriteKindAndResult();
  StrAppend(&out, name, "\n");
  writer.WriteParameters();
  out += '\n';
  if (writer.IsNoReturn()) out += ".noreturn";
  out += ";\n";
}

void WriteDefinitionHead(PtxWriterContext& context, const IrFunction& function, std::string& out) {
  HeadWriter writer(context, function, out);
  writer.WriteLinkage();
  writer.WriteKindAndResult();
  out += context.names[function.id()];
  writer.WriteParameters();
  out += '\n';
  if (writer.is_kernel()) writer.WriteKernelDirectives();
  if (writer.IsNoReturn()) out += ".noreturn\n";
}

}  // namespace ptxmir::ptx
