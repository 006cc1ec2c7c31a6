// SPDX-License-Identifier: Apache-2.0

// memory-dependence: whether two instructions may touch the same memory, and what the nearest earlier instruction is
// that a load depends on.
//
// What is known of an access (MemoryAccess): its state space, from the opcode, its addsp operand or the cvta that its
// address went through; the object at the root of its address, found through copies, cvta, LEA and additions of
// constants; the constant offset and size; and what its memory operand says (IR value, TBAA, alias scopes, invariant).
// Two accesses are apart when any of these tells so:
//   - different state spaces, of which none is generic (shared::cta lies within shared::cluster; what is in the
//   constant
//     and kernel parameter spaces is never written)
//   - different objects: stack objects, variables, pointer parameters of which one is noalias (against other
//     parameters, variables and stack objects; a pointer that was loaded may be based on a parameter). The object is
//     found through additions of variables, too
//   - the same root or IR value and ranges that do not overlap
//   - scopes of !alias.scope that the other's !noalias lists completely, domain by domain; TBAA types of which neither
//     contains the other
//
// Nothing is computed ahead, so a query is right after any edit. Chains of addresses are followed for at most
// kMaxChain instructions. A dependence is looked for in at most `max_instrs` instructions and `max_blocks` blocks.

#ifndef PTXMIR_ANALYSIS_MEMORY_DEPENDENCE_H_
#define PTXMIR_ANALYSIS_MEMORY_DEPENDENCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/machine_cycles.h"
#include "ir/module.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {

enum class AliasResult : uint8_t { kNoAlias, kMayAlias, kMustAlias };

struct MemoryAccess {
  enum class Root : uint8_t {
    kUnknown,
    kRegister,    // the value of `reg`, of which no more is known
    kFrameIndex,  // stack object `id`
    kGlobal,      // variable `id`
    kParameter,   // what pointer parameter `id` of the function points to
    kSymbol,      // an external symbol: parameter space, shared memory of unknown size
    kAbsolute,    // no base: the offset is the address
  };
  const MachineInstr* instr = nullptr;
  ptx::MemorySpace space = ptx::MemorySpace::kUnknown;
  Root root = Root::kUnknown;
  Register reg;
  int64_t id = 0;
  int64_t offset = 0;  // of the first byte from the root
  uint64_t size = 0;   // in bytes; 0: unknown
  // What the address points into, also when a variable was added on the way: one of the objects, or kUnknown.
  Root object = Root::kUnknown;
  int64_t object_id = 0;
  // The memory operand, if there is exactly one.
  const MachineMemOperand* memoperand = nullptr;
};

class MemoryDependence : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMemoryDependence;
  static constexpr int kMaxChain = 16;
  MemoryDependence(MachineFunction& function, AnalysisManager& analyses);

  // What the instruction's first address refers to.
  MemoryAccess Describe(const MachineInstr& instr) const;
  // Of two loads, stores or atomics, in the same turn of all loops around them, or (`may_be_other_turn`) in any turns.
  // Anything else that touches memory may alias everything.
  AliasResult Alias(const MachineInstr& a, const MachineInstr& b, bool may_be_other_turn = false) const;
  AliasResult Alias(const MemoryAccess& a, const MemoryAccess& b, bool may_be_other_turn = false) const;

  // Whether nobody writes what the load reads while the function runs: constant memory, kernel parameters,
  // ld.global.nc, invariant memory operands, constants, what a parameter that is noalias and readonly points to.
  bool ReadsConstantMemory(const MachineInstr& load) const;
  // Whether executing `instr` may change what `load` would read: a store, an atomic, a call, inline asm, or what
  // makes other threads' writes visible (barriers, fences, ordered accesses) unless the memory is the thread's own, or
  // the beginning or end of a stack object's lifetime.
  bool MayChange(const MachineInstr& instr, const MachineInstr& load, bool may_be_other_turn = false) const;

  struct Limits {
    uint32_t max_instrs = 1000;
    uint32_t max_blocks = 100;
  };
  enum class DependenceKind : uint8_t {
    kDefinition,  // `instr` stores what is read, or reads the same: the value is known
    kClobber,     // `instr` may change what is read
    kEntry,       // nothing before it in the function
    kUnknown,     // a limit was reached
  };
  struct Dependence {
    DependenceKind kind = DependenceKind::kUnknown;
    MachineInstr* instr = nullptr;
    friend bool operator==(const Dependence&, const Dependence&) = default;
  };
  // The nearest on each way back from the load, each once. kUnknown alone when a limit was reached.
  std::vector<Dependence> Dependences(const MachineInstr& load, const Limits& limits) const;
  std::vector<Dependence> Dependences(const MachineInstr& load) const { return Dependences(load, Limits()); }

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  bool MayEndValue(const MachineInstr& marker, const MachineInstr& load) const;

  struct Parameter {
    bool is_pointer = false;
    bool is_noalias = false;
    bool is_readonly = false;
  };

  void ReadParameters();
  // Follows the address in `base` as far as its distance from it is constant.
  void FindRoot(const MachineOperand& base, MemoryAccess& access) const;
  // Follows it on, at most `steps` instructions. Sets the object if exactly one is found.
  void FindObject(const MachineOperand& base, MemoryAccess& access, int& steps) const;
  // Number of the function's parameter whose value the instruction loads.
  std::optional<int64_t> LoadedParameter(const MachineInstr& instr) const;
  // Whether the root means the same address in all turns of all loops.
  bool IsFixed(const MemoryAccess& access) const;
  bool AreApartByObject(const MemoryAccess& a, const MemoryAccess& b) const;
  bool AreApartByMetadata(const MachineMemOperand& a, const MachineMemOperand& b) const;
  bool AreApartByScopes(MetadataId scopes, MetadataId noalias) const;
  bool AreApartByType(MetadataId a, MetadataId b) const;

  const MachineFunction& function_;
  const Module* module_;
  const MachineCycles& cycles_;
  bool is_kernel_ = false;
  std::vector<Parameter> parameters_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_MEMORY_DEPENDENCE_H_
