// SPDX-License-Identifier: Apache-2.0

// The opcodes that the generator writes, and their operands. They are derived from the instruction tables alone,
// so that an opcode that is added there is generated without an edit here:
//
// - Each opcode is tried with one operand of each kind that its description requires. The result is printed and
//   looked up in the interpreter's table of semantics. If it is found there, and is either a pure function of its
//   registers and immediates or a warp-wide exchange of registers with a member mask, it becomes a form.
// - Modifiers (rounding, comparison, ftz ...) take the values that both the printer and PTX allow. The tables say
//   which values print. opcode_catalog.cc says which of them PTX permits (for example, the roundings of a
//   conversion).
//
// Loads, stores, calls and control flow are not forms: they need addresses, and the generator writes them with its
// own knowledge of memory. For opcodes that need an address, a handle or a certain order, there are lists by
// family.
//
// opcode_catalog.cc says which SMs have an instruction, according to ptxas.

#ifndef PTXMIR_TOOLS_FUZZ_GENERATOR_OPCODE_CATALOG_H_
#define PTXMIR_TOOLS_FUZZ_GENERATOR_OPCODE_CATALOG_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "mir/code/instr_desc.h"
#include "mir/code/machine_function.h"
#include "ptx/isa/isa_enums.h"
#include "tools/fuzz/generator/fuzz_random.h"

namespace ptxmir::fuzz {

// The source of an operand.
enum class OperandSource : uint8_t {
  kResult,
  kRegister,
  kInteger,   // an immediate of `bits` bits
  kCount,     // a shift count or bit position: an immediate in [0, bits)
  kNonzero,   // an immediate divisor
  kZero,      // the immediate 0
  kSelector,  // a register with one bit of the mask `bits`: the byte or thread that has a scale
  kMetadata,  // a register that says which elements of a sparse matrix are present
  kFloat,     // an immediate of `bits` bits, of a floating-point type
  kBoolean,   // an immediate predicate
  kMask,      // the member mask of a warp: all lanes
  kModifier,  // one of `OpcodeForm::modifiers`
};

struct FormOperand {
  OperandSource source = OperandSource::kRegister;
  RegClassId reg_class = kNoRegClass;
  uint8_t bits = 32;
  bool is_bfloat = false;
};

// The SMs for which modules are made. Each has instructions that the others lack.
enum class FuzzSm : uint8_t { k90a, k100a, k103a, k120a };
inline constexpr int kNumFuzzSms = static_cast<int>(FuzzSm::k120a) + 1;
std::string_view FuzzSmName(FuzzSm sm);  // "sm_90a"

// Opcodes that need more than values: an address, a handle, or a certain order.
enum class AddressedFamily : uint8_t {
  kAtomic,
  kWmmaLoad,
  kWmmaStore,
  kLdMatrix,
  kStMatrix,
  kCopy,            // cp.async
  kTexture,         // fetches with one handle
  kSampledTexture,  // with the handles of a texture and of a sampler
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
  // Whether it reads a special register that differs between the threads of a cluster.
  bool is_thread_dependent = false;
  std::vector<FormOperand> operands;
  uint8_t sms = 0;  // one bit per FuzzSm
  // Values for the modifier operands, in the order of the operands, one tuple after another. Empty if there are
  // none.
  std::vector<std::array<int16_t, 2>> modifiers;
};

class OpcodeCatalog {
 public:
  explicit OpcodeCatalog(const TargetInfo& target);

  absl::Span<const OpcodeForm> forms() const { return forms_; }
  // Picks a form whose first result has the class, or any form for kNoRegClass. Families that are frequent in the
  // corpus are picked often, but every family is picked. Returns null if there is no form.
  const OpcodeForm* Pick(RegClassId result, bool allow_collective, FuzzRandom& random) const;

  bool IsAvailable(Opcode opcode, FuzzSm sm) const { return (sms_[opcode] >> static_cast<int>(sm) & 1) != 0; }
  // Atomic read-modify-writes of one address, with operands that are registers, immediates and modifiers.
  const std::vector<Opcode>& atomics() const { return Addressed(AddressedFamily::kAtomic); }
  // Returns true if a matrix move takes a generic address. Its instruction table does not say that.
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
  std::vector<Opcode> generic_moves_;  // sorted
  std::vector<uint8_t> sms_;           // indexed by opcode, for those in a form or a list
  // Indexed by result class, and by whether collectives are included. The last row is for all classes.
  std::vector<std::array<Choice, 2>> choices_;
};

// Returns how often the corpus uses the family (opcode_weights.cc), or 0 if it does not use it.
uint64_t CorpusCount(ptx::Family family);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_GENERATOR_OPCODE_CATALOG_H_
