// SPDX-License-Identifier: Apache-2.0

// The subtarget: the SM and the PTX version that code is compiled for, chosen as llc chooses them from -mcpu and
// -mattr. Also the SM's resource limits, from which register budgets are derived.

#ifndef PTXMIR_PTX_TARGET_SUBTARGET_H_
#define PTXMIR_PTX_TARGET_SUBTARGET_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "mir/code/instr_desc.h"

namespace ptxmir::ptx {
namespace isa {
struct Requirement;
}  // namespace isa

// The resources that limit the number of warps on an SM. Registers are allocated to warps in units of 32 *
// register_granularity.
struct SmLimits {
  static constexpr unsigned kWarpSize = 32;  // threads

  uint32_t registers;             // 32-bit registers of an SM
  uint16_t max_registers;         // the most registers that a thread can address
  uint16_t register_granularity;  // a thread's registers are a multiple of this
  uint16_t partitions;            // an SM's warps and registers are split evenly among these
  uint16_t max_warps;             // resident on an SM
  uint16_t max_ctas;              // resident on an SM
  uint32_t shared_bytes;          // shared memory of an SM
  uint32_t max_shared_bytes;      // the most that a CTA may request if it opts in to more than 48 KiB
  uint16_t shared_granularity;    // a CTA's shared memory is a multiple of this
  uint16_t reserved_shared;       // taken by the system for each CTA, in addition to the CTA's request
  uint32_t max_cta_registers;     // the most registers for all threads of a CTA
  uint16_t barriers;              // of an SM, shared by all CTAs that use them (bar.sync 0 ... 15); 0: no limit

  // Returns the registers that a thread takes if it asks for `count`.
  unsigned RoundUpRegisters(unsigned count) const {
    return (count + register_granularity - 1) / register_granularity * register_granularity;
  }
  // Returns the most registers that a thread may use such that `warps` fit on an SM, at least one granule.
  unsigned RegistersForWarps(unsigned warps) const;
};

struct SmInfo {
  std::string_view name;  // "sm_90a"
  uint16_t number;        // 90
  char variant;           // 'a' and 'f': features of one architecture or family; 0 otherwise
  uint16_t min_ptx;       // the first PTX version that supports it, times 10
  SmLimits limits;
};

// Returns all SMs that LLVM 22 knows, ascending.
absl::Span<const SmInfo> AllSms();

// Returns the SM with this name, or null if there is none.
const SmInfo* FindSm(std::string_view name);

class Subtarget {
 public:
  // Creates a subtarget. `cpu` is as in -mcpu ("sm_80"; empty: sm_30, LLVM's default). `features` is as in -mattr or
  // the IR's "target-features" ("+ptx83,+sm_80"). Of several PTX versions the highest is used. If there is none, the
  // lowest that the SM needs is used. Errors (kInvalidArgument): an unknown SM or feature, a version too old for the
  // SM. llc ignores names that it does not know; here a misspelling is an error.
  static absl::StatusOr<Subtarget> Create(std::string_view cpu, std::string_view features);

  const SmInfo& sm() const { return *sm_; }
  const SmLimits& limits() const { return sm_->limits; }
  int ptx_version() const { return ptx_version_; }  // 83 for 8.3
  std::string ptx_version_text() const;             // "8.3"
  bool HasSm(int number) const { return sm_->number >= number; }
  bool HasPtx(int version) const { return ptx_version_ >= version; }

  // Returns true if the SM and the PTX version have the instruction. Decided by the opcode alone: the value of an
  // operand may need a newer one, for example the memory order of a load.
  bool Supports(Opcode opcode) const;
  // Returns what the instruction needs and what this subtarget is: "needs sm_90 and PTX 7.8; the target is sm_80 with
  // PTX 7.0". Supports() must be false.
  std::string WhyUnsupported(Opcode opcode) const;
  // Returns what the value of an operand needs: "with .cluster needs sm_90 and PTX 7.8; the target is ...". Empty if
  // the SM and the PTX version have it. Only operands of InstrDesc::limited_operands can need anything.
  std::string WhyUnsupported(Opcode opcode, unsigned operand, int64_t value) const;

 private:
  bool Meets(const isa::Requirement& requirement) const;
  std::string WhyNotMet(const isa::Requirement& requirement) const;
  bool HasArchFeatures() const;
  bool HasFamilyFeatures() const;
  Subtarget(const SmInfo& sm, int ptx_version) : sm_(&sm), ptx_version_(ptx_version) {}

  const SmInfo* sm_;
  int ptx_version_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_TARGET_SUBTARGET_H_
