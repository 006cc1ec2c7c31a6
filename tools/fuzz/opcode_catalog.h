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
// knows of memory. Of atomics, and of moves of matrices, copies and fetches there are lists of opcodes.

#ifndef PTXMIR_TOOLS_FUZZ_OPCODE_CATALOG_H_
#define PTXMIR_TOOLS_FUZZ_OPCODE_CATALOG_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "mir/instr_desc.h"
#include "mir/machine_function.h"
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

// Opcodes that are told apart by where they take an address.
enum class AddressedFamily : uint8_t { kAtomic, kWmmaLoad, kWmmaStore, kLdMatrix, kStMatrix, kCopy, kFetch, kGather };
inline constexpr size_t kNumAddressedFamilies = static_cast<size_t>(AddressedFamily::kGather) + 1;

struct OpcodeForm {
  Opcode opcode = 0;
  bool is_collective = false;
  // Reads a special register that differs between the threads of a CTA.
  bool is_thread_dependent = false;
  std::vector<FormOperand> operands;
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
  // By result class and by whether collectives are among them; the last row is for all classes.
  std::vector<std::array<Choice, 2>> choices_;
};

// How often the corpus uses the family (opcode_weights.cc); 0 for one that it does not use.
uint64_t CorpusCount(std::string_view family);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_OPCODE_CATALOG_H_
