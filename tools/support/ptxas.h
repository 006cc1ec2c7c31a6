// SPDX-License-Identifier: Apache-2.0

// Ptxas: runs ptxas on PTX, for a cubin or for the registers, spills and memory of each kernel (`ptxas -v`).
//
// Results are cached in a folder by content: a result is valid for the same PTX, flags and version of ptxas. An
// entry contains its PTX, which is compared, so that a hash collision does no harm.

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
  uint32_t stack_bytes = 0;  // per thread, including spills; without the functions that the kernel calls
  // Of the kernel and of every function that it reaches.
  uint32_t spill_store_bytes = 0;
  uint32_t spill_load_bytes = 0;
  uint32_t shared_bytes = 0;  // static, per CTA

  uint32_t spill_bytes() const { return spill_store_bytes + spill_load_bytes; }
  friend bool operator==(const PtxasFigures&, const PtxasFigures&) = default;
};

// Keyed by the kernel's name in PTX.
using PtxasReport = absl::flat_hash_map<std::string, PtxasFigures>;

// Parses the output of `ptxas -v`. Functions that are not kernels have no entry: ptxas reports them with each kernel
// that reaches them, and their registers are the kernel's.
PtxasReport ParsePtxasOutput(std::string_view text);

class Ptxas {
 public:
  struct Options {
    std::string path;                // of the program
    std::vector<std::string> flags;  // in addition to -v, for example "-arch=sm_80"
    std::string cache_folder;        // empty: no cache
  };

  // Returns kNotFound if there is no such program, or if it does not print its version.
  static absl::StatusOr<Ptxas> Create(Options options);

  // Runs ptxas on the concatenation of `ptx` and returns the cubin. Returns kInvalidArgument with the message of ptxas
  // if ptxas rejects it. PTX that cannot be linked alone is compiled for linking.
  absl::StatusOr<std::string> Assemble(absl::Span<const std::string_view> ptx) const;

  // Runs ptxas on the concatenation of `ptx`. May be called on several threads at once. Returns kInvalidArgument
  // with the message of ptxas if ptxas rejects it. PTX that cannot be linked alone is compiled for linking.
  absl::StatusOr<PtxasReport> Judge(absl::Span<const std::string_view> ptx) const;

 private:
  Ptxas(Options options, std::string version) : options_(std::move(options)), version_(std::move(version)) {}

  // Returns what ptxas prints. The cubin goes to the file `cubin`.
  absl::StatusOr<std::string> Run(std::string_view ptx, const std::string& cubin) const;
  // Returns the text of a cache entry before its result.
  std::string EntryHead(std::string_view ptx) const;
  std::string EntryPath(std::string_view head) const;

  Options options_;
  std::string version_;
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_SUPPORT_PTXAS_H_
