// SPDX-License-Identifier: Apache-2.0

#include "sdag/graph/sd_dbg_info.h"

#include <algorithm>
#include <tuple>

namespace ptxmir::sdag {

std::vector<const SDDbgValue*> SDDbgInfo::InProgramOrder() const {
  std::vector<const SDDbgValue*> order;
  order.reserve(values_.size());
  for (const SDDbgValue& value : values_) order.push_back(&value);
  std::stable_sort(order.begin(), order.end(), [](const SDDbgValue* a, const SDDbgValue* b) {
    return std::tie(a->loc.order, a->sequence) < std::tie(b->loc.order, b->sequence);
  });
  return order;
}

uint32_t SDDbgInfo::Add(const SDDbgValue& value) {
  values_.push_back(value);
  values_.back().sequence = num_added_++;
  next_.push_back(kNone);
  return static_cast<uint32_t>(values_.size() - 1);
}

uint32_t SDDbgInfo::AddCopy(uint32_t index) {
  values_.push_back(SDDbgValue(values_[index]));
  next_.push_back(kNone);
  return static_cast<uint32_t>(values_.size() - 1);
}

void SDDbgInfo::Attach(uint32_t index) {
  const auto [newest, is_first] = of_node_.try_emplace(values_[index].value.node()->id(), index);
  next_[index] = is_first ? kNone : newest->second;
  newest->second = index;
}

std::vector<uint32_t> SDDbgInfo::Detach(const SDNode& node) {
  std::vector<uint32_t> indices;
  const auto newest = of_node_.find(node.id());
  if (newest == of_node_.end()) return indices;
  for (uint32_t i = newest->second; i != kNone; i = next_[i]) indices.push_back(i);
  of_node_.erase(newest);
  std::reverse(indices.begin(), indices.end());
  return indices;
}

void SDDbgInfo::Clear() {
  values_.clear();
  next_.clear();
  of_node_.clear();
  num_added_ = 0;
}

}  // namespace ptxmir::sdag
