// SPDX-License-Identifier: Apache-2.0

// What the parts of the MIR reader share: per file (MirFileState) and per function (MirFunctionState).

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
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/diagnostics.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class BlockLineReader;

// Looks opcodes up by name, remembering recent ones by their text: most instructions of a file share few
// opcodes, and comparing is cheaper than the target's hash.
class OpcodeCache {
 public:
  explicit OpcodeCache(const TargetInfo& target) : target_(target) {}

  std::optional<Opcode> Find(const char* name, size_t size) {
    const Ends ends = EndsOf(name, size);
    Entry& entry = entries_[Slot(ends, size)];
    if (entry.size == size && entry.ends.first == ends.first && entry.ends.last == ends.last &&
        (size <= 16 || std::memcmp(entry.name + 8, name + 8, size - 16) == 0)) [[likely]] {
      return entry.opcode;
    }
    const std::optional<Opcode> opcode = target_.find_opcode({name, size});
    if (opcode.has_value()) entry = {name, ends, static_cast<uint32_t>(size), *opcode};
    return opcode;
  }

 private:
  // The first and the last eight characters; of shorter names all, packed.
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
  std::array<Entry, kSlots> entries_;
};

// One file. Everything that a damaged file can make large by naming a large number (registers, blocks,
// stack objects) is paid for from a budget in proportion to the file's size.
struct MirFileState {
  MirFileState(const SourceBuffer& buffer, Module& module, const TargetInfo& target, DiagnosticEngine& diagnostics);

  // False when the budget is used up. A unit is some 8 bytes of memory.
  bool Spend(uint64_t units) {
    if (units > budget) return false;
    budget -= units;
    return true;
  }

  // Packs a class name of up to 8 characters; 0 for longer ones.
  static uint64_t PackName(std::string_view name) {
    uint64_t packed = 0;
    if (name.size() > 8) return 0;
    for (char c : name) packed = packed << 8 | static_cast<uint8_t>(c);
    return packed;
  }
  // kNoRegClass when there is none.
  RegClassId FindRegClass(std::string_view name) const {
    const uint64_t packed = PackName(name);
    if (packed != 0) {
      for (size_t i = 0; i < packed_classes.size(); ++i) {
        if (packed_classes[i] == packed) return static_cast<RegClassId>(i);
      }
    }
    return packed == 0 ? target.FindRegClass(name).value_or(kNoRegClass) : kNoRegClass;
  }

  const SourceBuffer& buffer;
  Module& module;
  const TargetInfo& target;
  DiagnosticEngine& diagnostics;
  OpcodeCache opcodes;
  std::vector<uint64_t> packed_classes;  // by class number
  absl::flat_hash_map<std::string_view, uint32_t> phys_regs;
  absl::flat_hash_set<std::string_view> function_names;
  uint32_t num_functions = 0;  // machine functions so far
  // Makes what reads the lines of a `dag`; null when functions cannot have one.
  const std::function<std::unique_ptr<BlockLineReader>(MachineFunction&)>* line_reader_factory = nullptr;
  uint64_t budget;
};

// One function: what its text has said so far.
class MirFunctionState {
 public:
  MirFunctionState(MirFileState& file_state, MachineFunction& machine_function)
      : file(file_state), function(machine_function), regs(machine_function.reg_info()) {}

  // The register %number; it exists afterwards. nullopt: the number is out of proportion.
  std::optional<Register> NumberedRegister(uint64_t number) {
    if (number < num_direct_) [[likely]]
      return Register::Virtual(static_cast<uint32_t>(number));
    return NumberedRegisterSlow(number);
  }
  // The register %name; it exists afterwards.
  Register NamedRegister(std::string_view name);
  // The number or name by which the input calls a register, with its '%'.
  std::string SpellingOf(Register reg) const;

  // Notes a definition in the body.
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
  absl::flat_hash_map<uint32_t, uint32_t> constant_slots;  // %const.N to index
  absl::flat_hash_map<uint32_t, uint32_t> jump_table_slots;

  bool is_ssa = true;
  bool has_phi = false;
  bool has_fake_use = false;

 private:
  std::optional<Register> NumberedRegisterSlow(uint64_t number);

  // %N below this is register N. Named registers take free numbers from the same space; numbers that
  // then turn out to be taken are in `moved_`.
  uint32_t num_direct_ = 0;
  absl::flat_hash_map<std::string_view, Register> named_;
  absl::flat_hash_map<uint32_t, Register> moved_;
  std::vector<uint8_t> defined_;  // by register: has a definition in the body
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_READER_STATE_H_
