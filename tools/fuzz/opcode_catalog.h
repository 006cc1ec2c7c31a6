// SPDX-License-Identifier: Apache-2.0

// Which opcodes the generator writes, and with what operands. Made from the instruction tables alone, so that an
// opcode which is added there is generated without an edit here:
//
// - An opcode is tried with one operand of each kind that its description asks for, printed, and given to the
//   interpreter's table of semantics. What has a meaning there, is a pure function of its registers and immediates,
//   or a warp-wide exchange of registers with a member mask, becomes a form.
// - Modifiers (rounding, comparison, ftz ...) are taken from what both the printer and PTX allow: the tables say
//   which values print, and what PTX permits among those (which rounding a conversion takes, say) stands in
//   opcode_catalog.cc.
//
// Loads, stores, calls and control flow are not here: they need addresses, and the generator writes them with what it
// knows of memory. Of what needs an address, a handle or a certain order, there are lists of opcodes by family.
//
// Which SMs have an instruction stands in opcode_catalog.cc, as ptxas has it.

#ifndef PTXMIR_TOOLS_FUZZ_OPCODE_CATALOG_H_
#define PTXMIR_TOOLS_FUZZ_OPCODE_CATALOG_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "mir/code/instr_desc.h"
#include "mir/code/machine_function.h"
#include "tools/fuzz/fuzz_random.h"

namespace ptxmir::fuzz {

// What stands at an operand's place.
enum class OperandSource : uint8_t {
  kResult,
  kRegister,
  kInteger,   // immediate of `bits` bits
  kCount,     // a shift count or bit position: immediate in [0, bits)
  kNonzero,   // an immediate divisor
  kZero,      // the immediate 0
  kSelector,  // a register with one of the bits of `bits`, a mask: which byte or thread has a scale
  kMetadata,  // a register that says which elements of a sparse matrix are there
  kFloat,     // immediate of `bits` bits, of a floating-point type
  kBoolean,   // immediate predicate
  kMask,      // member mask of a warp: all lanes
  kModifier,  // one of `OpcodeForm::modifiers`
};

struct FormOperand {
  OperandSource source = OperandSource::kRegister;
  RegClassId reg_class = kNoRegClass;
  uint8_t bits = 32;
  bool is_bfloat = false;
};

// The SMs that modules are made for; each has instructions that the others lack.
enum class FuzzSm : uint8_t { k90a, k100a, k103a, k120a };
inline constexpr int kNumFuzzSms = static_cast<int>(FuzzSm::k120a) + 1;
std::string_view FuzzSmName(FuzzSm sm);  // "sm_90a"

// Opcodes that need more than values: an address, a handle, a certain order.
enum class AddressedFamily : uint8_t {
  kAtomic,
  kWmmaLoad,
  kWmmaStore,
  kLdMatrix,
  kStMatrix,
  kCopy,            // cp.async
  kTexture,         // fetches with one handle
  kSampledTexture,  // with a handle of a texture and one of a sampler
  kTextureQuery,
  kSurfaceQuery,
  kSurfaceLoad,
  kSurfaceStore,
  kBulkLoad,  // into shared memory, with an mbarrier
  kBulkStore,
  kBulkPrefetch,
  kBoxLoad,  // of tensors
  kBoxStore,
  kBoxPrefetch,
  kMbarrierArrive,
  kMbarrierCount,  // expect_tx and complete_tx
  kMbarrierWait,
  kBarrier,
  kFence,
  kPrefetch,
  kTensorLoad,  // tcgen05
  kTensorStore,
  kTensorCopy,
  kTensorProduct,
};
inline constexpr size_t kNumAddressedFamilies = static_cast<size_t>(AddressedFamily::kTensorProduct) + 1;

struct OpcodeForm {
  Opcode opcode = 0;
  bool is_collective = false;
  // Reads a special register that differs between the threads of a cluster.
  bool is_thread_dependent = false;
  std::vector<FormOperand> operands;
  uint8_t sms = 0;  // bits by FuzzSm
  // Values for the modifier operands, in the order of the operands, one tuple after another; empty: there are none.
  std::vector<std::array<int16_t, 2>> modifiers;
};

class OpcodeCatalog {
 public:
  explicit OpcodeCatalog(const TargetInfo& target);

  absl::Span<const OpcodeForm> forms() const { return forms_; }
  // Forms whose first result is of the class; all of them with kNoRegClass. Families that the corpus uses much come
  // often, and every one comes. Null when there is none.
  const OpcodeForm* Pick(RegClassId result, bool allow_collective, FuzzRandom& random) const;

  bool IsAvailable(Opcode opcode, FuzzSm sm) const { return (sms_[opcode] >> static_cast<int>(sm) & 1) != 0; }
  // Atomic read-modify-writes: of one address, with operands that are registers, immediates and modifiers.
  const std::vector<Opcode>& atomics() const { return Addressed(AddressedFamily::kAtomic); }
  // Of a move of a matrix: whether its address is a generic one, which its table of instructions does not say.
  bool TakesGenericAddress(Opcode opcode) const {
    return std::binary_search(generic_moves_.begin(), generic_moves_.end(), opcode);
  }
  const std::vector<Opcode>& Addressed(AddressedFamily family) const { return addressed_[static_cast<size_t>(family)]; }

 private:
  struct Choice {
    std::vector<uint32_t> forms;
    std::vector<uint64_t> weights;  // cumulative
  };
  void AddChoices(const std::vector<uint64_t>& weights);

  std::vector<OpcodeForm> forms_;
  std::array<std::vector<Opcode>, kNumAddressedFamilies> addressed_;
  std::vector<Opcode> generic_moves_;  // ascending
  std::vector<uint8_t> sms_;           // by opcode, of those that stand in a form or a list
  // By result class and by whether collectives are among them; the last row is for all classes.
  std::vector<std::array<Choice, 2>> choices_;
};

// How often the corpus uses the family (opcode_weights.cc); 0 for one that it does not use.
uint64_t CorpusCount(std::string_view family);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_OPCODE_CATALOG_H_
