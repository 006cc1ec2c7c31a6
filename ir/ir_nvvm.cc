// SPDX-License-Identifier: Apache-2.0

#include "ir/ir_nvvm.h"

#include <algorithm>
#include <utility>

#include "ir/ir_text.h"

namespace ptxmir {
namespace {

std::optional<uint32_t> FindAnnotation(absl::Span<const NvvmAnnotation> annotations, std::string_view key) {
  for (const NvvmAnnotation& annotation : annotations) {
    if (annotation.key == key) return annotation.value;
  }
  return std::nullopt;
}

// Parses a list such as "256,1,1". Returns an empty list if it is malformed.
std::vector<uint32_t> ParseList(std::string_view text) {
  std::vector<uint32_t> numbers;
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view field = text.substr(0, comma);
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
    uint64_t number;
    if (!ParseIrDecimal(field, ~uint32_t{0}, &number)) return {};
    numbers.push_back(static_cast<uint32_t>(number));
    if (comma == text.size()) return numbers;
    text.remove_prefix(comma + 1);
  }
}

class FunctionQueries {
 public:
  FunctionQueries(const Module& module, const IrFunction& function)
      : module_(module), function_(function), annotations_(module.Annotations(function.id())) {}

  std::optional<uint32_t> Number(std::string_view attribute, std::string_view annotation) const {
    if (const auto text = module_.FunctionAttributeString(function_, attribute); text.has_value()) {
      uint64_t number;
      if (ParseIrDecimal(*text, ~uint32_t{0}, &number)) return static_cast<uint32_t>(number);
      return std::nullopt;
    }
    return FindAnnotation(annotations_, annotation);
  }

  // Each dimension has its own annotation: `stem` followed by x, y or z. A missing dimension below a given one
  // counts as 1.
  std::vector<uint32_t> Dimensions(std::string_view attribute, std::string_view stem) const {
    if (const auto text = module_.FunctionAttributeString(function_, attribute); text.has_value()) {
      return ParseList(*text);
    }
    if (annotations_.empty()) return {};
    std::vector<uint32_t> numbers;
    for (size_t i = 0; i < 3; ++i) {
      const std::string key = std::string(stem) + "xyz"[i];
      const std::optional<uint32_t> number = FindAnnotation(annotations_, key);
      if (!number.has_value()) continue;
      numbers.resize(i, 1);
      numbers.push_back(*number);
    }
    return numbers;
  }

 private:
  const Module& module_;
  const IrFunction& function_;
  const absl::Span<const NvvmAnnotation> annotations_;
};

bool ListsParameter(const Module& module, const IrFunction& function, std::string_view key, uint32_t parameter) {
  const std::vector<uint32_t> listed = FindAnnotations(module, function.id(), key);
  return std::find(listed.begin(), listed.end(), parameter) != listed.end();
}

bool IsMarked(const Module& module, GlobalId value, std::string_view key) {
  return FindAnnotation(module, value, key) == uint32_t{1};
}

}  // namespace

DriverInterface DriverInterfaceOf(const Module& module) {
  // A triple is ARCHITECTURE-VENDOR-SYSTEM, and may go on.
  std::string_view system = module.target_triple();
  for (int i = 0; i < 2; ++i) {
    const size_t dash = system.find('-');
    system.remove_prefix(dash == system.npos ? system.size() : dash + 1);
  }
  return system.substr(0, system.find('-')) == "nvcl" ? DriverInterface::kOpenCl : DriverInterface::kCuda;
}

std::optional<uint32_t> FindAnnotation(const Module& module, GlobalId value, std::string_view key) {
  return FindAnnotation(module.Annotations(value), key);
}

std::vector<uint32_t> FindAnnotations(const Module& module, GlobalId value, std::string_view key) {
  std::vector<uint32_t> values;
  for (const NvvmAnnotation& annotation : module.Annotations(value)) {
    if (annotation.key == key) values.push_back(annotation.value);
  }
  return values;
}

bool IsKernel(const Module& module, const IrFunction& function) {
  return function.calling_convention == calling_convention::kPtxKernel || IsMarked(module, function.id(), "kernel");
}

NvvmFunctionInfo GetNvvmFunctionInfo(const Module& module, const IrFunction& function) {
  const FunctionQueries queries(module, function);
  NvvmFunctionInfo info;
  info.is_kernel = IsKernel(module, function);
  info.max_ntid = queries.Dimensions("nvvm.maxntid", "maxntid");
  info.req_ntid = queries.Dimensions("nvvm.reqntid", "reqntid");
  info.cluster_dim = queries.Dimensions("nvvm.cluster_dim", "cluster_dim_");
  info.min_cta_per_sm = queries.Number("nvvm.minctasm", "minctasm");
  info.max_nreg = queries.Number("nvvm.maxnreg", "maxnreg");
  info.max_cluster_rank = queries.Number("nvvm.maxclusterrank", "maxclusterrank");
  if (!info.max_cluster_rank.has_value()) {
    info.max_cluster_rank = FindAnnotation(module, function.id(), "cluster_max_blocks");
  }
  info.blocks_are_clusters = module.HasFunctionAttribute(function, "nvvm.blocksareclusters");
  return info;
}

bool IsTexture(const Module& module, GlobalId value) { return IsMarked(module, value, "texture"); }
bool IsSurface(const Module& module, GlobalId value) { return IsMarked(module, value, "surface"); }
bool IsSampler(const Module& module, GlobalId value) { return IsMarked(module, value, "sampler"); }
bool IsManaged(const Module& module, GlobalId value) { return IsMarked(module, value, "managed"); }

// The annotation counts parameters from 1.
bool IsGridConstant(const Module& module, const IrFunction& function, uint32_t parameter) {
  if (parameter < function.parameters.size() && function.parameters[parameter].attributes.Has("nvvm.grid_constant")) {
    return true;
  }
  return ListsParameter(module, function, "grid_constant", parameter + 1);
}

bool IsImageReadOnly(const Module& module, const IrFunction& function, uint32_t parameter) {
  return ListsParameter(module, function, "rdoimage", parameter);
}
bool IsImageWriteOnly(const Module& module, const IrFunction& function, uint32_t parameter) {
  return ListsParameter(module, function, "wroimage", parameter);
}
bool IsImageReadWrite(const Module& module, const IrFunction& function, uint32_t parameter) {
  return ListsParameter(module, function, "rdwrimage", parameter);
}
bool IsSamplerParameter(const Module& module, const IrFunction& function, uint32_t parameter) {
  return ListsParameter(module, function, "sampler", parameter);
}

namespace {

// Calls `visit` with the name of each property in loop metadata and with its integer value, or 0 if it has none.
template <typename Visit>
void ForEachLoopProperty(const Module& module, MetadataId loop, const Visit& visit) {
  const MetadataNode* node = module.metadata(loop);
  if (node == nullptr) return;
  // The first operand is the node itself.
  for (size_t i = 1; i < node->operands.size(); ++i) {
    const MetadataOperand& operand = node->operands[i];
    const MetadataNode* property =
        operand.kind == MetadataOperand::Kind::kNode ? module.metadata(operand.node) : operand.inline_node;
    if (property == nullptr || property->operands.empty()) continue;
    const IrConstant* value = property->operands.size() < 2 ? nullptr : property->operands[1].constant;
    visit(property->operands[0].text, value != nullptr && value->is_integer() ? value->ZExtValue() : uint64_t{0});
  }
}

}  // namespace

bool ForbidsUnrolling(const Module& module, MetadataId loop) {
  bool forbids = false;
  ForEachLoopProperty(module, loop, [&](std::string_view name, uint64_t value) {
    forbids |= name == "llvm.loop.unroll.disable" || (name == "llvm.loop.unroll.count" && value == 1);
  });
  return forbids;
}

PipeliningWish ReadPipeliningWish(const Module& module, MetadataId loop) {
  PipeliningWish wish;
  ForEachLoopProperty(module, loop, [&](std::string_view name, uint64_t value) {
    if (name == "llvm.loop.pipeline.disable") wish.is_disabled = true;
    constexpr uint64_t kMaxInterval = 1000000;
    if (name == "llvm.loop.pipeline.initiationinterval" && value <= kMaxInterval) {
      wish.initiation_interval = static_cast<uint32_t>(value);
    }
  });
  return wish;
}

}  // namespace ptxmir
