// SPDX-License-Identifier: Apache-2.0

#include "analysis/values/special_register_ranges.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "mir/code/function_ir.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/occupancy.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {
namespace {

constexpr uint64_t kMaxCtaDepth = 64;  // threads in dimension z
constexpr uint64_t kWarpSize = 32;
// CTAs of a grid: in dimension x from sm_30 on, and in the other dimensions.
constexpr uint64_t kMaxGridWidth = 0x7fffffff;
constexpr uint64_t kMaxGridHeight = 0xffff;
constexpr int kFirstSmWithWideGrids = 30;

// The meaning of a special register.
enum class Quantity : uint8_t {
  kNone,
  kThread,
  kNumThreads,
  kCta,
  kNumCtas,
  kCluster,
  kNumClusters,
  kClusterCta,
  kNumClusterCtas,
  kClusterRank,
  kClusterSize,
  kWarpSize,
  kLane,
};
struct Name {
  std::string_view text;  // in the name of the opcode, without the prefix
  Quantity quantity;
  bool has_axis;
};
constexpr Name kNames[] = {
    {"TID", Quantity::kThread, true},
    {"NTID", Quantity::kNumThreads, true},
    {"CTAID", Quantity::kCta, true},
    {"NCTAID", Quantity::kNumCtas, true},
    {"CLUSTERID", Quantity::kCluster, true},
    {"NCLUSTERID", Quantity::kNumClusters, true},
    {"CLUSTER_CTAID", Quantity::kClusterCta, true},
    {"CLUSTER_NCTAID", Quantity::kNumClusterCtas, true},
    {"CLUSTER_CTARANK", Quantity::kClusterRank, false},
    {"CLUSTER_NCTARANK", Quantity::kClusterSize, false},
    {"WARPSIZE", Quantity::kWarpSize, false},
    {"LANEID", Quantity::kLane, false},
};

struct SpecialRegister {
  Quantity quantity = Quantity::kNone;
  unsigned axis = 0;
};

// Parses "INT_PTX_SREG_TID_x" or "SREG_LANEID".
SpecialRegister ParseSpecialRegister(std::string_view opcode_name) {
  const size_t prefix = opcode_name.find("SREG_");
  if (prefix == opcode_name.npos) return {};
  const std::string_view text = opcode_name.substr(prefix + 5);
  for (const Name& name : kNames) {
    if (!name.has_axis && text == name.text) return {name.quantity};
    const bool is_of_axis = name.has_axis && text.size() == name.text.size() + 2 && text.starts_with(name.text) &&
                            text[name.text.size()] == '_';
    if (is_of_axis && text.back() >= 'x' && text.back() <= 'z') {
      return {name.quantity, static_cast<unsigned>(text.back() - 'x')};
    }
  }
  return {};
}

SpecialRegister SpecialRegisterOf(Opcode opcode) {
  static const auto* const table = [] {
    auto* const registers = new std::vector<SpecialRegister>(ptx::kNumOpcodes);
    for (Opcode i = 0; i < ptx::kNumOpcodes; ++i) {
      if (ptx::InstrInfo(i).is_special_register_read())
        (*registers)[i] = ParseSpecialRegister(ptx::PtxTargetInfo().StableName(i));
    }
    return registers;
  }();
  return (*table)[opcode];
}

uint64_t Dimension(const std::vector<uint32_t>& shape, size_t axis) {
  return axis < shape.size() ? std::max(shape[axis], 1u) : 1;
}

NvvmFunctionInfo LaunchBoundsOf(const MachineFunction& function) {
  const IrFunction* ir_function = FindIrFunction(function);
  // Only kernels have directives. A function may be called from any kernel.
  if (ir_function == nullptr || !IsKernel(*function.module(), *ir_function)) return {};
  return GetNvvmFunctionInfo(*function.module(), *ir_function);
}

int SmOf(const AnalysisInputs& inputs) {
  if (inputs.knobs->nvvm_intr_range_sm() > 0) return inputs.knobs->nvvm_intr_range_sm();
  return inputs.subtarget == nullptr ? kFirstSmWithWideGrids : inputs.subtarget->sm().number;
}

}  // namespace

SpecialRegisterRanges::SpecialRegisterRanges(const MachineFunction& function, const AnalysisInputs& inputs) {
  const NvvmFunctionInfo info = LaunchBoundsOf(function);
  uint64_t threads = ptx::kMaxCtaThreads;
  if (!info.max_ntid.empty()) {
    uint64_t product = 1;
    for (size_t axis = 0; axis < info.max_ntid.size(); ++axis) {
      product = std::min<uint64_t>(product * Dimension(info.max_ntid, axis), threads);
    }
    threads = product;
  }
  const bool has_wide_grids = SmOf(inputs) >= kFirstSmWithWideGrids;
  for (size_t axis = 0; axis < 3; ++axis) {
    cta_[axis].most = axis == 2 ? std::min(threads, kMaxCtaDepth) : threads;
    if (!info.req_ntid.empty()) {
      // A kernel whose shape is impossible is never launched.
      const uint64_t size = std::min(Dimension(info.req_ntid, axis), cta_[axis].most);
      cta_[axis] = {size, size};
    }
    grid_[axis].most = axis == 0 && has_wide_grids ? kMaxGridWidth : kMaxGridHeight;
    cluster_[axis].most = grid_[axis].most;
    if (info.max_cluster_rank.value_or(0) > 0) {
      cluster_[axis].most = std::min<uint64_t>(cluster_[axis].most, *info.max_cluster_rank);
    }
  }
  cluster_rank_.most = info.max_cluster_rank.value_or(0) > 0 ? *info.max_cluster_rank : kMaxGridWidth;
  if (info.cluster_dim.empty() || info.cluster_dim[0] == 0) return;
  uint64_t ctas = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    const uint64_t size = std::min(Dimension(info.cluster_dim, axis), grid_[axis].most);
    cluster_[axis] = {size, size};
    ctas = std::min(ctas * size, kMaxGridWidth);
  }
  cluster_rank_ = {ctas, ctas};
}

IntegerFacts SpecialRegisterRanges::Of(Opcode opcode, unsigned bits) const {
  const SpecialRegister special = SpecialRegisterOf(opcode);
  const auto size = [&](const Bounds& bounds) { return IntegerFacts::UnsignedRange(bits, bounds.least, bounds.most); };
  const auto index = [&](const Bounds& bounds) { return IntegerFacts::UnsignedRange(bits, 0, bounds.most - 1); };
  switch (special.quantity) {
    case Quantity::kNone:
      break;
    case Quantity::kThread:
      return index(cta_[special.axis]);
    case Quantity::kNumThreads:
      return size(cta_[special.axis]);
    case Quantity::kCta:
    case Quantity::kCluster:
      return index(grid_[special.axis]);
    case Quantity::kNumCtas:
    case Quantity::kNumClusters:
      return size(grid_[special.axis]);
    case Quantity::kClusterCta:
      return index(cluster_[special.axis]);
    case Quantity::kNumClusterCtas:
      return size(cluster_[special.axis]);
    case Quantity::kClusterRank:
      return index(cluster_rank_);
    case Quantity::kClusterSize:
      return size(cluster_rank_);
    case Quantity::kWarpSize:
      return IntegerFacts::Exact(bits, kWarpSize);
    case Quantity::kLane:
      return IntegerFacts::UnsignedRange(bits, 0, kWarpSize - 1);
  }
  return IntegerFacts::Unknown(bits);
}

}  // namespace ptxmir
