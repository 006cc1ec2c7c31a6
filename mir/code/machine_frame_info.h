// SPDX-License-Identifier: Apache-2.0

// MachineFrameInfo: the stack objects of a function and the values of MIR's `frameInfo`.
//
// Objects have LLVM's numbers: %stack.N has index N, %fixed-stack.N has index -N-1.

#ifndef PTXMIR_MIR_CODE_MACHINE_FRAME_INFO_H_
#define PTXMIR_MIR_CODE_MACHINE_FRAME_INFO_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "mir/code/machine_operand.h"

namespace ptxmir {

struct StackObject {
  enum class Type : uint8_t { kDefault, kSpillSlot, kVariableSized };
  // Stack ids are LLVM's (TargetStackID), with one addition: memory of the CTA that holds the words of all its
  // threads (shared-spill-slots). Such an object has no place in the frame. MIR calls it "ptx-shared".
  static constexpr uint8_t kSharedStackId = 64;
  Type type = Type::kDefault;
  uint8_t align_log2 = 0;
  uint8_t stack_id = 0;
  bool is_dead = false;       // removed by a pass; its number stays in use
  bool is_immutable = false;  // only for fixed objects
  bool is_aliased = false;    // only for fixed objects
  bool has_local_offset = false;
  int64_t offset = 0;  // from the start of the frame, once it is laid out
  int64_t local_offset = 0;
  uint64_t size = 0;      // in bytes
  std::string_view name;  // name of the alloca; may be empty
  std::string_view callee_saved_register;
  bool callee_saved_restored = true;
  std::string_view debug_variable;  // spelling of the metadata reference, or empty; likewise the next two
  std::string_view debug_expression;
  std::string_view debug_location;

  bool is_in_shared() const { return stack_id == kSharedStackId; }
};

// The name of a function's shared memory for spilled values is this prefix followed by the function's number.
inline constexpr std::string_view kSharedDepotPrefix = "__shared_depot";

class MachineFrameInfo {
 public:
  // The keys of MIR's frameInfo, under their own names.
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
  uint64_t max_call_frame_size = 4294967295;  // 2^32-1: unknown
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
  // Creates the object in the shared memory of the CTA: `size` bytes in total, with the type of a spill slot. A
  // function has at most one.
  int CreateSharedObject(uint64_t size, uint8_t align_log2);
  // Returns null if there is none.
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
