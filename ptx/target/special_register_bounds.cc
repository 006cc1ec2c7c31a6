// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/special_register_bounds.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ir/ir_nvvm.h"
#include "ptx/target/occupancy.h"

namespace ptxmir::ptx {
namespace {

constexpr uint64_t kMaxCtaDepth = 64;  // threads in dimension z
constexpr uint64_t kWarpSize = 32;
// CTAs of a grid: in dimension x from sm_30 on, and in the other dimensions.
constexpr uint64_t kMaxGridWidth = 0x7fffffff;
constexpr uint64_t kMaxGridHeight = 0xffff;
constexpr int kFirstSmWithWideGrids = 30;

struct Name {
  std::string_view text;
  SpecialQuantity quantity;
  bool has_axis;
};
constexpr Name kNames[] = {
    {"tid", SpecialQuantity::kThread, true},
    {"ntid", SpecialQuantity::kNumThreads, true},
    {"ctaid", SpecialQuantity::kCta, true},
    {"nctaid", SpecialQuantity::kNumCtas, true},
    {"clusterid", SpecialQuantity::kCluster, true},
    {"nclusterid", SpecialQuantity::kNumClusters, true},
    {"cluster.ctaid", SpecialQuantity::kClusterCta, true},
    {"cluster.nctaid", SpecialQuantity::kNumClusterCtas, true},
    {"cluster.ctarank", SpecialQuantity::kClusterRank, false},
    {"cluster.nctarank", SpecialQuantity::kClusterSize, false},
    {"warpsize", SpecialQuantity::kWarpSize, false},
    {"laneid", SpecialQuantity::kLane, false},
};

uint64_t Dimension(const std::vector<uint32_t>& shape, size_t axis) {
  return axis < shape.size() ? std::max(shape[axis], 1u) : 1;
}

}  // namespace

BoundedRegister ParseBoundedRegister(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = c == '_' ? '.' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const Name& known : kNames) {
    if (!known.has_axis && text == known.text) return {known.quantity};
    const bool is_of_axis = known.has_axis && text.size() == known.text.size() + 2 && text.starts_with(known.text) &&
                            text[known.text.size()] == '.';
    if (is_of_axis && text.back() >= 'x' && text.back() <= 'z') {
      return {known.quantity, static_cast<unsigned>(text.back() - 'x')};
    }
  }
  return {};
}

SpecialRegisterBounds::SpecialRegisterBounds(const Module* module, const IrFunction* function, int sm) {
  const bool is_kernel = function != nullptr && IsKernel(*module, *function);
  const NvvmFunctionInfo info = is_kernel ? GetNvvmFunctionInfo(*module, *function) : NvvmFunctionInfo();
  uint64_t threads = kMaxCtaThreads;
  if (!info.max_ntid.empty()) {
    uint64_t product = 1;
    for (size_t axis = 0; axis < info.max_ntid.size(); ++axis) {
      product = std::min<uint64_t>(product * Dimension(info.max_ntid, axis), threads);
    }
    threads = product;
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    cta_[axis].most = axis == 2 ? std::min(threads, kMaxCtaDepth) : threads;
    if (!info.req_ntid.empty()) {
      // A kernel whose shape is impossible is never launched.
      const uint64_t size = std::min(Dimension(info.req_ntid, axis), cta_[axis].most);
      cta_[axis] = {size, size};
    }
    grid_[axis].most = axis == 0 && (sm == 0 || sm >= kFirstSmWithWideGrids) ? kMaxGridWidth : kMaxGridHeight;
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

std::optional<SpecialRegisterBounds::Bounds> SpecialRegisterBounds::Of(const BoundedRegister& special) const {
  const auto index = [](const Bounds& bounds) { return Bounds{0, bounds.most - 1}; };
  switch (special.quantity) {
    case SpecialQuantity::kNone:
      break;
    case SpecialQuantity::kThread:
      return index(cta_[special.axis]);
    case SpecialQuantity::kNumThreads:
      return cta_[special.axis];
    case SpecialQuantity::kCta:
    case SpecialQuantity::kCluster:
      return index(grid_[special.axis]);
    case SpecialQuantity::kNumCtas:
    case SpecialQuantity::kNumClusters:
      return grid_[special.axis];
    case SpecialQuantity::kClusterCta:
      return index(cluster_[special.axis]);
    case SpecialQuantity::kNumClusterCtas:
      return cluster_[special.axis];
    case SpecialQuantity::kClusterRank:
      return index(cluster_rank_);
    case SpecialQuantity::kClusterSize:
      return cluster_rank_;
    case SpecialQuantity::kWarpSize:
      return Bounds{kWarpSize, kWarpSize};
    case SpecialQuantity::kLane:
      return Bounds{0, kWarpSize - 1};
  }
  return std::nullopt;
}

}  // namespace ptxmir::ptx
