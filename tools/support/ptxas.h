// SPDX-License-Identifier: Apache-2.0

// What ptxas makes of PTX: the registers, spills and memory of each kernel, by asking it (`ptxas -v`).
//
// Answers are kept in a folder, by content: an answer counts for the same PTX, flags and version of ptxas. An entry
// holds the PTX that it is about and is compared with it, so that a hash that two texts share does no harm.

#ifndef PTXMIR_TOOLS_SUPPORT_PTXAS_H_
#define PTXMIR_TOOLS_SUPPORT_PTXAS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace ptxmir {

struct PtxasFigures {
  unsigned registers = 0;
  unsigned barriers = 0;
  uint32_t stack_bytes = 0;  // of a thread, spills among them
  uint32_t spill_store_bytes = 0;
  uint32_t spill_load_bytes = 0;
  uint32_t shared_bytes = 0;  // static, of a CTA

  uint32_t spill_bytes() const { return spill_store_bytes + spill_load_bytes; }
  friend bool operator==(const PtxasFigures&, const PtxasFigures&) = default;
};

// By the kernel's name in PTX.
using PtxasReport = absl::flat_hash_map<std::string, PtxasFigures>;

// Reads what `ptxas -v` prints. Functions that are no kernels have no registers of their own and are left out.
PtxasReport ParsePtxasOutput(std::string_view text);

class Ptxas {
 public:
  struct Options {
    std::string path;                // of the program
    std::vector<std::string> flags;  // beside -v: "-arch=sm_80"
    std::string cache_folder;        // empty: nothing is kept
  };

  // kNotFound: there is no such program, or it does not say its version.
  static absl::StatusOr<Ptxas> Create(Options options);

  // The parts make up the PTX. May be called on several threads at once. kInvalidArgument: ptxas refused it; the
  // message is what it said. What cannot be linked alone is compiled for linking.
  absl::StatusOr<PtxasReport> Judge(absl::Span<const std::string_view> ptx) const;

 private:
  Ptxas(Options options, std::string version) : options_(std::move(options)), version_(std::move(version)) {}

  absl::StatusOr<std::string> Run(std::string_view ptx) const;
  // An entry's text in front of the answer.
  std::string EntryHead(std::string_view ptx) const;
  std::string EntryPath(std::string_view head) const;

  Options options_;
  std::string version_;
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_SUPPORT_PTXAS_H_
