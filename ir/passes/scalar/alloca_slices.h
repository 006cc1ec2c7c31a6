// SPDX-License-Identifier: Apache-2.0

// AllocaSlices: which bytes of a stack object each of its users accesses. Internal to sroa.

#ifndef PTXMIR_IR_PASSES_SCALAR_ALLOCA_SLICES_H_
#define PTXMIR_IR_PASSES_SCALAR_ALLOCA_SLICES_H_

#include <cstdint>
#include <vector>

#include "ir/code/function.h"

namespace ptxmir::ir {

struct AllocaSlice {
  enum class Kind : uint8_t { kLoad, kStore, kCopyTo, kCopyFrom, kSet };
  Instruction* user;
  uint64_t begin;  // in bytes
  uint64_t end;
  Kind kind;

  bool is_access() const { return kind == Kind::kLoad || kind == Kind::kStore; }
  const IrType* access_type() const { return kind == Kind::kLoad ? user->type() : user->operand(0).type(); }
};

// A part of an object that is neither structure nor array.
struct AllocaLeaf {
  uint64_t begin;
  uint64_t end;
  const IrType* type;
};

class AllocaSlices {
 public:
  // Returns false if something is done with the object that cannot be taken apart.
  bool Collect(Instruction& alloca);
  // Returns the instruction that does so, after Collect has returned false; null if it is the object itself.
  const Instruction* culprit() const { return culprit_; }

  uint64_t size() const { return size_; }
  const std::vector<AllocaSlice>& slices() const { return slices_; }
  // GEPs and casts of the object's address, users behind what they use.
  const std::vector<Instruction*>& addresses() const { return addresses_; }
  // Lifetime markers.
  const std::vector<Instruction*>& markers() const { return markers_; }

  // Appends the scalars and vectors of a type at an offset. Returns false if there are more than `limit`.
  static bool FindLeaves(const DataLayout& layout, const IrType* type, uint64_t offset, size_t limit,
                         std::vector<AllocaLeaf>* leaves);

 private:
  bool CollectUses(Value& pointer, uint64_t offset);
  bool CollectUse(Use& use, uint64_t offset);
  bool CollectCall(Use& use, uint64_t offset);
  bool Add(Instruction& user, uint64_t offset, uint64_t size, AllocaSlice::Kind kind);

  uint64_t size_ = 0;
  const Instruction* culprit_ = nullptr;
  const DataLayout* layout_ = nullptr;
  std::vector<AllocaSlice> slices_;
  std::vector<Instruction*> addresses_;
  std::vector<Instruction*> markers_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SCALAR_ALLOCA_SLICES_H_
