// SPDX-License-Identifier: Apache-2.0

// MachineBasicBlock: a list of instructions, and edges to other blocks with probabilities.
//
// A block lives in the arena of its function. Both ends of an edge record it: AddSuccessor and the other functions
// that edit edges also update the predecessor lists. A position in a block is given as the instruction to insert
// before; null is the end of the block.

#ifndef PTXMIR_MIR_CODE_MACHINE_BASIC_BLOCK_H_
#define PTXMIR_MIR_CODE_MACHINE_BASIC_BLOCK_H_

#include <cstdint>
#include <iterator>
#include <string_view>

#include "absl/types/span.h"
#include "mir/code/machine_instr.h"

namespace ptxmir {

// A growable array in an arena, for members of blocks. The old storage is not freed when the array grows.
template <typename T>
class ArenaVector {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  void push_back(FunctionArena& arena, const T& value) {
    if (size_ == capacity_) {
      capacity_ = capacity_ == 0 ? kFirstCapacity : capacity_ * 2;
      T* grown = static_cast<T*>(arena.AllocateForGraph(capacity_ * sizeof(T)));
      for (uint32_t i = 0; i < size_; ++i) grown[i] = data_[i];
      data_ = grown;
    }
    data_[size_++] = value;
  }
  void erase(size_t i) {
    for (; i + 1 < size_; ++i) data_[i] = data_[i + 1];
    --size_;
  }
  void clear() { size_ = 0; }

 private:
  static_assert(std::is_trivially_copyable_v<T>);
  // The number of elements in one unit of the arena. Most blocks have only one or two edges on each side.
  static constexpr uint32_t kFirstCapacity = sizeof(T) < FunctionArena::kUnit ? FunctionArena::kUnit / sizeof(T) : 1;
  T* data_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

// A branch probability in LLVM's representation: a numerator over 2^31, or unknown.
class BranchProbability {
 public:
  static constexpr uint32_t kDenominator = 1u << 31;
  static constexpr uint32_t kUnknownBits = ~uint32_t{0};
  constexpr BranchProbability() = default;
  constexpr explicit BranchProbability(uint32_t numerator) : numerator_(numerator) {}
  static constexpr BranchProbability Unknown() { return BranchProbability(); }
  static constexpr BranchProbability One() { return BranchProbability(kDenominator); }
  constexpr bool is_unknown() const { return numerator_ == kUnknownBits; }
  constexpr uint32_t numerator() const { return numerator_; }
  friend constexpr bool operator==(BranchProbability a, BranchProbability b) = default;

 private:
  uint32_t numerator_ = kUnknownBits;
};

class MachineBasicBlock {
 public:
  template <typename Instr>
  class InstrIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Instr;
    using difference_type = std::ptrdiff_t;
    using pointer = Instr*;
    using reference = Instr&;
    InstrIterator() = default;
    explicit InstrIterator(Instr* instr) : instr_(instr) {}
    Instr& operator*() const { return *instr_; }
    Instr* operator->() const { return instr_; }
    InstrIterator& operator++() {
      instr_ = instr_->next();
      return *this;
    }
    InstrIterator operator++(int) {
      InstrIterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(InstrIterator a, InstrIterator b) = default;

   private:
    Instr* instr_ = nullptr;
  };
  using iterator = InstrIterator<MachineInstr>;
  using const_iterator = InstrIterator<const MachineInstr>;

  struct LiveIn {
    Register reg;        // a physical register
    uint64_t lane_mask;  // all ones: the whole register
  };

  BlockNumber number() const { return number_; }
  MachineFunction& function() const { return *FunctionArena::OwnerOf(this); }

  // Instructions. Inserting, removing and erasing one is O(1).
  bool empty() const { return first_ == 0; }
  MachineInstr* front() const { return Resolve(first_); }  // null when empty
  MachineInstr* back() const { return Resolve(last_); }
  iterator begin() { return iterator(front()); }
  iterator end() { return iterator(); }
  const_iterator begin() const { return const_iterator(front()); }
  const_iterator end() const { return const_iterator(); }
  // Inserts an unlinked instruction before `before`, or at the end if `before` is null.
  void Insert(MachineInstr* before, MachineInstr* instr);
  void Append(MachineInstr* instr) { Insert(nullptr, instr); }
  void Remove(MachineInstr* instr);
  // Moves the instructions from `first` to the end of this block to the end of `target`.
  void SpliceTail(MachineInstr* first, MachineBasicBlock& target);
  MachineInstr* FirstNonPhi() const;      // null if there is none
  MachineInstr* FirstTerminator() const;  // first of the trailing terminators; null if there is none
  MachineInstr* FirstNonDebug() const;
  size_t CountInstrs() const;

  // Edges.
  absl::Span<MachineBasicBlock* const> successors() const { return {successors_.begin(), successors_.size()}; }
  absl::Span<MachineBasicBlock* const> predecessors() const { return {predecessors_.begin(), predecessors_.size()}; }
  absl::Span<const BranchProbability> successor_probabilities() const {
    return {probabilities_.begin(), probabilities_.size()};
  }
  bool IsSuccessor(const MachineBasicBlock* block) const;
  void AddSuccessor(MachineBasicBlock* block, BranchProbability probability = BranchProbability::Unknown());
  void RemoveSuccessor(MachineBasicBlock* block);
  void SetSuccessorProbability(size_t i, BranchProbability probability) { probabilities_[i] = probability; }
  // Redirects the edge to `from` to `to`. Keeps its probability; if there already is an edge to `to`, adds the two
  // probabilities. Retargets the branches and jump tables of the terminators. The caller must update PHIs.
  void RetargetSuccessor(MachineBasicBlock* from, MachineBasicBlock* to);
  // Moves all outgoing edges of `from` to this block. PHIs in the successors then name this block instead of
  // `from`.
  void TransferSuccessorsAndUpdatePhis(MachineBasicBlock* from);
  // Replaces `from` by `to` in the PHIs of this block.
  void ReplacePhiUsesWith(const MachineBasicBlock* from, const MachineBasicBlock* to);
  // Returns true if control can fall through into the next block in layout order.
  bool CanFallThrough() const;

  // Layout.
  MachineBasicBlock* next() const { return next_; }
  MachineBasicBlock* previous() const { return previous_; }
  bool IsLayoutSuccessor(const MachineBasicBlock* block) const { return next_ == block; }

  // Other properties of a block in MIR.
  std::string_view name;      // name of the IR block, e.g. "for.body"; follows "bb.3."; may be empty
  std::string_view ir_block;  // "%ir-block.7", as written in parentheses; empty if none
  uint8_t align_log2 = 0;
  bool is_machine_block_address_taken = false;
  bool is_landing_pad = false;
  bool is_eh_funclet_entry = false;
  bool is_inlineasm_br_indirect_target = false;
  std::string_view ir_block_address_taken;  // spelling of the IR block; empty if its address is not taken
  std::string_view section;                 // section, for -basic-block-sections
  uint32_t call_frame_size = 0;
  bool has_bb_id = false;
  uint32_t bb_id = 0;
  uint32_t bb_id_clone = 0;
  uint32_t max_bytes_for_alignment = 0;
  absl::Span<const LiveIn> live_ins() const { return {live_ins_.begin(), live_ins_.size()}; }
  void AddLiveIn(Register reg, uint64_t lane_mask = ~uint64_t{0});
  absl::Span<const LiveIn> live_outs() const { return {live_outs_.begin(), live_outs_.size()}; }
  void AddLiveOut(Register reg, uint64_t lane_mask);

 private:
  friend class MachineFunction;
  friend class MachineInstr;
  friend class FunctionArena;

  MachineBasicBlock() = default;
  MachineInstr* Resolve(ArenaId id) const;

  // The members that graph walks read come first, within 64 bytes.
  BlockNumber number_ = 0;
  ArenaId first_ = 0;
  ArenaId last_ = 0;
  MachineBasicBlock* next_ = nullptr;
  MachineBasicBlock* previous_ = nullptr;
  ArenaVector<MachineBasicBlock*> successors_;
  ArenaVector<MachineBasicBlock*> predecessors_;
  ArenaVector<BranchProbability> probabilities_;
  ArenaVector<LiveIn> live_ins_;
  ArenaVector<LiveIn> live_outs_;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_MACHINE_BASIC_BLOCK_H_
