// SPDX-License-Identifier: Apache-2.0

// The state that the parts of the MIR reader share: per file (MirFileState) and per function (MirFunctionState).

#ifndef PTXMIR_MIR_TEXT_MIR_READER_STATE_H_
#define PTXMIR_MIR_TEXT_MIR_READER_STATE_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/diagnostics.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/upgrade/old_llvm.h"
#include "mir/upgrade/recipe_table.h"

namespace ptxmir {

class BlockLineReader;

// Looks up opcodes by name, with a cache of recent names. Most instructions of a file use few different opcodes,
// and comparing names is cheaper than the target's hash. Opcodes that the module's GPU lacks never enter the cache, so
// the check costs nothing for the others.
class OpcodeCache {
 public:
  explicit OpcodeCache(const TargetInfo& target) : target_(target) {}

  // Sets the function that says what the module's GPU lacks (InstrSupportCheck).
  void set_why_unsupported(std::function<std::string(Opcode, int, int64_t)> function) {
    why_unsupported_ = std::move(function);
  }

  // Returns nullopt if there is no such opcode or if the module's GPU lacks it.
  std::optional<Opcode> Find(const char* name, size_t size) {
    const Ends ends = EndsOf(name, size);
    Entry& entry = entries_[Slot(ends, size)];
    if (entry.size == size && entry.ends.first == ends.first && entry.ends.last == ends.last &&
        (size <= 16 || std::memcmp(entry.name + 8, name + 8, size - 16) == 0)) [[likely]] {
      return entry.opcode;
    }
    const std::optional<Opcode> opcode = target_.find_opcode({name, size});
    if (!opcode.has_value() || !WhyUnsupported(*opcode).empty()) return std::nullopt;
    entry = {name, ends, static_cast<uint32_t>(size), *opcode};
    return opcode;
  }

  // Returns what the module's GPU lacks to execute the opcode, or for the value of an operand; empty if nothing.
  std::string WhyUnsupported(Opcode opcode, int operand = -1, int64_t value = 0) const {
    return why_unsupported_ == nullptr ? std::string() : why_unsupported_(opcode, operand, value);
  }

  // Returns the operands whose values have to be checked.
  uint16_t LimitedOperands(Opcode opcode) const {
    return why_unsupported_ == nullptr ? 0 : target_.Get(opcode).limited_operands;
  }
  // Returns true if the module's GPU has the value of one of the limited operands. Supported values are kept by role,
  // because nearly all instructions use few of them.
  bool SupportsValue(Opcode opcode, unsigned operand, int64_t value) {
    uint64_t& known = supported_values_[target_.Operands(opcode)[operand].role];
    const bool is_small = value >= 0 && value < 64;
    if (is_small && (known >> value & 1) != 0) [[likely]]
      return true;
    if (!WhyUnsupported(opcode, static_cast<int>(operand), value).empty()) return false;
    if (is_small) known |= uint64_t{1} << value;
    return true;
  }

 private:
  static constexpr size_t kRoles = 256;  // OperandDesc::role is a byte

  // The first and the last eight characters. Shorter names are packed as a whole into `first`.
  struct Ends {
    uint64_t first = 0;
    uint64_t last = 0;
  };
  struct Entry {
    const char* name = nullptr;
    Ends ends;
    uint32_t size = 0;
    Opcode opcode = 0;
  };
  static constexpr size_t kSlots = 512;

  static Ends EndsOf(const char* name, size_t size) {
    Ends ends;
    if (size >= 8) {
      std::memcpy(&ends.first, name, 8);
      std::memcpy(&ends.last, name + size - 8, 8);
    } else {
      for (size_t i = 0; i < size; ++i) ends.first = ends.first << 8 | static_cast<uint8_t>(name[i]);
    }
    return ends;
  }

  static size_t Slot(const Ends& ends, size_t size) {
    const uint64_t hash = (ends.first * 0x9e3779b97f4a7c15u + size) ^ (ends.last * 0xc2b2ae3d27d4eb4fu);
    return (hash * 0x9e3779b97f4a7c15u) >> (64 - 9);
  }

  const TargetInfo& target_;
  std::function<std::string(Opcode, int, int64_t)> why_unsupported_;
  std::array<uint64_t, kRoles> supported_values_ = {};  // by role: bit v: the value v is supported
  std::array<Entry, kSlots> entries_;
};

// The state of one file. Registers, blocks and stack objects are charged to a budget that is proportional to the
// size of the file. A damaged file therefore cannot allocate much memory by naming a large number.
struct MirFileState {
  MirFileState(const SourceBuffer& buffer, Module& module, const TargetInfo& target, DiagnosticEngine& diagnostics);

  // Takes units of about 8 bytes of memory from the budget. Returns false if it is used up.
  bool Spend(uint64_t units) {
    if (units > budget) return false;
    budget -= units;
    return true;
  }

  // Packs a class name of up to 8 characters. Returns 0 for longer names.
  static uint64_t PackName(std::string_view name) {
    uint64_t packed = 0;
    if (name.size() > 8) return 0;
    for (char c : name) packed = packed << 8 | static_cast<uint8_t>(c);
    return packed;
  }
  // Returns kNoRegClass if there is none.
  RegClassId FindRegClass(std::string_view name) {
    const uint64_t packed = PackName(name);
    if (packed != 0) {
      for (size_t i = 0; i < packed_classes.size(); ++i) {
        if (packed_classes[i] == packed) return static_cast<RegClassId>(i);
      }
    }
    return FindRareRegClass(name);
  }
  // Finds a class with a long name, or with the name that it had in an old LLVM.
  RegClassId FindRareRegClass(std::string_view name);
  // Returns true if an old LLVM wrote the file. Looks through its text at the first call, so it is meant for names that
  // LLVM 22 does not have.
  bool IsOld();
  // Returns true if an LLVM from 16 to 19 has an opcode of this name. Meant for names that LLVM 22 does not have.
  bool IsOpcodeOfOldLlvm(std::string_view name);

  const SourceBuffer& buffer;
  Module& module;
  const TargetInfo& target;
  DiagnosticEngine& diagnostics;
  OpcodeCache opcodes;
  std::vector<uint64_t> packed_classes;  // by class number
  absl::flat_hash_map<std::string_view, uint32_t> phys_regs;
  absl::flat_hash_set<std::string_view> function_names;
  uint32_t num_functions = 0;  // number of machine functions so far
  // Creates the reader of the lines of a `dag`. Null if functions cannot have one.
  const std::function<std::unique_ptr<BlockLineReader>(MachineFunction&)>* line_reader_factory = nullptr;
  uint64_t budget;

  // Of a file that is known to be of an old LLVM; otherwise null.
  std::unique_ptr<RecipeTable> recipes;
  OldMirRefusal refusal;

 private:
  bool looked_for_version_ = false;
  std::vector<std::unique_ptr<RecipeTable>> old_opcodes_;  // of each old version; empty until first asked
};

// The state of one function: what has been read of it so far.
class MirFunctionState {
 public:
  MirFunctionState(MirFileState& file_state, MachineFunction& machine_function)
      : file(file_state), function(machine_function), regs(machine_function.reg_info()) {}

  // Returns the register %number and creates it if necessary. Returns nullopt if the number is out of proportion.
  std::optional<Register> NumberedRegister(uint64_t number) {
    if (number < num_direct_) [[likely]]
      return Register::Virtual(static_cast<uint32_t>(number));
    return NumberedRegisterSlow(number);
  }
  // Returns the register %name and creates it if necessary.
  Register NamedRegister(std::string_view name);
  // Creates a register that the input does not have.
  Register NewRegister(RegClassId reg_class);
  // Returns the number or name that the input uses for a register, with its '%'.
  std::string SpellingOf(Register reg) const;

  // Records a definition in the body.
  void NoteDefinition(Register reg) {
    const uint32_t index = reg.virtual_index();
    if (index >= defined_.size()) [[unlikely]]
      defined_.resize(regs.num_virtual_registers(), 0);
    is_ssa &= defined_[index] == 0;
    defined_[index] = 1;
  }

  bool IsGeneric(Register reg) const { return generic.contains(reg.virtual_index()); }

  MirFileState& file;
  MachineFunction& function;
  MachineRegisterInfo& regs;

  absl::flat_hash_set<uint32_t> generic;                   // registers of class "_"
  absl::flat_hash_map<uint32_t, uint32_t> constant_slots;  // %const.N -> index
  absl::flat_hash_map<uint32_t, uint32_t> jump_table_slots;

  bool is_ssa = true;
  bool has_phi = false;
  bool has_fake_use = false;

 private:
  std::optional<Register> NumberedRegisterSlow(uint64_t number);

  // %N is register N if N is below this number. Named registers take free numbers from the same range. If the
  // input later uses such a number itself, its register is in `moved_`.
  uint32_t num_direct_ = 0;
  absl::flat_hash_map<std::string_view, Register> named_;
  bool has_new_ = false;  // NewRegister was called, which takes numbers, too
  absl::flat_hash_map<uint32_t, Register> moved_;
  std::vector<uint8_t> defined_;  // by register: whether the body defines it
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_READER_STATE_H_
