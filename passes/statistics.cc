// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "passes/pass_context.h"

namespace ptxmir {

void Statistics::Add(std::string_view pass, std::string_view description, uint64_t value) {
  if (value == 0) return;
  for (Counter& counter : counters_) {
    if (counter.pass == pass && counter.description == description) {
      counter.value += value;
      return;
    }
  }
  counters_.push_back({pass, description, value});
}

void Statistics::Append(const Statistics& other) {
  for (const Counter& counter : other.counters_) Add(counter.pass, counter.description, counter.value);
}

std::string Statistics::ToString() const {
  size_t pass_width = 0;
  for (const Counter& counter : counters_) pass_width = std::max(pass_width, counter.pass.size());
  std::string out = "===--- Statistics Collected ---===\n";
  for (const Counter& counter : counters_) {
    absl::StrAppendFormat(&out, "%9d %-*s - %s\n", counter.value, static_cast<int>(pass_width), ToAbsl(counter.pass),
                          ToAbsl(counter.description));
  }
  return out;
}

}  // namespace ptxmir
