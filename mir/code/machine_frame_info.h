// SPDX-License-Identifier: Apache-2.0

// MachineFrameInfo: the stack objects of a function and what MIR's `frameInfo` says of its frame.
//
// Objects have LLVM's numbers: %stack.N is N >= 0, %fixed-stack.N is -N-1.

#ifndef PTXMIR_MIR_CODE_MACHINE_FRAME_INFO_H_
#define PTXMIR_MIR_CODE_MACHINE_FRAME_INFO_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "mir/code/machine_operand.h"

namespace ptxmir {

struct StackObject {
  enum class Type : uint8_t { kDefault, kSpillSlot, kVariableSized };
  // Stack ids are LLVM's (TargetStackID), but for this: memory of the CTA that holds the words of all its threads
  // (shared-spill-slots). Such an object has no place in the frame; MIR calls it "ptx-shared".
  static constexpr uint8_t kSharedStackId = 64;
  Type type = Type::kDefault;
  uint8_t align_log2 = 0;
  uint8_t stack_id = 0;
  bool is_dead = false;       // removed by a pass; its number stays taken
  bool is_immutable = false;  // fixed objects
  bool is_aliased = false;    // fixed objects
  bool has_local_offset = false;
  int64_t offset = 0;  // from the frame's start once laid out
  int64_t local_offset = 0;
  uint64_t size = 0;      // bytes
  std::string_view name;  // of the alloca; may be empty
  std::string_view callee_saved_register;
  bool callee_saved_restored = true;
  std::string_view debug_variable;  // spelling of the metadata references, or empty
  std::string_view debug_expression;
  std::string_view debug_location;

  bool is_in_shared() const { return stack_id == kSharedStackId; }
};

// What a function's shared memory for spilled values is called, with the function's number behind it.
inline constexpr std::string_view kSharedDepotPrefix = "__shared_depot";

class MachineFrameInfo {
 public:
  // MIR's frameInfo keys, under their own names.
  bool is_frame_address_taken = false;
  bool is_return_address_taken = false;
  bool has_stack_map = false;
  bool has_patch_point = false;
  uint64_t stack_size = 0;
  int64_t offset_adjustment = 0;
  uint64_t max_alignment = 1;
  bool adjusts_stack = false;
  bool has_calls = false;
  std::string_view stack_protector;
  std::string_view function_context;
  uint64_t max_call_frame_size = 4294967295;  // 2^32-1: not known
  uint64_t cv_bytes_of_callee_saved_registers = 0;
  bool has_opaque_sp_adjustment = false;
  bool has_va_start = false;
  bool has_must_tail_in_var_arg_func = false;
  bool has_tail_call = false;
  bool is_callee_saved_info_valid = false;
  int64_t local_frame_size = 0;
  std::string_view save_points;  // verbatim YAML, empty if absent
  std::string_view restore_points;

  int CreateStackObject(uint64_t size, uint8_t align_log2, StackObject::Type type = StackObject::Type::kDefault);
  // Of `size` bytes in all, for the CTA; it has the type of spill slots. A function has one at most.
  int CreateSharedObject(uint64_t size, uint8_t align_log2);
  // Null when there is none.
  const StackObject* SharedObject() const;
  bool IsValid(int index) const {
    return index >= 0 ? static_cast<size_t>(index) < objects_.size()
                      : static_cast<size_t>(-(index + 1)) < fixed_objects_.size();
  }
  StackObject& object(int index) { return index >= 0 ? objects_[index] : fixed_objects_[-(index + 1)]; }
  const StackObject& object(int index) const { return index >= 0 ? objects_[index] : fixed_objects_[-(index + 1)]; }
  std::vector<StackObject>& objects() { return objects_; }
  const std::vector<StackObject>& objects() const { return objects_; }
  std::vector<StackObject>& fixed_objects() { return fixed_objects_; }
  const std::vector<StackObject>& fixed_objects() const { return fixed_objects_; }

 private:
  std::vector<StackObject> objects_;
  std::vector<StackObject> fixed_objects_;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_MACHINE_FRAME_INFO_H_
