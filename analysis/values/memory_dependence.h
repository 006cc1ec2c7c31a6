// SPDX-License-Identifier: Apache-2.0

// memory-dependence: whether two instructions may access the same memory, and the nearest earlier instruction that
// a load depends on.
//
// An access (MemoryAccess) has four parts. Its state space comes from the opcode, the addsp operand, or the cvta
// that the address went through. The object at the root of its address is found through copies, cvta, LEA and
// additions of constants. Its offset and size are constants. Its memory operand may give an IR value, TBAA, alias
// scopes, or invariance. Two accesses do not alias if any of these is true:
// - Their state spaces differ and neither is generic. (shared::cta lies within shared::cluster. The constant and
//   kernel parameter spaces are never written.)
// - Their objects differ. Objects are stack objects, variables, and pointer parameters. Two parameters, or a
//   parameter and a variable, differ only if a parameter is noalias. (A loaded pointer has no object: it may be
//   based on a parameter.) The search for the object also follows additions of variables.
// - They have the same root or IR value and their ranges do not overlap.
// - They have TBAA types of which neither contains the other, and neither accesses shared memory, which real programs
//   use with several types; or, within an iteration, the !noalias of one lists all !alias.scope scopes of the other in
//   some domain.
//
// Nothing is computed in advance, so a query is correct right after any edit. Address chains are followed for at
// most kMaxChain instructions. The search for a dependence visits at most `max_instrs` instructions and
// `max_blocks` blocks.

#ifndef PTXMIR_ANALYSIS_VALUES_MEMORY_DEPENDENCE_H_
#define PTXMIR_ANALYSIS_VALUES_MEMORY_DEPENDENCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/control_flow/machine_cycles.h"
#include "ir/module.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {

enum class AliasResult : uint8_t { kNoAlias, kMayAlias, kMustAlias };

struct MemoryAccess {
  enum class Root : uint8_t {
    kUnknown,
    kRegister,    // the value of `reg`, about which nothing else is known
    kFrameIndex,  // stack object `id`
    kGlobal,      // variable `id`
    kParameter,   // the memory that pointer parameter `id` of the function points to
    kSymbol,      // an external symbol: parameter space, shared memory of unknown size
    kAbsolute,    // no base: the offset is the address
  };
  const MachineInstr* instr = nullptr;
  ptx::MemorySpace space = ptx::MemorySpace::kUnknown;
  Root root = Root::kUnknown;
  Register reg;
  int64_t id = 0;
  int64_t offset = 0;  // of the first byte, relative to the root
  uint64_t size = 0;   // in bytes; 0: unknown
  // The object that the address points into, even if a variable was added to the address. One of the three
  // objects, or kUnknown.
  Root object = Root::kUnknown;
  int64_t object_id = 0;
  // The memory operand, if there is exactly one, or null.
  const MachineMemOperand* memoperand = nullptr;
};

class MemoryDependence : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMemoryDependence;
  static constexpr int kMaxChain = 16;
  MemoryDependence(MachineFunction& function, AnalysisManager& analyses);

  // Returns true if the thread accesses one piece of memory, at an address that the instruction holds. (A matrix load
  // also accesses memory at the addresses of other threads.)
  static bool IsPlainAccess(const MachineInstr& instr);
  // Describes the memory that the instruction's first address refers to.
  MemoryAccess Describe(const MachineInstr& instr) const;
  // Compares two loads, stores or atomics, in the same iteration of all loops around them, or
  // (`may_be_other_iteration`) in any iterations. Any other instruction that accesses memory may alias everything.
  AliasResult Alias(const MachineInstr& a, const MachineInstr& b, bool may_be_other_iteration = false) const;
  AliasResult Alias(const MemoryAccess& a, const MemoryAccess& b, bool may_be_other_iteration = false) const;

  // Returns the number of the function's parameter that the instruction loads (from its first byte on), or nullopt.
  std::optional<int64_t> LoadedParameter(const MachineInstr& instr) const;

  // Returns true if the memory that the load reads is never written while the function runs: constant memory,
  // kernel parameters, ld.global.nc, invariant memory operands, constants, and the memory of a noalias readonly
  // parameter.
  bool ReadsConstantMemory(const MachineInstr& load) const;
  // Returns true if executing `instr` may change the value that `load` would read. Such instructions are stores,
  // atomics, calls and inline asm; barriers, fences and ordered accesses, which make other threads' writes
  // visible, unless the memory is private to the thread; and the beginning or end of a stack object's lifetime.
  bool MayChange(const MachineInstr& instr, const MachineInstr& load, bool may_be_other_iteration = false) const;

  struct Limits {
    uint32_t max_instrs = 1000;
    uint32_t max_blocks = 100;
  };
  enum class DependenceKind : uint8_t {
    kDefinition,  // `instr` stores the value or loads the same memory, so the value is known
    kClobber,     // `instr` may change what is read
    kEntry,       // nothing before the load in the function
    kUnknown,     // a limit was reached
  };
  struct Dependence {
    DependenceKind kind = DependenceKind::kUnknown;
    MachineInstr* instr = nullptr;
    friend bool operator==(const Dependence&, const Dependence&) = default;
  };
  // Returns the nearest dependence on each path back from the load, each once. Returns only kUnknown if a limit
  // was reached.
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
  // Returns the number of the function's parameter that a symbol of the parameter space names, or nullopt.
  std::optional<int64_t> ParameterOf(SymbolId id) const;
  // Follows the address in `base` as long as its distance from the access is constant.
  void FindRoot(const MachineOperand& base, MemoryAccess& access) const;
  // Follows the address further, for at most `steps` instructions. Sets the object if exactly one is found.
  void FindObject(const MachineOperand& base, MemoryAccess& access, int& steps) const;
  // Returns true if the root is the same address in all iterations of all loops.
  bool IsFixed(const MemoryAccess& access) const;
  bool AreApartByObject(const MemoryAccess& a, const MemoryAccess& b) const;
  bool AreApartByMetadata(const MemoryAccess& a, const MemoryAccess& b, bool may_be_other_iteration) const;
  bool AreApartByScopes(MetadataId scopes, MetadataId noalias) const;
  bool AreApartByType(MetadataId a, MetadataId b) const;

  const MachineFunction& function_;
  const Module* module_;
  const MachineCycles& cycles_;
  bool is_kernel_ = false;
  std::vector<Parameter> parameters_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_VALUES_MEMORY_DEPENDENCE_H_
